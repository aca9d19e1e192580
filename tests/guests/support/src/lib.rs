//! Code shared by the misbehaving guests: bindings, a description, and a macro that makes a guest
//! from one function.

wit_bindgen::generate!({
    path: "../../../wit",
    world: "extractor",
    pub_export_macro: true,
    default_bindings_module: "guest_support",
});

pub use exports::magpie::vertical::description::{Attribute, Guest as Description, Routing, VerticalInfo};
pub use exports::magpie::vertical::extraction::Guest as Extraction;
pub use magpie::vertical::host::{self, Level};
pub use magpie::vertical::objects::{Error, Field, Object, Value};
pub use magpie::vertical::pages::{self, Page};

/// A description with the attributes title and day.
pub fn info(name: &str) -> VerticalInfo {
    let attribute = |name: &str, kind: &str, required: bool| Attribute {
        name: name.to_string(),
        kind: kind.to_string(),
        label: name.to_string(),
        required,
        repeated: false,
        identifies: required,
        query: required,
        expires: false,
        weight: 1.0,
        extra: Vec::new(),
    };
    VerticalInfo {
        name: name.to_string(),
        version: "1.2.3".to_string(),
        summary: "A guest of the tests".to_string(),
        object_type: "Thing".to_string(),
        attributes: vec![
            attribute("title", "text", true),
            attribute("day", "date-time", false),
        ],
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

/// A field with a text.
pub fn text(path: &str, value: &str) -> Field {
    Field {
        path: path.to_string(),
        value: Value::Text(value.to_string()),
        node: None,
    }
}

pub fn object(fields: Vec<Field>) -> Object {
    Object {
        schema_type: String::new(),
        confidence: 1.0,
        fields,
    }
}

/// An object with only a title.
pub fn titled(title: &str) -> Object {
    object(vec![text("title", title)])
}

/// Objects of an ordinary guest: one with the page's title.
pub fn ordinary(page: &Page) -> Vec<Object> {
    page.title().iter().map(|title| titled(title)).collect()
}

/// Makes a guest from a function of the page to a result. A page with the title `ordinary` is
/// extracted as usual, so that tests can show that other pages are not affected.
#[macro_export]
macro_rules! guest {
    ($name:literal, $extract:expr) => {
        struct It;
        impl $crate::Description for It {
            fn describe() -> $crate::VerticalInfo {
                $crate::info($name)
            }
        }
        impl $crate::Extraction for It {
            fn extract(page: &$crate::Page) -> Result<Vec<$crate::Object>, $crate::Error> {
                if page.title().as_deref() == Some("ordinary") {
                    return Ok($crate::ordinary(page));
                }
                let extract: fn(&$crate::Page) -> Result<Vec<$crate::Object>, $crate::Error> = $extract;
                extract(page)
            }
        }
        $crate::export!(It);
    };
}
