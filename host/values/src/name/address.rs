//! Addresses, taken apart and compared.

use super::place_similarity;
use super::postcode::{Postcode, find_postcode};
use super::street::{is_street, street_before_postcode, street_similarity};
use crate::similarity::jaro_winkler;
use crate::text::{fold, tidy, truncate};

/// Maximum number of bytes that are read of an address.
pub(super) const LONGEST: usize = 400;

/// Parts of an address that can be separated with some certainty. Missing parts are empty.
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
        // From the end, where postcodes stand. The street may have a number that looks like one.
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

    /// Takes the town next to its postcode: `10115 Berlin`, `Springfield, IL 62701`, `London SW1A
    /// 1AA`.
    fn take_town(&mut self, parts: &[String], at: usize, code: &Postcode<'_>, street: Option<usize>) {
        self.postcode = code.text.to_owned();
        let around = tidy(&format!("{} {}", code.before, code.behind));
        // Capitals alone beside the postcode are a state, as in `IL 62701`.
        let state = around.len() <= 3 && around.chars().all(char::is_uppercase);
        let previous = at
            .checked_sub(1)
            .filter(|previous| Some(*previous) != street && street.is_none_or(|street| *previous > street));
        if around.is_empty() || state {
            self.town = previous
                .map(|previous| parts[previous].clone())
                .unwrap_or_default();
            self.region = around;
            // The part before the postcode was taken for a venue, as there is no street.
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

    /// Similarity of two addresses, from 0 to 1, by the parts that both have. A different house
    /// number or postcode weighs heavily.
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

fn compact(code: &str) -> String {
    fold(code)
        .chars()
        .filter(|character| character.is_alphanumeric())
        .collect()
}
