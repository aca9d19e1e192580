//! Tests that decoys occur, have the right form, and are marked in the truth.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use crate::support::{body, fetch, links, visible};
use magpie_lab::{Decoy, Found, FoundObject, PageKind, Size, TruePage, Vertical, Web, WebSpec, score};
use magpie_values::identifier::{Scheme, normalise};

/// Returns a web of thirty light sites without hazards.
fn web(vertical: Vertical, seed: u64) -> Arc<Web> {
    Arc::new(Web::new(WebSpec {
        hazards: false,
        ..WebSpec::new(vertical, Size::Small, seed).with_sites(30)
    }))
}

/// Returns some pages of each site that have a decoy, with their bodies.
fn pages(web: &Web, decoy: Decoy) -> Vec<(TruePage, String)> {
    let sites = web.sites().filter(|site| !site.is_deep);
    let pages = sites.flat_map(|site| {
        let with = web
            .pages(site.index, 0)
            .filter(|page| page.decoys.contains(&decoy));
        with.take(20).collect::<Vec<_>>()
    });
    let bodies = pages.map(|page| {
        let body = body(&fetch(web, &page.url, 0, 0));
        (page, body)
    });
    bodies.collect()
}

#[test]
fn small_webs_have_decoys_of_every_kind() {
    let mut kinds = BTreeSet::new();
    for vertical in Vertical::ALL {
        let mut poor = 0;
        for seed in 0..40 {
            let web = Web::new(WebSpec::new(vertical, Size::Small, seed));
            let here: BTreeSet<Decoy> = web.sites().flat_map(|site| site.decoys).collect();
            poor += usize::from(here.len() < 3);
            kinds.extend(here);
        }
        assert!(
            poor <= 4,
            "{vertical:?}: {poor} of 40 small webs have fewer than three kinds"
        );
    }
    assert_eq!(kinds.len(), 13, "{kinds:?}");
}

#[test]
fn a_web_without_decoys_has_none() {
    for vertical in Vertical::ALL {
        let web = Web::new(WebSpec {
            decoys: 0,
            ..WebSpec::new(vertical, Size::Small, 1).with_sites(20)
        });
        assert!(web.sites().all(|site| site.decoys.is_empty()));
    }
}

#[test]
fn month_grids_have_heads_numbers_and_no_end() {
    let web = web(Vertical::Events, 1);
    let mut structures = BTreeSet::new();
    let marks = [
        "tribe-events-calendar-month__day",
        "tribe-events-daynum",
        "fc-daygrid-day",
        "mec-calendar-day",
        "evo_fc_day",
        "border=\"1\"",
    ];
    let (mut empty, mut shown) = (0, 0);
    for (page, html) in pages(&web, Decoy::MonthGrid) {
        structures.extend(marks.iter().position(|mark| html.contains(mark)));
        let text = visible(&html);
        for day in 1..=28 {
            assert!(text.contains(&day.to_string()), "{day} on {}", page.url);
        }
        let stated = page.objects.len() + page.mentions.len();
        empty += usize::from(stated == 0);
        shown += usize::from(stated > 0);
    }
    assert!(structures.len() >= 4, "{structures:?}");
    assert!(empty > 10 && shown > 10, "{empty} empty, {shown} not");
}

#[test]
fn month_grids_lead_to_months_that_truth_does_not_list() {
    let web = web(Vertical::Events, 1);
    let mut sites = 0;
    for site in web.sites().filter(|site| site.decoys.contains(&Decoy::MonthGrid)) {
        let listed: BTreeSet<String> = web.pages(site.index, 0).map(|page| page.url).collect();
        let grids: Vec<TruePage> = web
            .pages(site.index, 0)
            .filter(|page| page.decoys.contains(&Decoy::MonthGrid))
            .collect();
        let found = |page: &TruePage| links(&page.url, &body(&fetch(&web, &page.url, 0, 0)));
        // The first month in the truth links to the one before, which is also empty and links
        // further back.
        let known: BTreeSet<String> = found(&grids[1]).into_iter().collect();
        let older = found(&grids[0])
            .into_iter()
            .filter(|link| !known.contains(link))
            .filter_map(|link| web.locate(&link, 0))
            .find(|located| !listed.contains(&located.url))
            .unwrap_or_else(|| panic!("{} has no end", grids[0].url));
        assert_eq!(fetch(&web, &older.url, 0, 0).status, 200, "{}", older.url);
        assert!(web.shown(&older.url, 0).is_empty(), "{}", older.url);
        sites += 1;
    }
    assert!(sites > 5, "{sites}");
}

