use super::*;

fn read_text(text: &str) -> Option<String> {
    parse(text, &MoneyContext::default()).map(|money| money.to_string())
}

#[test]
fn prices_of_many_countries_are_read() {
    let check =
        |text: &str, expected: &str| assert_eq!(read_text(text).as_deref(), Some(expected), "{text:?}");
    check("CHF 1'049,95", "1049.95 CHF");
    check("1.234,56 €", "1234.56 EUR");
    check("US$ 12.50", "12.50 USD");
    check("US$:12.99", "12.99 USD");
    check("12,50 EUR", "12.50 EUR");
    check("£7", "7 GBP");
    check("Rs. 1,299.00", "1299 INR");
    check("From $20 to $35", "20-35 USD");
    check("From 26 to 50 €", "26-50 EUR");
    check("20–25 €", "20-25 EUR");
    check("12.50-20 EUR", "12.50-20 EUR");
    check("de 30 a 55 €", "30-55 EUR");
    // Letters at a number, and numbers at letters, are a model.
    check("Camera VT-30A 55.00 €", "55 EUR");
    check("Camera VT-30 a 55.00 €", "55 EUR");
    check("620A 3,800,000₫", "3800000 VND");
    check("free", "0");
    check("Eintritt frei!", "0");
    check("kostenlos", "0");
    check("₫120.000", "120000 VND");
    check("R$ 1.234,56", "1234.56 BRL");
    check("¥1,200", "1200 JPY");
    check("12,000원", "12000 KRW");
    check("AU$ 1,175", "1175 AUD");
    check("NZD $100.70", "100.70 NZD");
    check("$1,190.00 AUD", "1190 AUD");
    check("$12", "12 USD");
    check("12 USD", "12 USD");
    check("1 299 kr", "1299");
    check("50,- Kč", "50 CZK");
    check("1.899,-", "1899");
    check("105. –", "105");
    check("35€ 99", "35.99 EUR");
    check("1250€ 600", "1250 EUR");
    check("$119. 95", "119.95 USD");
    check("423.923 KD", "423.923 KWD");
    check("R273.00", "273 ZAR");
    check("$.75", "0.75 USD");
    check("3 Ausgaben für nur 14,85 EUR", "14.85 EUR");
    check("٣٤٫٥٠ درهم", "34.50 AED");
    check("1,00,000 ₹", "100000 INR");
    check("12.345 €", "12345 EUR");
    check("0.345 €", "0.3450 EUR");
}

#[test]
fn what_is_no_price_is_refused() {
    let check = |text: &str, expected: Problem| {
        assert_eq!(
            read(text, &MoneyContext::default()).map(|reading| reading.money),
            Err(expected),
            "{text:?}"
        );
    };
    check("", Problem::Empty);
    check("Not available", Problem::NoAmount);
    check("40% OFF", Problem::NoAmount);
    check("15.08.2017", Problem::NoAmount);
    check("16.00 ft", Problem::NoAmount);
}

#[test]
fn hints_and_languages_name_the_currency() {
    let read_with = |text: &str, hint: Option<&str>, language: Option<&str>| {
        let context = MoneyContext {
            hint,
            language,
            decimal_separator: None,
        };
        read(text, &context)
            .map(|reading| (reading.money.to_string(), reading.sign))
            .unwrap()
    };
    let kept = |money: &str, sign: &str| (money.to_owned(), Some(sign.to_owned()));
    assert_eq!(
        read_with("39.95", Some("Price From £ 39.95"), None),
        kept("39.95 GBP", "£")
    );
    assert_eq!(
        read_with("17,95", Some("DKK/stk"), None),
        kept("17.95 DKK", "DKK")
    );
    assert_eq!(read_with("3,20 €", Some("$"), None), kept("3.20 EUR", "€"));
    assert_eq!(read_with("150 kr", None, Some("sv")), kept("150 SEK", "kr"));
    assert_eq!(read_with("$5", None, Some("en-CA")), kept("5 CAD", "$"));
    assert_eq!(read_with("¥5", None, Some("zh-CN")), kept("5 CNY", "¥"));
    assert_eq!(read_with("$5", None, Some("es-CO")), kept("5 COP", "$"));
    assert_eq!(read_with("$5", None, Some("es")), kept("5", "$"));
    assert_eq!(read_with("US$5", None, Some("es")), kept("5 USD", "US$"));
    assert_eq!(read_with("28", Some("Price"), None), ("28".to_owned(), None));
}

#[test]
fn prices_are_found_in_text() {
    let check = |text: &str, expected: &[(&str, &str)]| {
        let found = find_all(text, &MoneyContext::default());
        let found: Vec<(&str, String)> = found
            .iter()
            .map(|item| (&text[item.start..item.end], item.money.to_string()))
            .collect();
        let expected: Vec<(&str, String)> = expected
            .iter()
            .map(|(text, money)| (*text, (*money).to_owned()))
            .collect();
        assert_eq!(found, expected, "{text:?}");
    };
    check(
        "Tickets $20 – $35, kids €7,50 (from 6 years)",
        &[("$20 – $35", "20-35 USD"), ("€7,50", "7.50 EUR")],
    );
    check("20–25 € at the door", &[("20–25 €", "20-25 EUR")]);
    check("3 items for 12 USD on 3 May 2026", &[("12 USD", "12 USD")]);
    check("Top 10, TOP 10, ALL 50 things", &[]);
    check(
        "AED 8000 (USD 2179)",
        &[("AED 8000", "8000 AED"), ("USD 2179", "2179 USD")],
    );
    check("call 555-1234", &[]);
}

#[test]
fn money_is_compared() {
    let money = |text: &str| text.parse::<Money>().unwrap();
    assert!(money("12.50 EUR").agrees_with(money("12,5 €")));
    assert!(money("10-20 EUR").agrees_with(money("15 EUR")));
    assert!(money("12").agrees_with(money("12 EUR")));
    assert!(!money("12 USD").agrees_with(money("12 EUR")));
    assert!((money("8 EUR").closeness(money("10 EUR")) - 0.8).abs() < 1e-9);
    assert!(money("8 EUR").closeness(money("8 USD")).abs() < 1e-9);
    assert_eq!(
        Currency::from_code("eur")
            .map(|currency| currency.code().to_owned())
            .as_deref(),
        Some("EUR")
    );
    assert_eq!(Currency::from_code("xyz"), None);
}
