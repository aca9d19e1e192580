//! Pages and runs in memory.

use std::collections::HashSet;

use super::{Fetched, Kept, MemoryStore, Url, missing};
use crate::fetch_result::{PageId, RunId, SiteId, UrlId};
use crate::learned::{FoundByLink, KnownPage, PageLinks, Spent};
use crate::read::{FoundRecord, FoundUrl, JudgementRow, PageRow, SiteRow, beginning};
use crate::words::{RunKind, RunOutcome, UrlSource, UrlState};
use crate::writer::origin;
use crate::{Alert, Component, FetchRequest, Frontier, Pages, RunRow, RunStore, RunTotals, Runs, StoreError};
use magpie_values::Timestamp;

impl Pages for MemoryStore {
    fn sites_after(&self, after: Option<SiteId>, limit: usize) -> Result<Vec<SiteRow>, StoreError> {
        let kept = self.kept();
        let sites = (1..).map(SiteId).zip(&kept.sites);
        let sites = sites
            .filter(|(site, _)| after.is_none_or(|after| *site > after))
            .take(limit);
        sites
            .map(|(id, key)| {
                Ok(SiteRow {
                    id,
                    key: key.clone(),
                    queued: self.frontier.counts(Some(id))?.of(UrlState::Queued),
                    ready_at: Timestamp::default(),
                    owner: None,
                    lease_until: Timestamp::default(),
                })
            })
            .collect()
    }

    fn components(&self) -> Result<Vec<Component>, StoreError> {
        let kept = self.kept();
        Ok(kept
            .components
            .iter()
            .map(|component| (**component).clone())
            .collect())
    }

    fn checked_pages(&self, vertical: &str, site: SiteId) -> Result<(u64, u64), StoreError> {
        let kept = self.kept();
        let pages = kept.pages_after(site, 0);
        let pages = pages.filter(|(_, page)| page.url.is_some());
        let asked = pages.flat_map(|(_, page)| &page.extractions);
        let with_objects = asked.filter(|asked| asked.vertical == vertical && !asked.records.is_empty());
        Ok(with_objects.fold((0, 0), |(all, failing), asked| {
            (all + 1, failing + u64::from(asked.violations > 0))
        }))
    }

    fn known_pages_after(
        &self,
        site: SiteId,
        after: Option<UrlId>,
        limit: usize,
    ) -> Result<Vec<KnownPage>, StoreError> {
        let kept = self.kept();
        let urls = (1..).map(UrlId).zip(&kept.urls);
        let urls = urls.filter(|(id, url)| {
            url.site == site && url.state != UrlState::Refused && after.is_none_or(|after| *id > after)
        });
        Ok(urls
            .take(limit)
            .map(|(id, url)| kept.known_page(id, url))
            .collect())
    }

    fn found_by_links_after(
        &self,
        site: SiteId,
        after: Option<UrlId>,
        limit: usize,
    ) -> Result<Vec<FoundByLink>, StoreError> {
        let kept = self.kept();
        let urls = (1..).map(UrlId).zip(&kept.urls);
        let urls = urls.filter(|(id, url)| {
            url.site == site && url.state != UrlState::Refused && after.is_none_or(|after| *id > after)
        });
        let found = urls.filter_map(|(id, url)| {
            Some(FoundByLink {
                id,
                url: url.url.clone(),
                found_on: url.found_on?,
                found_at: url.found_at,
            })
        });
        Ok(found.take(limit).collect())
    }

    fn fetches(&self, request: &FetchRequest) -> Result<Vec<PageRow>, StoreError> {
        let kept = self.kept();
        let pages = kept.pages_after(request.site, request.after);
        let pages = pages.filter(|(_, fetched)| {
            fetched.page.fetched_at >= request.since
                && request.run.is_none_or(|run| fetched.page.run == Some(run))
        });
        let rows = pages.take(request.limit).map(|(id, fetched)| fetched.row(id));
        Ok(rows.collect())
    }

    fn page_links(&self, pages: &[PageId]) -> Result<Vec<PageLinks>, StoreError> {
        let kept = self.kept();
        let links = pages.iter().filter_map(|id| {
            let page = &kept.pages.get(id)?.page;
            let origin = origin(&page.url);
            let resolved = |href: &str| match href.starts_with('/') {
                true => format!("{origin}{href}"),
                false => href.to_owned(),
            };
            (!page.links.is_empty()).then(|| PageLinks {
                page: *id,
                hrefs: page.links.iter().map(|link| resolved(link.href)).collect(),
            })
        });
        Ok(links.collect())
    }

    fn judgements_of(&self, pages: &[PageId]) -> Result<Vec<JudgementRow>, StoreError> {
        let kept = self.kept();
        let judgements = pages.iter().flat_map(|id| {
            let of_page = kept.pages.get(id).map_or(&[][..], |fetched| &fetched.judgements);
            of_page.iter().map(|judged| JudgementRow {
                page: *id,
                vertical: judged.component.vertical.clone(),
                version: judged.component.version.clone(),
                judgement: judged.judgement.clone(),
            })
        });
        Ok(judgements.collect())
    }

