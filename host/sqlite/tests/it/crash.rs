//! Crashes: killed processes, truncated files, full disks.

#![expect(
    clippy::unwrap_used,
    reason = "a test stops where something is not as it should be"
)]

use std::collections::BTreeSet;
use std::fs::{self, OpenOptions};
use std::io::{BufRead, BufReader, Write};
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use crate::crawl::{lease, offer, result};
use crate::stores::{record as record_of, replay};
use magpie_http::HttpLimits;
use magpie_query::Query;
use magpie_rows::Statistics as _;
use magpie_rows::Urls as _;
use magpie_rows::{
    ArchiveLimits, ArchiveStore as _, Archived as _, Batch, ChangeFilter, FetchResult, Forgetting, Frontier,
    History as _, HouseStore as _, MergedObject, ObjectId, Objects as _, Pages as _, Search as _, StoreError,
    UrlState, UrlTest, Warehouse as _,
};
use magpie_sqlite::{ArchiveSettings, BatchLimits, OnDamage, Reader, Workspace, WorkspaceOptions};
use magpie_values::Timestamp;

/// Environment variable with the workspace of a process that is to be killed.
pub(crate) const CHILD: &str = "MAGPIE_STORE_TEST_CHILD";

/// Small batches and files, so that a kill hits every phase of the writer.
fn options() -> WorkspaceOptions {
    WorkspaceOptions {
        archive: ArchiveSettings {
            file_bytes: 300_000,
            ..ArchiveSettings::default()
        },
        batch: BatchLimits {
            pages: 7,
            age: Duration::from_millis(3),
            ..BatchLimits::default()
        },
        ..WorkspaceOptions::default()
    }
}

/// Seeded random numbers.
struct TestRng(u64);

impl TestRng {
    fn roll(&mut self, below: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % below
    }
}

/// Number of the page in its URL.
pub(crate) fn number(url: &str) -> u64 {
    url.rsplit('/').next().unwrap().parse().unwrap()
}

/// Crawls forever and prints which pages are durable. It only runs if `run_and_kill` starts it.
#[test]
#[ignore = "is started by another test, which kills it"]
fn child() {
    crawl_forever(&options());
}

pub(crate) fn crawl_forever(options: &WorkspaceOptions) {
    let Ok(folder) = std::env::var(CHILD) else {
        return;
    };
    let workspace = Workspace::open(Path::new(&folder), options).unwrap();
    let site = lease(&workspace);
    let mut waiting: Vec<(u64, u64)> = Vec::new();
    let mut out = std::io::stdout();
    writeln!(out, "ready").unwrap();
    loop {
        for pending in workspace.take(&site, None, 5, Timestamp::from_millis(0)).unwrap() {
            let number = number(&pending.url);
            let receipt = workspace.commit(&site, result(pending.id, number, None)).unwrap();
            waiting.push((receipt.sequence, number));
        }
        let committed = workspace.committed();
        let durable: Vec<u64> = waiting
            .iter()
            .filter(|(sequence, _)| *sequence <= committed)
            .map(|(_, number)| *number)
            .collect();
        waiting.retain(|(sequence, _)| *sequence > committed);
        if !durable.is_empty() {
            let line: Vec<String> = durable.iter().map(u64::to_string).collect();
            writeln!(out, "durable {}", line.join(" ")).unwrap();
            out.flush().unwrap();
        }
    }
}

