//! Samples of kinds of pages, with and without a browser.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use magpie_discovery::Canonicaliser;
use magpie_model::CanonicalUrl;
use magpie_page::{Page, PageSource};
use magpie_patterns::rendering::{Content, Mode, RenderingRule, SampledPage, decide};
use magpie_rows::{FetchResult, LeaseRequest};
use magpie_web::{Exchange, Request};

use super::SiteLearning;
use super::kinds::{FetchedPage, Kind, SiteKinds};
use super::signs::{PlainPage, ShownKind, Signs};
use crate::PipelineError;
use crate::crawl::{Browser, Extractor, as_answer, page_row, source};
use crate::settings::Keep;
use crate::source::{Archive, Source};

/// Time that a lease lasts while answers are archived.
const LEASE: Duration = Duration::from_secs(60);

/// Pages of a kind that a browser shows.
const MAX_SAMPLES: usize = 2;

/// Answers of one page that are fetched plainly, in the order in which its scripts asked.
const MAX_DATA: usize = 6;

/// Kinds of a site whose pages have objects and are shown by a browser all the same, in one pass.
const MAX_DOUBTFUL: usize = 6;

/// Syntax of the objects in the state of a page.
const STATE: &str = "inline-state";

/// Returns the rules of the kinds of a site that scripts seem to make, as far as they can be
/// decided.
pub(super) fn ways_of(
    site: &SiteLearning<'_>,
    kinds: &SiteKinds,
) -> Result<Vec<RenderingRule>, PipelineError> {
    let session = site.session;
    let sampler = Sampler {
        site,
        kinds,
        archive: Source::Archive(Box::new(Archive::new(session.store().reader()?, None))),
        canonicaliser: session.collection().view().canonicaliser(&kinds.key)?,
        extractor: session.extractor(),
    };
    let shown: Vec<ShownKind<'_>> = kinds
        .kinds
        .iter()
        .filter_map(|kind| sampler.shown(kind))
        .collect();
    let signs = Signs::of(&shown, site.clicks());
    let mut rules = Vec::new();
    let mut doubtful = 0;
    for own in shown {
        let kind = own.kind;
        let rule = |mode, endpoint, cost: f64| RenderingRule {
            pattern: kind.pattern.clone(),
            mode,
            endpoint,
            cost: if mode == Mode::Render {
                cost.round() as u32
            } else {
                1
            },
        };
        let is_plain = own.is_plain();
        if !is_plain && !signs.has_place_to_fill(&own) {
            continue;
        }
        // The data are in the page itself. No sample is needed to see that nothing else is cheaper.
        if own.is_embedded {
            rules.push(rule(Mode::Embedded, None, 1.0));
            continue;
        }
        let Some(browser) = site.browser else { continue };
        let first = if !is_plain {
            own.plain
        } else if doubtful == MAX_DOUBTFUL {
            // Pages of this kind have objects without a browser, so a limit applies to samples that
            // may turn out needless.
            continue;
        } else if signs.lacks_links(&own) || signs.leads_on(&own) {
            own.plain
        } else if let Some(empty) = sampler.empty_page(&own).filter(|empty| signs.differs(empty)) {
            empty
        } else {
            continue;
        };
        doubtful += usize::from(is_plain);
        let choice = decide(&sampler.samples(kind, first, browser)?);
        rules.extend(choice.map(|choice| rule(choice.mode, choice.endpoint, choice.cost)));
    }
    Ok(rules)
}

struct Sampler<'s> {
    site: &'s SiteLearning<'s>,
    kinds: &'s SiteKinds,
    archive: Source,
    canonicaliser: Canonicaliser,
    extractor: Arc<dyn Extractor>,
}

