//! Precision, recall and F1 of pairs across the two lists, and of the blocking before it.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::time::{Duration, Instant};

use magpie_matching::{BadFeatures, MemberId, SchemaMatcher, Settings, cluster};
use magpie_model::Object;
use magpie_model::{Matcher, Merged, Prepared, Verdict};

use super::sets::Set;

pub(crate) struct Figures {
    name: String,
    objects: usize,
    right: usize,
    wrong: usize,
    missed: usize,
    /// Pairs of one object that were compared at all.
    blocked: usize,
    compared: u64,
    possible: u64,
    refused: u64,
    took: Duration,
}

impl Figures {
    pub(crate) fn of(set: &Set) -> Self {
        let start = Instant::now();
        let mut matcher = Recorder::new(&set.info);
        let clustering =
            cluster(&mut matcher, &set.objects, &Settings::default()).expect("own features are good");
        let took = start.elapsed();
        let together = |pair: &(usize, usize)| {
            let id = |place: usize| clustering.cluster_of(MemberId(place as u64));
            id(pair.0) == id(pair.1)
        };
        let same: HashSet<(usize, usize)> = set.same.iter().copied().collect();
        let found: HashSet<(usize, usize)> = match &set.judged {
            Some(judged) => judged.iter().copied().filter(together).collect(),
            None => across(&clustering.clusters(), set.second),
        };
        let right = found.intersection(&same).count();
        if std::env::var_os("SHOW").is_some() {
            for (kind, pairs) in [
                ("wrong", found.difference(&same)),
                ("missed", same.difference(&found)),
            ] {
                for (one, two) in pairs.take(40) {
                    show(kind, set, &mut matcher, *one, *two);
                }
            }
        }
        let report = clustering.report();
        Self {
            name: set.name.clone(),
            objects: set.objects.len(),
            right,
            wrong: found.len() - right,
            missed: same.len() - right,
            blocked: same.iter().filter(|pair| matcher.met(**pair)).count(),
            compared: report.pairs_compared,
            possible: report.pairs_possible,
            refused: report.rejected_by_guard,
            took,
        }
    }

    pub(crate) fn f1(&self) -> f64 {
        2.0 * self.right as f64 / (2 * self.right + self.wrong + self.missed).max(1) as f64
    }
}

impl fmt::Display for Figures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let share = |part: usize, whole: usize| part as f64 / whole.max(1) as f64;
        let same = self.right + self.missed;
        write!(
            f,
            "{}: {} objects; precision {:.3}, recall {:.3}, F1 {:.3}; blocking: recall {:.3}, {} pairs, {:.3} % of all; \
             {} links refused by the guard; {:.1} s",
            self.name,
            self.objects,
            share(self.right, self.right + self.wrong),
            share(self.right, same),
            self.f1(),
            share(self.blocked, same),
            self.compared,
            100.0 * self.compared as f64 / self.possible.max(1) as f64,
            self.refused,
            self.took.as_secs_f64(),
        )
    }
}

fn show(kind: &str, set: &Set, matcher: &mut Recorder, one: usize, two: usize) {
    let text = |place: usize| {
        let fields = set.objects[place]
            .fields
            .iter()
            .map(|field| format!("{:?}", field.value));
        fields
            .map(|text| text.chars().take(80).collect::<String>())
            .collect::<Vec<_>>()
            .join(" | ")
    };
    let (left, right) = (matcher.features[one].clone(), matcher.features[two].clone());
    let verdict = matcher
        .matcher
        .compare(&left, &[&right])
        .expect("own features are good");
    let met = matcher.met((one, two));
    println!(
        "{kind} met={met} {:?}\n    {}\n    {}",
        verdict[0],
        text(one),
        text(two)
    );
}

/// The pairs across the lists that are in one cluster.
fn across(clusters: &[magpie_matching::Cluster], second: usize) -> HashSet<(usize, usize)> {
    let mut found = HashSet::new();
    for cluster in clusters {
        let places: Vec<usize> = cluster.members.iter().map(|member| member.0 as usize).collect();
        for one in places.iter().filter(|place| **place < second) {
            found.extend(
                places
                    .iter()
                    .filter(|place| **place >= second)
                    .map(|two| (*one, *two)),
            );
        }
    }
    found
}

/// The schema's matcher, with a note of what it was asked.
struct Recorder {
    matcher: SchemaMatcher,
    features: Vec<Vec<u8>>,
    asked: HashMap<Vec<u8>, HashSet<Vec<u8>>>,
}

impl Recorder {
    fn new(info: &magpie_model::VerticalInfo) -> Self {
        Self {
            matcher: SchemaMatcher::new(info),
            features: Vec::new(),
            asked: HashMap::new(),
        }
    }

    fn met(&self, (one, two): (usize, usize)) -> bool {
        let asked = |one: usize, two: usize| {
            self.asked
                .get(&self.features[one])
                .is_some_and(|many| many.contains(&self.features[two]))
        };
        asked(one, two) || asked(two, one)
    }
}

impl Matcher for Recorder {
    type Error = BadFeatures;

    fn prepare(&mut self, objects: &[Object]) -> Result<Vec<Prepared>, BadFeatures> {
        let prepared = self.matcher.prepare(objects)?;
        self.features
            .extend(prepared.iter().map(|prepared| prepared.features.clone()));
        Ok(prepared)
    }

    fn compare(&mut self, one: &[u8], many: &[&[u8]]) -> Result<Vec<Verdict>, BadFeatures> {
        self.asked
            .entry(one.to_vec())
            .or_default()
            .extend(many.iter().map(|other| other.to_vec()));
        self.matcher.compare(one, many)
    }

    fn merge(&mut self, objects: &[Object]) -> Result<Merged, BadFeatures> {
        self.matcher.merge(objects)
    }
}
