//! Content of pages, before a template turns it into HTML.
//!
//! Pages and truth come from the same content, so they cannot disagree.

mod decoys;
mod detail;
mod hidden;
mod lists;
mod off_topic;
mod record;
mod scene;
mod search;

pub(crate) use decoys::is_code;
pub use hidden::{FormPurpose, ResultState};
pub(crate) use hidden::{HtmlForm, Input, Row};
pub(crate) use record::{Field, Record, Role};
pub(crate) use scene::Scene;

use crate::address::{Param, Query, Route};
use crate::random::Key;
use crate::site::{CalendarKind, Decoy};
use crate::template::Mount;

#[derive(Debug)]
pub(crate) enum Outcome {
    Page(Box<Content>),
    /// Redirect with status 301 to another route.
    Moved(Route),
    /// Redirect with status 302 to another route.
    Found(Route),
    Missing,
    Gone,
}

#[derive(Debug)]
pub(crate) struct Content {
    pub(crate) title: String,
    pub(crate) crumbs: Vec<Link>,
    pub(crate) main: Vec<Block>,
    pub(crate) aside: Vec<Block>,
    /// Route that this page is a copy of.
    pub(crate) canonical: Option<Route>,
    /// Route of this page, if the site has it in another language, too.
    pub(crate) translated: Option<Route>,
    pub(crate) is_noindex: bool,
    pub(crate) status: u16,
    /// Objects on the page. Blocks refer to them by index.
    pub(crate) records: Vec<Record>,
    /// Last week in which the lasting content of the page changed.
    pub(crate) changed: u32,
    /// Publication day of an article, if its head contains it.
    pub(crate) published: Option<i64>,
    /// Parts that look like objects but are not.
    pub(crate) decoys: Vec<Decoy>,
    /// Past events in an old article. A reader that dates them by the article is right, but they
    /// are objects of no site.
    pub(crate) bygone: Vec<PastEvent>,
    /// The part of the page that its script makes.
    pub(crate) mount: Option<Mount>,
}

/// A past event in an old article.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct PastEvent {
    pub name: String,
    /// First day, such as `2023-06-18`.
    pub start: String,
}

#[derive(Debug)]
pub(crate) struct Link {
    pub(crate) route: Route,
    pub(crate) text: String,
    /// True if the link may carry a tracking parameter.
    pub(crate) is_tracked: bool,
    /// Query argument that the site itself does not need, such as `orderby=price`; may be empty.
    pub(crate) argument: String,
}

#[derive(Debug)]
pub(crate) enum Block {
    /// The object that the page is about.
    Record(usize),
    List(std::ops::Range<usize>),
    /// Links under a heading.
    Links(String, Vec<Link>),
    Pager(Vec<Link>),
    /// Paragraphs of filler.
    Prose(Key, u64),
    Line(String),
    /// The heading of a day above its events.
    Day(String),
    /// The day and the minute of the publication of an article.
    Published(i64, u16),
    /// Products in a cart, with their prices.
    Cart(std::ops::Range<usize>),
    Posts(Vec<Post>),
    /// Days of a month with their objects.
    Grid(Vec<(u8, std::ops::Range<usize>)>),
    Form(Form),
    HtmlForm(Box<HtmlForm>),
    /// A table with a head and no rows.
    EmptyTable,
    /// A month as rendered by a calendar plugin.
    Month(Box<Month>),
    /// A heading, an optional link, and lines below it.
    Card {
        heading: String,
        link: Option<Link>,
        lines: Vec<String>,
    },
    /// Other objects with their prices.
    Related(String, std::ops::Range<usize>),
    /// An advertisement; differs at every fetch.
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
    /// First day, in days since 1970-01-01.
    pub(crate) first: i64,
    pub(crate) days: Vec<(u8, std::ops::Range<usize>)>,
    pub(crate) previous: Link,
    pub(crate) next: Link,
    pub(crate) today: Link,
}

#[derive(Debug)]
pub(crate) struct Post {
    pub(crate) author: String,
    pub(crate) date: String,
    pub(crate) key: Key,
    pub(crate) sentences: u64,
    pub(crate) reply: Option<Route>,
}

#[derive(Debug)]
pub(crate) struct Form {
    pub(crate) query: Query,
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
            translated: None,
            is_noindex: false,
            status: 200,
            records: Vec::new(),
            changed: 0,
            published: None,
            decoys: Vec::new(),
            bygone: Vec::new(),
            mount: None,
        }
    }
}
