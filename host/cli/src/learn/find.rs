//! Where learning begins: the sites that are named, or those that a search engine leads to.

use std::collections::{BTreeMap, HashSet};
use std::path::Path;

use magpie_engine::collect::sampled_objects;
use magpie_engine::crawl::site_key;
use magpie_engine::settings::{Resolved, Search, SearchKind};
use magpie_engine::{Clients, canonicaliser};
use magpie_model::{CanonicalUrl, Record};
use magpie_runtime::Plugin;
use magpie_search::{
    EngineKind, EngineSettings, Expansion, ExpansionSettings, HitSite, Key, SearchEngine, SearchError, Seed,
    Step, Subject, read_seeds,
};
use magpie_web::AddressRange;
use serde_json::{Value, json};

use super::{Done, Learning, nothing_to_begin_with};
use crate::args::{LearnArgs, LearnStage};
use crate::crawl;
use crate::failure::{Failure, Kind};
use crate::printer::Printer;
use crate::show;

/// The longest file of sites.
const LARGEST_FILE: u64 = 16 << 20;

/// Objects of the sampled sites that queries are made of; the expansion stops long before.
const MOST_OBJECTS: usize = 2_000;

/// What learning was told to begin with.
pub(super) enum Named {
    Sites(Vec<NamedSite>),
    Seeds(Vec<Seed>, String),
    Nothing,
}

/// A line of a file of sites.
pub(super) struct NamedSite {
    /// The file and the line, for people.
    place: String,
    text: String,
}

impl NamedSite {
    fn home(&self, resolved: &Resolved) -> Result<CanonicalUrl, Failure> {
        crawl::home(&self.text, resolved)
            .map_err(|problem| Failure::new(Kind::Input, format!("{}: {problem}", self.place)))
    }
}

impl Named {
    /// Tells one beginning from another.
    pub(super) fn fingerprint(&self) -> Value {
        match self {
            Named::Sites(sites) => json!(sites.iter().map(|site| &site.text).collect::<Vec<_>>()),
            Named::Seeds(_, text) => json!(text),
            Named::Nothing => Value::Null,
        }
    }
}

/// Reads what the arguments name.
pub(super) fn named(arguments: &LearnArgs, plugin: &Plugin) -> Result<Named, Failure> {
    if let Some(path) = &arguments.sites {
        let text = String::from_utf8(read(path)?)
            .map_err(|_| Failure::new(Kind::Input, format!("{} is no text", path.display())))?;
        // Some editors put a mark before the first letter.
        let text = text.trim_start_matches('\u{feff}');
        let lines = text.lines().map(str::trim).zip(1..);
        let named = lines.filter(|(line, _)| !line.is_empty() && !line.starts_with('#'));
        let sites: Vec<NamedSite> = named
            .map(|(line, number)| NamedSite {
                place: format!("{}, line {number}", path.display()),
                text: line.to_owned(),
            })
            .collect();
        if sites.is_empty() {
            return Err(
                Failure::new(Kind::Input, format!("{} names no site", path.display()))
                    .hint("write one a line, as in https://example.org/"),
            );
        }
        return Ok(Named::Sites(sites));
    }
    let Some(path) = &arguments.seeds else {
        return Ok(Named::Nothing);
    };
    let bytes = read(path)?;
    let name = path.display().to_string();
    let seeds = read_seeds(&name, &bytes, plugin.info())
        .map_err(|error| Failure::new(Kind::Input, error.to_string()))?;
    Ok(Named::Seeds(seeds, String::from_utf8_lossy(&bytes).into_owned()))
}

fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    let failed = |error| Failure::new(Kind::Input, format!("can't read {}: {error}", path.display()));
    let length = path.metadata().map_err(failed)?.len();
    if length > LARGEST_FILE {
        return Err(Failure::new(
            Kind::Input,
            format!(
                "{} has {length} bytes, and {LARGEST_FILE} are the most",
                path.display()
            ),
        ));
    }
    std::fs::read(path).map_err(failed)
}

