//! Navigation patterns by the published method: a list of patterns for each level.

use magpie_model::CanonicalUrl;
use serde::{Deserialize, Serialize};

use super::graph::SiteGraph;
use super::guide::Guide;
use super::target_map::TargetMap;
use crate::pattern::{Inducer, PatternSet, SiteUrls, UrlPattern};

/// Patterns by level. The first level is the entry page alone. A pattern may be in several levels.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LevelNavigation {
    pub levels: Vec<Vec<UrlPattern>>,
}

/// A recrawl by levels: a link is followed if it matches a pattern of the next level.
#[derive(Clone, Debug)]
pub struct LevelWalk {
    levels: Vec<PatternSet>,
}

impl LevelNavigation {
    /// Induces the patterns of each level. Pages that match a selected pattern are represented by
    /// that pattern.
    pub fn learn(
        graph: &SiteGraph<'_>,
        map: &TargetMap,
        selected: &PatternSet,
        inducer: &dyn Inducer,
    ) -> LevelNavigation {
        let level = |(level_index, pages): (usize, &Vec<usize>)| {
            let mut patterns: Vec<UrlPattern> = Vec::new();
            let mut others: Vec<&CanonicalUrl> = Vec::new();
            for page in pages {
                let url = graph.url(*page);
                match selected.best(url).filter(|_| level_index > 0) {
                    Some(index) => patterns.push(selected.patterns()[index].clone()),
                    None => others.push(url),
                }
            }
            let site = SiteUrls {
                wanted: &others,
                others: &[],
            };
            patterns.extend(inducer.induce(&site).patterns);
            patterns.sort();
            patterns.dedup();
            patterns
        };
        LevelNavigation {
            levels: map.levels.iter().enumerate().map(level).collect(),
        }
    }

    /// Starts a recrawl.
    pub fn walk(&self) -> LevelWalk {
        let compiled = self
            .levels
            .iter()
            .map(|patterns| PatternSet::new(patterns.iter().cloned()));
        LevelWalk {
            levels: compiled.collect(),
        }
    }
}

impl Guide for LevelWalk {
    /// The level, counted from 0.
    type Place = usize;

    fn entry(&self) -> usize {
        0
    }

    fn follow(&mut self, from: usize, link: &CanonicalUrl) -> Option<usize> {
        let next = from + 1;
        let patterns = self.levels.get(next)?;
        patterns.matches(link).then_some(next)
    }
}
