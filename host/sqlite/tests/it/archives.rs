//! Archives in an object store: a folder, and moto behind a proxy that injects faults.

#![expect(
    clippy::unwrap_used,
    reason = "a test stops where something is not as it should be"
)]

use std::collections::BTreeSet;
use std::io::{Read as _, Write as _};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Mutex, OnceLock};
use std::time::{Duration, Instant};

use magpie_archive::{Archives, StoreUrl, use_variables};
use magpie_http::HttpLimits;
use magpie_rows::{
    ArchiveStore as _, Archived as _, Frontier, Pages as _, StoreError, StoreFault, UrlState, Urls as _,
};
use magpie_sqlite::{ArchiveSettings, BatchLimits, OnDamage, StoreOptions, Workspace, WorkspaceOptions};
use magpie_test_servers::ObjectStore;
use magpie_values::Timestamp;

use crate::crash::{check, number, run_and_kill_child, started_with};
use crate::crawl::{body, lease, result};

/// Variable with the store of a process that is to be killed; the variable of its workspace is that
/// of the other tests of crashes.
const STORE: &str = "MAGPIE_STORE_TEST_STORE";

/// Small segments, and joined files of a few of them.
fn options(store: &str) -> WorkspaceOptions {
    WorkspaceOptions {
        archive: ArchiveSettings {
            file_bytes: 60_000,
            ..ArchiveSettings::default()
        },
        store: Some(StoreOptions {
            url: StoreUrl::parse(store).unwrap(),
            patience: Duration::from_secs(2),
        }),
        batch: BatchLimits {
            pages: 4,
            age: Duration::from_millis(3),
            ..BatchLimits::default()
        },
        ..WorkspaceOptions::default()
    }
}

/// A fault of the next requests that put a file below a prefix.
#[derive(Clone)]
enum Fault {
    /// Number of requests that are answered with 503.
    Busy(u32),
    /// All are answered with this status and code.
    Answer(&'static str, &'static str),
    /// One is carried out, and the connection closed without an answer.
    Swallow,
    /// One is carried out, and its answer is never sent; the sender is notified.
    Hold(Sender<()>),
    /// Before one is carried out, other bytes get the name.
    Occupy,
}

struct Proxy {
    store: ObjectStore,
    port: u16,
    faults: Mutex<Vec<(String, Fault)>>,
}

impl Proxy {
    /// Returns the proxy of this process, to which its object stores connect.
    fn start_or_skip() -> Option<&'static Proxy> {
        static PROXY: OnceLock<Option<Proxy>> = OnceLock::new();
        static SERVED: OnceLock<()> = OnceLock::new();
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let proxy = PROXY.get_or_init(|| {
            let port = listener.local_addr().unwrap().port();
            use_variables(ObjectStore::variables(port));
            Some(Proxy {
                store: ObjectStore::start_or_skip()?,
                port,
                faults: Mutex::default(),
            })
        });
        let proxy = proxy.as_ref()?;
        SERVED.get_or_init(|| {
            std::thread::spawn(move || {
                for client in listener.incoming().flatten() {
                    std::thread::spawn(move || proxy.serve(client));
                }
            });
        });
        Some(proxy)
    }

    fn inject(&self, prefix: &str, fault: Fault) {
        self.faults.lock().unwrap().push((prefix.to_owned(), fault));
    }

    /// Takes the fault of a request.
    fn fault(&self, head: &str) -> Option<Fault> {
        let mut faults = self.faults.lock().unwrap();
        let at = faults
            .iter()
            .position(|(prefix, _)| head.starts_with(&format!("PUT /bucket/{prefix}/")))?;
        match &mut faults[at].1 {
            Fault::Busy(left) if *left > 1 => {
                *left -= 1;
                Some(Fault::Busy(*left))
            }
            Fault::Answer(status, code) => Some(Fault::Answer(status, code)),
            _ => Some(faults.remove(at).1),
        }
    }

    /// Passes one request on.
    fn serve(&self, mut client: TcpStream) {
        let Some(request) = read_request(&mut client) else {
            return;
        };
        let head = String::from_utf8_lossy(&request[..request.len().min(4096)]).into_owned();
        let fault = self.fault(&head);
        let answer = |status: &str, code: &str| {
            let body = format!("<Error><Code>{code}</Code><AWSAccessKeyId>test-key</AWSAccessKeyId></Error>");
            let length = body.len();
            format!("HTTP/1.1 {status}\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n{body}")
                .into_bytes()
        };
        let answer = match &fault {
            Some(Fault::Busy(_)) => answer("503 Slow Down", "SlowDown"),
            Some(Fault::Answer(status, code)) => answer(status, code),
            Some(Fault::Occupy) => {
                let target = head.split(' ').nth(1).unwrap().to_owned();
                self.store.request("PUT", &target).unwrap();
                self.pass(&request)
            }
            None | Some(Fault::Swallow | Fault::Hold(_)) => self.pass(&request),
        };
        match fault {
            Some(Fault::Swallow) => {}
            Some(Fault::Hold(held)) => {
                held.send(()).unwrap();
                // The client is killed, which ends this read.
                let _ = client.read(&mut [0]);
            }
            _ => client.write_all(&answer).unwrap_or_default(),
        }
    }

    fn pass(&self, request: &[u8]) -> Vec<u8> {
        let mut server = TcpStream::connect((Ipv4Addr::LOCALHOST, self.store.port())).unwrap();
        let (line, rest) = request.split_at(request.windows(2).position(|at| at == b"\r\n").unwrap());
        server.write_all(line).unwrap();
        server.write_all(b"\r\nConnection: close").unwrap();
        server.write_all(rest).unwrap();
        let mut answer = Vec::new();
        server.read_to_end(&mut answer).unwrap();
        answer
    }
}

