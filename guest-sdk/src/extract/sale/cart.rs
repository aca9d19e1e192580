//! Purchase controls: buttons and links that buy a product, ask for an offer, or notify.

use magpie_values::text::{self, Phrases, WordList};

use super::availability::availability;
use super::block::Block;
use crate::OutlineNode;
use crate::extract::named::has_word;
use crate::extract::{Layout, Text};

/// Maximum number of characters of a button's text.
const MAX_TEXT: usize = 60;

/// Maximum length in bytes of a button's text with the white space of its source; longer ones are
/// skipped.
const MAX_BYTES: usize = 4 * MAX_TEXT;

/// Maximum number of controls of a block to examine.
const MAX_CONTROLS: usize = 400;

crate::word_lists! { "cart.txt";
    CART: Phrases = "cart";
    ELSEWHERE: Phrases = "elsewhere";
    ENQUIRY: Phrases = "enquiry";
    NOTICE: Phrases = "notice";
    CART_ADDRESSES: Phrases = "cart_address";
    CART_CLASSES: Phrases = "cart_class";
    SHOWING_CLASSES: Phrases = "showing_class";
    CARTS: WordList = "cart_list";
}

/// Action of a button, a link or a control by which a visitor gets the product.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purchase {
    /// Puts the product into the cart, or would if it were enabled.
    Cart,
    /// Leads to the seller.
    Elsewhere,
    /// Asks for an offer.
    Enquiry,
    /// Asks for a notice when the product is available again.
    Notice,
}

/// Returns true for the text of a control that buys, asks or notifies; such a text is not a name.
pub(super) fn is_control_text(written: &str) -> bool {
    if written.len() > MAX_BYTES {
        return false;
    }
    let folded = format!("{} ", text::fold(written));
    let mut lists = [&CART, &ELSEWHERE, &ENQUIRY, &NOTICE].into_iter();
    folded.chars().count() <= MAX_TEXT && lists.any(|phrases| phrases.begin(&folded))
}

impl Layout<'_> {
    /// Returns true if a node is in the list of what the visitor has put into the cart. Sites show
    /// it on every page, with the prices of all pieces together.
    pub fn is_in_cart(&self, node: u32) -> bool {
        let Some(node) = self.outline().node(node) else {
            return false;
        };
        let mut around = std::iter::once(node).chain(node.ancestors());
        around.any(|node| {
            !matches!(node.tag(), "html" | "body" | "main" | "form")
                && self.class(node.id()).is_some_and(is_cart_class)
        })
    }
}

/// Returns true for the classes of a cart: `mini-cart`, `cart_list`, `headerCart`. With a word such
/// as `add` they are those of a product that goes into the cart.
fn is_cart_class(classes: &str) -> bool {
    static OTHERS: WordList = WordList::new(&["add", "to", "has", "in", "no", "with", "product"]);
    let mut classes = classes.split_ascii_whitespace();
    classes.any(|class| has_word(class, &CARTS) && !has_word(class, &OTHERS))
}

impl Block<'_, '_> {
    /// Number of buttons that put something into the cart.
    pub fn cart_buttons(&self) -> usize {
        let found = self.purchases().iter();
        found.filter(|(purchase, _)| *purchase == Purchase::Cart).count()
    }

    /// Returns true if the block has a button or a form that puts the product into a cart.
    pub fn is_for_sale(&self) -> bool {
        self.purchase()
            .is_some_and(|(purchase, _)| purchase == Purchase::Cart)
            || self.has_cart_address()
    }

    /// Returns the block's best purchase control and its element; the cart comes first.
    pub fn purchase(&self) -> Option<(Purchase, u32)> {
        let found = self.purchases();
        let order = [
            Purchase::Cart,
            Purchase::Notice,
            Purchase::Elsewhere,
            Purchase::Enquiry,
        ];
        order
            .iter()
            .find_map(|wanted| found.iter().find(|(purchase, _)| purchase == wanted))
            .copied()
    }

    /// Stock state according to the purchase button: an enabled cart button, a disabled one, or one
    /// that offers a notice when the product is back.
    pub fn button_stock(&self) -> Option<Text> {
        let layout = self.layout();
        let found = self.purchases();
        let mut in_stock = None;
        for &(purchase, node) in found {
            let stock = match purchase {
                Purchase::Notice => Some("out-of-stock"),
                Purchase::Cart => match availability(&layout.control_text(node)) {
                    Some(answer) => Some(answer),
                    None if !self.is_disabled(node) => Some("in-stock"),
                    // The visitor must first make a choice, or a script enables the button later.
                    None if self.has_choice(node) || self.says_cart(node) => None,
                    None => Some("out-of-stock"),
                },
                Purchase::Elsewhere | Purchase::Enquiry => None,
            };
            let Some(stock) = stock else { continue };
            let answer = Text {
                text: stock.to_owned(),
                node,
            };
            // A control with a text for unavailable products is more reliable than a template's
            // enabled button.
            if stock != "in-stock" {
                return Some(answer);
            }
            in_stock.get_or_insert(answer);
        }
        in_stock
    }

    /// All purchase controls of the block, in document order.
    fn purchases(&self) -> &[(Purchase, u32)] {
        self.purchase_cache().get_or_init(|| {
            let outline = self.layout().outline();
            let nodes = self.range().filter_map(|id| outline.node(id));
            let controls = nodes.filter(|node| matches!(node.tag(), "button" | "a" | "input"));
            controls
                .filter(|node| self.holds(node.id()))
                .take(MAX_CONTROLS)
                .filter_map(|node| Some((self.purchase_of(node)?, node.id())))
                .collect()
        })
    }

