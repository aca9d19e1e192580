//! Finds the day of a page (published or changed), and whether the page is an article.
//!
//! An old article has days without a year. Resolved near the day of the fetch, they would be in the
//! future.

use magpie_sdk::date::{self, Date, DateContext, Precision};
use magpie_sdk::extract::Layout;
use magpie_sdk::text::{self, WordList};
use magpie_sdk::{Entity, Page};

use crate::links::leads_to_person;
use crate::tree::{names_one, words_of_name};
use crate::words;
use crate::words::languages as lists;

/// Number of days after which an article announces nothing.
const MAX_AGE: i64 = 365;

/// Maximum number of dated elements of posts on an article. More are a list of posts.
const MAX_POSTS: usize = 2;

/// Maximum number of elements with machine-readable dates to read.
const MAX_TIMES: usize = 40;

/// Maximum number of lines around the heading to search for the day of posting.
const NEAR: usize = 8;

/// Types of articles in structured data. `hentry` is not one, as themes use it for every page.
const ARTICLES: [&str; 2] = ["*Article", "*Posting"];

/// Types of pages about one subject in structured data.
const PAGES: [&str; 4] = ["WebPage", "ItemPage", "AboutPage", "VideoObject"];

/// Classes of the body or of the element around the text that mark a post.
const POST_CLASSES: [&str; 9] = [
    "single-post",
    "post-template",
    "single-blog",
    "single-news",
    "page-node-type-article",
    "page-node-type-blog",
    "page-node-type-news",
    "blog-post-page",
    "article-page",
];

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Posted {
    /// Day on which it was published, or else changed, or the day in its URL.
    pub(crate) day: Option<Date>,
    /// Is true for posts of blogs and news, and false for pages that are kept up to date.
    pub(crate) is_article: bool,
}

impl Posted {
    pub(crate) fn of(layout: &Layout<'_>) -> Self {
        let page = layout.page();
        let mut posted = Self::default();
        let mut changed = None;
        posted.read_structured(page, &mut changed);
        let (shown, is_post) = shown(layout);
        let (in_url, is_dated_path) = day_of_url(page.url());
        let speaks = words::speaks(folders(page.url())).0 > 0;
        let is_classed = classed_as_post(layout);
        posted.is_article |= (is_post || is_classed || is_dated_path) && !speaks;
        posted.is_article &= !is_talk(layout);
        // Pages that are not articles may be updated for each season.
        let stated = if posted.is_article {
            posted.day
        } else {
            posted.day.max(changed)
        };
        posted.day = stated.or(shown).or(in_url);
        posted
    }

    /// Returns true for an article that is too old to announce anything.
    pub(crate) fn is_over(&self, today: Option<Date>) -> bool {
        let age = self.day.zip(today).map(|(day, today)| day.days_until(today));
        self.is_article && age.is_some_and(|age| age > MAX_AGE)
    }

    fn read_structured(&mut self, page: &Page, changed: &mut Option<Date>) {
        let day = |entity: &Entity<'_>, names: &[&str]| {
            let written = names.iter().find_map(|name| entity.get(name));
            written.and_then(full_day)
        };
        let is_one = |names: &'static [&'static str]| {
            move |entity: &Entity<'_>| names.iter().any(|name| entity.is(name))
        };
        let articles: Vec<Entity<'_>> = page.structured().filter(is_one(&ARTICLES)).collect();
        // Several articles are the entries of a list.
        if let [article] = articles[..] {
            self.is_article = words::speaks(folders(page.url())).0 == 0;
            self.day = day(&article, &["datePublished", "dateCreated", "published"]);
            *changed = day(&article, &["dateModified", "updated"]);
        }
        for entity in page.structured().filter(is_one(&PAGES)) {
            self.day = self
                .day
                .or_else(|| day(&entity, &["datePublished", "uploadDate"]));
            *changed = changed.or_else(|| day(&entity, &["dateModified"]));
        }
        for graph in page.structured().filter(|entity| entity.syntax() == "open-graph") {
            self.day = self.day.or_else(|| {
                day(
                    &graph,
                    &[
                        "article:published_time",
                        "og:article:published_time",
                        "og:published_time",
                    ],
                )
            });
            *changed = changed.or_else(|| day(&graph, &["article:modified_time", "og:updated_time"]));
        }
    }
}

/// Parses a day with its year.
fn full_day(written: &str) -> Option<Date> {
    let context = DateContext::default();
    let moment = date::parse_iso(written.trim()).or_else(|| date::parse(written.trim(), &context))?;
    (moment.precision() >= Precision::Day && (1990..2100).contains(&moment.date().year()))
        .then(|| moment.date())
}

