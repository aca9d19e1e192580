//! The tables, and their changes from version to version.
//!
//! Builds of two versions may work side by side, so a change has two steps. First a version adds
//! what is new and keeps what is old: builds before it go on. A later version removes what is old,
//! and raises the oldest build that may work: those before it are refused.

use std::fmt::Write as _;

use magpie_rows::StoreError;

use crate::failure::{Failure, server_error};
use crate::numbers::SHARED;
use crate::server::{Server, call};
use crate::statement::in_schema;
use crate::statements::{META, PUT_META};
use crate::value::Cells;

/// Sizes of a workspace, which are fixed when it is made.
#[derive(Clone, Copy, Debug)]
pub struct Layout {
    /// Number of buckets, at most 1,024. It bounds the number of workers.
    pub buckets: i16,
    /// Number of partitions of each table.
    pub partitions: u32,
}

impl Default for Layout {
    fn default() -> Self {
        Layout {
            buckets: 1_024,
            partitions: 16,
        }
    }
}

/// A step from one version to the next.
struct Migration {
    sql: &'static str,
    /// Settings of the partitions of its tables.
    settings: &'static [(&'static str, &'static str)],
    /// The oldest version whose builds may still work.
    oldest: i64,
}

/// Rows that are changed often have room for their new versions on the same page.
const MIGRATIONS: &[Migration] = &[Migration {
    sql: include_str!("schema.sql"),
    settings: &[
        ("bucket", "fillfactor = 50"),
        ("hand_in", "fillfactor = 50"),
        ("site", "fillfactor = 50"),
        ("tally", "fillfactor = 50"),
        ("url", "fillfactor = 80, autovacuum_vacuum_scale_factor = 0.01"),
        ("inbox", "autovacuum_vacuum_scale_factor = 0.01"),
        ("host", "fillfactor = 80"),
        ("pattern", "fillfactor = 80"),
    ],
    oldest: 1,
}];

/// The version that this build makes and reads.
const VERSION: i64 = MIGRATIONS.len() as i64;

/// Key of the version, as `VERSION OLDEST`.
const VERSION_KEY: &str = "schema";

/// Key of the position of a copy that is not complete.
pub(crate) const COPYING: &str = "copying";

/// Key of the name of the workspace.
pub(crate) const WORKSPACE_ID: &str = "workspace_id";

/// Makes the tables of a workspace where there are none.
pub(crate) fn create(server: &Server, layout: Layout) -> Result<(), StoreError> {
    let address = server.address();
    let mut script = format!("CREATE SCHEMA IF NOT EXISTS \"{}\";", address.schema);
    script += &steps(0, &address.schema, layout.partitions);
    let schema = &address.schema;
    let (buckets, partitions) = (layout.buckets, layout.partitions);
    // The unknown name of the workspace is the only random value.
    write!(
        script,
        "INSERT INTO \"{schema}\".bucket (bucket) SELECT generate_series({SHARED}, {buckets} - 1);
         INSERT INTO \"{schema}\".meta VALUES ('buckets', '{buckets}'), ('partitions', '{partitions}');
         INSERT INTO \"{schema}\".meta VALUES ('{WORKSPACE_ID}', right(gen_random_uuid()::text, 12) || left(gen_random_uuid()::text, 4));"
    )
    .map_err(|error| server_error(error.to_string()))?;
    migrate(server, &script).map_err(|failure| match failure {
        // Another process made the tables at the same time, or long ago.
        Failure::Refused { state, .. } if ["42P07", "23505", "42P06"].contains(&state.code()) => {
            server_error(format!(
                "{address} already has a workspace in the schema {schema}"
            ))
        }
        other => other.into(),
    })
}

/// Brings the tables up to date, or says why this build can't work with them.
pub(crate) fn upgrade(server: &Server) -> Result<(), StoreError> {
    let (found, oldest) = version(server)?;
    if found >= VERSION {
        return refuse_newer(server, found, oldest);
    }
    server.check_writable()?;
    let partitions = meta(server, "partitions")?.parse().unwrap_or_default();
    let script = steps(found, &server.address().schema, partitions);
    match migrate(server, &script) {
        Ok(()) => Ok(()),
        // Another process may have done the same.
        Err(failure) => match version(server)?.0 >= VERSION {
            true => Ok(()),
            false => Err(failure.into()),
        },
    }
}

