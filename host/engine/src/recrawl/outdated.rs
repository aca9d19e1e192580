//! Known pages that lists show to be out of date.
//!
//! A page of an object is fetched again when its time has come, which may be weeks after the object
//! has changed. Lists are read in every round and show prices and days too. The round fetches the
//! page of an object if a list shows it with another price or day than before, or if a list has
//! dropped it and no other list of the round shows it.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use magpie_model::{Attribute, CanonicalUrl};
use magpie_rows::{
    FetchRequest, MemberFilter, MemberRow, MemberState, ObjectId, PageRow, RunId, SiteId, UrlId,
};
use magpie_values::kind::Shape;
use magpie_values::money::Money;
use magpie_values::{Timestamp, date};
use xxhash_rust::xxh3::xxh3_64;

use super::plan::Plan;
use crate::PipelineError;
use crate::filters::lock;
use crate::session::Session;

/// Pages that are out of date, by the keys of their sites.
pub(super) type Outdated = BTreeMap<String, Vec<UrlId>>;

/// The news of a list about an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum News {
    /// It shows the object as it has not before.
    Shown,
    /// It no longer shows the object.
    Gone,
}

/// Queues the pages of objects that the lists of a round show with other values than before, or no
/// longer, and that the round has not fetched. Sites spend on them what is left of their ceilings,
/// and all sites at most `most` pages.
pub(super) fn queue_outdated(
    session: &Session,
    plan: &Plan,
    (run, began): (RunId, Timestamp),
    most: Option<u64>,
) -> Result<Outdated, PipelineError> {
    let since = plan.since.unwrap_or(began);
    let plugin = session.plugin()?;
    let attributes = &plugin.info().attributes;
    let mut left = most.unwrap_or(u64::MAX);
    let mut outdated = Outdated::new();
    for planned in &plan.sites {
        let Some(round) = plan.round(&planned.key) else {
            continue;
        };
        let mut round = lock(round);
        let most = usize::try_from(round.left.min(left)).unwrap_or(usize::MAX);
        if most == 0 {
            continue;
        }
        let is_list = |url: &CanonicalUrl| round.is_list(url);
        let lists = lists_read(session, planned.site, (run, since), is_list)?;
        let told = Told {
            session,
            attributes,
            since,
        };
        let mut urls = told.pages(planned.site, &lists)?;
        urls.truncate(most);
        round.left -= urls.len() as u64;
        left -= urls.len() as u64;
        if !urls.is_empty() {
            session.store().queue_urls(planned.site, urls.clone())?;
            outdated.insert(planned.key.clone(), urls);
        }
    }
    Ok(outdated)
}

/// Pages of a list among which its last visit is looked for.
const VISITS: usize = 10;

/// A list that was read in a round and was not as before.
struct ReadList {
    url: String,
    /// Time of the visit before; `None` for a list that is new.
    before: Option<Timestamp>,
}

/// Returns the lists of a site that a run has read since a moment and that were not as before.
fn lists_read(
    session: &Session,
    site: SiteId,
    (run, since): (RunId, Timestamp),
    is_list: impl Fn(&CanonicalUrl) -> bool,
) -> Result<Vec<ReadList>, PipelineError> {
    let mut request = FetchRequest {
        run: Some(run),
        since,
        ..FetchRequest::of(site)
    };
    let mut lists = Vec::new();
    loop {
        let pages = session.store().fetches(&request)?;
        let Some(last) = pages.last() else {
            return Ok(lists);
        };
        request.after = last.number;
        for page in pages {
            let is_read = matches!(page.status, Some(200..=299));
            if !is_read || !CanonicalUrl::trusted(page.url.as_str()).is_some_and(|url| is_list(&url)) {
                continue;
            }
            let visits = match page.url_id {
                Some(url) => session.store().pages_of(url, VISITS)?,
                None => Vec::new(),
            };
            let is_before =
                |visit: &&PageRow| visit.fetched_at < since && matches!(visit.status, Some(200..=299 | 304));
            lists.push(ReadList {
                before: visits.iter().find(is_before).map(|visit| visit.fetched_at),
                url: page.url,
            });
        }
    }
}

/// The news of the lists of a site.
struct Told<'a> {
    session: &'a Session,
    attributes: &'a [Attribute],
    /// Time at which the round began.
    since: Timestamp,
}

