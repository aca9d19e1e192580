//! Reads the visible content of a page that sells one product.

use magpie_sdk::extract::{
    Block, Layout, Pair, Pairs, Purchase, RecordGroup, availability, is_navigation, plain_name,
};
use magpie_sdk::identifier::{self, Scheme};
use magpie_sdk::{Gtin, Image, Money, Mpn, Organisation, Properties, Rating, Sku, money, text};

use super::address::{BRAND_FOLDERS, Kind, address_says, heads_product, is_product_address};
use super::{Places, fill};
use crate::Product;
use crate::labels;

/// Minimum number of signs of a page that sells one product; see [`weigh`].
const ENOUGH: u32 = 3;

/// Maximum number of cart buttons on a page that sells one product: its own, the same one repeated
/// below, and those of accessories.
const MAX_BUTTONS: usize = 4;

/// Maximum length of a brand, a model or a number, in bytes.
const MAX_VALUE: usize = 80;

/// Maximum length of the value of a specification, in bytes. Longer values are descriptions.
const MAX_SPECIFICATION: usize = 200;

/// Maximum number of specifications of a product.
const MAX_SPECIFICATIONS: usize = 100;

/// Product that the visible content of a page describes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Single {
    pub(crate) product: Product,
    pub(crate) name_node: u32,
    places: Places,
    evidence: u32,
    is_told: bool,
    /// Words of the heading and of the first part of the title. The other parts are usually the
    /// name of the site.
    shown: Vec<String>,
}

impl Single {
    /// Returns true if enough signs show that the page sells one product.
    pub(crate) fn is_sure(&self) -> bool {
        self.evidence >= ENOUGH
    }

    /// Returns true if the page or its URL identifies the page as that of one product. An offer
    /// alone does not.
    pub(crate) fn is_told(&self) -> bool {
        self.is_told
    }

    /// Returns the number of signs that the page sells one product.
    pub(crate) fn signs(&self) -> u32 {
        self.evidence
    }

    /// Returns true if the heading or title contains most words of a name.
    pub(crate) fn is_shown(&self, name: &str) -> bool {
        let words = text::tokens(name);
        let shared = words.iter().filter(|word| self.shown.contains(word)).count();
        2 * shared > words.len()
    }

    /// Fills the missing attributes of a product and returns the places from which they were read.
    pub(crate) fn complete(&self, product: &mut Product) -> Places {
        let taken = fill(product, &self.product);
        self.places
            .iter()
            .filter(|(name, _)| taken.contains(name))
            .copied()
            .collect()
    }
}

/// Reads the product that the heading names. Returns `None` if the page has no heading.
pub(super) fn product(layout: &Layout<'_>, groups: &[RecordGroup], kind: Kind) -> Option<Single> {
    let block = layout.main_block(groups)?;
    let pairs = layout.pairs();
    let mut reader = Reader {
        block: &block,
        pairs: &pairs,
        product: Product::default(),
        places: Vec::new(),
    };
    reader.product.name = plain_name(&block.heading().text);
    reader.numbers();
    reader.offer();
    reader.specifications();
    let Reader { product, places, .. } = reader;
    let title = layout.page().title().unwrap_or_default();
    let title = title
        .split(
            [" | ", " - ", " – ", " — ", " :: ", " · "]
                .iter()
                .find(|mark| title.contains(**mark))
                .unwrap_or(&"|"),
        )
        .next();
    let shown = text::tokens(&format!("{} {}", title.unwrap_or_default(), block.heading().text));
    let evidence = weigh(&block, &product, kind);
    let has_code = product.gtin.is_some() || product.sku.is_some() || product.mpn.is_some();
    let is_told = has_code
        || kind == Kind::Product
        || heads_product(layout, block.heading().node)
        || is_product_address(layout.page().url());
    Some(Single {
        is_told,
        product,
        name_node: block.heading().node,
        places,
        evidence,
        shown,
    })
}

