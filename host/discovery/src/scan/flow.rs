//! Text as a reader sees it: words with one space between them, lines where blocks start and end.

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
    /// Start of the text in the string it is appended to.
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
        let words = text.trim();
        if words.is_empty() {
            if !text.is_empty() {
                self.gap(Gap::Space);
            }
            return;
        }
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
        push_words(words, out);
        self.gap = if text.ends_with(char::is_whitespace) {
            Gap::Space
        } else {
            Gap::None
        };
    }
}

/// Adds words with one space between them. Most texts have no other white space, and are added
/// unchanged.
fn push_words(text: &str, out: &mut String) {
    if is_tidy(text.as_bytes()) {
        out.push_str(text);
        return;
    }
    for (number, word) in text.split_whitespace().enumerate() {
        if number > 0 {
            out.push(' ');
        }
        out.push_str(word);
    }
}

/// Returns true if single spaces are certainly the only white space. Both loops are written for
/// vectorisation.
fn is_tidy(text: &[u8]) -> bool {
    // Control characters, and the first bytes of white space beyond ASCII: U+0085, U+00A0, U+1680,
    // U+2000 and others, U+3000.
    let is_odd = |byte: u8| byte < b' ' || byte == 0xc2 || (0xe1..=0xe3).contains(&byte);
    let has_odd = text.iter().fold(false, |odd, byte| odd | is_odd(*byte));
    let pairs = text.iter().zip(text.iter().skip(1));
    let has_double = pairs.fold(false, |double, (one, two)| {
        double | ((*one == b' ') & (*two == b' '))
    });
    !has_odd && !has_double
}

#[cfg(test)]
mod tests {
    use super::{Flow, Gap, push_words};

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

    #[test]
    fn words_have_one_space_between_them() {
        for (text, expected) in [
            ("a b c", "a b c"),
            ("a  b", "a b"),
            ("a\tb\nc", "a b c"),
            ("a\u{85}b\u{a0}c\u{1680}d\u{2003}e\u{3000}f", "a b c d e f"),
            ("é ü „x“  日本", "é ü „x“ 日本"),
        ] {
            let mut out = String::new();
            push_words(text, &mut out);
            assert_eq!(out, expected);
        }
    }
}
