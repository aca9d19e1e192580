//! Statements of workers and of the files that people edit.

use crate::statement::{Route, Statement, statements};

statements! {
    /// Writes the heartbeat of a worker, and returns the number of live workers: itself, and those
    /// with a heartbeat within the length of a lease.
    ANNOUNCE Whole "WITH heartbeat AS (
            INSERT INTO magpie.worker (worker, version, joined_at, seen_at, buckets)
            VALUES ($1, $2, clock_timestamp(), clock_timestamp(), $3)
            ON CONFLICT (worker) DO UPDATE SET version = excluded.version, seen_at = excluded.seen_at,
                buckets = excluded.buckets)
        SELECT 1 + count(*) FROM magpie.worker WHERE worker <> $1
            AND seen_at > clock_timestamp() - $4::int8 * interval '1 ms'"

    LEAVE Whole "DELETE FROM magpie.worker WHERE worker = $1"

    WORKERS Whole "SELECT worker, version, (extract(epoch FROM joined_at) * 1000)::int8,
            (extract(epoch FROM clock_timestamp() - seen_at) * 1000)::int8, buckets
        FROM magpie.worker ORDER BY worker COLLATE \"C\""

    FILES Whole "SELECT path, version FROM magpie.file WHERE content IS NOT NULL ORDER BY path COLLATE \"C\""

    FILE Whole "SELECT content, version, changed_by FROM magpie.file WHERE path = $1"

    /// Writes a version of a file after the one that the writer knows, if it is still the last.
    PUT_FILE Whole "INSERT INTO magpie.file AS there VALUES ($1, 1 + $2::int8, $3, clock_timestamp(), $4)
        ON CONFLICT (path) DO UPDATE SET version = there.version + 1, content = excluded.content,
            changed_at = excluded.changed_at, changed_by = excluded.changed_by
        WHERE there.version = $2 OR there.content IS NULL AND $2::int8 = 0 RETURNING version"
}
