//! The part of a hub that lists accepted pages.

use std::collections::HashMap;

/// A link of a hub.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RegionLink<'a> {
    /// The path of its element from the root: names of elements, with `/` between them.
    pub path: &'a str,
    /// The verdict on its target; `None` if it was not visited.
    pub is_accepted: Option<bool>,
}

/// The way in which the region is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RegionKind {
    /// All links below the lowest common ancestor of the links to accepted pages, as published. One
    /// such link in a side bar makes it the whole page.
    CommonAncestor,
    /// Links with the path of a link to an accepted page, unless most of the visited ones with this
    /// path were not accepted.
    RepeatedPath,
}

/// Share of accepted pages among the visited ones with a path, below which the path is no part of
/// the region.
const MIN_SHARE: f64 = 0.5;

/// Returns the positions of the links in the region; none if no link leads to an accepted page.
pub fn region(links: &[RegionLink<'_>], kind: RegionKind) -> Vec<usize> {
    match kind {
        RegionKind::CommonAncestor => common_ancestor(links),
        RegionKind::RepeatedPath => repeated_path(links),
    }
}

fn common_ancestor(links: &[RegionLink<'_>]) -> Vec<usize> {
    let accepted = links.iter().filter(|link| link.is_accepted == Some(true));
    let mut common: Option<Vec<&str>> = None;
    for link in accepted {
        // The element of a single link is no region: its parent is.
        let parent = parent(link.path);
        let steps = parent.split('/').filter(|_| !parent.is_empty());
        let steps: Vec<&str> = steps.collect();
        common = Some(match common {
            None => steps,
            Some(common) => {
                let equal = common.iter().zip(&steps).take_while(|(one, other)| one == other);
                let length = equal.count();
                common[..length].to_vec()
            }
        });
    }
    let Some(common) = common else {
        return Vec::new();
    };
    let is_below = |path: &str| {
        let mut steps = path.split('/');
        common.iter().all(|step| steps.next() == Some(step))
    };
    let all = links.iter().enumerate();
    all.filter(|(_, link)| is_below(link.path))
        .map(|(position, _)| position)
        .collect()
}

fn parent(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(parent, _)| parent)
}

fn repeated_path(links: &[RegionLink<'_>]) -> Vec<usize> {
    let mut counts: HashMap<&str, (f64, f64)> = HashMap::new();
    for link in links {
        let (accepted, visited) = counts.entry(link.path).or_default();
        *accepted += f64::from(u8::from(link.is_accepted == Some(true)));
        *visited += f64::from(u8::from(link.is_accepted.is_some()));
    }
    let is_in = |path: &str| {
        let (accepted, visited) = counts[path];
        // Links that were not visited have no part in the share: nothing is known of them.
        accepted > 0.0 && accepted >= MIN_SHARE * visited
    };
    let all = links.iter().enumerate();
    all.filter(|(_, link)| is_in(link.path))
        .map(|(position, _)| position)
        .collect()
}
