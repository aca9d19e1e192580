//! Feeds: which of those that pages name are a site's own, and what they say.
//!
//! They are read as sitemaps are, and as often: on a first crawl when they are found, and from then on with the robots file.

use magpie_discovery::sitemap::{self, SitemapEntry, SitemapKind, SitemapLimits, WalkLimits, is_feed};
use magpie_model::CanonicalUrl;
use magpie_store::{Hint, HintSource};
use url::Url;

use super::Crawl;
use super::fetch::Answer;
use super::host::{Host, Page, Permission};
use super::reading::Reading;
use super::site::{Found, Site};

/// Feeds read of one site: a magazine has one for each section.
const FEEDS: usize = 16;

/// What a sitemap or feed says of a site's URLs.
#[derive(Default)]
pub(super) struct Said {
    pub(super) found: Found,
    pub(super) hints: Vec<Hint>,
}

impl Crawl<'_> {
    /// Takes up the feeds that a page names, or that it is. Those that are new.
    pub(super) fn take_up_feeds(
        &mut self,
        index: usize,
        page: &Page,
        answer: &Answer,
        now: i64,
    ) -> Vec<String> {
        let Some(reading) = &answer.reading else {
            return Vec::new();
        };
        let host = &mut self.hosts[index];
        let site = &mut self.sites[host.site];
        if is_feed_answer(answer) {
            // Linked from the first page, as most sites do.
            let is_own = page.pending.depth <= 1 && site.guide.is_none();
            let new = is_own && site.take_up_feed(&page.url);
            return new.then(|| page.url.as_str().to_owned()).into_iter().collect();
        }
        let new = site.named_feeds(page, reading);
        if site.guide.is_none() && site.rules.settings.scope.sitemaps {
            new.iter().for_each(|feed| host.prepare_feed(feed, now));
        }
        new.iter().map(|feed| feed.as_str().to_owned()).collect()
    }

    /// What a page says that turns out to be a feed.
    pub(super) fn said_by_feed(&mut self, site: usize, answer: &Answer, now: i64) -> Said {
        let site = &mut self.sites[site];
        if !is_feed_answer(answer) || !site.rules.settings.scope.sitemaps {
            return Said::default();
        }
        let read = sitemap::read(answer.exchange.body(), &SitemapLimits::default());
        match read.kind.is_feed() {
            true => site.said(read.kind, &read.entries, &answer.exchange.url, now),
            false => Said::default(),
        }
    }
}

impl Site {
    /// What entries of a sitemap or feed say.
    pub(super) fn said(&mut self, by: SitemapKind, entries: &[SitemapEntry], base: &Url, now: i64) -> Said {
        let source = match by.is_feed() {
            true => HintSource::Feed,
            false => HintSource::Sitemap,
        };
        let mut said = Said::default();
        for entry in entries {
            let Ok(url) = base.join(&entry.location) else {
                continue;
            };
            let found = self.named(&url, source, now);
            said.found.queued += found.queued;
            said.found.offers.extend(found.offers);
            said.hints
                .extend(self.hint(&url, source, entry.last_modified, now));
        }
        said
    }

    /// The feeds that a page names and that were not known.
    ///
    /// Only the first page and lists speak for the site, the latter where it is known what is one. Other pages name feeds of
    /// their own, of the comments below them: one for each page, with nothing new in it.
    fn named_feeds(&mut self, page: &Page, reading: &Reading) -> Vec<CanonicalUrl> {
        let is_first = page.pending.depth == 0 || page.url.path_and_query() == "/";
        let is_list = || self.guide.as_ref().is_some_and(|guide| guide.is_list(&page.url));
        let may_follow = reading.directives.follow || !self.rules.settings.politeness.robots_tags;
        if !may_follow || !(is_first || is_list()) {
            return Vec::new();
        }
        let mut new = Vec::new();
        for feed in &reading.feeds {
            if let Some(feed) = self.canonical(feed)
                && feed.origin() == page.url.origin()
                && self.take_up_feed(&feed)
            {
                new.push(feed);
            }
        }
        new
    }

    /// Whether a feed is one of the site's that was not known, and not one too many.
    fn take_up_feed(&mut self, feed: &CanonicalUrl) -> bool {
        let is_new =
            self.feeds.len() < FEEDS && !self.feeds.contains(feed) && self.rules.scope.judge(feed, 1).is_ok();
        if is_new {
            self.feeds.push(feed.clone());
        }
        is_new
    }
}

impl Host {
    /// Lets a feed be read before its pages, if the robots file allows it.
    pub(super) fn prepare_feed(&mut self, feed: &CanonicalUrl, now: i64) {
        if let (Permission::Allowed, Ok(url)) = (self.permission(feed, now), feed.to_url()) {
            // No index of sitemaps is expected there, and none is followed.
            let level = WalkLimits::default().max_levels - 1;
            self.prepare_sitemap(url, level);
        }
    }
}

fn is_feed_answer(answer: &Answer) -> bool {
    answer.exchange.status == 200
        && answer.exchange.truncated.is_none()
        && answer
            .exchange
            .media_type()
            .is_some_and(|written| is_feed(&written))
}
