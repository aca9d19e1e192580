//! The data model: the description of a vertical, the objects of a plugin, and the records that the
//! host makes of them.
//!
//! - [`VerticalInfo`] is the schema that a component declares: attributes with their [`Kind`],
//!   options, routing.
//! - [`Object`] is the unchanged output of a plugin.
//! - [`Record`] is an object that the host checked and normalised against the schema ([`check`]).
//! - [`Matcher`] decides which records may be one object: the clusterer of a component, or the
//!   schema.
//! - [`json`] has the types of the JSON that is given out.
//! - [`resolve_options`] checks options of a user against those that a plugin declares.
//! - [`words!`] defines enums that the workspace keeps as words.
//! - [`CanonicalUrl`] identifies a page, [`UrlFingerprint`] is its hash; [`HostKey`] and
//!   [`SiteKey`] name its host and its site. [`PostedForm`] names the answers to forms sent by
//!   POST.
//!
//! No I/O, no clock. Semantic kinds are known here; verticals are not.

#![warn(missing_docs)]

pub mod json;

mod check;
mod digest;
mod judgement;
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

pub use self::url::{CanonicalUrl, HostKey, PostedForm, SiteKey, UrlFingerprint};
pub use check::{Checked, MAX_VALUES, PageContext, check};
pub use digest::short_digest;
pub use judgement::Judgement;
pub use matcher::{Choice, Key, Matcher, Merged, Pair, Prepared, Verdict};
pub use object::{Field, Object, PluginError, Query, Value};
pub use object_violation::{Consequence, ObjectViolation, ViolationView, grouped, lacks};
pub use options::{OptionProblem, ResolvedOptions, resolve_options};
pub use problems::{Problem, Severity};
pub use record::{Record, RecordValue};
pub use schema::{
    Attribute, Kind, OptionKind, OptionSpec, PAGE_ATTRIBUTE, Routing, TITLE_ATTRIBUTE, VerticalInfo,
    page_attributes,
};
pub use violation::{Reason, Violation};
pub use words::{Alarm, FormPurpose, UnknownWord, UrlReason, UrlRuleKind, word_or_empty};

#[doc(hidden)]
pub use schemars;
#[doc(hidden)]
pub use serde;