#[test]
fn calendar_cells_match_objects_by_title_and_day() {
    let web = web(Vertical::Events, 1);
    let truth = web.truth(0);
    let mut objects = Vec::new();
    for (page, _) in pages(&web, Decoy::MonthGrid) {
        for id in page.objects.iter().chain(&page.mentions) {
            let object = truth
                .object(*id)
                .expect("an object that is shown is one of the world");
            objects.push(FoundObject {
                attributes: [("name", "name"), ("start", "start")]
                    .into_iter()
                    .map(|(to, from)| (to.to_owned(), object.attributes[from].clone()))
                    .collect(),
                sources: vec![page.url.clone()],
            });
        }
    }
    objects.sort_by(|one, other| one.attributes.cmp(&other.attributes));
    objects.dedup_by(|one, other| one.attributes == other.attributes);
    assert!(objects.len() > 20);
    let score = score(
        &truth,
        &Found {
            objects,
            fetches: Vec::new(),
        },
    );
    assert_eq!((score.phantoms, score.precision), (0, 1.0));
}

#[test]
fn articles_give_days_without_the_year() {
    let web = web(Vertical::Events, 2);
    let truth = web.truth(0);
    let (mut published, mut dated, mut bare) = (0, 0, 0);
    let articles = pages(&web, Decoy::RoundUp);
    assert!(articles.len() > 30, "{}", articles.len());
    for (page, html) in &articles {
        assert!(page.objects.is_empty() && page.bygone.len() >= 4, "{}", page.url);
        let text = visible(html);
        for bygone in &page.bygone {
            assert!(
                text.contains(&bygone.name),
                "{} is not on {}",
                bygone.name,
                page.url
            );
            assert!(bygone.start.as_str() < "2026-11-02", "{}", bygone.start);
        }
        let has_meta = html.contains("article:published_time");
        let year = &page.bygone[0].start[..4];
        published += usize::from(has_meta);
        dated += usize::from(!has_meta && page.url.contains(&format!("/{year}/")));
        bare += usize::from(!has_meta);
    }
    assert!(
        published > 5 && dated > 0 && bare > 5,
        "{published} {dated} {bare}"
    );
    let (page, _) = &articles[0];
    let found = |start: String| FoundObject {
        attributes: BTreeMap::from([
            ("name".to_owned(), vec![page.bygone[0].name.clone()]),
            ("start".to_owned(), vec![start]),
        ]),
        sources: vec![page.url.clone()],
    };
    let right = page.bygone[0].start.clone();
    let guessed = format!("2027{}", &right[4..]);
    let score = score(
        &truth,
        &Found {
            objects: vec![found(right), found(guessed)],
            fetches: Vec::new(),
        },
    );
    assert_eq!((score.bygone, score.phantoms, score.distinct), (1, 1, 1));
    assert_eq!(score.phantoms_by_decoy["round-up"], 1);
}

#[test]
fn codes_beside_prices_are_valid() {
    for (vertical, scheme, attribute) in [
        (Vertical::Products, Scheme::Gtin, "gtin"),
        (Vertical::Books, Scheme::Isbn, "isbn"),
    ] {
        let web = web(vertical, 3);
        let (mut seen, mut valid) = (0, 0);
        for (page, html) in pages(&web, Decoy::Code) {
            for shown in web.shown(&page.url, 0) {
                let Some(code) = shown.values.get(attribute) else {
                    continue;
                };
                seen += 1;
                valid += usize::from(normalise(scheme, &code.written).is_ok());
                let prices = html.split("price-wrapper").skip(1);
                let has = |piece: &str| {
                    visible(&format!("<body {}", &piece[..piece.len().min(900)])).contains(&code.written)
                };
                assert!(prices.clone().any(has), "{} on {}", code.written, page.url);
            }
        }
        // Some sites have planted errors.
        assert!(
            seen > 60 && valid * 10 > seen * 8,
            "{vertical:?}: {valid} of {seen}"
        );
    }
}

#[test]
fn objects_on_request_have_no_local_price() {
    let mut zeros = 0;
    for seed in 4..8 {
        let web = web(Vertical::Products, seed);
        let truth = web.truth(0);
        let without = truth.objects.iter();
        let without = without.filter(|object| !object.local.contains_key("price"));
        assert!(without.count() > 10);
        for (page, html) in pages(&web, Decoy::NoPrice) {
            let shown = web.shown(&page.url, 0);
            let has_none = shown.iter().any(|one| !one.values.contains_key("price"));
            assert!(has_none, "{}", page.url);
            zeros += usize::from(html.contains("\"price\":\"0\""));
        }
    }
    assert!(zeros > 0, "no site says 0 to machines");
}

