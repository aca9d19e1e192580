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
mod product;
mod queries;

use magpie_sdk::{About, Calibration, Error, Found, Key, Page, Query, Verdict, Vertical};

pub use product::Product;

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
