//! Values in running text: dates, prices, numbers, identifiers, names.

use magpie_values::date::{self, Date, DateContext};
use magpie_values::identifier::{self, Scheme};
use magpie_values::money::{self, Money, MoneyContext};
use magpie_values::{language, number, text};

/// Checks that found values are in the text, in order and without overlap, and that normal forms
/// are idempotent and survive a round trip.
pub fn check(data: &[u8]) {
    let written = crate::text(data);
    dates(&written);
    prices(&written);
    identifiers(&written);
    texts(&written);
    let _ = (
        number::parse_count(&written),
        number::parse_percentage(&written),
        language::normalise(&written),
    );
    if let Ok(decimal) = number::parse(&written) {
        assert_eq!(decimal.to_string().parse(), Ok(decimal));
    }
}

fn dates(written: &str) {
    let context = DateContext {
        today: Date::new(2026, 4, 1),
        ..DateContext::default()
    };
    let found = date::find_all(written, &context);
    assert_ranges(written, found.iter().map(|found| (found.start, found.end)));
    for moment in found.iter().filter_map(|found| found.value.start()) {
        assert_eq!(date::parse_iso(&moment.to_string()), Some(moment));
    }
    if let Ok((start, end)) = date::read_range(written, &context) {
        assert!(end.is_none_or(|end| start <= end));
    }
    let _ = (date::parse_time(written), date::parse_offset(written));
    if let Some(duration) = date::parse_duration(written) {
        assert_eq!(date::parse_duration(&duration.to_string()), Some(duration));
    }
}

fn prices(written: &str) {
    let context = MoneyContext::default();
    let found = money::find_all(written, &context);
    assert_ranges(written, found.iter().map(|found| (found.start, found.end)));
    let amounts = found.iter().map(|found| found.money);
    for money in amounts.chain(money::parse(written, &context)) {
        assert_eq!(money.to_string().parse::<Money>(), Ok(money));
    }
}

fn identifiers(written: &str) {
    let found = identifier::find_all(written);
    assert_ranges(written, found.iter().map(|found| (found.start, found.end)));
    let schemes = [
        Scheme::Isbn,
        Scheme::Issn,
        Scheme::Ismn,
        Scheme::Gtin,
        Scheme::Mpn,
        Scheme::Sku,
        Scheme::Asin,
        Scheme::Doi,
        Scheme::Other,
    ];
    for scheme in schemes {
        if let Ok(normal) = identifier::normalise(scheme, written) {
            assert_eq!(
                identifier::normalise(scheme, &normal).as_ref(),
                Ok(&normal),
                "{scheme:?}"
            );
        }
    }
}

fn texts(written: &str) {
    let tidy = text::tidy(written);
    assert_eq!(text::tidy(&tidy), tidy);
    let slug = text::slug(written);
    assert_eq!(text::slug(&slug), slug);
    assert!(text::truncate(written, 10).len() <= 10);
    let _ = (text::unescape(written), text::fold(written), text::bare(written));
}

/// Checks that ranges are in the text, in order and without overlap.
fn assert_ranges(written: &str, ranges: impl Iterator<Item = (usize, usize)>) {
    let mut last = 0;
    for (start, end) in ranges {
        assert!(last <= start && start < end, "{start} to {end} behind {last}");
        assert!(
            written.get(start..end).is_some(),
            "{start} to {end} of {written:?}"
        );
        last = end;
    }
}
