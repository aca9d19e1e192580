//! The cookies of a site: those that a person gives for it, and those that it has set, which
//! outlive the run.

use std::collections::BTreeMap;

use magpie_rows::Cookie as Row;
use magpie_values::Timestamp;
use magpie_web::Cookie;

use crate::Source;
use crate::settings::Settings;

/// The cookies of a site as they were recorded last.
pub(super) struct SiteCookies {
    /// The host of the site, or its domain.
    home: String,
    recorded: Vec<Row>,
}

impl SiteCookies {
    /// Gives the client of a site the cookies of earlier runs, and those of the settings, which
    /// replace them.
    pub(super) fn import(
        home: &str,
        known: Vec<Row>,
        source: &Source,
        settings: &Settings,
        now: Timestamp,
    ) -> SiteCookies {
        if let Source::Web(clients) = source {
            let before = known.into_iter().map(|row| cookie(row, now));
            clients
                .for_host(home)
                .import_cookies(before.chain(given(settings, home, now)));
        }
        SiteCookies {
            home: home.to_owned(),
            recorded: Vec::new(),
        }
    }

    /// Returns the cookies of the site if they have changed since they were recorded.
    pub(super) fn changed(&mut self, source: &Source) -> Option<Vec<Row>> {
        let Source::Web(clients) = source else {
            return None;
        };
        let jar = clients.for_host(&self.home).cookies();
        // Cookies without an end are for this run: a site's own sessions, and those of the
        // settings.
        let own = jar
            .into_iter()
            .filter(|cookie| cookie.expires.is_some() && is_of(&self.home, &cookie.domain));
        let rows: Vec<Row> = own.map(row).collect();
        if rows == self.recorded {
            return None;
        }
        self.recorded.clone_from(&rows);
        Some(rows)
    }
}

/// Returns `true` if a cookie's domain belongs to a site: one of them lies in the other.
fn is_of(home: &str, domain: &str) -> bool {
    let lies_in = |inner: &str, outer: &str| {
        inner
            .strip_suffix(outer)
            .is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
    };
    lies_in(home, domain) || lies_in(domain, home)
}

fn given(settings: &Settings, host: &str, now: Timestamp) -> Vec<Cookie> {
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

fn cookie(row: Row, now: Timestamp) -> Cookie {
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
