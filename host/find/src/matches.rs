//! The objects that meet the conditions of a query, in the order of its driver.

use std::collections::HashMap;
use std::ops::ControlFlow;

use magpie_model::Record;
use magpie_query::Subject;

use crate::index::{Candidate, Index, Key};
use crate::plan::{Check, Condition, Driver, Running};

/// Objects that are read at a time: few at first, since a page may need no more.
pub(crate) const FIRST_BATCH: usize = 128;
pub(crate) const MAX_BATCH: usize = 4_096;

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
        let (key, done) = match driver {
            Driver::Words(place) => match at(place) {
                Some(Check::Words(words)) => (Some(Key::Words(words)), Some(place)),
                _ => return Ok(()),
            },
            Driver::Term(place) => match at(place) {
                Some(Check::Terms(terms)) => match terms.as_slice() {
                    [term] => (Some(Key::Term(*term)), Some(place)),
                    several => return self.each_newest(self.with_terms(several)?, before, each),
                },
                _ => return Ok(()),
            },
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
                    .any(|condition| condition.is_by_entries() || condition.is_by_record()) =>
            {
                (None, None)
            }
            // Objects that are read in their order take no batches.
            Driver::All => {
                return self.index.candidates_before(before, &mut |candidate| {
                    Ok(match self.fits(candidate, None) {
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
        match key {
            Some(key) => self.index.entries_before(key, before, &mut collect)?,
            None => self.index.objects_before(before, &mut collect)?,
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
        let mut records = HashMap::new();
        if self.checks.iter().any(Condition::is_by_record) {
            // The records of a batch are read together, and only those of objects that meet all
            // else.
            let mut rest = Vec::new();
            let _all = self.each_candidate(&objects, &mut |candidate| {
                if self.fits(candidate, None) {
                    rest.push(candidate.id);
                }
                ControlFlow::Continue(())
            })?;
            records.extend(rest.iter().copied().zip(self.index.records(&rest)?));
            objects = rest;
        }
        self.each_candidate(
            &objects,
            &mut |candidate| match self.fits(candidate, records.get(&candidate.id)) {
                true => each(candidate),
                false => ControlFlow::Continue(()),
            },
        )
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

    /// Returns true if a candidate meets the conditions but for those with entries. Without its
    /// record, those of the record count as met.
    fn fits(&self, candidate: &Candidate<'_>, record: Option<&Record>) -> bool {
        self.checks.iter().all(|condition| {
            let holds = match &condition.check {
                // Those with entries were met before the object was read.
                Check::Words(_) | Check::Terms(_) => return true,
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
                Check::Record(test) => match record {
                    Some(record) => test.holds(&subject(candidate, record), self.query.now()),
                    None => return true,
                },
            };
            holds != condition.is_negated
        })
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
