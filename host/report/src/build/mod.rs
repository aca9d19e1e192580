//! From a workspace to the report of a run. Figures of a recrawl that are in no other table are in
//! its [`Account`].

mod figures;
mod ground;
mod maps;
mod notices;
mod sites;
mod words;

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use magpie_engine::PipelineError;
use magpie_engine::recrawl::{Account, KeptUp};
use magpie_engine::site::SiteFigures;
use magpie_rows::{
    ReadStore, RoundFilter, RoundMethod, RoundRow, RunId, RunRow, SelectionRow, SelectionStrategy, StoreError,
};
use magpie_values::Timestamp;

use crate::{CurvePoint, Figures, Head, Method, Report, Selection, Stage, format};
use ground::Ground;

pub use ground::Place;

/// The folder of the workspace that reports lie in.
const FOLDER: &str = "reports";

/// The stages of learning that fetch pages, and the one with which it is through.
const SAMPLE_STAGE: &str = "sample";
const CRAWL_STAGE: &str = "crawl";
const LAST_STAGE: &str = "navigate";

/// The run that a report is of.
#[derive(Clone, Debug)]
pub enum Subject {
    Learned,
    Recrawled(Box<Account>),
}

/// A report, and what else was read for it.
#[derive(Clone, Debug)]
pub struct Built {
    pub report: Report,
    pub figures: Figures,
    pub sites: Vec<SiteFigures>,
    /// The objects that the run kept up with, for later reports to compare with.
    pub kept: KeptUp,
    /// The last of the runs that are reported.
    pub last_run: Option<RunId>,
}

pub fn build(reader: &dyn ReadStore, place: Place<'_>, subject: &Subject) -> Result<Built, PipelineError> {
    let ground = Ground::read(reader, place, subject)?;
    let kept = kept(&ground, subject);
    let figures = figures::figures(&ground, subject);
    let problems = ground.sites.iter().flat_map(|site| site.problems.iter().cloned());
    let report = Report {
        head: head(&ground, subject),
        notices: notices::notices(&ground, subject),
        methods: match subject {
            Subject::Learned => learned_methods(&ground, &figures),
            Subject::Recrawled(account) => recrawl_methods(&ground, account, kept, &figures),
        },
        selection: ground.selection.as_ref().map(|row| selection(&ground, row)),
        stages: stages(&ground, subject),
        sites: sites::sites(&ground, subject),
        maps: maps::maps(&ground),
        patterns: sites::patterns(&ground),
        drift: notices::drift(&ground, subject),
        problems: problems.collect(),
        figures: Some(figures.clone()),
    };
    Ok(Built {
        report,
        figures,
        kept,
        last_run: ground.last_run(),
        sites: ground.site_figures,
    })
}

/// Returns the number of pages that the next round of a vertical fetches, as of the end of the last
/// round, or of learning if that is newer. It is the cost of a round that all commands and pages
/// show.
pub fn round_pages(reader: &dyn ReadStore, vertical: &str) -> Result<Option<u64>, StoreError> {
    let rows = reader.stages(vertical)?;
    let rounds = rows.iter().filter_map(|row| {
        let pages = match Account::is_of_learning(row) {
            true if row.name == LAST_STAGE => words::kept(row)["round_pages"].as_u64(),
            true => None,
            false => words::kept(row)["next"].as_u64(),
        };
        Some((row.ended_at, pages?))
    });
    let last = rounds.max_by_key(|(ended_at, _)| *ended_at);
    Ok(last.map(|(_, pages)| pages))
}

/// A run that can be reported.
#[derive(Clone, Debug)]
pub struct Reportable {
    pub vertical: String,
    /// The run; of learning the last that fetched pages.
    pub run: Option<RunId>,
    /// `None` for learning.
    pub recrawl: Option<RunId>,
    pub ended_at: Timestamp,
}

