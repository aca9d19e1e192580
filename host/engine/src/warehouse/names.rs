//! Numbers of clusters. A clustering identifies clusters by a member in memory, the store by a
//! permanent number.

use std::collections::HashMap;

use magpie_matching::ClusterId;

/// The numbers of the clusters of a clustering.
#[derive(Debug, Default)]
pub(super) struct Names {
    numbers: HashMap<ClusterId, i64>,
    last: i64,
}

impl Names {
    /// Numbers after this one are free.
    pub(super) fn after(last: i64) -> Self {
        Self {
            numbers: HashMap::new(),
            last,
        }
    }

    /// Gives a cluster a number that it has.
    pub(super) fn put(&mut self, id: ClusterId, number: i64) {
        self.numbers.insert(id, number);
    }

    /// The number of a cluster, and whether it is a new one.
    pub(super) fn number(&mut self, id: ClusterId) -> (i64, bool) {
        if let Some(number) = self.numbers.get(&id) {
            return (*number, false);
        }
        self.last += 1;
        self.numbers.insert(id, self.last);
        (self.last, true)
    }

    /// Merges two clusters. Returns the number that retires and the smaller one, which stays.
    pub(super) fn merge(&mut self, gone: ClusterId, stays: ClusterId) -> Option<(i64, i64)> {
        let one = self.numbers.remove(&gone)?;
        let other = self.numbers.get_mut(&stays)?;
        // The older number stays, whatever the clustering calls the cluster, so that the numbers of
        // known objects last.
        let (gone, stays) = (one.max(*other), one.min(*other));
        *other = stays;
        Some((gone, stays))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_older_number_stays_whatever_the_clustering_calls_it() {
        let mut names = Names::after(7);
        names.put(ClusterId(30), 3);
        names.put(ClusterId(20), 5);
        assert_eq!(names.merge(ClusterId(30), ClusterId(20)), Some((5, 3)));
        assert_eq!(names.number(ClusterId(20)), (3, false));
        assert_eq!(names.number(ClusterId(99)), (8, true));
        assert_eq!(names.merge(ClusterId(1), ClusterId(20)), None);
    }
}
