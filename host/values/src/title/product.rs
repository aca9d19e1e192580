//! Features that distinguish products: model numbers and quantities.

use crate::number::{Decimal, FigureStyle, read_figures};
use crate::text::{fold, truncate};

/// Maximum number of bytes that are read of a product's title.
const LONGEST: usize = 600;

/// Unit of a quantity, after conversion to one unit for each kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Unit {
    /// Weight, in grams.
    Gram,
    /// Volume, in millilitres.
    Millilitre,
    /// Length, in millimetres.
    Millimetre,
    /// Storage, in megabytes.
    Megabyte,
    /// Electric power, in watts.
    Watt,
    /// Voltage.
    Volt,
    /// Charge, in milliampere hours.
    MilliampereHour,
    /// Resolution of a camera, in megapixels.
    Megapixel,
    /// Clock rate, in megahertz.
    Megahertz,
    /// Pieces in a package.
    Piece,
}

/// A quantity: `16 GB`, `0.5 l`, `12-pack`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Quantity {
    /// Amount in the unit.
    pub amount: Decimal,
    /// Unit of the amount.
    pub unit: Unit,
}

/// Units as written, folded, what they are, and how many thousandths of the unit they make.
const UNITS: &[(&str, Unit, i64)] = &[
    ("mg", Unit::Gram, 1),
    ("g", Unit::Gram, 1000),
    ("gr", Unit::Gram, 1000),
    ("gram", Unit::Gram, 1000),
    ("grams", Unit::Gram, 1000),
    ("kg", Unit::Gram, 1_000_000),
    ("oz", Unit::Gram, 28_350),
    ("lb", Unit::Gram, 453_592),
    ("lbs", Unit::Gram, 453_592),
    ("ml", Unit::Millilitre, 1000),
    ("cl", Unit::Millilitre, 10_000),
    ("dl", Unit::Millilitre, 100_000),
    ("l", Unit::Millilitre, 1_000_000),
    ("liter", Unit::Millilitre, 1_000_000),
    ("litre", Unit::Millilitre, 1_000_000),
    ("litres", Unit::Millilitre, 1_000_000),
    ("ltr", Unit::Millilitre, 1_000_000),
    ("mm", Unit::Millimetre, 1000),
    ("cm", Unit::Millimetre, 10_000),
    ("m", Unit::Millimetre, 1_000_000),
    ("in", Unit::Millimetre, 25_400),
    ("inch", Unit::Millimetre, 25_400),
    ("inches", Unit::Millimetre, 25_400),
    ("zoll", Unit::Millimetre, 25_400),
    ("\"", Unit::Millimetre, 25_400),
    ("ft", Unit::Millimetre, 304_800),
    ("feet", Unit::Millimetre, 304_800),
    ("mb", Unit::Megabyte, 1000),
    ("gb", Unit::Megabyte, 1_000_000),
    ("tb", Unit::Megabyte, 1_000_000_000),
    ("w", Unit::Watt, 1000),
    ("watt", Unit::Watt, 1000),
    ("watts", Unit::Watt, 1000),
    ("kw", Unit::Watt, 1_000_000),
    ("v", Unit::Volt, 1000),
    ("volt", Unit::Volt, 1000),
    ("volts", Unit::Volt, 1000),
    ("mah", Unit::MilliampereHour, 1000),
    ("ah", Unit::MilliampereHour, 1_000_000),
    ("mp", Unit::Megapixel, 1000),
    ("megapixel", Unit::Megapixel, 1000),
    ("megapixels", Unit::Megapixel, 1000),
    ("mhz", Unit::Megahertz, 1000),
    ("ghz", Unit::Megahertz, 1_000_000),
    ("pack", Unit::Piece, 1000),
    ("pk", Unit::Piece, 1000),
    ("pcs", Unit::Piece, 1000),
    ("pc", Unit::Piece, 1000),
    ("pieces", Unit::Piece, 1000),
    ("count", Unit::Piece, 1000),
    ("ct", Unit::Piece, 1000),
    ("stuck", Unit::Piece, 1000),
    ("stk", Unit::Piece, 1000),
    ("er-pack", Unit::Piece, 1000),
    ("er pack", Unit::Piece, 1000),
    ("pieces.", Unit::Piece, 1000),
    ("szt", Unit::Piece, 1000),
    ("шт", Unit::Piece, 1000),
];

