//! Sentences about the cycles of a watch.

use std::time::Duration;

use magpie_engine::settings::Value;
use magpie_engine::watch::{Cycle, Picked};
use serde_json::{Value as Json, json};

use magpie_store::RoundState;

use super::recrawl::repaired_json;
use crate::explain::moment;
use crate::show;

/// A line about a cycle.
pub(crate) fn sentence(cycle: &Cycle) -> String {
    let mut text = format!("{}  ", moment(cycle.at));
    let Picked { lists, known, new } = cycle.picked;
    if cycle.picked.all() == 0 {
        let until = cycle.wait.map(|wait| moment(after(cycle.at, wait)));
        text.push_str(&match (cycle.left, until) {
            (0, Some(until)) => format!("the budget is used up until {until}"),
            (0, None) => "there is no budget".to_owned(),
            _ if cycle.held > 0 => format!(
                "{} due, and the budgets of their sites are used up",
                show::many(cycle.held as u64, "page")
            ),
            _ => "nothing is due".to_owned(),
        });
        return text;
    }
    if cycle.was_stopped {
        text.push_str("stopped; `magpie watch` goes on");
        return text;
    }
    text.push_str(&format!(
        "{} ({}, {} known, {} new) for {}",
        show::many(cycle.pages, "page"),
        show::count(lists, "list"),
        known,
        new,
        show::many(cycle.new_objects, "new object"),
    ));
    if cycle.failures > 0 {
        text.push_str(&format!(", {} failed", cycle.failures));
    }
    if cycle.explored > 0 {
        text.push_str(&format!(
            "; {} of unknown kinds",
            show::many(cycle.explored, "page")
        ));
    }
    for repaired in &cycle.repaired {
        text.push_str(&format!(
            "; {} learned again with {}{}",
            repaired.site,
            show::many(repaired.pages, "page"),
            if repaired.in_vain { ", in vain" } else { "" }
        ));
    }
    text
}

/// A cycle, for programs.
pub(crate) fn json(cycle: &Cycle, problems: &[String], next: Option<i64>) -> Json {
    let Picked { lists, known, new } = cycle.picked;
    let delay = cycle.forecast.delay.filter(|delay| delay.is_finite());
    json!({
        "at": moment(cycle.at), "lists": lists, "known": known, "new": new, "pages": cycle.pages,
        "failures": cycle.failures, "new_objects": cycle.new_objects, "explored": cycle.explored,
        "repaired": cycle.repaired.iter().map(repaired_json).collect::<Vec<_>>(),
        "watched": cycle.watched, "sites": cycle.sites, "budget": cycle.budget.write().trim_matches('"'),
        "left": cycle.left,
        "expected": {
            "freshness": cycle.forecast.freshness, "age_days": finite(cycle.forecast.age), "new_object_days": delay,
        },
        "problems": problems, "stopped": cycle.was_stopped, "next": next.map(moment),
    })
}

/// Returns the problems of a cycle: sites that are left out, and sites that did not answer.
pub(crate) fn problems(cycle: &Cycle) -> Vec<String> {
    let unanswered = cycle.unanswered.iter().filter_map(|(site, state)| {
        let why = match state {
            RoundState::Forbidden => "forbids by its robots.txt what was to be asked for",
            RoundState::Blocked => "answers nothing: it is down, or has shut us out",
            RoundState::Done | RoundState::Broken | RoundState::Gone => return None,
        };
        Some(format!("{site} {why}; it is tried again more and more rarely"))
    });
    cycle.left_out.iter().cloned().chain(unanswered).collect()
}

/// A moment so much later.
pub(crate) fn after(at: i64, time: Duration) -> i64 {
    at.saturating_add(i64::try_from(time.as_millis()).unwrap_or(i64::MAX))
}

fn finite(number: f64) -> Option<f64> {
    Some(number).filter(|number| number.is_finite())
}
