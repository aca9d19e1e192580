//! The URL grammar of one design of one site.

use super::{IdScheme, Param, Section};
use crate::random::Key;
use crate::words::stock::SECTIONS;
use crate::words::{Tongue, capital};

/// Overall layout of a site's URLs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Family {
    /// `/word/key/`
    Folder,
    /// `/word.asp?id=key`
    Script,
    /// `/index.php?do=word&id=key`
    Front,
}

/// Layout of the URLs of detail pages on sites with folders.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DetailForm {
    /// `/word/123`
    Plain,
    /// `/word/123-slug`
    IdSlug,
    /// `/word/slug-123`
    SlugId,
    /// `/slug/word/123`
    SlugTail,
    /// `/word/123/tail`
    IdMiddle,
    /// `/2026/11/slug`
    DateSlug,
    /// `/category/slug`
    CategorySlug,
    /// `/word/slug`
    Slug,
}

impl DetailForm {
    /// Returns true if URLs identify objects by their slugs alone.
    pub(crate) fn is_slug_only(self) -> bool {
        matches!(self, Self::DateSlug | Self::CategorySlug | Self::Slug)
    }
}

/// Notation of the page number of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PageForm {
    /// `?p=2`
    Param,
    /// `?from=20`
    Offset,
    /// `/word/2`
    Segment,
    /// `/2`
    Bare,
}

/// Notation of a month in a URL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MonthForm {
    YearFirst,
    MonthFirst,
    Solid,
}

/// The URL grammar of one design.
#[derive(Clone, Debug)]
pub(crate) struct Style {
    pub(crate) family: Family,
    /// Folder above all pages, such as `/en`; may be empty.
    pub(crate) prefix: String,
    /// Ending of paths: nothing, a slash, `.html`, `.asp`.
    pub(crate) ending: String,
    words: Vec<String>,
    params: Vec<String>,
    pub(crate) ids: IdScheme,
    pub(crate) numbers: IdScheme,
    pub(crate) form: DetailForm,
    pub(crate) pages: PageForm,
    pub(crate) page_word: String,
    pub(crate) tail: String,
    pub(crate) month: MonthForm,
    /// Writes categories and groups as slugs, not as numbers.
    pub(crate) has_named_keys: bool,
    pub(crate) separator: char,
    /// Writes words and slugs With-Capitals.
    pub(crate) has_capitals: bool,
    /// Writes the session id into the path, as `;sid=…`.
    pub(crate) has_path_session: bool,
    /// Objects on a page of a list.
    pub(crate) page_size: u32,
    /// Puts stories below the year and month of their publication, on sites with folders.
    pub(crate) has_story_dates: bool,
}

const SCRIPTS: &[&str] = &[".asp", ".php", ".aspx", ".jsp", ".do", ".cgi", ".pl", ".cfm", ""];

impl Style {
    pub(crate) fn new(key: Key, tongue: &Tongue) -> Self {
        let family =
            key.of("family", 0)
                .weighted(&[(70, Family::Folder), (18, Family::Script), (12, Family::Front)]);
        let ids = IdScheme::new(key.of("ids", 0));
        let has_capitals = key.of("capitals", 0).per_mille(90);
        let words = words(key, tongue, has_capitals);
        Self {
            family,
            prefix: if key.of("prefix", 0).per_mille(300) {
                format!("/{}", &tongue.word(key.of("prefix", 1)))
            } else {
                String::new()
            },
            ending: ending(key, family),
            page_word: word(key.of("page word", 0), tongue),
            tail: word(key.of("tail", 0), tongue),
            params: params(key, tongue),
            words,
            numbers: IdScheme::Serial {
                start: 1 + key.of("numbers", 0).below(4) * 1_000,
                step: 1,
            },
            form: form(key, family),
            pages: pages(key, family),
            month: key.of("month", 0).weighted(&[
                (3, MonthForm::YearFirst),
                (1, MonthForm::MonthFirst),
                (1, MonthForm::Solid),
            ]),
            has_named_keys: key.of("named keys", 0).per_mille(600),
            separator: key.of("separator", 0).weighted(&[(8, '-'), (2, '_'), (1, '+')]),
            has_capitals,
            has_path_session: key.of("path session", 0).per_mille(400),
            page_size: key
                .of("page size", 0)
                .weighted(&[(3, 10), (2, 12), (3, 20), (2, 25), (1, 50)]),
            ids,
            has_story_dates: false,
        }
    }

    pub(crate) fn word(&self, section: Section) -> &str {
        &self.words[section as usize]
    }

    /// Describes the URLs of objects in one line.
    pub(crate) fn shape(&self) -> String {
        let ids = match &self.ids {
            _ if self.form.is_slug_only() => "slug",
            IdScheme::Serial { .. } => "serial",
            IdScheme::Scattered(_) => "number",
            IdScheme::Code { .. } => "code",
            IdScheme::Uuid(_) => "uuid",
            IdScheme::Hash(_) => "hash",
        };
        let Self {
            family,
            ending,
            form,
            pages,
            ..
        } = self;
        format!(
            "{family:?} {form:?} {ids} {pages:?} {}{ending}",
            self.word(Section::Detail).to_lowercase()
        )
    }

