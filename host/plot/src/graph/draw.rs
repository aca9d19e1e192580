//! Drawing boxes and ways.

use super::layout::{BOX, GAP, Layout, Place};
use super::{Graph, GraphBox, MAX_LINES};
use crate::number::written;
use crate::svg::{Anchor, EDGE, QUIET, SMALL, STRONG, Sheet};
use crate::theme::{fill, outline};

/// Room left of the first layer and right of the last, for ways that go back.
const SIDE: f64 = 48.0;
/// Height of a line of text in a box.
const LINE: f64 = 16.0;
/// Lanes below the boxes for ways that go back or far; further ways share them.
const MAX_LANES: usize = 10;
const LANE: f64 = 9.0;
/// Attributes of a way.
const WAY: &str = "class=\"h\" fill=\"none\" stroke=\"#8a8882\" stroke-width=\"1.4\"";
/// Attributes of an arrow's head.
const HEAD: &str = "class=\"u\" fill=\"#5c5b57\"";

pub(super) fn height(shown: &GraphBox) -> f64 {
    let lines = shown.lines.len().min(MAX_LINES) + usize::from(shown.lines.len() > MAX_LINES);
    // The name, its kind below, the lines, and room above and below.
    22.0 + LINE * (lines + 1) as f64 + 12.0
}

/// The graph with the boxes that are kept, where the layout says.
pub(super) fn draw(graph: &Graph, kept: &[usize], ways: &[(usize, usize)], layout: &Layout) -> String {
    let layers = layout.count.max(1) as f64;
    let width = 2.0 * SIDE + layers * BOX + (layers - 1.0) * GAP;
    let mut sheet = Sheet::default();
    let top = sheet.title(&graph.title, width);
    let moved = |place: &Place| Place {
        x: place.x + SIDE,
        y: place.y + top,
        height: place.height,
    };
    let places: Vec<Place> = layout.places.iter().map(moved).collect();
    let floor = top + layout.floor;
    let lanes = draw_ways(&mut sheet, ways, layout, &places, floor);
    for (place, index) in places.iter().zip(kept) {
        draw_box(&mut sheet, graph, &graph.boxes[*index], *place);
    }
    let mut bottom = floor + EDGE + LANE * (lanes + 1) as f64;
    let more = graph.boxes.len() - kept.len();
    if more > 0 {
        let note = format!("and {} more that are not drawn", written(more as f64));
        sheet.text(
            (EDGE, bottom + 10.0),
            Anchor::Start,
            QUIET,
            width - 2.0 * EDGE,
            &note,
        );
        bottom += 26.0;
    }
    let names: Vec<&str> = kept
        .iter()
        .map(|index| graph.boxes[*index].name.as_str())
        .collect();
    sheet.finish(&graph.title, &names.join(", "), (width, bottom))
}

fn draw_box(sheet: &mut Sheet, graph: &Graph, shown: &GraphBox, place: Place) {
    let pen = format!("rx=\"5\" {} stroke-width=\"1.5\"", outline(shown.kind));
    sheet.rectangle((place.x, place.y), (BOX, place.height), &pen);
    let stripe = format!("rx=\"2.5\" {}", fill(shown.kind));
    sheet.rectangle((place.x, place.y), (5.0, place.height), &stripe);
    let (x, room) = (place.x + 16.0, BOX - 26.0);
    let mut y = place.y + 21.0;
    sheet.text((x, y), Anchor::Start, STRONG, room, &shown.name);
    let kind = graph.kinds.get(shown.kind).map_or("", String::as_str);
    y += LINE + 1.0;
    sheet.text((x, y), Anchor::Start, QUIET, room, kind);
    for line in shown.lines.iter().take(MAX_LINES) {
        y += LINE;
        sheet.text((x, y), Anchor::Start, SMALL, room, line);
    }
    if shown.lines.len() > MAX_LINES {
        let more = format!("and {} more", shown.lines.len() - MAX_LINES);
        sheet.text((x, y + LINE), Anchor::Start, QUIET, room, &more);
    }
}

/// Draws all ways and gives how many lanes they took below the boxes.
fn draw_ways(
    sheet: &mut Sheet,
    ways: &[(usize, usize)],
    layout: &Layout,
    places: &[Place],
    floor: f64,
) -> usize {
    // Far ways to one box share a lane: they are one stream for the eye.
    let mut lanes: Vec<usize> = Vec::new();
    for (from, to) in ways {
        let (start, end) = (places[*from], places[*to]);
        let (left, right) = (layout.layers[*from], layout.layers[*to]);
        if from == to {
            self_loop(sheet, start);
        } else if right == left + 1 {
            forward(sheet, start, end);
        } else if right == left {
            sideways(sheet, start, end);
        } else if right + 1 == left {
            back(sheet, start, end);
        } else {
            let known = lanes.iter().position(|target| target == to);
            let lane = known.unwrap_or_else(|| {
                lanes.push(*to);
                lanes.len() - 1
            });
            around(sheet, start, end, floor, lane % MAX_LANES);
        }
    }
    lanes.len().min(MAX_LANES)
}

