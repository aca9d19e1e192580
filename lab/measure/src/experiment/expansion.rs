//! Expansion from a few objects to sites, replayed on sites that were all downloaded before. Shared
//! by the experiments about seeds.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;
use magpie_engine::open_reader;
use magpie_rows::ObjectId;
use magpie_rows::ReadStore;
use magpie_runtime::Plugin;
use magpie_search::{Expansion, ExpansionSettings, Seed as SeedObject, Step, Subject, read_seeds};
use serde_json::json;

use super::Seed;
use super::trial::Trial;
use magpie_engine::learn::queries_of;

/// Maximum number of objects of the first sites that queries are made from.
const MAX_OBJECTS: usize = 2_000;

/// Numbers of seed objects and seed sites in the published experiments.
pub(super) const SEED_OBJECTS: usize = 5;
pub(super) const SEED_SITES: usize = 5;

pub(super) struct DownloadedSites<'a> {
    trial: Trial<'a>,
    plugin: Plugin,
    reader: Box<dyn ReadStore + Send>,
    objects: BTreeMap<String, BTreeSet<ObjectId>>,
}

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ExpansionResult {
    pub(super) queries: f64,
    pub(super) sites: f64,
    pub(super) objects: f64,
}

impl<'a> DownloadedSites<'a> {
    /// Downloads all sites once; expansions are then replayed.
    pub(super) fn new(seed: &'a Seed<'_>) -> Result<DownloadedSites<'a>> {
        seed.tell("download of all sites");
        let trial = Trial::new(&seed.lab, seed.workspace_path("sites"))?;
        trial.download()?;
        trial.cluster()?;
        let mut objects: BTreeMap<String, BTreeSet<ObjectId>> = BTreeMap::new();
        for (host, found) in trial.objects_by_host()? {
            objects.entry(site(&host).to_owned()).or_default().extend(found);
        }
        Ok(DownloadedSites {
            plugin: trial.session.plugin()?,
            reader: open_reader(trial.session.folder())?,
            objects,
            trial,
        })
    }

    /// Number of distinct objects on all sites.
    pub(super) fn total(&self) -> f64 {
        let all: BTreeSet<_> = self.objects.values().flatten().collect();
        all.len() as f64
    }

    /// Returns the most popular objects, as a person would name them.
    pub(super) fn popular(&self, count: usize) -> Result<Vec<Subject>> {
        let seeds = self.trial.lab.web.seeds(count);
        let text = json!(seeds).to_string();
        let seeds = read_seeds("seeds.json", text.as_bytes(), self.plugin.info());
        let seeds: Vec<SeedObject> = seeds.map_err(anyhow::Error::msg)?;
        Ok(seeds
            .iter()
            .filter_map(|seed| queries_of(&self.plugin, &seed.record))
            .collect())
    }

    /// Searches for some objects. With `seed_sites`, then searches in a second phase for the
    /// objects on the first sites found.
    pub(super) fn expand(&self, subjects: &[Subject], seed_sites: Option<usize>) -> Result<ExpansionResult> {
        let settings = ExpansionSettings {
            seed_sites: seed_sites.unwrap_or(SEED_SITES),
            ..ExpansionSettings::default()
        };
        let wanted = settings.sites;
        let mut expansion = Expansion::new(settings, subjects.iter().cloned());
        self.ask(&mut expansion);
        if seed_sites.is_some()
            && let Step::Crawl(sites) = expansion.step()
        {
            let sites: Vec<String> = sites.into_iter().map(|ranked| ranked.site).collect();
            expansion.extend(self.subjects(&sites)?);
            self.ask(&mut expansion);
        }
        let sites = expansion.best(wanted);
        let on_them = sites.iter().filter_map(|ranked| self.objects.get(&ranked.site));
        let objects: BTreeSet<_> = on_them.flatten().collect();
        Ok(ExpansionResult {
            queries: f64::from(expansion.asked()),
            sites: sites.len() as f64,
            objects: objects.len() as f64,
        })
    }

    fn ask(&self, expansion: &mut Expansion) {
        let lab = self.trial.lab;
        while let Step::Ask(ask) = expansion.step() {
            let hits = lab.web.search(&ask.text, 1, lab.week()).hits;
            expansion.take(ask.number, hits, |hit| {
                let rest = hit.url.split_once("://")?.1;
                rest.split('/').next().map(|host| site(host).to_owned())
            });
        }
    }

    /// Returns the objects on some sites as subjects of queries.
    fn subjects(&self, sites: &[String]) -> Result<Vec<Subject>> {
        let mut shown_on: BTreeMap<_, Vec<String>> = BTreeMap::new();
        for site in sites {
            for object in self.objects.get(site).into_iter().flatten() {
                shown_on.entry(object).or_default().push(site.clone());
            }
        }
        let mut subjects = Vec::new();
        for (object, sites) in shown_on.into_iter().take(MAX_OBJECTS) {
            let Some(row) = self.reader.object(*object)? else {
                continue;
            };
            let subject = queries_of(&self.plugin, &row.record);
            subjects.extend(subject.map(|subject| Subject { sites, ..subject }));
        }
        Ok(subjects)
    }
}

fn site(host: &str) -> &str {
    host.strip_prefix("www.").unwrap_or(host)
}
