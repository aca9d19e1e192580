//! Comparisons that the workers of a workspace make.
//!
//! The pairs of a batch are divided by the key under which the two records meet. So the features of
//! a record go to few workers, whatever the number of its pairs. The driver joins clusters by their
//! verdicts, as it does by its own.

use std::collections::{BTreeMap, HashMap};
use std::error::Error;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use magpie_model::{Matcher, Pair, Verdict};
use magpie_rows::{CrewTask, SiteId};
use magpie_runtime::{Plugin, PluginMatcher};
use serde::{Deserialize, Serialize};

use crate::crew::{WorkKind, share_tasks};
use crate::warehouse::{Comparers, WarehouseError, chosen};
use crate::{PipelineError, Session};

/// Pairs whose keys are in one shard.
#[derive(Default, Serialize, Deserialize)]
struct Shard {
    /// The features of the records, in Base64.
    features: Vec<String>,
    /// Pairs of records, by their places among the features.
    pairs: Vec<(u32, u32)>,
}

/// The verdicts about the pairs of shards, by the number of the shard's task.
pub(crate) type Compared = BTreeMap<i64, Verdicts>;

/// The verdicts about the pairs of a shard, in their order.
#[derive(Default, Serialize, Deserialize)]
pub(crate) struct Verdicts {
    /// The different reasons: most are those of many verdicts.
    reasons: Vec<String>,
    /// The bits of the probability, which JSON would round, and the places of the reasons.
    verdicts: Vec<Option<(u64, Vec<u32>)>>,
}

impl Verdicts {
    fn of(verdicts: Vec<Option<Verdict>>) -> Verdicts {
        let mut written = Verdicts::default();
        let mut places: HashMap<String, u32> = HashMap::new();
        for verdict in verdicts {
            let verdict = verdict.map(|verdict| {
                let reasons = verdict.reasons.into_iter().map(|reason| {
                    *places.entry(reason).or_insert_with_key(|reason| {
                        written.reasons.push(reason.clone());
                        written.reasons.len() as u32 - 1
                    })
                });
                (verdict.probability.to_bits(), reasons.collect())
            });
            written.verdicts.push(verdict);
        }
        written
    }

    fn into_verdicts(self) -> impl Iterator<Item = Option<Verdict>> {
        let Verdicts { reasons, verdicts } = self;
        verdicts.into_iter().map(move |verdict| {
            let (probability, places) = verdict?;
            let reasons = places
                .iter()
                .filter_map(|place| reasons.get(*place as usize).cloned());
            Some(Verdict {
                probability: f64::from_bits(probability),
                reasons: reasons.collect(),
            })
        })
    }
}

impl Shard {
    fn compare<M: Matcher>(&self, matcher: &mut M) -> Result<Verdicts, M::Error> {
        // A process of another version would have been refused.
        let features: Vec<Vec<u8>> = self
            .features
            .iter()
            .map(|features| STANDARD_NO_PAD.decode(features).unwrap_or_default())
            .collect();
        let of = |place: u32| features.get(place as usize).map_or(&[][..], Vec::as_slice);
        let pairs: Vec<Pair<'_>> = self
            .pairs
            .iter()
            .map(|(one, other)| Pair {
                one: of(*one),
                other: of(*other),
                key: 0,
            })
            .collect();
        Ok(Verdicts::of(matcher.compare_pairs(&pairs)?))
    }
}

/// Compares the pairs of tasks.
pub(crate) fn compare_tasks(
    plugins: &[Plugin],
    vertical: &str,
    tasks: &[CrewTask],
) -> Result<Compared, PipelineError> {
    let Some((plugin, true)) = chosen(plugins, vertical) else {
        return Ok(Compared::new());
    };
    let mut compared = Compared::new();
    for task in tasks {
        let verdicts = shard(task)?.compare(&mut PluginMatcher(plugin));
        let verdicts = verdicts.map_err(|error| WarehouseError::Matcher {
            vertical: vertical.to_owned(),
            source: Box::new(error),
        })?;
        compared.insert(task.site.0, verdicts);
    }
    Ok(compared)
}

fn shard(task: &CrewTask) -> Result<Shard, PipelineError> {
    serde_json::from_str(&task.order).map_err(|error| PipelineError::Order(error.to_string()))
}

/// Divides pairs by their keys among the shards of a workspace.
fn divided<'p>(pairs: &[Pair<'p>], shards: &[SiteId]) -> Vec<CrewTask> {
    let mut divided: BTreeMap<usize, (Shard, HashMap<*const u8, u32>)> = BTreeMap::new();
    for pair in pairs {
        let (shard, places) = divided.entry(place(pair, shards)).or_default();
        let mut put = |features: &'p [u8]| {
            *places.entry(features.as_ptr()).or_insert_with(|| {
                shard.features.push(STANDARD_NO_PAD.encode(features));
                shard.features.len() as u32 - 1
            })
        };
        let pair = (put(pair.one), put(pair.other));
        shard.pairs.push(pair);
    }
    let task = |(place, (shard, _)): (usize, (Shard, _))| CrewTask {
        site: shards[place],
        order: serde_json::to_string(&shard).unwrap_or_default(),
        is_begun: false,
    };
    divided.into_iter().map(task).collect()
}

