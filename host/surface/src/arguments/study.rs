//! Classification of arguments by a few probes each.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::Kind;
use super::effect::{Effect, effect};
use super::prevalence::{Prevalence, THETA};
use super::segments::{segments, with_segment};
use crate::outcome::Outcome;

/// Maximum number of probes for one argument.
pub const MAX_PROBES: usize = 3;

/// Maximum number of values of an argument that are kept for probes.
const MAX_EXAMPLES: usize = 12;

/// Maximum number of result pages that serve as plain pages.
const MAX_BASES: usize = 100;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// Prevalence above a threshold is irrelevant.
    Published,
    /// Prevalence orders the probes, their effect decides.
    ByEffect,
}

/// A request that shows the effect of an argument.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Probe {
    pub argument: String,
    /// Its value in the request.
    pub value: String,
    pub url: String,
    /// Index of the plain page.
    base: usize,
}

/// A result page that was fetched anyway.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Base {
    url: String,
    outcome: Outcome,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Evidence {
    /// Values with the indices of the plain pages that embed them.
    examples: Vec<(usize, String)>,
    probes: Vec<(Probe, Effect)>,
}

/// The study of the arguments of a site.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ArgumentStudy {
    method: Method,
    keyword: String,
    prevalence: Prevalence,
    bases: Vec<Base>,
    arguments: BTreeMap<String, Evidence>,
}

impl ArgumentStudy {
    /// Creates a study. `keyword` is the argument that holds the query.
    pub fn new(method: Method, keyword: &str) -> ArgumentStudy {
        ArgumentStudy {
            method,
            keyword: keyword.to_owned(),
            prevalence: Prevalence::default(),
            bases: Vec::new(),
            arguments: BTreeMap::new(),
        }
    }

    /// Adds a result page of a plain query: its URL, outcome, and the result URLs that it embeds.
    pub fn add_page(&mut self, url: &str, outcome: &Outcome, embedded: &[&str]) {
        self.prevalence.add_page(embedded.iter().copied());
        if self.bases.len() >= MAX_BASES || outcome.objects.is_empty() {
            return;
        }
        let own = segments(url);
        let base = self.bases.len();
        self.bases.push(Base {
            url: url.to_owned(),
            outcome: outcome.clone(),
        });
        for segment in embedded.iter().flat_map(|url| segments(url)) {
            // A segment of the page itself, or without a value, shows no effect.
            if segment.name == self.keyword || segment.value.is_empty() || own.contains(&segment) {
                continue;
            }
            // The limit of prevalence left the argument out, and bounds the arguments that are
            // studied as well.
            if self.prevalence.of(&segment.name) == 0.0 {
                continue;
            }
            let evidence = self.arguments.entry(segment.name).or_default();
            let of_base = evidence
                .examples
                .iter()
                .filter(|(other, _)| *other == base)
                .count();
            let example = (base, segment.value);
            if evidence.examples.len() < MAX_EXAMPLES && of_base < 3 && !evidence.examples.contains(&example)
            {
                evidence.examples.push(example);
            }
        }
    }

    pub fn prevalence(&self) -> &Prevalence {
        &self.prevalence
    }

    /// Returns the next request, or `None` if all arguments are decided.
    pub fn next_probe(&self) -> Option<Probe> {
        if self.method == Method::Published {
            return None;
        }
        // The most prevalent arguments are on most URLs: their kinds save most requests.
        let mut order: Vec<(&String, &Evidence)> = self.arguments.iter().collect();
        order.sort_by(|one, other| {
            let prevalence = |name: &str| self.prevalence.of(name);
            prevalence(other.0).total_cmp(&prevalence(one.0))
        });
        order
            .into_iter()
            .find_map(|(name, evidence)| self.probe_of(name, evidence))
    }

    pub fn record(&mut self, probe: &Probe, outcome: &Outcome) {
        let Some(base) = self.bases.get(probe.base) else {
            return;
        };
        let effect = effect(&base.outcome, outcome);
        if let Some(evidence) = self.arguments.get_mut(&probe.argument)
            && evidence.probes.len() < MAX_PROBES
        {
            evidence.probes.push((probe.clone(), effect));
        }
    }

