//! Finds the name of the event of a record.

use magpie_sdk::OutlineNode;
use magpie_sdk::extract::RecordRow;

use super::RowReader;
use super::parts::Part;
use super::role::Role;
use crate::draft::Draft;
use crate::name::{self, MAX_NAME};
use crate::tree;
use crate::values::is_price;
use crate::when::Clock;
use crate::words;

/// Maximum number of elements around a text whose tag or class may mark it as a name.
const MAX_AROUND: usize = 6;

impl RowReader<'_, '_> {
    /// Takes the most probable name. Returns true if an element or class marks it as a name.
    pub(super) fn name(&self, clock: &Clock<'_>, row: &RecordRow, parts: &[Part], draft: &mut Draft) -> bool {
        let mut is_marked = false;
        let mut best: Option<(f64, name::Name, u32)> = None;
        for (place, part) in parts.iter().enumerate() {
            let Some((rank, text, node)) = self.candidate(row, part) else {
                continue;
            };
            let early = 1.0 / (1.0 + place as f64 / 4.0);
            // Parsing a name is slow, and late parts of a record are seldom better names than
            // earlier ones.
            let is_hopeless = (best.as_ref()).is_some_and(|(known, _, _)| rank + early <= *known);
            if is_hopeless {
                continue;
            }
            let name = name::read(&text, clock);
            if name.text.is_empty() || name.text.len() > MAX_NAME || self.passed_over.contains(&name.text) {
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

    /// Returns the score of a part as a name, with the whole text and the node of the element that
    /// makes it one.
    fn candidate(&self, row: &RecordRow, part: &Part) -> Option<(f64, String, u32)> {
        let base: f64 = match part.role {
            Some(Role::Name) => 3.0,
            None => 0.0,
            Some(_) => return None,
        };
        if !name::is_telling(&part.text)
            || part.text.len() > MAX_NAME
            || is_price(&part.text)
            || words::is_room(&part.text)
        {
            return None;
        }
        let start = self.layout.outline().node(part.node)?;
        let mut best = (0.0, part.text.clone(), part.node);
        for at in std::iter::once(start).chain(start.ancestors()).take(MAX_AROUND) {
            let worth = self.worth(row, at);
            // A link around a whole card is not a name, but may contain one.
            if worth > best.0 && at.text().len() <= 2 * MAX_NAME {
                let whole = self.layout.text(at.id());
                let is_mostly =
                    whole.len() <= MAX_NAME && part.text.len() * 2 >= whole.len() && !has_blocks(at);
                best = match (is_mostly, name::is_telling(&whole)) {
                    (true, true) => (worth, whole, at.id()),
                    (true, false) => (worth, part.text.clone(), part.node),
                    // The part is the first text in a heading or link with more content.
                    (false, _) if whole.starts_with(&part.text) => {
                        (worth - 0.5, part.text.clone(), part.node)
                    }
                    (false, _) => best,
                };
            }
            // Elements around the record do not name it.
            if row.nodes.contains(&at.id()) {
                break;
            }
        }
        Some((base + best.0, best.1, best.2))
    }

    /// Returns the evidence of an element that its text is the name of the record.
    fn worth(&self, row: &RecordRow, node: OutlineNode<'_>) -> f64 {
        match node.tag() {
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" | "dt" | "summary" => 4.0,
            "a" => 2.5,
            "b" | "strong" => 1.5,
            _ if !row.nodes.contains(&node.id()) && self.is_called_event(node.id()) => 4.0,
            _ => 0.0,
        }
    }

    /// Returns true if the class of a node in the record names an event, which is then the subject
    /// of the record.
    fn is_called_event(&self, node: u32) -> bool {
        tree::has_word(
            self.layout,
            node,
            list!["event", "session", "talk", "concert", "show"],
        )
    }
}

/// Returns true if an element contains several lines.
fn has_blocks(node: OutlineNode<'_>) -> bool {
    let is_block = |inner: OutlineNode<'_>| {
        matches!(
            inner.tag(),
            "div" | "p" | "ul" | "ol" | "li" | "br" | "table" | "h2" | "h3" | "h4" | "h5" | "h6"
        )
    };
    node.descendants().any(is_block)
}
