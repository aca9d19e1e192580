//! Word lists in text files, read at compile time.
//!
//! A file is about one subject. A line has a key, the languages of its words as ISO 639-1 codes,
//! and the words:
//!
//! ```text
//! # Comments begin a line.
//! black  en     black
//! black  de     schwarz
//! black  es,pt  negro, preto
//! black  *      bk, blk
//! before en     "nu ", "kunden, die"
//! ```
//!
//! `*` stands for no language or for many. Quotes keep commas, and blanks at the ends of a word.
//! The words of a key keep the order of the lines, which may be anywhere in the file: a new
//! language can be one block at its end. Code does not read the languages; they are for those who
//! edit.
//!
//! [`word_lists!`](crate::word_lists) turns keys into constants. A build script could generate the
//! same code, but six crates would compile and run one each, for the host and for guests. What is
//! left in a component are the words: comments, keys and languages are not.

/// Declares word lists whose words are in a text file: its [module](self) describes the format.
///
/// The file is named relative to the source file. Each list has one of these kinds:
///
/// - `Words`: a constant `&[&str]` of the words of its keys, in the order of the keys.
/// - `Groups`: a constant `&[&[&str]]` with one slice for each key.
/// - `Phrases`: a static [`Phrases`](crate::text::Phrases) of the words of its keys.
/// - `WordList`: a static [`WordList`](crate::text::WordList) of the words of its keys.
///
/// A key without words, and a key of the file that no list has, are errors of the compiler.
///
/// ```ignore
/// magpie_values::word_lists! { "colours.txt";
///     /// Names of colours.
///     pub COLOURS: Groups = "black" "white";
/// }
/// ```
#[macro_export]
macro_rules! word_lists {
    ($file:literal; $($(#[$meta:meta])* $vis:vis $name:ident: $kind:ident = $($key:literal)+;)+) => {
        const _: () = $crate::text::lists::check(include_str!($file), &[$($($key),+),+]);
        $($crate::word_lists! { @list $file $(#[$meta])* $vis $name: $kind = $($key)+; })+
    };
    (@list $file:literal $(#[$meta:meta])* $vis:vis $name:ident: Words = $($key:literal)+;) => {
        $(#[$meta])*
        $vis const $name: &[&str] = $crate::word_lists!(@words $file $($key)+);
    };
    (@list $file:literal $(#[$meta:meta])* $vis:vis $name:ident: Groups = $($key:literal)+;) => {
        $(#[$meta])*
        $vis const $name: &[&[&str]] = &[$($crate::word_lists!(@words $file $key)),+];
    };
    (@list $file:literal $(#[$meta:meta])* $vis:vis $name:ident: WordList = $($key:literal)+;) => {
        $(#[$meta])*
        $vis static $name: $crate::text::WordList =
            $crate::text::WordList::new($crate::word_lists!(@words $file $($key)+));
    };
    (@list $file:literal $(#[$meta:meta])* $vis:vis $name:ident: Phrases = $($key:literal)+;) => {
        $(#[$meta])*
        $vis static $name: $crate::text::Phrases =
            $crate::text::Phrases::new($crate::word_lists!(@words $file $($key)+));
    };
    (@words $file:literal $($key:literal)+) => {{
        const SIZE: (usize, usize) = $crate::text::lists::size(include_str!($file), &[$($key),+]);
        static TEXT: [u8; SIZE.1] = $crate::text::lists::joined(include_str!($file), &[$($key),+]);
        static WORDS: [&str; SIZE.0] = $crate::text::lists::split(&TEXT);
        &WORDS
    }};
}

/// Checks that each line has one of the keys, languages and a word.
///
/// # Panics
///
/// If it has not.
#[doc(hidden)]
pub const fn check(text: &str, keys: &[&str]) {
    let text = text.as_bytes();
    let mut line = 0;
    while line < text.len() {
        let is_blank = text[line] == b'\n' || text[line] == b'#';
        let mut is_known = is_blank;
        let mut key = 0;
        while !is_known && key < keys.len() {
            is_known = has_key(text, line, keys[key].as_bytes());
            key += 1;
        }
        assert!(is_known, "a line of a word list has a key that no list has");
        if !is_blank {
            check_languages(text, line);
        }
        line = end_of_line(text, line) + 1;
    }
}

/// Checks the second column of a line.
const fn check_languages(text: &[u8], line: usize) {
    let start = skip_blanks(text, end_of_column(text, line));
    let end = end_of_column(text, start);
    let mut at = start;
    while at < end {
        let is_code = match (at - start) % 3 {
            2 => text[at] == b',',
            _ => text[at].is_ascii_lowercase(),
        };
        assert!(
            is_code || text[at] == b'*' && end == start + 1,
            "a line of a word list has no codes of languages in its second column"
        );
        at += 1;
    }
    let words = skip_blanks(text, end);
    assert!(
        words < text.len() && text[words] != b'\n',
        "a line of a word list has no words"
    );
}

/// Returns the number of words of some keys, and of bytes with one more for each word.
///
/// # Panics
///
/// If a key has no words.
#[doc(hidden)]
#[must_use]
pub const fn size(text: &str, keys: &[&str]) -> (usize, usize) {
    let (mut words, mut bytes, mut key) = (0, 0, 0);
    while key < keys.len() {
        let before = words;
        let mut next = Next::of(text, keys[key]);
        while let Some((start, end)) = next.word() {
            words += 1;
            bytes += end - start + 1;
        }
        assert!(words > before, "a key of a word list has no words in its file");
        key += 1;
    }
    (words, bytes)
}

/// Returns the words of some keys, each ended by a line feed.
#[doc(hidden)]
#[must_use]
pub const fn joined<const BYTES: usize>(text: &str, keys: &[&str]) -> [u8; BYTES] {
    let mut joined = [b'\n'; BYTES];
    let (mut length, mut key) = (0, 0);
    while key < keys.len() {
        let mut next = Next::of(text, keys[key]);
        while let Some((mut at, end)) = next.word() {
            while at < end {
                joined[length] = next.text[at];
                length += 1;
                at += 1;
            }
            length += 1;
        }
        key += 1;
    }
    joined
}

/// Splits what [`joined`] has joined.
///
/// # Panics
///
/// If it is something else.
#[doc(hidden)]
#[must_use]
pub const fn split<const WORDS: usize>(joined: &'static [u8]) -> [&'static str; WORDS] {
    let mut words = [""; WORDS];
    let (mut rest, mut word) = (joined, 0);
    while word < WORDS {
        let (head, tail) = rest.split_at(end_of_line(rest, 0));
        words[word] = match std::str::from_utf8(head) {
            Ok(text) => text,
            Err(_) => panic!("words are text"),
        };
        (_, rest) = tail.split_at(1);
        word += 1;
    }
    words
}

/// Returns all words of a file with their keys, for tests that check them.
pub fn words(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let lines = text
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.flat_map(|line| {
        let key = &line[..end_of_column(line.as_bytes(), 0)];
        let mut next = Next::of(line, key);
        std::iter::from_fn(move || next.word().map(|(start, end)| (key, &line[start..end])))
    })
}

/// Iterates over the words of one key, by their place in the text.
struct Next<'t> {
    text: &'t [u8],
    key: &'t [u8],
    at: usize,
}

impl<'t> Next<'t> {
    const fn of(text: &'t str, key: &'t str) -> Self {
        Self {
            text: text.as_bytes(),
            key: key.as_bytes(),
            at: 0,
        }
    }

    const fn word(&mut self) -> Option<(usize, usize)> {
        let text = self.text;
        while self.at < text.len() {
            if self.at == 0 || text[self.at - 1] == b'\n' {
                if !has_key(text, self.at, self.key) {
                    self.at = end_of_line(text, self.at) + 1;
                    continue;
                }
                let languages = skip_blanks(text, end_of_column(text, self.at));
                self.at = end_of_column(text, languages);
            }
            let mut start = skip_blanks(text, self.at);
            if start == text.len() || text[start] == b'\n' {
                self.at = start + 1;
                continue;
            }
            let is_quoted = text[start] == b'"';
            let mut end = start + 1;
            while end < text.len() && text[end] != b'\n' && text[end] != if is_quoted { b'"' } else { b',' } {
                end += 1;
            }
            self.at = if is_quoted {
                start += 1;
                skip_blanks(text, end + 1)
            } else {
                end
            };
            if self.at < text.len() && text[self.at] == b',' {
                self.at += 1;
            }
            return Some((start, end));
        }
        None
    }
}

const fn has_key(text: &[u8], line: usize, key: &[u8]) -> bool {
    let mut at = 0;
    while at < key.len() {
        if line + at >= text.len() || text[line + at] != key[at] {
            return false;
        }
        at += 1;
    }
    line + at < text.len() && text[line + at] == b' '
}

const fn skip_blanks(text: &[u8], mut at: usize) -> usize {
    while at < text.len() && text[at] == b' ' {
        at += 1;
    }
    at
}

const fn end_of_column(text: &[u8], mut at: usize) -> usize {
    while at < text.len() && text[at] != b' ' && text[at] != b'\n' {
        at += 1;
    }
    at
}

const fn end_of_line(text: &[u8], mut at: usize) -> usize {
    while at < text.len() && text[at] != b'\n' {
        at += 1;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::{check, joined, size, split};

    const FILE: &str = "# Comment\n\
        warm  en  red, light orange\n\
        \n\
        cold  *   blue\n\
        warm  es,pt  \"nu \", \"kunden, die\" , rojo\n\
        cold  de  blau";

    #[test]
    fn words_of_a_key_keep_their_order() {
        const KEYS: &[&str] = &["cold", "warm"];
        const SIZE: (usize, usize) = size(FILE, KEYS);
        static TEXT: [u8; SIZE.1] = joined(FILE, KEYS);
        static WORDS: [&str; SIZE.0] = split(&TEXT);
        assert_eq!(
            WORDS,
            [
                "blue",
                "blau",
                "red",
                "light orange",
                "nu ",
                "kunden, die",
                "rojo"
            ]
        );
        check(FILE, KEYS);
    }

    #[test]
    fn keys_and_lines_without_words_are_refused() {
        for (file, keys) in [
            (FILE, vec!["warm"]),
            ("warm en\n", vec!["warm"]),
            ("warm red, blue\n", vec!["warm"]),
            ("warm\n", vec!["warm"]),
        ] {
            assert!(std::panic::catch_unwind(|| check(file, &keys)).is_err(), "{file}");
        }
        assert!(std::panic::catch_unwind(|| size(FILE, &["warm", "hot"])).is_err());
    }
}
