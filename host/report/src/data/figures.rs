//! The figures of a run, each under its one name.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The figures of a run. The [glossary](glossary.md#figures) defines them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Figures {
    /// Sites that were learned.
    pub sites: u64,
    /// URLs that the run asked for, each once, whether they answered or not.
    pub fetched_pages: u64,
    /// The bytes of their bodies.
    pub bytes: u64,
    /// HTML pages of the sites that are known, with URLs that were not fetched and may be pages.
    pub known_pages: u64,
    /// Known URLs behind which nothing is (404, 410).
    pub gone_urls: u64,
    /// Known URLs of pictures, documents and other files.
    pub file_urls: u64,
    /// Known URLs of feeds and sitemaps.
    pub feed_urls: u64,
    /// Known URLs that redirect, fail or are not fetched.
    pub other_urls: u64,
    /// Known URLs that no run has fetched.
    pub unfetched_pages: u64,
    /// Unfetched URLs of a form whose fetched pages have objects.
    pub lookalike_pages: u64,
    /// Unfetched URLs of forms with too few fetched pages to decide if their pages have objects.
    pub untried_pages: u64,
    /// Records that the run found on pages.
    pub records: u64,
    /// Records among them that their page had not before.
    pub new_records: u64,
    /// Objects of the vertical, expired ones with them.
    pub objects: u64,
    /// Objects that have not expired.
    pub current_objects: u64,
    /// Objects that the run was the first to see.
    pub new_objects: u64,
    /// Objects that all known pages of the sites are expected to have; absent if too few pages were
    /// fetched for an estimate.
    pub expected_objects: Option<Expected>,
    /// Patterns whose pages are fetched.
    pub chosen_patterns: u64,
    /// Pages that a round along the navigations fetches now.
    pub round_pages: Option<u64>,
    /// Pages that this round was to fetch, by a dry walk before it began.
    pub promised_pages: Option<u64>,
    /// Most pages that this round could fetch, with new ones; absent without a ceiling.
    pub most_pages: Option<u64>,
    /// Pages that this round fetched, without those of repairs.
    pub round_fetched_pages: Option<u64>,
    /// Pages of unknown kinds among them.
    pub explored_pages: Option<u64>,
    /// Pages that were fetched to learn broken sites again.
    pub repair_pages: Option<u64>,
}

/// A number with its 95 % interval.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Expected {
    /// The number.
    pub value: f64,
    /// The lower end of the interval.
    pub low: f64,
    /// The upper end of the interval.
    pub high: f64,
}

/// A figure for a table: its name in JSON, what it counts, and its value.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    pub name: &'static str,
    pub label: &'static str,
    pub value: FigureValue,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum FigureValue {
    Count(u64),
    Bytes(u64),
    /// A number with its interval.
    Expected(Expected),
    /// There is too little data for an estimate.
    Unknown,
}

impl Figures {
    /// All figures in the order in which they are read. Those that this kind of run does not have
    /// are left out.
    pub fn rows(&self) -> Vec<Figure> {
        use FigureValue::{Bytes, Count};
        let row = |name, label, value| Figure { name, label, value };
        let expected = self
            .expected_objects
            .map_or(FigureValue::Unknown, FigureValue::Expected);
        let mut rows = vec![
            row("sites", "sites learned", Count(self.sites)),
            row(
                "fetched_pages",
                "URLs fetched in this run, each once",
                Count(self.fetched_pages),
            ),
            row("bytes", "bytes of their bodies", Bytes(self.bytes)),
            row("known_pages", "HTML pages known", Count(self.known_pages)),
            row("gone_urls", "known URLs that are gone", Count(self.gone_urls)),
            row(
                "file_urls",
                "known URLs of pictures, documents and other files",
                Count(self.file_urls),
            ),
            row(
                "feed_urls",
                "known URLs of feeds and sitemaps",
                Count(self.feed_urls),
            ),
            row(
                "other_urls",
                "known URLs that redirect, fail or are not fetched",
                Count(self.other_urls),
            ),
            row(
                "unfetched_pages",
                "known pages never fetched",
                Count(self.unfetched_pages),
            ),
            row(
                "lookalike_pages",
                "unfetched pages whose URLs look like those with objects",
                Count(self.lookalike_pages),
            ),
            row(
                "untried_pages",
                "unfetched pages of forms with too few fetched pages",
                Count(self.untried_pages),
            ),
            row(
                "records",
                "records found on pages of this run",
                Count(self.records),
            ),
            row(
                "new_records",
                "records that were new on their page",
                Count(self.new_records),
            ),
            row(
                "objects",
                "objects found so far, including expired ones",
                Count(self.objects),
            ),
            row(
                "current_objects",
                "objects that have not expired",
                Count(self.current_objects),
            ),
            row(
                "new_objects",
                "objects first seen in this run",
                Count(self.new_objects),
            ),
            row(
                "expected_objects",
                "objects expected on all known pages",
                expected,
            ),
            row("chosen_patterns", "patterns chosen", Count(self.chosen_patterns)),
        ];
        let round = [
            (
                "promised_pages",
                "pages that this round was to fetch",
                self.promised_pages,
            ),
            (
                "most_pages",
                "pages that this round could fetch at most",
                self.most_pages,
            ),
            (
                "round_fetched_pages",
                "pages that this round fetched",
                self.round_fetched_pages,
            ),
            (
                "explored_pages",
                "pages of unknown kinds among them",
                self.explored_pages,
            ),
            (
                "repair_pages",
                "pages fetched to learn broken sites again",
                self.repair_pages,
            ),
            (
                "round_pages",
                "pages that the next round fetches, as of now",
                self.round_pages,
            ),
        ];
        let known = round
            .into_iter()
            .filter_map(|(name, label, value)| Some(row(name, label, Count(value?))));
        rows.extend(known);
        rows
    }
}
