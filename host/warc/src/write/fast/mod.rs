//! DEFLATE for records, optimised for speed at little loss of compression.
//!
//! General compressors at their fastest level spend their time on two lookups per match and on a
//! code for each block. Pages of one crawl are similar: here one lookup is made, and the code is
//! that of earlier records, so each byte is read once and bits are written as matches are found.
//! `pack.rs` has the figures.

mod bits;
mod codes;

use std::hint::select_unpredictable;

use bits::Bits;
use codes::{Codes, Counts, LETTERS_AT_ONCE};

/// Size of the table of last positions of match beginnings: 32 KiB, which fit the L1 cache.
const HASH_BITS: u32 = 13;

/// Deflate reaches back so far (RFC 1951, 2).
const WINDOW: usize = 32 * 1024;

/// Minimum length of a match. Shorter ones save little over literals, and each takes the time of a
/// dozen literals.
const SHORTEST: usize = 6;

/// Deflate has no longer ones.
const LONGEST: usize = 258;

/// Number of bytes without a match after which the steps get longer, to skip incompressible data
/// quickly.
const PATIENCE: u32 = 2;

/// One record in so many is counted.
const COUNTED: u32 = 16;

/// Records until a new code is made of them. Half or twice as many change the size by a thousandth.
const RECORDS_OF_A_CODE: u32 = 64;

/// Below, naming a code of its own costs more than it saves, and the code of the standard is used.
const SMALL: usize = 2_000;

/// Compresses one record after another.
pub(super) struct Deflater {
    /// Last position of each match beginning, as [`Self::base`] plus the position in the record.
    last: Box<[u32; 1 << HASH_BITS]>,
    /// Grows from record to record, so that positions of older records are recognised and the table
    /// is never cleared.
    base: u32,
    standard: Codes,
    /// The code of the records before; none until there were enough.
    learned: Option<Codes>,
    counts: Counts,
    records: u32,
}

impl Deflater {
    pub(super) fn new() -> Deflater {
        Deflater {
            last: Box::new([0; 1 << HASH_BITS]),
            // Zero means never.
            base: 1,
            standard: Codes::standard(),
            learned: None,
            counts: Counts::new(),
            records: 0,
        }
    }

    /// Appends the bytes as one DEFLATE block, if it fits into `room`. Returns false and appends
    /// nothing otherwise.
    pub(super) fn deflate(&mut self, bytes: &[u8], room: usize, into: &mut Vec<u8>) -> bool {
        let start = into.len();
        self.begin(bytes.len());
        let is_small = bytes.len() < SMALL;
        let codes = match &self.learned {
            Some(learned) if !is_small => learned,
            _ => &self.standard,
        };
        let mut out = Bits::new(into, room);
        out.header(codes.header());
        let (last, base, counts) = (&mut *self.last, self.base, &mut self.counts);
        let fits = if !is_small && self.records.is_multiple_of(COUNTED) {
            Matcher::<true> {
                bytes,
                last,
                base,
                codes,
                counts,
            }
            .run(&mut out)
        } else {
            Matcher::<false> {
                bytes,
                last,
                base,
                codes,
                counts,
            }
            .run(&mut out)
        } && out.finish();
        self.base += bytes.len() as u32;
        if !fits {
            into.truncate(start);
        }
        if !is_small {
            self.learn();
        }
        fits
    }

    /// Makes sure that the record's places fit.
    fn begin(&mut self, length: usize) {
        let fits = u32::try_from(length).is_ok_and(|length| self.base.checked_add(length).is_some());
        if !fits {
            self.last.fill(0);
            self.base = 1;
        }
    }

    fn learn(&mut self) {
        self.records += 1;
        if self.records >= RECORDS_OF_A_CODE || self.learned.is_none() {
            self.learned = Some(Codes::of(&self.counts));
            self.counts.fade();
            self.records = 0;
        }
    }
}

/// Looks for matches in one record. With `COUNT` it is counted what comes up.
struct Matcher<'a, const COUNT: bool> {
    bytes: &'a [u8],
    last: &'a mut [u32; 1 << HASH_BITS],
    base: u32,
    codes: &'a Codes,
    counts: &'a mut Counts,
}