/// Crawls and clusters forever. It only runs if `run_and_kill` starts it.
#[test]
#[ignore = "is started by another test, which kills it"]
fn clustering_child() {
    let Ok(folder) = std::env::var(CHILD) else {
        return;
    };
    let workspace = Workspace::open(Path::new(&folder), &options()).unwrap();
    let site = lease(&workspace);
    let warehouse = workspace.warehouse("things", Timestamp::default()).unwrap();
    let mut out = std::io::stdout();
    writeln!(out, "ready").unwrap();
    for turn in 1.. {
        for pending in workspace.take(&site, None, 5, Timestamp::default()).unwrap() {
            let number = number(&pending.url);
            workspace.commit(&site, result(pending.id, number, None)).unwrap();
        }
        workspace.flush().unwrap();
        let found = workspace.found("things", 9).unwrap();
        let now = Timestamp::from_seconds(1_600_000_000 + turn);
        let mut batch = Batch {
            warehouse,
            marks: found.marks,
            now,
            ..Batch::default()
        };
        let records = found.pages.iter().flat_map(|page| page.records.iter().flatten());
        for (record, _) in records {
            // Some objects come and go, some change, and some are merged.
            let id = 1 + record % 40;
            batch.objects.retain(|object| object.id != id);
            batch.objects.push(MergedObject {
                id,
                label: format!("thing {id} {}", turn % 3),
                record: record_of(turn.unsigned_abs() % 5),
                current: u64::from((turn + id) % 4 > 0),
                expires_at: (id % 7 == 0).then_some(now),
                ..MergedObject::default()
            });
        }
        if turn % 10 == 0 {
            let retired = 100 + turn % 200;
            let object = |id| MergedObject {
                id,
                current: 1,
                ..MergedObject::default()
            };
            batch.objects.push(object(retired));
            batch.merged.push((ObjectId(retired), ObjectId(1)));
            batch.objects.retain(|object| object.id != 1);
            batch.objects.push(object(1));
        }
        workspace.take_in(batch).unwrap();
        workspace.expire(warehouse, now).unwrap();
    }
}

/// Starts the process, kills it after a time, and returns the pages that it reported as durable.
fn run_and_kill(folder: &Path, after: Duration) -> BTreeSet<u64> {
    run_and_kill_child(folder, "crash::child", &[], after)
}

pub(crate) fn run_and_kill_child(
    folder: &Path,
    name: &str,
    variables: &[(String, String)],
    after: Duration,
) -> BTreeSet<u64> {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", name, "--ignored", "--nocapture", "--test-threads=1"])
        .env(CHILD, folder)
        .envs(variables.iter().cloned())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    while !line.contains("ready") {
        line.clear();
        assert!(
            lines.read_line(&mut line).unwrap() > 0,
            "the process ended by itself"
        );
    }
    let reader = std::thread::spawn(move || {
        let mut durable = BTreeSet::new();
        let mut line = String::new();
        while lines.read_line(&mut line).unwrap() > 0 {
            // A line that was cut by the kill has no end, and its last number may be incomplete.
            if let Some(numbers) = line
                .strip_suffix('\n')
                .and_then(|line| line.strip_prefix("durable "))
            {
                durable.extend(numbers.split(' ').map(|number| number.parse::<u64>().unwrap()));
            }
            line.clear();
        }
        durable
    });
    std::thread::sleep(after);
    child.kill().unwrap();
    child.wait().unwrap();
    reader.join().unwrap()
}

#[test]
fn the_log_of_changes_tells_of_all_objects_after_kills() {
    let folder = tempfile::tempdir().unwrap();
    let workspace = Workspace::create(folder.path(), &options()).unwrap();
    let site = lease(&workspace);
    let seeds = FetchResult {
        offers: vec![offer(1)],
        ..FetchResult::default()
    };
    workspace.commit(&site, seeds).unwrap();
    workspace.close().unwrap();
    let mut last = 0;
    for after in [40, 90, 160] {
        run_and_kill_child(
            folder.path(),
            "crash::clustering_child",
            &[],
            Duration::from_millis(after),
        );
        let workspace = Workspace::open(folder.path(), &options()).unwrap();
        let log = workspace
            .changes(None, &ChangeFilter::default(), usize::MAX)
            .unwrap();
        replay::check(&workspace, &log.changes);
        assert!(log.changes.len() >= last, "the log only grows");
        last = log.changes.len();
        // The index has exactly the objects that have not retired.
        let all = workspace.objects_after("things", None, 9_999).unwrap();
        let all: Vec<ObjectId> = all.iter().map(|object| object.id).collect();
        let query = Query::all(Timestamp::default());
        assert_eq!(workspace.find_all("things", &query).unwrap(), all);
        workspace.close().unwrap();
    }
    assert!(last > 0);
}

/// Returns the numbers of the pages in a workspace. Each must occur once.
fn pages(reader: &Reader) -> BTreeSet<u64> {
    let rows = reader.all_fetches(None).unwrap();
    let numbers: BTreeSet<u64> = rows.iter().map(|page| number(&page.url)).collect();
    assert_eq!(numbers.len(), rows.len(), "a page is there twice");
    numbers
}

