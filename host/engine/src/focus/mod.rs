//! Focused crawls: learning from the part of each site that has its objects.
//!
//! A focused crawl is [`learn`](crate::learn::learn) with a [`Guide`]: the guide chooses every page
//! of a site, and the crawl of the site ends when enough of its objects are estimated to be
//! found. Everything else is as in learning: the crawl keeps to robots.txt, politeness and scope,
//! pages are archived, and what was found becomes patterns and a navigation that recrawls and
//! watches use.
//!
//! The sites are named, or found by the words of sample pages: queries to a search engine lead to
//! pages, and those that the vertical accepts show which sites are worth a crawl.

mod search;
mod words;

use std::sync::Arc;

use magpie_focus::rank::PageRank;
use magpie_focus::region::RegionKind;
use magpie_focus::strategy::WalkSettings;
use magpie_model::{Attribute, CanonicalUrl, Record};
use magpie_rows::ReadStore;
use magpie_rows::{PageId, SiteId, StoreError};

use crate::canonicaliser_knowing;
use crate::crawl::{ByConfidence, Explanation, Guide, GuideOrder, SeenObjects, explain};
use crate::settings::{FocusStrategy, LearnOrder, Resolved};
use crate::verticals::identity_by;

pub use magpie_focus::authorities::AuthoritySearch;
pub use magpie_focus::tokens::{Token, given as given_words};
pub use words::{SampleFile, own_words, words_of_samples};

pub(crate) use search::find_authorities;

/// Returns the guide of focused crawls that the settings describe.
pub fn guide(resolved: &Resolved) -> Guide {
    guide_by(resolved, resolved.settings.focus.strategy)
}

/// Returns the guide of learning, if the settings let it choose each page by itself.
pub fn learning_guide(resolved: &Resolved) -> Option<Guide> {
    match resolved.settings.learn.order {
        LearnOrder::Yield => None,
        LearnOrder::Expected => Some(guide_by(resolved, FocusStrategy::Expected)),
        LearnOrder::Walk => Some(guide_by(resolved, FocusStrategy::Walk)),
    }
}

/// Returns the guide with the name of a strategy, as settings describe it.
pub(crate) fn guide_named(resolved: &Resolved, name: &str) -> Option<Guide> {
    let strategies = [FocusStrategy::Expected, FocusStrategy::Walk];
    let mut guides = strategies
        .map(|strategy| guide_by(resolved, strategy))
        .into_iter();
    guides.find(|guide| guide.order.name() == name)
}

fn guide_by(resolved: &Resolved, strategy: FocusStrategy) -> Guide {
    let focus = &resolved.settings.focus;
    let walk = WalkSettings {
        restart: focus.restart,
        iterations: u32::try_from(focus.iterations).unwrap_or(u32::MAX),
        rank: PageRank {
            damping: focus.damping,
            ..PageRank::default()
        },
        // Links are known by the place of their element, which has no ancestors.
        region: RegionKind::RepeatedPath,
        ..WalkSettings::default()
    };
    Guide {
        order: match strategy {
            FocusStrategy::Expected => GuideOrder::Expected,
            FocusStrategy::Walk => GuideOrder::Walk(walk),
        },
        validator: Arc::new(ByConfidence(focus.confidence)),
        seen: SeenObjects::default(),
    }
}

/// The part that a page had in the focused crawl of its site.
#[derive(Clone, Debug)]
pub struct PageInFocus {
    /// The vertical that judged the page.
    pub vertical: String,
    /// The name of the strategy that chose it.
    pub strategy: &'static str,
    /// Its weights, and the decision.
    pub explanation: Explanation,
}

/// Explains the place of a page in the crawl of a site by a strategy: `expected` or `walk`. Returns
/// `None` for another strategy. `attributes` are those of the vertical.
pub fn explain_page(
    reader: &dyn ReadStore,
    resolved: &Resolved,
    (vertical, attributes): (&str, &[Attribute]),
    strategy: &str,
    (site, key): (SiteId, &str),
    page: &CanonicalUrl,
) -> Result<Option<PageInFocus>, StoreError> {
    let strategies = [FocusStrategy::Expected, FocusStrategy::Walk].map(|choice| guide_by(resolved, choice));
    let guide = strategies
        .into_iter()
        .find(|guide| guide.order.name() == strategy);
    let Some(guide) = guide else { return Ok(None) };
    let known = reader.known_pages(site)?;
    let known: Vec<CanonicalUrl> = known
        .into_iter()
        .filter_map(|known| CanonicalUrl::trusted(known.url))
        .collect();
    let identity = |_: &str, record: &Record| identity_by(attributes, record);
    let (past, links_of) = (reader.past_fetches(site)?, |pages: &[PageId]| {
        reader.links_of_pages(pages)
    });
    let rules = reader.url_rules(key)?;
    let canonicaliser = canonicaliser_knowing(resolved.for_host(page.host()), &rules);
    Ok(Some(PageInFocus {
        vertical: vertical.to_owned(),
        strategy: guide.order.name(),
        explanation: explain(&guide, (past, &links_of), &known, &canonicaliser, &identity, page)?,
    }))
}
