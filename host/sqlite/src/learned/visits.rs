//! Visits with their times and changes, from which schedules are made.

use magpie_rows::{RunKind, SiteId, Spent};
use magpie_values::Timestamp;
use rusqlite::Connection;

use crate::column::millis;

/// Goes back through the pages of each site until one is older.
pub(crate) fn spent(
    connection: &Connection,
    kind: RunKind,
    since: Timestamp,
) -> rusqlite::Result<Vec<Spent>> {
    let mut statement = connection.prepare_cached("SELECT id FROM site ORDER BY id")?;
    let sites = statement.query_map([], |row| row.get(0))?;
    let sites: Vec<i64> = sites.collect::<rusqlite::Result<_>>()?;
    let mut statement = connection.prepare_cached(
        "SELECT page.fetched_at, page.bytes, run.kind = ?1, page.url_id IS NOT NULL
         FROM page LEFT JOIN run ON run.id = page.run_id WHERE page.site_id = ?2 ORDER BY page.number DESC",
    )?;
    let mut spent = Vec::new();
    for site in sites {
        let mut rows = statement.query((kind.as_str(), site))?;
        while let Some(row) = rows.next()? {
            let at = millis(row, 0)?;
            // Pages are numbered in the order in which they were fetched, so all before this one
            // are older.
            if at < since {
                break;
            }
            if row.get::<_, Option<bool>>(2)? == Some(true) {
                let bytes = row.get::<_, i64>(1)?.unsigned_abs();
                let site = row.get::<_, bool>(3)?.then_some(SiteId(site));
                spent.push(Spent { at, bytes, site });
            }
        }
    }
    spent.sort_by_key(|spent| std::cmp::Reverse(spent.at));
    Ok(spent)
}
