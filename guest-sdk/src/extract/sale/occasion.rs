//! Things that take place, which have prices as goods have.

use magpie_values::date::{self, Precision};

use super::block::Block;

/// Bytes of a line that states a date; longer ones are told of something.
const MOST_LINE: usize = 160;

/// What elements with a place are called.
const PLACES: &[&str] = &[
    "venue", "location", "place", "where", "address", "ort", "lieu", "lugar", "luogo", "local", "plats",
    "sted",
];

impl Block<'_, '_> {
    /// Whether the block states when something is: a day with a time of day, or a day and, in an
    /// element called so, a place. The day a thing came out or was offered has neither.
    pub fn is_occasion(&self) -> bool {
        let context = self.layout().page().date_context();
        let lines = self.lines().map(|(_, line)| line.text.as_str());
        let dates = lines
            .filter(|text| text.len() <= MOST_LINE && text.contains(|one: char| one.is_ascii_digit()))
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
