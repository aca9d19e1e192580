//! The parts that pages are made of. One template writes them, so that every table has a caption
//! and every text of a stranger is escaped in one place.

#![expect(
    unused_qualifications,
    reason = "the derived code of templates writes paths in full"
)]

use askama::Template;
use magpie_values::Timestamp;

use crate::frame::Frame;
use crate::href::Href;

/// Columns of a table that is not stretched.
const MAX_NARROW: usize = 4;

#[derive(Template)]
#[template(path = "page.html")]
pub(crate) struct Page {
    pub(crate) frame: Frame,
    pub(crate) blocks: Vec<Block>,
}

#[derive(Clone, Debug, Template)]
#[template(path = "block.html")]
pub(crate) enum Block {
    Heading(String),
    Text(Vec<Cell>),
    /// The answer to the question of a page, in a sentence.
    Verdict {
        tone: Tone,
        cells: Vec<Cell>,
    },
    /// Names with values that are read at a glance.
    Figures(Vec<Figure>),
    /// Names with values that are looked up.
    Facts(Vec<Figure>),
    Table(Table),
    /// Objects, as searches list them.
    Hits(Vec<Hit>),
    /// A picture of a site, which the reader asked to see.
    Picture {
        href: Href,
        about: String,
    },
    /// A drawing, with its figures as a table below.
    Chart {
        svg: String,
        table: Option<Table>,
    },
    /// A command that does or shows the same.
    Command {
        about: String,
        line: String,
    },
    /// A form that asks.
    Form(Form),
    /// Acts, each with the command that does the same.
    Acts(Vec<ActCard>),
    /// Text as it came, such as a robots file.
    Verbatim(String),
    /// A page of ours within this one, in a sandbox.
    Frame {
        title: String,
        source: Href,
    },
}

#[derive(Clone, Debug)]
pub(crate) struct Figure {
    pub(crate) name: String,
    pub(crate) value: Cell,
    /// The name by which the live view replaces the value.
    pub(crate) live: Option<&'static str>,
    /// The value is bad news.
    pub(crate) is_bad: bool,
}

/// An act that is offered.
#[derive(Clone, Debug)]
pub(crate) struct ActCard {
    pub(crate) name: String,
    /// The effect, in a sentence.
    pub(crate) about: String,
    /// The form that acts, for those who may.
    pub(crate) form: Option<Form>,
    pub(crate) command: String,
}

#[derive(Clone, Debug)]
pub(crate) struct Hit {
    pub(crate) href: Href,
    pub(crate) label: String,
    /// The day that the object is about.
    pub(crate) day: Option<Tile>,
    pub(crate) picture: Option<Href>,
    pub(crate) facts: Vec<(String, Cell)>,
    pub(crate) state: Option<Cell>,
    /// It is over or gone.
    pub(crate) is_past: bool,
}

/// A day as a leaf of a calendar.
#[derive(Clone, Debug)]
pub(crate) struct Tile {
    pub(crate) iso: String,
    pub(crate) weekday: &'static str,
    pub(crate) number: u8,
    pub(crate) month: String,
}

#[derive(Clone, Debug)]
pub(crate) struct Form {
    pub(crate) action: Href,
    pub(crate) is_post: bool,
    pub(crate) fields: Vec<FormField>,
    pub(crate) button: String,
}

#[derive(Clone, Debug)]
pub(crate) enum FormField {
    /// A value that is sent along.
    Hidden { name: &'static str, value: String },
    Line {
        name: &'static str,
        label: String,
        value: String,
        hint: String,
    },
    Lines {
        name: &'static str,
        label: String,
        hint: String,
    },
}

#[derive(Clone, Debug)]
pub(crate) struct Table {
    pub(crate) caption: String,
    pub(crate) columns: Vec<Column>,
    pub(crate) rows: Vec<Vec<Cell>>,
    /// A sentence instead of rows, if there are none.
    pub(crate) empty: String,
    /// A sentence on what is left out.
    pub(crate) rest: Option<Cell>,
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

    pub(crate) fn leaves_out(&mut self, sentence: impl Into<Cell>) {
        self.rest = Some(sentence.into());
    }

    /// Returns `true` if the table would be stretched by the width of the page.
    pub(crate) fn is_narrow(&self) -> bool {
        self.columns.len() <= MAX_NARROW
    }

    /// The cells of a row, each with its column.
    pub(crate) fn pairs<'a>(&'a self, row: &'a [Cell]) -> impl Iterator<Item = (&'a Column, &'a Cell)> {
        self.columns.iter().zip(row)
    }
}

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
    pub(crate) fn class(self) -> &'static str {
        match self {
            Tone::Good => "good",
            Tone::Odd => "odd",
            Tone::Bad => "bad",
            Tone::Quiet => "quiet",
        }
    }

    pub(crate) fn sign(self) -> &'static str {
        match self {
            Tone::Good => "✓",
            Tone::Odd => "!",
            Tone::Bad => "✕",
            Tone::Quiet => "·",
        }
    }
}

/// A link of several of which one is chosen.
#[derive(Clone, Debug)]
pub(crate) struct Choice {
    pub(crate) href: Href,
    pub(crate) name: String,
    pub(crate) count: Option<String>,
    pub(crate) is_now: bool,
}

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
    /// A link whose text needs the rest of its row to be understood.
    About {
        href: Href,
        text: String,
        about: String,
    },
    /// A link to an address that is long, and may break anywhere.
    Address {
        href: Href,
        text: String,
    },
    Time(Timestamp),
    /// A date or time that a page gives.
    Day {
        iso: String,
        words: String,
    },
    Change {
        label: String,
        old: String,
        new: String,
    },
    Choices(Vec<Choice>),
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

    /// Returns a link with the address of a page as its text, without the scheme.
    pub(crate) fn address(href: Href, url: &str) -> Cell {
        let text = url.split_once("://").map_or(url, |(_, rest)| rest);
        let text = match text.find('/') {
            Some(at) if at + 1 == text.len() => &text[..at],
            _ => text,
        };
        Cell::Address {
            href,
            text: text.to_owned(),
        }
    }

    /// A link to the life of a URL.
    pub(crate) fn url(url: &str) -> Cell {
        Cell::address(Href::to(&["url"]).with("u", url), url)
    }

    /// A link to a page of the web, or its text if it must not be one.
    pub(crate) fn outside(address: &str) -> Cell {
        match Href::outside(address) {
            Some(href) => Cell::address(href, address),
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

impl Cell {
    pub(crate) fn figure(self, name: &str) -> Figure {
        Figure {
            name: name.to_owned(),
            value: self,
            live: None,
            is_bad: false,
        }
    }
}

impl Figure {
    pub(crate) fn live(mut self, name: &'static str) -> Figure {
        self.live = Some(name);
        self
    }
}
