//! URL patterns of one host: representation and matching.

use magpie_model::CanonicalUrl;

use super::kind::Kind;
use super::template::{Piece, Template};

/// Maximum number of path segments. Deeper URLs are traps or mistakes; only prefixes and exact URLs
/// match them.
pub(super) const MAX_SEGMENTS: usize = 24;

/// Maximum number of keys of a pattern, which are tracked in the bits of a `u32`.
pub(super) const MAX_KEYS: usize = 32;

/// Maximum number of `key=value` pairs of a URL. No typed pattern matches a URL with more.
pub(super) const MAX_PAIRS: usize = 64;

/// Maximum number of words in a name.
const MAX_WORDS: usize = 4;

/// A pattern of URLs.
///
/// It is printed in a readable form (`https://hall.example/event/{number}-{slug}`), parsed from
/// that form ([`std::str::FromStr`]), and converted to a regular expression
/// ([`UrlPattern::to_regex`]). It is serialised in the readable form.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct UrlPattern {
    pub(super) form: Form,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Form {
    /// The published form.
    Prefix { prefix: Box<str>, reach: Reach },
    /// A pattern of typed tokens.
    Typed(Typed),
}

/// Extent of a prefix pattern. The publications contradict themselves, so both readings exist.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Reach {
    /// Every URL that starts with the prefix: `http://hall.example/a/{rest}`.
    Plain,
    /// URLs whose path has no further slash after the prefix: `http://hall.example/a/{file}`.
    Folder,
    /// The URL alone.
    Exact,
}

/// A pattern of templates for path segments and query values.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Typed {
    /// Scheme, host, and port.
    pub(super) origin: Box<str>,
    pub(super) path: Box<[Segment]>,
    /// Sorted by key; at most [`MAX_KEYS`].
    pub(super) query: Box<[Parameter]>,
    /// True if the query may have keys that are not listed.
    pub(super) open: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Segment {
    One(Template),
    /// One or more arbitrary segments: `{path}`. At most once in a pattern.
    Several,
}

/// A query key and the template of its value. A part without `=` has an empty key.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Parameter {
    pub(super) key: Box<str>,
    pub(super) value: Template,
    pub(super) required: bool,
}

impl UrlPattern {
    /// Returns the pattern that matches this URL alone.
    pub fn exact(url: &CanonicalUrl) -> UrlPattern {
        match Typed::exact(&Parts::of(url)) {
            Some(typed) => UrlPattern {
                form: Form::Typed(typed),
            },
            // A URL beyond the limits of typed patterns, with its keys in this order only.
            None => UrlPattern::prefix(url.as_str(), Reach::Exact),
        }
    }

    /// Returns a pattern of the published form.
    pub(crate) fn prefix(prefix: &str, reach: Reach) -> UrlPattern {
        UrlPattern {
            form: Form::Prefix {
                prefix: prefix.into(),
                reach,
            },
        }
    }

    /// Returns true if the URL matches.
    pub fn matches(&self, url: &CanonicalUrl) -> bool {
        match &self.form {
            Form::Prefix { prefix, reach } => url
                .as_str()
                .strip_prefix(&**prefix)
                .is_some_and(|rest| reach.allows(rest, url.as_str().len() - rest.len() > query_start(url))),
            Form::Typed(typed) => typed.matches(&Parts::of(url)),
        }
    }

    /// Returns true if nothing in the pattern varies, so that it matches one URL.
    pub fn is_exact(&self) -> bool {
        match &self.form {
            Form::Prefix { reach, .. } => *reach == Reach::Exact,
            Form::Typed(typed) => typed.is_exact(),
        }
    }

    /// Returns the number of constant bytes. Of two patterns that match a URL, the one with more is
    /// more specific.
    pub fn constant_length(&self) -> usize {
        match &self.form {
            Form::Prefix { prefix, .. } => prefix.len(),
            Form::Typed(typed) => typed.constant_length(),
        }
    }

