//! Publishing houses of the English language and their imprints.
//!
//! One shop names the imprint on the spine (`Avon`), another the house behind it (`HarperCollins
//! Publishers Inc`), and the same title comes out at one house in America and at another in Britain.
//! So two names that share no word may be one publisher's, and tell of one edition or of two.

use magpie_sdk::text;

/// What a house and its imprints are called: words that such names begin with, folded, without
/// `and`, `the` and `of`. Names that several houses use stand with each.
const HOUSES: &[&[&str]] = &[
    // Penguin, America
    &[
        "penguin",
        "penguin putnam",
        "penguin group usa",
        "penguin usa",
        "berkley",
        "jove",
        "signet",
        "onyx",
        "ace",
        "roc",
        "nal",
        "new american library",
        "obsidian",
        "dutton",
        "plume",
        "putnam",
        "g p putnam",
        "gp putnam",
        "riverhead",
        "viking",
        "gotham",
        "avery",
        "daw",
        "dial books",
        "puffin",
        "razorbill",
        "philomel",
        "speak",
        "perigee",
        "penguin classics",
    ],
    // Random House, America
    &[
        "random house",
        "random house usa",
        "random house inc",
        "bantam",
        "bantam doubleday dell",
        "ballantine",
        "del rey",
        "fawcett",
        "ivy books",
        "one world",
        "delacorte",
        "dell",
        "delta",
        "dial press",
        "spectra",
        "knopf",
        "alfred knopf",
        "alfred a knopf",
        "pantheon",
        "anchor",
        "vintage",
        "vintage books usa",
        "crown",
        "broadway",
        "three rivers",
        "clarkson potter",
        "doubleday",
        "modern library",
        "everymans library",
        "hogarth",
    ],
    // Simon & Schuster, America
    &[
        "simon schuster",
        "pocket",
        "gallery",
        "atria",
        "scribner",
        "free press",
        "touchstone",
        "threshold",
        "washington square",
        "simon pulse",
        "aladdin",
        "atheneum",
        "margaret k mcelderry",
        "howard books",
        "saga press",
        "fireside",
    ],
    // HarperCollins, America
    &[
        "harpercollins",
        "harpercollins publishers inc",
        "avon",
        "william morrow",
        "harper",
        "harper perennial",
        "harperperennial",
        "harpertorch",
        "harperteen",
        "harperone",
        "ecco",
        "eos",
        "harper voyager",
        "katherine tegen",
        "balzer bray",
        "greenwillow",
        "amistad",
    ],
    // Harlequin
    &[
        "harlequin",
        "silhouette",
        "mira",
        "hqn",
        "spice",
        "mills boon",
        "carina",
        "kimani",
        "steeple hill",
        "love inspired",
        "harpercollins publishers",
    ],
    // Hachette, America
    &[
        "little brown",
        "little brown company",
        "grand central",
        "forever",
        "warner",
        "time warner",
        "orbit",
        "center street",
        "faithwords",
        "hachette book group",
    ],
    // Macmillan, America
    &[
        "st martins",
        "saint martins",
        "minotaur",
        "tor",
        "forge",
        "henry holt",
        "farrar straus",
        "flatiron",
        "feiwel",
        "picador",
        "thomas dunne",
        "square fish",
        "macmillan",
    ],
    &["kensington", "zebra", "brava", "dafina", "pinnacle", "lyrical"],
    &["houghton mifflin", "mariner", "harcourt", "clarion"],
    &["disney", "hyperion"],
    &[
        "amazon publishing",
        "montlake",
        "thomas mercer",
        "47north",
        "lake union",
        "skyscape",
    ],
    // Penguin, Britain
    &[
        "penguin",
        "penguin books ltd",
        "penguin classics",
        "michael joseph",
        "hamish hamilton",
        "allen lane",
        "viking",
        "puffin",
    ],
    // Random House, Britain
    &[
        "random house",
        "cornerstone",
        "arrow",
        "century",
        "hutchinson",
        "william heinemann",
    ],
    &[
        "transworld",
        "corgi",
        "black swan",
        "bantam",
        "bantam press",
        "doubleday",
    ],
    &[
        "vintage",
        "vintage publishing",
        "jonathan cape",
        "chatto",
        "harvill",
        "yellow jersey",
    ],
    // HarperCollins, Britain
    &[
        "harpercollins",
        "harpercollins publishers",
        "avon",
        "harper",
        "fourth estate",
        "harper voyager",
        "voyager",
        "collins",
        "borough press",
    ],
    &["simon schuster", "simon schuster ltd", "simon schuster uk"],
    // Hachette, Britain
    &[
        "little brown",
        "little brown book group",
        "piatkus",
        "judy piatkus",
        "sphere",
        "abacus",
        "virago",
        "atom",
        "orbit",
        "constable",
        "robinson",
    ],
    &["orion", "gollancz", "victor gollancz", "phoenix", "weidenfeld"],
    &["headline"],
    &["hodder", "coronet", "sceptre"],
    &["pan", "pan macmillan", "macmillan", "picador", "tor", "mantle"],
    &["quercus", "maclehose", "jo fletcher"],
    &["bloomsbury"],
    &["faber"],
];

/// Words between those that count.
const GLUE: &[&str] = &["and", "the", "of"];

/// Whether two names are of one house; none when one of them is not known here.
pub(crate) fn same_house(one: &str, other: &str) -> Option<bool> {
    let (left, right) = (houses(one), houses(other));
    (left != 0 && right != 0).then_some(left & right != 0)
}

/// The houses that a name may be of, a bit for each: those that know its longest beginning.
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
