//! One attribute of all elements that have it.

use crate::bindings::pages::AttributeColumns;

/// Values of an attribute as written, in one string.
#[derive(Debug)]
pub(crate) struct Written {
    columns: AttributeColumns,
}

impl Written {
    pub(super) fn new(columns: AttributeColumns) -> Self {
        Self { columns }
    }

    /// Elements with their values, in document order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (u32, &str)> {
        let nodes = self.columns.nodes.iter().enumerate();
        nodes.map(|(index, &node)| (node, self.value(index)))
    }

    /// Value of the element at an index.
    pub(crate) fn value(&self, index: usize) -> &str {
        let ends = &self.columns.ends;
        // Each value begins where the one before it ends.
        let start = index.checked_sub(1).map_or(0, |before| ends[before]);
        let range = start as usize..ends[index] as usize;
        self.columns.values.get(range).unwrap_or_default()
    }
}
