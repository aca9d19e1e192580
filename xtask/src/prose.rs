//! Counts the comments that do not read like reference documentation, in Rust and WIT files.
//!
//! - Doc comments that begin with a question word. Doc comments begin with a verb in the third
//!   person ("Returns the length.") or a noun phrase ("Length in bytes."). Less than one in
//!   [`ONE_IN`] may begin with such a word.
//! - Comment lines over [`MAX_COLUMNS`] columns, except for a URL alone on its line.
//!
//! Consecutive lines of the same kind, `///` or `//!`, are one doc comment. Only its first line is
//! checked for a question word, so examples inside it do not count. Text in string literals is no
//! comment, and neither is code before a comment on the same line.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};

use crate::files;
use crate::lexemes::{after_block_comment, after_quote, after_raw_string, after_string, is_raw_string};
use crate::step;

/// Maximum width of a comment line, with its indentation.
const MAX_COLUMNS: usize = 100;

/// The share of doc comments that begin with a question word is below one in this number.
const ONE_IN: usize = 100;

/// Words that doc comments must not begin with.
const QUESTION_WORDS: [&str; 8] = ["What", "Whether", "How", "Where", "Why", "Of", "So", "Which"];

/// Folders without sources of this repository.
const SKIPPED_FOLDERS: [&str; 4] = ["target", "node_modules", "vendor", "dist"];

/// Checks the comments of all Rust and WIT files.
pub(crate) fn run(root: &Path) -> Result<()> {
    let mut counts = Counts::default();
    for extension in ["rs", "wit"] {
        for file in files::below(root, extension, &SKIPPED_FOLDERS)? {
            let text = std::fs::read_to_string(root.join(&file))
                .with_context(|| format!("can't read {}", file.display()))?;
            counts.add(&file, &text);
        }
    }
    let problems = counts.problems();
    ensure!(problems.is_empty(), "{}", problems.join("\n"));
    step::say(&format!(
        "{} doc comments, {} of them begin with a question word; no comment line is over {MAX_COLUMNS} columns",
        counts.docs,
        counts.questions.len()
    ));
    Ok(())
}

/// Offences in the files that were added.
#[derive(Debug, Default)]
struct Counts {
    /// Number of doc comments.
    docs: usize,
    /// Doc comments that begin with a question word.
    questions: Vec<(Position, &'static str)>,
    /// Comment lines that are too long, with their number of columns.
    long: Vec<(Position, usize)>,
}

/// Position of an offence.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Position {
    file: PathBuf,
    /// Line, counted from 1.
    line: usize,
}

impl Counts {
    fn add(&mut self, file: &Path, text: &str) {
        let at = |line| Position {
            file: file.to_owned(),
            line,
        };
        let mut previous: Option<(usize, &str)> = None;
        for comment in comments(text) {
            for (number, line) in comment.lines(text) {
                let columns = line.chars().count();
                if columns > MAX_COLUMNS && !is_bare_url(line) {
                    self.long.push((at(number), columns));
                }
            }
            let Some(marker) = comment.doc_marker() else {
                previous = None;
                continue;
            };
            let continues = marker.starts_with("//") && previous == Some((comment.line - 1, marker));
            previous = Some((comment.line, marker));
            if continues {
                continue;
            }
            self.docs += 1;
            let content = comment.text.trim_start_matches(marker);
            self.questions
                .extend(question_word(content).map(|word| (at(comment.line), word)));
        }
    }

    /// Returns a line for each offence. Doc comments that begin with a question word are listed
    /// only if they are at least one in [`ONE_IN`].
    fn problems(&self) -> Vec<String> {
        let mut problems = Vec::new();
        if self.questions.len() * ONE_IN >= self.docs {
            problems.extend(self.questions.iter().map(|(at, word)| {
                format!(
                    "{at}: the doc comment begins with \"{word}\": begin with a verb in the third person \
                     (\"Returns the length.\") or a noun phrase (\"Length in bytes.\")"
                )
            }));
        }
        if !problems.is_empty() {
            problems.push(format!(
                "{} of {} doc comments begin with a question word: reword them until they are less than 1 in {ONE_IN}",
                self.questions.len(),
                self.docs
            ));
        }
        problems.extend(self.long.iter().map(|(at, columns)| {
            format!("{at}: the comment line has {columns} columns: wrap it at {MAX_COLUMNS}")
        }));
        problems
    }
}

impl std::fmt::Display for Position {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}", self.file.display(), self.line)
    }
}

/// A line comment without its line end, or a block comment.
#[derive(Debug, PartialEq, Eq)]
struct Comment {
    /// Line of its first character, counted from 1.
    line: usize,
    text: String,
    /// True if code precedes it on its line.
    is_trailing: bool,
}

