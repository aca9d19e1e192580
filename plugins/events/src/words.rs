//! Words that pages about events use, in the languages most of them are written in.
//!
//! All are folded: lower case, without accents. Labels are compared as a whole, the others word by word.

use magpie_sdk::text;

/// Parts of URLs that speak for a page.
pub(crate) const PATH_HINTS: &[&str] = &[
    "event", "concert", "konzert", "veranstaltung", "termin", "agenda", "calendar", "kalender", "calendrier",
    "program", "spielplan", "whats-on", "what-s-on", "gig", "show", "session", "festival", "meeting", "schedule",
    "exhibition", "ausstellung", "spectacle", "evenement", "evento", "concierto", "tour", "talk", "workshop",
];

/// Words in titles, headings, classes and paths that speak for events.
const EVENT_WORDS: &[&str] = &[
    "event", "events", "concert", "concerts", "gig", "gigs", "show", "shows", "festival", "meeting", "meetings",
    "session", "sessions", "talk", "talks", "lecture", "lectures", "workshop", "workshops", "exhibition",
    "exhibitions", "performance", "performances", "performing", "conference", "summit", "hearing", "hearings",
    "calendar", "schedule", "agenda", "programme", "screening", "screenings", "recital", "matinee", "tour",
    "whatson", "tickets", "ticket", "venue", "lineup", "veranstaltung", "veranstaltungen", "konzert", "konzerte",
    "termin", "termine", "spielplan", "kalender", "vortrag", "vortrage", "lesung", "lesungen", "ausstellung",
    "ausstellungen", "tagung", "auffuhrung", "programm", "veranstaltungskalender", "spectacle", "spectacles",
    "evenement", "evenements", "calendrier", "exposition", "expositions", "seance", "seances", "evento", "eventos",
    "eventi", "concierto", "conciertos", "concerto", "concerti", "espectaculo", "calendario", "mostra",
    "exposicion", "conferencia", "spettacolo", "spettacoli", "agendas", "vevent", "evenementen", "voorstelling",
    "koncert", "koncerty", "wydarzenia", "arrangement", "evenemang", "gigography", "webinar", "meetup",
];

/// Words in titles, headings, classes and paths that speak for something else with dates.
const OTHER_WORDS: &[&str] = &[
    "blog", "blogs", "news", "post", "posts", "article", "articles", "comment", "comments", "forum", "forums",
    "thread", "threads", "topic", "topics", "reply", "replies", "recipe", "recipes", "product", "products", "shop",
    "cart", "review", "reviews", "press", "job", "jobs", "career", "careers", "changelog", "release", "releases",
    "version", "versions", "commit", "commits", "login", "privacy", "imprint", "impressum", "book", "books",
    "story", "stories", "archive", "aktuelles", "nachrichten", "rezept", "rezepte", "actualites", "recette",
    "noticias", "podcast", "episode", "episodes", "video", "videos", "obituary", "obituaries", "download",
    "downloads", "comic", "wiki", "profile", "user", "users", "author", "order", "orders",
];

/// Words before a date that is not when something takes place.
const ASIDE_WORDS: &[&str] = &[
    "posted", "published", "updated", "modified", "written", "created", "added", "edited", "submitted",
    "joined", "since", "sale", "presale", "deadline", "registration", "register", "rsvp", "copyright", "born", "released",
    "approved", "adopted", "amended", "uploaded", "veroffentlicht", "aktualisiert", "erstellt", "stand",
    "anmeldeschluss", "vorverkauf", "vorverkaufsstart", "seit", "geboren", "bearbeitet", "publie", "modifie",
    "publicado", "actualizado", "pubblicato", "aggiornato", "last", "comment", "reviewed", "replied", "wrote",
    "reply", "anmeldung", "inscription", "inscriptions", "gepostet", "verfasst", "expires", "valid",
];

/// Labels of when an event is.
pub(crate) const WHEN: &[&str] = &[
    "when", "date and time", "date time", "time and date", "dates and times", "date", "dates", "day", "event date",
    "start date", "starts", "start", "wann", "termin", "termine", "datum", "datum und uhrzeit", "tag", "quand",
    "date et heure", "dates", "le", "fecha", "fecha y hora", "cuando", "dia", "data", "data e ora", "quando",
    "data e hora", "wanneer", "kiedy", "dato", "nar", "concert date", "performance date", "meeting date",
    "performance", "beginn", "zeitraum", "zeit", "debut",
];

/// Labels of the time at which an event begins.
pub(crate) const TIME: &[&str] = &[
    "start", "start time", "starts", "starts at", "begin", "begins", "beginning", "time", "times", "show", "show time",
    "showtime", "concert", "performance", "curtain", "curtain up", "kick off", "on stage", "beginn", "uhrzeit",
    "zeit", "anfang", "start um", "konzertbeginn", "heure", "horaire", "horaires", "debut", "debut du concert",
    "hora", "horario", "inicio", "comienzo", "ora", "orario", "inizio", "tijd", "aanvang", "godzina", "tid",
];