/// Returns the day of posting that a page shows, and true if it marks a post.
fn shown(layout: &Layout<'_>) -> (Option<Date>, bool) {
    static WRITTEN: WordList = WordList::new(&[
        "posted",
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
        "pubdate",
        "meta",
        "info",
        "dateline",
        "byline",
        "datum",
    ]);
    let is_dated = layout.per_class(|class| {
        class.split_ascii_whitespace().any(|class| {
            let words: Vec<&str> = words_of_name(class).collect();
            let has = |list: &WordList| words.iter().any(|word| word.is_ascii() && list.has(word));
            has(&WRITTEN)
                && has(&DATED)
                && words.len() <= 4
                && !names_one(class, list!["event", "events", "session"])
        })
    });
    let heading = layout.heading().map_or(0, |heading| heading.node);
    let nodes = layout.outline().nodes().filter(|node| node.is_element());
    let dated = nodes.filter(|node| is_dated.get(node.id()) == Some(&true) && node.text().len() < 300);
    let mut days: Vec<(u32, Date)> = Vec::new();
    for node in dated.take(MAX_TIMES) {
        let is_inner = days
            .iter()
            .any(|(known, _)| node.ancestors().any(|around| around.id() == *known));
        // A dated element within another one has the same day.
        if is_inner {
            continue;
        }
        if let Some(day) = day_in(layout, &layout.text(node.id())) {
            days.push((node.id(), day));
        }
    }
    match days[..] {
        [] => {}
        [(_, day), ..] if days.len() <= MAX_POSTS => return (Some(day), true),
        _ => return (None, false),
    }
    by_words(layout, heading)
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
    // Without today, a day without a year is not resolved, so it is not taken for the day of
    // posting.
    let context = DateContext {
        today: None,
        ..layout.page().date_context()
    };
    let found = date::find_all(written, &context);
    let starts = found.iter().filter_map(|found| found.value.start());
    starts
        .filter(|start| start.precision() >= Precision::Day)
        .map(date::DateTime::date)
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

/// Returns the day in a URL, and true if the date is a folder of a blog: `/2019/05/03/name`.
fn day_of_url(url: &str) -> (Option<Date>, bool) {
    let path = path(url);
    let steps: Vec<&str> = path.split('/').filter(|step| !step.is_empty()).collect();
    let number = |step: &str, digits: std::ops::RangeInclusive<usize>| {
        let is_number = digits.contains(&step.len()) && step.bytes().all(|byte| byte.is_ascii_digit());
        is_number.then(|| step.parse::<i32>().ok()).flatten()
    };
    let year = |step: &str| number(step, 4..=4).filter(|year| (1990..2100).contains(year));
    for (at, step) in steps.iter().enumerate() {
        let month = steps.get(at + 1).and_then(|step| number(step, 1..=2));
        let Some((year, month)) = year(step).zip(month.and_then(|month| u8::try_from(month).ok())) else {
            continue;
        };
        let day = steps.get(at + 2).and_then(|step| number(step, 1..=2));
        let known = day.and_then(|day| Date::new(year, month, u8::try_from(day).ok()?));
        let is_folder = steps.len() > at + 2 + usize::from(known.is_some());
        // A path with a year and a month only stands for the middle of the month.
        if let Some(day) = known.or_else(|| Date::new(year, month, 15)) {
            return (Some(day), is_folder);
        }
    }
    // A segment of its own, or the end of one: `2024-04-20`, `night-music_2024_04_20`.
    let last = steps.last().copied().unwrap_or_default();
    let last = last.split('.').next().unwrap_or_default();
    let parts: Vec<&str> = last.split(['-', '_']).collect();
    let day = parts.windows(3).find_map(|parts| {
        let day = number(parts[2], 2..=2)?;
        Date::new(
            year(parts[0])?,
            u8::try_from(number(parts[1], 2..=2)?).ok()?,
            u8::try_from(day).ok()?,
        )
    });
    (day, false)
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

/// Returns the year in the words of the last path segment: `summer-events-2023`. Historical years
/// are ignored, and so is a number that distinguishes equal names.
pub(super) fn year_of_slug(url: &str, today: Option<Date>) -> Option<i32> {
    /// Numbers of years before and after today.
    const YEARS: (i32, i32) = (30, 2);
    let last = path(url).trim_end_matches('/').rsplit('/').next()?;
    let today = today?.year();
    let is_near = |year: &i32| (today - YEARS.0..=today + YEARS.1).contains(year);
    let mut years = last
        .split(['-', '_', '.'])
        .filter(|word| word.len() == 4)
        .filter_map(|word| word.parse::<i32>().ok())
        .filter(is_near);
    let first = years.next()?;
    years.all(|other| other == first).then_some(first)
}

#[cfg(test)]
mod tests {
    use super::{Posted, day_of_url, year_of_slug};
    use magpie_sdk::Page;
    use magpie_sdk::date::Date;
    use magpie_sdk::extract::Layout;

    #[test]
    fn addresses_say_when_a_page_was_posted() {
        for (url, day, is_article) in [
            (
                "https://example.org/2019/05/03/night-music/",
                Some("2019-05-03"),
                true,
            ),
            (
                "https://example.org/blog/2019/05/night-music",
                Some("2019-05-15"),
                true,
            ),
            (
                "https://example.org/view/30939_2024_04_20",
                Some("2024-04-20"),
                false,
            ),
            ("https://example.org/day/2024-04-20", Some("2024-04-20"), false),
            ("https://example.org/2019/05/", Some("2019-05-15"), false),
            ("https://example.org/broadside-of-1776-2/", None, false),
            ("https://example.org/night-music-2-2", None, false),
        ] {
            let (found, is_folder) = day_of_url(url);
            assert_eq!(found.map(|day| day.to_string()).as_deref(), day, "{url}");
            assert_eq!(is_folder, is_article, "{url}");
        }
    }

    #[test]
    fn slugs_name_years() {
        let today = Date::new(2026, 4, 1);
        for (url, year) in [
            ("https://example.org/summer-events-2023/", Some(2023)),
            ("https://example.org/broadside-of-1776-2/", None),
            ("https://example.org/2023/concert", None),
            ("https://example.org/from-2019-to-2020", None),
        ] {
            assert_eq!(year_of_slug(url, today), year, "{url}");
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
