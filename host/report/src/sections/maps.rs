//! Navigations of sites: a graph for each.

use std::collections::{BTreeMap, BTreeSet};

use magpie_plot::{Graph, GraphBox};

use crate::data::{MapState, Role, SiteMap};
use crate::figures::{count, counted, cut, shown};
use crate::page::drawing;
use crate::table::{Align, Cell, Table, first};

/// Sites whose map is drawn.
const MAX_MAPS: usize = 12;
/// States of a map that are looked at; beyond the boxes that are drawn, they stand in the table.
const MAX_STATES: usize = 100;
/// States that a state leads to: more than there are boxes.
const MAX_NEXT: usize = 100;
/// Patterns that are named in a box and in a row of the table.
const MAX_PATTERNS: usize = 3;
/// The kind of a box for an entry that is no state.
const ENTRY: usize = 3;

pub(crate) fn html(maps: &[SiteMap]) -> String {
    let (kept, more) = first(maps, MAX_MAPS);
    let mut out = String::new();
    for (place, map) in kept.iter().filter(|map| !map.states.is_empty()).enumerate() {
        // One is open, so that it is seen that there is something to open.
        let open = if place == 0 { " open" } else { "" };
        out.push_str(&format!(
            "<details class=\"map\"{open}><summary>{}: {}</summary>\n{}</details>\n",
            shown(&map.site),
            summary(map),
            drawn(map)
        ));
    }
    if more > 0 && !out.is_empty() {
        out.push_str(&format!(
            "<p class=\"rest\">and {}</p>\n",
            counted(more as u64, "more site")
        ));
    }
    out
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
        counted(map.states.len() as u64, "kind") + " of pages",
        counted(sum(|state| state.pages_fetched), "page") + " fetched",
        // An object may stand on pages of several kinds; their sum is the most there can be.
        counted(
            match map.objects {
                0 => sum(|state| state.objects),
                objects => objects,
            },
            "object"
        )
    )
}

fn drawn(map: &SiteMap) -> String {
    let states = sorted(map);
    let svg = graph(map, &states).to_svg();
    drawing(
        &svg,
        &format!("The map of {}", cut(&map.site)),
        &table(map, &states).to_html(),
    )
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

fn graph(map: &SiteMap, states: &[&MapState]) -> Graph {
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
        // The line that the map unfolds from is its title.
        title: String::new(),
        kinds: ["hub", "objects", "hub and objects", "entry"]
            .map(str::to_owned)
            .to_vec(),
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
    let (kept, more) = first(&state.patterns, MAX_PATTERNS);
    let mut lines: Vec<String> = kept.iter().map(|pattern| cut(pattern)).collect();
    if more > 0 {
        lines.push(format!("and {}", counted(more as u64, "more pattern")));
    }
    lines.push(format!(
        "{} of {} fetched",
        count(state.pages_fetched),
        counted(state.pages_seen, "page")
    ));
    if state.objects > 0 {
        lines.push(counted(state.objects, "object"));
    }
    GraphBox {
        name: cut(&state.name),
        kind: kind(state.role),
        lines,
    }
}

fn table(map: &SiteMap, states: &[&MapState]) -> Table {
    let columns = [
        ("Kind of page", Align::Left),
        ("Role", Align::Left),
        ("Patterns", Align::Wide),
        ("Pages seen", Align::Right),
        ("Fetched", Align::Right),
        ("Objects", Align::Right),
        ("Leads to", Align::Left),
    ];
    let caption = format!(
        "The map of {}, which begins at {}",
        cut(&map.site),
        cut(&map.entry)
    );
    let mut table = Table::new(&caption, &columns);
    for state in states {
        let role = match state.role {
            Role::Hub => "hub",
            Role::Object => "objects",
            Role::Both => "hub and objects",
        };
        let cells = [
            Cell::text(&state.name),
            Cell::text(role),
            Cell::code(&listed(&state.patterns)),
            Cell::count(state.pages_seen),
            Cell::count(state.pages_fetched),
            Cell::count(state.objects),
            Cell::text(&listed(&state.next)),
        ];
        table.row(&cells, false);
    }
    if map.states.len() > states.len() {
        table.rest(&counted((map.states.len() - states.len()) as u64, "more kind"));
    }
    table
}

/// The first of some names, and how many more there are.
fn listed(names: &[String]) -> String {
    let (kept, more) = first(names, MAX_PATTERNS);
    let mut kept: Vec<String> = kept.iter().map(|name| cut(name)).collect();
    if more > 0 {
        kept.push(format!("and {more} more"));
    }
    kept.join(", ")
}
