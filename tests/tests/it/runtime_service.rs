//! The runtime as a service: reloading, caching, address space, many threads, unusual pages.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::time::Duration;

use magpie_page::{Page, PageSource};
use magpie_runtime::{Change, Fault, Folder, Limits, Runtime, RuntimeSettings};
use magpie_tests::{guest, titled};

/// Timeout for other threads. Only a defect exceeds it.
const TIMEOUT: Duration = Duration::from_secs(120);

fn runtime() -> Runtime {
    Runtime::new(&RuntimeSettings {
        instances: 8,
        ..RuntimeSettings::default()
    })
    .expect("the engine starts")
}

fn put(component: &Path, folder: &Path, name: &str) {
    // Written to a temporary file and renamed, as a careful installer does.
    let aside = folder.join(format!("{name}.part"));
    fs::copy(component, &aside).expect("the component can be copied");
    fs::rename(&aside, folder.join(format!("{name}.wasm"))).expect("it can be renamed");
}

fn names(folder: &Folder) -> Vec<String> {
    folder
        .plugins()
        .iter()
        .map(|plugin| plugin.info().name.clone())
        .collect()
}

#[test]
fn a_folder_is_reloaded_and_a_failing_file_keeps_the_old_plugin() {
    let temporary = tempfile::tempdir().expect("a folder for the test");
    let folder = Folder::new(runtime(), temporary.path());
    assert_eq!(folder.poll_now(), []);

    put(&guest!("ordinary"), temporary.path(), "one");
    assert!(matches!(&folder.poll_now()[..], [Change::Added(_, id)] if id.name == "ordinary"));
    assert_eq!(folder.poll_now(), [], "nothing changed");
    let held = folder.plugins();

    fs::write(temporary.path().join("one.wasm"), "not a component").expect("it is written");
    let changes = folder.poll_now();
    let [
        Change::Refused {
            reason,
            kept: Some(kept),
            ..
        },
    ] = &changes[..]
    else {
        panic!("{changes:?}")
    };
    assert!(
        reason.contains("this is not a WebAssembly file") && kept.name == "ordinary",
        "{reason}"
    );
    assert_eq!(names(&folder), ["ordinary"]);

    put(&guest!("restless"), temporary.path(), "one");
    assert!(
        matches!(&folder.poll_now()[..], [Change::Replaced { old, new, .. }] if old.id.name == "ordinary" && new.id.name == "restless")
    );
    assert!(
        held[0].extract(&titled("page")).outcome.is_ok(),
        "work under way keeps the old one"
    );

    put(&guest!("restless"), temporary.path(), "two");
    let changes = folder.poll_now();
    let [
        Change::Refused {
            reason, kept: None, ..
        },
    ] = &changes[..]
    else {
        panic!("{changes:?}")
    };
    assert!(
        reason.contains("the vertical `restless` is already loaded"),
        "{reason}"
    );

    fs::remove_file(temporary.path().join("one.wasm")).expect("it can be removed");
    assert!(matches!(&folder.poll_now()[..], [Change::Removed(..)]));
    assert_eq!(names(&folder), Vec::<String>::new());
}

#[test]
fn a_watched_folder_reports_changes_once_files_are_stable() {
    let temporary = tempfile::tempdir().expect("a folder for the test");
    let folder = Arc::new(Folder::new(runtime(), temporary.path()));
    let (sender, changes) = channel();
    let watch = folder.watch(Duration::from_millis(20), move |change| {
        // The receiver is only gone when the test has ended.
        let _ = sender.send(change);
    });
    let _watch = watch.expect("the thread starts");
    put(&guest!("ordinary"), temporary.path(), "one");
    assert!(matches!(changes.recv_timeout(TIMEOUT), Ok(Change::Added(_, id)) if id.name == "ordinary"));
    fs::remove_file(temporary.path().join("one.wasm")).expect("it can be removed");
    assert!(matches!(changes.recv_timeout(TIMEOUT), Ok(Change::Removed(..))));
}

fn cached_files(folder: &Path) -> Vec<std::path::PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else {
        return Vec::new();
    };
    entries
        .map(|entry| entry.expect("the folder can be read").path())
        .collect()
}

fn with_cache(folder: &Path) -> Runtime {
    let settings = RuntimeSettings {
        cache: Some(folder.to_owned()),
        instances: 4,
        ..RuntimeSettings::default()
    };
    Runtime::new(&settings).expect("the engine starts")
}

#[test]
fn compiled_code_is_cached_and_never_trusted_when_changed() {
    let temporary = tempfile::tempdir().expect("a folder for the test");
    let cache = temporary.path().join("deep/down");
    let works = || {
        let plugin = with_cache(&cache).load(&guest!("ordinary")).expect("it loads");
        assert_eq!(
            plugin.extract(&titled("page")).outcome.expect("it works").len(),
            1
        );
    };
    works();
    let files = cached_files(&cache);
    assert_eq!(files.len(), 2, "the code and the description: {files:?}");
    let stamps = || {
        cached_files(&cache)
            .iter()
            .map(|f| fs::metadata(f).expect("there").modified().expect("has a time"))
            .collect::<Vec<_>>()
    };
    let before = stamps();
    works();
    assert_eq!(before, stamps(), "the second load writes nothing");
    for file in &files {
        let sound = fs::read(file).expect("it can be read");
        for damage in [
            Vec::new(),
            sound[..sound.len() / 2].to_vec(),
            sound.iter().map(|byte| byte ^ 1).collect(),
        ] {
            fs::write(file, damage).expect("it can be written");
            works();
        }
    }
}

