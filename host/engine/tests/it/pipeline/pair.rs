//! A vertical of two components by different authors: one finds objects, the other clusters them.

use magpie_engine::learn::{LearnRequest, StageOutcome, learn};
use magpie_rows::ObjectFilter;
use magpie_test_support::server::{Site, tree};
use magpie_tests::{LOOPBACK, TestWorkspace};

#[test]
fn a_vertical_may_be_an_extractor_and_a_clusterer() {
    let site = Site::start(tree(40));
    // The one that names a part of the schema comes first.
    let components = ["only-clusters", "ordinary"].map(magpie_tests::guest);
    let workspace = TestWorkspace::new(&components, LOOPBACK);
    let session = workspace.open();
    let plugin = session.plugin().expect("a component");
    assert!(plugin.extracts(), "the extractor describes the vertical");
    assert_eq!(plugin.info().attributes.len(), 2, "the schema is the extractor's");

    let request = LearnRequest::sites([site.url("/")]).expect("a URL");
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
