//! Forms that may be sent.

use magpie_page::{FieldKind, Form, Method};
use magpie_values::domain;
use url::Url;

use super::classify::excludes_search;
use super::words::{Notion, Words};
use super::{Classified, FormPurpose};

/// Confidence below which a form is left alone.
pub const MIN_CONFIDENCE: f64 = 0.7;

/// Confidence below which a form that is sent by POST does not surely search.
const MIN_POST_CONFIDENCE: f64 = 0.9;

/// Names of hidden fields whose values name what is done.
pub(super) const DEED_NAMES: [&str; 7] = ["act", "action", "cmd", "do", "mode", "op", "task"];

/// Reason why a form is not sent. Displays as a plain sentence.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Unsafe {
    /// It is for something else.
    #[error("it is no search and no filter but probably for: {0}")]
    OtherPurpose(FormPurpose),
    /// Its purpose is uncertain.
    #[error("it may be a {purpose}, with a probability of only {confidence:.2}")]
    Uncertain {
        /// The most probable purpose.
        purpose: FormPurpose,
        /// Its probability.
        confidence: f64,
    },
    /// A field that no search has.
    #[error("it {0}")]
    Field(&'static str),
    /// A word of its action or a button says that it acts.
    #[error("its action or button says `{0}`, which may change something")]
    Acts(&'static str),
    /// Its action is no URL that can be requested.
    #[error("its action is no URL")]
    NoAction,
    /// A script sends it.
    #[error("a script sends it")]
    Scripted,
    /// It leads to another site.
    #[error("it leads to another site, {0}")]
    OtherSite(String),
    /// It closes a dialog.
    #[error("it sends nothing")]
    Dialog,
    /// It is surely a search and sent by POST. Nothing else is wrong with it.
    #[error("it is a search that is sent by POST, which may change something")]
    SearchByPost,
    /// It is sent by POST and not surely a search.
    #[error("it is sent by POST and is not surely a search")]
    Post,
    /// Parts of it were left out because of limits.
    #[error("it is too large to be read in full")]
    TooLarge,
}

/// Returns an error if a form on a page, classified by [`classify`](super::classify), must not be
/// sent. What passes is a search or a filter by
/// GET, on the site of the page.
pub fn check_safe_to_send(form: &Form, found: &Classified, page: &Url) -> Result<(), Unsafe> {
    if let Some(field) = excludes_search(form) {
        return Err(Unsafe::Field(field));
    }
    let pressed = form.submits.first();
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
    let target = pressed
        .and_then(|submit| submit.action.as_ref())
        .or(form.action.as_ref())
        .ok_or(Unsafe::NoAction)?;
    if site(target) != site(page) {
        return Err(Unsafe::OtherSite(
            target.host_str().unwrap_or_default().to_owned(),
        ));
    }
    if let Some(word) = acting_word(form, target) {
        return Err(Unsafe::Acts(word));
    }
    match (found.purpose, method) {
        (FormPurpose::Search | FormPurpose::Filter, _) if found.confidence < MIN_CONFIDENCE => {
            Err(Unsafe::Uncertain {
                purpose: found.purpose,
                confidence: found.confidence,
            })
        }
        (FormPurpose::Search | FormPurpose::Filter, Method::Get) => Ok(()),
        (FormPurpose::Search, _) if found.confidence >= MIN_POST_CONFIDENCE => Err(Unsafe::SearchByPost),
        (FormPurpose::Search | FormPurpose::Filter, _) => Err(Unsafe::Post),
        (other, _) => Err(Unsafe::OtherPurpose(other)),
    }
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

/// Returns true if a link surely acts: a whole segment of its path, or a key or value of its query,
/// is a word for that.
pub fn is_deed(url: &Url) -> bool {
    let is_deed = |part: &str| {
        let words = Words::of_url(part);
        words.iter().count() == 1 && (words.has_exactly(Notion::Act) || words.has_exactly(Notion::Cart))
    };
    let mut segments = url.path_segments().into_iter().flatten();
    segments.any(is_deed)
        || url
            .query_pairs()
            .any(|(key, value)| is_deed(&key) || is_deed(&value))
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
        if name.iter().any(|word| DEED_NAMES.contains(&word)) {
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
