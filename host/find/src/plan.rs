//! The plan of a query: its conditions as tests by the index, and the one that drives.

use magpie_query::{Field, Interval, Query, Test};

use crate::entries::{IndexedAttribute, part_of, site_term, text_column, value_term};
use crate::index::{Index, Key, Part, Place, Words};

/// Objects with a number in an interval that are collected and sorted to drive.
const MAX_NUMBERS: usize = 100_000;

/// Entries that are tested sooner than those of a part are found.
const FEW: f64 = 5_000.0;

/// A test of an object by the index.
pub(crate) enum Check {
    Words(Words),
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
    /// A test of an attribute's values in the record, which must be read, and a part of the names
    /// that such an object has.
    Record(String, Test, Option<Part>),
    /// Nothing fits: the index does not know the attribute.
    Never,
}

/// A check and its sense.
pub(crate) struct Condition {
    pub(crate) is_negated: bool,
    pub(crate) check: Check,
}

impl Condition {
    /// Returns `true` if it is met by the objects that have entries in the index.
    pub(crate) fn is_by_entries(&self) -> bool {
        matches!(self.check, Check::Words(_) | Check::Terms(_))
    }

    /// Returns `true` if it is tested by what is read of each candidate.
    pub(crate) fn is_by_candidate(&self) -> bool {
        !self.is_by_entries() && self.of_record().is_none()
    }

    /// Returns the attribute whose values in the record it tests.
    pub(crate) fn of_record(&self) -> Option<&str> {
        match &self.check {
            Check::Record(attribute, ..) => Some(attribute),
            _ => None,
        }
    }
}

impl Check {
    fn of_record(field: &Field, test: &Test, part: Option<Part>) -> Check {
        Check::Record(field.name.clone(), test.clone(), part)
    }

    pub(crate) fn part(&self) -> Option<&Part> {
        match self {
            Check::Record(_, _, part) => part.as_ref(),
            _ => None,
        }
    }
}

/// A source of candidates. Those of a term need not be tested by it again.
#[derive(Clone, Copy)]
pub(crate) enum Driver {
    Words(usize),
    Term(usize),
    Number(usize),
    Part(usize),
    All,
}

/// A query that is run against an index.
pub struct Running<'q, I> {
    pub(crate) index: I,
    pub(crate) attributes: Vec<IndexedAttribute>,
    pub(crate) query: &'q Query,
    /// The conditions. Words that must be there and those that must not are one of them; words that
    /// must not be there are on their own if there are no others.
    pub(crate) checks: Vec<Condition>,
}

impl<'q, I: Index> Running<'q, I> {
    /// Plans a query of a vertical with attributes in the order of its schema.
    pub fn new(index: I, warehouse: i64, attributes: Vec<IndexedAttribute>, query: &'q Query) -> Self {
        let mut running = Running {
            index,
            attributes,
            query,
            checks: Vec::new(),
        };
        let checks = query.terms().iter().map(|term| Condition {
            is_negated: term.is_negated,
            check: running.check(warehouse, &term.test),
        });
        let mut checks: Vec<Condition> = checks.collect();
        let mut all = Words::default();
        for condition in &checks {
            if let Check::Words(words) = &condition.check {
                let list = match condition.is_negated {
                    true => &mut all.unwanted,
                    false => &mut all.wanted,
                };
                list.extend(words.wanted.iter().cloned());
            }
        }
        if !all.wanted.is_empty() {
            // One search has all words. A search of its own for each condition would start again
            // for each object, which costs most.
            checks.retain(|condition| !matches!(condition.check, Check::Words(_)));
            checks.push(Condition {
                is_negated: false,
                check: Check::Words(all),
            });
        }
        // The cheap ones first.
        checks.sort_by_key(|condition| match condition.check {
            Check::Never => 0,
            Check::Row(_) => 1,
            Check::Has(_) | Check::Number { .. } => 2,
            Check::Terms(_) => 3,
            Check::Words(_) => 4,
            Check::Record(..) => 5,
        });
        running.checks = checks;
        running
    }

    pub(crate) fn attribute(&self, name: &str) -> Option<&IndexedAttribute> {
        self.attributes.iter().find(|own| own.attribute.name == name)
    }

    fn check(&self, warehouse: i64, test: &Test) -> Check {
        match test {
            Test::Words(phrase) => Check::Words(Words::of(Place::Anywhere, phrase)),
            Test::Contains(field, phrase) => match self.attribute(&field.name) {
                None => Check::Never,
                Some(own) => match text_column(own.number) {
                    Some(column) => Check::Words(Words::of(Place::Column(column), phrase)),
                    None => Check::of_record(field, test, None),
                },
            },
            Test::Equals(field, key) => Check::Terms(vec![value_term(warehouse, &field.name, key)]),
            Test::Identifier(keys) => {
                let terms = keys
                    .iter()
                    .map(|(field, key)| value_term(warehouse, &field.name, key));
                Check::Terms(terms.collect())
            }
            Test::Site(site) => Check::Terms(vec![site_term(warehouse, site)]),
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
            Test::Part(field, text) => {
                let own = self.attribute(&field.name);
                Check::of_record(field, test, own.and_then(|own| part_of(own, text)))
            }
            Test::Inside(field, _) => Check::of_record(field, test, None),
            Test::Is(_) | Test::Seen(..) => Check::Row(test.clone()),
        }
    }

    /// Chooses the term with the fewest entries.
    pub(crate) fn driver(&self) -> Result<Driver, I::Error> {
        let positive = || {
            let checks = self.checks.iter().enumerate();
            checks.filter(|(_, condition)| !condition.is_negated)
        };
        let can_drive =
            |check: &Check| matches!(check, Check::Words(_) | Check::Terms(_) | Check::Number { .. });
        let choices = positive()
            .filter(|(_, condition)| can_drive(&condition.check) || condition.check.part().is_some())
            .count();
        let mut best = (f64::INFINITY, Driver::All);
        for (at, condition) in positive() {
            let (entries, driver) = match &condition.check {
                // An estimate reads thousands of entries, and there is nothing to choose.
                Check::Words(_) if choices == 1 => return Ok(Driver::Words(at)),
                Check::Words(words) => (self.index.estimate(Key::Words(words))?, Driver::Words(at)),
                Check::Terms(terms) => {
                    let mut entries = 0.0;
                    for term in terms {
                        entries += self.index.estimate(Key::Term(*term))?;
                    }
                    (entries, Driver::Term(at))
                }
                Check::Number { id, interval, .. } => {
                    let objects = self.index.within(*id, interval, MAX_NUMBERS)?.len();
                    // A walk through all objects soon finds enough of them if there are more, so
                    // they need not be collected and sorted.
                    if objects == MAX_NUMBERS {
                        continue;
                    }
                    (objects as f64, Driver::Number(at))
                }
                Check::Never => return Ok(Driver::Term(at)),
                Check::Has(_) | Check::Row(_) | Check::Record(..) => continue,
            };
            if entries < best.0 {
                best = (entries, driver);
            }
        }
        let part = positive().find(|(_, condition)| condition.check.part().is_some());
        match part {
            Some((at, _)) if best.0 > FEW && self.index.has_names()? => Ok(Driver::Part(at)),
            _ => Ok(best.1),
        }
    }
}
