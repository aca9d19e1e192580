//! The index of objects, written in the transaction that writes an object.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};

use magpie_find::{Entries, EntryDiff, Indexed, IndexedAttribute, NAME_COLUMNS, TEXT_COLUMNS, facet_term};
use magpie_values::money::Currency;
use rusqlite::{Connection, OptionalExtension, params, params_from_iter};
use xxhash_rust::xxh3::xxh3_64;

use crate::column::record;

/// Words of an indexer that are known to be in `word`.
const MAX_KNOWN_WORDS: usize = 100_000;

/// Objects that are indexed at a time when all are.
const CHUNK: usize = 10_000;

/// The version of the entries. A workspace with those of another version is indexed again when it
/// is opened for writing.
pub(crate) const INDEX_VERSION: &str = "2";

/// Writes the entries of the objects of a vertical.
pub(crate) struct Indexer<'c> {
    connection: &'c Connection,
    warehouse: i64,
    attributes: Vec<IndexedAttribute>,
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
    let attributes = IndexedAttribute::of_schema(&schema, |name| ids.get(name).copied());
    Ok(Some((warehouse, attributes)))
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
        let mut ids = attribute_ids(connection, warehouse)?;
        let mut failure = None;
        let attributes = IndexedAttribute::of_schema(&schema, |name| {
            if let Some(known) = ids.get(name) {
                return Some(*known);
            }
            let number = ids.len() as u64;
            match insert_attribute(connection, warehouse, name, number) {
                Ok(id) => {
                    ids.insert(name.to_owned(), (id, number));
                    Some((id, number))
                }
                Err(error) => {
                    failure.get_or_insert(error);
                    None
                }
            }
        });
        if let Some(error) = failure {
            return Err(error);
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
        let (old, old_names) = indexed(connection, object)?.unzip();
        let old_names: Option<i64> = old_names.flatten();
        let names = xxh3_64(entries.names.join("\0").as_bytes()).cast_signed();
        let facets = entries.facets.iter();
        let facets = facets.map(|(id, number, value)| Ok((*number, self.facet_value(*id, value)?)));
        let new = Indexed::new(&entries, facets.collect::<rusqlite::Result<Vec<_>>>()?);
        if old.as_ref() == Some(&new) && old_names == Some(names) {
            return Ok(());
        }
        replace(
            connection,
            self.warehouse,
            object,
            &Indexed::diff(old.as_ref(), Some(&new)),
        )?;
        // The words of an object are deleted and written as a whole, so they are left alone if the
        // text is the same.
        if old.as_ref().is_none_or(|old| old.text != new.text) {
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
        if old_names != Some(names) {
            if old_names.is_some() {
                connection
                    .prepare_cached("DELETE FROM object_part WHERE rowid = ?1")?
                    .execute([object])?;
            }
            let columns = (0..NAME_COLUMNS).map(|number| format!("n{number}"));
            let places = (0..NAME_COLUMNS).map(|number| format!("?{}", number + 2));
            let mut statement = connection.prepare_cached(&format!(
                "INSERT INTO object_part (rowid, {}) VALUES (?1, {})",
                Vec::from_iter(columns).join(", "),
                Vec::from_iter(places).join(", ")
            ))?;
            let values = std::iter::once(object.to_string()).chain(entries.names);
            statement.execute(params_from_iter(values))?;
        }
        connection
            .prepare_cached(
                "INSERT INTO object_values VALUES (?1, ?2) ON CONFLICT DO UPDATE SET packed = excluded.packed",
            )?
            .execute((object, new.packed))?;
        connection
            .prepare_cached(
                "INSERT INTO object_indexed VALUES (?1, ?2, ?3, ?4)
                 ON CONFLICT DO UPDATE SET text = excluded.text, terms = excluded.terms, names = excluded.names",
            )?
            .execute((object, new.text, new.terms, names))
            .map(drop)
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

fn insert_attribute(
    connection: &Connection,
    warehouse: i64,
    name: &str,
    number: u64,
) -> rusqlite::Result<i64> {
    connection
        .prepare_cached("INSERT INTO attribute (warehouse_id, name, number) VALUES (?1, ?2, ?3)")?
        .execute((warehouse, name, number.cast_signed()))?;
    Ok(connection.last_insert_rowid())
}

/// Reads the entries that an object has, and the hash of its names.
fn indexed(connection: &Connection, object: i64) -> rusqlite::Result<Option<(Indexed, Option<i64>)>> {
    let mut statement = connection.prepare_cached(
        "SELECT text, terms, packed, names FROM object_indexed JOIN object_values USING (object_id)
         WHERE object_id = ?1",
    )?;
    let indexed = statement.query_row([object], |row| {
        let indexed = Indexed {
            text: row.get(0)?,
            terms: row.get(1)?,
            packed: row.get(2)?,
        };
        Ok((indexed, row.get(3)?))
    });
    indexed.optional()
}

/// Deletes and inserts terms and numbers of an object.
fn replace(connection: &Connection, warehouse: i64, object: i64, diff: &EntryDiff) -> rusqlite::Result<()> {
    for (sql, terms) in [
        (
            "DELETE FROM object_term WHERE term = ?1 AND object_id = ?2",
            &diff.old_terms,
        ),
        (
            "INSERT INTO object_term VALUES (?1, ?2) ON CONFLICT DO NOTHING",
            &diff.new_terms,
        ),
    ] {
        let mut statement = connection.prepare_cached(sql)?;
        for term in terms {
            statement.execute((term, object))?;
        }
    }
    if diff.old_numbers.is_empty() && diff.new_numbers.is_empty() {
        return Ok(());
    }
    let ids = attribute_ids(connection, warehouse)?.into_values();
    let ids: HashMap<u64, i64> = ids.map(|(id, number)| (number, id)).collect();
    for (sql, numbers) in [
        (
            "DELETE FROM object_number WHERE attribute_id = ?1 AND low = ?2 AND object_id = ?3 AND high = ?4
                AND currency = ?5",
            &diff.old_numbers,
        ),
        (
            "INSERT INTO object_number VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT DO NOTHING",
            &diff.new_numbers,
        ),
    ] {
        let mut statement = connection.prepare_cached(sql)?;
        for number in numbers {
            if let Some(id) = ids.get(&number.attribute) {
                statement.execute(params![
                    id,
                    number.low,
                    object,
                    number.high,
                    code(number.currency)
                ])?;
            }
        }
    }
    Ok(())
}

pub(crate) fn remove(connection: &Connection, object: i64) -> rusqlite::Result<()> {
    let Some((old, _)) = indexed(connection, object)? else {
        return Ok(());
    };
    let warehouse = connection
        .prepare_cached("SELECT warehouse_id FROM object WHERE id = ?1")?
        .query_row([object], |row| row.get(0))?;
    replace(connection, warehouse, object, &Indexed::diff(Some(&old), None))?;
    for sql in [
        "DELETE FROM object_text WHERE rowid = ?1",
        "DELETE FROM object_part WHERE rowid = ?1",
        "DELETE FROM object_values WHERE object_id = ?1",
        "DELETE FROM object_indexed WHERE object_id = ?1",
    ] {
        connection.prepare_cached(sql)?.execute([object])?;
    }
    Ok(())
}

/// Words and values of objects that are being removed, which no other may have.
#[derive(Default)]
pub(crate) struct Vanishing {
    words: HashSet<String>,
    /// By the ID of the attribute and the value.
    values: HashMap<(i64, String), Option<i64>>,
}

impl Vanishing {
    /// Notes those of an object that is still there.
    pub(crate) fn read(&mut self, connection: &Connection, object: i64) -> rusqlite::Result<()> {
        let (vertical, label, record) = connection
            .prepare_cached(
                "SELECT vertical, label, record FROM object JOIN warehouse ON warehouse.id = warehouse_id
                 WHERE object.id = ?1",
            )?
            .query_row([object], |row| {
                Ok((
                    row.get::<_, String>(0)?,
                    row.get::<_, String>(1)?,
                    record(row, 2)?.unwrap_or_default(),
                ))
            })?;
        let Some((warehouse, attributes)) = attributes_of(connection, &vertical)? else {
            return Ok(());
        };
        let entries = Entries::new(warehouse, &attributes, &label, &record, &[]);
        self.words.extend(entries.words);
        for (id, _, value) in entries.facets {
            let own = attributes.iter().find(|own| own.id == id);
            let term = own.and_then(|own| facet_term(warehouse, &own.attribute, &value));
            self.values.insert((id, value), term);
        }
        Ok(())
    }

    /// Removes those that no object has any more.
    pub(crate) fn remove(self, connection: &Connection) -> rusqlite::Result<()> {
        for word in self.words {
            let is_used = connection
                .prepare_cached("SELECT 1 FROM object_text WHERE object_text MATCH ?1 LIMIT 1")?
                .exists([format!("\"{word}\"")])?;
            let id: Option<i64> = connection
                .prepare_cached("SELECT id FROM word WHERE word = ?1")?
                .query_row([&word], |row| row.get(0))
                .optional()?;
            let Some(id) = id.filter(|_| !is_used) else {
                continue;
            };
            // The table of parts keeps no words, so it must be given the one to be removed.
            connection
                .prepare_cached("INSERT INTO word_part (word_part, rowid, word) VALUES ('delete', ?1, ?2)")?
                .execute((id, &word))?;
            connection
                .prepare_cached("DELETE FROM word WHERE id = ?1")?
                .execute([id])?;
        }
        for ((attribute, value), term) in self.values {
            let Some(term) = term else { continue };
            let is_used = connection
                .prepare_cached("SELECT 1 FROM object_term WHERE term = ?1 LIMIT 1")?
                .exists([term])?;
            if !is_used {
                connection
                    .prepare_cached("DELETE FROM facet_value WHERE attribute_id = ?1 AND value = ?2")?
                    .execute((attribute, value))?;
            }
        }
        Ok(())
    }
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