/// Returns the runs of a vertical that can be reported, or the wanted one: its learning, and every
/// recrawl.
pub fn reportable(
    reader: &dyn ReadStore,
    vertical: &str,
    runs: &[RunRow],
    wanted: Option<RunId>,
) -> Result<Vec<Reportable>, StoreError> {
    let reportable = |run, recrawl, ended_at| Reportable {
        vertical: vertical.to_owned(),
        run,
        recrawl,
        ended_at,
    };
    let mut found = Vec::new();
    let stages = reader.stages(vertical)?;
    let learned = stages.iter().find(|row| row.name == LAST_STAGE);
    let crawl = stages.iter().find(|row| row.name == CRAWL_STAGE);
    let run = crawl.and_then(|row| words::kept(row)["run"].as_i64()).map(RunId);
    if let Some(learned) = learned.filter(|_| wanted.is_none() || wanted == run) {
        found.push(reportable(run, None, learned.ended_at));
    }
    for round in reader.rounds(vertical, wanted.map_or(RoundFilter::All, RoundFilter::Run))? {
        let row = runs.iter().find(|row| row.id == round.run);
        if let Some(ended_at) = row.and_then(|row| row.ended_at) {
            found.push(reportable(Some(round.run), Some(round.run), ended_at));
        }
    }
    Ok(found)
}

/// Returns the place of a report in a workspace, by its run: a later one leaves it as it is.
pub fn usual_place(workspace: &Path, vertical: &str, run: Option<RunId>, subject: &Subject) -> PathBuf {
    let plain = |character: char| match character {
        'a'..='z' | 'A'..='Z' | '0'..='9' | '.' | '-' => character,
        _ => '_',
    };
    let run = run.map_or(0, |run| run.0);
    let name = match subject {
        Subject::Recrawled(_) => format!("recrawl-{run}.html"),
        Subject::Learned => {
            let vertical: String = vertical.chars().map(plain).collect();
            format!("learn-{vertical}-{run}.html")
        }
    };
    workspace.join(FOLDER).join(name)
}

/// Counts the kept objects: a selective recrawl keeps up with all objects of selected patterns, due
/// this time or not.
fn kept(ground: &Ground<'_>, subject: &Subject) -> KeptUp {
    let fetched = ground
        .sites
        .iter()
        .flat_map(|site| site.fetched_objects.iter().copied());
    let mut objects: HashSet<u32> = fetched.collect();
    if matches!(subject, Subject::Recrawled(account) if account.method == Some(RoundMethod::Selective)) {
        objects.extend(sites::covered(ground));
    }
    KeptUp {
        kept_up: objects.len() as u64,
        current: ground.wanted,
    }
}

fn head(ground: &Ground<'_>, subject: &Subject) -> Head {
    let (title, run, seconds) = match subject {
        Subject::Learned => {
            let taken = ground.stages.iter().map(words::seconds).sum();
            (
                format!("{}: what was learned", ground.vertical),
                "learn".to_owned(),
                taken,
            )
        }
        Subject::Recrawled(account) => (
            format!("{}: recrawl {}", ground.vertical, account.run),
            "recrawl".to_owned(),
            ground.ended.since(ground.began).as_secs_f64(),
        ),
    };
    let program = ground
        .runs
        .iter()
        .rev()
        .find(|run| ground.reported.contains(&run.id));
    let program = program.map_or(concat!("magpie ", env!("CARGO_PKG_VERSION")), |run| {
        run.program.as_str()
    });
    Head {
        title,
        run,
        vertical: ground.vertical.to_owned(),
        vertical_version: ground.version.clone(),
        workspace: ground.folder.display().to_string(),
        when: words::when(ground.began),
        program_version: program.strip_prefix("magpie ").unwrap_or(program).to_owned(),
        seconds,
    }
}

