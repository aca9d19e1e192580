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

pub(crate) use beat::after;
pub(crate) use health::read as read_health;

/// The time until the next look if no page is ever due.
const LONGEST_WAIT: Duration = Duration::from_secs(86_400);

pub(crate) fn run(arguments: &WatchArgs, printer: &mut Printer) -> Result<ExitCode, Failure> {
    crawl::move_clock(arguments.later.as_deref())?;
    let desk = Desk::open(
        &arguments.settings,
        &arguments.short,
        arguments.vertical.as_deref(),
        prepare,
    )?;
    // What was called wrongly is no watch: the health of the last one stays as it is.
    budget(arguments.budget.as_deref(), &desk.resolved)?;
    if desk.workspace.reader()?.learned_sites(&desk.vertical)?.is_empty() {
        return Err(crate::recrawl::nothing_learned(&desk));
    }
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
        let budget = self.budget()?;
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
            if !beat.stopped {
                beat.look_ahead(&self.desk)?;
            }
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
            let until = next.unwrap_or_else(|| after(began, LONGEST_WAIT));
            if self.wait(until, printer) {
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

    /// Returns when the next beat is: when something is due and paid for, but not before its time.
    /// None if nothing ever is, as things stand.
    fn next(&self, beat: &Beat, began: i64) -> Option<i64> {
        let paid = after(now(), beat.wait?);
        let earliest = after(began, self.desk.resolved.settings.watch.beat);
        Some(beat.next_due?.max(paid).max(earliest))
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

    fn tell(&self, beat: &Beat, next: Option<i64>, printer: &mut Printer) -> Result<(), Failure> {
        for problem in &beat.problems {
            printer.warn(problem);
        }
        if self.arguments.json {
            return printer.json(&beat.json(next));
        }
        let mut line = beat.sentence();
        if !self.arguments.once && !beat.stopped {
            line.push_str(&match next {
                Some(next) => {
                    let wait = u64::try_from(next - now()).unwrap_or(0);
                    format!("; next in {}", show::about(Duration::from_millis(wait)))
                }
                None => "; nothing will be, as things stand".to_owned(),
            });
        }
        printer.line(&line)?;
        printer.flush()
    }
}
