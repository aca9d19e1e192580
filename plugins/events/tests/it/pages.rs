//! Reads invented pages that resemble real sites, through the interface that the host calls.

use events::Events;
use magpie_sdk::{Page, Vertical};

/// Returns name, start and end of each event on a page that was fetched in the last hour of March
/// 2026.
fn found(url: &str, html: &str) -> Vec<String> {
    let page = Page::from_response(url, "text/html", 1_775_000_000, html.as_bytes());
    let found = Events::extract(&page).expect("the page is read");
    let text = |value: &Option<_>| value.as_ref().map(ToString::to_string).unwrap_or_default();
    found
        .into_iter()
        .map(|found| {
            let event = &found.record;
            format!("{} {} {}", event.name, text(&event.start), text(&event.end))
                .trim()
                .to_owned()
        })
        .collect()
}

/// Returns the places of the events on a page.
fn places(url: &str, html: &str) -> Vec<String> {
    let page = Page::from_response(url, "text/html", 1_775_000_000, html.as_bytes());
    let found = Events::extract(&page).expect("the page is read");
    found
        .into_iter()
        .map(|found| {
            found
                .record
                .venue
                .map(|venue| venue.to_string())
                .unwrap_or_default()
        })
        .collect()
}

#[test]
fn talks_stand_in_slots_without_a_year() {
    let html = "<title>Conf: Maps of Honey</title><h2>Maps of Honey</h2><h3><a href=/people?q=Ada>Ada Byron</a></h3>\
        <div>Demo Session 5C-3: Jul 8 <span>(21:30-22:30 GMT)</span></div>\
        <div>Session 4A: Jul 7 <span>(12:00-13:00 GMT)</span></div><p><b>Abstract:</b> Bees fly far.</p>";
    assert_eq!(
        found("https://virtual.2020.conf.example/paper_7.html", html),
        [
            "Maps of Honey 2020-07-08T21:30Z 2020-07-08T22:30Z",
            "Maps of Honey 2020-07-07T12:00Z 2020-07-07T13:00Z"
        ]
    );
}

#[test]
fn recorded_talks_name_their_conference_and_speakers() {
    let pages = [
        (
            "en",
            "<footer><time datetime=2019-05-03T00:00:00+00:00>Fri 03 May 2019</time><address>By \
             <a href=/speaker/ada-byron.html>Ada Byron</a></address></footer>",
            "<li>Event: <a href=/events/beecon-2019.html>BeeCon 2019</a><li>Video URL: <a href=https://v.example/1>Tube</a>",
        ),
        (
            "de",
            "<p>3. Mai 2019</p>",
            "<li>Konferenz: BeeCon 2019<li>Referentin: Ada Byron<li>Sprache: Deutsch",
        ),
    ];
    for (language, day, details) in pages {
        let html = format!(
            "<html lang={language}><title>Talks · Maps of Honey</title><section><header><h2>Maps of Honey</h2></header>{day}\
             <div>{}</div><div><h3>Details</h3><ul>{details}</ul></div></section>",
            "Bees fly far and write it down. ".repeat(12)
        );
        assert_eq!(
            found("https://talks.example/beecon-2019/maps-of-honey.html", &html),
            ["Maps of Honey 2019-05-03"],
            "{language}"
        );
    }
}

#[test]
fn articles_announce_what_comes_after_them() {
    let events = "<h3>Honey Market</h3><p>Thursday, April 18, 10 am, Old Mill, $5</p><h3>Choir Night</h3>\
        <p>Friday, April 19, 7:30 pm, Town Hall, $10</p><h3>Kite Day</h3><p>April 25, 2 pm, Long Meadow, free</p>";
    let ld = "<script type=application/ld+json>{\"@context\":\"https://schema.org\",\"@type\":\"BlogPosting\",\
        \"headline\":\"April events\",\"datePublished\":\"2019-04-02\"}</script>";
    for (url, head) in [
        (
            "https://example.org/april-events/",
            format!("{ld}<h1>April events</h1>"),
        ),
        (
            "https://example.org/april-events/",
            "<h1>April events</h1><span class=post-date>April 2nd, 2019</span>".to_owned(),
        ),
        (
            "https://example.org/2019/04/april-events/",
            "<h1>April events</h1>".to_owned(),
        ),
        (
            "https://example.org/april-events/",
            "<h1>April events</h1><p>Posted on April 2, 2019 by Ada</p>".to_owned(),
        ),
    ] {
        let html = format!("<title>April events</title>{head}{events}");
        let expected = [
            "Honey Market 2019-04-18T10:00",
            "Choir Night 2019-04-19T19:30",
            "Kite Day 2019-04-25T14:00",
        ];
        assert_eq!(found(url, &html), expected, "{html}");
    }
    // An article without a day leaves the year open, another page keeps what it says.
    for class in ["single single-post postid-7", "page-node node-type-article"] {
        let undated = format!("<body class='{class}'><h1>April events</h1>{events}");
        assert_eq!(
            found("https://example.org/april-events/", &undated),
            [""; 0],
            "{class}"
        );
    }
    let listed = format!("<title>April events</title><h1>April events</h1>{events}");
    let listed = found("https://example.org/april-events/", &listed);
    assert_eq!(listed[1], "Choir Night --04-19T19:30[Fri]");
    // The day of posting is no start, nor is a day before it.
    let posted = "<h1>Choir Night</h1><time class='entry-date published' datetime=2019-04-02T21:35>April 2, 2019, \
        21:35</time><p>We sang on March 30, 2019, 7:30 pm, Town Hall, $10.</p>";
    assert!(found("https://example.org/choir-night/", posted).is_empty());
}

