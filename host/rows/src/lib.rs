//! Rows of a store, and the traits by which programs read and write them.
//!
//! A store keeps the frontier, the pages, the records and the objects of a workspace. This crate
//! defines what is kept, not how: it has no SQL and no I/O. `magpie-sqlite` implements the traits
//! in a folder.
//!
//! - [`Frontier`] and [`SiteMemory`] are what a crawl needs. [`MemoryFrontier`] implements them
//!   without a disk, for crawls that keep nothing.
//! - [`ReadStore`] is all that is read of a store and [`Store`] all that is written, each a list of
//!   traits by purpose: [`Pages`], [`Objects`], [`Learned`], [`Runs`] and others.
//! - Rows are owned, lists come in pages by key, and a call that writes is one transaction.

mod archive;
mod compact;
pub mod copy;
mod coverage;
mod crew;
mod cursor;
pub mod diff;
mod doubts;
mod error;
mod export;
mod fetch_result;
pub mod found;
mod frontier;
mod hidden;
mod history;
mod house;
mod ids;
mod known;
mod known_site;
mod learned;
mod leased;
mod links;
pub mod log;
mod memory_frontier;
pub mod numbers;
mod objects;
mod offer;
mod pages;
mod pictures;
mod readings;
mod runs;
mod search;
mod statistics;
mod store;
mod urls;
mod warehouse;
mod webhooks;
mod window;
mod words;

pub use archive::{
    ArchiveStore, Archived, ArchivedResponse, Compacted, MAX_PROBLEMS, Orphan, ReplayedPage, Verified,
};
pub use coverage::{Coverage, CoverageRow, CoverageStore, Filled};
pub use crew::{CarefulBucket, Crew, CrewJob, CrewState, CrewTask, WorkerRow};
pub use cursor::{BadCursor, Cursor};
pub use doubts::{Doubts, HeldLink};
pub use error::StoreError;
pub use export::{ExportFormat, Exported, Exports, Selection, Table};
pub use fetch_result::{
    Component, ExtractedRecord, Extraction, FetchResult, Hint, Host, Page, PageJudgement, ProbedLink,
    Receipt, Rendering, Robots, RobotsTags,
};
pub use frontier::{CrawlStore, Frontier, Requeue, SiteFacts, SiteMemory};
pub use hidden::{ArgumentRow, FormRow, Hidden, HiddenStore, QueryTemplateRow, SelectedQuery, SubmissionRow};
pub use history::{AttributeChange, Change, ChangeFilter, ChangePage, History};
pub use house::{
    ArchiveLimits, BodyPruned, Forgetting, Forgotten, HouseStore, Pruned, UrlTest, values_left, version_left,
};
pub use ids::{ObjectId, PageId, RunId, SiteId, UrlId};
pub use known::KnownSet;
pub use known_site::{Cookie, KeptUrlRule, KnownSite};
pub use learned::{
    Learned, LearnedSite, LearnedStore, PatternRow, RoundFilter, RoundRow, SelectionRow, StageRow, Watched,
};
pub use leased::{Filed, FiledOffer, LeasedSite, LeasedSites, Numbers, QueuePart, QueuePlace, Queued, weigh};
pub use links::{Anchor, Link, LinkList, PageLink, anchors_from_json, links_from_json, origin, with_origin};
/// A part of what is handed in and read.
pub use magpie_warc::{Exchange, StoreFault, Truncated};
pub use memory_frontier::MemoryFrontier;
pub use objects::{
    Catalogue, Matching, MemberFilter, MemberRow, MemberState, ObjectFilter, ObjectOnPage, ObjectOrder,
    ObjectRow, Objects, RecordRow, RecordTimes, SightingRow, StandingRow, WarehouseLink, WarehouseRow,
    WeakestLink,
};
pub use offer::{
    Counts, LastAnswer, Lease, LeaseRequest, Offer, PastFetch, PastLinks, Pending, RankedForm, Standing,
    UrlOutcome,
};
pub use pages::{
    FetchRequest, FoundByLink, FoundRecord, FoundUrl, Hinted, JudgementRow, KnownPage, PageLinks, PageRow,
    Pages, ShownPage, SiteRow, VisitRow,
};
pub use pictures::{KeptPicture, PictureCopy, PictureCount, PictureRow, PictureStore, Pictures};
pub use readings::{PageReading, Readings, SiteNews, SourcedRecord, Sources};
pub use runs::{RunRow, RunStore, RunTotals, Runs, Spent};
pub use search::{
    Count, Facet, FacetValue, MAX_COUNTED, ObjectDetail, Search, SearchOptions, SearchOrder, SearchPage,
    SortKey, Source, ValueSources,
};
pub use statistics::{
    ComponentTotals, ExtractionRow, FailedPage, Statistics, Status, ViolatingPage, ViolationTotals,
};
pub use store::{ReadStore, Store};
pub use urls::{
    FoundOn, ListedUrl, MAX_EXPLAINED_PAGES, MAX_WAY_LEN, UrlExplanation, UrlFilter, UrlPage, Urls,
};
pub use warehouse::{
    AddressRow, Batch, FoundPage, FoundPages, Marks, MergedObject, NewMember, PageAnchors, PreparedMember,
    Reassignment, Rebuild, RecordPage, Seen, Warehouse, WarehouseTotals,
};
pub use webhooks::{
    Alert, AlertPosition, AlertRow, Position, WebhookRow, WebhookStore, Webhooks, alert_changes,
};
pub use words::{
    AlertKind, ArgumentKind, ChangeKind, FormSource, HintSource, MatcherKind, ObjectState, PictureProblem,
    PrunedBy, RobotsEffect, RoundMethod, RoundState, RunKind, RunOutcome, SelectionStrategy,
    SubmissionOutcome, TemplateState, UrlSource, UrlState,
};
