//! Page classes of a site: which of its URLs lead to pages of one kind, by URL and link position alone.
//!
//! Patterns say too much for that: a section in the path, an answer behind a question, a list with a sort order.
//! So the query is left out where the path tells pages apart, and then patterns are joined that differ in little
//! and are linked from the same places and to the same places: a place is the path of elements around a link. So are patterns that
//! name things by the same numbers.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use magpie_model::CanonicalUrl;

use super::inducer::{Inducer, SiteUrls};
use super::kind::Kind;
use super::template::Piece;
use super::typed::TypedInducer;
use super::url_pattern::{Form, Segment, UrlPattern};

/// Patterns that are compared with one another at most; the largest, for the others are odd pages.
const MOST_COMPARED: usize = 400;

/// How alike the places of links must be for patterns that differ in one constant folder.
const ALIKE: f64 = 0.5;

/// Links that must be known before their places tell anything.
const LEAST_LINKS: usize = 3;

/// Numbers up to this count pages, seasons or days; larger ones name things.
const MOST_COUNTED: u64 = 200;

/// The share of a pattern's last numbers that must be so small.
const COUNTED: f64 = 0.8;

/// Numbers that must be known before it tells anything that two patterns share them.
const LEAST_NUMBERS: usize = 10;

/// The share of their numbers that patterns have in common which name the same things.
const SHARED: f64 = 0.5;

/// How many times more than by chance that must be.
const OVER_CHANCE: f64 = 3.0;

/// A link: from which page to which, by their places in the list of URLs, and where on the page it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlacedLink {
    /// The page it stands on.
    pub from: u32,
    /// The page it leads to.
    pub to: u32,
    /// The number of its position: links with equal paths of elements have equal numbers.
    pub position: u32,
}

/// The classes of a site's pages.
#[derive(Clone, Debug)]
pub struct PageClasses {
    /// For every URL its class.
    pub class_of: Vec<u32>,
    /// For every class the patterns that make it up, those with most pages first. They match URLs without their
    /// queries.
    pub patterns: Vec<Vec<UrlPattern>>,
}

impl PageClasses {
    /// Sorts pages into classes. Links from and to URLs that are not there are left out.
    pub fn of(urls: &[CanonicalUrl], links: &[PlacedLink]) -> PageClasses {
        let (patterns, pattern_of) = patterns(urls);
        let mut sizes = vec![0_usize; patterns.len()];
        for pattern in &pattern_of {
            sizes[*pattern] += 1;
        }
        let mut order: Vec<usize> = (0..patterns.len()).collect();
        order.sort_by_key(|pattern| (std::cmp::Reverse(sizes[*pattern]), *pattern));
        let known = Known {
            counts: counting(patterns.len(), &pattern_of, urls),
            profiles: Profiles::of(patterns.len(), &pattern_of, links),
            numbers: numbers(&patterns, &pattern_of, urls),
            patterns: &patterns,
        };
        let mut joined = Joined::new(patterns.len());
        let compared = &order[..order.len().min(MOST_COMPARED)];
        for (place, one) in compared.iter().enumerate() {
            for other in &compared[place + 1..] {
                if known.belong(*one, *other) {
                    joined.join(*one, *other);
                }
            }
        }
        let mut number: HashMap<usize, u32> = HashMap::new();
        let mut members: Vec<Vec<UrlPattern>> = Vec::new();
        for pattern in order {
            let class = *number.entry(joined.root(pattern)).or_insert_with(|| {
                members.push(Vec::new());
                members.len() as u32 - 1
            });
            members[class as usize].push(patterns[pattern].clone());
        }
        let class = |pattern: &usize| number[&joined.root(*pattern)];
        PageClasses {
            class_of: pattern_of.iter().map(class).collect(),
            patterns: members,
        }
    }
}

/// The patterns of the URLs' paths, and for each URL its pattern.
fn patterns(urls: &[CanonicalUrl]) -> (Vec<UrlPattern>, Vec<usize>) {
    let bare: Vec<CanonicalUrl> = urls.iter().map(without_query).collect();
    let mut distinct: Vec<&CanonicalUrl> = bare.iter().collect();
    distinct.sort_unstable();
    distinct.dedup();
    let site = SiteUrls {
        wanted: &distinct,
        others: &[],
    };
    let set = TypedInducer::default().induce(&site).compile();
    // A URL that nothing matched would be an error of the inducer; it goes to the first class and harms no other.
    let pattern_of = bare.iter().map(|url| set.best(url).unwrap_or(0)).collect();
    (set.patterns().to_vec(), pattern_of)
}

