//! Calibration: of the records with a confidence of 90 %, nine in ten should be right.
//!
//! The records are those of reading, of sites as they are and stripped. Large sites do not count
//! for more than small ones beyond [`MOST`] records. The error is the mean distance between
//! confidence and share of right records over ten bins, weighted by records.
//!
//! `--calibrate` fits a vertical's table (`calibration.txt`) again: isotonic regression of right
//! records over scores. The shipped table is undone first, since records carry the confidence that
//! it made of their scores. To avoid measuring a table on the pages to which it was fitted, each
//! site is also measured with a table that was fitted without it.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use magpie_plot::{LineChart, Point, Series};
use magpie_sdk::Calibration;

use super::reading::Judged;
use crate::figure::{Figure, Report, tell};

/// Records that a site counts for at most.
const MOST: f64 = 500.0;

const BINS: usize = 10;

const AIM: f64 = 0.05;

/// Minimum number of records of a step of the table, since a share of fewer means little.
const STEP: f64 = 30.0;

/// The least difference between two steps of the table, so that it can be undone.
const RISE: f64 = 0.001;

/// Judged records by vertical and site.
#[derive(Default)]
pub(super) struct Sample(BTreeMap<&'static str, BTreeMap<&'static str, Vec<Judged>>>);

/// A record's score or confidence, whether it is right, and its weight.
type Weighted = (f64, bool, f64);

impl Sample {
    pub(super) fn add(&mut self, vertical: &'static str, site: &'static str, judged: &[Judged]) {
        let sites = self.0.entry(vertical).or_default();
        sites.entry(site).or_default().extend_from_slice(judged);
    }

    /// Adds the calibration error of each vertical that ships a table, and draws the curves.
    pub(super) fn report(&self, plot: Option<&Path>, report: &mut Report) -> Result<()> {
        let mut series = vec![Series {
            name: "as it should be".to_owned(),
            points: vec![Point::new(0.0, 0.0), Point::new(100.0, 100.0)],
        }];
        for (vertical, sites) in &self.0 {
            let Some(shipped) = shipped(vertical) else {
                continue;
            };
            let all = weighted(sites.values());
            if all.is_empty() {
                continue;
            }
            let scores = undone(sites, &shipped);
            let figure = Figure::new(
                format!("{vertical}: calibration error"),
                error(&all),
                "mean distance",
            );
            let mut figure = figure
                .at_most(AIM)
                .beside("records", sites.values().map(Vec::len).sum::<usize>() as f64)
                .beside("sites", sites.len() as f64);
            if sites.len() > 1 {
                figure = figure.beside("each site by a table of the others", left_out(&scores));
            }
            report.add(figure);
            series.push(Series {
                name: (*vertical).to_owned(),
                points: curve(&all),
            });
        }
        let Some(plot) = plot else { return Ok(()) };
        let chart = LineChart {
            title: "Records that are right, by the confidence that is stated".to_owned(),
            x: "stated confidence, %".to_owned(),
            y: "records that are right, %".to_owned(),
            series,
        };
        std::fs::write(plot, chart.to_svg()).with_context(|| format!("can't write {}", plot.display()))
    }

    /// Fits the tables of the verticals that ship one and writes them.
    pub(super) fn fit(&self) -> Result<()> {
        for (vertical, sites) in &self.0 {
            let Some(shipped) = shipped(vertical) else {
                continue;
            };
            let table = fitted(&weighted(undone(sites, &shipped).values()));
            let mut text =
                "# The score of a record's evidence, and the share of records with it that were right.\n\
                            # Written by `cargo xtask bench real -- --reading --calibrate`.\n"
                    .to_owned();
            for (score, right) in table.knots() {
                // Writing to a string can't fail.
                let _ = writeln!(text, "{score:.4} {right:.4}");
            }
            let path = table_of(vertical);
            std::fs::write(&path, text).with_context(|| format!("can't write {}", path.display()))?;
            tell(&format!("{} steps in {}", table.knots().len(), path.display()));
        }
        Ok(())
    }
}

/// The file of a vertical's table.
fn table_of(vertical: &str) -> PathBuf {
    Path::new("plugins")
        .join(vertical)
        .join("src")
        .join("calibration.txt")
}

/// The table that a vertical ships; none if it is not one of ours.
fn shipped(vertical: &str) -> Option<Calibration> {
    let text = std::fs::read_to_string(table_of(vertical)).ok()?;
    Some(Calibration::parse(&text))
}

/// Turns the confidences of records back into the scores of their evidence.
fn undone<'a>(
    sites: &BTreeMap<&'a str, Vec<Judged>>,
    shipped: &Calibration,
) -> BTreeMap<&'a str, Vec<Judged>> {
    let back = Calibration::new(shipped.knots().iter().map(|(score, right)| (*right, *score)));
    let scores = sites.iter().map(|(site, judged)| {
        let scores = judged
            .iter()
            .map(|(confidence, right)| (back.apply(*confidence), *right));
        (*site, scores.collect())
    });
    scores.collect()
}

fn weighted<'a>(sites: impl Iterator<Item = &'a Vec<Judged>>) -> Vec<Weighted> {
    let each = sites.flat_map(|judged| {
        let weight = (MOST / judged.len().max(1) as f64).min(1.0);
        judged.iter().map(move |(value, right)| (*value, *right, weight))
    });
    each.collect()
}

