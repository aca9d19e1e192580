use super::*;

/// A Wednesday.
const TODAY: (i32, u8, u8) = (2026, 4, 1);

fn context(language: &str) -> DateContext<'_> {
    let (year, month, day) = TODAY;
    let language = Some(language).filter(|language| !language.is_empty());
    DateContext {
        today: Date::new(year, month, day),
        language,
        ..DateContext::default()
    }
}

fn written(value: Value) -> String {
    match value {
        Value::DateTime(moment) => moment.to_string(),
        Value::Range(start, end) => format!("{start}/{end}"),
        Value::Time(time) => format!("T{time}"),
        Value::TimeRange(start, end) => format!("T{start}/T{end}"),
    }
}

/// Parsing gives the same whether the language is known or not, unless a test says otherwise.
fn check(language: &str, text: &str, expected: &str) {
    for language in [language, ""] {
        let parsed = parse(text, &context(language)).map(|value| value.to_string());
        assert_eq!(
            parsed.as_deref().unwrap_or("none"),
            expected,
            "{text:?} in {language:?}"
        );
    }
}

fn check_found(language: &str, text: &str, expected: &[(&str, &str)]) {
    let found = find_all(text, &context(language));
    let found: Vec<(&str, String)> = found
        .iter()
        .map(|item| (&text[item.start..item.end], written(item.value)))
        .collect();
    let expected: Vec<(&str, String)> = expected
        .iter()
        .map(|(part, value)| (*part, (*value).to_owned()))
        .collect();
    assert_eq!(found, expected, "{text:?} in {language:?}");
}

#[test]
fn english() {
    let check = |text, expected| check("en", text, expected);
    check("May 3rd, 2026 7:30 PM", "2026-05-03T19:30");
    check("3 May 2026", "2026-05-03");
    check("3rd of May 2026", "2026-05-03");
    check("Sunday the 3rd of May, 2026", "2026-05-03");
    check("Thursday, January 11, 2024 at 10 a.m.", "2024-01-11T10:00");
    check("Thursday, January 11, 2024 at 10 a. m.", "2024-01-11T10:00");
    check("Fri 20 Nov, 7.30pm", "2026-11-20T19:30");
    check("Sept. 5, 2026, noon", "2026-09-05T12:00");
    check("Nov 5 '26", "2026-11-05");
    check("05-Nov-26", "2026-11-05");
    check("2026 May 3", "2026-05-03");
    check("November 2026", "2026-11");
    check("Nov, 2026", "2026-11");
    check("Published: March 2019", "2019-03");
    check("Date: Saturday 3 May 2025, Doors: 19:00", "2025-05-03T19:00");
    check("12 midnight on 3 May 2026", "2026-05-03T00:00");
    check("3 May 2026 at 12 am", "2026-05-03T00:00");
    check("3 May 2026 at 12 pm", "2026-05-03T12:00");
    check("7:30 pm, 3 May 2026", "2026-05-03T19:30");
    check("3 May 2026, 7 o'clock", "2026-05-03T07:00");
    check("3 May 2026, 8 in the evening", "2026-05-03T20:00");
    check("3 May 2026 1930 hrs", "2026-05-03T19:30");
    check("January 1, 1813", "1813-01-01");
    check("2026", "2026");
    check("c. 1999", "1999");
    check("© 2026", "2026");
}

#[test]
fn german() {
    let check = |text, expected| check("de", text, expected);
    check("Sa., 3. Mai", "2025-05-03");
    check("Samstag, den 3. Mai 2025 um 20 Uhr", "2025-05-03T20:00");
    check("3. Mai 2026, 19.30 Uhr", "2026-05-03T19:30");
    check("So, 03.05.2026 | 19:30 Uhr", "2026-05-03T19:30");
    check("Fr. 20.11. 20:00", "2026-11-20T20:00");
    check("20.11.26", "2026-11-20");
    check("am 3. März 2026 um 8 Uhr 15", "2026-03-03T08:15");
    check("1. Jänner 2026", "2026-01-01");
    check("3. Mai 2026, 8 Uhr abends", "2026-05-03T20:00");
    check("Mi 01. Apr 2026", "2026-04-01");
    check(
        "Donnerstag, 11. Dezember 2025, Einlass: 18:30 Uhr",
        "2025-12-11T18:30",
    );
}

