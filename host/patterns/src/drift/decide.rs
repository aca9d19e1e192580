//! The table of drift: what the patterns of a site signal, in which state the site is, and what
//! follows.

use std::collections::BTreeMap;

use magpie_model::Alarm;

use crate::pattern::UrlPattern;

/// The share of a site's yield that may be broken before the site is learned again as a whole. A
/// redesign breaks
/// everything at once; what breaks a little at a time is mended a little at a time.
const MOST_BROKEN: f64 = 0.5;

/// Broken folders up to which each is mended by itself; each needs its own look at the hubs.
const MOST_FOLDERS: usize = 8;

/// The health of a pattern.
#[derive(Clone, Debug, PartialEq)]
pub struct PatternHealth {
    /// The pattern.
    pub pattern: UrlPattern,
    /// Its alarm, if one stands.
    pub alarm: Option<Alarm>,
    /// The objects it brought when all was well: how much of the site it is.
    pub objects: u32,
}

/// The signal of a site's patterns, by the objects of those that have an alarm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signal {
    /// No pattern has an alarm.
    Quiet,
    /// Patterns with a part of the objects have one, in a few folders.
    PartBroken,
    /// Patterns with most objects have one, all in one folder.
    FolderBroken,
    /// Patterns with most objects have one, or patterns in many folders.
    MostBroken,
}

impl Signal {
    /// All signals.
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
    /// It answered, and its lists are intact.
    Intact,
    /// Its lists link to more pages of unknown kinds than they should, or could not be read.
    Suspect,
    /// Most of its lists are not there any more, or lead to nothing: what follows from them can't
    /// be
    /// had, however well the patterns of its pages did.
    Gone,
    /// They were gone before, and it is not time to look for them again.
    StillGone,
    /// Nothing answered.
    Blocked,
    /// Its robots.txt forbids what was to be asked for.
    Forbidden,
}

impl SiteState {
    /// All states.
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
    /// Everything stays as it was learned.
    Keep,
    /// The folders of the broken patterns are learned again.
    RelearnFolders,
    /// The site is learned again, from its entry page.
    RelearnSite,
    /// Nothing can be learned now; a later round tries again.
    Wait,
}

/// Decides for one site. A folder is mended from the lists that lead to it, which is cheaper than
/// to
/// learn its site again; that needs lists that are intact, or other folders that are.
pub const fn action(signal: Signal, state: SiteState) -> Action {
    match (state, signal) {
        (SiteState::Blocked | SiteState::Forbidden | SiteState::StillGone, _) => Action::Wait,
        (SiteState::Gone, _) => Action::RelearnSite,
        (SiteState::Intact | SiteState::Suspect, Signal::Quiet) => Action::Keep,
        (SiteState::Intact | SiteState::Suspect, Signal::PartBroken) => Action::RelearnFolders,
        (SiteState::Intact, Signal::FolderBroken) => Action::RelearnFolders,
        (SiteState::Suspect, Signal::FolderBroken) => Action::RelearnSite,
        (SiteState::Intact | SiteState::Suspect, Signal::MostBroken) => Action::RelearnSite,
    }
}

/// The part of a site that is learned again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Relearn {
    /// Nothing.
    Nothing,
    /// These folders: their pages are crawled again from the hubs that are intact, and their
    /// patterns
    /// are made anew.
    Folders(Vec<String>),
    /// The whole site, from its entry page.
    Site,
}

/// Returns the part of a site to learn again: the folders with most broken objects first.
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

/// The weight of a pattern: one that brought nothing counts, too.
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
    let is_most = broken.values().sum::<u64>() as f64 > MOST_BROKEN * all as f64;
    match broken.len() {
        0 => Signal::Quiet,
        folders if folders > MOST_FOLDERS => Signal::MostBroken,
        1 if is_most => Signal::FolderBroken,
        _ if is_most => Signal::MostBroken,
        _ => Signal::PartBroken,
    }
}
