//! Problems of objects, in words that help a plugin author and codes that a report can count.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::Kind;

/// Maximum number of characters of an offending value to show: enough to find it on the page.
const MAX_SHOWN_LEN: usize = 120;

/// Something the host changed or left out because it does not fit the schema.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Violation {
    /// The attribute, as the plugin wrote it; empty when it is about the object.
    pub attribute: String,
    /// The text of the plugin, shortened; empty if there was none.
    pub raw: String,
    /// The problem, which determines the consequence.
    pub reason: Reason,
}

impl Violation {
    /// A violation; the texts are shortened here and nowhere else.
    pub fn new(attribute: &str, raw: &str, reason: Reason) -> Self {
        Self {
            attribute: shortened(attribute, MAX_SHOWN_LEN),
            raw: shortened(raw, MAX_SHOWN_LEN),
            reason,
        }
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.attribute.is_empty() {
            write!(f, "{}: ", self.attribute)?;
        }
        write!(f, "{}", self.reason)?;
        if self.raw.is_empty() {
            Ok(())
        } else {
            write!(f, ": \"{}\"", self.raw)
        }
    }
}

/// Reason why a value or a whole object was not accepted unchanged.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(tag = "code", rename_all = "kebab-case")]
pub enum Reason {
    /// The schema has no attribute of this name; the field was dropped.
    UnknownAttribute,
    /// The value has a type that the kind can't be made from; it was dropped.
    WrongType {
        /// The attribute's kind.
        kind: Kind,
        /// The type of the value: `a truth value`, `a JSON document`.
        found: String,
    },
    /// The value can't be read as the kind asks; it was dropped.
    Unreadable {
        /// The attribute's kind.
        kind: Kind,
        /// Details of the problem, where known.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        detail: String,
    },
    /// The value is empty once tidied; it was dropped.
    Empty,
    /// The number is infinite or none; it was dropped.
    NotFinite,
    /// The confidence is outside 0 to 1; it was brought inside.
    Confidence,
    /// The attribute takes one value and has one already; this one was dropped.
    SecondValue,
    /// The attribute has as many values as the host keeps; the rest was dropped.
    TooManyValues,
    /// The text is longer than the host keeps; the end was cut off.
    TooLong,
    /// Some properties are not flat, too long or too many; these were dropped.
    Properties,
    /// A required attribute has no value; the object was dropped.
    MissingRequired,
}

impl Reason {
    /// The code to count by, as serialised.
    pub fn code(&self) -> &'static str {
        match self {
            Self::UnknownAttribute => "unknown-attribute",
            Self::WrongType { .. } => "wrong-type",
            Self::Unreadable { .. } => "unreadable",
            Self::Empty => "empty",
            Self::NotFinite => "not-finite",
            Self::Confidence => "confidence",
            Self::SecondValue => "second-value",
            Self::TooManyValues => "too-many-values",
            Self::TooLong => "too-long",
            Self::Properties => "properties",
            Self::MissingRequired => "missing-required",
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownAttribute => f.write_str("the schema has no attribute of this name"),
            Self::WrongType { kind, found } => write!(f, "a value of kind {kind} can't be made from {found}"),
            Self::Unreadable { kind, detail } if detail.is_empty() => write!(f, "can't be read as {kind}"),
            Self::Unreadable { kind, detail } => write!(f, "can't be read as {kind} ({detail})"),
            Self::Empty => f.write_str("the value is empty"),
            Self::NotFinite => f.write_str("the number is not finite"),
            Self::Confidence => f.write_str("the confidence is outside 0 to 1"),
            Self::SecondValue => f.write_str("a second value of an attribute that has only one"),
            Self::TooManyValues => f.write_str("more values than the maximum"),
            Self::TooLong => f.write_str("longer than the maximum, the end was cut off"),
            Self::Properties => f.write_str("some properties are not flat, too long or too many"),
            Self::MissingRequired => f.write_str("a required attribute has no value, the object was dropped"),
        }
    }
}

/// The text in at most `limit` bytes, an ellipsis at the end when something was cut off.
pub(crate) fn shortened(text: &str, limit: usize) -> String {
    if text.len() <= limit {
        return text.to_owned();
    }
    let ellipsis = '…';
    let end = text.floor_char_boundary(limit.saturating_sub(ellipsis.len_utf8()));
    format!("{}{ellipsis}", &text[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_text_is_cut_at_a_character() {
        let long = "é".repeat(100);
        let cut = shortened(&long, 20);
        assert!(cut.len() <= 20 && cut.ends_with("é…"), "{cut}");
        assert_eq!(shortened("short", 20), "short");
    }

    #[test]
    fn the_code_is_what_is_serialised() {
        let reasons = [
            Reason::UnknownAttribute,
            Reason::WrongType {
                kind: Kind::Money,
                found: "boolean".to_owned(),
            },
            Reason::Unreadable {
                kind: Kind::DateTime,
                detail: String::new(),
            },
            Reason::Empty,
            Reason::NotFinite,
            Reason::Confidence,
            Reason::SecondValue,
            Reason::TooManyValues,
            Reason::TooLong,
            Reason::Properties,
            Reason::MissingRequired,
        ];
        for reason in reasons {
            let json = serde_json::to_value(&reason).unwrap();
            assert_eq!(json["code"], reason.code());
            assert_eq!(serde_json::from_value::<Reason>(json).unwrap(), reason);
        }
    }

    #[test]
    fn a_violation_reads_as_a_sentence() {
        let reason = Reason::Unreadable {
            kind: Kind::DateTime,
            detail: String::new(),
        };
        let violation = Violation::new("start", "soon", reason);
        assert_eq!(
            violation.to_string(),
            "start: can't be read as date-time: \"soon\""
        );
    }
}
