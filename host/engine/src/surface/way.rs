//! The two ways to ask a template, and the state that both share.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use magpie_model::{CanonicalUrl, VerticalInfo};
use magpie_rows::{ArgumentRow, SubmissionOutcome, TemplateState};
use magpie_surface::entities::{Candidate, Described};
use magpie_surface::probe::Query;
use magpie_surface::size::Estimate;
use magpie_surface::{ObjectId, Outcome};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use url::Url;

use super::ask::{Answer, Ask, Known};
use super::filters::FormDecision;
use super::queue::QueryQueue;
use super::recorder::{Kind, Requests, SeenPage, link_hash};

/// Queries without an object after which a template counts as fruitless.
pub(super) const MAX_FRUITLESS: u32 = 12;

/// Mean number of new objects of the last queries of a run below which it asks no more.
pub(super) const MIN_YIELD: f64 = 0.2;

/// The number of these queries.
const LAST_QUERIES: usize = 20;

/// Links on answers that are counted.
const MAX_LINKED: usize = 20_000;

/// A way to ask a template: it chooses the requests and judges the answers.
pub(super) trait Way: Send {
    /// Takes known objects. `linked` are those that links lead to and that count as shown from now
    /// on, with their texts.
    fn learn_known(&mut self, known: &Known<'_>, linked: &[(ObjectId, &str)], candidates: &[Candidate]);

    /// Returns the known objects that no answer has shown and whose names were never learned.
    fn unknown_objects<'k>(&self, known: &Known<'k>) -> Vec<&'k Described> {
        let _ = known;
        Vec::new()
    }

    /// Returns the names of objects that the site is expected to have.
    fn names_of(&self, objects: &[&Described]) -> Vec<String> {
        let _ = objects;
        Vec::new()
    }

    /// Takes new objects that another template of the site has shown.
    fn observe_elsewhere(&mut self, new: &[ObjectId], answer: &Answer, info: &VerticalInfo) {
        let _ = (new, answer, info);
    }

    /// Returns the first requests, which show if the template works; none if they are answered.
    fn trial(&self) -> Vec<Ask>;

    /// Chooses the requests that are expected to bring the most new objects.
    fn choose(&mut self, shared: &Shared, count: usize) -> Vec<Ask>;

    /// Returns the new objects that the next request is expected to bring: infinity while that is
    /// unknown.
    fn expected_new(&mut self, shared: &Shared) -> f64;

    /// Returns the URL for a query, or `None` if it may not be requested.
    fn fill(&self, query: &str) -> Option<Url>;

    /// Returns `true` if a further page of results may be requested, by its URL and its number.
    fn may_continue(&self, url: &str, page: u32) -> bool;

    /// Adds what a crawl must know of a request, besides what holds for both ways.
    fn describe_request(&self, ask: &Ask, url: &CanonicalUrl, requests: &mut Requests);

    /// Judges a page: its objects, and a word for the answer. [`Outcome::has_next`] is not set.
    fn judge(
        &mut self,
        memory: &mut AskMemory,
        ask: &Ask,
        page: &SeenPage,
        answer: &Answer,
    ) -> (Outcome, SubmissionOutcome);

    /// Learns from where a request was sent and led. Returns `true` if a failure counts against the
    /// template.
    fn learn_request(&mut self, request: (&Ask, &Url), answer: &Answer, is_failure: bool) -> bool;

    /// Learns from an answer that was judged. `new` is the number of its new objects.
    fn learn(&mut self, ask: &Ask, outcome: &Outcome, new: usize, answer: &Answer, info: &VerticalInfo);

    /// Returns the next state of the template with an explanation; `None` if it stays as it is.
    fn next_state(&mut self, shared: &Shared) -> Option<(TemplateState, String)>;

    /// Returns the estimated number of objects behind the template. `by_links` is an estimate from
    /// those that links lead to, too.
    fn size(&self, by_links: Option<Estimate>) -> Option<Estimate> {
        by_links
    }

    /// Returns the state of this way, to be kept.
    fn memory(&self) -> Value;

    /// Returns the arguments of the result URLs, as far as they are known.
    fn arguments(&self) -> Vec<ArgumentRow> {
        Vec::new()
    }

    /// Returns the decisions about the inputs of a filter form.
    fn decisions(&self) -> Vec<FormDecision> {
        Vec::new()
    }
}

