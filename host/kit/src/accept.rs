//! `plugin test --accept`: what a plugin finds on a saved page becomes what is expected of it.

use std::path::Path;

use magpie_model::Record;
use magpie_runtime::Plugin;

use crate::fixture::{self, FixtureProblem, expectation, save_expected};
use crate::run::{PageRun, run_page};

/// Writes the objects that a plugin finds on the page of a fixture as its expectation, replacing
/// the old one; ignored attributes stay ignored. Nothing is written if the plugin fails, which the
/// run reports.
pub fn accept(plugin: &Plugin, folder: &Path) -> Result<PageRun, FixtureProblem> {
    let page = fixture::load_page(folder)?;
    let ignore = fixture::load_expected(folder)?.map(|expected| expected.ignore);
    let run = run_page(plugin, page).of_fixture();
    if run.error.is_none() {
        let found: Vec<_> = run.records.iter().map(Record::to_json).collect();
        let mut expected = expectation(&found);
        expected.ignore = ignore.unwrap_or_default();
        for object in &mut expected.objects {
            object
                .attributes
                .retain(|name, _| !expected.ignore.contains(name));
        }
        save_expected(&expected, plugin.info(), folder, true)?;
    }
    Ok(run)
}
