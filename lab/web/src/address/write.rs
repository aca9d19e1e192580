//! Writing of URLs: path and query, from the root of the host.

use super::parts::Subject;
use super::style::{DetailForm, MonthForm, PageForm};
use super::{Family, Hidden, Param, Parts, Route, Section, Style};
use crate::words::capital;

/// Names, dates and categories that URLs contain. Implemented by a site with its catalogue.
pub(crate) trait Names {
    /// Appends the slug of an object; unique on the site.
    fn push_slug(&self, out: &mut String, position: u32, separator: char);
    fn find_slug(&self, slug: &str) -> Option<u32>;
    /// Returns the year and month in the URL of an object.
    fn month(&self, position: u32) -> (i32, u8);
    /// Returns the year and month in the URL of a story.
    fn story_month(&self, number: u64) -> (i32, u8);
    fn category(&self, position: u32) -> u8;
    fn category_slug(&self, category: u8) -> &str;
    fn group_slug(&self, group: u16) -> &str;
    /// Returns the numbers of categories and groups.
    fn counts(&self) -> (u8, u16);
    /// Appends the slug of a story or thread.
    fn push_number_slug(&self, out: &mut String, section: Section, number: u64);
    /// Appends the path and query of a page of the search of a deep site.
    fn push_hidden(&self, out: &mut String, page: &Hidden);
    /// Parses the path and query of a page of the search of a deep site.
    fn find_hidden(&self, path_and_query: &str) -> Option<Hidden>;
}

/// Path of the form for new objects, which shop systems link to from empty lists.
pub(super) const NEW_OBJECT: &str = "/admin/products/new";
/// Path of the API for programs.
pub(super) const API: &str = "/wp-json/";

/// Parts of a link that do not affect the page it leads to.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Noise {
    pub(crate) session: Option<u64>,
    pub(crate) tracking: Option<u64>,
    /// Reverses the order of the parameters.
    pub(crate) is_reordered: bool,
    pub(crate) is_uppercase: bool,
}

impl Style {
    /// Appends the path and query of a route.
    pub(crate) fn write(&self, out: &mut String, route: &Route, names: &dyn Names, noise: Noise) {
        let start = out.len();
        let mut params = Vec::new();
        match (route, Parts::of(route)) {
            (_, Some(parts)) => self.write_parts(out, &parts, names, &mut params),
            (Route::Robots, _) => return out.push_str("/robots.txt"),
            (Route::Sitemap { part }, _) => return push_sitemap(out, *part),
            (Route::NewObject, _) => return out.push_str(NEW_OBJECT),
            (Route::Api, _) => return out.push_str(API),
            (Route::Hidden(page), _) => return names.push_hidden(out, page),
            _ => {
                out.push_str(&self.prefix);
                out.push('/');
            }
        }
        if noise.is_uppercase {
            uppercase_path(out, start);
        }
        self.write_query(out, params, noise);
    }

    fn write_parts(
        &self,
        out: &mut String,
        parts: &Parts,
        names: &dyn Names,
        params: &mut Vec<(Param, String)>,
    ) {
        out.push_str(&self.prefix);
        match self.family {
            Family::Folder => self.write_folders(out, parts, names),
            Family::Script | Family::Front => {
                let word = self.word(parts.section);
                if self.family == Family::Script {
                    out.push('/');
                    out.push_str(word);
                } else {
                    out.push_str("/index");
                    params.push((Param::Section, word.to_owned()));
                }
                out.push_str(&self.ending);
                let mut key = String::new();
                self.push_subject(&mut key, parts, names);
                if !key.is_empty() {
                    params.push((Param::Key, key));
                }
            }
        }
        params.extend(parts.params.iter().cloned());
        match self.pages {
            _ if parts.page <= 1 => {}
            PageForm::Param => params.push((Param::Page, parts.page.to_string())),
            PageForm::Offset => params.push((Param::Page, ((parts.page - 1) * self.page_size).to_string())),
            PageForm::Segment | PageForm::Bare if parts.section == Section::Search => {
                params.push((Param::Page, parts.page.to_string()));
            }
            PageForm::Segment | PageForm::Bare => {}
        }
    }

    fn write_folders(&self, out: &mut String, parts: &Parts, names: &dyn Names) {
        out.push('/');
        if parts.section == Section::Detail {
            self.write_detail(out, parts, names);
        } else if self.form == DetailForm::IdMiddle && matches!(parts.section, Section::Print | Section::Sub)
        {
            out.push_str(self.word(Section::Detail));
            out.push('/');
            self.push_subject(out, parts, names);
            out.push('/');
            out.push_str(self.word(parts.section));
        } else {
            out.push_str(self.word(parts.section));
            if let (Section::Story, Subject::Number(number), true) =
                (parts.section, &parts.subject, self.has_story_dates)
            {
                let (year, month) = names.story_month(*number);
                out.push_str(&format!("/{year:04}/{month:02}"));
            }
            if !matches!(parts.subject, Subject::None | Subject::Date(0, ..)) {
                out.push('/');
                self.push_subject(out, parts, names);
            }
        }
        if parts.page > 1 && parts.section != Section::Search {
            match self.pages {
                PageForm::Segment => {
                    out.push('/');
                    out.push_str(&self.page_word);
                    out.push('/');
                    out.push_str(&parts.page.to_string());
                }
                PageForm::Bare => {
                    out.push('/');
                    out.push_str(&parts.page.to_string());
                }
                PageForm::Param | PageForm::Offset => {}
            }
        }
        out.push_str(&self.ending);
    }

