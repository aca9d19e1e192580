//! Words in the names of products, from `names.txt`, which explains each list.

magpie_sdk::word_lists! { "names.txt";
    pub(crate) PARTS: Words = "part";
    pub(crate) GRADES: Groups =
        "grade_pro" "grade_premium" "grade_standard" "grade_home" "grade_basic" "grade_deluxe"
        "grade_ultimate" "grade_enterprise" "grade_extended" "grade_plus" "grade_mini" "grade_max"
        "grade_gold" "grade_platinum" "grade_portable" "grade_wireless" "grade_business";
    pub(crate) TERMS: Groups =
        "term_upgrade" "term_academic" "term_license" "term_subscription" "term_refurbished"
        "term_used";
    pub(crate) PLATFORMS: Groups =
        "platform_windows" "platform_mac" "platform_unix" "platform_xbox" "platform_playstation"
        "platform_nintendo";
    pub(crate) SYSTEMS: Words = "system";
    pub(crate) NOISE: Words = "noise";
    pub(crate) COLOURS: Groups =
        "black" "white" "red" "blue" "green" "silver" "pink" "yellow" "grey" "golden" "orange"
        "purple" "brown";
    pub(crate) PLACEHOLDERS: Words = "placeholder";
    pub(crate) PLACEHOLDER_STARTS: Words = "placeholder_start";
    pub(crate) BRAND_SHOPS: Words = "brand_shop";
    pub(crate) COUNTED: Words = "counted";
}

/// Kinds of packaging, folded, as pairs of adjacent words.
pub(crate) const PACKAGING: &[[&str; 2]] = &[
    ["jewel", "case"],
    ["dvd", "case"],
    ["cd", "case"],
    ["cd", "rom"],
    ["dvd", "rom"],
    ["large", "box"],
    ["small", "box"],
    ["retail", "box"],
    ["dvd", "box"],
    ["gift", "box"],
];
