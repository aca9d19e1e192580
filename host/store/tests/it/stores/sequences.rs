//! Any sequence of operations returns the same results with every store.

use super::moment;
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

use magpie_model::{Alarm, Attribute, Kind, Record, RecordValue, UrlReason};
use magpie_query::{Context, Query};
use magpie_store::{
    Batch, Change, ChangeFilter, Component, ExtractedRecord, Extraction, FetchRequest, FetchResult, Hint,
    HintSource, Lease, Link, LinkList, MatcherKind, Matching, MemberFilter, MemoryStore, MergedObject,
    NewMember, ObjectFilter, ObjectId, ObjectOrder, Offer, Page, PreparedMember, Reassignment, Rebuild,
    RoundFilter, RoundState, RunId, RunKind, SearchOptions, SearchOrder, Seen, SortKey, StageRow, Store,
    UrlId, UrlOutcome, UrlSource, UrlState, WarehouseLink, Workspace, WorkspaceOptions,
};
use magpie_values::Timestamp;
use proptest::prelude::*;

use super::learned::{learned, pattern, round, selection};
use super::{fingerprint, lease, replay};
use crate::crawl::{self, exchange};

const SITES: [&str; 2] = ["https://one.test", "https://other.test"];

/// An operation. Numbers are taken modulo the number of existing items.
#[derive(Clone, Debug)]
enum Step {
    /// Fetch of a URL: status, letter of the body, number of records, and another URL that it links
    /// to.
    Fetch {
        site: usize,
        url: usize,
        status: usize,
        body: usize,
        records: usize,
        link: usize,
        etag: bool,
    },
    /// Fetch of a file that is not a URL of the frontier.
    File {
        site: usize,
    },
    Hint {
        site: usize,
        url: usize,
        feed: bool,
        modified_at: Timestamp,
    },
    Begin {
        watch: bool,
    },
    End,
    Resume,
    /// Objects new records. A record goes to the object of its ID modulo this.
    StoredObject {
        records: usize,
        modulo: i64,
    },
    Withdraw {
        url: usize,
    },
    Apart {
        one: usize,
        other: usize,
        moves: bool,
    },
    Again {
        modulo: i64,
    },
    Refresh,
    Expire,
    Learn {
        site: usize,
        patterns: usize,
    },
    Forget {
        site: usize,
    },
    Choose {
        site: usize,
        pattern: usize,
    },
    Round {
        site: usize,
        gone: bool,
    },
    Stage {
        name: usize,
        forget: usize,
    },
}

fn step() -> impl Strategy<Value = Step> {
    let small = 0..6usize;
    prop_oneof![
        8 => (0..2usize, small.clone(), 0..6usize, 0..4usize, 0..4usize, 0..8usize, any::<bool>())
            .prop_map(|(site, url, status, body, records, link, etag)| Step::Fetch { site, url, status, body, records, link, etag }),
        1 => (0..2usize).prop_map(|site| Step::File { site }),
        1 => (0..2usize, small.clone(), any::<bool>(), 0..9i64)
            .prop_map(|(site, url, feed, modified_at)| Step::Hint { site, url, feed, modified_at: moment(modified_at) }),
        1 => any::<bool>().prop_map(|watch| Step::Begin { watch }),
        1 => Just(Step::End),
        1 => Just(Step::Resume),
        4 => (1..6usize, 1..5i64).prop_map(|(records, modulo)| Step::StoredObject { records, modulo }),
        1 => small.prop_map(|url| Step::Withdraw { url }),
        1 => (0..9usize, 0..9usize, any::<bool>()).prop_map(|(one, other, moves)| Step::Apart { one, other, moves }),
        1 => (1..5i64).prop_map(|modulo| Step::Again { modulo }),
        2 => Just(Step::Refresh),
        1 => Just(Step::Expire),
        1 => (0..2usize, 0..4usize).prop_map(|(site, patterns)| Step::Learn { site, patterns }),
        1 => (0..2usize).prop_map(|site| Step::Forget { site }),
        1 => (0..2usize, 0..4usize).prop_map(|(site, pattern)| Step::Choose { site, pattern }),
        1 => (0..2usize, any::<bool>()).prop_map(|(site, gone)| Step::Round { site, gone }),
        1 => (0..3usize, 0..3usize).prop_map(|(name, forget)| Step::Stage { name, forget }),
    ]
}

