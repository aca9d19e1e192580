//! Traps and keys: what is refused, when, and what is not.

use magpie_discovery::{
    Answered, Group, KeyEvidence, KeyWatch, KeyWatchSettings, PageOrder, PastPage, Trap, TrapSettings,
    TrapWatch,
};
use magpie_model::CanonicalUrl;
use proptest::prelude::*;

fn url(path: &str) -> CanonicalUrl {
    CanonicalUrl::trusted(format!("https://a.example{path}")).expect("canonical")
}

/// 2026-11-21.
const TODAY: i64 = 20_778;

fn watch() -> TrapWatch {
    TrapWatch::new(TrapSettings {
        today: TODAY,
        ..Default::default()
    })
}

fn code(watch: &TrapWatch, path: &str) -> Option<&'static str> {
    let trap = watch.judge(&url(path)).err();
    trap.map(|trap| &*trap.reason().to_string().leak())
}

#[test]
fn paths_that_repeat_themselves() {
    let watch = watch();
    for path in [
        "/",
        "/a/b/c/d/e/f",
        "/a/a/a",
        "/2024/11/11/11-reasons",
        "/en/shop/en/shop",
        "/a/b/a/c/a/",
    ] {
        assert_eq!(code(&watch, path), None, "{path}");
    }
    assert_eq!(code(&watch, "/a/a/a/a"), Some("repeated-segment"));
    assert_eq!(code(&watch, "/x/a/y/a/z/a/w/a"), Some("repeated-segment"));
    assert_eq!(code(&watch, "/en/shop/en/shop/en/shop/"), Some("path-loop"));
    assert_eq!(code(&watch, "/x/a/b/c/a/b/c/a/b/c"), Some("path-loop"));
    assert_eq!(code(&watch, "/a////b"), None);
    assert_eq!(code(&watch, "/a/////b"), Some("repeated-segment"));
    assert_eq!(code(&watch, "/x?a=1&a=1&a=1"), None);
    assert_eq!(code(&watch, "/x?a=1&a=1&a=1&a=1"), Some("repeated-pair"));
    assert_eq!(code(&watch, "/x?a=1&a=2&a=3&a=4"), None, "a list");
    let trap = watch.judge(&url("/x/a/b/a/b/a/b")).expect_err("a circle");
    assert_eq!(trap.to_string(), "the path repeats \"a/b\" 3 times");
}

#[test]
fn what_acts_or_shows_a_page_again_is_known_at_once() {
    let cases = [
        ("/shop/?add-to-cart=12", Some("acts")),
        ("/product/lamp/?add_to_wishlist=7&_wpnonce=1", Some("acts")),
        ("/?action=yith-woocompare-add-product&id=3", Some("acts")),
        ("/index.php?action=logout", Some("acts")),
        ("/post/?replytocom=14", Some("acts")),
        ("/issue?@action=export_csv&@columns=id", Some("acts")),
        ("/issue?%40action=logout", Some("acts")),
        ("/issue?@action=search&title=lamp", None),
        ("/index.php?returnto=Lamp&title=Special:UserLogin", Some("acts")),
        ("/index.php?title=Special%3AUserLogin", Some("service")),
        ("/search?title=random", None),
        ("/index.php?action=edit&redlink=1&title=Lamp", Some("acts")),
        ("/index.php/Special:Random", Some("service")),
        ("/accounts/login/", Some("service")),
        ("/books/random-house", None),
        ("/books.db", Some("service")),
        ("/books/books.csv?_size=max", Some("service")),
        ("/books?_stream=on", Some("acts")),
        ("/shop/?orderby=price", Some("shows-again")),
        ("/list?page=2&sort_by=title", Some("shows-again")),
        ("/list?dir=desc", Some("shows-again")),
        ("/list?view=grid", Some("shows-again")),
        ("/event/fair/?ical=1", Some("shows-again")),
        ("/event/fair/?outlook-ical=1", Some("shows-again")),
        ("/post/?share=twitter", Some("shows-again")),
        ("/wp-json/tribe/events/v1/", Some("service")),
        ("/de/wp-json/oembed/1.0/embed?url=x", Some("service")),
        ("/cart", Some("service")),
        ("/en-gb/checkout/", Some("service")),
        ("/list?limit=50&dir=asc", Some("shows-again")),
        ("/list?order=product.price.asc", Some("shows-again")),
        ("/list?limit=24&sort=created-descending", Some("shows-again")),
        ("/files/?C=M;O=D", Some("shows-again")),
        // Further pages of lists, and the same words as content.
        ("/list?limit=20&offset=40", None),
        ("/list?view=list&page=2", None),
        ("/files?dir=photos", None),
        ("/index.php?option=com_content&view=article&id=5", None),
        ("/search?action=show&id=3", None),
        ("/index.php?action=calendar", None),
        ("/events?sort=3", None),
        ("/events?sort=opera-descent", None),
        ("/list?ical=no&page=2", None),
        ("/?share=12", None),
        ("/blog/how-to-cart", None),
        ("/blog/cart/", None),
        ("/cartoons/", None),
        ("/mx/checkout-line-theatre", None),
    ];
    for (path, expected) in cases {
        assert_eq!(code(&watch(), path), expected, "{path}");
    }
}

