//! Reads products from structured data.

use magpie_sdk::extract::{self, Layout};
use magpie_sdk::identifier::{self, Scheme};
use magpie_sdk::{Entity, Gtin, Image, Money, Mpn, Organisation, Properties, Rating, Sku, Url, text};

use super::Marked;
use crate::Product;

/// Types of products, including the Open Graph types of product pages.
const TYPES: &[&str] = &[
    "Product",
    "ProductGroup",
    "IndividualProduct",
    "ProductModel",
    "SomeProducts",
    "Vehicle",
    "Car",
    "h-product",
    "og:product",
    "og:product.item",
];

/// Properties that hold the products of a page or list. Products in other properties
/// (`isRelatedTo`, `hasVariant`) are not separate records.
const HOLDERS: &[&str] = &[
    "mainEntity",
    "itemListElement",
    "item",
    "itemOffered",
    "mainEntityOfPage",
    "@graph",
];

/// Properties that may contain a GTIN.
const NUMBERS: &[&str] = &[
    "gtin13",
    "gtin14",
    "gtin12",
    "gtin8",
    "gtin",
    "ean",
    "productID",
    "identifier",
    "isbn",
    "sku",
];

/// Property paths of prices: of the product's offers, of aggregate offers, and of variants.
const PRICES: &[&str] = &["offers", "offers.offers", "hasVariant.offers", "price"];

/// Property paths of the availability.
const STOCKS: &[&str] = &[
    "offers.availability",
    "offers.offers.availability",
    "hasVariant.offers.availability",
];

/// Maximum number of products per page.
const MOST_PRODUCTS: usize = 2_000;

/// Maximum number of properties read from `additionalProperty`.
const MOST_PROPERTIES: usize = 100;

/// Returns the products in the structured data of a page.
pub(super) fn products(layout: &Layout<'_>) -> Vec<Marked> {
    let page = layout.page();
    let entities = extract::entities(page, TYPES).into_iter();
    let own = entities.filter(|entity| {
        entity
            .holder()
            .is_none_or(|(_, property)| HOLDERS.contains(&property))
    });
    let mut found: Vec<Marked> = Vec::new();
    for entity in own.take(MOST_PRODUCTS) {
        if let Some(product) = product(entity) {
            add(
                &mut found,
                Marked {
                    product,
                    node: entity.element().map(|element| element.node()),
                },
            );
        }
    }
    // A single product without a name can take that of the heading. With several products this is
    // ambiguous.
    if found.len() > 1 {
        found.retain(|marked| !marked.product.name.is_empty());
    }
    found
}

/// Adds a product, merging it with one that is marked up twice, as JSON-LD and as microdata.
fn add(found: &mut Vec<Marked>, marked: Marked) {
    let name = text::tokens(&marked.product.name);
    // Only short lists are compared; a long list is in one syntax.
    const MOST_COMPARED: usize = 50;
    let differ = |one: &Option<Sku>, other: &Option<Sku>| matches!((one, other), (Some(one), Some(other)) if one != other);
    let same = |known: &&mut Marked| {
        let urls =
            matches!((&known.product.url, &marked.product.url), (Some(one), Some(other)) if one != other);
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
    let name = one("name")
        .or_else(|| one("title"))
        .map(|name| extract::plain_name(&name))
        .filter(|name| name.contains(char::is_alphanumeric));
    let gtin = gtin(entity);
    let product = Product {
        name: name.unwrap_or_default(),
        brand: one("brand")
            .or_else(|| one("manufacturer"))
            .map(Organisation::from),
        model: one("model"),
        mpn: one("mpn").map(Mpn::from),
        sku: one("sku").or_else(|| one("productGroupID")).map(Sku::from),
        price: extract::offered_price(entity, PRICES).map(Money::from),
        availability: extract::offered_stock(entity, STOCKS).map(str::to_owned),
        rating: extract::known_rating(entity, "aggregateRating").map(Rating::from),
        image: extract::marked_picture(entity).map(Image::from),
        url: ["url", "offers.url", "mainEntityOfPage"]
            .iter()
            .find_map(|path| one(path).filter(|url| url.starts_with("http")))
            .map(Url::from),
        specifications: properties(entity),
        gtin: gtin.map(Gtin::from),
    };
    (!product.name.is_empty() || product.price.is_some()).then_some(product)
}

fn gtin(entity: Entity<'_>) -> Option<String> {
    let texts = NUMBERS.iter().flat_map(|name| {
        // A shop's own number may have a valid check digit of a short GTIN by chance.
        let own = matches!(*name, "productID" | "identifier" | "sku");
        entity
            .all(name)
            .into_iter()
            .filter(move |text| !own || text.chars().filter(char::is_ascii_digit).count() >= 12)
    });
    let mut valid = texts.filter(|text| identifier::normalise(Scheme::Gtin, text).is_ok());
    valid.next().map(str::to_owned)
}

/// Reads `additionalProperty`, and the few properties of schema.org that are specifications.
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
