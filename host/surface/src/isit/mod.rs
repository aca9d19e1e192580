//! Informative search templates (ISIT).
//!
//! A template binds some inputs of a form and leaves the others at their default. It is informative
//! if different values bring different results: at least the share tau of its submissions have
//! distinct signatures. Templates are tried from one input upwards; a template is tried if one of
//! its parts is informative.
//!
//! The published method samples up to 200 submissions of each template. The sequential method stops
//! as soon as the outcome of the whole sample is clear, and does not request what follows from
//! other answers: submissions below an empty one, and intersections of complete ones.

mod decide;
mod form;
mod known;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::outcome::Outcome;
use decide::Samples;
use form::MAX_INPUTS;
pub use form::{Input, Submission};
use form::{combination, combinations};
use known::{Answer, Known};

/// Submissions whose inferred answers are requested anyway, to verify that inputs restrict one
/// another.
const AUDITS: usize = 2;

/// Minimum number of samples before an input counts as presentation.
const MIN_PRESENTATION: u32 = 3;

/// Number of values that test the dependence of two inputs.
const DEPENDENCE_TESTS: usize = 3;

/// Number of samples of two inputs before their dependence is tested. It is tested if most of them
/// are empty.
const MIN_BEFORE_TESTS: usize = 6;

/// Maximum number of values that another input may determine.
const MAX_PARENTS: usize = 40;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Settings {
    /// Minimum share of distinct signatures.
    pub tau: f64,
    /// Maximum number of samples of a template.
    pub max_sample: usize,
    /// Maximum number of combinations of a template that is tried.
    pub max_combinations: usize,
    pub max_dimension: usize,
    /// The content that distinguishes answers.
    pub signature: Signature,
    /// Quantile of the interval that stops sampling; `None` takes all samples.
    pub quantile: Option<f64>,
    /// True to infer answers from those of other submissions.
    pub infers: bool,
    /// True to recognise inputs for presentation, inert inputs, and dependent ones.
    pub recognises: bool,
}

/// The content that distinguishes answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Signature {
    Page,
    Objects,
}

impl Settings {
    /// Returns the method as published: 200 samples, page signatures.
    pub fn published() -> Settings {
        Settings {
            tau: 0.2,
            max_sample: 200,
            max_combinations: 10_000,
            max_dimension: 3,
            signature: Signature::Page,
            quantile: None,
            infers: false,
            recognises: false,
        }
    }

    /// Returns the improved method.
    pub fn sequential() -> Settings {
        Settings {
            signature: Signature::Objects,
            quantile: Some(1.96),
            infers: true,
            recognises: true,
            ..Settings::published()
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Decision {
    /// Different values bring different results.
    Informative,
    /// Too few values bring different results.
    Uninformative,
    TooLarge,
    /// The input orders or formats the results.
    Presentation,
    /// The input changes nothing.
    Inert,
    /// One input follows from another, so the smaller template brings the same.
    Redundant,
}

impl Decision {
    pub fn as_str(self) -> &'static str {
        match self {
            Decision::Informative => "informative",
            Decision::Uninformative => "uninformative",
            Decision::TooLarge => "too-large",
            Decision::Presentation => "presentation",
            Decision::Inert => "inert",
            Decision::Redundant => "redundant",
        }
    }
}

/// A template that was decided.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Template {
    /// Indices of the bound inputs, in increasing order.
    pub inputs: Vec<usize>,
    pub decision: Decision,
    /// Submissions that the verdict is based on.
    pub samples: u32,
    /// Number of distinct signatures among them.
    pub distinct: u32,
}

/// The search for the informative templates of a form.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Isit {
    settings: Settings,
    inputs: Vec<Input>,
    seed: u64,
    /// Templates that wait, the next one last.
    waiting: Vec<Vec<usize>>,
    dimension: usize,
    trial: Option<Trial>,
    decided: Vec<Template>,
    known: Known,
    /// Submissions that are requested although their answers follow from others.
    audited: Vec<Submission>,
    requests: u32,
    /// Pairs of inputs of which the first determines the second.
    determines: Vec<(usize, usize)>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Trial {
    inputs: Vec<usize>,
    /// Numbers of the sampled combinations.
    sample: Vec<u32>,
    taken: usize,
    /// Number of empty ones among the samples.
    empties: usize,
    #[serde(with = "crate::pairs")]
    signatures: BTreeMap<u64, u32>,
    /// True while each answer has as many results as the unbound form.
    keeps_count: bool,
    /// True while each answer is that of the unbound form.
    is_inert: bool,
    /// Submissions that test the dependence of two inputs, with the emptiness that it implies.
    tests: Option<Vec<DependenceTest>>,
}

/// Submissions that show if one value follows from another.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct DependenceTest {
    /// The value that determines, alone.
    alone: Submission,
    /// With the value that it would imply.
    with: Submission,
    /// With another value.
    against: Submission,
    determines: (usize, usize),
}

