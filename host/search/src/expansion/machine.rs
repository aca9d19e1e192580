//! The two phases, one query at a time.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use super::gain::{self, Gains};
use super::pool::{Chosen, Pool};
use super::{ExpansionSettings, HitSite, Ranked, Subject, Taken, Votes};

/// The way from a few objects to the sites with such objects.
///
/// A state machine: [`Expansion::step`] returns the next step, and the caller reports its result.
/// It can be serialised at any time and resumed; an unanswered query is then repeated.
///
/// **First phase.** The seeds are searched in their order. Then [`Step::Crawl`] names the leading
/// sites; the objects found on them go to [`Expansion::extend`], at once or in parts.
///
/// **Second phase.** Of all queries for these objects, the one with the highest expected number of
/// new sites is next. The votes of both phases are counted together.
///
/// **The end.** The second phase ends when the probability is small that the next query brings
/// another site among the wanted ones: `(k + ½) / (w + 1)` where `k` of the last `w` queries did,
/// `w` being [`ExpansionSettings::window`]. With the usual 30 and 5 % this is the case when at most
/// one of thirty did. Since the best query comes first, the remaining ones are worse than the last
/// ones, and the estimate is rather too high. But thirty queries are a small sample, and a
/// probability of 10 % looks like this now and then. The phase also ends without queries, after a
/// maximum number, and after several failures in a row.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Expansion {
    settings: ExpansionSettings,
    phase: Phase,
    votes: Votes,
    pool: Pool,
    gains: Gains,
    /// The results of the last queries, as many as the window has.
    recent: VecDeque<Taken>,
    pending: Option<Chosen>,
    /// Number of queries before the pending one.
    number: u32,
    /// Number of them in the second phase.
    more: u32,
    failures: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum Phase {
    /// The seeds are asked for.
    Seeds,
    /// More objects may come.
    Waiting,
    /// These are asked for.
    More,
    Done(Reason),
}

#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    /// Ask this, then report the result with [`Expansion::take`] or [`Expansion::failed`].
    Ask(Ask),
    /// Look for further objects on these sites and hand them to [`Expansion::extend`].
    Crawl(Vec<Ranked>),
    /// Nothing: [`Expansion::best`] has the sites.
    Done(Reason),
}

#[derive(Clone, Debug, PartialEq)]
pub struct Ask {
    /// Number of the query, from 0; the same until it is answered.
    pub number: u32,
    pub text: String,
    /// Its purpose, as the plugin names it.
    pub purpose: String,
    /// Expected number of new sites.
    pub promise: f64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reason {
    /// The next query would hardly bring another site among the wanted ones.
    Settled,
    Exhausted,
    /// As many were asked as may be.
    Budget,
    /// The seeds led to no site.
    NoSites,
    /// The engine failed again and again.
    Failing,
}

impl Reason {
    pub fn sentence(self) -> &'static str {
        match self {
            Reason::Settled => "further queries would hardly find another wanted site",
            Reason::Exhausted => "every query was sent",
            Reason::Budget => "the maximum number of queries was sent",
            Reason::NoSites => "the seeds led to no site; try other seeds or another search engine",
            Reason::Failing => "the search engine failed too often in a row",
        }
    }
}

impl Expansion {
    pub fn new(settings: ExpansionSettings, seeds: impl IntoIterator<Item = Subject>) -> Self {
        let mut pool = Pool::default();
        pool.add(seeds);
        Self {
            settings,
            phase: Phase::Seeds,
            votes: Votes::default(),
            pool,
            gains: Gains::default(),
            recent: VecDeque::new(),
            pending: None,
            number: 0,
            more: 0,
            failures: 0,
        }
    }

    /// Returns the next step; the same until its result is reported.
    pub fn step(&mut self) -> Step {
        // The pending query stays until its result is reported, so that a resumed run repeats it.
        if self.pending.is_none() {
            self.advance();
        }
        match (&self.pending, self.phase) {
            (Some(chosen), _) => Step::Ask(self.ask(chosen)),
            (None, Phase::Done(reason)) => Step::Done(reason),
            (None, _) => Step::Crawl(self.votes.best(self.settings.seed_sites)),
        }
    }

