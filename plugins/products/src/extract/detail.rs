//! A page that sells one thing, as a reader sees it.

use magpie_sdk::extract::{Block, Layout, Pair, Pairs, Purchase, RecordGroup, availability, plain_name};
use magpie_sdk::identifier::{self, Scheme};
use magpie_sdk::{Gtin, Image, Money, Mpn, Organisation, Properties, Rating, Sku, money, text};

use super::address::{Kind, address_says, heads_product, is_product_address};
use super::{Places, fill};
use crate::Product;
use crate::labels;

/// Evidence from which on a page sells one thing; see [`weigh`].
const ENOUGH: u32 = 3;

/// Buttons of the cart on a page that sells one thing: its own, repeated below, and those of its
/// accessories.
const MOST_BUTTONS: usize = 4;

/// Bytes of a brand, a model, a number.
const MOST_VALUE: usize = 80;

/// Bytes of a specification's value; longer ones are descriptions.
const MOST_SPECIFICATION: usize = 200;

/// Specifications that are kept.
const MOST_SPECIFICATIONS: usize = 100;

/// What a page says of one product.
#[derive(Clone, Debug, Default)]
pub(crate) struct Single {
    pub(crate) product: Product,
    pub(crate) name_node: u32,
    places: Places,
    evidence: u32,
    is_told: bool,
    /// The words of the heading, and of the title's first part; the rest of that is the site's name.
    shown: Vec<String>,
}

impl Single {
    /// Whether the page sells one thing, as far as it can be seen.
    pub(crate) fn is_sure(&self) -> bool {
        self.evidence >= ENOUGH
    }

    /// Returns true if the page or its address says that it is one product's, and not only shows an
    /// offer.
    pub(crate) fn is_told(&self) -> bool {
        self.is_told
    }

    /// Returns the number of signs for a thing that is sold here.
    pub(crate) fn signs(&self) -> u32 {
        self.evidence
    }

    /// Whether the page's heading or title holds most of a name.
    pub(crate) fn is_shown(&self, name: &str) -> bool {
        let words = text::tokens(name);
        let shared = words.iter().filter(|word| self.shown.contains(word)).count();
        2 * shared > words.len()
    }

    /// Fills what is missing in a product; where it was read.
    pub(crate) fn complete(&self, product: &mut Product) -> Places {
        let taken = fill(product, &self.product);
        self.places
            .iter()
            .filter(|(name, _)| taken.contains(name))
            .copied()
            .collect()
    }
}

/// What the page says of the thing that its heading names; none without a heading.
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

/// Counts the signs for a thing that is sold here. A price alone stands on many pages (tickets for
/// a talk, donations, recipes' shopping lists); it takes a way to buy it, or what only goods have.
/// Without a price it takes a page that its software calls a product's, or a button to buy it under
/// a heading called so.
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
        // Every shop has a way to ask on every page.
        Some((Purchase::Enquiry, _)) => u32::from(is_page || is_headed),
        _ => 0,
    };
    // Many buttons, and nothing that calls the page a product's: the cards of a list that no group
    // shows.
    let is_list = !is_page && !is_headed && !has_code && block.cart_buttons() > MOST_BUTTONS;
    if is_list {
        return 0;
    }
    // What the button says was counted with it.
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
                .filter(|pair| pair.value.len() <= MOST_VALUE)?;
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
        // Some shops put their own number under the name of the bar code; figures alone are a slip.
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

    /// A brand in an element that is called so, near the heading.
    fn named_brand(&self) -> Option<(String, u32)> {
        let named = self
            .block
            .named(&["brand", "manufacturer", "vendor", "hersteller", "marke"])
            .into_iter();
        let labels = ["brand", "by", "marke", "hersteller", "marque", "vendor"];
        let values = named.map(|text| {
            let value = text::strip_any_label(&text.text, &labels);
            // A label in any language ends so.
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

    /// A code in an element with one of the words in its class, without one of the labels before
    /// it.
    fn named_code(&self, words: &[&str], labels: &[&str]) -> Option<(String, u32)> {
        let named = self.block.named(words).into_iter();
        let mut values = named.map(|text| (text::strip_any_label(&text.text, labels).to_owned(), text.node));
        values.find(|(value, _)| {
            value.contains(|one: char| one.is_ascii_digit()) && value.len() <= 30 && !value.contains(' ')
        })
    }

    /// A value that an element of the thing states in an attribute for scripts.
    fn stated(&self, attribute: &str) -> Option<(String, u32)> {
        let having = self.block.layout().page().having(attribute).into_iter();
        let mut stated = having.map(|(element, value)| (text::tidy(&value), element.node()));
        stated.find(|(value, node)| !value.is_empty() && value.len() <= MOST_VALUE && self.block.holds(*node))
    }

    /// The brand whose page a link near the name leads to, by its text or the description of its
    /// logo.
    fn linked_brand(&self) -> Option<(String, u32)> {
        const FOLDERS: &[&str] = &[
            "brand",
            "brands",
            "marke",
            "marken",
            "marque",
            "marques",
            "marca",
            "marcas",
            "hersteller",
            "manufacturer",
            "manufacturers",
            "producent",
            "producenci",
            "vendors",
            "vendor",
            "brend",
            "thuong-hieu",
            "merk",
            "merken",
        ];
        let layout = self.block.layout();
        let is_brands = |href: &str| {
            let path = href.split('#').next().unwrap_or_default();
            let mut folders = path
                .split(['/', '?'])
                .skip_while(|folder| !FOLDERS.contains(&text::fold(folder).as_str()));
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

    /// Rows of tables and lists of definitions that are no attribute of their own.
    fn specifications(&mut self) {
        let known = [
            labels::BRAND,
            labels::MODEL,
            labels::GTIN,
            labels::MPN,
            labels::SKU,
            labels::AVAILABILITY,
            labels::NOT_SPECIFICATIONS,
        ];
        let known: Vec<String> = known.concat().into_iter().map(folded).collect();
        let mut found = Properties::new();
        let mut place = None;
        for pair in self
            .block
            .pairs(self.pairs)
            .filter(|pair| is_specification(self.block, pair))
        {
            if found.len() < MOST_SPECIFICATIONS && !known.contains(&folded(&pair.label)) {
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

/// Whether a labelled value stands in a table, or with its label in an entry of a list: elsewhere
/// colons are everywhere. What is an amount of money is told of the offer.
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
    listed && pair.value.len() <= MOST_SPECIFICATION && node.id() > block.heading().node && !is_price()
}

/// Returns true for a text that may be a brand's name.
fn is_brand(value: &str) -> bool {
    let words = value.split_whitespace().count();
    let folded = text::fold(value);
    // Links to everything of a brand.
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
}

/// Returns true for a number with a right check digit.
fn is_trade_number(value: &str) -> bool {
    identifier::normalise(Scheme::Gtin, value).is_ok()
}

fn folded(label: &str) -> String {
    text::bare(label)
}
