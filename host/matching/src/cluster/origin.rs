//! Identity within a site: detail pages that records lead to, and rows of one list.
//!
//! Records that lead to one detail page of a site are one object. Records with different detail
//! pages of one site, and different rows of one list, are not. Both hold only for pages that are
//! detail pages: a home page, a ticket shop or a cart is linked under many different names, and is
//! told apart by that.

use std::collections::{BTreeSet, HashMap, HashSet};

use serde::{Deserialize, Serialize};

use super::ids::MemberId;
use super::members::Members;

/// The scheme of links between records that lead to one page.
pub(super) const PAGE: &str = "page";
/// The reason of such links.
pub(super) const ONE_PAGE: &str = "lead to one page of the site";
/// Probability of such links: nothing read from a page is surer.
pub(super) const ONE_PAGE_PROBABILITY: f64 = 0.999;

/// Different names of one page that are counted. A page with more has failed long before.
const MAX_NAMES: usize = 64;
/// Names beyond the page's own that say nothing: a teaser is cut, a row is misread.
const STRAY_NAMES: usize = 2;
/// Share of the links to a page that may have stray names beyond that number.
const MAX_STRAY: f64 = 0.25;
/// Names of the subjects of one page: a page is read again, and has a version for each language.
const MAX_OWN_NAMES: usize = 30;
/// Subjects of one page among which a record looks for the one it belongs to.
const MAX_SUBJECTS: usize = 32;
/// Different pages or rows that a cluster keeps of one site or list.
const MAX_CLAIMS: usize = 32;

/// Place where a record was found, as far as it shows which records are one object. The values are
/// hashes, and 0 if the value is missing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Origin {
    /// The site.
    pub site: u64,
    /// The page on which it was found, as it was then.
    pub page: u64,
    /// The detail page of the site that it leads to: the same for all versions and addresses of
    /// the page.
    pub lead: u64,
    /// The class of that page by its URL.
    pub class: u64,
    /// True if that page is the one on which it was found: the record is its subject.
    pub is_subject: bool,
    /// The name of the object.
    pub name: u64,
    /// The day that distinguishes objects of one name.
    pub day: u64,
    /// The same with its time.
    pub time: u64,
    /// All values in which two rows of one list may differ only if they are two objects.
    pub row: u64,
}

impl Origin {
    /// Returns the class of a page from the hash of its name. The last bit tells pages that differ
    /// in the values of arguments from those that differ in their path.
    #[must_use]
    pub fn class_of(hash: u64, has_arguments: bool) -> u64 {
        hash & !1 | u64::from(has_arguments)
    }

    fn has_arguments(class: u64) -> bool {
        class & 1 == 1
    }
}

/// Facts about the pages that members lead to.
#[derive(Debug, Default)]
pub(super) struct Leads {
    leads: HashMap<u64, Lead>,
    /// The first record on a page that leads to another, by both pages.
    on_pages: HashMap<(u64, u64), OnPage>,
    /// Members that were counted before they were added.
    foreseen: HashSet<MemberId>,
}

#[derive(Debug, Default)]
struct Lead {
    subjects: Vec<u32>,
    others: Vec<u32>,
    own_names: BTreeSet<u64>,
    other_names: HashMap<u64, u32>,
    links: u32,
    pages: u32,
    /// Pages with links to it under different names.
    mixed: u32,
}

/// Records of one page that lead to one page.
#[derive(Debug)]
struct OnPage {
    name: u64,
    day: u64,
    is_mixed: bool,
    has_days: bool,
}

impl Lead {
    /// True if the page is about one object, as far as the names say under which it is linked.
    fn is_detail(&self) -> bool {
        let own = &self.own_names;
        let stray: Vec<&u32> = self
            .other_names
            .iter()
            .filter(|(name, _)| !own.contains(name))
            .map(|(_, count)| count)
            .collect();
        // Without a subject the most frequent name is taken for the page's own.
        let most = if own.is_empty() {
            stray.iter().max().copied()
        } else {
            None
        };
        let names = stray.len() - usize::from(most.is_some());
        let links = stray.iter().copied().sum::<u32>() - most.copied().unwrap_or(0);
        let is_stray = |links: u32, of: u32| f64::from(links) <= MAX_STRAY * f64::from(of);
        own.len() <= MAX_OWN_NAMES
            && is_stray(self.mixed, self.pages)
            && (names <= STRAY_NAMES || is_stray(links, self.links))
    }
}