/// A store with leased sites, and the time.
struct Driven<'a> {
    store: &'a dyn Store,
    leases: Vec<Lease>,
    now: Timestamp,
    run: Option<RunId>,
}

impl Driven<'_> {
    fn new(store: &dyn Store) -> Driven<'_> {
        let leases = SITES.map(|site| lease(store, site)).into();
        Driven {
            store,
            leases,
            now: moment(100),
            run: None,
        }
    }

    fn url(&self, site: usize, number: usize) -> String {
        format!("{}/{number}", SITES[site])
    }

    /// Returns the ID of a URL. Offers the URL if it is new.
    fn known(&self, site: usize, number: usize) -> UrlId {
        let url = self.url(site, number);
        let offer = Offer {
            source: if number.is_multiple_of(2) {
                UrlSource::Sitemap
            } else {
                UrlSource::Link
            },
            found_on: (number == 3).then_some(UrlId(1)),
            ..Offer::queued(&url, fingerprint(&url), 2, self.now)
        };
        let offers = FetchResult {
            offers: vec![offer],
            ..FetchResult::default()
        };
        self.store.commit(&self.leases[site], offers).unwrap();
        self.store.flush().unwrap();
        let found = self.store.find_urls(&[fingerprint(&url)]).unwrap();
        found
            .iter()
            .find(|found| found.site == self.leases[site].site)
            .unwrap()
            .id
    }

    fn step(&mut self, step: &Step) {
        self.now = self.now + Duration::from_millis(1);
        let store = self.store;
        match *step {
            Step::Fetch {
                site,
                url,
                status,
                body,
                records,
                link,
                etag,
            } => {
                self.fetch(site, url, status, body, records, link, etag);
            }
            Step::File { site } => {
                let page = Page {
                    url: format!("{}/robots.txt", SITES[site]),
                    fetched_at: self.now,
                    status: Some(304),
                    run: self.run,
                    ..Page::default()
                };
                let result = FetchResult {
                    page: Some(page),
                    ..FetchResult::default()
                };
                store.commit(&self.leases[site], result).unwrap();
            }
            Step::Hint {
                site,
                url,
                feed,
                modified_at,
            } => {
                let hint = Hint {
                    fingerprint: fingerprint(&self.url(site, url)),
                    source: if feed {
                        HintSource::Feed
                    } else {
                        HintSource::Sitemap
                    },
                    modified_at,
                    seen_at: moment(self.now.as_millis() / 4),
                };
                let result = FetchResult {
                    hints: vec![hint],
                    ..FetchResult::default()
                };
                store.commit(&self.leases[site], result).unwrap();
            }
            Step::Begin { watch } => {
                let kind = if watch { RunKind::Watch } else { RunKind::Crawl };
                self.run = Some(store.begin_run(kind, "test", "{}", self.now).unwrap());
            }
            Step::End => {
                if let Some(run) = self.run.take() {
                    store.end_run(run, self.now).unwrap();
                }
            }
            Step::Resume => {
                self.run = store.resume_run(RunKind::Watch, self.now).unwrap().or(self.run);
            }
            Step::StoredObject { records, modulo } => self.object(records, modulo),
            Step::Withdraw { url } => {
                let urls = (0..2).map(|site| self.url(site, url)).collect();
                store.withdraw("things", urls).unwrap();
            }
            Step::Apart { one, other, moves } => self.keep_apart(one, other, moves),
            Step::Again { modulo } => self.again(modulo),
            Step::Refresh => self.refresh(),
            Step::Expire => {
                let warehouse = store.warehouse("things", self.now).unwrap();
                store.expire(warehouse, self.now).unwrap();
            }
            Step::Learn { site, patterns } => {
                let rows =
                    (0..patterns).map(|number| pattern(&format!("p{number}"), number != 1, number as u64));
                let row = learned(self.leases[site].site, patterns as u64);
                store.put_patterns("things", row, rows.collect()).unwrap();
            }
            Step::Forget { site } => store.forget_site("things", self.leases[site].site).unwrap(),
            Step::Choose { site, pattern } => {
                let site = self.leases[site].site;
                store.put_hubs("things", site, pattern as u64).unwrap();
                let chosen = vec![(site, format!("p{pattern}"), 3, true)];
                store
                    .put_selection("things", selection(self.now), chosen, Vec::new())
                    .unwrap();
            }
            Step::Round { site, gone } => {
                let site = self.leases[site].site;
                let run = store.begin_run(RunKind::Recrawl, "test", "{}", self.now).unwrap();
                let mut patterns = store.patterns("things", site).unwrap();
                for pattern in &mut patterns {
                    pattern.watched.fetches += 1;
                    pattern.watched.alarm = gone.then_some(Alarm::Yield);
                }
                let state = if gone { RoundState::Gone } else { RoundState::Done };
                store
                    .put_round("things", round(run, site, state), patterns)
                    .unwrap();
            }
            Step::Stage { name, forget } => {
                let names = ["find", "crawl", "cluster"];
                let stage = StageRow {
                    vertical: "things".to_owned(),
                    name: names[name].to_owned(),
                    ended_at: self.now,
                    sentence: String::new(),
                    kept: "{}".to_owned(),
                };
                store.put_stage(stage, &names[forget..]).unwrap();
            }
        }
        store.flush().unwrap();
    }

    #[expect(clippy::too_many_arguments, reason = "the parts of a step")]
    fn fetch(
        &mut self,
        site: usize,
        url: usize,
        status: usize,
        body: usize,
        records: usize,
        link: usize,
        etag: bool,
    ) {
        let id = self.known(site, url);
        let address = self.url(site, url);
        let lease = &self.leases[site];
        let status = [200, 200, 200, 304, 404, 503][status];
        let mut links = LinkList::new();
        let target = self.url(site, link);
        links.push(Link {
            href: &target,
            text: "",
            path: "html>body>a",
            rel: "",
        });
        let is_good = status == 200;
        let page = Page {
            url: address,
            run: self.run,
            // Some clocks are set back.
            fetched_at: if body == 3 {
                self.now - Duration::from_millis(5)
            } else {
                self.now
            },
            status: Some(status),
            bytes: body as u64,
            etag: etag.then(|| "tag".to_owned()),
            problem: (status == 503).then_some(UrlReason::Status(503)),
            exchange: Some(exchange(if is_good {
                ["a", "b", "c", "d"][body].repeat(600)
            } else {
                String::new()
            })),
            links: if is_good { links } else { LinkList::new() },
            text_hash: Some(body as u64),
            ..Page::default()
        };
        let objects = (0..if is_good { records } else { 0 }).map(|record| ExtractedRecord {
            record: crawl::record((record + body) as u64),
            expires_at: (record == 1).then_some(Timestamp::from_seconds(7)),
        });
        let extraction = Extraction {
            component: Arc::new(Component {
                vertical: "things".to_owned(),
                ..Component::default()
            }),
            problem: (body == 2 && records == 0).then(|| "trap".to_owned()),
            records: objects.collect(),
            ..Extraction::default()
        };
        let offer = Offer {
            state: if link == 7 {
                UrlState::Refused
            } else {
                UrlState::Queued
            },
            reason: (link == 7).then_some(UrlReason::Robots),
            found_on: Some(id),
            ..Offer::queued(&target, fingerprint(&target), 3, self.now)
        };
        // It may have been taken and settled before: then the page has no settled URL.
        let is_taken = self.take_until(lease, id);
        let result = FetchResult {
            settled: is_taken.then(|| UrlOutcome::again(id, self.now, "again".into())),
            page: Some(page),
            offers: vec![offer],
            extractions: if is_good { vec![extraction] } else { Vec::new() },
            ..FetchResult::default()
        };
        self.store.commit(lease, result).unwrap();
    }

    /// Takes URLs of a site until this one comes, and puts the others back.
    fn take_until(&self, lease: &Lease, wanted: UrlId) -> bool {
        let taken = self
            .store
            .take(lease, None, 100, self.now + Duration::from_millis(100))
            .unwrap();
        let mut is_taken = false;
        for pending in taken {
            match pending.id == wanted {
                true => is_taken = true,
                false => {
                    let back = UrlOutcome::again(pending.id, self.now, "waits".into());
                    let result = FetchResult {
                        settled: Some(back),
                        ..FetchResult::default()
                    };
                    self.store.commit(lease, result).unwrap();
                }
            }
        }
        is_taken
    }

    /// Objects new records by their IDs.
    fn object(&mut self, records: usize, modulo: i64) {
        let store = self.store;
        let warehouse = store.warehouse("things", self.now).unwrap();
        if store
            .warehouse_vertical("things")
            .unwrap()
            .unwrap()
            .matching
            .schema
            == "[]"
        {
            let assign = Reassignment {
                matching: matching(0),
                now: self.now,
                ..Reassignment::default()
            };
            store.rebuild(warehouse, Rebuild::Assign(assign)).unwrap();
        }
        let found = store.found("things", records).unwrap();
        let last = store.totals(warehouse).unwrap().last;
        let mut batch = Batch {
            warehouse,
            upto: found.upto,
            now: self.now,
            ..Batch::default()
        };
        let mut objects: BTreeMap<i64, u64> = BTreeMap::new();
        for page in found.pages {
            let before = store
                .members(MemberFilter::Urls(warehouse, std::slice::from_ref(&page.url)))
                .unwrap();
            let Some(records) = page.records else {
                batch
                    .seen
                    .extend(before.iter().filter(|member| member.current).map(|member| Seen {
                        member: member.id,
                        record: None,
                        at: page.fetched_at,
                    }));
                continue;
            };
            batch.gone.extend(before.iter().map(|member| member.id));
            batch
                .replaced
                .extend(before.iter().skip(1).map(|member| member.id));
            let mut previous = None;
            for (record, _) in records {
                let object = last.min(1) + 1 + record % modulo;
                *objects.entry(object).or_default() += 1;
                batch.members.push(NewMember {
                    id: record,
                    object,
                    url: page.url.clone(),
                    record_print: record.unsigned_abs().into(),
                    seen_at: page.fetched_at,
                    features: vec![record as u8],
                    keys: vec![("key".to_owned(), object.to_string())],
                });
                batch.seen.push(Seen {
                    member: record,
                    record: Some(record),
                    at: page.fetched_at,
                });
                if let Some(previous) = previous.replace(record) {
                    batch.links.push(WarehouseLink {
                        one: record,
                        other: previous,
                        probability: 1.0 / record as f64,
                        scheme: "key".to_owned(),
                        reasons: vec!["near".to_owned()],
                    });
                }
            }
        }
        batch.objects = objects
            .iter()
            .map(|(id, members)| merged(*id, *members, self.now))
            .collect();
        if objects.len() > 2 {
            let ids: Vec<i64> = objects.keys().copied().collect();
            batch.merged.push((ObjectId(ids[1]), ObjectId(ids[0])));
            batch
                .members
                .iter_mut()
                .filter(|member| member.object == ids[1])
                .for_each(|member| member.object = ids[0]);
        }
        store.take_in(batch).unwrap();
    }

    fn members(&self) -> Vec<i64> {
        let times = self.store.record_times("things", 0, 1_000).unwrap();
        times.iter().map(|times| times.member).collect()
    }

    fn keep_apart(&mut self, one: usize, other: usize, moves: bool) {
        let members = self.members();
        let pick = |number: usize| members.get(number % members.len().max(1)).copied();
        let (Some(one), Some(other)) = (pick(one), pick(other)) else {
            return;
        };
        if one != other {
            let moved = if moves { vec![other] } else { Vec::new() };
            self.store.keep_apart((one, other), moved, self.now).unwrap();
            // The index keeps the sites of both objects until they are refreshed, as whoever parts
            // them does next. Memory has no index, and would know them at once.
            if moves {
                self.refresh();
            }
        }
    }

    fn again(&mut self, modulo: i64) {
        let store = self.store;
        let warehouse = store.warehouse("things", self.now).unwrap();
        store.rebuild(warehouse, Rebuild::Begin).unwrap();
        let standing = store.standing_after(warehouse, 0, 1_000).unwrap();
        let prepared = standing.iter().map(|row| PreparedMember {
            id: row.id,
            features: vec![row.id as u8, 1],
            keys: Vec::new(),
        });
        store
            .rebuild(warehouse, Rebuild::Prepare(prepared.collect()))
            .unwrap();
        let last = store.totals(warehouse).unwrap().last;
        let moved: Vec<_> = standing
            .iter()
            .map(|row| (row.id, last + 1 + row.id % modulo))
            .collect();
        let reassignment = Reassignment {
            matching: matching(modulo),
            now: self.now,
            new: (0..modulo).map(|number| last + 1 + number).collect(),
            retired: standing.iter().map(|row| (row.object, last + 1)).collect(),
            links: standing
                .windows(2)
                .map(|pair| WarehouseLink {
                    one: pair[0].id,
                    other: pair[1].id,
                    probability: 0.5,
                    scheme: "again".to_owned(),
                    reasons: Vec::new(),
                })
                .collect(),
            moved,
        };
        store.rebuild(warehouse, Rebuild::Assign(reassignment)).unwrap();
    }

    fn refresh(&mut self) {
        let store = self.store;
        let warehouse = store.warehouse("things", self.now).unwrap();
        let stale = store.stale(warehouse, 3).unwrap();
        let objects = stale.iter().map(|id| {
            let members = store.members(MemberFilter::Objects(&[*id])).unwrap();
            merged(*id, members.len() as u64, self.now)
        });
        let batch = Batch {
            warehouse,
            now: self.now,
            objects: objects.collect(),
            ..Batch::default()
        };
        store.take_in(batch).unwrap();
    }

    /// Results of all reads.
    fn answers(&self) -> Vec<String> {
        let store = self.store;
        let mut all = Vec::new();
        let mut pages = Vec::new();
        all.push(format!("{:#?}", store.runs().unwrap()));
        for kind in [RunKind::Watch, RunKind::Crawl] {
            all.push(format!("{:#?}", store.spent(kind, moment(110)).unwrap()));
        }
        let runs: Vec<RunId> = store.runs().unwrap().iter().map(|run| run.id).collect();
        all.push(format!(
            "{:#?}",
            store
                .run_totals("things", &runs, (moment(100), moment(120)))
                .unwrap()
        ));
        for site in store.sites_after(None, 9).unwrap() {
            all.push(format!("{} {}", site.key, site.queued));
            all.push(format!("{:#?}", store.known_pages(site.id).unwrap()));
            all.push(format!(
                "{:#?}",
                store.found_by_links_after(site.id, None, 99).unwrap()
            ));
            let mut fetches = store.fetches(&FetchRequest::of(site.id)).unwrap();
            for page in &mut fetches {
                pages.push(page.id);
                page.archived = None;
            }
            all.push(format!("{fetches:#?}"));
            let mut patterns = store.patterns("things", site.id).unwrap();
            // An ID may be assigned again after its pattern is gone.
            patterns.iter_mut().for_each(|pattern| pattern.id = 0);
            all.push(format!("{patterns:#?}"));
            all.push(format!("{:#?}", store.lists_gone_at("things", site.id).unwrap()));
            all.push(format!("{:?}", store.checked_pages("things", site.id).unwrap()));
            all.push(format!("{:?}", store.url_rules(&site.key).unwrap()));
        }
        all.push(format!("{:#?}", store.page_links(&pages).unwrap()));
        let records = store.records_of("things", &pages).unwrap();
        let numbers: Vec<i64> = records.iter().map(|row| row.id).collect();
        all.push(format!("{records:#?}"));
        all.push(format!("{:#?}", store.records(&numbers).unwrap()));
        all.push(format!("{:#?}", store.warehouse_vertical("things").unwrap()));
        all.push(format!("{:#?}", store.objects_after("things", None, 99).unwrap()));
        all.push(format!(
            "{:#?}",
            store.objects_on_pages("things", None, 99).unwrap()
        ));
        all.push(format!("{:#?}", store.doubtful_pages("things").unwrap()));
        all.push(format!("{:#?}", store.record_times("things", 0, 99).unwrap()));
        all.push(format!("{:#?}", store.found("things", 3).unwrap()));
        all.push(format!(
            "{:#?}",
            store.members(MemberFilter::Records(&numbers)).unwrap()
        ));
        for id in 0..12 {
            all.push(format!("{:#?}", store.object(ObjectId(id)).unwrap()));
            all.push(format!("{:#?}", store.links_of(id).unwrap()));
            all.push(format!(
                "{:#?}",
                store.members(MemberFilter::Objects(&[id])).unwrap()
            ));
        }
        if let Some(row) = store.warehouse_vertical("things").unwrap() {
            all.push(format!("{:#?}", store.totals(row.id).unwrap()));
            all.push(format!("{:#?}", store.stale(row.id, 99).unwrap()));
            all.push(format!("{:#?}", store.apart(row.id).unwrap()));
            all.push(format!("{:#?}", store.standing_after(row.id, 0, 99).unwrap()));
        }
        all.push(format!("{:#?}", store.components().unwrap()));
        all.extend(self.catalogue(&numbers));
        all.extend(self.searches());
        all.extend(self.log());
        all.push(format!("{:#?}", store.learned_sites("things").unwrap()));
        all.push(format!("{:#?}", store.selection("things").unwrap()));
        all.push(format!(
            "{:#?}",
            store.rounds("things", RoundFilter::All).unwrap()
        ));
        all.push(format!("{:#?}", store.stages("things").unwrap()));
        all
    }
}

