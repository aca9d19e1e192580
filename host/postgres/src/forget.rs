//! Removing pages with all that came of them.
//!
//! All rows are removed in one transaction under the lease of the shared bucket. The process has
//! the other buckets, too, so no other process adds rows meanwhile.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use magpie_archive::append_whole;
use magpie_rows::diff;
use magpie_rows::log::{Logged, NewChange, NewChanges};
use magpie_rows::{
    Archived as _, ChangeKind, Forgetting, Forgotten, ObjectState, Objects as _, PageId, SiteId, StoreError,
    UrlTest, values_left, version_left,
};
use magpie_values::Timestamp;
use magpie_warc::ArchiveWriter;
use tokio_postgres::types::Type;
use xxhash_rust::xxh3::xxh3_64;

use crate::entries::{NewEntries, facets_and_words};
use crate::hand_in::put;
use crate::house::many;
use crate::numbers::{SHARED, bucket_of, rows_of};
use crate::segments::new_names;
use crate::server::{Call, call};
use crate::statement::Statement;
use crate::statements::house::{
    ADDRESSES_BESIDE, BEREAVE, BLANK_FIRST_CHANGES, BLANK_OBJECTS, BLANK_PARTS, BYTES_OF, CLUSTER_AGAIN,
    CLUSTERED_UPTO, COUNT_QUEUED, COUNT_TALLY, DROP_CHANGES, DROP_LATER_CHANGES, DROP_TALLY,
    DROP_UNUSED_VALUES, DROP_UNUSED_WORDS, DROP_WASTE, FORGET_ADDRESSES, FORGET_MEMBERS, FORGET_PAGES,
    FORGET_SITES, FORGET_URLS, HEIRS, LAST_SEQ, LEFT_OF, LIST_FILES, MEMBERS_OF, OTHERS_AFTER, OWN_BODIES,
    OWN_SEGMENTS, PAGES_OF, PUT_WASTE, RECALL_URLS, RECORDS_OF, REFUSED_AFTER, RENEW_OBJECTS, SITE_KEYS,
    URLS_AFTER,
};
use crate::store::Store;
use crate::value::{Value, numbers, texts};
use crate::warehouse::append;

/// Rows that are read at a time.
const MANY: usize = 10_000;

/// The URLs that are meant, and their sites.
#[derive(Default)]
struct Doomed {
    urls: Vec<i64>,
    pages: Vec<i64>,
    /// By site, whether it has other URLs.
    sites: BTreeMap<i64, bool>,
}

/// Objects of members that are removed, and what becomes of them.
struct Objects {
    members: Vec<i64>,
    kept: Vec<Kept>,
    gone: Vec<i64>,
    changes: Vec<NewChange>,
    entries: Vec<NewEntries>,
    /// Words and values that other objects may not have.
    words: BTreeSet<String>,
    values: BTreeMap<i64, i64>,
    pictures: BTreeSet<String>,
    last_change: i64,
    epoch: i64,
}

/// An object that has other records.
struct Kept {
    object: i64,
    members: i64,
    current: i64,
    first_seen: Timestamp,
    last_seen: Timestamp,
    after: diff::Version,
}

