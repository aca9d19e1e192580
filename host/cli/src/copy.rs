//! `magpie workspace`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::files::{EditArgs, ExportArgs, FilesArgs, ImportArgs};
use clap::{Args as ClapArgs, Subcommand};
use magpie_engine::{
    CopyEvent, check_out, check_out_for_copy, copied_workspace, copy_files, copy_workspace, is_on_server,
};
use magpie_terminal::settings::{self, SettingArgs};
use magpie_terminal::{Failure, Printer, workspace};

/// Time between two lines about rows.
const INTERVAL: Duration = Duration::from_secs(10);

/// Copy a workspace, and read and write its files
#[derive(Debug, Subcommand)]
pub(crate) enum WorkspaceCommand {
    Copy(CopyArgs),
    Files(FilesArgs),
    Edit(EditArgs),
    Export(ExportArgs),
    Import(ImportArgs),
}

/// Copy a workspace from a folder to PostgreSQL, or back
///
/// Objects keep their numbers, and the log of changes keeps its positions, so that subscriptions
/// and webhooks continue with the copy. At the end the command compares all rows of both. An
/// interrupted copy continues when you run the command again. No other process may write to the
/// source meanwhile.
///
/// Pages in an object store are not copied: both workspaces refer to the same files. Use only one
/// of the workspaces from then on.
#[derive(Debug, ClapArgs)]
#[command(
    after_help = "Examples:\n  magpie workspace copy concerts postgres://magpie@db.example/concerts --archive s3://concerts\n  \
    magpie workspace copy postgres://magpie@db.example/concerts concerts --download"
)]
pub(crate) struct CopyArgs {
    /// The workspace: a folder, or postgres://USER@HOST/DATABASE
    from: PathBuf,
    /// The place of the copy, which is none yet
    to: PathBuf,
    /// Keep the archive of the copy in an object store or a shared folder, as in s3://BUCKET/PREFIX
    /// or file:///mnt/archive [setting: archive.store]
    #[arg(long, value_name = "URL", conflicts_with = "download")]
    archive: Option<String>,
    /// Put the archive into the folder of the copy
    #[arg(long)]
    download: bool,
}

pub(crate) fn run(arguments: &CopyArgs, printer: &mut Printer) -> Result<(), Failure> {
    let from = match is_on_server(&arguments.from) {
        true => check_out(settings::address(&arguments.from)?, &workspace::checkouts())?,
        false => arguments.from.clone(),
    };
    workspace::check(&from)?;
    let number = copied_workspace(&from, &arguments.to)?;
    let to = match is_on_server(&arguments.to) {
        true => check_out_for_copy(
            settings::address(&arguments.to)?,
            &number,
            &workspace::checkouts(),
        )?,
        false => arguments.to.clone(),
    };
    let resolve = |folder: &Path| settings::resolve(&SettingArgs::default(), Some(folder));
    // A workspace that was made before may say where its archive is.
    let before = resolve(&to)?.settings.archive.store;
    copy_files(&from, &to)?;
    let store = arguments
        .archive
        .clone()
        .or((!before.is_empty()).then_some(before));
    if arguments.download {
        settings::write(&to, None, "archive.store", None)?;
    } else if let Some(store) = store {
        settings::write(&to, None, "archive.store", Some(toml_edit::value(store)))?;
    }
    let (own, target) = (resolve(&from)?, resolve(&to)?);
    let mut written: BTreeMap<String, usize> = BTreeMap::new();
    let mut told = Instant::now();
    let compared = copy_workspace((&from, &own), (&to, &target), &mut |event| match event {
        CopyEvent::Rows { area, rows } => {
            let count = written.entry(area.to_owned()).or_default();
            *count += rows;
            if told.elapsed() > INTERVAL {
                told = Instant::now();
                printer.tell(&format!("copying {area}: {count} rows"));
            }
        }
        CopyEvent::File { name, bytes } => printer.tell(&format!("copied {name} ({bytes} bytes)")),
    })?;
    for area in compared {
        printer.tell(&format!("{}: {} rows, the same in both", area.area, area.rows));
    }
    printer.tell(&format!(
        "copied {} to {}: use only one of them from now on",
        magpie_engine::workspace_name(&from),
        magpie_engine::workspace_name(&to)
    ));
    Ok(())
}
