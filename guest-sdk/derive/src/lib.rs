//! Derive macro of `magpie-sdk`: schema and conversion from one struct.
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
/// A field's type determines three properties. `Option<T>` is optional, `Vec<T>` repeated, anything
/// else required. `T` gives the kind (`String` is `text`, `DateTime` is `date-time`, …).
///
/// On the struct, `#[record(…)]` takes
///
/// - `name = "Event"`: name of one object; by default the struct's name.
///
/// On a field, `#[attribute(…)]` takes, separated by commas,
///
/// - `identifies`: two objects that differ in it are hardly the same;
/// - `query`: its value helps a search engine to find the object;
/// - `expires`: the object is no longer of interest once this time has passed;
/// - `required`: an object without it is dropped, although the field is an `Option` or `Vec`;
/// - `weight = 2.0`: its weight in the comparison of two objects; 1 by default;
/// - `kind = "place"`: another kind than the type's;
/// - `rename = "list-price"`: another name than the field's, whose `_` become `-`;
/// - `label = "Listed at"`: another label than the one derived from the name;
/// - `schema_org = "startDate"`: the property of schema.org that has the values, a path such as
///   `offers.price` if it is not the object's own;
/// - `skip`: the field is not an attribute; its type must be `Default`.
#[proc_macro_derive(Record, attributes(record, attribute))]
pub fn derive_record(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    expand::record(&input)
        .unwrap_or_else(|error| expand::refused(&input, &error))
        .into()
}
