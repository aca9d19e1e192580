//! Reading the warehouse while a vertical is being clustered.

use std::collections::HashSet;

use magpie_model::Record;
use magpie_rows::{
    FoundPage, FoundPages, MatcherKind, Matching, MemberFilter, MemberState, PageId, RecordRow, SiteId,
    StandingRow, WarehouseLink, WarehouseRow,
};
use magpie_values::Timestamp;
use rusqlite::{Connection, OptionalExtension, Row};

use crate::column::{DONE, json_array, millis, optional_millis, record, url_print, word};
use crate::warehouse::readings;

/// Pages that are looked at for one batch, whatever is on them: most have nothing, and cost little.
const MAX_PAGES: usize = 20_000;

const WAREHOUSE: &str = "SELECT id, vertical, matcher, digest, options, schema, clustered_at FROM warehouse";

/// Counts the records of a vertical that are not clustered yet.
pub(crate) fn records_waiting(connection: &Connection, vertical: &str) -> rusqlite::Result<u64> {
    let mut statement = connection.prepare_cached(&format!(
        "SELECT coalesce(sum(extraction.records), 0) FROM ({NEWS}) AS news
         CROSS JOIN page ON page.site_id = news.site AND page.number > news.after
         CROSS JOIN extraction ON extraction.page_id = page.id AND outcome = ?2
         WHERE component_id IN (SELECT id FROM component WHERE vertical = ?1)"
    ))?;
    let row = statement.query_row((vertical, DONE), |row| row.get::<_, i64>(0));
    row.map(i64::unsigned_abs)
}

/// Reads the progress of the clustering of each vertical.
pub(super) fn warehouse_verticals(connection: &Connection) -> rusqlite::Result<Vec<WarehouseRow>> {
    let mut statement = connection.prepare_cached(&format!("{WAREHOUSE} ORDER BY vertical"))?;
    let rows = statement.query_map([], warehouse_row)?;
    rows.collect()
}

/// The sites with pages that are not clustered, each with the number of the last one that is. The
/// vertical is the first parameter.
pub(super) const NEWS: &str = "SELECT site.id AS site, coalesce(clustered.page, 0) AS after
    FROM site LEFT JOIN clustered ON clustered.site_id = site.id
        AND clustered.warehouse_id = (SELECT id FROM warehouse WHERE vertical = ?1)
    WHERE (SELECT max(number) FROM page WHERE page.site_id = site.id) > coalesce(clustered.page, 0)";

pub(super) fn warehouse_vertical(
    connection: &Connection,
    vertical: &str,
) -> rusqlite::Result<Option<WarehouseRow>> {
    let mut statement = connection.prepare_cached(&format!("{WAREHOUSE} WHERE vertical = ?1"))?;
    statement.query_row([vertical], warehouse_row).optional()
}

pub(super) fn members(connection: &Connection, of: MemberFilter<'_>) -> rusqlite::Result<Vec<MemberState>> {
    const MEMBER: &str = "SELECT DISTINCT member.record_id, object_id, url_print, record_print, current,
        features IS NOT NULL, coalesce(substr(origin, 1, 1) = x'01', 0), first_seen, last_seen FROM json_each(?1) AS wanted";
    let (sql, warehouse, wanted) = match of {
        MemberFilter::Urls(warehouse, urls) => {
            let mut prints: Vec<i64> = urls.iter().map(|url| url_print(url)).collect();
            prints.sort_unstable();
            prints.dedup();
            (
                format!(
                    "{MEMBER} CROSS JOIN member ON warehouse_id = ?2 AND url_print = wanted.value
                     ORDER BY member.record_id"
                ),
                warehouse,
                json_array(&prints),
            )
        }
        MemberFilter::Objects(objects) => (
            format!(
                "{MEMBER} CROSS JOIN member ON object_id = wanted.value WHERE ?2 = 0 ORDER BY member.record_id"
            ),
            0,
            json_array(objects),
        ),
        MemberFilter::Records(records) => (
            format!(
                "{MEMBER} CROSS JOIN sighting ON sighting.record_id = wanted.value
                 CROSS JOIN member ON member.record_id = sighting.member_id WHERE ?2 = 0 ORDER BY member.record_id"
            ),
            0,
            json_array(records),
        ),
    };
    let mut statement = connection.prepare_cached(&sql)?;
    let rows = statement.query_map((wanted, warehouse), |row| {
        Ok(MemberState {
            id: row.get(0)?,
            object: row.get(1)?,
            url: row.get::<_, i64>(2)?.cast_unsigned(),
            record_print: u128::from_be_bytes(row.get(3)?),
            current: row.get(4)?,
            compared: row.get(5)?,
            is_subject: row.get(6)?,
            first_seen: millis(row, 7)?,
            last_seen: millis(row, 8)?,
        })
    })?;
    rows.collect()
}

