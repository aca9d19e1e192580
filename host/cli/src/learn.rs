//! `magpie learn`: from a few objects, or from sites, to the pages that are worth fetching.

pub(crate) mod find;

use std::collections::HashSet;
use std::process::ExitCode;
use std::time::Instant;

use magpie_engine::collect::{
    Barren, Chosen, CollectError, Made, Method, NAVIGATIONS, NavigationFileError, Wayed,
};
use magpie_engine::crawl::{Target, site_key};
use magpie_engine::settings::Resolved;
use magpie_learn::select::{Bound, Selection};
use magpie_model::CanonicalUrl;
use magpie_store::{Counts, Frontier, Reader, SiteId, StageRow, UrlState};
use serde_json::{Value, json};

use crate::args::{LearnArgs, LearnStage};
use crate::crawl::{self, now};
use crate::desk::{Desk, Errand, stopped};
use crate::failure::{Failure, Kind};
use crate::printer::{Printer, Tone};
use crate::{figures, outlet, recrawl, report, show};

/// The kind of a run that learns.
const KIND: &str = "learn";

impl LearnStage {
    /// All, in their order.
    const ALL: [LearnStage; 8] = [
        LearnStage::Find,
        LearnStage::Sample,
        LearnStage::Expand,
        LearnStage::Crawl,
        LearnStage::Cluster,
        LearnStage::Patterns,
        LearnStage::Select,
        LearnStage::Navigate,
    ];

    /// Its name in the workspace.
    fn name(self) -> &'static str {
        match self {
            LearnStage::Find => "find",
            LearnStage::Sample => "sample",
            LearnStage::Expand => "expand",
            LearnStage::Crawl => "crawl",
            LearnStage::Cluster => "cluster",
            LearnStage::Patterns => "patterns",
            LearnStage::Select => "select",
            LearnStage::Navigate => "navigate",
        }
    }
}

/// Codes of URLs that were not fetched because their host can't be reached.
const UNREACHED: [&str; 4] = ["dns", "connect", "tls", "timeout"];

/// The name under which a stage keeps how many seconds it took.
pub(crate) const SECONDS: &str = "seconds";

/// What a stage did.
pub(super) struct Done {
    /// For people.
    pub(super) sentence: String,
    /// What it goes on from, and what programs want to know.
    pub(super) kept: Value,
}

pub(crate) fn run(arguments: &LearnArgs, printer: &mut Printer) -> Result<ExitCode, Failure> {
    outlet::check(arguments.report.as_deref())?;
    let desk = Desk::open(
        &arguments.settings,
        &arguments.short,
        arguments.vertical.as_deref(),
        |resolved| {
            let pages = resolved.settings.learn.pages;
            resolved.change_all(|settings| settings.scope.pages = settings.scope.pages.min(pages));
        },
    )?;
    let mut learning = Learning {
        arguments,
        done: desk.workspace.reader()?.stages(&desk.vertical)?,
        again: Vec::new(),
        desk: &desk,
    };
    learning.forget()?;
    for stage in LearnStage::ALL {
        if learning.is_done(stage) {
            continue;
        }
        let began = Instant::now();
        let Some(done) = learning.work(stage, printer)? else {
            printer.tell("stopped; `magpie learn` goes on");
            return Ok(ExitCode::from(Kind::Stopped as u8));
        };
        learning.tell(stage, &done, began, printer)?;
        learning.keep(stage, done, began)?;
    }
    learning.finish(printer)
}

/// Learning under way.
pub(super) struct Learning<'a> {
    pub(super) arguments: &'a LearnArgs,
    pub(super) desk: &'a Desk,
    done: Vec<StageRow>,
    /// Stages that are to be done again, and stand in the workspace until the first of them is done: what was learned outlives a beginning
    /// that leads nowhere.
    again: Vec<&'static str>,
}