    fn write_detail(&self, out: &mut String, parts: &Parts, names: &dyn Names) {
        let Subject::Object(position) = parts.subject else {
            return;
        };
        let word = self.word(Section::Detail);
        let id = |out: &mut String| self.ids.push(out, u64::from(position));
        match self.form {
            DetailForm::SlugTail => self.push_slug(out, position, names),
            DetailForm::DateSlug => {
                let (year, month) = names.month(position);
                out.push_str(&format!("{year:04}/{month:02}"));
            }
            DetailForm::CategorySlug => out.push_str(names.category_slug(names.category(position))),
            _ => out.push_str(word),
        }
        out.push('/');
        match self.form {
            DetailForm::Plain => id(out),
            DetailForm::IdSlug => {
                id(out);
                out.push(self.separator);
                self.push_slug(out, position, names);
            }
            DetailForm::SlugId => {
                self.push_slug(out, position, names);
                out.push(self.separator);
                id(out);
            }
            DetailForm::SlugTail => {
                out.push_str(word);
                out.push('/');
                id(out);
            }
            DetailForm::IdMiddle => {
                id(out);
                out.push('/');
                out.push_str(&self.tail);
            }
            DetailForm::DateSlug | DetailForm::CategorySlug | DetailForm::Slug => {
                self.push_slug(out, position, names);
            }
        }
    }

    fn push_slug(&self, out: &mut String, position: u32, names: &dyn Names) {
        if !self.has_capitals {
            return names.push_slug(out, position, self.separator);
        }
        let mut slug = String::new();
        names.push_slug(&mut slug, position, self.separator);
        let words: Vec<String> = slug.split(self.separator).map(capital).collect();
        out.push_str(&words.join(&self.separator.to_string()));
    }

    /// Appends the key of a subject.
    fn push_subject(&self, out: &mut String, parts: &Parts, names: &dyn Names) {
        match parts.subject {
            Subject::None => {}
            Subject::Object(position) if self.form.is_slug_only() => {
                names.push_slug(out, position, self.separator);
            }
            Subject::Object(position) => self.ids.push(out, u64::from(position)),
            Subject::Category(category) if self.has_named_keys => out.push_str(names.category_slug(category)),
            Subject::Group(group) if self.has_named_keys => out.push_str(names.group_slug(group)),
            Subject::Category(category) => self.numbers.push(out, u64::from(category)),
            Subject::Group(group) => self.numbers.push(out, u64::from(group)),
            Subject::Number(number) => {
                self.numbers.push(out, number);
                if self.has_named_keys && matches!(parts.section, Section::Story | Section::Thread) {
                    out.push('-');
                    names.push_number_slug(out, parts.section, number);
                }
            }
            Subject::Month(month) => push_month(out, self.month, month),
            Subject::Date(year, month, day) => push_date(out, year, month, day),
        }
    }

    fn write_query(&self, out: &mut String, mut params: Vec<(Param, String)>, noise: Noise) {
        if noise.is_reordered {
            params.reverse();
        }
        if let Some(tracking) = noise.tracking {
            params.push((Param::Tracking, format!("{tracking}")));
        }
        if let Some(session) = noise.session {
            if self.has_path_session {
                out.push_str(&format!(";{}={session:016x}", self.param(Param::Session)));
            } else {
                params.insert(0, (Param::Session, format!("{session:016x}")));
            }
        }
        for (index, (param, value)) in params.iter().enumerate() {
            out.push(if index == 0 { '?' } else { '&' });
            out.push_str(self.param(*param));
            out.push('=');
            push_encoded(out, value);
        }
    }
}

fn push_month(out: &mut String, form: MonthForm, month: i32) {
    let (year, month) = (month.div_euclid(12), month.rem_euclid(12) + 1);
    out.push_str(&match form {
        MonthForm::YearFirst => format!("{year:04}-{month:02}"),
        MonthForm::MonthFirst => format!("{month:02}-{year:04}"),
        MonthForm::Solid => format!("{year:04}{month:02}"),
    });
}

/// Appends `2026/11/20`, without the parts that are 0.
fn push_date(out: &mut String, year: i32, month: u8, day: u8) {
    if year != 0 {
        out.push_str(&format!("{year:04}"));
    }
    for part in [month, day].into_iter().filter(|part| *part != 0) {
        out.push_str(&format!("/{part:02}"));
    }
}

fn push_sitemap(out: &mut String, part: Option<u32>) {
    match part {
        None => out.push_str("/sitemap.xml"),
        Some(part) => out.push_str(&format!("/sitemap-{part}.xml")),
    }
}

/// Converts the path to upper case, as happens on servers that ignore case.
fn uppercase_path(out: &mut String, start: usize) {
    let upper = out[start..].to_ascii_uppercase();
    out.replace_range(start.., &upper);
}

/// Appends a percent-encoded value of a query string.
pub(super) fn push_encoded(out: &mut String, value: &str) {
    for byte in value.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' => out.push(byte as char),
            b' ' => out.push('+'),
            _ => out.push_str(&format!("%{byte:02X}")),
        }
    }
}
