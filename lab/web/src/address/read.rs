//! Parsing of URLs into routes.

use super::parts::Subject;
use super::style::{DetailForm, MonthForm, PageForm};
use super::write::{API, NEW_OBJECT, Names};
use super::{Family, IdScheme, PageVariant, Param, Parts, Route, Section, Style};

/// Maximum length of path and query in bytes. All URLs that the lab writes are much shorter.
const MAX_LENGTH: usize = 2_000;

/// Accepted months, in months since year 0: 1900 to 2199.
const MONTHS: std::ops::Range<i32> = 1900 * 12..2200 * 12;

impl Style {
    /// Parses a path and query. Ignores case, the order of parameters, and unknown parameters.
    pub(crate) fn read(&self, path_and_query: &str, names: &dyn Names) -> Option<Route> {
        if path_and_query.len() > MAX_LENGTH {
            return None;
        }
        if let Some(page) = names.find_hidden(path_and_query) {
            return Some(Route::Hidden(page));
        }
        let (path, query) = path_and_query.split_once('?').unwrap_or((path_and_query, ""));
        let path = path.split(';').next().unwrap_or(path);
        if let Some(route) = read_fixed(path) {
            return Some(route);
        }
        let path = strip_prefix(path, &self.prefix)?;
        if path.is_empty() || path == "/" {
            return Some(Route::Home);
        }
        let params = self.read_query(query);
        let mut parts = match self.family {
            Family::Folder => self.read_folders(path, names)?,
            Family::Script | Family::Front => self.read_script(path, &params, names)?,
        };
        if let Some(page) = value_of(&params, Param::Page).and_then(|page| page.parse::<u32>().ok()) {
            parts.page = match self.pages {
                PageForm::Offset => page / self.page_size + 1,
                _ => page,
            };
        }
        parts.params = params;
        parts.route()
    }

    fn read_query(&self, query: &str) -> Vec<(Param, String)> {
        let pairs = query.split('&').filter_map(|pair| pair.split_once('='));
        pairs
            .filter_map(|(name, value)| Some((self.param_named(name)?, decoded(value))))
            .collect()
    }

    fn read_script(&self, path: &str, params: &[(Param, String)], names: &dyn Names) -> Option<Parts> {
        let stem = strip_suffix(path.strip_prefix('/')?, &self.ending)?;
        let word = match self.family {
            Family::Front => {
                value_of(params, Param::Section).filter(|_| stem.eq_ignore_ascii_case("index"))?
            }
            _ => stem,
        };
        let section = self.section(word)?;
        let subject = self.subject(section, value_of(params, Param::Key), names)?;
        Some(Parts {
            section,
            subject,
            page: 1,
            params: Vec::new(),
        })
    }

    fn read_folders(&self, path: &str, names: &dyn Names) -> Option<Parts> {
        let path = strip_suffix(path, &self.ending)?;
        let mut segments: Vec<&str> = path.split('/').filter(|segment| !segment.is_empty()).collect();
        if let Some(position) = self.read_detail(&segments, names) {
            return Some(Parts {
                section: Section::Detail,
                subject: Subject::Object(position),
                page: 1,
                params: Vec::new(),
            });
        }
        let section = self.section(segments.first()?)?;
        if section == Section::Detail && self.form == DetailForm::IdMiddle {
            let [_, id, last] = segments[..] else { return None };
            let variant = self
                .section(last)
                .filter(|variant| matches!(variant, Section::Print | Section::Sub))?;
            return Some(Parts {
                section: variant,
                subject: self.subject(variant, Some(id), names)?,
                page: 1,
                params: Vec::new(),
            });
        }
        if section == Section::Detail {
            return None;
        }
        if section == Section::Dated {
            let subject = read_date(&segments[1..].join("/"))?;
            return Some(Parts {
                section,
                subject,
                page: 1,
                params: Vec::new(),
            });
        }
        if section == Section::Story && self.has_story_dates {
            let [_, year, month, key] = segments[..] else {
                return None;
            };
            let subject = self.subject(section, Some(key), names)?;
            let Subject::Number(number) = subject else {
                return None;
            };
            let date: (i32, u8) = (year.parse().ok()?, month.parse().ok()?);
            return (names.story_month(number) == date).then(|| Parts {
                section,
                subject,
                page: 1,
                params: Vec::new(),
            });
        }
        let page = self.take_page(&mut segments, section)?;
        if segments.len() > 2 {
            return None;
        }
        let subject = self.subject(section, segments.get(1).copied(), names)?;
        Some(Parts {
            section,
            subject,
            page,
            params: Vec::new(),
        })
    }

