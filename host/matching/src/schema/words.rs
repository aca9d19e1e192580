//! Words for comparing: folded, and numbers with their letters in one piece.

use magpie_values::text;

/// Folded words of a text, up to a maximum number. Digits, dashes and letters that are joined stay
/// one word (`PS-LX350H` as `pslx350h`), as shops write model numbers with and without dashes.
pub(super) fn words(written: &str, most: usize) -> Vec<String> {
    text::tokens(&joined_codes(written))
        .into_iter()
        .take(most)
        .collect()
}

/// Separator between the words of a name's main part and those of its rest.
const BETWEEN: char = '\t';

/// As [`words`], in one text: the main part, and behind it what is added in brackets, after a colon
/// or a dash. `The Tempest (live)` and `The Tempest` have the same main part.
pub(super) fn name(written: &str, most: usize) -> String {
    let (main, rest) = split(written);
    let main = words(main, most);
    let rest = words(rest, most.saturating_sub(main.len()));
    if main.is_empty() || rest.is_empty() {
        return [main, rest].concat().join(" ");
    }
    format!("{}{BETWEEN}{}", main.join(" "), rest.join(" "))
}

/// All words of a text that [`name`] or joining by spaces made.
pub(super) fn each(text: &str) -> impl Iterator<Item = &str> {
    text.split([' ', BETWEEN])
}

/// The main part of a text that [`name`] made, and whether that is not all.
pub(super) fn main_part(text: &str) -> (&str, bool) {
    text.split_once(BETWEEN)
        .map_or((text, false), |(main, _)| (main, true))
}

/// Splits a name where something is added to it.
fn split(written: &str) -> (&str, &str) {
    /// A main part with fewer letters is no name yet: `4: The Return`.
    const FEWEST_LETTERS: usize = 3;
    let marks = [" (", " [", ": ", " : ", " - ", " – ", " — ", " | ", "; "];
    let cut = |mark: &&str| written.find(*mark).map(|at| (at, mark.len()));
    let fits = |(at, _): &(usize, usize)| {
        written[..*at].chars().filter(|one| one.is_alphabetic()).count() >= FEWEST_LETTERS
    };
    match marks.iter().filter_map(cut).filter(fits).min() {
        Some((at, length)) => (&written[..at], &written[at + length..]),
        None => (written, ""),
    }
}

/// Returns true if a word is a code: a model number, a version, a year with its letter.
pub(super) fn is_code(word: &str) -> bool {
    has_digit(word) && word.contains(char::is_alphabetic) && word.chars().count() >= 3
}

/// Returns true if a word is a code long enough to be a model number; `8gb`, `4th` and `2006` are
/// not.
pub(super) fn is_model(word: &str) -> bool {
    const SHORTEST: usize = 5;
    const SHORTEST_OF_DIGITS: usize = 6;
    let length = word.chars().count();
    has_digit(word)
        && length
            >= if is_code(word) {
                SHORTEST
            } else {
                SHORTEST_OF_DIGITS
            }
}

/// Returns true if a word has a digit.
pub(super) fn has_digit(word: &str) -> bool {
    word.contains(|one: char| one.is_ascii_digit())
}

/// Removes dashes, slashes and points inside groups that have letters and digits, or more digits
/// than a date.
fn joined_codes(written: &str) -> String {
    let mut joined = String::with_capacity(written.len());
    for (number, group) in written.split_whitespace().enumerate() {
        if number > 0 {
            joined.push(' ');
        }
        let digits = group.chars().filter(char::is_ascii_digit).count();
        let code = digits > DIGITS_OF_A_DATE || digits > 0 && group.contains(char::is_alphabetic);
        if code && group.chars().count() <= LONGEST_CODE {
            joined.extend(group.chars().filter(|one| !matches!(one, '-' | '/' | '.')));
        } else {
            joined.push_str(group);
        }
    }
    joined
}

/// As in `2026-05-03`.
const DIGITS_OF_A_DATE: usize = 8;
/// Longer groups are lists or addresses of pages.
const LONGEST_CODE: usize = 20;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_main_part_of_a_name_is_found() {
        let check = |written: &str, main: &str, more: bool| {
            assert_eq!(main_part(&name(written, 32)), (main, more), "{written}");
        };
        check("The Tempest (live)", "the tempest", true);
        check("The Tempest", "the tempest", false);
        check("Dune: Book One - Illustrated", "dune", true);
        check("(Untitled)", "untitled", false);
        check("4: The Return", "4 the return", false);
        check("Half-Life", "half life", false);
    }

    #[test]
    fn codes_are_one_word() {
        assert_eq!(
            words("Sony Turntable - PS-LX350H", 9),
            ["sony", "turntable", "pslx350h"]
        );
        assert_eq!(words("2-in-1 Ünder", 9), ["2in1", "under"]);
        assert_eq!(words("2006-2007 part 3", 9), ["2006", "2007", "part", "3"]);
        assert_eq!(
            words("kit 010-10979-00 2026-05-03", 9),
            ["kit", "0101097900", "2026", "05", "03"]
        );
        assert_eq!(words("a b c d", 2), ["a", "b"]);
    }
}
