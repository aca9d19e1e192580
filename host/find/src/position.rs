//! Positions in hits.

use magpie_rows::{BadCursor, Cursor};

/// The kind of cursors in hits.
const HITS: u8 = b's';

/// A position in the hits of one query in one order.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Position {
    /// Hash of the vertical, the query and the order.
    pub(crate) search: u64,
    /// The sort key of the last hit before the position.
    pub(crate) key: SortValue,
    /// The number of that hit.
    pub(crate) object: i64,
}

/// A value by which hits are sorted.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum SortValue {
    /// The object has none.
    Missing,
    Number(f64),
    Text(String),
}

impl Position {
    pub(crate) fn to_cursor(&self) -> Cursor {
        let mut content = Vec::new();
        content.extend(self.search.to_be_bytes());
        content.extend(self.object.to_be_bytes());
        match &self.key {
            SortValue::Missing => content.push(0),
            SortValue::Number(number) => {
                content.push(1);
                content.extend(number.to_be_bytes());
            }
            SortValue::Text(text) => {
                content.push(2);
                content.extend(text.as_bytes());
            }
        }
        Cursor::new(HITS, &content)
    }

    pub(crate) fn of_cursor(cursor: &Cursor) -> Result<Position, BadCursor> {
        let mut content = cursor.content(HITS)?;
        let search = u64::from_be_bytes(take(&mut content)?);
        let object = i64::from_be_bytes(take(&mut content)?);
        let key = match take(&mut content)? {
            [0] if content.is_empty() => SortValue::Missing,
            [1] => {
                let number = f64::from_be_bytes(take(&mut content)?);
                if number.is_nan() || !content.is_empty() {
                    return Err(BadCursor::Damaged);
                }
                SortValue::Number(number)
            }
            [2] => SortValue::Text(
                str::from_utf8(content)
                    .map_err(|_| BadCursor::Damaged)?
                    .to_owned(),
            ),
            _ => return Err(BadCursor::Damaged),
        };
        Ok(Position { search, key, object })
    }
}

fn take<const N: usize>(bytes: &mut &[u8]) -> Result<[u8; N], BadCursor> {
    let (head, rest) = bytes.split_first_chunk::<N>().ok_or(BadCursor::Damaged)?;
    *bytes = rest;
    Ok(*head)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_read_as_they_were_written() {
        for key in [
            SortValue::Missing,
            SortValue::Number(-12.5),
            SortValue::Text("ü\u{0}".to_owned()),
        ] {
            let position = Position {
                search: u64::MAX,
                key,
                object: 17,
            };
            let cursor: Cursor = position.to_cursor().to_string().parse().expect("a cursor");
            assert_eq!(Position::of_cursor(&cursor), Ok(position));
        }
        let cut = Cursor::new(HITS, &[0; 16]);
        assert_eq!(Position::of_cursor(&cut), Err(BadCursor::Damaged));
    }
}
