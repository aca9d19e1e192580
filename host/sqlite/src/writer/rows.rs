//! Rows of the database.

use magpie_archive::BodyPlace;
use magpie_model::{Judgement, UrlReason};
use magpie_rows::{
    Alert, Extraction, FiledOffer, Hint, Host, Page, PageId, Rendering, SiteId, UrlId, UrlOutcome,
};
use magpie_values::Timestamp;
use magpie_warc::Location;
use rusqlite::{Connection, params};

use crate::column::DONE;

pub(super) struct Archived {
    pub(super) archive: i64,
    pub(super) place: BodyPlace,
}

pub(super) fn insert_page(
    connection: &Connection,
    id: PageId,
    (site, number): (SiteId, i64),
    url: Option<UrlId>,
    page: &Page,
    archived: Option<&Archived>,
) -> rusqlite::Result<()> {
    let mut statement = connection.prepare_cached(
        "INSERT INTO page (id, url_id, url, run_id, fetched_at, status, media_type, charset, language, title, bytes,
            digest, simhash, etag, last_modified, redirect, canonical, problem, detail, duration,
            archive_id, archive_offset, archive_length, same_as, text_hash, site_id, number, nofollow, noindex)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22,
            ?23, ?24, ?25, ?26, ?27, ?28, ?29)",
    )?;
    statement.execute(params![
        id.0,
        url.map(|url| url.0),
        // A page of a known URL has its text there.
        url.is_none().then_some(&page.url),
        page.run.map(|run| run.0),
        page.fetched_at.as_millis(),
        page.status,
        page.media_type,
        page.charset,
        page.language,
        page.title,
        page.bytes.cast_signed(),
        archived.map(|archived| archived.place.digest.0),
        page.simhash.map(u64::cast_signed),
        page.etag,
        page.last_modified,
        page.redirect,
        page.canonical,
        page.problem.as_ref().map(UrlReason::as_str),
        page.detail,
        page.duration,
        archived.map(|archived| archived.archive),
        archived.map(|archived| archived.place.location.offset.cast_signed()),
        archived.map(|archived| archived.place.location.length.cast_signed()),
        archived
            .and_then(|archived| archived.place.same_as)
            .map(|page| page.0),
        page.text_hash.map(u64::cast_signed),
        site.0,
        number,
        page.tags.nofollow,
        page.tags.noindex,
    ])?;
    let has_body = archived.is_some_and(|archived| archived.place.same_as.is_some());
    if page.status == Some(304) && !has_body {
        // It confirms a page whose body may have been removed.
        connection
            .prepare_cached(
                "UPDATE page SET (pruned_at, pruned_by) = (SELECT pruned_at, pruned_by FROM page AS old
                    WHERE old.url_id = page.url_id AND old.pruned_at IS NOT NULL ORDER BY old.id DESC LIMIT 1)
                 WHERE id = ?1",
            )?
            .execute([id.0])?;
    }
    Ok(())
}

/// The number of the last page of a site; 0 before the first.
pub(super) fn last_page(connection: &Connection, site: SiteId) -> rusqlite::Result<i64> {
    connection
        .prepare_cached("SELECT coalesce(max(number), 0) FROM page WHERE site_id = ?1")?
        .query_row([site.0], |row| row.get(0))
}

pub(super) fn insert_links(
    connection: &Connection,
    page: PageId,
    origin: &str,
    json: &str,
) -> rusqlite::Result<()> {
    connection
        .prepare_cached("INSERT INTO page_links VALUES (?1, ?2, ?3)")?
        .execute((page.0, origin, json))
        .map(drop)
}

/// Records a page as a browser showed it, and the place of its document in the archive.
pub(super) fn insert_rendering(
    connection: &Connection,
    page: PageId,
    (archive, location): (i64, Location),
    rendering: &Rendering,
) -> rusqlite::Result<()> {
    connection
        .prepare_cached("INSERT INTO rendering VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)")?
        .execute(params![
            page.0,
            archive,
            location.offset.cast_signed(),
            location.length.cast_signed(),
            rendering.links_as_json(),
            rendering.requests.cast_signed(),
            rendering.bytes.cast_signed(),
            i64::try_from(rendering.cpu.as_micros()).unwrap_or(i64::MAX),
        ])
        .map(drop)
}

pub(super) fn insert_judgement(
    connection: &Connection,
    page: PageId,
    component: i64,
    judgement: &Judgement,
) -> rusqlite::Result<()> {
    connection
        .prepare_cached("INSERT INTO judgement VALUES (?1, ?2, ?3, ?4, ?5)")?
        .execute(params![
            page.0,
            component,
            judgement.accepted,
            judgement.confidence,
            judgement.reason,
        ])
        .map(drop)
}

