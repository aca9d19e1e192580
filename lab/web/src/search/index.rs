//! The inverted index and the ranking.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use super::{Hit, Hits};
use crate::address::Route;
use crate::content::{Content, Outcome, Scene};
use crate::random::{Key, ln};
use crate::web::Web;

/// Weeks between two refreshes of the index.
const REFRESH_WEEKS: u32 = 2;
/// Maximum number of indexed pages. Real engines never know all of a large web, and this limits the
/// memory.
const MAX_DOCUMENTS: usize = 200_000;
/// Hits on a page of results.
const PER_PAGE: usize = 10;
/// Maximum number of result pages of a query.
const MAX_RESULT_PAGES: u32 = 5;
/// Maximum number of words of a query that are used.
const MAX_QUERY_WORDS: usize = 24;
/// Maximum number of words of a page that are indexed.
const MAX_PAGE_WORDS: usize = 400;
/// Parameters k1 (saturation of repeated words) and b (penalty of long pages) of BM25, at their
/// usual values.
const SATURATION: f64 = 1.2;
const LENGTH_PENALTY: f64 = 0.75;

/// The current index, built at the first query that needs it.
#[derive(Debug, Default)]
pub(crate) struct IndexCache(Mutex<Option<(u32, Arc<Index>)>>);

#[derive(Debug)]
struct Document {
    site: u32,
    url: String,
    title: String,
    snippet: String,
    words: u32,
}

#[derive(Debug, Default)]
pub(crate) struct Index {
    documents: Vec<Document>,
    /// Page and count, by hash of the word.
    postings: HashMap<u64, Vec<(u32, u32)>>,
    average: f64,
}

impl Web {
    /// Returns the search results of a week. Pages of results count from 1.
    pub fn search(&self, query: &str, page: u32, week: u32) -> Hits {
        let index = self.index_of(week);
        index.find(self, &ParsedQuery::read(query), page)
    }

    fn index_of(&self, week: u32) -> Arc<Index> {
        let indexed_week = week - week % REFRESH_WEEKS;
        let mut cache = self.index.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((known, index)) = &*cache
            && *known == indexed_week
        {
            return Arc::clone(index);
        }
        let index = Arc::new(Index::new(self, indexed_week));
        *cache = Some((indexed_week, Arc::clone(&index)));
        index
    }
}

#[derive(Debug, Default)]
struct ParsedQuery {
    words: Vec<u64>,
    /// Words in quotation marks, which a page must contain.
    required: Vec<u64>,
    site: Option<String>,
}

impl ParsedQuery {
    fn read(query: &str) -> Self {
        let mut wanted = Self::default();
        for (index, part) in query.split('"').enumerate() {
            for word in part.split_whitespace() {
                if let Some(site) = word.strip_prefix("site:") {
                    wanted.site = Some(site.to_lowercase());
                    continue;
                }
                let hashes = words(word);
                if index % 2 == 1 {
                    wanted.required.extend(&hashes);
                }
                wanted.words.extend(hashes);
            }
        }
        wanted.words.sort_unstable();
        wanted.words.dedup();
        wanted.words.truncate(MAX_QUERY_WORDS);
        wanted.required.truncate(MAX_QUERY_WORDS);
        wanted
    }
}

impl Index {
    fn new(web: &Web, week: u32) -> Self {
        let mut index = Self::default();
        for site in web.all_sites() {
            let scene = Scene::new(web, site, week);
            let key = site.key.of("indexed", 0);
            // The engine covers between a third and nearly all of a site.
            let coverage = 300 + key.below(680);
            for (number, route) in (0..).zip(scene.routes()) {
                let is_known = route == Route::Home || key.of("page", number).per_mille(coverage);
                if is_known && index.documents.len() < MAX_DOCUMENTS {
                    index.add(&scene, &route);
                }
            }
        }
        let total: u64 = index
            .documents
            .iter()
            .map(|document| u64::from(document.words))
            .sum();
        index.average = total as f64 / index.documents.len().max(1) as f64;
        index
    }

    fn add(&mut self, scene: &Scene<'_>, route: &Route) {
        let Outcome::Page(content) = scene.content(route) else {
            return;
        };
        if content.is_noindex {
            return;
        }
        let text = text(&content);
        let mut found = words(&format!("{} {} {text}", content.title, scene.site.name));
        found.truncate(MAX_PAGE_WORDS);
        let number = self.documents.len() as u32;
        let count = found.len() as u32;
        found.sort_unstable();
        for run in found.chunk_by(|one, other| one == other) {
            self.postings
                .entry(run[0])
                .or_default()
                .push((number, run.len() as u32));
        }
        self.documents.push(Document {
            site: scene.site.index,
            url: scene.url(route),
            title: format!("{} - {}", content.title, scene.site.name),
            snippet: text.chars().take(160).collect(),
            words: count,
        });
    }

