//! Options set by the user of a plugin.

use serde_json::Value;

use crate::{Error, backend};

/// Returns the value of an option declared in [`About`](crate::About): as set by the user, or else
/// its default.
///
/// ```
/// # use magpie_sdk::{Error, testing};
/// # fn main() -> Result<(), Error> {
/// # testing::set_option("max-rows", "50");
/// let max_rows: usize = magpie_sdk::option("max-rows")?;
/// assert_eq!(max_rows, 50);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// Fails with `bad-option` if the option is not declared or its value does not fit the type.
pub fn option<T: OptionValue>(name: &str) -> Result<T, Error> {
    let text = backend::option(name)
        .ok_or_else(|| Error::bad_option(name, format_args!("the plugin does not declare `{name}`")))?;
    serde_json::from_str(&text)
        .ok()
        .and_then(|json| T::from_json(&json))
        .ok_or_else(|| {
            Error::bad_option(
                name,
                format_args!("`{name}` can't be {text}: wanted {}", T::WANTED),
            )
        })
}

/// A type in which an option can be read.
pub trait OptionValue: Sized {
    /// Description of the expected type, for the error message.
    const WANTED: &'static str;

    /// Converts the JSON value of an option.
    fn from_json(json: &Value) -> Option<Self>;
}

impl OptionValue for String {
    const WANTED: &'static str = "text";

    fn from_json(json: &Value) -> Option<Self> {
        json.as_str().map(str::to_owned)
    }
}

impl OptionValue for bool {
    const WANTED: &'static str = "true or false";

    fn from_json(json: &Value) -> Option<Self> {
        json.as_bool()
    }
}

impl OptionValue for f64 {
    const WANTED: &'static str = "a number";

    fn from_json(json: &Value) -> Option<Self> {
        json.as_f64()
    }
}

macro_rules! whole_numbers {
    ($($number:ty)*) => {$(
        impl OptionValue for $number {
            const WANTED: &'static str = "a whole number";

            fn from_json(json: &Value) -> Option<Self> {
                json.as_i64().and_then(|number| Self::try_from(number).ok())
            }
        }
    )*};
}

whole_numbers!(i64 u64 i32 u32 usize);
