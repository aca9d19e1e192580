//! Where to go next, and whether to: what pages, sitemaps and robots files say.
//!
//! Bytes in, decisions with their reasons out. Nothing here fetches, waits or looks at a clock; what depends on time
//! is handed it.
//!
//! - [`Canonicaliser`] gives a page one name, and says what it changed; [`LinkCache`] makes it cheap.
//! - [`scan`] reads the links of a page, with their text and where they stand.
//! - [`Robots`] reads robots.txt, [`RobotsDirectives`] what pages and headers ask of robots.
//! - [`sitemap`] reads sitemaps and feeds.
//! - [`Scope`] says which URLs belong to a crawl, [`TrapWatch`] which lead nowhere new, [`Variety`] which come
//!   first where there is no time for all.
//! - [`NearDuplicates`] and [`NotFoundProfile`] tell pages that say what others said, or that they are not there.
//!
//! Everything read is hostile. Work is linear in the input, memory bounded by named limits, and nothing recurses.

mod canonical;
mod dates;
mod directives;
mod likeness;
mod order;
mod robots;
mod scan;
mod scope;
mod shape;
pub mod sitemap;
mod traps;
mod variety;

pub use canonical::{
    Canonical, CanonicalSettings, Canonicaliser, Change, KeyEvidence, KeyWatch, KeyWatchSettings,
    LONGEST_URL, LinkBase, LinkCache, ProvenKey, Resolved, Unusable, UrlLesson,
};
pub use directives::RobotsDirectives;
pub use likeness::{
    NearDuplicate, NearDuplicates, NotFoundProfile, Simhash, SoftNotFound, TextPrint, probe_path,
};
pub use order::{Brought, FormYields, Group, PageOrder, is_file};
pub use robots::{
    ROBOTS_BYTES, ROBOTS_REDIRECTS, Robots, RobotsFetch, RobotsOutcome, RobotsProblem, RobotsReason,
    RuleLine, Rules, Verdict, robots_outcome,
};
pub use scan::{
    LinkKind, PathId, Refresh, Relations, ScanLimits, ScanTruncation, ScannedLink, ScannedPage, path_hash,
    scan,
};
pub use scope::{InvalidScope, OutOfScope, Reach, Scope, ScopeSettings};
pub use traps::{Trap, TrapSettings, TrapWatch};
pub use variety::Variety;
