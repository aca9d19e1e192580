//! Guesses the kind of a page (one product, a list, or something else) from its URL and from the
//! class names of the shop's software.

use magpie_sdk::extract::Layout;
use magpie_sdk::text;

/// Kind of page that the shop's software or the URL indicates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Product,
    /// A category, a search result, or the home page of a shop.
    List,
    /// An article, an account page, a contact form.
    Other,
    /// No indication.
    Unknown,
}

magpie_sdk::word_lists! { "address.txt";
    PRODUCT: Words = "product";
    SINGLE: Words = "single";
    SEVERAL: Words = "several";
    LISTS: Words = "list";
    OTHERS: Words = "other";
    PRODUCT_FOLDERS: Words = "product_folder";
    SHELF_FOLDERS: Words = "shelf_folder";
    LIST_FOLDERS: Words = "list_folder";
    OTHER_FOLDERS: Words = "other_folder";
    pub(super) BRAND_FOLDERS: Words = "brand_folder";
}

/// Number of ancestors of a heading whose class names are read.
const AROUND_HEADING: usize = 6;

/// Returns the kind of page that the ids and classes of the outermost elements indicate.
pub(super) fn software_says(layout: &Layout<'_>) -> Kind {
    let whole = layout.outline().nodes().take(4_000);
    let whole = whole.filter(|node| matches!(node.tag(), "html" | "body" | "main"));
    let names: Vec<String> = whole
        .filter(|node| node.depth() <= 8)
        .flat_map(|node| {
            let id = layout.element(node.id()).attr("id");
            let class = layout.class(node.id()).map(str::to_owned);
            id.into_iter().chain(class)
        })
        .collect();
    let mut tokens = names.iter().flat_map(|name| name.split_ascii_whitespace());
    let list = |token: &str| has_word(token, LISTS) && !has_single_product(token);
    if tokens
        .clone()
        .any(|token| has_single_product(token) || PRODUCT.contains(&text::fold(token).as_str()))
    {
        Kind::Product
    } else if tokens.clone().any(list) {
        Kind::List
    } else if tokens.any(|token| has_word(token, OTHERS)) {
        Kind::Other
    } else {
        Kind::Unknown
    }
}

/// Returns true if the class of a heading, or of an element around it, names one product:
/// `product_title`, `product-info`.
pub(super) fn heads_product(layout: &Layout<'_>, heading: u32) -> bool {
    let Some(node) = layout.outline().node(heading) else {
        return false;
    };
    let around = std::iter::once(node).chain(node.ancestors()).take(AROUND_HEADING);
    let mut names = around
        .filter(|node| !matches!(node.tag(), "html" | "body"))
        .filter_map(|node| layout.class(node.id()));
    names.any(|class| class.split_ascii_whitespace().any(has_single_product))
}

/// Returns the kind of page that a URL indicates.
pub(super) fn address_says(url: &str) -> Kind {
    let path = url.splitn(4, '/').nth(3).unwrap_or_default();
    let path = path.split(['?', '#']).next().unwrap_or_default();
    let folders: Vec<String> = path
        .split('/')
        .filter(|folder| !folder.is_empty() && !folder.starts_with("index."))
        .map(text::fold)
        .collect();
    // Home page of a shop.
    if folders.is_empty() {
        return Kind::List;
    }
    let begins = |folder: &str, known: &[&str]| {
        known.iter().any(|word| {
            folder == *word
                || folder.starts_with(word)
                    && (word.len() > 6 || folder[word.len()..].starts_with(['-', '_']))
        })
    };
    // The last segment may be the name of a product that begins with such a word:
    // `products/collection-lux`.
    let last = folders.len().saturating_sub(1);
    let is_list = |place: usize, folder: &str| {
        LIST_FOLDERS.contains(&folder) || place < last && begins(folder, LIST_FOLDERS)
    };
    let places = || folders.iter().map(String::as_str).enumerate();
    let product = places()
        .rfind(|(place, folder)| *place < last && PRODUCT_FOLDERS.contains(folder))
        .map(|(place, _)| place);
    let list = places()
        .rfind(|(place, folder)| is_list(*place, folder))
        .map(|(place, _)| place);
    let other = places().find(|(place, folder)| {
        OTHER_FOLDERS.contains(folder) || *place < last && begins(folder, OTHER_FOLDERS)
    });
    match (product, list, other) {
        (None, None, Some(_)) => Kind::Other,
        (None, Some(_), _) => Kind::List,
        (Some(product), Some(list), _) if list > product => Kind::List,
        (Some(_), _, _) => Kind::Product,
        (None, None, None) => Kind::Unknown,
    }
}

