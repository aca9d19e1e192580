//! Whole sites crawled through the public API.

use std::path::Path;

use magpie_engine::crawl::Ending;
use magpie_engine::{
    PipelineError, Replay, Resolved, SessionOptions, SiteCrawl, SiteCrawlRequest, SitesCrawled,
};
use magpie_rows::RunId;
use magpie_sqlite::{ARCHIVES, Workspace, WorkspaceOptions};
use magpie_test_support::server::{Site, tree};

const SETTINGS: &str = "network.allow_addresses = [\"127.0.0.0/8\"]\npoliteness.delay = \"0s\"\n\
                        politeness.autothrottle = false\n";

fn request(folder: Option<&Path>, sites: &[String]) -> SiteCrawlRequest {
    SiteCrawlRequest {
        folder: folder.map(Path::to_owned),
        sites: sites.to_vec(),
        again: false,
        replay: None,
        options: SessionOptions::new(Resolved::from_toml(SETTINGS).expect("settings")),
    }
}

fn run(request: SiteCrawlRequest) -> SitesCrawled {
    let crawl = SiteCrawl::prepare(request).expect("it is prepared");
    crawl.run(&mut |_| ()).expect("it crawls")
}

fn workspace(folder: &Path) {
    let workspace = Workspace::create(folder, &WorkspaceOptions::default());
    workspace.expect("a workspace").close().expect("closed");
}

#[test]
fn sites_are_crawled_replayed_and_asked_again() {
    let site = Site::start(tree(40));
    let sites = [site.url("/")];
    let folder = tempfile::tempdir().expect("a folder");
    let (first, second) = (folder.path().join("first"), folder.path().join("second"));
    workspace(&first);
    workspace(&second);

    let crawled = run(request(Some(&first), &sites));
    assert_eq!((crawled.ending, crawled.progress.pages), (Ending::Finished, 40));
    assert!(!crawled.have_verticals_failed);
    let nothing = SiteCrawl::prepare(request(Some(&first), &[]));
    assert!(matches!(
        nothing.err(),
        Some(PipelineError::NothingQueued { held: 0 })
    ));
    let again = SiteCrawlRequest {
        again: true,
        ..request(Some(&first), &sites)
    };
    assert_eq!(run(again).progress.pages, 40);

    // The archive answers instead of the site, for the sites of its own seeds.
    let asked = site.requests().len();
    let replayed = SiteCrawlRequest {
        replay: Some(Replay {
            folder: first,
            run: Some(RunId(1)),
        }),
        ..request(Some(&second), &[])
    };
    assert_eq!(run(replayed).progress.pages, 40);
    assert_eq!(site.requests().len(), asked);

    assert_eq!(run(request(None, &sites)).progress.pages, 40, "nothing is kept");
}

#[test]
fn a_damaged_archive_is_replayed_as_far_as_it_goes() {
    let site = Site::start(tree(40));
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("workspace");
    workspace(&path);
    run(request(Some(&path), &[site.url("/")]));
    let archive = std::fs::read_dir(path.join(ARCHIVES))
        .expect("a folder")
        .map(|file| file.expect("a file").path())
        .find(|file| file.extension().is_some_and(|extension| extension == "gz"))
        .expect("an archive");
    let whole = std::fs::read(&archive).expect("it is read");
    let (middle, length) = (whole.len() / 2, whole.len());
    // Bytes of another record, noise, a gzip member that names another length, and nothing at all.
    let mut damaged = [whole.clone(), whole.clone(), whole, Vec::new()];
    damaged[0].copy_within(0..length / 4, middle);
    damaged[1][middle..]
        .iter_mut()
        .for_each(|byte| *byte = byte.wrapping_mul(7) ^ 0x5a);
    damaged[2].truncate(middle + 11);
    for (case, bytes) in damaged.iter().enumerate() {
        std::fs::write(&archive, bytes).expect("written");
        let replayed = run(SiteCrawlRequest {
            replay: Some(Replay {
                folder: path.clone(),
                run: None,
            }),
            ..request(None, &[])
        });
        assert_eq!(replayed.ending, Ending::Finished, "case {case}");
        // A page that can't be read has an outcome, and its links are not followed.
        let progress = &replayed.progress;
        assert!(progress.pages < 40, "case {case}: {progress:?}");
    }
}

#[test]
fn requests_that_can_not_be_met_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    workspace(folder.path());
    let of = |sites: &[&str], replay: Option<Option<RunId>>| {
        let sites: Vec<String> = sites.iter().map(|site| (*site).to_owned()).collect();
        let into = replay.is_none().then(|| folder.path());
        SiteCrawl::prepare(SiteCrawlRequest {
            replay: replay.map(|run| Replay {
                folder: folder.path().to_owned(),
                run,
            }),
            ..request(into, &sites)
        })
        .err()
    };
    assert!(matches!(
        of(&["ftp://a.test/"], None),
        Some(PipelineError::NotASite(_))
    ));
    assert!(matches!(
        of(&[], Some(None)),
        Some(PipelineError::NoSuchRun { run: None, .. })
    ));
    let missing = of(&[], Some(Some(RunId(7))));
    assert!(matches!(
        missing,
        Some(PipelineError::NoSuchRun {
            run: Some(RunId(7)),
            ..
        })
    ));
    let itself = SiteCrawl::prepare(SiteCrawlRequest {
        replay: Some(Replay {
            folder: folder.path().to_owned(),
            run: None,
        }),
        ..request(Some(folder.path()), &[])
    });
    assert!(matches!(itself.err(), Some(PipelineError::ReplaysItself)));
}
