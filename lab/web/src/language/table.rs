//! Tables of words: a row for each word, a column for each language, separated by tabs.

use std::collections::BTreeMap;

use super::COUNT;

/// The rows of a table by name. Rows of the same name are a list.
pub(super) struct Table(BTreeMap<&'static str, Vec<[&'static str; COUNT]>>);

impl Table {
    pub(super) fn parse(text: &'static str) -> Table {
        let mut rows: BTreeMap<&str, Vec<[&str; COUNT]>> = BTreeMap::new();
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            let (name, cells) = line.split_once('\t').expect("a row has a name and words");
            let cells: Vec<&str> = cells.split('\t').collect();
            let cells = cells.try_into().expect("a row has a word for each language");
            rows.entry(name).or_default().push(cells);
        }
        Table(rows)
    }

    /// Returns the rows of a name.
    ///
    /// # Panics
    ///
    /// If there are none. The tables are part of the program, and the tests read all of them.
    pub(super) fn rows(&self, name: &str) -> &[[&'static str; COUNT]] {
        &self.0[name]
    }
}

/// A value that is read from the rows of its name.
pub(super) trait Cell {
    fn read(rows: &[[&'static str; COUNT]], language: usize) -> Self;
}

impl Cell for &'static str {
    fn read(rows: &[[&'static str; COUNT]], language: usize) -> Self {
        rows[0][language]
    }
}

impl Cell for bool {
    fn read(rows: &[[&'static str; COUNT]], language: usize) -> Self {
        rows[0][language] == "true"
    }
}

impl<const N: usize> Cell for [&'static str; N] {
    fn read(rows: &[[&'static str; COUNT]], language: usize) -> Self {
        assert_eq!(rows.len(), N, "a list has as many rows as its field has values");
        std::array::from_fn(|row| rows[row][language])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_tables_have_the_same_columns() {
        let tables = [
            include_str!("../../data/calendar.tsv"),
            include_str!("../../data/labels.tsv"),
            include_str!("../../data/menus.tsv"),
            include_str!("../../data/phrases.tsv"),
            include_str!("../../data/searches.tsv"),
        ];
        let codes = ["en", "de", "fr", "es", "it", "nl", "pt", "sv"];
        for table in tables {
            assert_eq!(Table::parse(table).rows("code"), [codes]);
        }
    }
}
