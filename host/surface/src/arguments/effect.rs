//! The effect of an argument on the objects of a result page.

use serde::{Deserialize, Serialize};

use crate::outcome::Outcome;
use crate::sets;

/// The difference between a result page and the same page with one argument more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Effect {
    /// Same objects on an equal page.
    Nothing,
    /// Same results in another look or order.
    Rearranged,
    /// Fewer of the results.
    Narrowed,
    /// Results that the plain page lacks.
    Widened,
    /// Other results of the same query and number.
    Turned,
    /// Other results, while their number is unknown.
    Exchanged,
    Emptied,
}

/// Compares a page with the plain page.
pub(super) fn effect(plain: &Outcome, page: &Outcome) -> Effect {
    let both = sets::intersection(&plain.objects, &page.objects).len();
    let (plain_len, len) = (plain.objects.len(), page.objects.len());
    if page.is_empty || len == 0 {
        return Effect::Emptied;
    }
    match (plain.total(), page.total()) {
        // A page that states no number and shows the last results of many is not a smaller result.
        (Some(before), Some(now))
            if page.reported_count.is_some() || (plain.is_complete() && both == len) =>
        {
            if now < before {
                return Effect::Narrowed;
            }
            if now > before {
                return Effect::Widened;
            }
        }
        _ => {}
    }
    if both == len && both == plain_len {
        return match plain.page_signature == page.page_signature {
            true => Effect::Nothing,
            false => Effect::Rearranged,
        };
    }
    // The plain page shows all its results, so other objects can only be further ones.
    if plain.is_complete() {
        return Effect::Widened;
    }
    let is_same_count = plain.reported_count.is_some() && plain.reported_count == page.reported_count;
    match (is_same_count, both) {
        (true, 0) => Effect::Turned,
        (true, _) => Effect::Rearranged,
        // A larger page size.
        (false, _) if both == plain_len => Effect::Rearranged,
        (false, _) if both == len && page.is_complete() => Effect::Narrowed,
        (false, _) => Effect::Exchanged,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(objects: &[u64], count: Option<u64>, has_next: bool) -> Outcome {
        Outcome {
            reported_count: count,
            has_next,
            ..Outcome::new(objects.iter().copied())
        }
    }

    #[test]
    fn effects_by_hand() {
        let few = page(&[1, 2, 3], None, false);
        let many = page(&[1, 2, 3], Some(9), true);
        let unknown = page(&[1, 2, 3], None, true);
        for (plain, other, expected) in [
            (&few, few.clone(), Effect::Nothing),
            (
                &few,
                Outcome {
                    page_signature: 7,
                    ..few.clone()
                },
                Effect::Rearranged,
            ),
            (&few, page(&[1, 3], None, false), Effect::Narrowed),
            (&few, page(&[1, 2, 3, 4], None, false), Effect::Widened),
            (&few, page(&[], None, false), Effect::Emptied),
            (&many, page(&[4, 5, 6], Some(9), true), Effect::Turned),
            (&many, page(&[1, 5, 6], Some(9), true), Effect::Rearranged),
            (&many, page(&[4, 5, 6], Some(5), true), Effect::Narrowed),
            (&many, page(&[4, 5, 6], Some(12), true), Effect::Widened),
            (&unknown, page(&[4, 5, 6], None, true), Effect::Exchanged),
            (&unknown, page(&[1, 3], None, false), Effect::Narrowed),
            (&unknown, page(&[1, 2, 3, 4], None, true), Effect::Rearranged),
        ] {
            assert_eq!(effect(plain, &other), expected, "{other:?}");
        }
    }
}
