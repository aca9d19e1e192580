//! One site, as a crawl sees it: its lease, its rules, and what was learned of it.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use magpie_discovery::{
    Canonicaliser, KeyWatch, KeyWatchSettings, LinkBase, LinkCache, NearDuplicates, OutOfScope, ProvenKey,
    Resolved, Trap, TrapWatch, UrlLesson, Variety, is_file,
};
use magpie_model::{CanonicalUrl, HostKey, Record};
use magpie_store::{
    Extraction, Frontier, Hint, HintSource, KeptLesson, Lease, Offer, Pending, StoreError, UrlId, UrlSource,
    UrlState,
};

use super::Guide;
use super::order::SiteOrder;
use super::reading::{Reading, TextWanted};
use super::rules::Rules;
use crate::canonicaliser_knowing;
use crate::settings::ChangeChoice;

/// Links remembered per site, so that the fifty that stand on every page cost nothing. Eight to sixteen bytes each.
const LINK_CACHE: usize = 1 << 16;

/// Texts remembered per site to find near duplicates among.
const NEAR_DUPLICATES: usize = 1 << 16;

/// A site that is worked on.
pub(super) struct Site {
    pub(super) lease: Lease,
    /// Its hosts, by their places among all.
    pub(super) hosts: HashMap<HostKey, usize>,
    /// The name of its host, or of its domain.
    pub(super) home: String,
    /// Its feeds, as far as they are known.
    pub(super) feeds: Vec<CanonicalUrl>,
    /// Its cookies, as they were written down last.
    pub(super) cookies: Vec<magpie_store::Cookie>,
    pub(super) rules: Arc<Rules>,
    /// It is asked over plain `http`, as far as is known.
    pub(super) is_plain: bool,
    canonicaliser: Canonicaliser,
    links: LinkCache,
    /// Its server wants more of URLs than pages are named by, and that was told.
    pub(super) insists: bool,
    keys: Option<KeyWatch>,
    traps: Option<TrapWatch>,
    near: Option<NearDuplicates>,
    /// Says which links are followed, where not all are.
    pub(super) guide: Option<Box<dyn Guide>>,
    /// Orders the queue, where objects are looked for and no guide says what is fetched.
    pub(super) order: Option<SiteOrder>,
    /// Ranks what is found, where not all of it will be fetched.
    pub(super) variety: Option<Variety>,
    /// Redirects on the way to a URL, while it is queued.
    redirects: HashMap<u64, u32>,
    /// Pages that are being fetched.
    pub(super) under_way: u64,
    /// Taken from the frontier and not settled.
    pub(super) taken: usize,
    /// Nothing is to be had from the frontier before.
    pub(super) empty_until: Option<i64>,
    /// The frontier has nothing left.
    pub(super) exhausted: bool,
    /// Nothing is fetched any more, and why.
    pub(super) closed: Option<String>,
    /// First pages that are asked for when those that were named can't be reached.
    pub(super) otherwise: Vec<CanonicalUrl>,
    pub(super) pages: u64,
    pub(super) bytes: u64,
}

/// What is worth offering of a page's links.
#[derive(Default)]
pub(super) struct Found {
    pub(super) offers: Vec<Offer>,
    /// How many of them are to be fetched.
    pub(super) queued: u64,
}

/// Where links were found.
#[derive(Clone, Copy)]
pub(super) struct Origin {
    pub(super) id: UrlId,
    pub(super) depth: u32,
    pub(super) now: i64,
}

impl Site {
    pub(super) fn new(
        lease: Lease,
        home: String,
        rules: Arc<Rules>,
        traps: Option<TrapWatch>,
        lessons: &[KeptLesson],
    ) -> Site {
        let settings = &rules.settings;
        Site {
            canonicaliser: canonicaliser_knowing(settings, lessons),
            links: LinkCache::new(LINK_CACHE),
            insists: false,
            keys: settings
                .urls
                .learn_keys
                .then(|| KeyWatch::new(KeyWatchSettings::default())),
            near: settings
                .traps
                .near_duplicates
                .then(|| NearDuplicates::new(NEAR_DUPLICATES)),
            traps,
            guide: None,
            order: None,
            variety: None,
            redirects: HashMap::new(),
            under_way: 0,
            taken: 0,
            empty_until: None,
            exhausted: false,
            closed: None,
            otherwise: Vec::new(),
            pages: 0,
            bytes: 0,
            lease,
            hosts: HashMap::new(),
            home,
            feeds: Vec::new(),
            cookies: Vec::new(),
            rules,
            is_plain: false,
        }
    }

