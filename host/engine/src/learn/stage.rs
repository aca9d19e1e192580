//! The stages of learning, in their order, and what each leaves for the next.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::str::FromStr;

use magpie_model::{CanonicalUrl, word_or_empty, words};
use magpie_rows::{MatcherKind, StageRow};
use magpie_search::Expansion;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::crawl::FoundShare;
use crate::warehouse;

words! {
    /// A stage of learning.
    pub enum Stage as "stage of learning" {
        /// Finds the sites that are named, or that a search engine knows for the seeds.
        Find = "find",
        /// Crawls the first sites that were found.
        Sample = "sample",
        /// Finds more sites by the objects of the first ones.
        Expand = "expand",
        /// Crawls all sites.
        Crawl = "crawl",
        /// Asks search forms for objects that no link leads to.
        Surface = "surface",
        /// Clusters the records into objects.
        Cluster = "cluster",
        /// Makes URL patterns of the pages.
        Patterns = "patterns",
        /// Selects the patterns that are worth their pages.
        Select = "select",
        /// Makes the navigations that lead to the selected patterns.
        Navigate = "navigate",
    }
}

/// The result of a stage, as later stages and reports use it.
#[derive(Clone, Debug)]
pub enum StageOutcome {
    /// The outcome of [`Stage::Find`].
    Find(Box<SitesFound>),
    /// The outcome of [`Stage::Sample`]; none if the sites were named.
    Sample(Option<SitesCrawled>),
    /// The outcome of [`Stage::Expand`].
    Expand(SitesExpanded),
    /// The outcome of [`Stage::Crawl`].
    Crawl(SitesCrawled),
    /// The outcome of [`Stage::Surface`]; none if no form may be asked.
    Surface(Option<FormsAsked>),
    /// The outcome of [`Stage::Cluster`].
    Cluster(RecordsClustered),
    /// The outcome of [`Stage::Patterns`].
    Patterns(PatternsMade),
    /// The outcome of [`Stage::Select`].
    Select(PatternsSelected),
    /// The outcome of [`Stage::Navigate`].
    Navigate(NavigationsMade),
}

/// The sites to begin with.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct SitesFound {
    /// The fingerprint of the beginning.
    pub begun_with: Value,
    /// A search engine was asked.
    pub search: bool,
    /// The first pages of the sites.
    pub sites: Vec<String>,
    /// The first pages of sites that were named without a scheme.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub bare: Vec<String>,
    /// Sites that were named before, never learned, and are left out from now on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<String>,
    /// The number of other sites that were learned before and stay.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub others: usize,
    /// The search engine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub engine: Option<String>,
    /// The state of the expansion, for the stage that continues it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expansion: Option<Expansion>,
    /// Pages below which sites can be entered besides their first pages.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ways_in: Vec<String>,
    /// The page by which each site was found first, by origin.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub pages: BTreeMap<String, String>,
    /// The search by words, if the sites were found by one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub words: Option<WordSearch>,
    /// The strategy that chooses every page of a focused crawl.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub strategy: Option<String>,
}

/// A search for pages by words.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct WordSearch {
    /// The number of queries that were sent.
    pub queries: u32,
    /// Pages that were judged.
    pub judged: usize,
    /// Pages that were accepted.
    pub accepted: usize,
    /// Sites with accepted pages.
    pub sites: usize,
    /// The reason for which no more queries were asked.
    pub reason: String,
    /// The words in the middle of the weights, each with its weight: the first queries were made of
    /// them.
    pub words: Vec<(String, f64)>,
}

/// The sites to learn.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct SitesExpanded {
    /// The first pages of the sites.
    pub sites: Vec<String>,
    /// The first pages of sites that were named without a scheme.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub bare: Vec<String>,
    /// Pages below which sites can be entered besides their first pages.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ways_in: Vec<String>,
    /// The number of queries over all; none if no search engine was asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub queries: Option<u32>,
    /// The number of objects of the sampled sites that queries were made of.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub objects: usize,
    /// The number of sites that queries led to.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub known_sites: usize,
    /// The estimated chance that a further query changes the wanted sites.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chance: Option<f64>,
    /// The reason for which no more queries were asked.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reason: String,
}

