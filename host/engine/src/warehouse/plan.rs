//! The known, new and gone records of the next pages, before any comparison.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use magpie_matching::Origin;
use magpie_model::Record;
use magpie_rows::{FoundPage, MemberFilter, MemberState, PageId, Seen, SiteId, StoreError, Warehouse};
use magpie_values::Timestamp;
use xxhash_rust::xxh3::xxh3_64;

/// Time for which a list is believed to show an object whose own page is gone. One that was read
/// longer before may have dropped it since, and rounds do not read all lists.
const BELIEVED: Duration = Duration::from_secs(86_400);

/// The meaning of a batch of pages.
#[derive(Debug, Default)]
pub(super) struct Plan {
    /// The members at each URL as they are after the batch.
    pub(super) at: BTreeMap<String, Vec<MemberState>>,
    /// Members on pages that are not in the batch, and that end with the page of their object.
    ended: Vec<MemberState>,
    /// The members as they were before the batch.
    pub(super) before: BTreeMap<i64, MemberState>,
    /// Records to be compared, by the number of their member.
    pub(super) fresh: Vec<Fresh>,
    pub(super) seen: Vec<Seen>,
    /// Objects that were read.
    pub(super) objects: u64,
    /// Pages with records.
    pub(super) pages: u64,
    /// Number of objects without a valid record.
    pub(super) unreadable: u64,
    /// Pages with records to be compared.
    pub(super) read: Vec<ReadPage>,
}

/// A page with all its records that can be read.
#[derive(Debug)]
pub(super) struct ReadPage {
    pub(super) page: PageId,
    pub(super) site: SiteId,
    pub(super) url: String,
    /// The records, each with the number of its member.
    pub(super) records: Vec<(i64, Record)>,
    /// The number of the last record: an archived page that is read again has others.
    pub(super) last: i64,
}

/// A record that was not compared before, or not since another took its place.
#[derive(Debug)]
pub(super) struct Fresh {
    pub(super) id: i64,
    pub(super) url: String,
    pub(super) record_print: u128,
    pub(super) seen_at: Timestamp,
    pub(super) record: Record,
    /// True if the record is an earlier member that comes back.
    pub(super) returns: bool,
    pub(super) origin: Origin,
}

/// The cluster of a member that has none yet.
pub(super) const NONE: i64 = 0;

impl Plan {
    /// The meaning of pages, in their order.
    pub(super) fn of(
        store: &dyn Warehouse,
        warehouse: i64,
        pages: Vec<FoundPage>,
    ) -> Result<Self, StoreError> {
        let mut plan = Self::default();
        let mut urls: Vec<String> = pages.iter().map(|page| page.url.clone()).collect();
        urls.sort_unstable();
        urls.dedup();
        let members = store.members(MemberFilter::Urls(warehouse, &urls))?;
        plan.before = members.into_iter().map(|member| (member.id, member)).collect();
        let by_print: BTreeMap<u64, String> = urls
            .into_iter()
            .map(|url| (xxh3_64(url.as_bytes()), url))
            .collect();
        for member in plan.before.values() {
            if let Some(url) = by_print.get(&member.url) {
                plan.at.entry(url.clone()).or_default().push(*member);
            }
        }
        let mut gone: BTreeMap<i64, Timestamp> = BTreeMap::new();
        for page in pages {
            plan.pages += 1;
            if page.is_gone {
                let here = plan.at.get(&page.url).into_iter().flatten();
                let own = here.filter(|member| member.current && member.is_subject);
                gone.extend(own.map(|member| (member.object, page.fetched_at)));
            }
            match page.records {
                None => plan.unchanged(&page.url, page.fetched_at),
                Some(objects) => plan.read((page.page, page.site), &page.url, page.fetched_at, objects),
            }
        }
        plan.end(store, &gone)?;
        Ok(plan)
    }

