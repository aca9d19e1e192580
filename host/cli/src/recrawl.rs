//! `magpie recrawl`: what is new and what is due, and nothing else.

mod tell;

use std::process::ExitCode;
use std::sync::Arc;

use magpie_engine::collect::{Method, Plan, PlannedSite, Recorded, SiteOutcome};
use magpie_engine::crawl::{Guide, Guides, Target};
use magpie_engine::settings::Resolved;
use magpie_learn::drift::Relearn;
use magpie_model::CanonicalUrl;
use magpie_store::{Frontier, RunId};

use crate::args::{RecrawlArgs, RecrawlMethod};
use crate::crawl::{self, now};
use crate::desk::{Crawled, Desk, Errand, stopped};
use crate::failure::{Failure, Kind};
use crate::learn::tell_of_kept;
use crate::printer::Printer;
use crate::report::{self, Steps};
use crate::{outlet, show};

/// The kind of a run that recrawls.
const KIND: &str = "recrawl";

/// What to do about a navigation that can't be read.
pub(crate) const NAVIGATION_REMEDY: &str = "correct the file; or `magpie learn --from navigate` makes all of them anew and keeps edited ones beside them";

/// What a recrawl did, for people and programs.
pub(crate) struct Outcome {
    pub(crate) run: RunId,
    /// The method, as the workspace has it.
    pub(crate) method: &'static str,
    pub(crate) recorded: Recorded,
    pub(crate) crawled: Crawled,
    /// Pages that all known sites have.
    pub(crate) known: usize,
    /// Pages that it was to fetch, by a dry walk before it began.
    pub(crate) promised: u64,
    /// The part of that which the navigations as they were read last tell of.
    pub(crate) walked: u64,
    /// Pages that it fetched, without those of repairs.
    pub(crate) fetched: u64,
    /// Pages that the next round fetches, as of now.
    pub(crate) next: Option<u64>,
    /// Pages of unknown kinds that were looked at.
    pub(crate) explored: u64,
    /// Sites that were learned again.
    pub(crate) repaired: Vec<Repaired>,
    /// Why sites were left out.
    pub(crate) left_out: Vec<String>,
    /// Pages that were to be asked for.
    pub(crate) planned: usize,
    /// What was done, in order.
    pub(crate) steps: Steps,
}

pub(crate) fn run(arguments: &RecrawlArgs, printer: &mut Printer) -> Result<ExitCode, Failure> {
    outlet::check(arguments.report.as_deref())?;
    let desk = Desk::open(
        &arguments.settings,
        &arguments.short,
        arguments.vertical.as_deref(),
        prepare,
    )?;
    crawl::move_clock(arguments.later.as_deref())?;
    let method = match arguments.method {
        RecrawlMethod::Selective => Method::Selective,
        RecrawlMethod::AllPatterns => Method::AllPatterns,
        RecrawlMethod::Full => Method::Full,
    };
    let Some(outcome) = round(&desk, method, arguments.json, printer)? else {
        printer.tell("stopped; `magpie recrawl` goes on");
        return Ok(ExitCode::from(Kind::Stopped as u8));
    };
    let reported = report::after_recrawl(&desk, &outcome, now(), arguments.report.as_deref())?;
    // What was done is told, whether its report could be written or not.
    tell::outcome(&outcome, arguments, &reported, printer)?;
    reported.path?;
    outcome.all_sites()?;
    Ok(ExitCode::SUCCESS)
}

/// What a site says of pages that are not there is known from what was learned.
pub(crate) fn prepare(resolved: &mut Resolved) {
    resolved.change_all(|settings| settings.traps.soft_404 = false);
}

/// One recrawl. None when it was stopped before it was through.
pub(crate) fn round(
    desk: &Desk,
    method: Method,
    json: bool,
    printer: &mut Printer,
) -> Result<Option<Outcome>, Failure> {
    // A run that is begun here would go on once something is learned, and take for new what was found in between.
    if desk.workspace.reader()?.learned_sites(&desk.vertical)?.is_empty() {
        return Err(nothing_learned(desk));
    }
    let (run, began) = desk.run(KIND)?;
    let mut steps = Steps::begin();
    let plan = desk.collection(now()).plan(method, run)?;
    if plan.sites.is_empty() {
        desk.end(run)?;
        return Err(match reasons(&plan).as_slice() {
            [] => nothing_learned(desk),
            reasons => left_out(Kind::Input, reasons),
        });
    }
    for reason in reasons(&plan) {
        printer.warn(&format!("left out: {reason}"));
    }
    for (site, state) in &plan.idle {
        printer.warn(&format!(
            "{site}: no page that is known is of the state {state:?} in its navigation; are its patterns right?"
        ));
    }
    let planned = tell::plan(&plan, promised_of(desk, method, &plan.sites)?);
    printer.tell(&planned);
    steps.did("plan", planned);
    let recrawl = Recrawl {
        json,
        desk,
        run,
        began,
        most: None,
        repair: None,
    };
    let mut outcome = recrawl.carry_out(&plan, steps, printer)?;
    if let Some(outcome) = &mut outcome {
        outcome.next = Some(promised(desk, Method::Selective, now())?);
        desk.end(run)?;
    }
    Ok(outcome)
}

