//! Results of learning and of recrawls.

use std::collections::BTreeMap;

use magpie_model::Alarm;
use magpie_rows::{
    Learned, LearnedSite, LearnedStore, PatternRow, RoundFilter, RoundRow, RunId, SelectedQuery,
    SelectionRow, SiteId, StageRow, StoreError, Watched,
};

use crate::failure::{Failure, server_error};
use crate::hand_in::put;
use crate::numbers::{SHARED, bucket_of, rows_of};
use crate::server::{Call, call};
use crate::statement::Statement;
use crate::statements::SITE;
use crate::statements::learned::{
    CHOOSE, CHOOSE_NONE, FORGET_ALL_QUERIES, FORGET_LEARNED_SITE, FORGET_PATTERNS, FORGET_QUERIES,
    FORGET_SELECTION, FORGET_STAGES, LEARNED_SITES, LEARNED_VERTICALS, PATTERNS, PUT_HUBS, PUT_LEARNED_SITE,
    PUT_PATTERNS, PUT_QUERIES, PUT_ROUND, PUT_SELECTION, PUT_STAGE, PUT_WATCHED, ROUNDS, ROUNDS_OF_SITE,
    SELECTION, STAGES,
};
use crate::statements::runs::RUN;
use crate::store::Store;
use crate::value::{Cells, Value, columns, fields, texts};

impl Learned for Store {
    fn learned_verticals(&self) -> Result<Vec<String>, StoreError> {
        self.query(call(&LEARNED_VERTICALS, []), |cells| cells.get())
    }

    fn stages(&self, vertical: &str) -> Result<Vec<StageRow>, StoreError> {
        self.query(call(&STAGES, [SHARED.into(), vertical.into()]), |cells| {
            Ok(fields!(
                cells,
                StageRow {
                    vertical: get,
                    name: get,
                    ended_at: time,
                    sentence: get,
                    kept: get
                }
            ))
        })
    }

    fn learned_sites(&self, vertical: &str) -> Result<Vec<LearnedSite>, StoreError> {
        self.query(call(&LEARNED_SITES, [vertical.into()]), |cells| {
            Ok(LearnedSite {
                site: cells.site()?,
                key: cells.get()?,
                entry: cells.get()?,
                learned_at: cells.time()?,
                pages: cells.unsigned()?,
                yielding: cells.unsigned()?,
                objects: cells.unsigned()?,
                hubs: cells.unsigned()?,
            })
        })
    }

    fn patterns(&self, vertical: &str, site: SiteId) -> Result<Vec<PatternRow>, StoreError> {
        self.query(of(&PATTERNS, site, vertical), |cells| {
            Ok(PatternRow {
                id: cells.get()?,
                pattern: cells.get()?,
                wanted: cells.get()?,
                chosen: cells.get()?,
                pages: cells.unsigned()?,
                yielding: cells.unsigned()?,
                objects: cells.unsigned()?,
                hubs: cells.unsigned()?,
                learned_at: cells.time()?,
                watched: fields!(
                    cells,
                    Watched {
                        fetches: unsigned,
                        failures: unsigned,
                        yields: unsigned,
                        alarm: optional_word,
                        monitor: get
                    }
                ),
            })
        })
    }

    fn selection(&self, vertical: &str) -> Result<Option<SelectionRow>, StoreError> {
        let mut rows = self.query(call(&SELECTION, [SHARED.into(), vertical.into()]), |cells| {
            Ok(SelectionRow {
                made_at: cells.time()?,
                strategy: cells.word()?,
                goal: cells.get()?,
                patterns: cells.unsigned()?,
                cost: cells.get()?,
                lower_bound: cells.get()?,
                gap: cells.get()?,
                covered: cells.get()?,
                coverable: cells.get()?,
                interval: (cells.get()?, cells.get()?),
                curve: cells.get()?,
            })
        })?;
        Ok(rows.pop())
    }

    fn rounds(&self, vertical: &str, of_rounds: RoundFilter) -> Result<Vec<RoundRow>, StoreError> {
        let of_run = |run: Option<i64>| call(&ROUNDS, [vertical.into(), run.into()]);
        let call = match of_rounds {
            RoundFilter::All => of_run(None),
            RoundFilter::Run(run) => of_run(Some(run.0)),
            RoundFilter::Site(site) => of(&ROUNDS_OF_SITE, site, vertical),
        };
        self.query(call, round)
    }
}

