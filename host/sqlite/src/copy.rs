//! A folder as the source or the target of a copy.
//!
//! The numbers of a folder count the rows of all sites. As a source it gives them the numbers of a
//! store with buckets, in the same order within each site, by temporary tables. A folder that was
//! made by a copy keeps those numbers: they are numbers like others, and the next ones are greater.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use magpie_rows::copy::{Cell, Column, Copied, CopiedFile, CopiedRow, CopyTarget, Kind, SEGMENTS, Table};
use magpie_rows::numbers::bucket_of_key;
use magpie_rows::{StoreError, origin};
use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::{Connection, OptionalExtension as _, ToSql, params_from_iter};
use serde_json::{Value, json};

use crate::error::database_error;
use crate::history::log::WORKSPACE_ID;
use crate::workspace::Workspace;
use crate::workspace::connect::{ARCHIVES, DATABASE, for_reading, for_writing};
use crate::workspace::lock::WorkspaceLock;
use crate::workspace::schema::SCHEMA;

/// Database of a copy that is not complete.
const UNFINISHED: &str = "magpie.db.part";

/// Key in `meta` of the position of a copy.
const POSITION: &str = "copying";

/// Numbers of the rows of a source. Those of sites are there.
const NUMBERS: &str = "
    CREATE TEMP TABLE url_number (here INTEGER PRIMARY KEY, there INTEGER NOT NULL);
    INSERT INTO url_number SELECT url.id, ((site.there >> 10) << 41) | (site.there & 1023)
        | ((row_number() OVER (PARTITION BY site_id ORDER BY url.id)) << 10)
    FROM url JOIN site_number AS site ON site.here = site_id;
    CREATE TEMP TABLE page_number (here INTEGER PRIMARY KEY, there INTEGER NOT NULL);
    INSERT INTO page_number SELECT page.id, ((site.there >> 10) << 41) | (site.there & 1023) | (number << 10)
    FROM page JOIN site_number AS site ON site.here = site_id;
    CREATE TEMP TABLE record_number (here INTEGER PRIMARY KEY, there INTEGER NOT NULL);
    INSERT INTO record_number SELECT record.id, ((site.there >> 10) << 41) | (site.there & 1023)
        | ((row_number() OVER (PARTITION BY site_id ORDER BY record.id)) << 10)
    FROM record JOIN page ON page.id = page_id JOIN site_number AS site ON site.here = site_id;
    CREATE TEMP TABLE pattern_number (here INTEGER PRIMARY KEY, there INTEGER NOT NULL);
    INSERT INTO pattern_number SELECT pattern.id, ((site.there >> 10) << 41) | (site.there & 1023)
        | ((row_number() OVER (PARTITION BY site_id ORDER BY pattern.id)) << 10)
    FROM pattern JOIN site_number AS site ON site.here = site_id;
    CREATE TEMP TABLE copied_segment (bucket, segment, name, base, run, bytes, started_at, PRIMARY KEY (bucket, segment))
    WITHOUT ROWID;
    INSERT INTO copied_segment
    SELECT DISTINCT there & 1023, archive.id, name, 0, archive.run_id, archive.bytes, started_at
    FROM page JOIN page_number ON here = page.id JOIN archive ON archive.id = archive_id;";

/// Writes the rows that follow from those of a target.
const COMPLETE: &str = "
    DELETE FROM tally;
    INSERT INTO tally
    SELECT site_id, state, iif(state = 'queued', '', coalesce(reason, '')), count(*) FROM url GROUP BY 1, 2, 3;
    DELETE FROM known;
    INSERT INTO known SELECT site_id, fingerprint, id FROM url ORDER BY 1, 2;
    INSERT OR REPLACE INTO meta SELECT 'known_up_to', coalesce(max(id), 0) FROM url;";

/// A folder that is copied, or that a copy is made in.
pub struct CopiedFolder {
    database: PathBuf,
    connection: Mutex<Connection>,
    kind: Role,
}

enum Role {
    /// Kept open, so that no other process writes to it.
    Source {
        _workspace: Workspace,
    },
    Target {
        folder: PathBuf,
        _lock: WorkspaceLock,
    },
}

impl CopiedFolder {
    /// Prepares the copy of a workspace to a store with a number of buckets.
    pub fn source(workspace: &Workspace, buckets: u64) -> Result<CopiedFolder, StoreError> {
        workspace.flush_writer()?;
        let database = workspace.path().join(DATABASE);
        let connection = for_reading(&database)?;
        number(&connection, buckets).map_err(|error| database_error(&database, error))?;
        Ok(CopiedFolder {
            database,
            connection: Mutex::new(connection),
            kind: Role::Source {
                _workspace: workspace.clone(),
            },
        })
    }

