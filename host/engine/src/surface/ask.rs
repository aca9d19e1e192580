//! Requests to a template and the answers to them.

use std::collections::{BTreeMap, HashMap};

use magpie_model::Record;
use magpie_rows::UrlId;
use magpie_surface::ObjectId;
use magpie_surface::arguments::Probe;
use magpie_surface::entities::Described;
use magpie_surface::probe::Query;

use super::recorder::SeenPage;

/// Maximum number of objects on a detail page: its own, and at times a similar one.
pub(super) const MAX_DETAIL_OBJECTS: usize = 2;

magpie_values::word_lists! { "next.txt";
    NEXT: Words = "next";
}

#[derive(Clone, Debug)]
pub(super) enum Ask {
    /// A query that nothing matches.
    Bad(String),
    /// The name of an entity.
    Entity { kind: String, query: String },
    /// A word, or the arguments of a filter, and the number of the page of its results, from 0.
    Word(Query),
    /// A test of the effect of an argument.
    Argument(Probe),
}

impl Ask {
    /// Returns the query, or the whole URL that tests an argument.
    pub(super) fn query(&self) -> &str {
        match self {
            Ask::Bad(query) | Ask::Entity { query, .. } => query,
            Ask::Word(word) => &word.keyword,
            Ask::Argument(probe) => &probe.url,
        }
    }

    /// Returns the number of the page of results, from 0; `None` for requests that only test the
    /// template.
    pub(super) fn result_page(&self) -> Option<u32> {
        match self {
            Ask::Entity { .. } => Some(0),
            Ask::Word(word) => Some(word.page),
            Ask::Bad(_) | Ask::Argument(_) => None,
        }
    }

    /// Returns `true` if the template makes its URL. Further pages and arguments are links of
    /// answers.
    pub(super) fn is_filled(&self) -> bool {
        match self {
            Ask::Bad(_) | Ask::Entity { .. } => true,
            Ask::Word(word) => word.page == 0,
            Ask::Argument(_) => false,
        }
    }
}

#[derive(Clone, Debug, Default)]
pub(super) struct Answer {
    /// The page that answered, after redirects; none if there was no page.
    pub(super) page: Option<SeenPage>,
    pub(super) url: String,
    /// The URLs that redirects led to on the way, with its own.
    pub(super) hops: Vec<String>,
    /// Ids of the objects on the page or behind its links.
    pub(super) objects: Vec<ObjectId>,
    /// The pages that show them.
    pub(super) shown_on: Vec<UrlId>,
    /// The records of those that were read in the last crawl.
    pub(super) records: Vec<(ObjectId, Record)>,
    /// A rule of the site or of the crawl forbids it.
    pub(super) is_refused: bool,
    /// The server responds that there is no such page, as some do if nothing matches.
    pub(super) is_missing: bool,
}

impl Answer {
    /// Returns `true` if it was reached by a redirect.
    pub(super) fn is_redirected(&self) -> bool {
        !self.hops.is_empty()
    }
}

/// Known objects of a vertical.
pub(super) struct Known<'a> {
    /// Objects of all sites, with their entities.
    pub(super) objects: &'a [Described],
    /// Texts of the site, or else of others.
    pub(super) texts: &'a [String],
    /// The objects of the site that links lead to, with their texts.
    pub(super) linked: &'a [(ObjectId, String)],
}

/// Returns the URL of the next page of results: the link with that relation, with such a text, or
/// with the next number.
pub(super) fn next_page(page: &SeenPage, number: u32) -> Option<String> {
    let next = (number + 2).to_string();
    let links = || page.links.iter();
    let by_relation = links().find(|(_, _, rel)| rel.split_whitespace().any(|word| word == "next"));
    let by_text = || links().find(|(_, text, _)| is_next(text));
    // A number alone is the weakest sign, since pages show numbers of other meanings, so it is
    // tried last.
    let by_number = || links().find(|(_, text, _)| text.trim() == next);
    let found = by_relation.or_else(by_text).or_else(by_number);
    found.map(|(href, _, _)| href.clone())
}

/// Returns `true` for the text of a link to the next page, in one of many languages.
fn is_next(text: &str) -> bool {
    let arrows = ['>', '»', '›', '→', '⟩', ' ', '\u{a0}', '.', '…'];
    let word = text.trim_matches(arrows).to_lowercase();
    match word.is_empty() {
        true => matches!(text.trim(), ">" | "›" | "→"),
        false => NEXT.contains(&word.as_str()),
    }
}

/// Returns the pages that show the objects of a result page, with their ids: itself, or else pages
/// that it links to.
pub(super) fn shown_by(
    page: &SeenPage,
    url: &str,
    by_url: &HashMap<String, Vec<ObjectId>>,
) -> BTreeMap<String, Vec<ObjectId>> {
    if !page.objects.is_empty() {
        let ids = page.objects.iter().map(|(id, _)| *id).collect();
        return BTreeMap::from([(url.to_owned(), ids)]);
    }
    let linked = page.links.iter().filter_map(|(href, _, _)| {
        let plain = href.split('#').next().unwrap_or(href);
        // Home and list pages, which every page links to, have many objects.
        let ids = by_url.get(plain).filter(|ids| ids.len() <= MAX_DETAIL_OBJECTS)?;
        Some((plain.to_owned(), ids.clone()))
    });
    linked.collect()
}