    /// Returns the kinds of the variable parts, from left to right.
    pub fn kinds(&self) -> Vec<Kind> {
        let Form::Typed(typed) = &self.form else {
            return Vec::new();
        };
        let segments = typed.path.iter().filter_map(|segment| match segment {
            Segment::One(template) => Some(template),
            Segment::Several => None,
        });
        let values = typed.query.iter().map(|parameter| &parameter.value);
        segments
            .chain(values)
            .flat_map(|template| template.pieces())
            .filter_map(|piece| match piece {
                Piece::Any(kind) => Some(*kind),
                Piece::Constant(_) => None,
            })
            .collect()
    }

    /// Returns constant words of the path, from which readable names are made.
    pub fn words(&self) -> Vec<String> {
        let text = match &self.form {
            Form::Prefix { prefix, .. } => prefix.splitn(4, '/').nth(3).unwrap_or("").to_owned(),
            Form::Typed(typed) => typed.constants(),
        };
        let is_no_letter = |c: char| !c.is_ascii_alphabetic();
        let words = text.split(is_no_letter).filter(|word| word.len() > 1);
        words.map(str::to_ascii_lowercase).take(MAX_WORDS).collect()
    }

    /// Returns scheme, host, and leading constant folders. Patterns of one folder are relearned
    /// together when one of them breaks.
    pub fn folder(&self) -> String {
        match &self.form {
            Form::Prefix { prefix, .. } => {
                let path = prefix.split('?').next().unwrap_or(prefix);
                let end = path.rfind('/').map_or(path.len(), |slash| slash + 1);
                path[..end].to_owned()
            }
            Form::Typed(typed) => typed.folder(),
        }
    }
}

impl Reach {
    /// Returns true if `rest` may follow the prefix.
    fn allows(self, rest: &str, in_query: bool) -> bool {
        match self {
            Reach::Plain => true,
            // A slash in the query separates no folders.
            Reach::Folder => in_query || !rest.split('?').next().unwrap_or(rest).contains('/'),
            Reach::Exact => rest.is_empty(),
        }
    }

    /// Returns true if every URL of the prefix `other` is one of `prefix`.
    pub(super) fn contains(self, prefix: &str, other: &str) -> bool {
        let in_query = prefix.contains('?');
        other
            .strip_prefix(prefix)
            .is_some_and(|rest| self != Reach::Exact && self.allows(rest, in_query))
    }
}

/// Returns the byte offset of the query, or the length of the URL without a query.
fn query_start(url: &CanonicalUrl) -> usize {
    url.origin().len() + url.path().len()
}

/// A URL split once for many patterns.
pub(super) struct Parts<'a> {
    pub(super) origin: &'a str,
    /// `None` if there are too many.
    pub(super) segments: Option<Vec<&'a str>>,
    pub(super) query: Option<Vec<(&'a str, &'a str)>>,
}

impl<'a> Parts<'a> {
    pub(super) fn of(url: &'a CanonicalUrl) -> Parts<'a> {
        Parts {
            origin: url.origin(),
            segments: bounded(url.path()[1..].split('/'), MAX_SEGMENTS),
            query: match url.query() {
                None => Some(Vec::new()),
                Some(query) => bounded(query.split('&').map(pair), MAX_PAIRS),
            },
        }
    }
}

/// Splits a part of a query into key and value. A part without a key is all value.
pub(super) fn pair(part: &str) -> (&str, &str) {
    match part.split_once('=') {
        Some((key, value)) if !key.is_empty() => (key, value),
        _ => ("", part),
    }
}

fn bounded<T>(items: impl Iterator<Item = T>, max: usize) -> Option<Vec<T>> {
    let mut taken = Vec::with_capacity(8);
    for item in items {
        if taken.len() == max {
            return None;
        }
        taken.push(item);
    }
    Some(taken)
}

impl Typed {
    /// Returns the pattern of one URL with its keys in any order, or `None` if it exceeds the
    /// limits.
    fn exact(parts: &Parts<'_>) -> Option<Typed> {
        let one = |text: &&str| Segment::One(Template::constant(text));
        let mut query: Vec<Parameter> = Vec::new();
        for (key, value) in parts.query.as_ref()? {
            if query.len() == MAX_KEYS || query.iter().any(|known| *known.key == **key) {
                return None;
            }
            query.push(Parameter {
                key: (*key).into(),
                value: Template::constant(value),
                required: true,
            });
        }
        query.sort();
        Some(Typed {
            origin: parts.origin.into(),
            path: parts.segments.as_ref()?.iter().map(one).collect(),
            query: query.into(),
            open: false,
        })
    }

