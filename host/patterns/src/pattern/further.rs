//! Further pages of lists, foreseen: as some lists of a site are spelled when they go on, others will be.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use magpie_model::{CanonicalUrl, UrlFingerprint};

use super::inducer::SiteUrls;
use super::kind::Kind;
use super::set::PatternSet;
use super::spelling::{before_number, is_small, stem, steps};
use super::template::{Piece, Template};
use super::url_pattern::{Form, MOST_KEYS, MOST_SEGMENTS, Parameter, Segment, Typed, UrlPattern, pair};

/// Patterns of one site that no page has shown yet. Where more are thought of the spelling says nothing of further pages.
const MOST_FORESEEN: usize = 64;

/// A number that no list has got to.
const FAR: &str = "997";

/// How a site spells that a list goes on.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Turn {
    /// By a key of the query: `/list?page=2`.
    Key(String),
    /// By the path: `/list/` as `/list/page/2/`.
    Path {
        /// What the path of a list ends with.
        end: String,
        /// What then stands before the number, in place of that end.
        step: String,
        /// And behind the number.
        after: String,
    },
}

/// The patterns of a site with room for further pages of its lists: where a number in a pattern counts the pages of a list it may be any
/// number, and lists that have one page so far may go on as others do. `lists` are pages with several objects.
pub fn foresee(patterns: Vec<UrlPattern>, site: &SiteUrls<'_>, lists: &[&CanonicalUrl]) -> Vec<UrlPattern> {
    let turns = turns(lists, site.others);
    let mut met = HashSet::new();
    let patterns = patterns.into_iter().map(|pattern| counted(pattern, &turns));
    let mut set = PatternSet::new(patterns.filter(|pattern| met.insert(pattern.clone())));
    let shown = set.patterns().len();
    for list in lists {
        for turn in turns.iter().filter(|turn| !is_further(list, turn)) {
            let further = further(list, turn).filter(|further| !set.matches(further));
            let pattern = further.and_then(|_| turned(&set.patterns()[set.best(list)?], turn));
            if set.patterns().len() - shown < MOST_FORESEEN {
                set.extend(pattern);
            }
        }
    }
    set.patterns().to_vec()
}

/// The lists of a site: as they are, and what their paths end with by the rest of them.
struct Known<'a> {
    whole: HashSet<&'a str>,
    ends: HashMap<String, &'a str>,
}