#[test]
fn romance_languages() {
    check("fr", "3 mai 2026 à 19h30", "2026-05-03T19:30");
    check("fr", "dimanche 1er février 2026, 20h", "2026-02-01T20:00");
    check("fr", "le 14 août 2026 à 8 heures du soir", "2026-08-14T20:00");
    check("fr", "lun. 6 avr. 2026", "2026-04-06");
    check("es", "3 de mayo de 2026 a las 19:30", "2026-05-03T19:30");
    check(
        "es",
        "domingo, 3 de mayo de 2026, 8 de la tarde",
        "2026-05-03T20:00",
    );
    check("es", "sáb, 5 sep. 2026 21:00 h", "2026-09-05T21:00");
    check("es", "12 de enero del 2026", "2026-01-12");
    check("it", "domenica 3 maggio 2026, ore 21", "2026-05-03T21:00");
    check("it", "1º maggio 2026 alle ore 20.30", "2026-05-01T20:30");
    check("it", "3 mag 2026 h 21:00", "2026-05-03T21:00");
    check("pt", "3 de maio de 2026 às 19h30", "2026-05-03T19:30");
    check("pt", "segunda-feira, 6 de abril de 2026", "2026-04-06");
    check("pt", "14 de março de 2026, 21h00", "2026-03-14T21:00");
    check("ro", "duminică, 3 mai 2026, ora 19:30", "2026-05-03T19:30");
    check("ro", "15 noiembrie 2026", "2026-11-15");
    check("ca", "3 de maig de 2026", "2026-05-03");
    check("ca", "3 d'abril de 2026", "2026-04-03");
}

#[test]
fn northern_languages() {
    check("nl", "zondag 3 mei 2026 om 20.15 uur", "2026-05-03T20:15");
    check("nl", "do 12 maart 2026, 20:00", "2026-03-12T20:00");
    check("sv", "söndag 3 maj 2026 kl. 19.30", "2026-05-03T19:30");
    check("sv", "den 14 oktober 2026 kl 19", "2026-10-14T19:00");
    check("da", "søndag d. 3. maj 2026 kl. 19.30", "2026-05-03T19:30");
    check("da", "lørdag den 5. december 2026", "2026-12-05");
    check("no", "tirsdag 5. mai 2026 kl. 19:00", "2026-05-05T19:00");
    check("fi", "su 3.5.2026 klo 19.30", "2026-05-03T19:30");
    check("fi", "sunnuntaina 3. toukokuuta 2026 klo 19", "2026-05-03T19:00");
    check("hu", "2026. május 3., 19:30", "2026-05-03T19:30");
    check("hu", "2026. május 3. vasárnap 19 óra", "2026-05-03T19:00");
    check("hu", "2026. szeptember", "2026-09");
    check("tr", "3 Mayıs 2026 Pazar saat 19:30", "2026-05-03T19:30");
    check("tr", "14 Ağustos 2026, 20.00", "2026-08-14T20:00");
}

#[test]
fn slavic_languages_and_greek() {
    check("pl", "niedziela, 3 maja 2026, godz. 19:30", "2026-05-03T19:30");
    check("pl", "14 października 2026 r.", "2026-10-14");
    check("cs", "neděle 3. května 2026 v 19:30", "2026-05-03T19:30");
    check("cs", "3. 5. 2026 od 19:30 hod.", "2026-05-03T19:30");
    check("cs", "1. července 2026", "2026-07-01");
    check("cs", "1. června 2026", "2026-06-01");
    check("ru", "3 мая 2026 г. в 19:30", "2026-05-03T19:30");
    check("ru", "воскресенье, 3 мая 2026 года, 19:30", "2026-05-03T19:30");
    check("ru", "14 октября 2026, 8 часов вечера", "2026-10-14T20:00");
    check("uk", "неділя, 3 травня 2026 року о 19:30", "2026-05-03T19:30");
    check("uk", "14 серпня 2026 р., 20:00", "2026-08-14T20:00");
    check("bg", "3 май 2026 г.", "2026-05-03");
    check("el", "Κυριακή 3 Μαΐου 2026, ώρα 19:30", "2026-05-03T19:30");
    check("el", "14 Αυγούστου 2026 8:30 μμ", "2026-08-14T20:30");
}

#[test]
fn asian_languages() {
    check("zh", "2026年5月3日 19:30", "2026-05-03T19:30");
    check("zh", "2026年5月3日（星期日）下午7点半", "2026-05-03T19:30");
    check("zh", "5月3日 周日 19:30", "2026-05-03T19:30");
    check("ja", "2026年5月3日(日) 19時30分", "2026-05-03T19:30");
    check("ja", "２０２６年５月３日（日）午後７時", "2026-05-03T19:00");
    check("ja", "令和8年5月3日", "2026-05-03");
    check("ja", "2026年11月", "2026-11");
    check("ja", "2026.5.3 [日] 18:00", "2026-05-03T18:00");
    check("ko", "2026년 5월 3일 (일) 오후 7시 30분", "2026-05-03T19:30");
    check("ko", "2026. 5. 3. 19:30", "2026-05-03T19:30");
    check(
        "vi",
        "Chủ nhật, ngày 3 tháng 5 năm 2026 lúc 19:30",
        "2026-05-03T19:30",
    );
    check("vi", "Thứ Bảy, 3/5/2025, 19h30", "2025-05-03T19:30");
    check("vi", "3 tháng 5, 2026", "2026-05-03");
    check("vi", "tháng 5 năm 2026", "2026-05");
    check(
        "id",
        "Minggu, 3 Mei 2026 pukul 19.30 WIB",
        "2026-05-03T19:30+07:00",
    );
    check("id", "14 Agustus 2026", "2026-08-14");
}

