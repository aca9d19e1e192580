//! Columns of the exported tables.

use std::borrow::Cow;
use std::collections::HashSet;

use ColumnKind::{Integer, Json, Real, Text, Time};
use magpie_model::Attribute;
use magpie_rows::{ExportFormat, Table};
use magpie_values::kind::Shape;

use crate::attribute::{self, Facet};
use crate::kind::ColumnKind;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    pub name: Cow<'static, str>,
    pub kind: ColumnKind,
    pub about: &'static str,
    /// The attribute of records that it has, if it is none of the fixed columns.
    pub attribute: Option<String>,
    /// The typed columns of an attribute, which take the place of this one in Parquet.
    pub(crate) typed: Option<TypedColumns>,
}

impl Column {
    /// Returns true if its values are an attribute as JSON rather than as one text.
    pub fn is_typed(&self) -> bool {
        self.typed.is_some()
    }
}

/// The columns of an attribute in Parquet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TypedColumns {
    pub(crate) facets: Vec<(String, &'static Facet)>,
    pub(crate) values: Shape,
    /// The columns are lists.
    pub(crate) is_repeated: bool,
}

/// Returns the columns of a table, in order.
pub fn columns(table: Table) -> &'static [Column] {
    match table {
        Table::Pages => PAGES,
        Table::Links => LINKS,
        Table::Records => RECORDS,
        Table::Objects => OBJECTS,
    }
}

/// Returns the reference page of the exported tables, in Markdown.
pub fn columns_page() -> String {
    let mut page = String::from(
        "# Exported tables\n\nThe same columns in JSONL, CSV and Parquet, except attributes of records and objects, \
         which [Parquet has with types](#attributes-in-parquet). Times are RFC 3339 in UTC with milliseconds, in \
         Parquet timestamps.\n",
    );
    for table in Table::ALL {
        page.push_str(&format!(
            "\n## {}\n\n| column | kind | |\n|---|---|---|\n",
            table.name()
        ));
        for column in columns(table) {
            let kind = column.kind.name();
            page.push_str(&format!("| `{}` | {kind} | {} |\n", column.name, column.about));
        }
    }
    page.push_str(&attribute::page());
    page
}

/// Returns the columns of a file.
///
/// JSONL has the attributes of an object as one JSON object. In CSV and Parquet each attribute has
/// its own columns. They are asked for only then.
pub fn columns_of<E>(
    table: Table,
    format: ExportFormat,
    attributes: impl FnOnce() -> Result<Attributes, E>,
) -> Result<Vec<Column>, E> {
    let fixed = columns(table);
    let place = fixed.iter().position(|column| column.name == ATTRIBUTES);
    // Spreadsheets can't read JSON in a cell, so only JSONL keeps the attributes in one column.
    let Some(place) = place.filter(|_| format != ExportFormat::Jsonl) else {
        return Ok(fixed.to_vec());
    };
    let mut names = Names::of(fixed);
    let mut own = Vec::new();
    for attribute in attributes()?.0 {
        let name = names.take(&attribute.name);
        own.push(match format {
            ExportFormat::Parquet => typed(name, &attribute, &mut names),
            _ => of_attribute(name, &attribute),
        });
    }
    let mut all = fixed.to_vec();
    all.splice(place..=place, own);
    Ok(all)
}

/// An attribute that is exported.
struct ExportedAttribute {
    name: String,
    values: Shape,
    is_repeated: bool,
}

/// The attributes that are exported, in their order.
#[derive(Default)]
pub struct Attributes(Vec<ExportedAttribute>);

impl Attributes {
    /// Adds the attributes of the schema of a vertical.
    pub fn add_schema(&mut self, schema: Vec<Attribute>) {
        for attribute in schema {
            self.add(attribute.name, Some(attribute.kind.shape()), attribute.repeated);
        }
    }

    /// Adds an attribute that rows of the table have: of an older schema, or one that is lost.
    pub fn add_found(&mut self, name: String, is_repeated: bool) {
        self.add(name, None, is_repeated);
    }

    fn add(&mut self, name: String, values: Option<Shape>, is_repeated: bool) {
        let Some(known) = self.0.iter_mut().find(|known| known.name == name) else {
            return self.0.push(ExportedAttribute {
                name,
                values: values.unwrap_or(Shape::Text),
                is_repeated,
            });
        };
        known.is_repeated |= is_repeated;
        if values.is_some_and(|values| values != known.values) {
            // Verticals may give one name to attributes of different kinds. A column has one type,
            // and only text holds both.
            known.values = Shape::Text;
        }
    }
}

/// The names of the columns of a table so far.
pub struct Names(HashSet<String>);

impl Names {
    /// Begins with the fixed columns.
    pub fn of(fixed: &[Column]) -> Names {
        Names(fixed.iter().map(|column| column.name.to_lowercase()).collect())
    }

