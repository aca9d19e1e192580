//! Values that the host dropped or corrected because they did not fit the schema.

use axum::extract::State;
use axum::response::Response;
use magpie_report::format::thousands;
use magpie_rows::ReadStore;
use magpie_rows::{ViolatingPage, ViolationTotals};
use serde_json::json;

use crate::answer::List;
use crate::asked::Asked;
use crate::blocks::{Block, Cell, Table};
use crate::frame::Page;
use crate::href::Href;
use crate::{App, Error, html, words};

/// Rows of totals of each vertical, those that a page shows, and pages of one total.
const MAX_ROWS: usize = 10_000;
const MAX_SHOWN: usize = 200;
const MAX_PAGES: usize = 200;

/// A total with the names that the store does not know it by.
pub(super) struct Named {
    vertical: String,
    site: String,
    totals: ViolationTotals,
}

pub(super) fn totals(reader: &dyn ReadStore) -> Result<Vec<Named>, Error> {
    let mut all = Vec::new();
    for vertical in reader.learned_verticals()? {
        let sites = reader.learned_sites(&vertical)?;
        for totals in reader.violation_totals(&vertical, MAX_ROWS)? {
            let site = sites.iter().find(|site| site.site == totals.site);
            all.extend(site.map(|site| Named {
                vertical: vertical.clone(),
                site: site.key.clone(),
                totals,
            }));
        }
    }
    Ok(all)
}

/// The reason of a violation in words.
fn reason(code: &str) -> String {
    let words = match code {
        "unknown-attribute" => "the schema has no such attribute",
        "wrong-type" => "the value has the wrong type",
        "unreadable" => "the value can’t be read",
        "empty" => "the value is empty",
        "not-finite" => "the number is infinite or none",
        "confidence" => "the confidence is outside 0 to 1",
        "second-value" => "there is a value already",
        "too-many-values" => "there are too many values",
        "too-long" => "the text is too long",
        "properties" => "some properties are not flat, or too long",
        "missing-required" => "it is required and missing, so the object was dropped",
        other => return other.replace('-', " "),
    };
    words.to_owned()
}

fn attribute(name: &str) -> Cell {
    match name {
        "" => Cell::from("other names"),
        name => Cell::Code(name.to_owned()),
    }
}

/// A table of totals. Each number leads to the pages.
pub(super) fn table(all: &[Named]) -> Table {
    let columns = ["Attribute", "Reason", "Site", "Vertical", "#Values", "#Pages"];
    let mut table = Table::new("Values that were dropped or corrected, by reason", &columns)
        .or("All values fitted the schema, as far as this version of Magpie counted them.");
    if all.len() > MAX_SHOWN {
        let more = thousands((all.len() - MAX_SHOWN) as u64);
        table.leaves_out(format!(
            "{more} rows with fewer values are left out; the download has them."
        ));
    }
    for Named {
        vertical,
        site,
        totals,
    } in all.iter().take(MAX_SHOWN)
    {
        let href = Href::to(&["violations"])
            .with("vertical", vertical)
            .with("site", site)
            .with("attribute", &totals.attribute)
            .with("code", &totals.code);
        table.row([
            attribute(&totals.attribute),
            Cell::from(reason(&totals.code)),
            Cell::link(Href::to(&["site", site]), site.clone()),
            Cell::from(vertical.clone()),
            Cell::number(totals.values),
            Cell::link(href, thousands(totals.pages)),
        ]);
    }
    table
}

pub(super) async fn show(State(app): State<App>, asked: Asked) -> Result<Response, Error> {
    let Some(code) = asked.get("code").map(str::to_owned) else {
        let all = app.read_dear(totals).await?;
        if !asked.format.is_page() {
            let rows = all.iter().map(|one| {
                json!({
                    "vertical": one.vertical, "site": one.site, "attribute": one.totals.attribute,
                    "code": one.totals.code, "values": one.totals.values, "pages": one.totals.pages,
                })
            });
            return List::new("violations", rows).answer(&asked);
        }
        return html(&Page {
            frame: asked.list_frame("Values that did not fit", "/quality"),
            blocks: vec![Block::Table(table(&all))],
        });
    };
    let text = |name: &str| asked.get(name).unwrap_or_default().to_owned();
    let (vertical, site, name) = (text("vertical"), text("site"), text("attribute"));
    let (of, key, wanted) = (vertical.clone(), site.clone(), (name.clone(), code.clone()));
    let pages = app
        .read(move |reader| {
            let sites = reader.learned_sites(&of)?;
            let found = sites.iter().find(|site| site.key == key);
            let found =
                found.ok_or_else(|| Error::NotFound(format!("there is no site `{key}` of `{of}`")))?;
            let (name, code) = (wanted.0.as_str(), wanted.1.as_str());
            Ok(reader.violating_pages(&of, found.site, (name, code), MAX_PAGES)?)
        })
        .await?;
    if !asked.format.is_page() {
        let rows = pages.iter().map(|page| {
            json!({
                "page": page.page.0, "url": page.url, "fetched_at": page.fetched_at.to_string(),
                "values": page.values, "detail": page.detail,
            })
        });
        let list = List::new("pages", rows);
        return list.answer(&asked);
    }
    let what = if name.is_empty() { "other names" } else { &name };
    html(&Page {
        frame: asked.list_frame(format!("{} that did not fit", words::title(what)), "/quality"),
        blocks: vec![
            Block::Text(vec![
                Cell::from(format!("Of the {vertical} at ")),
                Cell::link(Href::to(&["site", &site]), site.clone()),
                Cell::from(format!(": {}. ", reason(&code))),
                Cell::link(Href::to(&["violations"]), "All reasons"),
            ]),
            Block::Table(of_pages(&pages)),
        ],
    })
}

fn of_pages(pages: &[ViolatingPage]) -> Table {
    let columns = ["Page", "Fetched", "#Values", "All that did not fit there", "Copy"];
    let mut table = Table::new("Pages, the newest first", &columns).or("No page has such a value.");
    for page in pages {
        let number = page.page.0.to_string();
        table.row([
            Cell::url(&page.url),
            Cell::Time(page.fetched_at),
            Cell::number(page.values),
            Cell::from(page.detail.clone().unwrap_or_default()),
            Cell::link(Href::to(&["page", &number]), format!("page {number}")),
        ]);
    }
    if pages.len() == MAX_PAGES {
        table.leaves_out("Older pages are left out.");
    }
    table
}
