//! The index of objects, written in the transaction that writes an object.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap, HashSet};

use magpie_find::{Entries, IndexedAttribute, Packed, PackedNumber, TEXT_COLUMNS};
use magpie_model::Attribute;
use magpie_values::money::Currency;
use rusqlite::{Connection, OptionalExtension, params, params_from_iter};

use crate::column::record;

/// Words of an indexer that are known to be in `word`.
const MAX_KNOWN_WORDS: usize = 100_000;

/// Objects that are indexed at a time when all are.
const CHUNK: usize = 10_000;

/// The version of the entries. A workspace with those of another version is indexed again when it
/// is opened for writing.
pub(crate) const INDEX_VERSION: &str = "1";

/// Writes the entries of the objects of a vertical.
pub(crate) struct Indexer<'c> {
    connection: &'c Connection,
    warehouse: i64,
    attributes: Vec<IndexedAttribute>,
    /// The numbers of attributes by their IDs, also of those that the schema has no more.
    known_words: RefCell<HashSet<String>>,
}

/// Returns the attributes of a vertical by its schema. `None` if there is no such vertical.
pub(super) fn attributes_of(
    connection: &Connection,
    vertical: &str,
) -> rusqlite::Result<Option<(i64, Vec<IndexedAttribute>)>> {
    let mut statement = connection.prepare_cached("SELECT id, schema FROM warehouse WHERE vertical = ?1")?;
    let found = statement
        .query_row([vertical], |row| {
            Ok((row.get::<_, i64>(0)?, row.get::<_, String>(1)?))
        })
        .optional()?;
    let Some((warehouse, schema)) = found else {
        return Ok(None);
    };
    let ids = attribute_ids(connection, warehouse)?;
    let schema: Vec<Attribute> = serde_json::from_str(&schema).unwrap_or_default();
    let indexed = schema.into_iter().filter_map(|attribute| {
        let (id, number) = *ids.get(&attribute.name)?;
        Some(IndexedAttribute {
            attribute,
            id,
            number,
        })
    });
    Ok(Some((warehouse, indexed.collect())))
}

fn attribute_ids(connection: &Connection, warehouse: i64) -> rusqlite::Result<HashMap<String, (i64, u64)>> {
    let mut statement =
        connection.prepare_cached("SELECT name, id, number FROM attribute WHERE warehouse_id = ?1")?;
    let rows = statement.query_map([warehouse], |row| {
        Ok((row.get(0)?, (row.get(1)?, row.get::<_, i64>(2)?.unsigned_abs())))
    })?;
    rows.collect()
}

