//! Workspaces: opening, recording pages, reading.

#![expect(
    clippy::unwrap_used,
    reason = "a test stops where something is not as it should be"
)]

use magpie_rows::Archived as _;
use magpie_rows::ReadStore as _;
use magpie_rows::SiteFacts;
use magpie_rows::Urls as _;
use std::fs;
use std::path::Path;
use std::time::Duration;

use crate::crawl::{SITE, body, fingerprint, lease, offer, page, url};
use crate::stores::exchange;
use bytes::Bytes;
use magpie_http::HttpLimits;
use magpie_rows::{
    Cookie, FetchResult, Frontier, Hint, HintSource, Hinted, Host, KeptUrlRule, Lease, Page, PageId,
    Pages as _, Receipt, Requeue as _, Robots, RobotsEffect, RunKind, RunStore as _, Runs as _, SiteMemory,
    StoreError, UrlOutcome, UrlState,
};
use magpie_sqlite::{ArchiveSettings, BatchLimits, OnCommit, Reader, Workspace, WorkspaceOptions};
use magpie_values::Timestamp;
use magpie_warc::{ArchiveReader, RecordKind};

/// Returns the time this many milliseconds after the beginning of 1970.
const fn moment(milliseconds: i64) -> Timestamp {
    Timestamp::from_millis(milliseconds)
}

fn create(folder: &Path) -> Workspace {
    Workspace::create(folder, &WorkspaceOptions::default()).unwrap()
}

fn open(folder: &Path) -> Result<Workspace, StoreError> {
    Workspace::open(folder, &WorkspaceOptions::default())
}

/// Offers a page and commits its result.
fn crawl_page(workspace: &Workspace, lease: &Lease, number: u64, page: Page) -> Receipt {
    let offers = vec![offer(number)];
    workspace
        .commit(
            lease,
            FetchResult {
                offers,
                ..FetchResult::default()
            },
        )
        .unwrap();
    let pending = workspace.take(lease, None, 1, moment(0)).unwrap().remove(0);
    assert_eq!(pending.url, url(number));
    let settled = Some(UrlOutcome::fetched(pending.id));
    let page = Some(page);
    workspace
        .commit(
            lease,
            FetchResult {
                settled,
                page,
                ..FetchResult::default()
            },
        )
        .unwrap()
}

fn replayed(reader: &Reader, page: PageId) -> (u16, Vec<u8>) {
    let response = reader
        .replay(page, &HttpLimits::default())
        .unwrap()
        .unwrap()
        .response
        .unwrap();
    (response.status, response.body)
}

/// Kinds of the records of all archives, in order.
fn kinds(folder: &Path) -> Vec<RecordKind> {
    let mut names: Vec<_> = fs::read_dir(folder.join("archive"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    names.sort();
    let records = names.iter().flat_map(|path| ArchiveReader::open(path).unwrap());
    records.map(|record| record.unwrap().kind).collect()
}

#[cfg(unix)]
#[test]
fn only_the_owner_may_read_a_workspace() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let workspace = Workspace::create(folder.path(), &WorkspaceOptions::default()).unwrap();
    workspace
        .begin_run(RunKind::Crawl, "test", "{}", moment(1))
        .unwrap();
    for name in ["magpie.db", "magpie.db-wal", "magpie.db-shm"] {
        let mode = fs::metadata(folder.path().join(name))
            .unwrap()
            .permissions()
            .mode();
        assert_eq!(mode & 0o777, 0o600, "{name}");
    }
}

#[test]
fn a_damaged_database_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let workspace = Workspace::create(folder.path(), &WorkspaceOptions::default()).unwrap();
    let text = "x".repeat(200_000);
    workspace
        .begin_run(RunKind::Crawl, "test", &text, moment(1))
        .unwrap();
    workspace.reader().unwrap().check().unwrap();
    workspace.close().unwrap();
    let path = folder.path().join("magpie.db");
    let mut bytes = fs::read(&path).unwrap();
    // The test changes the last pages. The pages that are needed to open the database come before.
    let end = bytes.len();
    bytes[end - 40_000..].fill(0xff);
    fs::write(&path, bytes).unwrap();
    let reader = Reader::open(folder.path()).unwrap();
    let error = reader.check().unwrap_err();
    assert!(matches!(error, StoreError::Corrupt { .. }), "{error}");
}

