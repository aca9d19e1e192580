//! From likeness to probability.

use std::borrow::Cow;

use super::alike::alike;
use super::{Meaning, Values};
use crate::bindings::clusters::Verdict;
use crate::record::{Attribute, Record};

/// Evidence is counted in natural log odds: 0 is as likely as not, 1 about three to one.
///
/// Two objects of which nothing is known but that they share a key are more often different.
const PRIOR: f64 = -1.5;

/// What an identifying attribute costs that only one of the two has.
const MISSING: f64 = -0.7;

/// What the evidence comes to at most when something that identifies clearly differs: about one in six.
const CONTRADICTED: f64 = -1.6;

/// Nothing is surer than this, for or against: about 99 in a hundred.
const SUREST: f64 = 5.0;

/// How likely it is that two objects are the same, by the schema alone.
///
/// Numbers and times are compared before names, which take a hundred times longer; when those
/// already contradict, names are not looked at.
pub fn compare<R: Record>(one: &R, other: &R) -> Verdict {
    let (one, other) = (Values::of(one), Values::of(other));
    let mut sum = Sum {
        evidence: PRIOR,
        contradicted: false,
        reasons: Vec::new(),
    };
    for names in [false, true] {
        for (place, attribute) in R::SCHEMA.iter().enumerate() {
            let meaning = Meaning::of(attribute.kind);
            if attribute.weight > 0.0 && meaning.is_name() == names && !(names && sum.contradicted) {
                sum.add(attribute, meaning, one.all(place), other.all(place));
            }
        }
    }
    if sum.contradicted {
        sum.evidence = sum.evidence.min(CONTRADICTED);
    }
    Verdict {
        probability: probability(sum.evidence),
        reasons: sum.reasons,
    }
}

/// The evidence so far.
struct Sum {
    evidence: f64,
    contradicted: bool,
    reasons: Vec<String>,
}

impl Sum {
    fn add(
        &mut self,
        attribute: &Attribute,
        meaning: Meaning<'_>,
        left: &[Cow<'_, str>],
        right: &[Cow<'_, str>],
    ) {
        if let Some(alike) = alike(meaning, left, right) {
            let scale = Scale::of(meaning, attribute.identifies);
            self.evidence += attribute.weight * scale.evidence(alike);
            self.contradicted |= attribute.identifies && alike < scale.contradiction;
            self.reasons.extend(reason(attribute, &scale, alike));
        } else if attribute.identifies && left.is_empty() != right.is_empty() {
            self.evidence += attribute.weight * MISSING;
        }
    }
}

/// What the likeness of one attribute is worth.
struct Scale {
    /// The likeness that says nothing.
    neutral: f64,
    /// Evidence of being the same.
    equal: f64,
    /// Evidence of having nothing in common.
    unlike: f64,
    /// Below this the two differ, as far as an attribute that identifies is concerned.
    contradiction: f64,
}

impl Scale {
    fn of(meaning: Meaning<'_>, identifies: bool) -> Self {
        let (neutral, equal, unlike, contradiction) = match (meaning, identifies) {
            (Meaning::Identifier(_), true) => (0.5, 7.0, -3.0, 0.5),
            (Meaning::Identifier(_), false) => (0.5, 3.0, -0.5, 0.0),
            (Meaning::Time, true) => (0.4, 2.5, -4.0, 0.4),
            (Meaning::Time, false) => (0.4, 1.0, -1.0, 0.0),
            (Meaning::Money | Meaning::Number, true) => (0.9, 1.0, -3.0, 0.5),
            (Meaning::Money | Meaning::Number, false) => (0.8, 0.6, -0.3, 0.0),
            (Meaning::Address, _) => (0.5, 5.0, 0.0, 0.0),
            (Meaning::Plain | Meaning::Nothing, true) => (0.5, 0.7, -3.0, 0.5),
            (Meaning::Plain | Meaning::Nothing, false) => (0.5, 0.2, -0.3, 0.0),
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

    fn evidence(&self, alike: f64) -> f64 {
        if alike >= self.neutral {
            self.equal * (alike - self.neutral) / (1.0 - self.neutral)
        } else {
            self.unlike * (self.neutral - alike) / self.neutral
        }
    }
}

/// A reason worth telling: of something that identifies, or that is quite the same.
fn reason(attribute: &Attribute, scale: &Scale, alike: f64) -> Option<String> {
    let label = attribute.label.to_lowercase();
    if alike > 0.995 {
        return Some(format!("same {label}"));
    }
    if !attribute.identifies {
        return None;
    }
    Some(if alike >= scale.neutral {
        format!("{label} alike ({} %)", (alike * 100.0) as u8)
    } else {
        format!("{label} differs")
    })
}

fn probability(evidence: f64) -> f64 {
    1.0 / (1.0 + (-evidence.clamp(-SUREST, SUREST)).exp())
}
