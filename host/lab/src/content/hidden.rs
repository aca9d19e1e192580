//! The search of a deep site: what it finds, and the pages and forms around it.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, PoisonError};

use magpie_values::date::Date;

use super::{Block, Content, Link, Outcome, Scene};
use crate::address::{Act, Hidden, PageVariant, Route, Submission};
use crate::facts::{Attribute, Value};
use crate::language::{LANGUAGES, SEARCH_WORDS, SearchWords, Word};
use crate::random::Key;
use crate::site::{
    ARTICLES, ARTICLES_NAME, Canonical, DecoyForm, EmptyStyle, FieldRole, Item, Limit, MAX_VIEWS, Place,
    SearchDesign, SearchField, Transport, Widget,
};

/// Lines of each group.
const LINES: u64 = 4;
/// Facet values that a page of results links to.
const MAX_FACETS: usize = 12;
/// Searches that a page of results suggests.
const SUGGESTED: usize = 4;
/// Objects of a page that shows popular ones instead of none.
const POPULAR: usize = 6;
/// Objects on the home page of a deep site.
const FEATURED: usize = 3;
/// Repetitions of a text in a hidden field, which make 90 kB.
const BULK: usize = 10_000;
/// Options of a menu that is far too long.
const HUGE: u32 = 10_000;
/// Lines of an export.
const EXPORTED: usize = 50;
/// Years before this one that a select of years offers.
const YEARS: i32 = 8;

/// Data of an object that the search looks at.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    pub(crate) item: Item,
    line: u8,
    language: usize,
    is_in_stock: bool,
    /// Price in whole units of the currency.
    price: Option<u32>,
    /// Five digits, of which the first two are an area.
    postcode: u32,
    title: String,
    people: String,
    codes: String,
    /// Title, people, places and codes.
    text: String,
}

/// Kind of a page of results.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ResultState {
    /// The page shows objects that match.
    Hits,
    /// Nothing matches, or the page number is too high.
    Empty,
    /// No value was sent that restricts the results.
    Blank,
    /// Too many objects match, so that the user has to refine the search.
    TooMany,
    /// The query has several meanings; links lead to the results of each.
    Choice,
    /// A redirect to the page of the only object with that title.
    Object,
}

/// The answer to a search.
#[derive(Clone, Debug)]
pub(crate) struct Found {
    pub(crate) state: ResultState,
    /// Objects on this page.
    pub(crate) shown: Vec<Item>,
    /// Matching objects that some page of the answer shows.
    pub(crate) listed: usize,
    /// Matching objects.
    pub(crate) total: usize,
    /// Matching objects, for facets and suggestions.
    matches: Vec<Item>,
}

/// Values of a field among the results, with names and counts.
struct Facet {
    role: FieldRole,
    heading: String,
    values: Vec<(String, String, usize)>,
}

/// Purpose of a form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum FormPurpose {
    /// Finds objects.
    Search,
    /// Finds articles, never objects.
    Articles,
    /// Subscribes to a newsletter.
    Newsletter,
    /// Logs in.
    Login,
    /// Asks for another page of results, where the search is sent with POST.
    Paging,
}

/// A form of a page.
#[derive(Clone, Debug)]
pub(crate) struct HtmlForm {
    pub(crate) purpose: FormPurpose,
    /// URL; `None` if a script sends the form.
    pub(crate) action: Option<String>,
    pub(crate) is_post: bool,
    pub(crate) inputs: Vec<Input>,
    pub(crate) button_name: Option<&'static str>,
    pub(crate) button: String,
    pub(crate) script: Option<String>,
}

/// An input of a form.
#[derive(Clone, Debug)]
pub(crate) struct Input {
    pub(crate) name: String,
    pub(crate) label: String,
    /// Such as `text`, `select` or `radio`.
    pub(crate) kind: &'static str,
    pub(crate) value: String,
    pub(crate) options: Vec<Choice>,
    /// Role of the field in the search; `None` in other forms.
    pub(crate) role: Option<FieldRole>,
}

