//! Sentences about recrawls.

use magpie_engine::collect::{Plan, PlannedSite, SiteOutcome};
use magpie_engine::learn::RecordsClustered;
use magpie_engine::recrawl::{RecrawlOutcome, Repaired, StepOutcome};
use magpie_learn::drift::Relearn;
use magpie_report::Figures;
use serde_json::{Value, json};

use magpie_store::RoundState;

use crate::args::RecrawlArgs;
use crate::failure::Failure;
use crate::printer::{Printer, Tone};
use crate::report::Reported;
use crate::table::{Cell, Table};
use crate::{figures, report, show};

/// Sites that are listed; the ones with most new objects first.
const SITES: usize = 20;

/// The plan of a recrawl, before it begins.
pub(crate) fn plan(plan: &Plan, promised: u64) -> String {
    let sum = |of: fn(&PlannedSite) -> usize| plan.sites.iter().map(of).sum::<usize>();
    planned(
        plan.sites.len(),
        [
            sum(|site| site.hubs),
            sum(|site| site.due),
            sum(|site| site.unseen),
            sum(|site| site.known),
        ],
        promised,
    )
}

fn planned(sites: usize, [hubs, due, unseen, known]: [usize; 4], promised: u64) -> String {
    format!(
        "{}: {}, {} due, {} not fetched before; of {} known; {} promised",
        show::count(sites, "site"),
        show::count(hubs, "hub page"),
        show::count(due, "page"),
        unseen,
        show::thousands(known as u64),
        show::many(promised, "page"),
    )
}

/// The outcome of a step of a recrawl.
pub(crate) fn step(outcome: &StepOutcome) -> String {
    match outcome {
        StepOutcome::Plan {
            sites,
            hubs,
            due,
            unseen,
            known,
            promised,
        } => planned(*sites, [*hubs, *due, *unseen, *known], *promised),
        StepOutcome::Crawl {
            pages,
            bytes,
            records,
        } => format!(
            "{} with {}, {} on them",
            show::many(*pages, "page"),
            show::bytes(*bytes),
            show::many(*records, "record"),
        ),
        StepOutcome::Cluster(RecordsClustered {
            records,
            new_records,
            objects,
            ..
        }) => format!(
            "{}, {} of them new; {} in all",
            show::many(*records, "record"),
            show::thousands(*new_records),
            show::many(*objects, "object")
        ),
        StepOutcome::Record {
            sites,
            with_new_objects,
            with_alarms,
            with_unknown_pages,
        } => format!(
            "{}: {with_new_objects} with new objects, {with_alarms} with alarms, {with_unknown_pages} with links to \
             unknown kinds of pages",
            show::count(*sites, "site"),
        ),
        StepOutcome::Explore { pages } => {
            format!("{} of unknown kinds were looked at", show::many(*pages, "page"))
        }
        StepOutcome::Repair { site, pages } => {
            format!("{site} was crawled anew: {}", show::many(*pages, "page"))
        }
        StepOutcome::Relearn { sites } => format!(
            "patterns and ways of {} were made anew, and the choice brought up to date",
            show::count(*sites, "site")
        ),
    }
}

/// The reason for which a site is learned again.
pub(crate) fn drift(relearn: &Relearn, lists_are_gone: bool) -> String {
    match relearn {
        Relearn::Folders(folders) => format!(
            "pages below {} no longer bring what they did",
            show::listed(folders)
        ),
        _ if lists_are_gone => "its lists are not there any more, or lead nowhere".to_owned(),
        _ => "its pages no longer bring what they did".to_owned(),
    }
}

/// At its end.
pub(crate) fn outcome(
    outcome: &RecrawlOutcome,
    arguments: &RecrawlArgs,
    reported: &Reported,
    printer: &mut Printer,
) -> Result<(), Failure> {
    let report = reported.path.as_ref().ok();
    let sites = &outcome.recorded.sites;
    if arguments.json {
        for site in sites {
            printer.json(&site_json(site))?;
        }
        return printer.json(&all_json(outcome, reported));
    }
    let mut shown: Vec<&SiteOutcome> = sites.iter().collect();
    shown.sort_by(|one, other| {
        let new = other.round.new_objects.cmp(&one.round.new_objects);
        new.then(other.round.pages.cmp(&one.round.pages))
    });
    let mut table = Table::indented(0).right(&[1, 2, 3, 4, 5]);
    table.row(
        ["site", "pages", "hubs", "unchanged", "objects", "new", ""]
            .map(|head| Cell::toned(Tone::Quiet, head)),
    );
    for site in shown.iter().take(SITES) {
        let round = &site.round;
        table.row([
            Cell::from(site.key.clone()),
            Cell::from(show::thousands(round.pages)),
            Cell::from(show::thousands(round.hubs)),
            Cell::from(show::thousands(round.unchanged)),
            Cell::from(show::thousands(round.objects)),
            Cell::from(show::thousands(round.new_objects)),
            state(site, outcome),
        ]);
    }
    printer.table(&table)?;
    if shown.len() > SITES {
        printer.line(&format!("and {} more", show::count(shown.len() - SITES, "site")))?;
    }
    printer.line("")?;
    printer.line(&sentence(outcome, &reported.figures))?;
    printer.line(&figures::coverage(reported.figures.objects, &reported.figures))?;
    figures::warn(&reported.sites, printer);
    report.map_or(Ok(()), |path| printer.line(&report::told(path)))
}

