//! The objects that meet the conditions of a query, in the order of its driver.

use std::ops::ControlFlow;

use magpie_model::Record;
use magpie_query::Subject;
use magpie_values::Timestamp;
use rusqlite::types::Value;
use rusqlite::{OptionalExtension, Row};

use crate::column::{millis, optional_millis, record};
use crate::search::packed::{Packed, PackedNumber};
use crate::search::plan::{Check, Condition, Driver, Estimate, Running};

/// Costs of one test of an object, relative to reading the next entry of a term. Measured with a
/// million objects: an entry takes 0.1 µs, a look-up of a term 2 µs, and a search for words,
/// which starts again for each object, 25 µs.
const COST_OF_TERM: f64 = 20.0;
const COST_OF_WORDS: f64 = 250.0;

/// Objects that are read at a time: few at first, since a page may need no more.
pub(super) const FIRST_BATCH: usize = 128;
pub(super) const MAX_BATCH: usize = 4_096;

pub(super) const CANDIDATE: &str =
    "object.id, object.current, object.first_seen, object.last_seen, object.changed_at,
    object.expires_at, object.members, object_values.packed";

/// An object that may be a hit.
pub(super) struct Candidate<'a> {
    pub(super) id: i64,
    pub(super) current: u64,
    pub(super) first_seen: Timestamp,
    pub(super) last_seen: Timestamp,
    pub(super) changed_at: Timestamp,
    pub(super) expires_at: Option<Timestamp>,
    pub(super) members: u64,
    pub(super) packed: Packed<'a>,
}

impl<'a> Candidate<'a> {
    pub(super) fn read(row: &'a Row<'_>) -> rusqlite::Result<Candidate<'a>> {
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

    /// Returns the first number of an attribute.
    pub(super) fn number(&self, attribute: u64) -> Option<PackedNumber> {
        let mut numbers = self.packed.numbers();
        numbers.find(|number| number.attribute == attribute)
    }
}

