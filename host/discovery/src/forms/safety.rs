//! Forms that may be sent.

use magpie_model::PostedForm;
use magpie_page::{Field, FieldKind, Form, FormEncoding, Method};
use magpie_values::domain;
use url::Url;

use super::classify::excludes_search;
use super::words::{Notion, Words};
use super::{Classified, FieldPurpose, FormPurpose, field_purpose};
use crate::acts::{Acts, VALUE_KEYS};

/// Confidence below which a form is left alone.
pub const MIN_CONFIDENCE: f64 = 0.7;

/// Confidence below which a form that is sent by POST does not surely search.
const MIN_POST_CONFIDENCE: f64 = 0.9;

/// Characters of a field's name in a reason.
const MAX_NAME: usize = 40;

/// Reason why a form is not sent. Displays as a plain sentence.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Unsafe {
    #[error("it is no search and no filter but probably for: {0}")]
    OtherPurpose(FormPurpose),
    /// Its purpose is uncertain.
    #[error("it may be a {purpose}, with a probability of only {confidence:.2}")]
    Uncertain {
        purpose: FormPurpose,
        /// Its probability, from 0 to 1.
        confidence: f64,
    },
    /// A field that no search has.
    #[error("it {0}")]
    Field(&'static str),
    /// A word of its action or a button shows that it acts.
    #[error("its action or button says `{0}`, which may change something")]
    Acts(String),
    /// The URL of its action acts.
    #[error("its action has {0}, which may change something")]
    ActingUrl(String),
    /// It wants a proof that a person fills it in.
    #[error("it has a captcha, and no proof is given that a person fills it in")]
    Captcha,
    /// Its action is no URL that can be requested.
    #[error("its action is no URL")]
    NoAction,
    #[error("a script sends it")]
    Scripted,
    #[error("it leads to another site, {0}")]
    OtherSite(String),
    #[error("it sends nothing")]
    Dialog,
    /// It is surely a search and sent by POST. Nothing else is wrong with it.
    #[error("it is a search that is sent by POST, which may change something")]
    SearchByPost,
    /// It is sent by POST in another encoding than that of URLs.
    #[error("it is sent by POST as {0}; only application/x-www-form-urlencoded is sent")]
    PostEncoding(&'static str),
    /// It is sent by POST with a token of a session, which its site asks for where something
    /// changes.
    #[error("it is sent by POST, and its field `{0}` looks like a token against forged requests")]
    PostToken(String),
    /// It is sent by POST, and a word in it names something else than a search.
    #[error("it is sent by POST and says `{0}`, which no search does")]
    PostSays(&'static str),
    /// It has the argument that stands for POST in addresses.
    #[error("it has the argument `{mark}`, which stands for POST in the addresses of answers", mark = PostedForm::MARK)]
    Marked,
    /// It is sent by POST and not surely a search.
    #[error("it is sent by POST and is not surely a search")]
    Post,
    /// Parts of it were left out because of limits.
    #[error("it is too large to be read in full")]
    TooLarge,
}

/// Returns an error if a form on a page, classified by [`classify`](super::classify), must not be
/// sent. What passes is a search or a filter by GET, on the site of the page. A search that may be
/// sent by POST, if POST is permitted, is reported as [`Unsafe::SearchByPost`]. `acts` are the
/// rules of the site.
pub fn check_safe_to_send(form: &Form, found: &Classified, page: &Url, acts: &Acts) -> Result<(), Unsafe> {
    if let Some(field) = excludes_search(form) {
        return Err(Unsafe::Field(field));
    }
    let pressed = form.pressed();
    // The button that the return key presses may override method and action of the form.
    let method = pressed.and_then(|submit| submit.method).unwrap_or(form.method);
    if method == Method::Dialog {
        return Err(Unsafe::Dialog);
    }
    if form.is_scripted {
        return Err(Unsafe::Scripted);
    }
    if form.is_cut {
        return Err(Unsafe::TooLarge);
    }
    let asks_for_proof = |field: &Field| Words::of_name(&field.name).has(Notion::Captcha);
    if form.has_captcha || form.fields.iter().any(asks_for_proof) {
        return Err(Unsafe::Captcha);
    }
    let target = target_of(form).ok_or(Unsafe::NoAction)?;
    // A crawl of one site must not search another one.
    if site(target) != site(page) {
        return Err(Unsafe::OtherSite(
            target.host_str().unwrap_or_default().to_owned(),
        ));
    }
    if let Some(word) = acting_word(form, target) {
        return Err(Unsafe::Acts(word.to_owned()));
    }
    if let Some(by) = acts.of_url(target.path(), target.query()) {
        return Err(Unsafe::ActingUrl(by));
    }
    if let Some(submit) = form
        .submits
        .iter()
        .find(|submit| acts.has_own_word(&submit.label))
    {
        return Err(Unsafe::Acts(submit.label.clone()));
    }
    if is_marked(form, target) {
        return Err(Unsafe::Marked);
    }
    match (found.purpose, method) {
        (FormPurpose::Search | FormPurpose::Filter, _) if found.confidence < MIN_CONFIDENCE => {
            Err(Unsafe::Uncertain {
                purpose: found.purpose,
                confidence: found.confidence,
            })
        }
        (FormPurpose::Search | FormPurpose::Filter, Method::Get) => Ok(()),
        (FormPurpose::Search, _) if found.confidence >= MIN_POST_CONFIDENCE => {
            check_post(form, target)?;
            Err(Unsafe::SearchByPost)
        }
        (FormPurpose::Search | FormPurpose::Filter, _) => Err(Unsafe::Post),
        (other, _) => Err(Unsafe::OtherPurpose(other)),
    }
}

/// Returns the URL that a form is sent to: the button that the return key presses may override it.
pub(super) fn target_of(form: &Form) -> Option<&Url> {
    let overriding = form.pressed().and_then(|submit| submit.action.as_ref());
    overriding.or(form.action.as_ref())
}

/// Returns an error if a search must not be sent by POST.
///
/// A GET is safe by its definition, so its form is judged by its own words. A POST may do
/// anything, so here a field or a word that other forms have is enough. A token against forged
/// requests is one: a site that wants it expects the request to matter.
fn check_post(form: &Form, target: &Url) -> Result<(), Unsafe> {
    let encoding = form
        .pressed()
        .and_then(|submit| submit.encoding)
        .unwrap_or(form.encoding);
    if encoding != FormEncoding::Url {
        return Err(Unsafe::PostEncoding(encoding.media_type()));
    }
    for field in &form.fields {
        let name = Words::of_name(&field.name);
        if field_purpose(field) == FieldPurpose::Token || name.has(Notion::Token) {
            let name = field.name.chars().take(MAX_NAME).collect();
            return Err(Unsafe::PostToken(name));
        }
        match field.kind {
            // Scripts fill in hidden ones.
            FieldKind::TextArea => return Err(Unsafe::Field("has a text area")),
            FieldKind::Telephone => return Err(Unsafe::Field("has a telephone field")),
            _ => {}
        }
    }
    match foreign_word(form, target) {
        Some(word) => Err(Unsafe::PostSays(word)),
        None => Ok(()),
    }
}

/// A word of a form that names something else than a search.
fn foreign_word(form: &Form, target: &Url) -> Option<&'static str> {
    let mut said = vec![
        Words::of_url(target.path()),
        Words::of_url(target.query().unwrap_or_default()),
        Words::of_name(&form.id),
        Words::of_name(&form.name),
        Words::of_name(&form.class),
    ];
    for submit in &form.submits {
        said.push(Words::of_text(&submit.label));
        said.push(Words::of_name(&submit.name));
        said.push(Words::of_name(&submit.value));
    }
    let mut asked = Vec::new();
    for field in &form.fields {
        match field.kind {
            FieldKind::Hidden => said.push(Words::of_name(&field.name)),
            _ => asked.extend([Words::of_name(&field.name), Words::of_text(&field.label)]),
        }
    }
    let find = |all: &[Words], notions: &[Notion]| {
        let found = |words: &Words| {
            let mut found = notions.iter().filter_map(|&notion| words.find(notion));
            // `author` begins like `authenticate`.
            found.find(|&word| word != "auth" || !words.has(Notion::Author))
        };
        all.iter().find_map(found)
    };
    let of_forms = [
        Notion::Login,
        Notion::Registration,
        Notion::Recovery,
        Notion::Newsletter,
        Notion::Contact,
        Notion::Comment,
        Notion::Cart,
        Notion::Poll,
        Notion::Captcha,
    ];
    // Searches ask for subjects and reviews, too.
    let of_fields = [
        Notion::Email,
        Notion::Telephone,
        Notion::Newsletter,
        Notion::Cart,
        Notion::Captcha,
    ];
    find(&said, &of_forms).or_else(|| find(&asked, &of_fields))
}

/// Returns true if the URLs of a form would look like addresses of answers to POST.
fn is_marked(form: &Form, target: &Url) -> bool {
    let fields = form.fields.iter().map(|field| &field.name);
    let submits = form.submits.iter().map(|submit| &submit.name);
    PostedForm::is_marked(target.as_str()) || fields.chain(submits).any(|name| name == PostedForm::MARK)
}

/// Returns the word by which a link may act instead of showing a page: in its URL or its text. The
/// title of a work may have such a word, too.
pub fn link_deed(url: &Url, text: &str) -> Option<&'static str> {
    let said = [
        Words::of_url(url.path()),
        Words::of_url(url.query().unwrap_or_default()),
        Words::of_text(text),
    ];
    let notions = [
        Notion::Act,
        Notion::Cart,
        Notion::Login,
        Notion::Registration,
        Notion::Newsletter,
    ];
    let mut words = said.iter();
    words.find_map(|words| notions.iter().find_map(|&notion| words.find(notion)))
}

