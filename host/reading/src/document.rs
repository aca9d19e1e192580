//! The file of a reading: TOML that a person can read and edit.

use std::fmt;
use std::ops::Range;

use magpie_model::VerticalInfo;
use serde::{Deserialize, Serialize};
use toml::Spanned;

use crate::Facts;
use crate::reading::{Class, ClassKind, Correction, Items, Locator, Reading};
use crate::schema::{Part, Schema};
use crate::tree;

/// Largest file that is read. A reading of hundreds of classes takes some hundred kilobytes.
const MAX_BYTES: usize = 4 * 1024 * 1024;

/// Characters of a message about a defect, and bytes of a field that is named in it.
const MAX_MESSAGE: usize = 400;
const MAX_FIELD: usize = 40;

const HEAD: &str = "\
# Places of values on the pages of a site, as Magpie learned them. Lines may be changed or removed;
# learning writes all but `[[correction]]` anew. `find` is a place: `label venue`, `icon fa-clock`,
# `div.date`, `.date a`, `#price`, `[itemprop=price]`, `h1`, `h1 + 2`, `path section>div>p:2`.

";

/// A file that is no reading.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct InvalidReading {
    /// The line, from 1.
    pub line: usize,
    /// The field; empty if the file is no TOML.
    pub field: String,
    /// Description of the defect.
    pub message: String,
}

