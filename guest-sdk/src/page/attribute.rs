//! One attribute of all elements that carry it.

use crate::bindings::pages::AttributeColumns;

/// The values of an attribute as the page writes them, in one string.
#[derive(Debug)]
pub(crate) struct Written {
    columns: AttributeColumns,
}

impl Written {
    pub(super) fn new(columns: AttributeColumns) -> Self {
        Self { columns }
    }

    /// The elements, in document order, each with its value.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (u32, &str)> {
        let nodes = self.columns.nodes.iter().enumerate();
        nodes.map(|(place, &node)| (node, self.value(place)))
    }

    /// The value of the element at a place among them.
    pub(crate) fn value(&self, place: usize) -> &str {
        let ends = &self.columns.ends;
        let start = place.checked_sub(1).map_or(0, |before| ends[before]);
        let range = start as usize..ends[place] as usize;
        self.columns.values.get(range).unwrap_or_default()
    }
}
