//! The asking of one filter form: which submission comes next, and what an answer means.
//!
//! A query is the arguments of a submission, as they are in its URL. The answers to all queries are
//! kept, and the search for informative templates is played again from them, so that a form that
//! gets further choices loses nothing.

use std::collections::{BTreeMap, BTreeSet, HashSet, VecDeque};

use magpie_discovery::FilterTemplate;
use magpie_model::CanonicalUrl;
use magpie_rows::{QueryTemplateRow, SelectedQuery, SiteId, SubmissionOutcome, SubmissionRow, TemplateState};
use magpie_surface::empty::bad_queries;
use magpie_surface::isit::{Decision, Isit, Settings, Submission};
use magpie_surface::probe::Query;
use magpie_surface::size::two_samples;
use magpie_surface::{ObjectId, Outcome};
use magpie_values::Timestamp;
use serde::{Deserialize, Serialize};
use url::{Position, Url};
use xxhash_rust::xxh3::xxh3_64;

use super::filter_form::Filter;
use super::queue::QueryQueue;
use super::recorder::{Kind, Requests, SeenPage, kind_of, link_hash};
use super::safety::is_harmless;
use super::search::{
    Answer, Ask, Known, LAST_QUERIES, MAX_FRUITLESS, MAX_LINKED, MIN_ANSWERS, MIN_BOTH, MIN_YIELD, next_page,
};

/// Submissions of a trial, besides the default one.
const TRIAL_SUBMISSIONS: usize = 3;

/// Submissions whose answers are remembered. A form is not tried any further then.
const MAX_ANSWERED: usize = 5_000;

/// Submissions of a template that are looked at for one that was not asked.
const MAX_LOOKED_AT: usize = 10_000;

/// Pages of the results of a submission at most.
const MAX_PAGES: u32 = 200;

/// Weight of the answers before, when a further one tells the yield of a template.
const DECAY: f64 = 0.8;

/// Weight of the mean yield of the form in the yield that a request is expected to have.
const MEAN_WEIGHT: f64 = 0.3;

/// Share of common links from which two pages count as the same.
const MIN_ALIKE: f64 = 0.9;

/// A decision about a template of a filter form.
#[derive(Clone, Debug, PartialEq)]
pub struct FormDecision {
    /// The site.
    pub site: SiteId,
    /// The URL template of the form.
    pub template: String,
    /// The names of the inputs that are bound.
    pub inputs: Vec<String>,
    /// The decision.
    pub decision: Decision,
    /// The number of submissions that it was made from.
    pub samples: u32,
    /// The number of different answers among them.
    pub distinct: u32,
}

/// The answer to a submission.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Shown {
    /// The objects of its first page.
    objects: Vec<ObjectId>,
    has_next: bool,
    has_failed: bool,
}

/// A page that others are compared with.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Reference {
    objects: Vec<ObjectId>,
    /// Hashes of its links.
    links: BTreeSet<u64>,
    /// Hash of its text.
    text: u64,
}

/// A further page of results.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct NextPage {
    query: Query,
    url: String,
    /// New objects of the page before.
    new: usize,
}

/// The state from which asking goes on.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
struct Memory {
    asked: u64,
    /// Requests in a row without an answer.
    failed: u32,
    /// Answers without an object.
    fruitless: u32,
    /// The answers to submissions, by their arguments.
    answered: BTreeMap<String, Shown>,
    /// The page of the form without any value.
    default: Option<Reference>,
    /// The page for a value that no choice has.
    nonsense: Option<Reference>,
    /// The trial was begun again, since its answers showed no object.
    is_repeated: bool,
    /// Objects of the site were known when the trial began, and so were links that lead to them.
    has_known: bool,
    /// The objects of all answers.
    objects: BTreeSet<ObjectId>,
    /// Objects of the site that links lead to.
    linked_objects: BTreeSet<ObjectId>,
    /// Objects that another template has shown first.
    elsewhere: BTreeSet<ObjectId>,
    /// Kinds of the pages that nonsense was redirected to.
    result_kinds: BTreeSet<Kind>,
    /// For each link on answers the number of them that have it, and the number of answers.
    linked: BTreeMap<u64, u32>,
    answers: u32,
    next_pages: Vec<NextPage>,
    /// New objects of the last submissions of each template and their number, by its names.
    yields: BTreeMap<String, (f64, f64)>,
}

