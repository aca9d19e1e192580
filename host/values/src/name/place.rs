//! Places: names of venues, and addresses.

use crate::similarity::{jaro_winkler, soft_tokens, token_set};
use crate::text::{fold, fold_word, tidy, tokens, truncate, words};

/// How much of an address is read.
const LONGEST: usize = 400;

/// An address in the parts that can be told apart with some certainty. Parts that are not there are empty.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Address {
    /// The venue, when the address begins with a part that is no street.
    pub venue: String,
    /// Street and number.
    pub street: String,
    /// The postcode, as written.
    pub postcode: String,
    /// The town, without its postcode.
    pub town: String,
    /// The state, county or country behind the town, as written.
    pub region: String,
}

impl Address {
    /// Takes an address apart at commas and line breaks: the part with a house number and a word
    /// for a street is the street, the part with a postcode holds the town.
    ///
    /// ```
    /// use magpie_values::name::Address;
    ///
    /// let address = Address::parse("Old Mill, 12 Main St., Springfield, IL 62701");
    /// assert_eq!(address.venue, "Old Mill");
    /// assert_eq!(address.street, "12 Main St.");
    /// assert_eq!(address.town, "Springfield");
    /// assert_eq!(address.postcode, "62701");
    /// ```
    #[must_use]
    pub fn parse(text: &str) -> Self {
        let text = truncate(text, LONGEST);
        let parts: Vec<String> = text
            .split([',', '\n', ';', '|', '•', '·'])
            .map(tidy)
            .filter(|part| !part.is_empty())
            .collect();
        let mut address = Self::default();
        let street = parts
            .iter()
            .position(|part| is_street(part))
            .or_else(|| street_before_postcode(&parts));
        let code = parts.iter().enumerate().rev().find_map(|(at, part)| {
            Some(at)
                .zip(find_postcode(part))
                .filter(|(at, _)| Some(*at) != street || parts.len() == 1)
        });
        let venue_end = street.or(code.as_ref().map(|(at, _)| *at)).unwrap_or(1);
        address.venue = parts[..venue_end.min(parts.len())].join(", ");
        if let Some(at) = street {
            address.street.clone_from(&parts[at]);
        }
        match code {
            Some((at, found)) => address.take_town(&parts, at, &found, street),
            None => {
                let rest = parts
                    .get(street.map_or(venue_end, |at| at + 1)..)
                    .unwrap_or_default();
                address.town = rest.first().cloned().unwrap_or_default();
                address.region = rest.get(1..).unwrap_or_default().join(", ");
            }
        }
        address
    }

    /// The town stands around its postcode: `10115 Berlin`, `Springfield, IL 62701`, `London SW1A 1AA`.
    fn take_town(&mut self, parts: &[String], at: usize, code: &Postcode<'_>, street: Option<usize>) {
        self.postcode = code.text.to_owned();
        let around = tidy(&format!("{} {}", code.before, code.behind));
        let state = around.len() <= 3 && around.chars().all(char::is_uppercase);
        let previous = at
            .checked_sub(1)
            .filter(|previous| Some(*previous) != street && street.is_none_or(|street| *previous > street));
        if around.is_empty() || state {
            self.town = previous
                .map(|previous| parts[previous].clone())
                .unwrap_or_default();
            self.region = around;
            if street.is_none() && self.venue == self.town {
                self.venue.clear();
            }
        } else {
            self.town = around;
        }
        let rest = parts[at + 1..].join(", ");
        if !rest.is_empty() {
            self.region = if self.region.is_empty() {
                rest
            } else {
                format!("{}, {rest}", self.region)
            };
        }
    }

    /// How likely both are one address, from 0 to 1, by the parts that both have: a different house
    /// number or postcode speaks loudly.
    #[must_use]
    pub fn similarity(&self, other: &Self) -> f64 {
        let mut total = 0.0;
        let mut weight = 0.0;
        let mut add = |score: f64, importance: f64| {
            total += score * importance;
            weight += importance;
        };
        let both = |one: &str, another: &str| !one.is_empty() && !another.is_empty();
        if both(&self.street, &other.street) {
            add(street_similarity(&self.street, &other.street), 3.0);
        }
        if both(&self.postcode, &other.postcode) {
            add(
                f64::from(compact(&self.postcode) == compact(&other.postcode)),
                2.0,
            );
        }
        if both(&self.town, &other.town) {
            add(jaro_winkler(&fold(&self.town), &fold(&other.town)), 1.0);
        }
        if both(&self.venue, &other.venue) {
            add(place_similarity(&self.venue, &other.venue), 2.0);
        }
        if weight == 0.0 { 0.0 } else { total / weight }
    }
}

