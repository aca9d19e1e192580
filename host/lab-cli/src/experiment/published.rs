//! What was published about selective recrawling (WWW 2010, CIKM 2013), and the methods as they are tried here.

use magpie_engine::collect::Method;

use super::figure::Report;
use super::ground::Truths;
use super::measured::{Measured, share};
use super::trial::{Found, Round, Trial};
use magpie_terminal::Failure;

/// A published method.
pub(super) struct Published {
    pub(super) name: &'static str,
    /// How patterns are chosen; none where all are fetched.
    pub(super) choice: Option<Choice>,
    /// Published figures with new patterns.
    pub(super) new: Figures,
    /// Published figures with patterns of two weeks before.
    pub(super) old: Figures,
}

/// How patterns are chosen.
#[derive(Clone, Copy)]
pub(super) enum Choice {
    /// By count, down to so many new objects a pattern.
    Poster(u32),
    /// By new objects for each page, up to a coverage.
    Paper(f64),
}

/// Shares of what recrawling with all patterns has.
#[derive(Clone, Copy, Default)]
pub(super) struct Figures {
    /// Pages; bytes for the poster, which gives no pages.
    pub(super) pages: Option<f64>,
    /// Correct objects.
    pub(super) correct: Option<f64>,
    /// Correct ones of distinct ones, which is no share of anything.
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

/// What recrawling with all patterns is called.
pub(super) const ALL_PATTERNS: &str = "all patterns";

/// The published methods. The poster gives sizes, the paper pages; of the paper's coverage of 95 % no figure with new patterns
/// is left.
pub(super) const METHODS: [Published; 7] = [
    Published {
        name: ALL_PATTERNS,
        choice: None,
        new: figures(Some(1.0), Some(1.0), Some(0.601)),
        old: NOTHING,
    },
    Published {
        name: "poster k=1",
        choice: Some(Choice::Poster(1)),
        new: figures(Some(0.967), Some(1.0), Some(0.601)),
        old: NOTHING,
    },
    Published {
        name: "poster k=2",
        choice: Some(Choice::Poster(2)),
        new: figures(Some(0.762), Some(0.942), Some(0.668)),
        old: NOTHING,
    },
    Published {
        name: "poster k=3",
        choice: Some(Choice::Poster(3)),
        new: figures(Some(0.747), Some(0.908), Some(0.690)),
        old: NOTHING,
    },
    Published {
        name: "paper t=1",
        choice: Some(Choice::Paper(1.0)),
        new: figures(Some(0.770), Some(1.0), None),
        old: figures(Some(0.5), Some(0.9), None),
    },
    Published {
        name: "paper t=0.95",
        choice: Some(Choice::Paper(0.95)),
        new: NOTHING,
        old: figures(Some(0.4), Some(0.9), None),
    },
    Published {
        name: "paper t=0.9",
        choice: Some(Choice::Paper(0.90)),
        new: figures(Some(0.313), Some(0.95), None),
        old: figures(Some(0.3), Some(0.9), None),
    },
];

impl Published {
    /// Its settings.
    pub(super) fn settings(&self) -> Vec<(&'static str, String)> {
        let mut settings = vec![("learn.inducer", "prefix".to_owned())];
        match self.choice {
            Some(Choice::Poster(least)) => settings.extend([
                ("learn.strategy", "poster".to_owned()),
                ("learn.least_new", least.to_string()),
            ]),
            Some(Choice::Paper(coverage)) => settings.extend([
                ("learn.strategy", "paper".to_owned()),
                ("learn.coverage", coverage.to_string()),
            ]),
            None => {}
        }
        settings
    }

    /// Recrawls with it in a workspace with patterns: how many patterns led, and what that took.
    pub(super) fn recrawl(&self, trial: &Trial<'_>, patterns: usize) -> Result<(usize, Round), Failure> {
        let patterns = match self.choice {
            Some(_) => trial.choose_as_published()?.selection.patterns.len(),
            None => patterns,
        };
        let mut round = trial.recrawl(Method::AllPatterns)?;
        // The published methods ask for whole pages every time.
        round.bytes += round.spared;
        Ok((patterns, round))
    }
}

/// Recrawls with a published method and notes what came of it.
pub(super) fn measure(
    method: &Published,
    trial: &Trial<'_>,
    patterns: usize,
    truths: &Truths,
    full: &Reference,
    measured: &mut Measured,
) -> Result<(), Failure> {
    let (patterns, round) = method.recrawl(trial, patterns)?;
    let found = trial.found_by(&round, truths)?;
    measured.add(method.name, "patterns", patterns as f64);
    note(method.name, &round, &found, full, measured);
    Ok(())
}

/// A full download, which the methods are compared with.
pub(super) struct Reference {
    pub(super) round: Round,
    pub(super) found: Found,
    /// Pages that the web has without its traps, which a full download may spend any number of pages in.
    pub(super) own: f64,
}

/// Notes what a method took and found, and what part of a full download that is.
pub(super) fn note(name: &str, round: &Round, found: &Found, full: &Reference, measured: &mut Measured) {
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
        ("pages of the web", share(round.pages, full.own)),
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

/// What tables say of the methods.
pub(super) fn notes(report: &mut Report) {
    report.note("distinct, correct and kept: objects that are still to come; kept: of what a full download of that week finds; webs in which that finds none have no part in it");
    report.note("phantoms: found objects that are none of the web; occasions of old articles that are rightly dated are neither phantoms nor objects");
    report.note("of the web: of the pages that it has without traps, in which full downloads spend as many pages as they are allowed");
    report.note("the published methods receive every page whole and follow the learned ways at any depth, not level by level");
}
