//! Maps of the sites, from their navigations.

use crate::{MapState, Role as Shown, SiteMap};
use magpie_patterns::navigate::{Navigator, Role, State};

use super::ground::{Ground, SiteGround, Tally};
use super::words;
use crate::format::path;

/// The name of the entry page, unless a state of the navigation has it.
const ENTRY: &str = "entry";

/// Patterns of a state that are named.
const MAX_PATTERNS: usize = 50;

/// The maps of the sites that are walked, those first that bring most.
pub(super) fn maps(ground: &Ground<'_>) -> Vec<SiteMap> {
    let mut walked: Vec<&SiteGround> = ground.sites.iter().filter(|site| site.has_way()).collect();
    walked.sort_by_key(|site| std::cmp::Reverse(site.objects.len()));
    walked.into_iter().filter_map(map).collect()
}

impl SiteGround {
    /// Returns `true` if recrawls go there.
    pub(super) fn has_way(&self) -> bool {
        matches!(&self.navigator, Ok(Some(_)))
    }
}

fn map(site: &SiteGround) -> Option<SiteMap> {
    let navigator: &Navigator = site.navigator.as_ref().ok()?.as_ref()?;
    let navigation = navigator.navigation();
    let is_taken = |name: &str| navigation.states.iter().any(|state| state.name == name);
    let name = match is_taken(ENTRY) {
        false => ENTRY.to_owned(),
        true => navigation.entry.to_string(),
    };
    let nothing = Tally::default();
    let tally = |name: Option<&str>| {
        let name = name.map(str::to_owned);
        site.states.get(&name).unwrap_or(&nothing)
    };
    let entry = MapState {
        name: name.clone(),
        role: Shown::Hub,
        patterns: vec![path(&navigation.entry.to_string())],
        next: navigation.start.clone(),
        ..counted(tally(None))
    };
    let states = navigation.states.iter().map(|state| MapState {
        name: state.name.clone(),
        role: role(state.role),
        patterns: patterns(state),
        next: state.next.clone(),
        ..counted(tally(Some(&state.name)))
    });
    Some(SiteMap {
        site: words::named(&site.learned),
        entry: name,
        objects: site.objects.len() as u64,
        states: std::iter::once(entry).chain(states).collect(),
    })
}

fn counted(tally: &Tally) -> MapState {
    MapState {
        pages_seen: tally.pages,
        pages_fetched: tally.fetched,
        objects: tally.objects.len() as u64,
        ..MapState::default()
    }
}

fn role(role: Role) -> Shown {
    match role {
        Role::Hub => Shown::Hub,
        Role::Object => Shown::Object,
        Role::Both => Shown::Both,
    }
}

fn patterns(state: &State) -> Vec<String> {
    let all = state.patterns.iter().take(MAX_PATTERNS);
    all.map(|pattern| path(&pattern.to_string())).collect()
}
