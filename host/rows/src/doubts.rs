//! The weakest link that holds an object together.

use std::collections::{HashMap, HashSet};

/// A link between two members of an object.
#[derive(Clone, Copy, Debug)]
pub struct HeldLink {
    pub object: i64,
    pub ends: [i64; 2],
    pub probability: f64,
    /// Each end was on its page when that was fetched last.
    pub current: [bool; 2],
}

/// Finds the weakest links of objects in the links of a vertical, which come object by object, the
/// strongest first.
#[derive(Default)]
pub struct Doubts {
    web: Web,
    weakest: Vec<HeldLink>,
}

/// The links of an object, the strongest first.
#[derive(Default)]
struct Web {
    edges: Vec<HeldLink>,
    current: HashSet<i64>,
}

impl Doubts {
    pub fn add(&mut self, link: HeldLink) {
        if self
            .web
            .edges
            .last()
            .is_some_and(|last| last.object != link.object)
        {
            self.end_object();
        }
        let ends = link.ends.into_iter().zip(link.current);
        self.web
            .current
            .extend(ends.filter(|(_, current)| *current).map(|(end, _)| end));
        self.web.edges.push(link);
    }

    /// Returns the weakest link of each object, the weakest first. Equals stay in the order of
    /// their objects.
    pub fn weakest(mut self) -> Vec<HeldLink> {
        self.end_object();
        self.weakest
            .sort_by(|one, other| one.probability.total_cmp(&other.probability));
        self.weakest
    }

    fn end_object(&mut self) {
        self.weakest.extend(std::mem::take(&mut self.web).weakest());
    }
}

impl Web {
    /// The weakest link of the maximum spanning tree, without branches whose members are all gone.
    fn weakest(self) -> Option<HeldLink> {
        let mut parents: HashMap<i64, i64> = HashMap::new();
        let mut tree: Vec<HeldLink> = Vec::new();
        for edge in self.edges {
            let [one, other] = edge.ends.map(|end| root(&mut parents, end));
            if one != other {
                parents.insert(one, other);
                tree.push(edge);
            }
        }
        let mut degrees: HashMap<i64, Vec<usize>> = HashMap::new();
        for (number, edge) in tree.iter().enumerate() {
            for end in edge.ends {
                degrees.entry(end).or_default().push(number);
            }
        }
        let is_gone = |end: &i64| !self.current.contains(end);
        let mut is_cut = vec![false; tree.len()];
        let mut leaves: Vec<i64> = degrees
            .iter()
            .filter(|(end, edges)| edges.len() == 1 && is_gone(end))
            .map(|(end, _)| *end)
            .collect();
        while let Some(leaf) = leaves.pop() {
            let standing = |end: i64, is_cut: &[bool]| -> Vec<usize> {
                degrees[&end]
                    .iter()
                    .copied()
                    .filter(|edge| !is_cut[*edge])
                    .collect()
            };
            let Some(edge) = standing(leaf, &is_cut).first().copied() else {
                continue;
            };
            is_cut[edge] = true;
            let [one, other] = tree[edge].ends;
            let inner = if one == leaf { other } else { one };
            if is_gone(&inner) && standing(inner, &is_cut).len() == 1 {
                leaves.push(inner);
            }
        }
        let kept = tree.into_iter().zip(is_cut).filter(|(_, is_cut)| !is_cut);
        kept.map(|(edge, _)| edge)
            .min_by(|one, other| one.probability.total_cmp(&other.probability))
    }
}

/// Returns the representative of the members that a member is joined with so far.
fn root(parents: &mut HashMap<i64, i64>, mut member: i64) -> i64 {
    while let Some(parent) = parents.get(&member).copied() {
        // Half of the way is saved for the next time.
        let above = parents.get(&parent).copied().unwrap_or(parent);
        parents.insert(member, above);
        member = above;
    }
    member
}