/// A filter form that is asked.
pub(super) struct Filters {
    pub(super) site: SiteId,
    pub(super) state: TemplateState,
    text: String,
    template: FilterTemplate,
    detail: String,
    memory: Memory,
    /// The inputs; none if the form was not read and only the queries of a round are asked.
    filter: Option<Filter>,
    isit: Isit,
    /// Templates without a further submission, and if inputs restricted one another then.
    exhausted: HashSet<(bool, Vec<usize>)>,
    seed: u64,
    submissions: Vec<SubmissionRow>,
    /// New objects of the last requests of this run.
    last_new: VecDeque<u32>,
    /// Requests that may still be sent in this run.
    left: u64,
    /// The queries of a round, in place of those that seem best.
    round: Option<QueryQueue>,
}

impl Filters {
    /// Begins with a form, or goes on where it was left.
    pub(super) fn of_form(
        site: SiteId,
        filter: Filter,
        kept: Option<&QueryTemplateRow>,
        max_requests: u64,
    ) -> Option<Filters> {
        let text = filter.template.clone();
        Filters::new(site, &text, Some(filter), kept, max_requests)
    }

    /// Takes the template of a navigation, whose queries are asked again.
    pub(super) fn of_text(
        site: SiteId,
        text: &str,
        kept: Option<&QueryTemplateRow>,
        max_requests: u64,
    ) -> Option<Filters> {
        Filters::new(site, text, None, kept, max_requests)
    }

    fn new(
        site: SiteId,
        text: &str,
        filter: Option<Filter>,
        kept: Option<&QueryTemplateRow>,
        max_requests: u64,
    ) -> Option<Filters> {
        let memory: Option<Memory> = kept.and_then(|row| serde_json::from_str(&row.memory).ok());
        let state = match (&memory, kept) {
            (Some(_), Some(row)) => row.state,
            _ => TemplateState::Trial,
        };
        let mut memory = memory.unwrap_or_default();
        memory.answered.retain(|_, shown| !shown.has_failed);
        let inputs = filter.as_ref().map(|filter| filter.inputs.as_slice());
        let seed = site.0.cast_unsigned();
        let mut filters = Filters {
            site,
            state,
            text: text.to_owned(),
            template: text.parse().ok()?,
            detail: kept.map_or_else(String::new, |row| row.detail.clone()),
            memory,
            isit: Isit::new(inputs.unwrap_or_default(), Settings::sequential(), seed),
            filter,
            exhausted: HashSet::new(),
            seed,
            submissions: Vec::new(),
            last_new: VecDeque::new(),
            left: max_requests,
            round: None,
        };
        if filters.state == TemplateState::Working {
            filters.tests(1);
        }
        Some(filters)
    }

    /// Takes the objects of the site that links lead to. They count as shown.
    pub(super) fn add_known(&mut self, known: &Known<'_>) {
        let memory = &mut self.memory;
        let linked = known.linked.iter().map(|(id, _)| *id);
        // Pages that earlier answers led to are among those of the site.
        let linked = linked.filter(|id| !memory.objects.contains(id) && !memory.elsewhere.contains(id));
        memory.linked_objects.extend(linked);
        memory.has_known |= !memory.linked_objects.is_empty();
    }

    /// Takes objects that another template of the site has shown.
    pub(super) fn observe_elsewhere(&mut self, objects: &[ObjectId]) {
        let memory = &mut self.memory;
        let others = objects.iter().filter(|id| !memory.objects.contains(id));
        memory.elsewhere.extend(others);
    }

    /// Takes the queries of a round, which are asked in place of others. Returns their number.
    pub(super) fn begin_round(&mut self, queries: &[SelectedQuery], known: &Known<'_>) -> u64 {
        self.add_known(known);
        // It may answer again.
        if self.state == TemplateState::Failing {
            (self.state, self.memory.failed) = (TemplateState::Working, 0);
        }
        let mut round = QueryQueue::default();
        for query in queries {
            round.add(&query.query, query.pages);
        }
        let count = round.len() as u64;
        self.round = Some(round);
        count
    }

    /// Returns the new objects that the next request is expected to bring: infinity while that is
    /// unknown.
    pub(super) fn expected_new(&mut self) -> f64 {
        if self.round.is_some() {
            return f64::INFINITY;
        }
        if self.is_spent() {
            return 0.0;
        }
        if !self.trial().is_empty() {
            return f64::INFINITY;
        }
        let of_tests = match self.tests(1).is_empty() {
            true => 0.0,
            false => self.mean_new(),
        };
        let rated = self.rated(1).into_iter().map(|(value, _)| value);
        rated.fold(of_tests, f64::max)
    }

