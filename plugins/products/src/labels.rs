//! Labels of the attributes of a product on pages, from `labels.txt`.

magpie_sdk::word_lists! { "labels.txt";
    pub(crate) BRAND: Words = "brand";
    pub(crate) MODEL: Words = "model";
    pub(crate) GTIN: Words = "gtin";
    pub(crate) MPN: Words = "mpn";
    pub(crate) SKU: Words = "sku";
    pub(crate) AVAILABILITY: Words = "availability";
    pub(crate) NO_SPECIFICATION: Words = "no_specification";
}
