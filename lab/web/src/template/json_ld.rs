//! Structured data in JSON-LD.

use super::entities::push_text;
use super::page::Writer;
use super::values::{Shape, schema_type, shape};
use crate::address::{PageVariant, Route};
use crate::content::{Field, Record, Role};
use crate::facts::{Attribute, Value};
use crate::site::Entities;
use crate::spec::{Habit, Vertical};

impl Writer<'_> {
    /// Writes the page's objects as JSON-LD: its main object, on some sites also those of lists.
    pub(super) fn json_ld(&mut self) {
        let lists = self.scene.key("marks lists", 0).per_mille(500);
        let content = self.content;
        let is_said = |record: &&Record| record.role == Role::Main || (lists && record.role == Role::Listed);
        let mut records = content.records.iter().filter(is_said).peekable();
        if records.peek().is_none() {
            return;
        }
        self.out.push_str("<script type=\"application/ld+json\">[");
        let mut is_first = true;
        for record in records {
            if !is_first {
                self.out.push(',');
            }
            is_first = false;
            self.json_record(record);
        }
        self.out.push_str("]</script>");
        self.line();
    }

    fn json_record(&mut self, record: &Record) {
        let name = schema_type(self.scene.web.spec().vertical);
        self.out
            .push_str("{\"@context\":\"https://schema.org\",\"@type\":\"");
        self.out.push_str(name);
        self.out.push('"');
        if self.scene.web.spec().has(Habit::StagingHost) {
            let route = Route::Detail {
                position: record.position,
                variant: PageVariant::Main,
            };
            let url = self.scene.url(&route);
            self.json_key("url");
            push_json(&mut self.out, &url.replacen("://", "://staging-", 1));
        }
        for field in &record.fields {
            self.json_field(field, record);
        }
        // Shops that show a price of 0 for objects on request have it in their structured data,
        // too.
        if self.scene.shows_zero_price(record.object) {
            self.json_key("offers");
            let currency = self.scene.site.currency;
            self.out.push_str(&format!(
                "{{\"@type\":\"Offer\",\"price\":\"0\",\"priceCurrency\":\"{currency}\"}}"
            ));
        }
        // Written by a plugin if no performers are given.
        let has_performers = record
            .fields
            .iter()
            .any(|field| field.attribute == Attribute::Performers);
        let is_event = self.scene.web.spec().vertical == Vertical::Events;
        if self.scene.site.decoys.has_samples && is_event && !has_performers {
            self.json_key("performer");
            self.out.push_str("\"Organization\"");
        }
        self.out.push('}');
    }

    fn json_field(&mut self, field: &Field, record: &Record) {
        match (shape(field.attribute), &field.value) {
            (Shape::Plain(name), value) => {
                self.json_key(name);
                let text = match value {
                    Value::Text(text) => text.clone(),
                    other => other.normal().concat(),
                };
                self.json_text(&text);
            }
            (Shape::Named(name, kind), value) => {
                self.json_key(name);
                self.json_named(kind, &value.normal());
            }
            (Shape::Offer, Value::Money(cents, currency)) => {
                self.json_key("offers");
                let price = format!("{}.{:02}", cents / 100, cents % 100);
                self.out.push_str("{\"@type\":\"Offer\",\"price\":\"");
                self.out.push_str(&price);
                self.out.push_str("\",\"priceCurrency\":\"");
                self.out.push_str(currency);
                self.out.push('"');
                self.json_stock(record);
                self.out.push('}');
            }
            (Shape::Rating, Value::Rating(tenths, votes)) => {
                self.json_key("aggregateRating");
                self.out.push_str(&format!(
                    "{{\"@type\":\"AggregateRating\",\"ratingValue\":\"{}.{}\",\"bestRating\":5,\"ratingCount\":{votes}}}",
                    tenths / 10,
                    tenths % 10
                ));
            }
            _ => {}
        }
    }

    fn json_stock(&mut self, record: &Record) {
        let stock = record.fields.iter().find_map(|field| match field.value {
            Value::Stock(has) => Some(has),
            _ => None,
        });
        if let Some(has) = stock {
            let name = if has { "InStock" } else { "OutOfStock" };
            self.out
                .push_str(&format!(",\"availability\":\"https://schema.org/{name}\""));
        }
    }

    fn json_named(&mut self, kind: &str, names: &[String]) {
        let is_many = names.len() > 1;
        if is_many {
            self.out.push('[');
        }
        for (index, name) in names.iter().enumerate() {
            if index > 0 {
                self.out.push(',');
            }
            self.out.push_str("{\"@type\":\"");
            self.out.push_str(kind);
            self.out.push_str("\",\"name\":");
            self.json_text(name);
            self.out.push('}');
        }
        if is_many {
            self.out.push(']');
        }
    }

    /// Appends a text, with the entities that the site leaves in structured data.
    fn json_text(&mut self, text: &str) {
        if self.scene.site.decoys.entities == Some(Entities::Numeric) {
            let mut encoded = String::new();
            push_text(&mut encoded, text, Some(Entities::Numeric));
            push_json(&mut self.out, &encoded);
        } else {
            push_json(&mut self.out, text);
        }
    }

    fn json_key(&mut self, name: &str) {
        self.out.push_str(",\"");
        self.out.push_str(name);
        self.out.push_str("\":");
    }
}

/// Appends a JSON string that is safe inside a script element.
fn push_json(out: &mut String, text: &str) {
    out.push('"');
    for letter in text.chars() {
        match letter {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '<' => out.push_str("\\u003c"),
            letter if letter < ' ' => out.push_str(&format!("\\u{:04x}", u32::from(letter))),
            letter => out.push(letter),
        }
    }
    out.push('"');
}
