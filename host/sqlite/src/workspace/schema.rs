//! The schema's versions and its documentation.

use std::path::Path;

use magpie_rows::StoreError;
use rusqlite::{Connection, TransactionBehavior};

use crate::error::database_error;
use crate::vocabularies::{VOCABULARIES, Vocabulary};
use crate::warehouse::views::{drop_views, views_page};

pub(crate) struct Versions<'a> {
    /// Makes the first version.
    base: &'a str,
    /// The number of the first version. Databases of earlier ones are refused.
    first: usize,
    /// The migrations from the first version on, each to the next.
    migrations: &'a [&'a str],
}

/// The schema of a workspace. The database's `user_version` counts its versions; those before 18
/// were never released. A change is a new migration, and `schema.sql` stays as it is: workspaces
/// of each version from 18 on are brought up to date.
pub(crate) const SCHEMA: Versions<'static> = Versions {
    base: include_str!("schema.sql"),
    first: 18,
    migrations: &[
        include_str!("version_19.sql"),
        include_str!("version_20.sql"),
        include_str!("version_21.sql"),
        include_str!("version_22.sql"),
        include_str!("version_23.sql"),
        include_str!("version_24.sql"),
        include_str!("version_25.sql"),
    ],
};

/// Says that a SQLite file is a workspace: "Mgpi".
const APPLICATION_ID: i64 = 0x4d67_7069;

impl Versions<'_> {
    pub(crate) fn newest(&self) -> usize {
        self.first + self.migrations.len()
    }

    /// Migrates a database to the newest version, in one transaction.
    pub(crate) fn migrate(&self, connection: &mut Connection, path: &Path) -> Result<(), StoreError> {
        let failed = |error| database_error(path, error);
        let found = self.version(connection, path)?;
        if found == self.newest() {
            return Ok(());
        }
        let transaction = connection
            // The write lock is taken at once: a deferred transaction could fail when it first
            // writes.
            .transaction_with_behavior(TransactionBehavior::Immediate)
            .map_err(failed)?;
        // A migration may add a table with the name of a view, and renaming a table fails if a view
        // does not fit any more.
        drop_views(&transaction).map_err(failed)?;
        if found == 0 {
            transaction.execute_batch(self.base).map_err(failed)?;
        }
        for migration in &self.migrations[found.saturating_sub(self.first)..] {
            transaction.execute_batch(migration).map_err(failed)?;
        }
        transaction
            .pragma_update(None, "application_id", APPLICATION_ID)
            .and_then(|()| transaction.pragma_update(None, "user_version", self.newest() as i64))
            .and_then(|()| transaction.commit())
            .map_err(failed)
    }

    /// Returns the version of a database of this program; 0 for an empty one. Fails if the version
    /// is older than the first or newer than the newest.
    pub(crate) fn version(&self, connection: &Connection, path: &Path) -> Result<usize, StoreError> {
        let failed = |error| database_error(path, error);
        let pragma = |name| connection.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
        let found = pragma("user_version").map_err(failed)?;
        let application = pragma("application_id").map_err(failed)?;
        let tables: i64 = connection
            .query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))
            .map_err(failed)?;
        let damaged = |detail: &str| StoreError::Corrupt {
            file: path.to_owned(),
            detail: detail.to_owned(),
        };
        // An empty file has version 0, as has any database of another program. Only the lack of
        // tables tells them apart.
        if found == 0 && application == 0 && tables == 0 {
            // A process that was killed before it made the tables leaves one page.
            let is_empty = std::fs::metadata(path).is_ok_and(|file| file.len() <= MAX_PAGE);
            return match is_empty || !path.exists() {
                true => Ok(0),
                false => Err(damaged("its tables can't be found")),
            };
        }
        if application != APPLICATION_ID {
            return Err(StoreError::NotAWorkspace {
                path: path.to_owned(),
            });
        }
        if found == 0 {
            return Err(damaged("it has no version"));
        }
        let known = usize::try_from(found)
            .ok()
            .filter(|found| *found <= self.newest());
        match known {
            Some(found) if found >= self.first => Ok(found),
            Some(_) => Err(StoreError::UnreleasedSchema {
                path: path.to_owned(),
                found,
            }),
            None => Err(StoreError::NewerSchema {
                path: path.to_owned(),
                found,
                known: self.newest() as i64,
            }),
        }
    }
}

/// The most bytes of a page of SQLite.
const MAX_PAGE: u64 = 65_536;