fn forward(sheet: &mut Sheet, start: Place, end: Place) {
    let (x, y) = (start.right(), start.middle());
    let (to_x, to_y) = (end.x - 7.0, end.middle());
    let bend = GAP * 0.55;
    path(
        sheet,
        &format!(
            "M{x:.1} {y:.1}C{:.1} {y:.1} {:.1} {to_y:.1} {to_x:.1} {to_y:.1}",
            x + bend,
            to_x - bend
        ),
    );
    head(sheet, (end.x, to_y), 1.0);
}

/// Back to the layer before: lower than the ways there, so that both are seen.
fn back(sheet: &mut Sheet, start: Place, end: Place) {
    let (x, y) = (start.x, start.y + start.height * 0.75);
    let (to_x, to_y) = (end.right() + 7.0, end.y + end.height * 0.75);
    let bend = GAP * 0.55;
    path(
        sheet,
        &format!(
            "M{x:.1} {y:.1}C{:.1} {y:.1} {:.1} {to_y:.1} {to_x:.1} {to_y:.1}",
            x - bend,
            to_x + bend
        ),
    );
    head(sheet, (end.right(), to_y), -1.0);
}

/// To a box of the same layer, on the right of both.
fn sideways(sheet: &mut Sheet, start: Place, end: Place) {
    let is_down = end.y > start.y;
    let share = |down: bool| if down { 0.8 } else { 0.2 };
    let (x, y) = (start.right(), start.y + start.height * share(is_down));
    let to_y = end.y + end.height * share(!is_down);
    let bend = x + 34.0;
    path(
        sheet,
        &format!(
            "M{x:.1} {y:.1}C{bend:.1} {y:.1} {bend:.1} {to_y:.1} {:.1} {to_y:.1}",
            x + 7.0
        ),
    );
    head(sheet, (x, to_y), -1.0);
}

/// Draws an edge that spans several layers or goes back: down on the right, along a lane below all
/// boxes, up on the left of its end.
fn around(sheet: &mut Sheet, start: Place, end: Place, floor: f64, lane: usize) {
    let aside = 12.0 + 3.0 * lane as f64;
    let (x, y) = (start.right(), start.y + start.height * 0.8);
    let (down, up) = (x + aside, end.x - aside);
    let (to_x, to_y) = (end.x - 7.0, end.y + end.height * 0.8);
    let level = floor + 10.0 + LANE * lane as f64;
    let turn = 6.0;
    let sign = if up < down { -1.0 } else { 1.0 };
    path(
        sheet,
        &format!(
            "M{x:.1} {y:.1}H{:.1}Q{down:.1} {y:.1} {down:.1} {:.1}V{:.1}Q{down:.1} {level:.1} {:.1} {level:.1}\
             H{:.1}Q{up:.1} {level:.1} {up:.1} {:.1}V{:.1}Q{up:.1} {to_y:.1} {to_x:.1} {to_y:.1}",
            down - turn,
            y + turn,
            level - turn,
            down + sign * turn,
            up - sign * turn,
            level - turn,
            to_y + turn,
        ),
    );
    head(sheet, (end.x, to_y), 1.0);
}

/// From a box to itself, above its right end.
fn self_loop(sheet: &mut Sheet, place: Place) {
    let (left, right, y) = (place.right() - 52.0, place.right() - 24.0, place.y);
    path(
        sheet,
        &format!(
            "M{left:.1} {y:.1}C{:.1} {:.1} {:.1} {:.1} {right:.1} {:.1}",
            left - 8.0,
            y - 26.0,
            right + 8.0,
            y - 26.0,
            y - 6.0
        ),
    );
    sheet.push(&format!(
        "<path d=\"M{right:.1} {y:.1}L{:.1} {:.1}H{:.1}Z\" {HEAD}/>",
        right - 4.0,
        y - 8.0,
        right + 4.0
    ));
}

fn path(sheet: &mut Sheet, way: &str) {
    sheet.push(&format!("<path d=\"{way}\" {WAY}/>"));
}

/// Draws an arrow's head with its tip at a position; the side is 1 for an arrow to the right, -1
/// for one to the left.
fn head(sheet: &mut Sheet, (x, y): (f64, f64), side: f64) {
    sheet.push(&format!(
        "<path d=\"M{x:.1} {y:.1}L{0:.1} {1:.1}V{2:.1}Z\" {HEAD}/>",
        x - side * 9.0,
        y - 4.5,
        y + 4.5
    ));
}