    /// The URLs that the links of a page lead to. Those that were met a short while ago are left out, and so are those that are plain enough
    /// to tell by their letters that the frontier knows them; unless a guide chooses: a link may be unwanted on one page and wanted on
    /// another.
    pub(super) fn led_to(
        &mut self,
        reading: &Reading,
        frontier: &dyn Frontier,
    ) -> Result<Vec<CanonicalUrl>, StoreError> {
        let politeness = &self.rules.settings.politeness;
        if politeness.robots_tags && !reading.directives.follow {
            return Ok(Vec::new());
        }
        let links = reading.links.iter().zip(&reading.follow).zip(&reading.places);
        let mut hrefs: Vec<(&str, u64)> = links
            .filter(|((_, follow), _)| **follow || politeness.follow_nofollow)
            .map(|((link, _), place)| (link.href, *place))
            .collect();
        let base = LinkBase::new(reading.page.url().clone());
        if self.guide.is_none() {
            let (numbers, places) = self.plain_links(&hrefs, &base);
            let unknown = frontier.unknown(&self.lease, &numbers)?;
            let mut is_known = vec![false; hrefs.len()];
            places.iter().for_each(|place| is_known[*place] = true);
            unknown.iter().for_each(|place| is_known[places[*place]] = false);
            let mut is_known = is_known.into_iter();
            hrefs.retain(|_| !is_known.next().unwrap_or(false));
        }
        if let Some(order) = &mut self.order {
            order.forget_places();
        }
        let mut urls = Vec::with_capacity(hrefs.len());
        for (href, place) in hrefs {
            if let Some(url) = self.url_of(href, &base) {
                if let Some(order) = &mut self.order {
                    order.place(&url, place);
                }
                urls.push(url);
            }
        }
        Ok(urls)
    }

    /// The numbers of the links that are plain, and their places.
    fn plain_links(&self, hrefs: &[(&str, u64)], base: &LinkBase) -> (Vec<u64>, Vec<usize>) {
        let mut scratch = String::new();
        let number = |(place, (href, _)): (usize, &(&str, u64))| {
            let fingerprint = self.canonicaliser.plain_fingerprint(href, base, &mut scratch)?;
            Some((fingerprint.0, place))
        };
        hrefs.iter().enumerate().filter_map(number).unzip()
    }

    /// Learns from the links of a page which keys are sessions. Those that were proven to be.
    pub(super) fn learn_links(&mut self, page: &CanonicalUrl, urls: &[CanonicalUrl]) -> Vec<ProvenKey> {
        let Some(keys) = &mut self.keys else {
            return Vec::new();
        };
        let proven = keys.learn_links(page, urls);
        self.ignore(proven)
    }

    /// Learns from a redirect to the same URL with its keys in another order that the server answers to its own order alone. Whether that
    /// is news.
    pub(super) fn learn_order(&mut self, page: &CanonicalUrl, target: &url::Url) -> bool {
        let mut own = self.canonicaliser.clone();
        own.learn(&UrlLesson::OwnOrder);
        if !is_name(&self.canonicaliser, target, page) || is_name(&own, target, page) {
            return false;
        }
        self.canonicaliser = own;
        self.links = LinkCache::new(LINK_CACHE);
        true
    }

    /// Learns from a redirect whether a host answers for another. What was proven thereby.
    pub(super) fn learn_redirect(&mut self, page: &CanonicalUrl, target: &url::Url) -> Vec<ProvenKey> {
        let canonical = self.canonicaliser.canonicalise(target);
        let (Some(keys), Ok(canonical)) = (&mut self.keys, canonical) else {
            return Vec::new();
        };
        let proven = keys.learn_redirect(page, &canonical.url);
        self.ignore(proven.into_iter().collect())
    }

    /// Whether a URL is another spelling of a page's, or the same.
    pub(super) fn is_name_of(&self, url: &url::Url, page: &CanonicalUrl) -> bool {
        is_name(&self.canonicaliser, url, page)
    }

    /// Drops keys from now on. Those that were not dropped before, and may be.
    fn ignore(&mut self, mut proven: Vec<ProvenKey>) -> Vec<ProvenKey> {
        proven.retain(|proven| {
            let lesson = UrlLesson::NeedlessKey(proven.key.clone());
            self.canonicaliser.learn(&lesson)
        });
        if !proven.is_empty() {
            // What the links remember was made when these keys still counted.
            self.links = LinkCache::new(LINK_CACHE);
        }
        proven
    }

    /// What is worth offering of the URLs that the links of a page lead to.
    pub(super) fn follow(&mut self, urls: &[CanonicalUrl], from: Origin) -> Found {
        let mut found = Found::default();
        for url in urls {
            self.judge(
                url,
                UrlSource::Link,
                from.depth + 1,
                Some(from.id),
                from.now,
                &mut found,
            );
        }
        found
    }

