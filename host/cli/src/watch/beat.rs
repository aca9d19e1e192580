//! One beat of a watch: what is due is fetched, and what it did is told.

use std::time::Duration;

use magpie_engine::collect::{Forecast, Outlook, Pick, Purpose, WATCH};
use magpie_engine::settings::{Budget, Value};
use magpie_store::RunId;
use serde_json::{Value as Json, json};

use crate::crawl::now;
use crate::desk::Desk;
use crate::explain::moment;
use crate::failure::Failure;
use crate::printer::Printer;
use crate::recrawl::{LEAST_REPAIR, Outcome, Recrawl, Repaired};
use crate::report::Steps;
use crate::show;

/// A run is ended and another begun after so long: each has its own files in the archive.
const RUN: i64 = 86_400_000;

/// The repair of a site may take this part of a period's budget in advance.
const REPAIR: f64 = 0.1;

/// What a beat did.
pub(super) struct Beat {
    pub(super) at: i64,
    pub(super) budget: Budget,
    /// What was picked, by purpose: lists, known pages, new pages.
    pub(super) picked: [usize; 3],
    pub(super) watched: usize,
    pub(super) sites: usize,
    /// Pages that came, and requests that failed.
    pub(super) pages: u64,
    pub(super) failures: u64,
    pub(super) new_objects: u64,
    pub(super) explored: u64,
    pub(super) repaired: Vec<Repaired>,
    /// Pages that may be asked for at once.
    pub(super) left: u64,
    /// Until a page may be asked for; none if never.
    pub(super) wait: Option<Duration>,
    /// When the next page is due; none if none ever is.
    pub(super) next_due: Option<i64>,
    /// Pages that are due and wait for the budget of their site.
    pub(super) held: usize,
    pub(super) forecast: Forecast,
    pub(super) problems: Vec<String>,
    /// So many of them, the first, are of sites that are left out.
    pub(super) left_out: usize,
    pub(super) stopped: bool,
}

/// Fetches what is due.
pub(super) fn run(desk: &Desk, budget: Budget, json: bool, printer: &mut Printer) -> Result<Beat, Failure> {
    let at = now();
    let reader = desk.workspace.reader()?;
    let collection = desk.collection(at);
    let outlook = collection.view(&reader).outlook(&budget)?;
    drop(reader);
    let due = outlook.due(outlook.allowance.pages());
    let picks = due.picks;
    let mut beat = Beat {
        at,
        budget,
        picked: by_purpose(&outlook, &picks),
        watched: outlook.pages.len(),
        sites: outlook.sites.len(),
        pages: 0,
        failures: 0,
        new_objects: 0,
        explored: 0,
        repaired: Vec::new(),
        left: outlook.allowance.pages(),
        wait: outlook.allowance.wait(),
        next_due: due.next,
        held: due.held,
        forecast: outlook.forecast(1.0),
        problems: outlook.problems.clone(),
        left_out: outlook.problems.len(),
        stopped: false,
    };
    if picks.is_empty() {
        return Ok(beat);
    }
    let run = run_of_day(desk, at)?;
    let plan = collection.plan_beat(&outlook, &picks)?;
    let recrawl = Recrawl {
        json: false,
        desk,
        run,
        began: at,
        most: Some(outlook.allowance.pages()),
        repair: Some(((budget.amount / outlook.allowance.page * REPAIR) as u64).max(LEAST_REPAIR)),
    };
    drop(outlook);
    let outcome = match json {
        true => recrawl.carry_out(&plan, Steps::begin(), &mut Printer::silent())?,
        false => recrawl.carry_out(&plan, Steps::begin(), printer)?,
    };
    match outcome {
        Some(outcome) => beat.take(&outcome),
        None => beat.stopped = true,
    }
    beat.count_left(desk)?;
    Ok(beat)
}

/// Goes on with the run of this day, or begins one.
fn run_of_day(desk: &Desk, now: i64) -> Result<RunId, Failure> {
    let (run, began) = desk.run(WATCH)?;
    if (now - RUN..=now).contains(&began) {
        return Ok(run);
    }
    desk.end(run)?;
    Ok(desk.run(WATCH)?.0)
}

fn by_purpose(outlook: &Outlook, picks: &[Pick]) -> [usize; 3] {
    let of = |purpose| {
        let is = |pick: &&Pick| outlook.pages[pick.page].purpose == purpose;
        picks.iter().filter(is).count()
    };
    [of(Purpose::News), of(Purpose::Objects), of(Purpose::New)]
}