/// Labels of the time at which it ends.
pub(crate) const END: &[&str] = &[
    "end", "ends", "end time", "end date", "ends at", "finish", "until", "ende", "bis", "schluss", "fin", "heure de fin",
    "termina", "fine", "einde", "koniec", "curfew",
];

/// Words that lead to the time at which the doors open, which is not the beginning.
const DOORS: &[&str] = &[
    "doors", "door", "einlass", "portes", "puertas", "porte", "deuren", "entry", "admission", "ouverture", "apertura",
];

/// Labels of the venue.
pub(crate) const VENUE: &[&str] = &[
    "venue", "where", "location", "place", "meeting place", "event location", "room", "hall", "stage", "theatre", "theater",
    "ort", "wo", "veranstaltungsort", "spielort", "spielstatte", "raum", "saal", "buhne", "lokal", "lieu", "ou", "salle", "endroit",
    "lugar", "donde", "sede", "sala", "recinto", "luogo", "dove", "onde", "local", "plaats", "locatie", "waar",
    "miejsce", "gdzie", "sted", "plats", "meeting location", "konzertort",
];

/// Labels of the address.
pub(crate) const ADDRESS: &[&str] = &[
    "address", "venue address", "street address", "adresse", "anschrift", "direccion", "indirizzo", "endereco", "adres",
    "adresa", "getting there", "anfahrt",
];

/// Labels of the price.
pub(crate) const PRICE: &[&str] = &[
    "price", "prices", "ticket price", "ticket prices", "tickets", "ticket", "admission", "entry", "entrance", "cost", "fee",
    "entry fee", "price range", "preis", "preise", "eintritt", "eintrittspreis", "eintrittspreise", "karten", "kosten",
    "vorverkauf", "vvk", "abendkasse", "ticketpreis", "prix", "tarif", "tarifs", "entree", "billets", "precio",
    "precios", "entrada", "entradas", "prezzo", "prezzi", "ingresso", "biglietti", "preco", "bilhetes", "toegang",
    "prijs", "cena", "bilety", "pris",
];

/// Labels of who holds it.
pub(crate) const ORGANISER: &[&str] = &[
    "organiser", "organizer", "organisers", "organizers", "organised by", "organized by", "hosted by", "host", "presented by",
    "promoter", "promoted by", "held by", "veranstalter", "veranstalterin", "organisation", "organisateur",
    "organise par", "organizador", "organiza", "organizzatore", "organizzato da", "organizacja", "arrangor",
];

/// Labels of who is on the stage.
pub(crate) const PERFORMERS: &[&str] = &[
    "performer", "performers", "performed by", "artist", "artists", "line up", "lineup", "with", "featuring", "feat", "band",
    "bands", "speaker", "speakers", "presenter", "presenters", "lecturer", "musicians", "cast", "soloist", "soloists",
    "kunstler", "kunstlerin", "mitwirkende", "besetzung", "mit", "referent", "referentin", "referenten",
    "sprecher", "vortragende", "es spielen", "interpreten", "artiste", "artistes", "avec", "interpretes", "distribution",
    "intervenant", "intervenants", "artista", "artistas", "interpretes", "con", "ponente", "ponentes", "artisti",
    "interpreti", "relatore", "relatori", "uitvoerenden", "sprekers",
];

/// What is on links that lead on and name nothing.
const ACTIONS: &[&str] = &[
    "tickets", "ticket", "buy tickets", "buy", "buy now", "buy ticket", "book", "book now", "book tickets", "book online", "get tickets",
    "find tickets", "more", "more info", "more information", "info", "details", "detail", "view details", "view event", "view",
    "event details", "see details", "read more", "learn more", "find out more", "register", "register now", "rsvp", "sign up",
    "sold out", "map", "directions", "share", "add to calendar", "ical", "ics", "google calendar", "download", "agenda", "agendas",
    "minutes", "notice", "meeting notice", "pdf", "video", "watch", "packet", "agenda pdf", "minutes pdf", "mehr", "mehr info", "mehr infos", "mehr erfahren",
    "weiterlesen", "weitere informationen", "karten", "karten kaufen", "tickets kaufen", "jetzt buchen", "buchen", "zum termin",
    "anmelden", "plus", "en savoir plus", "plus d'infos", "plus d'informations", "lire la suite", "reserver", "billetterie", "billets", "acheter",
    "acheter des billets", "voir", "mas", "mas info", "mas informacion", "leer mas", "comprar", "comprar entradas", "entradas", "scopri di piu",
    "acquista", "biglietti", "dettagli", "leggi tutto", "saiba mais", "lees meer", "meer info", "wiecej", "cancelled", "canceled",
    "postponed", "abgesagt", "ausverkauft", "annule", "complet", "free", "new", "today", "tomorrow", "doors", "start", "time", "date", "venue",
    "location", "price", "when", "where", "save", "follow", "interested", "facebook", "twitter", "link", "website", "click here", "here",
    "next", "previous", "back", "home", "all events", "see all", "view all", "am", "um", "uhr", "from", "at", "bookmark", "print", "email",
];

