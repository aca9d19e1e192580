//! Folding: one spelling for what readers take for the same letters.
//!
//! A full Unicode normalisation would carry tables of many kilobytes into every guest. The letters
//! that pages write now with, now without their marks are Latin, Greek and Cyrillic, and their
//! tables fit into a few strings; other scripts only lose their case.

use super::{is_invisible, is_space};

/// Base letters of U+00C0..=U+024F; `.` leaves a character as it is.
const LATIN: &[u8; 400] = b"aaaaaaaceeeeiiiidnooooo.ouuuuytsaaaaaaaceeeeiiiidnooooo.ouuuuyty\
aaaaaaccccccccddddeeeeeeeeeegggggggghhhhiiiiiiiiiiiijjkkkllllllllllnnnnnn.nnoooooooorrrrrrsssssssstttttt\
uuuuuuuuuuuuwwyyyzzzzzzsbb....occ.d...ee.ffg...ikkl..n..oo..pp......tt.uu.vyyzz.............dddlllnnnaaiioo\
uuuuuuuuuueaaaaaa..ggkkoooo..jdddgg..nnaaaaooaaaaeeeeiiiioooorrrruuuusstt..hh....zzaaeeooooooooyy.........l\
.....b............";

/// Base letters of U+1E00..=U+1EFF, most of them Vietnamese.
const LATIN_ADDITIONAL: &[u8; 256] = b"aabbbbbbccddddddddddeeeeeeeeeeffgghhhhhhhhhhiiiikkkkkkllllllll\
mmmmmmnnnnnnnnoooooooopppprrrrrrrrssssssssssttttttttuuuuuuuuuuvvvvwwwwwwwwwwxxxxyyzzzzzzhtwyas..s.\
aaaaaaaaaaaaaaaaaaaaaaaaeeeeeeeeeeeeeeeeiiiioooooooooooooooooooooooouuuuuuuuuuuuuuyyyyyyyy......";

/// Base letters of U+0386..=U+03CE.
static GREEK: [u16; 73] = table("α.εηι.ο.υωιαβγδεζηθικλμνξοπρ.στυφχψωιυαεηιυαβγδεζηθικλμνξοπρσστυφχψωιυουω");

/// Base letters of U+1F00..=U+1FFF, the Greek of many accents.
static GREEK_EXTENDED: [u16; 256] = table(
    "ααααααααααααααααεεεεεε..εεεεεε..ηηηηηηηηηηηηηηηηιιιιιιιιιιιιιιιιοοοοοο..οοοοοο..\
υυυυυυυυ.υ.υ.υ.υωωωωωωωωωωωωωωωωααεεηηιιοουυωω..ααααααααααααααααηηηηηηηηηηηηηηηηωωωωωωωωωωωωωωωω\
ααααα.ααααααα.ι...ηηη.ηηεεηηη...ιιιι..ιιιιιι....υυυυρρυυυυυυρ.....ωωω.ωωοοωωω...",
);

/// Base letters of U+0400..=U+045F.
static CYRILLIC: [u16; 96] =
    table("ееђгєѕііјљњћкиуџабвгдежзииклмнопрстуфхцчшщъыьэюяабвгдежзииклмнопрстуфхцчшщъыьэюяееђгєѕііјљњћкиуџ");

/// A string of dots and letters of two bytes in UTF-8 as a table of code points, 0 for a dot.
const fn table<const LENGTH: usize>(letters: &str) -> [u16; LENGTH] {
    let bytes = letters.as_bytes();
    let mut table = [0; LENGTH];
    let (mut at, mut index) = (0, 0);
    while at < bytes.len() {
        if bytes[at] == b'.' {
            at += 1;
        } else {
            table[index] = ((bytes[at] & 0x1F) as u16) << 6 | (bytes[at + 1] & 0x3F) as u16;
            at += 2;
        }
        index += 1;
    }
    assert!(index == LENGTH, "a table has an entry for each code point");
    table
}

/// Text for comparing: tidied, without case, without marks on letters, in usual width, with plain
/// quotes and dashes.
#[must_use]
pub fn fold(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    let mut space_due = false;
    for character in text.chars() {
        // A blank is written with the next character, so that none ends the text.
        if is_space(character) {
            space_due = !folded.is_empty();
            continue;
        }
        let before = folded.len();
        if space_due {
            folded.push(' ');
        }
        let start = folded.len();
        push_folded(&mut folded, character);
        // The character vanished or became a blank, and the blank before it goes with it until
        // another one comes.
        match &folded[start..] {
            "" => folded.truncate(before),
            " " => {
                folded.truncate(before);
                space_due = before > 0;
            }
            _ => space_due = false,
        }
    }
    folded
}

/// A single word, folded, without apostrophes: `Don’t` gives `dont`.
#[must_use]
pub fn fold_word(word: &str) -> String {
    let mut folded = String::with_capacity(word.len());
    push_word(&mut folded, word);
    folded
}

/// Returns true if folding changes only the case of a word.
pub(super) fn is_plain(word: &str) -> bool {
    word.bytes().all(|byte| byte.is_ascii() && byte != b'\'')
}

