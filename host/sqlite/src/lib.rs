//! Workspaces in SQLite: a folder with a database and WARC archives.
//!
//! - [`Workspace`] is open for writing. It implements all traits of a
//!   [`Store`](magpie_rows::Store): workers lease sites, take URLs and commit their results.
//!   Acknowledged results survive a crash, others leave no trace.
//! - [`Reader`] reads committed data, also while a crawl runs.
//!
//! Only this crate contains SQL.

mod column;
mod copy;
mod coverage;
mod error;
mod export;
mod hidden;
mod history;
mod learned;
mod opened;
mod pages;
mod pictures;
mod read;
mod reader;
mod search;
mod vocabularies;
mod warehouse;
mod webhooks;
mod workspace;
mod writer;

pub use copy::CopiedFolder;
pub use magpie_archive::StoreOptions;
pub use magpie_export::{Column, ColumnKind, columns, columns_page};
pub use magpie_warc::ArchiveSettings;
pub use opened::Opened;
pub use reader::Reader;
pub use workspace::Workspace;
pub use workspace::connect::{ARCHIVES, create_private, round_trips};
pub use workspace::lock::workspace_holder;
pub use workspace::options::{BatchLimits, OnCommit, OnDamage, WorkspaceOptions};
pub use workspace::recover::Recovery;
pub use workspace::schema::schema_page;
