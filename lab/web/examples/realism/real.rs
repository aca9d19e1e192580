//! Real sites, as far as their data is available.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::measure::{Shapes, Site};

const WEEK: u64 = 7 * 86_400;

fn lines(path: &Path) -> Vec<Vec<String>> {
    let bytes = std::fs::read(path).expect("the set is whole");
    let text = String::from_utf8_lossy(&bytes);
    text.lines()
        .map(|line| line.split('\t').map(str::to_owned).collect())
        .collect()
}

/// Returns the complete sites, and a shop of which only the detail pages are available.
pub(crate) fn sites() -> Vec<Site> {
    let whole = [
        ("site-medical-books", "CreativeWork"),
        ("site-capybara-shop", "Product"),
        ("site-iticket", "Product"),
        ("site-fossasia2017", ""),
    ];
    let mut sites: Vec<Site> = whole
        .iter()
        .filter_map(|(set, markup)| site(set, markup))
        .collect();
    sites.extend(detail_pages());
    sites
}

fn site(set: &str, markup: &str) -> Option<Site> {
    let folder = magpie_test_support::data::find(set)?;
    let mut site = Site {
        name: set.to_owned(),
        knows_objects: true,
        ..Site::default()
    };
    for line in lines(&folder.join("urls.tsv")) {
        let [file, url] = &line[..] else { continue };
        let Ok(bytes) = std::fs::read(folder.join(file)) else {
            continue;
        };
        let html = String::from_utf8_lossy(&bytes);
        if !html.to_lowercase().contains("<body") {
            continue;
        }
        let is_marked = [
            "itemtype=\"http://schema.org/",
            "itemtype=\"https://schema.org/",
            "\"@type\": \"",
            "\"@type\":\"",
        ]
        .iter()
        .any(|start| html.contains(&format!("{start}{markup}")));
        let has_objects = if markup.is_empty() {
            url.contains("/session_")
        } else {
            is_marked
        };
        site.add(url, &html, has_objects);
    }
    Some(site)
}

fn detail_pages() -> Option<Site> {
    let folder = magpie_test_support::data::find("books-toscrape")?.join("pages");
    let mut site = Site {
        name: "books-toscrape (objects)".to_owned(),
        ..Site::default()
    };
    for entry in std::fs::read_dir(folder).ok()?.flatten() {
        let bytes = std::fs::read(entry.path()).ok()?;
        site.add(
            "http://site.test/catalogue/page/index.html",
            &String::from_utf8_lossy(&bytes),
            true,
        );
    }
    Some(site)
}

/// Returns statistics of the URLs of four large sites.
pub(crate) fn url_shapes() -> Vec<(String, Shapes)> {
    let Some(folder) = magpie_test_support::data::find("urlgraph") else {
        return Vec::new();
    };
    let shapes = ["asp.net", "hupu.com", "rottentomatoes.com", "stackexchange.com"].map(|name| {
        let mut shapes = Shapes::default();
        let urls: BTreeSet<String> = lines(&folder.join(format!("{name}.edges.tsv")))
            .into_iter()
            .filter_map(|mut line| Some(std::mem::take(line.first_mut()?)))
            .collect();
        urls.iter().for_each(|url| shapes.add(url));
        (name.to_owned(), shapes)
    });
    shapes.into()
}

/// Returns weekly change rates of terms and privacy statements, and of pages with a full history.
pub(crate) fn change_rates() -> Vec<(String, Vec<f64>)> {
    let mut rates = Vec::new();
    if let Some(folder) = magpie_test_support::data::find("change-times") {
        rates.push((
            "terms and privacy of 310 services".to_owned(),
            document_rates(&lines(&folder.join("ota-contrib.tsv"))),
        ));
    }
    if let Some(folder) = magpie_test_support::data::find("page-versions") {
        for (set, name) in [
            ("fossasia2016-home", "home of a conference"),
            ("ai-deadlines", "list of deadlines"),
        ] {
            rates.push((name.to_owned(), vec![version_rate(&folder.join(set))]));
        }
    }
    rates
}

/// Returns the share of weeks with a change, from the first record of each document on.
fn document_rates(lines: &[Vec<String>]) -> Vec<f64> {
    let mut weeks: BTreeMap<&str, BTreeSet<u64>> = BTreeMap::new();
    for line in lines
        .iter()
        .filter(|line| line.len() == 4 && line[2].starts_with("Record new changes"))
    {
        if let Ok(time) = line[0].parse::<u64>() {
            weeks.entry(&line[3]).or_default().insert(time / WEEK);
        }
    }
    let last = weeks.values().flatten().max().copied().unwrap_or(0);
    let rate = |weeks: &BTreeSet<u64>| {
        weeks.len() as f64 / (last + 1 - weeks.first().copied().unwrap_or(last)) as f64
    };
    weeks.values().map(rate).collect()
}

fn version_rate(folder: &Path) -> f64 {
    let names = std::fs::read_dir(folder)
        .expect("the set is whole")
        .flatten()
        .map(|entry| entry.file_name());
    let time = |name: std::ffi::OsString| name.to_str()?.split('_').next()?.parse::<u64>().ok();
    let weeks: BTreeSet<u64> = names.filter_map(time).map(|time| time / WEEK).collect();
    let (first, last) = (
        weeks.first().copied().unwrap_or(0),
        weeks.last().copied().unwrap_or(0),
    );
    weeks.len() as f64 / (last + 1 - first) as f64
}
