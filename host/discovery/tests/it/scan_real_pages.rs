//! Real pages: the scanner finds the links of the tree, in the same order and with the same text.
#![expect(clippy::print_stdout, reason = "the counts are what one wants to see")]

use magpie_discovery::{LinkKind, ScanLimits, scan};
use magpie_page::{Page, PageSource};
use magpie_values::Timestamp;
use url::Url;

#[derive(Debug, Default)]
struct Tally {
    pages: usize,
    /// Links the tree has.
    links: usize,
    /// Pages on which the two lists of URLs are equal.
    equal: usize,
    /// Pages whose lists are equal after consecutive repetitions are merged: the tree repeats a
    /// link that is closed late.
    equal_without_repetitions: usize,
    /// Links that only the scanner has, that only the tree has.
    surplus: usize,
    missing: usize,
    /// Links with another text, on pages with equal lists.
    other_texts: usize,
    /// Links with another path, classes and ids aside, on pages with equal lists.
    other_paths: usize,
    compared: usize,
}

/// The path of a link in the tree, by tags.
fn tree_path(page: &Page, node: u32) -> String {
    let document = page.document();
    let mut tags: Vec<&str> = document.ancestors(node).map(|node| document.tag(node)).collect();
    tags.retain(|tag| *tag != "#document");
    tags.reverse();
    tags.push(document.tag(node));
    tags.join(">")
}

fn plain_path(path: &str) -> String {
    let steps = path
        .split('>')
        .map(|step| step.split(['#', '.']).next().unwrap_or_default());
    steps.collect::<Vec<_>>().join(">")
}

fn compare(body: &[u8], path: &std::path::Path, tally: &mut Tally) {
    let url = Url::parse("https://real.example/folder/page").expect("a URL");
    let page = Page::new(PageSource {
        url: url.clone(),
        status: 200,
        headers: vec![("content-type".to_owned(), "text/html".to_owned())],
        fetched_at: Timestamp::from_seconds(0),
        body: body.to_vec().into(),
    });
    // The scanner knows more kinds of things to load than the tree does, and leaves out what is
    // there for programs.
    let loads = |word: &str| {
        [
            "import",
            "apple-touch-startup-image",
            "edituri",
            "wlwmanifest",
            "shortlink",
        ]
        .iter()
        .any(|name| word.eq_ignore_ascii_case(name))
            || word.contains("://")
    };
    let is_page = |link: &magpie_page::Link| {
        let media_type = page.document().attribute(link.node, "type").unwrap_or_default();
        let names_page = ["", "text/html", "application/xhtml+xml"].contains(&media_type.trim());
        let names_feed =
            media_type.contains("rss") || media_type.contains("atom") || media_type.contains("feed+json");
        (names_page || names_feed) && !link.rel.split(' ').any(loads)
    };
    let tree: Vec<(String, String, String)> = page
        .links()
        .into_iter()
        .filter(|link| link.kind != magpie_page::LinkKind::Head || is_page(link))
        .map(|link| (link.href, link.text, tree_path(&page, link.node)))
        .collect();
    let limits = ScanLimits {
        max_links: usize::MAX,
        max_text_bytes: usize::MAX,
        max_href_bytes: usize::MAX,
        ..Default::default()
    };
    let scanned = scan(page.text(), &limits);
    let base = scanned.base_url(&url);
    let found: Vec<(String, String, String)> = scanned
        .links
        .iter()
        .filter(|link| !matches!(link.kind, LinkKind::Form | LinkKind::Refresh))
        .filter_map(|link| Some((base.join(scanned.href(link)).ok()?, link)))
        .filter(|(url, _)| matches!(url.scheme(), "http" | "https"))
        .map(|(url, link)| {
            (
                url.into(),
                scanned.text_of(link).to_owned(),
                plain_path(&scanned.path(link.path)),
            )
        })
        .collect();
    tally.pages += 1;
    tally.links += tree.len();
    let urls =
        |links: &[(String, String, String)]| links.iter().map(|link| link.0.clone()).collect::<Vec<_>>();
    let (mut ours, mut theirs) = (urls(&found), urls(&tree));
    if ours == theirs {
        tally.equal += 1;
        tally.compared += tree.len();
        for (ours, theirs) in found.iter().zip(&tree) {
            tally.other_texts += usize::from(ours.1 != theirs.1);
            tally.other_paths += usize::from(ours.2 != theirs.2);
            if std::env::var_os("MAGPIE_SHOW").is_some() && (ours.1 != theirs.1 || ours.2 != theirs.2) {
                println!("{}\n  {ours:?}\n  {theirs:?}", path.display());
            }
        }
    } else if std::env::var_os("MAGPIE_SHOW").is_some() {
        let at = ours
            .iter()
            .zip(&theirs)
            .position(|(one, other)| one != other)
            .unwrap_or(ours.len().min(theirs.len()));
        println!(
            "{}: {} {}\n  at {at} {:?}\n  {:?}",
            path.display(),
            ours.len(),
            theirs.len(),
            found.get(at),
            tree.get(at)
        );
    }
    ours.dedup();
    theirs.dedup();
    tally.equal_without_repetitions += usize::from(ours == theirs);
    let mut rest = theirs.clone();
    rest.sort();
    for url in &ours {
        match rest.binary_search(url) {
            Ok(at) => drop(rest.remove(at)),
            Err(_) => tally.surplus += 1,
        }
    }
    tally.missing += rest.len();
}

fn check(set: &str) {
    let Some(folder) = magpie_test_support::data::find(set) else {
        return;
    };
    let mut tally = Tally::default();
    for ending in [".html", ".htm"] {
        for path in magpie_test_support::data::files(&folder, ending) {
            compare(&std::fs::read(&path).expect("readable"), &path, &mut tally);
        }
    }
    println!("{set}: {tally:?}");
    let share = |part: usize, whole: usize| part as f64 / whole.max(1) as f64;
    assert!(
        share(tally.equal_without_repetitions, tally.pages) >= 0.99,
        "{tally:?}"
    );
    assert!(
        share(tally.surplus + tally.missing, tally.links) <= 0.001,
        "{tally:?}"
    );
    assert!(share(tally.other_texts, tally.compared) <= 0.001, "{tally:?}");
    assert!(share(tally.other_paths, tally.compared) <= 0.005, "{tally:?}");
}

#[test]
fn recipes_of_a_hundred_sites() {
    check("recipes");
}

#[test]
fn pages_of_public_boards() {
    check("events-meetings");
}

#[test]
fn a_conference() {
    check("site-fossasia2017");
}

#[test]
fn a_shop() {
    check("site-capybara-shop");
}

#[test]
fn a_ticket_shop() {
    check("site-iticket");
}

#[test]
fn a_book_site() {
    check("site-medical-books");
}

#[test]
fn another_book_site() {
    check("books-toscrape");
}
