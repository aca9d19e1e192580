//! Consistency checks of the description that a component gives of itself.

use std::collections::HashSet;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{Attribute, Kind, OptionKind, OptionSpec, VerticalInfo, options};

/// Maximum number of attributes. A longer schema is unreadable, and the limit bounds the work per
/// record.
pub(crate) const MAX_ATTRIBUTES: usize = 200;
/// As for attributes.
pub(crate) const MAX_OPTIONS: usize = 100;
/// Maximum number of bytes of a path of schema.org; its longest property name has some 40.
const MAX_PROPERTY_LEN: usize = 120;
/// Names end up in table heads, file names and queries.
const MAX_NAME_LEN: usize = 64;

/// Something wrong with a description.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Problem {
    /// The severity, which decides if the component can be used.
    pub severity: Severity,
    /// The problem, in one sentence.
    pub sentence: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.severity, self.sentence)
    }
}

/// The severity of a problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// The component works, though hardly as its author meant.
    Warning,
    /// The component can't be used.
    Error,
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Warning => "warning",
            Self::Error => "error",
        })
    }
}

impl VerticalInfo {
    /// Returns the problems of the description, in the order of its parts. A component that only
    /// judges pages needs no attributes.
    pub fn problems(&self, needs_attributes: bool) -> Vec<Problem> {
        let mut findings = Findings::default();
        self.check_head(&mut findings);
        if needs_attributes || !self.attributes.is_empty() {
            self.check_attributes(&mut findings);
        }
        self.check_options(&mut findings);
        findings.0
    }

    fn check_head(&self, findings: &mut Findings) {
        findings.name("vertical", &self.name);
        if let Err(error) = semver::Version::parse(&self.version) {
            findings.error(format!(
                "invalid version `{}`: expected the form 1.2.3 ({error})",
                clipped(&self.version)
            ));
        }
        if self.object_type.trim().is_empty() {
            findings.error(
                "the object type is empty: expected the name of one object, such as `Event`".to_owned(),
            );
        }
        if self.summary.trim().is_empty() {
            findings.warn("the summary is empty; lists of plugins show it".to_owned());
        }
    }

    fn check_attributes(&self, findings: &mut Findings) {
        if self.attributes.is_empty() {
            findings.error("the schema has no attributes, so objects would be empty".to_owned());
            return;
        }
        if self.attributes.len() > MAX_ATTRIBUTES {
            findings.error(format!(
                "the schema has {} attributes, more than the maximum of {MAX_ATTRIBUTES}",
                self.attributes.len()
            ));
        }
        findings.duplicates(
            "attribute",
            self.attributes.iter().map(|attribute| attribute.name.as_str()),
        );
        // The excess is reported above. A description of a million attributes must not become as
        // many sentences.
        for attribute in self.attributes.iter().take(MAX_ATTRIBUTES) {
            check_attribute(attribute, findings);
        }
        // Clustering ignores attributes without a weight, so one that identifies needs both.
        let identifying = |attribute: &Attribute| attribute.identifies && attribute.weight > 0.0;
        if !self.attributes.iter().any(identifying) {
            findings.warn(
                "no attribute with a weight identifies an object, so no two records will be merged"
                    .to_owned(),
            );
        }
    }

    fn check_options(&self, findings: &mut Findings) {
        if self.options.len() > MAX_OPTIONS {
            findings.error(format!(
                "there are {} options, more than the maximum of {MAX_OPTIONS}",
                self.options.len()
            ));
        }
        findings.duplicates("option", self.options.iter().map(|option| option.name.as_str()));
        for option in self.options.iter().take(MAX_OPTIONS) {
            check_option(option, findings);
        }
    }
}

fn check_attribute(attribute: &Attribute, findings: &mut Findings) {
    findings.name("attribute", &attribute.name);
    let name = clipped(&attribute.name);
    if let Kind::Unknown(kind) = &attribute.kind {
        findings.warn(format!(
            "attribute `{name}` has the unknown kind `{}`; it is treated as text",
            clipped(kind)
        ));
    }
    if !attribute.weight.is_finite() || attribute.weight < 0.0 {
        findings.error(format!(
            "invalid weight `{}` of attribute `{name}`: expected 0 or more",
            attribute.weight
        ));
    }
    if attribute.expires && attribute.kind != Kind::DateTime {
        findings.error(format!(
            "attribute `{name}` has `expires`, but is of kind {}: expected date-time",
            attribute.kind
        ));
    }
    if let Some(property) = attribute.schema_org.as_deref().filter(|text| !is_property(text)) {
        findings.error(format!(
            "attribute `{name}` has the invalid `schema.org` property `{}`: expected a path such as `startDate` or \
             `offers.price`",
            clipped(property)
        ));
    }
    if attribute.label.trim().is_empty() {
        findings.warn(format!("attribute `{name}` has no label; tables show its name"));
    }
}

fn check_option(option: &OptionSpec, findings: &mut Findings) {
    findings.name("option", &option.name);
    let name = clipped(&option.name);
    if option.kind == OptionKind::Choice && option.choices.is_empty() {
        findings.error(format!("option `{name}` is a choice without choices"));
        // Any default would be wrong, so checking it would report the same problem twice.
        return;
    }
    if option.kind != OptionKind::Choice && !option.choices.is_empty() {
        findings.warn(format!(
            "option `{name}` lists choices, but is not a choice; they are ignored"
        ));
    }
    if let Err(problem) = options::fit(option, &option.default) {
        findings.error(format!("invalid default: {problem}"));
    }
}

/// The problems found so far.
#[derive(Default)]
struct Findings(Vec<Problem>);

impl Findings {
    fn error(&mut self, sentence: String) {
        self.0.push(Problem {
            severity: Severity::Error,
            sentence,
        });
    }

