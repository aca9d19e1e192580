//! The page that is measured: the programme of a town, generated, the same on every run.
//!
//! It has no structured data: reading the tree is the longer way, and most listings are like that.

use std::fmt::Write as _;
use std::sync::Arc;

use anyhow::Result;
use magpie_page::Page;
use magpie_values::Timestamp;

/// Cards of the listing; with them it has about 100 KB.
pub(crate) const CARDS: usize = 187;

const URL: &str = "https://www.newbridge-culture.example/whats-on";

/// Words of the cards, separated by semicolons.
const KINDS: &str = "Concert; Theatre; Reading; Exhibition; Film; Workshop; Talk; Dance; Family";
const FIRST: &str = "Evening; Midsummer; Northern; Paper; Silver; Winter; Garden; Harbour; Hidden; Late; \
    Wandering; Second";
const SECOND: &str = "Serenade; Stories; Lanterns; Voices; Letters; Quartet; Mirrors; Rivers; Sketches; Songs; \
    Footprints";
const PEOPLE: &str = "Ana Lindqvist; the Calder Trio; Joseph Okafor; Mira Sandoval; the Town Players; \
    Piet van Aalst; Ruth Hargreaves; the Weaver Ensemble; Yusuf Demir; Clara Novak";
/// Names and addresses.
const VENUES: &str = "\
    Old Corn Exchange | 14 Market Street, Newbridge; \
    St Anne's Hall | 2 Church Lane, Newbridge; \
    Riverside Theatre | Quay Road 7, Newbridge; \
    Municipal Library | 1 Station Square, Newbridge; \
    The Boiler House | Mill Yard, Eastham; \
    Gallery on the Green | 33 The Green, Newbridge; \
    Assembly Rooms | 90 High Street, Eastham";
const SENTENCES: &str = "An evening that begins quietly and does not stay so.; \
    With an introduction half an hour before, when the bar is open.; \
    Suitable for listeners of eight years and over.; Part of the season of small stages.; \
    Returned by popular demand after two full houses.; Please note that there is no interval.";
const MONTHS: &str = "January; February; March; April; May; June; July; August; September; October; November; \
    December";
const WEEKDAYS: &str = "Thursday; Friday; Saturday; Sunday; Monday; Tuesday; Wednesday";

/// Any fixed time shortly before the listing's first day: 2026-10-01.
const FETCHED_AT: Timestamp = Timestamp::from_seconds(1_790_812_800);

/// The page, not yet parsed.
pub(crate) fn unparsed(html: &str) -> Result<Page> {
    Ok(Page::new(magpie_page::PageSource {
        url: URL.parse()?,
        status: 200,
        headers: vec![("content-type".to_owned(), "text/html; charset=utf-8".to_owned())],
        fetched_at: FETCHED_AT,
        body: html.as_bytes().to_vec().into(),
    }))
}

/// The page with all parts computed that every plugin shares.
pub(crate) fn parsed() -> Result<Arc<Page>> {
    let page = unparsed(&html())?;
    read(&page);
    Ok(Arc::new(page))
}

/// Reads what a page keeps for all plugins.
pub(crate) fn read(page: &Page) {
    page.outline();
    page.structured_data();
    page.title();
    page.language();
}

pub(crate) fn html() -> String {
    let mut html = String::from(HEAD);
    for number in 0..CARDS {
        push_card(&mut html, number);
    }
    html.push_str(FOOT);
    html
}

const HEAD: &str = r#"<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>What's on | Newbridge Culture</title>
<link rel="stylesheet" href="/assets/site.css">
<script>window.dataLayer = window.dataLayer || [];</script>
</head>
<body class="page page--listing">
<header class="site-header"><a class="logo" href="/">Newbridge Culture</a>
<nav><ul><li><a href="/whats-on">What's on</a></li><li><a href="/venues">Venues</a></li>
<li><a href="/season-tickets">Season tickets</a></li><li><a href="/about">About us</a></li></ul></nav></header>
<main>
<h1>What's on</h1>
<form class="filter" action="/whats-on"><label>From <input name="from"></label><button>Show</button></form>
<div class="event-list">
"#;

