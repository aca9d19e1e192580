//! The decision table of drift: from the signal of a site's patterns and the site's state to an
//! action.

use std::collections::BTreeMap;

use magpie_model::Alarm;

use crate::pattern::{Proportion, UrlPattern};

/// Maximum share of a site's yield that may be broken before the whole site is relearned. A
/// redesign breaks everything at once; gradual breakage is repaired gradually.
const MAX_BROKEN: f64 = 0.5;

/// Maximum number of broken folders that are repaired separately. Each needs another pass over the
/// hubs.
const MAX_FOLDERS: usize = 8;

/// Minimum share of its lists that a site is expected to lose in a round: months and categories
/// come and go.
const MIN_LOST: f64 = 0.05;

/// Maximum probability of a loss of lists that counts as unusual.
const UNUSUAL: f64 = 0.1;

#[derive(Clone, Debug, PartialEq)]
pub struct PatternHealth {
    pub pattern: UrlPattern,
    pub alarm: Option<Alarm>,
    /// Number of its objects when it was intact: its weight in the site.
    pub objects: u32,
}

/// The signal of a site's patterns, weighted by the objects of those with an alarm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signal {
    /// No pattern has an alarm.
    Quiet,
    /// Patterns with a minority of the objects have alarms, in a few folders.
    PartBroken,
    /// Patterns with most objects have alarms, all in one folder.
    FolderBroken,
    /// Patterns with most objects have alarms, or patterns in many folders.
    MostBroken,
}

impl Signal {
    pub const ALL: [Signal; 4] = [
        Signal::Quiet,
        Signal::PartBroken,
        Signal::FolderBroken,
        Signal::MostBroken,
    ];
}

/// The state of a site after a round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SiteState {
    /// It responded, and its lists are intact.
    Intact,
    /// Its lists link to too many pages of unknown kinds, or could not be read.
    Suspect,
    /// Most of its lists are missing or lead to nothing. The pages they lead to cannot be found,
    /// however healthy the patterns are.
    Gone,
    /// Its lists were gone before, and it is too early to look for them again.
    StillGone,
    /// No response.
    Blocked,
    /// Its robots.txt forbids the requests.
    Forbidden,
}

impl SiteState {
    pub const ALL: [SiteState; 6] = [
        SiteState::Intact,
        SiteState::Suspect,
        SiteState::Gone,
        SiteState::StillGone,
        SiteState::Blocked,
        SiteState::Forbidden,
    ];
}

/// The action that follows from a signal in a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Keep everything as learned.
    Keep,
    /// Relearn the folders of the broken patterns.
    RelearnFolders,
    /// Relearn the site from its entry page.
    RelearnSite,
    /// Wait for a later round, since nothing can be learned now.
    Wait,
}

/// Decides for one site. Repairing a folder is cheaper than relearning the site.
pub const fn action(signal: Signal, state: SiteState) -> Action {
    match (state, signal) {
        (SiteState::Blocked | SiteState::Forbidden | SiteState::StillGone, _) => Action::Wait,
        // A folder is repaired from the lists that lead to it. Without intact lists, or another
        // intact folder, the site is relearned.
        (SiteState::Gone, _) => Action::RelearnSite,
        (SiteState::Intact | SiteState::Suspect, Signal::Quiet) => Action::Keep,
        (SiteState::Intact | SiteState::Suspect, Signal::PartBroken) => Action::RelearnFolders,
        (SiteState::Intact, Signal::FolderBroken) => Action::RelearnFolders,
        (SiteState::Suspect, Signal::FolderBroken) => Action::RelearnSite,
        (SiteState::Intact | SiteState::Suspect, Signal::MostBroken) => Action::RelearnSite,
    }
}

/// The part of a site to relearn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Relearn {
    Nothing,
    /// These folders: their pages are crawled again from the intact hubs, and their patterns are
    /// induced again.
    Folders(Vec<String>),
    /// The whole site, from its entry page.
    Site,
}

/// Returns the part of a site to relearn; folders with the most broken objects come first.
pub fn relearn(patterns: &[PatternHealth], state: SiteState) -> Relearn {
    let folders = broken_folders(patterns);
    match action(signal(patterns, &folders), state) {
        Action::Keep | Action::Wait => Relearn::Nothing,
        Action::RelearnSite => Relearn::Site,
        Action::RelearnFolders => {
            let mut folders: Vec<(String, u64)> = folders.into_iter().collect();
            folders.sort_by(|one, other| other.1.cmp(&one.1).then(one.0.cmp(&other.0)));
            Relearn::Folders(folders.into_iter().map(|(folder, _)| folder).collect())
        }
    }
}

/// Returns true if most lists of a site are gone, and more than it usually loses. `before` are the
/// lists that it lost in earlier rounds, of those that were read.
pub fn has_lost_lists(gone: usize, lists: usize, before: Proportion) -> bool {
    let usual = match before.of {
        0 => MIN_LOST,
        _ => before.share().max(MIN_LOST),
    };
    let share = gone as f64 / lists.max(1) as f64;
    2 * gone > lists && share > usual && at_most(share, lists as f64, usual) <= UNUSUAL
}

/// Returns an upper bound on the probability that at least a share of independent trials succeed,
/// each with a smaller probability (Chernoff 1952).
fn at_most(share: f64, trials: f64, probability: f64) -> f64 {
    let part = |share: f64, probability: f64| match share > 0.0 {
        true => share * (share / probability).ln(),
        false => 0.0,
    };
    (-trials * (part(share, probability) + part(1.0 - share, 1.0 - probability))).exp()
}

/// Returns the weight of a pattern. Patterns without objects count as one.
fn weight(health: &PatternHealth) -> u64 {
    u64::from(health.objects.max(1))
}

/// Returns the folders of patterns with an alarm, with the weights of these patterns.
fn broken_folders(patterns: &[PatternHealth]) -> BTreeMap<String, u64> {
    let mut folders: BTreeMap<String, u64> = BTreeMap::new();
    for health in patterns.iter().filter(|health| health.alarm.is_some()) {
        *folders.entry(health.pattern.folder()).or_default() += weight(health);
    }
    folders
}

fn signal(patterns: &[PatternHealth], broken: &BTreeMap<String, u64>) -> Signal {
    let all: u64 = patterns.iter().map(weight).sum();
    let is_most = broken.values().sum::<u64>() as f64 > MAX_BROKEN * all as f64;
    match broken.len() {
        0 => Signal::Quiet,
        // Each folder needs another pass over the hubs, so more small repairs than that cost more
        // than learning anew.
        folders if folders > MAX_FOLDERS => Signal::MostBroken,
        1 if is_most => Signal::FolderBroken,
        _ if is_most => Signal::MostBroken,
        _ => Signal::PartBroken,
    }
}
