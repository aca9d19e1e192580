//! What stands on a page, before a template makes tags of it.
//!
//! Pages and truth come from the same content, so truth can't say what the page does not.

mod beside;
mod decoys;
mod detail;
mod lists;
mod record;
mod scene;
mod search;

pub(crate) use decoys::is_code;
pub(crate) use record::{Field, Record, Role};
pub(crate) use scene::Scene;

use crate::address::{Param, Query, Route};
use crate::chance::Key;
use crate::site::{CalendarKind, Decoy};

/// What there is to say on a route.
#[derive(Debug)]
pub(crate) enum Outcome {
    Page(Box<Content>),
    /// 301 to another route.
    Moved(Route),
    Missing,
    Gone,
}

/// The content of a page.
#[derive(Debug)]
pub(crate) struct Content {
    pub(crate) title: String,
    pub(crate) crumbs: Vec<Link>,
    pub(crate) main: Vec<Block>,
    pub(crate) aside: Vec<Block>,
    /// The route that the page is a copy of, where it is one.
    pub(crate) canonical: Option<Route>,
    pub(crate) is_noindex: bool,
    /// The objects on the page. Blocks point here.
    pub(crate) records: Vec<Record>,
    /// The last week in which what lasts on the page changed.
    pub(crate) changed: u32,
    /// The day on which an article was published, where its head says so.
    pub(crate) published: Option<i64>,
    /// Parts that look like objects and are none.
    pub(crate) decoys: Vec<Decoy>,
    /// Occasions of an article's own time: a reader that dates them by the article is right, and
    /// yet they are objects of no site.
    pub(crate) bygone: Vec<Bygone>,
}

/// An occasion in an old article.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Bygone {
    /// Its name.
    pub name: String,
    /// Its first day, as `2023-06-18`.
    pub start: String,
}

/// A link.
#[derive(Debug)]
pub(crate) struct Link {
    pub(crate) route: Route,
    pub(crate) text: String,
    /// Whether it comes with what says where it stood.
    pub(crate) is_tracked: bool,
    /// An argument that the site itself does not need, such as `orderby=price`; empty for none.
    pub(crate) argument: String,
}

/// A piece of a page.
#[derive(Debug)]
pub(crate) enum Block {
    /// The object that the page is about.
    Record(usize),
    /// Objects in a list, from and up to.
    List(std::ops::Range<usize>),
    /// Links under a heading.
    Links(String, Vec<Link>),
    Pager(Vec<Link>),
    /// Paragraphs of filler.
    Prose(Key, u64),
    /// A line of text.
    Line(String),
    /// What people wrote.
    Posts(Vec<Post>),
    /// Days of a month with the objects on them.
    Grid(Vec<(u8, std::ops::Range<usize>)>),
    Form(Form),
    /// A month as a calendar plugin shows it.
    Month(Box<Month>),
    /// Something with a name, a link perhaps, and lines below it.
    Card {
        heading: String,
        link: Option<Link>,
        lines: Vec<String>,
    },
    /// Other objects with their prices.
    Related(String, std::ops::Range<usize>),
    /// Ads, clocks and recommendations: other at every fetch.
    Advert(u64),
    Clock,
    Recommendations(String, Vec<Link>),
}

/// A month in the structure of a calendar plugin.
#[derive(Debug)]
pub(crate) struct Month {
    pub(crate) kind: CalendarKind,
    pub(crate) year: i32,
    pub(crate) month: u8,
    /// The first day, in days since 1970-01-01.
    pub(crate) first: i64,
    pub(crate) days: Vec<(u8, std::ops::Range<usize>)>,
    pub(crate) previous: Link,
    pub(crate) next: Link,
    pub(crate) today: Link,
}

/// Something that someone wrote.
#[derive(Debug)]
pub(crate) struct Post {
    pub(crate) author: String,
    pub(crate) date: String,
    pub(crate) key: Key,
    pub(crate) sentences: u64,
    pub(crate) reply: Option<Route>,
}

/// A form that is sent with GET.
#[derive(Debug)]
pub(crate) struct Form {
    pub(crate) query: Query,
    /// Menus, each with its options.
    pub(crate) selects: Vec<(Param, Vec<(String, String)>)>,
    pub(crate) button: &'static str,
}

impl Content {
    pub(crate) fn new(title: String) -> Self {
        Self {
            title,
            crumbs: Vec::new(),
            main: Vec::new(),
            aside: Vec::new(),
            canonical: None,
            is_noindex: false,
            records: Vec::new(),
            changed: 0,
            published: None,
            decoys: Vec::new(),
            bygone: Vec::new(),
        }
    }
}
