use super::*;

#[test]
fn normal_forms() {
    let check = |scheme: Scheme, text: &str, expected: Result<&str, Problem>| {
        assert_eq!(
            normalise(scheme, text),
            expected.map(str::to_owned),
            "{scheme} {text:?}"
        );
    };
    // 0*10+3*9+0*8+6*7+4*6+0*5+6*4+1*3+5*2 = 130, and 130 + 2 = 12 * 11.
    check(Scheme::Isbn, "0-306-40615-2", Ok("9780306406157"));
    check(Scheme::Isbn, "ISBN-13: 978-0-306-40615-7", Ok("9780306406157"));
    check(Scheme::Isbn, "ISBN9780306406157", Ok("9780306406157"));
    check(Scheme::Isbn, "978‑0‑306‑40615‑7", Ok("9780306406157"));
    check(Scheme::Isbn, "080442957X", Ok("9780804429573"));
    check(Scheme::Isbn, "0-306-40615-3", Err(Problem::CheckDigit));
    check(Scheme::Isbn, "978030640615", Err(Problem::Length));
    check(Scheme::Isbn, "4006381333931", Err(Problem::Shape));
    check(Scheme::Isbn, "n/a", Err(Problem::Character));
    check(Scheme::Isbn, " ", Err(Problem::Empty));
    check(Scheme::Issn, "ISSN 0378-5955", Ok("0378-5955"));
    check(Scheme::Issn, "2434561X", Ok("2434-561X"));
    check(Scheme::Issn, "9770378595001", Err(Problem::CheckDigit));
    check(Scheme::Issn, "0378-5954", Err(Problem::CheckDigit));
    check(Scheme::Ismn, "979-0-2600-0043-8", Ok("9790260000438"));
    check(Scheme::Ismn, "M-2600-0043-8", Ok("9790260000438"));
    check(Scheme::Gtin, "4006381333931", Ok("04006381333931"));
    check(Scheme::Gtin, "EAN: 4006381333931", Ok("04006381333931"));
    check(Scheme::Gtin, "036000291452", Ok("00036000291452"));
    check(Scheme::Gtin, "9638-5074", Ok("00000096385074"));
    check(Scheme::Gtin, "036000291453", Err(Problem::CheckDigit));
    check(Scheme::Gtin, "00000000", Err(Problem::Shape));
    check(Scheme::Asin, "b00005n5pf", Ok("B00005N5PF"));
    check(Scheme::Asin, "1234567890", Err(Problem::Shape));
    check(
        Scheme::Doi,
        "https://doi.org/10.1000/ABC.12.",
        Ok("10.1000/abc.12"),
    );
    check(Scheme::Doi, "doi:10.1000/182", Ok("10.1000/182"));
    check(Scheme::Doi, "10.10/182", Err(Problem::Shape));
    for nothing in ["10.", "10.]", "doi: 10.'.", "doi.org/10."] {
        check(Scheme::Doi, nothing, Err(Problem::Shape));
    }
    check(Scheme::Mpn, " wh-1000xm4 ", Ok("WH-1000XM4"));
    check(Scheme::Mpn, "--", Err(Problem::Empty));
    check(Scheme::Sku, "SKU: ab  12", Ok("ab 12"));
    check(Scheme::Sku, "sku-12", Ok("sku-12"));
    check(
        Scheme::Isbn,
        "ISBN ISBN-13: (978-0-306-40615-7)",
        Ok("9780306406157"),
    );
}

#[test]
fn identifiers_are_compared_by_what_they_name() {
    assert!(same(Scheme::Isbn, "0306406152", "978-0-306-40615-7"));
    assert!(same(Scheme::Gtin, "036000291452", "0036000291452"));
    assert!(same(Scheme::Mpn, "WH-1000XM4/B", "wh1000xm4 b"));
    assert!(same(Scheme::Sku, "ab12", "AB12"));
    assert!(!same(Scheme::Isbn, "1", "1"), "invalid ones never match");
}

#[test]
fn schemes_have_names() {
    for scheme in [
        Scheme::Isbn,
        Scheme::Issn,
        Scheme::Ismn,
        Scheme::Gtin,
        Scheme::Mpn,
        Scheme::Sku,
        Scheme::Asin,
        Scheme::Doi,
    ] {
        assert_eq!(Scheme::parse(scheme.name()), scheme);
    }
    assert_eq!(Scheme::parse("EAN-13"), Scheme::Gtin);
    assert_eq!(Scheme::parse("discogs"), Scheme::Other);
}

#[test]
fn book_numbers_convert() {
    assert_eq!(isbn10("9780306406157").as_deref(), Ok("0306406152"));
    assert_eq!(isbn10("9791034304875"), Err(Problem::Shape));
    assert_eq!(gtin_kind("9783161484100"), Ok(GtinKind::Isbn13));
    assert_eq!(gtin_kind("40170725"), Ok(GtinKind::Gtin8));
}

#[test]
fn identifiers_are_found_in_text() {
    let check = |text: &str, expected: &[(&str, Scheme, &str)]| {
        let found = find_all(text);
        let found: Vec<_> = found
            .iter()
            .map(|item| (&text[item.start..item.end], item.scheme, item.value.as_str()))
            .collect();
        assert_eq!(found, expected, "{text:?}");
    };
    check(
        "Paperback, ISBN 978-0-306-40615-7, 320 pages",
        &[("978-0-306-40615-7", Scheme::Isbn, "9780306406157")],
    );
    check(
        "ISBN-10: 0-306-40615-2 and 5 more",
        &[("0-306-40615-2", Scheme::Isbn, "9780306406157")],
    );
    check(
        "ISBN 080442957X.",
        &[("080442957X", Scheme::Isbn, "9780804429573")],
    );
    check("call 0306406152 now", &[]);
    check("ISSN: 0378-5955", &[("0378-5955", Scheme::Issn, "0378-5955")]);
    check(
        "EAN 4006381333931",
        &[("4006381333931", Scheme::Gtin, "04006381333931")],
    );
    check("order 4006381333931", &[]);
    check(
        "see https://doi.org/10.1000/182, p. 3",
        &[("10.1000/182", Scheme::Doi, "10.1000/182")],
    );
    check(
        "ISBN: 9780306406157 9783161484100",
        &[
            ("9780306406157", Scheme::Isbn, "9780306406157"),
            ("9783161484100", Scheme::Isbn, "9783161484100"),
        ],
    );
    check("ISBN 978-0-306-40615-8", &[]);
    check("x9780306406157", &[]);
}
