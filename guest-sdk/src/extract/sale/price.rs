//! The price that a thing has now.

use magpie_values::money::{self, MoneyContext};
use magpie_values::text;

use super::block::Block;
use super::codes;
use crate::extract::lines::Line;
use crate::extract::named::has_word;
use crate::extract::{Layout, Text};

/// Letters of a line that shows a price; in longer ones somebody writes about prices.
const MOST_LINE: usize = 120;

/// Prices that are looked at. A page with more of them shows none that is its own.
const MOST_CANDIDATES: usize = 200;

/// What elements with prices are called.
pub(super) const CLASSES: &[&str] = &[
    "price", "prices", "preis", "prix", "precio", "prezzo", "prijs", "preco", "cena", "ceny", "pris",
    "amount", "pricing", "cost", "gia", "money", "fiyat", "hinta", "kaina", "pret", "tarif", "цена",
];

/// Names of elements that hold the price of other days, or that of today where there is no
/// other.
const REGULAR: &[&str] = &["regular", "normal"];

/// Texts, folded, that shops write in place of a price.
const ON_REQUEST: &[&str] = &[
    "on request",
    "upon request",
    "contact",
    "call for",
    "ask for",
    "auf anfrage",
    "anfragen",
    "sur demande",
    "nous consulter",
    "consultar",
    "a consultar",
    "bajo consulta",
    "su richiesta",
    "op aanvraag",
    "sob consulta",
    "na zapytanie",
    "zapytaj",
    "pa forespørgsel",
    "pa forfragan",
    "na dotaz",
    "по запросу",
    "договорная",
    "при запитване",
    "по запитване",
    "lien he",
    "fiyat sorunuz",
    "fiyat icin",
    "egyedi ar",
    "la cerere",
];

/// What elements are called that hold a price which is no longer asked.
const STRUCK: &[&str] = &[
    "old",
    "was",
    "strike",
    "strikethrough",
    "striked",
    "crossed",
    "compare",
    "list",
    "rrp",
    "msrp",
    "before",
    "original",
    "previous",
    "retail",
    "uvp",
    "statt",
    "barre",
    "tachado",
];

/// Words before an amount, folded, that make it the one that is asked today.
const TODAY: &[&str] = &[
    "our price",
    "now",
    "sale",
    "special",
    "online price",
    "your price",
    "jetzt",
    "nur",
    "unser preis",
    "maintenant",
    "ahora",
    "oferta",
    "ora",
    "scontato",
    "promo",
    "nu ",
    "aktion",
    "teraz",
    "cena promocyjna",
    "сега",
    "сейчас",
    "gia ban",
    "indirimli",
];

/// Words before an amount, folded, that make it a price.
const ASKED: &[&str] = &[
    "price", "preis", "prix", "precio", "prezzo", "prijs", "preco", "cena", "pris", "incl", "цена", "gia",
    "fiyat", "hinta", "kaina", "pret", "ar:",
];

/// Words before an amount, folded, that make it the least of several prices.
const LEAST: &[&str] = &[
    "from", "ab", "od", "от", "des", "desde", "da", "vanaf", "fra", "fran", "tu", "dela",
];

/// Words before an amount, folded, that make it something else.
const OTHER: &[&str] = &[
    "list",
    "rrp",
    "msrp",
    "was ",
    "retail",
    "uvp",
    "statt",
    "instead",
    "save",
    "saving",
    "you save",
    "sie sparen",
    "spare",
    "shipping",
    "versand",
    "delivery",
    "livraison",
    "envio",
    "tax",
    "mwst",
    "excl",
    "club",
    "member",
    "used",
    "rent",
    "deposit",
    "pfand",
    "voucher",
    "coupon",
    "gift",
    "per month",
    "monat",
    "earn",
    "points",
    "original",
    "before",
    "from other",
    "ebook",
    "over",
    "above",
    "ab einem",
    "minimum",
    "au lieu",
    "antes",
    "grundpreis",
    "unit price",
    "доставка",
    "безплатна",
    "бесплатн",
    "стара цена",
    "старая цена",
    "спестяваш",
    "mien phi",
    "gia goc",
    "gia cu",
    "tiet kiem",
    "kargo",
    "ucretsiz",
    "wysylk",
    "dostaw",
    "oszczedz",
    "gastos de envio",
    "spedizione",
    "risparmi",
    "bezorg",
    "verzend",
    "frakt",
    "economisez",
    "ahorra",
    "eski fiyat",
];

