//! Tables of URLs of one shape: a row for each URL, a column for each segment and key.

use std::collections::HashMap;

use magpie_model::CanonicalUrl;

use super::super::kind::Kind;
use super::super::url_pattern::{MAX_KEYS, Parts};
use super::class::extension;

/// The common properties of a table's URLs. File extension and key set separate page classes better
/// than any value.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Shape<'a> {
    pub(super) origin: &'a str,
    pub(super) segments: usize,
    extension: &'a str,
    /// True if the path ends with a slash.
    is_folder: bool,
    /// Sorted; repeated keys are repeated here.
    pub(super) keys: Vec<&'a str>,
}

/// The rows of one shape, wanted ones first.
pub(super) struct Table<'a> {
    pub(super) shape: Shape<'a>,
    /// In row-major order.
    values: Vec<&'a str>,
    pub(super) columns: usize,
    pub(super) wanted: usize,
}

impl<'a> Shape<'a> {
    /// Returns the shape of a URL with its values, or `None` beyond the limits of typed patterns.
    fn of(url: &'a CanonicalUrl) -> Option<(Shape<'a>, Vec<&'a str>)> {
        let parts = Parts::of(url);
        let segments = parts.segments?;
        let mut pairs = parts.query?;
        if pairs.len() > MAX_KEYS {
            return None;
        }
        // Keys may come in any order. The sort is stable, so repeated keys keep theirs.
        pairs.sort_by_key(|(key, _)| *key);
        let last = segments.last().copied().unwrap_or("");
        let shape = Shape {
            origin: parts.origin,
            segments: segments.len(),
            extension: extension(last),
            is_folder: last.is_empty(),
            keys: pairs.iter().map(|(key, _)| *key).collect(),
        };
        let mut values = segments;
        values.extend(pairs.iter().map(|(_, value)| *value));
        Some((shape, values))
    }
}

impl<'a> Table<'a> {
    /// Groups URLs into tables in a fixed order. Also returns the URLs without a shape.
    pub(super) fn of(
        wanted: &[&'a CanonicalUrl],
        others: &[&'a CanonicalUrl],
    ) -> (Vec<Table<'a>>, Vec<&'a CanonicalUrl>) {
        let mut table_of: HashMap<Shape<'a>, usize> = HashMap::new();
        let mut tables: Vec<Table<'a>> = Vec::new();
        let mut shapeless = Vec::new();
        for url in wanted {
            let Some((shape, values)) = Shape::of(url) else {
                shapeless.push(*url);
                continue;
            };
            let index = *table_of.entry(shape.clone()).or_insert_with(|| {
                tables.push(Table {
                    columns: values.len(),
                    values: Vec::new(),
                    wanted: 0,
                    shape,
                });
                tables.len() - 1
            });
            tables[index].values.extend(values);
            tables[index].wanted += 1;
        }
        // An unwanted page matters only if wanted pages have its shape.
        for url in others {
            if let Some((shape, values)) = Shape::of(url)
                && let Some(index) = table_of.get(&shape)
            {
                tables[*index].values.extend(values);
            }
        }
        tables.sort_by(|one, other| one.shape.cmp(&other.shape));
        (tables, shapeless)
    }

    pub(super) fn rows(&self) -> usize {
        self.values.len() / self.columns.max(1)
    }

    pub(super) fn value(&self, row: u32, column: usize) -> &'a str {
        self.values[row as usize * self.columns + column]
    }

    /// Returns the part of a date in a column, judged by the wanted rows and the preceding columns.
    pub(super) fn date_part(&self, rows: &[u32], column: usize) -> Option<Kind> {
        let all = |column: usize, kind: Kind| {
            rows.iter()
                .all(|row| kind.is_whole(self.value(*row, column).as_bytes()))
        };
        let in_path = column < self.shape.segments;
        if let Some(kind) = [Kind::Year, Kind::Date]
            .into_iter()
            // New dates follow, so a pattern must not be restricted to those that were seen.
            .find(|kind| all(column, *kind))
        {
            return Some(kind);
        }
        // Any number up to 12 could be a month. Only the year before it makes it one.
        if in_path && column >= 1 && all(column, Kind::Month) && all(column - 1, Kind::Year) {
            return Some(Kind::Month);
        }
        let after_month = in_path && column >= 2 && all(column, Kind::Day);
        (after_month && all(column - 1, Kind::Month) && all(column - 2, Kind::Year)).then_some(Kind::Day)
    }
}