    fn warn(&mut self, sentence: String) {
        self.0.push(Problem {
            severity: Severity::Warning,
            sentence,
        });
    }

    fn name(&mut self, what: &str, name: &str) {
        if name.is_empty() {
            self.error(format!("the {what}'s name is empty"));
        } else if !well_formed(name) {
            self.error(format!(
                "invalid name `{}` of the {what}: expected at most {MAX_NAME_LEN} lowercase letters, digits and \
                 single dashes, beginning with a letter",
                clipped(name)
            ));
        }
    }

    fn duplicates<'a>(&mut self, what: &str, names: impl Iterator<Item = &'a str>) {
        let (mut seen, mut told) = (HashSet::new(), HashSet::new());
        for name in names {
            // Each name is reported once, however often it occurs.
            if !seen.insert(name) && told.insert(name) {
                self.error(format!(
                    "there are several {what}s with the name `{}`",
                    clipped(name)
                ));
            }
        }
    }
}

fn well_formed(name: &str) -> bool {
    name.len() <= MAX_NAME_LEN
        && name.starts_with(|first: char| first.is_ascii_lowercase())
        && !name.ends_with('-')
        && !name.contains("--")
        && name
            .chars()
            .all(|one| one.is_ascii_lowercase() || one.is_ascii_digit() || one == '-')
}

/// Returns true for a path of property names of schema.org.
fn is_property(path: &str) -> bool {
    let is_name = |name: &str| !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric());
    path.len() <= MAX_PROPERTY_LEN && path.split('.').all(is_name)
}

fn clipped(text: &str) -> String {
    crate::violation::shortened(text, MAX_NAME_LEN)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn attribute(name: &str, kind: Kind) -> Attribute {
        Attribute {
            identifies: true,
            ..Attribute::new(name, kind)
        }
    }

    fn sound() -> VerticalInfo {
        VerticalInfo {
            name: "things".to_owned(),
            version: "1.2.3-rc.1".to_owned(),
            summary: "Things.".to_owned(),
            object_type: "Thing".to_owned(),
            attributes: vec![attribute("name", Kind::Text), attribute("end-2", Kind::DateTime)],
            ..VerticalInfo::default()
        }
    }

    /// The one problem that a change of a sound description makes.
    fn check(change: impl FnOnce(&mut VerticalInfo), severity: Severity, part: &str) {
        let mut info = sound();
        change(&mut info);
        let problems = info.problems(true);
        assert_eq!(problems.len(), 1, "{part}: {problems:?}");
        assert_eq!(problems[0].severity, severity, "{problems:?}");
        assert!(problems[0].sentence.contains(part), "{part}: {problems:?}");
    }

    #[test]
    fn a_sound_description_has_none() {
        assert_eq!(sound().problems(true), []);
    }

    #[test]
    fn each_defect_is_one_sentence() {
        use Severity::{Error, Warning};
        check(|info| info.name.clear(), Error, "vertical's name is empty");
        check(|info| info.name = "Big Things".to_owned(), Error, "`Big Things`");
        check(|info| info.version = "1.2".to_owned(), Error, "`1.2`");
        check(|info| info.object_type = " ".to_owned(), Error, "object type");
        check(|info| info.summary.clear(), Warning, "summary");
        check(|info| info.attributes.clear(), Error, "no attributes");
        check(
            |info| info.attributes[1].name = "name".to_owned(),
            Error,
            "several attributes",
        );
        check(|info| info.attributes[1].name = "a--b".to_owned(), Error, "a--b");
        check(
            |info| info.attributes[1].kind = Kind::Unknown("colour".to_owned()),
            Warning,
            "colour",
        );
        check(|info| info.attributes[1].weight = f64::NAN, Error, "NaN");
        check(|info| info.attributes[1].weight = -1.0, Error, "-1");
        check(
            |info| info.attributes[0].expires = true,
            Error,
            "expected date-time",
        );
        check(|info| info.attributes[0].label.clear(), Warning, "label");
        check(
            |info| info.attributes.iter_mut().for_each(|one| one.identifies = false),
            Warning,
            "identifies",
        );
    }

    #[test]
    fn properties_of_schema_org_are_paths() {
        let named = |property: &str| {
            let property = Some(property.to_owned());
            move |info: &mut VerticalInfo| info.attributes[0].schema_org = property
        };
        for wrong in ["", "start date", "offers..price", "<script>"] {
            check(named(wrong), Severity::Error, "`schema.org` property");
        }
        let mut info = sound();
        named("offers.price")(&mut info);
        assert_eq!(info.problems(true), []);
    }

    #[test]
    fn only_judges_need_no_attributes() {
        let empty = VerticalInfo {
            attributes: Vec::new(),
            ..sound()
        };
        assert_eq!(empty.problems(false), []);
        assert!(empty.problems(true)[0].sentence.contains("no attributes"));
    }

    #[test]
    fn options_are_looked_at() {
        let option = |kind, default| OptionSpec {
            name: "order".to_owned(),
            kind,
            default,
            choices: Vec::new(),
            summary: String::new(),
        };
        let put = |option: OptionSpec| move |info: &mut VerticalInfo| info.options.push(option);
        check(
            put(option(OptionKind::Choice, json!("a"))),
            Severity::Error,
            "choice without choices",
        );
        check(
            put(option(OptionKind::Integer, json!("a"))),
            Severity::Error,
            "a whole number",
        );
        let choice = OptionSpec {
            choices: vec!["b".to_owned()],
            ..option(OptionKind::Choice, json!("a"))
        };
        check(put(choice), Severity::Error, "expected `b`");
        let listed = OptionSpec {
            choices: vec!["b".to_owned()],
            ..option(OptionKind::Text, json!("a"))
        };
        check(put(listed), Severity::Warning, "lists choices");
    }
}