#[test]
fn files_are_tried_in_some_folders_and_known_then() {
    let mut watch = watch();
    let tried = |watch: &mut TrapWatch, path: &str, answered| {
        assert_eq!(code(watch, path), None, "{path}");
        watch.learn_answer(&url(path), answered);
    };
    tried(&mut watch, "/a/one.JPG", Answered::File);
    assert_eq!(code(&watch, "/a/two.jpg"), Some("file"), "its folder has no page");
    tried(&mut watch, "/b/one.jpg", Answered::Other);
    for path in ["/d/one.jpg", "/a/two.jpg"] {
        assert_eq!(code(&watch, path), Some("file"), "{path}");
    }
    for path in ["/a/two.png", "/a/two", "/a/jpg"] {
        assert_eq!(code(&watch, path), None, "{path}");
    }
    let trap = watch.judge(&url("/d/one.jpg")).expect_err("a file");
    assert_eq!(
        trap.to_string(),
        "it ends in \".jpg\": 2 such URLs were tried, and none of those in its folder is a page"
    );
    // A wiki has pages about its pictures.
    tried(&mut watch, "/files/one.png", Answered::File);
    tried(&mut watch, "/wiki/File:one.png", Answered::Page);
    for number in 0..20 {
        tried(&mut watch, &format!("/wiki/File:x{number}.png"), Answered::Page);
    }
    assert_eq!(code(&watch, "/files/two.png"), Some("file"));
    // Requests under way are part of the sample.
    watch.note_asked(&url("/a/one.gif"), true);
    assert!(!watch.awaits_sample(&url("/b/one.gif")));
    watch.note_asked(&url("/b/one.gif"), true);
    assert!(watch.awaits_sample(&url("/c/one.gif")) && !watch.awaits_sample(&url("/c/one")));
    watch.note_asked(&url("/a/one.gif"), false);
    watch.note_asked(&url("/b/one.gif"), false);
    assert!(!watch.awaits_sample(&url("/c/one.gif")));
}

#[test]
fn endings_that_were_answered_as_files_are_tried_once_in_each_form() {
    let mut watch = watch();
    for path in ["/get.php?id=1", "/get.php?id=2"] {
        assert_eq!(code(&watch, path), None, "{path}");
        watch.learn_answer(&url(path), Answered::File);
    }
    assert_eq!(code(&watch, "/get.php?id=4"), Some("file"));
    assert_eq!(code(&watch, "/event.php?event=4"), None, "another form");
    watch.learn_answer(&url("/event.php?event=4"), Answered::Page);
    assert_eq!(code(&watch, "/event.php?event=5"), None);
}

#[test]
fn forms_whose_urls_are_gone_are_not_asked_any_more() {
    let mut watch = watch();
    let mut learn = |paths: std::ops::Range<usize>, answered| {
        for number in paths {
            watch.learn_answer(&url(&format!("/tag/{}", name(number))), answered);
        }
        code(&watch, "/tag/new")
    };
    assert_eq!(learn(0..7, Answered::Gone), None);
    assert_eq!(learn(7..8, Answered::Gone), Some("no-pages"));
    // A page among them makes more of them worth a try.
    assert_eq!(learn(8..9, Answered::Page), None);
    assert_eq!(learn(9..21, Answered::Gone), Some("no-pages"));
    assert_eq!(learn(21..22, Answered::Page), None);
    assert_eq!(
        learn(22..60, Answered::Other),
        None,
        "redirects and errors may pass"
    );
    for path in ["/tags/new", "/tag/new?page=2", "/tag/new/"] {
        assert_eq!(code(&watch, path), None, "{path}");
    }
}

