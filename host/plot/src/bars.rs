//! Bar charts.

use crate::axis::Axis;
use crate::field::{self, Field};
use crate::svg::{Anchor, EDGE, PLAIN, QUIET, Sheet};
use crate::text::whole;
use crate::theme::{COLOURS, PAPER, RULE, colour};
use crate::{WIDTH, legend, usable, written};

/// A bar chart. Bars of one group stand together; groups are labelled along the bottom.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BarChart {
    pub title: String,
    /// Label of the vertical axis.
    pub y: String,
    /// The names of the bars within a group, explained above the chart.
    pub kinds: Vec<String>,
    /// The groups with their bars, in the order of `kinds`.
    pub groups: Vec<(String, Vec<Bar>)>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Bar {
    /// Height of the bar; negative values have no bar.
    pub value: f64,
    /// The interval within which the true value is believed to be.
    pub interval: Option<(f64, f64)>,
}

/// Bars of a group; beyond, fillings repeat.
const MAX_KINDS: usize = 6;
/// The least room of a group, in which slanted names do not touch each other.
const MIN_ROOM: f64 = 30.0;
/// The least room of a bar.
const MIN_BAR: f64 = 7.0;
/// Lines of a name below its group; longer ones are slanted.
const NAME_LINES: usize = 3;
/// The height of such a line.
const NAME_ROW: f64 = 16.0;
/// The length of a slanted name at most.
const SLANTED: f64 = 170.0;
/// Angle of slanted names, in degrees.
const SLANT: f64 = 35.0;

impl BarChart {
    #[must_use]
    pub fn to_svg(&self) -> String {
        self.to_svg_of_width(WIDTH)
    }

    /// The chart as SVG, drawn for a width in pixels.
    #[must_use]
    pub fn to_svg_of_width(&self, width: f64) -> String {
        let width = usable(width);
        let mut sheet = Sheet::default();
        define_fills(&mut sheet, MAX_KINDS);
        let groups = self.groups(width);
        let mut top = self.head(&mut sheet, width, groups.len());
        // One kind of bar is what the side says; it needs no legend.
        if self.kinds.len() > 1 {
            let kinds = &self.kinds[..self.kinds.len().min(MAX_KINDS)];
            top = legend::draw(&mut sheet, (top, width), kinds, |sheet, at, index| {
                sheet.rectangle((at.0 - 8.0, at.1 - 8.0), (16.0, 16.0), &filled(index));
            });
        }
        let bars = groups.iter().flat_map(|(_, bars)| bars.iter().take(MAX_KINDS));
        let highs = bars.flat_map(|bar| [bar.value, bar.interval.map_or(bar.value, |(_, high)| high)]);
        let y = Axis::from_zero(highs.map(|value| value.max(0.0)), 5);
        let field = Field::open(&mut sheet, top, width - EDGE, field::height(width), y, &self.y);
        let below = draw_groups(&mut sheet, &field, groups);
        field.draw_floor(&mut sheet);
        let names: Vec<&str> = groups.iter().map(|(name, _)| name.as_str()).collect();
        let description = format!("{}: {}", self.y, names.join(", "));
        sheet.finish(&self.title, &description, (width, field.floor + below))
    }

    /// The groups that have room.
    fn groups(&self, width: f64) -> &[(String, Vec<Bar>)] {
        let bars = self
            .groups
            .iter()
            .map(|(_, bars)| bars.len().min(MAX_KINDS))
            .max();
        let room = (bars.unwrap_or(0) as f64 * MIN_BAR / 0.8).max(MIN_ROOM);
        let most = ((width - 90.0) / room) as usize;
        &self.groups[..self.groups.len().min(most.max(1))]
    }

    /// Title, and how many groups are left out.
    fn head(&self, sheet: &mut Sheet, width: f64, shown: usize) -> f64 {
        let top = sheet.title(&self.title, width);
        if shown == self.groups.len() {
            return top;
        }
        let note = format!("the first {shown} of {}", written(self.groups.len() as f64));
        sheet.text(
            (EDGE, top + 14.0),
            Anchor::Start,
            QUIET,
            width - 2.0 * EDGE,
            &note,
        );
        top + 20.0
    }
}

