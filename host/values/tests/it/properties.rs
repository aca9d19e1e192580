//! Properties of every text: no panic, bounds, symmetry, and values that read back as themselves.

use magpie_values::date::{self, Date, DateContext, DateTime, Duration, Time};
use magpie_values::identifier::{self, Scheme};
use magpie_values::money::{self, Currency, Money, MoneyContext};
use magpie_values::name::{Address, PersonName, organisation_similarity, parse_people, place_similarity};
use magpie_values::number::{self, Decimal, parse_rating};
use magpie_values::title::{self, Title, model_numbers, quantities};
use magpie_values::{language, similarity, text};
use proptest::prelude::*;

/// Pieces that the readers know, so that random texts get deep into them.
const PIECES: &[&str] = &[
    "3",
    "5.",
    "May",
    "mai",
    "2026",
    "26",
    "-",
    "–",
    " ",
    " ",
    "\n",
    "19:30",
    "7",
    "pm",
    "Uhr",
    "h",
    "30",
    "/",
    ".",
    ",",
    ":",
    "to",
    "bis",
    "Sat",
    "Sa.",
    "thứ",
    "Bảy",
    "tháng",
    "年",
    "月",
    "日",
    "５",
    "午後",
    "時",
    "T",
    "Z",
    "+01:00",
    "(CET)",
    "UTC",
    "noon",
    "kl.",
    "de",
    "of",
    "20261120",
    "1,234",
    "€",
    "$",
    "CHF",
    "kr",
    "'",
    "½",
    "ISBN",
    "978-0-306-40615-7",
    "x",
    "X",
    "10.1000/1",
    "(",
    ")",
    "[",
    "]",
    "#4",
    "Vol.",
    "and",
    "&",
    ";",
    "Jr.",
    "von",
    "Dr.",
    "St.",
    "12345",
    "SW1A 2AA",
    "★",
    "☆",
    "%",
    "of 5",
    "free",
    "&amp;",
    "&#",
    "é",
    "ß",
    "\u{301}",
    "\u{200b}",
    "ﬁ",
    "İ",
    "Σ",
    "١٢",
    "。",
    "🎉",
    "GB",
    "pack",
    "@",
    "e",
    "a",
];

fn pieces() -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(PIECES), 0..40).prop_map(|pieces| pieces.concat())
}

fn any_text() -> impl Strategy<Value = String> {
    prop_oneof![pieces(), "\\PC{0,60}", ".{0,60}"]
}

fn any_date() -> impl Strategy<Value = Date> {
    (-719_528i64..2_932_896).prop_map(|days| Date::from_days(days).expect("the days of the years 0 to 9999"))
}

fn any_moment() -> impl Strategy<Value = DateTime> {
    let offset = prop::option::of(-900i16..900);
    let time = (0u8..24, 0u8..60, prop::option::of(0u8..60));
    (any_date(), prop::option::of((time, offset)), 0u8..3).prop_map(|(date, time, precision)| {
        match (time, precision) {
            (Some(((hour, minute, second), offset)), _) => {
                let value = DateTime::of_time(date, Time::new(hour, minute, second).expect("in range"));
                offset.map_or(value, |offset| value.with_offset(offset).expect("in range"))
            }
            (None, 0) => DateTime::of_year(date.year()).expect("the year of a date"),
            (None, 1) => DateTime::of_month(date.year(), date.month()).expect("the month of a date"),
            (None, _) => DateTime::of_day(date),
        }
    })
}

fn any_amount() -> impl Strategy<Value = Decimal> {
    (0i128..1_000_000_000_000, 0u8..6)
        .prop_map(|(mantissa, scale)| Decimal::new(mantissa, scale).expect("few digits"))
}

fn contexts() -> impl Strategy<Value = (Option<Date>, Option<&'static str>)> {
    let languages = prop::sample::select(vec![
        None,
        Some("en-US"),
        Some("en-GB"),
        Some("de"),
        Some("fr"),
        Some("vi"),
        Some("xx"),
        Some(""),
    ]);
    (prop::option::of(any_date()), languages)
}

