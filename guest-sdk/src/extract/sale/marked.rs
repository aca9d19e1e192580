//! Structured data of a product for sale, without implausible values.

use super::availability;
use crate::extract::structured;
use crate::{Entity, Page};

/// Price of the offers at the first path that has one. A price of zero counts as missing: shops
/// write it if a script fills the page later.
pub fn offered_price(entity: Entity<'_>, paths: &[&str]) -> Option<String> {
    paths
        .iter()
        .filter_map(|path| structured::money(entity, path))
        .find(|price| is_amount(price))
}

/// Rating at a path; `None` if there are no ratings yet.
pub fn known_rating(entity: Entity<'_>, path: &str) -> Option<String> {
    structured::rating(entity, path).filter(|rating| is_amount(rating))
}

/// Availability in the words of [`availability`]; one offer in stock is enough.
pub fn offered_stock(entity: Entity<'_>, paths: &[&str]) -> Option<&'static str> {
    let texts = paths.iter().flat_map(|path| entity.all(path));
    let known: Vec<&'static str> = texts.filter_map(availability).collect();
    known
        .iter()
        .find(|stock| **stock == "in-stock")
        .or(known.first())
        .copied()
}

/// First picture, given as a URL or as an entity with one.
pub fn marked_picture(entity: Entity<'_>) -> Option<String> {
    let paths = ["image.url", "image.contentUrl", "image", "photo", "thumbnailUrl"];
    let urls = paths.iter().filter_map(|path| entity.get(path));
    urls.filter(|url| url.starts_with("http"))
        .map(str::to_owned)
        .next()
}

/// Canonical URL of the page as declared by its `link` element, or else its own URL.
pub fn own_address(page: &Page) -> String {
    let link = page
        .select_one("link[rel=canonical]")
        .and_then(|link| link.url_attr("href"));
    let same_site = |url: &String| url.split('/').nth(2) == page.url().split('/').nth(2);
    // Some sites declare their home page as canonical for all pages.
    link.filter(|url| same_site(url) && is_deep(url))
        .unwrap_or_else(|| page.url().to_owned())
}

/// Returns true if a URL has a path beyond the site's home page.
pub fn is_deep(url: &str) -> bool {
    url.splitn(4, '/').nth(3).is_some_and(|path| !path.is_empty())
}

/// Returns true if a text begins with a plain number above zero.
fn is_amount(written: &str) -> bool {
    let number = written.split(['/', ' ', '-']).next().unwrap_or_default();
    let plain = !number.contains(['e', 'E']) || !number.starts_with(|first: char| first.is_ascii_digit());
    plain
        && written.contains(|digit: char| ('1'..='9').contains(&digit))
        && !number.trim_matches(['0', '.', ',']).is_empty()
}

#[cfg(test)]
mod tests {
    use super::{is_amount, is_deep};

    #[test]
    fn nothing_is_no_amount() {
        for amount in ["12.50 EUR", "0.99", "4.2/5", "€5", "10-20 EUR"] {
            assert!(is_amount(amount), "{amount}");
        }
        for amount in ["0", "0.00 USD", "0/5", "1e999", ""] {
            assert!(!is_amount(amount), "{amount}");
        }
    }

    #[test]
    fn a_first_page_is_not_deep() {
        assert!(is_deep("https://example.org/a"));
        assert!(!is_deep("https://example.org/"));
        assert!(!is_deep("https://example.org"));
    }
}
