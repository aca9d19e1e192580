//! Responses as a pure function of the web, the request, the week and the number of the fetch.

use std::time::Duration;

use bytes::Bytes;
use magpie_values::date::{Date, DateTime, Time};

use crate::address::{Act, Hidden, Noise, Route};
use crate::content::{Block, Content, Outcome, Scene};
use crate::language::Word;
use crate::random::{Key, scramble};
use crate::site::{DateKind, EtagKind, Forwarding, Manners, Site, Transport};
use crate::template::{Rendered, render};
use crate::web::{HostRole, Web};

#[derive(Clone, Copy, Debug, Default)]
pub struct Request<'r> {
    pub host: &'r str,
    /// Path and query, such as `/word?id=3`.
    pub path_and_query: &'r str,
    /// The `If-None-Match` header.
    pub if_none_match: Option<&'r str>,
    /// The `If-Modified-Since` header.
    pub if_modified_since: Option<&'r str>,
    /// Body of a form that is sent with POST; `None` for other methods.
    pub form: Option<&'r str>,
    /// True if the request has the header `X-Requested-With`, as requests of scripts do.
    pub is_scripted: bool,
    /// Number of searches that the site has answered or refused so far. Sites with a quota refuse
    /// searches by it.
    pub searches: u32,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Response {
    pub status: u16,
    pub content_type: &'static str,
    /// Entity tag, including its quotes.
    pub etag: Option<String>,
    /// The `Last-Modified` header.
    pub last_modified: Option<String>,
    pub location: Option<String>,
    pub body: Bytes,
    /// Time to wait before the server sends the response.
    pub delay: Duration,
}

/// Delay of slow pages: noticeable, yet short enough for a crawl of thousands of pages.
const SLOW: Duration = Duration::from_millis(300);

/// Delay of the results of a slow search.
const SLOW_SEARCH: Duration = Duration::from_millis(700);
/// Share of searches that fail on sites with a flaky one, in thousandths.
const FAILED_SEARCHES: u64 = 150;

const JSON: &str = "application/json";
const HTML: &str = "text/html; charset=utf-8";
const XML: &str = "application/xml";
const PLAIN: &str = "text/plain; charset=utf-8";

impl Response {
    pub(crate) fn new(status: u16, content_type: &'static str, body: impl Into<Bytes>) -> Self {
        Self {
            status,
            content_type,
            etag: None,
            last_modified: None,
            location: None,
            body: body.into(),
            delay: Duration::ZERO,
        }
    }

    fn moved(to: String) -> Self {
        let mut response = Self::new(301, PLAIN, "");
        response.location = Some(to);
        response
    }

    fn found(to: String) -> Self {
        Self {
            status: 302,
            ..Self::moved(to)
        }
    }
}

impl Web {
    /// Returns the response to a request in a week. `nonce` is the number of the fetch and seeds
    /// the parts that differ between fetches. The same arguments give the same bytes.
    pub fn respond(&self, request: &Request<'_>, week: u32, nonce: u64) -> Response {
        if self.is_search(request.host) {
            return self.answer_search(request.path_and_query, week);
        }
        let Some((site, role)) = self.site_of(request.host) else {
            return Response::new(404, PLAIN, "no such host in this web\n");
        };
        if site.is_gone(week) {
            return Response::new(410, PLAIN, "");
        }
        let scene = Scene::of_path(self, site, week, request.path_and_query);
        let is_forwarding = site.habits.noisy_urls == Forwarding::Redirect;
        if role == HostRole::Twin && is_forwarding {
            return Response::moved(format!("http://{}{}", site.hosts.main, request.path_and_query));
        }
        let host = match role {
            HostRole::Main => &site.hosts.main,
            HostRole::Twin => site.hosts.twin.as_ref().unwrap_or(&site.hosts.main),
            HostRole::Side => site.hosts.side.as_ref().unwrap_or(&site.hosts.main),
            HostRole::Search => site.hosts.search.as_ref().unwrap_or(&site.hosts.main),
        };
        let mut response = scene.answer(request, host, nonce);
        if let Some(fault) = fault(site, request.path_and_query, week, nonce) {
            match fault {
                Fault::Slow => response.delay = SLOW,
                Fault::Status(status) => response = Response::new(status, PLAIN, "\n"),
            }
        }
        response
    }
}

