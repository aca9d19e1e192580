//! Finds the day of a page (published or changed), and whether the page is an article.
//!
//! Days without a year are near it, and an article announces what comes after it. The day of the
//! fetch says nothing of this kind.

use std::ops::{Range, RangeInclusive};

use magpie_sdk::date::{self, Date, DateContext, DateTime, Precision};
use magpie_sdk::extract::Layout;
use magpie_sdk::text::{self, WordList};
use magpie_sdk::{Entity, Page};

use crate::links::leads_to_person;
use crate::tree::{names_one, words_of_name};
use crate::words;
use crate::words::languages as lists;

/// Maximum number of dated elements of posts on an article. More are a list of posts.
const MAX_POSTS: usize = 2;

/// Maximum number of elements with machine-readable dates to read.
const MAX_TIMES: usize = 40;

/// Maximum number of lines around the heading to search for the day of posting.
const NEAR: usize = 8;

/// Types of articles in structured data. `hentry` is not one, as themes use it for every page.
const ARTICLES: [&str; 2] = ["*Article", "*Posting"];

/// Classes of the body or of the element around the text that mark a post.
const POST_CLASSES: [&str; 13] = [
    "single-post",
    "post-template",
    "single-blog",
    "single-news",
    "page-node-type-article",
    "page-node-type-blog",
    "page-node-type-news",
    "node-type-article",
    "node-type-blog",
    "node-type-news",
    "node-type-story",
    "blog-post-page",
    "article-page",
];

#[derive(Clone, Debug, Default)]
pub(crate) struct Posted {
    /// Day of the page itself: on which it was published, or else changed.
    pub(crate) day: Option<Date>,
    /// Is true for posts of blogs and news, and false for pages that are kept up to date.
    pub(crate) is_article: bool,
    /// Nodes of the elements that show when something was posted, in document order.
    elements: Vec<Range<u32>>,
}

impl Posted {
    pub(crate) fn of(layout: &Layout<'_>) -> Self {
        let page = layout.page();
        let elements = elements(layout);
        let (shown, is_post) = shown(layout, &elements);
        let speaks = words::speaks(folders(page.url())).0 > 0;
        let is_marked = is_one_article(page) || is_post || classed_as_post(layout) || is_dated(page.url());
        let own = page.own_date();
        // People read the day that is shown. A URL or a header may have another one.
        let stated = own.day.filter(|_| own.source == "structured-data");
        Self {
            day: stated.or(shown).or(own.day),
            is_article: is_marked && !speaks && !is_talk(layout),
            elements,
        }
    }

    /// Returns true if a start is none that the page announces: it is the time of a posting, or in
    /// an article not in the year after its day. An article without a day must state the year.
    pub(crate) fn rules_out(&self, start: DateTime, node: u32) -> bool {
        /// Number of days after which an article announces nothing.
        const AHEAD: i64 = 330;
        let is_announced = match self.day {
            Some(day) => (1..=AHEAD).contains(&day.days_until(start.date())),
            None => start.has_year(),
        };
        let place = self.elements.partition_point(|element| element.end <= node);
        let is_posting = self
            .elements
            .get(place)
            .is_some_and(|element| element.contains(&node));
        is_posting || self.is_article && !is_announced
    }
}

/// Returns true if structured data describes one article. Several are the entries of a list.
fn is_one_article(page: &Page) -> bool {
    let is_article = |entity: &Entity<'_>| ARTICLES.iter().any(|name| entity.is(name));
    page.structured().filter(is_article).take(2).count() == 1
}

/// Returns true for a class of an element that shows when something was posted: `entry-date
/// published`.
pub(crate) fn is_of_posting(class: &str) -> bool {
    static WRITTEN: WordList = WordList::new(&[
        "posted",
        "submitted",
        "published",
        "publish",
        "pubdate",
        "dateline",
        "byline",
        "post",
        "entry",
        "article",
        "blog",
        "news",
    ]);
    static DATED: WordList = WordList::new(&[
        "date",
        "time",
        "on",
        "published",
        "posted",
        "submitted",
        "pubdate",
        "meta",
        "info",
        "dateline",
        "byline",
        "datum",
    ]);
    class.split_ascii_whitespace().any(|class| {
        let words: Vec<&str> = words_of_name(class).collect();
        let has = |list: &WordList| words.iter().any(|word| word.is_ascii() && list.has(word));
        has(&WRITTEN)
            && has(&DATED)
            && words.len() <= 4
            && !names_one(class, list!["event", "events", "session"])
    })
}