/// Returns `true` if a field has a name such as `action`, so that its value names what is done.
pub(super) fn names_deed(name: &str) -> bool {
    Words::of_name(name).iter().any(|word| VALUE_KEYS.contains(&word))
}

/// The registrable domain of a URL; the host if it has none.
fn site(url: &Url) -> Option<&str> {
    let host = url.host_str()?;
    Some(domain::registrable(host).unwrap_or(host))
}

/// A word of the action, of a button or of a hidden value by which the form does something.
fn acting_word(form: &Form, target: &Url) -> Option<&'static str> {
    // Texts that name what the form does. Elsewhere `order` is that of results.
    let mut deeds = vec![Words::of_url(target.path())];
    let mut said = vec![
        Words::of_url(target.query().unwrap_or_default()),
        Words::of_name(&form.id),
        Words::of_name(&form.name),
    ];
    for submit in &form.submits {
        deeds.push(Words::of_text(&submit.label));
        said.push(Words::of_name(&submit.name));
        said.push(Words::of_name(&submit.value));
    }
    for field in form.fields.iter().filter(|field| field.kind == FieldKind::Hidden) {
        let name = Words::of_name(&field.name);
        if names_deed(&field.name) {
            deeds.push(Words::of_name(&field.value));
        }
        said.push(name);
    }
    let find = |all: &[Words], notions: &[Notion]| {
        let found = |words: &Words| notions.iter().find_map(|&notion| words.find(notion));
        all.iter().find_map(found)
    };
    find(&deeds, &[Notion::Act, Notion::Cart, Notion::Order])
        .or_else(|| find(&said, &[Notion::Act, Notion::Cart]))
}
