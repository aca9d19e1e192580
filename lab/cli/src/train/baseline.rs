//! The published rule for search forms, to compare with.

use magpie_page::{Field, FieldKind, Form};

/// Returns true if a form has no password, e-mail, file or text area, one to three text fields, and
/// a word for searching or a usual name.
pub(super) fn is_search(form: &Form) -> bool {
    let is_usable = |field: &&Field| {
        !field.is_hidden && !field.is_disabled && field.kind != FieldKind::Hidden && !field.kind.is_button()
    };
    let is_excluded = |field: &Field| match field.kind {
        FieldKind::Password | FieldKind::File | FieldKind::Email => true,
        FieldKind::TextArea => is_usable(&field),
        _ => false,
    };
    let texts: Vec<&Field> = form
        .fields
        .iter()
        .filter(|field| is_usable(field) && field.kind.is_text())
        .collect();
    if form.fields.iter().any(is_excluded) || !(1..=3).contains(&texts.len()) {
        return false;
    }
    const NAMES: [&str; 14] = [
        "q",
        "s",
        "k",
        "kw",
        "query",
        "search",
        "keyword",
        "keywords",
        "term",
        "text",
        "words",
        "searchterm",
        "wd",
        "qs",
    ];
    const WORDS: [&str; 8] = [
        "search",
        "such",
        "recherche",
        "busca",
        "cerca",
        "zoek",
        "поиск",
        "検索",
    ];
    let is_named = |field: &&Field| NAMES.contains(&field.name.to_lowercase().as_str());
    let mut said = format!(
        "{} {} {} {} ",
        form.action_as_written.as_deref().unwrap_or_default(),
        form.id,
        form.class,
        form.name
    );
    for submit in &form.submits {
        said += &format!("{} {} ", submit.label, submit.name);
    }
    for field in &texts {
        said += &format!("{} {} {} ", field.name, field.label, field.placeholder);
    }
    let said = said.to_lowercase();
    texts.iter().any(is_named) || WORDS.iter().any(|word| said.contains(word))
}
