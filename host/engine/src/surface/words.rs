//! Asking a text field for names of objects and for words of their records.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use magpie_discovery::{Acts, UrlTemplate};
use magpie_model::{CanonicalUrl, PostedForm, Record, VerticalInfo};
use magpie_rows::{ArgumentKind, ArgumentRow, SiteId, SubmissionOutcome, TemplateState};
use magpie_surface::arguments::{self, ArgumentStudy};
use magpie_surface::empty::{self, EmptyPages, ResultPage, bad_queries};
use magpie_surface::entities::{Candidate, Described, EntityQueries, Ranking};
use magpie_surface::probe::{self, TextProbe};
use magpie_surface::size::Estimate;
use magpie_surface::{ObjectId, Outcome};
use magpie_values::kind::Comparison;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use url::Url;

use super::ask::{Answer, Ask, Known};
use super::method::SurfaceMethod;
use super::recorder::{Requests, SeenPage, kind_of};
use super::redirects::Redirects;
use super::way::{AskMemory, MAX_FRUITLESS, MIN_YIELD, Shared, Way, hashes};

/// Bad and good queries of a trial.
const TRIAL_QUERIES: usize = 3;

/// Words of a value that names an entity at most.
const MAX_ENTITY_WORDS: usize = 6;

/// Names and words that are asked before their ratings are trusted.
const MIN_OF_SORT: u32 = 5;

/// Share of the best rating that others of a batch must have.
pub(super) const MIN_SHARE_OF_BEST: f64 = 0.5;

/// Doubtful arguments that are skipped at a time since their requests could act.
const MAX_PROBES: usize = 20;

/// Minimum number of queries before the size is estimated.
const MIN_CAPTURES: u32 = 20;

/// Minimum number of objects of an answer that is used to study an argument.
const MIN_TELLING: usize = 3;

/// Names of new objects in a round at most.
const MAX_NEW_NAMES: usize = 10;

/// Requests for words at most, over all runs.
const MAX_WORD_REQUESTS: usize = 10_000;

/// Results of a page before one was seen.
const PAGE_SIZE: u32 = 10;

/// The state from which asking continues in a later run.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct WordsMemory {
    empty: EmptyPages,
    study: ArgumentStudy,
    entities: EntityQueries,
    words: Option<TextProbe>,
    /// Requests of each sort that were answered.
    bad: usize,
    good: u32,
    /// At least one answer contained objects, which may be one to nonsense. Without any, a search
    /// that ignores its input looks like one that finds nothing.
    has_shown_objects: bool,
    /// Hashes of the links on answers to nonsense.
    furniture: BTreeSet<u64>,
    /// The template that the answers redirect to.
    #[serde(default)]
    redirects: Redirects,
}

/// A text field that is asked for names and words.
pub(super) struct Words {
    template: UrlTemplate,
    /// The template is that of a form which is sent by POST.
    is_post: bool,
    memory: WordsMemory,
    method: SurfaceMethod,
    seed: u64,
}

impl Words {
    pub(super) fn new(
        template: UrlTemplate,
        site: SiteId,
        method: SurfaceMethod,
        memory: Option<WordsMemory>,
    ) -> Words {
        let keyword = template.keyword_argument().unwrap_or_default();
        Words {
            memory: memory.unwrap_or_else(|| WordsMemory {
                empty: EmptyPages::new(empty::Method::Fitted),
                study: ArgumentStudy::new(arguments::Method::ByEffect, keyword),
                entities: EntityQueries::new(Ranking::Expected, PAGE_SIZE),
                words: None,
                bad: 0,
                good: 0,
                has_shown_objects: false,
                furniture: BTreeSet::new(),
                redirects: Redirects::default(),
            }),
            is_post: template.is_post(),
            template,
            method,
            seed: site.0.cast_unsigned(),
        }
    }

