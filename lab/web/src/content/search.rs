//! Small searches of sites whose objects links lead to, too.

use super::{Block, Content, Form, Outcome, Scene};
use crate::address::{Param, Query, Route};
use crate::facts::{Attribute, Value};
use crate::language::Word;
use crate::site::Item;

/// Maximum number of results of a query, over all pages.
const MAX_RESULTS: usize = 200;
/// Number of searches that a page of results suggests.
const SUGGESTED: usize = 4;

impl Scene<'_> {
    /// Returns the form, with or without menus.
    pub(super) fn form(&self, query: &Query, is_full: bool) -> Form {
        let mut selects = Vec::new();
        if is_full {
            let mut options = vec![(String::new(), self.word(Word::All).to_owned())];
            options.extend(
                self.categories()
                    .map(|c| (c.to_string(), self.population().category_name(c).to_owned())),
            );
            selects.push((Param::Category, options));
            let mut options = vec![(String::new(), self.word(Word::All).to_owned())];
            options.extend(
                self.groups()
                    .into_iter()
                    .map(|g| (g.to_string(), self.population().group_name(g).to_owned())),
            );
            if self.key("form group", 0).per_mille(500) {
                selects.push((Param::Group, options));
            }
        }
        Form {
            query: query.clone(),
            selects,
            button: self.word(Word::Search),
        }
    }

    pub(super) fn search(&self, query: &Query) -> Outcome {
        if !self.site.plan.has_search {
            return Outcome::Missing;
        }
        let mut content = Content::new(self.word(Word::Search).to_owned());
        content.changed = self.week;
        content.is_noindex = self.key("search noindex", 0).per_mille(300);
        content.main.push(Block::Form(self.form(query, true)));
        if query.page > 0 {
            let items = self.matches(query);
            let pages = self.pages(items.len());
            if query.page > pages {
                return Outcome::Missing;
            }
            self.add_results(&mut content, query, &items, pages);
        }
        self.add_sidebar(&mut content, self.key("search", 0));
        Outcome::Page(Box::new(content))
    }

    fn add_results(&self, content: &mut Content, query: &Query, items: &[Item], pages: u32) {
        if items.is_empty() {
            content.main.push(Block::Line(format!(
                "{} ({})",
                self.word(Word::Nothing),
                query.text
            )));
            return;
        }
        content
            .main
            .push(Block::Line(format!("{} {}", items.len(), self.word(Word::Hits))));
        let size = self.design.style.page_size as usize;
        let start = (query.page as usize - 1) * size;
        self.add_list(
            content,
            &items[start.min(items.len())..items.len().min(start + size)],
        );
        content.main.push(self.pager(query.page, pages, |page| {
            Route::Search(Query {
                page,
                ..query.clone()
            })
        }));
        content.main.push(self.sort_links(query));
        content.main.push(self.facets(query, items));
        content.main.push(self.suggestions(items));
    }

    /// Returns links to the same query in other orders. These links and those of `facets` carry a
    /// tracking parameter on sites that track.
    fn sort_links(&self, query: &Query) -> Block {
        let words = [(0, Word::All), (1, Word::Price), (2, Word::Newest)];
        let others = words.into_iter().filter(|(order, _)| *order != query.order);
        let link = |(order, word)| {
            let query = Query {
                order,
                page: 1,
                ..query.clone()
            };
            self.tracked_link(Route::Search(query), self.word(word).to_owned())
        };
        Block::Links(self.word(Word::Sort).to_owned(), others.map(link).collect())
    }

    /// Returns links to the same query within a category.
    fn facets(&self, query: &Query, items: &[Item]) -> Block {
        let has = |category: &u8| items.iter().any(|item| item.category == *category);
        let others = self
            .categories()
            .filter(has)
            .filter(|category| query.category != Some(*category));
        let link = |category: u8| {
            let query = Query {
                category: Some(category),
                page: 1,
                ..query.clone()
            };
            self.tracked_link(
                Route::Search(query),
                self.population().category_name(category).to_owned(),
            )
        };
        Block::Links(self.word(Word::Categories).to_owned(), others.map(link).collect())
    }

    /// Returns links to other searches: single words from the titles found.
    fn suggestions(&self, items: &[Item]) -> Block {
        let word = |item: &Item| {
            let title = self.population().title(item.object);
            title.split(' ').find(|word| word.len() > 4).map(normalised)
        };
        let mut words: Vec<String> = items.iter().take(SUGGESTED).filter_map(word).collect();
        words.dedup();
        let link = |text: String| {
            self.link(
                Route::Search(Query {
                    text: text.clone(),
                    page: 1,
                    ..Query::default()
                }),
                &text,
            )
        };
        Block::Links(
            self.word(Word::Related).to_owned(),
            words.into_iter().map(link).collect(),
        )
    }

    /// Returns the objects that contain all words of the query in title, people, venue or
    /// identifier.
    fn matches(&self, query: &Query) -> Vec<Item> {
        let words: Vec<String> = query
            .text
            .split_whitespace()
            .map(normalised)
            .filter(|word| !word.is_empty())
            .collect();
        let is_empty = words.is_empty() && query.category.is_none() && query.group.is_none();
        // Half of the sites answer an empty query with all objects, the others with none.
        if is_empty && !self.key("empty query", 0).per_mille(500) {
            return Vec::new();
        }
        let fits = |item: &&Item| {
            query.category.is_none_or(|category| item.category == category)
                && query.group.is_none_or(|group| item.group == group)
                && self.has_words(item, &words)
        };
        let mut items: Vec<Item> = self
            .view
            .current
            .iter()
            .filter(fits)
            .copied()
            .take(MAX_RESULTS)
            .collect();
        self.sort_items(&mut items, query.order);
        items
    }

    fn has_words(&self, item: &Item, words: &[String]) -> bool {
        if words.is_empty() {
            return true;
        }
        let mut text = normalised(&self.population().title(item.object));
        if words.iter().all(|word| text.contains(word.as_str())) {
            return true;
        }
        for fact in self.population().facts(item.object, self.week) {
            let is_searched = matches!(
                fact.attribute,
                Attribute::Venue
                    | Attribute::Authors
                    | Attribute::Isbn
                    | Attribute::Gtin
                    | Attribute::Brand
                    | Attribute::Performers
            );
            if is_searched && !matches!(fact.value, Value::Moment(..)) {
                text.push(' ');
                text.push_str(&normalised(&fact.value.normal().join(" ")));
            }
        }
        words.iter().all(|word| text.contains(word.as_str()))
    }
}

/// Returns a text in lower case, reduced to letters, digits and spaces.
fn normalised(text: &str) -> String {
    let kept = text.chars().filter(|c| c.is_alphanumeric() || *c == ' ');
    kept.flat_map(char::to_lowercase).collect()
}
