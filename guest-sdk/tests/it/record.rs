//! The derive macro, from struct to contract and back.

use std::borrow::Cow;

use magpie_sdk::{
    AttributeValue, DateTime, Field, Found, Image, Isbn, Language, Money, Object, Page, Person, Properties,
    Rating, Record, Url, Value, ValueRef, testing,
};

#[derive(Clone, Debug, PartialEq)]
enum Format {
    Paperback,
    Hardcover,
}

impl AttributeValue for Format {
    const KIND: &'static str = "text";

    fn value(&self) -> ValueRef<'_> {
        ValueRef::Text(Cow::Borrowed(match self {
            Self::Paperback => "paperback",
            Self::Hardcover => "hardcover",
        }))
    }

    fn from_value(value: ValueRef<'_>) -> Option<Self> {
        match &*value.to_text() {
            "paperback" => Some(Self::Paperback),
            "hardcover" => Some(Self::Hardcover),
            _ => None,
        }
    }
}

#[derive(Record, Clone, Debug, PartialEq)]
#[record(name = "Book")]
struct Printed {
    #[attribute(identifies, query, weight = 2.5)]
    title: String,
    #[attribute(identifies, label = "By")]
    authors: Vec<Person>,
    #[attribute(required)]
    isbn: Option<Isbn>,
    #[attribute(kind = "identifier:asin", weight = 3)]
    shop_number: Option<String>,
    #[attribute(rename = "list-price")]
    price: Option<Money>,
    #[attribute(expires)]
    published: Option<DateTime>,
    pages: Option<u32>,
    weight_kg: Option<f64>,
    in_stock: Option<bool>,
    format: Option<Format>,
    rating: Option<Rating>,
    language: Option<Language>,
    url: Option<Url>,
    cover: Option<Image>,
    details: Option<Properties>,
    #[attribute(skip)]
    cards_seen: usize,
}

fn empty() -> Printed {
    Printed {
        title: "The Tempest".into(),
        authors: Vec::new(),
        isbn: None,
        shop_number: None,
        price: None,
        published: None,
        pages: None,
        weight_kg: None,
        in_stock: None,
        format: None,
        rating: None,
        language: None,
        url: None,
        cover: None,
        details: None,
        cards_seen: 0,
    }
}

fn object(fields: &[(&str, Value)]) -> Object {
    let fields = fields.iter().map(|(path, value)| Field {
        path: (*path).to_owned(),
        value: value.clone(),
        node: None,
    });
    Object {
        schema_type: String::new(),
        confidence: 1.0,
        fields: fields.collect(),
    }
}

fn text(text: &str) -> Value {
    Value::Text(text.to_owned())
}

#[test]
fn the_schema_follows_types_and_attributes() {
    assert_eq!(Printed::OBJECT_TYPE, "Book");
    let kinds: Vec<(&str, &str)> = Printed::SCHEMA
        .iter()
        .map(|attribute| (attribute.name, attribute.kind))
        .collect();
    assert_eq!(
        kinds,
        [
            ("title", "text"),
            ("authors", "person"),
            ("isbn", "identifier:isbn"),
            ("shop-number", "identifier:asin"),
            ("list-price", "money"),
            ("published", "date-time"),
            ("pages", "number"),
            ("weight-kg", "number"),
            ("in-stock", "boolean"),
            ("format", "text"),
            ("rating", "rating"),
            ("language", "language"),
            ("url", "url"),
            ("cover", "image"),
            ("details", "properties"),
        ]
    );
    let [title, authors, isbn, shop_number, price, published, ..] = Printed::SCHEMA else {
        unreachable!()
    };
    assert!(title.required && title.identifies && title.query && !title.repeated && !title.expires);
    assert_eq!((title.weight, title.label), (2.5, "Title"));
    assert!(authors.repeated && !authors.required && authors.label == "By");
    assert!(isbn.required, "though its type is `Option`");
    assert_eq!((shop_number.weight, shop_number.label), (3.0, "Shop number"));
    assert_eq!(price.label, "List price");
    assert!(published.expires);
}

#[test]
fn missing_values_give_no_fields() {
    let book = Printed {
        authors: vec!["Ann".into(), " ".into(), "Bob".into()],
        ..empty()
    };
    let fields: Vec<(String, Value)> = book
        .fields()
        .into_iter()
        .map(|field| (field.path, field.value))
        .collect();
    let expected = [
        ("title", text("The Tempest")),
        ("authors", text("Ann")),
        ("authors", text("Bob")),
    ];
    assert_eq!(fields, expected.map(|(path, value)| (path.to_owned(), value)));
}

