//! The books of a page: its requests, what it was refused, its cost, and the reason why it ends.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::Instant;
use url::Url;

use crate::browser::Process;
use crate::{
    PageAnswer, Refusal, Refused, RenderError, RenderLimits, RenderSettings, RequestOutcome, Resource,
    SentRequest,
};

/// Requests that are recorded beyond those that are answered: refused ones.
const MAX_RECORDED: usize = 1_000;

/// Different details that are recorded of one kind of refused actions.
const MAX_DETAILS: usize = 10;

/// Bytes of a detail.
const MAX_DETAIL: usize = 300;

/// URLs that probing captures.
const MAX_CAPTURED: usize = 1_000;

/// Bytes of a URL that is recorded or captured.
const MAX_URL: usize = 4_096;

/// Bytes of a method that is recorded. Scripts may invent methods.
const MAX_METHOD: usize = 32;

/// The books of a page.
pub(crate) struct PageState {
    limits: RenderLimits,
    inner: Mutex<Inner>,
    has_failed: Notify,
}

struct Inner {
    requests: Vec<SentRequest>,
    refused: Vec<Refused>,
    answered: u32,
    bytes: u64,
    in_flight: usize,
    last_activity: Instant,
    navigations: u32,
    status: u16,
    document_problem: Option<String>,
    failure: Option<RenderError>,
    /// URLs to which the page wants to lead while elements are clicked.
    captured: Option<Vec<Url>>,
    /// Answers that are given again while elements are clicked.
    kept: Option<HashMap<String, PageAnswer>>,
    processes: HashMap<u64, (Duration, Duration)>,
}

/// The decision on a request.
pub(crate) enum Decision {
    /// It is answered by the caller and recorded at this place.
    Ask(usize),
    /// It was answered before.
    Repeat(PageAnswer),
    /// It is not made.
    Refuse,
    Stay,
}