/// What follows an amount, folded, that is for a part of the thing.
const BEHIND: &[&str] = &[
    "/",
    "per ",
    "pro ",
    "je ",
    "par ",
    "off",
    "shipping",
    "versand",
    "each month",
    "rabatt",
    "discount",
];

impl Block<'_, '_> {
    /// The price that is asked: not the one crossed out, not what is saved, not the delivery's.
    pub fn price(&self) -> Option<Text> {
        let layout = self.layout();
        let context = layout.page().money_context();
        let mut best: Option<(f64, Text)> = None;
        let mut label = String::new();
        let mut seen = 0;
        for (distance, line) in self.lines() {
            if seen > MOST_CANDIDATES {
                break;
            }
            let (shown, node) = unstruck(layout, line);
            if codes::is_in_code(layout, node, CLASSES) {
                label.clear();
                continue;
            }
            let found = money::find_all(&shown, &context);
            seen += found.len();
            let mut end = 0;
            for price in &found {
                let before = text::fold(&format!("{label} {}", &shown[end..price.start]));
                let behind = text::fold(text::truncate(shown[price.end..].trim_start(), 20));
                end = price.end;
                // Nothing to pay is what a page shows that is not filled, or that wants to be
                // asked.
                let is_nothing = price.money.amount().is_zero() && price.money.upto().is_none();
                if is_nothing || codes::announces_code(&before) {
                    continue;
                }
                // `R9 280` in a name is no price, where there is another.
                let in_name = if self.is_in_name(node) { -1.5 } else { 0.0 };
                let score = told(&before, &behind) + placed(layout, node, line, distance) + in_name;
                if best.as_ref().is_none_or(|(known, _)| score > *known) {
                    best = Some((
                        score,
                        Text {
                            text: shown[price.start..price.end].to_owned(),
                            node,
                        },
                    ));
                }
            }
            // A label may stand in the line before, as in lists of definitions.
            label = if found.is_empty() && line.text.len() <= 40 {
                shown
            } else {
                String::new()
            };
        }
        const LOWEST: f64 = -2.0;
        best.filter(|(score, _)| *score > LOWEST)
            .map(|(_, price)| price)
            .or_else(|| self.bare_price())
    }

    /// An amount without a currency, in an element that is said to hold a price.
    fn bare_price(&self) -> Option<Text> {
        let layout = self.layout();
        let currency = currency(layout);
        let context = MoneyContext {
            hint: currency.as_deref(),
            ..layout.page().money_context()
        };
        let mut label = String::new();
        for (_, line) in self.lines() {
            let (shown, node) = unstruck(layout, line);
            let before = std::mem::replace(&mut label, text::fold(text::truncate(&shown, 40)));
            let is_number = shown.len() <= 20 && shown.contains(|one: char| one.is_ascii_digit());
            if !is_number
                || !is_priced(layout, node)
                || !is_bare_amount(&shown)
                || codes::announces_code(&before)
            {
                continue;
            }
            let price = money::parse(&shown, &context);
            if let Some(price) = price.filter(|price| !price.amount().is_zero()) {
                return Some(Text {
                    text: price.to_string(),
                    node,
                });
            }
        }
        None
    }

    fn is_in_name(&self, node: u32) -> bool {
        let heading = self.layout().outline().node(self.heading().node);
        heading.is_some_and(|heading| heading.range().contains(&node))
    }

    /// Returns the text in the place of a price that asks the reader to ask: `Price on request`.
    pub fn price_on_request(&self) -> Option<Text> {
        let layout = self.layout();
        let mut lines = self
            .lines()
            .filter(|(_, line)| line.text.chars().count() <= MOST_LINE);
        lines.find_map(|(_, line)| {
            let node = line.first_node();
            let folded = text::fold(&line.text);
            let asks = ON_REQUEST.iter().any(|words| holds(&folded, words));
            let priced = || is_priced(layout, node) || ASKED.iter().any(|word| folded.starts_with(word));
            (asks && priced()).then(|| Text {
                text: line.text.clone(),
                node,
            })
        })
    }
}

