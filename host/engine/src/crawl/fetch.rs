//! One request, on its own task: fetched and read there, and handed back to the loop that decides.

use std::sync::Arc;

use magpie_discovery::probe_path;
use magpie_rows::{Extraction, PageJudgement, ProbedLink, Rendering};
use magpie_values::Timestamp;
use magpie_web::{Exchange, FetchError, Request};
use tokio::sync::{Semaphore, mpsc};
use url::Url;
use xxhash_rust::xxh3::xxh3_64;

use super::Extractor;
use super::browser::{Browser, Shown, as_answer, is_html, is_wanted};
use super::host::Job;
use super::pace::Pace;
use super::reading::{Reading, TextWanted};
use super::rules::SiteRules;
use crate::{Clock, Source};

/// Size from which bodies are read on another thread, so that reading does not delay the network.
/// It takes half a millisecond.
const LARGE: usize = 256 * 1024;

/// A robots file is read up to here (RFC 9309, 2.5), and a little more to see that there is more.
const MAX_ROBOTS_BYTES: usize = 512 * 1024;

/// A request that came to an end.
pub(super) struct Done {
    pub(super) host: usize,
    pub(super) job: Job,
    pub(super) started_at: Timestamp,
    pub(super) outcome: Outcome,
}

/// The end of a request.
pub(super) enum Outcome {
    /// There is an answer; a page that is one was read.
    Answer(Box<Answer>),
    Failed(FetchError),
    /// Its task died. That is a defect, and costs one page.
    Lost,
}

pub(super) struct Answer {
    pub(super) exchange: Exchange,
    pub(super) reading: Option<Reading>,
    pub(super) extractions: Vec<Extraction>,
    /// The identities of the objects on it.
    pub(super) identities: Vec<u64>,
    /// The judgements of verticals that judge pages, too, where a guide asks for them.
    pub(super) judgements: Vec<PageJudgement>,
    /// The page in a browser, if one was asked to show it.
    pub(super) shown: Option<Shown>,
    /// The page as a browser showed it, now or when it was archived.
    pub(super) rendering: Option<Rendering>,
}

impl Answer {
    fn unread(exchange: Exchange) -> Answer {
        Answer {
            exchange,
            reading: None,
            extractions: Vec::new(),
            identities: Vec::new(),
            judgements: Vec::new(),
            shown: None,
            rendering: None,
        }
    }
}

/// Reports a response to the host's rate limiter.
pub(super) fn report_response(pace: &Pace, exchange: &Exchange, now: Timestamp) {
    let answer = magpie_web::Answer {
        latency: exchange.timings.first_byte,
        status: exchange.status,
        retry_after: exchange.retry_after(),
    };
    pace.on_response(&answer, now);
}

/// Runs requests on tasks of their own, and hands their results back through a channel.
pub(super) struct Fetcher {
    source: Arc<Source>,
    extractor: Option<Arc<dyn Extractor>>,
    /// A guide wants to know which pages are accepted.
    is_guided: bool,
    browser: Option<Arc<dyn Browser>>,
    clock: Clock,
    /// Limits concurrent parsing to the number of threads. More at a time than there are threads
    /// would only hinder each other, each with memory of its own.
    readers: Arc<Semaphore>,
    sender: mpsc::UnboundedSender<Done>,
}

impl Fetcher {
    /// Makes a fetcher, and the channel through which its results come.
    pub(super) fn new(
        source: Arc<Source>,
        extractor: Option<Arc<dyn Extractor>>,
        is_guided: bool,
        browser: Option<Arc<dyn Browser>>,
        clock: Clock,
        threads: usize,
    ) -> (Fetcher, mpsc::UnboundedReceiver<Done>) {
        let (sender, results) = mpsc::unbounded_channel();
        let fetcher = Fetcher {
            source,
            extractor,
            is_guided,
            browser,
            clock,
            readers: Arc::new(Semaphore::new(threads)),
            sender,
        };
        (fetcher, results)
    }

    /// Starts a request. Its result comes through the channel even if its task panics.
    pub(super) fn start(
        &self,
        (host, pace): (usize, &Pace),
        job: Job,
        rules: &Arc<SiteRules>,
        is_plain: bool,
        text_wanted: TextWanted,
        started_at: Timestamp,
    ) {
        let work = Work {
            source: Arc::clone(&self.source),
            extractor: self.extractor.clone(),
            is_guided: self.is_guided,
            browser: self.browser.clone(),
            clock: self.clock.clone(),
            pace: pace.clone(),
            readers: Arc::clone(&self.readers),
            rules: Arc::clone(rules),
            is_plain,
            text_wanted,
            started_at,
        };
        let sender = self.sender.clone();
        let own_job = job.clone();
        // A task of its own, so that its panic is an outcome. The crawl waits for the end of each
        // request that it has counted.
        let task = tokio::spawn(async move { work.run(&own_job).await });
        tokio::spawn(async move {
            let outcome = task.await.unwrap_or(Outcome::Lost);
            // The receiver is gone when the crawl was given up.
            let _ = sender.send(Done {
                host,
                job,
                started_at,
                outcome,
            });
        });
    }
}

