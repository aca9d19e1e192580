//! Empty pages among archived result pages of real services, which have labels.
//!
//! No nonsense can be asked of an archive. So each page is judged by the other pages of its
//! service: empty ones are the references, and some of the others the ordinary pages. They are of
//! different years and templates, which makes the task harder than that of a crawl.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use magpie_http::HttpLimits;
use magpie_page::{Page, PageSource};
use magpie_surface::empty::{BAD_QUERIES, EmptyPages, Method, ResultPage};
use magpie_warc::{ArchiveReader, RecordKind};

use super::super::{Experiment, Measure, Progress};
use super::SUBJECTS;
use super::empty::{EMPTIES, ORDINARY, PRECISION, RECALL, WORST, chart, rows};
use super::grid;
use super::site::visible_text;
use crate::figure::Report;
use crate::mean::{Measured, share};

const LABELS: &str = include_str!("labels.txt");

const SUBJECT: &str = "labelled pages";

/// Minimum precision and recall.
const TARGET: f64 = 0.97;

/// Methods; no vertical reads the pages. Ours is the last.
const METHODS: [(Method, &str); 2] = [
    (Method::Published, "published"),
    (Method::Fitted, "fitted, text alone"),
];

/// Beginning of a status line.
const VERSION: &[u8] = b"HTTP/1.1 ";

/// Extension of the archives, and of the files with their queries.
const ARCHIVE: &str = ".warc.gz";
const EXPECTED: &str = ".approved.txt";

struct Labelled {
    name: String,
    page: ResultPage,
    is_empty: bool,
}

/// Counts of judgements of one service.
#[derive(Default)]
struct Counts {
    hits: f64,
    false_hits: f64,
    misses: f64,
    empties: f64,
}

pub(in crate::experiment) const EXPERIMENT: Experiment = Experiment {
    name: "empty-archived",
    about: "recognition of result pages without results among labelled pages of real services",
    measure: Measure::Archived,
    report,
    spec: |_| {},
};

#[derive(clap::Args)]
#[group(skip)]
pub(in crate::experiment) struct Options {
    /// Folder of the unpacked data set search-results
    #[arg(long, value_name = "DIR")]
    pages: PathBuf,
}

/// Measures on the pages of an unpacked data set. Each service gives one value. Returns their
/// number, too.
pub(in crate::experiment) fn measure(options: &Options, progress: &Progress) -> Result<(Measured, usize)> {
    let mut measured = Measured::default();
    measured.add(SUBJECTS, SUBJECT, 1.0);
    let services = read(&options.pages)
        .context("`--pages` is the folder of the data set search-results, with `warcs` and `expected`")?;
    for (method, name) in METHODS {
        let of = format!("{SUBJECT}, {name}");
        let mut worst: [Option<f64>; 2] = [None, None];
        for (service, pages) in &services {
            let counts = judge(method, pages, |page| {
                progress.detail(|| format!("{name}: {} is judged wrongly", page.name));
            });
            // Without an empty page there is no reference, and with one there is none for it.
            let has_two = counts.empties >= 2.0;
            let judged = counts.hits + counts.misses;
            let precision = share(counts.hits, counts.hits + counts.false_hits).filter(|_| has_two);
            let recall = share(counts.hits, judged).filter(|_| counts.empties >= 1.0);
            let found = share(counts.empties - counts.false_hits, counts.empties).filter(|_| has_two);
            progress.detail(|| {
                format!(
                    "{name}: {service}: {} pages with results, {} without; precision {precision:?}, recall {recall:?}",
                    judged, counts.empties
                )
            });
            measured.add(&of, PRECISION, precision);
            measured.add(&of, RECALL, recall);
            measured.add(&of, EMPTIES, found);
            for (worst, value) in worst.iter_mut().zip([precision, recall]) {
                *worst = (*worst).into_iter().chain(value).reduce(f64::min);
            }
        }
        for (quantity, value) in WORST.into_iter().zip(worst) {
            measured.add(&of, quantity, value);
        }
    }
    Ok((measured, services.len()))
}

