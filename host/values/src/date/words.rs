//! The words of dates in many languages, and what they can mean.
//!
//! `words.txt` holds one folded word a line, sorted by its bytes: the word, then its roles as a
//! letter, a value and the languages it has that role in. A word may mean different things in
//! different languages (`mar` is March, and Tuesday). The list is used as it is, through a table of
//! hashes: whatever was built in memory would cost every guest its building on every page.

/// Role of a word in a date. `words.txt` has the letter of each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// `m`: a month.
    Month = b'm' as isize,
    /// `M`: a month, and an ordinary word besides.
    WeakMonth = b'M' as isize,
    /// `w`: a day of the week, Monday is 1.
    Weekday = b'w' as isize,
    /// `W`: a day of the week, and an ordinary word besides.
    WeakWeekday = b'W' as isize,
    /// `r`: between the ends of a range: to, bis, au.
    Until = b'r' as isize,
    /// `f`: before a range: from, von, du.
    From = b'f' as isize,
    /// `t`: between a date and its time: at, um, à.
    At = b't' as isize,
    /// `o`: between a day and its month: of, de.
    Of = b'o' as isize,
    /// `x`: an article before a date: the, den, le.
    Article = b'x' as isize,
    /// `h`: after an hour: Uhr, h, heures.
    HourMark = b'h' as isize,
    /// `k`: before an hour: kl, klo, ore.
    HourPrefix = b'k' as isize,
    /// `a`: before noon.
    Am = b'a' as isize,
    /// `p`: after noon.
    Pm = b'p' as isize,
    /// `A`: a part of the day before noon.
    Morning = b'A' as isize,
    /// `P`: a part of the day after noon.
    Evening = b'P' as isize,
    /// `n`: noon (12) or midnight (0).
    Noon = b'n' as isize,
    /// `s`: after the number of a day, joined to it: st, er, º.
    Ordinal = b's' as isize,
    /// `y`: beside a year: г., năm.
    YearMark = b'y' as isize,
    /// `u`: before the number of a month: tháng.
    MonthPrefix = b'u' as isize,
    /// `e`: and.
    And = b'e' as isize,
    /// `i`: after minutes.
    MinuteMark = b'i' as isize,
    /// `d`: today (0), tomorrow (1), yesterday (-1).
    Relative = b'd' as isize,
    /// `z`: a zone, minutes east of UTC.
    Zone = b'z' as isize,
}

/// A set of languages, one bit each.
pub(super) type Languages = u32;

/// Every language there is, for what is written in figures alone.
pub(super) const ANY_LANGUAGE: Languages = u32::MAX;

/// The languages that all parts of Magpie read: dates, and by the tests of the first-party
/// verticals the words of pages. The last ones write dates in figures and signs.
pub const LANGUAGES: [&str; 27] = [
    "en", "de", "fr", "es", "it", "pt", "ca", "nl", "pl", "cs", "sk", "sv", "da", "no", "fi", "tr", "ru",
    "uk", "bg", "id", "hu", "ro", "el", "vi", "ja", "zh", "ko",
];

/// Number of languages with words in `words.txt`.
const WITH_WORDS: usize = 24;

/// The languages with words, each at its bit.
fn codes() -> &'static [&'static str] {
    &LANGUAGES[..WITH_WORDS]
}

/// The bit of the language that a tag names; none for a language without words here.
pub(super) fn language(tag: &str) -> Option<Languages> {
    const ALIKE: [(&str, &str); 5] = [
        ("nb", "no"),
        ("nn", "no"),
        ("in", "id"),
        ("ms", "id"),
        ("be", "ru"),
    ];
    let written = tag.split(['-', '_']).next()?;
    let alike = ALIKE.iter().find(|(code, _)| written.eq_ignore_ascii_case(code));
    let primary = alike.map_or(written, |(_, code)| code);
    let bit = codes()
        .iter()
        .position(|code| primary.eq_ignore_ascii_case(code))?;
    Some(1 << bit)
}

const WORDS: &str = include_str!("words.txt");

/// The longest word of the list, in bytes.
pub(super) const MAX_WORD_LEN: usize = 22;

