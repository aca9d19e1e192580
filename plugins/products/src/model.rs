//! What in a product's name tells it from its neighbours: model numbers, quantities, packs.

use std::collections::BTreeSet;

use magpie_sdk::identifier::model_key;
use magpie_sdk::text;
use magpie_sdk::title::{Quantity, Unit, model_numbers, quantities};

use crate::Product;

/// Words, folded, of what is made for a thing and named after it.
const PARTS: &[&str] = &[
    "case",
    "cover",
    "sleeve",
    "bag",
    "charger",
    "adapter",
    "cable",
    "battery",
    "remote",
    "stand",
    "mount",
    "bundle",
    "kit",
    "refill",
    "replacement",
    "pads",
    "hulle",
    "tasche",
    "ladegerat",
    "kabel",
    "akku",
    "netzteil",
    "ersatz",
    "zubehor",
    "halterung",
    "housse",
    "coque",
    "chargeur",
    "batterie",
    "recharge",
    "funda",
    "cargador",
    "bateria",
    "custodia",
    "caricatore",
    "hoesje",
    "oplader",
    "etui",
    "ladowarka",
];

/// Words, folded, that tell one version of a thing from another.
const VERSIONS: &[&str] = &[
    "refurbished",
    "renewed",
    "used",
    "upgrade",
    "gebraucht",
    "reconditionne",
    "usado",
    "licence",
    "license",
    "academic",
    "student",
    "mac",
    "windows",
    "premium",
    "pro",
    "plus",
    "mini",
    "max",
    "lite",
    "deluxe",
    "professional",
    "home",
    "standard",
    "ultimate",
    "enterprise",
    "portable",
    "wireless",
];

/// Colours, each in several languages, folded; the first names it.
const COLOURS: &[&[&str]] = &[
    &[
        "black", "schwarz", "noir", "noire", "negro", "nero", "zwart", "preto", "czarny", "svart",
        "graphite", "graphit", "bk", "blk",
    ],
    &[
        "white", "weiss", "blanc", "blanche", "blanco", "bianco", "wit", "branco", "bialy", "vit", "hvid",
        "wht",
    ],
    &[
        "red", "rot", "rouge", "rojo", "rosso", "rood", "vermelho", "czerwony", "rod",
    ],
    &["blue", "blau", "bleu", "azul", "blu", "blauw", "niebieski", "bla"],
    &[
        "green", "grun", "vert", "verte", "verde", "groen", "zielony", "gron",
    ],
    &[
        "silver", "silber", "argent", "plata", "argento", "zilver", "srebrny", "slv",
    ],
    &["pink", "rosa", "rose", "roze", "rozowy"],
    &["yellow", "gelb", "jaune", "amarillo", "giallo", "geel", "zolty"],
    &["grey", "gray", "grau", "gris", "grigio", "grijs", "szary"],
    &["gold", "golden", "dore", "dorado", "oro", "goud", "zloty"],
    &["orange", "naranja", "arancione", "oranje"],
    &["purple", "violet", "lila", "violett", "morado", "viola", "paars"],
    &["brown", "braun", "marron", "marrone", "bruin", "brazowy"],
];

/// Letters or digits of a number of figures alone that is a part number; shorter ones are sizes and years.
const PART_DIGITS: usize = 5;

/// Letters and digits of a mixed word that is too short for a model number: `P2`, `CS3`.
const SHORT_MODEL: usize = 3;

/// A product as it is compared.
pub(crate) struct Features {
    /// The words of the name, folded, without the brand's and without quantities.
    pub(crate) words: Vec<String>,
    pub(crate) models: BTreeSet<String>,
    pub(crate) quantities: Vec<Quantity>,
    /// Numbers that are neither model nor quantity: versions, years, `P2`.
    pub(crate) numbers: BTreeSet<String>,
    pub(crate) parts: BTreeSet<&'static str>,
    pub(crate) versions: BTreeSet<&'static str>,
    pub(crate) colours: BTreeSet<usize>,
    pub(crate) brand: Vec<String>,
}

impl Features {
    pub(crate) fn of(product: &Product) -> Self {
        let brand = text::tokens(product.brand.as_deref().unwrap_or_default());
        let all = without_quantities(&product.name);
        let among = |known: &[&'static str]| {
            known
                .iter()
                .filter(|known| all.iter().any(|word| word == *known))
                .copied()
                .collect()
        };
        let colour = |word: &String| COLOURS.iter().position(|names| names.contains(&word.as_str()));
        let numbers = all
            .iter()
            .filter(|word| is_number(word))
            .map(|word| plain_number(word))
            .collect();
        Self {
            models: models(product),
            quantities: quantities(&product.name),
            numbers,
            parts: among(PARTS),
            versions: among(VERSIONS),
            colours: all.iter().filter_map(colour).collect(),
            words: all.into_iter().filter(|word| !brand.contains(word)).collect(),
            brand,
        }
    }

