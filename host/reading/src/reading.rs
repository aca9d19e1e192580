//! A reading: what was learned of a site, ready for use.

use std::collections::HashMap;
use std::fmt;

use magpie_model::{PageContext, RecordValue, VerticalInfo};
use magpie_page::NodeId;
use magpie_values::kind::Shape;
use serde::{Deserialize, Serialize};

use crate::Facts;
use crate::schema::{DAY, Part, Schema, amount};
use crate::share::{share, wilson};
use crate::site;
use crate::tree::{Name, NameSet, Slot, Tree, Wanted, feature_hash};

/// Share of the marks of a class that a page of it has.
const MIN_MARKS: f64 = 0.7;

/// Weight of an address of the usual shape against marks, and of marks that other classes share.
const SHAPE_WEIGHT: f64 = 0.15;
const SHARED_WEIGHT: f64 = 0.2;

/// Purpose of the pages of a class.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ClassKind {
    /// The entry of the site.
    Entry,
    /// Pages that list objects.
    List,
    /// Pages that are about one object each.
    Detail,
    /// Articles with a time of publishing.
    Post,
    /// Pages whose objects stand in repeated regions alone: a cart, a list of related objects.
    Widgets,
    /// Pages without objects.
    Other,
}

impl ClassKind {
    /// The word for programs, as in the file.
    pub fn as_str(self) -> &'static str {
        match self {
            ClassKind::Entry => "entry",
            ClassKind::List => "list",
            ClassKind::Detail => "detail",
            ClassKind::Post => "post",
            ClassKind::Widgets => "widgets",
            ClassKind::Other => "other",
        }
    }
}

impl fmt::Display for ClassKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            ClassKind::Entry => "entry",
            ClassKind::List => "lists",
            ClassKind::Detail => "pages of one object",
            ClassKind::Post => "posts",
            ClassKind::Widgets => "objects in widgets alone",
            ClassKind::Other => "no objects",
        })
    }
}

/// Pages that are made by one template.
#[derive(Clone, Debug)]
pub(crate) struct Class {
    pub(crate) name: String,
    pub(crate) kind: ClassKind,
    pub(crate) pages: usize,
    pub(crate) example: String,
    /// Groups of addresses whose pages get a record where the vertical has none, if the locators
    /// find all that one needs.
    pub(crate) makes_objects: Vec<String>,
    /// Shapes of the addresses.
    pub(crate) urls: Vec<String>,
    /// Features that its pages have and those of other classes lack.
    pub(crate) marks: Vec<String>,
    /// Share of the marks that pages of other classes have, too.
    pub(crate) shared: f64,
    /// Features of elements whose contents are about other pages.
    pub(crate) regions: Vec<String>,
    pub(crate) locators: Vec<Locator>,
    pub(crate) items: Vec<Items>,
}

/// The items of a list.
#[derive(Clone, Debug)]
pub(crate) struct Items {
    /// The feature of the element around each item.
    pub(crate) root: String,
    /// Lists on which an item without a record gets one.
    pub(crate) makes_objects: Vec<String>,
    pub(crate) locators: Vec<Locator>,
}

/// A place where the values of an attribute stand.
#[derive(Clone, Debug)]
pub(crate) struct Locator {
    pub(crate) attribute: usize,
    pub(crate) find: String,
    pub(crate) part: Part,
    /// Pages or items whose witnesses agreed; 0 if there were none, and the template names the
    /// place as the schema names the attribute.
    pub(crate) support: usize,
    /// Pages or items that a witness says a value of, also where it stands nowhere.
    pub(crate) stated: usize,
    /// Share of the located witnesses that agreed.
    pub(crate) agreement: f64,
    /// Share of the pages or items that have the place, with a value that can be read.
    pub(crate) coverage: f64,
    /// Distinct values for each place that was read.
    pub(crate) variety: f64,
    /// Is true if dates have a day, so that a mere year is none of its values.
    pub(crate) day: bool,
    /// The only values of an attribute with few: other words at its place mean something else.
    pub(crate) only: Vec<String>,
}

