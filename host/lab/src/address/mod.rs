//! Addresses: what a site has pages for, and how its URLs are written and read back.
//!
//! A [`Route`] says what a page is. It is taken apart into [`Parts`] (a section, a key, a page number, parameters),
//! and a [`Style`] writes these the way one design of one site does. Reading goes the same way back, so that any URL
//! can be answered without a table of URLs.

mod ids;
mod parts;
mod read;
mod style;
mod write;

pub(crate) use ids::IdScheme;
pub(crate) use parts::{Param, Parts, Section};
pub(crate) use read::decoded;
pub(crate) use style::{Family, Style};
pub(crate) use write::{Names, Noise};

/// What a page is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Route {
    Home,
    /// Objects of the site, page by page.
    List {
        facet: Facet,
        page: u32,
        order: u8,
    },
    /// One object, by its position in the catalogue.
    Detail {
        position: u32,
        side: Side,
    },
    /// The objects of a month, counted from year 0.
    Calendar {
        month: i32,
    },
    Search(Query),
    Stories {
        page: u32,
    },
    Story {
        number: u32,
    },
    /// The stories of a month.
    Archive {
        month: i32,
    },
    Board {
        page: u32,
    },
    Thread {
        number: u32,
        page: u32,
    },
    Help {
        number: u32,
    },
    About {
        number: u32,
    },
    Login,
    Cart {
        position: u32,
    },
    Comments {
        position: u32,
    },
    /// One of endlessly many pages that lead to more of their kind.
    Trap {
        number: u64,
    },
    /// The objects of a year, a month or a day, or what there is of these below; zeros for all.
    Dated {
        year: i32,
        month: u8,
        day: u8,
    },
    /// A sample that a theme has brought.
    Sample {
        number: u32,
    },
    /// The form for new objects, which is for those who have logged in.
    NewObject,
    /// An interface for programs.
    Api,
    Feed,
    Robots,
    Sitemap {
        part: Option<u32>,
    },
}

/// Which objects a list is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Facet {
    All,
    Category(u8),
    Group(u16),
    Tag(u8),
    /// A tag or a person: several for each object, each with the same few objects.
    Hub(u32),
    Past,
}

/// The several pages that one object may have on one site.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    Main,
    Print,
    /// A page below the main one: its tickets, its specification.
    Sub,
    /// The same page under another path.
    Twin,
}

/// What is asked of a search form.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Query {
    pub(crate) text: String,
    pub(crate) category: Option<u8>,
    pub(crate) group: Option<u16>,
    pub(crate) order: u8,
    /// From 1; 0 is the empty form.
    pub(crate) page: u32,
}
