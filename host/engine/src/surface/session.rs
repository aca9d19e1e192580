//! The asking of one template: which request comes next, and what the answers change.

use magpie_discovery::{FilterTemplate, UrlTemplate};
use magpie_model::{CanonicalUrl, VerticalInfo};
use magpie_rows::{
    ArgumentRow, QueryTemplateRow, SelectedQuery, SiteId, SubmissionOutcome, SubmissionRow, TemplateState,
};
use magpie_surface::entities::Candidate;
use magpie_surface::probe::Query;
use magpie_surface::size::two_samples;
use magpie_surface::{ObjectId, Outcome};
use magpie_values::Timestamp;
use serde::de::DeserializeOwned;
use serde_json::Value;
use url::Url;

use super::ask::{Answer, Ask, Known, next_page};
use super::filter_form::Filter;
use super::filters::{Filters, FormDecision};
use super::method::SurfaceMethod;
use super::queue::QueryQueue;
use super::recorder::{Requests, kind_of};
use super::way::{AskMemory, NextPage, Shared, Way};
use super::words::Words;

/// Failures in a row after which a template is given up.
const MAX_FAILURES: u32 = 3;

/// Minimum number of objects, both linked and shown by the search, for an estimate of the size.
const MIN_BOTH: usize = 10;

/// Answers after which the links that most of them have are known: those lead to no result.
const MIN_ANSWERS: u32 = 3;

/// A template that is asked, by words or by submissions of a filter form.
pub(super) struct TemplateSession {
    pub(super) site: SiteId,
    pub(super) text: String,
    detail: String,
    shared: Shared,
    way: Box<dyn Way>,
    submissions: Vec<SubmissionRow>,
}

impl TemplateSession {
    /// Begins with the template of a text field, or continues where it was left. Returns `None` if
    /// the template has no place for a query.
    pub(super) fn of_words(
        site: SiteId,
        text: &str,
        method: SurfaceMethod,
        kept: Option<&QueryTemplateRow>,
        max_requests: u64,
    ) -> Option<TemplateSession> {
        let template: UrlTemplate = text.parse().ok()?;
        let (shared, memory) = resumed(kept, max_requests);
        let words = Words::new(template, site, method, memory);
        Some(TemplateSession::new(site, text, kept, shared, Box::new(words)))
    }

    /// Begins with a filter form, or continues where it was left. Without the form, only the
    /// queries of a round can be asked.
    pub(super) fn of_filters(
        site: SiteId,
        text: &str,
        form: Option<Filter>,
        kept: Option<&QueryTemplateRow>,
        max_requests: u64,
    ) -> Option<TemplateSession> {
        let template: FilterTemplate = text.parse().ok()?;
        let (shared, memory) = resumed(kept, max_requests);
        let filters = Filters::new((site, text), template, form, memory, shared.state);
        Some(TemplateSession::new(site, text, kept, shared, Box::new(filters)))
    }

    /// Continues with a template of a navigation.
    pub(super) fn of_navigation(
        site: SiteId,
        text: &str,
        kept: Option<&QueryTemplateRow>,
        max_requests: u64,
    ) -> Option<TemplateSession> {
        // Its places decide which way it is asked.
        TemplateSession::of_words(site, text, SurfaceMethod::Auto, kept, max_requests)
            .or_else(|| TemplateSession::of_filters(site, text, None, kept, max_requests))
    }

    fn new(
        site: SiteId,
        text: &str,
        kept: Option<&QueryTemplateRow>,
        shared: Shared,
        way: Box<dyn Way>,
    ) -> TemplateSession {
        TemplateSession {
            site,
            text: text.to_owned(),
            detail: kept.map_or_else(String::new, |row| row.detail.clone()),
            shared,
            way,
            submissions: Vec::new(),
        }
    }

    /// Takes known objects and queries from elsewhere.
    pub(super) fn add_known(&mut self, known: &Known<'_>, candidates: &[Candidate]) {
        let memory = &mut self.shared.memory;
        // Pages that earlier answers led to are among those of the site.
        let linked: Vec<(ObjectId, &str)> = known
            .linked
            .iter()
            .filter(|(id, _)| !memory.objects.contains(id) && !memory.elsewhere.contains(id))
            .map(|(id, text)| (*id, text.as_str()))
            .collect();
        // Objects that links lead to count as shown, so no query that brings only them is asked.
        memory.linked_objects.extend(linked.iter().map(|(id, _)| *id));
        self.way.learn_known(known, &linked, candidates);
    }

