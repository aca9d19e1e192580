use std::sync::Arc;

use magpie_model::CanonicalUrl;
use magpie_patterns::navigate::{
    Lists, Navigation, Navigator, PageValues, Role, SiteGraph, StateId, Turns, learn, replay,
};
use magpie_patterns::pattern::UrlPattern;
use magpie_patterns::plan::Round;

fn pattern(text: &str) -> UrlPattern {
    format!("http://hall.example{text}").parse().expect("a pattern")
}

/// A site with a list of twelve pages that link to the next one only, events on them, a news
/// section that links to some events too, and a calendar.
struct Site {
    urls: Vec<CanonicalUrl>,
    links: Vec<(u32, u32)>,
}

impl Site {
    fn new() -> Site {
        let mut site = Site {
            urls: Vec::new(),
            links: Vec::new(),
        };
        let entry = site.page("/");
        let about = site.page("/about/us");
        site.links.push((entry, about));
        let mut before = entry;
        for number in 1..=12 {
            let list = site.page(&format!("/list/{number}"));
            site.links.push((before, list));
            for event in 0..10 {
                let event = site.page(&format!("/event/{}-night", number * 10 + event));
                site.links.push((list, event));
                site.links.push((event, about));
            }
            before = list;
        }
        for number in 0..50 {
            let news = site.page(&format!("/news/{number}-story"));
            site.links.push((entry, news));
            let event = site.page(&format!("/event/{}-night", 10 + number));
            site.links.push((news, event));
        }
        site
    }

    fn page(&mut self, path: &str) -> u32 {
        let url = CanonicalUrl::trusted(format!("http://hall.example{path}")).expect("canonical");
        let known = self.urls.iter().position(|other| *other == url);
        known.unwrap_or_else(|| {
            self.urls.push(url);
            self.urls.len() - 1
        }) as u32
    }

    fn graph(&self) -> SiteGraph<'_> {
        SiteGraph::new(&self.urls, &self.links)
    }
}

/// Gives every page an object of its own, and equal costs.
fn distinct_objects(pages: usize) -> (Vec<Vec<u32>>, Vec<f64>) {
    let own = (0..pages as u32).map(|page| vec![page]);
    (own.collect(), vec![1.0; pages])
}

fn page_values((objects, hub_costs): &(Vec<Vec<u32>>, Vec<f64>)) -> PageValues<'_> {
    PageValues {
        objects,
        known: u32::MAX,
        hub_costs,
        lists: Lists::Promising,
    }
}

fn classes() -> Vec<UrlPattern> {
    ["/list/{number}", "/news/{number}-story", "/about/us"]
        .map(pattern)
        .into()
}

#[test]
fn the_fewest_hubs_lead_to_the_wanted_pages() {
    let site = Site::new();
    let selected = [pattern("/event/{number}-{slug}")];
    let pages = distinct_objects(site.urls.len());
    let learned =
        learn(&site.graph(), 0, &selected, &classes(), 1.0, page_values(&pages)).expect("there is an entry");
    assert_eq!((learned.reached, learned.reachable), (120, 120));
    // The entry and twelve lists; the news are not needed.
    assert_eq!(learned.hubs.len(), 13);
    let navigation = &learned.navigation;
    let names: Vec<&str> = navigation
        .states
        .iter()
        .map(|state| state.name.as_str())
        .collect();
    assert_eq!(names, ["event", "list"]);
    assert_eq!(navigation.start, ["list"]);
    let list = &navigation.states[1];
    assert_eq!((list.role, list.turns), (Role::Hub, Some(Turns::Pages)));
    assert_eq!(list.next, ["event", "list"]);
    assert_eq!(navigation.states[0].role, Role::Object);

    let navigator = Arc::new(Navigator::new(navigation.clone()).expect("it is sound"));
    let fetched = replay(&mut Round::new(Arc::clone(&navigator), ()), &site.graph(), 0);
    assert_eq!(fetched.len(), 133);
}

