//! Learning: a bounded sample of summaries, classes of pages, and what is induced for each.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use magpie_model::{Kind, PageContext, Record, RecordValue, VerticalInfo};
use magpie_page::{NodeId, Page};
use magpie_values::text;

use crate::facts::{Constants, FactCounts};
use crate::induce::{Inducer, Statement, Trust, Unit};
use crate::reading::{Class, ClassKind, Items, Locator, Reading};
use crate::schema::{DAY, Schema};
use crate::share::{share, wilson};
use crate::subject::{is_structured, subjects};
use crate::tree::{Name, Names, Slot, Tree, hash};
use crate::{Facts, site};

/// Pages of one shape of address that are looked at, and shapes. Pages are chosen by the hashes of
/// their addresses, so that a site of any size costs the same, and the choice does not depend on
/// the order.
const MAX_SAMPLE: usize = 120;
const MAX_SHAPES: usize = 24;

/// The shape of pages whose own shape is one too many.
const OTHER_SHAPES: &str = "**";

/// Slots and records of a page that are kept.
const MAX_SLOTS: usize = 700;
const MAX_RECORDS: usize = 300;

/// Pages that lists link to, and items that are kept for each.
const MAX_LINKED: usize = 20_000;
const MAX_LINKS: usize = 4;

/// Objects of other sites that are kept.
const MAX_ELSEWHERE: usize = 100_000;

/// Similarity of the features of two pages of one template, and of pages of different shapes.
const ALIKE: f64 = 0.5;

/// Templates behind addresses of one shape.
const MAX_TEMPLATES: usize = 40;

/// Pages of a class that anything is learned of.
const MIN_PAGES: usize = 3;

/// Marks of a class, those of them below one kind of element, and the share of its pages that have
/// each.
const MAX_MARKS: usize = 12;
const MAX_MARKS_BELOW: usize = 2;
const MARK_SHARE: f64 = 0.9;

/// Share of the pages of a class whose subject a witness states, from which the others get one,
/// too.
const MIN_WITNESSED: f64 = 0.15;

/// Groups of addresses in which a class makes objects.
const MAX_GROUPS: usize = 500;

/// Share of the times on pages of a class that are those of publication, from which all are.
const POSTS: f64 = 0.8;

/// Confidence from which a finding of the vertical is a witness.
const CONFIDENT: f64 = 0.5;

/// Units of one kind of item that are looked at.
const MAX_ITEMS: usize = 300;

/// Objects from which a value that all have is a fact of the site.
const MIN_CONSTANT: usize = 10;

/// Share of the items of lists whose common value is a label.
const LABEL_SHARE: f64 = 0.8;

/// A page as learning sees it.
#[derive(Clone, Copy, Debug)]
pub struct Seen<'a> {
    /// The page.
    pub page: &'a Page,
    /// Address, time and language that values are read with.
    pub context: &'a PageContext,
    /// The records that the vertical found, before anything was changed by a reading.
    pub records: &'a [Record],
}

/// A page, reduced to what learning needs.
struct Summary {
    address: String,
    shape: String,
    context: PageContext,
    /// Sorted.
    features: Vec<Name>,
    slots: Vec<Slot>,
    /// The folded first heading.
    heading: String,
    records: Vec<Record>,
    /// For each record, the values of structured data.
    structured: Vec<Vec<bool>>,
    subjects: Vec<usize>,
    items: Vec<Item>,
    /// Features of the elements around records of other pages.
    foreign: BTreeSet<Name>,
    is_article: bool,
    /// Days on which the page, or what it lists, was published.
    published: HashSet<String>,
}

/// The element around a record of a list.
struct Item {
    root: NodeId,
    end: NodeId,
    feature: Name,
    record: usize,
}

/// Learns a site from its pages, which are shown one by one.
pub struct Learner {
    schema: Schema,
    site: String,
    names: Names,
    pages: usize,
    /// Summaries by shape of address, then by hash of address.
    groups: BTreeMap<String, BTreeMap<(Name, String), Summary>>,
    /// Statements of list items about the pages that they link to.
    links: BTreeMap<(Name, String), Vec<Statement>>,
    /// Objects of other sites by their folded names.
    elsewhere: HashMap<String, Statement>,
    facts: FactCounts,
}

