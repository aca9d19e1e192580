//! Answers of queries from the index.
//!
//! One term of a query drives: its entries are read in the order of objects, the newest first, in
//! batches. The other terms with entries thin out the IDs of a batch before the objects are read,
//! by a look-up for each or by the entries between the first and the last, whichever is cheaper;
//! the rest tests the objects. Hits are counted and their facets added up to [`MAX_COUNTED`]; up to
//! there they are sorted in memory. Beyond, the newest come from the driving term and numbers from
//! their index; other orders read all hits. [Decision
//! 36](../../../../docs/decisions/036-changes-and-search.md) has the reasons.

use std::cell::RefCell;
use std::collections::HashMap;
use std::ops::ControlFlow;

use magpie_model::{Attribute, Record};
use magpie_query::{Interval, Phrase, Query, Subject, Test, equality_term};
use magpie_values::Timestamp;
use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension, Row, params_from_iter};

use super::index::{IndexedAttribute, attributes_of, term, text_column};
use super::order::{Hit, Order, text_key};
use super::packed::{Packed, PackedNumber};
use super::{
    Count, Facet, FacetValue, MAX_COUNTED, ObjectDetail, Search, SearchOptions, SearchPage, SortKey,
};
use super::{detail, suggest};
use crate::column::{millis, optional_millis, record};
use crate::read::Looks;
use crate::warehouse::{OBJECT, object_row};
use crate::{ObjectId, ObjectRow, SearchCursor, StoreError};
use magpie_query::SortValue;

/// Entries of a term that are counted to find the term that drives, and how dense they lie.
const MAX_ESTIMATE: i64 = 20_000;

/// Objects with a number in an interval that are collected and sorted to drive. Of more, a walk
/// through all objects soon finds enough.
const MAX_NUMBERS: i64 = 100_000;

/// Costs of one test of an object, relative to reading the next entry of a term. Measured with a
/// million objects: an entry takes 0.1 µs, a look-up of a term 2 µs, and a search for words, which
/// begins anew for each object, 25 µs.
const COST_OF_TERM: f64 = 20.0;
const COST_OF_WORDS: f64 = 250.0;

/// Objects that are read at a time: few at first, since a page may need no more.
const FIRST_BATCH: usize = 128;
const MAX_BATCH: usize = 4_096;

/// Facet values more than those asked for, so that equal counts are cut by their text.
const SPARE_FACETS: usize = 50;

/// The columns of a [`Candidate`].
const CANDIDATE: &str = "object.id, object.current, object.first_seen, object.last_seen, object.changed_at,
    object.expires_at, object.members, object_values.packed";

impl<L: Looks> Search for L {
    fn search(
        &self,
        vertical: &str,
        query: &Query,
        options: &SearchOptions,
    ) -> Result<SearchPage, StoreError> {
        self.look(|connection| {
            let Some(search) = Running::new(connection, vertical, query)? else {
                return Ok(Err(no_vertical(vertical)));
            };
            let attributes: Vec<&Attribute> = search.attributes.iter().map(|own| &own.attribute).collect();
            let position = Order::new(vertical, &attributes, query, options).and_then(|order| {
                let after = order.position(options.after.as_ref())?;
                Ok((order, after))
            });
            match position {
                Ok((order, after)) => search.page(&order, after.as_ref(), options).map(Ok),
                Err(error) => Ok(Err(error)),
            }
        })?
    }

    fn matching(
        &self,
        vertical: &str,
        query: &Query,
        among: &[ObjectId],
    ) -> Result<Vec<ObjectId>, StoreError> {
        self.look(|connection| {
            let Some(search) = Running::new(connection, vertical, query)? else {
                return Ok(Vec::new());
            };
            let mut matching = Vec::new();
            for part in among.chunks(MAX_BATCH) {
                let ids = part.iter().map(|id| id.0).collect();
                let _all = search.each_of(ids, None, &mut |candidate| {
                    matching.push(ObjectId(candidate.id));
                    ControlFlow::Continue(())
                })?;
            }
            Ok(matching)
        })
    }

