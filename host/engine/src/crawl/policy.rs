//! The policy of a site: decides which URLs are offered to the frontier, and in which canonical
//! form.
//!
//! A policy learns from the pages of the site: which keys of URLs make no difference, which URL
//! forms are traps, which links pay. It makes no requests, so a crawl and an inspection of one page
//! share it.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use magpie_discovery::sitemap::{SitemapEntry, SitemapKind};
use magpie_discovery::{
    Answered, Canonicaliser, Group, KeyWatch, KeyWatchSettings, LinkBase, LinkCache, NearDuplicates,
    OutOfScope, PastPage, ProvenKey, Resolved, Trap, TrapSettings, TrapWatch, UrlRule, Variety, is_file,
};
use magpie_model::{CanonicalUrl, PostedForm, Record, UrlReason};
use magpie_rows::{
    CrawlStore, Extraction, Hint, HintSource, KeptUrlRule, Lease, Offer, PastFetch, StoreError, UrlId,
    UrlSource, UrlState,
};
use magpie_values::Timestamp;
use url::Url;

use super::guided::{Guide, GuidedOrder};
use super::host::{Page, Posted};
use super::order::{QueueOrder, SiteOrder};
use super::reading::{Reading, TextWanted};
use super::rules::SiteRules;
use super::{Extractor, LinkFilter};
use crate::canonicaliser_knowing;
use crate::settings::ChangeChoice;

/// Links remembered per site, so that the fifty that are on every page cost nothing. Each takes
/// eight to sixteen bytes.
const MAX_LINKS: usize = 1 << 16;

/// Texts remembered per site, to find near duplicates among them.
const MAX_TEXTS: usize = 1 << 16;

/// Feeds read of one site. A magazine has one for each section.
const MAX_FEEDS: usize = 16;

/// Decides which URLs of a site are offered.
pub(crate) struct SitePolicy {
    rules: Arc<SiteRules>,
    canonicaliser: Canonicaliser,
    links: LinkCache,
    keys: Option<KeyWatch>,
    traps: Option<TrapWatch>,
    near: Option<NearDuplicates>,
    /// Selects the links that are followed; `None` follows all.
    filter: Option<Box<dyn LinkFilter>>,
    /// Orders the queue, where objects are looked for and no filter decides what is fetched.
    pub(super) order: Option<QueueOrder>,
    /// Ranks what is found, where not all of it will be fetched.
    variety: Option<Variety>,
    /// The redirects on the way to a URL, while it is queued.
    redirects: HashMap<u64, u32>,
    feeds: Vec<CanonicalUrl>,
}

/// URLs that a page, a sitemap or a feed leads to.
#[derive(Default)]
pub(super) struct PageOffers {
    pub(super) offers: Vec<Offer>,
    /// The number of them that are to be fetched.
    pub(super) queued: u64,
    /// Keys in the site's URLs that were proven to mean nothing.
    pub(super) proven: Vec<ProvenKey>,
    /// Dates of changes that a sitemap or feed names.
    pub(super) hints: Vec<Hint>,
    /// Feeds that were not known.
    pub(super) feeds: Vec<CanonicalUrl>,
}

impl PageOffers {
    pub(super) fn append(&mut self, other: PageOffers) {
        self.offers.extend(other.offers);
        self.queued += other.queued;
        self.proven.extend(other.proven);
        self.hints.extend(other.hints);
        self.feeds.extend(other.feeds);
    }
}

/// The page on which URLs were found.
#[derive(Clone, Copy)]
pub(super) struct Origin {
    pub(super) id: UrlId,
    pub(super) depth: u32,
    pub(super) now: Timestamp,
}

impl Origin {
    pub(super) fn of(page: &Page, now: Timestamp) -> Origin {
        Origin {
            id: page.pending.id,
            depth: page.pending.depth,
            now,
        }
    }
}

/// A function that returns the positions of the fingerprints that the frontier does not know.
pub(super) type Unknown<'a> = dyn Fn(&[u64]) -> Result<Vec<usize>, StoreError> + 'a;

/// Reason why a URL is not offered as one to be fetched.
pub(crate) enum Refusal {
    /// It belongs to another site.
    Foreign(OutOfScope),
    /// It is out of the scope of the crawl.
    Scope(OutOfScope),
    /// It leads into a trap.
    Trap(Trap),
    /// It stands for a form that is sent by POST.
    Post,
}

