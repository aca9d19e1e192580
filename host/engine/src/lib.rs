//! The pipelines, and the settings they run by.
//!
//! A [`Session`] is a workspace opened for work on one vertical. Operations on it are
//! [`learn`](learn::learn), [`recrawl`](recrawl::recrawl) and a [`cycle`](watch::cycle) of a watch.
//! They take a request, report progress to an [`Observer`], and return a typed outcome; sentences
//! for people are made by the program that shows them.

#![warn(missing_docs)]

pub mod browser;
pub mod crawl;
pub mod focus;
pub mod learn;
pub mod reading;
pub mod recrawl;
pub mod rendering_rules;
pub mod settings;
pub mod site;
pub mod surface;
pub mod warehouse;
pub mod watch;

mod checkout;
mod client;
mod clock;
mod comparing;
mod copy;
mod crawl_log;
mod crew;
mod error;
mod files;
mod filters;
mod forgotten;
mod house;
mod inspect;
mod metrics;
mod observer;
mod opened;
mod pictures;
mod prune;
mod robots;
mod session;
mod source;
mod verticals;
mod worker;

pub use checkout::{
    check_in_all, check_out, check_out_for_copy, create_on_server, is_checkout, is_on_server,
    is_workspace_file, sync, workspace_files, workspace_name,
};
pub use client::{
    ClientError, can_fetch, canonicaliser, canonicaliser_knowing, client_settings, proof, proof_of_order,
};
pub use clock::Clock;
pub use copy::{CopyEvent, copied_workspace, copy_files, copy_workspace};
pub use crawl_log::{CrawlLine, CrawlLog};
pub use error::PipelineError;
pub use files::{put_file, write_file};
pub use forgotten::{ForgottenEntry, Target as ForgetTarget, forgotten_reason, is_forgotten};
pub use house::forget;
pub use inspect::{Inspection, JudgedLink, PageSummary, RenderedInspection, inspect, inspect_rendered};
pub use learn::{LearnRequest, learn};
/// Files in object stores, and their credentials.
pub use magpie_archive::{Archives, StoreUrl, use_variables};
/// The result of [`canonicaliser`].
pub use magpie_discovery::Canonicaliser;
pub use metrics::Metrics;
pub use observer::{Event, Observer};
pub use opened::{
    check_writable, create_workspace, open_for_check, open_limited_reader, open_reader, open_workspace,
    workspace_holder,
};
pub use pictures::PicturesFetched;
pub use prune::prune;
pub use recrawl::recrawl;
pub use session::{CrawlRequest, Crawled, FOLDERS, Session, SessionOptions, Stop, VERTICALS, runtime};
pub use settings::Resolved;
pub use site::{Replay, SiteCrawl, SiteCrawlRequest, SitesCrawled};
pub use source::{Archive, Clients, Source, for_archive};
pub use verticals::{Verticals, VerticalsError, limits, option_value};
pub use worker::{Order, Worker};