impl<const COUNT: bool> Matcher<'_, COUNT> {
    /// Writes the record. Whether the room was enough.
    fn run(&mut self, out: &mut Bits<'_>) -> bool {
        let bytes = self.bytes;
        let (mut at, mut written, mut misses) = (0, 0, 0_u32);
        while let Some(beginning) = eight(bytes, at) {
            let Some((length, distance)) = self.matching(beginning, at) else {
                misses += 1;
                at += 1 + (misses >> PATIENCE) as usize;
                continue;
            };
            misses = 0;
            // A step before may have gone past the beginning of what is the same.
            let back = same_before(bytes, at, distance, (at - written).min(LONGEST - length));
            at -= back;
            let length = length + back;
            if !self.literals(written, at, out) {
                return false;
            }
            if COUNT {
                self.counts.add_match(self.codes, length, distance);
            }
            self.codes.write_match(length, distance, out);
            at += length;
            written = at;
            self.remember_end(at);
        }
        self.literals(written, bytes.len(), out) && {
            self.codes.write_end(out);
            !out.is_full()
        }
    }

    /// Finds the match at a position: its length and distance. Records the position.
    #[inline]
    fn matching(&mut self, beginning: u64, at: usize) -> Option<(usize, usize)> {
        let here = self.base + at as u32;
        let distance = here.wrapping_sub(std::mem::replace(&mut self.last[place(beginning)], here)) as usize;
        // Positions of older records are before the base, and so before the first position of this
        // one.
        let is_far = distance > at.min(WINDOW);
        let before = at - select_unpredictable(is_far, 0, distance);
        // One branch instead of two: a page has thousands of these, and a separate branch for each
        // would be mispredicted half of the time, which takes a fifth of the total. A position that
        // is too far away is compared with itself, and one bit makes it differ.
        let differ = eight(self.bytes, before)? ^ beginning ^ u64::from(is_far);
        if differ << (64 - 8 * SHORTEST) != 0 {
            return None;
        }
        let length = same(self.bytes, before, at);
        Some((length, distance))
    }

    /// The end of a match is where the next one often begins.
    fn remember_end(&mut self, end: usize) {
        if let Some(beginning) = eight(self.bytes, end.saturating_sub(2)) {
            self.last[place(beginning)] = self.base + end.saturating_sub(2) as u32;
        }
    }

    /// Writes the bytes between two places, which no match covers. Whether the room was enough.
    fn literals(&mut self, from: usize, to: usize, out: &mut Bits<'_>) -> bool {
        let mut at = from;
        // The last literals are usually followed by others, which are written with zero bits: the
        // end of a run is unpredictable, and a loop over the rest would be mispredicted each time.
        while at < to
            && let Some(letters) = self
                .bytes
                .get(at..)
                .and_then(|rest| rest.first_chunk::<LETTERS_AT_ONCE>())
        {
            self.codes.put_letters(letters, to - at, out);
            out.write();
            at += LETTERS_AT_ONCE;
        }
        for letter in self.bytes.get(at..to).unwrap_or_default() {
            self.codes.put_letter(*letter, out);
        }
        out.write();
        if COUNT {
            self.counts.add_letters(&self.bytes[from..to]);
        }
        !out.is_full()
    }
}

fn place(beginning: u64) -> usize {
    // What is behind the bytes that count is shifted out.
    let counts = beginning << (64 - 8 * SHORTEST);
    (counts.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - HASH_BITS)) as usize
}

fn eight(bytes: &[u8], at: usize) -> Option<u64> {
    bytes
        .get(at..)?
        .first_chunk()
        .map(|eight| u64::from_le_bytes(*eight))
}

/// Returns the number of equal bytes from two positions on.
fn same(bytes: &[u8], before: usize, at: usize) -> usize {
    let most = (bytes.len() - at).min(LONGEST);
    let mut length = 0;
    while length + 32 <= most
        && let (Some(one), Some(two)) = (several(bytes, before + length), several(bytes, at + length))
    {
        let same = same_of(one, two);
        length += same;
        if same < 32 {
            return length;
        }
    }
    let rest = bytes[before + length..]
        .iter()
        .zip(&bytes[at + length..at + most]);
    length + rest.take_while(|(one, two)| one == two).count()
}

fn several(bytes: &[u8], at: usize) -> Option<&[u8; 32]> {
    bytes.get(at..)?.first_chunk()
}

