//! The parts of values that queries compare.

use magpie_model::{Attribute, Kind};
use magpie_values::identifier::{self, Scheme};
use magpie_values::kind::Shape;
use magpie_values::money::{Currency, Money};
use magpie_values::{date, number, text};

/// The longest value of a facet: paragraphs are no choices.
pub const MAX_FACET_BYTES: usize = 80;

/// Maximum length of a word in characters. The rest of a longer one does not count.
const MAX_WORD: usize = 64;

/// Maximum length in bytes of a text whose words are searched.
const MAX_TEXT: usize = 64 * 1024;

/// A value as a range of numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ValueInterval {
    pub low: f64,
    /// The greatest number: that of `low`, but for a range of prices.
    pub high: f64,
    pub currency: Option<Currency>,
}

/// Returns the words of a text as they are compared: folded, letters and digits only.
pub fn tokens(text: &str) -> Vec<String> {
    let mut tokens = Vec::new();
    // Cut first, because a value may be a whole article and the words are made for every
    // comparison.
    for word in text::words(text::truncate(text, MAX_TEXT)) {
        let folded = text::fold_word(word);
        // Folding spells some characters out with signs between: `½`.
        let parts = folded.split(|character: char| !character.is_alphanumeric());
        for part in parts.filter(|part| !part.is_empty()) {
            tokens.push(part.chars().take(MAX_WORD).collect());
        }
    }
    tokens
}

/// Returns true if words are searched in values of a kind.
pub fn is_searchable(kind: &Kind) -> bool {
    match kind.shape() {
        Shape::Text | Shape::Code | Shape::Object => true,
        Shape::Point
        | Shape::Moment
        | Shape::Span
        | Shape::Amount
        | Shape::Number
        | Shape::Rating
        | Shape::Truth
        | Shape::Address => false,
    }
}

/// Returns true if values of a kind are compared as numbers.
pub fn is_ranged(kind: &Kind) -> bool {
    kind.shape().is_ranged()
}

/// Returns true if the values of an attribute are counted as a facet: those that many objects may
/// share. Texts that identify an object are its names.
pub fn has_facet(attribute: &Attribute) -> bool {
    match attribute.kind {
        Kind::Text => !attribute.identifies,
        Kind::Unknown(_) => false,
        _ => attribute.kind.facts().is_shared,
    }
}

/// Returns the numbers of a value, or `None` if its kind has none or it is written otherwise. A
/// date is its first second, and has none without a year; times of unknown zone are compared as
/// they are written.
pub fn interval(kind: &Kind, value: &str) -> Option<ValueInterval> {
    let point = |at: f64| ValueInterval {
        low: at,
        high: at,
        currency: None,
    };
    match kind.shape() {
        Shape::Moment => {
            let moment = date::parse_iso(value).filter(|moment| moment.has_year())?;
            Some(point(moment.to_unix(0) as f64))
        }
        Shape::Span => Some(point(date::parse_duration(value)?.seconds() as f64)),
        Shape::Number => Some(point(number::parse(value).ok()?.to_f64())),
        Shape::Rating => Some(point(number::parse_rating(value).ok()?.value().to_f64())),
        Shape::Amount => {
            let money: Money = value.parse().ok()?;
            Some(ValueInterval {
                low: money.amount().to_f64(),
                high: money.upto().unwrap_or(money.amount()).to_f64(),
                currency: money.currency(),
            })
        }
        _ => None,
    }
}

/// Returns what two equal values of a kind have in common: the folded text, or the normal form of
/// an identifier.
pub fn equality_key(kind: &Kind, value: &str) -> String {
    match kind {
        Kind::Identifier(scheme) => identifier_key(Scheme::parse(scheme), value),
        _ => text::fold(value),
    }
}

/// People leave out the hyphens of an identifier, or put them elsewhere. One that is invalid by its
/// scheme is compared by its letters and digits.
fn identifier_key(scheme: Scheme, value: &str) -> String {
    identifier::key(scheme, value).unwrap_or_else(|| {
        let letters = value.chars().filter(|character| character.is_alphanumeric());
        letters.flat_map(char::to_uppercase).collect()
    })
}

/// Returns the names by which a site of a URL can be meant, in lower case: its host with the port,
/// its host, and every domain above it; each without `www.` at the beginning.
pub fn site_keys(url: &str) -> Vec<String> {
    let with_port = host(url);
    // An IPv6 address ends with a bracket, so its last part is never taken for a port.
    let name = match with_port.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => with_port.as_str(),
    };
    let mut keys = Vec::new();
    let mut add = |key: &str| {
        let key = key.strip_prefix("www.").unwrap_or(key);
        if !key.is_empty() && !keys.iter().any(|known| known == key) {
            keys.push(key.to_owned());
        }
    };
    add(&with_port);
    add(name);
    // The parts of an address are no domains.
    let is_address = name.starts_with('[') || name.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    if !is_address {
        // The last part alone is no domain.
        for (at, _) in name.match_indices('.') {
            let above = &name[at + 1..];
            if above.contains('.') {
                add(above);
            }
        }
    }
    keys
}

/// Returns the host and port of a URL, or of a host as people write it, in lower case.
pub(crate) fn host(site: &str) -> String {
    let rest = site.split_once("://").map_or(site, |(_, rest)| rest);
    let host = rest.split(['/', '?', '#', '\\']).next().unwrap_or_default();
    // A user name may contain an at sign, so the last one counts.
    let host = host.rsplit_once('@').map_or(host, |(_, host)| host);
    host.to_ascii_lowercase()
}
