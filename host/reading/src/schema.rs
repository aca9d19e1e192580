//! The schema of a vertical, and values read by it.

use std::fmt;
use std::str::FromStr;

use magpie_model::{Attribute, Field, Kind, Object, PageContext, RecordValue, Value, VerticalInfo, check};
use magpie_values::date::{self, DateContext};
use magpie_values::kind::{Comparison, Shape};
use magpie_values::text;

use crate::tree::Slot;

/// Pieces of a text between commas and line breaks that may be values.
const MAX_PIECES: usize = 5;

/// Longest text that is read as a date, an amount or another short value.
const MAX_SHORT: usize = 100;

/// Length of a date with its day: shorter ones are months and years.
pub(crate) const DAY: usize = "2026-05-03".len();

/// The part of a located place that is the value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Part {
    /// The whole text.
    Whole,
    /// The text without that of child elements.
    Own,
    /// The text behind a label and a colon.
    Behind,
    /// The last moment of a range.
    End,
    /// A piece between commas, bars and line breaks, from 1.
    Piece(u8),
    /// The address of the link or picture.
    Address,
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Whole => f.write_str("whole"),
            Self::Own => f.write_str("own"),
            Self::Behind => f.write_str("behind-label"),
            Self::End => f.write_str("end"),
            Self::Piece(at) => write!(f, "piece-{at}"),
            Self::Address => f.write_str("address"),
        }
    }
}

impl FromStr for Part {
    type Err = String;

    fn from_str(text: &str) -> Result<Part, String> {
        let piece = text.strip_prefix("piece-").and_then(|at| at.parse().ok());
        match (text, piece) {
            ("whole", _) => Ok(Self::Whole),
            ("own", _) => Ok(Self::Own),
            ("behind-label", _) => Ok(Self::Behind),
            ("end", _) => Ok(Self::End),
            ("address", _) => Ok(Self::Address),
            (_, Some(at @ 1..=9)) => Ok(Self::Piece(at)),
            _ => Err(format!(
                "{text:?} is no part of a text; write whole, own, behind-label, end, address, or piece-1 to piece-9"
            )),
        }
    }
}

impl Part {
    /// The part of a slot; none if it has none.
    fn of(self, slot: &Slot) -> Option<&str> {
        match self {
            Self::Whole | Self::End => Some(slot.text.as_str()),
            Self::Own => slot.own.as_deref(),
            Self::Behind => text::split_label(&slot.text).map(|(_, value)| value),
            Self::Piece(at) => pieces(&slot.text).nth(usize::from(at) - 1),
            Self::Address => slot.address.as_deref(),
        }
        .filter(|text| !text.is_empty())
    }
}

fn pieces(text: &str) -> impl Iterator<Item = &str> {
    let parts = text.split([',', '\n', '|', '·', '•', ';']);
    parts.map(str::trim).filter(|piece| !piece.is_empty())
}

/// The attributes of a vertical, each with a schema of its own to read single values by.
#[derive(Clone, Debug)]
pub(crate) struct Schema {
    pub(crate) info: VerticalInfo,
    alone: Vec<VerticalInfo>,
    /// The attribute that objects are called by.
    pub(crate) name: Option<usize>,
    /// The attribute with the address of the object's page.
    pub(crate) url: Option<usize>,
    /// First day of the year that the site prints, for dates without a year.
    year: Option<i32>,
}

impl Schema {
    pub(crate) fn new(info: &VerticalInfo) -> Schema {
        let alone = info.attributes.iter().map(|attribute| VerticalInfo {
            object_type: info.object_type.clone(),
            attributes: vec![attribute.clone()],
            ..VerticalInfo::default()
        });
        let place = |wanted: &dyn Fn(&Attribute) -> bool| info.attributes.iter().position(wanted);
        let is_name =
            |attribute: &Attribute| attribute.kind.comparison().is_of_names() && !attribute.repeated;
        Schema {
            alone: alone.collect(),
            name: place(&|attribute| attribute.identifies && is_name(attribute))
                .or_else(|| place(&|attribute| is_name(attribute))),
            url: place(&|attribute| attribute.kind == Kind::Url && !attribute.repeated),
            year: None,
            info: info.clone(),
        }
    }

    /// Completes dates without a year by that of the site.
    pub(crate) fn set_year(&mut self, year: Option<i32>) {
        self.year = year;
    }

    pub(crate) fn attribute(&self, at: usize) -> &Attribute {
        &self.info.attributes[at]
    }

    pub(crate) fn place(&self, name: &str) -> Option<usize> {
        self.info
            .attributes
            .iter()
            .position(|attribute| attribute.name == name)
    }

    pub(crate) fn kind(&self, at: usize) -> &Kind {
        &self.attribute(at).kind
    }

    /// Returns true if values are addresses of links or pictures.
    pub(crate) fn is_address(&self, at: usize) -> bool {
        self.kind(at).shape() == Shape::Address
    }