    /// Begins a copy in a folder without a workspace, or continues one.
    pub fn target(folder: &Path) -> Result<CopiedFolder, StoreError> {
        let archives = folder.join(ARCHIVES);
        fs::create_dir_all(&archives)
            .map_err(|error| StoreError::file("can't make the folder", &archives, error))?;
        let lock = WorkspaceLock::take(folder)?;
        if folder.join(DATABASE).exists() {
            return Err(StoreError::AlreadyThere {
                path: folder.to_owned(),
            });
        }
        let database = folder.join(UNFINISHED);
        let mut connection = for_writing(&database, !database.exists(), None)?;
        SCHEMA.migrate(&mut connection, &database)?;
        // Rows may come before those that they name. A power failure costs the last rows, which
        // are copied again.
        connection
            .execute_batch("PRAGMA foreign_keys = OFF; PRAGMA synchronous = NORMAL")
            .map_err(|error| database_error(&database, error))?;
        let folder = folder.to_owned();
        Ok(CopiedFolder {
            database,
            connection: Mutex::new(connection),
            kind: Role::Target { folder, _lock: lock },
        })
    }

    fn is_source(&self) -> bool {
        matches!(self.kind, Role::Source { .. })
    }

    fn look<T>(&self, with: impl FnOnce(&mut Connection) -> rusqlite::Result<T>) -> Result<T, StoreError> {
        let mut connection = self.connection();
        with(&mut connection).map_err(|error| database_error(&self.database, error))
    }

    fn connection(&self) -> MutexGuard<'_, Connection> {
        self.connection.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn meta(&self, key: &str) -> Result<String, StoreError> {
        let sql = "SELECT value FROM meta WHERE key = ?1";
        self.look(|connection| {
            let value = connection.query_row(sql, [key], |row| row.get(0)).optional()?;
            Ok(value.unwrap_or_default())
        })
    }

    /// Returns the expression of a column in the form of a copy.
    fn expression(&self, column: &Column) -> String {
        let name = format!("t.{}", column.folder);
        let number =
            |table: &str, value: &str| format!("(SELECT there FROM {table}_number WHERE here = {value})");
        match column.kind {
            Kind::Archive => format!("(SELECT name FROM archive WHERE id = {name})"),
            Kind::Position => {
                "(SELECT count(*) FROM form WHERE form.site_id = t.site_id AND form.id < t.id)".to_owned()
            }
            _ if !self.is_source() => name,
            Kind::Site => number("site", &name),
            Kind::Url => number("url", &name),
            Kind::Page => number("page", &name),
            Kind::Record => number("record", &name),
            Kind::Pattern => number("pattern", &name),
            Kind::Lesser | Kind::Greater => {
                let function = if column.kind == Kind::Lesser { "min" } else { "max" };
                let [one, other] = ["t.one", "t.other"].map(|member| number("record", member));
                format!("{function}({one}, {other})")
            }
            Kind::Urls => {
                let url = number("url", "e.value");
                format!("(SELECT json_group_array({url}) FROM json_each({name}) AS e)")
            }
            Kind::Members => {
                let member = number("record", "e.value");
                format!(
                    "iif(json_valid({name}), (SELECT json_group_object(e.key, {member}) FROM json_each({name}) AS e), {name})"
                )
            }
            _ => name,
        }
    }
}

/// Gives the rows of a source their numbers.
fn number(connection: &Connection, buckets: u64) -> rusqlite::Result<()> {
    connection
        .execute_batch("CREATE TEMP TABLE site_number (here INTEGER PRIMARY KEY, there INTEGER NOT NULL);")?;
    let mut counts: HashMap<i16, i64> = HashMap::new();
    let mut find = connection.prepare("SELECT id, key FROM site ORDER BY id")?;
    let mut put = connection.prepare("INSERT INTO site_number VALUES (?1, ?2)")?;
    let mut sites = find.query([])?;
    while let Some(site) = sites.next()? {
        let bucket = bucket_of_key(site.get_ref(1)?.as_str()?, buckets.max(1));
        let count = counts.entry(bucket).or_default();
        *count += 1;
        put.execute((site.get::<_, i64>(0)?, *count << 10 | i64::from(bucket)))?;
    }
    connection.execute_batch(NUMBERS)
}

