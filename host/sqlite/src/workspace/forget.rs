//! Removing pages with all that came of them.

use std::collections::{BTreeMap, HashSet};

use magpie_model::UrlReason;
use magpie_rows::diff::{self, Version};
use magpie_rows::{ChangeKind, Forgetting, Forgotten, ObjectState, UrlState, values_left, version_left};
use magpie_values::Timestamp;
use rusqlite::{Connection, params};

use crate::column::{json_array, millis, optional_millis, record};
use crate::history::log;
use crate::search::index::{self, Indexer, Vanishing};
use crate::workspace::recover::COUNT_URLS;
use crate::workspace::tidy::numbers;

/// The URLs that are to be forgotten, and pages of URLs that are not in the frontier.
pub(super) struct Doomed {
    urls: Vec<i64>,
    pages: Vec<i64>,
    /// Sites of which all URLs are.
    sites: Vec<i64>,
}

impl Doomed {
    pub(super) fn read(
        connection: &Connection,
        is_meant: &(dyn Fn(&str) -> bool + Send + Sync),
    ) -> rusqlite::Result<Doomed> {
        let mut doomed = Doomed {
            urls: Vec::new(),
            pages: Vec::new(),
            sites: Vec::new(),
        };
        // By site: URLs, and those that stay.
        let mut sites: BTreeMap<i64, u64> = BTreeMap::new();
        let mut statement = connection.prepare("SELECT id, site_id, url FROM url")?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            let staying = sites.entry(row.get(1)?).or_default();
            match is_meant(row.get_ref(2)?.as_str()?) {
                true => doomed.urls.push(row.get(0)?),
                false => *staying += 1,
            }
        }
        let whole = sites.iter().filter(|(_, staying)| **staying == 0);
        doomed.sites = whole.map(|(site, _)| *site).collect();
        let mut statement = connection.prepare("SELECT id, url FROM page WHERE url IS NOT NULL")?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            if is_meant(row.get_ref(1)?.as_str()?) {
                doomed.pages.push(row.get(0)?);
            }
        }
        Ok(doomed)
    }
}

const PAGES: &str = "SELECT id FROM page WHERE url_id IN (SELECT value FROM json_each(?1))
    UNION SELECT value FROM json_each(?2)";

/// Returns the pages that are to be removed.
pub(super) fn doomed_pages(connection: &Connection, doomed: &Doomed) -> rusqlite::Result<Vec<i64>> {
    let mut statement = connection.prepare(PAGES)?;
    let values = (json_array(&doomed.urls), json_array(&doomed.pages));
    let rows = statement.query_map(values, |row| row.get(0))?;
    rows.collect()
}

/// Removes pages. A dry run is rolled back.
pub(super) fn forget(
    connection: &Connection,
    doomed: &Doomed,
    request: &Forgetting,
) -> rusqlite::Result<Forgotten> {
    // What is deleted is overwritten, or the database file would keep it.
    connection.pragma_update_and_check(None, "secure_delete", 1, |_| Ok(()))?;
    connection.execute_batch("SAVEPOINT forgetting")?;
    let forgotten = forget_all(connection, doomed, request);
    if request.is_dry || forgotten.is_err() {
        connection.execute_batch("ROLLBACK TO forgetting")?;
    }
    connection.execute_batch("RELEASE forgetting")?;
    connection.pragma_update_and_check(None, "secure_delete", 0, |_| Ok(()))?;
    forgotten
}

fn forget_all(connection: &Connection, doomed: &Doomed, request: &Forgetting) -> rusqlite::Result<Forgotten> {
    let mut forgotten = collect(connection, doomed)?;
    // Before the records are gone from which it was merged.
    let objects = numbers(connection, "SELECT id FROM touched")?;
    let mut vanishing = Vanishing::default();
    for object in &objects {
        vanishing.read(connection, *object)?;
    }
    let pictures = pictures(connection, &objects)?;
    let last_change: i64 =
        connection.query_row("SELECT coalesce(max(seq), 0) FROM change", [], |row| row.get(0))?;
    remove_rows(connection)?;
    for object in objects {
        match Left::read(connection, object)? {
            Some(left) => {
                renew(connection, (object, last_change), &left, request.now)?;
                forgotten.changed_objects += 1;
            }
            None => {
                remove_object(connection, (object, last_change), request.now)?;
                forgotten.objects += 1;
            }
        }
    }
    vanishing.remove(connection)?;
    remove_other(connection, doomed, request, &pictures)?;
    connection.execute_batch(
        "DROP TABLE doomed; DROP TABLE doomed_url; DROP TABLE doomed_record; DROP TABLE doomed_member;
         DROP TABLE touched; DROP INDEX forget_same; DROP INDEX forget_last; DROP INDEX forget_other;
         DROP INDEX forget_reread",
    )?;
    Ok(forgotten)
}

