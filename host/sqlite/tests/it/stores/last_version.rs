//! A workspace of the first version of the schema that is migrated. It opens and returns the same
//! data.
//!
//! `version-18` was created with the lab's smallest web of events: learned in week 0, recrawled in
//! week 1, and crawled in week 2, whose records are not clustered. A new version of the schema gets
//! its own folder, and this one stays.

use std::fs;
use std::io::Read;
use std::path::Path;

use magpie_model::{Attribute, Kind, Record};
use magpie_query::{Context, Query};
use magpie_rows::Statistics as _;
use magpie_rows::{
    ChangeFilter, ChangeKind, FetchRequest, Frontier, History as _, Learned, MemberFilter, ObjectId, Objects,
    Pages, RoundFilter, Runs, Search as _, Warehouse,
};
use magpie_sqlite::{Workspace, WorkspaceOptions};
use magpie_values::Timestamp;
use rusqlite::Connection;

use super::replay;

fn unpack(folder: &Path) {
    let kept = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/stores/version-18");
    let archives = folder.join("archive");
    fs::create_dir(&archives).unwrap();
    for file in fs::read_dir(kept).unwrap() {
        let file = file.unwrap();
        let name = file.file_name().into_string().unwrap();
        match name.strip_suffix(".db.gz") {
            Some(_) => {
                let mut database = Vec::new();
                let packed = fs::File::open(file.path()).unwrap();
                flate2::read::GzDecoder::new(packed)
                    .read_to_end(&mut database)
                    .unwrap();
                fs::write(folder.join("magpie.db"), database).unwrap();
            }
            None => {
                fs::copy(file.path(), archives.join(name)).unwrap();
            }
        }
    }
}

/// Rows of a query, each with its values in one text.
fn rows(database: &Connection, sql: &str) -> Vec<String> {
    let mut statement = database.prepare(sql).unwrap();
    let columns = statement.column_count();
    let rows = statement.query_map([], |row| {
        let values = (0..columns).map(|column| {
            let value: rusqlite::types::Value = row.get(column)?;
            Ok(match value {
                rusqlite::types::Value::Text(text) => text,
                rusqlite::types::Value::Integer(number) => number.to_string(),
                other => format!("{other:?}"),
            })
        });
        Ok(values.collect::<rusqlite::Result<Vec<String>>>()?.join(" | "))
    });
    rows.unwrap().collect::<rusqlite::Result<_>>().unwrap()
}

