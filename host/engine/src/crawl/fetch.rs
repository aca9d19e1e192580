//! One request, on its own task: fetched and read there, and handed back to the one that decides.

use std::sync::Arc;
use std::time::{Duration, UNIX_EPOCH};

use magpie_discovery::{NotFoundProfile, probe_path};
use magpie_store::Extraction;
use magpie_web::{Exchange, FetchError, Request};
use tokio::sync::Semaphore;
use url::Url;
use xxhash_rust::xxh3::xxh3_64;

use super::host::Job;
use super::reading::{Reading, TextWanted};
use super::rules::Rules;
use super::{Crawl, Extractor};
use crate::Source;

/// Bodies beyond this are read on a thread of their own, so that the others' network is not kept waiting: half a millisecond's work.
const LARGE: usize = 256 * 1024;

/// A robots file is read up to here (RFC 9309, 2.5), and a little more to see that there is more.
pub(crate) const ROBOTS_BYTES: usize = 512 * 1024;

/// A request that came to an end.
pub(super) struct Done {
    pub(super) host: usize,
    pub(super) job: Job,
    pub(super) started_at: i64,
    pub(super) outcome: Outcome,
}

/// How a request ended.
pub(super) enum Outcome {
    /// There is an answer; a page that is one was read.
    Answer(Box<Answer>),
    /// There is none.
    Failed(FetchError),
    /// Its task died. That is a defect, and costs one page.
    Lost,
}

/// An answer.
pub(super) struct Answer {
    pub(super) exchange: Exchange,
    pub(super) reading: Option<Reading>,
    pub(super) extractions: Vec<Extraction>,
    /// The identities of the objects on it.
    pub(super) identities: Vec<u64>,
}

impl Crawl<'_> {
    /// Starts a request. Its result comes through the channel, whatever happens to its task.
    pub(super) fn spawn(&mut self, host: usize, job: Job) {
        let started_at = self.now();
        let site = self.hosts[host].site;
        let rules = Arc::clone(&self.sites[site].rules);
        let work = Work {
            source: Arc::clone(&self.means.source),
            extractor: self.means.extractor.clone(),
            readers: Arc::clone(&self.readers),
            rules,
            is_plain: self.sites[site].is_plain,
            text_wanted: self.text_wanted(host, &job),
            started_at,
        };
        let sender = self.sender.clone();
        self.in_flight += 1;
        self.sites[site].under_way += u64::from(matches!(job, Job::Page(_)));
        self.progress.requests += 1;
        let own_job = job.clone();
        let task = tokio::spawn(async move { work.run(&own_job).await });
        tokio::spawn(async move {
            let outcome = task.await.unwrap_or(Outcome::Lost);
            // Nobody listens any more when the crawl was given up.
            let _ = sender.send(Done {
                host,
                job,
                started_at,
                outcome,
            });
        });
    }
}

impl Crawl<'_> {
    /// What the text of what is about to be fetched is wanted for.
    fn text_wanted(&self, host: usize, job: &Job) -> TextWanted {
        let host = &self.hosts[host];
        match job {
            Job::Page(page) => {
                let mut wanted = self.sites[host.site].text_wanted(&page.url);
                wanted.text |= host.not_found.as_ref().is_some_and(NotFoundProfile::reads_texts);
                wanted
            }
            Job::Probe { .. } => TextWanted {
                text: true,
                print: false,
            },
            Job::Robots { .. } | Job::Sitemap { .. } => TextWanted::default(),
        }
    }
}

struct Work {
    source: Arc<Source>,
    extractor: Option<Arc<dyn Extractor>>,
    readers: Arc<Semaphore>,
    rules: Arc<Rules>,
    is_plain: bool,
    text_wanted: TextWanted,
    started_at: i64,
}

