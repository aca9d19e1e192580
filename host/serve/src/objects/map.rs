//! The map of objects with coordinates: a drawing of our own, without tiles of another server.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use magpie_model::{Attribute, Kind};
use magpie_query::{Query, Test};
use magpie_report::format::{counted, thousands};
use magpie_rows::ReadStore;
use magpie_rows::{ObjectRow, SearchOptions, SearchOrder, SortKey};
use magpie_values::coordinates::{self, Coordinates};
use magpie_values::kind::Shape;

use super::{Vertical, escape};
use crate::Error;
use crate::asked::Asked;
use crate::blocks::{Block, Cell, Choice, Table};
use crate::href::Href;
use crate::words::short_label;

/// Objects whose places are drawn.
const MAX_OBJECTS: usize = 2_000;

/// Places of one object that are drawn.
const MAX_OF_OBJECT: usize = 16;

/// Groups that the list names, the largest first.
const MAX_LISTED: usize = 50;

/// The size of the drawing.
const WIDTH: f64 = 760.0;
const MAX_HEIGHT: f64 = 520.0;
const MIN_HEIGHT: f64 = 280.0;

/// Places in one square of this size are one group.
const GROUP: f64 = 44.0;

/// The height of the strip below the map that has the scale, where no place can lie.
const STRIP: f64 = 34.0;

/// The narrowest part of the Earth that is drawn, in degrees: about a kilometre.
const MIN_SPAN: f64 = 0.01;

/// Degrees between two lines of the graticule.
const STEPS: [f64; 14] = [
    0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0, 45.0,
];

/// Lines of the graticule in each direction.
const MAX_LINES: f64 = 6.0;

/// Metres of a degree of latitude.
const METRES: f64 = 111_195.0;

/// The longest scale, as a part of the width.
const MAX_SCALE: f64 = 0.25;

pub(super) fn attribute(vertical: &Vertical) -> Option<&Attribute> {
    let is_place = |attribute: &&Attribute| attribute.kind.shape() == Shape::Point;
    vertical.attributes.iter().find(is_place)
}

/// The part of the Earth that is drawn. It begins in the west and goes east, through the 180th
/// meridian if need be.
#[derive(Clone, Copy, Debug, PartialEq)]
struct View {
    south: f64,
    north: f64,
    west: f64,
    /// Degrees from west to east.
    width: f64,
}

impl View {
    /// The smallest part of the Earth that has all points, with some space around.
    fn around(points: &[Coordinates]) -> Option<View> {
        let first = points.first()?;
        let (mut south, mut north) = (first.latitude(), first.latitude());
        let mut longitudes: Vec<f64> = Vec::with_capacity(points.len());
        for point in points {
            south = south.min(point.latitude());
            north = north.max(point.latitude());
            longitudes.push(point.longitude());
        }
        longitudes.sort_by(f64::total_cmp);
        // The widest gap between neighbours is what the view leaves out.
        let last = longitudes.len() - 1;
        let mut gap = (longitudes[0] + 360.0 - longitudes[last], longitudes[0]);
        for pair in longitudes.windows(2) {
            if pair[1] - pair[0] > gap.0 {
                gap = (pair[1] - pair[0], pair[1]);
            }
        }
        let (west, width) = (gap.1, 360.0 - gap.0);
        Some(View::padded(south, north, west, width))
    }

    fn padded(south: f64, north: f64, west: f64, width: f64) -> View {
        let tall = (north - south).max(MIN_SPAN);
        let wide = width.clamp(MIN_SPAN, 360.0);
        let (middle, centre) = (f64::midpoint(south, north), west + width / 2.0);
        let tall = tall * 1.16;
        let wide = (wide * 1.16).min(360.0);
        View {
            south: (middle - tall / 2.0).max(-90.0),
            north: (middle + tall / 2.0).min(90.0),
            west: turned(centre - wide / 2.0),
            width: wide,
        }
    }

    /// Degrees from the west to a longitude.
    fn east_of_west(&self, longitude: f64) -> f64 {
        let east = (longitude - self.west).rem_euclid(360.0);
        // A point at the very edge belongs to the edge that is nearer.
        if east > self.width && 360.0 - east < east - self.width {
            return 0.0;
        }
        east.min(self.width)
    }
}

