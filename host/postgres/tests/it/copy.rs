//! Copies of a workspace from a folder to a server, and back.
//!
//! The first workspace is that of the tests of the schema: a crawl of the lab's smallest web of
//! events, learned, recrawled and crawled. What it lacks is added.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::Read as _;
use std::path::Path;
use std::sync::Arc;

use magpie_archive::{Archives, StoreUrl, carry};
use magpie_http::HttpLimits;
use magpie_model::FormPurpose;
use magpie_postgres::{Address, CopiedServer, Layout, Server, ServerOptions, Store};
use magpie_query::{Context, Query};
use magpie_rows::copy::{Copied, Copier, CopyTarget};
use magpie_rows::{
    ArchiveStore as _, Archived, Catalogue, ChangeFilter, ExportFormat, Exports, FormRow, FormSource,
    Frontier as _, Hidden, HiddenStore as _, History, PageId, QueryTemplateRow, Search, Selection,
    StoreError, SubmissionOutcome, SubmissionRow, Table, TemplateState, Urls,
};
use magpie_sqlite::{CopiedFolder, Workspace, WorkspaceOptions};
use magpie_test_servers::{Release, SharedPostgres};
use serde_json::Value;

use crate::archiving_to;
use crate::stores::{fingerprint, lease, moment, take};

/// Unpacks the workspace, and adds what no crawl of it has made.
fn first(folder: &Path) -> Workspace {
    let kept = Path::new(env!("CARGO_MANIFEST_DIR")).join("../sqlite/tests/it/stores/version-18");
    fs::create_dir_all(folder.join("archive")).unwrap();
    for file in fs::read_dir(kept).unwrap() {
        let file = file.unwrap();
        let name = file.file_name().into_string().unwrap();
        if name == "magpie.db.gz" {
            let mut database = Vec::new();
            let packed = File::open(file.path()).unwrap();
            flate2::read::GzDecoder::new(packed)
                .read_to_end(&mut database)
                .unwrap();
            fs::write(folder.join("magpie.db"), database).unwrap();
        } else {
            fs::copy(file.path(), folder.join("archive").join(name)).unwrap();
        }
    }
    let workspace = Workspace::open(folder, &WorkspaceOptions::default()).unwrap();
    add(&workspace);
    workspace
}

fn add(store: &Workspace) {
    let site = store.site("https://shop.test").unwrap();
    let found = store.find_urls(&known(store)).unwrap();
    let form = |fingerprint, pages| FormRow {
        site,
        fingerprint,
        source: FormSource::Form,
        page_url: "https://a.test/".to_owned(),
        depth: 0,
        pages,
        purpose: FormPurpose::Search,
        confidence: 0.75,
        refusal: None,
        template: Some("https://a.test/s?q={query}".to_owned()),
        fields: "{}".to_owned(),
        seen_at: moment(7),
    };
    store
        .put_forms(site, vec![form(u64::MAX, 2), form(3, 2)])
        .unwrap();
    let template = QueryTemplateRow {
        vertical: "events".to_owned(),
        site,
        template: "https://a.test/s?q={query}".to_owned(),
        state: TemplateState::Working,
        detail: String::new(),
        asked: 3,
        objects: 3,
        size: Some((12.0, 9.5, f64::INFINITY)),
        memory: "{}".to_owned(),
        changed_at: moment(8),
    };
    let submission = SubmissionRow {
        vertical: "events".to_owned(),
        site,
        template: template.template.clone(),
        query: "a \0 in it".to_owned(),
        url: "https://a.test/s?q=dog".to_owned(),
        asked_at: moment(9),
        outcome: SubmissionOutcome::Results,
        objects: 2,
        new_objects: 1,
        result_page: 1,
        shown_on: found.iter().map(|found| found.id).collect(),
    };
    store.put_query_template(template, vec![submission]).unwrap();
}

/// Returns the fingerprints of some pages.
fn known(store: &dyn Exports) -> Vec<u64> {
    let urls = exported(store, Table::Pages);
    let urls = urls
        .iter()
        .take(5)
        .map(|row| fingerprint(row["url"].as_str().unwrap()));
    urls.collect()
}

/// The layout of a small workspace.
const LAYOUT: Layout = Layout {
    buckets: 7,
    partitions: 2,
};

/// Runs a test with the address of a place without a workspace, on each release.
fn each_address(name: &str, test: impl Fn(&Address)) {
    for server in Release::ALL.into_iter().filter_map(SharedPostgres::start_or_skip) {
        let url = format!("{}?schema={name}{}", server.url("postgres"), std::process::id());
        test(&Address::parse(&url, None).unwrap());
    }
}

fn connect(address: &Address, workspace: &str) -> Result<Arc<Server>, StoreError> {
    Server::open_for_copy(address.clone(), ServerOptions::default(), LAYOUT, workspace)
}

fn open(server: &Arc<Server>, archive: &Path) -> Arc<Store> {
    Arc::new(Store::open(Arc::clone(server), "copy", archiving_to(archive)).unwrap())
}

