//! The configuration of a crawl, and what it asks of others.

use std::collections::HashMap;
use std::sync::Arc;

use magpie_discovery::InvalidScope;
use magpie_model::{CanonicalUrl, Record};
use magpie_patterns::rendering::RenderingRules;
use magpie_rows::{CrawlStore, RunId, StoreError};
use magpie_values::Timestamp;
use serde::{Deserialize, Serialize};

use super::browser::Browser;
use super::guided::Guide;
use crate::settings::Resolved;
use crate::{Clock, Source};

/// Reason why a crawl can't continue.
#[derive(Debug, thiserror::Error)]
pub enum CrawlError {
    /// The workspace.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The rules about what is fetched are wrong.
    #[error(transparent)]
    Scope(#[from] InvalidScope),
    /// A site can't be begun with.
    #[error("invalid site `{0}`: expected a URL such as https://example.org/")]
    Seed(String),
    /// The system starts no more threads.
    #[error("the thread of the crawl can't be started: {0}")]
    Thread(#[source] std::io::Error),
}

/// The way a crawl ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub enum Ending {
    /// Nothing is left to fetch.
    Finished,
    /// It was asked to stop. What is left is queued.
    Stopped,
}

/// A site to be crawled.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Target {
    /// The site of a page, beginning there.
    From(CanonicalUrl),
    /// The site of a host that was named without a scheme: beginning with this page, or with the
    /// same over `http` if the host can't be reached over `https`.
    Host(CanonicalUrl),
    /// A known site, by its name: the URLs that are queued.
    Known(String),
}

/// Finds objects on a page that was fetched.
pub trait Extractor: Send + Sync {
    /// Returns what each vertical found on a page, of those that it was shown to.
    fn extract(&self, page: &Arc<magpie_page::Page>) -> Vec<magpie_rows::Extraction>;

    /// Returns the identity of an object, so that it counts once however often it is listed: equal
    /// for records of one object, as far as that is known without comparing them.
    fn identity(&self, vertical: &str, record: &Record) -> u64 {
        let _ = vertical;
        record.fingerprint() as u64
    }

    /// Returns the judgements of verticals that find objects and judge pages, too. A page that one
    /// of them accepts is one to look for.
    fn judge(&self, page: &Arc<magpie_page::Page>) -> Vec<magpie_rows::PageJudgement> {
        let _ = page;
        Vec::new()
    }

    /// Returns, in sentences, news since the last call that a person should know.
    fn notices(&self) -> Vec<String>;
}

/// Selects the links of a site that are followed.
pub trait LinkFilter: Send {
    /// Returns `true` if a link on a page of the site is to be fetched. It is asked about every
    /// link of every page that was read. An object that was found on the page may name the link.
    fn wants(&mut self, page: &CanonicalUrl, link: &CanonicalUrl, is_named: bool) -> bool;

    /// Returns `true` if the site's sitemaps and feeds are read.
    fn reads_sitemaps(&self) -> bool;

    /// Returns `true` if a URL that a sitemap or feed names is to be fetched.
    fn wants_named(&mut self, url: &CanonicalUrl) -> bool;

    /// Returns `true` if a page is a list page.
    fn is_list(&self, page: &CanonicalUrl) -> bool;

    /// Returns `true` if a page is fetched unconditionally, without `If-None-Match`.
    fn wants_whole(&self, page: &CanonicalUrl) -> bool;

    /// Takes note of what a page brought: the number of new URLs and of objects.
    fn fetched(&mut self, page: &CanonicalUrl, found: u64, objects: u64);

    /// Returns `true` if a URL stands for a form that may be sent by POST. No link leads to such a
    /// URL, so a filter knows it from elsewhere.
    fn may_post(&self, url: &CanonicalUrl) -> bool {
        let _ = url;
        false
    }

    /// Returns `true` if a page is the answer to a query. Sites ask search engines to leave such
    /// pages out (`noindex`, `nofollow`); verticals are shown them and links followed all the same.
    fn is_asked(&self, page: &CanonicalUrl) -> bool {
        let _ = page;
        false
    }
}

/// Link filters for sites.
pub trait LinkFilters: Send + Sync {
    /// Returns the filter of a site, by its name; `None` where all links are followed.
    fn filter(&self, site: &str) -> Option<Box<dyn LinkFilter>>;

    /// Returns the filter of a site as text, for another process that crawls the site. `None` where
    /// only this process can use it.
    fn written(&self, site: &str) -> Option<String> {
        let _ = site;
        None
    }

    /// Takes the filter of a site back from the process that used it.
    fn take_back(&self, site: &str, written: &str) {
        let _ = (site, written);
    }
}

/// Configuration of a crawl.
pub struct CrawlConfig {
    /// The frontier and what is known of sites.
    pub store: Arc<dyn CrawlStore>,
    /// The origin of answers.
    pub source: Arc<Source>,
    /// The settings in force.
    pub settings: Arc<Resolved>,
    /// The run that pages belong to.
    pub run: Option<RunId>,
    /// Finds objects, if any are looked for.
    pub extractor: Option<Arc<dyn Extractor>>,
    /// Filters of the links that are followed; `None` follows all.
    pub filters: Option<Arc<dyn LinkFilters>>,
    /// The ways to have pages that a plain fetch does not have whole, by the keys of sites.
    pub rendering: HashMap<String, Arc<RenderingRules>>,
    /// Shows the pages that only a browser has whole.
    pub browser: Option<Arc<dyn Browser>>,
    /// Pages that may be asked for, over all sites. URLs beyond stay queued.
    pub max_pages: Option<u64>,
    /// Lets kinds of pages take turns, so that a crawl that ends early has seen some of each.
    /// Otherwise the page that was found first is fetched first.
    pub is_varied: bool,
    /// Estimated share of a site's objects from which nothing more is fetched there; `None` fetches
    /// all.
    pub until: Option<f64>,
    /// Chooses the page of a site that is fetched next, where objects are looked for and no filter
    /// decides what is fetched.
    pub guide: Option<Guide>,
    /// Keeps messages and links.
    pub keep: bool,
    /// The time.
    pub clock: Clock,
    /// The moment that calendars are measured from: the begin of the run, so that one that is
    /// resumed or replayed goes as far.
    pub began: Timestamp,
}
