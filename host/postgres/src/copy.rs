//! A workspace in PostgreSQL as the source or the target of a copy.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock};

use magpie_rows::copy::{
    Cell, Column, Copied, CopiedFile, CopiedRow, CopyTarget, Kind, Place, TABLES, Table, workspace_of,
};
use magpie_rows::{Catalogue as _, SiteId, StoreError};
use tokio_postgres::types::Type;

use crate::address::Address;
use crate::failure::{Failure, server_error};
use crate::numbers::{SHARED, bucket_of};
use crate::schema::{self, COPYING, Layout, WORKSPACE_ID};
use crate::server::{Call, Server, ServerOptions, call};
use crate::statement::{Route, Statement};
use crate::statements::PUT_META;
use crate::statements::copy::{COPIED_FILES, COUNT_URLS, DROP_META, DROP_TALLIES, IS_EMPTY, SITES_WITH_MAIL};
use crate::store::Store;
use crate::value::{Cells, Value, read};

/// Statements of each table. They are made of the list of columns, once for the process.
static STATEMENTS: LazyLock<HashMap<&'static str, OfTable>> = LazyLock::new(|| {
    TABLES
        .iter()
        .map(|table| (table.name, OfTable::new(table)))
        .collect()
});

struct OfTable {
    count: Statement,
    first: Statement,
    next: Statement,
    put: Statement,
}

/// A workspace that is copied, or that a copy is made in, by the process that drives it.
pub struct CopiedServer {
    store: Arc<Store>,
}

impl Server {
    /// Connects to a server for the copy of a workspace: to a new workspace, or to one that is
    /// empty or has the beginning of that copy.
    pub fn open_for_copy(
        address: Address,
        options: ServerOptions,
        layout: Layout,
        workspace: &str,
    ) -> Result<Arc<Server>, StoreError> {
        let (server, has_workspace) = Server::connect(address, options)?;
        server.check_writable()?;
        if !has_workspace {
            schema::create(&server, layout)?;
            return Ok(Arc::new(server));
        }
        schema::upgrade(&server)?;
        let position = schema::meta(&server, COPYING)?;
        let is_free = match position.as_str() {
            "" => {
                read(&server.patiently(&call(&IS_EMPTY, []))?.rows, |cells| {
                    cells.get::<bool>()
                })? == [true]
            }
            position => workspace_of(position).as_deref() == Some(workspace),
        };
        match is_free {
            true => Ok(Arc::new(server)),
            false => Err(server_error(format!(
                "{} has another workspace in the schema {}: name another database, or another schema as in \
                 `?schema=NAME`",
                server.address(),
                server.address().schema
            ))),
        }
    }
}

impl CopiedServer {
    /// Prepares the copy of a workspace. URLs that wait for the owners of their sites get numbers.
    pub fn source(store: Arc<Store>, version: &str) -> Result<CopiedServer, StoreError> {
        store.drive(version)?;
        let mail = store.query(call(&SITES_WITH_MAIL, []), |cells| {
            Ok((cells.get::<i16>()?, cells.get::<i64>()?))
        })?;
        for (bucket, site) in mail {
            store.hold(bucket)?;
            store.begin_lease(&mut store.sites(), SiteId(site))?;
        }
        Ok(CopiedServer { store })
    }

    /// Begins a copy, or continues one.
    pub fn target(store: Arc<Store>, version: &str) -> Result<CopiedServer, StoreError> {
        store.drive(version)?;
        Ok(CopiedServer { store })
    }

    /// The number of buckets of sites.
    pub fn buckets(&self) -> u64 {
        self.store.bucket_count
    }

    fn write(&self, calls: Vec<Call<'_>>) -> Result<(), StoreError> {
        let mut transaction = self.store.server.begin()?;
        transaction.run(calls)?;
        // If the answer is lost, the position says what is there.
        Ok(transaction.commit()?)
    }

    fn bucket(&self, table: &Table, columns: &[Column], cells: &[Cell]) -> i16 {
        let number = |at: usize| cells.get(at).and_then(Cell::as_int).unwrap_or_default();
        match table.place {
            Place::Shared => SHARED,
            Place::Of(name) => {
                let at = columns.iter().position(|column| column.name == name);
                bucket_of(number(at.unwrap_or_default()))
            }
            Place::Origin => {
                let origin = cells.first().and_then(Cell::as_text);
                self.store.bucket_of_key(origin.unwrap_or_default())
            }
            Place::Fingerprint => bucket_of(number(0)),
            Place::Whole | Place::Given => 0,
        }
    }
}