impl Learner {
    /// A learner for a vertical on a site, which is named by its host.
    pub fn new(info: &VerticalInfo, site: &str) -> Learner {
        Learner {
            schema: Schema::new(info),
            site: site.to_owned(),
            names: Names::default(),
            pages: 0,
            groups: BTreeMap::new(),
            links: BTreeMap::new(),
            elsewhere: HashMap::new(),
            facts: FactCounts::default(),
        }
    }

    /// Adds an object of another site or a seed. Its values are witnesses on pages whose heading is
    /// its name.
    pub fn see_elsewhere(&mut self, record: &Record) {
        let name = self
            .schema
            .name
            .and_then(|at| record.get(&self.schema.attribute(at).name));
        let name = name.map(text::bare).filter(|name| !name.is_empty());
        if let Some(name) = name
            && self.elsewhere.len() < MAX_ELSEWHERE
        {
            let statement = self.statement(record, &|_| true);
            self.elsewhere.entry(name).or_default().extend(statement);
        }
    }

    /// Looks at a page. The order of the pages does not matter.
    pub fn see(&mut self, seen: Seen<'_>) {
        self.pages += 1;
        self.facts
            .note(&self.schema, seen.page, seen.context, seen.records);
        let address = site::address(seen.page.url().as_str());
        let published = match seen.records {
            [] => HashSet::new(),
            _ => published_days(seen.page),
        };
        self.note_links(&address, seen.records, &published);
        let mut shape = site::shape(&address);
        if !self.groups.contains_key(&shape) && self.groups.len() >= MAX_SHAPES {
            OTHER_SHAPES.clone_into(&mut shape);
        }
        let key = (hash(&address), address);
        let group = self.groups.entry(shape.clone()).or_default();
        let is_full = group.len() >= MAX_SAMPLE;
        // The sample is full of pages with smaller hashes: nothing else of this page is read.
        if group.contains_key(&key)
            || (is_full && group.last_key_value().is_some_and(|(last, _)| *last < key))
        {
            return;
        }
        let summary = summarise(
            &self.schema,
            &mut self.names,
            seen,
            key.1.clone(),
            shape,
            published,
        );
        group.insert(key, summary);
        if is_full {
            group.pop_last();
        }
    }

    fn note_links(&mut self, own: &str, records: &[Record], published: &HashSet<String>) {
        let Some(url) = self.schema.url.map(|at| self.schema.attribute(at).name.clone()) else {
            return;
        };
        for record in records.iter().take(MAX_RECORDS) {
            let Some(target) = record.get(&url).map(site::address) else {
                continue;
            };
            if target == own || record.confidence < CONFIDENT {
                continue;
            }
            let mut statement = self.statement(record, &|at| Some(at) != self.schema.url);
            self.forget_publishing(&mut statement, published);
            let statements = self.links.entry((hash(&target), target)).or_default();
            if statements.len() < MAX_LINKS && !statements.contains(&statement) {
                statements.push(statement);
            }
            if self.links.len() > MAX_LINKED {
                self.links.pop_last();
            }
        }
    }

    /// Takes out times of publishing: verticals take them for those of objects.
    fn forget_publishing(&self, statement: &mut Statement, published: &HashSet<String>) {
        statement.retain(|(at, value)| {
            let is_wanted = || self.schema.words(*at).iter().any(|word| word.contains("publi"));
            *self.schema.kind(*at) != Kind::DateTime
                || !value.get(..DAY).is_some_and(|day| published.contains(day))
                || is_wanted()
        });
    }

    fn statement(&self, record: &Record, wanted: &dyn Fn(usize) -> bool) -> Statement {
        let values = record.values.iter().filter_map(|value| {
            let at = self.schema.place(&value.attribute)?;
            wanted(at).then(|| (at, value.value.clone()))
        });
        values.collect()
    }