#[test]
fn other_folders_are_not_opened() {
    let folder = tempfile::tempdir().unwrap();
    let error = open(folder.path()).err().unwrap();
    assert_eq!(
        error.to_string(),
        format!(
            "{} is not a workspace: it has no magpie.db",
            folder.path().display()
        )
    );
    assert!(!folder.path().join("magpie.lock").exists());
    fs::write(
        folder.path().join("magpie.db"),
        "not a database, but long enough to be read as the header of one",
    )
    .unwrap();
    for error in [
        open(folder.path()).err().unwrap(),
        Reader::open(folder.path()).err().unwrap(),
    ] {
        assert!(matches!(error, StoreError::NotAWorkspace { .. }), "{error}");
    }
}

#[test]
fn a_workspace_is_created_once() {
    let folder = tempfile::tempdir().unwrap();
    create(folder.path()).close().unwrap();
    let error = Workspace::create(folder.path(), &WorkspaceOptions::default())
        .err()
        .unwrap();
    assert!(matches!(error, StoreError::AlreadyThere { .. }), "{error}");
    open(folder.path()).unwrap().close().unwrap();
}

#[test]
fn a_newer_schema_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    create(folder.path()).close().unwrap();
    let database = rusqlite::Connection::open(folder.path().join("magpie.db")).unwrap();
    database.pragma_update(None, "user_version", 1000).unwrap();
    drop(database);
    let error = open(folder.path()).err().unwrap();
    assert!(
        error
            .to_string()
            .contains("has schema version 1000, this build knows versions up to"),
        "{error}"
    );
    assert!(matches!(
        Reader::open(folder.path()).err().unwrap(),
        StoreError::NewerSchema { .. }
    ));
}

#[test]
fn a_locked_workspace_names_its_process() {
    let folder = tempfile::tempdir().unwrap();
    let workspace = create(folder.path());
    let error = open(folder.path()).err().unwrap();
    let expected = format!(
        "the workspace {} is in use by process {}",
        folder.path().display(),
        std::process::id()
    );
    assert_eq!(error.to_string(), expected);
    // Readers are not locked out.
    workspace.reader().unwrap();
    let clone = workspace.clone();
    workspace.close().unwrap();
    assert!(matches!(clone.flush(), Err(StoreError::Stopped { .. })));
    drop(clone);
    open(folder.path()).unwrap();
}

#[test]
fn links_can_be_queried_one_by_one() {
    let folder = tempfile::tempdir().unwrap();
    let workspace = create(folder.path());
    let site = lease(&workspace);
    let mut with_links = page(1, None);
    for (href, rel) in [("https://b.test/x", "nofollow"), ("mailto:c@d.test", "")] {
        with_links.links.push(magpie_rows::Link {
            href,
            text: "",
            path: "",
            rel,
        });
    }
    let page = crawl_page(&workspace, &site, 1, with_links).page.unwrap();
    workspace.flush().unwrap();
    let database = rusqlite::Connection::open(folder.path().join("magpie.db")).unwrap();
    let mut statement = database
        .prepare("SELECT position, href, text, path, rel FROM link WHERE page_id = ?1 ORDER BY position")
        .unwrap();
    let rows = statement.query_map([page.0], |row| {
        Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?))
    });
    let rows: Vec<(i64, String, String, Option<String>, String)> =
        rows.unwrap().map(Result::unwrap).collect();
    let row = |position, href: &str, text: &str, path: Option<&str>, rel: &str| {
        (
            position,
            href.to_owned(),
            text.to_owned(),
            path.map(str::to_owned),
            rel.to_owned(),
        )
    };
    let expected = [
        row(
            0,
            "https://a.test/page/2",
            "more \"of it\"",
            Some("html>body>a"),
            "",
        ),
        row(
            1,
            "https://a.test/page/3",
            "more \"of it\"",
            Some("html>body>a"),
            "",
        ),
        row(2, "https://b.test/x", "", None, "nofollow"),
        row(3, "mailto:c@d.test", "", None, ""),
    ];
    assert_eq!(rows, expected);
}

