//! Shops that change from week to week, learned once and recrawled.

mod moves;
mod outages;

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use magpie_engine::recrawl::{Method, RecrawlOutcome, recrawl};
use magpie_rows::{ObjectFilter, ObjectRow};
use magpie_test_support::server::{Reply, Site, links};
use magpie_tests::{LOOPBACK, TestWorkspace};

/// Time between two recrawls: a week, and the time that a round takes.
const WEEK: Duration = Duration::from_secs(7 * 86_400 + 60);

/// Products of a shop at the beginning.
const THINGS: [&str; 6] = [
    "/p/salt-walk",
    "/p/tide-lamp",
    "/p/kelp-bowl",
    "/p/reed-mat",
    "/p/dune-jar",
    "/p/foam-cup",
];

/// A product that is added later.
const MORE: &str = "/p/moor-box";
const STILL_MORE: &str = "/p/fern-hat";

/// The same at an address of a kind that it had not before.
const ELSEWHERE: &str = "/special/2026/moor-box";

/// A shop that was learned as it was in week 0, in a workspace of its own.
struct Shop {
    workspace: TestWorkspace,
    site: Site,
    week: Arc<AtomicUsize>,
}

impl Shop {
    /// Serves what is answered to a path in a week, and learns it.
    fn learned(answer: impl Fn(usize, &str) -> Reply + Send + Sync + 'static) -> Shop {
        let week = Arc::new(AtomicUsize::new(0));
        let now = Arc::clone(&week);
        let shop = Shop {
            workspace: TestWorkspace::local(&magpie_tests::vertical("products"), ""),
            site: Site::start(move |path| answer(now.load(Ordering::Relaxed), path)),
            week,
        };
        shop.workspace.learn(&shop.site.url("/"));
        shop
    }

    /// Sets a setting of recrawls.
    fn set(&mut self, setting: &str) {
        self.workspace.set(&format!("{LOOPBACK}{setting}"));
    }

    /// Returns the requests of a recrawl in a week, in order.
    fn asked_in(&self, week: usize) -> Vec<String> {
        self.recrawled(week).1
    }

    /// Recrawls it in a week. Returns the outcome, and the requests in order.
    fn recrawled(&self, week: usize) -> (RecrawlOutcome, Vec<String>) {
        self.week.store(week, Ordering::Relaxed);
        self.workspace.at(WEEK * week as u32);
        let before = self.site.requests().len();
        let round = recrawl(&self.workspace.open(), Method::Selective, &mut ());
        let round = round.expect("it recrawls").expect("it was not stopped");
        let mut asked = self.site.requests().split_off(before);
        asked.retain(|path| path != "/robots.txt");
        asked.sort();
        (round, asked)
    }

    /// The objects that are known of it.
    fn objects(&self) -> Vec<ObjectRow> {
        let mut objects = Vec::new();
        let session = self.workspace.open();
        let read = session.store().objects(&ObjectFilter::default(), &mut |object| {
            objects.push(object);
            ControlFlow::Continue(())
        });
        read.expect("objects");
        objects
    }

    /// Returns the number of current ones.
    fn current(&self) -> usize {
        let objects = self.objects();
        objects.iter().filter(|object| object.current != 0).count()
    }
}

