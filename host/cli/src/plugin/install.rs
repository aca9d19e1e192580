//! `magpie plugin add`, `update`, `remove` and `list`: the components of a workspace.

use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use magpie_engine::open_reader;
use magpie_kit::install::{
    Change, FileState, Installed, InstalledView, Installer, Listed, ListedView, Source,
};
use magpie_terminal::settings::{self, SettingArgs};
use magpie_terminal::{Failure, Printer, Table, format, workspace};

use crate::plugin::args::{AddArgs, ListArgs, RemoveArgs, UpdateArgs};
use crate::plugin::lines::RemovedLine;
use crate::setup;
use magpie_terminal::process::found;

pub(crate) fn add(arguments: &AddArgs, printer: &mut Printer) -> Result<(), Failure> {
    let more = &arguments.more;
    let installer = installer(&more.settings)?;
    let mut source = Source::parse(&arguments.source)?;
    if let Source::File(path) = &source {
        source = Source::file(&setup::component(path, printer)?)?;
    }
    let installed = installer.add(&source, more.accept_changed)?;
    print(&installed, more.json, printer)?;
    offer_to_reread(&more.settings, &installed, printer)
}

pub(crate) fn update(arguments: &UpdateArgs, printer: &mut Printer) -> Result<ExitCode, Failure> {
    let more = &arguments.more;
    let outcomes = installer(&more.settings)?.update(arguments.name.as_deref(), more.accept_changed)?;
    let is_one = outcomes.len() == 1;
    let mut all_is_well = true;
    for outcome in outcomes {
        match outcome {
            Ok(installed) => {
                print(&installed, more.json, printer)?;
                offer_to_reread(&more.settings, &installed, printer)?;
            }
            Err(error) if is_one => return Err(error.into()),
            Err(error) => {
                printer.error(&error.into());
                all_is_well = false;
            }
        }
    }
    Ok(found(all_is_well))
}

pub(crate) fn remove(arguments: &RemoveArgs, printer: &mut Printer) -> Result<(), Failure> {
    let files = installer(&(&arguments.workspace).into())?.remove(&arguments.name)?;
    if arguments.json {
        let vertical = arguments.name.clone();
        return printer.json(&RemovedLine { vertical, files });
    }
    files
        .iter()
        .try_for_each(|file| printer.line(&format!("removed {}", file.display())))
}

pub(crate) fn list(arguments: &ListArgs, printer: &mut Printer) -> Result<ExitCode, Failure> {
    let list = installer(&(&arguments.workspace).into())?.list()?;
    let mut table = Table::default().right(&[4]).cut_before(2);
    table.row(("vertical", "version", "source", "digest", "size", "state"));
    for listed in &list {
        if arguments.json {
            printer.json(&ListedView::from(listed))?;
        }
        table.row((
            listed.vertical.clone(),
            listed.version.clone().unwrap_or_default(),
            listed.source.clone().unwrap_or_default(),
            listed.digest.map(|digest| digest.short()).unwrap_or_default(),
            listed.bytes.map(format::bytes).unwrap_or_default(),
            state(listed),
        ));
    }
    if !arguments.json && list.is_empty() {
        printer.tell("there is no vertical in this workspace; `magpie plugin add SOURCE` gets one");
    } else if !arguments.json {
        printer.table(&table)?;
    }
    Ok(found(list.iter().all(Listed::is_well)))
}

fn state(listed: &Listed) -> String {
    let state = match listed.state {
        FileState::Matches => "as in verticals.lock",
        FileState::Changed => "not as in verticals.lock",
        FileState::Missing => "missing",
        FileState::NotLocked => "not in verticals.lock",
    };
    match &listed.problem {
        Some(problem) => format!("{state}; can't be used: {problem}"),
        None => state.to_owned(),
    }
}

fn installer(arguments: &SettingArgs) -> Result<Installer, Failure> {
    let folder = settings::required_workspace(&arguments.place)?;
    workspace::check(&folder)?;
    let resolved = settings::resolve(arguments, Some(&folder))?;
    workspace::installer(&folder, &resolved)
}

fn print(installed: &Installed, json: bool, printer: &mut Printer) -> Result<(), Failure> {
    if json {
        printer.json(&InstalledView::from(installed))
    } else {
        printer.line(&sentence(installed))
    }
}

/// Says what it would cost to show the archived pages to a component that replaced another.
fn offer_to_reread(
    arguments: &SettingArgs,
    installed: &Installed,
    printer: &mut Printer,
) -> Result<(), Failure> {
    if !matches!(installed.change, Change::Replaced { .. }) {
        return Ok(());
    }
    let reader = open_reader(&settings::required_workspace(&arguments.place)?)?;
    let totals = reader.component_totals()?.into_iter();
    let before = totals.filter(|totals| totals.component.vertical == installed.vertical);
    let (pages, cpu) = before.fold((0, Duration::ZERO), |(pages, cpu), totals| {
        (pages + totals.pages, cpu + totals.cpu)
    });
    if pages > 0 {
        printer.hint(&format!(
            "`magpie reread --vertical {}` shows the newest copies of archived pages to it: at most {}, about {} of CPU time as \
             before, and no request",
            installed.vertical,
            format::many(pages, "page"),
            format::time(cpu),
        ));
    }
    Ok(())
}

/// Describes the component that the workspace now has.
pub(crate) fn sentence(installed: &Installed) -> String {
    let done = match &installed.change {
        Change::Added => "added".to_owned(),
        Change::Replaced { version: Some(old) } => format!("replaced {old} by"),
        Change::Replaced { version: None } => "replaced an unusable file by".to_owned(),
        Change::Unchanged => "unchanged:".to_owned(),
    };
    let file = installed.file.file_name().unwrap_or_default();
    format!(
        "{done} {} {}, {}, {} from {}",
        installed.vertical,
        installed.version,
        Path::new(file).display(),
        installed.digest.short(),
        installed.source
    )
}
