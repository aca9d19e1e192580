//! Lists by what each adds to the others.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashSet};

/// Orders lists, each with the objects that it shows: repeatedly the one that shows the most
/// objects which none before it shows; of equals the first. Returns their places with the numbers
/// of objects that they add. Lists that add nothing are left out.
///
/// A new object appears on the lists that show objects like it. So the share of the known objects
/// that some lists show estimates the share of the new ones that they will show.
pub fn by_added(shown: &[Vec<u32>]) -> Vec<(usize, usize)> {
    let mut met: HashSet<u32> = HashSet::new();
    // What a list adds only falls while others are taken, so an old count is an upper bound.
    let bounds = shown.iter().enumerate();
    let mut heap: BinaryHeap<(usize, Reverse<usize>)> = bounds
        .map(|(list, objects)| (objects.len(), Reverse(list)))
        .collect();
    let mut order = Vec::new();
    while let Some((bound, Reverse(list))) = heap.pop() {
        let adds: HashSet<u32> = shown[list]
            .iter()
            .copied()
            .filter(|one| !met.contains(one))
            .collect();
        if adds.is_empty() {
            continue;
        }
        if adds.len() < bound {
            heap.push((adds.len(), Reverse(list)));
            continue;
        }
        order.push((list, adds.len()));
        met.extend(adds);
    }
    order
}

/// Returns the lists that have to be read besides some others, so that each of those is linked to
/// by one that is read: a new list appears on the pages that show lists like it. `links` are the
/// places of the lists to which each list links, and `linked` those to which something else links
/// that is read in any case.
pub fn leading_to(read: &[usize], links: &[Vec<usize>], linked: &HashSet<usize>) -> Vec<usize> {
    let (mut linked, mut is_read) = (linked.clone(), vec![false; links.len()]);
    let (mut leading, mut new) = (Vec::new(), read.to_vec());
    while !new.is_empty() {
        for list in &new {
            is_read[*list] = true;
            linked.extend(links[*list].iter().filter(|to| *to != list));
        }
        let is_lost = |list: &&usize| is_read[**list] && !linked.contains(list);
        let shown = links.iter().zip(&is_read).map(|(links, is_read)| {
            let lost = links.iter().filter(|list| !is_read && is_lost(list));
            lost.map(|list| *list as u32).collect()
        });
        let shown: Vec<Vec<u32>> = shown.collect();
        new = by_added(&shown).into_iter().map(|(list, _)| list).collect();
        leading.extend(&new);
    }
    leading
}