impl Running<'_, '_> {
    /// Passes the hits, the newest first, but for those before an object.
    pub(super) fn each(
        &self,
        driver: &Driver,
        before: Option<i64>,
        each: &mut dyn FnMut(&Candidate<'_>) -> ControlFlow<()>,
    ) -> rusqlite::Result<()> {
        let before = before.unwrap_or(i64::MAX);
        let at = |at: &usize| self.checks.get(*at).map(|condition| &condition.check);
        let (sql, key, done) = match driver {
            Driver::Words => (
                "SELECT rowid FROM object_text WHERE object_text MATCH ?1 AND rowid < ?2 ORDER BY rowid DESC",
                Value::from(self.words.clone().unwrap_or_default()),
                self.checks.iter().position(|condition| {
                    matches!(condition.check, Check::Words(_)) && !condition.is_negated
                }),
            ),
            Driver::Term(place) => match at(place) {
                Some(Check::Terms(terms)) => match terms.as_slice() {
                    [term] => (
                        "SELECT object_id FROM object_term WHERE term = ?1 AND object_id < ?2
                         ORDER BY object_id DESC",
                        Value::from(*term),
                        Some(*place),
                    ),
                    several => return self.each_newest(self.with_terms(several)?, before, each),
                },
                _ => return Ok(()),
            },
            Driver::Number(place) => match at(place) {
                Some(Check::Number { id, interval, .. }) => {
                    let objects = self.numbers(*id, interval, i64::MAX)?;
                    return self.each_newest(objects, before, each);
                }
                _ => return Ok(()),
            },
            Driver::All if self.checks.iter().any(|condition| condition.is_by_entries()) => (
                "SELECT id FROM object INDEXED BY object_vertical
                 WHERE warehouse_id = ?1 AND id < ?2 AND merged_into IS NULL ORDER BY id DESC",
                Value::from(self.warehouse),
                None,
            ),
            Driver::All => return self.each_of_all(before, each),
        };
        let mut statement = self.connection.prepare_cached(sql)?;
        let mut rows = statement.query((key, before))?;
        let mut size = FIRST_BATCH;
        loop {
            let mut objects = Vec::with_capacity(size);
            while objects.len() < size
                && let Some(row) = rows.next()?
            {
                objects.push(row.get(0)?);
            }
            let is_last = objects.len() < size;
            if self.each_of(objects, done, each)?.is_break() || is_last {
                return Ok(());
            }
            // The first page may need no more than a few objects, a rare combination needs many.
            size = (2 * size).min(MAX_BATCH);
        }
    }

    /// Passes all objects that meet the conditions. Read in their order, they take no batches.
    fn each_of_all(
        &self,
        before: i64,
        each: &mut dyn FnMut(&Candidate<'_>) -> ControlFlow<()>,
    ) -> rusqlite::Result<()> {
        let mut statement = self.connection.prepare_cached(&format!(
            "SELECT {CANDIDATE} FROM object INDEXED BY object_vertical
             CROSS JOIN object_values ON object_values.object_id = object.id
             WHERE object.warehouse_id = ?1 AND object.id < ?2 AND object.merged_into IS NULL
             ORDER BY object.id DESC"
        ))?;
        let mut rows = statement.query((self.warehouse, before))?;
        while let Some(row) = rows.next()? {
            let candidate = Candidate::read(row)?;
            if self.fits(&candidate)? && each(&candidate).is_break() {
                break;
            }
        }
        Ok(())
    }

    fn with_terms(&self, terms: &[i64]) -> rusqlite::Result<Vec<i64>> {
        let sql = "SELECT object_id FROM object_term WHERE term = ?1";
        let mut statement = self.connection.prepare_cached(sql)?;
        let mut objects = Vec::new();
        for term in terms {
            let rows = statement.query_map([term], |row| row.get(0))?;
            for object in rows {
                objects.push(object?);
            }
        }
        Ok(objects)
    }

    fn each_newest(
        &self,
        mut objects: Vec<i64>,
        before: i64,
        each: &mut dyn FnMut(&Candidate<'_>) -> ControlFlow<()>,
    ) -> rusqlite::Result<()> {
        objects.retain(|object| *object < before);
        objects.sort_unstable_by(|one, other| other.cmp(one));
        objects.dedup();
        for part in objects.chunks(MAX_BATCH) {
            if self.each_of(part.to_vec(), None, each)?.is_break() {
                break;
            }
        }
        Ok(())
    }

    /// Passes the objects that meet the conditions, in the order given. One condition may be met
    /// by all.
    pub(super) fn each_of(
        &self,
        mut objects: Vec<i64>,
        done: Option<usize>,
        each: &mut dyn FnMut(&Candidate<'_>) -> ControlFlow<()>,
    ) -> rusqlite::Result<ControlFlow<()>> {
        for (at, condition) in self.checks.iter().enumerate() {
            if Some(at) != done && condition.is_by_entries() {
                // Entries are tested by number, before the objects are read: a row costs more than
                // an entry.
                self.thin_out(&mut objects, condition)?;
            }
        }
        if objects.is_empty() {
            return Ok(ControlFlow::Continue(()));
        }
        let sql = format!(
            "SELECT {CANDIDATE} FROM json_each(?1) AS asked
             CROSS JOIN object INDEXED BY object_vertical
                ON object.warehouse_id = ?2 AND object.id = asked.value AND object.merged_into IS NULL
             CROSS JOIN object_values ON object_values.object_id = object.id"
        );
        let asked: Vec<String> = objects.iter().map(i64::to_string).collect();
        let mut statement = self.connection.prepare_cached(&sql)?;
        let mut rows = statement.query((format!("[{}]", asked.join(",")), self.warehouse))?;
        while let Some(row) = rows.next()? {
            let candidate = Candidate::read(row)?;
            if self.fits(&candidate)? && each(&candidate).is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Removes the objects that do not meet a condition with entries.
    fn thin_out(&self, objects: &mut Vec<i64>, condition: &Condition) -> rusqlite::Result<()> {
        let mut sorted = objects.clone();
        sorted.sort_unstable();
        let found = match &condition.check {
            Check::Words(words) => self.with_words(words, &sorted)?,
            Check::Terms(terms) => self.with_one_term(terms, &sorted)?,
            _ => return Ok(()),
        };
        objects.retain(|object| found.binary_search(object).is_ok() != condition.is_negated);
        Ok(())
    }

    /// Returns the objects that have words, by number, of objects by number.
    pub(super) fn with_words(&self, words: &str, objects: &[i64]) -> rusqlite::Result<Vec<i64>> {
        let estimate = self.estimate_words(words)?;
        let key = || Value::from(words.to_owned());
        match is_scan_cheaper(estimate, objects, COST_OF_WORDS) {
            true => self.between(
                "SELECT rowid FROM object_text WHERE object_text MATCH ?1 AND rowid BETWEEN ?2 AND ?3
                 ORDER BY rowid",
                key(),
                objects,
            ),
            false => self.looked_up(
                "SELECT 1 FROM object_text WHERE object_text MATCH ?1 AND rowid = ?2",
                &key(),
                objects,
            ),
        }
    }

    /// Returns the objects that have one of some terms, by number, of objects by number.
    fn with_one_term(&self, terms: &[i64], objects: &[i64]) -> rusqlite::Result<Vec<i64>> {
        let mut found = Vec::new();
        for term in terms {
            let estimate = self.estimate_term(*term)?;
            found.extend(match is_scan_cheaper(estimate, objects, COST_OF_TERM) {
                true => self.between(
                    "SELECT object_id FROM object_term WHERE term = ?1 AND object_id BETWEEN ?2 AND ?3
                     ORDER BY object_id",
                    Value::from(*term),
                    objects,
                )?,
                false => self.looked_up(
                    "SELECT 1 FROM object_term WHERE term = ?1 AND object_id = ?2",
                    &Value::from(*term),
                    objects,
                )?,
            });
        }
        found.sort_unstable();
        Ok(found)
    }

    /// Returns the objects that are among the entries between the first and the last.
    fn between(&self, sql: &str, key: Value, objects: &[i64]) -> rusqlite::Result<Vec<i64>> {
        let (Some(first), Some(last)) = (objects.first(), objects.last()) else {
            return Ok(Vec::new());
        };
        let mut statement = self.connection.prepare_cached(sql)?;
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
    fn looked_up(&self, sql: &str, key: &Value, objects: &[i64]) -> rusqlite::Result<Vec<i64>> {
        let mut statement = self.connection.prepare_cached(sql)?;
        let mut found = Vec::new();
        for object in objects {
            if statement.exists((key, object))? {
                found.push(*object);
            }
        }
        Ok(found)
    }

    /// Returns `true` if an object meets all conditions but for those with entries.
    pub(super) fn fits(&self, candidate: &Candidate<'_>) -> rusqlite::Result<bool> {
        for condition in &self.checks {
            if !condition.is_by_entries() && !self.holds(condition, candidate)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn holds(&self, condition: &Condition, candidate: &Candidate<'_>) -> rusqlite::Result<bool> {
        let holds = match &condition.check {
            // Those with entries were met before the object was read.
            Check::Words(_) | Check::Terms(_) => return Ok(true),
            Check::Never => false,
            Check::Number {
                attribute, interval, ..
            } => candidate.packed.numbers().any(|number| {
                number.attribute == *attribute
                    && interval.allows(number.currency)
                    && interval.meets(number.low, number.high)
            }),
            Check::Has(attribute) => candidate.packed.has(*attribute),
            Check::Row(test) => test.holds(&subject(candidate, &Record::default()), self.query.now()),
            Check::Record(test) => {
                let record = self.record(candidate.id)?;
                test.holds(&subject(candidate, &record), self.query.now())
            }
        };
        Ok(holds != condition.is_negated)
    }

    pub(super) fn record(&self, object: i64) -> rusqlite::Result<Record> {
        let sql = "SELECT record FROM object WHERE id = ?1";
        let mut statement = self.connection.prepare_cached(sql)?;
        let found = statement.query_row([object], |row| record(row, 0)).optional()?;
        Ok(found.flatten().unwrap_or_default())
    }
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

/// Returns a candidate as far as tests of its row or its record need it.
fn subject<'a>(candidate: &Candidate<'_>, record: &'a Record) -> Subject<'a> {
    Subject {
        label: "",
        record,
        attributes: &[],
        urls: &[],
        current: candidate.current,
        first_seen: candidate.first_seen,
        last_seen: candidate.last_seen,
        changed_at: candidate.changed_at,
        expires_at: candidate.expires_at,
    }
}
