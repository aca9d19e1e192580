//! The asking of one template: which query comes next, and what an answer means.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};

use magpie_discovery::UrlTemplate;
use magpie_model::{CanonicalUrl, PostedForm, Record, VerticalInfo};
use magpie_rows::{
    ArgumentKind, ArgumentRow, QueryTemplateRow, SelectedQuery, SiteId, SubmissionOutcome, SubmissionRow,
    TemplateState, UrlId,
};
use magpie_surface::arguments::{self, ArgumentStudy, Probe};
use magpie_surface::empty::{self, EmptyPages, ResultPage, bad_queries};
use magpie_surface::entities::{Candidate, Described, EntityQueries, Ranking};
use magpie_surface::probe::{self, TextProbe};
use magpie_surface::size::two_samples;
use magpie_surface::{ObjectId, Outcome};
use magpie_values::Timestamp;
use magpie_values::kind::Comparison;
use serde::{Deserialize, Serialize};
use url::Url;

use super::method::SurfaceMethod;
use super::queue::QueryQueue;
use super::recorder::{Kind, Requests, SeenPage, kind_of, link_hash};
use super::redirects::Redirects;

/// Bad and good queries of a trial.
const TRIAL_QUERIES: usize = 3;

/// Good queries without an object after which a template counts as fruitless.
pub(super) const MAX_FRUITLESS: u32 = 12;

/// Words of a value that names an entity at most.
const MAX_ENTITY_WORDS: usize = 6;

/// Mean number of new objects of the last queries of a run below which it asks no more.
pub(super) const MIN_YIELD: f64 = 0.2;

/// The number of these queries.
pub(super) const LAST_QUERIES: usize = 20;

/// Objects of a detail page: its own, and at times a similar one.
pub(super) const MAX_DETAIL_OBJECTS: usize = 2;

/// Names and words that are asked before their ratings are trusted.
const MIN_OF_SORT: u32 = 5;

/// Share of the best rating that others of a batch must have.
pub(super) const MIN_SHARE_OF_BEST: f64 = 0.5;

/// Doubtful arguments that are skipped at a time since their requests could act.
const MAX_PROBES: usize = 20;

/// Queries before which an estimate of the size says nothing.
const MIN_CAPTURES: u32 = 20;

/// Objects that links lead to and that a search has shown, before these tell the size.
pub(super) const MIN_BOTH: usize = 10;

/// Objects of an answer before it tells the effect of an argument.
const MIN_TELLING: usize = 3;

/// Answers after which the links that most of them have are known: those lead to no result.
pub(super) const MIN_ANSWERS: u32 = 3;

/// Links on answers that are counted.
pub(super) const MAX_LINKED: usize = 20_000;

/// Names of new objects in a round at most.
const MAX_NEW_NAMES: usize = 10;

/// Requests for words at most, over all runs.
const MAX_WORD_REQUESTS: usize = 10_000;

/// Results of a page before one was seen.
const PAGE_SIZE: u32 = 10;

/// Texts of links to the next page of a list.
const NEXT: [&str; 24] = [
    "avanti",
    "další",
    "dalej",
    "następna",
    "neste",
    "next",
    "next page",
    "nächste",
    "nächste seite",
    "näste",
    "nästa",
    "older",
    "page suivante",
    "próxima",
    "próximo",
    "seguinte",
    "siguiente",
    "successiva",
    "suivant",
    "volgende",
    "weiter",
    "далее",
    "下一页",
    "次へ",
];

/// A request to a template.
#[derive(Clone, Debug)]
pub(super) enum Ask {
    /// A query that nothing matches.
    Bad(String),
    /// The name of an entity.
    Entity { kind: String, query: String },
    /// A word, or the arguments of a filter, and the number of the page of its results, from 0.
    Word(probe::Query),
    /// The effect of an argument.
    Argument(Probe),
}

/// The answer to a request.
#[derive(Clone, Debug, Default)]
pub(super) struct Answer {
    /// The page that answered, after redirects; none if there was no page.
    pub(super) page: Option<SeenPage>,
    /// Its URL.
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
    /// The server says that there is no such page, as some do if nothing matches.
    pub(super) is_missing: bool,
}

impl Answer {
    /// Returns `true` if it was reached by a redirect.
    pub(super) fn is_redirected(&self) -> bool {
        !self.hops.is_empty()
    }
}

