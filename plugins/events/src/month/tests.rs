use magpie_sdk::{Page, Vertical};

/// Returns names, starts, ends and URLs of the events on a page.
fn found_at(url: &str, html: &str) -> Vec<String> {
    // The page was fetched in the last hour of March 2026.
    let page = Page::from_response(url, "text/html", 1_775_000_000, html.as_bytes());
    let found = crate::Events::extract(&page).expect("the page is read");
    let text = |value: &Option<_>| value.as_ref().map(ToString::to_string).unwrap_or_default();
    found
        .into_iter()
        .map(|found| {
            let event = &found.record;
            let url = event.url.as_ref().map(ToString::to_string).unwrap_or_default();
            let path = url.strip_prefix("https://example.org").unwrap_or(&url);
            let line = format!(
                "{} {} {} {path}",
                event.name,
                text(&event.start),
                text(&event.end)
            );
            line.split_whitespace().collect::<Vec<_>>().join(" ")
        })
        .collect()
}

fn found(html: &str) -> Vec<String> {
    found_at("https://example.org/", html)
}

/// Returns the days of May 2026 after those of April in its first week, Monday first: day number
/// and ISO date.
fn may() -> Vec<(u8, String)> {
    let before = (27..=30).map(|day| (day, format!("2026-04-{day}")));
    let days = (1..=31).map(|day| (day, format!("2026-05-{day:02}")));
    before.chain(days).collect()
}

/// Builds the rows of a grid. Each cell gets its day number, its date, and its content, which only
/// 3 and 14 May have.
fn grid(row: &str, cell: impl Fn(u8, &str, &str) -> String, third: &str, other: &str) -> String {
    let cells: Vec<String> = may()
        .iter()
        .map(|(number, date)| {
            let inside = match date.as_str() {
                "2026-05-03" => third,
                "2026-05-14" => other,
                _ => "",
            };
            cell(*number, date, inside)
        })
        .collect();
    let end = row.split_whitespace().next().unwrap_or(row);
    cells
        .chunks(7)
        .map(|week| format!("<{row}>{}</{end}>", week.concat()))
        .collect()
}

const HEAD: &str = "<tr><th>Mo<th>Di<th>Mi<th>Do<th>Fr<th>Sa<th>So</tr>";

#[test]
fn grids_of_plugins_give_what_stands_in_their_cells() {
    let linked = |path: &str, name: &str| format!("<a href='{path}'>{name}</a>");
    let cases: Vec<(&str, String)> = vec![
        ("a grid of roles, with dates for machines in the cells", {
            let cell = |number: u8, date: &str, inside: &str| {
                let count = if inside.is_empty() { "0 events" } else { "1 event" };
                format!(
                    "<div role=gridcell aria-labelledby='cal-day-{date}'><button><h3><span>{count},</span>\
                         <time datetime='{date}'>{number}</time></h3></button><div id='cal-day-{date}'><h3>\
                         <time datetime='{date}'>{number}</time></h3><div>{inside}</div></div></div>"
                )
            };
            let event = "<article><div><time datetime='19:30'>7:30 pm</time> - <time datetime='21:00'>9:00 pm\
                    </time></div><h3><a href=/event/choir>Choir</a></h3><div><time>7:30 pm</time><h3>\
                    <a href=/event/choir>Choir</a></h3><p>All sing along.</div></article>";
            let other = "<article><h3><a href=/event/fair>Book fair</a></h3></article>";
            let head = [
                "Monday",
                "Tuesday",
                "Wednesday",
                "Thursday",
                "Friday",
                "Saturday",
                "Sunday",
            ]
            .map(|day| {
                format!(
                    "<div role=columnheader><h3><span>{}</span><span>{day}</span></h3></div>",
                    &day[..1]
                )
            })
            .concat();
            format!(
                "<title>Events for May 2026</title><h1>Events for May 2026</h1><h2>Calendar of Events</h2>\
                     <div role=grid><div role=row>{head}</div>{}</div>",
                grid("div role=row", cell, event, other)
            )
        }),
        ("a table with a date in each cell's attribute", {
            let cell = |number: u8, date: &str, inside: &str| {
                format!("<td data-day='{date}'><div id='daynum-{number}'>{number}</div>{inside}</td>")
            };
            let event = "<div class=vevent-like><h3><a href=/event/choir>7:30 pm Choir</a></h3></div>";
            format!(
                "<h2>Events for May 2026</h2><table>{HEAD}{}</table>",
                grid("tr", cell, event, &linked("/event/fair", "Book fair"))
            )
        }),
        ("a table with dates in ids and hours in the names", {
            let cell = |number: u8, date: &str, inside: &str| {
                format!(
                    "<td id='calendar-{date}'><span aria-hidden=true>{number}</span><span class=sr>May {number}, \
                     2026</span>{inside}</td>"
                )
            };
            let event = "<article><h3><a href=/event/choir>7:30 pm: Choir</a></h3></article>";
            format!(
                "<table><caption>May 2026</caption>{HEAD}{}</table>",
                grid("tr", cell, event, &linked("/event/fair", "Book fair"))
            )
        }),
        ("a table dated by the German heading above it alone", {
            let cell = |number: u8, _: &str, inside: &str| {
                format!("<td><a href='/tag/{number}'>{number}</a>{inside}</td>")
            };
            let event = "<a href=/event/choir><span class=titel>Choir</span> <span>19:30 Uhr</span></a>";
            format!(
                "<html lang=de><a href=/04>April 2026</a> <b>Mai 2026</b> <a href=/06>Juni 2026</a><table>{HEAD}{}</table>",
                grid("tr", cell, event, &linked("/event/fair", "Book fair"))
            )
        }),
        ("cells of a list, dated by eight figures", {
            let cell = |number: u8, date: &str, inside: &str| {
                format!(
                    "<dt data-mec-cell='{}'>{number}{inside}</dt>",
                    date.replace('-', "")
                )
            };
            let event = "<div><span>19:30</span> <a href=/event/choir>Choir</a></div>";
            format!(
                "<div>{}</div>",
                grid("dl", cell, event, &linked("/event/fair", "Book fair"))
            )
        }),
    ];
    for (which, html) in cases {
        let events = found(&html);
        assert_eq!(events.len(), 2, "{which}: {events:?}");
        assert!(
            events[0].starts_with("Choir 2026-05-03T19:30"),
            "{which}: {events:?}"
        );
        assert!(events[0].ends_with("/event/choir"), "{which}: {events:?}");
        assert_eq!(events[1], "Book fair 2026-05-14 /event/fair", "{which}");
        // An empty month has no events, even if its head and its navigation contain dates.
        let empty = html
            .replace("/event/choir", "")
            .replace("7:30 pm", "")
            .replace("9:00 pm", "")
            .replace("19:30 Uhr", "")
            .replace("19:30", "")
            .replace(":  Choir", "Choir")
            .replace(": Choir", "Choir")
            .replace("Choir", "")
            .replace("Book fair", "")
            .replace("All sing along.", "")
            .replace("1 event,", "0 events,");
        assert!(found(&empty).is_empty(), "{which}, empty: {:?}", found(&empty));
    }
}

