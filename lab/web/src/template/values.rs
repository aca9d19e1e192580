//! Objects and their values, with Microdata or RDFa on sites that use it.

use super::page::Writer;
use super::skin::{Part, RecordLayout};
use crate::content::{Field, Record, Role, is_code};
use crate::facts::{Attribute, Value};
use crate::site::{CodePlace, Syntax};
use crate::spec::Vertical;

/// Structured data of an attribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    Plain(&'static str),
    /// Property and type of an entity with a name.
    Named(&'static str, &'static str),
    Offer,
    Rating,
    Stock,
    None,
}

/// Returns the structured data of an attribute.
pub(super) fn shape(attribute: Attribute) -> Shape {
    match attribute {
        Attribute::Title => Shape::Plain("name"),
        Attribute::Subtitle => Shape::Plain("alternativeHeadline"),
        Attribute::Start => Shape::Plain("startDate"),
        Attribute::End => Shape::Plain("endDate"),
        Attribute::Venue => Shape::Named("location", "Place"),
        Attribute::Price => Shape::Offer,
        Attribute::Organiser => Shape::Named("organizer", "Organization"),
        Attribute::Performers => Shape::Named("performer", "Person"),
        Attribute::Authors => Shape::Named("author", "Person"),
        Attribute::Publisher => Shape::Named("publisher", "Organization"),
        Attribute::Published => Shape::Plain("datePublished"),
        Attribute::Isbn => Shape::Plain("isbn"),
        Attribute::Format => Shape::Plain("bookFormat"),
        Attribute::Pages => Shape::Plain("numberOfPages"),
        Attribute::Language => Shape::Plain("inLanguage"),
        Attribute::Rating => Shape::Rating,
        Attribute::Brand => Shape::Named("brand", "Brand"),
        Attribute::Model => Shape::Plain("model"),
        Attribute::Gtin => Shape::Plain("gtin13"),
        Attribute::Mpn => Shape::Plain("mpn"),
        Attribute::Sku => Shape::Plain("sku"),
        Attribute::Availability => Shape::Stock,
        Attribute::Address | Attribute::Status | Attribute::Specifications => Shape::None,
    }
}

/// Returns the schema.org type of a vertical's objects.
pub(super) fn schema_type(vertical: Vertical) -> &'static str {
    match vertical {
        Vertical::Events => "Event",
        Vertical::Books => "Book",
        Vertical::Products => "Product",
    }
}

