use super::*;

#[test]
fn separators_mean_what_they_should() {
    let check = |text: &str, expected: Result<&str, Problem>| {
        assert_eq!(
            parse(text).map(|value| value.to_string()),
            expected.map(str::to_owned),
            "{text:?}"
        );
    };
    check("1234", Ok("1234"));
    check("1,234", Ok("1234"));
    check("1.234", Ok("1234"));
    check("1,234.56", Ok("1234.56"));
    check("1.234,56", Ok("1234.56"));
    check("1 234,56", Ok("1234.56"));
    check("1'234.56", Ok("1234.56"));
    check("12,34,567.8", Ok("1234567.8"));
    check("1,234,567", Ok("1234567"));
    check("12,5", Ok("12.5"));
    check("0.125", Ok("0.125"));
    check("1234.567", Ok("1234.567"));
    check(".75", Ok("0.75"));
    check("3.14159", Ok("3.14159"));
    check("-3.50", Ok("-3.5"));
    check("− 3", Ok("3"));
    check("١٢٣", Ok("123"));
    check("１２，５００", Ok("12500"));
    check("version 1.2.3", Err(Problem::NoNumber));
    check("none", Err(Problem::NoNumber));
    check("5 of 1000", Ok("5"));
    check(
        "99999999999999999999999999999999999999999",
        Err(Problem::NoNumber),
    );
}

#[test]
fn decimals_are_exact_and_ordered() {
    let decimal = |text: &str| text.parse::<Decimal>().unwrap();
    assert_eq!(decimal("12.50"), decimal("12.5"));
    assert!(decimal("12.49") < decimal("12.5"));
    assert!(decimal("-1") < decimal("0.5"));
    assert!(decimal("100000000000000000000000000000") > decimal("0.00000000000000001"));
    assert_eq!(decimal("12.5").with_places(2), "12.50");
    assert_eq!(decimal("12").with_places(2), "12.00");
    assert_eq!(
        decimal("1.2")
            .shifted(3)
            .map(|value| value.to_string())
            .as_deref(),
        Some("1200")
    );
    assert_eq!(
        decimal("1234")
            .shifted(-2)
            .map(|value| value.to_string())
            .as_deref(),
        Some("12.34")
    );
    assert!("".parse::<Decimal>().is_err());
    assert!("1.2.3".parse::<Decimal>().is_err());
    assert_eq!(decimal("-0.05").to_string(), "-0.05");
}

#[test]
fn counts_know_magnitudes() {
    let check =
        |text: &str, expected: Result<u64, Problem>| assert_eq!(parse_count(text), expected, "{text:?}");
    check("12,345 reviews", Ok(12_345));
    check("1.2k", Ok(1200));
    check("1.234k", Ok(1234));
    check("3 Mio. Stück", Ok(3_000_000));
    check("2,5 тыс. отзывов", Ok(2500));
    check("1.2万", Ok(12_000));
    check("(178)", Ok(178));
    check("no reviews", Err(Problem::NoNumber));
    assert_eq!(
        parse_percentage("12,5 %")
            .map(|value| value.to_string())
            .as_deref(),
        Ok("12.5")
    );
    assert_eq!(parse_percentage("12"), Err(Problem::NoNumber));
}

#[test]
fn ratings_have_scales() {
    let check = |text: &str, expected: Result<&str, Problem>| {
        assert_eq!(
            parse_rating(text).map(|rating| rating.to_string()),
            expected.map(str::to_owned),
            "{text:?}"
        );
    };
    check("4.2/5", Ok("4.2/5"));
    check("4,5 von 5 Sternen", Ok("4.5/5"));
    check("Average Rating: 4.56 out of 5", Ok("4.56/5"));
    check("4.5 stars out of 5", Ok("4.5/5"));
    check("Four stars", Ok("4/5"));
    check("star-rating Three", Ok("3/5"));
    check("★★★★☆", Ok("4/5"));
    check("★★★★½", Ok("4.5/5"));
    check("87%", Ok("87/100"));
    check("4.8 (178)", Ok("4.8"));
    check("4.9 star rating", Ok("4.9/5"));
    check("8,4/10 (7 Bewertungen)", Ok("8.4/10"));
    check("( 0.0 / 5) - 0", Ok("0/5"));
    check("5つ星のうち4.2", Ok("4.2/5"));
    check("6/5", Err(Problem::OutOfScale));
    check("unrated", Err(Problem::NoNumber));
    assert!((parse_rating("4/5").unwrap().share() - 0.8).abs() < 1e-9);
    assert!((parse_rating("9.2").unwrap().share() - 0.92).abs() < 1e-9);
}
