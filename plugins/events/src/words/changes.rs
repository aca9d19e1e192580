//! Words that say that something is not as planned.

use magpie_sdk::text::{self, WordList};

/// Words that say that something is not as planned, and the one word for each.
static STATUS: [(&str, WordList); 5] = [
    (
        "cancelled",
        WordList::new(&[
            "cancelled",
            "canceled",
            "cancellation",
            "abgesagt",
            "entfallt",
            "annule",
            "annulee",
            "cancelado",
            "cancelada",
            "annullato",
            "annullata",
            "geannuleerd",
            "afgelast",
            "odwolane",
            "aflyst",
            "installt",
            "eventcancelled",
        ]),
    ),
    (
        "postponed",
        WordList::new(&[
            "postponed",
            "verschoben",
            "reporte",
            "reportee",
            "aplazado",
            "aplazada",
            "pospuesto",
            "rinviato",
            "rinviata",
            "adiado",
            "uitgesteld",
            "udskudt",
            "eventpostponed",
        ]),
    ),
    (
        "rescheduled",
        WordList::new(&[
            "rescheduled",
            "verlegt",
            "reprogramme",
            "reprogramado",
            "riprogrammato",
            "verplaatst",
            "eventrescheduled",
        ]),
    ),
    ("moved online", WordList::new(&["eventmovedonline"])),
    (
        "sold out",
        WordList::new(&[
            "ausverkauft",
            "complet",
            "agotado",
            "agotadas",
            "esaurito",
            "esgotado",
            "uitverkocht",
            "wyprzedane",
            "udsolgt",
            "utsalt",
            "soldout",
        ]),
    ),
];

/// What a text says about an event that is not as planned.
pub(crate) fn status(text: &str) -> Option<&'static str> {
    let mut after_sold = false;
    for word in text::words(text) {
        if after_sold && list!["out"].has(word) {
            return Some("sold out");
        }
        if let Some((status, _)) = STATUS.iter().find(|(_, words)| words.has(word)) {
            return Some(status);
        }
        after_sold = list!["sold"].has(word);
    }
    None
}
