//! The sites that learning begins with: those that are named, or those that a search engine finds.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashSet};

use magpie_focus::authorities::{AuthoritySearch, AuthoritySettings, SearchStep};
use magpie_model::{CanonicalUrl, Record};
use magpie_rows::StageRow;
use magpie_runtime::Plugin;
use magpie_search::{
    EngineKind, EngineSettings, Expansion, ExpansionSettings, HitSite, Key, SearchEngine, SearchError, Seed,
    Step, Subject,
};
use magpie_web::AddressRange;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{Beginning, Learning, NamedSite, SitesExpanded, SitesFound, WordSearch, texts};
use crate::crawl::site_key;
use crate::focus::{Token, find_authorities};
use crate::learn::sampled_objects;
use crate::observer::{Event, Observer};
use crate::settings::{Resolved, Search, SearchKind};
use crate::{Clients, PipelineError, canonicaliser};

/// Objects of the sampled sites that queries are made of; the expansion stops long before.
const MAX_OBJECTS: usize = 2_000;

/// The name under which the state of a search by words is kept until it is over.
pub(super) const SEARCH_UNDER_WAY: &str = "search-under-way";

/// Words that an outcome names.
const NAMED_WORDS: usize = 10;

/// Accepted pages of one site that its crawl begins with.
const MAX_WAYS_IN: usize = 50;

/// Finds the sites to begin with. Returns `None` if it was stopped.
pub(super) fn find(
    learning: &Learning<'_>,
    observer: &mut dyn Observer,
) -> Result<Option<SitesFound>, PipelineError> {
    match &learning.request.beginning {
        None => Err(PipelineError::NothingToBeginWith),
        Some(beginning @ Beginning::Sites(sites)) => named(learning, beginning, sites).map(Some),
        Some(beginning @ Beginning::Seeds { seeds, .. }) => {
            searched(learning, beginning, seeds, observer).map(Some)
        }
        Some(beginning @ Beginning::Words(tokens)) => by_words(learning, beginning, tokens, observer),
    }
}

/// The kept state of an unfinished search by words.
#[derive(Serialize, Deserialize)]
struct SearchUnderWay {
    begun_with: Value,
    search: AuthoritySearch,
}

/// Finds the sites of pages that the vertical accepts. An interrupted search continues.
fn by_words(
    learning: &Learning<'_>,
    beginning: &Beginning,
    tokens: &[Token],
    observer: &mut dyn Observer,
) -> Result<Option<SitesFound>, PipelineError> {
    let (session, begun_with) = (learning.session, beginning.fingerprint());
    let resolved = session.settings();
    if tokens.is_empty() {
        return Err(PipelineError::NoWords);
    }
    let mut engine = search_engine(resolved)?;
    let rows = session.store().stages(session.vertical())?;
    let under_way = rows.iter().find(|row| row.name == SEARCH_UNDER_WAY);
    let under_way = under_way.and_then(|row| serde_json::from_str::<SearchUnderWay>(&row.kept).ok());
    let settings = AuthoritySettings {
        query_tokens: usize::try_from(resolved.settings.focus.query_tokens).unwrap_or(usize::MAX),
        iterations: u32::try_from(resolved.settings.focus.iterations).unwrap_or(u32::MAX),
    };
    let mut search = match under_way.filter(|under_way| under_way.begun_with == begun_with) {
        Some(under_way) => under_way.search,
        None => AuthoritySearch::new(settings, tokens.to_vec()),
    };
    let mut keep = |search: &AuthoritySearch| {
        let under_way = SearchUnderWay {
            begun_with: begun_with.clone(),
            search: search.clone(),
        };
        let row = StageRow {
            vertical: session.vertical().to_owned(),
            name: SEARCH_UNDER_WAY.to_owned(),
            ended_at: session.now(),
            sentence: String::new(),
            kept: json!(under_way).to_string(),
        };
        Ok(session.store().put_stage(row, &[])?)
    };
    let Some(failed) = find_authorities(session, &mut engine, &mut search, &mut keep, observer)? else {
        return Ok(None);
    };
    if search.authorities().is_empty() {
        return Err(match failed {
            Some(error) => PipelineError::SearchFailed(error),
            None => PipelineError::NoPageAccepted {
                engine: engine.label().to_owned(),
                queries: search.asked(),
                judged: search.judged(),
            },
        });
    }
    let mut pages: BTreeMap<String, (String, Vec<String>)> = BTreeMap::new();
    for url in search.authorities() {
        let parsed = url::Url::parse(url).ok();
        if let Some(site) = parsed.and_then(|url| hit_site(&url, resolved)) {
            let (_, pages) = pages.entry(site.key).or_insert_with(|| (site.origin, Vec::new()));
            pages.push(url.clone());
        }
    }
    let mut best: Vec<(String, Vec<String>)> = pages.into_values().collect();
    // Those with most accepted pages first; equal ones by their names.
    best.sort_by_key(|(_, pages)| Reverse(pages.len()));
    let found = best.len();
    best.truncate(usize::try_from(resolved.settings.learn.sites).unwrap_or(usize::MAX));
    let homes = homes(best.iter().map(|(origin, _)| origin.as_str()), resolved);
    let ways_in = best.iter().flat_map(|(_, pages)| pages.iter().take(MAX_WAYS_IN));
    let reason = match search.step() {
        SearchStep::Done(end) => end.sentence(),
        _ => "",
    };
    let mut words: Vec<(String, f64)> = search
        .tokens()
        .iter()
        .map(|token| (token.word.clone(), token.weight()))
        .collect();
    words.sort_by(|one, other| other.1.total_cmp(&one.1));
    let middle = words.len().saturating_sub(NAMED_WORDS) / 2;
    Ok(Some(SitesFound {
        begun_with,
        left_out: learning.leave_out_others(&homes)?,
        others: learning.others_than(&homes)?,
        sites: texts(&homes),
        engine: Some(engine.label().to_owned()),
        ways_in: ways_in.cloned().collect(),
        words: Some(WordSearch {
            queries: search.asked(),
            judged: search.judged(),
            accepted: search.authorities().len(),
            sites: found,
            reason: reason.to_owned(),
            words: words.into_iter().skip(middle).take(NAMED_WORDS).collect(),
        }),
        ..SitesFound::default()
    }))
}