    /// Learns from what was seen. Corrections of an earlier reading are kept, and are the most
    /// trusted witnesses.
    pub fn learn(mut self, previous: Option<&Reading>) -> Reading {
        let corrections = previous
            .map(|reading| reading.corrections.clone())
            .unwrap_or_default();
        let mut stated: HashMap<String, Statement> = HashMap::new();
        for correction in &corrections {
            if let Some(at) = self.schema.place(&correction.attribute)
                && let Some(value) = correction.read(&self.schema, at)
            {
                stated
                    .entry(site::address(&correction.page))
                    .or_default()
                    .push((at, value.value));
            }
        }
        let groups = std::mem::take(&mut self.groups);
        let mut clusters: Vec<Vec<Summary>> = groups.into_values().flat_map(cluster).collect();
        clusters.retain(|pages| pages.len() >= MIN_PAGES);
        clusters.sort_by(|one, other| {
            let size = other.len().cmp(&one.len());
            size.then_with(|| one[0].address.cmp(&other[0].address))
        });
        let presence = presence(&clusters);
        let constants = self.constants(&clusters);
        let essential = self.essential(&clusters);
        let labels = self.take_labels(&constants);
        let facts: Facts = self.facts.facts(constants, labels);
        self.schema.set_year(facts.year);
        let classes = clusters
            .iter()
            .enumerate()
            .map(|(at, pages)| self.class(pages, self.marks(at, &presence), &stated, &essential));
        let mut classes: Vec<Class> = classes.collect();
        let mut counts: HashMap<String, usize> = HashMap::new();
        for class in &mut classes {
            let count = counts.entry(class.name.clone()).or_default();
            *count += 1;
            if *count > 1 {
                class.name = format!("{} {count}", class.name);
            }
        }
        Reading::new(self.schema, self.site, self.pages, facts, classes, corrections)
    }

    /// The attributes that a new record must have: the required ones, and the identifying ones that
    /// most records have.
    fn essential(&self, clusters: &[Vec<Summary>]) -> Vec<usize> {
        let records: Vec<&Record> = clusters.iter().flatten().flat_map(|page| &page.records).collect();
        let has = |name: &str| records.iter().filter(|record| record.get(name).is_some()).count();
        let attributes = self.schema.info.attributes.iter().enumerate();
        attributes
            .filter(|(at, attribute)| {
                let is_common = || 2 * has(&attribute.name) >= records.len();
                attribute.required || Some(*at) == self.schema.name || (attribute.identifies && is_common())
            })
            .map(|(at, _)| at)
            .collect()
    }

    /// Values of places and organisations that all subjects have.
    fn constants(&self, clusters: &[Vec<Summary>]) -> Constants {
        let mut constants = Constants::new();
        let subjects: Vec<&Record> = clusters
            .iter()
            .flatten()
            .flat_map(|page| page.subjects.first().map(|at| &page.records[*at]))
            .collect();
        for attribute in &self.schema.info.attributes {
            let is_shared = attribute.kind.facts().is_shared && attribute.kind.comparison().is_of_names();
            let is_text = attribute.kind == Kind::Text;
            if attribute.identifies || attribute.repeated || !is_shared || is_text {
                continue;
            }
            let values: Vec<&str> = subjects
                .iter()
                .filter_map(|record| record.get(&attribute.name))
                .collect();
            let first = values.first().copied().unwrap_or_default();
            let bare = text::bare(first);
            if values.len() >= MIN_CONSTANT && values.iter().all(|value| text::bare(value) == bare) {
                constants.insert(attribute.name.clone(), first.to_owned());
            }
        }
        constants
    }

    /// Takes values from the witness of lists that nearly all items have, and returns them.
    fn take_labels(&mut self, constants: &Constants) -> Constants {
        let mut counts: HashMap<usize, (usize, HashMap<&str, usize>)> = HashMap::new();
        for (at, value) in self.links.values().flatten().flatten() {
            let of = counts.entry(*at).or_default();
            of.0 += 1;
            *of.1.entry(value).or_default() += 1;
        }
        let mut labels = Constants::new();
        for (at, (of, values)) in counts {
            let attribute = self.schema.attribute(at);
            let most = values.into_iter().max_by_key(|(value, count)| (*count, *value));
            if let Some((value, count)) = most
                && of >= MIN_CONSTANT
                && share(count, of) >= LABEL_SHARE
                && self.schema.is_words(at)
                && !attribute.identifies
                && constants
                    .get(&attribute.name)
                    .is_none_or(|constant| constant != value)
            {
                labels.insert(attribute.name.clone(), value.to_owned());
            }
        }
        for statement in self.links.values_mut().flatten() {
            statement.retain(|(at, value)| labels.get(&self.schema.attribute(*at).name) != Some(value));
        }
        labels
    }

