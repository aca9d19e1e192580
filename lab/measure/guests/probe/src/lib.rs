//! Two functions that measure the cost of a call. The description is needed because a component
//! without a contract is not built.

wit_bindgen::generate!({
    inline: r#"
package magpie:probe;

world probe {
    export magpie:vertical/description@0.1.3;
    export nothing: func();
    export take: func(text: string) -> u32;
}
"#,
    path: "../../../../wit",
    world: "magpie:probe/probe",
});

use exports::magpie::vertical::description::{Guest as Description, Routing, VerticalInfo};

struct Probe;

impl Guest for Probe {
    fn nothing() {}

    fn take(text: String) -> u32 {
        text.len() as u32
    }
}

impl Description for Probe {
    fn describe() -> VerticalInfo {
        VerticalInfo {
            name: "probe".to_string(),
            version: "1.0.0".to_string(),
            summary: "A guest of the benchmarks".to_string(),
            object_type: "Thing".to_string(),
            attributes: Vec::new(),
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

export!(Probe);