impl Leads {
    /// Counts a record before it is added, for a judgement that does not depend on the order.
    pub(super) fn foresee(&mut self, id: MemberId, origin: &Origin) {
        if self.foreseen.insert(id) {
            self.count(origin);
        }
    }

    /// Counts members from `from` on. Returns true if the judgement of a page changed that earlier
    /// members lead to.
    pub(super) fn observe(&mut self, members: &Members, from: u32) -> bool {
        let touched: HashSet<u64> = (from..members.len())
            .map(|place| members.origin(place).lead)
            .filter(|lead| *lead != 0)
            .collect();
        let before: Vec<(u64, bool)> = touched
            .into_iter()
            .filter_map(|key| Some((key, self.leads.get(&key)?)))
            .filter(|(_, lead)| lead.subjects.len() + lead.others.len() > 1)
            .map(|(key, lead)| (key, lead.is_detail()))
            .collect();
        for place in from..members.len() {
            let origin = *members.origin(place);
            if origin.lead == 0 {
                continue;
            }
            if !self.foreseen.remove(&members.id(place)) {
                self.count(&origin);
            }
            let lead = self.leads.entry(origin.lead).or_default();
            if origin.is_subject {
                lead.subjects.push(place);
            } else {
                lead.others.push(place);
            }
        }
        before.into_iter().any(|(key, was)| self.is_detail(key) != was)
    }

    fn count(&mut self, origin: &Origin) {
        if origin.lead == 0 {
            return;
        }
        let lead = self.leads.entry(origin.lead).or_default();
        lead.links += 1;
        if origin.is_subject {
            if lead.own_names.len() <= MAX_OWN_NAMES {
                lead.own_names.insert(origin.name);
            }
        } else if lead.other_names.len() < MAX_NAMES || lead.other_names.contains_key(&origin.name) {
            *lead.other_names.entry(origin.name).or_default() += 1;
        }
        let mut is_new = false;
        let here = self
            .on_pages
            .entry((origin.page, origin.lead))
            .or_insert_with(|| {
                is_new = true;
                OnPage {
                    name: origin.name,
                    day: origin.day,
                    is_mixed: false,
                    has_days: false,
                }
            });
        here.has_days |= here.day != origin.day;
        lead.pages += u32::from(is_new);
        if here.name != origin.name && !here.is_mixed {
            here.is_mixed = true;
            lead.mixed += 1;
        }
    }

    fn is_detail(&self, lead: u64) -> bool {
        lead != 0 && self.leads.get(&lead).is_some_and(Lead::is_detail)
    }

    /// Returns true if records that lead to these pages of one site are never one object.
    fn are_apart(&self, one: (u64, u64), two: (u64, u64)) -> bool {
        // Pages of two kinds may be about one object: its own page and a print version or a venue.
        one.0 != two.0
            && one.1 == two.1
            && self.is_detail(one.0)
            && self.is_detail(two.0)
            // Arguments may be of a visit: then all addresses have the name of one page.
            && !(Origin::has_arguments(one.1) && self.share_a_name(one.0, two.0))
    }

    /// Returns true if two pages are linked, or name themselves, alike.
    fn share_a_name(&self, one: u64, two: u64) -> bool {
        let names = |key: u64| {
            let lead = self.leads.get(&key).into_iter();
            lead.flat_map(|lead| lead.own_names.iter().chain(lead.other_names.keys()))
        };
        names(one).any(|name| names(two).any(|other| name == other))
    }

    /// Returns true if two members are never one object.
    pub(super) fn forbid(&self, one: &Origin, two: &Origin) -> bool {
        let are_rows = one.page != 0 && one.page == two.page;
        (one.site == two.site && self.are_apart((one.lead, one.class), (two.lead, two.class)))
            || (are_rows && self.are_other_rows((one.row, one.lead), (two.row, two.lead)))
    }

    /// Returns true if two rows of one list, each with the page it leads to, are not one object.
    fn are_other_rows(&self, one: (u64, u64), two: (u64, u64)) -> bool {
        one.0 != two.0 && !(one.1 == two.1 && self.is_detail(one.1))
    }

