//! Assignment of members to clusters, and the ids of clusters.
//!
//! A cluster's id is the id of one of its members, fixed when the cluster is founded: the smallest
//! id among those it was founded with. It stays when members are added. When two standing clusters
//! become one, the older one's id stays (of two founded by the same call, the smaller id). When a
//! cluster is cut in two, the part with the member it is named after keeps the id.

use std::collections::BTreeMap;

use super::ids::{ClusterId, MemberId};
use super::members::Members;
use super::origin::{Claims, Leads};

/// All clusters.
#[derive(Debug, Default)]
pub(super) struct Partition {
    slot_of: Vec<u32>,
    slots: Vec<Slot>,
    free: Vec<u32>,
    /// Slots that have no id yet, or may have lost it since.
    nameless: Vec<u32>,
    generation: u32,
    retired: BTreeMap<ClusterId, ClusterId>,
    /// Cluster ids that retired since the last query.
    merged: Vec<(ClusterId, ClusterId)>,
}

/// One cluster; empty when it is part of another.
#[derive(Debug, Default)]
struct Slot {
    members: Vec<u32>,
    /// The members that speak for it: those with the richest features.
    witnesses: Vec<u32>,
    founding: Option<Founding>,
    /// Members of other clusters that must not come in.
    strangers: Vec<u32>,
    claims: Claims,
}

/// When and as what a cluster was founded; the older comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Founding {
    generation: u32,
    id: ClusterId,
}

impl Partition {
    /// Adds a member as a cluster of its own.
    pub(super) fn push(&mut self, place: u32, claims: Claims) {
        let slot = self.new_slot(Slot {
            members: vec![place],
            witnesses: vec![place],
            claims,
            ..Slot::default()
        });
        self.slot_of.push(slot);
    }

    /// The number of the cluster a member is in, until the next change.
    pub(super) fn slot(&self, place: u32) -> u32 {
        self.slot_of[place as usize]
    }

    /// The members of a cluster, unsorted.
    pub(super) fn members(&self, slot: u32) -> &[u32] {
        &self.slots[slot as usize].members
    }

    /// The members that speak for a cluster.
    pub(super) fn witnesses(&self, slot: u32) -> &[u32] {
        &self.slots[slot as usize].witnesses
    }

    /// The cluster's id; none until [`name`](Self::name) is called.
    pub(super) fn id(&self, slot: u32) -> Option<ClusterId> {
        self.slots[slot as usize].founding.map(|founding| founding.id)
    }

    /// All clusters.
    pub(super) fn slots(&self) -> impl Iterator<Item = u32> {
        (0..self.slots.len() as u32).filter(|slot| !self.slots[*slot as usize].members.is_empty())
    }

    pub(super) fn count(&self) -> usize {
        self.slots.len() - self.free.len()
    }

    /// Successors of ids that no cluster has any more.
    pub(super) fn retired(&self) -> &BTreeMap<ClusterId, ClusterId> {
        &self.retired
    }

    /// The ids that retired since the last call, each with the id that stayed.
    pub(super) fn take_merged(&mut self) -> Vec<(ClusterId, ClusterId)> {
        std::mem::take(&mut self.merged)
    }

    /// Notes that two members must never be in one cluster; they are not now.
    pub(super) fn keep_apart(&mut self, one: u32, two: u32) {
        for (here, stranger) in [(one, two), (two, one)] {
            let slot = self.slot(here) as usize;
            self.slots[slot].strangers.push(stranger);
        }
    }

    /// Returns true if two clusters contain a pair that must be kept apart.
    pub(super) fn are_strangers(&self, one: u32, two: u32) -> bool {
        // The shorter list is searched, because each pair is in both.
        let (one, two) = if self.strangers(one) <= self.strangers(two) {
            (one, two)
        } else {
            (two, one)
        };
        self.slots[one as usize]
            .strangers
            .iter()
            .any(|stranger| self.slot(*stranger) == two)
    }

    /// Returns true if two clusters have members that are never one object within their site.
    pub(super) fn forbid(&self, one: u32, two: u32, leads: &Leads) -> bool {
        let claims = |slot: u32| &self.slots[slot as usize].claims;
        claims(one).forbid(claims(two), leads)
    }

    /// Merges two clusters. `witnesses` limits the number of their representatives.
    pub(super) fn join(&mut self, one: u32, two: u32, members: &Members, witnesses: usize) {
        // The smaller cluster moves, so a member moves at most as often as its cluster doubles.
        let (into, from) = if self.members(one).len() >= self.members(two).len() {
            (one, two)
        } else {
            (two, one)
        };
        let gone = std::mem::take(&mut self.slots[from as usize]);
        self.free.push(from);
        for place in &gone.members {
            self.slot_of[*place as usize] = into;
        }
        let slot = &mut self.slots[into as usize];
        slot.members.extend(gone.members);
        slot.strangers.extend(gone.strangers);
        slot.claims.extend(gone.claims);
        slot.witnesses.extend(gone.witnesses);
        choose_witnesses(&mut slot.witnesses, members, witnesses);
        slot.founding = match (slot.founding, gone.founding) {
            (Some(one), Some(two)) => {
                let (stays, goes) = if one < two { (one, two) } else { (two, one) };
                // Programs outside may still hold the id that goes.
                self.retired.insert(goes.id, stays.id);
                self.merged.push((goes.id, stays.id));
                Some(stays)
            }
            (one, two) => one.or(two),
        };
        if slot.founding.is_none() {
            self.nameless.push(into);
        }
    }

