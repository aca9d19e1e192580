//! The objects of a vertical as one Rust struct.

mod found;
mod kinds;
mod value;

pub use found::Found;
pub use kinds::{
    DateTime, Doi, Duration, Gtin, Image, Isbn, Issn, Language, Money, Mpn, Organisation, Person, Place,
    Rating, Sku, Url,
};
pub use value::{AttributeField, AttributeValue, Properties, ValueRef};

use crate::Error;
use crate::bindings::objects::{Field, Object};

/// What an object of a vertical is: a struct with `#[derive(Record)]`. See [`derive@crate::Record`].
pub trait Record: Sized {
    /// What one object is called: `Event`.
    const OBJECT_TYPE: &'static str;

    /// The attributes, in the order a person would read them.
    const SCHEMA: &'static [Attribute];

    /// Shows each value that is there, with its attribute's place in the schema.
    fn visit<'a>(&'a self, visitor: &mut dyn FnMut(usize, ValueRef<'a>));

    /// Makes a record of values, each with its attribute's place in the schema. Lenient: values
    /// that can't be read are left out.
    ///
    /// # Errors
    ///
    /// When nothing can be read for a field that is neither `Option` nor `Vec`.
    fn from_values(values: &[(usize, ValueRef<'_>)]) -> Result<Self, Error>;

    /// Reads an object as the host hands it over. Fields that the schema does not know are ignored.
    ///
    /// # Errors
    ///
    /// As [`Record::from_values`].
    fn from_object(object: &Object) -> Result<Self, Error> {
        let place = |path: &str| Self::SCHEMA.iter().position(|attribute| attribute.name == path);
        let values: Vec<(usize, ValueRef<'_>)> = (object.fields.iter())
            .filter_map(|field| Some((place(&field.path)?, (&field.value).into())))
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

/// One attribute of the schema; what each entry means stands at the contract's `attribute`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Attribute {
    /// Its name: `list-price`.
    pub name: &'static str,
    /// What the values mean: `date-time`, `identifier:isbn`.
    pub kind: &'static str,
    /// What a person reads in a table's head: `List price`.
    pub label: &'static str,
    /// An object without it is dropped.
    pub required: bool,
    /// There may be several values.
    pub repeated: bool,
    /// Two objects that differ in it are hardly the same.
    pub identifies: bool,
    /// Its value helps a search engine to find the object.
    pub query: bool,
    /// When this time has passed, the object is of no more interest.
    pub expires: bool,
    /// How much it counts when two objects are compared; 1 is usual.
    pub weight: f64,
}

/// What the derive's code calls. Not for anybody else.
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
                // An empty text is how code without `Option` says that there is nothing.
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
        let own = values.iter().filter(|(place, _)| *place == attribute);
        T::from_items(
            own.filter_map(|(_, value)| T::Item::from_value(value.clone()))
                .collect(),
        )
        .ok_or_else(|| Error::internal(format_args!("the object has no readable `{name}`")).about(name))
    }
}