/// The first stage.
pub(super) fn find(learning: &Learning<'_>, printer: &mut Printer) -> Result<Done, Failure> {
    let desk = learning.desk;
    let plugin = desk.plugin()?;
    let named = named(learning.arguments, &plugin)?;
    let fingerprint = named.fingerprint();
    let seeds = match named {
        Named::Nothing => return Err(nothing_to_begin_with()),
        Named::Sites(sites) => {
            let homes = sites.iter().map(|site| site.home(&desk.resolved));
            let mut homes: Vec<CanonicalUrl> = homes.collect::<Result<_, _>>()?;
            // Those without a scheme may be had by `http` alone.
            let bare = sites.iter().zip(&homes);
            let bare = bare.filter(|(site, _)| !site.text.contains("://"));
            let bare: Vec<CanonicalUrl> = bare.map(|(_, home)| home.clone()).collect();
            let mut named = HashSet::new();
            homes.retain(|home| named.insert(home.clone()));
            let mut sentence = format!("{} named", show::count(homes.len(), "site"));
            let left_out = learning.leave_out_others(&homes)?;
            if !left_out.is_empty() {
                sentence.push_str(&format!(
                    "; named before and left out from now on: {}",
                    show::listed(&left_out)
                ));
            }
            let others = learning.others_than(&homes)?;
            if others > 0 {
                let others = show::count(others, "other site");
                sentence.push_str(&format!(
                    "; {others} learned before stay: `magpie sites SITE --drop` drops one"
                ));
            }
            return Ok(Done {
                sentence,
                kept: json!({"begun_with": fingerprint, "search": false, "sites": texts(&homes),
                    "bare": texts(&bare)}),
            });
        }
        Named::Seeds(seeds, _) => seeds,
    };
    let subjects: Vec<Subject> = seeds
        .iter()
        .filter_map(|seed| subject(&plugin, &seed.record))
        .collect();
    if subjects.is_empty() {
        return Err(Failure::new(Kind::Input, "nothing of the seeds can be searched for")
            .hint("give them the attributes by which people look for such objects: `magpie plugin inspect` shows which"));
    }
    let mut expansion = Expansion::new(settings(&desk.resolved), subjects);
    let mut asking = Asking::new(learning)?;
    asking.ask(learning, &mut expansion, printer)?;
    let Step::Crawl(sites) = expansion.step() else {
        return Err(no_site(&asking, seeds.len()));
    };
    let homes = homes(sites.iter().map(|site| site.origin.as_str()), &desk.resolved);
    Ok(Done {
        sentence: format!(
            "{} to {} lead to {}; the first {} are sampled: {}",
            show::many(u64::from(expansion.asked()), "query").replace("querys", "queries"),
            asking.engine.label(),
            show::count(expansion.votes().len(), "site"),
            homes.len(),
            show::listed(&hosts(&homes)),
        ),
        kept: json!({"begun_with": fingerprint, "search": true, "sites": texts(&homes), "expansion": expansion,
            "ways_in": texts(&asking.ways_in(&homes, &desk.resolved)), "pages": asking.pages}),
    })
}

/// The second phase: what was found on the first sites leads to the others.
pub(super) fn expand(learning: &Learning<'_>, printer: &mut Printer) -> Result<Done, Failure> {
    let found = learning.kept(LearnStage::Find).unwrap_or_default();
    if found["search"] == json!(false) {
        return Ok(Done {
            sentence: "the sites are named, so none has to be searched for".to_owned(),
            kept: json!({"sites": found["sites"], "bare": found["bare"]}),
        });
    }
    let desk = learning.desk;
    let plugin = desk.plugin()?;
    let mut expansion: Expansion =
        serde_json::from_value(found["expansion"].clone()).map_err(|_| nothing_to_begin_with())?;
    let subjects = sampled(learning, &plugin)?;
    let objects = subjects.len();
    expansion.extend(subjects);
    let mut asking = Asking::new(learning)?;
    asking.pages = serde_json::from_value(found["pages"].clone()).unwrap_or_default();
    asking.ask(learning, &mut expansion, printer)?;
    let reason = match expansion.step() {
        Step::Done(reason) => reason.sentence(),
        _ => "",
    };
    let most = usize::try_from(desk.resolved.settings.learn.sites).unwrap_or(usize::MAX);
    let best = expansion.best(most);
    let homes = homes(best.iter().map(|site| site.origin.as_str()), &desk.resolved);
    Ok(Done {
        sentence: format!(
            "{} of the sampled sites, {} queries in all, {} of {}; {reason}",
            show::count(objects, "object"),
            expansion.asked(),
            homes.len(),
            show::count(expansion.votes().len(), "site"),
        ),
        kept: json!({"sites": texts(&homes), "ways_in": texts(&asking.ways_in(&homes, &desk.resolved)), "queries": expansion.asked(), "objects": objects,
            "known_sites": expansion.votes().len(), "chance": expansion.chance()}),
    })
}

/// What was found on the sampled sites, as subjects of queries.
fn sampled(learning: &Learning<'_>, plugin: &Plugin) -> Result<Vec<Subject>, Failure> {
    let desk = learning.desk;
    let objects = sampled_objects(&desk.workspace.reader()?, &desk.vertical, MOST_OBJECTS)?;
    let subjects = objects.into_iter().filter_map(|object| {
        let json: Value = serde_json::from_str(&object.record).ok()?;
        let mut subject = subject(plugin, &Record::from_json(&json)?)?;
        for url in &object.urls {
            let site = url::Url::parse(url)
                .ok()
                .and_then(|url| hit_site(&url, &desk.resolved));
            if let Some(site) = site.filter(|site| !subject.sites.contains(&site.key)) {
                subject.sites.push(site.key);
            }
        }
        Some(subject)
    });
    Ok(subjects.collect())
}