/// The quantities in a product's title, in order, each in one unit of its kind, so that `0.5 l` and
/// `500 ml` are equal.
///
/// ```
/// use magpie_values::title::{Unit, quantities};
///
/// let found = quantities("Phone 16 GB, 12-pack, 0.5 l");
/// assert_eq!(found[0].unit, Unit::Megabyte);
/// assert_eq!(found[2], quantities("500ml")[0]);
/// ```
#[must_use]
pub fn quantities(title: &str) -> Vec<Quantity> {
    let text = fold(truncate(title, LONGEST));
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(next) = text[at..].find(|character: char| character.is_ascii_digit()) {
        let start = at + next;
        // Figures within a word are part of a model number.
        let joined = text[..start].ends_with(|before: char| before.is_alphanumeric() || before == '.');
        let Some(figures) = read_figures(
            &text,
            start,
            FigureStyle {
                thousandths: true,
                ..FigureStyle::default()
            },
        ) else {
            at = start + 1;
            continue;
        };
        at = figures.end;
        if let (false, Some((unit, thousandths, length))) = (joined, unit_at(&text[figures.end..])) {
            at += length;
            found.extend(converted(figures.value, thousandths).map(|amount| Quantity { amount, unit }));
        }
    }
    found
}

/// The unit that the text begins with, behind at most a space or a hyphen, and the length up to its
/// end.
fn unit_at(text: &str) -> Option<(Unit, i64, usize)> {
    let rest = text.strip_prefix([' ', '-']).unwrap_or(text);
    let skipped = text.len() - rest.len();
    let ends = |name: &str| !rest[name.len()..].starts_with(char::is_alphanumeric);
    let (name, unit, thousandths) = UNITS
        .iter()
        .filter(|(name, _, _)| rest.starts_with(name) && ends(name))
        // `m` begins `mm` and `mah`.
        .max_by_key(|(name, _, _)| name.len())?;
    Some((*unit, *thousandths, skipped + name.len()))
}

fn converted(amount: Decimal, thousandths: i64) -> Option<Decimal> {
    let (mantissa, scale) = amount.parts();
    Decimal::new(
        mantissa.checked_mul(i128::from(thousandths))?,
        scale.checked_add(3)?,
    )
}

/// The words of a product's title that look like model numbers, as keys: letters and digits mixed,
/// separators dropped (`WH-1000XM4` gives `wh1000xm4`), quantities left out.
///
/// ```
/// use magpie_values::title::model_numbers;
///
/// assert_eq!(model_numbers("Sony WH-1000XM4 Headphones 30W"), ["wh1000xm4"]);
/// ```
#[must_use]
pub fn model_numbers(title: &str) -> Vec<String> {
    /// Shorter mixes are sizes and versions: `4k`, `v2`.
    const SHORTEST: usize = 4;
    let text = fold(truncate(title, LONGEST));
    let words = text.split(|character: char| {
        character.is_whitespace() || matches!(character, ',' | ';' | '(' | ')' | '[' | ']' | '|')
    });
    let mut models: Vec<String> = Vec::new();
    for word in words {
        let key: String = word
            .chars()
            .filter(|character| character.is_alphanumeric())
            .collect();
        let digits = key.chars().filter(char::is_ascii_digit).count();
        let letters = key.chars().count() - digits;
        let mixed = digits >= 1 && letters >= 1 && key.chars().count() >= SHORTEST && key.is_ascii();
        if mixed && !is_quantity(word) && !is_ordinal(&key) && !models.contains(&key) {
            models.push(key);
        }
    }
    models
}

/// `500ml`, `10x20cm`, `18-55mm`: figures alone, the last with a unit or all joined by an x.
fn is_quantity(word: &str) -> bool {
    let parts: Vec<&str> = word.split(['x', '-', '/']).collect();
    let figures = |part: &str| {
        part.starts_with(|first: char| first.is_ascii_digit())
            .then(|| read_figures(part, 0, FigureStyle::default()))
            .flatten()
    };
    let ends = parts
        .iter()
        .map(|part| figures(part).map(|figures| &part[figures.end..]));
    let Some(ends) = ends.collect::<Option<Vec<&str>>>() else {
        return false;
    };
    let Some((last, before)) = ends.split_last() else {
        return false;
    };
    let has_unit = unit_at(last).is_some_and(|(_, _, length)| length == last.len());
    before.iter().all(|end| end.is_empty()) && (has_unit || last.is_empty() && word.contains('x'))
}

/// `100th`, `1990s`
fn is_ordinal(key: &str) -> bool {
    let digits = key.trim_end_matches(|character: char| character.is_ascii_alphabetic());
    digits.bytes().all(|byte| byte.is_ascii_digit())
        && matches!(&key[digits.len()..], "st" | "nd" | "rd" | "th" | "s")
}
