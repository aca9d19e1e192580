//! Sleeps for an hour.

wit_bindgen::generate!({
    inline: r#"
package sleeps:guest;

world guest {
    import wasi:clocks/monotonic-clock@0.2.0;
    import wasi:io/poll@0.2.0;
    import magpie:vertical/pages@0.1.3;
    import magpie:vertical/host@0.1.3;
    export magpie:vertical/description@0.1.3;
    export magpie:vertical/extraction@0.1.3;
}
"#,
    path: ["../../../wit", "../wasi"],
    world: "sleeps:guest/guest",
    generate_all,
});

use exports::magpie::vertical::description::{Attribute, Guest as Description, Routing, VerticalInfo};
use exports::magpie::vertical::extraction::Guest as Extraction;
use magpie::vertical::objects::{Error, Field, Object, Value};
use magpie::vertical::pages::Page;

struct It;

impl Description for It {
    fn describe() -> VerticalInfo {
        let attribute = Attribute {
            name: "title".into(),
            kind: "text".into(),
            label: "Title".into(),
            required: true,
            repeated: false,
            identifies: true,
            query: true,
            expires: false,
            weight: 1.0,
            extra: Vec::new(),
        };
        VerticalInfo {
            name: "sleeps".into(),
            version: "1.2.3".into(),
            summary: "A guest of the tests".into(),
            object_type: "Thing".into(),
            attributes: vec![attribute],
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
}

fn titled(title: String) -> Object {
    let field = Field {
        path: "title".into(),
        value: Value::Text(title),
        node: None,
    };
    Object {
        schema_type: String::new(),
        confidence: 1.0,
        fields: vec![field],
    }
}

impl Extraction for It {
    fn extract(page: &Page) -> Result<Vec<Object>, Error> {
        let _ = page;
        Ok(vec![titled(found())])
    }
}

export!(It);

/// Returns after an hour.
fn found() -> String {
    wasi::clocks::monotonic_clock::subscribe_duration(3_600_000_000_000).block();
    "slept".into()
}