/// A name without figures.
fn name(number: usize) -> String {
    let letters = number.to_string().into_bytes().into_iter();
    letters.map(|digit| char::from(digit + 49)).collect()
}

#[test]
fn paths_that_grow() {
    let watch = watch();
    let grown = |count: usize| {
        (0..count)
            .map(|number| format!("/{}", number * 7919 % 1000))
            .collect::<String>()
    };
    assert_eq!(code(&watch, &grown(10)), None);
    assert_eq!(code(&watch, &grown(20)), Some("path-growth"));
}

#[test]
fn dates_far_away() {
    let watch = watch();
    for path in [
        "/2026/11/21/news",
        "/2017/01/",
        "/events?date=2028-05-01",
        "/calendar?month=5&year=2027",
        "/books/1984",
        "/movies/2001-a-space-odyssey",
        "/item-20991231x",
        "/p/99991301",
        "/cars?year=1950",
        "/2999/99",
        // A name, and the number that counts equal ones.
        "/event/broadside-of-1776-2/",
        "/event/broadside-of-1776-2-2/",
        "/event/battle-of-1066-10",
    ] {
        assert_eq!(code(&watch, path), None, "{path}");
    }
    for path in [
        "/2150/01/",
        "/calendar/2150-01-31",
        "/calendar/21500131",
        "/c?year=2150&month=1",
        "/c?d=2150.1.31",
        "/1890/7/4/",
        "/calendar/month-2150-1",
        "/calendar/events-2150-01-31",
        "/event-view/30939_2150_04_20",
        "/event/night-music-2150-04-20/",
    ] {
        assert_eq!(code(&watch, path), Some("far-date"), "{path}");
    }
    let without_day = TrapWatch::new(TrapSettings::default());
    assert_eq!(
        code(&without_day, "/2150/01/"),
        None,
        "there is nothing to be far away from"
    );
}

#[test]
fn a_calendar_that_says_nothing_new() {
    let mut watch = watch();
    let month = |number: i64| format!("/calendar/{}/{:02}/", 2029 + number / 12, number % 12 + 1);
    for number in 0..63 {
        assert_eq!(code(&watch, &month(number)), None, "{number}");
        watch.learn(&url(&month(number)), 7);
    }
    watch.learn(&url(&month(63)), 7);
    assert_eq!(code(&watch, &month(64)), Some("empty-calendar"));
    assert_eq!(
        code(&watch, "/calendar/2027/01/"),
        None,
        "near dates are not asked"
    );
    // Every month of an archive has new links.
    for number in 0..200 {
        let page = format!("/archive/{}/{:02}/", 1995 + number / 12, number % 12 + 1);
        watch.learn(&url(&page), number as u64);
    }
    assert_eq!(code(&watch, "/archive/1994/12/"), None);
}

#[test]
fn parameters_without_end() {
    let mut watch = watch();
    // A shop's list in all orders and colours: the same books again and again.
    for number in 0..100_u64 {
        let page = format!(
            "/books?color={}&size={}&sort={}",
            number % 5,
            number / 5,
            number % 3
        );
        watch.learn(&url(&page), number % 4);
    }
    assert_eq!(code(&watch, "/books?color=9&size=9"), Some("nothing-new"));
    assert_eq!(code(&watch, "/books"), None, "the list itself is not asked");
    assert_eq!(code(&watch, "/music?color=9&size=9"), None);
    // Each numbered page has new links.
    for number in 0..1_000_u64 {
        watch.learn(&url(&format!("/item?id={number}")), number);
    }
    assert_eq!(code(&watch, "/item?id=5000"), None);
    let many: Vec<String> = (0..30).map(|number| format!("k{number}=1")).collect();
    assert_eq!(
        code(&watch, &format!("/x?{}", many.join("&"))),
        Some("too-many-keys")
    );
}

#[test]
fn key_sets_without_end() {
    let mut watch = watch();
    for number in 0..400_u64 {
        let keys: Vec<String> = (0..9)
            .filter(|bit| number >> bit & 1 == 1)
            .map(|bit| format!("f{bit}=1"))
            .collect();
        watch.learn(&url(&format!("/list?x=1&{}", keys.join("&"))), number);
    }
    assert_eq!(code(&watch, "/list?x=1&new=1"), Some("too-many-key-sets"));
    assert_eq!(code(&watch, "/list?x=1&f0=7"), None, "a set that is known");
}