impl Driven<'_> {
    /// Results of searches: the hits of each query in each order, in one page and in many.
    fn searches(&self) -> Vec<String> {
        let attributes = schema();
        let context = Context {
            attributes: &attributes,
            now: self.now,
        };
        let orders = [
            SortKey::Relevance,
            SortKey::Newest,
            SortKey::Label,
            SortKey::Records,
            SortKey::FirstSeen,
            SortKey::LastSeen,
            SortKey::Changed,
            SortKey::Expires,
            SortKey::Attribute("price".to_owned()),
            SortKey::Attribute("venue".to_owned()),
        ];
        let mut all = Vec::new();
        // Without a schema there is nothing to ask about.
        let row = self.store.warehouse_vertical("things").unwrap();
        if row.is_none_or(|row| row.matching.schema == "[]") {
            return all;
        }
        for (at, text) in QUERIES.iter().enumerate() {
            let query = Query::parse(text, &context).unwrap();
            let order = SearchOrder {
                by: orders[at % orders.len()].clone(),
                is_reversed: at % 4 == 0,
            };
            let mut options = SearchOptions {
                order,
                limit: 99,
                facets: 3,
                ..SearchOptions::default()
            };
            let whole = self.store.search("things", &query, &options).unwrap();
            all.push(format!("{text}: {whole:#?}"));
            let mut hits = Vec::new();
            options.limit = 2;
            loop {
                let page = self.store.search("things", &query, &options).unwrap();
                hits.extend(page.hits);
                options.after = page.next;
                if options.after.is_none() {
                    break;
                }
            }
            assert_eq!(hits, whole.hits, "{text}: pages have the hits of the whole");
            let mut ids: Vec<ObjectId> = hits.iter().map(|row| row.id).collect();
            ids.sort_unstable();
            assert_eq!(self.store.find_all("things", &query).unwrap(), ids, "{text}");
        }
        all
    }

    /// The log of changes, which must give the objects as they are.
    fn log(&self) -> Vec<String> {
        let store = self.store;
        let (mut changes, mut cursor) = (Vec::new(), None);
        loop {
            let filter = ChangeFilter::default();
            let page = store.changes(cursor.as_ref(), &filter, 3).unwrap();
            changes.extend(page.changes);
            cursor = Some(page.next);
            if page.is_last {
                break;
            }
        }
        assert_eq!(cursor, Some(store.last_change().unwrap()));
        replay::check(store, &changes);
        let mut all: Vec<String> = Vec::new();
        for change in changes {
            let own = store.object_changes(change.object).unwrap();
            assert!(own.contains(&change));
            let Change {
                object,
                kind,
                at,
                run,
                attributes,
                expires_at,
                into,
                ..
            } = change;
            all.push(format!(
                "{object} {kind} {at:?} {run:?} {attributes:?} {expires_at:?} {into:?}"
            ));
        }
        for id in (0..12).map(ObjectId) {
            all.push(format!("{:#?}", store.object_detail(id).unwrap()));
        }
        all
    }

    /// Results of all reads of the catalogue.
    fn catalogue(&self, records: &[i64]) -> Vec<String> {
        let store = self.store;
        let mut all = Vec::new();
        for order in [
            ObjectOrder::Number,
            ObjectOrder::Label,
            ObjectOrder::Members,
            ObjectOrder::FirstSeen,
            ObjectOrder::LastSeen,
            ObjectOrder::Expires,
        ] {
            for (backwards, limit) in [(false, 99), (true, 99), (true, 1)] {
                let filter = ObjectFilter {
                    order,
                    backwards,
                    new_since: (limit > 1).then_some(moment(105)),
                    current_at: backwards.then_some(moment(110)),
                    ..ObjectFilter::default()
                };
                let mut rows = Vec::new();
                let each = &mut |row| {
                    rows.push(row);
                    match rows.len() < limit {
                        true => ControlFlow::Continue(()),
                        false => ControlFlow::Break(()),
                    }
                };
                store.objects(&filter, each).unwrap();
                all.push(format!("{filter:?}: {rows:#?}"));
            }
        }
        for id in (0..12).map(ObjectId) {
            all.push(format!("{:?}", store.merged_into(id).unwrap()));
            let members = store.members_of(id).unwrap();
            for member in &members {
                all.push(format!("{:?}", store.sightings(member.id).unwrap()));
                all.push(format!("{:?}", store.objects_at("things", &member.url).unwrap()));
            }
            all.push(format!("{members:#?}"));
        }
        for record in records {
            all.push(format!("{:#?}", store.member_with(*record).unwrap()));
        }
        all
    }
}