/// The state from which asking goes on.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Memory {
    empty: EmptyPages,
    study: ArgumentStudy,
    entities: EntityQueries,
    words: Option<TextProbe>,
    /// Requests of each sort that were answered.
    bad: usize,
    good: u32,
    fruitless: u32,
    failed: u32,
    asked: u64,
    /// The objects of the answers to queries.
    objects: BTreeSet<ObjectId>,
    /// An answer had objects, be it one to nonsense. Without any, a search that ignores its input
    /// looks like one that finds nothing.
    has_shown_objects: bool,
    /// Hashes of the links on answers to nonsense.
    furniture: BTreeSet<u64>,
    /// Kinds of the pages that nonsense was redirected to.
    result_kinds: BTreeSet<Kind>,
    /// For each link on other answers the number of them that have it, and the number of answers.
    linked: BTreeMap<u64, u32>,
    answers: u32,
    /// URLs of further pages of results, by word and number.
    next_pages: Vec<(probe::Query, String)>,
    /// Objects of the site that links lead to.
    linked_objects: BTreeSet<ObjectId>,
    /// The template that the answers redirect to.
    #[serde(default)]
    redirects: Redirects,
    /// Objects that another template has shown first.
    #[serde(default)]
    elsewhere: BTreeSet<ObjectId>,
}

/// A template that is asked queries.
pub(super) struct Search {
    pub(super) site: SiteId,
    pub(super) state: TemplateState,
    text: String,
    template: UrlTemplate,
    /// The template is that of a form which is sent by POST.
    is_post: bool,
    detail: String,
    memory: Memory,
    method: SurfaceMethod,
    seed: u64,
    submissions: Vec<SubmissionRow>,
    /// New objects of the last queries of this run.
    last_new: VecDeque<u32>,
    /// Requests that may still be sent in this run.
    left: u64,
    /// The queries of a round, in place of those that seem best.
    round: Option<QueryQueue>,
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

impl Search {
    /// Begins with a template, or goes on where it was left.
    pub(super) fn new(
        site: SiteId,
        text: &str,
        kept: Option<&QueryTemplateRow>,
        max_requests: u64,
    ) -> Option<Search> {
        let template: UrlTemplate = text.parse().ok()?;
        let keyword = template.keyword_argument().unwrap_or_default().to_owned();
        let memory = kept.and_then(|row| serde_json::from_str(&row.memory).ok());
        let state = match (&memory, kept) {
            (Some(_), Some(row)) => row.state,
            _ => TemplateState::Trial,
        };
        Some(Search {
            site,
            state,
            text: text.to_owned(),
            is_post: template.is_post(),
            template,
            detail: kept.map_or_else(String::new, |row| row.detail.clone()),
            memory: memory.unwrap_or_else(|| Memory {
                empty: EmptyPages::new(empty::Method::Fitted),
                study: ArgumentStudy::new(arguments::Method::ByEffect, &keyword),
                entities: EntityQueries::new(Ranking::Expected, PAGE_SIZE),
                words: None,
                bad: 0,
                good: 0,
                fruitless: 0,
                failed: 0,
                asked: 0,
                objects: BTreeSet::new(),
                has_shown_objects: false,
                furniture: BTreeSet::new(),
                result_kinds: BTreeSet::new(),
                linked: BTreeMap::new(),
                answers: 0,
                next_pages: Vec::new(),
                redirects: Redirects::default(),
                linked_objects: BTreeSet::new(),
                elsewhere: BTreeSet::new(),
            }),
            method: SurfaceMethod::Auto,
            seed: site.0.cast_unsigned(),
            submissions: Vec::new(),
            last_new: VecDeque::new(),
            left: max_requests,
            round: None,
        })
    }

    /// Restricts the sorts of queries that are asked.
    pub(super) fn by_method(self, method: SurfaceMethod) -> Search {
        Search { method, ..self }
    }