/// Reads pages of one kind one after the other, each with the links it led to; one of them has an
/// object.
fn read_series(
    pages: usize,
    led_to: impl Fn(usize) -> Vec<CanonicalUrl>,
    with_object: Option<usize>,
) -> TrapWatch {
    let mut watch = watch();
    for page in 0..pages {
        let has_objects = with_object == Some(page);
        watch.learn_yield(&url(&format!("/more/{page}")), has_objects, &led_to(page));
    }
    watch
}

#[test]
fn a_series_without_objects_that_feeds_itself() {
    let threefold = |page: usize| -> Vec<CanonicalUrl> {
        let next = (1..4).map(|step| 3 * page + step);
        next.map(|page| url(&format!("/more/{page}"))).collect()
    };
    let enough = usize::try_from(TrapSettings::default().max_barren).expect("a number");
    let before = read_series(enough - 1, threefold, None);
    assert_eq!(code(&before, "/more/99999"), None);
    let mut watch = read_series(enough, threefold, None);
    assert_eq!(code(&watch, "/more/99999"), Some("barren"));
    for other in [
        "/more",
        "/more/99999/",
        "/more/99999?page=2",
        "/less/99999",
        "/more/99999-a",
    ] {
        assert_eq!(code(&watch, other), None, "{other}");
    }
    // Further pages without objects change nothing: the family stays refused.
    for page in 0..200 {
        watch.learn_yield(&url(&format!("/more/{page}")), false, &[]);
    }
    assert_eq!(code(&watch, "/more/99999"), Some("barren"));
    // One with an object proves it wrong.
    watch.learn_yield(&url("/more/7"), true, &[]);
    assert_eq!(code(&watch, "/more/99999"), None);
    // And one had an object long ago.
    let with_object = read_series(enough * 2, threefold, Some(3));
    assert_eq!(code(&with_object, "/more/99999"), None);
}

/// Learns pages of an earlier run that have the same text and led to a page each. A group of links
/// is that of the order in which a crawl fetches.
fn restored(
    pages: usize,
    (path, leads_to): (&str, &str),
    is_read: bool,
    objects_on: Option<usize>,
) -> TrapWatch {
    let (mut watch, mut order) = (watch(), PageOrder::default());
    let group = |order: &mut PageOrder, path: &str| -> Group { order.group(&url(path), 0) };
    for page in 0..pages {
        let own = format!("{path}{page}");
        let group_of_page = group(&mut order, &own);
        let led_to = [group(&mut order, &format!("{leads_to}{}", page + 1))];
        let past = PastPage {
            simhash: Some(7),
            has_objects: is_read.then_some(objects_on == Some(page)),
            led_to: &led_to,
            group: Some(group_of_page),
        };
        watch.restore(&url(&own), past);
    }
    watch
}

#[test]
fn what_earlier_runs_have_seen_counts() {
    let most = usize::try_from(TrapSettings::default().max_barren).expect("a number");
    let mut watch = restored(most - 1, ("/more/", "/more/"), true, None);
    assert_eq!(code(&watch, "/more/99999"), None);
    watch.learn_yield(&url("/more/99998"), false, &[url("/more/99999")]);
    assert_eq!(code(&watch, "/more/99999"), Some("barren"));
    let elsewhere = restored(most * 2, ("/more/", "/event/"), true, None);
    assert_eq!(code(&elsewhere, "/more/99999"), None);
    let unread = restored(most * 2, ("/more/", "/more/"), false, None);
    assert_eq!(code(&unread, "/more/99999"), None);
    let with_object = restored(most * 2, ("/more/", "/more/"), true, Some(3));
    assert_eq!(code(&with_object, "/more/99999"), None);

    let mut watch = restored(63, ("/list?page=", "/list?page="), false, None);
    assert_eq!(code(&watch, "/list?page=99"), None);
    watch.learn(&url("/list?page=98"), 5);
    assert_eq!(code(&watch, "/list?page=99"), Some("nothing-new"));
}

