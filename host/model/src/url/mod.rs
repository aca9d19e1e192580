//! The names of pages and of those who serve them.

mod canonical;
mod posted;
mod site;

pub use canonical::{CanonicalUrl, UrlFingerprint};
pub use posted::PostedForm;
pub use site::{HostKey, SiteKey};