#[test]
fn machine_forms() {
    let check = |text, expected| check("en", text, expected);
    check("2026-05-03", "2026-05-03");
    check("2026-05-03T19:30", "2026-05-03T19:30");
    check("2026-05-03T19:30:15.123+01:00", "2026-05-03T19:30:15+01:00");
    check("2026-05-03 19:30:00 +0200", "2026-05-03T19:30:00+02:00");
    check("2026-05-03T24:00", "2026-05-04T00:00");
    check("20260503T193000Z", "2026-05-03T19:30:00Z");
    check("20260503", "2026-05-03");
    check("2026-W18-7", "2026-05-03");
    check("2026-123", "2026-05-03");
    check("2026-05", "2026-05");
    check("2026/05", "2026-05");
    check("05/2026", "2026-05");
    check("Sun, 03 May 2026 19:30:00 +0100", "2026-05-03T19:30:00+01:00");
    check("Sun, 03 May 2026 19:30:00 GMT", "2026-05-03T19:30:00Z");
    check("Sun May  3 19:30:00 2026", "2026-05-03T19:30:00");
    check(
        "2026-05-03T19:30-05:00[America/Chicago]",
        "2026-05-03T19:30-05:00",
    );
    check("2026-05-03T19:30:00Z - imported", "2026-05-03T19:30:00Z");
    check("2026-02-30", "none");
    check("30 February 2026", "none");
}

#[test]
fn zones() {
    let check = |text, expected| check("en", text, expected);
    check("May 3, 2026 7:30 PM EDT", "2026-05-03T19:30-04:00");
    check("May 3, 2026 19:30 (CEST)", "2026-05-03T19:30+02:00");
    check("May 3, 2026 19:30 UTC+2", "2026-05-03T19:30+02:00");
    check("May 3, 2026 19:30 GMT-03:30", "2026-05-03T19:30-03:30");
    check("May 3, 2026 19:30 IST", "2026-05-03T19:30");
    check("May 3, 2026, 23:59 AoE", "2026-05-03T23:59-12:00");
    check("May 3, 2026, 23:59 (AoE)", "2026-05-03T23:59-12:00");
    check("May 3, 2026 19:30 Est", "2026-05-03T19:30");
    assert_eq!(parse_offset("-0530"), Some(-330));
    assert_eq!(parse_offset("+25:00"), None);
}

#[test]
fn day_and_month_in_figures() {
    let order = |text: &str, language: Option<&str>| {
        let context = DateContext {
            language,
            ..context("")
        };
        parse(text, &context)
            .map(|value| value.to_string())
            .unwrap_or_default()
    };
    assert_eq!(order("20/11/2026", Some("en-US")), "2026-11-20");
    assert_eq!(order("11/20/2026", Some("de")), "2026-11-20");
    assert_eq!(order("3/5/2026", Some("en-US")), "2026-03-05");
    assert_eq!(order("3/5/2026", Some("en")), "2026-03-05");
    assert_eq!(order("3/5/2026", Some("en-GB")), "2026-05-03");
    assert_eq!(order("3/5/2026", Some("fr")), "2026-05-03");
    assert_eq!(order("3/5/2026", None), "2026-05-03");
    assert_eq!(order("3.5.2026", Some("en-US")), "2026-05-03");
    assert_eq!(order("3/5", Some("en-US")), "2026-03-05");
    assert_eq!(order("1/2/98", None), "1998-02-01");
    // The text itself decides before the language does.
    let found = find_all("Open 3/5/2026 and 3/25/2026", &DateContext::default());
    assert_eq!(written(found[0].value), "2026-03-05");
    let found = find_all("2.8.2011, 4.22.2011", &DateContext::default());
    assert_eq!(written(found[0].value), "2011-02-08");
}