const FOOT: &str = r#"</div>
<nav class="pager"><a class="current" href="/whats-on">1</a> <a href="/whats-on?page=2" rel="next">Next</a></nav>
</main>
<footer><p>Newbridge Culture, 1 Station Square, Newbridge. <a href="/imprint">Imprint</a> <a href="/privacy">Privacy</a></p></footer>
</body>
</html>
"#;

/// Picks from a list so that neighbours differ; `turn` makes the picks of one card independent.
fn pick(list: &'static str, number: usize, turn: usize) -> &'static str {
    let count = list.split("; ").count();
    nth(list, (number * 7 + turn * 13 + (number / count) * 3) % count)
}

fn nth(list: &'static str, place: usize) -> &'static str {
    list.split("; ").nth(place).unwrap_or_default()
}

fn push_card(html: &mut String, number: usize) {
    let kind = pick(KINDS, number, 0);
    let title = format!("{} {}", pick(FIRST, number, 1), pick(SECOND, number, 2));
    let slug = title.to_lowercase().replace(' ', "-");
    let (venue, address) = pick(VENUES, number, 3).split_once(" | ").unwrap_or_default();
    let (iso, written) = start(number);
    let (who, sentence) = (pick(PEOPLE, number, 4), pick(SENTENCES, number, 5));
    let price = 8 + (number * 5) % 23;
    // Writing to a string can't fail.
    let _ = write!(
        html,
        r#"<article class="card">
<a href="/whats-on/{slug}-{number}"><img src="/media/{number}.jpg" alt=""></a>
<div class="card-body"><p class="kind">{kind}</p>
<h3><a href="/whats-on/{slug}-{number}">{title}</a></h3>
<p class="when"><time datetime="{iso}">{written}</time></p>
<p class="where"><span class="venue">{venue}</span>, {address}</p>
<p class="text">With {who}. {sentence}</p>
<p class="price">from £{price}.50</p></div>
</article>
"#
    );
}

/// The start of an event, for machines and for people: three events a day from 2 October 2026.
fn start(number: usize) -> (String, String) {
    let day_of_season = 1 + number / 3;
    let (month, day) = match day_of_season {
        n if n < 31 => (10, n + 1),
        n if n < 61 => (11, n - 30),
        n => (12, n - 60),
    };
    let (hour, minute) = (17 + number % 4, if number.is_multiple_of(3) { 30 } else { 0 });
    let weekday = nth(WEEKDAYS, day_of_season % 7);
    (
        format!("2026-{month:02}-{day:02}T{hour:02}:{minute:02}"),
        format!(
            "{weekday} {day} {} 2026, {hour}:{minute:02}",
            nth(MONTHS, month - 1)
        ),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_listing_has_a_hundred_kilobytes_and_its_cards() {
        let html = html();
        assert!((95_000..105_000).contains(&html.len()), "{} bytes", html.len());
        let page = parsed().unwrap();
        let cards = magpie_page::Selector::parse("article.card h3 a").unwrap();
        let found = page.document().select(0, &cards, &mut || true).unwrap();
        assert_eq!(found.len(), CARDS);
    }

    #[test]
    fn days_and_weekdays_agree() {
        // 1 October 2026 is a Thursday.
        assert_eq!(start(0).1, "Friday 2 October 2026, 17:30");
        assert_eq!(start(90).0, "2026-11-01T19:30");
        assert_eq!(start(90).1, "Sunday 1 November 2026, 19:30");
        assert_eq!(start(CARDS - 1).1, "Thursday 3 December 2026, 19:30");
    }

    #[test]
    fn no_two_cards_begin_at_one_time_and_place() {
        let starts: std::collections::BTreeSet<_> = (0..CARDS)
            .map(|number| (start(number).0, pick(VENUES, number, 3)))
            .collect();
        assert_eq!(starts.len(), CARDS);
    }
}
