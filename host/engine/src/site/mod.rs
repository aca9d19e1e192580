//! Sites as the stages share them: their names, their pages and links, their navigation files.
//!
//! - [`Collection`] is one vertical of one workspace; the steps of learning and recrawling are its
//!   methods. [`View`] is the same for reading.
//! - [`SitePages`] and [`ObjectsByPage`] hold the data of the store by index, as learning takes it.
//!   [`Snapshots`] reads each site once and passes it from step to step.
//! - [`SiteCrawl`] crawls whole sites, without learning anything.

mod archived;
mod collection;
mod crawl;
mod figures;
mod file;
mod kind;
mod names;
mod navigation;
mod prohibitions;
mod renamed;
mod rendering;
mod snapshot;
mod survey;
mod unfetched;

pub use collection::{Collection, SiteError, View};
pub use crawl::{Replay, SiteCrawl, SiteCrawlRequest, SitesCrawled};
pub use figures::{PatternSamples, SampleObject, SiteFigures};
pub use file::SiteFileError;
pub use kind::{NoPages, UrlKind};
pub use names::{home, named, named_key, with_scheme};
pub use navigation::{NavigationFileError, navigation_file, read_navigation};
pub use rendering::{LearnedRules, SiteRendering};
pub use snapshot::Snapshots;
pub use survey::{ObjectsByPage, SitePages};
pub use unfetched::Unfetched;

pub(crate) use archived::{page_from_archive, pages_from_archive};
pub(crate) use file::{file_before, forget_site_file, read_site_file, renew_site_file, site_file};
pub(crate) use navigation::{NAVIGATIONS, entry_of, only_of_site, renew_navigation};
pub(crate) use rendering::rendering_rules;
pub(crate) use snapshot::{LearnedPattern, SiteSnapshot};
#[cfg(test)]
pub(crate) use survey::visited_page;
pub(crate) use survey::{MatchConfidence, is_gone, moved_to};
