//! Words of the parts of a page about a product, from `parts.txt`, which explains each list.

crate::word_lists! { "parts.txt";
    pub(super) ASIDE_CLASSES: WordList = "aside_class";
    pub(super) ASIDE_HEADINGS: Words = "aside_heading";
    pub(super) NAME_CLASSES: WordList = "name_class";
    pub(super) OTHER_NAME_CLASSES: WordList = "other_name_class";
    pub(super) CODE_CLASSES: WordList = "code_class";
    pub(super) CODE_LABELS: Words = "code_label";
    pub(super) RATING_CLASSES: WordList = "rating_class";
    pub(super) RATING_LABELS: Words = "rating_label";
    pub(super) FRAME_PICTURES: Words = "frame_picture";
    pub(super) PICTURE_CLASSES: WordList = "picture_class";
}
