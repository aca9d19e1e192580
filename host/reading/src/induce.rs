//! Locators from witnesses.
//!
//! A unit is a page or an item of a list. A witness says a value of a unit; where the value stands
//! in the unit, the names of that place become candidates. A candidate is then tried on all units:
//! it is for the value that it finds, or against it, where a witness could be located at all. A
//! wrong witness mostly says what does not stand in the unit, and so counts for nothing.

use std::collections::{BTreeSet, HashMap, HashSet};

use magpie_model::{Kind, PageContext};
use magpie_values::text;

use crate::reading::Locator;
use crate::schema::{DAY, Part, Schema};
use crate::share::{share, wilson};
use crate::tree::{Name, Names, Slot};

/// Origin of a witness, the most trusted first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Trust {
    Correction,
    Structured,
    /// The item of a list that links here.
    List,
    /// An object of another site, or a seed.
    Elsewhere,
    /// A confident finding of the vertical.
    Confident,
}

/// Values that a witness states for attributes; of several values of one attribute any may be
/// true.
pub(crate) type Statement = Vec<(usize, String)>;

/// A page or an item.
pub(crate) struct Unit<'s> {
    pub(crate) slots: &'s [Slot],
    pub(crate) context: &'s PageContext,
    pub(crate) witnesses: Vec<(Trust, Statement)>,
    /// Is true if places in regions count: regions of an item are its own.
    pub(crate) is_item: bool,
}

/// Places of one witness that are compared at most, and slots that are read as short values.
const MAX_PLACES: usize = 12;
const MAX_SHORT_SLOTS: usize = 80;

/// Candidates of an attribute that are tried on all units.
const MAX_CANDIDATES: usize = 60;

/// Units whose witnesses must agree. A correction is enough alone.
const MIN_SUPPORT: usize = 3;

/// Minimum lower bound and share of agreement.
const MIN_LOWER: f64 = 0.34;
const MIN_AGREEMENT: f64 = 0.8;

/// Minimum share of distinct values of an identifying attribute.
const MIN_VARIETY: f64 = 0.2;

/// The same of other attributes that objects do not share, and the values from which it counts.
const MIN_OTHER_VARIETY: f64 = 0.1;
const MANY: usize = 10;

/// Locators of an attribute: the best, and those that find values where the better find none.
const MAX_LOCATORS: usize = 3;

/// Share of the units that a further locator must add.
const MIN_GAIN: f64 = 0.02;

/// Share of the places with a value that a witness must have stated: on most pages a place that
/// says something else now and then has no witness at all. Words that only describe an object
/// need more: any text has their form, while most texts have no date and no price.
const MIN_STATED: f64 = 0.05;
const MIN_STATED_WORDS: f64 = 0.25;

/// Share of the units that have a place which is named like an attribute, and the longest value.
const MIN_NAMED: f64 = 0.3;
const MAX_NAMED_LEN: usize = 80;

/// Weight of a person's statement in the counts.
const CORRECTION_WEIGHT: usize = 5;

/// Counts of a candidate.
#[derive(Clone, Default)]
struct Trial {
    agreed: usize,
    against: usize,
    read: usize,
    values: HashSet<String>,
    units: Vec<u32>,
    /// Is true if a correction agreed.
    is_corrected: bool,
}

/// A located witness: its places, the value as it stands there, and its weight.
#[derive(Default)]
struct Located {
    places: HashSet<(usize, Part)>,
    value: String,
    weight: usize,
}

/// Values of places of one attribute that were read, by slot and part.
type Memory = HashMap<(usize, Part), Option<String>>;

pub(crate) struct Inducer<'s> {
    pub(crate) schema: &'s Schema,
    pub(crate) names: &'s Names,
}

