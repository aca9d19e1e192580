//! Finds the products of a page.
//!
//! 1. Structured data names products. Missing attributes are filled from the visible page.
//! 2. Without it, the page itself may sell one product: it has a heading, a price, a way to buy.
//! 3. Otherwise the page may list products with prices.
//! 4. A page that shows none may have them in the data that its scripts start from, and a JSON
//!    document is such data.

mod address;
mod confidence;
mod detail;
mod listing;
mod placeholders;
mod state;
mod structured;

use magpie_sdk::extract::{Layout, RecordGroup, is_deep, own_address};
use magpie_sdk::similarity::words_alike;
use magpie_sdk::{Found, Organisation, Page, Url, text};

use self::address::{Kind, software_says};
use self::confidence::{Source, confidence};
use crate::Product;
use crate::labels;
use crate::lists::BRAND_SHOPS;

/// Minimum similarity of two spellings of one name on the same page.
const SAME_NAME: f64 = 0.8;

/// Attributes with the nodes from which they were read.
pub(crate) type Places = Vec<(&'static str, u32)>;

/// A product read from structured data.
#[derive(Clone, Debug, Default)]
pub(crate) struct Marked {
    pub(crate) product: Product,
    pub(crate) node: Option<u32>,
}

/// Returns the products of a page, or none if the page is about something else.
pub(crate) fn products(page: &Page) -> Vec<Found<Product>> {
    if is_other_matter(page) {
        return Vec::new();
    }
    let layout = Layout::new(page);
    let groups = layout.records();
    let kind = software_says(&layout);
    let single = detail::product(&layout, &groups, kind);
    let mut marked = structured::products(&layout);
    marked.retain(|marked| marked.product.name.is_empty() || !placeholders::is_placeholder(&marked.product));
    let mut found = match main(page, &marked, single.as_ref()) {
        Some(place) => vec![one(page, Some(marked.swap_remove(place)), single)],
        None if !marked.is_empty() => {
            let own = single.filter(|single| single.is_sure() && single.is_told());
            let mut found: Vec<Found<Product>> =
                own.map(|own| one(page, None, Some(own))).into_iter().collect();
            found.extend(many(&layout, &groups, marked));
            found
        }
        None => read(&layout, &groups, kind, single),
    };
    found.retain(|found| !placeholders::is_placeholder(&found.record));
    for found in &mut found {
        let written = found.record.brand.take();
        let name = written.as_deref().map(brand_name).filter(|name| !name.is_empty());
        found.record.brand = name.map(Organisation::from);
    }
    if found.is_empty() {
        found = stated(&layout);
    }
    found
}

/// Returns a brand without its label (`Marca: Only`) and without the words of the link to its shop
/// (`Visit the Only Store`). A label alone leaves nothing.
fn brand_name(written: &str) -> &str {
    let bare = text::strip_any_label(written, labels::BRAND);
    let folded = text::fold(bare);
    // Only if no letter became several can positions be counted in both.
    if folded.chars().count() != bare.chars().count() {
        return bare;
    }
    let inner = BRAND_SHOPS.iter().find_map(|phrase| {
        let (before, behind) = phrase.split_once('*')?;
        folded.strip_prefix(before)?.strip_suffix(behind)?;
        let ends = (before.chars().count(), behind.chars().count());
        let position = |count: usize| bare.char_indices().nth(count).map_or(bare.len(), |(at, _)| at);
        bare.get(position(ends.0)..position(bare.chars().count() - ends.1))
    });
    inner.map_or(bare, str::trim)
}

/// Returns the products in the state of a page. A single one without a link is the page's own.
fn stated(layout: &Layout<'_>) -> Vec<Found<Product>> {
    let mut marked = state::products(layout);
    if let [only] = &mut marked[..]
        && only.product.url.is_none()
        && layout.page().content_type() == "text/html"
    {
        only.product.url = Some(Url::from(own_address(layout.page())));
    }
    let found = marked.into_iter().map(|marked| {
        let signs = facts(&marked.product);
        Found::new(marked.product).confidence(confidence(Source::State, signs))
    });
    found.collect()
}

/// Returns the products of a page without structured data.
fn read(
    layout: &Layout<'_>,
    groups: &[RecordGroup],
    kind: Kind,
    single: Option<detail::Single>,
) -> Vec<Found<Product>> {
    let sure = single.filter(detail::Single::is_sure);
    match sure {
        Some(single) if single.is_told() => vec![one(layout.page(), None, Some(single))],
        // A heading above cards names a category, even if the first card has a price.
        sure => {
            let listed = listing::products(layout, groups, kind);
            match sure {
                Some(single) if listed.is_empty() => vec![one(layout.page(), None, Some(single))],
                _ => listed,
            }
        }
    }
}

/// Returns true if structured data describes something other than a product. A product on such a
/// page is an advertisement.
fn is_other_matter(page: &Page) -> bool {
    const OTHERS: &[&str] = &["Recipe", "NewsArticle", "JobPosting"];
    let declared = |names: &[&str]| {
        page.structured()
            .any(|entity| names.iter().any(|name| entity.is(name)))
    };
    declared(OTHERS) && !declared(&["Product", "ProductGroup"])
}

/// Returns the index of the marked product that the page is about, or `None` if the page lists
/// them.
fn main(page: &Page, marked: &[Marked], single: Option<&detail::Single>) -> Option<usize> {
    if marked.len() == 1 {
        return (!marked[0].product.name.is_empty() || single.is_some()).then_some(0);
    }
    let heading = single
        .map(|single| single.product.name.as_str())
        .unwrap_or_default();
    let own_url = |marked: &Marked| marked.product.url.as_deref() == Some(page.url());
    let named = |marked: &Marked| is_same(&marked.product.name, heading);
    let places = || marked.iter().enumerate();
    let own = places().find(|(_, marked)| own_url(marked) && named(marked));
    own.or_else(|| places().find(|(_, marked)| named(marked)))
        .map(|(place, _)| place)
}

fn is_same(one: &str, other: &str) -> bool {
    text::fold(one) == text::fold(other) || words_alike(one, other) >= SAME_NAME
}

/// Builds the record of the product that a page is about, from structured data, the visible page,
/// or both.
fn one(page: &Page, marked: Option<Marked>, single: Option<detail::Single>) -> Found<Product> {
    let is_marked = marked.is_some();
    let Marked { mut product, node } = marked.unwrap_or_default();
    let mut places: Places = Vec::new();
    let read = single.unwrap_or_default();
    if is_titled_with_site(page, &product.name, &read.product.name) {
        product.name.clone_from(&read.product.name);
    }
    let fits = is_same(&product.name, &read.product.name) || read.is_shown(&product.name);
    // Markup with a name that the page does not show (`Home`, the name of the shop) is usually
    // correct otherwise.
    if product.name.is_empty() || (!fits && read.is_sure()) {
        product.name.clone_from(&read.product.name);
        places.push(("name", read.name_node));
    } else if let Some(node) = node {
        places.push(("name", node));
    }
    // Content under another heading describes something else.
    if fits || read.is_sure() || read.product.name == product.name {
        places.extend(read.complete(&mut product));
    }
    if product
        .price
        .as_deref()
        .is_some_and(|price| is_own_code(price, &product))
    {
        product.price = None;
    }
    // Some markup gives the URL of the home page for all products.
    if product.url.as_ref().is_none_or(|url| !is_deep(url)) {
        product.url = Some(Url::from(own_address(page)));
    }
    let confidence = if is_marked {
        confidence(Source::Marked, facts(&product))
    } else {
        confidence(Source::Page, read.signs())
    };
    placed(Found::new(product).confidence(confidence), places)
}

/// Counts the groups of attributes that a product has besides its name.
fn facts(product: &Product) -> u32 {
    let facts = [
        product.price.is_some(),
        product.availability.is_some(),
        product.sku.is_some() || product.mpn.is_some() || product.gtin.is_some(),
        product.brand.is_some(),
        product.image.is_some(),
    ];
    facts.iter().filter(|fact| **fact).count() as u32
}

/// Returns true for a marked name that is the page's heading followed by the name of the site.
fn is_titled_with_site(page: &Page, name: &str, heading: &str) -> bool {
    let (words, head) = (text::tokens(name), text::tokens(heading));
    let Some(rest) = words
        .strip_prefix(head.as_slice())
        .filter(|rest| !rest.is_empty() && !head.is_empty())
    else {
        return false;
    };
    let host = page.url().split('/').nth(2).unwrap_or_default();
    let is_host = text::tokens(host).concat().contains(&rest.concat());
    let is_title = || page.title().is_some_and(|title| text::tokens(&title) == words);
    is_host || is_title()
}

/// Returns true for an amount with the same digits as one of the product's numbers.
fn is_own_code(price: &str, product: &Product) -> bool {
    /// Minimum number of digits; a shorter number may equal the price by chance.
    const MIN_DIGITS: usize = 5;
    let figures = |text: &str| -> String { text.chars().filter(char::is_ascii_digit).collect() };
    let amount = figures(price);
    let codes = [
        product.sku.as_deref(),
        product.mpn.as_deref(),
        product.gtin.as_deref(),
    ];
    amount.len() >= MIN_DIGITS
        && codes
            .into_iter()
            .flatten()
            .any(|code| figures(code).trim_start_matches('0') == amount.trim_start_matches('0'))
}

/// Returns the products that a page lists in structured data, with missing attributes filled from
/// its rows.
fn many(layout: &Layout<'_>, groups: &[RecordGroup], marked: Vec<Marked>) -> Vec<Found<Product>> {
    let rows = listing::rows(layout, groups);
    let found = marked.into_iter().map(|marked| {
        let mut product = marked.product;
        let same = |row: &&Product| text::tokens(&row.name) == text::tokens(&product.name);
        if let Some(row) = rows.iter().find(same) {
            fill(&mut product, row);
        }
        let places = marked.node.map(|node| ("name", node)).into_iter().collect();
        placed(
            Found::new(product).confidence(confidence(Source::MarkedList, 0)),
            places,
        )
    });
    found.collect()
}

/// Fills the missing attributes of a product and returns their names.
pub(crate) fn fill(product: &mut Product, other: &Product) -> Vec<&'static str> {
    let mut taken = Vec::new();
    macro_rules! fill {
        ($($field:ident),*) => {$(
            if product.$field.is_none() && other.$field.is_some() {
                product.$field.clone_from(&other.$field);
                taken.push(stringify!($field));
            }
        )*};
    }
    fill!(
        brand,
        model,
        gtin,
        mpn,
        sku,
        price,
        availability,
        rating,
        image,
        url,
        specifications
    );
    taken
}

pub(crate) fn placed(mut found: Found<Product>, places: Places) -> Found<Product> {
    // Node 0 stands for values that no element contains.
    for (name, node) in places.into_iter().filter(|(_, node)| *node > 0) {
        found = found.at_node(name, node);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::brand_name;

    #[test]
    fn brands_lose_labels_and_words_of_links() {
        for (written, name) in [
            ("Marca: Only", "Only"),
            ("Visita la Store de Levi's", "Levi's"),
            ("Visit the Amazon Essentials Store", "Amazon Essentials"),
            ("Besuche den Jack & Jones-Store", "Jack & Jones"),
            ("Store Twenty One", "Store Twenty One"),
            ("Visit", "Visit"),
            ("Marca", ""),
        ] {
            assert_eq!(brand_name(written), name);
        }
    }
}
