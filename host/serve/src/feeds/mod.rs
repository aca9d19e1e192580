//! Feeds and calendars of the objects that a query finds.
//!
//! Semantic kinds of attributes decide what a feed shows; the verticals are not known here.

mod atom;
mod ics;
mod json_feed;
mod rss;
mod xml;

#[cfg(test)]
mod tests;

use magpie_model::{Attribute, Kind};
use magpie_store::ObjectRow;
use magpie_values::Timestamp;
use url::Url;

use crate::Format;
use xml::html;

/// The program that writes feeds.
const GENERATOR: &str = "Magpie";

/// Entries of a feed, the last changed first. Programs ask often and keep what they have seen.
/// Calendars have no such bound, since programs drop what a calendar no longer has.
const MAX_ENTRIES: usize = 100;

/// An object as feeds show it.
pub(crate) struct Item<'a> {
    /// The object.
    pub(crate) object: &'a ObjectRow,
    /// The attributes of its vertical.
    pub(crate) schema: &'a [Attribute],
    /// The number of its changes so far.
    pub(crate) revision: u64,
    /// The time of its last change.
    pub(crate) changed_at: Timestamp,
    /// No page shows it any more, and it has not expired.
    pub(crate) is_gone: bool,
}

impl Item<'_> {
    /// Labels and values for people, in the order of the schema. The label of the object and
    /// pictures are shown elsewhere.
    fn details(&self) -> Vec<(&str, String)> {
        let shown = self.schema.iter().filter(|attribute| {
            let is_shown = !matches!(attribute.kind, Kind::Image | Kind::Properties);
            is_shown && self.object.record.get(&attribute.name).is_some()
        });
        let detail = |attribute: &'_ Attribute| {
            let values: Vec<&str> = self.object.record.all(&attribute.name).collect();
            values.join(", ")
        };
        shown.map(|attribute| (attribute.label.as_str(), detail(attribute))).collect()
    }

    /// Returns the first web URL among the values of a kind.
    fn url_of(&self, kind: &Kind) -> Option<String> {
        let mut attributes = self.schema.iter().filter(|attribute| attribute.kind == *kind);
        attributes.find_map(|attribute| {
            let mut values = self.object.record.all(&attribute.name);
            values.find(|value| web_url(value)).map(str::to_owned)
        })
    }
}

/// Returns `true` for a URL that a reader may follow.
fn web_url(text: &str) -> bool {
    Url::parse(text).is_ok_and(|url| matches!(url.scheme(), "http" | "https"))
}

/// A feed of entries.
struct Feed {
    /// An identifier that stays the same wherever the feed is served.
    id: String,
    title: String,
    /// URL of the page with the same objects.
    page_url: String,
    /// URL of the feed.
    own_url: String,
    updated: Timestamp,
    entries: Vec<Entry>,
}

/// An entry of a feed.
struct Entry {
    id: String,
    title: String,
    /// URL of the object's page on this server.
    url: String,
    /// URL of the page it was found on.
    source: Option<String>,
    image: Option<String>,
    category: String,
    published: Timestamp,
    updated: Timestamp,
    details: Vec<(String, String)>,
}

impl Entry {
    /// `base` is the URL of this server, `workspace` the ID of the workspace.
    fn new(item: &Item<'_>, base: &str, workspace: &str) -> Entry {
        let object = item.object;
        let mut details: Vec<(String, String)> = item
            .details()
            .into_iter()
            .map(|(label, value)| (label.to_owned(), value))
            .collect();
        if item.is_gone {
            details.insert(0, ("State".to_owned(), "no page shows it any more".to_owned()));
        }
        Entry {
            id: format!("urn:magpie:{workspace}:object-{}", object.id.0),
            title: object.label.clone(),
            url: format!("{base}/object/{}", object.id.0),
            source: item.url_of(&Kind::Url),
            image: item.url_of(&Kind::Image),
            category: object.record.object_type.clone(),
            published: object.first_seen,
            updated: item.changed_at,
            details,
        }
    }

    fn text(&self) -> String {
        let lines = self.details.iter().map(|(label, value)| format!("{label}: {value}"));
        lines.collect::<Vec<_>>().join("\n")
    }

    fn html(&self) -> String {
        let mut text = String::from("<dl>");
        for (label, value) in &self.details {
            let value = match web_url(value) {
                true => format!("<a href=\"{0}\" rel=\"noopener noreferrer nofollow ugc\">{0}</a>", html(value)),
                false => html(value),
            };
            text.push_str(&format!("<dt>{}</dt><dd>{value}</dd>", html(label)));
        }
        text.push_str("</dl>");
        text
    }
}
