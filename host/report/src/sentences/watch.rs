//! Sentences about a watch: its cycles, and what is due.

use magpie_engine::watch::{Cycle, Picked};
use magpie_engine::watch::{Forecast, Purpose, WatchPlan, Watched};
use magpie_plot::{LineChart, Point, Series};
use magpie_rows::RoundState;
use serde_json::Value;

use super::recrawl::part_of;
use crate::format;

pub fn sentence(cycle: &Cycle) -> String {
    let mut text = format!("{}  ", cycle.at);
    let Picked { lists, known, new } = cycle.picked;
    if cycle.picked.all() == 0 {
        let until = cycle.wait.map(|wait| (cycle.at + wait).to_string());
        text.push_str(&match (cycle.left, until) {
            (0, Some(until)) => format!("the budget is used up until {until}"),
            (0, None) => "there is no budget".to_owned(),
            _ if cycle.held > 0 => format!(
                "{} due, and the budgets of their sites are used up",
                format::many(cycle.held as u64, "page")
            ),
            _ => "nothing is due".to_owned(),
        });
        return text;
    }
    if cycle.was_stopped {
        text.push_str("stopped; `magpie watch` continues where it stopped");
        return text;
    }
    text.push_str(&format!(
        "{} ({}, {} known, {} new) for {}",
        format::many(cycle.pages, "page"),
        format::count(lists, "list"),
        known,
        new,
        format::many(cycle.new_objects, "new object"),
    ));
    if cycle.failures > 0 {
        text.push_str(&format!(", {} failed", cycle.failures));
    }
    if cycle.explored > 0 {
        text.push_str(&format!(
            "; {} of unknown kinds",
            format::many(cycle.explored, "page")
        ));
    }
    for repaired in &cycle.repaired {
        text.push_str(&format!(
            "; {} learned again with {}{}",
            part_of(&repaired.site, &repaired.folders),
            format::many(repaired.pages, "page"),
            if repaired.in_vain { ", without success" } else { "" }
        ));
    }
    text
}

/// Returns the problems of a cycle: sites that are left out, and sites that did not answer.
pub fn problems(cycle: &Cycle) -> Vec<String> {
    let unanswered = cycle.unanswered.iter().filter_map(|(site, state)| {
        let why = match state {
            RoundState::Forbidden => "its robots.txt forbids the planned pages",
            RoundState::Blocked => "it does not answer: it is down or blocks us",
            RoundState::Done | RoundState::Broken | RoundState::Gone => return None,
        };
        Some(format!("{site}: {why}; it is retried at growing intervals"))
    });
    cycle.left_out.iter().cloned().chain(unanswered).collect()
}

pub fn purpose(purpose: Purpose) -> &'static str {
    match purpose {
        Purpose::News => "news",
        Purpose::Objects => "changes",
        Purpose::New => "first visit",
    }
}

/// Says what a visit puts right on average.
pub fn worth(value: f64) -> String {
    match value {
        value if !value.is_finite() || value > 1e6 => "a first visit".to_owned(),
        value if value >= 10.0 => format!("{value:.0} objects for a day"),
        value if value >= 1.5 => format!("{value:.1} objects for a day"),
        value if value * 1_440.0 < 1.0 => "almost nothing".to_owned(),
        value => format!("an object for {}", time(value)),
    }
}

pub fn why(watch_plan: &WatchPlan, page: &Watched) -> String {
    let ago = page.last.map_or_else(String::new, |at| {
        let days = watch_plan.now.days_since(at).max(0.0);
        format!("seen {} ago; ", time(days))
    });
    let (visits, changes) = page.compared;
    let often = match visits {
        0 => String::new(),
        visits => format!(" ({changes} in {})", format::many(u64::from(visits), "visit")),
    };
    match page.purpose {
        Purpose::New => "never fetched".to_owned(),
        Purpose::News => format!("{ago}new ones {}{often}", expected_every(page.rate)),
        Purpose::Objects if page.hinted => format!("{ago}the site reports a change since{often}"),
        Purpose::Objects => format!("{ago}a change {}{often}", expected_every(page.rate)),
    }
}

