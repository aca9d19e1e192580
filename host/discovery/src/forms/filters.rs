//! The inputs of a filter form, with the values that may be tried.

use std::collections::HashSet;

use magpie_page::{Field, FieldKind, Form};

use super::features::is_usable;
use super::fields::{FieldPurpose, field_purpose};
use super::safety::names_deed;
use super::words::{Notion, Words};

const MAX_INPUTS: usize = 24;

const MAX_VALUES: usize = 300;

/// Bytes of the values of a form at most.
const MAX_BYTES: usize = 32 * 1024;

/// Bounds of amounts of money that are tried where they are typed.
const PRICES: [&str; 13] = [
    "0", "5", "10", "20", "30", "50", "75", "100", "200", "500", "1000", "5000", "10000",
];

/// Bounds of dates that are tried where they are typed: the first days of these years, counted from
/// the present one.
const YEARS: [i32; 9] = [-20, -10, -5, -3, -2, -1, 0, 1, 2];

/// Arguments that a reader chooses together, with the values that may be tried.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FilterInput {
    /// Their names: two for a range.
    pub names: Vec<String>,
    /// The values, each with one text for each name.
    pub values: Vec<Vec<String>>,
    /// True if they only order or divide the results.
    pub is_presentation: bool,
}

/// Returns the inputs of a form whose values are known: choices without the default one, and
/// ranges. Successive fields for the least and the most are one input, whose values are intervals.
/// Typed words, hidden values and menus of deeds, such as a menu to delete what is marked, are
/// left out. `year` is the present one.
pub fn filter_inputs(form: &Form, year: i32) -> Vec<FilterInput> {
    let mut names = HashSet::new();
    let fields: Vec<&Field> = form
        .fields
        .iter()
        .filter(|field| is_usable(field) && !field.name.is_empty() && !is_menu_of_deeds(field))
        .filter(|field| names.insert(field.name.as_str()))
        .collect();
    let mut inputs = Vec::new();
    let mut bytes = 0;
    let mut rest = fields.as_slice();
    while let [field, others @ ..] = rest {
        // The two fields of a range stand next to each other; elsewhere their names may belong to
        // different ranges.
        let range = others.first().and_then(|next| range(field, next, year));
        rest = match range {
            Some(_) => &others[1..],
            None => others,
        };
        let Some(input) = range.or_else(|| choices(field)) else {
            continue;
        };
        let values = input.values.iter().flatten();
        bytes += values.map(String::len).sum::<usize>();
        if bytes > MAX_BYTES || inputs.len() == MAX_INPUTS {
            break;
        }
        inputs.push(input);
    }
    inputs
}

/// Returns the input of a menu, radio buttons or checkboxes.
fn choices(field: &Field) -> Option<FilterInput> {
    let values: Vec<Vec<String>> = values(field).map(|value| vec![value.to_owned()]).collect();
    (!values.is_empty()).then(|| FilterInput {
        names: vec![field.name.clone()],
        values,
        is_presentation: matches!(
            field_purpose(field),
            FieldPurpose::Sort | FieldPurpose::PageSize | FieldPurpose::Page
        ),
    })
}

/// Returns the values of the choices of a field that are no default.
fn values(field: &Field) -> impl Iterator<Item = &str> {
    let choices = field.choices.iter().take(MAX_VALUES);
    let choices = choices.filter(|choice| !choice.is_disabled && !choice.is_default);
    choices
        .map(|choice| choice.value.as_str())
        .filter(|value| !value.trim().is_empty())
}

/// Returns the input of two fields that bound a range.
fn range(from: &Field, to: &Field, year: i32) -> Option<FilterInput> {
    let bounds = match (field_purpose(from), field_purpose(to)) {
        (FieldPurpose::PriceFrom, FieldPurpose::PriceTo) => PRICES.map(str::to_owned).to_vec(),
        (FieldPurpose::DateFrom, FieldPurpose::DateTo) => days(from, year)?,
        _ if is_lower(from) && is_upper(to) => chosen_bounds(from, to)?,
        _ => return None,
    };
    let is_allowed = |bound: &String| {
        let least = from.min.as_ref().is_none_or(|min| at_most(min, bound));
        least && to.max.as_ref().is_none_or(|max| at_most(bound, max))
    };
    let bounds: Vec<String> = bounds.into_iter().filter(is_allowed).collect();
    let (first, last) = (bounds.first()?, bounds.last()?);
    let open = |from: &str, to: &str| vec![from.to_owned(), to.to_owned()];
    let below = std::iter::once(open("", first));
    let between = bounds.windows(2).map(<[String]>::to_vec);
    let values = below.chain(between).chain(std::iter::once(open(last, "")));
    Some(FilterInput {
        names: vec![from.name.clone(), to.name.clone()],
        values: values.collect(),
        is_presentation: false,
    })
}

fn is_lower(field: &Field) -> bool {
    let words = Words::of_name(&field.name);
    field.kind.has_choices() && words.has(Notion::From) && !words.has(Notion::To)
}

fn is_upper(field: &Field) -> bool {
    let words = Words::of_name(&field.name);
    field.kind.has_choices() && words.has(Notion::To) && !words.has(Notion::From)
}

/// Returns the numbers that two menus share, in increasing order, if they are most of them.
fn chosen_bounds(from: &Field, to: &Field) -> Option<Vec<String>> {
    let upper: HashSet<&str> = values(to).collect();
    let shared = values(from).filter(|value| upper.contains(value));
    let numbers = shared.map(|value| Some((value.trim().parse::<f64>().ok()?, value)));
    let mut numbers: Vec<(f64, &str)> = numbers.collect::<Option<_>>()?;
    numbers.sort_by(|one, other| one.0.total_cmp(&other.0));
    // Two menus that share a few numbers by chance are no bounds of one range.
    let is_most = numbers.len() >= 2 && numbers.len() * 2 >= values(from).count().min(upper.len());
    is_most.then(|| {
        let bounds = numbers.into_iter().map(|(_, value)| value.to_owned());
        bounds.collect()
    })
}

/// Returns the first days of years as a control for dates sends them.
fn days(field: &Field, year: i32) -> Option<Vec<String>> {
    let rest = match field.kind {
        FieldKind::Date => "-01-01",
        FieldKind::DateTime => "-01-01T00:00",
        FieldKind::Month => "-01",
        // Text in an unknown format is not guessed.
        _ => return None,
    };
    let days = YEARS.map(|offset| format!("{:04}{rest}", year + offset));
    Some(days.to_vec())
}

/// Compares bounds as numbers, or else as texts, as dates are.
fn at_most(one: &str, other: &str) -> bool {
    match (one.trim().parse::<f64>(), other.trim().parse::<f64>()) {
        (Ok(one), Ok(other)) => one <= other,
        _ => one <= other,
    }
}

/// Returns true if a choice of the field does something: its value or label is a word for that, or
/// has one in a field whose name is one for deeds.
fn is_menu_of_deeds(field: &Field) -> bool {
    let names_deeds = names_deed(&field.name);
    let acts = |words: Words| {
        let is_whole = words.iter().count() == 1;
        let is_deed = words.has_exactly(Notion::Act) || words.has_exactly(Notion::Cart);
        let has_deed = words.has(Notion::Act) || words.has(Notion::Cart);
        (is_whole && is_deed) || (names_deeds && has_deed)
    };
    let mut choices = field.choices.iter();
    choices.any(|choice| acts(Words::of_name(&choice.value)) || acts(Words::of_text(&choice.label)))
}