/// Draws all groups with their names, and gives the height that the names take.
fn draw_groups(sheet: &mut Sheet, field: &Field, groups: &[(String, Vec<Bar>)]) -> f64 {
    let room = (field.right - field.left) / groups.len().max(1) as f64;
    for (place, (_, bars)) in groups.iter().enumerate() {
        let left = field.left + room * place as f64;
        let count = bars.len().min(MAX_KINDS);
        let bar_room = (room * 0.8 / count.max(1) as f64).min(72.0);
        let first = left + (room - bar_room * count as f64) / 2.0;
        for (index, bar) in bars.iter().take(MAX_KINDS).enumerate() {
            let from = first + bar_room * index as f64;
            draw_bar(sheet, field, bar, (from + 1.0, bar_room - 2.0), index);
        }
    }
    let names: Vec<&str> = groups.iter().map(|(name, _)| name.as_str()).collect();
    let whole = |name: &&str| whole(name, PLAIN.size, room - 10.0, NAME_LINES);
    match names.iter().map(whole).collect::<Option<Vec<Vec<String>>>>() {
        Some(names) => level(sheet, field, room, &names),
        None => slanted(sheet, field, room, &names),
    }
}

/// Writes names below their groups and gives the height that they take.
fn level(sheet: &mut Sheet, field: &Field, room: f64, names: &[Vec<String>]) -> f64 {
    for (place, lines) in names.iter().enumerate() {
        let x = field.left + room * (place as f64 + 0.5);
        for (row, line) in lines.iter().enumerate() {
            let y = field.floor + 20.0 + NAME_ROW * row as f64;
            sheet.text((x, y), Anchor::Middle, PLAIN, room, line);
        }
    }
    let rows = names.iter().map(Vec::len).max().unwrap_or(1);
    20.0 + NAME_ROW * rows as f64
}

/// Writes names that fall to the left of their groups and gives the height that they take.
fn slanted(sheet: &mut Sheet, field: &Field, room: f64, names: &[&str]) -> f64 {
    for (place, name) in names.iter().enumerate() {
        let x = field.left + room * (place as f64 + 0.5);
        // The first names would leave the sheet on the left if they were as long as the others may
        // be.
        let most = ((x - EDGE / 2.0) / SLANT.to_radians().cos()).min(SLANTED);
        let y = field.floor + 16.0;
        sheet.push(&format!(
            "<g transform=\"translate({x:.1} {y:.1}) rotate(-{SLANT})\">"
        ));
        sheet.text((4.0, 0.0), Anchor::End, PLAIN, most, name);
        sheet.push("</g>");
    }
    let widest = names.iter().map(|name| PLAIN.width(name)).fold(0.0, f64::max);
    32.0 + widest.min(SLANTED) * SLANT.to_radians().sin()
}

fn draw_bar(sheet: &mut Sheet, field: &Field, bar: &Bar, (left, width): (f64, f64), index: usize) {
    let (top, floor) = (field.y(bar.value.max(0.0)), field.y(0.0));
    sheet.push(&format!(
        "<g><title>{}</title>",
        written((bar.value * 10_000.0).round() / 10_000.0)
    ));
    sheet.rectangle((left, top), (width, floor - top), &filled(index));
    sheet.push("</g>");
    if let Some((low, high)) = bar.interval {
        let middle = left + width / 2.0;
        let pen = format!("{RULE} stroke-width=\"2\"");
        sheet.whiskers(middle, (field.y(low), field.y(high)), &pen);
    }
}

/// Attributes of a bar of a kind, which differ by hatching.
pub(crate) fn filled(kind: usize) -> String {
    format!(
        "{RULE} fill=\"url(#{})\"",
        Sheet::own(&format!("fill{}", colour(kind)))
    )
}

/// Defines the fillings of the first kinds: solid, empty, slanted, crossed, dotted, level.
pub(crate) fn define_fills(sheet: &mut Sheet, kinds: usize) {
    sheet.push("<defs>");
    for (kind, tint) in COLOURS.iter().enumerate().take(kinds) {
        sheet.push(&format!(
            "<pattern id=\"{}\" width=\"8\" height=\"8\" patternUnits=\"userSpaceOnUse\">\
             <rect width=\"8\" height=\"8\" class=\"b\" fill=\"{PAPER}\"/>",
            Sheet::own(&format!("fill{kind}"))
        ));
        sheet.push(&match kind {
            0 => format!("<rect width=\"8\" height=\"8\" class=\"f{kind}\" fill=\"{tint}\"/>"),
            1 => String::new(),
            2 => format!("<path d=\"M-2 10L10 -2M-2 2L2 -2M6 10L10 6\" class=\"s{kind}\" stroke=\"{tint}\" stroke-width=\"2\"/>"),
            3 => format!("<path d=\"M0 0L8 8M0 8L8 0\" class=\"s{kind}\" stroke=\"{tint}\"/>"),
            4 => format!("<circle cx=\"4\" cy=\"4\" r=\"1.8\" class=\"f{kind}\" fill=\"{tint}\"/>"),
            _ => format!("<path d=\"M0 4H8\" class=\"s{kind}\" stroke=\"{tint}\" stroke-width=\"2\"/>"),
        });
        sheet.push("</pattern>");
    }
    sheet.push("</defs>");
}
