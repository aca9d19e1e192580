//! Sites whose own markup is the truth: read as they are, and with the markup taken out.

use std::path::Path;

use anyhow::Result;

use super::Bench;
use super::details::{Site, measure};
use super::markup::{Values, entities, product, texts};
use super::pages::Document;
use crate::figure::Report;
use crate::site::mirror::Mirror;
use magpie_page::{Page, Selector};

/// Returns the pages of a saved site.
pub(crate) fn documents(folder: &Path) -> Result<Vec<Document>> {
    let mirror = Mirror::read(folder)?;
    Ok(mirror.documents().map(|(_, document)| document).collect())
}

pub(crate) fn capybara(bench: &Bench, folder: &Path, report: &mut Report) -> Result<()> {
    shop(
        bench,
        folder,
        report,
        &Site {
            set: "site-capybara-shop",
            vertical: "products",
            plain: &[
                ("name", Some(0.95)),
                ("price", Some(0.95)),
                ("availability", Some(0.95)),
            ],
            stripped: &[
                ("name", Some(0.95)),
                ("price", Some(0.90)),
                ("availability", None),
            ],
            name: Some("name"),
        },
    )
}

pub(crate) fn iticket(bench: &Bench, folder: &Path, report: &mut Report) -> Result<()> {
    shop(
        bench,
        folder,
        report,
        &Site {
            set: "site-iticket",
            vertical: "products",
            plain: &[
                ("name", Some(0.95)),
                ("price", Some(0.95)),
                ("availability", Some(0.95)),
            ],
            stripped: &[
                ("name", Some(0.95)),
                ("price", Some(0.90)),
                ("availability", None),
            ],
            name: Some("name"),
        },
    )
}

/// A page with one marked-up product is about it; one with several is a list. Where the markup does
/// not name the product, the last of its breadcrumbs does.
fn shop(bench: &Bench, folder: &Path, report: &mut Report, site: &Site) -> Result<()> {
    measure(bench, report, site, &documents(folder)?, |_, page| {
        only_product(page)
    })
}

/// The values of the one product that a page's markup is about.
pub(crate) fn only_product(page: &Page) -> Option<Values> {
    let found = entities(page, &["Product"]);
    let [only] = &found[..] else { return None };
    let mut values = product(only);
    if !values.iter().any(|(name, _)| *name == "name") {
        values.extend(current_breadcrumb(page).map(|name| ("name", name)));
    }
    Some(values)
}

fn current_breadcrumb(page: &Page) -> Option<String> {
    let current = Selector::parse("[aria-current=page]").ok()?;
    let document = page.document();
    let node = document
        .select(document.root(), &current, &mut || true)
        .ok()?
        .into_iter()
        .next()?;
    Some(document.text_of(node))
}

/// The books are blog entries, marked up as such: their headline is the book's title, and the rest
/// of the markup is about the entry.
pub(crate) fn medical_books(bench: &Bench, folder: &Path, report: &mut Report) -> Result<()> {
    let site = Site {
        set: "site-medical-books",
        vertical: "books",
        plain: &[("title", Some(0.95))],
        stripped: &[("title", Some(0.95))],
        name: Some("title"),
    };
    measure(bench, report, &site, &documents(folder)?, only_book)
}

/// The title of the one book that a page of that site is about.
pub(crate) fn only_book(document: &Document, page: &Page) -> Option<Values> {
    let found = entities(page, &["CreativeWork"]);
    match &found[..] {
        [only] if document.name.starts_with("books/") => {
            let titles = texts(only, "headline").into_iter();
            Some(titles.map(|title| ("title", title)).collect())
        }
        _ => None,
    }
}
