//! Reads what a page names by links to other pages: people, venues (`<a href="/rooms/blue">Blue
//! Room</a>`), and the only event of a list.

use magpie_sdk::extract::Text;
use magpie_sdk::{OutlineNode, Person};

use super::Reader;
use crate::draft::Draft;
use crate::links::{Kind, kind};
use crate::values::{add_place, is_page};
use crate::{name, words};

/// Maximum length of the name of a link, in bytes.
const MAX_NAME: usize = 80;

/// Maximum length of the source text of a card or link, in bytes.
const MAX_CARD: usize = 800;

/// Maximum number of people of one event.
const MAX_PEOPLE: usize = 20;

impl Reader<'_, '_> {
    /// Takes the venue and the people to which links below the heading lead, if nothing else names
    /// them or only the first of them is named.
    pub(super) fn linked_values(&self, draft: &mut Draft) {
        let after = self.heading.as_ref().map_or(0, |heading| heading.node);
        let mut people: Vec<(Person, u32)> = Vec::new();
        for (node, href) in self.layout.hrefs(after..self.end) {
            if self.frame.is_beside(node) || !is_page(href) {
                continue;
            }
            if draft.event.venue.is_none() && leads_to_map(href) {
                let place = self.link_name(node).filter(|place| !words::names_map(place));
                if let Some(place) = place {
                    add_place(draft, &place, node);
                }
                continue;
            }
            match kind(href) {
                Some(Kind::Place) if draft.event.venue.is_none() => {
                    if let Some(place) = self.link_name(node) {
                        add_place(draft, &place, node);
                    }
                }
                Some(Kind::Person) if people.len() < MAX_PEOPLE => {
                    let person = self.link_name(node).map(Person::from);
                    let is_new = |person: &Person| people.iter().all(|(known, _)| known != person);
                    people.extend(person.filter(is_new).map(|person| (person, node)));
                }
                _ => {}
            }
        }
        let known = &draft.event.performers;
        let has_known = known
            .iter()
            .all(|known| people.iter().any(|(person, _)| person == known));
        if has_known && people.len() > known.len() {
            draft.event.performers.clear();
            draft.nodes.retain(|(attribute, _)| *attribute != "performers");
            for (person, node) in people {
                draft.event.performers.push(person);
                draft.at("performers", node);
            }
        }
    }

    /// Returns name and URL of the only event that a page lists, if the event has a page of its
    /// own.
    pub(super) fn listed_at(&self, date: u32) -> Option<(Text, String)> {
        let outline = self.layout.outline();
        // The heading of a list is often not a name: `Jazz`.
        let main = outline.node(self.layout.heading()?.node)?;
        let is_card = |around: &OutlineNode<'_>| {
            matches!(around.tag(), "article" | "li" | "tr") && !around.range().contains(&main.id())
        };
        let card = outline.node(date)?.ancestors().find(is_card);
        let link = match card {
            Some(card) => self.named_in_card(card, date),
            // A main heading may itself name the event or its venue.
            None if matches!(main.tag(), "h1" | "h2") && !self.is_link(main) => None,
            None => self.heading_above(main.id(), date),
        };
        let (text, href) = link.filter(|(_, href)| is_page(href) && kind(href).is_none())?;
        let url = self.layout.page().resolve(&href)?;
        let own = self.layout.page().url();
        let is_other = url.split('#').next() != own.split('#').next() && host(&url) == host(own);
        is_other.then_some((text, url))
    }

    /// Returns the link at the beginning of a card, above its date. A card has more content than a
    /// date and a link.
    fn named_in_card(&self, card: OutlineNode<'_>, date: u32) -> Option<(Text, String)> {
        let texts = card.descendants().filter(|node| node.is_text());
        let said = texts.filter(|node| node.text().contains(char::is_alphanumeric));
        // A longer element is a page laid out as a table.
        let is_full = said.take(3).count() == 3 && card.text().len() <= MAX_CARD;
        let (node, href) = self.layout.hrefs(card.range()).next()?;
        let is_above = self.layout.outline().node(node)?.range().end <= date;
        let text = self.link_name(node)?;
        (is_full && is_above && !words::is_action(&text)).then(|| (Text { text, node }, href.to_owned()))
    }

    /// Returns the nearest heading above a date, not before the main heading, if it is a link.
    fn heading_above(&self, main: u32, date: u32) -> Option<(Text, String)> {
        let outline = self.layout.outline();
        let above = (main..date).rev().filter_map(|node| outline.node(node));
        let heading = above
            .take_while(|node| node.tag() != "h1")
            .find(|node| matches!(node.tag(), "h2" | "h3" | "h4" | "h5"))?;
        let link = heading.ancestors().find(|around| around.tag() == "a");
        let (_, href) = self.layout.hrefs(link.unwrap_or(heading).range()).next()?;
        let text = self.layout.text(heading.id());
        let node = heading.id();
        Some((Text { text, node }, href.to_owned()))
    }

    fn is_link(&self, node: OutlineNode<'_>) -> bool {
        self.layout.hrefs(node.range()).next().is_some()
    }

    fn link_name(&self, node: u32) -> Option<String> {
        // A link around a whole card is not a name. Most of its text is white space between tags.
        if self.layout.outline().node(node)?.text().len() > MAX_CARD {
            return None;
        }
        let written = self.layout.text(node);
        let fits = written.len() <= MAX_NAME && name::is_telling(&written) && !words::is_generic(&written);
        fits.then_some(written)
    }
}

