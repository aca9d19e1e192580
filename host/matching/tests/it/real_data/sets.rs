//! The sets: schemas as a plugin's author would declare them, objects, and which pairs are one.

use std::collections::HashMap;
use std::path::Path;

use magpie_model::{Attribute, Field, Kind, Object, PageContext, Value, VerticalInfo, check};

use super::tables;

/// Two lists of objects, and what is known of pairs across them.
pub(crate) struct Set {
    pub(crate) name: String,
    pub(crate) info: VerticalInfo,
    pub(crate) objects: Vec<Object>,
    /// Objects before this one are of the first list.
    pub(crate) second: usize,
    /// Pairs that are one object.
    pub(crate) same: Vec<(usize, usize)>,
    /// The pairs that are judged; all pairs across the lists when none.
    pub(crate) judged: Option<Vec<(usize, usize)>>,
}

/// pyJedAI D1: names, phones and streets of restaurants, in separate rows.
pub(crate) fn restaurants() -> Option<Set> {
    let folder = magpie_test_support::data::find("entity-resolution")?.join("pyjedai/D1");
    let info = vertical(&[
        ("name", "text", true),
        ("phone", "identifier:phone", true),
        ("street", "place", true),
    ]);
    let columns = ["name", "phone", "street"];
    Some(two_tables(
        "D1 restaurants",
        info,
        &folder,
        ["rest1clean.csv", "rest2clean.csv"],
        '|',
        &columns,
    ))
}

/// pyJedAI D2: Abt and Buy.
pub(crate) fn abt_buy() -> Option<Set> {
    let folder = magpie_test_support::data::find("entity-resolution")?.join("pyjedai/D2");
    let info = vertical(&[
        ("name", "text", true),
        ("description", "text", false),
        ("price", "money", false),
    ]);
    let columns = ["name", "description", "price"];
    Some(two_tables(
        "D2 Abt-Buy",
        info,
        &folder,
        ["abtclean.csv", "buyclean.csv"],
        '|',
        &columns,
    ))
}

/// pyJedAI D3: software at Amazon and Google.
pub(crate) fn amazon_google() -> Option<Set> {
    let folder = magpie_test_support::data::find("entity-resolution")?.join("pyjedai/D3");
    let info = vertical(&[
        ("name", "text", true),
        ("description", "text", false),
        ("maker", "organisation", false),
        ("price", "money", false),
    ]);
    let columns = ["name", "description", "maker", "price"];
    Some(two_tables(
        "D3 Amazon-Google",
        info,
        &folder,
        ["amazonclean.csv", "gpclean.csv"],
        '#',
        &columns,
    ))
}

/// Goodreads and BookDepository without their ISBNs; the same ISBN is the same edition.
pub(crate) fn books_by_isbn() -> Option<Set> {
    let folder = magpie_test_support::data::find("entity-resolution")?;
    let mut set = books(&folder, "books, same ISBN");
    let gold = tables::rows(&folder.join("books-gold-isbn13.tsv"), '\t');
    let number = |id: &str| id[1..].parse::<usize>().expect("ids are a letter and a number");
    set.same = gold
        .iter()
        .map(|row| (number(&row[0]), set.second + number(&row[1])))
        .collect();
    Some(set)
}

/// The same books, judged by hand on 499 pairs.
pub(crate) fn books_by_hand() -> Option<Set> {
    let folder = magpie_test_support::data::find("entity-resolution")?;
    let mut set = books(&folder, "books, by hand");
    let labels = tables::rows(&folder.join("books-goodreads-bookdepository-499-labels.csv"), ',');
    let mut judged = Vec::new();
    for row in &labels[1..] {
        // These ids count the rows from 1.
        let number = |at: usize| row[at].parse::<usize>().expect("ids are numbers") - 1;
        let pair = (number(3), set.second + number(2));
        judged.push(pair);
        if row.last().is_some_and(|label| label == "1") {
            set.same.push(pair);
        }
    }
    set.judged = Some(judged);
    Some(set)
}

/// A set of labelled pairs in Ditto's form.
pub(crate) fn labelled(name: &str) -> Option<Set> {
    let folder = magpie_test_support::data::find("entity-resolution")?
        .join("ditto")
        .join(name);
    let (info, columns) = match name {
        "Beer" => {
            let schema = [
                ("name", "text", true),
                ("brewery", "organisation", true),
                ("strength", "number", false),
            ];
            let columns = [
                ("Beer_Name", "name"),
                ("Brew_Factory_Name", "brewery"),
                ("ABV", "strength"),
            ];
            (vertical(&schema), columns.to_vec())
        }
        _ => {
            let schema = [
                ("name", "text", true),
                ("phone", "identifier:phone", true),
                ("street", "place", true),
                ("city", "place", false),
            ];
            let columns = [
                ("name", "name"),
                ("addr", "street"),
                ("city", "city"),
                ("phone", "phone"),
            ];
            (vertical(&schema), columns.to_vec())
        }
    };
    let (mut lists, mut judged) = ([HashMap::new(), HashMap::new()], Vec::new());
    let mut texts: [Vec<String>; 2] = [Vec::new(), Vec::new()];
    for part in ["train.txt", "valid.txt", "test.txt"] {
        let text = std::fs::read_to_string(folder.join(part)).expect("the set has three parts");
        for line in text.lines() {
            let cells: Vec<&str> = line.split('\t').collect();
            let place =
                |side: usize, lists: &mut [HashMap<String, usize>; 2], texts: &mut [Vec<String>; 2]| {
                    *lists[side].entry(cells[side].to_owned()).or_insert_with(|| {
                        texts[side].push(cells[side].to_owned());
                        texts[side].len() - 1
                    })
                };
            let pair = (place(0, &mut lists, &mut texts), place(1, &mut lists, &mut texts));
            judged.push((pair, cells[2].trim() == "1"));
        }
    }
    let second = texts[0].len();
    let objects = texts
        .iter()
        .flatten()
        .map(|text| object(&info, &cells_of(text, &columns)))
        .collect();
    let shifted = |pair: (usize, usize)| (pair.0, second + pair.1);
    Some(Set {
        name: format!("{name}, labelled pairs"),
        info,
        objects,
        second,
        same: judged
            .iter()
            .filter(|(_, same)| *same)
            .map(|(pair, _)| shifted(*pair))
            .collect(),
        judged: Some(judged.iter().map(|(pair, _)| shifted(*pair)).collect()),
    })
}

