//! Statements that put other records in the place of those of a page.

use crate::statement::{Route, Statement, statements};

statements! {
    NEWEST_COMPONENTS Bucket "SELECT page, max(component) FROM magpie.extraction JOIN magpie.component USING (component)
        WHERE bucket = $1 AND page = ANY ($2::int8[]) AND vertical = $3 GROUP BY page"

    RECORDS_OF_VERTICAL Bucket "SELECT page, record, component, content, sources, standing
        FROM magpie.record JOIN magpie.component USING (component)
        WHERE bucket = $1 AND page = ANY ($2::int8[]) AND vertical = $3 ORDER BY record"

    SEEN_RECORDS Bucket "SELECT record FROM magpie.sighting WHERE bucket = $1 AND record = ANY ($2::int8[])"

    CLUSTERED_UP_TO Bucket "SELECT clustered.warehouse, site, page FROM magpie.clustered
        JOIN magpie.warehouse ON warehouse.bucket = $1 AND warehouse.warehouse = clustered.warehouse
        WHERE clustered.bucket = $1 AND vertical = $2 AND site = ANY ($3::int8[])"

    DROP_RECORDS Bucket "DELETE FROM magpie.record WHERE bucket = $1 AND record = ANY ($2::int8[])"

    /// The vertical's own records count, or do not.
    SET_STANDING Bucket "UPDATE magpie.record SET standing = (sources IS NULL AND $4)
        WHERE bucket = $1 AND page = $2 AND component = $3"

    /// Records that members were seen as are none of the vertical's own any more.
    RETIRE_RECORDS Bucket "UPDATE magpie.record SET standing = false, sources = coalesce(sources, '{}')
        WHERE bucket = $1 AND page = $2 AND component IN (SELECT component FROM magpie.component WHERE vertical = $3)"

    MOVE_RECORDS Bucket "UPDATE magpie.record SET component = $4 WHERE bucket = $1 AND page = $2 AND component = $3"

    DROP_EXTRACTIONS Bucket "DELETE FROM magpie.extraction
        WHERE bucket = $1 AND page = $2 AND component IN (SELECT component FROM magpie.component WHERE vertical = $3)"

    DROP_VIOLATIONS Bucket "DELETE FROM magpie.violation
        WHERE bucket = $1 AND page = $2 AND component IN (SELECT component FROM magpie.component WHERE vertical = $3)"

    PUT_READ_RECORDS Bucket "INSERT INTO magpie.record SELECT $1, number, page, component, position, object_type,
            confidence, content, expires_at, true, sources
        FROM unnest($2::int8[], $3::int8[], $4::int8[], $5::int8[], $6::text[], $7::float8[], $8::text[], $9::int8[],
            $10::text[]) AS new (number, page, component, position, object_type, confidence, content, expires_at, sources)"

    CLUSTER_AGAIN Bucket "INSERT INTO magpie.reread SELECT $1, $2::int8, $3::int8 ON CONFLICT DO NOTHING"

    /// Clustered pages that have other records now, with their records.
    READ_AGAIN Everything "SELECT again.page, coalesce(page.address, url.address, ''), fetched_at, record, content
        FROM (SELECT bucket, page FROM magpie.reread
            WHERE warehouse = (SELECT warehouse FROM magpie.warehouse WHERE bucket = -1 AND vertical = $1)
            ORDER BY page LIMIT $2) AS again
        JOIN magpie.page ON page.bucket = again.bucket AND page.page = again.page
        LEFT JOIN magpie.url ON url.bucket = again.bucket AND url.url = page.url
        LEFT JOIN magpie.record ON record.bucket = again.bucket AND record.page = again.page AND standing
            AND component = (SELECT max(component) FROM magpie.extraction JOIN magpie.component USING (component)
                WHERE extraction.bucket = again.bucket AND extraction.page = again.page AND vertical = $1)
        ORDER BY again.page, record"

    CLUSTERED_AGAIN Owned "DELETE FROM magpie.reread
        WHERE bucket = ANY ($1::int2[]) AND warehouse = $2 AND page = ANY ($3::int8[])"
}
