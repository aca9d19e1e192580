//! One object of several: for each attribute the value most of them support.

use magpie_model::{Object, Value};
use magpie_values::text;

use magpie_model::Merged;

use super::plan::{Form, Plan, Planned};

/// Values of other kinds than the name in a label.
const LABEL_DETAILS: usize = 2;
/// Maximum length of one value in a label, in bytes.
const MAX_IN_LABEL_LEN: usize = 120;

/// Chooses the object that each attribute is taken from, and the label of the merged object.
pub(super) fn merge(plan: &Plan, objects: &[Object]) -> Merged {
    let mut keep = Vec::new();
    for planned in &plan.attributes {
        if let Some(source) = source(planned, objects) {
            keep.push((planned.name.clone(), source as u32));
        }
    }
    let label = label(plan, objects, &keep);
    Merged { label, keep }
}

/// The object whose value most others support; of equals the one that says most, then the surer,
/// then the first.
fn source(planned: &Planned, objects: &[Object]) -> Option<usize> {
    let values: Vec<Option<String>> = objects.iter().map(|object| comparable(planned, object)).collect();
    let rank = |at: usize, value: &str| {
        let said = value.len();
        // Descriptions are seldom the same, and the longest has most to tell.
        let prose = planned.form == Form::Words && !planned.identifies;
        let support = if prose || planned.repeated {
            0
        } else {
            support(planned, value, &values)
        };
        (
            support,
            said,
            (objects[at].confidence.clamp(0.0, 1.0) * 1000.0) as u32,
            std::cmp::Reverse(at),
        )
    };
    let present = values
        .iter()
        .enumerate()
        .filter_map(|(at, value)| value.as_deref().map(|value| (at, value)));
    present
        .max_by_key(|(at, value)| rank(*at, value))
        .map(|(at, _)| at)
}

fn support(planned: &Planned, value: &str, values: &[Option<String>]) -> usize {
    let agrees = |other: &str| match planned.form {
        // A day supports a time on that day, and the other way round.
        Form::Time => value.starts_with(other) || other.starts_with(value),
        _ => value == other,
    };
    values.iter().flatten().filter(|other| agrees(other)).count()
}

/// All values of an attribute, folded; none when there are none.
fn comparable(planned: &Planned, object: &Object) -> Option<String> {
    let values: Vec<String> = object
        .values(&planned.name)
        .map(|value| text::fold(&shown(value)))
        .collect();
    let joined = values.join("\n");
    (!joined.is_empty()).then_some(joined)
}

fn shown(value: &Value) -> String {
    match value {
        Value::Text(text) => text.clone(),
        Value::Integer(number) => number.to_string(),
        Value::Real(number) => number.to_string(),
        Value::Boolean(truth) => truth.to_string(),
        Value::Json(json) => json.to_string(),
    }
}

/// The name, and the first values that distinguish objects of this name.
fn label(plan: &Plan, objects: &[Object], keep: &[(String, u32)]) -> String {
    let taken = |planned: &Planned| {
        let (_, source) = keep.iter().find(|(name, _)| *name == planned.name)?;
        let value = shown(objects.get(*source as usize)?.values(&planned.name).next()?);
        Some(text::shorten(&text::tidy(&value), MAX_IN_LABEL_LEN))
    };
    let name = plan.naming.and_then(|place| taken(&plan.attributes[place]));
    let telling = |planned: &Planned| {
        planned.identifies && matches!(planned.form, Form::Time | Form::Place | Form::Person)
    };
    let details = plan
        .enumerate()
        .filter(|(place, planned)| plan.naming != Some(*place) && telling(planned));
    let details = details
        .filter_map(|(_, planned)| taken(planned))
        .take(LABEL_DETAILS);
    let parts: Vec<String> = name.into_iter().chain(details).collect();
    if parts.is_empty() {
        plan.attributes.iter().find_map(taken).unwrap_or_default()
    } else {
        parts.join(", ")
    }
}
