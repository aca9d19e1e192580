//! Judges pages by their titles and finds no objects: a component of the world `validator`.

wit_bindgen::generate!({
    path: "../../../wit",
    world: "validator",
});

use exports::magpie::vertical::description::{Guest as Description, Routing, VerticalInfo};
use exports::magpie::vertical::validation::{Error, Guest as Validation, Judgement};
use magpie::vertical::pages::Page;

struct It;

impl Description for It {
    fn describe() -> VerticalInfo {
        VerticalInfo {
            name: "ordinary".to_string(),
            version: "1.2.3".to_string(),
            summary: "Judges pages".to_string(),
            object_type: "Thing".to_string(),
            attributes: Vec::new(),
            options: Vec::new(),
            routing: Routing {
                content_types: Vec::new(),
                schema_types: Vec::new(),
                path_hints: Vec::new(),
                only_hinted: false,
            },
            extra: vec![("a name of a later contract".to_string(), String::new())],
        }
    }
}

impl Validation for It {
    fn judge(page: &Page) -> Result<Judgement, Error> {
        let title = page.title().unwrap_or_default();
        match title.as_str() {
            "trouble" => Err(Error {
                code: "unexpected-page".to_string(),
                message: "this page is trouble".to_string(),
                attribute: None,
                retryable: false,
            }),
            "trap" => panic!("the page is a trap"),
            "more than sure" => Ok(judgement(true, 1.5)),
            "no number" => Ok(judgement(true, f64::NAN)),
            title => Ok(judgement(title.contains("relevant"), 0.75)),
        }
    }
}

fn judgement(accepted: bool, confidence: f64) -> Judgement {
    Judgement {
        accepted,
        confidence,
        reason: "the  title\nsays so".to_string(),
    }
}

export!(It);
