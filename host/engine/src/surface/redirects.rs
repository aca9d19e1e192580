//! The template that a template redirects to.
//!
//! Many sites answer `/search?q=dogs` with a redirect to `/find/dogs`. Where every answer does so,
//! queries are asked at the second URL at once, which saves a request each.

use magpie_discovery::{Acts, UrlTemplate};
use magpie_model::{CanonicalUrl, PostedForm};
use magpie_rows::QueryTemplateRow;
use serde::{Deserialize, Serialize};
use url::Url;

use super::safety::trap_of;

/// Answers that must agree.
const MIN_AGREEING: u32 = 3;

/// Failures in a row after which the template of the form is asked again.
const MAX_FAILURES: u32 = 2;

/// A query by which two templates are compared.
const SAMPLE: &str = "magpie";

/// The redirects of the answers to a template.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Redirects {
    /// The template of the URLs that they lead to, as text.
    template: Option<String>,
    /// The signs of the query from which it was learned how the template writes them.
    signs: Signs,
    agreeing: u32,
    /// Requests to it in a row that failed.
    failed: u32,
    /// An answer did not agree, or the template has failed.
    is_mixed: bool,
}

/// Signs of a query that sites write in different ways.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Signs {
    has_blank: bool,
    is_foreign: bool,
}

impl Signs {
    fn of(query: &str) -> Signs {
        Signs {
            has_blank: query.contains(char::is_whitespace),
            is_foreign: !query.is_ascii(),
        }
    }

    fn include(self, others: Signs) -> bool {
        (self.has_blank || !others.has_blank) && (self.is_foreign || !others.is_foreign)
    }
}

impl Redirects {
    /// Learns from an answer to a query of the form's own template. `hops` are the URLs that it led
    /// to, one after another.
    pub(super) fn learn(&mut self, query: &str, asked: &Url, hops: &[String]) {
        if self.is_mixed {
            return;
        }
        let place = |url: &Url| (url.host_str().map(str::to_owned), url.port());
        let urls = hops.iter().filter_map(|hop| Url::parse(hop).ok());
        // A redirect to another host or port must not become a template of this site.
        let own = urls.filter(|url| place(url) == place(asked) && is_page(url));
        let mut found = own.filter_map(|url| UrlTemplate::from_example(&url, query));
        let signs = Signs::of(query);
        let known: Option<UrlTemplate> = self.template.as_deref().and_then(|text| text.parse().ok());
        let agreeing = match &known {
            // A search with one result may redirect again to its page. The first target is the
            // search.
            Some(known) => found.find(|template| {
                let sample = if self.signs.include(signs) { query } else { SAMPLE };
                template.fill(sample, &[]) == known.fill(sample, &[])
            }),
            None => found.next_back(),
        };
        match agreeing {
            Some(template) => {
                // A query with more kinds of signs shows more of how the site writes them in its
                // URL.
                if known.is_none() || (signs.include(self.signs) && signs != self.signs) {
                    self.template = Some(template.to_string());
                    self.signs = signs;
                }
                self.agreeing += 1;
            }
            None => self.is_mixed = true,
        }
    }

    /// Takes note of the outcome of a request to the template.
    pub(super) fn note(&mut self, is_failure: bool) {
        self.failed = if is_failure { self.failed + 1 } else { 0 };
        self.is_mixed |= self.failed >= MAX_FAILURES;
    }

    /// Returns the template, if enough answers agree.
    pub(super) fn template(&self) -> Option<&str> {
        let is_known = self.agreeing >= MIN_AGREEING && !self.is_mixed;
        self.template.as_deref().filter(|_| is_known)
    }

    /// Returns the URL for a query, if the template is known and writes such queries in a known
    /// way.
    pub(super) fn fill(&self, query: &str) -> Option<Url> {
        let template: UrlTemplate = self.template()?.parse().ok()?;
        let url = template.fill(query, &[])?;
        (self.signs.include(Signs::of(query)) && is_page(&url)).then_some(url)
    }
}

/// Returns `false` for URLs that act, and for those that stand for a form.
fn is_page(url: &Url) -> bool {
    let canonical = CanonicalUrl::trusted(url.as_str());
    canonical
        .is_some_and(|url| trap_of(&url, &Acts::default()).is_none() && !PostedForm::is_marked(url.as_str()))
}