/// Checks that everything agrees, and that every fetched URL has its page.
pub(crate) fn check(workspace: &Workspace) -> BTreeSet<u64> {
    let verified = workspace.verify().unwrap();
    assert_eq!(verified.problems, Vec::<String>::new());
    let reader = workspace.reader().unwrap();
    let pages = pages(&reader);
    assert_eq!(
        reader.url_counts(None).unwrap().of(UrlState::Fetched),
        pages.len() as u64
    );
    assert_eq!(reader.status().unwrap().records, pages.len() as u64);
    pages
}

fn started(folder: &Path) -> Workspace {
    started_with(folder, &options())
}

pub(crate) fn started_with(folder: &Path, options: &WorkspaceOptions) -> Workspace {
    let workspace = Workspace::create(folder, options).unwrap();
    let site = lease(&workspace);
    let offers = vec![offer(0)];
    workspace
        .commit(
            &site,
            FetchResult {
                offers,
                ..FetchResult::default()
            },
        )
        .unwrap();
    workspace.release(site, Timestamp::from_millis(0)).unwrap();
    workspace
}

#[test]
fn kills_neither_lose_nor_duplicate_pages() {
    const KILLS: usize = 20;
    let folder = tempfile::tempdir().unwrap();
    started(folder.path()).close().unwrap();
    let mut dice = TestRng(20_261_120);
    let mut durable = BTreeSet::new();
    for kill in 0..KILLS {
        let after = Duration::from_micros(dice.roll(120_000));
        durable.extend(run_and_kill(folder.path(), after));
        let workspace = Workspace::open(folder.path(), &options()).unwrap();
        let pages = check(&workspace);
        let lost: Vec<&u64> = durable.difference(&pages).collect();
        assert!(lost.is_empty(), "kill {kill} lost {lost:?}");
        // As in a crawl without a kill: the pages have no gap.
        assert_eq!(pages.len() as u64, pages.last().map_or(0, |last| last + 1));
        workspace.close().unwrap();
    }
    assert!(durable.len() > KILLS, "only {} pages were durable", durable.len());
}

/// Creates a workspace with some pages in the state after a crash: not closed, with a log.
fn crashed(folder: &Path, count: u64) -> PathBuf {
    let workspace = started(&folder.join("live"));
    let site = lease(&workspace);
    let mut handed_in = 0;
    while handed_in < count {
        for pending in workspace.take(&site, None, 1, Timestamp::from_millis(0)).unwrap() {
            let number = number(&pending.url);
            workspace.commit(&site, result(pending.id, number, None)).unwrap();
            handed_in += 1;
        }
    }
    workspace.flush().unwrap();
    // Copies the files while the writer still has them open.
    let copy = folder.join("crashed");
    fs::create_dir_all(copy.join("archive")).unwrap();
    for name in ["magpie.db", "magpie.db-wal"] {
        fs::copy(folder.join("live").join(name), copy.join(name)).unwrap();
    }
    for entry in fs::read_dir(folder.join("live/archive")).unwrap() {
        let entry = entry.unwrap();
        fs::copy(entry.path(), copy.join("archive").join(entry.file_name())).unwrap();
    }
    workspace.close().unwrap();
    copy
}

/// Makes a fresh copy of a workspace.
fn copy_of(from: &Path, to: &Path) -> PathBuf {
    let _ = fs::remove_dir_all(to);
    fs::create_dir_all(to.join("archive")).unwrap();
    for part in ["", "archive"] {
        for entry in fs::read_dir(from.join(part)).unwrap().map(Result::unwrap) {
            if entry.file_type().unwrap().is_file() {
                fs::copy(entry.path(), to.join(part).join(entry.file_name())).unwrap();
            }
        }
    }
    to.to_owned()
}

fn cut(path: &Path, bytes: u64) {
    OpenOptions::new()
        .write(true)
        .open(path)
        .unwrap()
        .set_len(bytes)
        .unwrap();
}