impl fmt::Display for InvalidReading {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.field.as_str() {
            "" => write!(f, "line {}: {}", self.line, self.message),
            field => write!(f, "line {}, {field}: {}", self.line, self.message),
        }
    }
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    site: String,
    vertical: Spanned<String>,
    pages: usize,
    #[serde(default)]
    facts: Facts,
    #[serde(default, rename = "correction", skip_serializing_if = "Vec::is_empty")]
    corrections: Vec<CorrectionRow>,
    #[serde(default, rename = "class", skip_serializing_if = "Vec::is_empty")]
    classes: Vec<ClassRow>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct CorrectionRow {
    page: String,
    attribute: Spanned<String>,
    value: Spanned<String>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ClassRow {
    name: String,
    kind: ClassKind,
    pages: usize,
    example: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    makes_objects: Vec<String>,
    urls: Vec<String>,
    marks: Vec<String>,
    #[serde(default = "nothing")]
    shared: Spanned<f64>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    regions: Vec<String>,
    #[serde(default, rename = "value", skip_serializing_if = "Vec::is_empty")]
    locators: Vec<LocatorRow>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    items: Vec<ItemsRow>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ItemsRow {
    root: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    makes_objects: Vec<String>,
    #[serde(rename = "value")]
    locators: Vec<LocatorRow>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct LocatorRow {
    attribute: Spanned<String>,
    find: Spanned<String>,
    part: Spanned<String>,
    support: usize,
    stated: usize,
    agreement: Spanned<f64>,
    coverage: Spanned<f64>,
    variety: Spanned<f64>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    day: bool,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    only: Vec<String>,
}

impl Reading {
    /// Writes the reading as TOML.
    pub fn to_toml(&self) -> String {
        let locators = |locators: &[Locator]| locators.iter().map(|one| self.row(one)).collect();
        let class = |class: &Class| ClassRow {
            name: class.name.clone(),
            kind: class.kind,
            pages: class.pages,
            example: class.example.clone(),
            makes_objects: class.makes_objects.clone(),
            urls: class.urls.clone(),
            marks: class.marks.clone(),
            shared: rounded(class.shared),
            regions: class.regions.clone(),
            locators: locators(&class.locators),
            items: class
                .items
                .iter()
                .map(|items| ItemsRow {
                    root: items.root.clone(),
                    makes_objects: items.makes_objects.clone(),
                    locators: locators(&items.locators),
                })
                .collect(),
        };
        let correction = |one: &Correction| CorrectionRow {
            page: one.page.clone(),
            attribute: unplaced(one.attribute.clone()),
            value: unplaced(one.value.clone()),
        };
        let file = File {
            site: self.site.clone(),
            vertical: unplaced(self.schema.info.name.clone()),
            pages: self.pages,
            facts: self.facts.clone(),
            corrections: self.corrections.iter().map(correction).collect(),
            classes: self.classes.iter().map(class).collect(),
        };
        // Every value is a string, a number or a list of these, so it can be written.
        format!("{HEAD}{}", toml::to_string_pretty(&file).unwrap_or_default())
    }

    fn row(&self, locator: &Locator) -> LocatorRow {
        LocatorRow {
            attribute: unplaced(self.schema.attribute(locator.attribute).name.clone()),
            find: unplaced(locator.find.clone()),
            part: unplaced(locator.part.to_string()),
            support: locator.support,
            stated: locator.stated,
            agreement: rounded(locator.agreement),
            coverage: rounded(locator.coverage),
            variety: rounded(locator.variety),
            day: locator.day,
            only: locator.only.clone(),
        }
    }

    /// Parses what [`Reading::to_toml`] writes, and what a person made of it.
    pub fn parse(text: &str, info: &VerticalInfo) -> Result<Reading, InvalidReading> {
        let reader = FileReader {
            text,
            schema: Schema::new(info),
        };
        if text.len() > MAX_BYTES {
            return Err(reader.fail(0..0, "", format!("larger than {MAX_BYTES} bytes")));
        }
        let file: File = toml::from_str(text).map_err(|error| {
            let message = error.message().replace(char::is_control, " ");
            let span = error.span().unwrap_or_default();
            let line = reader.line(span.start);
            let field = text.lines().nth(line - 1).and_then(|line| line.split_once('='));
            let field = field.map_or("", |(field, _)| field.trim());
            let is_word =
                field.len() <= MAX_FIELD && field.chars().all(|sign| sign.is_alphanumeric() || sign == '_');
            reader.fail(span, if is_word { field } else { "" }, message)
        })?;
        if *file.vertical.get_ref() != info.name {
            let message = format!(
                "the reading is one of {:?}, not of {}",
                file.vertical.get_ref(),
                info.name
            );
            return Err(reader.fail(file.vertical.span(), "vertical", message));
        }
        let corrections = file.corrections.into_iter().map(|row| reader.correction(row));
        let corrections = corrections.collect::<Result<_, _>>()?;
        let classes = file.classes.into_iter().map(|row| reader.class(row));
        let classes = classes.collect::<Result<_, _>>()?;
        Ok(Reading::new(
            reader.schema,
            file.site,
            file.pages,
            file.facts,
            classes,
            corrections,
        ))
    }
}

fn unplaced<T>(value: T) -> Spanned<T> {
    Spanned::new(0..0, value)
}

fn nothing() -> Spanned<f64> {
    unplaced(0.0)
}

fn rounded(share: f64) -> Spanned<f64> {
    unplaced((share * 1000.0).round() / 1000.0)
}

struct FileReader<'t> {
    text: &'t str,
    schema: Schema,
}

impl FileReader<'_> {
    fn line(&self, at: usize) -> usize {
        let before = self.text.as_bytes().iter().take(at);
        before.filter(|byte| **byte == b'\n').count() + 1
    }

    fn fail(&self, span: Range<usize>, field: &str, message: impl Into<String>) -> InvalidReading {
        let mut message: String = message.into();
        // A text of the file may be of any length.
        if let Some((end, _)) = message.char_indices().nth(MAX_MESSAGE) {
            message.truncate(end);
            message.push('…');
        }
        InvalidReading {
            line: self.line(span.start),
            field: field.to_owned(),
            message,
        }
    }

    fn attribute(&self, name: &Spanned<String>) -> Result<usize, InvalidReading> {
        let info = &self.schema.info;
        self.schema.place(name.get_ref()).ok_or_else(|| {
            let known: Vec<&str> = info.attributes.iter().map(|one| one.name.as_str()).collect();
            let message = format!(
                "{} has no attribute {:?}; it has {}",
                info.name,
                name.get_ref(),
                known.join(", ")
            );
            self.fail(name.span(), "attribute", message)
        })
    }

    fn correction(&self, row: CorrectionRow) -> Result<Correction, InvalidReading> {
        let at = self.attribute(&row.attribute)?;
        let correction = Correction {
            page: row.page,
            attribute: row.attribute.into_inner(),
            value: row.value.get_ref().clone(),
        };
        match correction.read(&self.schema, at) {
            Some(_) => Ok(correction),
            None => {
                let message = format!(
                    "{:?} is not {}",
                    correction.value,
                    self.schema.kind(at).facts().noun
                );
                Err(self.fail(row.value.span(), "value", message))
            }
        }
    }

    fn class(&self, row: ClassRow) -> Result<Class, InvalidReading> {
        let items = row.items.into_iter().map(|row| {
            Ok(Items {
                root: row.root,
                makes_objects: row.makes_objects,
                locators: self.locators(row.locators)?,
            })
        });
        Ok(Class {
            name: row.name,
            kind: row.kind,
            pages: row.pages,
            example: row.example,
            makes_objects: row.makes_objects,
            urls: row.urls,
            marks: row.marks,
            shared: self.share(&row.shared, "shared")?,
            regions: row.regions,
            items: items.collect::<Result<_, _>>()?,
            locators: self.locators(row.locators)?,
        })
    }

    fn share(&self, share: &Spanned<f64>, field: &str) -> Result<f64, InvalidReading> {
        match *share.get_ref() {
            value if (0.0..=1.0).contains(&value) => Ok(value),
            value => Err(self.fail(share.span(), field, format!("{value} is no share from 0 to 1"))),
        }
    }

    fn locators(&self, rows: Vec<LocatorRow>) -> Result<Vec<Locator>, InvalidReading> {
        rows.into_iter().map(|row| self.locator(row)).collect()
    }

    fn locator(&self, row: LocatorRow) -> Result<Locator, InvalidReading> {
        let part: Result<Part, String> = row.part.get_ref().parse();
        tree::check_name(row.find.get_ref())
            .map_err(|message| self.fail(row.find.span(), "find", message))?;
        Ok(Locator {
            attribute: self.attribute(&row.attribute)?,
            part: part.map_err(|message| self.fail(row.part.span(), "part", message))?,
            support: row.support,
            stated: row.stated,
            agreement: self.share(&row.agreement, "agreement")?,
            coverage: self.share(&row.coverage, "coverage")?,
            variety: self.share(&row.variety, "variety")?,
            find: row.find.into_inner(),
            day: row.day,
            only: row.only,
        })
    }
}