/// A longitude between -180 and 180.
fn turned(longitude: f64) -> f64 {
    (longitude + 180.0).rem_euclid(360.0) - 180.0
}

/// The projection: degrees to the drawing. Degrees of longitude are as short as they are in the
/// middle of the view.
struct Projection {
    view: View,
    /// Units of a degree, eastwards and northwards.
    unit: (f64, f64),
    size: (f64, f64),
}

impl Projection {
    fn new(view: View) -> Projection {
        let middle = f64::midpoint(view.south, view.north).to_radians();
        let shortened = middle.cos().max(0.1);
        let (wide, tall) = (view.width * shortened, view.north - view.south);
        let height = (WIDTH * tall / wide).clamp(MIN_HEIGHT, MAX_HEIGHT);
        let unit = (WIDTH / wide).min(height / tall);
        // The view grows to fill the drawing, but not around the Earth or over a pole.
        let (missing, low) = ((WIDTH / unit - wide) / shortened, height / unit - tall);
        let width = (view.width + missing).min(360.0);
        let view = View {
            south: (view.south - low / 2.0).max(-90.0),
            north: (view.north + low / 2.0).min(90.0),
            west: turned(view.west - (width - view.width) / 2.0),
            width,
        };
        Projection {
            unit: (unit * shortened, unit),
            size: (view.width * unit * shortened, (view.north - view.south) * unit),
            view,
        }
    }

    fn at(&self, point: Coordinates) -> (f64, f64) {
        let x = self.view.east_of_west(point.longitude()) * self.unit.0;
        let y = (self.view.north - point.latitude()) * self.unit.1;
        (x.clamp(0.0, self.size.0), y.clamp(0.0, self.size.1))
    }
}

/// Places that are near each other in the drawing.
#[derive(Default)]
struct Group {
    /// Numbers of the objects, each once.
    objects: Vec<usize>,
    points: Vec<Coordinates>,
    /// The sum of the places in the drawing.
    sum: (f64, f64),
}

impl Group {
    fn centre(&self) -> (f64, f64) {
        let count = self.points.len().max(1) as f64;
        (self.sum.0 / count, self.sum.1 / count)
    }

    fn radius(&self) -> f64 {
        match self.objects.len() {
            1 => 8.0,
            count => (12.0 + 3.0 * (count as f64).log10() * 3.0).min(24.0),
        }
    }

    fn add(&mut self, other: Group) {
        self.objects.extend(other.objects);
        self.objects.sort_unstable();
        self.objects.dedup();
        self.points.extend(other.points);
        self.sum = (self.sum.0 + other.sum.0, self.sum.1 + other.sum.1);
    }
}

fn grouped(places: &[(usize, Coordinates)], projection: &Projection) -> Vec<Group> {
    let mut groups: BTreeMap<(i64, i64), Group> = BTreeMap::new();
    for (object, point) in places {
        let (x, y) = projection.at(*point);
        let key = ((x / GROUP) as i64, (y / GROUP) as i64);
        let group = groups.entry(key).or_default();
        if group.objects.last() != Some(object) {
            group.objects.push(*object);
        }
        group.points.push(*point);
        group.sum = (group.sum.0 + x, group.sum.1 + y);
    }
    let mut groups: Vec<Group> = groups.into_values().collect();
    loop {
        groups.sort_by_key(|group| std::cmp::Reverse(group.objects.len()));
        let before = groups.len();
        groups = without_overlaps(groups);
        // Each pass that changes something has fewer groups than the one before.
        if groups.len() == before {
            return groups;
        }
    }
}

/// Adds groups whose circles would overlap larger ones to these.
fn without_overlaps(groups: Vec<Group>) -> Vec<Group> {
    let mut kept: Vec<Group> = Vec::with_capacity(groups.len());
    for group in groups {
        let overlaps = |other: &&mut Group| {
            let ((x, y), (to_x, to_y)) = (group.centre(), other.centre());
            (x - to_x).hypot(y - to_y) < group.radius() + other.radius()
        };
        match kept.iter_mut().find(overlaps) {
            Some(larger) => larger.add(group),
            None => kept.push(group),
        }
    }
    kept
}

