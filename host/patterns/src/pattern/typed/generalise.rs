//! The tightest template for all values of a column.

use super::super::kind::Kind;
use super::super::template::{Piece, Template};
use super::class::{extension, is_separator};

/// Minimum number of values that share a first word before the word becomes a constant.
const MIN_FOR_WORD: usize = 8;

/// Minimum number of values with a final number before the number becomes a separate part.
const MIN_FOR_ENDING: usize = 4;

/// Minimum number of values of one length before it becomes the length of a hash.
const MIN_FOR_LENGTH: usize = 5;

/// Minimum number of single words to infer that values have no hyphens.
const MIN_FOR_WORDS: usize = 30;

/// Maximum number of rounds in which parts are taken off the ends of values.
const MAX_PARTS: usize = 3;

/// Returns a template that matches all of these distinct values.
pub(super) fn generalise(values: &[&str]) -> Template {
    let Some(first) = values.first() else {
        return Template::constant("");
    };
    if values.len() == 1 {
        return Template::constant(first);
    }
    let shared = extension(first);
    let shared = if values.iter().all(|value| extension(value) == shared) {
        shared
    } else {
        ""
    };
    let stems: Vec<&str> = values
        .iter()
        .map(|value| &value[..value.len() - shared.len()])
        .collect();
    let mut pieces = parts(stems);
    pieces.push(Piece::Constant(shared.into()));
    let whole = Template::new(pieces).unwrap_or_else(|_| Template::any(Kind::Text));
    // If a token extends into the part that was cut off, the values are text.
    if values.iter().all(|value| whole.matches(value)) {
        whole
    } else {
        Template::any(Kind::Text)
    }
}

/// Takes constants and typed parts off both ends until one middle part remains.
fn parts(mut stems: Vec<&str>) -> Vec<Piece> {
    let mut front: Vec<Piece> = Vec::new();
    let mut back: Vec<Piece> = Vec::new();
    for _ in 0..MAX_PARTS {
        if stems.iter().all(|stem| *stem == stems[0]) {
            front.push(Piece::Constant(stems[0].into()));
            front.extend(back.into_iter().rev());
            return front;
        }
        if let Some(kind) = whole(&stems) {
            front.push(Piece::Any(kind));
            front.extend(back.into_iter().rev());
            return front;
        }
        // Each round takes one part, since the rest may be whole after it.
        let taken = leading(&mut stems, &mut front) || trailing(&mut stems, &mut back);
        if !taken {
            break;
        }
    }
    front.push(Piece::Any(middle(&stems)));
    front.extend(back.into_iter().rev());
    front
}

/// Returns the kind of all stems if each is one token.
fn whole(stems: &[&str]) -> Option<Kind> {
    let all = |kind: Kind| stems.iter().all(|stem| kind.is_whole(stem.as_bytes()));
    if all(Kind::Year) {
        return Some(Kind::Year);
    }
    if let Some(kind) = [Kind::Date, Kind::Number, Kind::Uuid]
        .into_iter()
        .find(|kind| all(*kind))
    {
        return Some(kind);
    }
    let looks_random = stems
        .iter()
        .filter(|stem| stem.bytes().any(|byte| byte.is_ascii_digit()))
        .count()
        * 2
        > stems.len();
    // Letters alone are words, however long. Half of the values must have a digit.
    if looks_random && all(Kind::Hash(None)) && !is_numbered(stems) {
        let length = stems[0].len();
        let alike = stems.len() >= MIN_FOR_LENGTH && stems.iter().all(|stem| stem.len() == length);
        let length = u16::try_from(length).ok().filter(|_| alike);
        return Some(Kind::Hash(length));
    }
    (stems.len() >= MIN_FOR_WORDS && all(Kind::Word)).then_some(Kind::Word)
}

/// Returns true if all stems are the same word followed by a number, which is not a hash.
fn is_numbered(stems: &[&str]) -> bool {
    let word = |stem: &&str| {
        let digits = stem.bytes().rev().take_while(u8::is_ascii_digit).count();
        stem.len() - digits
    };
    let first = &stems[0][..word(&stems[0])];
    let is_word = !first.is_empty() && first.bytes().all(|byte| byte.is_ascii_alphabetic());
    is_word
        && stems
            .iter()
            .all(|stem| stem[..word(stem)] == *first && stem.len() > first.len())
}

