//! Reading forms, templates and queries.

use magpie_rows::{
    ArgumentRow, FormRow, Hidden, QueryTemplateRow, SelectedQuery, SiteId, StoreError, SubmissionRow, UrlId,
};
use rusqlite::Row;
use rusqlite::types::Type;

use crate::column::{millis, word};
use crate::opened::{Looks, Opened};

impl<A: Looks> Hidden for Opened<A> {
    fn forms(&self, site: Option<SiteId>) -> Result<Vec<FormRow>, StoreError> {
        self.look(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT site_id, fingerprint, source, page_url, pages, purpose, confidence, refusal, template,
                        fields, seen_at, depth
                 FROM form WHERE ?1 IS NULL OR site_id = ?1 ORDER BY site_id, pages DESC, id",
            )?;
            let rows = statement.query_map([site.map(|site| site.0)], |row| {
                Ok(FormRow {
                    site: SiteId(row.get(0)?),
                    fingerprint: row.get::<_, i64>(1)?.cast_unsigned(),
                    source: word(row, 2)?,
                    page_url: row.get(3)?,
                    pages: count(row, 4)?,
                    purpose: word(row, 5)?,
                    confidence: row.get(6)?,
                    refusal: row.get(7)?,
                    template: row.get(8)?,
                    fields: row.get(9)?,
                    seen_at: millis(row, 10)?,
                    depth: row.get(11)?,
                })
            })?;
            rows.collect()
        })
    }

    fn query_templates(&self, vertical: &str) -> Result<Vec<QueryTemplateRow>, StoreError> {
        self.look(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT vertical, site_id, template, state, detail, asked, objects, size, size_min, size_max,
                        memory, changed_at
                 FROM query_template WHERE vertical = ?1 ORDER BY site_id, template",
            )?;
            let rows = statement.query_map([vertical], |row| {
                let size: (Option<f64>, Option<f64>, Option<f64>) = (row.get(7)?, row.get(8)?, row.get(9)?);
                Ok(QueryTemplateRow {
                    vertical: row.get(0)?,
                    site: SiteId(row.get(1)?),
                    template: row.get(2)?,
                    state: word(row, 3)?,
                    detail: row.get(4)?,
                    asked: count(row, 5)?,
                    objects: count(row, 6)?,
                    size: match size {
                        (Some(size), Some(min), Some(max)) => Some((size, min, max)),
                        _ => None,
                    },
                    memory: row.get(10)?,
                    changed_at: millis(row, 11)?,
                })
            })?;
            rows.collect()
        })
    }

    fn submissions(&self, vertical: &str, site: SiteId) -> Result<Vec<SubmissionRow>, StoreError> {
        self.look(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT vertical, site_id, template, query, url, asked_at, outcome, objects, new_objects, result_page,
                        shown_on
                 FROM submission WHERE vertical = ?1 AND site_id = ?2 ORDER BY asked_at, template, url",
            )?;
            statement.query_map((vertical, site.0), submission)?.collect()
        })
    }

    fn submissions_to(&self, url: &str) -> Result<Vec<SubmissionRow>, StoreError> {
        self.look(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT vertical, site_id, template, query, url, asked_at, outcome, objects, new_objects, result_page,
                        shown_on
                 FROM submission WHERE url = ?1 ORDER BY vertical, template",
            )?;
            statement.query_map([url], submission)?.collect()
        })
    }

    fn selected_queries(&self, vertical: &str) -> Result<Vec<SelectedQuery>, StoreError> {
        self.look(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT site_id, template, query, pages FROM selected_query WHERE vertical = ?1
                 ORDER BY site_id, template, query",
            )?;
            let rows = statement.query_map([vertical], |row| {
                Ok(SelectedQuery {
                    site: SiteId(row.get(0)?),
                    template: row.get(1)?,
                    query: row.get(2)?,
                    pages: row.get(3)?,
                })
            })?;
            rows.collect()
        })
    }

    fn arguments(&self, site: SiteId) -> Result<Vec<ArgumentRow>, StoreError> {
        self.look(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT name, kind, prevalence, probes FROM argument WHERE site_id = ?1 ORDER BY name",
            )?;
            let rows = statement.query_map([site.0], |row| {
                Ok(ArgumentRow {
                    name: row.get(0)?,
                    kind: word(row, 1)?,
                    prevalence: row.get(2)?,
                    probes: count(row, 3)?,
                })
            })?;
            rows.collect()
        })
    }
}

fn count(row: &Row<'_>, column: usize) -> rusqlite::Result<u64> {
    row.get::<_, i64>(column).map(i64::cast_unsigned)
}

fn submission(row: &Row<'_>) -> rusqlite::Result<SubmissionRow> {
    Ok(SubmissionRow {
        vertical: row.get(0)?,
        site: SiteId(row.get(1)?),
        template: row.get(2)?,
        query: row.get(3)?,
        url: row.get(4)?,
        asked_at: millis(row, 5)?,
        outcome: word(row, 6)?,
        objects: count(row, 7)?,
        new_objects: count(row, 8)?,
        result_page: row.get(9)?,
        shown_on: ids(row, 10)?,
    })
}

/// Reads a JSON array of IDs.
fn ids(row: &Row<'_>, column: usize) -> rusqlite::Result<Vec<UrlId>> {
    let ids: Result<Vec<i64>, _> = serde_json::from_str(row.get_ref(column)?.as_str()?);
    ids.map(|ids| ids.into_iter().map(UrlId).collect())
        .map_err(|error| rusqlite::Error::FromSqlConversionFailure(column, Type::Text, Box::new(error)))
}
