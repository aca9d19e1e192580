//! A person's name: `Ludwig van Beethoven`, `Tolkien, J. R. R.`, `Dr. Martin Luther King Jr.`

use std::fmt;

use super::compare::similarity_in_order;
use super::lists::{PARTICLES, SUFFIXES, TITLES};
use crate::similarity::soft_tokens;
use crate::text::{fold, fold_word, is_unspaced_script, tidy, truncate};

/// The longest name that is read; longer texts are sentences.
const LONGEST: usize = 160;

/// A name in its parts. Displays in speaking order: title, given names, particles, family name,
/// suffix.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct PersonName {
    /// `Dr.`, `Prof. Dr.`
    pub title: String,
    /// Given names and initials.
    pub given: String,
    /// `van`, `de la`: written with the family name, ignored when comparing.
    pub particles: String,
    /// The family name, or the only name there is.
    pub family: String,
    /// `Jr.`, `III`
    pub suffix: String,
}

impl PersonName {
    /// Takes a name apart. None when there is no letter in it, or it is too long for a name.
    ///
    /// A comma puts the family name first, unless what follows it is a suffix. Otherwise the last
    /// word, with the particles before it, is the family name.
    ///
    /// ```
    /// use magpie_values::name::PersonName;
    ///
    /// let name = PersonName::parse("Beethoven, Ludwig van").unwrap();
    /// assert_eq!(name.to_string(), "Ludwig van Beethoven");
    /// ```
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        // One more than is allowed, and room for what tidying takes away.
        let text = tidy(truncate(text, 2 * LONGEST));
        if text.len() > LONGEST || !text.contains(char::is_alphabetic) {
            return None;
        }
        if !text.contains([' ', ',']) {
            return Some(one_word(&text));
        }
        let parts: Vec<&str> = text
            .split(',')
            .map(str::trim)
            .filter(|part| !part.is_empty())
            .collect();
        let (suffixes, names): (Vec<&str>, Vec<&str>) =
            // Suffixes may stand on either side of the comma.
            parts.into_iter().partition(|part| part.split(' ').all(is_suffix));
        let mut name = match names.as_slice() {
            [] => one_word(&text),
            [whole] => in_speaking_order(whole),
            [family, given, ..] => family_first(family, given),
        };
        if !suffixes.is_empty() {
            let own = std::mem::take(&mut name.suffix);
            name.suffix = joined(std::iter::once(own.as_str()).chain(suffixes.iter().copied()));
        }
        (!name.family.is_empty()).then_some(name)
    }

    /// `Beethoven, Ludwig van`: for lists in order.
    #[must_use]
    pub fn sorted(&self) -> String {
        let given = joined([self.given.as_str(), self.particles.as_str()]);
        let suffix = if self.suffix.is_empty() {
            String::new()
        } else {
            format!(", {}", self.suffix)
        };
        if given.is_empty() {
            format!("{}{suffix}", self.family)
        } else {
            format!("{}, {given}{suffix}", self.family)
        }
    }

    /// A key under which the spellings of one name meet: the folded family name and the first
    /// initial.
    #[must_use]
    pub fn key(&self) -> String {
        let initial: String = fold(&self.given)
            .chars()
            .find(|character| character.is_alphabetic())
            .into_iter()
            .collect();
        let family: String = fold(&self.family)
            .chars()
            .filter(|character| character.is_alphanumeric())
            .collect();
        if initial.is_empty() {
            family
        } else {
            format!("{family} {initial}")
        }
    }

    /// Similarity of two names of persons, from 0 to 1. Family names must nearly agree; given names
    /// may be initials or missing, but must not contradict. Names in the other order (family first
    /// without a comma, as in East Asia) score nearly as high.
    #[must_use]
    pub fn similarity(&self, other: &Self) -> f64 {
        const OTHER_ORDER: f64 = 0.95;
        let straight = similarity_in_order(self, other);
        let (own, others) = (self.bare(), other.bare());
        let all_words = soft_tokens(&own, &others);
        let same_words = {
            let sorted = |text: &str| {
                let mut words = crate::text::tokens(text);
                words.sort_unstable();
                words
            };
            sorted(&own) == sorted(&others)
        };
        if same_words {
            straight.max(all_words * OTHER_ORDER)
        } else {
            straight
        }
    }

    /// Given names, particles and family name.
    fn bare(&self) -> String {
        joined([self.given.as_str(), self.particles.as_str(), self.family.as_str()])
    }
}

impl fmt::Display for PersonName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = [
            &self.title,
            &self.given,
            &self.particles,
            &self.family,
            &self.suffix,
        ];
        // Chinese and Japanese names carry no spaces.
        formatter.write_str(&joined(parts.into_iter().map(String::as_str)))
    }
}

fn one_word(text: &str) -> PersonName {
    let mut characters = text.chars();
    let east_asian = (2..=4).contains(&text.chars().count()) && text.chars().all(is_unspaced_script);
    if east_asian {
        // One-character family names are by far the most common in Chinese; Japanese ones mostly
        // have two.
        let family: String = characters
            .by_ref()
            .take(if text.chars().count() == 4 { 2 } else { 1 })
            .collect();
        return PersonName {
            given: characters.collect(),
            family,
            ..PersonName::default()
        };
    }
    PersonName {
        family: text.to_owned(),
        ..PersonName::default()
    }
}