/// A word of the list, by where its line begins. The default is no word of the list.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Word {
    /// One more than the offset of the line; 0 when the word is not known.
    line: u16,
    /// A bit for each role it has, see [`bit`], and [`BEYOND_ASCII`].
    roles: u64,
}

/// Set for words with letters beyond ASCII, known or not.
const BEYOND_ASCII: u64 = 1 << 63;

/// Some of the roles.
#[derive(Debug, Clone, Copy)]
pub(super) struct Roles(u64);

impl Roles {
    pub(super) const fn of(roles: &[Role]) -> Self {
        let (mut bits, mut place) = (0, 0);
        while place < roles.len() {
            bits |= bit(roles[place] as u8);
            place += 1;
        }
        Self(bits)
    }

    /// The same, and any word with letters beyond ASCII.
    pub(super) const fn or_beyond_ascii(self) -> Self {
        Self(self.0 | BEYOND_ASCII)
    }
}

impl Word {
    /// Looks a folded word up.
    pub(super) fn find(folded: &[u8]) -> Self {
        if folded.len() > MAX_WORD_LEN {
            return Self::default();
        }
        let words = WORDS.as_bytes();
        let mut slot = hash(folded, 0, folded.len());
        // The table is never full, so an empty slot ends the search.
        while TABLE[slot] != 0 {
            let start = usize::from(TABLE[slot]) - 1;
            // The known word may be longer than the one that is looked up.
            if words[start..].starts_with(folded) && words[start + folded.len()] == b' ' {
                return Self {
                    line: TABLE[slot],
                    roles: roles_of(line_at(start)),
                };
            }
            slot = (slot + 1) % SLOTS;
        }
        Self::default()
    }

    /// The same word, which has letters beyond ASCII.
    pub(super) fn beyond_ascii(self) -> Self {
        Self {
            roles: self.roles | BEYOND_ASCII,
            ..self
        }
    }

    /// Returns true if the word can have the role.
    pub(super) fn has(self, role: Role) -> bool {
        self.roles & bit(role as u8) != 0
    }

    /// Returns true if the word can have one of the roles.
    pub(super) fn has_one(self, roles: Roles) -> bool {
        self.roles & roles.0 != 0
    }

    /// The value and languages of the role.
    pub(super) fn role(self, role: Role) -> Option<(i16, Languages)> {
        if !self.has(role) {
            return None;
        }
        let line = std::str::from_utf8(line_at(usize::from(self.line) - 1)).ok()?;
        line.split(' ')
            .skip(1)
            .find(|part| part.as_bytes()[0] == role as u8)
            .map(value_and_languages)
    }
}

fn value_and_languages(part: &str) -> (i16, Languages) {
    let (value, languages) = part[1..].split_once(':').unwrap_or((&part[1..], ""));
    let bits = languages
        .split(',')
        .filter_map(|code| codes().iter().position(|known| *known == code));
    let languages = bits.fold(0, |all, bit| all | 1 << bit);
    (
        value.parse().unwrap_or(0),
        if languages == 0 { ANY_LANGUAGE } else { languages },
    )
}

fn line_at(start: usize) -> &'static [u8] {
    let rest = &WORDS.as_bytes()[start..];
    &rest[..rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len())]
}

fn roles_of(line: &[u8]) -> u64 {
    let starts = line.windows(2).filter(|pair| pair[0] == b' ');
    starts.fold(0, |roles, pair| roles | bit(pair[1]))
}

/// Letters a-z take the low bits, A-Z the ones above.
const fn bit(letter: u8) -> u64 {
    match letter {
        b'a'..=b'z' => 1 << (letter - b'a'),
        _ => 1 << (letter - b'A' + 26),
    }
}

/// About 1200 words: a foreign word meets an empty slot at once two times out of three.
const SLOTS: usize = 4096;

/// Returns false if an ASCII word in any case is certainly not in the list. Compares its beginning
/// and length with those of the list.
pub(super) fn may_be_known(written: &[u8]) -> bool {
    BEGINNINGS[beginning(written, 0, written.len())] & length_bit(written.len()) != 0
}

/// For each pair of first letters the lengths of the words that begin so, one bit each.
static BEGINNINGS: [u32; 1024] = beginnings();