    /// Takes the queries of a round, which are asked in place of others; before them come names of
    /// objects that are new in the warehouse and that this site may have. Returns their number.
    pub(super) fn begin_round(&mut self, queries: &[SelectedQuery], known: &Known<'_>) -> u64 {
        let unknown = self.way.unknown_objects(known);
        self.add_known(known, &[]);
        // A template that failed in the last round may answer again.
        if self.shared.state == TemplateState::Failing {
            (self.shared.state, self.shared.memory.failed) = (TemplateState::Working, 0);
        }
        let mut round = QueryQueue::default();
        for name in self.way.names_of(&unknown) {
            round.add(&name, 1);
        }
        for query in queries {
            round.add(&query.query, query.pages);
        }
        let count = round.len() as u64;
        self.shared.round = Some(round);
        count
    }

    /// Takes objects that another template of the site has shown, so that no request is sent for
    /// them alone.
    pub(super) fn observe_elsewhere(&mut self, answer: &Answer, info: &VerticalInfo) {
        let memory = &mut self.shared.memory;
        let objects = answer.objects.iter().copied();
        let new: Vec<ObjectId> = objects.filter(|id| memory.is_new(id)).collect();
        if !new.is_empty() {
            self.way.observe_elsewhere(&new, answer, info);
            memory.elsewhere.extend(new);
        }
    }

    /// Returns the new objects that the next request is expected to bring: infinity while that is
    /// unknown.
    pub(super) fn expected_new(&mut self) -> f64 {
        match self.shared.state {
            TemplateState::Trial | TemplateState::Working if self.shared.round.is_some() => f64::INFINITY,
            TemplateState::Trial | TemplateState::Working => self.way.expected_new(&self.shared),
            TemplateState::Inert
            | TemplateState::Fruitless
            | TemplateState::Failing
            | TemplateState::Forbidden => 0.0,
        }
    }

    /// Returns the next requests with their URLs, none if the template is done with.
    pub(super) fn next(&mut self, count: usize) -> Vec<(Ask, Url)> {
        let asks = match (self.shared.state, &mut self.shared.round) {
            (TemplateState::Trial | TemplateState::Working, None) => self.way.choose(&self.shared, count),
            // Without a trial nothing shows which links all its result pages have.
            (TemplateState::Trial, Some(_)) if !self.way.trial().is_empty() => self.way.trial(),
            (TemplateState::Trial | TemplateState::Working, Some(round)) => {
                round.take(count).into_iter().map(Ask::Word).collect()
            }
            (
                TemplateState::Inert
                | TemplateState::Fruitless
                | TemplateState::Failing
                | TemplateState::Forbidden,
                _,
            ) => Vec::new(),
        };
        // The budget may end within a batch.
        let left = usize::try_from(self.shared.left).unwrap_or(usize::MAX);
        let asks = asks.into_iter().take(left);
        asks.filter_map(|ask| {
            let url = self.url_of(&ask)?;
            Some((ask, url))
        })
        .collect()
    }

    fn url_of(&self, ask: &Ask) -> Option<Url> {
        match ask {
            Ask::Argument(probe) => probe.url.parse().ok(),
            Ask::Word(word) if word.page > 0 => {
                let mut pages = self.shared.memory.next_pages.iter();
                pages.find(|next| next.query == *word)?.url.parse().ok()
            }
            Ask::Bad(_) | Ask::Entity { .. } | Ask::Word(_) => self.way.fill(ask.query()),
        }
    }

    /// Returns the number of requests over all runs.
    pub(super) fn asked(&self) -> u64 {
        self.shared.memory.asked
    }

    /// Adds what a crawl must know of a request and of the template.
    pub(super) fn describe_request(&self, ask: &Ask, url: &CanonicalUrl, requests: &mut Requests) {
        let (memory, fingerprint) = (&self.shared.memory, url.fingerprint().0);
        requests.asked.insert(fingerprint);
        // A path alone may be that of objects, too.
        if url.query().is_some() {
            requests.asked_kinds.insert(kind_of(url));
        }
        requests.result_kinds.extend(memory.result_kinds.iter().cloned());
        if memory.answers >= MIN_ANSWERS {
            requests.explored.insert(fingerprint);
            let linked = memory.linked.iter();
            let common = linked.filter(|(_, pages)| **pages * 2 > memory.answers);
            requests.furniture.extend(common.map(|(link, _)| link));
        }
        if let Ask::Bad(_) = ask {
            requests.nonsense.insert(fingerprint);
        }
        self.way.describe_request(ask, url, requests);
    }

