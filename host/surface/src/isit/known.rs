//! Answers to submissions, and what follows from them.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::form::Submission;
use crate::outcome::{ObjectId, Outcome};
use crate::sets;

/// Maximum number of objects of an answer that are kept.
const MAX_OBJECTS: usize = 1_000;

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Answer {
    pub(super) signature: u64,
    pub(super) is_empty: bool,
    /// Total number of results, if known.
    pub(super) total: Option<u64>,
    pub(super) objects: Vec<ObjectId>,
    /// True if `objects` are all results.
    is_complete: bool,
    is_inferred: bool,
}

impl Answer {
    pub(super) fn new(outcome: &Outcome, signature: u64) -> Answer {
        let objects: Vec<ObjectId> = outcome.objects.iter().take(MAX_OBJECTS).copied().collect();
        Answer {
            signature,
            is_empty: outcome.is_empty,
            total: outcome.total(),
            // Without objects, the page may have results that no vertical reads.
            is_complete: outcome.is_complete()
                && objects.len() == outcome.objects.len()
                && (outcome.is_empty || !objects.is_empty()),
            objects,
            is_inferred: false,
        }
    }
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Known {
    #[serde(with = "crate::pairs")]
    answers: BTreeMap<Submission, Answer>,
}

impl Known {
    pub(super) fn has(&self, submission: &Submission) -> bool {
        self.answers.contains_key(submission)
    }

    pub(super) fn get(&self, submission: &Submission) -> Option<&Answer> {
        self.answers.get(submission)
    }

    /// Returns the number of results of the form without any value.
    pub(super) fn default_total(&self) -> Option<u64> {
        self.get(&Submission::default()).and_then(|answer| answer.total)
    }

    /// Stores an answer. Returns false if it has more than the answer to a part of its submission.
    pub(super) fn add(&mut self, submission: &Submission, answer: Answer) -> bool {
        let fits = parts(submission).filter_map(|part| self.get(&part)).all(|part| {
            let is_more = |part: u64, own: u64| own > part;
            let has_more = part
                .total
                .zip(answer.total)
                .is_some_and(|(part, own)| is_more(part, own));
            let has_other = part.is_complete && !sets::is_subset(&answer.objects, &part.objects);
            (!part.is_empty || answer.is_empty) && !has_more && !has_other
        });
        self.answers.insert(submission.clone(), answer);
        fits
    }

    pub(super) fn add_inferred(&mut self, submission: &Submission, answer: Answer) {
        self.answers.insert(submission.clone(), answer);
    }

    pub(super) fn forget_inferred(&mut self) {
        self.answers.retain(|_, answer| !answer.is_inferred);
    }

    /// Returns the known answers to single values of an input.
    pub(super) fn values_of(&self, input: usize) -> Vec<(usize, &Answer)> {
        let single = |(submission, answer)| single(submission, answer, input);
        self.answers.iter().filter_map(single).collect()
    }

    /// Infers an answer from those to parts of its submission.
    ///
    /// If a part is empty, so is the whole. If two parts together bind all inputs and show all
    /// their results, the whole has the results that both have.
    pub(super) fn infer(&self, submission: &Submission) -> Option<Answer> {
        let bound = submission.inputs.len();
        if bound < 2 {
            return None;
        }
        let all = (1_usize << bound) - 1;
        let part = |mask: usize| self.get(&submission.part(mask)).map(|answer| (mask, answer));
        let known: Vec<(usize, &Answer)> = (1..all).filter_map(part).collect();
        // A further input can only restrict an empty result.
        if known.iter().any(|(_, answer)| answer.is_empty) {
            return Some(inferred(Vec::new()));
        }
        let complete = || known.iter().filter(|(_, answer)| answer.is_complete);
        for (mask, one) in complete() {
            if let Some((_, other)) = complete().find(|(other, _)| mask | other == all) {
                return Some(inferred(sets::intersection(&one.objects, &other.objects)));
            }
        }
        None
    }
}

fn inferred(objects: Vec<ObjectId>) -> Answer {
    let outcome = Outcome::new(objects);
    Answer {
        is_inferred: true,
        ..Answer::new(&outcome, outcome.result_signature())
    }
}

fn single<'a>(submission: &Submission, answer: &'a Answer, input: usize) -> Option<(usize, &'a Answer)> {
    (submission.inputs == [input]).then(|| (submission.values[0], answer))
}

/// Returns all proper parts of a submission.
fn parts(submission: &Submission) -> impl Iterator<Item = Submission> {
    let all = (1_usize << submission.inputs.len()) - 1;
    (0..all).map(|mask| submission.part(mask))
}
