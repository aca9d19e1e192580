//! Confidence of a record: the only module that turns evidence into a probability.
//!
//! The table in `src/calibration.txt`, which a command fits, maps these scores to the observed
//! share of correct records.

/// Part of a page from which a record was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Source {
    /// Structured data of the product that the page is about.
    Marked,
    /// Structured data of a list.
    MarkedList,
    /// Visible content of a detail page.
    Page,
    Card,
    /// State of the page's scripts, or a JSON document.
    State,
}

/// Confidence of structured data with more than a name.
const MARKED: f64 = 0.95;

/// Confidence of structured data with only a name.
const MARKED_NAME: f64 = 0.85;

/// Confidence of structured data of a list.
const MARKED_LIST: f64 = 0.9;

/// Confidence of the visible content of a page, by the number of signs; see [`super::detail`].
const PAGE: [f64; 8] = [0.1, 0.2, 0.4, 0.8, 0.86, 0.9, 0.92, 0.93];

/// Confidence of a card of a list page, by the number of signs; see [`super::listing`].
const CARD: [f64; 5] = [0.3, 0.5, 0.75, 0.88, 0.92];

/// Confidence of an object of the state, by the groups of attributes besides its name.
const STATE: [f64; 4] = [0.6, 0.75, 0.85, 0.9];

/// Returns the probability that a record is correct, given its source and the number of signs for
/// it.
pub(super) fn confidence(source: Source, signs: u32) -> f64 {
    let entry = |table: &[f64]| table[(signs as usize).min(table.len() - 1)];
    match source {
        Source::Marked if signs == 0 => MARKED_NAME,
        Source::Marked => MARKED,
        Source::MarkedList => MARKED_LIST,
        Source::Page => entry(&PAGE),
        Source::Card => entry(&CARD),
        Source::State => entry(&STATE),
    }
}

#[cfg(test)]
mod tests {
    use super::{Source, confidence};

    #[test]
    fn structured_data_outranks_everything_and_signs_count() {
        for source in [Source::Page, Source::Card, Source::State] {
            let all: Vec<f64> = (0..12).map(|signs| confidence(source, signs)).collect();
            assert!(all.windows(2).all(|pair| pair[0] <= pair[1]), "{source:?}");
            assert!(
                all.iter().all(|one| *one < confidence(Source::Marked, 1)),
                "{source:?}"
            );
        }
        assert!(confidence(Source::Card, 0) < confidence(Source::Marked, 0));
    }
}
