//! `magpie plan`: what a watch would fetch next and why, and what budgets reach.

use std::io::IsTerminal;

use magpie_engine::recrawl::ListCurve;
use magpie_engine::watch::{Forecast, WatchPlan};
use magpie_report::sentences::watch::{budget_chart, purpose, span, when, why, worth};
use magpie_report::views::plan::{FACTORS, ForecastLine, VisitLine};
use magpie_terminal::workspace::Opened;
use magpie_terminal::{Failure, Printer, Table, Tone, format, output_file, process};

use crate::sites::verticals;
use crate::watch;
use crate::watch::args::PlanArgs;

pub(crate) fn run(arguments: &PlanArgs, printer: &mut Printer) -> Result<(), Failure> {
    output_file::check(arguments.plot.as_deref())?;
    process::move_clock(arguments.later.as_deref())?;
    let opened = Opened::by(&arguments.settings)?;
    let budget = watch::budget(arguments.budget.as_deref(), &opened.settings)?;
    let vertical = match verticals(&*opened.reader, arguments.vertical.as_deref())?.as_slice() {
        [only] => only.clone(),
        all => {
            return Err(Failure::usage("several verticals are installed")
                .hint(format!("name one with `--vertical NAME`: {}", all.join(", "))));
        }
    };
    if arguments.curve {
        return curves(&opened.view(&vertical).list_curves()?, arguments.json, printer);
    }
    let watch_plan = opened.view(&vertical).watch_plan(&budget)?;
    for problem in &watch_plan.problems {
        printer.warn(problem);
    }
    if watch_plan.pages.is_empty() {
        return Err(Failure::input(format!("no page of {vertical} is watched"))
            .hint("learn first, as in `magpie learn URL` or `magpie learn --seeds FILE`"));
    }
    let forecasts = FACTORS.map(|(factor, name)| (name, factor, watch_plan.forecast(factor)));
    if let Some(path) = &arguments.plot {
        output_file::write(path, &budget_chart(&watch_plan, &budget.sentence()))?;
    }
    if arguments.json {
        let visits = VisitLine::all(&watch_plan, arguments.next);
        visits.iter().try_for_each(|visit| printer.json(visit))?;
        for (name, factor, forecast) in &forecasts {
            printer.json(&ForecastLine::new(&watch_plan, name, *factor, forecast))?;
        }
        return Ok(());
    }
    pages(&watch_plan, arguments.next, printer)?;
    printer.section(&format!("What {} reaches", budget.sentence()))?;
    table(&watch_plan, &forecasts, printer)?;
    if let Some(path) = &arguments.plot {
        printer.tell(&format!("the plot is in {}", path.display()));
    }
    Ok(())
}

/// Prints the objects that the lists of each site show, at twice as many lists in each row.
fn curves(curves: &[ListCurve], json: bool, printer: &mut Printer) -> Result<(), Failure> {
    if json {
        return curves.iter().try_for_each(|curve| printer.json(curve));
    }
    for curve in curves {
        let bound = match curve.ceiling {
            Some(ceiling) => format!("at most {} for what is new", format::many(ceiling, "request")),
            None => "no ceiling".to_owned(),
        };
        printer.section(&format!(
            "{}: {} of {} in a round; {bound}",
            curve.site,
            format::count(curve.chosen, "list"),
            format::thousands(curve.lists as u64)
        ))?;
        let all = curve.points.last().map_or(0, |last| last.1);
        let mut table = Table::indented(2)
            .right(&[0, 1, 2])
            .head(["lists", "objects", "share", ""]);
        let doubled = std::iter::successors(Some(1_usize), |lists| Some(lists * 2));
        let doubled = doubled.take_while(|lists| *lists < curve.points.len());
        let chosen = curve.chosen.min(curve.points.len());
        let mut rows: Vec<usize> = doubled.chain([chosen, curve.points.len()]).collect();
        rows.sort_unstable();
        rows.dedup();
        for (lists, objects) in rows
            .iter()
            .filter_map(|row| curve.points.get(row.checked_sub(1)?))
        {
            table.row((
                format::thousands(*lists as u64),
                format::thousands(*objects as u64),
                format!("{:.1} %", 100.0 * *objects as f64 / all.max(1) as f64),
                if *lists == chosen { "chosen" } else { "" },
            ));
        }
        printer.table(&table)?;
    }
    Ok(())
}

fn pages(watch_plan: &WatchPlan, most: usize, printer: &mut Printer) -> Result<(), Failure> {
    let calendar = watch_plan.calendar();
    let due = calendar.iter().filter(|(_, days)| *days <= 0.0).count();
    printer.line(&printer.paint(
        Tone::Strong,
        &format!(
            "{} of {} watched on {}; {} due, {} can be fetched now",
            format::thousands(calendar.len() as u64),
            format::count(watch_plan.pages.len(), "page"),
            format::count(watch_plan.sites.len(), "site"),
            due,
            watch_plan.allowance.pages(),
        ),
    ))?;
    let wait = watch_plan.allowance.wait();
    if watch_plan.allowance.pages() == 0
        && let Some(wait) = wait
    {
        let until = (watch_plan.now + wait).to_string();
        printer.line(&format!("  the budget is used up until {until}"))?;
    }
    // Piped output has no width, and programs need the whole address.
    let is_cut = std::io::stdout().is_terminal() || std::env::var_os("COLUMNS").is_some();
    let mut table = match is_cut {
        true => Table::indented(2).cut_before(4),
        false => Table::indented(2),
    }
    .head(["when", "for", "worth now", "why", "page"]);
    for (number, days) in calendar.iter().take(most) {
        let page = &watch_plan.pages[*number];
        table.row((
            when(*days),
            purpose(page.purpose),
            worth(watch_plan.value(*number)),
            why(watch_plan, page),
            page.address.as_str().to_owned(),
        ));
    }
    printer.table(&table)
}

fn table(
    watch_plan: &WatchPlan,
    forecasts: &[(&str, f64, Forecast)],
    printer: &mut Printer,
) -> Result<(), Failure> {
    let mut table = Table::indented(2).right(&[1, 2, 3, 4, 5]).head([
        "",
        "pages a day",
        "right at any time",
        "behind by",
        "a new object after",
        "left alone",
    ]);
    for (name, factor, forecast) in forecasts {
        table.row((
            *name,
            format!("{:.1}", watch_plan.allowance.pages_per_day() * factor),
            format!("{:.1} %", forecast.freshness * 100.0),
            span(Some(forecast.age)),
            span(forecast.delay),
            format::thousands(forecast.left_alone as u64),
        ));
    }
    printer.table(&table)
}