/// Returns the products on sale, with one more if given.
fn on_sale(more: Option<&'static str>) -> Vec<&'static str> {
    THINGS.into_iter().chain(more).collect()
}

/// The front page.
fn front(hrefs: &[&str]) -> Reply {
    links("The Corner", hrefs)
}

/// The page of one of these things, if it is one.
fn page_of(path: &str, things: &[&str]) -> Reply {
    let Some(place) = things.iter().position(|thing| *thing == path) else {
        return Reply::status(404);
    };
    let name = name(path);
    Reply::html(format!(
        "<title>{name} - The Corner</title><main><h1>{name}</h1><img src='{path}.jpg' alt='{name}'>\
         <p class='price'>{}</p><button>Add to cart</button><p>Made by hand.</p></main>",
        price(place)
    ))
}

fn name(path: &str) -> String {
    path.rsplit('/').next().unwrap_or_default().replace('-', " ")
}

fn price(place: usize) -> String {
    format!("€ {},50", 12 + place)
}

#[test]
fn a_page_of_no_known_kind_is_looked_at_when_an_object_names_it() {
    let mut shop = Shop::learned(|week, path| {
        let things = on_sale((week > 0).then_some(ELSEWHERE));
        if path != "/" {
            return page_of(path, &things);
        }
        let card = |(place, href): (usize, &&str)| {
            let (name, price) = (name(href), price(place));
            format!(
                "<li><a href='{href}'><img src='{href}.jpg' alt='{name}'><p>{name}</p><p>{price}</p></a></li>"
            )
        };
        let cards: String = things.iter().enumerate().map(card).collect();
        Reply::html(format!(
            "<title>The Corner</title><h1>All our things</h1><ul>{cards}</ul>"
        ))
    });
    let asks = |shop: &Shop| shop.asked_in(1).contains(&ELSEWHERE.to_owned());
    shop.set("recrawl.explore = 0\n");
    assert!(!asks(&shop));
    shop.set("");
    assert!(asks(&shop));
    let objects = shop.objects();
    let new = objects.iter().find(|object| object.label == "moor box");
    let url = new.and_then(|object| object.record.get("url"));
    assert_eq!(url, Some(shop.site.url(ELSEWHERE).as_str()), "{objects:?}");
}

#[test]
fn pages_that_have_moved_for_good_are_passed_until_they_are_due() {
    // They have moved to their address with a slash at its end.
    let shop = Shop::learned(|week, path| {
        let things = on_sale((week > 1).then_some(MORE));
        match path.strip_suffix('/') {
            Some("") => front(&things),
            Some(page) => page_of(page, &things),
            None if things.contains(&path) => Reply::status(301).with("Location", &format!("{path}/")),
            None => Reply::status(404),
        }
    });
    assert_eq!(shop.asked_in(1), ["/"]);
    assert_eq!(shop.asked_in(2), ["/", MORE, &format!("{MORE}/")]);
    // The targets of redirects are fetched together with the pages themselves.
    assert_eq!(shop.asked_in(5).len(), 1 + 2 * THINGS.len());
    assert_eq!(shop.objects().len(), THINGS.len() + 1);
}

#[test]
fn what_a_sitemap_alone_leads_to_is_kept_up_by_it() {
    for is_linked in [false, true] {
        // Unless it is linked, no link leads to the things: a script fills the front page.
        let shop = Shop::learned(move |week, path| {
            let things = on_sale((week > 1).then_some(MORE));
            match path {
                "/" if is_linked => front(&things),
                "/" => Reply::html(
                    "<title>The Corner</title><h1>All our things</h1><div id='app'></div>".to_owned(),
                ),
                "/sitemap.xml" => {
                    let named: String = things
                        .iter()
                        .map(|href| format!("<url><loc>{href}</loc></url>"))
                        .collect();
                    Reply::text(format!("<urlset>{named}</urlset>"))
                }
                _ => page_of(path, &things),
            }
        });
        // If links lead to everything, the sitemap is not fetched.
        let with_map = |paths: &[&str]| -> Vec<String> {
            let map = (!is_linked).then_some("/sitemap.xml");
            paths.iter().copied().chain(map).map(str::to_owned).collect()
        };
        assert_eq!(shop.asked_in(1), with_map(&["/"]));
        assert_eq!(shop.asked_in(2), with_map(&["/", MORE]));
        let due = shop.asked_in(5);
        let things = due.iter().filter(|path| path.starts_with("/p/"));
        assert_eq!(things.count(), THINGS.len(), "{due:?}");
        assert_eq!(shop.objects().len(), THINGS.len() + 1);
    }
}

#[test]
fn a_list_that_begins_to_go_on_is_read_to_its_end_from_then_on() {
    // From its second week it has one more thing, and later two.
    let shop = Shop::learned(|week, path| {
        let more = &[MORE, STILL_MORE][..week.saturating_sub(1).min(2)];
        match path {
            "/" if more.is_empty() => front(&THINGS),
            "/" => front(&on_sale(Some("/?page=2"))),
            "/?page=2" => links("The Corner, page 2", more),
            _ => page_of(path, &[&THINGS, more].concat()),
        }
    });
    assert_eq!(shop.asked_in(1), ["/"]);
    assert_eq!(shop.asked_in(2), ["/", "/?page=2", MORE]);
    // The front page is the same now, so that only the navigation knows of the second.
    assert_eq!(shop.asked_in(3), ["/", "/?page=2", STILL_MORE]);
}

#[test]
fn a_thing_that_was_taken_off_its_list_is_asked_after_when_it_is_due() {
    let shop = Shop::learned(|week, path| {
        let things = &THINGS[usize::from(week > 0)..];
        match path {
            "/" => front(things),
            _ => page_of(path, things),
        }
    });
    assert_eq!(shop.current(), THINGS.len());

    assert_eq!(shop.asked_in(1), ["/"]);
    let due = shop.asked_in(5);
    assert_eq!(due.len(), 1 + THINGS.len(), "{due:?}");
    assert_eq!(shop.current(), THINGS.len() - 1);
    // A page that is gone and no longer linked is not fetched again.
    let due = shop.asked_in(14);
    assert_eq!(due.len(), THINGS.len(), "{due:?}");
}

#[test]
fn what_was_met_under_a_name_of_one_visit_does_not_stand_for_ever() {
    // Links of every answer have a meaningless number, so the first pages have several URLs.
    let answers = AtomicUsize::new(0);
    let shop = Shop::learned(move |week, path| {
        let things = &THINGS[usize::from(week > 0)..];
        let visit = answers.fetch_add(1, Ordering::Relaxed);
        let link = |href: &&str| format!("<li><a href='{href}?bin={visit}'>{}</a></li>", name(href));
        let list: String = things.iter().map(link).collect();
        let mut page = match path.split('?').next().unwrap_or(path) {
            "/" => Reply::html("<title>The Corner</title><h1>All our things</h1>"),
            path => page_of(path, things),
        };
        page.body
            .extend(format!("<nav><ul>{list}</ul></nav>").into_bytes());
        page
    });
    assert_eq!(shop.current(), THINGS.len());
    let due = shop.asked_in(5);
    assert_eq!(due.len(), 1 + THINGS.len(), "{due:?}");
    assert_eq!(shop.current(), THINGS.len() - 1, "{:?}", shop.objects());
}
