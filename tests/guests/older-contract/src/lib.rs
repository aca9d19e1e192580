//! Was built for the first version of the contract, which the folder `wit` keeps as it was, and
//! calls every function of its page.

wit_bindgen::generate!({
    path: "wit",
    world: "extractor",
});

use exports::magpie::vertical::description::{Attribute, Guest as Description, Routing, VerticalInfo};
use exports::magpie::vertical::extraction::Guest as Extraction;
use magpie::vertical::host::{self, Level};
use magpie::vertical::objects::{Error, Field, Object, Value};
use magpie::vertical::pages::{Column, Page};

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
            name: "older-contract".into(),
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

impl Extraction for It {
    fn extract(page: &Page) -> Result<Vec<Object>, Error> {
        let root = page.root();
        let node = page.select(root, "p")?[0];
        let column = Column {
            css: String::new(),
            take: "text".into(),
        };
        let rows = page.table(root, "p", &[column])?;
        let texts = [
            page.url(),
            page.content_type(),
            page.text_of(node),
            page.own_text(node),
            page.tag(node),
            page.html_of(node),
            page.attribute(node, "class").unwrap_or_default(),
            page.header("content-type").unwrap_or_default(),
            page.language().unwrap_or_default(),
            page.title().unwrap_or_default(),
            page.resolve("x").unwrap_or_default(),
            rows[0].cells[0]
                .as_ref()
                .map(|cell| cell.text.clone())
                .unwrap_or_default(),
            page.having_columns("class").values,
            host::get_option("none").unwrap_or_default(),
        ];
        let numbers = [
            usize::from(page.status()),
            page.fetched_at().unsigned_abs() as usize,
            page.text().len(),
            page.body().len(),
            page.structured_data().len(),
            usize::from(page.matches(node, "p")?),
            page.attributes(node).len(),
            page.having("class").len(),
            page.parent(node).map_or(0, |parent| page.children(parent).len()),
            page.outline().parents.len(),
        ];
        host::log(Level::Info, "all functions were called");
        let title = Field {
            path: "title".into(),
            value: Value::Text(format!("{} {numbers:?}", texts.join("|"))),
            node: Some(node),
        };
        Ok(vec![Object {
            schema_type: String::new(),
            confidence: 1.0,
            fields: vec![title],
        }])
    }
}

export!(It);
