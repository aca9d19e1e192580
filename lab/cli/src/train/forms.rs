//! Training and judging of the classification of forms.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anyhow::{Result, ensure};
use magpie_discovery::Acts;
use magpie_discovery::forms::{
    Classified, FormPurpose, Model, Unsafe, check_safe_to_send, form_features, query_field,
};

use super::annotated::{self, AnnotatedForm};
use super::baseline;
use super::regression::{Example, train};

/// Parts of the cross-validation. All forms of a site are in one part.
const FOLDS: usize = 10;

/// Penalties that are tried, on the training parts alone.
const PENALTIES: [f64; 4] = [0.0005, 0.001, 0.002, 0.004];

/// Sites that must have a feature.
const MIN_SITES: usize = 3;

const BOOTSTRAPS: usize = 1_000;

#[derive(Clone, Copy, Default)]
pub(super) struct Counts {
    pub(super) hits: u32,
    pub(super) false_alarms: u32,
    pub(super) misses: u32,
}

impl Counts {
    fn add(&mut self, is: bool, said: bool) {
        self.hits += u32::from(is && said);
        self.false_alarms += u32::from(!is && said);
        self.misses += u32::from(is && !said);
    }

    pub(super) fn precision(self) -> f64 {
        share(self.hits, self.hits + self.false_alarms)
    }

    pub(super) fn recall(self) -> f64 {
        share(self.hits, self.hits + self.misses)
    }

    pub(super) fn f1(self) -> f64 {
        share(2 * self.hits, 2 * self.hits + self.false_alarms + self.misses)
    }
}

fn share(part: u32, all: u32) -> f64 {
    f64::from(part) / f64::from(all.max(1))
}

/// Figures of the classification, each form judged by a model that saw no form of its site.
pub(super) struct FormFigures {
    pub(super) forms: usize,
    pub(super) sites: usize,
    pub(super) search: Counts,
    /// 95 % interval of the F1 of searches, over sites.
    pub(super) search_f1: (f64, f64),
    pub(super) baseline: Counts,
    pub(super) purposes: Vec<(FormPurpose, Counts)>,
    pub(super) macro_f1: f64,
    /// Search forms with an annotated field for words, and those whose field was found.
    pub(super) query_fields: (u32, u32),
    /// Forms that would be sent, and those among them that are neither searches nor filters.
    pub(super) sendable: (u32, u32),
    /// Searches that are sent by POST and nothing else is wrong with.
    pub(super) by_post: (u32, u32),
    /// Descriptions of wrongly classified forms.
    pub(super) mistakes: Vec<String>,
    pub(super) model: Model,
}

pub(super) fn run(folder: &Path) -> Result<FormFigures> {
    let forms = annotated::read(folder)?;
    ensure!(!forms.is_empty(), "{} has no annotated forms", folder.display());
    let examples: Vec<Example> = forms
        .iter()
        .map(|form| Example {
            features: form_features(&form.form),
            class: form.purpose as usize,
            site: form.site.clone(),
        })
        .collect();
    let folds: Vec<usize> = forms.iter().map(|form| fold_of(&form.site, 1)).collect();
    let mut said: Vec<Option<Classified>> = vec![None; forms.len()];
    for fold in 0..FOLDS {
        let training: Vec<usize> = (0..forms.len()).filter(|&at| folds[at] != fold).collect();
        let model = fit(&forms, &examples, &training);
        for at in (0..forms.len()).filter(|&at| folds[at] == fold) {
            said[at] = Some(model.classify(&forms[at].form));
        }
    }
    let all: Vec<usize> = (0..forms.len()).collect();
    let model = fit(&forms, &examples, &all);
    let said: Vec<Classified> = said.into_iter().flatten().collect();
    Ok(judge(&forms, &said, model))
}