impl Beat {
    fn take(&mut self, outcome: &Outcome) {
        let rounds = || outcome.recorded.sites.iter().map(|site| &site.round);
        self.pages = rounds().map(|round| round.pages).sum();
        self.failures = rounds().map(|round| round.failures).sum();
        self.new_objects = rounds().map(|round| round.new_objects).sum();
        self.explored = outcome.explored;
        self.repaired.clone_from(&outcome.repaired);
        let shut = outcome.recorded.sites.iter().filter(|site| !site.has_answered());
        self.problems.extend(shut.map(|site| {
            let why = match site.round.state.as_str() {
                "forbidden" => "forbids by its robots.txt what was to be asked for",
                _ => "answers nothing: it is down, or has shut us out",
            };
            format!("{} {why}; it is tried again more and more rarely", site.key)
        }));
    }

    /// What is left of the budget after the beat.
    fn count_left(&mut self, desk: &Desk) -> Result<(), Failure> {
        let reader = desk.workspace.reader()?;
        let at = now();
        let since = magpie_engine::collect::Allowance::since(&self.budget, at);
        let spent = reader.spent(WATCH, since)?;
        let bytes = spent.iter().map(|spent| spent.bytes).sum::<u64>() as f64 / spent.len().max(1) as f64;
        let allowance = magpie_engine::collect::Allowance::of(&self.budget, &spent, bytes, at);
        (self.left, self.wait) = (allowance.pages(), allowance.wait());
        Ok(())
    }

    /// Looks again when the next page is due: what was fetched is due at another time than before.
    pub(super) fn look_ahead(&mut self, desk: &Desk) -> Result<(), Failure> {
        if self.picked.iter().sum::<usize>() == 0 {
            return Ok(());
        }
        let reader = desk.workspace.reader()?;
        let outlook = desk.collection(now()).view(&reader).outlook(&self.budget)?;
        self.next_due = outlook.due(0).next;
        Ok(())
    }

    pub(super) fn sentence(&self) -> String {
        let mut text = format!("{}  ", moment(self.at));
        let [lists, known, new] = self.picked;
        if lists + known + new == 0 {
            let until = self.wait.map(|wait| moment(after(self.at, wait)));
            text.push_str(&match (self.left, until) {
                (0, Some(until)) => format!("the budget is used up until {until}"),
                (0, None) => "there is no budget".to_owned(),
                _ if self.held > 0 => format!(
                    "{} due, and the budgets of their sites are used up",
                    show::many(self.held as u64, "page")
                ),
                _ => "nothing is due".to_owned(),
            });
            return text;
        }
        if self.stopped {
            text.push_str("stopped; `magpie watch` goes on");
            return text;
        }
        text.push_str(&format!(
            "{} ({}, {} known, {} new) for {}",
            show::many(self.pages, "page"),
            show::count(lists, "list"),
            known,
            new,
            show::many(self.new_objects, "new object"),
        ));
        if self.failures > 0 {
            text.push_str(&format!(", {} failed", self.failures));
        }
        if self.explored > 0 {
            text.push_str(&format!(
                "; {} of unknown kinds",
                show::many(self.explored, "page")
            ));
        }
        for repaired in &self.repaired {
            text.push_str(&format!(
                "; {} learned again with {}{}",
                repaired.site,
                show::many(repaired.pages, "page"),
                if repaired.in_vain { ", in vain" } else { "" }
            ));
        }
        text
    }

    pub(super) fn json(&self, next: Option<i64>) -> Json {
        let [lists, known, new] = self.picked;
        let delay = self.forecast.delay.filter(|delay| delay.is_finite());
        json!({
            "at": moment(self.at), "lists": lists, "known": known, "new": new, "pages": self.pages, "failures": self.failures,
            "new_objects": self.new_objects, "explored": self.explored,
            "repaired": self.repaired.iter().map(Repaired::json).collect::<Vec<_>>(),
            "watched": self.watched, "sites": self.sites, "budget": self.budget.write().trim_matches('"'), "left": self.left,
            "expected": {"freshness": self.forecast.freshness, "age_days": finite(self.forecast.age), "new_object_days": delay},
            "problems": self.problems, "stopped": self.stopped, "next": next.map(moment),
        })
    }
}

/// A moment so much later.
pub(crate) fn after(at: i64, time: Duration) -> i64 {
    at.saturating_add(i64::try_from(time.as_millis()).unwrap_or(i64::MAX))
}

pub(super) fn finite(number: f64) -> Option<f64> {
    Some(number).filter(|number| number.is_finite())
}