/// An option of a select, a radio group or a checkbox.
#[derive(Clone, Debug)]
pub(crate) struct Choice {
    pub(crate) value: String,
    pub(crate) text: String,
    /// Heading under which it is listed.
    pub(crate) group: Option<String>,
}

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

    /// Returns what the search knows of the listed objects, in the order of the site.
    pub(crate) fn rows(&self) -> Arc<Vec<Row>> {
        let mut known = self.site.rows.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, rows)) = known.iter().find(|(week, _)| *week == self.week) {
            return Arc::clone(rows);
        }
        let rows = Arc::new(
            self.view
                .current
                .iter()
                .map(|item| self.row(*item))
                .collect::<Vec<_>>(),
        );
        known.insert(0, (self.week, Arc::clone(&rows)));
        known.truncate(MAX_VIEWS);
        rows
    }

    fn row(&self, item: Item) -> Row {
        let population = self.population();
        let key = population.key(item.object).of("row", 0);
        let mut row = Row {
            item,
            line: key.of("line", 0).below(LINES) as u8,
            language: key.of("language", 0).weighted(&[(7, 0), (2, 1), (1, 2), (1, 3)]),
            is_in_stock: key.of("stock", 0).per_mille(800),
            price: None,
            postcode: (u32::from(item.group) + 10) * 1_000 + key.of("postcode", 0).below(1_000) as u32,
            title: words_of(&population.title(item.object)),
            people: String::from(" "),
            codes: String::from(" "),
            text: String::new(),
        };
        row.text.clone_from(&row.title);
        let facts = population.facts(item.object, self.week);
        for fact in facts.into_iter().chain(self.local_facts(item.object)) {
            let words = || words_of(&fact.value.normal().join(" "));
            match (fact.attribute, &fact.value) {
                (Attribute::Price, Value::Money(cents, _)) => row.price = Some(cents / 100),
                (_, Value::Language(language)) => row.language = *language,
                (_, Value::Stock(has)) => row.is_in_stock = *has,
                (Attribute::Authors | Attribute::Performers | Attribute::Brand, _) => {
                    row.people.push_str(words().trim_start());
                }
                (Attribute::Isbn | Attribute::Gtin | Attribute::Model, _) => {
                    row.codes.push_str(words().trim_start());
                }
                (Attribute::Venue, _) => row.text.push_str(words().trim_start()),
                _ => {}
            }
        }
        row.text.push_str(row.people.trim_start());
        row.text.push_str(row.codes.trim_start());
        row
    }

    /// Returns the answer to a submission.
    pub(crate) fn found(&self, search: &SearchDesign, submission: &Submission) -> Found {
        let rows = self.rows();
        let size = search.size_of(submission) as usize;
        if search.is_inert {
            let shown: Vec<Item> = self
                .view
                .current
                .iter()
                .take(search.page_size as usize)
                .copied()
                .collect();
            return Found {
                state: ResultState::Hits,
                listed: shown.len(),
                total: rows.len(),
                matches: shown.clone(),
                shown,
            };
        }
        let is_restricted = submission
            .values()
            .any(|(field, _)| !search.fields[usize::from(field)].role.is_presentation());
        let mut found = Found {
            state: ResultState::Blank,
            shown: Vec::new(),
            listed: 0,
            total: 0,
            matches: Vec::new(),
        };
        if !is_restricted && !search.lists_all {
            return found;
        }
        let wanted = Wanted::new(self, search, submission);
        let mut ranked: Vec<(usize, Item)> = rows
            .iter()
            .filter_map(|row| Some((wanted.matches(row)?, row.item)))
            .collect();
        ranked.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
        let mut items: Vec<Item> = ranked.into_iter().map(|(_, item)| item).collect();
        self.sort_items(&mut items, wanted.order);
        found.total = items.len();
        found.matches.clone_from(&items);
        if let Some(item) = self.exact(search, &wanted, &rows, &items) {
            found.state = ResultState::Object;
            found.shown = vec![item];
            return found;
        }
        if wanted.is_single_word && search.has_choices && items.len() > size && submission.page == 1 {
            let first = items.first().map(|item| item.category);
            if items.iter().any(|item| Some(item.category) != first) {
                found.state = ResultState::Choice;
                return found;
            }
        }
        match search.limit {
            Limit::Top(max) => items.truncate(max as usize),
            Limit::Refine { max, shows_first } if items.len() > max as usize => {
                items.truncate(if shows_first { size } else { 0 });
                found.state = ResultState::TooMany;
                found.listed = items.len();
                if submission.page == 1 {
                    found.shown = items;
                }
                return found;
            }
            Limit::None | Limit::Refine { .. } => {}
        }
        found.listed = items.len();
        let start = (submission.page as usize - 1)
            .saturating_mul(size)
            .min(items.len());
        found.shown = items[start..items.len().min(start + size)].to_vec();
        found.state = if found.shown.is_empty() {
            ResultState::Empty
        } else {
            ResultState::Hits
        };
        found
    }

    /// Returns the object whose exact title was asked for, if the site redirects to its page.
    fn exact(&self, search: &SearchDesign, wanted: &Wanted, rows: &[Row], items: &[Item]) -> Option<Item> {
        if !search.redirects_titles || !wanted.is_keyword_alone {
            return None;
        }
        let title = format!(" {} ", wanted.keyword.join(" "));
        let mut exact = rows.iter().filter(|row| row.title == title).map(|row| row.item);
        let item = exact.next()?;
        let is_found = items.iter().any(|found| found.position == item.position);
        (is_found && exact.next().is_none() && self.has_page(item.position)).then_some(item)
    }

    fn results(&self, search: &SearchDesign, submission: &Submission) -> Outcome {
        let found = self.found(search, submission);
        match (found.state, search.empty) {
            (ResultState::Object, _) => {
                return Outcome::Found(Route::Detail {
                    position: found.shown[0].position,
                    variant: PageVariant::Main,
                });
            }
            (ResultState::Empty, EmptyStyle::Home) => return Outcome::Found(Route::Home),
            _ => {}
        }
        let mut content = Content::new(self.word(Word::Search).to_owned());
        content.changed = self.week;
        content.is_noindex = search.is_noindex;
        if search.place == Place::Results || self.key("form on results", 0).per_mille(700) {
            let form = self.search_form(search, submission);
            content.main.push(Block::HtmlForm(Box::new(form)));
        }
        let words = self.search_words();
        self.add_sponsored(&mut content, search, submission);
        match found.state {
            ResultState::Empty => self.add_empty(&mut content, search, submission),
            ResultState::Blank => content.main.push(Block::Line(words.enter.to_owned())),
            ResultState::Choice => content.main.push(Block::Line(words.choose.to_owned())),
            ResultState::TooMany => {
                let max = match search.limit {
                    Limit::Refine { max, .. } => max,
                    _ => 0,
                };
                let text = words.too_many.replace('#', &max.to_string());
                content.main.push(Block::Line(text));
            }
            ResultState::Hits | ResultState::Object => {
                let count = format!("{} {}", found.total, self.word(Word::Hits));
                content.main.push(Block::Line(count));
            }
        }
        self.add_list(&mut content, &found.shown);
        if search.answers_get() {
            self.add_result_links(&mut content, search, submission, &found);
        } else {
            self.add_next_form(&mut content, search, submission, &found);
        }
        if search.has_adverts {
            let link = self.link(Route::Hidden(Hidden::Act(Act::Advert, 1)), words.sponsored);
            content.main.push(Block::Advert(1));
            content.main.push(Block::Links(String::new(), vec![link]));
        }
        self.add_sidebar(&mut content, self.key("search", 0));
        Outcome::Page(Box::new(content))
    }

    fn add_sponsored(&self, content: &mut Content, search: &SearchDesign, submission: &Submission) {
        if let Some(item) = self.sponsored(search, submission) {
            let text = self.search_words().sponsored.to_owned();
            content.main.push(Block::Line(text));
            self.add_list(content, &[item]);
        }
    }

    /// Returns the paid object above the results of a submission.
    pub(crate) fn sponsored(&self, search: &SearchDesign, submission: &Submission) -> Option<Item> {
        if !search.has_sponsored || self.view.current.is_empty() {
            return None;
        }
        let length = submission.values().map(|(_, value)| value.len() as u64).sum();
        let draw = self
            .key("sponsored", length)
            .below(self.view.current.len() as u64);
        self.view.current.get(draw as usize).copied()
    }

    /// Returns the popular objects that some sites show if nothing matches.
    pub(crate) fn substitutes(&self, search: &SearchDesign) -> Vec<Item> {
        if !matches!(search.empty, EmptyStyle::Popular { .. }) {
            return Vec::new();
        }
        self.view.current.iter().rev().take(POPULAR).copied().collect()
    }

    fn add_empty(&self, content: &mut Content, search: &SearchDesign, submission: &Submission) {
        let text = search
            .field(FieldRole::Keyword)
            .and_then(|field| submission.get(field))
            .unwrap_or_default();
        let nothing = self.word(Word::Nothing);
        let keyword = |text: String| {
            let mut other = Submission::default();
            if let Some(field) = search.field(FieldRole::Keyword) {
                other.set(field, text.clone());
            }
            let link = self.link(Route::Hidden(Hidden::Results(other)), &text);
            Block::Links(self.search_words().did_you_mean.to_owned(), vec![link])
        };
        match search.empty {
            EmptyStyle::Sentence | EmptyStyle::Home => content.main.push(Block::Line(nothing.to_owned())),
            EmptyStyle::Echo => {
                content.main.push(Block::Line(format!("{nothing}: “{text}”")));
            }
            EmptyStyle::Wordless => content.main.push(Block::EmptyTable),
            EmptyStyle::Zero => {
                content
                    .main
                    .push(Block::Line(format!("0 {}", self.word(Word::Hits))));
            }
            EmptyStyle::Missing => {
                content.status = 404;
                content.main.push(Block::Line(nothing.to_owned()));
            }
            EmptyStyle::Popular { has_sentence } => {
                if has_sentence {
                    content.main.push(Block::Line(nothing.to_owned()));
                }
                content
                    .main
                    .push(Block::Line(self.word(Word::Related).to_owned()));
                self.add_list(content, &self.substitutes(search));
            }
            EmptyStyle::DidYouMean => {
                content.main.push(Block::Line(format!("{nothing}: {text}")));
                let rows = self.rows();
                let draw = self
                    .key("suggestion", text.len() as u64)
                    .below(rows.len().max(1) as u64);
                let title = rows.get(draw as usize).map_or("", |row| row.title.as_str());
                if let Some(word) = title.split_whitespace().max_by_key(|word| word.len()) {
                    content.main.push(keyword(word.to_owned()));
                }
            }
            EmptyStyle::Loop => {
                content.main.push(Block::Line(nothing.to_owned()));
                let last = text.chars().last().unwrap_or('x');
                let mut other: String = text.chars().take(40).collect();
                other.insert(0, last);
                content.main.push(keyword(other));
            }
        }
    }

    fn add_result_links(
        &self,
        content: &mut Content,
        search: &SearchDesign,
        submission: &Submission,
        found: &Found,
    ) {
        let words = self.search_words();
        if found.state == ResultState::Hits && !search.is_inert {
            let pages = found.listed.div_ceil(search.size_of(submission) as usize).max(1) as u32;
            content.main.push(self.pager(submission.page, pages, |page| {
                Route::Hidden(Hidden::Results(submission.at(page)))
            }));
        }
        if found.matches.is_empty() || search.is_inert {
            return;
        }
        let mut position = 0;
        let mut go = |role: FieldRole, value: String, text: &str| {
            position += 1;
            self.other_search(search, submission, (role, value), text, position)
        };
        if search.has_sort_links {
            let orders = [
                ("", words.relevance),
                ("1", self.word(Word::Price)),
                ("2", self.word(Word::Newest)),
            ];
            let links = orders.map(|(value, text)| go(FieldRole::Sort, value.to_owned(), text));
            content
                .main
                .push(Block::Links(self.word(Word::Sort).to_owned(), links.into()));
            if search.field(FieldRole::PageSize).is_some() {
                let links = ["10", "20", "50"].map(|size| go(FieldRole::PageSize, size.to_owned(), size));
                content
                    .main
                    .push(Block::Links(words.per_page.to_owned(), links.into()));
            }
        }
        if search.has_facets || found.state == ResultState::Choice {
            for Facet {
                role,
                heading,
                values,
            } in self.facet_values(search, submission, &found.matches)
            {
                let links = values
                    .into_iter()
                    .map(|(value, text, count)| go(role, value, &format!("{text} ({count})")));
                let links = links.collect();
                content.main.push(Block::Links(heading, links));
            }
        }
        if search.has_related && search.field(FieldRole::Keyword).is_some() {
            let rows = self.rows();
            let titles = found.matches.iter().take(SUGGESTED).filter_map(|item| {
                let row = rows.iter().find(|row| row.item.position == item.position)?;
                row.title.split_whitespace().max_by_key(|word| word.len())
            });
            let mut related: Vec<&str> = titles.collect();
            related.dedup();
            let link = |word: &&str| {
                let mut other = Submission::default();
                if let Some(field) = search.field(FieldRole::Keyword) {
                    other.set(field, (*word).to_owned());
                }
                self.link(Route::Hidden(Hidden::Results(other)), word)
            };
            content.main.push(Block::Links(
                self.word(Word::Related).to_owned(),
                related.iter().map(link).collect(),
            ));
        }
        self.add_act_links(content, search, found);
    }

    /// Returns a link to the same search with another value.
    fn other_search(
        &self,
        search: &SearchDesign,
        submission: &Submission,
        (role, value): (FieldRole, String),
        text: &str,
        position: u32,
    ) -> Link {
        let mut other = submission.clone();
        other.page = 1;
        if let Some(field) = search.field(role) {
            other.set(field, value);
        }
        let argument = search
            .tracking
            .as_ref()
            .map_or_else(String::new, |name| format!("{name}={position}"));
        Link {
            argument,
            ..self.link(Route::Hidden(Hidden::Results(other)), text)
        }
    }

    fn add_act_links(&self, content: &mut Content, search: &SearchDesign, found: &Found) {
        let words = self.search_words();
        for act in &search.acts {
            let text = match act {
                Act::Cart => self.word(Word::Cart),
                Act::Export => words.export,
                Act::Random => words.random,
                Act::Delete => words.remove,
                _ => words.alert,
            };
            let link = |subject: u32| self.link(Route::Hidden(Hidden::Act(*act, subject)), text);
            let links = if act.has_subject() {
                found.shown.iter().map(|item| link(item.position)).collect()
            } else {
                vec![link(0)]
            };
            content.main.push(Block::Links(String::new(), links));
        }
    }

    /// Returns the values of the facets among some objects, by field, with their counts.
    fn facet_values(&self, search: &SearchDesign, submission: &Submission, items: &[Item]) -> Vec<Facet> {
        let rows = self.rows();
        let languages: HashMap<u32, usize> =
            rows.iter().map(|row| (row.item.position, row.language)).collect();
        let roles = [FieldRole::Category, FieldRole::Group, FieldRole::Language];
        let has = |role: &FieldRole| {
            search
                .field(*role)
                .is_some_and(|field| submission.get(field).is_none())
        };
        let facet = |role: FieldRole| {
            let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
            for item in items {
                let value = match role {
                    FieldRole::Category => usize::from(item.category),
                    FieldRole::Group => usize::from(item.group),
                    _ => languages.get(&item.position).copied().unwrap_or_default(),
                };
                *counts.entry(value).or_default() += 1;
            }
            let values = counts.into_iter().take(MAX_FACETS).map(|(id, count)| {
                let choice = self.choice(search, role, id);
                (choice.value, choice.text, count)
            });
            Facet {
                role,
                heading: self.field_label(role),
                values: values.collect(),
            }
        };
        roles.into_iter().filter(has).map(facet).collect()
    }

    /// Returns the value and the name of a category, group or language.
    fn choice(&self, search: &SearchDesign, role: FieldRole, id: usize) -> Choice {
        let (slug, text) = match role {
            FieldRole::Category => (
                self.web.category_slugs[id % self.web.category_slugs.len()].clone(),
                self.population().category_name(id as u8),
            ),
            FieldRole::Group => (
                self.web.group_slugs[id % self.web.group_slugs.len()].clone(),
                self.population().group_name(id as u16),
            ),
            _ => {
                let language = &LANGUAGES[id % LANGUAGES.len()];
                (language.code.to_owned(), language.name)
            }
        };
        let has_number = search.has_numbers && role != FieldRole::Language;
        Choice {
            value: if has_number { (id + 1).to_string() } else { slug },
            text: text.to_owned(),
            group: None,
        }
    }

    /// Returns the category, group or language that a value names.
    fn chosen(&self, search: &SearchDesign, role: FieldRole, value: &str) -> Option<usize> {
        let count = match role {
            FieldRole::Category => self.web.category_slugs.len(),
            FieldRole::Group => self.web.group_slugs.len(),
            _ => LANGUAGES.len(),
        };
        (0..count).find(|id| self.choice(search, role, *id).value == value)
    }

    /// Adds a form that asks for the next page, where links can't.
    fn add_next_form(
        &self,
        content: &mut Content,
        search: &SearchDesign,
        submission: &Submission,
        found: &Found,
    ) {
        let size = search.size_of(submission) as usize;
        if found.state != ResultState::Hits || found.listed <= submission.page as usize * size {
            return;
        }
        let next = submission.at(submission.page + 1);
        let mut url = String::new();
        search.write(&mut url, &Hidden::Results(next));
        let (action, query) = url.split_once('?').unwrap_or((&url, ""));
        let hidden = |pair: &str| {
            let (name, value) = pair.split_once('=')?;
            Some(Input {
                name: crate::address::decoded(name),
                label: String::new(),
                kind: "hidden",
                value: crate::address::decoded(value),
                options: Vec::new(),
                role: None,
            })
        };
        content.main.push(Block::HtmlForm(Box::new(HtmlForm {
            purpose: FormPurpose::Paging,
            action: Some(format!("http://{}{action}", self.search_host())),
            is_post: true,
            inputs: query.split(['&', ';']).filter_map(hidden).collect(),
            button_name: None,
            button: self.word(Word::Next).to_owned(),
            script: None,
        })));
    }

    /// Returns the host of the search.
    pub(crate) fn search_host(&self) -> &str {
        self.host(&Route::Hidden(Hidden::Form))
    }

    fn form_page(&self, search: &SearchDesign) -> Content {
        let title = if search.place == Place::Advanced {
            self.search_words().advanced
        } else {
            self.word(Word::Search)
        };
        let mut content = Content::new(title.to_owned());
        content.changed = self.week;
        let form = self.search_form(search, &Submission::default());
        content.main.push(Block::HtmlForm(Box::new(form)));
        self.add_sidebar(&mut content, self.key("search", 0));
        content
    }

    /// Returns the results of the search of the articles, which finds no objects.
    fn articles(&self, search: &SearchDesign, text: &str) -> Content {
        let mut content = Content::new(self.search_words().articles.to_owned());
        content.is_noindex = search.is_noindex;
        if search.place == Place::Results {
            let form = self.search_form(search, &Submission::default());
            content.main.push(Block::HtmlForm(Box::new(form)));
        }
        let wanted = words_of(text);
        let fits = |number: &u32| {
            let title = words_of(&self.story_title(*number));
            wanted.split_whitespace().any(|word| title.contains(word))
        };
        let numbers: Vec<u32> = (0..self.story_count()).rev().filter(fits).take(15).collect();
        if numbers.is_empty() {
            content
                .main
                .push(Block::Line(self.word(Word::Nothing).to_owned()));
        }
        let links = numbers
            .into_iter()
            .map(|number| self.link(Route::Story { number }, &self.story_title(number)));
        content.main.push(Block::Links(String::new(), links.collect()));
        self.add_sidebar(&mut content, self.key("articles", 0));
        content
    }

    /// Adds the forms of the home page, decoys first.
    pub(super) fn add_home_forms(&self, content: &mut Content) {
        for form in self.home_forms() {
            if form.purpose == FormPurpose::Newsletter {
                let heading = self.search_words().newsletter.to_owned();
                content.main.push(Block::Line(heading));
            }
            content.main.push(Block::HtmlForm(Box::new(form)));
        }
        if self
            .hidden()
            .is_some_and(|search| search.place == Place::Advanced)
        {
            let link = self.link(Route::Hidden(Hidden::Form), self.search_words().advanced);
            content.main.push(Block::Links(String::new(), vec![link]));
        }
    }

    /// Returns the forms of the home page in order.
    pub(crate) fn home_forms(&self) -> Vec<HtmlForm> {
        let Some(search) = self.hidden() else {
            return Vec::new();
        };
        let mut forms: Vec<HtmlForm> = search
            .decoys
            .iter()
            .map(|decoy| self.decoy_form(*decoy))
            .collect();
        if search.place == Place::Home {
            forms.push(self.search_form(search, &Submission::default()));
        }
        forms
    }

    /// Adds what a deep site has beside the content of each page.
    pub(super) fn add_hidden_sidebar(&self, content: &mut Content) {
        let Some(search) = self.hidden() else { return };
        if search.is_everywhere
            && !content
                .main
                .iter()
                .any(|block| matches!(block, Block::HtmlForm(_)))
        {
            let form = self.search_form(search, &Submission::default());
            content.aside.push(Block::HtmlForm(Box::new(form)));
        }
        if search.is_heavy {
            let key = self.key("heavy", 0);
            for panel in 0..4 {
                let key = key.of("panel", panel);
                let count = 12 + key.of("links", 0).below(25);
                let link = |number: u64| {
                    let name = self.population().name(key.of("link", number));
                    let help = self.site.plan.help_pages.max(1);
                    self.link(
                        Route::Help {
                            number: number as u32 % help,
                        },
                        &name,
                    )
                };
                let heading = self.population().name(key);
                content
                    .aside
                    .push(Block::Links(heading, (0..count).map(link).collect()));
            }
            content.aside.push(Block::Prose(key, 5));
        }
    }

    fn decoy_form(&self, decoy: DecoyForm) -> HtmlForm {
        let words = self.search_words();
        let input = |name: &str, label: &str, kind| Input {
            name: name.to_owned(),
            label: label.to_owned(),
            kind,
            value: String::new(),
            options: Vec::new(),
            role: None,
        };
        let email = input("email", words.email, "email");
        let (purpose, path, is_post, inputs, button) = match decoy {
            DecoyForm::Newsletter { is_post } => (
                FormPurpose::Newsletter,
                Act::Newsletter.path(),
                is_post,
                vec![email],
                words.subscribe,
            ),
            DecoyForm::Login => (
                FormPurpose::Login,
                Act::Login.path(),
                true,
                vec![email, input("password", words.password, "password")],
                self.word(Word::Login),
            ),
            DecoyForm::Articles => (
                FormPurpose::Articles,
                ARTICLES,
                false,
                vec![input(ARTICLES_NAME, words.articles, "text")],
                self.word(Word::Search),
            ),
        };
        HtmlForm {
            purpose,
            action: Some(format!("http://{}{path}", self.site.hosts.main)),
            is_post,
            inputs,
            button_name: None,
            button: button.to_owned(),
            script: None,
        }
    }

    /// Returns the search form, filled with the values of a submission.
    pub(crate) fn search_form(&self, search: &SearchDesign, submission: &Submission) -> HtmlForm {
        let inputs = (0..)
            .zip(&search.fields)
            .filter(|(_, field)| field.widget != Widget::Link)
            .map(|(index, field)| self.input(search, field, submission.get(index), submission));
        let action = format!("http://{}{}", self.search_host(), search.action);
        let keyword = search
            .field(FieldRole::Keyword)
            .or(Some(0))
            .and_then(|field| search.fields.get(usize::from(field)))
            .map_or("", |field| field.name.as_str());
        // The script of a form without an action; it sends the first field alone.
        let script = match search.transport {
            Transport::Script => Some(format!("'{action}?{keyword}='")),
            Transport::Fragment => Some(format!("'{action}#{keyword}='")),
            Transport::Get | Transport::Post => None,
        };
        HtmlForm {
            purpose: FormPurpose::Search,
            action: script.is_none().then_some(action),
            is_post: search.transport == Transport::Post,
            inputs: inputs.collect(),
            button_name: search.button_name,
            button: self.word(Word::Search).to_owned(),
            script,
        }
    }

    fn input(
        &self,
        search: &SearchDesign,
        field: &SearchField,
        value: Option<&str>,
        submission: &Submission,
    ) -> Input {
        let kind = match field.widget {
            Widget::Text | Widget::Honeypot => "text",
            Widget::Search => "search",
            Widget::Number => "number",
            Widget::Date => "date",
            Widget::Select => "select",
            Widget::Radio => "radio",
            Widget::Check => "checkbox",
            Widget::Hidden | Widget::Link => "hidden",
        };
        let has_options = matches!(field.widget, Widget::Select | Widget::Radio | Widget::Check);
        Input {
            name: field.name.clone(),
            label: self.field_label(field.role),
            kind,
            value: match field.role {
                FieldRole::Bulk => "dDwtMTA3;".repeat(BULK),
                _ => value.unwrap_or(field.default_value()).to_owned(),
            },
            options: if has_options {
                self.options(search, field, submission)
            } else {
                Vec::new()
            },
            role: Some(field.role),
        }
    }

    fn options(&self, search: &SearchDesign, field: &SearchField, submission: &Submission) -> Vec<Choice> {
        let plain = |value: &str, text: &str| Choice {
            value: value.to_owned(),
            text: text.to_owned(),
            group: None,
        };
        let words = self.search_words();
        let all = plain("", self.word(Word::All));
        let with_all = |others: Vec<Choice>| std::iter::once(all.clone()).chain(others).collect();
        match field.role {
            FieldRole::Category => with_all(
                self.categories()
                    .map(|id| self.choice(search, field.role, usize::from(id)))
                    .collect(),
            ),
            FieldRole::Group => with_all(
                self.groups()
                    .into_iter()
                    .map(|id| self.choice(search, field.role, usize::from(id)))
                    .collect(),
            ),
            FieldRole::Line => with_all(self.lines(search, submission)),
            FieldRole::Language => with_all((0..4).map(|id| self.choice(search, field.role, id)).collect()),
            FieldRole::Stock if field.widget == Widget::Check => vec![plain("1", self.word(Word::InStock))],
            FieldRole::Stock => with_all(vec![
                plain("1", self.word(Word::InStock)),
                plain("0", self.word(Word::SoldOut)),
            ]),
            FieldRole::Year => {
                let this = Date::from_days(self.monday()).map_or(2026, |date| date.year());
                let years = (this - YEARS..=this + 1).rev().map(|year| year.to_string());
                with_all(years.map(|year| plain(&year, &year)).collect())
            }
            FieldRole::Sort => vec![
                plain("", words.relevance),
                plain("1", self.word(Word::Price)),
                plain("2", self.word(Word::Newest)),
            ],
            FieldRole::PageSize => {
                let usual = search.page_size.to_string();
                let sizes = ["10", "20", "50"].map(|size| plain(size, size));
                std::iter::once(plain("", &usual)).chain(sizes).collect()
            }
            FieldRole::Huge => {
                let numbers = (1..=HUGE).map(|number| number.to_string());
                with_all(numbers.map(|number| plain(&number, &number)).collect())
            }
            FieldRole::Ignored => {
                let [any, titles, texts] = words.match_in;
                vec![plain("any", any), plain("title", titles), plain("text", texts)]
            }
            _ => Vec::new(),
        }
    }

    /// Returns the lines of the chosen group, or of all groups if the form has them all.
    fn lines(&self, search: &SearchDesign, submission: &Submission) -> Vec<Choice> {
        let chosen = search
            .field(FieldRole::Group)
            .and_then(|field| self.chosen(search, FieldRole::Group, submission.get(field)?));
        let groups: Vec<usize> = match chosen {
            Some(group) => vec![group],
            None if search.lines_need_group => Vec::new(),
            None => self.groups().into_iter().map(usize::from).collect(),
        };
        let of_group = |group: usize| {
            (0..LINES).map(move |line| Choice {
                value: format!("{}-{}", group + 1, line + 1),
                text: self.line_name(group, line),
                group: Some(self.population().group_name(group as u16).to_owned()),
            })
        };
        groups.into_iter().flat_map(of_group).collect()
    }

    fn line_name(&self, group: usize, line: u64) -> String {
        let key = Key::root(self.web.spec().seed)
            .of("line", group as u64)
            .of("name", line);
        self.population().name(key)
    }

    fn field_label(&self, role: FieldRole) -> String {
        let words = self.search_words();
        let label = |attribute| self.design.writing.label(attribute).to_owned();
        let people = match self.web.spec().vertical {
            crate::spec::Vertical::Events => Attribute::Performers,
            crate::spec::Vertical::Books => Attribute::Authors,
            crate::spec::Vertical::Products => Attribute::Brand,
        };
        let group = match self.web.spec().vertical {
            crate::spec::Vertical::Events => Attribute::Venue,
            crate::spec::Vertical::Books => Attribute::Publisher,
            crate::spec::Vertical::Products => Attribute::Brand,
        };
        let code = match self.web.spec().vertical {
            crate::spec::Vertical::Products => Attribute::Gtin,
            _ => Attribute::Isbn,
        };
        match role {
            FieldRole::Keyword => words.keyword.to_owned(),
            FieldRole::Title => label(Attribute::Title),
            FieldRole::Person => label(people),
            FieldRole::Code => label(code),
            FieldRole::Postcode => words.postcode.to_owned(),
            FieldRole::Category => self.word(Word::Categories).to_owned(),
            FieldRole::Group => label(group),
            FieldRole::Line => words.model.to_owned(),
            FieldRole::Language => label(Attribute::Language),
            FieldRole::Stock => label(Attribute::Availability),
            FieldRole::PriceFrom => format!("{} {}", label(Attribute::Price), words.from_to[0]),
            FieldRole::PriceTo => format!("{} {}", label(Attribute::Price), words.from_to[1]),
            FieldRole::DateFrom => format!("{} {}", label(Attribute::Start), words.from_to[0]),
            FieldRole::DateTo => format!("{} {}", label(Attribute::Start), words.from_to[1]),
            FieldRole::Year => words.year.to_owned(),
            FieldRole::Sort => self.word(Word::Sort).to_owned(),
            FieldRole::PageSize => words.per_page.to_owned(),
            FieldRole::Ignored => self.word(Word::Search).to_owned(),
            FieldRole::Huge | FieldRole::Honeypot => self.word(Word::All).to_owned(),
            FieldRole::Scope | FieldRole::Token | FieldRole::Source | FieldRole::Bulk | FieldRole::Odd => {
                String::new()
            }
        }
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

    /// Returns the OpenSearch description.
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

/// The values of a submission, ready to be compared with objects.
struct Wanted<'w> {
    search: &'w SearchDesign,
    keyword: Vec<String>,
    /// True if the keyword has words, but all are too short.
    is_impossible: bool,
    is_keyword_alone: bool,
    is_single_word: bool,
    order: u8,
    tests: Vec<Test>,
}

