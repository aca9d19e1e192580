//! Titles of works and products: the name itself, and what is packed around it.

mod edition;
mod product;

pub use edition::Title;
pub use product::{Quantity, Unit, model_numbers, quantities};

use edition::{ARTICLES, numbered_parts};

use crate::similarity::{numbers_agree, soft_tokens, token_set};
use crate::text::{fold, tokens};

/// Key by which a title is compared and indexed: the folded words of its main part, without a
/// leading article, also one that was moved to the end (`Tempest, The`).
///
/// ```
/// use magpie_values::title::key;
///
/// assert_eq!(key("The Tempest: A Play (Hardcover)"), key("Tempest, The"));
/// ```
#[must_use]
pub fn key(title: &str) -> String {
    let title = Title::parse(title);
    let mut words = tokens(&title.main);
    if words.len() > 1 && ARTICLES.contains(&words[0].as_str()) {
        words.remove(0);
    }
    words.join(" ")
}

/// Returns true if two titles name different parts of one work: `Anatomy, Volume 6, Part I: Arms`
/// and `Anatomy, Volume 6, Part II: Legs`.
///
/// ```
/// use magpie_values::title::are_other_parts;
///
/// assert!(are_other_parts("Saga, Vol. 3", "Saga, Volume 4: War"));
/// assert!(!are_other_parts("Saga", "Saga, Volume 4: War"));
/// ```
#[must_use]
pub fn are_other_parts(left: &str, right: &str) -> bool {
    let right = numbered_parts(right);
    numbered_parts(left).iter().any(|(word, number)| {
        let mut same = right.iter().filter(|(other, _)| other == word).peekable();
        same.peek().is_some() && same.all(|(_, other)| other != number)
    })
}

/// Probability that two titles name the same work, from 0 to 1. A subtitle that only one of them
/// has costs little, and subtitles without a word in common cost more; different volume numbers
/// cost much; edition and format do not count.
#[must_use]
pub fn similarity(left: &str, right: &str) -> f64 {
    const OTHER_VOLUME: f64 = 0.4;
    const OTHER_SUBTITLE: f64 = 0.9;
    // `Collected Essays: Rivers` and `Collected Essays: Mountains` are two books.
    const UNLIKE_SUBTITLE: f64 = 0.8;
    let are_parts = are_other_parts(left, right);
    let (left, right) = (Title::parse(left), Title::parse(right));
    let main = soft_tokens(&plain(&left.main), &plain(&right.main));
    let whole = soft_tokens(&plain(&left.with_subtitle()), &plain(&right.with_subtitle()));
    let one_sided = left.subtitle.is_empty() != right.subtitle.is_empty();
    let mut score = if one_sided {
        whole.max(main * 0.97)
    } else {
        let (one, other) = (tokens(&left.subtitle), tokens(&right.subtitle));
        let is_unlike = !one.is_empty() && one.iter().all(|word| !other.contains(word));
        whole.max(
            main * if is_unlike {
                UNLIKE_SUBTITLE
            } else {
                OTHER_SUBTITLE
            },
        )
    };
    if one_sided {
        // A shop may have put the subtitle behind the title without a colon.
        score = score.max(token_set(&plain(&left.with_subtitle()), &plain(&right.with_subtitle())) * 0.92);
    }
    let volumes_differ = matches!((left.volume, right.volume), (Some(one), Some(other)) if one != other);
    let numbers_differ = numbers_agree(&left.main, &right.main).is_some_and(|agreement| agreement < 0.5);
    if volumes_differ || numbers_differ || are_parts {
        score * OTHER_VOLUME
    } else {
        score
    }
}

fn plain(title: &str) -> String {
    let folded = fold(title);
    let mut words = folded.splitn(2, ' ');
    match (words.next(), words.next()) {
        (Some(first), Some(rest)) if ARTICLES.contains(&first) => rest.to_owned(),
        _ => folded,
    }
}

#[cfg(test)]
mod tests;
