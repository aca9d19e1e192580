//! Words for weekdays, weeks and months, by which people say when something comes again.

use magpie_sdk::date::Weekday;

/// Weekdays, Monday first, folded.
const WEEKDAYS: [&[&str]; 7] = [
    &["monday", "mon", "montag", "lundi", "lunes", "lunedi"],
    &["tuesday", "tue", "tues", "dienstag", "mardi", "martes", "martedi"],
    &[
        "wednesday",
        "wed",
        "mittwoch",
        "mercredi",
        "miercoles",
        "mercoledi",
    ],
    &[
        "thursday",
        "thu",
        "thur",
        "thurs",
        "donnerstag",
        "jeudi",
        "jueves",
        "giovedi",
    ],
    &["friday", "fri", "freitag", "vendredi", "viernes", "venerdi"],
    &[
        "saturday",
        "sat",
        "samstag",
        "sonnabend",
        "samedi",
        "sabado",
        "sabato",
    ],
    &["sunday", "sun", "sonntag", "dimanche", "domingo", "domenica"],
];

/// Weeks of a month: the first to the fifth, and the last.
const WEEKS: [(i8, &[&str]); 6] = [
    (
        1,
        &[
            "1st", "first", "erster", "ersten", "premier", "1er", "primer", "primo",
        ],
    ),
    (
        2,
        &[
            "2nd", "second", "zweiter", "zweiten", "deuxieme", "2e", "segundo", "secondo",
        ],
    ),
    (
        3,
        &[
            "3rd",
            "third",
            "dritter",
            "dritten",
            "troisieme",
            "3e",
            "tercer",
            "terzo",
        ],
    ),
    (
        4,
        &[
            "4th",
            "fourth",
            "vierter",
            "vierten",
            "quatrieme",
            "4e",
            "cuarto",
            "quarto",
        ],
    ),
    (5, &["5th", "fifth"]),
    (-1, &["last", "letzter", "letzten", "dernier", "ultimo"]),
];

const MONTHS: [&[&str]; 12] = [
    &["january", "jan", "januar", "janvier", "enero", "gennaio"],
    &["february", "feb", "februar", "fevrier", "febrero", "febbraio"],
    &["march", "mar", "marz", "mars", "marzo"],
    &["april", "apr", "avril", "abril", "aprile"],
    &["may", "mai", "mayo", "maggio"],
    &["june", "jun", "juni", "juin", "junio", "giugno"],
    &["july", "jul", "juli", "juillet", "julio", "luglio"],
    &["august", "aug", "aout", "agosto"],
    &["september", "sep", "sept", "septembre", "septiembre", "settembre"],
    &["october", "oct", "oktober", "octobre", "octubre", "ottobre"],
    &["november", "nov", "novembre", "noviembre"],
    &["december", "dec", "dezember", "decembre", "diciembre", "dicembre"],
];

/// The weekday that a folded word names, also when it names several: `Mondays`.
pub(crate) fn weekday(word: &str) -> Option<Weekday> {
    let one = word.strip_suffix('s').unwrap_or(word);
    let place = WEEKDAYS
        .iter()
        .position(|names| names.contains(&word) || names.contains(&one))?;
    Weekday::ALL.get(place).copied()
}

/// The week of the month that a folded word names.
pub(crate) fn week(word: &str) -> Option<i8> {
    let known = WEEKS.iter().find(|(_, names)| names.contains(&word));
    known.map(|(week, _)| *week)
}

/// The month that a folded word names, from 1 on.
pub(crate) fn month(word: &str) -> Option<u8> {
    let place = MONTHS.iter().position(|names| names.contains(&word))?;
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
