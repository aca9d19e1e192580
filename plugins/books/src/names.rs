//! Parsing of titles and names of people.

use magpie_sdk::Person;
use magpie_sdk::extract::is_navigation;
use magpie_sdk::name::{Credit, PersonName, parse_people};
use magpie_sdk::text;
use magpie_sdk::title::Title;

use crate::words::{OTHER_ROLES, PARTICLES};
use crate::work;

/// Maximum number of bytes of a list of people; longer texts are about them.
const MAX_PEOPLE_TEXT: usize = 300;

/// Maximum number of words of a name: `Gabriel José de la Concordia García Márquez` has seven.
const MAX_NAME_WORDS: usize = 7;

/// Maximum number of authors of a book.
const MAX_AUTHORS: usize = 30;

/// Maximum number of words of a binding in brackets, such as `Audio MP3 CD`; a series is longer.
const MAX_MEDIUM_WORDS: usize = 4;

/// Parts of a heading: the title, and what shops add to it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Heading {
    pub(crate) title: String,
    pub(crate) subtitle: Option<String>,
    pub(crate) edition: Option<String>,
    pub(crate) format: Option<String>,
}

/// Parses a title as published. Words of the edition and the series are part of the title and are
/// kept. A binding in brackets was added by the shop and is removed: `Deadly Desire (Mass Market
/// Paperback)`. A subtitle is split off at a colon between spaces, as catalogues write it; `Dust: A
/// History` may be one name.
pub(crate) fn heading(written: &str) -> Heading {
    let written = text::tidy(written);
    let parsed = Title::parse(&written);
    let bracket = written
        .rsplit_once(['(', '['])
        .and_then(|(_, rest)| rest.strip_suffix([')', ']']))
        .unwrap_or_default();
    let is_medium = text::words(bracket).count() <= MAX_MEDIUM_WORDS && work::medium(bracket).is_some();
    let format = if is_medium { bracket } else { &parsed.format };
    let bare = without(&written, format).filter(|title| !title.is_empty());
    let format = bare.is_some().then(|| format.to_owned());
    let title = bare.unwrap_or_else(|| written.clone());
    let (title, subtitle) = match title.split_once(" : ") {
        Some((main, more)) if has_letters(main) && has_letters(more) => (main.trim(), Some(more.trim())),
        _ => (title.as_str(), None),
    };
    Heading {
        title: title.to_owned(),
        subtitle: subtitle.map(str::to_owned),
        // Nested brackets belong to the series: `Saga (Saga (Collected Editions) #6)`.
        edition: Some(parsed.edition)
            .filter(|edition| !edition.is_empty() && !edition.contains(['(', '[']))
            .or_else(|| edition_behind(&written).map(str::to_owned)),
        format,
    }
}

/// Returns the edition that ends a title without a mark before it: `8th Edition` in `Dental Anatomy
/// 8th Edition`, `24e` in `General Medicine, 24e`.
fn edition_behind(title: &str) -> Option<&str> {
    let (before, last) = title.trim_end().rsplit_once([' ', ','])?;
    let is_short = last.len() <= 3 && last.ends_with(['e', 'E']);
    let start = if is_short {
        before.len() + 1
    } else {
        before.trim_end().rfind([' ', ','])? + 1
    };
    let edition = &title[start..].trim_end();
    let is_number = edition.starts_with(|first: char| first.is_ascii_digit());
    (is_number && work::edition_number(edition).is_some() && has_letters(&title[..start])).then_some(edition)
}

/// Parses a title whose subtitle the page marks up; see [`heading`].
pub(crate) fn heading_with_subtitle(written: &str, subtitle: &str) -> Heading {
    let Some(title) = written.strip_suffix(subtitle).filter(|title| has_letters(title)) else {
        return heading(written);
    };
    let (main, more) = (
        heading(title.trim_end_matches(MARKS)),
        heading(subtitle.trim_start_matches(MARKS)),
    );
    Heading {
        title: main.title,
        subtitle: Some(more.title).filter(|title| has_letters(title)),
        edition: main.edition.or(more.edition),
        format: more.format.or(main.format),
    }
}

/// Characters between a title and an addition.
const MARKS: [char; 8] = [',', '-', '–', '—', ':', '|', '/', ' '];

