//! The target pages map: shortest paths from the entry page to the wanted pages.

use std::collections::VecDeque;

use super::graph::SiteGraph;

/// The part of a breadth-first tree that lies on paths to targets. All its leaves are targets;
/// inner nodes may be targets, too.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TargetMap {
    /// Page indexes of each level. The first level is the entry page alone.
    pub levels: Vec<Vec<usize>>,
}

impl TargetMap {
    /// Builds the map. The first link to a page determines its parent and level. Ignores
    /// unreachable targets.
    pub fn of(graph: &SiteGraph<'_>, entry: usize, targets: &[usize]) -> TargetMap {
        let tree = Tree::of(graph, entry);
        let mut kept = vec![false; graph.pages()];
        for target in targets {
            let mut page = *target;
            // A page that is kept already has all its ancestors, so each page is visited once for
            // all targets.
            while page < graph.pages() && tree.level[page].is_some() && !kept[page] {
                kept[page] = true;
                page = tree.parent[page];
            }
        }
        let mut levels: Vec<Vec<usize>> = Vec::new();
        for page in (0..graph.pages()).filter(|page| kept[*page]) {
            let level = tree.level[page].unwrap_or(0);
            if levels.len() <= level {
                levels.resize(level + 1, Vec::new());
            }
            levels[level].push(page);
        }
        TargetMap { levels }
    }

    /// Returns the indexes of all pages in the map, sorted.
    pub fn pages(&self) -> Vec<usize> {
        let mut pages = self.levels.concat();
        pages.sort_unstable();
        pages
    }
}

struct Tree {
    /// The entry page is its own parent.
    parent: Vec<usize>,
    level: Vec<Option<usize>>,
}

impl Tree {
    fn of(graph: &SiteGraph<'_>, entry: usize) -> Tree {
        let mut tree = Tree {
            parent: vec![entry; graph.pages()],
            level: vec![None; graph.pages()],
        };
        if entry >= graph.pages() {
            return tree;
        }
        tree.level[entry] = Some(0);
        let mut queue = VecDeque::from([(entry, 0)]);
        while let Some((page, level)) = queue.pop_front() {
            for link in graph.links(page) {
                let link = *link as usize;
                if tree.level[link].is_none() {
                    tree.level[link] = Some(level + 1);
                    tree.parent[link] = page;
                    queue.push_back((link, level + 1));
                }
            }
        }
        tree
    }
}