#[test]
fn a_series_that_ends_or_leads_elsewhere_is_no_trap() {
    let next = |page: usize| url(&format!("/more/{}", page + 1));
    // An archive with something else on every fiftieth page.
    let archive = |page: usize| match page % 50 {
        0 => vec![next(page), url(&format!("/event/{page}"))],
        _ => vec![next(page)],
    };
    assert_eq!(code(&read_series(2_000, archive, None), "/more/99999"), None);
    // The same without it has no end that could be seen.
    let plain = read_series(2_000, |page| vec![next(page)], None);
    assert_eq!(code(&plain, "/more/99999"), Some("barren"));
    // Nor where the server takes capitals for small letters, and links have both.
    let spelled = |page: usize| match page % 3 {
        0 => vec![url(&format!("/MORE/{}", page + 1)), next(page)],
        _ => vec![next(page)],
    };
    assert_eq!(
        code(&read_series(2_000, spelled, None), "/More/99999"),
        Some("barren")
    );
    // Pictures that lists lead to, and that hardly lead to one another.
    let pictures = |page: usize| match page % 10 {
        0 => vec![next(page)],
        _ => Vec::new(),
    };
    assert_eq!(code(&read_series(2_000, pictures, None), "/more/99999"), None);
    // Names without figures are not of one kind.
    let mut watch = watch();
    for page in 0..1_000 {
        let name = |page: usize| {
            let digits = page.to_string();
            let letters = digits.bytes().map(|digit| char::from(digit + b'a' - b'0'));
            url(&format!("/{}", letters.collect::<String>()))
        };
        watch.learn_yield(&name(page), false, &[name(page + 1)]);
    }
    assert_eq!(code(&watch, "/zzz"), None);
}

#[test]
fn memory_is_bounded() {
    let mut watch = TrapWatch::new(TrapSettings {
        max_kinds: 10,
        ..Default::default()
    });
    for kind in ["a", "b", "c"] {
        for number in 0..1_000_u64 {
            let name: String = format!("{number}")
                .bytes()
                .map(|digit| char::from(digit + 50))
                .collect();
            watch.learn(&url(&format!("/{kind}{name}?q={number}")), 1);
        }
    }
    let shown = format!("{watch:?}");
    assert!(shown.len() < 100_000, "{}", shown.len());
}

#[test]
fn a_key_that_changes_nothing_is_proven() {
    let mut watch = KeyWatch::new(KeyWatchSettings::default());
    let mut proven = Vec::new();
    for page in 0..4_u64 {
        for from in ["menu", "list"] {
            proven.extend(watch.learn(&url(&format!("/item?from={from}&id={page}")), page));
        }
    }
    assert_eq!(proven.len(), 1);
    assert_eq!(proven[0].key, "from");
    assert_eq!(proven[0].evidence, KeyEvidence::EqualPages(4));
    assert_eq!(
        proven[0].evidence.to_string(),
        "4 pairs of URLs that differ only in this had equal pages, and no pair had different ones"
    );
}

#[test]
fn a_key_that_may_be_absent_is_proven() {
    let mut watch = KeyWatch::new(KeyWatchSettings::default());
    let mut proven = Vec::new();
    for page in 0..4_u64 {
        proven.extend(watch.learn(&url(&format!("/item{page}?from=menu")), page));
        proven.extend(watch.learn(&url(&format!("/item{page}")), page));
    }
    assert_eq!(proven.iter().map(|key| &*key.key).collect::<Vec<_>>(), ["from"]);
}

#[test]
fn a_parameter_inside_the_path_is_proven_like_a_key() {
    let mut watch = KeyWatch::new(KeyWatchSettings::default());
    let mut proven = Vec::new();
    for page in 0..4_u64 {
        for (sort, session) in [("name", 1), ("name", 2), ("date", 1)] {
            // The order of a list is another page; the session is not.
            let content = page * 2 + u64::from(sort == "date");
            let url = url(&format!("/list{page};sort={sort}/all;bin={session}?x=1"));
            proven.extend(watch.learn(&url, content));
        }
    }
    assert_eq!(proven.iter().map(|key| &*key.key).collect::<Vec<_>>(), [";bin"]);
    // A page without it is one more of its values, and a query's key of that form is not.
    let mut watch = KeyWatch::new(KeyWatchSettings::default());
    let mut proven = Vec::new();
    for page in 0..4_u64 {
        proven.extend(watch.learn(&url(&format!("/item{page};bin=7")), page));
        proven.extend(watch.learn(&url(&format!("/item{page}")), page));
        proven.extend(watch.learn(&url(&format!("/other{page}?;x=7")), 100 + page));
        proven.extend(watch.learn(&url(&format!("/other{page}")), 100 + page));
    }
    assert_eq!(proven.iter().map(|key| &*key.key).collect::<Vec<_>>(), [";bin"]);
}

