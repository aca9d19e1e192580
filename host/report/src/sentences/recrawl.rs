//! Sentences about recrawls.

use magpie_engine::learn::RecordsClustered;
use magpie_engine::recrawl::StepOutcome;
use magpie_engine::recrawl::{CoverageFall, Plan, PlannedSite};
use magpie_patterns::drift::Relearn;
use magpie_rows::Filled;

use crate::format;

/// The plan of a recrawl, before it begins.
pub fn plan(plan: &Plan, promised: u64) -> String {
    let sum = |of: fn(&PlannedSite) -> usize| plan.sites.iter().map(of).sum::<usize>();
    planned(
        plan.sites.len(),
        [
            sum(|site| site.hubs),
            sum(|site| site.due),
            sum(|site| site.unseen),
            sum(|site| site.resting),
            sum(|site| site.waiting),
            sum(|site| site.known),
        ],
        (promised, plan.most()),
    )
}

fn planned(
    sites: usize,
    [hubs, due, unseen, resting, waiting, known]: [usize; 6],
    (promised, most): (u64, Option<u64>),
) -> String {
    let later: Vec<String> = [(resting, "list"), (waiting, "due page")]
        .into_iter()
        .filter(|(number, _)| *number > 0)
        .map(|(number, what)| format::count(number, what))
        .collect();
    let later = match later.is_empty() {
        true => String::new(),
        false => format!("; {} left for later rounds", later.join(" and ")),
    };
    let most = most.map_or_else(String::new, |most| {
        format!(", {} at most", format::thousands(most))
    });
    format!(
        "{}: {}, {} due, {} not fetched before; of {} known; {} promised{most}{later}",
        format::count(sites, "site"),
        format::count(hubs, "hub page"),
        format::count(due, "page"),
        unseen,
        format::thousands(known as u64),
        format::many(promised, "page"),
    )
}

/// The loss of values of an attribute on a site.
pub fn coverage_fall(fall: &CoverageFall) -> String {
    let percent = |filled: Filled| format!("{:.0} %", 100.0 * filled.share());
    format!(
        "coverage of `{}` fell: {} of the {} on its pages have it, {} when the site was learned; the site or its \
         pages may have changed",
        fall.attribute,
        percent(fall.last),
        format::many(fall.last.records, "record"),
        percent(fall.learned),
    )
}

/// The outcome of a step of a recrawl.
pub fn step(outcome: &StepOutcome) -> String {
    match outcome {
        StepOutcome::Plan {
            sites,
            hubs,
            due,
            unseen,
            resting,
            waiting,
            known,
            promised,
            most,
        } => planned(
            *sites,
            [*hubs, *due, *unseen, *resting, *waiting, *known],
            (*promised, *most),
        ),
        StepOutcome::Crawl {
            pages,
            bytes,
            records,
        } => format!(
            "{} with {}, {} on them",
            format::many(*pages, "page"),
            format::bytes(*bytes),
            format::many(*records, "record"),
        ),
        StepOutcome::Cluster(RecordsClustered {
            records,
            new_records,
            objects,
            ..
        }) => format!(
            "{}, {} of them new; {} in all",
            format::many(*records, "record"),
            format::thousands(*new_records),
            format::many(*objects, "object")
        ),
        StepOutcome::Record {
            sites,
            with_new_objects,
            with_alarms,
            with_unknown_pages,
        } => format!(
            "{}: {with_new_objects} with new objects, {with_alarms} with alarms, {with_unknown_pages} with links to \
             unknown kinds of pages",
            format::count(*sites, "site"),
        ),
        StepOutcome::Ask { queries, pages } => format!(
            "{}, {} of results and objects",
            format::counted(*queries, "query", "queries"),
            format::many(*pages, "page")
        ),
        StepOutcome::Check { pages } => {
            format!(
                "{} fetched, as lists show their objects otherwise or no longer",
                format::many(*pages, "known page")
            )
        }
        StepOutcome::Explore { pages } => {
            format!("{} of unknown kinds were inspected", format::many(*pages, "page"))
        }
        StepOutcome::Repair { site, folders, pages } => {
            let part = part_of(site, folders);
            format!("{part} was crawled again: {}", format::many(*pages, "page"))
        }
        StepOutcome::Relearn { sites } => format!(
            "patterns and navigation of {} were rebuilt, and the selection updated",
            format::count(*sites, "site")
        ),
    }
}

/// A site, or the folders of it that are learned again. These are URLs, so they name the site.
pub fn part_of(site: &str, folders: &[String]) -> String {
    match folders {
        [] => site.to_owned(),
        folders => format::listed(folders),
    }
}

/// Describes a site that was learned again: its folders, or the whole site, and the number of
/// fetched pages.
pub fn learned_again(state: &str, repair: Option<(&[String], u64)>) -> String {
    let pages = |pages| format::many(pages, "page");
    match repair {
        None => format!("was {state}, learned again"),
        Some(([], fetched)) => format!("was {state}, learned again with {}", pages(fetched)),
        Some((folders, fetched)) => format!(
            "was {state}, learned {} again with {}",
            format::listed(folders),
            pages(fetched)
        ),
    }
}

/// The reason for which a site is learned again.
pub fn drift(relearn: &Relearn, lists_are_gone: bool) -> String {
    match relearn {
        Relearn::Folders(folders) => format!(
            "pages below {} no longer yield what they did",
            format::listed(folders)
        ),
        _ if lists_are_gone => "its lists are gone, or have no links to objects".to_owned(),
        _ => "its pages no longer yield what they did".to_owned(),
    }
}
