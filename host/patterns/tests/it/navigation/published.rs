use magpie_model::CanonicalUrl;
use magpie_patterns::navigate::{LevelNavigation, SiteGraph, TargetMap, replay};
use magpie_patterns::pattern::{FolderInducer, PatternSet, UrlPattern};

use super::{links, urls};

/// The thirteen pages of the published example. A letter is a folder, shared by the pages of a
/// pattern.
const PAGES: [&str; 13] = [
    "/", "/a/1", "/a/2", "/a/3", "/b/1", "/c/1", "/d/1", "/d/2", "/e/1", "/d/3", "/b/2", "/b/3", "/f/1",
];

fn example(pages: &[CanonicalUrl]) -> SiteGraph<'_> {
    let all = links(
        pages,
        &[
            ("/", &["/a/1", "/a/2", "/a/3", "/b/1", "/c/1"]),
            ("/a/1", &["/d/1"]),
            ("/a/2", &["/d/2", "/e/1"]),
            ("/a/3", &["/d/3"]),
            ("/b/1", &["/b/2", "/b/3"]),
            ("/c/1", &["/f/1"]),
        ],
    );
    SiteGraph::new(pages, &all)
}

fn paths(graph: &SiteGraph<'_>, pages: &[usize]) -> Vec<String> {
    pages
        .iter()
        .map(|page| graph.url(*page).path().to_owned())
        .collect()
}

fn selected() -> PatternSet {
    let parsed = |text: &str| -> UrlPattern { text.parse().expect("a pattern") };
    PatternSet::new(
        [
            "http://hall.example/c/1",
            "http://hall.example/d/{file}",
            "http://hall.example/e/1",
        ]
        .map(parsed),
    )
}

#[test]
fn the_published_example_downloads_nine_of_thirteen_pages() {
    let pages = urls(&PAGES);
    let graph = example(&pages);
    // c1, d1, d2, and e1 are object pages; d3 looks like one, but nothing was extracted from it.
    let targets = [5, 6, 7, 8];
    let map = TargetMap::of(&graph, 0, &targets);
    assert_eq!(
        paths(&graph, &map.pages()),
        ["/", "/a/1", "/a/2", "/c/1", "/d/1", "/d/2", "/e/1"]
    );
    assert_eq!(map.levels.iter().map(Vec::len).collect::<Vec<_>>(), [1, 3, 3]);

    let navigation = LevelNavigation::learn(&graph, &map, &selected(), &FolderInducer::default());
    let printed: Vec<Vec<String>> = navigation
        .levels
        .iter()
        .map(|level| level.iter().map(UrlPattern::to_string).collect())
        .collect();
    assert_eq!(
        printed,
        [
            vec!["http://hall.example/"],
            vec!["http://hall.example/a/{file}", "http://hall.example/c/1"],
            vec!["http://hall.example/d/{file}", "http://hall.example/e/1"],
        ]
    );

    let fetched = replay(&mut navigation.walk(), &graph, 0);
    assert_eq!(
        paths(&graph, &fetched),
        [
            "/", "/a/1", "/a/2", "/a/3", "/c/1", "/d/1", "/d/2", "/e/1", "/d/3"
        ]
    );
}

#[test]
fn levels_are_stored_as_readable_patterns() {
    let pages = urls(&PAGES);
    let graph = example(&pages);
    let map = TargetMap::of(&graph, 0, &[5, 6, 7, 8]);
    let navigation = LevelNavigation::learn(&graph, &map, &selected(), &FolderInducer::default());
    let text = toml::to_string(&navigation).expect("it can be written");
    assert!(text.contains("\"http://hall.example/d/{file}\""), "{text}");
    let read: LevelNavigation = toml::from_str(&text).expect("it can be read");
    assert_eq!(read, navigation);
}

#[test]
fn a_link_that_matches_another_level_is_ignored() {
    let pages = urls(&["/", "/a/1", "/d/1", "/d/2"]);
    let graph = SiteGraph::new(
        &pages,
        &links(&pages, &[("/", &["/a/1", "/d/1"]), ("/a/1", &["/d/2"])]),
    );
    let level = |patterns: &[&str]| -> Vec<UrlPattern> {
        patterns
            .iter()
            .map(|text| format!("http://hall.example{text}").parse().expect("a pattern"))
            .collect()
    };
    let navigation = LevelNavigation {
        levels: vec![level(&["/"]), level(&["/a/{file}"]), level(&["/d/{file}"])],
    };
    let fetched = replay(&mut navigation.walk(), &graph, 0);
    assert_eq!(paths(&graph, &fetched), ["/", "/a/1", "/d/2"]);
}

#[test]
fn unreachable_targets_are_ignored() {
    let pages = urls(&["/", "/a", "/lost"]);
    let graph = SiteGraph::new(&pages, &[(0, 1), (0, 77), (99, 1)]);
    assert_eq!(TargetMap::of(&graph, 0, &[1, 2, 55]).levels, [vec![0], vec![1]]);
    assert_eq!(TargetMap::of(&graph, 9, &[1]).levels, Vec::<Vec<usize>>::new());
}
