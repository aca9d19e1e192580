//! Words about books, from `words.txt`, which explains each list.

magpie_sdk::word_lists! { "words.txt";
    pub(crate) BOOKS: Words = "book";
    pub(crate) BOOKS_IN_TEXT: WordList = "book";
    pub(crate) SINGLE: Words = "single";
    pub(crate) PAGE_UNITS: Words = "page_unit";
    pub(crate) SECTIONS: Words = "section";
    pub(crate) BY: Words = "by";
    pub(crate) AUTHOR_CLASSES: Words = "author_class";
    pub(crate) SUBTITLE_CLASSES: Words = "subtitle_class";
    pub(crate) PARTICLES: Words = "particle";
    pub(crate) OTHER_ROLES: Words = "other_role";
    pub(crate) ORDINALS: Words = "ordinal";
    pub(crate) EDITION_WORDS: Words = "edition_word";
    pub(crate) SOUND: Words = "sound";
    pub(crate) SCREEN: Words = "screen";
    pub(crate) BOARD: Words = "board";
    pub(crate) PAPER: Words = "paper";
}
