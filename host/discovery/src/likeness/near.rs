//! Near duplicates by simhash: texts that differ in a few words have hashes that differ in a few
//! bits.

use std::collections::HashMap;

use super::words::{self, mix};

/// Fingerprints of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextPrint {
    /// Equal for texts of the same words in any order, ignoring words with digits: listings in
    /// another order, another page of an empty calendar and a page with a counter are the same.
    ///
    /// Meant as feedback for `TrapWatch` and `KeyWatch`, which ask whether a page has anything new.
    /// Pages that differ only in digits (prices, results) are distinguished by their bytes.
    pub content: u64,
    /// Near for texts that are nearly the same.
    pub simhash: Simhash,
}

/// The simhash of a text, over runs of three words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Simhash {
    pub bits: u64,
    /// Number of runs of words. Short texts are weak evidence.
    pub runs: u32,
}

/// Maximum number of differing bits of near duplicates, of 64: Manku and others found that it fits
/// web pages.
const NEAR_BITS: u32 = 3;

/// Minimum number of runs. In shorter texts a few words change too much.
const MIN_RUNS: u32 = 32;

impl Simhash {
    /// In how many bits two hashes differ.
    pub fn distance(self, other: Simhash) -> u32 {
        (self.bits ^ other.bits).count_ones()
    }

    /// Returns true if there was enough text.
    fn is_telling(self) -> bool {
        self.runs >= MIN_RUNS
    }

    /// Returns true if two texts are nearly the same.
    pub fn is_near(self, other: Simhash) -> bool {
        self.is_telling() && other.is_telling() && self.distance(other) <= NEAR_BITS
    }
}

impl TextPrint {
    /// Reads a text once.
    pub fn of(text: &str) -> TextPrint {
        let (mut sum, mut count) = (0_u64, 0_u64);
        let mut before = [0_u64; 2];
        let mut votes = Votes::default();
        for (number, word) in words::words(text).enumerate() {
            if !word.has_figures {
                sum = sum.wrapping_add(mix(word.hash));
                count += 1;
            }
            if number >= before.len() {
                // The order within a run counts, so each position rotates its word by another
                // amount. A run has three words: fewer would lose the order of the text, more would
                // change at each difference.
                votes.add(mix(before[0]
                    ^ before[1].rotate_left(21)
                    ^ word.hash.rotate_left(42)));
            }
            before = [before[1], word.hash];
        }
        TextPrint {
            // A sum does not depend on the order of the words. The count tells texts apart whose
            // sums happen to be equal.
            content: mix(sum ^ count),
            simhash: Simhash {
                bits: votes.majority(),
                runs: votes.count,
            },
        }
    }
}

/// Numbers of bits a count of votes can have; a text has fewer words.
const PLANES: usize = 20;

/// Counts, for each of 64 bits, how many hashes have it set. Adding one hash at a time would cost
/// 64 additions. Here the counts are stored as bit planes, one for each binary digit, and hashes
/// wait in pairs to be added at once.
#[derive(Default)]
struct Votes {
    planes: [u64; PLANES],
    waiting: [u64; PLANES],
    /// Number of hashes; its binary digits are the planes in which one waits.
    count: u32,
}

impl Votes {
    fn add(&mut self, number: u64) {
        let mut carry = number;
        // A plane where one waits already adds both and hands on what carries.
        let full = self.count.trailing_ones() as usize;
        for plane in 0..full.min(PLANES - 1) {
            (self.planes[plane], carry) = added(self.planes[plane], self.waiting[plane], carry);
        }
        self.waiting[full.min(PLANES - 1)] = carry;
        self.count += 1;
    }

    /// The bits that more than half of the numbers had.
    fn majority(&mut self) -> u64 {
        // The hashes that still wait are added one by one.
        for plane in 0..PLANES {
            if self.count >> plane & 1 == 1 {
                let mut carry = self.waiting[plane];
                for upper in &mut self.planes[plane..] {
                    (*upper, carry) = (*upper ^ carry, *upper & carry);
                }
            }
        }
        let votes = |bit: usize| -> u32 {
            let digits = self.planes.iter().enumerate();
            digits
                .map(|(plane, digits)| ((digits >> bit & 1) as u32) << plane)
                .sum()
        };
        (0..64).fold(0, |bits, bit| {
            bits | u64::from(votes(bit) * 2 > self.count) << bit
        })
    }
}

/// The sum of three numbers bit by bit, and what carries.
fn added(one: u64, two: u64, three: u64) -> (u64, u64) {
    let both = one ^ two;
    (both ^ three, one & two | both & three)
}

/// A page that reads nearly the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NearDuplicate {
    /// The number that was given for it.
    pub id: u64,
    /// In how many bits the two differ.
    pub distance: u32,
}

/// Bands of 16 bits: hashes that differ in three bits agree in at least one of four bands.
const BANDS: usize = NEAR_BITS as usize + 1;

/// Maximum number of pages with one band value to compare. Chance puts two there; a template
/// without text puts thousands.
const BUCKET: usize = 32;

type Buckets = HashMap<(u8, u16), Vec<(u64, u64)>>;

/// Remembers the texts of a site, at least the newer half, and finds near duplicates.
#[derive(Debug)]
pub struct NearDuplicates {
    half: usize,
    newer: Buckets,
    newer_pages: usize,
    older: Buckets,
}

