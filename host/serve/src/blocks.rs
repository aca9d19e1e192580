//! The parts that pages are made of. One template writes them, so that every table has a caption and
//! every text of a stranger is escaped in one place.

#![expect(unused_qualifications, reason = "the derived code of templates writes paths in full")]

use askama::Template;
use magpie_values::Timestamp;

use crate::frame::Frame;
use crate::href::Href;

/// A page of blocks.
#[derive(Template)]
#[template(path = "page.html")]
pub(crate) struct Page {
    pub(crate) frame: Frame,
    pub(crate) blocks: Vec<Block>,
}

/// A part of a page.
#[derive(Clone, Debug, Template)]
#[template(path = "block.html")]
pub(crate) enum Block {
    /// The heading of what follows.
    Heading(String),
    /// A paragraph.
    Text(Vec<Cell>),
    /// Names with values.
    Figures(Vec<Figure>),
    /// A table.
    Table(Table),
    /// A drawing, with its figures as a table below.
    Chart { svg: String, table: Option<Table> },
    /// A command that does or shows the same.
    Command { about: String, line: String },
    /// A form that acts or asks.
    Form(Form),
    /// Text as it came, such as a robots file.
    Verbatim(String),
    /// A page of ours within this one, in a sandbox.
    Frame { title: String, source: Href },
}

/// A name with a value.
#[derive(Clone, Debug)]
pub(crate) struct Figure {
    pub(crate) name: String,
    pub(crate) value: Cell,
    /// The name by which the live view replaces the value.
    pub(crate) live: Option<&'static str>,
}

/// A form.
#[derive(Clone, Debug)]
pub(crate) struct Form {
    pub(crate) action: Href,
    pub(crate) is_post: bool,
    pub(crate) fields: Vec<FormField>,
    pub(crate) button: String,
}

/// A field of a form.
#[derive(Clone, Debug)]
pub(crate) enum FormField {
    /// A value that is sent along.
    Hidden { name: &'static str, value: String },
    /// A line of text.
    Line {
        name: &'static str,
        label: String,
        value: String,
        hint: String,
    },
}

/// A table.
#[derive(Clone, Debug)]
pub(crate) struct Table {
    pub(crate) caption: String,
    pub(crate) columns: Vec<Column>,
    pub(crate) rows: Vec<Vec<Cell>>,
    /// A sentence instead of rows, if there are none.
    pub(crate) empty: String,
    /// A sentence on what is left out.
    pub(crate) rest: Option<String>,
}

impl Table {
    /// A table with these columns. A name that begins with `#` is that of numbers.
    pub(crate) fn new(caption: impl Into<String>, columns: &[&str]) -> Table {
        let column = |name: &&str| Column {
            name: name.trim_start_matches('#').to_owned(),
            is_number: name.starts_with('#'),
            sort: None,
        };
        Table {
            caption: caption.into(),
            columns: columns.iter().map(column).collect(),
            rows: Vec::new(),
            empty: "There is nothing to show.".to_owned(),
            rest: None,
        }
    }

    /// Says why there are no rows.
    pub(crate) fn or(mut self, sentence: impl Into<String>) -> Table {
        self.empty = sentence.into();
        self
    }

    pub(crate) fn row(&mut self, cells: impl IntoIterator<Item = Cell>) {
        self.rows.push(cells.into_iter().collect());
    }

    /// The cells of a row, each with its column.
    pub(crate) fn pairs<'a>(&'a self, row: &'a [Cell]) -> impl Iterator<Item = (&'a Column, &'a Cell)> {
        self.columns.iter().zip(row)
    }
}

/// A column of a table.
#[derive(Clone, Debug)]
pub(crate) struct Column {
    pub(crate) name: String,
    pub(crate) is_number: bool,
    pub(crate) sort: Option<Sort>,
}

