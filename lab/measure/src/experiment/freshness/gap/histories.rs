//! Real change histories, if available.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::super::world::{PageHistory, State, World};

/// Seconds per day, the unit of time.
const DAY: f64 = 86_400.0;

#[derive(Clone, Debug, Default)]
pub(super) struct Life {
    /// Pages of one pattern are expected to be alike.
    pub(super) pattern: String,
    /// Pages of one group are drawn together.
    pub(super) group: String,
    pub(super) born: f64,
    pub(super) died: f64,
    /// Sorted, after its birth.
    pub(super) changes: Vec<f64>,
}

/// Pages that are watched together.
pub(super) struct Collection {
    pub(super) name: String,
    pub(super) lives: Vec<Life>,
}

/// Returns all collections of the available data sets; prints a line for a missing one.
pub(super) fn collections() -> Vec<Collection> {
    let mut all = Vec::new();
    if let Some(folder) = magpie_test_support::data::find("change-times") {
        let services = |path: &str| {
            let (service, document) = path.split_once('/').unwrap_or(("", path));
            (document.to_owned(), service.to_owned())
        };
        let only_changes = |message: &str| message.starts_with("Record new changes");
        all.extend(read(&folder, "ota-contrib.tsv", only_changes, services));
        for site in [
            "fossasia+2016.fossasia.org.tsv",
            "fossasia+2017.fossasia.org.tsv",
            "paperswithcode+ai-deadlines.tsv",
        ] {
            all.extend(read(
                &folder,
                site,
                |_| true,
                |path| {
                    let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
                    let kind = path.rsplit_once('.').map_or("", |(_, kind)| kind);
                    (format!("{folder}/*.{kind}"), path.to_owned())
                },
            ));
        }
    }
    if let Some(folder) = magpie_test_support::data::find("page-versions") {
        all.push(versions(&folder));
    }
    all
}

/// Reads a table of changes: time, kind, words, path.
fn read(
    folder: &Path,
    file: &str,
    wanted: impl Fn(&str) -> bool,
    name: impl Fn(&str) -> (String, String),
) -> Option<Collection> {
    let text = std::fs::read_to_string(folder.join(file)).ok()?;
    let mut lives: BTreeMap<String, Life> = BTreeMap::new();
    let mut rows: Vec<Vec<&str>> = text.lines().map(|line| line.split('\t').collect()).collect();
    rows.retain(|row| row.len() == 4 && wanted(row[2]));
    let time = |row: &[&str]| row[0].parse::<f64>().unwrap_or_default() / DAY;
    rows.sort_by(|one, two| time(one).total_cmp(&time(two)));
    let end = rows.last().map_or(0.0, |row| time(row));
    for row in &rows {
        let (pattern, group) = name(row[3]);
        let born = Life {
            pattern,
            group,
            born: time(row),
            died: end,
            changes: Vec::new(),
        };
        let life = lives.entry(row[3].to_owned()).or_insert(born);
        life.died = if row[1] == "D" { time(row) } else { end };
        if time(row) > life.changes.last().copied().unwrap_or(life.born) {
            life.changes.push(time(row));
        }
    }
    let lives = lives.into_values().filter(|life| life.died > life.born).collect();
    Some(Collection {
        name: file.trim_end_matches(".tsv").to_owned(),
        lives,
    })
}

/// Reads folders of versions. A change is a version whose words differ from the previous ones.
fn versions(folder: &Path) -> Collection {
    let mut lives = Vec::new();
    for series in sorted(folder).into_iter().filter(|path| path.is_dir()) {
        let mut life = Life {
            group: series.display().to_string(),
            ..Life::default()
        };
        let mut before: Option<Vec<String>> = None;
        for file in sorted(&series) {
            let stem = file
                .file_stem()
                .map(|stem| stem.to_string_lossy().into_owned())
                .unwrap_or_default();
            let Some(time) = stem.split('_').next().and_then(|time| time.parse::<f64>().ok()) else {
                continue;
            };
            let body = std::fs::read(&file).unwrap_or_default();
            let words: Vec<String> = String::from_utf8_lossy(&body)
                .split_whitespace()
                .map(str::to_owned)
                .collect();
            let time = time / DAY;
            match before {
                None => life.born = time,
                Some(before) if before != words => life.changes.push(time),
                Some(_) => {}
            }
            before = Some(words);
            life.died = time;
        }
        life.changes.sort_by(f64::total_cmp);
        lives.push(life);
    }
    Collection {
        name: "page-versions".to_owned(),
        lives,
    }
}

fn sorted(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten();
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    paths
}

/// Returns the pages as one site in weeks. Each change gives another state.
pub(super) fn world(lives: &[Life]) -> World {
    let start = lives.iter().map(|life| life.born).fold(f64::INFINITY, f64::min);
    let end = lives.iter().map(|life| life.died).fold(start, f64::max);
    let week = |day: f64| (day - start) / 7.0;
    let mut patterns = BTreeMap::new();
    let pages = lives.iter().map(|life| {
        let next = patterns.len();
        let times = [life.born].into_iter().chain(life.changes.iter().copied());
        let mut states: Vec<State> = (1..)
            .zip(times)
            .map(|(version, day)| State {
                from: week(day),
                fingerprint: Some(version),
                ..State::default()
            })
            .collect();
        if life.died < end {
            states.push(State {
                from: week(life.died),
                ..State::default()
            });
        }
        PageHistory {
            is_hub: true,
            pattern: Some(*patterns.entry(life.pattern.as_str()).or_insert(next)),
            rates: [
                life.changes.len() as f64 / (week(life.died) - week(life.born)),
                0.0,
            ],
            states,
            ..PageHistory::default()
        }
    });
    World {
        pages: pages.collect(),
        hubs: vec![Vec::new()],
        full: vec![lives.len() as u32; week(end).ceil() as usize],
        ..World::default()
    }
}
