//! Reasons why a query is refused.

use crate::{MAX_PHRASE_WORDS, MAX_QUERY_BYTES, MAX_TERMS};

/// Reason why a query is refused. The message says what was expected.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum QueryError {
    /// It is too long.
    #[error("the query has {bytes} bytes, more than the maximum of {MAX_QUERY_BYTES}")]
    TooLong {
        /// Its length.
        bytes: usize,
    },
    /// It has too many terms.
    #[error("the query has more than {MAX_TERMS} terms")]
    TooManyTerms,
    /// A phrase has too many words.
    #[error("`{text}` has more than {MAX_PHRASE_WORDS} words")]
    TooManyWords {
        /// The phrase.
        text: String,
    },
    /// A quotation mark has no other.
    #[error("`{text}` has no closing quotation mark")]
    OpenQuote {
        /// The text from the mark.
        text: String,
    },
    /// A term has neither letters nor digits.
    #[error("`{text}` has no word to search for")]
    NoWord {
        /// The term.
        text: String,
    },
    /// A term has an operator and no value.
    #[error("`{text}` has no value: expected a value right after `{operator}`, such as `{name}{operator}{example}`")]
    NoValue {
        /// The term.
        text: String,
        /// The name before the operator.
        name: String,
        /// The operator.
        operator: String,
        /// A valid value.
        example: String,
    },
    /// The schema has no such attribute.
    #[error("there is no attribute `{name}`{}; put the term in quotation marks to search for the words", hint(.suggestion.as_deref(), .there))]
    UnknownAttribute {
        /// The name.
        name: String,
        /// An attribute with a similar name.
        suggestion: Option<String>,
        /// The attributes of the schema.
        there: Vec<String>,
    },
    /// The value does not fit the attribute.
    #[error("invalid value `{value}` for `{name}`: expected {expected}")]
    BadValue {
        /// The name of the attribute.
        name: String,
        /// The value.
        value: String,
        /// Valid values.
        expected: String,
    },
    /// The operator does not fit the attribute.
    #[error("`{name}` can't be compared with `{operator}`: use one of {}", .there.join(" "))]
    BadOperator {
        /// The name of the attribute.
        name: String,
        /// The operator.
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