impl Copied for CopiedFolder {
    fn workspace(&self) -> Result<String, StoreError> {
        self.meta(WORKSPACE_ID)
    }

    fn count(&self, table: &Table) -> Result<u64, StoreError> {
        if table.name == SEGMENTS && !self.is_source() {
            return Ok(0);
        }
        let sql = format!("SELECT count(*) FROM {}", table.folder);
        self.look(|connection| connection.query_row(&sql, [], |row| row.get::<_, i64>(0)))
            .map(i64::unsigned_abs)
    }

    fn read(&self, table: &Table, after: &[Cell], limit: usize) -> Result<Vec<CopiedRow>, StoreError> {
        let columns = table.columns();
        let expressions: Vec<String> = columns.iter().map(|column| self.expression(column)).collect();
        self.look(|connection| {
            let key = primary_key(connection, table)?;
            let names = key.join(", ");
            let places: Vec<String> = (1..=key.len()).map(|at| format!("?{at}")).collect();
            let position = match after {
                [] => String::new(),
                _ => format!("WHERE ({names}) > ({})", places.join(", ")),
            };
            let mut statement = connection.prepare_cached(&format!(
                "SELECT {names}, {} FROM {} AS t {position} ORDER BY {names} LIMIT {limit}",
                expressions.join(", "),
                table.folder
            ))?;
            let mut rows = statement.query(params_from_iter(after.iter().map(Param)))?;
            let mut read = Vec::new();
            while let Some(row) = rows.next()? {
                let cell = |at: usize, kind| Ok(cell(row.get_ref(at)?, kind));
                let position = (0..key.len()).map(|at| cell(at, Kind::Int));
                let position = position.collect::<rusqlite::Result<Vec<_>>>()?;
                let cells = columns.iter().enumerate();
                let cells = cells.map(|(at, column)| cell(key.len() + at, column.kind));
                let mut cells = cells.collect::<rusqlite::Result<Vec<_>>>()?;
                for cell in &mut cells {
                    // Other stores refuse U+0000 in texts, which sites may send.
                    if let Cell::Text(text) = cell
                        && text.contains('\0')
                    {
                        *text = text.replace('\0', "\u{fffd}");
                    }
                }
                if let Some(at) = columns.iter().position(|column| column.kind == Kind::Links) {
                    cells[at] = Cell::Text(whole_links(connection, cells[at].as_text().unwrap_or_default())?);
                }
                read.push(CopiedRow { position, cells });
            }
            Ok(read)
        })
    }

    fn files(&self) -> Result<Vec<CopiedFile>, StoreError> {
        self.look(|connection| {
            let mut statement =
                connection.prepare("SELECT name, bytes FROM archive WHERE bytes > 0 ORDER BY id")?;
            let rows = statement.query_map([], |row| {
                Ok(CopiedFile {
                    name: row.get(0)?,
                    bytes: row.get::<_, i64>(1)?.unsigned_abs(),
                })
            })?;
            rows.collect()
        })
    }
}

impl CopyTarget for CopiedFolder {
    fn position(&self) -> Result<String, StoreError> {
        self.meta(POSITION)
    }

    fn put(
        &self,
        table: &Table,
        rows: &[CopiedRow],
        workspace: &str,
        position: &str,
    ) -> Result<(), StoreError> {
        let columns = table.columns();
        let sql = insertion(table, &columns);
        self.look(|connection| {
            let transaction = connection.transaction()?;
            {
                let mut statement = transaction.prepare_cached(&sql)?;
                for row in rows {
                    let mut cells = row.cells.clone();
                    if columns.iter().any(|column| column.kind == Kind::Links) {
                        pack_links(&transaction, &mut cells)?;
                    }
                    statement.execute(params_from_iter(cells.iter().map(Param)))?;
                }
                let mut meta = transaction.prepare_cached("INSERT OR REPLACE INTO meta VALUES (?1, ?2)")?;
                meta.execute([WORKSPACE_ID, workspace])?;
                meta.execute([POSITION, position])?;
            }
            transaction.commit()
        })
    }

    fn complete(&self) -> Result<(), StoreError> {
        self.look(|connection| {
            let transaction = connection.transaction()?;
            transaction.execute_batch(COMPLETE)?;
            transaction.commit()
        })
    }