fn matching(modulo: i64) -> Matching {
    Matching {
        matcher: Some(MatcherKind::Schema),
        digest: modulo.to_string(),
        options: String::new(),
        schema: serde_json::to_string(&schema()).unwrap(),
    }
}

/// An object whose values follow from its number and the time.
fn merged(id: i64, members: u64, now: Timestamp) -> MergedObject {
    const WORDS: [&str; 5] = ["jazz", "night", "lighthouse", "Été", "東京"];
    const PLACES: [&str; 3] = ["Old Mill", "Great Hall", "Mill"];
    let turn = (id + now.as_millis()).unsigned_abs() as usize;
    let word = |at: usize| WORDS[(turn + at) % WORDS.len()];
    let currency = ["EUR", "USD"][turn % 2];
    let mut values = vec![
        ("title", format!("{} {}", word(0), word(1))),
        ("start", format!("1970-01-0{}T12:00", 1 + turn % 7)),
        ("venue", PLACES[turn % PLACES.len()].to_owned()),
        ("by", word(2).to_owned()),
        ("by", word(3).to_owned()),
        ("isbn", format!("isbn {turn}")),
    ];
    match turn % 3 {
        0 => values.push(("price", format!("{} {currency}", turn % 40))),
        1 => values.push(("price", format!("{}-{} {currency}", turn % 20, 20 + turn % 20))),
        _ => {}
    }
    // The order in which they are kept.
    values.sort_by_key(|(attribute, _)| *attribute);
    MergedObject {
        id,
        label: format!("{} {id}", word(0)),
        record: Record {
            object_type: "Thing".to_owned(),
            confidence: 1.0,
            values: values
                .into_iter()
                .map(|(attribute, value)| RecordValue {
                    attribute: attribute.to_owned(),
                    value,
                    raw: None,
                    node: None,
                    repeated: attribute == "by",
                })
                .collect(),
        },
        members,
        current: members * u64::from(!turn.is_multiple_of(5)),
        first_seen: now,
        last_seen: now,
        expires_at: turn.is_multiple_of(4).then_some(Timestamp::from_millis(100 + id)),
        ..MergedObject::default()
    }
}