/// A crawl of sites.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct SitesCrawled {
    /// The number of the run that fetched the pages.
    pub run: i64,
    /// Pages of the run, also those that were fetched before it was interrupted.
    pub pages: u64,
    /// Bytes of their bodies.
    pub bytes: u64,
    /// Records on them.
    pub records: u64,
    /// The number of sites that were crawled.
    pub sites: usize,
    /// Sites that can't be reached, each with the cause.
    #[serde(default)]
    pub unreached: BTreeMap<String, String>,
    /// Sites that were left because the wanted share of their objects is found (`learn.until`).
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub found: BTreeMap<String, FoundShare>,
    /// The strategy that chose every page; none where kinds of pages took turns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub strategy: Option<String>,
    /// The state of the queue, if nothing was fetched now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idle: Option<Idle>,
}

/// The queue of a crawl that fetched nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Idle {
    /// Known URLs.
    pub known: u64,
    /// Queued URLs.
    pub queued: u64,
    /// Fetched URLs.
    pub fetched: u64,
    /// URLs that failed or were refused.
    pub failed: u64,
    /// Sites with queued URLs, and what they wait for.
    pub waiting: Vec<(String, String)>,
}

/// Search forms that were asked.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct FormsAsked {
    /// Templates of forms that were tried.
    pub templates: usize,
    /// Templates that work.
    pub working: usize,
    /// Requests to them over all runs.
    pub requests: u64,
    /// Pages that were fetched now, with those that results lead to.
    pub pages: u64,
    /// Objects that their results have shown, counted at every template.
    pub objects: u64,
}

/// Records that were clustered.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct RecordsClustered {
    /// Records that were read.
    pub records: u64,
    /// Records that were not known before.
    pub new_records: u64,
    /// Objects over all.
    pub objects: u64,
    /// Pages with these records.
    #[serde(default)]
    pub pages: u64,
    /// The matcher that compared the records.
    #[serde(default, with = "word_or_empty")]
    pub matcher: Option<MatcherKind>,
}

/// Patterns that were made.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct PatternsMade {
    /// Sites with objects.
    pub sites: usize,
    /// Pages that were fetched of all sites.
    pub pages: usize,
    /// Pages with objects.
    pub yielding: usize,
    /// Patterns of the pages with objects.
    pub patterns: usize,
    /// Objects only on pages that no link from a site's entry page, no sitemap, no feed and no
    /// search leads to. Rounds do not reach them.
    pub unreached: usize,
    /// The share of pages with objects that patterns made without them match, over all sites; none
    /// if the sites were too small.
    pub recall: Option<f64>,
    /// Pages with objects that were kept from the patterns.
    pub held_out: usize,
    /// The share of pages so matched that have objects.
    pub precision: Option<f64>,
    /// Pages so matched.
    pub matched: usize,
    /// Sites without objects: nothing more is collected from them.
    pub without_objects: Vec<String>,
    /// Explanations of sites without objects by the answers for their first pages.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub reasons: BTreeMap<String, String>,
}

/// The selection of patterns.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct PatternsSelected {
    /// Selected patterns.
    pub patterns: usize,
    /// Patterns that could be selected.
    pub candidates: usize,
    /// Selected queries of search forms.
    #[serde(default)]
    pub queries: usize,
    /// Queries that could be selected, each with one or more numbers of pages.
    #[serde(default)]
    pub query_candidates: usize,
    /// Sites with selected patterns.
    pub sites: usize,
    /// Cost in pages of an average week, by which selections are compared. A round fetches another
    /// number of pages.
    pub cost: f64,
    /// Objects on pages of selected patterns.
    pub covered: f64,
    /// Objects on pages of all patterns.
    pub coverable: f64,
    /// The distance to the best selection, at most.
    pub gap: f64,
    /// The interval of the covered objects, given the doubts about matches.
    pub interval: (f64, f64),
    /// The method, in words.
    #[serde(default)]
    pub strategy: String,
    /// The gap is one of covered objects, and not of cost.
    #[serde(default)]
    pub gap_of_objects: bool,
}

