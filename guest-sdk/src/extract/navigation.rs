//! Words of the navigation of sites.

crate::word_lists! { "navigation.txt";
    NAVIGATION: WordList = "navigation";
}

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
    use super::is_navigation;

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