/// Fills tables with the rows that are to be removed, and counts them. Indexes of tables that are
/// looked into for each row that is deleted last as long as the transaction.
fn collect(connection: &Connection, doomed: &Doomed) -> rusqlite::Result<Forgotten> {
    connection.execute_batch(
        "CREATE TEMP TABLE doomed_url (id INTEGER PRIMARY KEY);
         CREATE TEMP TABLE doomed (id INTEGER PRIMARY KEY);
         CREATE TEMP TABLE doomed_record (id INTEGER PRIMARY KEY);
         CREATE TEMP TABLE doomed_member (id INTEGER PRIMARY KEY);
         CREATE TEMP TABLE touched (id INTEGER PRIMARY KEY);
         CREATE INDEX forget_same ON page (same_as) WHERE same_as IS NOT NULL;
         CREATE INDEX forget_last ON member (last_record_id);
         CREATE INDEX forget_other ON member_link (other);
         CREATE INDEX forget_reread ON reread (page_id);",
    )?;
    let urls = json_array(&doomed.urls);
    connection.execute("INSERT INTO doomed_url SELECT value FROM json_each(?1)", [&urls])?;
    let sql = format!("INSERT INTO doomed {PAGES}");
    connection.execute(&sql, (&urls, json_array(&doomed.pages)))?;
    connection.execute_batch(
        "INSERT INTO doomed_record SELECT id FROM record WHERE page_id IN (SELECT id FROM doomed);
         INSERT INTO doomed_member
         SELECT record_id FROM member WHERE record_id IN (SELECT id FROM doomed_record)
         UNION SELECT record_id FROM member WHERE last_record_id IN (SELECT id FROM doomed_record)
         UNION SELECT member_id FROM sighting WHERE record_id IN (SELECT id FROM doomed_record);
         INSERT INTO touched SELECT DISTINCT object_id FROM member
         WHERE record_id IN (SELECT id FROM doomed_member);
         INSERT OR IGNORE INTO rewrite SELECT archive_id FROM page
         WHERE id IN (SELECT id FROM doomed) AND archive_id IS NOT NULL;
         INSERT OR IGNORE INTO rewrite SELECT archive_id FROM rendering
         WHERE page_id IN (SELECT id FROM doomed);",
    )?;
    let count = |sql: &str| connection.query_row(sql, [], |row| row.get::<_, i64>(0).map(i64::unsigned_abs));
    let mut statement = connection
        .prepare("SELECT key FROM site WHERE id IN (SELECT value FROM json_each(?1)) ORDER BY key")?;
    let sites = statement.query_map([json_array(&doomed.sites)], |row| row.get(0))?;
    Ok(Forgotten {
        sites: sites.collect::<rusqlite::Result<_>>()?,
        urls: count("SELECT count(*) FROM doomed_url")?,
        pages: count("SELECT count(*) FROM doomed")?,
        records: count("SELECT count(*) FROM doomed_record")?,
        bytes: count(
            "SELECT coalesce(sum(archive_length), 0) FROM (
                SELECT archive_length FROM page WHERE id IN (SELECT id FROM doomed)
                UNION ALL SELECT archive_length FROM rendering WHERE page_id IN (SELECT id FROM doomed))",
        )?,
        ..Forgotten::default()
    })
}

fn remove_rows(connection: &Connection) -> rusqlite::Result<()> {
    connection.execute_batch(
        // Equal records of a page that stays are clustered again.
        "INSERT OR IGNORE INTO reread
         SELECT member.warehouse_id, record.page_id FROM doomed_member
         JOIN member ON member.record_id = doomed_member.id
         JOIN sighting ON sighting.member_id = doomed_member.id
         JOIN record ON record.id = sighting.record_id
         WHERE record.page_id NOT IN (SELECT id FROM doomed);
         DELETE FROM member_link WHERE one IN (SELECT id FROM doomed_member);
         DELETE FROM member_link WHERE other IN (SELECT id FROM doomed_member);
         DELETE FROM apart WHERE one IN (SELECT id FROM doomed_member) OR other IN (SELECT id FROM doomed_member);
         DELETE FROM sighting WHERE member_id IN (SELECT id FROM doomed_member)
            OR record_id IN (SELECT id FROM doomed_record);
         DELETE FROM member WHERE record_id IN (SELECT id FROM doomed_member);
         DELETE FROM record WHERE id IN (SELECT id FROM doomed_record);
         DELETE FROM violation WHERE page_id IN (SELECT id FROM doomed);
         DELETE FROM judgement WHERE page_id IN (SELECT id FROM doomed);
         DELETE FROM extraction WHERE page_id IN (SELECT id FROM doomed);
         DELETE FROM page_links WHERE page_id IN (SELECT id FROM doomed);
         DELETE FROM rendering WHERE page_id IN (SELECT id FROM doomed);
         DELETE FROM reread WHERE page_id IN (SELECT id FROM doomed);
         -- Their body could not be read, so it could not become their own.
         UPDATE page SET archive_id = NULL, archive_offset = NULL, archive_length = NULL, same_as = NULL,
            problem = 'archive-lost'
         WHERE same_as IN (SELECT id FROM doomed) AND id NOT IN (SELECT id FROM doomed);
         DELETE FROM page WHERE id IN (SELECT id FROM doomed);
         -- The next page of a site gets the number after its last one.
         UPDATE clustered SET page = min(page, coalesce(
            (SELECT max(number) FROM page WHERE page.site_id = clustered.site_id), 0));",
    )
}

