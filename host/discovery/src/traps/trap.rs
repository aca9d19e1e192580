//! The limits of traps, and the reasons why URLs lead into them.

use std::collections::HashMap;
use std::fmt;
use std::hash::Hash;

use magpie_model::UrlReason;

use crate::Acts;

/// Limits from which URLs count as a trap.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrapSettings {
    /// The rules by which URLs act.
    pub acts: Acts,
    /// The day of the crawl, in days since 1970-01-01: calendars are measured from it.
    pub today: i64,
    /// Days before today that a date in a URL may name. Earlier pages must have something new.
    pub past_days: i64,
    /// Days after today that a date in a URL may name. Later pages must have something new.
    pub future_days: i64,
    /// Days before or after today that no date in a URL may be away.
    pub far_days: i64,
    /// Maximum repetitions of a segment in a path, and of a pair in a query.
    pub max_repeats: usize,
    /// Segments in a row that look alike.
    pub max_alike: usize,
    pub max_keys: usize,
    /// Sets of keys that pages of one kind may have.
    pub max_key_sets: usize,
    /// Pages of one kind before it is judged by their content.
    pub min_pages: u32,
    /// Minimum percentage of pages of one kind with something new.
    pub min_new_percent: u32,
    /// Maximum number of pages of one kind without an object, if objects are looked for and the
    /// pages lead only to more of their kind.
    pub max_barren: u32,
    /// Kinds of pages that are watched; each takes up to 4 KiB.
    pub max_kinds: usize,
}

impl Default for TrapSettings {
    fn default() -> Self {
        TrapSettings {
            acts: Acts::default(),
            // Without a day there is no calendar to run away from: see `calendar::judge`.
            today: i64::MIN,
            // Archives go back ten years on most sites that have one.
            past_days: 10 * 365,
            // Concert halls announce two seasons.
            future_days: 2 * 365,
            // A human lifetime. Pages by date beyond it are not of interest.
            far_days: 80 * 365,
            // `/en/shop/en/shop/en` happens by mistake once, by relative links for ever.
            max_repeats: 3,
            // The deepest mirrors of file trees have about ten folders of words.
            max_alike: 12,
            // Search forms send about a dozen.
            max_keys: 24,
            // Eight facets, on or off.
            max_key_sets: 256,
            min_pages: 64,
            min_new_percent: 10,
            // Archives of what has been, page by page, may come before what is to come.
            max_barren: 500,
            max_kinds: 2_000,
        }
    }
}

/// Reason why a URL leads into a trap. Displays as a plain sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Trap {
    /// A segment occurs in the path too often.
    RepeatedSegment {
        /// The segment that is repeated.
        segment: String,
        times: usize,
    },
    /// The path runs in a circle.
    PathLoop {
        /// The part that comes again and again.
        part: String,
        times: usize,
    },
    /// A pair occurs in the query too often.
    RepeatedPair {
        /// The pair of key and value that is repeated.
        pair: String,
        times: usize,
    },
    /// The path grows by segments that look alike.
    PathGrowth {
        /// The number in a row.
        segments: usize,
    },
    TooManyKeys {
        /// The number of keys in the URL.
        keys: usize,
    },
    /// A date far away from the day of the crawl.
    FarDate {
        /// The date, as year and month.
        date: String,
    },
    /// A date away from the day of the crawl, in a calendar without new content.
    EmptyCalendar {
        /// The date, as year and month.
        date: String,
        /// Percentage of pages there with something new.
        new_percent: u32,
    },
    /// Pages of this kind come with too many combinations of keys.
    TooManyKeySets {
        /// Different sets of keys below the path.
        key_sets: usize,
    },
    /// Pages of this kind have no new content.
    NothingNew {
        /// Fetched pages of the kind.
        pages: u32,
        /// Percentage of the last hundred with something new.
        new_percent: u32,
    },
    /// It does something, instead of showing a page.
    Acts {
        /// The part of it that acts, and its place.
        by: String,
    },
    /// It shows a page that has a URL of its own, in another order or form.
    ShowsAgain {
        /// The key that selects the view.
        key: String,
    },
    /// It belongs to a service for programs, or for one visitor alone.
    Service {
        /// Its name in the path.
        name: String,
    },
    /// Pages of this kind have no objects and lead to nothing but more of their kind.
    Barren {
        /// Fetched pages of the kind.
        pages: u32,
    },
    /// It ends like files of the site, which are no pages.
    File {
        /// The ending, without its dot.
        ending: String,
        /// URLs with that ending that were asked for.
        tried: u32,
    },
    /// URLs of this form are answered with no page.
    NoPages {
        /// URLs of the form without a page.
        tried: u32,
        /// URLs of the form with a page.
        pages: u32,
    },
}

