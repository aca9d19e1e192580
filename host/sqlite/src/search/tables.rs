//! The tables of the index, as a query reads them.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};

use magpie_find::{Candidate, EachCandidate, EachEntry, Index, Key, Packed, Part, Place, Placed, Words};
use magpie_model::Record;
use magpie_query::{Interval, Phrase};
use magpie_rows::ObjectRow;
use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension, Row, params_from_iter};

use crate::column::{json_array, millis, optional_millis};
use crate::search::index::INDEX_VERSION;
use crate::warehouse::read::{OBJECT, object_row};

/// Costs of one test of an object, relative to reading the next entry of a term. Measured with a
/// million objects: an entry takes 0.1 µs, a look-up of a term 2 µs, and a search for words,
/// which starts again for each object, 25 µs.
const COST_OF_TERM: f64 = 20.0;
const COST_OF_WORDS: f64 = 250.0;

/// Entries of a term that are counted to find the term that drives, and how dense they lie.
const MAX_ESTIMATE: i64 = 20_000;

const WORDS: &str = "object_text WHERE object_text MATCH ?1";
const PARTS: &str = "object_part WHERE object_part MATCH ?1";

const CANDIDATE: &str = "object.id, object.current, object.first_seen, object.last_seen, object.changed_at,
    object.expires_at, object.members, object_values.packed";

/// The index of a vertical.
pub(super) struct Tables<'c> {
    connection: &'c Connection,
    warehouse: i64,
    /// The estimates for words.
    estimates: RefCell<HashMap<String, Estimate>>,
}

/// Entries of a term or of words.
#[derive(Clone, Copy, Debug)]
struct Estimate {
    entries: f64,
    /// Entries between two neighbouring IDs.
    density: f64,
}

/// The table with the entries of a key, and the value that selects them.
struct Entries {
    /// The table and its condition.
    from: &'static str,
    id: &'static str,
    key: Value,
    cost: f64,
}

impl Entries {
    fn of(key: Key<'_>) -> Entries {
        match key {
            Key::Words(words) => Entries::of_search(WORDS, search_for(words)),
            Key::Term(term) => Entries {
                from: "object_term WHERE term = ?1",
                id: "object_id",
                key: Value::from(term),
                cost: COST_OF_TERM,
            },
        }
    }

    /// Returns the entries of a search in the syntax of FTS5.
    fn of_search(from: &'static str, search: String) -> Entries {
        Entries {
            from,
            id: "rowid",
            key: Value::from(search),
            cost: COST_OF_WORDS,
        }
    }
}

