//! Measurements of real and generated pages.

use std::collections::BTreeSet;

use magpie_discovery::{LinkKind, ScanLimits, scan};
use url::Url;

#[derive(Default)]
pub(crate) struct Site {
    pub(crate) name: String,
    pub(crate) bytes: Vec<f64>,
    pub(crate) links: Vec<f64>,
    pub(crate) with_objects: usize,
    /// True if it is known which pages have objects.
    pub(crate) knows_objects: bool,
}

impl Site {
    pub(crate) fn add(&mut self, url: &str, html: &str, has_objects: bool) {
        self.bytes.push(html.len() as f64);
        self.links.push(own_links(url, html) as f64);
        self.with_objects += usize::from(has_objects);
    }

    pub(crate) fn object_share(&self) -> f64 {
        self.with_objects as f64 / self.bytes.len().max(1) as f64
    }

    pub(crate) fn print(&self) {
        let objects = if self.knows_objects {
            format!("{:.2}", self.object_share())
        } else {
            "-".to_owned()
        };
        let (name, pages) = (&self.name, self.bytes.len());
        println!(
            "{name:<26}{pages:>8}{:>26}{:>22}{objects:>16}",
            spread(&self.bytes),
            spread(&self.links)
        );
    }
}

/// Number of distinct links of a page to its own site.
fn own_links(url: &str, html: &str) -> usize {
    let page = Url::parse(url).expect("pages have URLs");
    let scanned = scan(html, &ScanLimits::default());
    let own = |url: &Url| bare_host(url) == bare_host(&page);
    let links = scanned.links.iter().filter(|link| link.kind == LinkKind::Anchor);
    let urls = links
        .filter_map(|link| page.join(scanned.href(link)).ok())
        .filter(own);
    urls.map(|mut url| {
        url.set_fragment(None);
        url.to_string()
    })
    .collect::<BTreeSet<_>>()
    .len()
}

fn bare_host(url: &Url) -> String {
    let host = url.host_str().unwrap_or_default();
    host.strip_prefix("www.").unwrap_or(host).to_owned()
}

/// Returns the tenth percentile, the median and the ninetieth percentile.
pub(crate) fn percentiles(values: &[f64]) -> [f64; 3] {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    [0.1, 0.5, 0.9].map(|share| {
        sorted
            .get((share * sorted.len().saturating_sub(1) as f64).round() as usize)
            .copied()
            .unwrap_or(0.0)
    })
}

pub(crate) fn spread(values: &[f64]) -> String {
    let [low, middle, high] = percentiles(values);
    format!("{low:.0} {middle:.0} {high:.0}")
}

/// Statistics of the URLs of a site.
#[derive(Default)]
pub(crate) struct Shapes {
    urls: usize,
    queries: usize,
    digits: usize,
    capitals: usize,
    segments: usize,
}

impl Shapes {
    /// Adds a URL; ignores URLs that cannot be parsed.
    pub(crate) fn add(&mut self, url: &str) {
        let Ok(url) = Url::parse(url) else { return };
        self.urls += 1;
        self.queries += usize::from(url.query().is_some());
        self.digits += usize::from(url.path().contains(|c: char| c.is_ascii_digit()));
        self.capitals += usize::from(url.path().contains(|c: char| c.is_ascii_uppercase()));
        self.segments += url
            .path()
            .split('/')
            .filter(|segment| !segment.is_empty())
            .count();
    }

    pub(crate) fn print(&self, name: &str) {
        let share = |count: usize| 100 * count / self.urls.max(1);
        let segments = self.segments as f64 / self.urls.max(1) as f64;
        println!(
            "{name:<26}{:>8}{:>10}{:>10}{:>10}{segments:>12.1}",
            self.urls,
            share(self.queries),
            share(self.digits),
            share(self.capitals)
        );
    }
}

pub(crate) fn print_rates(name: &str, rates: &[f64]) {
    let hundredths: Vec<f64> = rates.iter().map(|rate| rate * 100.0).collect();
    println!("{name:<44}{:>6} pages{:>16}", rates.len(), spread(&hundredths));
}
