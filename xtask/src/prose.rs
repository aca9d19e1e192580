//! Checks the comments of Rust and WIT files, line by line.
//!
//! A doc comment begins with a verb in the third person ("Returns the length.") or a noun phrase
//! ("Length in bytes."), not with a question word. Only its first line is checked, so examples in
//! it do not count. A comment line has at most [`MAX_COLUMNS`] columns, unless it is only a URL.

use std::path::Path;

use anyhow::{Context, Result, ensure};

use crate::files;
use crate::step;

/// Maximum width of a comment line, with its indentation.
const MAX_COLUMNS: usize = 100;

const QUESTION_WORDS: [&str; 8] = ["What", "Whether", "How", "Where", "Why", "Of", "So", "Which"];

/// Folders without sources of this repository.
const SKIPPED_FOLDERS: [&str; 4] = ["target", "node_modules", "vendor", "dist"];

pub(crate) fn run(root: &Path) -> Result<()> {
    let mut found = Vec::new();
    for extension in ["rs", "wit"] {
        for file in files::below(root, extension, &SKIPPED_FOLDERS)? {
            let text = std::fs::read_to_string(root.join(&file))
                .with_context(|| format!("can't read {}", file.display()))?;
            let problems = problems(&text).into_iter();
            found.extend(problems.map(|(line, problem)| format!("{}:{line}: {problem}", file.display())));
        }
    }
    ensure!(found.is_empty(), "{}", found.join("\n"));
    step::say("all comments are in order");
    Ok(())
}

/// Returns the number of each line with a problem, and the problem.
fn problems(text: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    let mut before = None;
    for (number, line) in (1..).zip(text.lines()) {
        let comment = line.trim_start();
        let is_doc = |marker: &&str| comment.starts_with(marker) && !comment.starts_with("////");
        let marker = ["///", "//!"].into_iter().find(is_doc);
        let columns = line.chars().count();
        if comment.starts_with("//") && columns > MAX_COLUMNS && !is_bare_url(comment) {
            let problem = format!("the comment line has {columns} columns: wrap it at {MAX_COLUMNS}");
            found.push((number, problem));
        }
        if let Some(marker) = marker.filter(|_| marker != before) {
            let words = comment[marker.len()..].trim_start();
            let end = words.find(|letter: char| !letter.is_alphanumeric() && letter != '-');
            let first = &words[..end.unwrap_or(words.len())];
            if QUESTION_WORDS.contains(&first) {
                let problem = format!("the doc comment begins with \"{first}\": begin with a verb or a noun");
                found.push((number, problem));
            }
        }
        before = marker;
    }
    found
}

/// Returns true if a comment has nothing but a URL, perhaps as a list item, in angle brackets or as
/// a link definition.
fn is_bare_url(comment: &str) -> bool {
    let content = comment.trim_start_matches(['/', '!']).trim();
    let content = content.strip_prefix("- ").unwrap_or(content);
    let target = content.split_once("]: ").filter(|_| content.starts_with('['));
    let target = target
        .map_or(content, |(_, target)| target)
        .trim_start_matches('<');
    (target.starts_with("https://") || target.starts_with("http://")) && !target.contains(' ')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<usize> {
        problems(text).into_iter().map(|(line, _)| line).collect()
    }

    #[test]
    fn only_the_first_line_of_a_doc_comment_must_not_ask() {
        let text =
            "//! What it is.\n\n/// Returns it.\n/// Why not.\nfn a() {}\n//! Another.\n    /// How many.\n";
        assert_eq!(lines(text), [1, 7]);
        assert_eq!(lines("/// What's in it.\n"), [1]);
        assert!(
            lines("/// Often, a day.\n\n/// Whatever.\n\n/// So-called.\n// What.\n//// How.\n").is_empty()
        );
    }

    #[test]
    fn long_comment_lines_are_found_unless_they_are_a_url() {
        let (fits, long) = ("ä".repeat(97), "ä".repeat(98));
        assert_eq!(
            lines(&format!(
                "// {fits}\n// {long}\n    //! {fits}\nlet a = \"{long}\";\n"
            )),
            [2, 3]
        );
        let url = format!("https://a.example/{long}");
        for bare in ["// URL", "/// - URL", "//! <URL>", "/// [name]: URL"] {
            assert!(lines(&bare.replace("URL", &url)).is_empty(), "{bare}");
        }
        assert_eq!(lines(&format!("// See {url}\n")), [1]);
    }
}
