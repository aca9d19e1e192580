//! `magpie plan`: what a watch would fetch next and why, and what budgets reach.

use std::io::IsTerminal;
use std::process::ExitCode;

use magpie_engine::collect::{Forecast, Outlook, Purpose, View, Watched};
use magpie_plot::{LineChart, Point, Series};
use magpie_store::Reader;
use magpie_terminal::process::now;
use magpie_terminal::{Cell, Failure, Kind, Printer, Table, Tone, format, output_file, process, settings};
use serde_json::{Value as Json, json};

use crate::sites::verticals;
use crate::watch;
use crate::watch::args::PlanArgs;
use magpie_terminal::format::moment;

/// Multiples of the budget in the table.
const FACTORS: [(f64, &str); 3] = [(0.5, "half"), (1.0, "the budget"), (2.0, "double")];

/// Powers of two of the budget in the plot.
const DRAWN: std::ops::RangeInclusive<i32> = -4..=1;

pub(crate) fn run(arguments: &PlanArgs, printer: &mut Printer) -> Result<ExitCode, Failure> {
    output_file::check(arguments.plot.as_deref())?;
    process::move_clock(arguments.later.as_deref())?;
    let folder = settings::required_workspace(&arguments.settings.place)?;
    let short = settings::CrawlSettingArgs::default();
    let resolved = settings::resolve(&arguments.settings, &short, Some(&folder))?;
    let budget = watch::budget(arguments.budget.as_deref(), &resolved)?;
    let reader = Reader::open(&folder)?;
    let vertical = match verticals(&reader, arguments.vertical.as_deref())?.as_slice() {
        [only] => only.clone(),
        all => {
            return Err(Failure::usage("which vertical is meant?").hint(format!(
                "name it with `--vertical NAME`: there are {}",
                all.join(", ")
            )));
        }
    };
    let view = View {
        reader: &reader,
        folder: &folder,
        settings: &resolved,
        vertical: &vertical,
        now: now(),
    };
    let outlook = view.outlook(&budget)?;
    for problem in &outlook.problems {
        printer.warn(problem);
    }
    if outlook.pages.is_empty() {
        return Err(
            Failure::new(Kind::Input, format!("no page of {vertical} is watched"))
                .hint("learn first, as in `magpie learn --sites FILE` or `magpie learn --seeds FILE`"),
        );
    }
    let forecasts = FACTORS.map(|(factor, name)| (name, factor, outlook.forecast(factor)));
    if let Some(path) = &arguments.plot {
        output_file::write(path, &plot(&outlook, &budget.sentence()))?;
    }
    if arguments.json {
        pages_json(&outlook, arguments.next, printer)?;
        for (name, factor, forecast) in &forecasts {
            printer.json(&forecast_json(&outlook, name, *factor, forecast))?;
        }
        return Ok(ExitCode::SUCCESS);
    }
    pages(&outlook, arguments.next, printer)?;
    printer.line("")?;
    printer.line(&printer.paint(Tone::Strong, &format!("What {} reaches", budget.sentence())))?;
    table(&outlook, &forecasts, printer)?;
    if let Some(path) = &arguments.plot {
        printer.tell(&format!("the plot is in {}", path.display()));
    }
    Ok(ExitCode::SUCCESS)
}

fn pages(outlook: &Outlook, most: usize, printer: &mut Printer) -> Result<(), Failure> {
    let calendar = outlook.calendar();
    let due = calendar.iter().filter(|(_, days)| *days <= 0.0).count();
    printer.line(&printer.paint(
        Tone::Strong,
        &format!(
            "{} of {} watched on {}; {} due, {} may be asked for now",
            format::thousands(calendar.len() as u64),
            format::count(outlook.pages.len(), "page"),
            format::count(outlook.sites.len(), "site"),
            due,
            outlook.allowance.pages(),
        ),
    ))?;
    let wait = outlook.allowance.wait();
    if outlook.allowance.pages() == 0
        && let Some(wait) = wait
    {
        let until = moment(watch::after(outlook.now, wait));
        printer.line(&format!("  the budget is used up until {until}"))?;
    }
    // Whoever pipes it wants the addresses, and no width is known.
    let is_cut = std::io::stdout().is_terminal() || std::env::var_os("COLUMNS").is_some();
    let mut table = match is_cut {
        true => Table::indented(2).cut_before(4),
        false => Table::indented(2),
    };
    table.row(["when", "for", "worth now", "why", "page"].map(|head| Cell::toned(Tone::Quiet, head)));
    for (number, days) in calendar.iter().take(most) {
        let page = &outlook.pages[*number];
        table.row([
            Cell::from(when(*days)),
            Cell::from(purpose(page.purpose)),
            Cell::from(worth(outlook.value(*number))),
            Cell::from(why(outlook, page)),
            Cell::from(page.address.as_str().to_owned()),
        ]);
    }
    printer.table(&table)
}