    pub(super) fn record(
        &mut self,
        (ask, url): (&Ask, &Url),
        answer: &Answer,
        (vertical, info): (&str, &VerticalInfo),
        now: Timestamp,
    ) {
        let shared = &mut self.shared;
        shared.memory.asked += 1;
        shared.left = shared.left.saturating_sub(1);
        // A request that a rule forbids was never sent, so there is no answer to judge.
        let (mut outcome, word) = match &answer.page {
            _ if answer.is_refused => (Outcome::new([]), SubmissionOutcome::Refused),
            None if answer.is_missing => (Outcome::new([]), SubmissionOutcome::Empty),
            None => (Outcome::new([]), SubmissionOutcome::Failed),
            Some(page) => {
                // Nothing matches nonsense, so a redirect leads to a page of results and not to an
                // object.
                if let Ask::Bad(_) = ask
                    && answer.is_redirected()
                    && let Some(url) = CanonicalUrl::trusted(answer.url.as_str())
                {
                    shared.memory.result_kinds.insert(kind_of(&url));
                }
                self.way.judge(&mut shared.memory, ask, page, answer)
            }
        };
        let is_failure = matches!(word, SubmissionOutcome::Failed | SubmissionOutcome::Refused);
        let is_blamed = self.way.learn_request((ask, url), answer, is_failure);
        // A template that was learned from redirects is given up before the form is.
        shared.memory.failed = match is_failure {
            true => shared.memory.failed + u32::from(is_blamed),
            false => 0,
        };
        let objects = outcome.objects.len();
        let new = outcome
            .objects
            .iter()
            .filter(|id| shared.memory.is_new(id))
            .count();
        if let Some(number) = ask.result_page() {
            let next = answer.page.as_ref().and_then(|page| next_page(page, number));
            let next = next.filter(|next| objects > 0 && self.way.may_continue(next, number + 1));
            outcome.has_next = next.is_some();
            let query = |page| Query {
                keyword: ask.query().to_owned(),
                page,
            };
            let pages = &mut shared.memory.next_pages;
            pages.retain(|next| next.query.keyword != ask.query());
            pages.extend(next.map(|url| NextPage {
                query: query(number + 1),
                url,
                new,
            }));
            if let Some(round) = shared.round.as_mut().filter(|_| outcome.has_next) {
                round.follow(&query(number), new > 0);
            }
            shared.memory.fruitless += u32::from(objects == 0);
            shared.note_new(new);
        }
        self.way.learn(ask, &outcome, new, answer, info);
        // Objects on an answer to nonsense are on all result pages, so they are not results.
        if !matches!(ask, Ask::Bad(_)) {
            shared.memory.objects.extend(&outcome.objects);
        }
        self.submissions.push(SubmissionRow {
            vertical: vertical.to_owned(),
            site: self.site,
            template: self.text.clone(),
            query: ask.query().to_owned(),
            url: url.as_str().to_owned(),
            asked_at: now,
            outcome: word,
            objects: objects as u64,
            new_objects: new as u64,
            result_page: ask.result_page().unwrap_or(0),
            shown_on: match ask.result_page().is_some() && objects > 0 {
                true => answer.shown_on.clone(),
                false => Vec::new(),
            },
        });
        self.change_state(word);
    }

    fn change_state(&mut self, last: SubmissionOutcome) {
        let shared = &mut self.shared;
        let next = if last == SubmissionOutcome::Refused && shared.memory.objects.is_empty() {
            let detail = "the robots.txt or a setting forbids its result pages".to_owned();
            Some((TemplateState::Forbidden, detail))
        } else if shared.memory.failed >= MAX_FAILURES {
            let detail = "three requests in a row were not answered with a page".to_owned();
            Some((TemplateState::Failing, detail))
        } else {
            self.way.next_state(shared)
        };
        if let Some((state, detail)) = next {
            (shared.state, self.detail) = (state, detail);
        }
    }

    /// Returns the row of the template and those of the queries since the last call.
    pub(super) fn take_rows(
        &mut self,
        vertical: &str,
        now: Timestamp,
    ) -> (QueryTemplateRow, Vec<SubmissionRow>) {
        let memory = &self.shared.memory;
        let both = memory.objects.intersection(&memory.linked_objects).count();
        let by_links =
            (both >= MIN_BOTH).then(|| two_samples(memory.linked_objects.len(), memory.objects.len(), both));
        let size = self.way.size(by_links);
        // Both states are in one object. Each reader takes its own fields and ignores the others.
        let mut kept = serde_json::to_value(memory).unwrap_or_default();
        if let (Value::Object(kept), Value::Object(own)) = (&mut kept, self.way.memory()) {
            kept.extend(own);
        }
        let row = QueryTemplateRow {
            vertical: vertical.to_owned(),
            site: self.site,
            template: self.text.clone(),
            state: self.shared.state,
            detail: self.detail.clone(),
            asked: memory.asked,
            objects: memory.objects.len() as u64,
            size: size.map(|size| (size.value, size.low, size.high)),
            memory: kept.to_string(),
            changed_at: now,
        };
        (row, std::mem::take(&mut self.submissions))
    }

    /// Returns the arguments of the result URLs, as far as they are known; none if the template
    /// does not work.
    pub(super) fn arguments(&self) -> Vec<ArgumentRow> {
        match self.shared.state {
            TemplateState::Working => self.way.arguments(),
            _ => Vec::new(),
        }
    }

