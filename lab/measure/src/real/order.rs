//! The number of pages that a crawl fetches until it has a share of the pages with objects, beside
//! an oracle and a blind draw.

use std::collections::{BinaryHeap, HashSet, VecDeque};

use super::mirror::FileNumber;

/// Shares of the object pages at which pages are counted.
pub(super) const SHARES: [f64; 3] = [0.1, 0.5, 0.9];

/// The position in the order of fetches at which each share was reached; none where it never was.
pub(super) fn reached(order: &[Option<FileNumber>], wanted: &HashSet<FileNumber>) -> [Option<usize>; 3] {
    SHARES.map(|share| {
        let needed = needed(wanted.len(), share);
        let mut found = HashSet::new();
        order
            .iter()
            .position(|file| {
                if let Some(file) = file.filter(|file| wanted.contains(file)) {
                    found.insert(file);
                }
                found.len() >= needed
            })
            .map(|position| position + 1)
    })
}

/// The pages that a draw without replacement from all pages of the site needs on average.
pub(super) fn blind(pages: usize, wanted: usize) -> [f64; 3] {
    SHARES.map(|share| needed(wanted, share) as f64 * (pages + 1) as f64 / (wanted + 1) as f64)
}

fn needed(wanted: usize, share: f64) -> usize {
    ((wanted as f64 * share).ceil() as usize).max(1)
}

/// The order of a crawler that knows the site: it fetches an object page as soon as it has met a
/// link to one, and otherwise the page that links to the most object pages it has not met, or the
/// next page on the shortest way to one.
///
/// The choice is greedy, so a better order may exist; on sites with a few thousand pages the
/// difference is small beside what crawlers need.
pub(super) fn oracle(
    links: &[Vec<FileNumber>],
    entry: FileNumber,
    wanted: &HashSet<FileNumber>,
) -> Vec<Option<FileNumber>> {
    let mut walk = Walk {
        links,
        wanted,
        met: HashSet::from([entry]),
        fetched: HashSet::new(),
        objects: VecDeque::new(),
        hubs: BinaryHeap::new(),
        order: Vec::new(),
    };
    walk.fetch(entry);
    while let Some(next) = walk.next() {
        walk.fetch(next);
    }
    walk.order
}

struct Walk<'a> {
    links: &'a [Vec<FileNumber>],
    wanted: &'a HashSet<FileNumber>,
    met: HashSet<FileNumber>,
    fetched: HashSet<FileNumber>,
    /// Object pages that were met and not fetched.
    objects: VecDeque<FileNumber>,
    /// Other pages that were met, by the gain that they had then: it only shrinks.
    hubs: BinaryHeap<(usize, FileNumber)>,
    order: Vec<Option<FileNumber>>,
}

impl Walk<'_> {
    fn fetch(&mut self, file: FileNumber) {
        if !self.fetched.insert(file) {
            return;
        }
        self.order.push(Some(file));
        for target in &self.links[file] {
            if !self.met.insert(*target) {
                continue;
            }
            match self.wanted.contains(target) {
                true => self.objects.push_back(*target),
                false => self.hubs.push((self.gain(*target), *target)),
            }
        }
    }

    /// The number of object pages that a page links to and that were not met.
    fn gain(&self, file: FileNumber) -> usize {
        let mut counted = HashSet::new();
        let links = self.links[file].iter();
        links
            .filter(|target| self.wanted.contains(target) && !self.met.contains(target))
            .filter(|target| counted.insert(**target))
            .count()
    }

    fn next(&mut self) -> Option<FileNumber> {
        if let Some(object) = self.objects.pop_front() {
            return Some(object);
        }
        while let Some((known, hub)) = self.hubs.pop() {
            let gain = self.gain(hub);
            match gain {
                0 => {}
                _ if gain < known => self.hubs.push((gain, hub)),
                _ => return Some(hub),
            }
        }
        self.first_step()
    }

    /// The first page that is not fetched on the shortest way to an object page that was not met.
    fn first_step(&self) -> Option<FileNumber> {
        let mut queue: VecDeque<(FileNumber, FileNumber)> = VecDeque::new();
        let mut seen = HashSet::new();
        let waiting = self.met.iter().filter(|file| !self.fetched.contains(file));
        let mut waiting: Vec<FileNumber> = waiting.copied().collect();
        waiting.sort_unstable();
        for file in waiting {
            seen.insert(file);
            queue.push_back((file, file));
        }
        while let Some((file, first)) = queue.pop_front() {
            if self.wanted.contains(&file) && !self.met.contains(&file) {
                return Some(first);
            }
            for target in &self.links[file] {
                if !self.fetched.contains(target) && seen.insert(*target) {
                    queue.push_back((*target, first));
                }
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oracle_goes_straight_to_the_objects() {
        // 0 links to 1 and 2; 2 leads by 3 to the objects 4 and 5; 1 leads nowhere.
        let links = vec![vec![1, 2], vec![], vec![3], vec![4, 5], vec![], vec![]];
        let wanted = HashSet::from([4, 5]);
        let order = oracle(&links, 0, &wanted);
        assert_eq!(order, [0, 2, 3, 4, 5].map(Some));
        assert_eq!(reached(&order, &wanted), [Some(4), Some(4), Some(5)]);
    }

    #[test]
    fn a_share_that_is_never_reached_has_no_position() {
        let wanted = HashSet::from([1, 2, 3, 4]);
        assert_eq!(
            reached(&[Some(0), Some(1), None, Some(2)], &wanted),
            [Some(2), Some(4), None]
        );
    }

    #[test]
    fn a_blind_draw_finds_half_of_the_objects_after_about_half_of_the_pages() {
        let [_, half, _] = blind(999, 99);
        assert!((half - 500.0).abs() < 1.0, "{half}");
    }
}