#[test]
fn the_same_body_is_kept_once() {
    let folder = tempfile::tempdir().unwrap();
    let workspace = create(folder.path());
    let site = lease(&workspace);
    let first = crawl_page(&workspace, &site, 1, page(1, None)).page.unwrap();
    let mut twin = page(2, None);
    twin.exchange = page(1, None).exchange;
    let second = crawl_page(&workspace, &site, 2, twin).page.unwrap();
    workspace.flush().unwrap();
    let reader = workspace.reader().unwrap();
    let row = reader.page(second).unwrap().unwrap();
    assert_eq!(row.same_as, Some(first));
    assert_eq!(replayed(&reader, second), (200, body(1).into_bytes()));
    let (name, _, _) = row.archived.unwrap();
    let records = ArchiveReader::open(&folder.path().join("archive").join(name)).unwrap();
    let revisit = records
        .map(Result::unwrap)
        .find(|record| record.kind == RecordKind::Revisit)
        .unwrap();
    assert_eq!(
        revisit.headers.get("WARC-Refers-To-Target-URI"),
        Some(url(1).as_str())
    );
    assert_eq!(
        revisit.headers.get("WARC-Refers-To-Date"),
        Some("2020-09-13T12:26:41.000Z")
    );
    assert_eq!(
        revisit.headers.get("WARC-Profile"),
        Some("http://netpreserve.org/warc/1.1/revisit/identical-payload-digest")
    );
    assert_eq!(workspace.verify().unwrap().problems, Vec::<String>::new());
}

#[test]
fn the_answer_to_a_form_is_archived_with_the_request_for_it() {
    const ADDRESS: &str = "https://a.test/find?__wb_method=POST&q=big+dogs";
    let folder = tempfile::tempdir().unwrap();
    let workspace = create(folder.path());
    let site = lease(&workspace);
    let mut posted = page(1, None);
    posted.url = ADDRESS.to_owned();
    let request = b"POST /find HTTP/1.1\r\nHost: a.test\r\nContent-Length: 10\r\n\r\nq=big+dogs";
    if let Some(exchange) = &mut posted.exchange {
        exchange.request = request.as_slice().into();
    }
    let id = crawl_page(&workspace, &site, 1, posted).page.unwrap();
    workspace.flush().unwrap();
    let reader = workspace.reader().unwrap();
    let replay = reader.replay(id, &HttpLimits::default()).unwrap();
    let found = replay.unwrap().page;
    assert_eq!(found.id, id);
    assert_eq!(replayed(&reader, id), (200, body(1).into_bytes()));
    let (name, _, _) = found.archived.unwrap();
    let records = ArchiveReader::open(&folder.path().join("archive").join(name)).unwrap();
    let records: Vec<_> = records.map(Result::unwrap).collect();
    // Indexes of archives make the address of the URL, the method and the body.
    for kind in [RecordKind::Response, RecordKind::Request] {
        let record = records.iter().find(|record| record.kind == kind).unwrap();
        assert_eq!(record.target, "https://a.test/find", "{kind:?}");
    }
    let asked = records.iter().find(|record| record.kind == RecordKind::Request);
    assert_eq!(asked.unwrap().block, request);
}

