//! Facts about sites and hosts, beside URLs and pages.

use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use magpie_model::Record;
use magpie_rows::{
    Cookie, Host, KeptUrlRule, KnownSite, Lease, Link, LinkList, PageId, PastFetch, PastLinks, Robots,
    SiteFacts, SiteId, SiteMemory, StoreError, UrlState, origin, with_origin,
};

use crate::numbers::{bucket_of, rows_of};
use crate::server::{Call, call};
use crate::statement::Statement;
use crate::statements::{
    COOKIES, DROP_COOKIES, FEEDS, HOST, LINKS, PAST_ANSWERS, PAST_JUDGEMENTS, PAST_RECORDS, PAST_URLS,
    PUT_COOKIES, PUT_URL_RULES, SITE_BY_KEY, SITES_WITH_URL_RULES, URL_RULES,
};
use crate::store::Store;
use crate::value::Value;
use crate::value::columns;

impl SiteFacts for Store {
    fn site_named(&self, key: &str) -> Result<Option<SiteId>, StoreError> {
        let bucket = self.bucket_of_key(key);
        let found = self.query(call(&SITE_BY_KEY, [bucket.into(), key.into()]), |cells| {
            cells.get()
        })?;
        Ok(found.first().copied().map(SiteId))
    }

    fn host(&self, origin: &str) -> Result<Option<Host>, StoreError> {
        let bucket = self.bucket_of_key(origin);
        let found = self.query(call(&HOST, [bucket.into(), origin.into()]), |cells| {
            Ok(Host {
                origin: cells.get()?,
                next_ok_at: cells.time()?,
                delay: Duration::from_millis(cells.get::<i64>()?.unsigned_abs()),
                failures: cells.small()?,
                robots: match cells.optional_time()? {
                    None => None,
                    Some(fetched_at) => Some(Robots {
                        fetched_at,
                        status: cells.optional_small()?,
                        outcome: cells.word()?,
                        text: cells.get()?,
                    }),
                },
            })
        })?;
        Ok(found.into_iter().next())
    }

    fn url_rules(&self, site: &str) -> Result<Vec<KeptUrlRule>, StoreError> {
        let bucket = self.bucket_of_key(site);
        self.query(call(&URL_RULES, [bucket.into(), site.into()]), |cells| {
            Ok(KeptUrlRule {
                url_rule: cells.get()?,
                key: cells.get()?,
                evidence: cells.get()?,
                learned_at: cells.time()?,
            })
        })
    }

    fn sites_with_url_rules(&self) -> Result<Vec<(SiteId, String)>, StoreError> {
        self.query(call(&SITES_WITH_URL_RULES, []), |cells| {
            Ok((SiteId(cells.get()?), cells.get()?))
        })
    }

    fn cookies(&self, site: SiteId) -> Result<Vec<Cookie>, StoreError> {
        self.query(of_site(&COOKIES, site), |cells| {
            Ok(Cookie {
                domain: cells.get()?,
                path: cells.get()?,
                name: cells.get()?,
                value: cells.get()?,
                host_only: cells.get()?,
                secure: cells.get()?,
                expires_at: cells.optional_time()?,
            })
        })
    }

    fn feeds(&self, site: SiteId) -> Result<Vec<String>, StoreError> {
        self.query(of_site(&FEEDS, site), |cells| cells.get())
    }

    fn past_fetches(&self, site: SiteId) -> Result<Vec<PastFetch>, StoreError> {
        let mut urls: HashMap<i64, (String, i64)> = HashMap::new();
        let mut led_to: HashMap<i64, Vec<i64>> = HashMap::new();
        let known = self.query(rows(&PAST_URLS, site), |cells| {
            let (id, address, form) = (cells.get::<i64>()?, cells.get::<String>()?, cells.get::<i64>()?);
            Ok((
                id,
                address,
                form,
                cells.word::<UrlState>()?,
                cells.get::<Option<i64>>()?,
            ))
        })?;
        for (id, address, form, state, found_on) in known {
            if let (Some(found_on), true) = (found_on, state != UrlState::Refused && form != 0) {
                led_to.entry(found_on).or_default().push(form);
            }
            if matches!(state, UrlState::Fetched | UrlState::Failed) {
                urls.insert(id, (address, form));
            }
        }
        let answers = self.query(rows(&PAST_ANSWERS, site), |cells| {
            let (url, page) = (cells.get::<i64>()?, cells.get::<i64>()?);
            let (is_page, problem) = (cells.get::<bool>()?, cells.reason()?);
            let simhash = cells.get::<Option<i64>>()?.map(i64::cast_unsigned);
            Ok((page, url, is_page, problem, simhash, cells.get::<Option<bool>>()?))
        })?;
        let mut records: HashMap<i64, Vec<(String, Record)>> = HashMap::new();
        let found = self.query(rows(&PAST_RECORDS, site), |cells| {
            let (page, vertical) = (cells.get::<i64>()?, cells.get::<String>()?);
            Ok((
                page,
                (vertical, Record::from_text(cells.get()?).unwrap_or_default()),
            ))
        })?;
        for (page, record) in found {
            records.entry(page).or_default().push(record);
        }
        let judged = self.query(rows(&PAST_JUDGEMENTS, site), |cells| {
            Ok((cells.get::<i64>()?, cells.get::<bool>()?))
        })?;
        let judged: HashMap<i64, bool> = judged.into_iter().collect();
        let mut fetches: Vec<PastFetch> = answers
            .into_iter()
            .filter_map(|(page, url, is_page, problem, simhash, has_failed)| {
                let (address, form) = urls.remove(&url)?;
                Some(PastFetch {
                    page: PageId(page),
                    url: address,
                    form,
                    is_page,
                    problem,
                    simhash,
                    records: records.remove(&page).unwrap_or_default(),
                    judgement: judged.get(&page).copied(),
                    has_failed,
                    led_to: led_to.remove(&url).unwrap_or_default(),
                })
            })
            .collect();
        // The orders that are replayed learn from the order of fetches.
        fetches.sort_unstable_by_key(|fetch| fetch.page);
        Ok(fetches)
    }