    /// Takes members, but not all, out of their cluster into one of their own.
    pub(super) fn cut(&mut self, out: &[u32], members: &Members, witnesses: usize) {
        let Some(first) = out.first() else { return };
        let old = self.slot(*first);
        let new = self.new_slot(Slot::default());
        for place in out {
            self.slot_of[*place as usize] = new;
        }
        let slot = std::mem::take(&mut self.slots[old as usize]);
        let stays = |place: &u32| self.slot_of[*place as usize] == old;
        let (old_members, new_members): (Vec<u32>, Vec<u32>) =
            slot.members.iter().partition(|place| stays(place));
        let named_new = |founding: &Founding| {
            members
                .place(MemberId(founding.id.0))
                .is_some_and(|place| self.slot_of[place as usize] == new)
        };
        let (new_founding, old_founding) = match slot.founding {
            Some(founding) if named_new(&founding) => (Some(founding), None),
            founding => (None, founding),
        };
        for (number, part, founding) in [(old, old_members, old_founding), (new, new_members, new_founding)] {
            let mut speaking = part.clone();
            choose_witnesses(&mut speaking, members, witnesses);
            // Which stranger belongs to which part is not known, so both parts keep away from all:
            // cuts are rare, and a link too few does less harm than one too many.
            let strangers = slot.strangers.clone();
            let mut claims = Claims::default();
            part.iter()
                .for_each(|place| claims.extend(Claims::of(members.origin(*place))));
            self.slots[number as usize] = Slot {
                members: part,
                witnesses: speaking,
                founding,
                strangers,
                claims,
            };
            if founding.is_none() {
                self.nameless.push(number);
            }
        }
    }

    /// Gives an id to every cluster without one.
    pub(super) fn name(&mut self, members: &Members) {
        self.generation += 1;
        for number in std::mem::take(&mut self.nameless) {
            let slot = &mut self.slots[number as usize];
            let smallest = slot.members.iter().map(|place| members.id(*place)).min();
            if let (None, Some(MemberId(id))) = (slot.founding, smallest) {
                let id = ClusterId(id);
                slot.founding = Some(Founding {
                    generation: self.generation,
                    id,
                });
                // After a cut a retired id may be the name of a cluster again.
                self.retired.remove(&id);
            }
        }
    }

    /// Restores the earlier id of a cluster if that is still the id of a member. Otherwise the id
    /// retires, and the cluster gets a new one.
    pub(super) fn rename(&mut self, slot: u32, id: ClusterId, members: &Members) {
        let ids = || {
            self.slots[slot as usize]
                .members
                .iter()
                .map(|place| ClusterId(members.id(*place).0))
        };
        let smallest = ids().min();
        let kept = if ids().any(|member| member == id) {
            Some(id)
        } else {
            smallest
        };
        if let Some(kept) = kept {
            self.slots[slot as usize].founding = Some(Founding {
                generation: self.generation,
                id: kept,
            });
            if kept != id {
                self.retired.insert(id, kept);
            }
        }
    }

    fn strangers(&self, slot: u32) -> usize {
        self.slots[slot as usize].strangers.len()
    }

    fn new_slot(&mut self, slot: Slot) -> u32 {
        let number = self.free.pop().unwrap_or(self.slots.len() as u32);
        if number as usize == self.slots.len() {
            self.slots.push(slot);
        } else {
            self.slots[number as usize] = slot;
        }
        self.nameless.push(number);
        number
    }
}

/// Keeps the members whose features are longest: who says most can disagree best. The order of the
/// bytes decides between equals, not the order the members came in.
fn choose_witnesses(witnesses: &mut Vec<u32>, members: &Members, most: usize) {
    // A detail page says what its object is. What lists and widgets say of it may be misread, and
    // must not keep the object from its twins on other sites.
    let is_subject = |place: &u32| members.origin(*place).is_subject;
    if witnesses.iter().any(is_subject) {
        witnesses.retain(is_subject);
    }
    witnesses.sort_by(|one, two| {
        let (one_features, two_features) = (members.features(*one), members.features(*two));
        let by_length = two_features.len().cmp(&one_features.len());
        by_length
            .then_with(|| one_features.cmp(two_features))
            .then(one.cmp(two))
    });
    witnesses.truncate(most.max(1));
}