/// The site of a page as it is voted for: by the name that it has in the frontier, which neither the
/// scheme nor `www` is a part of.
fn hit_site(url: &url::Url, resolved: &Resolved) -> Option<HitSite> {
    let home = homes(
        [url.origin().ascii_serialization().as_str()].into_iter(),
        resolved,
    )
    .pop()?;
    Some(HitSite {
        key: site_key(resolved.for_host(home.host()), &home),
        origin: home.origin().to_owned(),
    })
}

/// What is asked for an object: by the plugin, or by the schema where it says nothing.
pub(crate) fn subject(plugin: &Plugin, record: &Record) -> Option<Subject> {
    let by_schema = || magpie_learn::queries(plugin.info(), record);
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

/// A search engine at work.
struct Asking {
    engine: SearchEngine,
    failed: Option<SearchError>,
    /// For each site the first page that it was found by.
    pages: BTreeMap<String, String>,
}

impl Asking {
    fn new(learning: &Learning<'_>) -> Result<Asking, Failure> {
        let resolved = &learning.desk.resolved;
        let settings = engine_settings(&resolved.settings.search);
        let client = Clients::new(&reaching_engine(resolved))?.for_host("").clone();
        let engine = SearchEngine::new(settings, client).map_err(|error| {
            Failure::usage(error.to_string())
                .hint("`search.engine` and `search.url` in magpie.toml say who is asked; `--sites FILE` does without")
        })?;
        Ok(Asking {
            engine,
            failed: None,
            pages: BTreeMap::new(),
        })
    }

    /// Where sites can be entered besides their first pages: some live below a path, and have nothing at the root of their host. The
    /// folder that the page lies in by which a site was found, and that page.
    fn ways_in(&self, sites: &[CanonicalUrl], resolved: &Resolved) -> Vec<CanonicalUrl> {
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
        printer: &mut Printer,
    ) -> Result<(), Failure> {
        while let Step::Ask(ask) = expansion.step() {
            let answer = learning.desk.runtime().block_on(self.engine.search(&ask.text));
            match answer {
                Ok(hits) => {
                    let resolved = &learning.desk.resolved;
                    for hit in &hits {
                        if let Some(site) = hit_site(&hit.url, resolved) {
                            self.pages
                                .entry(site.origin)
                                .or_insert_with(|| hit.url.to_string());
                        }
                    }
                    expansion.take(ask.number, hits, |hit| hit_site(&hit.url, resolved));
                }
                Err(error) => {
                    printer.warn(&format!("{:?}: {error}", ask.text));
                    expansion.failed(ask.number);
                    let is_final = error.is_final();
                    self.failed = Some(error);
                    if is_final {
                        break;
                    }
                }
            }
        }
        match &self.failed {
            Some(error) if expansion.votes().is_empty() => Err(engine_failed(error)),
            _ => Ok(()),
        }
    }
}

/// The settings, with leave to reach the engine where its address says that it is a machine of one's own: who writes `localhost` there
/// means it, and need not open it to the sites that are crawled.
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

fn engine_failed(error: &SearchError) -> Failure {
    Failure::new(Kind::Input, format!("the search engine can't be asked: {error}"))
        .hint("`magpie learn` tries again; `--sites FILE` does without a search engine")
}

fn no_site(asking: &Asking, seeds: usize) -> Failure {
    Failure::new(
        Kind::Input,
        format!(
            "{} knows no site with any of {}",
            asking.engine.label(),
            show::count(seeds, "seed")
        ),
    )
    .hint("give other seeds, with what people look for; or name sites with `--sites FILE`")
}

fn settings(resolved: &Resolved) -> ExpansionSettings {
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
        count: usize::try_from(search.results).unwrap_or(usize::MAX),
        delay: search.delay,
        ..EngineSettings::new(kind)
    }
}

/// The first pages of sites, or other pages of them, as they are named here.
fn homes<'a>(sites: impl Iterator<Item = &'a str>, resolved: &Resolved) -> Vec<CanonicalUrl> {
    let home = |site: &str| {
        let url = url::Url::parse(site).ok()?;
        let settings = resolved.for_host(url.host_str()?);
        let canonical = canonicaliser(settings).canonicalise(&url).ok()?;
        Some(canonical.url)
    };
    sites.filter_map(home).collect()
}

fn texts(homes: &[CanonicalUrl]) -> Vec<&str> {
    homes.iter().map(CanonicalUrl::as_str).collect()
}

fn hosts(homes: &[CanonicalUrl]) -> Vec<String> {
    homes.iter().map(|home| home.authority().to_owned()).collect()
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
