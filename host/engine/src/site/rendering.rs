//! Rules about pages that a plain fetch does not have whole: those that were learned, and those
//! that a person has written into the file of a navigation.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::Path;
use std::sync::Arc;

use magpie_patterns::rendering::{Mode, RenderingRule, RenderingRules};
use magpie_rows::{LearnedStore, ReadStore, StageRow, StoreError};
use magpie_values::Timestamp;
use serde::{Deserialize, Serialize};

use super::navigation::{NavigationFileError, navigation_file, read_navigation, write_navigation};

/// Name of the row in which the rules are kept.
const ROW: &str = "rendering";

/// The rules that were learned, by the keys of sites.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LearnedRules {
    /// The rules of each site, with those by which a plain fetch has everything.
    pub rules: BTreeMap<String, Vec<RenderingRule>>,
}

impl LearnedRules {
    /// Reads the rules of a vertical.
    pub fn read(reader: &dyn ReadStore, vertical: &str) -> Result<LearnedRules, StoreError> {
        let rows = reader.stages(vertical)?;
        let row = rows.iter().find(|row| row.name == ROW);
        // Rows of another version are learned again.
        Ok(row
            .and_then(|row| serde_json::from_str(&row.kept).ok())
            .unwrap_or_default())
    }

    pub(crate) fn keep(
        &self,
        store: &dyn LearnedStore,
        vertical: &str,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let kept = serde_json::to_string(self).unwrap_or_default();
        let row = StageRow {
            vertical: vertical.to_owned(),
            name: ROW.to_owned(),
            ended_at: now,
            sentence: String::new(),
            kept,
        };
        store.put_stage(row, &[])
    }

    /// Returns the rules of a site.
    pub fn of(&self, key: &str) -> &[RenderingRule] {
        self.rules.get(key).map_or(&[], Vec::as_slice)
    }
}

/// The rules of one site.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SiteRendering {
    /// Rules of its navigation file that are not as they were learned: a person wrote them.
    pub written: Vec<RenderingRule>,
    /// Rules that were learned, for other patterns.
    pub learned: Vec<RenderingRule>,
}

impl SiteRendering {
    /// Reads the rules of a site. Without a navigation file those that were learned hold.
    pub fn read(
        folder: &Path,
        vertical: &str,
        learned: &LearnedRules,
        key: &str,
    ) -> Result<SiteRendering, NavigationFileError> {
        let navigation = read_navigation(&navigation_file(folder, vertical, key))?;
        let written = navigation.map(|navigation| navigation.rendering);
        Ok(SiteRendering::new(written.unwrap_or_default(), learned.of(key)))
    }

    /// Reads the rules of a site. If its file can't be read, the learned rules hold;
    /// planning reports the error.
    pub fn read_or_learned(
        folder: &Path,
        vertical: &str,
        learned: &LearnedRules,
        key: &str,
    ) -> SiteRendering {
        let read = SiteRendering::read(folder, vertical, learned, key);
        read.unwrap_or_else(|_| SiteRendering::new(Vec::new(), learned.of(key)))
    }

    /// Separates the rules that a person wrote from those that were learned.
    fn new(in_file: Vec<RenderingRule>, learned: &[RenderingRule]) -> SiteRendering {
        let written: Vec<_> = in_file
            .into_iter()
            .filter(|rule| !learned.contains(rule))
            .collect();
        let is_free = |rule: &&RenderingRule| !written.iter().any(|written| written.pattern == rule.pattern);
        SiteRendering {
            learned: learned.iter().filter(is_free).cloned().collect(),
            written,
        }
    }

    /// Returns all rules.
    pub fn all(&self) -> Vec<RenderingRule> {
        self.written.iter().chain(&self.learned).cloned().collect()
    }

    /// Returns the rules that a navigation file has: what a person wrote, and what makes a
    /// difference of what was learned.
    pub fn of_file(&self) -> Vec<RenderingRule> {
        let learned = self.learned.iter().filter(|rule| rule.mode != Mode::Plain);
        self.written.iter().chain(learned).cloned().collect()
    }

    /// Writes the rules into the navigation file of the site, if it has one. The rest of the file
    /// stays as it is.
    pub(crate) fn write(&self, folder: &Path, vertical: &str, key: &str) -> Result<(), NavigationFileError> {
        let file = navigation_file(folder, vertical, key);
        if let Some(mut navigation) = read_navigation(&file)?
            && navigation.rendering != self.of_file()
        {
            navigation.rendering = self.of_file();
            write_navigation(&file, Some(&navigation))?;
        }
        Ok(())
    }
}

/// Returns the rules by which sites are crawled, by their keys, for some verticals of a workspace.
/// Two verticals may know different things of one page; the rule of the first holds.
pub(crate) fn rendering_rules(
    reader: &dyn ReadStore,
    folder: &Path,
    verticals: &[String],
) -> Result<HashMap<String, Arc<RenderingRules>>, StoreError> {
    let mut rules: BTreeMap<String, Vec<RenderingRule>> = BTreeMap::new();
    for vertical in verticals {
        let learned = LearnedRules::read(reader, vertical)?;
        let sites = reader.learned_sites(vertical)?;
        let keys: HashSet<String> = sites
            .into_iter()
            .map(|site| site.key)
            .chain(learned.rules.keys().cloned())
            .collect();
        for key in keys {
            let of_site = SiteRendering::read_or_learned(folder, vertical, &learned, &key);
            rules.entry(key).or_default().extend(of_site.all());
        }
    }
    rules.retain(|_, rules| rules.iter().any(|rule| rule.mode != Mode::Plain));
    let compiled = rules.into_iter();
    Ok(compiled
        .map(|(key, rules)| (key, Arc::new(RenderingRules::new(rules))))
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rule(pattern: &str, mode: Mode) -> RenderingRule {
        RenderingRule {
            pattern: pattern.parse().expect("a pattern"),
            mode,
            endpoint: None,
            cost: 1,
        }
    }

    #[test]
    fn rules_that_a_person_changed_outlive_learning() {
        let list = "https://hall.example/events/{slug}";
        let other = "https://hall.example/places/{slug}";
        let learned = [rule(list, Mode::Render), rule(other, Mode::Embedded)];
        let in_file = vec![rule(list, Mode::Plain), rule(other, Mode::Embedded)];
        let site = SiteRendering::new(in_file, &learned);
        assert_eq!(site.written, [rule(list, Mode::Plain)]);
        assert_eq!(site.learned, [rule(other, Mode::Embedded)]);
        // Learning finds the same again, and what was written stays.
        let again = SiteRendering::new(site.of_file(), &learned);
        assert_eq!(
            again.all(),
            [rule(list, Mode::Plain), rule(other, Mode::Embedded)]
        );
        // A file without rules is one from before they were learned, or of no interest.
        assert_eq!(SiteRendering::new(Vec::new(), &learned).all(), learned);
    }
}