    /// Returns the decisions about the inputs of a filter form, in the order in which they were
    /// made.
    pub(super) fn decisions(&self) -> Vec<FormDecision> {
        self.way.decisions()
    }
}

/// Reads what a row keeps of both ways and of one.
fn resumed<M: DeserializeOwned>(kept: Option<&QueryTemplateRow>, left: u64) -> (Shared, Option<M>) {
    let read = |row: &QueryTemplateRow| {
        let memory: AskMemory = serde_json::from_str(&row.memory).ok()?;
        let own: M = serde_json::from_str(&row.memory).ok()?;
        Some((Shared::new(memory, row.state, left), Some(own)))
    };
    // A template whose row can't be read starts from the beginning.
    let begun = || {
        (
            Shared::new(AskMemory::default(), TemplateState::Trial, left),
            None,
        )
    };
    kept.and_then(read).unwrap_or_else(begun)
}

#[cfg(test)]
mod tests {
    use magpie_surface::entities::Described;

    use super::super::recorder::SeenPage;
    use super::*;

    const NOW: Timestamp = Timestamp::from_millis(0);

    fn things() -> Vec<Described> {
        let names = [
            "Salt Road",
            "Winter Harbour",
            "Blue Lantern",
            "North Gate",
            "Old Mill",
        ];
        let described = (1..).zip(names).map(|(id, name)| Described {
            id,
            entities: vec![("name".to_owned(), name.to_owned())],
        });
        described.collect()
    }

    fn session(kept: Option<&QueryTemplateRow>, max_requests: u64) -> TemplateSession {
        let (site, text) = (SiteId(1), "https://a.test/search?q={query}");
        let session = TemplateSession::of_words(site, text, SurfaceMethod::Entities, kept, max_requests);
        let mut session = session.expect("a template");
        let known = Known {
            objects: &things(),
            texts: &[],
            linked: &[],
        };
        session.add_known(&known, &[]);
        session
    }

    /// Sends requests of a session, at most some, to a site that finds things by their names.
    /// Returns the queries.
    fn asked(session: &mut TemplateSession, most: usize) -> Vec<String> {
        let mut queries = Vec::new();
        while queries.len() < most {
            let Some((ask, url)) = session.next(1).into_iter().next() else {
                break;
            };
            let things = things();
            let is_found = |thing: &&Described| thing.entities.iter().any(|(_, name)| name == ask.query());
            let objects: Vec<ObjectId> = things.iter().filter(is_found).map(|thing| thing.id).collect();
            let text = match objects.is_empty() {
                true => format!("Nothing was found for {}", ask.query()),
                false => format!(
                    "One result of many words: {}, on the shelf since May",
                    ask.query()
                ),
            };
            let answer = Answer {
                page: Some(SeenPage {
                    text,
                    ..SeenPage::default()
                }),
                url: url.to_string(),
                objects,
                ..Answer::default()
            };
            session.record((&ask, &url), &answer, ("things", &VerticalInfo::default()), NOW);
            queries.push(ask.query().to_owned());
        }
        queries
    }

    #[test]
    fn a_session_continues_where_its_row_was_written() {
        let mut first = session(None, 100);
        let before = asked(&mut first, 5);
        let (row, submissions) = first.take_rows("things", NOW);
        let recorded: Vec<&str> = submissions.iter().map(|row| row.query.as_str()).collect();
        assert_eq!(recorded, before);
        assert_eq!(
            (row.state, row.asked, row.objects),
            (TemplateState::Working, 5, 2),
            "three queries are nonsense"
        );
        assert!(first.take_rows("things", NOW).1.is_empty(), "rows are taken once");
        let mut second = session(Some(&row), 100);
        let after = asked(&mut second, 100);
        assert_eq!(after.len(), 3, "{after:?}");
        assert!(after.iter().all(|query| !before.contains(query)), "{after:?}");
        assert_eq!(second.take_rows("things", NOW).0.objects, 5);
    }

    #[test]
    fn a_session_keeps_to_its_budget() {
        assert_eq!(asked(&mut session(None, 4), 100).len(), 4);
    }

    #[test]
    fn further_pages_of_earlier_rows_are_read() {
        let kept = r#"{"asked": 7, "next_pages": [[{"keyword": "mill", "page": 1}, "https://a.test/2"]]}"#;
        let memory: AskMemory = serde_json::from_str(kept).expect("a row of a text field");
        let again = serde_json::to_string(&memory).expect("JSON");
        let again: AskMemory = serde_json::from_str(&again).expect("a row of today");
        for memory in [memory, again] {
            let page = &memory.next_pages[0];
            assert_eq!((page.query.keyword.as_str(), page.query.page), ("mill", 1));
            assert_eq!((memory.asked, page.url.as_str()), (7, "https://a.test/2"));
        }
    }
}
