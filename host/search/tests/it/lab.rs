//! The generated web: its seeds as printed, its search engine, and the expansion through both.

use std::sync::Arc;
use std::time::Duration;

use magpie_lab::{Size, Vertical, Web, WebSpec, WeekHandle, serve};
use magpie_model::{SiteKey, VerticalInfo};
use magpie_search::{
    EngineKind, EngineSettings, Expansion, ExpansionSettings, Hit, SearchEngine, Seed, Step, Subject,
    read_seeds,
};
use magpie_web::{AddressPolicy, Client, ClientSettings, Proxy};
use url::Url;

use crate::verticals::{books, events, products};

fn web(vertical: Vertical, sites: u32) -> Arc<Web> {
    let mut spec = WebSpec::new(vertical, Size::Small, 3).with_sites(sites);
    // Decoys are for verticals; the search sees objects as they are.
    spec.decoys = 0;
    Arc::new(Web::new(spec))
}

/// The output of `magpie-lab seeds`.
fn printed<Attributes: serde::Serialize>(objects: impl IntoIterator<Item = Attributes>) -> String {
    let lines = objects
        .into_iter()
        .map(|object| serde_json::to_string(&object).unwrap() + "\n");
    lines.collect()
}

fn seeds(web: &Web, count: usize, vertical: &VerticalInfo) -> Vec<Seed> {
    read_seeds("seeds.json", printed(web.seeds(count)).as_bytes(), vertical).unwrap()
}

fn subject(seed: &Seed, vertical: &VerticalInfo, sites: &[String]) -> Subject {
    Subject {
        queries: magpie_matching::queries(vertical, &seed.record),
        sites: sites.to_vec(),
    }
}

fn site(url: &str) -> Option<String> {
    Some(SiteKey::of_url(&Url::parse(url).ok()?)?.as_str().to_owned())
}

#[test]
fn seeds_are_read_as_they_are_printed() {
    for (vertical, info) in [
        (Vertical::Events, events()),
        (Vertical::Books, books()),
        (Vertical::Products, products()),
    ] {
        let seeds = seeds(&web(vertical, 3), 20, &info);
        assert_eq!(
            seeds.iter().map(|seed| seed.line).collect::<Vec<_>>(),
            (1..=20).collect::<Vec<_>>()
        );
    }
}

#[tokio::test]
async fn the_search_engine_answers() {
    let web = web(Vertical::Books, 3);
    let server = serve(
        Arc::clone(&web),
        WeekHandle::default(),
        "127.0.0.1:0".parse().unwrap(),
    )
    .await
    .unwrap();
    let client = Client::new(ClientSettings {
        addresses: AddressPolicy::allowing(["127.0.0.0/8".parse().unwrap()]),
        proxy: Some(format!("http://{}", server.address()).parse::<Proxy>().unwrap()),
        ..ClientSettings::default()
    })
    .unwrap();
    let settings = EngineSettings {
        url: Some(format!("http://{}", web.search_host())),
        delay: Duration::ZERO,
        ..EngineSettings::new(EngineKind::Searxng)
    };
    let mut engine = SearchEngine::new(settings, client).unwrap();
    let info = books();
    let mut found = 0;
    for seed in seeds(&web, 3, &info) {
        for query in magpie_matching::queries(&info, &seed.record) {
            let hits = engine.search(&query.text).await.unwrap();
            let expected = web.search(&query.text, 1, 0).hits;
            let urls = |hit: &Hit| hit.url.to_string();
            assert_eq!(
                hits.iter().map(urls).collect::<Vec<_>>(),
                expected.iter().map(|hit| hit.url.clone()).collect::<Vec<_>>()
            );
            found += hits.len();
        }
    }
    assert!(found > 0);
}

/// Runs an expansion through the web in memory. Returns the number of sites after the seeds and at
/// the end.
fn expand(web: &Arc<Web>, info: &VerticalInfo, settings: ExpansionSettings) -> (usize, usize, u32) {
    let seeds = seeds(web, 5, info);
    let truth = web.truth(0);
    let sites: Vec<Option<String>> = web.sites().map(|site_info| site(&site_info.home)).collect();
    let mut expansion = Expansion::new(settings, seeds.iter().map(|seed| subject(seed, info, &[])));
    let mut after_seeds = 0;
    loop {
        match expansion.step() {
            Step::Ask(ask) => {
                let hits = web.search(&ask.text, 1, 0).hits;
                expansion.take(ask.number, hits, |hit| site(&hit.url));
            }
            Step::Crawl(leading) => {
                after_seeds = expansion.votes().len();
                let is_seed = |name: &String| leading.iter().any(|one| one.site == *name);
                for object in &truth.objects {
                    let pages = object.pages.iter().map(|page| truth.pages[*page as usize].site);
                    let mut on: Vec<String> = pages.filter_map(|page| sites[page as usize].clone()).collect();
                    on.retain(is_seed);
                    on.dedup();
                    if !on.is_empty() {
                        let line = printed([&object.attributes]);
                        let found = read_seeds("found", line.as_bytes(), info).unwrap();
                        expansion.extend([subject(&found[0], info, &on)]);
                    }
                }
                expansion.extend([]);
            }
            Step::Done(_) => return (after_seeds, expansion.votes().len(), expansion.asked()),
        }
    }
}

#[test]
fn objects_of_the_seed_sites_lead_to_the_others() {
    let web = web(Vertical::Books, 40);
    let (first, all, asked) = expand(
        &web,
        &books(),
        ExpansionSettings {
            sites: 40,
            ..ExpansionSettings::default()
        },
    );
    assert!(
        first < 30 && all >= 36,
        "{first}, then {all} of 40 after {asked} queries"
    );
}