impl<'c> Tables<'c> {
    pub(super) fn new(connection: &'c Connection, warehouse: i64) -> Tables<'c> {
        Tables {
            connection,
            warehouse,
            estimates: RefCell::default(),
        }
    }

    /// Passes the entries before an object, the newest first.
    fn walk(
        &self,
        Entries { from, id, key, .. }: &Entries,
        before: i64,
        each: &mut EachEntry<'_, i64, rusqlite::Error>,
    ) -> rusqlite::Result<()> {
        let mut statement = self.connection.prepare_cached(&format!(
            "SELECT {id} FROM {from} AND {id} < ?2 ORDER BY {id} DESC"
        ))?;
        let mut rows = statement.query((key, before))?;
        while let Some(row) = rows.next()? {
            if each(row.get(0)?)?.is_break() {
                break;
            }
        }
        Ok(())
    }

    fn estimated(&self, entries: &Entries) -> rusqlite::Result<Estimate> {
        let Value::Text(words) = &entries.key else {
            return self.counted(entries);
        };
        let known = self.estimates.borrow().get(words).copied();
        if let Some(known) = known {
            return Ok(known);
        }
        let estimate = self.counted(entries)?;
        self.estimates.borrow_mut().insert(words.clone(), estimate);
        Ok(estimate)
    }

    /// Counts the newest entries, and takes the older ones to lie as dense if there are more.
    fn counted(&self, Entries { from, id, key, .. }: &Entries) -> rusqlite::Result<Estimate> {
        let mut statement = self.connection.prepare_cached(&format!(
            "SELECT count(*), min({id}), max({id}) FROM (SELECT {id} FROM {from} ORDER BY {id} DESC LIMIT ?2)"
        ))?;
        let (count, first, last): (i64, Option<i64>, Option<i64>) = statement
            .query_row((key, MAX_ESTIMATE), |row| {
                Ok((row.get(0)?, row.get(1)?, row.get(2)?))
            })?;
        let (Some(first), Some(last)) = (first, last) else {
            return Ok(Estimate {
                entries: 0.0,
                density: 0.0,
            });
        };
        let density = count as f64 / last.abs_diff(first).saturating_add(1) as f64;
        let entries = match count < MAX_ESTIMATE {
            true => count as f64,
            // IDs begin with 1.
            false => density * last as f64,
        };
        Ok(Estimate { entries, density })
    }

    /// Returns the objects that are among the entries between the first and the last.
    fn between(&self, entries: &Entries, objects: &[i64]) -> rusqlite::Result<Vec<i64>> {
        let (Some(first), Some(last)) = (objects.first(), objects.last()) else {
            return Ok(Vec::new());
        };
        let Entries { from, id, key, .. } = entries;
        let mut statement = self.connection.prepare_cached(&format!(
            "SELECT {id} FROM {from} AND {id} BETWEEN ?2 AND ?3 ORDER BY {id}"
        ))?;
        let mut rows = statement.query((key, first, last))?;
        let mut rest = objects;
        let mut found = Vec::new();
        while let Some(row) = rows.next()? {
            let entry: i64 = row.get(0)?;
            while let [object, others @ ..] = rest
                && *object < entry
            {
                rest = others;
            }
            if rest.first() == Some(&entry) {
                found.push(entry);
            }
        }
        Ok(found)
    }

    /// Returns the objects that have an entry, looked up one by one.
    fn looked_up(
        &self,
        Entries { from, id, key, .. }: &Entries,
        objects: &[i64],
    ) -> rusqlite::Result<Vec<i64>> {
        let sql = format!("SELECT 1 FROM {from} AND {id} = ?2");
        let mut statement = self.connection.prepare_cached(&sql)?;
        let mut found = Vec::new();
        for object in objects {
            if statement.exists((key, object))? {
                found.push(*object);
            }
        }
        Ok(found)
    }
}

impl Index for Tables<'_> {
    type Error = rusqlite::Error;

    fn estimate(&self, key: Key<'_>) -> rusqlite::Result<f64> {
        Ok(self.estimated(&Entries::of(key))?.entries)
    }

    fn entries_before(
        &self,
        key: Key<'_>,
        before: i64,
        each: &mut EachEntry<'_, i64, rusqlite::Error>,
    ) -> rusqlite::Result<()> {
        self.walk(&Entries::of(key), before, each)
    }

    fn has_names(&self) -> rusqlite::Result<bool> {
        // A folder of an earlier version has none until it was opened for writing.
        self.connection
            .prepare_cached("SELECT 1 FROM meta WHERE key = 'index_version' AND value = ?1")?
            .exists([INDEX_VERSION])
    }

    fn with_part_before(
        &self,
        Part { column, text }: &Part,
        before: i64,
        each: &mut EachEntry<'_, i64, rusqlite::Error>,
    ) -> rusqlite::Result<()> {
        let characters: Vec<char> = text.chars().collect();
        let parts = characters.windows(3).map(|part| {
            let part: String = part.iter().collect();
            format!("\"{}\"", part.replace('"', "\"\""))
        });
        let parts: BTreeSet<String> = parts.collect();
        let search = format!("n{column} : ({})", Vec::from_iter(parts).join(" AND "));
        self.walk(&Entries::of_search(PARTS, search), before, each)
    }

    fn with_entry(&self, key: Key<'_>, objects: &[i64]) -> rusqlite::Result<Vec<i64>> {
        let entries = Entries::of(key);
        let estimate = self.estimated(&entries)?;
        match is_scan_cheaper(estimate, objects, entries.cost) {
            true => self.between(&entries, objects),
            false => self.looked_up(&entries, objects),
        }
    }