/// Returns the search engine that the settings name.
fn search_engine(resolved: &Resolved) -> Result<SearchEngine, PipelineError> {
    let settings = engine_settings(&resolved.settings.search);
    let client = Clients::new(&reaching_engine(resolved))?.for_host("").clone();
    SearchEngine::new(settings, client).map_err(|error| PipelineError::SearchSettings(error.to_string()))
}

fn named(
    learning: &Learning<'_>,
    beginning: &Beginning,
    sites: &[NamedSite],
) -> Result<SitesFound, PipelineError> {
    // Those without a scheme may only be reachable over `http`.
    let bare = sites.iter().filter(|site| !site.text.contains("://"));
    let bare: Vec<CanonicalUrl> = bare.map(|site| site.home.clone()).collect();
    let mut met = HashSet::new();
    let homes = sites.iter().map(|site| site.home.clone());
    let homes: Vec<CanonicalUrl> = homes.filter(|home| met.insert(home.clone())).collect();
    Ok(SitesFound {
        begun_with: beginning.fingerprint(),
        left_out: learning.leave_out_others(&homes)?,
        others: learning.others_than(&homes)?,
        sites: texts(&homes),
        bare: texts(&bare),
        ..SitesFound::default()
    })
}

fn searched(
    learning: &Learning<'_>,
    beginning: &Beginning,
    seeds: &[Seed],
    observer: &mut dyn Observer,
) -> Result<SitesFound, PipelineError> {
    let settings = learning.session.settings();
    let plugin = learning.session.plugin()?;
    let subjects: Vec<Subject> = seeds
        .iter()
        .filter_map(|seed| queries_of(&plugin, &seed.record))
        .collect();
    if subjects.is_empty() {
        return Err(PipelineError::NothingToSearchFor);
    }
    let mut expansion = Expansion::new(expansion_settings(settings), subjects);
    let mut search = Searching::new(learning)?;
    search.ask(learning, &mut expansion, observer)?;
    let Step::Crawl(sites) = expansion.step() else {
        return Err(PipelineError::NoSiteFound {
            engine: search.engine.label().to_owned(),
            seeds: seeds.len(),
        });
    };
    let homes = homes(sites.iter().map(|site| site.origin.as_str()), settings);
    Ok(SitesFound {
        begun_with: beginning.fingerprint(),
        search: true,
        sites: texts(&homes),
        engine: Some(search.engine.label().to_owned()),
        ways_in: texts(&search.ways_in(&homes, settings)),
        expansion: Some(expansion),
        pages: search.pages,
        ..SitesFound::default()
    })
}