struct Work {
    source: Arc<Source>,
    extractor: Option<Arc<dyn Extractor>>,
    is_guided: bool,
    browser: Option<Arc<dyn Browser>>,
    clock: Clock,
    pace: Pace,
    readers: Arc<Semaphore>,
    rules: Arc<SiteRules>,
    is_plain: bool,
    text_wanted: TextWanted,
    started_at: Timestamp,
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
            && (page.form.is_some() || !page.aliases.is_empty())
            && let Ok(name) = page.url.to_url()
        {
            // The queued name identifies the page, since all forms with one action share its URL.
            exchange.url = name;
        }
        // An archive has the time of the fetch. For the web the clock of the crawl counts, which
        // differs from that of the machine if time is simulated.
        if matches!(*self.source, Source::Web(_)) {
            exchange.started_at = self.started_at.into();
        }
        let is_good = (200..300).contains(&exchange.status);
        let reads = match job {
            Job::Page(page) => {
                exchange.truncated.is_none() && (is_good || page.is_gone_entry(exchange.status))
            }
            Job::Probe { .. } => exchange.status == 200,
            Job::Robots { .. } | Job::Sitemap { .. } => false,
        };
        let extracts = is_good && matches!(job, Job::Page(_));
        if !reads {
            return Outcome::Answer(Box::new(Answer::unread(exchange)));
        }
        let is_shown = is_good && is_html(&exchange) && is_wanted(&self.rules, job);
        let (shown, rendering) = match (&*self.source, &self.browser) {
            (Source::Web(_), Some(browser)) if is_shown => {
                // The host may be asked by the page's scripts now, and by others after them.
                report_response(&self.pace, &exchange, self.clock.now());
                let shown = browser.show(&exchange).await;
                let rendering = shown.rendering();
                (Some(shown), rendering)
            }
            (Source::Archive(archive), _) if is_good => (None, archive.rendering(&request)),
            _ => (None, None),
        };
        if shown.is_some() && rendering.is_none() {
            // Without its rendering the page would seem to have lost the objects that scripts add.
            return Outcome::Answer(Box::new(Answer {
                shown,
                ..Answer::unread(exchange)
            }));
        }
        let is_large = exchange.raw_body.len() > LARGE
            || rendering
                .as_ref()
                .is_some_and(|rendering| rendering.html.len() > LARGE);
        if is_large || (extracts && self.extractor.is_some()) {
            // As many pages are read at a time as there are threads. More would only hold their
            // bodies in memory.
            let turn = Arc::clone(&self.readers).acquire_owned().await;
            let read = tokio::task::spawn_blocking(move || {
                let _turn = turn;
                self.read(exchange, shown, rendering, extracts)
            });
            return read.await.unwrap_or(Outcome::Lost);
        }
        self.read(exchange, shown, rendering, extracts)
    }

    fn read(
        &self,
        exchange: Exchange,
        shown: Option<Shown>,
        rendering: Option<Rendering>,
        extracts: bool,
    ) -> Outcome {
        let document = rendering
            .as_ref()
            .and_then(|rendering| as_answer(&exchange, &rendering.html));
        let probed: &[ProbedLink] = rendering.as_ref().map_or(&[], |rendering| &rendering.links);
        let read = document.as_ref().unwrap_or(&exchange);
        let reading = Reading::probed(read, probed, &self.rules.reading, self.text_wanted);
        // Sites keep result pages out of search engines. A page that was asked for is read all the
        // same.
        let ignores_tags = !self.rules.settings.politeness.robots_tags || self.text_wanted.is_asked;
        let wanted = ignores_tags || reading.directives.index;
        let extractions = match &self.extractor {
            Some(extractor) if extracts && wanted => extractor.extract(&reading.page),
            _ => Vec::new(),
        };
        let judgements = match &self.extractor {
            Some(extractor) if extracts && wanted && self.is_guided => extractor.judge(&reading.page),
            _ => Vec::new(),
        };
        let identities = self
            .extractor
            .iter()
            .flat_map(|extractor| identities(&**extractor, &extractions));
        let identities = identities.collect();
        Outcome::Answer(Box::new(Answer {
            reading: Some(reading),
            extractions,
            identities,
            judgements,
            shown,
            rendering,
            ..Answer::unread(exchange)
        }))
    }

    fn request(&self, job: &Job) -> Option<Request> {
        request(job, &self.rules, self.is_plain)
    }
}

pub(crate) fn request(job: &Job, rules: &SiteRules, is_plain: bool) -> Option<Request> {
    // Credentials are sent over plain `http` only where the site is asked that way (`is_plain`).
    let mut request = match job {
        Job::Page(page) => {
            let mut request = Request::new(page.address().to_url().ok()?);
            request.form = page.form.as_ref().map(|form| form.body.clone());
            request.validators = page.validators.clone();
            request.media_types = Some(Arc::clone(&rules.media_types));
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
        // RFC 9309, 2.5: a crawler may stop reading here. The rules before count.
        request.body_bytes = Some(MAX_ROBOTS_BYTES);
    }
    let access = &rules.settings.access;
    let has_some = !access.user.is_empty() || !access.password.is_empty();
    if has_some && rules.may_have_credentials(&request.url, is_plain) {
        request.credentials = Some(magpie_web::Credentials::new(&access.user, &access.password));
    }
    Some(request)
}

/// Returns the identities of the objects of a page.
fn identities(extractor: &dyn Extractor, extractions: &[Extraction]) -> Vec<u64> {
    let of = |extraction: &Extraction| {
        let vertical = &extraction.component.vertical;
        let objects = extraction.records.iter();
        objects
            .map(|object| extractor.identity(vertical, &object.record))
            .collect::<Vec<_>>()
    };
    extractions.iter().flat_map(of).collect()
}