/// Returns true if the span is within the text, between characters, and after the last one.
fn is_sound(text: &str, start: usize, end: usize, last_end: usize) -> bool {
    start >= last_end && start < end && text.get(start..end).is_some()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn dates_of_any_text((text, (today, language)) in (any_text(), contexts())) {
        let context = DateContext { today, language, ..DateContext::default() };
        let mut last = 0;
        for found in date::find_all(&text, &context) {
            prop_assert!(is_sound(&text, found.start, found.end, last), "{found:?}");
            last = found.end;
        }
        let _ = date::read_range(&text, &context).map(|(start, end)| assert!(end.is_none_or(|end| start <= end)));
        let _ = (date::parse_time(&text), date::parse_duration(&text), date::parse_iso(&text), date::parse_offset(&text));
    }

    #[test]
    fn moments_read_back(moment in any_moment()) {
        prop_assert_eq!(date::parse_iso(&moment.to_string()), Some(moment));
        prop_assert_eq!(date::parse(&moment.to_string(), &DateContext::default()), Some(moment));
        prop_assert!(moment.agrees_with(moment));
        prop_assert!(moment.end_unix(0) >= moment.to_unix(0));
    }

    #[test]
    fn written_dates_read_back(days in -135_140i64..84_006) {
        // From 1600 to 2199, the years that dates in figures may have.
        let date = Date::from_days(days).expect("a year of four digits");
        let months = ["January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"];
        let month = months[usize::from(date.month()) - 1];
        let (year, day) = (date.year(), date.day());
        let forms = [
            format!("{day} {month} {year}"),
            format!("{month} {day}, {year}"),
            format!("{:02}.{:02}.{year}", day, date.month()),
            format!("{year}年{}月{day}日", date.month()),
            format!("{year}/{:02}/{day:02}", date.month()),
        ];
        for form in forms {
            prop_assert_eq!(date::parse(&form, &DateContext::default()), Some(DateTime::of_day(date)), "{}", form);
            let sentence = format!("It was on {form} that it began.");
            let found = date::find_all(&sentence, &DateContext::default());
            prop_assert_eq!(found.len(), 1, "{}", &sentence);
            prop_assert_eq!(found[0].value.start(), Some(DateTime::of_day(date)));
        }
    }

    #[test]
    fn moments_are_ordered_as_time((one, other) in (any_moment(), any_moment())) {
        if one.to_unix(0) < other.to_unix(0) {
            prop_assert!(one < other);
        }
        prop_assert_eq!(one == other, one.cmp(&other).is_eq());
    }

    #[test]
    fn durations_read_back(seconds in 0u64..100_000_000) {
        let duration = Duration::from_seconds(seconds).expect("in range");
        prop_assert_eq!(date::parse_duration(&duration.to_string()), Some(duration));
    }

    #[test]
    fn prices_of_any_text(text in any_text()) {
        let context = MoneyContext { hint: Some(&text), ..MoneyContext::default() };
        let mut last = 0;
        for found in money::find_all(&text, &context) {
            prop_assert!(is_sound(&text, found.start, found.end, last), "{found:?}");
            last = found.end;
        }
        let _ = money::read(&text, &context);
        let _ = money::read(&text, &MoneyContext { decimal_separator: Some('€'), ..context });
    }

    #[test]
    fn money_reads_back((amount, more, code) in (any_amount(), prop::option::of(any_amount()), prop::option::of("(EUR|USD|JPY|KWD|CHF)"))) {
        let upto = more.filter(|more| *more >= amount);
        let money = Money::range(amount, upto, code.as_deref().and_then(Currency::from_code)).expect("not negative");
        prop_assert_eq!(money.to_string().parse::<Money>(), Ok(money), "{}", money);
        prop_assert!(money.agrees_with(money));
    }

    #[test]
    fn decimals_read_back((mantissa, scale) in (any::<i64>(), 0u8..20)) {
        let decimal = Decimal::new(i128::from(mantissa), scale).expect("few digits");
        prop_assert_eq!(decimal.to_string().parse::<Decimal>(), Ok(decimal));
    }

    #[test]
    fn numbers_of_any_text(text in any_text()) {
        let _ = (number::parse(&text), number::parse_count(&text), number::parse_percentage(&text));
        if let Ok(rating) = parse_rating(&text) {
            prop_assert_eq!(parse_rating(&rating.to_string()), Ok(rating));
        }
    }

    #[test]
    fn identifiers_of_any_text(text in any_text()) {
        let mut last = 0;
        for found in identifier::find_all(&text) {
            prop_assert!(is_sound(&text, found.start, found.end, last), "{found:?}");
            prop_assert_eq!(identifier::normalise(found.scheme, &found.value), Ok(found.value));
            last = found.end;
        }
        for scheme in [Scheme::Isbn, Scheme::Issn, Scheme::Ismn, Scheme::Gtin, Scheme::Mpn, Scheme::Sku, Scheme::Asin, Scheme::Doi, Scheme::Other] {
            if let Ok(normal) = identifier::normalise(scheme, &text) {
                prop_assert_eq!(identifier::key(scheme, &normal), identifier::key(scheme, &text));
            }
        }
    }

    #[test]
    fn book_numbers_survive_both_forms(digits in 0u32..1_000_000_000) {
        let thirteen = (0..10).find_map(|check| identifier::isbn13(&format!("978{digits:09}{check}")).ok()).expect("one check digit is right");
        let ten = identifier::isbn10(&thirteen).expect("978 has a short form");
        prop_assert_eq!(identifier::isbn13(&ten), Ok(thirteen));
    }

    #[test]
    fn names_of_any_text(text in any_text()) {
        if let Some(name) = PersonName::parse(&text) {
            prop_assert!((0.0..=1.0).contains(&name.similarity(&name)));
            let _ = (name.to_string(), name.sorted(), name.key());
        }
        let _ = (parse_people(&text), Address::parse(&text), language::normalise(&text));
        let _ = (Title::parse(&text), model_numbers(&text), quantities(&text), title::key(&text));
    }

    #[test]
    fn text_of_any_kind(text in any_text()) {
        let folded = text::fold(&text);
        prop_assert_eq!(text::fold(&folded), folded);
        let tidied = text::tidy(&text);
        prop_assert_eq!(text::tidy(&tidied), tidied);
        prop_assert!(text::truncate(&text, 7).len() <= 7);
        let _ = (text::slug(&text), text::unescape(&text), text::split_label(&text), text::strip_label(&text, "a"), text::shorten(&text, 9));
    }

    #[test]
    fn measures_are_bounded_and_symmetric((left, right) in (any_text(), any_text())) {
        type Measure = fn(&str, &str) -> f64;
        let measures: [(&str, Measure); 10] = [
            ("levenshtein", similarity::levenshtein),
            ("damerau", similarity::damerau_similarity),
            ("jaro", similarity::jaro),
            ("jaro_winkler", similarity::jaro_winkler),
            ("token_set", similarity::token_set),
            ("soft_tokens", similarity::soft_tokens),
            ("words_alike", similarity::words_alike),
            ("organisation", organisation_similarity),
            ("place", place_similarity),
            ("title", title::similarity),
        ];
        for (name, measure) in measures {
            let score = measure(&left, &right);
            prop_assert!((0.0..=1.0 + 1e-9).contains(&score), "{name}: {score}");
            prop_assert!((score - measure(&right, &left)).abs() < 1e-9, "{name} is not symmetric");
            prop_assert!(measure(&left, &left) > 1.0 - 1e-9, "{name} of itself: {}", measure(&left, &left));
        }
    }
}
