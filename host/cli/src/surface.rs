//! `magpie surface`: objects that only search forms give out.

use magpie_engine::open_reader;
use std::path::Path;
use std::process::ExitCode;

use magpie_engine::site::named_key;
use magpie_engine::surface::{
    Decision, FormDecision, SurfaceMethod, SurfaceOutcome, SurfaceQuery, SurfaceRequest, forms_of,
    redirects_to, surface, templates_of,
};
use magpie_report::views::hidden::{PlannedTemplate, SurfaceLine, TemplateLine, decisions};
use magpie_rows::{QueryTemplateRow, TemplateState};
use magpie_terminal::process::now;
use magpie_terminal::workspace::open_session;
use magpie_terminal::{Cell, Failure, Kind, Printer, Table, Tone, format, settings};

use crate::args::{AskMethod, SurfaceArgs};
use crate::console::Console;
use crate::forms::sites;

/// Bytes of a file of queries or names.
const MAX_FILE: u64 = 64 * 1024 * 1024;

pub(crate) fn run(arguments: &SurfaceArgs, printer: &mut Printer) -> Result<ExitCode, Failure> {
    let folder = settings::required_workspace(&arguments.settings.any.place)?;
    let sites = chosen(&folder, &arguments.sites)?;
    let method = match arguments.method {
        AskMethod::Entities => SurfaceMethod::Entities,
        AskMethod::Isit => SurfaceMethod::Isit,
        AskMethod::Probe => SurfaceMethod::Probe,
        AskMethod::Auto => SurfaceMethod::Auto,
    };
    if arguments.plan {
        return plan(&folder, &sites, method, arguments, printer);
    }
    let mut queries = Vec::new();
    if let Some(path) = &arguments.queries {
        queries.extend(read(path)?.lines().filter_map(logged_query));
    }
    if let Some(path) = &arguments.entities {
        for (line, text) in read(path)?
            .lines()
            .enumerate()
            .filter(|(_, text)| !text.trim().is_empty())
        {
            queries.push(entity(text).ok_or_else(|| {
                let place = format!("{}, line {}", path.display(), line + 1);
                Failure::input(format!("{place}: expected a type, a tab and a name"))
            })?);
        }
    }
    let request = SurfaceRequest {
        sites,
        queries,
        max_requests: arguments.requests,
        method,
    };
    let session = open_session(&arguments.settings, arguments.vertical.as_deref(), |settings| {
        settings
    })?;
    let mut console = Console::new(&session, arguments.json, printer)?;
    let outcome = surface(&session, &request, &mut console)?;
    console.check()?;
    let Some(outcome) = outcome else {
        printer.tell("stopped; `magpie surface` continues where it stopped");
        return Ok(ExitCode::from(Kind::Stopped as u8));
    };
    let keys = sites_by_id(&folder)?;
    print(&outcome, &keys, arguments.json, printer)?;
    Ok(ExitCode::SUCCESS)
}

/// Returns the keys of the sites that a person names; none for all.
fn chosen(folder: &Path, names: &[String]) -> Result<Vec<String>, Failure> {
    let reader = open_reader(folder)?;
    let keys: Vec<String> = sites(&*reader)?.into_iter().map(|site| site.key).collect();
    let mut chosen = Vec::new();
    for name in names {
        let found = named_key(&keys, Some(name));
        if found.is_empty() {
            return Err(Failure::input(format!("no site `{name}` in this workspace"))
                .hint("`magpie learn SITE` or `magpie crawl SITE` fetches its pages first"));
        }
        chosen.extend(found.into_iter().cloned());
    }
    Ok(chosen)
}

fn sites_by_id(folder: &Path) -> Result<Vec<(i64, String)>, Failure> {
    let reader = open_reader(folder)?;
    Ok(sites(&*reader)?
        .into_iter()
        .map(|site| (site.id.0, site.key))
        .collect())
}

fn read(path: &Path) -> Result<String, Failure> {
    let failed = |error| Failure::unreadable(path, &error);
    let length = std::fs::metadata(path).map_err(failed)?.len();
    if length > MAX_FILE {
        return Err(Failure::input(format!(
            "{} has {}; the maximum is {}",
            path.display(),
            format::bytes(length),
            format::bytes(MAX_FILE)
        )));
    }
    std::fs::read_to_string(path).map_err(failed)
}

fn logged_query(line: &str) -> Option<SurfaceQuery> {
    let (count, text) = match line.split_once('\t') {
        Some((count, text)) if count.trim().parse::<f64>().is_ok() => (count.trim().parse().ok()?, text),
        _ => (1.0, line),
    };
    let text = text.trim().to_owned();
    (!text.is_empty()).then(|| SurfaceQuery {
        text,
        kind: String::new(),
        count,
    })
}