    /// Adds what may be asked for: the entities of known objects and the words of their records,
    /// and queries from elsewhere. Objects that links lead to count as shown, so no query that
    /// brings only them is asked.
    pub(super) fn add_candidates(&mut self, known: &Known<'_>, candidates: &[Candidate]) {
        let memory = &mut self.memory;
        let words = memory.words.get_or_insert_with(|| {
            let settings = probe::Settings {
                follows_pages: true,
                max_requests: MAX_WORD_REQUESTS,
                max_keywords: MAX_WORD_REQUESTS,
                ..probe::Settings::new(probe::Method::Adaptive)
            };
            let texts: Vec<&str> = known.texts.iter().map(String::as_str).collect();
            TextProbe::new(settings, "", &texts)
        });
        // Pages that earlier queries led to are among those of the site.
        let linked = known.linked.iter();
        let texts: Vec<(ObjectId, &str)> = linked
            .filter(|(id, _)| !memory.objects.contains(id) && !memory.elsewhere.contains(id))
            .map(|(id, text)| (*id, text.as_str()))
            .collect();
        let linked: Vec<ObjectId> = texts.iter().map(|(id, _)| *id).collect();
        words.observe(None, &Outcome::new(linked.iter().copied()), "", &texts);
        memory.entities.observe(&linked, known.objects);
        for candidate in candidates {
            memory.entities.add_candidate(candidate.clone());
        }
        memory.linked_objects.extend(linked);
    }

    /// Takes the queries of a round, which are asked again and in place of others; before them come
    /// names of objects that are new in the warehouse and that this site may have. Returns their
    /// number.
    pub(super) fn begin_round(&mut self, queries: &[SelectedQuery], known: &Known<'_>) -> u64 {
        let new = known.objects.iter();
        let new: Vec<&Described> = new
            .filter(|object| !self.memory.entities.knows(object.id))
            .collect();
        self.add_candidates(known, &[]);
        // It may answer again.
        if self.state == TemplateState::Failing {
            (self.state, self.memory.failed) = (TemplateState::Working, 0);
        }
        let entities = &self.memory.entities;
        let names = new.into_iter().flat_map(|object| &object.entities);
        let mut names: Vec<(f64, &String)> = names
            .filter_map(|(kind, name)| Some((entities.expected_new(kind, name)?, name)))
            .filter(|(expected, _)| *expected >= MIN_YIELD)
            .collect();
        names.sort_by(|one, other| other.0.total_cmp(&one.0));
        let mut round = QueryQueue::default();
        let names = names.into_iter().map(|(_, name)| (name, 1)).take(MAX_NEW_NAMES);
        let queries = queries.iter().map(|query| (&query.query, query.pages));
        for (query, pages) in names.chain(queries) {
            round.add(query, pages);
        }
        let count = round.len() as u64;
        self.round = Some(round);
        count
    }

    /// Takes objects that another template of the site has shown. They count as shown.
    pub(super) fn observe_elsewhere(&mut self, answer: &Answer, info: &VerticalInfo) {
        let memory = &mut self.memory;
        let is_new = |id: &&ObjectId| {
            let sets = [&memory.objects, &memory.linked_objects, &memory.elsewhere];
            sets.iter().all(|known| !known.contains(id))
        };
        let new: Vec<ObjectId> = answer.objects.iter().filter(is_new).copied().collect();
        if new.is_empty() {
            return;
        }
        let records = answer.records.iter().filter(|(id, _)| new.contains(id));
        let described: Vec<Described> = records
            .clone()
            .map(|(id, record)| describe(*id, record, info))
            .collect();
        let texts: Vec<(ObjectId, String)> =
            records.map(|(id, record)| (*id, text_of(record, info))).collect();
        let texts: Vec<(ObjectId, &str)> = texts.iter().map(|(id, text)| (*id, text.as_str())).collect();
        memory.entities.observe(&new, &described);
        if let Some(words) = &mut memory.words {
            words.observe(None, &Outcome::new(new.iter().copied()), "", &texts);
        }
        memory.elsewhere.extend(new);
    }

    /// Returns the new objects that the next request is expected to bring: infinity while that is
    /// unknown.
    pub(super) fn expected_new(&self) -> f64 {
        match self.state {
            TemplateState::Working if self.round.is_none() => {}
            TemplateState::Trial | TemplateState::Working => return f64::INFINITY,
            TemplateState::Inert
            | TemplateState::Fruitless
            | TemplateState::Failing
            | TemplateState::Forbidden => return 0.0,
        }
        let names = self.rated_names(1);
        let words: Vec<(f64, Ask)> = self.rated_words(1).collect();
        let is_new = (!names.is_empty() && self.memory.entities.requests() < MIN_OF_SORT)
            || (!words.is_empty() && self.has_new_words());
        let rated = names.into_iter().chain(words).map(|(value, _)| value);
        match is_new {
            true => f64::INFINITY,
            false => rated.fold(0.0, f64::max),
        }
    }

