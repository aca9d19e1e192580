//! Ratings: a number on a scale.

use std::fmt;

use super::figures::{FigureStyle, plain_digits, read_figures};
use super::{Decimal, Problem};
use crate::text::{fold, truncate};

/// A rating: how much of how much. Displays as `4.2/5`, or `4.2` when the scale was not stated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Rating {
    value: Decimal,
    best: Option<Decimal>,
}

impl Rating {
    /// A rating of at most `best`. None when it is more than that, or below zero.
    #[must_use]
    pub fn new(value: Decimal, best: Option<Decimal>) -> Option<Self> {
        let fits = !value.is_negative() && best.is_none_or(|best| value <= best && !best.is_zero());
        fits.then_some(Self { value, best })
    }

    /// The rating, in units of its scale.
    #[must_use]
    pub fn value(self) -> Decimal {
        self.value
    }

    /// Maximum of the scale, if stated.
    #[must_use]
    pub fn best(self) -> Option<Decimal> {
        self.best
    }

    /// The share of the best, from 0 to 1. Without a stated scale it is guessed from the value:
    /// of 5 up to 5, of 10 up to 10, of 100 beyond.
    #[must_use]
    pub fn share(self) -> f64 {
        let value = self.value.to_f64();
        let guessed = || [5.0, 10.0, 100.0].into_iter().find(|best| value <= *best);
        let best = self.best.map(Decimal::to_f64).or_else(guessed);
        best.map_or(1.0, |best| value / best)
    }
}

impl fmt::Display for Rating {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}", self.value)?;
        self.best.map_or(Ok(()), |best| write!(formatter, "/{best}"))
    }
}

/// Words between a rating and its scale, folded.
const OUT_OF: &[&str] = &[
    "/", "of", "out of", "von", "sur", "de", "su", "van de", "van", "av", "af", "out", "iz", "из", "из", "z",
    "ze", "din", "tren", "uit",
];

/// Words for small numbers before stars; pages put them into class names as well.
const NUMBER_WORDS: &[(&str, i64)] = &[
    ("zero", 0),
    ("one", 1),
    ("two", 2),
    ("three", 3),
    ("four", 4),
    ("five", 5),
    ("ein", 1),
    ("zwei", 2),
    ("drei", 3),
    ("vier", 4),
    ("funf", 5),
];

/// Beginnings of the words for stars, folded.
const STAR_WORDS: &[&str] = &[
    "star",
    "stern",
    "etoile",
    "estrella",
    "stell",
    "ster",
    "gwiazd",
    "hvezd",
    "stjarn",
    "stjern",
    "tahti",
    "yildiz",
    "звезд",
    "sao",
];

/// Reads a rating: `4.2/5`, `4,5 von 5 Sternen`, `Four stars`, `★★★★☆`, `87%`, `Rating: 4.8 (178)`.
pub fn parse_rating(text: &str) -> Result<Rating, Problem> {
    const LONGEST: usize = 256;
    let text = plain_digits(truncate(text, LONGEST));
    // Before folding, which would lose the stars.
    if let Some(rating) = drawn_stars(&text) {
        return Ok(rating);
    }
    let folded = fold(&text);
    let numbers = numbers_in(&folded);
    let Some((value, start, end)) = numbers.first().copied() else {
        return spelled_stars(&folded).ok_or(Problem::NoNumber);
    };
    let before = &folded[..start];
    let behind = folded[end..].trim_start();
    if behind.starts_with('%') {
        return Rating::new(value, Some(Decimal::from(100))).ok_or(Problem::OutOfScale);
    }
    // `average rating value is 3.0 of 5`: any text between a number and the next decides if the
    // latter is the scale.
    let scale = numbers
        .get(1)
        .filter(|(_, next, _)| is_out_of(&folded[end..*next]));
    if let Some((best, _, _)) = scale {
        return Rating::new(value, Some(*best)).ok_or(Problem::OutOfScale);
    }
    // Chinese and Japanese name the scale first: `5つ星のうち4.2`.
    if let (true, Some((second, _, _))) = (before.is_empty() && behind.contains("のうち"), numbers.get(1))
    {
        return Rating::new(*second, Some(value)).ok_or(Problem::OutOfScale);
    }
    let stars = STAR_WORDS.iter().any(|word| behind.starts_with(word)) || behind.starts_with('★');
    let five = Decimal::from(5);
    // A number above five before stars counts reviews, or is of another scale.
    Rating::new(value, (stars && value <= five).then_some(five)).ok_or(Problem::OutOfScale)
}

fn is_out_of(between: &str) -> bool {
    let between = between.trim();
    let without_stars = STAR_WORDS
        .iter()
        .find_map(|word| between.strip_prefix(word))
        .map(|rest| rest.trim_start_matches(char::is_alphabetic).trim_start());
    OUT_OF.contains(&between) || without_stars.is_some_and(|rest| OUT_OF.contains(&rest))
}

fn numbers_in(text: &str) -> Vec<(Decimal, usize, usize)> {
    const MAX_NUMBERS: usize = 4;
    let mut numbers = Vec::new();
    let mut at = 0;
    while let Some(found) = text[at..].find(|character: char| character.is_ascii_digit()) {
        let start = at + found;
        let figures = read_figures(
            text,
            start,
            FigureStyle {
                // No rating has thousands.
                thousandths: true,
                ..FigureStyle::default()
            },
        );
        at = match figures {
            Some(figures) => {
                numbers.push((figures.value, start, figures.end));
                figures.end
            }
            None => start + text[start..].bytes().take_while(u8::is_ascii_digit).count(),
        };
        if numbers.len() == MAX_NUMBERS {
            break;
        }
    }
    numbers
}

/// `★★★★☆`; a half star counts half.
fn drawn_stars(text: &str) -> Option<Rating> {
    let count = |marks: &[char]| text.chars().filter(|character| marks.contains(character)).count() as i64;
    let (full, half, empty) = (
        count(&['★', '⭐', '🌟']),
        count(&['⯨', '⯪', '½']),
        count(&['☆', '✩']),
    );
    let all = full + half + empty;
    // One or two stars are decoration, and stars beside a number repeat it.
    if !(3..=10).contains(&all) || text.contains(|character: char| character.is_ascii_digit()) {
        return None;
    }
    let value = Decimal::new(i128::from(full * 10 + half * 5), 1)?;
    // Without empty ones three stars may be three of five.
    let best = if empty > 0 || all >= 5 { all } else { 5 };
    Rating::new(value, Some(Decimal::from(best)))
}

/// `Four stars`, `star-rating Three`.
fn spelled_stars(folded: &str) -> Option<Rating> {
    let mut words = folded.split(|character: char| !character.is_alphanumeric());
    let about_stars = STAR_WORDS.iter().any(|word| folded.contains(word))
        || folded.contains("rating")
        || NUMBER_WORDS.iter().any(|(word, _)| *word == folded);
    let value = words
        .find_map(|word| NUMBER_WORDS.iter().find(|(known, _)| *known == word))?
        .1;
    about_stars
        .then(|| Rating::new(Decimal::from(value), Some(Decimal::from(5))))
        .flatten()
}
