//! Values that a reading changes on a page, and those that it leaves.

use magpie_reading::{Drift, Reading, Source};

use crate::site::{HOST, all_of, day, detail_body, house, learn, path, read, record, shown, site, title};

fn learned() -> (Vec<crate::site::Shown>, Reading) {
    let pages = site(40, |_| 0);
    let reading = learn(&pages, None);
    (pages, reading)
}

/// A page of a show that no list links to, with what the vertical found on it.
fn page(show: usize, values: &[(&str, &str)]) -> crate::site::Shown {
    let mut shown = shown(&path(show), &detail_body(show, 0), Vec::new());
    if !values.is_empty() {
        shown.records.push(record(&shown.page, values));
    }
    shown
}

#[test]
fn a_made_record_says_where_its_values_stand() {
    let (_, reading) = learned();
    let outcome = read(&reading, &page(100, &[]), &[]);
    let [made] = &outcome.records[..] else {
        panic!("{outcome:?}")
    };
    assert!(made.is_made && made.record.confidence > 0.5);
    let sources: Vec<(&str, &str, &Source)> = made
        .record
        .values
        .iter()
        .zip(&made.sources)
        .map(|(value, source)| (value.attribute.as_str(), value.value.as_str(), source))
        .collect();
    let place = |find: &str| Source::Place(find.to_owned());
    let url = format!("{HOST}{}", path(100));
    assert_eq!(
        sources,
        [
            ("title", title(100).as_str(), &place("h1")),
            ("day", day(100).as_str(), &place("div.when")),
            ("house", house(100), &place("label house")),
            ("link", url.as_str(), &Source::Page),
        ]
    );
    assert!(made.record.values[..3].iter().all(|value| value.node.is_some()));
}

#[test]
fn what_the_vertical_missed_is_filled_and_what_it_misread_is_overruled() {
    let (_, reading) = learned();
    let (name, right) = (title(100), day(100));
    let outcome = read(
        &reading,
        &page(100, &[("title", &name), ("day", "2031-01-01")]),
        &[],
    );
    let [one] = &outcome.records[..] else {
        panic!("{outcome:?}")
    };
    assert_eq!(one.record.get("house"), Some(house(100)));
    // The vertical's day has no node, as if structured data said it.
    assert_eq!(one.record.get("day"), Some(right.as_str()));
    assert!(!one.is_made);
}

#[test]
fn records_of_other_pages_in_a_related_list_are_dropped() {
    let (_, reading) = learned();
    let mut shown = page(100, &[]);
    let link = format!("{HOST}{}", path(101));
    shown.records = vec![record(
        &shown.page,
        &[("title", &title(101)), ("day", "2025-09-09"), ("link", &link)],
    )];
    let outcome = read(&reading, &shown, &[]);
    assert_eq!(outcome.dropped, shown.records);
    let titles: Vec<_> = outcome
        .records
        .iter()
        .map(|read| read.record.get("title"))
        .collect();
    assert_eq!(titles, [Some(title(100).as_str())]);
}

#[test]
fn items_of_lists_are_filled_and_made() {
    let (pages, reading) = learned();
    let mut shown = crate::site::list(9, 50..60, all_of);
    shown.records.truncate(1);
    let outcome = read(&reading, &shown, &pages);
    let days: Vec<_> = outcome
        .records
        .iter()
        .map(|read| read.record.get("day").map(str::to_owned))
        .collect();
    let expected: Vec<_> = (50..60).map(|show| Some(day(show))).collect();
    assert_eq!(days, expected);
    let links: Vec<_> = outcome
        .records
        .iter()
        .map(|read| read.record.get("link").map(str::to_owned))
        .collect();
    let expected: Vec<_> = (50..60)
        .map(|show| Some(format!("{HOST}{}", path(show))))
        .collect();
    assert_eq!(links, expected);
}

#[test]
fn what_only_a_list_says_is_taken_from_it() {
    let (mut pages, reading) = learned();
    let price = record(&pages[0].page, &[("price", "12 EUR")]);
    pages[0].records[0].values.extend(price.values);
    let shown = pages
        .iter()
        .find(|shown| shown.context.url.ends_with(&path(0)))
        .expect("the first show");
    let outcome = read(&reading, shown, &pages);
    let [one] = &outcome.records[..] else {
        panic!("{outcome:?}")
    };
    let price = one
        .record
        .values
        .iter()
        .position(|value| value.attribute == "price")
        .expect("a price");
    assert_eq!(
        (one.record.values[price].value.as_str(), &one.sources[price]),
        ("12 EUR", &Source::List)
    );
}

#[test]
fn an_unknown_page_stays_as_it_is() {
    let (pages, reading) = learned();
    let mut other = shown(
        "/blog/1",
        "<div class=post><h1>Hello</h1><p>2025-05-05</p></div>",
        Vec::new(),
    );
    other.records = vec![record(&other.page, &[("title", "Hello"), ("day", "2025-05-05")])];
    let outcome = read(&reading, &other, &pages);
    assert_eq!(outcome.class, None);
    assert_eq!(outcome.records[0].record, other.records[0]);
}

#[test]
fn amounts_in_a_sign_of_many_currencies_get_that_of_the_site() {
    let mut pages = site(20, |_| 0);
    for shown in pages.iter_mut().skip(2) {
        let price = record(
            &shown.page,
            &[("title", "Stage"), ("day", "2025-01-01"), ("price", "9 COP")],
        );
        shown.records.push(price);
    }
    let reading = learn(&pages, None);
    assert_eq!(reading.facts().currency.as_deref(), Some("COP"));
    let mut list = crate::site::list(9, 50..60, all_of);
    list.records.truncate(2);
    for (record, raw) in list.records.iter_mut().zip(["$224,500", "USD 224,500"]) {
        let mut price = crate::site::record(&list.page, &[("price", "224500 USD")])
            .values
            .remove(0);
        price.raw = Some(raw.to_owned());
        record.values.insert(2, price);
    }
    let outcome = read(&reading, &list, &pages);
    let prices: Vec<_> = outcome
        .records
        .iter()
        .filter_map(|read| read.record.get("price"))
        .collect();
    assert_eq!(prices, ["224500 COP", "224500 USD"]);
}

#[test]
fn a_redesign_is_noticed() {
    let (_, reading) = learned();
    let round = |moved: bool| {
        let mut drift = Drift::default();
        for show in 60..80 {
            let mut body = detail_body(show, 0);
            if moved {
                // The place now has the day on which sales begin.
                body = body
                    .replace(&day(show), "2024-02-02")
                    .replace("</dl>", &format!("</dl><p class=on>{}</p>", day(show)));
            }
            let mut shown = shown(&path(show), &body, Vec::new());
            shown.records.push(record(
                &shown.page,
                &[("title", &title(show)), ("day", &day(show))],
            ));
            drift.note(&read(&reading, &shown, &[]));
        }
        drift
    };
    assert_eq!(round(false).drifted(&reading), []);
    let drifted = round(true).drifted(&reading);
    let names: Vec<_> = drifted
        .iter()
        .map(|one| (one.attribute.as_str(), one.find.as_str()))
        .collect();
    assert_eq!(names, [("day", "div.when")]);
    let mut other = Drift::default();
    other.note(&read(
        &reading,
        &shown("/shows/x/", "<p>gone</p>", Vec::new()),
        &[],
    ));
    assert_eq!(other.unknown(), 1.0);
}