#[test]
fn a_workspace_of_version_18_is_opened() {
    let folder = tempfile::tempdir().unwrap();
    unpack(folder.path());
    let old = Connection::open(folder.path().join("magpie.db")).unwrap();
    let waits =
        "page.number > coalesce((SELECT page FROM clustered WHERE clustered.site_id = page.site_id), 0)";
    let log_rows = rows(
        &old,
        "SELECT id, first_seen FROM object WHERE label <> '' OR record <> '' ORDER BY id",
    );
    let [version, pages, urls, unclustered, clusters, members, patterns, rounds, runs, waiting] = [
        "PRAGMA user_version",
        "SELECT page.site_id, page.id, url.url, run_id, fetched_at, status, hex(digest), same_as IS NULL, title
         FROM page JOIN url ON url.id = url_id ORDER BY page.site_id, page.id",
        "SELECT site_id, id, url, state FROM url WHERE state <> 'refused' ORDER BY site_id, id",
        &format!(
            "SELECT page.id, record.record FROM record JOIN page ON page.id = page_id
             WHERE {waits} ORDER BY record.id"
        ),
        "SELECT id, label, record, members, first_seen, last_seen FROM object WHERE merged_into IS NULL ORDER BY id",
        "SELECT record_id, object_id, first_seen, last_seen, current FROM member ORDER BY record_id",
        "SELECT site_id, pattern, wanted, chosen, objects FROM pattern ORDER BY site_id, pattern",
        "SELECT run_id, site_id, state, pages, objects FROM round ORDER BY run_id, site_id",
        "SELECT id, kind, started_at FROM run ORDER BY id",
        &format!("SELECT coalesce(sum(records), 0) FROM extraction JOIN page ON page.id = page_id WHERE {waits}"),
    ]
    .map(|sql| rows(&old, sql));
    assert_eq!(version, ["18"]);
    assert_eq!(
        (pages.len(), clusters.len(), rounds.len(), runs.len()),
        (35, 29, 2, 3)
    );
    old.close().unwrap();

    let workspace = Workspace::open(folder.path(), &WorkspaceOptions::default()).unwrap();
    let sites = workspace.sites_after(None, 9).unwrap();
    let (mut found, mut known, mut learned) = (Vec::new(), Vec::new(), Vec::new());
    for site in &sites {
        let fetches = workspace.fetches(&FetchRequest::of(site.id)).unwrap();
        let numbers: Vec<u64> = fetches.iter().map(|page| page.number).collect();
        assert_eq!(
            numbers,
            (1..=fetches.len() as u64).collect::<Vec<_>>(),
            "no number is left out"
        );
        for page in fetches.into_iter().filter(|page| page.url_id.is_some()) {
            let id = page.id.0;
            let beginning = page.body.map(|body| format!("{body:016X}")).unwrap_or_default();
            let (run, status) = (page.run.unwrap().0, page.status.unwrap());
            let (whole, title) = (
                i32::from(page.same_as.is_none()),
                page.title.unwrap_or("Null".to_owned()),
            );
            let row = [
                site.id.0.to_string(),
                id.to_string(),
                page.url,
                run.to_string(),
                page.fetched_at.as_millis().to_string(),
                status.to_string(),
                beginning,
                whole.to_string(),
                title,
            ];
            found.push(row.join(" | "));
        }
        let urls = workspace.known_pages(site.id).unwrap().into_iter();
        known.extend(urls.map(|page| {
            format!(
                "{} | {} | {} | {}",
                site.id.0,
                page.id.0,
                page.url,
                page.state.as_str()
            )
        }));
        let mut rows = workspace.patterns("events", site.id).unwrap();
        rows.sort_by(|one, other| one.pattern.cmp(&other.pattern));
        learned.extend(rows.into_iter().map(|row| {
            let (wanted, chosen) = (i32::from(row.wanted), i32::from(row.chosen));
            format!(
                "{} | {} | {wanted} | {chosen} | {}",
                site.id.0, row.pattern, row.objects
            )
        }));
    }
    let pages: Vec<String> = pages.iter().map(|row| shortened(row)).collect();
    assert_eq!((found, known, learned), (pages, urls, patterns));

    let objects = workspace.objects_after("events", None, 999).unwrap().into_iter();
    let found: Vec<String> = objects
        .map(|row| {
            let ObjectId(id) = row.id;
            format!(
                "{id} | {} | {} | {} | {} | {}",
                row.label,
                row.record.to_text(),
                row.members,
                row.first_seen.as_millis(),
                row.last_seen.as_millis()
            )
        })
        .collect();
    assert_eq!(found, clusters);
    let ids: Vec<i64> = (1..=100).collect();
    let states = workspace
        .members(MemberFilter::Objects(&ids))
        .unwrap()
        .into_iter();
    let states: Vec<String> = states
        .map(|member| {
            format!(
                "{} | {} | {} | {} | {}",
                member.id,
                member.object,
                member.first_seen.as_millis(),
                member.last_seen.as_millis(),
                i32::from(member.current)
            )
        })
        .collect();
    assert_eq!(states, members);
    let told = workspace.rounds("events", RoundFilter::All).unwrap().into_iter();
    let told = told.map(|round| {
        let (run, site) = (round.run.0, round.site.0);
        format!(
            "{run} | {site} | {} | {} | {}",
            round.state, round.pages, round.objects
        )
    });
    assert_eq!(told.collect::<Vec<_>>(), rounds);
    // The log begins with what was seen before there was one.
    let log = workspace.changes(None, &ChangeFilter::default(), 9_999).unwrap();
    replay::check(&workspace, &log.changes);
    let new = log.changes.iter().filter(|change| change.kind == ChangeKind::New);
    assert_eq!(new.count(), log_rows.len());
    assert!(log.changes.is_sorted_by_key(|change| change.at));
    let first_seen: Vec<String> = log_rows;
    let told: std::collections::BTreeMap<i64, i64> = log
        .changes
        .iter()
        .filter(|change| change.kind == ChangeKind::New)
        .map(|change| (change.object.0, change.at.as_millis()))
        .collect();
    let told: Vec<String> = told.iter().map(|(id, at)| format!("{id} | {at}")).collect();
    assert_eq!(told, first_seen);
    // The index has all of them, with the words and the names of each.
    let query = Query::all(Timestamp::default());
    assert_eq!(
        workspace.find_all("events", &query).unwrap().len(),
        clusters.len()
    );
    let name = [Attribute::new("name", Kind::Text)];
    let context = Context {
        attributes: &name,
        now: Timestamp::default(),
    };
    let query = Query::parse("name~ing", &context).unwrap();
    let with_part = clusters.iter().filter(|row| {
        let record = row.split(" | ").nth(2).unwrap();
        let record = Record::from_text(record).unwrap();
        record.all("name").any(|name| name.to_lowercase().contains("ing"))
    });
    let with_part = with_part.count();
    assert!(with_part > 0 && with_part < clusters.len(), "{with_part}");
    assert_eq!(workspace.find_all("events", &query).unwrap().len(), with_part);

    let told = workspace.runs().unwrap().into_iter();
    let told = told.map(|run| format!("{} | {} | {}", run.id.0, run.kind, run.started_at.as_millis()));
    assert_eq!(told.collect::<Vec<_>>(), runs);

    // Only the records that were not clustered wait.
    let reader = workspace.reader().unwrap();
    assert_eq!(
        [reader.records_waiting("events").unwrap().to_string()],
        waiting[..]
    );
    let next = workspace.found("events", 999).unwrap();
    let records = next.pages.iter().flat_map(|page| {
        let records = page.records.iter().flatten();
        records.map(|(_, record)| {
            format!(
                "{} | {}",
                page.page.0,
                record.clone().unwrap_or_default().to_text()
            )
        })
    });
    let mut records: Vec<String> = records.collect();
    records.sort_by_key(|row| unclustered.iter().position(|known| known == row));
    assert!(!unclustered.is_empty(), "the workspace was made to have some");
    assert_eq!(records, unclustered);
    assert_eq!(next.marks.upto.len(), 1, "at the site that was crawled last");
    let verified = workspace.verify().unwrap();
    assert_eq!(verified.problems, Vec::<String>::new());
    workspace.flush().unwrap();
    workspace.close().unwrap();
}

/// Formats a row of a page with the first bytes of its hash, as readers return it.
fn shortened(row: &str) -> String {
    let mut values: Vec<&str> = row.split(" | ").collect();
    values[6] = values[6].get(..16).unwrap_or_default();
    values.join(" | ")
}
