//! Patterns, selections and rounds in memory.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use super::{MemoryStore, missing};
use crate::fetch_result::{RunId, SiteId};
use crate::{
    Learned, LearnedSite, LearnedStore, PatternRow, RoundFilter, RoundRow, SelectedQuery, SelectionRow,
    StageRow, StoreError, Watched,
};
use magpie_values::Timestamp;

#[derive(Default)]
pub(super) struct Learning {
    /// By vertical and name.
    stages: BTreeMap<(String, String), StageRow>,
    /// By vertical and site.
    sites: BTreeMap<(String, SiteId), LearnedSite>,
    /// By vertical, site and pattern.
    patterns: BTreeMap<(String, SiteId, String), PatternRow>,
    last_pattern: i64,
    selections: BTreeMap<String, SelectionRow>,
    /// By vertical, run and site.
    rounds: BTreeMap<(String, RunId, SiteId), RoundRow>,
}

impl Learned for MemoryStore {
    fn learned_verticals(&self) -> Result<Vec<String>, StoreError> {
        let learning = &self.kept().learning;
        let stages = learning.stages.keys().map(|(vertical, _)| vertical);
        let sites = learning.sites.keys().map(|(vertical, _)| vertical);
        let verticals: BTreeSet<&String> = stages.chain(sites).collect();
        Ok(verticals.into_iter().cloned().collect())
    }

    fn stages(&self, vertical: &str) -> Result<Vec<StageRow>, StoreError> {
        let kept = self.kept();
        let own = kept
            .learning
            .stages
            .values()
            .filter(|stage| stage.vertical == vertical);
        let mut stages: Vec<StageRow> = own.cloned().collect();
        stages.sort_by_key(|stage| stage.ended_at);
        Ok(stages)
    }

    fn learned_sites(&self, vertical: &str) -> Result<Vec<LearnedSite>, StoreError> {
        let kept = self.kept();
        let own = kept.learning.sites.iter().filter(|((of, _), _)| of == vertical);
        let mut sites: Vec<LearnedSite> = own
            .map(|(_, site)| LearnedSite {
                key: kept.site_key(site.site).unwrap_or_default().to_owned(),
                ..site.clone()
            })
            .collect();
        sites.sort_by(|one, other| {
            (Reverse(one.objects), &one.key).cmp(&(Reverse(other.objects), &other.key))
        });
        Ok(sites)
    }

    fn patterns(&self, vertical: &str, site: SiteId) -> Result<Vec<PatternRow>, StoreError> {
        let kept = self.kept();
        let own = kept.learning.patterns.iter();
        let own = own.filter(|((of, at, _), _)| of == vertical && *at == site);
        let mut patterns: Vec<PatternRow> = own.map(|(_, pattern)| pattern.clone()).collect();
        // Equals stay in the order of their text.
        patterns.sort_by_key(|row| {
            (
                Reverse(row.wanted),
                Reverse(row.chosen),
                Reverse(row.objects),
                Reverse(row.pages),
            )
        });
        Ok(patterns)
    }

    fn selection(&self, vertical: &str) -> Result<Option<SelectionRow>, StoreError> {
        Ok(self.kept().learning.selections.get(vertical).cloned())
    }

    fn rounds(&self, vertical: &str, of: RoundFilter) -> Result<Vec<RoundRow>, StoreError> {
        let kept = self.kept();
        let own = kept.learning.rounds.values();
        let rounds = kept
            .learning
            .rounds
            .keys()
            .zip(own)
            .filter(|((of_vertical, run, site), _)| {
                of_vertical == vertical
                    && match of {
                        RoundFilter::All => true,
                        RoundFilter::Run(wanted) => wanted == *run,
                        RoundFilter::Site(wanted) => wanted == *site,
                    }
            });
        let began_at = |run: RunId| {
            let run = kept.runs.iter().find(|row| row.id == run);
            run.map_or(Timestamp::default(), |run| run.started_at)
        };
        let rounds = rounds.map(|(_, round)| RoundRow {
            began_at: began_at(round.run),
            ..*round
        });
        Ok(rounds.collect())
    }
}

