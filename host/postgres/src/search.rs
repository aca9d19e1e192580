//! Search for objects in the index.

use std::cell::RefCell;
use std::collections::HashMap;
use std::ops::ControlFlow;
use std::thread::sleep;
use std::time::Instant;

use magpie_find::{
    Candidate, EachCandidate, EachEntry, Index, IndexedAttribute, Key, Packed, Place, Running, Words,
    did_you_mean, joined, site_term,
};
use magpie_model::{Attribute, Record};
use magpie_query::{Interval, Query, site_keys};
use magpie_rows::{
    Catalogue as _, MAX_COUNTED, ObjectDetail, ObjectId, ObjectRow, Search, SearchOptions, SearchPage,
    StoreError,
};
use tokio_postgres::Row;
use tokio_postgres::types::Type;

use crate::entries::{IndexedVertical, placed_word};
use crate::failure::Failure;
use crate::numbers::SHARED;
use crate::objects::object_row;
use crate::server::{AGAIN, Call, Transaction, call};
use crate::statement::Statement;
use crate::statements::search::{
    CANDIDATES_BEFORE, CANDIDATES_OF, COUNT_TERM, COUNT_WORDS, COUNTS_OF_TERMS, FACET_VALUES, HAS_WORD,
    INDEXED_VERTICAL, LABELS, NUMBERS_DOWN, NUMBERS_UP, OBJECT_DETAIL, OBJECTS_BEFORE, RECORDS_OF_OBJECTS,
    ROWS, TERM_BEFORE, WITH_TERM, WITH_WORDS, WITHIN, WORDS, WORDS_BEFORE, WORDS_WITH,
};
use crate::store::Store;
use crate::value::{Cells, Value, numbers};

/// Entries that are counted to find the term that drives.
const MAX_ESTIMATE: i64 = 20_000;

/// Entries that are read at a time: few at first, since a page may need no more. With the next part
/// there are as many as are counted.
const FIRST_PART: usize = 500;
const NEXT_PART: usize = MAX_COUNTED;

impl Search for Store {
    fn search(
        &self,
        vertical: &str,
        query: &Query,
        options: &SearchOptions,
    ) -> Result<SearchPage, StoreError> {
        let page = self.run(vertical, query, |search| {
            let start = search.start(vertical, options).map_err(Failure::Other)?;
            search.page(&start, options)
        })?;
        page.ok_or_else(|| StoreError::NoVertical {
            vertical: vertical.to_owned(),
        })
    }

    fn matching(
        &self,
        vertical: &str,
        query: &Query,
        among: &[ObjectId],
    ) -> Result<Vec<ObjectId>, StoreError> {
        let found = self.run(vertical, query, |search| search.matching(among))?;
        Ok(found.unwrap_or_default())
    }

    fn find_all(&self, vertical: &str, query: &Query) -> Result<Vec<ObjectId>, StoreError> {
        let found = self.run(vertical, query, |search| search.find_all())?;
        Ok(found.unwrap_or_default())
    }

    fn did_you_mean(&self, vertical: &str, query: &Query) -> Result<Option<String>, StoreError> {
        let offered = self.look(vertical, |tables, attributes| {
            did_you_mean(&tables, &attributes, query)
        })?;
        Ok(offered.flatten())
    }

    fn objects_of_sites(&self, vertical: &str, sites: &[&str]) -> Result<Vec<u64>, StoreError> {
        let warehouse = self.query(vertical_named(vertical), |cells| cells.get::<i64>())?;
        let term = |site: &&str| {
            let key = site_keys(site).into_iter().next();
            Some(site_term(*warehouse.first()?, &key?))
        };
        let terms: Vec<Option<i64>> = sites.iter().map(term).collect();
        let wanted = [SHARED.into(), numbers(terms.iter().flatten().copied())];
        let counts = self.query(call(&COUNTS_OF_TERMS, wanted), |cells| {
            Ok((cells.get()?, cells.unsigned()?))
        })?;
        let counts: HashMap<i64, u64> = counts.into_iter().collect();
        let count = |term: Option<i64>| term.and_then(|term| counts.get(&term).copied());
        Ok(terms
            .into_iter()
            .map(|term| count(term).unwrap_or_default())
            .collect())
    }

