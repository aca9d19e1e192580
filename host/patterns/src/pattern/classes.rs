//! Page classes of a site: its URLs grouped by kind of page, from URLs and link positions alone.
//!
//! URL patterns are too fine for this. They distinguish a section in the path, an answer below a
//! question, or a list with a sort order. So queries are dropped, and patterns are merged that
//! differ little and are linked from and to the same positions. A position is the path of elements
//! around a link. Patterns whose URLs carry the same identifiers are merged, too.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use magpie_model::CanonicalUrl;

use super::inducer::{Inducer, SiteUrls};
use super::kind::Kind;
use super::template::Piece;
use super::typed::TypedInducer;
use super::url_pattern::{Form, Segment, UrlPattern};

/// Maximum number of patterns compared pairwise, largest first. The others cover odd pages.
const MAX_COMPARED: usize = 400;

/// Minimum similarity of link positions to merge patterns that differ in one constant folder.
const MIN_SIMILARITY: f64 = 0.5;

/// Minimum number of links before their positions count as evidence.
const MIN_LINKS: usize = 3;

/// Largest number taken for a page, season, or day. Larger numbers are identifiers.
const MAX_COUNTER: u64 = 200;

/// Minimum share of a pattern's URLs with a last number up to `MAX_COUNTER`.
const MIN_COUNTER_SHARE: f64 = 0.8;

/// Minimum number of identifiers before shared identifiers count as evidence.
const MIN_IDS: usize = 10;

/// Minimum share of identifiers that two patterns of the same objects have in common.
const MIN_SHARED_IDS: f64 = 0.5;

/// Minimum ratio of that share to the share expected by chance.
const MIN_LIFT: f64 = 3.0;

/// A link between two pages, given by their indexes in the list of URLs, and its position on the
/// page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlacedLink {
    /// Index of the linking page.
    pub from: u32,
    /// Index of the linked page.
    pub to: u32,
    /// Id of the position. Links with equal element paths have equal ids.
    pub position: u32,
}

/// The classes of a site's pages.
#[derive(Clone, Debug)]
pub struct PageClasses {
    /// Class of each URL.
    pub class_of: Vec<u32>,
    /// Patterns of each class, those with most pages first. They match URLs without their queries.
    pub patterns: Vec<Vec<UrlPattern>>,
}

impl PageClasses {
    /// Groups pages into classes. Ignores links from or to indexes outside of `urls`.
    pub fn of(urls: &[CanonicalUrl], links: &[PlacedLink]) -> PageClasses {
        let (patterns, pattern_of) = patterns(urls);
        let mut sizes = vec![0_usize; patterns.len()];
        for pattern in &pattern_of {
            sizes[*pattern] += 1;
        }
        let mut order: Vec<usize> = (0..patterns.len()).collect();
        order.sort_by_key(|pattern| (std::cmp::Reverse(sizes[*pattern]), *pattern));
        let evidence = Evidence {
            counts: find_counters(patterns.len(), &pattern_of, urls),
            profiles: LinkProfiles::of(patterns.len(), &pattern_of, links),
            ids: collect_ids(&patterns, &pattern_of, urls),
            patterns: &patterns,
        };
        let mut sets = DisjointSets::new(patterns.len());
        let compared = &order[..order.len().min(MAX_COMPARED)];
        for (index, one) in compared.iter().enumerate() {
            for other in &compared[index + 1..] {
                if evidence.belong_together(*one, *other) {
                    sets.join(*one, *other);
                }
            }
        }
        let mut number: HashMap<usize, u32> = HashMap::new();
        let mut members: Vec<Vec<UrlPattern>> = Vec::new();
        for pattern in order {
            let class = *number.entry(sets.root(pattern)).or_insert_with(|| {
                members.push(Vec::new());
                members.len() as u32 - 1
            });
            members[class as usize].push(patterns[pattern].clone());
        }
        let class = |pattern: &usize| number[&sets.root(*pattern)];
        PageClasses {
            class_of: pattern_of.iter().map(class).collect(),
            patterns: members,
        }
    }
}

/// Returns the patterns of the URLs' paths, and the pattern index of each URL.
fn patterns(urls: &[CanonicalUrl]) -> (Vec<UrlPattern>, Vec<usize>) {
    // Queries would split a list by its sort orders.
    let bare: Vec<CanonicalUrl> = urls.iter().map(without_query).collect();
    let mut distinct: Vec<&CanonicalUrl> = bare.iter().collect();
    distinct.sort_unstable();
    distinct.dedup();
    let site = SiteUrls {
        wanted: &distinct,
        others: &[],
    };
    let set = TypedInducer::default().induce(&site).compile();
    // The inducer covers every URL. An uncovered URL would be a bug there; the first class takes
    // it.
    let pattern_of = bare.iter().map(|url| set.best(url).unwrap_or(0)).collect();
    (set.patterns().to_vec(), pattern_of)
}

