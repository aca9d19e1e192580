//! Conference talks, one a page: a title, who speaks, and a day. A small vertical, as a user would
//! write it in a quarter of an hour, so that crawls are measured apart from the events vertical.

use magpie_sdk::{DateTime, Element, Error, Found, Page, Person, Record, Vertical, date};

#[derive(Record)]
#[record(name = "Talk")]
struct Talk {
    #[attribute(identifies, query, weight = 2.0)]
    name: String,
    /// The day on which it is given.
    #[attribute(identifies)]
    start: Option<DateTime>,
    performers: Vec<Person>,
}

const SPEAKERS: &str =
    "a[href*='/speaker/'], a[href*='filter=authors'], .speaker a, .speakers a, [rel=author]";

const DAYS: &str = "time[datetime], [class*=session-time], [class*=date], [class*=when]";

struct Talks;

impl Vertical for Talks {
    type Record = Talk;
    const NAME: &'static str = "talks";

    fn extract(page: &Page) -> Result<Vec<Found<Talk>>, Error> {
        let Some(heading) = heading(page) else {
            return Ok(Vec::new());
        };
        let mut performers: Vec<Person> = Vec::new();
        for speaker in page.select(SPEAKERS) {
            let name = Person::from(speaker.text());
            if !performers.contains(&name) {
                performers.push(name);
            }
        }
        if performers.is_empty() {
            return Ok(Vec::new());
        }
        let talk = Talk {
            name: heading.text(),
            start: page.select(DAYS).find_map(|element| day(page, element)),
            performers,
        };
        Ok(vec![Found::new(talk).confidence(0.9).at("name", heading)])
    }
}

/// The heading that the page's title repeats: the others are those of sections.
fn heading(page: &Page) -> Option<Element<'_>> {
    let title = page.title()?;
    let mut headings = page.select("h1, h2");
    headings.find(|heading| {
        let text = heading.text();
        text.len() > 3 && title.ends_with(&text)
    })
}

fn day(page: &Page, element: Element<'_>) -> Option<DateTime> {
    if let Some(stated) = element.attr("datetime") {
        return Some(DateTime::from(stated));
    }
    let text = element.text();
    let mut dates = date::find_all(&text, &page.date_context()).into_iter();
    let found = dates.find(|found| found.value.start().is_some())?;
    Some(DateTime::from(&text[found.start..found.end]))
}

magpie_sdk::export!(Talks);