/// `COL name VAL value` into attributes and values.
fn cells_of<'a>(text: &'a str, columns: &[(&str, &'a str)]) -> Vec<(&'a str, String)> {
    let mut cells = Vec::new();
    for part in text.split("COL ").filter(|part| !part.trim().is_empty()) {
        let (column, value) = part.split_once(" VAL").expect("each column has a value");
        if let Some((_, attribute)) = columns.iter().find(|(name, _)| *name == column.trim()) {
            let value = value
                .replace(['`', '%', '\\'], " ")
                .replace(" '", " ")
                .replace("' ", " ");
            cells.push((*attribute, value.trim().to_owned()));
        }
    }
    cells
}

fn books(folder: &Path, name: &str) -> Set {
    let info = vertical(&[
        ("name", "text", true),
        ("author", "person", true),
        ("published", "date-time", false),
        ("pages", "number", false),
        ("publisher", "organisation", false),
        ("language", "language", false),
    ]);
    let mut objects = Vec::new();
    let mut second = 0;
    for (file, between) in [("books-goodreads.csv", ';'), ("books-bookdepository.csv", ':')] {
        second = objects.len();
        for row in &tables::rows(&folder.join(file), ',')[1..] {
            let mut cells = vec![("name", row[1].clone())];
            cells.extend(row[2].split(between).map(|author| ("author", author.to_owned())));
            for (at, attribute) in [(4, "published"), (5, "pages"), (6, "publisher"), (7, "language")] {
                cells.push((attribute, row[at].clone()));
            }
            objects.push(object(&info, &cells));
        }
    }
    Set {
        name: name.to_owned(),
        info,
        objects,
        second,
        same: Vec::new(),
        judged: None,
    }
}

fn two_tables(
    name: &str,
    info: VerticalInfo,
    folder: &Path,
    files: [&str; 2],
    separator: char,
    columns: &[&str],
) -> Set {
    let (mut objects, mut places) = (Vec::new(), [HashMap::new(), HashMap::new()]);
    let mut second = 0;
    for (side, file) in files.iter().enumerate() {
        second = objects.len();
        for row in &tables::rows(&folder.join(file), separator)[1..] {
            places[side].insert(row[0].clone(), objects.len());
            let cells = columns
                .iter()
                .zip(&row[1..])
                .map(|(column, cell)| (*column, cell.clone()));
            objects.push(object(&info, &cells.collect::<Vec<_>>()));
        }
    }
    let gold = tables::rows(&folder.join("gtclean.csv"), separator);
    let same = gold[1..]
        .iter()
        .map(|row| (places[0][&row[0]], places[1][row[1].trim()]))
        .collect();
    Set {
        name: name.to_owned(),
        info,
        objects,
        second,
        same,
        judged: None,
    }
}

/// The cells through the host's own check.
fn object(info: &VerticalInfo, cells: &[(&str, String)]) -> Object {
    let field = |(path, text): &(&str, String)| {
        let text = text.trim();
        let money = info
            .attribute(path)
            .is_some_and(|attribute| attribute.kind == Kind::Money);
        // The tables have bare amounts, all in one currency; shops' pages have the currency too.
        let text = if money && !text.is_empty() {
            format!("{text} USD")
        } else {
            text.to_owned()
        };
        let value = Value::Text(text);
        (*path != "price" || written(&value) != "0.0 USD").then(|| Field {
            path: (*path).to_owned(),
            value,
            node: None,
        })
    };
    let object = Object {
        schema_type: String::new(),
        confidence: 1.0,
        fields: cells.iter().filter_map(field).collect(),
    };
    let page = PageContext {
        url: "https://example.org/".to_owned(),
        ..PageContext::default()
    };
    check(info, &object, &page)
        .record
        .map(|record| record.to_object())
        .unwrap_or_default()
}

fn written(value: &Value) -> &str {
    if let Value::Text(text) = value { text } else { "" }
}

fn vertical(attributes: &[(&str, &str, bool)]) -> VerticalInfo {
    let attribute = |(name, kind, identifies): &(&str, &str, bool)| Attribute {
        repeated: *name == "author",
        identifies: *identifies,
        ..Attribute::new(*name, Kind::from((*kind).to_owned()))
    };
    VerticalInfo {
        name: "things".to_owned(),
        version: "1.0.0".to_owned(),
        object_type: "Thing".to_owned(),
        attributes: attributes.iter().map(attribute).collect(),
        ..VerticalInfo::default()
    }
}