fn without_query(url: &CanonicalUrl) -> CanonicalUrl {
    let end = url.origin().len() + url.path().len();
    CanonicalUrl::trusted(&url.as_str()[..end]).unwrap_or_else(|| url.clone())
}

/// Positions of the links to and from the pages of each pattern.
struct LinkProfiles {
    to: Vec<BTreeMap<u32, usize>>,
    from: Vec<BTreeMap<u32, usize>>,
}

impl LinkProfiles {
    fn of(patterns: usize, pattern_of: &[usize], links: &[PlacedLink]) -> LinkProfiles {
        let mut profiles = LinkProfiles {
            to: vec![BTreeMap::new(); patterns],
            from: vec![BTreeMap::new(); patterns],
        };
        for link in links {
            let (Some(from), Some(to)) = (
                pattern_of.get(link.from as usize),
                pattern_of.get(link.to as usize),
            ) else {
                continue;
            };
            *profiles.to[*to].entry(link.position).or_default() += 1;
            *profiles.from[*from].entry(link.position).or_default() += 1;
        }
        profiles
    }

    /// Returns the similarity of two patterns' links, from 0 to 1, or `None` if too few are known.
    fn similarity(&self, one: usize, other: usize) -> Option<f64> {
        let to = cosine(&self.to[one], &self.to[other]);
        let from = cosine(&self.from[one], &self.from[other]);
        match (to, from) {
            (Some(to), Some(from)) => Some(f64::midpoint(to, from)),
            (to, from) => to.or(from),
        }
    }
}

fn cosine(one: &BTreeMap<u32, usize>, other: &BTreeMap<u32, usize>) -> Option<f64> {
    let total = |counts: &BTreeMap<u32, usize>| counts.values().sum::<usize>();
    if total(one) < MIN_LINKS || total(other) < MIN_LINKS {
        return None;
    }
    // Square roots keep one position with very many links from outweighing all others.
    let root = |count: &usize| (*count as f64).sqrt();
    let product: f64 = one
        .iter()
        .filter_map(|(index, count)| {
            other
                .get(index)
                .map(|count_there| root(count) * root(count_there))
        })
        .sum();
    let length = |counts: &BTreeMap<u32, usize>| (total(counts) as f64).sqrt();
    Some(product / (length(one) * length(other)))
}

/// The evidence for merging patterns.
struct Evidence<'a> {
    patterns: &'a [UrlPattern],
    profiles: LinkProfiles,
    /// True for each pattern whose URLs end in small numbers.
    counts: Vec<bool>,
    /// Identifiers in the URLs of each pattern.
    ids: Vec<BTreeSet<u64>>,
}

impl Evidence<'_> {
    /// Returns true if two patterns belong to one class.
    fn belong_together(&self, one: usize, other: usize) -> bool {
        let (Some(first), Some(second)) = (
            origin_and_path(&self.patterns[one]),
            origin_and_path(&self.patterns[other]),
        ) else {
            return false;
        };
        if first.0 != second.0 {
            return false;
        }
        if have_ids_alike(first.1, second.1) && share_ids(&self.ids[one], &self.ids[other]) {
            return true;
        }
        let is_linked_alike = || {
            self.profiles
                .similarity(one, other)
                .is_some_and(|similarity| similarity >= MIN_SIMILARITY)
        };
        let (short, long, longer) = match first.1.len() <= second.1.len() {
            true => (first.1, second.1, other),
            false => (second.1, first.1, one),
        };
        match long.len() - short.len() {
            0 => {
                // Equal except for a trailing slash, or one folder apart and linked alike.
                let differing = short.iter().zip(long).filter(|(one, other)| one != other).count();
                differing == 0 || (differing == 1 && is_linked_alike())
            }
            1 if long.starts_with(short) => {
                adds_words(short, long)
                    || (self.counts[longer] && adds_number(short, long))
                    || is_linked_alike()
            }
            _ => false,
        }
    }
}

/// Returns the origin and the path without its trailing slash.
fn origin_and_path(pattern: &UrlPattern) -> Option<(&str, &[Segment])> {
    let Form::Typed(typed) = &pattern.form else {
        return None;
    };
    let is_slash =
        |segment: &Segment| matches!(segment, Segment::One(last) if last.as_constant() == Some(""));
    let path = match typed.path.split_last() {
        Some((last, before)) if is_slash(last) => before,
        _ => &typed.path,
    };
    Some((&typed.origin, path))
}

