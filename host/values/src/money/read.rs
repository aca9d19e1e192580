//! Reading prices: in a text that is said to be one, and in running text.

use super::sign::{self, Sign};
use super::{Money, MoneyContext, Problem};
use crate::number::{Decimal, FigureStyle, plain_digits, read_figures};
use crate::text::{fold, truncate};

/// Result of reading a text that is said to be a price.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reading {
    /// The amount or range.
    pub money: Money,
    /// The currency's sign as found in the text or in the hint.
    pub sign: Option<String>,
}

/// A price found in running text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Found {
    /// Start, in bytes.
    pub start: usize,
    /// End, in bytes.
    pub end: usize,
    /// Parsed price.
    pub money: Money,
}

/// A number with the signs around it.
#[derive(Clone, Copy)]
struct Amount<'text> {
    value: Decimal,
    start: usize,
    end: usize,
    sign: Option<Sign<'text>>,
}

impl Amount<'_> {
    fn whole_start(&self) -> usize {
        self.sign.map_or(self.start, |sign| sign.start.min(self.start))
    }

    fn whole_end(&self) -> usize {
        self.sign.map_or(self.end, |sign| sign.end.max(self.end))
    }
}

/// Maximum number of bytes that are read of a text that is said to be a price.
const LONGEST: usize = 512;

/// Reads the first price in a text that is said to hold one: `CHF 1'049,95`, `From $20 to $35`,
/// `12,50`, `free`. A number with a currency comes before numbers without.
pub fn read(text: &str, context: &MoneyContext<'_>) -> Result<Reading, Problem> {
    let text = plain_digits(truncate(text, LONGEST));
    let amounts = amounts_in(&text, context, false);
    // A number with a currency is the price even behind others, such as a quantity or a discount.
    let first = amounts.iter().position(|amount| amount.sign.is_some());
    let first = first
        .map(|index| range_start(&text, &amounts, index))
        .or_else(|| plain_amount(&text, &amounts));
    let Some(index) = first else {
        return free(&text, context);
    };
    let amount = amounts[index];
    let upto = amounts
        .get(index + 1)
        .filter(|next| is_range(&text, &amount, next));
    let own = amount.sign.or_else(|| upto.and_then(|upto| upto.sign));
    let hint = context.hint.map(plain_digits);
    let own = own.or_else(|| {
        hint.as_deref()
            .and_then(|hint| sign::anywhere(hint, context.language()))
    });
    let currency = own.and_then(|sign| sign.currency);
    let money = Money::range(amount.value, upto.map(|upto| upto.value), currency).ok_or(Problem::NoAmount)?;
    Ok(Reading {
        money,
        sign: own.map(|sign| sign.text.to_owned()),
    })
}

/// The prices in running text, in order: numbers with a currency beside them, and ranges of such.
#[must_use]
pub fn find_all(text: &str, context: &MoneyContext<'_>) -> Vec<Found> {
    let amounts = amounts_in(text, context, true);
    let mut found: Vec<Found> = Vec::new();
    let mut index = 0;
    while index < amounts.len() {
        let amount = amounts[index];
        let upto = amounts
            .get(index + 1)
            .filter(|next| is_range(text, &amount, next));
        let sign = amount.sign.or_else(|| upto.and_then(|upto| upto.sign));
        index += 1;
        let Some(sign) = sign else { continue };
        let money = Money::range(amount.value, upto.map(|upto| upto.value), sign.currency);
        let Some(money) = money else { continue };
        let end = upto.map_or(amount.whole_end(), Amount::whole_end);
        index += usize::from(upto.is_some());
        found.push(Found {
            start: amount.whole_start(),
            end,
            money,
        });
    }
    found
}

/// Finds the currency in a text without looking for an amount: its sign, and its code if the sign
/// has one meaning.
#[must_use]
pub fn find_currency<'text>(
    text: &'text str,
    context: &MoneyContext<'_>,
) -> Option<(&'text str, Option<super::Currency>)> {
    sign::anywhere(text, context.language()).map(|sign| (sign.text, sign.currency))
}

/// The numbers of the text. In running text only those that have a currency, or may open a range.
fn amounts_in<'text>(text: &'text str, context: &MoneyContext<'_>, strict: bool) -> Vec<Amount<'text>> {
    let bytes = text.as_bytes();
    let mut amounts: Vec<Amount<'text>> = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        if !bytes[at].is_ascii_digit() {
            at += 1;
            continue;
        }
        let taken = amounts.last().map_or(0, Amount::whole_end);
        match amount_at(text, at, taken, context, strict) {
            Some(amount) => {
                at = amount.end.max(at + 1);
                amounts.push(amount);
            }
            None => {
                at += bytes[at..]
                    .iter()
                    .take_while(|byte| byte.is_ascii_digit())
                    .count();
            }
        }
    }
    amounts
}