/// Returns the template that all answers of a template redirect to, if that is known.
pub fn redirects_to(row: &QueryTemplateRow) -> Option<String> {
    #[derive(Deserialize)]
    struct Part {
        #[serde(default)]
        redirects: Redirects,
    }
    let part: Part = serde_json::from_str(&row.memory).ok()?;
    part.redirects.template().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn learned(answers: &[(&str, &[&str])]) -> Redirects {
        let mut redirects = Redirects::default();
        for (query, hops) in answers {
            let asked = Url::parse("https://a.test/search?q=x").expect("a URL");
            let hops: Vec<String> = hops.iter().map(|hop| (*hop).to_owned()).collect();
            redirects.learn(query, &asked, &hops);
        }
        redirects
    }

    #[test]
    fn three_answers_show_a_template() {
        let answers: [(&str, &[&str]); 4] = [
            ("xkqvb", &["https://a.test/find/xkqvb"]),
            ("wrtpl", &["https://a.test/find/wrtpl"]),
            ("dogs", &["https://a.test/find/dogs", "https://a.test/item/7"]),
            ("big dogs", &["https://a.test/find/big-dogs"]),
        ];
        assert_eq!(learned(&answers[..2]).template(), None);
        let three = learned(&answers[..3]);
        assert_eq!(three.template(), Some("https://a.test/find/{query}"));
        let filled = |redirects: &Redirects, query: &str| redirects.fill(query).map(String::from);
        assert_eq!(
            filled(&three, "cats").as_deref(),
            Some("https://a.test/find/cats")
        );
        assert_eq!(filled(&three, "big cats"), None, "nothing is known of blanks");
        let four = learned(&answers);
        assert_eq!(four.template(), Some("https://a.test/find/{query:dash}"));
        assert_eq!(
            filled(&four, "big cats").as_deref(),
            Some("https://a.test/find/big-cats")
        );
    }

    #[test]
    fn answers_that_do_not_agree_show_none() {
        let cases: [[(&str, &[&str]); 4]; 5] = [
            // One is no redirect, leads elsewhere, hides the query, acts, or is of another host.
            [
                ("a1", &["https://a.test/f/a1"]),
                ("b1", &["https://a.test/f/b1"]),
                ("c1", &["https://a.test/f/c1"]),
                ("d1", &[]),
            ],
            [
                ("a1", &["https://a.test/f/a1"]),
                ("b1", &["https://a.test/g/b1"]),
                ("c1", &["https://a.test/f/c1"]),
                ("d1", &["https://a.test/f/d1"]),
            ],
            [
                ("a1", &["https://a.test/r/77"]),
                ("b1", &["https://a.test/r/78"]),
                ("c1", &["https://a.test/r/79"]),
                ("d1", &["https://a.test/r/80"]),
            ],
            [
                ("a1", &["https://a.test/cart/add?q=a1"]),
                ("b1", &["https://a.test/cart/add?q=b1"]),
                ("c1", &["https://a.test/cart/add?q=c1"]),
                ("d1", &["https://a.test/cart/add?q=d1"]),
            ],
            [
                ("a1", &["https://b.test/f/a1"]),
                ("b1", &["https://b.test/f/b1"]),
                ("c1", &["https://b.test/f/c1"]),
                ("d1", &["https://b.test/f/d1"]),
            ],
        ];
        for answers in cases {
            assert_eq!(learned(&answers).template(), None, "{answers:?}");
        }
    }

    #[test]
    fn a_template_that_fails_is_given_up() {
        let answers: [(&str, &[&str]); 3] = [
            ("a1", &["https://a.test/f?w=a1"]),
            ("b1", &["https://a.test/f?w=b1"]),
            ("c1", &["https://a.test/f?w=c1"]),
        ];
        let mut redirects = learned(&answers);
        redirects.note(true);
        redirects.note(false);
        redirects.note(true);
        assert_eq!(redirects.template(), Some("https://a.test/f?w={query}"));
        redirects.note(true);
        assert_eq!(redirects.template(), None);
    }
}