fn without_query(url: &CanonicalUrl) -> CanonicalUrl {
    let end = url.origin().len() + url.path().len();
    CanonicalUrl::trusted(&url.as_str()[..end]).unwrap_or_else(|| url.clone())
}

/// Where links to and from the pages of each pattern stand.
struct Profiles {
    to: Vec<BTreeMap<u32, usize>>,
    from: Vec<BTreeMap<u32, usize>>,
}

impl Profiles {
    fn of(patterns: usize, pattern_of: &[usize], links: &[PlacedLink]) -> Profiles {
        let mut profiles = Profiles {
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

    /// How alike two patterns are linked, from 0 to 1; none when too few links are known.
    fn alike(&self, one: usize, other: usize) -> Option<f64> {
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
    if total(one) < LEAST_LINKS || total(other) < LEAST_LINKS {
        return None;
    }
    // Roots, so that one place with very many links does not outweigh all others.
    let root = |count: &usize| (*count as f64).sqrt();
    let product: f64 = one
        .iter()
        .filter_map(|(place, count)| {
            other
                .get(place)
                .map(|count_there| root(count) * root(count_there))
        })
        .sum();
    let length = |counts: &BTreeMap<u32, usize>| (total(counts) as f64).sqrt();
    Some(product / (length(one) * length(other)))
}

/// What is known of patterns when they are joined.
struct Known<'a> {
    patterns: &'a [UrlPattern],
    profiles: Profiles,
    /// Whether the last numbers of a pattern's URLs count something.
    counts: Vec<bool>,
    /// The numbers that a pattern's URLs name things by.
    numbers: Vec<BTreeSet<u64>>,
}

impl Known<'_> {
    /// Whether two patterns are of one class.
    fn belong(&self, one: usize, other: usize) -> bool {
        let (Some(first), Some(second)) = (typed(&self.patterns[one]), typed(&self.patterns[other])) else {
            return false;
        };
        if first.0 != second.0 {
            return false;
        }
        if names_alike(first.1, second.1) && share_numbers(&self.numbers[one], &self.numbers[other]) {
            return true;
        }
        let is_alike = || {
            self.profiles
                .alike(one, other)
                .is_some_and(|alike| alike >= ALIKE)
        };
        let (short, long, longer) = match first.1.len() <= second.1.len() {
            true => (first.1, second.1, other),
            false => (second.1, first.1, one),
        };
        match long.len() - short.len() {
            0 => {
                // The same with or without a slash at its end, or one folder apart and linked alike.
                let differing = short.iter().zip(long).filter(|(one, other)| one != other).count();
                differing == 0 || (differing == 1 && is_alike())
            }
            1 if long.starts_with(short) => {
                is_ornament(short, long) || (self.counts[longer] && is_numbered(short, long)) || is_alike()
            }
            _ => false,
        }
    }
}

/// The origin and the path, without the slash at its end.
fn typed(pattern: &UrlPattern) -> Option<(&str, &[Segment])> {
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

/// For every pattern whether the last numbers of its URLs are small: pages of a list, seasons, days.
fn counting(patterns: usize, pattern_of: &[usize], urls: &[CanonicalUrl]) -> Vec<bool> {
    let mut counts = vec![(0_usize, 0_usize); patterns];
    for (url, pattern) in urls.iter().zip(pattern_of) {
        let path = url.path().trim_end_matches('/');
        let last = path.rsplit('/').next().unwrap_or(path);
        let digits: String = last.chars().filter(char::is_ascii_digit).collect();
        let is_small = digits.parse::<u64>().is_ok_and(|number| number <= MOST_COUNTED);
        let count = &mut counts[*pattern];
        count.0 += usize::from(is_small);
        count.1 += 1;
    }
    let share = |(small, all): &(usize, usize)| *small as f64 >= COUNTED * (*all).max(1) as f64;
    counts.iter().map(share).collect()
}

/// For every pattern the numbers behind its constant folders, if there are any.
fn numbers(patterns: &[UrlPattern], pattern_of: &[usize], urls: &[CanonicalUrl]) -> Vec<BTreeSet<u64>> {
    let places: Vec<Option<usize>> = patterns
        .iter()
        .map(|pattern| typed(pattern).and_then(|(_, path)| named_at(path)))
        .collect();
    let mut numbers = vec![BTreeSet::new(); patterns.len()];
    for (url, pattern) in urls.iter().zip(pattern_of) {
        let Some(place) = places[*pattern] else { continue };
        let segment = url.path().split('/').nth(place + 1).unwrap_or_default();
        let digits: String = segment
            .chars()
            .skip_while(|letter| !letter.is_ascii_digit())
            .take_while(char::is_ascii_digit)
            .collect();
        numbers[*pattern].extend(digits.parse::<u64>().ok());
    }
    numbers
}

/// The place of the number that names things: behind constant folders, with nothing constant after it.
fn named_at(path: &[Segment]) -> Option<usize> {
    let is_constant = |segment: &Segment| matches!(segment, Segment::One(one) if one.as_constant().is_some());
    let place = path.iter().position(|segment| !is_constant(segment))?;
    let number = |piece: &Piece| *piece == Piece::Any(Kind::Number);
    let is_named = matches!(&path[place], Segment::One(one) if one.pieces().iter().any(number));
    (place > 0 && is_named && !path[place..].iter().any(is_constant)).then_some(place)
}

/// Whether things are named in the same place of two paths, behind folders of which but the last are the same.
fn names_alike(one: &[Segment], other: &[Segment]) -> bool {
    let places = named_at(one).zip(named_at(other));
    places.is_some_and(|(place, there)| place == there && one[..place - 1] == other[..place - 1])
}

/// Whether two sets of numbers are of the same things: most of the fewer are among the others, and not because those leave
/// hardly a number out, as any two that count from 1 have.
fn share_numbers(one: &BTreeSet<u64>, other: &BTreeSet<u64>) -> bool {
    let (fewer, more) = if one.len() <= other.len() {
        (one, other)
    } else {
        (other, one)
    };
    let (Some(first), Some(last)) = (more.first(), more.last()) else {
        return false;
    };
    let chance = more.len() as f64 / (last - first) as f64;
    let shared = fewer.intersection(more).count() as f64 / fewer.len().max(1) as f64;
    fewer.len() >= LEAST_NUMBERS && shared >= SHARED && shared >= OVER_CHANCE * chance
}

/// Whether the longer path is one of numbered parts of what the shorter one varies over.
fn is_numbered(short: &[Segment], long: &[Segment]) -> bool {
    let varies = |segment: &Segment| matches!(segment, Segment::One(one) if one.as_constant().is_none());
    let number = |piece: &Piece| *piece == Piece::Any(Kind::Number);
    let ends = matches!(long.last(), Some(Segment::One(last)) if last.pieces().iter().any(number));
    ends && short.iter().any(varies)
}

/// Whether the longer path names the same pages, by words behind what names the page.
fn is_ornament(short: &[Segment], long: &[Segment]) -> bool {
    let (Some(Segment::One(before)), Some(Segment::One(last))) = (short.last(), long.last()) else {
        return false;
    };
    let is_name = |piece: &Piece| matches!(piece, Piece::Any(Kind::Number | Kind::Uuid | Kind::Hash(_)));
    let is_words = |piece: &Piece| matches!(piece, Piece::Any(Kind::Slug | Kind::Text | Kind::Word));
    before.pieces().iter().any(is_name) && last.pieces().iter().all(is_words)
}

/// Patterns joined into classes.
struct Joined {
    parent: Vec<usize>,
}

impl Joined {
    fn new(count: usize) -> Joined {
        Joined {
            parent: (0..count).collect(),
        }
    }

    fn root(&self, mut place: usize) -> usize {
        while self.parent[place] != place {
            place = self.parent[place];
        }
        place
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

    /// URLs of a site, and the pages that each of them links to with the position.
    struct Drawn {
        urls: Vec<CanonicalUrl>,
        links: Vec<PlacedLink>,
    }

    impl Drawn {
        fn new() -> Drawn {
            Drawn {
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

        /// The class of every page; all of a kind must have one.
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
    fn words_behind_a_number_and_queries_make_no_other_class() {
        let mut site = Drawn::new();
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
    fn numbers_that_are_shared_tell_of_the_same_things_unless_both_count() {
        let mut site = Drawn::new();
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
    fn sections_are_one_class_when_their_pages_are_linked_alike() {
        let mut site = Drawn::new();
        let home = site.page("/");
        let mut sections = [Vec::new(), Vec::new(), Vec::new()];
        for (place, name) in ["tennis", "football", "shop"].into_iter().enumerate() {
            for number in 0..12 {
                let page = site.page(&format!("/{name}/{}.html", 5000 + number));
                sections[place].push(page);
                // News stand in a list on the first page and link back from their heads, what is sold in another and from its foot.
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
