//! Sets of labelled pairs, in lines of `COL name VAL value ...<TAB>COL ...<TAB>label`.

use std::path::Path;

use anyhow::{Context, Result};
use magpie_model::{Object, VerticalInfo};

use super::measure::Asked;
use super::object;
use crate::data::text;

/// Columns and the attributes they hold.
type Columns = &'static [(&'static str, &'static str)];

pub(super) fn products(info: &VerticalInfo, path: &Path) -> Result<Asked> {
    read(
        info,
        path,
        &[
            ("name", "name"),
            ("title", "name"),
            ("manufacturer", "brand"),
            ("price", "price"),
        ],
    )
}

pub(super) fn restaurants(info: &VerticalInfo, path: &Path) -> Result<Asked> {
    read(
        info,
        path,
        &[
            ("name", "name"),
            ("addr", "street"),
            ("city", "city"),
            ("phone", "phone"),
        ],
    )
}

fn read(info: &VerticalInfo, path: &Path, columns: Columns) -> Result<Asked> {
    let (mut objects, mut is_same) = (Vec::new(), Vec::new());
    for line in text(path)?.lines() {
        let mut cells = line.split('\t');
        let mut next = || {
            cells
                .next()
                .with_context(|| format!("a line without three cells: {line}"))
        };
        objects.push([parse(info, next()?, columns), parse(info, next()?, columns)]);
        is_same.push(next()?.trim() == "1");
    }
    Ok(Asked { objects, is_same })
}

fn parse(info: &VerticalInfo, cell: &str, columns: Columns) -> Object {
    let mut values: Vec<(&str, String)> = Vec::new();
    for part in cell.split("COL ") {
        let Some((column, value)) = part.split_once(" VAL") else {
            continue;
        };
        if let Some((_, attribute)) = columns.iter().find(|(name, _)| *name == column.trim()) {
            values.push((attribute, untokenised(value)));
        }
    }
    let values: Vec<(&str, &str)> = values
        .iter()
        .map(|(name, value)| (*name, value.as_str()))
        .collect();
    object(info, &values)
}

/// Without the quotes that the set's tokeniser left standing around values.
fn untokenised(value: &str) -> String {
    value
        .replace('`', " ")
        .replace(" '", " ")
        .replace("' ", " ")
        .trim()
        .to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_told_apart() {
        let info = super::super::schema(&super::super::RESTAURANT);
        let cell = "COL name VAL ` le chardonnay ' COL city VAL ` los angeles ' COL class VAL 12 ";
        let object = parse(&info, cell, &[("name", "name"), ("city", "city")]);
        let told: Vec<String> = object
            .fields
            .iter()
            .map(|field| format!("{} {:?}", field.path, field.value))
            .collect();
        assert_eq!(
            told,
            [r#"name Text("le chardonnay")"#, r#"city Text("los angeles")"#]
        );
    }
}
