//! The URL patterns of sites, and the queries that are asked in every round.

use magpie_engine::site::PatternSamples;
use magpie_model::Alarm;
use magpie_model::json::Time;
use magpie_patterns::rendering::RenderingRule;
use magpie_rows::{PatternRow, SelectedQuery};
use schemars::JsonSchema;
use serde::Serialize;

use super::figures::SampleView;
use crate::format::regex;

/// A URL pattern of a site.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct PatternLine {
    /// Name of the vertical.
    vertical: String,
    /// Key of the site.
    site: String,
    /// The pattern.
    pattern: String,
    /// Regular expression that matches the same URLs.
    regex: Option<String>,
    /// True if its pages have objects.
    wanted: bool,
    /// True if rounds fetch its pages.
    chosen: bool,
    /// Number of fetched pages.
    pages: u64,
    /// Number of fetched pages with objects.
    yielding: u64,
    /// Number of objects on its pages.
    objects: u64,
    /// Number of hubs among its pages.
    hubs: u64,
    /// Time when it was learned.
    learned_at: Time,
    /// Number of fetches since then.
    fetches: u64,
    /// Number of failed fetches since then.
    failures: u64,
    /// Number of fetches since then that returned objects.
    yields: u64,
    /// Reason why the pattern is considered broken, or null.
    alarm: Option<Alarm>,
    /// Some objects from its pages.
    samples: Vec<SampleView>,
}

impl PatternLine {
    /// Describes a pattern with some of its objects.
    pub fn new(vertical: &str, site: &str, row: &PatternRow, samples: &[&PatternSamples]) -> PatternLine {
        let own = samples.iter().filter(|of| of.pattern == row.pattern);
        PatternLine {
            vertical: vertical.to_owned(),
            site: site.to_owned(),
            pattern: row.pattern.clone(),
            regex: regex(&row.pattern),
            wanted: row.wanted,
            chosen: row.chosen,
            pages: row.pages,
            yielding: row.yielding,
            objects: row.objects,
            hubs: row.hubs,
            learned_at: row.learned_at.into(),
            fetches: row.watched.fetches,
            failures: row.watched.failures,
            yields: row.watched.yields,
            alarm: row.watched.alarm,
            samples: own.flat_map(|of| &of.objects).map(SampleView::from).collect(),
        }
    }
}

/// A selected query of a search form, which every round asks.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct QueryLine {
    /// Name of the vertical.
    vertical: String,
    /// Key of the site.
    site: String,
    /// URL template of the form.
    template: String,
    /// The query.
    query: String,
    /// Number of result pages that are fetched.
    result_pages: u32,
}

impl QueryLine {
    pub fn new(vertical: &str, site: &str, query: &SelectedQuery) -> QueryLine {
        QueryLine {
            vertical: vertical.to_owned(),
            site: site.to_owned(),
            template: query.template.clone(),
            query: query.query.clone(),
            result_pages: query.pages,
        }
    }
}

/// A rule about [pages made by scripts](concepts/rendering.md), as in the navigation file.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct RenderingLine {
    /// Name of the vertical.
    pub vertical: String,
    /// Key of the site.
    pub site: String,
    /// The rule.
    pub rendering: RenderingRule,
}
