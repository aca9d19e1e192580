//! Grouping found records into objects: by the plugin's clusterer, or by the schema if it has none.

use std::collections::BTreeMap;

use magpie_matching::{Clustering, MemberId, Report, SchemaMatcher, Settings, Step, cluster};
use magpie_model::Matcher;
use magpie_model::Object;
use magpie_runtime::{Plugin, PluginMatcher};

pub struct Groups {
    /// The groups, in the order of their first members.
    pub groups: Vec<Group>,
    pub report: Report,
    /// True if the plugin compared the objects; otherwise the schema alone decided.
    pub by_plugin: bool,
    clustering: Clustering,
}

/// Objects that are one thing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    pub label: String,
    /// Its members, as places in the list given.
    pub members: Vec<usize>,
    /// The member from which each attribute is taken; other attributes come from the first that has
    /// them.
    pub keep: BTreeMap<String, usize>,
}

impl Groups {
    /// Returns the reason why two records are in one group, like `87 %: same title`, or `None` if
    /// they are not.
    pub(crate) fn why(&self, one: usize, two: usize) -> Option<String> {
        let steps: Vec<Step> = self.clustering.why(member(one), member(two))?;
        // A chain of comparisons is no more certain than its weakest one.
        let weakest = steps.iter().map(|step| step.probability).fold(1.0, f64::min);
        Some(because(weakest, steps.into_iter().flat_map(|step| step.reasons)))
    }
}

/// Groups objects. The error is a sentence that names the plugin.
pub fn group(plugin: &Plugin, objects: &[Object]) -> Result<Groups, String> {
    if plugin.clusters() {
        grouped(&mut PluginMatcher(plugin), objects, true)
    } else {
        grouped(&mut SchemaMatcher::new(plugin.info()), objects, false)
    }
}

/// Compares two records, like `12 %: other day`. The error is a sentence that names the plugin.
pub(crate) fn compared(plugin: &Plugin, objects: &[Object; 2]) -> Result<String, String> {
    if plugin.clusters() {
        verdict(&mut PluginMatcher(plugin), objects)
    } else {
        verdict(&mut SchemaMatcher::new(plugin.info()), objects)
    }
}

fn verdict<M: Matcher>(matcher: &mut M, objects: &[Object; 2]) -> Result<String, String>
where
    M::Error: ToString,
{
    let prepared = matcher.prepare(objects).map_err(|error| error.to_string())?;
    let [one, two] = prepared.as_slice() else {
        return Ok("no verdict".to_owned());
    };
    let verdicts = matcher
        .compare(&one.features, &[&two.features])
        .map_err(|error| error.to_string())?;
    let Some(verdict) = verdicts.into_iter().next() else {
        return Ok("no verdict".to_owned());
    };
    // Clustering compares only objects that share a key, so this verdict had no effect there.
    let strangers = !one.keys.iter().any(|key| two.keys.contains(key));
    let no_key = strangers.then(|| "they share no key".to_owned());
    Ok(because(
        verdict.probability,
        no_key.into_iter().chain(verdict.reasons),
    ))
}

/// A probability and its reasons, each once.
fn because(probability: f64, reasons: impl IntoIterator<Item = String>) -> String {
    let mut named: Vec<String> = Vec::new();
    for reason in reasons {
        if !named.contains(&reason) {
            named.push(reason);
        }
    }
    if named.is_empty() {
        named.push("no reason given".to_owned());
    }
    format!("{:.0} %: {}", probability * 100.0, named.join(", "))
}

fn grouped<M: Matcher>(matcher: &mut M, objects: &[Object], by_plugin: bool) -> Result<Groups, String>
where
    M::Error: ToString,
{
    let clustering = cluster(matcher, objects, &Settings::default()).map_err(|error| error.to_string())?;
    let mut groups = Vec::new();
    for found in clustering.clusters() {
        let members: Vec<usize> = found
            .members
            .iter()
            .filter_map(|id| usize::try_from(id.0).ok())
            .collect();
        let sources: Vec<Object> = members.iter().map(|&place| objects[place].clone()).collect();
        let merged = matcher.merge(&sources).map_err(|error| error.to_string())?;
        // The merge numbers the members of this group; a `Group` has places in the whole list.
        let keep = merged.keep.into_iter().filter_map(|(attribute, source)| {
            let place = members.get(usize::try_from(source).ok()?)?;
            Some((attribute, *place))
        });
        groups.push(Group {
            keep: keep.collect(),
            label: merged.label,
            members,
        });
    }
    let report = clustering.report().clone();
    Ok(Groups {
        groups,
        report,
        by_plugin,
        clustering,
    })
}

fn member(place: usize) -> MemberId {
    MemberId(place as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_is_named_once() {
        let reasons = ["same ISBN", "same title", "same ISBN"].map(str::to_owned);
        assert_eq!(because(0.987, reasons), "99 %: same ISBN, same title");
        assert_eq!(because(0.5, []), "50 %: no reason given");
    }
}