/// Finds more sites by the objects of the sampled ones.
pub(super) fn expand(
    learning: &Learning<'_>,
    observer: &mut dyn Observer,
) -> Result<SitesExpanded, PipelineError> {
    let found = learning.found().unwrap_or_default();
    if !found.search {
        return Ok(SitesExpanded {
            sites: found.sites,
            bare: found.bare,
            ways_in: found.ways_in,
            ..SitesExpanded::default()
        });
    }
    let settings = learning.session.settings();
    let plugin = learning.session.plugin()?;
    let mut expansion = found.expansion.ok_or(PipelineError::NothingToBeginWith)?;
    let subjects = sampled(learning, &plugin)?;
    let objects = subjects.len();
    expansion.extend(subjects);
    let mut search = Searching::new(learning)?;
    search.pages = found.pages;
    search.ask(learning, &mut expansion, observer)?;
    let reason = match expansion.step() {
        Step::Done(reason) => reason.sentence(),
        _ => "",
    };
    let max_sites = usize::try_from(settings.settings.learn.sites).unwrap_or(usize::MAX);
    let best = expansion.best(max_sites);
    let homes = homes(best.iter().map(|site| site.origin.as_str()), settings);
    Ok(SitesExpanded {
        sites: texts(&homes),
        ways_in: texts(&search.ways_in(&homes, settings)),
        queries: Some(expansion.asked()),
        objects,
        known_sites: expansion.votes().len(),
        chance: expansion.chance(),
        reason: reason.to_owned(),
        ..SitesExpanded::default()
    })
}

/// The objects of the sampled sites, as subjects of queries.
fn sampled(learning: &Learning<'_>, plugin: &Plugin) -> Result<Vec<Subject>, PipelineError> {
    let session = learning.session;
    let objects = sampled_objects(session.store(), session.vertical(), MAX_OBJECTS)?;
    let subjects = objects.into_iter().filter_map(|object| {
        let mut subject = queries_of(plugin, &object.record)?;
        for url in &object.urls {
            let site = url::Url::parse(url).ok();
            let site = site.and_then(|url| hit_site(&url, session.settings()));
            if let Some(site) = site.filter(|site| !subject.sites.contains(&site.key)) {
                subject.sites.push(site.key);
            }
        }
        Some(subject)
    });
    Ok(subjects.collect())
}

/// The site of a page as it is voted for: by the key that it has in the frontier, which neither the
/// scheme nor `www` is a part of.
fn hit_site(url: &url::Url, resolved: &Resolved) -> Option<HitSite> {
    let origin = url.origin().ascii_serialization();
    let home = homes(std::iter::once(origin.as_str()), resolved).pop()?;
    Some(HitSite {
        key: site_key(resolved.for_host(home.host()), &home),
        origin: home.origin().to_owned(),
    })
}

/// Returns the queries for an object: the plugin's own, or those that the schema suggests.
pub fn queries_of(plugin: &Plugin, record: &Record) -> Option<Subject> {
    let by_schema = || magpie_matching::queries(plugin.info(), record);
    let queries = match plugin.queries_itself() {
        true => plugin
            .queries(&record.to_object())
            .outcome
            .unwrap_or_else(|_| by_schema()),
        false => by_schema(),
    };
    (!queries.is_empty()).then(|| Subject {
        queries,
        sites: Vec::new(),
    })
}

/// A search engine that is asked.
struct Searching {
    engine: SearchEngine,
    failed: Option<SearchError>,
    /// For each site the first page that it was found by.
    pages: BTreeMap<String, String>,
}

impl Searching {
    fn new(learning: &Learning<'_>) -> Result<Searching, PipelineError> {
        Ok(Searching {
            engine: search_engine(learning.session.settings())?,
            failed: None,
            pages: BTreeMap::new(),
        })
    }

    /// Returns pages by which sites can be entered besides their first pages: the folder that a
    /// site was found in, and the page that was found.
    fn ways_in(&self, sites: &[CanonicalUrl], resolved: &Resolved) -> Vec<CanonicalUrl> {
        // Some sites live below a path, and have nothing at the root of their host.
        let pages = sites.iter().filter_map(|site| self.pages.get(site.origin()));
        let ways = pages.filter_map(|page| {
            let page = url::Url::parse(page).ok()?;
            let first = page.path_segments()?.next()?.to_owned();
            let folder = page.join(&format!("/{first}/")).ok()?;
            let is_below = page.path().len() > first.len() + 1;
            let folder = is_below.then(|| folder.to_string());
            Some(folder.into_iter().chain([page.to_string()]))
        });
        let ways: Vec<String> = ways.flatten().collect();
        homes(ways.iter().map(String::as_str), resolved)
    }

