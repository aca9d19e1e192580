//! The order of pages, measured on invented sites by objects per fetch.

use std::collections::{BTreeMap, HashMap, HashSet};

use magpie_discovery::{Brought, FormYields, Group, PageOrder, is_file};
use magpie_model::CanonicalUrl;

/// The objects of a page, and its links, each with its place.
type Content = (Vec<usize>, Vec<(u64, String)>);

/// A site: of each page its objects and its links, each with its place.
#[derive(Default)]
struct Site {
    pages: HashMap<String, Content>,
}

impl Site {
    fn page(&mut self, url: &str, objects: &[usize], links: Vec<(u64, String)>) {
        self.pages.insert(url.to_owned(), (objects.to_vec(), links));
    }
}

const NAVIGATION: u64 = 1 << 40;
const CONTENT: u64 = 2 << 40;
const NEXT: u64 = 3 << 40;

fn url(path: &str) -> CanonicalUrl {
    CanonicalUrl::trusted(format!("https://a.test{path}")).expect("canonical")
}

/// A word for a number, without figures.
fn word(number: usize) -> String {
    let letters = number
        .to_string()
        .bytes()
        .map(|digit| char::from(digit + 49))
        .collect::<String>();
    format!("w{letters}")
}

/// Fetches until `wanted` objects were found, and the URLs in the order of their fetches.
fn replay(site: &Site, wanted: usize, limit: usize) -> (Option<usize>, Vec<String>) {
    let mut order = PageOrder::default();
    let mut queues: HashMap<Group, BTreeMap<(u32, usize), String>> = HashMap::new();
    let mut known: HashSet<String> = HashSet::from(["/".to_owned()]);
    let mut found = HashSet::new();
    let mut fetched = Vec::new();
    let entry = order.group(&url("/"), 0);
    order.queued(entry, 1);
    queues.entry(entry).or_default().insert((0, 0), "/".to_owned());
    while let Some(group) = order.turn() {
        let Some(((depth, _), path)) = queues.get_mut(&group).and_then(BTreeMap::pop_first) else {
            order.emptied(group);
            continue;
        };
        order.taken(group);
        let mut brought = Brought::default();
        if let Some((objects, links)) = site.pages.get(&path) {
            brought.is_page = true;
            brought.new_objects = objects.iter().filter(|object| found.insert(**object)).count() as u64;
            for (place, link) in links {
                if known.insert(link.clone()) {
                    let group = order.group(&url(link), *place);
                    order.queued(group, 1);
                    brought.offered.push(group);
                    queues
                        .entry(group)
                        .or_default()
                        .insert((depth + 1, known.len()), link.clone());
                }
            }
        }
        order.learn(group, &brought);
        fetched.push(path);
        if found.len() >= wanted {
            return (Some(fetched.len()), fetched);
        }
        if fetched.len() >= limit {
            break;
        }
    }
    (None, fetched)
}

fn links(place: u64, paths: impl IntoIterator<Item = String>) -> Vec<(u64, String)> {
    paths.into_iter().map(|path| (place, path)).collect()
}

#[test]
fn hubs_by_the_thousand_do_not_keep_objects_in_sibling_folders_waiting() {
    let mut site = Site::default();
    let talk = |number: usize| format!("/{}/{}.html", word(number % 300), word(number));
    site.page(
        "/",
        &[],
        links(
            NAVIGATION,
            ["/tags/", "/people/", "/meetings/"].map(str::to_owned),
        ),
    );
    site.page(
        "/tags/",
        &[],
        links(CONTENT, (0..3_000).map(|tag| format!("/tag/{}/", word(tag)))),
    );
    site.page(
        "/people/",
        &[],
        links(CONTENT, (0..2_000).map(|tag| format!("/person/{}/", word(tag)))),
    );
    site.page(
        "/meetings/",
        &[],
        links(
            CONTENT,
            (0..300).map(|list| format!("/meetings/{}.html", word(list))),
        ),
    );
    for tag in 0..3_000 {
        site.page(
            &format!("/tag/{}/", word(tag)),
            &[],
            links(CONTENT, (0..3).map(|at| talk((tag * 3 + at) % 6_000))),
        );
    }
    for tag in 0..2_000 {
        let talks = (0..3).map(|at| talk((tag * 3 + at * 7) % 6_000));
        site.page(&format!("/person/{}/", word(tag)), &[], links(CONTENT, talks));
    }
    for list in 0..300 {
        let talks = (0..20).map(|at| talk(list + at * 300));
        site.page(
            &format!("/meetings/{}.html", word(list)),
            &[],
            links(CONTENT, talks),
        );
    }
    for number in 0..6_000 {
        site.page(
            &talk(number),
            &[number],
            links(NAVIGATION, [format!("/tag/{}/", word(number % 3_000))]),
        );
    }
    // A page brings one at most, and breadth first the talks come after the 5,300 hubs.
    let (fetches, _) = replay(&site, 2_000, 4_000);
    assert!(fetches.is_some_and(|fetches| fetches < 3_000), "{fetches:?}");
}