impl LearnedStore for MemoryStore {
    fn put_stage(&self, stage: StageRow, forget: &[&str]) -> Result<(), StoreError> {
        let stages = &mut self.kept().learning.stages;
        stages.retain(|(vertical, name), _| *vertical != stage.vertical || !forget.contains(&name.as_str()));
        stages.insert((stage.vertical.clone(), stage.name.clone()), stage);
        Ok(())
    }

    fn put_patterns(
        &self,
        vertical: &str,
        site: LearnedSite,
        patterns: Vec<PatternRow>,
    ) -> Result<(), StoreError> {
        let mut kept = self.kept();
        kept.check_site(site.site)?;
        let learning = &mut kept.learning;
        let id = site.site;
        learning.sites.insert((vertical.to_owned(), id), site);
        let mut before = BTreeMap::new();
        learning.patterns.retain(|(of, at, pattern), row| {
            let is_own = of == vertical && *at == id;
            if is_own {
                before.insert(pattern.clone(), (row.id, row.watched.clone()));
            }
            !is_own
        });
        for pattern in patterns {
            let (number, counts) = before.remove(&pattern.pattern).unwrap_or_else(|| {
                learning.last_pattern += 1;
                (learning.last_pattern, Watched::default())
            });
            let row = PatternRow {
                id: number,
                watched: Watched {
                    alarm: None,
                    monitor: None,
                    ..counts
                },
                ..pattern
            };
            learning
                .patterns
                .insert((vertical.to_owned(), id, row.pattern.clone()), row);
        }
        Ok(())
    }

    fn forget_site(&self, vertical: &str, site: SiteId) -> Result<(), StoreError> {
        let kept = &mut *self.kept();
        if let Some(selected) = kept.hidden.selected.get_mut(vertical) {
            selected.retain(|query| query.site != site);
        }
        let learning = &mut kept.learning;
        learning
            .patterns
            .retain(|(of, at, _), _| of != vertical || *at != site);
        learning.sites.remove(&(vertical.to_owned(), site));
        Ok(())
    }

    fn put_selection(
        &self,
        vertical: &str,
        selection: SelectionRow,
        patterns: Vec<(SiteId, String, u64, bool)>,
        mut queries: Vec<SelectedQuery>,
    ) -> Result<(), StoreError> {
        queries.sort();
        let kept = &mut *self.kept();
        kept.hidden.selected.insert(vertical.to_owned(), queries);
        let learning = &mut kept.learning;
        learning.selections.insert(vertical.to_owned(), selection);
        for ((of, ..), row) in &mut learning.patterns {
            row.chosen &= of != vertical;
        }
        for (site, pattern, hubs, chosen) in patterns {
            if let Some(row) = learning.patterns.get_mut(&(vertical.to_owned(), site, pattern)) {
                (row.hubs, row.chosen) = (hubs, chosen);
            }
        }
        Ok(())
    }

    fn put_hubs(&self, vertical: &str, site: SiteId, hubs: u64) -> Result<(), StoreError> {
        if let Some(site) = self.kept().learning.sites.get_mut(&(vertical.to_owned(), site)) {
            site.hubs = hubs;
        }
        Ok(())
    }

    fn put_round(
        &self,
        vertical: &str,
        round: RoundRow,
        patterns: Vec<PatternRow>,
    ) -> Result<(), StoreError> {
        let mut kept = self.kept();
        kept.check_site(round.site)?;
        if kept.runs.iter().all(|run| run.id != round.run) {
            return Err(missing("run", round.run.0));
        }
        let learning = &mut kept.learning;
        learning
            .rounds
            .insert((vertical.to_owned(), round.run, round.site), round);
        for pattern in patterns {
            if let Some(row) = learning.patterns.values_mut().find(|row| row.id == pattern.id) {
                row.watched = pattern.watched;
            }
        }
        Ok(())
    }
}
