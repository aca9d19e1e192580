//! Huffman codes of DEFLATE: the bits of each literal, length and distance.

use super::bits::Bits;

/// Letters, the end of the block, and 29 classes of lengths (RFC 1951, 3.2.5).
const LETTERS: usize = 286;

/// Classes of distances.
const DISTANCES: usize = 30;

/// The letter that ends a block.
const END: usize = 256;

/// No code of ours is longer. Deflate allows 15; with 12, four letters fit between two writes.
const MOST_BITS: u8 = 12;

/// Number of literals that may be put before they are written.
pub(super) const LETTERS_AT_ONCE: usize = 4;

/// The codes for the lengths of codes are shorter.
const MOST_BITS_OF_LENGTHS: u8 = 7;

/// The order in which the lengths of the codes for lengths are written (RFC 1951, 3.2.7).
const ORDER: [usize; 19] = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];

/// Frequencies of literals and of classes of distances.
pub(super) struct Counts {
    letters: [u32; LETTERS],
    distances: [u32; DISTANCES],
}

impl Counts {
    /// Once each, so that each has a code, seen or not.
    pub(super) fn new() -> Counts {
        Counts {
            letters: [1; LETTERS],
            distances: [1; DISTANCES],
        }
    }

    pub(super) fn add_letters(&mut self, letters: &[u8]) {
        for letter in letters {
            self.letters[usize::from(*letter)] += 1;
        }
    }

    pub(super) fn add_match(&mut self, codes: &Codes, length: usize, distance: usize) {
        self.letters[usize::from(codes.length_letters[length])] += 1;
        self.distances[codes.class(distance)] += 1;
    }

    /// Makes what was counted until now count less than what comes: a crawl goes from site to site.
    pub(super) fn fade(&mut self) {
        for count in self.letters.iter_mut().chain(&mut self.distances) {
            *count = *count / 4 + 1;
        }
    }
}

/// Some bits, the lowest first.
#[derive(Clone, Copy, Default)]
struct Code {
    bits: u32,
    count: u8,
}

/// The codes of a block, ready for use.
pub(super) struct Codes {
    letters: [Code; LETTERS],
    /// For each length of a match its code with the bits behind it.
    lengths: [Code; 259],
    /// For each length its letter, to be counted.
    length_letters: [u16; 259],
    distances: [Code; DISTANCES],
    /// The class of distances up to 256, and of greater ones divided by 128.
    classes: [u8; 512],
    /// The header of a block with these codes.
    header: (Vec<u8>, u8, u32),
}

impl Codes {
    /// The codes of the standard, which need not be written down (RFC 1951, 3.2.6).
    pub(super) fn standard() -> Codes {
        let mut letters = [8; 288];
        letters[144..256].fill(9);
        letters[256..280].fill(7);
        // The last block, with the codes of the standard.
        let header = (Vec::new(), 0b011, 3);
        // Two letters of the 288 that the codes are made for never come up.
        Codes::with(&canonical(&letters), &canonical(&[5; DISTANCES]), header)
    }

    /// Codes for what came up so often.
    pub(super) fn of(counts: &Counts) -> Codes {
        let letters = lengths(&counts.letters, MOST_BITS);
        let distances = lengths(&counts.distances, MOST_BITS);
        let header = header(&letters, &distances);
        Codes::with(&canonical(&letters), &canonical(&distances), header)
    }

    fn with(letters: &[Code], distances: &[Code], header: (Vec<u8>, u8, u32)) -> Codes {
        let mut codes = Codes {
            letters: std::array::from_fn(|letter| letters[letter]),
            lengths: [Code::default(); 259],
            length_letters: [0; 259],
            distances: std::array::from_fn(|class| distances[class]),
            classes: std::array::from_fn(|place| {
                let distance = if place < 256 {
                    place + 1
                } else {
                    ((place - 256) << 7) + 1
                };
                class_of_distance(distance)
            }),
            header,
        };
        for length in 3..codes.lengths.len() {
            let (letter, extra, more) = class_of_length(length);
            let code = letters[letter];
            codes.length_letters[length] = letter as u16;
            codes.lengths[length] = Code {
                bits: code.bits | extra << code.count,
                count: code.count + more,
            };
        }
        codes
    }

    pub(super) fn header(&self) -> (&[u8], u8, u32) {
        (&self.header.0, self.header.1, self.header.2)
    }

