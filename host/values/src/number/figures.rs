//! Figures with separators, and what the separators mean.

use super::Decimal;

/// Context for reading digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FigureStyle {
    /// Decimal separator, if known; any other separator then groups thousands.
    pub decimal_separator: Option<char>,
    /// `1.234` is one and 234 thousandths, as in the currencies that have thousandths.
    pub thousandths: bool,
    /// A separator may be followed by a space and two digits: `119. 95`, as torn markup leaves it.
    pub torn: bool,
}

/// Figures that were read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Figures {
    /// Parsed number.
    pub value: Decimal,
    /// The index behind them, in bytes.
    pub end: usize,
    /// True if there is a fraction or a separator: `1,234`, `5.0`.
    pub separated: bool,
}

/// More groups than this are a list, not a number.
const MAX_GROUPS: usize = 13;

/// A run of digits and the separator before it.
#[derive(Clone, Copy)]
struct Group<'text> {
    separator: char,
    digits: &'text str,
}

/// Reads the figures that begin at `start`: digits with points, commas, apostrophes or spaces
/// between. Other numerals (full-width, Arabic, Persian) must have been folded by [`plain_digits`].
///
/// Two different separators: the last one is the decimal one. One that occurs several times groups
/// thousands. One that occurs once before exactly three digits groups thousands as well, unless the
/// whole part is zero; before any other number of digits it is the decimal one. None for what is
/// no number, such as `1.2.3`.
#[must_use]
pub(crate) fn read_figures(text: &str, start: usize, style: FigureStyle) -> Option<Figures> {
    let mut groups: Vec<Group<'_>> = Vec::new();
    let mut end = start;
    let mut separator = '\0';
    if text[start..].starts_with(['.', ',']) {
        separator = char::from(text.as_bytes()[start]);
        end += 1;
    }
    loop {
        let digits = digits_at(text, end);
        // A list of numbers is no number, and its length is the page's choice.
        if digits.is_empty() || groups.len() == MAX_GROUPS {
            return None;
        }
        groups.push(Group { separator, digits });
        end += digits.len();
        match separator_at(text, end, &groups, style) {
            Some((next, width)) => {
                separator = next;
                end += width;
            }
            None => break,
        }
    }
    let value = value_of(&groups, style)?;
    let separated = groups.len() > 1 || groups[0].separator != '\0';
    Some(Figures {
        value,
        end,
        separated,
    })
}

fn digits_at(text: &str, from: usize) -> &str {
    let rest = text.get(from..).unwrap_or("");
    &rest[..rest.bytes().take_while(u8::is_ascii_digit).count()]
}

/// The separator at `at` and how far behind it the next group begins.
fn separator_at(text: &str, at: usize, groups: &[Group<'_>], style: FigureStyle) -> Option<(char, usize)> {
    let separator = text[at..].chars().next()?;
    let width = separator.len_utf8();
    let next = digits_at(text, at + width);
    match separator {
        '.' | ',' if !next.is_empty() => Some((separator, width)),
        '.' | ',' if style.torn => {
            let space = text[at + width..].chars().next().filter(|next| is_space(*next))?;
            let torn = at + width + space.len_utf8();
            let fits =
                digits_at(text, torn).len() == 2 && groups.iter().all(|group| group.separator != separator);
            fits.then_some((separator, torn - at))
        }
        '\'' | '’' if next.len() == 3 => Some(('\'', width)),
        '\u{66B}' if !next.is_empty() => Some((',', width)),
        '\u{66C}' if next.len() == 3 => Some(('\'', width)),
        space if is_space(space) && next.len() == 3 => {
            let grouped = groups
                .iter()
                .skip(1)
                .all(|group| group.separator == ' ' && group.digits.len() == 3);
            let first = groups[0].digits;
            // A blank groups thousands only if all groups before it do. Otherwise it stands between
            // two numbers.
            let fits = grouped && groups[0].separator == '\0' && first.len() <= 3 && !first.starts_with('0');
            fits.then_some((' ', width))
        }
        _ => None,
    }
}

fn is_space(character: char) -> bool {
    matches!(character, ' ' | '\u{A0}' | '\u{202F}' | '\u{2009}' | '\u{2007}')
}

fn value_of(groups: &[Group<'_>], style: FigureStyle) -> Option<Decimal> {
    let fraction_at = fraction_index(groups, style)?;
    let whole: String = groups[..fraction_at].iter().map(|group| group.digits).collect();
    let fraction: String = groups[fraction_at..].iter().map(|group| group.digits).collect();
    Decimal::from_digits(&whole, &fraction)
}

/// Index of the group that is the fraction; `groups.len()` if there is no fraction.
fn fraction_index(groups: &[Group<'_>], style: FigureStyle) -> Option<usize> {
    let last = groups[groups.len() - 1];
    let before = &groups[..groups.len() - 1];
    if last.separator == '\0' || matches!(last.separator, ' ' | '\'') {
        return grouped(groups).then_some(groups.len());
    }
    if let Some(known) = style.decimal_separator {
        let decimal = last.separator == known;
        return (!decimal || before.is_empty() || grouped(before)).then_some(if decimal {
            groups.len() - 1
        } else {
            groups.len()
        });
    }
    let occurs = groups
        .iter()
        .filter(|group| group.separator == last.separator)
        .count();
    let others = before
        .iter()
        .any(|group| !matches!(group.separator, '\0') && group.separator != last.separator);
    // A decimal separator occurs once.
    if occurs > 1 {
        return (!others && grouped(groups)).then_some(groups.len());
    }
    // `0.125` has no thousands.
    let whole_is_zero = before.len() == 1 && before[0].digits.bytes().all(|digit| digit == b'0');
    let looks_grouped = last.digits.len() == 3 && before.len() == 1 && before[0].digits.len() <= 3;
    if !others && looks_grouped && !whole_is_zero && !style.thousandths {
        return Some(groups.len());
    }
    (before.is_empty() || grouped(before)).then_some(groups.len() - 1)
}

/// Returns true if the groups are thousands: three digits each after the first, or twos before the
/// last three as in India.
fn grouped(groups: &[Group<'_>]) -> bool {
    let Some((first, rest)) = groups.split_first() else {
        return false;
    };
    let Some((last, middle)) = rest.split_last() else {
        return true;
    };
    let indian = middle.iter().all(|group| group.digits.len() == 2);
    let usual = middle.iter().all(|group| group.digits.len() == 3);
    first.digits.len() <= 3 && last.digits.len() == 3 && (usual || indian)
}

/// The text with the digits of other scripts as ASCII digits, and full-width marks as plain ones.
/// Byte positions are not kept.
#[must_use]
pub(crate) fn plain_digits(text: &str) -> String {
    text.chars().map(plain_digit).collect()
}

fn plain_digit(character: char) -> char {
    let zero = match character {
        '０'..='９' => '０',
        '\u{660}'..='\u{669}' => '\u{660}',
        '\u{6F0}'..='\u{6F9}' => '\u{6F0}',
        '\u{966}'..='\u{96F}' => '\u{966}',
        '，' => return ',',
        '．' => return '.',
        _ => return character,
    };
    char::from(b'0' + (character as u32 - zero as u32) as u8)
}
