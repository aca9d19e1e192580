//! Events, which have prices as products do.

use magpie_values::date::{self, Precision};

use super::block::Block;

/// Maximum length in bytes of a line that states a date; longer lines only mention one.
const MAX_LINE: usize = 160;

/// Class words of elements with a place.
const PLACES: &[&str] = &[
    "venue", "location", "place", "where", "address", "ort", "lieu", "lugar", "luogo", "local", "plats",
    "sted",
];

impl Block<'_, '_> {
    /// Returns true if the block states the time of an event: a day with a time of day, or a day
    /// and an element with a class for places. A date of publication or of an offer has neither.
    pub fn is_occasion(&self) -> bool {
        let context = self.layout().page().date_context();
        let lines = self.lines().map(|(_, line)| line.text.as_str());
        let dates = lines
            .filter(|text| text.len() <= MAX_LINE && text.contains(|one: char| one.is_ascii_digit()))
            .flat_map(|text| date::find_all(text, &context));
        let finest = dates
            .filter_map(|found| Some(found.value.start()?.precision()))
            .max();
        match finest {
            Some(precision) if precision >= Precision::Minute => true,
            Some(Precision::Day) => !self.named(PLACES).is_empty(),
            _ => false,
        }
    }
}
