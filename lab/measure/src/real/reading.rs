//! Reading: all judged pages of a site are handed to a vertical, as they are and without their
//! structured data.
//!
//! Precision is the share of records that are right, recall the share of the objects of each page
//! that a record of that page is about.

use std::collections::HashSet;

use anyhow::Result;
use magpie_model::Record;

use super::Site;
use super::truth::SiteTruth;
use crate::figure::{Figure, Report, tell};
use crate::quality::pages::{Document, Readers, records};
use crate::site::mirror::{FileNumber, Mirror};

/// Wrong records and missed objects that are shown with `--verbose`.
const SHOWN: usize = 15;

/// The aims: of a site as it is, of stripped sites on average, and of each stripped site.
pub(super) const PLAIN_PRECISION: f64 = 0.95;
pub(super) const PLAIN_RECALL: f64 = 0.9;
pub(super) const STRIPPED_PRECISION: f64 = 0.85;
pub(super) const STRIPPED_RECALL: f64 = 0.6;

/// A record's confidence, and whether it is right.
pub(super) type Judged = (f64, bool);

/// The outcome of reading a site in one way.
pub(super) struct Outcome {
    pub(super) precision: f64,
    pub(super) recall: f64,
    pub(super) judged: Vec<Judged>,
}

/// Reads a site as it is and stripped, and adds the figures of both.
pub(super) fn measure(
    readers: &Readers,
    site: &Site,
    mirror: &Mirror,
    truth: &SiteTruth,
    is_verbose: bool,
    report: &mut Report,
) -> Result<[Outcome; 2]> {
    let plugin = readers.plugin(site.vertical)?;
    let saved_at = site.saved_at()?;
    let judged = mirror.documents().filter(|(file, _)| truth.on(*file).is_some());
    let pages: Vec<(FileNumber, Document)> = judged
        .map(|(file, document)| {
            let document = Document {
                fetched_at: saved_at,
                ..document
            };
            (file, document)
        })
        .collect();
    let read = readers.each(&pages, |(_, document)| {
        let page = document.page()?;
        Ok([
            records(&plugin, &page),
            records(&plugin, &document.stripped(&page)?),
        ])
    })?;
    let mut outcomes = Vec::new();
    for (at, (way, precision, recall)) in [
        ("as it is", PLAIN_PRECISION, PLAIN_RECALL),
        ("stripped", STRIPPED_PRECISION, STRIPPED_RECALL),
    ]
    .into_iter()
    .enumerate()
    {
        let tally = Tally::of(&pages, truth, read.iter().map(|ways| &ways[at]));
        if is_verbose {
            tell(&format!("--- {}, {way}", site.name));
            tally
                .wrong
                .iter()
                .take(SHOWN)
                .for_each(|line| tell(&format!("wrong: {line}")));
            tally
                .missed
                .iter()
                .take(SHOWN)
                .for_each(|line| tell(&format!("missed: {line}")));
        }
        let title = format!("{}: reading {way}", site.name);
        report.add(
            Figure::new(format!("{title}, precision"), tally.precision(), "of the records")
                .at_least(precision)
                .beside("records", tally.judged.len() as f64)
                .beside("wrong", (tally.judged.len() - tally.right) as f64),
        );
        report.add(
            Figure::new(
                format!("{title}, recall"),
                tally.recall(),
                "of the objects on pages",
            )
            .at_least(recall)
            .beside("objects", tally.expected as f64)
            .beside("right attributes of found objects", tally.attributes()),
        );
        outcomes.push(Outcome {
            precision: tally.precision(),
            recall: tally.recall(),
            judged: tally.judged,
        });
    }
    let [plain, stripped] = outcomes
        .try_into()
        .map_err(|_| anyhow::anyhow!("a site is read in two ways"))?;
    Ok([plain, stripped])
}

/// The comparison of the records of all pages with the truth.
#[derive(Default)]
struct Tally {
    judged: Vec<Judged>,
    right: usize,
    expected: usize,
    found: usize,
    attributes_right: usize,
    attributes: usize,
    /// Wrong records and missed objects, for people.
    wrong: Vec<String>,
    missed: Vec<String>,
}

impl Tally {
    fn of<'a>(
        pages: &[(FileNumber, Document)],
        truth: &SiteTruth,
        read: impl Iterator<Item = &'a Vec<Record>>,
    ) -> Tally {
        let mut tally = Tally::default();
        for ((file, document), records) in pages.iter().zip(read) {
            let own = truth.on(*file).unwrap_or_default();
            let mut found = HashSet::new();
            for record in records {
                let object = truth.find(record, own);
                tally.judged.push((record.confidence, object.is_some()));
                tally.right += usize::from(object.is_some());
                match object {
                    None => tally.wrong.push(told(document, record)),
                    Some(object) if own.contains(&object) && found.insert(object) => {
                        let (right, all) = truth.attributes(record, object);
                        tally.attributes_right += right;
                        tally.attributes += all;
                    }
                    Some(_) => {}
                }
            }
            let own: HashSet<_> = own.iter().copied().collect();
            tally.expected += own.len();
            tally.found += found.len();
            if found.len() < own.len() {
                tally.missed.push(document.url.to_string());
            }
        }
        tally
    }

    fn precision(&self) -> f64 {
        share(self.right, self.judged.len())
    }

    fn recall(&self) -> f64 {
        share(self.found, self.expected)
    }

    fn attributes(&self) -> f64 {
        share(self.attributes_right, self.attributes)
    }
}

/// A share; of nothing it is 1, since nothing is wrong.
pub(super) fn share(part: usize, of: usize) -> f64 {
    if of == 0 { 1.0 } else { part as f64 / of as f64 }
}

/// A record for people: its page and its values.
fn told(document: &Document, record: &Record) -> String {
    let values = record
        .values
        .iter()
        .map(|value| format!("{} {:?}", value.attribute, value.value));
    let values: Vec<String> = values.collect();
    let text = format!("{} {:.2} {}", document.name, record.confidence, values.join(", "));
    magpie_values::text::shorten(&text, 300)
}