/// Reads a request with its body.
fn read_request(client: &mut TcpStream) -> Option<Vec<u8>> {
    let mut request = Vec::new();
    let mut buffer = [0; 65_536];
    loop {
        if let Some(end) = request.windows(4).position(|at| at == b"\r\n\r\n") {
            let head = String::from_utf8_lossy(&request[..end]).to_ascii_lowercase();
            let length = head
                .lines()
                .find_map(|line| line.strip_prefix("content-length: "));
            let length: usize = length.map_or(0, |length| length.trim().parse().unwrap());
            if request.len() >= end + 4 + length {
                return Some(request);
            }
        }
        match client.read(&mut buffer).ok()? {
            0 => return None,
            count => request.extend_from_slice(&buffer[..count]),
        }
    }
}

/// Runs a test with a folder as the store, and with moto.
fn with_each(name: &str, test: impl Fn(&str)) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::create_dir_all(&path).unwrap();
    test(&format!("file://{}", path.display()));
    if Proxy::start_or_skip().is_some() {
        test(&format!("s3://bucket/{name}"));
    }
}

/// Crawls a number of pages.
fn crawl(workspace: &Workspace, pages: u64) -> Result<(), StoreError> {
    let site = lease(workspace);
    let mut crawled = 0;
    while crawled < pages {
        for pending in workspace.take(&site, None, 1, Timestamp::default())? {
            workspace.commit(&site, result(pending.id, number(&pending.url), None))?;
            crawled += 1;
        }
    }
    workspace.release(site, Timestamp::default())?;
    workspace.flush()
}

/// Checks that every page can be read with its own body.
fn check_bodies(folder: &Path, expected: usize) {
    let reader = magpie_sqlite::Reader::open(folder).unwrap();
    let pages = reader.all_fetches(None).unwrap();
    assert_eq!(pages.len(), expected);
    for page in pages {
        let replayed = reader.replay(page.id, &HttpLimits::default()).unwrap().unwrap();
        let found = String::from_utf8(replayed.response.unwrap().body).unwrap();
        assert_eq!(found, body(number(&page.url)));
    }
}

fn segments(store: &str) -> BTreeSet<String> {
    let archives = Archives::new("/nowhere".into());
    let listed = archives.list(Some(&StoreUrl::parse(store).unwrap())).unwrap();
    listed.into_iter().map(|segment| segment.name).collect()
}

#[test]
fn segments_are_written_read_joined_and_checked() {
    with_each("joined/with ~ and é", |store| {
        let folder = tempfile::tempdir().unwrap();
        // The first pages are in the folder, as in a workspace from before.
        let before = WorkspaceOptions {
            store: None,
            ..options(store)
        };
        let workspace = started_with(folder.path(), &before);
        crawl(&workspace, 6).unwrap();
        workspace.close().unwrap();

        let workspace = Workspace::open(folder.path(), &options(store)).unwrap();
        crawl(&workspace, 30).unwrap();
        let written = segments(store);
        assert!(written.len() > 6, "{written:?}");
        check(&workspace);
        check_bodies(folder.path(), 36);

        let compacted = workspace.compact().unwrap();
        assert_eq!(compacted.joined as usize, written.len() + 1, "{compacted:?}");
        let joined = segments(store);
        assert_eq!(joined.len() as u64, compacted.into);
        assert!(joined.len() > 1 && joined.is_disjoint(&written), "{joined:?}");
        let left = std::fs::read_dir(folder.path().join("archive")).unwrap().count();
        assert_eq!(left, 0, "the file of the folder was moved");
        assert_eq!(check(&workspace).len(), 36);
        check_bodies(folder.path(), 36);
        assert_eq!(workspace.orphans(None).unwrap().len(), 0);
        workspace.close().unwrap();

        // It continues as before.
        let workspace = Workspace::open(folder.path(), &options(store)).unwrap();
        crawl(&workspace, 4).unwrap();
        assert_eq!(check(&workspace).len(), 40);
    });
}

