//! `plugin test --accept`: what a plugin finds on a saved page, and its judgement, become what is
//! expected of it.

use std::path::Path;

use magpie_model::Record;
use magpie_runtime::Plugin;

use crate::fixture::{self, FixtureProblem, expectation, save_expected};
use crate::run::{PageRun, run_page};

/// Writes the objects that a plugin finds on the page of a fixture as its expectation, replacing
/// the old one; ignored attributes stay ignored. Nothing is written if the plugin fails, which the
/// run reports.
pub fn accept(plugin: &Plugin, folder: &Path) -> Result<PageRun, FixtureProblem> {
    if fixture::words_of(folder)?.is_some() {
        return Err(FixtureProblem::new(
            folder,
            "a template is expected to give the same in each language: write its expected.json by hand",
        ));
    }
    let page = fixture::load_page(folder)?;
    let old = fixture::load_expected(folder)?.unwrap_or_default();
    let run = run_page(plugin, page).of_fixture();
    if run.error.is_none() {
        let found: Vec<_> = run.records.iter().map(Record::to_json).collect();
        let mut expected = expectation(&found, run.judgement.as_ref());
        expected.ignore = old.ignore;
        // A reason is compared only where the author has stated one. The expectation keeps that
        // choice.
        let has_reason = old.judgement.is_some_and(|judgement| judgement.reason.is_some());
        if let (true, Some(new), Some(judgement)) = (has_reason, &mut expected.judgement, &run.judgement) {
            new.reason = Some(judgement.reason.clone());
        }
        for object in &mut expected.objects {
            object
                .attributes
                .retain(|name, _| !expected.ignore.contains(name));
        }
        save_expected(&expected, plugin.info(), folder, true)?;
    }
    Ok(run)
}