    /// Takes the hits of a query, the best first. `site` returns the site of a hit, or `None` for
    /// unwanted sites. Returns false and does nothing if the query is not the pending one, so that
    /// a repeated answer is counted once.
    pub fn take<Hit, Site: Into<HitSite>>(
        &mut self,
        number: u32,
        hits: impl IntoIterator<Item = Hit>,
        site: impl Fn(&Hit) -> Option<Site>,
    ) -> bool {
        let Some(chosen) = self.answered(number) else {
            return false;
        };
        // Before this query is counted: its result is compared with what queries brought until now.
        let usual = self.usual();
        let taken = self.votes.take(hits, site, self.settings.sites);
        self.gains.note(&chosen.facets, taken.new, usual);
        self.recent.push_back(taken);
        while self.recent.len() > self.settings.window.max(1) as usize {
            self.recent.pop_front();
        }
        self.failures = 0;
        if taken.hits < self.settings.thin {
            self.pool.put_back(chosen);
        }
        true
    }

    /// Reports that a query has no answer. It is not repeated, but other queries of its object may
    /// be asked.
    pub fn failed(&mut self, number: u32) -> bool {
        let Some(chosen) = self.answered(number) else {
            return false;
        };
        self.pool.put_back(chosen);
        self.failures += 1;
        if self.failures >= self.settings.failures.max(1) {
            self.phase = Phase::Done(Reason::Failing);
        }
        true
    }

    /// Adds objects from the sites of [`Step::Crawl`], or none if there are none. More may follow,
    /// also after every query was sent. Returns false before the first phase is over, and after
    /// any other end.
    pub fn extend(&mut self, found: impl IntoIterator<Item = Subject>) -> bool {
        let takes = matches!(
            self.phase,
            Phase::Waiting | Phase::More | Phase::Done(Reason::Exhausted)
        );
        if takes {
            self.phase = Phase::More;
            self.pool.add(found);
        }
        takes
    }

    /// The leading sites of all queries so far.
    pub fn best(&self, count: usize) -> Vec<Ranked> {
        self.votes.best(count)
    }

    pub fn votes(&self) -> &Votes {
        &self.votes
    }

    /// Number of queries in both phases, including failed ones.
    pub fn asked(&self) -> u32 {
        self.number
    }

    /// Estimated probability that the next query brings another site among the wanted ones. `None`
    /// before there were enough queries.
    pub fn chance(&self) -> Option<f64> {
        let window = self.settings.window.max(1) as usize;
        // An estimate from fewer queries would end the phase by chance.
        if self.recent.len() < window {
            return None;
        }
        let brought = self.recent.iter().filter(|taken| taken.entered > 0).count();
        Some((brought as f64 + 0.5) / (window as f64 + 1.0))
    }

    fn advance(&mut self) {
        if self.phase == Phase::Seeds {
            self.pending = if self.number < self.settings.seed_queries {
                self.pool.first()
            } else {
                None
            };
            if self.pending.is_none() {
                // Seeds that are left had their turn, and are not what the second phase is about.
                self.pool.clear();
                self.phase = if self.votes.is_empty() {
                    Phase::Done(Reason::NoSites)
                } else {
                    Phase::Waiting
                };
            }
        }
        if self.phase == Phase::More {
            match self.end() {
                Some(reason) => self.phase = Phase::Done(reason),
                None => self.choose(),
            }
        }
    }

    /// Returns the reason to end the second phase, if there is one.
    fn end(&self) -> Option<Reason> {
        if self.more >= self.settings.more_queries {
            return Some(Reason::Budget);
        }
        let is_settled = self.chance().is_some_and(|chance| chance < self.settings.chance);
        is_settled.then_some(Reason::Settled)
    }

    fn choose(&mut self) {
        let (gains, usual) = (&self.gains, self.usual());
        self.pending = self.pool.best(|facets| gains.promise(facets, usual));
        if self.pending.is_none() {
            self.phase = Phase::Done(Reason::Exhausted);
        }
    }

    fn answered(&mut self, number: u32) -> Option<Chosen> {
        if number != self.number {
            return None;
        }
        let chosen = self.pending.take()?;
        self.number += 1;
        self.more += u32::from(self.phase == Phase::More);
        Some(chosen)
    }

    fn ask(&self, chosen: &Chosen) -> Ask {
        Ask {
            number: self.number,
            text: chosen.query.text.clone(),
            purpose: chosen.query.purpose.clone(),
            promise: self.gains.promise(&chosen.facets, self.usual()),
        }
    }

    fn usual(&self) -> u64 {
        gain::usual(self.recent.iter().map(|taken| taken.new))
    }
}
