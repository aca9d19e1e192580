//! A search that experiments ask: of a generated site, or of a real server.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;

use magpie_discovery::forms::{check_safe_to_send, classify};
use magpie_discovery::{Acts, ScanLimits, UrlTemplate, scan};
use magpie_page::{Form, Page};
use magpie_surface::arguments::Kind;
use magpie_surface::entities::{Candidate, Described};
use magpie_surface::{ObjectId, Outcome, text};
use url::Url;

/// Maximum number of answers that are kept. The requests of a method are counted anyway.
const MAX_KEPT: usize = 4_000;

/// Maximum number of bytes of the visible text that is read.
const MAX_TEXT: usize = 256 * 1024;

/// Arguments that name an action, such as an export.
const ACTING_ARGUMENTS: [&str; 5] = ["action", "cmd", "do", "op", "task"];

/// Texts of links to the next page, without arrows and numbers, in lower case.
const NEXT_WORDS: [&str; 16] = [
    "next",
    "next page",
    "older",
    "more",
    "weiter",
    "nächste",
    "nächste seite",
    "suivant",
    "suivante",
    "page suivante",
    "siguiente",
    "próxima",
    "seguinte",
    "successiva",
    "volgende",
    "następna",
];

/// An object that a site or the warehouse has.
#[derive(Clone, Debug)]
pub(super) struct Record {
    pub(super) described: Described,
    pub(super) title: String,
    /// Words that a vertical reads of the object on a list.
    pub(super) text: String,
}

/// A page as its source gives it, after redirects.
pub(super) struct Fetched {
    pub(super) url: Url,
    pub(super) html: String,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Shown {
    pub(super) objects: Vec<(ObjectId, String)>,
    /// True if nothing matched, even if the page shows other objects.
    pub(super) is_empty: bool,
}

/// Access to the pages of a site.
pub(super) trait Source {
    /// Requests a page; `None` if there is no answer.
    fn fetch(&self, url: &Url) -> Option<Fetched>;

    /// Reads the objects of a result page.
    fn read(&self, asked: &Url, page: &Page) -> Shown;
}

#[derive(Debug, Default)]
pub(super) struct Answer {
    pub(super) url: String,
    pub(super) text: String,
    pub(super) links: Vec<Link>,
    pub(super) shown: Shown,
}

#[derive(Clone, Debug)]
pub(super) struct Link {
    pub(super) href: String,
    text: String,
    rel: String,
}

impl Link {
    pub(super) fn is_same_site(&self, page: &Url) -> bool {
        Url::parse(&self.href).is_ok_and(|url| url.origin() == page.origin())
    }
}

/// A site with a search by keywords.
pub(in crate::experiment) struct Site<'a> {
    pub(super) name: String,
    source: Box<dyn Source + 'a>,
    pub(super) template: UrlTemplate,
    /// All objects behind the search.
    pub(super) records: Vec<Record>,
    pub(super) elsewhere: Vec<Record>,
    pub(super) logged: Vec<Candidate>,
    /// True kinds of arguments, as far as known.
    pub(super) kinds: BTreeMap<String, Kind>,
    /// Pages that may have a form of the search.
    pub(super) form_pages: Vec<Url>,
    /// Maximum number of requests of one run of a method.
    pub(super) max_requests: u32,
    kept: RefCell<HashMap<String, Rc<Answer>>>,
}

