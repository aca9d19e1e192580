//! The parts that reports and served pages are made of. One template writes them, so that every
//! table has a caption and every text of a stranger is escaped in one place.

#![expect(
    unused_qualifications,
    reason = "the derived code of templates writes paths in full"
)]

use std::fmt;
use std::sync::LazyLock;

use askama::Template;
use askama::filters::Escaper;
use magpie_values::Timestamp;

use crate::format::{many, thousands};
use crate::href::Href;

/// The style of blocks, and of the charts in them.
pub static STYLE: LazyLock<String> = LazyLock::new(|| magpie_plot::style_rules() + include_str!("style.css"));

/// Widths that charts are drawn in: for desks, and for phones of 360 pixels with their margins.
const DESK: f64 = 860.0;
const PHONE: f64 = 330.0;

/// Columns of a table that is not stretched.
const MAX_NARROW: usize = 4;

#[derive(Clone, Debug, Template)]
#[template(path = "block.html")]
pub enum Block {
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
    /// The picture of an object.
    Picture {
        picture: Picture,
        about: String,
    },
    /// A drawing, with its figures as a table below.
    Chart {
        svg: String,
        /// The same for phones. A drawing without it scrolls by itself.
        phone: Option<String>,
        table: Option<Table>,
    },
    /// Blocks that a reader unfolds.
    Fold {
        summary: String,
        is_open: bool,
        blocks: Vec<Block>,
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
pub struct Figure {
    pub name: String,
    pub value: Cell,
    /// The name by which the live view replaces the value.
    pub live: Option<&'static str>,
    /// The value is bad news.
    pub is_bad: bool,
}

/// An act that is offered.
#[derive(Clone, Debug)]
pub struct ActCard {
    pub name: String,
    /// The effect, in a sentence.
    pub about: String,
    /// The form that acts, for those who may.
    pub form: Option<Form>,
    pub command: String,
}

#[derive(Clone, Debug)]
pub struct Hit {
    pub href: Href,
    pub label: String,
    /// The day that the object is about.
    pub day: Option<Tile>,
    pub picture: Option<Picture>,
    pub facts: Vec<(String, Cell)>,
    pub state: Option<Cell>,
    /// It is over or gone.
    pub is_past: bool,
}

/// A picture of ours with its size in pixels.
#[derive(Clone, Debug)]
pub struct Picture {
    pub href: Href,
    pub width: u32,
    pub height: u32,
}

/// A day as a leaf of a calendar.
#[derive(Clone, Debug)]
pub struct Tile {
    pub iso: String,
    pub weekday: &'static str,
    pub number: u8,
    pub month: String,
}

#[derive(Clone, Debug)]
pub struct Form {
    pub action: Href,
    pub is_post: bool,
    pub fields: Vec<FormField>,
    pub button: String,
}

#[derive(Clone, Debug)]
pub enum FormField {
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
    /// The name of an account and its password, as `name` and `password`.
    Login,
}

#[derive(Clone, Debug)]
pub struct Table {
    pub caption: String,
    pub columns: Vec<Column>,
    pub rows: Vec<Vec<Cell>>,
    /// A sentence instead of rows, if there are none.
    pub empty: String,
    /// A sentence on what is left out.
    pub rest: Option<Cell>,
}

impl Table {
    /// A table with these columns. A name that begins with `#` is that of numbers.
    pub fn new(caption: impl Into<String>, columns: &[&str]) -> Table {
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

    /// A table of at most the first `most` items, with their noun for the sentence on the others.
    pub fn of<T>(
        caption: impl Into<String>,
        columns: &[&str],
        items: &[T],
        (most, noun): (usize, &str),
        row: impl Fn(&T) -> Vec<Cell>,
    ) -> Table {
        let mut table = Table::new(caption, columns);
        table.rows = items.iter().take(most).map(row).collect();
        table.rest = rest(items.len(), most, noun).map(Cell::Text);
        table
    }

    /// Says why there are no rows.
    pub fn or(mut self, sentence: impl Into<String>) -> Table {
        self.empty = sentence.into();
        self
    }

    pub fn row(&mut self, cells: impl IntoIterator<Item = Cell>) {
        self.rows.push(cells.into_iter().collect());
    }

    /// Says what else there is.
    pub fn leaves_out(&mut self, sentence: impl Into<Cell>) {
        self.rest = Some(sentence.into());
    }

    /// Returns `true` if the table would be stretched by the width of the page.
    pub fn is_narrow(&self) -> bool {
        self.columns.len() <= MAX_NARROW
    }

    /// The cells of a row, each with its column.
    pub fn pairs<'a>(&'a self, row: &'a [Cell]) -> impl Iterator<Item = (&'a Column, &'a Cell)> {
        self.columns.iter().zip(row)
    }
}

#[derive(Clone, Debug)]
pub struct Column {
    pub name: String,
    pub is_number: bool,
    pub sort: Option<Sort>,
}

/// A link that sorts by a column.
#[derive(Clone, Debug)]
pub struct Sort {
    pub href: Href,
    /// The direction in which it is sorted now, as ARIA names it.
    pub now: Option<&'static str>,
}

/// A judgement of a state, shown as a sign and a colour beside its word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    Good,
    Odd,
    Bad,
    Quiet,
}

impl Tone {
    pub fn class(self) -> &'static str {
        match self {
            Tone::Good => "good",
            Tone::Odd => "odd",
            Tone::Bad => "bad",
            Tone::Quiet => "quiet",
        }
    }

