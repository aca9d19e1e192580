//! JSON Feed 1.1.

use serde_json::{Value, json};

use super::Feed;

/// Returns a feed as a document of JSON Feed.
pub(super) fn write(feed: &Feed) -> String {
    let items = feed.entries.iter().map(|entry| {
        let mut item = json!({
            "id": entry.id, "url": entry.url, "title": entry.title, "content_text": entry.text(),
            "content_html": entry.html(), "date_published": entry.published.to_string(),
            "date_modified": entry.updated.to_string(), "tags": [entry.category],
        });
        for (name, value) in [("external_url", &entry.source), ("image", &entry.image)] {
            if let Some(value) = value {
                item[name] = json!(value);
            }
        }
        item
    });
    let feed = json!({
        "version": "https://jsonfeed.org/version/1.1", "title": feed.title, "home_page_url": feed.page_url,
        "feed_url": feed.own_url, "items": items.collect::<Vec<Value>>(),
    });
    format!("{feed:#}\n")
}
