//! Purposes of forms and fields, and forms that may be sent.
//!
//! [`classify`] combines rules that always hold with a linear model over named features. Its
//! weights are data, `weights.txt`, made by `magpie-lab train forms --write` from annotated forms.
//! [`check_safe_to_send`] admits only forms that search or filter, and none that may change
//! anything on a server.

mod classify;
mod features;
mod fields;
mod filters;
mod links;
mod model;
mod safety;
pub(crate) mod words;

pub use classify::{Classified, classify};
pub use features::form_features;
pub use fields::{FieldPurpose, field_purpose, query_field};
pub use filters::{FilterInput, filter_inputs};
pub use links::form_links;
pub use magpie_model::FormPurpose;
pub use model::Model;
pub use safety::{MIN_CONFIDENCE, Unsafe, check_safe_to_send, link_deed};
