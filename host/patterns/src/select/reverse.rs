//! Reverse delete: removal of patterns that later choices made redundant.

use std::collections::{BinaryHeap, HashMap};

use super::bound::Target;
use super::candidates::Candidates;
use super::covered::Covered;
use super::greedy::ROUNDING;
use super::groups::Groups;

/// Removes patterns that the goal does not need, those with the highest cost per exclusive object
/// first. Patterns behind a shared cost are considered one by one and all together.
pub(super) fn remove_redundant(
    candidates: &Candidates,
    sources: u32,
    chosen: &[usize],
    target: Target,
) -> Vec<usize> {
    let mut chosen = chosen.to_vec();
    let mut seen = vec![false; candidates.patterns()];
    chosen.retain(|pattern| !std::mem::replace(&mut seen[*pattern], true));
    let mut set = ChosenSet::new(candidates, sources, &chosen);
    let groups = candidates.patterns()..candidates.patterns() + set.groups.len();
    let items = chosen.iter().copied().chain(groups);
    let mut queue: BinaryHeap<Rated> = items.filter_map(|item| set.rate_item(item)).collect();
    while let Some(rated) = queue.pop() {
        let Some(now) = set.rate_item(rated.item) else {
            continue;
        };
        let is_needed = match target {
            // Remains true as others are removed.
            Target::Covered(target) => set.covered - now.loss < target - ROUNDING,
            Target::Paid(budget) => set.cost <= budget + ROUNDING && now.loss > ROUNDING,
        };
        if is_needed {
            continue;
        }
        // The exclusive objects of a pattern grow as others are removed, so its rate only falls.
        // With shared costs it may rise, and the pattern is then considered later than it could be.
        if now < rated && queue.peek().is_some_and(|next| now < *next) {
            queue.push(now);
        } else {
            set.drop(rated.item);
        }
    }
    chosen.retain(|pattern| set.chosen[*pattern]);
    chosen
}

/// Returns the patterns without which the others would not reach the target.
pub(super) fn indispensable(
    candidates: &Candidates,
    sources: u32,
    patterns: &[usize],
    target: f64,
) -> Vec<usize> {
    let set = ChosenSet::new(candidates, sources, patterns);
    let is_needed = |pattern: &usize| {
        let loss = set.loss(*pattern);
        loss.is_finite() && set.covered - loss < target - ROUNDING
    };
    patterns.iter().copied().filter(is_needed).collect()
}

/// A pattern or a group with its saving per lost object.
#[derive(Clone, Copy, Debug)]
struct Rated {
    rate: f64,
    loss: f64,
    /// Index of a pattern, or of a group after all patterns.
    item: usize,
}

impl Ord for Rated {
    fn cmp(&self, other: &Rated) -> std::cmp::Ordering {
        self.rate.total_cmp(&other.rate).then(self.item.cmp(&other.item))
    }
}

impl PartialOrd for Rated {
    fn partial_cmp(&self, other: &Rated) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Rated {
    fn eq(&self, other: &Rated) -> bool {
        self.cmp(other) == std::cmp::Ordering::Equal
    }
}

impl Eq for Rated {}

/// Chosen patterns with counts of how often each object and cost is held.
struct ChosenSet<'a> {
    candidates: &'a Candidates,
    sources: u32,
    groups: Groups,
    chosen: Vec<bool>,
    covered: f64,
    cost: f64,
    demand: Vec<f32>,
    /// Number of certain patterns with each object; if several sources are wanted, the sum over
    /// sites.
    certain: Vec<f32>,
    /// Probability that no uncertain pattern has the object.
    missed: Vec<f32>,
    /// If several sources are wanted: number of patterns of a site with an object, and their
    /// highest probability.
    site_likelihood: HashMap<(u32, u32), (u32, f32)>,
    pages: Vec<u32>,
    hubs: Vec<u32>,
    sites: Vec<u32>,
}

