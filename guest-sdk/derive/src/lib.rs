//! The derive of `magpie-sdk`: schema and conversion from one struct.
//!
//! `magpie_sdk::Record` documents it for authors.

mod attributes;
mod expand;
mod names;

use proc_macro::TokenStream;
use syn::{DeriveInput, parse_macro_input};

/// Makes a struct the record of a vertical: its fields become the attributes of the schema.
///
/// ```ignore
/// #[derive(magpie_sdk::Record, Clone, Debug, PartialEq)]
/// #[record(name = "Event")]
/// struct Event {
///     #[attribute(identifies, query, weight = 2.0)]
///     name: String,
///     #[attribute(identifies, expires)]
///     start: Option<DateTime>,
///     #[attribute(kind = "place", query)]
///     venue: Option<String>,
///     #[attribute(kind = "person")]
///     performers: Vec<String>,
///     price: Option<Money>,
/// }
/// ```
///
/// A field's type says three things: `Option<T>` is optional, `Vec<T>` repeated, anything else
/// required; and `T` gives the kind (`String` is `text`, `DateTime` is `date-time`, …).
///
/// On the struct, `#[record(…)]` takes
///
/// - `name = "Event"`: what one object is called; else the struct's name.
///
/// On a field, `#[attribute(…)]` takes, separated by commas,
///
/// - `identifies`: two objects that differ in it are hardly the same;
/// - `query`: its value helps a search engine to find the object;
/// - `expires`: when this time has passed, the object is of no more interest;
/// - `required`: an object without it is dropped, though the field is an `Option` or `Vec`;
/// - `weight = 2.0`: how much it counts when two objects are compared; 1 unless given;
/// - `kind = "place"`: another kind than the type's;
/// - `rename = "list-price"`: another name than the field's, which has `_` turned into `-`;
/// - `label = "Listed at"`: another label than the one made of the name;
/// - `skip`: not an attribute at all; its type must be `Default`.
#[proc_macro_derive(Record, attributes(record, attribute))]
pub fn derive_record(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    expand::record(&input)
        .unwrap_or_else(syn::Error::into_compile_error)
        .into()
}
