//! Clustering: keys of a record, and the probability that two records are one edition.

use magpie_sdk::date::Precision;
use magpie_sdk::name::PersonName;
use magpie_sdk::text;
use magpie_sdk::title::{self, Title};
use magpie_sdk::{Isbn, Key, Verdict};

use crate::evidence::Evidence;
use crate::work::Work;
use crate::{Book, edition};

/// Maximum number of authors that give keys and are compared; anthologies have dozens.
const MAX_AUTHORS: usize = 5;

/// Number of words of a title in a common key. The first of them also gives a key alone.
const RARE_WORDS: usize = 2;

/// Minimum number of characters of a word that gives a key with the author's name.
const MIN_KEY_WORD: usize = 4;

/// Prior natural log odds that two records with a common key are of one work.
const PRIOR: f64 = -1.5;

/// Probability that two records with different ISBNs are one edition. It is below the host's veto.
const OTHER_NUMBER: f64 = 0.01;

/// Returns the keys of a book: its ISBN; its title, its longest words and its longest word, each
/// with the family name of each author; and its title alone.
pub(crate) fn keys(book: &Book) -> Vec<Key> {
    let key = |scheme: &str, value: String| Key {
        scheme: scheme.to_owned(),
        value,
    };
    let mut keys: Vec<Key> = book
        .isbn
        .as_ref()
        .and_then(Isbn::read)
        .map(|isbn| key("isbn", isbn))
        .into_iter()
        .collect();
    let work = Work::of(book);
    let words = text::tokens(&title::key(&work.name));
    let whole = words.join(" ");
    let mut rare = words;
    rare.sort_unstable();
    rare.dedup();
    // Longest words are the rarest. Sorting before makes the choice among words of equal length the
    // same for all sites.
    rare.sort_by_key(|word| std::cmp::Reverse(word.chars().count()));
    rare.truncate(RARE_WORDS);
    for author in work.authors.iter().take(MAX_AUTHORS) {
        let family = family(author);
        keys.push(key("title+author", format!("{whole}/{family}")));
        keys.push(key("words+author", format!("{}/{family}", rare.join(" "))));
        if let Some(word) = rare.first().filter(|word| word.chars().count() >= MIN_KEY_WORD) {
            keys.push(key("word+author", format!("{word}/{family}")));
        }
    }
    // A record may lack the authors, so the title is a key by itself too.
    if !whole.is_empty() {
        keys.push(key("title", whole));
    }
    keys
}

/// Returns the probability that two records are one edition: that of one work, times that of one
/// edition of it. Evidence for the work is not evidence for the edition.
pub(crate) fn compare(one: &Book, other: &Book) -> Verdict {
    let (left, right) = (Work::of(one), Work::of(other));
    let numbers = (
        one.isbn.as_ref().and_then(Isbn::read),
        other.isbn.as_ref().and_then(Isbn::read),
    );
    match numbers {
        (Some(left), Some(right)) if left == right => {
            return Verdict {
                probability: 0.995,
                reasons: vec!["same ISBN".to_owned()],
            };
        }
        (Some(_), Some(_)) => return other_number(one, other, &left, &right),
        _ => {}
    }
    let mut work = Evidence::from(PRIOR);
    titles(&mut work, &left, &right);
    // The bound of a contradiction holds whoever the authors are.
    if !work.is_against() {
        authors(&mut work, &left.authors, &right.authors);
    }
    let edition = edition::evidence(one, other, &left, &right);
    Verdict {
        probability: work.probability() * edition.probability(),
        reasons: [work.reasons, edition.reasons].concat(),
    }
}

/// Judges two records with different ISBNs. They are different editions, unless all else is given
/// and equal: then one ISBN is that of another binding, or an error.
fn other_number(one: &Book, other: &Book, left: &Work, right: &Work) -> Verdict {
    let dates = (edition::date(one), edition::date(other));
    let same_day =
        matches!(dates, (Some(left), Some(right)) if left == right && left.precision() >= Precision::Day);
    let same_publisher = edition::same_publisher(one, other);
    let same_medium = left.medium.is_some() && left.medium == right.medium;
    let same_title = text::tokens(&left.name) == text::tokens(&right.name);
    let same_authors =
        !left.authors.is_empty() && people(&left.authors, &right.authors).is_some_and(|alike| alike > 0.9);
    let all = same_day
        && same_publisher
        && same_medium
        && same_title
        && same_authors
        && left.edition == right.edition;
    Verdict {
        probability: if all { 0.6 } else { OTHER_NUMBER },
        reasons: vec![
            if all {
                "all but the ISBN is the same"
            } else {
                "another ISBN"
            }
            .to_owned(),
        ],
    }
}

fn titles(sum: &mut Evidence, left: &Work, right: &Work) {
    let alike = title::similarity(&left.name, &right.name);
    let are_parts = title::are_other_parts(&left.name, &right.name);
    let (left, right) = (&left.title, &right.title);
    if are_parts || matches!((left.volume, right.volume), (Some(one), Some(other)) if one != other) {
        return sum.forbid("another volume");
    }
    let weight = title_weight(left).min(title_weight(right));
    match alike {
        alike if alike >= 0.97 => sum.add(2.5 + weight, "same title"),
        alike if alike >= 0.9 => sum.add(1.8 + weight, "title alike"),
        alike if alike >= 0.8 => sum.add(1.0, "title alike"),
        alike if alike >= 0.7 => sum.add(-1.0, ""),
        _ => sum.contradict("title differs"),
    }
}

fn authors(sum: &mut Evidence, left: &[PersonName], right: &[PersonName]) {
    match people(left, right) {
        Some(alike) if alike >= 0.9 => sum.add(2.2, "same author"),
        Some(alike) if alike >= 0.7 => sum.add(1.2, "author alike"),
        Some(alike) if alike >= 0.5 => sum.add(-1.0, ""),
        Some(_) => sum.contradict("author differs"),
        None if left.is_empty() != right.is_empty() => sum.add(-0.4, ""),
        None => {}
    }
}

/// Returns the weight of equal titles, by their number of words: `Poems` is many books, `The Short
/// Second Life of Bree Tanner` is one.
fn title_weight(title: &Title) -> f64 {
    let words = text::tokens(&title.with_subtitle()).len();
    (words as f64 / 4.0).min(1.5)
}

/// Returns the similarity of two lists of people: the mean of the shorter list's best matches.
fn people(left: &[PersonName], right: &[PersonName]) -> Option<f64> {
    let (short, long) = if left.len() <= right.len() {
        (left, right)
    } else {
        (right, left)
    };
    let best = |one: &PersonName| {
        let others = long.iter().take(MAX_AUTHORS);
        others.map(|other| one.similarity(other)).fold(0.0, f64::max)
    };
    let found: Vec<f64> = short.iter().take(MAX_AUTHORS).map(best).collect();
    (!found.is_empty()).then(|| found.iter().sum::<f64>() / found.len() as f64)
}

/// Returns the family name as a key, without initials, so that `Tolkien` and `J. R. R. Tolkien`
/// have the same.
fn family(name: &PersonName) -> String {
    text::fold(&name.family)
        .chars()
        .filter(|letter| letter.is_alphanumeric())
        .collect()
}