pub(super) fn standing_after(
    connection: &Connection,
    warehouse: i64,
    after: i64,
    limit: usize,
) -> rusqlite::Result<Vec<StandingRow>> {
    let mut statement = connection.prepare_cached(
        "SELECT record_id, object_id, features, keys, coalesce(origin, x'') FROM member
         WHERE record_id > ?2 AND warehouse_id = ?1 AND features IS NOT NULL ORDER BY record_id LIMIT ?3",
    )?;
    let rows = statement.query_map((warehouse, after, limit as i64), |row| {
        Ok(StandingRow {
            id: row.get(0)?,
            object: row.get(1)?,
            features: row.get(2)?,
            keys: parsed(row, 3)?,
            origin: row.get(4)?,
        })
    })?;
    rows.collect()
}

pub(super) fn apart(connection: &Connection, warehouse: i64) -> rusqlite::Result<Vec<(i64, i64)>> {
    let mut statement = connection.prepare_cached(
        "SELECT one, other FROM apart JOIN member ON member.record_id = one WHERE warehouse_id = ?1 ORDER BY 1, 2",
    )?;
    let rows = statement.query_map([warehouse], |row| Ok((row.get(0)?, row.get(1)?)))?;
    rows.collect()
}

pub(super) fn links_of(connection: &Connection, object: i64) -> rusqlite::Result<Vec<WarehouseLink>> {
    let mut statement = connection.prepare_cached(
        "SELECT one, other, probability, scheme, reasons FROM member AS here
         JOIN member_link ON one = here.record_id JOIN member AS there ON there.record_id = other
         WHERE here.object_id = ?1 AND there.object_id = ?1 ORDER BY one, other",
    )?;
    let rows = statement.query_map([object], link_row)?;
    rows.collect()
}

pub(super) fn link_row(row: &Row<'_>) -> rusqlite::Result<WarehouseLink> {
    Ok(WarehouseLink {
        one: row.get(0)?,
        other: row.get(1)?,
        probability: row.get(2)?,
        scheme: row.get(3)?,
        reasons: parsed(row, 4)?,
    })
}

pub(super) fn records(connection: &Connection, numbers: &[i64]) -> rusqlite::Result<Vec<RecordRow>> {
    let mut statement = connection.prepare_cached(
        "SELECT record.id, record, expires_at FROM json_each(?1) AS wanted CROSS JOIN record ON record.id = wanted.value",
    )?;
    let rows = statement.query_map([json_array(numbers)], |row| {
        Ok(RecordRow {
            id: row.get(0)?,
            record: record(row, 1)?,
            expires_at: optional_millis(row, 2)?,
        })
    })?;
    rows.collect()
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
        clustered_at: millis(row, 6)?,
    })
}

/// Reads a column that keeps a matcher, or an empty text.
fn matcher(row: &Row<'_>, column: usize) -> rusqlite::Result<Option<MatcherKind>> {
    match row.get_ref(column)?.as_str()? {
        "" => Ok(None),
        _ => word(row, column).map(Some),
    }
}

