//! Tables.

use crate::figures::{count, shown};

#[derive(Debug, Default)]
pub(crate) struct Table {
    caption: String,
    columns: Vec<(&'static str, Align)>,
    body: String,
    rows: usize,
    rest: String,
}

/// Alignment of the values in a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Align {
    /// Texts.
    Left,
    /// Figures.
    Right,
    /// Sentences and patterns, which need room.
    Wide,
}

impl Align {
    fn class(self) -> &'static str {
        match self {
            Self::Left => "",
            Self::Right => " class=\"n\"",
            Self::Wide => " class=\"w\"",
        }
    }
}

/// A cell, its content escaped already.
#[derive(Clone, Debug)]
pub(crate) struct Cell(String);

impl Cell {
    /// A stranger's text.
    pub(crate) fn text(text: &str) -> Self {
        Self(shown(text))
    }

    /// A stranger's pattern or address, in letters of one width.
    pub(crate) fn code(text: &str) -> Self {
        Self(format!("<code>{}</code>", shown(text)))
    }

    /// A stranger's name that is not broken: that of a host.
    pub(crate) fn name(text: &str) -> Self {
        Self(format!("<span class=\"name\">{}</span>", shown(text)))
    }

    /// The same as a link to a part of the page.
    pub(crate) fn linked(self, id: &str) -> Self {
        Self(format!("<a href=\"#{id}\">{}</a>", self.0))
    }

    /// A figure that this crate wrote.
    pub(crate) fn figure(figure: &str) -> Self {
        Self(shown(figure))
    }

    pub(crate) fn count(value: u64) -> Self {
        Self(count(value))
    }

    /// The same with a quieter cell below.
    pub(crate) fn above(self, below: &Self) -> Self {
        if below.0.is_empty() {
            return self;
        }
        Self(format!("{}<br><small>{}</small>", self.0, below.0))
    }

    pub(crate) fn strong(self) -> Self {
        Self(format!("<strong>{}</strong>", self.0))
    }
}

impl Table {
    pub(crate) fn new(caption: &str, columns: &[(&'static str, Align)]) -> Self {
        Self {
            caption: caption.to_owned(),
            columns: columns.to_vec(),
            ..Self::default()
        }
    }

    /// Adds a row; its first cell names it. A marked row is highlighted.
    pub(crate) fn row(&mut self, cells: &[Cell], is_marked: bool) {
        self.rows += 1;
        self.body.push_str(if is_marked {
            "<tr class=\"marked\">"
        } else {
            "<tr>"
        });
        for (place, (cell, (_, align))) in cells.iter().zip(&self.columns).enumerate() {
            let class = align.class();
            let tag = if place == 0 { "th scope=\"row\"" } else { "td" };
            let end = if place == 0 { "th" } else { "td" };
            self.body.push_str(&format!("<{tag}{class}>{}</{end}>", cell.0));
        }
        self.body.push_str("</tr>\n");
    }

    /// Adds HTML over all columns to the row before, its content escaped already.
    pub(crate) fn below(&mut self, html: &str) {
        if !html.is_empty() {
            let columns = self.columns.len();
            self.body.push_str(&format!(
                "<tr class=\"below\"><td colspan=\"{columns}\">{html}</td></tr>\n"
            ));
        }
    }

    /// Says what is left out, as "250 more sites".
    pub(crate) fn rest(&mut self, rest: &str) {
        self.rest = format!("<p class=\"rest\">and {}</p>\n", shown(rest));
    }

    /// The table as HTML; nothing if it has no rows.
    pub(crate) fn to_html(&self) -> String {
        if self.rows == 0 {
            return String::new();
        }
        let head: String = self
            .columns
            .iter()
            .map(|(name, align)| {
                let class = align.class();
                format!("<th scope=\"col\"{class}>{}</th>", shown(name))
            })
            .collect();
        let caption = shown(&self.caption);
        // A table that is wider than a phone scrolls by itself, by touch or by key, and not the
        // whole page.
        format!(
            "<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"{caption}\">\n<table><caption>{caption}</caption>\
             <thead><tr>{head}</tr></thead>\n<tbody>\n{}</tbody></table></div>\n{}",
            self.body, self.rest
        )
    }
}

/// Returns at most the first `most` items, and the number of the others.
pub(crate) fn first<T>(items: &[T], most: usize) -> (&[T], usize) {
    let kept = items.len().min(most);
    (&items[..kept], items.len() - kept)
}
