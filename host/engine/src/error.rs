//! Reasons for which an operation ends early.

use std::collections::BTreeMap;
use std::path::PathBuf;

use magpie_rows::{Counts, RunId, StoreError};
use magpie_search::SearchError;
use magpie_values::Timestamp;

use crate::crawl::CrawlError;
use crate::learn::PatternsMade;
use crate::reading::ReadingError;
use crate::site::SiteError;
use crate::warehouse::WarehouseError;
use crate::{ClientError, VerticalsError};

/// A reason for which an operation ends early. The workspace keeps what was done before.
#[derive(Debug, thiserror::Error)]
pub enum PipelineError {
    /// The workspace can't be read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A crawl can't begin or continue.
    #[error(transparent)]
    Crawl(#[from] CrawlError),
    /// A step of learning or recrawling failed.
    #[error(transparent)]
    Site(#[from] SiteError),
    /// The reading of a site can't be used or kept.
    #[error(transparent)]
    Reading(#[from] ReadingError),
    /// Records can't be clustered.
    #[error(transparent)]
    Warehouse(#[from] WarehouseError),
    /// The verticals can't be loaded.
    #[error(transparent)]
    Verticals(#[from] VerticalsError),
    /// The settings of the HTTP client can't be used.
    #[error(transparent)]
    Client(#[from] ClientError),
    /// A crawl for workers can't be read.
    #[error("the crawl that waits for workers can't be read: {0}")]
    Order(String),
    /// A worker has other components than the process that opened the crawl.
    #[error(
        "the components here are not those of the command that opened the work in {workspace}: they were replaced \
         meanwhile, or this machine leaves some out; give the command again"
    )]
    OtherComponents {
        /// The name of the workspace.
        workspace: String,
    },
    /// The threads of the runtime can't be started.
    #[error("can't start threads: {0}")]
    Threads(std::io::Error),
    /// A site was named in a way that means no page; a sentence has the reason.
    #[error("{0}")]
    NotASite(String),
    /// No site was named, and no URL is queued.
    #[error("nothing is queued")]
    NothingQueued {
        /// The number of URLs that recrawls and budgets have put aside.
        held: u64,
    },
    /// A workspace was to be replayed into itself.
    #[error("a workspace can't be replayed into itself")]
    ReplaysItself,
    /// The run that is to be replayed is not there.
    #[error("{} has no {}", .folder.display(), .run.map_or("runs to replay".to_owned(), |run| format!("run {}", run.0)))]
    NoSuchRun {
        /// The folder of the workspace.
        folder: PathBuf,
        /// The run, if one was named.
        run: Option<RunId>,
        /// The runs that are there.
        known: Vec<RunId>,
    },
    /// The components of verticals can't be copied into the workspace.
    #[error("can't copy the components into {}: {cause}", .folder.display())]
    Copy {
        /// The folder of the verticals.
        folder: PathBuf,
        /// The error of the file system.
        cause: std::io::Error,
    },
    /// The folder of verticals has none that can be used.
    #[error("there is no vertical in {}{}", .folder.display(), listed(.notices))]
    NoVertical {
        /// The folder of the verticals.
        folder: PathBuf,
        /// The reasons for which files in it can't be used.
        notices: Vec<String>,
    },
    /// The vertical that was named is not there.
    #[error("there is no vertical `{name}` in {}{}", .folder.display(), listed(.notices))]
    UnknownVertical {
        /// The name as it was given.
        name: String,
        /// The folder of the verticals.
        folder: PathBuf,
        /// The verticals that are there.
        known: Vec<String>,
        /// The reasons for which other files can't be used.
        notices: Vec<String>,
    },
    /// Several verticals are there, and none was named.
    #[error("there are several verticals and none was named: {}", .known.join(", "))]
    AmbiguousVertical {
        /// Their names.
        known: Vec<String>,
    },
    /// Neither sites nor seeds were named, now or before.
    #[error("no seeds or sites given")]
    NothingToBeginWith,
    /// No query can be made from the seeds.
    #[error("no seed has an attribute to search for")]
    NothingToSearchFor,
    /// The settings of the search engine can't be used.
    #[error("{0}")]
    SearchSettings(String),
    /// The search engine gave no answer.
    #[error("the search failed: {0}")]
    SearchFailed(SearchError),
    /// The search engine found no site for any of the seeds.
    #[error("{engine} found no site for any of {seeds} seeds")]
    NoSiteFound {
        /// The name of the search engine.
        engine: String,
        /// The number of seeds that queries were made of.
        seeds: usize,
    },
    /// The samples have no words.
    #[error("the samples have no words to search for")]
    NoWords,
    /// The vertical accepts none of the pages that were found by words.
    #[error("none of {judged} pages that {engine} found by {queries} queries is accepted")]
    NoPageAccepted {
        /// The name of the search engine.
        engine: String,
        /// The number of queries that were sent.
        queries: u32,
        /// The pages that were fetched and judged.
        judged: usize,
    },
    /// None of the sites can be reached.
    #[error("no site can be reached: {}", unreached(.0))]
    Unreached(BTreeMap<String, String>),
    /// No page has an object.
    #[error("no object of {vertical} was found on {} pages", .made.pages)]
    NoObjects {
        /// The vertical that was worked on.
        vertical: String,
        /// The sites without objects, and their pages.
        made: Box<PatternsMade>,
        /// The URLs of the workspace by state.
        counts: Counts,
    },
    /// Nothing was learned that could be recrawled.
    #[error("no site of {vertical} was learned yet")]
    NothingLearned {
        /// The vertical that was worked on.
        vertical: String,
    },
    /// A round would take for new what earlier runs found.
    #[error("it is {now}, but run {} began later, at {began}", .run.0)]
    BeforeLastRun {
        /// The time of the session.
        now: Timestamp,
        /// The run that began last.
        run: RunId,
        /// When it began.
        began: Timestamp,
    },
    /// All sites are left out, since their navigations can't be used.
    #[error("no site can be recrawled: {}", .0.join("; "))]
    AllLeftOut(Vec<String>),
}

fn listed(notices: &[String]) -> String {
    match notices {
        [] => String::new(),
        notices => format!(": {}", notices.join("; ")),
    }
}

fn unreached(sites: &BTreeMap<String, String>) -> String {
    let sites: Vec<String> = sites
        .iter()
        .map(|(site, why)| format!("{site} ({why})"))
        .collect();
    sites.join(", ")
}

impl PipelineError {
    /// Returns true if another process has the site now that the work was on.
    pub(crate) fn is_lease_over(&self) -> bool {
        matches!(
            self,
            PipelineError::Store(StoreError::LeaseOver { .. })
                | PipelineError::Crawl(CrawlError::Store(StoreError::LeaseOver { .. }))
        )
    }
}
