//! The table `known`, which is behind by the newest URLs.

use rusqlite::Connection;

/// Number of URLs that wait to be inserted into `known`, where a small batch would touch a page for
/// each. When a workspace is opened they are read from `url`, which takes some 20 ms.
pub(super) const UNINDEXED: usize = 32_768;

/// Puts URLs into `known`, in the order of that table.
pub(super) fn index_known(
    connection: &Connection,
    unindexed: &mut Vec<(i64, i64, i64)>,
) -> rusqlite::Result<()> {
    let Some(last) = unindexed.iter().map(|(_, _, id)| *id).max() else {
        return Ok(());
    };
    // Fingerprints are spread over the table. Sorted, several of this many share each of its pages.
    unindexed.sort_unstable();
    let mut statement = connection.prepare_cached("INSERT INTO known VALUES (?1, ?2, ?3)")?;
    for row in unindexed.drain(..) {
        statement.execute(row)?;
    }
    connection.execute(
        "INSERT INTO meta VALUES ('known_up_to', ?1) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
        [last.to_string()],
    )?;
    Ok(())
}

/// URLs that an earlier process left out of `known`.
pub(super) fn read_unindexed(connection: &Connection) -> rusqlite::Result<Vec<(i64, i64, i64)>> {
    let mut statement = connection.prepare(
        "SELECT site_id, fingerprint, id FROM url
         WHERE id > (SELECT coalesce(max(CAST(value AS INTEGER)), 0) FROM meta WHERE key = 'known_up_to')",
    )?;
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
    rows.collect()
}