    /// Returns the next requests with their URLs, none if the template is done with.
    pub(super) fn next(&mut self, count: usize) -> Vec<(Ask, Url)> {
        let of_round = |round: &mut QueryQueue| round.take(count).into_iter().map(Ask::Word).collect();
        let asks = match self.state {
            TemplateState::Working if self.round.is_some() => {
                self.round.as_mut().map(of_round).unwrap_or_default()
            }
            TemplateState::Trial => self.trial(),
            TemplateState::Working => self.work(count),
            TemplateState::Inert
            | TemplateState::Fruitless
            | TemplateState::Failing
            | TemplateState::Forbidden => Vec::new(),
        };
        let left = usize::try_from(self.left).unwrap_or(usize::MAX);
        let asks = asks.into_iter().take(left);
        asks.filter_map(|ask| {
            let url = self.url_of(&ask)?;
            Some((ask, url))
        })
        .collect()
    }

    fn trial(&self) -> Vec<Ask> {
        let bad = bad_queries(self.seed);
        let bad = bad.into_iter().skip(self.memory.bad).map(Ask::Bad);
        let bad: Vec<Ask> = bad.take(TRIAL_QUERIES.saturating_sub(self.memory.bad)).collect();
        // Nonsense comes first: it shows which links all result pages have.
        if !bad.is_empty() {
            return bad;
        }
        let names = self.rated_names(TRIAL_QUERIES);
        let asks: Vec<(f64, Ask)> = match names.is_empty() {
            true => self.rated_words(TRIAL_QUERIES).collect(),
            false => names,
        };
        asks.into_iter().map(|(_, ask)| ask).collect()
    }

    /// Chooses the requests with the most expected new objects, be it names, words, or further
    /// pages of earlier answers; and one that tells what an argument does.
    fn work(&mut self, count: usize) -> Vec<Ask> {
        let sum: u32 = self.last_new.iter().sum();
        if self.last_new.len() == LAST_QUERIES && f64::from(sum) < MIN_YIELD * LAST_QUERIES as f64 {
            return Vec::new();
        }
        let names = self.rated_names(count);
        let words: Vec<(f64, Ask)> = self.rated_words(count).collect();
        // One of each sort is asked until there are answers: before, ratings say little.
        let is_new = [
            self.memory.entities.requests() < MIN_OF_SORT,
            self.has_new_words(),
        ];
        let sorts = [names, words].into_iter().zip(is_new);
        let mut rated: Vec<(f64, bool, Ask)> = sorts
            .flat_map(|(asks, is_new)| {
                let first = asks.into_iter().enumerate();
                first.map(move |(place, (value, ask))| (value, is_new && place == 0, ask))
            })
            .collect();
        rated.sort_by(|one, other| {
            (other.1, other.0)
                .partial_cmp(&(one.1, one.0))
                .unwrap_or(Ordering::Equal)
        });
        let best = rated.iter().map(|(value, ..)| *value).fold(0.0, f64::max);
        // What is worth little now may be worth more than others after the next answers.
        let worthy = rated
            .into_iter()
            .filter(|(value, is_first, _)| *is_first || *value >= best * MIN_SHARE_OF_BEST);
        let mut asks: Vec<Ask> = worthy.map(|(_, _, ask)| ask).take(count).collect();
        let probe = std::iter::from_fn(|| self.memory.study.next_probe());
        asks.extend(
            probe
                .take(MAX_PROBES)
                .find(|probe| is_safe(&probe.url))
                .map(Ask::Argument),
        );
        asks
    }

    fn rated_names(&self, count: usize) -> Vec<(f64, Ask)> {
        if !self.method.asks_names() {
            return Vec::new();
        }
        let names = self.memory.entities.next_rated(count).into_iter();
        names
            .map(|(value, candidate)| (value, entity(candidate)))
            .collect()
    }

    /// Returns `true` if too few words were asked for to trust their ratings.
    fn has_new_words(&self) -> bool {
        let words = self.memory.words.as_ref();
        words.is_some_and(|words| words.requests() < MIN_OF_SORT as usize)
    }

    fn rated_words(&self, count: usize) -> impl Iterator<Item = (f64, Ask)> {
        let words = self.memory.words.as_ref().filter(|_| self.method.asks_words());
        let words = words.map(|words| words.next_rated(count));
        let words = words.into_iter().flatten();
        words.map(|(value, query)| (value, Ask::Word(query)))
    }

