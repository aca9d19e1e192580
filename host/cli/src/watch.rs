//! `magpie watch`: recrawling for ever, on a budget.
//!
//! It is one beat after the other, and nothing of one is needed for the next but what the workspace keeps: it may be killed between
//! or within any two of them.

pub(crate) mod args;
mod beat;
mod health;

use std::process::ExitCode;
use std::time::Duration;

use magpie_engine::settings::{Budget, Raw, Resolved, Value};

use crate::crawl::{self, now};
use crate::desk::Desk;
use crate::failure::{Failure, Kind};
use crate::printer::Printer;
use crate::recrawl::{left_out, prepare};
use crate::{settings, show};
use args::WatchArgs;
use beat::Beat;
use health::Health;

pub(crate) use health::read as read_health;

/// It is looked at least so often whether settings have changed.
const LONGEST_WAIT: Duration = Duration::from_secs(3_600);

pub(crate) fn run(arguments: &WatchArgs, printer: &mut Printer) -> Result<ExitCode, Failure> {
    crawl::move_clock(arguments.later.as_deref())?;
    let desk = Desk::open(
        &arguments.settings,
        &arguments.short,
        arguments.vertical.as_deref(),
        prepare,
    )?;
    let mut watch = Watch {
        health: Health::new(&desk, now()),
        desk,
        arguments,
    };
    let outcome = watch.go_on(printer);
    watch.health.end(outcome.as_ref().err(), now())?;
    outcome
}

/// The budget that is named, or that of the settings.
pub(crate) fn budget(named: Option<&str>, resolved: &Resolved) -> Result<Budget, Failure> {
    let Some(text) = named else {
        return Ok(resolved.settings.watch.budget);
    };
    Budget::read(&Raw::Text(text.to_owned()))
        .ok_or_else(|| Failure::usage(format!("`--budget {text}`: it takes {}", Budget::FORM)))
}

/// One beat of a watch that is not a service: what an experiment makes of it.
pub(crate) fn one_beat(desk: &Desk, budget: Budget) -> Result<(), Failure> {
    beat::run(desk, budget, false, &mut Printer::silent()).map(drop)
}

struct Watch<'a> {
    desk: Desk,
    arguments: &'a WatchArgs,
    health: Health,
}

impl Watch<'_> {
    fn go_on(&mut self, printer: &mut Printer) -> Result<ExitCode, Failure> {
        let budget = budget(self.arguments.budget.as_deref(), &self.desk.resolved)?;
        if self
            .desk
            .workspace
            .reader()?
            .learned_sites(&self.desk.vertical)?
            .is_empty()
        {
            return Err(crate::recrawl::nothing_learned(&self.desk));
        }
        if budget.amount <= 0.0 {
            printer.warn("with a budget of nothing, nothing is fetched");
        }
        printer.tell(&format!(
            "watching {} with {}; Ctrl-C stops",
            self.desk.vertical,
            budget.sentence()
        ));
        loop {
            let began = now();
            let mut beat = beat::run(&self.desk, self.budget()?, self.arguments.json, printer)?;
            beat.problems.extend(self.health.reload_problem());
            let next = self.next(&beat, began);
            self.health.took(&beat, next)?;
            if let Some(metrics) = self.desk.metrics(printer)? {
                metrics.append(health::metrics(&beat, next));
            }
            self.tell(&beat, next, printer)?;
            if beat.stopped {
                return Ok(ExitCode::from(Kind::Stopped as u8));
            }
            if self.arguments.once {
                return match &beat.problems[..beat.left_out] {
                    [] => Ok(ExitCode::SUCCESS),
                    reasons => Err(left_out(Kind::Found, reasons)),
                };
            }
            if self.wait(next, printer) {
                printer.tell("stopped; `magpie watch` goes on");
                return Ok(ExitCode::SUCCESS);
            }
        }
    }

    /// Waits for a moment, or until the settings have changed. Whether it was asked to stop.
    fn wait(&mut self, until: i64, printer: &mut Printer) -> bool {
        loop {
            let left = Duration::from_millis(u64::try_from(until - now()).unwrap_or(0));
            if self.desk.wait(left.min(self.desk.resolved.settings.watch.beat)) {
                return true;
            }
            if self.reload(printer) || now() >= until {
                return false;
            }
        }
    }

    fn budget(&self) -> Result<Budget, Failure> {
        budget(self.arguments.budget.as_deref(), &self.desk.resolved)
    }

    /// When the next beat is: when something is due and paid for, but not before its time.
    fn next(&self, beat: &Beat, began: i64) -> i64 {
        let milliseconds = |time: Duration| i64::try_from(time.as_millis()).unwrap_or(i64::MAX);
        let beat_time = milliseconds(self.desk.resolved.settings.watch.beat);
        let latest = began.saturating_add(beat_time.max(milliseconds(LONGEST_WAIT)));
        let paid = beat
            .wait
            .map_or(i64::MAX, |wait| now().saturating_add(milliseconds(wait)));
        let due = beat.next_due.unwrap_or(i64::MAX).max(paid);
        due.clamp(began.saturating_add(beat_time), latest)
    }

    /// Takes up settings that have changed. Those that can't be used are told of, and the ones before stay in force. Whether
    /// there was something to tell.
    fn reload(&mut self, printer: &mut Printer) -> bool {
        let resolved = settings::resolve(
            &self.arguments.settings,
            &self.arguments.short,
            Some(&self.desk.folder),
        );
        let taken = resolved.and_then(|mut resolved| {
            prepare(&mut resolved);
            self.desk.take_settings(resolved)
        });
        match taken {
            Ok(changed) => {
                if changed {
                    printer.tell("the settings have changed, and are in force from now on");
                }
                self.health.can_reload() || changed
            }
            Err(failure) => {
                let is_news = self.health.cannot_reload(&failure);
                if is_news {
                    printer.warn(&format!("the settings before stay in force: {}", failure.message));
                }
                is_news
            }
        }
    }

    fn tell(&self, beat: &Beat, next: i64, printer: &mut Printer) -> Result<(), Failure> {
        for problem in &beat.problems {
            printer.warn(problem);
        }
        if self.arguments.json {
            return printer.json(&beat.json(next));
        }
        let mut line = beat.sentence();
        if !self.arguments.once && !beat.stopped {
            let wait = u64::try_from(next - now()).unwrap_or(0);
            line.push_str(&format!("; next in {}", show::about(Duration::from_millis(wait))));
        }
        printer.line(&line)?;
        printer.flush()
    }
}