    /// Returns the next requests with their URLs, none if the form is done with.
    pub(super) fn next(&mut self, count: usize) -> Vec<(Ask, Url)> {
        let asks = match (self.state, &mut self.round) {
            (
                TemplateState::Inert
                | TemplateState::Fruitless
                | TemplateState::Failing
                | TemplateState::Forbidden,
                _,
            ) => Vec::new(),
            (TemplateState::Trial | TemplateState::Working, Some(round)) => {
                round.take(count).into_iter().map(Ask::Word).collect()
            }
            (TemplateState::Trial | TemplateState::Working, None) => self.choose(count),
        };
        let left = usize::try_from(self.left).unwrap_or(usize::MAX);
        let asks = asks.into_iter().take(left);
        asks.filter_map(|ask| {
            let url = self.url_of(&ask)?;
            Some((ask, url))
        })
        .collect()
    }

    /// Returns the requests that come first: the form without any value, a value that no choice
    /// has, and some single values.
    fn trial(&self) -> Vec<Ask> {
        let Some(filter) = &self.filter else {
            return Vec::new();
        };
        let inputs = filter.inputs.iter().enumerate();
        let selecting: Vec<(usize, usize)> = inputs
            .filter(|(_, input)| !input.is_presentation && !input.values.is_empty())
            .map(|(place, input)| (place, input.values.len()))
            .collect();
        // Values from the middle of each input: the first and the last ones are often special.
        let rounds = 0..TRIAL_SUBMISSIONS;
        let values = rounds.flat_map(|round| {
            let usable = selecting.iter().filter(move |(_, count)| round < *count);
            usable.map(move |(place, count)| (*place, (count / 2 + round) % count))
        });
        let singles = values
            .take(TRIAL_SUBMISSIONS)
            .map(|(input, value)| filter.arguments(&single(input, value)));
        let queries = std::iter::once(String::new()).chain(singles);
        let open = queries.filter(|query| !self.memory.answered.contains_key(query));
        let mut asks: Vec<Ask> = open.map(|query| Ask::Word(first_page(query))).collect();
        let is_single = |place: &&(usize, usize)| filter.inputs[place.0].names.len() == 1;
        if self.memory.nonsense.is_none()
            && let Some((place, _)) = selecting.iter().find(is_single)
            && let Some(bad) = bad_queries(self.seed).into_iter().next()
        {
            let mut strange = filter.clone();
            strange.inputs[*place].values = vec![vec![bad]];
            asks.push(Ask::Bad(strange.arguments(&single(*place, 0))));
        }
        asks
    }

    /// Chooses the requests with the most expected new objects: submissions that tell which
    /// templates are informative, of which one is always asked, others of informative templates,
    /// and further pages.
    fn choose(&mut self, count: usize) -> Vec<Ask> {
        let trial = self.trial();
        if !trial.is_empty() {
            return trial;
        }
        if self.is_spent() {
            return Vec::new();
        }
        let mean = self.mean_new();
        let mut tests = self.tests(count).into_iter().map(first_page);
        let mut chosen: Vec<Query> = tests.next().into_iter().collect();
        let mut rated = self.rated(count);
        rated.extend(tests.map(|query| (mean, query)));
        rated.sort_by(|one, other| other.0.total_cmp(&one.0));
        for (_, query) in rated {
            if chosen.len() < count && !chosen.contains(&query) {
                chosen.push(query);
            }
        }
        chosen.into_iter().map(Ask::Word).collect()
    }

    /// Returns submissions that tell which templates are informative, after it has learned from
    /// all known answers.
    fn tests(&mut self, count: usize) -> Vec<String> {
        loop {
            let batch = self.isit.next_batch(count);
            let Some(filter) = &self.filter else {
                return Vec::new();
            };
            let mut open = Vec::new();
            let mut known = Vec::new();
            for submission in batch {
                let query = filter.arguments(&submission);
                match self.memory.answered.get(&query) {
                    Some(shown) => known.push((submission, self.outcome_of(shown))),
                    None if self.is_askable(&query) => open.push(query),
                    None => known.push((submission, Outcome::new([]))),
                }
            }
            let is_done = known.is_empty() || !open.is_empty();
            for (submission, outcome) in &known {
                self.isit.record(submission, outcome);
            }
            if self.memory.answered.len() >= MAX_ANSWERED || self.shows_all() {
                return Vec::new();
            }
            if is_done {
                return open;
            }
        }
    }