    fn within(&self, attribute: i64, interval: &Interval, limit: usize) -> rusqlite::Result<Vec<i64>> {
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let mut values = vec![Value::from(attribute), Value::from(limit)];
        let mut place = |at: f64| {
            values.push(Value::from(at));
            values.len()
        };
        let mut points = String::new();
        let mut ranges = String::new();
        if let Some(low) = interval.low {
            let place = place(low.at);
            let (sign, opposite) = if low.is_included { (">=", "<") } else { (">", "<=") };
            points.push_str(&format!(" AND low {sign} ?{place}"));
            ranges.push_str(&format!(" AND high {sign} ?{place} AND low {opposite} ?{place}"));
        }
        if let Some(high) = interval.high {
            let place = place(high.at);
            let sign = if high.is_included { "<=" } else { "<" };
            points.push_str(&format!(" AND low {sign} ?{place}"));
            ranges.push_str(&format!(" AND low {sign} ?{place}"));
        }
        let mut sql = format!("SELECT object_id FROM object_number WHERE attribute_id = ?1{points}");
        if interval.low.is_some() {
            sql.push_str(&format!(
                " UNION ALL SELECT object_id FROM object_number WHERE attribute_id = ?1 AND high > low{ranges}"
            ));
        }
        sql.push_str(" LIMIT ?2");
        let mut statement = self.connection.prepare_cached(&sql)?;
        let rows = statement.query_map(params_from_iter(values), |row| row.get(0))?;
        rows.collect()
    }

    fn numbers_after(
        &self,
        attribute: i64,
        (low, object): (f64, i64),
        is_descending: bool,
        each: &mut EachEntry<'_, (f64, i64), rusqlite::Error>,
    ) -> rusqlite::Result<()> {
        let (bound, sign, direction) = match is_descending {
            true => ("<=", "<", "DESC"),
            false => (">=", ">", "ASC"),
        };
        let mut statement = self.connection.prepare_cached(&format!(
            "SELECT low, object_id FROM object_number WHERE attribute_id = ?1 AND low {bound} ?2
                AND (low, object_id) {sign} (?2, ?3)
             ORDER BY low {direction}, object_id {direction}"
        ))?;
        let mut rows = statement.query((attribute, low, object))?;
        while let Some(row) = rows.next()? {
            if each((row.get(0)?, row.get(1)?))?.is_break() {
                break;
            }
        }
        Ok(())
    }

    fn objects_before(
        &self,
        before: i64,
        each: &mut EachEntry<'_, i64, rusqlite::Error>,
    ) -> rusqlite::Result<()> {
        let mut statement = self.connection.prepare_cached(
            "SELECT id FROM object INDEXED BY object_vertical
             WHERE warehouse_id = ?1 AND id < ?2 AND merged_into IS NULL ORDER BY id DESC",
        )?;
        let mut rows = statement.query((self.warehouse, before))?;
        while let Some(row) = rows.next()? {
            if each(row.get(0)?)?.is_break() {
                break;
            }
        }
        Ok(())
    }

    fn candidates_before(
        &self,
        before: i64,
        each: &mut EachCandidate<'_, rusqlite::Error>,
    ) -> rusqlite::Result<()> {
        let mut statement = self.connection.prepare_cached(&format!(
            "SELECT {CANDIDATE} FROM object INDEXED BY object_vertical
             CROSS JOIN object_values ON object_values.object_id = object.id
             WHERE object.warehouse_id = ?1 AND object.id < ?2 AND object.merged_into IS NULL
             ORDER BY object.id DESC"
        ))?;
        let mut rows = statement.query((self.warehouse, before))?;
        while let Some(row) = rows.next()? {
            if each(&candidate(row)?)?.is_break() {
                break;
            }
        }
        Ok(())
    }

    fn candidates(
        &self,
        objects: &[i64],
        each: &mut EachCandidate<'_, rusqlite::Error>,
    ) -> rusqlite::Result<()> {
        let mut statement = self.connection.prepare_cached(&format!(
            "SELECT {CANDIDATE} FROM json_each(?1) AS asked
             CROSS JOIN object INDEXED BY object_vertical
                ON object.warehouse_id = ?2 AND object.id = asked.value AND object.merged_into IS NULL
             CROSS JOIN object_values ON object_values.object_id = object.id"
        ))?;
        let mut rows = statement.query((json_array(objects), self.warehouse))?;
        while let Some(row) = rows.next()? {
            if each(&candidate(row)?)?.is_break() {
                break;
            }
        }
        Ok(())
    }

    fn labels(&self, objects: &[i64]) -> rusqlite::Result<Vec<String>> {
        let sql = "SELECT label FROM object WHERE id = ?1";
        let mut statement = self.connection.prepare_cached(sql)?;
        let label = |object: &i64| statement.query_row([object], |row| row.get(0));
        objects.iter().map(label).collect()
    }