    /// Ends what lists showed of objects whose own pages are gone, unless these have others.
    fn end(&mut self, store: &dyn Warehouse, gone: &BTreeMap<i64, Timestamp>) -> Result<(), StoreError> {
        if gone.is_empty() {
            return Ok(());
        }
        let here = self.at.values().flatten();
        let here: BTreeMap<i64, bool> = here.map(|member| (member.id, member.current)).collect();
        let objects: Vec<i64> = gone.keys().copied().collect();
        let mut members: BTreeMap<i64, Vec<MemberState>> = BTreeMap::new();
        for member in store.members(MemberFilter::Objects(&objects))? {
            if *here.get(&member.id).unwrap_or(&member.current) {
                members.entry(member.object).or_default().push(member);
            }
        }
        for (object, members) in members {
            if members.iter().any(|member| member.is_subject) {
                continue;
            }
            let is_old = |member: &MemberState| member.last_seen + BELIEVED < gone[&object];
            for member in members {
                if is_old(&member) && !self.before.contains_key(&member.id) {
                    self.before.insert(member.id, member);
                    self.ended.push(MemberState {
                        current: false,
                        ..member
                    });
                }
            }
        }
        Ok(())
    }

    /// Returns all members that the batch is about, to change them.
    pub(super) fn members_mut(&mut self) -> impl Iterator<Item = &mut MemberState> {
        self.at.values_mut().flatten().chain(&mut self.ended)
    }

    /// The members that stand on their page otherwise than before; new ones did not stand there.
    pub(super) fn turned(&self) -> impl Iterator<Item = &MemberState> {
        let members = self.at.values().flatten().chain(&self.ended);
        members.filter(|member| {
            self.before.get(&member.id).is_some_and(|before| before.current) != member.current
        })
    }

    /// The page is unchanged according to its site, so all its records are still valid.
    fn unchanged(&mut self, url: &str, at: Timestamp) {
        let standing = self
            .at
            .get(url)
            .into_iter()
            .flatten()
            .filter(|member| member.current);
        self.seen.extend(standing.map(|member| Seen {
            member: member.id,
            record: None,
            at,
        }));
    }

    fn read(
        &mut self,
        (page, site): (PageId, SiteId),
        url: &str,
        at: Timestamp,
        objects: Vec<(i64, Option<Record>)>,
    ) {
        let (fresh, mut records) = (self.fresh.len(), Vec::new());
        let last = objects.iter().map(|(id, _)| *id).max().unwrap_or_default();
        let mut here = self.at.remove(url).unwrap_or_default();
        let mut standing = BTreeSet::new();
        for (id, record) in objects {
            self.objects += 1;
            let Some(record) = record else {
                self.unreadable += 1;
                continue;
            };
            let print = record.fingerprint();
            let known = here.iter_mut().find(|member| member.record_print == print);
            let (member, returns) = match known {
                Some(member) => {
                    // A record that was replaced before has left the clustering, so it is compared
                    // as if it were new.
                    let returns = !std::mem::replace(&mut member.compared, true);
                    (member.id, returns)
                }
                None => {
                    here.push(MemberState {
                        id,
                        object: NONE,
                        url: xxh3_64(url.as_bytes()),
                        record_print: print,
                        current: true,
                        compared: true,
                        is_subject: false,
                        first_seen: at,
                        last_seen: at,
                    });
                    (id, false)
                }
            };
            records.push((member, record.clone()));
            // A record that is twice on one page is one member, and is compared once.
            if returns || member == id {
                self.fresh.push(Fresh {
                    id: member,
                    url: url.to_owned(),
                    record_print: print,
                    seen_at: at,
                    record,
                    returns,
                    origin: Origin::default(),
                });
            }
            standing.insert(member);
            self.seen.push(Seen {
                member,
                record: Some(id),
                at,
            });
        }
        if self.fresh.len() > fresh {
            self.read.push(ReadPage {
                page,
                site,
                url: url.to_owned(),
                records,
                last,
            });
        }
        for member in &mut here {
            member.current = standing.contains(&member.id);
        }
        self.at.insert(url.to_owned(), here);
    }
}
