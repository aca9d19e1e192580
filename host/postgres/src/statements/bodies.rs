//! Statements of pages with their bodies.

use crate::statement::{Route, Statement, page_rows, statements};

statements! {
    PAGES_BY_NUMBER Bucket (page_rows) "WHERE page.bucket = $1 AND page.page = ANY ($2::int8[])"

    PAGES_OF_URL Bucket (page_rows) "WHERE page.bucket = $1 AND page.url = $2 ORDER BY page.page DESC LIMIT $3"

    LATEST_OF_URL Bucket (page_rows) "WHERE page.bucket = $1 AND page.url = $2 AND page.segment IS NOT NULL
        AND ($3::int8 IS NULL OR page.run = $3) ORDER BY page.page DESC LIMIT 1"

    LATEST_AT_ADDRESS Everything (page_rows) "WHERE page.url IS NULL AND md5(page.address) = md5($1::text)
        AND page.address = $1 AND page.segment IS NOT NULL AND ($2::int8 IS NULL OR page.run = $2)
        ORDER BY page.fetched_at DESC, page.page DESC LIMIT 1"

    RENDERINGS Bucket "SELECT page, name, base + rendering.position, rendering.length, links, requests, rendering.bytes, cpu
        FROM magpie.rendering JOIN magpie.page USING (bucket, page) JOIN magpie.segment USING (bucket, segment)
        WHERE bucket = $1 AND page = ANY ($2::int8[])"

    /// The pages that have the last bodies of URLs, and those of some pages that have a body.
    KNOWN_BODIES Bucket "WITH last AS MATERIALIZED (
            SELECT wanted.url, answer.page FROM unnest($2::int8[]) AS wanted (url)
            CROSS JOIN LATERAL (
                SELECT coalesce(same_as, page) AS page FROM magpie.page
                WHERE bucket = $1 AND page.url = wanted.url AND segment IS NOT NULL AND status BETWEEN 200 AND 399
                ORDER BY page.page DESC LIMIT 1) AS answer)
        SELECT wanted.url, page.page, coalesce(page.address, url.address, ''), fetched_at, hash
        FROM (SELECT url, page FROM last UNION ALL SELECT NULL, * FROM unnest($3::int8[])) AS wanted (url, page)
        JOIN magpie.page ON page.bucket = $1 AND page.page = wanted.page
        LEFT JOIN magpie.url ON url.bucket = $1 AND url.url = page.url
        WHERE segment IS NOT NULL AND same_as IS NULL"

    PUT_SEGMENT Bucket "INSERT INTO magpie.segment (bucket, segment, name, base, run, bytes, started_at)
        SELECT $1, $2::int8, $3::text, $4::int8, $5::int8, $6::int8, $7::int8"

    PUT_RENDERINGS Bucket "INSERT INTO magpie.rendering SELECT $1, * FROM unnest($2::int8[], $3::int8[], $4::int8[],
        $5::text[], $6::int8[], $7::int8[], $8::int8[])"

    /// Those of a range of a file follow each other.
    SEGMENTS Everything "SELECT bucket, segment, name, base, bytes FROM magpie.segment
        WHERE (name, base, bytes, bucket, segment) > ($1::text, $2::int8, $3::int8, $4::int2, $5::int8)
        ORDER BY name, base, bytes, bucket, segment LIMIT $6"

    /// Records that a segment should have, in their order.
    RECORDS_OF_SEGMENT Bucket "SELECT page.page, coalesce(page.address, url.address, ''), fetched_at,
            CASE WHEN same_as IS NULL THEN hash END, position, length, true
        FROM magpie.page LEFT JOIN magpie.url ON url.bucket = $1 AND url.url = page.url
        WHERE page.bucket = $1 AND segment = $2
        UNION ALL
        SELECT page.page, coalesce(page.address, url.address, ''), fetched_at, NULL, rendering.position, rendering.length,
            false
        FROM magpie.page JOIN magpie.rendering ON rendering.bucket = $1 AND rendering.page = page.page
        LEFT JOIN magpie.url ON url.bucket = $1 AND url.url = page.url
        WHERE page.bucket = $1 AND segment = $2
        ORDER BY 5"

    FILES_AFTER Everything "SELECT name, max(base + bytes)::int8, min(started_at) FROM magpie.segment WHERE name > $1
        GROUP BY name ORDER BY name LIMIT $2"

    KNOWN_FILES Everything "SELECT DISTINCT name FROM magpie.segment WHERE name = ANY ($1::text[])"

    /// Makes segments lead to a file that has theirs one behind the other.
    MOVE_SEGMENTS Everything "UPDATE magpie.segment SET name = $1, base = base + place
        FROM unnest($2::text[], $3::int8[]) AS part (file, place) WHERE name = file"
}
