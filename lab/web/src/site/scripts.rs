//! Sites that show their objects by scripts.

use serde::Serialize;

use crate::address::Route;
use crate::random::Key;
use crate::spec::{Vertical, WebSpec};

/// The way in which the objects of a page get into it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ScriptStyle {
    /// The script fetches JSON from an endpoint.
    Endpoint,
    /// The script reads JSON that is in the page.
    InlineState,
    /// The script fetches the next page of the list when its end is in view.
    InfiniteScroll,
    /// The script fetches the next page of the list when a button is pressed.
    LoadMore,
    /// Links change the URL and the page without a navigation.
    History,
    /// Elements without `href` lead to other pages when they are clicked.
    Clicks,
}

impl ScriptStyle {
    /// Returns the name, such as `inline-state`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Endpoint => "endpoint",
            Self::InlineState => "inline-state",
            Self::InfiniteScroll => "infinite-scroll",
            Self::LoadMore => "load-more",
            Self::History => "history",
            Self::Clicks => "clicks",
        }
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Scripts {
    pub(crate) style: ScriptStyle,
    pub(crate) has_lists: bool,
    /// Pages of objects are made by the script.
    pub(crate) has_details: bool,
    /// Beginning of the paths of the endpoint. A page's own path follows.
    pub(crate) base: &'static str,
    pub(crate) bundle: String,
    /// The first part of a list is in the page, and the script leads on from it.
    pub(crate) is_hydrated: bool,
    /// The endpoint refuses requests without the header `X-Requested-With`.
    pub(crate) is_guarded: bool,
    pub(crate) json: JsonForm,
}

#[derive(Clone, Debug)]
pub(crate) struct JsonForm {
    /// Draws the name of each key.
    pub(crate) key: Key,
    /// Writes keys as `startDate`, otherwise as `start_date`.
    pub(crate) is_camel: bool,
    /// Property of the objects of a list.
    pub(crate) rows: &'static str,
    /// Puts the objects into `data`, and the page number into `meta`.
    pub(crate) is_wrapped: bool,
    pub(crate) money: MoneyForm,
    /// Names are objects: `{"name": "Old Mill"}`.
    pub(crate) has_nested_names: bool,
    /// The next page is given by its URL in the endpoint, otherwise by that of its page.
    pub(crate) links_endpoint: bool,
    /// Inline state is a script of JSON, otherwise a variable of the window.
    pub(crate) has_json_script: bool,
}

/// Notation of an amount of money.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MoneyForm {
    /// A number, with the currency beside it.
    Number,
    /// `{"amount": 12.5, "currency": "EUR"}`
    Nested,
    /// `"12.50 EUR"`
    Text,
}

/// Beginnings of the paths of endpoints.
const BASES: [&str; 5] = ["/api", "/api/v1", "/rest/v2", "/_data", "/wp-json/site/v1"];

impl Scripts {
    pub(crate) fn new(key: Key, spec: &WebSpec) -> Self {
        let style = key.of("style", 0).weighted(&[
            (4, ScriptStyle::Endpoint),
            (4, ScriptStyle::InlineState),
            (2, ScriptStyle::InfiniteScroll),
            (2, ScriptStyle::LoadMore),
            (2, ScriptStyle::History),
            (2, ScriptStyle::Clicks),
        ]);
        let is_list_style = matches!(
            style,
            ScriptStyle::InfiniteScroll | ScriptStyle::LoadMore | ScriptStyle::Clicks
        );
        let covered = key.of("covered", 0).below(3);
        let rows: &'static str = match spec.vertical {
            Vertical::Events => key.of("rows", 0).pick(&["events", "items", "results"]),
            Vertical::Books => key.of("rows", 0).pick(&["books", "items", "titles"]),
            Vertical::Products => key.of("rows", 0).pick(&["products", "items", "hits"]),
        };
        Self {
            style,
            has_lists: is_list_style || covered != 1,
            has_details: covered != 0,
            base: key.of("base", 0).pick(&BASES),
            is_hydrated: is_list_style && key.of("hydrated", 0).per_mille(spec.hydrated.into()),
            bundle: format!("/static/app.{:08x}.js", key.of("bundle", 0).bits() as u32),
            is_guarded: style != ScriptStyle::InlineState && key.of("guarded", 0).per_mille(120),
            json: JsonForm {
                key: key.of("keys", 0),
                is_camel: key.of("camel", 0).per_mille(600),
                rows,
                is_wrapped: key.of("wrapped", 0).per_mille(400),
                money: key.of("money", 0).pick(&[
                    MoneyForm::Number,
                    MoneyForm::Number,
                    MoneyForm::Nested,
                    MoneyForm::Text,
                ]),
                has_nested_names: key.of("nested", 0).per_mille(400),
                links_endpoint: key.of("links", 0).per_mille(600),
                has_json_script: key.of("state", 0).per_mille(600),
            },
        }
    }

    /// Returns the scripts after their endpoint has moved.
    pub(crate) fn moved(&self) -> Self {
        let place = BASES.iter().position(|base| *base == self.base).unwrap_or(0);
        Self {
            base: BASES[(place + 1) % BASES.len()],
            bundle: self.bundle.replace("/app.", "/app2."),
            ..self.clone()
        }
    }

    /// Returns true if the objects of a page are shown by the script.
    pub(crate) fn shows(&self, route: &Route) -> bool {
        match route {
            Route::Home | Route::List { .. } => self.has_lists,
            Route::Dated { day, .. } => self.has_lists && *day != 0,
            Route::Detail { .. } => self.has_details,
            _ => false,
        }
    }

    /// Returns true if objects come from an endpoint.
    pub(crate) fn has_endpoint(&self) -> bool {
        self.style != ScriptStyle::InlineState
    }

    /// Returns the path and query of the page whose data a URL of the endpoint returns.
    pub(crate) fn page_path<'p>(&self, path_and_query: &'p str) -> Option<&'p str> {
        path_and_query
            .strip_prefix(self.base)
            .filter(|path| self.has_endpoint() && path.starts_with('/'))
    }
}