/// Says how often something is expected. It is a guess from pages of the same kind as long as the
/// page itself showed little.
fn expected_every(rate: f64) -> String {
    match rate {
        rate if rate <= 0.0 => "not expected".to_owned(),
        rate => format!("expected every {}", time(1.0 / rate)),
    }
}

/// Formats a number of days for people.
pub fn time(days: f64) -> String {
    let (number, unit) = match days {
        days if days >= 730.0 => (days / 365.0, "year"),
        days if days >= 2.0 => (days, "day"),
        days if days >= 2.0 / 24.0 => (days * 24.0, "hour"),
        days => ((days * 1_440.0).max(1.0), "minute"),
    };
    format::many(number.round() as u64, unit)
}

/// Says in how many days something is due.
pub fn when(days: f64) -> String {
    match days {
        days if days <= 0.0 => "now".to_owned(),
        days => format!("in {}", time(days)),
    }
}

/// A number of days that may be unknown or endless.
pub fn span(days: Option<f64>) -> String {
    match days {
        None => "none expected".to_owned(),
        Some(days) if days.is_finite() => time(days),
        Some(_) => "never".to_owned(),
    }
}

/// Powers of two of the budget in the plot.
const DRAWN: std::ops::RangeInclusive<i32> = -4..=1;

/// Draws what multiples of the budget reach: what is right, and how soon new objects are found.
pub fn budget_chart(watch_plan: &WatchPlan, budget: &str) -> String {
    let drawn: Vec<(f64, Forecast)> = DRAWN
        .map(|power| 2_f64.powi(power))
        .map(|factor| {
            (
                watch_plan.allowance.pages_per_day() * factor,
                watch_plan.forecast(factor),
            )
        })
        .collect();
    let line = |name: &str, of: &dyn Fn(&Forecast) -> Option<f64>| Series {
        name: name.to_owned(),
        points: drawn
            .iter()
            .filter_map(|(pages, forecast)| Some(Point::new(*pages, of(forecast)? * 100.0)))
            .collect(),
    };
    LineChart {
        title: format!("Results of budgets from a sixteenth of {budget} to twice as much"),
        x: "pages a day".to_owned(),
        y: "%".to_owned(),
        series: vec![
            line("up-to-date objects", &|forecast| Some(forecast.freshness)),
            line("new ones found in a week", &|forecast| {
                // Lists are read at even gaps, so what comes waits for any part of one.
                let delay = forecast.delay?;
                Some((7.0 / (2.0 * delay)).min(1.0))
            }),
        ],
    }
    .to_svg_within(0.0, 100.0)
}

/// Says how the last watch of a workspace does or did.
pub fn health(health: &Value) -> String {
    let text = |value: &Value| value.as_str().unwrap_or("?").to_owned();
    let expected = &health["last"]["expected"]["freshness"];
    let mut sentence = match health["state"].as_str() {
        Some("killed") => format!(
            "the watch of {} was killed; `magpie watch` continues where it stopped",
            text(&health["vertical"])
        ),
        Some("watching") if health["last"].is_null() => {
            format!(
                "watching {}; its first cycle is under way",
                text(&health["vertical"])
            )
        }
        Some("watching") => format!(
            "watching {} with {}; next {}",
            text(&health["vertical"]),
            text(&health["last"]["budget"]),
            match health["next"].as_str() {
                Some(next) => format!("at {next}"),
                None => "never, since no page is planned".to_owned(),
            }
        ),
        _ => format!(
            "the watch of {} ended at {}",
            text(&health["vertical"]),
            text(&health["ended"])
        ),
    };
    if let Some(failure) = health["failure"].as_str() {
        sentence.push_str(&format!(": {failure}"));
    }
    if let Some(freshness) = expected.as_f64().filter(|_| health["state"] != "killed") {
        sentence.push_str(&format!(
            "; {:.0} % of the objects are expected to be up to date",
            freshness * 100.0
        ));
    }
    sentence
}