/// Copies to a server. `most` is the number of writes after which it is interrupted.
fn to_server(
    workspace: &Workspace,
    address: &Address,
    archive: &Path,
    most: usize,
) -> Result<(), StoreError> {
    let server = connect(address, &workspace.workspace_id()?)?;
    let target = CopiedServer::target(open(&server, archive), "1")?;
    let source = CopiedFolder::source(workspace, target.buckets())?;
    let below = StoreUrl::parse(&format!("file://{}", archive.display())).unwrap();
    let rename = move |name: &str| match StoreUrl::is_url(name) {
        true => name.to_owned(),
        false => below.join(name).to_string(),
    };
    let files = Archives::new(workspace.path().join("archive"));
    run(&source, Box::new(target), &rename, &rename, &files, most)
}

fn run(
    from: &dyn Copied,
    to: Box<dyn CopyTarget>,
    rename: &dyn Fn(&str) -> String,
    place: &dyn Fn(&str) -> String,
    files: &Archives,
    most: usize,
) -> Result<(), StoreError> {
    let copier = Copier {
        from,
        rename,
        target: "the target".to_owned(),
        at_a_time: 40,
    };
    let mut writes = 0;
    copier.copy(&*to, &mut |_, _| {
        writes += 1;
        match writes < most {
            true => Ok(()),
            false => Err(StoreError::Copy {
                sentence: "interrupted".to_owned(),
            }),
        }
    })?;
    for file in from.files()? {
        carry(
            files,
            &file.name,
            file.bytes,
            &StoreUrl::parse(&place(&file.name)).unwrap(),
        )?;
    }
    let compared = copier.compare(&*to)?;
    assert!(compared.iter().all(|area| area.rows > 0), "{compared:?}");
    to.release()
}

/// Copies to a folder, with the archive as files.
fn to_folder(store: Arc<Store>, folder: &Path, most: usize) -> Result<(), StoreError> {
    let source = CopiedServer::source(store, "1")?;
    let rename = |name: &str| name.rsplit('/').next().unwrap().to_owned();
    let place = |name: &str| format!("file://{}/archive/{}", folder.display(), rename(name));
    let target = CopiedFolder::target(folder)?;
    run(
        &source,
        Box::new(target),
        &rename,
        &place,
        &Archives::new("".into()),
        most,
    )
}

/// The facts of a workspace, without the numbers that differ between stores.
trait Told: Archived + Catalogue + Exports + History + Search + Urls + Hidden {}

impl<T: Archived + Catalogue + Exports + History + Search + Urls + Hidden> Told for T {}

fn exported(store: &dyn Exports, table: Table) -> Vec<Value> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out");
    let into = File::create(&path).unwrap();
    store
        .export(Selection::all(table), ExportFormat::Jsonl, into, Path::new("out"))
        .unwrap();
    let text = fs::read_to_string(&path).unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn told(store: &dyn Told) -> BTreeMap<String, Vec<String>> {
    let mut told = BTreeMap::new();
    let mut pages = Vec::new();
    for table in [Table::Pages, Table::Links, Table::Records, Table::Objects] {
        let rows = exported(store, table).into_iter().map(|mut row| {
            if table == Table::Pages {
                pages.push((row["url"].to_string(), row["page"].as_i64().unwrap()));
            }
            name_origins(&mut row);
            forget_numbers(&mut row);
            row.to_string()
        });
        let mut rows: Vec<String> = rows.collect();
        rows.sort();
        told.insert(format!("{table:?}"), rows);
    }
    let ids: Vec<_> = pages.iter().map(|(_, page)| PageId(*page)).collect();
    let mut bodies = Vec::new();
    store
        .replays(&ids, &HttpLimits::default(), &mut |page, replayed| {
            let url = &pages.iter().find(|(_, known)| *known == page.0).unwrap().0;
            match replayed {
                Ok(replayed) => bodies.push(format!(
                    "{url} {} {:?}",
                    replayed.page.fetched_at.as_millis(),
                    replayed.response.map(|response| response.body)
                )),
                Err(error) => panic!("page {url}: {error}"),
            }
        })
        .unwrap();
    bodies.sort();
    told.insert("bodies".to_owned(), bodies);
    let changes = store.changes(None, &ChangeFilter::default(), 100_000).unwrap();
    let lines = changes.changes.iter().map(|change| format!("{change:?}"));
    told.insert(
        "changes".to_owned(),
        lines.chain([changes.next.to_string()]).collect(),
    );
    let mut counts = vec![format!("{:?}", store.url_counts(None).unwrap())];
    let mut queued: Vec<u64> = store.queued_by_site().unwrap().into_values().collect();
    queued.sort_unstable();
    counts.push(format!("{queued:?}"));
    counts.push(format!("{:?}", store.seeds().unwrap()));
    for vertical in store.warehouse_verticals().unwrap() {
        let all = store.find_all(&vertical.vertical, &Query::default()).unwrap();
        let context = Context {
            attributes: &[],
            now: moment(0),
        };
        let shown = Query::parse("concert OR music", &context).unwrap();
        let found = store.find_all(&vertical.vertical, &shown).unwrap();
        counts.push(format!("{} {all:?} {found:?}", vertical.vertical));
    }
    told.insert("counts".to_owned(), counts);
    let templates = store.query_templates("events").unwrap();
    let submissions = templates
        .iter()
        .flat_map(|row| store.submissions("events", row.site).unwrap());
    let shown = submissions
        .flat_map(|row| row.shown_on)
        .map(|url| store.url_of(url).unwrap().unwrap());
    told.insert("shown".to_owned(), shown.collect());
    told
}