/// A condition on an object.
enum Test {
    Title(String),
    People(String),
    Codes(String),
    Area(u32),
    Category(u8),
    Group(u16),
    Line(u16, u8),
    Language(usize),
    Stock(bool),
    PriceFrom(f64),
    PriceTo(f64),
    DateFrom(i64),
    DateTo(i64),
    Year(i32),
    /// A value that no object has.
    Never,
}

impl<'w> Wanted<'w> {
    fn new(scene: &Scene<'_>, search: &'w SearchDesign, submission: &Submission) -> Self {
        let mut wanted = Self {
            search,
            keyword: Vec::new(),
            is_impossible: false,
            is_keyword_alone: false,
            is_single_word: false,
            order: 0,
            tests: Vec::new(),
        };
        for (field, value) in submission.values() {
            let role = search.fields[usize::from(field)].role;
            let value = value.trim();
            let chosen = || scene.chosen(search, role, value);
            let day = || {
                let mut parts = value.split('-');
                let year = parts.next()?.parse().ok()?;
                let (month, day) = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
                Date::new(year, month, day).map(Date::to_days)
            };
            let test = match role {
                FieldRole::Keyword => {
                    let words = words_of(value);
                    wanted.keyword = words.split_whitespace().map(str::to_owned).collect();
                    wanted.is_single_word = wanted.keyword.len() == 1;
                    continue;
                }
                FieldRole::Sort => {
                    wanted.order = value.parse().unwrap_or(0);
                    continue;
                }
                FieldRole::Honeypot => Some(Test::Never),
                FieldRole::Title => Some(Test::Title(words_of(value))),
                FieldRole::Person => Some(Test::People(words_of(value))),
                FieldRole::Code => Some(Test::Codes(words_of(value))),
                FieldRole::Postcode => value.get(..2).and_then(|area| area.parse().ok()).map(Test::Area),
                FieldRole::Category => chosen().map(|id| Test::Category(id as u8)),
                FieldRole::Group => chosen().map(|id| Test::Group(id as u16)),
                FieldRole::Line => value.split_once('-').and_then(|(group, line)| {
                    let (group, line) = (group.parse::<u16>().ok()?, line.parse::<u8>().ok()?);
                    Some(Test::Line(group.checked_sub(1)?, line.checked_sub(1)?))
                }),
                FieldRole::Language => chosen().map(Test::Language),
                FieldRole::Stock => Some(Test::Stock(value != "0")),
                FieldRole::PriceFrom => value.replace(',', ".").parse().ok().map(Test::PriceFrom),
                FieldRole::PriceTo => value.replace(',', ".").parse().ok().map(Test::PriceTo),
                FieldRole::DateFrom => day().map(Test::DateFrom),
                FieldRole::DateTo => day().map(Test::DateTo),
                FieldRole::Year => value.parse().ok().map(Test::Year),
                _ => continue,
            };
            wanted.tests.push(test.unwrap_or(Test::Never));
        }
        wanted.is_keyword_alone = wanted.tests.is_empty() && !wanted.keyword.is_empty();
        wanted.is_single_word &= wanted.is_keyword_alone;
        wanted.is_impossible = wanted.is_short();
        wanted
    }

