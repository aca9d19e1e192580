//! What a value looks like before anything is known of its neighbours, and which values belong together.

use std::collections::BTreeMap;

use super::super::kind::{Kind, SHORTEST_HASH};

/// Values of one class are made one template. The order is that in which patterns are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Class<'a> {
    pub(super) look: Look<'a>,
    /// The extension with its dot: `.html`.
    pub(super) extension: &'a str,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Look<'a> {
    Number,
    Date,
    Uuid,
    Hash,
    /// A number, a separator and more: `4711-rock-am-ring`.
    NumberFirst,
    /// A word of its own and a number: `session_3032`, `p12`. The word with the separator.
    Numbered(&'a str),
    Slug,
    Other,
    Empty,
}

/// The longest extension: `.html` and `.aspx`, not `.rock-am-ring`.
const LONGEST_EXTENSION: usize = 5;

/// Changes from letters to digits and back that make a hash of a run; `covid19update` has two.
const HASH_CHANGES: usize = 3;

/// A class that has fewer rows than this and less than its share is taken for a freak of a larger one.
const FEW: usize = 4;

/// One in so many.
const FREAK_SHARE: usize = 20;

/// Values of a numbered word before the word is taken for a constant.
const LEAST_NUMBERED: usize = 3;

impl<'a> Class<'a> {
    pub(super) fn of(value: &'a str) -> Class<'a> {
        let extension = extension(value);
        let stem = &value[..value.len() - extension.len()];
        Class {
            look: look(stem),
            extension,
        }
    }
}

/// The extension with its dot, or nothing.
pub(super) fn extension(value: &str) -> &str {
    let Some(dot) = value.rfind('.') else { return "" };
    let name = &value.as_bytes()[dot + 1..];
    let is_name = name.first().is_some_and(u8::is_ascii_alphabetic)
        && name.len() <= LONGEST_EXTENSION
        && name.iter().all(u8::is_ascii_alphanumeric);
    if is_name && dot > 0 { &value[dot..] } else { "" }
}

fn look(stem: &str) -> Look<'_> {
    let bytes = stem.as_bytes();
    if bytes.is_empty() {
        return Look::Empty;
    }
    for (kind, look) in [
        (Kind::Date, Look::Date),
        (Kind::Number, Look::Number),
        (Kind::Uuid, Look::Uuid),
    ] {
        if kind.is_whole(bytes) {
            return look;
        }
    }
    if is_hash(bytes) {
        return Look::Hash;
    }
    let digits = bytes.iter().take_while(|byte| byte.is_ascii_digit()).count();
    if digits > 0 && is_separator(bytes[digits]) && digits + 1 < bytes.len() {
        return Look::NumberFirst;
    }
    if let Some(word) = numbered(stem) {
        return Look::Numbered(word);
    }
    if Kind::Slug.is_whole(bytes) {
        return Look::Slug;
    }
    Look::Other
}

pub(super) fn is_separator(byte: u8) -> bool {
    b"-_.,~+".contains(&byte)
}

/// A run whose letters and digits mean nothing: they change often, or are hexadecimal.
fn is_hash(text: &[u8]) -> bool {
    if text.len() < SHORTEST_HASH || !text.iter().all(u8::is_ascii_alphanumeric) {
        return false;
    }
    let changes = text
        .windows(2)
        .filter(|pair| pair[0].is_ascii_digit() != pair[1].is_ascii_digit())
        .count();
    let is_hex = text.len() >= 8 && text.iter().all(u8::is_ascii_hexdigit);
    changes >= HASH_CHANGES || (is_hex && changes >= HASH_CHANGES - 1)
}

/// The letters and the separator before a number that ends the stem, when there is nothing else.
fn numbered(stem: &str) -> Option<&str> {
    let bytes = stem.as_bytes();
    let letters = bytes.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
    let word = letters + usize::from(bytes.get(letters).is_some_and(|byte| is_separator(*byte)));
    let is_number = bytes.len() > word && bytes[word..].iter().all(u8::is_ascii_digit);
    (letters > 0 && is_number).then_some(&stem[..word])
}

/// Distinct values of a column with the number of rows of each, by class.
pub(super) type Classes<'a> = BTreeMap<Class<'a>, Vec<(&'a str, usize)>>;

/// Sorts the values of a column into classes, and puts freaks to those they most resemble.
pub(super) fn classes<'a>(values: &[(&'a str, usize)]) -> Classes<'a> {
    let mut classes: Classes<'a> = BTreeMap::new();
    for (value, count) in values {
        classes.entry(Class::of(value)).or_default().push((value, *count));
    }
    let extensions: Vec<&str> = classes.keys().map(|class| class.extension).collect();
    for extension in extensions {
        fold_extension(&mut classes, extension);
    }
    classes
}