    pub(super) fn matches(&self, parts: &Parts<'_>) -> bool {
        *self.origin == *parts.origin
            && parts
                .segments
                .as_ref()
                .is_some_and(|segments| self.matches_path(segments))
            && parts
                .query
                .as_ref()
                .is_some_and(|query| self.matches_query(query))
    }

    fn matches_path(&self, segments: &[&str]) -> bool {
        let one = |(segment, text): (&Segment, &&str)| matches!(segment, Segment::One(template) if template.matches(text));
        let Some(several) = self.path.iter().position(|segment| *segment == Segment::Several) else {
            return self.path.len() == segments.len() && self.path.iter().zip(segments).all(one);
        };
        let after = self.path.len() - several - 1;
        segments.len() >= self.path.len()
            && self.path[..several].iter().zip(segments).all(one)
            && self.path[several + 1..]
                .iter()
                .zip(&segments[segments.len() - after..])
                .all(one)
    }

    /// Matches keys in any order. A repeated key must match each time.
    pub(super) fn matches_query(&self, pairs: &[(&str, &str)]) -> bool {
        let mut met = 0_u32;
        for (key, value) in pairs {
            let index = self.query.iter().position(|parameter| *parameter.key == **key);
            match index {
                Some(index) if self.query[index].fits(value) => met |= 1 << index,
                None if self.open => {}
                _ => return false,
            }
        }
        let is_met = |(index, parameter): (usize, &Parameter)| !parameter.required || met & (1 << index) != 0;
        self.query.iter().enumerate().all(is_met)
    }

    fn is_exact(&self) -> bool {
        let is_constant =
            |segment: &Segment| matches!(segment, Segment::One(template) if template.as_constant().is_some());
        !self.open
            && self.path.iter().all(is_constant)
            && self
                .query
                .iter()
                .all(|parameter| parameter.required && parameter.value.as_constant().is_some())
    }

    fn constant_length(&self) -> usize {
        let segment = |segment: &Segment| match segment {
            Segment::One(template) => template.constant_length() + 1,
            Segment::Several => 0,
        };
        let parameter = |parameter: &Parameter| {
            let length = parameter.key.len() + parameter.value.constant_length();
            if parameter.required { length } else { 0 }
        };
        self.origin.len()
            + self.path.iter().map(segment).sum::<usize>()
            + self.query.iter().map(parameter).sum::<usize>()
    }

    fn constants(&self) -> String {
        let pieces = self.path.iter().flat_map(|segment| match segment {
            Segment::One(template) => template.pieces(),
            Segment::Several => &[],
        });
        let constants = pieces.filter_map(|piece| match piece {
            Piece::Constant(text) => Some(&**text),
            Piece::Any(_) => None,
        });
        constants.collect::<Vec<_>>().join("/")
    }

    fn folder(&self) -> String {
        let folders = &self.path[..self.path.len().saturating_sub(1)];
        let constants = folders.iter().map_while(|segment| match segment {
            Segment::One(template) => template.as_constant(),
            Segment::Several => None,
        });
        let mut folder = format!("{}/", self.origin);
        for constant in constants {
            folder.push_str(constant);
            folder.push('/');
        }
        folder
    }
}

impl Parameter {
    /// Returns true if the value matches. `{text}` also matches the empty value: `?q=` is a search
    /// without a term.
    fn fits(&self, value: &str) -> bool {
        let is_text = matches!(self.value.pieces(), [Piece::Any(Kind::Text)]);
        (value.is_empty() && is_text) || self.value.matches(value)
    }
}
