//! Compares objects of `ordinary` and finds none itself: the second component of a vertical, by
//! another author. It declares only the attribute that it reads.

wit_bindgen::generate!({
    path: "../../../wit",
    world: "clusterer",
});

use exports::magpie::vertical::clustering::{
    Choice, Error, Guest as Clustering, Key, Merged, Object, Prepared, Verdict,
};
use exports::magpie::vertical::description::{Attribute, Guest as Description, Routing, VerticalInfo};
use magpie::vertical::objects::Value;

struct It;

impl Description for It {
    fn describe() -> VerticalInfo {
        VerticalInfo {
            name: "ordinary".to_string(),
            version: "0.9.0".to_string(),
            summary: "Clusters what another component finds".to_string(),
            object_type: "Thing".to_string(),
            attributes: vec![Attribute {
                name: "title".to_string(),
                kind: "text".to_string(),
                label: "title".to_string(),
                required: true,
                repeated: false,
                identifies: true,
                query: true,
                expires: false,
                weight: 1.0,
                extra: Vec::new(),
            }],
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

impl Clustering for It {
    fn prepare(objects: Vec<Object>) -> Result<Vec<Prepared>, Error> {
        let prepared = |object: &Object| Prepared {
            features: title(object).into_bytes(),
            keys: vec![Key {
                scheme: "title".to_string(),
                value: title(object),
            }],
        };
        Ok(objects.iter().map(prepared).collect())
    }

    fn compare(one: Vec<u8>, many: Vec<Vec<u8>>) -> Result<Vec<Verdict>, Error> {
        let verdict = |other: &Vec<u8>| Verdict {
            probability: if *other == one { 1.0 } else { 0.0 },
            reasons: vec!["titles by the second component".to_string()],
        };
        Ok(many.iter().map(verdict).collect())
    }

    fn merge(objects: Vec<Object>) -> Result<Merged, Error> {
        Ok(Merged {
            label: format!("{}, as clustered", title(&objects[0])),
            keep: vec![Choice {
                path: "title".to_string(),
                source: 0,
            }],
        })
    }
}

fn title(object: &Object) -> String {
    let mut fields = object.fields.iter().filter(|field| field.path == "title");
    match fields.next().map(|field| &field.value) {
        Some(Value::Text(title)) => title.clone(),
        _ => String::new(),
    }
}

export!(It);