#[test]
fn values_keep_their_type_on_the_wire() {
    let details = Properties::from([("binding".to_owned(), "cloth".to_owned())]);
    let book = Printed {
        pages: Some(96),
        weight_kg: Some(0.25),
        in_stock: Some(false),
        format: Some(Format::Hardcover),
        details: Some(details),
        ..empty()
    };
    let fields = book.fields();
    let value = |path: &str| {
        fields
            .iter()
            .find(|field| field.path == path)
            .map(|field| field.value.clone())
    };
    assert_eq!(value("pages"), Some(Value::Integer(96)));
    assert_eq!(value("weight-kg"), Some(Value::Real(0.25)));
    assert_eq!(value("in-stock"), Some(Value::Boolean(false)));
    assert_eq!(value("format"), Some(text("hardcover")));
    assert_eq!(
        value("details"),
        Some(Value::Json(r#"{"binding":"cloth"}"#.to_owned()))
    );
    assert_eq!(value("cards-seen"), None);
    assert_eq!(Printed::from_object(&object_of(&book)), Ok(book));
}

fn object_of(book: &Printed) -> Object {
    Object {
        schema_type: String::new(),
        confidence: 1.0,
        fields: book.fields(),
    }
}

#[test]
fn unreadable_and_unknown_fields_are_left_out() {
    let read = Printed::from_object(&object(&[
        ("pages", text("many")),
        ("format", text("scroll")),
        ("title", text("Hamlet")),
        ("title", text("Second")),
        ("weight-kg", text("0.5")),
        ("in-stock", text("true")),
        ("colour", text("red")),
        ("details", text("not json")),
    ]));
    let expected = Printed {
        title: "Hamlet".into(),
        weight_kg: Some(0.5),
        in_stock: Some(true),
        ..empty()
    };
    assert_eq!(read, Ok(expected));
}

#[test]
fn a_missing_required_field_is_an_error_that_names_it() {
    let error = Printed::from_object(&object(&[("pages", Value::Integer(3))])).unwrap_err();
    assert_eq!(error.attribute(), Some("title"));
}

#[test]
fn found_keeps_the_node_of_each_value() {
    let page = Page::from_html("https://example.org/", "<h1>T</h1><i>Ann</i><i>Bob</i>");
    let authors: Vec<_> = page.select("i").collect();
    let title = page.select_one("h1").unwrap();
    let book = Printed {
        authors: authors.iter().map(|author| author.text().into()).collect(),
        ..empty()
    };
    let found = Found::new(book)
        .confidence(7.0)
        .schema_type("Audiobook")
        .at("title", title);
    let object = found
        .at("authors", authors[0])
        .at("authors", authors[1])
        .all_at(page.root())
        .into_object();
    assert_eq!(
        (object.confidence, object.schema_type.as_str()),
        (1.0, "Audiobook")
    );
    let nodes: Vec<Option<u32>> = object.fields.iter().map(|field| field.node).collect();
    assert_eq!(
        nodes,
        [title.node(), authors[0].node(), authors[1].node()].map(Some)
    );
    let object = Found::new(empty()).all_at(page.root()).into_object();
    assert_eq!(object.fields[0].node, Some(page.root().node()));
}

#[test]
fn at_accepts_field_names() {
    let page = Page::from_html("https://example.org/", "<b>9 EUR</b>");
    let price = page.select_one("b").unwrap();
    let book = Printed {
        shop_number: Some("B0".into()),
        ..empty()
    };
    let object = Found::new(book).at("shop_number", price).into_object();
    assert_eq!(object.fields[1].node, Some(price.node()));
}

#[test]
#[should_panic(expected = "Book has no attribute `prize`, only title, authors")]
fn at_panics_for_an_unknown_attribute() {
    let page = Page::from_html("https://example.org/", "<b>9 EUR</b>");
    let _ = Found::new(empty()).at("prize", page.root());
}

#[test]
fn kinds_parse_page_text() {
    let page = Page::from_response(
        "https://example.org/",
        "text/html",
        1_777_593_600, // 2026-05-01
        b"<html lang=de><p>Sa., 2. Mai, 19.30 Uhr",
    );
    let start = DateTime::from(page.text());
    assert_eq!(
        start.read(&page.date_context()).unwrap().to_string(),
        // The page states no year, and the clock gives none.
        "--05-02T19:30[Sat]"
    );
    assert_eq!(
        Money::from("1.049,95 €")
            .read(&page.money_context())
            .unwrap()
            .to_string(),
        "1049.95 EUR"
    );
    assert_eq!(
        Isbn::from("0-306-40615-2").read().as_deref(),
        Some("9780306406157")
    );
    assert_eq!(Isbn::from("0-306-40615-3").read(), None);
    assert!(testing::log().is_empty());
}
