//! The changes of canonicalisation, each with its reason.

use std::fmt;

/// One thing that was changed. Shown, it is a plain phrase: `dropped the tracking key utm_source`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Change {
    /// White space or control characters around or inside the URL.
    WhiteSpace,
    /// Backslashes became slashes.
    Backslashes,
    /// The scheme was not in lower case.
    SchemeCase,
    /// The host was not in lower case.
    HostCase,
    /// The host was not in its ASCII form, or an address in another notation.
    HostForm,
    /// The dot at the end of the host.
    HostDot,
    /// The port that the scheme has anyway.
    DefaultPort,
    /// `.` and `..` in the path.
    DotSegments,
    /// A user name or password.
    Credentials,
    /// The part after `#`.
    Fragment,
    /// A part after `#!`, which browsers' scripts read and no server sees.
    HashBang,
    /// Characters that a URL writes with percent signs.
    Escaped,
    /// Percent signs before characters that need none.
    Unescaped,
    /// Hexadecimal digits in lower case.
    HexCase,
    /// Percent signs that start no escape.
    StrayPercent,
    /// A question mark with nothing behind it.
    EmptyQuery,
    /// Several `&` in a row, or one at an end.
    EmptyPairs,
    /// `amp;` before keys: left over when `&` is escaped twice.
    EntityDebris,
    /// Keys of the query came in another order.
    KeyOrder,
    /// A key that only identifies the sender of the visitor.
    TrackingKey(String),
    /// A key that only identifies the visitor.
    SessionKey(String),
    /// A parameter inside the path that only identifies the visitor.
    SessionParameter(String),
    /// A segment of the path that only identifies the visitor.
    SessionSegment,
    /// A key that was proven to change nothing on this site.
    IgnoredKey(String),
    /// The same of a parameter inside the path.
    IgnoredParameter(String),
    /// The origin's twin, with `www.` or without, which was proven to answer for it.
    TwinHost(String),
}

/// Names come from strangers' pages and go into sentences; real ones are shorter.
const MAX_NAME_LEN: usize = 64;

impl Change {
    /// A name for a message, cut when it is absurdly long.
    pub(super) fn name(name: &str) -> String {
        let end = name.floor_char_boundary(MAX_NAME_LEN);
        match name.len() > end {
            true => format!("{}…", &name[..end]),
            false => name.to_owned(),
        }
    }

    /// A short name that stays the same from version to version.
    pub fn code(&self) -> &'static str {
        match self {
            Change::WhiteSpace => "white-space",
            Change::Backslashes => "backslashes",
            Change::SchemeCase => "scheme-case",
            Change::HostCase => "host-case",
            Change::HostForm => "host-form",
            Change::HostDot => "host-dot",
            Change::DefaultPort => "default-port",
            Change::DotSegments => "dot-segments",
            Change::Credentials => "credentials",
            Change::Fragment => "fragment",
            Change::HashBang => "hash-bang",
            Change::Escaped => "escaped",
            Change::Unescaped => "unescaped",
            Change::HexCase => "hex-case",
            Change::StrayPercent => "stray-percent",
            Change::EmptyQuery => "empty-query",
            Change::EmptyPairs => "empty-pairs",
            Change::EntityDebris => "entity-debris",
            Change::KeyOrder => "key-order",
            Change::TrackingKey(_) => "tracking-key",
            Change::SessionKey(_) => "session-key",
            Change::SessionParameter(_) => "session-parameter",
            Change::SessionSegment => "session-segment",
            Change::IgnoredKey(_) => "ignored-key",
            Change::IgnoredParameter(_) => "ignored-parameter",
            Change::TwinHost(_) => "twin-host",
        }
    }
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let phrase = match self {
            Change::WhiteSpace => "removed whitespace and control characters",
            Change::Backslashes => "replaced backslashes by slashes, as browsers do",
            Change::SchemeCase => "lowercased the scheme",
            Change::HostCase => "lowercased the host",
            Change::HostForm => "converted the host to ASCII (Punycode)",
            Change::HostDot => "dropped the dot at the end of the host",
            Change::DefaultPort => "dropped the default port of the scheme",
            Change::DotSegments => "resolved . and .. in the path",
            Change::Credentials => "dropped the user name and password",
            Change::Fragment => "dropped the fragment, which is not sent to the server",
            Change::HashBang => "dropped the #! fragment, which only a browser's scripts can read",
            Change::Escaped => "percent-encoded characters that a URL may not hold",
            Change::Unescaped => "decoded percent-encoded letters, digits and - . _ ~",
            Change::HexCase => "uppercased percent-encoding",
            Change::StrayPercent => "encoded percent signs that start no escape as %25",
            Change::EmptyQuery => "dropped the empty query",
            Change::EmptyPairs => "dropped & without a key",
            Change::EntityDebris => "removed amp; left over from an & that was escaped twice",
            Change::KeyOrder => "sorted the keys of the query",
            Change::TrackingKey(key) => return write!(f, "dropped the tracking key {key}"),
            Change::SessionKey(key) => return write!(f, "dropped the session key {key}"),
            Change::SessionParameter(name) => {
                return write!(f, "dropped the session parameter {name} from the path");
            }
            Change::SessionSegment => "dropped the path segment that holds a session",
            Change::IgnoredKey(key) => {
                return write!(f, "dropped the key {key}, which changes nothing on this site");
            }
            Change::IgnoredParameter(name) => {
                return write!(
                    f,
                    "dropped the parameter {name} from the path, which changes nothing on this site"
                );
            }
            Change::TwinHost(origin) => {
                return write!(f, "replaced the origin by {origin}, which has the same pages");
            }
        };
        f.write_str(phrase)
    }
}
