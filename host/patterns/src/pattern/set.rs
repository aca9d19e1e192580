//! A compiled set of a site's patterns that compares a URL with few of them.
//!
//! Typed patterns share a tree of segments: constants are looked up by hash, templates are in a
//! list. Prefixes are sorted, and each has a link to the longest other prefix that it starts with.
//! From the last prefix that sorts before a URL, these links lead to all prefixes that match it.

use std::collections::HashMap;

use magpie_model::CanonicalUrl;
use serde::{Deserialize, Serialize};

use super::template::Template;
use super::url_pattern::{Form, Parts, Segment, Typed, UrlPattern};

/// A set of patterns, each identified by its index in order of insertion. It is serialised as the
/// list of them.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(from = "Vec<UrlPattern>", into = "Vec<UrlPattern>")]
pub struct PatternSet {
    patterns: Vec<UrlPattern>,
    /// Root of the tree of each origin.
    roots: HashMap<Box<str>, u32>,
    nodes: Vec<Node>,
    /// Sorted by prefix.
    prefixes: Vec<Prefix>,
    /// True if `prefixes` is sorted and linked.
    is_sorted: bool,
}

#[derive(Clone, Debug, Default)]
struct Node {
    constants: HashMap<Box<str>, u32>,
    templates: Vec<(Template, u32)>,
    /// Child for `{path}`, which also accepts all following segments.
    several: Option<u32>,
    /// True if this node is the child for `{path}` of another.
    is_path_wildcard: bool,
    /// Patterns whose path ends here.
    ends: Vec<u32>,
}

#[derive(Clone, Debug)]
struct Prefix {
    pattern: u32,
    /// Index of the longest prefix that this one starts with.
    parent: Option<u32>,
}

impl From<Vec<UrlPattern>> for PatternSet {
    fn from(patterns: Vec<UrlPattern>) -> PatternSet {
        PatternSet::new(patterns)
    }
}

impl From<PatternSet> for Vec<UrlPattern> {
    fn from(set: PatternSet) -> Vec<UrlPattern> {
        set.patterns
    }
}

impl PatternSet {
    pub fn new(patterns: impl IntoIterator<Item = UrlPattern>) -> PatternSet {
        let mut set = PatternSet::default();
        set.extend(patterns);
        set
    }

    /// Adds patterns at the next indexes.
    pub fn extend(&mut self, patterns: impl IntoIterator<Item = UrlPattern>) {
        for pattern in patterns {
            self.add(pattern);
        }
        self.sort();
    }

    pub fn patterns(&self) -> &[UrlPattern] {
        &self.patterns
    }

