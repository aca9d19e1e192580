//! Quality of the verticals on real pages, and of their matching of objects.
//!
//! The data is next to the repository and not part of it; missing sets are skipped with a message.
//! `score` defines how values are compared and what the numbers mean, `strip` what is removed from
//! pages, `matching` how pairs are counted.

mod books;
pub(crate) mod conference;
mod details;
mod elsewhere;
mod examples;
pub(crate) mod markup;
mod matching;
mod meetings;
pub(crate) mod pages;
mod prices;
pub(crate) mod sites;
pub(crate) mod strip;
mod suites;

use std::path::Path;

use anyhow::{Context, Result, bail};

use crate::data::{Options, Sets};
use crate::figure::{Figure, Report, tell};
use crate::score::{PageScore, Tally};
use pages::Readers;

/// Name of a measurement, the set it needs, and the function.
type Case = (
    &'static str,
    &'static str,
    fn(&Bench, &Path, &mut Report) -> Result<()>,
);

const CASES: [Case; 24] = [
    ("books with markup", "site-medical-books", sites::medical_books),
    ("clothes", "site-capybara-shop", sites::capybara),
    ("tickets", "site-iticket", sites::iticket),
    ("books in tables", "swde-booksamillion", books::books_a_million),
    ("books as products", "books-toscrape", books::to_scrape_products),
    ("books for practice", "books-toscrape", books::to_scrape_books),
    ("talks", "site-fossasia2017", conference::run),
    ("meetings", "events-meetings", meetings::run),
    ("prices", "products-parsers", prices::run),
    ("syntaxes", "structured-data", examples::run),
    ("microformats", "structured-data", suites::microformats),
    ("extruct", "structured-data", suites::extruct),
    ("elsewhere: recipes", "recipes", elsewhere::recipes),
    (
        "elsewhere: information",
        "site-iticket",
        elsewhere::shop_information,
    ),
    ("elsewhere: clothes", "site-capybara-shop", elsewhere::clothes),
    ("elsewhere: talks", "site-fossasia2017", elsewhere::conference),
    ("elsewhere: books", "books-toscrape", elsewhere::books),
    (
        "elsewhere: more books",
        "swde-booksamillion",
        elsewhere::more_books,
    ),
    ("elsewhere: meetings", "events-meetings", elsewhere::meetings),
    (
        "elsewhere: medical books",
        "site-medical-books",
        elsewhere::medical_books,
    ),
    ("matching: books", "entity-resolution", matching::books),
    ("matching: electronics", "entity-resolution", matching::abt_buy),
    ("matching: software", "entity-resolution", matching::amazon_google),
    (
        "matching: restaurants",
        "entity-resolution",
        matching::restaurants,
    ),
];

pub(crate) fn run(options: &Options, report: &mut Report) -> Result<()> {
    let bench = Bench {
        readers: Readers::new()?,
        verbose: options.verbose,
    };
    let sets = Sets::new(options.data.clone());
    let is_wanted = |case: &&Case| options.wants(case.0, case.1);
    let wanted: Vec<&Case> = CASES.iter().filter(is_wanted).collect();
    if wanted.is_empty() {
        let names: Vec<String> = CASES
            .iter()
            .map(|(name, set, _)| format!("{name} ({set})"))
            .collect();
        bail!("no measurement is called so; there are\n{}", names.join("\n"));
    }
    for (name, set, measure) in wanted {
        if let Some(folder) = sets.find(set) {
            tell(&format!("measuring {name}"));
            measure(&bench, &folder, report).with_context(|| format!("{name} ({set}) can't be measured"))?;
        }
    }
    Ok(())
}

/// State that all measurements share.
pub(crate) struct Bench {
    readers: Readers,
    verbose: bool,
}

impl Bench {
    /// Adds the F1 of one attribute of one object a page.
    fn add(
        &self,
        report: &mut Report,
        name: impl Into<String>,
        tally: &Tally,
        target: Option<f64>,
        beside: Option<(&str, f64)>,
    ) {
        let found: usize = tally.pages.iter().map(|page| page.found).sum();
        let mut figure = Figure::new(name, tally.f1(), "F1").more_is_better();
        if let Some((name, value)) = beside {
            figure = figure.beside(name, value);
        }
        let figure = figure
            .beside("precision", tally.precision())
            .beside("recall", tally.recall())
            .beside("values", found as f64)
            .beside("pages", tally.asked() as f64);
        self.finish(report, figure, tally, target);
    }

    /// Adds the mean of the pages' own F1.
    fn add_mean(&self, report: &mut Report, name: impl Into<String>, tally: &Tally, target: Option<f64>) {
        let figure = Figure::new(name, tally.mean_f1(), "mean F1 of pages")
            .more_is_better()
            .beside("precision", tally.precision())
            .beside("recall", tally.recall())
            .beside("pages", tally.pages.len() as f64);
        self.finish(report, figure, tally, target);
    }

    /// Adds the share of cases that are right.
    fn add_share(&self, report: &mut Report, name: impl Into<String>, tally: &Tally, target: Option<f64>) {
        let figure = Figure::new(name, tally.mean_f1(), "share right")
            .more_is_better()
            .beside("cases", tally.pages.len() as f64);
        self.finish(report, figure, tally, target);
    }

    /// Adds the share of pages where something was found though there is nothing.
    fn add_pages_with_objects(
        &self,
        report: &mut Report,
        name: impl Into<String>,
        tally: &Tally,
        target: f64,
    ) {
        let bad = tally.pages.iter().filter(|page| page.found > 0).count();
        let pages = tally.pages.len();
        let figure = Figure::new(name, bad as f64 / pages.max(1) as f64, "share of pages")
            .at_most(target)
            .beside("pages", pages as f64);
        self.finish(report, figure, tally, None);
    }

    /// Adds a figure with its target and the names of its worst pages.
    fn finish(&self, report: &mut Report, mut figure: Figure, tally: &Tally, target: Option<f64>) {
        const NAMED: usize = 3;
        const SHOWN: usize = 25;
        if let Some(target) = target {
            figure = figure.at_least(target);
        }
        let worst = tally.worst(if self.verbose { SHOWN } else { NAMED });
        if self.verbose && !worst.is_empty() {
            tell(&format!("--- {}", figure.name()));
            worst.iter().for_each(|page| tell(&told(page)));
        }
        let names: Vec<&str> = worst.iter().take(NAMED).map(|page| page.page.as_str()).collect();
        if !names.is_empty() {
            figure = figure.note(format!("worst: {}", names.join(", ")));
        }
        report.add(figure);
    }
}

fn told(page: &PageScore) -> String {
    const LONGEST: usize = 600;
    format!(
        "{}: {}",
        page.page,
        magpie_values::text::shorten(&page.told, LONGEST)
    )
}