/// The pages that a round is to fetch at a moment, by a dry walk of the navigations and by what
/// rounds took beyond theirs.
pub(crate) fn promised(desk: &Desk, method: Method, at: i64) -> Result<u64, Failure> {
    promised_of(desk, method, &desk.collection(at).dry_walk(method)?)
}

fn promised_of(desk: &Desk, method: Method, sites: &[PlannedSite]) -> Result<u64, Failure> {
    let walked: usize = sites.iter().map(PlannedSite::promised).sum();
    Ok(walked as u64 + surplus(desk, method.word())?)
}

/// The pages that rounds took beyond a dry walk lately, on average: new pages, and redirects.
fn surplus(desk: &Desk, method: &str) -> Result<u64, Failure> {
    const ROUNDS: usize = 5;
    let reader = desk.workspace.reader()?;
    let beyond = report::beyond_walks(&reader, &desk.vertical, method)?;
    let last = &beyond[beyond.len().saturating_sub(ROUNDS)..];
    Ok(last.iter().sum::<u64>() / last.len().max(1) as u64)
}

/// A site that was learned again.
#[derive(Clone, Debug)]
pub(crate) struct Repaired {
    pub(crate) site: String,
    /// The pages that took.
    pub(crate) pages: u64,
    /// No object was found there any more, and what was learned before stays.
    pub(crate) in_vain: bool,
}

impl Outcome {
    /// An error where sites were left out.
    pub(crate) fn all_sites(&self) -> Result<(), Failure> {
        match self.left_out.as_slice() {
            [] => self.any_answer(),
            reasons => Err(left_out(Kind::Found, reasons)),
        }
    }

    /// An error where nothing answered at all, which is hardly the fault of the sites.
    fn any_answer(&self) -> Result<(), Failure> {
        let rounds = || self.recorded.sites.iter().map(|site| &site.round);
        let (pages, failures) = rounds().fold((0, 0), |(pages, failures), round| {
            (pages + round.pages, failures + round.failures)
        });
        let is_mended = self.repaired.iter().any(|repaired| !repaired.in_vain);
        if self.planned == 0 || failures < pages || is_mended {
            return Ok(());
        }
        let what = format!(
            "none of {} of {} could be had",
            show::count(self.planned, "page"),
            show::count(rounds().count(), "site")
        );
        Err(Failure::new(Kind::Found, what)
            .hint("`magpie explain URL` says why; look after the network, and after `network.proxy` if there is one"))
    }
}

/// Why sites are left out.
fn reasons(plan: &Plan) -> Vec<String> {
    plan.left_out.iter().map(ToString::to_string).collect()
}

pub(crate) fn left_out(kind: Kind, reasons: &[String]) -> Failure {
    let sites = show::count(reasons.len(), "site");
    Failure::new(kind, format!("{sites} left out: {}", reasons.join("\n"))).hint(NAVIGATION_REMEDY)
}

pub(crate) fn nothing_learned(desk: &Desk) -> Failure {
    Failure::usage(format!("nothing was learned of {} yet", desk.vertical))
        .hint("learn first, as in `magpie learn --sites FILE` or `magpie learn --seeds FILE`")
}

/// How a plan is carried out.
pub(crate) struct Recrawl<'a> {
    pub(crate) json: bool,
    pub(crate) desk: &'a Desk,
    pub(crate) run: RunId,
    /// When it began: what is found from here on is new.
    pub(crate) began: i64,
    /// Pages that may be asked for, besides those of repairs.
    pub(crate) most: Option<u64>,
    /// Pages that the repair of a site may take; a part of those that were ever fetched of it, where nothing is said.
    pub(crate) repair: Option<u64>,
}