    /// Adds a letter; whoever does so writes after [`LETTERS_AT_ONCE`] at the latest.
    pub(super) fn put_letter(&self, byte: u8, out: &mut Bits<'_>) {
        let code = self.letters[usize::from(byte)];
        out.put(u64::from(code.bits), u32::from(code.count));
    }

    /// Adds the first of these letters, so many of them as there are.
    pub(super) fn put_letters(&self, letters: &[u8; LETTERS_AT_ONCE], most: usize, out: &mut Bits<'_>) {
        for (place, letter) in letters.iter().enumerate() {
            let code = self.letters[usize::from(*letter)];
            let counts = place < most;
            let bits = if counts { code.bits } else { 0 };
            let count = if counts { code.count } else { 0 };
            out.put(u64::from(bits), u32::from(count));
        }
    }

    pub(super) fn write_match(&self, length: usize, distance: usize, out: &mut Bits<'_>) {
        let code = self.lengths[length];
        out.put(u64::from(code.bits), u32::from(code.count));
        let class = self.class(distance);
        let code = self.distances[class];
        out.put(u64::from(code.bits), u32::from(code.count));
        // At most 12 + 5 + 12 + 13 bits: less than what a write leaves room for.
        let more = (class as u32 / 2).saturating_sub(1);
        out.put((distance - 1) as u64 & ((1 << more) - 1), more);
        out.write();
    }

    fn class(&self, distance: usize) -> usize {
        let place = if distance <= 256 {
            distance - 1
        } else {
            256 + ((distance - 1) >> 7)
        };
        usize::from(self.classes[place])
    }

    pub(super) fn write_end(&self, out: &mut Bits<'_>) {
        let code = self.letters[END];
        out.put(u64::from(code.bits), u32::from(code.count));
        out.write();
    }
}

/// Returns the symbol of a length, its extra bits, and their number (the table of RFC 1951, 3.2.5).
fn class_of_length(length: usize) -> (usize, u32, u8) {
    match length {
        258 => (285, 0, 0),
        3..=10 => (254 + length, 0, 0),
        _ => {
            // Four letters for each power of two.
            let rest = length as u32 - 3;
            let more = rest.ilog2() - 2;
            let letter = 257 + 4 * (more + 1) + ((rest >> more) & 3);
            (letter as usize, rest & ((1 << more) - 1), more as u8)
        }
    }
}

/// The class of a distance: two for each power of two (RFC 1951, 3.2.5).
fn class_of_distance(distance: usize) -> u8 {
    let rest = distance as u32 - 1;
    match rest {
        0..4 => rest as u8,
        _ => {
            let more = rest.ilog2() - 1;
            (2 * (more + 1) + ((rest >> more) & 1)) as u8
        }
    }
}

/// The bits of codes with these lengths, in the order the standard wants (RFC 1951, 3.2.2).
fn canonical(lengths: &[u8]) -> Vec<Code> {
    let mut next = [0_u32; MOST_BITS as usize + 2];
    for length in lengths.iter().filter(|length| **length > 0) {
        next[usize::from(*length) + 1] += 1;
    }
    for length in 1..next.len() {
        next[length] = (next[length] + next[length - 1]) << u32::from(length > 1);
    }
    let mut code = |length: &u8| {
        if *length == 0 {
            return Code::default();
        }
        let number = next[usize::from(*length)];
        next[usize::from(*length)] += 1;
        Code {
            bits: number.reverse_bits() >> (32 - u32::from(*length)),
            count: *length,
        }
    };
    lengths.iter().map(&mut code).collect()
}

/// Returns the lengths of optimal codes for these frequencies, none longer than a limit. Symbols
/// that never occur have none.
///
/// Huffman's algorithm gives lengths without a limit. If one is too long, frequencies are made more
/// equal until it fits, which costs next to nothing.
fn lengths(counts: &[u32], most: u8) -> Vec<u8> {
    let mut counts = counts.to_vec();
    loop {
        let lengths = huffman(&counts);
        if lengths.iter().all(|length| *length <= most) {
            return lengths;
        }
        for count in counts.iter_mut().filter(|count| **count > 0) {
            *count = *count / 2 + 1;
        }
    }
}

