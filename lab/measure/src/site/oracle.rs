//! An order of fetches that a crawler can't better by much: it knows the site.

use std::collections::{BinaryHeap, HashSet, VecDeque};

use magpie_focus::PageId;
use magpie_focus::strategy::{Link, Strategy, Visit};

use super::graph::SiteGraph;

/// A crawler that knows the site: it fetches a target as soon as it has met a link to one, and
/// otherwise the page that links to the most targets it has not met, or the next page on the
/// shortest way to one.
///
/// The choice is greedy, so a better order may exist; on sites with a few thousand pages the
/// difference is small beside what crawlers need.
pub(crate) struct Oracle<'a> {
    graph: &'a SiteGraph,
    met: HashSet<u32>,
    fetched: HashSet<u32>,
    /// Targets that were met and not fetched.
    targets: VecDeque<u32>,
    /// Other pages that were met, by the gain that they had then: it only shrinks.
    hubs: BinaryHeap<(usize, u32)>,
}

impl Strategy for Oracle<'_> {
    fn offer(&mut self, page: &Link<'_>) {
        self.met.insert(page.target as u32);
    }

    fn next(&mut self) -> Option<PageId> {
        self.choose().map(PageId::from)
    }

    fn visited(&mut self, visit: &Visit<'_>) {
        if !self.fetched.insert(visit.page as u32) {
            return;
        }
        for link in visit.links {
            let target = link.target as u32;
            if !self.met.insert(target) {
                continue;
            }
            match self.graph.targets[target as usize] {
                true => self.targets.push_back(target),
                false => self.hubs.push((self.gain(target), target)),
            }
        }
    }
}

impl<'a> Oracle<'a> {
    pub(crate) fn new(graph: &'a SiteGraph) -> Oracle<'a> {
        Oracle {
            graph,
            met: HashSet::new(),
            fetched: HashSet::new(),
            targets: VecDeque::new(),
            hubs: BinaryHeap::new(),
        }
    }

    /// Returns the number of targets that a page links to and that were not met.
    fn gain(&self, page: u32) -> usize {
        let links = self.graph.links[page as usize].iter().map(|link| link.to);
        let new = links.filter(|to| self.graph.targets[*to as usize] && !self.met.contains(to));
        new.collect::<HashSet<u32>>().len()
    }

    fn choose(&mut self) -> Option<u32> {
        if let Some(target) = self.targets.pop_front() {
            return Some(target);
        }
        while let Some((known, hub)) = self.hubs.pop() {
            match self.gain(hub) {
                0 => {}
                gain if gain < known => self.hubs.push((gain, hub)),
                _ => return Some(hub),
            }
        }
        self.first_step()
    }

    /// Returns the first page that is not fetched on the shortest way to a target that was not met.
    fn first_step(&self) -> Option<u32> {
        let waiting = self.met.iter().filter(|page| !self.fetched.contains(page));
        let mut waiting: Vec<u32> = waiting.copied().collect();
        waiting.sort_unstable();
        let mut seen: HashSet<u32> = waiting.iter().copied().collect();
        let mut queue: VecDeque<(u32, u32)> = waiting.into_iter().map(|page| (page, page)).collect();
        while let Some((page, first)) = queue.pop_front() {
            if self.graph.targets[page as usize] && !self.met.contains(&page) {
                return Some(first);
            }
            for link in &self.graph.links[page as usize] {
                if !self.fetched.contains(&link.to) && seen.insert(link.to) {
                    queue.push_back((link.to, first));
                }
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::super::replay::Replay;
    use super::*;

    #[test]
    fn the_oracle_goes_straight_to_the_targets() {
        // 0 links to 1 and 2; 2 leads by 3 to the targets 4 and 5; 1 leads nowhere.
        let edges = [(0, 1), (0, 2), (2, 3), (3, 4), (3, 5)];
        let url = |page: u32| format!("http://a.example/{page}");
        let lines = edges.map(|(from, to)| format!("{}\t{}\t/a\n", url(to), url(from)));
        let mut graph = SiteGraph::of_edges(&format!("{}\t\n{}", url(0), lines.concat()));
        graph.targets = vec![false, false, false, false, true, true];
        let replay = graph.replay(&mut Oracle::new(&graph), &[0], usize::MAX, 1.0, &[]);
        assert_eq!(replay.fetched, [0, 2, 3, 4, 5]);
        let reached = [0.1, 0.5, 0.9].map(|share| replay.fetches_to(share, 2));
        assert_eq!(reached, [Some(4), Some(4), Some(5)]);
    }

    #[test]
    fn a_share_that_is_never_reached_has_no_position() {
        let replay = Replay::of(&[Some(0), Some(1), None, Some(2)], |page| page > 0);
        let reached = [0.1, 0.5, 0.9].map(|share| replay.fetches_to(share, 4));
        assert_eq!(reached, [Some(2), Some(4), None]);
    }
}