/// Explains why a URL that stands for a form is not fetched.
pub(super) const POST: &str =
    "it stands for a form that is sent by POST, and only the search itself sends one";

impl Refusal {
    /// Returns the reason that is kept with the URL.
    pub(crate) fn reason(&self) -> UrlReason {
        match self {
            Refusal::Foreign(refusal) | Refusal::Scope(refusal) => refusal.reason(),
            Refusal::Trap(trap) => trap.reason(),
            Refusal::Post => UrlReason::Post,
        }
    }
}

impl SitePolicy {
    /// Makes the policy of a site for a crawl that began at a moment, with what earlier crawls have
    /// learned.
    pub(crate) fn new(rules: &Arc<SiteRules>, url_rules: &[KeptUrlRule], began: Timestamp) -> SitePolicy {
        let settings = &rules.settings;
        SitePolicy {
            canonicaliser: canonicaliser_knowing(settings, url_rules),
            links: LinkCache::new(MAX_LINKS),
            keys: settings
                .urls
                .learn_keys
                .then(|| KeyWatch::new(KeyWatchSettings::default())),
            traps: settings
                .traps
                .enabled
                .then(|| TrapWatch::new(trap_settings(rules, began))),
            near: settings
                .traps
                .near_duplicates
                .then(|| NearDuplicates::new(MAX_TEXTS)),
            filter: None,
            order: None,
            variety: None,
            redirects: HashMap::new(),
            feeds: Vec::new(),
            rules: Arc::clone(rules),
        }
    }

    /// Follows only the links that a filter wants, lets kinds of pages take turns, and knows feeds
    /// from before.
    pub(super) fn with(
        mut self,
        filter: Option<Box<dyn LinkFilter>>,
        is_varied: bool,
        feeds: Vec<String>,
    ) -> SitePolicy {
        self.filter = filter;
        self.variety = is_varied.then(Variety::default);
        self.feeds = feeds.into_iter().filter_map(CanonicalUrl::trusted).collect();
        self
    }

    /// Orders the queue of a leased site, by what was found there in earlier runs.
    pub(super) fn order_queue(
        &mut self,
        store: &dyn CrawlStore,
        lease: &Lease,
        extractor: &dyn Extractor,
        guide: Option<&Guide>,
    ) -> Result<(), StoreError> {
        let traps = &mut self.traps;
        let mut look = |url: &CanonicalUrl, fetch: &PastFetch| {
            if let Some(traps) = traps {
                traps.learn_answer(url, Answered::of(fetch.problem.as_ref(), fetch.is_page));
                if fetch.is_page && fetch.problem.is_none() {
                    let led_to: Vec<Group> = fetch
                        .led_to
                        .iter()
                        .copied()
                        .filter_map(Group::from_number)
                        .collect();
                    let page = PastPage {
                        simhash: fetch.simhash,
                        has_objects: fetch
                            .has_failed
                            .map(|has_failed| has_failed || !fetch.records.is_empty()),
                        led_to: &led_to,
                        group: Group::from_number(fetch.form),
                    };
                    traps.restore(url, page);
                }
            }
        };
        self.order = Some(match guide {
            Some(guide) => {
                let canonicaliser = &self.canonicaliser;
                let order = GuidedOrder::open(store, lease, extractor, guide, canonicaliser, &mut look)?;
                QueueOrder::Guided(Box::new(order))
            }
            None => QueueOrder::Yield(Box::new(SiteOrder::open(store, lease, extractor, &mut look)?)),
        });
        Ok(())
    }

    /// Returns `true` if a filter decides which links are followed.
    pub(super) fn is_filtered(&self) -> bool {
        self.filter.is_some()
    }

    /// Returns `true` if all that links lead to may be fetched.
    pub(super) fn reads_whole_site(&self) -> bool {
        !self.is_filtered() && self.order.as_ref().is_none_or(QueueOrder::reads_whole_site)
    }

    /// Returns `true` if kinds of pages take turns.
    pub(super) fn is_varied(&self) -> bool {
        self.variety.is_some()
    }

    /// Returns `true` if a page is fetched unconditionally, without `If-None-Match`.
    pub(super) fn wants_whole(&self, url: &CanonicalUrl) -> bool {
        // A varied crawl asks again for pages that were read lately, to follow their links.
        self.is_varied() || self.filter.as_ref().is_some_and(|filter| filter.wants_whole(url))
    }

