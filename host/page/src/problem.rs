//! Problems of a page. A bad page is still a page: it comes with a list of these.

use std::fmt;

/// One thing that was wrong with a page.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Problem {
    /// The body is longer than the limit; the rest was not read.
    Truncated {
        /// Bytes that were read.
        read: usize,
        /// Bytes there were.
        of: usize,
    },
    /// A charset that does not exist, or text that does not fit the charset it claims.
    BadCharset {
        /// Encoding that the page or its headers claimed.
        claimed: String,
        /// Encoding that was used.
        used: &'static str,
    },
    /// Elements nest deeper than the limit; deeper tags were left out.
    TooDeep {
        /// The limit.
        limit: usize,
    },
    /// There are more nodes than the limit; the rest of the page was left out.
    TooManyNodes {
        /// The limit.
        limit: usize,
    },
    /// The markup costs more work than the limit; the rest of the page was left out.
    TooMuchWork,
    /// An element has more attributes than the limit, or the page more than can be kept.
    TooManyAttributes,
    /// The page uses more different tag or attribute names than can be numbered.
    TooManyNames,
    /// A JSON-LD script that could not be read.
    BrokenJsonLd {
        /// Number of the script among the page's JSON-LD scripts, counted from 1.
        script: usize,
        /// Reason of the problem.
        reason: String,
    },
    /// There is more structured data than the limit; the rest was left out.
    TooMuchStructuredData,
}

impl Problem {
    /// A short name that stays the same from version to version.
    pub fn code(&self) -> &'static str {
        match self {
            Problem::Truncated { .. } => "truncated",
            Problem::BadCharset { .. } => "bad-charset",
            Problem::TooDeep { .. } => "too-deep",
            Problem::TooManyNodes { .. } => "too-many-nodes",
            Problem::TooMuchWork => "too-much-work",
            Problem::TooManyAttributes => "too-many-attributes",
            Problem::TooManyNames => "too-many-names",
            Problem::BrokenJsonLd { .. } => "broken-json-ld",
            Problem::TooMuchStructuredData => "too-much-structured-data",
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Problem::Truncated { read, of } => {
                write!(f, "the body has {of} bytes; only the first {read} were read")
            }
            Problem::BadCharset { claimed, used } => {
                write!(
                    f,
                    "the charset {claimed:?} is unknown or does not fit the text, which was read as {used}"
                )
            }
            Problem::TooDeep { limit } => {
                write!(f, "elements nest deeper than {limit}; deeper tags were dropped")
            }
            Problem::TooManyNodes { limit } => {
                write!(
                    f,
                    "there are more than {limit} nodes; the rest of the page was dropped"
                )
            }
            Problem::TooMuchWork => f.write_str(
                "the markup is too deeply tangled to parse in time; the rest of the page was dropped",
            ),
            Problem::TooManyAttributes => f.write_str("there are too many attributes; some were dropped"),
            Problem::TooManyNames => f.write_str("there are too many different names; some were dropped"),
            Problem::BrokenJsonLd { script, reason } => {
                write!(f, "JSON-LD script {script} can't be parsed: {reason}")
            }
            Problem::TooMuchStructuredData => {
                f.write_str("there is too much structured data; some was dropped")
            }
        }
    }
}
