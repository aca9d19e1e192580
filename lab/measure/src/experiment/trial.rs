//! A workspace for one method: crawled, learned, recrawled, and scored.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use magpie_engine::crawl::{FoundShare, Target};
use magpie_engine::focus::learning_guide;
use magpie_engine::learn::learning_share;
use magpie_engine::learn::{NavigationsMade, PatternsMade, PatternsSelected};
use magpie_engine::recrawl::Method;
use magpie_engine::recrawl::{recrawl, recrawl_settings};
use magpie_engine::site::Snapshots;
use magpie_engine::{CrawlRequest, LearnRequest, Session, learn};
use magpie_lab::{FoundObject, Score, Truth, recognised, score};
use magpie_model::Record;
use magpie_rows::{ObjectId, ReadStore, RunId, RunKind, SiteId};
use magpie_values::Timestamp;

use super::lab_server::{LabServer, Truths};
use super::plain;
use magpie_terminal::errors::check_sites;
use magpie_terminal::workspace::open_session_at;
use magpie_terminal::{Printer, workspace};

/// A time at which no object has expired: published methods learn from all objects.
const NOTHING_EXPIRED: Timestamp = Timestamp::from_millis(0);

/// A workspace in which one method is measured.
pub(super) struct Trial<'a> {
    pub(super) lab: &'a LabServer,
    pub(super) session: Session,
}