    /// Returns `true` if the sitemaps and feeds of the site are read.
    pub(super) fn reads_sitemaps(&self) -> bool {
        let wanted = self.filter.as_ref().is_none_or(|filter| filter.reads_sitemaps());
        let is_whole = self.order.as_ref().is_none_or(QueueOrder::reads_whole_site);
        wanted && is_whole && self.rules.settings.scope.sitemaps
    }

    /// Returns the feeds that are known.
    pub(super) fn feeds(&self) -> &[CanonicalUrl] {
        &self.feeds
    }

    /// Passes the result of a page to the filter.
    pub(super) fn fetched(&mut self, url: &CanonicalUrl, found: u64, objects: u64) {
        if let Some(filter) = &mut self.filter {
            filter.fetched(url, found, objects);
        }
    }

    /// Returns what the text of a page is wanted for.
    pub(super) fn text_wanted(&self, url: &CanonicalUrl) -> TextWanted {
        let compares_text = self.rules.settings.watch.change == ChangeChoice::Text;
        let print = self.near.is_some() || self.traps.as_ref().is_some_and(|traps| traps.watches(url));
        let text = print || compares_text || self.keys.as_ref().is_some_and(|keys| keys.watches(url));
        let is_asked = self.filter.as_ref().is_some_and(|filter| filter.is_asked(url));
        TextWanted {
            text,
            print,
            is_asked,
        }
    }

    /// Returns `true` if the guide of the crawl accepts a page with these records.
    pub(super) fn accepts(&self, extractions: &[Extraction]) -> bool {
        let records = extractions.iter().flat_map(|extraction| &extraction.records);
        let mut records = records.map(|found| &found.record);
        match &self.order {
            Some(QueueOrder::Guided(order)) => order.accepts(&mut records),
            _ => records.next().is_some(),
        }
    }

    /// Returns the URLs that a good page leads to: those that its objects name, its links, and its
    /// own canonical URL. Learns from them.
    pub(super) fn offers(
        &mut self,
        page: &Page,
        reading: &Reading,
        extractions: &[Extraction],
        unknown: &Unknown<'_>,
        now: Timestamp,
    ) -> Result<PageOffers, StoreError> {
        let from = Origin::of(page, now);
        let mut found = PageOffers::default();
        if let Some(order) = &mut self.order {
            let mut records = extractions.iter().map(|extraction| extraction.records.len());
            order.begin_page(records.any(|records| records > 0));
        }
        let mut urls = self.resolve_links(reading, unknown)?;
        found.proven = self.learn_links(&page.url, &urls);
        if !found.proven.is_empty() {
            // They have other names by now.
            urls = self.resolve_links(reading, unknown)?;
        }
        // A filtered crawl fetches known pages again, so nothing is left out for being known, and
        // nothing is learned about kinds of pages.
        if self.keep_wanted(&page.url, &mut urls, extractions) {
            self.offer_links(&urls, from, &mut found);
            return Ok(found);
        }
        keep_unknown(&mut urls, unknown)?;
        let objects: u64 = extractions
            .iter()
            .map(|extraction| extraction.records.len() as u64)
            .sum();
        if let Some(variety) = &mut self.variety {
            variety.learn(&page.url, objects);
        }
        // Before the other links of the page: these lead to pages of single objects.
        self.offer_objects(extractions, from, &mut found);
        self.offer_links(&urls, from, &mut found);
        if let Some(canonical) = &reading.canonical {
            self.offer_named(
                canonical,
                UrlSource::Canonical,
                from.depth,
                Some(from.id),
                now,
                &mut found,
            );
        }
        // A page that no vertical has read is no evidence about its kind. One that a vertical
        // failed on may have had objects.
        if !extractions.is_empty() {
            let has_failed = extractions.iter().any(|extraction| extraction.problem.is_some());
            self.learn_yield(&page.url, objects > 0 || has_failed, &found);
        }
        Ok(found)
    }

    /// Returns the URL that a redirect leads to, after a number of redirects.
    pub(super) fn offer_redirect(
        &mut self,
        page: &Page,
        target: &Url,
        hops: u32,
        now: Timestamp,
    ) -> PageOffers {
        let mut found = PageOffers::default();
        let (depth, id) = (page.pending.depth, page.pending.id);
        self.offer_named(target, UrlSource::Redirect, depth, Some(id), now, &mut found);
        if found.queued > 0
            && let Some(url) = self.canonical(target)
        {
            self.redirects.insert(url.fingerprint().0, hops);
        }
        found
    }

