//! `magpie explain`.

use magpie_store::SiteFacts;
use std::fmt;
use std::path::Path;
use std::process::ExitCode;

use magpie_engine::collect::{navigation_file, read_navigation};
use magpie_engine::crawl::site_key;
use magpie_engine::sites::with_scheme;
use magpie_engine::{canonicaliser_knowing, proof, proof_of_order};
use magpie_store::{
    ExtractionRow, Hidden, KeptUrlRule, PageRow, Reader, SubmissionOutcome, SubmissionRow, UrlExplanation,
    UrlState,
};
use magpie_terminal::settings::CrawlSettingArgs;
use magpie_terminal::{Failure, Printer, Table, Tone, format, settings};
use magpie_web::masked;
use serde_json::{Value, json};

use crate::args::ExplainArgs;
use crate::plugin::found;
use magpie_model::{CanonicalUrl, UrlReason};

/// Steps of the way from a first page that are shown.
const STEPS: usize = 10;

pub(crate) fn run(arguments: &ExplainArgs, printer: &mut Printer) -> Result<ExitCode, Failure> {
    let folder = settings::required_workspace(&arguments.settings.place)?;
    let resolved = settings::resolve(&arguments.settings, &CrawlSettingArgs::default(), Some(&folder))?;
    let text = with_scheme(&arguments.url);
    let host = url::Url::parse(&text)
        .ok()
        .and_then(|url| url.host_str().map(str::to_owned));
    let settings = resolved.for_host(host.as_deref().unwrap_or_default());
    let canonical = |known: &[KeptUrlRule]| {
        let canonicaliser = canonicaliser_knowing(settings, known);
        canonicaliser.canonicalise_text(&text, None).map_err(|problem| {
            Failure::usage(format!(
                "`{}` is not a URL that can be fetched: {problem}",
                masked(&arguments.url)
            ))
        })
    };
    let reader = Reader::open(&folder)?;
    let site = site_key(settings, &canonical(&[])?.url);
    let url_rules = reader.url_rules(&site)?;
    let canonical = canonical(&url_rules)?;
    let mut known = reader.explain(canonical.url.fingerprint().0)?;
    // Queries are asked for as the form sends them, not in the canonical form.
    let asked = CanonicalUrl::trusted(text.as_str());
    if let Some(asked) = &asked
        && known.is_empty()
    {
        known = reader.explain(asked.fingerprint().0)?;
    }
    let host = reader.host(canonical.url.origin())?;
    let mut queries = reader.submissions_to(canonical.url.as_str())?;
    if let Some(asked) = asked.filter(|asked| *asked != canonical.url) {
        queries.extend(reader.submissions_to(asked.as_str())?);
    }
    let queries: Vec<Query> = queries
        .into_iter()
        .map(|row| Query::of(&folder, &site, row))
        .collect();
    let changes: Vec<String> = canonical.changes.iter().map(ToString::to_string).collect();
    let order = proof_of_order(&canonical, &url_rules);
    if arguments.json {
        let dropped = canonical
            .changes
            .iter()
            .filter_map(|change| proof(change, &url_rules));
        printer.json(&json!({
            "url": canonical.url.as_str(),
            "changes": changes,
            "learned": dropped.chain(order).map(|kept| json!({
                "rule": kept.url_rule, "key": kept.key, "evidence": kept.evidence,
            })).collect::<Vec<_>>(),
            "known": known.iter().map(|explained| as_json(&reader, explained)).collect::<Result<Vec<_>, _>>()?,
            "queries": queries.iter().map(Query::to_json).collect::<Vec<_>>(),
            "robots": host.as_ref().and_then(|host| host.robots.as_ref()).map(|robots| json!({
                "outcome": robots.outcome, "status": robots.status,
            })),
        }))?;
        return Ok(found(!known.is_empty()));
    }
    printer.line(&printer.paint(Tone::Strong, canonical.url.as_str()))?;
    for change in &canonical.changes {
        printer.line(&format!("  made canonical: {change}"))?;
        if let Some(proof) = proof(change, &url_rules) {
            printer.line(&format!("    {}; `urls.keep_keys` would keep it", proof.evidence))?;
        }
    }
    if let Some(order) = order {
        printer.line(&format!(
            "  with the keys in the server's order: {}",
            order.evidence
        ))?;
    }
    if known.is_empty() {
        printer.line("  no page of this workspace links to it")?;
        unknown(&reader, &canonical.url, printer)?;
    }
    for explained in &known {
        explain(&reader, explained, printer)?;
    }
    for query in &queries {
        printer.line(&format!("  {query}"))?;
    }
    Ok(found(!known.is_empty()))
}

/// A query whose results a URL has.
struct Query {
    row: SubmissionRow,
    /// A recrawl asks it in every round, as the navigation of the site says.
    is_of_rounds: bool,
}

impl Query {
    fn of(workspace: &Path, site: &str, row: SubmissionRow) -> Query {
        // A broken file is reported by the commands that follow it.
        let navigation = read_navigation(&navigation_file(workspace, &row.vertical, site)).ok();
        let searches = navigation.flatten().map(|navigation| navigation.searches);
        let is_of_rounds = searches
            .into_iter()
            .flatten()
            .any(|search| search.template == row.template && search.queries.contains(&row.query));
        Query { row, is_of_rounds }
    }

