//! What all pages have in common: head, navigation, foot.

use askama::Template;
use axum::http::StatusCode;

use crate::assets;

/// The part of the page that a reader is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Area {
    /// The first page.
    Home,
    /// Objects.
    Objects,
    /// The crawl.
    Operation,
    /// None of these.
    None,
}

/// The frame of a page.
#[derive(Clone, Debug)]
pub(crate) struct Frame {
    /// The title of the page.
    pub(crate) title: String,
    /// The area.
    pub(crate) area: Area,
    /// The path of the same as JSON, if there is one.
    pub(crate) data: Option<String>,
    /// The reader may act.
    pub(crate) can_act: bool,
}

impl Frame {
    pub(crate) fn new(title: impl Into<String>, area: Area) -> Frame {
        Frame {
            title: title.into(),
            area,
            data: None,
            can_act: false,
        }
    }

    /// Names the path of the same as JSON.
    pub(crate) fn with_data(mut self, path: impl Into<String>) -> Frame {
        self.data = Some(path.into());
        self
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
        frame: Frame::new(title, Area::None),
        status: status.as_u16(),
        sentence,
    };
    page.render().unwrap_or_default()
}
