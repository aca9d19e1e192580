//! Features of an object that are kept for comparing: its values, folded and parsed once, in few
//! bytes.
//!
//! The bytes begin with the words of its name, so that objects with similar names are neighbours in
//! byte order. Then follow a zero, the plan's digest, and for each attribute with values: its
//! index, their number, and each value with its length.

use magpie_model::{Kind, Object, Value};
use magpie_values::identifier::{self, Scheme};
use magpie_values::name;
use magpie_values::text;

use super::plan::{Form, Plan, Planned};
use super::{person, words};

/// Names with more words are sentences, and their beginning is specific enough.
const MAX_WORDS: usize = 32;
/// Values of one attribute that are compared; all with all.
const MAX_VALUES: usize = 12;
/// Maximum length of a value, in bytes.
const MAX_VALUE_LEN: usize = 400;

/// The features of an object, as far as their attributes have values.
#[derive(Debug)]
pub(super) struct Features<'a> {
    /// By the attribute's place, in the plan's order.
    fields: Vec<(usize, Vec<&'a str>)>,
}

impl<'a> Features<'a> {
    /// The features in the bytes; none when they are not of this plan.
    pub(super) fn decode(bytes: &'a [u8], plan: &Plan) -> Option<Self> {
        let name = bytes.iter().position(|byte| *byte == 0)?;
        let mut rest = &bytes[name + 1..];
        let digest: [u8; 4] = take(&mut rest, 4)?.try_into().ok()?;
        // Features of an older schema would be read as other attributes.
        if u32::from_le_bytes(digest) != plan.digest {
            return None;
        }
        let mut fields = Vec::new();
        while !rest.is_empty() {
            let head = take(&mut rest, 2)?;
            let (place, count) = (usize::from(head[0]), usize::from(head[1]));
            // Features are kept outside, and a damaged one must not panic.
            if place >= plan.attributes.len() {
                return None;
            }
            let mut values = Vec::with_capacity(count);
            for _ in 0..count {
                let length: [u8; 2] = take(&mut rest, 2)?.try_into().ok()?;
                let value = take(&mut rest, usize::from(u16::from_le_bytes(length)))?;
                values.push(std::str::from_utf8(value).ok()?);
            }
            fields.push((place, values));
        }
        Some(Self { fields })
    }

    /// The values of the attribute at a place; empty when it has none.
    pub(super) fn values(&self, place: usize) -> &[&'a str] {
        let found = self.fields.binary_search_by_key(&place, |(place, _)| *place);
        found.map_or(&[], |at| self.fields[at].1.as_slice())
    }

    /// All attributes that have values, by place.
    pub(super) fn fields(&self) -> impl Iterator<Item = (usize, &[&'a str])> {
        self.fields
            .iter()
            .map(|(place, values)| (*place, values.as_slice()))
    }
}

/// The features of an object as bytes.
pub(super) fn encode(object: &Object, plan: &Plan) -> Vec<u8> {
    let (mut name, mut body) = (Vec::new(), Vec::new());
    for (place, planned) in plan.enumerate() {
        let values = prepared(object, planned);
        if values.is_empty() {
            continue;
        }
        if plan.naming == Some(place) {
            name.extend(values[0].bytes());
        }
        body.push(place as u8);
        body.push(values.len() as u8);
        for value in values {
            body.extend((value.len() as u16).to_le_bytes());
            body.extend(value.bytes());
        }
    }
    // A zero inside would end the name early.
    name.retain(|byte| *byte != 0);
    [name, vec![0], plan.digest.to_le_bytes().to_vec(), body].concat()
}

/// The values of an attribute, ready for comparing, each once.
fn prepared(object: &Object, planned: &Planned) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    if planned.form == Form::Ignored {
        return all;
    }
    for value in object.values(&planned.name) {
        let written = match value {
            Value::Text(text) => text.clone(),
            Value::Integer(number) => number.to_string(),
            Value::Real(number) => number.to_string(),
            Value::Boolean(truth) => truth.to_string(),
            Value::Json(json) => json.to_string(),
        };
        // Cut before folding, so that a whole article costs no more than a line.
        for value in forms(planned, text::truncate(&written, MAX_VALUE_LEN * 4)) {
            let value = text::truncate(&value, MAX_VALUE_LEN).to_owned();
            if !value.is_empty() && !all.contains(&value) && all.len() < MAX_VALUES {
                all.push(value);
            }
        }
    }
    all
}

fn forms(planned: &Planned, written: &str) -> Vec<String> {
    let one = match planned.form {
        Form::Words if planned.kind == Kind::Organisation => {
            words::name(&name::organisation_core(written), MAX_WORDS)
        }
        Form::Words => words::name(written, MAX_WORDS),
        Form::Place => words::words(&name::street_key(written), MAX_WORDS).join(" "),
        Form::Person => person::form(written),
        Form::Exact => match &planned.kind {
            Kind::Identifier(scheme) => identifier_form(scheme, written),
            _ => text::fold(written),
        },
        Form::Distance | Form::Time | Form::Money | Form::Number | Form::Shared => text::tidy(written),
        Form::Properties => return properties(written),
        Form::Ignored => String::new(),
    };
    vec![one]
}

/// Normal form of an identifier of a private scheme, without separators: phone numbers are written
/// in many ways.
fn identifier_form(scheme: &str, written: &str) -> String {
    match Scheme::parse(scheme) {
        Scheme::Other | Scheme::Sku => text::fold(written)
            .chars()
            .filter(|one| one.is_alphanumeric())
            .collect(),
        scheme => identifier::key(scheme, written).unwrap_or_default(),
    }
}

/// `name=value`, folded, for each property.
fn properties(written: &str) -> Vec<String> {
    let Ok(serde_json::Value::Object(properties)) = serde_json::from_str(written) else {
        return Vec::new();
    };
    let form = |(name, value): (&String, &serde_json::Value)| {
        let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let (name, value) = (
            words::words(name, MAX_WORDS).join(" "),
            words::words(&value, MAX_WORDS).join(" "),
        );
        (!name.is_empty() && !value.is_empty()).then(|| format!("{name}={value}"))
    };
    properties.iter().filter_map(form).collect()
}

fn take<'a>(rest: &mut &'a [u8], count: usize) -> Option<&'a [u8]> {
    let (taken, left) = rest.split_at_checked(count)?;
    *rest = left;
    Some(taken)
}