#[test]
fn missing_years_come_from_today() {
    let year = |text: &str, prefer: Prefer| {
        let context = DateContext {
            prefer,
            ..context("en")
        };
        parse(text, &context)
            .map(|value| value.to_string())
            .unwrap_or_default()
    };
    assert_eq!(year("March 5", Prefer::Future), "2027-03-05");
    assert_eq!(year("March 5", Prefer::Past), "2026-03-05");
    assert_eq!(year("March 5", Prefer::Nearest), "2026-03-05");
    assert_eq!(year("December 5", Prefer::Past), "2025-12-05");
    assert_eq!(year("December 5", Prefer::Nearest), "2025-12-05");
    assert_eq!(year("April 1", Prefer::Future), "2026-04-01");
    // 5 March is a Wednesday in 2025, a Friday in 2027.
    assert_eq!(year("Wednesday, March 5", Prefer::Future), "2025-03-05");
    assert_eq!(year("Fri, March 5", Prefer::Future), "2027-03-05");
    assert_eq!(year("February 29", Prefer::Future), "2028-02-29");
    assert_eq!(year("tomorrow 7pm", Prefer::Future), "2026-04-02T19:00");
    assert_eq!(year("Friday 7pm", Prefer::Future), "2026-04-03T19:00");
    assert_eq!(year("Tuesday", Prefer::Past), "2026-03-31");
    // A time happens on some day, but not on that of the text.
    assert_eq!(read("noon", &context("en")), Err(Problem::NoDay));
    assert_eq!(read("7pm", &context("en")), Err(Problem::NoDay));
    assert_eq!(read("tomorrow", &DateContext::default()), Err(Problem::NoDate));
    assert_eq!(read("30 February", &context("en")), Err(Problem::NoSuchDay));
    assert_eq!(read("soon", &DateContext::default()), Err(Problem::NoDate));
    assert_eq!(read("  ", &DateContext::default()), Err(Problem::Empty));
    assert_eq!(
        parse("3.4.26", &DateContext::default())
            .map(|value| value.to_string())
            .as_deref(),
        Some("2026-04-03")
    );
}

#[test]
fn days_without_a_year_keep_what_is_written() {
    for (text, expected) in [
        ("3 May", "--05-03"),
        ("Sunday, 3 May, 7.30 pm", "--05-03T19:30[Sun]"),
        ("So. 3. Mai 19 Uhr", "--05-03T19:00[Sun]"),
        ("29 February", "--02-29"),
        ("3 - 5 May", "--05-03/--05-05"),
        ("Dec 30 - Jan 2", "--12-30/--01-02"),
        ("22:00 - 02:00, 31 December", "--12-31T22:00/--01-01T02:00"),
        ("31 ago.-09 set. 2023", "2023-08-31/2023-09-09"),
        ("03-May-26", "2026-05-03"),
        ("27 Aug 10–11.30am", "--08-27T10:00/--08-27T11:30"),
        ("Sat 31 Aug 12 - 6pm", "--08-31T12:00[Sat]/--08-31T18:00[Sat]"),
        ("31 August 12", "2012-08-31"),
    ] {
        let (start, end) = read_range(text, &DateContext::default()).expect(text);
        let end = end.map(|end| format!("/{end}")).unwrap_or_default();
        assert_eq!(format!("{start}{end}"), expected, "{text}");
        assert_eq!(start.to_string().parse(), Ok(start), "{text}");
    }
    for text in [
        "--05",
        "--05-32",
        "--02-30",
        "--05-03[Sun",
        "--05-03[Foo]",
        "--05-03T25:00",
        "---03",
    ] {
        assert_eq!(parse_iso(text), None, "{text}");
    }
}

#[test]
fn a_stated_year_decides_unless_the_weekday_is_of_the_next() {
    let read = |text: &str, year: i32| {
        let context = DateContext {
            year: Some(year),
            ..context("en")
        };
        parse(text, &context)
            .map(|value| value.to_string())
            .unwrap_or_default()
    };
    assert_eq!(read("3 May", 2019), "2019-05-03");
    assert_eq!(read("Sunday 3 May", 2026), "2026-05-03");
    // A season of 2025 reaches into 2026.
    assert_eq!(read("Sunday 3 May", 2025), "2026-05-03");
    // No year near it has this Tuesday, so the weekday is wrong.
    assert_eq!(read("Tuesday 3 May", 2025), "2025-05-03");
}

