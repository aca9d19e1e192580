//! Finding and judging URLs: pages, sitemaps and robots files.
//!
//! Bytes go in, decisions with their reasons come out. Nothing here fetches, waits or reads a
//! clock; times are passed in.
//!
//! - [`Canonicaliser`] gives each page one URL, and reports its changes; [`LinkCache`] makes it
//!   cheap.
//! - [`scan`] reads the links of a page, with their text and position.
//! - [`Robots`] reads robots.txt, [`RobotsDirectives`] the directives of pages and headers.
//! - [`sitemap`] reads sitemaps and feeds.
//! - [`forms`] classifies forms and fields, and decides which forms may be sent; [`UrlTemplate`]
//!   makes the URLs that they lead to.
//! - [`Acts`] recognises URLs and buttons that change something.
//! - [`Scope`] decides which URLs belong to a crawl, [`TrapWatch`] which lead to nothing new,
//!   [`Variety`] which come first if there is no time for all.
//! - [`NearDuplicates`] and [`NotFoundProfile`] recognise pages that repeat others, and error pages
//!   with status 200.
//!
//! All input is untrusted. Work is linear in the input, memory is bounded by named limits, and
//! nothing recurses.

mod acts;
mod canonical;
mod dates;
mod directives;
pub mod forms;
mod likeness;
mod order;
mod robots;
mod scan;
mod scope;
mod shape;
pub mod sitemap;
mod template;
mod traps;
mod variety;

pub use acts::{ACTS, Acts};
pub use canonical::{
    Canonical, CanonicalSettings, Canonicaliser, Change, KeyEvidence, KeyWatch, KeyWatchSettings, LinkBase,
    LinkCache, MAX_URL_LEN, ProvenKey, Resolved, Unusable, UrlRule,
};
pub use directives::RobotsDirectives;
pub use likeness::{
    NearDuplicate, NearDuplicates, NotFoundProfile, Simhash, SoftNotFound, TextPrint, probe_path,
};
pub use order::{Brought, FormYields, Group, PageOrder, UrlForm, is_file};
pub use robots::{
    ROBOTS_BYTES, Robots, RobotsFetch, RobotsOutcome, RobotsProblem, RobotsReason, RuleLine, Rules, Verdict,
    robots_outcome,
};
pub use scan::{
    HeaderLink, LinkKind, PathId, Refresh, Relations, ScanLimits, ScanTruncation, ScannedLink, ScannedPage,
    links_of_header, path_hash, refresh_of_header, scan,
};
pub use scope::{ForgottenUrls, InvalidScope, OutOfScope, Reach, Scope, ScopeSettings};
pub use template::{FilterTemplate, InvalidTemplate, MAX_TEMPLATE_BYTES, UrlTemplate};
pub use traps::{Answered, PastPage, Trap, TrapSettings, TrapWatch};
pub use variety::Variety;