    fn url_of(&self, ask: &Ask) -> Option<Url> {
        match ask {
            Ask::Bad(query) | Ask::Entity { query, .. } => self.filled(query),
            Ask::Word(word) if word.page == 0 => self.filled(&word.keyword),
            Ask::Word(word) => {
                let known = self.memory.next_pages.iter().find(|(page, _)| page == word)?;
                known.1.parse().ok()
            }
            Ask::Argument(probe) => probe.url.parse().ok(),
        }
    }

    /// Returns the URL for a query, at the template that answers redirect to if that is known.
    fn filled(&self, query: &str) -> Option<Url> {
        let redirected = self.memory.redirects.fill(query);
        redirected.or_else(|| self.template.fill(query, &[]))
    }

    /// Number of requests over all runs.
    pub(super) fn asked(&self) -> u64 {
        self.memory.asked
    }

    /// Adds what a crawl must know of a request and of the template.
    pub(super) fn describe_request(&self, ask: &Ask, url: &CanonicalUrl, requests: &mut Requests) {
        requests.asked.insert(url.fingerprint().0);
        // Further pages and arguments are links of answers, which never lead to a POST.
        let is_filled = match ask {
            Ask::Bad(_) | Ask::Entity { .. } => true,
            Ask::Word(word) => word.page == 0,
            Ask::Argument(_) => false,
        };
        if self.is_post && is_filled {
            requests.posted.insert(url.fingerprint().0);
        }
        // A path alone may be that of objects, too.
        if url.query().is_some() {
            requests.asked_kinds.insert(kind_of(url));
        }
        requests
            .result_kinds
            .extend(self.memory.result_kinds.iter().cloned());
        requests.furniture.extend(&self.memory.furniture);
        if self.memory.answers >= MIN_ANSWERS {
            requests.explored.insert(url.fingerprint().0);
            let linked = self.memory.linked.iter();
            let common = linked.filter(|(_, pages)| **pages * 2 > self.memory.answers);
            requests.furniture.extend(common.map(|(link, _)| link));
        }
        match ask {
            Ask::Bad(_) => {
                requests.nonsense.insert(url.fingerprint().0);
            }
            Ask::Entity { query, .. } => {
                requests.queries.insert(query.to_lowercase());
            }
            Ask::Word(word) => {
                requests.queries.insert(word.keyword.to_lowercase());
            }
            Ask::Argument(probe) => {
                let keyword = self.template.keyword_argument().unwrap_or_default();
                let url = Url::parse(&probe.url).ok();
                let pairs = url.iter().flat_map(Url::query_pairs);
                let own = pairs.filter(|(name, _)| name == keyword);
                requests
                    .queries
                    .extend(own.map(|(_, value)| value.to_lowercase()));
            }
        }
    }

