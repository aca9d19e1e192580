//! Reasons why a query is refused.

use crate::{MAX_PHRASE_WORDS, MAX_QUERY_BYTES, MAX_TERMS};

/// Reason why a query is refused. The message names the expected text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum QueryError {
    #[error("the query has {bytes} bytes, more than the maximum of {MAX_QUERY_BYTES}")]
    TooLong { bytes: usize },
    #[error("the query has more than {MAX_TERMS} terms")]
    TooManyTerms,
    #[error("`{text}` has more than {MAX_PHRASE_WORDS} words")]
    TooManyWords { text: String },
    /// A quotation mark has no other.
    #[error("`{text}` has no closing quotation mark")]
    OpenQuote {
        /// The text from the mark.
        text: String,
    },
    /// A term has neither letters nor digits.
    #[error("`{text}` has no word to search for")]
    NoWord { text: String },
    /// A term has an operator and no value.
    #[error(
        "`{text}` has no value: expected a value right after `{operator}`, such as `{name}{operator}{example}`"
    )]
    NoValue {
        text: String,
        /// The name before the operator.
        name: String,
        operator: String,
        example: String,
    },
    #[error("there is no attribute `{name}`{}; put the term in quotation marks to search for the words", hint(.suggestion.as_deref(), .there))]
    UnknownAttribute {
        name: String,
        suggestion: Option<String>,
        there: Vec<String>,
    },
    /// The value does not fit the attribute.
    #[error("invalid value `{value}` for `{name}`: expected {expected}")]
    BadValue {
        name: String,
        value: String,
        expected: String,
    },
    /// The operator does not fit the attribute.
    #[error("`{name}` can't be compared with `{operator}`: use one of {}", .there.join(" "))]
    BadOperator {
        name: String,
        operator: String,
        /// The operators that fit.
        there: Vec<String>,
    },
}

fn hint(suggestion: Option<&str>, there: &[String]) -> String {
    match suggestion {
        Some(suggestion) => format!("; did you mean `{suggestion}`?"),
        None => format!("; the attributes are {}", there.join(", ")),
    }
}
