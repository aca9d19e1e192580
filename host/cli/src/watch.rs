//! `magpie watch`: continuous recrawling on a budget.
//!
//! A watch repeats cycles. A cycle needs nothing of the one before but what the workspace keeps, so
//! the process may be killed at any moment.

mod acts;
pub(crate) mod args;
mod delivery;

use magpie_values::Timestamp;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::mpsc::Receiver;
use std::time::Duration;

use magpie_engine::learn::{LearnRequest, drop_site, learn, learn_settings, sites_begun};
use magpie_engine::recrawl::recrawl_settings;
use magpie_engine::settings::{Budget, Raw, Resolved, Value};
use magpie_engine::site::named;
use magpie_engine::warehouse::split;
use magpie_engine::watch::{Cycle, CycleLine, Health, cycle, log_alerts, metrics, visit};
use magpie_engine::{PipelineError, Session};
use magpie_report::sentences::watch as sentences;
use magpie_terminal::errors::left_out;
use magpie_terminal::process::now;
use magpie_terminal::workspace::open_session;
use magpie_terminal::{Failure, Kind, Printer, format, process};

use crate::console::Console;
use acts::News;
use args::WatchArgs;
use delivery::Delivery;
use magpie_serve::Act;

/// The time after which a watch that waits hears of acts from the web page.
const MAX_SILENCE: Duration = Duration::from_secs(1);

/// The time until the next look if no page is ever due.
const MAX_WAIT: Duration = Duration::from_secs(86_400);

pub(crate) fn run(arguments: &WatchArgs, printer: &mut Printer) -> Result<ExitCode, Failure> {
    process::move_clock(arguments.later.as_deref())?;
    let session = open_session(
        &arguments.settings,
        arguments.vertical.as_deref(),
        recrawl_settings,
    )?;
    // Bad arguments fail here, before the health file of the last watch is overwritten.
    budget(arguments.budget.as_deref(), session.settings())?;
    if session.store().learned_sites(session.vertical())?.is_empty() {
        let vertical = session.vertical().to_owned();
        return Err(PipelineError::NothingLearned { vertical }.into());
    }
    let folder = session.folder().to_owned();
    let news = acts::serve(folder, session.settings(), arguments, printer)?;
    let mut watch = Watch {
        health: Health::new(&session),
        news,
        session,
        arguments,
    };
    watch.health.begin()?;
    let outcome = watch.go_on(printer);
    let failure = outcome.as_ref().err().map(|failure| failure.message.as_str());
    watch.health.end(failure)?;
    outcome
}

/// The budget that is named, or that of the settings.
pub(crate) fn budget(named: Option<&str>, resolved: &Resolved) -> Result<Budget, Failure> {
    let Some(text) = named else {
        return Ok(resolved.settings.watch.budget);
    };
    Budget::read(&Raw::Text(text.to_owned())).ok_or_else(|| {
        Failure::usage(format!(
            "invalid value `{text}` for `--budget`: expected {}",
            Budget::FORM
        ))
    })
}

struct Watch<'a> {
    session: Session,
    arguments: &'a WatchArgs,
    health: Health,
    /// The requests of the web page, if it is served.
    news: Option<Receiver<News>>,
}

