//! RSS 2.0.

use magpie_values::Timestamp;
use magpie_values::date::{Date, Weekday};

use super::xml::Xml;
use super::{Feed, GENERATOR};

/// Returns a feed as an RSS document.
pub(super) fn write(feed: &Feed) -> String {
    let mut xml = Xml::new();
    let version = [("version", "2.0"), ("xmlns:atom", "http://www.w3.org/2005/Atom")];
    xml.element("rss", &version, |xml| {
        xml.element("channel", &[], |xml| {
            xml.text("title", &[], &feed.title);
            xml.text("link", &[], &feed.page_url);
            xml.text("description", &[], &feed.title);
            xml.text("generator", &[], GENERATOR);
            xml.text("lastBuildDate", &[], &rfc_822(feed.updated));
            let link = [
                ("rel", "self"),
                ("type", "application/rss+xml"),
                ("href", feed.own_url.as_str()),
            ];
            xml.empty("atom:link", &link);
            for entry in &feed.entries {
                xml.element("item", &[], |xml| {
                    xml.text("title", &[], &entry.title);
                    xml.text("link", &[], entry.source.as_ref().unwrap_or(&entry.url));
                    if entry.source.is_some() {
                        let own = [
                            ("rel", "related"),
                            ("type", "text/html"),
                            ("href", entry.url.as_str()),
                        ];
                        xml.empty("atom:link", &own);
                    }
                    xml.text("guid", &[("isPermaLink", "false")], &entry.id);
                    // Readers sort by this date, and RSS has no date of a change.
                    xml.text("pubDate", &[], &rfc_822(entry.updated));
                    xml.text("category", &[], &entry.category);
                    xml.text("description", &[], &entry.html());
                });
            }
        });
    });
    xml.finish()
}

/// Formats a moment as `Sat, 28 Nov 2026 09:05:00 +0000`.
fn rfc_822(moment: Timestamp) -> String {
    const MONTHS: [&str; 12] = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ];
    let Some(date) = Date::from_days(moment.as_days()) else {
        return "Thu, 01 Jan 1970 00:00:00 +0000".to_owned();
    };
    let weekday = match date.weekday() {
        Weekday::Monday => "Mon",
        Weekday::Tuesday => "Tue",
        Weekday::Wednesday => "Wed",
        Weekday::Thursday => "Thu",
        Weekday::Friday => "Fri",
        Weekday::Saturday => "Sat",
        Weekday::Sunday => "Sun",
    };
    let month = MONTHS[usize::from(date.month()) - 1];
    let text = moment.to_string();
    let time = text.get(11..19).unwrap_or("00:00:00");
    format!(
        "{weekday}, {:02} {month} {:04} {time} +0000",
        date.day(),
        date.year()
    )
}
