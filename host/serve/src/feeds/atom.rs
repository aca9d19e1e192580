//! Atom (RFC 4287).

use super::xml::Xml;
use super::{Feed, GENERATOR};

/// Returns a feed as an Atom document.
pub(super) fn write(feed: &Feed) -> String {
    let mut xml = Xml::new();
    xml.element("feed", &[("xmlns", "http://www.w3.org/2005/Atom")], |xml| {
        xml.text("id", &[], &feed.id);
        xml.text("title", &[], &feed.title);
        xml.text("updated", &[], &feed.updated.to_string());
        xml.element("author", &[], |xml| xml.text("name", &[], GENERATOR));
        xml.text("generator", &[], GENERATOR);
        let link = |rel, kind, href| [("rel", rel), ("type", kind), ("href", href)];
        xml.empty("link", &link("self", "application/atom+xml", &feed.own_url));
        xml.empty("link", &link("alternate", "text/html", &feed.page_url));
        for entry in &feed.entries {
            xml.element("entry", &[], |xml| {
                xml.text("id", &[], &entry.id);
                xml.text("title", &[], &entry.title);
                xml.text("published", &[], &entry.published.to_string());
                xml.text("updated", &[], &entry.updated.to_string());
                match &entry.source {
                    Some(source) => {
                        xml.empty("link", &[("rel", "alternate"), ("href", source)]);
                        xml.empty("link", &link("related", "text/html", &entry.url));
                    }
                    None => xml.empty("link", &link("alternate", "text/html", &entry.url)),
                }
                xml.empty("category", &[("term", &entry.category)]);
                xml.text("summary", &[], &entry.text());
                xml.text("content", &[("type", "html")], &entry.html());
            });
        }
    });
    xml.finish()
}