#[test]
fn days_without_a_year_agree_with_those_of_any_year() {
    let value = |text: &str| parse_iso(text).expect(text);
    for (one, other, agree) in [
        ("--05-03", "2026-05-03", true),
        ("--05-03", "2026-05-04", false),
        ("--05-03[Sun]", "2026-05-03", true),
        ("--05-03[Sun]", "2025-05-03", false),
        ("--05-03T19:30", "2026-05-03T19:30", true),
        ("--05-03T19:30", "2026-05-03T20:30", false),
        ("--05-03", "2026-05", true),
        ("--05-03", "2026", true),
        ("--05-03[Sun]", "--05-03", true),
        ("--05-03[Sun]", "--05-03[Mon]", false),
    ] {
        assert_eq!(value(one).agrees_with(value(other)), agree, "{one} {other}");
        assert_eq!(value(other).agrees_with(value(one)), agree, "{other} {one}");
    }
    assert!(value("--12-31") < value("1000-01-01"));
    assert!(value("--05-03[Sun]") < value("--05-04"));
    assert_eq!(value("2026-01-01").days_until(value("--12-31")), -1);
    assert_eq!(value("--12-31").days_until(value("2026-01-01")), 1);
    let later = |text: &str, days: i64| {
        let day = value(text).date().add_days(days);
        day.map(|day| day.to_string()).unwrap_or_default()
    };
    assert_eq!(later("--12-31[Thu]", 1), "--01-01[Fri]");
    assert_eq!(later("--01-01", -1), "--12-31");
    // It depends on the year.
    assert_eq!(later("--02-28", 1), "");
    let near = |text: &str, prefer: Prefer| {
        let completed = value(text).completed(value("2026-11-29").date(), prefer);
        completed.map(|value| value.to_string()).unwrap_or_default()
    };
    assert_eq!(near("--05-03T19:30", Prefer::Future), "2027-05-03T19:30");
    assert_eq!(near("--05-03[Sun]", Prefer::Future), "2026-05-03");
    assert_eq!(near("2020-05-03", Prefer::Future), "2020-05-03");
}

#[test]
fn ranges_are_found() {
    let check = |text: &str, expected: &str| check_found("", text, &[(text, expected)]);
    check("3.–5. Mai 2026", "2026-05-03/2026-05-05");
    check("3 - 5 May 2026", "2026-05-03/2026-05-05");
    check("3 & 4 May 2026", "2026-05-03/2026-05-04");
    check("May 3 - 5, 2026", "2026-05-03/2026-05-05");
    check("May 3–5", "2026-05-03/2026-05-05");
    check("May 30 – June 2, 2026", "2026-05-30/2026-06-02");
    check("Nov 30, 2025 – Jan 2, 2026", "2025-11-30/2026-01-02");
    check("Nov 30 – Jan 2, 2026", "2025-11-30/2026-01-02");
    check("30. Dezember - 2. Januar 2027", "2026-12-30/2027-01-02");
    check("20.11. - 25.11.2026", "2026-11-20/2026-11-25");
    check("1.-3.5.2026", "2026-05-01/2026-05-03");
    check("20/11/2026 - 25/11/2026", "2026-11-20/2026-11-25");
    check("2026-05-03 – 2026-05-05", "2026-05-03/2026-05-05");
    check("May – June 2026", "2026-05/2026-06");
    check("3 au 5 mai 2026", "2026-05-03/2026-05-05");
    check("2026年5月3日～5日", "2026-05-03/2026-05-05");
    check("Fri 1 May – Sun 3 May 2026", "2026-05-01/2026-05-03");
    check("May 3, 2026 7:30 PM – 10 PM", "2026-05-03T19:30/2026-05-03T22:00");
    check("May 3, 2026, 7 - 10 pm", "2026-05-03T19:00/2026-05-03T22:00");
    check("May 3, 2026, 11 - 1 pm", "2026-05-03T11:00/2026-05-03T13:00");
    check(
        "May 3, 2026 from 10:00 to 18:00",
        "2026-05-03T10:00/2026-05-03T18:00",
    );
    check("3.5.2026, 22:00 - 02:00 Uhr", "2026-05-03T22:00/2026-05-04T02:00");
    check("3 May 2026 20:00–24:00", "2026-05-03T20:00/2026-05-04T00:00");
    check("3 May 2026 22:00–24:30", "2026-05-03T22:00/2026-05-04T00:30");
    check("3. maj 2026 kl. 18.00–21.00", "2026-05-03T18:00/2026-05-03T21:00");
    let price = "3. maj 2026 kl. 18.00 - 12.50 kr";
    check_found("da", price, &[("3. maj 2026 kl. 18.00", "2026-05-03T18:00")]);
    check(
        "3 de maig de 2026, 18.00 - 21.00 h",
        "2026-05-03T18:00/2026-05-03T21:00",
    );
    check("3 de maig de 2026, 02.00 h", "2026-05-03T02:00");
    check(
        "3 May 2026 20:00 - 4 May 2026 02:00",
        "2026-05-03T20:00/2026-05-04T02:00",
    );
    check("3 – 5 May 2026, 10:00–18:00", "2026-05-03T10:00/2026-05-05T18:00");
    check(
        "7:30 PM – 10 PM, May 3, 2026",
        "2026-05-03T19:30/2026-05-03T22:00",
    );
    check("10:00-12:00 Uhr", "T10:00/T12:00");
    check("7-10pm", "T19:00/T22:00");
    check_found(
        "de",
        "Geöffnet von 18 bis 20 Uhr",
        &[("18 bis 20 Uhr", "T18:00/T20:00")],
    );
}

