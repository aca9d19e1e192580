//! Words that say that something is not as planned.

use magpie_sdk::text;

/// Words that say that something is not as planned, and the one word for each.
const STATUS: &[(&str, &[&str])] = &[
    (
        "cancelled",
        &[
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
        ],
    ),
    (
        "postponed",
        &[
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
        ],
    ),
    (
        "rescheduled",
        &[
            "rescheduled",
            "verlegt",
            "reprogramme",
            "reprogramado",
            "riprogrammato",
            "verplaatst",
            "eventrescheduled",
        ],
    ),
    ("moved online", &["eventmovedonline"]),
    (
        "sold out",
        &[
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
        ],
    ),
];

/// What a text says about an event that is not as planned.
pub(crate) fn status(text: &str) -> Option<&'static str> {
    let mut after_sold = false;
    let mut folded = String::new();
    for word in text::words(text) {
        folded.clear();
        text::push_word(&mut folded, word);
        if after_sold && folded == "out" {
            return Some("sold out");
        }
        if let Some((status, _)) = STATUS.iter().find(|(_, words)| words.contains(&folded.as_str())) {
            return Some(status);
        }
        after_sold = folded == "sold";
    }
    None
}
