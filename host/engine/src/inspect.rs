//! Inspection of one page: it is fetched, read and judged by the parts that a crawl uses.

use std::collections::BTreeMap;
use std::sync::Arc;

use magpie_discovery::Change;
use magpie_model::CanonicalUrl;
use magpie_page::Page;
use magpie_render::ProbedLink;
use magpie_rows::KeptUrlRule;
use magpie_values::Timestamp;
use magpie_web::{Client, Exchange, FollowError, MediaTypes, Request, follow};
use schemars::JsonSchema;
use serde::Serialize;
use url::Url;

use crate::browser::{PageRenderer, RenderedPage, as_exchange, is_html};
use crate::crawl::{HostSession, Reading, RobotsVerdict, SitePolicy, SiteRules, TextWanted};
use crate::robots::{ask_robots, site_rules};
use crate::settings::{Resolved, RobotsRule, Settings};
use crate::{Clients, Clock, canonicaliser_knowing};

/// Beginning of the path of a link that a click on an element led to.
const PROBE: &str = "probe:";

/// A page that was inspected.
pub struct Inspection {
    /// Its canonical URL.
    pub canonical: String,
    /// The changes that its URL went through to become canonical.
    pub changes: Vec<Change>,
    /// The statement of the robots.txt of each origin on the way.
    pub robots: Vec<(String, RobotsVerdict)>,
    /// Every exchange, in order. The last one is the page.
    pub exchanges: Vec<Exchange>,
    /// The parts of the page that a crawl reads, if it is one that a crawl reads.
    pub summary: Option<PageSummary>,
    /// The reason why there is no page.
    pub problem: Option<String>,
}

/// The parts of a page that a crawl reads, and its judgement on the links.
pub struct PageSummary {
    /// The page, for verticals.
    pub page: Arc<Page>,
    /// The encoding it was read in.
    pub charset: String,
    /// The text of its `title` element.
    pub title: Option<String>,
    /// The canonical URL that it names for itself.
    pub canonical: Option<Url>,
    /// `true` if it and its headers permit a search for objects.
    pub index: bool,
    /// `true` if its links may be followed.
    pub follow: bool,
    /// Its links with the verdict on each.
    pub links: Vec<JudgedLink>,
}

/// A page that was inspected and then opened in a browser.
pub struct RenderedInspection {
    /// The page in the browser.
    pub page: RenderedPage,
    /// The parts of its document that a crawl reads, if there is one.
    pub summary: Option<PageSummary>,
}

/// A link.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Link")]
pub struct JudgedLink {
    /// URL of the link.
    pub url: String,
    /// Text of the link.
    pub text: String,
    /// Place of the link on the page. `probe:` begins that of a link that a click led to.
    pub path: String,
    /// Reason why it is not followed, or null.
    pub refused: Option<String>,
}

/// Fetches a page, following redirects, each hop under the rules of a crawl. `url_rules` is what
/// earlier crawls have learned of how the site names its pages.
pub async fn inspect(
    clients: &Clients,
    settings: &Resolved,
    url_rules: &[KeptUrlRule],
    clock: &Clock,
    url: &Url,
) -> Inspection {
    let host = url.host_str().unwrap_or_default();
    let (client, for_host) = (clients.for_host(host), settings.for_host(host));
    let mut inspection = Inspection {
        canonical: String::new(),
        changes: Vec::new(),
        robots: Vec::new(),
        exchanges: Vec::new(),
        summary: None,
        problem: None,
    };
    match canonicaliser_knowing(for_host, url_rules).canonicalise_text(url.as_str(), None) {
        Ok(canonical) => {
            inspection.canonical = canonical.url.as_str().to_owned();
            inspection.changes = canonical.changes;
        }
        Err(problem) => {
            inspection.problem = Some(problem.to_string());
            return inspection;
        }
    }
    let mut first = Request::new(url.clone());
    first.media_types = Some(Arc::new(MediaTypes::new(&for_host.fetch.media_types)));
    let redirects = usize::try_from(for_host.fetch.redirects).unwrap_or(usize::MAX);
    let robots = &mut inspection.robots;
    let followed = follow(client, first, redirects, async |hop: &Url| {
        let rules = settings.for_host(hop.host_str().unwrap_or_default());
        let verdict = robots_verdict(client, hop, rules, clock).await?;
        let is_refused = !verdict.allowed && rules.politeness.robots == RobotsRule::Obey;
        let sentence = verdict.sentence.clone();
        robots.push((hop.origin().ascii_serialization(), verdict));
        if is_refused { Err(sentence) } else { Ok(()) }
    })
    .await;
    inspection.problem = followed
        .problem
        .map(|problem: FollowError<String>| problem.to_string());
    inspection.exchanges = followed.exchanges;
    let page = inspection.exchanges.last();
    let page = page.filter(|page| page.truncated.is_none() && (200..300).contains(&page.status));
    inspection.summary = page.and_then(|page| PageSummary::read(page, for_host, url_rules, &[], clock.now()));
    inspection
}

