//! Products: what a shop or a maker says of one thing that is sold.
//!
//! The way through the code: [`extract`](mod@extract) finds products on a page (structured data
//! first, then the page as a reader sees it, then listings), [`keys`] lets likely twins meet, [`cluster`]
//! says when two are the same product, down to size and pack, [`queries`] what to ask a search engine.

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

/// One thing that is sold.
#[derive(Record, Clone, Debug, Default, PartialEq)]
pub struct Product {
    /// What it is called.
    #[attribute(identifies, query, weight = 2.0)]
    pub name: String,
    /// Whose name is on it.
    #[attribute(query)]
    pub brand: Option<Organisation>,
    /// The maker's name for the model: `WH-1000XM4`.
    pub model: Option<String>,
    /// The number under the bar code.
    #[attribute(identifies)]
    pub gtin: Option<Gtin>,
    /// The maker's part number.
    pub mpn: Option<Mpn>,
    /// This shop's own number.
    pub sku: Option<Sku>,
    /// What it costs here.
    pub price: Option<Money>,
    /// Whether it can be had: `in-stock`, `out-of-stock`, `preorder`, `backorder`, `limited`, `discontinued`.
    pub availability: Option<String>,
    /// What this site's buyers think of it.
    pub rating: Option<Rating>,
    /// Its picture.
    pub image: Option<Image>,
    /// Its page.
    pub url: Option<Url>,
    /// What else is said of it in a table.
    pub specifications: Option<Properties>,
}

/// The vertical.
#[derive(Clone, Copy, Debug)]
pub struct Products;

impl Vertical for Products {
    type Record = Product;
    const NAME: &'static str = "products";

    fn about() -> About {
        About::new("Products: name, brand, bar code, model, price, availability, specifications.")
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