#[test]
fn an_unmodified_page_refers_to_its_body_across_runs() {
    let folder = tempfile::tempdir().unwrap();
    let workspace = create(folder.path());
    let site = lease(&workspace);
    crawl_page(&workspace, &site, 1, page(1, None));
    workspace.release(site, moment(0)).unwrap();
    workspace.close().unwrap();
    let workspace = open(folder.path()).unwrap();
    let run = workspace
        .begin_run(RunKind::Recrawl, "test/1", "{}", moment(1))
        .unwrap();
    let site = lease(&workspace);
    let not_modified = Page {
        status: Some(304),
        fetched_at: moment(1_600_000_100_000),
        exchange: Some(magpie_rows::Exchange {
            response_head: Bytes::from_static(b"HTTP/1.1 304 Not Modified\r\nETag: \"x\"\r\n\r\n"),
            ..exchange("")
        }),
        ..page(1, Some(run))
    };
    // It was fetched before, so it has to be queued again first.
    let id = site.site;
    workspace.release(site, moment(0)).unwrap();
    assert_eq!(workspace.queue_again(id, UrlState::Fetched, None).unwrap(), 1);
    let site = lease(&workspace);
    let pending = workspace.take(&site, None, 1, moment(0)).unwrap().remove(0);
    let settled = Some(UrlOutcome::fetched(pending.id));
    let receipt = workspace
        .commit(
            &site,
            FetchResult {
                settled,
                page: Some(not_modified),
                ..FetchResult::default()
            },
        )
        .unwrap();
    workspace.flush().unwrap();
    let reader = workspace.reader().unwrap();
    assert_eq!(
        replayed(&reader, receipt.page.unwrap()),
        (200, body(1).into_bytes())
    );
    let explained = reader.explain(fingerprint(&url(1))).unwrap().remove(0);
    let statuses: Vec<Option<u16>> = explained.pages.iter().map(|page| page.status).collect();
    assert_eq!(statuses, [Some(304), Some(200)]);
    assert_eq!(explained.attempts, 2);
    // Each run has its own archive.
    use RecordKind::{Info, Request, Response, Revisit};
    assert_eq!(
        kinds(folder.path()),
        [Info, Response, Request, Info, Revisit, Request]
    );
    assert_eq!(workspace.verify().unwrap().problems, Vec::<String>::new());
}

#[test]
fn a_full_archive_is_followed_by_another() {
    let folder = tempfile::tempdir().unwrap();
    let options = WorkspaceOptions {
        archive: ArchiveSettings {
            file_bytes: 10_000,
            ..ArchiveSettings::default()
        },
        ..WorkspaceOptions::default()
    };
    let workspace = Workspace::create(folder.path(), &options).unwrap();
    let site = lease(&workspace);
    for number in 0..20 {
        crawl_page(&workspace, &site, number, page(number, None));
    }
    workspace.close().unwrap();
    let files: Vec<u64> = fs::read_dir(folder.path().join("archive"))
        .unwrap()
        .map(|entry| entry.unwrap().metadata().unwrap().len())
        .collect();
    assert!(
        files.len() > 2 && files.iter().all(|bytes| *bytes < 15_000),
        "{files:?}"
    );
    let workspace = Workspace::open(folder.path(), &options).unwrap();
    let verified = workspace.verify().unwrap();
    assert_eq!((verified.pages, verified.problems), (20, Vec::new()));
}

#[test]
fn an_unrelated_file_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let workspace = create(folder.path());
    let theirs = folder.path().join("archive/magpie-00001.warc.gz");
    fs::write(&theirs, "theirs").unwrap();
    let site = lease(&workspace);
    crawl_page(&workspace, &site, 1, page(1, None));
    workspace.close().unwrap();
    assert_eq!(fs::read(&theirs).unwrap(), b"theirs");
    assert!(folder.path().join("archive/magpie-00002.warc.gz").exists());
}