    fn records(&self, objects: &[i64], attributes: &[&str]) -> rusqlite::Result<Vec<Record>> {
        let sql = "SELECT record FROM object WHERE id = ?1";
        let mut statement = self.connection.prepare_cached(sql)?;
        let read = |object: &i64| {
            let found = statement.query_row([object], |row| {
                let text = row.get_ref(0)?.as_str()?;
                Ok(Record::values_from_text(text, attributes))
            });
            Ok(found.optional()?.flatten().unwrap_or_default())
        };
        objects.iter().map(read).collect()
    }

    fn rows(&self, objects: &[i64]) -> rusqlite::Result<Vec<ObjectRow>> {
        let sql = format!("{OBJECT} WHERE object.id = ?1");
        let mut statement = self.connection.prepare_cached(&sql)?;
        let row = |object: &i64| statement.query_row([object], object_row);
        objects.iter().map(row).collect()
    }

    fn facet_values(&self, values: &[u64]) -> rusqlite::Result<Vec<String>> {
        let sql = "SELECT value FROM facet_value WHERE id = ?1";
        let mut statement = self.connection.prepare_cached(sql)?;
        let text = |value: &u64| statement.query_row([value.cast_signed()], |row| row.get(0));
        values.iter().map(text).collect()
    }

    fn has_word(&self, word: &str) -> rusqlite::Result<bool> {
        let phrase = Phrase {
            words: vec![word.to_owned()],
            is_prefix: false,
        };
        self.connection
            .prepare_cached("SELECT 1 FROM object_text WHERE object_text MATCH ?1 LIMIT 1")?
            .exists([match_of(&phrase)])
    }

    fn words_with(&self, part: &str, limit: usize) -> rusqlite::Result<Vec<i64>> {
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let mut statement = self
            .connection
            .prepare_cached("SELECT rowid FROM word_part WHERE word_part MATCH ?1 ORDER BY rowid LIMIT ?2")?;
        let rows = statement.query_map((format!("\"{part}\""), limit), |row| row.get(0))?;
        rows.collect()
    }

    fn words(&self, ids: &[i64]) -> rusqlite::Result<Vec<String>> {
        let sql = "SELECT word FROM word WHERE id = ?1";
        let mut statement = self.connection.prepare_cached(sql)?;
        let word = |id: &i64| {
            let found = statement.query_row([id], |row| row.get(0)).optional();
            found.transpose()
        };
        ids.iter().filter_map(word).collect()
    }
}

fn candidate<'a>(row: &'a Row<'_>) -> rusqlite::Result<Candidate<'a>> {
    Ok(Candidate {
        id: row.get(0)?,
        current: row.get::<_, i64>(1)?.unsigned_abs(),
        first_seen: millis(row, 2)?,
        last_seen: millis(row, 3)?,
        changed_at: millis(row, 4)?,
        expires_at: optional_millis(row, 5)?,
        members: row.get::<_, i64>(6)?.unsigned_abs(),
        packed: Packed(row.get_ref(7)?.as_blob()?),
    })
}

/// Returns `true` if the entries between the first and the last of some objects cost less than a
/// look-up for each.
fn is_scan_cheaper(estimate: Estimate, objects: &[i64], cost: f64) -> bool {
    let (Some(first), Some(last)) = (objects.first(), objects.last()) else {
        return false;
    };
    let entries = (estimate.density * last.abs_diff(*first) as f64).min(estimate.entries);
    entries < cost * objects.len() as f64
}

/// Returns a search for words in the syntax of FTS5.
fn search_for(words: &Words) -> String {
    let all = |list: &[Placed]| -> Vec<String> {
        let placed = list.iter().map(|Placed { place, phrase }| match place {
            Place::Anywhere => match_of(phrase),
            Place::Label => format!("label : {}", match_of(phrase)),
            Place::Column(column) => format!("a{column} : {}", match_of(phrase)),
        });
        placed.collect()
    };
    let wanted = format!("({})", all(&words.wanted).join(" AND "));
    match words.unwanted.is_empty() {
        true => wanted,
        false => format!("{wanted} NOT ({})", all(&words.unwanted).join(" OR ")),
    }
}

/// Returns a phrase in the syntax of FTS5. Its words are letters and digits.
fn match_of(phrase: &Phrase) -> String {
    let star = if phrase.is_prefix { " *" } else { "" };
    format!("\"{}\"{star}", phrase.words.join(" "))
}
