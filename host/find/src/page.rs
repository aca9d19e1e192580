//! Answers of queries from the index.
//!
//! One term of a query drives: its entries are read in the order of objects, the newest first, in
//! batches. The other terms with entries thin out the IDs of a batch before the objects are read;
//! the rest tests the objects. Hits are counted and their facets added up to [`MAX_COUNTED`]; up to
//! there they are sorted in memory. Beyond, the newest come from the driving term and numbers from
//! their index; other orders read all hits. [Decision
//! 36](../../../docs/decisions/036-changes-and-search.md) has the reasons.

use std::collections::HashMap;
use std::ops::ControlFlow;

use magpie_model::Attribute;
use magpie_query::{Test, equality_term};
use magpie_rows::{
    Count, Cursor, Facet, FacetValue, MAX_COUNTED, ObjectId, SearchOptions, SearchPage, SortKey, StoreError,
};
use magpie_values::Timestamp;

use crate::index::{Candidate, Index, Key, Place, Words};
use crate::matches::{FIRST_BATCH, MAX_BATCH};
use crate::order::{Hit, Order, soonest_key, text_key};
use crate::plan::{Driver, Running};
use crate::position::SortValue;

/// Facet values that are read beyond those asked for.
const SPARE_FACETS: usize = 50;

type Counts = HashMap<(u64, u64), u64>;

/// The place in an order where a page begins.
pub struct Start {
    order: Order,
    after: Option<Hit>,
}

