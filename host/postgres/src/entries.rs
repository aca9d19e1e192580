//! Entries of objects in the index, written in the transaction that writes the objects.
//!
//! The words are those of `magpie-find`, which folds accents, so that a query finds the same as in
//! a folder. They are kept as a `tsvector` without positions, which are limited: phrases are looked
//! up in the text beside it. No extension is needed, since servers may not allow one.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use magpie_find::{Entries, EntryDiff, Indexed, IndexedAttribute, PackedNumber, TEXT_COLUMNS, facet_term};
use magpie_rows::diff::Version;
use magpie_rows::log::NewChanges;
use magpie_rows::{StoreError, WarehouseRow};
use xxhash_rust::xxh3::xxh3_64;

use crate::failure::Failure;
use crate::hand_in::put;
use crate::numbers::SHARED;
use crate::server::{Call, call};
use crate::statements::search::{
    DROP_NUMBERS, DROP_TERMS, DROP_TEXTS, DROP_VALUES, INDEXED, INDEXED_VERTICAL, NAME_ATTRIBUTES,
    PUT_FACET_VALUES, PUT_NUMBERS, PUT_TERMS, PUT_TEXTS, PUT_VALUES, PUT_WORDS, URLS_OF_OBJECTS,
};
use crate::store::Store;
use crate::value::{Cells, Value, numbers, texts};

/// Bytes of the words of an object. A `tsvector` has at most 1 MiB; what is beyond is not found.
const MAX_WORDS: usize = 1_000_000;

/// Objects that are indexed at a time when all are.
const AT_A_TIME: i64 = 1_000;

/// A vertical with the names of its attributes, by number.
pub(crate) struct IndexedVertical {
    pub(crate) warehouse: i64,
    pub(crate) schema: String,
    pub(crate) names: Vec<String>,
}

impl IndexedVertical {
    pub(crate) fn read(cells: &mut Cells<'_>) -> Result<IndexedVertical, Failure> {
        Ok(IndexedVertical {
            warehouse: cells.get()?,
            schema: cells.get()?,
            names: cells.get()?,
        })
    }

    /// Returns the attributes of the schema that have numbers.
    pub(crate) fn attributes(&self) -> Vec<IndexedAttribute> {
        IndexedAttribute::of_schema(&self.schema, |name| {
            let number = self.names.iter().position(|known| known == name)? as u64;
            Some((attribute(self.warehouse, number), number))
        })
    }

    /// Gives numbers to the attributes of a schema. Returns true if some are new.
    fn name_attributes(&mut self) -> bool {
        let known = self.names.len();
        IndexedAttribute::of_schema(&self.schema, |name| {
            if !self.names.iter().any(|known| known == name) {
                self.names.push(name.to_owned());
            }
            None
        });
        self.names.len() > known
    }
}

/// Returns the number of an attribute of a vertical in the whole index.
fn attribute(warehouse: i64, number: u64) -> i64 {
    warehouse << 20 | number.cast_signed()
}

fn facet_value(attribute: i64, value: &str) -> u64 {
    xxh3_64(format!("{attribute} {value}").as_bytes())
}

/// Entries that replace others.
pub(crate) struct NewEntries {
    vertical: IndexedVertical,
    has_new_names: bool,
    entries: BTreeMap<i64, NewEntry>,
}

/// The entries of an object. None if it has none any more.
struct NewEntry {
    indexed: Option<Indexed>,
    diff: EntryDiff,
    facets: Vec<(u64, String)>,
    /// The words with their places, and the text; `None` if they are those that it has.
    text: Option<(String, String)>,
    /// The words that are offered for unknown ones.
    words: Vec<String>,
}

impl Store {
    /// Makes the entries of objects as they are in a log. Those that retired or are still to be
    /// merged have none. `schema` is that of the vertical from now on, if it is another.
    pub(crate) fn new_entries(
        &self,
        warehouse: i64,
        schema: Option<&str>,
        objects: &BTreeSet<i64>,
        log: &NewChanges,
        urls: &BTreeMap<i64, (i64, String)>,
    ) -> Result<Option<NewEntries>, StoreError> {
        let values = [SHARED.into(), Value::Text(None), warehouse.into()];
        let found = self.query(call(&INDEXED_VERTICAL, values), IndexedVertical::read)?;
        let Some(mut vertical) = found.into_iter().next() else {
            return Ok(None);
        };
        if let Some(schema) = schema {
            schema.clone_into(&mut vertical.schema);
        }
        let has_new_names = vertical.name_attributes();
        let attributes = vertical.attributes();
        let mut old = self.indexed(objects)?;
        let mut urls_of: HashMap<i64, Vec<String>> = HashMap::new();
        for (object, url) in urls.values() {
            urls_of.entry(*object).or_default().push(url.clone());
        }
        let mut entries = BTreeMap::new();
        for object in objects {
            let old = old.remove(object);
            let new = log.standing(*object).map(|version| {
                let urls = urls_of.remove(object).unwrap_or_default();
                let made = Entries::new(warehouse, &attributes, &version.label, &version.record, &urls);
                let facets = made.facets.iter();
                let facets = facets.map(|(id, number, value)| (*number, facet_value(*id, value)));
                (Indexed::new(&made, facets), made)
            });
            let entry = NewEntry::new(old.as_ref(), new);
            entries.extend(entry.map(|entry| (*object, entry)));
        }
        Ok(Some(NewEntries {
            vertical,
            has_new_names,
            entries,
        }))
    }