    pub fn sign(self) -> &'static str {
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
pub struct Choice {
    pub href: Href,
    pub name: String,
    pub count: Option<String>,
    pub is_now: bool,
}

#[derive(Clone, Debug, Template)]
#[template(path = "cell.html")]
pub enum Cell {
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
    /// A quieter line of its own.
    Below(Vec<Cell>),
}

impl Cell {
    pub fn none() -> Cell {
        Cell::Text("–".to_owned())
    }

    /// The same with a quieter line below.
    pub fn above(self, line: impl Into<String>) -> Cell {
        match line.into() {
            line if line.is_empty() => self,
            line => Cell::Many(vec![self, Cell::Below(vec![Cell::Text(line)])]),
        }
    }

    pub fn number(number: u64) -> Cell {
        Cell::Text(thousands(number))
    }

    pub fn link(href: Href, text: impl Into<String>) -> Cell {
        Cell::Link {
            href,
            text: text.into(),
        }
    }

    /// Returns a link with the address of a page as its text, without the scheme.
    pub fn address(href: Href, url: &str) -> Cell {
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
    pub fn url(url: &str) -> Cell {
        Cell::address(Href::to(&["url"]).with("u", url), url)
    }

    /// A link to a page of the web, or its text if it must not be one.
    pub fn outside(address: &str) -> Cell {
        match Href::outside(address) {
            Some(href) => Cell::address(href, address),
            None => Cell::Text(address.to_owned()),
        }
    }

    pub fn state(tone: Tone, word: impl Into<String>) -> Cell {
        Cell::State {
            tone,
            word: word.into(),
        }
    }

    pub fn time(at: Option<Timestamp>) -> Cell {
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
    pub fn text(text: impl Into<String>) -> Block {
        Block::Text(vec![Cell::Text(text.into())])
    }

    pub fn heading(text: impl Into<String>) -> Block {
        Block::Heading(text.into())
    }

    /// A chart in two widths, each drawn by the plot crate.
    pub fn chart(draw: impl Fn(f64) -> String, table: Option<Table>) -> Block {
        Block::Chart {
            svg: without_style(&draw(DESK)),
            phone: Some(without_style(&draw(PHONE))),
            table,
        }
    }

    /// A drawing of one width.
    pub fn drawing(svg: &str, table: Option<Table>) -> Block {
        Block::Chart {
            svg: without_style(svg),
            phone: None,
            table,
        }
    }

    /// The command line that shows the same.
    pub fn command(line: impl Into<String>) -> Block {
        Block::Command {
            about: "The same in a terminal".to_owned(),
            line: line.into(),
        }
    }
}

impl Cell {
    pub fn figure(self, name: &str) -> Figure {
        Figure {
            name: name.to_owned(),
            value: self,
            live: None,
            is_bad: false,
        }
    }
}

impl Figure {
    pub fn live(mut self, name: &'static str) -> Figure {
        self.live = Some(name);
        self
    }
}

/// The sentence on what is left out of a list: `and 250 more sites`.
pub fn rest(all: usize, most: usize, noun: &str) -> Option<String> {
    let more = all.saturating_sub(most) as u64;
    (more > 0).then(|| format!("and {}", many(more, &format!("more {noun}"))))
}

/// Charts bring their style along for those who use them alone. On a page, [`STYLE`] has it.
fn without_style(svg: &str) -> String {
    svg.replace(&format!("<style>{}</style>", magpie_plot::style_rules()), "")
}

/// The escaper of all templates. Unlike that of askama, it removes what changes the direction of
/// writing and what XML forbids.
#[derive(Clone, Copy, Debug)]
pub struct Escaped;

impl Escaper for Escaped {
    fn write_escaped_str<W: fmt::Write>(&self, mut dest: W, text: &str) -> fmt::Result {
        // Line ends count in texts that are shown as they came.
        for line in text.split_inclusive('\n') {
            dest.write_str(&magpie_plot::escaped(line.trim_end_matches('\n')))?;
            if line.ends_with('\n') {
                dest.write_char('\n')?;
            }
        }
        Ok(())
    }
}
