//! Members that share a key: blocks, and the treatment of blocks that are too large.
//!
//! A block up to the cap is compared in full. A larger one is split: members that share a second
//! large block meet in the block of both keys (a second key whose block is small has its own
//! comparisons anyway). What is still too large is sorted by the features, and each member meets
//! its neighbours alone. So the work per member is bounded by its keys, the cap and the window.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use super::members::{KeyHash, Members};
use super::settings::{Report, Settings};

/// Maximum number of a member's large blocks that are combined with one another.
const MAX_COMBINED: usize = 6;

/// The inverted index of keys.
#[derive(Debug, Default)]
pub(super) struct Index {
    blocks: HashMap<KeyHash, Block>,
    /// Blocks of two keys, both of whose blocks are too large.
    combined: HashMap<KeyHash, Vec<u32>>,
}

/// Most keys belong to one object alone, so that case has no heap behind it.
#[derive(Debug)]
enum Block {
    Single(u32),
    /// In the order of places; in the order of features once it is large.
    Several(Box<Several>),
}

#[derive(Debug)]
struct Several {
    members: Vec<u32>,
    large: bool,
}

/// A member met under a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Met {
    /// The other member.
    pub(super) place: u32,
    /// Position of the key among the member's keys; the most distinctive is shown.
    rank: u16,
    pub(super) key: KeyHash,
}

impl Index {
    /// Takes in the members from `from` on.
    pub(super) fn extend(&mut self, members: &Members, from: u32, settings: &Settings, report: &mut Report) {
        let mut grown: Vec<KeyHash> = Vec::new();
        for place in from..members.len() {
            for key in members.keys(place) {
                let size = self.insert(*key, place);
                report.largest_block = report.largest_block.max(size as u64);
                if size > settings.block_cap {
                    grown.push(*key);
                }
            }
        }
        // Many members may have been added to one block.
        grown.sort_unstable();
        grown.dedup();
        let changed = self.sort_large(members, &grown, from, report);
        self.combine(members, changed, settings.block_cap);
        report.blocks = self.blocks.len() as u64;
    }

    /// The members before `place` that it meets, each once, by place.
    pub(super) fn met(&self, members: &Members, place: u32, settings: &Settings) -> Vec<Met> {
        let mut met = Vec::new();
        let mut large: Vec<(u16, KeyHash)> = Vec::new();
        for (rank, key) in members.keys(place).iter().enumerate() {
            let rank = rank as u16;
            let Some(Block::Several(block)) = self.blocks.get(key) else {
                continue;
            };
            if block.large {
                large.push((rank, *key));
                near(members, &block.members, place, settings.window, &mut |other| {
                    met.push(Met {
                        place: other,
                        rank,
                        key: *key,
                    });
                });
            } else {
                let others = block.members.iter().filter(|other| **other < place);
                met.extend(others.map(|other| Met {
                    place: *other,
                    rank,
                    key: *key,
                }));
            }
        }
        for (rank, key) in pairs(&large) {
            let Some(block) = self.combined.get(&key) else {
                continue;
            };
            let mut meet = |other: u32| {
                met.push(Met {
                    place: other,
                    rank,
                    key,
                });
            };
            // A block of two keys may be too large as well. Then only neighbours meet, so the work
            // has a limit in any case.
            if block.len() > settings.block_cap {
                near(members, block, place, settings.window, &mut meet);
            } else {
                block
                    .iter()
                    .copied()
                    .filter(|other| *other < place)
                    .for_each(&mut meet);
            }
        }
        // By place, then by rank: of several keys the most telling remains.
        met.sort_unstable();
        met.dedup_by_key(|met| met.place);
        met
    }

    /// Puts a member into a block; the block's size.
    fn insert(&mut self, key: KeyHash, place: u32) -> usize {
        match self.blocks.entry(key) {
            Entry::Vacant(entry) => {
                entry.insert(Block::Single(place));
                1
            }
            Entry::Occupied(mut entry) => match entry.get_mut() {
                Block::Single(first) => {
                    let members = vec![*first, place];
                    entry.insert(Block::Several(Box::new(Several {
                        members,
                        large: false,
                    })));
                    2
                }
                Block::Several(block) => {
                    block.members.push(place);
                    block.members.len()
                }
            },
        }
    }

    /// Sorts the blocks that are too large, and returns the members whose combined blocks change:
    /// all of a block that has just become large, else the new ones.
    fn sort_large(
        &mut self,
        members: &Members,
        grown: &[KeyHash],
        from: u32,
        report: &mut Report,
    ) -> Vec<u32> {
        let mut changed = Vec::new();
        for key in grown {
            let Some(Block::Several(block)) = self.blocks.get_mut(key) else {
                continue;
            };
            let news = block
                .members
                .iter()
                .copied()
                // Old members of a large block have their combined blocks already.
                .filter(|place| !block.large || *place >= from);
            changed.extend(news);
            report.blocks_capped += u64::from(!block.large);
            block.large = true;
            sort(members, &mut block.members);
        }
        changed.sort_unstable();
        changed.dedup();
        changed
    }

    fn combine(&mut self, members: &Members, changed: Vec<u32>, cap: usize) {
        let mut touched = Vec::new();
        for place in changed {
            let large: Vec<(u16, KeyHash)> = members
                .keys(place)
                .iter()
                .filter(|key| matches!(self.blocks.get(key), Some(Block::Several(block)) if block.large))
                .map(|key| (0, *key))
                .collect();
            for (_, key) in pairs(&large) {
                self.combined.entry(key).or_default().push(place);
                touched.push(key);
            }
        }
        touched.sort_unstable();
        touched.dedup();
        for key in touched {
            let Some(block) = self.combined.get_mut(&key) else {
                continue;
            };
            block.sort_unstable();
            block.dedup();
            if block.len() > cap {
                sort(members, block);
            }
        }
    }
}

/// The combinations of a member's large blocks, with the rank of the first.
fn pairs(large: &[(u16, KeyHash)]) -> Vec<(u16, KeyHash)> {
    // The pairs grow with the square of the number of blocks.
    let large = &large[..large.len().min(MAX_COMBINED)];
    let mut pairs = Vec::new();
    for (position, (rank, one)) in large.iter().enumerate() {
        for (_, two) in &large[position + 1..] {
            pairs.push((*rank, one.and(*two)));
        }
    }
    pairs
}

/// By features, so that the neighbours do not depend on the order the members came in.
fn sort(members: &Members, block: &mut [u32]) {
    block.sort_by(|one, two| by_features(members, *one, *two));
}

fn by_features(members: &Members, one: u32, two: u32) -> std::cmp::Ordering {
    members
        .features(one)
        .cmp(members.features(two))
        .then(one.cmp(&two))
}

/// Tells the members before `place` that stand near it in a sorted block.
fn near(members: &Members, block: &[u32], place: u32, window: usize, meet: &mut dyn FnMut(u32)) {
    // The block is sorted by features, in which the member finds itself.
    let Ok(at) = block.binary_search_by(|other| by_features(members, *other, place)) else {
        return;
    };
    let neighbours = &block[at.saturating_sub(window)..(at + window + 1).min(block.len())];
    neighbours
        .iter()
        .copied()
        .filter(|other| *other < place)
        .for_each(meet);
}