    /// Returns what the entries of a sitemap or feed name: URLs of the site that its filter wants,
    /// and dates of changes.
    pub(super) fn offer_entries(
        &mut self,
        by: SitemapKind,
        entries: &[SitemapEntry],
        base: &Url,
        now: Timestamp,
    ) -> PageOffers {
        let source = match by.is_feed() {
            true => HintSource::Feed,
            false => HintSource::Sitemap,
        };
        let mut found = PageOffers::default();
        for entry in entries {
            let Some(url) = base
                .join(&entry.location)
                .ok()
                .and_then(|url| self.canonical(&url))
            else {
                continue;
            };
            let filter = self.filter.as_mut();
            if filter.is_none_or(|filter| filter.wants_named(&url)) {
                self.offer_url(&url, source.into(), 1, None, now, &mut found);
            }
            if let Some(modified_at) = entry.last_modified
                && self.rules.scope.judge(&url, 1).is_ok()
            {
                found.hints.push(Hint {
                    fingerprint: url.fingerprint().0,
                    source,
                    modified_at,
                    seen_at: now,
                });
            }
        }
        found
    }

    /// Returns a queued URL under the name by which it is fetched.
    pub(super) fn offer_renamed(&mut self, page: &Page, name: &CanonicalUrl, now: Timestamp) -> PageOffers {
        let mut found = PageOffers::default();
        let (depth, id) = (page.pending.depth, page.pending.id);
        self.offer_url(name, UrlSource::Canonical, depth, Some(id), now, &mut found);
        found
    }

    /// Returns the feeds that a page names and that were not known.
    pub(super) fn offer_feeds(&mut self, page: &Page, reading: &Reading) -> Vec<CanonicalUrl> {
        // Only the first page and list pages name the feeds of the site. Other pages name feeds of
        // their own comments: one for each page, with nothing new in it.
        let is_list = self
            .filter
            .as_ref()
            .is_some_and(|filter| filter.is_list(&page.url));
        let may_follow = reading.directives.follow || !self.rules.settings.politeness.robots_tags;
        if !may_follow || !(page.is_entry() || is_list) {
            return Vec::new();
        }
        let named = reading.feeds.iter().filter_map(|feed| self.canonical(feed));
        let mut new: Vec<CanonicalUrl> = named.filter(|feed| feed.origin() == page.url.origin()).collect();
        new.retain(|feed| self.add_feed(feed));
        new
    }

    /// Adds a feed of the site. Returns `false` if it is known, or one too many.
    pub(super) fn add_feed(&mut self, feed: &CanonicalUrl) -> bool {
        let is_new = self.feeds.len() < MAX_FEEDS
            && !self.feeds.contains(feed)
            && self.rules.scope.judge(feed, 1).is_ok();
        if is_new {
            self.feeds.push(feed.clone());
        }
        is_new
    }

    /// Returns the robots tag that limits the use of a page; of two, the one about its links.
    pub(super) fn obeyed_tag(&self, reading: &Reading) -> Option<UrlReason> {
        let directives = &reading.directives;
        let tag = match (directives.follow, directives.index) {
            (false, _) => UrlReason::Nofollow,
            (true, false) => UrlReason::Noindex,
            (true, true) => return None,
        };
        // Sites keep result pages out of search engines. Pages that were asked for are read all
        // the same.
        let is_asked = self.filter.as_ref().is_some_and(|filter| {
            let page = CanonicalUrl::trusted(reading.page.url().as_str());
            page.is_some_and(|page| filter.is_asked(&page))
        });
        (self.rules.settings.politeness.robots_tags && !is_asked).then_some(tag)
    }

