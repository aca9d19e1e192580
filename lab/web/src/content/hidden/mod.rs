//! The search of a deep site: its pages, and the objects that it gives out.

mod answer;
mod forms;
mod results;

use super::{Content, Outcome, Scene};
use crate::address::{Act, Hidden, PageVariant, Route, Submission};
use crate::language::{SEARCH_WORDS, SearchWords};
use crate::site::{Canonical, FieldRole, Item};

pub use answer::ResultState;
pub(crate) use answer::{Found, Row};
pub use forms::FormPurpose;
pub(crate) use forms::{HtmlForm, Input};

/// Objects on the home page of a deep site.
const FEATURED: usize = 3;

const EXPORTED: usize = 50;

impl Scene<'_> {
    /// Returns true if an object has no page of its own.
    pub(crate) fn is_list_only(&self, position: u32) -> bool {
        self.hidden().is_some_and(|search| {
            self.key("list only", u64::from(position))
                .per_mille(search.list_only)
        })
    }

    pub(super) fn hidden_page(&self, page: &Hidden) -> Outcome {
        let Some(search) = self.hidden() else {
            return Outcome::Missing;
        };
        match page {
            Hidden::Form => Outcome::Page(Box::new(self.form_page(search))),
            Hidden::Articles(text) => Outcome::Page(Box::new(self.articles(search, text))),
            Hidden::Results(submission) => self.results(search, submission),
            Hidden::Act(Act::Random | Act::Export, _) | Hidden::Description => Outcome::Missing,
            Hidden::Act(Act::Advert, _) => Outcome::Found(Route::About { number: 0 }),
            Hidden::Act(..) => {
                let mut content = Content::new(self.search_words().done.to_owned());
                content.is_noindex = true;
                self.add_sidebar(&mut content, self.key("done", 0));
                Outcome::Page(Box::new(content))
            }
        }
    }

    /// Returns the object that a fetch of the link to a random one leads to.
    pub(crate) fn random_route(&self, nonce: u64) -> Route {
        let items = &self.view.current;
        let draw = self.key("random", nonce).below(items.len().max(1) as u64) as usize;
        let item = items.get(draw).filter(|item| self.has_page(item.position));
        item.map_or(Route::Home, |item| Route::Detail {
            position: item.position,
            variant: PageVariant::Main,
        })
    }

    /// Returns the export of the first objects.
    pub(crate) fn export(&self) -> String {
        let mut out = String::from("name\n");
        for item in self.view.current.iter().take(EXPORTED) {
            out.push_str(&format!("\"{}\"\n", self.population().title(item.object)));
        }
        out
    }

    pub(crate) fn search_words(&self) -> &'static SearchWords {
        &SEARCH_WORDS[self.design.writing.language_index()]
    }

    pub(crate) fn search_host(&self) -> &str {
        self.host(&Route::Hidden(Hidden::Form))
    }

    /// Returns the objects that the site links to or lists without a search.
    pub(crate) fn surface(&self) -> Vec<Item> {
        let mut items: Vec<Item> = self.view.current.iter().take(FEATURED).copied().collect();
        if self.site.habits.has_feed {
            let mut newest = self.view.current.clone();
            newest.sort_by_key(|item| std::cmp::Reverse(item.position));
            newest.truncate(crate::crawler_files::FEED_ENTRIES);
            items.extend(newest.into_iter().filter(|item| self.has_page(item.position)));
        }
        items.sort_by_key(|item| item.position);
        items.dedup_by_key(|item| item.position);
        items
    }

    /// Returns the pages of the search in the truth: that with the form, and one page of results
    /// for each object without a page of its own.
    pub(crate) fn hidden_routes(&self) -> Vec<Route> {
        let Some(search) = self.hidden() else {
            return Vec::new();
        };
        let mut routes = Vec::new();
        if search.has_form_page() {
            routes.push(Route::Hidden(Hidden::Form));
        }
        let Some(field) = search.field(FieldRole::Keyword) else {
            return routes;
        };
        for item in &self.view.current {
            if self.is_list_only(item.position) {
                let mut submission = Submission::default();
                submission.set(field, self.population().title(item.object));
                routes.push(Route::Hidden(Hidden::Results(submission)));
            }
        }
        routes
    }

    pub(crate) fn open_search(&self) -> Option<String> {
        let search = self.hidden().filter(|search| search.has_open_search)?;
        let template = search.template("{searchTerms}")?;
        let mut url = String::new();
        crate::template::push_escaped(&mut url, &format!("http://{}{template}", self.search_host()));
        Some(format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<OpenSearchDescription \
             xmlns=\"http://a9.com/-/spec/opensearch/1.1/\"><ShortName>{}</ShortName>\
             <InputEncoding>UTF-8</InputEncoding><Url type=\"text/html\" template=\"{url}\"/>\
             </OpenSearchDescription>\n",
            self.site.name
        ))
    }

    /// Returns the template of the `SearchAction`, if the pages have one.
    pub(crate) fn search_action(&self) -> Option<String> {
        let search = self.hidden().filter(|search| search.has_search_action)?;
        let placeholder = "{search_term_string}";
        let template = match &search.canonical {
            Canonical::Same => search.template(placeholder),
            _ => search.canonical_template(placeholder),
        }?;
        Some(format!("http://{}{template}", self.search_host()))
    }
}