#[test]
fn a_lost_segment_is_reported_or_its_pages_are_queued_again() {
    with_each("lost", |store| {
        let folder = tempfile::tempdir().unwrap();
        let workspace = started_with(folder.path(), &options(store));
        crawl(&workspace, 20).unwrap();
        workspace.close().unwrap();
        let lost = segments(store).pop_last().unwrap();
        Archives::new("/nowhere".into()).remove(&lost).unwrap();

        let error = Workspace::open(folder.path(), &options(store)).err().unwrap();
        assert!(
            matches!(&error, StoreError::ArchiveMissing { file, .. } if *file == Path::new(&lost)),
            "{error}"
        );
        let keep = WorkspaceOptions {
            damage: OnDamage::Keep,
            ..options(store)
        };
        let problems = Workspace::open(folder.path(), &keep)
            .unwrap()
            .verify()
            .unwrap()
            .problems;
        assert!(
            problems[0].starts_with(&format!("{lost} is missing, with the bodies of ")),
            "{problems:?}"
        );
        let requeue = WorkspaceOptions {
            damage: OnDamage::Requeue,
            ..options(store)
        };
        let workspace = Workspace::open(folder.path(), &requeue).unwrap();
        let lost = workspace.recovery().lost[0].1;
        assert!(lost > 0);
        crawl(&workspace, lost).unwrap();
        assert_eq!(workspace.verify().unwrap().problems, Vec::<String>::new());
        let counts = workspace.reader().unwrap().url_counts(None).unwrap();
        assert!(counts.of(UrlState::Fetched) >= 20, "{counts:?}");
    });
}

#[test]
fn changed_bytes_are_found() {
    let store = tempfile::tempdir().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let options = options(&format!("file://{}", store.path().display()));
    let workspace = started_with(folder.path(), &options);
    crawl(&workspace, 8).unwrap();
    check(&workspace);
    let first = segments(&format!("file://{}", store.path().display()))
        .pop_first()
        .unwrap();
    let path = first.strip_prefix("file://").unwrap();
    let mut bytes = std::fs::read(path).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 0xff;
    std::fs::write(path, &bytes).unwrap();
    let problems = workspace.verify().unwrap().problems;
    assert!(
        problems.iter().any(|problem| problem.contains(&first)),
        "{problems:?}"
    );
}

/// Crawls into a store forever and prints which pages are durable.
#[test]
#[ignore = "is started by another test, which kills it"]
fn child() {
    let Ok(store) = std::env::var(STORE) else { return };
    use_variables(std::env::vars());
    crate::crash::crawl_forever(&options(&store));
}

#[test]
fn kills_lose_no_durable_page_and_leave_no_row_without_bytes() {
    with_each("killed", |store| {
        let kills = if store.starts_with("file") { 12 } else { 4 };
        let folder = tempfile::tempdir().unwrap();
        started_with(folder.path(), &options(store)).close().unwrap();
        let mut durable = BTreeSet::new();
        for kill in 0..kills {
            let after = Duration::from_millis(30 + kill * 53 % 190);
            durable.extend(run_and_kill_child(
                folder.path(),
                "archives::child",
                &environment(store),
                after,
            ));
            let workspace = Workspace::open(folder.path(), &options(store)).unwrap();
            let pages = check(&workspace);
            let lost: Vec<&u64> = durable.difference(&pages).collect();
            assert!(lost.is_empty(), "kill {kill} lost {lost:?}");
            if kill % 3 == 1 {
                workspace.compact().unwrap();
                assert_eq!(check(&workspace), pages);
            }
            workspace.close().unwrap();
        }
        assert!(durable.len() > 4, "only {} pages were durable", durable.len());
    });
}

fn environment(store: &str) -> Vec<(String, String)> {
    let mut variables = vec![(STORE.to_owned(), store.to_owned())];
    if let Some(proxy) = Proxy::start_or_skip() {
        variables.extend(ObjectStore::variables(proxy.port));
    }
    variables
}