    fn release(self: Box<Self>) -> Result<(), StoreError> {
        self.look(|connection| {
            connection.execute("DELETE FROM meta WHERE key = ?1", [POSITION])?;
            connection.pragma_update(None, "synchronous", "FULL")?;
            connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))
        })?;
        let CopiedFolder {
            database,
            connection,
            kind,
        } = *self;
        let connection = connection.into_inner().unwrap_or_else(PoisonError::into_inner);
        connection
            .close()
            .map_err(|(_, error)| database_error(&database, error))?;
        if let Role::Target { folder, _lock } = kind {
            let whole = folder.join(DATABASE);
            fs::rename(&database, &whole).map_err(|error| StoreError::file("can't make", &whole, error))?;
        }
        Ok(())
    }
}

fn primary_key(connection: &Connection, table: &Table) -> rusqlite::Result<Vec<String>> {
    let name = table.folder.trim_start_matches("temp.");
    let mut statement = connection
        .prepare_cached("SELECT 't.' || name FROM pragma_table_info(?1) WHERE pk > 0 ORDER BY pk")?;
    let rows = statement.query_map([name], |row| row.get(0))?;
    rows.collect()
}

/// Returns the statement that inserts a row, whose parameters are its cells.
fn insertion(table: &Table, columns: &[Column]) -> String {
    if table.name == SEGMENTS {
        // The parts of a file are of many buckets.
        return "INSERT INTO archive (name, run_id, bytes, started_at, closed)
            SELECT ?3, ?5, ?4 + ?6, ?7, 1 FROM (SELECT ?1, ?2) WHERE true
            ON CONFLICT (name) DO UPDATE SET bytes = max(bytes, excluded.bytes),
                started_at = min(started_at, excluded.started_at), run_id = iif(run_id IS excluded.run_id, run_id, NULL)"
            .to_owned();
    }
    let mut names = Vec::new();
    let mut values = Vec::new();
    for (at, column) in columns.iter().enumerate() {
        let value = format!("?{}", at + 1);
        match column.kind {
            // Rows come in the order of their positions, so their numbers are in it too. The
            // parameter is used all the same.
            Kind::Position => {
                names.push("id");
                values.push(format!("nullif({value}, {value})"));
            }
            Kind::Archive => {
                names.push(column.folder);
                values.push(format!("(SELECT id FROM archive WHERE name = {value})"));
            }
            _ => {
                names.push(column.folder);
                values.push(value);
            }
        }
    }
    match table.name {
        "page" => {
            names.extend(["site_id", "number"]);
            values.push("((?1 >> 41) << 10) | (?1 & 1023)".to_owned());
            values.push("(?1 >> 10) & 2147483647".to_owned());
        }
        "page_links" => {
            names.push("origin");
            values.push(format!("?{}", columns.len() + 1));
        }
        _ => {}
    }
    format!(
        "INSERT INTO {} ({}) VALUES ({})",
        table.folder,
        names.join(", "),
        values.join(", ")
    )
}

struct Param<'c>(&'c Cell);

impl ToSql for Param<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        let value = match self.0 {
            Cell::Null => ValueRef::Null,
            Cell::Int(number) => ValueRef::Integer(*number),
            Cell::Real(number) => ValueRef::Real(*number),
            Cell::Text(text) => ValueRef::Text(text.as_bytes()),
            Cell::Bytes(bytes) => ValueRef::Blob(bytes),
        };
        Ok(ToSqlOutput::Borrowed(value))
    }
}

fn cell(value: ValueRef<'_>, kind: Kind) -> Cell {
    match value {
        ValueRef::Null => Cell::Null,
        ValueRef::Integer(number) if kind == Kind::Real => Cell::Real(number as f64),
        ValueRef::Integer(number) => Cell::Int(number),
        ValueRef::Real(number) => Cell::Real(number),
        ValueRef::Text(text) => Cell::Text(String::from_utf8_lossy(text).into_owned()),
        ValueRef::Blob(bytes) => Cell::Bytes(bytes.to_owned()),
    }
}

/// Returns links with their paths, where a folder has the numbers of paths.
fn whole_links(connection: &Connection, packed: &str) -> rusqlite::Result<String> {
    let links: Vec<Vec<Value>> = serde_json::from_str(packed).unwrap_or_default();
    let mut find = connection.prepare_cached("SELECT path FROM dom_path WHERE id = ?1")?;
    let mut whole: Vec<[String; 4]> = Vec::with_capacity(links.len());
    for link in &links {
        let text = |at: usize| {
            link.get(at)
                .and_then(Value::as_str)
                .unwrap_or_default()
                .to_owned()
        };
        let path = match link.get(2).and_then(Value::as_i64) {
            Some(number) => find.query_row([number], |row| row.get(0)).optional()?,
            None => None,
        };
        whole.push([text(0), text(1), path.unwrap_or_default(), text(3)]);
    }
    Ok(json!(whole).to_string())
}