impl<'a> Known<'a> {
    fn of(lists: &[&'a CanonicalUrl]) -> Self {
        let ends = lists.iter().map(|list| {
            let (stem, end) = stem(list.path());
            (with_path(list, stem), end)
        });
        Self {
            whole: lists.iter().map(|list| list.as_str()).collect(),
            ends: ends.collect(),
        }
    }

    /// How lists of them go on, were a URL a further page of one, each with the number of the list.
    fn turns(&self, url: &CanonicalUrl) -> Vec<(Turn, u64)> {
        let keys = url.query().into_iter().flat_map(|query| query.split('&'));
        let keys = keys.filter_map(|part| {
            let key = pair(part).0;
            let list = without_count(url, key)?;
            let is_known = self.whole.contains(list.as_str());
            is_known.then(|| (Turn::Key(key.to_owned()), UrlFingerprint::of(&list).0))
        });
        let (page, after) = stem(url.path());
        let steps = steps(page).filter(|_| is_early(page));
        let paths = steps.filter_map(|(list, step)| {
            let list = with_path(url, list);
            let turn = Turn::Path {
                end: (*self.ends.get(&list)?).to_owned(),
                step: step.to_owned(),
                after: after.to_owned(),
            };
            Some((turn, UrlFingerprint::of(&list).0))
        });
        keys.chain(paths).collect()
    }
}

/// A URL with another path.
fn with_path(url: &CanonicalUrl, path: &str) -> String {
    let query = url.query().map_or(String::new(), |query| format!("?{query}"));
    format!("{}{path}{query}", url.origin())
}

/// Whether a number at the end is that of a second page, which all lists have that go on. Pages are counted from none or from one.
fn is_early(stem: &str) -> bool {
    let number = before_number(stem).map(|before| &stem[before.len()..]);
    number.is_some_and(|number| matches!(number.trim_start_matches('0'), "1" | "2"))
}

/// How lists of the site go on. What leads from them to pages that are not wanted no less often than to wanted ones does not count pages.
/// Where none of them has gone on so far, they will as the site's other pages do.
fn turns(lists: &[&CanonicalUrl], others: &[&CanonicalUrl]) -> BTreeSet<Turn> {
    let known = Known::of(lists);
    let (to_wanted, to_others) = (pages_by_turn(lists, &known), pages_by_turn(others, &known));
    let number = |of: &BTreeMap<Turn, Vec<u64>>, turn: &Turn| of.get(turn).map_or(0, Vec::len);
    let mut turns: BTreeSet<Turn> = to_wanted.keys().cloned().collect();
    turns.retain(|turn| number(&to_wanted, turn) > number(&to_others, turn));
    if !turns.is_empty() {
        return turns;
    }
    let usual = pages_by_turn(others, &Known::of(others)).into_iter();
    let usual = usual.filter(|(turn, lists)| is_usual(lists) && number(&to_others, turn) == 0);
    usual.map(|(turn, _)| turn).collect()
}

/// The lists that go on in each of these ways, one for each further page.
fn pages_by_turn(urls: &[&CanonicalUrl], known: &Known<'_>) -> BTreeMap<Turn, Vec<u64>> {
    let mut pages: BTreeMap<Turn, Vec<u64>> = BTreeMap::new();
    for (turn, list) in urls.iter().flat_map(|url| known.turns(url)) {
        pages.entry(turn).or_default().push(list);
    }
    pages
}

/// Whether several lists go on: one alone may have pages about things below it.
fn is_usual(lists: &[u64]) -> bool {
    lists.iter().any(|list| *list != lists[0])
}

/// Whether a URL would be a further page of a list, were lists to go on so.
fn is_further(url: &CanonicalUrl, turn: &Turn) -> bool {
    match turn {
        Turn::Key(key) => without_count(url, key).is_some(),
        Turn::Path { step: wanted, .. } => steps(stem(url.path()).0).any(|(_, step)| step == wanted),
    }
}

/// A URL without the key that counts the pages of a list; none without such a key.
fn without_count(url: &CanonicalUrl, key: &str) -> Option<String> {
    let mut is_met = false;
    let rest: Vec<&str> = url
        .query()?
        .split('&')
        .filter(|part| {
            let (name, value) = pair(part);
            let is_count = !is_met && name == key && !key.is_empty() && is_small(value);
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

/// A far page of a list.
fn further(list: &CanonicalUrl, turn: &Turn) -> Option<CanonicalUrl> {
    let url = match turn {
        Turn::Key(key) => {
            let sign = if list.query().is_some() { '&' } else { '?' };
            format!("{}{sign}{key}={FAR}", list.as_str())
        }
        Turn::Path { end, step, after } => {
            let (stem, of_list) = stem(list.path());
            (of_list == end).then(|| with_path(list, &format!("{stem}{step}{FAR}{after}")))?
        }
    };
    CanonicalUrl::trusted(url)
}

/// A pattern in which what counts the pages of a list may be any number.
fn counted(mut pattern: UrlPattern, turns: &BTreeSet<Turn>) -> UrlPattern {
    if let Form::Typed(typed) = &mut pattern.form {
        for parameter in &mut typed.query {
            let counts = turns.contains(&Turn::Key(parameter.key.to_string()));
            if counts && parameter.value.as_constant().is_some_and(is_small) {
                parameter.value = Template::any(Kind::Number);
            }
        }
    }
    pattern
}

/// The pattern of the further pages of a pattern's pages.
fn turned(pattern: &UrlPattern, turn: &Turn) -> Option<UrlPattern> {
    let Form::Typed(typed) = &pattern.form else {
        return None;
    };
    let mut typed: Typed = typed.clone();
    match turn {
        Turn::Key(key) => {
            let mut query = typed.query.into_vec();
            query.push(Parameter {
                key: key.as_str().into(),
                value: Template::any(Kind::Number),
                required: true,
            });
            query.sort();
            typed.query = (query.len() <= MOST_KEYS).then(|| query.into())?;
        }
        Turn::Path { end, step, after } => {
            let mut path = Path(typed.path.into_vec());
            path.cut(end)?;
            path.write(step)?;
            path.add(Piece::Any(Kind::Number))?;
            path.write(after)?;
            typed.path = (path.0.len() <= MOST_SEGMENTS).then(|| path.0.into())?;
        }
    }
    let form = Form::Typed(typed);
    Some(UrlPattern { form })
}

/// The segments of a pattern's path, while its end is written anew.
struct Path(Vec<Segment>);

impl Path {
    /// Takes an end away that the path has.
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
        // Else the list is another one, of a pattern with an end of its own.
        self.0.last().is_none_or(|last| !is_empty(last)).then_some(())
    }

    /// Writes more at the end.
    fn write(&mut self, text: &str) -> Option<()> {
        for (place, part) in text.split('/').enumerate() {
            if place > 0 {
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