    /// Resolves the links of a page that may be followed. Links that were met a short while ago are
    /// left out, and so are those whose text alone is enough to see that the frontier
    /// knows them; unless there is a filter, which may want on one page what it did not want on
    /// another.
    fn resolve_links(
        &mut self,
        reading: &Reading,
        unknown: &Unknown<'_>,
    ) -> Result<Vec<CanonicalUrl>, StoreError> {
        let politeness = &self.rules.settings.politeness;
        if self.obeyed_tag(reading) == Some(UrlReason::Nofollow) {
            return Ok(Vec::new());
        }
        let links = reading.links.iter().zip(&reading.follow).zip(&reading.places);
        let mut hrefs: Vec<(&str, u64)> = links
            .filter(|((_, follow), _)| **follow || politeness.follow_nofollow)
            .map(|((link, _), place)| (link.href, *place))
            .collect();
        let base = LinkBase::new(reading.page.url().clone());
        if self.filter.is_none() {
            let (fingerprints, positions) = self.plain_links(&hrefs, &base);
            let mut is_known = vec![false; hrefs.len()];
            positions.iter().for_each(|position| is_known[*position] = true);
            for position in unknown(&fingerprints)? {
                is_known[positions[position]] = false;
            }
            if let Some(order) = self.order.as_mut().filter(|order| order.wants_known_links()) {
                let plain = fingerprints.iter().zip(&positions);
                for (fingerprint, position) in plain.filter(|(_, position)| is_known[**position]) {
                    order.note_known_link(*fingerprint, hrefs[*position].1);
                }
            }
            let mut is_known = is_known.into_iter();
            hrefs.retain(|_| !is_known.next().unwrap_or(false));
        }
        let mut urls = Vec::with_capacity(hrefs.len());
        for (href, place) in hrefs {
            if let Some(url) = self.resolve(href, &base) {
                if let Some(order) = &mut self.order {
                    order.place(&url, place);
                }
                urls.push(url);
            }
        }
        Ok(urls)
    }

    /// Returns the fingerprints of the links that need no resolving, and their positions.
    fn plain_links(&self, hrefs: &[(&str, u64)], base: &LinkBase) -> (Vec<u64>, Vec<usize>) {
        let mut scratch = String::new();
        let plain = |(position, (href, _)): (usize, &(&str, u64))| {
            let fingerprint = self.canonicaliser.plain_fingerprint(href, base, &mut scratch)?;
            Some((fingerprint.0, position))
        };
        hrefs.iter().enumerate().filter_map(plain).unzip()
    }

    fn resolve(&mut self, href: &str, base: &LinkBase) -> Option<CanonicalUrl> {
        if self.filter.is_some() {
            let canonical = self.canonicaliser.canonicalise_text(href, Some(base.url()));
            return Some(canonical.ok()?.url);
        }
        match self.links.resolve(href, base, &self.canonicaliser) {
            Ok(Resolved::New(canonical)) => Some(canonical.url),
            _ => None,
        }
    }

    /// Keeps the URLs that the filter wants from this page. Returns `false` if there is no filter.
    fn keep_wanted(
        &mut self,
        page: &CanonicalUrl,
        urls: &mut Vec<CanonicalUrl>,
        extractions: &[Extraction],
    ) -> bool {
        let Some(filter) = &mut self.filter else {
            return false;
        };
        let named: HashSet<CanonicalUrl> = object_urls(extractions)
            .filter_map(|url| Some(self.canonicaliser.canonicalise(&url).ok()?.url))
            .collect();
        urls.retain(|url| filter.wants(page, url, named.contains(url)));
        true
    }

    fn offer_links(&mut self, urls: &[CanonicalUrl], from: Origin, found: &mut PageOffers) {
        for url in urls {
            self.offer_url(
                url,
                UrlSource::Link,
                from.depth + 1,
                Some(from.id),
                from.now,
                found,
            );
        }
    }

    /// Offers the URLs that objects on a page name as theirs.
    fn offer_objects(&mut self, extractions: &[Extraction], from: Origin, found: &mut PageOffers) {
        for url in object_urls(extractions) {
            if let Some(url) = self.canonical(&url)
                && !is_file(&url)
            {
                self.offer_url(
                    &url,
                    UrlSource::Object,
                    from.depth + 1,
                    Some(from.id),
                    from.now,
                    found,
                );
            }
        }
    }

    fn offer_named(
        &mut self,
        url: &Url,
        source: UrlSource,
        depth: u32,
        found_on: Option<UrlId>,
        now: Timestamp,
        found: &mut PageOffers,
    ) {
        if let Some(url) = self.canonical(url) {
            self.offer_url(&url, source, depth, found_on, now, found);
        }
    }