/// The reference page of the tables, in Markdown, made from the comments in the schema itself.
pub fn schema_page() -> Result<String, StoreError> {
    let path = Path::new("memory");
    let failed = |error| database_error(path, error);
    let mut connection = Connection::open_in_memory().map_err(failed)?;
    SCHEMA.migrate(&mut connection, path)?;
    let mut statement = connection
        .prepare(&format!(
            "SELECT type, name, sql FROM sqlite_schema AS m WHERE {DOCUMENTED} ORDER BY name"
        ))
        .map_err(failed)?;
    let rows = statement
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
        .map_err(failed)?;
    let mut page = format!(
        "# The tables of `magpie.db`\n\nSchema version {}. The file is SQLite and anyone may query it, also while a crawl \
         runs; writing is for Magpie alone. Times are milliseconds since 1970 unless a line says otherwise.\n",
        SCHEMA.newest()
    );
    for row in rows {
        let (kind, name, sql): (String, String, String) = row.map_err(failed)?;
        page.push_str(&section(&kind, &name, &sql));
    }
    page.push_str(&views_page());
    Ok(page)
}

/// The tables and views that are documented: not those that a virtual table keeps its data in.
const DOCUMENTED: &str = "m.type IN ('table', 'view') AND m.name NOT LIKE 'sqlite_%' AND NOT EXISTS (
    SELECT 1 FROM sqlite_schema AS v WHERE v.sql LIKE 'CREATE VIRTUAL TABLE%'
        AND substr(m.name, 1, length(v.name) + 1) = v.name || '_' AND m.sql NOT LIKE 'CREATE VIRTUAL TABLE%')";

fn section(kind: &str, name: &str, sql: &str) -> String {
    let mut text = String::new();
    let mut rows = String::new();
    // SQLite puts a column that was added later between the last one and its comment.
    let mut uncommented = None;
    for line in sql.lines() {
        let Some((code, comment)) = line.split_once("-- ") else {
            continue;
        };
        let comment = comment.trim().replace('|', "\\|");
        let code = code.trim();
        let mut found = column(kind, code);
        if code.starts_with("DEFAULT") && found.is_some_and(|(word, _)| word == "DEFAULT") {
            found = uncommented.take();
        } else if kind == "table"
            && !code.starts_with("DEFAULT")
            && let Some((before, _)) = code.split_once(", ")
        {
            uncommented = column(kind, before);
        }
        match found {
            None => text = comment,
            Some((column, sort)) => {
                let codes = codes(name, column);
                rows.push_str(&format!("| `{column}` | {sort} | {comment}{codes} |\n"));
            }
        }
    }
    let heading = if kind == "view" {
        format!("`{name}` (view)")
    } else {
        format!("`{name}`")
    };
    format!("\n## {heading}\n\n{text}\n\n| column | type | |\n|---|---|---|\n{rows}")
}

/// Path of the page of codes, as seen from that of the tables.
const CODES: &str = "../../docs/reference/codes.md";

/// Vocabularies with more words are not listed in the row of a column.
const MAX_LISTED_WORDS: usize = 10;

/// Returns the words of a column that keeps words, and a link to their meaning.
fn codes(table: &str, column: &str) -> String {
    let found = VOCABULARIES
        .iter()
        .find(|(of, name, _)| (*of, *name) == (table, column));
    let Some((_, _, Vocabulary { noun, words })) = found else {
        return String::new();
    };
    let anchor = noun.to_lowercase().replace(' ', "-").replace(',', "");
    let link = format!("[{noun}]({CODES}#{anchor})");
    if words.is_empty() || words.len() > MAX_LISTED_WORDS {
        return format!("; words: {link}");
    }
    let words: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
    format!("; words: {} ({link})", words.join(", "))
}

