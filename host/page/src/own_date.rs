//! The date of a page itself: when it was published or changed, as far as it says so.
//!
//! Neither the clock nor the time of the fetch is read, so the same response always has the same
//! date.

use std::ops::Range;

use magpie_values::date::{self, Date, DateContext, DateTime, Precision};
use magpie_values::text;
use serde_json::Value;
use url::Url;

use crate::dom::Document;
use crate::structured::StructuredItem;

/// Years that pages have. Other numbers are products, prices and history.
const YEARS: Range<i32> = 1990..2100;

/// Maximum number of bytes of a title, a heading or a path that are read.
const MAX_TEXT: usize = 1024;

/// Maximum number of years between a page's day and the year that it states for its dates.
const MAX_YEARS_APART: i32 = 3;

/// Date of a page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OwnDate {
    /// Day on which it was published or changed. "Today" and "tomorrow" are relative to it.
    pub day: Option<OwnDay>,
    /// Year that its title, its main heading or its URL states for the dates on it.
    pub year: Option<i32>,
}

/// Day of a page, with its source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OwnDay {
    /// The day.
    pub date: Date,
    /// Place where it is stated.
    pub source: DaySource,
}

/// Place where a page states its day, the most reliable first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DaySource {
    /// `datePublished` and the like.
    StructuredData,
    /// Folders or a name with a date: `/2025/03/21/name`, `/2025-03-21-name`.
    Url,
    /// Its main heading or title.
    Heading,
    /// The response header `Last-Modified`, if it is older than the response.
    Header,
}

impl DaySource {
    /// Returns the word of the contract.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::StructuredData => "structured-data",
            Self::Url => "url",
            Self::Heading => "heading",
            Self::Header => "header",
        }
    }
}

/// Parts of a page that may state its date.
pub(crate) struct Parts<'a> {
    pub(crate) url: &'a Url,
    pub(crate) title: Option<&'a str>,
    pub(crate) document: &'a Document,
    pub(crate) structured: &'a [StructuredItem],
    pub(crate) last_modified: Option<&'a str>,
    pub(crate) answered: Option<&'a str>,
}

impl Parts<'_> {
    pub(crate) fn date(&self) -> OwnDate {
        let headings = [main_heading(self.document), self.title.map(str::to_owned)];
        let headings: Vec<&str> = (headings.iter().flatten())
            .map(|heading| text::truncate(heading, MAX_TEXT))
            .collect();
        let from = |source: DaySource, date: Option<Date>| date.map(|date| OwnDay { date, source });
        let day = from(DaySource::StructuredData, structured_day(self.structured))
            .or_else(|| from(DaySource::Url, date::day_in_path(self.url.path())))
            .or_else(|| {
                let day = headings.iter().find_map(|heading| only_day(heading));
                from(DaySource::Heading, day)
            })
            .or_else(|| from(DaySource::Header, self.modified()));
        let is_near = |year: &i32| day.is_none_or(|day| (day.date.year() - year).abs() <= MAX_YEARS_APART);
        let year = (headings.iter().rev())
            .find_map(|heading| only_year(heading))
            .or_else(|| year_of_url(self.url))
            .filter(is_near);
        OwnDate { day, year }
    }

    /// Servers that make pages for each request send the time of the response as that of the
    /// change.
    fn modified(&self) -> Option<Date> {
        let modified = full_day(self.last_modified?)?;
        (modified < full_day(self.answered?)?).then_some(modified)
    }
}

/// Returns the text of the only main heading.
fn main_heading(document: &Document) -> Option<String> {
    let mut headings = (0..document.node_count()).filter(|node| document.tag(*node) == "h1");
    let heading = headings.next()?;
    // Several main headings are those of parts.
    headings.next().is_none().then(|| document.text_of(heading))
}

/// Returns the day that structured data states for the page, not for something that it lists.
fn structured_day(items: &[StructuredItem]) -> Option<Date> {
    let is_of = |suffixes: &'static [&'static str]| {
        move |item: &&StructuredItem| {
            let has = |suffix: &&str| item.types.iter().any(|name| name.ends_with(*suffix));
            suffixes.iter().any(has)
        }
    };
    let mut articles = items.iter().filter(is_of(&["Article", "Posting"]));
    // Several articles are the entries of a list.
    let article = articles.next().filter(|_| articles.next().is_none());
    let published = ["datePublished", "dateCreated", "published"];
    if let Some(day) = article.and_then(|article| day_of(article, &published)) {
        return Some(day);
    }
    // Pages that are no articles may be updated for each season.
    let pages = || items.iter().filter(is_of(&["Page", "VideoObject"]));
    let graphs = || items.iter().filter(|item| item.syntax == "open-graph");
    let published = pages()
        .find_map(|page| day_of(page, &["datePublished", "uploadDate"]))
        .or_else(|| {
            let names = [
                "article:published_time",
                "og:article:published_time",
                "og:published_time",
            ];
            graphs().find_map(|graph| day_of(graph, &names))
        });
    let modified = pages()
        .find_map(|page| day_of(page, &["dateModified"]))
        .or_else(|| graphs().find_map(|graph| day_of(graph, &["article:modified_time", "og:updated_time"])));
    published.max(modified)
}

fn day_of(item: &StructuredItem, names: &[&str]) -> Option<Date> {
    let written = names.iter().find_map(|name| match item.json.get(name)? {
        Value::Array(values) => values.first()?.as_str(),
        value => value.as_str(),
    });
    full_day(written?)
}

/// Parses a day with its year.
fn full_day(written: &str) -> Option<Date> {
    let written = written.trim();
    let moment = date::parse_iso(written).or_else(|| date::parse(written, &DateContext::default()))?;
    dated(moment)
}

fn dated(moment: DateTime) -> Option<Date> {
    let is_whole = moment.precision() >= Precision::Day && YEARS.contains(&moment.date().year());
    is_whole.then(|| moment.date())
}

/// Returns the day of a text that has exactly one, with its year.
fn only_day(written: &str) -> Option<Date> {
    if !text::has_figure(written) {
        return None;
    }
    let found = date::find_all(written, &DateContext::default());
    match found[..] {
        [found] if found.value.end().is_none() => dated(found.value.start()?),
        _ => None,
    }
}

/// Returns the year of a text with exactly one.
fn only_year(written: &str) -> Option<i32> {
    only(text::words(written).filter_map(year))
}

fn year(word: &str) -> Option<i32> {
    let year = (word.len() == 4).then(|| word.parse().ok())??;
    YEARS.contains(&year).then_some(year)
}

fn only(mut years: impl Iterator<Item = i32>) -> Option<i32> {
    let first = years.next()?;
    years.all(|other| other == first).then_some(first)
}

/// Returns the year in the host or the path of a URL: `2017.summit.example`, `/summit2017/rooms`,
/// `/summer-2023`.
fn year_of_url(url: &Url) -> Option<i32> {
    let place = format!("{}/{}", url.host_str().unwrap_or_default(), url.path());
    let words = text::truncate(&place, MAX_TEXT).split(|letter: char| !letter.is_ascii_alphanumeric());
    only(words.filter_map(|word| {
        let name = word.trim_end_matches(|letter: char| letter.is_ascii_digit());
        let is_name = name.bytes().all(|letter| letter.is_ascii_alphabetic());
        is_name.then(|| year(&word[name.len()..]))?
    }))
}
