//! Split of the costs that several patterns share.
//!
//! A split is optimal if all who pay a part of a cost have the same ratio of cost to value, and
//! those who pay nothing have no lower ratio. Then no other split leaves less overpayment. A
//! pattern pays `level * value - cost` of a cost, or nothing, and the level is found by sorting.

use super::candidates::{Candidates, Lists};

/// Minimum value of a pattern, so that levels are finite.
const MIN_VALUE: f64 = 1e-9;

/// The part that every pattern pays of hubs, shared pages, and its site.
pub(super) struct Shares {
    own: Vec<f64>,
    /// Patterns that share each cost: pages, then hubs, then sites.
    sharers: Lists,
    costs: Vec<f64>,
    /// Part of the cost that each sharer pays, at the same index.
    parts: Vec<f32>,
    /// Total cost of each pattern, including its parts.
    cost: Vec<f64>,
    members: Vec<Member>,
}

/// A sharer while a cost is split.
#[derive(Clone, Copy, Debug)]
struct Member {
    /// Level from which on it pays a part.
    level: f64,
    value: f64,
    cost: f64,
    index: usize,
}

impl Shares {
    /// Splits all costs evenly.
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

    /// Returns the cost of a pattern with its parts.
    pub(super) fn cost(&self, pattern: usize) -> f64 {
        self.cost[pattern]
    }

    /// Returns the rounding error by which parts exceed their costs.
    pub(super) fn excess(&self) -> f64 {
        let over = |(item, cost): (usize, &f64)| {
            let paid: f64 = self.parts[self.sharers.range(item)]
                .iter()
                .map(|part| f64::from(*part))
                .sum();
            (paid - cost).max(0.0)
        };
        self.costs.iter().enumerate().map(over).sum()
    }

    /// Splits every cost again, one after another, by the values of patterns.
    pub(super) fn split(&mut self, value: &[f64]) {
        for item in 0..self.costs.len() {
            self.split_one(item, value);
        }
        self.sum_up();
    }

    fn split_one(&mut self, item: usize, value: &[f64]) {
        let mut members = std::mem::take(&mut self.members);
        members.clear();
        for index in self.sharers.range(item) {
            let pattern = self.sharers.item(index) as usize;
            let cost = (self.cost[pattern] - f64::from(self.parts[index])).max(0.0);
            let value = value[pattern].max(MIN_VALUE);
            members.push(Member {
                level: cost / value,
                value,
                cost,
                index,
            });
        }
        members.sort_unstable_by(|one, other| one.level.total_cmp(&other.level));
        // Water filling: all who pay a part have the same ratio of cost to value, and those who pay
        // nothing have no lower one.
        let level = level(&members, self.costs[item]);
        for member in &members {
            let part = (level * member.value - member.cost).max(0.0);
            self.parts[member.index] = part as f32;
            let pattern = self.sharers.item(member.index) as usize;
            self.cost[pattern] = member.cost + part;
        }
        self.members = members;
    }

    /// Recomputes the costs of patterns, so that rounding errors do not accumulate.
    fn sum_up(&mut self) {
        self.cost.clone_from(&self.own);
        for (index, part) in self.parts.iter().enumerate() {
            self.cost[self.sharers.item(index) as usize] += f64::from(*part);
        }
    }
}

/// Returns the level at which the members together pay the cost. They must be sorted by level.
fn level(members: &[Member], cost: f64) -> f64 {
    let (mut own, mut value) = (0.0, 0.0);
    for (index, member) in members.iter().enumerate() {
        own += member.cost;
        value += member.value;
        let level = (cost + own) / value;
        if members.get(index + 1).is_none_or(|next| level <= next.level) {
            return level;
        }
    }
    0.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::select::PatternSpec;

    /// Returns patterns of one site behind one hub, with these page counts.
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

    fn split(candidates: &Candidates, value: &[f64]) -> Vec<f64> {
        let mut shares = Shares::new(candidates);
        shares.split(value);
        assert!(shares.excess() < 1e-5);
        (0..value.len()).map(|pattern| shares.cost(pattern)).collect()
    }

    #[test]
    fn payers_have_equal_ratios_and_others_no_lower_ones() {
        let candidates = behind_one_hub(6.0, &[2.0, 2.0, 9.0]);
        // The first two pay 6. Together they are worth 20 and then cost 10: half of their value.
        // The third costs more than half of its value without paying anything.
        let costs = split(&candidates, &[8.0, 12.0, 10.0]);
        for (cost, expected) in costs.iter().zip([4.0, 6.0, 9.0]) {
            assert!((cost - expected).abs() < 1e-5, "{costs:?}");
        }
    }

    #[test]
    fn costs_of_worthless_patterns_are_split_too() {
        let costs = split(&behind_one_hub(6.0, &[1.0, 1.0]), &[0.0, 0.0]);
        assert!((costs.iter().sum::<f64>() - 8.0).abs() < 1e-5, "{costs:?}");
    }
}