#[test]
fn excess_classes_are_merged_into_one_state() {
    let mut site = Site {
        urls: Vec::new(),
        links: Vec::new(),
    };
    let (entry, list) = (site.page("/"), site.page("/list/1"));
    site.links.push((entry, list));
    let mut selected = vec![pattern("/night/{number}")];
    for number in 0..700 {
        let (night, event) = (format!("/night/{number}"), format!("/event-{number}"));
        selected.push(pattern(&event));
        let pages = [site.page(&night), site.page(&event)];
        site.links.extend(pages.map(|page| (list, page)));
    }
    let pages = distinct_objects(site.urls.len());
    let learned =
        learn(&site.graph(), 0, &selected, &classes(), 1.0, page_values(&pages)).expect("there is an entry");
    assert_eq!((learned.reached, learned.reachable), (1400, 1400));
    let navigation = &learned.navigation;
    let text = navigation.to_toml().expect("it can be written");
    assert_eq!(Navigation::from_toml(&text).as_ref(), Ok(navigation));
    // The list, the nights, and 497 events are states of their own.
    assert_eq!(navigation.states.len(), 500);
    let others = navigation.states.iter().find(|state| state.name == "others");
    let others = others.map(|state| (state.role, state.patterns.len(), state.most_pages));
    assert_eq!(others, Some((Role::Object, 203, None)));
    let navigator = Arc::new(Navigator::new(navigation.clone()).expect("it is sound"));
    let fetched = replay(&mut Round::new(Arc::clone(&navigator), ()), &site.graph(), 0);
    assert_eq!(fetched.len(), 1402);
}

#[test]
fn caps_and_patience_end_a_calendar() {
    let mut urls: Vec<CanonicalUrl> = Vec::new();
    let mut links = Vec::new();
    urls.extend(CanonicalUrl::trusted("http://hall.example/"));
    for month in 0..100_u32 {
        let text = format!("http://hall.example/cal/{}/{}", 2000 + month / 12, 1 + month % 12);
        urls.extend(CanonicalUrl::trusted(text));
        links.push((month, month + 1));
    }
    urls.extend(CanonicalUrl::trusted("http://hall.example/event/1"));
    links.push((2, 101));
    let graph = SiteGraph::new(&urls, &links);
    let learned = learn(
        &graph,
        0,
        &[pattern("/event/{number}")],
        &[pattern("/cal/{year}/{month}")],
        1.0,
        page_values(&distinct_objects(urls.len())),
    )
    .expect("there is an entry");
    let calendar = learned
        .navigation
        .states
        .iter()
        .find(|state| state.name == "cal")
        .expect("a calendar");
    assert_eq!(calendar.turns, Some(Turns::Calendar));
    let mut navigation = learned.navigation.clone();
    for state in &mut navigation.states {
        state.most_pages = Some(30);
        state.patience = Some(3);
    }
    let navigator = Arc::new(Navigator::new(navigation).expect("it is sound"));
    assert_eq!(
        replay(&mut Round::new(Arc::clone(&navigator), ()), &graph, 0).len(),
        32
    );

    let mut round = Round::new(Arc::clone(&navigator), ());
    let february = CanonicalUrl::trusted("http://hall.example/cal/2026/2").expect("canonical");
    let id = navigator.classify(&february).expect("a calendar page");
    use magpie_patterns::navigate::Guide;
    for page in 0..3 {
        assert!(round.follow(id, &february).is_some(), "page {page}");
        round.found(&february, false);
    }
    assert!(round.follow(id, &february).is_none());
    round.found(&february, true);
    assert!(round.follow(id, &february).is_some());
}

#[test]
fn part_of_the_pages_may_be_enough() {
    let site = Site::new();
    let selected = [pattern("/event/{number}-{slug}")];
    let pages = distinct_objects(site.urls.len());
    let learn = |entry: usize, share: f64| {
        learn(
            &site.graph(),
            entry,
            &selected,
            &classes(),
            share,
            page_values(&pages),
        )
    };
    let learned = learn(0, 0.0).expect("there is an entry");
    assert_eq!((learned.reached, learned.hubs.len()), (0, 1));
    assert!(learn(9_999, 1.0).is_none());
}

#[test]
fn pages_with_redundant_objects_need_no_route() {
    // Three shirts on a list, each with links to its ten colours. These are the same object, except
    // for one that has a page alone.
    let mut paths = vec!["/".to_owned()];
    paths.extend((0..3).map(|shirt| format!("/shirt/{shirt}")));
    paths.extend((0..30).map(|colour| format!("/shirt/{}", 100 + colour)));
    let urls: Vec<CanonicalUrl> = paths
        .iter()
        .filter_map(|path| CanonicalUrl::trusted(format!("http://hall.example{path}")))
        .collect();
    let mut links: Vec<(u32, u32)> = (1..=3).map(|shirt| (0, shirt)).collect();
    links.extend((0..30).map(|colour| (1 + colour % 3, 4 + colour)));
    let graph = SiteGraph::new(&urls, &links);
    let hubs = |alone: bool| {
        let object = |page: u32| match page {
            0 => vec![],
            33 if alone => vec![9],
            page => vec![(page - 1) % 3],
        };
        let pages = ((0..34).map(object).collect(), vec![1.0; 34]);
        let wanted = [pattern("/shirt/{number}")];
        let learned = learn(&graph, 0, &wanted, &[], 1.0, page_values(&pages)).expect("there is an entry");
        assert_eq!(learned.reached, learned.reachable);
        (learned.reached, learned.hubs.len())
    };
    assert_eq!(hubs(false), (3, 1));
    assert_eq!(hubs(true), (4, 34), "the way to the one leads through its class");
}

