//! Servers that insist on their own spelling of a page's address.
//!
//! A page has one name, without what does not decide which page it is: sessions, tracking keys, the order of keys. A server may insist
//! on some of that and redirect the name to its own spelling of it, or send the reader to the same address once more, to see the cookie come
//! back that it has set. Then it is asked as it wishes, and its answer is filed under the page's name.

use magpie_model::CanonicalUrl;
use magpie_store::HandIn;
use magpie_web::Exchange;

use super::event::{Event, PageEvent};
use super::fetch::Answer;
use super::host::Page;
use super::record::row;
use super::{Crawl, CrawlError};

impl Crawl<'_> {
    /// The address to ask for instead, where an answer sends the reader to another spelling of the same page.
    pub(super) fn insisted_on(
        &mut self,
        site: usize,
        page: &Page,
        exchange: &Exchange,
        now: i64,
    ) -> Result<Option<CanonicalUrl>, CrawlError> {
        let Some(Ok(target)) = exchange.redirect_target() else {
            return Ok(None);
        };
        if self.sites[site].learn_order(&page.url, &target) {
            self.keep_order(site, &page.url, now)?;
        }
        let proven = self.sites[site].learn_redirect(&page.url, &target);
        if !proven.is_empty() {
            self.keep_proven(site, &proven, now)?;
        }
        if !self.sites[site].is_name_of(&target, &page.url) {
            return Ok(None);
        }
        let Some(address) = address_of(target) else {
            return Ok(None);
        };
        let asked = std::iter::once(&page.url).chain(&page.spellings);
        let asked = asked.filter(|asked| **asked == address).count();
        // Where a cookie was set the same address may be another page.
        let is_circle = asked > usize::from(exchange.header("set-cookie").is_some());
        let most = self.sites[site].rules.settings.fetch.redirects;
        let is_enough = page.spellings.len() as u64 >= most;
        Ok(Some(address).filter(|_| !is_circle && !is_enough))
    }

    /// Asks for a page again, at another address. That there was a redirect is written down.
    pub(super) fn ask_at(
        &mut self,
        host: usize,
        page: &Page,
        address: CanonicalUrl,
        answer: &Answer,
    ) -> Result<(), CrawlError> {
        let site = self.hosts[host].site;
        let exchange = &answer.exchange;
        let mut row = row(exchange, None, self.means.keep);
        row.run = self.means.run;
        let event = PageEvent {
            url: page.pending.url.clone(),
            status: Some(exchange.status),
            bytes: row.bytes,
            took: exchange.timings.total(),
            found: 0,
            objects: 0,
            failures: Vec::new(),
            problem: None,
        };
        self.count_page(site, exchange, &event);
        let hand_in = HandIn {
            page: Some(row),
            ..HandIn::default()
        };
        self.means.frontier.hand_in(&self.sites[site].lease, hand_in)?;
        (self.watcher)(Event::Page(event), &self.progress);
        self.tell_of_spelling(site, &page.url, &address);
        let mut page = page.clone();
        page.spellings.push(address);
        self.sites[site].taken += 1;
        self.hosts[host].push_first(page);
        Ok(())
    }

    /// Tells, once for a site, why pages of it take two requests.
    fn tell_of_spelling(&mut self, site: usize, page: &CanonicalUrl, address: &CanonicalUrl) {
        let keys = added_keys(page, address);
        if keys.is_empty() || std::mem::replace(&mut self.sites[site].insists, true) {
            return;
        }
        let keys = keys.iter().map(|key| format!("`{key}`")).collect::<Vec<_>>();
        let notice = Event::Notice {
            site: Some(self.sites[site].lease.key.clone()),
            text: format!(
                "its server insists on {} in URLs, which no page is named by: such a page takes two requests",
                keys.join(", ")
            ),
        };
        (self.watcher)(notice, &self.progress);
    }
}

/// The keys that an address has and a page's name has not.
fn added_keys(page: &CanonicalUrl, address: &CanonicalUrl) -> Vec<String> {
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

/// What is asked for at a target. A password that it gives away is not passed on, as with all redirects.
fn address_of(mut target: url::Url) -> Option<CanonicalUrl> {
    target.set_fragment(None);
    let is_bare = target.set_username("").is_ok() && target.set_password(None).is_ok();
    is_bare.then(|| CanonicalUrl::trusted(String::from(target)))?
}