    /// Takes an answer.
    pub(super) fn record(
        &mut self,
        (ask, url): (&Ask, &Url),
        answer: &Answer,
        (vertical, info): (&str, &VerticalInfo),
        now: Timestamp,
    ) {
        self.memory.asked += 1;
        self.left = self.left.saturating_sub(1);
        let query = match ask {
            Ask::Bad(query) | Ask::Entity { query, .. } => query,
            Ask::Word(word) => &word.keyword,
            Ask::Argument(probe) => &probe.url,
        };
        let (outcome, known) = match &answer.page {
            Some(page) => self.judge(ask, query, page, answer),
            None if answer.is_missing => (Outcome::new([]), SubmissionOutcome::Empty),
            None => (Outcome::new([]), SubmissionOutcome::Failed),
        };
        let known = match answer.is_refused {
            true => SubmissionOutcome::Refused,
            false => known,
        };
        let is_failure = matches!(known, SubmissionOutcome::Failed | SubmissionOutcome::Refused);
        let is_redirected = self.learn_redirect((ask, url), answer, is_failure || answer.is_missing);
        // A template that was learned from redirects is given up before the form is.
        self.memory.failed = match is_failure {
            true => self.memory.failed + u32::from(!is_redirected),
            false => 0,
        };
        let objects = outcome.objects.len();
        let is_new = |id: &&ObjectId| {
            let memory = &self.memory;
            let sets = [&memory.objects, &memory.linked_objects, &memory.elsewhere];
            sets.iter().all(|known| !known.contains(id))
        };
        let new = outcome.objects.iter().filter(is_new).count();
        let records = || answer.records.iter();
        let described: Vec<Described> = records()
            .map(|(id, record)| describe(*id, record, info))
            .collect();
        let texts: Vec<(ObjectId, String)> = records()
            .map(|(id, record)| (*id, text_of(record, info)))
            .collect();
        let texts: Vec<(ObjectId, &str)> = texts.iter().map(|(id, text)| (*id, text.as_str())).collect();
        let text = answer.page.as_ref().map_or("", |page| page.text.as_str());
        let words = self.memory.words.as_mut();
        match ask {
            Ask::Bad(_) => self.memory.bad += 1,
            Ask::Entity { kind, query } => {
                self.memory.entities.record(kind, query, &outcome, &described);
                if let Some(words) = words {
                    words.observe(Some(query), &outcome, text, &texts);
                }
            }
            Ask::Word(word) => {
                self.memory.entities.observe(&outcome.objects, &described);
                if let Some(words) = words {
                    words.record(word, &outcome, text, &texts);
                }
            }
            Ask::Argument(probe) => self.memory.study.record(probe, &outcome),
        }
        let result_page = match ask {
            Ask::Entity { .. } => Some(0),
            Ask::Word(word) => Some(word.page),
            Ask::Bad(_) | Ask::Argument(_) => None,
        };
        if let (Some(round), Ask::Word(word)) = (&mut self.round, ask)
            && outcome.has_next
        {
            round.follow(word, new > 0);
        }
        if matches!(ask, Ask::Entity { .. } | Ask::Word(_)) {
            self.memory.good += 1;
            self.memory.fruitless += u32::from(objects == 0);
            self.last_new.push_back(new.try_into().unwrap_or(u32::MAX));
            if self.last_new.len() > LAST_QUERIES {
                self.last_new.pop_front();
            }
        }
        if !matches!(ask, Ask::Bad(_)) {
            self.memory.objects.extend(&outcome.objects);
        }
        self.submissions.push(SubmissionRow {
            vertical: vertical.to_owned(),
            site: self.site,
            template: self.text.clone(),
            query: query.clone(),
            url: url.as_str().to_owned(),
            asked_at: now,
            outcome: known,
            objects: objects as u64,
            new_objects: new as u64,
            result_page: result_page.unwrap_or(0),
            shown_on: match result_page.is_some() && objects > 0 {
                true => answer.shown_on.clone(),
                false => Vec::new(),
            },
        });
        self.change_state();
    }

    /// Learns from the answer to a query where the template redirects to. Returns `true` if the
    /// query was asked there.
    fn learn_redirect(&mut self, (ask, url): (&Ask, &Url), answer: &Answer, is_failure: bool) -> bool {
        let query = match ask {
            Ask::Bad(query) | Ask::Entity { query, .. } => query,
            Ask::Word(word) if word.page == 0 => &word.keyword,
            Ask::Word(_) | Ask::Argument(_) => return false,
        };
        let is_redirected = self.template.fill(query, &[]).as_ref() != Some(url);
        let redirects = &mut self.memory.redirects;
        if is_redirected {
            redirects.note(is_failure);
        } else if !is_failure {
            redirects.learn(query, url, &answer.hops);
        }
        is_redirected
    }

