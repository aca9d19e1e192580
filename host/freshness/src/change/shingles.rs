//! Staleness as the share of new content: comparison of sets of short runs of words.

/// Maximum number of runs. More are sampled by the value of their hashes, so that two versions of a
/// page are sampled alike and the similarity is unbiased, to about one percent.
const MAX_SHINGLES: usize = 8192;

/// The set of runs of words of one version of a page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Shingles {
    /// Sorted and distinct; the smallest ones if there were too many.
    hashes: Vec<u64>,
}

impl Shingles {
    /// Collects all runs of `width` words of a text. A shorter text is one run, an empty one none.
    pub fn of(text: &str, width: usize) -> Self {
        let words: Vec<u64> = text.split_whitespace().map(hash).collect();
        let runs = words.windows(width.clamp(1, words.len().max(1)));
        let mut hashes: Vec<u64> = runs
            .map(|run| run.iter().fold(0, |hash, word| mix(hash ^ word)))
            .collect();
        hashes.sort_unstable();
        hashes.dedup();
        // The smallest hashes remain, so two versions of a page are sampled alike.
        hashes.truncate(MAX_SHINGLES);
        Self { hashes }
    }

    /// Number of runs.
    pub fn len(&self) -> usize {
        self.hashes.len()
    }

    /// Returns true if there are no runs.
    pub fn is_empty(&self) -> bool {
        self.hashes.is_empty()
    }
}

/// Returns one minus the Jaccard similarity of two versions: 0 for equal ones, 1 for nothing in
/// common. Two versions without words are equal.
pub fn staleness(copy: &Shingles, now: &Shingles) -> f64 {
    let (mut both, mut all) = (0_u32, 0_u32);
    let (mut left, mut right) = (copy.hashes.as_slice(), now.hashes.as_slice());
    // In a sample, only the smallest hashes of the union are known to be present or absent.
    while (all as usize) < MAX_SHINGLES {
        let (Some(one), Some(two)) = (left.first(), right.first()) else {
            all += (left.len() + right.len()).min(MAX_SHINGLES - all as usize) as u32;
            break;
        };
        all += 1;
        both += u32::from(one == two);
        left = &left[usize::from(one <= two)..];
        right = &right[usize::from(two <= one)..];
    }
    if all == 0 {
        0.0
    } else {
        1.0 - f64::from(both) / f64::from(all)
    }
}

/// FNV-1a with a final mix: fast, and the same on every machine and in every version.
fn hash(word: &str) -> u64 {
    let bytes = word.bytes();
    mix(bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    }))
}

fn mix(hash: u64) -> u64 {
    let hash = (hash ^ (hash >> 32)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (hash ^ (hash >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9) ^ (hash >> 32)
}