impl Comment {
    /// Returns the characters that make it a doc comment, if it is one.
    fn doc_marker(&self) -> Option<&'static str> {
        // Four slashes, or three asterisks, are an ordinary comment.
        let is_plain = self.text.starts_with("////") || self.text.starts_with("/***") || self.text == "/**/";
        let mut markers = ["///", "//!", "/**", "/*!"].into_iter();
        markers.find(|marker| !is_plain && self.text.starts_with(marker))
    }

    /// Returns the lines of the file that the comment takes up, without a first line with code.
    fn lines<'text>(&self, text: &'text str) -> impl Iterator<Item = (usize, &'text str)> {
        let first = self.line + usize::from(self.is_trailing);
        let last = self.line + self.text.matches('\n').count();
        let numbered = (1..).zip(text.lines());
        numbered.skip(first - 1).take((last + 1).saturating_sub(first))
    }
}

/// Returns the comments of a file, in order. Skips strings and characters.
fn comments(text: &str) -> Vec<Comment> {
    let letters: Vec<char> = text.chars().collect();
    let letter = |at: usize| letters.get(at).copied().unwrap_or('\0');
    let mut comments = Vec::new();
    let (mut at, mut line) = (0, 1);
    let mut has_code = false;
    while at < letters.len() {
        let begin = at;
        let mut is_comment = false;
        match letter(at) {
            '/' if letter(at + 1) == '/' => {
                is_comment = true;
                while at < letters.len() && letter(at) != '\n' {
                    at += 1;
                }
            }
            '/' if letter(at + 1) == '*' => {
                is_comment = true;
                at = after_block_comment(&letters, at);
            }
            '"' => at = after_string(&letters, at),
            'r' | 'b' | 'c' if is_raw_string(&letters, at) => at = after_raw_string(&letters, at),
            '\'' => at = after_quote(&letters, at),
            first if first.is_alphanumeric() || first == '_' => {
                while letter(at).is_alphanumeric() || letter(at) == '_' {
                    at += 1;
                }
            }
            _ => at += 1,
        }
        let lexeme = &letters[begin..at.min(letters.len())];
        if is_comment {
            comments.push(Comment {
                line,
                text: lexeme.iter().collect::<String>().trim_end().to_owned(),
                is_trailing: has_code,
            });
        }
        has_code = match lexeme.iter().rposition(|letter| *letter == '\n') {
            // A string that ends on this line is code before what follows.
            Some(end) => end + 1 < lexeme.len() && !is_comment,
            None => has_code || !lexeme.iter().all(|letter| letter.is_whitespace()) && !is_comment,
        };
        line += lexeme.iter().filter(|letter| **letter == '\n').count();
    }
    comments
}

/// Returns the question word that a doc comment begins with.
fn question_word(content: &str) -> Option<&'static str> {
    let content = content.trim_start();
    let end = content.find(|letter: char| !letter.is_alphanumeric() && letter != '-');
    let first = &content[..end.unwrap_or(content.len())];
    QUESTION_WORDS.into_iter().find(|word| *word == first)
}