impl PageState {
    pub(crate) fn new(settings: &RenderSettings) -> PageState {
        PageState {
            limits: settings.limits.clone(),
            has_failed: Notify::new(),
            inner: Mutex::new(Inner {
                requests: Vec::new(),
                refused: Vec::new(),
                answered: 0,
                bytes: 0,
                in_flight: 0,
                last_activity: Instant::now(),
                navigations: 0,
                status: 0,
                document_problem: None,
                failure: None,
                captured: None,
                kept: settings.probe.is_some().then(HashMap::new),
                processes: HashMap::new(),
            }),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Decides about a request that would be made for a good purpose.
    pub(crate) fn begin(&self, url: &Url, resource: Resource) -> Decision {
        let mut inner = self.lock();
        inner.last_activity = Instant::now();
        let is_document = resource == Resource::Document;
        // Clicks must not lead away from the page: the URL is the result, and nothing is requested.
        if is_document && let Some(captured) = &mut inner.captured {
            note(captured, url.clone());
            return Decision::Stay;
        }
        // A page that is opened again, to come back from a click, costs its site no request.
        if let Some(answer) = inner.kept.as_ref().and_then(|kept| kept.get(url.as_str())) {
            return Decision::Repeat(answer.clone());
        }
        if is_document {
            inner.navigations += 1;
            // The first is the page itself.
            if inner.navigations > self.limits.navigations + 1 {
                let limit = self.limits.navigations;
                // `fail` takes the same lock.
                drop(inner);
                self.fail(RenderError::Navigations { limit });
                return Decision::Refuse;
            }
        }
        let refusal = if inner.answered >= self.limits.requests {
            Some(Refusal::RequestLimit)
        } else if inner.bytes >= self.limits.bytes {
            Some(Refusal::ByteLimit)
        } else {
            None
        };
        if let Some(refusal) = refusal {
            inner.refuse_request(url.as_str(), "GET", resource, refusal);
            return Decision::Refuse;
        }
        inner.answered += 1;
        inner.in_flight += 1;
        // Remains if the page is left before the answer comes; `end` replaces it otherwise.
        let outcome = RequestOutcome::Abandoned;
        Decision::Ask(inner.record(url.as_str(), "GET", resource, outcome))
    }

    /// Takes note of the end of a request.
    pub(crate) fn end(&self, place: usize, url: &Url, resource: Resource, answer: &PageAnswer) {
        let mut inner = self.lock();
        inner.in_flight = inner.in_flight.saturating_sub(1);
        inner.last_activity = Instant::now();
        let outcome = match answer {
            PageAnswer::Response { status, body, .. } => {
                inner.bytes += body.len() as u64;
                RequestOutcome::Answered {
                    status: *status,
                    bytes: body.len() as u64,
                }
            }
            PageAnswer::Refused { reason } => RequestOutcome::Forbidden(reason.clone()),
            PageAnswer::Failed { reason } => RequestOutcome::Failed(reason.clone()),
        };
        if resource == Resource::Document {
            match answer {
                PageAnswer::Response { status, .. } => inner.status = *status,
                PageAnswer::Refused { reason } | PageAnswer::Failed { reason } => {
                    inner.document_problem = Some(reason.clone());
                }
            }
        }
        if let Some(kept) = &mut inner.kept {
            kept.insert(url.as_str().to_owned(), answer.clone());
        }
        if let Some(request) = inner.requests.get_mut(place) {
            request.outcome = outcome;
        }
    }

    /// Records a request that is refused for what it is.
    pub(crate) fn refuse_request(&self, url: &str, method: &str, resource: Resource, refusal: Refusal) {
        self.lock().refuse_request(url, method, resource, refusal);
    }

    /// Records another action that is refused.
    pub(crate) fn refuse(&self, reason: Refusal, detail: &str) {
        let end = detail.floor_char_boundary(MAX_DETAIL);
        let detail = &detail[..end];
        let mut inner = self.lock();
        let same = inner
            .refused
            .iter_mut()
            .find(|refused| refused.reason == reason && refused.detail == detail);
        if let Some(refused) = same {
            refused.times += 1;
            return;
        }
        let of_kind = inner
            .refused
            .iter()
            .filter(|refused| refused.reason == reason)
            .count();
        if of_kind < MAX_DETAILS {
            inner.refused.push(Refused {
                reason,
                detail: detail.to_owned(),
                times: 1,
            });
        // A page can make details without end, so the last one counts for the rest.
        } else if let Some(last) = inner.refused.iter_mut().rfind(|refused| refused.reason == reason) {
            last.times += 1;
        }
    }

    /// Ends the page with a reason. The first one counts.
    pub(crate) fn fail(&self, error: RenderError) {
        let mut inner = self.lock();
        if inner.failure.is_none() {
            inner.failure = Some(error);
            // The permit remains if nobody waits yet, so a failure before the page is loaded is not
            // lost.
            self.has_failed.notify_one();
        }
    }

    /// Waits for the reason why the page ends before its time.
    pub(crate) async fn failed(&self) -> RenderError {
        loop {
            let failure = self.lock().failure.take();
            if let Some(failure) = failure {
                return failure;
            }
            self.has_failed.notified().await;
        }
    }

    /// Returns `true` if no request is under way and none was lately.
    pub(crate) fn is_quiet(&self, rest: Duration) -> bool {
        let inner = self.lock();
        inner.in_flight == 0 && inner.last_activity.elapsed() >= rest
    }

    pub(crate) fn status(&self) -> u16 {
        self.lock().status
    }

    pub(crate) fn document_problem(&self) -> Option<String> {
        self.lock().document_problem.clone()
    }

    /// Captures the URLs to which the page wants to lead, instead of letting it go there.
    pub(crate) fn capture(&self) {
        self.lock().captured = Some(Vec::new());
    }

    /// Adds a captured URL that no request asks for.
    pub(crate) fn note_captured(&self, url: &str) {
        let mut inner = self.lock();
        inner.last_activity = Instant::now();
        if let Some(captured) = &mut inner.captured
            && url.len() <= MAX_URL
            && let Ok(url) = Url::parse(url)
            && matches!(url.scheme(), "http" | "https")
        {
            note(captured, url);
        }
    }

    /// Returns the captured URLs, and captures no more.
    pub(crate) fn take_captured(&self) -> Vec<Url> {
        self.lock().captured.take().unwrap_or_default()
    }

    /// Counts the CPU time of processes and checks their memory. What they had `before` does not
    /// count.
    pub(crate) fn note_processes(&self, processes: &[Process], before: bool) {
        let mut inner = self.lock();
        for process in processes {
            // The browser shows many pages one after another, so only the time since this one was
            // opened is its cost. A process that appears later belongs to the page as a whole.
            let first = if before { process.cpu } else { Duration::ZERO };
            let entry = inner.processes.entry(process.id).or_insert((first, first));
            entry.1 = process.cpu;
        }
        drop(inner);
        let renderers = processes.iter().filter(|process| process.is_renderer);
        let memory: u64 = renderers.filter_map(Process::memory).sum();
        if !before && memory > self.limits.memory {
            let limit = self.limits.memory;
            self.fail(RenderError::Memory { limit });
        }
    }

    /// Returns the books: requests, refused actions, bytes and CPU time.
    pub(crate) fn finish(&self) -> (Vec<SentRequest>, Vec<Refused>, u64, Duration) {
        let mut inner = self.lock();
        let times = inner.processes.values();
        let cpu = times.map(|(first, last)| last.saturating_sub(*first)).sum();
        let requests = std::mem::take(&mut inner.requests);
        (requests, std::mem::take(&mut inner.refused), inner.bytes, cpu)
    }
}

/// Adds a URL, unless it is too long or there are too many.
fn note(captured: &mut Vec<Url>, url: Url) {
    if captured.len() < MAX_CAPTURED && url.as_str().len() <= MAX_URL {
        captured.push(url);
    }
}

impl Inner {
    fn refuse_request(&mut self, url: &str, method: &str, resource: Resource, refusal: Refusal) {
        if self.requests.len() < MAX_RECORDED {
            self.record(url, method, resource, RequestOutcome::Refused(refusal));
        }
    }

    fn record(&mut self, url: &str, method: &str, resource: Resource, outcome: RequestOutcome) -> usize {
        let short = |text: &str, most: usize| text[..text.floor_char_boundary(most)].to_owned();
        self.requests.push(SentRequest {
            url: short(url, MAX_URL),
            method: short(method, MAX_METHOD),
            resource,
            outcome,
        });
        self.requests.len() - 1
    }
}