impl Told<'_> {
    /// Returns the pages of objects of which lists have news, those with other values first.
    fn pages(&self, site: SiteId, lists: &[ReadList]) -> Result<Vec<UrlId>, PipelineError> {
        let store = self.session.store();
        let Some(warehouse) = store.warehouse_vertical(self.session.vertical())? else {
            return Ok(Vec::new());
        };
        let urls: Vec<String> = lists.iter().map(|list| list.url.clone()).collect();
        let on_lists = store.members(MemberFilter::Urls(warehouse.id, &urls))?;
        let before = lists
            .iter()
            .map(|list| (xxh3_64(list.url.as_bytes()), list.before));
        let news = self.news(&on_lists, &before.collect());
        let objects: Vec<i64> = news.iter().map(|(_, object)| *object).collect();
        let members = store.members(MemberFilter::Objects(&objects))?;
        let subjects: HashSet<i64> = members
            .iter()
            .filter(|member| member.is_subject)
            .map(|member| member.id)
            .collect();
        let (mut urls, mut taken) = (Vec::new(), HashSet::new());
        for (news, object) in news {
            let object = ObjectId(object);
            let members = store.members_of(object)?;
            let (own, others): (Vec<&MemberRow>, Vec<&MemberRow>) =
                members.iter().partition(|member| subjects.contains(&member.id));
            let is_outdated = match news {
                News::Shown => self.shows_other_values(&members),
                // Lists that rest have not been asked, and the round reads those that show what no
                // other list does.
                News::Gone => !others
                    .iter()
                    .any(|member| member.current && member.last_seen >= self.since),
            };
            let has_expired = || -> Result<bool, PipelineError> {
                let expires = store.object(object)?.and_then(|row| row.expires_at);
                Ok(expires.is_some_and(|at| at < self.session.now()))
            };
            if !is_outdated || has_expired()? {
                continue;
            }
            for member in own
                .iter()
                .filter(|member| member.current && member.last_seen < self.since)
            {
                let page = store.page(member.page)?.filter(|page| page.site == site);
                urls.extend(page.and_then(|page| page.url_id).filter(|url| taken.insert(*url)));
            }
        }
        Ok(urls)
    }

    /// Returns the objects that lists show now and not before, or no longer. `before` has the times
    /// of the visits to the lists before, by the hashes of their URLs.
    fn news(
        &self,
        on_lists: &[MemberState],
        before: &HashMap<u64, Option<Timestamp>>,
    ) -> BTreeSet<(News, i64)> {
        let mut news = BTreeSet::new();
        // Objects that each list still shows, and those that it does not show any more.
        let mut lists: HashMap<u64, (usize, Vec<i64>)> = HashMap::new();
        for member in on_lists {
            let (kept, gone) = lists.entry(member.url).or_default();
            let before = before.get(&member.url).copied().flatten();
            match member.current {
                true if member.first_seen >= self.since => {
                    news.insert((News::Shown, member.object));
                }
                true => *kept += 1,
                // An object that was gone at the visit before is no news.
                false if before.is_some_and(|before| member.last_seen >= before) => gone.push(member.object),
                false => {}
            }
        }
        for (kept, gone) in lists.into_values() {
            // A list that lost most of its objects shows others each week, or fails. The watch of
            // the site's patterns judges failures.
            if gone.len() <= kept {
                news.extend(gone.into_iter().map(|object| (News::Gone, object)));
            }
        }
        news
    }

    /// Returns true if a member that was found in this round has a price or a day that contradicts
    /// all members that were known before.
    fn shows_other_values(&self, members: &[MemberRow]) -> bool {
        let (new, old): (Vec<&MemberRow>, Vec<&MemberRow>) =
            members.iter().partition(|member| member.first_seen >= self.since);
        self.attributes.iter().any(|attribute| {
            let shape = attribute.kind.facts().shape;
            let mut known = old
                .iter()
                .flat_map(|member| member.record.all(&attribute.name))
                .peekable();
            if !matches!(shape, Shape::Amount | Shape::Moment) || known.peek().is_none() {
                return false;
            }
            let known: Vec<&str> = known.collect();
            let mut shown = new.iter().flat_map(|member| member.record.all(&attribute.name));
            shown.any(|value| !known.iter().any(|known| agree(shape, known, value)))
        })
    }
}

/// Returns true if two prices or two moments may be the same. Those that can't be read agree with
/// all others.
fn agree(shape: Shape, one: &str, other: &str) -> bool {
    match shape {
        Shape::Amount => match (one.parse::<Money>(), other.parse::<Money>()) {
            (Ok(one), Ok(other)) => one.agrees_with(other),
            _ => true,
        },
        _ => match (date::parse_iso(one), date::parse_iso(other)) {
            (Some(one), Some(other)) => one.agrees_with(other),
            _ => true,
        },
    }
}