/// A link that sorts by a column.
#[derive(Clone, Debug)]
pub(crate) struct Sort {
    pub(crate) href: Href,
    /// The direction in which it is sorted now, as ARIA names it.
    pub(crate) now: Option<&'static str>,
}

/// A judgement of a state, shown as a sign and a colour beside its word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tone {
    Good,
    Odd,
    Bad,
    Quiet,
}

impl Tone {
    /// The class in the style sheet.
    pub(crate) fn class(self) -> &'static str {
        match self {
            Tone::Good => "good",
            Tone::Odd => "odd",
            Tone::Bad => "bad",
            Tone::Quiet => "quiet",
        }
    }

    /// The sign.
    pub(crate) fn sign(self) -> &'static str {
        match self {
            Tone::Good => "✓",
            Tone::Odd => "!",
            Tone::Bad => "✕",
            Tone::Quiet => "·",
        }
    }
}

/// Text of a page.
#[derive(Clone, Debug, Template)]
#[template(path = "cell.html")]
pub(crate) enum Cell {
    Text(String),
    Strong(String),
    Code(String),
    Link {
        href: Href,
        text: String,
    },
    State {
        tone: Tone,
        word: String,
    },
    Time(Timestamp),
    /// Rounds as a row of signs, the last at the end.
    Bars {
        label: String,
        bars: Vec<Tone>,
    },
    Many(Vec<Cell>),
}

impl Cell {
    pub(crate) fn none() -> Cell {
        Cell::Text("–".to_owned())
    }

    pub(crate) fn number(number: u64) -> Cell {
        Cell::Text(magpie_report::format::thousands(number))
    }

    pub(crate) fn link(href: Href, text: impl Into<String>) -> Cell {
        Cell::Link {
            href,
            text: text.into(),
        }
    }

    /// A link to a page of the web, or its text if it must not be one.
    pub(crate) fn outside(address: &str) -> Cell {
        match Href::outside(address) {
            Some(href) => Cell::link(href, address),
            None => Cell::Text(address.to_owned()),
        }
    }

    pub(crate) fn state(tone: Tone, word: impl Into<String>) -> Cell {
        Cell::State {
            tone,
            word: word.into(),
        }
    }

    pub(crate) fn time(at: Option<Timestamp>) -> Cell {
        at.map_or_else(Cell::none, Cell::Time)
    }
}

impl From<&str> for Cell {
    fn from(text: &str) -> Cell {
        Cell::Text(text.to_owned())
    }
}

impl From<String> for Cell {
    fn from(text: String) -> Cell {
        Cell::Text(text)
    }
}

impl Block {
    /// A paragraph of plain text.
    pub(crate) fn text(text: impl Into<String>) -> Block {
        Block::Text(vec![Cell::Text(text.into())])
    }

    pub(crate) fn heading(text: impl Into<String>) -> Block {
        Block::Heading(text.into())
    }

    /// A drawing of the plot crate. Its style is part of our sheet.
    pub(crate) fn chart(svg: &str, table: Option<Table>) -> Block {
        let style = format!("<style>{}</style>", magpie_plot::style_rules());
        Block::Chart {
            svg: svg.replace(&style, ""),
            table,
        }
    }

    /// The command line that shows the same.
    pub(crate) fn command(line: impl Into<String>) -> Block {
        Block::Command {
            about: "The same in a terminal".to_owned(),
            line: line.into(),
        }
    }
}

/// A moment, as people read it.
pub(crate) fn moment(at: &Timestamp) -> String {
    let text = at.to_string();
    let text = text.replace('T', " ");
    text.get(..16).unwrap_or(&text).to_owned()
}

impl Cell {
    pub(crate) fn figure(self, name: &str) -> Figure {
        Figure {
            name: name.to_owned(),
            value: self,
            live: None,
        }
    }
}

impl Figure {
    pub(crate) fn live(mut self, name: &'static str) -> Figure {
        self.live = Some(name);
        self
    }
}
