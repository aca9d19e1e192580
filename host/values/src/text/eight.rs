//! Inspection of eight bytes at once, where nearly all of them are of the same kind.
//!
//! Every line of a page is checked several times for tidiness and for digits. Byte by byte that
//! takes a good part of a plugin's time, the more so as a sandbox counts the iterations of its
//! loops.

const EACH: u64 = u64::from_ne_bytes([1; 8]);
const HIGH: u64 = EACH * 0x80;

/// Number of leading bytes that certainly belong to no digit of any script. Ends at a character
/// boundary.
pub(crate) fn without_figure(text: &[u8]) -> usize {
    let may_have = |eight: u64| {
        // Figures are among the bytes from 0x30 to 0x3F.
        let rows = (eight & (EACH * 0x70)) ^ (EACH * 0x30);
        (zeros_of_ascii(rows) | eight) & HIGH != 0
    };
    8 * eights(text).take_while(|eight| !may_have(*eight)).count()
}

/// Number of leading bytes that are certainly neither of the two given ones.
pub(crate) fn without_either(text: &[u8], one: u8, other: u8) -> usize {
    let [one, other] = [one, other].map(|byte| EACH * u64::from(byte));
    let may_have = |eight: u64| zeros(eight ^ one) | zeros(eight ^ other) != 0;
    8 * eights(text).take_while(|eight| !may_have(*eight)).count()
}

/// Number of leading bytes that are printable ASCII without a leading blank or two blanks in a row.
pub(crate) fn tidy(text: &[u8]) -> usize {
    let mut after_blank = true;
    let mut done = 0;
    for eight in eights(text) {
        // After a byte that is not ASCII the flags of the others may be wrong; the count ends there
        // anyway.
        let blanks = zeros_of_ascii(eight ^ (EACH * 0x20)) & HIGH;
        // The byte before each one is the next lower here; the one before the first is in the last
        // eight.
        let before = blanks << 8 | u64::from(after_blank) << 7;
        let below_blank = !(eight | HIGH).wrapping_sub(EACH * 0x20);
        let is_delete = eight.wrapping_add(EACH);
        if (eight | below_blank | is_delete | (blanks & before)) & HIGH != 0 {
            break;
        }
        after_blank = blanks >> 63 == 1;
        done += 8;
    }
    for byte in &text[done..] {
        let is_blank = *byte == b' ';
        if !(b' '..0x7F).contains(byte) || (is_blank && after_blank) {
            break;
        }
        after_blank = is_blank;
        done += 1;
    }
    done
}

/// The bytes of a text in groups of eight, the first of each being the lowest. Drops a remainder at
/// the end.
fn eights(text: &[u8]) -> impl Iterator<Item = u64> {
    text.chunks_exact(8)
        .map(|eight| u64::from_le_bytes(std::array::from_fn(|place| eight[place])))
}

/// The highest bit of each byte that is zero.
fn zeros(eight: u64) -> u64 {
    let low = eight & !HIGH;
    !(low.wrapping_add(!HIGH) | eight) & HIGH
}

/// The same of bytes of ASCII, in the highest bit of each; the other bits mean nothing.
fn zeros_of_ascii(eight: u64) -> u64 {
    !eight.wrapping_add(!HIGH)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn tidy_text_is_found_as_by_looking_at_each_byte(text in "[ -~]{0,40}|[a-c ]{0,30}|[ -\u{80}]{0,20}|\\PC{0,20}") {
            let bytes = text.as_bytes();
            let is_tidy = |place: &usize| {
                let before = place.checked_sub(1).map_or(b' ', |before| bytes[before]);
                (b' '..=b'~').contains(&bytes[*place]) && !(bytes[*place] == b' ' && before == b' ')
            };
            prop_assert_eq!(super::tidy(bytes), (0..bytes.len()).take_while(is_tidy).count());
        }

        #[test]
        fn neither_of_two_is_passed(text in "[a-z :]{0,12}(:|\\PC)?[a-z ]{0,20}") {
            let passed = super::without_either(text.as_bytes(), b':', 0xEF);
            let first = text.bytes().position(|byte| matches!(byte, b':' | 0xEF)).unwrap_or(text.len());
            prop_assert!(passed <= first && first < passed + 8 || passed == first, "{} of {}", passed, first);
        }

        #[test]
        fn no_figure_is_passed(text in "[a-z ]{0,20}(\\PC|[0-9:;/])?[a-z ]{0,20}") {
            let passed = super::without_figure(text.as_bytes());
            prop_assert!(text.is_char_boundary(passed));
            prop_assert!(!text[..passed].contains(char::is_numeric));
        }
    }
}
