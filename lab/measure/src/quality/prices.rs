//! Price strings of shops: amount and sign of the currency exactly as expected.

use std::path::Path;

use anyhow::{Context, Result};
use magpie_values::money::{self, MoneyContext};
use magpie_values::number::Decimal;
use serde_json::Value;

use super::Bench;
use crate::data::json;
use crate::figure::Report;
use crate::score::{PageScore, Tally};

pub(crate) fn run(bench: &Bench, folder: &Path, report: &mut Report) -> Result<()> {
    let cases = json(&folder.join("prices.json"))?;
    let cases = cases.as_array().context("the prices are no list")?;
    let is_known_miss = |case: &Value| {
        case["group"]
            .as_str()
            .is_some_and(|group| group.contains("xfail"))
    };
    let tally = |known: bool| Tally {
        pages: cases
            .iter()
            .filter(|case| is_known_miss(case) == known)
            .map(score)
            .collect(),
    };
    bench.add_share(report, "price strings", &tally(false), Some(0.90));
    bench.add_share(
        report,
        "price strings that the set's own parser misses",
        &tally(true),
        None,
    );
    Ok(())
}

fn score(case: &Value) -> PageScore {
    let context = MoneyContext {
        hint: case["currency_hint"].as_str(),
        language: None,
        decimal_separator: case["decimal_separator"]
            .as_str()
            .and_then(|text| text.chars().next()),
    };
    let price = case["price"].as_str().unwrap_or_default();
    let reading = money::read(price, &context).ok();
    let amount = reading.as_ref().map(|reading| reading.money.amount());
    let sign = match reading {
        Some(reading) => reading.sign,
        None => sign_without_amount(case),
    };
    let expected = &case["expected"];
    let expected_amount = expected["amount"]
        .as_str()
        .and_then(|amount| amount.parse::<Decimal>().ok());
    // Some rows ask for the amount alone.
    let asks_sign = expected.get("currency").is_some();
    let right = amount == expected_amount && (!asks_sign || sign.as_deref() == expected["currency"].as_str());
    PageScore {
        page: format!("{price:?}"),
        expected: 1,
        found: 1,
        right: usize::from(right),
        told: format!("expected {expected}, found {amount:?} {sign:?}"),
        ..PageScore::default()
    }
}

fn sign_without_amount(case: &Value) -> Option<String> {
    let texts = [case["price"].as_str(), case["currency_hint"].as_str()];
    let sign = texts
        .into_iter()
        .flatten()
        .find_map(|text| money::find_currency(text, &MoneyContext::default()));
    sign.map(|(sign, _)| sign.to_owned())
}
