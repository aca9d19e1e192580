//! Tests of what crawlers use: robots.txt, sitemaps, feeds, entity tags, search forms, the search
//! engine.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::support::{body, fetch};
use magpie_discovery::Robots;
use magpie_discovery::sitemap::{SitemapKind, SitemapLimits, read};
use magpie_lab::{PageKind, Request, Response, Size, Vertical, Web, WebSpec};

fn web() -> Arc<Web> {
    let spec = WebSpec {
        hazards: false,
        ..WebSpec::new(Vertical::Books, Size::Paper, 9).with_sites(30)
    };
    Arc::new(Web::new(spec))
}

#[test]
fn robots_files_parse_and_allow_objects() {
    let web = web();
    let mut closed = 0;
    for site in web.sites() {
        let response = fetch(&web, &format!("http://{}/robots.txt", site.host), 0, 0);
        let robots = Robots::parse(&response.body);
        assert!(robots.problems().is_empty(), "{:?}", robots.problems());
        let rules = robots.rules("magpie");
        closed += rules.len();
        for page in web
            .pages(site.index, 0)
            .filter(|page| page.kind == PageKind::Detail)
            .take(20)
        {
            let path = page
                .url
                .strip_prefix(&format!("http://{}", site.host))
                .expect("objects are on the main host");
            assert!(rules.allows(path), "{path}");
        }
    }
    assert!(closed > 5);
}

#[test]
fn sitemaps_parse_and_list_pages() {
    let web = web();
    let (mut maps, mut dated) = (0, 0);
    for site in web.sites() {
        let response = fetch(&web, &format!("http://{}/sitemap.xml", site.host), 5, 0);
        if response.content_type != "application/xml" {
            continue;
        }
        maps += 1;
        let map = read(&response.body, &SitemapLimits::default());
        assert!(
            map.problems.is_empty() && !map.entries.is_empty(),
            "{:?}",
            map.problems
        );
        if map.kind == SitemapKind::Index {
            continue;
        }
        dated += usize::from(String::from_utf8_lossy(&response.body).contains("<lastmod>"));
        let urls: Vec<String> = body(&response)
            .split("<loc>")
            .skip(1)
            .map(|rest| crate::support::unescape(rest.split("</loc>").next().unwrap_or_default()))
            .collect();
        for url in urls.iter().step_by(7) {
            assert_eq!(fetch(&web, url, 5, 0).status, 200, "{url}");
        }
    }
    assert!((9..24).contains(&maps), "{maps} sitemaps of 30");
    assert!(dated > 0 && dated < maps);
}

#[test]
fn entity_tags_save_bytes_until_a_page_changes() {
    let web = web();
    let ask = |url: &str, week, nonce, tag: Option<&str>| -> Response {
        let rest = &url["http://".len()..];
        let (host, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
        web.respond(
            &Request {
                host,
                path_and_query: path,
                if_none_match: tag,
                ..Request::default()
            },
            week,
            nonce,
        )
    };
    let (mut saved, mut tagged) = (0, 0);
    for site in 0..30 {
        for page in web.pages(site, 0).take(3) {
            let Some(tag) = ask(&page.url, 0, 1, None).etag else {
                continue;
            };
            tagged += 1;
            let again = ask(&page.url, 0, 2, Some(&tag));
            if again.status == 304 {
                saved += 1;
                assert!(again.body.is_empty());
            }
        }
    }
    // Some sites send a new tag at every fetch.
    assert!(
        tagged > 20 && saved * 2 > tagged && saved < tagged,
        "{saved} of {tagged}"
    );
}

#[test]
fn the_search_engine_finds_sites_of_an_object_and_counts_hits() {
    let web = web();
    let truth = web.truth(0);
    let popular = truth
        .objects
        .iter()
        .max_by_key(|object| object.pages.len())
        .expect("there are objects");
    let query = format!(
        "{} {}",
        popular.attributes["title"][0],
        popular.attributes["authors"].join(" ")
    );
    let hits = web.search(&query, 1, 0);
    assert_eq!(hits.hits.len(), 10);
    assert!(hits.total >= 10);
    let has = |url: &str| {
        truth
            .page(url)
            .is_some_and(|p| p.objects.contains(&popular.id) || p.mentions.contains(&popular.id))
    };
    let right = hits.hits.iter().filter(|hit| has(&hit.url)).count();
    assert!(right >= 5, "{right} of 10 for {query}");
    // The number of results is limited, even if the total is higher.
    let depth = (1..20)
        .map(|page| web.search("the", page, 0).hits.len())
        .sum::<usize>();
    assert!(depth <= 50 && web.search("the", 1, 0).total > 50);
    assert!(web.search("qqxzzvbkrr", 1, 0).hits.is_empty());
    let exact = web.search(&format!("\"{}\"", popular.attributes["isbn"][0]), 1, 0);
    assert!(exact.hits.iter().all(|hit| has(&hit.url)));
}

#[test]
fn the_search_engine_answers_in_the_json_of_searxng() {
    let web = web();
    let word = web.search("the", 1, 0).hits[0]
        .title
        .split(' ')
        .next()
        .expect("titles have words")
        .to_lowercase();
    let url = format!(
        "http://{}/search?q={word}&format=json&pageno=1",
        web.search_host()
    );
    let answer = fetch(&web, &url, 0, 0);
    assert_eq!((answer.status, answer.content_type), (200, "application/json"));
    let json: serde_json::Value = serde_json::from_slice(&answer.body).expect("it is JSON");
    assert_eq!(json["query"], word.as_str());
    let first = &json["results"][0];
    for field in [
        "url",
        "title",
        "content",
        "engine",
        "score",
        "category",
        "parsed_url",
        "positions",
    ] {
        assert!(!first[field].is_null(), "{field}");
    }
    assert!(json["number_of_results"].is_number() && json["unresponsive_engines"].is_array());
    let refused = fetch(&web, &format!("http://{}/search?q=a", web.search_host()), 0, 0);
    assert_eq!(refused.status, 403);
}

#[test]
fn hazards_occur_if_enabled() {
    let web = Web::new(WebSpec::new(Vertical::Events, Size::Paper, 6).with_sites(80));
    let (mut slow, mut statuses, mut trapped) = (0, BTreeSet::new(), 0);
    for site in 0..80 {
        for page in web.pages(site, 0).step_by(9) {
            for nonce in 0..3 {
                let response = fetch(&web, &page.url, 0, nonce);
                slow += usize::from(!response.delay.is_zero());
                statuses.insert(response.status);
                assert_eq!(page.is_broken, response.status == 500, "{}", page.url);
            }
            trapped += usize::from(page.kind == PageKind::Calendar);
        }
    }
    assert!(
        slow > 0 && trapped > 0 && statuses.contains(&503) && statuses.contains(&500),
        "{statuses:?}"
    );
}
