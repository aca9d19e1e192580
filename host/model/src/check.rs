//! From what a plugin wrote to a record: every value parsed, normalised, or left out with a reason.

use std::collections::HashMap;

use crate::normal::{self, Normal};
use crate::violation::shortened;
use crate::{Attribute, Field, Object, Reason, Record, RecordValue, Value, VerticalInfo, Violation};
use magpie_values::date::Date;

/// Maximum number of values of one attribute. Lists of performers or pictures are shorter; a longer
/// one is a whole page in one attribute.
pub const MAX_VALUES: usize = 500;
/// Maximum number of bytes of the plugin's text that are kept beside the normal form.
pub(crate) const MAX_RAW_LEN: usize = 1024;
/// Types are single words; this leaves room for a URL of some other vocabulary.
const MAX_TYPE_LEN: usize = 200;

/// Context for parsing values: for dates without a year, and relative URLs. It does not have the
/// time of the fetch, because the same page must give the same record when it is fetched again.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PageContext {
    /// The page's final URL, which relative URLs are resolved against.
    pub url: String,
    /// The page's own day, if it states one. Dates without a year are near it.
    pub day: Option<Date>,
    /// The year that the page states for its dates, if it does.
    pub year: Option<i32>,
    /// Its language, as a BCP 47 tag.
    pub language: Option<String>,
}

/// The result of checking an object.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Checked {
    /// The record; none when a required attribute has no value.
    pub record: Option<Record>,
    /// The changed or dropped values, in the order of the fields; those about the whole object come
    /// last.
    pub violations: Vec<Violation>,
}

/// Checks an object against its schema and brings every value into the normal form of its kind.
///
/// A bad value never costs more than itself, unless its attribute is required.
pub fn check(info: &VerticalInfo, object: &Object, page: &PageContext) -> Checked {
    let mut check = Check::new(info, page);
    for field in &object.fields {
        check.take(field);
    }
    check.finish(object)
}

struct Check<'a> {
    info: &'a VerticalInfo,
    reader: normal::Reader<'a>,
    places: HashMap<&'a str, usize>,
    values: Vec<Vec<RecordValue>>,
    violations: Vec<Violation>,
}

impl<'a> Check<'a> {
    fn new(info: &'a VerticalInfo, page: &'a PageContext) -> Self {
        let mut places = HashMap::new();
        for (place, attribute) in info.attributes.iter().enumerate() {
            // The first of two attributes with one name counts. `VerticalInfo::problems` reports
            // the pair.
            places.entry(attribute.name.as_str()).or_insert(place);
        }
        Self {
            info,
            reader: normal::Reader::new(page),
            places,
            values: vec![Vec::new(); info.attributes.len()],
            violations: Vec::new(),
        }
    }

    fn take(&mut self, field: &Field) {
        let Some(&place) = self.places.get(field.path.as_str()) else {
            self.complain(&field.path, &field.value, Reason::UnknownAttribute);
            return;
        };
        let attribute = &self.info.attributes[place];
        // Nothing is read once the excess was reported, so that a page of a million values costs no
        // more.
        if self.values[place].len() > MAX_VALUES {
            return;
        }
        match self.reader.read(&attribute.kind, &field.value) {
            Ok(normal) => self.put(place, attribute, field, normal),
            Err(reason) => self.complain(&field.path, &field.value, reason),
        }
    }

    /// Adds a value, unless it is there already or is one too many.
    fn put(&mut self, place: usize, attribute: &Attribute, field: &Field, normal: Normal) {
        let values = &mut self.values[place];
        // Pages often name one value twice, in the text and in structured data. That is no
        // violation.
        if values.iter().any(|value| value.value == normal.value) {
            return;
        }
        let refusal = if !attribute.repeated && !values.is_empty() {
            Some(Reason::SecondValue)
        } else if values.len() == MAX_VALUES {
            Some(Reason::TooManyValues)
        } else {
            None
        };
        // One value past the limit is kept until the end, as the mark that the excess was reported.
        if refusal != Some(Reason::SecondValue) {
            let raw = (normal.raw != normal.value).then(|| shortened(&normal.raw, MAX_RAW_LEN));
            values.push(RecordValue {
                attribute: attribute.name.clone(),
                value: normal.value,
                raw,
                node: field.node,
                repeated: attribute.repeated,
            });
        }
        for reason in normal.complaint.into_iter().chain(refusal) {
            self.complain(&field.path, &field.value, reason);
        }
    }

    fn complain(&mut self, path: &str, value: &Value, reason: Reason) {
        self.violations
            .push(Violation::new(path, &normal::written(value), reason));
    }

    fn finish(mut self, object: &Object) -> Checked {
        let confidence = self.confidence(object.confidence);
        let mut complete = true;
        for (attribute, values) in self.info.attributes.iter().zip(&mut self.values) {
            // Takes away the mark that `put` left.
            values.truncate(MAX_VALUES);
            if attribute.required && values.is_empty() {
                self.violations
                    .push(Violation::new(&attribute.name, "", Reason::MissingRequired));
                complete = false;
            }
        }
        let record = complete.then(|| Record {
            object_type: object_type(self.info, object),
            confidence,
            values: self.values.into_iter().flatten().collect(),
        });
        Checked {
            record,
            violations: self.violations,
        }
    }

    fn confidence(&mut self, stated: f64) -> f64 {
        if (0.0..=1.0).contains(&stated) {
            return stated;
        }
        self.violations
            .push(Violation::new("", &stated.to_string(), Reason::Confidence));
        // `clamp` would keep it.
        if stated.is_nan() {
            0.0
        } else {
            stated.clamp(0.0, 1.0)
        }
    }
}

/// The object's type in its short form, or the vertical's.
fn object_type(info: &VerticalInfo, object: &Object) -> String {
    let stated = object.schema_type.trim();
    let short = ["https://schema.org/", "http://schema.org/"]
        .iter()
        .find_map(|vocabulary| stated.strip_prefix(vocabulary))
        .unwrap_or(stated);
    let named = if short.is_empty() {
        info.object_type.trim()
    } else {
        short
    };
    shortened(named, MAX_TYPE_LEN)
}
