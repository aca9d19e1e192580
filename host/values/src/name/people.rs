//! Lists of people, as under titles: `by A. Author (Author), B. Painter (Illustrator)`.

use super::PersonName;
use super::lists::{NO_PERSON, PEOPLE_OPENINGS};
use crate::text::{fold, tidy, truncate};

/// A person and what they did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Credit {
    /// Who.
    pub name: PersonName,
    /// Role as written: `Illustrator`. Empty if not stated.
    pub role: String,
}

/// Maximum number of bytes that are read.
const LONGEST: usize = 2000;

/// The most people of a list that are read.
const MAX_PEOPLE: usize = 100;

/// Splits a list of people. Roles in brackets come off; `A, B and C`, `A; B`, `A & B`, `A / B` and
/// `Last, First; Last, First` are understood, and `Last, First` alone is one person.
///
/// ```
/// use magpie_values::name::parse_people;
///
/// let people = parse_people("by Terry Pratchett and Neil Gaiman (Author)");
/// let names: Vec<String> = people.iter().map(|credit| credit.name.to_string()).collect();
/// assert_eq!(names, ["Terry Pratchett", "Neil Gaiman"]);
/// assert_eq!(people[1].role, "Author");
/// ```
#[must_use]
pub fn parse_people(text: &str) -> Vec<Credit> {
    let text = tidy(truncate(text, LONGEST));
    let text = without_others(without_opening(&text));
    let parts = split_list(text);
    parts.into_iter().filter_map(credit).take(MAX_PEOPLE).collect()
}

fn without_opening(text: &str) -> &str {
    let opening = PEOPLE_OPENINGS.iter().filter_map(|opening| {
        let head = text.get(..opening.len())?;
        let rest = &text[opening.len()..];
        let matches = fold(head) == *opening && rest.starts_with([' ', ':']);
        // `de` and `di` begin names as well: only in front of a capital.
        let rest = rest.trim_start_matches([' ', ':']);
        (matches && rest.starts_with(|first: char| !first.is_lowercase())).then_some((opening.len(), rest))
    });
    opening
        .max_by_key(|(length, _)| *length)
        .map_or(text, |(_, rest)| rest)
}

/// Cuts off `et al.` and what follows it.
fn without_others(text: &str) -> &str {
    let lower = text.to_ascii_lowercase();
    let cuts = [" et al", " and others", " u.a.", " u. a.", " et alii"]
        .iter()
        .filter_map(|words| lower.find(words));
    cuts.min()
        .map_or(text, |at| text[..at].trim_end_matches([',', ';', ' ']))
}

/// Splits at the strongest separator there is, and commas only when they do not divide one name.
fn split_list(text: &str) -> Vec<&str> {
    let strong: Vec<&str> = split_outside_brackets(text, &[";", " / ", "|", " · ", "•", "\u{3001}"]);
    if strong.len() > 1 {
        return strong.into_iter().flat_map(split_at_and).collect();
    }
    let commas = split_outside_brackets(text, &[","]);
    if commas.len() == 1 {
        return split_at_and(text);
    }
    if is_family_first(&commas) {
        return split_at_and(text);
    }
    commas
        .into_iter()
        .flat_map(|part| split_at_and(strip_and(part)))
        .collect()
}

/// Returns true if `A, B` is one name with the family name first: a single word (and particles)
/// before the comma, and no full name after it.
fn is_family_first(parts: &[&str]) -> bool {
    let words = |part: &str| part.split(' ').filter(|word| !word.is_empty()).count();
    let [family, given] = parts else {
        return matches!(parts, [_, _, suffix] if PersonName::parse(&format!("A B {suffix}")).is_some_and(|name| !name.suffix.is_empty()));
    };
    // `King, Jr.` has a comma before a suffix, not between two people.
    let suffix = PersonName::parse(&format!("A B, {given}"))
        .is_some_and(|name| name.given == "A" && !name.suffix.is_empty());
    let last = family.trim().rsplit(' ').next().unwrap_or_default();
    let particles_only = family
        .trim()
        .split(' ')
        .filter(|word| *word != last)
        .all(|word| word.starts_with(char::is_lowercase) || word.len() <= 3);
    suffix
        || words(family) == 1
        || particles_only && words(family) <= 3
        || words(given) == 1 && words(family) <= 2 && !given.contains(" and ")
}

fn strip_and(part: &str) -> &str {
    let part = part.trim();
    [
        "and ", "und ", "et ", "y ", "e ", "en ", "och ", "og ", "& ", "with ", "mit ",
    ]
    .iter()
    .find_map(|word| part.strip_prefix(word))
    .unwrap_or(part)
}

fn split_at_and(text: &str) -> Vec<&str> {
    split_outside_brackets(
        text,
        &[
            " and ", " und ", " et ", " & ", " y ", " och ", " og ", " + ", " with ",
        ],
    )
}

fn split_outside_brackets<'text>(text: &'text str, separators: &[&str]) -> Vec<&'text str> {
    let mut parts = Vec::new();
    let (mut depth, mut start, mut skip_to) = (0usize, 0, 0);
    for (at, character) in text.char_indices() {
        if at < skip_to {
            continue;
        }
        match character {
            '(' | '[' => depth += 1,
            ')' | ']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        let rest = &text[at..];
        // A separator in brackets belongs to the role.
        if depth > 0 || !rest.is_char_boundary(0) {
            continue;
        }
        if let Some(separator) = separators.iter().find(|separator| rest.starts_with(**separator)) {
            parts.push(text[start..at].trim());
            start = at + separator.len();
            skip_to = start;
        }
    }
    parts.push(text[start..].trim());
    parts.retain(|part| !part.is_empty());
    parts
}

/// One person with their role: `Ann Author (Author)`, `Illustrated by Ben`, `Ben [Ill.]`.
fn credit(part: &str) -> Option<Credit> {
    let (name, role) = match part.find(['(', '[']) {
        Some(at) => {
            let role = part[at + 1..].split([')', ']']).next().unwrap_or_default();
            (part[..at].trim(), role.trim().to_owned())
        }
        None => role_before(part),
    };
    let name = name.trim_matches([',', '.', ' ', ':']);
    if NO_PERSON.contains(&fold(name).as_str()) {
        return None;
    }
    // The point was trimmed with other marks, but it belongs to an initial or `Jr.`.
    let name = if part.contains(&format!("{name}.")) && ends_with_abbreviation(name) {
        format!("{name}.")
    } else {
        name.to_owned()
    };
    PersonName::parse(&name).map(|name| Credit { name, role })
}

fn ends_with_abbreviation(name: &str) -> bool {
    let last = name.rsplit(' ').next().unwrap_or_default();
    last.chars().count() == 1 || matches!(last, "Jr" | "Sr")
}

/// `Illustrated by Ben`, `Illustrator: Ben`
fn role_before(part: &str) -> (&str, String) {
    if let Some((role, name)) = part.split_once(" by ") {
        if role.split(' ').count() <= 3 {
            return (name.trim(), format!("{role} by"));
        }
    }
    match part.split_once(':') {
        Some((role, name)) if role.split(' ').count() <= 2 && !name.trim().is_empty() => {
            (name.trim(), role.trim().to_owned())
        }
        _ => (part, String::new()),
    }
}
