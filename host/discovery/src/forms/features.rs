//! Features of a form: named facts that hold or not.

use std::collections::BTreeSet;

use magpie_page::{Field, FieldKind, Form, Method};

use super::words::{Notion, Words, notions};

/// Maximum number of fields whose words are read. Forms with more are known by their number.
const MAX_FIELDS_READ: usize = 40;

/// Choices of one field whose labels are read.
const MAX_CHOICES_READ: usize = 6;

/// Bytes of a word that may be a feature of its own.
const MAX_WORD_BYTES: usize = 20;

/// Returns the features of a form, sorted, each once. A name begins with the part of the form:
/// `submit~search` is a notion in several languages, `submit=go` a word.
pub fn form_features(form: &Form) -> Vec<String> {
    let mut features = Features::default();
    features.add("bias".to_owned());
    features.add_shape(form);
    features.add_words(form);
    features.0.into_iter().collect()
}

#[derive(Default)]
struct Features(BTreeSet<String>);

/// Returns true if a reader can enter or choose something in the field.
pub(super) fn is_usable(field: &Field) -> bool {
    !field.is_hidden && !field.is_disabled && field.kind != FieldKind::Hidden && !field.kind.is_button()
}

impl Features {
    fn add(&mut self, feature: String) {
        self.0.insert(feature);
    }

    fn add_if(&mut self, holds: bool, feature: &str) {
        if holds {
            self.add(feature.to_owned());
        }
    }

    fn add_count(&mut self, name: &str, count: usize, most: usize) {
        let count = count.min(most);
        let more = if count == most { "+" } else { "" };
        self.add(format!("{name}={count}{more}"));
    }

    /// Adds kinds of fields and their numbers.
    fn add_shape(&mut self, form: &Form) {
        let usable = || form.fields.iter().filter(|field| is_usable(field));
        let count = |kinds: &[FieldKind]| usable().filter(|field| kinds.contains(&field.kind)).count();
        let texts = usable().filter(|field| field.kind.is_text()).count();
        let selects = usable()
            .filter(|field| matches!(field.kind, FieldKind::Select { .. }))
            .count();
        let fields = usable().count();
        let hidden = form
            .fields
            .iter()
            .filter(|field| field.kind == FieldKind::Hidden)
            .count();
        self.add_count("texts", texts, 4);
        self.add_count("selects", selects, 3);
        self.add_count("fields", fields, 6);
        self.add_count("hidden", hidden, 4);
        self.add_count("submits", form.submits.len(), 3);
        self.add_count("passwords", count(&[FieldKind::Password]), 3);
        self.add_count("checkboxes", count(&[FieldKind::Checkbox]), 3);
        self.add_count("radios", count(&[FieldKind::Radio]), 2);
        self.add_count("areas", count(&[FieldKind::TextArea]), 2);
        let is_post = form.method == Method::Post;
        self.add_if(is_post, "post");
        self.add_if(!is_post, "get");
        for (kind, name) in [
            (FieldKind::Search, "has-search"),
            (FieldKind::Email, "has-email"),
            (FieldKind::Telephone, "has-tel"),
            (FieldKind::Number, "has-number"),
            (FieldKind::Date, "has-date"),
            (FieldKind::File, "has-file"),
            (FieldKind::Url, "has-url"),
        ] {
            self.add_if(count(&[kind]) > 0, name);
        }
        self.add_if(usable().any(|field| field.is_required), "has-required");
        self.add_if(form.role == "search", "role-search");
        self.add_if(form.is_scripted, "scripted");
        self.add_if(form.submits.iter().any(|submit| submit.is_image), "has-image");
        self.add_if(texts == 1 && fields == 1 && is_post, "one-text-post");
        self.add_if(texts == 1 && fields == 1 && !is_post, "one-text-get");
        self.add_if(texts == 1 && fields > 1, "one-text-more");
        self.add_if(texts == 0 && selects == fields && fields > 0, "selects-only");
        self.add_if(texts == 1 && count(&[FieldKind::Password]) == 1, "text-password");
    }