/// Index of a word's first letters: upper and lower case have the same last five bits.
const fn beginning(bytes: &[u8], start: usize, end: usize) -> usize {
    match end - start {
        0 => 0,
        1 => (bytes[start] & 31) as usize * 32,
        _ => (bytes[start] & 31) as usize * 32 + (bytes[start + 1] & 31) as usize,
    }
}

/// No word of the list is longer than [`MAX_WORD_LEN`]; the last bit is for those that are.
const fn length_bit(length: usize) -> u32 {
    1 << if length < 31 { length } else { 31 }
}

const fn beginnings() -> [u32; 1024] {
    let mut lengths = [0; 1024];
    let bytes = WORDS.as_bytes();
    let mut start = 0;
    while start < bytes.len() {
        let end = word_end(bytes, start);
        lengths[beginning(bytes, start, end)] |= length_bit(end - start);
        start = line_end(bytes, end) + 1;
    }
    lengths
}

const fn word_end(bytes: &[u8], start: usize) -> usize {
    let mut end = start;
    while bytes[end] != b' ' {
        end += 1;
    }
    end
}

const fn line_end(bytes: &[u8], start: usize) -> usize {
    let mut end = start;
    while bytes[end] != b'\n' {
        end += 1;
    }
    end
}

/// One more than the offset of a word's line, at the slot of its hash or after it; 0 is empty.
/// Computed at compile time, so that a guest starts without this cost.
static TABLE: [u16; SLOTS] = table();

const fn hash(bytes: &[u8], start: usize, end: usize) -> usize {
    let mut hash: u32 = 0x811C_9DC5;
    let mut at = start;
    while at < end {
        hash = (hash ^ bytes[at] as u32).wrapping_mul(0x0100_0193);
        at += 1;
    }
    (hash ^ (hash >> 15)) as usize % SLOTS
}

const fn table() -> [u16; SLOTS] {
    let mut table = [0; SLOTS];
    let bytes = WORDS.as_bytes();
    let mut start = 0;
    while start < bytes.len() {
        let end = word_end(bytes, start);
        let mut slot = hash(bytes, start, end);
        while table[slot] != 0 {
            slot = (slot + 1) % SLOTS;
        }
        table[slot] = start as u16 + 1;
        start = line_end(bytes, end) + 1;
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::fold_word;

    #[test]
    fn list_is_sorted_folded_and_found() {
        let mut last = "";
        for line in WORDS.lines() {
            let word = line.split(' ').next().unwrap();
            assert!(last.as_bytes() < word.as_bytes(), "{last} before {word}");
            assert_eq!(fold_word(word), word, "{word} is not folded");
            assert!(word.len() <= MAX_WORD_LEN, "{word} is longer than MAX_WORD_LEN");
            assert_ne!(
                Word::find(word.as_bytes()),
                Word::default(),
                "{word} is not found"
            );
            assert!(
                may_be_known(word.to_ascii_uppercase().as_bytes()),
                "{word} is passed over"
            );
            last = word;
        }
        assert!(u16::try_from(WORDS.len()).is_ok(), "offsets are kept in 16 bits");
    }

    #[test]
    fn languages_are_known() {
        // A word whose languages are all unknown would count for every language.
        for line in WORDS.lines() {
            let roles = line.split(' ').skip(1);
            let marked = roles.filter_map(|role| role.split_once(':'));
            for code in marked.flat_map(|(_, codes)| codes.split(',')) {
                assert!(codes().contains(&code), "{line}: add `{code}` to LANGUAGES");
            }
        }
    }

    #[test]
    fn words_have_their_roles() {
        let mar = Word::find("mar".as_bytes());
        assert_eq!(mar.role(Role::WeakMonth).map(|role| role.0), Some(3));
        assert_eq!(mar.role(Role::WeakWeekday).map(|role| role.0), Some(2));
        assert_eq!(
            Word::find("nst".as_bytes()).role(Role::Zone),
            Some((-210, ANY_LANGUAGE))
        );
        assert_eq!(Word::find("magpie".as_bytes()), Word::default());
        assert_eq!(Word::find("".as_bytes()), Word::default());
    }
}
