//! Generates the word lists of `data/languages` as static tables.
//!
//! The files are a subset of TOML, read without a TOML parser: comments, and keys with a list of
//! strings without escapes. So the plugin builds with older compilers and without dependencies.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::{env, fs, path::Path};

/// Keys that a language may have. Each becomes a static of that name in upper case.
const KEYS: &str = "monday tuesday wednesday thursday friday saturday sunday
    monday_column tuesday_column wednesday_column thursday_column friday_column saturday_column
    sunday_column
    january february march april may june july august september october november december
    first second third fourth fifth last
    not_event_date doors cancelled postponed rescheduled moved_online sold_out place";

/// Maximum number of words of a `WordList`.
const MAX_WORDS: usize = 255;

fn main() {
    println!("cargo::rerun-if-changed=data/languages");
    let mut lists: BTreeMap<&str, BTreeSet<String>> = KEYS
        .split_whitespace()
        .map(|key| (key, BTreeSet::new()))
        .collect();
    let root = env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets the folder of the package");
    let folder = Path::new(&root).join("data/languages");
    let entries = fs::read_dir(&folder).expect("the folder data/languages is readable");
    for entry in entries {
        let path = entry.expect("the folder data/languages is readable").path();
        if path.extension().is_some_and(|end| end == "toml") {
            let text = fs::read_to_string(&path).expect("a language file is readable UTF-8");
            read(&text, &mut lists).unwrap_or_else(|error| panic!("{}:{error}", path.display()));
        }
    }
    let mut code = String::new();
    for (key, words) in &lists {
        assert!(
            words.len() <= MAX_WORDS,
            "all languages together have {} words for `{key}`, at most {MAX_WORDS} are possible",
            words.len()
        );
        let name = key.to_uppercase();
        let words: Vec<&String> = words.iter().collect();
        writeln!(
            code,
            "pub(super) static {name}: WordList = WordList::new(&{words:?});"
        )
        .expect("a string takes any text");
    }
    let out = env::var_os("OUT_DIR").expect("cargo sets the folder of generated files");
    fs::write(Path::new(&out).join("languages.rs"), code).expect("the folder of generated files is writable");
}

/// Adds the words of one file to `lists`. An error begins with the line number.
fn read(text: &str, lists: &mut BTreeMap<&str, BTreeSet<String>>) -> Result<(), String> {
    let mut lines = text.lines().enumerate();
    while let Some((index, line)) = lines.next() {
        let number = index + 1;
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let (key, value) = line
            .split_once('=')
            .ok_or_else(|| format!("{number}: expected `key = [\"word\"]`, found `{line}`"))?;
        let key = key.trim();
        let words = lists
            .get_mut(key)
            .ok_or_else(|| format!("{number}: unknown key `{key}`; README.md lists the keys"))?;
        let mut value = value.trim().to_owned();
        while !value.ends_with(']') {
            let (_, next) = lines
                .next()
                .ok_or_else(|| format!("{number}: the list of `{key}` has no closing `]`"))?;
            value.push_str(next.trim());
        }
        let list = value
            .strip_prefix('[')
            .and_then(|value| value.strip_suffix(']'))
            .ok_or_else(|| format!("{number}: expected a list in brackets for `{key}`"))?;
        for word in list.split(',').map(str::trim).filter(|word| !word.is_empty()) {
            let word = word
                .strip_prefix('"')
                .and_then(|word| word.strip_suffix('"'))
                .filter(|word| !word.is_empty() && !word.contains(['"', '\\']))
                .ok_or_else(|| format!("{number}: expected a word in double quotes, found `{word}`"))?;
            if word.chars().any(char::is_uppercase) {
                return Err(format!(
                    "{number}: `{word}` must be in lower case, without accents"
                ));
            }
            words.insert(word.to_owned());
        }
    }
    Ok(())
}
