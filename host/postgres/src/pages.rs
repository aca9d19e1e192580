//! Pages, links and records of sites, read site by site.

use std::collections::{BTreeMap, HashMap};

use magpie_model::{Judgement, Record};
use magpie_rows::{
    Component, FetchRequest, FoundByLink, FoundRecord, Hinted, JudgementRow, KnownPage, PageId, PageLinks,
    PageRow, Pages, RobotsTags, RunId, ShownPage, SiteId, SiteRow, StoreError, UrlId, links_from_json,
    origin,
};
use tokio_postgres::types::Type;

use crate::failure::Failure;
use crate::numbers::{bucket_of, count_of, row, rows_of};
use crate::page_row::read_page;
use crate::server::{Call, call};
use crate::statement::Statement;
use crate::statements::LINKS;
use crate::statements::pages::{
    CHECKED_PAGES, COMPONENTS, FETCHES, FOUND_BY_LINKS, JUDGEMENTS_OF_PAGES, KNOWN_PAGES, RECORDS_OF_PAGES,
    SHOWN_PAGES, SITES_AFTER,
};
use crate::statistics::component;
use crate::store::Store;
use crate::value::{Cells, Value, fields};

impl Pages for Store {
    fn sites_after(&self, after: Option<SiteId>, limit: usize) -> Result<Vec<SiteRow>, StoreError> {
        let after = after.map_or((i16::MIN, 0), |site| (bucket_of(site.0), site.0));
        let values = [after.0.into(), after.1.into(), (limit as i64).into()];
        self.query(call(&SITES_AFTER, values), |cells| {
            Ok(fields!(
                cells,
                SiteRow {
                    id: site,
                    key: get,
                    queued: unsigned,
                    ready_at: time,
                    owner: get,
                    lease_until: time,
                }
            ))
        })
    }

    fn known_pages_after(
        &self,
        site: SiteId,
        after: Option<UrlId>,
        limit: usize,
    ) -> Result<Vec<KnownPage>, StoreError> {
        let after = after.map_or(rows_of(site).0, |url| url.0);
        self.query(after_row(&KNOWN_PAGES, site, after, limit, []), known_page)
    }

    fn fetches(&self, request: &FetchRequest) -> Result<Vec<PageRow>, StoreError> {
        let FetchRequest { site, run, since, .. } = *request;
        let more = [run.map(|run| run.0).into(), since.into()];
        let after = page_numbered(site, request.after);
        self.query(after_row(&FETCHES, site, after, request.limit, more), read_page)
    }

    fn found_by_links_after(
        &self,
        site: SiteId,
        after: Option<UrlId>,
        limit: usize,
    ) -> Result<Vec<FoundByLink>, StoreError> {
        let after = after.map_or(rows_of(site).0, |url| url.0);
        self.query(after_row(&FOUND_BY_LINKS, site, after, limit, []), |cells| {
            Ok(FoundByLink {
                id: UrlId(cells.get()?),
                url: cells.get()?,
                found_on: UrlId(cells.get()?),
                found_at: cells.time()?,
            })
        })
    }

    fn page_links(&self, pages: &[PageId]) -> Result<Vec<PageLinks>, StoreError> {
        self.of_pages(&LINKS, pages, &[], |cells| {
            let (page, address) = (cells.page()?, cells.get()?);
            let links = links_from_json(origin(address), cells.get()?);
            Ok((page, PageLinks { page, links }))
        })
    }

    fn records_of(&self, vertical: &str, pages: &[PageId]) -> Result<Vec<FoundRecord>, StoreError> {
        self.of_pages(&RECORDS_OF_PAGES, pages, &[vertical.into()], |cells| {
            let page = cells.page()?;
            let found = FoundRecord {
                id: cells.get()?,
                page,
                url: cells.get()?,
                fetched_at: cells.time()?,
                vertical: cells.get()?,
                record: Record::from_text(cells.get()?).unwrap_or_default(),
                expires_at: cells.optional_time()?,
            };
            Ok((page, found))
        })
    }

    fn shown_pages(
        &self,
        vertical: &str,
        site: SiteId,
        after: u64,
        limit: usize,
    ) -> Result<Vec<ShownPage>, StoreError> {
        let call = after_row(
            &SHOWN_PAGES,
            site,
            page_numbered(site, after),
            limit,
            [vertical.into()],
        );
        let rows = self.query(call, |cells| {
            let page = cells.page()?;
            let shown = ShownPage {
                page,
                number: count_of(page.0).cast_unsigned(),
                url: cells.get()?,
                has_failed: cells.get()?,
                records: Vec::new(),
            };
            let record: Option<&str> = cells.get()?;
            Ok((shown, record.and_then(Record::from_text)))
        })?;
        let mut pages: Vec<ShownPage> = Vec::new();
        for (shown, record) in rows {
            if pages.last().is_none_or(|last| last.page != shown.page) {
                pages.push(shown);
            }
            if let Some(last) = pages.last_mut() {
                last.records.extend(record);
            }
        }
        Ok(pages)
    }