/// Puts URLs in the place of the numbers of members.
fn name_origins(row: &mut Value) {
    let members = row["members"].as_array().cloned().unwrap_or_default();
    for origin in row
        .get_mut("origins")
        .and_then(Value::as_object_mut)
        .into_iter()
        .flat_map(|origins| origins.values_mut())
    {
        let member = members.iter().find(|member| member["record"] == *origin);
        *origin = member.expect("a member")["url"].clone();
    }
}

/// Removes numbers of rows, but those of objects.
fn forget_numbers(row: &mut Value) {
    match row {
        Value::Object(fields) => {
            for name in [
                "page",
                "record",
                "url_id",
                "site",
                "same_as",
                "archive",
                "archive_offset",
            ] {
                if fields.get(name).is_some_and(|field| !field.is_object()) {
                    fields.remove(name);
                }
            }
            fields.values_mut().for_each(forget_numbers);
        }
        Value::Array(parts) => {
            parts.iter_mut().for_each(forget_numbers);
            parts.sort_by_key(Value::to_string);
        }
        _ => {}
    }
}

/// Fails at the first table that differs.
fn assert_same(one: &BTreeMap<String, Vec<String>>, other: &BTreeMap<String, Vec<String>>) {
    for (name, rows) in one {
        let others = &other[name];
        assert!(!rows.is_empty(), "{name}");
        for (row, other) in rows.iter().zip(others) {
            assert_eq!(row, other, "{name}");
        }
        assert_eq!(rows.len(), others.len(), "{name}");
    }
}

#[test]
fn a_workspace_goes_to_a_server_and_back() {
    let folder = tempfile::tempdir().unwrap();
    let workspace = first(folder.path());
    let before = told(&workspace);
    each_address("copied", |address| {
        let archive = tempfile::tempdir().unwrap();
        // Each attempt is interrupted, and the next one continues.
        let mut attempts = 0;
        while let Err(error) = to_server(&workspace, address, archive.path(), 7) {
            assert_eq!(error.to_string(), "interrupted");
            let refused = Server::open(address.clone(), ServerOptions::default()).map(drop);
            assert!(refused.unwrap_err().to_string().contains("interrupted"));
            attempts += 1;
        }
        assert!(attempts > 2, "{attempts}");
        let server = Server::open(address.clone(), ServerOptions::default()).unwrap();
        let store = open(&server, archive.path());
        assert_same(&before, &told(&*store));
        assert_eq!(store.verify().unwrap().problems, Vec::<String>::new());
        // It works on: a new URL gets the next number.
        store.buckets().claim(9).unwrap();
        let key = store.site("https://shop.test").unwrap();
        let leased = lease(&*store, "https://shop.test");
        assert_eq!(leased.site, key);
        take(&*store, &leased, "https://shop.test/new");
        store.release(leased, moment(9)).unwrap();
        store.buckets().give_back_all().unwrap();
        let last = tempfile::tempdir().unwrap();
        let mut attempts = 0;
        while let Err(error) = to_folder(open(&server, archive.path()), last.path(), 9) {
            assert_eq!(error.to_string(), "interrupted");
            attempts += 1;
        }
        assert!(attempts > 2, "{attempts}");
        let copied = Workspace::open(last.path(), &WorkspaceOptions::default()).unwrap();
        let mut after = told(&copied);
        // The new URL is queued.
        let now = told(&*store);
        assert_same(&now, &after);
        after.insert("counts".to_owned(), before["counts"].clone());
        assert_same(&before, &after);
        assert_eq!(copied.verify().unwrap().problems, Vec::<String>::new());
        let leased = lease(&copied, "https://shop.test");
        take(&copied, &leased, "https://shop.test/newer");
        copied.flush().unwrap();
    });
}

#[test]
fn a_target_with_something_else_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let workspace = first(folder.path());
    each_address("taken", |address| {
        let archive = tempfile::tempdir().unwrap();
        to_server(&workspace, address, archive.path(), 3).unwrap_err();
        let refused = connect(address, "another").map(drop).unwrap_err().to_string();
        assert!(refused.contains("has another workspace"), "{refused}");
        // The source changes: what was copied is old.
        let leased = lease(&workspace, "https://later.test");
        take(&workspace, &leased, &format!("https://later.test/{address}"));
        workspace.release(leased, moment(9)).unwrap();
        workspace.flush().unwrap();
        let refused = to_server(&workspace, address, archive.path(), usize::MAX).unwrap_err();
        assert!(refused.to_string().contains("was changed since"), "{refused}");
    });
    workspace.close().unwrap();
    let refused = CopiedFolder::target(folder.path()).map(drop).unwrap_err();
    assert!(
        refused.to_string().ends_with("is already a workspace"),
        "{refused}"
    );
}