#[test]
fn objects_at_the_end_of_a_long_chain_are_reached() {
    let mut site = Site::default();
    let junk = |number: usize| format!("/news/{}/", word(number % 3_000));
    let mut first = links(CONTENT, (0..300).map(junk));
    first.insert(0, (NEXT, format!("/step/{}/", word(0))));
    site.page("/", &[], first);
    for step in 0..250 {
        let objects: &[usize] = if step < 50 { &[] } else { &[step] };
        let mut on = links(NEXT, [format!("/step/{}/", word(step + 1))]);
        on.extend(links(CONTENT, [junk(step * 5)]));
        site.page(&format!("/step/{}/", word(step)), objects, on);
    }
    for number in 0..3_000 {
        site.page(
            &junk(number),
            &[],
            links(CONTENT, [junk(number * 2), junk(number * 2 + 1)]),
        );
    }
    let (fetches, _) = replay(&site, 100, 1_000);
    // 150 at least, and forms take turns until the first object.
    assert!(fetches.is_some_and(|fetches| fetches < 600), "{fetches:?}");
}

#[test]
fn a_calendar_without_end_gets_its_share_and_no_more() {
    let mut site = Site::default();
    let day = |day: usize| {
        format!(
            "/calendar/{}-{:02}-{:02}/",
            2020 + day / 336,
            day / 28 % 12 + 1,
            day % 28 + 1
        )
    };
    site.page(
        "/",
        &[],
        vec![(NAVIGATION, day(0)), (NAVIGATION, "/list/".to_owned())],
    );
    for number in 0..5_000 {
        site.page(
            &day(number),
            &[],
            links(NEXT, [day(number + 1), day(number + 30)]),
        );
    }
    site.page(
        "/list/",
        &[],
        links(CONTENT, (0..200).map(|event| format!("/event/{}/", word(event)))),
    );
    for event in 0..200 {
        site.page(&format!("/event/{}/", word(event)), &[event], Vec::new());
    }
    let (fetches, _) = replay(&site, 200, 1_000);
    assert!(fetches.is_some_and(|fetches| fetches < 300), "{fetches:?}");
}

#[test]
fn a_form_whose_first_pages_are_poor_is_tried_again() {
    let mut site = Site::default();
    let mut first = links(CONTENT, (0..500).map(|item| format!("/item/{item}")));
    first.extend(links(
        NAVIGATION,
        (0..500).map(|news| format!("/news/{}", word(news))),
    ));
    site.page("/", &[], first);
    for item in 0..500 {
        let objects: &[usize] = if item < 60 { &[] } else { &[item] };
        site.page(&format!("/item/{item}"), objects, Vec::new());
    }
    for news in 0..500 {
        let objects: &[usize] = if news % 100 == 0 { &[1_000 + news] } else { &[] };
        site.page(&format!("/news/{}", word(news)), objects, Vec::new());
    }
    let (fetches, _) = replay(&site, 300, 1_000);
    assert!(fetches.is_some_and(|fetches| fetches < 600), "{fetches:?}");
}

#[test]
fn lists_that_tell_of_many_objects_come_before_the_pages_of_each() {
    let mut site = Site::default();
    let list = |page: usize| format!("/all?page={page}");
    site.page("/", &[], vec![(NAVIGATION, list(0))]);
    for page in 0..30 {
        let objects: Vec<usize> = (page * 30..page * 30 + 30).collect();
        let mut on = links(
            CONTENT,
            objects.iter().map(|object| format!("/thing/{}", word(*object))),
        );
        on.extend(links(NEXT, [list(page + 1)]));
        site.page(&list(page), &objects, on);
    }
    for object in 0..900 {
        site.page(&format!("/thing/{}", word(object)), &[object], Vec::new());
    }
    let (fetches, _) = replay(&site, 900, 1_000);
    assert!(fetches.is_some_and(|fetches| fetches < 60), "{fetches:?}");
}

#[test]
fn pictures_come_last() {
    let mut site = Site::default();
    let mut first = links(CONTENT, (0..200).map(|number| format!("/pictures/{number}.jpg")));
    // Their URLs have no ending, so only the media type of the answer excludes them.
    first.extend(links(
        CONTENT,
        (0..200).map(|number| format!("/media/show?id={number}")),
    ));
    first.extend(links(
        CONTENT,
        (0..200).map(|number| format!("/about/{}", word(number))),
    ));
    site.page("/", &[], first);
    for number in 0..200 {
        site.page(&format!("/about/{}", word(number)), &[], Vec::new());
    }
    let (_, fetched) = replay(&site, 1, 205);
    let many = |beginning: &str| fetched.iter().filter(|path| path.starts_with(beginning)).count();
    assert_eq!(many("/pictures/"), 0);
    assert_eq!(many("/media/"), 4);
    assert_eq!(many("/about/"), 200);
    for (path, expected) in [
        ("/a.JPG", true),
        ("/a.pdf", true),
        ("/a.html", false),
        ("/mp3", false),
        ("/v1.2/x", false),
    ] {
        assert_eq!(is_file(&url(path)), expected, "{path}");
    }
}