    fn find_all(&self, vertical: &str, query: &Query) -> Result<Vec<ObjectId>, StoreError> {
        self.look(|connection| {
            let Some(search) = Running::new(connection, vertical, query)? else {
                return Ok(Vec::new());
            };
            let mut found = Vec::new();
            search.each(&search.driver()?, None, &mut |candidate| {
                found.push(ObjectId(candidate.id));
                ControlFlow::Continue(())
            })?;
            found.reverse();
            Ok(found)
        })
    }

    fn did_you_mean(&self, vertical: &str, query: &Query) -> Result<Option<String>, StoreError> {
        self.look(|connection| suggest::did_you_mean(connection, vertical, query))
    }

    fn object_detail(&self, id: ObjectId) -> Result<Option<ObjectDetail>, StoreError> {
        self.look(|connection| detail::object_detail(connection, id))
    }
}

fn no_vertical(vertical: &str) -> StoreError {
    StoreError::NoVertical {
        vertical: vertical.to_owned(),
    }
}

/// A test of an object by the index.
enum Check {
    /// A search for words.
    Words(String),
    /// One of these terms.
    Terms(Vec<i64>),
    /// A number of an attribute.
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
struct Condition {
    is_negated: bool,
    check: Check,
}

impl Condition {
    /// Returns `true` if it is met by the objects that have entries in the index.
    fn is_by_entries(&self) -> bool {
        matches!(self.check, Check::Words(_) | Check::Terms(_))
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

/// An object that may be a hit.
struct Candidate<'a> {
    id: i64,
    current: u64,
    first_seen: Timestamp,
    last_seen: Timestamp,
    changed_at: Timestamp,
    expires_at: Option<Timestamp>,
    members: u64,
    packed: Packed<'a>,
}

impl<'a> Candidate<'a> {
    fn read(row: &'a Row<'_>) -> rusqlite::Result<Candidate<'a>> {
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
    fn number(&self, attribute: u64) -> Option<PackedNumber> {
        let mut numbers = self.packed.numbers();
        numbers.find(|number| number.attribute == attribute)
    }
}

/// A source of candidates. Those of a term need not be tested by it again.
enum Driver {
    Words,
    Term(usize),
    Number(usize),
    All,
}

/// A query in execution.
struct Running<'c, 'q> {
    connection: &'c Connection,
    warehouse: i64,
    attributes: Vec<IndexedAttribute>,
    query: &'q Query,
    /// The conditions but for words; those without `words` of the query are checked one by one.
    checks: Vec<Condition>,
    /// The search for all words, as far as words must be there.
    words: Option<String>,
    estimates: RefCell<HashMap<String, Estimate>>,
}

/// Entries of a term or of words.
#[derive(Clone, Copy, Debug)]
struct Estimate {
    /// The number of entries.
    entries: f64,
    /// Entries between two neighbouring IDs.
    density: f64,
}

/// Returns the SQL that estimates the entries of a table.
fn estimate_of(entries: &str, id: &str) -> String {
    format!(
        "SELECT count(*), min({id}), max({id}) FROM (SELECT {id} FROM {entries} ORDER BY {id} DESC LIMIT ?2)"
    )
}

type Counts = HashMap<(u64, u64), u64>;

impl<'c, 'q> Running<'c, 'q> {
    fn new(
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

    fn attribute(&self, name: &str) -> Option<&IndexedAttribute> {
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

    /// Returns the page of hits.
    fn page(
        &self,
        order: &Order,
        after: Option<&Hit>,
        options: &SearchOptions,
    ) -> rusqlite::Result<SearchPage> {
        let driver = self.driver()?;
        let mut counts = Counts::new();
        let mut hits: Vec<Hit> = Vec::new();
        let mut has_more = false;
        let is_counting = options.facets > 0;
        self.each(&driver, None, &mut |candidate| {
            if hits.len() == MAX_COUNTED {
                has_more = true;
                return ControlFlow::Break(());
            }
            if is_counting {
                candidate.packed.facets(|attribute, value| {
                    *counts.entry((attribute, value)).or_default() += 1;
                });
            }
            hits.push(self.hit(order, candidate));
            ControlFlow::Continue(())
        })?;
        let counted = hits.len() as u64;
        let (total, (hits, next)) = match has_more {
            false => {
                self.fill_keys(order, &mut hits)?;
                (Count::Exact(counted), order.cut(hits, after, options.limit))
            }
            true => {
                drop(hits);
                let page = self.page_of_many(&driver, order, after, options.limit)?;
                (Count::MoreThan(counted), page)
            }
        };
        Ok(SearchPage {
            hits: self.rows(&hits)?,
            total,
            facets: self.facets(&counts, options.facets)?,
            facets_of: counted,
            next,
        })
    }

    /// Returns a page of hits that are too many to be collected for each page.
    fn page_of_many(
        &self,
        driver: &Driver,
        order: &Order,
        after: Option<&Hit>,
        limit: usize,
    ) -> rusqlite::Result<(Vec<Hit>, Option<SearchCursor>)> {
        let is_newest = matches!(order.by, SortKey::Newest | SortKey::Relevance) && order.is_descending;
        if is_newest && limit <= MAX_COUNTED {
            let mut hits = Vec::new();
            self.each(driver, after.map(|after| after.object), &mut |candidate| {
                hits.push(Hit {
                    key: SortValue::Number(0.0),
                    object: candidate.id,
                });
                match hits.len() > limit {
                    true => ControlFlow::Break(()),
                    false => ControlFlow::Continue(()),
                }
            })?;
            return Ok(order.cut(hits, None, limit));
        }
        if order.is_by_number() && limit <= MAX_COUNTED {
            let hits = self.along_numbers(order, after, limit)?;
            if hits.len() > limit {
                return Ok(order.cut(hits, None, limit));
            }
        }
        let mut hits = Vec::new();
        self.each(driver, None, &mut |candidate| {
            hits.push(self.hit(order, candidate));
            ControlFlow::Continue(())
        })?;
        self.fill_keys(order, &mut hits)?;
        Ok(order.cut(hits, after, limit))
    }

    /// Returns one hit more than the limit in the order of an attribute's numbers, or fewer if the
    /// index has no more.
    fn along_numbers(&self, order: &Order, after: Option<&Hit>, limit: usize) -> rusqlite::Result<Vec<Hit>> {
        let own = order
            .attribute
            .as_ref()
            .and_then(|attribute| self.attribute(&attribute.name));
        let Some(own) = own else { return Ok(Vec::new()) };
        let (sign, direction, start) = match order.is_descending {
            true => ("<", "DESC", (f64::INFINITY, i64::MAX)),
            false => (">", "ASC", (f64::NEG_INFINITY, i64::MIN)),
        };
        let (low, object) = match after {
            None => start,
            Some(Hit {
                key: SortValue::Number(low),
                object,
            }) => (*low, *object),
            Some(_) => return Ok(Vec::new()),
        };
        let bound = if order.is_descending { "<=" } else { ">=" };
        let mut statement = self.connection.prepare_cached(&format!(
            "SELECT low, object_id FROM object_number WHERE attribute_id = ?1 AND low {bound} ?2
                AND (low, object_id) {sign} (?2, ?3)
             ORDER BY low {direction}, object_id {direction}"
        ))?;
        let mut rows = statement.query((own.id, low, object))?;
        let mut hits: Vec<Hit> = Vec::new();
        let mut size = FIRST_BATCH;
        while hits.len() <= limit {
            let mut entries: Vec<(f64, i64)> = Vec::with_capacity(size);
            while entries.len() < size
                && let Some(row) = rows.next()?
            {
                entries.push((row.get(0)?, row.get(1)?));
            }
            let is_last = entries.len() < size;
            let mut objects: Vec<i64> = entries.iter().map(|(_, object)| *object).collect();
            objects.sort_unstable_by(|one, other| other.cmp(one));
            objects.dedup();
            let mut first: HashMap<i64, f64> = HashMap::new();
            let _all = self.each_of(objects, None, &mut |candidate| {
                first.extend(
                    candidate
                        .number(own.number)
                        .map(|number| (candidate.id, number.low)),
                );
                ControlFlow::Continue(())
            })?;
            for (low, object) in entries {
                // Further numbers of an object are no position of it.
                let is_listed = hits.last().is_some_and(|last| last.object == object);
                if first.get(&object) == Some(&low) && !is_listed {
                    hits.push(Hit {
                        key: SortValue::Number(low),
                        object,
                    });
                }
            }
            if is_last {
                break;
            }
            size = (2 * size).min(MAX_BATCH);
        }
        hits.truncate(limit.saturating_add(1));
        Ok(hits)
    }

    /// Returns a hit, with its key unless that has to be read.
    fn hit(&self, order: &Order, candidate: &Candidate<'_>) -> Hit {
        let time = |time: Timestamp| SortValue::Number(time.as_millis() as f64);
        let key = match &order.by {
            SortKey::Newest => SortValue::Number(0.0),
            SortKey::Records => SortValue::Number(candidate.members as f64),
            SortKey::FirstSeen => time(candidate.first_seen),
            SortKey::LastSeen => time(candidate.last_seen),
            SortKey::Changed => time(candidate.changed_at),
            SortKey::Expires => candidate.expires_at.map_or(SortValue::Missing, time),
            SortKey::Attribute(name) if order.is_by_number() => {
                let own = self.attribute(name);
                let number = own.and_then(|own| candidate.number(own.number));
                number.map_or(SortValue::Missing, |number| SortValue::Number(number.low))
            }
            SortKey::Relevance | SortKey::Label | SortKey::Attribute(_) => SortValue::Missing,
        };
        Hit {
            key,
            object: candidate.id,
        }
    }

    /// Reads the keys that candidates do not have.
    fn fill_keys(&self, order: &Order, hits: &mut [Hit]) -> rusqlite::Result<()> {
        match &order.by {
            SortKey::Relevance => {
                let in_label = self.in_label(hits)?;
                for hit in hits {
                    let has_words = in_label.binary_search(&hit.object).is_ok();
                    hit.key = SortValue::Number(f64::from(u8::from(has_words)));
                }
            }
            SortKey::Label => {
                let sql = "SELECT label FROM object WHERE id = ?1";
                let mut statement = self.connection.prepare_cached(sql)?;
                for hit in hits {
                    let label: String = statement.query_row([hit.object], |row| row.get(0))?;
                    hit.key = text_key(&label);
                }
            }
            SortKey::Attribute(name) if !order.is_by_number() => {
                for hit in hits {
                    let record = self.record(hit.object)?;
                    hit.key = record.get(name).map_or(SortValue::Missing, text_key);
                }
            }
            SortKey::Attribute(_)
            | SortKey::Newest
            | SortKey::Records
            | SortKey::FirstSeen
            | SortKey::LastSeen
            | SortKey::Changed
            | SortKey::Expires => {}
        }
        Ok(())
    }

    /// Returns the hits whose label has all words that are searched anywhere, by number. Without
    /// such words, none.
    fn in_label(&self, hits: &[Hit]) -> rusqlite::Result<Vec<i64>> {
        let terms = self.query.terms().iter().filter(|term| !term.is_negated);
        let words: Vec<String> = terms
            .filter_map(|term| match &term.test {
                Test::Words(phrase) => Some(format!("label : {}", words(phrase))),
                _ => None,
            })
            .collect();
        if words.is_empty() {
            return Ok(Vec::new());
        }
        let mut objects: Vec<i64> = hits.iter().map(|hit| hit.object).collect();
        objects.sort_unstable();
        self.with_words(&words.join(" AND "), &objects)
    }

    fn record(&self, object: i64) -> rusqlite::Result<Record> {
        let sql = "SELECT record FROM object WHERE id = ?1";
        let mut statement = self.connection.prepare_cached(sql)?;
        let found = statement.query_row([object], |row| record(row, 0)).optional()?;
        Ok(found.flatten().unwrap_or_default())
    }

    fn rows(&self, hits: &[Hit]) -> rusqlite::Result<Vec<ObjectRow>> {
        let sql = format!("{OBJECT} WHERE object.id = ?1");
        let mut statement = self.connection.prepare_cached(&sql)?;
        let rows = hits
            .iter()
            .map(|hit| statement.query_row([hit.object], object_row));
        rows.collect()
    }

    /// Chooses the term with the fewest entries.
    fn driver(&self) -> rusqlite::Result<Driver> {
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

    fn estimate_words(&self, words: &str) -> rusqlite::Result<Estimate> {
        let known = self.estimates.borrow().get(words).copied();
        if let Some(known) = known {
            return Ok(known);
        }
        let sql = estimate_of("object_text WHERE object_text MATCH ?1", "rowid");
        let estimate = self.estimate(&sql, Value::from(words.to_owned()))?;
        self.estimates.borrow_mut().insert(words.to_owned(), estimate);
        Ok(estimate)
    }

    fn estimate_term(&self, term: i64) -> rusqlite::Result<Estimate> {
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

    /// Returns objects with a number of an attribute in an interval, in any order, at most so many.
    fn numbers(&self, attribute: i64, interval: &Interval, limit: i64) -> rusqlite::Result<Vec<i64>> {
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

    /// Passes the hits, the newest first, but for those before an object.
    fn each(
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
    fn each_of(
        &self,
        mut objects: Vec<i64>,
        done: Option<usize>,
        each: &mut dyn FnMut(&Candidate<'_>) -> ControlFlow<()>,
    ) -> rusqlite::Result<ControlFlow<()>> {
        for (at, condition) in self.checks.iter().enumerate() {
            if Some(at) != done && condition.is_by_entries() {
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
    fn with_words(&self, words: &str, objects: &[i64]) -> rusqlite::Result<Vec<i64>> {
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
    fn fits(&self, candidate: &Candidate<'_>) -> rusqlite::Result<bool> {
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

    /// Returns the most frequent values of each attribute.
    fn facets(&self, counts: &Counts, limit: usize) -> rusqlite::Result<Vec<Facet>> {
        let mut by_attribute: HashMap<u64, Vec<(u64, u64)>> = HashMap::new();
        for ((attribute, value), hits) in counts {
            by_attribute.entry(*attribute).or_default().push((*hits, *value));
        }
        let sql = "SELECT value FROM facet_value WHERE id = ?1";
        let mut statement = self.connection.prepare_cached(sql)?;
        let mut facets = Vec::new();
        for own in &self.attributes {
            let Some(mut values) = by_attribute.remove(&own.number) else {
                continue;
            };
            values.sort_unstable_by(|one, other| other.cmp(one));
            values.truncate(limit.saturating_add(SPARE_FACETS));
            let mut named = Vec::with_capacity(values.len());
            for (hits, value) in values {
                named.push((
                    hits,
                    statement.query_row([value.cast_signed()], |row| row.get(0))?,
                ));
            }
            facets.push(facet(&own.attribute, named, limit));
        }
        Ok(facets)
    }
}

/// Returns the facet of an attribute from values and their numbers of hits.
pub(super) fn facet(attribute: &Attribute, mut values: Vec<(u64, String)>, limit: usize) -> Facet {
    values.sort_by(|one, other| other.0.cmp(&one.0).then_with(|| one.1.cmp(&other.1)));
    values.truncate(limit);
    let values = values.into_iter().map(|(hits, value)| FacetValue {
        term: equality_term(&attribute.name, &value),
        hits,
        value,
    });
    Facet {
        attribute: attribute.name.clone(),
        label: attribute.label.clone(),
        values: values.collect(),
    }
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

/// Returns words in the syntax of FTS5. They are letters and digits.
pub(super) fn words(phrase: &Phrase) -> String {
    let star = if phrase.is_prefix { " *" } else { "" };
    format!("\"{}\"{star}", phrase.words.join(" "))
}
