//! What the visits to a page showed, small enough to keep for every page.

use serde::{Deserialize, Serialize};

use super::numeric::increasing_root;

/// Detected changes are kept one by one, or as a few at nearly the same gap, up to so many; a page
/// at a steady schedule needs one.
const MOST_ENTRIES: usize = 24;
/// Gaps within this share of one another are one gap.
const SAME_GAP: f64 = 0.02;
/// Two doubts within this factor are one doubt.
const SAME_DOUBT: f64 = 1.3;
/// A claim that speaks this strongly either way is a fact.
const CERTAIN: f64 = 1e6;

/// What one visit showed of the time since the one before.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Observation {
    /// Nothing changed.
    Same,
    /// Something did, nobody knows when, or how often.
    Changed,
    /// Something did, and the last time was so long ago.
    ChangedAgo(f64),
    /// So many events were seen, with none between visits lost: new objects of a list, say.
    Counted(u32),
    /// Something speaks of it that is not always right. `doubt` is how probable what it says is for a page
    /// that did not change, divided by the same for one that did: 1 says nothing.
    Claimed {
        /// The quotient.
        doubt: f64,
    },
}

/// What is known of one page, or of any place where events happen at a rate: changes of a page, new
/// objects of a list, deaths.
///
/// The likelihood of a rate λ is `λ^events · e^(-λ·exposure)` times, for each detected change,
/// `1 - (1-doubt)·e^(-λ·gap)`, with doubt 0 where it was seen for certain. It does not matter
/// whether gaps are regular: a week of downtime is one long gap.
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
    /// Takes in what a visit showed, `gap` after the one before.
    ///
    /// A gap that is none (zero, negative, no number) says nothing and is left out; so is a date
    /// before the last visit.
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
            // The date cannot be of this gap; that the page changed remains.
            Observation::ChangedAgo(_) => self.detect(gap, 0.0),
            Observation::Counted(events) => {
                self.events += f64::from(events);
                self.exposure += gap;
            }
            Observation::Claimed { doubt } if doubt >= CERTAIN => self.exposure += gap,
            Observation::Claimed { doubt } if doubt >= 0.0 && doubt != 1.0 => {
                self.detect(gap, if doubt * CERTAIN < 1.0 { 0.0 } else { doubt });
            }
            Observation::Claimed { .. } => {}
        }
    }

    /// Weighs everything seen so far by `keep`, between 0 and 1: rates drift, and what was seen long
    /// ago should count less. `0.5` at every half-life is a good habit.
    pub fn forget(&mut self, keep: f64) {
        let keep = keep.clamp(0.0, 1.0);
        self.events *= keep;
        self.exposure *= keep;
        for entry in &mut self.detected {
            entry.count *= keep;
        }
        self.detected.retain(|entry| entry.count > 1e-6);
    }

    /// Nothing is known.
    pub fn is_empty(&self) -> bool {
        self.events == 0.0 && self.exposure == 0.0 && self.detected.is_empty()
    }

    /// How many changes were seen; claims that may be wrong do not count.
    pub fn changes(&self) -> f64 {
        let sure = self.detected.iter().filter(|entry| entry.doubt == 0.0);
        self.events + sure.map(|entry| entry.count).sum::<f64>()
    }

    /// The time the visits looked over, as far as it says anything.
    pub fn time(&self) -> f64 {
        let detected = self.detected.iter().map(|entry| entry.count * entry.gap);
        self.exposure + detected.sum::<f64>()
    }

    /// The rate that makes what was seen most likely: none when nothing is known, infinite when every
    /// visit saw a change without a date. Solves `Σ τ/(e^(λτ)-1)` over changed gaps plus
    /// `events/λ` equal to the time known to be without change.
    ///
    /// Claims that may be wrong are left out, as with them there may be more than one such rate; a
    /// [`RatePrior`](super::RatePrior)'s posterior uses them.
    pub fn most_likely_rate(&self) -> Option<f64> {
        let sure = || self.detected.iter().filter(|entry| entry.doubt == 0.0);
        let count: f64 = self.events + sure().map(|entry| entry.count).sum::<f64>();
        if count == 0.0 {
            return (self.exposure > 0.0).then_some(0.0);
        }
        if self.exposure <= 0.0 {
            return Some(f64::INFINITY);
        }
        // Per unit of log rate, so that bounds are wide and steps are even: the excess of exposure
        // rises from below to above within them, as x/(e^x-1) is between 1-x and 1.
        let excess = |log: f64| {
            let rate = log.exp();
            let (mut sum, mut slope) = (rate * self.exposure - self.events, rate * self.exposure);
            for entry in sure() {
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

    /// The logarithm of the likelihood of a rate, up to a constant.
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

    /// The slope of the log likelihood over the logarithm of the rate.
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

    /// How much evidence there is for some rate above zero.
    pub(super) fn weight(&self) -> f64 {
        self.events + self.detected.iter().map(|entry| entry.count).sum::<f64>()
    }

    /// The smallest and the largest rate the visits could tell from none and from any.
    pub(super) fn rates_in_reach(&self) -> Option<(f64, f64)> {
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
                if self.detected.len() > MOST_ENTRIES {
                    self.join_nearest();
                }
            }
        }
    }

    /// Makes one of the two entries whose gaps differ least, sure ones and claims apart.
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
        if let Some((place, _)) = nearest {
            let gone = self.detected.remove(place + 1);
            self.detected[place].join(gone.gap, gone.doubt, gone.count);
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

/// The visits to one page by a clock that may be wrong.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Visits {
    /// When the last visit was, by the clock of then.
    pub last: Option<f64>,
    /// What they showed.
    pub history: History,
}

/// What became of an observation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Recorded {
    /// There was nothing to compare with.
    First,
    /// It counts, over this gap.
    Counted(f64),
    /// The clock shows no later time than at the last visit: what was seen says nothing, and the next
    /// gap is counted from now.
    ClockStepped,
}

impl Visits {
    /// Records a visit at a time.
    ///
    /// After the clock stepped back, waiting until it passes the old time might take for ever; so the
    /// clock of now is believed, and one observation is lost. A step forward looks like downtime and
    /// cannot be told from it; it makes one gap too long.
    ///
    /// Already the first visit tells a page's age if a date is believed: that is taken in.
    pub fn record(&mut self, at: f64, observation: Observation) -> Recorded {
        if !at.is_finite() {
            return Recorded::ClockStepped;
        }
        let Some(last) = self.last.replace(at) else {
            if let Observation::ChangedAgo(ago) = observation {
                self.history.add(ago, observation);
            }
            return Recorded::First;
        };
        if at <= last {
            return Recorded::ClockStepped;
        }
        self.history.add(at - last, observation);
        Recorded::Counted(at - last)
    }
}