impl Watch<'_> {
    fn go_on(&mut self, printer: &mut Printer) -> Result<ExitCode, Failure> {
        let budget = self.budget()?;
        if budget.amount <= 0.0 {
            printer.warn("the budget is 0, so nothing is fetched");
        }
        printer.tell(&format!(
            "watching {} with {}; Ctrl-C stops",
            self.session.vertical(),
            budget.sentence()
        ));
        let mut console = Console::new(&self.session, self.arguments.json, printer)?;
        let mut delivery = match self.arguments.once {
            true => None,
            false => Delivery::start(&self.session)?,
        };
        loop {
            let began = now();
            let cycle = match &self.arguments.site {
                None => cycle(&self.session, self.budget()?, &mut console)?,
                Some(site) => visit(&self.session, self.budget()?, &self.key(site)?, &mut console)?,
            };
            console.check()?;
            log_alerts(&self.session, &cycle)?;
            if self.arguments.once {
                Delivery::once(&self.session)?;
            }
            let mut problems = sentences::problems(&cycle);
            problems.extend(self.parked()?);
            problems.extend(self.health.reload_problem());
            let next = self.next(&cycle, began);
            self.health.took(&cycle, &problems, next)?;
            if let Some(page) = console.metrics() {
                page.append(metrics(&self.session, &cycle, problems.len(), next)?);
            }
            self.tell(&cycle, &problems, next, console.printer())?;
            if cycle.was_stopped {
                return Ok(ExitCode::from(Kind::Stopped as u8));
            }
            if self.arguments.once {
                return match cycle.left_out.as_slice() {
                    [] => Ok(ExitCode::SUCCESS),
                    reasons => Err(left_out(Kind::Found, reasons)),
                };
            }
            let until = next.unwrap_or_else(|| began + MAX_WAIT);
            let settings = Arc::clone(self.session.settings());
            let is_stopped = self.wait(until, &mut console)?;
            if !Arc::ptr_eq(&settings, self.session.settings()) {
                // The old thread ends first, since two would send the same messages.
                drop(delivery.take());
                delivery = Delivery::start(&self.session).unwrap_or_else(|failure| {
                    let message = format!("no webhook is notified: {}", failure.message);
                    console.printer().warn(&message);
                    None
                });
            }
            if is_stopped {
                console
                    .printer()
                    .tell("stopped; `magpie watch` continues where it stopped");
                return Ok(ExitCode::SUCCESS);
            }
        }
    }

    /// Waits for a moment, or until the settings have changed. Returns true if it was asked to
    /// stop.
    fn wait(&mut self, until: Timestamp, console: &mut Console<'_>) -> Result<bool, Failure> {
        let mut looked = now();
        loop {
            let left = until.since(now());
            let interval = self.session.settings().settings.watch.interval;
            let longest = match self.news {
                Some(_) => MAX_SILENCE.min(interval),
                None => interval,
            };
            if self.session.wait(left.min(longest)) {
                return Ok(true);
            }
            let has_acted = self.take_news(console)?;
            if !has_acted && now().since(looked) < interval && now() < until {
                continue;
            }
            looked = now();
            if self.reload(console)? || has_acted || now() >= until {
                return Ok(false);
            }
        }
    }

    /// Returns a sentence for each webhook of the settings that is parked.
    fn parked(&self) -> Result<Vec<String>, Failure> {
        let rows = self.session.store().webhooks()?;
        let webhooks = self.session.settings().webhooks();
        let known = rows
            .iter()
            .filter(|row| webhooks.iter().any(|webhook| webhook.name == row.name));
        let parked = known.filter_map(|row| {
            let (at, name) = (row.parked_at?, &row.name);
            let reason = row.last_error.as_deref().unwrap_or("its messages were not taken");
            Some(format!(
                "webhook {name} is parked since {at}: {reason}; `magpie webhooks --resume NAME` tries it again"
            ))
        });
        Ok(parked.collect())
    }

    /// Does what the web page asked for. Returns true if it asked for something.
    fn take_news(&mut self, console: &mut Console<'_>) -> Result<bool, Failure> {
        let all: Vec<News> = self.news.iter().flat_map(Receiver::try_iter).collect();
        for news in &all {
            let News::Act(act) = news else { continue };
            let outcome = self.act(act, console);
            if let Err(failure) = outcome {
                let message = format!("`{}` failed: {}", act.command(), failure.message);
                console.printer().warn(&message);
            }
        }
        Ok(!all.is_empty())
    }

    /// Returns the key of a learned site that a text names.
    fn key(&self, site: &str) -> Result<String, Failure> {
        let sites = self.session.store().learned_sites(self.session.vertical())?;
        let key = named(&sites, Some(site)).first().map(|site| site.key.clone());
        key.ok_or_else(|| {
            Failure::usage(format!("there is no site `{site}`")).hint("`magpie sites` lists the sites")
        })
    }

    /// Learns sites, then restores the settings of the watch.
    fn add(&mut self, sites: &[String], console: &mut Console<'_>) -> Result<(), Failure> {
        let request = LearnRequest {
            beginning: crate::learn::named(sites, None, &self.session)?,
            ..LearnRequest::default()
        };
        let resolve = || self.arguments.settings.resolve(Some(self.session.folder()));
        let (to_learn, to_watch) = (resolve()?, resolve()?);
        self.session.change_settings(learn_settings(to_learn))?;
        let outcome = learn(&self.session, &request, console);
        self.session.change_settings(recrawl_settings(to_watch))?;
        if outcome?.is_some() {
            console.printer().tell(&format!("learned {}", sites.join(", ")));
        }
        Ok(())
    }

    fn act(&mut self, act: &Act, console: &mut Console<'_>) -> Result<(), Failure> {
        let session = &self.session;
        match act {
            Act::Visit { site } => {
                let key = self.key(site)?;
                let cycle = visit(session, self.budget()?, &key, console)?;
                log_alerts(session, &cycle)?;
                let told = format!("looked at {key}: {}", sentences::sentence(&cycle));
                console.printer().tell(&told);
            }
            Act::Add { sites } => self.add(sites, console)?,
            Act::Drop { site } => {
                // One that was named and not learned can be dropped, too.
                let begun = sites_begun(session.store(), session.vertical(), session.settings())?;
                let key = match begun.into_iter().find(|(key, _)| key == site) {
                    Some((key, _)) => key,
                    None => self.key(site)?,
                };
                drop_site(session, &key, console)?;
                console.printer().tell(&format!("dropped {key}"));
            }
            Act::Split { one, other } => {
                split(session.store(), *one, *other, session.now())?;
                session.cluster(console)?;
                let told = format!("records r{one} and r{other} are kept apart from now on");
                console.printer().tell(&told);
            }
            // These are settings, which are reloaded.
            Act::Pause { .. } | Act::Resume { .. } | Act::Exclude { .. } | Act::Budget { .. } => {}
        }
        Ok(())
    }

    fn budget(&self) -> Result<Budget, Failure> {
        budget(self.arguments.budget.as_deref(), self.session.settings())
    }

    /// Returns the time of the next cycle: when a page is due and the budget has room for it, but
    /// not before the interval is over. `None` if no page will ever be due.
    fn next(&self, cycle: &Cycle, began: Timestamp) -> Option<Timestamp> {
        let paid = now() + cycle.wait?;
        let earliest = began + self.session.settings().settings.watch.interval;
        Some(cycle.next_due?.max(paid).max(earliest))
    }

    /// Applies changed settings, and returns true if something was printed. Invalid settings
    /// are reported, and the ones before stay in force.
    fn reload(&mut self, console: &mut Console<'_>) -> Result<bool, Failure> {
        let resolved = self.arguments.settings.resolve(Some(self.session.folder()));
        let taken = resolved.and_then(|resolved| {
            let changed = self.session.change_settings(recrawl_settings(resolved))?;
            Ok(changed)
        });
        Ok(match taken {
            Ok(changed) => {
                if changed {
                    console.open_log(&self.session)?;
                    let sentence = "reloaded the settings";
                    console.printer().tell(sentence);
                }
                self.health.can_reload() || changed
            }
            Err(failure) => {
                let is_news = self.health.cannot_reload(&failure.message);
                if is_news {
                    let message = format!("kept the previous settings: {}", failure.message);
                    console.printer().warn(&message);
                }
                is_news
            }
        })
    }

    fn tell(
        &self,
        cycle: &Cycle,
        problems: &[String],
        next: Option<Timestamp>,
        printer: &mut Printer,
    ) -> Result<(), Failure> {
        for problem in problems {
            printer.warn(problem);
        }
        if self.arguments.json {
            return printer.json(&CycleLine::new(cycle, problems, next));
        }
        let mut line = sentences::sentence(cycle);
        if !self.arguments.once && !cycle.was_stopped {
            line.push_str(&match next {
                Some(next) => {
                    format!("; next in {}", format::about(next.since(now())))
                }
                None => "; no next cycle is scheduled".to_owned(),
            });
        }
        printer.line(&line)?;
        printer.flush()
    }
}
