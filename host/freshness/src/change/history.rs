//! Observations of the visits to a page, small enough to be kept for every page.

use serde::{Deserialize, Serialize};

use super::numeric::increasing_root;

/// Maximum number of stored changes or groups of changes at similar gaps. A page with a constant
/// schedule needs one.
const MAX_ENTRIES: usize = 24;
/// Relative difference up to which gaps count as equal.
const SAME_GAP: f64 = 0.02;
/// Factor up to which two doubts count as equal.
const SAME_DOUBT: f64 = 1.3;
/// Factor from which on a claim in either direction counts as a fact.
const FACT: f64 = 1e6;

/// Observation of one visit about the time since the previous one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Observation {
    Same,
    /// At least one change, at an unknown time.
    Changed,
    /// At least one change, the last of them this long ago.
    ChangedAgo(f64),
    /// This number of events, of which none between visits is lost: new objects of a list, for
    /// example.
    Counted(u32),
    /// A claim that is not always correct. `doubt` is the probability of the claim for an unchanged
    /// page, divided by that for a changed one; 1 is uninformative.
    Claimed {
        /// The likelihood ratio.
        doubt: f64,
    },
}

/// Observations of one page, or of any process of events at a rate: changes of a page, new objects
/// of a list, deaths.
///
/// The likelihood of a rate λ is `λ^events · e^(-λ·exposure)` times `1 - (1-doubt)·e^(-λ·gap)` for
/// each detected change, where doubt is 0 for certain ones. Gaps need not be regular: a week of
/// downtime is one long gap.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct History {
    events: f64,
    exposure: f64,
    detected: Vec<Detected>,
}

/// Detected changes at one gap.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Detected {
    pub(super) gap: f64,
    pub(super) doubt: f64,
    pub(super) count: f64,
}

impl History {
    /// Adds the observation of a visit `gap` after the previous one.
    ///
    /// Ignores invalid gaps (zero, negative, NaN), and dates before the last visit.
    pub fn add(&mut self, gap: f64, observation: Observation) {
        if !(gap > 0.0 && gap.is_finite()) {
            return;
        }
        match observation {
            Observation::Same => self.exposure += gap,
            Observation::Changed => self.detect(gap, 0.0),
            Observation::ChangedAgo(ago) if ago > 0.0 && ago <= gap => {
                self.events += 1.0;
                self.exposure += ago;
            }
            // The date is not in this gap; the fact of the change remains.
            Observation::ChangedAgo(_) => self.detect(gap, 0.0),
            Observation::Counted(events) => {
                self.events += f64::from(events);
                self.exposure += gap;
            }
            Observation::Claimed { doubt } if doubt >= FACT => self.exposure += gap,
            Observation::Claimed { doubt } if doubt >= 0.0 && doubt != 1.0 => {
                self.detect(gap, if doubt * FACT < 1.0 { 0.0 } else { doubt });
            }
            Observation::Claimed { .. } => {}
        }
    }

    /// Multiplies the weight of all observations by `keep`, between 0 and 1. Rates drift, so old
    /// observations should count less; `0.5` at every half-life is a good choice.
    pub fn forget(&mut self, keep: f64) {
        let keep = keep.clamp(0.0, 1.0);
        self.events *= keep;
        self.exposure *= keep;
        for entry in &mut self.detected {
            entry.count *= keep;
        }
        self.detected.retain(|entry| entry.count > 1e-6);
    }

    /// Returns true if there are no observations.
    pub fn is_empty(&self) -> bool {
        self.events == 0.0 && self.exposure == 0.0 && self.detected.is_empty()
    }

    /// Number of detected changes without uncertain claims.
    pub fn changes(&self) -> f64 {
        let certain = self.detected.iter().filter(|entry| entry.doubt == 0.0);
        self.events + certain.map(|entry| entry.count).sum::<f64>()
    }

    /// Total time of informative observations.
    pub fn time(&self) -> f64 {
        let detected = self.detected.iter().map(|entry| entry.count * entry.gap);
        self.exposure + detected.sum::<f64>()
    }

    /// Returns the most likely rate: `None` without observations, infinite if every visit saw a
    /// change without a date. Solves `Σ τ/(e^(λτ)-1)` over changed gaps plus `events/λ` equal to
    /// the time known to be without change.
    pub fn most_likely_rate(&self) -> Option<f64> {
        // With uncertain claims the likelihood may have several maxima. The posterior of a
        // [`RatePrior`](super::RatePrior) uses them.
        let certain = || self.detected.iter().filter(|entry| entry.doubt == 0.0);
        let count: f64 = self.events + certain().map(|entry| entry.count).sum::<f64>();
        if count == 0.0 {
            return (self.exposure > 0.0).then_some(0.0);
        }
        if self.exposure <= 0.0 {
            return Some(f64::INFINITY);
        }
        // In terms of the logarithm of the rate, so that bounds are wide and steps are even. The
        // excess of exposure changes its sign within them, since x/(e^x-1) is between 1-x and 1.
        let excess = |log: f64| {
            let rate = log.exp();
            let (mut sum, mut slope) = (rate * self.exposure - self.events, rate * self.exposure);
            for entry in certain() {
                let x = rate * entry.gap;
                let wanted = if x > 700.0 { 0.0 } else { x / x.exp_m1() };
                sum -= entry.count * wanted;
                slope += entry.count * wanted * (wanted + x - 1.0);
            }
            (sum, slope)
        };
        let high = (count / self.exposure).ln();
        let low = high - 60.0;
        Some(increasing_root(low, high + 1e-9, high - 0.5, excess).exp())
    }

