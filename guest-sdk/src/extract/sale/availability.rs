//! Whether a thing can be had.

use magpie_values::text;

use super::block::Block;
use super::is_classed;
use crate::extract::Text;

/// Bytes of a text that says whether a thing is in stock; longer ones are about deliveries in general.
const MOST_TEXT: usize = 60;

/// Bytes of such a text where a label or a class says that this is what it is about.
const MOST_NAMED: usize = 160;

/// What shops say, folded, and what it means. What denies comes first, as `not in stock` holds `in stock`.
const PHRASES: &[(&str, &[&str])] = &[
    (
        "discontinued",
        &[
            "discontinued",
            "no longer available",
            "nicht mehr lieferbar",
            "eingestellt",
            "descatalogado",
            "fuori catalogo",
        ],
    ),
    (
        "out-of-stock",
        &[
            "out of stock",
            "outofstock",
            "out-of-stock",
            "sold out",
            "soldout",
            "not in stock",
            "not available",
            "unavailable",
            "ausverkauft",
            "nicht verfugbar",
            "nicht lieferbar",
            "nicht vorratig",
            "nicht auf lager",
            "vergriffen",
            "epuise",
            "rupture",
            "indisponible",
            "agotado",
            "sin stock",
            "sin existencias",
            "no disponible",
            "esaurito",
            "non disponibile",
            "uitverkocht",
            "niet op voorraad",
            "esgotado",
            "indisponivel",
            "wyprzedan",
            "niedostepn",
            "brak w magazynie",
            "slutsald",
            "udsolgt",
            "utsolgt",
            "ej i lager",
            "loppuunmyyty",
            "vyprodano",
            "neni skladem",
            "нет в наличии",
            "распродано",
            "het hang",
            "tukendi",
            "品切れ",
            "在庫切れ",
            "売り切れ",
            "缺货",
            "售罄",
            "품절",
        ],
    ),
    (
        "preorder",
        &[
            "pre-order",
            "preorder",
            "pre order",
            "presale",
            "vorbestell",
            "precommande",
            "preventa",
            "preventa",
            "in prenotazione",
            "preordine",
            "pre-venda",
            "forudbestil",
            "forhandsbestall",
            "przedsprzedaz",
            "предзаказ",
            "予約",
            "预订",
        ],
    ),
    (
        "backorder",
        &[
            "backorder",
            "back-order",
            "back order",
            "on order",
            "nachbestellt",
            "besorgungstitel",
            "sur commande",
            "bajo pedido",
        ],
    ),
    ("limited", &["limitedavailability", "limited availability"]),
    (
        "in-stock",
        &[
            "in stock",
            "instock",
            "in-stock",
            "ready to ship",
            "usually ships",
            "auf lager",
            "vorratig",
            "sofort lieferbar",
            "sofort verfugbar",
            "lieferbar",
            "en stock",
            "disponible",
            "disponibile",
            "op voorraad",
            "em estoque",
            "em stock",
            "disponivel",
            "dostepn",
            "w magazynie",
            "i lager",
            "pa lager",
            "varastossa",
            "skladem",
            "в наличии",
            "con hang",
            "stokta",
            "在庫あり",
            "有货",
            "现货",
            "instoreonly",
            "onlineonly",
            "재고 있음",
        ],
    ),
];

/// Said of other things too (`also available as`), so they count only where the text is said to be about stock.
const WEAK: &[(&str, &[&str])] = &[(
    "in-stock",
    &["available", "verfugbar", "now", "yes", "ja", "oui", "si"],
)];

/// Words, folded, for one variant of a thing among others.
const VARIANTS: &[&str] = &[
    "variant",
    "variation",
    "selected",
    "selection",
    "ausgewahlt",
    "selectionne",
    "seleccionad",
];

const CLASSES: &[&str] = &[
    "availability",
    "stock",
    "instock",
    "verfuegbarkeit",
    "lieferstatus",
    "disponibilite",
    "disponibilidad",
];

/// Whether a thing can be had, by a text or URL that is said to tell: `in-stock`, `out-of-stock`,
/// `preorder`, `backorder`, `limited` or `discontinued`.
///
/// ```
/// use magpie_sdk::extract::availability;
///
/// assert_eq!(availability("https://schema.org/InStock"), Some("in-stock"));
/// assert_eq!(availability("Zurzeit nicht lieferbar"), Some("out-of-stock"));
/// assert_eq!(availability("Blue"), None);
/// ```
pub fn availability(text: &str) -> Option<&'static str> {
    let last = text.rsplit(['/', '#']).next().unwrap_or(text);
    let folded = text::fold(if text.starts_with("http") { last } else { text });
    if folded.len() > MOST_NAMED {
        return None;
    }
    meaning(&folded, PHRASES).or_else(|| {
        let words = text::bare(&folded);
        WEAK.iter()
            .find(|(_, known)| known.contains(&words.as_str()))
            .map(|(meaning, _)| *meaning)
    })
}

impl Block<'_, '_> {
    /// What the block says of the thing's availability, in [`availability`]'s words.
    pub fn availability(&self) -> Option<Text> {
        let mut best: Option<(usize, Text)> = None;
        for (distance, line) in self.lines() {
            let named = is_classed(self.layout(), line.node, CLASSES);
            let most = if named { MOST_NAMED } else { MOST_TEXT };
            if line.text.len() > most {
                continue;
            }
            let folded = text::fold(&line.text);
            // A page in its first state tells of the variant that nobody has chosen yet.
            if VARIANTS.iter().any(|word| folded.contains(word)) {
                continue;
            }
            let strong = || meaning(&folded, PHRASES);
            let Some(found) = (if named { availability(&line.text) } else { strong() }) else {
                continue;
            };
            // Whoever names the element after it means this one.
            let rank = if named { distance } else { distance + 1_000 };
            if best.as_ref().is_none_or(|(known, _)| rank < *known) {
                best = Some((
                    rank,
                    Text {
                        text: found.to_owned(),
                        node: line.node,
                    },
                ));
            }
        }
        best.map(|(_, text)| text)
    }
}

/// The meaning of the first phrase that the folded text holds as a whole word or the beginning of one.
fn meaning(folded: &str, phrases: &[(&'static str, &[&str])]) -> Option<&'static str> {
    let holds = |phrase: &&str| {
        folded
            .match_indices(*phrase)
            .any(|(place, _)| !folded[..place].ends_with(char::is_alphanumeric))
    };
    phrases
        .iter()
        .find(|(_, known)| known.iter().any(holds))
        .map(|(meaning, _)| *meaning)
}

#[cfg(test)]
mod tests {
    use super::availability;

    #[test]
    fn shops_of_many_languages_are_understood() {
        let cases = [
            ("http://schema.org/OutOfStock", Some("out-of-stock")),
            ("InStock", Some("in-stock")),
            ("In stock (19 available)", Some("in-stock")),
            ("Auf Lager", Some("in-stock")),
            ("Derzeit nicht auf Lager", Some("out-of-stock")),
            ("En stock", Some("in-stock")),
            ("Épuisé", Some("out-of-stock")),
            ("Jetzt vorbestellen", Some("preorder")),
            ("Available", Some("in-stock")),
            ("Also available as e-book", None),
            ("", None),
        ];
        for (text, expected) in cases {
            assert_eq!(availability(text), expected, "{text}");
        }
    }
}
