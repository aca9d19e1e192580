//! Prediction of further pages of lists: if some lists of a site are paginated, others will be.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use magpie_model::{CanonicalUrl, UrlFingerprint};

use super::inducer::SiteUrls;
use super::kind::Kind;
use super::page_suffix::{is_page_number, possible_lists, split_end, strip_number};
use super::set::PatternSet;
use super::template::{Piece, Template};
use super::url_pattern::{Form, MAX_KEYS, MAX_SEGMENTS, Parameter, Segment, Typed, UrlPattern, pair};

/// Maximum number of patterns added for one site.
const MAX_ADDED: usize = 64;

/// A page number beyond any list.
const FAR_PAGE: &str = "997";

/// The way in which a site writes further pages of a list into URLs.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Pagination {
    /// As a query key: `/list?page=2`.
    Key(String),
    /// In the path: `/list/` becomes `/list/page/2/`.
    Path {
        /// End of the list's path.
        end: String,
        /// Text before the page number, which replaces `end`.
        step: String,
        /// Text after the page number.
        after: String,
    },
}

/// Extends the patterns of a site to further pages of its lists. A page number in a pattern becomes
/// any number, and lists of one page get the pagination of other lists. `lists` are pages with
/// several objects.
pub fn extend_pagination(
    patterns: Vec<UrlPattern>,
    site: &SiteUrls<'_>,
    lists: &[&CanonicalUrl],
) -> Vec<UrlPattern> {
    let paginations = paginations(lists, site.others);
    let mut met = HashSet::new();
    let patterns = patterns
        .into_iter()
        .map(|pattern| vary_page_number(pattern, &paginations));
    let mut set = PatternSet::new(patterns.filter(|pattern| met.insert(pattern.clone())));
    let shown = set.patterns().len();
    for list in lists {
        for pagination in paginations
            .iter()
            .filter(|pagination| !is_page_of(list, pagination))
        {
            // A page far beyond the end shows if the patterns accept any number. One that they
            // match needs no new pattern.
            let far_page = far_page(list, pagination).filter(|far_page| !set.matches(far_page));
            let pattern = far_page.and_then(|_| paginate(&set.patterns()[set.best(list)?], pagination));
            // If more would be added, the URLs do not tell which lists are paginated.
            if set.patterns().len() - shown < MAX_ADDED {
                set.extend(pattern);
            }
        }
    }
    set.patterns().to_vec()
}

/// The lists of a site.
struct KnownLists<'a> {
    whole: HashSet<&'a str>,
    ends: HashMap<String, &'a str>,
}