/// Removes what is known of the URLs besides their pages, and of sites that have no others.
fn remove_other(
    connection: &Connection,
    doomed: &Doomed,
    request: &Forgetting,
    pictures: &HashSet<String>,
) -> rusqlite::Result<()> {
    let is_meant = &*request.urls.0;
    connection.execute(
        "UPDATE url SET state = ?1, reason = ?2, detail = ?3, due_at = NULL, form = 0
         WHERE id IN (SELECT id FROM doomed_url)",
        (
            UrlState::Refused.as_str(),
            UrlReason::Forgotten.as_str(),
            &request.detail,
        ),
    )?;
    connection.execute_batch(COUNT_URLS)?;
    connection.execute_batch(
        "DELETE FROM hint WHERE (site_id, fingerprint) IN (
            SELECT site_id, fingerprint FROM url WHERE id IN (SELECT id FROM doomed_url))",
    )?;
    let sites = json_array(&doomed.sites);
    for table in [
        "learned_site",
        "pattern",
        "round",
        "query_template",
        "submission",
        "selected_query",
        "argument",
        "coverage",
        "form",
        "feed",
        "hint",
        "url_rule",
        "cookie",
    ] {
        let sql = format!("DELETE FROM {table} WHERE site_id IN (SELECT value FROM json_each(?1))");
        connection.execute(&sql, [&sites])?;
    }
    // Addresses beside the frontier, whose rows are few.
    for (table, column, end) in [
        ("submission", "url", ""),
        ("form", "page_url", ""),
        ("feed", "url", ""),
        ("picture", "url", ""),
        ("host", "origin", "/"),
    ] {
        let mut statement = connection.prepare(&format!("SELECT DISTINCT {column} FROM {table}"))?;
        let all = statement.query_map([], |row| row.get::<_, String>(0))?;
        let mut delete = connection.prepare(&format!("DELETE FROM {table} WHERE {column} = ?1"))?;
        for url in all.collect::<rusqlite::Result<Vec<String>>>()? {
            let is_of_object = table == "picture" && pictures.contains(&url);
            if is_of_object || is_meant(&format!("{url}{end}")) {
                delete.execute([url])?;
            }
        }
    }
    Ok(())
}

/// Returns the values of objects that may be addresses of pictures.
fn pictures(connection: &Connection, objects: &[i64]) -> rusqlite::Result<HashSet<String>> {
    let mut found = HashSet::new();
    let mut statement = connection.prepare("SELECT record FROM object WHERE id = ?1")?;
    for object in objects {
        let record = statement.query_row([object], |row| record(row, 0))?;
        let values = record.into_iter().flat_map(|record| record.values);
        found.extend(
            values
                .map(|value| value.value)
                .filter(|value| value.contains("://")),
        );
    }
    Ok(found)
}

/// The records that an object has left.
struct Left {
    members: i64,
    current: i64,
    first_seen: Timestamp,
    last_seen: Timestamp,
    /// The version that the object has until it is merged again.
    version: Version,
}