fn has_letters(written: &str) -> bool {
    written.contains(char::is_alphanumeric)
}

/// Returns the title without ` by AUTHOR` at its end.
pub(crate) fn without_author(title: &str, authors: &[Person]) -> String {
    // The author is at the end of the title, so the last of these words counts.
    let cut = [" by ", " von ", " par ", " de ", " di "]
        .iter()
        .filter_map(|word| Some((title.rfind(word)?, word.len())))
        .max();
    let Some((place, length)) = cut.filter(|(place, _)| *place > 0) else {
        return title.to_owned();
    };
    let (head, tail) = (&title[..place], &title[place + length..]);
    let named = PersonName::parse(tail);
    let is_author = |author: &Person| {
        let author = PersonName::parse(author);
        named
            .as_ref()
            .zip(author)
            .is_some_and(|(named, author)| named.similarity(&author) > 0.8)
    };
    if authors.iter().any(is_author) {
        head.trim_end_matches([',', ' ', '-', '–']).to_owned()
    } else {
        title.to_owned()
    }
}

/// Returns the authors in a text that names people, or nothing if it does not look like names.
pub(crate) fn authors(written: &str) -> Vec<Person> {
    let written = text::tidy(written);
    if written.len() > MAX_PEOPLE_TEXT {
        return Vec::new();
    }
    let credits = parse_people(&listed(&written));
    let wrote = |credit: &&Credit| {
        let role = text::fold(&credit.role);
        !OTHER_ROLES.iter().any(|other| role.starts_with(other))
    };
    // An anthology may only name its illustrator.
    let chosen: Vec<&Credit> = if credits.iter().any(|credit| wrote(&credit)) {
        credits.iter().filter(wrote).collect()
    } else {
        credits.iter().collect()
    };
    let names = chosen
        .into_iter()
        .map(|credit| credit.name.to_string())
        .filter(|name| is_name(name) && !is_navigation(name));
    let mut authors: Vec<Person> = Vec::new();
    for name in names.take(MAX_AUTHORS) {
        let name = Person::from(name);
        if !authors.contains(&name) {
            authors.push(name);
        }
    }
    authors
}

/// Replaces commas between full names by semicolons, which always separate people. `Ann Lee, Ben
/// Ray` are two people; `Le Guin, Ursula K.` is one.
fn listed(written: &str) -> String {
    let is_full = |part: &str| {
        let words: Vec<&str> = part
            .split(['(', '['])
            .next()
            .unwrap_or_default()
            .split_whitespace()
            .collect();
        let ends_in_initial = words
            .last()
            .is_some_and(|last| last.trim_end_matches('.').chars().count() == 1);
        let begins_small = words
            .first()
            .is_some_and(|first| PARTICLES.contains(&text::fold(first).as_str()));
        words.len() >= 2 && !ends_in_initial && !begins_small
    };
    if written.contains(';') || !written.split(',').all(is_full) {
        written.to_owned()
    } else {
        written.replace(',', ";")
    }
}

/// Returns true if a text may be a person's name: a few words, capitals if the script has them, no
/// digits.
fn is_name(name: &str) -> bool {
    let words = name.split_whitespace().count();
    let capital = name
        .chars()
        .any(|letter| letter.is_uppercase() || (letter.is_alphabetic() && !letter.is_lowercase()));
    let odd = name.contains(|one: char| {
        one.is_ascii_digit() || matches!(one, '@' | '|' | '!' | '?' | '{' | '/' | '$' | '€' | '£')
    });
    (1..=MAX_NAME_WORDS).contains(&words)
        && capital
        && !odd
        && name.chars().filter(|one| one.is_alphabetic()).count() > 1
}

/// Removes a part of a title and the signs that separate it. Returns `None` if the title does not
/// have the part, or only in the middle of words.
fn without(title: &str, part: &str) -> Option<String> {
    if part.is_empty() {
        return None;
    }
    let place = title.rfind(part)?;
    let (head, tail) = (
        title[..place].trim_end(),
        title[place + part.len()..].trim_start(),
    );
    let rest = match (head.strip_suffix(['(', '[']), tail.strip_prefix([')', ']'])) {
        (Some(head), Some(tail)) => format!("{head} {tail}"),
        _ if tail.is_empty() => head.to_owned(),
        _ => return None,
    };
    Some(text::tidy(rest.trim_end_matches(MARKS)))
}

