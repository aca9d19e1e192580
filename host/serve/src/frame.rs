//! The common frame of all pages: head, navigation, foot.

use askama::Template;
use axum::http::StatusCode;

use crate::assets;
use crate::blocks::{Block, Cell, Tone};
use crate::href::Href;

pub(crate) const OBJECTS: &str = "/objects";

const PLACES: [(&str, &str); 13] = [
    ("Overview", "/"),
    ("Objects", OBJECTS),
    ("Changes", "/changes"),
    ("Sites", "/sites"),
    ("Plan", "/plan"),
    ("URLs", "/urls"),
    ("Runs", "/runs"),
    ("Quality", "/quality"),
    ("Doubts", "/doubts"),
    ("Verticals", "/verticals"),
    ("Feeds", "/feeds"),
    ("Webhooks", "/webhooks"),
    ("API", "/api"),
];

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Rights {
    /// The server only reads.
    #[default]
    OnlyReads,
    /// The server acts for those who have a session.
    NeedsSession,
    /// The server acts for those who log in as an operator.
    NeedsOperator,
    MayAct,
}

#[derive(Clone, Debug)]
pub(crate) struct Frame {
    pub(crate) title: String,
    pub(crate) place: &'static str,
    /// The path of the same as JSON, if there is one.
    pub(crate) data: Option<Href>,
    /// Linked data about the page, as JSON that is safe inside HTML.
    pub(crate) linked_data: Option<String>,
    /// The same in other forms.
    pub(crate) forms: Vec<(String, Href)>,
    pub(crate) feeds: Vec<(String, Href)>,
    pub(crate) rights: Rights,
    /// The account of the reader.
    pub(crate) account: Option<String>,
    /// The reader has a session, and may end it.
    pub(crate) has_session: bool,
    /// The reader may log in.
    pub(crate) can_log_in: bool,
    /// The reader may read the audit.
    pub(crate) is_operator: bool,
    /// The page leads nowhere else.
    pub(crate) is_bare: bool,
}

impl Frame {
    /// The frame of a page at a place of the navigation.
    pub(crate) fn new(title: impl Into<String>, place: &'static str) -> Frame {
        Frame {
            title: title.into(),
            place,
            data: None,
            linked_data: None,
            forms: Vec::new(),
            feeds: Vec::new(),
            rights: Rights::default(),
            account: None,
            has_session: false,
            can_log_in: false,
            is_operator: false,
            is_bare: false,
        }
    }

    /// Names the path of the same as JSON.
    pub(crate) fn with_json(mut self, href: Href) -> Frame {
        self.data = Some(href.clone());
        self.with_form("JSON", href)
    }

    /// Names the same in another form.
    pub(crate) fn with_form(mut self, name: &str, href: Href) -> Frame {
        self.forms.push((name.to_owned(), href));
        self
    }

    /// Names a feed of the same.
    pub(crate) fn with_feed(mut self, name: &str, href: Href) -> Frame {
        self.feeds.push((name.to_owned(), href));
        self
    }

    /// Names the list that a page shows in the forms of data: JSON, JSON lines, CSV, and CSV with
    /// the bare values, which a spreadsheet may compute.
    pub(crate) fn with_list(self, path: &str, query: &[(&str, &str)]) -> Frame {
        let href = |ending: &str| {
            let href = Href {
                address: format!("{path}{ending}"),
                is_outside: false,
            };
            query
                .iter()
                .fold(href, |href, (name, value)| href.with(name, value))
        };
        self.with_json(href(".json"))
            .with_form("JSON lines", href(".jsonl"))
            .with_form("CSV", href(".csv"))
            .with_form("CSV for programs", href(".csv").with("for", "programs"))
    }

    pub(crate) fn places(&self) -> [(&'static str, &'static str); 13] {
        PLACES
    }

    pub(crate) fn is_at(&self, path: &str) -> bool {
        self.place == path
    }

    /// Returns `true` unless the page has a search of its own.
    pub(crate) fn has_search(&self) -> bool {
        self.place != OBJECTS || self.feeds.is_empty()
    }

    /// Says what the reader may do.
    pub(crate) fn rights(&self) -> &'static str {
        match self.rights {
            Rights::OnlyReads => "this server only reads; magpie watch --serve acts as well",
            Rights::NeedsSession => "to act, open the link that the watch printed when it started",
            Rights::NeedsOperator => "only operators may act here",
            Rights::MayAct => "you may act here",
        }
    }

    pub(crate) fn version(&self) -> &'static str {
        env!("CARGO_PKG_VERSION")
    }

    pub(crate) fn sheet(&self) -> &'static str {
        assets::sheet()
    }

    pub(crate) fn script(&self) -> &'static str {
        assets::script()
    }

    pub(crate) fn icon(&self) -> &'static str {
        assets::icon()
    }
}

#[derive(Template)]
#[template(path = "page.html")]
pub(crate) struct Page {
    pub(crate) frame: Frame,
    pub(crate) blocks: Vec<Block>,
}

pub(crate) fn problem_page(status: StatusCode, sentence: &str) -> String {
    let title = status.canonical_reason().unwrap_or("Error");
    let cells = vec![
        Cell::Strong(status.as_u16().to_string()),
        Cell::from(format!(" {sentence}")),
    ];
    let page = Page {
        frame: Frame::new(title, ""),
        blocks: vec![
            Block::Verdict {
                tone: Tone::Bad,
                cells,
            },
            Block::Text(vec![Cell::link(Href::to(&[]), "Go to the overview")]),
        ],
    };
    page.render().unwrap_or_default()
}
