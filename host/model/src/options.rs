//! Options set by a user, checked against those that the plugin declares.

use std::collections::BTreeMap;

use serde_json::{Map, Value as Json};

use crate::{OptionKind, OptionSpec};

/// The values of all options of a plugin by name: what the user set, else the default.
pub type ResolvedOptions = BTreeMap<String, Json>;

/// A setting that does not fit what the plugin declares.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OptionProblem {
    /// The plugin has no such option.
    #[error("there is no option `{name}`{}", suggestion(.nearest.as_deref()))]
    Unknown {
        /// The name as written.
        name: String,
        /// The option that is spelled most alike, when one is near.
        nearest: Option<String>,
    },
    /// The value has the wrong type.
    #[error("invalid value `{found}` for option `{name}`: expected {expected}")]
    WrongType {
        /// The option.
        name: String,
        /// The expected type: `a whole number`.
        expected: &'static str,
        /// The given value, as JSON.
        found: String,
    },
    /// The value is not one of the choices.
    #[error("invalid value `{found}` for option `{name}`: expected {}{}", alternatives(.choices), suggestion(.nearest.as_deref()))]
    NotAChoice {
        /// The option.
        name: String,
        /// The given value.
        found: String,
        /// The allowed values.
        choices: Vec<String>,
        /// The choice that is spelled most alike, when one is near.
        nearest: Option<String>,
    },
}

/// Checks a plugin's settings. All problems are returned, so that a user mends them in one go.
pub fn resolve_options(
    specs: &[OptionSpec],
    settings: &Map<String, Json>,
) -> Result<ResolvedOptions, Vec<OptionProblem>> {
    let mut problems = Vec::new();
    let mut resolved: ResolvedOptions = specs
        .iter()
        .map(|spec| (spec.name.clone(), spec.default.clone()))
        .collect();
    for (name, value) in settings {
        match find(specs, name).and_then(|spec| fit(spec, value)) {
            Ok(value) => {
                resolved.insert(name.clone(), value);
            }
            Err(problem) => problems.push(problem),
        }
    }
    if problems.is_empty() {
        Ok(resolved)
    } else {
        Err(problems)
    }
}

/// The value as the option takes it: a whole number is good for a real one, nothing else is bent.
pub(crate) fn fit(spec: &OptionSpec, value: &Json) -> Result<Json, OptionProblem> {
    let fits = match spec.kind {
        OptionKind::Text | OptionKind::Choice => value.is_string(),
        OptionKind::Integer => value.is_i64(),
        OptionKind::Real => value.as_f64().is_some_and(f64::is_finite),
        OptionKind::Boolean => value.is_boolean(),
    };
    if !fits {
        return Err(OptionProblem::WrongType {
            name: spec.name.clone(),
            expected: expectation(spec.kind),
            found: crate::violation::shortened(&value.to_string(), MAX_SHOWN_LEN),
        });
    }
    match (spec.kind, value) {
        (OptionKind::Choice, Json::String(text)) if !spec.choices.contains(text) => {
            Err(OptionProblem::NotAChoice {
                name: spec.name.clone(),
                found: crate::violation::shortened(text, MAX_SHOWN_LEN),
                choices: spec.choices.clone(),
                nearest: nearest(text, spec.choices.iter().map(String::as_str)),
            })
        }
        // A whole number is converted, so that the value has the declared type.
        (OptionKind::Real, _) => Ok(value.as_f64().map_or(Json::Null, Json::from)),
        _ => Ok(value.clone()),
    }
}

/// Maximum length of a wrong value in an error.
const MAX_SHOWN_LEN: usize = 80;

fn find<'a>(specs: &'a [OptionSpec], name: &str) -> Result<&'a OptionSpec, OptionProblem> {
    specs
        .iter()
        .find(|spec| spec.name == name)
        .ok_or_else(|| OptionProblem::Unknown {
            name: name.to_owned(),
            nearest: nearest(name, specs.iter().map(|spec| spec.name.as_str())),
        })
}

fn expectation(kind: OptionKind) -> &'static str {
    match kind {
        OptionKind::Text => "text",
        OptionKind::Integer => "a whole number",
        OptionKind::Real => "a number",
        OptionKind::Boolean => "true or false",
        OptionKind::Choice => "one of the choices",
    }
}

