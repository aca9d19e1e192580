//! The nouns: what a vertical says of itself, what a plugin found, what the host makes of it.
//!
//! - [`VerticalInfo`] is the schema a component declares: attributes with their [`Kind`], options, routing.
//! - [`Object`] is what a plugin wrote, as it wrote it.
//! - [`Record`] is an object after the host checked and normalised it against the schema ([`check`]).
//! - [`Matcher`] says which objects may be the same: a component's clusterer, or the schema.
//! - [`resolve_options`] checks what a user set against what a plugin declares.
//! - [`words!`] defines enums that the workspace keeps as words.
//! - [`CanonicalUrl`] names a page, [`UrlFingerprint`] is its number; [`HostKey`] and [`SiteKey`] say whose page it is.
//!
//! No I/O, no clock. Semantic kinds are known here; verticals are not.

mod check;
mod matcher;
mod normal;
mod object;
mod object_violation;
mod options;
mod problems;
mod record;
mod schema;
mod url;
mod violation;
mod words;

pub use self::url::{CanonicalUrl, HostKey, SiteKey, UrlFingerprint};
pub use check::{Checked, LONGEST_RAW, MOST_VALUES, PageContext, check};
pub use matcher::{Choice, Key, Matcher, Merged, Prepared, Verdict};
pub use object::{Field, Object, PluginError, Query, Value};
pub use object_violation::{Consequence, ObjectViolation, grouped, lacks};
pub use options::{OptionProblem, ResolvedOptions, resolve_options};
pub use problems::{MOST_ATTRIBUTES, MOST_OPTIONS, Problem, Severity};
pub use record::{Record, RecordValue};
pub use schema::{Attribute, Kind, OptionKind, OptionSpec, Routing, VerticalInfo};
pub use violation::{Reason, Violation};
pub use words::{Alarm, UnknownWord, UrlReason, word_or_empty};

#[doc(hidden)]
pub use serde;
