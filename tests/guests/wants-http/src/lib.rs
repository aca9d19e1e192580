//! Tries to fetch pages itself.

wit_bindgen::generate!({
    inline: r#"
package wants-http:guest;

world guest {
    import wasi:http/outgoing-handler@0.2.0;
    import magpie:vertical/pages@0.1.3;
    import magpie:vertical/host@0.1.3;
    export magpie:vertical/description@0.1.3;
    export magpie:vertical/extraction@0.1.3;
}
"#,
    path: ["../../../wit", "../wasi"],
    world: "wants-http:guest/guest",
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
            name: "wants-http".into(),
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

/// Returns a response, if any.
fn found() -> String {
    wasi::http::outgoing_handler::handle("http://127.0.0.1/")
}
