//! All statements of the store, with the partitions that they may touch: here those of leases,
//! hand-ins and the frontier, and a file for each other area.
//!
//! The bucket is always the first parameter.

use crate::statement::{Route, Statement, statements};

pub(crate) mod bodies;
pub(crate) mod copy;
pub(crate) mod exports;
pub(crate) mod history;
pub(crate) mod house;
pub(crate) mod learned;
pub(crate) mod objects;
pub(crate) mod pages;
pub(crate) mod pictures;
pub(crate) mod readings;
pub(crate) mod runs;
pub(crate) mod search;
pub(crate) mod statistics;
pub(crate) mod urls;
pub(crate) mod warehouse;
pub(crate) mod webhooks;
pub(crate) mod workers;

/// The files of statements. Each is one area of the store.
#[cfg(test)]
const FILES: &[&[Statement]] = &[
    ALL,
    bodies::ALL,
    copy::ALL,
    exports::ALL,
    history::ALL,
    house::ALL,
    learned::ALL,
    objects::ALL,
    pages::ALL,
    pictures::ALL,
    readings::ALL,
    runs::ALL,
    search::ALL,
    statistics::ALL,
    urls::ALL,
    warehouse::ALL,
    webhooks::ALL,
    workers::ALL,
];

statements! {
    /// Properties of the server and of the session.
    SERVER Whole "SELECT current_setting('server_version_num')::int8, pg_is_in_recovery(),
        current_setting('transaction_read_only') = 'on', to_regclass('magpie.meta') IS NOT NULL"

    META Whole "SELECT value FROM magpie.meta WHERE key = $1"

    PUT_META Whole "INSERT INTO magpie.meta VALUES ($1, $2) ON CONFLICT (key) DO UPDATE SET value = excluded.value"

    /// Buckets that are free or over, in an order that differs from worker to worker.
    CANDIDATES Leases "SELECT bucket FROM magpie.bucket
        WHERE bucket >= 0 AND (until IS NULL OR until < clock_timestamp()) ORDER BY md5(bucket::text || $1::text) LIMIT $2"

    /// Takes the buckets that are free or over, but for those that another is about to take, or of
    /// whose last owner a hand-in is under way. The locks keep hand-ins from beginning; a renewal
    /// takes a weaker one. Also returns the time in which a bucket is to be worked carefully: until
    /// ten minutes after the last but one of the leases that ran out.
    CLAIM Owned "WITH free AS MATERIALIZED (
            SELECT bucket, until IS NULL AS is_given_back, until IS NOT NULL AND worker <> $2 AND bucket >= 0 AS is_lost,
                token AS last_token, worker AS last_worker FROM magpie.bucket
            WHERE bucket = ANY ($1::int2[]) AND (until IS NULL OR until < clock_timestamp())
            FOR UPDATE SKIP LOCKED),
        taken AS (
            UPDATE magpie.bucket AS mine SET epoch = mine.epoch + 1, token = gen_random_uuid(), worker = $2,
                until = clock_timestamp() + $3::int8 * interval '1 ms',
                quiet_until = CASE WHEN is_given_back THEN mine.quiet_until
                    ELSE clock_timestamp() + $4::int8 * interval '1 ms' END
            FROM free WHERE mine.bucket = ANY ($1::int2[]) AND mine.bucket = free.bucket
            RETURNING mine.bucket, mine.token, epoch, quiet_until, is_lost),
        signed AS (
            INSERT INTO magpie.hand_in SELECT bucket, token, 0 FROM taken
            ON CONFLICT (bucket) DO UPDATE SET token = excluded.token, sequence = 0),
        forgotten AS (
            DELETE FROM magpie.suspect_lease
            WHERE bucket = ANY ($1::int2[]) AND lost_at <= clock_timestamp() - interval '10 minutes'),
        lost AS (
            INSERT INTO magpie.suspect_lease (bucket, token, worker, lost_at)
            SELECT bucket, last_token, last_worker, clock_timestamp() FROM free WHERE is_lost
            ON CONFLICT (bucket, token) DO UPDATE SET lost_at = excluded.lost_at),
        past AS (
            SELECT bucket, array_agg(lost_at ORDER BY lost_at DESC) AS times FROM magpie.suspect_lease
            WHERE bucket = ANY ($1::int2[]) AND lost_at IS NOT NULL GROUP BY bucket)
        SELECT bucket, token::text, epoch,
            greatest(0, ceil(extract(epoch FROM quiet_until - clock_timestamp()) * 1000))::int8,
            greatest(0, extract(epoch FROM times[CASE WHEN is_lost THEN 1 ELSE 2 END] + interval '10 minutes'
                - clock_timestamp()) * 1000)::int8
        FROM taken LEFT JOIN past USING (bucket)"

    /// Renews leases, and returns the buckets of those that hold.
    RENEW Owned "UPDATE magpie.bucket AS mine SET until = clock_timestamp() + $3::int8 * interval '1 ms'
        FROM unnest($1::int2[], $2::text[]::uuid[]) AS lease (bucket, token)
        WHERE mine.bucket = ANY ($1::int2[]) AND mine.bucket = lease.bucket AND mine.token = lease.token
        RETURNING mine.bucket"

    /// Ends leases. One that ran out and was taken over did not end by the death of its owner.
    GIVE_BACK Owned "WITH lease AS MATERIALIZED (
            SELECT * FROM unnest($1::int2[], $2::text[]::uuid[]) AS lease (bucket, token)),
        alive AS (
            DELETE FROM magpie.suspect_lease AS past USING lease
            WHERE past.bucket = ANY ($1::int2[]) AND past.bucket = lease.bucket AND past.token = lease.token)
        UPDATE magpie.bucket AS mine SET token = NULL, until = NULL FROM lease
        WHERE mine.bucket = ANY ($1::int2[]) AND mine.bucket = lease.bucket AND mine.token = lease.token"

    /// Writes the page that the owner of a bucket works on alone, and returns the number of owners
    /// that died while they did so.
    NAME_PAGE Bucket "WITH named AS (
            INSERT INTO magpie.suspect_lease (bucket, token, worker, url)
            SELECT bucket, token, worker, $3 FROM magpie.bucket WHERE bucket = $1 AND token = $2::text::uuid
            ON CONFLICT (bucket, token) DO UPDATE SET url = excluded.url)
        SELECT count(*) FROM magpie.suspect_lease
        WHERE bucket = $1 AND url = $3 AND lost_at > clock_timestamp() - interval '10 minutes'"

    /// Fails with a division by zero if another worker has the lease, which rolls the transaction
    /// back. Otherwise the lock keeps other workers from taking the bucket until the transaction
    /// ends. `FOR KEY SHARE` leaves no dead row, unlike an update, and does not block renewals.
    CHECK Bucket "SELECT 1 / count(*) FROM (
        SELECT 1 FROM magpie.bucket WHERE bucket = $1 AND token = $2::text::uuid FOR KEY SHARE) AS held"

    /// Writes the receipt of a hand-in. It changes no row if this hand-in was committed before. If
    /// a lost connection is still committing it, the statement waits for that transaction to end.
    SIGN Bucket "UPDATE magpie.hand_in SET sequence = $3
        WHERE bucket = $1 AND token = $2::text::uuid AND sequence < $3"

    SITE_BY_KEY Bucket "SELECT site FROM magpie.site WHERE bucket = $1 AND key = $2"

    /// Any worker may make a site. Two at once take the same number, and one of them has to try
    /// again.
    NEW_SITE Bucket "INSERT INTO magpie.site (bucket, site, key)
        SELECT $1, ((coalesce(max(site) >> 10, 0) + 1) << 10) | $1::int2::int8, $2 FROM magpie.site WHERE bucket = $1
        ON CONFLICT DO NOTHING"

    SITE Bucket "SELECT key, queued FROM magpie.site WHERE bucket = $1 AND site = $2"

    /// Sites with queued URLs or with URLs in the inbox, those that are ready longest first.
    READY Owned "SELECT site FROM (
            (SELECT site, ready_at FROM magpie.site
            WHERE bucket = ANY ($1::int2[]) AND queued > 0 AND ready_at <= $2 ORDER BY ready_at, site LIMIT $3)
            UNION
            SELECT site, ready_at FROM magpie.site
            JOIN (SELECT DISTINCT bucket, site FROM magpie.inbox WHERE bucket = ANY ($1::int2[])) AS mail USING (bucket, site)
            WHERE site.bucket = ANY ($1::int2[]) AND ready_at <= $2) AS ready
        ORDER BY ready_at, site LIMIT $3"

    PUT_INBOX Bucket "INSERT INTO magpie.inbox SELECT $1, * FROM unnest($2::int8[], $3::int8[], $4::text[], $5::text[],
            $6::int8[], $7::int8[], $8::text[], $9::int8[], $10::int8[], $11::int8[], $12::text[], $13::text[],
            $14::int8[]) ON CONFLICT DO NOTHING"

    /// Moves URLs from the inbox of a site to its others, with numbers after the count `$3`, and
    /// returns how many there were.
    DRAIN_INBOX Bucket "WITH mail AS (
            DELETE FROM magpie.inbox WHERE bucket = $1 AND site = $2 AND fingerprint IN (
                SELECT fingerprint FROM magpie.inbox WHERE bucket = $1 AND site = $2 ORDER BY found_at, fingerprint
                LIMIT $4)
            RETURNING *),
        new AS (
            INSERT INTO magpie.url (bucket, url, site, fingerprint, address, state, priority, depth, attempts, source,
                found_on, found_at, due_at, reason, detail, form)
            SELECT $1,
                ((site >> 10) << 41) | (($3::int8 + row_number() OVER (ORDER BY found_at, fingerprint)) << 10)
                    | $1::int2::int8,
                site, fingerprint, address, state, priority, depth, 0, source, found_on, found_at, due_at, reason, detail,
                form
            FROM mail ON CONFLICT (bucket, site, fingerprint) DO NOTHING RETURNING site, state, reason),
        counted AS (
            INSERT INTO magpie.tally SELECT $1, site, state, why, count(*) FROM (
                SELECT site, state, CASE state WHEN 'queued' THEN '' ELSE coalesce(reason, '') END AS why FROM new) AS new
            GROUP BY site, state, why
            ON CONFLICT (bucket, site, state, reason) DO UPDATE SET urls = tally.urls + excluded.urls),
        more AS (
            UPDATE magpie.site SET queued = queued + (SELECT count(*) FROM new WHERE state = 'queued')
            WHERE bucket = $1 AND site = $2)
        SELECT count(*) FROM mail"

    RELEASE Bucket "UPDATE magpie.site SET ready_at = $3 WHERE bucket = $1 AND site = $2"

    KNOWN Bucket "SELECT fingerprint FROM magpie.url WHERE bucket = $1 AND site = $2"

    /// The greatest numbers of a site.
    LAST_NUMBERS Bucket "SELECT
        (SELECT max(url) FROM magpie.url WHERE bucket = $1 AND url BETWEEN $2 AND $3),
        (SELECT max(page) FROM magpie.page WHERE bucket = $1 AND page BETWEEN $2 AND $3),
        (SELECT max(record) FROM magpie.record WHERE bucket = $1 AND record BETWEEN $2 AND $3)"

    /// URLs from `$3` on were found in this lease: they had no answer before.
    QUEUE Bucket "SELECT queued.*, last.etag, last.last_modified, last.page IS NOT NULL FROM (
            SELECT url, address, priority::int8, depth::int8, attempts::int8, due_at, form FROM magpie.url
            WHERE bucket = $1 AND site = $2 AND state = 'queued' AND due_at IS NULL
                AND (priority, depth, url) > ($5::int8, $6::int8, $7)
            ORDER BY url.priority, url.depth, url.url LIMIT $4) AS queued
        LEFT JOIN LATERAL (
            SELECT page, etag, last_modified FROM magpie.page
            WHERE bucket = $1 AND page.url = queued.url AND status = 200 AND problem IS NULL AND queued.url < $3
            ORDER BY page DESC LIMIT 1) AS last ON true
        ORDER BY priority, depth, url"

    QUEUE_OF_FORM Bucket "SELECT queued.*, last.etag, last.last_modified, last.page IS NOT NULL FROM (
            SELECT url, address, priority::int8, depth::int8, attempts::int8, due_at, form FROM magpie.url
            WHERE bucket = $1 AND site = $2 AND state = 'queued' AND due_at IS NULL AND form = $8 AND form <> 0
                AND (priority, depth, url) > ($5::int8, $6::int8, $7)
            ORDER BY url.priority, url.depth, url.url LIMIT $4) AS queued
        LEFT JOIN LATERAL (
            SELECT page, etag, last_modified FROM magpie.page
            WHERE bucket = $1 AND page.url = queued.url AND status = 200 AND problem IS NULL AND queued.url < $3
            ORDER BY page DESC LIMIT 1) AS last ON true
        ORDER BY priority, depth, url"

    QUEUE_WAITING Bucket "SELECT queued.*, last.etag, last.last_modified, last.page IS NOT NULL FROM (
            SELECT url, address, priority::int8, depth::int8, attempts::int8, due_at, form FROM magpie.url
            WHERE bucket = $1 AND site = $2 AND state = 'queued' AND due_at IS NOT NULL AND (due_at, url) > ($5, $6)
            ORDER BY due_at, url LIMIT $4) AS queued
        LEFT JOIN LATERAL (
            SELECT page, etag, last_modified FROM magpie.page
            WHERE bucket = $1 AND page.url = queued.url AND status = 200 AND problem IS NULL AND queued.url < $3
            ORDER BY page DESC LIMIT 1) AS last ON true
        ORDER BY due_at, url"

    WITHOUT_FORM Bucket "SELECT url, address FROM magpie.url
        WHERE bucket = $1 AND site = $2 AND state = 'queued' AND form = 0 ORDER BY url"

    SET_FORMS Bucket "UPDATE magpie.url SET form = ranked.form FROM unnest($2::int8[], $3::int8[]) AS ranked (number, form)
        WHERE bucket = $1 AND url = number"

    FORMS Bucket "SELECT DISTINCT ON (form) form, count(*) OVER (PARTITION BY form), address, url FROM magpie.url
        WHERE bucket = $1 AND site = $2 AND state = 'queued' ORDER BY form, url"

    COUNTS_OF_SITE Bucket "SELECT state, reason, urls FROM magpie.tally WHERE bucket = $1 AND site = $2 AND urls > 0"

    COUNTS Everything "SELECT state, reason, sum(urls)::int8 FROM magpie.tally GROUP BY state, reason HAVING sum(urls) > 0"

    /// New URLs, with their counts. Those of a site that was not leased may be known.
    PUT_URLS Bucket "WITH new AS (
            INSERT INTO magpie.url (bucket, url, site, fingerprint, address, state, priority, depth, attempts, source,
                found_on, found_at, due_at, reason, detail, form)
            SELECT $1, number, site, fingerprint, address, state, priority, depth, 0, source, found_on, found_at, due_at,
                reason, detail, form
            FROM unnest($2::int8[], $3::int8[], $4::int8[], $5::text[], $6::text[], $7::int8[], $8::int8[], $9::text[],
                $10::int8[], $11::int8[], $12::int8[], $13::text[], $14::text[], $15::int8[])
                AS offered (number, site, fingerprint, address, state, priority, depth, source, found_on, found_at,
                    due_at, reason, detail, form)
            ON CONFLICT (bucket, site, fingerprint) DO NOTHING RETURNING site, state, reason),
        counted AS (
            INSERT INTO magpie.tally SELECT $1, site, state, why, count(*) FROM (
                SELECT site, state, CASE state WHEN 'queued' THEN '' ELSE coalesce(reason, '') END AS why FROM new) AS new
            GROUP BY site, state, why
            ON CONFLICT (bucket, site, state, reason) DO UPDATE SET urls = tally.urls + excluded.urls)
        UPDATE magpie.site SET queued = queued + urls
        FROM (SELECT site, count(*) AS urls FROM new WHERE state = 'queued' GROUP BY site) AS more
        WHERE site.bucket = $1 AND site.site = more.site"

    /// Outcomes of queued URLs, each once, with their counts. Returns their number.
    SETTLE Bucket "WITH settled AS (
            UPDATE magpie.url SET state = outcome.state, attempts = outcome.attempts, due_at = outcome.due_at,
                reason = outcome.reason, detail = outcome.detail
            FROM unnest($2::int8[], $3::text[], $4::int8[], $5::int8[], $6::text[], $7::text[])
                AS outcome (number, state, attempts, due_at, reason, detail)
            WHERE bucket = $1 AND url = number RETURNING site, url.state, url.reason),
        changes AS (
            SELECT site, 'queued' AS state, '' AS why, -1 AS urls FROM settled UNION ALL
            SELECT site, state, CASE state WHEN 'queued' THEN '' ELSE coalesce(reason, '') END, 1 FROM settled),
        counted AS (
            INSERT INTO magpie.tally SELECT $1, site, state, why, sum(urls) FROM changes
            GROUP BY site, state, why HAVING sum(urls) <> 0
            ON CONFLICT (bucket, site, state, reason) DO UPDATE SET urls = tally.urls + excluded.urls),
        less AS (
            UPDATE magpie.site SET queued = queued + urls
            FROM (SELECT site, sum(urls) AS urls FROM changes WHERE state = 'queued' GROUP BY site) AS less
            WHERE site.bucket = $1 AND site.site = less.site)
        SELECT count(*) FROM settled"

    /// Queues URLs in a state again. Returns their number.
    QUEUE_AGAIN Bucket "WITH again AS (
            UPDATE magpie.url SET state = 'queued', due_at = NULL, reason = NULL, detail = NULL
            WHERE bucket = $1 AND site = $2 AND state = $3 AND ($4::text IS NULL OR reason = $4) RETURNING url),
        less AS (
            DELETE FROM magpie.tally
            WHERE bucket = $1 AND site = $2 AND state = $3 AND ($4::text IS NULL OR reason = $4)),
        more AS (
            INSERT INTO magpie.tally SELECT $1, $2, 'queued', '', count(*) FROM again HAVING count(*) > 0
            ON CONFLICT (bucket, site, state, reason) DO UPDATE SET urls = tally.urls + excluded.urls),
        counted AS (
            UPDATE magpie.site SET queued = queued + (SELECT count(*) FROM again) WHERE bucket = $1 AND site = $2)
        SELECT count(*) FROM again"

    /// Queues these URLs as if they had never failed. Returns the number of those that were not
    /// queued already.
    QUEUE_URLS Bucket "WITH before AS (
            SELECT url, state, coalesce(reason, '') AS why FROM magpie.url
            WHERE bucket = $1 AND site = $2 AND url = ANY ($3::int8[]) AND state <> 'queued'),
        again AS (
            UPDATE magpie.url SET state = 'queued', due_at = NULL, reason = NULL, detail = NULL, attempts = 0
            FROM before WHERE bucket = $1 AND url.url = before.url),
        changes AS (
            SELECT 'queued' AS state, '' AS why, 1 AS urls FROM before UNION ALL SELECT state, why, -1 FROM before),
        counted AS (
            INSERT INTO magpie.tally SELECT $1, $2, state, why, sum(urls) FROM changes GROUP BY state, why
            ON CONFLICT (bucket, site, state, reason) DO UPDATE SET urls = tally.urls + excluded.urls),
        more AS (
            UPDATE magpie.site SET queued = queued + (SELECT count(*) FROM before) WHERE bucket = $1 AND site = $2)
        SELECT count(*) FROM before"

    /// Puts the queue of a site aside. Returns the number of its URLs.
    HOLD_QUEUE Bucket "WITH held AS (
            UPDATE magpie.url SET state = 'held', due_at = NULL, reason = $3
            WHERE bucket = $1 AND site = $2 AND state = 'queued' RETURNING url),
        less AS (DELETE FROM magpie.tally WHERE bucket = $1 AND site = $2 AND state = 'queued'),
        more AS (
            INSERT INTO magpie.tally SELECT $1, $2, 'held', $3, count(*) FROM held HAVING count(*) > 0
            ON CONFLICT (bucket, site, state, reason) DO UPDATE SET urls = tally.urls + excluded.urls),
        counted AS (UPDATE magpie.site SET queued = 0 WHERE bucket = $1 AND site = $2)
        SELECT count(*) FROM held"

    PUT_PAGES Bucket "INSERT INTO magpie.page (bucket, page, url, address, run, fetched_at, status, media_type, charset,
            language, title, bytes, simhash, text_hash, etag, last_modified, redirect, canonical, nofollow, noindex,
            problem, detail, duration, segment, position, length, same_as, hash)
        SELECT $1, * FROM unnest($2::int8[], $3::int8[], $4::text[], $5::int8[], $6::int8[], $7::int8[], $8::text[],
            $9::text[], $10::text[], $11::text[], $12::int8[], $13::int8[], $14::int8[], $15::text[], $16::text[],
            $17::text[], $18::text[], $19::bool[], $20::bool[], $21::text[], $22::text[], $23::int8[], $24::int8[],
            $25::int8[], $26::int8[], $27::int8[], $28::bytea[])"

    PUT_LINKS Bucket "INSERT INTO magpie.page_links SELECT $1, * FROM unnest($2::int8[], $3::text[])"

    /// A host without a robots file keeps the recorded one.
    PUT_HOSTS Bucket "INSERT INTO magpie.host SELECT $1, * FROM unnest($2::text[], $3::int8[], $4::int8[], $5::int8[],
            $6::int8[], $7::int8[], $8::text[], $9::text[])
        ON CONFLICT (bucket, origin) DO UPDATE SET
            next_ok_at = excluded.next_ok_at, delay = excluded.delay, failures = excluded.failures,
            robots_status = CASE WHEN excluded.robots_fetched_at IS NULL THEN host.robots_status
                ELSE excluded.robots_status END,
            robots_outcome = coalesce(excluded.robots_outcome, host.robots_outcome),
            robots_text = CASE WHEN excluded.robots_fetched_at IS NULL THEN host.robots_text
                ELSE excluded.robots_text END,
            robots_fetched_at = coalesce(excluded.robots_fetched_at, host.robots_fetched_at)"

    /// A feed may name a page twice; the later date is the one that counts.
    PUT_HINTS Bucket "INSERT INTO magpie.hint SELECT $1, * FROM unnest($2::int8[], $3::int8[], $4::text[], $5::int8[],
            $6::int8[])
        ON CONFLICT (bucket, site, fingerprint, source) DO UPDATE SET
            modified_at = CASE hint.seen_at WHEN excluded.seen_at THEN greatest(hint.modified_at, excluded.modified_at)
                ELSE excluded.modified_at END,
            seen_at = excluded.seen_at"

    PUT_FEEDS Bucket "INSERT INTO magpie.feed SELECT $1, * FROM unnest($2::int8[], $3::text[]) ON CONFLICT DO NOTHING"

    PUT_EXTRACTIONS Bucket "INSERT INTO magpie.extraction SELECT $1, * FROM unnest($2::int8[], $3::int8[], $4::text[],
            $5::text[], $6::int8[], $7::int8[], $8::int8[])"

    PUT_VIOLATIONS Bucket "INSERT INTO magpie.violation SELECT $1, * FROM unnest($2::int8[], $3::int8[], $4::text[],
            $5::text[], $6::int8[])"

    PUT_RECORDS Bucket "INSERT INTO magpie.record SELECT $1, * FROM unnest($2::int8[], $3::int8[], $4::int8[], $5::int8[],
            $6::text[], $7::float8[], $8::text[], $9::int8[])"

    PUT_JUDGEMENTS Bucket "INSERT INTO magpie.judgement SELECT $1, * FROM unnest($2::int8[], $3::int8[], $4::bool[],
            $5::float8[], $6::text[])"

    FORMS_OF_SITE Bucket "SELECT site, fingerprint, source, page_url, depth, pages, purpose, confidence, refusal, template,
            fields, seen_at FROM magpie.form WHERE bucket = $1 AND site = $2 ORDER BY pages DESC, position"

    ALL_FORMS Everything "SELECT site, fingerprint, source, page_url, depth, pages, purpose, confidence, refusal, template,
            fields, seen_at FROM magpie.form ORDER BY site, pages DESC, position"

    DROP_FORMS Bucket "DELETE FROM magpie.form WHERE bucket = $1 AND site = $2"

    PUT_FORMS Bucket "INSERT INTO magpie.form SELECT $1, $2, * FROM unnest($3::int8[], $4::int8[], $5::text[], $6::text[],
            $7::int8[], $8::text[], $9::float8[], $10::text[], $11::text[], $12::text[], $13::int8[], $14::int8[])"

    QUERY_TEMPLATES Everything "SELECT vertical, site, template, state, detail, asked, objects, size, size_min, size_max,
            memory, changed_at FROM magpie.query_template WHERE vertical = $1 ORDER BY site, template"

    DROP_TEMPLATE Bucket "DELETE FROM magpie.query_template
        WHERE bucket = $1 AND site = $2 AND vertical = $3 AND md5(template) = md5($4::text)"

    PUT_TEMPLATE Bucket "INSERT INTO magpie.query_template SELECT $1, $3, $2, $4, $5, $6, $7::int8, $8::int8, $9::float8,
            $10::float8, $11::float8, $12, $13::int8"

    SUBMISSIONS Bucket "SELECT vertical, site, template, query, url, asked_at, outcome, objects, new_objects, result_page,
            shown_on FROM magpie.submission
        WHERE bucket = $1 AND vertical = $2 AND site = $3 ORDER BY asked_at, template, url"

    SUBMISSIONS_TO Everything "SELECT vertical, site, template, query, url, asked_at, outcome, objects, new_objects,
            result_page, shown_on FROM magpie.submission WHERE md5(url) = md5($1::text) ORDER BY vertical, template"

    /// One that is asked for again replaces its row.
    PUT_SUBMISSIONS Bucket "INSERT INTO magpie.submission SELECT $1, * FROM unnest($2::text[], $3::int8[], $4::text[],
            $5::text[], $6::text[], $7::int8[], $8::text[], $9::int8[], $10::int8[], $11::int8[], $12::text[])
        ON CONFLICT (bucket, vertical, site, md5(template), md5(url)) DO UPDATE SET query = excluded.query,
            asked_at = excluded.asked_at, outcome = excluded.outcome, objects = excluded.objects,
            new_objects = excluded.new_objects, result_page = excluded.result_page, shown_on = excluded.shown_on"

    SELECTED_QUERIES Everything "SELECT site, template, query, pages FROM magpie.selected_query WHERE vertical = $1
        ORDER BY site, template, query"

    ARGUMENTS Bucket "SELECT name, kind, prevalence, probes FROM magpie.argument
        WHERE bucket = $1 AND site = $2 ORDER BY name"

    DROP_ARGUMENTS Bucket "DELETE FROM magpie.argument WHERE bucket = $1 AND site = $2"

    PUT_ARGUMENTS Bucket "INSERT INTO magpie.argument SELECT $1, $2, * FROM unnest($3::text[], $4::text[], $5::float8[],
            $6::int8[])"

    COVERAGE Bucket "SELECT site, attribute, of_details, learned_filled, learned_records, filled, records, fell_at, monitor
        FROM magpie.coverage WHERE bucket = $1 AND site = $2 AND vertical = $3 ORDER BY attribute"

    ALL_COVERAGE Everything "SELECT site, attribute, of_details, learned_filled, learned_records, filled, records, fell_at,
            monitor FROM magpie.coverage WHERE vertical = $1 ORDER BY site, attribute"

    DROP_COVERAGE Bucket "DELETE FROM magpie.coverage WHERE bucket = $1 AND site = $2 AND vertical = $3"

    PUT_COVERAGE Bucket "INSERT INTO magpie.coverage SELECT $1, * FROM unnest($2::text[], $3::int8[], $4::text[],
            $5::bool[], $6::int8[], $7::int8[], $8::int8[], $9::int8[], $10::int8[], $11::text[])"

    /// Counts that differ from what they count: of URLs by state and reason, and of queues.
    WRONG_COUNTS Everything "WITH counted AS (
            SELECT bucket, site, state, CASE state WHEN 'queued' THEN '' ELSE coalesce(reason, '') END AS reason,
                count(*) AS urls
            FROM magpie.url GROUP BY 1, 2, 3, 4),
        queues AS (SELECT bucket, site, urls FROM counted WHERE state = 'queued')
        SELECT 'site ' || site || ' has ' || coalesce(counted.urls, 0) || ' URLs that are ' || state || ' ' || reason
            || ', and ' || coalesce(tally.urls, 0) || ' are counted'
        FROM magpie.tally FULL JOIN counted USING (bucket, site, state, reason)
        WHERE coalesce(tally.urls, 0) <> coalesce(counted.urls, 0)
        UNION ALL
        SELECT 'site ' || site || ' has ' || coalesce(urls, 0) || ' queued URLs, and ' || queued || ' are counted'
        FROM magpie.site LEFT JOIN queues USING (bucket, site) WHERE coalesce(urls, 0) <> queued"

    /// Pages of URLs or segments that are not there, and gaps in the numbers of a site's pages.
    WRONG_PAGES Everything "SELECT 'page ' || page || ' is of the URL ' || url || ', which is not there'
        FROM magpie.page WHERE url IS NOT NULL AND NOT EXISTS (
            SELECT FROM magpie.url WHERE url.bucket = page.bucket AND url.url = page.url)
        UNION ALL
        SELECT 'page ' || page || ' is in the segment ' || segment || ', which is not there'
        FROM magpie.page WHERE segment IS NOT NULL AND NOT EXISTS (
            SELECT FROM magpie.segment WHERE segment.bucket = page.bucket AND segment.segment = page.segment)
        UNION ALL
        SELECT 'site ' || (page >> 41) || ' of bucket ' || bucket || ' has ' || count(*) || ' pages, the last of which is '
            || max(page >> 10 & 2147483647)
        FROM magpie.page GROUP BY bucket, page >> 41 HAVING count(*) > max(page >> 10 & 2147483647)"

    NEW_COMPONENT Whole "INSERT INTO magpie.component SELECT coalesce(max(component), 0) + 1, $1, $2, $3, $4
        FROM magpie.component ON CONFLICT DO NOTHING"

    COMPONENT Whole "SELECT component FROM magpie.component WHERE digest = $1 AND md5(options) = md5($2::text)"

    HOST Bucket "SELECT origin, next_ok_at, delay, failures::int8, robots_fetched_at, robots_status, robots_outcome,
            robots_text FROM magpie.host WHERE bucket = $1 AND origin = $2"

    COOKIES Bucket "SELECT domain, path, name, value, host_only, secure, expires_at FROM magpie.cookie
        WHERE bucket = $1 AND site = $2 ORDER BY domain, path, name"

    DROP_COOKIES Bucket "DELETE FROM magpie.cookie WHERE bucket = $1 AND site = $2"

    PUT_COOKIES Bucket "INSERT INTO magpie.cookie SELECT $1, $2, * FROM unnest($3::text[], $4::text[], $5::text[],
            $6::text[], $7::bool[], $8::bool[], $9::int8[])"

    FEEDS Bucket "SELECT url FROM magpie.feed WHERE bucket = $1 AND site = $2 ORDER BY url"

    URL_RULES Bucket "SELECT rule, url_rule.key, evidence, learned_at FROM magpie.url_rule
        JOIN magpie.site USING (bucket, site) WHERE bucket = $1 AND site.key = $2 ORDER BY learned_at, rule, url_rule.key"

    PUT_URL_RULES Bucket "INSERT INTO magpie.url_rule SELECT $1, $2, * FROM unnest($3::text[], $4::text[], $5::text[],
            $6::int8[]) ON CONFLICT DO NOTHING"

    SITES_WITH_URL_RULES Everything "SELECT site, key FROM magpie.site
        WHERE (bucket, site) IN (SELECT bucket, site FROM magpie.url_rule) ORDER BY site"

    PAST_URLS Bucket "SELECT url, address, form, state, found_on FROM magpie.url
        WHERE bucket = $1 AND url BETWEEN $2 AND $3 ORDER BY url"

    /// The last answer of each URL, but for those that only say that nothing changed.
    PAST_ANSWERS Bucket "SELECT DISTINCT ON (url) url, page,
            coalesce(status, 0) BETWEEN 200 AND 299 AND coalesce(media_type, 'html') LIKE '%html%', problem, simhash,
            (SELECT bool_or(outcome <> 'done') FROM magpie.extraction
                WHERE extraction.bucket = $1 AND extraction.page = page.page)
        FROM magpie.page WHERE bucket = $1 AND page BETWEEN $2 AND $3 AND url IS NOT NULL AND coalesce(status, 0) <> 304
        ORDER BY url, page DESC"

    PAST_RECORDS Bucket "SELECT page, vertical, content FROM magpie.record JOIN magpie.component USING (component)
        WHERE bucket = $1 AND record BETWEEN $2 AND $3 AND standing ORDER BY record"

    PAST_JUDGEMENTS Bucket "SELECT page, bool_or(accepted) FROM magpie.judgement
        WHERE bucket = $1 AND page BETWEEN $2 AND $3 GROUP BY page"

    /// Links of pages, with the URL of each page.
    LINKS Bucket "SELECT page.page, coalesce(page.address, url.address), links FROM magpie.page_links
        JOIN magpie.page ON page.bucket = $1 AND page.page = page_links.page
        LEFT JOIN magpie.url ON url.bucket = $1 AND url.url = page.url
        WHERE page_links.bucket = $1 AND page_links.page = ANY ($2::int8[])"
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use tokio_postgres::Client;
    use tokio_postgres::types::{ToSql, Type};

    use super::*;
    use crate::server::tests::{each_release, script};
    use crate::server::{Server, call};
    use crate::value::Value;
    use crate::wait::wait_for_all;

    fn sample(kind: &Type) -> Value<'static> {
        match *kind {
            Type::INT2 => Value::from(7i16),
            Type::INT8 => Value::from(7i64),
            Type::BOOL => Value::from(true),
            Type::FLOAT8 => Value::from(0.5),
            Type::BYTEA => Value::Bytes(Some(b"bytes")),
            Type::TEXT => Value::from("3b241101-e2bb-4255-8caf-4136c566a962"),
            Type::INT2_ARRAY => Value::Many(kind.clone(), vec![Value::from(7i16)]),
            Type::INT8_ARRAY => Value::Many(kind.clone(), vec![Value::from(7i64)]),
            Type::FLOAT8_ARRAY => Value::Many(kind.clone(), vec![Value::from(0.5)]),
            Type::BOOL_ARRAY => Value::Many(kind.clone(), vec![Value::from(true)]),
            Type::BYTEA_ARRAY => Value::Many(kind.clone(), vec![Value::Bytes(Some(b"bytes"))]),
            Type::TEXT_ARRAY => Value::Many(kind.clone(), vec![sample(&Type::TEXT)]),
            _ => panic!("no sample of the type {kind}"),
        }
    }

    /// Partitions are named after their table and their number: `bucket_p3`.
    fn partitions(plan: &str) -> BTreeSet<&str> {
        let words = plan.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_');
        let numbers = words.filter_map(|word| word.rsplit_once("_p").map(|(_, number)| number));
        numbers.filter(|number| number.parse::<u32>().is_ok()).collect()
    }

    fn explained(
        server: &Server,
        client: &Client,
        explain: &str,
        statement: &Statement,
        values: &[Value<'_>],
    ) -> String {
        let parameters: Vec<(&(dyn ToSql + Sync), Type)> = values
            .iter()
            .map(|value| (value as &(dyn ToSql + Sync), value.kind()))
            .collect();
        let text = format!("{explain} {}", statement.text(&server.address().schema));
        let explain = client.query_typed(&text, &parameters);
        let rows = wait_for_all(vec![Box::pin(explain)], server.limit());
        let rows = rows.expect("an answer").remove(0).expect(statement.name);
        let plan: Vec<String> = rows.iter().map(|row| row.get(0)).collect();
        plan.join("\n")
    }

    /// Reads a number after a word of a plan; the first is that of the whole statement.
    fn number_after(plan: &str, word: &str) -> f64 {
        let rest = plan.split_once(word).map(|(_, rest)| rest).unwrap_or_default();
        let number = rest
            .split(|letter: char| letter != '.' && !letter.is_ascii_digit())
            .next();
        number.and_then(|number| number.parse().ok()).unwrap_or_default()
    }

    /// A snapshot that is held keeps the server from removing the entries of fetched URLs from the
    /// index of the queue. Whoever reads it from its head reads all of them.
    #[test]
    fn the_window_of_a_queue_is_read_from_a_key() {
        const FETCHED: i64 = 100_000;
        const WINDOW: i64 = 500;
        const STATEMENTS: [&Statement; 2] = [&QUEUE, &QUEUE_OF_FORM];
        const EXPLAIN: &str = "EXPLAIN (ANALYZE, BUFFERS)";
        each_release(|server, _| {
            script(
                server,
                "INSERT INTO magpie.url (bucket, url, site, fingerprint, address, state, priority, depth, attempts,
                        source, found_at, form)
                    SELECT 1, n, 1, n, 'https://a.test/' || n, 'queued', 0, 1, 0, 'link', 0, 7
                    FROM generate_series(1, 101000) AS n",
            );
            let client = server.client().expect("a connection");
            let read = |statement: &Statement, url: i64| {
                // Found in this lease, so none had an answer before.
                let key = [0i64, 1, url, 7].map(Value::from);
                let mut values = vec![1i16.into(), 1i64.into(), 1i64.into(), WINDOW.into()];
                values.extend(key);
                values.truncate(7 + usize::from(statement.name == QUEUE_OF_FORM.name));
                // The second time, all is in memory.
                let plans = [(); 2].map(|()| explained(server, &client, EXPLAIN, statement, &values));
                let buffers = number_after(&plans[1], "shared hit=") + number_after(&plans[1], " read=");
                (buffers, number_after(&plans[1], "Execution Time: "))
            };
            script(server, "ANALYZE magpie.url");
            let fresh = STATEMENTS.map(|statement| read(statement, 0));
            let mut held = server.snapshot().expect("a transaction");
            held.run(vec![call(&SERVER, [])]).expect("a snapshot");
            script(
                server,
                "UPDATE magpie.url SET state = 'fetched' WHERE bucket = 1 AND url <= 100000",
            );
            script(server, "ANALYZE magpie.url");
            let by_key = STATEMENTS.map(|statement| read(statement, FETCHED));
            let from_head = STATEMENTS.map(|statement| read(statement, 0));
            held.commit().expect("an end");
            println!(
                "buffers and milliseconds: fresh {fresh:?}, held by key {by_key:?}, held from the head {from_head:?}"
            );
            // A row costs at most a page of the table and one of the index, and the way to the
            // first row at most ten.
            let most = 2.0 * WINDOW as f64 + 10.0;
            for (buffers, _) in fresh.iter().chain(&by_key) {
                assert!(*buffers <= most, "{fresh:?} {by_key:?}");
            }
            for (buffers, _) in from_head {
                assert!(buffers > most, "{from_head:?}: no snapshot was held");
            }
        });
    }

    #[test]
    fn statements_of_a_bucket_touch_one_partition() {
        each_release(|server, _| {
            let client = server.client().expect("a connection");
            for statement in FILES.iter().copied().flatten() {
                let sql = statement.text(&server.address().schema);
                let prepare = client.prepare(&sql);
                let prepared = wait_for_all(vec![Box::pin(prepare)], server.limit());
                let prepared = prepared.expect("an answer").remove(0).expect(statement.name);
                let values: Vec<Value<'_>> = prepared.params().iter().map(sample).collect();
                let plan = explained(server, &client, "EXPLAIN", statement, &values);
                let touched = partitions(&plan).len();
                match statement.route {
                    // The plan of an insertion does not say where its rows go: to the bucket.
                    Route::Bucket if touched == 0 => assert!(
                        statement.sql.starts_with("INSERT") && statement.sql.contains("SELECT $1,"),
                        "{} touches no bucket:\n{plan}",
                        statement.name
                    ),
                    Route::Bucket => assert_eq!(touched, 1, "{} touches:\n{plan}", statement.name),
                    Route::Owned if touched == 0 => assert!(
                        statement.sql.starts_with("INSERT") && statement.sql.contains("FROM unnest($1"),
                        "{} touches no bucket:\n{plan}",
                        statement.name
                    ),
                    Route::Owned => assert_eq!(touched, 1, "{} touches:\n{plan}", statement.name),
                    Route::Whole => assert_eq!(touched, 0, "{} touches:\n{plan}", statement.name),
                    Route::Leases | Route::Everything => {
                        assert!(touched > 1, "{} is routed: say so", statement.name);
                    }
                }
            }
        });
    }

    #[test]
    fn statements_need_no_state_of_a_session() {
        for statement in FILES.iter().copied().flatten() {
            let sql = statement.sql.to_lowercase();
            for word in [
                "nextval",
                "serial",
                "identity",
                "trigger",
                "listen",
                "notify",
                "advisory",
                "temp ",
                "prepare",
                "set local",
                "set session",
                "set_config",
                "with hold",
            ] {
                assert!(!sql.contains(word), "{} uses {word}", statement.name);
            }
        }
        let schema = concat!(include_str!("../schema.sql"), include_str!("../schema_2.sql")).to_lowercase();
        for word in ["serial", "identity", "create trigger", "create sequence", "temp "] {
            assert!(!schema.contains(word), "the schema uses {word}");
        }
    }
}