#[test]
fn weeks_in_two_rows_are_read_by_their_columns() {
    let mut rows = String::new();
    for week in may().chunks(7) {
        let numbers: String = week
            .iter()
            .map(|(number, _)| format!("<td>{number}</td>"))
            .collect();
        let events: String = match week[0].0 {
            // Sunday is the seventh column; Thursday is the fourth, for two days.
            27 => "<td colspan=6></td><td><a href=/event/choir><span>19:30</span> <span class=title>Choir</span></a></td>",
            11 => "<td rowspan=2></td><td></td><td></td><td colspan=2><a href=/event/fair>Book fair</a></td><td></td>",
            _ => "<td></td><td></td><td></td>",
        }
        .to_owned();
        rows.push_str(&format!(
            "<table><thead><tr>{numbers}</tr></thead><tbody><tr>{events}</tr></tbody></table>"
        ));
    }
    let html = format!("<h1>Mai 2026</h1><div>{HEAD}{rows}</div>");
    assert_eq!(
        found(&html),
        [
            "Choir 2026-05-03T19:30 /event/choir",
            "Book fair 2026-05-14 2026-05-15 /event/fair"
        ]
    );
}

#[test]
fn cells_without_links_are_read_by_their_lines() {
    let cell = |number: u8, _: &str, inside: &str| format!("<td><b>{number}</b><br>{inside}</td>");
    let html = format!(
        "<h2>maggio 2026</h2><table>{HEAD}{}</table>",
        grid(
            "tr",
            cell,
            "19:30<br>Coro della valle",
            "Mercatino, 9:00<br>Cinema, 21:00"
        )
    );
    assert_eq!(
        found(&html),
        [
            "Coro della valle 2026-05-03T19:30",
            "Mercatino 2026-05-14T09:00",
            "Cinema 2026-05-14T21:00"
        ]
    );
    // Available rooms are not events.
    let cell = |number: u8, _: &str, _: &str| format!("<td><b>{number}</b><br>double room</td>");
    let html = format!(
        "<h2>May 2026</h2><table>{HEAD}{}</table>",
        grid("tr", cell, "", "")
    );
    assert!(found(&html).is_empty());
}

#[test]
fn an_event_of_several_days_is_one() {
    let cell = |number: u8, date: &str, inside: &str| format!("<td data-date={date}>{number}{inside}</td>");
    let html = grid("tr", cell, "", "");
    let with = |date: &str, html: &str| {
        let number = date
            .rsplit('-')
            .next()
            .unwrap_or_default()
            .trim_start_matches('0');
        html.replace(
            &format!("data-date={date}>{number}"),
            &format!("data-date={date}>{number}<a href=/event/fair>Book fair</a>"),
        )
    };
    let html = ["2026-05-08", "2026-05-09", "2026-05-10", "2026-05-20"]
        .iter()
        .fold(html, |html, date| with(date, &html));
    assert_eq!(
        found(&format!("<table>{HEAD}{html}</table>")),
        [
            "Book fair 2026-05-08 2026-05-10 /event/fair",
            "Book fair 2026-05-20 /event/fair"
        ]
    );
}

#[test]
fn numbers_that_are_no_month_give_nothing() {
    let row = |number: usize| {
        format!("<tr><td>{number}<td><a href=/team/{number}>Team {number}x</a><td>{number}:2")
    };
    let ranks: String = (1..40).map(row).collect();
    assert!(found(&format!("<h1>League 2026</h1><table>{ranks}</table>")).is_empty());
    let pages: String = (1..40)
        .map(|number| format!("<a href=?p={number}>{number}</a> "))
        .collect();
    assert!(found(&format!("<h1>May 2026</h1><div>{pages}</div>")).is_empty());
}