/// Reads the next pages site by site, in three statements a site, and puts them in the order of
/// time.
pub(super) fn found(connection: &Connection, vertical: &str, records: usize) -> rusqlite::Result<FoundPages> {
    let again = readings::found_again(connection, vertical)?;
    if !again.pages.is_empty() {
        return Ok(again);
    }
    let mut statement = connection.prepare_cached(&format!("{NEWS} ORDER BY site.id"))?;
    let sites = statement.query_map([vertical], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let sites: Vec<(i64, i64)> = sites.collect::<rusqlite::Result<_>>()?;
    let mut found = FoundPages {
        last: true,
        ..FoundPages::default()
    };
    let mut timed: Vec<(Timestamp, FoundPage)> = Vec::new();
    let (mut looked_at, mut taken) = (0, 0);
    for (site, after) in sites {
        // Most pages have no records and cost little, but a site may have millions of them. So the
        // pages are limited as well as the records.
        if taken >= records || looked_at >= MAX_PAGES {
            found.last = false;
            break;
        }
        let next = NextPages::read(
            connection,
            vertical,
            site,
            after,
            records - taken,
            MAX_PAGES - looked_at,
        )?;
        found.last &= next.is_last;
        looked_at += next.looked_at;
        taken += next.taken;
        found.marks.upto.push((SiteId(site), next.upto.unsigned_abs()));
        let mut time = Timestamp::MIN;
        timed.extend(next.pages.into_iter().map(|page| {
            // A clock that was set back does not turn the order of a site.
            time = time.max(page.fetched_at);
            (time, page)
        }));
    }
    timed.sort_by_key(|(time, _)| *time);
    found.pages = timed.into_iter().map(|(_, page)| page).collect();
    Ok(found)
}

struct NextPages {
    pages: Vec<FoundPage>,
    upto: i64,
    looked_at: usize,
    taken: usize,
    is_last: bool,
}

impl NextPages {
    fn read(
        connection: &Connection,
        vertical: &str,
        site: i64,
        after: i64,
        records: usize,
        pages: usize,
    ) -> rusqlite::Result<NextPages> {
        let mut statement = connection.prepare_cached(
            "SELECT page.number, page.id, coalesce(page.url, url.url), page.fetched_at, page.status,
                (SELECT sum(records) FROM extraction WHERE page_id = page.id AND outcome = ?4
                 AND component_id IN (SELECT id FROM component WHERE vertical = ?1))
             FROM page LEFT JOIN url ON url.id = page.url_id
             WHERE page.site_id = ?2 AND page.number > ?3 ORDER BY page.number",
        )?;
        let mut rows = statement.query((vertical, site, after, DONE))?;
        let mut next = NextPages {
            pages: Vec::new(),
            upto: after,
            looked_at: 0,
            taken: 0,
            is_last: true,
        };
        let mut candidates: Vec<Candidate> = Vec::new();
        while let Some(row) = rows.next()? {
            // At least one page is looked at in each call, or clustering would never get past a
            // page with more records than the batch.
            if next.taken >= records || next.looked_at >= pages {
                next.is_last = false;
                break;
            }
            next.looked_at += 1;
            next.upto = row.get(0)?;
            let Some(url) = row.get::<_, Option<String>>(2)? else {
                continue;
            };
            let status: Option<u16> = row.get(4)?;
            let records: Option<i64> = row.get(5)?;
            let candidate = Candidate {
                number: next.upto,
                is_asked: records.is_some(),
                is_unchanged: status == Some(304),
                // A page that is gone, or is elsewhere now, has nothing any more.
                is_gone: matches!(status, Some(301 | 308 | 404 | 410)),
                page: FoundPage {
                    page: PageId(row.get(1)?),
                    site: SiteId(site),
                    url,
                    fetched_at: millis(row, 3)?,
                    records: None,
                    is_gone: matches!(status, Some(404 | 410)),
                },
            };
            // Other pages were not shown to the vertical, and say nothing about its objects.
            if candidate.is_asked || candidate.is_unchanged || candidate.is_gone {
                next.taken += records.unwrap_or(0).unsigned_abs() as usize;
                candidates.push(candidate);
            }
        }
        let found = records_between(connection, vertical, (site, after, next.upto))?;
        let standing = standing_at(connection, vertical, &candidates)?;
        next.pages = news(candidates, found, standing);
        Ok(next)
    }
}

/// A page that may matter to the clustering.
struct Candidate {
    number: i64,
    is_asked: bool,
    is_unchanged: bool,
    is_gone: bool,
    page: FoundPage,
}

/// Keeps the pages that matter to the clustering, with their records.
fn news(
    candidates: Vec<Candidate>,
    found: Vec<(i64, i64, Option<Record>)>,
    mut standing: HashSet<i64>,
) -> Vec<FoundPage> {
    let mut found = found.into_iter().peekable();
    let mut pages = Vec::new();
    for mut candidate in candidates {
        let mut on_page = Vec::new();
        while let Some((number, id, record)) = found.next_if(|(number, ..)| *number <= candidate.number) {
            if number == candidate.number {
                on_page.push((id, record));
            }
        }
        let print = url_print(&candidate.page.url);
        // A site has many pages that are gone and never had an object.
        let has_lost = candidate.is_gone && standing.contains(&print);
        if !candidate.is_asked && !candidate.is_unchanged && !has_lost {
            continue;
        }
        if !on_page.is_empty() {
            // The page may be gone again later in the same batch.
            standing.insert(print);
        }
        candidate.page.records = (candidate.is_asked || has_lost).then_some(on_page);
        pages.push(candidate.page);
    }
    pages
}

/// Reads the records of a vertical on pages of a site after a number and up to another: page,
/// number, record.
fn records_between(
    connection: &Connection,
    vertical: &str,
    (site, after, upto): (i64, i64, i64),
) -> rusqlite::Result<Vec<(i64, i64, Option<Record>)>> {
    let mut statement = connection.prepare_cached(
        "SELECT page.number, record.id, record.record FROM page
         CROSS JOIN extraction ON extraction.page_id = page.id AND outcome = ?5
            AND extraction.component_id IN (SELECT id FROM component WHERE vertical = ?1)
         CROSS JOIN record ON record.page_id = page.id AND record.component_id = extraction.component_id
            AND record.standing = 1
         WHERE page.site_id = ?2 AND page.number > ?3 AND page.number <= ?4 ORDER BY page.number, record.id",
    )?;
    let rows = statement.query_map((vertical, site, after, upto, DONE), |row| {
        Ok((row.get(0)?, row.get(1)?, record(row, 2)?))
    })?;
    rows.collect()
}

/// The hashes of the URLs of gone pages that had something when they were fetched last.
fn standing_at(
    connection: &Connection,
    vertical: &str,
    candidates: &[Candidate],
) -> rusqlite::Result<HashSet<i64>> {
    let gone = candidates.iter().filter(|candidate| candidate.is_gone);
    let gone: Vec<i64> = gone.map(|candidate| url_print(&candidate.page.url)).collect();
    if gone.is_empty() {
        return Ok(HashSet::new());
    }
    let mut statement = connection.prepare_cached(
        "SELECT DISTINCT url_print FROM json_each(?2) AS gone CROSS JOIN warehouse ON warehouse.vertical = ?1
         CROSS JOIN member ON member.warehouse_id = warehouse.id AND url_print = gone.value AND member.current = 1",
    )?;
    let rows = statement.query_map((vertical, json_array(&gone)), |row| row.get(0))?;
    rows.collect()
}

/// Parses a column of JSON. An invalid value of another program counts as empty.
fn parsed<T: serde::de::DeserializeOwned + Default>(row: &Row<'_>, column: usize) -> rusqlite::Result<T> {
    let text: Option<String> = row.get(column)?;
    Ok(text
        .and_then(|text| serde_json::from_str(&text).ok())
        .unwrap_or_default())
}
