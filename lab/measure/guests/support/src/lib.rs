//! Shared parts of the benchmarks' guests: bindings, a description, and a macro that makes an
//! extractor whose answer does not depend on the page.

wit_bindgen::generate!({
    path: "../../../../wit",
    world: "extractor",
    pub_export_macro: true,
    default_bindings_module: "bench_support",
});

pub use exports::magpie::vertical::description::{Attribute, Guest as Description, Routing, VerticalInfo};
pub use exports::magpie::vertical::extraction::Guest as Extraction;
pub use magpie::vertical::objects::{Error, Field, Object, Value};
pub use magpie::vertical::pages::Page;

/// Fields of an object of these guests: six texts, as a card of a listing has.
const FIELDS: [(&str, &str); 6] = [
    ("name", "Evening of Chamber Music"),
    ("start", "2026-05-03T19:30:00+02:00"),
    ("venue", "Old Corn Exchange"),
    ("address", "14 Market Street, Newbridge"),
    ("price", "EUR 12.50"),
    ("url", "https://example.org/events/evening-of-chamber-music"),
];

/// A description with the attributes of [`object`].
pub fn info(name: &str) -> VerticalInfo {
    let attribute = |(name, _): (&str, &str)| Attribute {
        name: name.to_string(),
        kind: "text".to_string(),
        label: name.to_string(),
        required: false,
        repeated: false,
        identifies: false,
        query: false,
        expires: false,
        weight: 1.0,
        extra: Vec::new(),
    };
    VerticalInfo {
        name: name.to_string(),
        version: "1.0.0".to_string(),
        summary: "A guest of the benchmarks".to_string(),
        object_type: "Thing".to_string(),
        attributes: FIELDS.map(attribute).into(),
        options: Vec::new(),
        routing: Routing {
            content_types: Vec::new(),
            schema_types: Vec::new(),
            path_hints: Vec::new(),
            only_hinted: false,
        },
        extra: Vec::new(),
    }
}

/// The one object these guests know.
pub fn object() -> Object {
    let field = |(path, value): (&str, &str)| Field {
        path: path.to_string(),
        value: Value::Text(value.to_string()),
        node: Some(7),
    };
    Object {
        schema_type: String::new(),
        confidence: 1.0,
        fields: FIELDS.map(field).into(),
    }
}

/// Makes an extractor that answers with a fixed number of objects for every page.
#[macro_export]
macro_rules! constant {
    ($name:literal, $count:literal) => {
        struct Constant;
        impl $crate::Description for Constant {
            fn describe() -> $crate::VerticalInfo {
                $crate::info($name)
            }
        }
        impl $crate::Extraction for Constant {
            fn extract(_: &$crate::Page) -> Result<Vec<$crate::Object>, $crate::Error> {
                Ok((0..$count).map(|_| $crate::object()).collect())
            }
        }
        $crate::export!(Constant);
    };
}
