//! Copies of workspaces between stores of different kinds.
//!
//! Rows pass in one form, that of `magpie-postgres`: its tables, and numbers that name the bucket
//! of a row (see [`numbers`](crate::numbers)). Each store translates. [`TABLES`] is the only list
//! of what is copied. What follows from other rows is not in it: tallies and the index of objects
//! are made again by [`CopyTarget::complete`].
//!
//! The target keeps the position of the copy in the transaction that writes the rows before it, so
//! a copy that was interrupted continues there, and no row is written twice.

use serde_json::{Value, json};
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use crate::error::StoreError;

/// Rows that are read and written at a time.
pub const AT_A_TIME: usize = 1_000;

/// A value of a row.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    Null,
    Int(i64),
    Real(f64),
    Text(String),
    Bytes(Vec<u8>),
}

/// The content of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Int,
    Real,
    Bool,
    Text,
    Bytes,
    Site,
    Url,
    Page,
    /// A record, or the member whose first record it is.
    Record,
    Pattern,
    /// The lesser of the numbers in the columns `one` and `other`, which are records.
    Lesser,
    Greater,
    /// A JSON array of numbers of URLs.
    Urls,
    /// A JSON object of numbers of members.
    Members,
    /// Links of a page: a JSON array with `[URL, text, path, rel]` for each.
    Links,
    /// The name of an archive in its own table.
    File,
    /// The archive of a page, by name.
    Archive,
    /// A place in the archive.
    Offset,
    /// The index of a row among those of its site, from 0.
    Position,
}

const KINDS: [(&str, Kind); 18] = [
    ("real", Kind::Real),
    ("bool", Kind::Bool),
    ("text", Kind::Text),
    ("bytes", Kind::Bytes),
    ("site", Kind::Site),
    ("url", Kind::Url),
    ("page", Kind::Page),
    ("record", Kind::Record),
    ("pattern", Kind::Pattern),
    ("lesser", Kind::Lesser),
    ("greater", Kind::Greater),
    ("urls", Kind::Urls),
    ("members", Kind::Members),
    ("links", Kind::Links),
    ("file", Kind::File),
    ("archive", Kind::Archive),
    ("offset", Kind::Offset),
    ("position", Kind::Position),
];

