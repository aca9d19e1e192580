//! Keys of a query that do not decide which page it is.

use super::session;
use super::{CanonicalSettings, Change};

magpie_values::word_lists! { "keys.txt";
    TRACKING: Words = "tracking";
    MARKED: Words = "marked";
    pub(super) SESSIONS: Words = "session";
    pub(super) MAYBE_SESSIONS: Words = "maybe_session";
}

/// Prefix of path parameters (`/list;sort=name`) among keys of queries.
pub(super) const PARAMETER: char = ';';

/// Marks an origin that replaces its twin among keys of queries.
pub(super) const SCHEME_END: &str = "://";

/// Prefix of a host, without which many hosts have the same pages.
pub(super) const WWW: &str = "www.";

/// Returns true if one of two origins is the other with `www.` before its host.
pub(super) fn is_twin(one: &str, other: &str) -> bool {
    // This is asked of every link.
    if one.len().abs_diff(other.len()) != WWW.len() {
        return false;
    }
    let (Some((scheme, host)), Some((others, other))) =
        (one.split_once(SCHEME_END), other.split_once(SCHEME_END))
    else {
        return false;
    };
    scheme == others && (host.strip_prefix(WWW) == Some(other) || other.strip_prefix(WWW) == Some(host))
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rule {
    Tracking,
    /// Marks its value in the text of the page, if that is words.
    Marked,
    Session,
    /// A session only when its value looks made by a machine.
    PerhapsSession,
    Ignored,
    Kept,
}

#[derive(Clone, Debug)]
struct Name {
    /// In lower case; without its `*`.
    text: Box<str>,
    is_start: bool,
    rule: Rule,
}

impl Name {
    fn new(name: &str, rule: Rule) -> Name {
        let name = name.trim().to_ascii_lowercase();
        let start = name.strip_suffix('*');
        Name {
            is_start: start.is_some(),
            text: start.unwrap_or(&name).into(),
            rule,
        }
    }

    fn fits(&self, key: &str) -> bool {
        let length = self.text.len();
        let fits_length = if self.is_start {
            key.len() >= length
        } else {
            key.len() == length
        };
        fits_length && key.as_bytes()[..length].eq_ignore_ascii_case(self.text.as_bytes())
    }
}

/// The names, found by their first byte: a look-up compares about five.
#[derive(Clone, Debug)]
pub(super) struct Keys {
    by_first: Vec<Vec<Name>>,
    ignored: Vec<Box<str>>,
}

impl Keys {
    pub(super) fn new(settings: &CanonicalSettings) -> Keys {
        let mut keys = Keys {
            by_first: vec![Vec::new(); 256],
            ignored: Vec::new(),
        };
        // The first name that fits decides, so what the user keeps comes first.
        let kept = settings.keep_keys.iter().map(String::as_str);
        keys.add_all(kept, Rule::Kept);
        keys.add_all(settings.tracking_keys.iter().map(String::as_str), Rule::Tracking);
        if settings.drop_tracking {
            keys.add_all(TRACKING.iter().copied(), Rule::Tracking);
            keys.add_all(MARKED.iter().copied(), Rule::Marked);
        }
        if settings.drop_session_ids {
            keys.add_all(SESSIONS.iter().copied(), Rule::Session);
            keys.add_all(MAYBE_SESSIONS.iter().copied(), Rule::PerhapsSession);
        }
        keys
    }

    fn add_all<'a>(&mut self, names: impl IntoIterator<Item = &'a str>, rule: Rule) {
        for name in names {
            let name = Name::new(name, rule);
            // A bare `*` would empty every query. An exclude rule is the way to drop all queries.
            if let Some(&first) = name.text.as_bytes().first() {
                self.by_first[usize::from(first)].push(name);
            }
        }
    }

    /// Ignores a key that was proven to make no difference, unless the user keeps it. Its case
    /// counts, as the proof was for this spelling.
    pub(super) fn ignore(&mut self, key: &str) -> bool {
        let is_known = self.ignored.iter().any(|known| **known == *key);
        // Two that answered for one another would rename all URLs for ever.
        let is_renamed = self.twin_of(key).is_some();
        if key.is_empty() || is_known || is_renamed || self.is_kept(key) {
            return false;
        }
        self.ignored.push(key.into());
        true
    }

    /// Returns true if the user keeps a key, or a path parameter with its `;`.
    fn is_kept(&self, key: &str) -> bool {
        let first = key.as_bytes().first().map_or(0, u8::to_ascii_lowercase);
        let mut names = self.by_first[usize::from(first)].iter();
        names.any(|name| name.rule == Rule::Kept && name.fits(key))
    }

    /// Returns true if the user keeps a path parameter.
    pub(super) fn keeps_parameter(&self, name: &str) -> bool {
        !self.by_first[usize::from(PARAMETER as u8)].is_empty() && self.is_kept(&format!("{PARAMETER}{name}"))
    }

    /// Returns true if a path parameter was proven to make no difference.
    pub(super) fn ignores_parameter(&self, name: &str) -> bool {
        let mut ignored = self.ignored.iter().filter_map(|key| key.strip_prefix(PARAMETER));
        ignored.any(|ignored| ignored == name)
    }

    /// Returns true if there are such parameters.
    pub(super) fn ignores_parameters(&self) -> bool {
        self.ignored.iter().any(|key| key.starts_with(PARAMETER))
    }

    /// The twin of an origin that was proven to answer for it.
    pub(super) fn twin_of(&self, origin: &str) -> Option<&str> {
        let mut known = self.ignored.iter().map(|key| &**key);
        known.find(|known| is_twin(known, origin))
    }

    pub(super) fn ignored(&self) -> &[Box<str>] {
        &self.ignored
    }

    /// The reason to drop a pair, if there is one.
    pub(super) fn reason_to_drop(&self, key: &str, value: &str) -> Option<Change> {
        let name = || Change::name(key);
        match self.rule(key) {
            Rule::Tracking => Some(Change::TrackingKey(name())),
            Rule::Marked if is_words(value) => Some(Change::TrackingKey(name())),
            // An empty value is not a session ID.
            Rule::Session if !value.is_empty() => Some(Change::SessionKey(name())),
            Rule::PerhapsSession if session::looks_like_identifier(value) => Some(Change::SessionKey(name())),
            Rule::Ignored => Some(Change::IgnoredKey(name())),
            _ => None,
        }
    }

    /// Returns true if a pair is kept.
    pub(super) fn keeps(&self, key: &str, value: &str) -> bool {
        match self.rule(key) {
            Rule::Kept => true,
            Rule::Tracking | Rule::Ignored => false,
            Rule::Marked => !is_words(value),
            Rule::Session => value.is_empty(),
            Rule::PerhapsSession => !session::looks_like_identifier(value),
        }
    }

    fn rule(&self, key: &str) -> Rule {
        let Some(first) = key.as_bytes().first() else {
            return Rule::Kept;
        };
        let names = &self.by_first[usize::from(first.to_ascii_lowercase())];
        if let Some(name) = names.iter().find(|name| name.fits(key)) {
            return name.rule;
        }
        match self.ignored.iter().any(|ignored| **ignored == *key) {
            true => Rule::Ignored,
            false => Rule::Kept,
        }
    }
}

/// Returns true if a value is what a visitor searched for, and no switch or number.
fn is_words(value: &str) -> bool {
    const SWITCHES: [&str; 7] = ["all", "false", "no", "off", "on", "true", "yes"];
    value
        .bytes()
        .any(|byte| byte.is_ascii_alphabetic() || byte == b'%')
        && !SWITCHES.iter().any(|switch| value.eq_ignore_ascii_case(switch))
}
