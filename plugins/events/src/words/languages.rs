//! Word lists generated from `data/languages` by `build.rs`.

use magpie_sdk::text::WordList;

include!(concat!(env!("OUT_DIR"), "/languages.rs"));

#[cfg(test)]
mod tests {
    use magpie_sdk::text;

    /// Page texts are folded before the comparison, so that other words would never match.
    #[test]
    fn all_words_are_folded() {
        for (key, words) in super::ALL {
            for word in *words {
                let folded: Vec<String> = word.split(' ').map(text::fold_word).collect();
                assert_eq!(*word, folded.join(" "), "the key `{key}` of data/languages");
            }
        }
    }
}
