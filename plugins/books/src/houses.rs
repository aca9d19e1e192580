//! Publishers of the English language and their imprints.
//!
//! One shop names the imprint (`Avon`), another the publisher behind it (`HarperCollins Publishers
//! Inc`). The same title is also published by one house in America and by another in Britain. So
//! names without a common word may be of one publisher, and mean one edition or two.

use magpie_sdk::text;

magpie_sdk::word_lists! { "../data/publishers.txt";
    /// Beginnings of the names of each publisher and of its imprints. Each has a bit in a set.
    HOUSES: Groups =
        "penguin_us" "random_house_us" "simon_schuster_us" "harpercollins_us" "harlequin"
        "hachette_us" "macmillan_us" "kensington" "houghton_mifflin" "disney"
        "amazon_publishing" "penguin_uk" "random_house_uk" "transworld" "vintage"
        "harpercollins_uk" "simon_schuster" "hachette_uk" "orion" "headline" "hodder" "pan"
        "quercus" "bloomsbury" "faber";
}

const _: () = assert!(HOUSES.len() <= u32::BITS as usize, "a publisher has no bit");

/// Words of names that are ignored.
const GLUE: &[&str] = &["and", "the", "of"];

/// Returns true if two names are of one publisher, or `None` if one of them is unknown.
pub(crate) fn same_house(one: &str, other: &str) -> Option<bool> {
    let (left, right) = (houses(one), houses(other));
    (left != 0 && right != 0).then_some(left & right != 0)
}

/// Returns a bit set of the publishers that have the longest known beginning of a name.
fn houses(name: &str) -> u32 {
    let words: Vec<String> = text::tokens(name)
        .into_iter()
        .filter(|word| !GLUE.contains(&word.as_str()))
        .collect();
    let name = words.join(" ");
    let begins = |known: &str| {
        name.strip_prefix(known)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
    };
    let (mut longest, mut found) = (0, 0);
    for (place, house) in HOUSES.iter().enumerate() {
        for known in house.iter().filter(|known| begins(known)) {
            if known.len() > longest {
                (longest, found) = (known.len(), 0);
            }
            if known.len() == longest {
                found |= 1 << place;
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::same_house;

    #[test]
    fn imprints_belong_to_houses() {
        let check = |one: &str, other: &str, expected: Option<bool>| {
            assert_eq!(same_house(one, other), expected, "{one}, {other}");
            assert_eq!(same_house(other, one), expected, "{other}, {one}");
        };
        check("Avon", "HarperCollins Publishers Inc", Some(true));
        check("Avon", "Little, Brown Book Group", Some(false));
        check(
            "Little, Brown and Company",
            "Grand Central Publishing",
            Some(true),
        );
        check("St. Martin's Griffin", "Tor Books", Some(true));
        check("Penguin Putnam Inc", "Penguin Books Ltd", Some(false));
        check("Penguin", "Penguin Books Ltd", Some(true));
        check("Forest Lane Press", "Avon", None);
        check("Panorama", "Pan Macmillan", None);
    }
}
