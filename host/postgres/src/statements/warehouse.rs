//! Statements that write objects, and read what is to be clustered.

use crate::statement::{Route, Statement, statements};

statements! {
    WAREHOUSE_OF Bucket "SELECT warehouse FROM magpie.warehouse WHERE bucket = $1 AND vertical = $2"

    NEW_WAREHOUSE Bucket "INSERT INTO magpie.warehouse
        SELECT $1, coalesce(max(warehouse), 0) + 1, $2, '', '', '', '[]', $3::int8 FROM magpie.warehouse WHERE bucket = $1
        ON CONFLICT DO NOTHING"

    SITES_WITH_NEWS Everything "SELECT site.site, site.key, coalesce(clustered.page, 0)
        FROM magpie.site LEFT JOIN magpie.clustered ON clustered.bucket = -1 AND clustered.site = site.site
            AND clustered.warehouse = (SELECT warehouse FROM magpie.warehouse WHERE bucket = -1 AND vertical = $1)
        CROSS JOIN LATERAL (SELECT max(page) >> 10 & 2147483647 AS page FROM magpie.page WHERE page.bucket = site.bucket
            AND page BETWEEN (site.site >> 10 << 41 | site.bucket)
                AND (site.site >> 10 << 41 | 2199023254528 | site.bucket)) AS last
        WHERE last.page > coalesce(clustered.page, 0) ORDER BY site.site"

    NEW_PAGES Bucket "SELECT page.page, coalesce(page.address, url.address), fetched_at, status::int8,
            (SELECT sum(records)::int8 FROM magpie.extraction WHERE extraction.bucket = $1 AND extraction.page = page.page
                AND outcome = 'done' AND component IN (SELECT component FROM magpie.component WHERE vertical = $4))
        FROM magpie.page LEFT JOIN magpie.url ON url.bucket = $1 AND url.url = page.url
        WHERE page.bucket = $1 AND page.page BETWEEN $2 AND $3 ORDER BY page.page LIMIT $5"

    NEW_RECORDS Bucket "SELECT record.page, record, content FROM magpie.record
        JOIN magpie.extraction ON extraction.bucket = $1 AND extraction.page = record.page
            AND extraction.component = record.component AND outcome = 'done'
        WHERE record.bucket = $1 AND record.page BETWEEN $2 AND $3 AND standing
            AND record.component IN (SELECT component FROM magpie.component WHERE vertical = $4)
        ORDER BY record.page, record"

    STANDING_AT Bucket "SELECT DISTINCT url_print FROM magpie.member
        WHERE bucket = $1 AND url_print = ANY ($3::int8[]) AND current
            AND warehouse = (SELECT warehouse FROM magpie.warehouse WHERE bucket = $1 AND vertical = $2)"

    /// The last page of each URL that was read. A page that is in no frontier, as those of an
    /// archive, has its URL itself.
    ADDRESSES Bucket "SELECT DISTINCT ON (wanted.url) wanted.url, page.page, status::int8, redirect, canonical, title
        FROM unnest($2::int8[], $3::int8[], $4::text[]) AS wanted (site, print, url)
        JOIN magpie.url ON url.bucket = $1 AND url.site = wanted.site AND url.fingerprint = wanted.print
        JOIN magpie.page ON page.bucket = $1 AND page.url = url.url
        WHERE status IS DISTINCT FROM 304 ORDER BY wanted.url, page.page DESC"

    ARCHIVED_ADDRESSES Bucket "SELECT DISTINCT ON (address) address, page, status::int8, redirect, canonical, title
        FROM magpie.page WHERE bucket = $1 AND url IS NULL AND md5(address) IN (SELECT md5(wanted) FROM unnest($2::text[]) AS wanted)
            AND status IS DISTINCT FROM 304 ORDER BY address, page DESC"

    PAGES_OF_RECORDS Bucket "SELECT record, page.page, coalesce(page.address, url.address) FROM magpie.record
        JOIN magpie.page ON page.bucket = $1 AND page.page = record.page
        LEFT JOIN magpie.url ON url.bucket = $1 AND url.url = page.url
        WHERE record.bucket = $1 AND record = ANY ($2::int8[]) AND coalesce(page.address, url.address) IS NOT NULL"

    RECORDS_THERE Owned "SELECT count(*) FROM magpie.record
        WHERE bucket = ANY ($1::int2[]) AND record = ANY ($2::int8[])"

    STALE Bucket "SELECT object FROM magpie.object
        WHERE bucket = $1 AND warehouse = $2 AND stale AND merged_into IS NULL ORDER BY object LIMIT $3"

    TOTALS Bucket "SELECT count(*), coalesce(sum(members), 0)::int8,
            (SELECT coalesce(max(object), 0) FROM magpie.object WHERE bucket = $1)
        FROM magpie.object WHERE bucket = $1 AND warehouse = $2 AND merged_into IS NULL"

    /// Fails with a division by zero in any other epoch than that in which was read what the
    /// transaction writes.
    SAME_EPOCH Bucket "SELECT 1 / count(*) FROM magpie.bucket WHERE bucket = $1 AND epoch = $2"

    /// Fails with a division by zero if a vertical, a member or an object is not there.
    ALL_THERE Bucket "SELECT 1 / count(*) FROM magpie.warehouse WHERE bucket = $1 AND warehouse = $2
        AND NOT EXISTS (SELECT FROM unnest($3::int8[]) AS named WHERE NOT EXISTS (
            SELECT FROM magpie.member WHERE bucket = $1 AND member.member = named))
        AND NOT EXISTS (SELECT FROM unnest($4::int8[]) AS named WHERE NOT EXISTS (
            SELECT FROM magpie.object WHERE bucket = $1 AND object.object = named))"

    LOGGED Bucket "SELECT object, label, record, expires_at, state, merged_into FROM magpie.object
        WHERE bucket = $1 AND object = ANY ($2::int8[])"

    EXPIRED Bucket "SELECT object, label, record, expires_at FROM magpie.object
        WHERE bucket = $1 AND warehouse = $2 AND state = 'current' AND expires_at < $3 ORDER BY expires_at, object"

    /// Objects that are to be written yet, unless they are there.
    NEW_OBJECTS Bucket "INSERT INTO magpie.object (bucket, warehouse, object, label, object_type, record, origins, members,
            current, first_seen, last_seen, stale)
        SELECT $1, *, '', '', '{}', '{}', 0, 0, 0, 0, true FROM unnest($2::int8[], $3::int8[]) ON CONFLICT DO NOTHING"

    PUT_OBJECTS Bucket "INSERT INTO magpie.object (bucket, warehouse, object, label, object_type, record, origins, members,
            current, first_seen, last_seen, expires_at, stale)
        SELECT $1, *, false FROM unnest($2::int8[], $3::int8[], $4::text[], $5::text[], $6::text[], $7::text[], $8::int8[],
            $9::int8[], $10::int8[], $11::int8[], $12::int8[])
        ON CONFLICT (bucket, object) DO UPDATE SET label = excluded.label, object_type = excluded.object_type,
            record = excluded.record, origins = excluded.origins, members = excluded.members, current = excluded.current,
            first_seen = excluded.first_seen, last_seen = excluded.last_seen, expires_at = excluded.expires_at,
            stale = false"

    /// Appends changes after the last one. The lock of the lease keeps others from appending.
    PUT_CHANGES Bucket "INSERT INTO magpie.change
        SELECT $1, last.seq + number, made.object, made.kind, made.at,
            (SELECT max(run) FROM magpie.run WHERE started_at <= made.at), made.label, made.object_type, made.expires_at,
            made.attributes, made.into_object
        FROM unnest($2::int8[], $3::text[], $4::int8[], $5::text[], $6::text[], $7::int8[], $8::text[], $9::int8[])
            WITH ORDINALITY AS made (object, kind, at, label, object_type, expires_at, attributes, into_object, number)
        CROSS JOIN (SELECT coalesce(max(seq), 0) AS seq FROM magpie.change WHERE bucket = $1) AS last"

    PUT_STATES Bucket "UPDATE magpie.object SET state = new.state, changed_at = new.at
        FROM unnest($2::int8[], $3::text[], $4::int8[]) AS new (object, state, at)
        WHERE bucket = $1 AND object.object = new.object"

    /// Members of merged objects go to their successors.
    MERGE_MEMBERS Bucket "UPDATE magpie.member SET object = new.stays
        FROM unnest($2::int8[], $3::int8[]) AS new (gone, stays) WHERE bucket = $1 AND member.object = new.gone"

    /// Objects that were merged before into one that is merged now point to the successor, so there
    /// are no chains.
    MERGE_MERGED Bucket "UPDATE magpie.object SET merged_into = new.stays
        FROM unnest($2::int8[], $3::int8[]) AS new (gone, stays) WHERE bucket = $1 AND merged_into = new.gone"

    MERGE_OBJECTS Bucket "UPDATE magpie.object SET merged_into = new.stays
        FROM unnest($2::int8[], $3::int8[]) AS new (gone, stays) WHERE bucket = $1 AND object.object = new.gone"

    PUT_MEMBERS Bucket "INSERT INTO magpie.member
        SELECT $1, member, warehouse, object, url_print, record_print, at, at, member, true, features, keys, origin
        FROM unnest($2::int8[], $3::int8[], $4::int8[], $5::int8[], $6::bytea[], $7::int8[], $8::bytea[], $9::text[],
            $10::bytea[])
            AS made (member, warehouse, object, url_print, record_print, at, features, keys, origin)
        ON CONFLICT (bucket, member) DO UPDATE SET object = excluded.object, features = excluded.features,
            keys = excluded.keys, origin = excluded.origin"

    PUT_SIGHTINGS Bucket "INSERT INTO magpie.sighting SELECT $1, * FROM unnest($2::int8[], $3::int8[])
        ON CONFLICT DO NOTHING"

    SEE_MEMBERS Bucket "UPDATE magpie.member SET current = true, first_seen = least(first_seen, new.first),
            last_seen = greatest(last_seen, new.last), last_record = coalesce(new.record, last_record)
        FROM unnest($2::int8[], $3::int8[], $4::int8[], $5::int8[]) AS new (member, first, last, record)
        WHERE bucket = $1 AND member.member = new.member"

    /// A sighting of a member is one of its object.
    SEE_OBJECTS Bucket "UPDATE magpie.object SET first_seen = least(first_seen, seen.first),
            last_seen = greatest(last_seen, seen.last)
        FROM (SELECT member.object, min(new.first) AS first, max(new.last) AS last
            FROM unnest($2::int8[], $3::int8[], $4::int8[], $5::int8[]) AS new (member, first, last, record)
            JOIN magpie.member ON member.bucket = $1 AND member.member = new.member GROUP BY member.object) AS seen
        WHERE bucket = $1 AND object.object = seen.object"

    LOSE_MEMBERS Bucket "UPDATE magpie.member SET current = false WHERE bucket = $1 AND member = ANY ($2::int8[])"

    REPLACE_MEMBERS Bucket "UPDATE magpie.member SET features = NULL, keys = NULL
        WHERE bucket = $1 AND member = ANY ($2::int8[])"

    PREPARE_MEMBERS Bucket "UPDATE magpie.member SET features = new.features, keys = new.keys
        FROM unnest($2::int8[], $3::bytea[], $4::text[]) AS new (member, features, keys)
        WHERE bucket = $1 AND member.member = new.member"

    MOVE_MEMBERS Bucket "UPDATE magpie.member SET object = new.object
        FROM unnest($2::int8[], $3::int8[]) AS new (member, object) WHERE bucket = $1 AND member.member = new.member"

    PUT_MEMBER_LINKS Bucket "INSERT INTO magpie.member_link SELECT $1, * FROM unnest($2::int8[], $3::int8[], $4::float8[],
            $5::text[], $6::text[])
        ON CONFLICT (bucket, one, other) DO UPDATE SET probability = excluded.probability, scheme = excluded.scheme,
            reasons = excluded.reasons"

    DROP_MEMBER_LINKS Bucket "DELETE FROM magpie.member_link USING magpie.member
        WHERE member_link.bucket = $1 AND member.bucket = $1 AND member = one AND warehouse = $2"

    /// Cuts the links between two objects.
    CUT_LINKS Bucket "DELETE FROM magpie.member_link USING magpie.member AS here, magpie.member AS there
        WHERE member_link.bucket = $1 AND here.bucket = $1 AND there.bucket = $1 AND here.member = one
            AND there.member = other AND here.object = ANY ($2::int8[]) AND here.object <> there.object"

    PUT_MARKS Bucket "INSERT INTO magpie.clustered SELECT $1, * FROM unnest($2::int8[], $3::int8[], $4::int8[])
        ON CONFLICT (bucket, warehouse, site) DO UPDATE SET page = greatest(clustered.page, excluded.page)"

    CLUSTERED_AT Bucket "UPDATE magpie.warehouse SET clustered_at = $3 WHERE bucket = $1 AND warehouse = $2"

    INVALIDATE Bucket "UPDATE magpie.warehouse SET matcher = '' WHERE bucket = $1 AND warehouse = $2"

    PUT_MATCHING Bucket "UPDATE magpie.warehouse SET matcher = $3, digest = $4, options = $5, schema = $6, clustered_at = $7
        WHERE bucket = $1 AND warehouse = $2"

    ALL_STALE Bucket "UPDATE magpie.object SET stale = true WHERE bucket = $1 AND warehouse = $2 AND merged_into IS NULL"

    STALE_OBJECT Bucket "UPDATE magpie.object SET stale = true WHERE bucket = $1 AND object = $2"

    /// Marks the objects of members that are to be withdrawn: they are found while those are
    /// current.
    STALE_AT Bucket "UPDATE magpie.object SET stale = true WHERE bucket = $1 AND object IN (
        SELECT object FROM magpie.member WHERE bucket = $1 AND current AND url_print = ANY ($3::int8[])
            AND warehouse = (SELECT warehouse FROM magpie.warehouse WHERE bucket = $1 AND vertical = $2))"

    WITHDRAW Bucket "UPDATE magpie.member SET current = false WHERE bucket = $1 AND current
        AND url_print = ANY ($3::int8[])
        AND warehouse = (SELECT warehouse FROM magpie.warehouse WHERE bucket = $1 AND vertical = $2)"

    PLACES Bucket "SELECT member, warehouse, object FROM magpie.member WHERE bucket = $1 AND member = ANY ($2::int8[])
        ORDER BY member"

    KEEP_APART Bucket "INSERT INTO magpie.apart SELECT $1, $2::int8, $3::int8, $4::int8 ON CONFLICT DO NOTHING"
}
