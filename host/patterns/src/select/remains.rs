//! The candidates that a reduction leaves, as candidates of their own.

use super::candidates::Candidates;
use super::reduce::Reducer;

/// Not among what remains.
const GONE: u32 = u32::MAX;

/// New numbers in the order in which they are asked for: what one pattern has lies side by side then.
struct Numbers {
    new: Vec<u32>,
    old: Vec<u32>,
}

/// Candidates of the open patterns, and the numbers that these had.
pub(super) fn remains(reducer: &Reducer<'_>) -> (Candidates, Vec<u32>) {
    let whole = reducer.candidates;
    let patterns: Vec<u32> = (0..whole.patterns() as u32)
        .filter(|pattern| reducer.is_open(*pattern as usize))
        .collect();
    let mut objects = Numbers::new(whole.objects);
    let mut remains = Candidates::empty();
    for pattern in &patterns {
        let pattern = *pattern as usize;
        remains.site_of.push(whole.site_of[pattern]);
        // With what it shares with nobody that is left.
        remains.own.push(reducer.shared.least(pattern));
        push_objects(reducer, pattern, &mut objects, &mut remains);
    }
    remains.objects = objects.old.len();
    share(reducer, &patterns, &mut remains);
    (remains, patterns)
}

/// Writes down the objects of a pattern; those that it alone can bring are one.
fn push_objects(reducer: &Reducer<'_>, pattern: usize, objects: &mut Numbers, remains: &mut Candidates) {
    let whole = reducer.candidates;
    let listed = whole.object_lists.get(pattern);
    let mut alone = None;
    let weights = &mut remains.weights;
    remains.object_lists.push(listed.iter().filter_map(|object| {
        if !reducer.is_wanted(*object) {
            return None;
        }
        let weight = whole.weight(*object as usize);
        if let Some(number) = alone
            && reducer.is_alone(*object)
        {
            weights[number as usize] += weight;
            return None;
        }
        let number = objects.of(*object);
        if number as usize == weights.len() {
            weights.push(weight);
        }
        if reducer.is_alone(*object) {
            alone = Some(number);
        }
        Some(number)
    }));
}

/// Writes down what the patterns share.
fn share(reducer: &Reducer<'_>, patterns: &[u32], remains: &mut Candidates) {
    let whole = reducer.candidates;
    let (first_hub, first_site) = reducer.shared.starts();
    let by_several = |item: usize| reducer.shared.by_several(item);
    let mut pages = Numbers::new(whole.shared_pages);
    let mut hubs = Numbers::new(whole.hub_costs.len());
    for pattern in patterns {
        let shared = whole.page_lists.get(*pattern as usize).iter();
        let shared = shared.filter(|page| by_several(**page as usize));
        remains.page_lists.push(shared.map(|page| pages.of(*page)));
        let shared = whole.hub_lists.get(*pattern as usize).iter();
        let shared = shared.filter(|hub| by_several(first_hub + **hub as usize));
        remains.hub_lists.push(shared.map(|hub| hubs.of(*hub)));
    }
    remains.shared_pages = pages.old.len();
    let cost = |hub: &u32| whole.hub_costs[*hub as usize];
    remains.hub_costs = hubs.old.iter().map(cost).collect();
    let overhead = |site: usize| match by_several(first_site + site) {
        true => whole.overhead[site],
        false => 0.0,
    };
    remains.overhead = (0..whole.sites()).map(overhead).collect();
    remains.list_sites();
}

impl Numbers {
    fn new(count: usize) -> Numbers {
        Numbers {
            new: vec![GONE; count],
            old: Vec::new(),
        }
    }

    fn of(&mut self, old: u32) -> u32 {
        let new = &mut self.new[old as usize];
        if *new == GONE {
            *new = self.old.len() as u32;
            self.old.push(old);
        }
        *new
    }
}
