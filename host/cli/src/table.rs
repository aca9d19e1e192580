//! Tables of text, aligned by the width a terminal gives each character.

use unicode_width::UnicodeWidthStr;

/// Rows of cells.
#[derive(Default)]
pub(crate) struct Table {
    rows: Vec<Vec<(String, String)>>,
    right: Vec<usize>,
}

impl Table {
    /// A table whose columns of these numbers are aligned to the right.
    pub(crate) fn right_aligned(columns: &[usize]) -> Self {
        Self {
            rows: Vec::new(),
            right: columns.to_vec(),
        }
    }

    /// Adds a row of plain cells.
    pub(crate) fn row<T: Into<String>>(&mut self, cells: impl IntoIterator<Item = T>) {
        let plain = |cell: T| {
            let text = cell.into();
            (text.clone(), text)
        };
        self.rows.push(cells.into_iter().map(plain).collect());
    }

    /// Adds a row of cells with the text that is measured and the one that is shown.
    pub(crate) fn painted(&mut self, cells: Vec<(String, String)>) {
        self.rows.push(cells);
    }

    /// The lines, with two spaces between columns and none at the end.
    pub(crate) fn lines(&self) -> Vec<String> {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let width = |column: usize| {
            self.rows
                .iter()
                .filter_map(|row| row.get(column))
                .map(|(plain, _)| plain.width())
                .max()
                .unwrap_or(0)
        };
        let widths: Vec<usize> = (0..columns).map(width).collect();
        self.rows.iter().map(|row| self.line(row, &widths)).collect()
    }

    fn line(&self, row: &[(String, String)], widths: &[usize]) -> String {
        let mut line = String::new();
        for (column, (plain, shown)) in row.iter().enumerate() {
            let gap = " ".repeat(widths[column].saturating_sub(plain.width()));
            if column > 0 {
                line.push_str("  ");
            }
            if self.right.contains(&column) {
                line.push_str(&gap);
                line.push_str(shown);
            } else {
                line.push_str(shown);
                line.push_str(&gap);
            }
        }
        line.trim_end().to_owned()
    }
}

/// Text cut to a width, with a sign that something is missing.
pub(crate) fn shortened(text: &str, width: usize) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.width() <= width {
        return line;
    }
    let mut short = String::new();
    for character in line.chars() {
        if short.width() + 2 > width {
            break;
        }
        short.push(character);
    }
    short.push('…');
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_aligned_by_what_a_terminal_shows() {
        let mut table = Table::right_aligned(&[1]);
        table.row(["a", "1", "x"]);
        table.row(["日本", "1000", ""]);
        assert_eq!(table.lines(), ["a        1  x", "日本  1000"]);
    }

    #[test]
    fn long_text_is_cut_with_a_sign() {
        assert_eq!(shortened("a  b\n c", 10), "a b c");
        assert_eq!(shortened("abcdefghij", 5), "abcd…");
    }
}