impl Inducer<'_> {
    /// Induces the locators of all attributes.
    pub(crate) fn induce(&self, units: &[Unit<'_>]) -> Vec<Locator> {
        let firsts: Vec<HashMap<Name, usize>> = units.iter().map(firsts).collect();
        let words = self.words(&firsts);
        let mut locators = Vec::new();
        for attribute in 0..self.schema.info.attributes.len() {
            // A page's own address needs no place; a picture's or an item's link does.
            let is_own_address = Some(attribute) == self.schema.url && !units.iter().any(|unit| unit.is_item);
            if self.schema.is_located(attribute) && !is_own_address {
                let mut found = self.of_attribute(attribute, units, &firsts);
                if found.is_empty() {
                    found.extend(self.by_name(attribute, units, &firsts, &words));
                }
                locators.extend(found);
            }
        }
        locators
    }

    fn of_attribute(
        &self,
        attribute: usize,
        units: &[Unit<'_>],
        firsts: &[HashMap<Name, usize>],
    ) -> Vec<Locator> {
        let located: Vec<Option<Located>> = units.iter().map(|unit| self.locate(attribute, unit)).collect();
        let has = |unit: &&Unit<'_>| {
            unit.witnesses
                .iter()
                .any(|(_, said)| said.iter().any(|(of, _)| *of == attribute))
        };
        let stated = units.iter().filter(has).count();
        let days = self.have_days(attribute, units);
        let mut memories: Vec<Memory> = vec![Memory::new(); units.len()];
        let candidates = self.candidates(units, firsts, &located);
        let mut tried: Vec<((Name, Part), Trial)> = candidates
            .into_iter()
            .map(|candidate| {
                let trial = self.trial(attribute, candidate, units, firsts, &located, &mut memories, days);
                (candidate, trial)
            })
            .filter(|(_, trial): &(_, Trial)| self.is_accepted(attribute, trial, units.len()))
            .collect();
        let score = |name: Name, trial: &Trial| {
            let text = self.names.text(name).unwrap_or_default();
            let (lower, _) = wilson(trial.agreed as f64, (trial.agreed + trial.against) as f64);
            lower * (0.4 + 0.6 * share(trial.read, units.len())) + durability(text)
        };
        tried.sort_by(|((one, part), trial), ((other, other_part), other_trial)| {
            let by_score = score(*other, other_trial).total_cmp(&score(*one, trial));
            by_score
                .then(part.cmp(other_part))
                .then_with(|| self.names.text(*one).cmp(&self.names.text(*other)))
        });
        let mut covered: HashSet<u32> = HashSet::new();
        let mut locators = Vec::new();
        for ((name, part), trial) in tried {
            let gain = trial.units.iter().filter(|unit| !covered.contains(unit)).count();
            if locators.len() == MAX_LOCATORS || (gain as f64) < MIN_GAIN * units.len() as f64 {
                continue;
            }
            covered.extend(&trial.units);
            let Some(find) = self.names.text(name) else {
                continue;
            };
            locators.push(Locator {
                attribute,
                find: find.to_owned(),
                part,
                support: trial.agreed,
                stated,
                agreement: share(trial.agreed, trial.agreed + trial.against),
                coverage: share(trial.read, units.len()),
                variety: share(trial.values.len(), trial.read),
                day: days,
                only: self.vocabulary(attribute, &located),
            });
        }
        locators
    }

    /// The names of the places of the units, by their words.
    fn words(&self, firsts: &[HashMap<Name, usize>]) -> HashMap<String, HashSet<Name>> {
        let names: HashSet<Name> = firsts.iter().flat_map(HashMap::keys).copied().collect();
        let mut words: HashMap<String, HashSet<Name>> = HashMap::new();
        for name in names {
            for word in self.names.words(name).filter(|word| word.len() > 2) {
                words.entry(word).or_default().insert(name);
            }
        }
        words
    }

    /// Finds a place that the template names as the schema names the attribute, for attributes
    /// that no witness says anything of.
    fn by_name(
        &self,
        attribute: usize,
        units: &[Unit<'_>],
        firsts: &[HashMap<Name, usize>],
        words: &HashMap<String, HashSet<Name>>,
    ) -> Option<Locator> {
        let schema = self.schema;
        // What identifies an object needs a witness, and free text may be anything.
        if schema.attribute(attribute).identifies
            || schema.is_free_text(attribute)
            || schema.is_address(attribute)
        {
            return None;
        }
        let asked = schema.words(attribute);
        let names: HashSet<Name> = asked
            .iter()
            .filter_map(|word| words.get(word))
            .flatten()
            .copied()
            .collect();
        let none: Vec<Option<Located>> = units.iter().map(|_| None).collect();
        let mut memories: Vec<Memory> = vec![Memory::new(); units.len()];
        let days = *schema.kind(attribute) == Kind::DateTime;
        let tried = names.into_iter().map(|name| {
            let trial = self.trial(
                attribute,
                (name, Part::Whole),
                units,
                firsts,
                &none,
                &mut memories,
                days,
            );
            (name, trial)
        });
        let is_accepted = |trial: &Trial| {
            // A value that is the same everywhere is part of the template.
            trial.read >= MIN_SUPPORT
                && share(trial.read, units.len()) >= MIN_NAMED
                && trial.values.len() >= 2
                && trial.values.iter().all(|value| value.len() <= MAX_NAMED_LEN)
        };
        let tried = tried.filter(|(_, trial)| is_accepted(trial));
        let best = tried.max_by_key(|(name, trial)| (trial.read, std::cmp::Reverse(self.names.text(*name))));
        best.and_then(|(name, trial)| {
            Some(Locator {
                attribute,
                find: self.names.text(name)?.to_owned(),
                part: Part::Whole,
                support: 0,
                stated: 0,
                agreement: 1.0,
                coverage: share(trial.read, units.len()),
                variety: share(trial.values.len(), trial.read),
                day: days,
                only: Vec::new(),
            })
        })
    }

    /// The values of free text with few different ones, such as states.
    fn vocabulary(&self, attribute: usize, located: &[Option<Located>]) -> Vec<String> {
        if !self.schema.is_free_text(attribute) || self.schema.attribute(attribute).identifies {
            return Vec::new();
        }
        let values: Vec<&str> = located
            .iter()
            .flatten()
            .map(|located| located.value.as_str())
            .collect();
        let distinct: BTreeSet<&str> = values.iter().copied().collect();
        match 2 * distinct.len() <= values.len() {
            true => distinct.into_iter().map(str::to_owned).collect(),
            false => Vec::new(),
        }
    }

    /// Returns true if the witnesses of a date have days, so that a mere year is no value.
    fn have_days(&self, attribute: usize, units: &[Unit<'_>]) -> bool {
        if *self.schema.kind(attribute) != Kind::DateTime {
            return false;
        }
        let statements = units
            .iter()
            .flat_map(|unit| &unit.witnesses)
            .flat_map(|(_, statement)| statement);
        let values = statements
            .filter(|(of, _)| *of == attribute)
            .map(|(_, value)| value.len() >= DAY);
        let (days, all) = values.fold((0, 0), |(days, all), is_day| {
            (days + usize::from(is_day), all + 1)
        });
        2 * days >= all
    }

    /// Finds the places of the most trusted witness of a unit that has any.
    fn locate(&self, attribute: usize, unit: &Unit<'_>) -> Option<Located> {
        unit.witnesses.iter().find_map(|(trust, statement)| {
            let values: Vec<&str> = statement
                .iter()
                .filter(|(of, _)| *of == attribute)
                .map(|(_, value)| value.as_str())
                .collect();
            let mut located = (!values.is_empty()).then(|| self.places(attribute, unit, &values))?;
            located.weight = if *trust == Trust::Correction {
                CORRECTION_WEIGHT
            } else {
                1
            };
            (!located.places.is_empty()).then_some(located)
        })
    }

    fn places(&self, attribute: usize, unit: &Unit<'_>, values: &[&str]) -> Located {
        let is_words = self.schema.is_words(attribute);
        let is_address = self.schema.is_address(attribute);
        let bare: Vec<String> = values.iter().map(|value| text::bare(value)).collect();
        let mut found = Located::default();
        let mut short = 0;
        for (at, slot) in unit.slots.iter().enumerate() {
            if (slot.in_region && !unit.is_item) || found.places.len() >= MAX_PLACES {
                continue;
            }
            if is_words {
                // Most texts are too short or too long to hold the value.
                let could = values.iter().any(|value| slot.text.len() * 2 >= value.len());
                if !could || slot.text.is_empty() {
                    continue;
                }
                let whole = text::bare(&slot.text);
                if !bare
                    .iter()
                    .any(|bare| !bare.is_empty() && whole.contains(bare.as_str()))
                {
                    continue;
                }
            } else if !is_address {
                if short == MAX_SHORT_SLOTS || !text::has_figure(&slot.text) {
                    continue;
                }
                short += 1;
            }
            for part in self.schema.parts(attribute, slot) {
                if let Some(value) = self.schema.read(attribute, slot, part, unit.context)
                    && values
                        .iter()
                        .any(|stated| self.schema.agree(attribute, stated, &value.value))
                {
                    found.places.insert((at, part));
                    if found.value.is_empty() {
                        found.value = value.value;
                    }
                    // The whole text is the plainest of the parts that are the value.
                    break;
                }
            }
        }
        found
    }

    /// The names of the places of witnesses, those of most units first.
    fn candidates(
        &self,
        units: &[Unit<'_>],
        firsts: &[HashMap<Name, usize>],
        located: &[Option<Located>],
    ) -> Vec<(Name, Part)> {
        let mut counts: HashMap<(Name, Part), usize> = HashMap::new();
        for ((unit, firsts), located) in units.iter().zip(firsts).zip(located) {
            let Some(located) = located else { continue };
            for (at, part) in &located.places {
                for name in &unit.slots[*at].names {
                    if firsts.get(name) == Some(at) {
                        *counts.entry((*name, *part)).or_default() += located.weight;
                    }
                }
            }
        }
        let mut counts: Vec<((Name, Part), usize)> = counts.into_iter().collect();
        counts.retain(|(_, count)| *count >= MIN_SUPPORT);
        counts.sort_unstable_by_key(|(candidate, count)| (std::cmp::Reverse(*count), *candidate));
        counts.truncate(MAX_CANDIDATES);
        counts.into_iter().map(|(candidate, _)| candidate).collect()
    }

    #[expect(clippy::too_many_arguments, reason = "all are views of one set of units")]
    fn trial(
        &self,
        attribute: usize,
        (name, part): (Name, Part),
        units: &[Unit<'_>],
        firsts: &[HashMap<Name, usize>],
        located: &[Option<Located>],
        memories: &mut [Memory],
        days: bool,
    ) -> Trial {
        let mut trial = Trial::default();
        for (number, unit) in units.iter().enumerate() {
            let Some(&at) = firsts[number].get(&name) else {
                continue;
            };
            let read = || {
                let value = self.schema.read(attribute, &unit.slots[at], part, unit.context);
                value
                    .map(|value| value.value)
                    .filter(|value| !days || value.len() >= DAY)
            };
            let value = memories[number].entry((at, part)).or_insert_with(read);
            let Some(value) = value else { continue };
            trial.read += 1;
            trial.units.push(number as u32);
            if let Some(located) = &located[number] {
                // The same value may stand in several places; one of them was found.
                let agrees = located.places.contains(&(at, part))
                    || self.schema.agree(attribute, &located.value, value);
                match agrees {
                    true => trial.agreed += located.weight,
                    false => trial.against += located.weight,
                }
                trial.is_corrected |= agrees && located.weight == CORRECTION_WEIGHT;
            }
            trial.values.insert(value.clone());
        }
        trial
    }

    fn is_accepted(&self, attribute: usize, trial: &Trial, units: usize) -> bool {
        let of = trial.agreed + trial.against;
        let (lower, _) = wilson(trial.agreed as f64, of as f64);
        // What is the same everywhere is a label of the template, a date of the whole site or a
        // stand-in picture. Many objects may have one place or organisation.
        let variety = share(trial.values.len(), trial.read);
        let is_shared = self.schema.kind(attribute).facts().is_shared;
        let varies = match self.schema.attribute(attribute).identifies {
            _ if units < MIN_SUPPORT => true,
            true => trial.values.len() >= 2 && variety >= MIN_VARIETY,
            false => is_shared || trial.read < MANY || variety >= MIN_OTHER_VARIETY,
        };
        let is_sure = lower >= MIN_LOWER && share(trial.agreed, of) >= MIN_AGREEMENT;
        let describes = self.schema.is_words(attribute) && !self.schema.attribute(attribute).identifies;
        let min_stated = match describes {
            true => MIN_STATED_WORDS,
            false => MIN_STATED,
        };
        let is_stated = share(trial.agreed, trial.read) >= min_stated;
        varies && trial.agreed >= MIN_SUPPORT && (is_sure && is_stated || trial.is_corrected)
    }
}

/// The first slot of each name in a unit.
fn firsts(unit: &Unit<'_>) -> HashMap<Name, usize> {
    let mut firsts = HashMap::new();
    for (at, slot) in unit.slots.iter().enumerate() {
        if slot.in_region && !unit.is_item {
            continue;
        }
        for name in &slot.names {
            firsts.entry(*name).or_insert(at);
        }
    }
    firsts
}

/// Preference among places that agree equally: labels outlast classes, and these positions.
fn durability(name: &str) -> f64 {
    match name {
        name if name.starts_with("label ") || name.starts_with('[') => 0.03,
        name if name.starts_with("path ") => 0.0,
        name if name.starts_with("h1 +") => 0.005,
        name if name.starts_with('.') => 0.01,
        _ => 0.02,
    }
}
