//! A clustering as something outside keeps it, and back: for a run that adds to yesterday's.

use serde::{Deserialize, Serialize};

use super::links::Link;
use super::origin::PAGE;
use super::{ClusterId, Clustering, MemberId, Origin, Settings, Step};
use magpie_model::Prepared;

/// A member as it stood when a clustering was kept.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Standing {
    pub id: MemberId,
    pub prepared: Prepared,
    pub cluster: ClusterId,
    pub origin: Origin,
}

/// A link that joined two members, as [`Clustering::links`] gives them.
pub type StandingLink = Step;

impl Clustering {
    /// The clustering that stood, without comparing anything. Members that name one cluster are in
    /// one cluster, whatever the links; links are only for explanations and cuts, and those between
    /// unknown members or different clusters are left out.
    pub fn restore(
        settings: Settings,
        members: impl IntoIterator<Item = Standing>,
        links: impl IntoIterator<Item = StandingLink>,
    ) -> Self {
        let mut clustering = Self::new(settings);
        let (mut prepared, mut named) = (Vec::new(), Vec::new());
        for member in members {
            named.push((member.id, member.cluster));
            prepared.push((member.id, member.prepared, member.origin));
        }
        clustering.take_in(prepared);
        // They led to their pages before, which changes nothing.
        clustering.is_unsettled = false;
        // Restored members were compared in an earlier run.
        clustering.compared = clustering.members.len();
        clustering.gather(named);
        for link in links {
            clustering.relink(&link);
        }
        clustering.partition.name(&clustering.members);
        clustering.count();
        clustering
    }

    /// The links that joined the members of clusters, in no particular order of importance: by the
    /// ids of their ends.
    pub fn links(&self) -> Vec<StandingLink> {
        let mut links: Vec<StandingLink> = self.forest.all().map(|link| self.step(link)).collect();
        links.sort_by_key(|link| (link.from, link.to));
        links
    }

    /// The links of some members, each once, in the order of the ids of their ends. The others of
    /// the clustering cost nothing.
    pub fn links_of(&self, members: &[MemberId]) -> Vec<StandingLink> {
        let places = members.iter().filter_map(|id| self.members.place(*id));
        let own = places.flat_map(|place| self.forest.from(place));
        let forward = own.map(|link| match (self.step(link), link.one < link.two) {
            (step, true) => step,
            (step, false) => Step {
                from: step.to,
                to: step.from,
                ..step
            },
        });
        let mut links: Vec<StandingLink> = forward.collect();
        links.sort_by_key(|link| (link.from, link.to));
        links.dedup_by_key(|link| (link.from, link.to));
        links
    }

    /// Puts members of one cluster together and calls it so.
    fn gather(&mut self, mut named: Vec<(MemberId, ClusterId)>) {
        named.sort_by_key(|(id, cluster)| (*cluster, *id));
        for group in named.chunk_by(|one, two| one.1 == two.1) {
            let mut places = group.iter().filter_map(|(id, _)| self.members.place(*id));
            let Some(first) = places.next() else { continue };
            for place in places {
                let (one, two) = (self.partition.slot(first), self.partition.slot(place));
                if one != two {
                    self.partition
                        .join(one, two, &self.members, self.settings.witnesses);
                }
            }
            self.partition
                .rename(self.partition.slot(first), group[0].1, &self.members);
        }
    }

    fn relink(&mut self, link: &StandingLink) {
        let (Some(one), Some(two)) = (self.members.place(link.from), self.members.place(link.to)) else {
            return;
        };
        let together = self.partition.slot(one) == self.partition.slot(two);
        // A second path would make the forest a graph, and a cut at one link would no longer
        // separate.
        if !together || self.forest.path(one, two).is_some() {
            return;
        }
        let reasons = self.reasons.numbers(&link.reasons);
        let scheme = self.members.scheme_number(&link.scheme);
        self.forest.push(Link {
            one,
            two,
            probability: link.probability as f32,
            scheme,
            is_certain: link.scheme == PAGE,
            reasons,
        });
    }
}