    /// Offers the URLs that objects on a page name as theirs, before its other links: they lead to
    /// pages of single objects.
    pub(super) fn follow_objects(&mut self, extractions: &[Extraction], from: Origin) -> Found {
        let mut found = Found::default();
        let objects = extractions.iter().flat_map(|extraction| &extraction.objects);
        for url in objects.flat_map(|object| urls_in(&object.record)) {
            if let Ok(canonical) = self.canonicaliser.canonicalise(&url)
                && !is_file(&canonical.url)
            {
                let depth = from.depth + 1;
                self.judge(
                    &canonical.url,
                    UrlSource::Object,
                    depth,
                    Some(from.id),
                    from.now,
                    &mut found,
                );
            }
        }
        found
    }

    fn url_of(&mut self, href: &str, base: &LinkBase) -> Option<CanonicalUrl> {
        if self.guide.is_some() {
            let canonical = self.canonicaliser.canonicalise_text(href, Some(base.url()));
            return Some(canonical.ok()?.url);
        }
        match self.links.resolve(href, base, &self.canonicaliser) {
            Ok(Resolved::New(canonical)) => Some(canonical.url),
            _ => None,
        }
    }

    /// Keeps the URLs that the site's guide wants from this page, with these objects on it. Whether there is a guide.
    pub(super) fn keep_wanted(
        &mut self,
        page: &CanonicalUrl,
        urls: &mut Vec<CanonicalUrl>,
        extractions: &[Extraction],
    ) -> bool {
        let Some(guide) = &mut self.guide else {
            return false;
        };
        let objects = extractions.iter().flat_map(|extraction| &extraction.objects);
        let named: HashSet<CanonicalUrl> = objects
            .flat_map(|object| urls_in(&object.record))
            .filter_map(|url| Some(self.canonicaliser.canonicalise(&url).ok()?.url))
            .collect();
        urls.retain(|url| guide.wants(page, url, named.contains(url)));
        true
    }

    /// A URL under the name by which it is fetched, to be offered.
    pub(super) fn rename(&mut self, pending: &Pending, name: &CanonicalUrl, now: i64) -> Found {
        let mut found = Found::default();
        self.judge(
            name,
            UrlSource::Canonical,
            pending.depth,
            Some(pending.id),
            now,
            &mut found,
        );
        found
    }

    /// A URL that was found in another way than by a link on a page.
    pub(super) fn consider(
        &mut self,
        url: &url::Url,
        source: UrlSource,
        depth: u32,
        found_on: Option<UrlId>,
        now: i64,
    ) -> Found {
        let mut found = Found::default();
        if let Ok(canonical) = self.canonicaliser.canonicalise(url) {
            self.judge(&canonical.url, source, depth, found_on, now, &mut found);
        }
        found
    }

    /// The canonical form of a URL, as the site has it.
    pub(super) fn canonical(&self, url: &url::Url) -> Option<CanonicalUrl> {
        Some(self.canonicaliser.canonicalise(url).ok()?.url)
    }

    /// Whether its sitemaps and feeds are read.
    pub(super) fn reads_sitemaps(&self) -> bool {
        let guided = self.guide.as_ref().is_none_or(|guide| guide.reads_sitemaps());
        guided && self.rules.settings.scope.sitemaps
    }

    /// A URL that a sitemap or feed names: one of the site's, and one that its guide wants.
    pub(super) fn named(&mut self, url: &url::Url, source: HintSource, now: i64) -> Found {
        if let Some(guide) = &mut self.guide {
            let canonical = self.canonicaliser.canonicalise(url);
            if !canonical.is_ok_and(|canonical| guide.wants_named(&canonical.url)) {
                return Found::default();
            }
        }
        self.consider(url, source.into(), 1, None, now)
    }

    /// What a sitemap or feed says of a URL, if it is one of the site and something is said.
    pub(super) fn hint(
        &self,
        url: &url::Url,
        source: HintSource,
        last_modified: Option<i64>,
        now: i64,
    ) -> Option<Hint> {
        let modified_at = last_modified?.checked_mul(1_000)?;
        let canonical = self.canonicaliser.canonicalise(url).ok()?;
        self.rules.scope.judge(&canonical.url, 1).ok()?;
        Some(Hint {
            fingerprint: canonical.url.fingerprint().0,
            source,
            modified_at,
            seen_at: now,
        })
    }

    /// How often it was redirected to get to a URL.
    pub(super) fn redirects_before(&mut self, fingerprint: u64) -> u32 {
        self.redirects.remove(&fingerprint).unwrap_or(0)
    }

    /// Remembers that a URL is a further step of a chain of redirects.
    pub(super) fn redirected(&mut self, url: &url::Url, hops: u32) {
        if let Ok(canonical) = self.canonicaliser.canonicalise(url) {
            self.redirects.insert(canonical.url.fingerprint().0, hops);
        }
    }