impl Writer<'_> {
    /// Returns true if a record has markup in the text.
    fn is_marked(&self, record: &Record) -> bool {
        let syntax = self.scene.site.habits.syntax;
        let lists = self.scene.key("marks lists", 0).per_mille(500);
        matches!(syntax, Syntax::Microdata | Syntax::Rdfa)
            && (record.role == Role::Main || (record.role == Role::Listed && lists))
            && self.skin.list != super::skin::ListLayout::Definitions
    }

    /// Opens an element that contains a whole object.
    pub(super) fn open_scope(&mut self, tag: &str, part: Part, record: &Record) {
        self.open_part(tag, part);
        if self.is_marked(record) {
            self.scope(schema_type(self.scene.web.spec().vertical));
        }
        self.out.push('>');
    }

    fn scope(&mut self, name: &str) {
        if self.scene.site.habits.syntax == Syntax::Rdfa {
            self.attribute("vocab", "http://schema.org/");
            self.attribute("typeof", name);
        } else {
            self.out.push_str(" itemscope");
            self.attribute("itemtype", &format!("http://schema.org/{name}"));
        }
    }

    fn property(&mut self, name: &str) {
        let attribute = if self.scene.site.habits.syntax == Syntax::Rdfa {
            "property"
        } else {
            "itemprop"
        };
        self.attribute(attribute, name);
    }

    /// Writes the object that the page is about.
    pub(super) fn record(&mut self, record: &Record) {
        self.open_scope("div", Part::Record, record);
        self.open(self.skin.heading, Part::Heading);
        if let Some(title) = record.field(Attribute::Title) {
            self.value(title, record);
        }
        self.close(self.skin.heading);
        if self.skin.has_pictures {
            self.open_part("img", Part::Picture);
            let file = format!(
                "/{:x}.jpg",
                self.scene.key("picture", u64::from(record.object)).bits()
            );
            self.attribute("src", &file);
            self.attribute("alt", "");
            self.out.push('>');
        }
        self.line();
        let (outer, _, _) = tags(self.skin.record);
        if !outer.is_empty() {
            self.open(outer, Part::Wrapper);
        }
        let boxed = self.has_code_boxes();
        for field in record
            .fields
            .iter()
            .filter(|field| field.attribute != Attribute::Title && !(boxed && is_boxed(field)))
        {
            self.labelled(field, record);
            self.line();
        }
        if !outer.is_empty() {
            self.close(outer);
        }
        if self.has_price_box(record) {
            self.price_box(record);
        }
        self.close("div");
    }

    /// Returns true if prices and codes are in an element of their own.
    pub(super) fn has_code_boxes(&self) -> bool {
        self.scene.site.decoys.codes.is_some()
    }

    /// Returns true if a record has an element for its price: with codes in it, or with a text in
    /// place of the price.
    pub(super) fn has_price_box(&self, record: &Record) -> bool {
        record.role != Role::Mention
            && (self.has_code_boxes() || self.scene.price_substitute(record.object).is_some())
    }

    /// Writes the price, or the text in place of it, with the codes of an object.
    pub(super) fn price_box(&mut self, record: &Record) {
        self.raw("<div class=\"price-wrapper\">");
        let place = self.scene.site.decoys.codes;
        if matches!(place, Some(CodePlace::Before | CodePlace::Bare)) {
            self.codes(record, place == Some(CodePlace::Bare));
        }
        if let Some(price) = record.field(Attribute::Price) {
            self.raw("<span class=\"price\">");
            self.value(price, record);
            self.raw("</span>");
        } else if let Some(text) = self.scene.price_substitute(record.object) {
            self.raw("<span class=\"price\">");
            self.text(&text);
            self.raw("</span>");
        }
        if place == Some(CodePlace::After) {
            self.codes(record, false);
        }
        self.raw("</div>");
    }

    fn codes(&mut self, record: &Record, is_bare: bool) {
        for field in record.fields.iter().filter(|field| is_code(field.attribute)) {
            let name = match field.attribute {
                Attribute::Gtin => "ean",
                Attribute::Isbn => "isbn",
                Attribute::Mpn => "mpn",
                _ => "sku",
            };
            if !is_bare {
                self.raw(&format!("<span class=\"sku_wrapper {name}_wrapper\">"));
                self.text(&format!("{}: ", self.scene.design.writing.label(field.attribute)));
            }
            self.raw(&format!("<span class=\"{name}\">"));
            self.value(field, record);
            self.raw("</span>");
            if !is_bare {
                self.raw("</span>");
            }
        }
    }

    fn labelled(&mut self, field: &Field, record: &Record) {
        let (_, row, cells) = tags(self.skin.record);
        if !row.is_empty() {
            self.open(row, Part::Field);
        }
        if let Some((label, value)) = cells {
            self.open(label, Part::Label);
            self.text(self.scene.design.writing.label(field.attribute));
            self.text(self.scene.design.writing.after_label);
            self.close(label);
            self.out.push(' ');
            if !value.is_empty() {
                self.open(value, Part::Value);
            }
            self.value(field, record);
            if !value.is_empty() {
                self.close(value);
            }
        } else {
            self.value(field, record);
        }
        if !row.is_empty() {
            self.close(row);
        }
    }

    pub(super) fn value(&mut self, field: &Field, record: &Record) {
        if !self.is_marked(record) {
            return self.plain_value(field);
        }
        match shape(field.attribute) {
            Shape::Plain(name) => self.plain_property(name, field),
            Shape::Named(name, kind) => self.named_property(name, kind, field),
            Shape::Offer => self.offer(field),
            Shape::Rating => self.rating(field),
            Shape::Stock | Shape::None => self.plain_value(field),
        }
    }

    fn plain_value(&mut self, field: &Field) {
        if let Value::Moment(..) = field.value
            && self.skin.has_times
        {
            self.out.push_str("<time");
            let moment = field.value.normal().concat();
            self.attribute("datetime", &moment);
            self.out.push('>');
            self.text(&field.text);
            self.out.push_str("</time>");
            return;
        }
        self.text(&field.text);
    }

    fn plain_property(&mut self, name: &str, field: &Field) {
        let is_moment = matches!(field.value, Value::Moment(..));
        let tag = if is_moment && self.scene.site.habits.syntax == Syntax::Microdata {
            "time"
        } else {
            "span"
        };
        self.out.push('<');
        self.out.push_str(tag);
        self.property(name);
        if is_moment || matches!(field.value, Value::Language(_)) {
            let normal = field.value.normal().concat();
            self.attribute(if tag == "time" { "datetime" } else { "content" }, &normal);
        }
        self.out.push('>');
        self.text(&field.text);
        self.close(tag);
    }

    fn named_property(&mut self, name: &str, kind: &str, field: &Field) {
        let separator = if matches!(field.value, Value::People(_)) {
            self.scene.design.writing.people
        } else {
            "\u{0}"
        };
        for (index, one) in field.text.split(separator).enumerate() {
            if index > 0 {
                self.text(separator);
            }
            self.out.push_str("<span");
            self.property(name);
            self.scope(kind);
            self.out.push_str("><span");
            self.property("name");
            self.out.push('>');
            self.text(one);
            self.out.push_str("</span></span>");
        }
    }

    fn offer(&mut self, field: &Field) {
        let Value::Money(cents, currency) = field.value else {
            return self.plain_value(field);
        };
        self.out.push_str("<span");
        self.property("offers");
        self.scope("Offer");
        self.out.push_str("><span");
        self.property("price");
        self.attribute("content", &format!("{}.{:02}", cents / 100, cents % 100));
        self.out.push('>');
        self.text(&field.text);
        self.out.push_str("</span><meta");
        self.property("priceCurrency");
        self.attribute("content", currency);
        self.out.push_str("></span>");
    }

    fn rating(&mut self, field: &Field) {
        let Value::Rating(tenths, votes) = field.value else {
            return self.plain_value(field);
        };
        self.out.push_str("<span");
        self.property("aggregateRating");
        self.scope("AggregateRating");
        self.out.push_str("><span");
        self.property("ratingValue");
        self.attribute("content", &format!("{}.{}", tenths / 10, tenths % 10));
        self.out.push('>');
        self.text(&field.text);
        self.out.push_str("</span>");
        for (name, number) in [("bestRating", 5), ("ratingCount", votes)] {
            self.out.push_str("<meta");
            self.property(name);
            self.attribute("content", &number.to_string());
            self.out.push('>');
        }
        self.out.push_str("</span>");
    }
}

/// Returns true if a value is in the element of the price, on sites with such elements.
pub(super) fn is_boxed(field: &Field) -> bool {
    field.attribute == Attribute::Price || is_code(field.attribute)
}

/// Elements of all fields, of one field, and of its label and its value.
type Tags = (&'static str, &'static str, Option<(&'static str, &'static str)>);

fn tags(layout: RecordLayout) -> Tags {
    match layout {
        RecordLayout::Definitions => ("dl", "", Some(("dt", "dd"))),
        RecordLayout::Table => ("table", "tr", Some(("th", "td"))),
        RecordLayout::Bullets => ("ul", "li", Some(("span", "span"))),
        RecordLayout::Divs => ("", "div", Some(("div", "div"))),
        RecordLayout::Paragraphs => ("", "p", Some(("b", ""))),
        RecordLayout::Bare => ("", "div", None),
    }
}
