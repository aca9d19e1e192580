//! Phrases of calendars, articles and themes, by language.

#[derive(Debug)]
pub(crate) struct Phrases {
    /// Before a month or day in the title of a calendar.
    pub(crate) events_for: &'static str,
    /// Singular and plural of "event", after counts.
    pub(crate) events: [&'static str; 2],
    pub(crate) calendar: &'static str,
    /// Text of an empty month.
    pub(crate) no_events: &'static str,
    pub(crate) this_month: &'static str,
    /// Titles of articles; `#` is the number of events, `@` the month.
    pub(crate) round_ups: [&'static str; 3],
    /// Before the first and the last day of a range.
    pub(crate) from_to: [&'static str; 2],
    /// Before a single day within a sentence.
    pub(crate) on: &'static str,
    /// Text in place of a price.
    pub(crate) on_request: &'static str,
    /// Titles of the sample page and of the first post of a theme.
    pub(crate) samples: [&'static str; 2],
    /// Names of the sample event, book and product of a theme.
    pub(crate) sample_objects: [&'static str; 3],
}

/// The phrases of all languages, in the order of [`super::LANGUAGES`].
pub(crate) static PHRASES: [Phrases; 8] = [
    Phrases {
        events_for: "Events for",
        events: ["event", "events"],
        calendar: "Calendar of Events",
        no_events: "There are no upcoming events.",
        this_month: "This Month",
        round_ups: [
            "Our # favourite festivals this @",
            "# fairs you should not miss in @",
            "@ events round-up",
        ],
        from_to: ["from", "through"],
        on: "on",
        on_request: "Price on request",
        samples: ["Sample Page", "Hello world!"],
        sample_objects: ["Sample Event", "Book Title", "Sample product title"],
    },
    Phrases {
        events_for: "Veranstaltungen für",
        events: ["Veranstaltung", "Veranstaltungen"],
        calendar: "Kalender von Veranstaltungen",
        no_events: "Es sind keine anstehenden Veranstaltungen vorhanden.",
        this_month: "Dieser Monat",
        round_ups: [
            "Unsere # liebsten Feste im @",
            "# Märkte, die man im @ sehen sollte",
            "Was im @ los ist",
        ],
        from_to: ["vom", "bis zum"],
        on: "am",
        on_request: "Preis auf Anfrage",
        samples: ["Beispiel-Seite", "Hallo Welt!"],
        sample_objects: ["Beispielveranstaltung", "Buchtitel", "Beispielprodukt"],
    },
    Phrases {
        events_for: "Évènements pour",
        events: ["évènement", "évènements"],
        calendar: "Calendrier des évènements",
        no_events: "Il n'y a pas d'évènements à venir.",
        this_month: "Ce mois-ci",
        round_ups: [
            "Nos # fêtes préférées en @",
            "# foires à ne pas manquer en @",
            "Les sorties de @",
        ],
        from_to: ["du", "au"],
        on: "le",
        on_request: "Prix sur demande",
        samples: ["Page d'exemple", "Bonjour tout le monde !"],
        sample_objects: [
            "Exemple d'évènement",
            "Titre du livre",
            "Exemple de titre de produit",
        ],
    },
    Phrases {
        events_for: "Eventos para",
        events: ["evento", "eventos"],
        calendar: "Calendario de Eventos",
        no_events: "No hay eventos próximos.",
        this_month: "Este mes",
        round_ups: [
            "Nuestras # fiestas favoritas de @",
            "# ferias imprescindibles en @",
            "Qué hacer en @",
        ],
        from_to: ["del", "al"],
        on: "el",
        on_request: "Precio a consultar",
        samples: ["Página de ejemplo", "¡Hola, mundo!"],
        sample_objects: [
            "Evento de ejemplo",
            "Título del libro",
            "Título de producto de muestra",
        ],
    },
    Phrases {
        events_for: "Eventi per",
        events: ["evento", "eventi"],
        calendar: "Calendario di Eventi",
        no_events: "Non ci sono eventi in programma.",
        this_month: "Questo mese",
        round_ups: [
            "Le nostre # feste preferite di @",
            "# fiere da non perdere a @",
            "Gli appuntamenti di @",
        ],
        from_to: ["dal", "al"],
        on: "il",
        on_request: "Prezzo su richiesta",
        samples: ["Pagina di esempio", "Ciao mondo!"],
        sample_objects: [
            "Evento di esempio",
            "Titolo del libro",
            "Titolo del prodotto di esempio",
        ],
    },
    Phrases {
        events_for: "Evenementen voor",
        events: ["evenement", "evenementen"],
        calendar: "Kalender van Evenementen",
        no_events: "Er zijn geen aankomende evenementen.",
        this_month: "Deze maand",
        round_ups: [
            "Onze # favoriete feesten in @",
            "# markten die je in @ niet mag missen",
            "De agenda van @",
        ],
        from_to: ["van", "tot en met"],
        on: "op",
        on_request: "Prijs op aanvraag",
        samples: ["Voorbeeldpagina", "Hallo wereld!"],
        sample_objects: ["Voorbeeldevenement", "Boektitel", "Voorbeeldproduct"],
    },
    Phrases {
        events_for: "Eventos para",
        events: ["evento", "eventos"],
        calendar: "Calendário de Eventos",
        no_events: "Não há eventos próximos.",
        this_month: "Este mês",
        round_ups: [
            "As nossas # festas favoritas de @",
            "# feiras a não perder em @",
            "O que fazer em @",
        ],
        from_to: ["de", "a"],
        on: "em",
        on_request: "Preço sob consulta",
        samples: ["Página de exemplo", "Olá, mundo!"],
        sample_objects: [
            "Evento de exemplo",
            "Título do livro",
            "Título do produto de exemplo",
        ],
    },
    Phrases {
        events_for: "Evenemang för",
        events: ["evenemang", "evenemang"],
        calendar: "Evenemangskalender",
        no_events: "Det finns inga kommande evenemang.",
        this_month: "Denna månad",
        round_ups: [
            "Våra # favoritfester i @",
            "# marknader du inte får missa i @",
            "Händer i @",
        ],
        from_to: ["från", "till"],
        on: "den",
        on_request: "Pris på begäran",
        samples: ["Exempelsida", "Hej världen!"],
        sample_objects: ["Exempelevenemang", "Boktitel", "Exempel på produktnamn"],
    },
];
