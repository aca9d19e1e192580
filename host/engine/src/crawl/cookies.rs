//! The cookies of sites: those a person gives for one, and those a site has set, which outlive the run.

use std::collections::BTreeMap;

use magpie_model::CanonicalUrl;
use magpie_store::Cookie as Row;
use magpie_web::Cookie;

use super::site::Site;
use super::{Crawl, CrawlError};
use crate::Source;
use crate::settings::Settings;

impl Crawl<'_> {
    /// Takes up the cookies of earlier runs, and those of the settings, which count more.
    pub(super) fn take_up_cookies(&self, site: &Site, home: &CanonicalUrl) -> Result<(), CrawlError> {
        let Source::Web(clients) = self.means.source.as_ref() else {
            return Ok(());
        };
        let now = self.now();
        let rows = self.means.frontier.cookies(&site.lease)?;
        let before = rows.into_iter().map(|row| cookie(row, now));
        let given = given(&site.rules.settings, home.host(), now);
        clients.for_host(home.host()).import_cookies(before.chain(given));
        Ok(())
    }

    /// Writes the cookies of a site down, where they changed.
    pub(super) fn keep_cookies(&mut self, index: usize) -> Result<(), CrawlError> {
        let Source::Web(clients) = self.means.source.as_ref() else {
            return Ok(());
        };
        let site = &mut self.sites[index];
        let jar = clients.for_host(&site.home).cookies();
        // Those without an end are for this run: a site's own sessions, and what the settings give.
        let own = jar
            .into_iter()
            .filter(|cookie| cookie.expires.is_some() && is_of(&site.home, &cookie.domain));
        let rows: Vec<Row> = own.map(row).collect();
        if rows != site.cookies {
            self.means.frontier.keep_cookies(&site.lease, rows.clone())?;
            site.cookies = rows;
        }
        Ok(())
    }
}

/// Whether a cookie's domain belongs to a site: one of them lies in the other.
fn is_of(home: &str, domain: &str) -> bool {
    let lies_in = |inner: &str, outer: &str| {
        inner
            .strip_suffix(outer)
            .is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
    };
    lies_in(home, domain) || lies_in(domain, home)
}

fn given(settings: &Settings, host: &str, now: i64) -> Vec<Cookie> {
    let cookies: &BTreeMap<String, String> = &settings.access.cookies;
    let cookie = |(name, value): (&String, &String)| Cookie {
        name: name.clone(),
        value: value.clone(),
        domain: host.to_owned(),
        host_only: false,
        path: "/".to_owned(),
        secure: false,
        expires: None,
        created: now,
    };
    cookies.iter().map(cookie).collect()
}

fn cookie(row: Row, now: i64) -> Cookie {
    Cookie {
        name: row.name,
        value: row.value,
        domain: row.domain,
        host_only: row.host_only,
        path: row.path,
        secure: row.secure,
        expires: row.expires_at,
        created: now,
    }
}

fn row(cookie: Cookie) -> Row {
    Row {
        domain: cookie.domain,
        path: cookie.path,
        name: cookie.name,
        value: cookie.value,
        host_only: cookie.host_only,
        secure: cookie.secure,
        expires_at: cookie.expires,
    }
}

#[cfg(test)]
mod tests {
    use super::is_of;

    #[test]
    fn a_cookie_belongs_to_the_site_it_is_sent_to() {
        for (home, domain, own) in [
            ("a.test", "a.test", true),
            ("a.test", "www.a.test", true),
            ("www.a.test", "a.test", true),
            ("a.test", "b.test", false),
            ("a.test", "ba.test", false),
        ] {
            assert_eq!(is_of(home, domain), own, "{home} {domain}");
        }
    }
}
