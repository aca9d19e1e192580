//! Sets that are two tables and a list of the pairs that are one.

use std::collections::HashMap;
use std::path::Path;

use anyhow::{Context, Result};
use magpie_model::{Object, VerticalInfo};

use super::measure::{Label, Lists};
use super::object;
use crate::data::rows;

/// Columns behind the row's number, by the attribute they hold; `""` is a column without one.
type Columns<'a> = &'a [&'a str];

/// Goodreads and BookDepository. ISBN and the URL, which contains it, are removed. The gold
/// standard is equality of ISBN-13s. The pairs that were labelled by hand are looser.
pub(super) fn books(info: &VerticalInfo, folder: &Path) -> Result<(Lists, Vec<Label>)> {
    let mut objects = Vec::new();
    let mut second = 0;
    for (file, between) in [("books-goodreads.csv", ';'), ("books-bookdepository.csv", ':')] {
        second = objects.len();
        for row in rows(&folder.join(file), ',')?.iter().skip(1) {
            let mut cells = vec![("title", row[1].as_str())];
            cells.extend(row[2].split(between).map(|author| ("authors", author)));
            cells.extend([
                ("published", row[4].as_str()),
                ("pages", &row[5]),
                ("publisher", &row[6]),
                ("language", &row[7]),
            ]);
            objects.push(object(info, &cells));
        }
    }
    let number = |id: &str| -> Result<usize> { Ok(id.get(1..).context("an id without a number")?.parse()?) };
    let mut same = Vec::new();
    for row in rows(&folder.join("books-gold-isbn13.tsv"), '\t')? {
        same.push((number(&row[0])?, second + number(&row[1])?));
    }
    let mut labels = Vec::new();
    for row in rows(&folder.join("books-goodreads-bookdepository-499-labels.csv"), ',')?
        .iter()
        .skip(1)
    {
        // These ids count the rows from 1, and the left table is BookDepository.
        let place = |at: usize| -> Result<usize> {
            let number: usize = row[at].parse()?;
            number.checked_sub(1).context("an id below 1")
        };
        let is_same = row.last().is_some_and(|label| label == "1");
        labels.push(Label {
            pair: (place(3)?, second + place(2)?),
            is_same,
        });
    }
    Ok((
        Lists {
            objects,
            second,
            same,
        },
        labels,
    ))
}

pub(super) fn abt_buy(info: &VerticalInfo, folder: &Path) -> Result<Lists> {
    let columns = ["name", "", "price"];
    two_tables(info, folder, ["abtclean.csv", "buyclean.csv"], '|', &columns)
}

pub(super) fn amazon_google(info: &VerticalInfo, folder: &Path) -> Result<Lists> {
    let columns = ["name", "", "brand", "price"];
    two_tables(info, folder, ["amazonclean.csv", "gpclean.csv"], '#', &columns)
}

pub(super) fn restaurants(info: &VerticalInfo, folder: &Path) -> Result<Lists> {
    let columns = ["name", "phone", "street"];
    two_tables(info, folder, ["rest1clean.csv", "rest2clean.csv"], '|', &columns)
}

fn two_tables(
    info: &VerticalInfo,
    folder: &Path,
    files: [&str; 2],
    separator: char,
    columns: Columns<'_>,
) -> Result<Lists> {
    let mut objects: Vec<Object> = Vec::new();
    let mut places: [HashMap<String, usize>; 2] = Default::default();
    let mut second = 0;
    for (file, places) in files.iter().zip(&mut places) {
        second = objects.len();
        for row in rows(&folder.join(file), separator)?.iter().skip(1) {
            places.insert(row[0].clone(), objects.len());
            let cells = columns.iter().copied().zip(row[1..].iter().map(String::as_str));
            let cells: Vec<(&str, &str)> = cells.filter(|(attribute, _)| !attribute.is_empty()).collect();
            objects.push(object(info, &cells));
        }
    }
    let mut same = Vec::new();
    for row in rows(&folder.join("gtclean.csv"), separator)?.iter().skip(1) {
        let place = |side: usize| places[side].get(row[side].trim()).copied();
        same.push(
            place(0)
                .zip(place(1))
                .context("the gold names a row that is not there")?,
        );
    }
    Ok(Lists {
        objects,
        second,
        same,
    })
}