    /// Returns submissions of informative templates and further pages, each with the new objects
    /// that it is expected to bring.
    fn rated(&mut self, count: usize) -> Vec<(f64, Query)> {
        let mean = self.mean_new();
        let pages = self.memory.next_pages.iter();
        let mut rated: Vec<(f64, Query)> = pages
            .map(|page| {
                let expected = page.new as f64 * (1.0 - MEAN_WEIGHT) + mean * MEAN_WEIGHT;
                (expected, page.query.clone())
            })
            .collect();
        let Some(filter) = &self.filter else {
            return Vec::new();
        };
        if self.shows_all() {
            return Vec::new();
        }
        let contained = self.contained_values(filter);
        for template in self.isit.informative() {
            let first = self.isit.submissions(template).next().unwrap_or_default();
            let names = names_of(&filter.arguments(&first));
            let (sum, number) = self.memory.yields.get(&names).copied().unwrap_or_default();
            let expected = (sum + mean * MEAN_WEIGHT) / (number + MEAN_WEIGHT);
            let is_done = self
                .exhausted
                .contains(&(self.isit.restricts(), template.inputs.clone()));
            if expected < MIN_YIELD || is_done {
                continue;
            }
            let all = self.isit.submissions(template).take(MAX_LOOKED_AT);
            let open = all.filter(|submission| {
                let mut bound = submission.inputs.iter().zip(&submission.values);
                let is_contained = |(input, value): (&usize, &usize)| contained.contains(&(*input, *value));
                template.inputs.len() == 1 || !bound.any(is_contained)
            });
            let open = open.map(|submission| filter.arguments(&submission));
            let open =
                open.filter(|query| !self.memory.answered.contains_key(query) && self.is_askable(query));
            let before = rated.len();
            rated.extend(open.take(count).map(|query| (expected, first_page(query))));
            if rated.len() == before {
                self.exhausted
                    .insert((self.isit.restricts(), template.inputs.clone()));
            }
        }
        rated.retain(|(value, _)| *value >= MIN_YIELD);
        rated
    }

    /// Returns `true` if the form without any value has all results on one page.
    fn shows_all(&self) -> bool {
        let default = self.memory.answered.get("");
        let is_complete =
            default.is_some_and(|shown| !shown.objects.is_empty() && !shown.has_more(self.cut()));
        is_complete && self.trial().is_empty() && self.isit.restricts()
    }

    /// Returns the inputs with those of their values whose answers were complete: what binds
    /// another input, too, shows nothing else.
    fn contained_values(&self, filter: &Filter) -> HashSet<(usize, usize)> {
        let mut contained = HashSet::new();
        if !self.isit.restricts() {
            return contained;
        }
        let cut = self.cut();
        for (input, values) in filter.inputs.iter().enumerate() {
            let is_complete = |value: &usize| {
                let query = filter.arguments(&single(input, *value));
                let shown = self.memory.answered.get(&query);
                shown.is_some_and(|shown| !shown.has_failed && !shown.has_more(cut))
            };
            let values = (0..values.values.len()).filter(is_complete);
            contained.extend(values.map(|value| (input, value)));
        }
        contained
    }

    /// Returns the number of objects at which lists without further pages are cut off: the largest
    /// one, if different lists have it.
    fn cut(&self) -> usize {
        let answers = || self.memory.answered.values();
        let longest = answers()
            .map(|shown| shown.objects.len())
            .max()
            .unwrap_or_default();
        let cut = answers().filter(|shown| shown.objects.len() == longest);
        let different: BTreeSet<&[ObjectId]> = cut.map(|shown| shown.objects.as_slice()).collect();
        match longest > 0 && different.len() > 1 && !answers().any(|shown| shown.has_next) {
            true => longest,
            false => usize::MAX,
        }
    }

    /// Returns what an answer says of its submission: without the objects that the page for
    /// nonsense has, too.
    fn outcome_of(&self, shown: &Shown) -> Outcome {
        let common = self.furniture().map(|page| page.objects.as_slice());
        let common = common.unwrap_or_default();
        let own = shown.objects.iter().filter(|id| !common.contains(id));
        Outcome {
            has_next: shown.has_more(self.cut()),
            ..Outcome::new(own.copied())
        }
    }

