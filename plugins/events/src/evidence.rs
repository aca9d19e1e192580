//! Confidence: the one place where evidence becomes a number.
//!
//! Readers say where an event was found and how much spoke for it. [`confidence`] weighs that with
//! the table in [`weights`]: each weight is one of a logistic regression over
//! [`Evidence::features`], so that it can be fitted to pages with known events. What comes out is
//! the score that `calibration.txt` turns into a share.

/// The reader that found an event.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Source {
    /// Structured data: JSON-LD, microdata, RDFa, microformats.
    Structured,
    /// A calendar as a file or as JSON.
    Feed,
    /// A detail page whose labels say when or where.
    Labelled,
    /// Another detail page.
    Detail,
    /// A record of a list.
    #[default]
    List,
    /// A table with rooms or boards side by side.
    Table,
    /// A cell of a month grid.
    Month,
    /// Plain lines.
    Lines,
    /// Counted out from a rule: `every second Tuesday`.
    Series,
    /// A day offered in a form.
    Choices,
}

/// Facts about one event that its confidence follows from.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Evidence {
    pub(crate) source: Source,
    /// The sum of signs of its page, list and record, where the reader counted them.
    pub(crate) signs: f64,
    /// It says at which hour it begins.
    pub(crate) is_timed: bool,
    /// It has a venue or an address.
    pub(crate) is_placed: bool,
    /// Its name leads to a page of its own.
    pub(crate) is_linked: bool,
    /// Its list names each record differently.
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

/// No event that was read from text is surer than this.
const MAX_CONFIDENCE: f64 = 0.97;

/// No event of which only the name and the day are known is surer than this: structured data says
/// more.
const MAX_BARE: f64 = 0.6;

/// The signs beyond which more of them say nothing new.
const MAX_SIGNS: f64 = 6.0;

/// The table of weights for each source.
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
    /// Returns the features that the weights belong to, without the constant.
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

/// Returns the confidence that evidence comes to, from 0 to 1.
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