    fn links_of_pages(&self, pages: &[PageId]) -> Result<Vec<PastLinks>, StoreError> {
        self.of_pages(&LINKS, pages, &[], |cells| {
            let (page, address, packed) = (cells.page()?, cells.get::<&str>()?, cells.get::<&str>()?);
            let parts: Vec<[String; 4]> = serde_json::from_str(packed).unwrap_or_default();
            let mut links = LinkList::new();
            for [href, _, path, rel] in &parts {
                let link = Link {
                    href: &with_origin(href, origin(address)),
                    text: "",
                    path,
                    rel,
                };
                if !links.push(link) {
                    break;
                }
            }
            Ok((page, PastLinks { page, links }))
        })
    }
}

impl SiteMemory for Store {
    fn known_site(&self, lease: &Lease) -> Result<KnownSite, StoreError> {
        Ok(KnownSite {
            feeds: self.feeds(lease.site)?,
            cookies: self.cookies(lease.site)?,
            url_rules: self.url_rules(&lease.key)?,
        })
    }

    fn robots(&self, origin: &str) -> Result<Option<Robots>, StoreError> {
        Ok(self.host(origin)?.and_then(|host| host.robots))
    }

    fn past(&self, lease: &Lease, tell: &mut dyn FnMut(PastFetch)) -> Result<(), StoreError> {
        self.past_fetches(lease.site)?.into_iter().for_each(tell);
        Ok(())
    }

    fn past_links(&self, _: &Lease, pages: &[PageId]) -> Result<Vec<PastLinks>, StoreError> {
        self.links_of_pages(pages)
    }

    fn keep_cookies(&self, lease: &Lease, cookies: Vec<Cookie>) -> Result<(), StoreError> {
        self.keep(lease, |site| {
            // One that is named twice has its last value.
            let last: BTreeMap<_, _> = cookies
                .iter()
                .map(|cookie| ((&cookie.domain, &cookie.path, &cookie.name), cookie))
                .collect();
            let rows = last.into_values().map(|cookie| {
                [
                    (&cookie.domain).into(),
                    (&cookie.path).into(),
                    (&cookie.name).into(),
                    (&cookie.value).into(),
                    cookie.host_only.into(),
                    cookie.secure.into(),
                    cookie.expires_at.into(),
                ]
            });
            let mut calls = vec![of_site(&DROP_COOKIES, site)];
            calls.extend(of_site_with(&PUT_COOKIES, site, rows.collect()));
            calls
        })
    }

    fn keep_url_rules(&self, lease: &Lease, url_rules: Vec<KeptUrlRule>) -> Result<(), StoreError> {
        self.keep(lease, |site| {
            let rows = url_rules.iter().map(|kept| {
                [
                    (&kept.url_rule).into(),
                    (&kept.key).into(),
                    (&kept.evidence).into(),
                    kept.learned_at.into(),
                ]
            });
            Vec::from_iter(of_site_with(&PUT_URL_RULES, site, rows.collect()))
        })
    }
}

impl Store {
    /// Writes what is known of a leased site besides its pages.
    fn keep<'c>(&self, lease: &Lease, writes: impl Fn(SiteId) -> Vec<Call<'c>>) -> Result<(), StoreError> {
        self.leased(&mut self.sites(), lease)?;
        self.write(lease.site, || writes(lease.site)).map(drop)
    }
}

pub(crate) fn of_site(statement: &'static Statement, site: SiteId) -> Call<'static> {
    call(statement, [bucket_of(site.0).into(), site.0.into()])
}

/// A statement that writes rows of a site, if there are any.
pub(crate) fn of_site_with<'c, const N: usize>(
    statement: &'static Statement,
    site: SiteId,
    rows: Vec<[Value<'c>; N]>,
) -> Option<Call<'c>> {
    let mut values = vec![bucket_of(site.0).into(), site.0.into()];
    (!rows.is_empty()).then(|| {
        values.extend(columns(rows));
        Call::new(statement, values)
    })
}

/// A statement about all rows of a site.
fn rows(statement: &'static Statement, site: SiteId) -> Call<'static> {
    let (first, last) = rows_of(site);
    call(statement, [bucket_of(site.0).into(), first.into(), last.into()])
}
