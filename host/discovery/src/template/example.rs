//! Templates from result pages: the URL of one, and the words that were asked for.

use std::ops::Range;

use encoding_rs::{
    BIG5, EUC_JP, EUC_KR, Encoding, GB18030, ISO_8859_2, SHIFT_JIS, UTF_8, WINDOWS_1251, WINDOWS_1252,
};
use magpie_values::text::fold;
use url::Url;

use super::{Builder, MAX_TEMPLATE_BYTES, Part, QUERY, Style, UrlTemplate};

/// Charsets in which sites that are not in UTF-8 take their queries.
const CHARSETS: [&Encoding; 8] = [
    WINDOWS_1252,
    WINDOWS_1251,
    ISO_8859_2,
    SHIFT_JIS,
    EUC_JP,
    GB18030,
    BIG5,
    EUC_KR,
];

magpie_values::word_lists! { "arguments.txt";
    NAMES: Words = "query";
    NAME_PARTS: Words = "query_part";
}

impl UrlTemplate {
    /// The template of a result page that was the answer to a query: finds the words in the
    /// arguments, the path or the fragment, however they are encoded there.
    pub fn from_example(url: &Url, query: &str) -> Option<UrlTemplate> {
        let text = url.as_str();
        let query = query.trim();
        if query.is_empty() || text.len() > MAX_TEMPLATE_BYTES || query.len() > MAX_TEMPLATE_BYTES {
            return None;
        }
        let slots = slots(url);
        // Whole values first, arguments with usual names before others, then parts of values.
        let whole = slots
            .iter()
            .filter_map(|slot| Some((slot.rank(), slot.whole(text, query)?)))
            .min_by_key(|(rank, _)| *rank);
        let found = match whole {
            Some((_, found)) => found,
            None => slots.iter().find_map(|slot| slot.part_of(text, query))?,
        };
        // The same words in other arguments are the same query.
        let mut places = vec![found];
        if slots.len() <= 64 {
            let again = slots
                .iter()
                .filter(|slot| slot.part == Part::Query)
                .filter_map(|slot| slot.whole(text, query))
                .filter(|other| other.range != places[0].range)
                .collect::<Vec<_>>();
            places.extend(again);
        }
        places.truncate(4);
        places.sort_by_key(|found| found.range.start);
        let mut builder = Builder::default();
        let mut from = 0;
        for found in &places {
            builder.push_text(&text[from..found.range.start]);
            builder.push_place(QUERY, found.style, found.charset, None);
            from = found.range.end;
        }
        builder.push_text(&text[from..]);
        builder.finish().ok()
    }
}

/// A part of a URL that may be the words: the value of an argument, or a segment.
struct Slot {
    part: Part,
    range: Range<usize>,
    /// Name of the argument, decoded.
    name: Option<String>,
}

struct FoundQuery {
    range: Range<usize>,
    style: Option<Style>,
    charset: &'static Encoding,
}

/// Parts of a URL that are looked at.
const MAX_SLOTS: usize = 256;

fn slots(url: &Url) -> Vec<Slot> {
    let text = url.as_str();
    let path_start = url[..url::Position::BeforePath].len();
    let path_end = url[..url::Position::AfterPath].len();
    let query = url[..url::Position::BeforeQuery].len()..url[..url::Position::AfterQuery].len();
    let fragment = url[..url::Position::BeforeFragment].len()..text.len();
    let mut slots = Vec::new();
    push_slots(text, query, &['&', ';'], Part::Query, &mut slots);
    push_slots(
        text,
        fragment,
        &['&', ';', '/', '?', '!'],
        Part::Fragment,
        &mut slots,
    );
    push_slots(text, path_start..path_end, &['/', ';'], Part::Path, &mut slots);
    slots.truncate(MAX_SLOTS);
    slots
}

fn push_slots(text: &str, range: Range<usize>, signs: &[char], part: Part, slots: &mut Vec<Slot>) {
    let mut start = range.start;
    for piece in text[range].split(signs).take(MAX_SLOTS) {
        let end = start + piece.len();
        let (name, value_start) = match piece.split_once('=') {
            Some((name, _)) => (Some(decode(name, UTF_8)), start + name.len() + 1),
            None => (None, start),
        };
        if value_start <= end && (!piece.is_empty() || name.is_some()) {
            slots.push(Slot {
                part,
                range: value_start..end,
                name,
            });
        }
        start = end + 1;
    }
}

