//! A pattern of the URLs of one host: what it is made of, and what it matches.

use magpie_model::CanonicalUrl;

use super::kind::Kind;
use super::template::{Piece, Template};

/// Most folders of a URL that are looked at one by one. Deeper URLs are traps or mistakes; they are matched by
/// prefixes and by themselves only.
pub(super) const MOST_SEGMENTS: usize = 24;

/// Most keys of a pattern, so that those met fit the bits of one word.
pub(super) const MOST_KEYS: usize = 32;

/// Most `key=value` pairs of a URL that are looked at; a URL with more matches no typed pattern.
pub(super) const MOST_PAIRS: usize = 64;

/// Words of a path that make a name; more are no longer a name.
const MOST_WORDS: usize = 4;

/// A pattern of URLs.
///
/// It prints as a person reads it (`https://hall.example/event/{number}-{slug}`), parses back from that
/// ([`std::str::FromStr`]), and prints as a regular expression ([`UrlPattern::to_regex`]). Serialised, it is its
/// readable form.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct UrlPattern {
    pub(super) form: Form,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Form {
    /// The published form.
    Prefix { prefix: Box<str>, reach: Reach },
    /// Ours.
    Typed(Typed),
}

/// How far a prefix reaches. The publications contradict themselves here, so both readings exist.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Reach {
    /// Every URL that starts with the prefix: `http://hall.example/a/{rest}`.
    Plain,
    /// Those among them whose path has no further slash: `http://hall.example/a/{file}`.
    Folder,
    /// The URL itself alone.
    Itself,
}

/// Segments and query keys, each a template.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Typed {
    /// Scheme, host and port.
    pub(super) origin: Box<str>,
    pub(super) path: Box<[Segment]>,
    /// By key; at most [`MOST_KEYS`].
    pub(super) query: Box<[Parameter]>,
    /// Whether keys that are not named may stand in the query.
    pub(super) open: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Segment {
    /// One segment.
    One(Template),
    /// One or more segments, whatever they are: `{path}`. At most once in a pattern.
    Several,
}

/// What may stand in the query: a key and the template of its value. A part without `=` has an empty key.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Parameter {
    pub(super) key: Box<str>,
    pub(super) value: Template,
    pub(super) required: bool,
}

impl UrlPattern {
    /// The pattern that matches this URL alone.
    pub fn exact(url: &CanonicalUrl) -> UrlPattern {
        match Typed::exact(&Parts::of(url)) {
            Some(typed) => UrlPattern {
                form: Form::Typed(typed),
            },
            None => UrlPattern::prefix(url.as_str(), Reach::Itself),
        }
    }

    /// The published form: URLs that start alike.
    pub fn prefix(prefix: &str, reach: Reach) -> UrlPattern {
        UrlPattern {
            form: Form::Prefix {
                prefix: prefix.into(),
                reach,
            },
        }
    }

    /// Whether a URL is one of those it means.
    pub fn matches(&self, url: &CanonicalUrl) -> bool {
        match &self.form {
            Form::Prefix { prefix, reach } => url
                .as_str()
                .strip_prefix(&**prefix)
                .is_some_and(|rest| reach.allows(rest, url.as_str().len() - rest.len() > query_start(url))),
            Form::Typed(typed) => typed.matches(&Parts::of(url)),
        }
    }

    /// Whether anything in it varies; a pattern that does not is one URL.
    pub fn is_exact(&self) -> bool {
        match &self.form {
            Form::Prefix { reach, .. } => *reach == Reach::Itself,
            Form::Typed(typed) => typed.is_exact(),
        }
    }

    /// How many characters of it are given: of two patterns that match one URL, the longer tells more.
    pub fn constant_length(&self) -> usize {
        match &self.form {
            Form::Prefix { prefix, .. } => prefix.len(),
            Form::Typed(typed) => typed.constant_length(),
        }
    }

    /// The kinds of its variable parts, from left to right.
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

