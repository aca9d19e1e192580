//! One page exactly as a crawl would fetch it, with everything that is decided on the way.

mod says;

use std::sync::Arc;
use std::time::Duration;

use magpie_discovery::{Change, Robots, RobotsFetch, RobotsOutcome, Rules, robots_outcome};
use magpie_web::{Client, Exchange, FetchError, FollowError, MediaTypes, Request, follow};
use url::Url;

use crate::crawl::{ROBOTS_BYTES, robots_answer, robots_failure};
use crate::settings::{Resolved, RobotsRule};
use crate::{Clients, canonicaliser};

pub use says::{JudgedLink, Says};

/// A page that was looked at.
pub struct Look {
    /// Its canonical form.
    pub canonical: String,
    /// What was changed to get there.
    pub changes: Vec<Change>,
    /// What robots.txt says, of each origin on the way.
    pub robots: Vec<(String, RobotsVerdict)>,
    /// Every exchange, in order; the last is the page.
    pub exchanges: Vec<Exchange>,
    /// What the page says, when it is one that a crawl reads.
    pub says: Option<Says>,
    /// Why there is no page.
    pub problem: Option<String>,
}

/// What a robots.txt says about a page.
#[derive(Clone, Debug)]
pub struct RobotsVerdict {
    /// Whether it may be fetched.
    pub allowed: bool,
    /// Why, in a sentence.
    pub sentence: String,
    /// The delay the file asks for.
    pub crawl_delay: Option<Duration>,
}

impl RobotsVerdict {
    fn of(rules: &Rules, page: &Url) -> RobotsVerdict {
        let path = &page[url::Position::BeforePath..url::Position::AfterQuery];
        let verdict = rules.judge(path);
        RobotsVerdict {
            allowed: verdict.allowed,
            sentence: verdict.to_string(),
            crawl_delay: rules.crawl_delay(),
        }
    }

    fn without_rules(allowed: bool, sentence: String) -> RobotsVerdict {
        RobotsVerdict {
            allowed,
            sentence,
            crawl_delay: None,
        }
    }
}

/// Fetches a page, following redirects, each hop under the rules of a crawl.
pub async fn look(clients: &Clients, settings: &Resolved, url: &Url) -> Look {
    let client = clients.for_host(url.host_str().unwrap_or_default());
    let for_host = settings.for_host(url.host_str().unwrap_or_default());
    let canonical = canonicaliser(for_host).canonicalise_text(url.as_str(), None);
    let (canonical, changes) = match canonical {
        Ok(canonical) => (canonical.url.as_str().to_owned(), canonical.changes),
        Err(problem) => {
            return Look {
                canonical: String::new(),
                changes: Vec::new(),
                robots: Vec::new(),
                exchanges: Vec::new(),
                says: None,
                problem: Some(problem.to_string()),
            };
        }
    };
    let mut robots: Vec<(String, RobotsVerdict)> = Vec::new();
    let mut request = Request::new(url.clone());
    request.media_types = Some(Arc::new(MediaTypes::new(&for_host.fetch.media_types)));
    let redirects = usize::try_from(for_host.fetch.redirects).unwrap_or(usize::MAX);
    let followed = follow(client, request, redirects, async |hop: &Url| {
        let rules = settings.for_host(hop.host_str().unwrap_or_default());
        let verdict = ask(client, hop, &rules.identity.robots_name).await;
        let refused = !verdict.allowed && rules.politeness.robots == RobotsRule::Obey;
        let why = verdict.sentence.clone();
        robots.push((hop.origin().ascii_serialization(), verdict));
        if refused { Err(why) } else { Ok(()) }
    })
    .await;
    let page = followed.exchanges.last();
    let page = page.filter(|page| page.truncated.is_none() && (200..300).contains(&page.status));
    Look {
        says: page.and_then(|page| Says::of(page, for_host)),
        canonical,
        changes,
        robots,
        exchanges: followed.exchanges,
        problem: followed
            .problem
            .map(|problem: FollowError<String>| problem.to_string()),
    }
}

/// Asks a host's robots.txt about a page.
async fn ask(client: &Client, page: &Url, robots_name: &str) -> RobotsVerdict {
    let mut at = match page.join("/robots.txt") {
        Ok(at) => at,
        Err(problem) => return RobotsVerdict::without_rules(false, problem.to_string()),
    };
    let mut hops = 0;
    loop {
        let mut request = Request::new(at.clone());
        request.body_bytes = Some(ROBOTS_BYTES);
        let answer = client.fetch(&request).await;
        match robots_outcome(outcome(&answer), hops) {
            RobotsOutcome::Follow => {
                let target = answer.ok().and_then(|exchange| exchange.redirect_target());
                match target {
                    Some(Ok(target)) => at = target,
                    _ => {
                        return RobotsVerdict::without_rules(true, "its robots.txt leads nowhere".to_owned());
                    }
                }
                hops += 1;
            }
            RobotsOutcome::Read => {
                let body = answer.as_ref().map(Exchange::body).unwrap_or_default();
                return RobotsVerdict::of(&Robots::parse(body).rules(robots_name), page);
            }
            RobotsOutcome::AllowAll(why) => return RobotsVerdict::without_rules(true, why.to_string()),
            RobotsOutcome::DisallowAll(why) => {
                let sentence = match &answer {
                    Err(error) => format!("{why}: {error}"),
                    Ok(_) => why.to_string(),
                };
                return RobotsVerdict::without_rules(false, sentence);
            }
        }
    }
}

fn outcome(answer: &Result<Exchange, FetchError>) -> RobotsFetch {
    match answer {
        Ok(exchange) => robots_answer(exchange),
        Err(error) => robots_failure(error),
    }
}
