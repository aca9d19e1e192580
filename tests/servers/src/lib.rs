//! Third-party servers for tests and experiments: each is installed into a cache, filled with
//! objects, and started on loopback. Its access log shows the requests that it received.
//!
//! ```no_run
//! use magpie_test_servers::{Catalogue, Kind, Server};
//!
//! # let records = Vec::new();
//! let catalogue = Catalogue::from_records(records);
//! // Prints a line and returns `None` if the server can't be installed here.
//! let Some(server) = Server::start_or_skip(Kind::Oscar, &catalogue) else { return };
//! let page = server.get(&server.kind().search_target("snow")).unwrap();
//! assert_eq!(page.status, 200);
//! assert!(server.acting_requests().is_empty());
//! ```
//!
//! `README.md` has the forms, result pages and empty pages of each server.

mod catalogue;
mod http;
mod install;
mod kind;
mod log;
mod object_store;
#[cfg(unix)]
mod pooler;
#[cfg(unix)]
mod postgres;
mod process;
mod server;

pub use catalogue::{Catalogue, Object};
pub use http::Page;
pub use install::install;
pub use kind::Kind;
pub use log::LoggedRequest;
pub use object_store::ObjectStore;
#[cfg(unix)]
pub use pooler::Pooler;
#[cfg(unix)]
pub use postgres::{Postgres, Psql, Release, SharedPostgres};
pub use server::Server;

/// Reason that a server does not run.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The server can't be installed on this machine. Tests that need it are skipped.
    #[error("{server} is missing: {reason}")]
    Missing {
        server: &'static str,
        /// Cause, and what to install.
        reason: String,
    },
    /// The server is installed but can't be filled or started. Tests that need it fail.
    #[error("can't start {server}: {reason}")]
    Broken {
        server: &'static str,
        /// Cause, with the last line of the output.
        reason: String,
    },
}