impl Work {
    async fn run(self, job: &Job) -> Outcome {
        let Some(request) = self.request(job) else {
            return Outcome::Lost;
        };
        let mut exchange = match self.source.fetch(&request).await {
            Ok(exchange) => exchange,
            Err(error) => return Outcome::Failed(error),
        };
        if let Job::Page(page) = job
            && !page.spellings.is_empty()
            && let Ok(name) = page.url.to_url()
        {
            // Whatever the server calls it, it is this page.
            exchange.url = name;
        }
        // An archive says when it was; for the web the crawl's clock counts, which in a generated web is not that of the machine.
        if matches!(*self.source, Source::Web(_)) {
            exchange.started_at = UNIX_EPOCH + Duration::from_millis(self.started_at.max(0).unsigned_abs());
        }
        let is_good = (200..300).contains(&exchange.status);
        let reads = match job {
            Job::Page(page) => {
                exchange.truncated.is_none() && (is_good || page.is_gone_start(exchange.status))
            }
            Job::Probe { .. } => exchange.status == 200,
            Job::Robots { .. } | Job::Sitemap { .. } => false,
        };
        let extracts = is_good && matches!(job, Job::Page(_));
        if !reads {
            return Outcome::Answer(Box::new(Answer {
                exchange,
                reading: None,
                extractions: Vec::new(),
                identities: Vec::new(),
            }));
        }
        if exchange.raw_body.len() > LARGE || (extracts && self.extractor.is_some()) {
            let turn = Arc::clone(&self.readers).acquire_owned().await;
            let read = tokio::task::spawn_blocking(move || {
                let _turn = turn;
                self.read(exchange, extracts)
            });
            return read.await.unwrap_or(Outcome::Lost);
        }
        self.read(exchange, extracts)
    }

    fn read(&self, exchange: Exchange, extracts: bool) -> Outcome {
        let reading = Reading::of(&exchange, &self.rules.reading, self.text_wanted);
        let wanted = !self.rules.settings.politeness.robots_tags || reading.directives.index;
        let extractions = match &self.extractor {
            Some(extractor) if extracts && wanted => extractor.extract(&reading.page),
            _ => Vec::new(),
        };
        let identities = self
            .extractor
            .iter()
            .flat_map(|extractor| identities(&**extractor, &extractions));
        let identities = identities.collect();
        Outcome::Answer(Box::new(Answer {
            exchange,
            reading: Some(reading),
            extractions,
            identities,
        }))
    }

    fn request(&self, job: &Job) -> Option<Request> {
        let mut request = match job {
            Job::Page(page) => {
                let mut request = Request::new(page.address().to_url().ok()?);
                request.validators = page.validators.clone();
                request.media_types = Some(Arc::clone(&self.rules.media_types));
                request
            }
            Job::Robots { at: Some(url), .. } | Job::Sitemap { url, .. } => Request::new(url.clone()),
            Job::Robots { origin, at: None, .. } => {
                Request::new(Url::parse(&format!("{origin}/robots.txt")).ok()?)
            }
            Job::Probe { origin } => {
                // The same for every run, so that one can be replayed.
                let path = probe_path(xxh3_64(origin.as_bytes()));
                Request::new(Url::parse(&format!("{origin}{path}")).ok()?)
            }
        };
        if matches!(job, Job::Robots { .. }) {
            request.body_bytes = Some(ROBOTS_BYTES);
        }
        let access = &self.rules.settings.access;
        let has_some = !access.user.is_empty() || !access.password.is_empty();
        if has_some && self.rules.may_have_credentials(&request.url, self.is_plain) {
            request.credentials = Some(magpie_web::Credentials::new(&access.user, &access.password));
        }
        Some(request)
    }
}

/// Returns the identities of the objects of a page.
fn identities(extractor: &dyn Extractor, extractions: &[Extraction]) -> Vec<u64> {
    let of = |extraction: &Extraction| {
        let vertical = &extraction.component.vertical;
        let objects = extraction.objects.iter();
        objects
            .map(|object| extractor.identity(vertical, &object.record))
            .collect::<Vec<_>>()
    };
    extractions.iter().flat_map(of).collect()
}
