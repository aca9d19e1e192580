//! Confidence of a record: the one place where evidence becomes a probability.
//!
//! The table in `src/calibration.txt`, which a command fits, turns these scores into shares of
//! right records.

/// The place that a record was read from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Source {
    /// Structured data that calls the thing a book.
    Marked,
    /// Structured data of a thing that the page shows to be a book.
    MarkedThing,
    /// Structured data of a listing.
    MarkedList,
    /// The page as a reader sees it.
    Page,
    /// A row of a listing.
    Row,
}

/// A page as a reader sees it, by the evidence for it; see [`super::detail`].
const PAGE: [f64; 8] = [0.1, 0.2, 0.4, 0.84, 0.88, 0.9, 0.9, 0.9];

/// A row of a listing, by the number of its signs; see [`super::listing`].
const ROW: [f64; 6] = [0.6, 0.75, 0.82, 0.86, 0.9, 0.9];

/// Returns the probability that a record is right, by its source and the number of signs for it.
pub(super) fn confidence(source: Source, signs: u32) -> f64 {
    let entry = |table: &[f64]| table[(signs as usize).min(table.len() - 1)];
    match source {
        Source::Marked => 0.95,
        Source::MarkedThing => 0.91,
        Source::MarkedList => 0.9,
        Source::Page => entry(&PAGE),
        Source::Row => entry(&ROW),
    }
}

#[cfg(test)]
mod tests {
    use super::{Source, confidence};

    #[test]
    fn structured_data_outranks_what_is_read_and_signs_count() {
        for source in [Source::Page, Source::Row] {
            let all: Vec<f64> = (0..12).map(|signs| confidence(source, signs)).collect();
            assert!(all.windows(2).all(|pair| pair[0] <= pair[1]), "{source:?}");
            assert!(
                all.iter().all(|one| *one <= confidence(Source::MarkedList, 0)),
                "{source:?}"
            );
        }
    }
}