/// Fails if another workspace is there than one that was opened, or it was brought to a version
/// that is too new.
pub(crate) fn check(server: &Server, workspace: &str) -> Result<(), StoreError> {
    if meta(server, WORKSPACE_ID)? != workspace {
        return Err(server_error(format!(
            "{} has another workspace than before in the schema {}: run the command again",
            server.address(),
            server.address().schema
        )));
    }
    let (found, oldest) = version(server)?;
    refuse_newer(server, found, oldest)
}

fn refuse_newer(server: &Server, found: i64, oldest: i64) -> Result<(), StoreError> {
    match oldest <= VERSION {
        true => Ok(()),
        false => Err(server_error(format!(
            "{} has schema version {found}, which needs builds for version {oldest} or later; this build is for \
             version {VERSION}: use a newer build",
            server.address()
        ))),
    }
}

fn version(server: &Server) -> Result<(i64, i64), StoreError> {
    let text = meta(server, VERSION_KEY)?;
    let numbers = text
        .split_once(' ')
        .and_then(|(version, oldest)| Some((version.parse().ok()?, oldest.parse().ok()?)));
    numbers.ok_or_else(|| {
        server_error(format!(
            "{} has a table {}.meta without a schema version: it is no workspace, or a damaged one",
            server.address(),
            server.address().schema
        ))
    })
}

/// Returns a value of the workspace; an empty one if there is none.
pub(crate) fn meta(server: &Server, key: &str) -> Result<String, StoreError> {
    let answer = server.once(call(&META, [key.into()]))?;
    match answer.rows.first() {
        Some(row) => Ok(Cells::of(row).get()?),
        None => Ok(String::new()),
    }
}

/// The text of the migrations after a version.
fn steps(after: i64, schema: &str, partitions: u32) -> String {
    let mut script = String::new();
    for migration in MIGRATIONS.iter().skip(usize::try_from(after).unwrap_or_default()) {
        script += &in_schema(migration.sql, schema);
        for table in partitioned(migration.sql) {
            let settings = migration.settings.iter().find(|(of, _)| *of == table);
            let with = settings.map_or_else(String::new, |(_, settings)| format!("WITH ({settings})"));
            for number in 0..partitions {
                script += &format!(
                    "CREATE TABLE \"{schema}\".{table}_p{number} PARTITION OF \"{schema}\".{table}
                     FOR VALUES WITH (MODULUS {partitions}, REMAINDER {number}) {with};"
                );
            }
        }
    }
    script
}

/// The tables of a script that have partitions.
fn partitioned(sql: &str) -> impl Iterator<Item = &str> {
    // Comments may contain semicolons, so the script is split at the first line of each statement.
    let tables = sql
        .split("\nCREATE ")
        .filter(|table| table.contains(") PARTITION BY"));
    tables.filter_map(|table| table.strip_prefix("TABLE magpie.")?.split(' ').next())
}

fn migrate(server: &Server, script: &str) -> Result<(), Failure> {
    let mut transaction = server.begin()?;
    transaction.script(script)?;
    let oldest = MIGRATIONS.last().map_or(0, |migration| migration.oldest);
    let version = format!("{VERSION} {oldest}");
    transaction.run(vec![call(
        &PUT_META,
        [VERSION_KEY.into(), version.as_str().into()],
    )])?;
    transaction.commit()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ServerOptions;
    use crate::server::tests::each_release;

    #[test]
    fn versions_decide_who_may_work() {
        each_release(|server, _| {
            let put = |version: &str| {
                server
                    .once(call(&PUT_META, [VERSION_KEY.into(), version.into()]))
                    .expect("a row");
            };
            let open = || {
                Server::open(server.address().clone(), ServerOptions::default())
                    .map(drop)
                    .map_err(|error| error.to_string())
            };
            assert_eq!(open(), Ok(()));
            // A later version has added columns. This version can still use the schema.
            put("9 1");
            assert_eq!(open(), Ok(()));
            put("9 8");
            let refused = open().expect_err("it is too new");
            assert!(refused.ends_with("use a newer build"), "{refused}");
            put("nine");
            assert!(open().expect_err("it is damaged").contains("damaged"));
        });
    }
}
