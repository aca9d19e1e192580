//! Costs that several patterns share, split among them.

use super::candidates::{Candidates, Lists};

/// How much of the old split is kept in a round. With less the split swings: who bears more offers less, and bears
/// less the next time.
const KEPT: f32 = 0.85;

/// Everyone bears a little: the least offer that a split knows.
const LEAST: f32 = 1e-6;

/// What every pattern bears of hubs, shared pages and its site.
pub(super) struct Shares<'a> {
    candidates: &'a Candidates,
    /// For every pair of the hub lists, what this pattern bears of this hub.
    of_hub: Vec<f32>,
    of_page: Vec<f32>,
    /// For every pattern what it bears of its site.
    of_site: Vec<f32>,
    /// For every pattern all it costs, shares included.
    cost: Vec<f32>,
}

impl<'a> Shares<'a> {
    /// All costs split evenly.
    pub(super) fn new(candidates: &'a Candidates) -> Shares<'a> {
        let mut shares = Shares {
            of_hub: vec![0.0; candidates.hub_lists.total()],
            of_page: vec![0.0; candidates.page_lists.total()],
            of_site: vec![0.0; candidates.patterns()],
            cost: vec![0.0; candidates.patterns()],
            candidates,
        };
        shares.split(&vec![1.0; candidates.patterns()], 0.0);
        shares
    }

    /// What a pattern costs with all it bears.
    pub(super) fn cost(&self, pattern: usize) -> f32 {
        self.cost[pattern]
    }

    /// The same without what it bears of its site, which is looked at for the site as a whole.
    pub(super) fn cost_without_site(&self, pattern: usize) -> f64 {
        let sum = |lists: &Lists, parts: &[f32]| -> f64 {
            lists.range(pattern).map(|place| f64::from(parts[place])).sum()
        };
        self.candidates.own[pattern]
            + sum(&self.candidates.hub_lists, &self.of_hub)
            + sum(&self.candidates.page_lists, &self.of_page)
    }

    /// By how much more is borne than there is to bear; rounding, as long as every split is a split.
    pub(super) fn overborne(&self) -> f64 {
        let over = |lists: &Lists, parts: &[f32], cost: &dyn Fn(usize) -> f64, count: usize| -> f64 {
            let mut borne = vec![0.0_f64; count];
            for (place, part) in parts.iter().enumerate() {
                borne[lists.item(place) as usize] += f64::from(*part);
            }
            borne
                .iter()
                .enumerate()
                .map(|(item, borne)| (borne - cost(item)).max(0.0))
                .sum()
        };
        let candidates = self.candidates;
        over(
            &candidates.hub_lists,
            &self.of_hub,
            &|hub| candidates.hub_costs[hub],
            candidates.hub_costs.len(),
        ) + over(
            &candidates.page_lists,
            &self.of_page,
            &|_| 1.0,
            candidates.shared_pages,
        )
    }

    /// Those who offer themselves more bear more.
    pub(super) fn rebalance(&mut self, offers: &[f32]) {
        self.split(offers, KEPT);
    }

    fn split(&mut self, offers: &[f32], kept: f32) {
        let candidates = self.candidates;
        let hub = |hub: usize| candidates.hub_costs[hub] as f32;
        split(
            &candidates.hub_lists,
            &mut self.of_hub,
            hub,
            candidates.hub_costs.len(),
            offers,
            kept,
        );
        split(
            &candidates.page_lists,
            &mut self.of_page,
            |_| 1.0,
            candidates.shared_pages,
            offers,
            kept,
        );
        for site in 0..candidates.sites() {
            let patterns = candidates.site_lists.get(site);
            let sum: f32 = patterns
                .iter()
                .map(|pattern| weight(offers, *pattern as usize))
                .sum();
            for pattern in patterns {
                let share = candidates.overhead[site] as f32 * weight(offers, *pattern as usize) / sum;
                let of_site = &mut self.of_site[*pattern as usize];
                *of_site = kept * *of_site + (1.0 - kept) * share;
            }
        }
        for pattern in 0..self.cost.len() {
            self.cost[pattern] = self.cost_without_site(pattern) as f32 + self.of_site[pattern];
        }
    }
}

/// What counts of an offer: more than whole is no more.
fn weight(offers: &[f32], pattern: usize) -> f32 {
    offers[pattern].clamp(LEAST, 1.0)
}

fn split(
    lists: &Lists,
    parts: &mut [f32],
    cost: impl Fn(usize) -> f32,
    count: usize,
    offers: &[f32],
    kept: f32,
) {
    if parts.is_empty() {
        return;
    }
    let mut sums = vec![0.0_f32; count];
    for pattern in 0..offers.len() {
        for item in lists.get(pattern) {
            sums[*item as usize] += weight(offers, pattern);
        }
    }
    for pattern in 0..offers.len() {
        for place in lists.range(pattern) {
            let item = lists.item(place) as usize;
            let share = cost(item) * weight(offers, pattern) / sums[item];
            parts[place] = kept * parts[place] + (1.0 - kept) * share;
        }
    }
}
