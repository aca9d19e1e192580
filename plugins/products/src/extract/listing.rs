//! Reads the products of list pages.

use magpie_sdk::extract::{Block, Layout, RecordGroup, RecordRow, availability, plain_name};
use magpie_sdk::{Found, Image, Money, Rating, Url};

use super::address::{Kind, address_says, has_product};
use super::confidence::{Source, confidence};
use super::{Places, placed, placeholders};
use crate::Product;

/// Minimum number of cards of a list. Two may be any other box.
const MIN_CARDS: usize = 3;

/// Minimum number of cards of a list if the software marks the page as a list.
const MIN_LISTED_CARDS: usize = 2;

/// A card of a list page.
pub(super) struct Card {
    pub(super) product: Product,
    places: Places,
    /// Is true if the card has a way to buy the product.
    for_sale: bool,
    /// Is true if the name is in a heading or in an element with a class for titles.
    titled: bool,
    /// Is true if the class of the card, or of an element next to it, names a product.
    named: bool,
}

/// Returns the products of the lists on a page.
pub(super) fn products(layout: &Layout<'_>, groups: &[RecordGroup], kind: Kind) -> Vec<Found<Product>> {
    let mut found = Vec::new();
    let fewest = if kind == Kind::List {
        MIN_LISTED_CARDS
    } else {
        MIN_CARDS
    };
    let is_cart = |group: &RecordGroup| {
        let first = group.rows.first().and_then(|row| row.nodes.first());
        first.is_some_and(|&node| layout.is_in_cart(node))
    };
    let groups = groups.iter().filter(|group| !is_cart(group));
    for group in groups.filter(|group| !is_programme(layout, group)) {
        let cards = group.rows.iter().filter_map(|row| read(layout, row));
        let sold: Vec<Card> = cards.filter(|card| is_sold(layout, card)).collect();
        let count = |test: fn(&Card) -> bool| sold.iter().filter(|card| test(card)).count();
        let pictured = count(|card| card.product.image.is_some());
        let offered = count(|card| card.product.price.is_some() || card.for_sale || card.named);
        // Rows that only have prices may be fees, and a few pictures among them are chance. So half
        // of the cards must have pictures.
        let half = sold.len().div_ceil(2);
        if sold.len() >= fewest
            && sold.len() * 5 >= group.rows.len() * 3
            && pictured >= half
            && offered >= half
            && !is_one_name(&sold)
        {
            found.extend(sold.into_iter().map(|card| {
                let confidence = confidence(Source::Card, signs(&card));
                placed(Found::new(card.product).confidence(confidence), card.places)
            }));
        }
    }
    found
}

/// Counts the signs that a card shows a product.
fn signs(card: &Card) -> u32 {
    let signs = [
        card.product.price.is_some(),
        card.product.image.is_some(),
        card.for_sale,
        card.titled,
    ];
    signs.iter().filter(|sign| **sign).count() as u32
}

/// Returns true if all cards have the same name, as buttons and labels do.
fn is_one_name(cards: &[Card]) -> bool {
    let first = cards.first().map(|card| card.product.name.as_str());
    cards.len() > 1 && cards.iter().all(|card| Some(card.product.name.as_str()) == first)
}

/// Returns true if most rows have a date and a place. Tickets have prices and pictures too.
fn is_programme(layout: &Layout<'_>, group: &RecordGroup) -> bool {
    let blocks = group.rows.iter().filter_map(|row| layout.row_block(row));
    let occasions = blocks.filter(Block::is_occasion).count();
    occasions * 5 >= group.rows.len() * 3
}

/// Returns all rows with a name, whether they are products or not.
pub(super) fn rows(layout: &Layout<'_>, groups: &[RecordGroup]) -> Vec<Product> {
    groups
        .iter()
        .flat_map(|group| &group.rows)
        .filter_map(|row| read(layout, row))
        .map(|card| card.product)
        .collect()
}

