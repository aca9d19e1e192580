//! Pending URLs in little memory.

use std::collections::{BTreeMap, VecDeque};

/// URLs in the order of priority, depth and id, each with its attempts.
///
/// URLs of one priority and depth are found one after another on the same pages and are similar, so
/// each is stored as the difference from the one before: 15 to 25 bytes instead of the 100 of a
/// string in a tree.
#[derive(Debug, Default)]
pub(crate) struct CompactQueue {
    lines: BTreeMap<(i32, u32), Line>,
    len: usize,
}

/// URLs of one priority and depth, in the order of their numbers.
#[derive(Debug, Default)]
struct Line {
    /// For each: shared prefix, length of the rest, distance of its id from the one before,
    /// attempts, rest.
    bytes: VecDeque<u8>,
    written: Point,
    read: Point,
}

/// The last URL on one end of the line.
#[derive(Debug, Default)]
struct Point {
    url: Vec<u8>,
    id: i64,
}

impl CompactQueue {
    /// Adds a URL; its number must be above all of its priority and depth. Whether it is.
    pub(crate) fn push(&mut self, priority: i32, depth: u32, id: i64, attempts: u32, url: &str) -> bool {
        let line = self.lines.entry((priority, depth)).or_default();
        if id <= line.written.id {
            return false;
        }
        line.push(id, attempts, url.as_bytes());
        self.len += 1;
        true
    }

    /// The place of the first URL: priority, depth, number.
    pub(crate) fn first(&self) -> Option<(i32, u32, i64)> {
        let ((priority, depth), line) = self.lines.first_key_value()?;
        Some((*priority, *depth, line.first()))
    }

    /// Takes the first URL: priority, depth, number, attempts, URL.
    pub(crate) fn pop(&mut self) -> Option<(i32, u32, i64, u32, String)> {
        let mut entry = self.lines.first_entry()?;
        let (priority, depth) = *entry.key();
        let (id, attempts, url) = entry.get_mut().pop();
        if entry.get().bytes.is_empty() {
            entry.remove();
        }
        self.len -= 1;
        Some((priority, depth, id, attempts, url))
    }

    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// The bytes it takes.
    pub(crate) fn memory(&self) -> usize {
        self.lines
            .values()
            .map(|line| line.bytes.capacity() + size_of::<Line>())
            .sum()
    }
}

impl Line {
    fn push(&mut self, id: i64, attempts: u32, url: &[u8]) {
        let shared = self
            .written
            .url
            .iter()
            .zip(url)
            .take_while(|(one, two)| one == two)
            .count();
        let distance = id.wrapping_sub(self.written.id) as u64;
        for number in [
            shared as u64,
            (url.len() - shared) as u64,
            distance,
            u64::from(attempts),
        ] {
            self.push_number(number);
        }
        self.bytes.extend(&url[shared..]);
        self.written.url.truncate(shared);
        self.written.url.extend_from_slice(&url[shared..]);
        self.written.id = id;
    }

    /// The number of the first URL, of a line that has one.
    fn first(&self) -> i64 {
        // Two numbers stand before the distance; the last byte of each has no upper bit.
        let mut passed = 0;
        let mut distance = 0;
        let mut shift = 0;
        for &byte in &self.bytes {
            if passed == 2 {
                distance |= u64::from(byte & 0x7f) << shift;
                shift += 7;
            }
            passed += u32::from(byte < 0x80);
            if passed > 2 {
                break;
            }
        }
        self.read.id.wrapping_add(distance as i64)
    }

    fn pop(&mut self) -> (i64, u32, String) {
        let shared = self.pop_number() as usize;
        let rest = self.pop_number() as usize;
        let distance = self.pop_number();
        let attempts = self.pop_number() as u32;
        self.read.url.truncate(shared);
        self.read.url.extend(self.bytes.drain(..rest));
        self.read.id = self.read.id.wrapping_add(distance as i64);
        // The queue of a crawl shrinks for a long time. A quarter is kept, so that shrinking costs
        // little in all.
        if self.bytes.capacity() > SHRINK_ABOVE && self.bytes.len() < self.bytes.capacity() / 4 {
            self.bytes.shrink_to(self.bytes.capacity() / 2);
        }
        (
            self.read.id,
            attempts,
            String::from_utf8_lossy(&self.read.url).into_owned(),
        )
    }

    /// Seven bits a byte, the lowest first.
    fn push_number(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.bytes.push_back(number as u8 | 0x80);
            number >>= 7;
        }
        self.bytes.push_back(number as u8);
    }

    fn pop_number(&mut self) -> u64 {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let Some(byte) = self.bytes.pop_front() else {
                break;
            };
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                break;
            }
        }
        number
    }
}

/// Smaller buffers are not worth shrinking.
const SHRINK_ABOVE: usize = 4096;

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn what_goes_in_comes_out_in_order(
            urls in proptest::collection::vec((0i32..3, 0u32..3, 1i64..200, 0u32..300, "(https://a.test/)?[a-z/é]{0,9}"), 0..200),
        ) {
            let mut queue = CompactQueue::default();
            let mut model = BTreeMap::new();
            let mut id = 0;
            for (priority, depth, step, attempts, url) in urls {
                id += step;
                prop_assert!(queue.push(priority, depth, id, attempts, &url));
                model.insert((priority, depth, id), (attempts, url));
                if step % 3 == 0 {
                    let ((priority, depth, id), (attempts, url)) = model.pop_first().unwrap();
                    prop_assert_eq!(queue.first(), Some((priority, depth, id)));
                    prop_assert_eq!(queue.pop(), Some((priority, depth, id, attempts, url)));
                }
                prop_assert_eq!(queue.len(), model.len());
            }
            while let Some(((priority, depth, id), (attempts, url))) = model.pop_first() {
                prop_assert_eq!(queue.pop(), Some((priority, depth, id, attempts, url)));
            }
            prop_assert_eq!(queue.pop(), None);
        }
    }

    #[test]
    fn similar_urls_take_little() {
        let mut queue = CompactQueue::default();
        for id in 1..=100_000 {
            let url = format!("https://shop.example.org/catalogue/product-{id}/index.html");
            queue.push(0, 2, id, 0, &url);
        }
        assert!(queue.memory() < 100_000 * 50, "{} bytes", queue.memory());
    }

    #[test]
    fn numbers_must_grow() {
        let mut queue = CompactQueue::default();
        assert!(queue.push(0, 0, 5, 0, "a"));
        assert!(!queue.push(0, 0, 5, 0, "b"));
        assert!(queue.push(0, 1, 1, 0, "c"));
    }
}
