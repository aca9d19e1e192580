//! Strategies on small sites.

use std::collections::{BTreeMap, BTreeSet};

use magpie_focus::strategy::{Choice, Expected, Link, LinkClassifier, Strategy, Visit, Walk, WalkSettings};
use magpie_model::CanonicalUrl;

const LIST: &str = "html/body/ul/li/a";
const NEXT: &str = "html/body/p/a";
const MENU: &str = "html/body/nav/a";

/// A site: for each page its links with their paths.
#[derive(Default)]
struct Site {
    urls: Vec<CanonicalUrl>,
    ids: BTreeMap<String, u64>,
    links: BTreeMap<u64, Vec<(u64, &'static str)>>,
    targets: BTreeSet<u64>,
}

impl Site {
    fn page(&mut self, path: &str) -> u64 {
        let next = self.urls.len() as u64;
        let id = *self.ids.entry(path.to_owned()).or_insert(next);
        if id == next {
            self.urls
                .push(CanonicalUrl::trusted(format!("https://shop.example{path}")).expect("a URL"));
        }
        id
    }

    fn link(&mut self, from: &str, to: &str, path: &'static str) {
        let (from, to) = (self.page(from), self.page(to));
        self.links.entry(from).or_default().push((to, path));
    }

    /// A shop: ten list pages of ten products, and a blog that is as large and has none.
    fn shop() -> Site {
        let mut site = Site::default();
        site.link("/", "/list?page=1", MENU);
        site.link("/", "/blog/1", MENU);
        for page in 1..=10 {
            let list = format!("/list?page={page}");
            for product in 0..10 {
                let product = format!("/product/{}", page * 100 + product);
                site.link(&list, &product, LIST);
                site.link(&product, "/", MENU);
                let id = site.page(&product);
                site.targets.insert(id);
            }
            site.link(&list, "/", MENU);
            if page < 10 {
                site.link(&list, &format!("/list?page={}", page + 1), NEXT);
            }
        }
        for post in 1..=100 {
            site.link(&format!("/blog/{post}"), &format!("/blog/{}", post + 1), NEXT);
            site.link(&format!("/blog/{post}"), &format!("/blog/tag/{post}"), LIST);
        }
        site
    }

    fn offer(&self, strategy: &mut dyn Strategy, page: u64) {
        let url = &self.urls[page as usize];
        strategy.offer(&Link {
            target: page,
            url,
            path: "",
            text: "",
        });
    }

    /// Fetches pages until none is left or `limit` were fetched. Returns them in their order.
    fn crawl(&self, strategy: &mut dyn Strategy, limit: usize) -> Vec<u64> {
        let mut fetched = Vec::new();
        while fetched.len() < limit
            && let Some(page) = strategy.next()
        {
            fetched.push(page);
            self.visit(strategy, page);
        }
        fetched
    }

    fn visit(&self, strategy: &mut dyn Strategy, page: u64) {
        let links = self.links.get(&page).into_iter().flatten();
        let links: Vec<Link<'_>> = links
            .map(|(target, path)| Link {
                target: *target,
                url: &self.urls[*target as usize],
                path,
                text: "",
            })
            .collect();
        let is_accepted = self.targets.contains(&page);
        strategy.visited(&Visit {
            page,
            is_accepted,
            new_objects: is_accepted.into(),
            links: &links,
            known: &[],
        });
    }

    fn found(&self, fetched: &[u64]) -> usize {
        fetched.iter().filter(|page| self.targets.contains(page)).count()
    }
}

fn all() -> Vec<(&'static str, Box<dyn Strategy>)> {
    vec![
        ("walk", Box::new(Walk::new(WalkSettings::default()))),
        (
            "walk, largest",
            Box::new(Walk::new(WalkSettings {
                choice: Choice::Largest,
                ..WalkSettings::default()
            })),
        ),
        ("classifier", Box::new(LinkClassifier::default())),
        ("expected", Box::new(Expected::default())),
    ]
}

#[test]
fn every_strategy_fetches_every_page_once() {
    let site = Site::shop();
    for (name, mut strategy) in all() {
        site.offer(&mut *strategy, 0);
        let fetched = site.crawl(&mut *strategy, usize::MAX);
        let distinct: BTreeSet<u64> = fetched.iter().copied().collect();
        assert_eq!(
            (fetched.len(), distinct.len()),
            (site.urls.len(), site.urls.len()),
            "{name}"
        );
    }
}

/// Visits of an earlier run are replayed, and their pages are not fetched again.
#[test]
fn a_strategy_continues_after_replayed_visits() {
    let site = Site::shop();
    for (name, mut strategy) in all() {
        site.offer(&mut *strategy, 0);
        let first = site.page_ids(["/", "/list?page=1", "/product/101"]);
        first.iter().for_each(|page| site.visit(&mut *strategy, *page));
        let rest = site.crawl(&mut *strategy, usize::MAX);
        assert_eq!(rest.len(), site.urls.len() - first.len(), "{name}");
        assert!(first.iter().all(|page| !rest.contains(page)), "{name}");
    }
}

impl Site {
    fn page_ids<const N: usize>(&self, paths: [&str; N]) -> [u64; N] {
        paths.map(|path| self.ids[path])
    }
}

#[test]
fn expected_finds_most_targets_with_few_other_pages() {
    let site = Site::shop();
    let mut ours = Expected::default();
    site.offer(&mut ours, 0);
    let found = site.found(&site.crawl(&mut ours, 130));
    assert!(found >= 95, "{found} of 100");
}

#[test]
fn the_forecast_falls_to_nothing_as_a_site_is_read() {
    let site = Site::shop();
    let mut ours = Expected::default();
    site.offer(&mut ours, 0);
    site.crawl(&mut ours, 40);
    let early = ours.forecast();
    assert!(early.share() < 0.9, "{early:?}");
    site.crawl(&mut ours, usize::MAX);
    let late = ours.forecast();
    assert_eq!((late.found, late.expected), (100.0, 0.0));
    assert_eq!(late.share(), 1.0);
}

/// The list pages are hubs, and the blog is not.
#[test]
fn the_walk_finds_the_hubs() {
    let site = Site::shop();
    let mut walk = Walk::new(WalkSettings {
        seed: 3,
        ..WalkSettings::default()
    });
    site.offer(&mut walk, site.ids["/product/101"]);
    site.crawl(&mut walk, 150);
    let hubs: BTreeSet<u64> = walk.hubs().map(|(page, _)| page).collect();
    let lists: BTreeSet<u64> = (1..=10)
        .map(|page| site.ids[&format!("/list?page={page}")])
        .collect();
    assert!(!hubs.is_empty() && hubs.is_subset(&lists), "{hubs:?}");
    let (hub, _) = walk.weights(*hubs.first().expect("a hub")).expect("weights");
    assert!(hub > 0.0);
}

#[test]
fn the_same_seed_makes_the_same_walk() {
    let site = Site::shop();
    let run = |seed| {
        let mut walk = Walk::new(WalkSettings {
            seed,
            ..WalkSettings::default()
        });
        site.offer(&mut walk, 0);
        site.crawl(&mut walk, 80)
    };
    assert_eq!(run(1), run(1));
    assert_ne!(run(1), run(2));
}
