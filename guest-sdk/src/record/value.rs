//! Conversion of Rust types in records to and from the contract's values.

use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::bindings::objects::Value;

/// A flat map of names to values, for properties that only some objects have: `{"weight": "1.2
/// kg"}`.
pub type Properties = BTreeMap<String, String>;

/// A type that holds one value of an attribute.
///
/// Implement it for a type of your own to use that in a record:
///
/// ```
/// use std::borrow::Cow;
/// use magpie_sdk::{AttributeValue, ValueRef};
///
/// #[derive(Clone, Debug, PartialEq)]
/// enum Format { Paperback, Hardcover }
///
/// impl AttributeValue for Format {
///     const KIND: &'static str = "text";
///
///     fn value(&self) -> ValueRef<'_> {
///         ValueRef::Text(Cow::Borrowed(match self {
///             Self::Paperback => "paperback",
///             Self::Hardcover => "hardcover",
///         }))
///     }
///
///     fn from_value(value: ValueRef<'_>) -> Option<Self> {
///         match &*value.to_text() {
///             "paperback" => Some(Self::Paperback),
///             "hardcover" => Some(Self::Hardcover),
///             _ => None,
///         }
///     }
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` can't be a value of an attribute",
    label = "no kind of value",
    note = "use `String`, `bool`, a number, or a type of `magpie_sdk` such as `DateTime`, `Duration` (not that of \
            `std::time`), `Money` or `Url`; or implement `AttributeValue` for `{Self}`"
)]
pub trait AttributeValue: Sized {
    /// Kind of values of this type, unless the attribute sets another.
    const KIND: &'static str;

    /// The value as sent to the host.
    fn value(&self) -> ValueRef<'_>;

    /// Converts a value from the host; `None` if it is invalid.
    fn from_value(value: ValueRef<'_>) -> Option<Self>;
}

/// One value, sent to or received from the host.
#[derive(Clone, Debug, PartialEq)]
pub enum ValueRef<'a> {
    /// Text as found.
    Text(Cow<'a, str>),
    /// An integer.
    Integer(i64),
    /// Any other number.
    Real(f64),
    /// A boolean.
    Boolean(bool),
    /// A JSON document.
    Json(Cow<'a, str>),
}

impl<'a> ValueRef<'a> {
    /// Returns a value of any type as text.
    pub fn to_text(&self) -> Cow<'_, str> {
        match self {
            Self::Text(text) | Self::Json(text) => Cow::Borrowed(text),
            Self::Integer(number) => Cow::Owned(number.to_string()),
            Self::Real(number) => Cow::Owned(number.to_string()),
            Self::Boolean(truth) => Cow::Borrowed(if *truth { "true" } else { "false" }),
        }
    }

    /// Converts to the contract's type.
    pub fn into_value(self) -> Value {
        match self {
            Self::Text(text) => Value::Text(text.into_owned()),
            Self::Integer(number) => Value::Integer(number),
            Self::Real(number) => Value::Real(number),
            Self::Boolean(truth) => Value::Boolean(truth),
            Self::Json(text) => Value::Json(text.into_owned()),
        }
    }

    /// Converts a value of any type to an owned text.
    pub fn into_text(self) -> String {
        match self {
            Self::Text(text) | Self::Json(text) => text.into_owned(),
            other => other.to_text().into_owned(),
        }
    }
}

impl<'a> From<&'a Value> for ValueRef<'a> {
    fn from(value: &'a Value) -> Self {
        match value {
            Value::Text(text) => Self::Text(Cow::Borrowed(text)),
            Value::Integer(number) => Self::Integer(*number),
            Value::Real(number) => Self::Real(*number),
            Value::Boolean(truth) => Self::Boolean(*truth),
            Value::Json(text) => Self::Json(Cow::Borrowed(text)),
        }
    }
}

/// A field of a record: one value (required), `Option` of one, or `Vec` of them.
///
/// Do not implement this trait; implement [`AttributeValue`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` can't be a field of a record",
    label = "no kind of value",
    note = "use `T`, `Option<T>` or `Vec<T>`, where `T` is `String`, `bool`, a number, a type of `magpie_sdk` such as \
            `DateTime`, `Duration` (not that of `std::time`), `Money` or `Url`, or a type of yours that implements \
            `AttributeValue`"
)]
pub trait AttributeField: Sized {
    /// Type of one value.
    type Item: AttributeValue;
    /// True if an object must have a value.
    const REQUIRED: bool;
    /// True if there may be several values.
    const REPEATED: bool;

