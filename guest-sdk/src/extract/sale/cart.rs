//! Whether a thing can be bought here.

use magpie_values::text;

use super::block::Block;
use crate::extract::named::has_word;

/// Bytes of a button's text.
const MOST_TEXT: usize = 60;

/// What buttons say, folded.
const PHRASES: &[&str] = &[
    "add to cart",
    "add to basket",
    "add to bag",
    "add to trolley",
    "buy now",
    "buy it now",
    "order now",
    "pre-order",
    "preorder",
    "add to order",
    "in den warenkorb",
    "in den einkaufswagen",
    "jetzt kaufen",
    "zum warenkorb hinzufugen",
    "vorbestellen",
    "ajouter au panier",
    "acheter",
    "anadir al carrito",
    "anadir a la cesta",
    "agregar al carrito",
    "comprar",
    "aggiungi al carrello",
    "acquista",
    "in winkelwagen",
    "in winkelmand",
    "adicionar ao carrinho",
    "do koszyka",
    "kup teraz",
    "lagg i varukorg",
    "kop nu",
    "laeg i kurv",
    "legg i handlekurv",
    "lisaa ostoskoriin",
    "do kosiku",
    "kosarba",
    "sepete ekle",
    "в корзину",
    "купить",
    "them vao gio",
    "mua ngay",
    "カートに入れる",
    "加入购物车",
    "立即购买",
    "장바구니",
];

/// Words in classes and ids of what puts a thing into the cart.
const CLASSES: &[&str] = &["addtocart", "addtobasket", "addtobag", "buybox", "buybutton"];

/// Words in addresses that forms and links of carts go to.
const CARTS: &[&str] = &[
    "cart",
    "basket",
    "warenkorb",
    "panier",
    "carrito",
    "carrello",
    "winkelwagen",
    "koszyk",
    "kurv",
    "checkout",
];

impl Block<'_, '_> {
    /// Whether the block has a button or a form that puts the thing into a cart.
    pub fn is_for_sale(&self) -> bool {
        self.has_button() || self.has_cart_address() || self.has_cart_class()
    }

    fn has_button(&self) -> bool {
        let layout = self.layout();
        let outline = layout.outline();
        let buttons = outline
            .nodes()
            .filter(|node| matches!(node.tag(), "button" | "a") && self.holds(node.id()));
        let says = |written: &str| {
            written.len() <= 2 * MOST_TEXT && {
                let folded = text::fold(&text::tidy(written));
                folded.len() <= MOST_TEXT && PHRASES.iter().any(|phrase| folded.contains(phrase))
            }
        };
        let mut texts = buttons.map(|node| node.text());
        texts.any(says)
            || ["value", "aria-label", "title"].iter().any(|name| {
                let having = layout.page().having(name).into_iter();
                having
                    .filter(|(element, _)| matches!(layout.tag(element.node()), "input" | "button" | "a"))
                    .any(|(element, value)| says(&value) && self.holds(element.node()))
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
            CARTS.iter().any(|word| lower.contains(word)) && lower.contains("add")
        };
        forms
            .chain(links)
            .any(|(node, address)| is_cart(&address) && self.holds(node))
    }

    fn has_cart_class(&self) -> bool {
        let layout = self.layout();
        let mut classes = layout.classes().within(self.range());
        classes.any(|(node, class)| {
            let joined: String = class.chars().filter(|one| *one != '-' && *one != '_').collect();
            matches!(layout.tag(node), "button" | "a" | "form" | "input")
                && has_word(&joined, CLASSES)
                && self.holds(node)
        })
    }
}
