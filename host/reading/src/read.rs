//! Reading a page by what was learned of its site.

use std::fmt;
use std::ops::Range;

use magpie_model::{Kind, PageContext, Record, RecordValue};
use magpie_page::{NodeId, Page};
use magpie_values::kind::Shape;
use magpie_values::text;

use crate::facts::names_currency;
use crate::reading::{Class, ClassKind, Locator, Reading};
use crate::schema::amount;
use crate::share::share;
use crate::site;
use crate::subject::{is_structured, subjects};
use crate::tree::{Slot, Tree, hash};

/// Slots of a page that are looked at.
const MAX_SLOTS: usize = 20_000;

/// Lower bound of a locator that overrules a finding of the vertical, or one from structured data,
/// and its support.
const OVERRULING: f64 = 0.6;
const OVERRULING_DATA: f64 = 0.8;
const MIN_OVERRULING_SUPPORT: usize = 8;

/// Share of the witnesses that such a locator confirms, of all that say something.
const MIN_CONFIRMED: f64 = 0.45;

/// Share of the pages from which an identifying attribute belongs to every object of a class.
const EXPECTED: f64 = 0.5;

/// Origin of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// The vertical read it on the page.
    Page,
    /// The vertical read it from structured data of the page.
    StructuredData,
    /// It stands on the page at a learned place, which is named.
    Place(String),
    /// An item of a list that links to the page.
    List,
    /// A fact of the site.
    Site,
    /// A person's correction.
    Correction,
}

impl fmt::Display for Source {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Source::Page => formatter.write_str("page"),
            Source::StructuredData => formatter.write_str("structured data"),
            Source::Place(name) => write!(formatter, "place {name}"),
            Source::List => formatter.write_str("list"),
            Source::Site => formatter.write_str("site"),
            Source::Correction => formatter.write_str("correction"),
        }
    }
}

/// A record with the origins of its values.
#[derive(Clone, Debug, PartialEq)]
pub struct ReadRecord {
    /// The record.
    pub record: Record,
    /// The origin of each of its values, in their order.
    pub sources: Vec<Source>,
    /// Is true if the vertical had no such record.
    pub is_made: bool,
}

/// A comparison of a locator with what the vertical found, for [`Drift`](crate::Drift).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Comparison {
    pub(crate) class: usize,
    pub(crate) locator: usize,
    pub(crate) agrees: bool,
}

/// A place whose value is not the one that the vertical found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Disagreement {
    /// The attribute.
    pub attribute: String,
    /// The name of the place.
    pub find: String,
    /// The value that stands there.
    pub read: String,
    /// The values that the vertical found.
    pub found: Vec<String>,
}

/// The records of a page.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outcome {
    /// The name and kind of the page's class; none if it has none of the known ones.
    pub class: Option<(String, ClassKind)>,
    /// The records, those of the vertical first.
    pub records: Vec<ReadRecord>,
    /// Records of the vertical that stand in repeated regions.
    pub dropped: Vec<Record>,
    /// Places whose values are not those that the vertical found.
    pub disagreements: Vec<Disagreement>,
    pub(crate) comparisons: Vec<Comparison>,
}

/// A record while its values are put together.
struct Draft {
    record: Record,
    sources: Vec<Source>,
    is_made: bool,
}

impl Draft {
    fn has(&self, attribute: &str) -> bool {
        self.record.get(attribute).is_some()
    }

    /// Sets the values of an attribute in place of those it had.
    fn set(&mut self, reading: &Reading, values: Vec<RecordValue>, source: &Source) {
        let Some(at) = values
            .first()
            .and_then(|value| reading.schema.place(&value.attribute))
        else {
            return;
        };
        let name = &reading.schema.attribute(at).name;
        let mut kept = self.record.values.iter().map(|value| value.attribute != *name);
        self.sources.retain(|_| kept.next().unwrap_or_default());
        self.record.values.retain(|value| value.attribute != *name);
        // Values stand in the schema's order.
        let place = self.record.values.partition_point(|value| {
            reading
                .schema
                .place(&value.attribute)
                .is_some_and(|other| other < at)
        });
        self.sources
            .splice(place..place, values.iter().map(|_| source.clone()));
        self.record.values.splice(place..place, values);
    }
}

/// A value that was found at a learned place.
struct Found<'r> {
    values: Vec<RecordValue>,
    /// The text of the place, and its nodes.
    text: String,
    nodes: Range<NodeId>,
    locator: &'r Locator,
}