/// The term of a query for a part of the Earth, a bit larger than it is.
fn term(name: &str, south: f64, west: f64, north: f64, east: f64) -> String {
    let down = |degrees: f64| (degrees * 1e4).floor() / 1e4;
    let up = |degrees: f64| (degrees * 1e4).ceil() / 1e4;
    let corner = |latitude: f64, longitude: f64| {
        let (latitude, longitude) = (latitude.clamp(-90.0, 90.0), longitude.clamp(-180.0, 180.0));
        // 0,0 is read as an unknown place.
        match latitude == 0.0 && longitude == 0.0 {
            true => "0,-0.0001".to_owned(),
            false => format!("{latitude:.4},{longitude:.4}"),
        }
    };
    let low = corner(down(south), down(west));
    let high = corner(up(north), up(east));
    format!("{name}:{low}..{high}")
}

/// The term for the points of a group.
fn term_of(name: &str, points: &[Coordinates]) -> String {
    let Some(view) = View::around(points) else {
        return String::new();
    };
    term(
        name,
        view.south,
        view.west,
        view.north,
        turned(view.west + view.width),
    )
}

/// The link to what is around a place.
pub(super) fn around(vertical: &Vertical, attribute: &Attribute, value: &str) -> Option<Href> {
    let point = coordinates::parse(value).ok()?;
    let query = term_of(&attribute.name, &[point]);
    Some(Href::to(&[&vertical.name]).with("q", &query).with("view", "map"))
}

pub(super) fn read(
    reader: &dyn ReadStore,
    vertical: &Vertical,
    attribute: &Attribute,
    query: &Query,
    asked: &Asked,
) -> Result<Vec<Block>, Error> {
    let options = SearchOptions {
        order: SearchOrder {
            by: SortKey::Newest,
            is_reversed: false,
        },
        limit: MAX_OBJECTS,
        ..SearchOptions::default()
    };
    let page = reader.search(&vertical.name, query, &options)?;
    let mut places = Vec::new();
    for (number, hit) in page.hits.iter().enumerate() {
        let points = hit.record.all(&attribute.name).take(MAX_OF_OBJECT);
        places.extend(points.filter_map(|value| Some((number, coordinates::parse(value).ok()?))));
    }
    let is_area = |test: &Test| matches!(test, Test::Inside(field, _) if field.name == attribute.name);
    let is_narrowed = query.terms().iter().any(|term| is_area(&term.test));
    // A query has at most one box: a new one replaces the old.
    let mut rest = query.clone();
    while let Some(at) = rest.terms().iter().position(|term| is_area(&term.test)) {
        rest = rest.without(at);
    }
    let rest = rest.to_string();
    let link = |text: &str| {
        let whole = format!("{rest} {text}");
        let whole = whole.trim();
        let query = Some(whole).filter(|whole| !whole.is_empty());
        asked.but(&[("q", query), ("after", None)])
    };
    let mut blocks = Vec::new();
    if is_narrowed {
        blocks.push(Block::Text(vec![Cell::Choices(vec![Choice {
            href: link(""),
            name: "Show the whole map".to_owned(),
            count: None,
            is_now: false,
        }])]));
    }
    let points: Vec<Coordinates> = places.iter().map(|(_, point)| *point).collect();
    let Some(view) = View::around(&points) else {
        blocks.push(Block::text(match page.hits.is_empty() {
            true => "No object matches, so the map is empty.".to_owned(),
            false => format!(
                "None of the {} has a place: no site gives {} that can be read.",
                counted(page.hits.len() as u64, "object", "objects"),
                attribute.label.to_lowercase()
            ),
        }));
        return Ok(blocks);
    };
    let projection = Projection::new(view);
    let groups = grouped(&places, &projection);
    let svg = draw(&groups, &page.hits, vertical, attribute, &projection, &link);
    let mut list = Table::new(
        "Places, those with most objects first",
        &["Place", "At", "#Objects"],
    );
    for group in groups.iter().take(MAX_LISTED) {
        let (href, name) = target(group, &page.hits, vertical, attribute, &link);
        list.row([
            Cell::link(href, name),
            Cell::Code(group.points[0].to_string()),
            Cell::number(group.objects.len() as u64),
        ]);
    }
    if groups.len() > MAX_LISTED {
        let more = groups.len() - MAX_LISTED;
        list.leaves_out(format!(
            "{} smaller groups are on the map.",
            thousands(more as u64)
        ));
    }
    blocks.push(Block::drawing(&svg, None));
    let without = page
        .hits
        .iter()
        .filter(|hit| hit.record.get(&attribute.name).is_none());
    let without = without.count() as u64;
    if without > 0 {
        let them = counted(without, "object that matches has", "objects that match have");
        blocks.push(Block::text(format!("{them} no place and can’t be drawn.")));
    }
    if page.next.is_some() {
        blocks.push(Block::text(format!(
            "Only the newest {} objects are drawn.",
            thousands(MAX_OBJECTS as u64)
        )));
    }
    blocks.push(Block::Table(list));
    Ok(blocks)
}