/// The crawl that was learned from, and the recrawls that come of it.
fn learned_methods(ground: &Ground<'_>, figures: &Figures) -> Vec<Method> {
    let Some(full) = full_crawl(ground, ground.known_when_learned) else {
        return Vec::new();
    };
    let mut methods = vec![Method {
        is_this_run: true,
        new_objects: Some(figures.new_objects),
        share_of_pages: share(
            figures.known_pages.saturating_sub(figures.unfetched_pages) as f64,
            figures.known_pages as f64,
        ),
        ..full.clone()
    }];
    if let (Some(row), Some(pages)) = (&ground.selection, figures.round_pages) {
        // Both rows are shares of the same: of what was found.
        let share = |part: f64| share(part, (ground.known_when_learned as f64).max(row.covered));
        methods.push(Method {
            name: "recrawl of the selected patterns".to_owned(),
            note: "the next round, with the objects of known pages that are not due".to_owned(),
            patterns: row.patterns,
            pages,
            bytes: (full.bytes as f64 * self::share(pages as f64, full.pages as f64)) as u64,
            distinct_objects: row.covered.max(0.0).round() as u64,
            share_of_pages: self::share(pages as f64, figures.known_pages as f64),
            share_of_objects: share(row.covered),
            share_of_objects_interval: Some((share(row.interval.0), share(row.interval.1))),
            ..Method::default()
        });
    }
    methods
}

/// Figures of the crawls of learning, which knew no patterns: of a sample, and of the rest.
fn full_crawl(ground: &Ground<'_>, objects: u64) -> Option<Method> {
    let crawls = [SAMPLE_STAGE, CRAWL_STAGE].map(|name| ground.stage(name).map(words::kept));
    let sum = |what: &str| {
        let numbers = crawls.iter().flatten().filter_map(|kept| kept[what].as_u64());
        numbers.sum::<u64>()
    };
    let (pages, bytes) = (sum("pages"), sum("bytes"));
    if pages == 0 {
        return None;
    }
    let over = match ground.objects.saturating_sub(ground.wanted) {
        0 => String::new(),
        over => format!(
            "{}, and not counted",
            format::counted(
                over,
                "object has expired or is gone",
                "objects have expired or are gone"
            )
        ),
    };
    Some(Method {
        name: "full crawl".to_owned(),
        note: over,
        pages,
        bytes,
        distinct_objects: objects,
        share_of_pages: 1.0,
        share_of_objects: 1.0,
        ..Method::default()
    })
}

/// This recrawl, the last one of every other method, and the crawl that was learned from.
fn recrawl_methods(ground: &Ground<'_>, account: &Account, kept: KeptUp, figures: &Figures) -> Vec<Method> {
    let this = Account {
        kept,
        known: figures.known_pages,
        method: method_of(ground, account),
        ..account.clone()
    };
    let mut methods = Vec::new();
    let mut told = vec![this.method];
    for other in ground
        .accounts
        .iter()
        .rev()
        .filter(|other| other.run < account.run)
    {
        if !told.contains(&other.method) {
            told.push(other.method);
            methods.push(method(ground, other));
        }
    }
    methods.insert(
        0,
        Method {
            is_this_run: true,
            note: match this.method {
                Some(RoundMethod::Selective) => {
                    "with the objects of known pages that were not due".to_owned()
                }
                _ => String::new(),
            },
            pages: figures.fetched_pages,
            bytes: figures.bytes,
            new_objects: Some(figures.new_objects),
            share_of_pages: share(figures.fetched_pages as f64, figures.known_pages as f64),
            ..method(ground, &this)
        },
    );
    if !told.contains(&Some(RoundMethod::Full))
        && let Some(full) = full_crawl(ground, ground.known_when_learned)
    {
        methods.push(Method {
            note: "at the time of learning, with its objects that are still current".to_owned(),
            share_of_objects: share(ground.known_when_learned as f64, kept.current as f64),
            ..full
        });
    }
    methods
}

/// Returns the method of a recrawl, also where it left no account.
fn method_of(ground: &Ground<'_>, account: &Account) -> Option<RoundMethod> {
    let round = ground.rounds.iter().find(|round| round.run.0 == account.run);
    round.map(|round| round.method).or(account.method)
}

