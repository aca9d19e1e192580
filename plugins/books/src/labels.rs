//! Labels of the attributes of a book on pages, from `labels.txt`.

magpie_sdk::word_lists! { "labels.txt";
    pub(crate) ISBN: Words = "isbn";
    pub(crate) AUTHOR: Words = "author";
    pub(crate) PUBLISHER: Words = "publisher";
    pub(crate) PUBLISHED: Words = "published";
    pub(crate) EDITION: Words = "edition";
    pub(crate) FORMAT: Words = "format";
    pub(crate) LANGUAGE: Words = "language";
    pub(crate) PAGES: Words = "pages";
}