#[test]
fn repetitive_pages_are_limited_by_their_objects() {
    // Every URL of an event has another session id: forty for each of three events.
    let mut urls: Vec<CanonicalUrl> = Vec::new();
    urls.extend(CanonicalUrl::trusted("http://hall.example/"));
    for page in 0..120 {
        let text = format!("http://hall.example/event/{}/{page}", page % 3);
        urls.extend(CanonicalUrl::trusted(text));
    }
    let links: Vec<(u32, u32)> = (1..=120).map(|page| (0, page)).collect();
    let graph = SiteGraph::new(&urls, &links);
    let most = |objects: u32| {
        let objects = (0..=120).map(|page| if page == 0 { vec![] } else { vec![page % objects] });
        let pages = (objects.collect(), vec![1.0; 121]);
        let wanted = [pattern("/event/{number}/{number}")];
        let learned = learn(&graph, 0, &wanted, &[], 1.0, page_values(&pages)).expect("there is an entry");
        learned.navigation.states[0].most_pages
    };
    assert_eq!(most(3), Some(26), "three, and what may come");
    assert_eq!(most(60), None, "two pages for each");
}

#[test]
fn recrawls_start_at_lists_behind_detail_pages() {
    // The entry links to four of forty events. Only their pages link to the three lists, which have
    // all.
    let paths = ["/".to_owned()].into_iter();
    let paths = paths.chain((1..=3).map(|number| format!("/list/{number}")));
    let paths = paths.chain((1..=40).map(|number| format!("/event/{number}")));
    let urls = urls(paths);
    let mut links: Vec<(u32, u32)> = (4..8).map(|event| (0, event)).collect();
    for event in 4..44 {
        links.push((event, 1 + event % 3));
        links.push((1 + event % 3, event));
    }
    let graph = SiteGraph::new(&urls, &links);
    let (objects, mut costs) = distinct_objects(urls.len());
    costs[4..].fill(4.0);
    let page_values = PageValues {
        objects: &objects,
        known: u32::MAX,
        hub_costs: &costs,
        lists: Lists::Promising,
    };
    let (wanted, lists) = (pattern("/event/{number}"), pattern("/list/{number}"));
    let learned = learn(&graph, 0, &[wanted], &[lists], 1.0, page_values).expect("there is an entry");
    assert_eq!((learned.reached, learned.reachable), (40, 40));
    assert_eq!(
        learned.hubs,
        [0, 1, 2, 3],
        "the entry and the lists, and no event"
    );
    let navigation = learned.navigation;
    let also: Vec<&str> = navigation.also.iter().map(String::as_str).collect();
    assert_eq!(also.len(), 3, "{also:?}");
    let read_again = Navigation::from_toml(&navigation.to_toml().expect("TOML")).expect("it is sound");
    assert_eq!(read_again, navigation);
    let navigator = Arc::new(Navigator::new(navigation).expect("it is sound"));
    assert_eq!(
        replay(&mut Round::new(Arc::clone(&navigator), ()), &graph, 0).len(),
        44
    );
}