#[test]
fn a_truncated_log_restores_an_earlier_state() {
    let folder = tempfile::tempdir().unwrap();
    let crashed = crashed(folder.path(), 60);
    let length = fs::metadata(crashed.join("magpie.db-wal")).unwrap().len();
    let mut dice = TestRng(7);
    let mut counts = BTreeSet::new();
    for _ in 0..25 {
        let copy = copy_of(&crashed, &folder.path().join("copy"));
        cut(&copy.join("magpie.db-wal"), dice.roll(length));
        match Workspace::open(&copy, &options()) {
            Ok(workspace) => {
                let pages = check(&workspace);
                counts.insert(pages.len());
                // Later records are gone, and the crawl continues from there.
                let site = lease(&workspace);
                for pending in workspace.take(&site, None, 1, Timestamp::from_millis(0)).unwrap() {
                    let number = number(&pending.url);
                    assert!(!pages.contains(&number));
                    workspace.commit(&site, result(pending.id, number, None)).unwrap();
                }
                check(&workspace);
                workspace.close().unwrap();
            }
            // Truncated before the schema was written: this is no workspace.
            Err(error) => assert!(matches!(error, StoreError::NotAWorkspace { .. }), "{error}"),
        }
    }
    assert!(counts.len() > 3, "{counts:?}");
}

#[test]
fn an_incomplete_record_is_removed() {
    let folder = tempfile::tempdir().unwrap();
    let crashed = crashed(folder.path(), 30);
    let last = last_archive(&crashed);
    let before = fs::read(&last).unwrap();
    // The beginning of another record, as a kill leaves it.
    let mut file = OpenOptions::new().append(true).open(&last).unwrap();
    file.write_all(&before[..before.len() / 3]).unwrap();
    drop(file);
    let workspace = Workspace::open(&crashed, &options()).unwrap();
    assert_eq!(workspace.recovery().removed.len(), 1);
    assert_eq!(workspace.recovery().removed[0].1, before.len() as u64 / 3);
    assert_eq!(check(&workspace).len(), 30);
    assert_eq!(fs::read(&last).unwrap(), before);
}

fn last_archive(workspace: &Path) -> PathBuf {
    let names = fs::read_dir(workspace.join("archive"))
        .unwrap()
        .map(|entry| entry.unwrap().path());
    names.max().unwrap()
}

#[test]
fn a_truncated_archive_is_reported_or_its_pages_are_queued_again() {
    let folder = tempfile::tempdir().unwrap();
    let crashed = crashed(folder.path(), 40);
    let length = fs::metadata(last_archive(&crashed)).unwrap().len();
    let mut dice = TestRng(11);
    for _ in 0..12 {
        let copy = copy_of(&crashed, &folder.path().join("copy"));
        let archive = last_archive(&copy);
        let left = dice.roll(length);
        cut(&archive, left);
        let error = Workspace::open(&copy, &options()).err().unwrap();
        assert!(
            matches!(&error, StoreError::ArchiveCut { file, found, .. } if *file == archive && *found == left),
            "{error}"
        );
        let repair = WorkspaceOptions {
            damage: OnDamage::Requeue,
            ..options()
        };
        // A cut through the last record, the request of the last page, loses no body.
        repaired(&copy, &repair, 0..=40);
        // The same if the file is missing.
        let copy = copy_of(&crashed, &folder.path().join("copy"));
        fs::remove_file(last_archive(&copy)).unwrap();
        let error = Workspace::open(&copy, &options()).err().unwrap();
        assert!(matches!(error, StoreError::ArchiveMissing { .. }), "{error}");
        repaired(&copy, &repair, 1..=40);
    }
}

/// Opens a workspace whose archive lost records, and fetches the lost pages again.
fn repaired(folder: &Path, repair: &WorkspaceOptions, expected: RangeInclusive<u64>) {
    let pages = 40;
    let workspace = Workspace::open(folder, repair).unwrap();
    let lost = workspace.recovery().lost[0].1;
    assert!(expected.contains(&lost), "{lost} pages lost");
    assert_eq!(workspace.verify().unwrap().problems, Vec::<String>::new());
    let fetched = workspace.counts(None).unwrap().of(UrlState::Fetched);
    assert_eq!(fetched, pages - lost);
    let site = lease(&workspace);
    let mut again = 0;
    while again < lost {
        let pending = workspace
            .take(&site, None, 1, Timestamp::from_millis(0))
            .unwrap()
            .remove(0);
        let number = number(&pending.url);
        workspace.commit(&site, result(pending.id, number, None)).unwrap();
        again += 1;
    }
    workspace.flush().unwrap();
    assert_eq!(workspace.verify().unwrap().problems, Vec::<String>::new());
    workspace.close().unwrap();
}