    /// Whether both state a quantity of one kind, and no amount agrees: 16 GB and 32 GB.
    pub(crate) fn differs_in_quantity(&self, other: &Self) -> bool {
        let units: BTreeSet<Unit> = self.quantities.iter().map(|quantity| quantity.unit).collect();
        units.into_iter().any(|unit| {
            let amounts = |features: &Self| -> Vec<f64> {
                let of_unit = features
                    .quantities
                    .iter()
                    .filter(|quantity| quantity.unit == unit);
                of_unit.map(|quantity| quantity.amount.to_f64()).collect()
            };
            let (left, right) = (amounts(self), amounts(other));
            // Inches of screens and sizes of clothes are rounded differently by every shop.
            let close = |one: f64, two: f64| (one - two).abs() <= 0.02 * one.max(two);
            !right.is_empty() && !left.iter().any(|one| right.iter().any(|two| close(*one, *two)))
        })
    }

    /// Whether both state the same amount of something.
    pub(crate) fn agrees_in_quantity(&self, other: &Self) -> bool {
        self.quantities
            .iter()
            .any(|quantity| other.quantities.contains(quantity))
    }

    /// Pieces in the pack, one unless it says otherwise.
    pub(crate) fn pieces(&self) -> f64 {
        let pieces = self
            .quantities
            .iter()
            .find(|quantity| quantity.unit == Unit::Piece);
        pieces.map_or(1.0, |quantity| quantity.amount.to_f64())
    }
}

/// Model and part numbers: words of letters and figures, and long numbers, with their separators dropped.
fn models(product: &Product) -> BTreeSet<String> {
    let mut models: BTreeSet<String> = model_numbers(&product.name).into_iter().collect();
    let words = product
        .name
        .split(|one: char| one.is_whitespace() || matches!(one, ',' | '(' | ')' | '[' | ']'));
    let figures = words.filter(|word| word.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-'));
    let given = [product.model.as_deref(), product.mpn.as_deref()]
        .into_iter()
        .flatten();
    let long = figures.map(model_key).filter(|key| key.len() >= PART_DIGITS);
    let given = given
        .map(model_key)
        .filter(|key| key.len() >= SHORT_MODEL && key.contains(|one: char| one.is_ascii_digit()));
    models.extend(long.chain(given));
    models.retain(|model| !is_feature(model));
    models
}

/// `1080p`, `120hz`, `2line`, `5disc`: figures and what is counted tell what a thing can do, not which one it is.
fn is_feature(model: &str) -> bool {
    const COUNTED: &[&str] = &[
        "p", "i", "x", "k", "hz", "ms", "fps", "rpm", "dpi", "bit", "ch", "nd", "rd", "th", "st",
    ];
    let letters = model.trim_start_matches(|one: char| one.is_ascii_digit());
    let digits = model.len() - letters.len();
    let is_word = letters.bytes().all(|byte| byte.is_ascii_alphabetic());
    digits > 0 && is_word && (COUNTED.contains(&letters) || (digits <= 2 && letters.len() >= 3))
}

/// The words of a name without those that state a quantity, whether in one word (`16GB`) or two.
fn without_quantities(name: &str) -> Vec<String> {
    let words = text::tokens(name);
    let is_figure = |word: &String| word.starts_with(|one: char| one.is_ascii_digit());
    let mut kept = Vec::with_capacity(words.len());
    let mut place = 0;
    while let Some(word) = words.get(place) {
        let with_unit = || {
            words
                .get(place + 1)
                .is_some_and(|unit| !is_figure(unit) && !quantities(&format!("{word} {unit}")).is_empty())
        };
        if is_figure(word) && !quantities(word).is_empty() {
            place += 1;
        } else if is_figure(word) && with_unit() {
            place += 2;
        } else {
            kept.push(word.clone());
            place += 1;
        }
    }
    kept
}

fn is_number(word: &str) -> bool {
    let digits = word.bytes().filter(u8::is_ascii_digit).count();
    digits > 0 && (digits == word.len() && digits < PART_DIGITS || word.len() <= SHORT_MODEL)
}

/// `v2` and `2` are one version.
fn plain_number(word: &str) -> String {
    let bare = word.strip_prefix('v').unwrap_or(word).trim_start_matches('0');
    if bare.is_empty() {
        "0".to_owned()
    } else {
        bare.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::Features;
    use crate::Product;

    fn features(name: &str) -> Features {
        Features::of(&Product {
            name: name.into(),
            ..Product::default()
        })
    }

    #[test]
    fn quantities_tell_neighbours_apart() {
        assert!(features("Phone X 16 GB").differs_in_quantity(&features("Phone X 32GB")));
        assert!(!features("Juice 0.5 l").differs_in_quantity(&features("Juice 500 ml")));
        assert!(!features("Phone X 16 GB").differs_in_quantity(&features("Phone X")));
    }

    #[test]
    fn short_models_colours_and_part_numbers_are_told() {
        let phone = features("Pike P2 Phone 16 GB, blau");
        assert!(phone.numbers.contains("p2") && !phone.numbers.contains("16"));
        assert_eq!(phone.colours, features("blue").colours);
        assert_eq!(phone.words, ["pike", "p2", "phone", "blau"]);
        assert!(features("Plasma TV 1080p, 2-line, 120Hz").models.is_empty());
        assert!(
            features("Orbit Trackball 960-000048")
                .models
                .contains("960000048")
        );
    }

    #[test]
    fn packs_are_counted() {
        assert_eq!(features("Batteries AA 12-pack").pieces(), 12.0);
        assert_eq!(features("Battery AA").pieces(), 1.0);
    }
}