    /// Chooses the requests with the most expected new objects (names, words, or further
    /// pages of earlier answers), and one that tests the effect of an argument.
    fn work(&mut self, count: usize) -> Vec<Ask> {
        let names = self.rated_names(count);
        let words: Vec<(f64, Ask)> = self.rated_words(count).collect();
        // One of each sort is asked until there are answers: before, ratings are unreliable.
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
        // Requests of little value wait, since the next answers may change all ratings.
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

    /// Takes the links of an answer that repeat its query with other arguments.
    fn study_links(&mut self, ask: &Ask, outcome: &Outcome, answer: &Answer) {
        // A filter that leaves one object as it is may still filter others. Arguments of a form
        // that is sent by POST are no links.
        let is_telling = ask.result_page() == Some(0) && outcome.objects.len() >= MIN_TELLING;
        let (Some(page), Some(keyword)) = (&answer.page, self.template.keyword_argument()) else {
            return;
        };
        if is_telling && !self.is_post {
            let links = page.links.iter().map(|(href, _, _)| href.as_str());
            let embedded: Vec<&str> = links.filter(|href| has_argument(href, keyword)).collect();
            self.memory.study.add_page(&answer.url, outcome, &embedded);
        }
    }
}

impl Way for Words {
    fn learn_known(&mut self, known: &Known<'_>, linked: &[(ObjectId, &str)], candidates: &[Candidate]) {
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
        let objects: Vec<ObjectId> = linked.iter().map(|(id, _)| *id).collect();
        words.observe(None, &Outcome::new(objects.iter().copied()), "", linked);
        memory.entities.observe(&objects, known.objects);
        for candidate in candidates {
            memory.entities.add_candidate(candidate.clone());
        }
    }