/// The first postcode in a text, as written.
#[must_use]
pub fn postcode(text: &str) -> Option<&str> {
    find_postcode(truncate(text, LONGEST)).map(|found| found.text)
}

/// A street for comparing: folded, with words for streets and directions in one spelling.
#[must_use]
pub fn street_key(street: &str) -> String {
    let mut key: Vec<String> = Vec::new();
    for word in tokens(street) {
        let word = expanded(&word);
        key.push(word);
    }
    key.join(" ")
}

/// How likely both name one venue or place, from 0 to 1: words that every venue has (`the`, `hall`,
/// `theatre` and what it is called elsewhere) count little.
#[must_use]
pub fn place_similarity(left: &str, right: &str) -> f64 {
    const GENERIC_PENALTY: f64 = 0.92;
    let whole = soft_tokens(left, right).max(token_set(left, right) * 0.9);
    let (left, right) = (distinctive(left), distinctive(right));
    if left.is_empty() || right.is_empty() {
        return whole;
    }
    whole.max(soft_tokens(&left, &right) * GENERIC_PENALTY)
}

/// Words that many venues carry, folded.
const GENERIC: &[&str] = &[
    "the",
    "theatre",
    "theater",
    "teatro",
    "teatr",
    "hall",
    "halle",
    "saal",
    "sala",
    "salle",
    "club",
    "centre",
    "center",
    "zentrum",
    "centro",
    "arena",
    "stadium",
    "stadion",
    "museum",
    "musee",
    "museo",
    "bar",
    "cafe",
    "pub",
    "venue",
    "room",
    "stage",
    "house",
    "haus",
    "casa",
    "maison",
    "auditorium",
    "at",
    "im",
    "in",
    "am",
    "de",
    "la",
    "le",
    "of",
    "and",
    "und",
];

fn distinctive(name: &str) -> String {
    let kept: Vec<String> = words(name)
        .map(fold_word)
        .filter(|word| !GENERIC.contains(&word.as_str()))
        .collect();
    kept.join(" ")
}

/// Abbreviations in addresses, folded, and what they stand for.
const ABBREVIATIONS: &[(&str, &str)] = &[
    ("st", "street"),
    ("str", "strasse"),
    ("ave", "avenue"),
    ("av", "avenue"),
    ("rd", "road"),
    ("dr", "drive"),
    ("ln", "lane"),
    ("blvd", "boulevard"),
    ("bd", "boulevard"),
    ("boul", "boulevard"),
    ("ct", "court"),
    ("pl", "place"),
    ("sq", "square"),
    ("pkwy", "parkway"),
    ("hwy", "highway"),
    ("ter", "terrace"),
    ("cir", "circle"),
    ("n", "north"),
    ("s", "south"),
    ("e", "east"),
    ("w", "west"),
    ("ne", "northeast"),
    ("nw", "northwest"),
    ("se", "southeast"),
    ("sw", "southwest"),
    ("ste", "suite"),
    ("apt", "apartment"),
    ("fl", "floor"),
    ("bldg", "building"),
    ("c", "calle"),
    ("pza", "plaza"),
    ("p", "piazza"),
    ("ul", "ulica"),
    ("пр", "проспект"),
    ("ул", "улица"),
];

fn expanded(word: &str) -> String {
    if let Some((_, long)) = ABBREVIATIONS.iter().find(|(short, _)| *short == word) {
        return (*long).to_owned();
    }
    // German joins the word to the name: Hauptstr., Hauptstraße.
    match word.strip_suffix("str") {
        Some(name) if name.chars().count() >= 3 => format!("{name}strasse"),
        _ => word.to_owned(),
    }
}

/// Words that make a part a street, or endings of such, folded.
const STREET_WORDS: &[&str] = &[
    "street",
    "avenue",
    "road",
    "drive",
    "lane",
    "boulevard",
    "court",
    "place",
    "square",
    "parkway",
    "highway",
    "terrace",
    "circle",
    "way",
    "row",
    "quay",
    "plaza",
    "broadway",
    "strasse",
    "platz",
    "weg",
    "allee",
    "gasse",
    "ring",
    "ufer",
    "damm",
    "rue",
    "quai",
    "calle",
    "carrer",
    "paseo",
    "via",
    "viale",
    "piazza",
    "corso",
    "rua",
    "avenida",
    "praca",
    "straat",
    "laan",
    "plein",
    "gracht",
    "kade",
    "ulica",
    "gatan",
    "gata",
    "vagen",
    "gade",
    "vej",
    "vei",
    "veien",
    "katu",
    "tie",
    "улица",
    "проспект",
    "вулиця",
    "caddesi",
    "sokak",
    "utca",
    "ut",
    "ter",
    "strada",
    "οδοσ",
];

