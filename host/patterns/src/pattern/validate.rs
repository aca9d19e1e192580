//! Validation of patterns on URLs that they were not induced from.

use magpie_model::CanonicalUrl;

use super::inducer::SiteUrls;
use super::set::PatternSet;

/// Quantile of the normal distribution for 95% intervals.
const QUANTILE_95: f64 = 1.959_963_985;

/// A proportion with its 95% Wilson score interval, which holds for small counts and for
/// proportions near 0 and 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Proportion {
    pub hits: usize,
    /// Number of trials.
    pub of: usize,
}

impl Proportion {
    /// Returns hits per trial, or 1 if there were no trials.
    pub fn share(self) -> f64 {
        match self.of {
            0 => 1.0,
            of => self.hits as f64 / of as f64,
        }
    }

    /// Returns the lower and upper bound of the 95% interval.
    pub fn interval(self) -> (f64, f64) {
        if self.of == 0 {
            return (0.0, 1.0);
        }
        let of = self.of as f64;
        let share = self.share();
        let square = QUANTILE_95 * QUANTILE_95;
        let middle = share + square / (2.0 * of);
        let reach = QUANTILE_95 * (share * (1.0 - share) / of + square / (4.0 * of * of)).sqrt();
        let scale = 1.0 + square / of;
        (
            ((middle - reach) / scale).max(0.0),
            ((middle + reach) / scale).min(1.0),
        )
    }
}

/// Performance of patterns on held-out URLs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Validation {
    /// Share of wanted URLs that were matched.
    pub recall: Proportion,
    /// Share of matched URLs that were wanted.
    pub precision: Proportion,
}

impl Validation {
    /// Matches the patterns against held-out URLs.
    pub fn of(patterns: &PatternSet, unseen: &SiteUrls<'_>) -> Validation {
        let matched = |urls: &[&CanonicalUrl]| urls.iter().filter(|url| patterns.matches(url)).count();
        let hits = matched(unseen.wanted);
        Validation {
            recall: Proportion {
                hits,
                of: unseen.wanted.len(),
            },
            precision: Proportion {
                hits,
                of: hits + matched(unseen.others),
            },
        }
    }

    /// Returns the harmonic mean of the lower bounds of both intervals, so that little evidence
    /// scores low.
    pub(crate) fn score(&self) -> f64 {
        let (recall, precision) = (self.recall.interval().0, self.precision.interval().0);
        match recall + precision {
            0.0 => 0.0,
            sum => 2.0 * recall * precision / sum,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Proportion;

    #[test]
    fn intervals_follow_wilson() {
        // Computed by hand: 8 of 10 with z = 1.96 gives 0.490 to 0.943.
        let (low, high) = Proportion { hits: 8, of: 10 }.interval();
        assert!(
            (low - 0.4902).abs() < 1e-3 && (high - 0.9433).abs() < 1e-3,
            "{low} {high}"
        );
        let (low, high) = Proportion { hits: 50, of: 50 }.interval();
        assert!((low - 0.9287).abs() < 1e-3 && high > 0.9999, "{low} {high}");
        assert_eq!(Proportion { hits: 0, of: 0 }.interval(), (0.0, 1.0));
    }
}