#[test]
fn hubs_outnumber_the_objects_they_list() {
    let web = web(Vertical::Events, 5);
    let mut sites = 0;
    for site in web.sites().filter(|site| site.decoys.contains(&Decoy::Hub)) {
        sites += 1;
        let pages: Vec<TruePage> = web.pages(site.index, 0).collect();
        let hubs: Vec<&TruePage> = pages
            .iter()
            .filter(|page| page.decoys.contains(&Decoy::Hub))
            .collect();
        let objects = pages.iter().filter(|page| page.kind == PageKind::Detail).count();
        assert!(hubs.len() > 2 * objects, "{} hubs of {objects}", hubs.len());
        assert!(hubs.iter().all(|hub| hub.objects.len() + hub.mentions.len() <= 3));
    }
    assert!(sites > 0);
}

#[test]
fn remote_objects_are_many_links_away() {
    let (mut chains, mut dates) = (0, 0);
    for seed in 0..3 {
        let web = web(Vertical::Books, seed);
        for site in web.sites().filter(|site| site.decoys.contains(&Decoy::Remote)) {
            let objects: BTreeSet<String> = web
                .pages(site.index, 0)
                .filter(|page| page.kind == PageKind::Detail)
                .map(|page| page.url)
                .collect();
            let mut depths: Vec<u32> = depths(&web, &site.home)
                .into_iter()
                .filter_map(|(url, depth)| objects.contains(&url).then_some(depth))
                .collect();
            depths.sort_unstable();
            assert!(
                depths.len() * 10 >= objects.len() * 9,
                "{} of {}",
                depths.len(),
                objects.len()
            );
            let (median, last) = (depths[depths.len() / 2], depths[depths.len() - 1]);
            chains += usize::from(last >= 8);
            dates += usize::from((4..8).contains(&median));
            assert!(last <= 70, "{last}");
        }
    }
    assert!(chains > 1 && dates > 1, "{chains} {dates}");
}

/// Returns the distance in links of every page from the home page.
fn depths(web: &Web, home: &str) -> BTreeMap<String, u32> {
    let mut queue = VecDeque::from([(home.to_owned(), 0)]);
    let mut seen = BTreeMap::new();
    while let Some((url, depth)) = queue.pop_front() {
        let Some(own) = web.locate(&url, 0).map(|located| located.url) else {
            continue;
        };
        if seen.contains_key(&own) || seen.len() > 3_000 {
            continue;
        }
        let response = fetch(web, &url, 0, 0);
        if let Some(to) = &response.location {
            queue.push_back((to.clone(), depth));
            continue;
        }
        let html = response.content_type.starts_with("text/html");
        let found = if html {
            links(&url, &body(&response))
        } else {
            Vec::new()
        };
        queue.extend(found.into_iter().map(|link| (link, depth + 1)));
        seen.insert(own, depth);
    }
    seen
}

#[test]
fn slugs_have_counters_without_duplicates() {
    let (mut plain, mut years) = (0, 0);
    for seed in 0..4 {
        let web = web(Vertical::Events, seed);
        for (page, _) in pages(&web, Decoy::SlugCounter) {
            let slug = page.url.trim_end_matches(|c: char| !c.is_ascii_digit());
            plain += usize::from(slug.ends_with("-2") || slug.ends_with("_2") || slug.contains("-2-"));
            years += usize::from(page.url.contains("-of-1") || page.url.contains("_of_1"));
        }
    }
    assert!(plain > 10 && years > 2, "{plain} {years}");
}

#[test]
fn entities_are_malformed_and_the_truth_is_decoded() {
    let mut forms = BTreeSet::new();
    for seed in 0..4 {
        let web = web(Vertical::Books, seed);
        for site in web.sites().filter(|site| site.decoys.contains(&Decoy::Entities)) {
            for page in web
                .pages(site.index, 0)
                .filter(|page| page.kind == PageKind::Detail)
                .take(12)
            {
                let html = body(&fetch(&web, &page.url, 0, 0));
                for (form, mark) in [
                    ("double", "&amp;#8217;"),
                    ("numeric", "&#8217;"),
                    ("bare", "&eacute"),
                ] {
                    if html.contains(mark) && !html.contains(&format!("{mark};")) {
                        forms.insert(form);
                    }
                }
                let title = &web.shown(&page.url, 0)[0].values["title"].written;
                assert!(!title.contains("&#") && !title.contains("&amp;"), "{title}");
            }
        }
    }
    assert!(forms.contains("double") && forms.contains("numeric"), "{forms:?}");
}