/// The address that a group leads to, and its name: that of its object, or of a place that its
/// objects share.
fn target(
    group: &Group,
    hits: &[ObjectRow],
    vertical: &Vertical,
    attribute: &Attribute,
    link: &dyn Fn(&str) -> Href,
) -> (Href, String) {
    if let [one] = group.objects[..] {
        let hit = &hits[one];
        let href = Href::to(&["object", &hit.id.0.to_string()]);
        return (href, short_label(&hit.label, &hit.record, &vertical.attributes));
    }
    let mut names: BTreeMap<&str, usize> = BTreeMap::new();
    let of_kind = |attribute: &&Attribute| attribute.kind == Kind::Place;
    if let Some(place) = vertical.attributes.iter().find(of_kind) {
        for object in &group.objects {
            if let Some(name) = hits[*object].record.get(&place.name) {
                *names.entry(name).or_default() += 1;
            }
        }
    }
    let most = names
        .iter()
        .max_by_key(|(_, count)| **count)
        .map(|(name, _)| *name);
    let name = match (most, names.len()) {
        (Some(name), 1) => name.to_owned(),
        (Some(name), _) => format!("{name} and nearby"),
        (None, _) => format!("around {}", group.points[0]),
    };
    (link(&term_of(&attribute.name, &group.points)), name)
}

fn draw(
    groups: &[Group],
    hits: &[ObjectRow],
    vertical: &Vertical,
    attribute: &Attribute,
    projection: &Projection,
    link: &dyn Fn(&str) -> Href,
) -> String {
    let (width, height) = projection.size;
    let mut svg = format!(
        "<svg class=\"map\" viewBox=\"0 0 {width:.0} {:.0}\" role=\"group\" aria-label=\"Map of the objects\">\
         <rect class=\"map-frame\" x=\".5\" y=\".5\" width=\"{:.0}\" height=\"{:.0}\"/>",
        height + STRIP,
        width - 1.0,
        height - 1.0
    );
    graticule(projection, &mut svg);
    for group in groups {
        let (x, y) = group.centre();
        let count = group.objects.len();
        let radius = group.radius();
        let (x, y) = (x.clamp(radius, width - radius), y.clamp(radius, height - radius));
        let (href, name) = target(group, hits, vertical, attribute, link);
        let label = match count {
            1 => name,
            count => format!("{name}: {}", counted(count as u64, "object", "objects")),
        };
        let (mut address, mut text) = (String::new(), String::new());
        escape(&href.address, &mut address);
        escape(&label, &mut text);
        let _ = write!(
            svg,
            "<a href=\"{address}\" aria-label=\"{text}\"><title>{text}</title>\
             <circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius:.1}\"/>"
        );
        if count > 1 {
            let _ = write!(svg, "<text x=\"{x:.1}\" y=\"{:.1}\">{count}</text>", y + 4.0);
        }
        svg.push_str("</a>");
    }
    scale(projection, &mut svg);
    svg.push_str("</svg>");
    svg
}

