//! Problems of a file of seeds, one sentence each.

use std::fmt;

use magpie_model::{Attribute, VerticalInfo};

use super::{MAX_FILE_BYTES, MAX_SEEDS, advice};

/// Maximum number of characters of a value to show.
const MAX_SHOWN_LEN: usize = 80;
/// Maximum number of attributes of a schema to list.
const MAX_NAMED: usize = 40;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeedsError {
    /// The file's name as it was given.
    pub name: String,
    /// The line, from 1; none when it is about the whole file.
    pub line: Option<usize>,
    /// The column, from 1, where the text itself is broken.
    pub column: Option<usize>,
    pub problem: Box<SeedsProblem>,
}

/// A problem of a file of seeds.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SeedsProblem {
    /// The file is longer than is read.
    #[error(
        "the file has {bytes} bytes, more than the maximum of {MAX_FILE_BYTES}; a few objects are enough to begin with"
    )]
    TooLarge { bytes: usize },
    /// The file is in another encoding, which its first bytes name.
    #[error("the file is in UTF-16; save it as UTF-8")]
    Utf16,
    /// There are bytes of some other encoding.
    #[error("invalid UTF-8; save the file as UTF-8")]
    NotUtf8,
    #[error("the file has no objects; write one per line, such as {example}")]
    Empty { example: String },
    #[error("more than {MAX_SEEDS} objects; each costs a query, and a few are enough to begin with")]
    TooMany,
    #[error("invalid JSON: {reason}")]
    NotJson { reason: String },
    #[error("expected an object such as {example}, found {found}")]
    NotAnObject { found: &'static str, example: String },
    /// The type of an object is not a text.
    #[error("invalid `type`: expected a text such as {example:?}, found {found}")]
    NotAType { found: &'static str, example: String },
    /// A row has more or fewer cells than the head.
    #[error(
        "the row has {found} cells, but the first line has {expected} columns; put cells that contain a {delimiter} in double quotes"
    )]
    CellCount {
        found: u64,
        expected: u64,
        delimiter: &'static str,
    },
    /// A quotation mark has no partner.
    #[error(
        "a cell begins with a double quote that is never closed; close it, or double it if the quote itself is meant"
    )]
    OpenQuote,
    #[error("column {column} has no name in the first line; write the name of the attribute there")]
    NamelessColumn {
        /// Its place, from 1.
        column: usize,
    },
    #[error("{}", no_attribute(.vertical, .attribute, .nearest.as_deref(), .known, *.is_column))]
    UnknownAttribute {
        vertical: String,
        /// The name as written.
        attribute: String,
        /// The attribute that was probably meant.
        nearest: Option<String>,
        known: Vec<String>,
        /// True if it is in the head of a table.
        is_column: bool,
    },
    /// An attribute that every object needs is not there.
    #[error("`{attribute}` is missing, which every {object_type} has: expected {expected}")]
    MissingAttribute {
        attribute: String,
        object_type: String,
        expected: String,
    },
    /// A value is not of its attribute's kind.
    #[error("invalid value {written} for `{attribute}`: {reason}; expected {expected}")]
    Value {
        /// The attribute; `confidence` for an object's own.
        attribute: String,
        /// The value, shortened and in quotes.
        written: String,
        reason: String,
        expected: String,
    },
    /// A date that means another one on another day.
    #[error(
        "invalid value {written} for `{attribute}`: it depends on the day of reading; expected a full date such as {example}"
    )]
    Relative {
        attribute: String,
        /// The value, shortened and in quotes.
        written: String,
        example: &'static str,
    },
}

impl SeedsError {
    /// About the file as a whole.
    pub(super) fn new(problem: SeedsProblem) -> Self {
        Self {
            name: String::new(),
            line: None,
            column: None,
            problem: Box::new(problem),
        }
    }

    pub(super) fn on(line: usize, problem: SeedsProblem) -> Self {
        Self {
            line: Some(line),
            ..Self::new(problem)
        }
    }

    pub(super) fn at((line, column): (usize, usize), problem: SeedsProblem) -> Self {
        Self {
            column: Some(column),
            ..Self::on(line, problem)
        }
    }

    pub(super) fn in_file(self, name: &str) -> Self {
        Self {
            name: name.to_owned(),
            ..self
        }
    }
}

impl fmt::Display for SeedsError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plain = |letter: char| {
            if letter.is_control() {
                char::REPLACEMENT_CHARACTER
            } else {
                letter
            }
        };
        let name: String = self.name.chars().map(plain).collect();
        formatter.write_str(&name)?;
        if let Some(line) = self.line {
            write!(formatter, ", line {line}")?;
        }
        if let Some(column) = self.column {
            write!(formatter, ", column {column}")?;
        }
        write!(formatter, ": {}", self.problem)
    }
}

impl std::error::Error for SeedsError {}

/// The vertical has attributes, and the file has none of their values.
pub(super) fn empty(vertical: &VerticalInfo) -> SeedsProblem {
    let example = advice::object(vertical);
    SeedsProblem::Empty { example }
}

/// The schema has no attribute of this name.
pub(super) fn unknown(vertical: &VerticalInfo, name: &str, is_column: bool) -> SeedsProblem {
    let known = vertical.attributes.iter().map(|attribute| attribute.name.clone());
    SeedsProblem::UnknownAttribute {
        vertical: vertical.name.clone(),
        attribute: shortened(name),
        nearest: advice::nearest(vertical, name).map(|attribute| attribute.name.clone()),
        known: known.collect(),
        is_column,
    }
}

/// An attribute that every object needs is not there.
pub(super) fn missing(vertical: &VerticalInfo, attribute: &Attribute) -> SeedsProblem {
    SeedsProblem::MissingAttribute {
        attribute: attribute.name.clone(),
        object_type: vertical.object_type.clone(),
        expected: advice::takes(&attribute.kind),
    }
}

pub(super) fn quoted(written: &str) -> String {
    format!("{:?}", shortened(written))
}

fn shortened(written: &str) -> String {
    if written.len() <= MAX_SHOWN_LEN {
        return written.to_owned();
    }
    format!("{}…", &written[..written.floor_char_boundary(MAX_SHOWN_LEN)])
}

fn no_attribute(
    vertical: &str,
    name: &str,
    nearest: Option<&str>,
    known: &[String],
    is_column: bool,
) -> String {
    let of = if is_column {
        "the first line must name the columns: "
    } else {
        ""
    };
    let meant = nearest.map_or(String::new(), |nearest| format!(" did you mean `{nearest}`?"));
    let mut names = known
        .iter()
        .take(MAX_NAMED)
        .cloned()
        .collect::<Vec<_>>()
        .join(", ");
    if known.len() > MAX_NAMED {
        names.push_str(", …");
    }
    format!("{of}{vertical} have no attribute {name:?};{meant} the attributes are {names}")
}
