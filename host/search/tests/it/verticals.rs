//! Verticals.

use magpie_model::{Attribute, Kind, VerticalInfo};

/// Returns an attribute with flags: `r`equired, several values (`*`), part of a `q`uery,
/// `i`dentifying.
pub(crate) fn attribute(name: &str, kind: &str, signs: &str) -> Attribute {
    Attribute {
        required: signs.contains('r'),
        repeated: signs.contains('*'),
        identifies: signs.contains('i'),
        query: signs.contains('q'),
        ..Attribute::new(name, Kind::from(kind.to_owned()))
    }
}

pub(crate) fn vertical(name: &str, object_type: &str, attributes: Vec<Attribute>) -> VerticalInfo {
    VerticalInfo {
        name: name.to_owned(),
        version: "1.0.0".to_owned(),
        summary: name.to_owned(),
        object_type: object_type.to_owned(),
        attributes,
        ..VerticalInfo::default()
    }
}

pub(crate) fn events() -> VerticalInfo {
    let attributes = vec![
        attribute("name", "text", "iq"),
        attribute("start", "date-time", "ri"),
        attribute("end", "date-time", ""),
        attribute("venue", "place", "q"),
        attribute("address", "place", ""),
        attribute("price", "money", ""),
        attribute("organiser", "organisation", ""),
        attribute("performers", "person", "*"),
        attribute("url", "url", ""),
    ];
    vertical("events", "Event", attributes)
}

pub(crate) fn books() -> VerticalInfo {
    let attributes = vec![
        attribute("title", "text", "iqr"),
        attribute("subtitle", "text", ""),
        attribute("authors", "person", "iq*"),
        attribute("publisher", "organisation", ""),
        attribute("published", "date-time", ""),
        attribute("isbn", "identifier:isbn", "i"),
        attribute("format", "text", ""),
        attribute("pages", "number", ""),
        attribute("language", "language", ""),
    ];
    vertical("books", "Book", attributes)
}

pub(crate) fn products() -> VerticalInfo {
    let attributes = vec![
        attribute("name", "text", "iqr"),
        attribute("brand", "organisation", "q"),
        attribute("model", "text", ""),
        attribute("gtin", "identifier:gtin", "i"),
        attribute("mpn", "identifier:mpn", ""),
        attribute("specifications", "properties", ""),
    ];
    vertical("products", "Product", attributes)
}
