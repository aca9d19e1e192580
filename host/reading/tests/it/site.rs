//! A made-up site, and a vertical that finds what a test lets it find.

use magpie_model::{Attribute, Kind, PageContext, Record, RecordValue, VerticalInfo};
use magpie_page::Page;
use magpie_reading::{Learner, Outcome, Reading, Seen};
use magpie_values::date::Date;

pub(crate) const HOST: &str = "https://stage.example";

/// A schema like that of any vertical: two attributes identify an object.
pub(crate) fn schema() -> VerticalInfo {
    let identifying = |name: &str, kind| Attribute {
        identifies: true,
        required: true,
        ..Attribute::new(name, kind)
    };
    VerticalInfo {
        name: "shows".to_owned(),
        object_type: "Show".to_owned(),
        attributes: vec![
            identifying("title", Kind::Text),
            identifying("day", Kind::DateTime),
            Attribute::new("house", Kind::Place),
            Attribute::new("price", Kind::Money),
            Attribute::new("link", Kind::Url),
        ],
        ..VerticalInfo::default()
    }
}

/// A page with the records that the vertical found on it.
pub(crate) struct Shown {
    pub(crate) page: Page,
    pub(crate) context: PageContext,
    pub(crate) records: Vec<Record>,
}

pub(crate) fn shown(path: &str, body: &str, records: Vec<Record>) -> Shown {
    let url = format!("{HOST}{path}");
    let html = format!("<html><head><title>Stage</title></head><body>{body}</body></html>");
    let page = Page::from_html(&url, &html).expect("the URL is one");
    let context = PageContext {
        url,
        day: Date::new(2026, 1, 10),
        year: None,
        language: None,
    };
    Shown {
        page,
        context,
        records,
    }
}

/// A record of these values. Nodes are those of the first elements with the text.
pub(crate) fn record(page: &Page, values: &[(&str, &str)]) -> Record {
    let document = page.document();
    let node = |value: &str| {
        (0..document.node_count())
            .rev()
            .find(|node| document.is_element(*node) && document.text_of(*node) == value)
    };
    Record {
        object_type: "Show".to_owned(),
        confidence: 0.9,
        values: values
            .iter()
            .map(|(attribute, value)| RecordValue {
                attribute: (*attribute).to_owned(),
                value: (*value).to_owned(),
                raw: None,
                node: node(value),
                repeated: false,
            })
            .collect(),
    }
}

pub(crate) fn title(show: usize) -> String {
    const FIRST: [&str; 7] = [
        "Amber", "Brave", "Crimson", "Distant", "Empty", "Fallen", "Golden",
    ];
    const LAST: [&str; 5] = ["Harbour", "Island", "Journey", "Kingdom", "Letter"];
    let number = ["", " Again", " Once More", " at Last"][show / 35 % 4];
    format!("{} {}{number}", FIRST[show % 7], LAST[show % 5])
}

pub(crate) fn day(show: usize) -> String {
    format!("2025-{:02}-{:02}", show % 12 + 1, show % 27 + 1)
}

pub(crate) fn house(show: usize) -> &'static str {
    ["Old Mill", "New Hall", "Blue Barn"][show % 3]
}

pub(crate) fn path(show: usize) -> String {
    format!("/shows/{}/", title(show).to_lowercase().replace(' ', "-"))
}

const HEAD: &str = "<header><nav><a href=/>Home</a><a href=/about>About</a></nav></header>";

/// The page of a show, in one of two layouts.
pub(crate) fn detail_body(show: usize, layout: usize) -> String {
    let (title, day, house) = (title(show), day(show), house(show));
    let related: String = (1..4)
        .map(|next| {
            format!(
                "<li class=card><a href={}>{}</a></li>",
                path(show + next),
                self::title(show + next)
            )
        })
        .collect();
    let related = format!("<section class=related><h2>See also</h2><ul class=cards>{related}</ul></section>");
    match layout {
        0 => format!(
            "{HEAD}<main class=show><h1>{title}</h1><div class=when>{day}</div>\
             <dl><dt>House</dt><dd>{house}</dd></dl></main>{related}"
        ),
        _ => format!(
            "{HEAD}<article class=piece><p class=crumb>Programme</p><h2 class=head>{title}</h2>\
             <table><tr><th>Day</th><td>{day}</td></tr><tr><th>House</th><td>{house}</td></tr></table></article>{related}"
        ),
    }
}

/// A list of shows. The vertical finds what `find` lets it of each.
pub(crate) fn list(
    number: usize,
    shows: std::ops::Range<usize>,
    find: impl Fn(usize) -> Vec<(&'static str, String)>,
) -> Shown {
    let items = shows.clone().map(|show| {
        format!(
            "<li class=item><a href={}><b class=name>{}</b></a> <span class=date>{}</span></li>",
            path(show),
            title(show),
            day(show)
        )
    });
    let body = format!(
        "{HEAD}<ul class=programme>{}</ul><p>Page {number}</p>",
        items.collect::<String>()
    );
    let mut shown = shown(&format!("/programme/{number}"), &body, Vec::new());
    for show in shows {
        let values = find(show);
        if !values.is_empty() {
            let values: Vec<(&str, &str)> = values
                .iter()
                .map(|(name, value)| (*name, value.as_str()))
                .collect();
            shown.records.push(record(&shown.page, &values));
        }
    }
    shown
}

/// Returns the values that a vertical finds that reads lists well.
pub(crate) fn all_of(show: usize) -> Vec<(&'static str, String)> {
    vec![
        ("title", title(show)),
        ("day", day(show)),
        ("link", format!("{HOST}{}", path(show))),
    ]
}

/// Shows with lists of ten, which alone the vertical can read.
pub(crate) fn site(shows: usize, layout: impl Fn(usize) -> usize) -> Vec<Shown> {
    let mut pages: Vec<Shown> = (0..shows.div_ceil(10))
        .map(|at| list(at, 10 * at..shows.min(10 * at + 10), all_of))
        .collect();
    pages.extend((0..shows).map(|show| shown(&path(show), &detail_body(show, layout(show)), Vec::new())));
    pages
}

pub(crate) fn learn(pages: &[Shown], previous: Option<&Reading>) -> Reading {
    let mut learner = Learner::new(&schema(), "stage.example");
    for Shown {
        page,
        context,
        records,
    } in pages
    {
        learner.see(Seen {
            page,
            context,
            records,
        });
    }
    learner.learn(previous)
}

/// Reads a page with what the lists say of it.
pub(crate) fn read(reading: &Reading, shown: &Shown, pages: &[Shown]) -> Outcome {
    let links = |record: &&Record| record.get("link") == Some(shown.context.url.as_str());
    let others = pages
        .iter()
        .filter(|other| other.context.url != shown.context.url);
    let lists: Vec<Record> = others
        .flat_map(|other| &other.records)
        .filter(links)
        .cloned()
        .collect();
    reading.read(&shown.page, &shown.context, shown.records.clone(), &lists)
}

/// Counts the pages of shows whose record has the right title, day and house.
pub(crate) fn right(reading: &Reading, pages: &[Shown], shows: std::ops::Range<usize>) -> usize {
    let is_right = |show: &usize| {
        let url = format!("{HOST}{}", path(*show));
        let shown = pages
            .iter()
            .find(|shown| shown.context.url == url)
            .expect("each show has a page");
        let outcome = read(reading, shown, pages);
        outcome.records.iter().any(|read| {
            let record = &read.record;
            record.get("title") == Some(&title(*show))
                && record.get("day") == Some(&day(*show))
                && record.get("house") == Some(house(*show))
        })
    };
    shows.filter(is_right).count()
}
