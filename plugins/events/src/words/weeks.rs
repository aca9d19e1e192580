//! Words for weekdays, weeks and months, by which people say when something comes again.

use magpie_sdk::date::Weekday;
use magpie_sdk::text::{self, WordList};

/// Weekdays, Monday first, folded.
static WEEKDAYS: [WordList; 7] = [
    WordList::new(&["monday", "mon", "montag", "lundi", "lunes", "lunedi"]),
    WordList::new(&["tuesday", "tue", "tues", "dienstag", "mardi", "martes", "martedi"]),
    WordList::new(&[
        "wednesday",
        "wed",
        "mittwoch",
        "mercredi",
        "miercoles",
        "mercoledi",
    ]),
    WordList::new(&[
        "thursday",
        "thu",
        "thur",
        "thurs",
        "donnerstag",
        "jeudi",
        "jueves",
        "giovedi",
    ]),
    WordList::new(&["friday", "fri", "freitag", "vendredi", "viernes", "venerdi"]),
    WordList::new(&[
        "saturday",
        "sat",
        "samstag",
        "sonnabend",
        "samedi",
        "sabado",
        "sabato",
    ]),
    WordList::new(&["sunday", "sun", "sonntag", "dimanche", "domingo", "domenica"]),
];

/// Short names of weekdays, Monday first, as they head the columns of a calendar. In running text
/// they are other words.
static COLUMNS: [WordList; 7] = [
    WordList::new(&[
        "mo",
        "lu",
        "lun",
        "ma",
        "maa",
        "maandag",
        "pn",
        "pon",
        "po",
        "poniedzialek",
        "pondeli",
        "seg",
        "月",
    ]),
    WordList::new(&[
        "di", "tu", "mar", "din", "dinsdag", "wt", "wto", "wtorek", "ut", "utery", "ter", "火",
    ]),
    WordList::new(&[
        "mi", "we", "mer", "mie", "wo", "woe", "woensdag", "sr", "sroda", "st", "streda", "qua", "水",
    ]),
    WordList::new(&[
        "do",
        "th",
        "jeu",
        "jue",
        "gio",
        "donderdag",
        "cz",
        "czw",
        "czwartek",
        "ct",
        "ctvrtek",
        "qui",
        "木",
    ]),
    WordList::new(&[
        "fr", "ve", "ven", "vie", "vr", "vrij", "vrijdag", "pt", "pia", "piatek", "pa", "patek", "sex", "金",
    ]),
    WordList::new(&["sa", "sam", "sab", "za", "zat", "zaterdag", "sobota", "so", "土"]),
    WordList::new(&[
        "su",
        "dim",
        "dom",
        "zo",
        "zon",
        "zondag",
        "nd",
        "niedz",
        "niedziela",
        "ne",
        "nedele",
        "日",
    ]),
];

/// Weeks of a month: the first to the fifth, and the last.
static WEEKS: [(i8, WordList); 6] = [
    (
        1,
        WordList::new(&[
            "1st", "first", "erster", "ersten", "premier", "1er", "primer", "primo",
        ]),
    ),
    (
        2,
        WordList::new(&[
            "2nd", "second", "zweiter", "zweiten", "deuxieme", "2e", "segundo", "secondo",
        ]),
    ),
    (
        3,
        WordList::new(&[
            "3rd",
            "third",
            "dritter",
            "dritten",
            "troisieme",
            "3e",
            "tercer",
            "terzo",
        ]),
    ),
    (
        4,
        WordList::new(&[
            "4th",
            "fourth",
            "vierter",
            "vierten",
            "quatrieme",
            "4e",
            "cuarto",
            "quarto",
        ]),
    ),
    (5, WordList::new(&["5th", "fifth"])),
    (
        -1,
        WordList::new(&["last", "letzter", "letzten", "dernier", "ultimo"]),
    ),
];