/// Names that are no event's own.
const GENERIC: &[&str] = &[
    "events", "event", "calendar", "upcoming events", "past events", "all events", "event calendar", "events calendar", "upcoming",
    "schedule", "programme", "program", "programm", "whats on", "what's on", "agenda", "home", "homepage", "welcome", "veranstaltungen", "termine",
    "kalender", "spielplan", "veranstaltungskalender", "concerts", "konzerte", "shows", "gigs", "tour dates", "tour", "dates", "live",
    "evenements", "calendrier", "spectacles", "eventos", "eventi", "calendario", "tickets", "news", "archive", "minutes", "agendas", "search",
    "search results", "results", "menu", "navigation", "main menu", "contact", "about", "about us", "listings", "list of events",
    "agendas and minutes", "agendas minutes", "minutes and agendas", "this week", "today", "next week", "this month", "events list",
];

/// Words of which no event's own name is made alone: `2019 Meeting Schedule`, `View recorded meeting`.
const GENERIC_WORDS: &[&str] = &[
    "meeting", "meetings", "schedule", "schedules", "calendar", "date", "dates", "agenda", "agendas", "minutes", "upcoming", "past",
    "previous", "next", "future", "archive", "archives", "archived", "event", "events", "list", "and", "of", "the", "for", "all", "in", "our",
    "information", "info", "notice", "notices", "download", "view", "recorded", "recording", "video", "page", "materials", "documents",
    "current", "more", "additional", "click", "here", "to", "see", "summary", "details", "listing", "listings", "annual", "tba", "tbd",
    "time", "location", "icon", "pdf", "january", "february", "march", "april", "may", "june", "july", "august", "september",
    "october", "november", "december", "jan", "feb", "mar", "apr", "jun", "jul", "aug", "sep", "sept", "oct", "nov", "dec", "home",
    "termine", "veranstaltungen", "kommende", "vergangene", "kalender", "alle", "unsere", "und", "evenements", "calendrier", "a", "venir",
    "les", "prochains", "proximos", "eventos", "agenda",
];

/// Words beside the dates of meetings: what is handed out before and after.
const MEETING_WORDS: &[&str] = &[
    "minutes", "agenda", "meeting", "meetings", "hearing", "hearings", "notice", "packet", "protokoll", "tagesordnung", "sitzung",
];

/// Headings over what is beside the page's matter.
const RELATED: &[&str] = &[
    "related", "similar", "other", "also", "more", "upcoming", "further", "recommended", "ahnliche", "weitere", "auch", "autres", "aussi",
    "otros", "otras", "altri", "next", "previous", "nearby",
];

/// Words that say that something is not as planned, and the one word for each.
const STATUS: &[(&str, &[&str])] = &[
    ("cancelled", &["cancelled", "canceled", "cancellation", "abgesagt", "entfallt", "annule", "annulee", "cancelado", "cancelada", "annullato", "annullata", "geannuleerd", "afgelast", "odwolane", "aflyst", "installt", "eventcancelled"]),
    ("postponed", &["postponed", "verschoben", "reporte", "reportee", "aplazado", "aplazada", "pospuesto", "rinviato", "rinviata", "adiado", "uitgesteld", "udskudt", "eventpostponed"]),
    ("rescheduled", &["rescheduled", "verlegt", "reprogramme", "reprogramado", "riprogrammato", "verplaatst", "eventrescheduled"]),
    ("moved online", &["eventmovedonline"]),
    ("sold out", &["ausverkauft", "complet", "agotado", "agotadas", "esaurito", "esgotado", "uitverkocht", "wyprzedane", "udsolgt", "utsalt", "soldout"]),
];

/// Words that speak for an event in a record: something one buys or enters.
const TICKET_WORDS: &[&str] = &[
    "tickets", "ticket", "doors", "einlass", "admission", "eintritt", "rsvp", "karten", "billets", "billetterie", "entradas", "biglietti",
    "vvk", "abendkasse", "venue", "matinee", "beginn", "portes",
];

/// Words of a record that speak for something that was written on its date.
const POSTING_WORDS: &[&str] = &[
    "posted", "comments", "comment", "reply", "replies", "author", "published", "views", "likes", "verfasst", "kommentare", "kommentar",
    "commentaires", "publie", "comentarios", "permalink", "edited", "wrote",
];