    /// Returns the name of an attribute's column: its own if it is free, otherwise with the prefix
    /// `attributes.`.
    pub fn take(&mut self, wanted: &str) -> String {
        let mut name = wanted.to_owned();
        if self.0.contains(&name.to_lowercase()) {
            name = format!("{ATTRIBUTES}.{wanted}");
        }
        // Database programs ignore the case of names.
        while !self.0.insert(name.to_lowercase()) {
            name.push('_');
        }
        name
    }
}

/// Returns the column of an attribute that becomes typed columns.
fn typed(name: String, attribute: &ExportedAttribute, names: &mut Names) -> Column {
    let mut facets = Vec::new();
    for facet in attribute::facets(attribute.values) {
        let own = match facet.suffix {
            "" => name.clone(),
            suffix => names.take(&format!("{name}{suffix}")),
        };
        facets.push((own, facet));
    }
    Column {
        typed: Some(TypedColumns {
            facets,
            values: attribute.values,
            is_repeated: attribute.is_repeated,
        }),
        ..of_attribute(name, attribute)
    }
}

fn of_attribute(name: String, attribute: &ExportedAttribute) -> Column {
    Column {
        name: name.into(),
        attribute: Some(attribute.name.clone()),
        ..column("", Text, "attribute")
    }
}

const fn column(name: &'static str, kind: ColumnKind, about: &'static str) -> Column {
    Column {
        name: Cow::Borrowed(name),
        kind,
        about,
        attribute: None,
        typed: None,
    }
}

/// Name of the column with the attributes of a record or object.
const ATTRIBUTES: &str = "attributes";

const PAGES: &[Column] = &[
    column("page", Integer, "ID of the page"),
    column("url", Text, "URL as fetched"),
    column("run", Integer, "run of the fetch"),
    column("fetched_at", Time, "time of the fetch"),
    column("status", Integer, "status code; null if there was no response"),
    column("media_type", Text, "media type without parameters"),
    column("charset", Text, "encoding in which the text was decoded"),
    column("language", Text, "language that the page declares"),
    column("title", Text, "title"),
    column("bytes", Integer, "size of the decoded body"),
    column(
        "sha256",
        Text,
        "SHA-256 of the body as archived, with its content coding",
    ),
    column("depth", Integer, "number of links from a seed"),
    column("redirect", Text, "redirect target"),
    column("canonical", Text, "canonical URL that the page declares"),
    column("etag", Text, "`ETag`, for conditional requests"),
    column("last_modified", Text, "`Last-Modified` as it was sent"),
    column("problem", Text, "problem of the fetch: a code"),
    column("detail", Text, "explanation for people"),
    column("duration", Integer, "duration in milliseconds"),
    column("archive", Text, "archive with its record"),
    column("archive_offset", Integer, "offset of the record"),
    column("archive_length", Integer, "length of the record in the archive"),
    column(
        "same_as",
        Integer,
        "page with the same body, if the record is a revisit",
    ),
];

const LINKS: &[Column] = &[
    column("page", Integer, "ID of the page"),
    column("page_url", Text, "URL of the page"),
    column("position", Integer, "index among the links of the page, from 0"),
    column("href", Text, "resolved URL"),
    column("text", Text, "anchor text"),
    column("path", Text, "path in the document"),
    column("rel", Text, "words of `rel`"),
];

const RECORDS: &[Column] = &[
    column("record", Integer, "ID of the record"),
    column("vertical", Text, "vertical"),
    column("type", Text, "schema.org type"),
    column("confidence", Real, "confidence of the extractor, 0 to 1"),
    column(
        ATTRIBUTES,
        Json,
        "attributes; CSV has one column per attribute in the order of the schema, with several values joined by `; `; \
         Parquet has [typed columns](#attributes-in-parquet)",
    ),
    column("page", Integer, "ID of the page"),
    column("page_url", Text, "URL of the page"),
    column("fetched_at", Time, "time of the fetch"),
    column("plugin", Text, "digest of the component that found it"),
    column("expires_at", Time, "expiry"),
];

const OBJECTS: &[Column] = &[
    column("object", Integer, "ID of the object"),
    column("vertical", Text, "vertical"),
    column("type", Text, "schema.org type"),
    column("label", Text, "label for lists"),
    column("confidence", Real, "highest confidence of its records, 0 to 1"),
    column(
        ATTRIBUTES,
        Json,
        "merged attributes; CSV has one column per attribute in the order of the schema, with several values joined by \
         `; `; Parquet has [typed columns](#attributes-in-parquet)",
    ),
    column("records", Integer, "number of its records"),
    column(
        "current",
        Integer,
        "number of records that are still on their pages",
    ),
    column(
        "origins",
        Json,
        "for each attribute the record from which its value comes",
    ),
    column(
        "members",
        Json,
        "its records: ID, page, times of the first and last sighting, and whether it is still there",
    ),
    column("first_seen", Time, "time of the first sighting"),
    column("last_seen", Time, "time of the last sighting"),
    column("expires_at", Time, "expiry"),
];