static MONTHS: [WordList; 12] = [
    WordList::new(&["january", "jan", "januar", "janvier", "enero", "gennaio"]),
    WordList::new(&["february", "feb", "februar", "fevrier", "febrero", "febbraio"]),
    WordList::new(&[
        "march", "mar", "marz", "mars", "marzo", "maart", "marzec", "brezen",
    ]),
    WordList::new(&["april", "apr", "avril", "abril", "aprile"]),
    WordList::new(&["may", "mai", "mayo", "maggio", "mei", "maj", "kveten"]),
    WordList::new(&["june", "jun", "juni", "juin", "junio", "giugno"]),
    WordList::new(&["july", "jul", "juli", "juillet", "julio", "luglio"]),
    WordList::new(&["august", "aug", "aout", "agosto"]),
    WordList::new(&["september", "sep", "sept", "septembre", "septiembre", "settembre"]),
    WordList::new(&["october", "oct", "oktober", "octobre", "octubre", "ottobre"]),
    WordList::new(&["november", "nov", "novembre", "noviembre"]),
    WordList::new(&["december", "dec", "dezember", "decembre", "diciembre", "dicembre"]),
];

/// The weekday that a folded word names, also when it names several: `Mondays`.
pub(crate) fn weekday(word: &str) -> Option<Weekday> {
    let one = word.strip_suffix('s').unwrap_or(word);
    let place = WEEKDAYS
        .iter()
        .position(|names| names.has(word) || names.has(one))?;
    Weekday::ALL.get(place).copied()
}

/// Returns true if a folded word heads the column of a weekday in a calendar.
pub(crate) fn heads_weekday(word: &str) -> bool {
    weekday(word).is_some() || COLUMNS.iter().any(|names| names.has(word))
}

/// The week of the month that a folded word names.
pub(crate) fn week(word: &str) -> Option<i8> {
    let known = WEEKS.iter().find(|(_, names)| names.has(word));
    known.map(|(week, _)| *week)
}

/// Whether a text names weeks of a month.
pub(crate) fn names_week(text: &str) -> bool {
    text::words(text).any(|word| week(word).is_some())
}

/// The month that a folded word names, from 1 on.
pub(crate) fn month(word: &str) -> Option<u8> {
    let place = MONTHS.iter().position(|names| names.has(word))?;
    u8::try_from(place + 1).ok()
}

/// Whether a folded word says that something comes each month.
pub(crate) fn is_monthly(word: &str) -> bool {
    [
        "month", "months", "monthly", "monat", "monats", "mois", "mes", "mese",
    ]
    .contains(&word)
}

/// Whether a folded word may stand between those of a list.
pub(crate) fn is_list_joint(word: &str) -> bool {
    ["and", "und", "et", "y", "e", "or", ""].contains(&word)
}

/// Whether what follows a folded word is left out.
pub(crate) fn excepts(word: &str) -> bool {
    [
        "except",
        "excepting",
        "excluding",
        "außer",
        "ausser",
        "ohne",
        "sauf",
        "excepto",
        "salvo",
    ]
    .contains(&word)
}

#[cfg(test)]
mod tests {
    use super::{is_list_joint, month, week, weekday};
    use magpie_sdk::date::Weekday;

    #[test]
    fn words_of_weeks_are_told_from_others() {
        for (word, expected) in [
            ("tuesday", Some(Weekday::Tuesday)),
            ("mondays", Some(Weekday::Monday)),
            ("mardis", Some(Weekday::Tuesday)),
            ("wed", Some(Weekday::Wednesday)),
            ("day", None),
            ("s", None),
            ("", None),
        ] {
            assert_eq!(weekday(word), expected, "{word}");
        }
        assert_eq!(
            ["2nd", "dritten", "last", "sixth", "2"].map(week),
            [Some(2), Some(3), Some(-1), None, None]
        );
        assert_eq!(
            ["may", "dezember", "sept", "month"].map(month),
            [Some(5), Some(12), Some(9), None]
        );
        assert!(is_list_joint("und") && !is_list_joint("of"));
    }
}
