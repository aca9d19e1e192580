//! Costs that several patterns share, split among them.
//!
//! A split is best when all who bear a part of a cost stand equally well, worth to cost, and nobody who bears
//! nothing stands worse: then no other split leaves less overpaid. One cost at a time that is water filled into
//! vessels: a pattern bears `level * worth - cost` of it, or nothing, and the level is found by sorting.

use super::candidates::{Candidates, Lists};

/// A pattern worth less than this bears as if it were worth that much; the level stays finite.
const LEAST_WORTH: f64 = 1e-9;

/// What every pattern bears of hubs, shared pages and its site.
pub(super) struct Shares {
    own: Vec<f64>,
    /// Who shares each cost, hubs and pages first, then sites.
    sharers: Lists,
    costs: Vec<f64>,
    /// What each of the sharers bears, at the same place.
    parts: Vec<f32>,
    /// For every pattern all it costs, shares included.
    cost: Vec<f64>,
    members: Vec<Member>,
}

/// One who shares, while a cost is split.
#[derive(Clone, Copy, Debug)]
struct Member {
    /// From this level on it bears something.
    level: f64,
    worth: f64,
    cost: f64,
    place: usize,
}

impl Shares {
    /// All costs split evenly.
    pub(super) fn new(candidates: &Candidates) -> Shares {
        let of_page = candidates.page_lists.inverted(candidates.shared_pages);
        let of_hub = candidates.hub_lists.inverted(candidates.hub_costs.len());
        let pages = (0..candidates.shared_pages).map(|page| (1.0, of_page.get(page)));
        let hubs = (0..candidates.hub_costs.len()).map(|hub| (candidates.hub_costs[hub], of_hub.get(hub)));
        let sites =
            (0..candidates.sites()).map(|site| (candidates.overhead[site], candidates.site_lists.get(site)));
        let mut shares = Shares {
            own: candidates.own.clone(),
            sharers: Lists::new(),
            costs: Vec::new(),
            parts: Vec::new(),
            cost: Vec::new(),
            members: Vec::new(),
        };
        for (cost, sharers) in pages.chain(hubs).chain(sites) {
            if cost > 0.0 && !sharers.is_empty() {
                let part = cost / sharers.len() as f64;
                shares
                    .parts
                    .resize(shares.parts.len() + sharers.len(), part as f32);
                shares.sharers.push(sharers.iter().copied());
                shares.costs.push(cost);
            }
        }
        shares.sum_up();
        shares
    }

    /// What a pattern costs with all it bears.
    pub(super) fn cost(&self, pattern: usize) -> f64 {
        self.cost[pattern]
    }

    /// By how much more is borne than there is to bear: rounding.
    pub(super) fn overborne(&self) -> f64 {
        let over = |(item, cost): (usize, &f64)| {
            let borne: f64 = self.parts[self.sharers.range(item)]
                .iter()
                .map(|part| f64::from(*part))
                .sum();
            (borne - cost).max(0.0)
        };
        self.costs.iter().enumerate().map(over).sum()
    }

    /// Splits every cost anew, one after another, for patterns that are worth so much.
    pub(super) fn split(&mut self, worth: &[f64]) {
        for item in 0..self.costs.len() {
            self.split_one(item, worth);
        }
        self.sum_up();
    }

    fn split_one(&mut self, item: usize, worth: &[f64]) {
        let mut members = std::mem::take(&mut self.members);
        members.clear();
        for place in self.sharers.range(item) {
            let pattern = self.sharers.item(place) as usize;
            let cost = (self.cost[pattern] - f64::from(self.parts[place])).max(0.0);
            let worth = worth[pattern].max(LEAST_WORTH);
            members.push(Member {
                level: cost / worth,
                worth,
                cost,
                place,
            });
        }
        members.sort_unstable_by(|one, other| one.level.total_cmp(&other.level));
        let level = level(&members, self.costs[item]);
        for member in &members {
            let part = (level * member.worth - member.cost).max(0.0);
            self.parts[member.place] = part as f32;
            let pattern = self.sharers.item(member.place) as usize;
            self.cost[pattern] = member.cost + part;
        }
        self.members = members;
    }

    /// Adds up what patterns cost, so that rounding does not add up.
    fn sum_up(&mut self) {
        self.cost.clone_from(&self.own);
        for (place, part) in self.parts.iter().enumerate() {
            self.cost[self.sharers.item(place) as usize] += f64::from(*part);
        }
    }
}

/// The level at which all together bear the cost; they are sorted by the level from which on they bear.
fn level(members: &[Member], cost: f64) -> f64 {
    let (mut own, mut worth) = (0.0, 0.0);
    for (place, member) in members.iter().enumerate() {
        own += member.cost;
        worth += member.worth;
        let level = (cost + own) / worth;
        if members.get(place + 1).is_none_or(|next| level <= next.level) {
            return level;
        }
    }
    0.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::select::PatternSpec;

    /// Patterns of one site behind one hub, with so many pages each.
    fn behind_one_hub(cost: f64, pages: &[f64]) -> Candidates {
        let mut builder = Candidates::builder(1);
        let site = builder.site(0.0);
        let hub = builder.hub(cost);
        for own_pages in pages {
            let spec = PatternSpec {
                site,
                own_pages: *own_pages,
                hubs: &[hub],
                ..PatternSpec::default()
            };
            builder.pattern(spec).unwrap();
        }
        builder.build()
    }

    fn split(candidates: &Candidates, worth: &[f64]) -> Vec<f64> {
        let mut shares = Shares::new(candidates);
        shares.split(worth);
        assert!(shares.overborne() < 1e-5);
        (0..worth.len()).map(|pattern| shares.cost(pattern)).collect()
    }

    #[test]
    fn those_who_bear_stand_equally_well_and_no_others_stand_worse() {
        let candidates = behind_one_hub(6.0, &[2.0, 2.0, 9.0]);
        // The first two bear 6 of what they are worth together, 20, and cost 10 then: half of their worth. The
        // third costs more than half of its worth without bearing anything.
        let costs = split(&candidates, &[8.0, 12.0, 10.0]);
        for (cost, expected) in costs.iter().zip([4.0, 6.0, 9.0]) {
            assert!((cost - expected).abs() < 1e-5, "{costs:?}");
        }
    }

    #[test]
    fn what_nobody_is_worth_is_borne_all_the_same() {
        let costs = split(&behind_one_hub(6.0, &[1.0, 1.0]), &[0.0, 0.0]);
        assert!((costs.iter().sum::<f64>() - 8.0).abs() < 1e-5, "{costs:?}");
    }
}
