//! The reference of the lab's JSON output in `docs/reference/lab-json.md`, compared with real
//! output.

use std::collections::BTreeSet;

use serde_json::Value;

/// Objects whose keys are data: names of attributes and header fields, codes, classes.
const MAPS: [&str; 14] = [
    "attributes",
    "beside",
    "failures",
    "local",
    "metadata",
    "nodes",
    "origins",
    "phantoms_by_decoy",
    "problems",
    "raw",
    "refused",
    "statuses",
    "unreached",
    "urls",
];

/// Values that the reference describes as a whole.
const OPAQUE: [&str; 2] = ["kept", "shown"];

/// Returns the disagreements between the reference and the output of a command, in sentences.
///
/// `sections` are the headings that describe the output; the first one is that of the command.
/// `rare` are keys of its examples that the output may lack.
///
/// # Panics
///
/// Panics if the reference has no such heading.
pub fn disagreements(sections: &[&str], output: &[Value], rare: &[&str]) -> Vec<String> {
    let command = sections[0];
    let reference = read("docs/reference/lab-json.md");
    let mut printed = BTreeSet::new();
    for value in output {
        add_keys(value, false, &mut printed);
    }
    let examples = example_keys(section(&reference, command));
    let mut described = BTreeSet::new();
    for name in sections {
        let text = section(&reference, name);
        described.extend(example_keys(text));
        described.extend(words(text));
        if text.contains("(glossary.md") {
            described.extend(words(&read("docs/glossary.md")));
        }
    }
    let undescribed = printed.difference(&described);
    let undescribed =
        undescribed.map(|key| format!("{command} prints `{key}`, which docs/reference/lab-json.md lacks"));
    let unprinted = examples
        .difference(&printed)
        .filter(|key| !rare.contains(&key.as_str()));
    let unprinted = unprinted
        .map(|key| format!("docs/reference/lab-json.md shows `{key}`, which {command} does not print"));
    let stale = rare.iter().filter(|key| !examples.contains(**key));
    let stale = stale.map(|key| format!("`{key}` is rare, but not in an example of {command}"));
    undescribed.chain(unprinted).chain(stale).collect()
}

fn read(path: &str) -> String {
    let path = crate::root().join(path);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Returns the commands that a heading names.
fn names(line: &str) -> Vec<&str> {
    line.strip_prefix("##")
        .map(|heading| heading.trim_start_matches('#').trim().split(", ").collect())
        .unwrap_or_default()
}

/// Returns the text below a heading, up to the next one.
fn section<'a>(reference: &'a str, name: &str) -> &'a str {
    let mut start = None;
    let mut at = 0;
    for line in reference.split_inclusive('\n') {
        match start {
            Some(start) if line.starts_with("##") => return &reference[start..at],
            None if names(line.trim_end()).contains(&name) => start = Some(at + line.len()),
            _ => {}
        }
        at += line.len();
    }
    let start = start.unwrap_or_else(|| panic!("docs/reference/lab-json.md has no heading `{name}`"));
    &reference[start..]
}

/// Returns the texts between backticks, and the blocks of code.
fn spans(text: &str) -> Vec<String> {
    let text = text.replace("```json\n", "`").replace("\n```", "`");
    text.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

/// Returns the spans that are a single word.
fn words(text: &str) -> BTreeSet<String> {
    let is_word = |span: &String| {
        span.chars()
            .all(|letter| letter.is_ascii_lowercase() || letter == '_')
    };
    spans(text).into_iter().filter(is_word).collect()
}

/// Returns the keys in the examples of a section. An example may leave out values.
fn example_keys(text: &str) -> BTreeSet<String> {
    let mut keys = BTreeSet::new();
    for span in spans(text).iter().filter(|span| span.starts_with(['{', '['])) {
        // True for each open object whose keys are data.
        let mut open = Vec::new();
        let (mut before, mut last) = (' ', String::new());
        let mut letters = span.chars();
        while let Some(letter) = letters.next() {
            match letter {
                '{' => {
                    open.push(before == ':' && MAPS.contains(&last.as_str()));
                    last.clear();
                }
                '}' => drop(open.pop()),
                '"' => {
                    let word: String = letters.by_ref().take_while(|letter| *letter != '"').collect();
                    if before != ':' && open.last() != Some(&true) {
                        keys.insert(word.clone());
                        last = word;
                    }
                }
                _ => {}
            }
            if !letter.is_whitespace() {
                before = letter;
            }
        }
    }
    keys
}

/// Adds the keys of a value. Keys that are data are left out.
fn add_keys(value: &Value, are_data: bool, keys: &mut BTreeSet<String>) {
    match value {
        Value::Object(entries) => {
            for (key, value) in entries {
                if !are_data {
                    keys.insert(key.clone());
                }
                if are_data || !OPAQUE.contains(&key.as_str()) {
                    add_keys(value, !are_data && MAPS.contains(&key.as_str()), keys);
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| add_keys(item, false, keys)),
        _ => {}
    }
}
