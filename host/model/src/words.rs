//! Enums whose values are words of the workspace, with one mapping between the two.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::fmt::{self, Display, Formatter};

use serde::{Serialize, Serializer};

/// A word that is not a value of its enum.
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

            /// The words for [`Self::ALL`].
            pub const WORDS: [&'static str; [$($word),+].len()] = [$($word),+];

            /// The noun for any of the values, which is the heading of their words in the
            /// documentation.
            pub const NOUN: &'static str = $noun;

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

        impl $crate::schemars::JsonSchema for $name {
            fn inline_schema() -> bool {
                true
            }

            fn schema_name() -> ::std::borrow::Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(_: &mut $crate::schemars::SchemaGenerator) -> $crate::schemars::Schema {
                $crate::schemars::json_schema!({"type": "string", "enum": Self::WORDS})
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

/// Serialises an optional word as text that is empty for `None`.
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

words! {
    /// The purpose of a form.
    pub enum FormPurpose as "purpose of a form" {
        /// It finds objects by words.
        Search = "search",
        /// It narrows or sorts a list.
        Filter = "filter",
        /// It lets a user in.
        Login = "login",
        /// It makes an account.
        Registration = "registration",
        /// It recovers a password.
        Recovery = "recovery",
        /// It subscribes to a newsletter.
        Newsletter = "newsletter",
        /// It sends a message.
        Contact = "contact",
        /// It publishes a comment or a review.
        Comment = "comment",
        /// It orders, books or pays.
        Order = "order",
        /// It chooses a language, a country or a currency.
        Language = "language",
        /// Another purpose, or one that is not clear.
        Other = "other",
    }
}

words! {
    /// The kind of a rule about the URLs of a site.
    pub enum UrlRuleKind as "URL rule" {
        /// A key in URLs changes nothing and is dropped, or a twin host is replaced.
        NeedlessKey = "needless-key",
        /// The server redirects all orders of keys but its own, so the order of links is kept.
        OwnOrder = "own-order",
    }
}

/// Defines [`UrlReason`] with its words in one list.
macro_rules! url_reasons {
    ($($(#[$about:meta])* $reason:ident = $word:literal,)+) => {
        /// The reason for which a URL is not fetched, waits, or brought no page that counts.
        #[derive(Clone, Debug, PartialEq, Eq, Hash)]
        pub enum UrlReason {
            $($(#[$about])* $reason,)+
            /// The server answered with this status.
            Status(u16),
            /// A word of another version of Magpie: it is shown as it is, and nothing follows from
            /// it.
            Other(String),
        }

        impl UrlReason {
            /// The words that are no status.
            pub const WORDS: &[&str] = &[$($word),+];

            /// The heading of the words in the documentation.
            pub const NOUN: &str = "reason of a URL, problem of a page";

            /// Returns the word for it.
            pub fn as_str(&self) -> Cow<'_, str> {
                match self {
                    $(UrlReason::$reason => Cow::Borrowed($word),)+
                    UrlReason::Status(status) => Cow::Owned(format!("status-{status}")),
                    UrlReason::Other(word) => Cow::Borrowed(word),
                }
            }
        }

        impl From<&str> for UrlReason {
            fn from(word: &str) -> UrlReason {
                match word {
                    $($word => UrlReason::$reason,)+
                    word => {
                        let status = word.strip_prefix("status-").and_then(|status| status.parse().ok());
                        // `status-0404` is no word of ours: it would be written as another.
                        let status = status.map(UrlReason::Status).filter(|reason| reason.as_str() == word);
                        status.unwrap_or_else(|| UrlReason::Other(word.to_owned()))
                    }
                }
            }
        }

        #[cfg(test)]
        const URL_REASONS: &[(&str, UrlReason)] = &[$(($word, UrlReason::$reason)),+];
    };
}

url_reasons! {
    /// The robots.txt forbids it.
    Robots = "robots",
    /// The robots.txt could not be fetched.
    RobotsUnreachable = "robots-unreachable",
    /// Its address is not one that may be asked.
    RefusedAddress = "refused-address",
    /// Its media type is not wanted.
    MediaType = "media-type",
    /// It asks crawlers not to follow its links.
    Nofollow = "nofollow",
    /// It asks crawlers not to read it.
    Noindex = "noindex",
    /// It is a page for what is not there, answered as if it were.
    SoftNotFound = "soft-404",
    /// It redirects to itself.
    RedirectCircle = "redirect-circle",
    /// Too many redirects lead to it.
    TooManyRedirects = "too-many-redirects",
    /// It redirects to what is no URL.
    BadRedirect = "bad-redirect",
    /// Its content coding can't be undone.
    Coding = "coding",
    /// It has another canonical URL since it was found.
    OtherName = "other-name",
    /// It stands for a form that is sent by POST, which only the search sends.
    Post = "post",
    /// It is no URL that can be asked for.
    NoUrl = "no-url",
    /// Its text is nearly that of another page.
    NearDuplicate = "near-duplicate",
    /// The recrawl under way has no use for it.
    NotPlanned = "not-planned",
    /// A thread that worked on it ended with an error of Magpie's own.
    Internal = "internal",
    /// Workers were killed each time that they fetched or read it.
    KilledWorker = "killed-worker",
    /// The archive with its body was lost.
    ArchiveLost = "archive-lost",
    /// The body is longer than the limit.
    CutLength = "cut-length",
    /// The body came too slowly.
    CutTime = "cut-time",
    /// The connection broke before the body was whole.
    CutDisconnect = "cut-disconnect",
    /// The body is not whole for another reason.
    CutUnspecified = "cut-unspecified",
    /// The request could not be made.
    Request = "request",
    /// The name of its host can't be resolved.
    Dns = "dns",
    /// Its host can't be reached.
    Connect = "connect",
    /// The proxy refused.
    Proxy = "proxy",
    /// No secure connection could be made.
    Tls = "tls",
    /// The answer took too long.
    Timeout = "timeout",
    /// The connection broke before an answer.
    Disconnected = "disconnected",
    /// The answer is no HTTP.
    Protocol = "protocol",
    /// The head of the answer is larger than the limit.
    TooLarge = "too-large",
    /// A browser could not show it.
    NotRendered = "not-rendered",
    /// The archive that is asked instead of the server has no answer.
    NotArchived = "not-archived",
    /// It is of another host, and the crawl stays on its hosts.
    OtherHost = "other-host",
    /// It is of another site, and the crawl stays on its sites.
    OtherSite = "other-site",
    /// Its host is not on the list.
    UnlistedHost = "unlisted-host",
    /// A pattern excludes it.
    Excluded = "excluded",
    /// It was removed by `magpie forget`.
    Forgotten = "forgotten",
    /// No pattern includes it.
    NotIncluded = "not-included",
    /// It is too many links away from a seed.
    TooDeep = "too-deep",
    /// The URL exceeds the maximum length.
    TooLong = "too-long",
    /// Its path has too many segments.
    TooManySegments = "too-many-segments",
    /// A segment repeats in its path.
    RepeatedSegment = "repeated-segment",
    /// Its path repeats a part.
    PathLoop = "path-loop",
    /// A pair repeats in its query.
    RepeatedPair = "repeated-pair",
    /// Paths of its kind grow from page to page.
    PathGrowth = "path-growth",
    /// Its query has too many keys.
    TooManyKeys = "too-many-keys",
    /// It is a page of a calendar too far from today.
    FarDate = "far-date",
    /// It is a page of a calendar that has nothing.
    EmptyCalendar = "empty-calendar",
    /// Its path has too many sets of keys.
    TooManyKeySets = "too-many-key-sets",
    /// Pages of its kind bring nothing new.
    NothingNew = "nothing-new",
    /// It does something, as a link to a basket does.
    Acts = "acts",
    /// It shows a page again in another form.
    ShowsAgain = "shows-again",
    /// It is a service and no page.
    Service = "service",
    /// Pages of its kind never had an object.
    Barren = "barren",
    /// It ends like files of the site, which are no pages.
    File = "file",
    /// URLs of its form are answered with no page.
    NoPages = "no-pages",
}

impl PartialOrd for UrlReason {
    fn partial_cmp(&self, other: &UrlReason) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for UrlReason {
    /// Orders by the words, as lists of them are shown.
    fn cmp(&self, other: &UrlReason) -> Ordering {
        self.as_str().cmp(&other.as_str())
    }
}

impl Display for UrlReason {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.pad(&self.as_str())
    }
}

impl Serialize for UrlReason {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_is_read_as_the_reason_that_writes_it() {
        for (word, reason) in URL_REASONS {
            assert_eq!((&UrlReason::from(*word), &*reason.as_str()), (reason, *word));
        }
        assert_eq!(UrlReason::from("status-503"), UrlReason::Status(503));
        for word in ["status-0503", "status-", "status-70000", "of-tomorrow", ""] {
            assert_eq!(UrlReason::from(word), UrlReason::Other(word.to_owned()));
            assert_eq!(UrlReason::from(word).as_str(), word);
        }
    }
}