impl Store {
    pub(crate) fn forget_pages(&self, request: &Forgetting) -> Result<Forgotten, StoreError> {
        self.writer.flush()?;
        let doomed = self.doomed(&URLS_AFTER, &request.urls)?;
        let whole = doomed.sites.iter().filter(|(_, has_others)| !**has_others);
        let whole: Vec<i64> = whole.map(|(site, _)| *site).collect();
        let pages = || numbers(doomed.pages.iter().copied());
        let records = self.query(call(&RECORDS_OF, [pages()]), |cells| cells.get::<i64>())?;
        let bytes = self.query(call(&BYTES_OF, [pages()]), |cells| cells.unsigned())?;
        let sites = numbers(whole.iter().copied());
        let objects = self.objects_left(&records, request.now)?;
        let forgotten = Forgotten {
            sites: self.query(call(&SITE_KEYS, [sites]), |cells| cells.get())?,
            urls: doomed.urls.len() as u64,
            pages: doomed.pages.len() as u64,
            records: records.len() as u64,
            objects: objects.gone.len() as u64,
            changed_objects: objects.kept.len() as u64,
            bytes: bytes.first().copied().unwrap_or_default(),
        };
        if request.is_dry {
            return Ok(forgotten);
        }
        let buckets = doomed.urls.iter().chain(&doomed.pages).map(|row| bucket_of(*row));
        for bucket in buckets.collect::<BTreeSet<i16>>() {
            self.hold(bucket)?;
        }
        self.give_own_bodies(&doomed.pages)?;
        let beside = self.query(call(&ADDRESSES_BESIDE, []), |cells| cells.get::<String>())?;
        let is_meant = |url: &&String| (request.urls.0)(url) || (request.urls.0)(&format!("{url}/"));
        let beside: Vec<&str> = beside.iter().filter(is_meant).map(String::as_str).collect();
        self.write_in_epoch(objects.epoch, |calls| {
            calls.push(call(&LIST_FILES, [pages()]));
            objects.write_members(calls, &records);
            calls.push(call(&BEREAVE, [pages()]));
            calls.push(call(&FORGET_PAGES, [pages()]));
            let sites = || numbers(doomed.sites.keys().copied());
            let mut rows = [const { Vec::new() }; 3];
            for site in doomed.sites.keys() {
                let (first, last) = rows_of(SiteId(*site));
                for (column, number) in rows.iter_mut().zip([*site, first, last]) {
                    column.push(Value::from(number));
                }
            }
            let rows = rows.map(|column| Value::Many(Type::INT8_ARRAY, column));
            calls.push(call(&CLUSTERED_UPTO, rows));
            let urls = numbers(doomed.urls.iter().copied());
            calls.push(call(&FORGET_URLS, [urls, request.detail.as_str().into()]));
            count_again(calls, sites);
            calls.push(call(&FORGET_SITES, [numbers(whole.iter().copied())]));
            let pictures = texts(objects.pictures.iter().map(String::as_str));
            calls.push(call(&FORGET_ADDRESSES, [texts(beside.iter().copied()), pictures]));
            objects.write(calls, request.now);
        })?;
        self.tidy()?;
        Ok(forgotten)
    }

    pub(crate) fn recall_urls(&self, urls: &UrlTest) -> Result<u64, StoreError> {
        self.writer.flush()?;
        let recalled = self.doomed(&REFUSED_AFTER, urls)?;
        for bucket in recalled
            .urls
            .iter()
            .map(|url| bucket_of(*url))
            .collect::<BTreeSet<i16>>()
        {
            self.hold(bucket)?;
        }
        self.write_shared(|| {
            let mut calls = vec![call(&RECALL_URLS, [numbers(recalled.urls.iter().copied())])];
            count_again(&mut calls, || numbers(recalled.sites.keys().copied()));
            calls
        })?;
        Ok(recalled.urls.len() as u64)
    }

    /// Reads the URLs that are meant, with their pages.
    fn doomed(&self, urls: &'static Statement, test: &UrlTest) -> Result<Doomed, StoreError> {
        let mut doomed = Doomed::default();
        for (statement, are_pages) in [(urls, false), (&OTHERS_AFTER, true)] {
            let mut after = (i16::MIN, i64::MIN);
            loop {
                let values = [after.0.into(), after.1.into(), (MANY as i64).into()];
                let rows = self.query(call(statement, values), |cells| {
                    Ok((
                        (cells.get::<i16>()?, cells.get::<i64>()?),
                        cells.get::<i64>()?,
                        (test.0)(cells.get::<&str>()?),
                    ))
                })?;
                for ((_, row), site, is_meant) in &rows {
                    match (are_pages, is_meant) {
                        (true, true) => doomed.pages.push(*row),
                        (true, false) => {}
                        (false, true) => {
                            doomed.urls.push(*row);
                            doomed.sites.entry(*site).or_default();
                        }
                        (false, false) => *doomed.sites.entry(*site).or_default() = true,
                    }
                }
                match rows.last() {
                    Some((last, ..)) if rows.len() == MANY => after = *last,
                    _ => break,
                }
            }
        }
        // Sites of which nothing is meant.
        let touched: BTreeSet<i64> = doomed
            .urls
            .iter()
            .chain(&doomed.pages)
            .map(|row| crate::numbers::site_of(*row).0)
            .collect();
        doomed.sites.retain(|site, _| touched.contains(site));
        let urls = numbers(doomed.urls.iter().copied());
        doomed
            .pages
            .extend(self.query(call(&PAGES_OF, [urls]), |cells| cells.get::<i64>())?);
        Ok(doomed)
    }

