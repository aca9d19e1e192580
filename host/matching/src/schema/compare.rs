//! The evidence of all attributes, summed up.

use magpie_model::Kind;
use magpie_values::identifier::Scheme;

use magpie_model::Verdict;

use super::evidence::{self, Evidence, Finding, Naming};
use super::features::Features;
use super::person;
use super::plan::{Form, Plan, Planned};
use super::statistics::Statistics;

/// Share of the disagreement that counts for attributes that do not identify: they may differ for
/// many reasons.
const LOOSE_AGAINST: f64 = 0.25;
/// Share of the agreement that counts for the same attributes.
const LOOSE_FOR: f64 = 0.5;
/// Maximum evidence for one object from all attributes that do not identify.
const MAX_LOOSE: f64 = 4.0;
/// Maximum evidence against one object from the same attributes.
const MAX_LOOSE_AGAINST: f64 = 1.5;
/// Without an agreement that can carry a link (a name, an identifier), this is the most.
const MAX_UNCARRIED: f64 = 0.3;
/// Nothing is surer than this, as nothing read from a page is.
const SUREST: f64 = 0.999;
/// Twins one object is expected to have: what an index of many sites has, roughly.
const EXPECTED_TWINS: f64 = 2.0;
/// Reasons given, the weightiest.
const MAX_REASONS: usize = 5;

/// Probability that the objects are one, with the reasons.
pub(super) fn compare(
    plan: &Plan,
    statistics: &Statistics,
    one: &Features<'_>,
    two: &Features<'_>,
) -> Verdict {
    let mut sum = EXPECTED_TWINS.ln() - statistics.surprise();
    let (mut loose, mut carried) = (0.0, false);
    let mut reasons: Vec<(f64, String)> = Vec::new();
    for (place, planned) in plan.enumerate() {
        let (left, right) = (one.values(place), two.values(place));
        if left.is_empty() || right.is_empty() {
            continue;
        }
        let evidence = attribute(statistics, place, planned, left, right);
        let weight = weighed(planned, evidence.weight);
        carried |= planned.carries && matches!(evidence.finding, Finding::Same | Finding::Alike);
        if planned.identifies {
            sum += weight;
        } else {
            loose += weight;
        }
        if let Some(reason) = reason(planned, evidence.finding) {
            reasons.push((weight.abs(), reason));
        }
    }
    sum += loose.clamp(-MAX_LOOSE_AGAINST, MAX_LOOSE);
    let probability = (1.0 / (1.0 + (-sum).exp())).clamp(1.0 - SUREST, SUREST);
    reasons.sort_by(|one, two| two.0.total_cmp(&one.0));
    let mut reasons: Vec<String> = reasons
        .into_iter()
        .take(MAX_REASONS)
        .map(|(_, reason)| reason)
        .collect();
    if !carried && probability > MAX_UNCARRIED {
        reasons.push("no name or identifier in common".to_owned());
    }
    Verdict {
        probability: if carried {
            probability
        } else {
            probability.min(MAX_UNCARRIED)
        },
        reasons,
    }
}

/// Evidence of an attribute: the best of its values, since sites list different ones.
fn attribute(
    statistics: &Statistics,
    place: usize,
    planned: &Planned,
    one: &[&str],
    two: &[&str],
) -> Evidence {
    if planned.form == Form::Properties {
        return evidence::properties(one, two);
    }
    let pairs = one
        .iter()
        .flat_map(|left| two.iter().map(move |right| (*left, *right)));
    let all = pairs.map(|(left, right)| value(statistics, place, planned, left, right));
    all.max_by(|one, two| one.weight.total_cmp(&two.weight))
        .unwrap_or(Evidence::NONE)
}

fn value(statistics: &Statistics, place: usize, planned: &Planned, one: &str, two: &str) -> Evidence {
    // The order of the two must not show, not even in the last digit.
    let (one, two) = if one <= two { (one, two) } else { (two, one) };
    let prose = planned.kind == Kind::Text && !planned.carries && !planned.identifies;
    match planned.form {
        Form::Words if prose => evidence::prose(statistics, place, one, two),
        Form::Words => evidence::words(statistics, place, one, two),
        Form::Person => person::evidence(statistics, place, one, two),
        Form::Place => evidence::place(statistics, place, one, two),
        Form::Distance => evidence::coordinates(one, two),
        Form::Time => evidence::time(statistics, place, one, two),
        Form::Money => evidence::money(one, two),
        Form::Number => evidence::number(statistics, place, one, two),
        Form::Exact => evidence::exact(statistics, place, one, two, naming(planned)),
        Form::Shared => evidence::shared(statistics, place, one, two, naming(planned)),
        Form::Properties | Form::Ignored => Evidence::NONE,
    }
}

fn naming(planned: &Planned) -> Naming {
    match &planned.kind {
        Kind::Identifier(scheme) => match Scheme::parse(scheme) {
            Scheme::Other | Scheme::Sku => Naming::Own,
            _ => Naming::Public,
        },
        Kind::Url if planned.identifies => Naming::Public,
        _ => Naming::None,
    }
}

fn weighed(planned: &Planned, evidence: f64) -> f64 {
    let counted = match (planned.identifies, evidence < 0.0) {
        (true, _) => 1.0,
        (false, true) => LOOSE_AGAINST,
        (false, false) => LOOSE_FOR,
    };
    planned.weight * counted * evidence
}

fn reason(planned: &Planned, finding: Finding) -> Option<String> {
    let name = &planned.name;
    match finding {
        Finding::Same => Some(format!("same {name}")),
        Finding::Alike => Some(format!("{name} alike")),
        Finding::Differ => Some(format!("{name} differs")),
        Finding::Unclear => None,
    }
}
