//! Forms of pages, and which may be sent: the input is a page.

use magpie_discovery::forms::{
    MIN_CONFIDENCE, Unsafe, check_safe_to_send, classify, field_purpose, query_field,
};
use magpie_discovery::{Acts, UrlTemplate};
use magpie_model::PostedForm;
use magpie_page::{FieldKind, FormEncoding, Method, Page};

const PAGE: &str = "https://shop.example/a/b?c=d";

/// Checks that a form which may be sent has nothing that forbids it, that its template stays on its
/// site, and that other fields keep their values.
pub fn check(data: &[u8]) {
    let html = crate::text(data);
    let page = Page::from_html(PAGE, &html).expect("a URL");
    for form in &page.forms().forms {
        let found = classify(form);
        assert!((0.0..=1.0).contains(&found.confidence), "{found:?}");
        for field in &form.fields {
            assert!(!field_purpose(field).name().is_empty());
        }
        let keyword = query_field(form);
        if let Some(keyword) = keyword {
            let field = &form.fields[keyword];
            assert!(field.kind.is_text() && !field.is_hidden && !field.is_disabled);
        }
        let by_get = keyword.and_then(|field| UrlTemplate::from_form(form, field));
        let by_post = keyword.and_then(|field| UrlTemplate::from_post_form(form, field));
        assert!(by_get.is_none() || by_post.is_none());
        let checked = check_safe_to_send(form, &found, page.url(), &Acts::default());
        let is_post = checked == Err(Unsafe::SearchByPost);
        if checked.is_err() && !is_post {
            continue;
        }
        let pressed = form.pressed();
        let method = pressed.and_then(|submit| submit.method).unwrap_or(form.method);
        assert_eq!(method == Method::Post, is_post);
        assert!(found.confidence >= MIN_CONFIDENCE && !form.is_scripted && !form.has_captcha);
        let barred = [FieldKind::Password, FieldKind::File, FieldKind::Email];
        assert!(!form.fields.iter().any(|field| barred.contains(&field.kind)));
        if is_post {
            let encoding = pressed.and_then(|submit| submit.encoding);
            assert_eq!(encoding.unwrap_or(form.encoding), FormEncoding::Url);
        }
        for template in by_get.iter().chain(&by_post) {
            let url = template.fill("big dogs", &[]).expect("it has no other place");
            assert_eq!(PostedForm::of_address(url.as_str()).is_some(), is_post, "{url}");
            let host = url.host_str().unwrap_or_default();
            assert!(host == "shop.example" || host.ends_with(".shop.example"), "{url}");
        }
    }
}