    /// Features that nearly all pages of a class have, those first that other classes lack; and
    /// the share of these that pages of the other classes have.
    fn marks(&self, class: usize, presence: &[HashMap<Name, f64>]) -> (Vec<String>, f64) {
        let elsewhere = |name: &Name| {
            let others = presence.iter().enumerate().filter(|(other, _)| *other != class);
            let shares = others.map(|(_, shares)| shares.get(name).copied().unwrap_or_default());
            shares.sum::<f64>() / presence.len().saturating_sub(1).max(1) as f64
        };
        let common = presence[class].iter().filter(|(_, share)| **share >= MARK_SHARE);
        let mut marks: Vec<(f64, &str)> = common
            .filter_map(|(name, _)| Some((elsewhere(name), self.names.text(*name)?)))
            .collect();
        marks.sort_by(|(one, name), (other, other_name)| one.total_cmp(other).then(name.cmp(other_name)));
        // Marks below one element would all go with its class.
        let mut below: HashMap<&str, usize> = HashMap::new();
        marks.retain(|(_, name)| {
            let count = below
                .entry(name.split('>').next().unwrap_or_default())
                .or_default();
            *count += 1;
            *count <= MAX_MARKS_BELOW
        });
        marks.truncate(MAX_MARKS);
        let shared = marks.iter().map(|(elsewhere, _)| elsewhere).sum::<f64>() / marks.len().max(1) as f64;
        (
            marks.into_iter().map(|(_, name)| name.to_owned()).collect(),
            shared,
        )
    }

