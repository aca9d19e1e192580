//! The search for authorities: pages that a validator accepts, found by queries of words.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::tokens::{MiddleOut, Token, set_hits};

/// Words whose hits are asked for, those with the largest weights. Each costs a query.
const MAX_COUNTED: usize = 60;

/// Queries over all, however many of them bring an authority.
const MAX_QUERIES: u32 = 1_000;

/// Failed queries in a row after which no more are asked.
const MAX_FAILURES: u32 = 5;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuthoritySettings {
    pub query_tokens: usize,
    /// Queries without a new authority after which no more are asked.
    pub iterations: u32,
}

/// The way from words to authorities.
///
/// A state machine: [`step`](AuthoritySearch::step) returns the next step, and the caller reports
/// its result. It can be serialised at any time and resumed; a step without a result is then
/// repeated.
///
/// First the hits of single words are counted, so that their weights are known. Then queries are
/// made of the words in the middle, outwards. The search ends when many queries in a row brought no
/// new authority.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct AuthoritySearch {
    settings: AuthoritySettings,
    tokens: Vec<Token>,
    /// The hits of the first words.
    hits: Vec<u64>,
    /// Queries that were asked.
    number: u32,
    /// Queries since the last that brought a new authority.
    idle: u32,
    failures: u32,
    /// The verdicts on pages, by their URLs.
    judged: BTreeMap<String, bool>,
    authorities: Vec<String>,
    is_counted: bool,
    #[serde(skip)]
    queries: Option<MiddleOut>,
    #[serde(skip)]
    pending: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SearchStep {
    /// Count the hits of this word, then say the number with [`AuthoritySearch::count`].
    Hits(String),
    /// Ask this and judge the pages that are found, then say what came of it with
    /// [`AuthoritySearch::take`] or [`AuthoritySearch::failed`].
    Ask(WordQuery),
    /// Nothing: [`AuthoritySearch::authorities`] has the pages.
    Done(SearchEnd),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WordQuery {
    /// The number of the query, from 0; the same until it is answered.
    pub number: u32,
    pub text: String,
}

/// The reason for the end of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SearchEnd {
    /// The last queries brought no new authority.
    NothingNew,
    /// Every query was asked.
    Exhausted,
    /// As many were asked as may be.
    Budget,
    /// The engine failed again and again.
    Failing,
}

impl SearchEnd {
    /// Returns a sentence for a person.
    pub fn sentence(self) -> &'static str {
        match self {
            SearchEnd::NothingNew => "the last queries found no further page that is accepted",
            SearchEnd::Exhausted => "every query was sent",
            SearchEnd::Budget => "the maximum number of queries was sent",
            SearchEnd::Failing => "the search engine failed too often in a row",
        }
    }
}

impl AuthoritySearch {
    pub fn new(settings: AuthoritySettings, tokens: Vec<Token>) -> AuthoritySearch {
        AuthoritySearch {
            settings,
            tokens,
            hits: Vec::new(),
            number: 0,
            idle: 0,
            failures: 0,
            judged: BTreeMap::new(),
            authorities: Vec::new(),
            is_counted: false,
            queries: None,
            pending: None,
        }
    }

    /// Returns the next step; the same until its result is reported.
    pub fn step(&mut self) -> SearchStep {
        // Every count costs a query, so only the words with the largest weights are counted.
        let counted = self.tokens.len().min(MAX_COUNTED);
        if let Some(token) = self.tokens[..counted].get(self.hits.len()) {
            return SearchStep::Hits(token.word.clone());
        }
        self.weigh();
        // A failing engine also brings nothing new, so this reason is checked first.
        if self.failures >= MAX_FAILURES {
            return SearchStep::Done(SearchEnd::Failing);
        }
        // A setting of 0 would end the search before its first query.
        if self.idle >= self.settings.iterations.max(1) {
            return SearchStep::Done(SearchEnd::NothingNew);
        }
        if self.number >= MAX_QUERIES {
            return SearchStep::Done(SearchEnd::Budget);
        }
        if self.pending.is_none() {
            let queries = self.queries.get_or_insert_with(|| {
                let mut queries = MiddleOut::new(&self.tokens, self.settings.query_tokens);
                // Those that were asked before the search was resumed.
                (0..self.number).for_each(|_| drop(queries.next()));
                queries
            });
            self.pending = queries.next().map(|words| words.join(" "));
        }
        match &self.pending {
            Some(text) => SearchStep::Ask(WordQuery {
                number: self.number,
                text: text.clone(),
            }),
            None => SearchStep::Done(SearchEnd::Exhausted),
        }
    }

    /// Takes the number of hits of the word that [`step`](AuthoritySearch::step) named.
    pub fn count(&mut self, hits: u64) {
        if self.hits.len() < self.tokens.len().min(MAX_COUNTED) {
            self.hits.push(hits);
        }
    }

    /// Sets the weights once all hits are counted. Words that no page has are left out, unless that
    /// leaves none: then nothing is known of hits, and all words weigh the same.
    fn weigh(&mut self) {
        if std::mem::replace(&mut self.is_counted, true) {
            return;
        }
        // Words that were not counted have no search weight and can't be part of a query.
        self.tokens.truncate(self.hits.len());
        if self.hits.iter().all(|hits| *hits == 0) {
            self.hits.fill(1);
        }
        set_hits(&mut self.tokens, &self.hits);
    }

    /// Takes the pages that a query led to, each with the verdict on it. Returns the number of new
    /// authorities; 0 if the query is not the pending one, so that a repeated answer counts once.
    pub fn take(&mut self, number: u32, pages: impl IntoIterator<Item = (String, bool)>) -> usize {
        if !self.answered(number) {
            return 0;
        }
        self.failures = 0;
        let mut new = 0;
        for (url, is_accepted) in pages {
            // Several queries can find the same page, and it counts once.
            let before = self.judged.insert(url.clone(), is_accepted);
            if is_accepted && before != Some(true) {
                self.authorities.push(url);
                new += 1;
            }
        }
        self.idle = match new {
            0 => self.idle + 1,
            _ => 0,
        };
        new
    }

    /// Reports that a query has no answer. It is not repeated.
    pub fn failed(&mut self, number: u32) {
        if self.answered(number) {
            self.failures += 1;
            self.idle += 1;
        }
    }

    fn answered(&mut self, number: u32) -> bool {
        // The pending query is forgotten only by its own answer; the next step then makes another.
        let is_pending = number == self.number && self.pending.take().is_some();
        self.number += u32::from(is_pending);
        is_pending
    }

    /// Returns the verdict on a page that a query led to.
    pub fn verdict(&self, url: &str) -> Option<bool> {
        self.judged.get(url).copied()
    }

    /// The accepted pages, in the order in which they were found.
    pub fn authorities(&self) -> &[String] {
        &self.authorities
    }

    /// The words with their weights, those with the largest TF-IDF first.
    pub fn tokens(&self) -> &[Token] {
        &self.tokens
    }

    /// The number of queries that were asked.
    pub fn asked(&self) -> u32 {
        self.number
    }

    /// The number of pages that were judged.
    pub fn judged(&self) -> usize {
        self.judged.len()
    }
}
