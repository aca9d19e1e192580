//! Hosts of what pages ask for, and of pictures: their robots.txt and their politeness.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use magpie_discovery::Acts;
use magpie_model::CanonicalUrl;
use magpie_rows::CrawlStore;
use magpie_values::Timestamp;
use magpie_values::domain::registrable;
use magpie_web::{Answer, Client, Cookie, Exchange, Request};
use tokio::sync::Mutex as AsyncMutex;
use tokio::time::sleep;
use url::Url;

use crate::client::{ClientError, client_without_cookies};
use crate::crawl::{Guest, HostSession, Pace, Paces, Permission, SiteRules};
use crate::robots::{ask_robots, site_rules};
use crate::settings::{Resolved, RobotsRule};
use crate::{Clients, Clock};

/// Bytes of scripts that are kept, so that pages of a site ask for them once.
const MAX_SCRIPTS: usize = 64 << 20;

/// Time between two looks at a host that is busy with as many requests as it may have.
const BUSY: Duration = Duration::from_millis(20);

const MAX_HOSTS: usize = 1_000;

/// Clients, hosts and scripts that the pages of a run share.
pub(crate) struct Hosts {
    clients: Arc<Clients>,
    /// Client for hosts of other sites than the page's: they receive nothing of what their own
    /// pages have set.
    strangers: Client,
    settings: Arc<Resolved>,
    clock: Clock,
    /// The paces of hosts, which a crawl shares.
    paces: Paces,
    /// Files of robots that a crawl has read.
    store: Option<Arc<dyn CrawlStore>>,
    sessions: Mutex<HashMap<String, HostAsked>>,
    scripts: Mutex<Scripts>,
}

/// A host, and the rules by which it is asked.
#[derive(Clone)]
struct HostAsked {
    session: Arc<AsyncMutex<HostSession>>,
    pace: Pace,
    rules: Arc<SiteRules>,
}

#[derive(Default)]
struct Scripts {
    answers: HashMap<String, magpie_render::PageAnswer>,
    bytes: usize,
}

/// Reason why a request of a page has no answer.
pub(crate) enum NoAnswer {
    /// A rule forbids it.
    Refused(String),
    /// The robots.txt can't be fetched, so that nothing may be asked for now.
    Closed(String),
    Failed(String),
}

impl Hosts {
    pub(crate) fn new(
        clients: Arc<Clients>,
        settings: Arc<Resolved>,
        clock: Clock,
        paces: Paces,
        store: Option<Arc<dyn CrawlStore>>,
    ) -> Result<Hosts, ClientError> {
        Ok(Hosts {
            strangers: client_without_cookies(&settings.settings)?,
            clients,
            settings,
            clock,
            paces,
            store,
            sessions: Mutex::default(),
            scripts: Mutex::default(),
        })
    }

    /// Returns the rules by which requests and clicks on a page act.
    pub(super) fn acts(&self, page: &Url) -> Acts {
        let host = page.host_str().unwrap_or_default();
        self.settings.for_host(host).acts()
    }

    /// Makes a request for a page, when its host may be asked.
    pub(crate) async fn fetch(&self, page: &Url, request: &Request) -> Result<Exchange, NoAnswer> {
        let refused = |reason: &str| NoAnswer::Refused(reason.to_owned());
        let url = CanonicalUrl::trusted(request.url.as_str());
        let url = url.ok_or_else(|| refused("it is not the URL of a page"))?;
        let host = request.url.host_str().unwrap_or_default();
        let is_own = is_same_site(page, &request.url);
        let client = match is_own {
            true => self.clients.for_host(host),
            false => &self.strangers,
        };
        let HostAsked { session, pace, rules } = self.host(&url, is_own)?;
        {
            // Held while robots.txt is requested, so that the other requests of the page wait for
            // it instead of asking again.
            let mut session = session.lock().await;
            self.recall_robots(&mut session, &url);
            let turn = match session.robots_verdict(&url) {
                Some(_) => None,
                None => Some(self.turn(&pace).await),
            };
            let verdict = ask_robots(&mut session, &rules, client, &url, &self.clock).await;
            drop(turn);
            let verdict = verdict.ok_or_else(|| refused("its robots.txt can't be requested"))?;
            let sentence = format!("robots.txt of {}: {}", url.origin(), verdict.sentence);
            if matches!(
                session.permission(&url, self.clock.now()),
                Permission::Closed { .. }
            ) {
                return Err(NoAnswer::Closed(sentence));
            }
            if !verdict.allowed && rules.settings.politeness.robots == RobotsRule::Obey {
                return Err(NoAnswer::Refused(sentence));
            }
        }
        let turn = self.turn(&pace).await;
        let result = client.fetch(request).await;
        match result {
            Ok(exchange) => {
                let answer = Answer {
                    latency: exchange.timings.first_byte,
                    status: exchange.status,
                    retry_after: exchange.retry_after(),
                };
                turn.on_response(&answer, self.clock.now());
                Ok(exchange)
            }
            Err(error) => {
                turn.on_error(error.kind());
                Err(NoAnswer::Failed(error.to_string()))
            }
        }
    }

