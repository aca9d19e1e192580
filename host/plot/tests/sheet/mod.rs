//! A chart read back, with the positions of its texts. Widths are estimated independently of the
//! library, after common fonts.

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

/// A chart's size and its texts.
#[derive(Debug, Default)]
pub(crate) struct Sheet {
    pub(crate) size: (f64, f64),
    pub(crate) texts: Vec<Text>,
}

/// A text: the corners of its box, after it was turned.
#[derive(Clone, Debug)]
pub(crate) struct Text {
    pub(crate) content: String,
    corners: [(f64, f64); 4],
}

/// A turn around a place, in degrees.
#[derive(Clone, Copy, Debug, Default)]
struct Turn {
    at: (f64, f64),
    degrees: f64,
}

impl Sheet {
    /// Reads a chart; panics where it is not well-formed.
    pub(crate) fn read(svg: &str) -> Self {
        let mut sheet = Self::default();
        let mut reader = Reader::from_str(svg);
        let (mut open, mut turn): (Vec<String>, Turn) = (Vec::new(), Turn::default());
        let mut written: Option<(Vec<(String, String)>, String)> = None;
        loop {
            match reader.read_event().expect("well-formed") {
                Event::Start(start) => {
                    let name = String::from_utf8(start.name().as_ref().to_vec()).expect("a name");
                    let attributes = attributes(&start);
                    match name.as_str() {
                        "svg" => sheet.size = size(&attributes),
                        "g" => turn = turned(&attributes),
                        "text" => written = Some((attributes, String::new())),
                        _ => {}
                    }
                    open.push(name);
                }
                Event::End(_) => {
                    let name = open.pop().expect("an open element");
                    match (name.as_str(), &written) {
                        ("text", Some((attributes, content))) => {
                            sheet.texts.extend(placed(attributes, content, turn));
                            written = None;
                        }
                        ("g", _) => turn = Turn::default(),
                        _ => {}
                    }
                }
                Event::Empty(element) => drop(attributes(&element)),
                Event::Text(text) if open.last().is_some_and(|name| name == "text") => {
                    let text = String::from_utf8(text.into_inner().into_owned()).expect("text");
                    let (_, content) = written.as_mut().expect("an open text");
                    content.push_str(&text);
                }
                Event::GeneralRef(_) if open.last().is_some_and(|name| name == "text") => {
                    written.as_mut().expect("an open text").1.push('&');
                }
                Event::Eof => break,
                _ => {}
            }
        }
        assert!(open.is_empty());
        sheet
    }
}

impl Text {
    /// Returns true if it is completely on the sheet.
    pub(crate) fn is_within(&self, (width, height): (f64, f64)) -> bool {
        let is_inside = |(x, y): &(f64, f64)| *x >= 0.0 && *x <= width && *y >= 0.0 && *y <= height;
        self.corners.iter().all(is_inside)
    }

    /// Returns true if it overlaps another: no line along a side of either separates them.
    pub(crate) fn touches(&self, other: &Self) -> bool {
        let sides = |corners: &[(f64, f64); 4]| {
            [(corners[0], corners[1]), (corners[1], corners[2])]
                .map(|(one, two)| (two.0 - one.0, two.1 - one.1))
        };
        let axes = sides(&self.corners).into_iter().chain(sides(&other.corners));
        for (x, y) in axes {
            let reach = |corners: &[(f64, f64); 4]| {
                let along = corners.map(|corner| corner.0 * x + corner.1 * y);
                (
                    along.iter().copied().fold(f64::MAX, f64::min),
                    along.iter().copied().fold(f64::MIN, f64::max),
                )
            };
            let ((low, high), (other_low, other_high)) = (reach(&self.corners), reach(&other.corners));
            if high <= other_low || other_high <= low {
                return false;
            }
        }
        true
    }
}

fn attributes(element: &BytesStart<'_>) -> Vec<(String, String)> {
    let read = |attribute: Result<quick_xml::events::attributes::Attribute<'_>, _>| {
        let attribute = attribute.expect("an attribute");
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).expect("text");
        (text(attribute.key.as_ref()), text(&attribute.value))
    };
    element.attributes().map(read).collect()
}

fn value<'a>(attributes: &'a [(String, String)], name: &str) -> Option<&'a str> {
    attributes
        .iter()
        .find(|(key, _)| key == name)
        .map(|(_, value)| value.as_str())
}

fn number(attributes: &[(String, String)], name: &str) -> Option<f64> {
    value(attributes, name).map(|value| value.parse().expect("a number"))
}

fn size(attributes: &[(String, String)]) -> (f64, f64) {
    (
        number(attributes, "width").expect("a width"),
        number(attributes, "height").expect("a height"),
    )
}

/// The turn of a group: `translate(x y) rotate(degrees)`, or none.
fn turned(attributes: &[(String, String)]) -> Turn {
    let Some(transform) = value(attributes, "transform") else {
        return Turn::default();
    };
    let numbers: Vec<f64> = transform
        .split(|letter: char| !(letter.is_ascii_digit() || letter == '.' || letter == '-'))
        .filter_map(|part| part.parse().ok())
        .collect();
    let [x, y, degrees] = numbers[..] else {
        panic!("an unknown transform: {transform}");
    };
    Turn { at: (x, y), degrees }
}

/// The box of a text; none if it is empty.
fn placed(attributes: &[(String, String)], content: &str, turn: Turn) -> Option<Text> {
    let size = number(attributes, "font-size").expect("a size");
    let bold = if value(attributes, "font-weight").is_some() {
        1.06
    } else {
        1.0
    };
    let natural = content.chars().map(letter).sum::<f64>() * size * bold;
    let width = number(attributes, "textLength").unwrap_or(natural);
    let (x, y) = (
        number(attributes, "x").expect("x"),
        number(attributes, "y").expect("y"),
    );
    let left = match value(attributes, "text-anchor") {
        Some("end") => x - width,
        Some("middle") => x - width / 2.0,
        _ => x,
    };
    let (above, below) = (y - size * 0.75, y + size * 0.2);
    let (sine, cosine) = turn.degrees.to_radians().sin_cos();
    let turned = |(x, y): (f64, f64)| {
        (
            turn.at.0 + x * cosine - y * sine,
            turn.at.1 + x * sine + y * cosine,
        )
    };
    let corners = [
        (left, above),
        (left + width, above),
        (left + width, below),
        (left, below),
    ]
    .map(turned);
    (!content.is_empty()).then(|| Text {
        content: content.to_owned(),
        corners,
    })
}

/// The width of a letter in Helvetica and its like, as a share of its size.
fn letter(letter: char) -> f64 {
    match letter {
        'i' | 'j' | 'l' | '.' | ',' | ' ' | '\'' | ':' => 0.28,
        'f' | 't' | 'r' | 'I' | '(' | ')' | '-' => 0.35,
        'm' | 'M' | 'W' | '%' | '…' => 0.95,
        'A'..='Z' | 'w' => 0.72,
        '\0'..='\u{24f}' => 0.56,
        _ => 1.0,
    }
}