impl Copied for CopiedServer {
    fn workspace(&self) -> Result<String, StoreError> {
        schema::meta(&self.store.server, WORKSPACE_ID)
    }

    fn count(&self, table: &Table) -> Result<u64, StoreError> {
        let counted = self
            .store
            .query(call(&of(table)?.count, []), |cells| cells.unsigned())?;
        Ok(counted.first().copied().unwrap_or_default())
    }

    fn read(&self, table: &Table, after: &[Cell], limit: usize) -> Result<Vec<CopiedRow>, StoreError> {
        let limit = i64::try_from(limit).unwrap_or(i64::MAX).into();
        let (columns, key) = (table.columns(), keys(table));
        let call = match after {
            [] => call(&of(table)?.first, [limit]),
            _ => {
                let values = key.iter().zip(after).map(|((name, kind), cell)| match cell {
                    // Where a bucket is compared, its type decides on the use of the index.
                    Cell::Int(number) if name == "t.bucket" => Value::Small(*number as i16),
                    cell => value(cell, *kind),
                });
                Call::new(&of(table)?.next, values.chain([limit]).collect())
            }
        };
        let rows = self.store.server.patiently(&call)?.rows;
        let read = rows.iter().map(|row| {
            let mut cells = Cells::of(row);
            let position = key.iter().map(|(_, kind)| cell(&mut cells, *kind));
            let position = position.collect::<Result<_, Failure>>()?;
            let kept = columns.iter().map(|column| cell(&mut cells, column.kind));
            let cells = kept.collect::<Result<_, Failure>>()?;
            Ok(CopiedRow { position, cells })
        });
        Ok(read.collect::<Result<_, Failure>>()?)
    }

    fn files(&self) -> Result<Vec<CopiedFile>, StoreError> {
        self.store.query(call(&COPIED_FILES, []), |cells| {
            Ok(CopiedFile {
                name: cells.get()?,
                bytes: cells.unsigned()?,
            })
        })
    }
}

impl CopyTarget for CopiedServer {
    fn position(&self) -> Result<String, StoreError> {
        schema::meta(&self.store.server, COPYING)
    }

    fn put(
        &self,
        table: &Table,
        rows: &[CopiedRow],
        workspace: &str,
        position: &str,
    ) -> Result<(), StoreError> {
        let columns = table.columns();
        let mut calls = vec![
            call(&PUT_META, [WORKSPACE_ID.into(), workspace.into()]),
            call(&PUT_META, [COPYING.into(), position.into()]),
        ];
        if !rows.is_empty() {
            let mut values = Vec::with_capacity(columns.len() + 1);
            if has_bucket(table) {
                let buckets = rows.iter().map(|row| self.bucket(table, &columns, &row.cells));
                let buckets = buckets.map(|bucket| i64::from(bucket).into());
                values.push(Value::Many(Type::INT8_ARRAY, buckets.collect()));
            }
            for (at, column) in columns.iter().enumerate() {
                let cells = rows.iter().map(|row| value(&row.cells[at], column.kind));
                values.push(Value::Many(array_of(column.kind), cells.collect()));
            }
            calls.push(Call::new(&of(table)?.put, values));
        }
        self.write(calls)
    }

    fn complete(&self) -> Result<(), StoreError> {
        self.write(vec![call(&DROP_TALLIES, []), call(&COUNT_URLS, [])])?;
        let verticals = self.store.warehouse_verticals()?;
        verticals
            .iter()
            .try_for_each(|vertical| self.store.index_all(vertical))
    }

    fn release(self: Box<Self>) -> Result<(), StoreError> {
        self.write(vec![call(&DROP_META, [COPYING.into()])])
    }
}

fn of(table: &Table) -> Result<&'static OfTable, StoreError> {
    let found = STATEMENTS.get(table.name);
    found.ok_or_else(|| server_error(format!("there is no table {} to copy", table.name)))
}

