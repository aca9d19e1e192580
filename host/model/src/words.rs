//! Enums whose values are words of the workspace, with one mapping between the two.

/// A word that stands for no value of its enum.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown {noun} `{word}`: another version of Magpie wrote it; open the workspace with that version")]
pub struct UnknownWord {
    /// The thing that the word was to name.
    pub noun: &'static str,
    /// The word.
    pub word: String,
}

/// Defines an enum whose values are words: in the workspace, in JSON, and wherever programs read
/// them. `as_str` and `FromStr` are the only mapping between the two.
///
/// ```
/// magpie_model::words! {
///     /// A light.
///     pub enum Light as "light" {
///         /// Stop.
///         Red = "red",
///         /// Go.
///         Green = "green",
///     }
/// }
/// assert_eq!(Light::Red.as_str(), "red");
/// assert_eq!("green".parse(), Ok(Light::Green));
/// assert!("blue".parse::<Light>().is_err());
/// ```
#[macro_export]
macro_rules! words {
    (
        $(#[$about:meta])*
        $visibility:vis enum $name:ident as $noun:literal {
            $($(#[$of_value:meta])* $value:ident = $word:literal,)+
        }
    ) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        $visibility enum $name {
            $($(#[$of_value])* $value,)+
        }

        impl $name {
            /// All values, in their order.
            pub const ALL: [$name; [$($word),+].len()] = [$($name::$value),+];

            /// Returns the word for it.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $($name::$value => $word,)+
                }
            }
        }

        impl ::std::str::FromStr for $name {
            type Err = $crate::UnknownWord;

            fn from_str(word: &str) -> ::std::result::Result<Self, Self::Err> {
                match word {
                    $($word => Ok($name::$value),)+
                    word => Err($crate::UnknownWord { noun: $noun, word: word.to_owned() }),
                }
            }
        }

        impl ::std::fmt::Display for $name {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                f.pad(self.as_str())
            }
        }

        impl $crate::serde::Serialize for $name {
            fn serialize<S: $crate::serde::Serializer>(
                &self,
                serializer: S,
            ) -> ::std::result::Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }

        impl<'de> $crate::serde::Deserialize<'de> for $name {
            fn deserialize<D: $crate::serde::Deserializer<'de>>(
                deserializer: D,
            ) -> ::std::result::Result<Self, D::Error> {
                let word = <::std::string::String as $crate::serde::Deserialize>::deserialize(deserializer)?;
                word.parse().map_err($crate::serde::de::Error::custom)
            }
        }
    };
}

/// Serialises an optional word as text that is empty where there is none.
pub mod word_or_empty {
    use std::fmt::Display;
    use std::str::FromStr;

    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    /// Writes the word, or an empty text.
    pub fn serialize<T: Display, S: Serializer>(word: &Option<T>, serializer: S) -> Result<S::Ok, S::Error> {
        match word {
            Some(word) => serializer.collect_str(word),
            None => serializer.serialize_str(""),
        }
    }

    /// Reads what [`serialize`] wrote.
    pub fn deserialize<'de, T, D>(deserializer: D) -> Result<Option<T>, D::Error>
    where
        T: FromStr<Err: Display>,
        D: Deserializer<'de>,
    {
        match String::deserialize(deserializer)?.as_str() {
            "" => Ok(None),
            word => word.parse().map(Some).map_err(D::Error::custom),
        }
    }
}

words! {
    /// The reason to call a URL pattern broken.
    pub enum Alarm as "alarm" {
        /// Its pages bring objects less often than they did.
        Yield = "yield",
        /// Its pages fail more often than they did.
        Failures = "failures",
    }
}
