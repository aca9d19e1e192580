//! What to learn again.

use std::collections::BTreeMap;

use super::monitor::Alarm;
use crate::pattern::UrlPattern;

/// The share of a site's yield that may be broken before the site is learned again as a whole. A redesign breaks
/// everything at once; what breaks a little at a time is mended a little at a time.
const MOST_BROKEN: f64 = 0.5;

/// Broken folders up to which each is mended by itself; each needs its own look at the hubs.
const MOST_FOLDERS: usize = 8;

/// How a pattern of a site does.
#[derive(Clone, Debug, PartialEq)]
pub struct PatternHealth {
    /// The pattern.
    pub pattern: UrlPattern,
    /// Its alarm, if one stands.
    pub alarm: Option<Alarm>,
    /// The objects it brought when all was well: how much of the site it is.
    pub objects: u32,
}

/// How the lists stand that lead to a site's pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ways {
    /// As they stood.
    Stand,
    /// They link to more pages of unknown kinds than they should, or could not be read.
    Doubtful,
    /// Most of them are not there any more: what follows from them can't be had, however well the patterns of its pages did.
    Gone,
}

/// What is to be learned again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Relearn {
    /// Nothing is broken.
    Nothing,
    /// These folders: their pages are crawled again from the hubs that stand, and their patterns made anew.
    Folders(Vec<String>),
    /// The whole site, from its entry page.
    Site,
}

/// Decides for one site. Along doubtful ways a folder cannot be mended: they themselves may be gone.
pub fn relearn(patterns: &[PatternHealth], ways: Ways) -> Relearn {
    if ways == Ways::Gone {
        return Relearn::Site;
    }
    let objects = |health: &PatternHealth| u64::from(health.objects.max(1));
    let all: u64 = patterns.iter().map(objects).sum();
    let is_broken = |health: &&PatternHealth| health.alarm.is_some();
    let broken: u64 = patterns.iter().filter(is_broken).map(objects).sum();
    if broken == 0 {
        return Relearn::Nothing;
    }
    let mut folders: BTreeMap<String, u64> = BTreeMap::new();
    for health in patterns.iter().filter(is_broken) {
        *folders.entry(health.pattern.folder()).or_default() += objects(health);
    }
    let most = broken as f64 > MOST_BROKEN * all as f64;
    // A site of one folder is that folder; to mend it is cheaper, as long as its hubs stand.
    let beyond_a_folder = ways == Ways::Doubtful || folders.len() > 1;
    let is_site = (most && beyond_a_folder) || folders.len() > MOST_FOLDERS;
    if is_site {
        return Relearn::Site;
    }
    let mut folders: Vec<(String, u64)> = folders.into_iter().collect();
    folders.sort_by(|one, other| other.1.cmp(&one.1).then(one.0.cmp(&other.0)));
    Relearn::Folders(folders.into_iter().map(|(folder, _)| folder).collect())
}