impl Kind {
    pub fn is_text(self) -> bool {
        use Kind::{Archive, File, Links, Members, Text, Urls};
        matches!(self, Text | Urls | Members | Links | File | Archive)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Column {
    /// The name in PostgreSQL.
    pub name: &'static str,
    /// The name in a folder.
    pub folder: &'static str,
    pub kind: Kind,
}

/// The bucket of the rows of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// None: the table has no partitions.
    Whole,
    /// That of what belongs to no site.
    Shared,
    /// That in the number in a column.
    Of(&'static str),
    /// That of the origin in the first column.
    Origin,
    /// The remainder of the fingerprint in the first column.
    Fingerprint,
    /// The first column.
    Given,
}

#[derive(Debug)]
pub struct Table {
    /// The name in PostgreSQL.
    pub name: &'static str,
    /// The name in a folder.
    pub folder: &'static str,
    /// The rows with which it is reported.
    pub area: &'static str,
    pub place: Place,
    /// Columns that name a row in its bucket in PostgreSQL, or their hashes as `md5(column)`.
    key: &'static str,
    /// Columns as `name=name_in_folder:kind`. Without the second name, both are the same. Without a
    /// kind, it is an integer.
    columns: &'static str,
}

const fn table(
    (name, folder, area): (&'static str, &'static str, &'static str),
    place: Place,
    key: &'static str,
    columns: &'static str,
) -> Table {
    Table {
        name,
        folder,
        area,
        place,
        key,
        columns,
    }
}

/// The table of the parts of archives that have the pages of a bucket. A folder has none: its rows
/// follow from its pages.
pub const SEGMENTS: &str = "segment";

const SITES: &str = "sites and URLs";
const PAGES: &str = "pages";
const RECORDS: &str = "records";
const LEARNED: &str = "what was learned";
const LOGS: &str = "runs and logs";
const OBJECTS: &str = "objects";

/// All that is copied, in the order of the copy.
pub static TABLES: &[Table] = &[
    table(("run", "run", LOGS), Place::Whole, "run",
        "run=id kind:text program:text settings:text started_at resumed_at ended_at outcome:text"),
    table(("component", "component", RECORDS), Place::Whole, "component",
        "component=id vertical:text version:text digest:text options:text"),
    table(("alert", "alert", LOGS), Place::Whole, "number",
        "number=seq at vertical:text kind:text subject:text facts:text is_over:bool"),
    table(("webhook", "webhook", LOGS), Place::Whole, "name",
        "name:text change:text alert pending_changes pending_alerts failures failing_since retry_at parked_at
         last_error:text delivered_at events"),
    table(("site", "site", SITES), Place::Of("site"), "site", "site=id:site key:text queued ready_at"),
    table(("url", "url", SITES), Place::Of("site"), "url",
        "url=id:url site=site_id:site fingerprint address=url:text state:text priority depth attempts source:text
         found_on:url found_at due_at reason:text detail:text form"),
    table(("host", "host", SITES), Place::Origin, "origin",
        "origin:text next_ok_at delay failures robots_fetched_at robots_status robots_outcome:text robots_text:text"),
    table(("feed", "feed", SITES), Place::Of("site"), "site md5(url)", "site=site_id:site url:text"),
    table(("hint", "hint", SITES), Place::Of("site"), "site fingerprint source",
        "site=site_id:site fingerprint source:text modified_at seen_at"),
    table(("cookie", "cookie", SITES), Place::Of("site"), "site domain path name",
        "site=site_id:site domain:text path:text name:text value:text host_only:bool secure:bool expires_at"),
    table(("url_rule", "url_rule", SITES), Place::Of("site"), "site rule md5(key)",
        "site=site_id:site rule:text key:text evidence:text learned_at"),
    table(("form", "form", SITES), Place::Of("site"), "site position fingerprint",
        "site=site_id:site fingerprint position=id:position source:text page_url:text pages purpose:text
         confidence:real refusal:text template:text fields:text seen_at depth"),
    table(("query_template", "query_template", LEARNED), Place::Of("site"), "vertical site md5(template)",
        "vertical:text site=site_id:site template:text state:text detail:text asked objects size:real size_min:real
         size_max:real memory:text changed_at"),
    table(("submission", "submission", LEARNED), Place::Of("site"), "vertical site md5(template) md5(url)",
        "vertical:text site=site_id:site template:text query:text url:text asked_at outcome:text objects new_objects
         result_page shown_on:urls"),
    table(("selected_query", "selected_query", LEARNED), Place::Of("site"), "vertical site md5(template) md5(query)",
        "vertical:text site=site_id:site template:text query:text pages"),
    table(("argument", "argument", LEARNED), Place::Of("site"), "site md5(name)",
        "site=site_id:site name:text kind:text prevalence:real probes"),
    table(("coverage", "coverage", LEARNED), Place::Of("site"), "vertical site attribute",
        "vertical:text site=site_id:site attribute:text of_details:bool learned_filled learned_records filled records
         fell_at monitor:text"),
    table((SEGMENTS, "temp.copied_segment", PAGES), Place::Given, "bucket segment",
        "bucket segment name:file base run bytes started_at"),
    table(("page", "page", PAGES), Place::Of("page"), "page",
        "page=id:page url=url_id:url address=url:text run=run_id fetched_at status media_type:text charset:text
         language:text title:text bytes simhash text_hash etag:text last_modified:text redirect:text canonical:text
         nofollow:bool noindex:bool pruned_at pruned_by:text problem:text detail:text duration archive=archive_id:archive
         position=archive_offset:offset length=archive_length same_as:page hash=digest:bytes"),
    table(("page_links", "page_links", PAGES), Place::Of("page"), "page", "page=page_id:page links:links"),
    table(("rendering", "rendering", PAGES), Place::Of("page"), "page",
        "page=page_id:page archive=archive_id:archive position=archive_offset:offset length=archive_length links:text
         requests bytes cpu"),
    table(("extraction", "extraction", RECORDS), Place::Of("page"), "page component",
        "page=page_id:page component=component_id outcome:text detail:text records violations cpu"),
    table(("violation", "violation", RECORDS), Place::Of("page"), "page component attribute code",
        "page=page_id:page component=component_id attribute:text code:text count"),
    table(("record", "record", RECORDS), Place::Of("page"), "record",
        "record=id:record page=page_id:page component=component_id position object_type:text confidence:real
         content=record:text expires_at standing:bool sources:text"),
    table(("judgement", "judgement", RECORDS), Place::Of("page"), "page component",
        "page=page_id:page component=component_id accepted:bool confidence:real reason:text"),
    table(("learned_site", "learned_site", LEARNED), Place::Of("site"), "vertical site",
        "vertical:text site=site_id:site entry:text learned_at pages yielding objects hubs"),
    table(("pattern", "pattern", LEARNED), Place::Of("site"), "number",
        "number=id:pattern site=site_id:site vertical:text pattern:text wanted:bool chosen:bool pages yielding objects
         hubs learned_at fetches failures yields alarm:text monitor:text"),
    table(("round", "round", LEARNED), Place::Of("site"), "vertical site run",
        "vertical:text site=site_id:site run=run_id method:text pages unchanged hubs failures bytes objects new_objects
         current_objects state:text"),
    table(("picture", "picture", OBJECTS), Place::Fingerprint, "fingerprint",
        "fingerprint url:text host:text asked_at requests bytes problem:text width height jpeg:bytes"),
    table(("stage", "stage", LEARNED), Place::Shared, "vertical name",
        "vertical:text name:text ended_at sentence:text kept:text"),
    table(("selection", "selection", LEARNED), Place::Shared, "vertical",
        "vertical:text made_at strategy:text goal:text patterns cost:real lower_bound:real gap:real covered:real
         coverable:real covered_min:real covered_max:real curve:text"),
    table(("warehouse", "warehouse", OBJECTS), Place::Shared, "warehouse",
        "warehouse=id vertical:text matcher:text digest:text options:text schema:text clustered_at"),
    table(("object", "object", OBJECTS), Place::Shared, "object",
        "object=id warehouse=warehouse_id label:text object_type:text record:text origins:members members current
         first_seen last_seen expires_at stale:bool merged_into state:text changed_at"),
    table(("member", "member", OBJECTS), Place::Shared, "member",
        "member=record_id:record warehouse=warehouse_id object=object_id url_print record_print:bytes first_seen
         last_seen last_record=last_record_id:record current:bool features:bytes keys:text origin:bytes"),
    table(("sighting", "sighting", OBJECTS), Place::Shared, "record", "record=record_id:record member=member_id:record"),
    table(("member_link", "member_link", OBJECTS), Place::Shared, "one other",
        "one:lesser other:greater probability:real scheme:text reasons:text"),
    table(("apart", "apart", OBJECTS), Place::Shared, "one other", "one:lesser other:greater made_at"),
    table(("clustered", "clustered", OBJECTS), Place::Shared, "warehouse site",
        "warehouse=warehouse_id site=site_id:site page"),
    table(("change", "change", LOGS), Place::Shared, "seq",
        "seq object=object_id kind:text at run=run_id label:text object_type:text expires_at attributes:text
         into_object=into_id"),
    table(("reread", "reread", OBJECTS), Place::Of("page"), "warehouse page",
        "warehouse=warehouse_id page=page_id:page"),
];

impl Table {
    pub fn columns(&self) -> Vec<Column> {
        let columns = self.columns.split_whitespace().map(|column| {
            let (names, kind) = column.split_once(':').unwrap_or((column, ""));
            let (name, folder) = names.split_once('=').unwrap_or((names, names));
            let kind = KINDS.iter().find(|(word, _)| *word == kind);
            let kind = kind.map_or(Kind::Int, |(_, kind)| *kind);
            Column { name, folder, kind }
        });
        columns.collect()
    }

    /// Returns the expressions of the key, each with the kind of its value.
    pub fn key(&self) -> Vec<(&'static str, Kind)> {
        let columns = self.columns();
        let of = |part: &str| columns.iter().find(|column| column.name == part);
        let parts = self.key.split_whitespace();
        parts
            .map(|part| (part, of(part).map_or(Kind::Text, |column| column.kind)))
            .collect()
    }
}

/// A row, and the position after which the next one follows.
#[derive(Clone, Debug)]
pub struct CopiedRow {
    pub position: Vec<Cell>,
    pub cells: Vec<Cell>,
}

/// A file of the archive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CopiedFile {
    pub name: String,
    pub bytes: u64,
}

/// A store whose rows are read in the form of a copy.
pub trait Copied {
    /// The number of the workspace, which cursors name.
    fn workspace(&self) -> Result<String, StoreError>;

    fn count(&self, table: &Table) -> Result<u64, StoreError>;

    /// Reads rows after a position, up to a number of them. Before the first the position is empty.
    fn read(&self, table: &Table, after: &[Cell], limit: usize) -> Result<Vec<CopiedRow>, StoreError>;

    /// Returns the files with the bodies of pages.
    fn files(&self) -> Result<Vec<CopiedFile>, StoreError>;
}

/// A store that is being filled.
pub trait CopyTarget: Copied {
    /// Returns the position of the copy; an empty text before its beginning.
    fn position(&self) -> Result<String, StoreError>;

    /// Writes rows, and the position of the copy after them, in one transaction. The first call has
    /// the number of the workspace, and no rows.
    fn put(
        &self,
        table: &Table,
        rows: &[CopiedRow],
        workspace: &str,
        position: &str,
    ) -> Result<(), StoreError>;

    /// Makes what follows from the rows. It may be done again.
    fn complete(&self) -> Result<(), StoreError>;

    /// Makes it a workspace that can be opened.
    fn release(self: Box<Self>) -> Result<(), StoreError>;
}

/// The rows that were compared in the end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ComparedArea {
    pub area: &'static str,
    pub rows: u64,
}

/// A copy on its way.
pub struct Copier<'c> {
    pub from: &'c dyn Copied,
    /// Returns the name in the target of a file of the archive.
    pub rename: &'c dyn Fn(&str) -> String,
    /// The target, for messages.
    pub target: String,
    /// Rows that are read and written at a time: [`AT_A_TIME`].
    pub at_a_time: usize,
}

impl Copier<'_> {
    /// Copies all rows, or those that an interrupted copy has left. `each` gets the table and the
    /// number of its rows that were written last.
    pub fn copy(
        &self,
        to: &dyn CopyTarget,
        each: &mut dyn FnMut(&Table, usize) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        let workspace = self.from.workspace()?;
        let state = self.state()?;
        let position = |table: &str, after: &[Cell]| {
            let after: Vec<Value> = after.iter().map(Cell::to_json).collect();
            json!([workspace, state, table, after]).to_string()
        };
        let (mut begun, mut after) = match self.begun(to, &workspace, &state)? {
            Some((table, after)) => (Some(table), after),
            None => {
                to.put(&TABLES[0], &[], &workspace, &position(TABLES[0].name, &[]))?;
                (None, Vec::new())
            }
        };
        for table in TABLES {
            match &begun {
                // It was copied before.
                Some(begun) if begun != table.name => continue,
                Some(_) => begun = None,
                None => after.clear(),
            }
            loop {
                let rows = self.read(self.from, table, &after)?;
                let Some(last) = rows.last() else { break };
                after.clone_from(&last.position);
                to.put(table, &rows, &workspace, &position(table.name, &after))?;
                each(table, rows.len())?;
                if rows.len() < self.at_a_time {
                    break;
                }
            }
        }
        to.complete()
    }

    /// Reads all rows of both, and fails if they differ.
    pub fn compare(&self, to: &dyn CopyTarget) -> Result<Vec<ComparedArea>, StoreError> {
        let mut areas: Vec<ComparedArea> = Vec::new();
        // The parts of files by bucket are those of one kind of store. Pages name their file.
        for table in TABLES.iter().filter(|table| table.name != SEGMENTS) {
            let (there, here) = (self.sum(self.from, table)?, self.sum(to, table)?);
            if there != here {
                return Err(self.refusal(&format!(
                    "the copy in {} differs: the source has {} rows of `{}`, and the copy {}{}. The source was changed \
                     meanwhile, or this is a defect of Magpie: remove the copy, and begin it again",
                    self.target,
                    there.0,
                    table.name,
                    here.0,
                    if there.0 == here.0 { " with other contents" } else { "" },
                )));
            }
            match areas.iter_mut().find(|area| area.area == table.area) {
                Some(area) => area.rows += there.0,
                None => areas.push(ComparedArea {
                    area: table.area,
                    rows: there.0,
                }),
            }
        }
        Ok(areas)
    }

    /// Returns the table and the position at which an interrupted copy continues.
    fn begun(
        &self,
        to: &dyn CopyTarget,
        workspace: &str,
        state: &str,
    ) -> Result<Option<(String, Vec<Cell>)>, StoreError> {
        let text = to.position()?;
        if text.is_empty() {
            for table in TABLES {
                if to.count(table)? > 0 {
                    return Err(self.refusal(&format!(
                        "{} is a workspace already: name a target that is none, or an empty one",
                        self.target
                    )));
                }
            }
            return Ok(None);
        }
        let found: (String, String, String, Vec<Value>) = serde_json::from_str(&text)
            .map_err(|_| self.refusal(&format!("{} is a copy of a later build: use it", self.target)))?;
        if found.0 != workspace {
            return Err(self.refusal(&format!(
                "{} has the unfinished copy of another workspace: name another target",
                self.target
            )));
        }
        if found.1 != state {
            return Err(self.refusal(&format!(
                "{} has an unfinished copy, and the source was changed since: remove it, and begin the copy again",
                self.target
            )));
        }
        Ok(Some((found.2, found.3.iter().map(Cell::from_json).collect())))
    }

    /// Returns a text that differs if rows were added to the source, or removed.
    fn state(&self) -> Result<String, StoreError> {
        let mut counts = String::new();
        for table in TABLES {
            counts += &format!("{} ", self.from.count(table)?);
        }
        Ok(format!("{:016x}", xxh3_64(counts.as_bytes())))
    }

    fn read(&self, store: &dyn Copied, table: &Table, after: &[Cell]) -> Result<Vec<CopiedRow>, StoreError> {
        let mut rows = store.read(table, after, self.at_a_time)?;
        let columns = table.columns();
        let files = columns
            .iter()
            .enumerate()
            .filter(|(_, column)| matches!(column.kind, Kind::File | Kind::Archive));
        for (at, _) in files {
            for row in &mut rows {
                if let Cell::Text(name) = &mut row.cells[at] {
                    *name = (self.rename)(name);
                }
            }
        }
        Ok(rows)
    }

    /// Returns the number of rows, and the sum of their hashes, which does not depend on their
    /// order.
    fn sum(&self, store: &dyn Copied, table: &Table) -> Result<(u64, u128), StoreError> {
        let (mut count, mut sum) = (0, 0_u128);
        let mut after = Vec::new();
        loop {
            let rows = self.read(store, table, &after)?;
            for row in &rows {
                sum = sum.wrapping_add(hash(&row.cells));
            }
            count += rows.len() as u64;
            match rows.last() {
                Some(last) if rows.len() == self.at_a_time => after.clone_from(&last.position),
                _ => return Ok((count, sum)),
            }
        }
    }

    fn refusal(&self, sentence: &str) -> StoreError {
        StoreError::Copy {
            sentence: sentence.to_owned(),
        }
    }
}

/// Returns the number of the workspace that a position is of.
pub fn workspace_of(position: &str) -> Option<String> {
    let position: Value = serde_json::from_str(position).ok()?;
    Some(position.get(0)?.as_str()?.to_owned())
}

impl Cell {
    fn to_json(&self) -> Value {
        match self {
            Cell::Int(number) => json!(number),
            Cell::Text(text) => json!(text),
            // Positions have no others.
            Cell::Null | Cell::Real(_) | Cell::Bytes(_) => Value::Null,
        }
    }

    fn from_json(value: &Value) -> Cell {
        match value {
            Value::String(text) => Cell::Text(text.clone()),
            other => other.as_i64().map_or(Cell::Null, Cell::Int),
        }
    }

    pub fn as_int(&self) -> Option<i64> {
        match self {
            Cell::Int(number) => Some(*number),
            _ => None,
        }
    }

    pub fn as_text(&self) -> Option<&str> {
        match self {
            Cell::Text(text) => Some(text),
            _ => None,
        }
    }
}

fn hash(cells: &[Cell]) -> u128 {
    let mut hasher = Xxh3::new();
    for cell in cells {
        let (kind, bytes): (u8, &[u8]) = match cell {
            Cell::Null => (0, &[]),
            Cell::Int(number) => (1, &number.to_le_bytes()),
            Cell::Real(number) => (2, &number.to_bits().to_le_bytes()),
            Cell::Text(text) => (3, text.as_bytes()),
            Cell::Bytes(bytes) => (4, bytes),
        };
        hasher.update(&[kind]);
        hasher.update(&bytes.len().to_le_bytes());
        hasher.update(bytes);
    }
    hasher.digest128()
}