    /// Removes the page number from the end of a path and returns it.
    fn take_page(&self, segments: &mut Vec<&str>, section: Section) -> Option<u32> {
        let has_key = needs_key(section);
        let usual = if has_key { 2 } else { 1 };
        match self.pages {
            PageForm::Segment if segments.len() == usual + 2 => {
                let page = segments.pop()?.parse().ok()?;
                segments
                    .pop()?
                    .eq_ignore_ascii_case(&self.page_word)
                    .then_some(page)
            }
            PageForm::Bare if segments.len() == usual + 1 => segments.pop()?.parse().ok(),
            _ => Some(1),
        }
    }

    fn read_detail(&self, segments: &[&str], names: &dyn Names) -> Option<u32> {
        let word = self.word(Section::Detail);
        let is_word = |segment: &str| segment.eq_ignore_ascii_case(word);
        let id = |text: &str| self.ids.read(text).and_then(|id| u32::try_from(id).ok());
        let slug = |text: &str| names.find_slug(&text.to_ascii_lowercase());
        match (self.form, segments) {
            (DetailForm::Plain, [first, last]) if is_word(first) => id(last),
            (DetailForm::IdSlug, [first, last]) if is_word(first) => id(self.id_before_slug(last)),
            (DetailForm::SlugId, [first, last]) if is_word(first) => id(self.id_after_slug(last)),
            (DetailForm::SlugTail, [_, middle, last]) if is_word(middle) => id(last),
            (DetailForm::IdMiddle, [first, middle, last])
                if is_word(first) && last.eq_ignore_ascii_case(&self.tail) =>
            {
                id(middle)
            }
            (DetailForm::Slug, [first, last]) if is_word(first) => slug(last),
            (DetailForm::DateSlug, [year, month, last]) => {
                let date = (year.parse().ok()?, month.parse().ok()?);
                slug(last).filter(|position| names.month(*position) == date)
            }
            (DetailForm::CategorySlug, [first, last]) => slug(last).filter(|position| {
                names
                    .category_slug(names.category(*position))
                    .eq_ignore_ascii_case(first)
            }),
            _ => None,
        }
    }

    fn id_before_slug<'t>(&self, text: &'t str) -> &'t str {
        if matches!(self.ids, IdScheme::Uuid(_)) {
            return text.get(..36).unwrap_or_default();
        }
        text.split(self.separator).next().unwrap_or_default()
    }

    fn id_after_slug<'t>(&self, text: &'t str) -> &'t str {
        if matches!(self.ids, IdScheme::Uuid(_)) {
            return text
                .len()
                .checked_sub(36)
                .and_then(|start| text.get(start..))
                .unwrap_or_default();
        }
        text.rsplit(self.separator).next().unwrap_or_default()
    }

    fn subject(&self, section: Section, key: Option<&str>, names: &dyn Names) -> Option<Subject> {
        if section == Section::Dated {
            return read_date(key.unwrap_or_default());
        }
        if !needs_key(section) {
            return key.is_none().then_some(Subject::None);
        }
        let key = key?;
        let (categories, groups) = names.counts();
        let number = |key: &str| self.numbers.read(key);
        Some(match section {
            Section::Category if self.has_named_keys => Subject::Category(
                (0..categories).find(|c| names.category_slug(*c).eq_ignore_ascii_case(key))?,
            ),
            Section::Group if self.has_named_keys => {
                Subject::Group((0..groups).find(|g| names.group_slug(*g).eq_ignore_ascii_case(key))?)
            }
            Section::Category => {
                Subject::Category(u8::try_from(number(key)?).ok().filter(|c| *c < categories)?)
            }
            Section::Group => Subject::Group(u16::try_from(number(key)?).ok().filter(|g| *g < groups)?),
            Section::Calendar | Section::Archive => Subject::Month(read_month(self.month, key)?),
            Section::Detail
            | Section::Print
            | Section::Sub
            | Section::Twin
            | Section::Cart
            | Section::Comments => Subject::Object(if self.form.is_slug_only() {
                names.find_slug(&key.to_ascii_lowercase())?
            } else {
                u32::try_from(self.ids.read(key)?).ok()?
            }),
            Section::Story | Section::Thread if self.has_named_keys => {
                Subject::Number(number(key.split('-').next().unwrap_or_default())?)
            }
            _ => Subject::Number(number(key)?),
        })
    }
}