#[cfg(unix)]
#[test]
fn a_cache_that_others_can_write_to_is_not_used() {
    use std::os::unix::fs::PermissionsExt;
    let temporary = tempfile::tempdir().expect("a folder for the test");
    fs::set_permissions(temporary.path(), fs::Permissions::from_mode(0o777)).expect("it is ours");
    with_cache(temporary.path())
        .load(&guest!("ordinary"))
        .expect("it loads all the same");
    assert!(cached_files(temporary.path()).is_empty());
}

#[test]
fn without_the_pool_everything_works_the_same() {
    let settings = RuntimeSettings {
        pooling: false,
        ..RuntimeSettings::default()
    };
    let runtime = Runtime::new(&settings).expect("the engine starts");
    let plugin = runtime.load(&guest!("memory-bomb")).expect("it loads");
    let error = plugin
        .extract(&titled("trouble"))
        .outcome
        .expect_err("the limit holds");
    assert!(matches!(error.fault, Fault::Memory { .. }), "{error}");
    assert!(plugin.extract(&titled("ordinary")).outcome.is_ok());
}

#[test]
fn a_plugin_that_fails_everywhere_is_stopped_and_others_continue() {
    let runtime = runtime();
    let broken = runtime.load(&guest!("traps")).expect("it loads");
    let sound = runtime.load(&guest!("ordinary")).expect("it loads");
    let mut faults = Vec::new();
    for _ in 0..30 {
        faults.push(
            broken
                .extract(&titled("trouble"))
                .outcome
                .expect_err("it always fails")
                .fault,
        );
        assert!(sound.extract(&titled("page")).outcome.is_ok());
    }
    assert!(matches!(faults[0], Fault::Trap(_)));
    assert_eq!(
        faults[29],
        Fault::Stopped {
            failures: 20,
            calls: 20
        }
    );
    broken.breaker().reset();
    assert!(matches!(
        broken
            .extract(&titled("trouble"))
            .outcome
            .expect_err("it fails")
            .fault,
        Fault::Trap(_)
    ));
}

#[test]
fn many_threads_share_a_runtime_with_fewer_slots() {
    let limits = Limits {
        cpu: Duration::from_millis(50),
        ..Limits::default()
    };
    let settings = RuntimeSettings {
        limits,
        instances: 2,
        ..RuntimeSettings::default()
    };
    let runtime = Runtime::new(&settings).expect("the engine starts");
    let sound = runtime.load(&guest!("ordinary")).expect("it loads");
    let endless = runtime.load(&guest!("endless-loop")).expect("it loads");
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                for _ in 0..20 {
                    assert_eq!(sound.extract(&titled("page")).outcome.expect("it works").len(), 1);
                }
                let error = endless
                    .extract(&titled("trouble"))
                    .outcome
                    .expect_err("it is stopped");
                assert!(matches!(error.fault, Fault::Cpu(_)), "{error}");
            });
        }
    });
}

fn page(content_type: &str, body: Vec<u8>) -> Arc<Page> {
    Arc::new(Page::new(PageSource {
        url: "https://example.org/strange".parse().expect("it is a URL"),
        status: 200,
        headers: vec![("content-type".to_owned(), content_type.to_owned())],
        fetched_at: magpie_values::Timestamp::default(),
        body: body.into(),
    }))
}

#[test]
fn strange_pages_end_in_an_outcome() {
    let plugin = runtime().load(&guest!("ordinary")).expect("it loads");
    let head = "<title>ordinary</title>";
    let attributes: String = (0..1_000_000).map(|n| format!(" a{n}=1")).collect();
    let cases: [(&str, &str, Vec<u8>); 8] = [
        (
            "50 MB of text",
            "text/html",
            format!("{head}{}", "<p>word word word</p>".repeat(2_500_000)).into_bytes(),
        ),
        (
            "100,000 levels",
            "text/html",
            format!("{head}{}", "<div>".repeat(100_000)).into_bytes(),
        ),
        (
            "a million attributes",
            "text/html",
            format!("{head}<p{attributes}>text").into_bytes(),
        ),
        (
            "a wrong charset",
            "text/html; charset=utf-16",
            format!("{head}<p>äöü").into_bytes(),
        ),
        (
            "an unknown charset",
            "text/html; charset=klingon",
            format!("{head}<p>äöü").into_bytes(),
        ),
        (
            "NUL bytes",
            "text/html",
            format!("{head}{}", "\0<p>\0".repeat(10_000)).into_bytes(),
        ),
        (
            "random bytes",
            "text/html",
            (0..200_000_u64)
                .map(|n| (n.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56) as u8)
                .collect(),
        ),
        ("nothing", "text/html", Vec::new()),
    ];
    for (name, content_type, body) in cases {
        let page = page(content_type, body);
        let call = plugin.extract(&page);
        assert!(call.outcome.is_ok(), "{name}: {:?}", call.outcome);
        assert!(page.document().node_count() < 5_000_000, "{name}");
    }
}