impl<'a> Site<'a> {
    pub(super) fn new(
        name: &str,
        source: impl Source + 'a,
        template: UrlTemplate,
        records: Vec<Record>,
    ) -> Site<'a> {
        Site {
            name: name.to_owned(),
            source: Box::new(source),
            template,
            records,
            elsewhere: Vec::new(),
            logged: Vec::new(),
            kinds: BTreeMap::new(),
            form_pages: Vec::new(),
            max_requests: u32::MAX,
            kept: RefCell::default(),
        }
    }

    /// Returns the number of objects behind the search.
    pub(super) fn size(&self) -> f64 {
        self.records.len() as f64
    }

    /// Requests the first page of the answer to a query.
    pub(super) fn ask(&self, query: &str) -> Rc<Answer> {
        match self.template.fill(query, &[]) {
            Some(url) => self.get(&url),
            None => Rc::default(),
        }
    }

    pub(super) fn get(&self, url: &Url) -> Rc<Answer> {
        if let Some(answer) = self.kept.borrow().get(url.as_str()) {
            return Rc::clone(answer);
        }
        let answer = Rc::new(self.request(url).unwrap_or_else(|| Answer {
            shown: Shown {
                is_empty: true,
                ..Shown::default()
            },
            ..Answer::default()
        }));
        let mut kept = self.kept.borrow_mut();
        if kept.len() < MAX_KEPT {
            kept.insert(url.as_str().to_owned(), Rc::clone(&answer));
        }
        answer
    }

    fn request(&self, url: &Url) -> Option<Answer> {
        let fetched = self.source.fetch(url)?;
        let page = Page::from_html(fetched.url.as_str(), &fetched.html).ok()?;
        Some(Answer {
            url: fetched.url.to_string(),
            text: visible_text(&page),
            links: links(&page),
            shown: self.source.read(url, &page),
        })
    }

    /// Returns the form with the most inputs that surely searches or filters.
    pub(super) fn form(&self) -> Option<Form> {
        let usable = |form: &Form| form.fields.iter().filter(|field| is_input(field)).count();
        let mut best: Option<Form> = None;
        for url in &self.form_pages {
            let fetched = self.source.fetch(url);
            let page = fetched.and_then(|fetched| Page::from_html(fetched.url.as_str(), &fetched.html).ok());
            let Some(page) = page else {
                continue;
            };
            let is_safe =
                |form: &Form| check_safe_to_send(form, &classify(form), page.url(), &Acts::default()).is_ok();
            for form in page.forms().forms.iter().filter(|form| is_safe(form)) {
                // Ties go to the first form.
                if usable(form) > best.as_ref().map_or(0, usable) {
                    best = Some(form.clone());
                }
            }
        }
        best
    }

    /// Returns the number of objects on a full page of results: the most that answers to these
    /// queries show.
    pub(super) fn page_size(&self, queries: &[String]) -> u32 {
        let shown = queries.iter().map(|query| self.ask(query).shown.objects.len());
        shown.max().unwrap_or(0).max(1) as u32
    }

    /// Returns the words of all titles, with the number of objects that have each, most frequent
    /// first.
    pub(super) fn title_words(&self) -> Vec<(String, u32)> {
        let mut counts: BTreeMap<String, u32> = BTreeMap::new();
        for record in &self.records {
            let words: BTreeSet<String> = text::words(&record.title).into_iter().collect();
            for word in words {
                *counts.entry(word).or_default() += 1;
            }
        }
        let mut words: Vec<(String, u32)> = counts.into_iter().collect();
        words.sort_by(|one, other| other.1.cmp(&one.1).then_with(|| one.0.cmp(&other.0)));
        words
    }
}

impl Answer {
    /// Returns the outcome for the methods. Objects that are shown instead of results do not count.
    pub(super) fn outcome(&self) -> Outcome {
        let objects = self.shown.objects.iter().map(|(id, _)| *id);
        Outcome {
            page_signature: self.signature(),
            has_next: !self.shown.is_empty && self.next().is_some(),
            ..Outcome::new(objects.filter(|_| !self.shown.is_empty))
        }
    }

    pub(super) fn objects(&self) -> Vec<(ObjectId, &str)> {
        let objects = self.shown.objects.iter().filter(|_| !self.shown.is_empty);
        objects.map(|(id, text)| (*id, text.as_str())).collect()
    }

    /// Returns a hash of the shingles of the visible text, with digits folded.
    fn signature(&self) -> u64 {
        let shingles = text::Shingles::new(&self.text, "");
        let mixed = shingles.masked().iter();
        mixed.fold(17, |hash: u64, shingle| {
            hash.wrapping_mul(0x100_0000_01b3) ^ shingle
        })
    }

