//! Detects names that no product has: samples of themes, unfilled templates, sections of a shop.

use magpie_sdk::extract::is_navigation;
use magpie_sdk::text;

use crate::Product;

/// Names of samples and sections, folded.
const NAMES: &[&str] = &[
    "sample product",
    "sample product title",
    "example product",
    "example product title",
    "test product",
    "demo product",
    "product name",
    "product title",
    "your product name",
    "your product",
    "product",
    "products",
    "untitled",
    "new product",
    "lorem ipsum",
    "lorem ipsum dolor sit amet",
    "tieu de san pham mau",
    "san pham mau",
    "ten san pham",
    "produktname",
    "beispielprodukt",
    "musterprodukt",
    "testprodukt",
    "titre du produit",
    "nom du produit",
    "exemple de produit",
    "nombre del producto",
    "producto de ejemplo",
    "producto de prueba",
    "nome prodotto",
    "prodotto di esempio",
    "nome do produto",
    "produto exemplo",
    "nazwa produktu",
    "przykladowy produkt",
    "produktnavn",
    "название товара",
    "наименование товара",
    "тестовый товар",
    "примерен продукт",
    "име на продукта",
    "urun adi",
    "ornek urun",
    "shop",
    "store",
    "home",
    "all products",
    "cart",
    "checkout",
    "search results",
    "page not found",
    "404",
];

/// Prefixes of names, folded, that only samples have.
const BEGINNINGS: &[&str] = &[
    "lorem ipsum",
    "sample product",
    "example product",
    "tieu de san pham",
];

/// Words, folded, that follow the number of search results.
const COUNTED: &[&str] = &[
    "result",
    "results",
    "ergebnis",
    "ergebnisse",
    "treffer",
    "resultat",
    "resultats",
    "resultados",
    "risultati",
    "resultaten",
    "wynikow",
    "wyniki",
    "результатов",
    "резултата",
    "sonuc",
    "ket",
];

/// Returns true for a sample of a theme, an unfilled template, or a product of the shop's back
/// office.
pub(super) fn is_placeholder(product: &Product) -> bool {
    let name = text::bare(&product.name);
    let url = product.url.as_deref().unwrap_or_default();
    let is_unfilled = ["{{", "}}", "{%", "[%", "${", "<%"]
        .iter()
        .any(|mark| product.name.contains(mark));
    // Heading of search results: `3 results for "lamps"`.
    let mut words = name.split(' ');
    let is_count = words
        .next()
        .is_some_and(|word| word.bytes().all(|byte| byte.is_ascii_digit()))
        && words.next().is_some_and(|word| COUNTED.contains(&word));
    NAMES.contains(&name.as_str())
        || is_navigation(&product.name)
        || is_count
        || BEGINNINGS.iter().any(|beginning| name.starts_with(beginning))
        || is_unfilled
        || url.contains("/admin/")
        || !product.name.contains(char::is_alphanumeric)
}

#[cfg(test)]
mod tests {
    use super::is_placeholder;
    use crate::Product;

    #[test]
    fn samples_of_themes_are_no_products() {
        let product = |name: &str, url: &str| Product {
            name: name.to_owned(),
            url: Some(url.into()),
            ..Product::default()
        };
        for (name, url) in [
            ("Sample product title", "https://shop.example/x"),
            ("Tiêu đề sản phẩm mẫu", "https://shop.example/x"),
            ("Rose Soap", "https://shop.example/admin/products/new"),
            ("{{ product.title }}", "https://shop.example/x"),
            ("Lorem ipsum dolor", "https://shop.example/x"),
            ("…", "https://shop.example/x"),
            ("Startseite", "https://shop.example/x"),
            ("3 results for “lamps”", "https://shop.example/x"),
        ] {
            assert!(is_placeholder(&product(name, url)), "{name}");
        }
        for name in [
            "Rose Soap",
            "3 Oak Shelves",
            "Product Photography Box",
            "Sample Case for Watches",
        ] {
            assert!(
                !is_placeholder(&product(name, "https://shop.example/x")),
                "{name}"
            );
        }
    }
}