    fn judgements_of(&self, pages: &[PageId]) -> Result<Vec<JudgementRow>, StoreError> {
        self.of_pages(&JUDGEMENTS_OF_PAGES, pages, &[], |cells| {
            let page = cells.page()?;
            let judgement = JudgementRow {
                page,
                vertical: cells.get()?,
                version: cells.get()?,
                judgement: fields!(
                    cells,
                    Judgement {
                        accepted: get,
                        confidence: get,
                        reason: get,
                    }
                ),
            };
            Ok((page, judgement))
        })
    }

    fn components(&self) -> Result<Vec<Component>, StoreError> {
        self.query(call(&COMPONENTS, []), component)
    }

    fn checked_pages(&self, vertical: &str, site: SiteId) -> Result<(u64, u64), StoreError> {
        let (first, last) = rows_of(site);
        let values = [
            bucket_of(site.0).into(),
            first.into(),
            last.into(),
            vertical.into(),
        ];
        let counts = self.query(call(&CHECKED_PAGES, values), |cells| {
            Ok((cells.unsigned()?, cells.unsigned()?))
        })?;
        Ok(counts.first().copied().unwrap_or_default())
    }
}

impl Store {
    /// Reads rows of pages bucket by bucket, and returns them in the order of `pages`. `each`
    /// returns the page of a row, too.
    pub(crate) fn of_pages<T>(
        &self,
        statement: &'static Statement,
        pages: &[PageId],
        more: &[Value<'_>],
        each: impl Fn(&mut Cells<'_>) -> Result<(PageId, T), Failure>,
    ) -> Result<Vec<T>, StoreError> {
        let mut by_bucket: BTreeMap<i16, Vec<Value<'_>>> = BTreeMap::new();
        let mut places = HashMap::with_capacity(pages.len());
        for (place, page) in pages.iter().enumerate() {
            places.insert(*page, place);
            by_bucket
                .entry(bucket_of(page.0))
                .or_default()
                .push(page.0.into());
        }
        let mut rows = Vec::new();
        for (bucket, pages) in by_bucket {
            let mut values = vec![bucket.into(), Value::Many(Type::INT8_ARRAY, pages)];
            values.extend_from_slice(more);
            rows.extend(self.query(Call::new(statement, values), &each)?);
        }
        // The rows of a page keep their order.
        rows.sort_by_key(|(page, _)| places.get(page).copied());
        Ok(rows.into_iter().map(|(_, row)| row).collect())
    }
}

fn known_page(cells: &mut Cells<'_>) -> Result<KnownPage, Failure> {
    let mut page = KnownPage {
        id: UrlId(cells.get()?),
        url: cells.get()?,
        depth: cells.small()?,
        state: cells.word()?,
        reason: cells.reason()?,
        page: cells.get::<Option<i64>>()?.map(PageId),
        page_at: cells.optional_time()?,
        tags: fields!(
            cells,
            RobotsTags {
                nofollow: get,
                noindex: get,
            }
        ),
        fetched_at: cells.optional_time()?,
        status: cells.optional_small()?,
        problem: cells.reason()?,
        media_type: cells.get()?,
        redirect: cells.get()?,
        run: cells.get::<Option<i64>>()?.map(RunId),
        bytes: cells.unsigned()?,
        unchanged: cells.small()?,
        bodies: cells.small()?,
        contradicted: cells.get()?,
        named_at: cells.optional_time()?,
        sitemap: hinted(cells)?,
        feed: hinted(cells)?,
    };
    let hints = page.sitemap.iter().chain(&page.feed).map(|hint| hint.seen_at);
    page.named_at = hints.max().max(page.named_at);
    Ok(page)
}

fn hinted(cells: &mut Cells<'_>) -> Result<Option<Hinted>, Failure> {
    let (modified_at, seen_at) = (cells.optional_time()?, cells.optional_time()?);
    let both = modified_at.zip(seen_at);
    Ok(both.map(|(modified_at, seen_at)| Hinted { modified_at, seen_at }))
}

/// Returns a statement that reads rows of a site after one of them, in their order.
fn after_row<'a, const N: usize>(
    statement: &'static Statement,
    site: SiteId,
    after: i64,
    limit: usize,
    more: [Value<'a>; N],
) -> Call<'a> {
    let last = rows_of(site).1;
    let mut values = vec![
        bucket_of(site.0).into(),
        (after + 1).into(),
        last.into(),
        (limit as i64).into(),
    ];
    values.extend(more);
    Call::new(statement, values)
}

/// The page of a site with a number.
fn page_numbered(site: SiteId, number: u64) -> i64 {
    row(site, i64::try_from(number).unwrap_or(i64::MAX))
}