#[test]
fn every_url_is_explained() {
    let folder = tempfile::tempdir().unwrap();
    let workspace = create(folder.path());
    let site = lease(&workspace);
    let receipt = crawl_page(&workspace, &site, 1, page(1, None));
    let seed = workspace.reader().unwrap();
    workspace.flush().unwrap();
    let first = seed.page(receipt.page.unwrap()).unwrap().unwrap().url_id;
    let refused = magpie_rows::Offer {
        state: UrlState::Refused,
        reason: Some("robots".into()),
        detail: Some("line 3: Disallow: /page".to_owned()),
        found_on: first,
        ..offer(2)
    };
    workspace
        .commit(
            &site,
            FetchResult {
                offers: vec![refused],
                ..FetchResult::default()
            },
        )
        .unwrap();
    for reopened in [false, true] {
        workspace.flush().unwrap();
        let reader = if reopened {
            Reader::open(folder.path()).unwrap()
        } else {
            workspace.reader().unwrap()
        };
        let explained = reader.explain(fingerprint(&url(2))).unwrap().remove(0);
        assert_eq!(
            (
                explained.state,
                explained
                    .reason
                    .as_ref()
                    .map(|reason| reason.to_string())
                    .as_deref()
            ),
            (UrlState::Refused, Some("robots"))
        );
        assert_eq!(explained.detail.as_deref(), Some("line 3: Disallow: /page"));
        assert_eq!(
            explained
                .way
                .iter()
                .map(|step| step.url.as_str())
                .collect::<Vec<_>>(),
            [url(1)]
        );
        assert!(explained.pages.is_empty());
        assert!(reader.explain(fingerprint("elsewhere")).unwrap().is_empty());
    }
}

#[test]
fn held_urls_are_queued_again_when_the_budget_grows() {
    let folder = tempfile::tempdir().unwrap();
    let workspace = create(folder.path());
    let site = lease(&workspace);
    let held = |number, reason: &str| magpie_rows::Offer {
        state: UrlState::Held,
        reason: Some(reason.into()),
        ..offer(number)
    };
    let offers = vec![held(1, "pages"), held(2, "pages"), held(3, "bytes")];
    workspace
        .commit(
            &site,
            FetchResult {
                offers,
                ..FetchResult::default()
            },
        )
        .unwrap();
    let id = site.site;
    assert!(workspace.queue_again(id, UrlState::Held, None).is_err());
    workspace.release(site, moment(0)).unwrap();
    assert_eq!(
        workspace
            .queue_again(id, UrlState::Held, Some(&"pages".into()))
            .unwrap(),
        2
    );
    let site = lease(&workspace);
    assert_eq!(workspace.take(&site, None, 9, moment(0)).unwrap().len(), 2);
    assert_eq!(workspace.verify().unwrap().problems, Vec::<String>::new());
}

#[test]
fn hints_of_sitemaps_and_feeds_are_separate() {
    let folder = tempfile::tempdir().unwrap();
    let workspace = create(folder.path());
    let site = lease(&workspace);
    let offer = offer(1);
    let hint = |source, modified_at, seen_at| Hint {
        fingerprint: offer.fingerprint,
        source,
        modified_at: moment(modified_at),
        seen_at: moment(seen_at),
    };
    let (sitemap, feed) = (HintSource::Sitemap, HintSource::Feed);
    let feeds = |names: &[&str]| {
        names
            .iter()
            .map(|name| format!("{SITE}/{name}"))
            .collect::<Vec<_>>()
    };
    let results = [
        // A feed lists a page twice that was commented twice, newest first.
        (
            vec![hint(feed, 5, 10), hint(feed, 3, 10), hint(sitemap, 9, 10)],
            feeds(&["b", "a"]),
        ),
        (vec![hint(sitemap, 8, 20)], feeds(&["b"])),
    ];
    for (hints, feeds) in results {
        let result = FetchResult {
            offers: vec![offer.clone()],
            hints,
            feeds,
            ..FetchResult::default()
        };
        workspace.commit(&site, result).unwrap();
    }
    workspace.flush().unwrap();
    let reader = workspace.reader().unwrap();
    let page = reader.known_pages(site.site).unwrap().remove(0);
    let hinted = |modified_at, seen_at| {
        Some(Hinted {
            modified_at: moment(modified_at),
            seen_at: moment(seen_at),
        })
    };
    assert_eq!((page.sitemap, page.feed), (hinted(8, 20), hinted(5, 10)));
    assert_eq!(page.hinted_at(), Some(moment(8)));
    assert_eq!(
        reader.explain(offer.fingerprint).unwrap()[0].modified_at,
        Some(moment(8))
    );
    assert_eq!(workspace.known_site(&site).unwrap().feeds, feeds(&["a", "b"]));
}