    fn unknown_objects<'k>(&self, known: &Known<'k>) -> Vec<&'k Described> {
        let objects = known.objects.iter();
        objects
            .filter(|object| !self.memory.entities.knows(object.id))
            .collect()
    }

    fn names_of(&self, objects: &[&Described]) -> Vec<String> {
        let entities = &self.memory.entities;
        let names = objects.iter().flat_map(|object| &object.entities);
        let mut names: Vec<(f64, &String)> = names
            .filter_map(|(kind, name)| Some((entities.expected_new(kind, name)?, name)))
            .filter(|(expected, _)| *expected >= MIN_YIELD)
            .collect();
        names.sort_by(|one, other| other.0.total_cmp(&one.0));
        let names = names.into_iter().take(MAX_NEW_NAMES);
        names.map(|(_, name)| name.clone()).collect()
    }

    fn observe_elsewhere(&mut self, new: &[ObjectId], answer: &Answer, info: &VerticalInfo) {
        let records = answer.records.iter().filter(|(id, _)| new.contains(id));
        let (described, texts) = read(records, info);
        let texts: Vec<(ObjectId, &str)> = texts.iter().map(|(id, text)| (*id, text.as_str())).collect();
        self.memory.entities.observe(new, &described);
        if let Some(words) = &mut self.memory.words {
            words.observe(None, &Outcome::new(new.iter().copied()), "", &texts);
        }
    }

    fn expected_new(&mut self, shared: &Shared) -> f64 {
        if shared.state == TemplateState::Trial {
            return f64::INFINITY;
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

    fn choose(&mut self, shared: &Shared, count: usize) -> Vec<Ask> {
        match shared.state {
            TemplateState::Trial => self.trial(),
            _ if shared.is_spent() => Vec::new(),
            _ => self.work(count),
        }
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

    fn fill(&self, query: &str) -> Option<Url> {
        // The template that answers redirect to saves a request each, once it is known.
        let redirected = self.memory.redirects.fill(query);
        redirected.or_else(|| self.template.fill(query, &[]))
    }

    fn may_continue(&self, url: &str, _: u32) -> bool {
        is_safe(url)
    }

    fn describe_request(&self, ask: &Ask, url: &CanonicalUrl, requests: &mut Requests) {
        // Links of answers never lead to a POST.
        if self.is_post && ask.is_filled() {
            requests.posted.insert(url.fingerprint().0);
        }
        requests.furniture.extend(&self.memory.furniture);
        match ask {
            Ask::Bad(_) => {}
            Ask::Entity { .. } | Ask::Word(_) => {
                requests.queries.insert(ask.query().to_lowercase());
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

    fn judge(
        &mut self,
        memory: &mut AskMemory,
        ask: &Ask,
        page: &SeenPage,
        answer: &Answer,
    ) -> (Outcome, SubmissionOutcome) {
        let result = ResultPage::new(&page.text, ask.query(), answer.objects.iter().copied());
        self.memory.has_shown_objects |= !answer.objects.is_empty();
        if let Ask::Bad(_) = ask {
            self.memory.furniture.extend(hashes(page));
            self.memory.empty.add_reference(result);
            return (Outcome::new([]), SubmissionOutcome::Empty);
        }
        // References from nonsense decide here, because "no results" is written in many ways.
        let is_empty = self.memory.empty.judge(&result).is_empty;
        if !is_empty && !answer.is_redirected() {
            memory.count_links(page);
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
        let outcome = Outcome::new(answer.objects.iter().copied());
        let is_object = answer.objects.len() == 1 && leads_elsewhere(memory, answer);
        let word = match is_object {
            true => SubmissionOutcome::Object,
            false => SubmissionOutcome::Results,
        };
        (outcome, word)
    }

    fn learn_request(&mut self, (ask, url): (&Ask, &Url), answer: &Answer, is_failure: bool) -> bool {
        if !ask.is_filled() {
            return true;
        }
        let (query, is_failure) = (ask.query(), is_failure || answer.is_missing);
        // A query was redirected if it was sent to another URL than that of the form.
        let is_redirected = self.template.fill(query, &[]).as_ref() != Some(url);
        let redirects = &mut self.memory.redirects;
        if is_redirected {
            redirects.note(is_failure);
        } else if !is_failure {
            redirects.learn(query, url, &answer.hops);
        }
        !is_redirected
    }

    fn learn(&mut self, ask: &Ask, outcome: &Outcome, _: usize, answer: &Answer, info: &VerticalInfo) {
        let (described, texts) = read(answer.records.iter(), info);
        let texts: Vec<(ObjectId, &str)> = texts.iter().map(|(id, text)| (*id, text.as_str())).collect();
        let text = answer.page.as_ref().map_or("", |page| page.text.as_str());
        self.study_links(ask, outcome, answer);
        let memory = &mut self.memory;
        memory.good += u32::from(ask.result_page().is_some());
        match ask {
            Ask::Bad(_) => memory.bad += 1,
            Ask::Entity { kind, query } => {
                memory.entities.record(kind, query, outcome, &described);
                if let Some(words) = &mut memory.words {
                    words.observe(Some(query), outcome, text, &texts);
                }
            }
            Ask::Word(word) => {
                memory.entities.observe(&outcome.objects, &described);
                if let Some(words) = &mut memory.words {
                    words.record(word, outcome, text, &texts);
                }
            }
            Ask::Argument(probe) => memory.study.record(probe, outcome),
        }
    }

    fn next_state(&mut self, shared: &Shared) -> Option<(TemplateState, String)> {
        let (memory, has_none) = (&self.memory, shared.memory.objects.is_empty());
        let is_tried = memory.bad >= TRIAL_QUERIES;
        if is_tried && memory.good >= 2 && memory.has_shown_objects && memory.empty.is_inert() {
            let detail = "nonsense and names of objects are answered with the same".to_owned();
            Some((TemplateState::Inert, detail))
        } else if has_none && shared.memory.fruitless >= MAX_FRUITLESS {
            let detail = format!("{} queries brought no object", shared.memory.fruitless);
            Some((TemplateState::Fruitless, detail))
        } else if shared.state == TemplateState::Trial && is_tried && !has_none {
            Some((TemplateState::Working, String::new()))
        } else {
            None
        }
    }

    fn size(&self, by_links: Option<Estimate>) -> Option<Estimate> {
        let of_words = || {
            self.memory
                .words
                .as_ref()
                .map(TextProbe::size)
                .unwrap_or_default()
        };
        (self.memory.good >= MIN_CAPTURES).then(|| by_links.unwrap_or_else(of_words))
    }

    fn memory(&self) -> Value {
        serde_json::to_value(&self.memory).unwrap_or_default()
    }

    fn arguments(&self) -> Vec<ArgumentRow> {
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

/// Returns `true` if an answer is no result page: other queries were not redirected to its
/// kind.
fn leads_elsewhere(memory: &AskMemory, answer: &Answer) -> bool {
    let url = CanonicalUrl::trusted(answer.url.as_str());
    answer.is_redirected() && url.is_some_and(|url| !memory.result_kinds.contains(&kind_of(&url)))
}

/// Returns the entities and the texts of records.
fn read<'a>(
    records: impl Iterator<Item = &'a (ObjectId, Record)>,
    info: &VerticalInfo,
) -> (Vec<Described>, Vec<(ObjectId, String)>) {
    records
        .map(|(id, record)| (describe(*id, record, info), (*id, text_of(record, info))))
        .unzip()
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
    url.is_some_and(|url| super::safety::trap_of(&url, &Acts::default()).is_none())
}

fn has_argument(href: &str, name: &str) -> bool {
    Url::parse(href).is_ok_and(|url| url.query_pairs().any(|(key, _)| key == name))
}

/// Returns `true` for kinds of values that are names.
fn is_name(kind: &magpie_model::Kind) -> bool {
    // Searches find objects by their names and identifiers.
    let comparison = kind.comparison();
    comparison.is_of_names() || matches!(comparison, Comparison::Identifier(_))
}
