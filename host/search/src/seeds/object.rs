//! From names and values to an object that its schema takes.

use magpie_model::{
    Attribute, Checked, Field, Kind, Object, PageContext, Reason, Value, VerticalInfo, Violation, check,
};
use magpie_values::Timestamp;
use magpie_values::date::Date;
use serde_json::{Map, Value as Json};

use super::json::found;
use super::{Entry, Seed, SeedsError, SeedsProblem, advice, error};

/// Two days for parsing a seed: a complete date is the same on both. They are far apart, and have
/// different days of the week and of the month.
const DAYS: [Timestamp; 2] = [
    Timestamp::from_seconds(1_000_000_000),
    Timestamp::from_seconds(2_012_345_678),
];

/// The object of an entry, or what is wrong with it.
pub(super) fn seed(entry: Entry, vertical: &VerticalInfo) -> Result<Seed, SeedsError> {
    let line = entry.line;
    let made = object(entry.pairs, vertical).and_then(|object| {
        let record = checked(&object, vertical)?;
        Ok(Seed { object, record, line })
    });
    made.map_err(|problem| SeedsError::on(line, problem))
}

fn object(pairs: Vec<(String, Json)>, vertical: &VerticalInfo) -> Result<Object, SeedsProblem> {
    let mut object = Object {
        confidence: 1.0,
        ..Object::default()
    };
    let pairs = unwrapped(pairs, vertical, &mut object)?;
    for (name, value) in pairs {
        match vertical.attribute(&name) {
            Some(attribute) => add(&mut object.fields, attribute, value),
            None if name == "type" => object.schema_type = type_of(&value, vertical)?,
            None => return Err(error::unknown(vertical, &name, false)),
        }
    }
    Ok(object)
}

/// The attributes of an object in the form of results; every other object as it is.
fn unwrapped(
    pairs: Vec<(String, Json)>,
    vertical: &VerticalInfo,
    object: &mut Object,
) -> Result<Vec<(String, Json)>, SeedsProblem> {
    let holds = |(name, value): &(String, Json)| name == "attributes" && value.is_object();
    // A vertical may have an attribute of this name.
    if vertical.attribute("attributes").is_some() || !pairs.iter().any(holds) {
        return Ok(pairs);
    }
    let mut attributes = Vec::new();
    // Other parts of results (positions in a page, the written text) do not describe the object.
    for (name, value) in pairs {
        match (name.as_str(), value) {
            ("attributes", Json::Object(values)) => attributes.extend(values),
            ("type", value) => object.schema_type = type_of(&value, vertical)?,
            ("confidence", Json::Number(stated)) => object.confidence = stated.as_f64().unwrap_or(1.0),
            _ => {}
        }
    }
    Ok(attributes)
}

fn type_of(value: &Json, vertical: &VerticalInfo) -> Result<String, SeedsProblem> {
    match value {
        Json::String(name) => Ok(name.clone()),
        Json::Null => Ok(String::new()),
        other => Err(SeedsProblem::NotAType {
            found: found(other),
            example: vertical.object_type.clone(),
        }),
    }
}

/// Adds the values of an attribute, those in a list one by one.
fn add(fields: &mut Vec<Field>, attribute: &Attribute, value: Json) {
    let value = match value {
        Json::Array(rows) if attribute.kind == Kind::Properties => table(rows),
        other => other,
    };
    match value {
        Json::Array(values) => {
            for value in values {
                push(fields, attribute, value);
            }
        }
        one => push(fields, attribute, one),
    }
}

fn push(fields: &mut Vec<Field>, attribute: &Attribute, value: Json) {
    let value = match value {
        Json::Null => return,
        Json::String(text) if text.trim().is_empty() => return,
        Json::String(text) => Value::Text(text),
        Json::Bool(truth) => Value::Boolean(truth),
        Json::Number(number) => match number.as_i64() {
            Some(whole) => Value::Integer(whole),
            // As it was written: neither large numbers nor decimals lose digits.
            None => Value::Json(Json::Number(number)),
        },
        nested => Value::Json(nested),
    };
    fields.push(Field {
        path: attribute.name.clone(),
        value,
        node: None,
    });
}

