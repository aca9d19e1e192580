//! When two records are the same edition of the same book.

use magpie_sdk::date::Precision;
use magpie_sdk::name::PersonName;
use magpie_sdk::text;
use magpie_sdk::title::{self, Title};
use magpie_sdk::{Isbn, Key, Verdict};

use crate::evidence::Evidence;
use crate::work::Work;
use crate::{Book, edition};

/// Authors that make keys and are compared; anthologies have dozens.
const MOST_AUTHORS: usize = 5;

/// Words of a title that make a key together; the first of them makes one alone.
const RARE_WORDS: usize = 2;

/// Letters of a word that with the author's name makes a key.
const TELLING_WORD: usize = 4;

/// Natural log odds that two records are of one work before anything is known but that they share a key.
const PRIOR: f64 = -1.5;

/// How likely two records with different numbers are one edition; below the host's veto too.
const OTHER_NUMBER: f64 = 0.01;

/// The number; the title with each author; the longest words, and the longest alone, with each family name;
/// the whole title alone, when it says enough.
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
    // The longest words are the rarest ones; sorting first makes two sites choose the same of equal length.
    rare.sort_by_key(|word| std::cmp::Reverse(word.chars().count()));
    rare.truncate(RARE_WORDS);
    for author in work.authors.iter().take(MOST_AUTHORS) {
        let family = family(author);
        keys.push(key("title+author", format!("{whole}/{family}")));
        keys.push(key("words+author", format!("{}/{family}", rare.join(" "))));
        if let Some(word) = rare.first().filter(|word| word.chars().count() >= TELLING_WORD) {
            keys.push(key("word+author", format!("{word}/{family}")));
        }
    }
    if !whole.is_empty() {
        keys.push(key("title", whole));
    }
    keys
}

/// How likely two records are one edition: that they are of one work, and of one edition if they
/// are. However sure the work, it says nothing about the edition.
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
    if !work.is_against() {
        authors(&mut work, &left.authors, &right.authors);
    }
    let edition = edition::evidence(one, other, &left, &right);
    Verdict {
        probability: work.probability() * edition.probability(),
        reasons: [work.reasons, edition.reasons].concat(),
    }
}

/// Different numbers are different editions, unless all that is said is the same, so that one of
/// the numbers is of another binding or a slip.
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
    let (left, right) = (&left.title, &right.title);
    if matches!((left.volume, right.volume), (Some(one), Some(other)) if one != other) {
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

/// `Poems` is many books, `The Short Second Life of Bree Tanner` is one.
fn title_weight(title: &Title) -> f64 {
    let words = text::tokens(&title.with_subtitle()).len();
    (words as f64 / 4.0).min(1.5)
}

/// How alike two lists of people are: the mean of the shorter list's best matches.
fn people(left: &[PersonName], right: &[PersonName]) -> Option<f64> {
    let (short, long) = if left.len() <= right.len() {
        (left, right)
    } else {
        (right, left)
    };
    let best = |one: &PersonName| {
        let others = long.iter().take(MOST_AUTHORS);
        others.map(|other| one.similarity(other)).fold(0.0, f64::max)
    };
    let found: Vec<f64> = short.iter().take(MOST_AUTHORS).map(best).collect();
    (!found.is_empty()).then(|| found.iter().sum::<f64>() / found.len() as f64)
}

/// The family name as a key, without initials, so that `Tolkien` and `J. R. R. Tolkien` meet.
fn family(name: &PersonName) -> String {
    text::fold(&name.family)
        .chars()
        .filter(|letter| letter.is_alphanumeric())
        .collect()
}
