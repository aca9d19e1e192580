//! Open Graph and Twitter cards: what a page says about itself for those who share it.

use super::Found;
use super::entity::{Budget, Datum, Entity};
use crate::dom::Document;

/// Prefixes of the names that are read.
const PREFIXES: [&str; 14] = [
    "og:",
    "twitter:",
    "article:",
    "product:",
    "book:",
    "profile:",
    "video:",
    "music:",
    "event:",
    "place:",
    "business:",
    "fb:",
    "restaurant:",
    "books:",
];

/// Endings of the names whose values are URLs.
const URLS: [&str; 8] = [
    "url", "image", "video", "audio", "src", "player", "see_also", "image:0",
];

/// Returns all such properties of the page as one item, under the names in the page. The type is
/// `og:` and the value of `og:type`, or `og:website` by default, as in the protocol.
pub(super) fn read(document: &Document, budget: &Budget) -> Option<Found> {
    let mut entity = Entity::default();
    let mut first = None;
    for (node, content) in document.having("content") {
        if document.tag(node) != "meta" {
            continue;
        }
        let names = ["property", "name"]
            .into_iter()
            .filter_map(|name| document.attribute(node, name));
        let names = names
            .flat_map(str::split_ascii_whitespace)
            .map(str::to_ascii_lowercase);
        let Some(name) = names
            .into_iter()
            .find(|name| PREFIXES.iter().any(|prefix| name.starts_with(prefix)))
        else {
            continue;
        };
        first.get_or_insert(node);
        let is_url = name
            .rsplit(':')
            .next()
            .is_some_and(|last| URLS.contains(&last) || last == "secure_url");
        let value = if is_url {
            budget.url(document, content)
        } else {
            budget.trimmed(content)
        };
        entity.add(budget, &name, Datum::Text(value));
    }
    let node = first?;
    if !entity
        .properties
        .keys()
        .any(|name| name.starts_with("og:") || name.starts_with("twitter:"))
        || !budget.take_item(0)
    {
        return None;
    }
    let kind = match entity.properties.get("og:type").and_then(|values| values.first()) {
        Some(Datum::Text(kind)) => kind.as_str(),
        _ => "website",
    };
    entity.types = vec![budget.text(&format!("og:{kind}"))];
    Some(Found {
        syntax: "open-graph",
        entity,
        node: Some(node),
        place: node,
    })
}