    /// The members with which new members are one object because of the page they lead to; those
    /// from `from` on are new.
    pub(super) fn pairs(&self, members: &Members, from: u32) -> Vec<(u32, u32)> {
        let mut pairs = Vec::new();
        let mut opened = BTreeSet::new();
        for place in from..members.len() {
            let origin = members.origin(place);
            if !self.is_detail(origin.lead) {
                continue;
            }
            pairs.extend(self.partner(members, place).map(|other| (place, other)));
            let subjects = &self.leads[&origin.lead].subjects;
            if origin.is_subject && subjects.first().is_some_and(|first| *first >= from) {
                opened.insert(origin.lead);
            }
        }
        // The page was read after the lists that lead to it.
        for lead in opened {
            let waiting = self.leads[&lead].others.iter().filter(|place| **place < from);
            pairs.extend(waiting.filter_map(|place| Some((*place, self.partner(members, *place)?))));
        }
        pairs
    }

    /// The member that a member is one object with: a subject of the page, of the same time if
    /// there are several, else another member of the same name.
    fn partner(&self, members: &Members, place: u32) -> Option<u32> {
        let origin = members.origin(place);
        let lead = self.leads.get(&origin.lead)?;
        let has_days = |origin: &Origin| {
            let here = self.on_pages.get(&(origin.page, origin.lead));
            here.is_some_and(|here| here.has_days)
        };
        let rank = |other: &u32| {
            let there = members.origin(*other);
            let near = (there.time != origin.time, there.day != origin.day);
            (near, members.features(*other), *other)
        };
        let fits = |other: &&u32| {
            let there = members.origin(**other);
            // Records of one page were told apart by its reader.
            let is_other_thing = there.name != origin.name && there.day != origin.day;
            **other != place
                && there.page != origin.page
                // A page that shows another thing each week has a subject for each.
                && !(origin.is_subject && there.is_subject && is_other_thing)
        };
        let best = |among: &[u32]| {
            among
                .iter()
                .take(MAX_SUBJECTS)
                .filter(fits)
                .min_by_key(|other| rank(other))
                .copied()
        };
        let subject = best(&lead.subjects);
        // A page that gives one thing on several days tells it apart by the day.
        let same_day = |other: &u32| members.origin(*other).day == origin.day;
        if let Some(subject) = subject {
            let is_told = !has_days(origin) || same_day(&subject);
            // Two subjects of different days: the object moved, or each day has its record.
            return is_told.then_some(subject);
        }
        if origin.is_subject || !lead.subjects.is_empty() || has_days(origin) {
            return None;
        }
        let first = lead.others.iter().find(|other| {
            let there = members.origin(**other);
            there.name == origin.name && !has_days(there)
        });
        first.copied().filter(|first| *first != place)
    }
}

/// The pages and rows that the members of a cluster have.
#[derive(Debug, Default)]
pub(super) struct Claims {
    /// By site: the detail pages, each with its class.
    leads: HashMap<u64, Vec<(u64, u64)>>,
    /// By page: the rows, each with the page it leads to.
    rows: HashMap<u64, Vec<(u64, u64)>>,
}

impl Claims {
    pub(super) fn of(origin: &Origin) -> Self {
        let mut claims = Self::default();
        if origin.lead != 0 {
            claims
                .leads
                .insert(origin.site, vec![(origin.lead, origin.class)]);
        }
        if origin.page != 0 {
            claims.rows.insert(origin.page, vec![(origin.row, origin.lead)]);
        }
        claims
    }

    pub(super) fn extend(&mut self, others: Self) {
        for (mine, theirs) in [(&mut self.leads, others.leads), (&mut self.rows, others.rows)] {
            for (scope, values) in theirs {
                let own = mine.entry(scope).or_default();
                for value in values {
                    if own.len() < MAX_CLAIMS && !own.contains(&value) {
                        own.push(value);
                    }
                }
            }
        }
    }

    /// Returns true if the two are never one object.
    pub(super) fn forbid(&self, other: &Self, leads: &Leads) -> bool {
        meet(&self.leads, &other.leads, |one, two| leads.are_apart(one, two))
            || meet(&self.rows, &other.rows, |one, two| leads.are_other_rows(one, two))
    }
}

/// Returns true if two values of one scope are apart.
fn meet(
    one: &HashMap<u64, Vec<(u64, u64)>>,
    two: &HashMap<u64, Vec<(u64, u64)>>,
    apart: impl Fn((u64, u64), (u64, u64)) -> bool,
) -> bool {
    // The smaller is looked through, so that a large cluster costs no more than what joins it.
    let (few, many) = if one.len() <= two.len() {
        (one, two)
    } else {
        (two, one)
    };
    few.iter().any(|(scope, here)| {
        let there = many.get(scope).map_or(&[][..], Vec::as_slice);
        here.iter()
            .any(|left| there.iter().any(|right| apart(*left, *right)))
    })
}
