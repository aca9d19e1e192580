//! Clusters of records that are one object, with the reasons.
//!
//! 1. The [`Matcher`] prepares each object once: features and keys.
//! 2. An inverted index of keys finds the pairs worth comparing. Blocks that are too large are
//!    split or compared among neighbours, so the work per object is bounded.
//! 3. Each new object is compared with its candidates, one against many. Each pair is compared
//!    once, whatever the number of keys it shares.
//! 4. Pairs with at least the threshold's probability join clusters, the strongest first. Before
//!    clusters of several members are joined, their witnesses are compared. One pair below the
//!    veto, or a mean below the required one, rejects the link. So chains of lucky links end early.
//!
//! A later [`Clustering::add`] compares only new objects and never separates old members;
//! [`Clustering::must_not_link`] separates them. Memory grows with members, their keys, and one
//! link for each joined member.
//!
//! The result of one call does not depend on the order of its objects. Several calls may give
//! another result than one, as existing clusters are not taken apart.

mod ids;
mod index;
mod join;
mod links;
mod members;
mod origin;
mod partition;
mod settings;
mod standing;

use std::collections::{BTreeMap, HashMap};

use magpie_model::{Matcher, Object, Pair, Prepared};
use serde::{Deserialize, Serialize};

use index::{Index, Met};
use links::{Forest, Link, Reasons, Waiting};
use members::Members;
use origin::{Claims, Leads, ONE_PAGE, ONE_PAGE_PROBABILITY, PAGE};
use partition::Partition;

pub use ids::{ClusterId, MemberId};
pub use origin::Origin;
pub use settings::{Report, Settings};
pub use standing::{Standing, StandingLink};

/// Pairs that the matcher is given at a time.
const MAX_PAIRS: usize = 1 << 17;

/// A cluster and its members, in the order of their ids.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cluster {
    pub id: ClusterId,
    pub members: Vec<MemberId>,
}

/// Result of [`Clustering::add`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Added {
    /// The cluster of each object given, in their order.
    pub clusters: Vec<ClusterId>,
    /// Clusters that are now part of another.
    pub merged: Vec<(ClusterId, ClusterId)>,
}

/// One link of an explanation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Step {
    pub from: MemberId,
    /// The member it was linked to.
    pub to: MemberId,
    /// Probability that they are the same.
    pub probability: f64,
    /// The scheme of the most telling key they met under.
    pub scheme: String,
    pub reasons: Vec<String>,
}

/// Objects in clusters, which more objects can be added to.
#[derive(Debug, Default)]
pub struct Clustering {
    settings: Settings,
    members: Members,
    index: Index,
    partition: Partition,
    waiting: Waiting,
    forest: Forest,
    reasons: Reasons,
    leads: Leads,
    is_unsettled: bool,
    apart: HashMap<MemberId, Vec<MemberId>>,
    /// The members before this one have been compared with all before them.
    compared: u32,
    report: Report,
}

/// Clusters objects; the position of each is its id.
pub fn cluster<M: Matcher>(
    matcher: &mut M,
    objects: &[Object],
    settings: &Settings,
) -> Result<Clustering, M::Error> {
    let mut clustering = Clustering::new(settings.clone());
    let ids: Vec<MemberId> = (0..objects.len() as u64).map(MemberId).collect();
    clustering.add(matcher, &ids, objects)?;
    Ok(clustering)
}

impl Clustering {
    pub fn new(settings: Settings) -> Self {
        let mut clustering = Self {
            settings,
            ..Self::default()
        };
        for (one, two) in clustering.settings.must_not_link.clone() {
            clustering.note_apart(one, two);
        }
        clustering
    }

    /// Adds objects, each under its id; what is there already is left as it is. Pairs of objects
    /// that were there are not looked at again.
    ///
    /// After an error nothing is lost: the next call, even without objects, continues where this
    /// one stopped. Until then some members are not yet in their clusters.
    pub fn add<M: Matcher>(
        &mut self,
        matcher: &mut M,
        ids: &[MemberId],
        objects: &[Object],
    ) -> Result<Added, M::Error> {
        self.add_from(matcher, ids, objects, &[])
    }

    /// As [`add`](Self::add), with the place where each object was found; objects beyond the list
    /// have none. Those that lead to one detail page of a site are one object, and those with
    /// different ones are not, whatever the matcher says.
    pub fn add_from<M: Matcher>(
        &mut self,
        matcher: &mut M,
        ids: &[MemberId],
        objects: &[Object],
        origins: &[Origin],
    ) -> Result<Added, M::Error> {
        let prepared = self.prepare(matcher, ids, objects)?;
        let places = origins
            .iter()
            .copied()
            .chain(std::iter::repeat(Origin::default()));
        let prepared = prepared.into_iter().zip(places);
        self.take_in(
            prepared
                .map(|((id, prepared), origin)| (id, prepared, origin))
                .collect(),
        );
        let outcome = self
            .compare_new(matcher)
            .and_then(|()| self.join_waiting(matcher));
        // Also after an error: clusters that were joined before it need their ids.
        self.partition.name(&self.members);
        self.count();
        outcome?;
        Ok(Added {
            clusters: ids.iter().filter_map(|id| self.cluster_of(*id)).collect(),
            merged: self.partition.take_merged(),
        })
    }

