//! `magpie forget`: pages that are removed for good.

use std::io::{self, BufRead as _, IsTerminal as _, Write as _};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use clap::Args as ClapArgs;
use magpie_engine::crawl::site_key;
use magpie_engine::settings::Resolved;
use magpie_engine::{
    ForgetTarget, ForgottenEntry, canonicaliser_knowing, forget, is_forgotten, open_workspace,
};
use magpie_model::CanonicalUrl;
use magpie_rows::{Forgetting, Forgotten, Store, UrlTest};
use magpie_terminal::format::{bytes, many};
use magpie_terminal::process::now;
use magpie_terminal::settings::SettingArgs;
use magpie_terminal::{Failure, Printer, settings, workspace};
use schemars::JsonSchema;
use serde::Serialize;

/// Remove pages for good, with all that came of them, and never fetch them again
///
/// Their records, bodies and entries in the search go too, and the objects that no other page
/// shows. The log of changes says so to followers. Interrupted, the command is given again.
#[derive(Debug, ClapArgs)]
#[command(after_help = "Examples:\n  magpie forget shop.example --dry-run\n  \
    magpie forget 'https://hall.example/people/{slug}' --yes\n  \
    magpie forget --allow shop.example")]
pub(crate) struct ForgetArgs {
    /// Sites (with the hosts below them), URLs, and patterns as `magpie patterns` prints them
    #[arg(value_name = "SITE|URL|PATTERN", required_unless_present = "list")]
    pub(crate) what: Vec<String>,
    /// Print what would be removed and change nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Remove it without a question
    #[arg(long)]
    pub(crate) yes: bool,
    /// List what was forgotten
    #[arg(long, conflicts_with_all = ["what", "allow", "dry_run", "yes"])]
    pub(crate) list: bool,
    /// Allow to fetch it again; what was removed stays removed
    #[arg(long, conflicts_with_all = ["dry_run", "yes"])]
    pub(crate) allow: bool,
    /// JSON instead of text
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) settings: SettingArgs,
}

/// The setting with what was forgotten.
const KEY: &str = "scope.forgotten";

/// Pages that were removed.
#[derive(Serialize, JsonSchema)]
pub(crate) struct ForgottenLine {
    /// Sites, URLs and patterns that were named.
    forgotten: Vec<String>,
    /// True if nothing was changed.
    dry_run: bool,
    /// Keys of the sites that are removed as a whole.
    sites: Vec<String>,
    /// Number of URLs that are not fetched again.
    urls: u64,
    /// Number of removed pages.
    pages: u64,
    /// Number of their records.
    records: u64,
    /// Number of removed objects.
    objects: u64,
    /// Number of objects that lost some of their records.
    changed_objects: u64,
    /// Bytes of the pages in the archive.
    bytes: u64,
}

/// Pages that were removed before.
#[derive(Serialize, JsonSchema)]
pub(crate) struct ForgottenBefore {
    /// Site, URL or pattern.
    forgotten: String,
    /// Day on which it was forgotten.
    on: String,
}

/// Pages that may be fetched again.
#[derive(Serialize, JsonSchema)]
pub(crate) struct AllowedLine {
    /// Sites, URLs and patterns that were named.
    allowed: Vec<String>,
    /// Number of URLs that are queued again.
    urls: u64,
}

pub(crate) fn run(arguments: &ForgetArgs, printer: &mut Printer) -> Result<ExitCode, Failure> {
    let folder = settings::required_workspace(&arguments.settings.place)?;
    workspace::check(&folder)?;
    let resolved = settings::resolve(&arguments.settings, Some(&folder))?;
    let entries = entries(&resolved)?;
    if arguments.list {
        list(&entries, arguments.json, printer)?;
        return Ok(ExitCode::SUCCESS);
    }
    let store = open_workspace(&folder, &resolved)?;
    let named = arguments.what.iter();
    let named = named.map(|text| target(&*store, &resolved, text));
    let named: Vec<ForgetTarget> = named.collect::<Result<_, _>>()?;
    if arguments.allow {
        allow(&folder, (&*store, &entries), &named, arguments.json, printer)?;
        return Ok(ExitCode::SUCCESS);
    }
    let time = now().to_string();
    let day = time.get(..10).unwrap_or_default();
    let new: Vec<ForgottenEntry> = named
        .iter()
        .map(|target| ForgottenEntry {
            day: day.to_owned(),
            target: target.clone(),
        })
        .collect();
    let names: Vec<String> = named.iter().map(ToString::to_string).collect();
    let request = Forgetting {
        urls: is_forgotten(&new).map_err(Failure::usage)?,
        detail: format!("forgotten on {day} ({})", names.join(", ")),
        now: now(),
        is_dry: true,
    };
    let is_asked = !arguments.dry_run && !arguments.yes;
    if arguments.dry_run || is_asked {
        let planned = forget(&folder, &*store, &request)?;
        if arguments.dry_run && arguments.json {
            printer.json(&line(&names, &planned, true))?;
        } else {
            printer.line(&format!("{} would be removed", sentence(&planned)))?;
        }
        if arguments.dry_run {
            return Ok(ExitCode::SUCCESS);
        }
    }
    if is_asked && !is_agreed(printer)? {
        printer.tell("nothing was changed");
        return Ok(ExitCode::from(1));
    }
    // Before the removal: from now on no crawl fetches the pages, whatever happens to this process.
    let mut all = entries;
    all.retain(|entry| !named.contains(&entry.target));
    all.extend(new);
    write(&folder, &all)?;
    let forgotten = forget(
        &folder,
        &*store,
        &Forgetting {
            is_dry: false,
            ..request
        },
    )?;
    magpie_engine::sync(&folder)?;
    if arguments.json {
        printer.json(&line(&names, &forgotten, false))?;
        return Ok(ExitCode::SUCCESS);
    }
    printer.line(&format!("removed {}", sentence(&forgotten)))?;
    for site in &forgotten.sites {
        printer.line(&format!("{site} is forgotten as a whole"))?;
    }
    if forgotten.changed_objects > 0 {
        printer.hint("`magpie objects cluster` merges the changed objects from their other records");
    }
    Ok(ExitCode::SUCCESS)
}

