//! URL templates: the input is a template, a query, and the URL of a result page.

use magpie_discovery::{MAX_TEMPLATE_BYTES, UrlTemplate};
use magpie_model::PostedForm;
use url::Url;

/// Checks that templates are read back as printed, that a query stays in its place, and that the
/// template of a filled URL fills it again.
pub fn check(data: &[u8]) {
    let [template, query, example] = crate::parts(data).map(crate::text);
    if let Ok(template) = template.parse::<UrlTemplate>() {
        check_template(&template, &query);
    }
    let Ok(url) = Url::parse(&example) else {
        return;
    };
    if let Some(template) = UrlTemplate::from_example(&url, &query) {
        check_template(&template, &query);
    }
    // A form is read out of its address as it was written.
    assert!(PostedForm::of_address(url.as_str()).is_none() || PostedForm::is_marked(url.as_str()));
    if let Some(form) = PostedForm::of_address(url.as_str()) {
        let again = PostedForm::of_address(&form.address());
        assert_eq!(again, Some(form));
    }
}

fn check_template(template: &UrlTemplate, query: &str) {
    let text = template.to_string();
    assert!(text.len() <= MAX_TEMPLATE_BYTES);
    let again: UrlTemplate = text.parse().expect("it is read back");
    assert_eq!(again.to_string(), text);
    let Some(url) = template.fill(query, &[]) else {
        return;
    };
    let other = template.fill("x", &[]).expect("it was filled before");
    assert_eq!(url.origin(), other.origin(), "{text}");
    // Whatever the query is, an address of a form stays one.
    let is_post = PostedForm::of_address(url.as_str()).is_some();
    assert!(is_post || !template.is_post(), "{text}");
}