/// Converts properties in rows (`Weight: 5 kg`) to an object. Anything else is unchanged.
fn table(rows: Vec<Json>) -> Json {
    let row = |row: &Json| {
        let (name, value) = row.as_str()?.split_once(':')?;
        Some((name.trim().to_owned(), Json::from(value.trim())))
    };
    match rows.iter().map(row).collect::<Option<Map<String, Json>>>() {
        Some(properties) => Json::Object(properties),
        None => Json::Array(rows),
    }
}

fn checked(object: &Object, vertical: &VerticalInfo) -> Result<magpie_model::Record, SeedsProblem> {
    // Read as of two days: a value that depends on the day would search for another object next
    // week.
    let [one, other] = DAYS.map(|day| {
        let page = PageContext {
            day: Date::from_days(day.as_days()),
            ..PageContext::default()
        };
        check(vertical, object, &page)
    });
    if let Some(problem) = relative(object, vertical, [&one, &other]) {
        return Err(problem);
    }
    if let Some(violation) = first(&one.violations) {
        return Err(violated(violation, vertical));
    }
    one.record.ok_or_else(|| error::empty(vertical))
}

/// Returns the first violation; missing values come last, since an invalid value counts as missing.
fn first(violations: &[Violation]) -> Option<&Violation> {
    let is_missing = |violation: &&Violation| violation.reason == Reason::MissingRequired;
    let told = violations.iter().find(|violation| !is_missing(violation));
    told.or(violations.first())
}

/// A value that is another one on another day.
fn relative(object: &Object, vertical: &VerticalInfo, days: [&Checked; 2]) -> Option<SeedsProblem> {
    if days[0] == days[1] {
        return None;
    }
    let differs = |field: &&Field| {
        let is_date = |attribute: &Attribute| attribute.kind == Kind::DateTime;
        let [one, other] = days.map(|checked| {
            let record = checked.record.as_ref();
            let values = record.map(|record| record.all(&field.path).collect::<Vec<_>>());
            let complaints = checked.violations.iter();
            let complaints = complaints.filter(|violation| violation.attribute == field.path);
            (values, complaints.collect::<Vec<_>>())
        });
        vertical.attribute(&field.path).is_some_and(is_date) && one != other
    };
    let field = object.fields.iter().find(differs)?;
    Some(SeedsProblem::Relative {
        attribute: field.path.clone(),
        written: written(&field.value),
        example: advice::MOMENT,
    })
}

fn violated(violation: &Violation, vertical: &VerticalInfo) -> SeedsProblem {
    let attribute = vertical.attribute(&violation.attribute);
    match (&violation.reason, attribute) {
        (Reason::MissingRequired, Some(attribute)) => error::missing(vertical, attribute),
        (reason, attribute) => SeedsProblem::Value {
            attribute: match violation.attribute.as_str() {
                "" => "confidence".to_owned(),
                name => name.to_owned(),
            },
            written: error::quoted(&violation.raw),
            reason: told(reason),
            expected: match attribute {
                Some(attribute) => advice::takes(&attribute.kind),
                None => "a number from 0 to 1".to_owned(),
            },
        },
    }
}

/// The model's own words, without those that the sentence has already.
fn told(reason: &Reason) -> String {
    match reason {
        Reason::Unreadable { detail, .. } if !detail.is_empty() => detail.clone(),
        Reason::Unreadable { kind, .. } => format!("not a {kind}"),
        Reason::WrongType { found, .. } => format!("found {found}"),
        Reason::SecondValue => "it may have only one value".to_owned(),
        other => other.to_string(),
    }
}

fn written(value: &Value) -> String {
    match value {
        Value::Text(text) => error::quoted(text),
        other => {
            let json = serde_json::to_string(other).unwrap_or_default();
            error::quoted(&json)
        }
    }
}