fn same_of(one: &[u8; 32], two: &[u8; 32]) -> usize {
    let (one, two) = (one.as_chunks::<8>().0, two.as_chunks::<8>().0);
    let mut length = 0;
    let mut all = true;
    for (one, two) in one.iter().zip(two) {
        let differ = u64::from_le_bytes(*one) ^ u64::from_le_bytes(*two);
        let same = (differ.trailing_zeros() / 8) as usize;
        length += if all { same } else { 0 };
        all &= differ == 0;
    }
    length
}

/// Returns the number of equal bytes before two positions, up to a limit.
fn same_before(bytes: &[u8], at: usize, distance: usize, most: usize) -> usize {
    if let (Some(one), Some(two)) = (eight_before(bytes, at), eight_before(bytes, at - distance)) {
        let length = ((one ^ two).leading_zeros() / 8) as usize;
        if length < 8 || most < 8 {
            return length.min(most);
        }
    }
    let pairs = bytes[..at].iter().rev().zip(bytes[..at - distance].iter().rev());
    pairs.take(most).take_while(|(one, two)| one == two).count()
}

fn eight_before(bytes: &[u8], at: usize) -> Option<u64> {
    eight(bytes, at.checked_sub(8)?)
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use flate2::read::DeflateDecoder;
    use proptest::prelude::*;

    use super::*;

    /// Packs and unpacks records one after another.
    fn check(records: &[Vec<u8>]) {
        let mut deflater = Deflater::new();
        for record in records {
            let mut packed = b"before".to_vec();
            if !deflater.deflate(record, 2 * record.len() + 200, &mut packed) {
                panic!("there was room enough for {} bytes", record.len());
            }
            let mut read = Vec::new();
            DeflateDecoder::new(&packed[6..]).read_to_end(&mut read).unwrap();
            assert_eq!(&read, record);
        }
    }

    fn page(seed: u64, words: usize) -> Vec<u8> {
        let word = |at: usize| {
            format!(
                "<li class=\"card\">word{}</li>\n",
                (at as u64 * 7919 + seed) % 331
            )
        };
        (0..words).map(word).collect::<String>().into_bytes()
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn records_come_back_as_they_were(
            parts in proptest::collection::vec((proptest::collection::vec(any::<u8>(), 0..40), 1..400usize), 1..12),
            letters in proptest::collection::vec(0u8..3, 0..6000),
        ) {
            let repeated: Vec<u8> = parts.iter().flat_map(|(part, times)| part.repeat(*times)).collect();
            check(&[repeated.clone(), letters, repeated]);
        }
    }

    #[test]
    fn learned_codes_are_read_by_others() {
        let records: Vec<_> = (0..100)
            .map(|seed| page(seed, 50 + (seed as usize % 7) * 300))
            .collect();
        check(&records);
        check(&[Vec::new(), vec![7], vec![0; 3], vec![1; 100_000]]);
    }

    #[test]
    fn matches_may_reach_back_as_far_as_allowed_and_no_farther() {
        let noise = |length: usize| -> Vec<u8> {
            let mixed = (0..length as u64).map(|at| at.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 29);
            mixed.map(|number| number as u8).collect()
        };
        for gap in [WINDOW - 9, WINDOW - 8, WINDOW - 7, WINDOW + 100] {
            check(&[[b"abcdefgh".to_vec(), noise(gap), b"abcdefgh".to_vec()].concat()]);
        }
    }

    #[test]
    fn what_does_not_fit_leaves_nothing() {
        let mut packed = b"before".to_vec();
        assert!(!Deflater::new().deflate(&page(1, 1000), 500, &mut packed));
        assert_eq!(packed, b"before");
    }

    #[test]
    fn pages_get_small() {
        let mut deflater = Deflater::new();
        let (mut bytes, mut packed) = (0, Vec::new());
        for seed in 0..50 {
            let page = page(seed, 1000);
            bytes += page.len();
            assert!(deflater.deflate(&page, page.len(), &mut packed));
        }
        assert!(packed.len() * 5 < bytes, "{} of {bytes}", packed.len());
    }

    #[test]
    fn places_of_older_records_are_not_taken_for_own() {
        let mut deflater = Deflater::new();
        deflater.base = u32::MAX - 100;
        for record in [page(1, 10), page(1, 10)] {
            let mut packed = Vec::new();
            assert!(deflater.deflate(&record, 2_000, &mut packed));
            let mut read = Vec::new();
            DeflateDecoder::new(&packed[..]).read_to_end(&mut read).unwrap();
            assert_eq!(read, record);
        }
    }
}
