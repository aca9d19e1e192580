//! Reads products from JSON: the state of a page's scripts, and answers that scripts fetch.
//!
//! Objects are recognised by the words of their keys, as nothing else describes them.

use magpie_sdk::extract::{self, Layout, StateObject, state_objects};
use magpie_sdk::identifier::Scheme;
use magpie_sdk::{Gtin, Image, Money, Mpn, Organisation, Rating, Sku, Url, text};

use super::{Marked, placeholders};
use crate::Product;

/// Maximum number of products of a page.
const MAX_PRODUCTS: usize = 2_000;

magpie_sdk::word_lists! { "state.txt";
    BESIDE: Words = "beside";
    CALLED: Words = "called";
    OTHERS: Words = "others";
    NAME: Words = "name";
    PRICE: Words = "price";
    BRAND: Words = "brand";
    GTIN: Words = "gtin";
    SKU: Words = "sku";
    MPN: Words = "mpn";
    IN_STOCK: Words = "in_stock";
    STOCK: Words = "stock";
    IMAGE: Words = "image";
}

/// Returns the products in the state of a page, or in a JSON document.
pub(super) fn products(layout: &Layout<'_>) -> Vec<Marked> {
    let objects = state_objects(layout.page(), BESIDE);
    let mut found: Vec<Marked> = Vec::new();
    for product in objects.iter().filter_map(product).take(MAX_PRODUCTS) {
        let same = |known: &Marked| {
            known.product.url == product.url && text::fold(&known.product.name) == text::fold(&product.name)
        };
        if !placeholders::is_placeholder(&product) && !found.iter().any(same) {
            found.push(Marked { product, node: None });
        }
    }
    found
}

/// Returns the product that an object is: with a name, a link or a number, and a price; or with a
/// number of its own where a shop sells it on request.
fn product(object: &StateObject<'_>) -> Option<Product> {
    if object.is_called(OTHERS) {
        return None;
    }
    let name = extract::plain_name(&object.text(NAME)?);
    if !name.contains(char::is_alphabetic) {
        return None;
    }
    let gtin = object.identifier(Scheme::Gtin, GTIN);
    let sku = object.text(SKU);
    let price = object.money(PRICE);
    let link = object.link();
    let is_called = object.has_beside() || object.is_called(CALLED);
    let is_offered = price.is_some() && (is_called || gtin.is_some() || sku.is_some());
    let is_numbered = gtin.is_some() || (is_called && sku.is_some() && object.has(BRAND));
    if link.is_none() && gtin.is_none() && sku.is_none() || !(is_offered || is_numbered) {
        return None;
    }
    let in_stock = object.text(IN_STOCK).and_then(|text| match text.as_str() {
        "true" => Some("in-stock"),
        "false" => Some("out-of-stock"),
        text => extract::availability(text),
    });
    let stock = in_stock.or_else(|| extract::availability(&object.text(STOCK)?));
    Some(Product {
        name,
        brand: object.text(BRAND).map(Organisation::from),
        model: object.text(&["model"]),
        gtin: gtin.map(Gtin::from),
        mpn: object.text(MPN).map(Mpn::from),
        sku: sku.map(Sku::from),
        price: price.map(Money::from),
        availability: stock.map(str::to_owned),
        rating: object.rating().map(Rating::from),
        image: object.url(IMAGE).map(Image::from),
        url: link.map(Url::from),
        specifications: None,
    })
}