/// Inserts an extraction, and its records from a position on.
pub(crate) fn insert_extraction(
    connection: &Connection,
    page: PageId,
    component: i64,
    extraction: &Extraction,
    first: Option<i64>,
) -> rusqlite::Result<()> {
    connection
        .prepare_cached("INSERT INTO extraction VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)")?
        .execute(params![
            page.0,
            component,
            extraction.problem.as_deref().unwrap_or(DONE),
            extraction.detail,
            extraction.records.len() as i64,
            extraction.violations.cast_signed(),
            i64::try_from(extraction.cpu.as_micros()).unwrap_or(i64::MAX),
        ])?;
    for ((attribute, code), count) in &extraction.violation_counts {
        connection
            .prepare_cached("INSERT INTO violation VALUES (?1, ?2, ?3, ?4, ?5)")?
            .execute(params![page.0, component, attribute, code, count.cast_signed()])?;
    }
    let mut statement = connection.prepare_cached(
        "INSERT INTO record (page_id, component_id, position, object_type, confidence, record, expires_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
    )?;
    let positions = first.into_iter().flat_map(|first| first..);
    for (position, found) in positions.zip(&extraction.records) {
        statement.execute(params![
            page.0,
            component,
            position,
            found.record.object_type,
            found.record.confidence,
            found.record.to_text(),
            found.expires_at.map(Timestamp::as_millis),
        ])?;
    }
    Ok(())
}

pub(super) fn insert_url(connection: &Connection, filed: &FiledOffer) -> rusqlite::Result<()> {
    let offer = &filed.offer;
    let mut statement = connection.prepare_cached(
        "INSERT INTO url (id, site_id, fingerprint, url, state, priority, depth, attempts, source, found_on, found_at,
            due_at, reason, detail, form)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, 0, ?8, ?9, ?10, ?11, ?12, ?13, ?14)",
    )?;
    statement.execute(params![
        filed.id.0,
        filed.site.0,
        offer.fingerprint.cast_signed(),
        offer.url,
        offer.state.as_str(),
        offer.priority,
        offer.depth,
        offer.source.as_str(),
        offer.found_on.map(|url| url.0),
        offer.found_at.as_millis(),
        offer.due_at.map(Timestamp::as_millis),
        offer.reason.as_ref().map(UrlReason::as_str),
        offer.detail,
        offer.form,
    ])?;
    Ok(())
}

/// Returns the number of changed rows: one, unless the database does not know the URL.
pub(super) fn settle_url(
    connection: &Connection,
    settled: &UrlOutcome,
    attempts: u32,
) -> rusqlite::Result<usize> {
    let mut statement = connection.prepare_cached(
        "UPDATE url SET state = ?2, attempts = ?3, due_at = ?4, reason = ?5, detail = ?6 WHERE id = ?1",
    )?;
    statement.execute(params![
        settled.url.0,
        settled.state.as_str(),
        attempts,
        settled.due_at.map(Timestamp::as_millis),
        settled.reason.as_ref().map(UrlReason::as_str),
        settled.detail,
    ])
}

pub(super) fn put_hints(connection: &Connection, site: SiteId, hints: &[Hint]) -> rusqlite::Result<()> {
    let mut statement = connection.prepare_cached(
        // A feed may name a page twice; the later date is the one that counts.
        "INSERT INTO hint VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT DO UPDATE SET
            modified_at = iif(seen_at = excluded.seen_at, max(modified_at, excluded.modified_at), excluded.modified_at),
            seen_at = excluded.seen_at",
    )?;
    for hint in hints {
        statement.execute((
            site.0,
            hint.fingerprint.cast_signed(),
            hint.source.as_str(),
            hint.modified_at.as_millis(),
            hint.seen_at.as_millis(),
        ))?;
    }
    Ok(())
}

pub(super) fn put_feeds(connection: &Connection, site: SiteId, feeds: &[String]) -> rusqlite::Result<()> {
    let mut statement = connection.prepare_cached("INSERT OR IGNORE INTO feed VALUES (?1, ?2)")?;
    for feed in feeds {
        statement.execute((site.0, feed))?;
    }
    Ok(())
}

pub(super) fn put_host(connection: &Connection, host: &Host) -> rusqlite::Result<()> {
    connection
        .prepare_cached(
            "INSERT INTO host (origin, next_ok_at, delay, failures) VALUES (?1, ?2, ?3, ?4)
             ON CONFLICT (origin) DO UPDATE SET
                next_ok_at = excluded.next_ok_at, delay = excluded.delay, failures = excluded.failures",
        )?
        .execute((
            &host.origin,
            host.next_ok_at.as_millis(),
            i64::try_from(host.delay.as_millis()).unwrap_or(i64::MAX),
            host.failures,
        ))?;
    let Some(robots) = &host.robots else {
        return Ok(());
    };
    connection
        .prepare_cached(
            "UPDATE host SET robots_fetched_at = ?2, robots_status = ?3, robots_outcome = ?4, robots_text = ?5
             WHERE origin = ?1",
        )?
        .execute((&host.origin, robots.fetched_at.as_millis(), robots.status, robots.outcome.as_str(), &robots.text))
        .map(drop)
}

/// Adds a row to the log of alerts.
pub(crate) fn log_alert(
    connection: &Connection,
    vertical: &str,
    alert: &Alert,
    is_over: bool,
    now: Timestamp,
) -> rusqlite::Result<()> {
    let mut statement = connection.prepare_cached(
        "INSERT INTO alert (at, vertical, kind, subject, facts, is_over) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
    )?;
    let facts = alert.facts.to_string();
    let row = params![
        now.as_millis(),
        vertical,
        alert.kind.as_str(),
        alert.subject,
        facts,
        is_over
    ];
    statement.execute(row).map(drop)
}