    /// Decides what becomes of the objects of records that are removed.
    fn objects_left(&self, records: &[i64], now: Timestamp) -> Result<Objects, StoreError> {
        let epoch = self.shared_epoch()?;
        let values = [SHARED.into(), numbers(records.iter().copied())];
        let members = self.query(call(&MEMBERS_OF, values), |cells| {
            Ok((cells.get::<i64>()?, cells.get::<i64>()?, cells.get::<i64>()?))
        })?;
        let warehouses: BTreeMap<i64, i64> = members.iter().map(|(_, object, of)| (*object, *of)).collect();
        let members: Vec<i64> = members.into_iter().map(|(member, ..)| member).collect();
        let objects = || warehouses.keys().copied();
        let last = self.query(call(&LAST_SEQ, [SHARED.into()]), |cells| cells.get())?;
        let before = self.logged_rows(objects())?;
        let values = [
            SHARED.into(),
            numbers(objects()),
            numbers(members.iter().copied()),
        ];
        let left = self.query(call(&LEFT_OF, values), |cells| {
            let kept = Kept {
                object: cells.get()?,
                members: cells.get()?,
                current: cells.get()?,
                first_seen: cells.time()?,
                last_seen: cells.time()?,
                after: diff::Version::default(),
            };
            Ok((kept, cells.get::<i64>()?))
        })?;
        let standing: Vec<i64> = left.iter().map(|(_, record)| *record).collect();
        let rows = self.records(&standing)?.into_iter();
        let rows: HashMap<i64, _> = rows.map(|row| (row.id, row)).collect();
        let (mut kept, mut changes, mut after) = (Vec::new(), Vec::new(), HashMap::new());
        for (mut one, record) in left {
            let row = rows.get(&record);
            let record = row.and_then(|row| row.record.clone()).unwrap_or_default();
            let logged = before.get(&one.object);
            let label = logged.map_or("", |logged| logged.version.label.as_str());
            one.after = version_left(label, record, row.and_then(|row| row.expires_at));
            if let Some(logged) = logged.filter(|logged| logged.state.is_some()) {
                let state = diff::state(None, one.current.unsigned_abs(), one.after.expires_at, now);
                let change = |kind, attributes| NewChange {
                    object: one.object,
                    kind,
                    attributes,
                    after: one.after.clone(),
                    into: None,
                    state,
                };
                let values = values_left(&logged.version.record, &one.after.record);
                changes.push(change(ChangeKind::Changed, values));
                let current = Some((&one.after, ObjectState::Current));
                let more = diff::changes(current, &one.after, state).into_iter();
                changes.extend(more.map(|(kind, _)| change(kind, Vec::new())));
                let version = one.after.clone();
                let state = Some(state);
                after.insert(
                    one.object,
                    Logged {
                        version,
                        state,
                        merged_into: None,
                    },
                );
            }
            kept.push(one);
        }
        let has_others: BTreeSet<i64> = kept.iter().map(|one| one.object).collect();
        let gone: Vec<i64> = objects().filter(|object| !has_others.contains(object)).collect();
        let is_logged = |object: &&i64| before.get(object).is_some_and(|logged| logged.state.is_some());
        changes.extend(gone.iter().filter(is_logged).map(|object| NewChange {
            object: *object,
            kind: ChangeKind::Forgotten,
            attributes: Vec::new(),
            after: diff::Version::default(),
            into: None,
            state: ObjectState::Forgotten,
        }));
        let mut urls = self.urls_of(&objects().collect())?;
        urls.retain(|member, _| !members.contains(member));
        let log = NewChanges::new(after);
        let (mut words, mut values) = (BTreeSet::new(), BTreeMap::new());
        let mut entries = Vec::new();
        for warehouse in warehouses.values().copied().collect::<BTreeSet<i64>>() {
            let own = objects().filter(|object| warehouses[object] == warehouse);
            let own: BTreeSet<i64> = own.collect();
            let new = self.new_entries(warehouse, None, &own, &log, &urls)?;
            if let Some(new) = &new {
                for logged in own.iter().filter_map(|object| before.get(object)) {
                    facets_and_words(new, &logged.version, &mut words, &mut values);
                }
            }
            entries.extend(new);
        }
        let said = before.values().flat_map(|logged| &logged.version.record.values);
        let pictures = said
            .map(|value| value.value.clone())
            .filter(|value| value.contains("://"));
        Ok(Objects {
            pictures: pictures.collect(),
            members,
            kept,
            gone,
            changes,
            entries,
            words,
            values,
            last_change: last.first().copied().unwrap_or_default(),
            epoch,
        })
    }