impl LearnedStore for Store {
    fn put_stage(&self, stage: StageRow, forget: &[&str]) -> Result<(), StoreError> {
        let writes = || {
            let vertical = || (&stage.vertical).into();
            let row = [
                SHARED.into(),
                vertical(),
                (&stage.name).into(),
                stage.ended_at.into(),
                (&stage.sentence).into(),
                (&stage.kept).into(),
            ];
            let forget = texts(forget.iter().copied());
            vec![
                call(&FORGET_STAGES, [SHARED.into(), vertical(), forget]),
                call(&PUT_STAGE, row),
            ]
        };
        self.write_shared(writes).map(drop)
    }

    fn put_patterns(
        &self,
        vertical: &str,
        site: LearnedSite,
        patterns: Vec<PatternRow>,
    ) -> Result<(), StoreError> {
        self.check_site(site.site)?;
        let (first, last) = rows_of(site.site);
        // A pattern that is there twice has its last row.
        let patterns: BTreeMap<&str, &PatternRow> = patterns
            .iter()
            .map(|pattern| (pattern.pattern.as_str(), pattern))
            .collect();
        let writes = || {
            let figures = vec![
                (&site.entry).into(),
                site.learned_at.into(),
                site.pages.into(),
                site.yielding.into(),
                site.objects.into(),
                site.hubs.into(),
            ];
            let kept = texts(patterns.keys().copied());
            let mut calls = vec![
                of_with(&PUT_LEARNED_SITE, site.site, vertical, figures),
                of_with(&FORGET_PATTERNS, site.site, vertical, vec![kept]),
            ];
            if !patterns.is_empty() {
                let mut values = vec![first.into(), last.into()];
                values.extend(columns(patterns.values().map(|row| pattern_row(row)).collect()));
                calls.push(of_with(&PUT_PATTERNS, site.site, vertical, values));
            }
            calls
        };
        self.write(site.site, writes).map(drop)
    }

    fn forget_site(&self, vertical: &str, site: SiteId) -> Result<(), StoreError> {
        let writes = || {
            vec![
                of_with(&FORGET_PATTERNS, site, vertical, vec![texts([])]),
                of(&FORGET_QUERIES, site, vertical),
                of(&FORGET_LEARNED_SITE, site, vertical),
            ]
        };
        self.write(site, writes).map(drop)
    }

    fn put_selection(
        &self,
        vertical: &str,
        selection: SelectionRow,
        patterns: Vec<(SiteId, String, u64, bool)>,
        queries: Vec<SelectedQuery>,
    ) -> Result<(), StoreError> {
        let patterns = by_bucket(&patterns, |(site, ..)| *site);
        let queries = by_bucket(&queries, |query| query.site);
        let writes = || {
            let mut calls = vec![
                call(&FORGET_SELECTION, [SHARED.into(), vertical.into()]),
                call(&PUT_SELECTION, selection_row(vertical, &selection)),
                call(&CHOOSE_NONE, [vertical.into()]),
                call(&FORGET_ALL_QUERIES, [vertical.into()]),
            ];
            for (bucket, patterns) in &patterns {
                let rows = patterns.iter().map(|(site, pattern, hubs, chosen)| {
                    [
                        vertical.into(),
                        site.0.into(),
                        pattern.into(),
                        (*hubs).into(),
                        (*chosen).into(),
                    ]
                });
                put(&mut calls, &CHOOSE, *bucket, rows);
            }
            for (bucket, queries) in &queries {
                let rows = queries.iter().map(|query| {
                    [
                        vertical.into(),
                        query.site.0.into(),
                        (&query.template).into(),
                        (&query.query).into(),
                        query.pages.into(),
                    ]
                });
                put(&mut calls, &PUT_QUERIES, *bucket, rows);
            }
            calls
        };
        self.write_shared(writes).map(drop)
    }

    fn put_hubs(&self, vertical: &str, site: SiteId, hubs: u64) -> Result<(), StoreError> {
        let writes = || vec![of_with(&PUT_HUBS, site, vertical, vec![hubs.into()])];
        self.write(site, writes).map(drop)
    }