#[test]
fn a_host_with_the_same_pages_under_two_names_is_found_out() {
    let at =
        |host: &str, path: &str| CanonicalUrl::trusted(format!("https://{host}{path}")).expect("canonical");
    let (bare, www) = ("a.example", "www.a.example");
    let read_both = |other: fn(u64) -> u64, is_linked: bool, title: Option<fn(u64, bool) -> u64>| {
        let mut watch = KeyWatch::new(KeyWatchSettings::default());
        let links = [at(www, "/"), at("www.b.example", "/")];
        watch.learn_links(&at(bare, "/"), links.iter().filter(|_| is_linked));
        assert_eq!(watch.watches(&at(bare, "/item")), is_linked);
        let mut proven = Vec::new();
        for page in 0..8 {
            for (host, content) in [(bare, page), (www, other(page))] {
                let title = title.map(|title| format!("Item {}", title(page, host == www)));
                let url = at(host, &format!("/item{page}"));
                proven.extend(watch.learn(&url, content));
                proven.extend(watch.learn_twin(&url, title.as_deref(), content));
            }
        }
        proven
    };
    let proven = read_both(|page| page, true, None);
    assert_eq!(proven.len(), 1);
    assert_eq!(proven[0].key, "https://a.example");
    assert_eq!(proven[0].evidence, KeyEvidence::EqualPages(4));
    // Other pages under one of the names, one page for everything, and no page that links to both.
    assert_eq!(read_both(|page| page + u64::from(page == 2), true, None), []);
    assert_eq!(read_both(|_| 100, true, None), []);
    assert_eq!(read_both(|page| page, false, None), []);
    // Text that changes at each visit, such as advertisements, does not count if titles differ.
    let proven = read_both(|page| 100 + page, true, Some(|page, _| page));
    assert_eq!(
        proven.iter().map(|key| key.evidence).collect::<Vec<_>>(),
        [KeyEvidence::EqualTitles(4)]
    );
    let other_title = |page, is_www| page + u64::from(is_www && page == 2) * 50;
    assert_eq!(read_both(|page| page, true, Some(other_title)), []);
    assert_eq!(read_both(|page| page, true, Some(|_, _| 7)), []);
}

#[test]
fn a_host_that_redirects_to_its_twin_is_found_out() {
    let at =
        |host: &str, path: &str| CanonicalUrl::trusted(format!("https://{host}{path}")).expect("canonical");
    let (bare, www) = ("a.example", "www.a.example");
    let redirected = |from: &str, target: fn(u64) -> String, answers: Option<u64>| {
        let mut watch = KeyWatch::new(KeyWatchSettings::default());
        let mut proven = Vec::new();
        for page in 0..8 {
            if answers == Some(page) {
                watch.learn_answer(&at(from, "/shown"));
            }
            let target = CanonicalUrl::trusted(target(page)).expect("canonical");
            proven.extend(watch.learn_redirect(&at(from, &format!("/item{page}")), &target));
        }
        proven
    };
    let to_www = |page: u64| format!("https://www.a.example/item{page}");
    let proven = redirected(bare, to_www, None);
    assert_eq!((proven.len(), &*proven[0].key), (1, "https://www.a.example"));
    assert_eq!(proven[0].evidence, KeyEvidence::Redirects(4));
    let to_bare = |page: u64| format!("https://a.example/item{page}");
    assert_eq!(redirected(www, to_bare, None)[0].key, "https://a.example");
    // One that answers by itself, all that lead to one page, and to a host that is no twin.
    assert_eq!(redirected(bare, to_www, Some(2)), []);
    assert_eq!(
        redirected(bare, |_| "https://www.a.example/".to_owned(), None),
        []
    );
    let to_shop = |page: u64| format!("https://shop.a.example/item{page}");
    assert_eq!(redirected(bare, to_shop, None), []);
}

#[test]
fn a_site_with_one_answer_for_everything_proves_nothing() {
    let mut watch = KeyWatch::new(KeyWatchSettings::default());
    for page in 0..100 {
        for other in 0..3 {
            assert_eq!(watch.learn(&url(&format!("/item?id={page}&x={other}")), 7), []);
        }
    }
}