/// Draws lines of latitude and longitude with their degrees.
fn graticule(projection: &Projection, svg: &mut String) {
    let (view, (width, height)) = (projection.view, projection.size);
    let span = view.width.max(view.north - view.south);
    let step = STEPS.iter().find(|step| span / **step <= MAX_LINES);
    let step = step.copied().unwrap_or(60.0);
    let digits = if step < 0.01 {
        3
    } else if step < 0.1 {
        2
    } else {
        usize::from(step < 1.0)
    };
    let named = |degrees: f64, (positive, negative): (char, char)| {
        let letter = if degrees < 0.0 { negative } else { positive };
        format!("{:.digits$}° {letter}", degrees.abs())
    };
    let mut line = (view.south / step).ceil() * step;
    while line < view.north {
        let y = (view.north - line) * projection.unit.1;
        let text = named(line, ('N', 'S'));
        let _ = write!(
            svg,
            "<path class=\"map-line\" d=\"M0 {y:.1}H{width:.0}\"/><text class=\"map-text\" x=\"6\" y=\"{:.1}\">{text}</text>",
            y - 4.0
        );
        line += step;
    }
    let mut line = (view.west / step).ceil() * step;
    while line < view.west + view.width {
        let x = (line - view.west) * projection.unit.0;
        let text = named(turned(line), ('E', 'W'));
        let _ = write!(
            svg,
            "<path class=\"map-line\" d=\"M{x:.1} 0V{height:.0}\"/><text class=\"map-text\" x=\"{:.1}\" y=\"{:.1}\">{text}</text>",
            x + 4.0,
            height - 6.0
        );
        line += step;
    }
}

