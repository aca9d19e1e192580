//! Geographic coordinates: latitude and longitude in degrees, as WGS 84 has them.

use std::fmt;
use std::str::FromStr;

use crate::number::plain_digits;
use crate::text::{tidy, truncate};

/// Maximum number of bytes that are read. Degrees, minutes and seconds of both take fewer.
const LONGEST: usize = 128;

/// Parts of a degree that are kept: a millionth is 11 cm.
const PARTS: f64 = 1e6;

/// Radius of the Earth in metres, as of a sphere.
const RADIUS: f64 = 6_371_000.0;

/// A point on the Earth, to a millionth of a degree.
///
/// ```
/// use magpie_values::coordinates;
///
/// let point = coordinates::parse("52° 31′ 12″ N, 13° 24′ 18″ E").unwrap();
/// assert_eq!(point.to_string(), "52.52,13.405");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Coordinates {
    latitude: i32,
    longitude: i32,
}

/// Reason why a text is not a point.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Problem {
    /// It is not a latitude and a longitude.
    NoPair,
    /// A latitude is beyond 90 degrees, or a longitude beyond 180.
    OutOfRange,
    /// It is 0,0, which software writes for an unknown place.
    Null,
}

impl fmt::Display for Problem {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::NoPair => "it is not a latitude and a longitude such as 52.52,13.405",
            Self::OutOfRange => "the latitude exceeds 90 degrees, or the longitude 180",
            Self::Null => "0,0 means that the place is unknown",
        })
    }
}

impl std::error::Error for Problem {}

impl Coordinates {
    /// A point by its degrees: north and east are positive.
    pub fn new(latitude: f64, longitude: f64) -> Result<Self, Problem> {
        // Comparisons with NaN are false.
        if !(latitude.abs() <= 90.0 && longitude.abs() <= 180.0) {
            return Err(Problem::OutOfRange);
        }
        let parts = |degrees: f64| (degrees * PARTS).round() as i32;
        // Rounded first: what is written as 0.0000001 is also the unknown place.
        match (parts(latitude), parts(longitude)) {
            (0, 0) => Err(Problem::Null),
            (latitude, longitude) => Ok(Self { latitude, longitude }),
        }
    }

    /// Degrees north of the equator.
    pub fn latitude(self) -> f64 {
        f64::from(self.latitude) / PARTS
    }

    /// Degrees east of Greenwich.
    pub fn longitude(self) -> f64 {
        f64::from(self.longitude) / PARTS
    }

    /// Distance to another point in metres, along the surface of a sphere.
    pub fn distance(self, other: Self) -> f64 {
        let (one, two) = (self.latitude().to_radians(), other.latitude().to_radians());
        let across = (other.longitude() - self.longitude()).to_radians();
        let half = |angle: f64| (angle / 2.0).sin().powi(2);
        let chord = half(two - one) + one.cos() * two.cos() * half(across);
        // Rounding can bring the chord of opposite points above one, for which there is no arc.
        2.0 * RADIUS * chord.sqrt().min(1.0).asin()
    }
}

/// The normal form: degrees with at most six digits after the point, `52.52,13.405`.
impl fmt::Display for Coordinates {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{},{}", self.latitude(), self.longitude())
    }
}

impl FromStr for Coordinates {
    type Err = Problem;

    fn from_str(text: &str) -> Result<Self, Problem> {
        parse(text)
    }
}

/// Reads a point as people and programs write it: `52.52,13.40`, `52.52 13.40`, `52,52; 13,40`,
/// `geo:52.52,13.40`, `52.52° N, 13.40° E`, `N 52° 31' 12" E 13° 24' 18"`. The latitude comes first
/// unless letters say otherwise.
pub fn parse(text: &str) -> Result<Coordinates, Problem> {
    let text = plain_digits(truncate(text, LONGEST));
    let text = tidy(&text);
    let (one, two) = halves(&text).ok_or(Problem::NoPair)?;
    let one = Angle::parse(one).ok_or(Problem::NoPair)?;
    let two = Angle::parse(two).ok_or(Problem::NoPair)?;
    match (one.axis, two.axis) {
        (Some(Axis::Latitude) | None, Some(Axis::Longitude) | None) => {
            Coordinates::new(one.degrees, two.degrees)
        }
        (Some(Axis::Longitude), Some(Axis::Latitude)) => Coordinates::new(two.degrees, one.degrees),
        _ => Err(Problem::NoPair),
    }
}

