//! The judgement of a page by a plugin.

use magpie_values::text;
use schemars::JsonSchema;
use serde::Serialize;

/// Maximum number of bytes of a reason; more would not fit a line.
const MAX_REASON_LEN: usize = 300;

/// The judgement of a page by a plugin: relevant or not.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Judgement {
    /// True if the page is relevant.
    pub accepted: bool,
    /// Probability that `accepted` is right.
    pub confidence: f64,
    /// Reason for a person, tidied and shortened.
    pub reason: String,
}

impl Judgement {
    /// A judgement as a plugin gave it. Returns `None` unless the confidence is from 0 to 1.
    pub fn new(accepted: bool, confidence: f64, reason: &str) -> Option<Judgement> {
        // The range excludes NaN as well.
        (0.0..=1.0).contains(&confidence).then(|| Judgement {
            accepted,
            confidence,
            reason: text::shorten(&text::tidy(reason), MAX_REASON_LEN),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn judgements_are_bounded() {
        for wrong in [f64::NAN, -0.1, 1.1, f64::INFINITY] {
            assert_eq!(Judgement::new(true, wrong, ""), None);
        }
        let long = Judgement::new(true, 1.0, &"long \n words ".repeat(100)).unwrap();
        assert!(
            long.reason.len() <= MAX_REASON_LEN + "…".len() && long.reason.starts_with("long words long")
        );
    }
}
