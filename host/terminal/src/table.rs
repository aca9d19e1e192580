//! Tables of text, aligned by the display width of characters, and limited to the width of the
//! terminal.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use magpie_report::format::shortened;

use crate::printer::Tone;

/// The space between columns.
const GAP: usize = 2;

/// However narrow the terminal, this much of a text is shown.
const MIN_CUT: usize = 16;

/// Notes stand below each other up to here; a longer text pushes its own note alone.
const ALIGNED: usize = 72;

/// One piece of text, and what it is.
pub struct Cell {
    text: String,
    tone: Option<Tone>,
}

impl Cell {
    /// A text in a tone.
    pub fn toned(tone: Tone, text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            tone: Some(tone),
        }
    }

    fn width(&self) -> usize {
        self.text.width()
    }
}

impl<T: Into<String>> From<T> for Cell {
    fn from(text: T) -> Self {
        Self {
            text: text.into(),
            tone: None,
        }
    }
}

/// The cells of a row: a list, or a tuple of texts and cells.
pub trait Row {
    fn cells(self) -> Vec<Cell>;
}

impl<T: Into<Cell>> Row for Vec<T> {
    fn cells(self) -> Vec<Cell> {
        self.into_iter().map(Into::into).collect()
    }
}

impl<T: Into<Cell>, const N: usize> Row for [T; N] {
    fn cells(self) -> Vec<Cell> {
        self.map(Into::into).into()
    }
}

macro_rules! rows_of_tuples {
    ($(($($name:ident)+))+) => {$(
        impl<$($name: Into<Cell>),+> Row for ($($name,)+) {
            fn cells(self) -> Vec<Cell> {
                #[expect(non_snake_case, reason = "the types name the variables")]
                let ($($name,)+) = self;
                vec![$($name.into()),+]
            }
        }
    )+};
}

rows_of_tuples! { (A B) (A B C) (A B C D) (A B C D E) (A B C D E F) (A B C D E F G) (A B C D E F G H I J) }

#[derive(Default)]
pub struct Table {
    rows: Vec<Vec<Cell>>,
    indent: usize,
    right: Vec<usize>,
    cut: Option<usize>,
    keeps_end: bool,
}

impl Table {
    /// A table that begins so far to the right.
    pub fn indented(indent: usize) -> Self {
        Self {
            indent,
            ..Self::default()
        }
    }

    /// Aligns columns to the right.
    pub fn right(mut self, columns: &[usize]) -> Self {
        self.right = columns.to_vec();
        self
    }

    /// Marks the column that is cut if there is no room. A column after it has notes, which are
    /// dropped first.
    pub fn cut(mut self, column: usize) -> Self {
        self.cut = Some(column);
        self
    }

    /// Lets one column lose its beginning if there is no room: the end of an address matters most.
    pub fn cut_before(mut self, column: usize) -> Self {
        self.keeps_end = true;
        self.cut(column)
    }

    /// Adds the names of the columns.
    pub fn head<const N: usize>(mut self, names: [&str; N]) -> Self {
        self.row(names.map(|name| Cell::toned(Tone::Quiet, name)));
        self
    }

    pub fn row(&mut self, row: impl Row) {
        self.rows.push(row.cells());
    }

    /// Adds a text below a column, in a row of its own.
    pub fn below(&mut self, column: usize, text: impl Into<Cell>) {
        let mut row: Vec<Cell> = (0..column).map(|_| Cell::from("")).collect();
        row.push(text.into());
        self.rows.push(row);
    }

    /// The lines, without spaces at their ends. `paint` gives text its colour.
    pub fn lines(&self, width: usize, paint: impl Fn(Tone, &str) -> String) -> Vec<String> {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let mut widths: Vec<usize> = (0..columns).map(|column| self.widest(column)).collect();
        let mut room = usize::MAX;
        if let Some(cut) = self.cut.filter(|cut| *cut < columns) {
            let before: usize = widths[..cut].iter().map(|width| width + GAP).sum();
            room = width.saturating_sub(self.indent + before).max(MIN_CUT);
            let notes = widths.get(cut + 1).map_or(0, |notes| notes + GAP);
            let aligned = room.saturating_sub(notes).min(ALIGNED);
            let fits = |row: &&Vec<Cell>| row[cut].width() <= aligned;
            let fitting = self.rows.iter().filter(|row| row.len() > cut).filter(fits);
            widths[cut] = fitting.map(|row| row[cut].width()).max().unwrap_or(0);
        }
        let lines = self.rows.iter();
        lines.map(|row| self.line(row, &widths, room, &paint)).collect()
    }

    fn widest(&self, column: usize) -> usize {
        let cells = self.rows.iter().filter_map(|row| row.get(column));
        cells.map(Cell::width).max().unwrap_or(0)
    }

