//! A vertical of two components by different authors: one finds objects, the other clusters them.

use magpie_engine::learn::{Beginning, LearnRequest, NamedSite, StageOutcome, learn};
use magpie_engine::settings::{Layer, Origin, Resolved};
use magpie_engine::{Clock, Session, SessionOptions, Stop, VERTICALS};
use magpie_model::CanonicalUrl;
use magpie_rows::ObjectFilter;
use magpie_sqlite::{Workspace, WorkspaceOptions};
use magpie_test_support::server::{Site, tree};

#[test]
fn a_vertical_may_be_an_extractor_and_a_clusterer() {
    let site = Site::start(tree(40));
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path().join("workspace");
    let workspace = Workspace::create(&folder, &WorkspaceOptions::default());
    workspace.expect("a workspace").close().expect("closed");
    let verticals = folder.join(VERTICALS);
    std::fs::create_dir_all(&verticals).expect("a folder");
    // The one that names a part of the schema comes first.
    std::fs::copy(magpie_tests::guest("only-clusters"), verticals.join("a.wasm")).expect("copied");
    std::fs::copy(magpie_tests::guest("ordinary"), verticals.join("b.wasm")).expect("copied");
    let text = "network.allow_addresses = [\"127.0.0.0/8\"]\npoliteness.delay = \"0s\"\n\
        politeness.autothrottle = false\n";
    let layer = Layer::file(&Origin::Default, text).expect("settings");
    let options = SessionOptions {
        settings: Resolved::new(&[layer]).expect("settings"),
        vertical: None,
        cache: None,
        program: "test".to_owned(),
        clock: Clock::default(),
        stop: Stop::default(),
    };
    let session = Session::open(&folder, options).expect("a session");
    let plugin = session.plugin().expect("a component");
    assert!(plugin.extracts(), "the extractor describes the vertical");
    assert_eq!(plugin.info().attributes.len(), 2, "the schema is the extractor's");

    let url = site.url("/");
    let named = NamedSite {
        home: CanonicalUrl::trusted(url.as_str()).expect("a URL"),
        text: url,
    };
    let request = LearnRequest {
        beginning: Some(Beginning::Sites(vec![named])),
        ..LearnRequest::default()
    };
    let learned = learn(&session, &request, &mut ()).expect("it learns");
    let learned = learned.expect("it was not stopped");
    assert!(
        matches!(learned.stages.last(), Some(StageOutcome::Navigate(_))),
        "{:?}",
        learned.stages
    );
    let mut labels = Vec::new();
    let reader = session.store();
    let all = ObjectFilter::default();
    let read = reader.objects(&all, &mut |object| {
        labels.push(object.label);
        std::ops::ControlFlow::Continue(())
    });
    read.expect("objects");
    assert_eq!(labels.len(), 40);
    let is_clustered = |label: &String| label.ends_with(", as clustered");
    assert!(labels.iter().all(is_clustered), "{labels:?}");
}