    /// Offers a URL of the site, as one to be fetched or as refused with the reason.
    fn offer_url(
        &mut self,
        url: &CanonicalUrl,
        source: UrlSource,
        depth: u32,
        found_on: Option<UrlId>,
        now: Timestamp,
        found: &mut PageOffers,
    ) {
        let mut offer = Offer::queued(url.as_str(), url.fingerprint().0, depth, now);
        offer.source = source;
        offer.found_on = found_on;
        match self.judge_url(url, depth) {
            Ok(()) => {
                found.queued += 1;
                offer.priority = self.variety.as_mut().map_or(0, |variety| variety.rank(url));
                offer.form = self.order.as_mut().map_or(0, |order| order.form_of(url, source));
            }
            // Links to other sites are on every page, and would fill the store with refused URLs.
            Err(Refusal::Foreign(_)) => return,
            Err(refusal) => {
                offer.state = UrlState::Refused;
                offer.reason = Some(refusal.reason());
                offer.detail = Some(match &refusal {
                    Refusal::Foreign(reason) | Refusal::Scope(reason) => reason.to_string(),
                    Refusal::Trap(trap) => trap.to_string(),
                    Refusal::Post => POST.to_owned(),
                });
            }
        }
        found.offers.push(offer);
    }

    /// Judges a URL by the scope of the crawl and by what is known of traps.
    pub(crate) fn judge_url(&mut self, url: &CanonicalUrl, depth: u32) -> Result<(), Refusal> {
        match self.rules.scope.judge(url, depth) {
            Ok(()) => {}
            Err(
                reason @ (OutOfScope::OtherHost(_) | OutOfScope::OtherSite(_) | OutOfScope::UnlistedHost(_)),
            ) => return Err(Refusal::Foreign(reason)),
            Err(reason) => return Err(Refusal::Scope(reason)),
        }
        // A page, sitemap or redirect could name a marked URL to have a form sent, so such a URL is
        // refused even if a filter permits it.
        if PostedForm::is_marked(url.as_str()) {
            return Err(Refusal::Post);
        }
        let judged = match &self.traps {
            Some(traps) => traps.judge(url),
            // What acts is left alone without traps, too.
            None => match self.rules.settings.acts().of_url(url.path(), url.query()) {
                Some(by) => Err(Trap::Acts { by }),
                None => Ok(()),
            },
        };
        match judged {
            // Scripts of the site have their data there.
            Err(Trap::Service { name }) if self.rules.reading.rendering.uses_service(url, &name) => Ok(()),
            judged => judged.map_err(Refusal::Trap),
        }
    }

    /// Returns the canonical form of a URL, as the site has it.
    pub(crate) fn canonical(&self, url: &Url) -> Option<CanonicalUrl> {
        Some(self.canonicaliser.canonicalise(url).ok()?.url)
    }

    /// Returns `true` if a URL is another name of a page, or the same.
    pub(super) fn is_name_of(&self, url: &Url, page: &CanonicalUrl) -> bool {
        is_name(&self.canonicaliser, url, page)
    }

    /// Returns the address to ask for instead, where the redirect of a page leads to the server's
    /// own name of it.
    ///
    /// A page has one name, without parts that do not decide which page it is: sessions, tracking
    /// keys, the order of keys. A server may redirect that name to its own. It may also redirect to
    /// the same address once more, to see the cookie that it has set. The crawl asks for the
    /// server's name then, and files the answer under the name of the page.
    pub(super) fn server_alias(&self, page: &Page, target: Url, sets_cookie: bool) -> Option<CanonicalUrl> {
        if page.form.is_some() || !self.is_name_of(&target, &page.url) {
            return None;
        }
        let address = address_of(target)?;
        let asked = std::iter::once(&page.url).chain(&page.aliases);
        let asked = asked.filter(|asked| **asked == address).count();
        // After a cookie was set, the same address may answer with another page.
        let is_circle = asked > usize::from(sets_cookie);
        // A server may lead from name to name without an end, as by redirects.
        let is_enough = page.aliases.len() as u64 >= self.rules.settings.fetch.redirects;
        Some(address).filter(|_| !is_circle && !is_enough)
    }

    /// Returns the form that a queued URL stands for, if its filter permits to send it by POST.
    pub(super) fn posted(&self, url: &CanonicalUrl) -> Option<Posted> {
        self.filter.as_ref().filter(|filter| filter.may_post(url))?;
        let form = PostedForm::of_address(url.as_str())?;
        Some(Posted {
            action: CanonicalUrl::trusted(form.action)?,
            body: form.body,
        })
    }

    /// Returns the reason and its details if a queued URL is no longer fetched: it was forgotten,
    /// it acts by a word that was added since, or pages of its kind proved to be useless.
    pub(super) fn refused_since(&self, url: &CanonicalUrl) -> Option<(UrlReason, String)> {
        // URLs of navigations and queries did not pass the scope when they were found.
        if let Some(detail) = self.rules.scope.forgotten(url.as_str()) {
            return Some((UrlReason::Forgotten, detail.to_owned()));
        }
        let trap = match self.rules.settings.acts().of_url(url.path(), url.query()) {
            Some(by) => Trap::Acts { by },
            None => {
                // A URL that a filter has asked for is always fetched.
                let traps = self.traps.as_ref().filter(|_| self.filter.is_none())?;
                traps.judge_yield(url).err()?
            }
        };
        Some((trap.reason(), trap.to_string()))
    }