fn method(ground: &Ground<'_>, account: &Account) -> Method {
    let rounds: Vec<&RoundRow> = ground
        .rounds
        .iter()
        .filter(|round| round.run.0 == account.run)
        .collect();
    let sum = |of: fn(&RoundRow) -> u64| rounds.iter().map(|round| of(round)).sum::<u64>();
    let pages = sum(|round| round.pages);
    let run = ground.runs.iter().find(|run| run.id.0 == account.run);
    let patterns = ground.sites.iter().map(|site| match account.method {
        Some(RoundMethod::Selective | RoundMethod::Levels) => site.chosen().count() as u64,
        Some(RoundMethod::AllPatterns) => site.patterns.len() as u64,
        Some(RoundMethod::Full | RoundMethod::Watch) | None => 0,
    });
    Method {
        name: account.method.map_or("", words::method).to_owned(),
        note: run.map_or_else(String::new, |run| {
            format!("run {}, {}", account.run, words::when(run.started_at))
        }),
        patterns: patterns.sum(),
        pages,
        bytes: sum(|round| round.bytes),
        distinct_objects: account.kept.kept_up,
        new_objects: Some(sum(|round| round.new_objects)),
        share_of_pages: share(pages as f64, account.known as f64),
        share_of_objects: share(account.kept.kept_up as f64, account.kept.current as f64),
        ..Method::default()
    }
}

fn selection(ground: &Ground<'_>, row: &SelectionRow) -> Selection {
    let (goal, is_budget) = goal(&row.goal);
    Selection {
        strategy: strategy(row.strategy).to_owned(),
        goal,
        chosen_patterns: row.patterns,
        all_patterns: ground.sites.iter().map(|site| site.patterns.len() as u64).sum(),
        cost: row.cost,
        lower_bound: (!is_budget).then_some(row.lower_bound),
        upper_bound: is_budget.then_some(row.lower_bound),
        gap: Some(row.gap),
        covered: row.covered,
        coverable: row.coverable,
        interval: Some(row.interval),
        curve: curve(&row.curve),
    }
}

fn strategy(strategy: SelectionStrategy) -> &'static str {
    match strategy {
        SelectionStrategy::CostAware => "most new objects for all costs",
        SelectionStrategy::Ratio => "most new objects per page",
        SelectionStrategy::Count => "most new objects",
    }
}

/// The goal for people, and whether it is a number of pages.
fn goal(text: &str) -> (String, bool) {
    let (kind, number) = text.split_once(' ').unwrap_or((text, ""));
    match (kind, number.parse::<f64>()) {
        ("coverage", Ok(share)) => (
            format!("{} % of the objects", (share * 1e3).round() / 10.0),
            false,
        ),
        ("pages", Ok(pages)) => (
            format!("most objects for {}", format::many(pages as u64, "page")),
            true,
        ),
        _ => (text.to_owned(), false),
    }
}

fn curve(text: &str) -> Vec<CurvePoint> {
    let points: Vec<(u64, f64, f64)> = serde_json::from_str(text).unwrap_or_default();
    let point = |(patterns, cost, covered)| CurvePoint {
        patterns,
        cost,
        covered,
    };
    points.into_iter().map(point).collect()
}

fn stages(ground: &Ground<'_>, subject: &Subject) -> Vec<Stage> {
    match subject {
        Subject::Learned => {
            let stage = |row: &magpie_rows::StageRow| Stage {
                name: row.name.clone(),
                seconds: words::seconds(row),
                sentence: words::stage(row),
            };
            ground.stages.iter().map(stage).collect()
        }
        Subject::Recrawled(account) => {
            let steps = account.steps.iter();
            steps
                .map(|step| Stage {
                    name: step.name.clone(),
                    seconds: step.seconds,
                    sentence: words::step(step),
                })
                .collect()
        }
    }
}

fn share(part: f64, all: f64) -> f64 {
    if all > 0.0 { part / all } else { 0.0 }
}