    fn object_detail(&self, id: ObjectId) -> Result<Option<ObjectDetail>, StoreError> {
        let found = self.query(call(&OBJECT_DETAIL, [SHARED.into(), id.0.into()]), |cells| {
            let object = object_row(cells)?;
            let merged_into: Option<i64> = cells.get()?;
            let revision = cells.unsigned()?;
            let schema: Vec<Attribute> = serde_json::from_str(cells.get()?).unwrap_or_default();
            Ok((object, merged_into.map(ObjectId), revision, schema))
        })?;
        let Some((object, merged_into, revision, schema)) = found.into_iter().next() else {
            return Ok(None);
        };
        let (merged, members) = (self.merged_into(id)?, self.members_of(id)?);
        Ok(Some(joined(
            &schema,
            object,
            merged_into,
            revision,
            merged,
            members,
        )))
    }
}

impl Store {
    /// Runs a query of a vertical. Returns `None` if there is no such vertical.
    fn run<T>(
        &self,
        vertical: &str,
        query: &Query,
        with: impl Fn(&Running<'_, Tables<'_>>) -> Result<T, Failure>,
    ) -> Result<Option<T>, StoreError> {
        self.look(vertical, |tables, attributes| {
            let warehouse = tables.warehouse;
            with(&Running::new(tables, warehouse, attributes, query))
        })
    }

    /// Reads the index of a vertical in one snapshot, again from the beginning if the connection is
    /// lost. Returns `None` if there is no such vertical.
    fn look<T>(
        &self,
        vertical: &str,
        with: impl Fn(Tables<'_>, Vec<IndexedAttribute>) -> Result<T, Failure>,
    ) -> Result<Option<T>, StoreError> {
        let begin = Instant::now();
        let look = || {
            let mut tables = Tables {
                snapshot: RefCell::new(self.server.snapshot()?),
                warehouse: 0,
            };
            let found = tables.read(vertical_named(vertical), IndexedVertical::read)?;
            let Some(vertical) = found.into_iter().next() else {
                return Ok(None);
            };
            tables.warehouse = vertical.warehouse;
            with(tables, vertical.attributes()).map(Some)
        };
        loop {
            match look() {
                Err(Failure::Lost(_)) if begin.elapsed() < self.server.patience() => sleep(AGAIN),
                found => return Ok(found?),
            }
        }
    }
}

fn vertical_named(vertical: &str) -> Call<'_> {
    call(
        &INDEXED_VERTICAL,
        [SHARED.into(), vertical.into(), Value::Int(None)],
    )
}

/// The index of a vertical.
struct Tables<'s> {
    snapshot: RefCell<Transaction<'s>>,
    warehouse: i64,
}

