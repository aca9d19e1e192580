//! Statements that read pages.

use crate::statement::{Route, Statement, page_rows, statements};

statements! {
    SITES_AFTER Everything "SELECT site, key, queued, ready_at, CASE WHEN until IS NOT NULL THEN worker END,
            coalesce(extract(epoch FROM until) * 1000, 0)::int8
        FROM (SELECT * FROM magpie.site WHERE (bucket, site) > ($1::int2, $2::int8) ORDER BY bucket, site LIMIT $3) AS next
        LEFT JOIN magpie.bucket USING (bucket) ORDER BY bucket, site"

    FETCHES Bucket (page_rows) "WHERE page.bucket = $1 AND page.page BETWEEN $2 AND $3
            AND ($5::int8 IS NULL OR page.run = $5) AND page.fetched_at >= $6 ORDER BY page.page LIMIT $4"

    /// URLs of a site with their last answer and the last one with a good body.
    KNOWN_PAGES Bucket "WITH known AS MATERIALIZED (
            SELECT url, site, fingerprint, address, depth, state, source, found_at, reason FROM magpie.url
            WHERE bucket = $1 AND url BETWEEN $2 AND $3 AND state <> 'refused' ORDER BY url LIMIT $4)
        SELECT known.url, known.address, known.depth::int8, known.state, known.reason, whole.page, whole.fetched_at,
            coalesce(whole.nofollow, false), coalesce(whole.noindex, false), last.fetched_at, last.status::int8,
            last.problem, coalesce(whole.media_type, last.media_type), last.redirect, last.run, coalesce(last.bytes, 0),
            (SELECT count(*) FROM magpie.page WHERE bucket = $1 AND page.url = known.url AND page.page > (
                SELECT max(page) FROM magpie.page AS body
                WHERE bucket = $1 AND body.url = known.url AND status BETWEEN 200 AND 299 AND (same_as IS NULL OR EXISTS (
                    SELECT FROM magpie.rendering WHERE bucket = $1 AND rendering.page = body.page)))),
            (SELECT count(*) FROM magpie.page
                WHERE bucket = $1 AND page.url = known.url AND status = 200 AND problem IS NULL),
            EXISTS (SELECT FROM magpie.page AS one JOIN magpie.page AS other ON other.bucket = $1 AND other.url = one.url
                    AND other.page > one.page AND other.hash <> one.hash AND other.status = 200
                    AND CASE WHEN one.etag IS NULL THEN one.last_modified = other.last_modified
                        ELSE one.etag = other.etag END
                WHERE one.bucket = $1 AND one.url = known.url AND one.status = 200),
            CASE WHEN known.source IN ('sitemap', 'feed') THEN found_at END, sitemap.modified_at, sitemap.seen_at,
            feed.modified_at, feed.seen_at
        FROM known
        LEFT JOIN LATERAL (
            SELECT * FROM magpie.page WHERE bucket = $1 AND page.url = known.url ORDER BY page DESC LIMIT 1) AS last ON true
        LEFT JOIN LATERAL (
            SELECT * FROM magpie.page
            WHERE bucket = $1 AND page.url = known.url AND status BETWEEN 200 AND 299 AND problem IS NULL
            ORDER BY page DESC LIMIT 1) AS whole ON true
        LEFT JOIN magpie.hint AS sitemap ON sitemap.bucket = $1 AND sitemap.site = known.site
            AND sitemap.fingerprint = known.fingerprint AND sitemap.source = 'sitemap'
        LEFT JOIN magpie.hint AS feed ON feed.bucket = $1 AND feed.site = known.site
            AND feed.fingerprint = known.fingerprint AND feed.source = 'feed'
        ORDER BY known.url"

    FOUND_BY_LINKS Bucket "SELECT url, address, found_on, found_at FROM magpie.url
        WHERE bucket = $1 AND url BETWEEN $2 AND $3 AND found_on IS NOT NULL AND state <> 'refused' ORDER BY url LIMIT $4"

    RECORDS_OF_PAGES Bucket "SELECT page.page, record, coalesce(page.address, url.address), fetched_at, vertical, content,
            expires_at
        FROM magpie.record JOIN magpie.component USING (component)
        JOIN magpie.page ON page.bucket = $1 AND page.page = record.page
        LEFT JOIN magpie.url ON url.bucket = $1 AND url.url = page.url
        WHERE record.bucket = $1 AND record.page = ANY ($2::int8[]) AND vertical = $3 AND standing ORDER BY record"

    JUDGEMENTS_OF_PAGES Bucket "SELECT page, vertical, version, accepted, confidence, reason
        FROM magpie.judgement JOIN magpie.component USING (component)
        WHERE bucket = $1 AND page = ANY ($2::int8[]) ORDER BY component"

    /// Pages with the records of the newest component of a vertical that was shown them.
    SHOWN_PAGES Bucket "SELECT shown.page, shown.address, outcome <> 'done', content FROM (
            SELECT page.page, coalesce(page.address, url.address, '') AS address, newest.component FROM magpie.page
            CROSS JOIN LATERAL (
                SELECT max(component) AS component FROM magpie.extraction JOIN magpie.component USING (component)
                WHERE bucket = $1 AND extraction.page = page.page AND vertical = $5) AS newest
            LEFT JOIN magpie.url ON url.bucket = $1 AND url.url = page.url
            WHERE page.bucket = $1 AND page.page BETWEEN $2 AND $3 AND newest.component IS NOT NULL
            ORDER BY page.page LIMIT $4) AS shown
        JOIN magpie.extraction
            ON extraction.bucket = $1 AND extraction.page = shown.page AND extraction.component = shown.component
        LEFT JOIN magpie.record
            ON record.bucket = $1 AND record.page = shown.page AND record.component = shown.component AND sources IS NULL
        ORDER BY shown.page, record.record"

    /// The search ends at the first page that a component was shown.
    COMPONENTS Everything "SELECT vertical, version, digest, options FROM magpie.component
        WHERE EXISTS (SELECT FROM magpie.extraction WHERE extraction.component = component.component) ORDER BY component"

    CHECKED_PAGES Bucket "SELECT count(*), count(nullif(violations, 0)) FROM magpie.page
        JOIN magpie.extraction USING (bucket, page) JOIN magpie.component USING (component)
        WHERE bucket = $1 AND page BETWEEN $2 AND $3 AND url IS NOT NULL AND vertical = $4 AND records > 0"
}