    /// Gives pages a body of their own that had that of a page which is to be removed.
    fn give_own_bodies(&self, doomed: &[i64]) -> Result<(), StoreError> {
        let heirs = self.query(call(&HEIRS, [numbers(doomed.iter().copied())]), |cells| {
            cells.get::<i64>()
        })?;
        let mut heirs: Vec<i64> = heirs.into_iter().filter(|page| !doomed.contains(page)).collect();
        heirs.sort_by_key(|page| (bucket_of(*page), *page));
        let Some(below) = self.below.clone().filter(|_| !heirs.is_empty()) else {
            return Ok(());
        };
        let names = new_names(below);
        let mut heirs = heirs.into_iter().peekable();
        for number in 1.. {
            if heirs.peek().is_none() {
                break;
            }
            let url = names.name(None, number);
            let name = url.to_string();
            let mut writer =
                ArchiveWriter::in_memory(url.name(), &self.options.archive, xxh3_64(name.as_bytes()));
            let mut segments: BTreeMap<i16, (u64, u64, Timestamp)> = BTreeMap::new();
            let mut places: Vec<[i64; 3]> = Vec::new();
            for page in heirs.by_ref() {
                // A body that can't be read is lost already.
                let Ok(Some(answer)) = self.archived(PageId(page)) else {
                    continue;
                };
                let at = answer.page.fetched_at;
                let begin = writer.bytes();
                let segment = segments.entry(bucket_of(page)).or_insert((begin, begin, at));
                let location = append_whole(&mut writer, answer)?;
                segment.1 = writer.bytes();
                let place = location.offset - segment.0;
                places.push([page, place.cast_signed(), location.length.cast_signed()]);
                if writer.bytes() > FILE_BYTES {
                    break;
                }
            }
            if places.is_empty() {
                continue;
            }
            self.write_shared(|| vec![call(&PUT_WASTE, [(&name).into()])])?;
            self.archives.put(&url, writer.into_bytes())?;
            self.write_shared(|| {
                let pages = || numbers(places.iter().map(|[page, ..]| *page));
                let mut columns = [const { Vec::new() }; 4];
                for (bucket, (begin, end, at)) in &segments {
                    columns[0].push(Value::from(*bucket));
                    columns[1].push(Value::from(*begin));
                    columns[2].push(Value::from(end - begin));
                    columns[3].push(Value::from(*at));
                }
                let [buckets, bases, lengths, times] = many(columns);
                let at = |column: usize| numbers(places.iter().map(|place| place[column]));
                vec![
                    call(&LIST_FILES, [pages()]),
                    call(&OWN_SEGMENTS, [(&name).into(), buckets, bases, lengths, times]),
                    call(&OWN_BODIES, [(&name).into(), pages(), at(1), at(2)]),
                    call(&DROP_WASTE, [(&name).into()]),
                ]
            })?;
        }
        self.remove_waste()
    }
}

/// Size at which a file of bodies is put into the store.
const FILE_BYTES: u64 = 16 * 1024 * 1024;

impl Objects {
    fn write_members<'c>(&'c self, calls: &mut Vec<Call<'c>>, records: &'c [i64]) {
        let members = || numbers(self.members.iter().copied());
        let records = || numbers(records.iter().copied());
        calls.push(call(&CLUSTER_AGAIN, [members(), records()]));
        calls.push(call(&FORGET_MEMBERS, [SHARED.into(), members(), records()]));
    }

    fn write<'c>(&'c self, calls: &mut Vec<Call<'c>>, now: Timestamp) {
        let kept = || numbers(self.kept.iter().map(|one| one.object));
        let gone = || numbers(self.gone.iter().copied());
        let rows = self.kept.iter().map(|one| {
            [
                one.object.into(),
                (&one.after.label).into(),
                (&one.after.record.object_type).into(),
                one.after.record.to_text().into(),
                one.members.into(),
                one.current.into(),
                one.first_seen.into(),
                one.last_seen.into(),
                one.after.expires_at.into(),
            ]
        });
        put(calls, &RENEW_OBJECTS, SHARED, rows);
        calls.push(call(&BLANK_OBJECTS, [SHARED.into(), gone()]));
        append(calls, &self.changes, now);
        // After the others were added, whose numbers must be new to followers.
        let last = self.last_change;
        calls.push(call(&DROP_CHANGES, [SHARED.into(), gone(), last.into()]));
        calls.push(call(&DROP_LATER_CHANGES, [SHARED.into(), kept(), last.into()]));
        calls.push(call(&BLANK_FIRST_CHANGES, [SHARED.into(), kept(), last.into()]));
        for objects in [kept(), gone()] {
            calls.push(call(&BLANK_PARTS, [SHARED.into(), objects]));
        }
        self.entries.iter().for_each(|entries| entries.write(calls));
        let words = texts(self.words.iter().map(String::as_str));
        calls.push(call(&DROP_UNUSED_WORDS, [SHARED.into(), words]));
        let values = numbers(self.values.keys().copied());
        let terms = numbers(self.values.values().copied());
        calls.push(call(&DROP_UNUSED_VALUES, [SHARED.into(), values, terms]));
    }
}

/// Counts the URLs of sites again.
fn count_again<'c>(calls: &mut Vec<Call<'c>>, sites: impl Fn() -> Value<'c>) {
    for statement in [&DROP_TALLY, &COUNT_TALLY, &COUNT_QUEUED] {
        calls.push(call(statement, [sites()]));
    }
}