#[test]
fn runs_hosts_cookies_and_values_are_kept() {
    let folder = tempfile::tempdir().unwrap();
    let workspace = create(folder.path());
    let run = workspace
        .begin_run(RunKind::Crawl, "test/1", "{\"a\":1}", moment(5))
        .unwrap();
    let site = lease(&workspace);
    let robots = Robots {
        fetched_at: moment(3),
        status: Some(200),
        outcome: RobotsEffect::Rules,
        text: Some("User-agent: *".to_owned()),
    };
    let host = Host {
        origin: SITE.to_owned(),
        next_ok_at: moment(9),
        delay: Duration::from_millis(8),
        failures: 7,
        robots: Some(robots),
    };
    let later = Host {
        next_ok_at: moment(10),
        robots: None,
        ..host.clone()
    };
    for hosts in [vec![host.clone()], vec![later]] {
        workspace
            .commit(
                &site,
                FetchResult {
                    hosts,
                    ..FetchResult::default()
                },
            )
            .unwrap();
    }
    let cookie = Cookie {
        domain: "a.test".to_owned(),
        path: "/".to_owned(),
        name: "session".to_owned(),
        value: "1".to_owned(),
        host_only: true,
        secure: true,
        expires_at: None,
    };
    workspace.keep_cookies(&site, vec![cookie.clone()]).unwrap();
    let url_rule = KeptUrlRule {
        url_rule: "needless-key".to_owned(),
        key: "from".to_owned(),
        evidence: "4 pairs of pages were equal".to_owned(),
        learned_at: moment(3),
    };
    let later = KeptUrlRule {
        evidence: "5 pairs of pages were equal".to_owned(),
        learned_at: moment(4),
        ..url_rule.clone()
    };
    workspace.keep_url_rules(&site, vec![url_rule.clone()]).unwrap();
    workspace.keep_url_rules(&site, vec![later]).unwrap();
    workspace.flush().unwrap();
    let id = site.site;
    workspace.close().unwrap();
    let workspace = open(folder.path()).unwrap();
    let reader = workspace.reader().unwrap();
    assert_eq!(
        reader.host(SITE).unwrap(),
        Some(Host {
            next_ok_at: moment(10),
            ..host
        })
    );
    assert_eq!(reader.cookies(id).unwrap(), [cookie]);
    assert_eq!(
        reader.url_rules(SITE).unwrap(),
        [url_rule],
        "what proved it first stays"
    );
    assert_eq!(
        workspace.resume_run(RunKind::Crawl, moment(6)).unwrap(),
        Some(run)
    );
    workspace.end_run(run, moment(7)).unwrap();
    assert_eq!(workspace.resume_run(RunKind::Crawl, moment(8)).unwrap(), None);
    let row = reader.runs().unwrap().remove(0);
    assert_eq!(
        (
            row.started_at,
            row.resumed_at,
            row.ended_at,
            row.outcome.as_deref()
        ),
        (moment(5), Some(moment(6)), Some(moment(7)), Some("finished"))
    );
}

#[test]
fn commits_are_reported() {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU64, Ordering};
    let told = Arc::new(AtomicU64::new(0));
    let teller = Arc::clone(&told);
    let folder = tempfile::tempdir().unwrap();
    let options = WorkspaceOptions {
        batch: BatchLimits {
            pages: 1,
            ..BatchLimits::default()
        },
        on_commit: Some(OnCommit(Arc::new(move |sequence| {
            teller.fetch_max(sequence, Ordering::SeqCst);
        }))),
        ..WorkspaceOptions::default()
    };
    let workspace = Workspace::create(folder.path(), &options).unwrap();
    let site = lease(&workspace);
    let receipt = crawl_page(&workspace, &site, 1, page(1, None));
    // A full batch is committed without a flush.
    while told.load(Ordering::SeqCst) < receipt.sequence {
        std::thread::yield_now();
    }
    assert!(workspace.committed() >= receipt.sequence);
}