/// What a person would say of it.
fn sentence(outcome: &RecrawlOutcome, figures: &Figures) -> String {
    let share = match figures.known_pages {
        0 => 0.0,
        known => figures.fetched_pages as f64 / known as f64 * 100.0,
    };
    let mut text = format!(
        "{} and {} for {}: {share:.1} % of {}; {}",
        show::many(figures.fetched_pages, "page"),
        show::bytes(figures.bytes),
        show::many(figures.new_objects, "new object"),
        show::many(figures.known_pages, "known page"),
        figures::promise(outcome.promised, outcome.fetched),
    );
    if outcome.explored > 0 {
        text.push_str(&format!(
            "; {} of unknown kinds",
            show::many(outcome.explored, "page")
        ));
    }
    for (in_vain, what) in [
        (false, "learned again with"),
        (true, "looked at again in vain, with"),
    ] {
        let repaired = outcome
            .repaired
            .iter()
            .filter(|repaired| repaired.in_vain == in_vain);
        let pages: Vec<u64> = repaired.map(|repaired| repaired.pages).collect();
        if !pages.is_empty() {
            text.push_str(&format!(
                "; {} {what} {}",
                show::count(pages.len(), "site"),
                show::many(pages.iter().sum(), "page")
            ));
        }
    }
    text
}

fn state(site: &SiteOutcome, outcome: &RecrawlOutcome) -> Cell {
    let repaired = outcome.repaired.iter().find(|repaired| repaired.site == site.key);
    let is_mended = repaired.is_some_and(|repaired| !repaired.in_vain);
    let all_failed = site.round.pages > 0 && site.round.failures == site.round.pages;
    match site.round.state {
        RoundState::Blocked => Cell::toned(Tone::Bad, "nothing answered: blocked or down"),
        RoundState::Forbidden => Cell::toned(Tone::Bad, "forbidden by its robots.txt"),
        RoundState::Gone if is_mended => Cell::toned(Tone::Odd, "its lists were gone, learned again"),
        RoundState::Gone if repaired.is_some() => {
            Cell::toned(Tone::Bad, "its lists are gone, no others were found")
        }
        RoundState::Gone => Cell::toned(Tone::Bad, "its lists are gone"),
        RoundState::Broken | RoundState::Done if all_failed => {
            Cell::toned(Tone::Bad, "none of its pages could be had")
        }
        RoundState::Broken if is_mended => Cell::toned(Tone::Odd, "was broken, learned again"),
        RoundState::Broken => Cell::toned(Tone::Bad, "broken"),
        RoundState::Done if !site.shapes.is_empty() => Cell::toned(Tone::Odd, "links to unknown pages"),
        RoundState::Done => Cell::from(""),
    }
}

/// A repaired site, for programs.
pub(crate) fn repaired_json(repaired: &Repaired) -> Value {
    json!({"site": repaired.site, "pages": repaired.pages, "in_vain": repaired.in_vain})
}

fn site_json(site: &SiteOutcome) -> Value {
    let round = &site.round;
    json!({
        "site": site.key, "pages": round.pages, "hubs": round.hubs, "unchanged": round.unchanged,
        "failures": round.failures, "bytes": round.bytes, "objects": round.objects,
        "new_objects": round.new_objects, "state": round.state,
        "alarms": site.alarms.iter().map(|(pattern, alarm)| json!({"pattern": pattern, "alarm": alarm})).collect::<Vec<_>>(),
        "relearn": match &site.relearn {
            Relearn::Nothing => json!(null),
            Relearn::Folders(folders) => json!(folders),
            Relearn::Site => json!("site"),
        },
        "unknown": site.shapes.iter().map(|shape| json!({"pattern": shape.pattern.to_string(), "urls": shape.urls.len()})).collect::<Vec<_>>(),
    })
}

fn all_json(outcome: &RecrawlOutcome, reported: &Reported) -> Value {
    let figures = &reported.figures;
    json!({
        "run": outcome.run.0, "method": outcome.method, "sites": outcome.recorded.sites.len(),
        "pages": figures.fetched_pages, "bytes": figures.bytes, "new_objects": figures.new_objects,
        "known_pages": figures.known_pages, "promised_pages": outcome.promised, "round_fetched_pages": outcome.fetched,
        "requests": outcome.crawled.progress.requests, "explored": outcome.explored,
        "report": reported.path.as_ref().ok(), "left_out": outcome.left_out,
        "repaired": outcome.repaired.iter().map(repaired_json).collect::<Vec<_>>(),
        "figures": figures,
    })
}
