//! Reading what was learned.

use magpie_rows::{
    Learned, LearnedSite, PatternRow, RoundFilter, RoundRow, RunId, SelectionRow, SiteId, StageRow,
    StoreError, Watched,
};
use rusqlite::{OptionalExtension, Row};

use crate::column::{millis, optional_word, word};
use crate::opened::{Looks, Opened};

impl<A: Looks> Learned for Opened<A> {
    fn stages(&self, vertical: &str) -> Result<Vec<StageRow>, StoreError> {
        self.look(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT vertical, name, ended_at, sentence, kept FROM stage WHERE vertical = ?1 ORDER BY ended_at, name",
            )?;
            let rows = statement.query_map([vertical], |row| {
                Ok(StageRow {
                    vertical: row.get(0)?,
                    name: row.get(1)?,
                    ended_at: millis(row, 2)?,
                    sentence: row.get(3)?,
                    kept: row.get(4)?,
                })
            })?;
            rows.collect()
        })
    }

    fn learned_verticals(&self) -> Result<Vec<String>, StoreError> {
        self.look(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT vertical FROM learned_site UNION SELECT vertical FROM stage ORDER BY 1",
            )?;
            let rows = statement.query_map([], |row| row.get(0))?;
            rows.collect()
        })
    }

    fn learned_sites(&self, vertical: &str) -> Result<Vec<LearnedSite>, StoreError> {
        self.look(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT site_id, site.key, entry, learned_at, pages, yielding, objects, hubs
                 FROM learned_site JOIN site ON site.id = site_id
                 WHERE vertical = ?1 ORDER BY objects DESC, site.key",
            )?;
            let rows = statement.query_map([vertical], |row| {
                Ok(LearnedSite {
                    site: SiteId(row.get(0)?),
                    key: row.get(1)?,
                    entry: row.get(2)?,
                    learned_at: millis(row, 3)?,
                    pages: number(row, 4)?,
                    yielding: number(row, 5)?,
                    objects: number(row, 6)?,
                    hubs: number(row, 7)?,
                })
            })?;
            rows.collect()
        })
    }

    fn patterns(&self, vertical: &str, site: SiteId) -> Result<Vec<PatternRow>, StoreError> {
        self.look(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT id, pattern, wanted, chosen, pages, yielding, objects, hubs, learned_at, fetches, failures,
                    yields, alarm, monitor
                 FROM pattern WHERE vertical = ?1 AND site_id = ?2
                 ORDER BY wanted DESC, chosen DESC, objects DESC, pages DESC, pattern",
            )?;
            let rows = statement.query_map((vertical, site.0), pattern)?;
            rows.collect()
        })
    }

    fn selection(&self, vertical: &str) -> Result<Option<SelectionRow>, StoreError> {
        self.look(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT made_at, strategy, goal, patterns, cost, lower_bound, gap, covered, coverable, covered_min,
                    covered_max, curve
                 FROM selection WHERE vertical = ?1",
            )?;
            let row = statement.query_row([vertical], |row| {
                Ok(SelectionRow {
                    made_at: millis(row, 0)?,
                    strategy: word(row, 1)?,
                    goal: row.get(2)?,
                    patterns: number(row, 3)?,
                    cost: row.get(4)?,
                    lower_bound: row.get(5)?,
                    gap: row.get(6)?,
                    covered: row.get(7)?,
                    coverable: row.get(8)?,
                    interval: (row.get(9)?, row.get(10)?),
                    curve: row.get(11)?,
                })
            });
            row.optional()
        })
    }

    fn rounds(&self, vertical: &str, of: RoundFilter) -> Result<Vec<RoundRow>, StoreError> {
        let (run, site) = match of {
            RoundFilter::All => (None, None),
            RoundFilter::Run(run) => (Some(run.0), None),
            RoundFilter::Site(site) => (None, Some(site.0)),
        };
        self.look(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT run_id, site_id, method, pages, unchanged, hubs, failures, bytes, objects, new_objects, state,
                    run.started_at, current_objects
                 FROM round JOIN run ON run.id = run_id
                 WHERE vertical = ?1 AND (?2 IS NULL OR run_id = ?2) AND (?3 IS NULL OR site_id = ?3)
                 ORDER BY run_id, site_id",
            )?;
            let rows = statement.query_map((vertical, run, site), |row| {
                Ok(RoundRow {
                    run: RunId(row.get(0)?),
                    began_at: millis(row, 11)?,
                    site: SiteId(row.get(1)?),
                    method: word(row, 2)?,
                    pages: number(row, 3)?,
                    unchanged: number(row, 4)?,
                    hubs: number(row, 5)?,
                    failures: number(row, 6)?,
                    bytes: number(row, 7)?,
                    objects: number(row, 8)?,
                    new_objects: number(row, 9)?,
                    current_objects: number(row, 12)?,
                    state: word(row, 10)?,
                })
            })?;
            rows.collect()
        })
    }
}

fn pattern(row: &Row<'_>) -> rusqlite::Result<PatternRow> {
    Ok(PatternRow {
        id: row.get(0)?,
        pattern: row.get(1)?,
        wanted: row.get(2)?,
        chosen: row.get(3)?,
        pages: number(row, 4)?,
        yielding: number(row, 5)?,
        objects: number(row, 6)?,
        hubs: number(row, 7)?,
        learned_at: millis(row, 8)?,
        watched: Watched {
            fetches: number(row, 9)?,
            failures: number(row, 10)?,
            yields: number(row, 11)?,
            alarm: optional_word(row, 12)?,
            monitor: row.get(13)?,
        },
    })
}

fn number(row: &Row<'_>, column: usize) -> rusqlite::Result<u64> {
    row.get::<_, i64>(column).map(i64::unsigned_abs)
}
