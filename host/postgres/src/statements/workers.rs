//! Statements of workers, of what they do together, and of the files that people edit.

use crate::statement::{Route, Statement, statements};

statements! {
    /// Writes the heartbeat of a process, and returns the number of workers with a share, itself
    /// included. Removes processes that were killed a day ago.
    ANNOUNCE Whole "WITH killed AS (
            DELETE FROM magpie.worker WHERE worker <> $1 AND live_until < clock_timestamp() - interval '1 day'),
        heartbeat AS (
            INSERT INTO magpie.worker (worker, version, joined_at, live_until, buckets, is_worker)
            VALUES ($1, $2, clock_timestamp(), clock_timestamp() + $4::int8 * interval '1 ms', $3, $5)
            ON CONFLICT (worker) DO UPDATE SET version = excluded.version, live_until = excluded.live_until,
                buckets = excluded.buckets, is_worker = excluded.is_worker)
        SELECT 1 + count(*) FROM magpie.worker WHERE worker <> $1 AND is_worker
            AND live_until > clock_timestamp()"

    HOLDER Bucket "SELECT coalesce(worker, '') FROM magpie.bucket WHERE bucket = $1 AND until > clock_timestamp()"

    LEAVE Whole "DELETE FROM magpie.worker WHERE worker = $1"

    WORKERS Whole "SELECT worker, version, (extract(epoch FROM joined_at) * 1000)::int8,
            live_until > clock_timestamp(), buckets, is_worker
        FROM magpie.worker ORDER BY worker COLLATE \"C\""

    /// Buckets with queued URLs that are worked carefully, with the page that their owner works on.
    CAREFUL Everything "SELECT bucket::int8, lost.leases, coalesce(owner.worker, ''), url FROM (
            SELECT bucket, count(*) AS leases FROM magpie.suspect_lease
            WHERE lost_at > clock_timestamp() - interval '10 minutes' GROUP BY bucket HAVING count(*) > 1) AS lost
        JOIN magpie.bucket AS owner USING (bucket)
        LEFT JOIN magpie.suspect_lease AS present USING (bucket, token)
        WHERE bucket IN (SELECT bucket FROM magpie.site WHERE queued > 0) ORDER BY bucket"

    NEW_CRAWL Whole "INSERT INTO magpie.crawl (crawl, run, began, options, is_open, token)
        SELECT coalesce(max(crawl), 0) + 1, $1, $2, $3, true, $4::text::uuid FROM magpie.crawl
        ON CONFLICT (token) DO NOTHING"

    CRAWL_OF_TOKEN Whole "SELECT crawl FROM magpie.crawl WHERE token = $1::text::uuid"

    OPEN_CRAWL Whole "SELECT crawl, run, began, options FROM magpie.crawl WHERE is_open ORDER BY crawl DESC LIMIT 1"

    CLOSE_CRAWL Whole "UPDATE magpie.crawl SET is_open = false WHERE crawl = $1"

    /// Closes the crawls of drivers that are gone.
    CLOSE_CRAWLS Whole "UPDATE magpie.crawl SET is_open = false WHERE is_open"

    DROP_TASKS Everything "DELETE FROM magpie.crawl_task WHERE crawl <= $1"

    PUT_TASKS Bucket "INSERT INTO magpie.crawl_task (bucket, crawl, site, targets, is_done)
        SELECT $1, *, false FROM unnest($2::int8[], $3::int8[], $4::text[]) ON CONFLICT DO NOTHING"

    TASKS Everything "SELECT site, targets FROM magpie.crawl_task WHERE crawl = $1 AND NOT is_done ORDER BY site"

    /// The number of tasks that the open crawl has left; no row if none is open.
    TASKS_LEFT Everything "SELECT (SELECT count(*) FROM magpie.crawl_task WHERE crawl_task.crawl = open.crawl AND NOT is_done)
        FROM (SELECT crawl FROM magpie.crawl WHERE is_open ORDER BY crawl DESC LIMIT 1) AS open"

    OWN_TASKS Owned "SELECT site, targets FROM magpie.crawl_task
        WHERE bucket = ANY ($1::int2[]) AND crawl = $2 AND NOT is_done ORDER BY site"

    END_TASKS Bucket "UPDATE magpie.crawl_task SET is_done = true
        WHERE bucket = $1 AND crawl = $2 AND site = ANY ($3::int8[])"

    PUT_OUTCOME Whole "INSERT INTO magpie.crawl_outcome (crawl, token, outcome) VALUES ($1, $2::text::uuid, $3)
        ON CONFLICT DO NOTHING"

    OUTCOMES Whole "SELECT outcome FROM magpie.crawl_outcome WHERE crawl = $1 ORDER BY token"

    FILES Whole "SELECT path, version FROM magpie.file WHERE content IS NOT NULL ORDER BY path COLLATE \"C\""

    FILE Whole "SELECT content, version, changed_by FROM magpie.file WHERE path = $1"

    /// Writes a version of a file after the one that the writer knows, if it is still the last.
    PUT_FILE Whole "INSERT INTO magpie.file AS there VALUES ($1, 1 + $2::int8, $3, clock_timestamp(), $4)
        ON CONFLICT (path) DO UPDATE SET version = there.version + 1, content = excluded.content,
            changed_at = excluded.changed_at, changed_by = excluded.changed_by
        WHERE there.version = $2 OR there.content IS NULL AND $2::int8 = 0 RETURNING version"
}
