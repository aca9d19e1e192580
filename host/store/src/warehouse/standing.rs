//! Looking into the warehouse for a clustering that goes on.

use std::collections::HashSet;

use magpie_model::Record;
use rusqlite::{Connection, OptionalExtension, Row};

use super::{Matching, WarehouseLink, WarehouseRow, url_print};
use crate::read::{DONE, record};
use crate::words::MatcherKind;
use crate::{PageId, Reader, StoreError};

/// A page on which a vertical was asked, of which the site said that it has not changed, or that is gone with what stood there.
#[derive(Clone, Debug, PartialEq)]
pub struct FoundPage {
    /// The page.
    pub page: PageId,
    /// Its URL.
    pub url: String,
    /// When it was fetched, in milliseconds since 1970.
    pub fetched_at: i64,
    /// The objects on it, by their numbers, with their records as far as they can be read; empty if
    /// the page is gone. `None` if the page has not changed and no plugin was asked.
    pub objects: Option<Vec<(i64, Option<Record>)>>,
}

/// The next pages of a vertical.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FoundPages {
    /// Those that say something.
    pub pages: Vec<FoundPage>,
    /// The last that was looked at.
    pub upto: i64,
    /// Whether there are no more.
    pub last: bool,
}

/// A member as it is compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StandingRow {
    /// Its number.
    pub id: i64,
    /// Its cluster.
    pub cluster: i64,
    /// What the matcher compares.
    pub features: Vec<u8>,
    /// The keys under which it meets others: scheme and key.
    pub keys: Vec<(String, String)>,
}

/// A member at a URL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemberAt {
    /// Its number.
    pub id: i64,
    /// Its cluster.
    pub cluster: i64,
    /// The same for equal records.
    pub record_print: u128,
    /// Whether it stood on the page when that was looked at last.
    pub current: bool,
    /// Whether it takes part in comparisons.
    pub compared: bool,
}

/// A member of a cluster.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemberState {
    /// Its number.
    pub id: i64,
    /// Whether it stood on its page when that was looked at last.
    pub current: bool,
    /// Whether it takes part in comparisons.
    pub compared: bool,
    /// When it was seen first, in milliseconds since 1970.
    pub first_seen: i64,
    /// When it was seen last.
    pub last_seen: i64,
}

/// Pages that are looked at for one batch, whatever is on them: most have nothing, and cost little.
const MOST_PAGES: usize = 20_000;

/// Members read at a time.
const MEMBERS: usize = 10_000;

const WAREHOUSE: &str =
    "SELECT id, vertical, matcher, digest, options, schema, page_id, object_id, clustered_at FROM warehouse";

impl Reader {
    /// How far each vertical is clustered.
    pub fn warehouse_verticals(&self) -> Result<Vec<WarehouseRow>, StoreError> {
        self.look(|connection| {
            let mut statement = connection.prepare_cached(&format!("{WAREHOUSE} ORDER BY vertical"))?;
            let rows = statement.query_map([], warehouse_row)?;
            rows.collect()
        })
    }

    /// How far a vertical is clustered; none when nobody has begun.
    pub fn warehouse_vertical(&self, vertical: &str) -> Result<Option<WarehouseRow>, StoreError> {
        self.look(|connection| {
            let mut statement = connection.prepare_cached(&format!("{WAREHOUSE} WHERE vertical = ?1"))?;
            statement.query_row([vertical], warehouse_row).optional()
        })
    }

