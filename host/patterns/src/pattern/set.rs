//! Many patterns of a site, compiled so that a URL is compared with few of them.
//!
//! Typed patterns share a tree of segments: constants are looked up by hash, templates stand in a list beside
//! them. Prefixes are sorted, and each knows the longest other prefix it starts with: from the last one that
//! sorts before a URL, all that match it are met on the way up.

use std::collections::HashMap;

use magpie_model::CanonicalUrl;

use super::template::Template;
use super::url_pattern::{Form, Parts, Segment, Typed, UrlPattern};

/// A set of patterns. A pattern is known by its number, in the order in which patterns were added.
#[derive(Clone, Debug, Default)]
pub struct PatternSet {
    patterns: Vec<UrlPattern>,
    /// Where the tree of an origin starts.
    roots: HashMap<Box<str>, u32>,
    nodes: Vec<Node>,
    /// Sorted by prefix.
    prefixes: Vec<Prefix>,
    /// Whether `prefixes` lacks nothing.
    is_sorted: bool,
}

#[derive(Clone, Debug, Default)]
struct Node {
    constants: HashMap<Box<str>, u32>,
    templates: Vec<(Template, u32)>,
    /// After `{path}`: a node that stays reached whatever follows.
    several: Option<u32>,
    /// Whether this is such a node.
    stays: bool,
    /// Patterns whose path ends here.
    ends: Vec<u32>,
}

#[derive(Clone, Debug)]
struct Prefix {
    pattern: u32,
    /// The place of the longest prefix that this one starts with.
    parent: Option<u32>,
}

impl PatternSet {
    /// Compiles these patterns.
    pub fn new(patterns: impl IntoIterator<Item = UrlPattern>) -> PatternSet {
        let mut set = PatternSet::default();
        set.extend(patterns);
        set
    }

    /// Adds patterns, which are numbered on.
    pub fn extend(&mut self, patterns: impl IntoIterator<Item = UrlPattern>) {
        for pattern in patterns {
            self.add(pattern);
        }
        self.sort();
    }

    /// The patterns by number.
    pub fn patterns(&self) -> &[UrlPattern] {
        &self.patterns
    }

    /// The numbers of the patterns that match, in their order.
    pub fn matching(&self, url: &CanonicalUrl) -> Vec<usize> {
        let mut found = Vec::new();
        if let Some(root) = self.roots.get(url.origin()) {
            self.typed(*root, &Parts::of(url), &mut found);
        }
        self.prefixed(url, &mut found);
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Whether any pattern matches.
    pub fn matches(&self, url: &CanonicalUrl) -> bool {
        !self.matching(url).is_empty()
    }

    /// The pattern that says most of the URL among those that match: the one with most characters given.
    pub fn best(&self, url: &CanonicalUrl) -> Option<usize> {
        let length = |number: &usize| self.patterns[*number].constant_length();
        self.matching(url)
            .into_iter()
            .min_by_key(|number| (std::cmp::Reverse(length(number)), *number))
    }

    fn add(&mut self, pattern: UrlPattern) -> usize {
        let number = self.patterns.len();
        match &pattern.form {
            Form::Typed(typed) => {
                let node = self.node_of(typed);
                self.nodes[node as usize].ends.push(number as u32);
            }
            Form::Prefix { .. } => {
                self.prefixes.push(Prefix {
                    pattern: number as u32,
                    parent: None,
                });
                self.is_sorted = false;
            }
        }
        self.patterns.push(pattern);
        number
    }

    /// The node of a pattern's path, grown as needed.
    fn node_of(&mut self, typed: &Typed) -> u32 {
        let mut node = match self.roots.get(&typed.origin) {
            Some(root) => *root,
            None => {
                let root = self.grow(false);
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
        let child = self.grow(*segment == Segment::Several);
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

    fn grow(&mut self, stays: bool) -> u32 {
        let node = Node {
            stays,
            ..Node::default()
        };
        self.nodes.push(node);
        self.nodes.len() as u32 - 1
    }

    /// Walks all nodes that a path reaches at once. A node is reached by one way only, so there are never more
    /// of them than patterns.
    fn typed(&self, root: u32, parts: &Parts<'_>, found: &mut Vec<usize>) {
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
            for number in &self.nodes[node as usize].ends {
                let Form::Typed(typed) = &self.patterns[*number as usize].form else {
                    continue;
                };
                if typed.matches_query(query) {
                    found.push(*number as usize);
                }
            }
        }
    }

    fn step(&self, place: u32, segment: &str, next: &mut Vec<u32>) {
        let node = &self.nodes[place as usize];
        next.extend(node.constants.get(segment));
        let fitting = node
            .templates
            .iter()
            .filter(|(template, _)| template.matches(segment));
        next.extend(fitting.map(|(_, child)| child));
        next.extend(node.several);
        if node.stays {
            next.push(place);
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
        // Those that the present one starts with, the longest last.
        let mut open: Vec<u32> = Vec::new();
        for place in 0..prefixes.len() {
            let text = self.text_of(prefixes[place].pattern);
            while let Some(last) = open.last() {
                if text.starts_with(self.text_of(prefixes[*last as usize].pattern)) {
                    break;
                }
                open.pop();
            }
            prefixes[place].parent = open.last().copied();
            open.push(place as u32);
        }
        self.prefixes = prefixes;
        self.is_sorted = true;
    }

    fn prefixed(&self, url: &CanonicalUrl, found: &mut Vec<usize>) {
        let after = self
            .prefixes
            .partition_point(|prefix| self.text_of(prefix.pattern) <= url.as_str());
        let mut place = after.checked_sub(1);
        while let Some(at) = place {
            let prefix = &self.prefixes[at];
            if self.patterns[prefix.pattern as usize].matches(url) {
                found.push(prefix.pattern as usize);
            }
            place = prefix.parent.map(|parent| parent as usize);
        }
    }
}