/// The column a line of SQL is about, and its type; none for a line that is all comment.
fn column<'a>(kind: &str, code: &'a str) -> Option<(&'a str, &'a str)> {
    // A column that was added later follows a comma after the end of the one before.
    let code = code.trim_end_matches(',');
    let code = code.rsplit_once(", ").map_or(code, |(_, added)| added);
    if kind == "view" {
        return Some((code.rsplit_once(' ')?.1, ""));
    }
    let mut words = code.split(' ');
    Some((
        words.next().filter(|word| !word.is_empty())?,
        words.next().unwrap_or(""),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATH: &str = "test.db";

    fn empty() -> Connection {
        Connection::open_in_memory().unwrap()
    }

    const FIRST: &str = "CREATE TABLE one (a);";

    /// A schema whose first version has the number 18.
    fn versions<'a>(migrations: &'a [&'a str]) -> Versions<'a> {
        Versions {
            base: FIRST,
            first: 18,
            migrations,
        }
    }

    #[test]
    fn an_older_schema_is_brought_up_to_date() {
        let path = Path::new(PATH);
        let second = ["ALTER TABLE one ADD COLUMN b; CREATE TABLE two (c);"];
        let mut connection = empty();
        versions(&[]).migrate(&mut connection, path).unwrap();
        assert_eq!(versions(&[]).version(&connection, path).unwrap(), 18);
        connection.execute("INSERT INTO one VALUES (7)", []).unwrap();
        for _ in 0..2 {
            versions(&second).migrate(&mut connection, path).unwrap();
            assert_eq!(versions(&second).version(&connection, path).unwrap(), 19);
        }
        let row = connection.query_row("SELECT a, b FROM one", [], |row| Ok((row.get(0)?, row.get(1)?)));
        assert_eq!(row.unwrap(), (7, None::<i64>));
        let mut fresh = empty();
        versions(&second).migrate(&mut fresh, path).unwrap();
        assert!(fresh.prepare("SELECT a, b, c FROM one, two").is_ok());
    }

    #[test]
    fn a_migration_that_fails_leaves_nothing() {
        let path = Path::new(PATH);
        let mut connection = empty();
        versions(&[]).migrate(&mut connection, path).unwrap();
        let broken = ["CREATE TABLE two (b); CREATE TABLE one (a);"];
        let error = versions(&broken).migrate(&mut connection, path).unwrap_err();
        assert!(matches!(error, StoreError::Corrupt { .. }), "{error}");
        assert_eq!(versions(&[]).version(&connection, path).unwrap(), 18);
        assert!(connection.prepare("SELECT * FROM two").is_err());
    }

    #[test]
    fn a_database_whose_tables_do_not_fit_is_reported_in_a_sentence() {
        let path = Path::new(PATH);
        let mut connection = empty();
        let second = ["CREATE TABLE two (c);"];
        versions(&second).migrate(&mut connection, path).unwrap();
        connection.pragma_update(None, "user_version", 18).unwrap();
        let error = versions(&second).migrate(&mut connection, path).unwrap_err();
        let text = format!("{error} {error:?}");
        assert!(
            text.starts_with("the database test.db is damaged: its tables do not fit"),
            "{text}"
        );
        assert!(!text.contains("CREATE "), "{text}");
    }

    #[test]
    fn strangers_and_unknown_versions_are_refused() {
        let path = Path::new(PATH);
        let mut connection = empty();
        connection.execute_batch("CREATE TABLE theirs (a);").unwrap();
        let error = SCHEMA.migrate(&mut connection, path).unwrap_err();
        assert_eq!(
            error.to_string(),
            "test.db is not the database of a Magpie workspace"
        );
        let mut connection = empty();
        SCHEMA.migrate(&mut connection, path).unwrap();
        let newest = SCHEMA.newest();
        for (version, message) in [
            (
                99,
                format!(
                    "test.db has schema version 99, this build knows versions up to {newest}: use a newer build"
                ),
            ),
            (
                17,
                "test.db has schema version 17, which was never released: crawl into a new workspace"
                    .to_owned(),
            ),
        ] {
            connection.pragma_update(None, "user_version", version).unwrap();
            let error = SCHEMA.migrate(&mut connection, path).unwrap_err();
            assert_eq!(error.to_string(), message);
        }
    }

    #[test]
    fn every_column_has_its_comment_and_the_page_is_current() {
        let page = schema_page().unwrap();
        let mut connection = empty();
        SCHEMA.migrate(&mut connection, Path::new(PATH)).unwrap();
        let sql = format!(
            "SELECT m.name, c.name FROM sqlite_schema m JOIN pragma_table_info(m.name) c WHERE {DOCUMENTED}"
        );
        let mut statement = connection.prepare(&sql).unwrap();
        let columns = statement
            .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))
            .unwrap();
        for column in columns {
            let (table, column): (String, String) = column.unwrap();
            let section = page
                .split("\n## ")
                .find(|section| section.starts_with(&format!("`{table}`")))
                .unwrap();
            assert!(
                section.contains(&format!("| `{column}` |")),
                "{table}.{column} has no comment"
            );
        }
        let kept = include_str!("../../SCHEMA.md");
        assert!(
            kept == page,
            "SCHEMA.md is not what `cargo run -p magpie-sqlite --example schema_page` prints"
        );
    }

    /// Columns of texts that are not words of a vocabulary.
    const FREE_TEXTS: [(&str, &str); 111] = [
        ("alert", "vertical"),
        ("alert", "subject"),
        ("alert", "facts"),
        ("archive", "name"),
        ("argument", "name"),
        ("attribute", "name"),
        ("change", "label"),
        ("change", "object_type"),
        ("change", "attributes"),
        ("component", "vertical"),
        ("component", "version"),
        ("component", "digest"),
        ("component", "options"),
        ("coverage", "vertical"),
        ("coverage", "attribute"),
        ("coverage", "monitor"),
        ("cookie", "domain"),
        ("cookie", "path"),
        ("cookie", "name"),
        ("cookie", "value"),
        ("dom_path", "path"),
        ("extraction", "detail"),
        ("facet_value", "value"),
        ("feed", "url"),
        ("fetch", "url"),
        ("fetch", "media_type"),
        ("fetch", "title"),
        ("fetch", "redirect"),
        ("fetch", "archive"),
        ("form", "page_url"),
        ("form", "refusal"),
        ("form", "template"),
        ("form", "fields"),
        ("host", "origin"),
        ("host", "robots_text"),
        ("judgement", "reason"),
        ("learned_site", "vertical"),
        ("learned_site", "entry"),
        ("link", "href"),
        ("link", "text"),
        ("link", "path"),
        ("link", "rel"),
        ("member", "keys"),
        ("member_link", "scheme"),
        ("member_link", "reasons"),
        ("meta", "key"),
        ("meta", "value"),
        ("object", "label"),
        ("object", "object_type"),
        ("object", "record"),
        ("object", "origins"),
        ("page", "url"),
        ("page", "media_type"),
        ("page", "charset"),
        ("page", "language"),
        ("page", "title"),
        ("page", "etag"),
        ("page", "last_modified"),
        ("page", "redirect"),
        ("page", "canonical"),
        ("page", "detail"),
        ("page_links", "origin"),
        ("page_links", "links"),
        ("pattern", "vertical"),
        ("pattern", "pattern"),
        ("pattern", "monitor"),
        ("picture", "url"),
        ("picture", "host"),
        ("query_template", "vertical"),
        ("query_template", "template"),
        ("query_template", "detail"),
        ("query_template", "memory"),
        ("record", "object_type"),
        ("record", "record"),
        ("record", "sources"),
        ("round", "vertical"),
        ("run", "program"),
        ("run", "settings"),
        ("selection", "vertical"),
        ("selection", "goal"),
        ("selection", "curve"),
        ("site", "key"),
        ("site", "lease_owner"),
        ("stage", "vertical"),
        ("stage", "sentence"),
        ("stage", "kept"),
        ("submission", "vertical"),
        ("submission", "template"),
        ("submission", "query"),
        ("submission", "url"),
        ("submission", "shown_on"),
        ("selected_query", "vertical"),
        ("rendering", "links"),
        ("selected_query", "template"),
        ("selected_query", "query"),
        ("url", "url"),
        ("url", "detail"),
        ("url_rule", "key"),
        ("url_rule", "evidence"),
        ("violation", "attribute"),
        // The tag of `magpie_model::Reason`.
        ("violation", "code"),
        ("warehouse", "vertical"),
        ("warehouse", "digest"),
        ("warehouse", "options"),
        ("object_number", "currency"),
        ("warehouse", "schema"),
        ("waste", "name"),
        ("webhook", "name"),
        ("webhook", "change"),
        ("webhook", "last_error"),
        ("word", "word"),
    ];

    /// Returns the columns of all tables and views that may hold text.
    fn text_columns() -> Vec<(String, String)> {
        let mut connection = empty();
        SCHEMA.migrate(&mut connection, Path::new(PATH)).unwrap();
        let sql = format!(
            "SELECT m.name, c.name FROM sqlite_schema m JOIN pragma_table_info(m.name) c
             WHERE {DOCUMENTED} AND m.sql NOT LIKE 'CREATE VIRTUAL TABLE%' AND c.type IN ('TEXT', '')"
        );
        let mut statement = connection.prepare(&sql).unwrap();
        let columns = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)));
        columns.unwrap().map(Result::unwrap).collect()
    }

    #[test]
    fn each_text_column_has_a_vocabulary_or_is_free_text() {
        let columns = text_columns();
        for (table, column) in &columns {
            let is_free = FREE_TEXTS.contains(&(table, column));
            let has_words = !codes(table, column).is_empty();
            assert!(
                is_free != has_words,
                "{table}.{column} has to be in one of the two lists"
            );
        }
        let named = VOCABULARIES.iter().map(|(table, column, _)| (*table, *column));
        for (table, column) in named.chain(FREE_TEXTS) {
            let is_there = columns.contains(&(table.to_owned(), column.to_owned()));
            assert!(is_there, "{table}.{column} is listed and does not exist");
        }
    }

    #[test]
    fn the_page_of_codes_has_each_word() {
        let page = include_str!("../../../../docs/reference/codes.md");
        for (table, column, Vocabulary { noun, words }) in &VOCABULARIES {
            let section = page.split("\n## ").find(|section| {
                section
                    .lines()
                    .next()
                    .is_some_and(|title| title.to_lowercase() == noun.to_lowercase())
            });
            let section = section.unwrap_or_else(|| {
                panic!("{table}.{column}: `{noun}` is no heading: run `cargo xtask docs`")
            });
            for word in *words {
                let row = format!("| `{word}` | ");
                assert!(
                    section.contains(&row),
                    "{table}.{column}: `{word}` is missing: run `cargo xtask docs`"
                );
            }
        }
    }
}
