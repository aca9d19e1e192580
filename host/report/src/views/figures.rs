//! The figures of sites, with reasons to distrust their objects.

use std::collections::BTreeMap;
use std::path::PathBuf;

use magpie_engine::site::{PatternSamples, SampleObject, SiteFigures};
use magpie_matching::plausible::SuspicionKind;
use magpie_patterns::coverage::{Estimate, FormCount};
use schemars::JsonSchema;
use serde::Serialize;

use crate::sentences::figures::suspicion;
use crate::{Figures, Notice};

/// A stage of learning.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct StageLine {
    /// Name of the stage.
    pub stage: String,
    /// Result of the stage, as a sentence.
    pub did: String,
    /// Duration of the stage.
    pub seconds: f64,
    /// Values that later stages use. For the stage `crawl`, `kept.found` has the sites whose crawl
    /// ended because of `learn.until` or `focus.until`: `{SITE: {"objects", "expected"}}`, the
    /// objects that were found and the estimated number of all. `kept.strategy` is the strategy
    /// that chose each page; it is missing if kinds of pages took turns. For the stage `find` of
    /// `focus`, `kept.words` has the search by words: `queries`, `judged` and `accepted` pages,
    /// `sites`, and the `words` in the middle with their weights.
    pub kept: BTreeMap<String, serde_json::Value>,
}

/// The result of learning, in the last line.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct LearnedLine {
    /// The word `report`.
    #[schemars(extend("const" = "report"))]
    pub stage: String,
    /// Result, as a sentence.
    pub did: String,
    /// Time that the report took.
    pub seconds: f64,
    /// Path of the report.
    pub report: PathBuf,
    /// Figures of the run.
    pub figures: Figures,
    /// Figures of each site.
    pub sites: Vec<SiteFiguresView>,
}

/// The result of `report`.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ReportLine {
    /// Name of the vertical.
    pub vertical: String,
    /// Path of the report.
    pub report: PathBuf,
    /// Figures of the run.
    pub figures: Figures,
    /// Notices, the most severe first.
    pub notices: Vec<Notice>,
}

/// The figures of a site. The [glossary](glossary.md#figures) defines them.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "SiteFigures")]
pub struct SiteFiguresView {
    /// Key of the site.
    site: String,
    /// Number of known HTML pages, with URLs that were not fetched and may be pages.
    known_pages: u64,
    /// Number of known URLs behind which nothing is.
    gone_urls: u64,
    /// Number of known URLs of pictures, documents and other files.
    file_urls: u64,
    /// Number of known URLs of feeds and sitemaps.
    feed_urls: u64,
    /// Number of known URLs that redirect, fail or are not fetched.
    other_urls: u64,
    /// Number of fetched pages.
    fetched_pages: u64,
    /// Number of known pages that were never fetched.
    unfetched_pages: u64,
    /// Number of unfetched pages of forms whose fetched pages have objects.
    lookalike_pages: u64,
    /// Number of unfetched pages of forms with too few fetched pages.
    untried_pages: u64,
    /// Number of objects.
    objects: u64,
    /// Number of objects that have not expired.
    current_objects: u64,
    /// Objects expected on all known pages; null if too little was fetched.
    expected_objects: Option<Estimate>,
    /// Forms of URLs with unfetched look-alikes, the largest first.
    forms: Vec<FormCount>,
    /// Reasons to distrust the objects.
    warnings: Vec<Warning>,
    /// Some objects of each chosen pattern.
    samples: Vec<SamplesView>,
}

impl From<&SiteFigures> for SiteFiguresView {
    fn from(site: &SiteFigures) -> SiteFiguresView {
        let coverage = &site.coverage;
        SiteFiguresView {
            site: site.key.clone(),
            known_pages: coverage.known_pages,
            gone_urls: site.no_pages.gone,
            file_urls: site.no_pages.files,
            feed_urls: site.no_pages.feeds,
            other_urls: site.no_pages.others,
            fetched_pages: coverage.fetched_pages,
            unfetched_pages: coverage.unfetched_pages,
            lookalike_pages: coverage.lookalike_pages,
            untried_pages: coverage.untried_pages,
            objects: coverage.objects,
            current_objects: site.current_objects,
            expected_objects: coverage.estimate,
            forms: coverage.forms.clone(),
            warnings: Warning::of(site),
            samples: site.samples.iter().map(SamplesView::from).collect(),
        }
    }
}

/// A reason to distrust the objects of a site.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Warning {
    /// Kind of reason; the [glossary](glossary.md#figures) defines the kinds.
    #[schemars(with = "String")]
    kind: SuspicionKind,
    /// Attribute that it is about, or empty.
    attribute: String,
    /// Value that is too frequent, or empty.
    value: String,
    /// Number of objects or pages that it holds for.
    hits: u64,
    /// Number of all of them.
    of: u64,
    /// Problem, cause and remedy.
    sentence: String,
}

impl Warning {
    /// Returns the reasons to distrust the objects of a site.
    pub fn of(site: &SiteFigures) -> Vec<Warning> {
        let warning = |one: &magpie_matching::plausible::Suspicion| Warning {
            kind: one.kind,
            attribute: one.attribute.clone(),
            value: one.value.clone(),
            hits: one.hits,
            of: one.of,
            sentence: suspicion(&site.key, one),
        };
        site.suspicions.iter().map(warning).collect()
    }
}

/// Some objects of a pattern.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "PatternSamples")]
pub struct SamplesView {
    /// The pattern.
    pattern: String,
    /// Objects from pages far apart.
    objects: Vec<SampleView>,
}

impl From<&PatternSamples> for SamplesView {
    fn from(of: &PatternSamples) -> SamplesView {
        SamplesView {
            pattern: of.pattern.clone(),
            objects: of.objects.iter().map(SampleView::from).collect(),
        }
    }
}

/// An object as a sample.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "SampleObject")]
pub struct SampleView {
    /// Label of the object.
    label: String,
    /// Some of its values, by the label of the attribute.
    attributes: BTreeMap<String, String>,
    /// URL of a page that has it.
    page: String,
}

impl From<&SampleObject> for SampleView {
    fn from(sample: &SampleObject) -> SampleView {
        SampleView {
            label: sample.label.clone(),
            attributes: sample.attributes.iter().cloned().collect(),
            page: sample.page.clone(),
        }
    }
}
