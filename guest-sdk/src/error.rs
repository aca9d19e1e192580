//! Error type of a plugin's calls.

use std::fmt;

use crate::bindings::objects;

/// Error of a call. A page without objects is an empty list, not an error.
///
/// The host records the error for this page and continues with the next one. Create an error with
/// the function that names the case: [`Error::unexpected_page`], [`Error::too_complex`],
/// [`Error::bad_option`], and [`Error::internal`] for everything else.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    code: String,
    message: String,
    attribute: Option<String>,
    retryable: bool,
}

impl Error {
    /// The page looks like one of the plugin's, but its structure is not understood.
    pub fn unexpected_page(message: impl fmt::Display) -> Self {
        Self::with_code("unexpected-page", message)
    }

    /// The page exceeds the plugin's own limits.
    pub fn too_complex(message: impl fmt::Display) -> Self {
        Self::with_code("too-complex", message)
    }

    /// An option has a value that the plugin can't use.
    pub fn bad_option(option: &str, message: impl fmt::Display) -> Self {
        Self::with_code("bad-option", message).about(option)
    }

    /// Features that this component did not make.
    pub fn bad_features(message: impl fmt::Display) -> Self {
        Self::with_code("bad-features", message)
    }

    /// A defect of the plugin. Also for errors of other libraries: `.map_err(Error::internal)?`.
    pub fn internal(message: impl fmt::Display) -> Self {
        Self::with_code("internal", message)
    }

    /// An error with any code of the contract's list.
    pub fn with_code(code: &str, message: impl fmt::Display) -> Self {
        Self {
            code: code.to_owned(),
            message: message.to_string(),
            attribute: None,
            retryable: false,
        }
    }

    /// Sets the attribute or option that the error is about.
    #[must_use]
    pub fn about(mut self, attribute: &str) -> Self {
        self.attribute = Some(attribute.to_owned());
        self
    }

    /// Error code: `unexpected-page`.
    pub fn code(&self) -> &str {
        &self.code
    }

    /// Message for a person, one sentence.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// Attribute or option that the error is about.
    pub fn attribute(&self) -> Option<&str> {
        self.attribute.as_deref()
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} [{}]", self.message, self.code)
    }
}

impl std::error::Error for Error {}

impl From<Error> for objects::Error {
    fn from(error: Error) -> Self {
        let Error {
            code,
            message,
            attribute,
            retryable,
        } = error;
        Self {
            code,
            message,
            attribute,
            retryable,
        }
    }
}

impl From<objects::Error> for Error {
    fn from(error: objects::Error) -> Self {
        let objects::Error {
            code,
            message,
            attribute,
            retryable,
        } = error;
        Self {
            code,
            message,
            attribute,
            retryable,
        }
    }
}
