//! From an engine's answer to hits.

use serde_json::Value as Json;
use url::Url;

use super::Hit;
use super::plan::Plan;

/// Longer addresses are not fetched anywhere.
const MAX_URL_LEN: usize = 2048;

pub(super) struct Answer {
    pub(super) hits: Vec<Hit>,
    /// Results without an address of a page.
    pub(super) skipped: u64,
    pub(super) has_list: bool,
    /// Number of all results, if the answer has it.
    pub(super) total: Option<u64>,
}

/// Reason why an answer is useless. Its text is not repeated, since it may contain the key.
pub(super) enum Junk {
    NotJson(String),
    NoList,
    /// A number of results without URLs.
    NoAddresses(usize),
}

pub(super) fn hits(body: &[u8], plan: &Plan, may_lack_list: bool) -> Result<Answer, Junk> {
    let body = body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(body);
    let answer: Json = serde_json::from_slice(body).map_err(|error| Junk::NotJson(error.to_string()))?;
    // An engine that has sent a list before leaves it out when nothing is found. Before that, a
    // missing list may as well mean a wrong pointer.
    let results = match answer.pointer(&plan.results) {
        Some(Json::Array(results)) => results,
        None | Some(Json::Null) if may_lack_list || is_plain(&answer, plan) => {
            return Ok(Answer {
                hits: Vec::new(),
                skipped: 0,
                has_list: false,
                total: Some(0),
            });
        }
        _ => return Err(Junk::NoList),
    };
    // The engine may send more than it was asked for.
    let looked_at = results.len().min(plan.count);
    let hits: Vec<Hit> = (1..)
        .zip(&results[..looked_at])
        .filter_map(|(rank, result)| {
            Some(Hit {
                url: address(result, plan)?,
                rank,
            })
        })
        .collect();
    // A full list without a single address means that the pointer to addresses is wrong, not that
    // nothing was found.
    if hits.is_empty() && looked_at > 0 {
        return Err(Junk::NoAddresses(looked_at));
    }
    Ok(Answer {
        skipped: (looked_at - hits.len()) as u64,
        total: total(&answer, plan, results.len()),
        hits,
        has_list: true,
    })
}

/// Returns the number of all results, which may be a JSON number or a text. Some engines send 0
/// if they do not know it.
fn total(answer: &Json, plan: &Plan, results: usize) -> Option<u64> {
    let total = match answer.pointer(plan.total.as_deref()?)? {
        Json::Number(number) => number.as_f64().map(|number| number as u64),
        Json::String(text) => text.trim().parse().ok(),
        _ => None,
    };
    total.filter(|total| *total > 0 || results == 0)
}

/// Returns true for an answer that has no list when nothing was found.
fn is_plain(answer: &Json, plan: &Plan) -> bool {
    plan.sign.is_some_and(|sign| answer.pointer(sign).is_some())
}

fn address(result: &Json, plan: &Plan) -> Option<Url> {
    let text = result.pointer(&plan.result_url)?.as_str()?;
    if text.len() > MAX_URL_LEN {
        return None;
    }
    let url = Url::parse(text).ok()?;
    let is_page = matches!(url.scheme(), "http" | "https") && url.has_host();
    let is_open = url.username().is_empty() && url.password().is_none();
    (is_page && is_open).then_some(url)
}
