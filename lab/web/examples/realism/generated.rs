//! Generated webs of the size used in experiments.

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

use magpie_lab::{PageKind, Request, Response, Size, TruePage, Vertical, Web, WebSpec};

use crate::measure::{Shapes, Site, percentiles};

/// Number of measured sites of three hundred, and of measured pages of each.
const SITES: u32 = 100;
const PAGES: usize = 25;
/// Number of weeks over which changes are counted.
const WEEKS: u32 = 16;

pub(crate) fn webs() -> Vec<Arc<Web>> {
    let web = |vertical| {
        Arc::new(Web::new(WebSpec {
            hazards: false,
            // The figures in the README are of webs without decoys.
            decoys: 0,
            ..WebSpec::new(vertical, Size::Paper, 1)
        }))
    };
    Vertical::ALL.into_iter().map(web).collect()
}

pub(crate) fn name(web: &Web) -> String {
    format!("generated {}", web.spec().vertical.name())
}

fn fetch(web: &Web, url: &str, week: u32, nonce: u64) -> Response {
    let rest = url.strip_prefix("http://").unwrap_or(url);
    let (host, path_and_query) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    web.respond(
        &Request {
            host,
            path_and_query,
            ..Request::default()
        },
        week,
        nonce,
    )
}

/// Prints numbers of pages and objects, and the shares of pages without objects and with repeated
/// ones.
pub(crate) fn print_shares(web: &Arc<Web>) {
    let truth = web.truth(0);
    let with: Vec<&TruePage> = truth
        .pages
        .iter()
        .filter(|page| !page.objects.is_empty())
        .collect();
    let (mut sets, mut objects) = (HashSet::new(), HashSet::<u32>::new());
    let (mut repeated, mut nothing_new) = (0, 0);
    for page in &with {
        let set: BTreeSet<u32> = page.objects.iter().copied().collect();
        let before = objects.len();
        objects.extend(&set);
        nothing_new += usize::from(objects.len() == before);
        repeated += usize::from(!sets.insert((page.site, set)));
    }
    let sites = |pages: &[u32]| {
        pages
            .iter()
            .map(|page| truth.pages[*page as usize].site)
            .collect::<BTreeSet<_>>()
            .len()
    };
    let most = truth
        .objects
        .iter()
        .map(|object| sites(&object.pages))
        .max()
        .unwrap_or(0);
    println!(
        "{:<26}{:>8}{:>10}{:>18.2}{:>14.2}{:>14.2}{most:>12}",
        name(web),
        truth.pages.len(),
        truth.objects.len(),
        1.0 - with.len() as f64 / truth.pages.len() as f64,
        repeated as f64 / with.len() as f64,
        nothing_new as f64 / with.len() as f64,
    );
}

pub(crate) fn print_sites(web: &Web) {
    let sites: Vec<(Site, usize)> = (0..SITES).map(|site| measured(web, site)).collect();
    let medians = |part: fn(&Site) -> &Vec<f64>| -> [f64; 3] {
        percentiles(
            &sites
                .iter()
                .map(|(site, _)| percentiles(part(site))[1])
                .collect::<Vec<_>>(),
        )
    };
    let [bytes_low, bytes, bytes_high] = medians(|site| &site.bytes);
    let [links_low, links, links_high] = medians(|site| &site.links);
    let [low, share, high] = percentiles(
        &sites
            .iter()
            .map(|(site, _)| site.object_share())
            .collect::<Vec<_>>(),
    );
    let pages = percentiles(&sites.iter().map(|(_, pages)| *pages as f64).collect::<Vec<_>>())[1];
    println!(
        "{:<26}{pages:>8.0}{:>26}{:>22}{:>16}",
        name(web),
        format!("{bytes_low:.0} {bytes:.0} {bytes_high:.0}"),
        format!("{links_low:.0} {links:.0} {links_high:.0}"),
        format!("{low:.2} {share:.2} {high:.2}")
    );
}

/// Measures a uniform sample of a site's pages; also returns the number of all its pages.
fn measured(web: &Web, index: u32) -> (Site, usize) {
    let pages: Vec<TruePage> = web.pages(index, 0).collect();
    let mut site = Site::default();
    for page in pages.iter().step_by(pages.len().div_ceil(PAGES).max(1)) {
        let body = fetch(web, &page.url, 0, 0).body;
        site.add(
            &page.url,
            &String::from_utf8_lossy(&body),
            !page.objects.is_empty(),
        );
    }
    (site, pages.len())
}

pub(crate) fn shapes(web: &Web) -> Shapes {
    let mut shapes = Shapes::default();
    for page in (0..300).flat_map(|site| web.pages(site, 0)) {
        shapes.add(&page.url);
    }
    shapes
}

/// Returns weekly change rates by kind of page, for pages without parts that differ at every fetch.
pub(crate) fn change_rates(web: &Web) -> Vec<(String, Vec<f64>)> {
    let kinds = [
        (PageKind::Home, "home"),
        (PageKind::List, "lists"),
        (PageKind::Detail, "objects"),
        (PageKind::Beside, "beside the point"),
    ];
    let of_kind = |(kind, name): (PageKind, &str)| {
        let sample = |site| {
            let pages: Vec<TruePage> = web.pages(site, 0).filter(|page| page.kind == kind).collect();
            let step = pages.len().div_ceil(6).max(1);
            pages.into_iter().step_by(step)
        };
        let rates = (0..SITES)
            .flat_map(sample)
            .filter_map(|page| rate(web, &page.url));
        (name.to_owned(), rates.collect())
    };
    kinds.into_iter().map(of_kind).collect()
}

/// Returns the share of weeks in which a page changed, as long as it exists.
fn rate(web: &Web, url: &str) -> Option<f64> {
    if fetch(web, url, 0, 0).body != fetch(web, url, 0, 1).body {
        return None;
    }
    let versions: Vec<Response> = (0..=WEEKS)
        .map(|week| fetch(web, url, week, 0))
        .take_while(|response| response.status == 200)
        .collect();
    let changes = versions
        .windows(2)
        .filter(|pair| pair[0].body != pair[1].body)
        .count();
    (versions.len() > 4).then(|| changes as f64 / (versions.len() - 1) as f64)
}