/// A further page of results.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(from = "KeptNextPage")]
pub(super) struct NextPage {
    pub(super) query: Query,
    pub(super) url: String,
    /// New objects of the page before.
    pub(super) new: usize,
}

/// A further page as workspaces have it: those of text fields were once kept without the number of
/// new objects.
#[derive(Deserialize)]
#[serde(untagged)]
enum KeptNextPage {
    Pair(Query, String),
    Named { query: Query, url: String, new: usize },
}

impl From<KeptNextPage> for NextPage {
    fn from(kept: KeptNextPage) -> NextPage {
        let (query, url, new) = match kept {
            KeptNextPage::Pair(query, url) => (query, url, 0),
            KeptNextPage::Named { query, url, new } => (query, url, new),
        };
        NextPage { query, url, new }
    }
}

/// The state of both ways from which asking continues in a later run.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct AskMemory {
    pub(super) asked: u64,
    /// Requests in a row without an answer.
    pub(super) failed: u32,
    /// Answers to queries without an object.
    pub(super) fruitless: u32,
    /// The objects of the answers to queries.
    pub(super) objects: BTreeSet<ObjectId>,
    /// Objects of the site that links lead to.
    pub(super) linked_objects: BTreeSet<ObjectId>,
    /// Objects that another template has shown first.
    pub(super) elsewhere: BTreeSet<ObjectId>,
    /// Kinds of the pages that nonsense was redirected to.
    pub(super) result_kinds: BTreeSet<Kind>,
    /// For each link on answers the number of them that have it, and the number of answers.
    pub(super) linked: BTreeMap<u64, u32>,
    pub(super) answers: u32,
    pub(super) next_pages: Vec<NextPage>,
}

impl AskMemory {
    /// Returns `true` if neither a link nor an answer has led to an object yet.
    pub(super) fn is_new(&self, id: &ObjectId) -> bool {
        let sets = [&self.objects, &self.linked_objects, &self.elsewhere];
        sets.iter().all(|known| !known.contains(id))
    }

    pub(super) fn count_links(&mut self, page: &SeenPage) {
        self.answers += 1;
        for link in hashes(page) {
            if self.linked.len() < MAX_LINKED || self.linked.contains_key(&link) {
                *self.linked.entry(link).or_default() += 1;
            }
        }
    }
}

/// The state of a template that all ways to ask share.
pub(super) struct Shared {
    pub(super) memory: AskMemory,
    /// New objects of the last queries of this run.
    last_new: VecDeque<u32>,
    /// Requests that may still be sent in this run.
    pub(super) left: u64,
    /// The queries of a round, in place of those that seem best.
    pub(super) round: Option<QueryQueue>,
    pub(super) state: TemplateState,
}

impl Shared {
    pub(super) fn new(memory: AskMemory, state: TemplateState, left: u64) -> Shared {
        Shared {
            memory,
            last_new: VecDeque::new(),
            left,
            round: None,
            state,
        }
    }

    /// Notes the number of new objects of a query.
    pub(super) fn note_new(&mut self, new: usize) {
        self.last_new.push_back(new.try_into().unwrap_or(u32::MAX));
        if self.last_new.len() > LAST_QUERIES {
            self.last_new.pop_front();
        }
    }

    fn sum_new(&self) -> f64 {
        f64::from(self.last_new.iter().sum::<u32>())
    }

    /// Returns `true` if no request is left, or the last ones of this run brought too little.
    pub(super) fn is_spent(&self) -> bool {
        let is_poor = self.last_new.len() == LAST_QUERIES && self.sum_new() < MIN_YIELD * LAST_QUERIES as f64;
        is_poor || self.left == 0
    }

    /// Returns the mean number of new objects of the last requests.
    pub(super) fn mean_new(&self) -> f64 {
        // It begins with one.
        (self.sum_new() + 1.0) / (self.last_new.len() as f64 + 1.0)
    }
}

/// Returns the hashes of the links of a page.
pub(super) fn hashes(page: &SeenPage) -> BTreeSet<u64> {
    page.links.iter().map(|(href, _, _)| link_hash(href)).collect()
}
