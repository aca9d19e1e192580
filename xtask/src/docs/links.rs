//! Checks the relative links and anchors of all Markdown files.
//!
//! The reader knows inline links, reference definitions, the attributes `href` and `src`, and
//! includes. Links to other hosts are not checked, since a check must not depend on a network.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::{Component, Path, PathBuf};

use anyhow::{Context, Result};

use crate::files;

/// Folders that hold no documents of this repository.
const SKIPPED_FOLDERS: [&str; 8] = [
    "target",
    "node_modules",
    "vendor",
    "dist",
    "corpus",
    "artifacts",
    "fixtures",
    "data",
];

/// The table of contents of the book, which lists each page below `docs`.
const SUMMARY: &str = "docs/SUMMARY.md";

/// A link in a Markdown text.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Link {
    /// The bytes of the text that the target takes.
    pub(super) range: Range<usize>,
    /// The target as written.
    pub(super) target: String,
}

/// Returns a sentence for each broken link, and for each page that the table of contents misses.
pub(super) fn problems(root: &Path) -> Result<Vec<String>> {
    let mut texts = BTreeMap::new();
    for file in files::below(root, "md", &SKIPPED_FOLDERS)? {
        let text = std::fs::read_to_string(root.join(&file))
            .with_context(|| format!("can't read {}", file.display()))?;
        texts.insert(file, text);
    }
    let anchors: BTreeMap<&Path, BTreeSet<String>> = texts
        .iter()
        .map(|(file, text)| (file.as_path(), anchors(text)))
        .collect();
    let mut problems = Vec::new();
    for (file, text) in &texts {
        for link in links(text).into_iter().chain(includes(text)) {
            if let Some(problem) = problem(root, file, &link, &anchors) {
                let line = text[..link.range.start].matches('\n').count() + 1;
                problems.push(format!("{}:{line}: {problem}", file.display()));
            }
        }
    }
    problems.extend(unlisted(&texts));
    Ok(problems)
}

/// Returns the problem with a link, if it has one.
fn problem(
    root: &Path,
    file: &Path,
    link: &Link,
    anchors: &BTreeMap<&Path, BTreeSet<String>>,
) -> Option<String> {
    let target = &link.target;
    if is_external(target) {
        return None;
    }
    let (path, anchor) = match target.split_once('#') {
        Some((path, anchor)) => (path, Some(anchor)),
        None => (target.as_str(), None),
    };
    let path = match path {
        "" => file.to_owned(),
        path => match resolve(file, path) {
            Some(path) => path,
            None => return Some(format!("`{target}` is outside of the repository")),
        },
    };
    if !root.join(&path).exists() {
        return Some(format!(
            "`{target}` links to {}, which does not exist",
            path.display()
        ));
    }
    let known = anchors.get(path.as_path())?;
    let anchor = anchor.filter(|anchor| !known.contains(*anchor))?;
    Some(format!("{} has no heading `#{anchor}`", path.display()))
}

