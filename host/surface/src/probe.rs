//! Keywords for a text box, found by probing.
//!
//! The published method submits the words of the page with the form, then in rounds the most
//! characteristic words of the result pages. The adaptive method asks after each answer for the
//! request with the most expected new objects: another keyword, or the next page of an earlier one.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::outcome::{ObjectId, Outcome};
use crate::size::{Captures, Estimate};
use crate::text::{self, Frequencies};
use crate::yields::{Calibration, Matches, Yields, expected_new};

/// Maximum number of different words that are kept.
const MAX_WORDS: usize = 200_000;

/// Minimum length of a keyword in bytes.
const MIN_KEYWORD_LEN: usize = 2;

/// Minimum similarity of the words of two result pages in one cluster.
const CLUSTER: f64 = 0.5;

/// Number of words of the page with the form that the adaptive method tries in any case.
const MIN_FIRST: usize = 5;

/// Expected length of a list that has a further page, in relation to the part that was shown.
const AT_LEAST: f64 = 2.0;

/// Kind of all words in the prediction of results.
const WORD: &str = "word";

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// Rounds of characteristic words, first pages only.
    Published,
    /// The request with the most expected new objects.
    Adaptive,
}

/// Limits of probing. The defaults are those of the publication.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Settings {
    /// The way in which words are chosen.
    pub method: Method,
    /// Number of words of the page with the form.
    pub first_keywords: usize,
    /// Number of words of each result page.
    pub page_keywords: usize,
    pub max_rounds: usize,
    pub max_keywords: usize,
    pub max_requests: usize,
    /// Words on a larger share of result pages are dropped.
    pub max_page_share: f64,
    /// Minimum share of distinct answers to the first keywords.
    pub tau: f64,
    /// True to request further pages of an answer; the adaptive method only.
    pub follows_pages: bool,
    /// Number of results that a page shows, before the first answer.
    pub page_size: u32,
}

impl Settings {
    /// Returns the published limits with a method.
    pub fn new(method: Method) -> Settings {
        Settings {
            method,
            first_keywords: 50,
            page_keywords: 25,
            max_rounds: 15,
            max_keywords: 500,
            max_requests: 500,
            max_page_share: 0.8,
            tau: 0.2,
            follows_pages: false,
            page_size: 10,
        }
    }
}

/// A request for a page of the answer to a keyword.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Query {
    /// The words that are asked for.
    pub keyword: String,
    /// The position of the result page, from 0.
    pub page: u32,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TextProbe {
    settings: Settings,
    words: BTreeMap<String, Word>,
    /// Keywords of the current round, the next one last.
    round: Vec<String>,
    rounds: usize,
    answers: Vec<Answer>,
    #[serde(with = "crate::pairs")]
    running: BTreeMap<String, Running>,
    seen: BTreeSet<ObjectId>,
    /// Number of objects that links lead to.
    linked: usize,
    signatures: BTreeSet<u64>,
    yields: Yields,
    further: Calibration,
    captures: Captures,
    requests: usize,
    page_size: f64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Word {
    /// Number of seen objects with the word; of pages, if the text of objects is not known.
    seen: u32,
    is_asked: bool,
    /// Total number of results, if the answer showed it.
    results: Option<u64>,
}

/// A result page of the published method.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Answer {
    keyword: String,
    words: Vec<String>,
    is_empty: bool,
}

/// A query with further pages.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Running {
    next_page: u32,
    shown: f64,
    /// Total number of results, stated or predicted.
    results: f64,
}

impl TextProbe {
    /// Starts with the words of the page that holds the form, and words of the site that are known
    /// otherwise, such as those of objects of the warehouse.
    pub fn new(settings: Settings, form_page: &str, known: &[&str]) -> TextProbe {
        let mut frequencies = Frequencies::default();
        let documents: Vec<Vec<String>> = [form_page]
            .iter()
            .chain(known)
            .map(|text| text::words(text))
            .collect();
        for document in &documents {
            frequencies.add(document.iter().map(String::as_str));
        }
        let all: Vec<String> = documents
            .into_iter()
            .flatten()
            .filter(|word| is_keyword(word))
            .collect();
        let top = frequencies
            .top(&all)
            .into_iter()
            .map(|(word, _)| word)
            .take(settings.first_keywords);
        let mut round: Vec<String> = top.collect();
        round.reverse();
        let words = round.iter().map(|word| (word.clone(), Word::default())).collect();
        TextProbe {
            page_size: f64::from(settings.page_size.max(1)),
            settings,
            words,
            round,
            rounds: 0,
            answers: Vec::new(),
            running: BTreeMap::new(),
            seen: BTreeSet::new(),
            linked: 0,
            signatures: BTreeSet::new(),
            yields: Yields::default(),
            further: Calibration::default(),
            captures: Captures::default(),
            requests: 0,
        }
    }