    fn find(&self, web: &Web, wanted: &ParsedQuery, page: u32) -> Hits {
        let mut scores: HashMap<u32, (f64, u32)> = HashMap::new();
        for word in &wanted.words {
            let Some(postings) = self.postings.get(word) else {
                continue;
            };
            let (all, with) = (self.documents.len() as f64, postings.len() as f64);
            let rarity = ln(1.0 + (all - with + 0.5) / (with + 0.5));
            for (document, count) in postings {
                let entry = scores.entry(*document).or_default();
                entry.0 += rarity * self.weight(*document, *count);
                entry.1 += 1;
            }
        }
        let required: Vec<&Vec<(u32, u32)>> = wanted
            .required
            .iter()
            .filter_map(|word| self.postings.get(word))
            .collect();
        let is_impossible = required.len() < wanted.required.len();
        let asked = wanted.words.len().max(1) as f64;
        let fits = |document: &u32| {
            required
                .iter()
                .all(|list| list.binary_search_by_key(document, |(number, _)| *number).is_ok())
                && wanted
                    .site
                    .as_ref()
                    .is_none_or(|site| self.is_on(web, *document, site))
        };
        let mut ranked: Vec<(f64, u32)> = scores
            .into_iter()
            .filter(|(document, _)| !is_impossible && fits(document))
            .map(|(document, (score, matched))| {
                let share = f64::from(matched) / asked;
                (score * share * share * self.reputation(web, document), document)
            })
            .collect();
        ranked.sort_unstable_by(|one, other| other.0.total_cmp(&one.0).then(one.1.cmp(&other.1)));
        self.hits(&ranked, page)
    }

    fn hits(&self, ranked: &[(f64, u32)], page: u32) -> Hits {
        let start = if (1..=MAX_RESULT_PAGES).contains(&page) {
            (page - 1) as usize * PER_PAGE
        } else {
            ranked.len()
        };
        let shown = ranked.iter().skip(start).take(PER_PAGE);
        let hit = |(score, document): &(f64, u32)| {
            let document = &self.documents[*document as usize];
            Hit {
                url: document.url.clone(),
                title: document.title.clone(),
                content: document.snippet.clone(),
                score: (score * 1000.0).floor() / 1000.0,
            }
        };
        Hits {
            total: ranked.len() as u64,
            hits: shown.map(hit).collect(),
        }
    }

    fn weight(&self, document: u32, count: u32) -> f64 {
        let words = f64::from(self.documents[document as usize].words);
        let count = f64::from(count);
        count * (SATURATION + 1.0)
            / (count + SATURATION * (1.0 - LENGTH_PENALTY + LENGTH_PENALTY * words / self.average))
    }

    /// Returns the reputation of a site, from 0.5 to 1.5.
    fn reputation(&self, web: &Web, document: u32) -> f64 {
        let site = &web.all_sites()[self.documents[document as usize].site as usize];
        let key: Key = site.key.of("standing", 0);
        0.5 + key.unit()
    }

    fn is_on(&self, web: &Web, document: u32, wanted: &str) -> bool {
        let host = &web.all_sites()[self.documents[document as usize].site as usize]
            .hosts
            .main;
        host == wanted || host.strip_suffix(wanted).is_some_and(|rest| rest.ends_with('.'))
    }
}

/// Returns the text of a page's objects. Filler is not indexed, since no one searches for it.
fn text(content: &Content) -> String {
    let fields = content.records.iter().flat_map(|record| &record.fields);
    fields
        .map(|field| field.text.as_str())
        .collect::<Vec<_>>()
        .join(" ")
}

/// Hashes the words of a text: letters and digits in lower case. A hyphen after a digit does not
/// divide a word.
fn words(text: &str) -> Vec<u64> {
    let mut hashes = Vec::new();
    let mut word = String::new();
    for letter in text.chars().chain([' ']) {
        match letter {
            letter if letter.is_alphanumeric() => word.extend(letter.to_lowercase()),
            '-' if word.bytes().last().is_some_and(|last| last.is_ascii_digit()) => {}
            _ if word.is_empty() => {}
            _ => {
                hashes.push(Key::root(0).of(&word, 0).bits());
                word.clear();
            }
        }
    }
    hashes
}