/// Does the opposite, and adds the origin of the page.
fn pack_links(connection: &Connection, cells: &mut Vec<Cell>) -> rusqlite::Result<()> {
    let [page, links] = cells.as_slice() else {
        return Ok(());
    };
    let address: Option<String> = connection
        .prepare_cached(
            "SELECT coalesce(page.url, url.url) FROM page LEFT JOIN url ON url.id = page.url_id WHERE page.id = ?1",
        )?
        .query_row([page.as_int()], |row| row.get(0))
        .optional()?
        .flatten();
    let whole: Vec<[String; 4]> =
        serde_json::from_str(links.as_text().unwrap_or_default()).unwrap_or_default();
    let mut packed = Vec::with_capacity(whole.len());
    for [href, text, path, rel] in whole {
        let number = match path.as_str() {
            "" => None,
            path => {
                connection
                    .prepare_cached("INSERT INTO dom_path (path) VALUES (?1) ON CONFLICT DO NOTHING")?
                    .execute([path])?;
                let mut find = connection.prepare_cached("SELECT id FROM dom_path WHERE path = ?1")?;
                Some(find.query_row([path], |row| row.get::<_, i64>(0))?)
            }
        };
        let mut link = vec![json!(href), json!(text), json!(number), json!(rel)];
        while link.len() > 1
            && link
                .last()
                .is_some_and(|part| part.is_null() || *part == json!(""))
        {
            link.pop();
        }
        packed.push(Value::Array(link));
    }
    cells[1] = Cell::Text(Value::Array(packed).to_string());
    cells.push(Cell::Text(
        origin(address.as_deref().unwrap_or_default()).to_owned(),
    ));
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use magpie_rows::copy::TABLES;

    use super::*;

    /// Columns that are not copied: they follow from others, or are of this process.
    const LEFT_OUT: [(&str, &str); 6] = [
        ("site", "lease_owner"),
        ("site", "lease_epoch"),
        ("site", "lease_until"),
        ("page", "site_id"),
        ("page", "number"),
        ("page_links", "origin"),
    ];

    /// Tables that are not copied: they are made again, have what rows of other tables name, or
    /// list files that are to be written again or removed here.
    const MADE_AGAIN: [&str; 17] = [
        "archive",
        "attribute",
        "dom_path",
        "facet_value",
        "known",
        "meta",
        "object_indexed",
        "object_number",
        "object_part",
        "object_term",
        "object_text",
        "object_values",
        "rewrite",
        "tally",
        "waste",
        "word",
        "word_part",
    ];

    #[test]
    fn every_column_is_copied() {
        let mut connection = Connection::open_in_memory().unwrap();
        SCHEMA.migrate(&mut connection, Path::new("memory")).unwrap();
        let mut statement = connection
            .prepare(
                "SELECT m.name, c.name FROM sqlite_schema AS m JOIN pragma_table_info(m.name) AS c WHERE m.type = 'table'",
            )
            .unwrap();
        let there = statement
            .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))
            .unwrap();
        let there: BTreeSet<(String, String)> = there.map(Result::unwrap).collect();
        let is_made_again = |table: &str| {
            table.starts_with("sqlite_")
                || MADE_AGAIN.iter().any(|made| {
                    table == *made || table.strip_prefix(made).is_some_and(|rest| rest.starts_with('_'))
                })
        };
        let left_out = |(table, column): &(String, String)| {
            is_made_again(table) || LEFT_OUT.contains(&(table.as_str(), column.as_str()))
        };
        let wanted: BTreeSet<(String, String)> =
            there.iter().filter(|pair| !left_out(pair)).cloned().collect();
        let mut listed = BTreeSet::new();
        for table in TABLES.iter().filter(|table| table.name != SEGMENTS) {
            for column in table.columns() {
                listed.insert((table.folder.to_owned(), column.folder.to_owned()));
            }
        }
        let listed: BTreeSet<_> = listed.into_iter().filter(|pair| !left_out(pair)).collect();
        assert_eq!(listed, wanted, "list new columns in `magpie_rows::copy::TABLES`");
    }
}