impl Locator {
    /// Reads a value at a place.
    pub(crate) fn read(&self, schema: &Schema, slot: &Slot, context: &PageContext) -> Option<RecordValue> {
        let value = schema.read(self.attribute, slot, self.part, context)?;
        let is_known = self.only.is_empty()
            || self
                .only
                .iter()
                .any(|only| schema.agree(self.attribute, only, &value.value));
        // Shops write a price of 0 if the price is available on request.
        let is_nothing = schema.kind(self.attribute).shape() == Shape::Amount
            && amount(&value.value)
                .bytes()
                .all(|byte| matches!(byte, b'0' | b'.'));
        let has_day = !self.day || value.value.len() >= DAY;
        (is_known && has_day && !is_nothing).then_some(value)
    }

    /// Lower bound of the share of right values.
    pub(crate) fn lower(&self) -> f64 {
        let of = self.support as f64 / self.agreement.max(0.01);
        wilson(self.support as f64, of).0
    }
}

/// A value that a person stated for a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Correction {
    /// The page.
    pub page: String,
    /// The attribute.
    pub attribute: String,
    /// Its value on this page, as a person writes it.
    pub value: String,
}

impl Correction {
    /// The value in normal form.
    pub(crate) fn read(&self, schema: &Schema, at: usize) -> Option<RecordValue> {
        let context = PageContext {
            url: self.page.clone(),
            ..PageContext::default()
        };
        schema.normal(at, &self.value, &context)
    }
}

/// A learned place, for people.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Place<'r> {
    /// The name of the class of pages that have it.
    pub class: &'r str,
    /// The attribute whose values stand there.
    pub attribute: &'r str,
    /// Its name.
    pub find: &'r str,
    /// True if each item of a list has it.
    pub of_item: bool,
    /// Pages or items on which a witness had the same value.
    pub support: usize,
    /// Share of the witnesses that agreed.
    pub agreement: f64,
    /// Share of the pages or items that have the place.
    pub coverage: f64,
}

/// Knowledge of one site for one vertical.
#[derive(Clone, Debug)]
pub struct Reading {
    pub(crate) schema: Schema,
    pub(crate) site: String,
    /// Number of pages that it was learned from.
    pub(crate) pages: usize,
    pub(crate) facts: Facts,
    pub(crate) classes: Vec<Class>,
    pub(crate) corrections: Vec<Correction>,
    index: Vec<ClassIndex>,
    /// Marks, and features of items and regions, of all classes.
    features: NameSet,
}

/// A class, by hashes.
#[derive(Clone, Debug)]
pub(crate) struct ClassIndex {
    marks: Vec<Name>,
    pub(crate) regions: Vec<Name>,
    pub(crate) items: Vec<Name>,
    /// The names of all locators.
    pub(crate) wanted: Wanted,
}

/// A page's class and what else its features say.
pub(crate) struct Classified {
    pub(crate) class: Option<usize>,
    /// The elements that may be items or regions, and the marks of the page.
    pub(crate) nodes: HashMap<Name, Vec<NodeId>>,
}

impl Reading {
    pub(crate) fn new(
        mut schema: Schema,
        site: String,
        pages: usize,
        facts: Facts,
        classes: Vec<Class>,
        corrections: Vec<Correction>,
    ) -> Reading {
        schema.set_year(facts.year);
        let hashes = |texts: &[String]| texts.iter().map(|text| feature_hash(text)).collect::<Vec<Name>>();
        let index: Vec<ClassIndex> = classes
            .iter()
            .map(|class| {
                let items = class.items.iter().flat_map(|items| &items.locators);
                let locators = class.locators.iter().chain(items);
                ClassIndex {
                    marks: hashes(&class.marks),
                    regions: hashes(&class.regions),
                    items: class
                        .items
                        .iter()
                        .map(|items| feature_hash(&items.root))
                        .collect(),
                    wanted: Wanted::new(locators.map(|locator| locator.find.as_str())),
                }
            })
            .collect();
        let features = index
            .iter()
            .flat_map(|class| class.marks.iter().chain(&class.regions).chain(&class.items));
        Reading {
            features: features.copied().collect(),
            schema,
            site,
            pages,
            facts,
            classes,
            corrections,
            index,
        }
    }

