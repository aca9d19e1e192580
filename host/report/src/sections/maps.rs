//! Navigations of sites: a graph for each.

use std::collections::{BTreeMap, BTreeSet};

use magpie_plot::{Graph, GraphBox};

use crate::blocks::{Block, Cell, Table, rest};
use crate::data::{MapState, Role, SiteMap};
use crate::format::{cut, many, thousands};

/// Sites whose map is drawn.
const MAX_MAPS: usize = 12;
/// States of a map that are looked at; beyond the boxes that are drawn, they stand in the table.
const MAX_STATES: usize = 100;
/// States that a state leads to: more than there are boxes.
const MAX_NEXT: usize = 100;
/// Patterns that are named in a box and in a row of the table.
const MAX_PATTERNS: usize = 3;
/// Kinds of boxes. The last is that of an entry that is no state.
const KINDS: [&str; 4] = ["hub", "objects", "hub and objects", "entry"];
const ENTRY: usize = 3;

pub(super) fn blocks(maps: &[SiteMap]) -> Vec<Block> {
    let kept = maps.iter().take(MAX_MAPS).filter(|site| !site.states.is_empty());
    let fold = |(place, site): (usize, &SiteMap)| Block::Fold {
        summary: format!("{}: {}", cut(&site.site), summary(site)),
        // One is open, so that it is seen that there is something to open.
        is_open: place == 0,
        // The line that the map unfolds from is its title.
        blocks: vec![site_map(site, String::new())],
    };
    let mut blocks: Vec<Block> = kept.enumerate().map(fold).collect();
    if !blocks.is_empty() {
        blocks.extend(rest(maps.len(), MAX_MAPS, "site").map(Block::text));
    }
    blocks
}

/// Returns the line of a closed map.
fn summary(map: &SiteMap) -> String {
    let sum = |of: fn(&MapState) -> u64| {
        map.states
            .iter()
            .fold(0, |sum: u64, state| sum.saturating_add(of(state)))
    };
    format!(
        "{}, {}, {}",
        many(map.states.len() as u64, "kind") + " of pages",
        many(sum(|state| state.pages_fetched), "page") + " fetched",
        // An object may stand on pages of several kinds; their sum is the most there can be.
        many(
            match map.objects {
                0 => sum(|state| state.objects),
                objects => objects,
            },
            "object"
        )
    )
}

/// The map of a site as a graph, with its figures as a table.
pub fn site_map(map: &SiteMap, title: String) -> Block {
    let states = sorted(map);
    Block::drawing(&graph(map, &states, title).to_svg(), Some(table(map, &states)))
}

/// The entry first, then what brings and costs most.
fn sorted(map: &SiteMap) -> Vec<&MapState> {
    let mut states: Vec<&MapState> = map.states.iter().collect();
    states.sort_by_key(|state| {
        let weight = state.objects.saturating_add(state.pages_fetched);
        (state.name != map.entry, std::cmp::Reverse(weight))
    });
    states.truncate(MAX_STATES);
    states
}

fn graph(map: &SiteMap, states: &[&MapState], title: String) -> Graph {
    let places: BTreeMap<&str, usize> = states
        .iter()
        .enumerate()
        .rev()
        .map(|(place, state)| (state.name.as_str(), place))
        .collect();
    let next = |state: &MapState| -> Vec<usize> {
        let known = |name: &String| places.get(name.as_str()).copied();
        state.next.iter().take(MAX_NEXT).filter_map(known).collect()
    };
    let mut ways: Vec<(usize, usize)> = Vec::new();
    for (place, state) in states.iter().enumerate() {
        ways.extend(next(state).into_iter().map(|to| (place, to)));
    }
    let mut boxes: Vec<GraphBox> = states.iter().map(|state| state_box(state)).collect();
    let start = if places.contains_key(map.entry.as_str()) {
        0
    } else {
        ways.extend(begun(&ways, states.len()).into_iter().map(|to| (boxes.len(), to)));
        boxes.push(GraphBox {
            name: cut(&map.entry),
            kind: ENTRY,
            lines: Vec::new(),
        });
        boxes.len() - 1
    };
    Graph {
        title,
        kinds: KINDS.map(str::to_owned).to_vec(),
        boxes,
        start,
        ways,
    }
}

/// The states that no other leads to, or the first where each has one that does.
fn begun(ways: &[(usize, usize)], states: usize) -> Vec<usize> {
    let reached: BTreeSet<usize> = ways
        .iter()
        .filter(|(from, to)| from != to)
        .map(|(_, to)| *to)
        .collect();
    let begun: Vec<usize> = (0..states).filter(|state| !reached.contains(state)).collect();
    if begun.is_empty() { vec![0] } else { begun }
}

fn kind(role: Role) -> usize {
    match role {
        Role::Hub => 0,
        Role::Object => 1,
        Role::Both => 2,
    }
}

fn state_box(state: &MapState) -> GraphBox {
    let patterns = state.patterns.iter().take(MAX_PATTERNS);
    let mut lines: Vec<String> = patterns.map(|pattern| cut(pattern)).collect();
    lines.extend(rest(state.patterns.len(), MAX_PATTERNS, "pattern"));
    if state.pages_seen > 0 {
        let seen = many(state.pages_seen, "page");
        lines.push(format!("{} of {seen} fetched", thousands(state.pages_fetched)));
    }
    if state.objects > 0 {
        lines.push(many(state.objects, "object"));
    }
    GraphBox {
        name: cut(&state.name),
        kind: kind(state.role),
        lines,
    }
}

fn table(map: &SiteMap, states: &[&MapState]) -> Table {
    // A served page draws the navigation as it was learned, without the figures of a run.
    let is_counted = map.states.iter().any(|state| state.pages_seen > 0);
    let mut columns = vec!["Kind of page", "Role", "Patterns", "Leads to"];
    if is_counted {
        columns.extend(["#Pages seen", "#Fetched", "#Objects"]);
    }
    let caption = format!(
        "The map of {}, which begins at {}",
        cut(&map.site),
        cut(&map.entry)
    );
    let mut table = Table::of(caption, &columns, states, (MAX_STATES, "kind"), |state| {
        let mut cells = vec![
            Cell::from(cut(&state.name)),
            Cell::from(KINDS[kind(state.role)]),
            Cell::Code(listed(&state.patterns)),
            Cell::from(listed(&state.next)),
        ];
        if is_counted {
            let counts = [state.pages_seen, state.pages_fetched, state.objects];
            cells.extend(counts.map(Cell::number));
        }
        cells
    });
    table.rest = rest(map.states.len(), MAX_STATES, "kind").map(Cell::Text);
    table
}

/// The first of some names, and how many more there are.
fn listed(names: &[String]) -> String {
    let mut kept: Vec<String> = names.iter().take(MAX_PATTERNS).map(|name| cut(name)).collect();
    if names.len() > MAX_PATTERNS {
        kept.push(format!("and {} more", names.len() - MAX_PATTERNS));
    }
    cut(&kept.join(", "))
}