/// Returns the nodes of elements whose classes say that they show when something was posted.
fn elements(layout: &Layout<'_>) -> Vec<Range<u32>> {
    let is_dated = layout.per_class(is_of_posting);
    let nodes = layout.outline().nodes().filter(|node| node.is_element());
    let dated = nodes.filter(|node| is_dated.get(node.id()) == Some(&true) && node.text().len() < 300);
    let mut elements: Vec<Range<u32>> = Vec::new();
    for node in dated {
        // A dated element within another one has the same day.
        let is_inner = elements.last().is_some_and(|last| last.contains(&node.id()));
        if !is_inner {
            elements.push(node.range());
        }
    }
    elements
}

/// Returns the day of posting that a page shows, and true if it marks a post.
fn shown(layout: &Layout<'_>, elements: &[Range<u32>]) -> (Option<Date>, bool) {
    let days: Vec<Date> = (elements.iter().take(MAX_TIMES))
        .filter_map(|element| day_in(layout, &layout.text(element.start)))
        .collect();
    match days[..] {
        [] => by_words(layout, layout.heading().map_or(0, |heading| heading.node)),
        [day, ..] if days.len() <= MAX_POSTS => (Some(day), true),
        _ => (None, false),
    }
}

/// Returns the day in a line near the heading that begins with `Posted on` or the like.
fn by_words(layout: &Layout<'_>, heading: u32) -> (Option<Date>, bool) {
    let lines = layout.lines();
    let at = lines
        .iter()
        .position(|line| line.node >= heading)
        .unwrap_or_default();
    let near = lines.iter().skip(at.saturating_sub(2)).take(NEAR);
    let posted = near
        .filter(|line| line.text.len() <= 120)
        .filter(|line| {
            text::words(&line.text)
                .take(3)
                .any(|word| lists::POSTED.has(word))
        })
        .find_map(|line| day_in(layout, &line.text));
    (posted, posted.is_some())
}

/// Returns the first day with a year in a text.
fn day_in(layout: &Layout<'_>, written: &str) -> Option<Date> {
    if !text::has_figure(written) {
        return None;
    }
    // A day without a year is not that of posting, so it must not be completed.
    let context = DateContext {
        today: None,
        year: None,
        ..layout.page().date_context()
    };
    let found = date::find_all(written, &context);
    let starts = found.iter().filter_map(|found| found.value.start());
    starts
        .filter(|start| start.precision() >= Precision::Day)
        .map(DateTime::date)
        .find(|day| (1990..2100).contains(&day.year()))
}

fn classed_as_post(layout: &Layout<'_>) -> bool {
    let outline = layout.outline();
    let tops = outline
        .nodes()
        .filter(|node| matches!(node.tag(), "body" | "html" | "main"))
        .take(3);
    tops.filter_map(|node| layout.class(node.id()))
        .flat_map(str::split_ascii_whitespace)
        .any(|class| POST_CLASSES.contains(&class) || class == "single-format-standard")
}

/// Returns true for the page of a talk: it has labels for its conference, and for speakers or a
/// recording.
pub(crate) fn is_talk(layout: &Layout<'_>) -> bool {
    let pairs = layout.pairs();
    let has = |labels: &WordList| {
        pairs
            .iter()
            .any(|pair| words::place_of(labels, pair.folded()).is_some())
    };
    let speaks = || {
        let own = layout.heading().map_or(0, |heading| heading.node);
        has(&lists::LABEL_TALK) || layout.hrefs(own..u32::MAX).any(|(_, href)| leads_to_person(href))
    };
    has(&lists::LABEL_CONFERENCE) && speaks()
}

