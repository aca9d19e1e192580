//! When two records are the same edition of the same book.

use magpie_sdk::date::{DateContext, Precision};
use magpie_sdk::name::{PersonName, organisation_similarity};
use magpie_sdk::text;
use magpie_sdk::title::{self, Title};
use magpie_sdk::{Isbn, Key, Verdict};

use crate::Book;
use crate::work::{Medium, Work};

/// Authors that make keys and are compared; anthologies have dozens.
const MOST_AUTHORS: usize = 5;

/// Words of a title that make its loosest key.
const RARE_WORDS: usize = 2;

/// Natural log odds before anything is known but that the two share a key.
const PRIOR: f64 = -1.5;

/// What the evidence comes to at most when the two clearly differ in something: about one in six.
const CONTRADICTED: f64 = -1.6;

/// What it comes to at most when they are surely two, however alike: below the host's veto, so that
/// a third record that says less does not bring two editions together.
const FORBIDDEN: f64 = -4.2;

/// How likely two records with different numbers are one edition; below the host's veto too.
const OTHER_NUMBER: f64 = 0.01;

/// Nothing is surer than this, for or against.
const SUREST: f64 = 5.0;

/// The number; the title with each author; the longest words of the title with each family name;
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
    let words = text::tokens(&title::key(&book.title));
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
    }
    if !whole.is_empty() {
        keys.push(key("title", whole));
    }
    keys
}

/// How likely two records are one edition.
pub(crate) fn compare(one: &Book, other: &Book) -> Verdict {
    let mut sum = Sum {
        evidence: PRIOR,
        most: SUREST,
        reasons: Vec::new(),
    };
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
    sum.titles(&left.title, &right.title, one, other);
    if sum.most > CONTRADICTED {
        sum.authors(&left.authors, &right.authors);
    }
    sum.editions(&left, &right);
    sum.imprints(one, other);
    sum.verdict()
}

/// Different numbers are different editions, unless all that is said is the same, so that one of
/// the numbers is of another binding or a slip.
fn other_number(one: &Book, other: &Book, left: &Work, right: &Work) -> Verdict {
    let dates = (date(one), date(other));
    let same_day =
        matches!(dates, (Some(left), Some(right)) if left == right && left.precision() >= Precision::Day);
    let same_publisher = publishers(one, other).is_some_and(|alike| alike > 0.9);
    let same_medium = left.medium.is_some() && left.medium == right.medium;
    let same_title = text::tokens(&one.title) == text::tokens(&other.title);
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

/// The evidence so far.
struct Sum {
    evidence: f64,
    /// What the evidence comes to at most.
    most: f64,
    reasons: Vec<String>,
}

impl Sum {
    fn add(&mut self, evidence: f64, reason: &str) {
        self.evidence += evidence;
        if !reason.is_empty() {
            self.reasons.push(reason.to_owned());
        }
    }

    fn contradict(&mut self, reason: &str) {
        self.most = self.most.min(CONTRADICTED);
        self.add(-3.0, reason);
    }

    fn forbid(&mut self, reason: &str) {
        self.most = self.most.min(FORBIDDEN);
        self.add(-3.0, reason);
    }

    fn titles(&mut self, left: &Title, right: &Title, one: &Book, other: &Book) {
        let alike = title::similarity(&one.title, &other.title);
        let volumes = matches!((left.volume, right.volume), (Some(one), Some(other)) if one != other);
        if volumes {
            return self.forbid("another volume");
        }
        match alike {
            alike if alike >= 0.97 => self.add(2.5 + title_weight(left), "same title"),
            alike if alike >= 0.9 => self.add(1.8 + title_weight(left), "title alike"),
            alike if alike >= 0.8 => self.add(1.0, "title alike"),
            alike if alike >= 0.7 => self.add(-1.0, ""),
            _ => self.contradict("title differs"),
        }
    }

    fn authors(&mut self, left: &[PersonName], right: &[PersonName]) {
        match people(left, right) {
            Some(alike) if alike >= 0.9 => self.add(2.2, "same author"),
            Some(alike) if alike >= 0.7 => self.add(1.2, "author alike"),
            Some(alike) if alike >= 0.5 => self.add(-1.0, ""),
            Some(_) => self.contradict("author differs"),
            None if left.is_empty() != right.is_empty() => self.add(-0.4, ""),
            None => {}
        }
    }

    fn editions(&mut self, left: &Work, right: &Work) {
        match (left.edition, right.edition) {
            (Some(one), Some(other)) if one != other => self.forbid("another edition"),
            (Some(_), Some(_)) => self.add(0.7, "same edition"),
            // What does not count its editions is most often the first.
            (Some(number), None) | (None, Some(number)) if number > 1 => self.add(-0.8, ""),
            _ => {}
        }
        let silent = |medium: Medium| matches!(medium, Medium::Board | Medium::Paper);
        match (left.medium, right.medium) {
            (Some(one), Some(other)) if one == other => self.add(0.6, "same binding"),
            (Some(one), Some(other)) if silent(one) && silent(other) => self.add(-2.0, "another binding"),
            (Some(_), Some(_)) => self.forbid("another medium"),
            (Some(one), None) | (None, Some(one)) if !silent(one) => self.add(-1.0, ""),
            _ => {}
        }
    }

    fn imprints(&mut self, one: &Book, other: &Book) {
        if let Some(alike) = publishers(one, other) {
            self.add(
                if alike > 0.8 { 0.8 } else { -0.8 },
                if alike > 0.8 { "same publisher" } else { "" },
            );
        }
        let language = |book: &Book| book.language.as_ref().and_then(magpie_sdk::Language::read);
        if let (Some(left), Some(right)) = (language(one), language(other)) {
            if left != right {
                self.forbid("another language");
            }
        }
        if let (Some(left), Some(right)) = (date(one), date(other)) {
            let years = (left.date().year() - right.date().year()).abs();
            match years {
                _ if left.agrees_with(right) && left.precision() >= Precision::Day => {
                    self.add(1.2, "same date");
                }
                0 => self.add(0.6, "same year"),
                1 => self.add(-0.5, ""),
                _ => self.add(-1.6, "another year"),
            }
        }
        let same_url = one.url.is_some() && one.url == other.url;
        let same_image = one.image.is_some() && one.image == other.image;
        if same_url || same_image {
            self.add(2.0, "same page or picture");
        }
    }

    fn verdict(self) -> Verdict {
        let evidence = self.evidence.min(self.most);
        Verdict {
            probability: 1.0 / (1.0 + (-evidence.clamp(-SUREST, SUREST)).exp()),
            reasons: self.reasons,
        }
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

fn publishers(one: &Book, other: &Book) -> Option<f64> {
    Some(organisation_similarity(
        one.publisher.as_ref()?,
        other.publisher.as_ref()?,
    ))
}

fn date(book: &Book) -> Option<magpie_sdk::date::DateTime> {
    book.published.as_ref()?.read(&DateContext::default())
}

/// The family name as a key, without initials, so that `Tolkien` and `J. R. R. Tolkien` meet.
fn family(name: &PersonName) -> String {
    text::fold(&name.family)
        .chars()
        .filter(|letter| letter.is_alphanumeric())
        .collect()
}
