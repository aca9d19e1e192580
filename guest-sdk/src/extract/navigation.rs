//! Words of the navigation of sites.

use magpie_values::text::WordList;

/// Texts of links and labels that lead around a site, in many languages, folded. They are whole
/// texts: `Home`, but not `Home of Jazz`.
const WORDS: &[&str] = &[
    // The first page.
    "home",
    "home page",
    "homepage",
    "start page",
    "startpage",
    "main page",
    "front page",
    "frontpage",
    "accueil",
    "page daccueil",
    "retour a laccueil",
    "startseite",
    "zur startseite",
    "hauptseite",
    "inicio",
    "pagina de inicio",
    "pagina principal",
    "pagina inicial",
    "portada",
    "inici",
    "pagina iniziale",
    "pagina principale",
    "homepagina",
    "startpagina",
    "hoofdpagina",
    "forside",
    "forsiden",
    "til forsiden",
    "hjem",
    "hem",
    "startsida",
    "startsidan",
    "forstasidan",
    "etusivu",
    "forsida",
    "strona glowna",
    "strona domowa",
    "domovska stranka",
    "uvodni stranka",
    "uvodni strana",
    "hlavni stranka",
    "hlavni strana",
    "domu",
    "uvod",
    "domov",
    "uvodna stranka",
    "hlavna stranka",
    "kezdolap",
    "fooldal",
    "kezdooldal",
    "nyitolap",
    "acasa",
    "prima pagina",
    "pagina de start",
    "pocetna",
    "pocetna stranica",
    "naslovnica",
    "naslovna",
    "prva stran",
    "avaleht",
    "esileht",
    "sakums",
    "sakumlapa",
    "pagrindinis",
    "pagrindinis puslapis",
    "titulinis",
    "anasayfa",
    "ana sayfa",
    "trang chu",
    "beranda",
    "laman utama",
    "halaman utama",
    "главная",
    "главная страница",
    "на главную",
    "головна",
    "начало",
    "начална страница",
    "почетна",
    "αρχικη",
    "αρχικη σελιδα",
    // Breadcrumbs.
    "breadcrumb",
    "breadcrumbs",
    "you are here",
    "vous etes ici",
    "fil dariane",
    "sie sind hier",
    "sie befinden sich hier",
    "du bist hier",
    "brotkrumen",
    "estas aqui",
    "usted esta aqui",
    "se encuentra usted aqui",
    "voce esta aqui",
    "esta aqui",
    "sei qui",
    "ti trovi qui",
    "tu sei qui",
    "u bent hier",
    "je bent hier",
    "kruimelpad",
    "du er her",
    "du ar har",
    "olet tassa",
    "jestes tutaj",
    "tu jestes",
    "nachazite se zde",
    "nachadzate sa tu",
    "itt vagy",
    "esti aici",
    "vi ste ovdje",
    "buradasiniz",
    "вы здесь",
    "ви тут",
    // Menus.
    "categories",
    "kategorien",
    "rubriques",
    "categorias",
    "categorie",
    "kategorie",
    "kategorier",
    "kategoriat",
    "категории",
    "menu",
    "main menu",
    "navigation",
    "main navigation",
    "site navigation",
    "toggle navigation",
    "hauptmenu",
    "hauptnavigation",
    "menu principal",
    "navigation principale",
    "menu principale",
    "navegacion",
    "navegacion principal",
    "navegacao",
    "navigazione",
    "hoofdmenu",
    "navigatie",
    "hovedmenu",
    "hovedmeny",
    "meny",
    "huvudmeny",
    "valikko",
    "paavalikko",
    "nawigacja",
    "navigace",
    "navigacia",
    "menu glowne",
    "hlavni menu",
    "fomenu",
    "meniu",
    "izbornik",
    "glavni izbornik",
    "меню",
    "навигация",
    // Jumps within a page.
    "skip to content",
    "skip to main content",
    "zum inhalt",
    "zum inhalt springen",
    "aller au contenu",
    "aller au contenu principal",
    "saltar al contenido",
    "ir al contenido",
    "vai al contenuto",
    "salta al contenuto",
    "ir para o conteudo",
    "pular para o conteudo",
    "ga naar de inhoud",
    "naar de inhoud",
    "back to top",
    "nach oben",
    "retour en haut",
    "haut de page",
    "volver arriba",
    "torna su",
    "voltar ao topo",
    "naar boven",
    "til toppen",
    "do gory",
    "nahoru",
    // Pages that every site has.
    "sitemap",
    "site map",
    "plan du site",
    "mapa del sitio",
    "mappa del sito",
    "mapa do site",
    "impressum",
    "imprint",
    "mentions legales",
    "aviso legal",
    "datenschutz",
    "privacy policy",
    "about us",
    "uber uns",
    "qui sommes nous",
    "a propos",
    "sobre nosotros",
    "quienes somos",
    "chi siamo",
    "sobre nos",
    "over ons",
    "om oss",
    "om os",
    "contact us",
    "contactez nous",
    "log in",
    "login",
    "sign in",
    "anmelden",
    "einloggen",
    "connexion",
    "se connecter",
    "iniciar sesion",
    "accedi",
    "entrar",
    "inloggen",
    "logga in",
    "logg inn",
    "log ind",
];

static NAVIGATION: WordList = WordList::new(WORDS);

/// Returns true if a text leads around its site and names nothing else: `Home`, `Accueil`, `Menu`,
/// `You are here:`, or a breadcrumb such as `Home » Concerts`. Such a text is no venue, brand,
/// author or publisher, wherever it is found.
///
/// ```
/// use magpie_sdk::extract::is_navigation;
///
/// assert!(is_navigation("Strona główna »"));
/// assert!(!is_navigation("Home of Jazz"));
/// ```
#[must_use]
pub fn is_navigation(text: &str) -> bool {
    /// Maximum length of a text to compare, in bytes; all words are shorter.
    const MAX_BYTES: usize = 80;
    /// Marks between the parts of a breadcrumb.
    const MARKS: [char; 7] = ['»', '›', '>', '/', '→', '|', '·'];
    let is_one = |text: &str| text.len() <= MAX_BYTES && NAVIGATION.is(text);
    let is_path = || {
        let path = text.trim_start().split_once(MARKS);
        path.is_some_and(|(first, rest)| !rest.trim().is_empty() && is_one(first))
    };
    is_one(text) || is_path()
}

#[cfg(test)]
mod tests {
    use magpie_values::text;

    use super::{WORDS, is_navigation};

    #[test]
    fn words_are_folded() {
        for word in WORDS {
            assert_eq!(text::bare(word), *word);
        }
    }

    #[test]
    fn links_around_a_site_are_recognised_in_many_languages() {
        for text in [
            "HOME",
            "Accueil",
            "Retour à l’accueil",
            "Zur Startseite",
            "« Página principal",
            "Strona główna",
            "Főoldal",
            "Úvod",
            "Forsíða",
            "Trang chủ",
            "Главная",
            "Αρχική",
            "Sie sind hier:",
            "Qui sommes-nous ?",
            "Startseite » Konzerte",
            "Accueil / Salle Verte",
            "Home > Books > Poetry",
        ] {
            assert!(is_navigation(text), "{text}");
        }
        for text in [
            "Home of Jazz",
            "Old Mill",
            "Menu Records",
            "Haus am See",
            "",
            "Start",
            "Old Mill / Home",
        ] {
            assert!(!is_navigation(text), "{text}");
        }
    }
}