#[test]
fn lists_of_posts_and_absent_events_are_no_events() {
    let posts: String = ["Bees", "Hives", "Wax", "Honey"]
        .iter()
        .map(|name| {
            format!(
                "<article><h2><a href=/{name}/>{name} at Old Mill</a></h2><span class=entry-date>May 3, 2019, 7:30 \
                 pm</span><p>Read</p></article>"
            )
        })
        .collect();
    assert!(found("https://example.org/tag/bees/", &posts).is_empty());
    let of_tag =
        "<h1>Festivals</h1><h3>Taco Festival at Long Meadow</h3><p class=date>June 15th, 2026, 7 pm</p>";
    assert_eq!(found("https://example.org/tag/festivals/", of_tag), [""; 0]);
    let absent = "<h1>Events</h1><ul><li>No events scheduled for May 3, 2026, 7 pm. Jump to the next upcoming \
        events.</li></ul>";
    assert_eq!(
        found("https://example.org/events/2026-05-03/", absent),
        Vec::<String>::new()
    );
}

#[test]
fn a_programme_goes_on_past_midnight() {
    let html = "<title>Fair 2026</title><h1>Fair 2026</h1><h2>Friday, 24 July</h2><table>\
        <tr><td>20h00<td>Moonlight Supper<td>Square<tr><td>23h00<td>Italian Night<td>Main Stage\
        <tr><td>24h00<td>Antikua in Concert<td>Main Stage<tr><td>02h00<td>Last Dance<td>Square</table>\
        <h2>Saturday, 25 July</h2><table><tr><td>14h00<td>Market Opens<td>Square\
        <tr><td>18h00<td>Tournament of Knights<td>Square</table>";
    let expected = [
        "Moonlight Supper 2026-07-24T20:00",
        "Italian Night 2026-07-24T23:00",
        "Antikua in Concert 2026-07-25T00:00",
        "Last Dance 2026-07-25T02:00",
        "Market Opens 2026-07-25T14:00",
        "Tournament of Knights 2026-07-25T18:00",
    ];
    let found: Vec<String> = (found("https://example.org/fair/", html).into_iter())
        .map(|line| line.split(" @").next().unwrap_or_default().to_owned())
        .collect();
    assert_eq!(found, expected);
}

#[test]
fn a_record_may_state_its_year_itself() {
    let html = "<h1>Events</h1><ul>\
        <li><a href=/events/2025-11-30-lunch/>Lunch at Moinho Novo</a> 30 November, 13:00</li>\
        <li><a href=/events/tree/>Tree Day 2024</a> 21 March, 10:00</li>\
        <li><a href=/events/birthday/>Birthday of the Club</a> 2 May, 18:00</li></ul>";
    let expected = [
        "Lunch at Moinho Novo 2025-11-30T13:00",
        "Tree Day 2024 2024-03-21T10:00",
        "Birthday of the Club --05-02T18:00",
    ];
    assert_eq!(found("https://example.org/events/", html), expected);
}

#[test]
fn headings_and_addresses_give_the_year() {
    let list = "<ul><li><b>12. Juli</b> Chor im Park, 19 Uhr, Stadtpark<li><b>19. Juli</b> Jazz im Hof, 20 Uhr, Rathaus<li>\
        <b>26. Juli</b> Blasmusik, 18 Uhr, Stadtpark</ul>";
    for (url, head) in [
        ("https://example.org/konzerte", "<h1>Sommerkonzerte 2023</h1>"),
        (
            "https://example.org/konzerte/sommer-2023/",
            "<h1>Sommerkonzerte</h1>",
        ),
    ] {
        let html = format!("<html lang=de>{head}{list}<footer>© 2026 Beispiel</footer>");
        let events = found(url, &html);
        assert_eq!(events.len(), 3, "{head}: {events:?}");
        assert!(
            events.iter().all(|event| event.contains(" 2023-07-")),
            "{events:?}"
        );
    }
}

