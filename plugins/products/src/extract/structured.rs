//! Products in structured data.

use magpie_sdk::extract::{self, Layout, availability};
use magpie_sdk::identifier::{self, Scheme};
use magpie_sdk::{Entity, Gtin, Image, Money, Mpn, Organisation, Properties, Rating, Sku, Url, text};

use super::Marked;
use crate::Product;

/// Types of products, and what pages of shops call themselves in Open Graph.
const TYPES: &[&str] = &[
    "Product", "ProductGroup", "IndividualProduct", "ProductModel", "SomeProducts", "Vehicle", "Car", "h-product", "og:product", "og:product.item",
];

/// Properties that hold a page's or a listing's things; what is held otherwise (`isRelatedTo`, `hasVariant`) is told elsewhere.
const HOLDERS: &[&str] = &["mainEntity", "itemListElement", "item", "itemOffered", "mainEntityOfPage", "@graph"];

/// Properties with a bar code's number.
const NUMBERS: &[&str] = &["gtin13", "gtin14", "gtin12", "gtin8", "gtin", "ean", "productID", "identifier", "isbn", "sku"];

/// Products that one page lists.
const MOST_PRODUCTS: usize = 2_000;

/// Properties in `additionalProperty` that are kept.
const MOST_PROPERTIES: usize = 100;

/// The products that the page marks up.
pub(super) fn products(layout: &Layout<'_>) -> Vec<Marked> {
    let page = layout.page();
    let entities = extract::entities(page, TYPES).into_iter();
    let own = entities.filter(|entity| entity.holder().is_none_or(|(_, property)| HOLDERS.contains(&property)));
    let mut found: Vec<Marked> = Vec::new();
    for entity in own.take(MOST_PRODUCTS) {
        if let Some(product) = product(entity) {
            add(&mut found, Marked { product, node: entity.element().map(|element| element.node()) });
        }
    }
    // A name may stand beside the markup; of several without one nobody knows which is which.
    if found.len() > 1 {
        found.retain(|marked| !marked.product.name.is_empty());
    }
    found
}

/// The same product marked up twice, as JSON-LD and as microdata, is one.
fn add(found: &mut Vec<Marked>, marked: Marked) {
    let name = text::tokens(&marked.product.name);
    // Names are compared where the list is short; a long listing is in one syntax.
    const MOST_COMPARED: usize = 50;
    let differ = |one: &Option<Sku>, other: &Option<Sku>| matches!((one, other), (Some(one), Some(other)) if one != other);
    let same = |known: &&mut Marked| {
        let urls = matches!((&known.product.url, &marked.product.url), (Some(one), Some(other)) if one != other);
        !urls && !differ(&known.product.sku, &marked.product.sku) && text::tokens(&known.product.name) == name
    };
    match found.iter_mut().take(MOST_COMPARED).find(same) {
        Some(known) => {
            super::fill(&mut known.product, &marked.product);
        }
        None => found.push(marked),
    }
}

fn product(entity: Entity<'_>) -> Option<Product> {
    let one = |path: &str| entity.get(path).map(text::tidy).filter(|text| !text.is_empty());
    let name = one("name").or_else(|| one("title")).filter(|name| name.contains(char::is_alphanumeric));
    let gtin = gtin(entity);
    let product = Product {
        name: name.unwrap_or_default(),
        brand: one("brand").or_else(|| one("manufacturer")).map(Organisation::from),
        model: one("model"),
        mpn: one("mpn").map(Mpn::from),
        sku: one("sku").or_else(|| one("productGroupID")).map(Sku::from),
        price: price(entity).map(Money::from),
        availability: stock(entity),
        rating: extract::rating(entity, "aggregateRating").filter(|rating| is_positive(rating)).map(Rating::from),
        image: image(entity).map(Image::from),
        url: ["url", "offers.url", "mainEntityOfPage"].iter().find_map(|path| one(path).filter(|url| url.starts_with("http"))).map(Url::from),
        specifications: properties(entity),
        gtin: gtin.map(Gtin::from),
    };
    (!product.name.is_empty() || product.price.is_some()).then_some(product)
}

/// The price of the product's offers, or of its variants'. A price of nothing says that there is none.
fn price(entity: Entity<'_>) -> Option<String> {
    ["offers", "offers.offers", "hasVariant.offers", "price"]
        .iter()
        .filter_map(|path| extract::money(entity, path))
        .find(|price| is_positive(price))
}

/// Whether it can be had: one offer that says yes is enough.
fn stock(entity: Entity<'_>) -> Option<String> {
    let offers = ["offers.availability", "offers.offers.availability", "hasVariant.offers.availability"];
    let mut all = offers.iter().flat_map(|path| entity.all(path)).filter_map(availability).peekable();
    let first = *all.peek()?;
    Some(all.find(|stock| *stock == "in-stock").unwrap_or(first).to_owned())
}

fn gtin(entity: Entity<'_>) -> Option<String> {
    let texts = NUMBERS.iter().flat_map(|name| {
        // A shop's own number may pass the check of a short bar code by chance.
        let own = matches!(*name, "productID" | "identifier" | "sku");
        entity.all(name).into_iter().filter(move |text| !own || text.chars().filter(char::is_ascii_digit).count() >= 12)
    });
    let mut valid = texts.filter(|text| identifier::normalise(Scheme::Gtin, text).is_ok());
    valid.next().map(str::to_owned)
}

fn image(entity: Entity<'_>) -> Option<String> {
    ["image.url", "image.contentUrl", "image", "photo"]
        .iter()
        .filter_map(|path| entity.get(path))
        .find(|url| url.starts_with("http"))
        .map(str::to_owned)
}

/// `additionalProperty`, and the few properties of schema.org that are specifications.
fn properties(entity: Entity<'_>) -> Option<Properties> {
    let mut found = Properties::new();
    for property in entity.entities("additionalProperty").take(MOST_PROPERTIES) {
        if let (Some(name), Some(value)) = (property.get("name"), property.get("value")) {
            let unit = property.get("unitText").unwrap_or_default();
            found.insert(text::tidy(name), text::tidy(&format!("{value} {unit}")));
        }
    }
    for name in ["color", "material", "size", "pattern"] {
        if let Some(value) = entity.get(name) {
            found.entry(name.to_owned()).or_insert_with(|| text::tidy(value));
        }
    }
    (!found.is_empty()).then_some(found)
}

fn is_positive(written: &str) -> bool {
    let number = written.split(['/', ' ']).next().unwrap_or_default();
    number.contains(|digit: char| ('1'..='9').contains(&digit))
}
