//! Error pages with status 200.
//!
//! A site is asked once for a page that cannot exist. If it answers as if the page existed, similar
//! pages do not exist either.

use std::fmt;

use magpie_model::{CanonicalUrl, UrlFingerprint};

use super::TextPrint;
use super::words::{mix, words};

/// Words of the answer that are kept.
const MAX_WORDS: usize = 4_000;

/// Share of different words that two pages must have in common. It is below one, as the answer
/// repeats the requested URL.
const ALIKE: f64 = 0.9;

/// Words of the longest page that counts as an error by its title alone.
const SHORT_PAGE: usize = 120;

magpie_values::word_lists! { "not_found.txt";
    PHRASES: Words = "not_found";
}

/// The answer of a site to a request for a page that cannot exist.
#[derive(Clone, Debug, Default)]
pub struct NotFoundProfile {
    answer: Option<Answer>,
    is_honest: bool,
}

#[derive(Clone, Debug)]
struct Answer {
    print: TextPrint,
    /// Hashes of its different words, sorted.
    words: Vec<u64>,
    /// Redirect target, if it is another page. That page exists.
    target: Option<UrlFingerprint>,
}

/// Reason why a page counts as not found. Displays as a plain sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SoftNotFound {
    /// It reads as the answer for a page that cannot exist.
    LikeNonsense {
        /// The share of words in common, in percent.
        percent: u8,
    },
    /// Its title has a phrase of error pages and it has little text.
    Phrase(&'static str),
}

impl NotFoundProfile {
    /// A profile of a site that was not asked yet: titles alone decide.
    pub fn unknown() -> NotFoundProfile {
        NotFoundProfile::default()
    }

    /// Learns the final answer to the request for [`probe_path`]: its status, its text and, after a
    /// redirect, its target.
    pub fn learn(status: u16, text: &str, led_to: Option<&CanonicalUrl>) -> NotFoundProfile {
        let is_page = (200..300).contains(&status);
        NotFoundProfile {
            answer: is_page.then(|| Answer {
                print: TextPrint::of(text),
                words: word_set(text),
                target: led_to.map(CanonicalUrl::fingerprint),
            }),
            // A server in trouble does not show how it answers otherwise.
            is_honest: matches!(status, 404 | 410),
        }
    }

    /// Returns true if texts are needed to judge pages. Nearly all sites have honest statuses and
    /// need none.
    pub fn reads_texts(&self) -> bool {
        !self.is_honest
    }

    /// Returns the reason why a page is missing despite its status.
    pub fn judge(&self, url: &CanonicalUrl, status: u16, title: &str, text: &str) -> Option<SoftNotFound> {
        // A site that answers 404 for nonsense means its other statuses.
        if status != 200 || self.is_honest {
            return None;
        }
        match &self.answer {
            Some(answer) => answer.judge(url, text),
            None => phrase(title, text),
        }
    }
}

impl Answer {
    fn judge(&self, url: &CanonicalUrl, text: &str) -> Option<SoftNotFound> {
        // The page to which nonsense is redirected exists, and reads as the answer because it is
        // the answer.
        if self.target == Some(url.fingerprint()) {
            return None;
        }
        let print = TextPrint::of(text);
        let is_same = self.print.content == print.content || self.print.simhash.is_near(print.simhash);
        let share = if is_same {
            1.0
        } else {
            common_share(&self.words, &word_set(text))
        };
        // A percentage, so it fits.
        (share >= ALIKE).then_some(SoftNotFound::LikeNonsense {
            percent: (share * 100.0) as u8,
        })
    }
}

fn word_set(text: &str) -> Vec<u64> {
    let mut words: Vec<u64> = words(text).take(MAX_WORDS).map(|word| word.hash).collect();
    words.sort_unstable();
    words.dedup();
    words
}

/// The words that are in both, as a share of those that are in either.
fn common_share(one: &[u64], other: &[u64]) -> f64 {
    let common = one
        .iter()
        .filter(|word| other.binary_search(word).is_ok())
        .count();
    let all = one.len() + other.len() - common;
    if all == 0 { 1.0 } else { common as f64 / all as f64 }
}

