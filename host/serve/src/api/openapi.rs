//! The OpenAPI document, made from the verticals of the workspace.

use magpie_model::{Attribute, Kind};
use magpie_rows::ChangeKind;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

use crate::error::Problem;

use super::views::{
    ChangeLineView, ChangePageView, ObjectDetailView, ObjectPageView, SearchPageView, SitePageView,
};
use super::{MAX_LIMIT, MAX_SITES, ORDERS, USUAL_LIMIT, VerticalSchema};

/// A call of the API, from which the document and the page are made.
pub(super) struct Call {
    pub(super) path: &'static str,
    pub(super) name: &'static str,
    /// A sentence about its answer.
    pub(super) summary: &'static str,
    parameters: &'static [&'static str],
    schema: &'static str,
    /// Statuses of problems besides those of all calls.
    problems: &'static [&'static str],
    /// The query of an example.
    pub(super) example: &'static str,
}

pub(super) const CALLS: [Call; 6] = [
    Call {
        path: "/api/v1/objects",
        name: "listObjects",
        summary: "Objects that match a query, in pages",
        parameters: &["vertical", "q", "sort", "limit", "cursor", "fields"],
        schema: "ObjectPage",
        problems: &["404"],
        example: "?limit=2",
    },
    Call {
        path: "/api/v1/object/{id}",
        name: "getObject",
        summary: "All that is known of an object: its records, their pages and its history",
        parameters: &["id"],
        schema: "ObjectDetail",
        problems: &["301", "404"],
        example: "",
    },
    Call {
        path: "/api/v1/search",
        name: "searchObjects",
        summary: "The same as objects, with facets and a suggestion if nothing is found",
        parameters: &["vertical", "q", "sort", "limit", "cursor", "fields"],
        schema: "SearchPage",
        problems: &["404"],
        example: "?limit=1",
    },
    Call {
        path: "/api/v1/sites",
        name: "listSites",
        summary: "The sites that objects are collected from, with their rounds",
        parameters: &["vertical", "site_limit", "site_cursor"],
        schema: "SitePage",
        problems: &["404"],
        example: "",
    },
    Call {
        path: "/api/v1/changes",
        name: "listChanges",
        summary: "The log of changes after a position, one a line; with Accept: text/event-stream without end",
        parameters: &["vertical", "q", "kind", "limit", "since", "wait"],
        schema: "ChangePage",
        problems: &["404"],
        example: "?limit=2",
    },
    Call {
        path: "/api/v1/openapi.json",
        name: "getDocument",
        summary: "This document",
        parameters: &[],
        schema: "Document",
        problems: &[],
        example: "",
    },
];

pub(super) fn document(verticals: &[VerticalSchema]) -> Value {
    let paths: Map<String, Value> = CALLS
        .iter()
        .map(|call| (call.path.to_owned(), json!({"get": operation(call)})))
        .collect();
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Magpie",
            "version": env!("CARGO_PKG_VERSION"),
            "summary": "Objects that were collected from the web, and the state of their collection",
            "license": {"name": "MIT OR Apache-2.0", "identifier": "MIT OR Apache-2.0"},
        },
        "servers": [{"url": "/"}],
        "security": [{}, {"token": []}],
        "paths": paths,
        "components": {
            "securitySchemes": {"token": {
                "type": "http", "scheme": "bearer",
                "description": "The key of an account. It is not needed where everybody may read.",
            }},
            "parameters": parameters(verticals),
            "responses": {"Problem": {
                "description": "A problem with the request (RFC 9457)",
                "content": {"application/problem+json": {"schema": reference("Problem")}},
            }},
            "schemas": schemas(verticals),
        },
    })
}

fn reference(name: &str) -> Value {
    json!({"$ref": format!("#/components/schemas/{name}")})
}

fn operation(call: &Call) -> Value {
    let parameters: Vec<Value> = call
        .parameters
        .iter()
        .map(|name| json!({"$ref": format!("#/components/parameters/{name}")}))
        .collect();
    let mut content = json!({"application/json": {"schema": reference(call.schema)}});
    if call.schema == "ChangePage" {
        content[super::changes::LINES] = json!({"schema": reference("ChangeLine")});
        content["text/event-stream"] = json!({"schema": {
            "type": "string",
            "description": "Events `change`, each with a change as JSON; the ID of an event is the position after it",
        }});
    }
    let mut responses = json!({
        "200": {"description": call.summary, "content": content},
        "304": {"description": "Nothing has changed since the answer with this entity tag"},
    });
    for status in ["400", "503"].iter().chain(call.problems) {
        responses[*status] = match *status {
            "301" => json!({
                "description": "The object turned out to be part of another",
                "headers": {"Location": {"schema": {"type": "string"}}},
            }),
            _ => json!({"$ref": "#/components/responses/Problem"}),
        };
    }
    json!({
        "operationId": call.name, "summary": call.summary, "parameters": parameters, "responses": responses,
    })
}

