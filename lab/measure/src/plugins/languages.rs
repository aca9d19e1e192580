//! Cost of a language: the starter vertical of each, which do the same on the same page, and the
//! complete verticals on the pages of their own fixtures.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result, ensure};
use magpie_kit::fixture;
use magpie_kit::project::Project;
use magpie_kit::scaffold::{Language, NewProject, new_project};
use magpie_page::Page;
use magpie_runtime::{Plugin, Runtime};

use super::overhead::fresh;
use super::{ROUNDS, runtime};
use crate::components::Folder;
use crate::figure::{Figure, Report, tell};
use crate::sample::{Subject, interleaved};

/// Cards of the starters' listing; with them it has about 100 KB.
const CARDS: usize = 400;

const LANGUAGES: [(Language, &str); 3] = [
    (Language::Rust, "Rust"),
    (Language::JavaScript, "JavaScript"),
    (Language::Python, "Python"),
];

/// The folder of first-party verticals whose components are somewhere else, and its language.
const VERTICALS: [(&str, Folder, &str); 5] = [
    ("events", Folder::Verticals, "Rust"),
    ("books", Folder::Verticals, "Rust"),
    ("products", Folder::Verticals, "Rust"),
    ("polyglot/jobs", Folder::Polyglot, "JavaScript"),
    ("polyglot/recipes", Folder::Polyglot, "Python"),
];

pub(crate) fn measure(report: &mut Report) -> Result<()> {
    let runtime = runtime()?;
    for (language, name) in LANGUAGES {
        match starter(language, name) {
            Ok(component) => starter_figures(report, &runtime, name, &component)?,
            Err(error) => tell(&format!("skipped: the starter in {name}: {error:#}")),
        }
    }
    for (folder, components, language) in VERTICALS {
        let name = folder.rsplit('/').next().unwrap_or(folder);
        match components.component(name) {
            Ok(component) => report.add(vertical_figure(&runtime, folder, language, &component)?),
            Err(error) => tell(&format!("skipped: {name} in {language}: {error:#}")),
        }
    }
    Ok(())
}

/// Builds the project that `plugin new` makes, next to the other components. Rebuilds it if the
/// templates have changed, which only a build notices.
fn starter(language: Language, name: &str) -> Result<PathBuf> {
    let folder = Folder::BenchGuests.path()?.join("starters").join(name);
    // The installed packages stay in the folder, so that the next run is quick.
    let fresh = tempfile::tempdir()?;
    let project = NewProject {
        folder: fresh.path().join("starter"),
        language,
        name: Some("starter".to_owned()),
        object: Some("Thing".to_owned()),
        sdk: None,
        is_validator: false,
    };
    new_project(&project)?;
    copy(&project.folder, &folder)?;
    let built = Project::open(&folder)?.build(None, None, magpie_guest_build::Way::Automatic, &|_| {})?;
    Ok(built.component)
}

/// Copies a folder's files over those of another, leaving alike ones as they are.
fn copy(from: &Path, to: &Path) -> Result<()> {
    std::fs::create_dir_all(to).with_context(|| format!("can't make {}", to.display()))?;
    for entry in std::fs::read_dir(from)? {
        let (source, target) = (entry?.path(), to.to_owned());
        let target = target.join(source.file_name().context("a file has a name")?);
        if source.is_dir() {
            copy(&source, &target)?;
        } else {
            std::fs::copy(&source, &target)?;
        }
    }
    Ok(())
}

fn starter_figures(report: &mut Report, runtime: &Runtime, language: &str, component: &Path) -> Result<()> {
    let plugin = runtime.load(component)?;
    let empty = Arc::new(Page::from_html(
        "https://example.org/",
        "<!doctype html><title>x</title>",
    )?);
    let listing = Arc::new(Page::from_html("https://example.org/", &listing())?);
    let samples = interleaved(
        ROUNDS,
        &mut [
            Subject::once(|| fresh(&plugin, &empty, 0))?,
            Subject::once(|| fresh(&plugin, &listing, CARDS))?,
        ],
    )?;
    report.add(
        Figure::of(format!("starter in {language}: start-up"), &samples[0], "µs/page")
            .beside("component MiB", mebibytes(&plugin))
            .note("CPU time of a fresh instance on a page with nothing on it"),
    );
    report.add(
        Figure::of(
            format!("starter in {language}: a listing"),
            &samples[1],
            "µs/page",
        )
        .note(format!(
            "what `plugin new` makes, on 100 KB with {CARDS} cards; a fresh instance"
        )),
    );
    Ok(())
}

/// A page as the starters expect it: cards with a heading, a link and a date, and text between.
fn listing() -> String {
    let mut html = String::from("<!doctype html><title>Things</title><main>");
    for number in 0..CARDS {
        let day = number % 28 + 1;
        let text = "Some words about it that is not expected, and some more of them. ".repeat(2);
        // A string takes everything.
        let _ = write!(
            html,
            "<article class=card><h2><a href=/things/{number}>Thing {number}</a></h2>\
             <time datetime=2026-05-{day:02}>{day} May</time><p>{text}</p></article>"
        );
    }
    html
}

fn vertical_figure(runtime: &Runtime, folder: &str, language: &str, component: &Path) -> Result<Figure> {
    let plugin = runtime.load(component)?;
    let pages = pages(&Path::new("plugins").join(folder).join("fixtures"))?;
    let pass = || {
        pages
            .iter()
            .try_for_each(|page| plugin.extract(page).outcome.map(|_| ()))
    };
    let samples = interleaved(ROUNDS, &mut [Subject::once(|| Ok(pass()?))?])?;
    let [from, to] = samples[0].quartiles();
    let name = folder.rsplit('/').next().unwrap_or(folder);
    Ok(Figure::new(
        format!("{name} in {language}: its own pages"),
        samples[0].median() / pages.len() as f64,
        "µs/page",
    )
    .spread(from / pages.len() as f64, to / pages.len() as f64)
    .beside("component MiB", mebibytes(&plugin))
    .note(format!(
        "the mean over the {} pages of its fixtures, fresh instances",
        pages.len()
    )))
}

fn pages(fixtures: &Path) -> Result<Vec<Arc<Page>>> {
    let folders = fixture::list(fixtures)?;
    ensure!(!folders.is_empty(), "{} holds no fixture", fixtures.display());
    let parsed = folders
        .iter()
        .map(|folder| Ok(Arc::new(Page::new(fixture::load_page(folder)?))));
    parsed.collect()
}

fn mebibytes(plugin: &Plugin) -> f64 {
    plugin.inspection().bytes as f64 / f64::from(1 << 20)
}