fn huffman(counts: &[u32]) -> Vec<u8> {
    use std::cmp::Reverse;
    use std::collections::BinaryHeap;
    let used = (0..counts.len()).filter(|letter| counts[*letter] > 0);
    let mut heap: BinaryHeap<_> = used
        .map(|letter| Reverse((u64::from(counts[letter]), letter)))
        .collect();
    // The parents of letters, and behind them those of the nodes that join two.
    let mut parents = vec![0; counts.len()];
    while let (Some(Reverse((one, first))), Some(Reverse((two, second)))) = (heap.pop(), heap.pop()) {
        let node = parents.len();
        parents.push(node);
        (parents[first], parents[second]) = (node, node);
        heap.push(Reverse((one + two, node)));
        if heap.len() == 1 {
            break;
        }
    }
    // A node's parent comes behind it, and the root is its own.
    let mut depths = vec![0_u8; parents.len()];
    for node in (0..parents.len().saturating_sub(1)).rev() {
        depths[node] = depths[parents[node]].saturating_add(1);
    }
    depths.truncate(counts.len());
    for (depth, _) in depths.iter_mut().zip(counts).filter(|(_, count)| **count == 0) {
        *depth = 0;
    }
    depths
}

/// Returns the header of the last block of a stream, with codes of these lengths (RFC 1951, 3.2.7).
fn header(letters: &[u8], distances: &[u8]) -> (Vec<u8>, u8, u32) {
    let all = [letters, distances].concat();
    let runs = runs(&all);
    let mut counts = [0; ORDER.len()];
    for (symbol, _, _) in &runs {
        counts[*symbol] += 1;
    }
    let lengths = lengths(&counts, MOST_BITS_OF_LENGTHS);
    let codes = canonical(&lengths);
    let written = ORDER
        .iter()
        .rposition(|symbol| lengths[*symbol] > 0)
        .unwrap_or(0)
        .max(3)
        + 1;
    let mut buffer = Vec::new();
    // Three bits for each code's length, up to fourteen for each run.
    let mut out = Bits::new(&mut buffer, 16 + ORDER.len() + 2 * runs.len());
    out.put(0b101, 3);
    out.put(letters.len() as u64 - 257, 5);
    out.put(distances.len() as u64 - 1, 5);
    out.put(written as u64 - 4, 4);
    out.write();
    for symbol in &ORDER[..written] {
        out.put(u64::from(lengths[*symbol]), 3);
        out.write();
    }
    for (symbol, extra, more) in runs {
        out.put(u64::from(codes[symbol].bits), u32::from(codes[symbol].count));
        out.put(extra, more);
        out.write();
    }
    out.taken()
}

/// Returns lengths of codes as the standard writes them: 16 repeats the last one three to six
/// times, with two extra bits for the count. Each symbol has its extra bits.
fn runs(lengths: &[u8]) -> Vec<(usize, u64, u32)> {
    const SHORTEST: usize = 3;
    const LONGEST: usize = 6;
    let mut runs = Vec::new();
    for run in lengths.chunk_by(|one, other| one == other) {
        runs.push((usize::from(run[0]), 0, 0));
        let mut left = run.len() - 1;
        while left >= SHORTEST {
            let times = left.min(LONGEST);
            runs.push((16, (times - SHORTEST) as u64, 2));
            left -= times;
        }
        runs.extend(std::iter::repeat_n((usize::from(run[0]), 0, 0), left));
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_are_those_of_the_standard() {
        for (length, letter, more) in [
            (3, 257, 0),
            (10, 264, 0),
            (11, 265, 1),
            (12, 265, 1),
            (13, 266, 1),
            (18, 268, 1),
            (19, 269, 2),
            (114, 279, 4),
            (115, 280, 4),
            (130, 280, 4),
            (131, 281, 5),
            (257, 284, 5),
            (258, 285, 0),
        ] {
            let (found, _, bits) = class_of_length(length);
            assert_eq!((found, bits), (letter, more), "{length}");
        }
        for (distance, class) in [
            (1, 0),
            (4, 3),
            (5, 4),
            (6, 4),
            (7, 5),
            (256, 15),
            (257, 16),
            (24_576, 28),
            (24_577, 29),
            (32_768, 29),
        ] {
            assert_eq!(class_of_distance(distance), class, "{distance}");
        }
    }

    #[test]
    fn frequent_letters_have_short_codes_and_codes_fill_the_space() {
        let mut counts: Vec<u32> = (0..40).map(|letter| 1_u32 << (letter / 2)).collect();
        counts[7] = 0;
        let lengths = lengths(&counts, MOST_BITS);
        assert!(lengths[39] < lengths[0] && lengths[7] == 0);
        let filled: f64 = lengths
            .iter()
            .filter(|length| **length > 0)
            .map(|length| 0.5_f64.powi((*length).into()))
            .sum();
        assert_eq!(filled, 1.0);
    }
}