    fn records_of(&self, vertical: &str, pages: &[PageId]) -> Result<Vec<FoundRecord>, StoreError> {
        let kept = self.kept();
        let mut rows = Vec::new();
        for id in pages {
            let Some(fetched) = kept.pages.get(id) else {
                continue;
            };
            for number in fetched.records(vertical) {
                let Some(found) = kept.record(number) else {
                    continue;
                };
                rows.push(FoundRecord {
                    id: number,
                    page: *id,
                    url: fetched.page.url.clone(),
                    fetched_at: fetched.page.fetched_at,
                    vertical: vertical.to_owned(),
                    record: found.record.clone(),
                    expires_at: found.expires_at,
                });
            }
        }
        Ok(rows)
    }

    fn find_urls(&self, fingerprints: &[u64]) -> Result<Vec<FoundUrl>, StoreError> {
        let kept = self.kept();
        let wanted: HashSet<&u64> = fingerprints.iter().collect();
        let urls = (1..).map(UrlId).zip(&kept.urls);
        let mut found: Vec<(UrlId, &Url)> = urls
            .filter(|(_, url)| wanted.contains(&url.fingerprint))
            .collect();
        found.sort_by_key(|(_, url)| (url.fingerprint.cast_signed(), url.found_at, url.site));
        let rows = found.into_iter().map(|(id, url)| FoundUrl {
            id,
            fingerprint: url.fingerprint,
            site: url.site,
            site_key: kept.site_key(url.site).unwrap_or_default().to_owned(),
            state: url.state,
            reason: url.reason.clone(),
            is_fetched: !url.pages.is_empty(),
        });
        Ok(rows.collect())
    }
}

impl Fetched {
    fn row(&self, id: PageId) -> PageRow {
        let page = &self.page;
        PageRow {
            id,
            site: self.site,
            number: self.number,
            url_id: self.url,
            url: page.url.clone(),
            run: page.run,
            fetched_at: page.fetched_at,
            status: page.status,
            media_type: page.media_type.clone(),
            title: page.title.clone(),
            bytes: page.bytes,
            etag: page.etag.clone(),
            last_modified: page.last_modified.clone(),
            redirect: page.redirect.clone(),
            problem: page.problem.clone(),
            detail: page.detail.clone(),
            archived: None,
            same_as: self.same_as,
            body: beginning(self.digest.as_ref().map(|digest| &digest.0[..])),
            text: page.text_hash,
        }
    }

    /// The records of a vertical, in their order.
    pub(super) fn records(&self, vertical: &str) -> Vec<i64> {
        let own = self.extractions.iter().filter(|asked| asked.vertical == vertical);
        own.flat_map(|asked| asked.records.iter().copied()).collect()
    }
}

impl Kept {
    fn known_page(&self, id: UrlId, url: &Url) -> KnownPage {
        let pages: Vec<(PageId, &Fetched)> =
            url.pages.iter().map(|page| (*page, &self.pages[page])).collect();
        let last = pages.last().map(|(_, fetched)| &fetched.page);
        let is_good = |fetched: &Fetched| matches!(fetched.page.status, Some(200..=299));
        let whole = pages
            .iter()
            .rev()
            .find(|(_, fetched)| is_good(fetched) && fetched.page.problem.is_none());
        let changed = pages
            .iter()
            .rposition(|(_, fetched)| is_good(fetched) && fetched.same_as.is_none());
        let bodies = pages
            .iter()
            .filter(|(_, fetched)| fetched.page.status == Some(200) && fetched.page.problem.is_none());
        let hint = |is_feed| self.hints.get(&(url.site, url.fingerprint, is_feed)).copied();
        let (sitemap, feed) = (hint(false), hint(true));
        let seen = sitemap.iter().chain(&feed).map(|hint| hint.seen_at).max();
        let is_named = matches!(url.source, UrlSource::Sitemap | UrlSource::Feed);
        KnownPage {
            id,
            url: url.url.clone(),
            depth: url.depth,
            page: whole.map(|(page, _)| *page),
            page_at: whole.map(|(_, fetched)| fetched.page.fetched_at),
            state: url.state,
            reason: url.reason.clone(),
            fetched_at: last.map(|page| page.fetched_at),
            status: last.and_then(|page| page.status),
            problem: last.and_then(|page| page.problem.clone()),
            redirect: last.and_then(|page| page.redirect.clone()),
            run: last.and_then(|page| page.run),
            bytes: last.map_or(0, |page| page.bytes),
            unchanged: changed.map_or(0, |changed| (pages.len() - 1 - changed) as u32),
            bodies: bodies.count() as u32,
            contradicted: is_contradicted(&pages),
            named_at: seen.max(is_named.then_some(url.found_at)),
            sitemap,
            feed,
        }
    }
}