impl Isit {
    /// Starts the search. Inputs beyond [`MAX_INPUTS`] and inputs without values are left alone.
    pub fn new(inputs: &[Input], mut settings: Settings, seed: u64) -> Isit {
        // The text of a page does not follow from those of others.
        settings.infers &= settings.signature == Signature::Objects;
        let inputs: Vec<Input> = inputs.iter().take(MAX_INPUTS).cloned().collect();
        let mut search = Isit {
            settings,
            inputs,
            seed,
            waiting: Vec::new(),
            dimension: 1,
            trial: None,
            decided: Vec::new(),
            known: Known::default(),
            audited: Vec::new(),
            requests: 0,
            determines: Vec::new(),
        };
        let singles = (0..search.inputs.len())
            .rev()
            .filter(|input| !search.inputs[*input].values.is_empty());
        search.waiting = singles.map(|input| vec![input]).collect();
        search
    }

    /// Returns the next submission to request, or `None` if all templates are decided.
    #[expect(
        clippy::should_implement_trait,
        reason = "`record` is called between two calls"
    )]
    pub fn next(&mut self) -> Option<Submission> {
        if self.settings.recognises && !self.known.has(&Submission::default()) {
            // Inputs without an effect are recognised by their likeness to the answer that binds
            // none.
            return Some(Submission::default());
        }
        loop {
            let Some(mut trial) = self.trial.take() else {
                self.begin()?;
                continue;
            };
            let step = self.step(&mut trial);
            match step {
                Step::Request(submission) => {
                    self.trial = Some(trial);
                    return Some(submission);
                }
                Step::Decided(decision) => self.finish(&trial, decision),
                Step::Sampled => self.trial = Some(trial),
            }
        }
    }

    /// Returns the next submission, and further samples of its template that do not follow from
    /// known answers: none if all templates are decided. More than one saves waiting, and costs the
    /// samples after the one that decides.
    pub fn next_batch(&mut self, count: usize) -> Vec<Submission> {
        let Some(first) = self.next() else {
            return Vec::new();
        };
        let mut batch = vec![first];
        let Some(trial) = &self.trial else {
            return batch;
        };
        let rest = trial.sample.iter().skip(trial.taken);
        let mut rest = rest.map(|number| combination(&self.inputs, &trial.inputs, *number as usize));
        // A test of dependence comes before the other samples, which it may make needless.
        if rest.next().as_ref() != batch.first() {
            return batch;
        }
        let is_known = |submission: &Submission| {
            let follows = self.settings.infers && self.known.infer(submission).is_some();
            follows || self.known.has(submission)
        };
        let further = rest.filter(|submission| !is_known(submission));
        batch.extend(further.take(count.saturating_sub(1)));
        batch
    }

    /// Returns false if an answer had more than that to a part of its submission: what follows from
    /// answers to parts does not hold then.
    pub fn restricts(&self) -> bool {
        self.settings.infers
    }

    pub fn record(&mut self, submission: &Submission, outcome: &Outcome) {
        let signature = match self.settings.signature {
            Signature::Page => outcome.page_signature,
            Signature::Objects => outcome.result_signature(),
        };
        self.requests += 1;
        let fits = self.known.add(submission, Answer::new(outcome, signature));
        if self.settings.infers && !fits {
            // Inputs do not restrict one another: what was inferred is void.
            self.settings.infers = false;
            self.known.forget_inferred();
            self.decided.retain(|template| template.inputs.len() == 1);
            self.trial = self.trial.take().filter(|trial| trial.inputs.len() == 1);
            self.waiting.retain(|inputs| inputs.len() == 1);
            self.dimension = 1;
            self.determines.clear();
        }
    }

    /// Returns the decided templates, in the order of decision.
    pub fn decided(&self) -> &[Template] {
        &self.decided
    }

    pub fn informative(&self) -> impl Iterator<Item = &Template> {
        self.decided
            .iter()
            .filter(|template| template.decision == Decision::Informative)
    }

    pub fn submissions<'a>(&'a self, template: &'a Template) -> impl Iterator<Item = Submission> + 'a {
        let all = 0..combinations(&self.inputs, &template.inputs);
        all.map(|number| combination(&self.inputs, &template.inputs, number))
    }

    pub fn requests(&self) -> u32 {
        self.requests
    }

    /// Takes the next template, or makes those of the next dimension.
    fn begin(&mut self) -> Option<()> {
        if self.waiting.is_empty() {
            if self.dimension >= self.settings.max_dimension {
                return None;
            }
            self.extend();
            self.dimension += 1;
        }
        // A dimension without candidates has no successor.
        let inputs = self.waiting.pop()?;
        let count = combinations(&self.inputs, &inputs);
        let early = if inputs.len() == 1 && self.settings.recognises && self.inputs[inputs[0]].is_presentation
        {
            Some(Decision::Presentation)
        } else if count > self.settings.max_combinations {
            Some(Decision::TooLarge)
        } else if self.is_redundant(&inputs) {
            Some(Decision::Redundant)
        } else {
            None
        };
        if let Some(decision) = early {
            self.decided.push(Template {
                inputs,
                decision,
                samples: 0,
                distinct: 0,
            });
            return Some(());
        }
        let place = inputs.iter().fold(0, |bits, input| bits | 1_u64 << input);
        // Inputs are few, so the bits of a template are the low ones.
        let mut random = fastrand::Rng::with_seed(self.seed.rotate_left(32) ^ place);
        let mut sample = random.choose_multiple(0..count as u32, self.settings.max_sample);
        random.shuffle(&mut sample);
        self.trial = Some(Trial {
            sample,
            inputs,
            taken: 0,
            empties: 0,
            signatures: BTreeMap::new(),
            keeps_count: true,
            is_inert: true,
            tests: None,
        });
        Some(())
    }

    /// Makes the templates with one input more than an informative one.
    fn extend(&mut self) {
        let dimension = self.dimension;
        let good: Vec<Vec<usize>> = self
            .informative()
            .filter(|template| template.inputs.len() == dimension)
            .map(|template| template.inputs.clone())
            .collect();
        let is_usable = |input: &usize| {
            // An uninformative input may be informative beside another one. An input that changes
            // nothing is not.
            let has_no_effect = self.decided.iter().any(|template| {
                template.inputs == [*input]
                    && matches!(template.decision, Decision::Presentation | Decision::Inert)
            });
            !self.inputs[*input].values.is_empty() && !has_no_effect
        };
        let usable: Vec<usize> = (0..self.inputs.len()).filter(is_usable).collect();
        let mut candidates: Vec<Vec<usize>> = Vec::new();
        for template in &good {
            for input in usable.iter().filter(|input| !template.contains(input)) {
                let mut larger = template.clone();
                larger.push(*input);
                larger.sort_unstable();
                candidates.push(larger);
            }
        }
        // In falling order, since the next one is taken from the end.
        candidates.sort_unstable_by(|one, other| other.cmp(one));
        candidates.dedup();
        self.waiting = candidates;
    }

    fn is_redundant(&self, inputs: &[usize]) -> bool {
        let has = |input: &usize| inputs.contains(input);
        self.determines.iter().any(|(one, other)| has(one) && has(other))
    }

    /// Takes one sample, or returns the submission that it needs for that.
    fn step(&mut self, trial: &mut Trial) -> Step {
        // Most pairs are empty if one input determines the other, as a city does its country.
        let may_depend = trial.taken >= MIN_BEFORE_TESTS && trial.empties * 3 >= trial.taken * 2;
        if self.settings.recognises
            && trial.inputs.len() == 2
            && (may_depend || trial.tests.is_some())
            && let Some(step) = self.test_dependence(trial)
        {
            return step;
        }
        if let Some(decision) = self.decide(trial) {
            return Step::Decided(decision);
        }
        let Some(number) = trial.sample.get(trial.taken) else {
            return Step::Decided(Decision::Uninformative);
        };
        let submission = combination(&self.inputs, &trial.inputs, *number as usize);
        let Some(answer) = self.answer(&submission) else {
            return Step::Request(submission);
        };
        let (signature, total) = (answer.signature, answer.total);
        trial.empties += usize::from(answer.is_empty);
        trial.keeps_count &= total.is_some() && total == self.known.default_total();
        trial.is_inert &= Some(signature)
            == self
                .known
                .get(&Submission::default())
                .map(|answer| answer.signature);
        *trial.signatures.entry(signature).or_default() += 1;
        trial.taken += 1;
        Step::Sampled
    }

    /// Returns the answer to a submission if it is known or follows from others.
    fn answer(&mut self, submission: &Submission) -> Option<Answer> {
        if let Some(answer) = self.known.get(submission) {
            return Some(answer.clone());
        }
        if !self.settings.infers {
            return None;
        }
        let answer = self.known.infer(submission)?;
        // These are requested although they could be inferred, to verify that inputs restrict one
        // another. `record` compares them.
        if self.audited.len() < AUDITS && !self.audited.contains(submission) {
            self.audited.push(submission.clone());
        }
        if self.audited.contains(submission) {
            return None;
        }
        self.known.add_inferred(submission, answer.clone());
        Some(answer)
    }

    fn decide(&self, trial: &Trial) -> Option<Decision> {
        let with = |wanted: u32| {
            trial
                .signatures
                .values()
                .filter(|count| **count == wanted)
                .count() as u32
        };
        let samples = Samples {
            taken: trial.taken as u32,
            all: trial.sample.len() as u32,
            distinct: trial.signatures.len() as u32,
            once: with(1),
            twice: with(2),
        };
        // As published: the decision is made after the whole sample.
        if self.settings.quantile.is_none() && samples.taken < samples.all {
            return None;
        }
        let is_informative = samples.decide(self.settings.tau, self.settings.quantile)?;
        let is_studied = self.settings.recognises && trial.inputs.len() == 1;
        if is_studied && (trial.keeps_count || trial.is_inert) {
            // Few values may agree by chance; one value of few is informative by its share alone.
            return match samples.taken >= MIN_PRESENTATION.min(samples.all) {
                true if trial.is_inert => Some(Decision::Inert),
                true if is_informative => Some(Decision::Presentation),
                true => Some(Decision::Uninformative),
                false => None,
            };
        }
        Some(match is_informative {
            true => Decision::Informative,
            false => Decision::Uninformative,
        })
    }

    /// Tests if one of two inputs determines the other. Returns `None` if that is settled.
    fn test_dependence(&mut self, trial: &mut Trial) -> Option<Step> {
        if trial.tests.is_none() {
            if let Some(missing) = self.unknown_parent(&trial.inputs) {
                return Some(Step::Request(missing));
            }
            trial.tests = Some(self.dependence_tests(&trial.inputs));
        }
        let tests = trial.tests.clone().unwrap_or_default();
        let first = tests.first()?;
        for test in &tests {
            for (submission, is_with) in [(&test.against, false), (&test.with, true)] {
                let Some(answer) =
                    self.known
                        .get(submission)
                        .cloned()
                        .or_else(|| match self.settings.infers {
                            true => self.known.infer(submission),
                            false => None,
                        })
                else {
                    return Some(Step::Request(submission.clone()));
                };
                let alone = self.known.get(&test.alone).map(|answer| answer.signature);
                let holds = match is_with {
                    true => Some(answer.signature) == alone,
                    false => answer.is_empty,
                };
                if !holds {
                    trial.tests = Some(Vec::new());
                    return None;
                }
            }
        }
        self.determines.push(first.determines);
        Some(Step::Decided(Decision::Redundant))
    }

    /// Orders two inputs by their number of values: the larger may determine the smaller.
    fn child_and_parent(&self, inputs: &[usize]) -> Option<(usize, usize)> {
        let size = |input: usize| self.inputs[input].values.len();
        match size(inputs[0]).cmp(&size(inputs[1])) {
            std::cmp::Ordering::Greater => Some((inputs[0], inputs[1])),
            std::cmp::Ordering::Less => Some((inputs[1], inputs[0])),
            std::cmp::Ordering::Equal => None,
        }
    }

    /// Returns a value of the smaller input whose answer is not known.
    fn unknown_parent(&self, inputs: &[usize]) -> Option<Submission> {
        let (_, parent) = self.child_and_parent(inputs)?;
        let values = self.inputs[parent].values.len();
        let single = |value: usize| Submission {
            inputs: vec![parent],
            values: vec![value],
        };
        let mut missing = (0..values)
            .map(single)
            .filter(|submission| !self.known.has(submission));
        // The answers to all values are needed to find the one that another value implies.
        // Surfacing requests them anyway.
        missing.next().filter(|_| values <= MAX_PARENTS)
    }

    /// Chooses submissions that show if the input with more values determines the other.
    fn dependence_tests(&self, inputs: &[usize]) -> Vec<DependenceTest> {
        let Some((child, parent)) = self.child_and_parent(inputs) else {
            return Vec::new();
        };
        let parents = self.known.values_of(parent);
        let mut tests = Vec::new();
        for (value, answer) in self.known.values_of(child) {
            let shares =
                |other: &Answer| !crate::sets::intersection(&answer.objects, &other.objects).is_empty();
            let owners: Vec<usize> = parents
                .iter()
                .filter(|(_, other)| shares(other))
                .map(|(value, _)| *value)
                .collect();
            // A parent that shows none of the objects, and is not empty.
            let stranger = parents
                .iter()
                .find(|(value, other)| !owners.contains(value) && !other.is_empty);
            let ([owner], Some((stranger, _))) = (&owners[..], stranger) else {
                continue;
            };
            let pair = |parent_value: usize| {
                let mut bound = [(child, value), (parent, parent_value)];
                bound.sort_unstable();
                Submission {
                    inputs: bound.iter().map(|(input, _)| *input).collect(),
                    values: bound.iter().map(|(_, value)| *value).collect(),
                }
            };
            tests.push(DependenceTest {
                alone: Submission {
                    inputs: vec![child],
                    values: vec![value],
                },
                with: pair(*owner),
                against: pair(*stranger),
                determines: (child, parent),
            });
            if tests.len() == DEPENDENCE_TESTS {
                return tests;
            }
        }
        Vec::new()
    }

    fn finish(&mut self, trial: &Trial, decision: Decision) {
        self.decided.push(Template {
            inputs: trial.inputs.clone(),
            decision,
            samples: trial.taken as u32,
            distinct: trial.signatures.len() as u32,
        });
    }
}

enum Step {
    Request(Submission),
    /// A sample was taken from what is known.
    Sampled,
    Decided(Decision),
}
