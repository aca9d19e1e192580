//! A page that lists products.

use magpie_sdk::extract::{Block, Layout, RecordGroup, RecordRow, availability};
use magpie_sdk::{Found, Image, Money, Rating, Url};

use super::{Places, placed};
use crate::Product;

/// Rows that make a listing; two may be a box of anything.
const FEWEST: usize = 3;

/// The products of the page's listings.
pub(super) fn products(layout: &Layout<'_>, groups: &[RecordGroup]) -> Vec<Found<Product>> {
    let mut found = Vec::new();
    for group in groups.iter().filter(|group| !is_programme(layout, group)) {
        let rows = group.rows.iter().filter_map(|row| read(layout, row));
        let sold: Vec<(Product, Places)> = rows.filter(|(product, _)| is_sold(product)).collect();
        let pictured = sold.iter().filter(|(product, _)| product.image.is_some()).count();
        let priced = sold.iter().filter(|(product, _)| product.price.is_some()).count();
        // Rows with prices alone may be fees, and a few with pictures too are chance.
        let half = sold.len().div_ceil(2);
        if sold.len() >= FEWEST
            && sold.len() * 5 >= group.rows.len() * 3
            && pictured >= half
            && priced >= half
        {
            found.extend(
                sold.into_iter()
                    .map(|(product, places)| placed(Found::new(product).confidence(0.6), places)),
            );
        }
    }
    found
}

/// Whether most rows say when and where something is: tickets have prices and pictures too.
fn is_programme(layout: &Layout<'_>, group: &RecordGroup) -> bool {
    let blocks = group.rows.iter().filter_map(|row| layout.row_block(row));
    let occasions = blocks.filter(Block::is_occasion).count();
    occasions * 5 >= group.rows.len() * 3
}

/// All rows that have a name, whatever they are.
pub(super) fn rows(layout: &Layout<'_>, groups: &[RecordGroup]) -> Vec<Product> {
    groups
        .iter()
        .flat_map(|group| &group.rows)
        .filter_map(|row| read(layout, row))
        .map(|(product, _)| product)
        .collect()
}

/// A row sells something when it has a price, or says that it has been sold, and leads somewhere.
fn is_sold(product: &Product) -> bool {
    product.url.is_some() && (product.price.is_some() || product.availability.is_some())
}

fn read(layout: &Layout<'_>, row: &RecordRow) -> Option<(Product, Places)> {
    let block = layout.row_block(row)?;
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
    let name = block.heading().text.clone();
    // The name of a row is not its price, nor `Sold out`.
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
    Some((product, places))
}