    /// Returns the page for nonsense, unless the form ignores a value that no choice has.
    fn furniture(&self) -> Option<&Reference> {
        let (default, nonsense) = (self.memory.default.as_ref()?, self.memory.nonsense.as_ref()?);
        let both = default.links.intersection(&nonsense.links).count();
        let all = default.links.len() + nonsense.links.len() - both;
        let is_same = default.text == nonsense.text
            || (!default.objects.is_empty() && default.objects == nonsense.objects)
            || both as f64 >= MIN_ALIKE * all as f64;
        (!is_same).then_some(nonsense)
    }

    fn is_askable(&self, query: &str) -> bool {
        let url = self.template.fill(query);
        url.is_some_and(|url| is_harmless(&url))
    }

    fn url_of(&self, ask: &Ask) -> Option<Url> {
        let (query, page) = query_of(ask);
        if page == 0 {
            return self.template.fill(query).filter(is_harmless);
        }
        let mut pages = self.memory.next_pages.iter();
        let known = pages.find(|next| next.query.keyword == query && next.query.page == page)?;
        known.url.parse().ok()
    }

    /// Returns `true` if the last requests of this run brought too little.
    fn is_spent(&self) -> bool {
        let sum: u32 = self.last_new.iter().sum();
        let is_poor = self.last_new.len() == LAST_QUERIES && f64::from(sum) < MIN_YIELD * LAST_QUERIES as f64;
        is_poor || self.left == 0
    }

    /// Returns the mean number of new objects of the last requests.
    fn mean_new(&self) -> f64 {
        let sum: u32 = self.last_new.iter().sum();
        (f64::from(sum) + 1.0) / (self.last_new.len() as f64 + 1.0)
    }

    /// Number of requests over all runs.
    pub(super) fn asked(&self) -> u64 {
        self.memory.asked
    }

    /// Adds what a crawl must know of a request and of the form.
    pub(super) fn describe_request(&self, ask: &Ask, url: &CanonicalUrl, requests: &mut Requests) {
        let memory = &self.memory;
        requests.asked.insert(url.fingerprint().0);
        if url.query().is_some() {
            requests.asked_kinds.insert(kind_of(url));
        }
        requests.result_kinds.extend(memory.result_kinds.iter().cloned());
        requests
            .furniture
            .extend(self.furniture().into_iter().flat_map(|page| &page.links));
        if memory.answers >= MIN_ANSWERS {
            requests.explored.insert(url.fingerprint().0);
            let linked = memory.linked.iter();
            let common = linked.filter(|(_, pages)| **pages * 2 > memory.answers);
            requests.furniture.extend(common.map(|(link, _)| link));
        }
        if let Ask::Bad(_) = ask {
            requests.nonsense.insert(url.fingerprint().0);
        }
        // Links with other values of the inputs are other submissions.
        if let Ok(url) = Url::parse(url.as_str()) {
            let page = &url[..Position::AfterPath];
            let of_form = self.filter.iter().flat_map(|filter| &filter.inputs);
            let of_form = of_form.flat_map(|input| input.names.iter().cloned());
            let of_query = url::form_urlencoded::parse(query_of(ask).0.as_bytes());
            let of_query = of_query.map(|(name, _)| name.into_owned());
            let names = of_form.chain(of_query).map(|name| (page.to_owned(), name));
            requests.inputs.extend(names);
        }
    }

