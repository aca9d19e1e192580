//! Sites whose objects come by scripts.

use std::collections::BTreeSet;
use std::sync::Arc;

use magpie_lab::{PageKind, Request, ScriptStyle, Size, Vertical, Web, WebSpec};

use crate::support::{body, fetch};

fn scripted(vertical: Vertical, seed: u64) -> Arc<Web> {
    Arc::new(Web::new(WebSpec {
        hazards: false,
        deep: 0,
        scripted: 1_000,
        ..WebSpec::new(vertical, Size::Small, seed).with_sites(12)
    }))
}

/// Returns the path of the data of a page, as its place for the script names it.
fn source(html: &str) -> Option<String> {
    let rest = html.split("data-source=").nth(1)?;
    let quote = rest.chars().next()?;
    Some(rest[1..].split(quote).next()?.replace("&amp;", "&"))
}

#[test]
fn webs_without_scripts_are_as_before() {
    let plain = Web::new(WebSpec::new(Vertical::Events, Size::Small, 1));
    assert!(plain.sites().all(|site| site.scripts.is_none()));
    assert!(
        plain
            .site_truths(0)
            .all(|site| site.objects == site.plain_objects)
    );
}

#[test]
fn pages_have_the_data_or_name_the_endpoint_that_has_it() {
    let mut styles = BTreeSet::new();
    for vertical in Vertical::ALL {
        let web = scripted(vertical, 5);
        for site in web.sites() {
            let scripts = site.scripts.expect("every site has scripts");
            styles.insert(scripts.style);
            let details = web
                .pages(site.index, 2)
                .filter(|page| matches!(page.kind, PageKind::Detail | PageKind::List))
                .filter(|page| !page.objects.is_empty() || !page.mentions.is_empty());
            for page in details.take(40) {
                let is_covered = match page.kind {
                    PageKind::Detail => scripts.details,
                    _ => scripts.lists,
                };
                let html = body(&fetch(&web, &page.url, 2, 1));
                if !is_covered {
                    assert!(!html.contains("id=\"app\""), "{}", page.url);
                    continue;
                }
                let titles: Vec<String> = web
                    .shown(&page.url, 2)
                    .into_iter()
                    .filter(|shown| page.kind == PageKind::List || shown.is_main)
                    .filter_map(|shown| {
                        let name = if vertical == Vertical::Books {
                            "title"
                        } else {
                            "name"
                        };
                        Some(shown.values.get(name)?.normal.concat())
                    })
                    .collect();
                if scripts.style == ScriptStyle::InlineState {
                    assert!(!page.is_scripted);
                    assert!(html.contains("__NEXT_DATA__") || html.contains("__INITIAL_STATE__"));
                    continue;
                }
                assert!(page.is_scripted, "{}", page.url);
                let path = source(&html).expect("the page names its data");
                let request = Request {
                    host: &site.host,
                    path_and_query: &path,
                    is_scripted: true,
                    ..Request::default()
                };
                let answer = web.respond(&request, 2, 1);
                assert_eq!((answer.status, answer.content_type), (200, "application/json"));
                let data: serde_json::Value = serde_json::from_slice(&answer.body).expect("the data is JSON");
                let data = data.to_string();
                assert!(
                    titles.iter().all(|title| data.contains(title)),
                    "{path}: {titles:?}"
                );
                // Data of a page are the page, for the truth.
                let url = format!("http://{}{path}", site.host);
                assert_eq!(web.locate(&url, 2).map(|page| page.url), Some(page.url.clone()));
                let plain = web.respond(
                    &Request {
                        is_scripted: false,
                        ..request
                    },
                    2,
                    1,
                );
                assert_eq!(plain.status == 403, scripts.guarded, "{path}");
            }
        }
    }
    assert_eq!(styles.len(), 6, "{styles:?}");
}

#[test]
fn hubs_name_each_object_that_a_list_names() {
    let web = scripted(Vertical::Products, 3);
    for site in web.site_truths(0) {
        let index = web
            .sites()
            .find(|one| one.host == site.host)
            .expect("it is a site")
            .index;
        let pages: Vec<_> = web
            .pages(index, 0)
            .filter(|page| site.hubs.contains(&page.url))
            .collect();
        let named: BTreeSet<_> = pages
            .iter()
            .flat_map(|page| page.objects.iter().chain(&page.mentions))
            .collect();
        assert!(!pages.is_empty());
        assert_eq!(named.len(), site.hub_objects);
    }
}