/// Reads the entries of the settings.
fn entries(resolved: &Resolved) -> Result<Vec<ForgottenEntry>, Failure> {
    let entries = resolved.settings.scope.forgotten.iter();
    let entries = entries.map(|text| text.parse::<ForgottenEntry>().map_err(Failure::usage));
    entries.collect()
}

fn write(folder: &Path, entries: &[ForgottenEntry]) -> Result<(), Failure> {
    let list: toml_edit::Array = entries.iter().map(ToString::to_string).collect();
    let value = (!list.is_empty()).then(|| toml_edit::value(list));
    settings::write(folder, None, KEY, value)
}

/// Reads a target. A URL is named as its site has it, without keys that make no difference.
fn target(store: &dyn Store, resolved: &Resolved, text: &str) -> Result<ForgetTarget, Failure> {
    let target: ForgetTarget = text.parse().map_err(Failure::usage)?;
    let ForgetTarget::Urls(url) = &target else {
        return Ok(target);
    };
    let Some(url) = CanonicalUrl::trusted(url.as_str()).filter(|_| !url.contains('{')) else {
        return Ok(target);
    };
    let settings = resolved.for_host(url.host());
    let rules = store.url_rules(&site_key(settings, &url))?;
    let known = canonicaliser_knowing(settings, &rules);
    let canonical = url.to_url().ok().and_then(|url| known.canonicalise(&url).ok());
    Ok(canonical.map_or(target, |found| ForgetTarget::Urls(found.url.as_str().to_owned())))
}

fn list(entries: &[ForgottenEntry], is_json: bool, printer: &mut Printer) -> Result<(), Failure> {
    for entry in entries {
        match is_json {
            true => printer.json(&ForgottenBefore {
                forgotten: entry.target.to_string(),
                on: entry.day.clone(),
            })?,
            false => printer.line(&entry.to_string())?,
        }
    }
    if entries.is_empty() && !is_json {
        printer.line("nothing is forgotten")?;
    }
    Ok(())
}

fn allow(
    folder: &Path,
    (store, entries): (&dyn Store, &[ForgottenEntry]),
    named: &[ForgetTarget],
    is_json: bool,
    printer: &mut Printer,
) -> Result<(), Failure> {
    if let Some(unknown) = named
        .iter()
        .find(|target| !entries.iter().any(|entry| entry.target == **target))
    {
        return Err(Failure::input(format!("`{unknown}` is not forgotten"))
            .hint("`magpie forget --list` prints what is"));
    }
    let (allowed, left): (Vec<_>, Vec<_>) = entries
        .iter()
        .cloned()
        .partition(|entry| named.contains(&entry.target));
    write(folder, &left)?;
    let (is_allowed, stays) = (
        is_forgotten(&allowed).map_err(Failure::usage)?,
        is_forgotten(&left).map_err(Failure::usage)?,
    );
    let urls = store.recall(UrlTest(Arc::new(move |url| {
        (is_allowed.0)(url) && !(stays.0)(url)
    })))?;
    match is_json {
        true => printer.json(&AllowedLine {
            allowed: named.iter().map(ToString::to_string).collect(),
            urls,
        }),
        false => printer.line(&format!("queued {}, to be fetched again", many(urls, "URL"))),
    }
}

/// Asks on the terminal.
fn is_agreed(printer: &mut Printer) -> Result<bool, Failure> {
    if !io::stdin().is_terminal() {
        return Err(Failure::usage(
            "the standard input is no terminal, so this command can't ask before it removes pages",
        )
        .hint("repeat the command with `--yes`, or with `--dry-run` to change nothing"));
    }
    printer.flush()?;
    let failed = |error: io::Error| Failure::input(format!("can't ask: {error}"));
    let mut error = io::stderr().lock();
    error
        .write_all(b"Remove it for good? [y/N] ")
        .and_then(|()| error.flush())
        .map_err(failed)?;
    let mut answer = String::new();
    io::stdin().lock().read_line(&mut answer).map_err(failed)?;
    Ok(matches!(answer.trim(), "y" | "Y" | "yes"))
}

fn sentence(forgotten: &Forgotten) -> String {
    let mut text = format!(
        "{} ({}) with {} and {}",
        many(forgotten.pages, "page"),
        bytes(forgotten.bytes),
        many(forgotten.records, "record"),
        many(forgotten.objects, "object"),
    );
    if forgotten.changed_objects > 0 {
        text += &format!(
            ", and records of {}",
            many(forgotten.changed_objects, "other object")
        );
    }
    text
}

fn line(names: &[String], forgotten: &Forgotten, dry_run: bool) -> ForgottenLine {
    ForgottenLine {
        forgotten: names.to_vec(),
        dry_run,
        sites: forgotten.sites.clone(),
        urls: forgotten.urls,
        pages: forgotten.pages,
        records: forgotten.records,
        objects: forgotten.objects,
        changed_objects: forgotten.changed_objects,
        bytes: forgotten.bytes,
    }
}
