//! Types of attributes in Parquet.

use magpie_values::kind::{KINDS, Shape};

use crate::kind::ColumnKind;

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Facet {
    /// End of its name, after that of the attribute.
    pub(crate) suffix: &'static str,
    pub(crate) kind: ColumnKind,
    about: &'static str,
}

/// Shapes in the order of the documentation. The last one has the columns of all others.
const SHAPES: [Shape; 9] = [
    Shape::Point,
    Shape::Moment,
    Shape::Amount,
    Shape::Number,
    Shape::Rating,
    Shape::Span,
    Shape::Truth,
    Shape::Object,
    Shape::Text,
];

/// Returns the columns of an attribute with values of a shape. The first one has its name.
pub(crate) fn facets(shape: Shape) -> &'static [Facet] {
    match shape {
        Shape::Text | Shape::Code | Shape::Address => TEXTS,
        Shape::Point => POINTS,
        Shape::Moment => DATES_AND_TIMES,
        Shape::Span => DURATIONS,
        Shape::Amount => AMOUNTS,
        Shape::Number => NUMBERS,
        Shape::Rating => RATINGS,
        Shape::Truth => BOOLEANS,
        Shape::Object => PROPERTIES,
    }
}

const TEXT: Facet = facet("", ColumnKind::Text, "text in its normal form");

const TEXTS: &[Facet] = &[TEXT];

const POINTS: &[Facet] = &[
    TEXT,
    facet("_latitude", ColumnKind::Real, "degrees north of the equator"),
    facet("_longitude", ColumnKind::Real, "degrees east of Greenwich"),
];

const DATES_AND_TIMES: &[Facet] = &[
    TEXT,
    facet("_from", ColumnKind::Time, "first second that it covers"),
    facet("_to", ColumnKind::Time, "last second that it covers"),
];

const DURATIONS: &[Facet] = &[TEXT, facet("_seconds", ColumnKind::Integer, "length in seconds")];

const AMOUNTS: &[Facet] = &[
    TEXT,
    facet("_from", ColumnKind::Decimal, "amount; lower end of a range"),
    facet("_to", ColumnKind::Decimal, "amount; upper end of a range"),
    facet("_currency", ColumnKind::Text, "code of the currency"),
];

const NUMBERS: &[Facet] = &[facet("", ColumnKind::Real, "number")];

const RATINGS: &[Facet] = &[
    TEXT,
    facet("_value", ColumnKind::Real, "rating"),
    facet("_best", ColumnKind::Real, "maximum of the scale, if it is stated"),
];

const BOOLEANS: &[Facet] = &[facet("", ColumnKind::Boolean, "true or false")];

const PROPERTIES: &[Facet] = &[facet("", ColumnKind::Json, "names and values")];

const fn facet(suffix: &'static str, kind: ColumnKind, about: &'static str) -> Facet {
    Facet { suffix, kind, about }
}

/// Returns the section of the reference page on attributes, in Markdown.
pub(crate) fn page() -> String {
    let mut page = String::from(
        "\n## Attributes in Parquet\n\nThe kind of an attribute in the schema of its vertical decides on its columns, \
         here for an attribute `NAME`:\n\n| kind | column | type | |\n|---|---|---|---|\n",
    );
    for shape in SHAPES {
        let of_shape = KINDS.iter().filter(|facts| facts.shape == shape);
        let kinds = match shape {
            Shape::Text => "all others".to_owned(),
            _ => format!(
                "`{}`",
                of_shape.map(|facts| facts.name).collect::<Vec<_>>().join("`, `")
            ),
        };
        for facet in facets(shape) {
            let (suffix, kind) = (facet.suffix, facet.kind.name());
            page.push_str(&format!(
                "| {kinds} | `NAME{suffix}` | {kind} | {} |\n",
                facet.about
            ));
        }
    }
    page.push_str(
        "\n- `NAME` keeps the text where types hold less than it: a date may be a whole month, and a price a range. \
         The suffixes begin with `_`, which no attribute has in its name.\n\
         - If the schema allows several values, all columns of the attribute are lists (`NAME.list.element`) of equal \
         length, with the values in the same order. Without a value the list is null.\n\
         - A time without a zone counts as UTC. A `time` is a timestamp in milliseconds in UTC.\n\
         - A `real` is a double, an `integer` has 64 bits, a `decimal` is DECIMAL(18, 4), and `JSON` is annotated \
         text.\n\
         - A typed column is null where the value is of another form, for example from an older schema, or too long \
         for the type. `NAME` still has its text if it is a text column; CSV and JSONL always have it.\n\
         - If verticals disagree on the kind, the attribute is text. Values of an older schema may make it a list.\n\
         - If a column of the table has the name already, the attribute is `attributes.NAME`.\n",
    );
    page
}