impl NearDuplicates {
    /// Makes a store for `pages` pages; each takes up to three hundred bytes.
    pub fn new(pages: usize) -> NearDuplicates {
        NearDuplicates {
            half: (pages / 2).max(1),
            newer: HashMap::new(),
            newer_pages: 0,
            older: HashMap::new(),
        }
    }

    /// Returns the nearest page that is nearly the same. Otherwise stores the page with its id.
    pub fn offer(&mut self, hash: Simhash, id: u64) -> Option<NearDuplicate> {
        if !hash.is_telling() {
            return None;
        }
        let found = self.find(hash);
        if found.is_none() {
            self.remember(hash.bits, id);
        }
        found
    }

    /// The nearest page that reads nearly the same.
    pub fn find(&self, hash: Simhash) -> Option<NearDuplicate> {
        if !hash.is_telling() {
            return None;
        }
        // A hash within the distance agrees with this one in at least one band, so no other page
        // need be compared.
        let buckets = bands(hash.bits).flat_map(|band| [self.newer.get(&band), self.older.get(&band)]);
        let near = buckets.flatten().flatten().filter_map(|(bits, id)| {
            let distance = (bits ^ hash.bits).count_ones();
            (distance <= NEAR_BITS).then_some(NearDuplicate { id: *id, distance })
        });
        near.min_by_key(|near| near.distance)
    }

    fn remember(&mut self, bits: u64, id: u64) {
        // Two halves instead of a queue: the older half is dropped at once, without a record of
        // ages.
        if self.newer_pages >= self.half {
            self.older = std::mem::take(&mut self.newer);
            self.newer_pages = 0;
        }
        self.newer_pages += 1;
        for band in bands(bits) {
            let bucket = self.newer.entry(band).or_default();
            // The newest stay: a site's near duplicates come close to one another.
            if bucket.len() >= BUCKET {
                bucket.remove(0);
            }
            bucket.push((bits, id));
        }
    }
}

fn bands(bits: u64) -> impl Iterator<Item = (u8, u16)> {
    (0..BANDS as u8).map(move |band| (band, (bits >> (u32::from(band) * 16)) as u16))
}

#[cfg(test)]
mod tests {
    use super::{NearDuplicates, Simhash, TextPrint, Votes, mix};

    /// Words that differ from number to number.
    fn text(number: usize, words: usize) -> String {
        let words: Vec<String> = (0..words)
            .map(|word| format!("w{}x{}", number, word * 7919 % 1000))
            .collect();
        words.join(" ")
    }

    fn simhash(text: &str) -> Simhash {
        TextPrint::of(text).simhash
    }

    #[test]
    fn votes_are_counted() {
        for count in [0_u64, 1, 2, 3, 7, 8, 100, 4095, 5000] {
            let numbers: Vec<u64> = (0..count).map(|number| mix(number) | 1).collect();
            let mut votes = Votes::default();
            for number in &numbers {
                votes.add(*number);
            }
            let expected = (0..64).fold(0_u64, |bits, bit| {
                let set = numbers.iter().filter(|number| *number >> bit & 1 == 1).count();
                bits | u64::from(set * 2 > numbers.len()) << bit
            });
            assert_eq!(votes.majority(), expected, "{count}");
        }
    }

    #[test]
    fn a_changed_word_makes_a_near_duplicate() {
        let one = text(1, 400);
        let other = one.replace("w1x919", "changed").replacen("w1x0", "new", 1);
        assert_ne!(one, other);
        assert!(
            simhash(&one).is_near(simhash(&other)),
            "{}",
            simhash(&one).distance(simhash(&other))
        );
        assert!(!simhash(&one).is_near(simhash(&text(2, 400))));
        assert_eq!(simhash("A b C"), simhash("a B, c"));
        assert_ne!(simhash("a b c"), simhash("c b a"));
        assert_eq!(simhash("a b").runs, 0);
    }

    #[test]
    fn for_content_order_and_figures_do_not_count() {
        let content = |text: &str| TextPrint::of(text).content;
        let same = content("Apples 3 EUR\nPears 4 EUR");
        assert_eq!(content("pears, 5 EUR; apples: 17 EUR"), same);
        assert_ne!(content("Apples EUR\nPlums EUR"), same);
        assert_ne!(content("Apples Pears EUR"), same, "how often counts");
    }

    #[test]
    fn short_texts_are_not_judged() {
        let mut index = NearDuplicates::new(10);
        assert_eq!(index.offer(simhash("nothing here at all"), 1), None);
        assert_eq!(index.offer(simhash("nothing here at all"), 2), None);
    }

    #[test]
    fn the_index_finds_what_is_near_and_stays_small() {
        let hash = |bits| Simhash { bits, runs: 100 };
        let mut index = NearDuplicates::new(100);
        assert_eq!(index.offer(hash(0), 7), None);
        let near = index.offer(hash(0b111), 8).expect("three bits apart");
        assert_eq!((near.id, near.distance), (7, 3));
        assert_eq!(index.offer(hash(0b1111 << 14), 9), None, "four bits apart");
        let far = |number: u64| hash(mix(number));
        for number in 1..10_000 {
            index.offer(far(number), number);
        }
        assert!(index.newer.len() + index.older.len() <= 100 * 4);
        assert_eq!(index.find(far(9_999)).map(|near| near.id), Some(9_999));
        assert_eq!(index.find(hash(0)), None, "long ago");
    }
}
