//! Published methods of selective recrawling (WWW 2010, CIKM 2013), with their published figures.

use anyhow::Result;
use magpie_engine::recrawl::Method;

use super::lab_server::Truths;
use super::trial::{Round, Scores, Trial};
use crate::figure::Report;
use crate::mean::{Measured, share};

pub(super) struct PublishedMethod {
    pub(super) name: &'static str,
    /// Selection of patterns; `None` if all are fetched.
    pub(super) choice: Option<Choice>,
    pub(super) new: Figures,
    /// Published figures with patterns that are two weeks old.
    pub(super) old: Figures,
}

#[derive(Clone, Copy)]
pub(super) enum Choice {
    /// By count, down to a minimum number of new objects a pattern.
    Poster(u32),
    /// By new objects a page, up to a coverage.
    Paper(f64),
}

/// Shares of the values that recrawling with all patterns has.
#[derive(Clone, Copy, Default)]
pub(super) struct Figures {
    /// Share of pages; for the poster, which gives no pages, of bytes.
    pub(super) pages: Option<f64>,
    pub(super) correct: Option<f64>,
    /// Precision: correct among distinct objects, not a share of all patterns.
    pub(super) precision: Option<f64>,
}

const NOTHING: Figures = figures(None, None, None);

const fn figures(pages: Option<f64>, correct: Option<f64>, precision: Option<f64>) -> Figures {
    Figures {
        pages,
        correct,
        precision,
    }
}

/// Name of the method that recrawls with all patterns.
pub(super) const ALL_PATTERNS: &str = "all patterns";

/// The published methods. The poster gives sizes, the paper pages. For the paper's coverage of 95 %
/// no figure with new patterns is available.
pub(super) const METHODS: [PublishedMethod; 7] = [
    PublishedMethod {
        name: ALL_PATTERNS,
        choice: None,
        new: figures(Some(1.0), Some(1.0), Some(0.601)),
        old: NOTHING,
    },
    PublishedMethod {
        name: "poster k=1",
        choice: Some(Choice::Poster(1)),
        new: figures(Some(0.967), Some(1.0), Some(0.601)),
        old: NOTHING,
    },
    PublishedMethod {
        name: "poster k=2",
        choice: Some(Choice::Poster(2)),
        new: figures(Some(0.762), Some(0.942), Some(0.668)),
        old: NOTHING,
    },
    PublishedMethod {
        name: "poster k=3",
        choice: Some(Choice::Poster(3)),
        new: figures(Some(0.747), Some(0.908), Some(0.690)),
        old: NOTHING,
    },
    PublishedMethod {
        name: "paper t=1",
        choice: Some(Choice::Paper(1.0)),
        new: figures(Some(0.770), Some(1.0), None),
        old: figures(Some(0.5), Some(0.9), None),
    },
    PublishedMethod {
        name: "paper t=0.95",
        choice: Some(Choice::Paper(0.95)),
        new: NOTHING,
        old: figures(Some(0.4), Some(0.9), None),
    },
    PublishedMethod {
        name: "paper t=0.9",
        choice: Some(Choice::Paper(0.90)),
        new: figures(Some(0.313), Some(0.95), None),
        old: figures(Some(0.3), Some(0.9), None),
    },
];

impl PublishedMethod {
    pub(super) fn settings(&self) -> Vec<(&'static str, String)> {
        let mut settings = vec![("learn.inducer", "prefix".to_owned())];
        match self.choice {
            Some(Choice::Poster(least)) => settings.extend([
                ("learn.strategy", "count".to_owned()),
                ("learn.min_new", least.to_string()),
            ]),
            Some(Choice::Paper(coverage)) => settings.extend([
                ("learn.strategy", "ratio".to_owned()),
                ("learn.coverage", coverage.to_string()),
            ]),
            None => {}
        }
        settings
    }

    /// Recrawls with the method in a workspace with patterns. Returns the number of patterns used,
    /// and the cost of the round.
    pub(super) fn recrawl(&self, trial: &Trial<'_>, patterns: usize) -> Result<(usize, Round)> {
        let patterns = match self.choice {
            Some(_) => {
                let selected = trial.choose_as_published()?;
                selected.patterns + selected.queries
            }
            None => patterns,
        };
        let mut round = trial.recrawl(Method::AllPatterns)?;
        // The published methods request whole pages every time.
        round.bytes += round.spared;
        Ok((patterns, round))
    }
}

/// Recrawls with a published method and records the results.
pub(super) fn measure(
    method: &PublishedMethod,
    trial: &Trial<'_>,
    patterns: usize,
    truths: &Truths,
    full: &Reference,
    measured: &mut Measured,
) -> Result<()> {
    let (patterns, round) = method.recrawl(trial, patterns)?;
    let found = trial.score_round(&round, truths)?;
    measured.add(method.name, "patterns", patterns as f64);
    note(method.name, &round, &found, full, measured);
    Ok(())
}

/// A full download, with which the methods are compared.
pub(super) struct Reference {
    pub(super) round: Round,
    pub(super) found: Scores,
    /// Number of pages of the web without its traps, in which a full download may spend any number
    /// of pages.
    pub(super) web_pages: f64,
}

/// Records the cost and results of a method, absolute and relative to a full download.
pub(super) fn note(name: &str, round: &Round, found: &Scores, full: &Reference, measured: &mut Measured) {
    let (current, all) = (&found.current, &found.all);
    let numbers = [
        ("pages", Some(round.pages)),
        ("requests", Some(round.requests)),
        ("bytes", Some(round.bytes)),
        ("seconds", Some(round.took.seconds)),
        ("distinct", Some(current.distinct as f64)),
        ("correct", Some(current.correct as f64)),
        ("precision", Some(current.precision)),
        ("recall", Some(current.recall)),
        ("phantoms", Some(current.phantoms as f64)),
        ("all phantoms", Some(all.phantoms as f64)),
        ("all recall", Some(all.recall)),
        ("all distinct", Some(all.distinct as f64)),
        ("all correct", Some(all.correct as f64)),
        ("all precision", Some(all.precision)),
        ("pages of full", share(round.pages, full.round.pages)),
        ("pages of the web", share(round.pages, full.web_pages)),
        ("requests of full", share(round.requests, full.round.requests)),
        ("bytes of full", share(round.bytes, full.round.bytes)),
        (
            "kept",
            share(current.correct as f64, full.found.current.correct as f64),
        ),
        (
            "all kept",
            share(all.correct as f64, full.found.all.correct as f64),
        ),
    ];
    for (quantity, value) in numbers {
        measured.add(name, quantity, value);
    }
}

/// Adds the notes that explain the tables.
pub(super) fn notes(report: &mut Report) {
    report.note("distinct, correct, kept: current objects; kept: as a share of those of a full download of that week; webs without any are excluded");
    report.note("phantoms: found objects that do not exist on the web; correctly dated past events of old articles are neither phantoms nor objects");
    report.note(
        "of the web: share of its pages without traps, in which full downloads may spend any number of pages",
    );
    report.note("the published methods fetch every page in full and follow the navigations at any depth, not level by level");
}