/// Returns true if a text is an ASCII word in lower case.
pub(super) fn is_lower_of(lower: &[u8], word: &[u8]) -> bool {
    let mut pairs = lower.iter().zip(word);
    lower.len() == word.len() && pairs.all(|(lower, byte)| *lower == byte.to_ascii_lowercase())
}

/// Appends what [`fold_word`] makes of a word: for going through many words with one buffer.
pub(crate) fn push_word(folded: &mut String, word: &str) {
    let start = folded.len();
    if word.is_ascii() {
        folded.push_str(word);
        folded[start..].make_ascii_lowercase();
    } else {
        word.chars().for_each(|character| push_folded(folded, character));
    }
    if folded[start..].contains('\'') {
        let plain = folded.split_off(start).replace('\'', "");
        folded.push_str(&plain);
    }
}

/// Appends the folded form of one character: nothing, one character or a few.
pub(crate) fn push_folded(folded: &mut String, character: char) {
    match fold_char(character) {
        Some(plain) => folded.push(plain),
        None => folded.push_str(spelled_out(character)),
    }
}

/// The folded form of a character if it is a single character; none for those that vanish or
/// become several letters (`ß`, `æ`).
#[must_use]
pub(crate) fn fold_char(character: char) -> Option<char> {
    if character.is_ascii() {
        return Some(character.to_ascii_lowercase());
    }
    if is_dropped(character) || !spelled_out(character).is_empty() {
        return None;
    }
    let code = character as usize;
    let folded = match code {
        0xC0..=0x24F => ascii_entry(LATIN, code - 0xC0),
        0x1E00..=0x1EFF => ascii_entry(LATIN_ADDITIONAL, code - 0x1E00),
        0x386..=0x3CE => entry(&GREEK, code - 0x386),
        0x1F00..=0x1FFF => entry(&GREEK_EXTENDED, code - 0x1F00),
        0x400..=0x45F => entry(&CYRILLIC, code - 0x400),
        0x2000..=0x33FF | 0xFF00..=0xFFEF | 0xA0..=0xBF => symbol(character),
        _ => None,
    };
    folded.or_else(|| {
        // The lower case may have marks of its own: the sign for Ångström becomes å.
        let lower = lower_case(character);
        if lower == character {
            Some(lower)
        } else {
            fold_char(lower)
        }
    })
}

fn ascii_entry(table: &[u8], index: usize) -> Option<char> {
    table
        .get(index)
        .copied()
        .filter(|base| *base != b'.')
        .map(char::from)
}

fn entry(table: &[u16], index: usize) -> Option<char> {
    table
        .get(index)
        .filter(|letter| **letter != 0)
        .and_then(|letter| char::from_u32(u32::from(*letter)))
}

/// The lower case form when it is one character; the few that are longer stay as they are.
fn lower_case(character: char) -> char {
    let mut lower = character.to_lowercase();
    match (lower.next(), lower.next()) {
        (Some(single), None) => single,
        _ => character,
    }
}

fn is_dropped(character: char) -> bool {
    is_invisible(character)
        || matches!(character, '\u{300}'..='\u{36F}' | '\u{483}'..='\u{487}' | '\u{640}'
            | '\u{64B}'..='\u{65F}' | '\u{670}' | '\u{591}'..='\u{5BD}' | '\u{5C1}' | '\u{5C2}'
            | '\u{FE00}'..='\u{FE0F}' | '\u{B4}' | '\u{2122}' | '\u{AE}' | '\u{A9}')
}

/// Letters that readers spell with several others, in the usual way.
fn spelled_out(character: char) -> &'static str {
    match character {
        'ß' | 'ẞ' => "ss",
        'æ' | 'Æ' | 'ǽ' | 'Ǽ' => "ae",
        'œ' | 'Œ' => "oe",
        'þ' | 'Þ' => "th",
        'ĳ' | 'Ĳ' => "ij",
        'ŉ' => "n",
        'ǉ' | 'ǈ' | 'Ǉ' => "lj",
        'ǌ' | 'ǋ' | 'Ǌ' => "nj",
        'ǆ' | 'ǅ' | 'Ǆ' | 'ǳ' | 'ǲ' | 'Ǳ' => "dz",
        'ﬀ' => "ff",
        'ﬁ' => "fi",
        'ﬂ' => "fl",
        'ﬃ' => "ffi",
        'ﬄ' => "ffl",
        '…' => "...",
        '№' => "no",
        _ => "",
    }
}

fn symbol(character: char) -> Option<char> {
    Some(match character {
        '‘' | '’' | '‚' | '‛' | '′' | '‹' | '›' => '\'',
        '“' | '”' | '„' | '‟' | '″' | '«' | '»' | '「' | '」' | '『' | '』' => '"',
        '‐' | '‑' | '‒' | '–' | '—' | '―' | '−' | '〜' | '～' => '-',
        'º' => 'o',
        'ª' => 'a',
        '²' => '2',
        '³' => '3',
        '¹' => '1',
        '×' => 'x',
        '・' => ' ',
        // The full-width forms repeat ASCII in order.
        '\u{FF01}'..='\u{FF5E}' => char::from_u32(character as u32 - 0xFEE0)?.to_ascii_lowercase(),
        _ => return None,
    })
}