/// Returns the host of a URL, without `www.`.
fn host(url: &str) -> Option<&str> {
    let host = url.split('/').nth(2)?;
    Some(host.strip_prefix("www.").unwrap_or(host))
}

/// Returns true for the URL of a place on a map.
fn leads_to_map(href: &str) -> bool {
    const MAPS: [&str; 9] = [
        "//maps.google.",
        "/maps/",
        "/maps?",
        "goo.gl/maps",
        "maps.app.goo.gl",
        "openstreetmap.org",
        "maps.apple.com",
        "mapy.cz",
        "map.naver.com",
    ];
    href.contains("//") && MAPS.iter().any(|map| href.contains(map))
}

#[cfg(test)]
mod tests {
    use crate::testing::page;
    use magpie_sdk::Vertical;

    /// Returns names and URLs of the events on a page.
    fn found(html: &str) -> Vec<String> {
        let page = page(html);
        let found = crate::Events::extract(&page).expect("it is read");
        let line = |found: magpie_sdk::Found<crate::Event>| {
            format!(
                "{} {}",
                found.record.name,
                found.record.url.map(|url| url.to_string()).unwrap_or_default()
            )
        };
        found.into_iter().map(line).collect()
    }

    #[test]
    fn the_only_event_of_a_list_is_called_as_its_link() {
        let card = "<h2><a href=/e/5-night-music>Night Music</a></h2><div>3 May 2026 at 7.30 pm</div>\
            <div>The Old Mill</div><div>£12</div>";
        let line = "<a href=/e/5-night-music>Night Music</a><div>3 May 2026 at 7.30 pm</div><div>£12</div>";
        for list in [
            format!("<title>Example | Jazz</title><div>Jazz</div><div>{card}</div>"),
            format!("<title>Jazz | Example</title><h1>Jazz</h1><article>{card}</article>"),
            format!("<title>Example | Blue Fox Trio</title><h1>Blue Fox Trio</h1><ul><li>{line}</ul>"),
        ] {
            assert_eq!(
                found(&list),
                ["Night Music https://example.org/e/5-night-music"],
                "{list}"
            );
        }
        // Links on the page of an event lead to its venue or to directions.
        let own = "<title>Night Music | Example</title><h1>Night Music</h1><h3><a href=/mill>The Old Mill</a></h3>\
            <p>3 May 2026 at 7.30 pm</p><p>£12</p>";
        assert_eq!(found(own), ["Night Music https://example.org/"]);
        for row in [
            "<a href=https://mill.example/>The Old Mill</a> <b>3 May 2026 at 7.30 pm</b> £12",
            "<a href=/rooms/mill>The Old Mill</a> <b>3 May 2026 at 7.30 pm</b> £12",
            "<a href=/mill>The Old Mill</a> <b>3 May 2026 at 7.30 pm</b>",
            "<a href=/tickets>Book now</a> <b>3 May 2026 at 7.30 pm</b> £12",
        ] {
            let own = format!("<title>Night Music | Example</title><h1>Night Music</h1><ul><li>{row}</ul>");
            assert_eq!(found(&own), ["Night Music https://example.org/"], "{own}");
        }
    }
}