/// A page while it is read.
struct Sheet<'r, 'p> {
    reading: &'r Reading,
    class: &'r Class,
    at: usize,
    tree: &'p Tree<'p>,
    context: &'p PageContext,
    slots: Vec<Slot>,
    /// Regions of this class, beside those that every page may have.
    regions: Vec<Range<NodeId>>,
}

impl Reading {
    /// Reads a page: `records` are those of the vertical, and `lists` are records of other pages of
    /// the site that have the address of this page. Without a known class it changes nothing but
    /// currencies and what a person corrected.
    pub fn read(
        &self,
        page: &Page,
        context: &PageContext,
        records: Vec<Record>,
        lists: &[Record],
    ) -> Outcome {
        let tree = Tree::new(page);
        let url = page.url().as_str();
        let classified = self.classify(&tree, url);
        let mut drafts: Vec<Draft> = records.into_iter().map(|record| draft(&tree, record)).collect();
        let mut outcome = Outcome::default();
        let of_page = |drafts: &[Draft]| {
            let records: Vec<&Record> = drafts.iter().map(|draft| &draft.record).collect();
            subjects(
                &self.schema,
                &tree,
                url,
                page.title().unwrap_or_default(),
                &records,
            )
        };
        let mut own = of_page(&drafts);
        if let Some(at) = classified.class {
            let index = self.index(at);
            let span = |node: &NodeId| *node..tree.document.end(*node);
            let is_free =
                |region: &Range<NodeId>| !tree.heading.is_some_and(|heading| region.contains(&heading));
            let nodes = |name| classified.nodes.get(name).into_iter().flatten();
            let sheet = Sheet {
                reading: self,
                class: &self.classes[at],
                at,
                tree: &tree,
                context,
                slots: tree.slots(MAX_SLOTS, Some(&index.wanted), None),
                regions: index
                    .regions
                    .iter()
                    .flat_map(nodes)
                    .map(span)
                    .filter(is_free)
                    .collect(),
            };
            outcome.class = Some((sheet.class.name.clone(), sheet.class.kind));
            if sheet.class.kind == ClassKind::Detail {
                sheet.read_subject(&mut drafts, &mut own, lists, &mut outcome);
            } else if own.is_empty() {
                let group = site::list(url);
                for (items, name) in sheet.class.items.iter().zip(&index.items) {
                    for root in nodes(name).map(span) {
                        let makes = items.makes_objects.contains(&group);
                        sheet.read_item(&items.locators, makes, root, &mut drafts);
                    }
                }
            }
            sheet.drop_widgets(&mut drafts, &own, &mut outcome);
            own = of_page(&drafts);
        }
        if own.is_empty() {
            own.extend(self.stated(context, &mut drafts));
        }
        self.correct(url, &mut drafts, &own);
        for draft in &mut drafts {
            self.set_currency(draft);
        }
        outcome.records = drafts
            .into_iter()
            .map(|draft| ReadRecord {
                record: draft.record,
                sources: draft.sources,
                is_made: draft.is_made,
            })
            .collect();
        outcome
    }

    /// Makes the record of a page of which a person stated all that an object needs.
    fn stated(&self, context: &PageContext, drafts: &mut Vec<Draft>) -> Option<usize> {
        let address = site::address(&context.url);
        let mut needed = self.schema.info.attributes.iter().enumerate();
        let is_stated = |attribute: &str| {
            let mut of_page = self
                .corrections
                .iter()
                .filter(|one| site::address(&one.page) == address);
            of_page.any(|one| one.attribute == attribute)
        };
        let is_whole = needed.all(|(at, attribute)| {
            !(attribute.required || Some(at) == self.schema.name) || is_stated(&attribute.name)
        });
        is_whole.then(|| {
            drafts.push(made(self, context, 1.0, Some(context.url.clone())));
            drafts.len() - 1
        })
    }

    fn correct(&self, url: &str, drafts: &mut [Draft], own: &[usize]) {
        let address = site::address(url);
        for correction in self
            .corrections
            .iter()
            .filter(|one| site::address(&one.page) == address)
        {
            let at = self.schema.place(&correction.attribute);
            let Some(value) = at.and_then(|at| correction.read(&self.schema, at)) else {
                continue;
            };
            for at in own {
                drafts[*at].set(self, vec![value.clone()], &Source::Correction);
            }
        }
    }