impl Sampler<'_> {
    /// Returns a kind with a page that is like most of its pages: with objects, or without. `None`
    /// if the archive does not have it.
    fn shown<'k>(&self, kind: &'k Kind) -> Option<ShownKind<'k>> {
        let has_objects = kind.has_objects();
        let pages = kind.today().iter().map(|index| &self.kinds.pages[*index]);
        let is_usual = |page: &&FetchedPage| (page.records > 0) == has_objects;
        let mut pages = pages.filter(is_usual).take(MAX_SAMPLES);
        let plain = pages.find_map(|page| self.plain(page))?;
        let state = has_objects.then(|| self.state(&plain)).flatten();
        let links = plain.page.links();
        let mut links: Vec<CanonicalUrl> = links
            .iter()
            .filter_map(|link| self.canonical(&link.href))
            .filter(|url| *url != plain.url)
            .collect();
        links.sort();
        links.dedup();
        Some(ShownKind {
            kind,
            is_embedded: state.is_some_and(|state| !state.objects.is_empty()),
            links,
            plain,
        })
    }

    /// Returns a page without objects of a kind whose pages mostly have some, if there are several.
    fn empty_page(&self, shown: &ShownKind<'_>) -> Option<PlainPage> {
        let pages = shown.kind.is_mixed().then(|| shown.kind.today())?;
        let pages = pages.iter().map(|index| &self.kinds.pages[*index]);
        let mut empty = pages.filter(|page| page.records == 0).take(MAX_SAMPLES);
        empty.find_map(|page| self.plain(page))
    }

    /// Returns the answer for a page as the crawl had it; `None` if the archive does not have it.
    fn plain(&self, fetched: &FetchedPage) -> Option<PlainPage> {
        let request = Request::new(fetched.url.to_url().ok()?);
        let session = self.site.session;
        let exchange = session.runtime().block_on(self.archive.fetch(&request)).ok()?;
        let page = Arc::new(Page::new(source(&exchange)));
        Some(PlainPage {
            url: fetched.url.clone(),
            exchange,
            page,
            records: fetched.records,
        })
    }

    /// Returns the objects and links that a page has only in the data that its scripts start from;
    /// `None` if it has no such data.
    fn state(&self, plain: &PlainPage) -> Option<Content> {
        let page = &plain.page;
        let has_state = page.structured_data().iter().any(|item| item.syntax == STATE);
        has_state.then(|| {
            let all = self.content(page).objects;
            let without = self.content(&Arc::new(without_scripts(page))).objects;
            Content {
                objects: all.difference(&without).copied().collect(),
                links: self.fingerprints(&page.data_urls()),
            }
        })
    }

    /// Has pages of a kind shown by a browser.
    fn samples(
        &self,
        kind: &Kind,
        first: PlainPage,
        browser: &dyn Browser,
    ) -> Result<Vec<SampledPage>, PipelineError> {
        let others = kind.today().iter().rev().map(|index| &self.kinds.pages[*index]);
        let mut others: Vec<&FetchedPage> = others.filter(|page| page.url != first.url).collect();
        // Beside a page without objects, one with objects shows what the rule would change.
        let is_odd = kind.has_objects() && first.records == 0;
        others.sort_by_key(|page| is_odd && page.records == 0);
        let others: Vec<PlainPage> = others
            .into_iter()
            .take(MAX_SAMPLES - 1)
            .filter_map(|page| self.plain(page))
            .collect();
        let all = std::iter::once(first).chain(others);
        all.map(|plain| self.sample(plain, browser)).collect()
    }

    /// Has a page shown by a browser, and fetches the data that its scripts fetched.
    fn sample(&self, plain: PlainPage, browser: &dyn Browser) -> Result<SampledPage, PipelineError> {
        let began = Instant::now();
        let content = self.content(&plain.page);
        let milliseconds = began.elapsed().as_secs_f64() * 1_000.0;
        let session = self.site.session;
        let shown = session.runtime().block_on(browser.show(&plain.exchange));
        // The answers are archived even if the page failed, since the site has sent them.
        self.keep(&shown.exchanges)?;
        let mut sampled = SampledPage {
            state: self.state(&plain),
            url: plain.url,
            plain: content,
            rendered: None,
            data: Vec::new(),
            plain_cost: (milliseconds, plain.page.body().len() as u64),
            rendered_cost: (0.0, 0),
        };
        let Ok(document) = &shown.document else {
            return Ok(sampled);
        };
        let Some(answer) = as_answer(&plain.exchange, &document.html) else {
            return Ok(sampled);
        };
        let mut rendered = self.content(&Arc::new(Page::new(source(&answer))));
        let led_to: Vec<String> = document.links.iter().map(|link| link.url.clone()).collect();
        rendered.links.extend(self.fingerprints(&led_to));
        sampled.rendered = Some(rendered);
        sampled.rendered_cost = (shown.cpu.as_secs_f64() * 1_000.0, shown.bytes);
        let mut asked: BTreeSet<CanonicalUrl> = BTreeSet::new();
        for url in shown.data() {
            let Some(canonical) = self.canonical(url.as_str()) else {
                continue;
            };
            // A page may ask for any number of URLs, and each costs a request to the site.
            let is_new = asked.len() < MAX_DATA && asked.insert(canonical.clone());
            if is_new && let Some(content) = self.data(&plain.exchange, &canonical, browser)? {
                sampled.data.push((canonical, content));
            }
        }
        Ok(sampled)
    }

    /// Returns the content of an answer of JSON, as a plain fetch has it; `None` if there is none.
    fn data(
        &self,
        page: &Exchange,
        url: &CanonicalUrl,
        browser: &dyn Browser,
    ) -> Result<Option<Content>, PipelineError> {
        let Ok(url) = url.to_url() else { return Ok(None) };
        let session = self.site.session;
        let Some(exchange) = session.runtime().block_on(browser.fetch(&page.url, &url)) else {
            return Ok(None);
        };
        self.keep(std::slice::from_ref(&exchange))?;
        let is_good = exchange.status == 200 && exchange.truncated.is_none();
        let page = Arc::new(Page::new(source(&exchange)));
        let is_data = is_good && page.content_type().ends_with("json");
        Ok(is_data.then(|| self.content(&page)))
    }

    /// Archives answers that scripts of samples got.
    fn keep(&self, exchanges: &[Exchange]) -> Result<(), PipelineError> {
        let session = self.site.session;
        let (store, now) = (session.store(), session.now());
        if exchanges.is_empty() || session.settings().settings.archive.keep == Keep::Nothing {
            return Ok(());
        }
        let request = LeaseRequest {
            worker: "samples",
            site: Some(self.site.site),
            now,
            until: now + LEASE,
        };
        // Another process may crawl the site meanwhile; then the samples are not archived.
        let Some(lease) = store.lease(&request)? else {
            return Ok(());
        };
        for exchange in exchanges {
            let result = FetchResult {
                page: Some(page_row(exchange, Some(self.site.run), true)),
                ..FetchResult::default()
            };
            store.commit(&lease, result)?;
        }
        Ok(store.release(lease, now)?)
    }

    fn content(&self, page: &Arc<Page>) -> Content {
        let extractions = self.extractor.extract(page);
        let own = extractions
            .iter()
            .filter(|extraction| extraction.component.vertical == self.site.session.vertical());
        let objects = own.flat_map(|extraction| {
            let vertical = &extraction.component.vertical;
            let records = extraction.records.iter();
            records.map(|object| self.extractor.identity(vertical, &object.record))
        });
        let objects = objects.collect();
        let links = match page.content_type().ends_with("json") {
            true => page.data_urls(),
            false => page.links().into_iter().map(|link| link.href).collect(),
        };
        let mut links = self.fingerprints(&links);
        // The page itself, and the page whose data this is, are nothing new.
        if let Some(own) = self.canonical(page.url().as_str()) {
            links.remove(&own.fingerprint().0);
        }
        Content { objects, links }
    }

    fn fingerprints(&self, urls: &[String]) -> BTreeSet<u64> {
        let canonical = urls.iter().filter_map(|url| self.canonical(url));
        canonical.map(|url| url.fingerprint().0).collect()
    }

    /// Returns a URL of the site in its canonical form.
    fn canonical(&self, url: &str) -> Option<CanonicalUrl> {
        let url = self.canonicaliser.canonicalise_text(url, None).ok()?.url;
        self.site.has(&url).then_some(url)
    }
}

/// Returns a page without its scripts, except those with structured data of a vocabulary.
fn without_scripts(page: &Page) -> Page {
    const OPEN: &str = "<script";
    const CLOSE: &str = "</script";
    let text = page.text();
    let lower = text.to_ascii_lowercase();
    let mut kept = String::with_capacity(text.len());
    let mut at = 0;
    while let Some(open) = lower[at..].find(OPEN).map(|place| at + place) {
        let tag = lower[open..].find('>').map_or(lower.len(), |end| open + end);
        let close = lower[tag..].find(CLOSE).map_or(lower.len(), |place| tag + place);
        let is_data = lower[open..tag].contains("ld+json");
        kept.push_str(&text[at..if is_data { close } else { open }]);
        at = match is_data {
            true => close,
            false => lower[close..]
                .find('>')
                .map_or(lower.len(), |end| close + end + 1),
        };
    }
    kept.push_str(&text[at..]);
    Page::new(PageSource {
        url: page.url().clone(),
        status: page.status(),
        headers: vec![("content-type".to_owned(), "text/html; charset=utf-8".to_owned())],
        fetched_at: page.fetched_at(),
        body: kept.into(),
    })
}
