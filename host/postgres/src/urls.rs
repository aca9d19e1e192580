//! URLs of the frontier, as people ask for them.

use std::collections::BTreeMap;

use magpie_rows::{
    Archived as _, Counts, FoundOn, FoundUrl, ListedUrl, MAX_EXPLAINED_PAGES, MAX_WAY_LEN, SiteId,
    StoreError, UrlExplanation, UrlFilter, UrlId, UrlPage, UrlState, Urls,
};
use tokio_postgres::types::Type;

use crate::failure::Failure;
use crate::numbers::bucket_of;
use crate::server::{Call, call};
use crate::site_facts::of_site;
use crate::statements::urls::{
    ALL_URL_COUNTS, EXPLAIN_URL, FIND_URLS, LIST_URLS, LIST_URLS_OF_SITE, QUEUED_BY_SITE, SEEDS, URL,
    URL_COUNTS,
};
use crate::store::Store;
use crate::value::{Cells, Value, fields};

impl Urls for Store {
    fn urls(&self, filter: &UrlFilter) -> Result<UrlPage, StoreError> {
        let after = filter.position()?;
        let bucket = match (&filter.site, after) {
            (Some(key), _) => self.bucket_of_key(key),
            (None, Some(after)) => bucket_of(after),
            (None, None) => i16::MIN,
        };
        let mut values = vec![
            bucket.into(),
            after.unwrap_or(i64::MIN).into(),
            Value::Text(filter.state.map(|state| state.as_str().into())),
            (&filter.reason).into(),
            (filter.limit as i64).into(),
        ];
        values.extend(filter.site.as_ref().map(Value::from));
        let statement = match filter.site {
            Some(_) => &LIST_URLS_OF_SITE,
            None => &LIST_URLS,
        };
        let urls = self.query(Call::new(statement, values), |cells| {
            Ok(ListedUrl {
                id: UrlId(cells.get()?),
                site_key: cells.get()?,
                url: cells.get()?,
                state: cells.word()?,
                reason: cells.reason()?,
                detail: cells.get()?,
                found_at: cells.time()?,
            })
        })?;
        Ok(UrlPage::of(urls, filter.limit))
    }

    fn find_urls(&self, fingerprints: &[u64]) -> Result<Vec<FoundUrl>, StoreError> {
        let wanted = fingerprints.iter().map(|print| (*print).into()).collect();
        self.query(
            call(&FIND_URLS, [Value::Many(Type::INT8_ARRAY, wanted)]),
            |cells| {
                Ok(FoundUrl {
                    id: UrlId(cells.get()?),
                    fingerprint: cells.unsigned()?,
                    site: cells.site()?,
                    site_key: cells.get()?,
                    state: cells.word()?,
                    reason: cells.reason()?,
                    is_fetched: cells.get()?,
                })
            },
        )
    }

    fn explain(&self, fingerprint: u64) -> Result<Vec<UrlExplanation>, StoreError> {
        let found = self.query(call(&EXPLAIN_URL, [fingerprint.into()]), explained)?;
        let complete = |(mut explained, mut next): (UrlExplanation, Option<i64>)| {
            // Deeper URLs are in a trap, and the last steps show it.
            while let Some(id) = next.filter(|_| explained.way.len() < MAX_WAY_LEN) {
                let steps = self.query(of_url(id), |cells| {
                    let step = fields!(
                        cells,
                        FoundOn {
                            url: get,
                            source: word
                        }
                    );
                    Ok((step, cells.get()?))
                })?;
                next = None;
                for (step, before) in steps {
                    explained.way.push(step);
                    next = before;
                }
            }
            explained.pages = self.pages_of(explained.id, MAX_EXPLAINED_PAGES)?;
            Ok(explained)
        };
        found.into_iter().map(complete).collect()
    }

    fn url_of(&self, url: UrlId) -> Result<Option<String>, StoreError> {
        Ok(self.query(of_url(url.0), |cells| cells.get())?.pop())
    }

    fn seeds(&self) -> Result<Vec<String>, StoreError> {
        self.query(call(&SEEDS, []), |cells| cells.get())
    }

    fn url_counts(&self, site: Option<SiteId>) -> Result<Counts, StoreError> {
        let call = match site {
            Some(site) => of_site(&URL_COUNTS, site),
            None => call(&ALL_URL_COUNTS, []),
        };
        let counts = self.query(call, |cells| {
            let key: (UrlState, _) = (cells.word()?, cells.reason()?);
            Ok((key, cells.unsigned()?))
        })?;
        Ok(Counts(counts.into_iter().collect()))
    }

    fn queued_by_site(&self) -> Result<BTreeMap<SiteId, u64>, StoreError> {
        let rows = self.query(call(&QUEUED_BY_SITE, []), |cells| {
            Ok((cells.site()?, cells.unsigned()?))
        })?;
        Ok(rows.into_iter().collect())
    }
}

fn of_url<'a>(url: i64) -> Call<'a> {
    call(&URL, [bucket_of(url).into(), url.into()])
}

/// Reads a URL with that on which it was found.
fn explained(cells: &mut Cells<'_>) -> Result<(UrlExplanation, Option<i64>), Failure> {
    let explained = UrlExplanation {
        id: UrlId(cells.get()?),
        site: cells.site()?,
        site_key: cells.get()?,
        url: cells.get()?,
        state: cells.word()?,
        reason: cells.reason()?,
        detail: cells.get()?,
        priority: cells.small()?,
        depth: cells.small()?,
        attempts: cells.small()?,
        due_at: cells.optional_time()?,
        source: cells.word()?,
        found_at: cells.time()?,
        modified_at: cells.optional_time()?,
        way: Vec::new(),
        pages: Vec::new(),
    };
    Ok((explained, cells.get()?))
}
