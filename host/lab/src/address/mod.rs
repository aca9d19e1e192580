//! URLs of a site: which pages it has, and how their URLs are written and parsed.
//!
//! A [`Route`] identifies a page. It is split into [`Parts`] (a section, a key, a page number,
//! parameters), which a [`Style`] writes in the URL grammar of one design of one site. Parsing
//! reverses these steps, so any URL can be answered without a table of URLs.

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

/// Identity of a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Route {
    Home,
    /// List of objects, in pages.
    List {
        facet: Facet,
        page: u32,
        order: u8,
    },
    /// Detail page of an object, given by its position in the catalogue.
    Detail {
        position: u32,
        variant: PageVariant,
    },
    /// Objects of a month; months count from year 0.
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
    /// Stories of a month.
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
    /// One page of an endless set whose pages lead to more of their kind.
    Trap {
        number: u64,
    },
    /// Objects of a day, or links to the parts of a year or month. Zeros mean unspecified; all
    /// zeros are the overview.
    Dated {
        year: i32,
        month: u8,
        day: u8,
    },
    /// Sample page that came with a theme.
    Sample {
        number: u32,
    },
    /// Form for new objects, which only logged-in users may see.
    NewObject,
    /// API for programs, such as `/wp-json/`.
    Api,
    Feed,
    Robots,
    Sitemap {
        part: Option<u32>,
    },
}

/// The set of objects in a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Facet {
    All,
    Category(u8),
    Group(u16),
    Tag(u8),
    /// A tag or person of a hub site: each object has several, and each of them lists the same few
    /// objects.
    Hub(u32),
    Past,
}

/// The different pages that one object may have on a site.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PageVariant {
    Main,
    Print,
    /// Page below the main one, such as tickets or a specification.
    Sub,
    /// Same page under another path.
    Twin,
}

/// Query of a search form.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Query {
    pub(crate) text: String,
    pub(crate) category: Option<u8>,
    pub(crate) group: Option<u16>,
    pub(crate) order: u8,
    /// Page of results, from 1; 0 is the empty form.
    pub(crate) page: u32,
}