/// Returns true if a date is a folder of a blog: `/2019/05/03/name`, `/2019/05/name`.
fn is_dated(url: &str) -> bool {
    let steps: Vec<&str> = path(url).split('/').filter(|step| !step.is_empty()).collect();
    let number = |place: usize, digits: RangeInclusive<usize>, range: RangeInclusive<u16>| {
        steps.get(place).is_some_and(|step| {
            digits.contains(&step.len()) && step.parse().is_ok_and(|number: u16| range.contains(&number))
        })
    };
    (0..steps.len()).any(|place| {
        let has_day = number(place + 2, 1..=2, 1..=31);
        number(place, 4..=4, 1990..=2099)
            && number(place + 1, 1..=2, 1..=12)
            && steps.len() > place + 2 + usize::from(has_day)
    })
}

fn path(url: &str) -> &str {
    let path = url.splitn(4, '/').nth(3).unwrap_or_default();
    path.split(['?', '#']).next().unwrap_or_default()
}

/// Returns the path of a URL without its last segment, which may consist of the words of a title.
pub(crate) fn folders(url: &str) -> &str {
    let path = path(url).trim_end_matches('/');
    let path = path.strip_suffix("/index.html").unwrap_or(path);
    path.rsplit_once('/').map_or("", |(folders, _)| folders)
}

#[cfg(test)]
mod tests {
    use super::{Posted, is_dated};
    use magpie_sdk::Page;
    use magpie_sdk::extract::Layout;

    #[test]
    fn folders_of_blogs_are_dates() {
        for (url, expected) in [
            ("https://example.org/2019/05/03/night-music/", true),
            ("https://example.org/blog/2019/05/night-music", true),
            ("https://example.org/2019/05/", false),
            ("https://example.org/2019/05/03/", false),
            ("https://example.org/day/2024-04-20", false),
            ("https://example.org/1776/05/03/broadside", false),
        ] {
            assert_eq!(is_dated(url), expected, "{url}");
        }
    }

    #[test]
    fn pages_say_when_they_were_posted() {
        let ld = |kind: &str, dates: &str| {
            format!(
                "<script type=application/ld+json>{{\"@context\":\"https://schema.org\",\"@type\":\"{kind}\",{dates}}}</script><h1>April</h1>"
            )
        };
        for (html, day, is_article) in [
            (
                ld(
                    "BlogPosting",
                    "\"datePublished\":\"2019-04-02T17:32:25+00:00\",\"dateModified\":\"2025-01-01\"",
                ),
                Some("2019-04-02"),
                true,
            ),
            (
                ld(
                    "WebPage",
                    "\"datePublished\":\"2019-04-02\",\"dateModified\":\"2025-01-01\"",
                ),
                Some("2025-01-01"),
                false,
            ),
            (
                "<h1>April</h1><span class=post-date>April 2nd, 2019</span><p>x".to_owned(),
                Some("2019-04-02"),
                true,
            ),
            (
                "<html lang=de><h1>April</h1><p>Veröffentlicht am 2. April 2019 von Ada".to_owned(),
                Some("2019-04-02"),
                true,
            ),
            (
                "<h1>Blog</h1><p class=post-date>April 2, 2019</p><p class=post-date>April 3, 2019</p>\
                 <p class=post-date>April 4, 2019</p>"
                    .to_owned(),
                None,
                false,
            ),
            (
                "<h1>April</h1><span class=event-date>April 2nd, 2019</span>".to_owned(),
                None,
                false,
            ),
            ("<h1>April</h1><p>© 2019 Example".to_owned(), None, false),
            (
                "<body class='single single-post postid-3'><h1>April</h1>".to_owned(),
                None,
                true,
            ),
        ] {
            let page = Page::from_html("https://example.org/april", &html);
            let layout = Layout::new(&page);
            let posted = Posted::of(&layout);
            assert_eq!(posted.day.map(|day| day.to_string()).as_deref(), day, "{html}");
            assert_eq!(posted.is_article, is_article, "{html}");
        }
    }
}
