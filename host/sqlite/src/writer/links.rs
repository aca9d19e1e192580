//! Links as rows.

use std::collections::HashMap;

use magpie_rows::LinkList;
use rusqlite::Connection;

/// Numbers of the places in documents.
#[derive(Default)]
pub(super) struct Paths(HashMap<Box<str>, i64>);

/// Number of paths that are remembered; the database knows the others. A site has some hundreds.
const REMEMBERED: usize = 50_000;

/// Maximum length of a path in bytes. Longer ones are cut.
const MAX_PATH_LEN: usize = 1000;

impl Paths {
    fn number(&mut self, connection: &Connection, path: &str) -> rusqlite::Result<i64> {
        // Documents nest a few dozen levels. Only attacks nest deeper than this.
        let path = &path[..path.floor_char_boundary(MAX_PATH_LEN)];
        if let Some(&number) = self.0.get(path) {
            return Ok(number);
        }
        let mut find = connection.prepare_cached("SELECT id FROM dom_path WHERE path = ?1")?;
        let found = find.query([path])?.next()?.map(|row| row.get(0)).transpose()?;
        let number = match found {
            Some(number) => number,
            None => {
                connection
                    .prepare_cached("INSERT INTO dom_path (path) VALUES (?1)")?
                    .execute([path])?;
                connection.last_insert_rowid()
            }
        };
        // A site that creates new paths for every page must not fill the memory.
        if self.0.len() >= REMEMBERED {
            self.0.clear();
        }
        self.0.insert(path.into(), number);
        Ok(number)
    }

    /// Forgets all numbers: the batch that gave some of them is taken back.
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }
}

/// The links as a JSON array, addresses below `origin` without it.
pub(super) fn to_json(
    links: &LinkList,
    origin: &str,
    paths: &mut Paths,
    connection: &Connection,
    json: &mut String,
) -> rusqlite::Result<()> {
    json.clear();
    json.push('[');
    let mut last = ("", None);
    for (index, link) in links.iter().enumerate() {
        json.push_str(if index == 0 { "[" } else { ",[" });
        let below = link
            .href
            .strip_prefix(origin)
            .filter(|rest| !origin.is_empty() && rest.starts_with('/'));
        push_string(below.unwrap_or(link.href), json);
        let parts = [!link.text.is_empty(), !link.path.is_empty(), !link.rel.is_empty()];
        let used = parts.iter().rposition(|used| *used).map_or(0, |last| last + 1);
        if used > 0 {
            json.push(',');
            push_string(link.text, json);
        }
        if used > 1 {
            json.push(',');
            match link.path {
                "" => json.push_str("null"),
                path => {
                    // Links of one list follow each other and have the same path.
                    let number = match last {
                        (known, Some(number)) if known == path => number,
                        _ => paths.number(connection, path)?,
                    };
                    last = (path, Some(number));
                    json.push_str(&number.to_string());
                }
            }
        }
        if used > 2 {
            json.push(',');
            push_string(link.rel, json);
        }
        json.push(']');
    }
    json.push(']');
    Ok(())
}

/// A JSON string. Runs without anything to escape, which is nearly all, are copied whole.
pub(crate) fn push_string(text: &str, json: &mut String) {
    json.push('"');
    let mut rest = text;
    while let Some(at) = rest
        .bytes()
        .position(|byte| byte < 0x20 || byte == b'"' || byte == b'\\')
    {
        json.push_str(&rest[..at]);
        match rest.as_bytes()[at] {
            b'"' => json.push_str("\\\""),
            b'\\' => json.push_str("\\\\"),
            b'\n' => json.push_str("\\n"),
            b'\t' => json.push_str("\\t"),
            // Other control characters; a zero byte would end the text for some readers.
            byte => json.push_str(&format!("\\u{byte:04x}")),
        }
        rest = &rest[at + 1..];
    }
    json.push_str(rest);
    json.push('"');
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn strings_are_json(text in any::<String>()) {
            let mut json = String::new();
            push_string(&text, &mut json);
            prop_assert_eq!(serde_json::from_str::<String>(&json).unwrap(), text);
        }
    }
}