/// Counts the signs that the page sells one product.
///
/// A price alone is on many pages (tickets for a talk, donations, shopping lists of recipes). A
/// page must also offer a way to buy, or have something that only goods have. A page without a
/// price must have a product class from its software, or a buy button under a heading with such a
/// class.
fn weigh(block: &Block<'_, '_>, product: &Product, kind: Kind) -> u32 {
    let layout = block.layout();
    let purchase = block.purchase();
    let is_cart = block.is_for_sale();
    let has_code = product.sku.is_some() || product.mpn.is_some();
    let is_headed = heads_product(layout, block.heading().node);
    let is_page = kind == Kind::Product;
    let on_request = product.price.is_none() && block.price_on_request().is_some();
    let offered =
        product.price.is_some() || product.availability.is_some() || purchase.is_some() || on_request;
    let is_catalogued =
        (is_page || is_headed) && (has_code || product.gtin.is_some() || product.brand.is_some());
    if !offered && !is_catalogued {
        return 0;
    }
    let way = match purchase {
        _ if is_cart => 2,
        Some((Purchase::Elsewhere | Purchase::Notice, _)) => 1,
        // Shops have a contact link on every page.
        Some((Purchase::Enquiry, _)) => u32::from(is_page || is_headed),
        _ => 0,
    };
    // Many buttons without any product class are the cards of a list that was not recognised as a
    // record group.
    let is_list = !is_page && !is_headed && !has_code && block.cart_buttons() > MAX_BUTTONS;
    if is_list {
        return 0;
    }
    // A stock read from the button is not counted again.
    let by_button = is_cart && block.availability().is_none();
    let address = address_says(layout.page().url());
    let signs = [
        product.price.is_some(),
        product.availability.is_some() && !by_button,
        product.gtin.is_some(),
        has_code,
        product.brand.is_some(),
        on_request,
        is_page,
        is_page && address != Kind::List,
        is_headed,
        address == Kind::Product && (product.price.is_some() || is_headed || is_page),
    ];
    let against = [
        kind == Kind::List,
        kind == Kind::List,
        kind == Kind::Other,
        kind == Kind::Other,
        address == Kind::List,
        address == Kind::List,
        address == Kind::Other,
        address == Kind::Other,
    ];
    let count = |signs: &[bool]| signs.iter().filter(|sign| **sign).count() as u32;
    (way + count(&signs)).saturating_sub(count(&against))
}

struct Reader<'b, 'l, 'p> {
    block: &'b Block<'l, 'p>,
    pairs: &'b Pairs,
    product: Product,
    places: Places,
}

