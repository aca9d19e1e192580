//! Precision, recall and F1 of pairs, and of the blocking before them.

use std::collections::{HashMap, HashSet};
use std::fmt::Display;

use anyhow::{Result, anyhow};
use magpie_matching::{Clustering, MemberId, Settings, cluster};
use magpie_model::Object;
use magpie_model::{Matcher, Merged, Prepared, Verdict};

use crate::figure::{Figure, Report, tell};
use crate::quality::Bench;

/// From this probability on, two objects are taken for one: what clustering uses.
const MATCH: f64 = 0.5;

/// Compared pairs as a share of all, at most.
const BLOCKING_SIZE: f64 = 0.01;

/// Two lists of objects, and the pairs across them that are one.
pub(super) struct Lists {
    pub(super) objects: Vec<Object>,
    pub(super) second: usize,
    pub(super) same: Vec<(usize, usize)>,
}

/// A pair of [`Lists`] that was labelled by hand.
pub(super) struct Label {
    pub(super) pair: (usize, usize),
    pub(super) is_same: bool,
}

/// Pairs that are judged by themselves.
pub(super) struct Asked {
    pub(super) objects: Vec<[Object; 2]>,
    pub(super) is_same: Vec<bool>,
}

#[derive(Default)]
pub(super) struct Pairs {
    right: usize,
    wrong: usize,
    missed: usize,
    /// Pairs that a person may want to look at: wrong ones, with the reason.
    told: Vec<String>,
}

pub(super) struct Outcome {
    clustering: Clustering,
    pairs: Pairs,
    met: usize,
    same: usize,
}

impl Lists {
    /// Clusters all objects with this matcher.
    pub(super) fn measure<M: Matcher>(&self, matcher: M) -> Result<Outcome>
    where
        M::Error: Display,
    {
        let mut matcher = Recorder::new(matcher);
        let clustering =
            cluster(&mut matcher, &self.objects, &Settings::default()).map_err(|error| anyhow!("{error}"))?;
        let found = across(&clustering, self.second);
        let same: HashSet<(usize, usize)> = self.same.iter().copied().collect();
        let mut pairs = Pairs::default();
        for pair in found
            .union(&same)
            .copied()
            .collect::<std::collections::BTreeSet<_>>()
        {
            let compared = matcher.verdict(pair);
            let verdict =
                compared.map_or_else(|| "never compared".to_owned(), |verdict| format!("{verdict:.3}"));
            let told = || format!("{verdict}: {}", self.told(pair));
            pairs.count(same.contains(&pair), found.contains(&pair), told);
        }
        Ok(Outcome {
            met: same
                .iter()
                .filter(|pair| matcher.verdict(**pair).is_some())
                .count(),
            same: same.len(),
            clustering,
            pairs,
        })
    }

    fn told(&self, (one, other): (usize, usize)) -> String {
        format!("{} <> {}", told(&self.objects[one]), told(&self.objects[other]))
    }
}

impl Outcome {
    pub(super) fn report(
        &self,
        bench: &Bench,
        report: &mut Report,
        name: &str,
        target: Option<f64>,
        blocking: Option<f64>,
    ) {
        self.pairs.report(bench, report, name, target);
        let recall = Figure::new(
            format!("{name}: true pairs compared"),
            share(self.met, self.same),
            "share of true pairs",
        );
        report.add(match blocking {
            Some(target) => recall.at_least(target),
            None => recall.more_is_better(),
        });
        let counted = self.clustering.report();
        let size = counted.pairs_compared as f64 / counted.pairs_possible.max(1) as f64;
        report.add(
            Figure::new(format!("{name}: pairs compared"), size, "share of all pairs")
                .at_most(BLOCKING_SIZE)
                .beside("pairs", counted.pairs_compared as f64)
                .beside("objects", counted.records as f64),
        );
    }
}

impl Pairs {
    /// Scores labelled pairs by the clustering.
    pub(super) fn of_clusters(lists: &Lists, outcome: &Outcome, labels: &[Label]) -> Self {
        let mut pairs = Self::default();
        for label in labels {
            let id = |place: usize| outcome.clustering.cluster_of(MemberId(place as u64));
            let together = id(label.pair.0) == id(label.pair.1);
            pairs.count(label.is_same, together, || lists.told(label.pair));
        }
        pairs
    }

    fn count(&mut self, is_same: bool, is_found: bool, told: impl FnOnce() -> String) {
        match (is_same, is_found) {
            (true, true) => self.right += 1,
            (false, false) => {}
            (true, false) => {
                self.missed += 1;
                self.told.push(format!("missed, {}", told()));
            }
            (false, true) => {
                self.wrong += 1;
                self.told.push(format!("wrong, {}", told()));
            }
        }
    }

    fn f1(&self) -> f64 {
        share(2 * self.right, 2 * self.right + self.wrong + self.missed)
    }

    pub(super) fn report(&self, bench: &Bench, report: &mut Report, name: &str, target: Option<f64>) {
        const SHOWN: usize = 60;
        let figure = Figure::new(format!("{name}: pairs"), self.f1(), "F1")
            .beside("precision", share(self.right, self.right + self.wrong))
            .beside("recall", share(self.right, self.right + self.missed))
            .beside("true pairs", (self.right + self.missed) as f64);
        if bench.verbose {
            tell(&format!("--- {name}"));
            let step = (self.told.len() / SHOWN).max(1);
            self.told.iter().step_by(step).for_each(|line| tell(line));
        }
        report.add(match target {
            Some(target) => figure.at_least(target),
            None => figure.more_is_better(),
        });
    }
}