    /// What the text of a page is wanted for.
    pub(super) fn text_wanted(&self, url: &CanonicalUrl) -> TextWanted {
        let told_by_text = self.rules.settings.watch.change == ChangeChoice::Text;
        let print = self.near.is_some() || self.traps.as_ref().is_some_and(|traps| traps.watches(url));
        let text = print || told_by_text || self.keys.as_ref().is_some_and(|keys| keys.watches(url));
        TextWanted { text, print }
    }

    /// Learns from a page which keys mean nothing and which shapes lead nowhere. The keys that were proven to mean nothing.
    pub(super) fn learn(&mut self, url: &CanonicalUrl, reading: &Reading) -> Vec<ProvenKey> {
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
        // A key is dropped only where it changes nothing at all: what differs in figures alone is another page.
        let mut proven = keys.learn(url, fingerprints.exact);
        proven.extend(keys.learn_twin(url, reading.title.as_deref(), fingerprints.exact));
        self.ignore(proven)
    }

    /// Learns what a page brought: whether it had objects, and what it led to.
    pub(super) fn learn_yield(&mut self, url: &CanonicalUrl, has_objects: bool, found: &Found) {
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

    /// Why a queued URL is not fetched after all: pages of its kind proved to be in vain after it was met. What a guide has asked for is.
    pub(super) fn in_vain(&self, url: &CanonicalUrl) -> Option<Trap> {
        let traps = self.traps.as_ref().filter(|_| self.guide.is_none())?;
        traps.judge_yield(url).err()
    }

    /// The name by which a queued URL is fetched instead, since keys in it were proven to change nothing after it was met. What a
    /// guide has asked for is fetched as it is.
    pub(super) fn other_name(&self, url: &CanonicalUrl) -> Option<CanonicalUrl> {
        if self.guide.is_some() || self.canonicaliser.ignored_keys().next().is_none() {
            return None;
        }
        let canonical = self.canonicaliser.canonicalise(&url.to_url().ok()?).ok()?;
        Some(canonical.url).filter(|name| name != url)
    }

    /// A page before whose text is nearly the same.
    pub(super) fn near_duplicate(&mut self, reading: &Reading, id: UrlId) -> Option<String> {
        let fingerprints = reading.fingerprints?;
        let near = self
            .near
            .as_mut()?
            .offer(fingerprints.print?.simhash, id.0.cast_unsigned())?;
        Some(format!(
            "nearly the same as page {} ({} of 64 bits differ)",
            near.id, near.distance
        ))
    }

    fn judge(
        &mut self,
        url: &CanonicalUrl,
        source: UrlSource,
        depth: u32,
        found_on: Option<UrlId>,
        now: i64,
        found: &mut Found,
    ) {
        let refusal = match self.rules.scope.judge(url, depth) {
            // What belongs to somebody else is no URL of this site, refused or not.
            Err(OutOfScope::OtherHost(_) | OutOfScope::OtherSite(_) | OutOfScope::UnlistedHost(_)) => return,
            Err(refusal) => Some((refusal.reason(), refusal.to_string())),
            Ok(()) => self.traps.as_mut().and_then(|traps| {
                let trap = traps.judge(url).err()?;
                Some((trap.reason(), trap.to_string()))
            }),
        };
        let fingerprint = url.fingerprint().0;
        let mut offer = Offer::queued(url.as_str(), fingerprint, depth, now);
        offer.source = source;
        offer.found_on = found_on;
        match refusal {
            None => {
                found.queued += 1;
                offer.priority = self.variety.as_mut().map_or(0, |variety| variety.rank(url));
                offer.form = self.order.as_mut().map_or(0, |order| order.form_of(url, source));
            }
            Some((reason, detail)) => {
                offer.state = UrlState::Refused;
                offer.reason = Some(reason);
                offer.detail = Some(detail);
            }
        }
        found.offers.push(offer);
    }
}

fn is_name(canonicaliser: &Canonicaliser, url: &url::Url, page: &CanonicalUrl) -> bool {
    let canonical = canonicaliser.canonicalise(url);
    canonical.is_ok_and(|canonical| canonical.url == *page)
}

/// Returns the addresses among the attributes of an object that have one value, by the names of the
/// attributes: the order is the same for a record that was stored.
fn urls_in(record: &Record) -> Vec<url::Url> {
    let values = record.values.iter();
    let mut addresses: Vec<_> = values
        .filter(|value| !value.repeated && value.value.starts_with("http"))
        .collect();
    addresses.sort_by_key(|value| &value.attribute);
    let urls = addresses.into_iter().map(|value| value.value.parse());
    urls.filter_map(Result::ok).collect()
}
