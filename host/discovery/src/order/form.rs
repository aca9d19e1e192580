//! Forms of URLs: what is left when the names of single pages are taken out.

use xxhash_rust::xxh3::Xxh3;

/// Segments of a folder that distinguish forms. Deeper ones count as one.
const MAX_SEGMENTS: usize = 8;

/// Maximum number of query keys that distinguish forms.
const MAX_KEYS: usize = 12;

/// The form of a URL at three levels: hashes that are never zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UrlForm {
    /// With its folder: `/pycon-2015/{name}.html`.
    pub folder: u32,
    /// With any name in place of the innermost folder: `/talks/{any}/{name}.html`.
    pub siblings: u32,
    /// With any names in place of all folders: `/{any}/{any}/{name}.html`.
    pub depth: u32,
    /// A file that is no page, by its ending.
    pub is_file: bool,
}

magpie_values::word_lists! { "files.txt";
    FILES: Words = "file";
}

/// Returns what the name of a file ends with, after the dot, or an empty text.
pub(crate) fn ending(path: &str) -> &str {
    let (_, name) = path.rsplit_once('/').unwrap_or(("", path));
    match name.rsplit_once('.') {
        Some((_, ending)) if (1..=5).contains(&ending.len()) => ending,
        _ => "",
    }
}

impl UrlForm {
    /// Returns the form of a path with its query.
    pub fn of(path: &str, query: Option<&str>) -> UrlForm {
        let is_folder = path.ends_with('/');
        let ending = ending(path);
        let path = path.trim_matches('/');
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        let stem = name.strip_suffix(ending).filter(|_| !ending.is_empty());
        let stem = stem.map_or(name, |stem| &stem[..stem.len() - 1]);
        let ending = ending.to_ascii_lowercase();
        let tail = |closely: bool| {
            let mut tail = Xxh3::new();
            tail.update(name_class(stem).as_bytes());
            tail.update(b".");
            tail.update(ending.as_bytes());
            if is_folder {
                tail.update(b"/");
            }
            let pairs = query.unwrap_or_default().split('&').take(MAX_KEYS);
            // In any order.
            let keys = pairs.fold(0_u64, |keys, pair| keys.wrapping_add(pair_hash(pair, closely)));
            tail.update(&keys.to_le_bytes());
            tail.digest()
        };
        let (close, wide) = (tail(true), tail(false));
        let segments: Vec<&str> = folder
            .split('/')
            .filter(|segment| !segment.is_empty())
            .take(MAX_SEGMENTS)
            .collect();
        let form = |kept: usize, tail: u64| {
            let mut hash = Xxh3::new();
            for (position, segment) in segments.iter().enumerate() {
                hash.update(b"/");
                match position < kept {
                    true => hash.update(generalised(segment).as_bytes()),
                    false => hash.update(b"*"),
                }
            }
            hash.update(&tail.to_le_bytes());
            // The upper 31 of 64 bits, so that a form and a place fit into an integer of the
            // database.
            ((hash.digest() >> 33) as u32).max(1)
        };
        UrlForm {
            folder: form(segments.len(), close),
            siblings: form(segments.len().saturating_sub(1), wide),
            depth: form(0, wide),
            is_file: !ending.is_empty() && FILES.contains(&ending.as_str()),
        }
    }
}

/// A folder's name with its figures as one: years, days and numbers make no other form.
fn generalised(segment: &str) -> String {
    let mut text = String::with_capacity(segment.len());
    for character in segment.chars() {
        match character.is_ascii_digit() {
            true if text.ends_with('0') => {}
            true => text.push('0'),
            false => text.extend(character.to_lowercase()),
        }
    }
    text
}

/// The kind of a page's own name: none, a number, a date, a name.
fn name_class(stem: &str) -> &'static str {
    let is_number = !stem.is_empty() && stem.bytes().all(|byte| byte.is_ascii_digit());
    let is_date = stem.len() >= 7
        && stem
            .bytes()
            .all(|byte| byte.is_ascii_digit() || matches!(byte, b'-' | b'_' | b'.'))
        && stem.bytes().filter(u8::is_ascii_digit).count() >= 5;
    match stem {
        "" | "index" => "",
        _ if is_number => "number",
        _ if is_date => "date",
        _ => "name",
    }
}

/// The part of a form that a pair of a query gives: its key, and closely its value where that is a
/// short word, which often names the section of a script.
fn pair_hash(pair: &str, closely: bool) -> u64 {
    if pair.is_empty() {
        return 0;
    }
    let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
    let mut hash = Xxh3::new();
    hash.update(generalised(key).as_bytes());
    let is_word = (1..=12).contains(&value.len()) && value.bytes().all(|byte| byte.is_ascii_lowercase());
    if closely && is_word {
        hash.update(b"=");
        hash.update(value.as_bytes());
    }
    hash.digest()
}
