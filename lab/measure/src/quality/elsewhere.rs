//! Pages of another kind, on which a vertical must find nothing.

use std::path::Path;

use anyhow::{Context, Result};

use super::Bench;
use super::books::{swde_documents, to_scrape_documents};
use super::pages::{Document, SOME_DAY, records};
use super::sites::documents;
use crate::data::{files, json};
use crate::figure::Report;
use crate::score::{PageScore, Tally};

/// Maximum share of pages that yield something: one of fifty.
const TARGET: f64 = 0.02;

pub(crate) fn recipes(bench: &Bench, folder: &Path, report: &mut Report) -> Result<()> {
    let mut pages = Vec::new();
    for path in files(folder, &["html"])? {
        let relative = path
            .strip_prefix(folder)
            .unwrap_or(&path)
            .to_string_lossy()
            .into_owned();
        let known = json(&path.with_extension("json")).ok();
        let url = known
            .as_ref()
            .and_then(|known| known["canonical_url"].as_str())
            .map(str::to_owned);
        let url = url.unwrap_or_else(|| format!("https://{relative}"));
        pages.push(
            Document::new(folder, &relative, &url)
                .or_else(|_| Document::new(folder, &relative, &format!("https://{relative}")))?,
        );
    }
    nothing(bench, report, "recipes", &["events", "books", "products"], &pages)
}

/// Pages in which shops and sites describe themselves.
pub(crate) fn shop_information(bench: &Bench, folder: &Path, report: &mut Report) -> Result<()> {
    let is_information = |document: &Document| {
        let path = document.url.path();
        ["/pages/", "/policies/", "/blogs/", "/account", "/cart"]
            .iter()
            .any(|part| path.starts_with(part))
    };
    let pages: Vec<Document> = documents(folder)?.into_iter().filter(is_information).collect();
    nothing(
        bench,
        report,
        "information pages of site-iticket",
        &["events", "books", "products"],
        &pages,
    )
}

pub(crate) fn clothes(bench: &Bench, folder: &Path, report: &mut Report) -> Result<()> {
    nothing(
        bench,
        report,
        "site-capybara-shop",
        &["events", "books"],
        &documents(folder)?,
    )
}

pub(crate) fn conference(bench: &Bench, folder: &Path, report: &mut Report) -> Result<()> {
    nothing(
        bench,
        report,
        "site-fossasia2017",
        &["books", "products"],
        &documents(folder)?,
    )
}

pub(crate) fn books(bench: &Bench, folder: &Path, report: &mut Report) -> Result<()> {
    nothing(
        bench,
        report,
        "books-toscrape",
        &["events"],
        &to_scrape_documents(folder)?,
    )
}

pub(crate) fn more_books(bench: &Bench, folder: &Path, report: &mut Report) -> Result<()> {
    /// Every tenth page: they are all of one make.
    const STEP: usize = 10;
    let pages: Vec<Document> = swde_documents(folder)?.into_iter().step_by(STEP).collect();
    nothing(bench, report, "swde-booksamillion", &["events"], &pages)
}

pub(crate) fn medical_books(bench: &Bench, folder: &Path, report: &mut Report) -> Result<()> {
    nothing(
        bench,
        report,
        "site-medical-books",
        &["events", "products"],
        &documents(folder)?,
    )
}

pub(crate) fn meetings(bench: &Bench, folder: &Path, report: &mut Report) -> Result<()> {
    let mut pages = Vec::new();
    for city in ["chicago-a", "chicago-b", "cleveland"] {
        let truth = json(&folder.join(city).join("truth.json"))?;
        for entry in truth.as_object().context("the truth is no object")?.values() {
            for file in entry["files"].as_array().into_iter().flatten() {
                let (name, url) = (file["file"].as_str().unwrap_or_default(), file["url"].as_str());
                if name.ends_with(".html")
                    && let Ok(mut page) = Document::new(&folder.join(city), name, url.unwrap_or_default())
                {
                    page.fetched_at = SOME_DAY;
                    pages.push(page);
                }
            }
        }
    }
    nothing(bench, report, "events-meetings", &["books", "products"], &pages)
}

fn nothing(
    bench: &Bench,
    report: &mut Report,
    set: &str,
    verticals: &[&str],
    pages: &[Document],
) -> Result<()> {
    for vertical in verticals {
        let plugin = bench.readers.plugin(vertical)?;
        let found = bench.readers.each(pages, |document| {
            let page = document.page()?;
            Ok([
                records(&plugin, &page),
                records(&plugin, &document.stripped(&page)?),
            ])
        })?;
        for (at, way) in ["as they are", "stripped"].into_iter().enumerate() {
            let score = |(document, found): (&Document, &[Vec<magpie_model::Record>; 2])| {
                let objects = &found[at];
                let told: Vec<String> = objects
                    .iter()
                    .take(2)
                    .map(|record| {
                        record
                            .values
                            .iter()
                            .take(3)
                            .map(|value| value.value.as_str())
                            .collect::<Vec<_>>()
                            .join(" | ")
                    })
                    .collect();
                PageScore {
                    page: document.name.clone(),
                    expected: 0,
                    found: objects.len(),
                    right: 0,
                    told: format!("{} objects: {told:?}", objects.len()),
                    ..PageScore::default()
                }
            };
            let tally = Tally {
                pages: pages.iter().zip(&found).map(score).collect(),
            };
            bench.add_pages_with_objects(
                report,
                format!("{set}, {vertical} {way}: pages with objects"),
                &tally,
                TARGET,
            );
        }
    }
    Ok(())
}
