use std::sync::Arc;

use magpie_learn::navigate::{Navigator, Role, SiteGraph, Turns, learn, replay};
use magpie_learn::pattern::UrlPattern;
use magpie_model::CanonicalUrl;

fn pattern(text: &str) -> UrlPattern {
    format!("http://hall.example{text}").parse().expect("a pattern")
}

/// A site with a list of twelve pages that link to the next one only, events on them, a news section that links
/// to some events too, and a calendar.
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

fn classes() -> Vec<UrlPattern> {
    ["/list/{number}", "/news/{number}-story", "/about/us"]
        .map(pattern)
        .into()
}

#[test]
fn the_fewest_hubs_lead_to_the_wanted_pages() {
    let site = Site::new();
    let selected = [pattern("/event/{number}-{slug}")];
    let learned = learn(&site.graph(), 0, &selected, &classes(), 1.0, &|_| 1.0).expect("there is an entry");
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
    let fetched = replay(&mut navigator.walk(), &site.graph(), 0);
    assert_eq!(fetched.len(), 133);
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
        &|_| 1.0,
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
    assert_eq!(replay(&mut navigator.walk(), &graph, 0).len(), 32);

    let mut walk = navigator.walk();
    let february = CanonicalUrl::trusted("http://hall.example/cal/2026/2").expect("canonical");
    let id = navigator.classify(&february).expect("a calendar page");
    use magpie_learn::navigate::Guide;
    for round in 0..3 {
        assert!(walk.follow(id, &february).is_some(), "round {round}");
        walk.found(id, false);
    }
    assert!(walk.follow(id, &february).is_none());
    walk.found(id, true);
    assert!(walk.follow(id, &february).is_some());
}

#[test]
fn part_of_the_pages_may_be_enough() {
    let site = Site::new();
    let selected = [pattern("/event/{number}-{slug}")];
    let learned = learn(&site.graph(), 0, &selected, &classes(), 0.0, &|_| 1.0).expect("there is an entry");
    assert_eq!((learned.reached, learned.hubs.len()), (0, 1));
    assert!(learn(&site.graph(), 9_999, &selected, &classes(), 1.0, &|_| 1.0).is_none());
}

#[test]
fn lists_are_preferred_to_pages_that_happen_to_link_to_others_like_them() {
    // The entry links to the first of three lists with four pages each, and to one of the twelve, which names six others.
    let paths = ["/".to_owned()].into_iter();
    let paths = paths.chain((1..=3).map(|number| format!("/list?page={number}")));
    let paths = paths.chain((1..=12).map(|number| format!("/event/{number}")));
    let urls: Vec<CanonicalUrl> = paths
        .filter_map(|path| CanonicalUrl::trusted(format!("http://hall.example{path}")))
        .collect();
    let mut links = vec![(0, 1), (1, 2), (2, 3), (0, 4)];
    for page in 0..12 {
        links.push((1 + page / 4, 4 + page));
        links.extend((1..=6).map(|next| (4 + page, 4 + (page + next) % 12)));
    }
    let graph = SiteGraph::new(&urls, &links);
    let hubs = |cost: f64| {
        let (wanted, lists) = (pattern("/event/{number}"), pattern("/list?page={number}"));
        let cost = |page: usize| if page >= 4 { cost } else { 1.0 };
        let learned = learn(&graph, 0, &[wanted], &[lists], 1.0, &cost).expect("there is an entry");
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
