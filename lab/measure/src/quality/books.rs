//! Shops of books with truth in tables: SWDE's Books-A-Million, and the shop made for scraping.

use std::collections::HashMap;
use std::io::{BufRead, BufReader};
use std::path::Path;

use anyhow::{Context, Result};

use super::Bench;
use super::details::{Site, measure};
use super::pages::Document;
use crate::data::{files, rows, text};
use crate::figure::Report;

/// SWDE's attributes and ours.
const SWDE: [(&str, &str); 5] = [
    ("title", "title"),
    ("author", "authors"),
    ("isbn_13", "isbn"),
    ("publisher", "publisher"),
    ("publication_date", "published"),
];

pub(crate) fn books_a_million(bench: &Bench, folder: &Path, report: &mut Report) -> Result<()> {
    let site = Site {
        set: "swde-booksamillion",
        vertical: "books",
        plain: &[],
        stripped: &[
            ("title", Some(0.95)),
            ("isbn", Some(0.95)),
            ("authors", Some(0.85)),
            ("publisher", Some(0.80)),
            ("published", Some(0.80)),
        ],
        name: None,
    };
    let truth = swde_truth(folder)?;
    measure(bench, report, &site, &swde_documents(folder)?, |document, _| {
        truth.get(document.name.trim_end_matches(".htm")).cloned()
    })
}

/// The pages, whose first line names their URL and is not theirs.
pub(crate) fn swde_documents(folder: &Path) -> Result<Vec<Document>> {
    let folder = folder.join("pages");
    let mut documents = Vec::new();
    for path in files(&folder, &["htm"])? {
        let mut line = String::new();
        BufReader::new(std::fs::File::open(&path)?).read_line(&mut line)?;
        let name = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        let url = line
            .split('"')
            .nth(1)
            .with_context(|| format!("{name} begins with no URL"))?;
        documents.push(Document {
            skip: line.len(),
            ..Document::new(&folder, &name, url)?
        });
    }
    Ok(documents)
}

/// Attributes and values by the page's number. A line is the number, the count of values, and the
/// values.
fn swde_truth(folder: &Path) -> Result<HashMap<String, Vec<(&'static str, String)>>> {
    let mut truth: HashMap<String, Vec<(&'static str, String)>> = HashMap::new();
    for (theirs, ours) in SWDE {
        let path = folder.join(format!("truth/book-booksamillion-{theirs}.txt"));
        for line in text(&path)?.lines().skip(2) {
            let mut cells = line.split('\t');
            let page = truth
                .entry(cells.next().unwrap_or_default().to_owned())
                .or_default();
            let values = cells.skip(1).map(|value| value.trim_start_matches(':').trim());
            page.extend(
                values
                    .filter(|value| *value != "<NULL>")
                    .map(|value| (ours, value.to_owned())),
            );
        }
    }
    Ok(truth)
}

pub(crate) fn to_scrape_products(bench: &Bench, folder: &Path, report: &mut Report) -> Result<()> {
    to_scrape(
        bench,
        folder,
        report,
        &Site {
            set: "books-toscrape",
            vertical: "products",
            plain: &[],
            stripped: &[
                ("name", Some(0.95)),
                ("price", Some(0.90)),
                ("availability", None),
                ("sku", None),
            ],
            name: None,
        },
    )
}

pub(crate) fn to_scrape_books(bench: &Bench, folder: &Path, report: &mut Report) -> Result<()> {
    to_scrape(
        bench,
        folder,
        report,
        &Site {
            set: "books-toscrape",
            vertical: "books",
            plain: &[],
            stripped: &[("title", Some(0.95)), ("price", Some(0.90))],
            name: None,
        },
    )
}

/// Pages are joined with the table by the product code they show, which is on no two of them.
fn to_scrape(bench: &Bench, folder: &Path, report: &mut Report, site: &Site) -> Result<()> {
    let table = rows(&folder.join("book_details.csv"), ',')?;
    let pages = folder.join("pages");
    let documents = to_scrape_documents(folder)?;
    let truth: HashMap<&str, &Vec<String>> = table.iter().skip(1).map(|row| (row[2].as_str(), row)).collect();
    let codes: HashMap<String, String> = documents
        .iter()
        .filter_map(|document| {
            let source = std::fs::read_to_string(pages.join(&document.name)).ok()?;
            let code = source.split_once("<th>UPC</th><td>")?.1.split('<').next()?;
            Some((document.name.clone(), code.trim().to_owned()))
        })
        .collect();
    measure(bench, report, site, &documents, |document, _| {
        let row = truth.get(codes.get(&document.name)?.as_str())?;
        let stock = if row[7].starts_with("In stock") {
            "in-stock"
        } else {
            "out-of-stock"
        };
        Some(vec![
            ("name", row[0].clone()),
            ("title", row[0].clone()),
            ("sku", row[2].clone()),
            ("price", row[5].clone()),
            ("availability", stock.to_owned()),
        ])
    })
}

pub(crate) fn to_scrape_documents(folder: &Path) -> Result<Vec<Document>> {
    let folder = folder.join("pages");
    let paths = files(&folder, &["html"])?;
    let names = paths.iter().filter_map(|path| path.file_name());
    names
        .map(|name| {
            let name = name.to_string_lossy();
            let url = format!(
                "https://books.toscrape.com/catalogue/{}/index.html",
                name.trim_end_matches(".html")
            );
            Document::new(&folder, &name, &url)
        })
        .collect()
}