    /// Takes an answer.
    pub(super) fn record(
        &mut self,
        (ask, url): (&Ask, &Url),
        answer: &Answer,
        vertical: &str,
        now: Timestamp,
    ) {
        self.memory.asked += 1;
        self.left = self.left.saturating_sub(1);
        let is_new = |id: &&ObjectId| {
            let memory = &self.memory;
            let sets = [&memory.objects, &memory.linked_objects, &memory.elsewhere];
            sets.iter().all(|known| !known.contains(id))
        };
        let is_bad = matches!(ask, Ask::Bad(_));
        let objects: BTreeSet<ObjectId> = match is_bad {
            true => BTreeSet::new(),
            false => answer.objects.iter().copied().collect(),
        };
        let new = objects.iter().filter(is_new).count();
        let outcome = match &answer.page {
            _ if answer.is_refused => SubmissionOutcome::Refused,
            None if answer.is_missing => SubmissionOutcome::Empty,
            None => SubmissionOutcome::Failed,
            Some(_) if objects.is_empty() => SubmissionOutcome::Empty,
            Some(_) if answer.is_redirected() && objects.len() == 1 => SubmissionOutcome::Object,
            Some(_) => SubmissionOutcome::Results,
        };
        let (query, page) = query_of(ask);
        self.submissions.push(SubmissionRow {
            vertical: vertical.to_owned(),
            site: self.site,
            template: self.text.clone(),
            query: query.to_owned(),
            url: url.as_str().to_owned(),
            asked_at: now,
            outcome,
            objects: objects.len() as u64,
            new_objects: new as u64,
            result_page: page,
            shown_on: match is_bad || objects.is_empty() {
                true => Vec::new(),
                false => answer.shown_on.clone(),
            },
        });
        match is_bad {
            true => self.record_nonsense(answer),
            false => {
                let query = Query {
                    keyword: query.to_owned(),
                    page,
                };
                self.record_submission(&query, answer, objects, new);
            }
        }
        self.change_state(outcome);
    }

    /// Takes the answer to a value that no choice has. Servers may refuse it.
    fn record_nonsense(&mut self, answer: &Answer) {
        if answer.is_redirected()
            && let Some(url) = CanonicalUrl::trusted(answer.url.as_str())
        {
            self.memory.result_kinds.insert(kind_of(&url));
        }
        let page = answer.page.as_ref();
        let reference = page.map(|page| Reference::of(page, answer.objects.clone()));
        self.memory.nonsense = Some(reference.unwrap_or_default());
    }

    fn record_submission(&mut self, query: &Query, answer: &Answer, objects: BTreeSet<ObjectId>, new: usize) {
        let memory = &mut self.memory;
        memory.failed = if answer.page.is_none() && !answer.is_missing {
            memory.failed + 1
        } else {
            0
        };
        memory.fruitless += u32::from(objects.is_empty());
        self.last_new.push_back(new.try_into().unwrap_or(u32::MAX));
        if self.last_new.len() > LAST_QUERIES {
            self.last_new.pop_front();
        }
        memory
            .next_pages
            .retain(|next| next.query.keyword != query.keyword);
        let mut has_next = false;
        if let Some(page) = &answer.page {
            if !answer.is_redirected() {
                memory.count_links(page);
            }
            let next =
                next_page(page, query.page).filter(|_| query.page + 1 < MAX_PAGES && !objects.is_empty());
            let next = next.filter(|next| Url::parse(next).is_ok_and(|url| is_harmless(&url)));
            has_next = next.is_some();
            let next = next.map(|url| NextPage {
                query: Query {
                    keyword: query.keyword.clone(),
                    page: query.page + 1,
                },
                url,
                new,
            });
            memory.next_pages.extend(next);
            if query.keyword.is_empty() && query.page == 0 {
                memory.default = Some(Reference::of(page, objects.iter().copied().collect()));
            }
        }
        if let Some(round) = self.round.as_mut().filter(|_| has_next) {
            round.follow(query, new > 0);
        }
        if query.page == 0 {
            let (sum, number) = memory.yields.entry(names_of(&query.keyword)).or_default();
            *sum = *sum * DECAY + new as f64;
            *number = *number * DECAY + 1.0;
            let shown = Shown {
                objects: objects.iter().copied().collect(),
                has_next,
                has_failed: answer.page.is_none() && !answer.is_missing,
            };
            memory.answered.insert(query.keyword.clone(), shown);
        }
        memory.objects.extend(objects);
    }

    fn change_state(&mut self, last: SubmissionOutcome) {
        let memory = &self.memory;
        let has_none = memory.objects.is_empty();
        if last == SubmissionOutcome::Refused && has_none {
            self.state = TemplateState::Forbidden;
            "the robots.txt or a setting forbids its result pages".clone_into(&mut self.detail);
        } else if memory.failed >= 3 {
            self.state = TemplateState::Failing;
            "three requests in a row were not answered with a page".clone_into(&mut self.detail);
        } else if has_none && memory.fruitless >= MAX_FRUITLESS {
            self.state = TemplateState::Fruitless;
            self.detail = format!("{} submissions brought no object", memory.fruitless);
        } else if self.round.is_none() && self.trial().is_empty() {
            if has_none && !memory.is_repeated {
                // Now it is known which links all answers have, so the others can be tried.
                self.memory.is_repeated = true;
                self.memory.answered.clear();
            } else if !has_none && !memory.has_known {
                // Now it is known which links lead to objects, so all of them are followed.
                self.memory.has_known = true;
                self.memory.answered.clear();
            } else if self.tests(1).is_empty() && self.is_inert() {
                self.state = TemplateState::Inert;
                "no choice changes the results".clone_into(&mut self.detail);
            } else if !has_none {
                self.state = TemplateState::Working;
                self.detail.clear();
            }
        }
    }