/// Returns the place of the shard of a pair.
fn place(pair: &Pair<'_>, shards: &[SiteId]) -> usize {
    // The lowest bits are those of the kind of key.
    ((pair.key >> 16) % shards.len() as u64) as usize
}

/// Puts the verdicts of shards in the order of the pairs.
fn gathered(
    pairs: &[Pair<'_>],
    shards: &[SiteId],
    compared: impl IntoIterator<Item = Compared>,
) -> Vec<Option<Verdict>> {
    let mut by_shard: HashMap<i64, _> = compared
        .into_iter()
        .flatten()
        .map(|(shard, verdicts)| (shard, verdicts.into_verdicts()))
        .collect();
    let verdicts = pairs.iter().map(|pair| {
        let verdicts = by_shard.get_mut(&shards[place(pair, shards)].0)?;
        verdicts.next().flatten()
    });
    verdicts.collect()
}

impl Comparers for Session {
    fn compare(
        &self,
        vertical: &str,
        pairs: &[Pair<'_>],
    ) -> Result<Option<Vec<Option<Verdict>>>, Box<dyn Error + Send + Sync>> {
        let Some(crew) = self.crew() else {
            return Ok(None);
        };
        let shards = crew.shards();
        let kind = WorkKind::Compare {
            vertical: vertical.to_owned(),
        };
        // If all workers leave, the caller compares itself.
        let compared: Option<Option<Vec<Compared>>> =
            share_tasks(self, kind, || divided(pairs, &shards), |_| Ok(None)).map_err(Box::new)?;
        let compared = compared.flatten();
        Ok(compared.map(|compared| gathered(pairs, &shards, compared)))
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use magpie_model::{Merged, Object, Prepared};

    use super::*;

    /// Judges by the first bytes.
    struct Bytes;

    impl Matcher for Bytes {
        type Error = Infallible;

        fn prepare(&mut self, _objects: &[Object]) -> Result<Vec<Prepared>, Infallible> {
            Ok(Vec::new())
        }

        fn compare(&mut self, one: &[u8], many: &[&[u8]]) -> Result<Vec<Verdict>, Infallible> {
            let verdicts = many.iter().map(|other| Verdict {
                probability: 1.0 / f64::from(one[0] + other[0]),
                reasons: vec![format!("{} and {}", one[0], other[0]), "bytes".to_owned()],
            });
            Ok(verdicts.collect())
        }

        fn merge(&mut self, _objects: &[Object]) -> Result<Merged, Infallible> {
            Ok(Merged::default())
        }
    }

    #[test]
    fn verdicts_of_shards_are_those_of_the_whole() {
        let features: Vec<[u8; 2]> = (0..60).map(|place: u8| [place % 50 + 1, place]).collect();
        let pair = |(one, other): (usize, usize)| Pair {
            one: &features[one][..],
            other: &features[other][..],
            key: ((one * 7 + other) as u64) << 16 | 3,
        };
        let places = (0..60).flat_map(|one| (0..one).step_by(3).map(move |other| (one, other)));
        let pairs: Vec<Pair<'_>> = places.map(pair).collect();
        let whole = Bytes.compare_pairs(&pairs).unwrap();

        let shards: Vec<SiteId> = (0..8).map(SiteId).collect();
        let tasks = divided(&pairs, &shards);
        assert_eq!(tasks.len(), 8);
        let compared = tasks.iter().map(|task| {
            let verdicts = shard(task).unwrap().compare(&mut Bytes).unwrap();
            let text = serde_json::to_string(&verdicts).unwrap();
            (task.site.0, serde_json::from_str(&text).unwrap())
        });
        let compared: Compared = compared.collect();
        assert_eq!(gathered(&pairs, &shards, [compared]), whole);
    }

    #[test]
    fn a_verdict_that_is_missing_stays_missing() {
        let verdict = |probability: f64| Verdict {
            probability,
            reasons: vec!["same day".to_owned()],
        };
        let verdicts = vec![Some(verdict(0.1 + 0.2)), None, Some(verdict(0.3))];
        let text = serde_json::to_string(&Verdicts::of(verdicts.clone())).unwrap();
        let read: Verdicts = serde_json::from_str(&text).unwrap();
        assert_eq!(read.into_verdicts().collect::<Vec<_>>(), verdicts);
    }
}
