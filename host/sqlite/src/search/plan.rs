//! The plan of a query: its conditions as tests by the index, and the one that drives.

use std::cell::RefCell;
use std::collections::HashMap;

use magpie_query::{Interval, Phrase, Query, Test};
use rusqlite::types::Value;
use rusqlite::{Connection, params_from_iter};

use crate::search::index::{IndexedAttribute, attributes_of, term, text_column};

/// Entries of a term that are counted to find the term that drives, and how dense they lie.
const MAX_ESTIMATE: i64 = 20_000;

/// Objects with a number in an interval that are collected and sorted to drive.
const MAX_NUMBERS: i64 = 100_000;

/// A test of an object by the index.
pub(super) enum Check {
    Words(String),
    /// One of these terms.
    Terms(Vec<i64>),
    Number {
        attribute: u64,
        id: i64,
        interval: Interval,
    },
    /// Any value of an attribute.
    Has(u64),
    /// A test of the times and the state.
    Row(Test),
    /// A test of the record, which must be read.
    Record(Test),
    /// Nothing fits: the index does not know the attribute.
    Never,
}

/// A check and its sense.
pub(super) struct Condition {
    pub(super) is_negated: bool,
    pub(super) check: Check,
}

impl Condition {
    /// Returns `true` if it is met by the objects that have entries in the index.
    pub(super) fn is_by_entries(&self) -> bool {
        matches!(self.check, Check::Words(_) | Check::Terms(_))
    }
}

/// A source of candidates. Those of a term need not be tested by it again.
pub(super) enum Driver {
    Words,
    Term(usize),
    Number(usize),
    All,
}

pub(super) struct Running<'c, 'q> {
    pub(super) connection: &'c Connection,
    pub(super) warehouse: i64,
    pub(super) attributes: Vec<IndexedAttribute>,
    pub(super) query: &'q Query,
    /// The conditions but for words; those without `words` of the query are checked one by one.
    pub(super) checks: Vec<Condition>,
    /// The search for all words, as far as words must be there.
    pub(super) words: Option<String>,
    estimates: RefCell<HashMap<String, Estimate>>,
}

/// Entries of a term or of words.
#[derive(Clone, Copy, Debug)]
pub(super) struct Estimate {
    pub(super) entries: f64,
    /// Entries between two neighbouring IDs.
    pub(super) density: f64,
}

/// Returns the SQL that estimates the entries of a table.
fn estimate_of(entries: &str, id: &str) -> String {
    format!(
        "SELECT count(*), min({id}), max({id}) FROM (SELECT {id} FROM {entries} ORDER BY {id} DESC LIMIT ?2)"
    )
}

impl<'c, 'q> Running<'c, 'q> {
    pub(super) fn new(
        connection: &'c Connection,
        vertical: &str,
        query: &'q Query,
    ) -> rusqlite::Result<Option<Running<'c, 'q>>> {
        let Some((warehouse, attributes)) = attributes_of(connection, vertical)? else {
            return Ok(None);
        };
        let mut running = Running {
            connection,
            warehouse,
            attributes,
            query,
            checks: Vec::new(),
            words: None,
            estimates: RefCell::default(),
        };
        let checks = query.terms().iter().map(|term| Condition {
            is_negated: term.is_negated,
            check: running.check(&term.test),
        });
        let mut checks: Vec<Condition> = checks.collect();
        let (mut wanted, mut unwanted) = (Vec::new(), Vec::new());
        for condition in &checks {
            if let Check::Words(words) = &condition.check {
                let list = if condition.is_negated {
                    &mut unwanted
                } else {
                    &mut wanted
                };
                list.push(words.as_str());
            }
        }
        if !wanted.is_empty() {
            let mut words = format!("({})", wanted.join(" AND "));
            if !unwanted.is_empty() {
                words.push_str(&format!(" NOT ({})", unwanted.join(" OR ")));
            }
            // One search has all words. A search of its own for each condition would start again
            // for each object, which costs most.
            checks.retain(|condition| !matches!(condition.check, Check::Words(_)));
            running.words = Some(words.clone());
            checks.push(Condition {
                is_negated: false,
                check: Check::Words(words),
            });
        }
        // The cheap ones first.
        checks.sort_by_key(|condition| match condition.check {
            Check::Never => 0,
            Check::Row(_) => 1,
            Check::Has(_) | Check::Number { .. } => 2,
            Check::Terms(_) => 3,
            Check::Words(_) => 4,
            Check::Record(_) => 5,
        });
        running.checks = checks;
        Ok(Some(running))
    }