    /// Returns the next request, or `None` at the end.
    #[expect(
        clippy::should_implement_trait,
        reason = "`record` is called between two calls"
    )]
    pub fn next(&mut self) -> Option<Query> {
        if self.requests >= self.settings.max_requests {
            return None;
        }
        match self.settings.method {
            Method::Published => self.next_of_round(),
            Method::Adaptive => self.next_expected(),
        }
    }

    /// Records an answer: its outcome, the text of the page, and the text of each object on it if a
    /// vertical read them.
    pub fn record(&mut self, query: &Query, outcome: &Outcome, page: &str, objects: &[(ObjectId, &str)]) {
        self.requests += 1;
        self.round.retain(|word| *word != query.keyword);
        let known = self.words.get(&query.keyword).map_or(0, |word| word.seen);
        let running = self.running.get(&query.keyword);
        // Predicted before the answer is learned, since the calibration compares it with the
        // answer.
        let expected = running.map(|running| self.expected_further(&query.keyword, running));
        if query.page == 0 {
            self.signatures.insert(outcome.result_signature());
            let word = self.words.entry(query.keyword.clone()).or_default();
            word.is_asked = true;
            word.results = outcome.total();
        }
        let shown = outcome.objects.len();
        let new: Vec<ObjectId> = outcome
            .objects
            .iter()
            .copied()
            .filter(|id| !self.seen.contains(id))
            .collect();
        if let Some(expected) = expected {
            self.further.add(expected, new.len() as f64);
        }
        self.learn_words(page, objects, !outcome.is_empty);
        self.seen.extend(&new);
        self.captures.add(&outcome.objects, outcome.reported_count);
        if self.settings.method == Method::Published {
            let words: BTreeSet<String> = text::words(page)
                .into_iter()
                .filter(|word| is_keyword(word))
                .collect();
            self.answers.push(Answer {
                keyword: query.keyword.clone(),
                words: words.into_iter().collect(),
                is_empty: outcome.is_empty,
            });
            return;
        }
        if outcome.has_next {
            self.page_size = self.page_size.max(shown as f64);
        }
        let before = self.running.remove(&query.keyword);
        let shown = before.as_ref().map_or(0.0, |running| running.shown) + shown as f64;
        // Lists that continued up to here are expected to have as many pages again.
        let at_least = match outcome.has_next {
            true => shown * AT_LEAST,
            false => shown,
        };
        let results = match outcome.total() {
            Some(total) if outcome.reported_count.is_some() || query.page == 0 => total as f64,
            _ => {
                let predicted = before.as_ref().map_or_else(
                    || self.yields.results(WORD, matches(known)),
                    |running| running.results,
                );
                predicted.max(at_least)
            }
        };
        if query.page == 0 {
            self.yields
                .record(WORD, matches(known), self.page_size, results, new.len() as f64);
        }
        if outcome.has_next && self.settings.follows_pages && shown > 0.0 {
            let running = Running {
                next_page: query.page + 1,
                shown,
                results,
            };
            self.running.insert(query.keyword.clone(), running);
        }
    }

    /// Takes objects that the site has shown otherwise: on pages that links lead to, or as the
    /// answer to `query`, which did not come from here. Its further pages may be asked for.
    pub fn observe(
        &mut self,
        query: Option<&str>,
        outcome: &Outcome,
        page: &str,
        objects: &[(ObjectId, &str)],
    ) {
        self.learn_words(page, objects, !outcome.is_empty);
        self.seen.extend(&outcome.objects);
        let Some(query) = query else {
            self.linked += outcome.objects.len();
            self.yields.have_linked();
            return;
        };
        self.captures.add(&outcome.objects, outcome.reported_count);
        if !outcome.has_next || !self.settings.follows_pages || outcome.objects.is_empty() {
            return;
        }
        let shown = outcome.objects.len() as f64;
        self.page_size = self.page_size.max(shown);
        let predicted = self.yields.results(WORD, matches(0));
        let results = outcome.total().map_or(predicted, |total| total as f64);
        let running = Running {
            next_page: 1,
            shown,
            results: results.max(shown * AT_LEAST),
        };
        self.running.insert(query.to_owned(), running);
    }

    /// Returns the requests of the adaptive method with the most expected new objects, the best
    /// first. Each is rated as if it were sent alone.
    pub fn next_rated(&self, count: usize) -> Vec<(f64, Query)> {
        if self.requests >= self.settings.max_requests {
            return Vec::new();
        }
        let mut rated = self.rated();
        rated.sort_by(|one, other| other.0.total_cmp(&one.0));
        rated.truncate(count);
        let own = |(value, keyword, page): (f64, &str, u32)| {
            let keyword = keyword.to_owned();
            (value, Query { keyword, page })
        };
        rated.into_iter().map(own).collect()
    }

    /// Returns true if different keywords have different answers, so the text box is a search box.
    pub fn is_informative(&self) -> bool {
        let asked = self.words.values().filter(|word| word.is_asked).count();
        asked > 1 && self.signatures.len() as f64 >= self.settings.tau * asked as f64
    }

    /// Returns the keywords that had results. The published method returns one for each cluster of
    /// similar pages.
    pub fn selected(&self) -> Vec<String> {
        if self.settings.method == Method::Adaptive {
            let asked = self
                .words
                .iter()
                .filter(|(_, word)| word.is_asked && word.seen > 0);
            return asked
                .map(|(word, _)| word.clone())
                .take(self.settings.max_keywords)
                .collect();
        }
        let mut leaders: Vec<(&Answer, BTreeSet<&String>)> = Vec::new();
        for answer in self.answers.iter().filter(|answer| !answer.is_empty) {
            let words: BTreeSet<&String> = answer.words.iter().collect();
            let is_near = |leader: &BTreeSet<&String>| {
                let both = leader.intersection(&words).count();
                both as f64 >= CLUSTER * (leader.len() + words.len() - both) as f64
            };
            if !leaders.iter().any(|(_, leader)| is_near(leader))
                && leaders.len() < self.settings.max_keywords
            {
                leaders.push((answer, words));
            }
        }
        leaders
            .into_iter()
            .map(|(answer, _)| answer.keyword.clone())
            .collect()
    }

    /// Returns the words of the objects found, each with its expected number of results, in the
    /// order of the alphabet. Words of nearly all objects are left out: they are labels, or words
    /// that searches ignore. [`PoolEstimate`](crate::size::PoolEstimate) draws from such a pool.
    pub fn pool(&self) -> Vec<(String, f64)> {
        let max = self.settings.max_page_share * self.seen.len() as f64;
        let is_usual = |word: &Word| word.seen > 0 && f64::from(word.seen) <= max && word.results != Some(0);
        let seen = self.words.iter().filter(|(_, word)| is_usual(word));
        let results = |word: &Word| match word.results {
            Some(results) => results as f64,
            None => self.yields.results(WORD, matches(word.seen)),
        };
        seen.map(|(name, word)| (name.clone(), results(word))).collect()
    }

    pub fn found(&self) -> usize {
        self.seen.len()
    }

    /// Returns the number of requests that were recorded.
    pub fn requests(&self) -> usize {
        self.requests
    }

    /// Estimates the number of objects behind the text box.
    pub fn size(&self) -> Estimate {
        self.captures.estimate()
    }

    /// Counts the words of objects that were not seen before; of the page, without objects.
    fn learn_words(&mut self, page: &str, objects: &[(ObjectId, &str)], has_results: bool) {
        let new = objects
            .iter()
            .filter(|(id, _)| !self.seen.contains(id))
            .map(|(_, text)| *text);
        let mut texts: Vec<&str> = new.collect();
        // Without a vertical that reads objects, the page is all that there is. An empty page has
        // the words of its template.
        if objects.is_empty() && has_results {
            texts.push(page);
        }
        for text in texts {
            let words: BTreeSet<String> = text::words(text)
                .into_iter()
                .filter(|word| is_keyword(word))
                .collect();
            for word in words {
                if self.words.len() < MAX_WORDS || self.words.contains_key(&word) {
                    self.words.entry(word).or_default().seen += 1;
                }
            }
        }
    }

    /// Returns the next keyword of the round, or begins another round.
    fn next_of_round(&mut self) -> Option<Query> {
        if self.round.is_empty() {
            if self.rounds >= self.settings.max_rounds || (self.rounds == 0 && !self.is_informative()) {
                return None;
            }
            self.rounds += 1;
            self.round = self.characteristic_words();
        }
        let keyword = self.round.last()?.clone();
        Some(Query { keyword, page: 0 })
    }

    /// Chooses the keywords of a round: the words with the highest weight on each result page,
    /// without those on too many pages or on one page. Rounds share the keywords evenly.
    fn characteristic_words(&self) -> Vec<String> {
        let mut frequencies = Frequencies::default();
        let answers = || self.answers.iter().filter(|answer| !answer.is_empty);
        for answer in answers() {
            frequencies.add(answer.words.iter().map(String::as_str));
        }
        let max_pages = self.settings.max_page_share * f64::from(frequencies.documents());
        let mut best: BTreeMap<String, f64> = BTreeMap::new();
        for answer in answers() {
            for (word, weight) in frequencies
                .top(&answer.words)
                .into_iter()
                .take(self.settings.page_keywords)
            {
                let pages = frequencies.of(&word);
                let is_asked = self.words.get(&word).is_some_and(|word| word.is_asked);
                if pages > 1 && f64::from(pages) <= max_pages && !is_asked {
                    *best.entry(word).or_default() += weight;
                }
            }
        }
        let mut words: Vec<(String, f64)> = best.into_iter().collect();
        words.sort_by(|one, other| other.1.total_cmp(&one.1));
        let rest = self
            .settings
            .max_keywords
            .saturating_sub(self.settings.first_keywords);
        words.truncate(rest.div_ceil(self.settings.max_rounds.max(1)));
        words.into_iter().rev().map(|(word, _)| word).collect()
    }

    /// Returns the request with the most expected new objects.
    fn next_expected(&self) -> Option<Query> {
        // Ties go to the first, so that equal input gives equal queries.
        let best = self
            .rated()
            .into_iter()
            .reduce(|best, other| match other.0 > best.0 {
                true => other,
                false => best,
            });
        best.map(|(_, keyword, page)| Query {
            keyword: keyword.to_owned(),
            page,
        })
    }

    /// Returns all requests that may be next, with their expected numbers of new objects.
    fn rated(&self) -> Vec<(f64, &str, u32)> {
        let further = self.further.ratio();
        let running = self.running.iter().map(|(keyword, running)| {
            let value = further * self.expected_further(keyword, running);
            (value, keyword.as_str(), running.next_page)
        });
        let mut rated: Vec<(f64, &str, u32)> = running.collect();
        let asked = self.words.values().filter(|word| word.is_asked).count();
        if asked < self.settings.max_keywords {
            let open = self.words.iter().filter(|(_, word)| !word.is_asked);
            rated.extend(open.map(|(keyword, word)| (self.expected_first(word), keyword.as_str(), 0)));
        }
        rated
    }

    /// Returns the expected number of new objects on the first page for a word.
    fn expected_first(&self, word: &Word) -> f64 {
        let is_first = self.requests < self.settings.first_keywords.min(MIN_FIRST);
        if word.seen == 0 && is_first && self.linked == 0 {
            // Before there are answers, words of the page with the form are tried.
            return self.page_size;
        }
        let first = self.yields.new_objects(WORD, matches(word.seen), self.page_size);
        if !self.settings.follows_pages {
            return first;
        }
        // The first page has the results that other queries showed first. A query with many new
        // results is worth its first page for those to come.
        let results = self.yields.results(WORD, matches(word.seen));
        let pages = (results / self.page_size).ceil().max(1.0);
        let further = self.further.ratio() * (results - f64::from(word.seen)).max(0.0) / pages;
        first + (further - first).max(0.0) * (pages - 1.0) / pages
    }

    /// Returns the expected number of new objects on the next page of a query.
    fn expected_further(&self, keyword: &str, running: &Running) -> f64 {
        let seen = self.words.get(keyword).map_or(0, |word| word.seen);
        let rest = running.results - running.shown;
        let known = (f64::from(seen) - running.shown).max(0.0);
        expected_new(rest, known, self.page_size)
    }
}

fn matches(seen: u32) -> Matches {
    Matches { known: seen, seen }
}

fn is_keyword(word: &str) -> bool {
    word.len() >= MIN_KEYWORD_LEN || !word.is_ascii()
}