    fn is_short(&self) -> bool {
        !self.keyword.is_empty() && self.long_words().next().is_none()
    }

    fn long_words(&self) -> impl Iterator<Item = &String> {
        let min = self.search.min_letters;
        self.keyword
            .iter()
            .filter(move |word| word.chars().count() >= min)
    }

    /// Returns the rank of an object that matches; a higher one is better.
    fn matches(&self, row: &Row) -> Option<usize> {
        if self.is_impossible || !self.tests.iter().all(|test| self.passes(test, row)) {
            return None;
        }
        let asked = self.long_words().count();
        let with = self.long_words().filter(|word| self.has(&row.text, word)).count();
        let is_match = asked == 0 || with == asked || (self.search.is_any_word && with > 0);
        is_match.then_some(if self.search.is_any_word { with } else { 0 })
    }

    fn has(&self, text: &str, word: &str) -> bool {
        if self.search.is_prefix {
            text.contains(&format!(" {word}"))
        } else {
            text.contains(&format!(" {word} "))
        }
    }

    fn passes(&self, test: &Test, row: &Row) -> bool {
        let has_all = |text: &str, words: &str| words.split_whitespace().all(|word| self.has(text, word));
        match test {
            Test::Title(words) => has_all(&row.title, words),
            Test::People(words) => has_all(&row.people, words),
            Test::Codes(words) => has_all(&row.codes, words),
            Test::Area(area) => row.postcode / 1_000 == *area,
            Test::Category(category) => row.item.category == *category,
            Test::Group(group) => row.item.group == *group,
            Test::Line(group, line) => row.item.group == *group && row.line == *line,
            Test::Language(language) => row.language == *language,
            Test::Stock(is_in_stock) => row.is_in_stock == *is_in_stock,
            Test::PriceFrom(least) => row.price.is_some_and(|price| f64::from(price) >= *least),
            Test::PriceTo(most) => row.price.is_some_and(|price| f64::from(price) <= *most),
            Test::DateFrom(first) => row.item.day >= *first,
            Test::DateTo(last) => row.item.day <= *last,
            Test::Year(year) => Date::from_days(row.item.day).is_some_and(|date| date.year() == *year),
            Test::Never => false,
        }
    }
}

/// Returns the words of a text in lower case, each between spaces. Apostrophes and hyphens do not
/// divide words.
fn words_of(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push(' ');
    for letter in text.chars() {
        match letter {
            letter if letter.is_alphanumeric() => out.extend(letter.to_lowercase()),
            '\'' | '-' => {}
            _ if out.ends_with(' ') => {}
            _ => out.push(' '),
        }
    }
    if !out.ends_with(' ') {
        out.push(' ');
    }
    out
}