fn in_speaking_order(text: &str) -> PersonName {
    let mut words: Vec<&str> = text.split(' ').collect();
    let title = take_titles(&mut words);
    let suffix = take_suffixes(&mut words);
    let Some(last) = words.pop() else {
        return PersonName {
            family: joined([title.as_str(), suffix.as_str()]),
            ..PersonName::default()
        };
    };
    let mut first_particle = words.len();
    // The first word stays a given name, even if it looks like a particle.
    while first_particle > 1 && is_particle(words[first_particle - 1]) {
        first_particle -= 1;
    }
    if first_particle == 1
        && title.is_empty()
        && words
            .first()
            .is_some_and(|word| is_particle(word) && starts_small(word))
    {
        first_particle = 0;
    }
    let particles = words.split_off(first_particle.min(words.len()));
    PersonName {
        title,
        given: joined(words),
        particles: joined(particles),
        family: unshouted(last),
        suffix,
    }
}

fn family_first(family: &str, given: &str) -> PersonName {
    let mut family_words: Vec<&str> = family.split(' ').collect();
    let suffix = take_suffixes(&mut family_words);
    let mut leading = 0;
    while leading + 1 < family_words.len() && is_particle(family_words[leading]) {
        leading += 1;
    }
    let family = family_words.split_off(leading);
    let mut given_words: Vec<&str> = given.split(' ').collect();
    let title = take_titles(&mut given_words);
    let given_suffix = take_suffixes(&mut given_words);
    let mut trailing = given_words.len();
    // In this order a particle is in lower case: `Ludwig van`, but `Vincent Van`.
    while trailing > 1 && is_particle(given_words[trailing - 1]) && starts_small(given_words[trailing - 1]) {
        trailing -= 1;
    }
    let particles = given_words.split_off(trailing);
    PersonName {
        title,
        given: joined(given_words),
        particles: joined(particles.into_iter().chain(family_words)),
        family: unshouted(&joined(family)),
        suffix: joined([suffix.as_str(), given_suffix.as_str()]),
    }
}

/// Takes titles from the front, but leaves at least one word.
fn take_titles(words: &mut Vec<&str>) -> String {
    let is_title = |word: &&str| {
        let folded = fold_word(word.trim_end_matches('.'));
        let pointed =
            word.ends_with('.') || folded.len() > 2 || matches!(folded.as_str(), "dr" | "mr" | "ms" | "mx");
        // `M. Night` and `St. John` are names far more often than titles.
        pointed
            && folded.len() > 1
            && !matches!(folded.as_str(), "st")
            && TITLES.contains(&folded.as_str())
            && (word.ends_with('.')
                || !matches!(
                    folded.as_str(),
                    "don" | "gen" | "ing" | "mag" | "col" | "lord" | "fr" | "sr"
                ))
    };
    let count = words
        .iter()
        .take_while(|word| is_title(word))
        .count()
        .min(words.len().saturating_sub(1));
    joined(words.drain(..count))
}

fn take_suffixes(words: &mut Vec<&str>) -> String {
    let mut at = words.len();
    // A name of two words keeps both, since the second may be a family name.
    while at > 2 && is_suffix(words[at - 1]) {
        at -= 1;
    }
    joined(words.split_off(at))
}

fn is_suffix(word: &str) -> bool {
    let plain: String = fold_word(word)
        .chars()
        .filter(|character| *character != '.')
        .collect();
    // `MA` and `BA` need their capitals: Ma is a family name.
    let degree = matches!(plain.as_str(), "ma" | "ba")
        && word
            .chars()
            .filter(|character| character.is_alphabetic())
            .any(char::is_lowercase);
    SUFFIXES.contains(&plain.as_str()) && !degree
}

fn is_particle(word: &str) -> bool {
    PARTICLES.contains(&fold_word(word).trim_end_matches('.'))
}

fn starts_small(word: &str) -> bool {
    word.starts_with(char::is_lowercase)
}

/// `TOLKIEN` becomes `Tolkien`; short names in capitals may be initials and stay.
fn unshouted(word: &str) -> String {
    let letters = word.chars().filter(|character| character.is_alphabetic()).count();
    let shouted = letters > 3 && word.chars().all(|character| !character.is_lowercase());
    if !shouted || !word.contains(|character: char| character.is_uppercase()) {
        return word.to_owned();
    }
    let mut plain = String::with_capacity(word.len());
    let mut inside = false;
    for character in word.chars() {
        if inside {
            plain.extend(character.to_lowercase());
        } else {
            plain.push(character);
        }
        inside = character.is_alphabetic();
    }
    plain
}

fn joined<'part>(parts: impl IntoIterator<Item = &'part str>) -> String {
    let mut text = String::new();
    for part in parts.into_iter().filter(|part| !part.is_empty()) {
        if !text.is_empty() {
            text.push(' ');
        }
        text.push_str(part);
    }
    text
}
