//! Finds the order of day and month in numeric dates of a page.

use std::cmp::Ordering;

use magpie_sdk::date::{self, DateContext, DayMonthOrder};
use magpie_sdk::extract::Layout;

use super::Stated;

/// Maximum number of dates to compare with their machine-readable values.
const MAX_STATED: usize = 20;

/// Returns the order of day and month of a page: from its numeric dates, then from their
/// machine-readable values. If its language names no country, the country of its URL decides, and
/// after that its dates in words.
pub(super) fn order(layout: &Layout<'_>, stated: &Stated) -> DayMonthOrder {
    let text = layout.outline().root().text();
    let language = layout.page().language();
    let by_country = || match country(layout.page().url()) {
        "us" | "gov" | "mil" | "edu" => DayMonthOrder::MonthFirst,
        "uk" | "au" | "nz" | "ie" | "in" | "za" => DayMonthOrder::DayFirst,
        _ => DayMonthOrder::Guess,
    };
    let steps: [&dyn Fn() -> DayMonthOrder; 4] = [
        &|| date::order_in_figures(text),
        &|| order_as_stated(layout, stated),
        &|| match &language {
            Some(tag) if tag.contains('-') || !tag.starts_with("en") => DayMonthOrder::Guess,
            _ => by_country(),
        },
        &|| match &language {
            Some(_) => DayMonthOrder::Guess,
            None => date::order_in_words(text),
        },
    ];
    // Most steps read the whole page, so they end with the first that knows the order.
    let known = steps.iter().map(|step| step());
    known
        .into_iter()
        .find(|order| *order != DayMonthOrder::Guess)
        .unwrap_or_default()
}

/// Returns the order in which visible dates show their machine-readable values: `12/03/2027` in
/// `<time datetime="2027-03-12">` has the day first.
fn order_as_stated(layout: &Layout<'_>, stated: &Stated) -> DayMonthOrder {
    let outline = layout.outline();
    let (mut day, mut month) = (0, 0);
    for (node, text) in stated.texts().take(MAX_STATED) {
        let Some((stated, shown)) = date::parse_iso(text).zip(outline.node(node)) else {
            continue;
        };
        let shows_it = |order| {
            let context = DateContext {
                order,
                ..layout.page().date_context()
            };
            date::parse(shown.text(), &context).is_some_and(|shown| shown.same_day(stated))
        };
        match [DayMonthOrder::DayFirst, DayMonthOrder::MonthFirst].map(shows_it) {
            [true, false] => day += 1,
            [false, true] => month += 1,
            _ => {}
        }
    }
    match day.cmp(&month) {
        Ordering::Greater => DayMonthOrder::DayFirst,
        Ordering::Less => DayMonthOrder::MonthFirst,
        Ordering::Equal => DayMonthOrder::Guess,
    }
}

/// Returns the last label of the host of a URL.
fn country(url: &str) -> &str {
    let host = url.split('/').nth(2).unwrap_or_default();
    let host = host.split(':').next().unwrap_or_default();
    host.rsplit('.').next().unwrap_or_default()
}