/// Returns true if a comment line has nothing but a URL, perhaps as a list item, in angle brackets
/// or as a link definition (`[name]: https://…`).
fn is_bare_url(line: &str) -> bool {
    let content = line.trim_start().trim_start_matches(['/', '!', '*']).trim();
    let content = content.strip_prefix("- ").unwrap_or(content);
    let content = match content.split_once("]: ") {
        Some((name, target)) if name.starts_with('[') => target,
        _ => content,
    };
    let content = content.trim_start_matches('<');
    let is_url = content.starts_with("https://") || content.starts_with("http://");
    is_url && !content.contains(char::is_whitespace)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(text: &str) -> Counts {
        let mut counts = Counts::default();
        counts.add(Path::new("a.rs"), text);
        counts
    }

    /// Returns the number of doc comments, and the lines of both kinds of offences.
    fn found(text: &str) -> (usize, Vec<usize>, Vec<usize>) {
        let counts = counts(text);
        let questions = counts.questions.iter().map(|(at, _)| at.line);
        let long = counts.long.iter().map(|(at, _)| at.line);
        (counts.docs, questions.collect(), long.collect())
    }

    fn words(columns: usize) -> String {
        "word ".repeat(columns / 5 + 1)[..columns].replace(' ', "_")
    }

    #[test]
    fn question_words_begin_doc_comments() {
        let text =
            "//! What it is.\n\n/// Returns it.\nfn a() {}\n    /// How many there are.\n    fn b() {}\n";
        assert_eq!(found(text), (3, vec![1, 5], vec![]));
        let other_words = "/// Often, a day.\n\n/// Whatever.\n\n/// So-called.\n";
        assert_eq!(found(other_words), (3, vec![], vec![]));
        assert_eq!(found("/// What's in it.\n"), (1, vec![1], vec![]));
    }

    #[test]
    fn only_the_first_line_of_a_doc_comment_counts() {
        let text = "/// Returns it.\n///\n/// What it is.\nfn a() {}\n//! Another.\n/// Which one.\n";
        assert_eq!(found(text), (3, vec![6], vec![]));
    }

    #[test]
    fn comments_that_are_no_docs_may_ask() {
        let text = "// What it is.\n//// How.\n/* Why. */\n/*** Why. */\n/**/\n";
        assert_eq!(found(text), (0, vec![], vec![]));
        assert_eq!(found("/** Why. */\n/*! How. */\n"), (2, vec![1, 2], vec![]));
    }

    #[test]
    fn code_blocks_are_part_of_their_doc_comment() {
        let text = "/// Returns it.\n///\n/// ```\n/// /// What it is.\n/// fn a() {}\n/// ```\nfn a() {}\n";
        assert_eq!(found(text), (1, vec![], vec![]));
    }

    #[test]
    fn strings_are_no_comments() {
        let wide = words(120);
        for text in [
            format!("let a = \"\n/// What it is.\n// {wide}\n\";\n"),
            format!("let a = \"a \\\" b\n/// What it is.\n// {wide}\n\";\n"),
            format!("let a = r\"\\\"; let b = r#\"\"\n/// What it is.\n// {wide}\n\"#;\n"),
            format!("let a = br##\"\"#\n/// What it is.\n// {wide}\n\"##;\n"),
            format!("let a = ['\"', '\\'', b'\"']; let b = \"\n/// What it is.\n// {wide}\n\";\n"),
            format!("let a = \"https://a.example/{wide}\";\n"),
        ] {
            assert_eq!(found(&text), (0, vec![], vec![]), "{text}");
        }
    }

    #[test]
    fn strings_end() {
        let text = "fn a<'a>(r#type: &'a str) -> char { r#\"\"\"#; \"\\\\\"; '\"' }\n/// What it is.\n";
        assert_eq!(found(text), (1, vec![2], vec![]));
    }

    #[test]
    fn long_comment_lines_count() {
        let (fits, long) = (words(97), words(98));
        let text = format!("// {fits}\n// {long}\n    //! {fits}\n");
        assert_eq!(found(&text), (1, vec![], vec![2, 3]));
        let block = format!("/*\n{fits}\n    /* {long} */\n*/\n");
        assert_eq!(found(&block).2, vec![3]);
        let umlauts = "ä".repeat(97);
        assert_eq!(found(&format!("// {umlauts}\n")), (0, vec![], vec![]));
    }

    #[test]
    fn code_before_a_comment_is_not_counted() {
        let wide = words(90);
        let text = format!("let a = \"{wide}\"; // {wide}\nlet b = \"\n\"; // {wide} {wide}\n");
        assert_eq!(found(&text), (0, vec![], vec![]));
    }

    #[test]
    fn a_url_may_be_long_if_it_is_alone() {
        let url = format!("https://a.example/{}", words(100));
        for line in ["// URL", "/// - URL", "//! <URL>", "/// [name]: URL", " * URL"] {
            let line = line.replace("URL", &url);
            assert!(is_bare_url(&line), "{line}");
        }
        let text = format!("// {url}\n// See {url}\n// {url} there\n");
        assert_eq!(found(&text), (0, vec![], vec![2, 3]));
    }

    #[test]
    fn a_small_share_of_question_words_passes() {
        let with = |plain: usize| counts(&format!("/// What.\n{}", "fn a() {}\n/// Is it.\n".repeat(plain)));
        assert_eq!(with(100).problems(), Vec::<String>::new());
        let problems = with(99).problems();
        assert_eq!(problems.len(), 2, "{problems:?}");
        assert!(problems[0].starts_with("a.rs:1: the doc comment begins with \"What\": begin with a verb"));
        assert!(problems[1].starts_with("1 of 100 doc comments"));
        assert_eq!(counts("fn a() {}\n").problems(), Vec::<String>::new());
    }

    #[test]
    fn any_long_line_is_a_problem() {
        let problems = counts(&format!("// {}\n", words(110))).problems();
        assert_eq!(
            problems,
            ["a.rs:1: the comment line has 113 columns: wrap it at 100"]
        );
    }
}