    /// Returns true if the URLs of stories contain their dates.
    pub(crate) fn dates_stories(&self) -> bool {
        self.has_story_dates && self.family == Family::Folder
    }

    /// Returns the section of a word, ignoring case.
    pub(crate) fn section(&self, word: &str) -> Option<Section> {
        Section::ALL
            .into_iter()
            .find(|section| self.word(*section).eq_ignore_ascii_case(word))
    }

    pub(crate) fn param(&self, param: Param) -> &str {
        &self.params[param as usize]
    }

    /// Returns the parameter with a name, ignoring case.
    pub(crate) fn param_named(&self, name: &str) -> Option<Param> {
        Param::ALL
            .into_iter()
            .find(|param| self.param(*param).eq_ignore_ascii_case(name))
    }

    /// Changes the words in paths, as one kind of redesign does.
    pub(crate) fn rename_words(&mut self, key: Key, tongue: &Tongue) {
        self.words = words(key, tongue, self.has_capitals);
    }

    /// Changes the names of the parameters.
    pub(crate) fn rename_params(&mut self, key: Key, tongue: &Tongue) {
        self.params = params(key, tongue);
    }

    /// Changes the ids of the objects.
    pub(crate) fn renumber(&mut self, key: Key) {
        let old = self.ids.clone();
        self.ids = (0..)
            .map(|id| IdScheme::new(key.of("ids", id)))
            .find(|ids| *ids != old)
            .unwrap_or(old);
        if self.form.is_slug_only() {
            self.form = DetailForm::IdSlug;
        }
    }

    /// Changes the page size and the notation of page numbers.
    pub(crate) fn repaginate(&mut self, key: Key) {
        self.page_size = if self.page_size > 15 { 8 } else { 30 };
        let others: Vec<PageForm> = [
            PageForm::Param,
            PageForm::Offset,
            PageForm::Segment,
            PageForm::Bare,
        ]
        .into_iter()
        .filter(|form| *form != self.pages && (self.family == Family::Folder || !form.is_path()))
        .collect();
        self.pages = key.of("pages", 0).pick(&others);
    }
}

impl PageForm {
    fn is_path(self) -> bool {
        matches!(self, Self::Segment | Self::Bare)
    }
}

/// Returns a word for a URL, made up half of the time.
fn word(key: Key, tongue: &Tongue) -> String {
    if key.of("made up", 0).per_mille(500) {
        return tongue.word(key.of("word", 0));
    }
    key.of("plain", 0).pick(&SECTIONS).to_owned()
}

/// Returns a distinct word for every section; no word is a number.
fn words(key: Key, tongue: &Tongue, has_capitals: bool) -> Vec<String> {
    let mut words: Vec<String> = Vec::with_capacity(Section::ALL.len());
    for section in Section::ALL {
        let fresh = (0..)
            .map(|attempt| word(key.of("section", section as u64).of("attempt", attempt), tongue))
            .find(|word| !words.iter().any(|known| known.eq_ignore_ascii_case(word)));
        let word = fresh.unwrap_or_default();
        words.push(if has_capitals { capital(&word) } else { word });
    }
    words
}

/// Returns a name for every parameter: one letter, a short word, or a made-up word.
fn params(key: Key, tongue: &Tongue) -> Vec<String> {
    let mut names: Vec<String> = Vec::with_capacity(Param::ALL.len());
    for param in Param::ALL {
        let name = |attempt: u64| {
            let key = key.of("param", param as u64).of("attempt", attempt);
            match key.below(3) {
                0 => ((b'a' + key.of("letter", 0).below(26) as u8) as char).to_string(),
                1 => word(key, tongue),
                _ => tongue.word(key).chars().take(4).collect(),
            }
        };
        let fresh = (0..).map(name).find(|name| !names.contains(name));
        names.push(fresh.unwrap_or_default());
    }
    names
}

fn ending(key: Key, family: Family) -> String {
    let key = key.of("ending", 0);
    let ending = match family {
        Family::Folder => key.weighted(&[(5, ""), (3, "/"), (3, ".html"), (1, ".aspx"), (1, ".htm")]),
        Family::Script | Family::Front => key.pick(SCRIPTS),
    };
    ending.to_owned()
}

fn form(key: Key, family: Family) -> DetailForm {
    if family != Family::Folder {
        return if key.of("form", 0).per_mille(150) {
            DetailForm::Slug
        } else {
            DetailForm::Plain
        };
    }
    key.of("form", 0).weighted(&[
        (3, DetailForm::Plain),
        (5, DetailForm::IdSlug),
        (3, DetailForm::SlugId),
        (2, DetailForm::SlugTail),
        (2, DetailForm::IdMiddle),
        (2, DetailForm::DateSlug),
        (2, DetailForm::CategorySlug),
        (3, DetailForm::Slug),
    ])
}

fn pages(key: Key, family: Family) -> PageForm {
    let choices = [
        (5, PageForm::Param),
        (2, PageForm::Offset),
        (2, PageForm::Segment),
        (1, PageForm::Bare),
    ];
    let count = if family == Family::Folder { 4 } else { 2 };
    key.of("pages", 0).weighted(&choices[..count])
}
