//! Products.

use super::{ObjectId, Population};
use crate::facts::{Attribute, Fact, Value};
use crate::random::Key;
use crate::words::stock::{HUES, MANNERS, WARES};

/// Norms in names, which look like models.
const NORMS: [&str; 5] = ["KN95", "IP67", "EN 166", "ISO 9001", "USB 3.0"];

impl Population {
    pub(super) fn product_title(&self, object: ObjectId) -> String {
        let key = self.key(object);
        let brand = self.group_name(self.group(object));
        let (manner, ware) = (
            key.of("manner", 0).pick(&MANNERS),
            ware(key, self.category(object)),
        );
        let model = model(key);
        let mut title = match key.of("title", 0).below(4) {
            0 => format!("{brand} {model} {manner} {ware}"),
            1 => format!("{brand} {ware} {model}"),
            2 => format!("{brand} {} {ware}, {}", model, key.of("hue", 0).pick(&HUES)),
            _ => format!("{brand} {manner} {ware} {model}"),
        };
        if self.has_norms {
            title.push(' ');
            title.push_str(NORMS[usize::from(self.category(object)) % NORMS.len()]);
        }
        title
    }

    pub(super) fn product(&self, object: ObjectId) -> Vec<Fact> {
        let key = self.key(object);
        let mut facts = vec![
            Fact::new(Attribute::Title, Value::Text(self.product_title(object))),
            Fact::new(
                Attribute::Brand,
                Value::Text(self.group_name(self.group(object)).to_owned()),
            ),
            Fact::new(Attribute::Model, Value::Text(model(key))),
            Fact::new(Attribute::Gtin, Value::Code(gtin(u64::from(object), self.key))),
        ];
        if key.of("has mpn", 0).per_mille(600) {
            let number = key.of("mpn", 0).below(900_000) + 100_000;
            let letter = (b'A' + (number % 26) as u8) as char;
            facts.push(Fact::new(
                Attribute::Mpn,
                Value::Code(format!("{letter}{number}")),
            ));
        }
        let weight = 100 + 10 * key.of("weight", 0).below(900);
        let rows = vec![
            ("Weight", format!("{weight} g")),
            ("Colour", key.of("hue", 0).pick(&HUES).to_owned()),
            ("Power", format!("{} W", 20 * (1 + key.of("power", 0).below(100)))),
        ];
        facts.push(Fact::new(Attribute::Specifications, Value::Table(rows)));
        facts
    }
}

/// Returns the kind of product; each category has a few kinds.
fn ware(key: Key, category: u8) -> &'static str {
    let kinds = WARES.len() as u64;
    WARES[((u64::from(category) * 3 + key.of("ware", 0).below(3)) % kinds) as usize]
}

fn model(key: Key) -> String {
    let letters = key.of("letters", 0).bits();
    let letter = |shift: u32| (b'A' + ((letters >> shift) % 26) as u8) as char;
    let number = 10 * (10 + key.of("model", 0).below(990));
    match letters % 3 {
        0 => format!("{}{}-{number}", letter(8), letter(16)),
        1 => format!("{}{number}", letter(8)),
        _ => format!("{}{}{number}{}", letter(8), letter(16), letter(24)),
    }
}

/// Returns a valid EAN-13, unique in the web.
fn gtin(object: u64, key: Key) -> String {
    let digits = (object * 387_420_489 + key.of("gtin", 0).below(1_000_000_000)) % 1_000_000_000;
    super::book::with_check_digit(&format!("402{digits:09}"))
}