/// Takes a leading number, date, or shared word with its separator off all stems.
fn leading(stems: &mut [&str], front: &mut Vec<Piece>) -> bool {
    for kind in [Kind::Date, Kind::Number] {
        let mut separators = stems.iter().map(|stem| {
            let length = kind.prefix_length(stem.as_bytes())?;
            let separator = *stem.as_bytes().get(length)?;
            (is_separator(separator) && stem.len() > length + 1).then_some(separator)
        });
        let Some(Some(first)) = separators.next() else {
            continue;
        };
        if separators.all(|separator| separator == Some(first)) {
            for stem in stems.iter_mut() {
                let length = kind.prefix_length(stem.as_bytes()).unwrap_or(0);
                *stem = &stem[length + 1..];
            }
            front.push(Piece::Any(kind));
            front.push(Piece::Constant(char::from(first).to_string().into()));
            return true;
        }
    }
    shared_word(stems, front)
}

/// Takes a shared first word off all stems. Before numbers two values are evidence enough; before
/// slugs it takes more.
fn shared_word(stems: &mut [&str], front: &mut Vec<Piece>) -> bool {
    let letters = stems[0].bytes().take_while(u8::is_ascii_alphabetic).count();
    let separator = stems[0]
        .as_bytes()
        .get(letters)
        .is_some_and(|byte| is_separator(*byte));
    let length = letters + usize::from(separator);
    let word = &stems[0][..length];
    let shared = letters > 0
        && stems
            .iter()
            .all(|stem| stem.starts_with(word) && stem.len() > length);
    if !shared {
        return false;
    }
    let before_numbers = stems
        .iter()
        .all(|stem| Kind::Number.is_whole(&stem.as_bytes()[length..]));
    let is_word = separator && stems.len() >= MIN_FOR_WORD;
    if !before_numbers && !is_word {
        return false;
    }
    front.push(Piece::Constant(word.into()));
    for stem in stems.iter_mut() {
        *stem = &stem[length..];
    }
    true
}

/// Takes a final number or date with its separator off all stems.
fn trailing(stems: &mut [&str], back: &mut Vec<Piece>) -> bool {
    // Slugs contain numbers, too.
    if stems.len() < MIN_FOR_ENDING {
        return false;
    }
    for kind in [Kind::Uuid, Kind::Date, Kind::Number] {
        let mut separators = stems.iter().map(|stem| {
            let length = kind.suffix_length(stem.as_bytes())?;
            let before = stem.len().checked_sub(length + 1)?;
            let separator = stem.as_bytes()[before];
            (is_separator(separator) && before > 0).then_some(separator)
        });
        let Some(Some(first)) = separators.next() else {
            continue;
        };
        if separators.all(|separator| separator == Some(first)) {
            for stem in stems.iter_mut() {
                let length = kind.suffix_length(stem.as_bytes()).unwrap_or(0);
                *stem = &stem[..stem.len() - length - 1];
            }
            back.push(Piece::Any(kind));
            back.push(Piece::Constant(char::from(first).to_string().into()));
            return true;
        }
    }
    false
}

fn middle(stems: &[&str]) -> Kind {
    let is_slug = stems.iter().all(|stem| Kind::Slug.is_whole(stem.as_bytes()));
    if is_slug { Kind::Slug } else { Kind::Text }
}

#[cfg(test)]
mod tests {
    use super::super::super::UrlPattern;
    use super::super::super::url_pattern::{Form, Segment, Typed};
    use super::generalise;

    fn check(values: &[&str], expected: &str) {
        let template = generalise(values);
        for value in values {
            assert!(template.matches(value), "{value} by {template:?}");
        }
        let typed = Typed {
            origin: "http://h".into(),
            path: [Segment::One(template)].into(),
            query: [].into(),
            open: false,
        };
        let pattern = UrlPattern {
            form: Form::Typed(typed),
        };
        assert_eq!(pattern.to_string(), format!("http://h/{expected}"));
    }

    #[test]
    fn values_become_templates() {
        check(&["48213", "48899"], "{number}");
        check(&["1-day", "2-day"], "{number}-day");
        check(&["48213.html", "48899.html"], "{number}.html");
        check(&["2023", "2024"], "{year}");
        check(&["2024-05-31", "2024-06-01"], "{date}");
        check(&["7-rock-am-ring", "12-jazz"], "{number}-{slug}");
        check(&["session_12.html", "session_9.html"], "session_{number}.html");
        check(&["tt011", "tt02"], "tt{number}");
        check(&["rock", "jazz-night", "top-10"], "{slug}");
        check(&["rock-1", "jazz-22", "pop-3", "folk-44"], "{slug}-{number}");
        check(&["a1b2c3", "9f8e7d", "d4e5f6", "0a1b2c", "1f2e3d"], "{hash:6}");
        check(&["a.b", "c/d"], "{text}");
        check(&["x.tar.gz", "y.tar.gz"], "{text}.gz");
    }
}
