//! Submitting the values of a filter form.
//!
//! A query is the arguments of a submission, as they are in its URL. The answers to all queries are
//! kept, and the search for informative templates is played again from them, so that a form that
//! gets further choices loses nothing.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use magpie_discovery::FilterTemplate;
use magpie_model::{CanonicalUrl, VerticalInfo};
use magpie_rows::{SiteId, SubmissionOutcome, TemplateState};
use magpie_surface::empty::bad_queries;
use magpie_surface::entities::Candidate;
use magpie_surface::isit::{Decision, Isit, Settings, Submission};
use magpie_surface::probe::Query;
use magpie_surface::{ObjectId, Outcome};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use url::{Position, Url};
use xxhash_rust::xxh3::xxh3_64;

use super::ask::{Answer, Ask, Known};
use super::filter_form::Filter;
use super::recorder::{Requests, SeenPage};
use super::safety::is_harmless;
use super::way::{AskMemory, MAX_FRUITLESS, MIN_YIELD, Shared, Way, hashes};

/// Submissions of a trial, besides the default one.
const TRIAL_SUBMISSIONS: usize = 3;

/// Submissions whose answers are remembered. A form is not tried any further then.
const MAX_ANSWERED: usize = 5_000;

/// Submissions of a template that are looked at for one that was not asked.
const MAX_LOOKED_AT: usize = 10_000;

/// Pages of the results of a submission at most.
const MAX_PAGES: u32 = 200;

/// Weight of earlier answers in the yield of a template, when a further one is counted.
const DECAY: f64 = 0.8;

/// Weight of the mean yield of the form in the yield that a request is expected to have.
const MEAN_WEIGHT: f64 = 0.3;

/// Share of common links from which two pages count as the same.
const MIN_ALIKE: f64 = 0.9;

/// A decision about a template of a filter form.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FormDecision {
    /// The site of the form.
    pub site: SiteId,
    /// The URL template of the form.
    pub template: String,
    /// The names of the inputs that are bound.
    pub inputs: Vec<String>,
    /// The verdict on the template.
    pub decision: Decision,
    /// The number of submissions that it was made from.
    pub samples: u32,
    /// The number of different answers among them.
    pub distinct: u32,
}

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

/// The state from which asking continues in a later run.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct FiltersMemory {
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
    /// New objects of the last submissions of each template and their number, by its names.
    yields: BTreeMap<String, (f64, f64)>,
}

/// A filter form whose values are submitted.
pub(super) struct Filters {
    site: SiteId,
    text: String,
    template: FilterTemplate,
    memory: FiltersMemory,
    /// The inputs; none if the form was not read and only the queries of a round are asked.
    filter: Option<Filter>,
    isit: Isit,
    /// Templates without a further submission, and if inputs restricted one another then.
    exhausted: HashSet<(bool, Vec<usize>)>,
    seed: u64,
}

impl Filters {
    pub(super) fn new(
        (site, text): (SiteId, &str),
        template: FilterTemplate,
        filter: Option<Filter>,
        memory: Option<FiltersMemory>,
        state: TemplateState,
    ) -> Filters {
        let mut memory = memory.unwrap_or_default();
        // A failed submission is sent again in this run.
        memory.answered.retain(|_, shown| !shown.has_failed);
        let inputs = filter.as_ref().map(|filter| filter.inputs.as_slice());
        let seed = site.0.cast_unsigned();
        let mut filters = Filters {
            site,
            text: text.to_owned(),
            template,
            memory,
            isit: Isit::new(inputs.unwrap_or_default(), Settings::sequential(), seed),
            filter,
            exhausted: HashSet::new(),
            seed,
        };
        if state == TemplateState::Working {
            // The decisions are not kept. They are made again from the answers.
            filters.tests(1);
        }
        filters
    }

    /// Returns submissions that show which templates are informative, after it has learned from
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
                    // A submission that is not allowed counts as one without results, so that the
                    // search continues with the others.
                    None => known.push((submission, Outcome::new([]))),
                }
            }
            // A batch of known answers alone is followed by the next one, until a submission must
            // be sent.
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
    fn rated(&mut self, shared: &Shared, count: usize) -> Vec<(f64, Query)> {
        let mean = shared.mean_new();
        let pages = shared.memory.next_pages.iter();
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
            // A template without answers is expected to bring the mean of the form.
            let expected = (sum + mean * MEAN_WEIGHT) / (number + MEAN_WEIGHT);
            let is_done = self
                .exhausted
                .contains(&(self.isit.restricts(), template.inputs.clone()));
            if expected < MIN_YIELD || is_done {
                continue;
            }
            // Several inputs have more combinations than could be gone through.
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

    /// Returns the outcome of a submission: without the objects that the page for
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
}

impl Way for Filters {
    fn learn_known(&mut self, _: &Known<'_>, linked: &[(ObjectId, &str)], _: &[Candidate]) {
        self.memory.has_known |= !linked.is_empty();
    }

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
        // With them come the form without any value, and a value that no choice has.
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

    fn choose(&mut self, shared: &Shared, count: usize) -> Vec<Ask> {
        let trial = self.trial();
        if !trial.is_empty() {
            return trial;
        }
        if shared.is_spent() {
            return Vec::new();
        }
        // Submissions that test whether templates are informative compete with others of
        // informative templates and with further pages, but one of them is always asked.
        let mean = shared.mean_new();
        let mut tests = self.tests(count).into_iter().map(first_page);
        let mut chosen: Vec<Query> = tests.next().into_iter().collect();
        let mut rated = self.rated(shared, count);
        rated.extend(tests.map(|query| (mean, query)));
        rated.sort_by(|one, other| other.0.total_cmp(&one.0));
        for (_, query) in rated {
            if chosen.len() < count && !chosen.contains(&query) {
                chosen.push(query);
            }
        }
        chosen.into_iter().map(Ask::Word).collect()
    }

