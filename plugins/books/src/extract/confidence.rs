//! Confidence of a record: the only module that turns evidence into a probability.
//!
//! The table in `src/calibration.txt`, which a command fits, maps these scores to the observed
//! share of correct records.

/// Part of a page from which a record was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Source {
    /// Structured data with the type or the number of a book.
    Marked,
    /// Structured data of another type, if the page shows that it is a book.
    MarkedThing,
    /// Structured data of a list.
    MarkedList,
    /// Visible content of a detail page.
    Page,
    /// A row of a list page.
    Row,
    /// State of the page's scripts, or a JSON document.
    State,
}

/// Confidence of the visible content of a page, by its evidence; see [`super::detail`].
const PAGE: [f64; 8] = [0.1, 0.2, 0.4, 0.84, 0.88, 0.9, 0.9, 0.9];

/// Confidence of a row of a list page, by the number of signs; see [`super::listing`].
const ROW: [f64; 6] = [0.6, 0.75, 0.82, 0.86, 0.9, 0.9];

/// Confidence of an object of the state, by the attributes besides its title.
const STATE: [f64; 4] = [0.6, 0.75, 0.85, 0.9];

/// Returns the probability that a record is correct, given its source and the number of signs for
/// it.
pub(super) fn confidence(source: Source, signs: u32) -> f64 {
    let entry = |table: &[f64]| table[(signs as usize).min(table.len() - 1)];
    match source {
        Source::Marked => 0.95,
        Source::MarkedThing => 0.91,
        Source::MarkedList => 0.9,
        Source::Page => entry(&PAGE),
        Source::Row => entry(&ROW),
        Source::State => entry(&STATE),
    }
}

#[cfg(test)]
mod tests {
    use super::{Source, confidence};

    #[test]
    fn structured_data_outranks_what_is_read_and_signs_count() {
        for source in [Source::Page, Source::Row, Source::State] {
            let all: Vec<f64> = (0..12).map(|signs| confidence(source, signs)).collect();
            assert!(all.windows(2).all(|pair| pair[0] <= pair[1]), "{source:?}");
            assert!(
                all.iter().all(|one| *one <= confidence(Source::MarkedList, 0)),
                "{source:?}"
            );
        }
    }
}