impl Tables<'_> {
    fn rows_of(&self, call: Call<'_>) -> Result<Vec<Row>, Failure> {
        let mut answers = self.snapshot.borrow_mut().run(vec![call])?;
        Ok(answers.pop().unwrap_or_default().rows)
    }

    fn read<T>(
        &self,
        call: Call<'_>,
        each: impl Fn(&mut Cells<'_>) -> Result<T, Failure>,
    ) -> Result<Vec<T>, Failure> {
        let rows = self.rows_of(call)?;
        rows.iter().map(|row| each(&mut Cells::of(row))).collect()
    }

    /// Reads a value of each of some objects, facet values or words, in their order.
    fn read_each<T>(
        &self,
        statement: &'static Statement,
        of: &[i64],
        each: impl Fn(&mut Cells<'_>) -> Result<T, Failure>,
    ) -> Result<Vec<T>, Failure> {
        match of {
            [] => Ok(Vec::new()),
            of => self.read(
                call(statement, [SHARED.into(), numbers(of.iter().copied())]),
                each,
            ),
        }
    }
}

/// Passes entries part by part. `read` reads up to a number of them after a position.
fn walk<T: Copy>(
    mut position: T,
    read: impl Fn(T, i64) -> Result<Vec<T>, Failure>,
    each: &mut EachEntry<'_, T, Failure>,
) -> Result<(), Failure> {
    let mut size = FIRST_PART;
    loop {
        let part = read(position, size as i64)?;
        for entry in &part {
            if each(*entry)?.is_break() {
                return Ok(());
            }
        }
        match part.last() {
            Some(last) if part.len() == size => position = *last,
            _ => return Ok(()),
        }
        size = NEXT_PART;
    }
}

/// A key and values as the parameters of the first statement if it is a term, of the other if it is
/// words.
fn keyed<'v, const N: usize>(
    [of_term, of_words]: [&'static Statement; 2],
    key: Key<'_>,
    values: [Value<'v>; N],
) -> Call<'v> {
    let mut all = vec![SHARED.into()];
    let statement = match key {
        Key::Term(term) => {
            all.push(term.into());
            of_term
        }
        Key::Words(words) => {
            all.extend(search_for(words));
            of_words
        }
    };
    all.extend(values);
    Call::new(statement, all)
}

/// Returns a search for words: an expression in the syntax of the server, and phrases of several
/// words, which it does not have, as places, words and their sense.
fn search_for<'v>(words: &Words) -> [Value<'v>; 4] {
    let mut terms: Vec<String> = Vec::new();
    let (mut places, mut phrases, mut senses) = (Vec::new(), Vec::new(), Vec::new());
    let wanted = words.wanted.iter().map(|placed| (placed, true));
    let unwanted = words.unwanted.iter().map(|placed| (placed, false));
    for (placed, is_wanted) in wanted.chain(unwanted) {
        let place = match placed.place {
            Place::Anywhere => None,
            Place::Label => Some(0),
            Place::Column(column) => Some(column + 1),
        };
        let phrase = &placed.phrase;
        if is_wanted || phrase.words.len() == 1 {
            for (at, word) in phrase.words.iter().enumerate() {
                let word = place.map_or_else(|| word.clone(), |place| placed_word(place, word));
                let not = if is_wanted { "" } else { "!" };
                let is_prefix = phrase.is_prefix && at + 1 == phrase.words.len();
                terms.push(format!("{not}'{word}'{}", if is_prefix { ":*" } else { "" }));
            }
        }
        if phrase.words.len() > 1 {
            let end = if phrase.is_prefix { "" } else { " " };
            // The line of the label is the first.
            places.push(Value::from(place.map_or(0, |place| place as i64 + 1)));
            phrases.push(Value::from(format!(" {}{end}", phrase.words.join(" "))));
            senses.push(Value::from(is_wanted));
        }
    }
    [
        terms.join(" & ").into(),
        Value::Many(Type::INT8_ARRAY, places),
        Value::Many(Type::TEXT_ARRAY, phrases),
        Value::Many(Type::BOOL_ARRAY, senses),
    ]
}

