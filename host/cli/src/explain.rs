//! `magpie explain`.

use std::process::ExitCode;

use magpie_engine::forgotten_reason;
use magpie_model::{CanonicalUrl, UrlReason};
use magpie_report::views::url::{ExplainError, UrlStory, extraction, focus_sentences, judgement};
use magpie_rows::{ReadStore, UrlExplanation, UrlState};
use magpie_terminal::workspace::Opened;
use magpie_terminal::{Failure, Printer, Table, Tone, format};
use magpie_web::masked;

use crate::args::ExplainArgs;
use magpie_terminal::process::{self, found};

/// Steps of the way from a first page that are shown.
const STEPS: usize = 10;

pub(crate) fn run(arguments: &ExplainArgs, printer: &mut Printer) -> Result<ExitCode, Failure> {
    let opened = Opened::by(&arguments.settings)?;
    let reader = &*opened.reader;
    let story = UrlStory::read(
        reader,
        &opened.folder,
        &opened.settings,
        process::now(),
        &arguments.url,
    );
    let story = story.map_err(|error| match error {
        ExplainError::Url(problem) => Failure::usage(format!(
            "`{}` is not a URL that can be fetched: {problem}",
            masked(&arguments.url)
        )),
        ExplainError::Store(error) => error.into(),
    })?;
    if arguments.json {
        printer.json(&story.view(reader)?)?;
        return Ok(found(!story.known.is_empty()));
    }
    printer.heading(story.url.as_str())?;
    for change in &story.changes {
        printer.line(&format!("  made canonical: {}", change.sentence))?;
        if let Some(proof) = &change.proof {
            printer.line(&format!("    {}; `urls.keep_keys` would keep it", proof.evidence))?;
        }
    }
    if let Some(order) = &story.order {
        printer.line(&format!(
            "  with the keys in the server's order: {}",
            order.evidence
        ))?;
    }
    let is_told = |known: &UrlExplanation| known.reason == Some(UrlReason::Forgotten);
    let settings = opened.settings.for_host(story.url.host());
    if let Some(reason) = forgotten_reason(&settings.scope.forgotten, story.url.as_str())
        && !story.known.iter().any(is_told)
    {
        printer.line(&format!("  {reason}"))?;
    }
    if story.known.is_empty() {
        printer.line("  no page of this workspace links to it")?;
        unknown(reader, &story.url, printer)?;
    }
    for explained in &story.known {
        explain(reader, explained, printer)?;
    }
    for query in &story.queries {
        printer.line(&format!("  {query}"))?;
    }
    for sentence in story.focus.iter().flat_map(focus_sentences) {
        printer.line(&format!("  {sentence}"))?;
    }
    for rendering in &story.rendering {
        printer.line(&format!("  {rendering}"))?;
    }
    for list in &story.lists {
        printer.line(&format!("  {list}"))?;
    }
    Ok(found(!story.known.is_empty()))
}

/// Prints the state of a URL that was never found: its site may not be crawled at all.
fn unknown(reader: &dyn ReadStore, url: &CanonicalUrl, printer: &mut Printer) -> Result<(), Failure> {
    let crawled = reader.host(url.origin())?.is_some();
    printer.hint(if crawled {
        "its host is crawled, but no page that was fetched, no sitemap and no redirect leads there; \
         `magpie export links` has all links"
    } else {
        "its host is not crawled in this workspace"
    });
    Ok(())
}

fn explain(reader: &dyn ReadStore, explained: &UrlExplanation, printer: &mut Printer) -> Result<(), Failure> {
    let tone = match explained.state {
        UrlState::Fetched => Tone::Good,
        UrlState::Queued => Tone::Strong,
        UrlState::Failed => Tone::Bad,
        UrlState::Refused | UrlState::Held => Tone::Odd,
    };
    let mut state = printer.paint(tone, explained.state.as_str());
    if let Some(reason) = &explained.reason {
        state.push_str(&format!(" ({reason})"));
    }
    if let Some(detail) = &explained.detail {
        state.push_str(&format!(": {detail}"));
    }
    printer.line(&format!("  {state}"))?;
    let mut table = Table::indented(2).cut(1);
    table.row(("site", explained.site_key.clone()));
    table.row((
        "found",
        format!("{} as a {}", explained.found_at, explained.source),
    ));
    table.row(("depth", format!("{} from the first page", explained.depth)));
    if let Some(modified) = explained.modified_at {
        table.row(("changed", format!("{modified} according to sitemaps and feeds")));
    }
    if explained.attempts > 0 {
        table.row(("attempts", explained.attempts.to_string()));
    }
    if let Some(due) = explained.due_at {
        table.row(("due", due.to_string()));
    }
    for (index, step) in explained.way.iter().take(STEPS).enumerate() {
        let head = if index == 0 { "found on" } else { "" };
        table.row((head.to_owned(), step.url.clone()));
    }
    for (index, page) in explained.pages.iter().enumerate() {
        let head = if index == 0 { "fetched" } else { "" };
        let status = page
            .status
            .map_or("no answer".to_owned(), |status| format!("status {status}"));
        let mut text = format!("{}  {status}", page.fetched_at);
        if let Some(kind) = &page.media_type {
            text.push_str(&format!("  {kind}, {}", format::bytes(page.bytes)));
        }
        if let Some(target) = &page.redirect {
            text.push_str(&format!("  to {target}"));
        }
        let problem = page.problem.as_ref().map(UrlReason::to_string);
        if let Some(detail) = page.detail.as_ref().or(problem.as_ref()) {
            text.push_str(&format!("  {detail}"));
        }
        table.row((head.to_owned(), text));
        if let Some((file, offset, _)) = &page.archived {
            table.row(("", format!("kept in archive/{file} at {offset}")));
        }
        if let Some(pruned) = &page.pruned {
            table.row(("", pruned.to_string()));
        }
        for extracted in reader.extractions(page.id)? {
            table.row(("", extraction(&extracted)));
        }
        for judged in reader.judgements_of(&[page.id])? {
            table.row(("", judgement(&judged)));
        }
    }
    printer.table(&table)
}