    fn to_json(&self) -> Value {
        json!({
            "vertical": self.row.vertical,
            "template": self.row.template,
            "query": self.row.query,
            "asked_at": self.row.asked_at.to_string(),
            "outcome": self.row.outcome.as_str(),
            "objects": self.row.objects,
            "new_objects": self.row.new_objects,
            "each_round": self.is_of_rounds,
        })
    }
}

impl fmt::Display for Query {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let row = &self.row;
        let answer = match row.outcome {
            SubmissionOutcome::Results | SubmissionOutcome::Object => format!(
                "{}, {} of them new",
                format::many(row.objects, "object"),
                format::thousands(row.new_objects)
            ),
            SubmissionOutcome::Empty => "no result".to_owned(),
            SubmissionOutcome::Failed => "no answer".to_owned(),
            SubmissionOutcome::Refused => "not asked, since a rule forbids it".to_owned(),
        };
        write!(
            f,
            "asked by {} at {} as the query \"{}\" of {}: {answer}",
            row.vertical, row.asked_at, row.query, row.template
        )?;
        match self.is_of_rounds {
            true => f.write_str("; recrawls ask it in every round"),
            false => Ok(()),
        }
    }
}

/// Prints the state of a URL that was never found: its site may not be crawled at all.
fn unknown(reader: &Reader, url: &CanonicalUrl, printer: &mut Printer) -> Result<(), Failure> {
    let crawled = reader.host(url.origin())?.is_some();
    printer.hint(if crawled {
        "its host is crawled, but no page that was fetched, no sitemap and no redirect leads there; \
         `magpie export links` has all links"
    } else {
        "its host is not crawled in this workspace"
    });
    Ok(())
}

fn explain(reader: &Reader, explained: &UrlExplanation, printer: &mut Printer) -> Result<(), Failure> {
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
    table.row(["site".to_owned(), explained.site_key.clone()]);
    table.row([
        "found".to_owned(),
        format!("{} as a {}", explained.found_at, explained.source),
    ]);
    table.row([
        "depth".to_owned(),
        format!("{} from the first page", explained.depth),
    ]);
    if let Some(modified) = explained.modified_at {
        table.row([
            "changed".to_owned(),
            format!("{modified} according to sitemaps and feeds"),
        ]);
    }
    if explained.attempts > 0 {
        table.row(["attempts".to_owned(), explained.attempts.to_string()]);
    }
    if let Some(due) = explained.due_at {
        table.row(["due".to_owned(), due.to_string()]);
    }
    for (index, step) in explained.way.iter().take(STEPS).enumerate() {
        let head = if index == 0 { "found on" } else { "" };
        table.row([head.to_owned(), step.url.clone()]);
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
        table.row([head.to_owned(), text]);
        if let Some((file, offset, _)) = &page.archived {
            table.row([String::new(), format!("kept in archive/{file} at {offset}")]);
        }
        for extraction in reader.extractions(page.id)? {
            table.row([String::new(), told(&extraction)]);
        }
    }
    printer.table(&table)
}

/// Formats the result of a vertical on a page as a sentence.
fn told(extraction: &ExtractionRow) -> String {
    let plugin = format!(
        "{} {}",
        extraction.component.vertical, extraction.component.version
    );
    let mut text = match &extraction.problem {
        None => format!("{plugin} found {}", format::many(extraction.records, "record")),
        Some(code) => format!("{plugin} failed ({code})"),
    };
    if let Some(detail) = &extraction.detail {
        text.push_str(&format!(": {detail}"));
    }
    text
}

fn as_json(reader: &Reader, explained: &UrlExplanation) -> Result<Value, Failure> {
    let fetches = explained.pages.iter().map(|page| fetch_json(reader, page));
    Ok(json!({
        "site": explained.site_key,
        "state": explained.state.as_str(),
        "reason": explained.reason,
        "detail": explained.detail,
        "depth": explained.depth,
        "attempts": explained.attempts,
        "due_at": explained.due_at.map(|at| at.to_string()),
        "modified_at": explained.modified_at.map(|at| at.to_string()),
        "source": explained.source,
        "found_at": explained.found_at.to_string(),
        "way": explained.way.iter().map(|step| &step.url).collect::<Vec<_>>(),
        "fetches": fetches.collect::<Result<Vec<_>, _>>()?,
    }))
}

fn fetch_json(reader: &Reader, page: &PageRow) -> Result<Value, Failure> {
    let extractions = reader.extractions(page.id)?;
    let extractions = extractions.iter().map(|extraction| {
        json!({
            "vertical": extraction.component.vertical,
            "version": extraction.component.version,
            "digest": format!("blake3:{}", extraction.component.digest),
            "records": extraction.records,
            "violations": extraction.violations,
            "problem": extraction.problem,
            "detail": extraction.detail,
            "cpu_ms": extraction.cpu.as_secs_f64() * 1e3,
        })
    });
    Ok(json!({
        "fetched_at": page.fetched_at.to_string(),
        "status": page.status,
        "media_type": page.media_type,
        "bytes": page.bytes,
        "redirect": page.redirect,
        "problem": page.problem,
        "detail": page.detail,
        "archived": page.archived.as_ref().map(|(file, offset, length)| json!({
            "file": file, "offset": offset, "length": length,
        })),
        "extractions": extractions.collect::<Vec<_>>(),
    }))
}