    /// Waits until a host may be asked.
    async fn turn(&self, pace: &Pace) -> Guest {
        let mut turn = pace.guest();
        loop {
            let Err(next) = turn.try_start(self.clock.now()) else {
                return turn;
            };
            let pause = next.at.map_or(BUSY, |at| at.since(self.clock.now()));
            sleep(pause.max(Duration::from_millis(1))).await;
        }
    }

    /// Goes by the robots.txt that a crawl has read. Without one it is asked for.
    fn recall_robots(&self, session: &mut HostSession, url: &CanonicalUrl) {
        let Some(store) = &self.store else { return };
        if session.robots_verdict(url).is_some() {
            return;
        }
        if let Ok(Some(known)) = store.robots(url.origin()) {
            session.recall_robots(url.origin(), &known, self.clock.now());
        }
    }

    /// Takes note of a request that others made, so that its host is not asked at once again.
    pub(crate) fn note_asked(&self, url: &Url, at: Timestamp) {
        let Some(url) = CanonicalUrl::trusted(url.as_str()) else {
            return;
        };
        if let Ok(host) = self.host(&url, true) {
            note_request(&host.pace, at);
        }
    }

    fn host(&self, url: &CanonicalUrl, is_own: bool) -> Result<HostAsked, NoAnswer> {
        let mut sessions = self.sessions.lock().unwrap_or_else(PoisonError::into_inner);
        // A host may be asked for its own pages and for those of others, by different rules.
        let key = format!("{is_own} {}", url.origin());
        if let Some(host) = sessions.get(&key) {
            return Ok(host.clone());
        }
        let mut settings = self.settings.for_host(url.host()).clone();
        if !is_own {
            settings.politeness.robots = settings.render.robots_elsewhere;
        }
        let rules = site_rules(url, &settings).map_err(NoAnswer::Failed)?;
        let pace = self.paces.of(url, &rules.throttle());
        let mut session = HostSession::new(&rules).paced(pace.clone());
        if !is_own {
            session = session.for_others();
        }
        let host = HostAsked {
            session: Arc::new(AsyncMutex::new(session)),
            pace,
            rules,
        };
        if sessions.len() >= MAX_HOSTS {
            // Robots files and paces outlive a session: they are in the store, and with the crawl.
            sessions.clear();
        }
        sessions.insert(key, host.clone());
        Ok(host)
    }

    /// Gives the client of a site the cookies that scripts of its page have set.
    pub(super) fn keep_cookies(&self, url: &Url, cookies: Option<&str>) {
        let host = url.host_str().unwrap_or_default();
        let client = self.clients.for_host(host);
        let known = client.cookies();
        let fields = cookies.unwrap_or_default().split("; ");
        let new = fields
            .filter_map(|field| field.split_once('='))
            .filter(|(name, value)| {
                let is_same = |cookie: &Cookie| cookie.name == *name && cookie.value == *value;
                !known.iter().any(is_same)
            });
        client.import_cookies(new.map(|(name, value)| Cookie {
            name: name.to_owned(),
            value: value.to_owned(),
            domain: host.to_owned(),
            host_only: true,
            path: "/".to_owned(),
            secure: false,
            expires: None,
            created: self.clock.now(),
        }));
    }

    /// Returns a script that a page of this run has asked for before.
    pub(super) fn script(&self, url: &Url) -> Option<magpie_render::PageAnswer> {
        let scripts = self.scripts.lock().unwrap_or_else(PoisonError::into_inner);
        scripts.answers.get(url.as_str()).cloned()
    }

    /// Keeps a script for other pages of this run.
    pub(super) fn keep_script(&self, url: &Url, answer: &magpie_render::PageAnswer, bytes: usize) {
        let mut scripts = self.scripts.lock().unwrap_or_else(PoisonError::into_inner);
        if scripts.bytes + bytes > MAX_SCRIPTS {
            // Scripts of earlier pages are requested again when they are needed.
            *scripts = Scripts::default();
        }
        if bytes <= MAX_SCRIPTS
            && scripts
                .answers
                .insert(url.as_str().to_owned(), answer.clone())
                .is_none()
        {
            scripts.bytes += bytes;
        }
    }
}

/// Takes note of a request that was made, so that the next one keeps its distance.
fn note_request(pace: &Pace, at: Timestamp) {
    if pace.try_start(at).is_ok() {
        pace.on_abandoned();
    }
}

/// Returns `true` if two URLs are of one registrable domain, or of one host that has none.
pub(super) fn is_same_site(one: &Url, other: &Url) -> bool {
    let site = |url: &Url| {
        let host = url.host_str().unwrap_or_default();
        registrable(host).unwrap_or(host).to_owned()
    };
    site(one) == site(other)
}
