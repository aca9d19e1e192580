//! Joining of clusters over links, the strongest first, unless witnesses disagree.

use std::collections::HashSet;

use super::Clustering;
use super::links::Link;
use magpie_model::Matcher;

/// Two clusters that were kept apart, with their sizes: while these stay, so does the answer.
type Refusal = [(u32, usize); 2];

/// Agreement between the witnesses of two clusters.
struct Agreement {
    least: f64,
    mean: f64,
}

impl Clustering {
    /// Joins clusters over all links that wait. After an error, those not looked at wait on.
    pub(super) fn join_waiting<M: Matcher>(&mut self, matcher: &mut M) -> Result<(), M::Error> {
        let mut refused = HashSet::new();
        let mut links = self.waiting.take(&self.members).into_iter();
        while let Some(link) = links.next() {
            if let Err(error) = self.join(matcher, &link, &mut refused) {
                // The link at hand was not decided, so it waits, too.
                self.waiting.put_back(std::iter::once(link).chain(links));
                return Err(error);
            }
        }
        Ok(())
    }

    fn join<M: Matcher>(
        &mut self,
        matcher: &mut M,
        link: &Link,
        refused: &mut HashSet<Refusal>,
    ) -> Result<(), M::Error> {
        let (one, two) = (self.partition.slot(link.one), self.partition.slot(link.two));
        if one == two {
            return Ok(());
        }
        if self.partition.are_strangers(one, two) {
            self.report.rejected_by_hand += 1;
            return Ok(());
        }
        if self.partition.forbid(one, two, &self.leads) {
            self.report.rejected_by_site += 1;
            return Ok(());
        }
        let refusal = self.refusal(one, two);
        // The witnesses would give the same answer again: many links lead from one cluster to
        // another.
        let is_refused = |refused: &HashSet<Refusal>| refused.contains(&refusal);
        if !link.is_certain && (is_refused(refused) || !self.agree(matcher, one, two)?) {
            refused.insert(refusal);
            self.report.rejected_by_guard += 1;
            return Ok(());
        }
        self.partition
            .join(one, two, &self.members, self.settings.witnesses);
        self.report.joined += 1;
        self.forest.push(link.clone());
        Ok(())
    }

    fn refusal(&self, one: u32, two: u32) -> Refusal {
        let mut refusal = [one, two].map(|slot| (slot, self.partition.members(slot).len()));
        refusal.sort_unstable();
        refusal
    }

    /// Returns true if the witnesses of two clusters agree well enough that these may be one.
    fn agree<M: Matcher>(&mut self, matcher: &mut M, one: u32, two: u32) -> Result<bool, M::Error> {
        let size = self.partition.members(one).len() + self.partition.members(two).len();
        // The link itself is the comparison of two single members.
        if size <= 2 {
            return Ok(true);
        }
        let agreement = self.hear(matcher, one, two)?;
        Ok(agreement.least >= self.settings.veto && agreement.mean >= self.settings.agreement)
    }

    fn hear<M: Matcher>(&mut self, matcher: &mut M, one: u32, two: u32) -> Result<Agreement, M::Error> {
        let (mut least, mut sum, mut count) = (1.0_f64, 0.0, 0.0);
        let there = self.partition.witnesses(two).to_vec();
        for witness in self.partition.witnesses(one).to_vec() {
            let many: Vec<&[u8]> = there.iter().map(|place| self.members.features(*place)).collect();
            let verdicts = matcher.compare(self.members.features(witness), &many)?;
            self.report.calls += 1;
            self.report.pairs_guarded += there.len() as u64;
            for verdict in verdicts.iter().take(there.len()) {
                let probability = self.trusted(verdict.probability);
                least = least.min(probability);
                sum += probability;
                count += 1.0;
            }
        }
        // Without a verdict no witness disagrees.
        Ok(Agreement {
            least,
            mean: if count > 0.0 { sum / count } else { 1.0 },
        })
    }
}
