//! Writing results of learning. Each call is one transaction: a site has all of its new patterns or
//! its old ones.

use magpie_model::Alarm;
use magpie_rows::{
    LearnedSite, LearnedStore, PatternRow, RoundRow, SelectedQuery, SelectionRow, SiteId, StageRow,
    StoreError,
};
use rusqlite::{Connection, params};

use crate::workspace::Workspace;

impl LearnedStore for Workspace {
    fn put_stage(&self, stage: StageRow, forget: &[&str]) -> Result<(), StoreError> {
        let forget: Vec<String> = forget.iter().map(|name| (*name).to_owned()).collect();
        self.write(move |connection| {
            let mut statement =
                connection.prepare_cached("DELETE FROM stage WHERE vertical = ?1 AND name = ?2")?;
            // The stages to do again are forgotten with the new row in one transaction, so a killed
            // process leaves no gap between them.
            for name in &forget {
                statement.execute((&stage.vertical, name))?;
            }
            connection
                .execute(
                    "INSERT OR REPLACE INTO stage VALUES (?1, ?2, ?3, ?4, ?5)",
                    (
                        stage.vertical,
                        stage.name,
                        stage.ended_at.as_millis(),
                        stage.sentence,
                        stage.kept,
                    ),
                )
                .map(drop)
        })
    }

    fn put_patterns(
        &self,
        vertical: &str,
        site: LearnedSite,
        patterns: Vec<PatternRow>,
    ) -> Result<(), StoreError> {
        let vertical = vertical.to_owned();
        self.write(move |connection| {
            connection.execute(
                "INSERT OR REPLACE INTO learned_site VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
                params![
                    vertical,
                    site.site.0,
                    site.entry,
                    site.learned_at.as_millis(),
                    site.pages.cast_signed(),
                    site.yielding.cast_signed(),
                    site.objects.cast_signed(),
                    site.hubs.cast_signed(),
                ],
            )?;
            // A pattern that is not written again below is deleted.
            connection.execute(
                "UPDATE pattern SET learned_at = -1 WHERE vertical = ?1 AND site_id = ?2",
                (&vertical, site.site.0),
            )?;
            for pattern in &patterns {
                put_pattern(connection, &vertical, site.site, pattern)?;
            }
            connection
                .execute(
                    "DELETE FROM pattern WHERE vertical = ?1 AND site_id = ?2 AND learned_at = -1",
                    (&vertical, site.site.0),
                )
                .map(drop)
        })
    }

    fn forget_site(&self, vertical: &str, site: SiteId) -> Result<(), StoreError> {
        let vertical = vertical.to_owned();
        self.write(move |connection| {
            connection.execute(
                "DELETE FROM pattern WHERE vertical = ?1 AND site_id = ?2",
                (&vertical, site.0),
            )?;
            connection.execute(
                "DELETE FROM selected_query WHERE vertical = ?1 AND site_id = ?2",
                (&vertical, site.0),
            )?;
            connection
                .execute(
                    "DELETE FROM learned_site WHERE vertical = ?1 AND site_id = ?2",
                    (&vertical, site.0),
                )
                .map(drop)
        })
    }

