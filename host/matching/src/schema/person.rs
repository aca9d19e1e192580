//! People's names: initials, swapped parts, middle names.

use magpie_values::name::PersonName;
use magpie_values::similarity;
use magpie_values::text;

use super::evidence::{Evidence, Finding, OTHER_PERSON};
use super::statistics::Statistics;

/// The words of a name in the order they are spoken: `Shelley, Mary W.` as `mary w shelley`.
pub(super) fn form(written: &str) -> String {
    let spoken = PersonName::parse(written).map_or_else(|| written.to_owned(), |name| name.to_string());
    text::tokens(&spoken).join(" ")
}

/// The family name of a name in that form.
pub(super) fn family(name: &str) -> &str {
    name.rsplit(' ').next().unwrap_or(name)
}

pub(super) fn evidence(statistics: &Statistics, place: usize, one: &str, two: &str) -> Evidence {
    if one == two {
        return Evidence::new(
            statistics.value(place, one).min(statistics.surprise()),
            Finding::Same,
        );
    }
    let alike = similarity::soft_tokens(one, two);
    let rarity = statistics
        .word(place, family(one))
        .min(statistics.word(place, family(two)));
    // Given names are shortened and swapped; the family name is what must agree.
    let family_alike = similarity::tokens_match(family(one), family(two)) >= 0.9;
    if alike >= 0.75 && family_alike {
        Evidence::new((0.9 * rarity).min(statistics.surprise()), Finding::Alike)
    } else if alike >= 0.6 {
        Evidence::new(0.4 * rarity, Finding::Alike)
    } else if alike >= 0.4 {
        Evidence::NONE
    } else {
        Evidence::new(-OTHER_PERSON * statistics.surprise(), Finding::Differ)
    }
}
