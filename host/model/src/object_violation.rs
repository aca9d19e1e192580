//! Violations of a plugin's objects, worded so that the author finds the object.

use std::collections::{BTreeMap, HashMap};

use schemars::JsonSchema;
use serde::Serialize;

use crate::{Object, Reason, Value, Violation};

/// The numbers of objects that share a sentence and are named; the others are counted.
const NAMED: usize = 12;

/// A violation, and the object it is about.
#[derive(Clone, Debug, PartialEq)]
pub struct ObjectViolation {
    /// The object's place among those the plugin handed over.
    pub found: usize,
    /// Its place among those that were kept; none when it was dropped.
    pub kept: Option<usize>,
    /// Its label.
    name: String,
    /// The violation.
    pub violation: Violation,
}

/// A value that was dropped or corrected.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Violation")]
pub struct ViolationView {
    /// Index in `objects`; null if the record itself was dropped.
    pub object: Option<usize>,
    /// Index among all records of the plugin.
    pub found: usize,
    /// Name of the attribute.
    pub attribute: String,
    /// Text that the plugin returned.
    pub raw: String,
    /// Stable code of the problem.
    pub code: String,
    /// Effect on the record.
    pub outcome: Consequence,
}

/// The consequence of a violation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
pub enum Consequence {
    /// The value was left out.
    ValueDropped,
    /// The value was kept, but not as written.
    ValueMended,
    /// The whole object was left out.
    ObjectDropped,
}

impl ObjectViolation {
    /// A violation of an object of some type; `kept` is its place among those that were kept.
    pub fn new(
        object_type: &str,
        object: &Object,
        found: usize,
        kept: Option<usize>,
        violation: Violation,
    ) -> Self {
        // A kept object is found by its number. One that was dropped has none, so a text of the
        // page names it.
        let name = match (kept, label(object)) {
            (Some(_), _) => object_type.to_owned(),
            (None, Some(label)) => format!("{object_type} {label:?}"),
            (None, None) => format!("{object_type} without a text"),
        };
        Self {
            found,
            kept,
            name,
            violation,
        }
    }

    /// Returns the consequence.
    pub fn consequence(&self) -> Consequence {
        match self.violation.reason {
            Reason::MissingRequired => Consequence::ObjectDropped,
            Reason::Confidence | Reason::TooLong | Reason::Properties => Consequence::ValueMended,
            _ => Consequence::ValueDropped,
        }
    }

    /// One sentence that names the object.
    pub fn sentence(&self) -> String {
        told(self, &[])
    }

    /// Returns the violation for programs.
    pub fn view(&self) -> ViolationView {
        ViolationView {
            object: self.kept,
            found: self.found,
            attribute: self.violation.attribute.clone(),
            raw: self.violation.raw.clone(),
            code: self.violation.reason.code().to_owned(),
            outcome: self.consequence(),
        }
    }

    /// Describes the consequence and its reason, without the object.
    fn what(&self) -> String {
        let Violation {
            attribute,
            raw,
            reason,
        } = &self.violation;
        let name = if attribute.is_empty() {
            "a value without a name"
        } else {
            attribute
        };
        match reason {
            Reason::MissingRequired => format!("object dropped: {attribute} is missing"),
            Reason::Confidence => format!("confidence corrected: {raw} is outside 0 to 1"),
            Reason::TooLong => format!("{name} corrected: its end was cut off: {raw:?}"),
            Reason::Properties => format!("{name} corrected: {reason}"),
            Reason::Unreadable { detail, .. } if !detail.is_empty() => {
                format!("{name} dropped: {}", unreadable(detail, raw))
            }
            _ if raw.is_empty() => format!("{name} dropped: {reason}"),
            _ => format!("{name} dropped: {reason}: {raw:?}"),
        }
    }
}

/// One sentence for all violations that are the same but for their object.
pub fn grouped(violations: &[ObjectViolation]) -> Vec<String> {
    let mut places: HashMap<(&str, String), usize> = HashMap::new();
    let mut groups: Vec<Vec<&ObjectViolation>> = Vec::new();
    for violation in violations {
        // A list beside the map keeps the order in which the violations occurred.
        let next = groups.len();
        let place = *places.entry((&violation.name, violation.what())).or_insert(next);
        if place == next {
            groups.push(Vec::new());
        }
        groups[place].push(violation);
    }
    groups.iter().map(|group| told(group[0], &group[1..])).collect()
}

/// Returns the missing parts of dropped objects: an entry per object, like `title is missing`.
pub fn lacks(violations: &[ObjectViolation]) -> Vec<String> {
    let mut objects: BTreeMap<usize, Vec<&str>> = BTreeMap::new();
    for one in violations {
        if one.consequence() == Consequence::ObjectDropped {
            let missing = objects.entry(one.found).or_default();
            missing.push(&one.violation.attribute);
        }
    }
    let sentence = |missing: Vec<&str>| {
        let verb = if missing.len() == 1 { "is" } else { "are" };
        format!("{} {verb} missing", missing.join(" and "))
    };
    objects.into_values().map(sentence).collect()
}

