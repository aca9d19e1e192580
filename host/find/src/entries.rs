//! The entries of an object in the index.

use std::collections::BTreeSet;

use magpie_model::{Attribute, Kind, Record};
use magpie_query::{
    MAX_FACET_BYTES, equality_key, has_facet, interval, is_ranged, is_searchable, site_keys, tokens,
};
use magpie_values::text::fold;
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use crate::index::Part;
use crate::packed::{PackedNumber, pack};

/// Texts of attributes, beside that of the label and that of the rest.
pub const TEXT_COLUMNS: usize = 24;

/// Text that is between two values of a column. No word of a query is like it, and an index must
/// take it for a word, so no phrase goes from one value into the next.
const BETWEEN_VALUES: &str = " \u{b6} ";

/// Columns of names. Few take little space, and their attributes are seldom more.
pub const NAME_COLUMNS: usize = 8;

/// The fewest characters of a part that is looked up.
const MIN_PART: usize = 3;

/// An attribute of a schema, and its numbers in the index.
#[derive(Clone, Debug)]
pub struct IndexedAttribute {
    pub attribute: Attribute,
    pub id: i64,
    /// The number within the vertical.
    pub number: u64,
}

impl IndexedAttribute {
    /// Returns the attributes of a schema. `known` returns the ID and the number of one by its name
    /// and is asked in the order of the schema; attributes that it does not know are left out.
    pub fn of_schema(
        schema: &str,
        mut known: impl FnMut(&str) -> Option<(i64, u64)>,
    ) -> Vec<IndexedAttribute> {
        let schema: Vec<Attribute> = serde_json::from_str(schema).unwrap_or_default();
        let indexed = schema.into_iter().filter_map(|attribute| {
            let (id, number) = known(&attribute.name)?;
            Some(IndexedAttribute {
                attribute,
                id,
                number,
            })
        });
        indexed.collect()
    }
}

/// The entries of an object.
#[derive(Clone, Debug, Default)]
pub struct Entries {
    /// The words of the label, of each of [`TEXT_COLUMNS`] columns, and of the rest.
    pub text: Vec<String>,
    pub terms: BTreeSet<i64>,
    /// The numbers of the attributes that have a value.
    present: Vec<u64>,
    /// The values that are counted, with the attribute's ID and number.
    pub facets: Vec<(i64, u64, String)>,
    pub numbers: Vec<PackedNumber>,
    /// The folded names, parts of which are searched: of the object, and of what it shares with
    /// others, such as its place. Texts about it are too long. Attributes share columns.
    pub names: [String; NAME_COLUMNS],
    /// The words that are offered for unknown ones.
    pub words: Vec<String>,
}

impl Entries {
    /// Returns the entries of an object whose records are on pages of some URLs.
    pub fn new(
        warehouse: i64,
        attributes: &[IndexedAttribute],
        label: &str,
        record: &Record,
        urls: &[String],
    ) -> Entries {
        let mut entries = Entries {
            text: vec![String::new(); TEXT_COLUMNS + 2],
            ..Entries::default()
        };
        let label = tokens(label);
        entries.text[0] = label.join(" ");
        entries.words.extend(label);
        for indexed in attributes {
            entries.add(warehouse, indexed, record);
        }
        for url in urls {
            let keys = site_keys(url);
            entries
                .terms
                .extend(keys.iter().map(|key| site_term(warehouse, key)));
        }
        entries
    }

    fn add(&mut self, warehouse: i64, indexed: &IndexedAttribute, record: &Record) {
        let attribute = &indexed.attribute;
        let kind = &attribute.kind;
        let mut values = record.all(&attribute.name).peekable();
        if values.peek().is_none() {
            return;
        }
        self.present.push(indexed.number);
        for value in values {
            if is_searchable(kind) {
                let column = text_column(indexed.number).map_or(TEXT_COLUMNS + 1, |column| column + 1);
                let text = &mut self.text[column];
                // No phrase of a query may begin in one value and end in the next.
                if !text.is_empty() {
                    text.push_str(BETWEEN_VALUES);
                }
                text.push_str(&tokens(value).join(" "));
            }
            if is_name(attribute) {
                let names = &mut self.names[name_column(indexed.number)];
                names.push_str(&fold(value));
                names.push('\n');
            }
            if is_ranged(kind) {
                self.numbers
                    .extend(interval(kind, value).map(|value| PackedNumber {
                        attribute: indexed.number,
                        low: value.low,
                        high: value.high,
                        currency: value.currency,
                    }));
            } else {
                let key = equality_key(kind, value);
                self.terms.insert(value_term(warehouse, &attribute.name, &key));
            }
            if has_facet(attribute) && value.len() <= MAX_FACET_BYTES {
                self.words.extend(tokens(value));
                self.facets.push((indexed.id, indexed.number, value.to_owned()));
            }
        }
    }

    /// Returns what is read of each candidate. The facets are attributes' numbers and values' IDs.
    pub(crate) fn packed(&self, facets: &[(u64, u64)]) -> Vec<u8> {
        pack(&self.present, facets, &self.numbers)
    }

    /// Returns a hash by which the store sees that the text of an object is the same.
    pub(crate) fn text_hash(&self) -> i64 {
        xxh3_64(self.text.join("\n").as_bytes()).cast_signed()
    }
}

/// Returns a folded part of a value of an attribute as it is looked up. `None` if it is too short,
/// or if the index does not have such names.
pub(crate) fn part_of(indexed: &IndexedAttribute, text: &str) -> Option<Part> {
    let is_known = is_name(&indexed.attribute) && text.chars().count() >= MIN_PART;
    is_known.then(|| Part {
        column: name_column(indexed.number),
        text: text.to_owned(),
    })
}

fn name_column(number: u64) -> usize {
    number as usize % NAME_COLUMNS
}

/// Returns true if the values of an attribute are among [`Entries::names`].
fn is_name(attribute: &Attribute) -> bool {
    match attribute.kind {
        Kind::Text => attribute.identifies,
        _ => is_searchable(&attribute.kind) && has_facet(attribute),
    }
}

/// Returns the term of a value that is counted. `None` for a kind without terms.
pub fn facet_term(warehouse: i64, attribute: &Attribute, value: &str) -> Option<i64> {
    let kind = &attribute.kind;
    (!is_ranged(kind)).then(|| value_term(warehouse, &attribute.name, &equality_key(kind, value)))
}

/// Returns the term of a site.
pub fn site_term(warehouse: i64, key: &str) -> i64 {
    term(warehouse, None, key)
}

/// Returns the term of a value of an attribute.
pub(crate) fn value_term(warehouse: i64, attribute: &str, key: &str) -> i64 {
    term(warehouse, Some(attribute), key)
}

fn term(warehouse: i64, attribute: Option<&str>, key: &str) -> i64 {
    let mut hash = Xxh3::new();
    hash.update(&warehouse.to_le_bytes());
    match attribute {
        Some(name) => {
            hash.update(b"a");
            // The length keeps a name and a value apart from a longer name with a shorter value.
            hash.update(&(name.len() as u64).to_le_bytes());
            hash.update(name.as_bytes());
        }
        None => hash.update(b"s"),
    }
    hash.update(key.as_bytes());
    hash.digest().cast_signed()
}

/// Returns the column with the words of an attribute, or `None` if it shares one.
pub(crate) fn text_column(number: u64) -> Option<usize> {
    let column = usize::try_from(number).ok()?;
    (column < TEXT_COLUMNS).then_some(column)
}
