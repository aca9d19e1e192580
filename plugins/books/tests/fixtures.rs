//! Runs the fixtures on the host, without WebAssembly.

use std::path::Path;

mod support;

/// Volumes of one collection have similar titles. Each keeps its own page, and they stay apart.
#[test]
fn volumes_of_a_collection_are_told_apart() {
    use magpie_sdk::{Page, Vertical};

    let volumes = [
        ("Atlas of Bones: The Skull, Volume 1, 2nd Edition", "skull"),
        (
            "Atlas of Bones: Limbs, Volume 2, Part I - Arms, 2nd Edition",
            "arms",
        ),
        (
            "Atlas of Bones: Limbs, Volume 2, Part II - Legs, 2nd Edition",
            "legs",
        ),
    ];
    let cards: String = volumes
        .iter()
        .map(|(title, slug)| {
            format!(
                "<article class=book itemscope itemtype=https://schema.org/Book><h2 itemprop=name>{title}</h2>\
                 <a href=/books/{slug}/>Read more</a><p>by Ada Byron</p></article>"
            )
        })
        .collect();
    let html = format!("<title>Books about bones</title><h1>Books about bones</h1><div>{cards}</div>");
    let page = Page::from_response(
        "https://books.example/tag/bones/",
        "text/html",
        1_775_000_000,
        html.as_bytes(),
    );
    let found: Vec<books::Book> = books::Books::extract(&page)
        .expect("the page is read")
        .into_iter()
        .map(|found| found.record)
        .collect();
    let titles: Vec<&str> = found.iter().map(|book| book.title.as_str()).collect();
    assert_eq!(titles, volumes.map(|(title, _)| title));
    for (book, (title, slug)) in found.iter().zip(volumes) {
        let url = book.url.as_ref().map(ToString::to_string).unwrap_or_default();
        assert!(url.is_empty() || url.contains(slug), "{title}: {url}");
    }
    for (place, one) in found.iter().enumerate() {
        for other in &found[place + 1..] {
            let verdict = books::Books::compare(one, other);
            assert!(verdict.probability < 0.5, "{one:?} {other:?} {verdict:?}");
        }
    }
}

#[test]
fn every_fixture_is_read_and_clustered_as_written_down() {
    support::check_all::<books::Books>(&Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures"));
}
