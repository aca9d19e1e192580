//! The candidates that a reduction leaves undecided.

use super::candidates::Candidates;
use super::reduce::Reducer;

/// Marks items without a new id.
const NONE: u32 = u32::MAX;

/// New ids in order of request, so that the items of a pattern are adjacent.
struct Renumbering {
    new: Vec<u32>,
    old: Vec<u32>,
}

/// Returns candidates of the open patterns, and their original indexes.
pub(super) fn remaining(reducer: &Reducer<'_>) -> (Candidates, Vec<u32>) {
    let whole = reducer.candidates;
    let patterns: Vec<u32> = (0..whole.patterns() as u32)
        .filter(|pattern| reducer.is_open(*pattern as usize))
        .collect();
    let mut objects = Renumbering::new(whole.objects);
    let mut remaining = Candidates::empty();
    for pattern in &patterns {
        let pattern = *pattern as usize;
        remaining.site_of.push(whole.site_of[pattern]);
        // Includes the costs that no other open pattern shares.
        remaining.own.push(reducer.shared.min_cost(pattern));
        push_objects(reducer, pattern, &mut objects, &mut remaining);
    }
    remaining.objects = objects.old.len();
    share(reducer, &patterns, &mut remaining);
    (remaining, patterns)
}

/// Adds the objects of a pattern. Those that it alone can cover are merged.
fn push_objects(
    reducer: &Reducer<'_>,
    pattern: usize,
    objects: &mut Renumbering,
    remaining: &mut Candidates,
) {
    let whole = reducer.candidates;
    let listed = whole.object_lists.get(pattern);
    let mut exclusive = None;
    let weights = &mut remaining.weights;
    remaining.object_lists.push(listed.iter().filter_map(|object| {
        if !reducer.is_wanted(*object) {
            return None;
        }
        let weight = whole.weight(*object as usize);
        if let Some(number) = exclusive
            && reducer.is_exclusive(*object)
        {
            // Objects that one pattern alone can cover come and go together, so they count as one
            // with their joint weight.
            weights[number as usize] += weight;
            return None;
        }
        let number = objects.of(*object);
        if number as usize == weights.len() {
            weights.push(weight);
        }
        if reducer.is_exclusive(*object) {
            exclusive = Some(number);
        }
        Some(number)
    }));
}

/// Adds the costs that the patterns share.
fn share(reducer: &Reducer<'_>, patterns: &[u32], remaining: &mut Candidates) {
    let whole = reducer.candidates;
    let (first_hub, first_site) = reducer.shared.starts();
    let is_shared = |item: usize| reducer.shared.is_shared(item);
    let mut pages = Renumbering::new(whole.shared_pages);
    let mut hubs = Renumbering::new(whole.hub_costs.len());
    for pattern in patterns {
        let shared = whole.page_lists.get(*pattern as usize).iter();
        let shared = shared.filter(|page| is_shared(**page as usize));
        remaining.page_lists.push(shared.map(|page| pages.of(*page)));
        let shared = whole.hub_lists.get(*pattern as usize).iter();
        let shared = shared.filter(|hub| is_shared(first_hub + **hub as usize));
        remaining.hub_lists.push(shared.map(|hub| hubs.of(*hub)));
    }
    remaining.shared_pages = pages.old.len();
    let cost = |hub: &u32| whole.hub_costs[*hub as usize];
    remaining.hub_costs = hubs.old.iter().map(cost).collect();
    let overhead = |site: usize| match is_shared(first_site + site) {
        true => whole.overhead[site],
        false => 0.0,
    };
    remaining.overhead = (0..whole.sites()).map(overhead).collect();
    remaining.list_sites();
}

impl Renumbering {
    fn new(count: usize) -> Renumbering {
        Renumbering {
            new: vec![NONE; count],
            old: Vec::new(),
        }
    }

    fn of(&mut self, old: u32) -> u32 {
        let new = &mut self.new[old as usize];
        if *new == NONE {
            *new = self.old.len() as u32;
            self.old.push(old);
        }
        *new
    }
}