    /// How many objects of a vertical were found on pages after a number: those that are not clustered yet.
    pub fn objects_waiting(&self, vertical: &str, after_page: i64) -> Result<u64, StoreError> {
        self.look(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT coalesce(sum(objects), 0) FROM extraction
                 WHERE page_id > ?2 AND outcome = ?3 AND component_id IN (SELECT id FROM component WHERE vertical = ?1)",
            )?;
            statement.query_row((vertical, after_page, DONE), |row| row.get::<_, i64>(0)).map(i64::unsigned_abs)
        })
    }

    /// The pages after a number that say something of a vertical, in order, until they have so many objects.
    pub fn found_after(&self, vertical: &str, after: i64, objects: usize) -> Result<FoundPages, StoreError> {
        self.look(|connection| found_after(connection, vertical, after, objects))
    }

    /// The members found at a URL, with those that are gone.
    pub fn members_at(&self, warehouse: i64, url: &str) -> Result<Vec<MemberAt>, StoreError> {
        self.look(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT object_id, cluster_id, record_print, current, features IS NOT NULL FROM member
                 WHERE warehouse_id = ?1 AND url_print = ?2 ORDER BY object_id",
            )?;
            let rows = statement.query_map((warehouse, url_print(url)), |row| {
                Ok(MemberAt {
                    id: row.get(0)?,
                    cluster: row.get(1)?,
                    record_print: u128::from_be_bytes(row.get(2)?),
                    current: row.get(3)?,
                    compared: row.get(4)?,
                })
            })?;
            rows.collect()
        })
    }

    /// The members of a cluster, by number.
    pub fn member_states(&self, cluster: i64) -> Result<Vec<MemberState>, StoreError> {
        self.look(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT object_id, current, features IS NOT NULL, first_seen, last_seen FROM member
                 WHERE cluster_id = ?1 ORDER BY object_id",
            )?;
            let rows = statement.query_map([cluster], |row| {
                Ok(MemberState {
                    id: row.get(0)?,
                    current: row.get(1)?,
                    compared: row.get(2)?,
                    first_seen: row.get(3)?,
                    last_seen: row.get(4)?,
                })
            })?;
            rows.collect()
        })
    }

    /// The members that are compared, after a number, by number; an empty list is the end.
    pub fn standing_after(&self, warehouse: i64, after: i64) -> Result<Vec<StandingRow>, StoreError> {
        self.look(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT object_id, cluster_id, features, keys FROM member
                 WHERE object_id > ?2 AND warehouse_id = ?1 AND features IS NOT NULL ORDER BY object_id LIMIT ?3",
            )?;
            let rows = statement.query_map((warehouse, after, MEMBERS as i64), |row| {
                Ok(StandingRow {
                    id: row.get(0)?,
                    cluster: row.get(1)?,
                    features: row.get(2)?,
                    keys: parsed(row, 3)?,
                })
            })?;
            rows.collect()
        })
    }

    /// The pairs of a vertical that a person said are not one.
    pub fn apart(&self, warehouse: i64) -> Result<Vec<(i64, i64)>, StoreError> {
        self.look(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT one, other FROM apart JOIN member ON member.object_id = one WHERE warehouse_id = ?1 ORDER BY 1, 2",
            )?;
            let rows = statement.query_map([warehouse], |row| Ok((row.get(0)?, row.get(1)?)))?;
            rows.collect()
        })
    }

    /// The links between the members of a cluster.
    pub fn links_of(&self, cluster: i64) -> Result<Vec<WarehouseLink>, StoreError> {
        self.look(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT one, other, probability, scheme, reasons FROM member AS here
                 JOIN cluster_link ON one = here.object_id JOIN member AS there ON there.object_id = other
                 WHERE here.cluster_id = ?1 AND there.cluster_id = ?1 ORDER BY one, other",
            )?;
            let rows = statement.query_map([cluster], |row| {
                Ok(WarehouseLink {
                    one: row.get(0)?,
                    other: row.get(1)?,
                    probability: row.get(2)?,
                    scheme: row.get(3)?,
                    reasons: parsed(row, 4)?,
                })
            })?;
            rows.collect()
        })
    }

    /// Clusters that have to be written anew, in order.
    pub fn stale(&self, warehouse: i64, limit: usize) -> Result<Vec<i64>, StoreError> {
        self.look(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT id FROM cluster WHERE warehouse_id = ?1 AND stale = 1 AND merged_into IS NULL ORDER BY id LIMIT ?2",
            )?;
            let rows = statement.query_map((warehouse, limit as i64), |row| row.get(0))?;
            rows.collect()
        })
    }

    /// How many clusters of a vertical have not retired, and how many members they have.
    pub fn cluster_totals(&self, warehouse: i64) -> Result<(u64, u64), StoreError> {
        self.look(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT count(*), coalesce(sum(members), 0) FROM cluster WHERE warehouse_id = ?1 AND merged_into IS NULL",
            )?;
            statement.query_row([warehouse], |row| {
                Ok((row.get::<_, i64>(0)?.unsigned_abs(), row.get::<_, i64>(1)?.unsigned_abs()))
            })
        })
    }

    /// The greatest number of a cluster; 0 when there is none.
    pub fn last_cluster(&self) -> Result<i64, StoreError> {
        self.look(|connection| {
            connection.query_row("SELECT coalesce(max(id), 0) FROM cluster", [], |row| row.get(0))
        })
    }

    /// Returns the record of an object: `None` if there is no such object, `Some(None)` if its record
    /// can't be read.
    pub fn record(&self, object: i64) -> Result<Option<Option<Record>>, StoreError> {
        self.look(|connection| {
            let mut statement = connection.prepare_cached("SELECT record FROM object WHERE id = ?1")?;
            statement.query_row([object], |row| record(row, 0)).optional()
        })
    }
}

