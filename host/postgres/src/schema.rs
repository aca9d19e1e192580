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
#[derive(Clone, Copy)]
struct Migration {
    sql: &'static str,
    /// Settings of the partitions of its tables.
    settings: &'static [(&'static str, &'static str)],
    /// The oldest version whose builds may still work.
    oldest: i64,
}

/// Rows that are changed often have room for their new versions on the same page.
const MIGRATIONS: &[Migration] = &[
    Migration {
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
    },
    Migration {
        sql: include_str!("schema_2.sql"),
        settings: &[],
        oldest: 1,
    },
];

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
    script += &steps(MIGRATIONS, &address.schema, layout.partitions);
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
    migrate(server, MIGRATIONS, &script).map_err(|failure| match failure {
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
    upgrade_by(server, MIGRATIONS)
}

fn upgrade_by(server: &Server, migrations: &[Migration]) -> Result<(), StoreError> {
    let (found, oldest) = version(server)?;
    let missing = usize::try_from(found)
        .ok()
        .and_then(|found| migrations.get(found..));
    let Some(missing) = missing.filter(|missing| !missing.is_empty()) else {
        return refuse_newer(server, found, oldest);
    };
    server.check_writable()?;
    let partitions = meta(server, "partitions")?.parse().unwrap_or_default();
    let script = steps(missing, &server.address().schema, partitions);
    match migrate(server, migrations, &script) {
        Ok(()) => Ok(()),
        // Another process may have done the same.
        Err(failure) => match version(server)?.0 > found {
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

/// The text of migrations.
fn steps(migrations: &[Migration], schema: &str, partitions: u32) -> String {
    let mut script = String::new();
    for migration in migrations {
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
    let sql = sql.strip_prefix("CREATE ").unwrap_or(sql);
    let tables = sql
        .split("\nCREATE ")
        .filter(|table| table.contains(") PARTITION BY"));
    tables.filter_map(|table| table.strip_prefix("TABLE magpie.")?.split(' ').next())
}

fn migrate(server: &Server, migrations: &[Migration], script: &str) -> Result<(), Failure> {
    let mut transaction = server.begin()?;
    transaction.script(script)?;
    let oldest = migrations.last().map_or(0, |migration| migration.oldest);
    let version = format!("{} {oldest}", migrations.len());
    transaction.run(vec![call(
        &PUT_META,
        [VERSION_KEY.into(), version.as_str().into()],
    )])?;
    transaction.commit()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::thread::{scope, sleep};
    use std::time::Duration;

    use magpie_rows::{
        ExtractedRecord, Extraction, FetchResult, Frontier as _, LeaseRequest, Offer, Page, UrlOutcome,
        UrlState,
    };
    use magpie_values::Timestamp;

    use super::*;
    use crate::numbers::bucket_of;
    use crate::server::tests::{each_release, script};
    use crate::statements::SITE;
    use crate::{ServerOptions, Store, StoreOptions};

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

    const EXTENDED: &str = "CREATE TABLE magpie.later (
    bucket smallint PRIMARY KEY
) PARTITION BY HASH (bucket);
ALTER TABLE magpie.bucket ADD COLUMN later text;
ALTER TABLE magpie.extraction ADD COLUMN later text;
ALTER TABLE magpie.hand_in ADD COLUMN later text;
ALTER TABLE magpie.page ADD COLUMN later text;
ALTER TABLE magpie.page_links ADD COLUMN later text;
ALTER TABLE magpie.record ADD COLUMN later text;
ALTER TABLE magpie.site ADD COLUMN later text;
ALTER TABLE magpie.tally ADD COLUMN later text;
ALTER TABLE magpie.url ADD COLUMN later text;";

    #[test]
    fn builds_work_on_while_a_later_one_extends_the_tables() {
        each_release(|server, _| {
            let older = Store::open(Arc::clone(server), "older", StoreOptions::default());
            let older = older.expect("a workspace");
            let site = older.site("https://a.test").expect("a site");
            let bucket = bucket_of(site.0);
            assert!(older.buckets().claim_if_free(bucket).expect("an answer"));
            let now = Timestamp::from_millis(0);
            let lease = older.lease(&LeaseRequest {
                worker: "test",
                site: Some(site),
                now,
                until: Timestamp::MAX,
            });
            let lease = lease.expect("an answer").expect("a lease");
            let offer = |number: u64| FetchResult {
                offers: vec![Offer::queued(format!("https://a.test/{number}"), number, 1, now)],
                ..FetchResult::default()
            };
            older
                .commit(&lease, offer(1))
                .and_then(|_| older.flush())
                .expect("a hand-in");
            // The tables wait for a transaction that uses them.
            let mut used = server.begin().expect("a transaction");
            used.run(vec![call(&SITE, [bucket.into(), site.0.into()])])
                .expect("a row");
            let extension = Migration {
                sql: EXTENDED,
                settings: &[],
                oldest: 1,
            };
            scope(|scope| {
                let extended = scope.spawn(|| upgrade_by(server, &[MIGRATIONS, &[extension]].concat()));
                sleep(Duration::from_millis(200));
                assert!(!extended.is_finished());
                used.commit().expect("an end");
                extended.join().expect("no panic").expect("an extension");
            });
            script(server, "INSERT INTO magpie.later VALUES (7)");
            let taken = older.take(&lease, None, 9, now).expect("a URL");
            let fetched = FetchResult {
                settled: Some(UrlOutcome::fetched(taken[0].id)),
                page: Some(Page {
                    url: taken[0].url.to_string(),
                    ..Page::default()
                }),
                extractions: vec![Extraction {
                    records: vec![ExtractedRecord::default()],
                    ..Extraction::default()
                }],
                ..offer(2)
            };
            older
                .commit(&lease, fetched)
                .and_then(|_| older.flush())
                .expect("a hand-in");
            let counts = older.counts(Some(site)).expect("counts");
            assert_eq!(
                (counts.of(UrlState::Fetched), counts.of(UrlState::Queued)),
                (1, 1)
            );
            let open = || Server::open(server.address().clone(), ServerOptions::default()).map(drop);
            assert!(open().is_ok());
            // A later version removes what is old. This one notices, also where it is open.
            let removal = Migration {
                sql: "ALTER TABLE magpie.tally DROP COLUMN later;",
                settings: &[],
                oldest: 3,
            };
            upgrade_by(server, &[MIGRATIONS, &[extension, removal]].concat()).expect("a removal");
            for refused in [
                open(),
                check(server, &meta(server, WORKSPACE_ID).expect("a name")),
            ] {
                let refused = refused.expect_err("it is too new").to_string();
                assert!(
                    refused.contains("needs builds for version 3 or later"),
                    "{refused}"
                );
            }
        });
    }
}
