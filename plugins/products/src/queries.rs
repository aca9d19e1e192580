//! Search queries for sites that have a product.

use magpie_sdk::title::model_numbers;
use magpie_sdk::{Gtin, Query, text};

use crate::Product;

/// Maximum number of words of a query; search engines ignore the rest.
const MOST_WORDS: usize = 10;

/// Maximum length of a quoted name, in bytes. Longer names are seldom written the same elsewhere.
const MOST_QUOTED: usize = 70;

/// Returns queries for the bar code, for the model number with the brand, and for the name.
pub(crate) fn queries(product: &Product) -> Vec<Query> {
    let query = |text: String, purpose: &str| Query {
        text: text::tidy(&text),
        purpose: purpose.to_owned(),
    };
    let brand = product.brand.as_deref().unwrap_or_default();
    let mut queries = Vec::new();
    if let Some(gtin) = product.gtin.as_ref().and_then(Gtin::read) {
        // Shops write the number without leading zeros.
        queries.push(query(gtin.trim_start_matches('0').to_owned(), "identifier"));
    }
    let model = product
        .mpn
        .as_deref()
        .or(product.model.as_deref())
        .map(str::to_owned);
    if let Some(model) = model.or_else(|| model_numbers(&product.name).into_iter().next()) {
        queries.push(query(format!("{brand} \"{}\"", model.replace('"', " ")), "exact"));
    } else if product.name.len() <= MOST_QUOTED && !product.name.contains('"') {
        queries.push(query(format!("\"{}\"", product.name), "exact"));
    }
    let branded = text::fold(&product.name).contains(&text::fold(brand));
    let words = format!("{} {}", if branded { "" } else { brand }, product.name);
    queries.push(query(
        words
            .split_whitespace()
            .take(MOST_WORDS)
            .collect::<Vec<_>>()
            .join(" "),
        "loose",
    ));
    queries
}

#[cfg(test)]
mod tests {
    use super::queries;
    use crate::Product;

    #[test]
    fn numbers_are_asked_for_before_names() {
        let product = Product {
            name: "Kettle K 500".into(),
            brand: Some("Aqualine".into()),
            gtin: Some("4006381333931".into()),
            mpn: Some("AQ-K500/B".into()),
            ..Product::default()
        };
        let texts: Vec<String> = queries(&product).into_iter().map(|query| query.text).collect();
        assert_eq!(
            texts,
            ["4006381333931", "Aqualine \"AQ-K500/B\"", "Aqualine Kettle K 500"]
        );
    }
}