    fn indexed(&self, objects: &BTreeSet<i64>) -> Result<HashMap<i64, Indexed>, StoreError> {
        let values = [SHARED.into(), numbers(objects.iter().copied())];
        let found = self.query(call(&INDEXED, values), |cells| {
            let object = cells.get()?;
            let indexed = Indexed {
                text: cells.get()?,
                terms: cells.get()?,
                packed: cells.get()?,
            };
            Ok((object, indexed))
        })?;
        Ok(found.into_iter().collect())
    }

    /// Reads the members of objects: for each its object, and the URL of the page on which it was
    /// found first.
    pub(crate) fn urls_of(
        &self,
        objects: &BTreeSet<i64>,
    ) -> Result<BTreeMap<i64, (i64, String)>, StoreError> {
        let values = [SHARED.into(), numbers(objects.iter().copied())];
        let found = self.query(call(&URLS_OF_OBJECTS, values), |cells| {
            Ok((cells.get()?, (cells.get()?, cells.get()?)))
        })?;
        Ok(found.into_iter().collect())
    }

    /// Makes the entries of all objects of a vertical, as after a change of its schema. Each part
    /// is a transaction of its own: the objects are stale, and those that are left out because of
    /// an interruption are written with their entries when they are merged.
    pub(crate) fn index_all(&self, vertical: &WarehouseRow) -> Result<(), StoreError> {
        let mut after = i64::MIN;
        loop {
            let epoch = self.shared_epoch()?;
            let objects = self.object_numbers(&vertical.vertical, after, AT_A_TIME)?;
            let Some(last) = objects.last() else {
                return Ok(());
            };
            after = *last;
            let objects: BTreeSet<i64> = objects.into_iter().collect();
            let log = self.logged(objects.iter().copied())?;
            let urls = self.urls_of(&objects)?;
            let entries = self.new_entries(vertical.id, None, &objects, &log, &urls)?;
            self.write_in_epoch(epoch, |calls| {
                entries.iter().for_each(|entries| entries.write(calls));
            })?;
        }
    }
}

/// Adds the words and the counted values of a version, each value with its term.
pub(crate) fn facets_and_words(
    of: &NewEntries,
    version: &Version,
    words: &mut BTreeSet<String>,
    values: &mut BTreeMap<i64, i64>,
) {
    let (warehouse, attributes) = (of.vertical.warehouse, of.vertical.attributes());
    let made = Entries::new(warehouse, &attributes, &version.label, &version.record, &[]);
    words.extend(made.words);
    for (id, _, value) in made.facets {
        let own = attributes.iter().find(|own| own.id == id);
        if let Some(term) = own.and_then(|own| facet_term(warehouse, &own.attribute, &value)) {
            values.insert(facet_value(id, &value).cast_signed(), term);
        }
    }
}

impl NewEntry {
    /// Returns `None` if an object has these entries.
    fn new(old: Option<&Indexed>, new: Option<(Indexed, Entries)>) -> Option<NewEntry> {
        let (indexed, made) = new.unzip();
        if old == indexed.as_ref() {
            return None;
        }
        let diff = Indexed::diff(old, indexed.as_ref());
        let made = made.unwrap_or_default();
        let facets = made.facets.iter();
        let facets = facets.map(|(id, _, value)| (facet_value(*id, value), value.clone()));
        let is_text_same = old.map(|old| old.text) == indexed.as_ref().map(|new| new.text);
        Some(NewEntry {
            diff,
            facets: facets.collect(),
            text: (indexed.is_some() && !is_text_same).then(|| (placed_words(&made.text), lines(&made.text))),
            words: if is_text_same { Vec::new() } else { made.words },
            indexed,
        })
    }
}

