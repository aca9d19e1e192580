//! Classes of values by their appearance, independent of their neighbours.

use std::collections::BTreeMap;

use super::super::kind::{Kind, MIN_HASH_LENGTH};

/// A class of values that share one template. The order is that of the printed patterns.
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
    /// A number, a separator, and more: `4711-rock-am-ring`.
    NumberFirst,
    /// A constant word and a number: `session_3032`, `p12`. The word includes the separator.
    Numbered(&'a str),
    Slug,
    Other,
    Empty,
}

/// Maximum length of an extension: `.html` and `.aspx`, not `.rock-am-ring`.
const MAX_EXTENSION_LENGTH: usize = 5;

/// Minimum number of changes between letters and digits in a hash; `covid19update` has two.
const MIN_HASH_CHANGES: usize = 3;

/// A class with fewer rows than this and less than its share of rows counts as outliers of a larger
/// one.
const FEW: usize = 4;

/// Reciprocal of that share.
const OUTLIER_SHARE: usize = 20;

/// Minimum number of values of a numbered word before the word becomes a constant.
const MIN_NUMBERED: usize = 3;

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

/// Returns the extension with its dot, or an empty string.
pub(super) fn extension(value: &str) -> &str {
    let Some(dot) = value.rfind('.') else { return "" };
    let name = &value.as_bytes()[dot + 1..];
    let is_name = name.first().is_some_and(u8::is_ascii_alphabetic)
        && name.len() <= MAX_EXTENSION_LENGTH
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

/// Returns true for random letters and digits: they alternate often, or are hexadecimal.
fn is_hash(text: &[u8]) -> bool {
    if text.len() < MIN_HASH_LENGTH || !text.iter().all(u8::is_ascii_alphanumeric) {
        return false;
    }
    let changes = text
        .windows(2)
        .filter(|pair| pair[0].is_ascii_digit() != pair[1].is_ascii_digit())
        .count();
    // Hexadecimal letters alone make few words, so fewer changes suffice.
    let is_hex = text.len() >= 8 && text.iter().all(u8::is_ascii_hexdigit);
    changes >= MIN_HASH_CHANGES || (is_hex && changes >= MIN_HASH_CHANGES - 1)
}

/// Returns the leading letters and separator if the rest of the stem is a number.
fn numbered(stem: &str) -> Option<&str> {
    let bytes = stem.as_bytes();
    let letters = bytes.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
    let word = letters + usize::from(bytes.get(letters).is_some_and(|byte| is_separator(*byte)));
    let is_number = bytes.len() > word && bytes[word..].iter().all(u8::is_ascii_digit);
    (letters > 0 && is_number).then_some(&stem[..word])
}

/// Distinct values of a column with their row counts, by class.
pub(super) type Classes<'a> = BTreeMap<Class<'a>, Vec<(&'a str, usize)>>;

/// Groups the values of a column into classes, and merges outliers into similar classes.
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
        // A few values are no sign that the word is constant.
        if classes[&word].len() < MIN_NUMBERED {
            fold(classes, word, class(Look::Slug));
        }
    }
    let count =
        |classes: &Classes<'a>, look: Look<'a>| classes.get(&class(look)).map_or(0, |values| rows(values));
    // Eight digits that happen to be a date, among other numbers.
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
        // A slug may begin with a number or look random. The class with most rows decides for
        // these.
        if rows > 0 && rows < slugs {
            fold(classes, class(look), class(Look::Slug));
        }
    }
    let slugs = count(classes, Look::Slug);
    for look in [Look::Number, Look::Date, Look::Uuid] {
        let rows = count(classes, look);
        if rows > 0 && rows < FEW && rows * OUTLIER_SHARE < slugs {
            fold(classes, class(look), class(Look::Slug));
        }
    }
    // A hash without digits looks like a word.
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
