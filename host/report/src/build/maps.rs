//! Maps of the sites, from their navigations.

use crate::{MapState, Role as Shown, SiteMap};
use magpie_patterns::navigate::{Navigation, Role, State};

use super::ground::{Ground, SiteGround};
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
    let navigator = site.navigator.as_ref().ok()?.as_ref()?;
    let counted = |name: Option<&str>| {
        let tally = site.states.get(&name.map(str::to_owned));
        tally.map_or_else(MapState::default, |tally| MapState {
            pages_seen: tally.pages,
            pages_fetched: tally.fetched,
            objects: tally.objects.len() as u64,
            ..MapState::default()
        })
    };
    let map = SiteMap::of(navigator.navigation(), words::named(&site.learned), counted);
    Some(SiteMap {
        objects: site.objects.len() as u64,
        ..map
    })
}

impl SiteMap {
    /// The map of a site with the figures of its states. Those of the entry have no name.
    pub fn of(navigation: &Navigation, site: String, counted: impl Fn(Option<&str>) -> MapState) -> SiteMap {
        let is_taken = navigation.states.iter().any(|state| state.name == ENTRY);
        let name = match is_taken {
            false => ENTRY.to_owned(),
            true => navigation.entry.to_string(),
        };
        let entry = MapState {
            name: name.clone(),
            role: Shown::Hub,
            patterns: vec![path(&navigation.entry.to_string())],
            next: navigation.start.clone(),
            ..counted(None)
        };
        let states = navigation.states.iter().map(|state| MapState {
            name: state.name.clone(),
            role: role(state.role),
            patterns: patterns(state),
            next: state.next.clone(),
            ..counted(Some(&state.name))
        });
        SiteMap {
            site,
            entry: name,
            objects: 0,
            states: std::iter::once(entry).chain(states).collect(),
        }
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