fn entity(line: &str) -> Option<SurfaceQuery> {
    let (kind, name) = line.split_once('\t')?;
    let (kind, name) = (kind.trim(), name.trim());
    (!kind.is_empty() && !name.is_empty()).then(|| SurfaceQuery {
        text: name.to_owned(),
        kind: kind.to_owned(),
        count: 1.0,
    })
}

/// Prints the templates that would be asked.
fn plan(
    folder: &Path,
    wanted: &[String],
    method: SurfaceMethod,
    arguments: &SurfaceArgs,
    printer: &mut Printer,
) -> Result<ExitCode, Failure> {
    let resolved = arguments.settings.resolve(Some(folder))?;
    let reader = open_reader(folder)?;
    let mut any = false;
    for site in sites(&*reader)? {
        if !wanted.is_empty() && !wanted.contains(&site.key) {
            continue;
        }
        let forms = forms_of(&*reader, site.id, &resolved, now())?;
        for template in forms.iter().flat_map(|form| templates_of(form, method)) {
            any = true;
            match arguments.json {
                true => printer.json(&PlannedTemplate {
                    site: site.key.clone(),
                    template,
                })?,
                false => printer.line(&template)?,
            }
        }
    }
    if !any {
        return Err(Failure::new(Kind::Found, "no form may be sent")
            .hint("`magpie forms` shows the forms and the reason for each"));
    }
    Ok(ExitCode::SUCCESS)
}

fn print(
    outcome: &SurfaceOutcome,
    keys: &[(i64, String)],
    json: bool,
    printer: &mut Printer,
) -> Result<(), Failure> {
    let key_of = |row: &QueryTemplateRow| -> &str {
        let found = keys.iter().find(|(id, _)| *id == row.site.0);
        found.map_or("", |(_, key)| key)
    };
    if json {
        for row in &outcome.templates {
            printer.json(&TemplateLine::new(key_of(row), outcome, row))?;
        }
        return printer.json(&SurfaceLine {
            pages: outcome.pages,
            new_records: outcome.new_records,
        });
    }
    if outcome.templates.is_empty() {
        return printer.line("no form may be sent; `magpie forms` shows the reasons");
    }
    let mut table = Table::default().right(&[1, 2]).cut(4).head([
        "state",
        "requests",
        "objects",
        "behind it",
        "template",
    ]);
    for row in &outcome.templates {
        let tone = match row.state {
            TemplateState::Working => Tone::Good,
            TemplateState::Trial => Tone::Quiet,
            TemplateState::Inert
            | TemplateState::Fruitless
            | TemplateState::Failing
            | TemplateState::Forbidden => Tone::Odd,
        };
        let behind = match row.size {
            Some((_, min, max)) if max.is_finite() => format!("{min:.0} to {max:.0}"),
            Some((_, min, _)) => format!("{min:.0} or more"),
            None => String::new(),
        };
        table.row((
            Cell::toned(tone, row.state.as_str()),
            format::thousands(row.asked),
            format::thousands(row.objects),
            behind,
            row.template.clone(),
        ));
        let redirect = redirects_to(row).map(|template| format!("redirects to {template}"));
        let detail = Some(row.detail.clone()).filter(|detail| !detail.is_empty());
        for more in redirect.into_iter().chain(detail) {
            table.below(4, more);
        }
    }
    printer.table(&table)?;
    for row in &outcome.templates {
        decided(row, &decisions(outcome, row).collect::<Vec<_>>(), printer)?;
    }
    let templates = outcome.templates.iter();
    let forbidden = templates
        .filter(|row| row.state == TemplateState::Forbidden)
        .count();
    if forbidden > 0 {
        printer.line(&format!(
            "robots.txt or a setting forbids the results of {forbidden} of {}",
            format::count(outcome.templates.len(), "template")
        ))?;
    }
    printer.line(&format!(
        "{} fetched, {}",
        format::many(outcome.pages, "page"),
        format::many(outcome.new_records, "new record")
    ))
}

/// Prints the decisions about the inputs of a filter form.
fn decided(
    row: &QueryTemplateRow,
    decisions: &[&FormDecision],
    printer: &mut Printer,
) -> Result<(), Failure> {
    if decisions.is_empty() {
        return Ok(());
    }
    printer.line("")?;
    printer.line(&row.template)?;
    let mut table = Table::indented(2)
        .right(&[1, 2])
        .cut(3)
        .head(["decision", "samples", "distinct", "inputs"]);
    for decided in decisions {
        let tone = match decided.decision {
            Decision::Informative => Tone::Good,
            Decision::Uninformative
            | Decision::TooLarge
            | Decision::Presentation
            | Decision::Inert
            | Decision::Redundant => Tone::Quiet,
        };
        table.row((
            Cell::toned(tone, decided.decision.as_str()),
            format::thousands(u64::from(decided.samples)),
            format::thousands(u64::from(decided.distinct)),
            decided.inputs.join(" + "),
        ));
    }
    printer.table(&table)
}