    /// Returns `true` if no input that may select has an effect.
    fn is_inert(&self) -> bool {
        let mut decided = self.isit.decided().iter();
        let selects = |decision| !matches!(decision, Decision::Inert | Decision::Presentation);
        let has_inert = self
            .isit
            .decided()
            .iter()
            .any(|template| template.decision == Decision::Inert);
        has_inert && !decided.any(|template| selects(template.decision))
    }

    /// Returns the row of the form and those of the submissions since the last call.
    pub(super) fn take_rows(
        &mut self,
        vertical: &str,
        now: Timestamp,
    ) -> (QueryTemplateRow, Vec<SubmissionRow>) {
        let memory = &self.memory;
        let both = memory.objects.intersection(&memory.linked_objects).count();
        let size = (both >= MIN_BOTH).then(|| {
            let size = two_samples(memory.linked_objects.len(), memory.objects.len(), both);
            (size.value, size.low, size.high)
        });
        let row = QueryTemplateRow {
            vertical: vertical.to_owned(),
            site: self.site,
            template: self.text.clone(),
            state: self.state,
            detail: self.detail.clone(),
            asked: memory.asked,
            objects: memory.objects.len() as u64,
            size,
            memory: serde_json::to_string(memory).unwrap_or_default(),
            changed_at: now,
        };
        (row, std::mem::take(&mut self.submissions))
    }

    /// Returns the decisions about templates, in the order in which they were made.
    pub(super) fn decisions(&self) -> Vec<FormDecision> {
        let Some(filter) = &self.filter else {
            return Vec::new();
        };
        let decided = self.isit.decided().iter();
        decided
            .map(|template| FormDecision {
                site: self.site,
                template: self.text.clone(),
                inputs: filter.names(&template.inputs),
                decision: template.decision,
                samples: template.samples,
                distinct: template.distinct,
            })
            .collect()
    }
}

impl Shown {
    /// Returns `true` if a submission may have more results than its answer shows: it has a further
    /// page, or as many objects as lists are cut off at.
    fn has_more(&self, cut: usize) -> bool {
        self.has_next || self.objects.len() >= cut
    }
}

impl Memory {
    fn count_links(&mut self, page: &SeenPage) {
        self.answers += 1;
        for link in hashes(page) {
            if self.linked.len() < MAX_LINKED || self.linked.contains_key(&link) {
                *self.linked.entry(link).or_default() += 1;
            }
        }
    }
}

impl Reference {
    fn of(page: &SeenPage, mut objects: Vec<ObjectId>) -> Reference {
        objects.sort_unstable();
        Reference {
            objects,
            links: hashes(page),
            text: xxh3_64(page.text.as_bytes()),
        }
    }
}

fn hashes(page: &SeenPage) -> BTreeSet<u64> {
    page.links.iter().map(|(href, _, _)| link_hash(href)).collect()
}

/// Returns the submission of one value.
fn single(input: usize, value: usize) -> Submission {
    Submission {
        inputs: vec![input],
        values: vec![value],
    }
}

fn first_page(query: String) -> Query {
    Query {
        keyword: query,
        page: 0,
    }
}

/// Returns the query of a request and the number of its page.
fn query_of(ask: &Ask) -> (&str, u32) {
    match ask {
        Ask::Bad(query) | Ask::Entity { query, .. } => (query, 0),
        Ask::Word(word) => (&word.keyword, word.page),
        Ask::Argument(probe) => (&probe.url, 0),
    }
}

/// Returns the names of the arguments of a query, those of a template.
fn names_of(query: &str) -> String {
    let names = query
        .split('&')
        .map(|pair| pair.split('=').next().unwrap_or_default());
    names.collect::<Vec<_>>().join(" ")
}