#[test]
fn an_event_page_is_about_one_event() {
    let html = "<title>Anna's Wedding | Example</title><h1>Anna's Wedding</h1><p>A play with dinner. Showtimes:</p>\
        <ul><li>Friday, June 19, 2026: Show 6:30 pm<li>Saturday, June 20, 2026: Show 12:30 pm<li>Friday, June 26, 2026: \
        Show 6:30 pm</ul><h4>Museum Hours</h4><p>May 20, 2026, 9 am to 5 pm";
    assert_eq!(
        found("https://example.org/event/annas-wedding-2/", html),
        [
            "Anna's Wedding 2026-06-19T18:30",
            "Anna's Wedding 2026-06-20T12:30",
            "Anna's Wedding 2026-06-26T18:30"
        ]
    );
}

#[test]
fn placeholders_and_entities_of_themes_are_no_values() {
    let ld = "<script type=application/ld+json>{\"@context\":\"https://schema.org\",\"@type\":\"Event\",\
        \"name\":\"D&amp;#038;H Canal &#8211; Night Walk\",\"startDate\":\"2026-05-09T18:00\",\"performer\":\"Organization\",\
        \"organizer\":{\"@type\":\"Person\",\"name\":\"admin\"},\"location\":{\"@type\":\"Place\",\
        \"name\":\"Irving&#8217;s House\"}}</script><h1>Night Walk</h1>";
    let page = Page::from_response("https://example.org/e", "text/html", 1_775_000_000, ld.as_bytes());
    let found = Events::extract(&page).expect("the page is read");
    let [event] = &found[..] else {
        panic!("{} events", found.len())
    };
    assert_eq!(event.record.name, "D&H Canal – Night Walk");
    assert!(event.record.performers.is_empty() && event.record.organiser.is_none());
    assert_eq!(
        event.record.venue.as_ref().map(ToString::to_string).as_deref(),
        Some("Irving’s House")
    );
}

#[test]
fn fragments_and_section_names_are_no_names() {
    let cards = "<h2>Featured Events</h2><ul><li><a href=/e/1>Apollo 13</a><div>May 9, 2026, 7 pm</div><li>\
        <a href=/e/2>Fridays @ FIVE</a><div>May 15, 2026, 5 pm</div><li><span>through</span><div>May 16, 2026, 7 pm</div><li>\
        <span>at Barton Orchards</span><div>May 17, 2026, 7 pm</div></ul>";
    assert_eq!(
        found(
            "https://example.org/events",
            &format!("<title>Events</title>{cards}")
        ),
        ["Apollo 13 2026-05-09T19:00", "Fridays @ FIVE 2026-05-15T17:00"]
    );
}

#[test]
fn whole_days_have_no_hours() {
    let html = "<title>Honey Week</title><script type=application/ld+json>{\"@context\":\"https://schema.org\",\
        \"@type\":\"Event\",\"name\":\"Honey Week\",\"startDate\":\"2026-06-25T00:00:00-04:00\",\
        \"endDate\":\"2026-06-29T23:59:59-04:00\"}</script><h1>Honey Week</h1><p>June 25 at 12:00 am</p>\
        <p>June 25 at 12:00 am - June 29 at 11:59 pm</p>";
    assert_eq!(
        found("https://town.example/event/honey-week/", html),
        ["Honey Week 2026-06-25 2026-06-29"]
    );
}

#[test]
fn times_beside_the_talks_of_a_programme_are_no_events() {
    let talks = [
        "Maps of Honey",
        "The Shy Compiler",
        "Rivers in Winter",
        "Bread and Type",
        "A Quiet Kernel",
    ];
    let slots: String = talks
        .iter()
        .enumerate()
        .map(|(place, talk)| {
            format!(
                "<div class=slot><div class=time><span>{0}:00 - {0}:25</span></div><div class=talks>\
                 <div class=talk><h4 class=event><div>{talk}</div><ul><li>Ada Byron (Bee Lab)</li></ul></h4>\
                 <div class=more><p>Bees fly far.</p><p><i class=room-name>Dalton Hall</i></p>\
                 <p>Saturday, 18th Apr, <span>{0}:00 - {0}:25</span></p></div></div></div></div>",
                place + 10
            )
        })
        .collect();
    let html =
        format!("<title>Programme of BeeCon 2026</title><h1>Schedule</h1><h3>Saturday, 18th Apr</h3>{slots}");
    let events = found("https://2026.beecon.example/schedule.html", &html);
    let expected: Vec<String> = (talks.iter().enumerate())
        .map(|(place, talk)| format!("{talk} 2026-04-18T{0}:00 2026-04-18T{0}:25", place + 10))
        .collect();
    assert_eq!(events, expected);
}