    /// The words that are given in its path, for names a person can tell apart.
    pub fn words(&self) -> Vec<String> {
        let text = match &self.form {
            Form::Prefix { prefix, .. } => prefix.splitn(4, '/').nth(3).unwrap_or("").to_owned(),
            Form::Typed(typed) => typed.constants(),
        };
        let letters = |letter: char| !letter.is_ascii_alphabetic();
        let words = text.split(letters).filter(|word| word.len() > 1);
        words.map(str::to_ascii_lowercase).take(MOST_WORDS).collect()
    }

    /// The folder it belongs to: scheme, host and the leading folders that do not vary. What is relearned
    /// together when one of its patterns breaks.
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
    /// Whether what follows the prefix may do so. In the query a slash is no folder.
    fn allows(self, rest: &str, in_query: bool) -> bool {
        match self {
            Reach::Plain => true,
            Reach::Folder => in_query || !rest.split('?').next().unwrap_or(rest).contains('/'),
            Reach::Itself => rest.is_empty(),
        }
    }

    /// Whether every URL of the second prefix is one of the first.
    pub(super) fn swallows(self, prefix: &str, other: &str) -> bool {
        let in_query = prefix.contains('?');
        other
            .strip_prefix(prefix)
            .is_some_and(|rest| self != Reach::Itself && self.allows(rest, in_query))
    }
}

/// Where the query starts, the end of the URL when there is none.
fn query_start(url: &CanonicalUrl) -> usize {
    url.origin().len() + url.path().len()
}

/// A URL taken apart once for many patterns.
pub(super) struct Parts<'a> {
    pub(super) origin: &'a str,
    /// None when there are more than are looked at.
    pub(super) segments: Option<Vec<&'a str>>,
    pub(super) query: Option<Vec<(&'a str, &'a str)>>,
}

impl<'a> Parts<'a> {
    pub(super) fn of(url: &'a CanonicalUrl) -> Parts<'a> {
        Parts {
            origin: url.origin(),
            segments: bounded(url.path()[1..].split('/'), MOST_SEGMENTS),
            query: match url.query() {
                None => Some(Vec::new()),
                Some(query) => bounded(query.split('&').map(pair), MOST_PAIRS),
            },
        }
    }
}

/// The key and the value of a part of a query. What has no key is all value.
pub(super) fn pair(part: &str) -> (&str, &str) {
    match part.split_once('=') {
        Some((key, value)) if !key.is_empty() => (key, value),
        _ => ("", part),
    }
}

fn bounded<T>(items: impl Iterator<Item = T>, most: usize) -> Option<Vec<T>> {
    let mut taken = Vec::with_capacity(8);
    for item in items {
        if taken.len() == most {
            return None;
        }
        taken.push(item);
    }
    Some(taken)
}

impl Typed {
    /// The pattern of one URL, whatever the order of its keys; none when it is beyond the limits.
    fn exact(parts: &Parts<'_>) -> Option<Typed> {
        let one = |text: &&str| Segment::One(Template::constant(text));
        let mut query: Vec<Parameter> = Vec::new();
        for (key, value) in parts.query.as_ref()? {
            if query.len() == MOST_KEYS || query.iter().any(|known| *known.key == **key) {
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

    /// The order of keys means nothing; a key that stands twice must fit twice.
    pub(super) fn matches_query(&self, pairs: &[(&str, &str)]) -> bool {
        let mut met = 0_u32;
        for (key, value) in pairs {
            let place = self.query.iter().position(|parameter| *parameter.key == **key);
            match place {
                Some(place) if self.query[place].fits(value) => met |= 1 << place,
                None if self.open => {}
                _ => return false,
            }
        }
        let is_met = |(place, parameter): (usize, &Parameter)| !parameter.required || met & (1 << place) != 0;
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
    /// Whether the value may stand there. An empty one is text too: `?q=` is a search not yet typed.
    fn fits(&self, value: &str) -> bool {
        let is_text = matches!(self.value.pieces(), [Piece::Any(Kind::Text)]);
        (value.is_empty() && is_text) || self.value.matches(value)
    }
}
