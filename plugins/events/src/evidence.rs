//! Confidence: the only module that turns evidence into a probability.
//!
//! Readers report where an event was found and how much evidence there was. [`confidence`] weighs
//! this with the table in [`weights`]: the weights of a logistic regression over
//! [`Evidence::features`], which can be fitted to pages with known events. The table
//! `calibration.txt` maps the result to the observed share of correct records.

/// Reader that found an event.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Source {
    /// Structured data: JSON-LD, microdata, RDFa, microformats.
    Structured,
    /// A calendar file or JSON.
    Feed,
    /// A detail page with labels of date or venue.
    Labelled,
    /// Another detail page.
    Detail,
    /// A record of a list.
    #[default]
    List,
    /// A table with rooms or boards in columns.
    Table,
    /// A cell of a month grid.
    Month,
    /// Plain lines.
    Lines,
    /// Computed from a rule: `every second Tuesday`.
    Series,
    /// A day offered in a form.
    Choices,
}

/// Facts about an event that determine its confidence.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Evidence {
    pub(crate) source: Source,
    /// Sum of the signs of its page, list and record, if the reader counts them.
    pub(crate) signs: f64,
    pub(crate) is_timed: bool,
    /// Has a venue or an address.
    pub(crate) is_placed: bool,
    /// Its name links to a page of its own.
    pub(crate) is_linked: bool,
    /// The records of its list have different names.
    pub(crate) is_named: bool,
}

/// Weights of the features of one source, in the order of [`Evidence::features`].
struct Weights {
    base: f64,
    signs: f64,
    timed: f64,
    placed: f64,
    linked: f64,
    named: f64,
}

/// Maximum confidence of an event that was read from text.
const MAX_CONFIDENCE: f64 = 0.97;

/// Maximum confidence of an event with only a name and a day. Structured data usually has more.
const MAX_BARE: f64 = 0.6;

/// Maximum sum of signs; more signs add no information.
const MAX_SIGNS: f64 = 6.0;

const fn weights(source: Source) -> Weights {
    let (base, signs, timed, placed, linked, named) = match source {
        Source::Structured => (3.0, 0.0, 0.0, 0.0, 0.0, 0.0),
        Source::Feed => (3.0, 0.0, 0.0, 0.0, 0.0, 0.0),
        Source::Labelled => (-0.4, 0.3, 0.8, 0.5, 0.0, 0.4),
        Source::Detail => (-0.9, 0.3, 0.7, 0.4, 0.0, 0.4),
        Source::List => (-1.9, 0.3, 0.7, 0.4, 0.8, 0.6),
        Source::Table => (-0.4, 0.0, 0.8, 0.3, 0.4, 0.4),
        Source::Month => (-0.2, 0.0, 0.8, 0.3, 0.9, 0.4),
        Source::Lines => (-1.3, 0.3, 0.8, 0.2, 0.0, 0.3),
        Source::Series => (0.0, 0.0, 0.2, 0.0, 0.0, 0.0),
        Source::Choices => (0.0, 0.0, 0.0, 0.0, 0.0, 0.0),
    };
    Weights {
        base,
        signs,
        timed,
        placed,
        linked,
        named,
    }
}

impl Evidence {
    /// Returns the features of the weights, without the constant.
    fn features(&self) -> [f64; 5] {
        let of = |is: bool| f64::from(u8::from(is));
        [
            self.signs.clamp(0.0, MAX_SIGNS),
            of(self.is_timed),
            of(self.is_placed),
            of(self.is_linked),
            of(self.is_named),
        ]
    }
}

/// Returns the confidence for evidence, from 0 to 1.
pub(crate) fn confidence(evidence: &Evidence) -> f64 {
    let weights = weights(evidence.source);
    let by_feature = [
        weights.signs,
        weights.timed,
        weights.placed,
        weights.linked,
        weights.named,
    ];
    let features = evidence.features();
    let sum: f64 = features
        .iter()
        .zip(by_feature)
        .map(|(feature, weight)| feature * weight)
        .sum();
    let confidence = 1.0 / (1.0 + (-(weights.base + sum)).exp());
    let is_stated = matches!(evidence.source, Source::Structured | Source::Feed);
    let is_bare = !evidence.is_timed && !evidence.is_placed && !evidence.is_linked;
    match (is_stated, is_bare) {
        (true, _) => confidence,
        (false, true) => confidence.min(MAX_BARE),
        (false, false) => confidence.min(MAX_CONFIDENCE),
    }
}

#[cfg(test)]
mod tests {
    use super::{Evidence, Source, confidence};

    #[test]
    fn a_bare_name_and_day_never_outrank_structured_data() {
        let stated = confidence(&Evidence {
            source: Source::Structured,
            ..Evidence::default()
        });
        for source in [
            Source::Labelled,
            Source::Detail,
            Source::List,
            Source::Month,
            Source::Lines,
        ] {
            let bare = Evidence {
                source,
                signs: 20.0,
                is_named: true,
                ..Evidence::default()
            };
            let full = Evidence {
                is_timed: true,
                is_placed: true,
                is_linked: true,
                ..bare
            };
            assert!(confidence(&bare) < 0.7, "{source:?}");
            assert!(confidence(&bare) < confidence(&full), "{source:?}");
            assert!(
                confidence(&full) <= stated.max(super::MAX_CONFIDENCE),
                "{source:?}"
            );
        }
    }
}