    /// Returns true if values are words that stand on the page as they are.
    pub(crate) fn is_words(&self, at: usize) -> bool {
        matches!(self.kind(at).shape(), Shape::Text | Shape::Code)
    }

    /// Returns true if places of an attribute can be learned: its values are short and stand on
    /// the page.
    pub(crate) fn is_located(&self, at: usize) -> bool {
        !matches!(self.kind(at).shape(), Shape::Object | Shape::Point | Shape::Truth)
    }

    /// Returns true if values are words that the host does not read.
    pub(crate) fn is_free_text(&self, at: usize) -> bool {
        matches!(self.kind(at), Kind::Text | Kind::Unknown(_))
    }

    /// The words that a template may call an attribute by: its name, its label, and its property.
    pub(crate) fn words(&self, at: usize) -> Vec<String> {
        let attribute = self.attribute(at);
        let property = attribute.schema_org.as_deref().unwrap_or_default();
        let mut path = property.rsplit('.');
        let property = path.next().filter(|last| *last != "name").or_else(|| path.next());
        let words = [
            Some(attribute.name.as_str()),
            Some(attribute.label.as_str()),
            property,
        ];
        let mut words: Vec<String> = words.into_iter().flatten().map(text::fold).collect();
        words.retain(|word| word.len() > 2);
        words
    }

    /// The parts of a slot that may be a value of an attribute.
    pub(crate) fn parts(&self, at: usize, slot: &Slot) -> Vec<Part> {
        if self.is_address(at) {
            return slot.address.iter().map(|_| Part::Address).collect();
        }
        let mut parts = vec![Part::Whole];
        if slot.own.is_some() {
            parts.push(Part::Own);
        }
        if text::split_label(&slot.text).is_some_and(|(_, value)| !value.is_empty()) {
            parts.push(Part::Behind);
        }
        if self.is_words(at) {
            let count = pieces(&slot.text).take(MAX_PIECES).count();
            parts.extend(
                (count > 1)
                    .then_some(1..=count)
                    .into_iter()
                    .flatten()
                    .map(|at| Part::Piece(at as u8)),
            );
        } else if *self.kind(at) == Kind::DateTime {
            parts.push(Part::End);
        }
        parts
    }

    /// Reads a part of a slot as a value of an attribute.
    pub(crate) fn read(
        &self,
        at: usize,
        slot: &Slot,
        part: Part,
        context: &PageContext,
    ) -> Option<RecordValue> {
        let text = part.of(slot)?;
        if !self.is_words(at) && !self.is_address(at) && text.len() > MAX_SHORT {
            return None;
        }
        let of_site;
        let context = match self.year {
            Some(year) if *self.kind(at) == Kind::DateTime => {
                of_site = PageContext {
                    year: Some(year),
                    ..context.clone()
                };
                &of_site
            }
            _ => context,
        };
        let dates = DateContext {
            today: context.day,
            year: context.year,
            language: context.language.as_deref(),
            ..DateContext::default()
        };
        // Where some objects have a word, as one of their state, others have their day.
        if self.kind(at).shape() == Shape::Text
            && Some(at) != self.name
            && date::read_range(text, &dates).is_ok()
        {
            return None;
        }
        if part == Part::End {
            let (_, end) = date::read_range(text, &dates).ok()?;
            return self.value(at, &end?.to_string(), slot, context);
        }
        if *self.kind(at) == Kind::DateTime && !text::has_figure(text) {
            return None;
        }
        self.value(at, text, slot, context)
    }

    fn value(&self, at: usize, text: &str, slot: &Slot, context: &PageContext) -> Option<RecordValue> {
        let value = self.normal(at, text, context)?;
        Some(RecordValue {
            node: Some(slot.node),
            ..value
        })
    }

    /// A text in the normal form of an attribute, as the host checks it.
    pub(crate) fn normal(&self, at: usize, text: &str, context: &PageContext) -> Option<RecordValue> {
        let object = Object {
            fields: vec![Field {
                path: self.attribute(at).name.clone(),
                value: Value::Text(text.to_owned()),
                node: None,
            }],
            ..Object::default()
        };
        let record = check(&self.alone[at], &object, context).record?;
        record.values.into_iter().next()
    }

    /// Returns true if two values in normal form say the same.
    pub(crate) fn agree(&self, at: usize, one: &str, other: &str) -> bool {
        one == other
            || match self.kind(at).comparison() {
                comparison if comparison.is_of_names() => {
                    let bare = text::bare(one);
                    !bare.is_empty() && bare == text::bare(other)
                }
                // A list may print the day alone.
                Comparison::Time => match (date::parse_iso(one), date::parse_iso(other)) {
                    (Some(one), Some(other)) => one.agrees_with(other),
                    _ => false,
                },
                Comparison::Money => amount(one) == amount(other),
                Comparison::Address => crate::site::address(one) == crate::site::address(other),
                _ => false,
            }
    }
}

/// The amount of a price without its currency.
pub(crate) fn amount(price: &str) -> &str {
    price.split(' ').next().unwrap_or_default()
}