/// Splits a text into the texts of both angles.
fn halves(text: &str) -> Option<(&str, &str)> {
    // RFC 5870: a third number is the altitude, and parameters follow a semicolon.
    if let Some(point) = text.strip_prefix("geo:") {
        let mut numbers = point.split(';').next()?.split(',');
        return Some((numbers.next()?, numbers.next()?));
    }
    if let Some(found) = text.split_once(';') {
        return Some(found);
    }
    // Several commas are decimal ones, or stand between angles that the letters separate better.
    if text.matches(',').count() == 1 && !is_decimal_comma(text) {
        return text.split_once(',');
    }
    // With letters, the first angle ends with its letter, or where that of the second begins.
    let letters: Vec<usize> = text
        .char_indices()
        .filter(|(_, one)| Axis::of(*one).is_some())
        .map(|(at, _)| at)
        .collect();
    let end = match letters[..] {
        [0, second] => second,
        [first, _] => first + 1,
        _ => match text.match_indices(' ').collect::<Vec<_>>()[..] {
            [(space, _)] => space,
            _ => return None,
        },
    };
    Some((&text[..end], text[end..].trim_start_matches([',', ' '])))
}

/// Returns true if the only comma of a text is inside a number, as in `52,52 N 13 E`.
fn is_decimal_comma(text: &str) -> bool {
    let Some((before, after)) = text.split_once(',') else {
        return false;
    };
    let is_between_digits = before.ends_with(|one: char| one.is_ascii_digit())
        && after.starts_with(|one: char| one.is_ascii_digit());
    // With a point before it the comma separates two numbers, and without a blank after it there is
    // no second angle.
    is_between_digits && !before.contains('.') && after.contains(' ')
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Axis {
    Latitude,
    Longitude,
}

impl Axis {
    /// The axis of a letter of the compass. `O` is left out: it is east in German and west in
    /// French.
    fn of(letter: char) -> Option<Axis> {
        match letter.to_ascii_uppercase() {
            'N' | 'S' => Some(Axis::Latitude),
            'E' | 'W' => Some(Axis::Longitude),
            _ => None,
        }
    }
}

struct Angle {
    degrees: f64,
    axis: Option<Axis>,
}

impl Angle {
    /// Reads degrees, minutes and seconds, with a sign or a letter.
    fn parse(text: &str) -> Option<Angle> {
        let text = text.trim();
        let first = text.chars().next().filter(|one| Axis::of(*one).is_some());
        let last = text.chars().last().filter(|one| Axis::of(*one).is_some());
        let letter = match (first, last) {
            // A letter at both ends belongs to two angles.
            (Some(_), Some(_)) => return None,
            (first, last) => first.or(last),
        };
        let figures = match letter {
            Some(letter) => text.trim_matches(letter).trim(),
            None => text,
        };
        let is_behind = letter.is_some_and(|letter| matches!(letter.to_ascii_uppercase(), 'S' | 'W'));
        let (is_negative, figures) = match figures.strip_prefix(['-', '−']) {
            Some(figures) if letter.is_none() => (true, figures),
            // A sign and a letter may contradict each other.
            Some(_) => return None,
            None => (is_behind, figures.strip_prefix('+').unwrap_or(figures)),
        };
        let mut degrees = 0.0;
        let mut unit = 1.0;
        let mut is_last = false;
        let numbers = figures.split(['°', 'º', '\'', '′', '’', '"', '″', '”', ' ']);
        for (place, number) in numbers.filter(|number| !number.is_empty()).enumerate() {
            let value = plain(number)?;
            // Only the last number has a fraction, and sixty minutes are a degree.
            if is_last || place > 2 || (place > 0 && value >= 60.0) {
                return None;
            }
            degrees += value / unit;
            unit *= 60.0;
            is_last = number.contains(['.', ',']);
        }
        (unit > 1.0).then_some(Angle {
            degrees: if is_negative { -degrees } else { degrees },
            axis: letter.and_then(Axis::of),
        })
    }
}

/// Reads digits with at most one separator.
fn plain(number: &str) -> Option<f64> {
    let is_digit = |one: char| one.is_ascii_digit();
    let separators = number.matches(['.', ',']).count();
    let is_plain = number
        .chars()
        .all(|one| is_digit(one) || matches!(one, '.' | ','));
    if !is_plain || separators > 1 || !number.starts_with(is_digit) {
        return None;
    }
    number.replace(',', ".").parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_are_read_in_the_usual_forms() {
        for (text, expected) in [
            ("52.52,13.40", "52.52,13.4"),
            (" 52.5200 , 13.4050 ", "52.52,13.405"),
            ("52.52 13.40", "52.52,13.4"),
            ("52.52;13.40", "52.52,13.4"),
            ("52,52; 13,40", "52.52,13.4"),
            ("52,5 N 13 E", "52.5,13"),
            ("-33.8568,151.2153", "-33.8568,151.2153"),
            ("−33.8568,+151.2153", "-33.8568,151.2153"),
            ("geo:52.52,13.40", "52.52,13.4"),
            ("geo:52.52,13.40,34;u=10", "52.52,13.4"),
            ("52.52° N, 13.40° E", "52.52,13.4"),
            ("13.40E 52.52N", "52.52,13.4"),
            ("52° 31′ 12″ N, 13° 24′ 18″ E", "52.52,13.405"),
            ("N 52° 31' 12\" W 13° 24' 18\"", "52.52,-13.405"),
            ("33°51'24.5\"S 151°12'55\"E", "-33.856806,151.215278"),
            ("52.123456789,13.1", "52.123457,13.1"),
            ("90,180", "90,180"),
            ("0,13", "0,13"),
        ] {
            assert_eq!(
                parse(text).map(|point| point.to_string()),
                Ok(expected.to_owned()),
                "{text}"
            );
        }
    }

    #[test]
    fn other_texts_are_refused() {
        for text in [
            "",
            ",",
            "52.52",
            "Berlin",
            "52.52,",
            "1,2,3",
            "52.52,13.40,",
            "52.5.2,13",
            "N52 N13",
            "52 31,13 61",
            "1e1,2",
            "nan,nan",
            "inf,1",
            "52.5 31,13",
            "N52S,13",
            "-52S,13E",
            "geo:",
            "POINT(13 52)",
        ] {
            assert_eq!(parse(text), Err(Problem::NoPair), "{text}");
        }
        for text in ["90.1,0", "0,-180.5", "999,999", "-91,13"] {
            assert_eq!(parse(text), Err(Problem::OutOfRange), "{text}");
        }
        assert_eq!(parse("0.0,0.0"), Err(Problem::Null));
        assert_eq!(Coordinates::new(f64::NAN, 1.0), Err(Problem::OutOfRange));
    }

    #[test]
    fn the_normal_form_is_read_as_the_same_point() {
        for parts in [
            (1, -1),
            (-89_999_999, 179_999_999),
            (52_520_001, 13_400_000),
            (7, 100),
        ] {
            let point = Coordinates::new(f64::from(parts.0) / PARTS, f64::from(parts.1) / PARTS).unwrap();
            assert_eq!(point.to_string().parse(), Ok(point));
        }
    }

    #[test]
    fn distances_are_those_of_the_earth() {
        let at = |text| parse(text).unwrap();
        // A degree of latitude is 111.2 km.
        assert!((at("1,1").distance(at("2,1")) - 111_195.0).abs() < 1.0);
        // Across the date line.
        assert!((at("0,179.5").distance(at("0,-179.5")) - 111_195.0).abs() < 1.0);
        assert_eq!(at("52.5,13.4").distance(at("52.5,13.4")), 0.0);
    }
}