fn needs_key(section: Section) -> bool {
    !matches!(
        section,
        Section::List
            | Section::Past
            | Section::Search
            | Section::Stories
            | Section::Board
            | Section::Login
            | Section::Feed
    )
}

fn read_fixed(path: &str) -> Option<Route> {
    if path == "/robots.txt" {
        return Some(Route::Robots);
    }
    if path == NEW_OBJECT {
        return Some(Route::NewObject);
    }
    if path.starts_with(API) {
        return Some(Route::Api);
    }
    let part = path.strip_prefix("/sitemap")?.strip_suffix(".xml")?;
    match part.strip_prefix('-') {
        None => part.is_empty().then_some(Route::Sitemap { part: None }),
        Some(number) => Some(Route::Sitemap {
            part: Some(number.parse().ok()?),
        }),
    }
}

fn strip_prefix<'t>(text: &'t str, prefix: &str) -> Option<&'t str> {
    let head = text.get(..prefix.len())?;
    head.eq_ignore_ascii_case(prefix).then(|| &text[prefix.len()..])
}

fn strip_suffix<'t>(text: &'t str, suffix: &str) -> Option<&'t str> {
    let start = text.len().checked_sub(suffix.len())?;
    let tail = text.get(start..)?;
    tail.eq_ignore_ascii_case(suffix).then(|| &text[..start])
}

fn value_of(params: &[(Param, String)], wanted: Param) -> Option<&str> {
    params
        .iter()
        .find(|(param, _)| *param == wanted)
        .map(|(_, value)| value.as_str())
}

fn read_month(form: MonthForm, text: &str) -> Option<i32> {
    let (year, month) = match form {
        MonthForm::YearFirst => text.split_once('-')?,
        MonthForm::MonthFirst => text.split_once('-').map(|(month, year)| (year, month))?,
        MonthForm::Solid => text.split_at_checked(4)?,
    };
    let (year, month): (i32, i32) = (year.parse().ok()?, month.parse().ok()?);
    let months = year.checked_mul(12)?.checked_add(month.checked_sub(1)?)?;
    ((1..=12).contains(&month) && MONTHS.contains(&months)).then_some(months)
}

/// Parses `2026/11/20`; month and day are optional.
fn read_date(text: &str) -> Option<Subject> {
    let mut parts = text.split('/').filter(|part| !part.is_empty());
    let mut next = || parts.next().map_or(Some(0), |part| part.parse::<i32>().ok());
    let (year, month, day) = (next()?, next()?, next()?);
    let is_named = |part: i32, rest: i32, max: i32| (0..=max).contains(&part) && (part != 0 || rest == 0);
    let is_date = is_named(year, month, 9_999) && is_named(month, day, 12) && (0..=31).contains(&day);
    (is_date && parts.next().is_none()).then_some(Subject::Date(year, month as u8, day as u8))
}

pub(crate) fn decoded(value: &str) -> String {
    let bytes = value.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut index = 0;
    while index < bytes.len() {
        let hex = || std::str::from_utf8(bytes.get(index + 1..index + 3)?).ok();
        match (
            bytes[index],
            hex().and_then(|hex| u8::from_str_radix(hex, 16).ok()),
        ) {
            (b'%', Some(byte)) => {
                out.push(byte);
                index += 3;
                continue;
            }
            (b'+', _) => out.push(b' '),
            (byte, _) => out.push(byte),
        }
        index += 1;
    }
    String::from_utf8_lossy(&out).into_owned()
}

impl Route {
    /// Returns the route of the main page if this one is a copy of it under another path, otherwise
    /// the route itself.
    pub(crate) fn main(&self) -> Self {
        match self {
            Self::Detail {
                position,
                variant: PageVariant::Twin,
            } => Self::Detail {
                position: *position,
                variant: PageVariant::Main,
            },
            other => other.clone(),
        }
    }
}