/// Judges each page of a service by the others.
fn judge(method: Method, pages: &[Labelled], mistake: impl Fn(&Labelled)) -> Counts {
    let mut counts = Counts::default();
    let empties = pages.iter().filter(|page| page.is_empty).count();
    counts.empties = empties as f64;
    for (place, judged) in pages.iter().enumerate() {
        let others = || {
            let others = pages.iter().enumerate();
            others.filter(|(other, _)| *other != place).map(|(_, page)| page)
        };
        let references: Vec<&Labelled> = others().filter(|page| page.is_empty).take(BAD_QUERIES).collect();
        if references.is_empty() {
            continue;
        }
        let mut known = EmptyPages::new(method);
        references
            .iter()
            .for_each(|page| known.add_reference(page.page.clone()));
        let ordinary = others().filter(|page| !page.is_empty).take(ORDINARY);
        ordinary.for_each(|page| known.add_ordinary(page.page.clone()));
        let is_empty = known.judge(&judged.page).is_empty;
        match (judged.is_empty, is_empty) {
            (false, false) => counts.hits += 1.0,
            (true, false) => counts.false_hits += 1.0,
            (false, true) => counts.misses += 1.0,
            (true, true) => {}
        }
        if judged.is_empty != is_empty {
            mistake(judged);
        }
    }
    counts
}

/// Reads the pages by service, which is the first word of their names.
fn read(folder: &Path) -> Result<BTreeMap<String, Vec<Labelled>>> {
    let labels = || LABELS.lines().filter_map(|line| line.split_once(' '));
    let with = |label: &'static str| -> BTreeSet<&str> {
        let own = labels().filter(|(own, _)| *own == label);
        own.map(|(_, name)| name).collect()
    };
    let (empty, other) = (with("empty"), with("other"));
    let archives = folder.join("warcs");
    let unreadable = || format!("can't read {}", archives.display());
    let mut names = BTreeSet::new();
    for entry in std::fs::read_dir(&archives).with_context(unreadable)? {
        let file = entry?.file_name();
        names.extend(
            file.to_str()
                .and_then(|file| file.strip_suffix(ARCHIVE))
                .map(str::to_owned),
        );
    }
    let mut services: BTreeMap<String, Vec<Labelled>> = BTreeMap::new();
    for name in names.into_iter().filter(|name| !other.contains(name.as_str())) {
        let archive = archives.join(format!("{name}{ARCHIVE}"));
        let query = query_of(&folder.join("expected").join(format!("{name}{EXPECTED}")))?;
        let text = visible_text(&page_of(&archive)?);
        let service = name.split('-').next().unwrap_or_default().to_owned();
        services.entry(service).or_default().push(Labelled {
            page: ResultPage::new(&text, &query, []),
            is_empty: empty.contains(name.as_str()),
            name,
        });
    }
    ensure!(!services.is_empty(), "{} has no archive", archives.display());
    Ok(services)
}

fn page_of(archive: &Path) -> Result<Page> {
    let failed = || format!("can't read {}", archive.display());
    let records = ArchiveReader::open(archive).with_context(failed)?;
    let mut responses = records
        .flatten()
        .filter(|record| record.kind == RecordKind::Response);
    let mut record = responses
        .next()
        .context("it has no response")
        .with_context(failed)?;
    // The status line has the version twice.
    if record.block.starts_with(&VERSION.repeat(2)) {
        record.block.drain(..VERSION.len());
    }
    let response = record
        .http_response(&HttpLimits::default())
        .with_context(failed)?;
    let content_type = response.headers.get("content-type").unwrap_or_default();
    Ok(Page::new(PageSource {
        url: record.target.parse().with_context(failed)?,
        status: response.status,
        headers: vec![("content-type".to_owned(), content_type.to_owned())],
        fetched_at: record.date.unwrap_or_default(),
        body: response.body.into(),
    }))
}

/// Returns the query of a page; an empty one where it is not known.
fn query_of(file: &Path) -> Result<String> {
    let expected = crate::data::json(file)?;
    Ok(expected["query"].as_str().unwrap_or_default().to_owned())
}

fn report(measured: &Measured, report: &mut Report) {
    let names = METHODS.map(|(_, name)| name);
    grid::add(report, "empty-archived", &names, &rows(TARGET), measured);
    report.note("precision, recall: of pages with results; mean over services with an empty page");
    report.note("references: the other empty pages of the service, of any year; no vertical reads the pages");
    report.draw(chart(measured, &names));
}
