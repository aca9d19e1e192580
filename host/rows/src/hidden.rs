//! The hidden Web: the tables `form`, `query_template`, `submission`, `selected_query` and
//! `argument`.
//!
//! [`Hidden`] reads them and [`HiddenStore`] writes them.

use magpie_model::FormPurpose;
use magpie_values::Timestamp;

use crate::error::StoreError;
use crate::ids::{SiteId, UrlId};
use crate::words::{ArgumentKind, FormSource, SubmissionOutcome, TemplateState};

/// Reads what is known of forms and of the queries that were asked.
pub trait Hidden {
    /// Returns the forms of a site, or of all sites, those on most pages first.
    fn forms(&self, site: Option<SiteId>) -> Result<Vec<FormRow>, StoreError>;

    /// Returns the templates that a vertical asks queries of, by site and template.
    fn query_templates(&self, vertical: &str) -> Result<Vec<QueryTemplateRow>, StoreError>;

    /// Returns the queries that a vertical asked of a site, in the order of their requests.
    fn submissions(&self, vertical: &str, site: SiteId) -> Result<Vec<SubmissionRow>, StoreError>;

    /// Returns the queries whose results have this URL, by vertical and template.
    fn submissions_to(&self, url: &str) -> Result<Vec<SubmissionRow>, StoreError>;

    /// Returns the queries that a vertical asks in every round, by site, template and query.
    fn selected_queries(&self, vertical: &str) -> Result<Vec<SelectedQuery>, StoreError>;

    /// Returns the arguments in the result URLs of a site, by name.
    fn arguments(&self, site: SiteId) -> Result<Vec<ArgumentRow>, StoreError>;
}

/// Writes what is known of forms and of the queries that were asked. Each call is one transaction.
pub trait HiddenStore: Hidden {
    /// Keeps the forms of a site in place of those before.
    fn put_forms(&self, site: SiteId, forms: Vec<FormRow>) -> Result<(), StoreError>;

    /// Keeps the state of a template together with the queries that led to it, so that a run that
    /// is killed asks nothing twice.
    fn put_query_template(
        &self,
        template: QueryTemplateRow,
        submissions: Vec<SubmissionRow>,
    ) -> Result<(), StoreError>;

    /// Keeps the arguments in the result URLs of a site in place of those before.
    fn put_arguments(&self, site: SiteId, arguments: Vec<ArgumentRow>) -> Result<(), StoreError>;
}

/// A form, a search description or a search action of a site.
#[derive(Clone, Debug, PartialEq)]
pub struct FormRow {
    pub site: SiteId,
    /// The hash of its action, method and fields.
    pub fingerprint: u64,
    pub source: FormSource,
    /// The URL of the first page that has it.
    pub page_url: String,
    /// The smallest number of links from an entry page to a page with it.
    pub depth: u32,
    /// The number of pages that were seen with it.
    pub pages: u64,
    pub purpose: FormPurpose,
    /// The confidence of the purpose, 0 to 1.
    pub confidence: f64,
    /// The reason why it is not sent; none if it may be sent.
    pub refusal: Option<String>,
    /// Its URL template, if one could be made.
    pub template: Option<String>,
    /// Method, action and fields, as JSON.
    pub fields: String,
    /// The time at which it was seen last.
    pub seen_at: Timestamp,
}

/// A URL template that a vertical asks queries of.
#[derive(Clone, Debug, PartialEq)]
pub struct QueryTemplateRow {
    pub vertical: String,
    pub site: SiteId,
    /// The template as text.
    pub template: String,
    pub state: TemplateState,
    /// The reason for the state.
    pub detail: String,
    /// The number of requests that were sent.
    pub asked: u64,
    /// The number of distinct objects on its result pages.
    pub objects: u64,
    /// The estimated number of objects behind it, with the ends of its 95 % interval.
    pub size: Option<(f64, f64, f64)>,
    /// The state that asking continues from, as JSON.
    pub memory: String,
    pub changed_at: Timestamp,
}

/// A result page that was asked for.
#[derive(Clone, Debug, PartialEq)]
pub struct SubmissionRow {
    pub vertical: String,
    pub site: SiteId,
    pub template: String,
    /// The query, or the URL of a page that shows the effect of an argument.
    pub query: String,
    /// The URL that was asked for.
    pub url: String,
    pub asked_at: Timestamp,
    pub outcome: SubmissionOutcome,
    pub objects: u64,
    /// The number of those that were not known before.
    pub new_objects: u64,
    /// The number of the page of results, from 0.
    pub result_page: u32,
    /// The pages that show the objects: the result page, or those that it links to.
    pub shown_on: Vec<UrlId>,
}

/// A query that is asked in every round.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SelectedQuery {
    pub site: SiteId,
    pub template: String,
    pub query: String,
    /// The maximum number of pages of results that are read.
    pub pages: u32,
}

/// An argument in the result URLs of a site.
#[derive(Clone, Debug, PartialEq)]
pub struct ArgumentRow {
    pub name: String,
    pub kind: ArgumentKind,
    /// The mean share of result pages with one of its values.
    pub prevalence: f64,
    /// The number of requests that decided it.
    pub probes: u64,
}
