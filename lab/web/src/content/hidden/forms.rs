//! Forms of a deep site: its search, other forms beside it, and the pages that show them.

use magpie_values::date::Date;

use super::super::{Block, Content, Scene};
use super::answer::{LINES, words_of};
use crate::address::{Act, Hidden, Route, Submission};
use crate::facts::Attribute;
use crate::language::{LANGUAGES, Word};
use crate::random::Key;
use crate::site::{
    ARTICLES, ARTICLES_NAME, DecoyForm, FieldRole, Place, SearchDesign, SearchField, Transport, Widget,
};

/// Repetitions of a text in a hidden field, which make 90 kB.
const BULK: usize = 10_000;

/// Options of a menu that is far too long.
const HUGE: u32 = 10_000;

/// Years before this one that a select of years offers.
const YEARS: i32 = 8;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum FormPurpose {
    /// Finds objects.
    Search,
    /// Finds articles, never objects.
    Articles,
    Newsletter,
    Login,
    /// Asks for another page of results, where the search is sent with POST.
    Paging,
}

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
    pub(super) fn form_page(&self, search: &SearchDesign) -> Content {
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
    pub(super) fn articles(&self, search: &SearchDesign, text: &str) -> Content {
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
    pub(in crate::content) fn add_home_forms(&self, content: &mut Content) {
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
    pub(in crate::content) fn add_hidden_sidebar(&self, content: &mut Content) {
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

    pub(super) fn field_label(&self, role: FieldRole) -> String {
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

    /// Returns the value and the name of a category, group or language.
    pub(super) fn choice(&self, search: &SearchDesign, role: FieldRole, id: usize) -> Choice {
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
    pub(super) fn chosen(&self, search: &SearchDesign, role: FieldRole, value: &str) -> Option<usize> {
        let count = match role {
            FieldRole::Category => self.web.category_slugs.len(),
            FieldRole::Group => self.web.group_slugs.len(),
            _ => LANGUAGES.len(),
        };
        (0..count).find(|id| self.choice(search, role, *id).value == value)
    }
}
