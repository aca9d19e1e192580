//! Exported tables.

use std::fs::File;
use std::path::Path;

use magpie_export::{Attributes, Column, TableWriter, Value as Cell, columns, columns_of};
use magpie_model::Attribute;
use magpie_rows::{
    Catalogue as _, ExportFormat, Exported, Exports, Selection, StoreError, Table, origin, with_origin,
};
use serde_json::Value as Json;
use tokio_postgres::Row;
use tokio_postgres::types::Type;

use crate::failure::{Failure, server_error};
use crate::numbers::SHARED;
use crate::server::{Call, call};
use crate::statements::exports::{
    ATTRIBUTES_OF_OBJECTS, ATTRIBUTES_OF_RECORDS, EXPORTED_LINKS, EXPORTED_OBJECTS, EXPORTED_PAGES,
    EXPORTED_RECORDS,
};
use crate::store::Store;
use crate::value::{Cells, Value};

/// Rows that are read at a time.
const AT_A_TIME: usize = 1_000;

impl Exports for Store {
    fn export(
        &self,
        selection: Selection<'_>,
        format: ExportFormat,
        into: File,
        name: &Path,
    ) -> Result<Exported, StoreError> {
        let columns = columns_of(selection.table, format, || self.attributes(selection))?;
        let mut writer = TableWriter::new(&columns, format, into, name)?;
        // Pages and links are of no vertical and no object, others of no object.
        let is_empty = match selection.table {
            Table::Pages | Table::Links => selection.vertical.is_some() || selection.objects.is_some(),
            Table::Records => selection.objects.is_some(),
            Table::Objects => false,
        };
        if is_empty {
            return writer.finish();
        }
        let mut transaction = self.server.snapshot()?;
        let mut after = (i16::MIN, 0);
        loop {
            let answers = transaction.run(vec![part(selection, after)])?;
            let rows = answers.iter().flat_map(|answer| &answer.rows);
            let mut count = 0;
            for row in rows {
                count += 1;
                let mut place = Cells::of(row);
                after = (place.get::<i16>()?, place.get::<i64>()?);
                match selection.table {
                    Table::Links => write_links(row, &mut writer)?,
                    table => write(row, table, &columns, &mut writer)?,
                }
            }
            if count < AT_A_TIME {
                return writer.finish();
            }
        }
    }
}

impl Store {
    /// Returns the attributes of the schemas in order, followed by others that rows of the table
    /// have.
    fn attributes(&self, selection: Selection<'_>) -> Result<Attributes, StoreError> {
        let mut all = Attributes::default();
        let wanted = |vertical: &str| selection.vertical.is_none_or(|wanted| wanted == vertical);
        for vertical in self
            .warehouse_verticals()?
            .iter()
            .filter(|row| wanted(&row.vertical))
        {
            let schema: Vec<Attribute> = serde_json::from_str(&vertical.matching.schema).unwrap_or_default();
            all.add_schema(schema);
        }
        let vertical = selection.vertical.map_or(Value::Text(None), Value::from);
        let found = match selection.table {
            Table::Records => call(&ATTRIBUTES_OF_RECORDS, [vertical]),
            _ => call(&ATTRIBUTES_OF_OBJECTS, [SHARED.into(), vertical]),
        };
        for (name, is_repeated) in self.query(found, |cells| Ok((cells.get()?, cells.get()?)))? {
            all.add_found(name, is_repeated);
        }
        Ok(all)
    }
}

/// Reads the next rows of a table after a place.
fn part<'s>(selection: Selection<'s>, after: (i16, i64)) -> Call<'s> {
    let mut values = vec![
        after.0.into(),
        after.1.into(),
        (AT_A_TIME as i64).into(),
        selection.run.map(|run| run.0).into(),
    ];
    let vertical = selection.vertical.map_or(Value::Text(None), Value::from);
    let statement = match selection.table {
        Table::Pages => &EXPORTED_PAGES,
        Table::Links => &EXPORTED_LINKS,
        Table::Records => {
            values.push(vertical);
            &EXPORTED_RECORDS
        }
        Table::Objects => {
            values.push(vertical);
            let objects = selection.objects.map(|objects| {
                let numbers = objects.iter().map(|object| object.0.into());
                numbers.collect()
            });
            values.push(Value::Maybe(Type::INT8_ARRAY, objects));
            &EXPORTED_OBJECTS
        }
    };
    Call::new(statement, values)
}

