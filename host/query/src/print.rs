//! Queries as text.

use std::fmt;

use crate::Query;

impl fmt::Display for Query {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, term) in self.terms.iter().enumerate() {
            if at > 0 {
                f.write_str(" ")?;
            }
            f.write_str(&term.text)?;
        }
        Ok(())
    }
}

/// Returns a value in the notation of queries: in quotation marks unless it is one plain word.
pub(crate) fn quoted(value: &str) -> String {
    let is_plain = |character: char| character.is_alphanumeric() || "-_.,/+#&'*%€$£".contains(character);
    let is_word = !value.is_empty() && !value.contains("..") && value.chars().all(is_plain);
    match is_word {
        true => value.to_owned(),
        false => in_marks(value),
    }
}

/// Returns the term for objects with exactly this value of an attribute, as in `venue="Old Mill"`.
pub fn equality_term(attribute: &str, value: &str) -> String {
    format!("{attribute}={}", quoted(value))
}

pub(crate) fn in_marks(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}