fn when(days: f64) -> String {
    match days {
        days if days <= 0.0 => "now".to_owned(),
        days => format!("in {}", time(days)),
    }
}

fn purpose(purpose: Purpose) -> &'static str {
    match purpose {
        Purpose::News => "news",
        Purpose::Objects => "changes",
        Purpose::New => "first visit",
    }
}

/// Says what a visit puts right on average.
fn worth(value: f64) -> String {
    match value {
        value if !value.is_finite() || value > 1e6 => "a first look".to_owned(),
        value if value >= 10.0 => format!("{value:.0} objects for a day"),
        value if value >= 1.5 => format!("{value:.1} objects for a day"),
        value if value * 1_440.0 < 1.0 => "next to nothing".to_owned(),
        value => format!("an object for {}", time(value)),
    }
}

/// What speaks for a visit.
fn why(outlook: &Outlook, page: &Watched) -> String {
    let ago = page.last.map_or_else(String::new, |at| {
        let days = (outlook.now - at).max(0) as f64 / 86_400_000.0;
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
        Purpose::Objects if page.hinted => format!("{ago}has changed since, its site says{often}"),
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

/// A number of days, as people say it.
fn time(days: f64) -> String {
    let (number, unit) = match days {
        days if days >= 730.0 => (days / 365.0, "year"),
        days if days >= 2.0 => (days, "day"),
        days if days >= 2.0 / 24.0 => (days * 24.0, "hour"),
        days => ((days * 1_440.0).max(1.0), "minute"),
    };
    format::many(number.round() as u64, unit)
}

fn table(
    outlook: &Outlook,
    forecasts: &[(&str, f64, Forecast)],
    printer: &mut Printer,
) -> Result<(), Failure> {
    let mut table = Table::indented(2).right(&[1, 2, 3, 4, 5]);
    table.row(
        [
            "",
            "pages a day",
            "right at any time",
            "behind by",
            "a new object after",
            "left alone",
        ]
        .map(|head| Cell::toned(Tone::Quiet, head)),
    );
    for (name, factor, forecast) in forecasts {
        table.row([
            (*name).to_owned(),
            format!("{:.1}", outlook.allowance.pages_per_day() * factor),
            format!("{:.1} %", forecast.freshness * 100.0),
            span(Some(forecast.age)),
            span(forecast.delay),
            format::thousands(forecast.left_alone as u64),
        ]);
    }
    printer.table(&table)
}

fn span(days: Option<f64>) -> String {
    match days {
        None => "none expected".to_owned(),
        Some(days) if days.is_finite() => time(days),
        Some(_) => "never".to_owned(),
    }
}

fn pages_json(outlook: &Outlook, most: usize, printer: &mut Printer) -> Result<(), Failure> {
    for (number, days) in outlook.calendar().into_iter().take(most) {
        let page = &outlook.pages[number];
        let at = outlook.now.saturating_add((days * 86_400_000.0) as i64);
        printer.json(&json!({
            "page": page.address.as_str(), "site": outlook.sites[page.site].key, "for": purpose(page.purpose),
            "due": moment(at), "why": why(outlook, page), "rate_per_day": page.rate,
            "visits": page.compared.0, "changes": page.compared.1, "last": page.last.map(moment),
            "hinted": page.hinted, "value": finite(outlook.value(number)), "worth": worth(outlook.value(number)),
        }))?;
    }
    Ok(())
}

fn forecast_json(outlook: &Outlook, name: &str, factor: f64, forecast: &Forecast) -> Json {
    json!({
        "budget": name, "pages_per_day": outlook.allowance.pages_per_day() * factor, "visits_per_day": forecast.visits,
        "freshness": forecast.freshness, "age_days": finite(forecast.age),
        "new_object_days": forecast.delay.and_then(finite), "left_alone": forecast.left_alone,
        "price": finite(forecast.price), "watched": outlook.pages.len(), "sites": outlook.sites.len(),
        "new_objects_per_day": outlook.news,
    })
}

fn finite(number: f64) -> Option<f64> {
    Some(number).filter(|number| number.is_finite())
}

/// Draws what multiples of the budget reach: what is right, and how soon new objects are found.
fn plot(outlook: &Outlook, budget: &str) -> String {
    let drawn: Vec<(f64, Forecast)> = DRAWN
        .map(|power| 2_f64.powi(power))
        .map(|factor| {
            (
                outlook.allowance.pages_per_day() * factor,
                outlook.forecast(factor),
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
        title: format!("What budgets reach, from a sixteenth to twice {budget}"),
        x: "pages a day".to_owned(),
        y: "%".to_owned(),
        series: vec![
            line("objects that are right", &|forecast| Some(forecast.freshness)),
            line("new ones found in a week", &|forecast| {
                // Lists are read at even gaps, so what comes waits for any part of one.
                let delay = forecast.delay?;
                Some((7.0 / (2.0 * delay)).min(1.0))
            }),
        ],
    }
    .to_svg_within(0.0, 100.0)
}
