//! Forms without text fields, which lead to pages as links do: a button, or a menu of pages.

use magpie_page::{Field, FieldKind, Form};
use url::Url;

use super::safety::{Unsafe, check_safe_to_send, link_deed, names_deed};
use crate::Acts;

use super::{Classified, FieldPurpose, FormPurpose, classify, field_purpose};

/// Pages that one form leads to. A menu of years or of places has some dozens.
const MAX_PAGES: usize = 100;

/// Returns the URLs that a form leads to without any text, each with its label: one for each choice
/// of its only menu, or the one of its button. `acts` are the rules of the site. A form that may
/// change something, and one with several menus, whose choices make too many combinations, leads
/// nowhere.
pub fn form_links(form: &Form, page: &Url, acts: &Acts) -> Vec<(Url, String)> {
    if !is_harmless(form, page, acts) {
        return Vec::new();
    }
    let shown = form.fields.iter().enumerate();
    let shown = shown.filter(|(_, field)| is_shown(field));
    let shown: Vec<(usize, &Field)> = shown.collect();
    let pages = match shown.as_slice() {
        [] => {
            let label = form.submits.first().map(|submit| submit.label.clone());
            let url = form.submission_url(&[]);
            url.map(|url| (url, label.unwrap_or_default()))
                .into_iter()
                .collect()
        }
        [(index, menu)] if menu.kind.has_choices() && !is_view(menu) && !names_deed(&menu.name) => {
            let choices = menu.choices.iter().filter(|choice| !choice.is_disabled);
            let urls = choices.filter_map(|choice| {
                let url = form.submission_url(&[(*index, choice.value.as_str())])?;
                Some((url, choice.label.clone()))
            });
            urls.take(MAX_PAGES).collect::<Vec<_>>()
        }
        _ => Vec::new(),
    };
    let rules = acts.clone().composed();
    let is_deed = |(url, label): &(Url, String)| {
        rules.of_url(url.path(), url.query()).is_some()
            || rules.has_own_word(label)
            || link_deed(url, label).is_some()
    };
    match pages.iter().any(is_deed) {
        // If one choice changes something, the others may, too.
        true => Vec::new(),
        false => pages,
    }
}

/// Returns `true` for menus that only order or format what the page shows.
fn is_view(menu: &Field) -> bool {
    matches!(
        field_purpose(menu),
        FieldPurpose::Sort | FieldPurpose::PageSize | FieldPurpose::Token
    )
}

/// Returns `true` for fields that readers use.
fn is_shown(field: &Field) -> bool {
    !field.is_hidden && !field.is_disabled && field.kind != FieldKind::Hidden && !field.kind.is_button()
}

/// Returns `true` if no word of a form shows that it changes something.
fn is_harmless(form: &Form, page: &Url, acts: &Acts) -> bool {
    let found = classify(form);
    // Without words to search for, the purpose is often uncertain; that of a form that acts is not.
    let is_deed = match found.purpose {
        FormPurpose::Login
        | FormPurpose::Registration
        | FormPurpose::Recovery
        | FormPurpose::Newsletter
        | FormPurpose::Contact
        | FormPurpose::Comment
        | FormPurpose::Order
        | FormPurpose::Language => true,
        FormPurpose::Search | FormPurpose::Filter | FormPurpose::Other => false,
    };
    // The check is about the fields and the words here, so the uncertain purpose is replaced by a
    // certain one.
    let as_filter = Classified {
        purpose: FormPurpose::Filter,
        confidence: 1.0,
        ..found
    };
    let checked: Result<(), Unsafe> = check_safe_to_send(form, &as_filter, page, acts);
    !is_deed && checked.is_ok()
}
