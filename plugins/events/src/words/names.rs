//! Words on pages of events that are not names of events.

use magpie_sdk::text::{self, WordList};

use super::{has, is_one};

/// Texts of links that name nothing.
static ACTIONS: WordList = WordList::new(&[
    "tickets",
    "ticket",
    "buy tickets",
    "buy",
    "buy now",
    "buy ticket",
    "book",
    "book now",
    "book tickets",
    "book online",
    "get tickets",
    "find tickets",
    "more",
    "more info",
    "more information",
    "info",
    "details",
    "detail",
    "view details",
    "view event",
    "view",
    "event details",
    "see details",
    "read more",
    "learn more",
    "find out more",
    "register",
    "register now",
    "rsvp",
    "sign up",
    "sold out",
    "map",
    "directions",
    "share",
    "add to calendar",
    "ical",
    "ics",
    "google calendar",
    "download",
    "agenda",
    "agendas",
    "minutes",
    "notice",
    "meeting notice",
    "pdf",
    "video",
    "watch",
    "packet",
    "agenda pdf",
    "minutes pdf",
    "mehr",
    "mehr info",
    "mehr infos",
    "mehr erfahren",
    "weiterlesen",
    "weitere informationen",
    "karten",
    "karten kaufen",
    "tickets kaufen",
    "jetzt buchen",
    "buchen",
    "zum termin",
    "anmelden",
    "plus",
    "en savoir plus",
    "plus dinfos",
    "plus dinformations",
    "lire la suite",
    "reserver",
    "billetterie",
    "billets",
    "acheter",
    "acheter des billets",
    "voir",
    "mas",
    "mas info",
    "mas informacion",
    "leer mas",
    "comprar",
    "comprar entradas",
    "entradas",
    "scopri di piu",
    "acquista",
    "biglietti",
    "dettagli",
    "leggi tutto",
    "saiba mais",
    "lees meer",
    "meer info",
    "wiecej",
    "cancelled",
    "canceled",
    "postponed",
    "abgesagt",
    "ausverkauft",
    "annule",
    "complet",
    "free",
    "new",
    "today",
    "tomorrow",
    "doors",
    "start",
    "time",
    "date",
    "venue",
    "location",
    "price",
    "when",
    "where",
    "save",
    "follow",
    "interested",
    "facebook",
    "twitter",
    "link",
    "website",
    "click here",
    "here",
    "next",
    "previous",
    "back",
    "home",
    "all events",
    "see all",
    "view all",
    "am",
    "ab",
    "od",
    "um",
    "uhr",
    "from",
    "at",
    "bookmark",
    "print",
    "email",
]);

/// Names that are too general to be those of one event.
static GENERIC: WordList = WordList::new(&[
    "events",
    "event",
    "calendar",
    "upcoming events",
    "past events",
    "all events",
    "event calendar",
    "events calendar",
    "upcoming",
    "schedule",
    "programme",
    "program",
    "programm",
    "whats on",
    "agenda",
    "home",
    "homepage",
    "welcome",
    "veranstaltungen",
    "termine",
    "kalender",
    "spielplan",
    "veranstaltungskalender",
    "concerts",
    "konzerte",
    "shows",
    "gigs",
    "tour dates",
    "tour",
    "dates",
    "live",
    "evenements",
    "calendrier",
    "spectacles",
    "eventos",
    "eventi",
    "calendario",
    "tickets",
    "news",
    "archive",
    "minutes",
    "agendas",
    "search",
    "search results",
    "results",
    "menu",
    "navigation",
    "main menu",
    "contact",
    "about",
    "about us",
    "listings",
    "list of events",
    "opening hours",
    "offnungszeiten",
    "horaires",
    "horario",
    "orari",
    "openingstijden",
    "agendas and minutes",
    "agendas minutes",
    "minutes and agendas",
    "this week",
    "today",
    "next week",
    "this month",
    "events list",
]);