    /// The cluster of a member.
    ///
    /// A cluster is called by the smallest id among the members it was founded with, and keeps that
    /// when others join. When two standing clusters become one, the one founded by an earlier call
    /// keeps its id; of two founded by one call, the smaller id stays.
    pub fn cluster_of(&self, member: MemberId) -> Option<ClusterId> {
        self.partition
            .id(self.partition.slot(self.members.place(member)?))
    }

    /// Current id of the cluster that once had this id: follows merges.
    pub fn current(&self, id: ClusterId) -> ClusterId {
        let mut current = id;
        // An id can retire only into an older one, so this ends.
        while let Some(next) = self.partition.retired().get(&current) {
            current = *next;
        }
        current
    }

    /// All clusters, in the order of their ids.
    pub fn clusters(&self) -> Vec<Cluster> {
        let sorted = self.partition.slots().filter_map(|slot| {
            let id = self.partition.id(slot)?;
            Some((id, self.sorted_members(slot)))
        });
        let sorted: BTreeMap<ClusterId, Vec<MemberId>> = sorted.collect();
        sorted
            .into_iter()
            .map(|(id, members)| Cluster { id, members })
            .collect()
    }

    /// The members of the cluster a member is in, in the order of their ids.
    pub fn members_with(&self, member: MemberId) -> Vec<MemberId> {
        let place = self.members.place(member);
        place
            .map(|place| self.sorted_members(self.partition.slot(place)))
            .unwrap_or_default()
    }

    /// Returns the links from one member to another in the same cluster, or `None` if they are in
    /// different clusters.
    ///
    /// Clusters are joined by their strongest links first, so no other path has a stronger weakest
    /// link.
    pub fn why(&self, one: MemberId, two: MemberId) -> Option<Vec<Step>> {
        let path = self
            .forest
            .path(self.members.place(one)?, self.members.place(two)?)?;
        Some(path.into_iter().map(|link| self.step(link)).collect())
    }

    /// Says that two members are not one object. If they are in one cluster, it is cut at the
    /// weakest link between them.
    pub fn must_not_link(&mut self, one: MemberId, two: MemberId) {
        self.note_apart(one, two);
        let (Some(first), Some(second)) = (self.members.place(one), self.members.place(two)) else {
            return;
        };
        if first == second {
            return;
        }
        // Cut first: only members of different clusters can be kept apart.
        self.cut_between(first, second);
        self.partition.keep_apart(first, second);
        self.partition.name(&self.members);
        self.count();
    }

    /// Counts of the work so far.
    pub fn report(&self) -> &Report {
        &self.report
    }

    /// The features and keys of new objects.
    fn prepare<M: Matcher>(
        &mut self,
        matcher: &mut M,
        ids: &[MemberId],
        objects: &[Object],
    ) -> Result<Vec<(MemberId, Prepared)>, M::Error> {
        // Nothing is taken in before all batches are prepared, so an error leaves the clustering as
        // it was.
        let mut all = Vec::new();
        let size = self.settings.batch.max(1);
        for (ids, objects) in ids.chunks(size).zip(objects.chunks(size)) {
            let mut prepared = matcher.prepare(objects)?;
            // An object the matcher left out has no keys, so it stays alone.
            prepared.resize_with(objects.len(), Prepared::default);
            all.extend(ids.iter().copied().zip(prepared));
        }
        Ok(all)
    }

    /// Counts where an object is found that is added later, so that the pages that are detail pages
    /// do not depend on the order of the calls.
    pub fn foresee(&mut self, id: MemberId, origin: &Origin) {
        self.leads.foresee(id, origin);
    }

    /// Returns true if two records are never one object: they lead to different pages of one site,
    /// or are rows of one list.
    pub fn forbids(&self, one: &Origin, two: &Origin) -> bool {
        self.leads.forbid(one, two)
    }

    /// Returns true if what was added has changed which pages are detail pages, after earlier
    /// members were joined or kept apart by them. Then another clustering that foresees all would
    /// give another result.
    pub fn is_unsettled(&self) -> bool {
        self.is_unsettled
    }

    fn take_in(&mut self, prepared: Vec<(MemberId, Prepared, Origin)>) {
        let from = self.members.len();
        for (id, prepared, origin) in prepared {
            if self.members.place(id).is_some() {
                self.report.known += 1;
                continue;
            }
            let place = self.members.len();
            self.members.push(id, prepared, origin, &mut self.report);
            self.partition.push(place, Claims::of(&origin));
            for other in self.apart.get(&id).into_iter().flatten() {
                if let Some(other) = self.members.place(*other).filter(|other| *other != place) {
                    self.partition.keep_apart(place, other);
                }
            }
        }
        self.is_unsettled |= self.leads.observe(&self.members, from);
        self.index
            .extend(&self.members, from, &self.settings, &mut self.report);
    }