impl Reader<'_, '_, '_> {
    fn numbers(&mut self) {
        let labelled = |labels: &[&str]| {
            let pair = self
                .block
                .labelled(self.pairs, labels)
                .filter(|pair| pair.value.len() <= MAX_VALUE)?;
            Some((pair.value.trim_start_matches([':', ' ']).to_owned(), pair.node))
        };
        let is_code = |(value, _): &(String, u32)| {
            value.contains(|one: char| one.is_ascii_digit()) && value.split_whitespace().count() <= 3
        };
        let brand = labelled(labels::BRAND)
            .or_else(|| self.named_brand())
            .or_else(|| self.stated("data-brand").filter(|(value, _)| is_brand(value)))
            .or_else(|| self.linked_brand());
        let model = labelled(labels::MODEL);
        let gtin = labels::GTIN
            .iter()
            .find_map(|label| labelled(&[label]).filter(|(value, _)| is_trade_number(value)));
        let gtin = gtin
            .or_else(|| self.named_code(&["ean", "gtin", "upc", "barcode"], &["ean", "gtin", "upc"]))
            .filter(|(value, _)| is_trade_number(value));
        let mpn = labelled(labels::MPN)
            .filter(is_code)
            .or_else(|| self.named_code(&["mpn"], &["mpn"]));
        // Some shops label their own number as a bar code. A value with letters is such a number;
        // one of digits alone is a mistyped bar code.
        let own = || {
            let has_letters = |value: &str| value.contains(char::is_alphabetic);
            labelled(labels::GTIN).filter(|found| is_code(found) && has_letters(&found.0))
        };
        let sku = labelled(labels::SKU)
            .filter(is_code)
            .or_else(|| self.named_sku())
            .or_else(|| {
                self.stated("data-sku")
                    .or_else(|| self.stated("data-product-sku"))
                    .filter(is_code)
            })
            .or_else(own);
        macro_rules! take {
            ($($field:ident: $kind:ty),*) => {$(
                if let Some((value, node)) = $field {
                    self.product.$field = Some(<$kind>::from(value));
                    self.places.push((stringify!($field), node));
                }
            )*};
        }
        take!(brand: Organisation, model: String, gtin: Gtin, mpn: Mpn, sku: Sku);
    }

    /// Returns the brand from an element behind the heading whose class names a brand.
    fn named_brand(&self) -> Option<(String, u32)> {
        let named = self
            .block
            .named(&["brand", "manufacturer", "vendor", "hersteller", "marke"])
            .into_iter();
        let labels = ["brand", "by", "marke", "hersteller", "marque", "vendor"];
        let values = named.map(|text| {
            let value = text::strip_any_label(&text.text, &labels);
            // Removes a label in any language, which ends with a colon.
            let value = value.split_once(':').map_or(value, |(_, value)| value.trim());
            (value.to_owned(), text.node)
        });
        let mut values = values.filter(|(_, node)| *node >= self.block.heading().node);
        values.find(|(value, _)| is_brand(value))
    }

    fn named_sku(&self) -> Option<(String, u32)> {
        self.named_code(
            &["sku"],
            &["sku", "art.-nr", "artikelnummer", "item", "ref", "article", "no"],
        )
    }

    /// Returns a code from an element with one of the words in its class, without a leading label.
    fn named_code(&self, words: &[&str], labels: &[&str]) -> Option<(String, u32)> {
        let named = self.block.named(words).into_iter();
        let mut values = named.map(|text| (text::strip_any_label(&text.text, labels).to_owned(), text.node));
        values.find(|(value, _)| {
            value.contains(|one: char| one.is_ascii_digit()) && value.len() <= 30 && !value.contains(' ')
        })
    }

    /// Returns the value of a data attribute of an element of the product.
    fn stated(&self, attribute: &str) -> Option<(String, u32)> {
        let having = self.block.layout().page().having(attribute).into_iter();
        let mut stated = having.map(|(element, value)| (text::tidy(&value), element.node()));
        stated.find(|(value, node)| !value.is_empty() && value.len() <= MAX_VALUE && self.block.holds(*node))
    }

    /// Returns the brand that a link to a brand page near the heading names, by its text or by the
    /// `alt` text of its logo.
    fn linked_brand(&self) -> Option<(String, u32)> {
        let layout = self.block.layout();
        let is_brands = |href: &str| {
            let path = href.split('#').next().unwrap_or_default();
            let mut folders = path
                .split(['/', '?'])
                .skip_while(|folder| !BRAND_FOLDERS.contains(&text::fold(folder).as_str()));
            folders.next().is_some() && folders.next().is_some_and(|rest| !rest.is_empty())
        };
        let links = layout.hrefs(0..layout.outline().len() as u32);
        let mut links: Vec<u32> = links
            .filter(|(node, href)| is_brands(href) && self.block.holds(*node))
            .map(|(node, _)| node)
            .collect();
        let heading = self.block.heading().node;
        links.sort_by_key(|node| (node.abs_diff(heading), *node));
        links.into_iter().take(5).find_map(|node| {
            let logo = || {
                let link = layout.outline().node(node)?;
                let image = link.descendants().find(|inner| inner.tag() == "img")?;
                layout.element(image.id()).attr("alt")
            };
            let said = Some(layout.text(node))
                .filter(|text| !text.is_empty())
                .or_else(logo)?;
            let said = text::tidy(&said);
            is_brand(&said).then_some((said, node))
        })
    }

    fn offer(&mut self) {
        let stock = self.block.labelled(self.pairs, labels::AVAILABILITY);
        let stock = stock.and_then(|pair| Some((availability(&pair.value)?.to_owned(), pair.node)));
        if let Some((stock, node)) = stock.or_else(|| {
            let said = self.block.availability().or_else(|| self.block.button_stock());
            said.map(|text| (text.text, text.node))
        }) {
            self.product.availability = Some(stock);
            self.places.push(("availability", node));
        }
        if let Some(price) = self.block.price() {
            self.product.price = Some(Money::from(price.text));
            self.places.push(("price", price.node));
        }
        if let Some(stars) = self.block.rating(self.pairs) {
            self.product.rating = Some(Rating::from(stars.text));
            self.places.push(("rating", stars.node));
        }
        if let Some(picture) = self.block.picture() {
            self.product.image = Some(Image::from(picture.text));
            self.places.push(("image", picture.node));
        }
    }

    /// Reads the rows of tables and definition lists that are not attributes of the schema.
    fn specifications(&mut self) {
        let known = [
            labels::BRAND,
            labels::MODEL,
            labels::GTIN,
            labels::MPN,
            labels::SKU,
            labels::AVAILABILITY,
            labels::NO_SPECIFICATION,
        ];
        let known: Vec<String> = known.concat().into_iter().map(folded).collect();
        let mut found = Properties::new();
        let mut place = None;
        for pair in self
            .block
            .pairs(self.pairs)
            .filter(|pair| is_specification(self.block, pair))
        {
            if found.len() < MAX_SPECIFICATIONS && !known.contains(&folded(&pair.label)) {
                place.get_or_insert(pair.node);
                found
                    .entry(pair.label.clone())
                    .or_insert_with(|| pair.value.clone());
            }
        }
        if let Some(node) = place {
            self.product.specifications = Some(found);
            self.places.push(("specifications", node));
        }
    }
}