    fn add_words(&mut self, form: &Form) {
        let usable = || {
            form.fields
                .iter()
                .filter(|field| is_usable(field))
                .take(MAX_FIELDS_READ)
        };
        let names: Vec<Words> = usable()
            .flat_map(|field| [name(&field.name), name(&field.id)])
            .collect();
        self.add_part("name", &names);
        let labels: Vec<Words> = usable()
            .flat_map(|field| [text(&field.label), text(&field.placeholder), value_hint(field)])
            .collect();
        self.add_part("label", &labels);
        let choices: Vec<Words> = usable()
            .flat_map(|field| field.choices.iter().take(MAX_CHOICES_READ))
            .map(|choice| text(&choice.label))
            .collect();
        self.add_part("choice", &choices);
        let hidden: Vec<Words> = form
            .fields
            .iter()
            .filter(|field| field.kind == FieldKind::Hidden)
            .take(MAX_FIELDS_READ)
            .flat_map(|field| [name(&field.name), name(short(&field.value))])
            .collect();
        self.add_part("hidden", &hidden);
        self.add_part("action", &[action(form)]);
        self.add_part("form", &[name(&form.id), name(&form.class), name(&form.name)]);
        let submits: Vec<Words> = form
            .submits
            .iter()
            .take(4)
            .flat_map(|submit| [text(&submit.label), name(&submit.name)])
            .chain(button_texts(form))
            .collect();
        self.add_part("submit", &submits);
        self.add_part("heading", &[text(&form.heading)]);
        let says_search = ["name", "label", "action", "form", "submit"].iter().any(|part| {
            self.0.contains(&format!("{part}~search")) || self.0.contains(&format!("{part}~query"))
        });
        self.add_if(!says_search, "nothing~search");
        let first = usable().find(|field| field.kind.is_text());
        if let Some(first) = first {
            self.add_if(first.name.is_empty(), "first-unnamed");
            let mut words = name(&first.name);
            words.extend(name(&first.id));
            self.add_part("first", &[words, text(&first.label), text(&first.placeholder)]);
        }
    }

    fn add_part(&mut self, part: &str, all: &[Words]) {
        for notion in notions() {
            if all.iter().any(|words| words.has(notion)) {
                self.add(format!("{part}~{}", notion.name()));
            }
        }
        // A single short name such as `q` is better evidence than the notion.
        if part == "first"
            && all
                .first()
                .is_some_and(|words| words.has_exactly(Notion::QueryName))
        {
            self.add("first-query-name".to_owned());
        }
        for word in all.iter().flat_map(Words::iter) {
            // Numbers and very long words belong to one page and say nothing about others.
            if word.len() <= MAX_WORD_BYTES && !word.bytes().all(|byte| byte.is_ascii_digit()) {
                self.add(format!("{part}={word}"));
            }
        }
    }
}

fn name(written: &str) -> Words {
    Words::of_name(written)
}

fn text(written: &str) -> Words {
    Words::of_text(written)
}

/// Text in a field that old pages use as a placeholder.
fn value_hint(field: &Field) -> Words {
    match field.kind.is_text() {
        true => text(short(&field.value)),
        false => Words::default(),
    }
}

/// The texts of buttons that scripts press, which old pages use to submit.
fn button_texts(form: &Form) -> impl Iterator<Item = Words> {
    let buttons = form.fields.iter().filter(|field| field.kind == FieldKind::Button);
    buttons.take(4).map(|field| text(short(&field.value)))
}

/// The beginning of a value. Long ones are states of servers.
fn short(value: &str) -> &str {
    match value.len() {
        0..=60 => value,
        _ => "",
    }
}

fn action(form: &Form) -> Words {
    let mut words = Words::default();
    if form.action_as_written.as_deref().unwrap_or_default().is_empty() {
        return words;
    }
    if let Some(url) = &form.action {
        words.extend(Words::of_url(url.path()));
        words.extend(Words::of_url(url.query().unwrap_or_default()));
        let host = url.host_str().unwrap_or_default();
        // A host of its own for searches is called so: `search.shop.example`.
        words.extend(name(host.split('.').next().unwrap_or_default()));
    }
    words
}
