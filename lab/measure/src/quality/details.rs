//! Sites whose pages show one object each, and lists that link to these.

use std::collections::{HashMap, HashSet};

use anyhow::Result;
use magpie_model::{Kind, PageContext, Record, VerticalInfo};
use magpie_page::Page;
use magpie_values::title;
use url::Url;

use super::Bench;
use super::pages::{Document, main_object, records};
use crate::figure::Report;
use crate::score::{PageScore, Tally, Truth, score};

/// Attributes that are scored, each with the F1 that is wanted.
pub(crate) type Asked = &'static [(&'static str, Option<f64>)];

pub(crate) struct Site {
    pub(crate) set: &'static str,
    pub(crate) vertical: &'static str,
    /// Attributes expected of pages as they are; empty if they have no structured data.
    pub(crate) plain: Asked,
    /// Attributes expected of pages whose structured data was removed.
    pub(crate) stripped: Asked,
    /// Name attribute of objects, by which lists are scored. `None` if the set has no lists.
    pub(crate) name: Option<&'static str>,
}

/// Values read from a page, and the true values.
struct Seen {
    truth: Option<Truth>,
    plain: Vec<Record>,
    stripped: Vec<Record>,
    links: Vec<String>,
}

/// A way to read pages: its name, what is asked of it, and what came of it.
type Way = (&'static str, Asked, fn(&Seen) -> &Vec<Record>);

/// Reads all pages and adds their figures. `truth` returns the values of the one object that a page
/// shows; `None` for other pages.
pub(crate) fn measure<F>(
    bench: &Bench,
    report: &mut Report,
    site: &Site,
    documents: &[Document],
    truth: F,
) -> Result<()>
where
    F: Fn(&Document, &Page) -> Option<Vec<(&'static str, String)>> + Sync,
{
    let plugin = bench.readers.plugin(site.vertical)?;
    let info = plugin.info();
    let seen = bench.readers.each(documents, |document| {
        let page = document.page()?;
        let context = PageContext {
            url: page.url().to_string(),
            day: page.own_date().day.map(|day| day.date),
            year: page.own_date().year,
            language: page.language().map(str::to_owned),
        };
        let truth = truth(document, &page).map(|values| Truth::new(info, &context, &values));
        let wanted = truth.is_some() || site.name.is_some();
        Ok(Seen {
            truth,
            plain: if wanted && !site.plain.is_empty() {
                records(&plugin, &page)
            } else {
                Vec::new()
            },
            stripped: if wanted && !site.stripped.is_empty() {
                records(&plugin, &document.stripped(&page)?)
            } else {
                Vec::new()
            },
            links: match site.name {
                Some(_) => {
                    let links = page.links();
                    links
                        .iter()
                        .filter_map(|link| place(&link.href, &document.url))
                        .collect()
                }
                None => Vec::new(),
            },
        })
    })?;
    let ways: [Way; 2] = [
        ("as they are", site.plain, |seen| &seen.plain),
        ("stripped", site.stripped, |seen| &seen.stripped),
    ];
    for (way, asked, of) in ways.into_iter().filter(|(_, asked, _)| !asked.is_empty()) {
        let title = format!("{}, {} {way}", site.set, site.vertical);
        for (attribute, target) in asked {
            let tally = tally(info, attribute, documents, &seen, of);
            let beside = (*attribute == "title").then(|| ("main parts of titles", main_parts(&tally).f1()));
            bench.add(report, format!("{title}: {attribute}"), &tally, *target, beside);
        }
        if let Some(name) = site.name {
            let tally = lists(info, name, documents, &seen, of);
            bench.add(report, format!("{title}, lists: {name}"), &tally, None, None);
        }
    }
    Ok(())
}

fn tally(
    info: &VerticalInfo,
    attribute: &str,
    documents: &[Document],
    seen: &[Seen],
    of: fn(&Seen) -> &Vec<Record>,
) -> Tally {
    let mut tally = Tally::default();
    for (document, seen) in documents.iter().zip(seen) {
        if let Some(truth) = &seen.truth {
            tally.push(score(
                info,
                attribute,
                &document.name,
                truth,
                main_object(of(seen)),
            ));
        }
    }
    tally
}

/// The same pages with titles compared by their main parts, without subtitle, edition and binding.
fn main_parts(tally: &Tally) -> Tally {
    let score = |page: &PageScore| {
        let keys = |values: &[String]| values.iter().map(|value| title::key(value)).collect::<Vec<_>>();
        let (expected, found) = (keys(&page.values[0]), keys(&page.values[1]));
        let found: Vec<&str> = found.iter().map(String::as_str).collect();
        PageScore::of(&page.page, &Kind::Text, &expected, &found)
    };
    Tally {
        pages: tally.pages.iter().map(score).collect(),
    }
}

/// Scores lists. The names of the objects whose pages they link to are expected, without links that
/// most pages of the site have.
fn lists(
    info: &VerticalInfo,
    name: &str,
    documents: &[Document],
    seen: &[Seen],
    of: fn(&Seen) -> &Vec<Record>,
) -> Tally {
    /// Minimum length of a list.
    const SHORTEST: usize = 3;
    let details = details(name, documents, seen);
    let mut linked: HashMap<&str, usize> = HashMap::new();
    for link in seen
        .iter()
        .flat_map(|seen| seen.links.iter().map(String::as_str).collect::<HashSet<_>>())
    {
        *linked.entry(link).or_default() += 1;
    }
    let kind = info
        .attribute(name)
        .map(|attribute| attribute.kind.clone())
        .unwrap_or(Kind::Text);
    let mut tally = Tally::default();
    for (document, seen) in documents
        .iter()
        .zip(seen)
        .filter(|(_, seen)| seen.truth.is_none())
    {
        let own = seen
            .links
            .iter()
            .filter(|link| linked[link.as_str()] * 2 < documents.len());
        let mut expected: Vec<String> = own
            .filter_map(|link| details.get(link.as_str()))
            .map(|name| (*name).to_owned())
            .collect();
        expected.sort();
        expected.dedup();
        if expected.len() < SHORTEST {
            continue;
        }
        let mut found: Vec<&str> = of(seen).iter().filter_map(|record| record.get(name)).collect();
        found.sort_unstable();
        found.dedup();
        tally.push(PageScore::of(&document.name, &kind, &expected, &found));
    }
    tally
}

/// Names of the objects by the locations of their pages: by their URL, and by their file, which the
/// links of a mirrored site name.
fn details<'a>(name: &str, documents: &[Document], seen: &'a [Seen]) -> HashMap<String, &'a str> {
    let mut details = HashMap::new();
    for (document, seen) in documents.iter().zip(seen) {
        let Some(value) = seen.truth.as_ref().and_then(|truth| truth.all(name).first()) else {
            continue;
        };
        let file = format!("/{}", document.name);
        let file = document.url.join(&file).ok();
        for url in [Some(document.url.clone()), file].into_iter().flatten() {
            details.extend(place(url.as_str(), &document.url).map(|place| (place, value.as_str())));
        }
    }
    details
}

/// Path on a site to which a URL leads, in any spelling of the mirror: with or without the host as
/// first folder, with `index.html` or a slash. `None` if it leads to another site.
fn place(href: &str, site: &Url) -> Option<String> {
    let url = Url::parse(href).ok()?;
    let host = url.host_str().filter(|host| Some(*host) == site.host_str())?;
    let path = url.path().strip_prefix('/').unwrap_or_default();
    let path = path.strip_prefix(host).unwrap_or(path);
    let path = path.strip_suffix("index.html").unwrap_or(path).trim_matches('/');
    Some(format!("{path}?{}", url.query().unwrap_or_default()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mirrors_write_one_place_in_many_ways() {
        let site = Url::parse("https://shop.example/").unwrap();
        for href in [
            "https://shop.example/products/mug",
            "http://shop.example/products/mug/#top",
            "https://shop.example/products/mug/index.html",
            "https://shop.example/shop.example/products/mug",
        ] {
            assert_eq!(place(href, &site).as_deref(), Some("products/mug?"), "{href}");
        }
        assert_eq!(place("https://other.example/products/mug", &site), None);
    }
}