fn phrase(title: &str, text: &str) -> Option<SoftNotFound> {
    // Read up to the limit and not further, since most pages are longer.
    let is_short = words(text).take(SHORT_PAGE + 1).count() <= SHORT_PAGE;
    if !is_short {
        return None;
    }
    let title = title.to_lowercase();
    let has = |phrase: &str| match phrase.bytes().all(|byte| byte.is_ascii_digit()) {
        // A number has to stand alone.
        true => title
            .split(|c: char| !c.is_alphanumeric())
            .any(|word| word == phrase),
        false => title.contains(phrase),
    };
    PHRASES
        .iter()
        .find(|phrase| has(phrase))
        .map(|phrase| SoftNotFound::Phrase(phrase))
}

/// The path of a page that cannot exist, for a seed of one's own: letters that mean nothing.
pub fn probe_path(seed: u64) -> String {
    let mut path = String::from("/");
    let mut number = mix(seed ^ 0x6d61_6770_6965);
    for _ in 0..24 {
        // Letters in turns, so that no word comes about that a filter minds.
        let letters: &[u8] = b"bcdfghjklmnpqrstvwxz";
        path.push(char::from(letters[(number % letters.len() as u64) as usize]));
        number = mix(number);
    }
    path
}

impl fmt::Display for SoftNotFound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SoftNotFound::LikeNonsense { percent } => write!(
                f,
                "the page has {percent} % of its words in common with the site's answer for a page that cannot exist"
            ),
            SoftNotFound::Phrase(phrase) => {
                write!(f, "the page is short and its title has {phrase:?}")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{NotFoundProfile, SoftNotFound, probe_path};
    use magpie_model::CanonicalUrl;

    fn url(path: &str) -> CanonicalUrl {
        CanonicalUrl::trusted(format!("https://a.example{path}")).expect("canonical")
    }

    const SORRY: &str = "Shop Books Music Cart Sorry, we could not find what you are looking for. \
                         Try the search or one of our bestsellers of this week instead. Help Imprint";

    #[test]
    fn a_page_like_the_answer_to_nonsense_is_not_there() {
        let profile = NotFoundProfile::learn(200, &format!("{SORRY} You asked for qwxz"), None);
        let judge = |text: &str| profile.judge(&url("/b"), 200, "Shop", text);
        let found = judge(&format!("{SORRY} You asked for book17"));
        assert!(
            matches!(found, Some(SoftNotFound::LikeNonsense { percent: 90.. })),
            "{found:?}"
        );
        assert_eq!(
            judge("Shop Books Music Cart A book about gardens, 5 EUR, in stock. Help Imprint"),
            None
        );
        assert_eq!(
            profile.judge(&url("/b"), 404, "", SORRY),
            None,
            "the status is 404"
        );
    }

    #[test]
    fn an_honest_site_is_believed() {
        let profile = NotFoundProfile::learn(404, SORRY, None);
        assert_eq!(
            profile.judge(&url("/b"), 200, "404 ways to cook rice", "Rice"),
            None
        );
    }

    #[test]
    fn the_page_that_nonsense_leads_to_is_there() {
        let profile = NotFoundProfile::learn(200, SORRY, Some(&url("/")));
        assert_eq!(profile.judge(&url("/"), 200, "", SORRY), None);
        assert!(profile.judge(&url("/old"), 200, "", SORRY).is_some());
    }

    #[test]
    fn titles_alone_are_weak() {
        let profile = NotFoundProfile::unknown();
        let judge = |title: &str, text: &str| profile.judge(&url("/b"), 200, title, text);
        assert_eq!(judge("Error 404", "Oops"), Some(SoftNotFound::Phrase("404")));
        assert_eq!(
            judge("Seite nicht gefunden", "Oops"),
            Some(SoftNotFound::Phrase("nicht gefunden"))
        );
        assert_eq!(judge("Model 4041", "Oops"), None);
        assert_eq!(judge("Lost and not found", &"word ".repeat(200)), None);
    }

    #[test]
    fn probes_differ_by_seed() {
        assert_eq!(probe_path(1).len(), 25);
        assert_ne!(probe_path(1), probe_path(2));
        assert_eq!(probe_path(1), probe_path(1));
    }
}
