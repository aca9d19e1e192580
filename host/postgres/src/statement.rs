//! Statements, and the partitions that they may touch.
//!
//! Tables are in the schema `magpie`, which is replaced by that of the workspace.

use std::borrow::Cow;

/// The partitions that a statement may touch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Route {
    /// The one of its bucket: the first parameter.
    Bucket,
    /// A table without partitions.
    Whole,
    /// All, since it looks for buckets.
    Leases,
    /// Those of some buckets, such as all that the worker has: an array, the first parameter.
    Owned,
    /// All: a sum or a search for people, or for a step that reads everything.
    Everything,
}

#[derive(Debug)]
pub(crate) struct Statement {
    pub(crate) name: &'static str,
    pub(crate) route: Route,
    pub(crate) sql: &'static str,
}

impl Statement {
    /// Returns the text for a workspace in a schema.
    pub(crate) fn text(&self, schema: &str) -> Cow<'static, str> {
        in_schema(self.sql, schema)
    }
}

/// Puts another schema into a text with the usual one.
pub(crate) fn in_schema(sql: &'static str, schema: &str) -> Cow<'static, str> {
    match schema {
        "magpie" => sql.into(),
        // The name may be a word of SQL.
        _ => sql.replace("magpie.", &format!("\"{schema}\".")).into(),
    }
}

/// Selects rows of pages for `read_page`. A statement begins with it: `NAME Route (page_rows) "…"`.
macro_rules! page_rows {
    () => {
        "SELECT page.page, page.url, coalesce(page.address, url.address, ''), page.run, page.fetched_at,
            page.status::int8, page.media_type, page.title, page.bytes, page.etag, page.last_modified, page.redirect,
            page.problem, page.detail, page.text_hash, segment.name, segment.base + page.position, page.length,
            page.same_as, page.hash, page.pruned_at, page.pruned_by
        FROM magpie.page LEFT JOIN magpie.url ON url.bucket = page.bucket AND url.url = page.url
        LEFT JOIN magpie.segment ON segment.bucket = page.bucket AND segment.segment = page.segment "
    };
}

/// Selects objects with words. Each phrase is a place, or 0 for any, words, and `true` if they must
/// stand there.
macro_rules! objects_with_words {
    () => {
        "SELECT object FROM magpie.object_text WHERE bucket = $1 AND words @@ $2::text::tsquery AND NOT EXISTS (
            SELECT FROM unnest($3::int8[], $4::text[], $5::bool[]) AS phrase (place, words, is_wanted)
            WHERE is_wanted <> (strpos(CASE place WHEN 0 THEN text ELSE split_part(text, chr(10), place::int4) END,
                phrase.words) > 0)) "
    };
}

macro_rules! statements {
    ($($(#[$doc:meta])* $constant:ident $route:ident $(($select:ident))? $sql:literal $(($inner:ident) $rest:literal)?)*) => {
        $($(#[$doc])* pub(crate) const $constant: Statement = Statement {
            name: stringify!($constant),
            route: Route::$route,
            sql: concat!($($select!(),)? $sql $(, $inner!(), $rest)?),
        };)*

        /// The statements of this file.
        #[cfg(test)]
        pub(crate) const ALL: &[Statement] = &[$($constant),*];
    };
}

pub(crate) use {objects_with_words, page_rows, statements};
