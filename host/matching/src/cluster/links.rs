//! Links between members: those waiting to be joined, and the forest of those that joined clusters.

use std::collections::{HashMap, HashSet};

use super::members::Members;

/// Links that wait; beyond this many, those that can't join anything are thrown out.
const MAX_WAITING: usize = 1 << 22;
/// Different reasons that are kept; matchers have dozens, and what comes later is not kept.
const MAX_REASONS: usize = 100_000;
/// Reasons kept of a link.
const MAX_REASONS_EACH: usize = 8;
/// Maximum length of a stored reason, in bytes.
const MAX_REASON_LEN: usize = 160;

/// Two members that are probably one object.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Link {
    pub(super) one: u32,
    pub(super) two: u32,
    pub(super) probability: f32,
    pub(super) scheme: u16,
    /// True if no comparison can refuse it: both lead to one page.
    pub(super) is_certain: bool,
    pub(super) reasons: Box<[u32]>,
}

/// The texts of reasons, each kept once.
#[derive(Debug, Default)]
pub(super) struct Reasons {
    texts: Vec<String>,
    numbers: HashMap<String, u32>,
}

impl Reasons {
    pub(super) fn numbers(&mut self, reasons: &[String]) -> Box<[u32]> {
        reasons
            .iter()
            .take(MAX_REASONS_EACH)
            .filter_map(|reason| self.number(reason))
            .collect()
    }

    /// The texts behind numbers.
    pub(super) fn texts(&self, numbers: &[u32]) -> Vec<String> {
        numbers
            .iter()
            .filter_map(|number| self.texts.get(*number as usize))
            .cloned()
            .collect()
    }

    fn number(&mut self, reason: &str) -> Option<u32> {
        let reason = magpie_values::text::truncate(reason, MAX_REASON_LEN);
        if let Some(number) = self.numbers.get(reason) {
            return Some(*number);
        }
        if self.texts.len() >= MAX_REASONS {
            return None;
        }
        let number = self.texts.len() as u32;
        self.texts.push(reason.to_owned());
        self.numbers.insert(reason.to_owned(), number);
        Some(number)
    }
}

/// Links that wait to be joined.
#[derive(Debug, Default)]
pub(super) struct Waiting {
    links: Vec<Link>,
}

impl Waiting {
    /// Adds a link.
    ///
    /// When there are too many, only the strongest forest is kept: a link whose ends are joined by
    /// stronger links joins nothing, so the clusters are the same except where the guard refuses
    /// one of those.
    pub(super) fn push(&mut self, link: Link, members: &Members) {
        self.links.push(link);
        if self.links.len() >= MAX_WAITING {
            self.thin(members);
        }
    }

    /// Takes all links, the strongest first.
    pub(super) fn take(&mut self, members: &Members) -> Vec<Link> {
        sort(&mut self.links, members);
        std::mem::take(&mut self.links)
    }

    /// Puts links back that could not be looked at.
    pub(super) fn put_back(&mut self, links: impl Iterator<Item = Link>) {
        self.links.extend(links);
    }

    fn thin(&mut self, members: &Members) {
        sort(&mut self.links, members);
        let mut parents: HashMap<u32, u32> = HashMap::new();
        // A union-find over the ends that occur. Most members have no waiting link.
        let mut root = |mut place: u32, join: Option<u32>| {
            while let Some(parent) = parents.get(&place).copied() {
                let above = parents.get(&parent).copied().unwrap_or(parent);
                parents.insert(place, above);
                place = parent;
            }
            if let Some(other) = join.filter(|other| *other != place) {
                parents.insert(place, other);
            }
            place
        };
        self.links.retain(|link| {
            let two = root(link.two, None);
            root(link.one, Some(two)) != two
        });
    }
}

/// The strongest first; equals in the order of their features, so that the order the members came
/// in does not matter.
fn sort(links: &mut [Link], members: &Members) {
    fn ends<'a>(link: &Link, members: &'a Members) -> (&'a [u8], &'a [u8]) {
        let (one, two) = (members.features(link.one), members.features(link.two));
        if one <= two { (one, two) } else { (two, one) }
    }
    links.sort_by(|first, second| {
        let by_features = || ends(first, members).cmp(&ends(second, members));
        let by_place = || (first.one, first.two).cmp(&(second.one, second.two));
        second
            .is_certain
            .cmp(&first.is_certain)
            .then(second.probability.total_cmp(&first.probability))
            .then_with(by_features)
            .then_with(by_place)
    });
}

/// The links that joined clusters: a tree for each cluster.
#[derive(Debug, Default)]
pub(super) struct Forest {
    links: HashMap<u32, Vec<Link>>,
}

impl Forest {
    /// Adds a link between members of two trees.
    pub(super) fn push(&mut self, link: Link) {
        let back = Link {
            one: link.two,
            two: link.one,
            ..link.clone()
        };
        // Stored at both ends, since a path may be followed from either.
        self.links.entry(link.one).or_default().push(link);
        self.links.entry(back.one).or_default().push(back);
    }

    /// Every link, once.
    pub(super) fn all(&self) -> impl Iterator<Item = &Link> {
        self.links.values().flatten().filter(|link| link.one < link.two)
    }

    /// The links from one member to another, in order; none when they are in different trees.
    pub(super) fn path(&self, from: u32, to: u32) -> Option<Vec<&Link>> {
        let mut reached: HashMap<u32, Option<&Link>> = HashMap::from([(from, None)]);
        let mut waiting = vec![from];
        while let Some(place) = waiting.pop() {
            if place == to {
                return Some(walk_back(&reached, to));
            }
            for link in self.from(place) {
                if let std::collections::hash_map::Entry::Vacant(entry) = reached.entry(link.two) {
                    entry.insert(Some(link));
                    waiting.push(link.two);
                }
            }
        }
        None
    }

    /// Removes the link between two neighbours.
    pub(super) fn remove(&mut self, one: u32, two: u32) {
        for (from, to) in [(one, two), (two, one)] {
            if let Some(links) = self.links.get_mut(&from) {
                links.retain(|link| link.two != to);
            }
        }
    }

    /// The members of a member's tree.
    pub(super) fn tree(&self, from: u32) -> Vec<u32> {
        let mut reached = HashSet::from([from]);
        let mut tree = vec![from];
        let mut next = 0;
        while next < tree.len() {
            let place = tree[next];
            next += 1;
            for link in self.from(place) {
                if reached.insert(link.two) {
                    tree.push(link.two);
                }
            }
        }
        tree
    }

    /// The links of a member, which lead away from it.
    pub(super) fn from(&self, place: u32) -> &[Link] {
        self.links.get(&place).map_or(&[], Vec::as_slice)
    }
}

fn walk_back<'a>(reached: &HashMap<u32, Option<&'a Link>>, to: u32) -> Vec<&'a Link> {
    let mut path = Vec::new();
    let mut place = to;
    while let Some(Some(link)) = reached.get(&place) {
        path.push(*link);
        place = link.one;
    }
    path.reverse();
    path
}
