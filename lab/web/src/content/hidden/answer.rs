//! The answer of a search: the objects that match a submission.

use std::sync::{Arc, PoisonError};

use magpie_values::date::Date;

use super::super::Scene;
use crate::address::Submission;
use crate::facts::{Attribute, Value};
use crate::site::{FieldRole, Item, Limit, MAX_VIEWS, SearchDesign};

pub(super) const LINES: u64 = 4;

/// Data of an object that the search looks at.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    pub(crate) item: Item,
    line: u8,
    pub(super) language: usize,
    is_in_stock: bool,
    /// Price in whole units of the currency.
    price: Option<u32>,
    /// Five digits, of which the first two are an area.
    postcode: u32,
    pub(super) title: String,
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

#[derive(Clone, Debug)]
pub(crate) struct Found {
    pub(crate) state: ResultState,
    pub(crate) shown: Vec<Item>,
    /// Matching objects that some page of the answer shows.
    pub(crate) listed: usize,
    pub(crate) total: usize,
    /// Matching objects, for facets and suggestions.
    pub(super) matches: Vec<Item>,
}

impl Scene<'_> {
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
pub(super) fn words_of(text: &str) -> String {
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
