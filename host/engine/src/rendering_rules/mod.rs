//! Learning of the ways to have pages that a plain fetch does not have whole.
//!
//! The kinds of pages of crawled sites are looked at. Kinds that scripts seem to make are sampled
//! with a browser, if the settings allow one, and
//! [`decide`](magpie_patterns::rendering::decide) chooses the way to have them. The rules are kept
//! in the workspace, and in the site's navigation file, where a person may change them.

mod kinds;
mod sample;
mod signs;

use std::sync::Arc;

use magpie_model::CanonicalUrl;
use magpie_patterns::rendering::{Mode, RenderingRule, RenderingRules};
use magpie_rows::{RunId, SiteId, UrlId};
use magpie_values::Timestamp;

use crate::crawl::{Browser, Target};
use crate::observer::{Event, Observer};
use crate::session::{CrawlRequest, Session};
use crate::settings::RenderedPages;
use crate::site::{LearnedRules, SiteError, SiteRendering};
use crate::{Clients, PipelineError};
use kinds::{FetchedPages, SiteKinds};

/// Times that the kinds of a site are looked at.
const MAX_PASSES: usize = 4;

/// Reason for which the ways to have pages are learned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Occasion {
    /// The sites were crawled. Kinds that have a rule are as they are.
    Learning,
    /// A site no longer yields what it did. Kinds whose rules bring nothing are sampled again, and
    /// at most this number of pages is fetched.
    Repair(u64),
}

/// Learns the ways to have the pages of sites that were crawled, and crawls what they lead to in
/// the same run. Returns `false` if it was stopped.
pub(crate) fn learn_ways(
    session: &Session,
    sites: &[(SiteId, String)],
    (run, began): (RunId, Timestamp),
    occasion: Occasion,
    observer: &mut dyn Observer,
) -> Result<bool, PipelineError> {
    // With a browser for all pages nothing is to be chosen.
    let wants = |key: &str| session.settings().for_site(key).render.pages;
    let sites = sites.iter().filter(|(_, key)| wants(key) != RenderedPages::All);
    let (store, vertical) = (session.store(), session.vertical());
    let clients = Arc::new(Clients::new(session.settings())?);
    let browser = session.browser(&clients)?;
    for (site, key) in sites {
        let browser = browser.as_deref().filter(|_| wants(key) == RenderedPages::Needed);
        let learning = SiteLearning {
            session,
            site: *site,
            key,
            run,
            browser,
        };
        let mut learned = LearnedRules::read(store, vertical)?;
        let mut left = match occasion {
            Occasion::Learning => u64::MAX,
            Occasion::Repair(pages) => pages,
        };
        // Without a browser a rule can't be sampled again, so it stays.
        if matches!(occasion, Occasion::Repair(_)) && browser.is_some() {
            learning.drop_stale(&mut learned)?;
        }
        // A list that is read with its scripts leads to pages of kinds that the pass before did not
        // know.
        for _ in 0..MAX_PASSES {
            if session.is_stopping() {
                return Ok(false);
            }
            // The pages of the crawl must be readable, and the writer commits them in batches.
            store.flush()?;
            let (found, queue) = learning.look(&learned, occasion)?;
            if found.is_empty() {
                break;
            }
            observer.observe(Event::WaysLearned {
                site: key,
                rules: &found,
            });
            learned.rules.entry(key.clone()).or_default().extend(found);
            // The next crawl reads its rules from the workspace, so they are written first.
            learning.keep(&learned)?;
            if queue.is_empty() || left == 0 {
                break;
            }
            store.queue_urls(*site, queue)?;
            let request = CrawlRequest {
                is_varied: true,
                max_pages: Some(left).filter(|left| *left < u64::MAX),
                ..CrawlRequest::new((run, began), vec![Target::Known(key.clone())])
            };
            let crawled = session.crawl(request, observer)?;
            if crawled.was_stopped() {
                return Ok(false);
            }
            left = left.saturating_sub(crawled.progress.pages);
        }
    }
    Ok(true)
}

/// A site whose pages are looked at.
struct SiteLearning<'s> {
    session: &'s Session,
    site: SiteId,
    key: &'s str,
    run: RunId,
    browser: Option<&'s dyn Browser>,
}

impl SiteLearning<'_> {
    /// Looks at the kinds of pages that no rule is about. Returns new rules, and the pages that are
    /// had in another way from now on.
    fn look(
        &self,
        learned: &LearnedRules,
        occasion: Occasion,
    ) -> Result<(Vec<RenderingRule>, Vec<UrlId>), PipelineError> {
        let (folder, vertical) = (self.session.folder(), self.session.vertical());
        let known = SiteRendering::read_or_learned(folder, vertical, learned, self.key);
        let fetched = FetchedPages::read(self.session, self.site, self.key)?;
        let run = matches!(occasion, Occasion::Repair(_)).then_some(self.run);
        let Some(kinds) = SiteKinds::of(fetched, &known.all(), run) else {
            return Ok((Vec::new(), Vec::new()));
        };
        let found = sample::ways_of(self, &kinds)?;
        let rules = RenderingRules::new(found.clone());
        let pages = kinds.pages.iter();
        let affected = pages.filter(|page| rules.mode(&page.url) != Mode::Plain);
        Ok((found, affected.map(|page| page.id).collect()))
    }

    /// Forgets the rules that no longer bring what they did, so that their kinds are sampled again.
    fn drop_stale(&self, learned: &mut LearnedRules) -> Result<(), PipelineError> {
        self.session.store().flush()?;
        let fetched = FetchedPages::read(self.session, self.site, self.key)?;
        let Some(rules) = learned.rules.get_mut(self.key) else {
            return Ok(());
        };
        let stale = fetched.stale(rules, self.run);
        if stale.is_empty() {
            return Ok(());
        }
        // Only learned rules are judged here. One that a person wrote stays, even if it brings
        // nothing.
        rules.retain(|rule| !stale.contains(rule));
        self.keep_forgetting(learned, &stale)
    }

    /// Keeps the rules, also in the navigation file of the site if it has one.
    fn keep(&self, learned: &LearnedRules) -> Result<(), PipelineError> {
        self.keep_forgetting(learned, &[])
    }

    fn keep_forgetting(&self, learned: &LearnedRules, stale: &[RenderingRule]) -> Result<(), PipelineError> {
        let (folder, vertical) = (self.session.folder(), self.session.vertical());
        let mut rules = SiteRendering::read_or_learned(folder, vertical, learned, self.key);
        // They are still in the file, where they look as if a person had written them.
        rules.written.retain(|rule| !stale.contains(rule));
        learned.keep(self.session.store(), vertical, self.session.now())?;
        // A file that can't be read is left as it is, for the person who changed it.
        match rules.write(folder, vertical, self.key) {
            Ok(()) | Err(crate::site::NavigationFileError::Content { .. }) => Ok(()),
            Err(error) => Err(SiteError::from(error).into()),
        }
    }

    /// Returns `true` if a browser clicks on pages of the site.
    fn clicks(&self) -> bool {
        self.session.settings().for_site(self.key).render.clicks > 0
    }

    /// Returns `true` if a URL belongs to the site.
    fn has(&self, url: &CanonicalUrl) -> bool {
        self.session.site_key(url) == self.key
    }
}