fn rows(values: &[(&str, usize)]) -> usize {
    values.iter().map(|(_, count)| count).sum()
}

fn fold_extension<'a>(classes: &mut Classes<'a>, extension: &'a str) {
    let class = |look: Look<'a>| Class { look, extension };
    let words: Vec<Class<'a>> = classes
        .keys()
        .filter(|class| class.extension == extension && matches!(class.look, Look::Numbered(_)))
        .copied()
        .collect();
    for word in words {
        if classes[&word].len() < LEAST_NUMBERED {
            fold(classes, word, class(Look::Slug));
        }
    }
    let count =
        |classes: &Classes<'a>, look: Look<'a>| classes.get(&class(look)).map_or(0, |values| rows(values));
    // Eight digits that happen to be a date, among numbers that are none.
    if count(classes, Look::Number) > count(classes, Look::Date) {
        let dates = classes.remove(&class(Look::Date)).unwrap_or_default();
        let (numbers, dates) = dates.into_iter().partition::<Vec<_>, _>(|(value, _)| {
            Kind::Number.is_whole(&value.as_bytes()[..value.len() - extension.len()])
        });
        for (look, values) in [(Look::Number, numbers), (Look::Date, dates)] {
            if !values.is_empty() {
                classes.entry(class(look)).or_default().extend(values);
            }
        }
    }
    let slugs = count(classes, Look::Slug);
    for look in [Look::Hash, Look::NumberFirst] {
        let rows = count(classes, look);
        if rows > 0 && rows < slugs {
            fold(classes, class(look), class(Look::Slug));
        }
    }
    let slugs = count(classes, Look::Slug);
    for look in [Look::Number, Look::Date, Look::Uuid] {
        let rows = count(classes, look);
        if rows > 0 && rows < FEW && rows * FREAK_SHARE < slugs {
            fold(classes, class(look), class(Look::Slug));
        }
    }
    // A hash may lack digits by chance; then it looks like a word.
    let hashes = count(classes, Look::Hash);
    if hashes > count(classes, Look::Slug) {
        let is_run = classes.get(&class(Look::Slug)).is_some_and(|slugs| {
            let run = |(value, _): &(&str, usize)| {
                let stem = &value[..value.len() - extension.len()];
                Kind::Hash(None).is_whole(stem.as_bytes())
            };
            slugs.iter().all(run)
        });
        if is_run {
            fold(classes, class(Look::Slug), class(Look::Hash));
        }
    }
}

fn fold<'a>(classes: &mut Classes<'a>, from: Class<'a>, into: Class<'a>) {
    if let Some(values) = classes.remove(&from) {
        classes.entry(into).or_default().extend(values);
    }
}

#[cfg(test)]
mod tests {
    use super::{Class, Look};

    #[test]
    fn values_have_looks() {
        let cases = [
            ("4711", Look::Number, ""),
            ("3032.html", Look::Number, ".html"),
            ("2024-05-31", Look::Date, ""),
            ("a3f9c2d1", Look::Hash, ""),
            ("covid19update", Look::Slug, ""),
            ("4711-rock", Look::NumberFirst, ""),
            ("session_3032.html", Look::Numbered("session_"), ".html"),
            ("tt0111161", Look::Numbered("tt"), ""),
            ("rock-am-ring", Look::Slug, ""),
            ("a=b", Look::Other, ""),
            ("", Look::Empty, ""),
            (".well-known", Look::Other, ""),
        ];
        for (value, look, extension) in cases {
            assert_eq!(Class::of(value), Class { look, extension }, "{value}");
        }
    }
}