    /// Returns the logarithm of the likelihood of a rate, up to a constant.
    pub fn log_likelihood(&self, rate: f64) -> f64 {
        let mut sum = -rate * self.exposure;
        if self.events > 0.0 {
            sum += self.events * rate.ln();
        }
        for entry in &self.detected {
            let x = rate * entry.gap;
            let seen = -(-x).exp_m1() + entry.doubt * (-x).exp();
            sum += entry.count * seen.max(f64::MIN_POSITIVE).ln();
        }
        sum
    }

    /// Returns the derivative of the log-likelihood by the logarithm of the rate.
    pub(super) fn slope(&self, log: f64) -> f64 {
        let rate = log.exp();
        let mut slope = self.events - rate * self.exposure;
        for entry in &self.detected {
            let x = rate * entry.gap;
            let same = (-x).exp();
            let seen = -(-x).exp_m1() + entry.doubt * same;
            if same > 0.0 && seen > 0.0 {
                slope += entry.count * (1.0 - entry.doubt) * x * same / seen;
            }
        }
        slope
    }

    /// Returns the weight of the evidence for a rate above zero.
    pub(super) fn weight(&self) -> f64 {
        self.events + self.detected.iter().map(|entry| entry.count).sum::<f64>()
    }

    /// Returns the smallest and the largest rate that the visits can distinguish from zero and from
    /// infinity.
    pub(super) fn distinguishable_rates(&self) -> Option<(f64, f64)> {
        let time = self.time();
        if time <= 0.0 {
            return None;
        }
        let gaps = self.detected.iter().map(|entry| entry.gap);
        let mut fastest = gaps.fold(1.0 / time, |fastest, gap| fastest.max(1.0 / gap));
        if self.exposure > 0.0 {
            fastest = fastest.max(self.events / self.exposure);
        }
        Some((0.01 / time, 20.0 * fastest))
    }

    fn detect(&mut self, gap: f64, doubt: f64) {
        let near = |one: f64, two: f64, share: f64| one <= two * share && two <= one * share;
        let same = self.detected.iter_mut().find(|entry| {
            near(entry.gap, gap, 1.0 + SAME_GAP)
                && (entry.doubt == doubt || entry.doubt * doubt > 0.0 && near(entry.doubt, doubt, SAME_DOUBT))
        });
        match same {
            Some(entry) => entry.join(gap, doubt, 1.0),
            None => {
                self.detected.push(Detected {
                    gap,
                    doubt,
                    count: 1.0,
                });
                if self.detected.len() > MAX_ENTRIES {
                    self.join_nearest();
                }
            }
        }
    }

    /// Merges the two entries with the most similar gaps; certain ones and claims are kept apart.
    fn join_nearest(&mut self) {
        let kind = |entry: &Detected| {
            if entry.doubt == 0.0 {
                0
            } else {
                1 + u8::from(entry.doubt > 1.0)
            }
        };
        self.detected
            .sort_by(|one, two| kind(one).cmp(&kind(two)).then(one.gap.total_cmp(&two.gap)));
        let distance = |pair: &[Detected]| {
            let apart = if kind(&pair[0]) == kind(&pair[1]) {
                0.0
            } else {
                f64::MAX
            };
            (pair[1].gap / pair[0].gap).ln().abs() + apart
        };
        let pairs = self.detected.windows(2).enumerate();
        let nearest = pairs.min_by(|one, two| distance(one.1).total_cmp(&distance(two.1)));
        if let Some((index, _)) = nearest {
            let gone = self.detected.remove(index + 1);
            self.detected[index].join(gone.gap, gone.doubt, gone.count);
        }
    }
}

impl Detected {
    fn join(&mut self, gap: f64, doubt: f64, count: f64) {
        let all = self.count + count;
        self.gap += (gap - self.gap) * count / all;
        self.doubt += (doubt - self.doubt) * count / all;
        self.count = all;
    }
}

/// Visits to one page by a clock that may be wrong.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Visits {
    /// Time of the last visit, by the clock at that time.
    pub last: Option<f64>,
    pub history: History,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Recorded {
    /// First visit, without a comparison.
    First,
    /// Recorded with this gap.
    Counted(f64),
    /// The clock is not later than at the last visit. The observation is ignored, and the next gap
    /// starts now.
    ClockStepped,
}

impl Visits {
    /// Records a visit at a time.
    pub fn record(&mut self, at: f64, observation: Observation) -> Recorded {
        if !at.is_finite() {
            return Recorded::ClockStepped;
        }
        let Some(last) = self.last.replace(at) else {
            if let Observation::ChangedAgo(ago) = observation {
                // A reliable date gives the age of the page even at the first visit.
                self.history.add(ago, observation);
            }
            return Recorded::First;
        };
        // Waiting until the clock passes the old time might take forever, so the clock is trusted
        // as it is now, and one observation is lost. A step forward looks like downtime and makes
        // one gap too long.
        if at <= last {
            return Recorded::ClockStepped;
        }
        self.history.add(at - last, observation);
        Recorded::Counted(at - last)
    }
}