#[test]
fn a_damaged_database_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    let workspace = started(folder.path());
    workspace.close().unwrap();
    let path = folder.path().join("magpie.db");
    let mut bytes = fs::read(&path).unwrap();
    // Overwrite everything but the header that identifies the file.
    for byte in bytes.iter_mut().skip(200) {
        *byte ^= 0x5a;
    }
    fs::write(&path, bytes).unwrap();
    let error = Workspace::open(folder.path(), &options()).err().unwrap();
    assert!(matches!(error, StoreError::Corrupt { .. }), "{error}");
}

/// The header has the version at byte 60 and the program at byte 68. The list of tables begins at
/// byte 100, and here it becomes an empty leaf.
#[test]
fn a_database_without_a_version_or_tables_is_damaged_not_empty() {
    for loses_tables in [false, true] {
        let folder = tempfile::tempdir().unwrap();
        started(folder.path()).close().unwrap();
        let path = folder.path().join("magpie.db");
        let mut bytes = fs::read(&path).unwrap();
        bytes[60..64].fill(0);
        if loses_tables {
            let page_bytes = [bytes[16], bytes[17]];
            bytes[68..72].fill(0);
            bytes[100..108].copy_from_slice(&[13, 0, 0, 0, 0, page_bytes[0], page_bytes[1], 0]);
        }
        fs::write(&path, bytes).unwrap();
        let error = Reader::open(folder.path()).err().unwrap();
        assert!(matches!(error, StoreError::Corrupt { .. }), "{error}");
        let error = Workspace::open(folder.path(), &options()).err().unwrap();
        assert!(matches!(error, StoreError::Corrupt { .. }), "{error}");
    }
}

/// Commits pages until an error occurs, and returns it.
fn until_full(workspace: &Workspace) -> StoreError {
    let site = lease(workspace);
    loop {
        for pending in workspace.take(&site, None, 3, Timestamp::from_millis(0)).unwrap() {
            let number = number(&pending.url);
            if let Err(error) = workspace.commit(&site, result(pending.id, number, None)) {
                return error;
            }
        }
        if let Err(error) = workspace.flush() {
            return error;
        }
    }
}

#[test]
fn a_full_database_stops_the_crawl_which_can_be_resumed() {
    let folder = tempfile::tempdir().unwrap();
    let small = WorkspaceOptions {
        database_bytes: Some(400_000),
        ..options()
    };
    started(folder.path()).close().unwrap();
    let workspace = Workspace::open(folder.path(), &small).unwrap();
    let error = until_full(&workspace);
    assert!(error.is_disk_full(), "{error}");
    let again = workspace.flush().unwrap_err();
    assert!(again.is_disk_full(), "{again}");
    drop(workspace);
    let workspace = Workspace::open(folder.path(), &options()).unwrap();
    let before = check(&workspace);
    assert!(before.len() > 10);
    let site = lease(&workspace);
    let pending = workspace
        .take(&site, None, 1, Timestamp::from_millis(0))
        .unwrap()
        .remove(0);
    assert!(!before.contains(&number(&pending.url)));
}

/// A file system of two megabytes, which is removed on drop.
struct SmallDisk(tempfile::TempDir);

impl SmallDisk {
    fn mount() -> Option<SmallDisk> {
        let folder = tempfile::tempdir().unwrap();
        let mounted = Command::new("mount")
            .args(["-t", "tmpfs", "-o", "size=2m", "tmpfs"])
            .arg(folder.path())
            .stderr(Stdio::null())
            .status();
        mounted
            .is_ok_and(|status| status.success())
            .then_some(SmallDisk(folder))
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(self.0.path()).status();
    }
}

#[test]
fn a_full_disk_stops_the_crawl_which_can_be_resumed() {
    let Some(disk) = SmallDisk::mount() else {
        magpie_test_support::skip("only root can mount a small disk");
        return;
    };
    let folder = disk.0.path().join("workspace");
    let ballast = disk.0.path().join("ballast");
    fs::write(&ballast, vec![0; 700_000]).unwrap();
    let workspace = started(&folder);
    let error = until_full(&workspace);
    assert!(error.is_disk_full(), "{error}");
    assert!(
        error
            .to_string()
            .contains("free some space and run the command again"),
        "{error}"
    );
    drop(workspace);
    fs::remove_file(ballast).unwrap();
    let workspace = Workspace::open(&folder, &options()).unwrap();
    let before = check(&workspace);
    // The number of pages that fit depends on how the writer batched them.
    assert!(!before.is_empty());
    let site = lease(&workspace);
    let pending = workspace
        .take(&site, None, 1, Timestamp::from_millis(0))
        .unwrap()
        .remove(0);
    let next = number(&pending.url);
    assert!(!before.contains(&next));
    workspace.commit(&site, result(pending.id, next, None)).unwrap();
    assert_eq!(check(&workspace).len(), before.len() + 1);
}