#[test]
fn lists_are_preferred_to_detail_pages_with_links() {
    // The entry links to the first of three lists with four pages each, and to one of the twelve,
    // which links to six others.
    let paths = ["/".to_owned()].into_iter();
    let paths = paths.chain((1..=3).map(|number| format!("/list?page={number}")));
    let paths = paths.chain((1..=12).map(|number| format!("/event/{number}")));
    let urls = urls(paths);
    let mut links = vec![(0, 1), (1, 2), (2, 3), (0, 4)];
    for page in 0..12 {
        links.push((1 + page / 4, 4 + page));
        links.extend((1..=6).map(|next| (4 + page, 4 + (page + next) % 12)));
    }
    let graph = SiteGraph::new(&urls, &links);
    let hubs = |cost: f64| {
        let (wanted, lists) = (pattern("/event/{number}"), pattern("/list?page={number}"));
        let (objects, mut costs) = distinct_objects(urls.len());
        costs[4..].fill(cost);
        let page_values = PageValues {
            objects: &objects,
            known: u32::MAX,
            hub_costs: &costs,
            lists: Lists::Promising,
        };
        let learned = learn(&graph, 0, &[wanted], &[lists], 1.0, page_values).expect("there is an entry");
        assert_eq!(learned.reached, 12);
        learned.hubs
    };
    assert_eq!(hubs(4.0), [0, 1, 2, 3]);
    assert_eq!(
        hubs(1.0).len(),
        13,
        "at the same cost the twelve, which bring more at once"
    );
}

#[test]
fn lists_among_detail_pages_lead_to_new_pages() {
    // A shop whose departments look like its products: `/shoes.html` beside `/red-shoe.html`. The
    // entry links to everything, so only future products make the departments worth fetching.
    let paths = ["/".to_owned()].into_iter();
    let paths = paths.chain(["shoes", "hats", "bags"].map(|name| format!("/{name}.html")));
    let paths = paths.chain((0..30).map(|number| format!("/thing-{}.html", word(number))));
    let mut urls = urls(paths);
    let mut links: Vec<(u32, u32)> = (1..34).map(|page| (0, page)).collect();
    let mut objects: Vec<Vec<u32>> = vec![Vec::new(); 34];
    for thing in 4..34_u32 {
        objects[thing as usize] = vec![thing];
        links.push((1 + thing % 3, thing));
        // Each links to its neighbour.
        links.push((thing, 4 + (thing + 1) % 30));
    }
    // Two departments have the objects of the pages they link to; the third was not understood.
    for department in [1, 2] {
        let shown = (4..34).filter(|thing| 1 + thing % 3 == department);
        objects[department as usize] = shown.collect();
    }
    let costs = vec![4.0; 34];
    let page_values = PageValues {
        objects: &objects,
        known: u32::MAX,
        hub_costs: &costs,
        lists: Lists::Promising,
    };
    let wanted = [pattern("/{slug}.html")];
    let learned = learn(&SiteGraph::new(&urls, &links), 0, &wanted, &[], 1.0, page_values).expect("an entry");
    assert_eq!(learned.hubs, [0, 1, 2, 3]);
    let navigation = Navigation::from_toml(&learned.navigation.to_toml().expect("TOML")).expect("sound");
    assert_eq!(navigation.states[0].role, Role::Object);
    assert_eq!(navigation.also.len(), 3, "{:?}", navigation.also);

    // A week later each department has a new product, and one of the old products links to a
    // fourth.
    for (number, from) in [1, 2, 3, 5].into_iter().enumerate() {
        let new = format!("http://hall.example/new-{}.html", word(number));
        urls.extend(CanonicalUrl::trusted(new));
        links.push((from, 34 + number as u32));
    }
    let navigator = Arc::new(Navigator::new(navigation).expect("it is sound"));
    assert_eq!(navigator.classify(&urls[1]), Some(StateId::LISTS));
    let fetched = replay(
        &mut Round::new(Arc::clone(&navigator), ()),
        &SiteGraph::new(&urls, &links),
        0,
    );
    let new: Vec<usize> = fetched.into_iter().filter(|page| *page >= 34).collect();
    assert_eq!(new, [34, 35, 36]);
}

#[test]
fn wanted_lists_lead_to_new_pages() {
    // The entry links to everything; the shelves have three books each, and are wanted for their
    // objects.
    let paths = ["/".to_owned()].into_iter();
    let paths = paths.chain((1..=4).map(|number| format!("/shelf/{number}")));
    let paths = paths.chain((1..=12).map(|number| format!("/book/{number}")));
    let mut urls = urls(paths);
    let mut links: Vec<(u32, u32)> = (1..17).map(|page| (0, page)).collect();
    let mut objects: Vec<Vec<u32>> = vec![Vec::new(); 17];
    for book in 5..17_u32 {
        let shelf = 1 + book % 4;
        links.push((shelf, book));
        objects[book as usize].push(book);
        objects[shelf as usize].push(book);
    }
    let costs = vec![1.0; 17];
    let page_values = PageValues {
        objects: &objects,
        known: u32::MAX,
        hub_costs: &costs,
        lists: Lists::Promising,
    };
    let wanted = [pattern("/book/{number}"), pattern("/shelf/{number}")];
    let learned = learn(&SiteGraph::new(&urls, &links), 0, &wanted, &[], 1.0, page_values).expect("an entry");
    let shelves = &learned.navigation.states[1];
    assert_eq!(
        (shelves.role, shelves.next.as_slice()),
        (Role::Both, &["book".to_owned()][..])
    );
    urls.extend(CanonicalUrl::trusted("http://hall.example/book/13".to_owned()));
    links.push((1, 17));
    let navigator = Arc::new(Navigator::new(learned.navigation).expect("it is sound"));
    let fetched = replay(
        &mut Round::new(Arc::clone(&navigator), ()),
        &SiteGraph::new(&urls, &links),
        0,
    );
    assert!(fetched.contains(&17), "{fetched:?}");
}