/// Opens an inspected page in a browser. `None` if the inspection has no page that can be rendered.
pub async fn inspect_rendered(
    renderer: &PageRenderer,
    settings: &Resolved,
    url_rules: &[KeptUrlRule],
    clock: &Clock,
    inspection: &Inspection,
) -> Option<RenderedInspection> {
    inspection.summary.as_ref()?;
    let plain = inspection.exchanges.last().filter(|page| is_html(page))?;
    let page = renderer.render(plain).await;
    let for_host = settings.for_host(plain.url.host_str().unwrap_or_default());
    let document = page.rendered.document.as_ref().ok();
    let summary = document.and_then(|document| {
        let rendered = as_exchange(plain, document)?;
        PageSummary::read(&rendered, for_host, url_rules, &document.links, clock.now())
    });
    Some(RenderedInspection { page, summary })
}

/// Asks the robots.txt of a page's origin about the page, by the steps of a crawl.
async fn robots_verdict(
    client: &Client,
    page: &Url,
    settings: &Settings,
    clock: &Clock,
) -> Result<RobotsVerdict, String> {
    let url =
        CanonicalUrl::trusted(page.as_str()).ok_or_else(|| format!("{page} is not the URL of a page"))?;
    let rules = site_rules(&url, settings)?;
    let verdict = ask_robots(&mut HostSession::new(&rules), &rules, client, &url, clock).await;
    verdict.ok_or_else(|| format!("the robots.txt of {} can't be requested", url.origin()))
}

impl PageSummary {
    /// Reads a page as a crawl that begins there would.
    fn read(
        exchange: &Exchange,
        settings: &Settings,
        url_rules: &[KeptUrlRule],
        probed: &[ProbedLink],
        now: Timestamp,
    ) -> Option<PageSummary> {
        let home = CanonicalUrl::trusted(exchange.url.as_str())?;
        let rules = site_rules(&home, settings).ok()?;
        let reading = Reading::of(exchange, &rules.reading, TextWanted::default());
        let policy = SitePolicy::new(&rules, url_rules, now);
        Some(PageSummary {
            links: judge_links(&reading, &rules, probed, policy),
            charset: reading.page.encoding().to_owned(),
            title: reading.title,
            canonical: reading.canonical,
            index: reading.directives.index,
            follow: reading.directives.follow,
            page: reading.page,
        })
    }

    /// Counts the links that are followed, and those that are not, by reason.
    pub fn counts(&self) -> BTreeMap<Option<&str>, usize> {
        let mut counts = BTreeMap::new();
        for link in &self.links {
            *counts.entry(link.refused.as_deref()).or_default() += 1;
        }
        counts
    }
}

fn judge_links(
    reading: &Reading,
    rules: &SiteRules,
    probed: &[ProbedLink],
    mut policy: SitePolicy,
) -> Vec<JudgedLink> {
    let politeness = &rules.settings.politeness;
    let mut refusal = |url: Option<&Url>, may_follow: bool| {
        if politeness.robots_tags && !reading.directives.follow {
            return Some("page-nofollow".to_owned());
        }
        if !may_follow && !politeness.follow_nofollow {
            return Some("nofollow".to_owned());
        }
        let Some(url) = url.and_then(|url| policy.canonical(url)) else {
            return Some("no-url".to_owned());
        };
        let judged = policy.judge_url(&url, 1);
        judged.err().map(|refusal| refusal.reason().to_string())
    };
    let links = reading.links.iter().zip(&reading.follow);
    let mut judged: Vec<JudgedLink> = links
        .map(|(link, may_follow)| {
            let url = reading.page.url().join(link.href).ok();
            JudgedLink {
                refused: refusal(url.as_ref(), *may_follow),
                url: url.map_or_else(|| link.href.to_owned(), String::from),
                text: link.text.to_owned(),
                path: link.path.to_owned(),
            }
        })
        .collect();
    judged.extend(probed.iter().map(|link| JudgedLink {
        refused: refusal(Some(&link.url), true),
        url: link.url.to_string(),
        text: link.text.clone(),
        path: format!("{PROBE}{}", link.path),
    }));
    judged
}
