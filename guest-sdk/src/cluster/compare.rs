//! Probability that two objects are the same, from the similarity of their attributes.

use std::borrow::Cow;

use magpie_values::kind::{self, Comparison};

use super::Values;
use super::similarity::similarity;
use crate::bindings::clusters::Verdict;
use crate::record::{Attribute, Record};

/// Prior evidence of a pair that is only known to share a key: such pairs are more often different.
///
/// Evidence is measured in natural log odds: 0 is as likely as not, 1 about three to one.
const PRIOR: f64 = -1.5;

/// Evidence of an identifying attribute that only one of the two objects has.
const MISSING: f64 = -0.7;

/// Maximum of the evidence if an identifying attribute clearly differs: about one in six.
const CONTRADICTED: f64 = -1.6;

/// Maximum of the absolute evidence, for or against: about 99 in a hundred.
const MAX_EVIDENCE: f64 = 5.0;

/// Estimates the probability that two objects are the same, by the schema alone.
pub fn compare<R: Record>(one: &R, other: &R) -> Verdict {
    let (one, other) = (Values::of(one), Values::of(other));
    let mut sum = Sum {
        evidence: PRIOR,
        contradicted: false,
        reasons: Vec::new(),
    };
    // Names take a hundred times longer to compare than numbers and times. They come last, and are
    // left out if those contradict already.
    for names in [false, true] {
        for (index, attribute) in R::SCHEMA.iter().enumerate() {
            let meaning = kind::comparison(attribute.kind);
            if attribute.weight > 0.0 && meaning.is_of_names() == names && !(names && sum.contradicted) {
                sum.add(attribute, meaning, one.all(index), other.all(index));
            }
        }
    }
    if sum.contradicted {
        // Agreement in other attributes must not outweigh a contradiction.
        sum.evidence = sum.evidence.min(CONTRADICTED);
    }
    Verdict {
        probability: probability(sum.evidence),
        reasons: sum.reasons,
    }
}

struct Sum {
    evidence: f64,
    contradicted: bool,
    reasons: Vec<String>,
}

impl Sum {
    fn add(
        &mut self,
        attribute: &Attribute,
        meaning: Comparison<'_>,
        left: &[Cow<'_, str>],
        right: &[Cow<'_, str>],
    ) {
        if let Some(similarity) = similarity(meaning, left, right) {
            let scale = Scale::of(meaning, attribute.identifies);
            self.evidence += attribute.weight * scale.evidence(similarity);
            self.contradicted |= attribute.identifies && similarity < scale.contradiction;
            self.reasons.extend(reason(attribute, &scale, similarity));
        // An attribute that both lack is no evidence.
        } else if attribute.identifies && left.is_empty() != right.is_empty() {
            self.evidence += attribute.weight * MISSING;
        }
    }
}

/// Conversion of an attribute's similarity to evidence.
struct Scale {
    /// Similarity that is evidence neither for nor against.
    neutral: f64,
    /// Evidence if the values are equal.
    equal: f64,
    /// Evidence if the values have nothing in common.
    unlike: f64,
    /// Threshold below which an identifying attribute contradicts that the objects are the same.
    contradiction: f64,
}

impl Scale {
    fn of(meaning: Comparison<'_>, identifies: bool) -> Self {
        let (neutral, equal, unlike, contradiction) = match (meaning, identifies) {
            (Comparison::Identifier(_), true) => (0.5, 7.0, -3.0, 0.5),
            (Comparison::Identifier(_), false) => (0.5, 3.0, -0.5, 0.0),
            (Comparison::Time, true) => (0.4, 2.5, -4.0, 0.4),
            (Comparison::Time, false) => (0.4, 1.0, -1.0, 0.0),
            (Comparison::Money | Comparison::Number, true) => (0.9, 1.0, -3.0, 0.5),
            (Comparison::Money | Comparison::Number, false) => (0.8, 0.6, -0.3, 0.0),
            (Comparison::Address, _) => (0.5, 5.0, 0.0, 0.0),
            (Comparison::Equality | Comparison::Properties | Comparison::Nothing, true) => {
                (0.5, 0.7, -3.0, 0.5)
            }
            (Comparison::Equality | Comparison::Properties | Comparison::Nothing, false) => {
                (0.5, 0.2, -0.3, 0.0)
            }
            (_, true) => (0.6, 2.5, -4.0, 0.35),
            (_, false) => (0.5, 1.0, -0.5, 0.0),
        };
        Self {
            neutral,
            equal,
            unlike,
            contradiction,
        }
    }

    fn evidence(&self, similarity: f64) -> f64 {
        if similarity >= self.neutral {
            self.equal * (similarity - self.neutral) / (1.0 - self.neutral)
        } else {
            self.unlike * (self.neutral - similarity) / self.neutral
        }
    }
}

/// Reason to report: for an identifying attribute, or for values that are nearly equal.
fn reason(attribute: &Attribute, scale: &Scale, similarity: f64) -> Option<String> {
    let label = attribute.label.to_lowercase();
    if similarity > 0.995 {
        return Some(format!("same {label}"));
    }
    if !attribute.identifies {
        return None;
    }
    Some(if similarity >= scale.neutral {
        format!("{label} alike ({} %)", (similarity * 100.0) as u8)
    } else {
        format!("{label} differs")
    })
}

fn probability(evidence: f64) -> f64 {
    1.0 / (1.0 + (-evidence.clamp(-MAX_EVIDENCE, MAX_EVIDENCE)).exp())
}