    /// Returns the URL of the next page of the same results.
    pub(super) fn next(&self) -> Option<Url> {
        let is_other = |link: &&Link| !link.href.is_empty() && link.href != self.url;
        let by_relation = |link: &&Link| link.rel.split_whitespace().any(|word| word == "next");
        let by_text = |link: &&Link| {
            let letters = |character: char| !character.is_alphabetic();
            let plain = link.text.trim().trim_matches(letters).to_lowercase();
            let has_arrow = link.text.trim().ends_with(['›', '»', '→', '>']);
            let is_word = NEXT_WORDS.contains(&plain.as_str());
            is_word || (plain.is_empty() && has_arrow && link.text.trim().chars().count() <= 2)
        };
        let links = || self.links.iter().filter(is_other);
        let found = links().find(by_relation).or_else(|| links().find(by_text))?;
        Url::parse(&found.href).ok()
    }

    /// Returns the links that have an argument and do not act.
    pub(super) fn links_with(&self, argument: &str) -> Vec<&str> {
        let acts = |name: &str| {
            let plain = name.trim_matches(|character: char| !character.is_alphabetic());
            ACTING_ARGUMENTS.contains(&plain)
        };
        let has = |href: &str| {
            Url::parse(href).is_ok_and(|url| {
                let names: Vec<_> = url.query_pairs().map(|(name, _)| name).collect();
                names.iter().any(|name| name == argument) && !names.iter().any(|name| acts(name))
            })
        };
        let hrefs = self.links.iter().map(|link| link.href.as_str());
        hrefs.filter(|href| has(href)).collect()
    }
}

/// Returns true if a field gives a choice of values.
pub(super) fn is_input(field: &magpie_page::Field) -> bool {
    use magpie_page::FieldKind;
    if field.is_hidden || field.is_disabled || field.name.is_empty() {
        return false;
    }
    match field.kind {
        FieldKind::Text | FieldKind::Search | FieldKind::Number | FieldKind::Date => true,
        FieldKind::Select { .. } | FieldKind::Radio => field.choices.len() > 1,
        _ => false,
    }
}

pub(super) fn visible_text(page: &Page) -> String {
    let limits = ScanLimits {
        keep_text: true,
        ..ScanLimits::default()
    };
    let mut text = scan(page.text(), &limits).text;
    text.truncate(text.floor_char_boundary(MAX_TEXT));
    text
}

/// Returns the links of a page without fragments.
fn links(page: &Page) -> Vec<Link> {
    let plain = |href: &str| href.split('#').next().unwrap_or(href).to_owned();
    let links = page.links().into_iter();
    links
        .map(|link| Link {
            href: plain(&link.href),
            text: link.text,
            rel: link.rel,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(links: &[(&str, &str, &str)]) -> Answer {
        let link = |(href, text, rel): &(&str, &str, &str)| Link {
            href: format!("http://a.test/s?{href}"),
            text: (*text).to_owned(),
            rel: (*rel).to_owned(),
        };
        Answer {
            url: "http://a.test/s?q=crow".to_owned(),
            links: links.iter().map(link).collect(),
            ..Answer::default()
        }
    }

    #[test]
    fn the_next_page_is_found_by_relation_word_or_arrow() {
        for (text, rel) in [
            ("2", "next"),
            ("next >>", ""),
            ("Next page", ""),
            ("next 20", ""),
            ("»", ""),
        ] {
            let answer = answer(&[("q=crow", "next", ""), ("q=crow&page=2", text, rel)]);
            let next = answer.next().map(|url| url.to_string());
            let expected = "http://a.test/s?q=crow&page=2";
            assert_eq!(next.as_deref(), Some(expected), "{text}");
        }
        assert_eq!(answer(&[("q=crow&sort=next", "Next of kin", "")]).next(), None);
    }

    #[test]
    fn links_that_act_are_left_out() {
        let answer = answer(&[
            ("q=crow&sort=a", "", ""),
            ("q=crow&@action=export_csv", "", ""),
            ("page=2", "", ""),
        ]);
        assert_eq!(answer.links_with("q"), ["http://a.test/s?q=crow&sort=a"]);
    }
}
