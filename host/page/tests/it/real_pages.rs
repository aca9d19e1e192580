//! Real pages: all of them can be read in full, and what they say in structured data is found.
#![expect(clippy::print_stdout, reason = "the counts are what one wants to see")]

use std::collections::BTreeMap;

use magpie_page::{Page, PageSource, Problem};

/// Result of reading a set of pages.
#[derive(Debug, Default)]
struct Tally {
    pages: usize,
    nodes: u64,
    links: usize,
    titles: usize,
    languages: usize,
    items: BTreeMap<&'static str, usize>,
    problems: BTreeMap<&'static str, usize>,
    milliseconds: u128,
}

fn read(set: &str) -> Option<Tally> {
    let folder = magpie_test_support::data::find(set)?;
    let mut tally = Tally::default();
    let endings = [".html", ".htm"];
    for path in endings
        .iter()
        .flat_map(|ending| magpie_test_support::data::files(&folder, ending))
    {
        let body = std::fs::read(&path).expect("readable");
        let url = url::Url::parse("https://real.example/page").expect("valid");
        let headers = vec![("content-type".to_owned(), "text/html".to_owned())];
        let start = std::time::Instant::now();
        let page = Page::new(PageSource {
            url,
            status: 200,
            headers,
            fetched_at: magpie_values::Timestamp::default(),
            body: body.into(),
        });
        tally.pages += 1;
        tally.nodes += u64::from(page.document().node_count());
        tally.links += page.links().len();
        tally.titles += usize::from(page.title().is_some());
        tally.languages += usize::from(page.language().is_some());
        for item in page.structured_data() {
            *tally.items.entry(item.syntax).or_default() += 1;
        }
        for problem in page.problems() {
            *tally.problems.entry(problem.code()).or_default() += 1;
            if let Problem::BrokenJsonLd { .. } = problem {
                println!("  {}: {problem}", path.display());
            }
        }
        tally.milliseconds += start.elapsed().as_millis();
    }
    println!("{set}: {tally:?}");
    Some(tally)
}

fn check(set: &str, expected: &[(&str, usize)]) {
    let Some(tally) = read(set) else { return };
    let limits = [
        "too-deep",
        "too-many-nodes",
        "too-much-work",
        "too-many-attributes",
        "too-many-names",
        "truncated",
    ];
    for code in limits {
        assert_eq!(
            tally.problems.get(code),
            None,
            "no real page is beyond a limit: {code}"
        );
    }
    for (syntax, least) in expected {
        assert!(
            tally.items.get(syntax) >= Some(least),
            "{syntax}: {:?}",
            tally.items
        );
    }
}

#[test]
fn recipes_of_a_hundred_sites() {
    check("recipes", &[("json-ld", 200), ("open-graph", 150)]);
}

#[test]
fn a_shop_with_microdata() {
    check("site-capybara-shop", &[("microdata", 120)]);
}

#[test]
fn a_ticket_shop_with_microdata() {
    check("site-iticket", &[("microdata", 178)]);
}

#[test]
fn pages_of_public_boards() {
    check("events-meetings", &[]);
}

#[test]
fn a_book_site() {
    check("site-medical-books", &[("microdata", 115)]);
}