    /// Asks until the expansion wants something else.
    fn ask(
        &mut self,
        learning: &Learning<'_>,
        expansion: &mut Expansion,
        observer: &mut dyn Observer,
    ) -> Result<(), PipelineError> {
        while let Step::Ask(ask) = expansion.step() {
            let answer = learning.session.runtime().block_on(self.engine.search(&ask.text));
            match answer {
                Ok(hits) => {
                    let resolved = learning.session.settings();
                    for hit in &hits {
                        if let Some(site) = hit_site(&hit.url, resolved) {
                            let page = self.pages.entry(site.origin);
                            page.or_insert_with(|| hit.url.to_string());
                        }
                    }
                    expansion.take(ask.number, hits, |hit| hit_site(&hit.url, resolved));
                }
                Err(error) => {
                    observer.observe(Event::QueryFailed {
                        query: &ask.text,
                        error: &error,
                    });
                    expansion.failed(ask.number);
                    let is_final = error.is_final();
                    self.failed = Some(error);
                    if is_final {
                        break;
                    }
                }
            }
        }
        match self.failed.take() {
            Some(error) if expansion.votes().is_empty() => Err(PipelineError::SearchFailed(error)),
            _ => Ok(()),
        }
    }
}

/// Returns settings that allow connections to the search engine if its address is one of this
/// machine or network: who writes `localhost` there means it, and need not open it to the sites
/// that are crawled.
fn reaching_engine(resolved: &Resolved) -> Resolved {
    let url = url::Url::parse(&resolved.settings.search.url).ok();
    let own: Vec<String> = match url.as_ref().and_then(url::Url::host) {
        Some(url::Host::Domain("localhost")) => vec!["127.0.0.0/8".to_owned(), "::1/128".to_owned()],
        Some(url::Host::Ipv4(address)) => vec![format!("{address}/32")],
        Some(url::Host::Ipv6(address)) => vec![format!("{address}/128")],
        _ => Vec::new(),
    };
    let mut resolved = resolved.clone();
    let allowed = &mut resolved.settings.network.allow_addresses;
    allowed.extend(own.iter().filter_map(|range| range.parse::<AddressRange>().ok()));
    resolved
}

fn expansion_settings(resolved: &Resolved) -> ExpansionSettings {
    let learn = &resolved.settings.learn;
    let size = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
    ExpansionSettings {
        seed_sites: size(learn.seed_sites),
        sites: size(learn.sites),
        ..ExpansionSettings::default()
    }
}

fn engine_settings(search: &Search) -> EngineSettings {
    let kind = match search.engine {
        SearchKind::Searxng => EngineKind::Searxng,
        SearchKind::Brave => EngineKind::Brave,
        SearchKind::Template => EngineKind::Template,
    };
    let some = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    let is_template = search.engine == SearchKind::Template;
    EngineSettings {
        url: some(&search.url),
        key: some(&search.key).map(Key::new),
        header: search
            .header
            .split_once(':')
            .filter(|_| is_template)
            .map(|(name, value)| (name.trim().to_owned(), value.trim().to_owned())),
        results: is_template.then(|| search.results_at.clone()),
        result_url: is_template.then(|| search.url_at.clone()),
        total: some(&search.total_at).filter(|_| is_template),
        count: usize::try_from(search.results).unwrap_or(usize::MAX),
        delay: search.delay,
        ..EngineSettings::new(kind)
    }
}

fn homes<'a>(pages: impl Iterator<Item = &'a str>, resolved: &Resolved) -> Vec<CanonicalUrl> {
    let home = |page: &str| {
        let url = url::Url::parse(page).ok()?;
        let settings = resolved.for_host(url.host_str()?);
        let canonical = canonicaliser(settings).canonicalise(&url).ok()?;
        Some(canonical.url)
    };
    pages.filter_map(home).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_site_is_voted_for_whatever_scheme_and_www() {
        let resolved = Resolved::new(&[]).expect("defaults");
        let site = |url: &str| hit_site(&url::Url::parse(url).expect("a URL"), &resolved).expect("a site");
        for origin in [
            "http://hall.example",
            "https://hall.example",
            "https://www.hall.example",
        ] {
            let hit = site(&format!("{origin}/programme?day=1"));
            assert_eq!((hit.key.as_str(), hit.origin.as_str()), ("hall.example", origin));
        }
        assert_eq!(site("https://hall.example:8443/").key, "hall.example:8443");
    }
}