/// Returns the state of a kind. Kinds beyond the limit are not watched: the limits of the URL
/// itself still hold.
pub(super) fn watched<K: Eq + Hash, T: Default>(
    kinds: &mut HashMap<K, T>,
    kind: K,
    limit: usize,
) -> Option<&mut T> {
    if kinds.len() >= limit && !kinds.contains_key(&kind) {
        return None;
    }
    Some(kinds.entry(kind).or_default())
}

impl Trap {
    /// Returns the reason that is kept with the URL.
    pub fn reason(&self) -> UrlReason {
        match self {
            Trap::RepeatedSegment { .. } => UrlReason::RepeatedSegment,
            Trap::PathLoop { .. } => UrlReason::PathLoop,
            Trap::RepeatedPair { .. } => UrlReason::RepeatedPair,
            Trap::PathGrowth { .. } => UrlReason::PathGrowth,
            Trap::TooManyKeys { .. } => UrlReason::TooManyKeys,
            Trap::FarDate { .. } => UrlReason::FarDate,
            Trap::EmptyCalendar { .. } => UrlReason::EmptyCalendar,
            Trap::TooManyKeySets { .. } => UrlReason::TooManyKeySets,
            Trap::NothingNew { .. } => UrlReason::NothingNew,
            Trap::Acts { .. } => UrlReason::Acts,
            Trap::ShowsAgain { .. } => UrlReason::ShowsAgain,
            Trap::Service { .. } => UrlReason::Service,
            Trap::Barren { .. } => UrlReason::Barren,
            Trap::File { .. } => UrlReason::File,
            Trap::NoPages { .. } => UrlReason::NoPages,
        }
    }
}

impl fmt::Display for Trap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Trap::RepeatedSegment { segment, times } => {
                write!(f, "the segment {segment:?} occurs in the path {times} times")
            }
            Trap::PathLoop { part, times } => write!(f, "the path repeats {part:?} {times} times"),
            Trap::RepeatedPair { pair, times } => write!(f, "{pair:?} occurs in the query {times} times"),
            Trap::PathGrowth { segments } => {
                write!(
                    f,
                    "the path has {segments} similar segments in a row, so it is probably generated"
                )
            }
            Trap::TooManyKeys { keys } => write!(f, "the query has {keys} keys"),
            Trap::FarDate { date } => {
                write!(f, "the date {date} is too far away")
            }
            Trap::EmptyCalendar { date, new_percent } => write!(
                f,
                "the date {date} is beyond the range of `traps.calendar`, and only {new_percent} % of the pages there had new content"
            ),
            Trap::TooManyKeySets { key_sets } => {
                write!(
                    f,
                    "pages of this kind already came with {key_sets} combinations of keys"
                )
            }
            Trap::NothingNew { pages, new_percent } => write!(
                f,
                "only {new_percent} % of the recent pages of this kind had new content ({pages} pages in all)"
            ),
            Trap::Acts { by } => write!(f, "{by} triggers an action instead of showing a page"),
            Trap::ShowsAgain { key } => write!(
                f,
                "{key:?} in the query shows a page with its own URL again, in another order or form"
            ),
            Trap::Service { name } => write!(
                f,
                "{name:?} in the path is a service for programs or for one visitor, without pages to read"
            ),
            Trap::Barren { pages } => write!(
                f,
                "{pages} pages of this kind had no object and linked only to pages of their kind"
            ),
            Trap::File { ending, tried } => write!(
                f,
                "it ends in \".{ending}\": {tried} such URLs were tried, and none of those in its folder is a page"
            ),
            Trap::NoPages { tried, pages } => write!(
                f,
                "of the URLs of this form {tried} were not there or were no pages, and {pages} were pages"
            ),
        }
    }
}

impl std::error::Error for Trap {}
