//! Pages of results, and the links on them.

use std::collections::{BTreeMap, HashMap};

use super::super::{Block, Content, Link, Outcome, Scene};
use super::{FormPurpose, Found, HtmlForm, Input, ResultState};
use crate::address::{Act, Hidden, PageVariant, Route, Submission};
use crate::language::Word;
use crate::site::{EmptyStyle, FieldRole, Item, Limit, Place, SearchDesign};

/// Facet values that a page of results links to.
const MAX_FACETS: usize = 12;

/// Searches that a page of results suggests.
const SUGGESTED: usize = 4;

/// Objects of a page that shows popular ones instead of none.
const POPULAR: usize = 6;

/// Values of a field among the results, with names and counts.
struct Facet {
    role: FieldRole,
    heading: String,
    values: Vec<(String, String, usize)>,
}

impl Scene<'_> {
    pub(super) fn results(&self, search: &SearchDesign, submission: &Submission) -> Outcome {
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
}