impl Learning<'_> {
    /// Forgets what is to be done again.
    fn forget(&mut self) -> Result<(), Failure> {
        let first = match self.arguments.from {
            Some(stage) => stage,
            // Other sites or seeds are another beginning.
            None if self.arguments.sites.is_some() || self.arguments.seeds.is_some() => {
                match self.begins_anew()? {
                    true => LearnStage::Find,
                    false => return Ok(()),
                }
            }
            // All was done: it is done again with what came in since.
            None if self.is_done(LearnStage::Navigate) => LearnStage::Crawl,
            None => return Ok(()),
        };
        if first > LearnStage::Find && !self.is_done(LearnStage::Find) {
            return Err(nothing_to_begin_with());
        }
        let again = LearnStage::ALL.into_iter().filter(|stage| *stage >= first);
        self.again = again.map(LearnStage::name).collect();
        self.done.retain(|row| !self.again.contains(&row.name.as_str()));
        Ok(())
    }

    fn begins_anew(&self) -> Result<bool, Failure> {
        let named = find::named(self.arguments, &self.desk.plugin()?)?;
        let before = self.kept(LearnStage::Find).map(|kept| kept["begun_with"].clone());
        Ok(before != Some(named.fingerprint()))
    }

    fn is_done(&self, stage: LearnStage) -> bool {
        self.done.iter().any(|row| row.name == stage.name())
    }

    /// What a stage that is done goes on from.
    pub(super) fn kept(&self, stage: LearnStage) -> Option<Value> {
        let row = self.done.iter().find(|row| row.name == stage.name())?;
        serde_json::from_str(&row.kept).ok()
    }

    fn keep(&mut self, stage: LearnStage, mut done: Done, began: Instant) -> Result<(), Failure> {
        done.kept[SECONDS] = json!(began.elapsed().as_secs_f64());
        let again = std::mem::take(&mut self.again);
        if !again.is_empty() {
            self.desk.workspace.forget_stages(&self.desk.vertical, &again)?;
        }
        let row = StageRow {
            vertical: self.desk.vertical.clone(),
            name: stage.name().to_owned(),
            ended_at: now(),
            sentence: done.sentence,
            kept: done.kept.to_string(),
        };
        self.desk.workspace.put_stage(row.clone())?;
        self.done.push(row);
        Ok(())
    }

    fn tell(
        &self,
        stage: LearnStage,
        done: &Done,
        began: Instant,
        printer: &mut Printer,
    ) -> Result<(), Failure> {
        let took = began.elapsed();
        if self.arguments.json {
            return printer.json(&json!({
                "stage": stage.name(), "did": done.sentence, "seconds": took.as_secs_f64(), "kept": done.kept,
            }));
        }
        if printer.is_quiet() {
            return Ok(());
        }
        let name = printer.paint(Tone::Strong, &format!("{:9}", stage.name()));
        let took = printer.paint(Tone::Quiet, &show::time(took));
        printer.line(&format!("{name} {}  {took}", done.sentence))
    }

    /// Does a stage. None when it was stopped before it was through.
    fn work(&self, stage: LearnStage, printer: &mut Printer) -> Result<Option<Done>, Failure> {
        match stage {
            LearnStage::Find => find::find(self, printer).map(Some),
            LearnStage::Sample => self.crawl(LearnStage::Find, "sample", printer),
            LearnStage::Expand => find::expand(self, printer).map(Some),
            LearnStage::Crawl => self.crawl(LearnStage::Expand, KIND, printer),
            LearnStage::Cluster => self.cluster(printer).map(Some),
            LearnStage::Patterns => self.patterns().map(Some),
            LearnStage::Select => self.select().map(Some),
            LearnStage::Navigate => self.navigate(printer).map(Some),
        }
    }

    /// Crawls the sites that a stage has found.
    fn crawl(
        &self,
        found_by: LearnStage,
        kind: &str,
        printer: &mut Printer,
    ) -> Result<Option<Done>, Failure> {
        let sites = self.sites(found_by);
        if kind != KIND
            && self
                .kept(LearnStage::Find)
                .is_some_and(|kept| kept["search"] == json!(false))
        {
            return Ok(Some(Done {
                sentence: "the sites are named, so none has to be sampled".to_owned(),
                kept: json!({}),
            }));
        }
        if kind == KIND {
            self.release_held(&sites)?;
        }
        let (run, began) = self.desk.run(kind)?;
        let bare: HashSet<CanonicalUrl> = self.urls(found_by, "bare").into_iter().collect();
        let first = sites.iter().cloned().map(|home| match bare.contains(&home) {
            true => Target::Host(home),
            false => Target::From(home),
        });
        for home in &sites {
            self.try_again(home)?;
        }
        let errand = Errand {
            run,
            began,
            // The first pages come first: a site is entered by the first of its pages that is there.
            targets: first
                .chain(self.urls(found_by, "ways_in").into_iter().map(Target::From))
                .collect(),
            guides: None,
            varied: false,
            most: None,
            json: self.arguments.json,
        };
        let crawled = self.desk.crawl(&errand, printer)?;
        if stopped(&crawled) {
            return Ok(None);
        }
        self.desk.end(run)?;
        if kind != KIND {
            self.desk.cluster(printer)?;
        }
        // A crawl that went on counts what it had fetched before, too.
        self.desk.workspace.flush()?;
        let reader = self.desk.workspace.reader()?;
        let totals = reader.run_totals(&self.desk.vertical, &[run], (began, i64::MAX))?;
        let progress = crawled.progress;
        let is_unreached = !progress.unreached.is_empty() && progress.unreached.len() >= sites.len();
        if totals.pages == 0 && is_unreached {
            return Err(crawl::unreached(&progress));
        }
        let mut sentence = format!(
            "{} of {}, {}, {} on them",
            show::many(totals.pages, "page"),
            show::count(sites.len(), "site"),
            show::bytes(totals.bytes),
            show::many(totals.records, "record"),
        );
        if progress.pages == 0 && progress.unreached.is_empty() {
            sentence.push_str(&format!(
                "; {}",
                crawl::why_nothing(&progress, &reader.counts(None)?)
            ));
        }
        for (site, why) in &progress.unreached {
            sentence.push_str(&format!("; {site} can't be reached: {why}"));
        }
        Ok(Some(Done {
            sentence,
            kept: json!({"run": run.0, "pages": totals.pages, "bytes": totals.bytes,
                "records": totals.records, "sites": sites.len(), "unreached": progress.unreached}),
        }))
    }

    /// Queues what recrawls and smaller budgets have put aside at sites that are learned: learning
    /// goes as deep as its own budget.
    fn release_held(&self, homes: &[CanonicalUrl]) -> Result<(), Failure> {
        for home in homes {
            let key = site_key(self.desk.resolved.for_host(home.host()), home);
            let site = self.desk.workspace.site(&key)?;
            self.desk.workspace.queue_again(site, UrlState::Held, None)?;
        }
        Ok(())
    }

    /// Queues again what of a site could not be reached: whoever calls this wants it tried.
    fn try_again(&self, home: &CanonicalUrl) -> Result<(), Failure> {
        let key = site_key(self.desk.resolved.for_host(home.host()), home);
        let site = self.desk.workspace.site(&key)?;
        for code in UNREACHED {
            self.desk
                .workspace
                .queue_again(site, UrlState::Failed, Some(code))?;
        }
        Ok(())
    }

    /// Leaves the sites out that were named before, never learned, and are not among these. Returns
    /// their keys.
    pub(super) fn leave_out_others(&self, homes: &[CanonicalUrl]) -> Result<Vec<String>, Failure> {
        let key = |home: &CanonicalUrl| site_key(self.desk.resolved.for_host(home.host()), home);
        let keys: HashSet<String> = homes.iter().map(key).collect();
        let reader = self.desk.workspace.reader()?;
        let begun = begun(&reader, &self.desk.vertical, &self.desk.resolved)?;
        let others = begun.into_iter().map(|(key, _)| key);
        let others: Vec<String> = others.filter(|key| !keys.contains(key)).collect();
        for other in &others {
            self.desk.collection(now()).leave_queue(other)?;
        }
        Ok(others)
    }

    /// How many sites were learned before and are not among these.
    pub(super) fn others_than(&self, homes: &[CanonicalUrl]) -> Result<usize, Failure> {
        let key = |home: &CanonicalUrl| site_key(self.desk.resolved.for_host(home.host()), home);
        let keys: HashSet<String> = homes.iter().map(key).collect();
        let learned = self.desk.workspace.reader()?.learned_sites(&self.desk.vertical)?;
        Ok(learned.iter().filter(|site| !keys.contains(&site.key)).count())
    }

    /// The first pages of the sites that a stage has found.
    fn sites(&self, stage: LearnStage) -> Vec<CanonicalUrl> {
        self.urls(stage, "sites")
    }

    /// What a stage has kept by a name.
    fn urls(&self, stage: LearnStage, name: &str) -> Vec<CanonicalUrl> {
        let kept = self.kept(stage).unwrap_or_default();
        let urls = kept[name].as_array().cloned().unwrap_or_default();
        let urls = urls.iter().filter_map(Value::as_str);
        urls.filter_map(CanonicalUrl::trusted).collect()
    }

    fn cluster(&self, printer: &mut Printer) -> Result<Done, Failure> {
        let report = self.desk.cluster(printer)?.unwrap_or_default();
        for notice in &report.notices {
            printer.warn(notice);
        }
        let by = match report.matcher.as_str() {
            "plugin" => "by the vertical's own comparison",
            _ => "by what the schema says of them",
        };
        let new = match report.objects {
            0 => "nothing new since it was done last".to_owned(),
            records => format!(
                "{} on {}, {} of them new",
                show::many(records, "record"),
                show::many(report.pages, "page"),
                show::thousands(report.new_members)
            ),
        };
        Ok(Done {
            sentence: format!("{} in all {by}; {new}", show::many(report.clusters, "object")),
            kept: json!({"records": report.objects, "new_records": report.new_members, "objects": report.clusters}),
        })
    }

    /// Returns the sites to learn, as the frontier has them. If all that were named have been
    /// dropped, these are the sites that were learned before.
    fn known_sites(&self) -> Result<Vec<(SiteId, String)>, Failure> {
        let mut met = HashSet::new();
        let homes = self.sites(LearnStage::Expand);
        if homes.is_empty() {
            let learned = self.desk.workspace.reader()?.learned_sites(&self.desk.vertical)?;
            return Ok(learned.into_iter().map(|site| (site.site, site.key)).collect());
        }
        let keys = homes
            .iter()
            .map(|home| site_key(self.desk.resolved.for_host(home.host()), home));
        let keys = keys.filter(|key| met.insert(key.clone()));
        keys.map(|key| Ok((self.desk.workspace.site(&key)?, key)))
            .collect()
    }

    fn patterns(&self) -> Result<Done, Failure> {
        let sites = self.known_sites()?;
        let made = self.desk.collection(now()).make_patterns(&sites)?;
        if made.sites == 0 {
            let counts = self.desk.workspace.reader()?.status()?.urls;
            return Err(no_objects(&self.desk.vertical, &made, &counts));
        }
        let mut sentence = format!(
            "{} with objects among {} of {} make {}",
            show::count(made.yielding, "page"),
            show::thousands(made.pages as u64),
            show::count(made.sites, "site"),
            show::count(made.patterns, "pattern"),
        );
        if let (Some(recall), Some(precision)) = (made.recall, made.precision) {
            sentence.push_str(&format!(
                "; of {} kept from them they find {:.1} %, and {:.1} % of {} that they match have objects",
                show::count(made.held_out, "page"),
                recall * 100.0,
                precision * 100.0,
                show::count(made.matched, "page"),
            ));
        }
        if made.unreached > 0 {
            sentence.push_str(&format!(
                "; {} only where no link, sitemap or feed leads, so that no round comes by there",
                show::count(made.unreached, "object")
            ));
        }
        if !made.without_objects.is_empty() {
            sentence.push_str(&format!("; without objects: {}", show::listed(&barren(&made))));
        }
        Ok(Done {
            sentence,
            kept: json!({
                "sites": made.sites,
                "pages": made.pages,
                "yielding": made.yielding,
                "patterns": made.patterns,
                "unreached": made.unreached,
                "recall": made.recall,
                "held_out": made.held_out,
                "precision": made.precision,
                "matched": made.matched,
                "without_objects": made.without_objects.iter().map(|barren| &barren.site).collect::<Vec<_>>(),
            }),
        })
    }

    fn select(&self) -> Result<Done, Failure> {
        let chosen = self.desk.collection(now()).choose(false)?;
        let selection = &chosen.selection;
        Ok(Done {
            sentence: format!(
                "{} of {} patterns at {} by {}: {} for {:.0} pages a round, {}{}",
                selection.patterns.len(),
                chosen.candidates,
                show::count(chosen.sites, "site"),
                chosen.strategy,
                of_found(selection.covered, selection.coverable),
                selection.cost,
                how_good(selection),
                in_doubt(&chosen),
            ),
            kept: json!({"patterns": selection.patterns.len(), "candidates": chosen.candidates,
                "sites": chosen.sites, "cost": selection.cost, "covered": selection.covered,
                "coverable": selection.coverable, "gap": selection.gap(), "interval": chosen.interval}),
        })
    }

    fn navigate(&self, printer: &mut Printer) -> Result<Done, Failure> {
        let wayed = self.desk.collection(now()).find_ways()?;
        tell_of_kept(&wayed, printer);
        let refresh =
            i64::try_from(self.desk.resolved.settings.recrawl.refresh.as_millis()).unwrap_or(i64::MAX);
        let round_now = recrawl::promised(self.desk, Method::Selective, now())?;
        let round_due = recrawl::promised(self.desk, Method::Selective, now().saturating_add(refresh))?;
        let maps = match wayed.mapped {
            0 => String::new(),
            mapped => format!(
                ", with the sitemaps and feeds of {},",
                show::count(mapped, "site")
            ),
        };
        Ok(Done {
            sentence: format!(
                "{}{maps} lead to {} of {} on pages of chosen patterns at {}, each counted at every site that has it; a round fetches {} now, and {} when all its \
                 pages are due; the ways are in {}",
                show::count(wayed.hubs, "hub page"),
                show::thousands(wayed.reached as u64),
                show::many(wayed.reachable as u64, "object"),
                show::count(wayed.sites, "site"),
                show::many(round_now, "page"),
                show::thousands(round_due),
                self.desk.folder.join(NAVIGATIONS).display(),
            ),
            kept: json!({
                "sites": wayed.sites,
                "mapped": wayed.mapped,
                "hubs": wayed.hubs,
                "reached": wayed.reached,
                "reachable": wayed.reachable,
                "round_pages": round_now,
                "round_pages_when_due": round_due,
            }),
        })
    }

    fn finish(&self, printer: &mut Printer) -> Result<ExitCode, Failure> {
        let began = Instant::now();
        let written = report::after_learning(self.desk, self.arguments.report.as_deref())?;
        let report::Written { path, figures, sites } = written;
        if self.arguments.json {
            let sites = sites.iter().map(figures::site_json);
            printer.json(&json!({
                "stage": "report", "did": report::told(&path), "seconds": began.elapsed().as_secs_f64(), "report": path,
                "figures": figures, "sites": sites.collect::<Vec<_>>(),
            }))?;
        } else {
            figures::warn(&sites, printer);
            if !printer.is_quiet() {
                figures::learned(&figures, &sites)
                    .iter()
                    .try_for_each(|line| printer.line(line))?;
            }
            printer.hint("`magpie recrawl` fetches what is new from now on; `magpie patterns` and `magpie sites` show what was learned");
            printer.line(&report::told(&path))?;
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// Returns the sites that learning has found and that were not learned, by their keys, with their
/// first pages.
pub(crate) fn begun(
    reader: &Reader,
    vertical: &str,
    resolved: &Resolved,
) -> Result<Vec<(String, CanonicalUrl)>, Failure> {
    let mut met: HashSet<String> = HashSet::new();
    met.extend(reader.learned_sites(vertical)?.into_iter().map(|site| site.key));
    let mut begun = Vec::new();
    for row in reader.stages(vertical)? {
        let kept: Value = serde_json::from_str(&row.kept).unwrap_or_default();
        let sites = kept["sites"].as_array().into_iter().flatten();
        for home in sites.filter_map(|home| CanonicalUrl::trusted(home.as_str()?)) {
            let key = site_key(resolved.for_host(home.host()), &home);
            if met.insert(key.clone()) {
                begun.push((key, home));
            }
        }
    }
    Ok(begun)
}

/// Takes a site from those that learning has found, so that it isn't learned again with the others.
pub(crate) fn leave_out(desk: &Desk, key: &str) -> Result<(), Failure> {
    let is_other = |home: &Value| {
        let home = home.as_str().and_then(CanonicalUrl::trusted);
        home.is_none_or(|home| site_key(desk.resolved.for_host(home.host()), &home) != key)
    };
    for mut row in desk.workspace.reader()?.stages(&desk.vertical)? {
        let mut kept: Value = serde_json::from_str(&row.kept).unwrap_or_default();
        if let Some(sites) = kept["sites"].as_array_mut() {
            sites.retain(is_other);
            row.kept = kept.to_string();
            desk.workspace.put_stage(row)?;
        }
    }
    Ok(())
}

fn nothing_to_begin_with() -> Failure {
    Failure::usage("there is nothing to begin with")
        .hint("name a file with a few objects with `--seeds FILE`, or one with sites with `--sites FILE`")
}

/// The sites without objects, for people.
fn barren(made: &Made) -> Vec<String> {
    let told = |barren: &Barren| match &barren.why {
        Some(why) => format!("{} ({why})", barren.site),
        None => barren.site.clone(),
    };
    made.without_objects.iter().map(told).collect()
}

fn no_objects(vertical: &str, made: &Made, urls: &Counts) -> Failure {
    let pages = made.pages;
    let mut what = format!(
        "no object of {vertical} was found on {} of {}",
        show::count(pages, "page"),
        show::listed(&barren(made))
    );
    let reasons = urls.0.iter().filter_map(|((state, reason), count)| {
        let reason = reason.as_deref()?;
        Some(format!(
            "{} {} ({reason})",
            show::thousands(*count),
            state.as_str()
        ))
    });
    let reasons: Vec<String> = reasons.collect();
    if !reasons.is_empty() {
        what.push_str(&format!("; of the other URLs: {}", reasons.join(", ")));
    }
    if pages == 0 {
        return Failure::new(Kind::Input, what)
            .hint("`magpie explain URL` says why a page was not fetched; with other sites (`--sites FILE`) or seeds (`--seeds FILE`), `magpie learn` begins anew");
    }
    Failure::new(Kind::Input, what).hint("`magpie fetch URL` shows what the vertical makes of a page that has one; the pages are kept, so that `magpie learn --from crawl` goes on with them")
}

impl From<CollectError> for Failure {
    fn from(error: CollectError) -> Self {
        match error {
            CollectError::Store(error) => error.into(),
            CollectError::Navigation(
                NavigationFileError::Content { .. } | NavigationFileError::Missing(_),
            ) => Failure::new(Kind::Input, error.to_string()).hint(recrawl::NAVIGATION_REMEDY),
            error => Failure::new(Kind::Input, error.to_string()),
        }
    }
}

/// Tells where navigations are now that somebody had edited.
pub(crate) fn tell_of_kept(wayed: &Wayed, printer: &mut Printer) {
    for kept in &wayed.kept {
        printer.warn(&format!(
            "a navigation that had been edited is made anew; as it was, it is kept as {}",
            kept.display()
        ));
    }
}

/// The objects that are covered, of those that were found where links lead.
pub(crate) fn of_found(covered: f64, coverable: f64) -> String {
    let found = show::many(coverable as u64, "object");
    match coverable - covered < 0.5 {
        true => format!("all of {found} found so far"),
        false => format!(
            "{} of {found} found so far ({:.1} %)",
            show::thousands(covered as u64),
            covered / coverable * 100.0
        ),
    }
}

/// How far a selection is at most from the best there can be.
fn how_good(selection: &Selection) -> String {
    let percent = selection.gap() * 100.0;
    match selection.bound {
        Bound::Cost(_) => format!("at most {percent:.1} % above the least that these patterns allow"),
        Bound::Covered(_) => {
            format!("at most {percent:.1} % below the most that so many pages of these patterns bring")
        }
    }
}

/// What doubts about matches make of the number of objects; nothing where there are none.
fn in_doubt(chosen: &Chosen) -> String {
    let (low, high) = chosen.interval;
    match chosen.selection.covered - low < 0.5 {
        true => String::new(),
        false => format!("; as some matches are in doubt, {low:.0} to {high:.0} objects are to be expected"),
    }
}