#[test]
fn dates_and_times_in_text_belong_together() {
    check_found(
        "en",
        "On 3 May 2026 in the Great Hall at 19:30, free entry",
        &[("3 May 2026 in the Great Hall at 19:30", "2026-05-03T19:30")],
    );
    check_found(
        "en",
        "May 3, 2026\nSome Concert\n7:30 PM",
        &[("May 3, 2026\nSome Concert\n7:30 PM", "2026-05-03T19:30")],
    );
    check_found(
        "en",
        "7:30 PM\nMay 3, 2026\n8:00 PM\nMay 4, 2026",
        &[
            ("7:30 PM\nMay 3, 2026", "2026-05-03T19:30"),
            ("8:00 PM\nMay 4, 2026", "2026-05-04T20:00"),
        ],
    );
    check_found(
        "en",
        "May 3, 2026 19:30 A\nMay 4, 2026 20:00 B",
        &[
            ("May 3, 2026 19:30", "2026-05-03T19:30"),
            ("May 4, 2026 20:00", "2026-05-04T20:00"),
        ],
    );
    check_found(
        "en",
        "Doors 19:00. 3 May 2026, 20:00",
        &[("19:00", "T19:00"), ("3 May 2026, 20:00", "2026-05-03T20:00")],
    );
    check_found("en", "20\nNov\nJazz Night", &[("20\nNov", "2025-11-20")]);
    check_found("en", "Nov\n20\nJazz Night", &[("Nov\n20", "2025-11-20")]);
    check_found(
        "en",
        "Released in November 2026, 300 pages",
        &[("November 2026", "2026-11")],
    );
    check_found(
        "de",
        "Sa 2.5. 20:00 Uhr Konzert, So 3.5. 11 Uhr Matinee",
        &[
            ("Sa 2.5. 20:00 Uhr", "2026-05-02T20:00"),
            ("So 3.5. 11 Uhr", "2026-05-03T11:00"),
        ],
    );
    check_found(
        "en",
        "Meetings: January 12, February 9, and March 9",
        &[
            ("January 12", "2026-01-12"),
            ("February 9", "2026-02-09"),
            ("March 9", "2026-03-09"),
        ],
    );
    check_found(
        "",
        "Publié le 3 mai 2026 par Anne",
        &[("3 mai 2026", "2026-05-03")],
    );
}

#[test]
fn headings_state_the_year() {
    let text = "2023 Meetings:\nJanuary 16\nApril 17\n2022\nMarch 5\nDecember 12";
    let expected = [
        ("January 16", "2023-01-16"),
        ("April 17", "2023-04-17"),
        ("March 5", "2022-03-05"),
        ("December 12", "2022-12-12"),
    ];
    check_found("en", text, &expected);
    check_found(
        "de",
        "Termine 2024\n3. Mai\n5. Juni",
        &[("3. Mai", "2024-05-03"), ("5. Juni", "2024-06-05")],
    );
    check_found(
        "en",
        "2019 scheduled meetings: January 25th, May 9th",
        &[("January 25th", "2019-01-25"), ("May 9th", "2019-05-09")],
    );
    check_found(
        "en",
        "2018\n16\nJan\n6 p.m. - 8 p.m.",
        &[("16\nJan\n6 p.m. - 8 p.m.", "2018-01-16T18:00/2018-01-16T20:00")],
    );
    // 5 March is a Thursday in 2026 and none in 2023.
    check_found(
        "en",
        "2023\nThursday, March 5",
        &[("Thursday, March 5", "2026-03-05")],
    );
    check_found("en", "© 2019 Somebody\nMarch 5", &[("March 5", "2026-03-05")]);
}

