//! Names in plain text.

use magpie_values::text;

/// Returns a name in plain text: decodes character references, also doubly encoded ones, and
/// removes tags.
pub fn plain_name(written: &str) -> String {
    let mut name = written.to_owned();
    for _ in 0..2 {
        if name.contains('&') {
            name = text::unescape(&name).into_owned();
        }
    }
    text::tidy(&without_tags(&name))
}

/// Removes tags from a text: `Kettle <b>K500</b>`.
fn without_tags(name: &str) -> String {
    let mut kept = String::with_capacity(name.len());
    let mut rest = name;
    while let Some(open) = rest.find('<') {
        let tag = rest[open + 1..].trim_start_matches('/');
        let close = rest[open..].find('>');
        match close {
            // Before a digit or a space, the sign means less than.
            Some(close) if tag.starts_with(|one: char| one.is_ascii_alphabetic()) => {
                kept.push_str(&rest[..open]);
                kept.push(' ');
                rest = &rest[open + close + 1..];
            }
            _ => {
                kept.push_str(&rest[..=open]);
                rest = &rest[open + 1..];
            }
        }
    }
    kept.push_str(rest);
    kept
}

#[cfg(test)]
mod tests {
    use super::plain_name;

    #[test]
    fn names_are_plain() {
        for (written, plain) in [
            ("Salt &amp;amp; Stone", "Salt & Stone"),
            ("Rose&#8217;s Soap", "Rose’s Soap"),
            ("Kettle <b>K500</b>", "Kettle K500"),
            ("a < b", "a < b"),
            ("Salt & Stone", "Salt & Stone"),
        ] {
            assert_eq!(plain_name(written), plain);
        }
    }
}