#[test]
fn one_counterexample_is_enough() {
    for has_counterexample in [false, true] {
        let mut watch = KeyWatch::new(KeyWatchSettings::default());
        watch.learn(&url("/item?id=0&lang=de"), 1);
        watch.learn(&url("/item?id=0&lang=en"), 1 + u64::from(has_counterexample));
        let mut proven = Vec::new();
        for page in 1..100 {
            for language in ["de", "en"] {
                proven.extend(watch.learn(&url(&format!("/item?id={page}&lang={language}")), 100 + page));
            }
        }
        let is_proven = proven.iter().any(|key| key.key == "lang");
        assert_eq!(is_proven, !has_counterexample, "{proven:?}");
    }
}

/// A menu, and some links of the page's own, all with one value of a key.
fn links_with(key: &str, value: &str, own: usize) -> Vec<CanonicalUrl> {
    let menu = ["list", "news", "about", "help"].map(|name| format!("/{name}"));
    let own = (0..2).map(|number| format!("/item{}", own * 2 + number));
    let with = |path: String| match key.strip_prefix(';') {
        Some(name) => url(&format!("{path};{name}={value}")),
        None => url(&format!("{path}?{key}={value}")),
    };
    menu.into_iter().chain(own).map(with).collect()
}

/// A value as machines make them.
fn token(number: usize) -> String {
    format!("{:016x}", (number as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15))
}

fn proven_keys(
    watch: &mut KeyWatch,
    visits: impl Iterator<Item = (CanonicalUrl, Vec<CanonicalUrl>)>,
) -> Vec<String> {
    let proven = visits.flat_map(|(page, links)| watch.learn_links(&page, &links));
    proven.map(|proven| proven.key).collect()
}

#[test]
fn a_value_that_is_new_at_each_visit_is_a_session() {
    for key in ["bin", ";bin"] {
        let mut watch = KeyWatch::new(KeyWatchSettings::default());
        // Advertisements and clocks make one page two.
        for session in 0..2 {
            let page = &links_with(key, &token(10 + session), 0)[0];
            assert_eq!(watch.learn(page, session as u64), []);
        }
        // A page is reached by a link of the page before, with the session that this one gave.
        let visits = (0..5).map(|visit| {
            let page = links_with(key, &token(visit), visit).swap_remove(visit % 6);
            (page, links_with(key, &token(visit + 1), visit))
        });
        assert_eq!(proven_keys(&mut watch, visits), [key]);
    }
}

#[test]
fn what_all_links_of_a_page_have_is_not_always_a_session() {
    let never = |what: &str, visit: &dyn Fn(usize) -> (CanonicalUrl, Vec<CanonicalUrl>)| {
        let mut watch = KeyWatch::new(KeyWatchSettings::default());
        assert!(proven_keys(&mut watch, (0..50).map(visit)).is_empty(), "{what}");
    };
    let page = |value: &str| url(&format!("/list?t={value}"));
    never("a category, which the page has too", &|visit| {
        (page(&token(visit)), links_with("t", &token(visit), visit))
    });
    never("a language", &|visit| {
        (page("x"), links_with("t", ["de", "en", "fr"][visit % 3], visit))
    });
    never("numbers", &|visit| {
        (page("x"), links_with("t", &visit.to_string(), visit))
    });
    never("a session that lasts", &|visit| {
        (page("x"), links_with("t", &token(0), visit))
    });
    never("a parent, under which all pages are others", &|visit| {
        let children = (0..6).map(|child| url(&format!("/node{}?t={}", visit * 6 + child, token(visit))));
        (
            url(&format!("/node{visit}?t={}", token(visit + 1_000))),
            children.collect(),
        )
    });
    never("a signature of each link", &|visit| {
        let sign = |link: usize| url(&format!("/file{link}?t={}", token(visit * 6 + link)));
        (url("/files"), (0..6).map(sign).collect())
    });
}

proptest! {
    #[test]
    fn any_url_is_judged_and_learnt(path in "[a-c0-9/?&=%.;-]{0,60}", content in any::<u64>()) {
        let url = url(&format!("/{path}"));
        let mut watch = watch();
        let _ = watch.judge(&url).map_err(|trap: Trap| trap.to_string());
        watch.learn(&url, content);
        let mut keys = KeyWatch::new(KeyWatchSettings::default());
        keys.learn(&url, content);
        keys.learn_links(&url, [&url]);
    }
}