fn told(first: &ObjectViolation, others: &[&ObjectViolation]) -> String {
    let mut sentence = match first.kept {
        Some(place) => format!("{} #{place}: {}", first.name, first.what()),
        None => format!("{}: {}", first.name, first.what()),
    };
    let mut numbers: Vec<usize> = others.iter().filter_map(|one| one.kept).collect();
    // An object may have the same violation more than once.
    numbers.dedup();
    let named: Vec<String> = numbers
        .iter()
        .take(NAMED)
        .map(|place| format!("#{place}"))
        .collect();
    match (others.len(), numbers.len().saturating_sub(NAMED)) {
        (0, _) => {}
        (more, _) if named.is_empty() => sentence.push_str(&format!(" (and {more} more)")),
        (_, 0) => sentence.push_str(&format!(" (also {})", named.join(", "))),
        (_, more) => sentence.push_str(&format!(" (also {} and {more} more)", named.join(", "))),
    }
    sentence
}

/// Completes a detail about a written value, such as "there is no number in it", with that value.
fn unreadable(detail: &str, raw: &str) -> String {
    let lacking = detail
        .strip_prefix("there is ")
        .and_then(|rest| rest.strip_suffix(" in it"));
    match lacking {
        Some(lacking) => format!("{lacking} in {raw:?}"),
        None => format!("{detail}: {raw:?}"),
    }
}

/// The first text of an object that was dropped: what a person finds it by on the page.
fn label(object: &Object) -> Option<String> {
    const LONGEST: usize = 40;
    object.fields.iter().find_map(|field| match &field.value {
        Value::Text(text) if !text.trim().is_empty() => Some(text.trim().chars().take(LONGEST).collect()),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Kind;

    fn violation(
        found: usize,
        kept: Option<usize>,
        attribute: &str,
        raw: &str,
        reason: Reason,
    ) -> ObjectViolation {
        ObjectViolation::new(
            "Job",
            &Object::default(),
            found,
            kept,
            Violation::new(attribute, raw, reason),
        )
    }

    fn no_number() -> Reason {
        Reason::Unreadable {
            kind: Kind::Number,
            detail: "there is no number in it".to_owned(),
        }
    }

    #[test]
    fn equal_violations_are_one_sentence_that_names_the_objects() {
        let all = [
            violation(0, Some(0), "places", "many", no_number()),
            violation(1, Some(1), "places", "few", no_number()),
            violation(3, Some(2), "places", "many", no_number()),
            violation(4, Some(3), "places", "many", no_number()),
        ];
        assert_eq!(
            grouped(&all),
            [
                "Job #0: places dropped: no number in \"many\" (also #2, #3)",
                "Job #1: places dropped: no number in \"few\""
            ]
        );
    }

    #[test]
    fn dropping_and_mending_are_told_apart() {
        let sentence = |attribute, raw, reason| violation(0, Some(0), attribute, raw, reason).sentence();
        assert_eq!(
            sentence("", "1.5", Reason::Confidence),
            "Job #0: confidence corrected: 1.5 is outside 0 to 1"
        );
        assert_eq!(
            sentence("colour", "blue", Reason::UnknownAttribute),
            "Job #0: colour dropped: the schema has no attribute of this name: \"blue\""
        );
    }

    #[test]
    fn a_dropped_object_is_named_by_its_text_and_by_what_it_lacks() {
        let object = Object {
            fields: vec![crate::Field {
                path: "place".to_owned(),
                value: Value::Text(" Oslo ".to_owned()),
                node: None,
            }],
            ..Object::default()
        };
        let lost = |attribute| {
            let violation = Violation::new(attribute, "", Reason::MissingRequired);
            ObjectViolation::new("Job", &object, 7, None, violation)
        };
        let all = [lost("title"), lost("date")];
        assert_eq!(
            all[0].sentence(),
            "Job \"Oslo\": object dropped: title is missing"
        );
        assert_eq!(lacks(&all), ["title and date are missing"]);
        assert_eq!(all[0].view().object, None);
        assert_eq!(all[0].view().found, 7);
    }

    #[test]
    fn a_long_list_of_objects_is_counted() {
        let all: Vec<ObjectViolation> = (0..20)
            .map(|at| violation(at, Some(at), "places", "many", no_number()))
            .collect();
        let sentences = grouped(&all);
        assert_eq!(sentences.len(), 1);
        assert!(sentences[0].ends_with("#11, #12 and 7 more)"), "{sentences:?}");
    }
}