/// Returns true if the bucket is no column of the copy.
fn has_bucket(table: &Table) -> bool {
    !matches!(table.place, Place::Whole | Place::Given)
}

/// Returns the expressions of a key, which has the bucket in front.
fn keys(table: &Table) -> Vec<(String, Kind)> {
    let bucket = has_bucket(table).then(|| ("t.bucket".to_owned(), Kind::Int));
    let own = table
        .key()
        .into_iter()
        .map(|(part, kind)| match part.strip_prefix("md5(") {
            Some(column) => (format!("md5(t.{column}"), Kind::Text),
            None => (format!("t.{part}"), kind),
        });
    bucket.into_iter().chain(own).collect()
}

impl OfTable {
    fn new(table: &Table) -> OfTable {
        let keys = keys(table);
        let name = table.name;
        let read_key = keys.iter().map(|(part, kind)| match kind.is_text() {
            true => part.clone(),
            false => format!("{part}::int8"),
        });
        let columns = table.columns();
        let read = read_key
            .chain(columns.iter().map(expression))
            .collect::<Vec<_>>()
            .join(", ");
        let order = keys
            .iter()
            .map(|(part, _)| part.as_str())
            .collect::<Vec<_>>()
            .join(", ");
        let places = keys.iter().enumerate().map(|(at, (part, kind))| {
            let kind = match kind.is_text() {
                true => "text",
                false if part == "t.bucket" => "int2",
                false => "int8",
            };
            format!("${}::{kind}", at + 1)
        });
        let places = places.collect::<Vec<_>>().join(", ");
        let from = format!("magpie.{name} AS t {}", segment_of(table));
        let limit = keys.len() + 1;
        let statement = |sql: String| Statement {
            name: table.name,
            route: Route::Everything,
            sql: sql.leak(),
        };
        OfTable {
            count: statement(format!("SELECT count(*) FROM magpie.{name}")),
            first: statement(format!("SELECT {read} FROM {from} ORDER BY {order} LIMIT $1")),
            next: statement(format!(
                "SELECT {read} FROM {from} WHERE ({order}) > ({places}) ORDER BY {order} LIMIT ${limit}"
            )),
            put: statement(insertion(table, &columns)),
        }
    }
}

/// Joins the part of a file that has the body of a page.
fn segment_of(table: &Table) -> &'static str {
    match table.name {
        "page" => "LEFT JOIN magpie.segment AS s ON s.bucket = t.bucket AND s.segment = t.segment",
        "rendering" => {
            "LEFT JOIN magpie.page AS p ON p.bucket = t.bucket AND p.page = t.page
             LEFT JOIN magpie.segment AS s ON s.bucket = p.bucket AND s.segment = p.segment"
        }
        _ => "",
    }
}

fn expression(column: &Column) -> String {
    let name = column.name;
    match column.kind {
        Kind::Archive => "s.name".to_owned(),
        Kind::Offset => format!("s.base + t.{name}"),
        Kind::Bool => format!("t.{name}::int::int8"),
        Kind::Real | Kind::Bytes => format!("t.{name}"),
        kind if kind.is_text() => format!("t.{name}"),
        _ => format!("t.{name}::int8"),
    }
}

/// Returns the statement that inserts rows from arrays, one for each column.
fn insertion(table: &Table, columns: &[Column]) -> String {
    let (mut arrays, mut values, mut names, mut cells) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let bucket = has_bucket(table).then_some(("bucket", Kind::Int));
    let all = bucket
        .into_iter()
        .chain(columns.iter().map(|column| (column.name, column.kind)));
    for (at, (name, kind)) in all.enumerate() {
        arrays.push(format!(
            "${}::{}[]",
            at + 1,
            array_of(kind).name().trim_start_matches('_')
        ));
        values.push(format!("x{at}"));
        match (kind, table.name) {
            // A file that was copied has one part for each bucket, from its beginning.
            (Kind::Archive, "page") => {
                names.push("segment");
                cells.push(format!(
                    "(SELECT max(segment) FROM magpie.segment AS s WHERE s.bucket = x0 AND s.name = x{at})"
                ));
            }
            // That of its page.
            (Kind::Archive, _) => {}
            _ => {
                names.push(name);
                cells.push(format!("x{at}"));
            }
        }
    }
    if table.name == "run" {
        names.push("token");
        cells.push("gen_random_uuid()".to_owned());
    }
    format!(
        "INSERT INTO magpie.{} ({}) SELECT {} FROM unnest({}) AS v ({})",
        table.name,
        names.join(", "),
        cells.join(", "),
        arrays.join(", "),
        values.join(", ")
    )
}

