//! The archive of a workspace: WARC files in its folder, or in an object store.
//!
//! [`Archives`] reads and writes them by name. A name without a scheme is a file in the folder of
//! the workspace, where one file grows; an address such as `s3://bucket/prefix/…` is a file in a
//! store, which is written once and never changed. So an archive may lie in several places, and
//! readers need no settings.
//!
//! Calls wait, from any thread. [`use_variables`] gives the process its credentials.

mod address;
mod archives;
mod cache;
mod client;
mod store;

pub use address::StoreUrl;
pub use archives::{Archives, Part};
pub use store::{Listed, use_variables};