/// True if the body has changed under the same version.
fn is_contradicted(pages: &[(PageId, &Fetched)]) -> bool {
    let answers = pages
        .iter()
        .filter(|(_, fetched)| fetched.page.status == Some(200));
    let answers: Vec<&Fetched> = answers.map(|(_, fetched)| *fetched).collect();
    let has_changed = |one: &Fetched, other: &Fetched| {
        let same_version = match &one.page.etag {
            Some(etag) => other.page.etag.as_ref() == Some(etag),
            None => one.page.last_modified.is_some() && one.page.last_modified == other.page.last_modified,
        };
        same_version && one.digest.is_some() && other.digest.is_some() && one.digest != other.digest
    };
    let mut earlier = answers.iter().enumerate();
    earlier.any(|(place, one)| answers[place + 1..].iter().any(|other| has_changed(one, other)))
}

impl Runs for MemoryStore {
    fn runs(&self) -> Result<Vec<RunRow>, StoreError> {
        Ok(self.kept().runs.clone())
    }

    fn new_objects(&self, vertical: &str, (since, until): (Timestamp, Timestamp)) -> Result<u64, StoreError> {
        let kept = self.kept();
        let objects = kept.objects.standing(vertical);
        let new = objects.filter(|(_, object)| (since..=until).contains(&object.first_seen));
        Ok(new.count() as u64)
    }

    fn run_totals(
        &self,
        vertical: &str,
        runs: &[RunId],
        window: (Timestamp, Timestamp),
    ) -> Result<RunTotals, StoreError> {
        let new_objects = self.new_objects(vertical, window)?;
        let kept = self.kept();
        let is_of_runs = |fetched: &Fetched| fetched.page.run.is_some_and(|run| runs.contains(&run));
        let mut totals = RunTotals::default();
        let mut urls = HashSet::new();
        for fetched in kept.pages.values().filter(|fetched| is_of_runs(fetched)) {
            if let Some(url) = fetched.url {
                urls.insert(url);
                totals.bytes += fetched.page.bytes;
            }
            totals.records += fetched.records(vertical).len() as u64;
        }
        totals.pages = urls.len() as u64;
        let first_found = |member: i64| Some(&kept.pages[&kept.record(member)?.page]);
        let members = kept.objects.members_of(vertical);
        let new = members.filter(|(member, _)| first_found(*member).is_some_and(is_of_runs));
        totals.new_records = new.count() as u64;
        totals.new_objects = new_objects;
        Ok(totals)
    }

    fn spent(&self, kind: RunKind, since: Timestamp) -> Result<Vec<Spent>, StoreError> {
        let kept = self.kept();
        let is_of_kind = |run: RunId| kept.runs.iter().any(|row| row.id == run && row.kind == kind);
        let mut spent = Vec::new();
        for (site, pages) in &kept.of_site {
            let newest = pages.iter().rev().map(|page| &kept.pages[page]);
            let recent = newest.take_while(|fetched| fetched.page.fetched_at >= since);
            let own = recent.filter(|fetched| fetched.page.run.is_some_and(is_of_kind));
            spent.extend(own.map(|fetched| Spent {
                at: fetched.page.fetched_at,
                bytes: fetched.page.bytes,
                site: fetched.url.map(|_| *site),
            }));
        }
        spent.sort_by_key(|spent| std::cmp::Reverse(spent.at));
        Ok(spent)
    }
}

impl RunStore for MemoryStore {
    fn begin_run(
        &self,
        kind: RunKind,
        program: &str,
        settings: &str,
        now: Timestamp,
    ) -> Result<RunId, StoreError> {
        let mut kept = self.kept();
        let id = RunId(kept.runs.len() as i64 + 1);
        kept.runs.push(RunRow {
            id,
            kind,
            program: program.to_owned(),
            settings: settings.to_owned(),
            started_at: now,
            resumed_at: None,
            ended_at: None,
            outcome: None,
        });
        Ok(id)
    }

    fn resume_run(&self, kind: RunKind, now: Timestamp) -> Result<Option<RunId>, StoreError> {
        let mut kept = self.kept();
        let last = kept.runs.iter_mut().rev().find(|run| run.kind == kind);
        Ok(last.filter(|run| run.ended_at.is_none()).map(|run| {
            run.resumed_at = Some(now);
            run.id
        }))
    }

    fn end_run(&self, run: RunId, now: Timestamp) -> Result<(), StoreError> {
        let mut kept = self.kept();
        let mut runs = kept.runs.iter_mut();
        if let Some(row) = runs.find(|row| row.id == run && row.ended_at.is_none()) {
            let outcome = RunOutcome::Finished;
            (row.ended_at, row.outcome) = (Some(now), Some(outcome.to_string()));
            let alert = Alert::run_ended(run.0, row.kind.as_str(), outcome, [row.started_at, now]);
            kept.hooks.log("", alert, true, now);
        }
        Ok(())
    }
}

impl Kept {
    /// Fails where a site is not there.
    pub(super) fn check_site(&self, site: SiteId) -> Result<(), StoreError> {
        self.site_key(site)
            .map(drop)
            .ok_or_else(|| missing("site", site.0))
    }
}