fn array_of(kind: Kind) -> Type {
    match kind {
        Kind::Real => Type::FLOAT8_ARRAY,
        Kind::Bool => Type::BOOL_ARRAY,
        Kind::Bytes => Type::BYTEA_ARRAY,
        kind if kind.is_text() => Type::TEXT_ARRAY,
        _ => Type::INT8_ARRAY,
    }
}

fn value(cell: &Cell, kind: Kind) -> Value<'_> {
    match cell {
        Cell::Int(number) if kind == Kind::Bool => Value::Bool(*number != 0),
        Cell::Int(number) => Value::Int(Some(*number)),
        Cell::Real(number) => Value::Real(Some(*number)),
        Cell::Text(text) => text.into(),
        Cell::Bytes(bytes) => Value::Bytes(Some(bytes)),
        Cell::Null => match kind {
            Kind::Real => Value::Real(None),
            Kind::Bytes => Value::Bytes(None),
            kind if kind.is_text() => Value::Text(None),
            _ => Value::Int(None),
        },
    }
}

fn cell(cells: &mut Cells<'_>, kind: Kind) -> Result<Cell, Failure> {
    Ok(match kind {
        Kind::Real => cells.get::<Option<f64>>()?.map_or(Cell::Null, Cell::Real),
        Kind::Bytes => cells.get::<Option<Vec<u8>>>()?.map_or(Cell::Null, Cell::Bytes),
        kind if kind.is_text() => cells.get::<Option<String>>()?.map_or(Cell::Null, Cell::Text),
        _ => cells.get::<Option<i64>>()?.map_or(Cell::Null, Cell::Int),
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// Tables that are not copied: they are made again, or are of processes and not of the work.
    const LEFT_OUT: [&str; 17] = [
        "bucket",
        "facet_value",
        "file",
        "hand_in",
        "inbox",
        "job",
        "job_outcome",
        "job_task",
        "meta",
        "object_number",
        "object_term",
        "object_text",
        "object_values",
        "suspect_lease",
        "tally",
        "word",
        "worker",
    ];

    /// Columns that follow from others, or are of processes.
    const MADE_AGAIN: [(&str, &str); 3] = [
        ("page", "segment"),
        ("run", "token"),
        ("warehouse", "attribute_names"),
    ];

    /// Columns of the copy that stand for others.
    const STAND_FOR_OTHERS: [(&str, &str); 2] = [("page", "archive"), ("rendering", "archive")];

    #[test]
    fn every_column_is_copied() {
        let mut wanted = BTreeSet::new();
        let schema = include_str!("schema.sql");
        for table in schema.split("\nCREATE TABLE magpie.").skip(1) {
            let (name, columns) = table.split_once(" (\n").expect("a table");
            let columns = columns.split("\n)").next().unwrap_or_default();
            for line in columns.lines() {
                let column = line.trim().split(' ').next().unwrap_or_default();
                let is_column = column
                    .chars()
                    .all(|letter| letter.is_ascii_lowercase() || letter == '_');
                if is_column && column != "bucket" {
                    wanted.insert((name, column));
                }
            }
        }
        let added = include_str!("schema_2.sql").lines();
        let added = added.filter_map(|line| line.strip_prefix("ALTER TABLE magpie."));
        for (table, column) in added.filter_map(|line| line.split_once(" ADD COLUMN ")) {
            wanted.insert((table, column.split(' ').next().unwrap_or_default()));
        }
        wanted.retain(|pair| !LEFT_OUT.contains(&pair.0) && !MADE_AGAIN.contains(pair));
        let listed = TABLES.iter().flat_map(|table| {
            table
                .columns()
                .into_iter()
                .map(|column| (table.name, column.name))
        });
        let listed: BTreeSet<_> = listed
            .filter(|pair| !STAND_FOR_OTHERS.contains(pair) && pair.1 != "bucket")
            .collect();
        assert_eq!(listed, wanted, "list new columns in `magpie_rows::copy::TABLES`");
    }
}