impl Web {
    /// Returns what a request does beside reading a page, as a server's log would show it. The
    /// body of a form sent with POST counts, too.
    pub fn act(&self, request: &Request<'_>, week: u32) -> Option<Act> {
        self.classify(request, week).1
    }

    /// Returns true for searches of deep sites, and the act of a request.
    pub(crate) fn classify(&self, request: &Request<'_>, week: u32) -> (bool, Option<Act>) {
        let Some((site, _)) = self.site_of(request.host) else {
            return (false, None);
        };
        let post = request.form.map(|_| Act::Post);
        if site.decoys.has_action_links && request.path_and_query.contains("add-to-cart=") {
            return (false, Some(Act::Cart));
        }
        if site.plan.search.is_none() {
            return (false, post);
        }
        let scene = Scene::new(self, site, week);
        let posted = scene.posted(request);
        let read = posted.or_else(|| site.plan.search.as_ref()?.read(request.path_and_query));
        match read {
            Some(Hidden::Results(_)) => (true, None),
            Some(Hidden::Act(act, _)) => (false, Some(act)),
            _ => (false, post),
        }
    }
}

enum Fault {
    Slow,
    Status(u16),
}

/// Returns the fault of a page, permanent or of this fetch.
fn fault(site: &Site, path: &str, week: u32, nonce: u64) -> Option<Fault> {
    let habits = &site.habits;
    if habits.broken + habits.flaky + habits.slow == 0 || is_exempt(path) {
        return None;
    }
    let key = site.key.of(path, 0);
    if is_broken(site, path) {
        return Some(Fault::Status(500));
    }
    if key
        .of("flaky", nonce)
        .of("week", u64::from(week))
        .per_mille(habits.flaky)
    {
        return Some(Fault::Status(503));
    }
    key.of("slow", 0).per_mille(habits.slow).then_some(Fault::Slow)
}

/// Returns true if a page always fails.
pub(crate) fn is_broken(site: &Site, path: &str) -> bool {
    !is_exempt(path) && site.key.of(path, 0).of("broken", 0).per_mille(site.habits.broken)
}

/// Returns true for home pages and robots.txt, which never fail: a site that fails there is
/// offline.
fn is_exempt(path: &str) -> bool {
    path == "/robots.txt"
        || path
            .trim_end_matches('/')
            .rfind('/')
            .is_none_or(|slash| slash == 0 && path.ends_with('/'))
}