/// Writes a row whose columns after its place are those of the table, in their order.
fn write(row: &Row, table: Table, wanted: &[Column], writer: &mut TableWriter<'_>) -> Result<(), StoreError> {
    let fixed = columns(table);
    let place = |name: &str| {
        fixed
            .iter()
            .position(|column| column.name == name)
            .map(|place| place + 2)
    };
    let mut attributes = Json::Null;
    if wanted.iter().any(|column| column.attribute.is_some())
        && let Some(place) = place("attributes")
        && let Cell::Text(text) = cell(row, place)?
    {
        attributes = serde_json::from_slice(text).unwrap_or_default();
    }
    let texts: Vec<Option<String>> = wanted
        .iter()
        .map(|column| {
            let value = attributes.get(column.attribute.as_deref()?)?;
            Some(match column.is_typed() {
                true => value.to_string(),
                false => joined(value),
            })
        })
        .collect();
    let mut cells = Vec::with_capacity(wanted.len());
    for (column, text) in wanted.iter().zip(&texts) {
        cells.push(match (text, &column.attribute) {
            (Some(text), _) => Cell::Text(text.as_bytes()),
            (None, Some(_)) => Cell::Null,
            (None, None) => place(&column.name).map_or(Ok(Cell::Null), |place| cell(row, place))?,
        });
    }
    writer.row(&cells)
}

/// Writes the links of a page.
fn write_links(row: &Row, writer: &mut TableWriter<'_>) -> Result<(), StoreError> {
    let mut cells = Cells::of(row);
    let (_, page): (i16, i64) = (cells.get()?, cells.get()?);
    let (url, links): (Option<&str>, Option<&str>) = (cells.get()?, cells.get()?);
    let links: Vec<Vec<Option<String>>> = links
        .and_then(|links| serde_json::from_str(links).ok())
        .unwrap_or_default();
    for (position, link) in (0i64..).zip(&links) {
        let text = |part: usize| link.get(part).and_then(Option::as_deref);
        let href = with_origin(text(0).unwrap_or_default(), origin(url.unwrap_or_default()));
        writer.row(&[
            Cell::Integer(page),
            url.map_or(Cell::Null, |url| Cell::Text(url.as_bytes())),
            Cell::Integer(position),
            Cell::Text(href.as_bytes()),
            Cell::Text(text(1).unwrap_or_default().as_bytes()),
            text(2).map_or(Cell::Null, |path| Cell::Text(path.as_bytes())),
            Cell::Text(text(3).unwrap_or_default().as_bytes()),
        ])?;
    }
    Ok(())
}

/// Returns several values as one text.
fn joined(value: &Json) -> String {
    let text = |value: &Json| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    match value {
        Json::Array(values) => values.iter().map(text).collect::<Vec<_>>().join("; "),
        value => text(value),
    }
}

fn cell(row: &Row, place: usize) -> Result<Cell<'_>, Failure> {
    let unreadable = |error: tokio_postgres::Error| {
        Failure::Other(server_error(format!(
            "column {place} of a row can't be read: {error}"
        )))
    };
    Ok(match *row.columns()[place].type_() {
        Type::INT8 => row
            .try_get::<_, Option<i64>>(place)
            .map_err(unreadable)?
            .map_or(Cell::Null, Cell::Integer),
        Type::FLOAT8 => row
            .try_get::<_, Option<f64>>(place)
            .map_err(unreadable)?
            .map_or(Cell::Null, Cell::Real),
        _ => {
            let text: Option<&str> = row.try_get(place).map_err(unreadable)?;
            text.map_or(Cell::Null, |text| Cell::Text(text.as_bytes()))
        }
    })
}
