//! The JSON lines of the commands for authors that their own modules do not have.

use std::path::PathBuf;

use magpie_kit::run::{Failure, PageRun};
use magpie_model::json::RecordView;
use magpie_model::{Judgement, VerticalInfo};
use magpie_runtime::Inspection;
use schemars::JsonSchema;
use serde::Serialize;

/// A new project.
#[derive(Serialize, JsonSchema)]
pub(crate) struct NewLine {
    /// Name of the vertical.
    pub(crate) vertical: String,
    /// Path of the project.
    pub(crate) dir: PathBuf,
}

/// A built component.
#[derive(Serialize, JsonSchema)]
pub(crate) struct BuiltLine {
    /// Path of the component.
    pub(crate) component: PathBuf,
    /// Digest of the component: `sha256:` and hexadecimal digits.
    pub(crate) digest: String,
    /// Size of the component.
    pub(crate) bytes: u64,
    /// True if nothing had to be built.
    pub(crate) fresh: bool,
}

/// The result of a check.
#[derive(Serialize, JsonSchema)]
pub(crate) struct CheckLine {
    /// Path of the component.
    pub(crate) component: PathBuf,
    /// True if the component can be used.
    pub(crate) usable: bool,
    /// Results of the checks.
    pub(crate) findings: Vec<Finding>,
    /// Remedy, or null.
    pub(crate) hint: Option<String>,
}

/// The result of one check.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Finding {
    /// State: `ok`, `warning` or `error`.
    pub(crate) state: &'static str,
    /// The result, in words.
    pub(crate) sentence: String,
}

/// A component file, and the description that its vertical gives.
#[derive(Serialize, JsonSchema)]
pub(crate) struct InspectLine {
    /// The file.
    pub(crate) file: Inspection,
    /// The vertical.
    pub(crate) description: VerticalInfo,
}

/// A recorded fixture, or one whose expectation was accepted.
#[derive(Serialize, JsonSchema)]
pub(crate) struct RecordedLine {
    /// Folder of the fixture.
    pub(crate) fixture: PathBuf,
    /// Size of the page, of `plugin record`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) bytes: Option<usize>,
    /// Records; null with `--page-only`, and if the plugin failed.
    pub(crate) objects: Option<Vec<RecordView>>,
    /// Judgement of a plugin that judges pages, or null.
    pub(crate) judgement: Option<Judgement>,
    /// Failure of the plugin, or null. After a failure no expectation is written.
    pub(crate) error: Option<Failure>,
}

impl RecordedLine {
    pub(crate) fn new(fixture: PathBuf, bytes: Option<usize>, run: Option<&PageRun>) -> RecordedLine {
        let sound = run.filter(|run| run.error.is_none());
        RecordedLine {
            fixture,
            bytes,
            objects: sound.map(PageRun::objects),
            judgement: run.and_then(|run| run.judgement.clone()),
            error: run.and_then(|run| run.error.clone()),
        }
    }
}

/// The result of a comparison, in the last line.
#[derive(Default, Serialize, JsonSchema)]
pub(crate) struct DiffSummary {
    /// Number of pages.
    pub(crate) pages: usize,
    /// Number of pages that differ.
    pub(crate) differing: usize,
    /// Number of pages that can't be read.
    pub(crate) unreadable: usize,
    /// Numbers of objects.
    pub(crate) objects: ObjectCounts,
    /// Numbers of pages that are judged differently.
    pub(crate) judgements: JudgementCounts,
}

/// Objects by the difference between two versions.
#[derive(Default, Serialize, JsonSchema)]
pub(crate) struct ObjectCounts {
    /// Objects that only the new version found.
    pub(crate) added: usize,
    /// Objects that only the old version found.
    pub(crate) removed: usize,
    /// Objects that differ.
    pub(crate) changed: usize,
    /// Objects that are the same.
    pub(crate) unchanged: usize,
}

/// Pages by the difference between the judgements of two versions.
#[derive(Default, Serialize, JsonSchema)]
pub(crate) struct JudgementCounts {
    /// Pages that only the new version accepts.
    pub(crate) accepted: usize,
    /// Pages that only the old version accepts.
    pub(crate) rejected: usize,
    /// Pages with another confidence or reason.
    pub(crate) changed: usize,
}

/// A removed component.
#[derive(Serialize, JsonSchema)]
pub(crate) struct RemovedLine {
    /// Name of the vertical.
    pub(crate) vertical: String,
    /// Removed files.
    pub(crate) files: Vec<PathBuf>,
}
