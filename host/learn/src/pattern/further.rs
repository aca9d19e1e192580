//! Further pages of lists, foreseen: as some lists of a site are spelled when they go on, others will be.

use std::collections::{BTreeSet, HashSet};

use magpie_model::CanonicalUrl;

use super::inducer::SiteUrls;
use super::kind::Kind;
use super::set::PatternSet;
use super::template::Template;
use super::url_pattern::{Form, MOST_KEYS, MOST_SEGMENTS, Parameter, Segment, Typed, UrlPattern, pair};

/// Longer numbers are years and identifiers; no list is read to its thousandth page.
const MOST_DIGITS: usize = 3;

/// Patterns of one site that no page has shown yet. Where more are thought of the spelling says nothing of further pages.
const MOST_FORESEEN: usize = 64;

/// A number that no list has got to.
const FAR: &str = "997";

/// How a site spells that a list goes on.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Turn {
    /// By a key of the query: `/list?page=2`.
    Key(String),
    /// By a further step of the path: `/list/2`.
    Step,
}

/// The patterns of a site with room for further pages of its lists: where a number in a pattern counts the pages of a list it may be any
/// number, and lists that have one page so far may go on as others do. `lists` are pages with several objects.
pub fn foresee(patterns: Vec<UrlPattern>, site: &SiteUrls<'_>, lists: &[&CanonicalUrl]) -> Vec<UrlPattern> {
    let known: HashSet<&str> = lists.iter().map(|list| list.as_str()).collect();
    let turns = turns(lists, site.others, &known);
    let mut met = HashSet::new();
    let patterns = patterns.into_iter().map(|pattern| counted(pattern, &turns));
    let mut set = PatternSet::new(patterns.filter(|pattern| met.insert(pattern.clone())));
    let shown = set.patterns().len();
    for list in lists {
        for turn in turns.iter().filter(|turn| base(list, turn).is_none()) {
            let further = further(list, turn).filter(|further| !set.matches(further));
            let pattern = further.and_then(|_| turned(&set.patterns()[set.best(list)?], turn));
            if set.patterns().len() - shown < MOST_FORESEEN {
                set.extend(pattern);
            }
        }
    }
    set.patterns().to_vec()
}

/// How lists of the site go on. What leads from a list to a page that is not wanted as well is none.
fn turns(lists: &[&CanonicalUrl], others: &[&CanonicalUrl], known: &HashSet<&str>) -> BTreeSet<Turn> {
    let of = |urls: &[&CanonicalUrl]| -> BTreeSet<Turn> {
        let turns = urls.iter().flat_map(|url| {
            let keys = url.query().into_iter().flat_map(|query| query.split('&'));
            let keys = keys.map(|part| Turn::Key(pair(part).0.to_owned()));
            let turns = std::iter::once(Turn::Step).chain(keys);
            turns.filter(|turn| base(url, turn).is_some_and(|base| known.contains(base.as_str())))
        });
        turns.collect()
    };
    of(lists).difference(&of(others)).cloned().collect()
}

/// The list that a URL is a further page of, were it spelled so.
fn base(url: &CanonicalUrl, turn: &Turn) -> Option<String> {
    match turn {
        Turn::Key(key) => {
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
            let mut base = format!("{}{}", url.origin(), url.path());
            if !rest.is_empty() {
                base = format!("{base}?{}", rest.join("&"));
            }
            is_met.then_some(base)
        }
        Turn::Step => {
            let (path, end) = step_end(url.path());
            let (base, number) = path.rsplit_once('/')?;
            let query = url.query().map_or(String::new(), |query| format!("?{query}"));
            is_small(number).then(|| format!("{}{base}{end}{query}", url.origin()))
        }
    }
}

/// A far page of a list.
fn further(list: &CanonicalUrl, turn: &Turn) -> Option<CanonicalUrl> {
    let query = list.query();
    let url = match turn {
        Turn::Key(key) => {
            let sign = if query.is_some() { '&' } else { '?' };
            format!("{}{sign}{key}={FAR}", list.as_str())
        }
        Turn::Step => {
            let (path, end) = step_end(list.path());
            let query = query.map_or(String::new(), |query| format!("?{query}"));
            // `/list.html` goes on in some other way.
            let is_file = path.rsplit('/').next()?.contains('.');
            (!is_file).then(|| format!("{}{path}/{FAR}{end}{query}", list.origin()))?
        }
    };
    CanonicalUrl::trusted(url)
}

/// A path and the slash at its end, if it has one.
fn step_end(path: &str) -> (&str, &str) {
    path.strip_suffix('/').map_or((path, ""), |path| (path, "/"))
}

fn is_small(text: &str) -> bool {
    (1..=MOST_DIGITS).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit())
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
    let number = Template::any(Kind::Number);
    match turn {
        Turn::Key(key) => {
            let mut query = typed.query.into_vec();
            query.push(Parameter {
                key: key.as_str().into(),
                value: number,
                required: true,
            });
            query.sort();
            typed.query = (query.len() <= MOST_KEYS).then(|| query.into())?;
        }
        Turn::Step => {
            let mut path = typed.path.into_vec();
            let ends_in_slash =
                matches!(path.last(), Some(Segment::One(template)) if template.as_constant() == Some(""));
            path.insert(path.len() - usize::from(ends_in_slash), Segment::One(number));
            typed.path = (path.len() <= MOST_SEGMENTS).then(|| path.into())?;
        }
    }
    let form = Form::Typed(typed);
    Some(UrlPattern { form })
}