/// Returns true if a target is a URL with a scheme.
pub(super) fn is_external(target: &str) -> bool {
    let scheme = target.split(':').next().unwrap_or_default();
    target.contains(':') && !scheme.is_empty() && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

/// Resolves a relative path against the file that has the link. Returns `None` if it leads above
/// the root.
pub(super) fn resolve(file: &Path, path: &str) -> Option<PathBuf> {
    let mut parts = Vec::new();
    let joined = file.parent()?.join(path);
    for part in joined.components() {
        match part {
            Component::ParentDir => drop(parts.pop()?),
            Component::Normal(part) => parts.push(part),
            Component::CurDir => {}
            Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    Some(parts.iter().collect())
}

/// Returns a sentence for each page of the book that its table of contents does not list.
fn unlisted(texts: &BTreeMap<PathBuf, String>) -> Vec<String> {
    let summary = Path::new(SUMMARY);
    let Some(text) = texts.get(summary) else {
        return vec![format!("{SUMMARY} does not exist")];
    };
    let listed: BTreeSet<PathBuf> = links(text)
        .iter()
        .filter_map(|link| resolve(summary, &link.target))
        .collect();
    let pages = texts
        .keys()
        .filter(|file| file.starts_with("docs") && *file != summary);
    pages
        .filter(|file| !listed.contains(*file))
        .map(|file| format!("{} is not listed in {SUMMARY}", file.display()))
        .collect()
}

/// Returns the links of a text in their order.
pub(super) fn links(text: &str) -> Vec<Link> {
    let masked = masked(text);
    let mut found = Vec::new();
    for (at, _) in masked.match_indices("](") {
        found.extend(link_until(&masked, at + 2, ')'));
    }
    for attribute in ["href=\"", "src=\""] {
        for (at, _) in masked.match_indices(attribute) {
            found.extend(link_until(&masked, at + attribute.len(), '"'));
        }
    }
    let mut start = 0;
    for line in masked.split_inclusive('\n') {
        if let Some(at) = definition(line) {
            found.extend(link_until(&masked, start + at, '\n'));
        }
        start += line.len();
    }
    found.sort_by_key(|link| link.range.start);
    found
}

/// Returns the files that a page includes with `{{#include PATH}}`, which are in code blocks too.
pub(super) fn includes(text: &str) -> Vec<Link> {
    const START: &str = "{{#include ";
    let starts = text.match_indices(START).map(|(at, _)| at + START.len());
    starts.filter_map(|at| link_until(text, at, '}')).collect()
}

/// Returns the offset of the target in a line that is a reference definition, `[name]: target`.
fn definition(line: &str) -> Option<usize> {
    let name = line.strip_prefix('[')?;
    let end = name.find("]: ")?;
    (!name[..end].contains(']')).then_some(end + 4)
}

/// Reads a target that ends before `end`, a space, or the end of the text. A title after a space is
/// ignored.
fn link_until(text: &str, start: usize, end: char) -> Option<Link> {
    let rest = &text[start..];
    let length = rest
        .find(|character: char| character == end || character.is_whitespace())
        .unwrap_or(rest.len());
    let target = &rest[..length];
    (!target.is_empty()).then(|| Link {
        range: start..start + length,
        target: target.to_owned(),
    })
}

/// Returns the text with code blocks and code spans replaced by spaces, byte for byte.
fn masked(text: &str) -> String {
    let mut masked = String::with_capacity(text.len());
    for (line, is_code) in lines(text) {
        if is_code {
            masked.extend(line.bytes().map(|byte| if byte == b'\n' { '\n' } else { ' ' }));
        } else {
            masked.push_str(line);
        }
    }
    let mut start = 0;
    while let Some(span) = next_span(&masked, start) {
        start = span.end;
        let blank: String = masked[span.clone()]
            .bytes()
            .map(|byte| if byte == b'\n' { '\n' } else { ' ' })
            .collect();
        masked.replace_range(span, &blank);
    }
    masked
}

/// Returns the next code span at or after a position: from a run of backticks to the next run of
/// the same length in the same paragraph.
fn next_span(text: &str, from: usize) -> Option<Range<usize>> {
    let mut at = from;
    loop {
        let start = at + text[at..].find('`')?;
        let length = text[start..].bytes().take_while(|byte| *byte == b'`').count();
        let paragraph = text[start..].find("\n\n").map_or(text.len(), |end| start + end);
        let mut next = start + length;
        while let Some(found) = text[next..paragraph].find('`') {
            let close = next + found;
            let run = text[close..].bytes().take_while(|byte| *byte == b'`').count();
            if run == length {
                return Some(start..close + run);
            }
            next = close + run;
        }
        at = start + length;
    }
}

/// Returns the lines of a text, each with its line feed, and true if it belongs to a code block.
fn lines(text: &str) -> impl Iterator<Item = (&str, bool)> {
    let mut fence: Option<&str> = None;
    text.split_inclusive('\n').map(move |line| {
        let start = line.trim_start();
        let mark = ["```", "~~~"].into_iter().find(|mark| start.starts_with(mark));
        match (fence, mark) {
            (None, Some(_)) => {
                fence = mark;
                (line, true)
            }
            (Some(open), Some(mark)) if open == mark => {
                fence = None;
                (line, true)
            }
            (open, _) => (line, open.is_some()),
        }
    })
}

/// Returns the anchors of a text: of its headings, as GitHub and mdBook name them, and those that
/// elements have as `id`.
fn anchors(text: &str) -> BTreeSet<String> {
    let mut anchors = BTreeSet::new();
    for (line, is_code) in lines(text) {
        if is_code {
            continue;
        }
        if let Some(heading) = heading(line) {
            let name = slug(heading);
            let mut unique = name.clone();
            let mut count = 0;
            while !anchors.insert(unique) {
                count += 1;
                unique = format!("{name}-{count}");
            }
        }
        for part in line.split(" id=\"").skip(1) {
            anchors.extend(part.split('"').next().map(str::to_owned));
        }
    }
    anchors
}

/// Returns the text of a heading.
fn heading(line: &str) -> Option<&str> {
    let rest = line.trim_start_matches('#');
    let level = line.len() - rest.len();
    (1..=6)
        .contains(&level)
        .then(|| rest.strip_prefix(' '))
        .flatten()
        .map(|rest| rest.trim().trim_end_matches('#').trim_end())
}

/// Returns the anchor of a heading: lower case, spaces as dashes, without punctuation and link
/// targets.
fn slug(heading: &str) -> String {
    let mut text = heading.to_owned();
    while let Some(start) = text.find("](") {
        let end = text[start..].find(')').map_or(text.len(), |end| start + end + 1);
        text.replace_range(start..end, "");
    }
    text.chars()
        .filter_map(|character| match character {
            ' ' => Some('-'),
            '-' | '_' => Some(character),
            character if character.is_alphanumeric() => Some(character),
            _ => None,
        })
        .flat_map(char::to_lowercase)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn targets(text: &str) -> Vec<String> {
        links(text).into_iter().map(|link| link.target).collect()
    }

    #[test]
    fn links_are_read_outside_of_code() {
        let text = "[a](one.md) and `[b](code.md)` and\n![c](two.svg \"title\")\n\n```\n[d](block.md)\n```\n\n\
            [e]: three.md#part\n<img src=\"four.png\">\n";
        assert_eq!(targets(text), ["one.md", "two.svg", "three.md#part", "four.png"]);
    }

    #[test]
    fn range_is_that_of_the_target() {
        let text = "é [a](one.md)";
        let [link] = &links(text)[..] else {
            panic!("one link")
        };
        assert_eq!(&text[link.range.clone()], "one.md");
    }

    #[test]
    fn anchors_are_those_of_headings() {
        let text = "# The `learn` stage\n\n## Odd cases\n\n## Odd cases\n\n```\n# no heading\n```\n\n\
            ### [Link](x.md), and more\n<a id=\"own\"></a>\n";
        let expected = [
            "link-and-more",
            "odd-cases",
            "odd-cases-1",
            "own",
            "the-learn-stage",
        ];
        assert_eq!(anchors(text).into_iter().collect::<Vec<_>>(), expected);
    }

    #[test]
    fn paths_are_resolved_within_the_root() {
        let file = Path::new("docs/guides/one.md");
        assert_eq!(resolve(file, "../two.md"), Some(PathBuf::from("docs/two.md")));
        assert_eq!(resolve(file, "../../README.md"), Some(PathBuf::from("README.md")));
        assert_eq!(resolve(file, "../../../x"), None);
    }

    #[test]
    fn urls_are_external_and_paths_are_not() {
        assert!(is_external("https://example.org/") && is_external("mailto:a@example.org"));
        assert!(!is_external("a/b.md#c") && !is_external("#c"));
    }

    #[test]
    fn broken_links_and_unlisted_pages_are_problems() {
        let root = tempfile::tempdir().unwrap();
        let write = |path: &str, text: &str| {
            let path = root.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        write("docs/SUMMARY.md", "- [One](one.md)\n");
        write("docs/one.md", "# One\n\n[a](#one) [b](#two)\n[c](gone.md)\n");
        write("docs/two.md", "[a](one.md#one)\n");
        let problems = problems(root.path()).unwrap();
        assert_eq!(
            problems,
            [
                "docs/one.md:3: docs/one.md has no heading `#two`",
                "docs/one.md:4: `gone.md` links to docs/gone.md, which does not exist",
                "docs/two.md is not listed in docs/SUMMARY.md",
            ]
        );
    }
}