    /// Reads a page: its outcome, and a word for it.
    fn judge(
        &mut self,
        ask: &Ask,
        query: &str,
        page: &SeenPage,
        answer: &Answer,
    ) -> (Outcome, SubmissionOutcome) {
        let result = ResultPage::new(&page.text, query, answer.objects.iter().copied());
        self.memory.has_shown_objects |= !answer.objects.is_empty();
        if let Ask::Bad(_) = ask {
            if answer.is_redirected()
                && let Some(url) = CanonicalUrl::trusted(answer.url.as_str())
            {
                self.memory.result_kinds.insert(kind_of(&url));
            }
            let links = page.links.iter().map(|(href, _, _)| link_hash(href));
            self.memory.furniture.extend(links);
            self.memory.empty.add_reference(result);
            return (Outcome::new([]), SubmissionOutcome::Empty);
        }
        let is_empty = self.memory.empty.judge(&result).is_empty;
        if !is_empty && !answer.is_redirected() {
            self.memory.answers += 1;
            let links: BTreeSet<u64> = page.links.iter().map(|(href, _, _)| link_hash(href)).collect();
            for link in links {
                if self.memory.linked.len() < MAX_LINKED || self.memory.linked.contains_key(&link) {
                    *self.memory.linked.entry(link).or_default() += 1;
                }
            }
        }
        if !matches!(ask, Ask::Argument(_)) {
            self.memory.empty.add_ordinary(result);
        }
        if is_empty || answer.objects.is_empty() {
            let word = match is_empty {
                true => SubmissionOutcome::Empty,
                false => SubmissionOutcome::Results,
            };
            return (Outcome::new([]), word);
        }
        let asked = match ask {
            Ask::Word(word) => Some((word.keyword.as_str(), word.page)),
            Ask::Entity { query, .. } => Some((query.as_str(), 0)),
            Ask::Bad(_) | Ask::Argument(_) => None,
        };
        let next = asked.and_then(|(_, number)| next_page(page, number));
        let next = next.filter(|next| is_safe(next));
        let mut outcome = Outcome::new(answer.objects.iter().copied());
        outcome.has_next = next.is_some();
        if let (Some((keyword, number)), Some(next)) = (asked, next) {
            let further = probe::Query {
                keyword: keyword.to_owned(),
                page: number + 1,
            };
            self.memory
                .next_pages
                .retain(|(page, _)| page.keyword != further.keyword);
            self.memory.next_pages.push((further, next));
        }
        let is_plain = match ask {
            Ask::Entity { .. } => true,
            Ask::Word(word) => word.page == 0,
            Ask::Bad(_) | Ask::Argument(_) => false,
        };
        // A filter that leaves one object as it is may still filter others. Arguments of a form
        // that is sent by POST are no links.
        let is_telling = outcome.objects.len() >= MIN_TELLING;
        if is_plain
            && is_telling
            && !self.is_post
            && let Some(keyword) = self.template.keyword_argument()
        {
            let embedded: Vec<&str> = page.links.iter().map(|(href, _, _)| href.as_str()).collect();
            let embedded: Vec<&str> = embedded
                .into_iter()
                .filter(|href| has_argument(href, keyword))
                .collect();
            self.memory.study.add_page(&answer.url, &outcome, &embedded);
        }
        let is_object = answer.objects.len() == 1 && self.leads_elsewhere(answer);
        let word = match is_object {
            true => SubmissionOutcome::Object,
            false => SubmissionOutcome::Results,
        };
        (outcome, word)
    }

    /// Returns `true` if an answer is no result page: other queries were not redirected to its
    /// kind.
    fn leads_elsewhere(&self, answer: &Answer) -> bool {
        let url = CanonicalUrl::trusted(answer.url.as_str());
        answer.is_redirected() && url.is_some_and(|url| !self.memory.result_kinds.contains(&kind_of(&url)))
    }

    fn change_state(&mut self) {
        let memory = &self.memory;
        if let Some(last) = self.submissions.last()
            && last.outcome == SubmissionOutcome::Refused
            && memory.objects.is_empty()
        {
            self.state = TemplateState::Forbidden;
            "the robots.txt or a setting forbids its result pages".clone_into(&mut self.detail);
        } else if memory.failed >= 3 {
            self.state = TemplateState::Failing;
            "three requests in a row were not answered with a page".clone_into(&mut self.detail);
        } else if memory.bad >= TRIAL_QUERIES
            && memory.good >= 2
            && memory.has_shown_objects
            && memory.empty.is_inert()
        {
            self.state = TemplateState::Inert;
            "nonsense and names of objects are answered with the same".clone_into(&mut self.detail);
        } else if memory.objects.is_empty() && memory.fruitless >= MAX_FRUITLESS {
            self.state = TemplateState::Fruitless;
            self.detail = format!("{} queries brought no object", memory.fruitless);
        } else if self.state == TemplateState::Trial
            && memory.bad >= TRIAL_QUERIES
            && !memory.objects.is_empty()
        {
            self.state = TemplateState::Working;
            self.detail.clear();
        }
    }

    /// Returns the row of the template and those of the queries since the last call.
    pub(super) fn take_rows(
        &mut self,
        vertical: &str,
        now: Timestamp,
    ) -> (QueryTemplateRow, Vec<SubmissionRow>) {
        let shown = &self.memory.objects;
        let both = shown.intersection(&self.memory.linked_objects).count();
        let estimate = match both >= MIN_BOTH {
            true => two_samples(self.memory.linked_objects.len(), shown.len(), both),
            false => self
                .memory
                .words
                .as_ref()
                .map(TextProbe::size)
                .unwrap_or_default(),
        };
        let row = QueryTemplateRow {
            vertical: vertical.to_owned(),
            site: self.site,
            template: self.text.clone(),
            state: self.state,
            detail: self.detail.clone(),
            asked: self.memory.asked,
            objects: self.memory.objects.len() as u64,
            size: Some((estimate.value, estimate.low, estimate.high))
                .filter(|_| self.memory.good >= MIN_CAPTURES),
            memory: serde_json::to_string(&self.memory).unwrap_or_default(),
            changed_at: now,
        };
        (row, std::mem::take(&mut self.submissions))
    }

