//! What all pages have in common: head, navigation, foot.

use askama::Template;
use axum::http::StatusCode;

use crate::assets;
use crate::href::Href;

/// The places of the navigation.
const PLACES: [(&str, &str); 13] = [
    ("Overview", "/"),
    ("Objects", "/objects"),
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

/// The frame of a page.
#[derive(Clone, Debug)]
pub(crate) struct Frame {
    /// The title of the page.
    pub(crate) title: String,
    /// The place in the navigation.
    pub(crate) place: &'static str,
    /// The path of the same as JSON, if there is one.
    pub(crate) data: Option<Href>,
    /// Linked data about the page, as JSON that may stand in HTML.
    pub(crate) linked_data: Option<String>,
    /// The same in other forms.
    pub(crate) forms: Vec<(String, Href)>,
    /// The reader may act.
    pub(crate) can_act: bool,
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
            can_act: false,
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

    /// Names the list that a page shows in the forms of data: JSON, JSON lines, CSV.
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
    }

    pub(crate) fn places(&self) -> [(&'static str, &'static str); 13] {
        PLACES
    }

    pub(crate) fn is_at(&self, path: &str) -> bool {
        self.place == path
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
#[template(path = "problem.html")]
struct ProblemPage<'a> {
    frame: Frame,
    status: u16,
    sentence: &'a str,
}

/// The page of an error.
pub(crate) fn problem_page(status: StatusCode, sentence: &str) -> String {
    let title = status.canonical_reason().unwrap_or("Error");
    let page = ProblemPage {
        frame: Frame::new(title, ""),
        status: status.as_u16(),
        sentence,
    };
    page.render().unwrap_or_default()
}