impl<I: Index> Running<'_, I> {
    /// Returns the place where the page asked for begins. Fails if the schema does not have the
    /// attribute that makes the order, or if the cursor is one of another search.
    pub fn start(&self, vertical: &str, options: &SearchOptions) -> Result<Start, StoreError> {
        let attributes: Vec<&Attribute> = self.attributes.iter().map(|own| &own.attribute).collect();
        let order = Order::new(vertical, &attributes, self.query, options)?;
        let after = order.position(options.after.as_ref())?;
        Ok(Start { order, after })
    }

    /// Returns the objects among some that match, in their order.
    pub fn matching(&self, among: &[ObjectId]) -> Result<Vec<ObjectId>, I::Error> {
        let mut matching = Vec::new();
        for part in among.chunks(MAX_BATCH) {
            let ids = part.iter().map(|id| id.0).collect();
            let _all = self.each_of(ids, None, &mut |candidate| {
                matching.push(ObjectId(candidate.id));
                ControlFlow::Continue(())
            })?;
        }
        Ok(matching)
    }

    /// Returns all objects that match, by number.
    pub fn find_all(&self) -> Result<Vec<ObjectId>, I::Error> {
        let mut found = Vec::new();
        self.each(self.driver()?, None, &mut |candidate| {
            found.push(ObjectId(candidate.id));
            ControlFlow::Continue(())
        })?;
        found.reverse();
        Ok(found)
    }

    /// Returns a page of hits.
    pub fn page(&self, start: &Start, options: &SearchOptions) -> Result<SearchPage, I::Error> {
        let (order, after) = (&start.order, start.after.as_ref());
        let driver = self.driver()?;
        let mut counts = Counts::new();
        let mut hits: Vec<Hit> = Vec::new();
        let mut has_more = false;
        let is_counting = options.facets > 0;
        self.each(driver, None, &mut |candidate| {
            // Counting more takes time, and "more than this" is as useful to people.
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
                let page = self.page_of_many(driver, order, after, options.limit)?;
                (Count::MoreThan(counted), page)
            }
        };
        Ok(SearchPage {
            hits: self.index.rows(&numbers(&hits))?,
            total,
            facets: self.facets(&counts, options.facets)?,
            facets_of: counted,
            next,
        })
    }

    /// Returns a page of hits that are too many to be collected for each page.
    fn page_of_many(
        &self,
        driver: Driver,
        order: &Order,
        after: Option<&Hit>,
        limit: usize,
    ) -> Result<(Vec<Hit>, Option<Cursor>), I::Error> {
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
            // Objects without the number are not in its index. If it ends before the page does, all
            // hits are read.
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
    fn along_numbers(&self, order: &Order, after: Option<&Hit>, limit: usize) -> Result<Vec<Hit>, I::Error> {
        let own = order
            .attribute
            .as_ref()
            .and_then(|attribute| self.attribute(&attribute.name));
        let Some(own) = own else { return Ok(Vec::new()) };
        let start = match (after, order.is_descending) {
            (None, true) => (f64::INFINITY, i64::MAX),
            (None, false) => (f64::NEG_INFINITY, i64::MIN),
            (
                Some(Hit {
                    key: SortValue::Number(low),
                    object,
                }),
                _,
            ) => (*low, *object),
            (Some(_), _) => return Ok(Vec::new()),
        };
        let mut hits: Vec<Hit> = Vec::new();
        let mut size = FIRST_BATCH;
        let mut entries: Vec<(f64, i64)> = Vec::with_capacity(size);
        self.index
            .numbers_after(own.id, start, order.is_descending, &mut |entry| {
                entries.push(entry);
                if entries.len() < size {
                    return Ok(ControlFlow::Continue(()));
                }
                size = (2 * size).min(MAX_BATCH);
                let batch = std::mem::replace(&mut entries, Vec::with_capacity(size));
                self.add_first(own.number, batch, &mut hits)?;
                match hits.len() > limit {
                    true => Ok(ControlFlow::Break(())),
                    false => Ok(ControlFlow::Continue(())),
                }
            })?;
        self.add_first(own.number, entries, &mut hits)?;
        hits.truncate(limit.saturating_add(1));
        Ok(hits)
    }

    /// Adds the hits whose first number of an attribute is an entry.
    fn add_first(
        &self,
        attribute: u64,
        entries: Vec<(f64, i64)>,
        hits: &mut Vec<Hit>,
    ) -> Result<(), I::Error> {
        let mut objects: Vec<i64> = entries.iter().map(|(_, object)| *object).collect();
        if objects.is_empty() {
            return Ok(());
        }
        objects.sort_unstable_by(|one, other| other.cmp(one));
        objects.dedup();
        let mut first: HashMap<i64, f64> = HashMap::new();
        let _all = self.each_of(objects, None, &mut |candidate| {
            first.extend(
                candidate
                    .number(attribute)
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
        Ok(())
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
            SortKey::Soonest => soonest_key(candidate.expires_at, self.query.now()),
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
    fn fill_keys(&self, order: &Order, hits: &mut [Hit]) -> Result<(), I::Error> {
        match &order.by {
            SortKey::Relevance => {
                let in_label = self.in_label(hits)?;
                for hit in hits {
                    let has_words = in_label.binary_search(&hit.object).is_ok();
                    hit.key = SortValue::Number(f64::from(u8::from(has_words)));
                }
            }
            SortKey::Label => {
                for part in hits.chunks_mut(MAX_BATCH) {
                    let labels = self.index.labels(&numbers(part))?;
                    for (hit, label) in part.iter_mut().zip(labels) {
                        hit.key = text_key(&label);
                    }
                }
            }
            SortKey::Attribute(name) if !order.is_by_number() => {
                for part in hits.chunks_mut(MAX_BATCH) {
                    let records = self.index.records(&numbers(part), &[name.as_str()])?;
                    for (hit, record) in part.iter_mut().zip(records) {
                        hit.key = record.get(name).map_or(SortValue::Missing, text_key);
                    }
                }
            }
            SortKey::Attribute(_)
            | SortKey::Newest
            | SortKey::Records
            | SortKey::FirstSeen
            | SortKey::LastSeen
            | SortKey::Changed
            | SortKey::Expires
            | SortKey::Soonest => {}
        }
        Ok(())
    }

    /// Returns the hits whose label has all words that are searched anywhere, by number. Without
    /// such words, none.
    fn in_label(&self, hits: &[Hit]) -> Result<Vec<i64>, I::Error> {
        let terms = self.query.terms().iter().filter(|term| !term.is_negated);
        let wanted = terms.filter_map(|term| match &term.test {
            Test::Words(phrase) => Some(Words::of(Place::Label, phrase).wanted),
            _ => None,
        });
        let words = Words {
            wanted: wanted.flatten().collect(),
            unwanted: Vec::new(),
        };
        if words.wanted.is_empty() {
            return Ok(Vec::new());
        }
        let mut objects = numbers(hits);
        objects.sort_unstable();
        self.index.with_entry(Key::Words(&words), &objects)
    }

    /// Returns the most frequent values of each attribute.
    fn facets(&self, counts: &Counts, limit: usize) -> Result<Vec<Facet>, I::Error> {
        let mut by_attribute: HashMap<u64, Vec<(u64, u64)>> = HashMap::new();
        for ((attribute, value), hits) in counts {
            by_attribute.entry(*attribute).or_default().push((*hits, *value));
        }
        let mut lists = Vec::new();
        for own in &self.attributes {
            if let Some(mut values) = by_attribute.remove(&own.number) {
                values.sort_unstable_by(|one, other| other.cmp(one));
                // Values of equal counts are ordered by their text, which is read only for these.
                values.truncate(limit.saturating_add(SPARE_FACETS));
                lists.push((&own.attribute, values));
            }
        }
        let ids = lists
            .iter()
            .flat_map(|(_, values)| values.iter().map(|(_, value)| *value));
        let mut texts = self.index.facet_values(&ids.collect::<Vec<u64>>())?.into_iter();
        let facets = lists.into_iter().map(|(attribute, values)| {
            let named = values.into_iter().map(|(hits, _)| hits).zip(texts.by_ref());
            facet(attribute, named.collect(), limit)
        });
        Ok(facets.collect())
    }
}

fn numbers(hits: &[Hit]) -> Vec<i64> {
    hits.iter().map(|hit| hit.object).collect()
}

/// Returns the facet of an attribute from values and their numbers of hits.
fn facet(attribute: &Attribute, mut values: Vec<(u64, String)>, limit: usize) -> Facet {
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