/// The schema of the objects.
fn schema() -> Vec<Attribute> {
    let attribute = |(name, kind, identifies): (&str, &str, bool)| Attribute {
        repeated: name == "by",
        identifies,
        ..Attribute::new(name, Kind::from(kind.to_owned()))
    };
    let all = [
        ("title", "text", true),
        ("start", "date-time", true),
        ("price", "money", false),
        ("venue", "place", false),
        ("by", "person", false),
        ("isbn", "identifier:isbn", true),
    ];
    all.map(attribute).into()
}

/// Queries of every kind of term, alone and together.
const QUERIES: [&str; 30] = [
    "",
    "jazz",
    "-jazz",
    "night lighthouse",
    "\"jazz night\"",
    "ete",
    "東京",
    "li*",
    "title:jazz",
    "-title:jazz venue:mill",
    "venue=\"old mill\"",
    "venue!=Mill",
    "by=night",
    "by:\"night lighthouse\"",
    "title~zz",
    "start:1970-01-03",
    "start>=1970-01-03 start<1970-01-06",
    "price<10",
    "price>=25",
    "price:20..30",
    "price<=\"20 EUR\" venue:mill jazz",
    "has:price",
    "-has:price night",
    "isbn:104",
    "site:one.test",
    "-site:other.test",
    "is:gone",
    "is:expired",
    "first-seen>=1970-01-01 jazz -venue:great",
    "3",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]
    #[test]
    fn the_workspace_and_memory_answer_the_same(steps in prop::collection::vec(step(), 1..40)) {
        let memory = MemoryStore::new();
        let folder = tempfile::tempdir().unwrap();
        let workspace = Workspace::create(folder.path(), &WorkspaceOptions::default()).unwrap();
        let (mut one, mut other) = (Driven::new(&memory), Driven::new(&workspace));
        for step in &steps {
            one.step(step);
            other.step(step);
        }
        let (expected, found) = (one.answers(), other.answers());
        for (expected, found) in expected.iter().zip(&found) {
            prop_assert_eq!(expected, found);
        }
    }
}