/// Draws a bar of a round length, as long as it is in the middle of the map.
fn scale(projection: &Projection, svg: &mut String) {
    let (width, height) = projection.size;
    let most = width * MAX_SCALE / projection.unit.1 * METRES;
    let power = 10_f64.powf(most.log10().floor());
    let metres = [5.0, 2.0, 1.0]
        .into_iter()
        .map(|part| part * power)
        .find(|metres| *metres <= most)
        .unwrap_or(power);
    let length = metres / METRES * projection.unit.1;
    let text = match metres >= 1_000.0 {
        true => format!("{} km", thousands((metres / 1_000.0) as u64)),
        false => format!("{metres:.0} m"),
    };
    let (x, y) = (width - 14.0 - length, height + STRIP - 4.0);
    let _ = write!(
        svg,
        "<path class=\"map-bar\" d=\"M{x:.1} {:.1}v6h{length:.1}v-6\"/>\
         <text class=\"map-text\" x=\"{x:.1}\" y=\"{:.1}\">{text}</text>",
        y - 6.0,
        y - 10.0
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(latitude: f64, longitude: f64) -> Coordinates {
        Coordinates::new(latitude, longitude).unwrap()
    }

    #[test]
    fn views_are_the_smallest_and_pass_the_180th_meridian() {
        let view = View::around(&[point(10.0, 179.0), point(12.0, -179.0)]).unwrap();
        assert!(view.width < 3.0 && view.west > 178.0, "{view:?}");
        let east = |longitude| view.east_of_west(longitude);
        assert!(east(179.0) < east(-179.0));
        let one = View::around(&[point(52.5, 13.4)]).unwrap();
        assert!((one.width - MIN_SPAN * 1.16).abs() < 1e-9, "{one:?}");
        assert_eq!(View::around(&[]), None);
    }

    #[test]
    fn hostile_places_stay_within_the_drawing() {
        let corners = [
            point(90.0, 180.0),
            point(-90.0, -180.0),
            point(90.0, -180.0),
            point(89.999, 0.001),
            point(-89.999, 90.0),
            point(0.000_001, -0.000_001),
        ];
        for count in 1..=corners.len() {
            let points = &corners[..count];
            let projection = Projection::new(View::around(points).unwrap());
            let (width, height) = projection.size;
            assert!(width > 0.0 && width < 2_000.0, "{count}: {width}");
            assert!(height > 0.0 && height < 2_000.0, "{count}: {height}");
            for point in points {
                let (x, y) = projection.at(*point);
                assert!(
                    (0.0..=width).contains(&x) && (0.0..=height).contains(&y),
                    "{point}"
                );
            }
            let mut svg = String::new();
            graticule(&projection, &mut svg);
            scale(&projection, &mut svg);
            assert!(
                svg.len() < 8_000 && !svg.contains("NaN") && !svg.contains("inf"),
                "{svg}"
            );
        }
    }

    /// Groups of objects at some places, one each.
    fn groups_of(points: &[Coordinates]) -> (Vec<Group>, Projection) {
        let projection = Projection::new(View::around(points).unwrap());
        let places: Vec<_> = points.iter().copied().enumerate().collect();
        (grouped(&places, &projection), projection)
    }

    #[test]
    fn groups_have_each_object_once_and_do_not_overlap() {
        for count in [1_usize, 2, 20, 500] {
            // A sequence that fills the square evenly, and is the same at each run.
            let part = |step: f64, number: usize| (number as f64 * step).fract();
            let points: Vec<Coordinates> = (0..count)
                .map(|number| {
                    point(
                        48.0 + 2.0 * part(0.618_034, number),
                        9.0 + part(0.414_214, number),
                    )
                })
                .collect();
            let (groups, projection) = groups_of(&points);
            let total: usize = groups.iter().map(|group| group.objects.len()).sum();
            assert_eq!(total, count);
            for (at, one) in groups.iter().enumerate() {
                for other in &groups[at + 1..] {
                    let ((x, y), (to_x, to_y)) = (one.centre(), other.centre());
                    let distance = (x - to_x).hypot(y - to_y);
                    assert!(distance >= one.radius() + other.radius(), "{count}: {distance}");
                }
                let (x, y) = one.centre();
                let (width, height) = projection.size;
                assert!((0.0..=width).contains(&x) && (0.0..=height).contains(&y));
            }
            assert!(count < 500 || groups.len() > 10, "{} groups", groups.len());
        }
        // One object with many places is one object in each group.
        let places: Vec<_> = (0..40)
            .map(|number| (0, point(48.0 + f64::from(number) * 1e-4, 9.0)))
            .collect();
        let points: Vec<_> = places.iter().map(|(_, point)| *point).collect();
        let projection = Projection::new(View::around(&points).unwrap());
        assert!(
            grouped(&places, &projection)
                .iter()
                .all(|group| group.objects == [0])
        );
    }

    #[test]
    fn the_scale_lies_below_the_map() {
        for points in [
            vec![point(52.5, 13.4)],
            vec![point(52.5, 13.4), point(48.1, 11.6)],
            vec![point(-80.0, -170.0), point(80.0, 170.0)],
        ] {
            let (_, projection) = groups_of(&points);
            let mut svg = String::new();
            scale(&projection, &mut svg);
            let height = projection.size.1;
            let (_, bar) = svg.split_once("d=\"M").unwrap();
            let numbers = bar.split([' ', 'v']).nth(1).unwrap();
            let top: f64 = numbers.parse().unwrap();
            assert!(top > height && top < height + STRIP, "{top} of {height}: {svg}");
            let (_, text) = svg.split_once(" y=\"").unwrap();
            let line: f64 = text.split('"').next().unwrap().parse().unwrap();
            assert!(
                line - 11.0 > height,
                "the text is below as well: {line} of {height}"
            );
        }
    }

    #[test]
    fn the_term_of_a_group_has_all_its_points() {
        for points in [
            vec![point(52.52, 13.405), point(52.5, 13.39)],
            vec![point(10.0, 179.999), point(10.1, -179.99)],
            vec![point(90.0, 180.0)],
            vec![point(-33.9, 18.4)],
        ] {
            let text = term_of("at", &points);
            let (_, value) = text.split_once(':').unwrap();
            let (low, high) = value.split_once("..").unwrap();
            let (low, high) = (
                coordinates::parse(low).unwrap(),
                coordinates::parse(high).unwrap(),
            );
            let area = magpie_query::Area {
                south: low.latitude(),
                west: low.longitude(),
                north: high.latitude(),
                east: high.longitude(),
            };
            for point in points {
                assert!(area.has(point), "{text} lacks {point}");
            }
        }
    }
}