/// Returns true if the nearest element with a telling class is made for prices.
fn is_priced(layout: &Layout<'_>, node: u32) -> bool {
    let called = || {
        let around = layout.outline().node(node).into_iter();
        let mut around = around.flat_map(|node| std::iter::once(node).chain(node.parent()));
        around.any(|node| {
            layout
                .element(node.id())
                .attr("id")
                .is_some_and(|id| has_word(&id, CLASSES))
        })
    };
    (super::is_classed(layout, node, CLASSES) || called()) && !codes::is_in_code(layout, node, CLASSES)
}

/// Returns true for a number alone or beside a word for prices, that is no code: `12,50`, `from
/// 20`.
fn is_bare_amount(shown: &str) -> bool {
    let words = text::fold(shown);
    let mut words = words
        .split(|one: char| !one.is_alphabetic())
        .filter(|word| !word.is_empty());
    let is_word = |word: &str| ASKED.contains(&word) || TODAY.contains(&word) || LEAST.contains(&word);
    words.all(is_word) && !codes::is_trade_number(shown) && !shown.contains('%')
}

/// The currency that the page's head names for all its prices.
fn currency(layout: &Layout<'_>) -> Option<String> {
    let metas = layout
        .page()
        .table("meta")
        .attr("", "property")
        .attr("", "itemprop")
        .attr("", "content")
        .rows();
    metas.iter().find_map(|meta| {
        let name = meta.text(0).or_else(|| meta.text(1))?;
        let names = name.ends_with("price:currency") || name == "priceCurrency";
        names.then(|| meta.text(2).map(str::to_owned)).flatten()
    })
}

/// A line without what is crossed out, and where its first amount stands.
fn unstruck(layout: &Layout<'_>, line: &Line) -> (String, u32) {
    let mut shown = String::with_capacity(line.text.len());
    let mut node = None;
    let mut place = 0;
    for piece in &line.pieces {
        let said = &line.text[piece.range.clone()];
        if is_struck(layout, piece.node) {
            shown.push(' ');
            continue;
        }
        if said.contains(|one: char| one.is_ascii_digit()) {
            node.get_or_insert(piece.node);
        }
        // Space between elements belongs to none of them.
        if place < piece.range.start {
            shown.push(' ');
        }
        place = piece.range.end;
        shown.push_str(said);
    }
    (shown, node.unwrap_or(line.node))
}

fn is_struck(layout: &Layout<'_>, node: u32) -> bool {
    let Some(node) = layout.outline().node(node) else {
        return false;
    };
    std::iter::once(node)
        .chain(node.ancestors())
        .take(super::NEAREST)
        .any(|node| {
            let priced = || {
                layout
                    .class(node.id())
                    .is_some_and(|class| has_word(class, STRUCK) && has_word(class, CLASSES))
            };
            let styled = || {
                let style = layout.element(node.id()).attr("style");
                style.is_some_and(|style| style.contains("line-through"))
            };
            matches!(node.tag(), "del" | "s" | "strike") || priced() || styled()
        })
}

/// What the words around an amount say of it.
fn told(before: &str, behind: &str) -> f64 {
    let other = OTHER.iter().any(|word| holds(before, word));
    let part = BEHIND.iter().any(|word| behind.starts_with(word));
    let today = TODAY.iter().any(|word| holds(before, word));
    let asked = ASKED.iter().any(|word| holds(before, word));
    let told = if today { 2.0 } else { f64::from(u8::from(asked)) };
    told - 4.0 * f64::from(u8::from(other)) - 4.0 * f64::from(u8::from(part))
}

/// Whether a folded text has words that begin so.
fn holds(text: &str, words: &str) -> bool {
    text.match_indices(words)
        .any(|(place, _)| !text[..place].ends_with(char::is_alphabetic))
}

/// What the place of an amount says of it: near the name, in an element made for it.
fn placed(layout: &Layout<'_>, node: u32, line: &Line, distance: usize) -> f64 {
    let classed = if is_priced(layout, node) { 3.0 } else { 0.0 };
    let long = if line.text.chars().count() > MOST_LINE {
        -4.0
    } else {
        0.0
    };
    // The regular price is asked where no other stands beside it.
    let regular = if super::is_classed(layout, node, REGULAR) {
        -1.0
    } else {
        0.0
    };
    // Sixty lines below the name even an element made for prices is no longer the thing's own.
    classed + long + regular - (distance as f64 / 20.0).min(3.0)
}