    fn put_selection(
        &self,
        vertical: &str,
        selection: SelectionRow,
        patterns: Vec<(SiteId, String, u64, bool)>,
        queries: Vec<SelectedQuery>,
    ) -> Result<(), StoreError> {
        let vertical = vertical.to_owned();
        self.write(move |connection| {
            connection.execute(
                "INSERT OR REPLACE INTO selection VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)",
                params![
                    vertical,
                    selection.made_at.as_millis(),
                    selection.strategy.as_str(),
                    selection.goal,
                    selection.patterns.cast_signed(),
                    selection.cost,
                    selection.lower_bound,
                    selection.gap,
                    selection.covered,
                    selection.coverable,
                    selection.interval.0,
                    selection.interval.1,
                    selection.curve,
                ],
            )?;
            connection.execute("UPDATE pattern SET chosen = 0 WHERE vertical = ?1", [&vertical])?;
            let mut statement = connection.prepare_cached(
                "UPDATE pattern SET hubs = ?4, chosen = ?5 WHERE vertical = ?1 AND site_id = ?2 AND pattern = ?3",
            )?;
            patterns.iter().try_for_each(|(site, pattern, hubs, chosen)| {
                let row = (&vertical, site.0, pattern, hubs.cast_signed(), chosen);
                statement.execute(row).map(drop)
            })?;
            connection.execute("DELETE FROM selected_query WHERE vertical = ?1", [&vertical])?;
            let mut statement =
                connection.prepare_cached("INSERT INTO selected_query VALUES (?1, ?2, ?3, ?4, ?5)")?;
            queries.iter().try_for_each(|query| {
                let row = (&vertical, query.site.0, &query.template, &query.query, query.pages);
                statement.execute(row).map(drop)
            })
        })
    }

    fn put_hubs(&self, vertical: &str, site: SiteId, hubs: u64) -> Result<(), StoreError> {
        let vertical = vertical.to_owned();
        self.write(move |connection| {
            connection
                .execute(
                    "UPDATE learned_site SET hubs = ?3 WHERE vertical = ?1 AND site_id = ?2",
                    (vertical, site.0, hubs.cast_signed()),
                )
                .map(drop)
        })
    }

    fn put_round(
        &self,
        vertical: &str,
        round: RoundRow,
        patterns: Vec<PatternRow>,
    ) -> Result<(), StoreError> {
        let vertical = vertical.to_owned();
        self.write(move |connection| {
            connection.execute(
                "INSERT OR REPLACE INTO round VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)",
                params![
                    round.run.0,
                    vertical,
                    round.site.0,
                    round.method.as_str(),
                    round.pages.cast_signed(),
                    round.unchanged.cast_signed(),
                    round.hubs.cast_signed(),
                    round.failures.cast_signed(),
                    round.bytes.cast_signed(),
                    round.objects.cast_signed(),
                    round.new_objects.cast_signed(),
                    round.state.as_str(),
                    round.current_objects.cast_signed(),
                ],
            )?;
            let mut statement = connection.prepare_cached(
                "UPDATE pattern SET fetches = ?2, failures = ?3, yields = ?4, alarm = ?5, monitor = ?6 WHERE id = ?1",
            )?;
            for pattern in &patterns {
                let watched = &pattern.watched;
                statement.execute(params![
                    pattern.id,
                    watched.fetches.cast_signed(),
                    watched.failures.cast_signed(),
                    watched.yields.cast_signed(),
                    watched.alarm.map(Alarm::as_str),
                    watched.monitor,
                ])?;
            }
            Ok(())
        })
    }
}

fn put_pattern(
    connection: &Connection,
    vertical: &str,
    site: SiteId,
    pattern: &PatternRow,
) -> rusqlite::Result<()> {
    connection
        .prepare_cached(
            "INSERT INTO pattern (vertical, site_id, pattern, wanted, chosen, pages, yielding, objects, hubs, learned_at)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
             ON CONFLICT (vertical, site_id, pattern) DO UPDATE SET
                wanted = excluded.wanted, chosen = excluded.chosen, pages = excluded.pages,
                yielding = excluded.yielding, objects = excluded.objects, hubs = excluded.hubs,
                learned_at = excluded.learned_at, alarm = NULL, monitor = NULL",
        )?
        .execute(params![
            vertical,
            site.0,
            pattern.pattern,
            pattern.wanted,
            pattern.chosen,
            pattern.pages.cast_signed(),
            pattern.yielding.cast_signed(),
            pattern.objects.cast_signed(),
            pattern.hubs.cast_signed(),
            pattern.learned_at.as_millis(),
        ])
        .map(drop)
}
