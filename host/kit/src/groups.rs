//! Which of the objects found are one thing: by the plugin's clusterer, or by the schema when it brings none.

use magpie_learn::{Clustering, Matcher, MemberId, Report, SchemaMatcher, Settings, Step, cluster};
use magpie_model::Object;
use magpie_runtime::{Plugin, PluginMatcher};

/// Objects in groups.
pub struct Groups {
    /// The groups, in the order of their first members.
    pub groups: Vec<Group>,
    /// What it took.
    pub report: Report,
    /// Who decided: the plugin, or the schema alone.
    pub by_plugin: bool,
    clustering: Clustering,
}

/// Objects that are one thing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// What to call it.
    pub label: String,
    /// Its members, as places in the list given.
    pub members: Vec<usize>,
}

impl Groups {
    /// Why two objects are in one group; none when they are not.
    pub fn why(&self, one: usize, two: usize) -> Option<Vec<Step>> {
        self.clustering.why(member(one), member(two))
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
        let label = matcher.merge(&sources).map_err(|error| error.to_string())?.label;
        groups.push(Group { label, members });
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