    /// Returns the name by which a queued URL is fetched instead, because keys in it were proven to
    /// mean nothing after it was found.
    pub(super) fn other_name(&self, url: &CanonicalUrl) -> Option<CanonicalUrl> {
        // A URL that a filter has asked for is fetched as it is.
        if self.filter.is_some() || self.canonicaliser.ignored_keys().next().is_none() {
            return None;
        }
        self.canonical(&url.to_url().ok()?).filter(|name| name != url)
    }

    /// Returns the number of redirects on the way to a URL, and forgets it.
    pub(super) fn take_redirects(&mut self, url: &CanonicalUrl) -> u32 {
        self.redirects.remove(&url.fingerprint().0).unwrap_or(0)
    }

    /// Learns from the links of a page which keys are sessions. Returns those that were proven.
    fn learn_links(&mut self, page: &CanonicalUrl, urls: &[CanonicalUrl]) -> Vec<ProvenKey> {
        let Some(keys) = &mut self.keys else {
            return Vec::new();
        };
        let proven = keys.learn_links(page, urls);
        self.ignore(proven)
    }

    /// Learns from a redirect that only changes the order of keys: the server answers to its own
    /// order alone. Returns `true` if that was not known.
    pub(super) fn learn_order(&mut self, page: &CanonicalUrl, target: &Url) -> bool {
        let mut own = self.canonicaliser.clone();
        own.learn(&UrlRule::OwnOrder);
        if !is_name(&self.canonicaliser, target, page) || is_name(&own, target, page) {
            return false;
        }
        self.canonicaliser = own;
        // The links that it remembers were resolved to names with ordered keys.
        self.links = LinkCache::new(MAX_LINKS);
        true
    }

    /// Learns from a redirect whether one host answers for another. Returns what was proven.
    pub(super) fn learn_redirect(&mut self, page: &CanonicalUrl, target: &Url) -> Vec<ProvenKey> {
        let target = self.canonical(target);
        let (Some(keys), Some(target)) = (&mut self.keys, target) else {
            return Vec::new();
        };
        let proven = keys.learn_redirect(page, &target);
        self.ignore(proven.into_iter().collect())
    }

    /// Learns from a page which keys mean nothing and which shapes of URLs lead nowhere. Returns
    /// the keys that were proven to mean nothing.
    pub(super) fn learn_page(&mut self, url: &CanonicalUrl, reading: &Reading) -> Vec<ProvenKey> {
        if let Some(keys) = &mut self.keys {
            keys.learn_answer(url);
        }
        let Some(fingerprints) = reading.fingerprints else {
            return Vec::new();
        };
        if let (Some(traps), Some(print)) = (&mut self.traps, fingerprints.print) {
            traps.learn(url, print.content);
        }
        let Some(keys) = &mut self.keys else {
            return Vec::new();
        };
        // A key is dropped only where it changes nothing at all: a page that differs in figures
        // alone is another page.
        let mut proven = keys.learn(url, fingerprints.exact);
        proven.extend(keys.learn_twin(url, reading.title.as_deref(), fingerprints.exact));
        self.ignore(proven)
    }

    /// Counts a request for a page that begins, or one that ended.
    pub(super) fn note_asked(&mut self, url: &CanonicalUrl, begins: bool) {
        if let Some(traps) = self.traps.as_mut().filter(|_| self.filter.is_none()) {
            traps.note_asked(url, begins);
        }
    }

    /// Returns `true` if the answers to requests under way decide whether a URL is asked for.
    pub(super) fn awaits_sample(&self, url: &CanonicalUrl) -> bool {
        self.traps.as_ref().is_some_and(|traps| traps.awaits_sample(url))
    }

    /// Learns from an answer which kinds of URLs are pages.
    pub(super) fn learn_answer(&mut self, url: &CanonicalUrl, answered: Answered) {
        // What a round asks for is gone at times, and was a page before.
        if let Some(traps) = self.traps.as_mut().filter(|_| self.filter.is_none()) {
            traps.learn_answer(url, answered);
        }
    }

