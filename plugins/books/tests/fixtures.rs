//! Runs the fixtures on the host, without WebAssembly.

use std::path::Path;

mod support;

#[test]
fn every_fixture_is_read_and_clustered_as_written_down() {
    support::check_all::<books::Books>(&Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures"));
}