    /// Returns the indexes of all matching patterns in ascending order.
    pub fn matching(&self, url: &CanonicalUrl) -> Vec<usize> {
        let mut found = Vec::new();
        if let Some(root) = self.roots.get(url.origin()) {
            self.find_typed(*root, &Parts::of(url), &mut found);
        }
        self.find_prefixes(url, &mut found);
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Returns true if any pattern matches.
    pub fn matches(&self, url: &CanonicalUrl) -> bool {
        !self.matching(url).is_empty()
    }

    /// Returns the most specific matching pattern: the one with the most constant bytes.
    pub fn best(&self, url: &CanonicalUrl) -> Option<usize> {
        let length = |index: &usize| self.patterns[*index].constant_length();
        self.matching(url)
            .into_iter()
            .min_by_key(|index| (std::cmp::Reverse(length(index)), *index))
    }

    fn add(&mut self, pattern: UrlPattern) -> usize {
        let index = self.patterns.len();
        match &pattern.form {
            Form::Typed(typed) => {
                let node = self.node_of(typed);
                self.nodes[node as usize].ends.push(index as u32);
            }
            Form::Prefix { .. } => {
                self.prefixes.push(Prefix {
                    pattern: index as u32,
                    parent: None,
                });
                self.is_sorted = false;
            }
        }
        self.patterns.push(pattern);
        index
    }

    /// Returns the node of a pattern's path; adds missing nodes.
    fn node_of(&mut self, typed: &Typed) -> u32 {
        let mut node = match self.roots.get(&typed.origin) {
            Some(root) => *root,
            None => {
                let root = self.add_node(false);
                self.roots.insert(typed.origin.clone(), root);
                root
            }
        };
        for segment in &typed.path {
            node = self.child(node, segment);
        }
        node
    }

    fn child(&mut self, node: u32, segment: &Segment) -> u32 {
        let known = &self.nodes[node as usize];
        let found = match segment {
            Segment::Several => known.several,
            Segment::One(template) => match template.as_constant() {
                Some(text) => known.constants.get(text).copied(),
                None => known
                    .templates
                    .iter()
                    .find_map(|(other, child)| (other == template).then_some(*child)),
            },
        };
        if let Some(child) = found {
            return child;
        }
        let child = self.add_node(*segment == Segment::Several);
        let parent = &mut self.nodes[node as usize];
        match segment {
            Segment::Several => parent.several = Some(child),
            Segment::One(template) => match template.as_constant() {
                Some(text) => {
                    parent.constants.insert(text.into(), child);
                }
                None => parent.templates.push((template.clone(), child)),
            },
        }
        child
    }

    fn add_node(&mut self, is_path_wildcard: bool) -> u32 {
        let node = Node {
            is_path_wildcard,
            ..Node::default()
        };
        self.nodes.push(node);
        self.nodes.len() as u32 - 1
    }

    /// Walks all nodes that a path reaches in parallel. Each node has one path to it, so there are
    /// never more of them than patterns.
    fn find_typed(&self, root: u32, parts: &Parts<'_>, found: &mut Vec<usize>) {
        let (Some(segments), Some(query)) = (&parts.segments, &parts.query) else {
            return;
        };
        let mut reached = vec![root];
        let mut next = Vec::new();
        for segment in segments {
            for node in &reached {
                self.step(*node, segment, &mut next);
            }
            if next.is_empty() {
                return;
            }
            reached.clear();
            std::mem::swap(&mut reached, &mut next);
        }
        for node in reached {
            for index in &self.nodes[node as usize].ends {
                let Form::Typed(typed) = &self.patterns[*index as usize].form else {
                    continue;
                };
                if typed.matches_query(query) {
                    found.push(*index as usize);
                }
            }
        }
    }

    fn step(&self, index: u32, segment: &str, next: &mut Vec<u32>) {
        let node = &self.nodes[index as usize];
        next.extend(node.constants.get(segment));
        let fitting = node
            .templates
            .iter()
            .filter(|(template, _)| template.matches(segment));
        next.extend(fitting.map(|(_, child)| child));
        next.extend(node.several);
        if node.is_path_wildcard {
            next.push(index);
        }
    }

    fn text_of(&self, pattern: u32) -> &str {
        match &self.patterns[pattern as usize].form {
            Form::Prefix { prefix, .. } => prefix,
            Form::Typed(_) => "",
        }
    }

    fn sort(&mut self) {
        if self.is_sorted || self.prefixes.is_empty() {
            return;
        }
        let mut prefixes = std::mem::take(&mut self.prefixes);
        prefixes.sort_by(|one, other| {
            let texts = self.text_of(one.pattern).cmp(self.text_of(other.pattern));
            texts.then(one.pattern.cmp(&other.pattern))
        });
        // Prefixes of the current one, the longest last.
        let mut open: Vec<u32> = Vec::new();
        for index in 0..prefixes.len() {
            let text = self.text_of(prefixes[index].pattern);
            while let Some(last) = open.last() {
                if text.starts_with(self.text_of(prefixes[*last as usize].pattern)) {
                    break;
                }
                open.pop();
            }
            prefixes[index].parent = open.last().copied();
            open.push(index as u32);
        }
        self.prefixes = prefixes;
        self.is_sorted = true;
    }

    fn find_prefixes(&self, url: &CanonicalUrl, found: &mut Vec<usize>) {
        let after = self
            .prefixes
            .partition_point(|prefix| self.text_of(prefix.pattern) <= url.as_str());
        // The last prefix that sorts before the URL either matches, or its parents are all that
        // can.
        let mut index = after.checked_sub(1);
        while let Some(at) = index {
            let prefix = &self.prefixes[at];
            if self.patterns[prefix.pattern as usize].matches(url) {
                found.push(prefix.pattern as usize);
            }
            index = prefix.parent.map(|parent| parent as usize);
        }
    }
}