#[test]
fn the_same_answers_give_the_same_order_and_a_new_process_goes_on_as_well() {
    let mut site = Site::default();
    site.page(
        "/",
        &[],
        links(
            CONTENT,
            (0..40).map(|number| format!("/{}/{}", word(number % 4), word(number))),
        ),
    );
    for number in 0..40 {
        let objects: &[usize] = if number % 4 == 2 { &[number] } else { &[] };
        site.page(
            &format!("/{}/{}", word(number % 4), word(number)),
            objects,
            Vec::new(),
        );
    }
    assert_eq!(replay(&site, 41, 41).1, replay(&site, 41, 41).1);

    // Replays what was learned to another order.
    let mut order = PageOrder::default();
    let of = |folder: usize, number: usize| url(&format!("/{}/{}", word(folder), word(number)));
    for folder in 0..4 {
        let group = PageOrder::default().group(&of(folder, 0), CONTENT);
        order.restore(group, &of(folder, 0));
        order.queued(group, 5);
        assert_eq!(order.group(&of(folder, 9), CONTENT), group);
        assert_eq!(Group::from_number(group.number()), Some(group));
        for _ in 0..3 {
            order.taken(group);
            let brought = Brought {
                objects: u64::from(folder == 2),
                new_objects: u64::from(folder == 2),
                is_page: true,
                ..Brought::default()
            };
            order.learn(group, &brought);
        }
    }
    assert_eq!(order.turn(), Some(order.group(&of(2, 1), CONTENT)));
}

#[test]
fn a_site_that_makes_up_forms_fills_no_memory() {
    let mut order = PageOrder::default();
    let mut groups = HashSet::new();
    for number in 0..30_000 {
        let folders = word(number)
            .chars()
            .map(String::from)
            .collect::<Vec<_>>()
            .join("/");
        groups.insert(order.group(
            &url(&format!("/{folders}/{}/x?{}=1", word(number), word(number))),
            (number as u64 * 7) << 33,
        ));
    }
    assert!(groups.len() < 5_000, "{}", groups.len());
}

#[test]
fn urls_of_yielding_forms_are_told_from_others() {
    let mut yields = FormYields::default();
    for number in 0..4 {
        yields.learn(
            &url(&format!("/meeting-{}/{}.html", word(number), word(number))),
            true,
        );
        yields.learn(&url(&format!("/lists/{}.html", word(number))), false);
        yields.learn(&url(&format!("/tag/{}/", word(number))), false);
    }
    for (path, expected) in [
        ("/meeting-x/new.html", true),
        ("/meeting-wb/new.html", true),
        ("/lists/new.html", false),
        ("/tag/new/", false),
        ("/meeting-x/new.jpg", false),
        ("/other/deep/new.html", false),
    ] {
        assert_eq!(yields.looks_yielding(&url(path)), expected, "{path}");
    }
}

/// The objects that are unseen after fetches of pages of one kind, each with three objects of which
/// some are new, and each leading to further pages of the kind; then some pages are queued.
fn unseen_after(fetches: usize, new_objects: u64, leads: usize, queued: u64) -> f64 {
    let mut order = PageOrder::default();
    let group = order.group(&url("/list?page=1"), NEXT);
    for _ in 0..fetches {
        order.queued(group, 1);
        order.taken(group);
        let brought = Brought {
            objects: new_objects.max(3),
            new_objects,
            offered: vec![group; leads],
            is_page: true,
        };
        order.learn(group, &brought);
    }
    order.queued(group, queued);
    order.unseen()
}

#[test]
fn what_is_unseen_follows_from_the_last_fetches() {
    // Nothing is queued, so nothing is left.
    assert_eq!(unseen_after(30, 5, 0, 0), 0.0);
    let near = |value: f64, expected: f64| {
        assert!((value / expected - 1.0).abs() < 0.15, "{value}, not {expected}");
    };
    near(unseen_after(30, 1, 0, 100), 100.0);
    near(unseen_after(30, 60, 0, 10), 600.0);
    // A series that was followed for thirty pages is expected to have thirty more.
    near(unseen_after(30, 10, 1, 1), 310.0);
    // Pages without new objects leave less, the more of them were fetched.
    let (few, many) = (unseen_after(5, 0, 0, 100), unseen_after(60, 0, 0, 100));
    assert!(many > 0.0 && many < few && few < 10.0, "{many} and {few}");
}

#[test]
fn pages_of_a_kind_with_objects_count_until_they_are_tried_from_each_place() {
    let unseen = |objects: u64| {
        let mut order = PageOrder::default();
        let group = |order: &mut PageOrder, place| order.group(&url("/talks/one"), place);
        let from_list = group(&mut order, CONTENT);
        for fetch in 0..20 {
            let new_objects = objects.min(u64::from(fetch == 0));
            let brought = Brought {
                objects,
                new_objects,
                offered: Vec::new(),
                is_page: true,
            };
            order.learn(from_list, &brought);
        }
        let elsewhere = group(&mut order, NAVIGATION);
        order.queued(elsewhere, 10);
        order.unseen()
    };
    // The talks that a list leads to are known from the list; those of another place may be new.
    assert!(unseen(1) > 5.0, "{}", unseen(1));
    assert!(unseen(0) < 0.5, "{}", unseen(0));
}
