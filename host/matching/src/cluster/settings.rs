//! Settings and counts of clustering.

use serde::{Deserialize, Serialize};

use super::ids::MemberId;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Settings {
    /// From this probability on, two objects are taken for one.
    pub threshold: f64,
    /// Below this probability, two objects are never in one cluster if they are seen to meet there.
    pub veto: f64,
    /// When clusters meet over one strong link, the mean probability between their witnesses must
    /// be at least this too, so that a chain of lucky links does not grow: what the members say of
    /// one another on average decides, and not the best of it.
    pub agreement: f64,
    /// Number of members that represent a cluster when it meets another; the cost of a meeting is
    /// the square of it.
    pub witnesses: usize,
    /// Blocks up to this size are compared in full. Work grows with the square, and a key that more
    /// objects share is weak evidence; the parts of larger blocks are found by their second keys.
    pub block_cap: usize,
    /// Number of neighbours on either side with which an object is compared in blocks that are
    /// still too large.
    pub window: usize,
    /// Number of objects that the matcher prepares in one call.
    pub batch: usize,
    /// Pairs that are not one object, whatever the matcher says.
    pub must_not_link: Vec<(MemberId, MemberId)>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            threshold: 0.5,
            veto: 0.05,
            agreement: 0.5,
            witnesses: 4,
            block_cap: 20,
            window: 3,
            batch: 256,
            must_not_link: Vec::new(),
        }
    }
}

/// Counts of a clustering's work, over its whole life.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Report {
    /// Objects taken in.
    pub records: u64,
    /// Objects left out because their id was there already.
    pub known: u64,
    /// Keys the matcher gave them.
    pub keys: u64,
    /// Keys beyond what is looked at of one object.
    pub keys_left_out: u64,
    /// Different keys.
    pub blocks: u64,
    /// Blocks that are too large to be compared in full.
    pub blocks_capped: u64,
    /// The size of the largest block.
    pub largest_block: u64,
    /// Pairs there are, of all objects.
    pub pairs_possible: u64,
    /// Pairs the matcher compared because they share a key.
    pub pairs_compared: u64,
    /// Calls of `compare`, those of the guard included.
    pub calls: u64,
    /// Verdicts that were missing, or whose probability was none.
    pub bad_verdicts: u64,
    /// Pairs with at least the threshold's probability.
    pub links: u64,
    /// Links that joined two clusters.
    pub joined: u64,
    /// Pairs the guard compared.
    pub pairs_guarded: u64,
    /// Links that the guard kept from joining two clusters that disagree.
    pub rejected_by_guard: u64,
    /// Links refused because of a pair that must not be linked.
    pub rejected_by_hand: u64,
    /// Links refused because the members have different pages of one site, or are rows of one list.
    pub rejected_by_site: u64,
    /// Clusters, those of one member included.
    pub clusters: u64,
}