/// The navigations that were made, and the rounds that follow from them.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct NavigationsMade {
    /// Sites with a navigation.
    pub sites: usize,
    /// Sites whose sitemaps and feeds are read in every round.
    pub mapped: usize,
    /// Hubs of all sites.
    pub hubs: usize,
    /// Objects that the navigations reach, counted at every site.
    pub reached: usize,
    /// Objects that can be reached, counted at every site.
    pub reachable: usize,
    /// Paths of edited navigations that were kept beside the new ones.
    #[serde(skip)]
    pub kept: Vec<PathBuf>,
    /// Pages of a round that begins now.
    pub round_pages: u64,
}

impl NavigationsMade {
    /// Adds those of other sites.
    pub(crate) fn add(&mut self, other: NavigationsMade) {
        self.sites += other.sites;
        self.mapped += other.mapped;
        self.hubs += other.hubs;
        self.reached += other.reached;
        self.reachable += other.reachable;
        self.kept.extend(other.kept);
    }
}

impl StageOutcome {
    /// Returns the stage that has this outcome.
    pub fn stage(&self) -> Stage {
        match self {
            StageOutcome::Find(_) => Stage::Find,
            StageOutcome::Sample(_) => Stage::Sample,
            StageOutcome::Expand(_) => Stage::Expand,
            StageOutcome::Crawl(_) => Stage::Crawl,
            StageOutcome::Surface(_) => Stage::Surface,
            StageOutcome::Cluster(_) => Stage::Cluster,
            StageOutcome::Patterns(_) => Stage::Patterns,
            StageOutcome::Select(_) => Stage::Select,
            StageOutcome::Navigate(_) => Stage::Navigate,
        }
    }

    /// The outcome as the workspace keeps it and programs get it.
    pub fn to_json(&self) -> Value {
        let json = match self {
            StageOutcome::Find(outcome) => serde_json::to_value(outcome),
            StageOutcome::Sample(None) | StageOutcome::Surface(None) => Ok(json!({})),
            StageOutcome::Surface(Some(outcome)) => serde_json::to_value(outcome),
            StageOutcome::Sample(Some(outcome)) | StageOutcome::Crawl(outcome) => {
                serde_json::to_value(outcome)
            }
            StageOutcome::Expand(outcome) => serde_json::to_value(outcome),
            StageOutcome::Cluster(outcome) => serde_json::to_value(outcome),
            StageOutcome::Patterns(outcome) => serde_json::to_value(outcome),
            StageOutcome::Select(outcome) => serde_json::to_value(outcome),
            StageOutcome::Navigate(outcome) => serde_json::to_value(outcome),
        };
        json.unwrap_or_default()
    }

    /// Reads the outcome that a row keeps. Returns `None` for rows of older versions that kept
    /// less.
    pub fn of_row(row: &StageRow) -> Option<StageOutcome> {
        let stage = Stage::from_str(&row.name).ok()?;
        let kept = row.kept.as_str();
        Some(match stage {
            Stage::Find => StageOutcome::Find(serde_json::from_str(kept).ok()?),
            Stage::Sample => StageOutcome::Sample(serde_json::from_str(kept).ok()),
            Stage::Expand => StageOutcome::Expand(serde_json::from_str(kept).ok()?),
            Stage::Crawl => StageOutcome::Crawl(serde_json::from_str(kept).ok()?),
            Stage::Surface => StageOutcome::Surface(serde_json::from_str(kept).ok()),
            Stage::Cluster => StageOutcome::Cluster(serde_json::from_str(kept).ok()?),
            Stage::Patterns => StageOutcome::Patterns(serde_json::from_str(kept).ok()?),
            Stage::Select => StageOutcome::Select(serde_json::from_str(kept).ok()?),
            Stage::Navigate => StageOutcome::Navigate(serde_json::from_str(kept).ok()?),
        })
    }
}

impl From<warehouse::Report> for RecordsClustered {
    fn from(report: warehouse::Report) -> Self {
        RecordsClustered {
            records: report.records,
            new_records: report.new_members,
            objects: report.objects,
            pages: report.pages,
            matcher: report.matcher,
        }
    }
}

/// The first pages of sites, as URLs.
pub(super) fn urls(texts: &[String]) -> Vec<CanonicalUrl> {
    texts
        .iter()
        .filter_map(|url| CanonicalUrl::trusted(url.as_str()))
        .collect()
}

pub(super) fn texts(urls: &[CanonicalUrl]) -> Vec<String> {
    urls.iter().map(|url| url.as_str().to_owned()).collect()
}

fn is_zero(number: &usize) -> bool {
    *number == 0
}