/// Words that do not suffice for the name of an event: `2019 Meeting Schedule`, `View recorded
/// meeting`.
static GENERIC_WORDS: WordList = WordList::new(&[
    "meeting",
    "meetings",
    "schedule",
    "schedules",
    "calendar",
    "date",
    "dates",
    "agenda",
    "agendas",
    "minutes",
    "upcoming",
    "past",
    "previous",
    "next",
    "future",
    "archive",
    "archives",
    "archived",
    "event",
    "events",
    "list",
    "and",
    "of",
    "the",
    "for",
    "all",
    "in",
    "our",
    "information",
    "info",
    "notice",
    "notices",
    "download",
    "view",
    "recorded",
    "recording",
    "video",
    "page",
    "materials",
    "documents",
    "current",
    "more",
    "additional",
    "click",
    "here",
    "to",
    "see",
    "summary",
    "details",
    "listing",
    "listings",
    "annual",
    "tba",
    "tbd",
    "time",
    "location",
    "icon",
    "pdf",
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
    "jan",
    "feb",
    "mar",
    "apr",
    "jun",
    "jul",
    "aug",
    "sep",
    "sept",
    "oct",
    "nov",
    "dec",
    "home",
    "termine",
    "veranstaltungen",
    "kommende",
    "vergangene",
    "kalender",
    "alle",
    "unsere",
    "und",
    "evenements",
    "calendrier",
    "a",
    "venir",
    "les",
    "prochains",
    "proximos",
    "eventos",
    "agenda",
    "regular",
    "virtual",
    "online",
    "monthly",
    "featured",
    "highlights",
    "hours",
    "museum",
    "categories",
    "book",
    "s",
    "monday",
    "tuesday",
    "wednesday",
    "thursday",
    "friday",
    "saturday",
    "sunday",
]);

/// First words of headings of related content.
static RELATED: WordList = WordList::new(&[
    "related",
    "similar",
    "other",
    "also",
    "more",
    "upcoming",
    "further",
    "recommended",
    "ahnliche",
    "weitere",
    "auch",
    "autres",
    "aussi",
    "otros",
    "otras",
    "altri",
    "next",
    "previous",
    "nearby",
]);

/// Returns true if a text only invites to click.
pub(crate) fn is_action(text: &str) -> bool {
    is_one(&ACTIONS, text)
}

/// Returns true if a text names a page of events, not a single event.
pub(crate) fn is_generic(name: &str) -> bool {
    let is_number = |word: &str| {
        text::fold_word(word)
            .bytes()
            .all(|letter| letter.is_ascii_digit())
    };
    text::words(name).all(|word| GENERIC_WORDS.has(word) || is_number(word)) || is_one(&GENERIC, name)
}

/// Returns true if a text is the rest of a sentence or a line, and no name: `Through`, `at the Old
/// Mill`, `Tuesday to`.
pub(crate) fn is_fragment(text: &str) -> bool {
    static LEADS: WordList = WordList::new(&[
        "at", "through", "thru", "from", "until", "till", "on", "by", "to", "and", "or", "with", "in", "of",
        "for", "the", "opens", "closes", "begins", "starts", "ends", "bis", "ab", "von", "vom", "am", "um",
        "im", "und", "mit", "fur", "jusquau", "jusqua", "du", "au", "des", "et", "pour", "hasta", "desde",
        "el", "y", "para", "dal", "dalle", "fino", "al", "e", "per", "van", "tot", "vanaf", "en", "od", "do",
        "w", "i", "v", "a",
    ]);
    static ENDS: WordList = WordList::new(&[
        "through", "thru", "until", "till", "from", "and", "or", "of", "for", "the", "at", "by", "with",
        "und", "bis", "von", "fur", "mit", "jusquau", "pour", "et", "avec", "hasta", "para", "fino", "per",
        "tot", "vanaf",
    ]);
    let text = text.trim();
    let mut words = text::words(text);
    let Some(first) = words.next() else { return true };
    let count = 1 + words.count();
    let is_joint = text.starts_with(['&', '+']) || text.ends_with(['&', '+']);
    let begins = LEADS.has(first) && (count == 1 || first.starts_with(char::is_lowercase) && count <= 6);
    // A title may end with such a word in capitals, and the word of a language be another one's.
    let last = text::words(text).last().unwrap_or_default();
    let ends = count > 1 && last.chars().all(char::is_lowercase) && ENDS.has(last);
    is_joint || begins || ends || (count == 1 && SINGLE.has(first))
}

/// Words that alone are the label of something and no name.
static SINGLE: WordList = WordList::new(&[
    "end", "ends", "ende", "fin", "fine", "einde", "koniec", "konec", "opens", "closes", "begin", "begins",
    "beginn", "starts", "debut", "inicio", "inizio", "hours", "open", "closed", "daily", "weekly", "daytime",
    "evening",
]);

/// Returns true for the hours of a house: `Museum Hours`.
pub(crate) fn ends_in_hours(name: &str) -> bool {
    let hours = list![
        "hours",
        "offnungszeiten",
        "horaires",
        "horario",
        "horarios",
        "orari",
        "orario",
        "openingstijden"
    ];
    text::words(name).last().is_some_and(|word| hours.has(word))
}

/// Returns true if a text is made of numbers, months and weekdays: `Dec - 2023`.
pub(crate) fn is_only_date(text: &str) -> bool {
    text::has_figure(text)
        && text::words(text).all(|word| {
            let word = text::fold_word(word);
            let is_number = word.bytes().all(|letter| letter.is_ascii_digit());
            is_number || super::weekday(&word).is_some() || super::month(&word).is_some()
        })
}