fn amount_at<'text>(
    text: &'text str,
    digits: usize,
    taken: usize,
    context: &MoneyContext<'_>,
    strict: bool,
) -> Option<Amount<'text>> {
    if strict && is_inside_word(text, digits) {
        return None;
    }
    let start = pointed_start(text, digits);
    let style = FigureStyle {
        decimal_separator: context.decimal_separator,
        thousandths: false,
        torn: !strict,
    };
    let figures = read_figures(text, start, style)?;
    let end = figures.end + dashed_cents(&text[figures.end..]);
    // A sign that belongs to the number before must not count twice: `5 € 10`.
    let before = sign::before(text, start, context.language(), strict).filter(|sign| sign.start >= taken);
    let behind = sign::behind(text, end, context.language(), strict);
    let sign = chosen(text, start, before, behind);
    let mut amount = Amount {
        value: figures.value,
        start,
        end,
        sign,
    };
    if sign
        .and_then(|sign| sign.currency)
        .is_some_and(|currency| currency.minor_digits() == 3)
    {
        // Currencies with thousandths write `1.234` for one and a fraction. The currency is known
        // only now.
        let exact = read_figures(
            text,
            start,
            FigureStyle {
                thousandths: true,
                ..style
            },
        );
        amount.value = exact.map_or(amount.value, |exact| exact.value);
    }
    Some(with_cents_behind(text, amount, figures.separated, context))
}

/// Returns the nearer of a sign before and a sign after the number. A code or an unambiguous sign
/// takes precedence over an ambiguous dollar sign.
fn chosen<'text>(
    text: &str,
    start: usize,
    before: Option<Sign<'text>>,
    behind: Option<Sign<'text>>,
) -> Option<Sign<'text>> {
    let (Some(left), Some(right)) = (before, behind) else {
        return before.or(behind);
    };
    let code =
        |sign: &Sign<'_>| sign.text.len() == 3 && sign.text.bytes().all(|byte| byte.is_ascii_uppercase());
    // A code says which dollar. Letters before a colon are a label.
    if left.text == "$" && code(&right)
        || text[left.end..start].contains(':')
            && !text[left.end..start].is_empty()
            && left.text.chars().all(char::is_alphabetic)
    {
        return Some(right);
    }
    Some(left)
}

/// `.75`: the point belongs to the number if nothing precedes it.
fn pointed_start(text: &str, digits: usize) -> usize {
    let pointed = text[..digits].ends_with('.') && !text[..digits - 1].ends_with(char::is_alphanumeric);
    if pointed { digits - 1 } else { digits }
}

/// A letter, a point or a dash joined to digits before makes the number a part of something else.
fn is_inside_word(text: &str, digits: usize) -> bool {
    let before = &text[..digits];
    let Some(last) = before.chars().next_back() else {
        return false;
    };
    let rest = &before[..before.len() - last.len_utf8()];
    match last {
        '.' | ',' | '/' | '-' | ':' | '_' | '#' => {
            rest.ends_with(|character: char| character.is_ascii_digit())
        }
        _ => false,
    }
}

/// `,-`, `.-`, `,–`: no cents. The length of it.
fn dashed_cents(behind: &str) -> usize {
    let Some(rest) = behind.strip_prefix([',', '.']) else {
        return 0;
    };
    let spaces = rest.len() - rest.trim_start_matches(' ').len();
    match rest[spaces..].chars().next() {
        Some(dash @ ('-' | '–' | '—')) => 1 + spaces + dash.len_utf8(),
        _ => 0,
    }
}

/// `35€99`, `35€ 99`: the sign replaces the decimal separator. Requires exactly two digits, unless
/// the caller has said that the sign is the separator.
fn with_cents_behind<'text>(
    text: &'text str,
    amount: Amount<'text>,
    separated: bool,
    context: &MoneyContext<'_>,
) -> Amount<'text> {
    let Some(sign) = amount
        .sign
        .filter(|sign| sign.start >= amount.end && sign.text.chars().count() == 1)
    else {
        return amount;
    };
    let is_separator = context.decimal_separator == sign.text.chars().next();
    let has_fraction = separated && amount.value.parts().1 > 0;
    let rest = &text[sign.end..];
    let cents = rest.strip_prefix(' ').unwrap_or(rest);
    let digits = cents.bytes().take_while(u8::is_ascii_digit).count();
    let behind = &cents[digits..];
    let ends = !behind
        .starts_with(|next: char| next.is_alphanumeric() || matches!(next, '.' | ',' | '€' | '$' | '%'))
        && sign::behind(text, text.len() - behind.len(), "", true).is_none();
    let fits = digits == 2 && ends || is_separator && rest.len() == cents.len() && digits > 0;
    if has_fraction || !fits || amount.sign.is_some_and(|sign| sign.start != amount.end) {
        return amount;
    }
    let (whole, _) = amount.value.parts();
    let Some(value) = Decimal::from_digits(&whole.to_string(), &cents[..digits]) else {
        return amount;
    };
    Amount {
        value,
        end: text.len() - behind.len(),
        ..amount
    }
}