impl NewEntries {
    pub(crate) fn write<'c>(&'c self, calls: &mut Vec<Call<'c>>) {
        let warehouse = self.vertical.warehouse;
        if self.has_new_names {
            let names = texts(self.vertical.names.iter().map(String::as_str));
            calls.push(call(&NAME_ATTRIBUTES, [SHARED.into(), warehouse.into(), names]));
        }
        for (statement, is_old) in [(&DROP_TERMS, true), (&PUT_TERMS, false)] {
            let rows = self.entries.iter().flat_map(move |(object, entry)| {
                let diff = &entry.diff;
                let terms = if is_old { &diff.old_terms } else { &diff.new_terms };
                terms.iter().map(|term| [(*term).into(), (*object).into()])
            });
            put(calls, statement, SHARED, rows);
        }
        for (statement, is_old) in [(&DROP_NUMBERS, true), (&PUT_NUMBERS, false)] {
            let rows = self.entries.iter().flat_map(move |(object, entry)| {
                let diff = &entry.diff;
                let numbers = if is_old {
                    &diff.old_numbers
                } else {
                    &diff.new_numbers
                };
                numbers
                    .iter()
                    .map(move |number| number_row(warehouse, *object, number))
            });
            put(calls, statement, SHARED, rows);
        }
        let gone = self.entries.iter().filter(|(_, entry)| entry.indexed.is_none());
        let gone: Vec<i64> = gone.map(|(object, _)| *object).collect();
        if !gone.is_empty() {
            for statement in [&DROP_TEXTS, &DROP_VALUES] {
                calls.push(call(statement, [SHARED.into(), numbers(gone.iter().copied())]));
            }
        }
        let rows = self.entries.iter().filter_map(|(object, entry)| {
            let (words, text) = entry.text.as_ref()?;
            Some([(*object).into(), words.into(), text.into()])
        });
        put(calls, &PUT_TEXTS, SHARED, rows);
        let rows = self.entries.iter().filter_map(|(object, entry)| {
            let new = entry.indexed.as_ref()?;
            let [terms, packed] = [&new.terms, &new.packed].map(|bytes| Value::Bytes(Some(bytes)));
            Some([(*object).into(), new.text.into(), terms, packed])
        });
        put(calls, &PUT_VALUES, SHARED, rows);
        let values: BTreeMap<u64, &String> = self
            .entries
            .values()
            .flat_map(|entry| entry.facets.iter().map(|(number, value)| (*number, value)))
            .collect();
        let rows = values
            .into_iter()
            .map(|(number, value)| [number.into(), value.into()]);
        put(calls, &PUT_FACET_VALUES, SHARED, rows);
        let words = self.entries.values().flat_map(|entry| &entry.words);
        // The parts of a word are of three characters.
        let words: BTreeSet<&String> = words.filter(|word| word.chars().count() >= 3).collect();
        let rows = words
            .into_iter()
            .map(|word| [xxh3_64(word.as_bytes()).into(), word.into(), parts(word).into()]);
        put(calls, &PUT_WORDS, SHARED, rows);
    }
}

fn number_row<'v>(warehouse: i64, object: i64, number: &PackedNumber) -> [Value<'v>; 5] {
    [
        attribute(warehouse, number.attribute).into(),
        number.low.into(),
        object.into(),
        number.high.into(),
        number
            .currency
            .map_or_else(String::new, |currency| currency.code().to_owned())
            .into(),
    ]
}

/// Returns the parts of a word, three characters each.
fn parts(word: &str) -> String {
    let characters: Vec<char> = word.chars().collect();
    let parts = characters.windows(3).map(|part| part.iter().collect::<String>());
    parts.collect::<Vec<_>>().join(" ")
}

/// Returns the words of texts, and once more with their place but for those of the last text, where
/// none is looked for.
fn placed_words(text: &[String]) -> String {
    let words = || {
        text.iter()
            .enumerate()
            .flat_map(|(place, text)| text.split(' ').map(move |word| (place, word)))
    };
    let words = || words().filter(|(_, word)| !word.is_empty());
    let all = words().map(|(_, word)| word.to_owned());
    let placed = words().filter(|(place, _)| *place <= TEXT_COLUMNS);
    let placed = placed.map(|(place, word)| placed_word(place, word));
    let unique: BTreeSet<String> = all.chain(placed).collect();
    let mut list = String::new();
    for word in unique {
        if list.len() + word.len() >= MAX_WORDS {
            break;
        }
        if !list.is_empty() {
            list.push(' ');
        }
        list += &word;
    }
    list
}

/// Returns a word of a place: 0 is the label, the attributes' columns follow. No word begins with a
/// colon.
pub(crate) fn placed_word(place: usize, word: &str) -> String {
    format!(":{place}:{word}")
}

/// Returns the text of each place on a line, with spaces around each word.
fn lines(text: &[String]) -> String {
    let lines = text.iter().map(|text| format!(" {text} "));
    lines.collect::<Vec<_>>().join("\n")
}
