//! Reverse delete: what later choices made needless is dropped again.

use std::collections::{BinaryHeap, HashMap};

use super::bound::Target;
use super::candidates::Candidates;
use super::covered::Covered;
use super::greedy::ROUNDING;
use super::groups::Groups;

/// The patterns without those that the goal does not need, the dearest for what they alone bring first; those behind
/// one shared cost are looked at one by one and all together.
///
/// What a pattern alone brings grows as others are dropped, so its rate only falls where nothing is shared; where
/// costs are shared it may rise, and the pattern is then met later than it might.
pub(super) fn without_waste(
    candidates: &Candidates,
    sources: u32,
    chosen: &[usize],
    target: Target,
) -> Vec<usize> {
    let mut chosen = chosen.to_vec();
    let mut seen = vec![false; candidates.patterns()];
    chosen.retain(|pattern| !std::mem::replace(&mut seen[*pattern], true));
    let mut held = Held::new(candidates, sources, &chosen);
    let groups = candidates.patterns()..candidates.patterns() + held.groups.len();
    let items = chosen.iter().copied().chain(groups);
    let mut queue: BinaryHeap<Rated> = items.filter_map(|item| held.rated(item)).collect();
    while let Some(rated) = queue.pop() {
        let Some(now) = held.rated(rated.item) else {
            continue;
        };
        let is_needed = match target {
            // With fewer others it stays so.
            Target::Covered(target) => held.covered - now.loss < target - ROUNDING,
            Target::Paid(budget) => held.cost <= budget + ROUNDING && now.loss > ROUNDING,
        };
        if is_needed {
            continue;
        }
        if now < rated && queue.peek().is_some_and(|next| now < *next) {
            queue.push(now);
        } else {
            held.drop(rated.item);
        }
    }
    chosen.retain(|pattern| held.chosen[*pattern]);
    chosen
}

/// Those of the patterns without which the others would not cover the goal.
pub(super) fn needed(candidates: &Candidates, sources: u32, patterns: &[usize], target: f64) -> Vec<usize> {
    let held = Held::new(candidates, sources, patterns);
    let is_needed = |pattern: &usize| {
        let loss = held.loss(*pattern);
        loss.is_finite() && held.covered - loss < target - ROUNDING
    };
    patterns.iter().copied().filter(is_needed).collect()
}

/// A pattern or a group of them with what dropping it would save for each object it would lose.
#[derive(Clone, Copy, Debug)]
struct Rated {
    rate: f64,
    loss: f64,
    /// The number of a pattern, or, after all of them, that of a group.
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

/// Chosen patterns, and who holds what with whom.
struct Held<'a> {
    candidates: &'a Candidates,
    sources: u32,
    groups: Groups,
    chosen: Vec<bool>,
    covered: f64,
    cost: f64,
    demand: Vec<f32>,
    /// How many certain patterns bring an object; with several sources wanted, what they bring together.
    certain: Vec<f32>,
    /// The probability that none of the uncertain ones brings it.
    missed: Vec<f32>,
    /// With several sources wanted: by how many patterns of a site an object is brought, and how surely at best.
    heard: HashMap<(u32, u32), (u32, f32)>,
    pages: Vec<u32>,
    hubs: Vec<u32>,
    sites: Vec<u32>,
}

impl<'a> Held<'a> {
    fn new(candidates: &'a Candidates, sources: u32, chosen: &[usize]) -> Held<'a> {
        let mut covered = Covered::new(candidates, sources);
        for pattern in chosen {
            covered.add(*pattern);
        }
        let mut held = Held {
            candidates,
            sources,
            groups: Groups::new(candidates),
            chosen: vec![false; candidates.patterns()],
            covered: covered.covered(),
            cost: candidates.cost(chosen),
            demand: covered.demand().to_vec(),
            certain: vec![0.0; candidates.objects],
            missed: vec![1.0; candidates.objects],
            heard: HashMap::new(),
            pages: vec![0; candidates.shared_pages],
            hubs: vec![0; candidates.hub_costs.len()],
            sites: vec![0; candidates.sites()],
        };
        for pattern in chosen {
            held.chosen[*pattern] = true;
            held.count(*pattern, 1);
        }
        held
    }

    /// How an item stands now; none when it was dropped, and for a group of which one pattern is left.
    fn rated(&mut self, item: usize) -> Option<Rated> {
        let (saving, loss) = if item < self.chosen.len() {
            self.chosen[item].then(|| (self.saving(item), self.loss(item)))?
        } else {
            let members = self.members(item);
            (members.len() > 1).then(|| self.of_all(&members))?
        };
        let rate = saving / loss.max(ROUNDING);
        Some(Rated { rate, loss, item })
    }

    /// The chosen patterns of a group.
    fn members(&self, item: usize) -> Vec<usize> {
        let members = self.groups.members(self.candidates, item - self.chosen.len());
        let members = members.iter().map(|member| *member as usize);
        members.filter(|member| self.chosen[*member]).collect()
    }

    /// What dropping all of these would save and lose: they are dropped one after another, and all is put back.
    fn of_all(&mut self, patterns: &[usize]) -> (f64, f64) {
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
        // As they were, and not as rounding leaves them.
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
                let (patterns, surest) = self.heard.entry((object as u32, site)).or_default();
                let before = *surest;
                *patterns = patterns.saturating_add_signed(change);
                // Of several uncertain ones none is dropped, so that the surest of them stays.
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

    /// What would no longer be paid.
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

    /// What would no longer be covered. Where sites are counted and a site brings an object by several uncertain
    /// pages, it is not worked out what the others would leave; such patterns stay.
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
                .heard
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
    fn a_site_counts_as_surely_as_its_surest_pattern() {
        // One object, wanted from two sites. The first brings it by two patterns, by the less sure one first.
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
        // All together bring more than the two that are wanted, any two sites 1.8.
        let all = [0, 1, 2, 3];
        assert_eq!(needed(&candidates, 2, &all, 1.7), [0_usize; 0]);
        assert_eq!(needed(&candidates, 2, &all, 1.9), [2, 3]);
        let freed = without_waste(&candidates, 2, &all, Target::Covered(1.7));
        assert!(freed.contains(&1) && freed.len() == 3, "{freed:?}");
    }
}
