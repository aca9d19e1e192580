//! Generates the word lists of `data/languages` as static tables.
//!
//! The files are a subset of TOML, read without a TOML parser: comments, and keys with a list of
//! strings without escapes. So the plugin builds with older compilers and without dependencies.
//! `data/README.md` explains the keys.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

/// Keys whose lists become a `WordList`: a static with the name of the key in upper case.
const WORD_LISTS: &str = "
    monday tuesday wednesday thursday friday saturday sunday
    monday_column tuesday_column wednesday_column thursday_column friday_column saturday_column
    sunday_column
    january february march april may june july august september october november december
    first second third fourth fifth last
    not_event_date doors cancelled postponed rescheduled moved_online sold_out place
    event_page other_page event_noun ticket posting posted reply_class ingredients action
    generic_name generic_word fragment_start fragment_end lone_label sentence opening_hours
    kind slot slot_part placeholder related_start related calendar_text event_count
    no_events label_name label_when label_time label_length label_end label_venue
    label_address label_price label_organiser label_performers label_conference label_talk
    our before_price class_aside class_address class_venue class_price class_performers
    class_organiser class_when class_name before_end common_start not_common_start
    possible_common_start not_possible_common_start office_hours not_office_hours map_link
    room meeting body body_subject meeting_kind plain_meeting list_word list_joint paper
    beside_paper meeting_name announced announces dates_of dates_head
";

/// Keys whose lists become a slice of strings.
const SLICES: &str = "
    path_hint name_noise name_variant holiday people_list monthly date_joint except
    before_place venue_path person_path
";

/// Suffixes of the keys with less preferred labels, best first. They are appended to the list of
/// the key without suffix.
const RANKS: [&str; 3] = ["", "_2", "_3"];

/// Prefix of the keys that may have a rank.
const RANKED: &str = "label_";

/// Maximum number of words of a `WordList`.
const MAX_WORDS: usize = 255;

/// Words of each key, in the order of the languages.
type Lists = BTreeMap<String, Vec<String>>;

fn main() {
    println!("cargo::rerun-if-changed=data");
    let root = env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets the folder of the package");
    let mut lists = Lists::new();
    for path in language_files(&Path::new(&root).join("data")) {
        let text = fs::read_to_string(&path).expect("a language file is readable UTF-8");
        read(&text, &mut lists).unwrap_or_else(|error| panic!("{}:{error}", path.display()));
    }
    let out = env::var_os("OUT_DIR").expect("cargo sets the folder of generated files");
    fs::write(Path::new(&out).join("languages.rs"), code(&lists))
        .expect("the folder of generated files is writable");
}

/// Returns the language files in the order of `order.txt`, and then by name.
fn language_files(data: &Path) -> Vec<PathBuf> {
    let order = fs::read_to_string(data.join("order.txt")).expect("data/order.txt is readable UTF-8");
    let order: Vec<&str> = order
        .lines()
        .filter(|line| !line.starts_with('#'))
        .flat_map(str::split_whitespace)
        .collect();
    let entries = fs::read_dir(data.join("languages")).expect("the folder data/languages is readable");
    let mut files: Vec<PathBuf> = entries
        .map(|entry| entry.expect("the folder data/languages is readable").path())
        .filter(|path| path.extension().is_some_and(|end| end == "toml"))
        .collect();
    files.sort_by_key(|path| {
        let name = path
            .file_stem()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        let rank = order.iter().position(|known| *known == name);
        (rank.unwrap_or(order.len()), name)
    });
    files
}

/// Generates the statics of all keys.
fn code(lists: &Lists) -> String {
    let mut code = String::new();
    let mut all = String::new();
    for key in WORD_LISTS.split_whitespace() {
        let words = merged(lists, key);
        assert!(
            words.len() <= MAX_WORDS,
            "all languages together have {} words for `{key}`, at most {MAX_WORDS} are possible",
            words.len()
        );
        let name = key.to_uppercase();
        writeln!(
            code,
            "pub(crate) static {name}: WordList = WordList::new(&{words:?});"
        )
        .expect("a string takes any text");
        writeln!(all, "({key:?}, &{words:?}),").expect("a string takes any text");
    }
    for key in SLICES.split_whitespace() {
        let words = merged(lists, key);
        let name = key.to_uppercase();
        writeln!(code, "pub(crate) const {name}: &[&str] = &{words:?};").expect("a string takes any text");
        writeln!(all, "({key:?}, {name}),").expect("a string takes any text");
    }
    code + &format!("#[cfg(test)]\npub(crate) const ALL: &[(&str, &[&str])] = &[\n{all}];\n")
}

/// Returns the words of a key, each once: the best rank of all languages first.
fn merged<'l>(lists: &'l Lists, key: &str) -> Vec<&'l str> {
    let mut known = BTreeSet::new();
    RANKS
        .iter()
        .filter_map(|rank| lists.get(&format!("{key}{rank}")))
        .flatten()
        .map(String::as_str)
        .filter(|word| known.insert(*word))
        .collect()
}

/// Returns true for a key that a language file may have.
fn is_key(key: &str) -> bool {
    let base = RANKS[1..]
        .iter()
        .find_map(|rank| key.strip_suffix(rank))
        .filter(|base| base.starts_with(RANKED));
    let base = base.unwrap_or(key);
    WORD_LISTS
        .split_whitespace()
        .chain(SLICES.split_whitespace())
        .any(|known| known == base)
}

/// Adds the words of one file to `lists`. An error begins with the line number.
fn read(text: &str, lists: &mut Lists) -> Result<(), String> {
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
        if !is_key(key) {
            return Err(format!("{number}: unknown key `{key}`; README.md lists the keys"));
        }
        let words = lists.entry(key.to_owned()).or_default();
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
                .filter(|word| !word.contains(['"', '\\']))
                .ok_or_else(|| format!("{number}: expected a word in double quotes, found `{word}`"))?;
            if word.chars().any(char::is_uppercase) {
                return Err(format!(
                    "{number}: `{word}` must be in lower case, without accents"
                ));
            }
            words.push(word.to_owned());
        }
    }
    Ok(())
}