    /// Gives amounts whose text names no currency that of the site.
    fn set_currency(&self, draft: &mut Draft) {
        let Some(currency) = &self.facts.currency else {
            return;
        };
        for (value, source) in draft.record.values.iter_mut().zip(&mut draft.sources) {
            let is_amount = self
                .schema
                .place(&value.attribute)
                .is_some_and(|at| self.schema.kind(at).shape() == Shape::Amount);
            if !is_amount || *source == Source::Correction {
                continue;
            }
            let is_stated = value.value.split_once(' ').is_some_and(|(_, stated)| {
                stated == currency || names_currency(value.raw.as_deref(), stated)
            });
            if !is_stated {
                let changed = format!("{} {currency}", amount(&value.value));
                let before = std::mem::replace(&mut value.value, changed);
                value.raw.get_or_insert(before);
                *source = Source::Site;
            }
        }
    }
}

/// A record without values but its address.
fn made(reading: &Reading, context: &PageContext, confidence: f64, url: Option<String>) -> Draft {
    let schema = &reading.schema;
    let mut draft = Draft {
        record: Record {
            object_type: schema.info.object_type.clone(),
            confidence,
            values: Vec::new(),
        },
        sources: Vec::new(),
        is_made: true,
    };
    let url = schema
        .url
        .zip(url)
        .and_then(|(at, url)| schema.normal(at, &url, context));
    draft.set(reading, url.into_iter().collect(), &Source::Page);
    draft
}

fn draft(tree: &Tree<'_>, record: Record) -> Draft {
    let source = |value: &RecordValue| match is_structured(tree, value.node) {
        true => Source::StructuredData,
        false => Source::Page,
    };
    Draft {
        sources: record.values.iter().map(source).collect(),
        record,
        is_made: false,
    }
}