/// Returns true if a text in a calendar is its furniture: weekdays, months, counts of events, links
/// to more of them.
pub(crate) fn is_furniture(text: &str) -> bool {
    /// Maximum number of words of a text that may name an event. Longer texts count as furniture.
    const MAX_WORDS: usize = 9;
    let words: Vec<String> = text::words(text).map(text::fold_word).collect();
    if words.is_empty() || words.len() > MAX_WORDS || is_one(&FURNITURE, text) {
        return true;
    }
    let is_number = |word: &String| word.bytes().all(|letter| letter.is_ascii_digit());
    let is_date =
        |word: &String| is_number(word) || super::heads_weekday(word) || super::month(word).is_some();
    let is_count = |word: &String| is_date(word) || COUNTED.has(word) || super::EVENT_NOUNS.has(word);
    let denies = NONE.has(&words[0]) && words.iter().any(|word| super::EVENT_NOUNS.has(word));
    words.iter().all(is_count) || denies
}

/// Texts of a calendar that name no event.
static FURNITURE: WordList = WordList::new(&[
    "today",
    "heute",
    "aujourdhui",
    "hoy",
    "oggi",
    "vandaag",
    "dzisiaj",
    "dnes",
    "week",
    "woche",
    "semaine",
    "semana",
    "settimana",
    "month",
    "monat",
    "mois",
    "mes",
    "mese",
    "maand",
    "miesiac",
    "mesic",
    "day",
    "tag",
    "jour",
    "dia",
    "giorno",
    "dag",
    "previous month",
    "next month",
    "vorheriger monat",
    "nachster monat",
    "mois precedent",
    "mois suivant",
    "mes anterior",
    "mes siguiente",
    "all day",
    "ganztagig",
    "ganztags",
    "toute la journee",
    "todo el dia",
    "tutto il giorno",
    "hele dag",
    "caly dzien",
    "cely den",
    "featured",
    "hervorgehoben",
    "recurring",
    "add event",
    "holiday",
    "closed",
    "geschlossen",
    "ferme",
    "cerrado",
    "chiuso",
    "gesloten",
    "available",
    "booked",
    "frei",
    "belegt",
]);

/// Words beside the number of events of a day.
static COUNTED: WordList = WordList::new(&[
    "more",
    "weitere",
    "weiterer",
    "plus",
    "mas",
    "altri",
    "altro",
    "meer",
    "wiecej",
    "dalsi",
    "view",
    "show",
    "see",
    "all",
    "alle",
    "anzeigen",
    "zeigen",
    "voir",
    "ver",
    "tous",
    "todos",
    "tutti",
    "for",
    "fur",
    "pour",
    "para",
    "per",
    "am",
    "on",
    "le",
    "de",
    "del",
    "of",
    "im",
    "in",
    "event",
    "th",
    "st",
    "nd",
    "rd",
    "the",
    "und",
    "and",
    "et",
    "y",
    "e",
    "s",
    "posts",
    "published",
]);

/// Words that begin the notice of an empty day.
static NONE: WordList = WordList::new(&[
    "no", "keine", "kein", "aucun", "aucune", "pas", "sin", "ningun", "nessun", "nessuna", "geen", "brak",
    "zadne", "there", "es", "il", "nao",
]);

/// Returns true if a heading is that of related content, not of the page's subject.
pub(crate) fn is_related(heading: &str) -> bool {
    text::words(heading).next().is_some_and(|word| RELATED.has(word))
        || has(list!["related", "similar", "also", "ahnliche", "autres"], heading)
}

/// Returns true if a text is a sentence, not a name: `The meeting of 3 May will be held online`.
pub(crate) fn is_sentence(text: &str) -> bool {
    /// Minimum number of words of a sentence; `Bruce Will Play` is a name.
    const FEWEST: usize = 8;
    static VERBS: WordList = WordList::new(&[
        "will", "has", "have", "been", "was", "were", "please", "must", "due", "wird", "werden", "wurde",
        "bitte", "sera", "seront", "veuillez", "sara", "saranno",
    ]);
    text::words(text).nth(FEWEST - 1).is_some() && has(&VERBS, text)
}

#[cfg(test)]
mod tests {
    use super::is_sentence;

    #[test]
    fn sentences_are_told_from_names() {
        assert!(is_sentence("The meeting of the Parks Board will be held online"));
        assert!(is_sentence(
            "Wegen des Sturms wird die Sitzung in die Halle verlegt"
        ));
        assert!(!is_sentence("Good Will Hunting"));
        assert!(!is_sentence(
            "Special Meeting of the Board of Trustees on the Budget for Schools"
        ));
        assert!(!is_sentence(""));
    }
}
