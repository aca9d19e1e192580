//! The record of a product.

use magpie_sdk::{Gtin, Image, Money, Mpn, Organisation, Properties, Rating, Record, Sku, Url};

#[derive(Record, Clone, Debug, Default, PartialEq)]
pub struct Product {
    #[attribute(identifies, query, weight = 2.0, schema_org = "name")]
    pub name: String,
    #[attribute(query, schema_org = "brand.name")]
    pub brand: Option<Organisation>,
    #[attribute(schema_org = "model")]
    pub model: Option<String>,
    /// Number of the bar code.
    #[attribute(identifies, schema_org = "gtin")]
    pub gtin: Option<Gtin>,
    /// Maker's part number.
    #[attribute(schema_org = "mpn")]
    pub mpn: Option<Mpn>,
    /// Article number of this shop.
    #[attribute(schema_org = "sku")]
    pub sku: Option<Sku>,
    /// Price in this shop.
    #[attribute(schema_org = "offers.price")]
    pub price: Option<Money>,
    /// Availability: `in-stock`, `out-of-stock`, `preorder`, `backorder`, `limited` or
    /// `discontinued`.
    pub availability: Option<String>,
    /// Average rating by customers of this site.
    #[attribute(schema_org = "aggregateRating")]
    pub rating: Option<Rating>,
    /// URL of its picture.
    #[attribute(schema_org = "image")]
    pub image: Option<Image>,
    /// URL of its page.
    #[attribute(schema_org = "url")]
    pub url: Option<Url>,
    /// Other properties, from a table or list.
    pub specifications: Option<Properties>,
}