    /// A reading without content, which corrections can be added to before a site is learned.
    pub fn empty(info: &VerticalInfo, site: &str) -> Reading {
        Reading::new(
            Schema::new(info),
            site.to_owned(),
            0,
            Facts::default(),
            Vec::new(),
            Vec::new(),
        )
    }

    /// The facts of the site.
    pub fn facts(&self) -> &Facts {
        &self.facts
    }

    /// The corrections that people made.
    pub fn corrections(&self) -> &[Correction] {
        &self.corrections
    }

    /// Adds a value that a person stated for a page, in place of an earlier one. Returns false if
    /// the vertical has no such attribute, or the text is no value of it. The locators follow
    /// when the site is learned again.
    pub fn teach(&mut self, page: &str, attribute: &str, value: &str) -> bool {
        let correction = Correction {
            page: page.to_owned(),
            attribute: attribute.to_owned(),
            value: value.to_owned(),
        };
        let at = self.schema.place(attribute);
        if at.and_then(|at| correction.read(&self.schema, at)).is_none() {
            return false;
        }
        let address = site::address(page);
        self.corrections
            .retain(|one| one.attribute != attribute || site::address(&one.page) != address);
        self.corrections.push(correction);
        true
    }

    /// The names of the classes with their kinds and numbers of pages, the largest first.
    pub fn classes(&self) -> impl Iterator<Item = (&str, ClassKind, usize)> {
        self.classes
            .iter()
            .map(|class| (class.name.as_str(), class.kind, class.pages))
    }

    /// The number of pages that it was learned from.
    pub fn pages(&self) -> usize {
        self.pages
    }

    /// The learned places, class by class.
    pub fn places(&self) -> impl Iterator<Item = Place<'_>> {
        self.classes.iter().flat_map(|class| {
            let own = class.locators.iter().map(|locator| (locator, false));
            let items = class.items.iter().flat_map(|items| &items.locators);
            let all = own.chain(items.map(|locator| (locator, true)));
            all.map(|(locator, of_item)| Place {
                class: &class.name,
                attribute: &self.schema.attribute(locator.attribute).name,
                find: &locator.find,
                of_item,
                support: locator.support,
                agreement: locator.agreement,
                coverage: locator.coverage,
            })
        })
    }

    /// Share of the pages that belonged to no class when the site was learned.
    pub fn unknown(&self) -> f64 {
        let known: usize = self.classes.iter().map(|class| class.pages).sum();
        1.0 - share(known.min(self.pages), self.pages)
    }

    pub(crate) fn index(&self, class: usize) -> &ClassIndex {
        &self.index[class]
    }

    /// Finds the class of a page: the one whose marks it has, and of equals the one with its shape
    /// of address.
    pub(crate) fn classify(&self, tree: &Tree<'_>, url: &str) -> Classified {
        let mut nodes: HashMap<Name, Vec<NodeId>> = HashMap::new();
        tree.features(None, |node, feature| {
            if self.features.contains(feature) {
                nodes.entry(feature).or_default().push(node);
            }
        });
        let shape = site::shape(url);
        let score = |class: usize| {
            let marks = &self.index[class].marks;
            let had = marks.iter().filter(|mark| nodes.contains_key(mark)).count();
            let is_shaped = self.classes[class].urls.contains(&shape);
            // Pages of a class with marks of its own have those that all pages share, too.
            let shared = SHARED_WEIGHT * self.classes[class].shared;
            let shaped = if is_shaped { SHAPE_WEIGHT } else { 0.0 };
            (share(had, marks.len()), shaped - shared)
        };
        let scored = (0..self.classes.len()).map(|class| (class, score(class)));
        let best = scored
            .filter(|(_, (marks, _))| *marks >= MIN_MARKS)
            // Of equals the first: classes are sorted by size.
            .fold(
                None,
                |best: Option<(usize, f64)>, (class, (marks, more))| match best {
                    Some((_, score)) if score >= marks + more => best,
                    _ => Some((class, marks + more)),
                },
            );
        Classified {
            class: best.map(|(class, _)| class),
            nodes,
        }
    }
}