    fn purchase_of(&self, node: OutlineNode<'_>) -> Option<Purchase> {
        let layout = self.layout();
        if node.tag() == "input" && !self.is_submit(node.id()) {
            return None;
        }
        let written = layout.control_text(node.id());
        let folded = if written.len() > MAX_BYTES {
            String::new()
        } else {
            format!("{} ", text::fold(&written))
        };
        let contains_any = |phrases: &Phrases| folded.chars().count() <= MAX_TEXT && phrases.are_in(&folded);
        let class = layout.class(node.id()).unwrap_or_default();
        let joined: String = class
            .chars()
            .filter(|one| !matches!(one, '-' | '_'))
            .flat_map(char::to_lowercase)
            .collect();
        // A control that only shows the cart has the word in its class too.
        let classed = CART_CLASSES.are_in(&joined) && !SHOWING_CLASSES.are_in(&joined);
        // A notice replaces the cart's button and may have its class, so its text comes first.
        if contains_any(&NOTICE) {
            Some(Purchase::Notice)
        } else if self.leads_elsewhere(node.id()) {
            (classed || contains_any(&ELSEWHERE) || contains_any(&CART)).then_some(Purchase::Elsewhere)
        } else if contains_any(&CART) || classed || self.is_named_add(node) {
            // A link to a page other than a cart leads to the seller or to the shop.
            let elsewhere = !classed && self.leads_to_page(node.id());
            Some(if elsewhere {
                Purchase::Elsewhere
            } else {
                Purchase::Cart
            })
        } else if contains_any(&ELSEWHERE) {
            Some(Purchase::Elsewhere)
        } else {
            contains_any(&ENQUIRY).then_some(Purchase::Enquiry)
        }
    }

    /// Returns true for a control with a cart text, enabled or disabled.
    fn says_cart(&self, node: u32) -> bool {
        let folded = format!("{} ", text::fold(&self.layout().control_text(node)));
        CART.are_in(&folded)
    }

    fn is_submit(&self, node: u32) -> bool {
        let kind = self.layout().element(node).attr("type");
        kind.is_some_and(|kind| matches!(kind.to_ascii_lowercase().as_str(), "submit" | "button" | "image"))
    }

    /// Returns true for a button named `add` or `add-to-cart`, the names by which shop software
    /// recognises a submitted form.
    fn is_named_add(&self, node: OutlineNode<'_>) -> bool {
        let named = || self.layout().element(node.id()).attr("name");
        node.tag() == "button" && named().is_some_and(|name| matches!(name.as_str(), "add" | "add-to-cart"))
    }

    /// Returns true for a link to another page that does not put anything into a cart.
    fn leads_to_page(&self, node: u32) -> bool {
        let page = self.layout().page();
        let Some(href) = self.layout().links().get(node) else {
            return false;
        };
        static ACTS: Phrases =
            Phrases::new(&["add", "buy", "order", "cart", "basket", "javascript:", "?", "#"]);
        let lower = href.to_ascii_lowercase();
        let is_action = ACTS.are_in(&lower) || CART_ADDRESSES.are_in(&lower);
        let own = page.url().split(['?', '#']).next().unwrap_or_default();
        !is_action
            && page
                .resolve(href)
                .is_some_and(|url| url != own && url.starts_with("http"))
    }

    /// Returns true for a link to another host.
    fn leads_elsewhere(&self, node: u32) -> bool {
        let page = self.layout().page();
        let host = |url: &str| {
            url.split('/')
                .nth(2)
                .map(|host| host.trim_start_matches("www.").to_owned())
        };
        let target = self
            .layout()
            .links()
            .get(node)
            .and_then(|href| page.resolve(href));
        let target = target.filter(|url| url.starts_with("http"));
        target.is_some_and(|url| host(&url) != host(page.url()))
    }

    fn is_disabled(&self, node: u32) -> bool {
        let element = self.layout().element(node);
        let class = self.layout().class(node).unwrap_or_default();
        let classed = |word: &str| {
            matches!(
                word,
                "disabled" | "soldout" | "sold-out" | "out-of-stock" | "is-disabled"
            )
        };
        element.attr("disabled").is_some()
            || element.attr("aria-disabled").is_some_and(|value| value == "true")
            || class.split_ascii_whitespace().any(classed)
    }

    /// Returns true if the form around a button has choices other than the quantity.
    fn has_choice(&self, node: u32) -> bool {
        let layout = self.layout();
        let Some(node) = layout.outline().node(node) else {
            return false;
        };
        let form = node.ancestors().find(|around| around.tag() == "form");
        form.is_some_and(|form| {
            let options = form.descendants().filter(|inner| inner.tag() == "option").count();
            let radios = form
                .descendants()
                .filter(|inner| inner.tag() == "input")
                .filter(|inner| layout.element(inner.id()).attr("type").as_deref() == Some("radio"));
            options > 1 || radios.count() > 1
        })
    }

    fn has_cart_address(&self) -> bool {
        let layout = self.layout();
        let forms = layout
            .page()
            .having("action")
            .into_iter()
            .map(|(element, action)| (element.node(), action));
        let links = layout
            .links()
            .within(self.range())
            .map(|(node, href)| (node, href.to_owned()));
        let is_cart = |address: &str| {
            let lower = address.to_ascii_lowercase();
            // Other addresses of a cart only show it.
            CART_ADDRESSES.are_in(&lower) && lower.contains("add")
        };
        forms
            .chain(links)
            .any(|(node, address)| is_cart(&address) && self.holds(node))
    }
}
