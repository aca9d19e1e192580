//! Archives and exports in an object store.

use std::path::Path;

use magpie_test_servers::ObjectStore;
use magpie_test_support::server::{Site, tree};

use crate::context::{Ran, TestContext};
use crate::web::LOOPBACK;

const PAGES: usize = 12;

/// A workspace without a vertical whose archive is in a store.
fn workspace(store: &str) -> TestContext {
    let context = TestContext::new();
    let settings = format!("{LOOPBACK}\n[archive]\nstore = \"{store}\"\npatience = \"1s\"\n");
    context.workspace("ws", &[], settings);
    context
}

fn with_store(context: &TestContext, port: u16, line: &str) -> Ran {
    Ran::of(line, context.command(line).envs(ObjectStore::variables(port)))
}

#[test]
fn a_folder_is_a_store() {
    let store = tempfile::tempdir().expect("a folder");
    let store = format!("file://{}", store.path().display());
    let site = Site::start(tree(PAGES));
    let context = workspace(&store);
    // Each crawl writes segments of its own.
    context.ok(&format!("crawl -w ws --pages 5 {}", site.url("/")));
    context.ok(&format!("crawl -w ws --pages {PAGES}"));
    let pages = context.json("archive verify -w ws --json")[0]["pages"].to_string();
    // And robots.txt of each crawl.
    assert!(pages.parse().is_ok_and(|pages: usize| pages > PAGES), "{pages}");
    context
        .ok("archive reconcile -w ws")
        .says(["every file of the archive has pages"]);
    context
        .ok("archive compact -w ws")
        .says(["joined ", " files to 1 ("]);
    context.ok("archive compact -w ws").says(["nothing to join"]);
    let sentence = format!("{pages} pages in the archive: no problem");
    context.ok("archive verify -w ws").says([sentence.as_str()]);
    context
        .ok(&format!("export pages -w ws --out {store}/below/pages.csv"))
        .says([format!("{pages} pages in file://").as_str()]);
    let path = store.strip_prefix("file://").expect("a folder");
    let exported = std::fs::read_to_string(Path::new(path).join("below/pages.csv")).expect("exported");
    assert_eq!((exported.lines().count() - 1).to_string(), pages);
    assert_eq!(
        std::fs::read_dir(context.path("ws/archive"))
            .expect("a folder")
            .count(),
        0
    );
    // Readers need no setting.
    context.write("ws/magpie.toml", LOOPBACK);
    context
        .ok(&format!("explain -w ws {}", site.url("/")))
        .says([store.as_str()]);

    // What is lost is reported, and its pages are fetched again.
    std::fs::remove_dir_all(path).expect("removed");
    context
        .fails(1, "archive verify -w ws")
        .says([format!("is missing, with the bodies of {pages} pages").as_str()]);
    context
        .fails(4, "crawl -w ws")
        .says(["archive.on_missing_archive=requeue"]);
    context.ok("crawl -w ws --set archive.on_missing_archive=requeue");
    context
        .ok("archive verify -w ws")
        .says([" pages in the archive: no problem"]);
    let urls = &context.json("status -w ws --json")[0]["urls"];
    assert_eq!(urls["fetched"], PAGES, "{urls}");
}

#[test]
fn a_bucket_is_a_store() {
    let Some(server) = ObjectStore::start_or_skip() else {
        return;
    };
    let site = Site::start(tree(PAGES));
    let context = workspace("s3://bucket/some/prefix");
    let run = |line: &str| with_store(&context, server.port(), line);
    run(&format!("crawl -w ws {}", site.url("/"))).ends(0);
    let verified = run("archive verify -w ws --json").ends(0).json().remove(0);
    assert!(
        verified["pages"]
            .as_u64()
            .is_some_and(|pages| pages > PAGES as u64),
        "{verified}"
    );
    let listed = server
        .request("GET", "/bucket?prefix=some/prefix/")
        .expect("a list");
    assert!(listed.contains(".warc.gz</Key>"), "{listed}");
    run("export pages -w ws --out s3://bucket/tables/pages.jsonl").ends(0);
    let exported = server
        .request("GET", "/bucket/tables/pages.jsonl")
        .expect("exported");
    let rows = exported.matches("\"page\":").count() as u64;
    assert_eq!(Some(rows), verified["pages"].as_u64(), "{exported}");

    // Nothing that is printed or kept has the credentials.
    let everything = run("status -w ws --json").out + &run("config -w ws").out;
    let database = std::fs::read(context.path("ws/magpie.db")).expect("a database");
    for secret in ["test-key", "test-secret"] {
        assert!(!everything.contains(secret));
        assert!(!database.windows(secret.len()).any(|at| at == secret.as_bytes()));
    }
    let gone = "crawl -w ws --set archive.store=s3://no-such-bucket/x";
    run(gone)
        .ends(4)
        .says(["s3://no-such-bucket/x", "there is no such bucket", "make it"]);
}

#[test]
fn what_is_wrong_with_a_store_is_said() {
    let context = workspace("");
    let refused =
        |code, store: &str| context.fails(code, &format!("crawl -w ws --set archive.store={store}"));
    refused(2, "ftp://host/x").says(["archive.store", "write s3://BUCKET/PREFIX"]);
    refused(2, "bucket/prefix").says(["archive.store", "write s3://BUCKET/PREFIX"]);
    refused(2, "s3://ann:sesame@bucket/x")
        .says(["archive.store", "AWS_ACCESS_KEY_ID"])
        .lacks(["sesame"]);
    refused(2, "s3:///x").says(["it lacks a bucket"]);
    refused(4, "file:///no/such/folder").says(["there is no such bucket or folder", "not mounted"]);
    let export = |out: &str| context.fails(2, &format!("export pages -w ws --out {out}"));
    export("ftp://host/pages.csv").says(["`--out`", "write s3://BUCKET/PREFIX"]);
    export("s3://ann:sesame@bucket/pages.csv")
        .says(["AWS_ACCESS_KEY_ID"])
        .lacks(["sesame"]);
    // A server that is not there.
    let down = Ran::of(
        "down",
        context
            .command("crawl -w ws --set archive.store=s3://bucket/x --set archive.patience=1s")
            .envs(ObjectStore::variables(9)),
    );
    down.ends(5).says([
        "s3://bucket/x",
        "does not answer as it should",
        "run the command again",
    ]);
}
