//! Eight languages.

use super::Language;

/// All of them. English is first: a third of the sites are in English.
pub(crate) static LANGUAGES: [Language; 8] = [ENGLISH, GERMAN, FRENCH, SPANISH, ITALIAN, DUTCH, PORTUGUESE, SWEDISH];

const ENGLISH: Language = Language {
    code: "en",
    months: [
        "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
        "December",
    ],
    months_short: ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"],
    weekdays: ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"],
    weekdays_short: ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"],
    has_decimal_comma: false,
    name: "English",
    at: "at",
    words: [
        "Home", "Next", "Previous", "Search", "Your search found nothing", "results", "You may also like",
        "Categories", "News", "Forum", "Help", "About us", "Log in", "Basket", "Comments", "Archive", "Sort by",
        "Read more", "This page could not be found", "All", "Reply", "Price", "Newest", "Overview", "Print version",
        "Today", "In stock", "Sold out", "Cancelled",
    ],
};

const GERMAN: Language = Language {
    code: "de",
    months: [
        "Januar", "Februar", "März", "April", "Mai", "Juni", "Juli", "August", "September", "Oktober", "November",
        "Dezember",
    ],
    months_short: ["Jan.", "Feb.", "März", "Apr.", "Mai", "Juni", "Juli", "Aug.", "Sept.", "Okt.", "Nov.", "Dez."],
    weekdays: ["Montag", "Dienstag", "Mittwoch", "Donnerstag", "Freitag", "Samstag", "Sonntag"],
    weekdays_short: ["Mo", "Di", "Mi", "Do", "Fr", "Sa", "So"],
    has_decimal_comma: true,
    name: "Deutsch",
    at: "um",
    words: [
        "Startseite", "Weiter", "Zurück", "Suche", "Ihre Suche ergab keine Treffer", "Treffer",
        "Das könnte Sie auch interessieren", "Kategorien", "Aktuelles", "Forum", "Hilfe", "Über uns", "Anmelden",
        "Warenkorb", "Kommentare", "Archiv", "Sortieren nach", "Mehr", "Diese Seite wurde nicht gefunden", "Alle",
        "Antworten", "Preis", "Neueste", "Übersicht", "Druckansicht", "Heute", "Auf Lager", "Ausverkauft", "Abgesagt",
    ],
};

const FRENCH: Language = Language {
    code: "fr",
    months: [
        "janvier", "février", "mars", "avril", "mai", "juin", "juillet", "août", "septembre", "octobre", "novembre",
        "décembre",
    ],
    months_short: [
        "janv.", "févr.", "mars", "avr.", "mai", "juin", "juil.", "août", "sept.", "oct.", "nov.", "déc.",
    ],
    weekdays: ["lundi", "mardi", "mercredi", "jeudi", "vendredi", "samedi", "dimanche"],
    weekdays_short: ["lun.", "mar.", "mer.", "jeu.", "ven.", "sam.", "dim."],
    has_decimal_comma: true,
    name: "Français",
    at: "à",
    words: [
        "Accueil", "Suivant", "Précédent", "Rechercher", "Aucun résultat", "résultats", "Vous aimerez aussi",
        "Rubriques", "Actualités", "Forum", "Aide", "Qui sommes-nous", "Connexion", "Panier", "Commentaires",
        "Archives", "Trier par", "Lire la suite", "Cette page est introuvable", "Tout", "Répondre", "Prix",
        "Nouveautés", "Sommaire", "Version imprimable", "Aujourd'hui", "En stock", "Complet", "Annulé",
    ],
};

const SPANISH: Language = Language {
    code: "es",
    months: [
        "enero", "febrero", "marzo", "abril", "mayo", "junio", "julio", "agosto", "septiembre", "octubre",
        "noviembre", "diciembre",
    ],
    months_short: ["ene", "feb", "mar", "abr", "may", "jun", "jul", "ago", "sep", "oct", "nov", "dic"],
    weekdays: ["lunes", "martes", "miércoles", "jueves", "viernes", "sábado", "domingo"],
    weekdays_short: ["lun", "mar", "mié", "jue", "vie", "sáb", "dom"],
    has_decimal_comma: true,
    name: "Español",
    at: "a las",
    words: [
        "Inicio", "Siguiente", "Anterior", "Buscar", "No hay resultados", "resultados", "También te puede gustar",
        "Categorías", "Noticias", "Foro", "Ayuda", "Quiénes somos", "Iniciar sesión", "Cesta", "Comentarios",
        "Archivo", "Ordenar por", "Leer más", "Esta página no existe", "Todo", "Responder", "Precio", "Novedades",
        "Resumen", "Versión para imprimir", "Hoy", "En existencias", "Agotado", "Cancelado",
    ],
};

