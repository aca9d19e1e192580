//! Splits a record into texts with roles: by column, by class, or by a preceding label.

use magpie_sdk::extract::{RecordRow, Text};
use magpie_sdk::text;

use super::RowReader;
use super::role::{Role, role_of_label};
use crate::tree;
use crate::values::is_picture;

/// Maximum length of an element with one value, in bytes. Longer elements contain several.
const MAX_VALUE: usize = 300;

/// A text of a record, with its role if the context shows it.
#[derive(Clone, Debug)]
pub(super) struct Part {
    pub(super) text: String,
    pub(super) node: u32,
    pub(super) role: Option<Role>,
}

impl RowReader<'_, '_> {
    /// Returns the texts of a record with their roles: by column, by class, or by a preceding
    /// label.
    pub(super) fn parts(&self, row: &RecordRow) -> Vec<Part> {
        let mut parts: Vec<Part> = Vec::new();
        let mut labelled = None;
        for Text { text, node } in &row.texts {
            let own = self.role(row, *node);
            let label = text.trim_end_matches([':', ' ', '：']);
            let role = match (labelled.take(), own) {
                (Some(role), _) | (None, Some(role)) => Some(role),
                (None, None) => None,
            };
            if text.len() < 40 && (text.ends_with([':', '：']) || self.is_label(*node)) {
                if let Some(role) = role_of_label(label) {
                    labelled = Some(role);
                    // The label stays in the text, since it distinguishes two times.
                    parts.push(Part {
                        text: text.clone(),
                        node: *node,
                        role: Some(Role::When)
                            .filter(|_| role == Role::When)
                            .or(Some(Role::Aside)),
                    });
                    continue;
                }
            }
            let inline =
                text::split_label(text).and_then(|(label, value)| Some((role_of_label(label)?, value)));
            let part = match inline {
                Some((role, value)) if role != Role::When && !value.is_empty() => Part {
                    text: value.to_owned(),
                    node: *node,
                    role: Some(role),
                },
                Some((role, _)) => Part {
                    text: text.clone(),
                    node: *node,
                    role: Some(role),
                },
                None => Part {
                    text: text.clone(),
                    node: *node,
                    role,
                },
            };
            // The days in names of files are those of photographs.
            if !is_picture(&part.text) {
                parts.push(part);
            }
        }
        parts
    }

    fn is_label(&self, node: u32) -> bool {
        let tag = self.layout.outline().node(node).map_or("", |node| node.tag());
        matches!(tag, "dt" | "th" | "label")
            || (matches!(tag, "b" | "strong" | "span") && tree::has_word(self.layout, node, list!["label"]))
    }

    /// Returns the role of a node: by its class, by the class of an element around it, or by its
    /// column.
    fn role(&self, row: &RecordRow, node: u32) -> Option<Role> {
        let outline = self.layout.outline();
        let mut at = outline.node(node)?;
        let (mut cell, mut named) = (None, None);
        loop {
            if row.nodes.contains(&at.id()) && !matches!(at.tag(), "td" | "th") {
                return named;
            }
            let small = at.text().len() <= MAX_VALUE;
            if let Some(role) = self.roles.get(at.id()).copied().flatten().filter(|_| small) {
                // A name within the element of a venue is the name of the venue.
                match role {
                    Role::Name => named = Some(role),
                    Role::Venue | Role::Organiser | Role::Performer => return Some(role),
                    _ => return named.or(Some(role)),
                }
            }
            if matches!(at.tag(), "td" | "th") {
                cell = Some(at);
            }
            match at.tag() {
                "time" => return named.or(Some(Role::When)),
                "address" => return named.or(Some(Role::Address)),
                _ => {}
            }
            at = at.parent().filter(|parent| parent.depth() > 0)?;
            if cell.is_some() && at.tag() == "tr" {
                break;
            }
        }
        if named.is_some() {
            return named;
        }
        let cell = cell?;
        let place = cell.parent()?.child_elements().position(|child| child == cell)?;
        self.columns.get(place).copied().flatten()
    }
}

pub(super) fn joined(parts: &[Part], separator: &str) -> String {
    parts
        .iter()
        .map(|part| part.text.as_str())
        .collect::<Vec<_>>()
        .join(separator)
}

/// Joins parts to one text, and returns the position at which each begins.
pub(super) fn placed(parts: &[&Part], separator: &str) -> (String, Vec<(usize, u32)>) {
    let (mut text, mut places) = (String::new(), Vec::new());
    for part in parts {
        if !text.is_empty() {
            text.push_str(separator);
        }
        places.push((text.len(), part.node));
        text.push_str(&part.text);
    }
    (text, places)
}

pub(super) fn node_at(places: &[(usize, u32)], place: usize) -> u32 {
    let after = places.partition_point(|(start, _)| *start <= place);
    after.checked_sub(1).map_or(0, |before| places[before].1)
}