/// The candidate spelled most alike, if at most a third of its letters differ; the first of equals.
fn nearest<'a>(name: &str, candidates: impl Iterator<Item = &'a str>) -> Option<String> {
    /// Longer names are no slips of the pen, and the distance costs the product of the lengths.
    const MAX_NAME_LEN: usize = 64;
    if name.len() > MAX_NAME_LEN {
        return None;
    }
    candidates
        .filter(|candidate| candidate.len() <= MAX_NAME_LEN)
        .map(|candidate| (edits(name, candidate), candidate))
        // A name of one or two letters may still have one of them wrong.
        .filter(|(distance, candidate)| distance * 3 <= candidate.chars().count().max(3))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate.to_owned())
}

/// Insertions, deletions, replacements and swaps of neighbours that turn one text into the other.
fn edits(one: &str, two: &str) -> usize {
    let one: Vec<char> = one.chars().collect();
    let two: Vec<char> = two.chars().collect();
    // Three rows suffice: a swap of neighbours looks two rows back.
    let mut before: Vec<usize> = Vec::new();
    let mut above: Vec<usize> = (0..=two.len()).collect();
    for row in 1..=one.len() {
        let mut current = vec![row];
        for column in 1..=two.len() {
            let same = one[row - 1] == two[column - 1];
            let mut best = (above[column] + 1).min(current[column - 1] + 1);
            best = best.min(above[column - 1] + usize::from(!same));
            if row > 1 && column > 1 && one[row - 1] == two[column - 2] && one[row - 2] == two[column - 1] {
                best = best.min(before[column - 2] + 1);
            }
            current.push(best);
        }
        before = std::mem::replace(&mut above, current);
    }
    above[two.len()]
}

fn suggestion(nearest: Option<&str>) -> String {
    nearest
        .map(|name| format!("; did you mean `{name}`?"))
        .unwrap_or_default()
}

/// Lists values: `a`, `b` or `c`.
fn alternatives(choices: &[String]) -> String {
    let mut quoted: Vec<String> = choices.iter().map(|choice| format!("`{choice}`")).collect();
    let last = quoted.pop().unwrap_or_default();
    match quoted.is_empty() {
        true => last,
        false => format!("{} or {last}", quoted.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn specs() -> Vec<OptionSpec> {
        let spec = |name: &str, kind, default, choices: &[&str]| OptionSpec {
            name: name.to_owned(),
            kind,
            default,
            choices: choices.iter().map(|choice| (*choice).to_owned()).collect(),
            summary: String::new(),
        };
        vec![
            spec("currency", OptionKind::Text, json!("EUR"), &[]),
            spec("days-ahead", OptionKind::Integer, json!(30), &[]),
            spec("threshold", OptionKind::Real, json!(0.5), &[]),
            spec("online", OptionKind::Boolean, json!(true), &[]),
            spec(
                "order",
                OptionKind::Choice,
                json!("day-month"),
                &["day-month", "month-day"],
            ),
        ]
    }

    fn resolve(settings: &Json) -> Result<ResolvedOptions, Vec<String>> {
        resolve_options(&specs(), settings.as_object().unwrap())
            .map_err(|problems| problems.iter().map(ToString::to_string).collect())
    }

    #[test]
    fn what_is_not_set_has_its_default() {
        let resolved = resolve(&json!({"days-ahead": 7, "threshold": 1})).unwrap();
        assert_eq!(resolved["days-ahead"], json!(7));
        assert_eq!(resolved["threshold"], json!(1.0));
        assert_eq!(resolved["currency"], json!("EUR"));
        assert_eq!(resolved.len(), 5);
    }

    #[test]
    fn every_problem_is_told() {
        let problems = resolve(&json!({
            "curency": "USD",
            "days-ahead": 2.5,
            "online": "yes",
            "order": "month_day",
            "zebra": 1,
        }))
        .unwrap_err();
        assert_eq!(
            problems,
            [
                "there is no option `curency`; did you mean `currency`?",
                "invalid value `2.5` for option `days-ahead`: expected a whole number",
                "invalid value `\"yes\"` for option `online`: expected true or false",
                "invalid value `month_day` for option `order`: expected `day-month` or `month-day`; \
                 did you mean `month-day`?",
                "there is no option `zebra`",
            ]
        );
    }

    #[test]
    fn a_swap_is_one_edit() {
        for (one, two, distance) in [
            ("", "", 0),
            ("abc", "abc", 0),
            ("abc", "acb", 1),
            ("abc", "", 3),
            ("kitten", "sitting", 3),
        ] {
            assert_eq!(edits(one, two), distance, "{one} {two}");
        }
    }
}
