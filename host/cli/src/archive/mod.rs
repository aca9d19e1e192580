//! `magpie archive`.

pub(crate) mod args;

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use magpie_engine::settings::{Keep, Resolved};
use magpie_engine::{open_for_check, open_workspace};
use magpie_report::sentences;
use magpie_rows::{Store, StoreError};
use magpie_terminal::process::{done, now};
use magpie_terminal::{Failure, Printer, format, settings, workspace};
use magpie_values::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use args::{ArchiveArgs, ArchiveCommand, ReconcileArgs};

/// Age at which a file without pages can't belong to a batch that is being committed.
const ORPHAN_AGE: Duration = Duration::from_secs(86_400);

/// The outcome of a check.
#[derive(Serialize, JsonSchema)]
pub(crate) struct VerifiedLine {
    /// Number of pages with bytes in the archive.
    pages: u64,
    /// Number of responses in the archive.
    records: u64,
    /// Problems, at most 100 sentences.
    problems: Vec<String>,
}

/// Files that were joined.
#[derive(Serialize, JsonSchema)]
pub(crate) struct CompactedLine {
    /// Number of files before.
    joined: u64,
    /// Number of files that they became.
    into: u64,
    /// Size of these.
    bytes: u64,
}

/// Bodies that were removed.
#[derive(Serialize, JsonSchema)]
pub(crate) struct PrunedLine {
    /// Number of pages that lost their body.
    pages: u64,
    /// Size of the files before.
    before_bytes: u64,
    /// Size of the files now.
    after_bytes: u64,
}

/// A file without pages.
#[derive(Serialize, JsonSchema)]
pub(crate) struct OrphanLine {
    /// Name in the folder of archives, or address in the object store.
    file: String,
    /// Size of the file.
    bytes: u64,
    /// Time of its last change.
    modified: String,
    /// True if it was removed.
    removed: bool,
}

pub(crate) fn run(command: &ArchiveCommand, printer: &mut Printer) -> Result<ExitCode, Failure> {
    match command {
        ArchiveCommand::Verify(arguments) => verify(arguments, printer),
        ArchiveCommand::Compact(arguments) => done(compact(arguments, printer)),
        ArchiveCommand::Prune(arguments) => done(prune(arguments, printer)),
        ArchiveCommand::Reconcile(arguments) => done(reconcile(arguments, printer)),
    }
}

/// Opens the workspace of the arguments with the settings in force.
fn open(
    arguments: &ArchiveArgs,
    open: impl FnOnce(&PathBuf, &Resolved) -> Result<Arc<dyn Store>, StoreError>,
) -> Result<(Arc<dyn Store>, Resolved), Failure> {
    let folder = settings::required_workspace(&arguments.settings.place)?;
    workspace::check(&folder)?;
    let resolved = settings::resolve(&arguments.settings, Some(&folder))?;
    Ok((open(&folder, &resolved)?, resolved))
}

fn verify(arguments: &ArchiveArgs, printer: &mut Printer) -> Result<ExitCode, Failure> {
    let (store, _) = open(arguments, |folder, resolved| open_for_check(folder, resolved))?;
    let verified = store.verify()?;
    let is_good = verified.problems.is_empty();
    if arguments.json {
        printer.json(&VerifiedLine {
            pages: verified.pages,
            records: verified.records,
            problems: verified.problems,
        })?;
    } else {
        for problem in &verified.problems {
            printer.line(problem)?;
        }
        let problems = match is_good {
            true => "no problem".to_owned(),
            false => format::count(verified.problems.len(), "problem"),
        };
        let pages = format::many(verified.pages, "page");
        printer.line(&format!("{pages} in the archive: {problems}"))?;
    }
    if is_good {
        return Ok(ExitCode::SUCCESS);
    }
    printer.hint(
        "put lost files back; without them, any crawl with `--set archive.on_missing_archive=requeue` queues their pages again",
    );
    Ok(ExitCode::from(1))
}

fn compact(arguments: &ArchiveArgs, printer: &mut Printer) -> Result<(), Failure> {
    let (store, resolved) = open(arguments, |folder, resolved| open_workspace(folder, resolved))?;
    let compacted = store.compact()?;
    if arguments.json {
        return printer.json(&CompactedLine {
            joined: compacted.joined,
            into: compacted.into,
            bytes: compacted.bytes,
        });
    }
    printer.line(&match compacted.joined {
        0 if resolved.settings.archive.store.is_empty() => {
            "nothing to join: the files of a workspace grow by themselves, and `archive.store` names no object store".to_owned()
        }
        0 => "nothing to join".to_owned(),
        joined => format!(
            "joined {} to {} ({})",
            format::many(joined, "file"),
            format::thousands(compacted.into),
            format::bytes(compacted.bytes)
        ),
    })
}

fn prune(arguments: &ArchiveArgs, printer: &mut Printer) -> Result<(), Failure> {
    let (store, resolved) = open(arguments, |folder, resolved| open_workspace(folder, resolved))?;
    let archive = &resolved.settings.archive;
    let pruned = magpie_engine::prune(&*store, archive, now(), false)?;
    if arguments.json {
        return printer.json(&PrunedLine {
            pages: pruned.pages,
            before_bytes: pruned.before,
            after_bytes: pruned.after,
        });
    }
    printer.line(&match pruned.pages {
        0 if archive.quota.0 == 0 && !matches!(archive.keep, Keep::For(_)) => {
            "nothing to remove: neither `archive.keep` nor `archive.quota` sets a limit".to_owned()
        }
        0 => "nothing to remove".to_owned(),
        _ => sentences::pruned(&pruned),
    })
}

fn reconcile(arguments: &ReconcileArgs, printer: &mut Printer) -> Result<(), Failure> {
    let (store, _) = open(&arguments.archive, |folder, resolved| {
        open_workspace(folder, resolved)
    })?;
    let age = i64::try_from(ORPHAN_AGE.as_millis()).unwrap_or(i64::MAX);
    let before = Timestamp::from_millis(now().as_millis() - age);
    let orphans = store.orphans(arguments.remove.then_some(before))?;
    for orphan in &orphans {
        if arguments.archive.json {
            printer.json(&OrphanLine {
                file: orphan.name.clone(),
                bytes: orphan.bytes,
                modified: orphan.modified.to_string(),
                removed: orphan.is_removed,
            })?;
            continue;
        }
        let removed = if orphan.is_removed { ", removed" } else { "" };
        let (bytes, modified) = (format::bytes(orphan.bytes), orphan.modified);
        printer.line(&format!("{}  {bytes}, of {modified}{removed}", orphan.name))?;
    }
    if !arguments.archive.json && orphans.is_empty() {
        printer.line("every file of the archive has pages")?;
    }
    if !arguments.remove && !orphans.is_empty() {
        printer.hint("`magpie archive reconcile --remove` removes those that are older than a day");
    }
    Ok(())
}