    pub fn kinds(&self) -> BTreeMap<String, Kind> {
        let kind = |name: &str| {
            if name == self.keyword {
                return Kind::Query;
            }
            match self.method {
                Method::Published if self.prevalence.of(name) > THETA => Kind::Irrelevant,
                Method::Published => Kind::Selection,
                Method::ByEffect => self
                    .arguments
                    .get(name)
                    .map_or(Kind::Selection, |evidence| self.kind(evidence)),
            }
        };
        let names = self.prevalence.names().map(|name| (name.to_owned(), kind(name)));
        names.chain([(self.keyword.clone(), Kind::Query)]).collect()
    }

    /// Returns the number of requests for an argument so far.
    pub fn probes_of(&self, argument: &str) -> usize {
        self.arguments
            .get(argument)
            .map_or(0, |evidence| evidence.probes.len())
    }

    fn probe_of(&self, name: &str, evidence: &Evidence) -> Option<Probe> {
        if evidence.probes.len() >= MAX_PROBES || self.is_settled(evidence) {
            return None;
        }
        let had = |size: bool| {
            evidence
                .probes
                .iter()
                .filter(|(probe, _)| self.is_whole(probe.base) == size)
                .count()
        };
        let is_new = |(base, value): &&(usize, String)| {
            !evidence
                .probes
                .iter()
                .any(|(probe, _)| probe.base == *base && probe.value == *value)
        };
        // Pages with all results show a selection surely, pages with more results show paging. Both
        // are tried, and each time another value.
        let rank = |(base, value): &&(usize, String)| {
            let is_whole = self.is_whole(*base);
            let used = evidence
                .probes
                .iter()
                .filter(|(probe, _)| probe.value == *value)
                .count();
            let shown = self.bases[*base].outcome.objects.len();
            (had(is_whole), used, !is_whole, usize::MAX - shown)
        };
        let (base, value) = evidence.examples.iter().filter(is_new).min_by_key(rank)?;
        Some(Probe {
            argument: name.to_owned(),
            value: value.clone(),
            url: with_segment(&self.bases[*base].url, name, Some(value)),
            base: *base,
        })
    }

    fn is_whole(&self, base: usize) -> bool {
        self.bases
            .get(base)
            .is_some_and(|base| base.outcome.is_complete())
    }

    fn is_settled(&self, evidence: &Evidence) -> bool {
        let decides = |effect: &Effect| matches!(effect, Effect::Narrowed | Effect::Widened | Effect::Turned);
        evidence.probes.iter().any(|(_, effect)| decides(effect))
    }

    fn kind(&self, evidence: &Evidence) -> Kind {
        let effects = || evidence.probes.iter().map(|(_, effect)| *effect);
        let has = |wanted: Effect| effects().any(|effect| effect == wanted);
        if has(Effect::Narrowed) || has(Effect::Widened) {
            return Kind::Selection;
        }
        if has(Effect::Turned) {
            return Kind::Paging;
        }
        let is_doubtful = has(Effect::Exchanged) || has(Effect::Emptied);
        let is_numeric = |value: &String| value.bytes().all(|byte| byte.is_ascii_digit());
        let values = || evidence.examples.iter();
        if is_doubtful {
            // Links to further pages are numbered, and pages with all results have none.
            let is_paging = values().all(|(base, value)| is_numeric(value) && !self.is_whole(*base));
            return match is_paging && has(Effect::Exchanged) {
                true => Kind::Paging,
                false => Kind::Selection,
            };
        }
        // One probe without an effect may have met a value that all results have.
        let same = effects().count();
        let enough = 2.min(values().count());
        if same < enough || same == 0 {
            return Kind::Selection;
        }
        match has(Effect::Rearranged) {
            true => Kind::Presentation,
            false => Kind::Irrelevant,
        }
    }
}