/// Finds the patterns whose URLs end in small numbers: pages of a list, seasons, days.
fn find_counters(patterns: usize, pattern_of: &[usize], urls: &[CanonicalUrl]) -> Vec<bool> {
    let mut counts = vec![(0_usize, 0_usize); patterns];
    for (url, pattern) in urls.iter().zip(pattern_of) {
        let path = url.path().trim_end_matches('/');
        let last = path.rsplit('/').next().unwrap_or(path);
        let digits: String = last.chars().filter(char::is_ascii_digit).collect();
        let is_small = digits.parse::<u64>().is_ok_and(|number| number <= MAX_COUNTER);
        let count = &mut counts[*pattern];
        count.0 += usize::from(is_small);
        count.1 += 1;
    }
    let share = |(small, all): &(usize, usize)| *small as f64 >= MIN_COUNTER_SHARE * (*all).max(1) as f64;
    counts.iter().map(share).collect()
}

/// Collects for each pattern the identifiers behind its constant folders.
fn collect_ids(patterns: &[UrlPattern], pattern_of: &[usize], urls: &[CanonicalUrl]) -> Vec<BTreeSet<u64>> {
    let indexes: Vec<Option<usize>> = patterns
        .iter()
        .map(|pattern| origin_and_path(pattern).and_then(|(_, path)| id_index(path)))
        .collect();
    let mut ids = vec![BTreeSet::new(); patterns.len()];
    for (url, pattern) in urls.iter().zip(pattern_of) {
        let Some(index) = indexes[*pattern] else { continue };
        let segment = url.path().split('/').nth(index + 1).unwrap_or_default();
        let digits: String = segment
            .chars()
            .skip_while(|c| !c.is_ascii_digit())
            .take_while(char::is_ascii_digit)
            .collect();
        ids[*pattern].extend(digits.parse::<u64>().ok());
    }
    ids
}

/// Returns the index of the segment with the identifier: behind constant folders, with no constant
/// segment after it.
fn id_index(path: &[Segment]) -> Option<usize> {
    let is_constant = |segment: &Segment| matches!(segment, Segment::One(one) if one.as_constant().is_some());
    let index = path.iter().position(|segment| !is_constant(segment))?;
    let number = |piece: &Piece| *piece == Piece::Any(Kind::Number);
    let is_named = matches!(&path[index], Segment::One(one) if one.pieces().iter().any(number));
    (index > 0 && is_named && !path[index..].iter().any(is_constant)).then_some(index)
}

/// Returns true if two paths have their identifiers at the same index, behind folders that are
/// equal except for the last.
fn have_ids_alike(one: &[Segment], other: &[Segment]) -> bool {
    let indexes = id_index(one).zip(id_index(other));
    indexes.is_some_and(|(index, there)| index == there && one[..index - 1] == other[..index - 1])
}

/// Returns true if two sets of numbers identify the same objects: the larger set contains most of
/// the smaller one, and clearly more of it than by chance.
fn share_ids(one: &BTreeSet<u64>, other: &BTreeSet<u64>) -> bool {
    let (fewer, more) = if one.len() <= other.len() {
        (one, other)
    } else {
        (other, one)
    };
    let (Some(first), Some(last)) = (more.first(), more.last()) else {
        return false;
    };
    // Any two sequences that count from 1 share their numbers, so the share must be clearly above
    // chance.
    let chance = more.len() as f64 / (last - first) as f64;
    let shared = fewer.intersection(more).count() as f64 / fewer.len().max(1) as f64;
    fewer.len() >= MIN_IDS && shared >= MIN_SHARED_IDS && shared >= MIN_LIFT * chance
}

/// Returns true if the longer path adds a number to a shorter path that varies.
fn adds_number(short: &[Segment], long: &[Segment]) -> bool {
    let varies = |segment: &Segment| matches!(segment, Segment::One(one) if one.as_constant().is_none());
    let number = |piece: &Piece| *piece == Piece::Any(Kind::Number);
    let ends = matches!(long.last(), Some(Segment::One(last)) if last.pieces().iter().any(number));
    ends && short.iter().any(varies)
}

