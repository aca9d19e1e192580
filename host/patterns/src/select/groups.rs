//! Groups of patterns with a common cost.
//!
//! None of them may be worth that cost by itself, or save it by itself, where all of them together
//! do. So they are also evaluated together.

use super::candidates::{Candidates, Lists};

/// A cost that several patterns share.
#[derive(Clone, Copy, Debug)]
pub(super) enum Group {
    Site(u32),
    Hub(u32),
}

/// The groups: sites with an overhead and hubs with a cost that more than one pattern shares.
pub(super) struct Groups {
    groups: Vec<Group>,
    /// Patterns behind each hub.
    pub(super) of_hub: Lists,
}

impl Groups {
    pub(super) fn new(candidates: &Candidates) -> Groups {
        let of_hub = candidates.hub_lists.inverted(candidates.hub_costs.len());
        let sites = (0..candidates.sites())
            .filter(|site| candidates.overhead[*site] > 0.0 && candidates.site_lists.range(*site).len() > 1)
            .map(|site| Group::Site(site as u32));
        let hubs = (0..candidates.hub_costs.len())
            .filter(|hub| candidates.hub_costs[*hub] > 0.0 && of_hub.range(*hub).len() > 1)
            .map(|hub| Group::Hub(hub as u32));
        Groups {
            groups: sites.chain(hubs).collect(),
            of_hub,
        }
    }

    /// Returns no groups, for prices without shared costs.
    pub(super) fn none() -> Groups {
        Groups {
            groups: Vec::new(),
            of_hub: Lists::new(),
        }
    }

    pub(super) fn len(&self) -> usize {
        self.groups.len()
    }

    pub(super) fn get(&self, index: usize) -> Group {
        self.groups[index]
    }

    /// Returns the patterns of a group.
    pub(super) fn members<'a>(&'a self, candidates: &'a Candidates, index: usize) -> &'a [u32] {
        match self.groups[index] {
            Group::Site(site) => candidates.site_lists.get(site as usize),
            Group::Hub(hub) => self.of_hub.get(hub as usize),
        }
    }
}