const ITALIAN: Language = Language {
    code: "it",
    months: [
        "gennaio", "febbraio", "marzo", "aprile", "maggio", "giugno", "luglio", "agosto", "settembre", "ottobre",
        "novembre", "dicembre",
    ],
    months_short: ["gen", "feb", "mar", "apr", "mag", "giu", "lug", "ago", "set", "ott", "nov", "dic"],
    weekdays: ["lunedì", "martedì", "mercoledì", "giovedì", "venerdì", "sabato", "domenica"],
    weekdays_short: ["lun", "mar", "mer", "gio", "ven", "sab", "dom"],
    has_decimal_comma: true,
    name: "Italiano",
    at: "alle",
    words: [
        "Pagina iniziale", "Avanti", "Indietro", "Cerca", "Nessun risultato", "risultati", "Potrebbe piacerti anche",
        "Categorie", "Notizie", "Forum", "Aiuto", "Chi siamo", "Accedi", "Carrello", "Commenti", "Archivio",
        "Ordina per", "Leggi tutto", "Pagina non trovata", "Tutti", "Rispondi", "Prezzo", "Novità", "Indice",
        "Versione stampabile", "Oggi", "Disponibile", "Esaurito", "Annullato",
    ],
};

const DUTCH: Language = Language {
    code: "nl",
    months: [
        "januari", "februari", "maart", "april", "mei", "juni", "juli", "augustus", "september", "oktober",
        "november", "december",
    ],
    months_short: ["jan", "feb", "mrt", "apr", "mei", "jun", "jul", "aug", "sep", "okt", "nov", "dec"],
    weekdays: ["maandag", "dinsdag", "woensdag", "donderdag", "vrijdag", "zaterdag", "zondag"],
    weekdays_short: ["ma", "di", "wo", "do", "vr", "za", "zo"],
    has_decimal_comma: true,
    name: "Nederlands",
    at: "om",
    words: [
        "Begin", "Volgende", "Vorige", "Zoeken", "Niets gevonden", "resultaten", "Bekijk ook", "Rubrieken", "Nieuws",
        "Forum", "Hulp", "Over ons", "Inloggen", "Winkelwagen", "Reacties", "Archief", "Sorteer op", "Lees verder",
        "Deze pagina bestaat niet", "Alles", "Reageren", "Prijs", "Nieuwste", "Overzicht", "Afdrukken", "Vandaag",
        "Op voorraad", "Uitverkocht", "Afgelast",
    ],
};

const PORTUGUESE: Language = Language {
    code: "pt",
    months: [
        "janeiro", "fevereiro", "março", "abril", "maio", "junho", "julho", "agosto", "setembro", "outubro",
        "novembro", "dezembro",
    ],
    months_short: ["jan", "fev", "mar", "abr", "mai", "jun", "jul", "ago", "set", "out", "nov", "dez"],
    weekdays: [
        "segunda-feira", "terça-feira", "quarta-feira", "quinta-feira", "sexta-feira", "sábado", "domingo",
    ],
    weekdays_short: ["seg", "ter", "qua", "qui", "sex", "sáb", "dom"],
    has_decimal_comma: true,
    name: "Português",
    at: "às",
    words: [
        "Página inicial", "Seguinte", "Anterior", "Pesquisar", "Nada foi encontrado", "resultados",
        "Poderá gostar também", "Categorias", "Notícias", "Fórum", "Ajuda", "Quem somos", "Entrar", "Carrinho",
        "Comentários", "Arquivo", "Ordenar por", "Ler mais", "Página não encontrada", "Tudo", "Responder", "Preço",
        "Novidades", "Resumo", "Versão para impressão", "Hoje", "Em stock", "Esgotado", "Cancelado",
    ],
};

const SWEDISH: Language = Language {
    code: "sv",
    months: [
        "januari", "februari", "mars", "april", "maj", "juni", "juli", "augusti", "september", "oktober", "november",
        "december",
    ],
    months_short: ["jan", "feb", "mars", "apr", "maj", "juni", "juli", "aug", "sep", "okt", "nov", "dec"],
    weekdays: ["måndag", "tisdag", "onsdag", "torsdag", "fredag", "lördag", "söndag"],
    weekdays_short: ["mån", "tis", "ons", "tors", "fre", "lör", "sön"],
    has_decimal_comma: true,
    name: "Svenska",
    at: "kl.",
    words: [
        "Start", "Nästa", "Föregående", "Sök", "Inga träffar", "träffar", "Du kanske också gillar", "Kategorier",
        "Nyheter", "Forum", "Hjälp", "Om oss", "Logga in", "Varukorg", "Kommentarer", "Arkiv", "Sortera efter",
        "Läs mer", "Sidan finns inte", "Alla", "Svara", "Pris", "Senaste", "Översikt", "Utskriftsversion", "I dag",
        "I lager", "Slutsåld", "Inställt",
    ],
};