impl Left {
    fn read(connection: &Connection, object: i64) -> rusqlite::Result<Option<Left>> {
        let left = connection.query_row(
            "SELECT count(*), coalesce(sum(current), 0), coalesce(min(first_seen), 0), coalesce(max(last_seen), 0)
             FROM member WHERE object_id = ?1",
            [object],
            |row| {
                Ok(Left {
                    members: row.get(0)?,
                    current: row.get(1)?,
                    first_seen: millis(row, 2)?,
                    last_seen: millis(row, 3)?,
                    version: Version::default(),
                })
            },
        )?;
        if left.members == 0 {
            return Ok(None);
        }
        // The object takes the values of one record, preferably that of a page about the object.
        let (record, expires_at) = connection.query_row(
            "SELECT record.record, record.expires_at FROM member JOIN record ON record.id = member.last_record_id
             WHERE member.object_id = ?1
             ORDER BY member.current DESC, coalesce(substr(member.origin, 1, 1) = x'01', 0) DESC, member.record_id LIMIT 1",
            [object],
            |row| Ok((record(row, 0)?.unwrap_or_default(), optional_millis(row, 1)?)),
        )?;
        let old: String =
            connection.query_row("SELECT label FROM object WHERE id = ?1", [object], |row| {
                row.get(0)
            })?;
        Ok(Some(Left {
            version: version_left(&old, record, expires_at),
            ..left
        }))
    }
}

/// Gives an object the values of one of its remaining records until it is merged again, and removes
/// its earlier changes, whose values may come from removed records.
fn renew(
    connection: &Connection,
    (object, last_change): (i64, i64),
    left: &Left,
    now: Timestamp,
) -> rusqlite::Result<()> {
    let before = log::logged(connection, object)?;
    let after = &left.version;
    connection.execute(
        "UPDATE object SET label = ?2, object_type = ?3, record = ?4, origins = '{}', members = ?5, current = ?6,
            first_seen = ?7, last_seen = ?8, expires_at = ?9, stale = 1
         WHERE id = ?1",
        params![
            object,
            after.label,
            after.record.object_type,
            after.record.to_text(),
            left.members,
            left.current,
            left.first_seen.as_millis(),
            left.last_seen.as_millis(),
            after.expires_at.map(Timestamp::as_millis),
        ],
    )?;
    if let Some((before, _)) = before {
        let values = values_left(&before.record, &after.record);
        log::append(connection, object, ChangeKind::Changed, now, &values, after, None)?;
        let state = diff::state(None, left.current.unsigned_abs(), after.expires_at, now);
        for (kind, _) in diff::changes(Some((after, ObjectState::Current)), after, state) {
            log::append(connection, object, kind, now, &[], after, None)?;
        }
        log::set_state(connection, object, state, now)?;
        // After the others, whose numbers must be new to followers.
        connection.execute(
            "DELETE FROM change WHERE object_id = ?1 AND seq <= ?2
                AND seq > (SELECT min(seq) FROM change WHERE object_id = ?1)",
            (object, last_change),
        )?;
        connection.execute(
            "UPDATE change SET kind = ?3, label = '', object_type = '', expires_at = NULL, attributes = '{}',
                into_id = NULL
             WHERE object_id = ?1 AND seq <= ?2",
            (object, last_change, ChangeKind::New.as_str()),
        )?;
    }
    blank_parts(connection, object)?;
    let warehouse =
        connection.query_row("SELECT warehouse_id FROM object WHERE id = ?1", [object], |row| {
            row.get(0)
        })?;
    Indexer::new(connection, warehouse)?.refresh(object)
}

/// Leaves nothing of an object but its number, which no other gets, and one change.
fn remove_object(
    connection: &Connection,
    (object, last_change): (i64, i64),
    now: Timestamp,
) -> rusqlite::Result<()> {
    let is_logged = log::logged(connection, object)?.is_some();
    index::remove(connection, object)?;
    // It counts as retired, and is part of itself.
    connection.execute(
        "UPDATE object SET label = '', object_type = '', record = '{}', origins = '{}', members = 0, current = 0,
            expires_at = NULL, stale = 0, merged_into = id, state = ''
         WHERE id = ?1",
        [object],
    )?;
    if is_logged {
        let none = Version::default();
        log::append(connection, object, ChangeKind::Forgotten, now, &[], &none, None)?;
        log::set_state(connection, object, ObjectState::Forgotten, now)?;
    }
    // After the other was added, whose number must be new to followers.
    connection.execute(
        "DELETE FROM change WHERE object_id = ?1 AND seq <= ?2",
        (object, last_change),
    )?;
    blank_parts(connection, object)
}

/// Removes what is known of the objects that became part of another.
fn blank_parts(connection: &Connection, object: i64) -> rusqlite::Result<()> {
    connection.execute(
        "DELETE FROM change WHERE object_id IN (SELECT id FROM object WHERE merged_into = ?1 AND id <> ?1)",
        [object],
    )?;
    connection
        .execute(
            "UPDATE object SET label = '', object_type = '', record = '{}', origins = '{}', expires_at = NULL, state = ''
             WHERE merged_into = ?1 AND id <> ?1",
            [object],
        )
        .map(drop)
}