#[test]
fn several_days_of_one_month_are_listed() {
    check_found(
        "en",
        "January 8 and 22, February 12 and 26, 2026",
        &[
            ("January 8", "2026-01-08"),
            ("22", "2026-01-22"),
            ("February 12", "2026-02-12"),
            ("26, 2026", "2026-02-26"),
        ],
    );
    check_found(
        "en",
        "May 3, 10 & 17, 2027 at 7 pm",
        &[
            ("May 3", "2027-05-03T19:00"),
            ("10", "2027-05-10T19:00"),
            ("17, 2027 at 7 pm", "2027-05-17T19:00"),
        ],
    );
    check_found(
        "de",
        "8. und 22. Januar 2027, 20 Uhr",
        &[
            ("8.", "2027-01-08T20:00"),
            ("22. Januar 2027, 20 Uhr", "2027-01-22T20:00"),
        ],
    );
    check_found(
        "",
        "Jan. 8, Feb. 12, Mar. 11",
        &[
            ("Jan. 8", "2026-01-08"),
            ("Feb. 12", "2026-02-12"),
            ("Mar. 11", "2026-03-11"),
        ],
    );
    // The second number is something else, or the two are a range.
    check_found("en", "May 3, 10 people", &[("May 3", "2026-05-03")]);
    check_found("en", "May 3, 22 Main Street", &[("May 3", "2026-05-03")]);
    check_found("en", "May 3, 7:30 pm", &[("May 3, 7:30 pm", "2026-05-03T19:30")]);
    check_found(
        "en",
        "May 3 & 4, 2026",
        &[("May 3 & 4, 2026", "2026-05-03/2026-05-04")],
    );
    check_found("de", "Saal 3, 10. Mai 2026", &[("10. Mai 2026", "2026-05-10")]);
}

#[test]
fn dots_lead_to_the_time() {
    let expected = "2026-05-03T19:30";
    for text in [
        "May 3, 2026 ........ 7:30 pm",
        "May 3, 2026……......7:30 pm",
        "May 3, 2026 … 7:30 pm",
    ] {
        check_found("en", text, &[(text, expected)]);
    }
    check_found(
        "en",
        "May 3, 2026, 12 noon",
        &[("May 3, 2026, 12 noon", "2026-05-03T12:00")],
    );
    let long = format!("May 3, 2026 {} 7:30 pm", ".".repeat(100_000));
    assert_eq!(find_all(&long, &context("en")).len(), 2);
}

#[test]
fn other_numbers_are_no_dates() {
    let check = |text: &str| check_found("en", text, &[]);
    check("call 555-123-4567 or +49 30 1234567");
    check("01.02.03.04.05 and 192.168.10.12");
    check("version 1.2.20, v3.5.2026x, 10.12.2026.4");
    check("ISBN 978-3-16-148410-0, EAN 20261120");
    check("only $12.11.20 or 12.50 or 3,5");
    check("score 3/5, 24/7, 16:9, 1/2 cup");
    check("2026-05 pages 12-15");
    check("You may 3 times march 5 miles");
    check("Item 20/11/2026/7, #20.11.26");
    check("May I have 3 of 5?");
    check("35% of 1999 users, 2026 km, pages 3 - 5");
    check("32 May 2026, 0 June 2026");
    check("20x11x2026");
    check("Mark 12 Sat 5");
    check("Windows 10 and Python 3.12");
    check("1:1000 scale 1:5 mix");
    check("file-2026-11-20-3.txt");
    check("rated 4.5 out of 5 (1,234)");
    check("ready in 1h 18min, cook 24 hours, le repas de midi");
}

#[test]
fn times_alone() {
    let time = |text: &str| parse_time(text).map(|time| time.to_string()).unwrap_or_default();
    assert_eq!(time("7pm"), "19:00");
    assert_eq!(time("7:30:15 am"), "07:30:15");
    assert_eq!(time("19.30 Uhr"), "19:30");
    assert_eq!(time("noon"), "12:00");
    assert_eq!(time("midnight"), "00:00");
    assert_eq!(time("19h30"), "19:30");
    assert_eq!(time("kl. 19"), "19:00");
    assert_eq!(time("下午7点"), "19:00");
    assert_eq!(time("25:00"), "");
    assert_eq!(time("nothing"), "");
}