#[cfg(test)]
mod tests {
    use super::{authors, heading, heading_with_subtitle, without_author};
    use magpie_sdk::Person;

    #[track_caller]
    fn people(written: &str, expected: &[&str]) {
        let found = authors(written);
        let found: Vec<&str> = found.iter().map(Person::as_str).collect();
        assert_eq!(found, expected, "{written}");
    }

    #[test]
    fn a_binding_comes_off_a_title_and_an_edition_stays() {
        let plain = heading("The Harbour Lights (Mass Market Paperback)");
        assert_eq!(plain.title, "The Harbour Lights");
        assert_eq!(plain.format.as_deref(), Some("Mass Market Paperback"));
        assert_eq!(
            heading("Ice (Audio MP3 CD)").format.as_deref(),
            Some("Audio MP3 CD")
        );
        assert_eq!(heading("Ice (Audio CD - Unabridged)").title, "Ice");
        let edition = heading("Soil Mechanics: An Introduction, 3rd Edition");
        assert_eq!(edition.title, "Soil Mechanics: An Introduction, 3rd Edition");
        assert_eq!(edition.edition.as_deref(), Some("3rd Edition"));
        assert_eq!(
            heading("Starving Hearts (Triangular Trade Trilogy, #1)").title,
            "Starving Hearts (Triangular Trade Trilogy, #1)"
        );
        for (title, edition) in [
            ("Woodland Anatomy 8th Edition", Some("8th Edition")),
            ("Woodland Medicine, 24e", Some("24e")),
            ("Woodland Botany 5E", Some("5E")),
            ("Waldkunde 3. Auflage", Some("3. Auflage")),
            ("The Blue 1e of Two", None),
            ("1984", None),
            ("The Last Edition", None),
        ] {
            assert_eq!(heading(title).edition.as_deref(), edition, "{title}");
            assert_eq!(heading(title).title, title);
        }
        assert_eq!(heading("Hardcover").title, "Hardcover");
        let nested = heading("Kelp, Volume 6 (Kelp (Collected Editions) #6)");
        assert_eq!(nested.title, "Kelp, Volume 6 (Kelp (Collected Editions) #6)");
        assert_eq!(nested.edition, None);
    }

    #[test]
    fn a_subtitle_comes_off_where_the_page_sets_it_apart() {
        let catalogue = heading("Foreign Tides : A Thriller (Hardcover)");
        assert_eq!(catalogue.title, "Foreign Tides");
        assert_eq!(catalogue.subtitle.as_deref(), Some("A Thriller"));
        assert_eq!(catalogue.format.as_deref(), Some("Hardcover"));
        assert_eq!(heading("Dust: A History").title, "Dust: A History");
        assert_eq!(heading("Dust: A History").subtitle, None);
        let marked = heading_with_subtitle("Dust A History, 2nd Edition", "A History, 2nd Edition");
        assert_eq!(marked.title, "Dust");
        assert_eq!(marked.subtitle.as_deref(), Some("A History, 2nd Edition"));
        assert_eq!(marked.edition.as_deref(), Some("2nd Edition"));
        assert_eq!(heading_with_subtitle("Dust", "Dust").title, "Dust");
    }

    #[test]
    fn lists_of_people_lose_those_who_did_not_write() {
        people("by Ann Lee, Ben Ray (Illustrator)", &["Ann Lee"]);
        people("Le Guin, Ursula K.", &["Ursula K. Le Guin"]);
        people("Ann Lee, Ben Ray", &["Ann Lee", "Ben Ray"]);
        people("Tolkien, J. R. R.", &["J. R. R. Tolkien"]);
        people("Ann Lee & Ben Ray", &["Ann Lee", "Ben Ray"]);
        people("12 reviews", &[]);
        people("", &[]);
    }

    #[test]
    fn an_author_comes_off_a_title() {
        let authors = [Person::from("Ann Lee")];
        assert_eq!(without_author("Night by Ann Lee", &authors), "Night");
        assert_eq!(without_author("Night by Night", &authors), "Night by Night");
    }
}
