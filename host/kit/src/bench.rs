//! `plugin bench`: what a plugin costs on pages, and where the time goes.

use std::sync::Arc;
use std::time::{Duration, Instant};

use magpie_page::{Page, PageSource};
use magpie_runtime::{CallError, Plugin};
use schemars::JsonSchema;
use serde::Serialize;

use crate::run::{Failure, milliseconds};

#[derive(Clone, Debug)]
pub struct PageBench {
    pub url: String,
    pub bytes: usize,
    pub objects: usize,
    /// Decoding and parsing, once for all plugins: the median.
    pub parse: Duration,
    /// The whole call with a fresh instance: the quartiles.
    pub call: Spread,
    /// The same in an instance that is reused.
    pub reused: Spread,
    /// The most memory an instance had.
    pub peak_bytes: u64,
}

/// The quartiles of some samples.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Spread {
    /// A quarter of the samples took no longer.
    pub low: Duration,
    /// Half of the samples took no longer.
    pub median: Duration,
    /// Three quarters of the samples took no longer.
    pub high: Duration,
}

/// The cost over several pages.
#[derive(Clone, Debug, Default)]
pub struct BenchSum {
    calls: Vec<Duration>,
    peak_bytes: u64,
    /// Number of pages without a result.
    pub failed: usize,
}

impl BenchSum {
    pub fn add(&mut self, bench: &PageBench) {
        self.calls.push(bench.call.median);
        self.peak_bytes = self.peak_bytes.max(bench.peak_bytes);
    }

    /// Number of measured pages.
    pub fn pages(&self) -> usize {
        self.calls.len()
    }

    /// Returns the time within which this share of the pages was done, by their medians. Zero
    /// without pages.
    pub fn within(&self, share: f64) -> Duration {
        let mut calls = self.calls.clone();
        calls.sort_unstable();
        let rank = (share * calls.len() as f64).ceil() as usize;
        calls.get(rank.saturating_sub(1)).copied().unwrap_or_default()
    }

    pub fn view(&self) -> BenchSummaryView {
        BenchSummaryView {
            pages: self.pages(),
            failed: self.failed,
            call_median_ms: milliseconds(self.within(0.5)),
            call_p95_ms: milliseconds(self.within(0.95)),
            peak_bytes: self.peak_bytes,
        }
    }
}

/// The cost over all pages, in the last line.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "BenchSummary")]
pub struct BenchSummaryView {
    /// Number of measured pages.
    pages: usize,
    /// Number of pages without a result.
    failed: usize,
    /// Median over the pages of the median time of a call with a fresh instance.
    call_median_ms: f64,
    /// Time within which 95 % of the pages were done.
    call_p95_ms: f64,
    /// Peak memory of a call.
    peak_bytes: u64,
}

/// A page that can't be measured.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct BenchFailure {
    /// URL of the page, or name of the input.
    pub url: String,
    /// Reason why there is no result.
    pub error: Failure,
}

impl Spread {
    /// The quartiles of samples, in any order.
    pub fn of(mut samples: Vec<Duration>) -> Self {
        samples.sort_unstable();
        let at = |quarter: usize| {
            samples
                .get(samples.len() * quarter / 4)
                .copied()
                .unwrap_or_default()
        };
        Self {
            low: at(1),
            median: at(2),
            high: at(3),
        }
    }
}

impl PageBench {
    pub fn view(&self) -> PageBenchView {
        let quartiles = |spread: &Spread| [spread.low, spread.median, spread.high].map(milliseconds);
        PageBenchView {
            url: self.url.clone(),
            bytes: self.bytes,
            objects: self.objects,
            parse_ms: milliseconds(self.parse),
            call_ms: quartiles(&self.call),
            reused_ms: quartiles(&self.reused),
            peak_bytes: self.peak_bytes,
        }
    }
}

/// The cost of a plugin on a page.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "PageBench")]
pub struct PageBenchView {
    /// URL of the page.
    url: String,
    /// Size of the page.
    bytes: usize,
    /// Number of records.
    objects: usize,
    /// Median time of parsing the page.
    parse_ms: f64,
    /// Quartiles of the time of a call with a fresh instance.
    call_ms: [f64; 3],
    /// Quartiles of the time of a call with a reused instance.
    reused_ms: [f64; 3],
    /// Peak memory of a call.
    peak_bytes: u64,
}

/// Runs a plugin on a page repeatedly, with fresh and reused instances in turns, so that both see
/// the same machine.
pub fn bench_page(plugin: &Plugin, source: &PageSource, rounds: usize) -> Result<PageBench, CallError> {
    let parse = Spread::of(
        (0..rounds.clamp(3, 25))
            .map(|_| time(|| parsed(source)).0)
            .collect(),
    );
    // The samples below are to contain only the call, so the page is complete before them.
    let page = parsed(source);
    // The first call is no sample. It gives the objects and the memory, and warms the caches.
    let first = plugin.extract(&page);
    let objects = first.outcome?.len();
    let mut session = plugin.open()?;
    let (mut fresh, mut reused) = (Vec::new(), Vec::new());
    for _ in 0..rounds.max(1) {
        let (took, call) = time(|| plugin.extract(&page));
        call.outcome?;
        fresh.push(took);
        let (took, found) = time(|| session.extract(&page));
        found?;
        reused.push(took);
    }
    Ok(PageBench {
        url: page.url().to_string(),
        bytes: source.body.len(),
        objects,
        parse: parse.median,
        call: Spread::of(fresh),
        reused: Spread::of(reused),
        peak_bytes: first.usage.peak_bytes,
    })
}

/// A page with everything computed that is otherwise computed when first asked for.
fn parsed(source: &PageSource) -> Arc<Page> {
    let page = Page::new(source.clone());
    page.document();
    page.structured_data();
    page.outline();
    Arc::new(page)
}

fn time<T>(work: impl FnOnce() -> T) -> (Duration, T) {
    let start = Instant::now();
    let result = work();
    (start.elapsed(), result)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sum_has_the_median_and_the_slow_end() {
        let mut sum = BenchSum::default();
        assert_eq!(sum.within(0.5), Duration::ZERO);
        for milliseconds in (1..=20).rev() {
            let spread = Spread {
                median: Duration::from_millis(milliseconds),
                ..Spread::default()
            };
            sum.add(&PageBench {
                url: String::new(),
                bytes: 0,
                objects: 0,
                parse: Duration::ZERO,
                call: spread,
                reused: spread,
                peak_bytes: milliseconds,
            });
        }
        let view = sum.view();
        assert_eq!((view.pages, view.peak_bytes), (20, 20));
        assert_eq!((view.call_median_ms, view.call_p95_ms), (10.0, 19.0));
    }
}
