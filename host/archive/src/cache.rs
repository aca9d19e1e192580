//! The blocks of files that were read last.

use std::collections::{HashMap, VecDeque};

use bytes::Bytes;

/// Size of a block. Neighbours of a page are often asked for next, and stores take as long for the
/// first byte as for a megabyte.
pub(crate) const BLOCK: u64 = 1024 * 1024;

/// Number of blocks that are kept, and so the megabytes of memory.
const BLOCKS: usize = 48;

/// Files never change once they are written, so what is kept stays right.
#[derive(Debug, Default)]
pub(crate) struct Cache {
    blocks: HashMap<(String, u64), Bytes>,
    /// The oldest is first.
    order: VecDeque<(String, u64)>,
}

impl Cache {
    pub(crate) fn get(&self, file: &str, block: u64) -> Option<Bytes> {
        self.blocks.get(&(file.to_owned(), block)).cloned()
    }

    pub(crate) fn insert(&mut self, file: &str, block: u64, bytes: Bytes) {
        let key = (file.to_owned(), block);
        if self.blocks.insert(key.clone(), bytes).is_none() {
            self.order.push_back(key);
        }
        while self.order.len() > BLOCKS {
            if let Some(oldest) = self.order.pop_front() {
                self.blocks.remove(&oldest);
            }
        }
    }
}
