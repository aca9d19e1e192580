//! The objects that meet the conditions of a query, in the order of its driver.

use std::ops::ControlFlow;

use magpie_model::Record;
use magpie_query::Subject;
use magpie_values::Timestamp;

use crate::index::{Candidate, Index, Key, Part};
use crate::plan::{Check, Condition, Driver, Running};

/// Objects that are read at a time: few at first, since a page may need no more.
pub(crate) const FIRST_BATCH: usize = 128;
pub(crate) const MAX_BATCH: usize = 4_096;

/// The entries of which the objects are tested.
enum Source<'a> {
    Key(Key<'a>),
    Part(&'a Part),
    All,
}

impl<I: Index> Running<'_, I> {
    /// Passes the hits, the newest first, but for those before an object.
    pub(crate) fn each(
        &self,
        driver: Driver,
        before: Option<i64>,
        each: &mut dyn FnMut(&Candidate<'_>) -> ControlFlow<()>,
    ) -> Result<(), I::Error> {
        let before = before.unwrap_or(i64::MAX);
        let at = |at: usize| self.checks.get(at).map(|condition| &condition.check);
        let (source, done) = match driver {
            Driver::Words(place) => match at(place) {
                Some(Check::Words(words)) => (Source::Key(Key::Words(words)), Some(place)),
                _ => return Ok(()),
            },
            Driver::Term(place) => match at(place) {
                Some(Check::Terms(terms)) => match terms.as_slice() {
                    [term] => (Source::Key(Key::Term(*term)), Some(place)),
                    several => return self.each_newest(self.with_terms(several)?, before, each),
                },
                _ => return Ok(()),
            },
            Driver::Part(place) => {
                let Some(part) = at(place).and_then(Check::part) else {
                    return Ok(());
                };
                (Source::Part(part), None)
            }
            Driver::Number(place) => match at(place) {
                Some(Check::Number { id, interval, .. }) => {
                    let objects = self.index.within(*id, interval, usize::MAX)?;
                    return self.each_newest(objects, before, each);
                }
                _ => return Ok(()),
            },
            Driver::All
                if self
                    .checks
                    .iter()
                    .any(|condition| condition.is_by_entries() || condition.of_record().is_some()) =>
            {
                (Source::All, None)
            }
            // Objects that are read in their order take no batches.
            Driver::All => {
                return self.index.candidates_before(before, &mut |candidate| {
                    Ok(match self.fits(candidate) {
                        true => each(candidate),
                        false => ControlFlow::Continue(()),
                    })
                });
            }
        };
        let mut size = FIRST_BATCH;
        let mut objects = Vec::with_capacity(size);
        let mut collect = |object| {
            objects.push(object);
            if objects.len() < size {
                return Ok(ControlFlow::Continue(()));
            }
            // The first page may need no more than a few objects, a rare combination needs many.
            size = (2 * size).min(MAX_BATCH);
            let batch = std::mem::replace(&mut objects, Vec::with_capacity(size));
            self.each_of(batch, done, each)
        };
        match source {
            Source::Key(key) => self.index.entries_before(key, before, &mut collect)?,
            Source::Part(part) => self.index.with_part_before(part, before, &mut collect)?,
            Source::All => self.index.objects_before(before, &mut collect)?,
        }
        // There are none if the walk was broken off.
        match objects.is_empty() {
            true => Ok(()),
            false => self.each_of(objects, done, each).map(drop),
        }
    }

    fn with_terms(&self, terms: &[i64]) -> Result<Vec<i64>, I::Error> {
        let mut objects = Vec::new();
        for term in terms {
            self.index
                .entries_before(Key::Term(*term), i64::MAX, &mut |object| {
                    objects.push(object);
                    Ok(ControlFlow::Continue(()))
                })?;
        }
        Ok(objects)
    }

    fn each_newest(
        &self,
        mut objects: Vec<i64>,
        before: i64,
        each: &mut dyn FnMut(&Candidate<'_>) -> ControlFlow<()>,
    ) -> Result<(), I::Error> {
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
    pub(crate) fn each_of(
        &self,
        mut objects: Vec<i64>,
        done: Option<usize>,
        each: &mut dyn FnMut(&Candidate<'_>) -> ControlFlow<()>,
    ) -> Result<ControlFlow<()>, I::Error> {
        for (at, condition) in self.checks.iter().enumerate() {
            if Some(at) != done && condition.is_by_entries() {
                // Entries are tested by number, before the objects are read: a row costs more than
                // an entry.
                self.thin_out(&mut objects, condition)?;
            }
        }
        let attributes: Vec<&str> = self.checks.iter().filter_map(Condition::of_record).collect();
        if !attributes.is_empty() {
            // The records of a batch are read together, and only those of objects that meet all
            // else.
            if self.checks.iter().any(Condition::is_by_candidate) {
                let mut rest = Vec::new();
                let _all = self.each_candidate(&objects, &mut |candidate| {
                    if self.fits(candidate) {
                        rest.push(candidate.id);
                    }
                    ControlFlow::Continue(())
                })?;
                objects = rest;
            }
            let mut records = self.index.records(&objects, &attributes)?.into_iter();
            objects.retain(|_| records.next().is_some_and(|record| self.fits_record(&record)));
        }
        self.each_candidate(&objects, &mut |candidate| match self.fits(candidate) {
            true => each(candidate),
            false => ControlFlow::Continue(()),
        })
    }

    fn each_candidate(
        &self,
        objects: &[i64],
        each: &mut dyn FnMut(&Candidate<'_>) -> ControlFlow<()>,
    ) -> Result<ControlFlow<()>, I::Error> {
        let mut flow = ControlFlow::Continue(());
        if !objects.is_empty() {
            self.index.candidates(objects, &mut |candidate| {
                flow = each(candidate);
                Ok(flow)
            })?;
        }
        Ok(flow)
    }

    /// Removes the objects that do not meet a condition with entries.
    fn thin_out(&self, objects: &mut Vec<i64>, condition: &Condition) -> Result<(), I::Error> {
        let mut sorted = objects.clone();
        sorted.sort_unstable();
        let found = match &condition.check {
            Check::Words(words) => self.index.with_entry(Key::Words(words), &sorted)?,
            Check::Terms(terms) => {
                let mut found = Vec::new();
                for term in terms {
                    found.extend(self.index.with_entry(Key::Term(*term), &sorted)?);
                }
                found.sort_unstable();
                found
            }
            _ => return Ok(()),
        };
        objects.retain(|object| found.binary_search(object).is_ok() != condition.is_negated);
        Ok(())
    }

    /// Returns true if a candidate meets the conditions but for those that were met before it was
    /// read.
    fn fits(&self, candidate: &Candidate<'_>) -> bool {
        self.checks.iter().all(|condition| {
            let holds = match &condition.check {
                Check::Words(_) | Check::Terms(_) | Check::Record(..) => return true,
                Check::Never => false,
                Check::Number {
                    attribute, interval, ..
                } => candidate.packed.numbers().any(|number| {
                    number.attribute == *attribute
                        && interval.allows(number.currency)
                        && interval.meets(number.low, number.high)
                }),
                Check::Has(attribute) => candidate.packed.has(*attribute),
                Check::Row(test) => {
                    let record = Record::default();
                    let subject = Subject {
                        current: candidate.current,
                        first_seen: candidate.first_seen,
                        last_seen: candidate.last_seen,
                        changed_at: candidate.changed_at,
                        expires_at: candidate.expires_at,
                        ..of_record(&record)
                    };
                    test.holds(&subject, self.query.now())
                }
            };
            holds != condition.is_negated
        })
    }

    /// Returns true if a record meets the conditions that are tested by it.
    fn fits_record(&self, record: &Record) -> bool {
        self.checks.iter().all(|condition| match &condition.check {
            Check::Record(_, test, _) => {
                test.holds(&of_record(record), self.query.now()) != condition.is_negated
            }
            _ => true,
        })
    }
}

/// Returns an object of which only the record is known.
fn of_record(record: &Record) -> Subject<'_> {
    Subject {
        label: "",
        record,
        attributes: &[],
        urls: &[],
        current: 0,
        first_seen: Timestamp::default(),
        last_seen: Timestamp::default(),
        changed_at: Timestamp::default(),
        expires_at: None,
    }
}