#[test]
fn values_keep_their_precision() {
    for text in [
        "2026",
        "2026-11",
        "2026-11-20",
        "2026-11-20T19:30",
        "2026-11-20T19:30:15",
        "2026-11-20T19:30+01:00",
        "2026-11-20T19:30:15Z",
    ] {
        assert_eq!(parse_iso(text).unwrap().to_string(), text);
    }
    let moment = |text: &str| parse_iso(text).unwrap();
    assert!(moment("2026-11").agrees_with(moment("2026-11-20T19:30")));
    assert!(!moment("2026-11").agrees_with(moment("2026-12-20")));
    assert!(moment("2026-11-20T19:30+01:00").agrees_with(moment("2026-11-20T18:30Z")));
    assert!(moment("2026-11-20T19:30").agrees_with(moment("2026-11-20T19:30:20Z")));
    assert!(moment("2026-11-20").same_day(moment("2026-11-20T19:30")));
    assert!(!moment("2026-11").same_day(moment("2026-11-01")));
    assert_eq!(moment("2026-11-20").days_until(moment("2027-01-01T10:00")), 42);
    assert_eq!(moment("1970-01-02T01:00+01:00").to_unix(0), 86_400);
    assert_eq!(moment("1970-01-02T01:00").to_unix(60), 86_400);
    assert_eq!(moment("2026").end_unix(0) + 1, moment("2027").to_unix(0));
    assert_eq!(moment("2026-02").end_unix(0) + 1, moment("2026-03").to_unix(0));
    assert_eq!(
        DateTime::from_unix(0, 60).unwrap().to_string(),
        "1970-01-01T01:00:00+01:00"
    );
    assert!(moment("2026-11-20T10:00Z") < moment("2026-11-20T10:00-01:00"));
    assert!(moment("2026") < moment("2026-01-02"));
}

#[test]
fn civil_days_are_counted() {
    let date = |year, month, day| Date::new(year, month, day).unwrap();
    assert_eq!(date(1970, 1, 1).to_days(), 0);
    assert_eq!(date(2000, 3, 1).to_days(), 11_017);
    assert_eq!(date(2026, 5, 3).weekday(), Weekday::Sunday);
    assert_eq!(date(2024, 2, 28).add_days(2), Date::new(2024, 3, 1));
    assert_eq!(Date::new(2026, 2, 29), None);
    assert_eq!(Date::new(1900, 2, 29), None);
    assert_eq!(Date::new(2000, 2, 29).map(Date::to_days), Some(11_016));
    assert_eq!(date(9999, 12, 31).add_days(1), None);
    for days in (-700_000..2_900_000).step_by(997) {
        assert_eq!(Date::from_days(days).map(Date::to_days), Some(days));
    }
}

#[test]
fn durations_are_read() {
    let check = |text: &str, expected: &str| {
        assert_eq!(
            parse_duration(text)
                .map(|duration| duration.to_string())
                .unwrap_or_default(),
            expected,
            "{text:?}"
        );
    };
    check("PT1H20M", "PT1H20M");
    check("P1DT2H", "P1DT2H");
    check("PT90M", "PT1H30M");
    check("P0Y0M0DT1H", "PT1H");
    check("PT0S", "PT0S");
    check("PT1.5H", "PT1H30M");
    check("P1Y", "");
    check("1h 20min", "PT1H20M");
    check("1 hr. 20 min.", "PT1H20M");
    check("90 minutes", "PT1H30M");
    check("2 Stunden 15 Minuten", "PT2H15M");
    check("1h20", "PT1H20M");
    check("1½ hours", "PT1H30M");
    check("1,5 Std.", "PT1H30M");
    check("45 sec", "PT45S");
    check("2 часа 30 минут", "PT2H30M");
    check("2時間30分", "PT2H30M");
    check("1:20", "PT1H20M");
    check("0:04:33", "PT4M33S");
    check("3 weeks", "P21D");
    check("Duration: 2 hours (with a break)", "PT2H");
    check("soon", "");
    check("12", "");
}

#[cfg(feature = "tz")]
#[test]
fn zones_are_known_by_name() {
    let local = |text: &str| parse_iso(text).unwrap();
    assert_eq!(offset_at("Europe/Berlin", local("2026-05-03T19:30")), Some(120));
    assert_eq!(offset_at("America/Chicago", local("2026-01-03")), Some(-360));
    assert_eq!(offset_at("Nowhere/Land", local("2026-01-03")), None);
}

#[test]
fn a_stated_order_decides_over_points_and_short_years_behind_dashes() {
    let read = |text: &str, order| {
        let context = DateContext {
            order,
            ..DateContext::default()
        };
        let found = find_all(text, &context);
        found
            .first()
            .and_then(|found| found.value.start())
            .map(|start| start.to_string())
    };
    let expect = |day: &str| Some(day.to_owned());
    assert_eq!(
        read("on 12.10.20", DayMonthOrder::MonthFirst),
        expect("2020-12-10")
    );
    assert_eq!(read("on 12.10.20", DayMonthOrder::DayFirst), expect("2020-10-12"));
    assert_eq!(
        read("on 2-25-21", DayMonthOrder::MonthFirst),
        expect("2021-02-25")
    );
    assert_eq!(read("on 2-25-21", DayMonthOrder::Guess), None);
}

#[test]
fn hours_with_a_sign_apart_are_times_late_in_the_day() {
    check_found("ca", "19.30 h", &[("19.30 h", "T19:30")]);
    check_found("ca", "1.30 h", &[]);
}
