//! The head of a queue that lies in a database.

use std::collections::BTreeMap;

/// The first entries of an ordered queue, in memory, while the rest is in the database.
///
/// Invariant: every queued entry whose key is not above `edge` is in `ready`. Those above are in
/// the database, and in `later` as long as the database may not have them yet. So nothing is lost
/// between memory and an uncommitted batch, and a new entry at the head is there at once.
#[derive(Debug)]
pub(crate) struct Window<K, V> {
    ready: BTreeMap<K, (u64, V)>,
    later: BTreeMap<K, (u64, V)>,
    edge: Edge<K>,
    capacity: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Edge<K> {
    /// All entries are in memory.
    All,
    /// Entries up to this key are in memory; for `None`, no entry is.
    After(Option<K>),
}

impl<K: Ord + Copy, V> Window<K, V> {
    /// A window that knows nothing yet of a queue in the database.
    pub(crate) fn unread(capacity: usize) -> Window<K, V> {
        Window {
            ready: BTreeMap::new(),
            later: BTreeMap::new(),
            edge: Edge::After(None),
            capacity,
        }
    }

    /// Adds an entry that is durable once `sequence` is committed.
    pub(crate) fn push(&mut self, key: K, sequence: u64, value: V) {
        let belongs = match self.edge {
            Edge::All => true,
            // Beyond the edge the database has entries that were not read. One that came later must
            // not overtake them.
            Edge::After(edge) => edge.is_some_and(|edge| key <= edge),
        };
        if !belongs {
            self.later.insert(key, (sequence, value));
            return;
        }
        self.ready.insert(key, (sequence, value));
        self.shrink();
    }

    /// The first entry, if it is in memory.
    pub(crate) fn first(&self) -> Option<K> {
        self.ready.first_key_value().map(|(key, _)| *key)
    }

    pub(crate) fn pop(&mut self) -> Option<(K, V)> {
        self.ready.pop_first().map(|(key, (_, value))| (key, value))
    }

    /// Returns the key after which the database must be read, if memory is empty and there may be
    /// more.
    pub(crate) fn wants(&self) -> Option<Option<K>> {
        match self.edge {
            Edge::After(edge) if self.ready.is_empty() => Some(edge),
            _ => None,
        }
    }

    /// Adds the entries of the database after the edge, in order and without taken ones. `last` is
    /// the key of the last row read, and `exhausted` means that there are no more. The rows were
    /// read when everything up to `committed` was there, or a little more.
    pub(crate) fn refill(&mut self, rows: Vec<(K, V)>, last: Option<K>, exhausted: bool, committed: u64) {
        self.forget(committed);
        for (key, value) in rows {
            self.ready.insert(key, (0, value));
        }
        if exhausted {
            self.ready.append(&mut self.later);
            self.edge = Edge::All;
        } else if let Some(last) = last {
            let mut beyond = self.later.split_off(&last);
            // It was among the rows, and perhaps taken already.
            beyond.remove(&last);
            self.ready.append(&mut self.later);
            self.later = beyond;
            self.edge = Edge::After(Some(last));
        }
        self.shrink();
    }

    /// Lets go of what the database has by now.
    pub(crate) fn forget(&mut self, committed: u64) {
        self.later.retain(|_, (sequence, _)| *sequence > committed);
    }

    /// Number of entries in memory that wait for the database.
    pub(crate) fn unwritten(&self) -> usize {
        self.later.len()
    }

    fn shrink(&mut self) {
        while self.ready.len() > self.capacity {
            let Some((key, (sequence, value))) = self.ready.pop_last() else {
                return;
            };
            // An entry that was read from the database can be read again. A new one may not be
            // committed yet.
            if sequence > 0 {
                self.later.insert(key, (sequence, value));
            }
            self.edge = Edge::After(self.ready.last_key_value().map(|(key, _)| *key));
        }
    }
}
