//! Statements that read URLs of the frontier as people ask for them.

use crate::statement::{Route, Statement, statements};

statements! {
    LIST_URLS Everything "SELECT url, key, address, state, reason, detail, found_at
        FROM magpie.url JOIN magpie.site USING (bucket, site)
        WHERE (bucket, url) > ($1::int2, $2::int8) AND ($3::text IS NULL OR state = $3)
            AND ($4::text IS NULL OR reason = $4)
        ORDER BY bucket, url LIMIT $5"

    LIST_URLS_OF_SITE Bucket "SELECT url, key, address, state, reason, detail, found_at
        FROM magpie.url JOIN magpie.site USING (bucket, site)
        WHERE bucket = $1 AND url > $2 AND ($3::text IS NULL OR state = $3) AND ($4::text IS NULL OR reason = $4)
            AND key = $6
        ORDER BY url LIMIT $5"

    FIND_URLS Everything "SELECT url.url, fingerprint, site, key, state, reason,
            EXISTS (SELECT FROM magpie.page WHERE page.bucket = url.bucket AND page.url = url.url)
        FROM magpie.url JOIN magpie.site USING (bucket, site)
        WHERE fingerprint = ANY ($1::int8[]) ORDER BY fingerprint, found_at, site"

    EXPLAIN_URL Everything "SELECT url, site, key, address, state, reason, detail, priority::int8, depth::int8,
            attempts::int8, due_at, source, found_at,
            (SELECT max(modified_at) FROM magpie.hint WHERE hint.bucket = url.bucket AND hint.site = url.site
                AND hint.fingerprint = url.fingerprint), found_on
        FROM magpie.url JOIN magpie.site USING (bucket, site) WHERE fingerprint = $1 ORDER BY found_at, url"

    URL Bucket "SELECT address, source, found_on FROM magpie.url WHERE bucket = $1 AND url = $2"

    SEEDS Everything "SELECT address FROM magpie.url WHERE source = 'seed' ORDER BY found_at, site, url"

    URL_COUNTS Bucket "SELECT state, reason, urls FROM magpie.tally WHERE bucket = $1 AND site = $2 AND urls > 0"

    ALL_URL_COUNTS Everything "SELECT state, reason, sum(urls)::int8 FROM magpie.tally
        GROUP BY state, reason HAVING sum(urls) > 0"

    QUEUED_BY_SITE Everything "SELECT site, queued FROM magpie.site WHERE queued > 0"
}