    fn put_round(
        &self,
        vertical: &str,
        round: RoundRow,
        patterns: Vec<PatternRow>,
    ) -> Result<(), StoreError> {
        self.check_site(round.site)?;
        if self
            .query(call(&RUN, [round.run.0.into()]), |_| Ok(()))?
            .is_empty()
        {
            let detail = format!("there is no run {} for a round", round.run.0);
            return Err(StoreError::Disagreement { detail });
        }
        let writes = || {
            let values = round_values(&round).into();
            let mut calls = vec![of_with(&PUT_ROUND, round.site, vertical, values)];
            let rows = patterns.iter().map(|pattern| {
                let watched = &pattern.watched;
                [
                    pattern.id.into(),
                    watched.fetches.into(),
                    watched.failures.into(),
                    watched.yields.into(),
                    Value::Text(watched.alarm.map(|alarm: Alarm| alarm.as_str().into())),
                    (&watched.monitor).into(),
                ]
            });
            put(&mut calls, &PUT_WATCHED, bucket_of(round.site.0), rows);
            calls
        };
        self.write(round.site, writes).map(drop)
    }
}

impl Store {
    /// Fails if there is no such site. Sites are never deleted.
    fn check_site(&self, site: SiteId) -> Result<(), StoreError> {
        let found = self.query(call(&SITE, [bucket_of(site.0).into(), site.0.into()]), |_| Ok(()))?;
        match found.is_empty() {
            true => Err(server_error(format!("there is no site {}", site.0))),
            false => Ok(()),
        }
    }
}

/// A call about a site and a vertical.
fn of<'a>(statement: &'static Statement, site: SiteId, vertical: &'a str) -> Call<'a> {
    of_with(statement, site, vertical, Vec::new())
}

/// The same with more values.
fn of_with<'a>(
    statement: &'static Statement,
    site: SiteId,
    vertical: &'a str,
    rest: Vec<Value<'a>>,
) -> Call<'a> {
    let key = [bucket_of(site.0).into(), site.0.into(), vertical.into()];
    Call::new(statement, key.into_iter().chain(rest).collect())
}

fn by_bucket<T>(rows: &[T], site: impl Fn(&T) -> SiteId) -> BTreeMap<i16, Vec<&T>> {
    let mut buckets: BTreeMap<i16, Vec<&T>> = BTreeMap::new();
    for row in rows {
        buckets.entry(bucket_of(site(row).0)).or_default().push(row);
    }
    buckets
}

fn pattern_row(row: &PatternRow) -> [Value<'_>; 8] {
    [
        (&row.pattern).into(),
        row.wanted.into(),
        row.chosen.into(),
        row.pages.into(),
        row.yielding.into(),
        row.objects.into(),
        row.hubs.into(),
        row.learned_at.into(),
    ]
}

fn selection_row<'a>(vertical: &'a str, row: &'a SelectionRow) -> [Value<'a>; 14] {
    [
        SHARED.into(),
        vertical.into(),
        row.made_at.into(),
        row.strategy.as_str().into(),
        (&row.goal).into(),
        row.patterns.into(),
        row.cost.into(),
        row.lower_bound.into(),
        row.gap.into(),
        row.covered.into(),
        row.coverable.into(),
        row.interval.0.into(),
        row.interval.1.into(),
        (&row.curve).into(),
    ]
}

fn round_values(row: &RoundRow) -> [Value<'static>; 11] {
    [
        row.run.0.into(),
        row.method.as_str().into(),
        row.pages.into(),
        row.unchanged.into(),
        row.hubs.into(),
        row.failures.into(),
        row.bytes.into(),
        row.objects.into(),
        row.new_objects.into(),
        row.current_objects.into(),
        row.state.as_str().into(),
    ]
}

fn round(cells: &mut Cells<'_>) -> Result<RoundRow, Failure> {
    Ok(RoundRow {
        run: RunId(cells.get()?),
        began_at: cells.time()?,
        site: cells.site()?,
        method: cells.word()?,
        pages: cells.unsigned()?,
        unchanged: cells.unsigned()?,
        hubs: cells.unsigned()?,
        failures: cells.unsigned()?,
        bytes: cells.unsigned()?,
        objects: cells.unsigned()?,
        new_objects: cells.unsigned()?,
        current_objects: cells.unsigned()?,
        state: cells.word()?,
    })
}
