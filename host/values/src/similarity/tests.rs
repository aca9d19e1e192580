use super::*;

fn close(actual: f64, expected: f64) {
    assert!((actual - expected).abs() < 0.0005, "{actual} is not {expected}");
}

#[test]
fn jaro_and_winkler_match_the_worked_examples() {
    // Six matches, T and H swapped: (6/6 + 6/6 + 5/6) / 3.
    close(jaro("MARTHA", "MARHTA"), 0.9444);
    close(jaro_winkler("MARTHA", "MARHTA"), 0.9611);
    // Four matches in order: (4/5 + 4/6 + 1) / 3.
    close(jaro("DWAYNE", "DUANE"), 0.8222);
    close(jaro_winkler("DWAYNE", "DUANE"), 0.84);
    // Four matches: (4/5 + 4/8 + 1) / 3.
    close(jaro("DIXON", "DICKSONX"), 0.7667);
    close(jaro("abc", "xyz"), 0.0);
    close(jaro("", ""), 1.0);
    close(jaro("", "a"), 0.0);
    close(jaro("a", "a"), 1.0);
}

#[test]
fn edits_are_counted() {
    close(levenshtein("kitten", "sitting"), 1.0 - 3.0 / 7.0);
    close(levenshtein("", ""), 1.0);
    close(levenshtein("abc", ""), 0.0);
    close(levenshtein("flaw", "lawn"), 0.5);
    close(damerau_similarity("receive", "recieve"), 1.0 - 1.0 / 7.0);
    close(damerau_similarity("", "ab"), 0.0);
}

#[test]
fn sets_are_compared() {
    close(jaccard(&[1, 2, 3], &[2, 3, 4]), 0.5);
    close(dice(&[1, 2, 3], &[2, 3, 4]), 2.0 / 3.0);
    close(overlap(&[1, 2], &[1, 2, 3, 4]), 1.0);
    close(jaccard::<u8>(&[], &[]), 1.0);
    close(overlap::<u8>(&[], &[1]), 0.0);
    close(jaccard(&[1, 1, 1], &[1]), 1.0);
}

#[test]
fn word_order_is_forgiven() {
    close(token_set("Night of the Opera", "opera, the night of"), 1.0);
    close(token_set("The Tempest", "The Tempest (live at the Globe)"), 1.0);
    close(token_set("alpha", ""), 0.0);
    close(token_set("", ""), 1.0);
    // Nothing in common: the plain distance of "abc" and "abd".
    close(token_set("abc", "abd"), 2.0 / 3.0);
}

#[test]
fn numbers_speak_when_there_are_any() {
    assert_eq!(numbers_agree("iPhone 15", "iPhone 15 Pro"), Some(1.0));
    assert_eq!(numbers_agree("iPhone 15", "iPhone 14"), Some(0.0));
    assert_eq!(numbers_agree("plain", "words"), None);
}

#[test]
fn soft_matches_allow_slips_and_initials() {
    close(tokens_match("john", "john"), 1.0);
    close(tokens_match("j", "john"), 0.8);
    close(tokens_match("phil", "philharmonic"), 0.8);
    assert!(tokens_match("shakespeare", "shakespear") > 0.79);
    close(tokens_match("mp3", "mp4"), 0.0);
    close(tokens_match("to", "tower"), 0.0);
    close(soft_tokens("John Smith", "Smith John"), 1.0);
    // Weights 1, 2 and twice root 5: (0.8 * (1 + 2) + 2 root 5) / (1 + 2 + 2 root 5).
    close(
        soft_tokens("J Smith", "John Smith"),
        (2.4 + 2.0 * 5f64.sqrt()) / (3.0 + 2.0 * 5f64.sqrt()),
    );
    close(soft_tokens("alpha", "omega"), 0.0);
}