/// Returns a word without digits for a number.
fn word(number: usize) -> String {
    let letters = b"bcdfgklmnprstvz";
    [number / 15, number % 15]
        .map(|letter| format!("{}o", char::from(letters[letter])))
        .concat()
}

fn urls(paths: impl Iterator<Item = String>) -> Vec<CanonicalUrl> {
    paths
        .filter_map(|path| CanonicalUrl::trusted(format!("http://hall.example{path}")))
        .collect()
}

/// A site whose lists have URLs like those of terms and imprint, all in one menu.
fn with_a_menu(lists: usize, others: &[&str]) -> (Site, Vec<String>) {
    let mut site = Site {
        urls: Vec::new(),
        links: Vec::new(),
    };
    let entry = site.page("/");
    let lists: Vec<String> = (0..lists).map(|list| format!("/season-{list}")).collect();
    let menu: Vec<u32> = lists
        .iter()
        .map(String::as_str)
        .chain(others.iter().copied())
        .map(|path| site.page(path))
        .collect();
    let mut pages = vec![entry];
    pages.extend(&menu);
    for (list, path) in lists.iter().enumerate() {
        let from = site.page(path);
        for event in 0..4 {
            let event = site.page(&format!("/event/{}-night", list * 4 + event));
            site.links.push((from, event));
            pages.push(event);
        }
    }
    for page in pages {
        site.links.extend(menu.iter().map(|to| (page, *to)));
    }
    (site, lists)
}

#[test]
fn unproductive_pages_among_similar_lists_are_skipped() {
    let others = ["/terms", "/privacy", "/imprint", "/contact", "/login", "/cart"];
    let (site, lists) = with_a_menu(3, &others);
    let brings = distinct_objects(site.urls.len());
    let selected = [pattern("/event/{number}-night")];
    let classes = [pattern("/{slug}")];
    let learned =
        learn(&site.graph(), 0, &selected, &classes, 1.0, page_values(&brings)).expect("a navigation");
    let mut skipped: Vec<String> = others.map(|path| format!("http://hall.example{path}")).to_vec();
    skipped.sort_unstable();
    let mut found = learned.navigation.skip.clone();
    found.sort_unstable();
    assert_eq!(found, skipped);
    assert_eq!(learned.hubs.len(), 1 + lists.len(), "{:?}", learned.hubs);
    let written = learned.navigation.to_toml().expect("it can be written");
    let navigation = Navigation::from_toml(&written).expect("it can be read");
    let navigator = Arc::new(Navigator::new(navigation).expect("it makes sense"));
    let reads = |path: &str| {
        let url = CanonicalUrl::trusted(format!("http://hall.example{path}")).expect("canonical");
        navigator.reads(&url)
    };
    assert!(lists.iter().all(|list| reads(list)));
    assert!(!others.iter().any(|path| reads(path)));
    assert!(reads("/season-3"), "a list that comes is read");
    let walked = replay(&mut Round::new(Arc::clone(&navigator), ()), &site.graph(), 0);
    assert_eq!(walked.len(), 1 + 3 + 12, "{walked:?}");
}

#[test]
fn an_empty_list_is_kept_among_other_lists() {
    let (site, _) = with_a_menu(6, &["/season-6", "/season-7"]);
    let brings = distinct_objects(site.urls.len());
    let selected = [pattern("/event/{number}-night")];
    let learned = learn(
        &site.graph(),
        0,
        &selected,
        &[pattern("/{slug}")],
        1.0,
        page_values(&brings),
    );
    assert_eq!(learned.expect("a navigation").navigation.skip, [""; 0]);
}
