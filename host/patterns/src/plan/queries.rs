//! Queries of search forms as candidates beside patterns.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::offer::Costs;
use crate::select::{CandidatesBuilder, CandidatesError, PatternSpec};

/// Queries of a site that can be chosen: those with most objects.
const MAX_QUERIES: usize = 2_000;

/// The answer to a query of a search form.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct QueryAnswer {
    pub template: String,
    pub query: String,
    /// The pages of its results, in their order.
    pub pages: Vec<ResultPage>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ResultPage {
    /// The objects that it shows, on itself or behind its links, with their match probabilities.
    pub objects: Vec<(u32, f32)>,
    /// The detail pages that it links to, by any number that is the page's own.
    pub details: Vec<i64>,
}

/// A query that can be chosen: its first pages of results.
#[derive(Clone, Debug, PartialEq)]
pub struct QueryCandidate {
    /// Index of its site among the surveys.
    pub site: usize,
    pub template: String,
    pub query: String,
    /// The number of pages of results that are read.
    pub pages: u32,
    pub objects: Vec<u32>,
    /// Match probability of each object, by the most certain of its pages.
    pub likely: Vec<f32>,
}

/// Adds the queries of a site to the candidates: each with its first page of results, with the
/// first two, four and so on, and with all that were read. A page of results costs what a hub does.
pub(super) fn add_queries(
    (site, number): (usize, u32),
    answers: &[QueryAnswer],
    (costs, is_weighted): (Costs, bool),
    builder: &mut CandidatesBuilder,
) -> Result<Vec<QueryCandidate>, CandidatesError> {
    let mut answers: Vec<&QueryAnswer> = answers.iter().collect();
    let count = |answer: &QueryAnswer| answer.pages.iter().map(|page| page.objects.len()).sum::<usize>();
    answers.sort_by_cached_key(|answer| {
        let order = (answer.template.clone(), answer.query.clone());
        (std::cmp::Reverse(count(answer)), order)
    });
    answers.truncate(MAX_QUERIES);
    let mut details: BTreeMap<i64, u32> = BTreeMap::new();
    let mut candidates = Vec::new();
    for answer in answers {
        for pages in depths(answer.pages.len()) {
            let read = &answer.pages[..pages];
            let mut objects: BTreeMap<u32, f32> = BTreeMap::new();
            for (object, likely) in read.iter().flat_map(|page| &page.objects) {
                let known = objects.entry(*object).or_default();
                *known = known.max(*likely);
            }
            if objects.is_empty() {
                continue;
            }
            let (objects, likely): (Vec<u32>, Vec<f32>) = objects.into_iter().unzip();
            let mut hubs = Vec::new();
            for detail in read.iter().flat_map(|page| &page.details) {
                let add = || builder.hub(costs.page);
                // A detail page is paid once, however many queries lead to it.
                hubs.push(*details.entry(*detail).or_insert_with(add));
            }
            builder.pattern(PatternSpec {
                site: number,
                // The published methods count pages alone.
                own_pages: pages as f64 * costs.hub.max(costs.page),
                shared_pages: &[],
                hubs: &hubs,
                objects: &objects,
                likely: if is_weighted { &likely } else { &[] },
            })?;
            candidates.push(QueryCandidate {
                site,
                template: answer.template.clone(),
                query: answer.query.clone(),
                pages: pages as u32,
                objects,
                likely,
            });
        }
    }
    Ok(candidates)
}

/// Returns 1, 2, 4 and so on below a number of pages, and the number.
fn depths(pages: usize) -> impl Iterator<Item = usize> {
    let below = std::iter::successors(Some(1), |depth| Some(depth * 2));
    below
        .take_while(move |depth| *depth < pages)
        .chain((pages > 0).then_some(pages))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn depths_double_up_to_all_pages() {
        let of = |pages| depths(pages).collect::<Vec<usize>>();
        assert_eq!(of(0), [0; 0]);
        assert_eq!(of(1), [1]);
        assert_eq!(of(2), [1, 2]);
        assert_eq!(of(7), [1, 2, 4, 7]);
    }
}
