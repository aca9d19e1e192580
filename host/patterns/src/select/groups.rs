//! Patterns behind one cost that is paid once.
//!
//! None of them may be worth that cost alone, or save it alone, where all together are or do. So they are weighed
//! together too.

use super::candidates::{Candidates, Lists};

/// What several patterns share.
#[derive(Clone, Copy, Debug)]
pub(super) enum Group {
    Site(u32),
    Hub(u32),
}

/// Sites with an overhead and hubs that cost something, where more than one pattern shares them.
pub(super) struct Groups {
    groups: Vec<Group>,
    /// The patterns behind each hub.
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

    /// Where shared costs do not count.
    pub(super) fn none() -> Groups {
        Groups {
            groups: Vec::new(),
            of_hub: Lists::new(),
        }
    }

    pub(super) fn len(&self) -> usize {
        self.groups.len()
    }

    pub(super) fn get(&self, place: usize) -> Group {
        self.groups[place]
    }

    /// The patterns of the group at this place.
    pub(super) fn members<'a>(&'a self, candidates: &'a Candidates, place: usize) -> &'a [u32] {
        match self.groups[place] {
            Group::Site(site) => candidates.site_lists.get(site as usize),
            Group::Hub(hub) => self.of_hub.get(hub as usize),
        }
    }
}
