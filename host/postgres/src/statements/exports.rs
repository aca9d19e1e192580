//! Statements that read exported tables part by part. Each row begins with its place: the bucket
//! and the number.

use crate::statement::{Route, Statement, statements};

statements! {
    EXPORTED_PAGES Everything "SELECT page.bucket, page.page, page.page, coalesce(page.address, url.address), page.run,
            page.fetched_at, page.status::int8, page.media_type, page.charset, page.language, page.title, page.bytes,
            encode(page.hash, 'hex'), url.depth::int8, page.redirect, page.canonical, page.etag, page.last_modified,
            page.problem, page.detail, page.duration::int8, segment.name, segment.base + page.position, page.length,
            page.same_as
        FROM (SELECT * FROM magpie.page WHERE (bucket, page) > ($1::int2, $2::int8) AND ($4::int8 IS NULL OR run = $4)
            ORDER BY bucket, page LIMIT $3) AS page
        LEFT JOIN magpie.url ON url.bucket = page.bucket AND url.url = page.url
        LEFT JOIN magpie.segment ON segment.bucket = page.bucket AND segment.segment = page.segment
        ORDER BY page.bucket, page.page"

    EXPORTED_LINKS Everything "SELECT page.bucket, page.page, coalesce(page.address, url.address), links
        FROM (SELECT * FROM magpie.page WHERE (bucket, page) > ($1::int2, $2::int8) AND ($4::int8 IS NULL OR run = $4)
            ORDER BY bucket, page LIMIT $3) AS page
        LEFT JOIN magpie.page_links ON page_links.bucket = page.bucket AND page_links.page = page.page
        LEFT JOIN magpie.url ON url.bucket = page.bucket AND url.url = page.url
        ORDER BY page.bucket, page.page"

    EXPORTED_RECORDS Everything "SELECT record.bucket, record.record, record.record, vertical, object_type, confidence,
            (content::json -> 'attributes')::text, page.page, coalesce(page.address, url.address), page.fetched_at, digest,
            record.expires_at
        FROM magpie.record JOIN magpie.component USING (component)
        JOIN magpie.page ON page.bucket = record.bucket AND page.page = record.page
        LEFT JOIN magpie.url ON url.bucket = page.bucket AND url.url = page.url
        WHERE (record.bucket, record.record) > ($1::int2, $2::int8) AND standing AND ($4::int8 IS NULL OR run = $4)
            AND ($5::text IS NULL OR vertical = $5)
        ORDER BY record.bucket, record.record LIMIT $3"

    EXPORTED_OBJECTS Everything "SELECT object.bucket, object.object, object.object, vertical, object_type, label,
            (record::json ->> 'confidence')::float8, (record::json -> 'attributes')::text, members, current, origins,
            (SELECT '[' || string_agg('{\"record\":' || member || ',\"url\":'
                    || to_json(coalesce(page.address, url.address))::text || ',\"page\":' || page.page
                    || ',\"first_seen\":\"' || to_char(to_timestamp(member.first_seen / 1000.0) AT TIME ZONE 'UTC',
                        'YYYY-MM-DD\"T\"HH24:MI:SS.MS\"Z\"')
                    || '\",\"last_seen\":\"' || to_char(to_timestamp(member.last_seen / 1000.0) AT TIME ZONE 'UTC',
                        'YYYY-MM-DD\"T\"HH24:MI:SS.MS\"Z\"')
                    || '\",\"current\":' || member.current || '}', ',' ORDER BY member) || ']'
                FROM magpie.member
                JOIN magpie.record ON record.bucket = (last_record & 1023)::int2 AND record.record = last_record
                JOIN magpie.page ON page.bucket = record.bucket AND page.page = record.page
                LEFT JOIN magpie.url ON url.bucket = page.bucket AND url.url = page.url
                WHERE member.bucket = object.bucket AND member.object = object.object),
            first_seen, last_seen, expires_at
        FROM magpie.object JOIN magpie.warehouse USING (bucket, warehouse)
        WHERE (object.bucket, object.object) > ($1::int2, $2::int8) AND merged_into IS NULL
            AND ($5::text IS NULL OR vertical = $5) AND ($6::int8[] IS NULL OR object = ANY ($6))
            AND ($4::int8 IS NULL OR EXISTS (
                SELECT FROM magpie.member JOIN magpie.sighting
                    ON sighting.bucket = member.bucket AND sighting.member = member.member
                JOIN magpie.record ON record.bucket = (sighting.record & 1023)::int2 AND record.record = sighting.record
                JOIN magpie.page ON page.bucket = record.bucket AND page.page = record.page
                WHERE member.bucket = object.bucket AND member.object = object.object AND run = $4))
        ORDER BY object.bucket, object.object LIMIT $3"

    /// The attributes that records have, and if one has several values.
    ATTRIBUTES_OF_RECORDS Everything "SELECT key, bool_or(json_typeof(value) = 'array')
        FROM magpie.record JOIN magpie.component USING (component), json_each(content::json -> 'attributes')
        WHERE $1::text IS NULL OR vertical = $1 GROUP BY key ORDER BY key COLLATE \"C\""

    ATTRIBUTES_OF_OBJECTS Bucket "SELECT key, bool_or(json_typeof(value) = 'array')
        FROM magpie.object JOIN magpie.warehouse USING (bucket, warehouse), json_each(record::json -> 'attributes')
        WHERE bucket = $1 AND merged_into IS NULL AND ($2::text IS NULL OR vertical = $2)
        GROUP BY key ORDER BY key COLLATE \"C\""
}
