//! Session identifiers: sites put them into URLs to recognise visitors without cookies.

use super::Change;
use super::keys::{Keys, MAYBE_SESSIONS, SESSIONS};

/// Minimum length of a session ID: 16 characters of hex are 64 random bits.
const MIN_IDENTIFIER_LEN: usize = 16;

/// Minimum number of digits in a session ID: words and slugs have none or a year.
const MIN_DIGITS: usize = 4;

/// The length of the identifier in ASP.NET's path segments.
const ASP_IDENTIFIER: usize = 24;

/// Returns true if a value looks generated: long, with both letters and digits, and not otherwise
/// like a word.
pub(super) fn looks_like_identifier(value: &str) -> bool {
    let is_allowed =
        |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b',' | b'!');
    let digits = value.bytes().filter(u8::is_ascii_digit).count();
    let letters = value.bytes().filter(u8::is_ascii_alphabetic).count();
    let others = value.len() - digits - letters;
    value.len() >= MIN_IDENTIFIER_LEN
        && digits >= MIN_DIGITS
        && letters > 0
        && others <= value.len() / 8
        && value.bytes().all(is_allowed)
}

/// The parts of a path that do not identify the page.
#[derive(Clone, Copy)]
pub(super) struct Needless<'a> {
    /// Sessions: `;jsessionid=…` in segments, `(S(…))` as segments.
    pub(super) sessions: bool,
    /// Parameters that were proven to change nothing.
    pub(super) keys: &'a Keys,
}

impl Needless<'_> {
    /// Appends a path without what is needless in it.
    pub(super) fn drop_from(self, path: &str, out: &mut String, changes: &mut Vec<Change>) {
        let start = out.len();
        for segment in path.strip_prefix('/').unwrap_or(path).split('/') {
            let (segment_start, known) = (out.len(), changes.len());
            out.push('/');
            self.push_segment(segment, out, changes);
            let kept = &out[segment_start + 1..];
            if self.sessions && is_asp_segment(kept) {
                out.truncate(segment_start);
                changes.push(Change::SessionSegment);
            } else if kept.len() < segment.len() && matches!(kept, "." | "..") {
                // Left alone it would lead elsewhere.
                out.truncate(segment_start + 1);
                out.push_str(segment);
                changes.truncate(known);
            }
        }
        if out.len() == start {
            out.push('/');
        }
    }

    fn push_segment(self, segment: &str, out: &mut String, changes: &mut Vec<Change>) {
        for (number, parameter) in segment.split(';').enumerate() {
            if number > 0 {
                let (name, value) = parameter.split_once('=').unwrap_or((parameter, ""));
                if let Some(change) = self.reason_to_drop(name, value) {
                    changes.push(change);
                    continue;
                }
                out.push(';');
            }
            out.push_str(parameter);
        }
    }

    fn reason_to_drop(self, name: &str, value: &str) -> Option<Change> {
        // The choice of the user comes before every rule.
        if self.keys.keeps_parameter(name) {
            return None;
        }
        if self.sessions && is_session(name, value) {
            return Some(Change::SessionParameter(Change::name(name)));
        }
        let is_ignored = self.keys.ignores_parameter(name);
        is_ignored.then(|| Change::IgnoredParameter(Change::name(name)))
    }
}

fn is_session(name: &str, value: &str) -> bool {
    let known = |names: &[&str]| names.iter().any(|known| is_named(name, known));
    !value.is_empty() && (known(SESSIONS) || known(MAYBE_SESSIONS) && looks_like_identifier(value))
}

/// Returns true if a name is a known one, which may end in `*` for any ending.
pub(super) fn is_named(name: &str, known: &str) -> bool {
    match known.strip_suffix('*') {
        Some(start) => name
            .get(..start.len())
            .is_some_and(|head| head.eq_ignore_ascii_case(start)),
        None => name.eq_ignore_ascii_case(known),
    }
}

/// Returns true for a segment in which ASP.NET keeps cookieless sessions, anonymous identities and
/// logins: `(S(…))`, `(A(…)S(…))`, and in its first version the identifier alone: `(…)`.
fn is_asp_segment(segment: &str) -> bool {
    let Some(inside) = segment.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) else {
        return false;
    };
    if is_asp_identifier(inside) {
        return true;
    }
    let mut rest = inside;
    let mut sessions = 0;
    while !rest.is_empty() {
        let Some((letter, after)) = rest.split_once('(') else {
            return false;
        };
        let Some((value, after)) = after.split_once(')') else {
            return false;
        };
        let is_letter = matches!(letter, "A" | "S" | "F" | "a" | "s" | "f");
        let is_value = value.len() >= MIN_IDENTIFIER_LEN
            && value
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'));
        if !is_letter || !is_value {
            return false;
        }
        sessions += 1;
        rest = after;
    }
    sessions > 0
}

fn is_asp_identifier(text: &str) -> bool {
    text.len() == ASP_IDENTIFIER
        && text
            .bytes()
            .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
        && text.bytes().any(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::{Needless, is_asp_segment, looks_like_identifier};
    use crate::canonical::CanonicalSettings;
    use crate::canonical::keys::Keys;

    #[test]
    fn identifiers_and_words() {
        assert!(looks_like_identifier("0a1b2c3d4e5f60718293a4b5c6d7e8f9"));
        assert!(looks_like_identifier("5tq9l1q4h2m8v7c3"));
        assert!(!looks_like_identifier("2024"));
        assert!(!looks_like_identifier("opening-keynote-of-2024-in-berlin"));
        assert!(
            !looks_like_identifier("12345678901234567890"),
            "a number names something"
        );
        assert!(!looks_like_identifier("introduction"));
    }

    #[test]
    fn sessions_leave_the_path() {
        let check = |path: &str, expected: &str| {
            let (mut out, mut changes) = (String::new(), Vec::new());
            let mut keys = Keys::new(&CanonicalSettings::default());
            keys.ignore(";bin");
            let needless = Needless {
                sessions: true,
                keys: &keys,
            };
            needless.drop_from(path, &mut out, &mut changes);
            assert_eq!(out, expected);
            assert_eq!(changes.is_empty(), path == expected, "{path}");
        };
        check("/shop;jsessionid=0A1B/list", "/shop/list");
        check("/shop;v=1;JSESSIONID=0A1B", "/shop;v=1");
        check("/(S(4hqa0555fwsecu455xqckv45))/list.aspx", "/list.aspx");
        check("/(S(4hqa0555fwsecu455xqckv45))/", "/");
        check("/(S(4hqa0555fwsecu455xqckv45))", "/");
        check("/(4hqa0555fwsecu455xqckv45);jsessionid=1/x", "/x");
        check("/matrix;a=1/(draft)/x", "/matrix;a=1/(draft)/x");
        check("/a;sid=7", "/a;sid=7");
        check("/..;jsessionid=0A1B/x", "/..;jsessionid=0A1B/x");
        check("/a;bin=7/b;bin", "/a/b");
        check("/..;bin=7;cat=2/x", "/..;cat=2/x");
        check("/a;BIN=7", "/a;BIN=7");
    }

    #[test]
    fn segments_of_asp() {
        assert!(is_asp_segment("(4hqa0555fwsecu455xqckv45)"));
        assert!(is_asp_segment(
            "(A(4hqa0555fwsecu455xqckv45)F(4hqa0555fwsecu455xqckv45))"
        ));
        assert!(!is_asp_segment("(S(short))"));
        assert!(!is_asp_segment("(abcdefghijklmnopqrstuvwx)"));
        assert!(!is_asp_segment("()"));
    }
}