impl<'a> KnownLists<'a> {
    fn of(lists: &[&'a CanonicalUrl]) -> Self {
        let ends = lists.iter().map(|list| {
            let (stem, end) = split_end(list.path());
            (with_path(list, stem), end)
        });
        Self {
            whole: lists.iter().map(|list| list.as_str()).collect(),
            ends: ends.collect(),
        }
    }

    /// Returns each pagination by which a URL could be a further page of a known list, with the
    /// list's fingerprint.
    fn paginations(&self, url: &CanonicalUrl) -> Vec<(Pagination, u64)> {
        let keys = url.query().into_iter().flat_map(|query| query.split('&'));
        let keys = keys.filter_map(|part| {
            let key = pair(part).0;
            let list = without_page_key(url, key)?;
            let is_known = self.whole.contains(list.as_str());
            is_known.then(|| (Pagination::Key(key.to_owned()), UrlFingerprint::of(&list).0))
        });
        let (page, after) = split_end(url.path());
        let steps = possible_lists(page).filter(|_| is_second_page(page));
        let paths = steps.filter_map(|(list, step)| {
            let list = with_path(url, list);
            let pagination = Pagination::Path {
                end: (*self.ends.get(&list)?).to_owned(),
                step: step.to_owned(),
                after: after.to_owned(),
            };
            Some((pagination, UrlFingerprint::of(&list).0))
        });
        keys.chain(paths).collect()
    }
}

/// Returns a URL with another path.
fn with_path(url: &CanonicalUrl, path: &str) -> String {
    let query = url.query().map_or(String::new(), |query| format!("?{query}"));
    format!("{}{path}{query}", url.origin())
}

/// Returns true if the number at the end is 1 or 2. Every paginated list has a second page, and
/// pages are counted from 0 or 1.
fn is_second_page(stem: &str) -> bool {
    let number = strip_number(stem).map(|before| &stem[before.len()..]);
    number.is_some_and(|number| matches!(number.trim_start_matches('0'), "1" | "2"))
}

/// Finds the paginations of the site's lists. Drops those that lead to unwanted pages at least as
/// often as to wanted ones. If no list is paginated yet, takes the pagination of the site's other
/// pages.
fn paginations(lists: &[&CanonicalUrl], others: &[&CanonicalUrl]) -> BTreeSet<Pagination> {
    let known = KnownLists::of(lists);
    let (to_wanted, to_others) = (
        lists_by_pagination(lists, &known),
        lists_by_pagination(others, &known),
    );
    let number =
        |of: &BTreeMap<Pagination, Vec<u64>>, pagination: &Pagination| of.get(pagination).map_or(0, Vec::len);
    let mut paginations: BTreeSet<Pagination> = to_wanted.keys().cloned().collect();
    paginations.retain(|pagination| number(&to_wanted, pagination) > number(&to_others, pagination));
    if !paginations.is_empty() {
        return paginations;
    }
    let usual = lists_by_pagination(others, &KnownLists::of(others)).into_iter();
    let usual =
        usual.filter(|(pagination, lists)| has_several_lists(lists) && number(&to_others, pagination) == 0);
    usual.map(|(pagination, _)| pagination).collect()
}

/// Groups further pages by pagination, each represented by the fingerprint of its list.
fn lists_by_pagination(urls: &[&CanonicalUrl], known: &KnownLists<'_>) -> BTreeMap<Pagination, Vec<u64>> {
    let mut pages: BTreeMap<Pagination, Vec<u64>> = BTreeMap::new();
    for (pagination, list) in urls.iter().flat_map(|url| known.paginations(url)) {
        pages.entry(pagination).or_default().push(list);
    }
    pages
}

/// Returns true if several lists are paginated. A single one may have pages about objects below it.
fn has_several_lists(lists: &[u64]) -> bool {
    lists.iter().any(|list| *list != lists[0])
}

/// Returns true if a URL is a further page by this pagination.
fn is_page_of(url: &CanonicalUrl, pagination: &Pagination) -> bool {
    match pagination {
        Pagination::Key(key) => without_page_key(url, key).is_some(),
        Pagination::Path { step: wanted, .. } => {
            possible_lists(split_end(url.path()).0).any(|(_, step)| step == wanted)
        }
    }
}

/// Returns a URL without the key that counts pages, or `None` if it lacks the key.
fn without_page_key(url: &CanonicalUrl, key: &str) -> Option<String> {
    let mut is_met = false;
    let rest: Vec<&str> = url
        .query()?
        .split('&')
        .filter(|part| {
            let (name, value) = pair(part);
            let is_count = !is_met && name == key && !key.is_empty() && is_page_number(value);
            is_met |= is_count;
            !is_count
        })
        .collect();
    let base = format!("{}{}", url.origin(), url.path());
    let base = match rest.is_empty() {
        true => base,
        false => format!("{base}?{}", rest.join("&")),
    };
    is_met.then_some(base)
}

/// Returns the URL of a far page of a list.
fn far_page(list: &CanonicalUrl, pagination: &Pagination) -> Option<CanonicalUrl> {
    let url = match pagination {
        Pagination::Key(key) => {
            let sign = if list.query().is_some() { '&' } else { '?' };
            format!("{}{sign}{key}={FAR_PAGE}", list.as_str())
        }
        Pagination::Path { end, step, after } => {
            let (stem, of_list) = split_end(list.path());
            (of_list == end).then(|| with_path(list, &format!("{stem}{step}{FAR_PAGE}{after}")))?
        }
    };
    CanonicalUrl::trusted(url)
}

/// Replaces the page number in a pattern by any number.
fn vary_page_number(mut pattern: UrlPattern, paginations: &BTreeSet<Pagination>) -> UrlPattern {
    if let Form::Typed(typed) = &mut pattern.form {
        for parameter in &mut typed.query {
            let counts = paginations.contains(&Pagination::Key(parameter.key.to_string()));
            if counts && parameter.value.as_constant().is_some_and(is_page_number) {
                parameter.value = Template::any(Kind::Number);
            }
        }
    }
    pattern
}

/// Returns the pattern of the further pages of a pattern's pages.
fn paginate(pattern: &UrlPattern, pagination: &Pagination) -> Option<UrlPattern> {
    let Form::Typed(typed) = &pattern.form else {
        return None;
    };
    let mut typed: Typed = typed.clone();
    match pagination {
        Pagination::Key(key) => {
            let mut query = typed.query.into_vec();
            query.push(Parameter {
                key: key.as_str().into(),
                value: Template::any(Kind::Number),
                required: true,
            });
            query.sort();
            typed.query = (query.len() <= MAX_KEYS).then(|| query.into())?;
        }
        Pagination::Path { end, step, after } => {
            let mut path = Path(typed.path.into_vec());
            path.cut(end)?;
            path.write(step)?;
            path.add(Piece::Any(Kind::Number))?;
            path.write(after)?;
            typed.path = (path.0.len() <= MAX_SEGMENTS).then(|| path.0.into())?;
        }
    }
    let form = Form::Typed(typed);
    Some(UrlPattern { form })
}

/// The segments of a pattern's path while its end is rewritten.
struct Path(Vec<Segment>);

impl Path {
    /// Removes an end from the path. Returns `None` if the path ends otherwise.
    fn cut(&mut self, end: &str) -> Option<()> {
        let (ending, slash) = match end.strip_suffix('/') {
            Some(ending) => (ending, "/"),
            None => (end, ""),
        };
        if !slash.is_empty() {
            self.0.pop().filter(is_empty)?;
        }
        if !ending.is_empty() {
            let Some(Segment::One(last)) = self.0.pop() else {
                return None;
            };
            let mut pieces = last.pieces().to_vec();
            let Some(Piece::Constant(text)) = pieces.pop() else {
                return None;
            };
            pieces.push(Piece::Constant(text.strip_suffix(ending)?.into()));
            self.0.push(Segment::One(Template::new(pieces).ok()?));
        }
        // Otherwise the list has another end and so another pattern.
        self.0.last().is_none_or(|last| !is_empty(last)).then_some(())
    }

    fn write(&mut self, text: &str) -> Option<()> {
        for (index, part) in text.split('/').enumerate() {
            if index > 0 {
                self.0.push(Segment::One(Template::constant("")));
            }
            if !part.is_empty() {
                self.add(Piece::Constant(part.into()))?;
            }
        }
        Some(())
    }

    fn add(&mut self, piece: Piece) -> Option<()> {
        let Some(Segment::One(last)) = self.0.last_mut() else {
            return None;
        };
        let pieces = last.pieces().iter().cloned().chain([piece]);
        *last = Template::new(pieces.collect()).ok()?;
        Some(())
    }
}

fn is_empty(segment: &Segment) -> bool {
    matches!(segment, Segment::One(template) if template.as_constant() == Some(""))
}