impl<'a> ChosenSet<'a> {
    fn new(candidates: &'a Candidates, sources: u32, chosen: &[usize]) -> ChosenSet<'a> {
        let mut covered = Covered::new(candidates, sources);
        for pattern in chosen {
            covered.add(*pattern);
        }
        let mut set = ChosenSet {
            candidates,
            sources,
            groups: Groups::new(candidates),
            chosen: vec![false; candidates.patterns()],
            covered: covered.covered(),
            cost: candidates.cost(chosen),
            demand: covered.demand().to_vec(),
            certain: vec![0.0; candidates.objects],
            missed: vec![1.0; candidates.objects],
            site_likelihood: HashMap::new(),
            pages: vec![0; candidates.shared_pages],
            hubs: vec![0; candidates.hub_costs.len()],
            sites: vec![0; candidates.sites()],
        };
        for pattern in chosen {
            set.chosen[*pattern] = true;
            set.count(*pattern, 1);
        }
        set
    }

    /// Returns the current rate of an item; `None` if it was removed, or for a group with one
    /// pattern left.
    fn rate_item(&mut self, item: usize) -> Option<Rated> {
        let (saving, loss) = if item < self.chosen.len() {
            self.chosen[item].then(|| (self.saving(item), self.loss(item)))?
        } else {
            let members = self.members(item);
            (members.len() > 1).then(|| self.saving_and_loss(&members))?
        };
        let rate = saving / loss.max(ROUNDING);
        Some(Rated { rate, loss, item })
    }

    /// Returns the chosen patterns of a group.
    fn members(&self, item: usize) -> Vec<usize> {
        let members = self.groups.members(self.candidates, item - self.chosen.len());
        let members = members.iter().map(|member| *member as usize);
        members.filter(|member| self.chosen[*member]).collect()
    }

    /// Returns the saving and loss of removing all of these. Removes them one after another and
    /// restores the state.
    fn saving_and_loss(&mut self, patterns: &[usize]) -> (f64, f64) {
        let objects = patterns
            .iter()
            .flat_map(|pattern| self.candidates.object_lists.get(*pattern));
        let before: Vec<(usize, f32, f32)> = objects
            .map(|object| *object as usize)
            .map(|object| (object, self.certain[object], self.missed[object]))
            .collect();
        let (mut saving, mut loss) = (0.0, 0.0);
        for pattern in patterns {
            saving += self.saving(*pattern);
            loss += self.loss(*pattern);
            self.count(*pattern, -1);
        }
        for pattern in patterns {
            self.count(*pattern, 1);
        }
        // Restores the exact values, without rounding errors.
        for (object, certain, missed) in before {
            self.certain[object] = certain;
            self.missed[object] = missed;
        }
        (saving, loss)
    }

    fn count(&mut self, pattern: usize, change: i32) {
        let candidates = self.candidates;
        for (object, pair) in pairs(candidates, pattern) {
            let likely = candidates.likely(pair) as f32;
            if self.sources > 1 {
                let site = candidates.site_of[pattern];
                let (patterns, surest) = self.site_likelihood.entry((object as u32, site)).or_default();
                let before = *surest;
                *patterns = patterns.saturating_add_signed(change);
                // With several uncertain patterns none is removed, so the highest probability
                // stays.
                *surest = match *patterns {
                    0 => 0.0,
                    _ if change > 0 => before.max(likely),
                    _ => before,
                };
                self.certain[object] += *surest - before;
            } else if likely >= 1.0 {
                self.certain[object] += change as f32;
            } else if change > 0 {
                self.missed[object] *= 1.0 - likely;
            } else {
                self.missed[object] /= 1.0 - likely;
            }
        }
        let step = |count: &mut u32| *count = count.saturating_add_signed(change);
        for page in candidates.page_lists.get(pattern) {
            step(&mut self.pages[*page as usize]);
        }
        for hub in candidates.hub_lists.get(pattern) {
            step(&mut self.hubs[*hub as usize]);
        }
        step(&mut self.sites[candidates.site_of[pattern] as usize]);
    }

    /// Returns the cost that would be saved.
    fn saving(&self, pattern: usize) -> f64 {
        let candidates = self.candidates;
        let pages = candidates.page_lists.get(pattern).iter();
        let pages = pages.filter(|page| self.pages[**page as usize] == 1).count();
        let hubs = candidates.hub_lists.get(pattern).iter();
        let hubs: f64 = hubs
            .filter(|hub| self.hubs[**hub as usize] == 1)
            .map(|hub| candidates.hub_costs[*hub as usize])
            .sum();
        let site = candidates.site_of[pattern] as usize;
        let overhead = if self.sites[site] == 1 {
            candidates.overhead[site]
        } else {
            0.0
        };
        candidates.own[pattern] + pages as f64 + hubs + overhead
    }

    /// Returns the coverage that would be lost. If several sources are wanted and a site has an
    /// object on several uncertain pages, the rest is not computed, and such patterns are kept.
    fn loss(&self, pattern: usize) -> f64 {
        pairs(self.candidates, pattern)
            .map(|(object, pair)| self.loss_of(object, pattern, pair))
            .sum()
    }

    fn loss_of(&self, object: usize, pattern: usize, pair: usize) -> f64 {
        let likely = self.candidates.likely(pair);
        let certain = f64::from(self.certain[object]);
        let missed = f64::from(self.missed[object]);
        if self.sources > 1 {
            let site = self.candidates.site_of[pattern];
            if self
                .site_likelihood
                .get(&(object as u32, site))
                .is_some_and(|(patterns, _)| *patterns > 1)
            {
                let is_certain = self.candidates.likely.is_empty();
                return if is_certain { 0.0 } else { f64::INFINITY };
            }
            let demand = f64::from(self.demand[object]);
            return demand.min(certain) - demand.min(certain - likely);
        }
        match likely >= 1.0 {
            true if certain < 1.5 => missed * f64::from(self.candidates.weight(object)),
            false if certain < 0.5 => missed * likely / (1.0 - likely),
            _ => 0.0,
        }
    }

    fn drop(&mut self, item: usize) {
        if item >= self.chosen.len() {
            for member in self.members(item) {
                self.drop(member);
            }
            return;
        }
        self.covered -= self.loss(item);
        self.cost -= self.saving(item);
        self.chosen[item] = false;
        self.count(item, -1);
    }
}

fn pairs(candidates: &Candidates, pattern: usize) -> impl Iterator<Item = (usize, usize)> + '_ {
    let objects = candidates.object_lists.get(pattern).iter();
    objects
        .map(|object| *object as usize)
        .zip(candidates.object_lists.range(pattern))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::select::PatternSpec;

    #[test]
    fn a_site_counts_with_its_highest_probability() {
        // One object, wanted from two sites. The first site has two patterns with it, the less
        // likely one first.
        let mut builder = Candidates::builder(1);
        let sites = [0; 3].map(|_| builder.site(0.0));
        for (site, likely) in [(0, 0.2), (0, 0.9), (1, 0.9), (2, 0.9)] {
            let spec = PatternSpec {
                site: sites[site],
                own_pages: 1.0,
                objects: &[0],
                likely: &[likely],
                ..PatternSpec::default()
            };
            builder.pattern(spec).unwrap();
        }
        let candidates = builder.build();
        // All together exceed the two that are wanted; any two sites have 1.8.
        let all = [0, 1, 2, 3];
        assert_eq!(indispensable(&candidates, 2, &all, 1.7), [0_usize; 0]);
        assert_eq!(indispensable(&candidates, 2, &all, 1.9), [2, 3]);
        let freed = remove_redundant(&candidates, 2, &all, Target::Covered(1.7));
        assert!(freed.contains(&1) && freed.len() == 3, "{freed:?}");
    }
}
