//! The order in which a page writes days and months.

use magpie_sdk::date::{self, DayMonthOrder};
use magpie_sdk::extract::Layout;

/// The order in which a page writes days and months: by its dates in figures; where its language
/// names no country, by the country of its address, and where it names none, by its dates in words.
pub(super) fn order(layout: &Layout<'_>) -> DayMonthOrder {
    let text = layout.outline().root().text();
    let language = layout.page().language();
    let by_country = || match country(layout.page().url()) {
        "us" | "gov" | "mil" | "edu" => DayMonthOrder::MonthFirst,
        "uk" | "au" | "nz" | "ie" | "in" | "za" => DayMonthOrder::DayFirst,
        _ => DayMonthOrder::Guess,
    };
    let steps: [&dyn Fn() -> DayMonthOrder; 3] = [
        &|| date::order_in_figures(text),
        &|| match &language {
            Some(tag) if tag.contains('-') || !tag.starts_with("en") => DayMonthOrder::Guess,
            _ => by_country(),
        },
        &|| match &language {
            Some(_) => DayMonthOrder::Guess,
            None => date::order_in_words(text),
        },
    ];
    let known = steps.iter().map(|step| step());
    known
        .into_iter()
        .find(|order| *order != DayMonthOrder::Guess)
        .unwrap_or_default()
}

/// The last part of the host of an address.
fn country(url: &str) -> &str {
    let host = url.split('/').nth(2).unwrap_or_default();
    let host = host.split(':').next().unwrap_or_default();
    host.rsplit('.').next().unwrap_or_default()
}
