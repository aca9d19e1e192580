//! Removed pages, as files and answers show them.

use magpie_rows::{ArchiveLimits, Exchange, FetchResult, HouseStore as _, Page, PrunedBy, Store, UrlOutcome};
use magpie_sqlite::{Workspace, WorkspaceOptions};
use magpie_warc::{ArchiveReader, Record};

use crate::stores::house::{cluster, request};
use crate::stores::pruning::{SITE, body, fetch_one, prune, url};
use crate::stores::{exchange, fetch, lease, moment, take};

#[test]
fn files_have_no_byte_of_forgotten_pages() {
    let folder = tempfile::tempdir().unwrap();
    let options = WorkspaceOptions::default();
    let workspace = Workspace::create(folder.path(), &options).unwrap();
    fetch_one(&workspace, "secret", 10, "hidden-treasure", 0);
    fetch_one(&workspace, "twin", 20, "hidden-treasure", 1);
    fetch_one(&workspace, "twin-of-secret", 30, "other-treasure", 2);
    cluster(
        &workspace,
        &[(1, &[0]), (2, &[1])],
        &["secret", "twin", "twin-of-secret"],
    );
    workspace.forget(&request("/twin")).unwrap();
    workspace.forget(&request("secret")).unwrap();
    workspace.close().unwrap();
    let mut records: Vec<Record> = Vec::new();
    for file in std::fs::read_dir(folder.path().join("archive")).unwrap() {
        let reader = ArchiveReader::open(&file.unwrap().path()).unwrap();
        records.extend(reader.map(Result::unwrap));
    }
    assert!(records.is_empty(), "{records:?}");
    let database = std::fs::read(folder.path().join("magpie.db")).unwrap();
    for word in ["title of secret", "of secret", "hidden-treasure"] {
        let found = database.windows(word.len()).any(|at| at == word.as_bytes());
        assert!(!found, "the database has {word:?}");
    }
}

#[test]
fn an_answer_without_a_body_says_that_the_body_was_removed() {
    let folder = tempfile::tempdir().unwrap();
    let workspace = Workspace::create(folder.path(), &WorkspaceOptions::default()).unwrap();
    let store: &dyn Store = &workspace;
    let lease = lease(store, SITE);
    let id = take(store, &lease, &url("page"));
    let page = |status, body: &str| Page {
        url: url("page"),
        fetched_at: moment(10),
        status: Some(status),
        exchange: Some(exchange(body.repeat(600))),
        ..Page::default()
    };
    let again = FetchResult {
        settled: Some(UrlOutcome::again(id, moment(0), "again".into())),
        page: Some(page(200, "a")),
        ..FetchResult::default()
    };
    store.commit(&lease, again).unwrap();
    store.flush().unwrap();
    let limits = ArchiveLimits {
        oldest: Some((moment(100), moment(100))),
        bytes: None,
    };
    assert_eq!(prune(store, limits), 1);
    assert_eq!(store.take(&lease, None, 1, moment(1)).unwrap().len(), 1);
    let unchanged = Page {
        exchange: Some(Exchange {
            response_head: b"HTTP/1.1 304 Not Modified\r\n\r\n".as_slice().into(),
            ..exchange("")
        }),
        ..page(304, "")
    };
    let unchanged = fetch(store, &lease, id, unchanged).page.unwrap();
    store.flush().unwrap();
    assert_eq!(body(store, unchanged), None);
    let row = store.page(unchanged).unwrap().unwrap();
    assert_eq!(row.pruned.map(|pruned| pruned.by), Some(PrunedBy::Keep));
}
