//! Storage of pages: the workspace, its archives, and reading both.
//!
//! - [`Workspace`] is a folder with a SQLite database and WARC archives. It is a [`Frontier`]:
//!   workers lease sites, take URLs and commit their results. Acknowledged results survive a crash,
//!   others leave no trace.
//! - [`MemoryFrontier`] is the same without a disk.
//! - [`Reader`] reads a workspace: why a URL was not fetched, the content of a page, totals.
//! - [`Requeue`], [`SiteMemory`], [`SiteFacts`], [`Pages`], [`Objects`], [`Catalogue`],
//!   [`Warehouse`], [`Learned`], [`LearnedStore`], [`Hidden`], [`HiddenStore`], [`Runs`] and
//!   [`RunStore`] are the other traits by which pipelines read and write a store. [`ReadStore`] is
//!   all for reading, [`Store`] all of them, and [`MemoryStore`] implements them without a disk.
//! - [`Search`] finds objects by a query of [`magpie_query`], [`History`] reads the log of their
//!   changes, and [`Coverage`] tells which attributes the records of a site have.
//! - [`export`](export()) writes pages, links and objects as JSONL, CSV or Parquet.
//!
//! Only this crate contains SQL.

mod column;
mod coverage;
mod error;
mod export;
mod fetch_result;
mod frontier;
mod hidden;
mod history;
mod learned;
mod memory;
mod pages;
mod read;
mod search;
mod warehouse;
mod webhooks;
mod words;
mod workspace;
mod writer;

pub use coverage::{Coverage, CoverageRow, CoverageStore, Filled};
pub use error::StoreError;
pub use export::{
    Column, ColumnKind, ExportFormat, Exported, Selection, Table, columns, columns_page, export,
    export_selection, export_stream, put_file,
};
pub use fetch_result::{
    Component, ExtractedRecord, Extraction, FetchResult, Hint, Host, Link, LinkList, Page, PageId,
    PageJudgement, ProbedLink, Receipt, Rendering, Robots, RunId, SiteId, UrlId,
};
pub use frontier::{
    Counts, CrawlStore, Frontier, KnownSet, KnownSite, LastAnswer, Lease, LeaseRequest, MemoryFrontier,
    Offer, PastFetch, PastLinks, Pending, RankedForm, Requeue, SiteFacts, SiteMemory, Standing, UrlOutcome,
};
pub use hidden::{ArgumentRow, FormRow, Hidden, HiddenStore, QueryTemplateRow, SelectedQuery, SubmissionRow};
pub use history::{AttributeChange, Change, ChangeFilter, ChangeKind, ChangePage, History, ObjectState};
pub use learned::{
    FoundByLink, Hinted, KnownPage, Learned, LearnedSite, LearnedStore, PageLinks, PatternRow, RoundFilter,
    RoundRow, RunTotals, SelectionRow, Spent, StageRow, VisitRow, Watched,
};
/// Positions in the log of changes and in hits.
pub use magpie_query::{BadCursor, ChangeCursor, SearchCursor};
/// A part of what is handed in and read.
pub use magpie_warc::{ArchiveSettings, Exchange, Truncated};
pub use memory::MemoryStore;
pub use pages::{FetchRequest, Pages, ReadStore, RunStore, Runs, Store};
pub use read::{
    ArchivedResponse, ComponentTotals, ExtractionRow, FoundOn, FoundRecord, FoundUrl, JudgementRow,
    ListedUrl, PageRow, Reader, ReplayedPage, RunRow, SiteRow, Status, UrlExplanation, UrlFilter,
    ViolatingPage, ViolationTotals,
};
pub use search::{
    Count, Facet, FacetValue, MAX_COUNTED, ObjectDetail, Search, SearchOptions, SearchOrder, SearchPage,
    SortKey, Source, ValueSources,
};
pub use warehouse::{
    Batch, Catalogue, FoundPage, FoundPages, Matching, MemberFilter, MemberRow, MemberState, MergedObject,
    NewMember, ObjectFilter, ObjectId, ObjectOnPage, ObjectOrder, ObjectRow, Objects, PreparedMember,
    Reassignment, Rebuild, RecordRow, RecordTimes, Seen, SightingRow, StandingRow, Warehouse, WarehouseLink,
    WarehouseRow, WarehouseTotals,
};
pub use webhooks::{Alert, AlertPosition, AlertRow, Position, WebhookRow, WebhookStore, Webhooks};
pub use words::{
    AlertKind, ArgumentKind, FormSource, HintSource, MatcherKind, RobotsEffect, RoundMethod, RoundState,
    RunKind, RunOutcome, SelectionStrategy, SubmissionOutcome, TemplateState, UrlSource, UrlState,
};
pub use workspace::{
    ARCHIVES, BatchLimits, Cookie, KeptUrlRule, OnCommit, OnDamage, Recovery, Verified, Workspace,
    WorkspaceOptions, create_private, round_trips, schema_page, workspace_holder,
};
