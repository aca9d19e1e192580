//! Tests of the composition of webs of the size used in experiments.

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

use magpie_lab::{PageKind, Size, Truth, Vertical, Web, WebSpec};

fn paper(vertical: Vertical, seed: u64) -> Truth {
    Arc::new(Web::new(WebSpec::new(vertical, Size::Paper, seed))).truth(0)
}

/// Published for a crawl of 300 event sites: about 60,000 pages and 13,551 objects, nearly half of
/// the pages without objects, more than a fifth of the pages with objects redundant.
#[test]
fn a_paper_size_web_has_the_published_shares() {
    for vertical in Vertical::ALL {
        let truth = paper(vertical, 11);
        let pages = truth.pages.len();
        assert!((54_000..66_000).contains(&pages), "{vertical:?}: {pages} pages");
        assert!(
            (11_500..13_600).contains(&truth.objects.len()),
            "{vertical:?}: {} objects",
            truth.objects.len()
        );
        let without = truth.pages.iter().filter(|page| page.objects.is_empty()).count();
        let share = without as f64 / pages as f64;
        assert!(
            (0.42..0.52).contains(&share),
            "{vertical:?}: {share} without objects"
        );
        let repeated = repeated(&truth) as f64 / (pages - without) as f64;
        assert!(
            (0.16..0.27).contains(&repeated),
            "{vertical:?}: {repeated} redundant"
        );
    }
}

/// Number of pages with exactly the objects of an earlier page of the same site.
fn repeated(truth: &Truth) -> usize {
    let mut seen = HashSet::new();
    let with = truth.pages.iter().filter(|page| !page.objects.is_empty());
    with.filter(|page| !seen.insert((page.site, page.objects.iter().collect::<BTreeSet<_>>())))
        .count()
}

#[test]
fn few_objects_are_on_many_sites_and_most_on_one() {
    let truth = paper(Vertical::Books, 12);
    let sites = |pages: &[u32]| {
        pages
            .iter()
            .map(|page| truth.pages[*page as usize].site)
            .collect::<BTreeSet<_>>()
            .len()
    };
    let mut counts: Vec<usize> = truth.objects.iter().map(|object| sites(&object.pages)).collect();
    counts.sort_unstable();
    assert_eq!(counts[counts.len() / 2], 1);
    assert!(
        counts[counts.len() - 1] >= 15,
        "the most popular is on {} sites",
        counts[counts.len() - 1]
    );
}

#[test]
fn webs_have_all_kinds_of_pages_and_sites() {
    let web = Arc::new(Web::new(WebSpec::new(Vertical::Events, Size::Paper, 13)));
    let kinds: BTreeSet<PageKind> = (0..60)
        .flat_map(|site| web.pages(site, 0))
        .map(|page| page.kind)
        .collect();
    // Results are in the truth only where objects have no other page.
    assert!(kinds.len() >= 7, "{kinds:?}");
    let sites: Vec<_> = web.sites().collect();
    let share = |count: usize| count as f64 / sites.len() as f64;
    let deep = share(sites.iter().filter(|site| site.is_deep).count());
    assert!((0.03..0.16).contains(&deep), "{deep} deep");
    let plain = share(sites.iter().filter(|site| site.markup == "none").count());
    assert!((0.40..0.64).contains(&plain), "{plain} without markup");
    assert!(sites.iter().any(|site| site.hosts.len() == 3));
    assert_eq!(
        sites
            .iter()
            .map(|site| site.language)
            .collect::<BTreeSet<_>>()
            .len(),
        8
    );
}

#[test]
fn a_large_web_is_computed_on_demand() {
    let web = Web::new(WebSpec::new(Vertical::Products, Size::Large, 1));
    assert_eq!(web.sites().count(), 3_000);
    let pages: usize = (0..3_000)
        .step_by(150)
        .map(|site| web.pages(site, 0).count())
        .sum();
    // Twenty sites of about 330 pages each, but sizes differ widely.
    assert!((2_500..20_000).contains(&pages), "{pages}");
}