/// Returns true for a class attribute that contains a product word: `product type-product`,
/// `ProductCard`.
pub(super) fn has_product(class: &str) -> bool {
    class
        .split_ascii_whitespace()
        .any(|token| has_word(token, PRODUCT))
}

/// Returns true for a URL that only products have: `/product/blue-kettle`, but not `/shop/kettles`.
pub(super) fn is_product_address(url: &str) -> bool {
    let path = url.splitn(4, '/').nth(3).unwrap_or_default();
    let telling = |folder: &str| PRODUCT_FOLDERS.contains(&folder) && !SHELF_FOLDERS.contains(&folder);
    address_says(url) == Kind::Product && path.split('/').any(|folder| telling(&text::fold(folder)))
}

fn has_single_product(token: &str) -> bool {
    let folded = split_words(token);
    let has = |known: &[&str]| folded.iter().any(|word| known.contains(&word.as_str()));
    has(PRODUCT) && has(SINGLE) && !has(SEVERAL)
}

fn has_word(token: &str, known: &[&str]) -> bool {
    split_words(token)
        .iter()
        .any(|word| known.contains(&word.as_str()))
}

/// Splits a class name into its words: `productDetail`, `product__title`, `post-type-archive`.
fn split_words(token: &str) -> Vec<String> {
    let mut spaced = String::with_capacity(token.len() + 4);
    let mut last_lower = false;
    for letter in token.chars() {
        if letter.is_uppercase() && last_lower {
            spaced.push(' ');
        }
        last_lower = letter.is_lowercase();
        spaced.push(if matches!(letter, '_' | '-') { ' ' } else { letter });
    }
    text::tokens(&spaced)
}

#[cfg(test)]
mod tests {
    use magpie_sdk::Page;
    use magpie_sdk::extract::Layout;

    use super::{Kind, address_says, is_product_address, software_says};

    #[test]
    fn addresses_tell_products_from_lists() {
        for (path, expected) in [
            ("product/blue-kettle/", Kind::Product),
            ("produkt/caline-60-ml/", Kind::Product),
            ("collections/all/products/lamp", Kind::Product),
            ("san-pham/ghe-go", Kind::Product),
            ("products/collection-lux", Kind::Product),
            ("product/", Kind::Unknown),
            ("blue-kettle.html", Kind::Unknown),
            ("shop/category/kettles/", Kind::List),
            ("product-category/beauty/", Kind::List),
            ("produkt-kategoriya/beauty/page/4/", Kind::List),
            ("collections/lamps", Kind::List),
            ("shop/page/2/", Kind::List),
            ("blog/how-to-choose-a-kettle", Kind::Other),
            ("author/jane/", Kind::Other),
            ("news-stand-oak", Kind::Unknown),
            ("", Kind::List),
            ("index.php?lang=en", Kind::List),
            ("categories/", Kind::List),
        ] {
            assert_eq!(
                address_says(&format!("https://shop.example/{path}")),
                expected,
                "{path}"
            );
        }
    }

    #[test]
    fn a_shelf_is_no_product() {
        assert!(is_product_address("https://shop.example/product/blue-kettle"));
        assert!(!is_product_address("https://shop.example/shop/kettles"));
        assert!(!is_product_address("https://shop.example/products/"));
    }

    #[test]
    fn shop_software_names_its_pages() {
        for (body, expected) in [
            (
                "class='product-template-default single single-product postid-12 woocommerce'",
                Kind::Product,
            ),
            (
                "class='archive tax-product_cat term-beauty woocommerce'",
                Kind::List,
            ),
            (
                "class='archive post-type-archive-product woocommerce'",
                Kind::List,
            ),
            ("class='template-product'", Kind::Product),
            ("class='template-collection'", Kind::List),
            (
                "class='catalog-product-view product-kettle categorypath-home'",
                Kind::Product,
            ),
            ("class='catalog-category-view category-kettles'", Kind::List),
            ("id='product' class='lang-fr page-product'", Kind::Product),
            ("id='category'", Kind::List),
            ("class='single single-post postid-9'", Kind::Other),
            ("class='single single-featured_item'", Kind::Unknown),
            ("", Kind::Unknown),
        ] {
            let page = Page::from_html(
                "https://shop.example/x",
                &format!("<body {body}><h1>Kettle</h1></body>"),
            );
            assert_eq!(software_says(&Layout::new(&page)), expected, "{body}");
        }
    }
}