fn parameters(verticals: &[VerticalSchema]) -> Value {
    let names: Vec<&str> = verticals.iter().map(|vertical| vertical.name.as_str()).collect();
    let mut vertical = json!({"type": "string"});
    if !names.is_empty() {
        vertical["examples"] = json!(names);
    }
    let orders: Vec<&str> = ORDERS.iter().map(|(name, _)| *name).collect();
    let sort = format!(
        "Order: {}, or an attribute. With a hyphen before it the other way round",
        orders.join(", ")
    );
    let query = |name: &str, about: &str, schema: Value| json!({"name": name, "in": "query", "description": about, "schema": schema});
    let text = || json!({"type": "string"});
    let number = |most: usize, usual: usize| json!({"type": "integer", "minimum": 1, "maximum": most, "default": usual});
    json!({
        "id": {
            "name": "id", "in": "path", "required": true, "description": "The number of the object",
            "schema": {"type": "integer", "minimum": 1},
        },
        "vertical": query("vertical", "The vertical; needed if there are several", vertical),
        "q": query("q", "A query, such as `jazz price<=20 is:new`", text()),
        "sort": query("sort", &sort, text()),
        "limit": query("limit", "The longest page", number(MAX_LIMIT, USUAL_LIMIT)),
        "cursor": query("cursor", "The position after the page before, from its `next_url`", text()),
        "fields": query("fields", "Attributes to return, with commas between them", text()),
        "site_limit": query("limit", "The longest page", number(MAX_SITES, MAX_SITES)),
        "site_cursor": query("cursor", "The position after the page before, from its `next_url`", text()),
        "since": query("since", "The position after which changes are returned: a cursor, a date, or an age such as 7d; the beginning without one", text()),
        "wait": query(
            "wait",
            "Seconds to wait for a change if there is none yet",
            json!({"type": "integer", "minimum": 0, "maximum": super::changes::MAX_WAIT, "default": 0}),
        ),
        "kind": {
            "name": "kind", "in": "query", "description": "Kinds of changes to return",
            "style": "form", "explode": false,
            "schema": {"type": "array", "items": {"enum": ChangeKind::WORDS}},
        },
    })
}

fn schemas(verticals: &[VerticalSchema]) -> Value {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    let settings = settings.with(|settings| settings.definitions_path = "/components/schemas".into());
    let mut generator = settings.into_generator();
    generator.subschema_for::<ObjectPageView>();
    generator.subschema_for::<ObjectDetailView>();
    generator.subschema_for::<SearchPageView>();
    generator.subschema_for::<ChangePageView>();
    generator.subschema_for::<ChangeLineView>();
    generator.subschema_for::<SitePageView>();
    generator.subschema_for::<Problem>();
    let mut all = Value::Object(generator.take_definitions(true));
    for name in ["Object", "ObjectDetail"] {
        all[name]["properties"]["attributes"] = any_of(verticals);
    }
    all["Document"] = json!({"type": "object", "required": ["openapi", "info", "paths"]});
    for vertical in verticals {
        all[attributes_name(vertical)] = attributes_schema(vertical);
    }
    all
}

/// Returns the schema of attributes of any of the verticals.
fn any_of(verticals: &[VerticalSchema]) -> Value {
    let all: Vec<Value> = verticals
        .iter()
        .map(|vertical| reference(&attributes_name(vertical)))
        .collect();
    match all.as_slice() {
        [] => any_attributes(),
        [only] => only.clone(),
        several => json!({"anyOf": several}),
    }
}

/// Returns the name of the schema of a vertical's attributes. Letters that such a name may not have
/// are not in names of verticals.
fn attributes_name(vertical: &VerticalSchema) -> String {
    format!("attributes.{}", vertical.name)
}

fn any_attributes() -> Value {
    json!({
        "type": "object",
        "additionalProperties": {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]},
    })
}

fn attributes_schema(vertical: &VerticalSchema) -> Value {
    let properties: Map<String, Value> = vertical
        .attributes
        .iter()
        .map(|attribute| (attribute.name.clone(), attribute_schema(attribute)))
        .collect();
    json!({
        "type": "object", "title": format!("Attributes of {}", vertical.name), "properties": properties,
        "additionalProperties": any_attributes()["additionalProperties"],
    })
}

fn attribute_schema(attribute: &Attribute) -> Value {
    let mut value = json!({"type": "string"});
    if matches!(attribute.kind, Kind::Url | Kind::Image) {
        value["format"] = json!("uri");
    }
    let mut schema = match attribute.repeated {
        true => json!({"type": "array", "items": value}),
        false => value,
    };
    schema["title"] = json!(attribute.label);
    schema["x-kind"] = json!(attribute.kind.to_string());
    schema
}
