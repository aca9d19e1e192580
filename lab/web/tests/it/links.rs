//! Tests that every link leads to a page.

use crate::support::{calm, crawl, fetch};
use magpie_lab::{PageKind, Vertical};

#[test]
fn every_link_answers_or_is_a_planned_failure() {
    for vertical in Vertical::ALL {
        for seed in 0..12 {
            let web = calm(vertical, seed);
            for (url, (status, from)) in crawl(&web, 0, 6_000) {
                assert!(
                    matches!(status, 200 | 301 | 302),
                    "{vertical:?} {seed}: {status} {url} linked from {from}"
                );
            }
        }
    }
}

#[test]
fn every_page_of_the_truth_is_reachable() {
    for vertical in Vertical::ALL {
        for seed in 0..6 {
            let web = calm(vertical, seed);
            let reached: std::collections::BTreeSet<String> = crawl(&web, 0, 8_000)
                .into_keys()
                .filter_map(|url| web.locate(&url, 0).map(|page| page.url))
                .collect();
            let deep: Vec<u32> = web
                .sites()
                .filter(|site| site.is_deep)
                .map(|site| site.index)
                .collect();
            for page in web.truth(0).pages {
                let is_hidden = deep.contains(&page.site)
                    && matches!(
                        page.kind,
                        PageKind::Detail | PageKind::Copy | PageKind::Beside | PageKind::Results
                    );
                assert!(
                    is_hidden || reached.contains(&page.url),
                    "{vertical:?} {seed}: {}",
                    page.url
                );
            }
        }
    }
}

#[test]
fn truth_urls_equal_located_urls() {
    for seed in 0..6 {
        let web = calm(Vertical::Products, seed);
        for week in [0, 30] {
            for page in web.truth(week).pages {
                let located = web
                    .locate(&page.url, week)
                    .expect("a page of truth has an address");
                assert_eq!(located.url, page.url);
                assert!(
                    matches!(fetch(&web, &page.url, week, 0).status, 200),
                    "{}",
                    page.url
                );
            }
        }
    }
}
