//! Answers of queries from the index.
//!
//! One term of a query drives: its entries are read in the order of objects, the newest first, in
//! batches. The other terms with entries thin out the IDs of a batch before the objects are read,
//! by a look-up for each or by the entries between the first and the last, whichever is cheaper;
//! the rest tests the objects. Hits are counted and their facets added up to [`MAX_COUNTED`]; up to
//! there they are sorted in memory. Beyond, the newest come from the driving term and numbers from
//! their index; other orders read all hits. [Decision
//! 36](../../../../docs/decisions/036-changes-and-search.md) has the reasons.

use std::collections::HashMap;
use std::ops::ControlFlow;

use magpie_model::Attribute;
use magpie_query::{Query, Test, equality_term, site_keys};
use magpie_rows::{
    Count, Cursor, Facet, FacetValue, MAX_COUNTED, ObjectDetail, ObjectId, ObjectRow, Search, SearchOptions,
    SearchPage, SortKey, StoreError,
};
use magpie_values::Timestamp;
use rusqlite::OptionalExtension as _;

use crate::opened::{Looks, Opened};
use crate::search::index::term;
use crate::search::matches::{Candidate, FIRST_BATCH, MAX_BATCH};
use crate::search::order::{Hit, Order, soonest_key, text_key};
use crate::search::plan::{Driver, Running, words};
use crate::search::position::SortValue;
use crate::search::{detail, suggest};
use crate::warehouse::read::{OBJECT, object_row};

/// Facet values that are read beyond those asked for.
const SPARE_FACETS: usize = 50;

impl<A: Looks> Search for Opened<A> {
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

    fn objects_of_sites(&self, vertical: &str, sites: &[&str]) -> Result<Vec<u64>, StoreError> {
        self.look(|connection| {
            let mut statement = connection.prepare_cached("SELECT id FROM warehouse WHERE vertical = ?1")?;
            let warehouse: Option<i64> = statement.query_row([vertical], |row| row.get(0)).optional()?;
            let mut statement =
                connection.prepare_cached("SELECT count(*) FROM object_term WHERE term = ?1")?;
            let count = |site: &&str| {
                let key = site_keys(site).into_iter().next();
                let Some((warehouse, key)) = warehouse.zip(key) else {
                    return Ok(0);
                };
                let count = statement.query_row([term(warehouse, None, &key)], |row| row.get::<_, i64>(0));
                count.map(i64::unsigned_abs)
            };
            sites.iter().map(count).collect()
        })
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

type Counts = HashMap<(u64, u64), u64>;

impl Running<'_, '_> {
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
    ) -> rusqlite::Result<(Vec<Hit>, Option<Cursor>)> {
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
            | SortKey::Expires
            | SortKey::Soonest => {}
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

    fn rows(&self, hits: &[Hit]) -> rusqlite::Result<Vec<ObjectRow>> {
        let sql = format!("{OBJECT} WHERE object.id = ?1");
        let mut statement = self.connection.prepare_cached(&sql)?;
        let rows = hits
            .iter()
            .map(|hit| statement.query_row([hit.object], object_row));
        rows.collect()
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
            // Values of equal counts are ordered by their text, which is read only for these.
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
