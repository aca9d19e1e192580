//! Routing of pages to a plugin by the hints it declares; most pages never enter the sandbox.

use magpie_model::Routing;
use magpie_page::Page;

/// Media types of HTML, the default of plugins that declare none.
const HTML: [&str; 2] = ["text/html", "application/xhtml+xml"];

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Route {
    Hinted(String),
    /// No hint matches, and the plugin accepts such pages.
    Unhinted,
    /// The page is not passed to the plugin, for this reason.
    Skipped(String),
}

/// Decides about a page by the declared hints.
pub(crate) fn route(routing: &Routing, page: &Page) -> Route {
    let media = page.content_type();
    if !reads(routing, media) {
        let shown = if media.is_empty() {
            "of unknown type"
        } else {
            media
        };
        return Route::Skipped(format!("the plugin does not read pages that are {shown}"));
    }
    if let Some(hint) = path_hint(routing, page) {
        return Route::Hinted(format!("its URL contains {hint:?}"));
    }
    // Second, because structured data has to be parsed, and the URL is there already.
    if let Some(schema_type) = schema_hint(routing, page) {
        return Route::Hinted(format!("its structured data has a {schema_type}"));
    }
    if routing.only_hinted {
        return Route::Skipped(
            "neither its URL nor its structured data matches a hint of the plugin".to_owned(),
        );
    }
    Route::Unhinted
}

fn reads(routing: &Routing, media: &str) -> bool {
    // A server that declares no type usually means HTML; browsers assume the same.
    let wants =
        |wanted: &str| wanted.eq_ignore_ascii_case(media) || (media.is_empty() && HTML.contains(&wanted));
    if routing.content_types.is_empty() {
        HTML.into_iter().any(wants)
    } else {
        routing.content_types.iter().any(|wanted| wants(wanted))
    }
}

fn path_hint<'a>(routing: &'a Routing, page: &Page) -> Option<&'a str> {
    if routing.path_hints.is_empty() {
        return None;
    }
    let url = page.url();
    let address = format!("{}?{}", url.path(), url.query().unwrap_or_default()).to_lowercase();
    routing
        .path_hints
        .iter()
        .map(String::as_str)
        .find(|hint| address.contains(&hint.to_lowercase()))
}

fn schema_hint<'a>(routing: &'a Routing, page: &Page) -> Option<&'a str> {
    if routing.schema_types.is_empty() {
        return None;
    }
    let has = |wanted: &str| {
        page.structured_data()
            .iter()
            .any(|item| item.types.iter().any(|t| t == wanted))
    };
    routing
        .schema_types
        .iter()
        .map(String::as_str)
        .find(|wanted| has(wanted))
}