/// Weight, sum of confidences, and sum of right records of each bin.
fn bins(records: &[Weighted]) -> [[f64; 3]; BINS] {
    let mut bins = [[0.0; 3]; BINS];
    for (confidence, right, weight) in records {
        let bin = &mut bins[((confidence * BINS as f64) as usize).min(BINS - 1)];
        bin[0] += weight;
        bin[1] += weight * confidence;
        bin[2] += weight * f64::from(u8::from(*right));
    }
    bins
}

fn error(records: &[Weighted]) -> f64 {
    let all: f64 = records.iter().map(|record| record.2).sum();
    let distances = bins(records)
        .into_iter()
        .map(|[_, stated, right]| (stated - right).abs());
    distances.sum::<f64>() / all.max(f64::MIN_POSITIVE)
}

fn curve(records: &[Weighted]) -> Vec<Point> {
    let filled = bins(records).into_iter().filter(|bin| bin[0] > 0.0);
    filled
        .map(|[weight, stated, right]| Point::new(100.0 * stated / weight, 100.0 * right / weight))
        .collect()
}

/// The error where each site is measured with a table that was fitted to the others.
fn left_out(scores: &BTreeMap<&str, Vec<Judged>>) -> f64 {
    let mut records = Vec::new();
    for (site, judged) in scores {
        let others = scores
            .iter()
            .filter(|(other, _)| *other != site)
            .map(|(_, judged)| judged);
        let table = fitted(&weighted(others));
        let own = weighted([judged].into_iter());
        records.extend(
            own.into_iter()
                .map(|(score, right, weight)| (table.apply(score), right, weight)),
        );
    }
    error(&records)
}

/// Fits a table: pools neighbouring scores until their shares rise and each has enough records.
fn fitted(records: &[Weighted]) -> Calibration {
    let mut sorted = records.to_vec();
    sorted.sort_by(|one, other| one.0.total_cmp(&other.0));
    // Weight, sum of scores, sum of right records, and the last score of each pool.
    let mut pools: Vec<[f64; 4]> = Vec::new();
    for (score, right, weight) in sorted {
        let own = [weight, weight * score, weight * f64::from(u8::from(right)), score];
        match pools.last_mut() {
            // The same score has one share.
            Some(last) if last[3] == score => (0..3).for_each(|at| last[at] += own[at]),
            _ => pools.push(own),
        }
        while let [.., before, last] = &pools[..] {
            // A pool in the making stays alone until it has its records.
            let falls = last[2] / last[0] <= before[2] / before[0] + RISE;
            if before[0] >= STEP && !(falls && last[0] >= STEP) {
                break;
            }
            let last = *last;
            let at = pools.len() - 2;
            (0..3).for_each(|part| pools[at][part] += last[part]);
            pools[at][3] = last[3];
            pools.pop();
        }
    }
    // A pool that is too small joins the pool before it.
    while let [.., before, last] = &pools[..] {
        let falls = last[2] / last[0] <= before[2] / before[0] + RISE;
        if last[0] >= STEP && !falls {
            break;
        }
        let last = *last;
        let at = pools.len() - 2;
        (0..3).for_each(|part| pools[at][part] += last[part]);
        pools.pop();
    }
    // A record more on either side keeps certainty out of the table.
    let knots = pools
        .iter()
        .map(|[weight, scores, right, _]| (scores / weight, (right + 0.5) / (weight + 1.0)));
    Calibration::new(knots)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Makes records with a score, some of them right.
    fn records(score: f64, all: usize, right: usize) -> Vec<Judged> {
        (0..all).map(|at| (score, at < right)).collect()
    }

    #[test]
    fn the_error_is_the_mean_distance_of_bins() {
        let judged = [records(0.95, 100, 85), records(0.55, 100, 55)].concat();
        let error = error(&weighted([&judged].into_iter()));
        assert!((error - 0.05).abs() < 1e-9, "{error}");
    }

    #[test]
    fn a_fitted_table_has_no_error_on_its_own_records() {
        let judged = [
            records(0.9, 200, 120),
            records(0.5, 200, 20),
            records(0.7, 200, 60),
        ]
        .concat();
        let own = weighted([&judged].into_iter());
        let table = fitted(&own);
        assert_eq!(table.knots().len(), 3, "{table:?}");
        let calibrated: Vec<Weighted> = own
            .iter()
            .map(|(score, right, weight)| (table.apply(*score), *right, *weight))
            .collect();
        assert!(error(&calibrated) < 0.01, "{}", error(&calibrated));
    }

    #[test]
    fn shares_that_fall_are_pooled() {
        let judged = [
            records(0.5, 100, 60),
            records(0.7, 100, 40),
            records(0.9, 100, 95),
        ]
        .concat();
        let table = fitted(&weighted([&judged].into_iter()));
        assert_eq!(table.knots().len(), 2, "{table:?}");
        assert!((table.apply(0.6) - 0.5).abs() < 0.01, "{table:?}");
    }

    #[test]
    fn a_table_is_undone_before_it_is_fitted_anew() {
        let shipped = Calibration::new([(0.2, 0.1), (0.8, 0.9)]);
        let sites = BTreeMap::from([("one", vec![(shipped.apply(0.5), true)])]);
        let scores = undone(&sites, &shipped);
        assert!((scores["one"][0].0 - 0.5).abs() < 1e-9);
    }
}
