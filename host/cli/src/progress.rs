//! The progress of a crawl, and its end.

use std::path::Path;

use magpie_engine::crawl::{Ending, Progress};
use magpie_engine::workspace_name;
use magpie_terminal::{Cell, Failure, Printer, Table, Tone, format};

/// Code of pages that were not shown because no browser can be started.
const NO_BROWSER: &str = "no-browser";

/// Describes the state of a crawl in a line.
pub(crate) fn line(progress: &Progress) -> String {
    let mut text = format!(
        "{} pages  {:.0}/s  {}{}  {} in the queue",
        format::thousands(progress.pages),
        progress.rate(),
        format::bytes(progress.bytes),
        match progress.objects {
            0 => String::new(),
            objects => format!("  {} records", format::thousands(objects)),
        },
        format::thousands(progress.queued),
    );
    // Without requests under way, the time per page is no estimate of the remaining time.
    if let Some(left) = progress
        .left()
        .filter(|_| progress.queued > 0 && progress.in_flight > 0)
    {
        text.push_str(&format!("  about {} left", format::about(left)));
    }
    let busiest = progress.sites.iter().max_by_key(|site| site.queued);
    if let Some(site) = busiest {
        text.push_str(&format!("  {}: {}", site.site, site.activity));
    }
    text
}

/// Prints the end of a crawl.
pub(crate) fn summary(
    ending: Ending,
    progress: &Progress,
    folder: Option<&Path>,
    printer: &mut Printer,
) -> Result<(), Failure> {
    let (word, tone) = match ending {
        Ending::Finished if progress.pages == 0 => ("nothing fetched", Tone::Odd),
        Ending::Finished => ("done", Tone::Good),
        Ending::Stopped => ("stopped", Tone::Odd),
    };
    printer.line(&format!(
        "{}: {}, {} in {} ({:.1} pages/s), {} known, {} in the queue",
        printer.paint(tone, word),
        format::many(progress.pages, "page"),
        format::bytes(progress.bytes),
        format::about(progress.elapsed),
        progress.rate(),
        format::many(progress.known, "URL"),
        format::thousands(progress.queued),
    ))?;
    let mut table = Table::indented(2).right(&[1]);
    for (class, count) in &progress.statuses {
        table.row((format!("status {class}xx"), format::thousands(*count)));
    }
    for (code, count) in &progress.problems {
        table.row((Cell::toned(Tone::Odd, code.clone()), format::thousands(*count)));
    }
    if progress.objects > 0 {
        table.row(("records", format::thousands(progress.objects)));
    }
    let rendered = &progress.rendered;
    if rendered.pages > 0 {
        table.row(("shown by a browser", format::thousands(rendered.pages)));
    }
    for (code, count) in &rendered.failures {
        table.row((
            Cell::toned(Tone::Odd, format!("not shown: {code}")),
            format::thousands(*count),
        ));
    }
    for (what, failures) in &progress.failures {
        table.row((
            Cell::toned(Tone::Odd, what.clone()),
            format::thousands(failures.pages),
        ));
    }
    for (code, count) in &progress.refused {
        table.row((format!("not fetched: {code}"), format::thousands(*count)));
    }
    printer.table(&table)?;
    if progress.pages > 0 {
        for (site, why) in &progress.unreached {
            printer.line(&format!("  {site} can't be reached: {why}"))?;
        }
    }
    for failures in progress.failures.values() {
        printer.line(&format!("  first on {}: {}", failures.first, failures.detail))?;
    }
    if !progress.failures.is_empty()
        && let Some(folder) = folder
    {
        printer.hint(&format!(
            "`magpie status --verbose --workspace {0}` lists the pages on which a vertical failed, and `magpie \
             explain URL --workspace {0}` shows one",
            workspace_name(folder)
        ));
    }
    if rendered.failures.contains_key(NO_BROWSER) {
        printer.hint("install Chromium, or set `render.browser` to its file");
    }
    if ending == Ending::Finished && progress.queued > 0 {
        printer.hint(
            "sites that reached their page limit keep their queue; raise it with `--pages N` to continue",
        );
    }
    if let (Ending::Stopped, Some(folder)) = (ending, folder) {
        printer.hint(&format!(
            "continue with `magpie crawl --workspace {}`; fetched pages are not fetched again",
            workspace_name(folder)
        ));
    } else if let Some(folder) = folder.filter(|_| progress.pages > 0) {
        let next = match progress.objects {
            0 => "the pages are in {}; `magpie export pages --workspace {}` writes them to a file",
            _ => "the objects are in {}; `magpie objects --workspace {}` lists them",
        };
        printer.tell(&next.replace("{}", &workspace_name(folder)));
    }
    Ok(())
}
