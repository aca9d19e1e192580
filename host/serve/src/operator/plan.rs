//! The next visits of a watch, and what budgets reach.

use axum::extract::State;
use axum::response::Response;
use magpie_engine::site::View;
use magpie_engine::watch::WatchPlan;
use magpie_engine::watch::read_health;
use magpie_report::format::{counted, thousands};
use magpie_report::sentences::watch::{budget_chart, purpose, span, when, why, worth};
use magpie_report::views::plan::{FACTORS, ForecastLine, VisitLine};
use serde_json::{Value, json};

use super::live::watch_fact;
use super::view;
use crate::answer::List;
use crate::asked::Asked;
use crate::blocks::{Block, Cell, Choice, Table, Tone};
use crate::frame::Page;
use crate::href::Href;
use crate::{App, Error, Format, html, words};

/// Visits that are shown, and at most.
const VISITS: usize = 20;
const MAX_VISITS: usize = 1_000;

/// The plan of a vertical, ready to be shown.
struct Planned {
    head: String,
    visits: Table,
    forecasts: Table,
    chart: String,
    problems: Vec<String>,
    rows: Vec<Value>,
}

pub(super) async fn show(State(app): State<App>, asked: Asked) -> Result<Response, Error> {
    let shared = app.clone();
    let limit = asked.number("next", VISITS, MAX_VISITS);
    let wanted = asked.get("vertical").map(str::to_owned);
    let shown = asked.clone();
    let (verticals, vertical, planned) = app
        .read_dear(move |reader| {
            let verticals = reader.learned_verticals()?;
            let vertical = match &wanted {
                Some(wanted) => verticals.iter().find(|own| *own == wanted).cloned(),
                None => verticals.first().cloned(),
            };
            let Some(vertical) = vertical else {
                return Ok((verticals, None, None));
            };
            // Those in force now: acts may have changed the budget and paused sites.
            let resolved = crate::control::settings(&shared);
            let budget = resolved.settings.watch.budget;
            let now = View {
                settings: &resolved,
                ..view(&shared, reader, &vertical)
            };
            let watch_plan = now.watch_plan(&budget)?;
            let planned = planned(&watch_plan, limit, &budget.sentence(), &shown);
            Ok((verticals, Some(vertical), Some(planned)))
        })
        .await?;
    if !asked.format.is_page() {
        let rows = planned.map(|planned| planned.rows).unwrap_or_default();
        return List::new("plan", rows).answer(&asked);
    }
    let watch = read_health(app.folder());
    let mut blocks = vec![Block::Facts(vec![watch_fact(watch.as_ref())])];
    let mut command = "magpie plan".to_owned();
    if verticals.len() > 1 {
        let links = verticals.iter().map(|name| Choice {
            href: asked.but(&[("vertical", Some(name))]),
            name: words::title(name),
            count: None,
            is_now: vertical.as_ref() == Some(name),
        });
        blocks.push(Block::Text(vec![Cell::Choices(links.collect())]));
        if let Some(vertical) = &vertical {
            command.push_str(&format!(" --vertical {vertical}"));
        }
    }
    match planned {
        Some(planned) => {
            blocks.push(Block::Verdict {
                tone: Tone::Quiet,
                cells: vec![Cell::from(planned.head)],
            });
            blocks.extend(planned.problems.into_iter().map(Block::text));
            blocks.push(Block::Table(planned.visits));
            blocks.push(Block::heading("What the budget reaches"));
            blocks.push(Block::drawing(&planned.chart, Some(planned.forecasts)));
        }
        None => blocks.push(Block::text(
            "Nothing has been learned yet, so no page is watched: `magpie learn` comes first.",
        )),
    }
    blocks.push(Block::command(command));
    blocks.extend(crate::control::of_plan(&app, &asked));
    html(&Page {
        frame: asked.list_frame("Plan", "/plan"),
        blocks,
    })
}

fn planned(watch_plan: &WatchPlan, limit: usize, budget: &str, asked: &Asked) -> Planned {
    let format = asked.format;
    let calendar = watch_plan.calendar();
    let due = calendar.iter().filter(|(_, days)| *days <= 0.0).count();
    let head = format!(
        "{} of {} watched on {}. {} due now, and the budget of {budget} pays for {} more.",
        thousands(calendar.len() as u64),
        counted(watch_plan.pages.len() as u64, "page is", "pages are"),
        counted(watch_plan.sites.len() as u64, "site", "sites"),
        counted(due as u64, "page is", "pages are"),
        thousands(watch_plan.allowance.pages()),
    );
    let columns = ["Page", "Site", "When", "For", "Why", "Worth now"];
    let mut visits = Table::new("The next visits", &columns).or("No page is watched.");
    for (number, days) in calendar.iter().take(limit) {
        let page = &watch_plan.pages[*number];
        let site = &watch_plan.sites[page.site].key;
        let address = page.address.as_str();
        visits.row([
            Cell::url(address),
            Cell::link(Href::to(&["site", site]), site.clone()),
            Cell::from(when(*days)),
            Cell::from(purpose(page.purpose)),
            Cell::from(why(watch_plan, page)),
            Cell::from(worth(watch_plan.value(*number))),
        ]);
    }
    if calendar.len() > limit {
        let more = (limit * 5).min(MAX_VISITS).min(calendar.len()).to_string();
        visits.leaves_out(Cell::Many(vec![
            Cell::from(format!(
                "{} more visits are planned. ",
                thousands((calendar.len() - limit) as u64)
            )),
            Cell::link(asked.but(&[("next", Some(&more))]), format!("Show {more}")),
        ]));
    }
    let columns = [
        "Budget",
        "#Pages a day",
        "#Right at any time",
        "#Behind by",
        "#A new object after",
        "#Left alone",
    ];
    let mut forecasts = Table::new("Budgets and what they reach", &columns);
    let mut rows = match format {
        Format::Html => Vec::new(),
        _ => VisitLine::all(watch_plan, limit)
            .into_iter()
            .map(|visit| json!(visit))
            .collect(),
    };
    for (factor, name) in FACTORS {
        let forecast = watch_plan.forecast(factor);
        forecasts.row([
            Cell::from(name),
            Cell::from(format!("{:.1}", watch_plan.allowance.pages_per_day() * factor)),
            Cell::from(format!("{:.1} %", forecast.freshness * 100.0)),
            Cell::from(span(Some(forecast.age))),
            Cell::from(span(forecast.delay)),
            Cell::number(forecast.left_alone as u64),
        ]);
        // The command ends with the same lines.
        if format == Format::JsonLines {
            rows.push(json!(ForecastLine::new(watch_plan, name, factor, &forecast)));
        }
    }
    Planned {
        head,
        visits,
        forecasts,
        chart: budget_chart(watch_plan, budget),
        problems: watch_plan.problems.clone(),
        rows,
    }
}