    /// Values of the field.
    fn items(&self) -> &[Self::Item];

    /// Creates the field from the valid values; `None` if a required value is missing.
    fn from_items(items: Vec<Self::Item>) -> Option<Self>;
}

impl<T: AttributeValue> AttributeField for T {
    type Item = T;
    const REQUIRED: bool = true;
    const REPEATED: bool = false;

    fn items(&self) -> &[T] {
        std::slice::from_ref(self)
    }

    fn from_items(items: Vec<T>) -> Option<Self> {
        items.into_iter().next()
    }
}

impl<T: AttributeValue> AttributeField for Option<T> {
    type Item = T;
    const REQUIRED: bool = false;
    const REPEATED: bool = false;

    fn items(&self) -> &[T] {
        self.as_slice()
    }

    fn from_items(items: Vec<T>) -> Option<Self> {
        Some(items.into_iter().next())
    }
}

impl<T: AttributeValue> AttributeField for Vec<T> {
    type Item = T;
    const REQUIRED: bool = false;
    const REPEATED: bool = true;

    fn items(&self) -> &[T] {
        self
    }

    fn from_items(items: Vec<T>) -> Option<Self> {
        Some(items)
    }
}

impl AttributeValue for String {
    const KIND: &'static str = "text";

    fn value(&self) -> ValueRef<'_> {
        ValueRef::Text(Cow::Borrowed(self))
    }

    fn from_value(value: ValueRef<'_>) -> Option<Self> {
        Some(value.into_text()).filter(|text| !text.is_empty())
    }
}

impl AttributeValue for bool {
    const KIND: &'static str = "boolean";

    fn value(&self) -> ValueRef<'_> {
        ValueRef::Boolean(*self)
    }

    fn from_value(value: ValueRef<'_>) -> Option<Self> {
        match value {
            ValueRef::Boolean(truth) => Some(truth),
            other => other.to_text().trim().parse().ok(),
        }
    }
}

macro_rules! whole_numbers {
    ($($number:ty)*) => {$(
        impl AttributeValue for $number {
            const KIND: &'static str = "number";

            fn value(&self) -> ValueRef<'_> {
                // No real count exceeds 64 bits with a sign.
                ValueRef::Integer(i64::try_from(*self).unwrap_or(i64::MAX))
            }

            fn from_value(value: ValueRef<'_>) -> Option<Self> {
                match value {
                    ValueRef::Integer(number) => Self::try_from(number).ok(),
                    ValueRef::Real(number) if number.fract() == 0.0 => Self::try_from(number as i64).ok(),
                    other => other.to_text().trim().parse().ok(),
                }
            }
        }
    )*};
}

whole_numbers!(i64 u64 i32 u32 i16 u16 u8 usize);

impl AttributeValue for f64 {
    const KIND: &'static str = "number";

    fn value(&self) -> ValueRef<'_> {
        ValueRef::Real(*self)
    }

    fn from_value(value: ValueRef<'_>) -> Option<Self> {
        let number = match value {
            ValueRef::Real(number) => number,
            ValueRef::Integer(number) => number as Self,
            other => other.to_text().trim().parse().ok()?,
        };
        Some(number).filter(|number| number.is_finite())
    }
}

impl AttributeValue for Properties {
    const KIND: &'static str = "properties";

    fn value(&self) -> ValueRef<'_> {
        let object = self
            .iter()
            .map(|(name, value)| (name.clone(), value.as_str().into()));
        ValueRef::Json(Cow::Owned(
            serde_json::Value::Object(object.collect()).to_string(),
        ))
    }

    fn from_value(value: ValueRef<'_>) -> Option<Self> {
        let serde_json::Value::Object(object) = serde_json::from_str(&value.to_text()).ok()? else {
            return None;
        };
        let text = |value| match value {
            serde_json::Value::String(text) => text,
            other => other.to_string(),
        };
        Some(
            object
                .into_iter()
                .map(|(name, value)| (name, text(value)))
                .collect(),
        )
    }
}
