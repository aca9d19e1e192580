//! The purpose of a form.

use magpie_model::FormPurpose;
use magpie_page::{Field, FieldKind, Form};

use crate::Acts;

use super::features::{form_features, is_usable};
use super::fields::{FieldPurpose, field_purpose};
use super::model::{Model, PURPOSES};
use super::safety::target_of;
use super::words::{Notion, Words};

/// The purpose of a form, as far as it can be recognised.
#[derive(Clone, Debug, PartialEq)]
pub struct Classified {
    /// The most probable purpose.
    pub purpose: FormPurpose,
    /// Its probability, from 0 to 1.
    pub confidence: f64,
    /// Reasons for it: rules and features, the strongest first.
    pub reasons: Vec<String>,
}

/// Features that are given as reasons.
const MAX_REASONS: usize = 5;

pub fn classify(form: &Form) -> Classified {
    classify_by(form, Model::built_in())
}

impl Model {
    /// Classifies a form by these weights.
    pub fn classify(&self, form: &Form) -> Classified {
        classify_by(form, self)
    }
}

fn classify_by(form: &Form, model: &Model) -> Classified {
    // Rules come first, because they always hold.
    if let Some((purpose, rule)) = certain(form) {
        return Classified {
            purpose,
            confidence: 1.0,
            reasons: vec![rule.to_owned()],
        };
    }
    let features = form_features(form);
    let mut probabilities = model.probabilities(features.iter().map(String::as_str));
    let mut reasons = Vec::new();
    // The model may still call it a search by its words. The rule is certain, so the probability
    // goes to the other purposes.
    let acts = || {
        let target = target_of(form)?;
        let by = Acts::default().of_url(target.path(), target.query());
        by.map(|_| "its action changes something")
    };
    if let Some(rule) = excludes_search(form).or_else(acts) {
        reasons.push(rule.to_owned());
        rule_out(&mut probabilities, &[FormPurpose::Search, FormPurpose::Filter]);
    } else if !form.fields.iter().any(is_usable) {
        reasons.push("no field to fill in".to_owned());
        rule_out(&mut probabilities, &[FormPurpose::Search]);
    } else if !form.fields.iter().any(is_typed) && !says_search(form) {
        // Choices alone are a filter unless the form calls itself a search.
        let search = std::mem::take(&mut probabilities[index_of(FormPurpose::Search)]);
        probabilities[index_of(FormPurpose::Filter)] += search;
    }
    let best = (0..PURPOSES)
        .max_by(|&one, &other| probabilities[one].total_cmp(&probabilities[other]))
        .unwrap_or_default();
    reasons.extend(model.reasons(&features, best, MAX_REASONS));
    Classified {
        purpose: FormPurpose::ALL[best],
        confidence: probabilities[best],
        reasons,
    }
}

fn index_of(purpose: FormPurpose) -> usize {
    purpose as usize
}

/// Takes purposes away and scales the others up to one.
fn rule_out(probabilities: &mut [f64; PURPOSES], purposes: &[FormPurpose]) {
    for &purpose in purposes {
        probabilities[index_of(purpose)] = 0.0;
    }
    let sum: f64 = probabilities.iter().sum();
    if sum > 0.0 {
        probabilities.iter_mut().for_each(|share| *share /= sum);
    } else {
        probabilities[index_of(FormPurpose::Other)] = 1.0;
    }
}

/// Returns the rule that excludes a search, such as a password field.
pub(super) fn excludes_search(form: &Form) -> Option<&'static str> {
    let has = |kind: FieldKind| form.fields.iter().any(|field| field.kind == kind);
    if has(FieldKind::Password) {
        Some("has a password field")
    } else if has(FieldKind::File) {
        Some("has a file field")
    } else if has(FieldKind::Email) {
        Some("has an e-mail field")
    } else if form
        .fields
        .iter()
        .any(|field| field.kind == FieldKind::TextArea && is_usable(field))
    {
        Some("has a text area")
    } else {
        None
    }
}

/// The purposes that rules recognise with certainty.
fn certain(form: &Form) -> Option<(FormPurpose, &'static str)> {
    let usable: Vec<&Field> = form.fields.iter().filter(|field| is_usable(field)).collect();
    let is_choice = |field: &&Field| matches!(field.kind, FieldKind::Select { .. } | FieldKind::Radio);
    if usable.is_empty() || !usable.iter().all(is_choice) {
        return None;
    }
    let is_language = |field: &&Field| {
        let words = Words::of_name(&field.name);
        words.has(Notion::Language) && !words.has(Notion::Search)
    };
    let is_view =
        |field: &&Field| matches!(field_purpose(field), FieldPurpose::Sort | FieldPurpose::PageSize);
    if usable.iter().all(is_language) {
        Some((FormPurpose::Language, "only chooses a language or a currency"))
    } else if usable.iter().all(is_view) {
        Some((FormPurpose::Filter, "only sorts or divides a list"))
    } else {
        None
    }
}

/// Returns true if something can be typed into a field.
fn is_typed(field: &Field) -> bool {
    !field.kind.has_choices() && is_usable(field)
}

/// Returns true if a button, the action or the names of a form have words for a search.
fn says_search(form: &Form) -> bool {
    let action = form.action_as_written.as_deref().unwrap_or_default();
    let names = [action, &form.id, &form.class, &form.name].map(Words::of_name);
    let labels = form.submits.iter().map(|submit| Words::of_text(&submit.label));
    names
        .into_iter()
        .chain(labels)
        .any(|words| words.has(Notion::Search))
}