impl<'r> Sheet<'r, '_> {
    fn is_in_region(&self, node: NodeId) -> bool {
        self.tree.is_in_region(node) || self.regions.iter().any(|region| region.contains(&node))
    }

    /// The values at the places of a page or an item: for each attribute those of the first locator
    /// that finds one.
    fn find(&self, locators: &'r [Locator], within: Range<NodeId>, is_item: bool) -> Vec<Found<'r>> {
        let schema = &self.reading.schema;
        let start = self.slots.partition_point(|slot| slot.node < within.start);
        let end = self.slots.partition_point(|slot| slot.node < within.end);
        let slots = &self.slots[start..end];
        let mut found: Vec<Found<'r>> = Vec::new();
        for locator in locators {
            if found
                .iter()
                .any(|known| known.locator.attribute == locator.attribute)
            {
                continue;
            }
            let name = hash(&locator.find);
            let is_repeated = schema.attribute(locator.attribute).repeated;
            let places = slots
                .iter()
                .filter(|slot| slot.names.contains(&name) && (is_item || !self.is_in_region(slot.node)))
                .take(if is_repeated { magpie_model::MAX_VALUES } else { 1 });
            let mut read: Option<Found<'r>> = None;
            for slot in places {
                let Some(value) = locator.read(schema, slot, self.context) else {
                    continue;
                };
                let found = read.get_or_insert_with(|| Found {
                    values: Vec::new(),
                    text: slot.text.clone(),
                    nodes: slot.node..slot.end,
                    locator,
                });
                if found.values.iter().all(|known| known.value != value.value) {
                    found.values.push(value);
                }
            }
            found.extend(read);
        }
        found
    }

    /// Returns true if all is there that an object of these locators needs.
    fn is_complete(&self, locators: &[Locator], has: &dyn Fn(usize) -> bool) -> bool {
        let schema = &self.reading.schema;
        let attributes = schema.info.attributes.iter().enumerate();
        let is_expected = |at: usize| {
            let mut of = locators.iter().filter(|locator| locator.attribute == at);
            of.any(|locator| locator.coverage >= EXPECTED)
        };
        let needed = attributes.filter(|(at, attribute)| {
            attribute.required || Some(*at) == schema.name || (attribute.identifies && is_expected(*at))
        });
        needed.map(|(at, _)| at).all(has)
    }

    /// Returns true if pages of this class with addresses of this group are about objects.
    fn is_about_objects(&self) -> bool {
        let group = site::group(&self.context.url);
        self.class.makes_objects.contains(&group)
    }

    /// Reads the object that the page is about.
    fn read_subject(
        &self,
        drafts: &mut Vec<Draft>,
        own: &mut Vec<usize>,
        lists: &[Record],
        outcome: &mut Outcome,
    ) {
        let everything = 0..self.tree.document.node_count();
        let found = self.find(&self.class.locators, everything, false);
        self.compare(&found, drafts, own, outcome);
        // A template may serve pages that are about no object, as of a performer with one event.
        if !self.is_about_objects() && lists.is_empty() {
            return;
        }
        if own.is_empty()
            && let Some(made) = self.make_subject(&found, lists)
        {
            own.push(drafts.len());
            drafts.push(made);
        }
        let is_single = own.len() == 1;
        for &at in own.iter() {
            // Each of several dates of an object has an end of its own.
            let fits = |place: &&Found<'_>| {
                is_single || *self.reading.schema.kind(place.locator.attribute) != Kind::DateTime
            };
            for place in found.iter().filter(fits) {
                self.merge(&mut drafts[at], place, lists, is_single);
            }
            if is_single {
                self.take_from_lists(&mut drafts[at], lists);
            }
            for (attribute, value) in &self.reading.facts.constants {
                let known = self.reading.schema.place(attribute);
                let value = known.and_then(|at| self.reading.schema.normal(at, value, self.context));
                if let Some(value) = value
                    && !drafts[at].has(attribute)
                {
                    drafts[at].set(self.reading, vec![value], &Source::Site);
                }
            }
        }
    }

    /// Compares what locators find with what the vertical found.
    fn compare(&self, found: &[Found<'_>], drafts: &[Draft], own: &[usize], outcome: &mut Outcome) {
        let schema = &self.reading.schema;
        for place in found {
            let attribute = schema.attribute(place.locator.attribute);
            let stated = own.iter().flat_map(|at| drafts[*at].record.all(&attribute.name));
            let stated: Vec<&str> = stated.collect();
            let agrees = |value: &RecordValue| {
                stated
                    .iter()
                    .any(|one| schema.agree(place.locator.attribute, one, &value.value))
            };
            let locator = self
                .class
                .locators
                .iter()
                .position(|one| std::ptr::eq(one, place.locator));
            if let Some(locator) = locator.filter(|_| !stated.is_empty()) {
                if !place.values.iter().any(agrees) {
                    outcome.disagreements.push(Disagreement {
                        attribute: attribute.name.clone(),
                        find: place.locator.find.clone(),
                        read: place
                            .values
                            .first()
                            .map(|one| one.value.clone())
                            .unwrap_or_default(),
                        found: stated.iter().map(|value| (*value).to_owned()).collect(),
                    });
                }
                outcome.comparisons.push(Comparison {
                    class: self.at,
                    locator,
                    agrees: place.values.iter().any(agrees),
                });
            }
        }
    }

    /// Makes the record of a page without one, from its places and the lists that link to it.
    fn make_subject(&self, found: &[Found<'_>], lists: &[Record]) -> Option<Draft> {
        let schema = &self.reading.schema;
        let name = found
            .iter()
            .find(|place| Some(place.locator.attribute) == schema.name)?;
        let name_attribute = &schema.attribute(name.locator.attribute).name;
        let is_same = |list: &&Record| {
            list.get(name_attribute)
                .is_some_and(|listed| schema.agree(name.locator.attribute, listed, &name.values[0].value))
        };
        let list = lists.iter().find(is_same);
        let is_found = |at: usize| found.iter().any(|place| place.locator.attribute == at);
        let is_listed = |at: usize| list.is_some_and(|list| list.get(&schema.attribute(at).name).is_some());
        let is_complete = self.is_complete(&self.class.locators, &|at| is_found(at) || is_listed(at));
        if !(self.is_about_objects() || list.is_some()) || !is_complete {
            return None;
        }
        let needed = found
            .iter()
            .filter(|place| schema.attribute(place.locator.attribute).identifies);
        let sure = needed.map(|place| place.locator.lower()).fold(1.0, f64::min);
        Some(made(
            self.reading,
            self.context,
            sure,
            Some(self.context.url.clone()),
        ))
    }

    /// Fills an attribute from its place, or overrules what the vertical read elsewhere.
    fn merge(&self, draft: &mut Draft, place: &Found<'_>, lists: &[Record], is_single: bool) {
        let schema = &self.reading.schema;
        let attribute = schema.attribute(place.locator.attribute);
        let known = draft
            .record
            .values
            .iter()
            .position(|value| value.attribute == attribute.name);
        let overrules = |at: usize| {
            let value = &draft.record.values[at];
            let agrees = |other: &str| schema.agree(place.locator.attribute, &value.value, other);
            let needed = match draft.sources[at] {
                Source::Page => OVERRULING,
                Source::StructuredData => OVERRULING_DATA,
                // What a person, a list or a better place said stays.
                _ => return false,
            };
            // Where witnesses often say what stands nowhere on the page, the place is that of
            // something else.
            let is_usual = share(place.locator.support, place.locator.stated) >= MIN_CONFIRMED;
            let is_sure = is_usual
                && place.locator.lower() >= needed
                && place.locator.support >= MIN_OVERRULING_SUPPORT;
            // The vertical may have read a part of the same place with more care.
            let (stated, found) = (
                text::bare(value.raw.as_ref().unwrap_or(&value.value)),
                text::bare(&place.text),
            );
            let is_part = value.node.is_some_and(|node| place.nodes.contains(&node))
                || found.contains(&stated)
                || stated.contains(&found);
            is_sure
                && is_single
                && !attribute.repeated
                && !place.values.iter().any(|value| agrees(&value.value))
                && !is_part
                && !lists
                    .iter()
                    .flat_map(|list| list.all(&attribute.name))
                    .any(agrees)
        };
        if known.is_none_or(overrules) {
            draft.set(
                self.reading,
                place.values.clone(),
                &Source::Place(place.locator.find.clone()),
            );
        }
    }

    /// Fills what the page does not say from the items of lists that link to it.
    fn take_from_lists(&self, draft: &mut Draft, lists: &[Record]) {
        for attribute in &self.reading.schema.info.attributes {
            if draft.has(&attribute.name) || attribute.kind == Kind::Image {
                continue;
            }
            let is_said = |list: &&Record| {
                let label = self.reading.facts.labels.get(&attribute.name);
                list.get(&attribute.name)
                    .is_some_and(|value| Some(value) != label.map(String::as_str))
            };
            let list = lists.iter().find(is_said);
            let values = list.into_iter().flat_map(|list| &list.values);
            let values = values.filter(|value| value.attribute == attribute.name);
            // The nodes are those of another page.
            let values = values.map(|value| RecordValue {
                node: None,
                ..value.clone()
            });
            draft.set(self.reading, values.collect(), &Source::List);
        }
    }

    /// Reads one item of a list: fills its record, or makes one.
    fn read_item(&self, locators: &'r [Locator], makes: bool, root: Range<NodeId>, drafts: &mut Vec<Draft>) {
        let schema = &self.reading.schema;
        let found = self.find(locators, root.clone(), true);
        let is_inside = |draft: &Draft| {
            let nodes = draft.record.values.iter().filter_map(|value| value.node);
            nodes.into_iter().any(|node| root.contains(&node))
        };
        let inside: Vec<usize> = (0..drafts.len()).filter(|at| is_inside(&drafts[*at])).collect();
        let target = match inside[..] {
            [one] => one,
            [] if makes
                && self.is_complete(locators, &|at| {
                    found.iter().any(|place| place.locator.attribute == at)
                }) =>
            {
                let needed = found
                    .iter()
                    .filter(|place| schema.attribute(place.locator.attribute).identifies);
                let sure = needed.map(|place| place.locator.lower()).fold(1.0, f64::min);
                drafts.push(made(self.reading, self.context, sure, None));
                drafts.len() - 1
            }
            _ => return,
        };
        for place in &found {
            self.merge(&mut drafts[target], place, &[], false);
        }
    }

    /// Takes out records of other objects that stand in regions of a page about one.
    fn drop_widgets(&self, drafts: &mut Vec<Draft>, own: &[usize], outcome: &mut Outcome) {
        let schema = &self.reading.schema;
        let is_about_one = self.class.kind == ClassKind::Detail && !own.is_empty();
        if !is_about_one && self.class.kind != ClassKind::Widgets {
            return;
        }
        let name = schema.name.map(|at| &schema.attribute(at).name);
        let url = schema.url.map(|at| &schema.attribute(at).name);
        let details = self
            .reading
            .classes
            .iter()
            .filter(|class| class.kind == ClassKind::Detail);
        let shapes: Vec<&String> = details.flat_map(|class| &class.urls).collect();
        let is_widget = |record: &Record| {
            let node = record
                .values
                .iter()
                .find(|value| Some(&value.attribute) == name)
                .and_then(|value| value.node);
            // An object that has no page of its own is read here or nowhere.
            let has_page = url
                .and_then(|url| record.get(url))
                .is_some_and(|url| shapes.contains(&&site::shape(url)));
            node.is_some_and(|node| self.is_in_region(node)) && has_page
        };
        let mut kept = Vec::with_capacity(drafts.len());
        for (at, draft) in drafts.drain(..).enumerate() {
            match !own.contains(&at) && is_widget(&draft.record) {
                true => outcome.dropped.push(draft.record),
                false => kept.push(draft),
            }
        }
        *drafts = kept;
    }
}