fn warehouse_row(row: &Row<'_>) -> rusqlite::Result<WarehouseRow> {
    Ok(WarehouseRow {
        id: row.get(0)?,
        vertical: row.get(1)?,
        matching: Matching {
            matcher: matcher(row, 2)?,
            digest: row.get(3)?,
            options: row.get(4)?,
            schema: row.get(5)?,
        },
        page: row.get(6)?,
        object: row.get(7)?,
        clustered_at: row.get(8)?,
    })
}

/// Reads a column that keeps a matcher, or an empty text.
fn matcher(row: &Row<'_>, column: usize) -> rusqlite::Result<Option<MatcherKind>> {
    match row.get_ref(column)?.as_str()? {
        "" => Ok(None),
        _ => row.get(column).map(Some),
    }
}

fn found_after(
    connection: &Connection,
    vertical: &str,
    after: i64,
    objects: usize,
) -> rusqlite::Result<FoundPages> {
    let newest: i64 = connection.query_row("SELECT coalesce(max(id), 0) FROM page", [], |row| row.get(0))?;
    let mut pages = connection.prepare_cached(
        "SELECT page.id, coalesce(page.url, url.url), page.fetched_at, page.status = 304,
            (SELECT count(*) FROM extraction WHERE page_id = page.id AND outcome = ?4
             AND component_id IN (SELECT id FROM component WHERE vertical = ?1)),
            page.status IN (301, 308, 404, 410)
         FROM page LEFT JOIN url ON url.id = page.url_id WHERE page.id > ?2 AND page.id <= ?3 ORDER BY page.id",
    )?;
    let mut records = connection.prepare_cached(
        "SELECT object.id, object.record FROM extraction
         JOIN object ON object.page_id = extraction.page_id AND object.component_id = extraction.component_id
         WHERE extraction.page_id = ?2 AND outcome = ?3
         AND extraction.component_id IN (SELECT id FROM component WHERE vertical = ?1) ORDER BY object.id",
    )?;
    let mut standing = connection.prepare_cached(
        "SELECT 1 FROM warehouse JOIN member ON member.warehouse_id = warehouse.id
         WHERE vertical = ?1 AND url_print = ?2 AND member.current = 1",
    )?;
    let mut rows = pages.query((vertical, after, newest, DONE))?;
    let mut found = FoundPages {
        upto: after,
        ..FoundPages::default()
    };
    let (mut looked_at, mut taken) = (0, 0);
    let mut found_at = HashSet::new();
    while let Some(row) = rows.next()? {
        if taken >= objects || looked_at >= MOST_PAGES {
            return Ok(found);
        }
        looked_at += 1;
        let page: i64 = row.get(0)?;
        found.upto = page;
        let unchanged: bool = row.get::<_, Option<bool>>(3)?.unwrap_or(false);
        let asked = row.get::<_, i64>(4)? > 0;
        let url: Option<String> = row.get(1)?;
        let Some(url) = url else { continue };
        // A page that is gone, or is elsewhere now, has nothing any more; that is news where something stood.
        let is_gone = row.get::<_, Option<bool>>(5)?.unwrap_or(false);
        let print = url_print(&url);
        let has_lost = is_gone && (found_at.contains(&print) || standing.exists((vertical, print))?);
        if !asked && !unchanged && !has_lost {
            continue;
        }
        let on_page = records.query_map((vertical, page, DONE), |row| Ok((row.get(0)?, record(row, 1)?)))?;
        let on_page: Vec<(i64, Option<Record>)> = on_page.collect::<rusqlite::Result<_>>()?;
        taken += on_page.len();
        if !on_page.is_empty() {
            found_at.insert(print);
        }
        found.pages.push(FoundPage {
            page: PageId(page),
            url,
            fetched_at: row.get(2)?,
            objects: (asked || has_lost).then_some(on_page),
        });
    }
    found.upto = newest.max(after);
    found.last = true;
    Ok(found)
}

/// A column of JSON; what somebody else wrote there counts as nothing.
fn parsed<T: serde::de::DeserializeOwned + Default>(row: &Row<'_>, column: usize) -> rusqlite::Result<T> {
    let text: Option<String> = row.get(column)?;
    Ok(text
        .and_then(|text| serde_json::from_str(&text).ok())
        .unwrap_or_default())
}