/// The part of a site, by the hash of its name. Further numbers give other divisions.
fn fold_of(site: &str, number: u64) -> usize {
    let hash = site.bytes().fold(0xcbf2_9ce4_8422_2325 ^ number, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    ((hash ^ (hash >> 32)) % FOLDS as u64) as usize
}

/// Trains with the penalty that does best on held-out parts of the same forms.
fn fit(forms: &[AnnotatedForm], examples: &[Example], training: &[usize]) -> Model {
    let mut best = (f64::NEG_INFINITY, PENALTIES[0]);
    for penalty in PENALTIES {
        let mut loss = 0.0;
        for part in 0..3 {
            let is_held_out = |at: &usize| fold_of(&forms[*at].site, 77) % 3 == part;
            let kept: Vec<usize> = training.iter().copied().filter(|at| !is_held_out(at)).collect();
            let model = model_of(examples, &kept, penalty);
            for at in training.iter().copied().filter(is_held_out) {
                let features = examples[at].features.iter().map(String::as_str);
                loss -= model.probabilities(features)[examples[at].class].max(1e-9).ln();
            }
        }
        if -loss > best.0 {
            best = (-loss, penalty);
        }
    }
    model_of(examples, training, best.1)
}

fn model_of(examples: &[Example], training: &[usize], penalty: f64) -> Model {
    let chosen: Vec<&Example> = training.iter().map(|&at| &examples[at]).collect();
    let mut model = Model::default();
    for (feature, weights) in train(&chosen, FormPurpose::ALL.len(), penalty, MIN_SITES) {
        for (purpose, weight) in weights.into_iter().enumerate() {
            // Rounded as in the file, so that figures are those of the file.
            model.set(purpose, &feature, ((weight * 100.0).round() / 100.0) as f32);
        }
    }
    model
}

fn judge(forms: &[AnnotatedForm], said: &[Classified], model: Model) -> FormFigures {
    let mut purposes: BTreeMap<FormPurpose, Counts> = BTreeMap::new();
    let mut baseline = Counts::default();
    let mut by_site: BTreeMap<&str, Counts> = BTreeMap::new();
    let mut query_fields = (0, 0);
    let (mut sendable, mut by_post) = ((0, 0), (0, 0));
    let mut mistakes = Vec::new();
    let annotated: BTreeSet<FormPurpose> = forms.iter().map(|form| form.purpose).collect();
    for (form, classified) in forms.iter().zip(said) {
        let said = merged(classified.purpose);
        let is_search = form.purpose == FormPurpose::Search;
        for &purpose in &annotated {
            purposes
                .entry(purpose)
                .or_default()
                .add(form.purpose == purpose, said == purpose);
        }
        by_site
            .entry(&form.site)
            .or_default()
            .add(is_search, said == FormPurpose::Search);
        baseline.add(is_search, baseline::is_search(&form.form));
        if is_search && !form.query_fields.is_empty() {
            query_fields.0 += 1;
            let found = query_field(&form.form).map(|at| &form.form.fields[at].name);
            let is_found = found.is_some_and(|name| form.query_fields.contains(name));
            query_fields.1 += u32::from(is_found);
            if !is_found {
                mistakes.push(format!(
                    "{}: query field {found:?}, not {:?}",
                    form.page, form.query_fields
                ));
            }
        }
        if is_search != (said == FormPurpose::Search) {
            mistakes.push(format!("{}: {} taken for {said}", form.page, form.kind));
        }
        let Some(action) = &form.form.action else { continue };
        let is_harmless = matches!(form.purpose, FormPurpose::Search | FormPurpose::Filter);
        // Forms are judged as if they were on the site that they lead to.
        match check_safe_to_send(&form.form, classified, action, &Acts::default()) {
            Ok(()) => {
                sendable.0 += 1;
                sendable.1 += u32::from(!is_harmless);
                if !is_harmless {
                    mistakes.push(format!("{}: {} would be sent", form.page, form.kind));
                }
            }
            Err(Unsafe::SearchByPost) => {
                by_post.0 += 1;
                by_post.1 += u32::from(!is_harmless);
            }
            Err(_) => {}
        }
    }
    let purposes: Vec<(FormPurpose, Counts)> = purposes.into_iter().collect();
    FormFigures {
        forms: forms.len(),
        sites: by_site.len(),
        search: purposes
            .iter()
            .find(|(purpose, _)| *purpose == FormPurpose::Search)
            .map_or(Counts::default(), |(_, counts)| *counts),
        search_f1: interval(&by_site.into_values().collect::<Vec<_>>()),
        baseline,
        macro_f1: purposes.iter().map(|(_, counts)| counts.f1()).sum::<f64>() / purposes.len().max(1) as f64,
        purposes,
        query_fields,
        sendable,
        by_post,
        mistakes,
        model,
    }
}

/// Merges purposes that the annotations don't distinguish.
fn merged(purpose: FormPurpose) -> FormPurpose {
    match purpose {
        FormPurpose::Comment => FormPurpose::Contact,
        FormPurpose::Language => FormPurpose::Filter,
        other => other,
    }
}

/// 95 % interval of F1 by drawing sites with replacement.
fn interval(sites: &[Counts]) -> (f64, f64) {
    let mut state = 0x9E37_79B9_7F4A_7C15_u64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % sites.len() as u64) as usize
    };
    let mut scores: Vec<f64> = (0..BOOTSTRAPS)
        .map(|_| {
            let mut sum = Counts::default();
            for _ in 0..sites.len() {
                let drawn = sites[next()];
                sum.hits += drawn.hits;
                sum.false_alarms += drawn.false_alarms;
                sum.misses += drawn.misses;
            }
            sum.f1()
        })
        .collect();
    scores.sort_by(f64::total_cmp);
    (scores[BOOTSTRAPS / 40], scores[BOOTSTRAPS - 1 - BOOTSTRAPS / 40])
}
