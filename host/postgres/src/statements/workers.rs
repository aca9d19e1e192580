//! Statements of workers, of what they do together, and of the files that people edit.

use crate::statement::{Route, Statement, statements};

statements! {
    /// Writes the heartbeat of a process, and returns the number of workers with a share, itself
    /// included, and the number of those before it by name. Removes processes that were killed a
    /// day ago.
    ANNOUNCE Whole "WITH killed AS (
            DELETE FROM magpie.worker WHERE worker <> $1 AND live_until < clock_timestamp() - interval '1 day'),
        heartbeat AS (
            INSERT INTO magpie.worker (worker, version, joined_at, live_until, buckets, is_worker)
            VALUES ($1, $2, clock_timestamp(), clock_timestamp() + $4::int8 * interval '1 ms', $3, $5)
            ON CONFLICT (worker) DO UPDATE SET version = excluded.version, live_until = excluded.live_until,
                buckets = excluded.buckets, is_worker = excluded.is_worker)
        SELECT 1 + count(*), count(*) FILTER (WHERE worker < $1) FROM magpie.worker WHERE worker <> $1 AND is_worker
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

    /// Numbers work that is not open yet.
    NEW_JOB Whole "INSERT INTO magpie.job (job, job_order, is_open, opened_at, token)
        SELECT coalesce(max(job), 0) + 1, $1, false, clock_timestamp(), $2::text::uuid FROM magpie.job
        ON CONFLICT (token) DO NOTHING"

    START_JOB Whole "UPDATE magpie.job SET is_open = true WHERE job = $1"

    JOB_OF_TOKEN Whole "SELECT job FROM magpie.job WHERE token = $1::text::uuid"

    OPEN_JOB Whole "SELECT job, job_order, (extract(epoch FROM clock_timestamp() - opened_at) * 1000)::int8
        FROM magpie.job WHERE is_open ORDER BY job DESC LIMIT 1"

    /// Closes work, and removes what belongs to it and to earlier work. The last number stays: the
    /// next is after it.
    CLOSE_JOB Everything "WITH tasks AS (DELETE FROM magpie.job_task WHERE job <= $1),
        outcomes AS (DELETE FROM magpie.job_outcome WHERE job <= $1),
        earlier AS (DELETE FROM magpie.job WHERE job < $1)
        UPDATE magpie.job SET is_open = false WHERE job = $1"

    /// Closes the work of drivers that have ended.
    CLOSE_JOBS Whole "UPDATE magpie.job SET is_open = false WHERE is_open"

    PUT_TASKS Owned "INSERT INTO magpie.job_task (bucket, job, site, task_order, is_begun, is_done)
        SELECT bucket, $2, site, task_order, false, false
        FROM unnest($1::int2[], $3::int8[], $4::text[]) AS task (bucket, site, task_order) ON CONFLICT DO NOTHING"

    /// The number of tasks that the open work has left; no row if none is open.
    TASKS_LEFT Everything "SELECT (SELECT count(*) FROM magpie.job_task WHERE job_task.job = open.job AND NOT is_done)
        FROM (SELECT job FROM magpie.job WHERE is_open ORDER BY job DESC LIMIT 1) AS open"

    TASKS Everything "SELECT site, task_order, is_begun FROM magpie.job_task WHERE job = $1 AND NOT is_done ORDER BY site"

    OWN_TASKS Owned "SELECT site, task_order, is_begun FROM magpie.job_task
        WHERE bucket = ANY ($1::int2[]) AND job = $2 AND NOT is_done ORDER BY site"

    COUNT_TASKS Everything "SELECT count(*) FROM magpie.job_task WHERE job = $1 AND NOT is_done"

    BEGIN_TASKS Owned "UPDATE magpie.job_task SET is_begun = true
        WHERE bucket = ANY ($1::int2[]) AND job = $2 AND site = ANY ($3::int8[])"

    /// Marks the tasks as done whose leases hold, and adds what came of them. The locks keep others
    /// from taking the buckets meanwhile.
    END_TASKS Owned "WITH held AS MATERIALIZED (
            SELECT mine.bucket FROM magpie.bucket AS mine
            JOIN unnest($1::int2[], $2::text[]::uuid[]) AS lease (bucket, token) USING (bucket, token)
            WHERE mine.bucket = ANY ($1::int2[]) FOR KEY SHARE OF mine),
        outcome AS (
            INSERT INTO magpie.job_outcome (job, token, outcome)
            SELECT $3, $5::text::uuid, $6 WHERE EXISTS (SELECT FROM held) ON CONFLICT DO NOTHING)
        UPDATE magpie.job_task AS task SET is_done = true FROM held
        WHERE task.bucket = ANY ($1::int2[]) AND task.bucket = held.bucket AND job = $3 AND site = ANY ($4::int8[])"

    OUTCOMES Whole "SELECT outcome FROM magpie.job_outcome WHERE job = $1 ORDER BY token"

    FILES Whole "SELECT path, version FROM magpie.file WHERE content IS NOT NULL ORDER BY path COLLATE \"C\""

    FILE Whole "SELECT content, version, changed_by FROM magpie.file WHERE path = $1"

    /// Writes a version of a file after the one that the writer knows, if it is still the last.
    PUT_FILE Whole "INSERT INTO magpie.file AS there VALUES ($1, 1 + $2::int8, $3, clock_timestamp(), $4)
        ON CONFLICT (path) DO UPDATE SET version = there.version + 1, content = excluded.content,
            changed_at = excluded.changed_at, changed_by = excluded.changed_by
        WHERE there.version = $2 OR there.content IS NULL AND $2::int8 = 0 RETURNING version"
}