    /// Learns what a page brought: whether it had objects, and what it led to.
    fn learn_yield(&mut self, url: &CanonicalUrl, has_objects: bool, found: &PageOffers) {
        let Some(traps) = &mut self.traps else {
            return;
        };
        let queued = found
            .offers
            .iter()
            .filter(|offer| offer.state == UrlState::Queued);
        let led_to: Vec<CanonicalUrl> = queued
            .filter_map(|offer| CanonicalUrl::trusted(offer.url.as_str()))
            .collect();
        traps.learn_yield(url, has_objects, &led_to);
    }

    /// Drops keys from now on. Returns those that were not dropped before, and may be.
    fn ignore(&mut self, mut proven: Vec<ProvenKey>) -> Vec<ProvenKey> {
        proven.retain(|proven| {
            let url_rule = UrlRule::NeedlessKey(proven.key.clone());
            self.canonicaliser.learn(&url_rule)
        });
        if !proven.is_empty() {
            // The links that it remembers were resolved when these keys still counted.
            self.links = LinkCache::new(MAX_LINKS);
        }
        proven
    }

    /// Returns a sentence about a page before that has nearly the same text.
    pub(super) fn near_duplicate(&mut self, reading: &Reading, id: UrlId) -> Option<String> {
        let print = reading.fingerprints?.print?;
        let near = self.near.as_mut()?.offer(print.simhash, id.0.cast_unsigned())?;
        Some(format!(
            "nearly the same as page {} ({} of 64 bits differ)",
            near.id, near.distance
        ))
    }
}

/// Drops the URLs that the frontier knows.
fn keep_unknown(urls: &mut Vec<CanonicalUrl>, unknown: &Unknown<'_>) -> Result<(), StoreError> {
    // On a large site these are nearly all that a page leads to, and they were judged before.
    let fingerprints: Vec<u64> = urls.iter().map(|url| url.fingerprint().0).collect();
    let unknown = unknown(&fingerprints)?;
    let (mut unknown, mut position) = (unknown.into_iter().peekable(), 0..);
    urls.retain(|_| {
        let here = position.next();
        unknown.next_if(|unknown| Some(*unknown) == here).is_some()
    });
    Ok(())
}

fn trap_settings(rules: &SiteRules, began: Timestamp) -> TrapSettings {
    let days = rules.settings.traps.calendar.as_secs() / 86_400;
    TrapSettings {
        acts: rules.settings.acts(),
        today: began.as_days(),
        future_days: i64::try_from(days).unwrap_or(i64::MAX),
        ..TrapSettings::default()
    }
}

fn is_name(canonicaliser: &Canonicaliser, url: &Url, page: &CanonicalUrl) -> bool {
    let canonical = canonicaliser.canonicalise(url);
    canonical.is_ok_and(|canonical| canonical.url == *page)
}

/// Returns the addresses among the attributes of objects.
fn object_urls(extractions: &[Extraction]) -> impl Iterator<Item = Url> + '_ {
    let objects = extractions.iter().flat_map(|extraction| &extraction.records);
    objects.flat_map(|object| urls_in(&object.record))
}

fn urls_in(record: &Record) -> Vec<Url> {
    let values = record.values.iter();
    let mut addresses: Vec<_> = values
        .filter(|value| !value.repeated && value.value.starts_with("http"))
        .collect();
    // By the names of the attributes, which is the order of a record that was stored.
    addresses.sort_by_key(|value| &value.attribute);
    let urls = addresses.into_iter().map(|value| value.value.parse());
    urls.filter_map(Result::ok).collect()
}

/// Returns the keys that an address has and the name of its page has not.
pub(super) fn added_keys(page: &CanonicalUrl, address: &CanonicalUrl) -> Vec<String> {
    let keys = |url: &CanonicalUrl| -> Vec<String> {
        let parts = url.query().into_iter().flat_map(|query| query.split('&'));
        let keys = parts.map(|part| part.split('=').next().unwrap_or_default());
        keys.map(str::to_owned).collect()
    };
    let known = keys(page);
    let mut added = keys(address);
    added.retain(|key| !known.contains(key));
    added
}

/// Returns the address to ask for at the target of a redirect.
fn address_of(mut target: Url) -> Option<CanonicalUrl> {
    // A password in it is not passed on.
    target.set_fragment(None);
    let is_bare = target.set_username("").is_ok() && target.set_password(None).is_ok();
    is_bare.then(|| CanonicalUrl::trusted(String::from(target)))?
}