/// A site that is learned again is asked for one in so many of the pages that were ever fetched of it: with less than that most find
/// their lists again, and one that is endless would else take all its pages once more ...
const REPAIR: usize = 10;

/// ... but for so many at least, with which something can be learned.
pub(crate) const LEAST_REPAIR: u64 = 50;

impl Recrawl<'_> {
    /// Fetches what is planned, puts together what was found, and mends what does not do as it did. None when it was stopped before it was
    /// through.
    pub(crate) fn carry_out(
        &self,
        plan: &Plan,
        mut steps: Steps,
        printer: &mut Printer,
    ) -> Result<Option<Outcome>, Failure> {
        let known = plan.sites.iter().map(|site| Target::Known(site.key.clone()));
        let named = plan.named.iter().cloned().map(Target::From);
        let errand = Errand {
            guides: plan.guides(),
            most: self.most,
            ..self.errand(known.chain(named).collect())
        };
        let crawled = self.desk.crawl(&errand, printer)?;
        if stopped(&crawled) {
            return Ok(None);
        }
        steps.did("crawl", tell::crawled(&crawled));
        let clustered = self.desk.cluster(printer)?;
        steps.did("cluster", tell::clustered(clustered.as_ref()));
        let recorded = self.desk.collection(now()).record(plan, self.run, self.began)?;
        steps.did("record", tell::recorded(&recorded));
        let walked = plan.sites.iter().map(PlannedSite::promised).sum::<usize>() as u64;
        let mut outcome = Outcome {
            promised: walked + surplus(self.desk, plan.word)?,
            walked,
            fetched: recorded.sites.iter().map(|site| site.round.pages).sum(),
            next: None,
            run: self.run,
            method: plan.word,
            known: plan.sites.iter().map(|site| site.known).sum(),
            recorded,
            crawled,
            explored: 0,
            repaired: Vec::new(),
            left_out: reasons(plan),
            planned: plan.sites.iter().map(PlannedSite::pages).sum(),
            steps,
        };
        if plan.judges && !self.mend(plan, &mut outcome, printer)? {
            return Ok(None);
        }
        Ok(Some(outcome))
    }

    fn errand(&self, targets: Vec<Target>) -> Errand {
        Errand {
            run: self.run,
            began: self.began,
            targets,
            guides: None,
            most: None,
            varied: false,
            json: self.json,
        }
    }

    /// Looks at pages of unknown kinds, and learns sites again that no longer bring what they did. Whether it was not stopped.
    fn mend(&self, plan: &Plan, outcome: &mut Outcome, printer: &mut Printer) -> Result<bool, Failure> {
        let settings = &self.desk.resolved.settings.recrawl;
        let mut changed: Vec<String> = Vec::new();
        let unknown: Vec<_> = outcome
            .recorded
            .sites
            .iter()
            .filter(|site| !site.shapes.is_empty())
            .collect();
        if settings.explore > 0 && !unknown.is_empty() {
            let Some(explored) = self.explore(&unknown, printer)? else {
                return Ok(false);
            };
            outcome.explored = explored;
            outcome.fetched += explored;
            outcome.steps.did(
                "explore",
                format!("{} of unknown kinds were looked at", show::many(explored, "page")),
            );
            changed.extend(unknown.iter().map(|site| site.key.clone()));
        }
        let turned = outcome.recorded.sites.iter().filter(|site| site.further > 0);
        changed.extend(turned.map(|site| site.key.clone()));
        let broken: Vec<_> = outcome
            .recorded
            .sites
            .iter()
            .filter(|site| site.relearn != Relearn::Nothing && site.has_answered())
            .cloned()
            .collect();
        if settings.repair {
            for site in broken {
                let Some(pages) = self.repair(&site, printer)? else {
                    return Ok(false);
                };
                let sentence = format!("{} was crawled anew: {}", site.key, show::many(pages, "page"));
                outcome.steps.did("repair", sentence);
                changed.push(site.key.clone());
                outcome.repaired.push(Repaired {
                    site: site.key,
                    pages,
                    in_vain: false,
                });
            }
        }
        changed.sort_unstable();
        changed.dedup();
        if !changed.is_empty() {
            let barren = self.learn_again(&changed, printer)?;
            for repaired in &mut outcome.repaired {
                repaired.in_vain = barren.contains(&repaired.site);
            }
            let sites = show::count(changed.len(), "site");
            outcome.steps.did(
                "learn again",
                format!("patterns and ways of {sites} were made anew, and the choice brought up to date"),
            );
            let collection = self.desk.collection(now());
            collection.recount(plan, (self.run, self.began), &mut outcome.recorded, &changed)?;
        }
        Ok(true)
    }

    /// Fetches a few pages of every kind that lists began to link to.
    fn explore(&self, sites: &[&SiteOutcome], printer: &mut Printer) -> Result<Option<u64>, Failure> {
        let most = usize::try_from(self.desk.resolved.settings.recrawl.explore).unwrap_or(usize::MAX);
        let (mut targets, mut pages) = (Vec::new(), 0);
        let collection = self.desk.collection(now());
        let reader = self.desk.workspace.reader()?;
        for site in sites {
            let exploration = collection.view(&reader).exploration(&site.shapes, most)?;
            pages += exploration.pages();
            collection.queue_exploration(&exploration)?;
            targets.extend(exploration.known.into_keys().map(Target::Known));
            targets.extend(exploration.new.into_iter().map(Target::From));
        }
        let errand = Errand {
            guides: Some(Arc::new(NothingElse)),
            // Each of them may be a redirect; whatever else waits at these sites is not meant.
            most: Some(2 * pages as u64),
            ..self.errand(targets)
        };
        let crawled = self.desk.crawl(&errand, printer)?;
        printer.tell(&format!(
            "lists link to pages of {} nothing is known of; {} looked at",
            show::count(sites.iter().map(|site| site.shapes.len()).sum(), "kind"),
            show::many(crawled.progress.pages, "page")
        ));
        Ok((!stopped(&crawled)).then_some(crawled.progress.pages))
    }

    /// Crawls a site anew from its entry page and the hubs that still stand.
    fn repair(&self, site: &SiteOutcome, printer: &mut Printer) -> Result<Option<u64>, Failure> {
        let key = &site.key;
        let what = match &site.relearn {
            Relearn::Folders(folders) => {
                format!(
                    "pages below {} no longer bring what they did",
                    show::listed(folders)
                )
            }
            _ if site.lists_are_gone() => "its lists are not there any more, or lead nowhere".to_owned(),
            _ => "its pages no longer bring what they did".to_owned(),
        };
        printer.warn(&format!("{key}: {what}; it is learned again"));
        let most = (site.fetched.div_ceil(REPAIR) as u64).max(LEAST_REPAIR);
        let most = self.repair.unwrap_or(most);
        let named = self.desk.collection(now()).plan_repair(key, self.run, most)?;
        let known = [Target::Known(key.clone())].into_iter();
        let targets = known.chain(named.into_iter().map(Target::From)).collect();
        let errand = Errand {
            most: Some(most),
            varied: true,
            ..self.errand(targets)
        };
        let crawled = self.desk.crawl(&errand, printer)?;
        Ok((!stopped(&crawled)).then_some(crawled.progress.pages))
    }

    /// Makes the patterns of some sites anew from what is known now, and brings the choice and the ways up to date. Those of them that have
    /// no object any more.
    fn learn_again(&self, keys: &[String], printer: &mut Printer) -> Result<Vec<String>, Failure> {
        self.desk.cluster(printer)?;
        let collection = self.desk.collection(now());
        let mut sites = Vec::new();
        for key in keys {
            sites.push((self.desk.workspace.site(key)?, key.clone()));
        }
        let made = collection.renew_patterns(&sites)?;
        collection.choose(true)?;
        tell_of_kept(&collection.find_ways_of(keys)?, printer);
        let barren = made.without_objects.into_iter();
        Ok(barren.map(|barren| barren.site).collect())
    }
}

/// Follows no link.
struct NothingElse;

impl Guides for NothingElse {
    fn guide(&self, _: &str) -> Option<Box<dyn Guide>> {
        Some(Box::new(NothingElse))
    }
}

impl Guide for NothingElse {
    fn wants(&mut self, _: &CanonicalUrl, _: &CanonicalUrl, _: bool) -> bool {
        false
    }

    fn reads_sitemaps(&self) -> bool {
        false
    }

    fn wants_named(&mut self, _: &CanonicalUrl) -> bool {
        false
    }

    fn is_list(&self, _: &CanonicalUrl) -> bool {
        false
    }

    fn wants_whole(&self, _: &CanonicalUrl) -> bool {
        false
    }

    fn fetched(&mut self, _: &CanonicalUrl, _: u64, _: u64) {}
}
