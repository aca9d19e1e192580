//! The files of a workspace that people edit, also of one on a server.

use std::ffi::OsString;
use std::fs;
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::Command;

use clap::Args as ClapArgs;
use magpie_engine::settings::Resolved;
use magpie_engine::{can_fetch, is_workspace_file, sync, workspace_files, write_file};
use magpie_terminal::settings::{self, FILE, SettingArgs, WorkspaceArg};
use magpie_terminal::{Failure, Printer, format, output_file};

/// The largest file that is read.
const MAX_BYTES: u64 = 64 << 20;

/// List the files that people edit: settings, navigations, readings, components, accounts
#[derive(Debug, ClapArgs)]
pub(crate) struct FilesArgs {
    #[command(flatten)]
    place: WorkspaceArg,
}

/// Edit a file of a workspace with $VISUAL or $EDITOR
///
/// The file is written back when the editor ends. Settings that are invalid are not. If another
/// process has changed the file meanwhile, nothing is written.
#[derive(Debug, ClapArgs)]
#[command(
    after_help = "Example:\n  magpie workspace edit magpie.toml --workspace postgres://magpie@db.example/concerts"
)]
pub(crate) struct EditArgs {
    /// The file, as `magpie workspace files` lists it
    file: String,
    #[command(flatten)]
    place: WorkspaceArg,
}

/// Print a file of a workspace
#[derive(Debug, ClapArgs)]
pub(crate) struct ExportArgs {
    /// The file, as `magpie workspace files` lists it
    file: String,
    /// Write it to this file instead
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    #[command(flatten)]
    place: WorkspaceArg,
}

/// Put a file into a workspace, and replace the one that is there
#[derive(Debug, ClapArgs)]
#[command(after_help = "Example:\n  magpie workspace import navigation/events/example.org.toml mine.toml")]
pub(crate) struct ImportArgs {
    /// The name of the file in the workspace
    file: String,
    /// The file to read; - for the standard input
    from: PathBuf,
    #[command(flatten)]
    place: WorkspaceArg,
}

pub(crate) fn files(arguments: &FilesArgs, printer: &mut Printer) -> Result<(), Failure> {
    let folder = settings::required_workspace(&arguments.place)?;
    workspace_files(&folder)?
        .iter()
        .try_for_each(|file| printer.line(file))
}

pub(crate) fn edit(arguments: &EditArgs, printer: &mut Printer) -> Result<(), Failure> {
    let folder = settings::required_workspace(&arguments.place)?;
    let path = place(&folder, &arguments.file)?;
    let before = fs::read(&path).ok();
    let editor = ["VISUAL", "EDITOR"]
        .into_iter()
        .filter_map(std::env::var_os)
        .find(|editor| !editor.is_empty())
        .unwrap_or_else(|| OsString::from("vi"));
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent).map_err(|error| unwritable(&path, &error))?;
    }
    // The variable may have arguments, as in `code --wait`; the shell splits them.
    let ended = Command::new("sh")
        .args(["-c", "exec $0 \"$1\""])
        .arg(&editor)
        .arg(&path)
        .status();
    let editor = editor.to_string_lossy();
    match ended {
        Ok(status) if status.success() => {}
        Ok(status) => return Err(Failure::input(format!("{editor} ended with {status}"))),
        Err(error) => return Err(Failure::input(format!("can't start {editor}: {error}"))),
    }
    if fs::read(&path).ok() == before {
        printer.tell(&format!("{} is as it was", arguments.file));
        return Ok(());
    }
    written(&folder, &arguments.file, before.as_deref(), printer)
}

pub(crate) fn export(arguments: &ExportArgs, printer: &mut Printer) -> Result<(), Failure> {
    let folder = settings::required_workspace(&arguments.place)?;
    let path = place(&folder, &arguments.file)?;
    let content =
        fs::read(&path).map_err(|error| Failure::input(format!("can't read {}: {error}", arguments.file)))?;
    if let Some(out) = &arguments.out {
        output_file::check(Some(out))?;
        write_file(out, &content).map_err(|error| unwritable(out, &error))?;
        printer.tell(&format!("wrote {}", format::typed(out)));
        return Ok(());
    }
    printer.flush()?;
    let printed = io::stdout().lock().write_all(&content);
    printed.map_err(|error| Failure::input(format!("can't print: {error}")))
}

pub(crate) fn import(arguments: &ImportArgs, printer: &mut Printer) -> Result<(), Failure> {
    let folder = settings::required_workspace(&arguments.place)?;
    let path = place(&folder, &arguments.file)?;
    let mut content = Vec::new();
    let read = match arguments.from.as_os_str() == "-" {
        true => io::stdin().lock().take(MAX_BYTES + 1).read_to_end(&mut content),
        false => fs::File::open(&arguments.from)
            .and_then(|file| file.take(MAX_BYTES + 1).read_to_end(&mut content)),
    };
    read.map_err(|error| Failure::input(format!("can't read {}: {error}", arguments.from.display())))?;
    if content.len() as u64 > MAX_BYTES {
        return Err(Failure::input(format!(
            "{} is larger than 64 MB",
            arguments.from.display()
        )));
    }
    let before = fs::read(&path).ok();
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent).map_err(|error| unwritable(&path, &error))?;
    }
    write_file(&path, &content).map_err(|error| unwritable(&path, &error))?;
    written(&folder, &arguments.file, before.as_deref(), printer)
}

/// Carries a changed file to the server, if there is one. Invalid settings are put back.
fn written(folder: &Path, file: &str, before: Option<&[u8]>, printer: &mut Printer) -> Result<(), Failure> {
    let path = folder.join(file);
    if file == FILE
        && let Err(failure) = check_settings(folder)
    {
        let restored = before.map_or_else(|| fs::remove_file(&path), |before| write_file(&path, before));
        restored.map_err(|error| unwritable(&path, &error))?;
        return Err(failure.hint("nothing was changed"));
    }
    sync(folder)?;
    printer.tell(&format!("wrote {file}"));
    Ok(())
}

fn check_settings(folder: &Path) -> Result<(), Failure> {
    let resolved: Resolved = settings::resolve(&SettingArgs::default(), Some(folder))?;
    can_fetch(&resolved.settings)?;
    resolved
        .sites()
        .try_for_each(|(_, settings)| can_fetch(settings))?;
    Ok(())
}

/// Returns the path of a file of a workspace.
fn place(folder: &Path, file: &str) -> Result<PathBuf, Failure> {
    match is_workspace_file(file) {
        true => Ok(folder.join(file)),
        false => Err(
            Failure::usage(format!("`{file}` is no file of a workspace")).hint(
                "`magpie workspace files` lists them; new ones lie in navigation/, reading/ or verticals/",
            ),
        ),
    }
}

fn unwritable(path: &Path, error: &io::Error) -> Failure {
    Failure::input(format!("can't write {}: {error}", path.display()))
}
