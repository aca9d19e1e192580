use super::*;

#[test]
fn tidy_collapses_space_and_drops_the_invisible() {
    let check = |input: &str, expected: &str| assert_eq!(tidy(input), expected, "{input:?}");
    check("  a \t\r\n b  ", "a b");
    check("12\u{a0}500\u{202f}€", "12 500 €");
    check("so\u{ad}ft \u{200b}zero\u{feff}", "soft zero");
    check("bell\u{7}rings", "bell rings");
    check("\u{200b} \u{200b}", "");
    check("می\u{200c}خواهم", "می\u{200c}خواهم");
}

#[test]
fn fold_unifies_what_readers_take_for_the_same() {
    let check = |input: &str, expected: &str| assert_eq!(fold(input), expected, "{input:?}");
    check("Café  CRÈME", "cafe creme");
    check("cafe\u{301}", "cafe");
    check("Straße", "strasse");
    check("Łódź", "lodz");
    check("Đà Nẵng", "da nang");
    check("İstanbul ışık", "istanbul isik");
    check("Ærø & Œuvre", "aero & oeuvre");
    check("Ὀδυσσεύς ΟΔΥΣΣΕΎΣ", "οδυσσευσ οδυσσευσ");
    check("Ёлка ЙОД", "елка иод");
    check("“Quotes” ‘and’ – dashes—", "\"quotes\" 'and' - dashes-");
    check("ＡＢＣ１２３", "abc123");
    check("a \u{301} b", "a b");
    check("・ジョン・ レノン・", "ジョン レノン");
    check("・", "");
}

#[test]
fn words_keep_apostrophes_and_split_chinese() {
    let check =
        |input: &str, expected: &[&str]| assert_eq!(words(input).collect::<Vec<_>>(), expected, "{input:?}");
    check("Don't stop, l’été!", &["Don't", "stop", "l’été"]);
    check("'quoted' words'", &["quoted", "words"]);
    check("iPhone15 東京タワー", &["iPhone15", "東", "京", "タ", "ワ", "ー"]);
    check("…", &[]);
    check("rock'n'roll o'é 'x", &["rock'n'roll", "o'é", "x"]);
    check("naïve éa a-b", &["naïve", "éa", "a", "b"]);
    assert_eq!(tokens("Don’t STOP"), ["dont", "stop"]);
    assert_eq!(bare(" Don’t  stop: Café's -- ®"), "dont stop cafes");
    assert_eq!(bare("開催日: 5月 Alder"), "開催日 5月 alder");
}

#[test]
fn labels_come_off() {
    assert_eq!(strip_label("Price: 12", "price"), Some("12"));
    assert_eq!(strip_label("PREIS – 12 €", "Preis"), Some("12 €"));
    assert_eq!(strip_label("Größe: L", "grösse"), Some("L"));
    assert_eq!(strip_label("Pricey things", "price"), None);
    assert_eq!(strip_label("", "price"), None);
    assert_eq!(strip_any_label("Autor: A. B.", &["author", "autor"]), "A. B.");
    assert_eq!(strip_any_label(" none ", &["author"]), "none");
    assert_eq!(
        split_label("Publication date: May 2026"),
        Some(("Publication date", "May 2026"))
    );
    assert_eq!(split_label("at 19:30"), None);
    assert_eq!(split_label("https://example.org"), None);
}

#[test]
fn slug_joins_folded_words() {
    assert_eq!(slug("Éric's Café, 2nd Edition!"), "erics-cafe-2nd-edition");
    assert_eq!(slug("  --  "), "");
    assert_eq!(slug("Война и мир"), "воина-и-мир");
}

#[test]
fn truncate_stops_between_characters() {
    assert_eq!(truncate("aé", 2), "a");
    assert_eq!(truncate("aé", 3), "aé");
    assert_eq!(truncate("日本", 1), "");
    assert_eq!(shorten("one two three", 10), "one…");
    assert_eq!(shorten("short", 10), "short");
}

#[test]
fn entities_are_unescaped_however_often() {
    let check = |input: &str, expected: &str| assert_eq!(unescape(input), expected, "{input:?}");
    check("Simon &amp;amp; Garfunkel", "Simon & Garfunkel");
    check("&#8364; 5 &#x20AC;", "€ 5 €");
    check("AT&T; R&D", "AT&T; R&D");
    check("&unknown; &#0; &", "&unknown; &#0; &");
    check("caf&eacute;", "café");
}

#[test]
fn figures_are_found_wherever_they_stand() {
    for text in [
        "",
        "Old Mill",
        "Room 3",
        "3",
        "a line without any, which is longer than eight",
        "Größe",
        "/:;<=>?/:;<=>?",
        "（）",
    ] {
        assert_eq!(has_figure(text), text.contains(char::is_numeric), "{text}");
    }
    let mut text = "x".repeat(40);
    for place in 0..text.len() {
        for figure in ["0", "9", "½", "٣", "３", "Ⅻ"] {
            text.replace_range(place..=place, figure);
            assert!(has_figure(&text), "{text}");
            text = "x".repeat(40);
        }
    }
}

proptest::proptest! {
    #[test]
    fn colons_are_found_as_by_looking_at_each_character(text in "[a-z ]{0,20}(：|:|\\PC|．)?[a-z：:．]{0,12}") {
        let found = text.char_indices().find(|(_, letter)| matches!(letter, ':' | '：'));
        proptest::prop_assert_eq!(find_colon(&text), found.map(|(at, letter)| (at, letter.len_utf8())));
    }

    #[test]
    fn figures_are_found_as_by_looking_at_each_character(text in "[ -~]{0,30}|\\PC{0,20}") {
        proptest::prop_assert_eq!(has_figure(&text), text.contains(char::is_numeric));
    }
}