#[test]
fn a_kill_between_put_and_commit_leaves_an_orphan_alone() {
    let Some(proxy) = Proxy::start_or_skip() else {
        return;
    };
    let store = "s3://bucket/between";
    let folder = tempfile::tempdir().unwrap();
    started_with(folder.path(), &options(store)).close().unwrap();
    let (sender, held) = channel();
    proxy.inject("between", Fault::Hold(sender));
    let mut child = start_child(folder.path(), store);
    wait_for(&held);
    child.kill().unwrap();
    child.wait().unwrap();

    let workspace = Workspace::open(folder.path(), &options(store)).unwrap();
    assert_eq!(check(&workspace).len(), 0, "nothing was committed");
    let orphans = workspace.orphans(None).unwrap();
    assert_eq!(orphans.len(), 1, "{orphans:?}");
    assert_eq!(segments(store).len(), 1);
    // One that is younger than the limit stays, since it may belong to a commit under way.
    let modified = orphans[0].modified;
    assert!(!workspace.orphans(Some(modified)).unwrap()[0].is_removed);
    crawl(&workspace, 6).unwrap();
    let later = Timestamp::from_millis(modified.as_millis() + 1);
    let removed = workspace.orphans(Some(later)).unwrap();
    assert_eq!((removed.len(), removed[0].is_removed), (1, true), "{removed:?}");
    assert_eq!(workspace.orphans(None).unwrap().len(), 0);
    assert_eq!(check(&workspace).len(), 6);
}

fn start_child(folder: &Path, store: &str) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args([
            "--exact",
            "archives::child",
            "--ignored",
            "--nocapture",
            "--test-threads=1",
        ])
        .env(crate::crash::CHILD, folder)
        .envs(environment(store))
        .stdout(Stdio::null())
        .spawn()
        .unwrap()
}

fn wait_for(held: &Receiver<()>) {
    held.recv_timeout(Duration::from_secs(60))
        .expect("a request is held");
}

#[test]
fn busy_stores_and_lost_answers_are_survived() {
    let Some(proxy) = Proxy::start_or_skip() else {
        return;
    };
    let store = "s3://bucket/busy";
    let folder = tempfile::tempdir().unwrap();
    let workspace = started_with(folder.path(), &options(store));
    for fault in [Fault::Busy(3), Fault::Swallow, Fault::Busy(1), Fault::Swallow] {
        proxy.inject("busy", fault);
        crawl(&workspace, 5).unwrap();
    }
    assert!(
        proxy
            .faults
            .lock()
            .unwrap()
            .iter()
            .all(|(prefix, _)| prefix != "busy")
    );
    assert_eq!(check(&workspace).len(), 20);
    assert_eq!(
        workspace.orphans(None).unwrap().len(),
        0,
        "each segment was accepted once"
    );
    check_bodies(folder.path(), 20);
}

#[test]
fn faults_of_a_store_are_told_apart_and_name_no_key() {
    let Some(proxy) = Proxy::start_or_skip() else {
        return;
    };
    let cases: [(&str, Fault, StoreFault, &str); 4] = [
        (
            "full",
            Fault::Busy(u32::MAX),
            StoreFault::Unavailable,
            "503 Service Unavailable (SlowDown)",
        ),
        (
            "denied",
            Fault::Answer("403 Forbidden", "SignatureDoesNotMatch"),
            StoreFault::Refused,
            "403 Forbidden (SignatureDoesNotMatch)",
        ),
        (
            "taken",
            Fault::Occupy,
            StoreFault::Occupied,
            "another program writes",
        ),
        (
            "odd",
            Fault::Answer("400 Bad Request", "InvalidRequest"),
            StoreFault::Address,
            "400 Bad Request (InvalidRequest)",
        ),
    ];
    for (name, injected, expected, words) in cases {
        let folder = tempfile::tempdir().unwrap();
        let store = format!("s3://bucket/{name}");
        let workspace = started_with(folder.path(), &options(&store));
        proxy.inject(name, injected);
        let began = Instant::now();
        let error = crawl(&workspace, 5).unwrap_err();
        let text = error.to_string();
        assert!(text.contains(words), "{text}");
        assert!(
            !text.contains("test-key") && !text.contains("test-secret"),
            "{text}"
        );
        if let StoreError::ObjectStore { fault, .. } = error {
            assert_eq!(fault, expected);
        }
        assert!(began.elapsed() < Duration::from_secs(30), "{:?}", began.elapsed());
        drop(workspace);
        // Nothing of the batch is there, and the same command continues.
        proxy.faults.lock().unwrap().clear();
        let workspace = Workspace::open(folder.path(), &options(&store)).unwrap();
        crawl(&workspace, 5).unwrap();
        check(&workspace);
    }
    let folder = tempfile::tempdir().unwrap();
    for missing in ["s3://no-such-bucket/prefix", "file:///no/such/folder"] {
        let error = Workspace::create(&folder.path().join(&missing[..2]), &options(missing))
            .err()
            .unwrap();
        assert!(
            matches!(
                &error,
                StoreError::ObjectStore {
                    fault: StoreFault::NoBucket,
                    ..
                }
            ),
            "{error}"
        );
    }
}
