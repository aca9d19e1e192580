//! A template that is asked, be it for words or for submissions of a filter form.

use magpie_model::{CanonicalUrl, VerticalInfo};
use magpie_rows::{QueryTemplateRow, SelectedQuery, SiteId, SubmissionRow};
use magpie_values::Timestamp;
use url::Url;

use super::filters::{Filters, FormDecision};
use super::recorder::Requests;
use super::search::{Answer, Ask, Known, Search};

/// A template that is asked.
pub(super) enum Machine {
    /// A text field that is asked for names and words.
    Words(Box<Search>),
    /// A filter form whose values are submitted.
    Filters(Box<Filters>),
}

impl Machine {
    /// Goes on with a template of a navigation, whose kind its places tell. Returns `None` if it
    /// has neither.
    pub(super) fn of_navigation(
        site: SiteId,
        template: &str,
        kept: Option<&QueryTemplateRow>,
        max_requests: u64,
    ) -> Option<Machine> {
        let search = Search::new(site, template, kept, max_requests);
        let search = search.map(|search| Machine::Words(Box::new(search)));
        search.or_else(|| {
            let filters = Filters::of_text(site, template, kept, max_requests)?;
            Some(Machine::Filters(Box::new(filters)))
        })
    }

    pub(super) fn site(&self) -> SiteId {
        match self {
            Machine::Words(search) => search.site,
            Machine::Filters(filters) => filters.site,
        }
    }

    /// Number of requests over all runs.
    pub(super) fn asked(&self) -> u64 {
        match self {
            Machine::Words(search) => search.asked(),
            Machine::Filters(filters) => filters.asked(),
        }
    }

    /// Takes the queries of a round. Returns their number.
    pub(super) fn begin_round(&mut self, queries: &[SelectedQuery], known: &Known<'_>) -> u64 {
        match self {
            Machine::Words(search) => search.begin_round(queries, known),
            Machine::Filters(filters) => filters.begin_round(queries, known),
        }
    }

    /// Returns the new objects that the next request is expected to bring: infinity while that is
    /// unknown.
    pub(super) fn expected_new(&mut self) -> f64 {
        match self {
            Machine::Words(search) => search.expected_new(),
            Machine::Filters(filters) => filters.expected_new(),
        }
    }

    /// Returns the next requests with their URLs, none if the template is done with.
    pub(super) fn next(&mut self, count: usize) -> Vec<(Ask, Url)> {
        match self {
            Machine::Words(search) => search.next(count),
            Machine::Filters(filters) => filters.next(count),
        }
    }

    /// Adds what a crawl must know of a request and of the template.
    pub(super) fn describe_request(&self, ask: &Ask, url: &CanonicalUrl, requests: &mut Requests) {
        match self {
            Machine::Words(search) => search.describe_request(ask, url, requests),
            Machine::Filters(filters) => filters.describe_request(ask, url, requests),
        }
    }

    /// Takes an answer.
    pub(super) fn record(
        &mut self,
        request: (&Ask, &Url),
        answer: &Answer,
        of: (&str, &VerticalInfo),
        now: Timestamp,
    ) {
        match self {
            Machine::Words(search) => search.record(request, answer, of, now),
            Machine::Filters(filters) => filters.record(request, answer, of.0, now),
        }
    }

    /// Takes objects that another template of the site has shown, so that no request is sent for
    /// them alone.
    pub(super) fn observe_elsewhere(&mut self, answer: &Answer, info: &VerticalInfo) {
        match self {
            Machine::Words(search) => search.observe_elsewhere(answer, info),
            Machine::Filters(filters) => filters.observe_elsewhere(&answer.objects),
        }
    }

    /// Returns the row of the template and those of the queries since the last call.
    pub(super) fn take_rows(
        &mut self,
        vertical: &str,
        now: Timestamp,
    ) -> (QueryTemplateRow, Vec<SubmissionRow>) {
        match self {
            Machine::Words(search) => search.take_rows(vertical, now),
            Machine::Filters(filters) => filters.take_rows(vertical, now),
        }
    }

    /// Returns the decisions about the inputs of a filter form.
    pub(super) fn decisions(&self) -> Vec<FormDecision> {
        match self {
            Machine::Words(_) => Vec::new(),
            Machine::Filters(filters) => filters.decisions(),
        }
    }
}
