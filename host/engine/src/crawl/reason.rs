//! Codes of the reasons why URLs are not fetched, where no rule of discovery gives one.

pub(crate) const ROBOTS: &str = "robots";
pub(super) const ROBOTS_UNREACHABLE: &str = "robots-unreachable";
pub(super) const REFUSED_ADDRESS: &str = "refused-address";
pub(super) const NOT_WANTED: &str = "media-type";
pub(super) const SOFT_404: &str = "soft-404";
pub(super) const NEAR_DUPLICATE: &str = "near-duplicate";
pub(super) const BAD_REDIRECT: &str = "bad-redirect";
pub(super) const REDIRECT_CIRCLE: &str = "redirect-circle";
pub(super) const REDIRECTS: &str = "too-many-redirects";
pub(super) const CODING: &str = "coding";
pub(super) const STATUS: &str = "status";
pub(super) const OTHER_NAME: &str = "other-name";
pub(super) const NO_URL: &str = "no-url";
pub(super) const INTERNAL: &str = "internal";
