//! Names of people, organisations and places: taken apart, put in order, compared.

mod organisation;
mod people;
mod person;
mod place;

pub use organisation::{organisation_core, organisation_similarity};
pub use people::{Credit, parse_people};
pub use person::PersonName;
pub use place::{Address, place_similarity, postcode, street_key};

#[cfg(test)]
mod tests;
