//! The text a reader sees.

use super::roles::Role;
use super::{Document, NodeId};

/// Treatment of images in text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Images {
    LeftOut,
    /// Replaced by their alternative text.
    ByTheirText,
}

/// Text with runs of white space as one space and nothing at the ends.
pub(crate) fn tidy(text: &str) -> String {
    let mut flow = Flow::default();
    flow.push(text);
    flow.text
}

impl Document {
    /// Visible text of a node: runs of white space are one space, blocks and line breaks a line
    /// feed, and the ends are trimmed. Scripts, styles, `template`, `noscript`, frames, the head
    /// and elements with `hidden` are skipped, unless the node itself is one of them.
    pub fn text_of(&self, node: NodeId) -> String {
        self.text_within(node, usize::MAX, Images::LeftOut)
    }

    /// As `text_of`, ending after the text node that exceeds the limit in bytes.
    pub(crate) fn text_within(&self, node: NodeId, bytes: usize, images: Images) -> String {
        self.text_range(node, self.end(node), bytes, images, &[])
    }

    /// As `text_of`, of the first nodes within a node and about the first bytes, with the text of
    /// images and without that of some elements.
    pub(crate) fn text_start(&self, node: NodeId, nodes: u32, bytes: usize, skipped: &[&str]) -> String {
        let end = self.end(node).min(node.saturating_add(nodes));
        self.text_range(node, end, bytes, Images::ByTheirText, skipped)
    }

    fn text_range(
        &self,
        node: NodeId,
        end: NodeId,
        bytes: usize,
        images: Images,
        skipped: &[&str],
    ) -> String {
        let mut flow = Flow::default();
        let mut open: Vec<(NodeId, Gap)> = Vec::new();
        // The name is looked up once, not for each element.
        let hidden = self.hidden();
        let mut at = node;
        while at < end && flow.text.len() <= bytes {
            close(&mut open, at, &mut flow);
            if self.is_text(at) {
                flow.push(self.raw_text(at));
            } else {
                if at != node && (!self.is_shown(at, hidden) || skipped.contains(&self.tag(at))) {
                    at = self.end(at);
                    continue;
                }
                if images == Images::ByTheirText && at != node && self.tag(at) == "img" {
                    flow.push(self.attribute(at, "alt").unwrap_or_default());
                }
                let gap = self.gap(at);
                flow.gap(gap);
                if gap != Gap::None {
                    open.push((self.end(at), gap));
                }
            }
            at += 1;
        }
        flow.text
    }

    /// As `text_of`, of the node's own text alone, without that of its child elements.
    pub fn own_text(&self, node: NodeId) -> String {
        if self.is_text(node) {
            return tidy(self.raw_text(node));
        }
        let mut flow = Flow::default();
        let hidden = self.hidden();
        for child in self.child_nodes(node) {
            if self.is_text(child) {
                flow.push(self.raw_text(child));
            } else if self.is_shown(child, hidden) {
                flow.gap(self.gap(child));
            }
        }
        flow.text
    }

    /// The number of the attribute that hides elements; hardly a page has it.
    fn hidden(&self) -> Option<u16> {
        self.attribute_names.number("hidden")
    }

    /// Returns true if an element is visible, as far as the element itself decides it.
    fn is_shown(&self, node: NodeId, hidden: Option<u16>) -> bool {
        !matches!(self.role(node), Role::Invisible | Role::Aside)
            && hidden
                .and_then(|hidden| self.attribute_by_number(node, hidden))
                .is_none_or(|hidden| hidden.eq_ignore_ascii_case("until-found"))
    }

    fn gap(&self, node: NodeId) -> Gap {
        match self.role(node) {
            Role::Block | Role::LineBreak => Gap::Line,
            Role::Cell => Gap::Space,
            Role::Inline | Role::Aside | Role::Invisible => Gap::None,
        }
    }
}

fn close(open: &mut Vec<(NodeId, Gap)>, at: NodeId, flow: &mut Flow) {
    while let Some(&(end, gap)) = open.last() {
        if end > at {
            break;
        }
        flow.gap(gap);
        open.pop();
    }
}

/// Separator between two words.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
enum Gap {
    #[default]
    None,
    Space,
    Line,
}

/// Text as it is put together: gaps are remembered and written only before the next word.
#[derive(Default)]
struct Flow {
    text: String,
    gap: Gap,
}

impl Flow {
    fn gap(&mut self, gap: Gap) {
        self.gap = self.gap.max(gap);
    }

    fn push(&mut self, text: &str) {
        if text.starts_with(char::is_whitespace) {
            self.gap(Gap::Space);
        }
        let within = text.trim_ascii();
        if is_plain(within) {
            self.word(within);
        } else {
            text.split_whitespace().for_each(|word| self.word(word));
        }
        // Without a blank at its end a text continues in the next node: `<b>1</b>st` is one word.
        if !text.is_empty() && !text.ends_with(char::is_whitespace) {
            self.gap = Gap::None;
        }
    }

    /// Adds what stays as it is.
    fn word(&mut self, word: &str) {
        if word.is_empty() {
            return;
        }
        match self.gap {
            _ if self.text.is_empty() => {}
            Gap::None => {}
            Gap::Space => self.text.push(' '),
            Gap::Line => self.text.push('\n'),
        }
        self.text.push_str(word);
        self.gap = Gap::Space;
    }
}

/// Returns true if a text without blanks at its ends is words of ASCII with single blanks between
/// them, as nearly all text is.
fn is_plain(text: &str) -> bool {
    let mut after_blank = false;
    text.bytes().all(|byte| {
        let is_blank = byte == b' ';
        let stays = (b' '..0x7F).contains(&byte) && !(is_blank && after_blank);
        after_blank = is_blank;
        stays
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn text_is_tidied_word_by_word(text in "[a \t\n\u{b}\u{c}\u{1c}\u{a0}\u{e9}]{0,12}|\\PC{0,20}|[ -~]{0,30}") {
            let words: Vec<&str> = text.split_whitespace().collect();
            prop_assert_eq!(super::tidy(&text), words.join(" "));
        }
    }
}
