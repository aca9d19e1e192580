//! Describes itself with a million attributes.

use guest_support::{Attribute, Description, Error, Extraction, Object, Page, VerticalInfo};

const ATTRIBUTES: usize = 1_000_000;

struct It;

impl Description for It {
    fn describe() -> VerticalInfo {
        let mut info = guest_support::info("million-attributes");
        let like = &info.attributes[1];
        let attribute = |number: usize| Attribute {
            name: format!("day-{number}"),
            label: String::new(),
            kind: like.kind.clone(),
            extra: Vec::new(),
            ..*like
        };
        info.attributes = (0..ATTRIBUTES).map(attribute).collect();
        info
    }
}

impl Extraction for It {
    fn extract(page: &Page) -> Result<Vec<Object>, Error> {
        Ok(guest_support::ordinary(page))
    }
}

guest_support::export!(It);
