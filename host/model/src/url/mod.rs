//! The names of pages and of those who serve them.

mod canonical;
mod site;

pub use canonical::{CanonicalUrl, UrlFingerprint};
pub use site::{HostKey, SiteKey};
