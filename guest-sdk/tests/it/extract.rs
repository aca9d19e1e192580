//! The tool box on small pages of the usual forms.

use magpie_sdk::Page;
use magpie_sdk::extract::{self, Layout, RecordRow};
use magpie_test_support::cost::assert_linear;

fn page(body: &str) -> Page {
    Page::from_html("https://example.org/", body)
}

fn event(json: &str) -> Page {
    page(&format!(
        r#"<script type="application/ld+json">{{"@context": "https://schema.org", "@type": "Event", {json}}}</script>"#
    ))
}

#[track_caller]
fn check_money(json: &str, expected: Option<&str>) {
    let page = event(json);
    let found = page
        .structured()
        .next()
        .and_then(|event| extract::money(event, "offers"));
    assert_eq!(found.as_deref(), expected);
}

#[test]
fn offers_of_any_form_give_one_price() {
    check_money(
        r#""offers": {"@type": "Offer", "price": "12.50", "priceCurrency": "EUR"}"#,
        Some("12.50 EUR"),
    );
    check_money(
        r#""offers": [{"price": 20, "priceCurrency": "EUR"}, {"price": 12, "priceCurrency": "EUR"}, {"price": 5, "priceCurrency": "USD"}]"#,
        Some("12-20 EUR"),
    );
    check_money(
        r#""offers": {"@type": "AggregateOffer", "lowPrice": "10", "highPrice": "25", "priceCurrency": "CHF"}"#,
        Some("10-25 CHF"),
    );
    check_money(
        r#""offers": {"priceSpecification": {"price": 7, "priceCurrency": "GBP"}}"#,
        Some("7 GBP"),
    );
    check_money(r#""offers": {"price": "from 12 €"}"#, Some("from 12 €"));
    check_money(r#""offers": {"url": "https://example.org/buy"}"#, None);
    check_money(r#""name": "free of offers""#, None);
}

#[test]
fn places_and_ratings_are_one_text() {
    let page = event(
        r#""location": {"@type": "Place", "name": "Old Mill", "address": {"@type": "PostalAddress",
            "streetAddress": "Mill Lane 3", "addressLocality": "Ulm", "postalCode": "89073", "addressCountry": "DE"}},
           "aggregateRating": {"ratingValue": 4.2, "bestRating": 10},
           "organizer": [{"@type": "Person", "name": "Ann"}, "Bob"]"#,
    );
    let event = page.structured().next().unwrap();
    assert_eq!(
        extract::place(event, "location").as_deref(),
        Some("Old Mill, Mill Lane 3, 89073 Ulm, DE")
    );
    assert_eq!(
        extract::rating(event, "aggregateRating").as_deref(),
        Some("4.2/10")
    );
    assert_eq!(extract::names(event, "organizer"), ["Ann", "Bob"]);
    assert_eq!(extract::place(event, "nowhere"), None);
}

#[test]
fn a_place_may_be_a_mere_text() {
    let page = event(r#""location": "Old Mill, Ulm""#);
    assert_eq!(
        extract::place(page.structured().next().unwrap(), "location").as_deref(),
        Some("Old Mill, Ulm")
    );
}

#[track_caller]
fn check_pairs(body: &str, expected: &[(&str, &str)]) {
    let page = page(body);
    let pairs = Layout::new(&page).pairs();
    let found: Vec<(&str, &str)> = pairs
        .iter()
        .map(|pair| (pair.label.as_str(), pair.value.as_str()))
        .collect();
    assert_eq!(found, expected, "{body}");
}

#[test]
fn labels_are_found_in_every_usual_shape() {
    let expected = [("Venue", "Old Mill"), ("Doors", "19:00")];
    check_pairs(
        "<table><tr><th>Venue<td>Old Mill<tr><th>Doors:<td>19:00</table>",
        &expected,
    );
    check_pairs(
        "<table><tr><td>Venue<td>Old <b>Mill</b><tr><td>Doors<td>19:00</table>",
        &expected,
    );
    check_pairs("<dl><dt>Venue<dd>Old Mill<dt>Doors<dd>19:00</dl>", &expected);
    check_pairs(
        "<dl><div><dt>Venue<dd>Old Mill</div><div><dt>Doors<dd>19:00</div></dl>",
        &expected,
    );
    check_pairs("<p>Venue: Old Mill<br>Doors: 19:00</p>", &expected);
    check_pairs(
        "<ul><li><b>Venue</b> Old Mill<li><strong>Doors:</strong> 19:00</ul>",
        &expected,
    );
    check_pairs(
        "<div><span>Venue:</span><span>Old Mill</span></div><div><i>Doors:</i>19:00</div>",
        &expected,
    );
    check_pairs(
        "<div><h4>Venue</h4><p>Old Mill</p></div><div><h4>Doors</h4><p>19:00</p></div>",
        &expected,
    );
    check_pairs(
        "<div><div>Venue:</div><div>Old Mill</div></div><div><div>Doors:</div><div>19:00</div></div>",
        &expected,
    );
    check_pairs(
        "<div><div>Venue</div> <div>Old <a href=/mill>Mill</a></div></div><div><i></i><div>Doors</div><div>19:00</div></div>",
        &expected,
    );
    check_pairs(
        "<ul><li><span>Venue</span> <span>Old Mill</span></li><li><span>Doors</span> 19:00</li></ul>",
        &expected,
    );
}

#[test]
fn lookalikes_of_labels_are_ignored() {
    check_pairs("<p>We open at 19:30 and close at 23:00.</p>", &[]);
    check_pairs("<p>See https://example.org/ for more</p>", &[]);
    check_pairs("<nav><p>Language: English</p></nav>", &[]);
    check_pairs("<tr><td>1<td>2</tr>", &[]);
    check_pairs("<h2>Night Music</h2><h3>Programme</h3>", &[]);
    check_pairs(
        "<ul><li><a href=/v>Venue</a> <a href=/t>Tickets</a></li></ul>",
        &[],
    );
    check_pairs(
        "<div><span>Venue</span><span>Doors</span><span>Price</span></div>",
        &[],
    );
    check_pairs(
        "<nav><div><span>Venue</span><span>Tickets</span></div></nav>",
        &[],
    );
}

#[test]
fn labels_are_looked_up_without_regard_to_case_and_punctuation() {
    let page = page("<dl><dt>ISBN-13<dd>978-0<dt>Verfügbar ab:<dd>Mai<dt>Author<dd>A<dt>author<dd>B</dl>");
    let pairs = Layout::new(&page).pairs();
    assert_eq!(pairs.get(&["isbn", "isbn 13"]).unwrap().value, "978-0");
    assert_eq!(pairs.get(&["verfugbar ab"]).unwrap().value, "Mai");
    assert_eq!(
        pairs
            .all(&["author"])
            .map(|pair| pair.value.as_str())
            .collect::<Vec<_>>(),
        ["A", "B"]
    );
    let node = pairs.get(&["isbn 13"]).unwrap().node;
    assert_eq!(page.element(node).text(), "978-0");
}

#[track_caller]
fn check_heading(body: &str, expected: Option<&str>) {
    let page = page(body);
    assert_eq!(
        Layout::new(&page)
            .heading()
            .map(|heading| heading.text)
            .as_deref(),
        expected,
        "{body}"
    );
}

#[test]
fn the_heading_is_the_page_s_own() {
    check_heading("<h2>News</h2><h1>Night <i>Music</i></h1>", Some("Night Music"));
    check_heading(
        "<title>Night Music | Old Mill</title><header><h1>Old Mill</h1></header><main><h2>Night Music</h2></main>",
        Some("Night Music"),
    );
    check_heading("<title>Night Music</title><p>Text</p>", Some("Night Music"));
    check_heading("<p>Text</p>", None);
    // If no heading contains it, the title does, beside the site's name.
    let shown = "<div>Night Music</div><p>Text</p><h3>You may also like</h3>";
    for title in ["Example | Night Music", "Night Music - Example"] {
        for site in ["<div>Example</div>", "<h1>Example</h1>"] {
            check_heading(
                &format!("<title>{title}</title>{site}{shown}"),
                Some("Night Music"),
            );
        }
    }
    // A link leads to another page.
    check_heading(
        "<title>Example | Night Music</title><a href=/night>Night Music</a><h2>News</h2>",
        Some("News"),
    );
}

#[test]
fn breadcrumbs_exclude_separators() {
    let page = page(
        "<nav class=Breadcrumbs><h2>Breadcrumb</h2><a href=/>Home</a> » <a href=/b>Books</a> » <span>Plays</span></nav>",
    );
    let crumbs: Vec<String> = Layout::new(&page)
        .breadcrumbs()
        .into_iter()
        .map(|crumb| crumb.text)
        .collect();
    assert_eq!(crumbs, ["Home", "Books", "Plays"]);
}

#[test]
fn named_elements_are_the_innermost_ones() {
    let page = page(
        "<div class=event-date><span itemprop=startDate>3 May</span></div><p id=theVenue>Old Mill</p><p class=update>x</p>",
    );
    let texts = |words: &[&str]| -> Vec<String> {
        Layout::new(&page)
            .named(words)
            .into_iter()
            .map(|text| text.text)
            .collect()
    };
    assert_eq!(texts(&["date"]), ["3 May"]);
    assert_eq!(texts(&["venue"]), ["Old Mill"]);
    assert!(texts(&["price"]).is_empty());
}

/// Rows of the likeliest listing.
fn rows(body: &str) -> Vec<RecordRow> {
    let page = page(body);
    Layout::new(&page)
        .records()
        .into_iter()
        .next()
        .map(|group| group.rows)
        .unwrap_or_default()
}

fn joined(rows: &[RecordRow]) -> Vec<String> {
    let texts = |row: &RecordRow| {
        row.texts
            .iter()
            .map(|text| text.text.as_str())
            .collect::<Vec<_>>()
            .join("|")
    };
    rows.iter().map(texts).collect()
}

const MENU: &str = "<nav><ul><li><a href=/a>Programme</a><li><a href=/b>Tickets</a><li><a href=/c>About us</a>\
                    <li><a href=/d>Contact</a><li><a href=/e>Imprint</a></ul></nav>";

fn card(number: usize) -> String {
    format!(
        "<li class='card post-{number} {}'><img src={number}.jpg><h3><a href=/e/{number}>Concert number {number}</a></h3>\
         <p>{number} May 2026</p><p class=venue>Old Mill in the valley</p></li>",
        if number % 2 == 0 { "even" } else { "odd" }
    )
}

#[test]
fn cards_are_the_records_and_the_menu_is_not() {
    let cards: String = (1..6).map(card).collect();
    let rows = rows(&format!(
        "{MENU}<main><ul>{cards}</ul><p>All times local.</p></main>"
    ));
    assert_eq!(rows.len(), 5);
    assert_eq!(
        joined(&rows)[1],
        "Concert number 2|2 May 2026|Old Mill in the valley"
    );
    assert_eq!(
        (rows[1].links[0].href.as_str(), rows[1].links[0].text.as_str()),
        ("/e/2", "Concert number 2")
    );
    assert_eq!(rows[1].images[0].src, "2.jpg");
    assert_eq!(rows[1].nodes.len(), 1);
}

#[test]
fn rows_of_a_table_are_the_records_not_its_cells() {
    let row = |number: u32| {
        format!("<tr><td>{number} May 2026<td><a href=/{number}>Concert {number}</a><td>Old Mill</tr>")
    };
    let table: String = (1..9).map(row).collect();
    let rows = rows(&format!("{MENU}<table><tbody>{table}</tbody></table>"));
    assert_eq!(rows.len(), 8);
    assert_eq!(joined(&rows)[0], "1 May 2026|Concert 1|Old Mill");
}

#[test]
fn records_of_several_days_are_one_group_under_their_headings() {
    let item =
        |name: &str| format!("<li><b>19:30</b> <a href=/x>{name}</a> <i>Great hall, Old Mill</i></li>");
    let day = |day: &str, names: [&str; 2]| {
        format!(
            "<section><h2>{day}</h2><ul>{}</ul></section>",
            names.map(item).concat()
        )
    };
    let rows = rows(&format!(
        "{MENU}<main>{}{}</main>",
        day("3 May", ["Hamlet", "Lear"]),
        day("4 May", ["Tempest", "Macbeth"])
    ));
    let found: Vec<(&str, &str)> = (rows.iter())
        .map(|row| {
            (
                row.heading.as_ref().unwrap().text.as_str(),
                row.texts[1].text.as_str(),
            )
        })
        .collect();
    assert_eq!(
        found,
        [
            ("3 May", "Hamlet"),
            ("3 May", "Lear"),
            ("4 May", "Tempest"),
            ("4 May", "Macbeth")
        ]
    );
}

#[test]
fn headings_with_what_follows_are_records_too() {
    let part = |name: &str| {
        format!("<h3>{name}</h3><p>3 May 2026, Great hall, Old Mill</p><p><a href=/x>More about it</a></p>")
    };
    let rows = rows(&format!(
        "{MENU}<main>{}</main>",
        ["Hamlet", "Lear", "Tempest"].map(part).concat()
    ));
    assert_eq!(rows.len(), 3);
    assert_eq!(
        joined(&rows)[0],
        "Hamlet|3 May 2026, Great hall, Old Mill|More about it"
    );
    assert_eq!(rows[0].nodes.len(), 3);
}

#[test]
fn an_article_has_no_records_worth_much() {
    let paragraphs =
        "<p>A paragraph that tells the reader something about the world at some length.</p>".repeat(8);
    let article = page(&format!("<main><h1>Title</h1>{paragraphs}</main>"));
    let cards = page(&format!(
        "<main><ul>{}</ul></main>",
        (1..9).map(card).collect::<String>()
    ));
    let best = |page: &Page| {
        Layout::new(page)
            .records()
            .first()
            .map_or(0.0, |group| group.score)
    };
    assert!(
        best(&article) * 5.0 < best(&cards),
        "{} {}",
        best(&article),
        best(&cards)
    );
}

#[test]
fn hostile_pages_take_no_longer_than_their_size() {
    for unit in [
        "<div class=a><b>x</b>",
        "<li class=c><a href=/x>T</a> text and <b>more</b></li>",
    ] {
        assert_linear(unit, |size| {
            let page = page(&unit.repeat(2_000 * size));
            let layout = Layout::new(&page);
            let _ = (
                layout.heading(),
                layout.breadcrumbs(),
                layout.pairs(),
                layout.named(&["c"]),
                layout.records(),
            );
        });
    }
}

#[test]
fn numbers_of_two_elements_stay_apart() {
    let page = page("<p><b>May 3, 2026</b><span>11:30</span> <i>1</i>st <b>E</b>12</p>");
    let layout = Layout::new(&page);
    let lines: Vec<&str> = layout.lines().iter().map(|line| line.text.as_str()).collect();
    assert_eq!(lines, ["May 3, 2026 11:30 1st E12"]);
}

#[test]
fn the_site_name_is_not_the_subject() {
    for (title, name) in [
        ("The Hollow Estuary - Tidemark", "The Hollow Estuary"),
        ("Tidemark: The Hollow Estuary", "The Hollow Estuary"),
        // As long as the site's name, which is recognised by the host.
        ("Estuary | Example", "Estuary"),
    ] {
        let site = title.replace(name, "");
        let site = site.trim_matches([' ', '-', ':', '|']);
        let page = page(&format!(
            "<title>{title}</title><div>{site}</div><div><div>{name}</div><img src=\"/c.jpg\" alt=\"\">\
             <dl><dt>ISBN<dd>9784124885460<dt>Pages<dd>262<dt>From<dd>$12.90</dl></div>\
             <p>Long ago a river ran where now the road is, and nobody remembers its name.</p>"
        ));
        let layout = Layout::new(&page);
        let groups = layout.records();
        let block = layout.main_block(&groups).expect("a page about one thing");
        assert_eq!(block.heading().text, name, "{title}");
    }
}

#[track_caller]
fn check_rating(below: &str, expected: Option<&str>) {
    let page = page(&format!(
        "<main><h1>Green Kettle</h1><p>A kettle for four cups, of enamelled steel.</p>{below}</main>"
    ));
    let layout = Layout::new(&page);
    let groups = layout.records();
    let block = layout
        .main_block(&groups)
        .expect("a page about one thing has a main block");
    let rating = block.rating(&layout.pairs());
    assert_eq!(rating.map(|rating| rating.text).as_deref(), expected, "{below}");
}

#[test]
fn a_rating_is_drawn_or_labelled() {
    check_rating("<p class=\"star-rating Four\"></p>", Some("4/5"));
    check_rating("<p>Average rating: 4.3 (18 votes)</p>", Some("4.3/5"));
    check_rating("<dl><dt>Note des lecteurs<dd>8,5 sur 10</dl>", Some("8.5/10"));
    check_rating("<table><tr><th>Bewertung<td>4,5 von 5</table>", Some("4.5/5"));
    check_rating("<p><b>Waardering</b> 4/5</p>", Some("4/5"));
    // The number of votes is not a rating, and neither is a remark.
    check_rating("<p>Avis : 1.204</p>", None);
    check_rating("<p>Rating: not rated yet</p>", None);
    check_rating(
        "<p>Note: the lid is sold apart, 4.50 € each, and only in sets of 5.</p>",
        None,
    );
}
