//! Tests of the recognition of further pages of lists by their URLs.

use magpie_patterns::navigate::is_possible_next_page;

use super::urls;

#[test]
fn further_pages_are_recognised() {
    let cases: &[(&str, &[&str], &[&str])] = &[
        (
            "/events/",
            &[
                "/events/page/2/",
                "/events/2",
                "/events/p2",
                "/events/?p=2",
                "/events/seite-3",
            ],
            &[
                "/events/",
                "/events/2026",
                "/events/rock/2/3",
                "/events/rock-night",
                "/events/2026/11",
                "/places/2",
                "/eventsandmore/2",
                "/events2",
                "/events/2.pdf",
                "/events/2?sort=name",
                "/",
            ],
        ),
        (
            "/list.html",
            &[
                "/list-2.html",
                "/list_2.html",
                "/list/2.html",
                "/list/2",
                "/list.html?page=2",
            ],
            &["/list.pdf", "/list-all.html", "/list2.html", "/list-2.pdf"],
        ),
        (
            "/events/page/2",
            &["/events/page/3", "/events/page/10", "/events/page/2?p=3"],
            &["/events/page/2026", "/events/page/", "/events/rock/3"],
        ),
        (
            "/events?kind=rock",
            &["/events/2?kind=rock"],
            &["/events/2", "/events/2?kind=jazz"],
        ),
        ("/", &["/2", "/page/2", "/?page=2"], &["/about", "/page/rock"]),
    ];
    for (list, further, others) in cases {
        let list = &urls(&[list])[0];
        for (pages, expected) in [(further, true), (others, false)] {
            for link in urls(pages) {
                assert_eq!(is_possible_next_page(list, &link), expected, "{list} and {link}");
            }
        }
    }
}

#[test]
fn other_hosts_have_no_further_pages() {
    let elsewhere =
        magpie_model::CanonicalUrl::trusted("http://hall.example:8080/events?p=2").expect("a URL");
    assert!(!is_possible_next_page(&urls(&["/events"])[0], &elsewhere));
}