impl Slot {
    /// Order in which slots with the words are preferred.
    fn rank(&self) -> usize {
        let by_part = match self.part {
            Part::Query => 0,
            Part::Fragment => 1_000,
            Part::Path => 2_000,
        };
        let by_name = self.name.as_deref().map(|name| rank_of_name(name).unwrap_or(500));
        by_part + by_name.unwrap_or(600)
    }

    /// The words as the whole of the slot.
    fn whole(&self, text: &str, query: &str) -> Option<FoundQuery> {
        let raw = &text[self.range.clone()];
        let wanted = fold(query);
        let charset = charsets(query).find(|charset| is_same(&decode(raw, charset), &wanted));
        let has_blank = wanted.contains([' ', '+']);
        let found = |style, charset| FoundQuery {
            range: self.range.clone(),
            style,
            charset,
        };
        if let Some(charset) = charset {
            let style = has_blank.then(|| match raw.contains('+') {
                true => Style::Plus,
                false => Style::Percent,
            });
            return Some(found(style, charset));
        }
        let joined = |sign: char| fold(&decode(raw, UTF_8).replace(sign, " ")) == wanted;
        let styles = [('-', Style::Dash), ('_', Style::Underscore)];
        let style = styles.into_iter().find(|(sign, _)| has_blank && joined(*sign));
        style.map(|(_, style)| found(Some(style), UTF_8))
    }

    /// The words as a part of the slot, as in `/search-{query}.html`.
    fn part_of(&self, text: &str, query: &str) -> Option<FoundQuery> {
        let raw = text[self.range.clone()].to_ascii_lowercase();
        for charset in charsets(query) {
            for style in [Style::usual(self.part)].into_iter().chain(Style::ALL) {
                let wanted = style.encode(query, charset).to_ascii_lowercase();
                if let Some(at) = find_apart(&raw, &wanted) {
                    let start = self.range.start + at;
                    return Some(FoundQuery {
                        range: start..start + wanted.len(),
                        style: Some(style),
                        charset,
                    });
                }
            }
        }
        None
    }
}

/// Finds a text that does not begin or end within a word.
fn find_apart(text: &str, wanted: &str) -> Option<usize> {
    let is_letter = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_alphanumeric);
    let bytes = text.as_bytes();
    text.match_indices(wanted).map(|(at, _)| at).find(|&at| {
        !is_letter(at.checked_sub(1).and_then(|at| bytes.get(at))) && !is_letter(bytes.get(at + wanted.len()))
    })
}

/// Charsets that a query may be encoded in.
fn charsets(query: &str) -> impl Iterator<Item = &'static Encoding> {
    let others: &[&Encoding] = if query.is_ascii() { &[] } else { &CHARSETS };
    std::iter::once(UTF_8).chain(others.iter().copied())
}

/// A part of a URL as text, with `+` as a blank.
pub(crate) fn decode(raw: &str, charset: &'static Encoding) -> String {
    let bytes = raw.as_bytes();
    let digit = |at: usize| bytes.get(at).and_then(|byte| char::from(*byte).to_digit(16));
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        at += 1;
        match (byte, digit(at), digit(at + 1)) {
            (b'%', Some(high), Some(low)) => {
                // Two hexadecimal digits are one byte.
                decoded.push((high * 16 + low) as u8);
                at += 2;
            }
            (b'+', _, _) => decoded.push(b' '),
            _ => decoded.push(byte),
        }
    }
    charset.decode_without_bom_handling(&decoded).0.into_owned()
}

/// Compares a value with a folded query. A query copied from a URL has `+` for its blanks.
fn is_same(value: &str, folded: &str) -> bool {
    let value = fold(value.trim_matches(['"', ' ']));
    value == folded.trim_matches('"') || value == fold(&folded.replace('+', " "))
}

/// Rank of a name among those for the words of a search; a lower one is more usual.
fn rank_of_name(name: &str) -> Option<usize> {
    let name = name.to_lowercase();
    if let Some(rank) = NAMES.iter().position(|known| *known == name) {
        return Some(rank);
    }
    // Names such as `tx_search[sword]`, `search-bar` and `b.search`.
    let last = name.trim_end_matches(['[', ']', ')']);
    let last = last
        .rsplit(['[', '.', '-', '_', '(', ':'])
        .next()
        .unwrap_or_default();
    if let Some(rank) = NAMES.iter().take(66).position(|known| *known == last) {
        return Some(NAMES.len() + rank);
    }
    let inside = NAME_PARTS.iter().position(|known| name.contains(known))?;
    let is_other = [
        "type", "mode", "lang", "sort", "category", "button", "submit", "in", "by",
    ]
    .iter()
    .any(|other| name.ends_with(other));
    (!is_other).then_some(2 * NAMES.len() + inside)
}