    fn expected_new(&mut self, shared: &Shared) -> f64 {
        if shared.is_spent() {
            return 0.0;
        }
        if !self.trial().is_empty() {
            return f64::INFINITY;
        }
        let of_tests = match self.tests(1).is_empty() {
            true => 0.0,
            false => shared.mean_new(),
        };
        let rated = self.rated(shared, 1).into_iter().map(|(value, _)| value);
        rated.fold(of_tests, f64::max)
    }

    fn fill(&self, query: &str) -> Option<Url> {
        self.template.fill(query).filter(is_harmless)
    }

    fn may_continue(&self, url: &str, page: u32) -> bool {
        page < MAX_PAGES && Url::parse(url).is_ok_and(|url| is_harmless(&url))
    }

    fn describe_request(&self, ask: &Ask, url: &CanonicalUrl, requests: &mut Requests) {
        requests
            .furniture
            .extend(self.furniture().into_iter().flat_map(|page| &page.links));
        // Links with other values of the inputs are other submissions.
        if let Ok(url) = Url::parse(url.as_str()) {
            let page = &url[..Position::AfterPath];
            let of_form = self.filter.iter().flat_map(|filter| &filter.inputs);
            let of_form = of_form.flat_map(|input| input.names.iter().cloned());
            let of_query = url::form_urlencoded::parse(ask.query().as_bytes());
            let of_query = of_query.map(|(name, _)| name.into_owned());
            let names = of_form.chain(of_query).map(|name| (page.to_owned(), name));
            requests.inputs.extend(names);
        }
    }

    fn judge(
        &mut self,
        memory: &mut AskMemory,
        ask: &Ask,
        page: &SeenPage,
        answer: &Answer,
    ) -> (Outcome, SubmissionOutcome) {
        if let Ask::Bad(_) = ask {
            return (Outcome::new([]), SubmissionOutcome::Empty);
        }
        if !answer.is_redirected() {
            memory.count_links(page);
        }
        let outcome = Outcome::new(answer.objects.iter().copied());
        let word = match outcome.objects.len() {
            0 => SubmissionOutcome::Empty,
            1 if answer.is_redirected() => SubmissionOutcome::Object,
            _ => SubmissionOutcome::Results,
        };
        (outcome, word)
    }

    fn learn_request(&mut self, (ask, _): (&Ask, &Url), _: &Answer, _: bool) -> bool {
        // Servers may refuse a value that no choice has.
        !matches!(ask, Ask::Bad(_))
    }

    fn learn(&mut self, ask: &Ask, outcome: &Outcome, new: usize, answer: &Answer, _: &VerticalInfo) {
        let (memory, query) = (&mut self.memory, ask.query());
        let page = answer.page.as_ref();
        match ask.result_page() {
            None => {
                let reference = page.map(|page| Reference::of(page, answer.objects.clone()));
                memory.nonsense = Some(reference.unwrap_or_default());
            }
            Some(0) => {
                if let Some(page) = page.filter(|_| query.is_empty()) {
                    memory.default = Some(Reference::of(page, outcome.objects.clone()));
                }
                let (sum, number) = memory.yields.entry(names_of(query)).or_default();
                *sum = *sum * DECAY + new as f64;
                *number = *number * DECAY + 1.0;
                let shown = Shown {
                    objects: outcome.objects.clone(),
                    has_next: outcome.has_next,
                    // A form may answer "not found" if there are no results, so that is no failure.
                    has_failed: page.is_none() && !answer.is_missing,
                };
                memory.answered.insert(query.to_owned(), shown);
            }
            Some(_) => {}
        }
    }

    fn next_state(&mut self, shared: &Shared) -> Option<(TemplateState, String)> {
        let has_none = shared.memory.objects.is_empty();
        if has_none && shared.memory.fruitless >= MAX_FRUITLESS {
            let detail = format!("{} submissions brought no object", shared.memory.fruitless);
            return Some((TemplateState::Fruitless, detail));
        }
        if shared.round.is_some() || !self.trial().is_empty() {
            return None;
        }
        let memory = &mut self.memory;
        if has_none && !memory.is_repeated {
            // Now it is known which links all answers have, so the others can be tried.
            memory.is_repeated = true;
            memory.answered.clear();
            None
        } else if !has_none && !memory.has_known {
            // Now it is known which links lead to objects, so all of them are followed.
            memory.has_known = true;
            memory.answered.clear();
            None
        } else if self.tests(1).is_empty() && self.is_inert() {
            Some((TemplateState::Inert, "no choice changes the results".to_owned()))
        } else {
            (!has_none).then(|| (TemplateState::Working, String::new()))
        }
    }

    fn memory(&self) -> Value {
        serde_json::to_value(&self.memory).unwrap_or_default()
    }

    fn decisions(&self) -> Vec<FormDecision> {
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

/// Returns the names of the arguments of a query, those of a template.
fn names_of(query: &str) -> String {
    let names = query
        .split('&')
        .map(|pair| pair.split('=').next().unwrap_or_default());
    names.collect::<Vec<_>>().join(" ")
}
