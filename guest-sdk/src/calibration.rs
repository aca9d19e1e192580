//! Calibration of scores to confidences.

/// A table that maps a score to the share of records with that score that were right.
///
/// An extractor adds up its evidence to a score between 0 and 1. Of the records with a score of
/// 0.8, perhaps nine in ten are right, or only half. The table is fitted to pages with known
/// objects. With it, the confidence of a record is the share of such records that are right. Values
/// between the rows of the table are interpolated. Below the first row the confidence falls
/// linearly to zero, because the table was not fitted to such scores.
///
/// ```
/// use magpie_sdk::Calibration;
///
/// let calibration = Calibration::parse("# score  right\n0.5 0.2\n0.9 0.95\n");
/// assert_eq!(calibration.apply(0.9), 0.95);
/// assert!((calibration.apply(0.7) - 0.575).abs() < 1e-9);
/// // Without a table the score is the confidence.
/// assert_eq!(Calibration::default().apply(0.7), 0.7);
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Calibration {
    /// Scores with the share of records that were right, both strictly increasing.
    knots: Vec<(f64, f64)>,
}

impl Calibration {
    /// Parses a table: a score and a share on each line, `#` for comments. Skips lines of another
    /// form, and lines that do not increase both numbers.
    pub fn parse(text: &str) -> Self {
        let pairs = text.lines().filter_map(|line| {
            let mut words = line.split_whitespace().map(str::parse::<f64>);
            match (words.next(), words.next(), words.next()) {
                (Some(Ok(score)), Some(Ok(right)), None) => Some((score, right)),
                _ => None,
            }
        });
        Self::new(pairs)
    }

    /// Creates a table from scores and shares. Skips pairs that do not increase both numbers.
    pub fn new(knots: impl IntoIterator<Item = (f64, f64)>) -> Self {
        let mut kept: Vec<(f64, f64)> = Vec::new();
        for (score, right) in knots {
            // NaN is in no range, so it is left out as well.
            let is_share = (0.0..=1.0).contains(&score) && (0.0..=1.0).contains(&right);
            let rises = kept.last().is_none_or(|last| score > last.0 && right > last.1);
            if is_share && rises {
                kept.push((score, right));
            }
        }
        Self { knots: kept }
    }

    /// Rows of the table.
    pub fn knots(&self) -> &[(f64, f64)] {
        &self.knots
    }

    /// Returns the share of records with this score that are right.
    pub fn apply(&self, score: f64) -> f64 {
        let score = score.clamp(0.0, 1.0);
        let (Some(first), Some(last)) = (self.knots.first(), self.knots.last()) else {
            return score;
        };
        if score <= first.0 {
            // The first score may be zero.
            return first.1 * score / first.0.max(f64::MIN_POSITIVE);
        }
        if score >= last.0 {
            return last.1;
        }
        let above = self.knots.partition_point(|knot| knot.0 < score);
        let ((low, low_right), (high, high_right)) = (self.knots[above - 1], self.knots[above]);
        low_right + (high_right - low_right) * (score - low) / (high - low)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invalid_lines_are_skipped() {
        let table = "0.2 0.1\nabc 0.3\n0.1 0.5\n0.5 0.05\n0.6 1.5\n0.7 0.8 0.9\n0.8 0.9\n";
        assert_eq!(Calibration::parse(table).knots(), [(0.2, 0.1), (0.8, 0.9)]);
    }

    #[test]
    fn scores_beyond_the_table_fall_to_zero_or_keep_its_last_share() {
        let calibration = Calibration::new([(0.2, 0.1), (0.8, 0.9)]);
        assert_eq!((calibration.apply(0.0), calibration.apply(1.0)), (0.0, 0.9));
        assert!((calibration.apply(0.1) - 0.05).abs() < 1e-9);
        assert!((calibration.apply(0.5) - 0.5).abs() < 1e-9);
    }
}