    fn class(
        &self,
        pages: &[Summary],
        (marks, shared): (Vec<String>, f64),
        stated: &HashMap<String, Statement>,
        essential: &[usize],
    ) -> Class {
        let inducer = Inducer {
            schema: &self.schema,
            names: &self.names,
        };
        let are_posts = self.are_posts(pages);
        let units: Vec<Unit<'_>> = pages
            .iter()
            .map(|page| Unit {
                slots: &page.slots,
                context: &page.context,
                witnesses: self.witnesses(page, stated, are_posts),
                is_item: false,
            })
            .collect();
        let locators = inducer.induce(&units);
        let items = self.items(&inducer, pages, essential);
        let is_witnessed = |unit: &Unit<'_>| {
            let has = |at: usize| {
                unit.witnesses
                    .iter()
                    .any(|(_, said)| said.iter().any(|(of, _)| *of == at))
            };
            essential.iter().all(|at| has(*at))
        };
        // The page of a performer with one event has a record, and is not about it.
        let is_titled = |page: &Summary, unit: &Unit<'_>| {
            let said = unit.witnesses.iter().flat_map(|(_, said)| said);
            let mut names = said.filter(|(at, _)| Some(*at) == self.schema.name);
            page.heading.is_empty() || names.any(|(_, name)| page.heading.contains(&text::bare(name)))
        };
        let mut groups: BTreeMap<String, (usize, usize)> = BTreeMap::new();
        for (page, unit) in pages.iter().zip(&units) {
            let (witnessed, all) = groups.entry(site::group(&page.address)).or_default();
            *witnessed += usize::from(is_witnessed(unit) && is_titled(page, unit));
            *all += 1;
        }
        let witnessed = units.iter().filter(|unit| is_witnessed(unit)).count();
        let is_vouched = units
            .iter()
            .any(|unit| unit.witnesses.iter().any(|(trust, _)| *trust < Trust::Confident));
        let is_complete = has_all(&locators, essential);
        let kind = kind(pages, &items, witnessed, is_vouched && is_complete);
        // A template may serve pages of several purposes, as of events and of news.
        let is_made = |(witnessed, all): (usize, usize)| {
            kind == ClassKind::Detail && is_complete && share(witnessed, all) >= MIN_WITNESSED
        };
        let made = groups.into_iter().filter(|(_, counts)| is_made(*counts));
        let makes_objects = made.map(|(group, _)| group).take(MAX_GROUPS).collect();
        let mut urls: Vec<String> = pages.iter().map(|page| page.shape.clone()).collect();
        urls.sort_unstable();
        urls.dedup();
        Class {
            name: urls[0].clone(),
            kind,
            pages: pages.len(),
            example: pages[0].context.url.clone(),
            makes_objects,
            urls,
            marks,
            shared,
            regions: self.regions(pages),
            locators,
            items,
        }
    }

    /// Returns true if the times that the vertical found on pages of a class are those of their
    /// publication. Generators of sites also call the day of an event so, where it has one.
    fn are_posts(&self, pages: &[Summary]) -> bool {
        let days = pages.iter().flat_map(|page| {
            let values = page.subjects.iter().flat_map(|at| &page.records[*at].values);
            let is_time = |value: &&RecordValue| {
                let at = self.schema.place(&value.attribute);
                at.is_some_and(|at| *self.schema.kind(at) == Kind::DateTime)
            };
            let days = values.filter(is_time).filter_map(|value| value.value.get(..DAY));
            days.map(|day| page.published.contains(day))
        });
        let (published, all) = days.fold((0, 0), |(published, all), is_published| {
            (published + usize::from(is_published), all + 1)
        });
        share(published, all) >= POSTS
    }

    /// The witnesses of a page, the most trusted first.
    fn witnesses(
        &self,
        page: &Summary,
        stated: &HashMap<String, Statement>,
        are_posts: bool,
    ) -> Vec<(Trust, Statement)> {
        let mut witnesses = Vec::new();
        if let Some(statement) = stated.get(&page.address) {
            witnesses.push((Trust::Correction, statement.clone()));
        }
        for (trust, wanted) in [(Trust::Structured, true), (Trust::Confident, false)] {
            let mut statement = Statement::new();
            for &at in &page.subjects {
                let record = &page.records[at];
                if record.confidence < CONFIDENT {
                    continue;
                }
                let values = record.values.iter().zip(&page.structured[at]);
                statement.extend(
                    values
                        .filter(|(_, structured)| **structured == wanted)
                        .filter_map(|(value, _)| {
                            Some((self.schema.place(&value.attribute)?, value.value.clone()))
                        }),
                );
            }
            if are_posts {
                self.forget_publishing(&mut statement, &page.published);
            }
            witnesses.push((trust, statement));
        }
        let key = (hash(&page.address), page.address.clone());
        let links = self.links.get(&key).into_iter().flatten().flatten();
        witnesses.push((Trust::List, links.cloned().collect()));
        if let Some(statement) = self.elsewhere.get(&page.heading) {
            witnesses.push((Trust::Elsewhere, statement.clone()));
        }
        witnesses.retain(|(_, statement)| !statement.is_empty());
        witnesses.sort_by_key(|(trust, _)| *trust);
        witnesses
    }

    /// The elements around records of other pages, on pages about something.
    fn regions(&self, pages: &[Summary]) -> Vec<String> {
        let mut counts: BTreeMap<Name, usize> = BTreeMap::new();
        for page in pages.iter().filter(|page| !page.subjects.is_empty()) {
            page.foreign
                .iter()
                .for_each(|feature| *counts.entry(*feature).or_default() += 1);
        }
        let common = counts.into_iter().filter(|(_, count)| *count >= MIN_PAGES);
        let mut regions: Vec<String> = common
            .filter_map(|(name, _)| Some(self.names.text(name)?.to_owned()))
            .collect();
        regions.sort();
        regions
    }

    /// The kinds of items on the lists of a class.
    fn items(&self, inducer: &Inducer<'_>, pages: &[Summary], essential: &[usize]) -> Vec<Items> {
        let mut kinds: BTreeMap<Name, Vec<(&Summary, &Item)>> = BTreeMap::new();
        for page in pages {
            for item in &page.items {
                kinds.entry(item.feature).or_default().push((page, item));
            }
        }
        let mut kinds: Vec<(Name, Vec<(&Summary, &Item)>)> = kinds.into_iter().collect();
        kinds.retain(|(_, items)| items.len() >= MIN_PAGES);
        kinds.sort_by_key(|(feature, items)| (std::cmp::Reverse(items.len()), *feature));
        let learned = kinds.into_iter().filter_map(|(feature, items)| {
            let groups: BTreeSet<String> = items.iter().map(|(page, _)| site::list(&page.address)).collect();
            // A long list must not hide the others.
            let step = items.len().div_ceil(MAX_ITEMS);
            let units = items.iter().step_by(step).map(|(page, item)| {
                let start = page.slots.partition_point(|slot| slot.node < item.root);
                let end = page.slots.partition_point(|slot| slot.node < item.end);
                let mut statement = self.statement(&page.records[item.record], &|_| true);
                self.forget_publishing(&mut statement, &page.published);
                Unit {
                    slots: &page.slots[start..end],
                    context: &page.context,
                    witnesses: vec![(Trust::Confident, statement)],
                    is_item: true,
                }
            });
            let units: Vec<Unit<'_>> = units.collect();
            let locators = inducer.induce(&units);
            Some(Items {
                root: self.names.text(feature)?.to_owned(),
                makes_objects: match has_all(&locators, essential) {
                    true => groups.into_iter().take(MAX_GROUPS).collect(),
                    false => Vec::new(),
                },
                locators,
            })
        });
        learned.filter(|items| !items.locators.is_empty()).collect()
    }
}

