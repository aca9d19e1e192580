//! Names of people, organisations and places: taken apart, put in order, compared.

mod address;
mod compare;
mod lists;
mod organisation;
mod people;
mod person;
mod place;
mod postcode;
mod street;

pub use address::Address;
pub use organisation::{organisation_core, organisation_similarity};
pub use people::{Credit, parse_people};
pub use person::PersonName;
pub use place::place_similarity;
pub use postcode::postcode;
pub use street::street_key;

#[cfg(test)]
mod tests;