impl Asked {
    pub(super) fn compare<M: Matcher>(&self, mut matcher: M) -> Result<Pairs>
    where
        M::Error: Display,
    {
        let mut pairs = Pairs::default();
        for (objects, is_same) in self.objects.iter().zip(&self.is_same) {
            let prepared = matcher.prepare(objects).map_err(|error| anyhow!("{error}"))?;
            let verdicts = match &prepared[..] {
                [one, other] => matcher.compare(&one.features, &[&other.features]),
                _ => Ok(Vec::new()),
            };
            let verdicts = verdicts.map_err(|error| anyhow!("{error}"))?;
            let probability = verdicts.first().map_or(0.0, |verdict| verdict.probability);
            let told = || format!("{probability:.3}: {} <> {}", told(&objects[0]), told(&objects[1]));
            pairs.count(*is_same, probability >= MATCH, told);
        }
        Ok(pairs)
    }
}

/// The pairs across the lists that are in one cluster.
fn across(clustering: &Clustering, second: usize) -> HashSet<(usize, usize)> {
    let mut found = HashSet::new();
    for cluster in clustering.clusters() {
        let (first, other): (Vec<usize>, Vec<usize>) = cluster
            .members
            .iter()
            .map(|member| member.0 as usize)
            .partition(|place| *place < second);
        found.extend(first.iter().flat_map(|one| other.iter().map(|two| (*one, *two))));
    }
    found
}

fn told(object: &Object) -> String {
    let values = object.fields.iter().map(|field| match &field.value {
        magpie_model::Value::Text(text) => magpie_values::text::shorten(text, 90),
        other => format!("{other:?}"),
    });
    values.collect::<Vec<_>>().join(" | ")
}

fn share(part: usize, whole: usize) -> f64 {
    part as f64 / whole.max(1) as f64
}

/// A matcher that records its questions and answers.
struct Recorder<M> {
    matcher: M,
    features: Vec<Vec<u8>>,
    said: HashMap<Vec<u8>, HashMap<Vec<u8>, f64>>,
}

impl<M: Matcher> Recorder<M> {
    fn new(matcher: M) -> Self {
        Self {
            matcher,
            features: Vec::new(),
            said: HashMap::new(),
        }
    }

    /// Probability given to a pair; `None` if it was never compared.
    fn verdict(&self, (one, other): (usize, usize)) -> Option<f64> {
        let said = |one: usize, other: usize| {
            self.said
                .get(&self.features[one])?
                .get(&self.features[other])
                .copied()
        };
        said(one, other).or_else(|| said(other, one))
    }
}

impl<M: Matcher> Matcher for Recorder<M> {
    type Error = M::Error;

    fn prepare(&mut self, objects: &[Object]) -> Result<Vec<Prepared>, M::Error> {
        let prepared = self.matcher.prepare(objects)?;
        self.features
            .extend(prepared.iter().map(|prepared| prepared.features.clone()));
        Ok(prepared)
    }

    fn compare(&mut self, one: &[u8], many: &[&[u8]]) -> Result<Vec<Verdict>, M::Error> {
        let verdicts = self.matcher.compare(one, many)?;
        let said = self.said.entry(one.to_vec()).or_default();
        said.extend(
            many.iter()
                .zip(&verdicts)
                .map(|(other, verdict)| (other.to_vec(), verdict.probability)),
        );
        Ok(verdicts)
    }

    fn merge(&mut self, objects: &[Object]) -> Result<Merged, M::Error> {
        self.matcher.merge(objects)
    }
}

#[cfg(test)]
mod tests {
    use magpie_matching::SchemaMatcher;

    use super::super::{RESTAURANT, object, schema};
    use super::*;

    #[test]
    fn pairs_are_counted_against_the_gold() {
        let info = schema(&RESTAURANT);
        let restaurant = |name: &str, phone: &str| object(&info, &[("name", name), ("phone", phone)]);
        let lists = Lists {
            objects: vec![
                restaurant("Old Mill", "212-555-0101"),
                restaurant("Corn Exchange", "212-555-0102"),
                restaurant("The Old Mill", "212/555-0101"),
                restaurant("Harbour Grill", "212-555-0103"),
            ],
            second: 2,
            same: vec![(0, 2), (1, 3)],
        };
        let outcome = lists.measure(SchemaMatcher::new(&info)).unwrap();
        let pairs = &outcome.pairs;
        assert_eq!((pairs.right, pairs.wrong, pairs.missed), (1, 0, 1));
        assert_eq!((outcome.met, outcome.same), (1, 2));
        assert!((pairs.f1() - 2.0 / 3.0).abs() < 1e-9);
    }

    #[test]
    fn labelled_pairs_are_compared_by_themselves() {
        let info = schema(&RESTAURANT);
        let restaurant = |name: &str| object(&info, &[("name", name), ("city", "Newbridge")]);
        let asked = Asked {
            objects: vec![
                [restaurant("Old Mill Tavern"), restaurant("old mill tavern")],
                [restaurant("Old Mill Tavern"), restaurant("Harbour Grill")],
            ],
            is_same: vec![true, false],
        };
        let pairs = asked.compare(SchemaMatcher::new(&info)).unwrap();
        assert_eq!((pairs.right, pairs.wrong, pairs.missed), (1, 0, 0));
    }
}