#[test]
fn words_of_the_navigation_and_kinds_of_sessions_are_no_places() {
    for (language, beside) in [
        ("fr", "Accueil"),
        ("de", "Startseite » Konzerte"),
        ("es", "Inicio"),
        ("it", "Home › Concerti"),
        ("en", "Live Session 1"),
    ] {
        let html = format!(
            "<html lang={language}><title>Nocturne</title><p>{beside}</p><h1>Nocturne</h1>\
             <p>{beside}: 2026-05-09 20:00</p><p>12 €</p>"
        );
        assert_eq!(
            places("https://hall.example/events/nocturne.html", &html),
            [""],
            "{beside}"
        );
    }
}

#[test]
fn news_of_tickets_beside_a_clock_are_no_events() {
    let news = "<title>Tickets for the Shy Quartet on Sale</title><aside>2026-03-14 - 16:17</aside>\
        <h2>Tickets for the Shy Quartet on Sale</h2><p>Nobody had expected such a turnout.</p>";
    assert_eq!(found("https://hall.example/n/39444", news), [""; 0]);
}

#[test]
fn the_subject_of_a_page_has_the_days_beside_its_text_and_not_those_of_the_site() {
    let prose = "<p>Poets compete for the final on 31st August. Bring your own verse and a friend.</p>";
    let menu = "<p>Plan your visit</p>".repeat(5);
    let more = "<p>Nobody has to bring anything else than a voice and an open ear.</p>".repeat(16);
    let html = format!(
        "<title>Slam: Heat One | Honey Festival – 10 Days</title><meta property=og:site_name content='Honey \
         Festival – 10 Days'><div class=sr-only>Honey Festival – 10 Days // 23 Aug - 1 Sep 2026</div>{menu}<main><article>\
         <h1>Slam: Heat One</h1>{prose}{more}<div class=sidebar><ul><li class=display-date>Mon 24 Aug 2026<li>Doors 6pm, \
         7pm start<li>Solbar Hall</ul></div></article></main>"
    );
    let url = "https://festival.example/event/slam-heat-one";
    assert_eq!(found(url, &html), ["Slam: Heat One 2026-08-24T19:00"]);
    assert_eq!(places(url, &html), ["Solbar Hall"]);
}

#[test]
fn marks_of_titles_and_places_may_be_parts_of_a_name() {
    for (name, place) in [
        ("Try | Create | Share - Hives as Plugins", "Dalton Hall"),
        ("Wax in Practice – A Deeper Dive", "Dalton Hall"),
        ("Open Hives @ Harrow College", "Dalton Hall"),
    ] {
        let html = format!(
            "<title>{name} :: BeeCon 2026 :: planner</title><header><h1><a href=/beecon/>BeeCon 2026</a></h1></header><main>\
             <article><h3>{name}<br><small>04-18, 15:00–15:25 (Europe/London), {place}</small></h3><p>Bees fly \
             far.</p></article></main>"
        );
        let url = "https://plan.example/beecon/talk/R7U2/";
        assert_eq!(
            found(url, &html),
            [format!("{name} 2026-04-18T15:00 2026-04-18T15:25")],
            "{html}"
        );
        assert_eq!(places(url, &html), [place]);
    }
}

#[test]
fn pictures_comments_and_empty_calendars_are_no_events() {
    let picture = |day: u8| {
        format!(
            "<li><a href=https://photos.example/i-x{day}/Aug-{day}-2026.jpg><h4>x{day}Psk</h4> {day} August 2026, 7 \
             pm</a></li>"
        )
    };
    let memory = |name: &str| {
        format!(
            "<li><p>It was grand.</p><a href=/people/{name}>{name}</a> <span class=trivia-list_submitted>2025-11-30</span>"
        )
    };
    let file = |second: u8| format!("<li>Screen Shot 2026-08-13 at 5.15.0{second} PM.png</li>");
    let day = |day: u8| format!("<li><time datetime=2026-05-{day:02}>{day}</time> May 2026</li>");
    let rows = |row: &dyn Fn(u8) -> String, days: std::ops::Range<u8>| days.map(row).collect::<String>();
    for (what, rows) in [
        ("pictures", rows(&picture, 10..16)),
        (
            "comments",
            ["Ada Byron", "Jo Reed", "Kim Low"].map(memory).concat(),
        ),
        ("files", rows(&file, 1..6)),
        ("calendar", rows(&day, 1..29)),
    ] {
        let html = format!("<title>Events | Hall</title><h1>Bed</h1><h2>Filters</h2><ul>{rows}</ul>");
        assert_eq!(found("https://hall.example/events/", &html), [""; 0], "{what}");
    }
}