    fn compare_new<M: Matcher>(&mut self, matcher: &mut M) -> Result<(), M::Error> {
        self.link_by_pages();
        while self.compared < self.members.len() {
            let mut next = self.compared;
            let mut candidates: Vec<(u32, Met)> = Vec::new();
            while next < self.members.len() && candidates.len() < MAX_PAIRS {
                let own = self.members.origin(next);
                let met = self.index.met(&self.members, next, &self.settings);
                let met = met
                    .into_iter()
                    .filter(|met| !self.leads.forbid(own, self.members.origin(met.place)));
                candidates.extend(met.map(|met| (next, met)));
                next += 1;
            }
            self.compare(matcher, &candidates)?;
            // A call that failed begins with these members again, and a link that is found twice
            // joins once.
            self.compared = next;
        }
        Ok(())
    }

    /// Links the members that were not compared yet to those that lead to the same page.
    fn link_by_pages(&mut self) {
        let pairs = self.leads.pairs(&self.members, self.compared);
        if pairs.is_empty() {
            return;
        }
        let scheme = self.members.scheme_number(PAGE);
        let reasons = self.reasons.numbers(&[ONE_PAGE.to_owned()]);
        for (one, two) in pairs {
            self.report.links += 1;
            let link = Link {
                one,
                two,
                probability: ONE_PAGE_PROBABILITY as f32,
                scheme,
                is_certain: true,
                reasons: reasons.clone(),
            };
            self.waiting.push(link, &self.members);
        }
    }

    fn compare<M: Matcher>(&mut self, matcher: &mut M, candidates: &[(u32, Met)]) -> Result<(), M::Error> {
        let pairs = candidates.iter().map(|(place, met)| Pair {
            one: self.members.features(*place),
            other: self.members.features(met.place),
            key: met.key.number(),
        });
        let verdicts = matcher.compare_pairs(&pairs.collect::<Vec<_>>())?;
        self.report.calls += candidates.chunk_by(|one, other| one.0 == other.0).count() as u64;
        self.report.pairs_compared += candidates.len() as u64;
        // A matcher is a plugin: it may return too few verdicts, and the pairs without one do not
        // match.
        let verdicts = verdicts.into_iter().chain(std::iter::repeat(None));
        for ((place, met), verdict) in candidates.iter().zip(verdicts) {
            let Some(verdict) = verdict else {
                self.report.bad_verdicts += 1;
                continue;
            };
            let probability = self.trusted(verdict.probability);
            if probability < self.settings.threshold {
                continue;
            }
            self.report.links += 1;
            let reasons = self.reasons.numbers(&verdict.reasons);
            let link = Link {
                one: *place,
                two: met.place,
                probability: probability as f32,
                scheme: met.key.scheme(),
                is_certain: false,
                reasons,
            };
            self.waiting.push(link, &self.members);
        }
        Ok(())
    }

    /// A probability between 0 and 1, whatever the matcher said.
    fn trusted(&mut self, probability: f64) -> f64 {
        if (0.0..=1.0).contains(&probability) {
            return probability;
        }
        self.report.bad_verdicts += 1;
        if probability > 1.0 { 1.0 } else { 0.0 }
    }

    fn note_apart(&mut self, one: MemberId, two: MemberId) {
        self.apart.entry(one).or_default().push(two);
        self.apart.entry(two).or_default().push(one);
    }

    fn cut_between(&mut self, one: u32, two: u32) {
        let Some(path) = self.forest.path(one, two) else {
            return;
        };
        let weakest = path
            .iter()
            .min_by(|first, second| first.probability.total_cmp(&second.probability));
        let Some((from, to)) = weakest.map(|link| (link.one, link.two)) else {
            return;
        };
        self.forest.remove(from, to);
        let out = self.forest.tree(to);
        self.partition.cut(&out, &self.members, self.settings.witnesses);
    }

    fn sorted_members(&self, slot: u32) -> Vec<MemberId> {
        let mut members: Vec<MemberId> = self
            .partition
            .members(slot)
            .iter()
            .map(|place| self.members.id(*place))
            .collect();
        members.sort_unstable();
        members
    }

    fn step(&self, link: &Link) -> Step {
        Step {
            from: self.members.id(link.one),
            to: self.members.id(link.two),
            probability: f64::from(link.probability),
            scheme: self.members.scheme(link.scheme).to_owned(),
            reasons: self.reasons.texts(&link.reasons),
        }
    }

    fn count(&mut self) {
        let records = u64::from(self.members.len());
        self.report.pairs_possible = records * records.saturating_sub(1) / 2;
        self.report.clusters = self.partition.count() as u64;
    }
}