impl<'c> Indexer<'c> {
    /// Returns an indexer for the schema of a vertical. New attributes get numbers.
    pub(crate) fn new(connection: &'c Connection, warehouse: i64) -> rusqlite::Result<Indexer<'c>> {
        let schema: String =
            connection.query_row("SELECT schema FROM warehouse WHERE id = ?1", [warehouse], |row| {
                row.get(0)
            })?;
        let schema: Vec<Attribute> = serde_json::from_str(&schema).unwrap_or_default();
        let mut ids = attribute_ids(connection, warehouse)?;
        let mut attributes = Vec::with_capacity(schema.len());
        for attribute in schema {
            let known = ids.get(&attribute.name).copied();
            let (id, number) = match known {
                Some(known) => known,
                None => {
                    let number = ids.len() as u64;
                    connection
                        .prepare_cached(
                            "INSERT INTO attribute (warehouse_id, name, number) VALUES (?1, ?2, ?3)",
                        )?
                        .execute((warehouse, &attribute.name, number.cast_signed()))?;
                    let id = connection.last_insert_rowid();
                    ids.insert(attribute.name.clone(), (id, number));
                    (id, number)
                }
            };
            attributes.push(IndexedAttribute {
                attribute,
                id,
                number,
            });
        }
        Ok(Indexer {
            connection,
            warehouse,
            attributes,
            known_words: RefCell::default(),
        })
    }

    /// Writes the entries of an object as it is now. One that retired or is still to be merged from
    /// its members has none.
    pub(crate) fn refresh(&self, object: i64) -> rusqlite::Result<()> {
        let mut statement = self.connection.prepare_cached(
            "SELECT label, record FROM object WHERE id = ?1 AND merged_into IS NULL AND state <> ''",
        )?;
        let found = statement.query_row([object], |row| {
            Ok((row.get::<_, String>(0)?, record(row, 1)?.unwrap_or_default()))
        });
        match found.optional()? {
            Some((label, record)) => {
                let urls = urls(self.connection, object)?;
                let entries = Entries::new(self.warehouse, &self.attributes, &label, &record, &urls);
                self.put(object, entries)
            }
            None => remove(self.connection, object),
        }
    }

    /// Writes the entries of all objects of the vertical, as after a change of its schema.
    pub(crate) fn refresh_all(&self) -> rusqlite::Result<()> {
        let mut after = i64::MIN;
        loop {
            let mut statement = self.connection.prepare_cached(
                "SELECT id FROM object WHERE warehouse_id = ?1 AND id > ?2 ORDER BY id LIMIT ?3",
            )?;
            let rows = statement.query_map((self.warehouse, after, CHUNK as i64), |row| row.get(0))?;
            let ids: Vec<i64> = rows.collect::<rusqlite::Result<_>>()?;
            let Some(last) = ids.last() else {
                return Ok(());
            };
            after = *last;
            ids.into_iter().try_for_each(|object| self.refresh(object))?;
        }
    }

    fn put(&self, object: i64, entries: Entries) -> rusqlite::Result<()> {
        let connection = self.connection;
        let old = Old::read(connection, object)?;
        let mut facets = Vec::with_capacity(entries.facets.len());
        for (id, number, value) in &entries.facets {
            let pair = (*number, self.facet_value(*id, value)?);
            if !facets.contains(&pair) {
                facets.push(pair);
            }
        }
        let packed = entries.packed(&facets);
        let text = entries.text_hash();
        let terms: Vec<u8> = entries.terms.iter().flat_map(|term| term.to_le_bytes()).collect();
        // The words of an object are deleted and written as a whole, so they are left alone if the
        // text is the same.
        let is_text_same = old.as_ref().is_some_and(|old| old.text == text);
        if let Some(old) = &old
            && is_text_same
            && old.packed == packed
            && old.terms_bytes == terms
        {
            return Ok(());
        }
        self.put_terms(object, old.as_ref(), &entries.terms)?;
        self.put_numbers(object, old.as_ref(), &entries.numbers)?;
        if !is_text_same {
            if old.is_some() {
                connection
                    .prepare_cached("DELETE FROM object_text WHERE rowid = ?1")?
                    .execute([object])?;
            }
            let places = (0..entries.text.len()).map(|at| format!("?{}", at + 2));
            let places: Vec<String> = places.collect();
            let columns = (0..TEXT_COLUMNS).map(|number| format!("a{number}"));
            let columns: Vec<String> = columns.collect();
            let mut statement = connection.prepare_cached(&format!(
                "INSERT INTO object_text (rowid, label, {}, rest) VALUES (?1, {})",
                columns.join(", "),
                places.join(", ")
            ))?;
            let values = std::iter::once(object.to_string()).chain(entries.text);
            statement.execute(params_from_iter(values))?;
            self.put_words(&entries.words)?;
        }
        connection
            .prepare_cached(
                "INSERT INTO object_values VALUES (?1, ?2) ON CONFLICT DO UPDATE SET packed = excluded.packed",
            )?
            .execute((object, packed))?;
        connection
            .prepare_cached(
                "INSERT INTO object_indexed VALUES (?1, ?2, ?3)
                 ON CONFLICT DO UPDATE SET text = excluded.text, terms = excluded.terms",
            )?
            .execute((object, text, terms))
            .map(drop)
    }

    fn put_terms(&self, object: i64, old: Option<&Old>, terms: &BTreeSet<i64>) -> rusqlite::Result<()> {
        let none = BTreeSet::new();
        let before = old.map_or(&none, |old| &old.terms);
        let mut delete = self
            .connection
            .prepare_cached("DELETE FROM object_term WHERE term = ?1 AND object_id = ?2")?;
        for term in before.difference(terms) {
            delete.execute((term, object))?;
        }
        let mut insert = self
            .connection
            .prepare_cached("INSERT INTO object_term VALUES (?1, ?2) ON CONFLICT DO NOTHING")?;
        for term in terms.difference(before) {
            insert.execute((term, object))?;
        }
        Ok(())
    }

    fn put_numbers(&self, object: i64, old: Option<&Old>, numbers: &[PackedNumber]) -> rusqlite::Result<()> {
        let before: Vec<PackedNumber> =
            old.map_or_else(Vec::new, |old| Packed(&old.packed).numbers().collect());
        let ids = || attribute_ids(self.connection, self.warehouse);
        if !before.is_empty() && before != numbers {
            let ids: HashMap<u64, i64> = ids()?.into_values().map(|(id, number)| (number, id)).collect();
            for number in &before {
                if let Some(id) = ids.get(&number.attribute) {
                    delete_number(self.connection, *id, object, number)?;
                }
            }
        } else if before == numbers {
            return Ok(());
        }
        let mut insert = self
            .connection
            .prepare_cached("INSERT INTO object_number VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT DO NOTHING")?;
        for number in numbers {
            let mut own = self.attributes.iter();
            if let Some(indexed) = own.find(|indexed| indexed.number == number.attribute) {
                insert.execute(params![
                    indexed.id,
                    number.low,
                    object,
                    number.high,
                    code(number.currency)
                ])?;
            }
        }
        Ok(())
    }

    /// Returns the ID of a facet value, which may be new.
    fn facet_value(&self, attribute: i64, value: &str) -> rusqlite::Result<u64> {
        let mut statement = self
            .connection
            .prepare_cached("SELECT id FROM facet_value WHERE attribute_id = ?1 AND value = ?2")?;
        let known = statement
            .query_row((attribute, value), |row| row.get::<_, i64>(0))
            .optional()?;
        let id = match known {
            Some(id) => id,
            None => {
                self.connection
                    .prepare_cached("INSERT INTO facet_value (attribute_id, value) VALUES (?1, ?2)")?
                    .execute((attribute, value))?;
                self.connection.last_insert_rowid()
            }
        };
        Ok(id.unsigned_abs())
    }

    fn put_words(&self, words: &[String]) -> rusqlite::Result<()> {
        let mut known = self.known_words.borrow_mut();
        for word in words {
            // The parts of a word are of three characters.
            if known.contains(word) || word.chars().count() < 3 {
                continue;
            }
            let is_new = self
                .connection
                .prepare_cached("INSERT INTO word (word) VALUES (?1) ON CONFLICT DO NOTHING")?
                .execute([word])?
                > 0;
            if is_new {
                let id = self.connection.last_insert_rowid();
                self.connection
                    .prepare_cached("INSERT INTO word_part (rowid, word) VALUES (?1, ?2)")?
                    .execute((id, word))?;
            }
            // The memory of a long transaction is bounded. A word that is not remembered is only
            // looked up again.
            if known.len() < MAX_KNOWN_WORDS {
                known.insert(word.clone());
            }
        }
        Ok(())
    }
}

/// The entries that an object has.
struct Old {
    text: i64,
    terms: BTreeSet<i64>,
    terms_bytes: Vec<u8>,
    packed: Vec<u8>,
}

impl Old {
    fn read(connection: &Connection, object: i64) -> rusqlite::Result<Option<Old>> {
        let mut statement = connection.prepare_cached(
            "SELECT text, terms, packed FROM object_indexed JOIN object_values USING (object_id)
             WHERE object_id = ?1",
        )?;
        let old = statement.query_row([object], |row| {
            let terms_bytes: Vec<u8> = row.get(1)?;
            let (chunks, _) = terms_bytes.as_chunks::<8>();
            Ok(Old {
                text: row.get(0)?,
                terms: chunks.iter().map(|term| i64::from_le_bytes(*term)).collect(),
                terms_bytes,
                packed: row.get(2)?,
            })
        });
        old.optional()
    }
}

pub(crate) fn remove(connection: &Connection, object: i64) -> rusqlite::Result<()> {
    let Some(old) = Old::read(connection, object)? else {
        return Ok(());
    };
    let mut delete =
        connection.prepare_cached("DELETE FROM object_term WHERE term = ?1 AND object_id = ?2")?;
    for term in &old.terms {
        delete.execute((term, object))?;
    }
    let mut statement = connection.prepare_cached(
        "SELECT number, id FROM attribute
         WHERE warehouse_id = (SELECT warehouse_id FROM object WHERE id = ?1)",
    )?;
    let ids = statement.query_map([object], |row| {
        Ok((row.get::<_, i64>(0)?.unsigned_abs(), row.get::<_, i64>(1)?))
    })?;
    let ids: HashMap<u64, i64> = ids.collect::<rusqlite::Result<_>>()?;
    for number in Packed(&old.packed).numbers() {
        if let Some(id) = ids.get(&number.attribute) {
            delete_number(connection, *id, object, &number)?;
        }
    }
    for sql in [
        "DELETE FROM object_text WHERE rowid = ?1",
        "DELETE FROM object_values WHERE object_id = ?1",
        "DELETE FROM object_indexed WHERE object_id = ?1",
    ] {
        connection.prepare_cached(sql)?.execute([object])?;
    }
    Ok(())
}

fn delete_number(
    connection: &Connection,
    attribute: i64,
    object: i64,
    number: &PackedNumber,
) -> rusqlite::Result<()> {
    connection
        .prepare_cached(
            "DELETE FROM object_number WHERE attribute_id = ?1 AND low = ?2 AND object_id = ?3 AND high = ?4
                AND currency = ?5",
        )?
        .execute(params![
            attribute,
            number.low,
            object,
            number.high,
            code(number.currency)
        ])
        .map(drop)
}

fn code(currency: Option<Currency>) -> String {
    currency.map_or_else(String::new, |currency| currency.code().to_owned())
}

/// Returns the URLs of the records of an object, also of those that are gone.
fn urls(connection: &Connection, object: i64) -> rusqlite::Result<Vec<String>> {
    let mut statement = connection.prepare_cached(
        "SELECT DISTINCT coalesce(page.url, url.url) FROM member
         JOIN record ON record.id = member.record_id JOIN page ON page.id = record.page_id
         LEFT JOIN url ON url.id = page.url_id WHERE member.object_id = ?1",
    )?;
    let rows = statement.query_map([object], |row| row.get(0))?;
    rows.collect()
}

/// Makes the entries of all objects if they are of another version.
pub(crate) fn refresh_version(connection: &Connection) -> rusqlite::Result<()> {
    let key = "index_version";
    let found: Option<String> = connection
        .query_row("SELECT value FROM meta WHERE key = ?1", [key], |row| row.get(0))
        .optional()?;
    if found.as_deref() == Some(INDEX_VERSION) {
        return Ok(());
    }
    let mut statement = connection.prepare("SELECT id FROM warehouse ORDER BY id")?;
    let warehouses = statement.query_map([], |row| row.get(0))?;
    let warehouses: Vec<i64> = warehouses.collect::<rusqlite::Result<_>>()?;
    for warehouse in warehouses {
        Indexer::new(connection, warehouse)?.refresh_all()?;
    }
    connection.execute(
        "INSERT INTO meta VALUES (?1, ?2) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
        [key, INDEX_VERSION],
    )?;
    Ok(())
}