/// Cost of a crawl or a recrawl.
#[derive(Clone, Debug, Default)]
pub(super) struct Round {
    run: Option<RunId>,
    pub(super) pages: f64,
    /// Number of requests, including robots.txt and sitemaps.
    pub(super) requests: f64,
    pub(super) bytes: f64,
    /// Bytes of unchanged bodies that conditional requests saved. Methods without conditional
    /// requests receive them, too.
    pub(super) spared: f64,
    /// Pages fetched to keep the learned patterns up to date.
    pub(super) maintenance: f64,
    /// Sites that were left because the wanted share of their objects was found.
    pub(super) found: BTreeMap<String, FoundShare>,
    pub(super) took: Elapsed,
}

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Elapsed {
    pub(super) seconds: f64,
    /// CPU seconds of all threads; `None` if the system does not report them.
    pub(super) cpu: Option<f64>,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Scores {
    pub(super) all: Score,
    pub(super) current: Score,
}

impl<'a> Trial<'a> {
    pub(super) fn new(lab: &'a LabServer, folder: PathBuf) -> Result<Trial<'a>> {
        Trial::with(lab, folder, &[])
    }

    /// Creates an empty workspace with some settings.
    pub(super) fn with(lab: &'a LabServer, folder: PathBuf, changes: &[(&str, String)]) -> Result<Trial<'a>> {
        check_is_free(&folder)?;
        workspace::create(&folder, &mut Printer::silent()).map_err(plain)?;
        lab.install_component(&folder)?;
        let session = open_session_at(folder, lab.settings(changes)?, None).map_err(plain)?;
        Ok(Trial { lab, session })
    }

    /// Copies a workspace that is not open.
    pub(super) fn copy(
        lab: &'a LabServer,
        from: &Path,
        folder: PathBuf,
        changes: &[(&str, String)],
    ) -> Result<Trial<'a>> {
        check_is_free(&folder)?;
        let copied = copy_folder(from, &folder);
        copied.with_context(|| format!("can't copy {}", from.display()))?;
        Trial::reopen(lab, folder, changes)
    }

    /// Reopens a workspace with the settings of recrawls.
    pub(super) fn reopen(
        lab: &'a LabServer,
        folder: PathBuf,
        changes: &[(&str, String)],
    ) -> Result<Trial<'a>> {
        let settings = recrawl_settings(lab.settings(changes)?);
        let session = open_session_at(folder, settings, None).map_err(plain)?;
        Ok(Trial { lab, session })
    }

    /// Closes the workspace, which can then be copied.
    pub(super) fn close(self) -> PathBuf {
        self.session.folder().to_owned()
    }

    /// Closes the workspace and removes it, unless workspaces are kept.
    pub(super) fn discard(self) -> Result<()> {
        let lab = self.lab;
        lab.discard(&self.close())
    }

    /// Crawls all sites from their home pages, each until `learn.until`.
    pub(super) fn download(&self) -> Result<Round> {
        let homes = self.lab.homes(self.session.settings())?;
        let targets: Vec<Target> = homes.into_iter().map(Target::From).collect();
        let run = self.session.begin_run(RunKind::Learn)?;
        let (mut round, found) = self.count_traffic(|| {
            let request = CrawlRequest {
                until: learning_share(self.session.settings()),
                guide: learning_guide(self.session.settings()),
                ..CrawlRequest::new(run, targets)
            };
            let crawled = self.session.crawl(request, &mut ())?;
            check_not_stopped(!crawled.was_stopped())?;
            Ok((run.0, crawled.progress.found))
        })?;
        self.session.end_run(run.0)?;
        round.found = found;
        Ok(round)
    }

    /// Learns all sites from their home pages, by all stages.
    pub(super) fn learn(&self) -> Result<()> {
        let homes = self.lab.homes(self.session.settings())?;
        let homes = homes.iter().map(|home| home.as_str().to_owned());
        let outcome = learn(&self.session, &LearnRequest::sites(homes)?, &mut ())?;
        check_not_stopped(outcome.is_some())
    }

    pub(super) fn cluster(&self) -> Result<()> {
        self.session.cluster(&mut ())?;
        Ok(())
    }

    pub(super) fn patterns(&self) -> Result<PatternsMade> {
        let sites = self.sites()?;
        let collection = self.session.collection();
        Ok(collection.make_patterns(&sites, &mut Snapshots::default())?)
    }

    fn sites(&self) -> Result<Vec<(SiteId, String)>> {
        let mut sites = Vec::new();
        for home in self.lab.homes(self.session.settings())? {
            let key = self.session.site_key(&home);
            let site = (self.session.store().site(&key)?, key);
            if !sites.contains(&site) {
                sites.push(site);
            }
        }
        Ok(sites)
    }

    /// Selects patterns and finds the navigations to them.
    pub(super) fn choose(&self) -> Result<(PatternsSelected, NavigationsMade)> {
        let collection = self.session.collection();
        let mut snapshots = Snapshots::default();
        let chosen = collection.choose_anew(&mut snapshots)?;
        Ok((
            chosen,
            collection.find_navigations(&collection.learned_sites()?, &mut snapshots)?,
        ))
    }

    /// Selects as published: among all objects, and later fetches only what the selected patterns
    /// match. Patterns that were not selected become unwanted, and sites without selected patterns
    /// are forgotten.
    pub(super) fn choose_as_published(&self) -> Result<PatternsSelected> {
        let collection = self.session.collection_at(NOTHING_EXPIRED);
        let chosen = collection.choose_anew(&mut Snapshots::default())?;
        let (store, vertical) = (self.session.store(), self.session.vertical());
        for site in store.learned_sites(vertical)? {
            let mut patterns = store.patterns(vertical, site.site)?;
            if patterns.iter().all(|pattern| !pattern.chosen) {
                store.forget_site(vertical, site.site)?;
                continue;
            }
            for pattern in &mut patterns {
                pattern.wanted = pattern.chosen;
            }
            store.put_patterns(vertical, site, patterns)?;
        }
        Ok(chosen)
    }

    pub(super) fn recrawl(&self, method: Method) -> Result<Round> {
        let (mut round, maintenance) = self.count_traffic(|| {
            let outcome = recrawl(&self.session, method, &mut ())?;
            let Some(outcome) = outcome else {
                bail!(INTERRUPTED);
            };
            // A figure must not be based on fewer sites than it claims.
            check_sites(&outcome).map_err(plain)?;
            let repaired: u64 = outcome.repaired.iter().map(|repaired| repaired.pages).sum();
            Ok((outcome.run, outcome.explored + repaired))
        })?;
        round.maintenance = maintenance as f64;
        Ok(round)
    }

    /// Runs some work and counts the requests, bytes and pages meanwhile.
    fn count_traffic<T>(&self, work: impl FnOnce() -> Result<(RunId, T)>) -> Result<(Round, T)> {
        let before = self.lab.traffic();
        let (took, done) = timed(work);
        let (run, value) = done?;
        let after = self.lab.traffic();
        let mut round = Round {
            run: Some(run),
            requests: (after.requests - before.requests) as f64,
            bytes: (after.bytes - before.bytes) as f64,
            took,
            ..Round::default()
        };
        self.session.store().flush()?;
        let mut bodies: HashMap<String, u64> = HashMap::new();
        each_page(self.session.store(), |page| {
            let is_own = page.run == Some(run);
            round.pages += f64::from(u8::from(is_own));
            match page.status {
                Some(304) if is_own => round.spared += bodies.get(&page.url).copied().unwrap_or(0) as f64,
                Some(200..=299) => drop(bodies.insert(page.url, page.bytes)),
                _ => {}
            }
        })?;
        Ok((round, value))
    }

    /// Scores the objects on the pages of a round.
    pub(super) fn score_round(&self, round: &Round, truths: &Truths) -> Result<Scores> {
        let mut urls = HashSet::new();
        each_page(self.session.store(), |page| {
            if page.run == round.run && matches!(page.status, Some(200..=299 | 304)) {
                urls.insert(page.url);
            }
        })?;
        self.found(truths, |url| urls.contains(url))
    }

    pub(super) fn score_all(&self, truths: &Truths) -> Result<Scores> {
        self.found(truths, |_| true)
    }

    /// Returns the true objects that the workspace holds as current.
    pub(super) fn recognised(&self, truth: &Truth) -> Result<BTreeSet<u32>> {
        let (_, current) = self.objects(|_| true)?;
        Ok(recognised(truth, &current))
    }

    fn found(&self, truths: &Truths, counts: impl Fn(&str) -> bool) -> Result<Scores> {
        let (all, current) = self.objects(counts)?;
        let score = |truth: &Truth, objects: Vec<FoundObject>| {
            let found = magpie_lab::Found {
                objects,
                fetches: Vec::new(),
            };
            score(truth, &found)
        };
        Ok(Scores {
            all: score(&truths.all, all),
            current: score(&truths.current, current),
        })
    }

    /// Returns the objects on pages that count, all of them and those that have not expired.
    fn objects(&self, counts: impl Fn(&str) -> bool) -> Result<(Vec<FoundObject>, Vec<FoundObject>)> {
        let reader = self.session.store();
        let mut clusters: BTreeMap<ObjectId, Vec<String>> = BTreeMap::new();
        for row in reader.all_objects_on_pages(self.session.vertical())? {
            if counts(&row.url) {
                clusters.entry(row.object).or_default().push(row.url);
            }
        }
        let (mut all, mut current) = (Vec::new(), Vec::new());
        let now = self.session.now();
        for (cluster, sources) in clusters {
            let Some(row) = reader.object(cluster)? else {
                continue;
            };
            let found = found_object(&row.record, sources);
            if row
                .expires_at
                .is_none_or(|at| at.as_seconds() >= now.as_seconds())
            {
                current.push(found.clone());
            }
            all.push(found);
        }
        Ok((all, current))
    }

    /// Returns the objects on the pages of every host.
    pub(super) fn objects_by_host(&self) -> Result<BTreeMap<String, BTreeSet<ObjectId>>> {
        let mut hosts: BTreeMap<String, BTreeSet<ObjectId>> = BTreeMap::new();
        let reader = self.session.store();
        for row in reader.all_objects_on_pages(self.session.vertical())? {
            let rest = row
                .url
                .split_once("://")
                .map_or(row.url.as_str(), |(_, rest)| rest);
            let host = rest.split('/').next().unwrap_or(rest);
            hosts.entry(host.to_owned()).or_default().insert(row.object);
        }
        Ok(hosts)
    }
}

/// Runs some work and measures its duration.
pub(super) fn timed<T>(work: impl FnOnce() -> T) -> (Elapsed, T) {
    let (began, cpu) = (Instant::now(), cpu_time());
    let value = work();
    let took = Elapsed {
        seconds: began.elapsed().as_secs_f64(),
        cpu: cpu
            .zip(cpu_time())
            .map(|(before, after)| after.saturating_sub(before).as_secs_f64()),
    };
    (took, value)
}

/// Returns the CPU time of this process, on systems that report it. Linux counts it in hundredths
/// of a second.
fn cpu_time() -> Option<Duration> {
    let text = std::fs::read_to_string("/proc/self/stat").ok()?;
    // The program's name may contain anything, but no closing parenthesis comes after the one that
    // ends it.
    let mut fields = text.rsplit_once(')')?.1.split_whitespace();
    let user: u64 = fields.nth(11)?.parse().ok()?;
    let system: u64 = fields.next()?.parse().ok()?;
    Some(Duration::from_millis((user + system) * 10))
}

fn found_object(record: &Record, sources: Vec<String>) -> FoundObject {
    let attributes = record.attributes().map(|name| {
        let values = record.all(name).map(str::to_owned).collect();
        (name.to_owned(), values)
    });
    FoundObject {
        attributes: attributes.collect(),
        sources,
    }
}

fn each_page(reader: &dyn ReadStore, mut each: impl FnMut(magpie_rows::PageRow)) -> Result<()> {
    reader.all_fetches(None)?.into_iter().for_each(&mut each);
    Ok(())
}

/// Fails if the folder exists, so that nothing is overwritten.
fn check_is_free(folder: &Path) -> Result<()> {
    ensure!(
        !folder.exists(),
        "{} already exists; remove it, or keep the workspaces in another folder",
        folder.display()
    );
    Ok(())
}

fn check_not_stopped(is_finished: bool) -> Result<()> {
    ensure!(is_finished, INTERRUPTED);
    Ok(())
}

const INTERRUPTED: &str = "the experiment was interrupted; run it again to start from the beginning";

/// Copies a folder with all that is in it.
pub(crate) fn copy_folder(from: &Path, into: &Path) -> std::io::Result<()> {
    std::fs::create_dir_all(into)?;
    for entry in std::fs::read_dir(from)? {
        let entry = entry?;
        let target = into.join(entry.file_name());
        match entry.file_type()?.is_dir() {
            true => copy_folder(&entry.path(), &target)?,
            false => std::fs::copy(entry.path(), target).map(drop)?,
        }
    }
    Ok(())
}