/// Removes the oldest bodies, and forgets each third page. It only runs if `run_and_kill_child`
/// starts it.
#[test]
#[ignore = "is started by another test, which kills it"]
fn forgetting_child() {
    let Ok(folder) = std::env::var(CHILD) else {
        return;
    };
    let workspace = Workspace::open(Path::new(&folder), &options()).unwrap();
    let mut out = std::io::stdout();
    let limits = ArchiveLimits {
        bytes: Some(workspace.status().unwrap().archive_bytes * 4 / 5),
        ..ArchiveLimits::default()
    };
    writeln!(out, "ready").unwrap();
    workspace.prune(&limits, Timestamp::default()).unwrap();
    workspace.forget(&forgetting()).unwrap();
    // The parent kills it.
    std::thread::sleep(Duration::from_mins(1));
}

fn is_forgotten(number: u64) -> bool {
    number.is_multiple_of(3)
}

fn forgetting() -> Forgetting {
    Forgetting {
        urls: UrlTest(Arc::new(|url| {
            let number = url.rsplit('/').next().and_then(|number| number.parse().ok());
            number.is_some_and(is_forgotten)
        })),
        detail: "forgotten".to_owned(),
        now: Timestamp::default(),
        is_dry: false,
    }
}

/// A workspace with pages in several archives. Each fourth page has the body of the one before it,
/// which may be forgotten.
fn crawled(folder: &Path) -> u64 {
    const PAGES: u64 = 150;
    let workspace = Workspace::create(folder, &options()).unwrap();
    let site = lease(&workspace);
    let seeds = FetchResult {
        offers: vec![offer(1)],
        ..FetchResult::default()
    };
    workspace.commit(&site, seeds).unwrap();
    let mut fetched = 0;
    while fetched < PAGES {
        for pending in workspace.take(&site, None, 5, Timestamp::default()).unwrap() {
            let number = number(&pending.url);
            let mut result = result(pending.id, number, None);
            if number.is_multiple_of(4)
                && let Some(page) = &mut result.page
            {
                page.exchange = Some(crate::stores::exchange(crate::crawl::body(number - 1)));
            }
            workspace.commit(&site, result).unwrap();
            fetched += 1;
        }
    }
    workspace.close().unwrap();
    fetched
}

#[test]
fn a_kill_while_pages_are_forgotten_loses_no_other() {
    for after in [0, 8, 25, 60] {
        let folder = tempfile::tempdir().unwrap();
        crawled(folder.path());
        let after = Duration::from_millis(after);
        run_and_kill_child(folder.path(), "crash::forgetting_child", &[], after);
        for is_done in [false, true] {
            let workspace = Workspace::open(folder.path(), &options()).unwrap();
            if is_done {
                workspace.forget(&forgetting()).unwrap();
            }
            let kept = check(&workspace);
            assert!(!is_done || kept.iter().all(|number| !is_forgotten(*number)));
            let urls: Vec<u64> = (1..=150).filter(|number| !is_forgotten(*number)).collect();
            assert!(urls.iter().all(|number| kept.contains(number)), "a page is lost");
            let reader = workspace.reader().unwrap();
            for page in reader.all_fetches(None).unwrap() {
                let of = number(&page.url);
                let of = if of.is_multiple_of(4) { of - 1 } else { of };
                let replayed = reader.replay(page.id, &HttpLimits::default()).unwrap().unwrap();
                let Some(response) = replayed.response else {
                    assert!(page.pruned.is_some(), "{} has lost its body", page.url);
                    continue;
                };
                assert!(
                    response.body == crate::crawl::body(of).as_bytes(),
                    "{} has another body",
                    page.url
                );
            }
            workspace.close().unwrap();
        }
        // No file is left that no page needs.
        let workspace = Workspace::open(folder.path(), &options()).unwrap();
        assert_eq!(workspace.orphans(None).unwrap().len(), 0);
        workspace.close().unwrap();
    }
}