fn has_all(locators: &[Locator], essential: &[usize]) -> bool {
    essential
        .iter()
        .all(|at| locators.iter().any(|locator| locator.attribute == *at))
}

/// The purpose of a class.
fn kind(pages: &[Summary], items: &[Items], witnessed: usize, is_vouched: bool) -> ClassKind {
    let count = |wanted: &dyn Fn(&Summary) -> bool| pages.iter().filter(|page| wanted(page)).count();
    let half = |count: usize| 2 * count >= pages.len();
    let lists = count(&|page| page.items.len() >= 2 && page.subjects.is_empty());
    let has_own = wilson(witnessed as f64, pages.len() as f64).1 >= MIN_WITNESSED && witnessed > 0;
    if count(&|page| page.shape == "/") > 0 {
        ClassKind::Entry
    } else if has_own && is_vouched && witnessed >= lists {
        ClassKind::Detail
    } else if half(count(&|page| page.is_article)) && !is_vouched {
        ClassKind::Post
    } else if !items.is_empty() && lists > 0 && lists >= witnessed {
        ClassKind::List
    } else if has_own {
        ClassKind::Detail
    } else if count(&|page| !page.records.is_empty()) > 0 {
        ClassKind::Widgets
    } else {
        ClassKind::Other
    }
}

/// The share of the pages of each class that have a feature.
fn presence(clusters: &[Vec<Summary>]) -> Vec<HashMap<Name, f64>> {
    let shares = clusters.iter().map(|pages| {
        let mut counts: HashMap<Name, f64> = HashMap::new();
        for feature in pages.iter().flat_map(|page| &page.features) {
            *counts.entry(*feature).or_default() += 1.0 / pages.len() as f64;
        }
        counts
    });
    shares.collect()
}

/// Groups the pages of one shape by the similarity of their trees. Each page is compared with the
/// first of each template, so the work is linear in the pages.
fn cluster(group: BTreeMap<(Name, String), Summary>) -> Vec<Vec<Summary>> {
    let mut clusters: Vec<Vec<Summary>> = Vec::new();
    for summary in group.into_values() {
        let similarity = |pages: &Vec<Summary>| similarity(&pages[0].features, &summary.features);
        let scored = clusters.iter().map(similarity).enumerate();
        let best = scored.max_by(|(_, one), (_, other)| one.total_cmp(other));
        match best {
            Some((at, score)) if score >= ALIKE || clusters.len() >= MAX_TEMPLATES => {
                clusters[at].push(summary);
            }
            _ => clusters.push(vec![summary]),
        }
    }
    clusters
}

/// Jaccard's similarity of two sorted lists.
fn similarity(one: &[Name], other: &[Name]) -> f64 {
    let (mut left, mut right, mut common) = (0, 0, 0);
    while left < one.len() && right < other.len() {
        match one[left].cmp(&other[right]) {
            std::cmp::Ordering::Less => left += 1,
            std::cmp::Ordering::Greater => right += 1,
            std::cmp::Ordering::Equal => (left, right, common) = (left + 1, right + 1, common + 1),
        }
    }
    share(common, one.len() + other.len() - common)
}