    fn line(
        &self,
        row: &[Cell],
        widths: &[usize],
        room: usize,
        paint: impl Fn(Tone, &str) -> String,
    ) -> String {
        let mut line = " ".repeat(self.indent);
        for (column, cell) in row.iter().enumerate() {
            let is_cut = self.cut == Some(column);
            let is_note = column > 0 && self.cut == Some(column - 1);
            if is_note && row[column - 1].width().max(widths[column - 1]) + GAP + cell.width() > room {
                break;
            }
            let text = match is_cut {
                true if self.keeps_end => shortened_before(&cell.text, room),
                true => shortened(&cell.text, room),
                false => cell.text.clone(),
            };
            let gap = " ".repeat(widths[column].saturating_sub(text.width()));
            let shown = cell.tone.map_or_else(|| text.clone(), |tone| paint(tone, &text));
            if column > 0 {
                line.push_str(&" ".repeat(GAP));
            }
            if self.right.contains(&column) {
                line.push_str(&gap);
                line.push_str(&shown);
            } else {
                line.push_str(&shown);
                line.push_str(&gap);
            }
        }
        line.trim_end().to_owned()
    }
}

/// The end of a text, with a sign that something is missing before it.
fn shortened_before(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let mut used = 1;
    let fits = |character: &char| {
        used += character.width().unwrap_or(0);
        used <= width
    };
    let end: Vec<char> = text.chars().rev().take_while(fits).collect();
    std::iter::once('…').chain(end.into_iter().rev()).collect()
}

/// Two texts with a word between them: on one line where there is room, else on two.
pub fn beside(one: &str, between: &str, other: &str, room: usize) -> Vec<String> {
    let line = format!("{one} {between} {other}");
    if line.width() <= room {
        vec![line]
    } else {
        let (one, other) = differing(one, other, room.saturating_sub(between.width() + 1));
        vec![one, format!("{between} {other}")]
    }
}

/// Two texts without the beginning that they share, if lines of this width would be cut before
/// their first difference can be seen.
fn differing(one: &str, other: &str, room: usize) -> (String, String) {
    /// Characters of the shared beginning that are kept.
    const KEPT: usize = 12;
    let pairs = one.chars().zip(other.chars());
    let shared: Vec<char> = pairs
        .take_while(|(one, other)| one == other)
        .map(|(one, _)| one)
        .collect();
    let width: usize = shared.iter().filter_map(|character| character.width()).sum();
    if width + KEPT <= room || shared.len() <= KEPT {
        return (one.to_owned(), other.to_owned());
    }
    let rest = |text: &str| {
        let rest = text.chars().skip(shared.len() - KEPT);
        std::iter::once('…').chain(rest).collect()
    };
    (rest(one), rest(other))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(table: &Table, width: usize) -> Vec<String> {
        table.lines(width, |_, text| text.to_owned())
    }

    #[test]
    fn columns_are_aligned_by_what_a_terminal_shows() {
        let mut table = Table::default().right(&[1]);
        table.row(["a", "1", "x"]);
        table.row(["日本", "1000", ""]);
        assert_eq!(plain(&table, 80), ["a        1  x", "日本  1000"]);
    }

    #[test]
    fn long_text_is_cut_with_a_sign() {
        assert_eq!(shortened("a  b\n c", 10), "a b c");
        assert_eq!(shortened("abcdefghij", 5), "abcd…");
        assert_eq!(shortened("日本日本", 5), "日本…");
        assert_eq!(shortened_before("abcdefghij", 5), "…ghij");
        assert_eq!(shortened_before("abcde", 5), "abcde");
        assert_eq!(shortened_before("日本日本", 4), "…本");
    }

    #[test]
    fn where_room_is_short_notes_go_first_and_then_the_end_of_the_text() {
        let mut table = Table::indented(2).cut(1);
        table.row(["title", "A short one", "<h1>"]);
        table.row(["about", "A text of more than twenty letters", "<p>"]);
        assert_eq!(
            plain(&table, 60),
            [
                "  title  A short one                         <h1>",
                "  about  A text of more than twenty letters  <p>"
            ]
        );
        assert_eq!(
            plain(&table, 43),
            [
                "  title  A short one  <h1>",
                "  about  A text of more than twenty letters"
            ]
        );
        assert_eq!(
            plain(&table, 30),
            ["  title  A short one  <h1>", "  about  A text of more than…"]
        );
        assert_eq!(
            plain(&table, 5),
            ["  title  A short one", "  about  A text of more…"]
        );
    }

    #[test]
    fn without_a_width_nothing_is_cut_and_a_long_text_pushes_only_its_own_note() {
        let mut table = Table::default().cut(0);
        let long = "x".repeat(200);
        table.row(["short", "note"]);
        table.row([long.as_str(), "note"]);
        assert_eq!(
            plain(&table, usize::MAX),
            ["short  note".to_owned(), format!("{long}  note")]
        );
    }

    #[test]
    fn two_texts_share_a_line_where_there_is_room() {
        assert_eq!(beside("old", "->", "new", 10), ["old -> new"]);
        assert_eq!(beside("old", "->", "new", 9), ["old", "-> new"]);
    }

    #[test]
    fn of_two_long_texts_the_place_where_they_differ_is_shown() {
        let (one, other) = (
            format!("{}red end", "long ".repeat(20)),
            format!("{}blue", "long ".repeat(20)),
        );
        assert_eq!(
            beside(&one, "instead of", &other, 60),
            ["…g long long red end", "instead of …g long long blue"]
        );
        assert_eq!(beside("red", "->", "blue", 60), ["red -> blue"]);
    }
}
