//! Seeds: objects read from a file.
//!
//! People write such files by hand or save them from a table, so an error names the line and a
//! correction, and nothing is dropped silently: a seed without its venue would search for something
//! else.

mod advice;
mod csv;
mod error;
mod json;
mod object;
mod text;

use magpie_model::{Object, Record, VerticalInfo};
use serde_json::Value as Json;

pub use error::{SeedsError, SeedsProblem};

/// Maximum size of a file: the maximum number of seeds with a kilobyte each.
pub const MAX_FILE_BYTES: usize = 1024 * 1024;
/// Maximum number of objects. Each costs a query, and more than some dozens change nothing.
pub const MAX_SEEDS: usize = 1000;

#[derive(Clone, Debug, PartialEq)]
pub struct Seed {
    /// The object as it was written.
    pub object: Object,
    /// The object in the normal forms of its schema.
    pub record: Record,
    /// The line it begins on, from 1.
    pub line: usize,
}

/// Reads objects of a vertical. The name is the file's and is shown in errors; if the content is
/// ambiguous, its extension decides.
///
/// Formats:
///
/// - JSON: an array of objects, a single object, or several objects, as in JSON lines. An object
///   has attributes by name: a value, or a list of values. It may have a `type` beside them. The
///   format of results (`{"type": …, "attributes": {…}}`) is read too.
/// - CSV with a head: columns are attributes, or `type`, in any case; cells are delimited by
///   commas, semicolons or tabs. Several values are in columns of the same name, or in one cell
///   with `|` or `;` between them.
///
/// `null`, empty texts and empty cells are not values.
///
/// # Errors
/// The first problem.
pub fn read_seeds(name: &str, bytes: &[u8], vertical: &VerticalInfo) -> Result<Vec<Seed>, SeedsError> {
    read(name, bytes, vertical).map_err(|error| error.in_file(name))
}

/// An object as the file has it: names and values in order, a name as often as it was written.
struct Entry {
    line: usize,
    pairs: Vec<(String, Json)>,
}

fn read(name: &str, bytes: &[u8], vertical: &VerticalInfo) -> Result<Vec<Seed>, SeedsError> {
    let text = text::decoded(bytes)?;
    let is_csv = match text.trim_start().chars().next() {
        None => return Err(SeedsError::new(error::empty(vertical))),
        // No attribute's name begins with these, so neither does the head of a table.
        Some('{' | '[') => false,
        Some(_) => !json::is_named(name),
    };
    let entries = if is_csv {
        csv::entries(text, vertical)?
    } else {
        json::entries(name, text, vertical)?
    };
    if entries.is_empty() {
        return Err(SeedsError::new(error::empty(vertical)));
    }
    entries
        .into_iter()
        .map(|entry| object::seed(entry, vertical))
        .collect()
}

/// Returns an error if there is no room for another object.
fn has_room(entries: &[Entry], line: usize) -> Result<(), SeedsError> {
    if entries.len() < MAX_SEEDS {
        return Ok(());
    }
    Err(SeedsError::on(line, SeedsProblem::TooMany))
}
