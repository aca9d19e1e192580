//! Products: what a shop or a maker says about a product.
//!
//! Overview of the code: [`extract`](mod@extract) finds the products of a page (in structured data,
//! then in the visible content, then in lists). [`keys`] computes the blocking keys, [`cluster`]
//! compares two records, and [`queries`] builds search queries.

mod cluster;
mod extract;
mod figures;
mod keys;
mod labels;
mod lists;
mod model;
mod names;
mod queries;

use magpie_sdk::{
    About, Calibration, Error, Found, Gtin, Image, Key, Money, Mpn, Organisation, Page, Properties, Query,
    Rating, Record, Sku, Url, Verdict, Vertical,
};

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

#[derive(Clone, Copy, Debug)]
pub struct Products;

impl Vertical for Products {
    type Record = Product;
    const NAME: &'static str = "products";

    fn about() -> About {
        About::new("Products: name, brand, bar code, model, price, availability, specifications.")
            .content_types(&["text/html", "application/xhtml+xml", "application/json"])
            .schema_types(&[
                "Product",
                "ProductGroup",
                "IndividualProduct",
                "ProductModel",
                "SomeProducts",
                "Vehicle",
                "Offer",
            ])
            .path_hints(&[
                "/product",
                "/item",
                "/shop",
                "/p/",
                "/dp/",
                "/artikel",
                "/produkt",
                "/produit",
                "/producto",
                "/prodotto",
            ])
    }

    fn extract(page: &Page) -> Result<Vec<Found<Product>>, Error> {
        Ok(extract::products(page))
    }

    fn calibration() -> Calibration {
        Calibration::parse(include_str!("calibration.txt"))
    }

    fn keys(record: &Product) -> Vec<Key> {
        keys::keys(record)
    }

    fn compare(one: &Product, other: &Product) -> Verdict {
        cluster::compare(one, other)
    }

    fn queries(record: &Product) -> Vec<Query> {
        queries::queries(record)
    }
}

magpie_sdk::export!(Products);
