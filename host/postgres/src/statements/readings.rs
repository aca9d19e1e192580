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
}
