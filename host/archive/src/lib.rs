//! The archive of a workspace: WARC files in its folder, or in an object store.
//!
//! [`Archives`] reads and writes them by name. A name without a scheme is a file in the folder of
//! the workspace, where one file grows; an address such as `s3://bucket/prefix/…` is a file in a
//! store, which is written once and never changed. So an archive may lie in several places, and
//! readers need no settings.
//!
//! Calls wait, from any thread. [`use_variables`] gives the process its credentials.
//!
//! A store of rows decides where a page's body is by [`Bodies`], reads it by [`replays`], and tends
//! its archives by [`compact`], [`rewrite`], [`orphans`] and [`check_records`]. It only has to find
//! rows.

mod address;
mod archives;
mod bodies;
mod cache;
mod check;
mod client;
mod replay;
mod rewrite;
mod segments;
mod store;
mod tend;

pub use address::StoreUrl;
pub use archives::{Archives, Part};
pub use bodies::{Bodies, BodyPlace, KnownBodies, KnownBody, NewBody, requested_url};
pub use check::{Expected, check_records};
pub use replay::{ArchivedRows, KeptRendering, archived, rendering, replays};
pub use rewrite::{Rewritten, append_whole, rewrite};
pub use segments::{Segments, StoreOptions, stem};
pub use store::{Listed, use_variables};
pub use tend::{Recorded, carry, compact, orphans};
