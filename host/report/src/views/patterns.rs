//! The URL patterns of sites, and the queries that are asked in every round.

use magpie_engine::site::PatternSamples;
use magpie_patterns::rendering::RenderingRule;
use magpie_rows::{PatternRow, SelectedQuery};
use serde_json::{Value, json};

use crate::format::regex;
use crate::sentences::figures::sample_json;

/// Returns a pattern with some of its objects as JSON.
pub fn pattern_json(vertical: &str, site: &str, row: &PatternRow, samples: &[&PatternSamples]) -> Value {
    let own = samples.iter().filter(|of| of.pattern == row.pattern);
    let samples: Vec<_> = own.flat_map(|of| of.objects.iter().map(sample_json)).collect();
    json!({
        "vertical": vertical, "site": site, "pattern": row.pattern, "regex": regex(&row.pattern),
        "wanted": row.wanted, "chosen": row.chosen, "pages": row.pages, "yielding": row.yielding,
        "objects": row.objects, "hubs": row.hubs, "learned_at": row.learned_at.to_string(),
        "fetches": row.watched.fetches, "failures": row.watched.failures, "yields": row.watched.yields,
        "alarm": row.watched.alarm, "samples": samples,
    })
}

/// Returns a query that is asked in every round as JSON.
pub fn query_json(vertical: &str, site: &str, query: &SelectedQuery) -> Value {
    json!({
        "vertical": vertical, "site": site, "template": query.template, "query": query.query,
        "result_pages": query.pages,
    })
}

/// Returns a rule about pages that a plain fetch does not have whole as JSON.
pub fn rendering_json(vertical: &str, site: &str, rule: &RenderingRule) -> Value {
    json!({ "vertical": vertical, "site": site, "rendering": rule })
}