fn is_one(words: &[&str], text: &str) -> bool {
    let folded = text::tokens(text).join(" ");
    words.contains(&folded.as_str())
}

fn has(words: &[&str], text: &str) -> bool {
    text::words(text).any(|word| words.contains(&text::fold_word(word).as_str()))
}

/// How many of the words of a path, a class or a heading speak for events, and how many for something else.
pub(crate) fn speaks(name: &str) -> (usize, usize) {
    let (mut events, mut others) = (0, 0);
    for word in crate::tree::words_of_name(name) {
        let word = text::fold_word(word);
        events += usize::from(EVENT_WORDS.contains(&word.as_str()));
        others += usize::from(OTHER_WORDS.contains(&word.as_str()));
    }
    (events, others)
}

/// Whether a text that stands before a date says that this is not when something takes place.
pub(crate) fn leads_aside(before: &str) -> bool {
    has(ASIDE_WORDS, before)
}

/// Whether a text leads to the time at which the doors open.
pub(crate) fn leads_to_doors(before: &str) -> bool {
    has(DOORS, before)
}

/// Whether a text only invites to click.
pub(crate) fn is_action(text: &str) -> bool {
    is_one(ACTIONS, text)
}

/// Whether a text names a page of events rather than one.
pub(crate) fn is_generic(name: &str) -> bool {
    let mut words = text::words(name).map(text::fold_word);
    let is_number = |word: &str| word.chars().all(|letter| letter.is_ascii_digit());
    is_one(GENERIC, name) || words.all(|word| is_number(&word) || GENERIC_WORDS.contains(&word.as_str()))
}

/// Whether a text talks of meetings and what is handed out there.
pub(crate) fn meets(text: &str) -> bool {
    has(MEETING_WORDS, text)
}

/// Whether a line with a time of day says at which all of a page's events begin.
pub(crate) fn leads_all(line: &str) -> bool {
    has(&["meetings", "meets", "meet", "held", "begin", "begins", "convene", "convenes", "beginn", "beginnen", "noted", "specified", "start", "starts"], line)
        && !has(&["office", "business", "phone", "call", "deadline", "submit", "comment", "comments"], line)
}

/// Whether a heading stands over what is beside the page's matter.
pub(crate) fn is_related(heading: &str) -> bool {
    text::words(heading)
        .next()
        .is_some_and(|word| RELATED.contains(&text::fold_word(word).as_str()))
        || has(&["related", "similar", "also", "ahnliche", "autres"], heading)
}

/// What a text says about an event that is not as planned.
pub(crate) fn status(text: &str) -> Option<&'static str> {
    let mut last = String::new();
    for word in text::words(text) {
        let word = text::fold_word(word);
        if last == "sold" && word == "out" {
            return Some("sold out");
        }
        if let Some((status, _)) = STATUS.iter().find(|(_, words)| words.contains(&word.as_str())) {
            return Some(status);
        }
        last = word;
    }
    None
}

/// Whether a property's name is that of an event's time.
pub(crate) fn is_date_name(name: &str) -> bool {
    crate::tree::words_of_name(name).any(|word| {
        ["startDate", "endDate", "date", "start", "end", "dtstart", "dtend"]
            .iter()
            .any(|known| word.eq_ignore_ascii_case(known))
    })
}

/// Whether a record talks of tickets and doors.
pub(crate) fn sells(text: &str) -> bool {
    has(TICKET_WORDS, text)
}

/// Whether a record talks of authors and comments.
pub(crate) fn is_posting(text: &str) -> bool {
    has(POSTING_WORDS, text)
}

#[cfg(test)]
mod tests {
    use super::{is_action, is_generic, leads_to_doors, speaks, status};

    #[test]
    fn what_is_not_as_planned_is_told_in_one_word() {
        for (text, expected) in [
            ("CANCELED", Some("cancelled")),
            ("Das Konzert ist leider abgesagt.", Some("cancelled")),
            ("Reporté", Some("postponed")),
            ("Sold out!", Some("sold out")),
            ("https://schema.org/EventPostponed", Some("postponed")),
            ("https://schema.org/EventScheduled", None),
            ("Out of the blue, sold here", None),
        ] {
            assert_eq!(status(text), expected, "{text}");
        }
    }

    #[test]
    fn invitations_name_nothing() {
        assert!(is_action("Buy tickets »"));
        assert!(is_action("Plus d’infos"));
        assert!(!is_action("Tickets to Nowhere"));
        assert!(is_generic("What's on"));
        assert!(is_generic("2019 Meeting Schedule"));
        assert!(!is_generic("Board meeting"));
    }

    #[test]
    fn names_speak_for_events_or_for_something_else() {
        assert_eq!(speaks("/events/night-music"), (1, 0));
        assert_eq!(speaks("/blog/2026/05/the-event"), (1, 1));
        assert!(leads_to_doors("Einlass:"));
    }
}