impl Scene<'_> {
    fn answer(&self, request: &Request<'_>, host: &str, nonce: u64) -> Response {
        if let Some(scripts) = self.scripts()
            && request.path_and_query == scripts.bundle
        {
            return Response::new(200, "text/javascript; charset=utf-8", self.bundle(scripts));
        }
        let posted = self.posted(request);
        let read = posted.map(|page| (Route::Hidden(page), self.era));
        let Some((route, era)) = read.or_else(|| self.read(request.path_and_query)) else {
            return self.missing(404, host, nonce);
        };
        if let Route::Hidden(page) = &route
            && let Some(response) = self.answer_hidden(page, request, nonce)
        {
            return response;
        }
        match &route {
            Route::Robots => return Response::new(200, PLAIN, self.robots()),
            Route::Sitemap { part } => {
                return self.sitemap(*part).map_or_else(
                    || self.missing(404, host, nonce),
                    |xml| Response::new(200, XML, xml),
                );
            }
            Route::Api if self.site.decoys.has_machine_links => {
                return Response::new(200, "application/json", self.api_document());
            }
            Route::Feed if self.site.habits.has_feed => {
                return Response::new(200, "application/rss+xml", self.feed());
            }
            _ => {}
        }
        if let Some(response) = self.answer_script(&route, request) {
            return response;
        }
        match self.content(&route) {
            Outcome::Moved(route) => Response::moved(self.url(&route)),
            Outcome::Found(route) => Response::found(self.url(&route)),
            Outcome::Missing => self.missing(404, host, nonce),
            Outcome::Gone => self.missing(410, host, nonce),
            Outcome::Page(mut content) => {
                content.mount = self.mount(&route, &content);
                content.changed = content.changed.max(self.scripts_changed().unwrap_or(0));
                if let Some(to) = self.redirect_target(&route, era, request.path_and_query) {
                    return Response::moved(to);
                }
                let mut response = self.page(&content, &route, request, host, nonce);
                if let Route::Hidden(Hidden::Results(_)) = &route
                    && self
                        .hidden()
                        .is_some_and(|search| search.manners == Manners::Slow)
                {
                    response.delay = SLOW_SEARCH;
                }
                response
            }
        }
    }

    /// Returns the response of the endpoint, if the request is for data.
    fn answer_script(&self, route: &Route, request: &Request<'_>) -> Option<Response> {
        let scripts = self.scripts()?;
        scripts.page_path(request.path_and_query)?;
        if scripts.is_guarded && !request.is_scripted {
            return Some(Response::new(403, JSON, "{\"error\":\"forbidden\"}"));
        }
        let missing = || Response::new(404, JSON, "{\"error\":\"not found\"}");
        Some(match self.content(route) {
            Outcome::Page(content) if scripts.shows(route) => {
                Response::new(200, JSON, self.data(scripts, route, &content).to_string())
            }
            _ => missing(),
        })
    }

    /// Returns the results that a POST asks for, on sites whose search is sent so.
    fn posted(&self, request: &Request<'_>) -> Option<Hidden> {
        let search = self
            .hidden()
            .filter(|search| search.transport == Transport::Post)?;
        let path = request.path_and_query.split('?').next()?;
        let form = request.form.filter(|_| path == search.action)?;
        Some(Hidden::Results(search.submission(form).unwrap_or_default()))
    }

    /// Returns the response of a page of the search that is not a page of HTML, or is refused.
    fn answer_hidden(&self, page: &Hidden, request: &Request<'_>, nonce: u64) -> Option<Response> {
        let search = self.hidden()?;
        match page {
            Hidden::Description => Some(Response::new(
                200,
                "application/opensearchdescription+xml",
                self.open_search()?,
            )),
            Hidden::Act(Act::Export, _) => Some(Response::new(200, "text/csv", self.export())),
            Hidden::Act(Act::Random, _) => Some(Response::found(self.url(&self.random_route(nonce)))),
            Hidden::Results(submission) => {
                if let Some(status) = search.manners.refusal(request.searches) {
                    return Some(Response::new(status, PLAIN, "too many searches\n"));
                }
                let key = self.site.key.of(request.path_and_query, 0);
                if search.manners == Manners::Flaky && key.of("search", nonce).per_mille(FAILED_SEARCHES) {
                    return Some(Response::new(500, PLAIN, "\n"));
                }
                let is_redirected = search.is_redirected(request.path_and_query, submission);
                is_redirected.then(|| Response::found(self.url(&Route::Hidden(page.clone()))))
            }
            _ => None,
        }
    }

    /// Returns the redirect target of a URL that is not the page's own, on sites that redirect such
    /// URLs.
    fn redirect_target(&self, route: &Route, era: usize, path_and_query: &str) -> Option<String> {
        let habits = &self.site.habits;
        let redirects_noise =
            habits.noisy_urls == Forwarding::Redirect && !habits.has_sessions && !habits.reorders_params;
        let is_old = era != self.era && habits.old_urls == Forwarding::Redirect;
        if matches!(route, Route::Search(_) | Route::Hidden(_)) || !(is_old || redirects_noise) {
            return None;
        }
        let mut own = String::new();
        self.design.style.write(&mut own, route, self, Noise::default());
        (own != path_and_query).then(|| self.url(route))
    }

    fn page(
        &self,
        content: &Content,
        route: &Route,
        request: &Request<'_>,
        host: &str,
        nonce: u64,
    ) -> Response {
        let key = self.page_key(route);
        let rendered = render(self, content, host, key, nonce);
        let etag = self.tag(&rendered, key, nonce);
        let last_modified = self
            .reported_date(self.site.habits.last_modified, content.changed, nonce)
            .map(|day| http_date(&day));
        let is_known = match (request.if_none_match, &etag) {
            (Some(known), Some(etag)) => known
                .split(',')
                .any(|one| one.trim() == etag || one.trim() == "*"),
            _ => request.if_modified_since.is_some() && request.if_modified_since == last_modified.as_deref(),
        };
        let (status, body) = if is_known {
            (304, String::new())
        } else {
            (content.status, rendered.html)
        };
        Response {
            etag,
            last_modified,
            ..Response::new(status, HTML, body)
        }
    }

    /// Returns the key of a page's appearance; the same for all of its URLs.
    pub(crate) fn page_key(&self, route: &Route) -> Key {
        let mut own = String::with_capacity(64);
        self.design
            .style
            .write(&mut own, &route.main(), self, Noise::default());
        self.site.key.of(&own, 1)
    }

    fn tag(&self, rendered: &Rendered, key: Key, nonce: u64) -> Option<String> {
        let number = match self.site.habits.etag {
            EtagKind::None => return None,
            EtagKind::Durable => durable_hash(rendered),
            EtagKind::Volatile => key.of("tag", nonce).bits(),
            EtagKind::Constant => key.bits(),
        };
        Some(format!("\"{number:016x}\""))
    }

    /// Returns the modification date that a page or sitemap reports, given the week of the change.
    pub(crate) fn reported_date(&self, date_kind: DateKind, changed: u32, nonce: u64) -> Option<DateTime> {
        /// Ten in the morning, within office hours.
        const MORNING: i64 = 10 * 3600;
        let spec = self.web.spec();
        let seconds = match date_kind {
            DateKind::None => return None,
            DateKind::Right => spec.monday(changed) * 86_400 + MORNING,
            DateKind::Now => (spec.monday(self.week) + 1) * 86_400 + (nonce % 86_400) as i64,
            DateKind::Constant => (spec.epoch - 700) * 86_400,
        };
        DateTime::from_unix(seconds, 0)
    }

    fn missing(&self, status: u16, host: &str, nonce: u64) -> Response {
        let mut content = Content::new(self.word(Word::Missing).to_owned());
        content
            .main
            .push(Block::Line(self.word(Word::Missing).to_owned()));
        self.add_sidebar(&mut content, self.key("missing", 0));
        let status = if self.site.habits.has_soft_missing {
            200
        } else {
            status
        };
        let rendered = render(self, &content, host, self.key("missing", 1), nonce);
        Response::new(status, HTML, rendered.html)
    }
}