    pub(super) fn attribute(&self, name: &str) -> Option<&IndexedAttribute> {
        self.attributes.iter().find(|own| own.attribute.name == name)
    }

    fn check(&self, test: &Test) -> Check {
        match test {
            Test::Words(phrase) => Check::Words(words(phrase)),
            Test::Contains(field, phrase) => match self.attribute(&field.name) {
                None => Check::Never,
                Some(own) => match text_column(own.number) {
                    Some(column) => Check::Words(format!("a{column} : {}", words(phrase))),
                    None => Check::Record(test.clone()),
                },
            },
            Test::Equals(field, key) => Check::Terms(vec![term(self.warehouse, Some(&field.name), key)]),
            Test::Identifier(keys) => {
                let terms = keys
                    .iter()
                    .map(|(field, key)| term(self.warehouse, Some(&field.name), key));
                Check::Terms(terms.collect())
            }
            Test::Site(site) => Check::Terms(vec![term(self.warehouse, None, site)]),
            Test::Within(field, interval) => match self.attribute(&field.name) {
                None => Check::Never,
                Some(own) => Check::Number {
                    attribute: own.number,
                    id: own.id,
                    interval: interval.clone(),
                },
            },
            Test::Has(field) => match self.attribute(&field.name) {
                None => Check::Never,
                Some(own) => Check::Has(own.number),
            },
            Test::Part(..) | Test::Inside(..) => Check::Record(test.clone()),
            Test::Is(_) | Test::Seen(..) => Check::Row(test.clone()),
        }
    }

    /// Chooses the term with the fewest entries.
    pub(super) fn driver(&self) -> rusqlite::Result<Driver> {
        let positive = || {
            let checks = self.checks.iter().enumerate();
            checks.filter(|(_, condition)| !condition.is_negated)
        };
        let can_drive =
            |check: &Check| matches!(check, Check::Words(_) | Check::Terms(_) | Check::Number { .. });
        let choices = positive()
            .filter(|(_, condition)| can_drive(&condition.check))
            .count();
        let mut best = (f64::INFINITY, Driver::All);
        for (at, condition) in positive() {
            let (entries, driver) = match &condition.check {
                // An estimate reads thousands of entries, and there is nothing to choose.
                Check::Words(_) if choices == 1 => return Ok(Driver::Words),
                Check::Words(words) => (self.estimate_words(words)?.entries, Driver::Words),
                Check::Terms(terms) => {
                    let mut entries = 0.0;
                    for term in terms {
                        entries += self.estimate_term(*term)?.entries;
                    }
                    (entries, Driver::Term(at))
                }
                Check::Number { id, interval, .. } => {
                    let objects = self.numbers(*id, interval, MAX_NUMBERS)?.len() as i64;
                    // A walk through all objects soon finds enough of them if there are more, so
                    // they need not be collected and sorted.
                    if objects == MAX_NUMBERS {
                        continue;
                    }
                    (objects as f64, Driver::Number(at))
                }
                Check::Never => return Ok(Driver::Term(at)),
                Check::Has(_) | Check::Row(_) | Check::Record(_) => continue,
            };
            if entries < best.0 {
                best = (entries, driver);
            }
        }
        Ok(best.1)
    }

    pub(super) fn estimate_words(&self, words: &str) -> rusqlite::Result<Estimate> {
        let known = self.estimates.borrow().get(words).copied();
        if let Some(known) = known {
            return Ok(known);
        }
        let sql = estimate_of("object_text WHERE object_text MATCH ?1", "rowid");
        let estimate = self.estimate(&sql, Value::from(words.to_owned()))?;
        self.estimates.borrow_mut().insert(words.to_owned(), estimate);
        Ok(estimate)
    }

    pub(super) fn estimate_term(&self, term: i64) -> rusqlite::Result<Estimate> {
        self.estimate(
            &estimate_of("object_term WHERE term = ?1", "object_id"),
            Value::from(term),
        )
    }

    /// Counts the newest entries, and takes the older ones to lie as dense if there are more.
    fn estimate(&self, sql: &str, key: Value) -> rusqlite::Result<Estimate> {
        let mut statement = self.connection.prepare_cached(sql)?;
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

    /// Returns objects with a number of an attribute in an interval, in any order, at most `limit`.
    pub(super) fn numbers(
        &self,
        attribute: i64,
        interval: &Interval,
        limit: i64,
    ) -> rusqlite::Result<Vec<i64>> {
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
}

/// Returns words in the syntax of FTS5. They are letters and digits.
pub(super) fn words(phrase: &Phrase) -> String {
    let star = if phrase.is_prefix { " *" } else { "" };
    format!("\"{}\"{star}", phrase.words.join(" "))
}
