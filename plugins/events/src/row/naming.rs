//! What the event of a record is called.

use magpie_sdk::OutlineNode;
use magpie_sdk::extract::RecordRow;

use super::RowReader;
use super::parts::Part;
use super::role::Role;
use crate::draft::Draft;
use crate::name::{self, MOST_NAME};
use crate::tree;
use crate::values::is_price;
use crate::when::Clock;
use crate::words;

/// Elements around a text that may say that it is a name.
const MOST_AROUND: usize = 6;

impl RowReader<'_, '_> {
    /// Takes the likeliest name. Whether its element or its class says that it is one.
    pub(super) fn name(&self, clock: &Clock<'_>, row: &RecordRow, parts: &[Part], draft: &mut Draft) -> bool {
        let mut is_marked = false;
        let mut best: Option<(f64, name::Name, u32)> = None;
        for (place, part) in parts.iter().enumerate() {
            let Some((rank, text, node)) = self.candidate(row, part) else {
                continue;
            };
            let early = 1.0 / (1.0 + place as f64 / 4.0);
            // Reading a name takes long, and those that come late in a record are seldom better than what was found before.
            let is_hopeless = (best.as_ref()).is_some_and(|(known, _, _)| rank + early <= *known);
            if is_hopeless {
                continue;
            }
            let name = name::read(&text, clock);
            if name.text.is_empty() || name.text.len() > MOST_NAME || self.passed_over.contains(&name.text) {
                continue;
            }
            let short = if name.text.len() <= 3 { -1.0 } else { 0.0 };
            let score = rank + early + short;
            if best.as_ref().is_none_or(|(known, _, _)| score > *known) {
                best = Some((score, name, node));
                is_marked = rank > 0.0;
            }
        }
        if let Some((_, name, node)) = best {
            draft.event.name = name.text;
            draft.event.venue = name.venue.map(Into::into);
            draft.event.status = name.status.map(str::to_owned);
            draft.at("name", node);
        }
        is_marked
    }

    /// How likely a part is the name, with the whole text of the element that makes it one.
    fn candidate(&self, row: &RecordRow, part: &Part) -> Option<(f64, String, u32)> {
        let base: f64 = match part.role {
            Some(Role::Name) => 3.0,
            None => 0.0,
            Some(_) => return None,
        };
        if !name::is_telling(&part.text)
            || part.text.len() > MOST_NAME
            || is_price(&part.text)
            || words::is_room(&part.text)
        {
            return None;
        }
        let start = self.layout.outline().node(part.node)?;
        let mut best = (0.0, part.text.clone(), part.node);
        for at in std::iter::once(start).chain(start.ancestors()).take(MOST_AROUND) {
            let worth = self.worth(row, at);
            // A link around a whole card is no name, though one stands in it.
            if worth > best.0 && at.text().len() <= 2 * MOST_NAME {
                let whole = self.layout.text(at.id());
                let is_mostly =
                    whole.len() <= MOST_NAME && part.text.len() * 2 >= whole.len() && !has_blocks(at);
                best = match (is_mostly, name::is_telling(&whole)) {
                    (true, true) => (worth, whole, at.id()),
                    (true, false) => (worth, part.text.clone(), part.node),
                    // It is the first thing said in a heading or a link with more in it.
                    (false, _) if whole.starts_with(&part.text) => {
                        (worth - 0.5, part.text.clone(), part.node)
                    }
                    (false, _) => best,
                };
            }
            if row.nodes.contains(&at.id()) {
                break;
            }
        }
        Some((base + best.0, best.1, best.2))
    }

    /// How much an element speaks for its text being the name of what the record is about.
    fn worth(&self, row: &RecordRow, node: OutlineNode<'_>) -> f64 {
        match node.tag() {
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" | "dt" | "summary" => 4.0,
            "a" => 2.5,
            "b" | "strong" => 1.5,
            _ if !row.nodes.contains(&node.id()) && self.is_called_event(node.id()) => 4.0,
            _ => 0.0,
        }
    }

    /// Whether a node within a record is called an event: then it is what the record is about.
    fn is_called_event(&self, node: u32) -> bool {
        tree::has_word(
            self.layout,
            node,
            list!["event", "session", "talk", "concert", "show"],
        )
    }
}

/// Whether there is more than one line in an element.
fn has_blocks(node: OutlineNode<'_>) -> bool {
    let is_block = |inner: OutlineNode<'_>| {
        matches!(
            inner.tag(),
            "div" | "p" | "ul" | "ol" | "li" | "br" | "table" | "h2" | "h3" | "h4" | "h5" | "h6"
        )
    };
    node.descendants().any(is_block)
}