fn is_street(part: &str) -> bool {
    let words: Vec<String> = tokens(part).iter().map(|word| expanded(word)).collect();
    let numbered = words
        .iter()
        .any(|word| word.starts_with(|first: char| first.is_ascii_digit()) && word.len() <= 5);
    let joined_ending = |word: &String| {
        [
            "strasse", "platz", "weg", "allee", "gasse", "ufer", "damm", "straat", "laan", "plein", "gracht",
            "gatan", "vagen", "gade", "vej", "katu", "kade",
        ]
        .iter()
        .any(|ending| word.len() > ending.len() + 2 && word.ends_with(ending))
    };
    let named = words
        .iter()
        .any(|word| STREET_WORDS.contains(&word.as_str()) || joined_ending(word));
    let number_first =
        words.len() >= 2 && words[0].starts_with(|first: char| first.is_ascii_digit()) && words[0].len() <= 5;
    numbered && (named || number_first && find_postcode(part).is_none())
}

/// `Gendarmenmarkt 2`: no word for a street, but a house number at its end, right before the postcode.
fn street_before_postcode(parts: &[String]) -> Option<usize> {
    let at = parts
        .iter()
        .rposition(|part| find_postcode(part).is_some())?
        .checked_sub(1)?;
    let (name, number) = parts[at].rsplit_once(' ')?;
    let house = number.len() <= 5 && number.starts_with(|first: char| first.is_ascii_digit());
    (house && name.contains(char::is_alphabetic)).then_some(at)
}

fn street_similarity(left: &str, right: &str) -> f64 {
    const OTHER_NUMBER: f64 = 0.4;
    let (left, right) = (street_key(left), street_key(right));
    let score = soft_tokens(&left, &right);
    match crate::similarity::numbers_agree(&left, &right) {
        Some(agreement) if agreement < 0.5 && both_numbered(&left, &right) => score * OTHER_NUMBER,
        _ => score,
    }
}

fn both_numbered(left: &str, right: &str) -> bool {
    let numbered = |text: &str| text.contains(|character: char| character.is_ascii_digit());
    numbered(left) && numbered(right)
}

fn compact(code: &str) -> String {
    fold(code)
        .chars()
        .filter(|character| character.is_alphanumeric())
        .collect()
}

struct Postcode<'text> {
    text: &'text str,
    before: &'text str,
    behind: &'text str,
}

/// Shapes of postcodes: `9` a digit, `A` a letter, others as they are. The longest that fits wins.
const SHAPES: &[&str] = &[
    "99999-9999",
    "A9A 9A9",
    "AA9A 9AA",
    "A9A 9AA",
    "A99 9AA",
    "A9 9AA",
    "AA9 9AA",
    "AA99 9AA",
    "9999 AA",
    "999 99",
    "99-999",
    "999-9999",
    "9999-999",
    "99999-999",
    "999999",
    "99999",
    "9999",
];

fn find_postcode(part: &str) -> Option<Postcode<'_>> {
    let starts = part.char_indices().filter(|(at, first)| {
        first.is_ascii_alphanumeric()
            && !part[..*at].ends_with(|before: char| before.is_alphanumeric() || before == '-')
    });
    let mut best: Option<(usize, usize)> = None;
    for (at, _) in starts {
        let fits = SHAPES
            .iter()
            .filter(|shape| has_shape(&part[at..], shape))
            .map(|shape| shape.len())
            .max();
        // Four digits alone are a house number or a year at the beginning of a part without a town.
        let length = fits.filter(|length| *length > 4 || part.len() > at + 5);
        if let Some(length) = length.filter(|length| best.is_none_or(|(_, longest)| *length > longest)) {
            best = Some((at, length));
        }
    }
    let (at, length) = best?;
    let before = part[..at].trim_end_matches(['D', 'F', 'A', 'I', 'C', 'H', 'L', '-', ' ']);
    let before = if part[..at].ends_with('-') {
        before
    } else {
        &part[..at]
    };
    Some(Postcode {
        text: &part[at..at + length],
        before: before.trim(),
        behind: part[at + length..].trim(),
    })
}

fn has_shape(text: &str, shape: &str) -> bool {
    let Some(head) = text.as_bytes().get(..shape.len()) else {
        return false;
    };
    let fits = head.iter().zip(shape.bytes()).all(|(byte, kind)| match kind {
        b'9' => byte.is_ascii_digit(),
        b'A' => byte.is_ascii_uppercase(),
        other => *byte == other,
    });
    fits && !text[shape.len()..].starts_with(|next: char| next.is_alphanumeric())
}
