//! `magpie objects cluster`.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use magpie_engine::reading::read_news;
use magpie_engine::warehouse::{Comparers, Options, Report, cluster_new};
use magpie_engine::{Session, SessionOptions, Verticals, workspace_name};
use magpie_report::views::explain::ClusterLine;
use magpie_rows::Store;

use super::args::ClusterArgs;
use magpie_terminal::format::many;
use magpie_terminal::settings::SettingArgs;
use magpie_terminal::workspace::{open_verticals, session_options};
use magpie_terminal::{Failure, Kind, Printer, settings};

pub(crate) fn run(arguments: &ClusterArgs, printer: &mut Printer) -> Result<(), Failure> {
    let opened = open(&arguments.settings)?;
    let reports = clustered(&opened, arguments.vertical.as_deref(), printer)?;
    if reports.is_empty() {
        return Err(Failure::input("no vertical has seen a page")
            .hint("crawl something with the component in the folder `verticals`"));
    }
    for report in &reports {
        if arguments.json {
            printer.json(&ClusterLine::from(report))?;
        } else {
            printer.line(&told(report))?;
        }
    }
    Ok(())
}

/// A workspace that is open for writing, and its verticals.
pub(super) struct Clusterable {
    pub(super) store: Arc<dyn Store>,
    verticals: Verticals,
    folder: PathBuf,
    min_confidence: f64,
    options: SessionOptions,
}

pub(super) fn open(arguments: &SettingArgs) -> Result<Clusterable, Failure> {
    let folder = settings::required_workspace(&arguments.place)?;
    let resolved = settings::resolve(arguments, Some(&folder))?;
    let verticals = open_verticals(&folder, &resolved)?.ok_or_else(|| no_verticals(&folder))?;
    Ok(Clusterable {
        store: magpie_engine::open_workspace(&folder, &resolved)?,
        verticals,
        min_confidence: resolved.settings.verticals.min_confidence,
        options: session_options(resolved, None),
        folder,
    })
}

fn no_verticals(folder: &Path) -> Failure {
    let message = format!(
        "no vertical is active in {}: none is installed, or `verticals.run` is off",
        workspace_name(folder)
    );
    Failure::new(Kind::Plugin, message).hint(
        "get a component with `magpie plugin add SOURCE`; `magpie config verticals.run` says whether they are switched on",
    )
}

/// Clusters, with progress and warnings on stderr.
pub(super) fn clustered(
    opened: &Clusterable,
    only: Option<&str>,
    printer: &mut Printer,
) -> Result<Vec<Report>, Failure> {
    let (store, plugins) = (&*opened.store, opened.verticals.plugins());
    let notices = read_news(store, &opened.folder, &plugins, only, opened.min_confidence)?;
    notices.iter().for_each(|notice| printer.warn(notice));
    let mut tell = |text: &str| printer.tell(text);
    let together = Session::together(&opened.folder, opened.options.clone(), &plugins, &opened.store)?;
    let reports = cluster_new(
        store,
        &plugins,
        only,
        &Options::default(),
        together.as_ref().map(|session| session as &dyn Comparers),
        &mut tell,
    )?;
    for notice in reports.iter().flat_map(|report| &report.notices) {
        printer.warn(notice);
    }
    Ok(reports)
}

/// Describes a clustering in one line.
pub(crate) fn told(report: &Report) -> String {
    let mut text = format!("{}: {}", report.vertical, many(report.objects, "object"));
    if report.records == 0 && !report.reclustered {
        text.push_str("; nothing was found since the last time");
        return text;
    }
    if report.reclustered {
        text.push_str(
            "; everything was clustered again, since the component, its options or the settings changed",
        );
    }
    text.push_str(&format!(
        "; {} in {}: {}, {}",
        many(report.records, "record"),
        many(report.pages, "page"),
        many(report.new_members, "new record"),
        many(report.new_objects, "new object")
    ));
    if report.merged > 0 {
        text.push_str(&format!("; merged {} into others", many(report.merged, "object")));
    }
    text
}