/// Hashes the content of a page, without the parts that differ between fetches.
fn durable_hash(rendered: &Rendered) -> u64 {
    let bytes = rendered.html.as_bytes();
    let mut hash = 0;
    let mut start = 0;
    for (from, upto) in &rendered.volatile {
        hash = hash_bytes(hash, &bytes[start..*from]);
        start = *upto;
    }
    hash_bytes(hash, &bytes[start..])
}

fn hash_bytes(seed: u64, bytes: &[u8]) -> u64 {
    let mut hash = seed ^ bytes.len() as u64;
    let (chunks, rest) = bytes.as_chunks::<8>();
    for chunk in chunks {
        hash = (hash ^ u64::from_le_bytes(*chunk))
            .wrapping_mul(0x9E37_79B9_7F4A_7C15)
            .rotate_left(29);
    }
    for byte in rest {
        hash = (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01B3);
    }
    scramble(hash)
}

/// Formats a time as in HTTP headers: `Mon, 02 Nov 2026 10:00:00 GMT`.
fn http_date(moment: &DateTime) -> String {
    let date: Date = moment.date();
    let time = moment.time().map_or((0, 0, 0), |time: Time| {
        (time.hour(), time.minute(), time.second().unwrap_or(0))
    });
    let english = &crate::language::LANGUAGES[0];
    format!(
        "{}, {:02} {} {:04} {:02}:{:02}:{:02} GMT",
        english.weekdays_short[usize::from(date.weekday().number()) - 1],
        date.day(),
        english.months_short[usize::from(date.month()) - 1],
        date.year(),
        time.0,
        time.1,
        time.2
    )
}
