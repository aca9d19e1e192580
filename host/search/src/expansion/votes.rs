//! Sites by the number of queries that led to them.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Maximum number of hits per query. Engines give ten to a hundred.
pub const MAX_HITS: usize = 1000;

/// Sites by the number of queries that led to them. The order of the queries makes no difference.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Votes {
    queries: u32,
    sites: BTreeMap<String, Tally>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Tally {
    votes: u32,
    best_rank: u32,
    /// The origins of its pages, by the number of queries whose best hit had that origin.
    #[serde(default)]
    origins: BTreeMap<String, u32>,
}

impl Tally {
    /// Returns the origin that most queries led to; of equals the last by name, so that `https` is
    /// preferred to `http`.
    fn origin(&self) -> Option<&str> {
        let most = self.origins.iter().max_by_key(|(_, votes)| **votes);
        most.map(|(origin, _)| origin.as_str())
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HitSite {
    /// The site's key, which is what gets the vote.
    pub key: String,
    /// The origin of the page, by which the site can be reached: `https://www.example.org`.
    pub origin: String,
}

impl From<String> for HitSite {
    /// A site whose key is its only name.
    fn from(key: String) -> Self {
        Self {
            origin: key.clone(),
            key,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ranked {
    pub site: String,
    /// The origin of its pages to which most queries led.
    pub origin: String,
    /// Number of queries that led to it.
    pub votes: u32,
    /// Its best place among the hits of a query, from 1.
    pub best_rank: u32,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Taken {
    pub hits: u32,
    /// Number of their sites.
    pub sites: u32,
    /// Number of new sites among them.
    pub new: u32,
    /// Number of sites that joined the leading ones; see [`Votes::take`].
    pub entered: u32,
}

/// More votes first, then the better place, then the name.
type Standing<'a> = (u32, u32, &'a str);

impl Votes {
    /// Counts the hits of one query, the best first. Each site gets one vote, regardless of the
    /// number of its hits. A hit without a site gets none, but keeps its rank.
    ///
    /// [`Taken::entered`] counts the sites that joined the `leading` ones by votes: new sites while
    /// fewer are known; afterwards sites that now have more votes than the last of the leading had.
    /// A site that would only replace another with equal votes, by rank or name, is no better than
    /// that one.
    pub fn take<Hit, Site: Into<HitSite>>(
        &mut self,
        hits: impl IntoIterator<Item = Hit>,
        site: impl Fn(&Hit) -> Option<Site>,
        leading: usize,
    ) -> Taken {
        let mut taken = Taken::default();
        let mut best: BTreeMap<String, (u32, String)> = BTreeMap::new();
        for (rank, hit) in (1..).zip(hits.into_iter().take(MAX_HITS)) {
            taken.hits += 1;
            if let Some(site) = site(&hit) {
                let HitSite { key, origin } = site.into();
                // The first hit of a site is its best one.
                best.entry(key).or_insert((rank, origin));
            }
        }
        taken.sites = best.len() as u32;
        // The standing before this query, copied because the sites change below.
        let owned = |(votes, rank, site): Standing<'_>| (votes, rank, site.to_owned());
        let last = self.last_of(leading).map(owned);
        self.queries += 1;
        let mut risen = Vec::new();
        for (site, (rank, origin)) in best {
            let tally = self.sites.entry(site.clone()).or_insert(Tally {
                votes: 0,
                best_rank: rank,
                origins: BTreeMap::new(),
            });
            taken.new += u32::from(tally.votes == 0);
            if rises(&site, tally, last.as_ref()) {
                risen.push(site);
            }
            tally.votes += 1;
            tally.best_rank = tally.best_rank.min(rank);
            *tally.origins.entry(origin).or_default() += 1;
        }
        // A site that rose is counted only if it also leads after all votes of the query: several
        // may rise past one place.
        taken.entered = self.leading_of(&risen, leading);
        taken
    }

    pub fn queries(&self) -> u32 {
        self.queries
    }

    pub fn len(&self) -> usize {
        self.sites.len()
    }

    /// Returns true if no site is known.
    pub fn is_empty(&self) -> bool {
        self.sites.is_empty()
    }

    /// Returns the leading sites: those with the most votes; among equals those with the better
    /// rank, then by name.
    pub fn best(&self, count: usize) -> Vec<Ranked> {
        let mut standings = self.standings();
        standings.sort_unstable_by(compare);
        let ranked = |(votes, best_rank, site): Standing<'_>| Ranked {
            site: site.to_owned(),
            origin: self
                .sites
                .get(site)
                .and_then(Tally::origin)
                .unwrap_or(site)
                .to_owned(),
            votes,
            best_rank,
        };
        standings.into_iter().take(count).map(ranked).collect()
    }

    /// The last of the `count` leading sites; `None` if there are fewer.
    fn last_of(&self, count: usize) -> Option<Standing<'_>> {
        if count == 0 || self.sites.len() < count {
            return None;
        }
        let mut standings = self.standings();
        // A selection in linear time instead of a sort, because it is done for every query.
        let (_, last, _) = standings.select_nth_unstable_by(count - 1, compare);
        Some(*last)
    }

    /// Returns the number of these sites among the leading ones.
    fn leading_of(&self, sites: &[String], leading: usize) -> u32 {
        if sites.is_empty() || leading == 0 {
            return 0;
        }
        let last = self.last_of(leading);
        let leads = |site: &&String| match (self.sites.get(*site), &last) {
            (Some(tally), Some(last)) => {
                compare(&(tally.votes, tally.best_rank, site), last) != Ordering::Greater
            }
            (known, None) => known.is_some(),
            (None, _) => false,
        };
        sites.iter().filter(leads).count() as u32
    }

    fn standings(&self) -> Vec<Standing<'_>> {
        let standing = |(site, tally): (_, &Tally)| (tally.votes, tally.best_rank, site);
        self.sites
            .iter()
            .map(|(site, tally)| (site.as_str(), tally))
            .map(standing)
            .collect()
    }
}

fn compare(one: &Standing<'_>, other: &Standing<'_>) -> Ordering {
    let key = |standing: &Standing<'_>| (std::cmp::Reverse(standing.0), standing.1);
    key(one).cmp(&key(other)).then_with(|| one.2.cmp(other.2))
}

/// Returns true if a site that was not among the leading ones has more votes than their last had,
/// with one more.
fn rises(site: &str, before: &Tally, last: Option<&(u32, u32, String)>) -> bool {
    let Some((votes, rank, name)) = last else {
        return before.votes == 0;
    };
    let standing = (before.votes, before.best_rank, site);
    let leads = before.votes > 0 && compare(&standing, &(*votes, *rank, name)) != Ordering::Greater;
    !leads && before.votes + 1 > *votes
}
