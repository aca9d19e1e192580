//! Readers against real strings from the web, where the data lies beside the repository.
#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "tests say what they reached, and broken data is a failure"
)]

use std::path::Path;

use magpie_values::date::{self, DateContext};
use magpie_values::identifier::{self, Scheme};
use magpie_values::money::{self, MoneyContext};
use magpie_values::number::Decimal;
use serde_json::Value;

fn json(path: &Path) -> Value {
    let text = std::fs::read_to_string(path).unwrap();
    serde_json::from_str(&text).unwrap()
}

fn report(name: &str, right: usize, all: usize, floor: f64) {
    let share = right as f64 / all as f64;
    println!("{name}: {right} of {all} right ({:.1} %)", share * 100.0);
    assert!(share >= floor, "{name}: {share:.3} is below {floor}");
}

/// Returns true if amount and sign are as expected.
fn is_price_right(case: &Value) -> bool {
    let context = MoneyContext {
        hint: case["currency_hint"].as_str(),
        language: None,
        decimal_separator: case["decimal_separator"]
            .as_str()
            .and_then(|text| text.chars().next()),
    };
    let expected = &case["expected"];
    let reading = money::read(case["price"].as_str().unwrap_or(""), &context).ok();
    let amount = reading.as_ref().map(|reading| reading.money.amount());
    let sign = match &reading {
        Some(reading) => reading.sign.clone(),
        None => sign_without_amount(case),
    };
    let expected_amount = expected["amount"]
        .as_str()
        .map(|amount| amount.parse::<Decimal>().unwrap());
    let names_no_currency = expected.get("currency").is_none();
    let right =
        amount == expected_amount && (names_no_currency || sign.as_deref() == expected["currency"].as_str());
    if !right && std::env::var_os("SHOW_MISSES").is_some() {
        println!(
            "miss: {:?} hint {:?}: {amount:?} {sign:?}, expected {expected}",
            case["price"], case["currency_hint"]
        );
    }
    right
}

fn sign_without_amount(case: &Value) -> Option<String> {
    let context = MoneyContext::default();
    let texts = [case["price"].as_str(), case["currency_hint"].as_str()];
    let sign = texts
        .into_iter()
        .flatten()
        .find_map(|text| money::find_currency(text, &context));
    sign.map(|(sign, _)| sign.to_owned())
}

#[test]
fn prices() {
    let Some(folder) = magpie_test_support::data::find("products-parsers") else {
        return;
    };
    let cases = json(&folder.join("prices.json"));
    let (known_misses, cases): (Vec<&Value>, Vec<&Value>) = cases
        .as_array()
        .unwrap()
        .iter()
        .partition(|case| case["group"].as_str().unwrap_or("").contains("xfail"));
    let count = |cases: &[&Value]| cases.iter().filter(|case| is_price_right(case)).count();
    report("prices", count(&cases), cases.len(), 0.98);
    report(
        "prices that the data's own parser misses",
        count(&known_misses),
        known_misses.len(),
        0.4,
    );
}

#[test]
fn trade_numbers() {
    let Some(folder) = magpie_test_support::data::find("products-parsers") else {
        return;
    };
    let tables = json(&folder.join("small-tables.json"));
    let cases = tables["gtin_classification"].as_array().unwrap();
    let right = cases.iter().filter(|case| {
        let text = case["value"].as_str().unwrap();
        let scheme = match case["expected"].as_str() {
            Some("isbn10" | "isbn13") => Scheme::Isbn,
            Some("issn") => Scheme::Issn,
            Some("ismn") => Scheme::Ismn,
            Some(_) => Scheme::Gtin,
            None => {
                return [Scheme::Isbn, Scheme::Issn, Scheme::Gtin]
                    .iter()
                    .all(|scheme| identifier::normalise(*scheme, text).is_err());
            }
        };
        identifier::normalise(scheme, text).is_ok()
    });
    report("trade numbers", right.count(), cases.len(), 0.95);
}

/// The text of a page, roughly: tags become line breaks, scripts vanish, entities are decoded.
fn page_text(html: &str) -> String {
    let mut text = String::new();
    let mut rest = html;
    while let Some(open) = rest.find('<') {
        text.push_str(&rest[..open]);
        rest = &rest[open..];
        let begins = |tag: &str| {
            rest.as_bytes()[1..]
                .get(..tag.len())
                .is_some_and(|head| head.eq_ignore_ascii_case(tag.as_bytes()))
        };
        let skipped = ["script", "style"].iter().find(|tag| begins(tag));
        let end = match skipped {
            Some(tag) => rest.find(&format!("</{tag}")).map_or(rest.len(), |at| at + 2),
            None => rest.find('>').map_or(rest.len(), |at| at + 1),
        };
        let inline = ["b>", "i>", "em>", "strong>", "span", "sup", "a ", "font", "u>"];
        let name = rest[1..].trim_start_matches('/');
        text.push(if inline.iter().any(|tag| name.starts_with(tag)) {
            ' '
        } else {
            '\n'
        });
        rest = &rest[end.min(rest.len())..];
    }
    text.push_str(rest);
    magpie_values::text::unescape(&text).into_owned()
}

/// Checks that the days and times that people took from pages are among those found on the pages.
/// Some were never there (a board's usual hour is known without it), so the share has a ceiling
/// below one.
#[test]
fn meeting_dates() {
    let Some(folder) = magpie_test_support::data::find("events-meetings") else {
        return;
    };
    for city in ["chicago-a", "chicago-b", "cleveland"] {
        let (mut all, mut days, mut times) = (0, 0, 0);
        let truth = json(&folder.join(city).join("truth.json"));
        for (board, entry) in truth.as_object().unwrap() {
            let found = found_on_pages(&folder.join(city), entry);
            let starts: Vec<&str> = entry["items"]
                .as_array()
                .unwrap()
                .iter()
                .filter_map(|item| item["item"]["start"].as_str())
                .collect();
            if found.is_empty() || starts.is_empty() {
                continue;
            }
            let right_days = starts
                .iter()
                .filter(|start| found.iter().any(|value| value.starts_with(&start[..10])))
                .count();
            let right_times = starts
                .iter()
                .filter(|start| found.iter().any(|value| value.starts_with(&start[..16])))
                .count();
            if std::env::var_os("SHOW_MISSES").is_some() && right_days < starts.len() {
                println!(
                    "{board}: days {right_days}, times {right_times} of {}",
                    starts.len()
                );
            }
            all += starts.len();
            days += right_days;
            times += right_times;
        }
        report(&format!("days of meetings, {city}"), days, all, 0.8);
        report(&format!("days and times of meetings, {city}"), times, all, 0.35);
    }
}

fn found_on_pages(folder: &Path, entry: &Value) -> Vec<String> {
    let now = entry["items"][0]["frozen_now"]
        .as_str()
        .unwrap_or("2020-01-01T00:00:00");
    let context = DateContext {
        today: now[..10].parse().ok(),
        language: Some("en-US"),
        ..DateContext::default()
    };
    let mut found = Vec::new();
    for file in entry["files"].as_array().unwrap() {
        let path = folder.join(file["file"].as_str().unwrap());
        if path.extension().is_some_and(|extension| extension == "pdf") {
            continue;
        }
        let bytes = std::fs::read(path).unwrap_or_default();
        for item in date::find_all(&page_text(&String::from_utf8_lossy(&bytes)), &context) {
            found.extend(item.value.start().map(|start| start.to_string()));
        }
    }
    found
}