/// Returns true if a labelled value is in a table, a definition list, or a list item together with
/// its label. Elsewhere text before a colon is often not a label. Amounts of money belong to the
/// offer and are not specifications.
fn is_specification(block: &Block<'_, '_>, pair: &Pair) -> bool {
    let layout = block.layout();
    let Some(node) = layout.outline().node(pair.node) else {
        return false;
    };
    let mut around = std::iter::once(node).chain(node.ancestors()).take(4);
    let listed = around.any(|node| match node.tag() {
        "td" | "dd" => true,
        "li" => {
            let entry = layout.text(node.id());
            entry.starts_with(&pair.label) && entry.len() > pair.label.len() + pair.value.len()
        }
        _ => false,
    });
    let is_price = || !money::find_all(&pair.value, &layout.page().money_context()).is_empty();
    listed && pair.value.len() <= MAX_SPECIFICATION && node.id() > block.heading().node && !is_price()
}

/// Returns true for a text that may be the name of a brand.
fn is_brand(value: &str) -> bool {
    let words = value.split_whitespace().count();
    let folded = text::fold(value);
    // Beginnings of links to all products of a brand.
    let leads = [
        "more ",
        "all ",
        "view ",
        "see ",
        "mehr ",
        "alle ",
        "plus de ",
        "ver ",
        "tutti ",
        "wszystkie ",
        "все ",
    ];
    (1..=4).contains(&words)
        && value.chars().count() <= 40
        && value.contains(char::is_alphabetic)
        && !leads.iter().any(|words| folded.starts_with(words))
        && !is_navigation(value)
}

/// Returns true for a GTIN with a valid check digit.
fn is_trade_number(value: &str) -> bool {
    identifier::normalise(Scheme::Gtin, value).is_ok()
}

fn folded(label: &str) -> String {
    text::bare(label)
}