fn summarise(
    schema: &Schema,
    names: &mut Names,
    seen: Seen<'_>,
    address: String,
    shape: String,
    published: HashSet<String>,
) -> Summary {
    let tree = Tree::new(seen.page);
    let records: Vec<Record> = seen.records.iter().take(MAX_RECORDS).cloned().collect();
    let mut features: Vec<Name> = Vec::new();
    tree.features(Some(names), |_, feature| features.push(feature));
    features.sort_unstable();
    features.dedup();
    let title = seen.page.title().unwrap_or_default();
    let structured = records.iter().map(|record| {
        let values = record.values.iter();
        values.map(|value| is_structured(&tree, value.node)).collect()
    });
    let subjects = subjects(
        schema,
        &tree,
        seen.page.url().as_str(),
        title,
        &records.iter().collect::<Vec<_>>(),
    );
    let items = items(schema, &tree, &records);
    let foreign = items
        .iter()
        .filter(|item| !subjects.contains(&item.record))
        .map(|item| item.feature);
    Summary {
        heading: tree
            .heading
            .map(|node| text::bare(&tree.document.text_of(node)))
            .unwrap_or_default(),
        is_article: is_article(seen.page),
        published,
        structured: structured.collect(),
        foreign: foreign.collect(),
        slots: tree.slots(MAX_SLOTS, None, Some(names)),
        context: seen.context.clone(),
        address,
        shape,
        features,
        records,
        subjects,
        items,
    }
}

/// Returns true if a page says that it is an article.
fn is_article(page: &Page) -> bool {
    const TYPES: [&str; 4] = ["Article", "BlogPosting", "NewsArticle", "og:article"];
    let says =
        |item: &magpie_page::StructuredItem| item.types.iter().any(|name| TYPES.contains(&name.as_str()));
    page.structured_data().iter().any(says)
}

/// The days of publishing that a page states: in structured data, and in marked times.
fn published_days(page: &Page) -> HashSet<String> {
    const PROPERTIES: [&str; 4] = [
        "datePublished",
        "dateModified",
        "uploadDate",
        "article:published_time",
    ];
    const WORDS: [&str; 4] = ["published", "updated", "entry-date", "post-date"];
    let mut days = HashSet::new();
    for item in page.structured_data() {
        let values = PROPERTIES
            .iter()
            .filter_map(|name| item.json.get(name)?.get(0)?.as_str());
        days.extend(values.filter_map(|value| value.get(..DAY)).map(str::to_owned));
    }
    let document = page.document();
    for (node, time) in document.having("datetime") {
        let words = ["class", "itemprop"].map(|name| document.attribute(node, name).unwrap_or_default());
        let mut words = words.iter().flat_map(|words| words.split_ascii_whitespace());
        if words.any(|word| WORDS.contains(&word) || PROPERTIES.contains(&word)) {
            days.extend(time.get(..DAY).map(str::to_owned));
        }
    }
    days
}

/// The elements around the records of a page: for each the largest that contains no other.
fn items(schema: &Schema, tree: &Tree<'_>, records: &[Record]) -> Vec<Item> {
    let Some(name) = schema.name.map(|at| schema.attribute(at).name.as_str()) else {
        return Vec::new();
    };
    let document = tree.document;
    let anchor = |record: &Record| record.values.iter().find(|value| value.attribute == name)?.node;
    let mut anchors: Vec<NodeId> = records.iter().filter_map(anchor).collect();
    anchors.sort_unstable();
    anchors.dedup();
    if anchors.len() < 2 {
        return Vec::new();
    }
    let mut known: HashSet<NodeId> = HashSet::new();
    let mut items = Vec::new();
    for (record, node) in records
        .iter()
        .enumerate()
        .filter_map(|(at, record)| Some((at, anchor(record)?)))
    {
        let is_alone = |node: &NodeId| {
            let start = anchors.partition_point(|anchor| anchor < node);
            let end = anchors.partition_point(|anchor| *anchor < document.end(*node));
            end - start == 1
        };
        let around = document.ancestors(node).take_while(is_alone).last();
        if let Some(root) = around.filter(|root| known.insert(*root)) {
            items.push(Item {
                root,
                end: document.end(root),
                feature: tree.feature(root),
                record,
            });
        }
    }
    items
}