impl Index for Tables<'_> {
    type Error = Failure;

    /// Counts the newest entries, and takes the older ones to lie as dense if there are more.
    fn estimate(&self, key: Key<'_>) -> Result<f64, Failure> {
        let call = keyed([&COUNT_TERM, &COUNT_WORDS], key, [MAX_ESTIMATE.into()]);
        let counted = self.read(call, |cells| {
            let count: i64 = cells.get()?;
            let (first, last): (Option<i64>, Option<i64>) = (cells.get()?, cells.get()?);
            Ok(match (first, last) {
                (Some(first), Some(last)) if count == MAX_ESTIMATE => {
                    count as f64 / (last.abs_diff(first) + 1) as f64 * last as f64
                }
                _ => count as f64,
            })
        })?;
        Ok(counted.into_iter().sum())
    }

    fn entries_before(
        &self,
        key: Key<'_>,
        before: i64,
        each: &mut EachEntry<'_, i64, Failure>,
    ) -> Result<(), Failure> {
        let part = |before: i64, limit: i64| {
            let call = keyed([&TERM_BEFORE, &WORDS_BEFORE], key, [before.into(), limit.into()]);
            self.read(call, |cells| cells.get())
        };
        walk(before, part, each)
    }

    fn with_entry(&self, key: Key<'_>, objects: &[i64]) -> Result<Vec<i64>, Failure> {
        let objects = numbers(objects.iter().copied());
        self.read(keyed([&WITH_TERM, &WITH_WORDS], key, [objects]), |cells| {
            cells.get()
        })
    }

    fn within(&self, attribute: i64, interval: &Interval, limit: usize) -> Result<Vec<i64>, Failure> {
        // A bound that is not included is one next to the nearest number that is.
        let low = interval
            .low
            .map_or(f64::NEG_INFINITY, |low| match low.is_included {
                true => low.at,
                false => low.at.next_up(),
            });
        let high = interval
            .high
            .map_or(f64::INFINITY, |high| match high.is_included {
                true => high.at,
                false => high.at.next_down(),
            });
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let values = [
            SHARED.into(),
            attribute.into(),
            low.into(),
            high.into(),
            limit.into(),
        ];
        self.read(call(&WITHIN, values), |cells| cells.get())
    }

    fn numbers_after(
        &self,
        attribute: i64,
        position: (f64, i64),
        is_descending: bool,
        each: &mut EachEntry<'_, (f64, i64), Failure>,
    ) -> Result<(), Failure> {
        let statement = if is_descending { &NUMBERS_DOWN } else { &NUMBERS_UP };
        let part = |(low, object): (f64, i64), limit: i64| {
            let values = [
                SHARED.into(),
                attribute.into(),
                low.into(),
                object.into(),
                limit.into(),
            ];
            self.read(call(statement, values), |cells| Ok((cells.get()?, cells.get()?)))
        };
        walk(position, part, each)
    }

    fn objects_before(&self, before: i64, each: &mut EachEntry<'_, i64, Failure>) -> Result<(), Failure> {
        let part = |before: i64, limit: i64| {
            let values = [SHARED.into(), before.into(), limit.into(), self.warehouse.into()];
            self.read(call(&OBJECTS_BEFORE, values), |cells| cells.get())
        };
        walk(before, part, each)
    }

    fn candidates_before(
        &self,
        mut before: i64,
        each: &mut EachCandidate<'_, Failure>,
    ) -> Result<(), Failure> {
        let mut size = FIRST_PART;
        loop {
            let limit = (size as i64).into();
            let values = [SHARED.into(), before.into(), limit, self.warehouse.into()];
            let rows = self.rows_of(call(&CANDIDATES_BEFORE, values))?;
            if pass(&rows, each)?.is_break() || rows.len() < size {
                return Ok(());
            }
            if let Some(last) = rows.last() {
                before = Cells::of(last).get()?;
            }
            size = NEXT_PART;
        }
    }

    fn candidates(&self, objects: &[i64], each: &mut EachCandidate<'_, Failure>) -> Result<(), Failure> {
        let objects = numbers(objects.iter().copied());
        let values = [SHARED.into(), objects, self.warehouse.into()];
        pass(&self.rows_of(call(&CANDIDATES_OF, values))?, each).map(drop)
    }

    fn labels(&self, objects: &[i64]) -> Result<Vec<String>, Failure> {
        self.read_each(&LABELS, objects, |cells| cells.get())
    }

    fn records(&self, objects: &[i64], attributes: &[&str]) -> Result<Vec<Record>, Failure> {
        self.read_each(&RECORDS_OF_OBJECTS, objects, |cells| {
            Ok(Record::values_from_text(cells.get()?, attributes).unwrap_or_default())
        })
    }

    fn rows(&self, objects: &[i64]) -> Result<Vec<ObjectRow>, Failure> {
        self.read_each(&ROWS, objects, object_row)
    }

    fn facet_values(&self, values: &[u64]) -> Result<Vec<String>, Failure> {
        let values: Vec<i64> = values.iter().map(|value| value.cast_signed()).collect();
        self.read_each(&FACET_VALUES, &values, |cells| cells.get())
    }

    fn has_word(&self, word: &str) -> Result<bool, Failure> {
        let values = [SHARED.into(), format!("'{word}'").into()];
        let found = self.read(call(&HAS_WORD, values), |cells| cells.get())?;
        Ok(found.contains(&true))
    }

    fn words_with(&self, part: &str, limit: usize) -> Result<Vec<i64>, Failure> {
        let values = [SHARED.into(), part.into(), (limit as i64).into()];
        self.read(call(&WORDS_WITH, values), |cells| cells.get())
    }

    fn words(&self, ids: &[i64]) -> Result<Vec<String>, Failure> {
        self.read_each(&WORDS, ids, |cells| cells.get())
    }
}

/// Passes candidates until it breaks.
fn pass(rows: &[Row], each: &mut EachCandidate<'_, Failure>) -> Result<ControlFlow<()>, Failure> {
    for row in rows {
        let cells = &mut Cells::of(row);
        let candidate = Candidate {
            id: cells.get()?,
            current: cells.unsigned()?,
            first_seen: cells.time()?,
            last_seen: cells.time()?,
            changed_at: cells.time()?,
            expires_at: cells.optional_time()?,
            members: cells.unsigned()?,
            packed: Packed(cells.get()?),
        };
        if each(&candidate)?.is_break() {
            return Ok(ControlFlow::Break(()));
        }
    }
    Ok(ControlFlow::Continue(()))
}