/// Returns true for a card that the software marks as a category: `product-category product`.
fn is_shelf(layout: &Layout<'_>, row: &RecordRow) -> bool {
    let classes = row.nodes.iter().filter_map(|&node| layout.class(node));
    let mut tokens = classes.flat_map(str::split_ascii_whitespace);
    tokens.any(|token| {
        matches!(
            token,
            "product-category" | "product-cat" | "category-card" | "collection-card"
        )
    })
}

/// Returns true if the class of a card, or of its parent or one of its first children, names a
/// product.
fn names_product(layout: &Layout<'_>, row: &RecordRow) -> bool {
    let Some(node) = row.nodes.first().and_then(|&node| layout.outline().node(node)) else {
        return false;
    };
    let near = std::iter::once(node)
        .chain(node.parent())
        .chain(node.child_elements().take(3));
    let mut classes = near.filter_map(|node| layout.class(node.id()));
    classes.any(has_product)
}

/// Returns true if a card sells a product.
///
/// The card must have a price, a stock or a buy button, and link to a page of its own. Links to a
/// category, to an article or to the same page are navigation.
fn is_sold(layout: &Layout<'_>, card: &Card) -> bool {
    let product = &card.product;
    let Some(url) = product.url.as_deref() else {
        return false;
    };
    let path = |url: &str| {
        url.split(['?', '#'])
            .next()
            .unwrap_or_default()
            .trim_end_matches('/')
            .to_owned()
    };
    // A link to another site is an advertisement, unless the card has a buy button.
    let host = |url: &str| {
        url.split('/')
            .nth(2)
            .unwrap_or_default()
            .trim_start_matches("www.")
            .to_owned()
    };
    let is_elsewhere = host(url) != host(layout.page().url()) && !card.for_sale;
    let is_own = path(url) == path(layout.page().url());
    // Shops without prices are recognised by the classes of the cards and by the URLs. `Kettles
    // (12)` is a category with the number of its products.
    let is_counted = product.name.trim_end().ends_with(')')
        && product.name.rsplit('(').next().is_some_and(|count| {
            count
                .trim_end_matches([')', ' '])
                .bytes()
                .all(|byte| byte.is_ascii_digit())
        });
    let is_shown = !is_counted
        && card.named
        && card.titled
        && product.image.is_some()
        && address_says(url) == Kind::Product;
    let is_offered = product.price.is_some() || product.availability.is_some() || card.for_sale || is_shown;
    is_offered
        && !is_own
        && !is_elsewhere
        && !matches!(address_says(url), Kind::List | Kind::Other)
        && !placeholders::is_placeholder(product)
}

fn read(layout: &Layout<'_>, row: &RecordRow) -> Option<Card> {
    let block = layout.row_block(row).filter(|_| !is_shelf(layout, row))?;
    let (price, stars, picture, stock) = (
        block.price(),
        block.stars(),
        block.picture(),
        block.availability(),
    );
    let mut places: Places = vec![("name", block.heading().node)];
    places.extend(price.as_ref().map(|price| ("price", price.node)));
    places.extend(stars.as_ref().map(|stars| ("rating", stars.node)));
    places.extend(picture.as_ref().map(|picture| ("image", picture.node)));
    places.extend(stock.as_ref().map(|stock| ("availability", stock.node)));
    let name = plain_name(&block.heading().text);
    // A name that is a price or a stock (`Sold out`) is not the name of a product.
    if availability(&name).is_some()
        || price
            .as_ref()
            .is_some_and(|price| name.contains(&price.text) && name.len() < price.text.len() + 8)
    {
        return None;
    }
    let product = Product {
        name,
        price: price.map(|price| Money::from(price.text)),
        availability: stock.map(|stock| stock.text),
        rating: stars.map(|stars| Rating::from(stars.text)),
        image: picture.map(|picture| Image::from(picture.text)),
        url: block.link().map(Url::from),
        ..Product::default()
    };
    Some(Card {
        product,
        places,
        for_sale: block.purchase().is_some(),
        titled: block.is_titled(),
        named: names_product(layout, row),
    })
}