/// Returns true if the longer path leads to the same pages: it adds words behind the identifier.
fn adds_words(short: &[Segment], long: &[Segment]) -> bool {
    let (Some(Segment::One(before)), Some(Segment::One(last))) = (short.last(), long.last()) else {
        return false;
    };
    let is_name = |piece: &Piece| matches!(piece, Piece::Any(Kind::Number | Kind::Uuid | Kind::Hash(_)));
    let is_words = |piece: &Piece| matches!(piece, Piece::Any(Kind::Slug | Kind::Text | Kind::Word));
    before.pieces().iter().any(is_name) && last.pieces().iter().all(is_words)
}

/// Disjoint sets of patterns.
struct DisjointSets {
    parent: Vec<usize>,
}

impl DisjointSets {
    fn new(count: usize) -> DisjointSets {
        DisjointSets {
            parent: (0..count).collect(),
        }
    }

    fn root(&self, mut index: usize) -> usize {
        while self.parent[index] != index {
            index = self.parent[index];
        }
        index
    }

    fn join(&mut self, one: usize, other: usize) {
        let (one, other) = (self.root(one), self.root(other));
        let (low, high) = (one.min(other), one.max(other));
        self.parent[high] = low;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A site: its URLs, and the links between them with their positions.
    struct TestSite {
        urls: Vec<CanonicalUrl>,
        links: Vec<PlacedLink>,
    }

    impl TestSite {
        fn new() -> TestSite {
            TestSite {
                urls: Vec::new(),
                links: Vec::new(),
            }
        }

        fn page(&mut self, path: &str) -> u32 {
            let url = CanonicalUrl::trusted(format!("https://forum.example{path}")).unwrap();
            self.urls.push(url);
            self.urls.len() as u32 - 1
        }

        fn link(&mut self, from: u32, to: u32, position: u32) {
            self.links.push(PlacedLink { from, to, position });
        }

        /// Returns the class of each kind, whose pages must all be in one class.
        fn classes<const KINDS: usize>(&self, kinds: [&[u32]; KINDS]) -> [u32; KINDS] {
            let found = PageClasses::of(&self.urls, &self.links);
            kinds.map(|pages| {
                let class = found.class_of[pages[0] as usize];
                for page in pages {
                    assert_eq!(
                        found.class_of[*page as usize], class,
                        "{}",
                        self.urls[*page as usize]
                    );
                }
                class
            })
        }
    }

    #[test]
    fn words_after_an_id_and_queries_do_not_split_classes() {
        let mut site = TestSite::new();
        let (mut threads, mut members) = (Vec::new(), Vec::new());
        let titles = [
            "how-to-sleep",
            "rain-in-may",
            "old-maps",
            "which-boat-floats",
            "bread-and-salt",
            "a-red-door",
        ];
        for (number, title) in titles.into_iter().enumerate() {
            threads.push(site.page(&format!("/questions/{}/{title}", 7100 + number)));
            threads.push(site.page(&format!("/questions/{}", 8100 + number)));
            threads.push(site.page(&format!("/questions/{}?sort=votes", 9100 + number)));
            members.push(site.page(&format!("/users/{title}-fan")));
        }
        let [threads, members] = site.classes([&threads, &members]);
        assert_ne!(threads, members);
    }

    #[test]
    fn shared_ids_join_classes_unless_both_are_counters() {
        let mut site = TestSite::new();
        let [mut threads, mut short, mut users, mut badges] = [const { Vec::new() }; 4];
        for number in 1..=40 {
            threads.push(site.page(&format!("/threads/{}", 70_000 + number * 97)));
            users.push(site.page(&format!("/users/{number}")));
            badges.push(site.page(&format!("/badges/{number}")));
        }
        for number in 1..=20 {
            short.push(site.page(&format!("/t/{}", 70_000 + number * 97)));
        }
        let [threads, short, users, badges] = site.classes([&threads, &short, &users, &badges]);
        assert_eq!(threads, short);
        assert_ne!(users, badges);
        assert_ne!(threads, users);
    }

    #[test]
    fn sections_join_when_their_pages_are_linked_alike() {
        let mut site = TestSite::new();
        let home = site.page("/");
        let mut sections = [Vec::new(), Vec::new(), Vec::new()];
        for (index, name) in ["tennis", "football", "shop"].into_iter().enumerate() {
            for number in 0..12 {
                let page = site.page(&format!("/{name}/{}.html", 5000 + number));
                sections[index].push(page);
                // News are in a list on the home page and link back from their head. Shop pages are
                // in another list and link back from their foot.
                let position = if name == "shop" { 10 } else { 0 };
                site.link(home, page, position);
                site.link(page, home, position + 1);
            }
        }
        let [tennis, football, shop] = site.classes([&sections[0], &sections[1], &sections[2]]);
        assert_eq!(tennis, football);
        assert_ne!(tennis, shop);
    }
}
