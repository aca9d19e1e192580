//! Sentences about recrawls.

use magpie_engine::recrawl::{RecrawlOutcome, SiteOutcome};
use magpie_report::Figures;
use magpie_report::sentences::figures;
use magpie_report::sentences::recrawl::learned_again;
use magpie_report::views::recrawl::{RecrawlLine, SiteOutcomeLine};
use magpie_terminal::{Cell, Failure, Printer, Table, Tone, format};

use magpie_rows::RoundState;

use crate::args::RecrawlArgs;
use crate::report::Reported;
use crate::{render, report};

/// Sites that are listed; the ones with most new objects first.
const SITES: usize = 20;

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
            printer.json(&SiteOutcomeLine::from(site))?;
        }
        return printer.json(&RecrawlLine::new(outcome, &reported.figures, report.cloned()));
    }
    let mut shown: Vec<&SiteOutcome> = sites.iter().collect();
    shown.sort_by(|one, other| {
        let new = other.round.new_objects.cmp(&one.round.new_objects);
        new.then(other.round.pages.cmp(&one.round.pages))
    });
    let mut table = Table::indented(0).right(&[1, 2, 3, 4, 5]).head([
        "site",
        "pages",
        "hubs",
        "unchanged",
        "objects",
        "new",
        "",
    ]);
    for site in shown.iter().take(SITES) {
        let round = &site.round;
        table.row((
            site.key.clone(),
            format::thousands(round.pages),
            format::thousands(round.hubs),
            format::thousands(round.unchanged),
            format::thousands(round.objects),
            format::thousands(round.new_objects),
            state(site, outcome),
        ));
    }
    printer.table(&table)?;
    if shown.len() > SITES {
        printer.line(&format!(
            "and {} more",
            format::count(shown.len() - SITES, "site")
        ))?;
    }
    printer.line("")?;
    printer.line(&sentence(outcome, &reported.figures))?;
    printer.line(&figures::coverage(reported.figures.objects, &reported.figures))?;
    let left_over: usize = sites.iter().map(|site| site.left_over).sum();
    if left_over > 0 {
        let pages = format::count(left_over, "new page");
        printer.hint(&format!(
            "the round stopped at its ceiling, with {pages} left; `recrawl.share` raises it, and \
             `magpie recrawl --over` goes on without it"
        ));
    }
    render::warn_of_junk(&reported.sites, printer);
    report.map_or(Ok(()), |path| printer.line(&report::told(path)))
}

/// Summarises a recrawl in a sentence.
fn sentence(outcome: &RecrawlOutcome, figures: &Figures) -> String {
    let share = match figures.known_pages {
        0 => 0.0,
        known => figures.fetched_pages as f64 / known as f64 * 100.0,
    };
    let mut text = format!(
        "{} and {} for {}: {share:.1} % of {}; {}",
        format::many(figures.fetched_pages, "page"),
        format::bytes(figures.bytes),
        format::many(figures.new_objects, "new object"),
        format::many(figures.known_pages, "known page"),
        figures::promise(outcome.promised, outcome.most, outcome.fetched),
    );
    if outcome.explored > 0 {
        text.push_str(&format!(
            "; {} of unknown kinds",
            format::many(outcome.explored, "page")
        ));
    }
    for (in_vain, what) in [
        (false, "learned again with"),
        (true, "learned again without success, with"),
    ] {
        let repaired = outcome
            .repaired
            .iter()
            .filter(|repaired| repaired.in_vain == in_vain);
        let pages: Vec<u64> = repaired.map(|repaired| repaired.pages).collect();
        if !pages.is_empty() {
            text.push_str(&format!(
                "; {} {what} {}",
                format::count(pages.len(), "site"),
                format::many(pages.iter().sum(), "page")
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
        RoundState::Blocked => Cell::toned(Tone::Bad, "no answer: blocked or down"),
        RoundState::Forbidden => Cell::toned(Tone::Bad, "forbidden by its robots.txt"),
        RoundState::Gone if is_mended => Cell::toned(Tone::Odd, "its lists were gone, learned again"),
        RoundState::Gone if repaired.is_some() => {
            Cell::toned(Tone::Bad, "its list pages are gone, no others found")
        }
        RoundState::Gone => Cell::toned(Tone::Bad, "its lists are gone"),
        RoundState::Broken | RoundState::Done if all_failed => {
            Cell::toned(Tone::Bad, "none of its pages could be had")
        }
        RoundState::Broken if is_mended => {
            let repair = repaired.map(|repaired| (&repaired.folders[..], repaired.pages));
            Cell::toned(Tone::Odd, learned_again("broken", repair))
        }
        RoundState::Broken => Cell::toned(Tone::Bad, "broken"),
        RoundState::Done if !site.falls.is_empty() => {
            let names: Vec<&str> = site.falls.iter().map(|fall| fall.attribute.as_str()).collect();
            Cell::toned(Tone::Bad, format!("fewer values of {}", names.join(", ")))
        }
        RoundState::Done if site.left_over > 0 => Cell::toned(
            Tone::Odd,
            format!("{} left for later", format::count(site.left_over, "new page")),
        ),
        RoundState::Done if !site.shapes.is_empty() => Cell::toned(Tone::Odd, "links to unknown pages"),
        RoundState::Done => Cell::from(""),
    }
}
