//! Text as a reader sees it: words with one space between them, lines where blocks start and end.

/// What stands between two words.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Gap {
    #[default]
    None,
    Space,
    Line,
}

/// Puts words behind one another. Gaps are remembered and written only before the next word.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Flow {
    gap: Gap,
    /// Where the text starts in the string it is appended to.
    start: usize,
}

impl Flow {
    /// A text that starts at the end of a string.
    pub(super) fn at_end_of(out: &str) -> Flow {
        Flow {
            gap: Gap::None,
            start: out.len(),
        }
    }

    pub(super) fn start(&self) -> usize {
        self.start
    }

    pub(super) fn gap(&mut self, gap: Gap) {
        self.gap = self.gap.max(gap);
    }

    pub(super) fn push(&mut self, text: &str, out: &mut String) {
        let mut words = text.split_whitespace();
        let Some(first) = words.next() else {
            if !text.is_empty() {
                self.gap(Gap::Space);
            }
            return;
        };
        if text.starts_with(char::is_whitespace) {
            self.gap(Gap::Space);
        }
        if out.len() > self.start {
            match self.gap {
                Gap::None => {}
                Gap::Space => out.push(' '),
                Gap::Line => out.push('\n'),
            }
        }
        out.push_str(first);
        for word in words {
            out.push(' ');
            out.push_str(word);
        }
        self.gap = if text.ends_with(char::is_whitespace) {
            Gap::Space
        } else {
            Gap::None
        };
    }
}

#[cfg(test)]
mod tests {
    use super::{Flow, Gap};

    #[test]
    fn gaps_are_as_wide_as_the_widest_reason() {
        let mut out = String::from("before");
        let mut flow = Flow::at_end_of(&out);
        flow.push("  one\u{a0} two ", &mut out);
        flow.gap(Gap::Line);
        flow.push("\n", &mut out);
        flow.push("three", &mut out);
        flow.push("four", &mut out);
        flow.gap(Gap::Line);
        assert_eq!(&out[flow.start()..], "one two\nthreefour");
    }
}
