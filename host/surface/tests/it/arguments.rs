//! Kinds of arguments by prevalence and by effect.

use std::collections::{BTreeMap, BTreeSet};

use magpie_surface::arguments::{Kind, Method, semantic_key};

use crate::links::{SELECTIONS, study};

#[test]
fn no_selection_is_lost_and_the_rest_is_found() {
    for states_count in [true, false] {
        for seed in 0..10 {
            let (study, probes) = study(Method::ByEffect, states_count, seed);
            let kinds = study.kinds();
            for name in SELECTIONS {
                assert_eq!(kinds[name], Kind::Selection, "{name} {states_count} {seed}");
            }
            assert_eq!(kinds["q"], Kind::Query);
            let expected = [
                ("sort", Kind::Presentation),
                ("view", Kind::Presentation),
                ("from_page", Kind::Irrelevant),
                ("sid", Kind::Irrelevant),
                ("page", Kind::Paging),
            ];
            for (name, kind) in expected {
                // Another order of many results of unknown number may be a selection.
                let may_keep = name == "sort" && !states_count && kinds[name] == Kind::Selection;
                assert!(
                    kinds[name] == kind || may_keep,
                    "{name} {:?} {states_count} {seed}",
                    kinds[name]
                );
            }
            assert!(!kinds["size"].is_selective(), "{states_count} {seed}");
            assert!(probes <= 30, "{probes}");
        }
    }
}

/// All pages of a site of one vertical offer the same filters, so prevalence drops them.
#[test]
fn prevalence_loses_selections_of_a_site_of_one_vertical() {
    let (study, probes) = study(Method::Published, true, 1);
    assert_eq!(probes, 0);
    let kinds = study.kinds();
    let lost = SELECTIONS
        .iter()
        .filter(|name| kinds[**name] == Kind::Irrelevant)
        .count();
    assert!(lost >= 2, "{kinds:?}");
    assert_eq!(kinds["q"], Kind::Query, "the keyword is never dropped");
    assert_eq!(kinds["sort"], Kind::Irrelevant);
}

#[test]
fn keys_reduce_the_urls_of_a_site() {
    let (study, _) = study(Method::ByEffect, true, 3);
    let kinds: BTreeMap<String, Kind> = study.kinds();
    let mut urls = 0;
    let mut keys = BTreeSet::new();
    for language in 0..6 {
        for sort in ["title", "year", ""] {
            for page in 1..5 {
                let url =
                    format!("http://a.test/s?sort={sort}&q=x&page={page}&language={language}&sid={urls}");
                keys.insert(semantic_key(&url, &kinds));
                urls += 1;
            }
        }
    }
    assert_eq!((urls, keys.len()), (72, 6));
}
