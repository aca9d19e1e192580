//! Objects of a vertical as a Rust struct.

mod found;
pub(crate) mod kinds;
mod value;

pub use found::Found;
pub use value::{AttributeField, AttributeValue, Properties, ValueRef};

use crate::Error;
use crate::bindings::objects::{Field, Object};

/// A type of objects of a vertical: a struct with `#[derive(Record)]`. See
/// [`derive@crate::Record`].
pub trait Record: Sized {
    /// Name of one object: `Event`.
    const OBJECT_TYPE: &'static str;

    /// Attributes, in the order in which a person would read them.
    const SCHEMA: &'static [Attribute];

    /// Calls the visitor with each value and the index of its attribute in the schema.
    fn visit<'a>(&'a self, visitor: &mut dyn FnMut(usize, ValueRef<'a>));

    /// Creates a record from values, each with the index of its attribute in the schema. Values
    /// that can't be converted are skipped.
    ///
    /// # Errors
    ///
    /// Fails if there is no valid value for a field that is neither `Option` nor `Vec`.
    fn from_values(values: &[(usize, ValueRef<'_>)]) -> Result<Self, Error>;

    /// Converts an object from the host. Fields that the schema does not have are ignored.
    ///
    /// # Errors
    ///
    /// As for [`Record::from_values`].
    fn from_object(object: &Object) -> Result<Self, Error> {
        let index = |path: &str| Self::SCHEMA.iter().position(|attribute| attribute.name == path);
        let values: Vec<(usize, ValueRef<'_>)> = (object.fields.iter())
            .filter_map(|field| Some((index(&field.path)?, (&field.value).into())))
            .collect();
        Self::from_values(&values)
    }

    /// The fields as the host takes them, without nodes.
    fn fields(&self) -> Vec<Field> {
        let mut fields = Vec::new();
        self.visit(&mut |attribute, value| {
            let path = Self::SCHEMA[attribute].name.to_owned();
            fields.push(Field {
                path,
                value: value.into_value(),
                node: None,
            });
        });
        fields
    }
}

/// One attribute of the schema; the contract documents its entries (`attribute`).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Attribute {
    /// Name of the attribute: `list-price`.
    pub name: &'static str,
    /// Kind of the values: `date-time`, `identifier:isbn`.
    pub kind: &'static str,
    /// Column heading for people: `List price`.
    pub label: &'static str,
    /// True if an object without this attribute is dropped.
    pub required: bool,
    /// True if there may be several values.
    pub repeated: bool,
    /// True if two objects that differ in this attribute are hardly the same.
    pub identifies: bool,
    /// True if the value helps a search engine to find the object.
    pub query: bool,
    /// True if the object is no longer of interest once this time has passed.
    pub expires: bool,
    /// Weight in the comparison of two objects; 1 is usual.
    pub weight: f64,
    /// Property of schema.org that has the values: `startDate`, `offers.price`.
    pub schema_org: Option<&'static str>,
}

/// Functions for the code of the derive macro only.
#[doc(hidden)]
pub mod derived {
    use super::{AttributeField, AttributeValue, ValueRef};
    use crate::Error;

    pub fn visit<'a, T: AttributeField>(
        field: &'a T,
        attribute: usize,
        visitor: &mut dyn FnMut(usize, ValueRef<'a>),
    ) {
        for item in field.items() {
            match item.value() {
                // Code without `Option` uses an empty text for a missing value.
                ValueRef::Text(text) if text.trim().is_empty() => {}
                value => visitor(attribute, value),
            }
        }
    }

    pub fn read<T: AttributeField>(
        values: &[(usize, ValueRef<'_>)],
        attribute: usize,
        name: &str,
    ) -> Result<T, Error> {
        let own = values.iter().filter(|(index, _)| *index == attribute);
        T::from_items(
            own.filter_map(|(_, value)| T::Item::from_value(value.clone()))
                .collect(),
        )
        .ok_or_else(|| Error::internal(format_args!("the object has no readable `{name}`")).about(name))
    }
}
