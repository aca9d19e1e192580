//! Detects names that no product has: samples of themes, unfilled templates, sections of a shop.

use magpie_sdk::extract::is_navigation;
use magpie_sdk::text;

use crate::Product;
use crate::lists::{COUNTED, PLACEHOLDER_STARTS, PLACEHOLDERS};

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
    PLACEHOLDERS.contains(&name.as_str())
        || is_navigation(&product.name)
        || is_count
        || PLACEHOLDER_STARTS
            .iter()
            .any(|beginning| name.starts_with(beginning))
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
