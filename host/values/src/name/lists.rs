//! Words in names, from `words.txt`, which explains each list.

crate::word_lists! { "words.txt";
    pub(super) TITLES: Words = "title";
    pub(super) SUFFIXES: Words = "suffix";
    pub(super) PARTICLES: Words = "particle";
    pub(super) PEOPLE_OPENINGS: Words = "people_opening";
    pub(super) NO_PERSON: Words = "no_person";
    pub(super) LEGAL_FORMS: Words = "legal_form";
    pub(super) TRADE_WORDS: Words = "trade" "small";
    pub(super) SMALL_WORDS: Words = "small";
    pub(super) VENUE_WORDS: Words = "venue";
    pub(super) ABBREVIATIONS: Words = "abbreviation";
    pub(super) STREET_WORDS: Words = "street";
    pub(super) STREET_ENDINGS: Words = "street_ending";
}