/// The amount that opens the range which the one at `index` ends: `From 26 to 50 €`.
fn range_start(text: &str, amounts: &[Amount<'_>], index: usize) -> usize {
    match index.checked_sub(1) {
        Some(previous) if is_range(text, &amounts[previous], &amounts[index]) => previous,
        _ => index,
    }
}

/// Returns true if only a dash or a word for "to" is between them, and the second is not less than
/// the first.
fn is_range(text: &str, first: &Amount<'_>, second: &Amount<'_>) -> bool {
    const WORDS: &[&str] = &[
        "-", "--", "to", "bis", "a", "au", "al", "ate", "tot", "do", "до", "til", "till", "ile", "hingga",
        "den", "~", "through",
    ];
    // The signs of two neighbours may overlap: one sign between two numbers belongs to the first.
    if second.whole_start() < first.whole_end() || first.value > second.value {
        return false;
    }
    let between = &text[first.whole_end()..second.whole_start()];
    // The letter of `VT-30A 55.00 €` belongs to the model before it, and so does the number.
    let is_word = between.contains(char::is_alphabetic);
    let is_apart = between.starts_with(char::is_whitespace) && between.ends_with(char::is_whitespace);
    let is_model = || first.sign.is_none() && is_joined_to_letter(&text[..first.start]);
    between.len() <= 16 && (!is_word || is_apart && !is_model()) && WORDS.contains(&fold(between).as_str())
}

/// Returns true if a text ends with a letter, or with a letter and a dash: `VT`, `VT-`.
fn is_joined_to_letter(before: &str) -> bool {
    before
        .strip_suffix(['-', '_', '/'])
        .unwrap_or(before)
        .ends_with(char::is_alphabetic)
}

/// First number that may be an amount without an adjacent currency.
fn plain_amount(text: &str, amounts: &[Amount<'_>]) -> Option<usize> {
    amounts.iter().position(|amount| {
        let behind = text[amount.end..].trim_start();
        let unit: String = behind
            .chars()
            .take_while(|character| character.is_alphabetic())
            .collect();
        let measure = matches!(
            unit.as_str(),
            "ft" | "cm" | "mm" | "km" | "kg" | "ml" | "cl" | "oz" | "lb" | "lbs" | "mg" | "GB" | "MB"
        );
        !behind.starts_with('%') && !measure && !is_day(text, amount)
    })
}

/// `25-09`: digits joined by a dash to digits that begin with zero are a date or a code.
fn is_day(text: &str, amount: &Amount<'_>) -> bool {
    let behind = &text[amount.end..];
    let joined_zero = behind
        .strip_prefix('-')
        .is_some_and(|rest| rest.starts_with('0') && rest.len() > 1);
    joined_zero || is_inside_word(text, amount.start)
}

/// `free`, `kostenlos`: an amount of zero, of no currency unless the hint names one.
fn free(text: &str, context: &MoneyContext<'_>) -> Result<Reading, Problem> {
    const WORDS: &[&str] = &[
        "free",
        "gratis",
        "kostenlos",
        "kostenfrei",
        "gratuit",
        "gratuite",
        "gratuito",
        "gratuita",
        "frei",
        "umsonst",
        "libre",
        "бесплатно",
        "безкоштовно",
        "zdarma",
        "bezplatne",
        "bezplatnie",
        "darmowe",
        "ilmainen",
        "ucretsiz",
        "δωρεαν",
        "ingyenes",
        "免费",
        "免費",
        "無料",
        "무료",
    ];
    let folded = fold(text);
    let is_free = folded
        .split(|character: char| !character.is_alphanumeric())
        .any(|word| WORDS.contains(&word));
    if folded.is_empty() {
        return Err(Problem::Empty);
    }
    if !is_free {
        return Err(Problem::NoAmount);
    }
    let sign = context
        .hint
        .and_then(|hint| sign::anywhere(hint, context.language()));
    let money = Money::new(Decimal::ZERO, sign.and_then(|sign| sign.currency)).ok_or(Problem::NoAmount)?;
    Ok(Reading {
        money,
        sign: sign.map(|sign| sign.text.to_owned()),
    })
}