    /// Returns the arguments of the result URLs, as far as they are known.
    pub(super) fn arguments(&self) -> Vec<ArgumentRow> {
        let study = &self.memory.study;
        let kinds = study.kinds().into_iter().filter(|(name, _)| !name.is_empty());
        kinds
            .map(|(name, kind)| ArgumentRow {
                prevalence: study.prevalence().of(&name),
                probes: study.probes_of(&name) as u64,
                kind: match kind {
                    arguments::Kind::Query => ArgumentKind::Query,
                    arguments::Kind::Selection => ArgumentKind::Selection,
                    arguments::Kind::Presentation => ArgumentKind::Presentation,
                    arguments::Kind::Paging => ArgumentKind::Paging,
                    arguments::Kind::Irrelevant => ArgumentKind::Irrelevant,
                },
                name,
            })
            .collect()
    }
}

fn entity(candidate: &Candidate) -> Ask {
    Ask::Entity {
        kind: candidate.kind.clone(),
        query: candidate.query.clone(),
    }
}

/// Returns the entities that a record names: short texts, by attribute.
pub(super) fn describe(id: ObjectId, record: &Record, info: &VerticalInfo) -> Described {
    let texts = info
        .attributes
        .iter()
        .filter(|attribute| is_name(&attribute.kind));
    let entities = texts.flat_map(|attribute| {
        let values = record
            .values
            .iter()
            .filter(|value| value.attribute == attribute.name);
        // Lists that a page writes as code leave brackets and quotes around names.
        let names = values.map(|value| value.value.trim_matches(|letter: char| !letter.is_alphanumeric()));
        let short = names.filter(|name| {
            let words = name.split_whitespace().count();
            (1..=MAX_ENTITY_WORDS).contains(&words)
        });
        short.map(|name| (attribute.name.clone(), name.to_owned()))
    });
    Described {
        id,
        entities: entities.collect(),
    }
}

/// Returns the words of a record for searches, which rarely find figures, dates and addresses.
pub(super) fn text_of(record: &Record, info: &VerticalInfo) -> String {
    let is_text = |name: &str| {
        let mut attributes = info.attributes.iter();
        attributes.any(|attribute| attribute.name == name && is_name(&attribute.kind))
    };
    let values = record.values.iter().filter(|value| is_text(&value.attribute));
    let values: Vec<&str> = values.map(|value| value.value.as_str()).collect();
    values.join(" ")
}

/// Returns `false` for links that act, by their names, and those that stand for a form.
fn is_safe(href: &str) -> bool {
    let url = CanonicalUrl::trusted(href).filter(|url| !PostedForm::is_marked(url.as_str()));
    url.is_some_and(|url| super::safety::trap_of(&url).is_none())
}

fn has_argument(href: &str, name: &str) -> bool {
    Url::parse(href).is_ok_and(|url| url.query_pairs().any(|(key, _)| key == name))
}

/// Returns the URL of the next page of results: the link that says so by its relation, by its text,
/// or by the next number.
pub(super) fn next_page(page: &SeenPage, number: u32) -> Option<String> {
    let next = (number + 2).to_string();
    let links = || page.links.iter();
    let by_relation = links().find(|(_, _, rel)| rel.split_whitespace().any(|word| word == "next"));
    let by_text = || links().find(|(_, text, _)| says_next(text));
    let by_number = || links().find(|(_, text, _)| text.trim() == next);
    let found = by_relation.or_else(by_text).or_else(by_number);
    found.map(|(href, _, _)| href.clone())
}

/// Returns `true` if a link says in one of many languages that it leads to the next page.
fn says_next(text: &str) -> bool {
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
        // Home and list pages, which every page links to, have many.
        let ids = by_url.get(plain).filter(|ids| ids.len() <= MAX_DETAIL_OBJECTS)?;
        Some((plain.to_owned(), ids.clone()))
    });
    linked.collect()
}

/// Returns `true` for kinds of values that are names. Searches find objects by them.
fn is_name(kind: &magpie_model::Kind) -> bool {
    let comparison = kind.comparison();
    comparison.is_of_names() || matches!(comparison, Comparison::Identifier(_))
}
