//! Statements that read objects, their members, sightings and links.

use crate::statement::{Route, Statement, statements};

statements! {
    WAREHOUSES Bucket "SELECT warehouse, vertical, matcher, digest, options, schema, clustered_at FROM magpie.warehouse
        WHERE bucket = $1 AND ($2::text IS NULL OR vertical = $2) ORDER BY vertical COLLATE \"C\""

    /// Objects by number. In place of one that retired it finds the one that it is part of now.
    OBJECTS Bucket "SELECT object, vertical, label, record, origins, members, current, first_seen, last_seen, expires_at,
            state, changed_at FROM magpie.object JOIN magpie.warehouse USING (bucket, warehouse)
        WHERE bucket = $1 AND object IN (SELECT coalesce(merged_into, object) FROM magpie.object
            WHERE bucket = $1 AND object = ANY ($2::int8[]))"

    OBJECTS_AFTER Bucket "SELECT object, vertical, label, record, origins, members, current, first_seen, last_seen,
            expires_at, state, changed_at FROM magpie.object JOIN magpie.warehouse USING (bucket, warehouse)
        WHERE bucket = $1 AND vertical = $2 AND merged_into IS NULL AND object > $3 ORDER BY object LIMIT $4"

    OBJECT_NUMBERS Bucket "SELECT object FROM magpie.object JOIN magpie.warehouse USING (bucket, warehouse)
        WHERE bucket = $1 AND vertical = $2 AND merged_into IS NULL AND object > $3 ORDER BY object LIMIT $4"

    /// The objects of a filter in an order: `$6` is its name, `$7` is -1 to turn it.
    SORTED_OBJECTS Bucket "SELECT object FROM magpie.object JOIN magpie.warehouse USING (bucket, warehouse)
        WHERE bucket = $1 AND merged_into IS NULL AND ($2::text IS NULL OR vertical = $2)
            AND ($3::int8 IS NULL OR first_seen >= $3) AND coalesce(expires_at < $4::int8, $4::int8 IS NULL)
            AND ($5::int8 IS NULL OR expires_at IS NULL OR expires_at >= $5)
        ORDER BY CASE WHEN $6::text = 'label' AND $7::int8 > 0 THEN lower(label COLLATE \"C\") END,
            CASE WHEN $6 = 'label' AND $7 < 0 THEN lower(label COLLATE \"C\") END DESC,
            $7 * CASE $6 WHEN 'number' THEN object WHEN 'members' THEN members WHEN 'first_seen' THEN first_seen
                WHEN 'last_seen' THEN last_seen WHEN 'expires' THEN expires_at END NULLS LAST, object"

    /// Equal records on a page are one object; the one with the greatest number names the page.
    OBJECTS_ON_PAGES Everything "SELECT url_print, here.object, coalesce(page.address, url.address, ''), object.first_seen,
            object.last_seen, object.expires_at
        FROM (SELECT DISTINCT ON (url_print, object) url_print, object, last_record FROM magpie.member
            WHERE bucket = $1 AND current AND url_print >= $3 AND (url_print, object) > ($3, $4::int8)
                AND warehouse = (SELECT warehouse FROM magpie.warehouse WHERE bucket = $1 AND vertical = $2)
            ORDER BY url_print, object, member DESC LIMIT $5) AS here
        JOIN magpie.object ON object.bucket = $1 AND object.object = here.object
        LEFT JOIN magpie.record ON record.bucket = (last_record & 1023)::int2 AND record.record = last_record
        LEFT JOIN magpie.page ON page.bucket = record.bucket AND page.page = record.page
        LEFT JOIN magpie.url ON url.bucket = page.bucket AND url.url = page.url
        ORDER BY url_print, here.object"

    /// Members are numbered site by site, so the member that an object began with is the one that
    /// was seen first.
    DOUBTFUL_PAGES Bucket "WITH vertical AS (SELECT warehouse FROM magpie.warehouse WHERE bucket = $1 AND vertical = $2),
        here AS (SELECT member, object, url_print, current, first_value(member) OVER (
                PARTITION BY object ORDER BY first_seen, member) AS first
            FROM magpie.member WHERE bucket = $1 AND warehouse = (SELECT warehouse FROM vertical)),
        best AS (SELECT member, max(probability) AS probability FROM (
                SELECT one AS member, probability FROM magpie.member_link WHERE bucket = $1
                UNION ALL SELECT other, probability FROM magpie.member_link WHERE bucket = $1) AS link GROUP BY member),
        likely AS (SELECT url_print, object,
                max(CASE WHEN member = first THEN 1 ELSE coalesce(probability, 1) END) AS likely
            FROM here LEFT JOIN best USING (member) WHERE current GROUP BY url_print, object)
        SELECT url_print, object, likely FROM likely WHERE likely < 1 ORDER BY url_print, object"

    RECORD_TIMES Bucket "SELECT member, url_print, member.first_seen, member.last_seen, member.current,
            object.first_seen >= member.first_seen
        FROM magpie.member JOIN magpie.object USING (bucket, object)
        WHERE bucket = $1 AND member > $3 AND member.warehouse = (
            SELECT warehouse FROM magpie.warehouse WHERE bucket = $1 AND vertical = $2) ORDER BY member LIMIT $4"

    MEMBERS_AT Bucket "SELECT member, object, url_print, record_print, current, features IS NOT NULL,
            coalesce(substring(origin FOR 1) = '\\x01'::bytea, false), first_seen, last_seen FROM magpie.member
        WHERE bucket = $1 AND warehouse = $2 AND url_print = ANY ($3::int8[]) ORDER BY member"

    MEMBERS_OF_OBJECTS Bucket "SELECT member, object, url_print, record_print, current, features IS NOT NULL,
            coalesce(substring(origin FOR 1) = '\\x01'::bytea, false), first_seen, last_seen FROM magpie.member
        WHERE bucket = $1 AND object = ANY ($2::int8[]) ORDER BY member"

    MEMBERS_WITH Bucket "SELECT member, object, url_print, record_print, current, features IS NOT NULL,
            coalesce(substring(origin FOR 1) = '\\x01'::bytea, false), first_seen, last_seen FROM magpie.member
        WHERE bucket = $1 AND member IN (SELECT sighting.member FROM magpie.sighting
            WHERE bucket = $1 AND record = ANY ($2::int8[])) ORDER BY member"

    STANDING Bucket "SELECT member, object, features, coalesce(keys, ''), coalesce(origin, ''::bytea) FROM magpie.member
        WHERE bucket = $1 AND warehouse = $2 AND member > $3 AND features IS NOT NULL ORDER BY member LIMIT $4"

    RECORDS Everything "SELECT record.record, content, expires_at FROM unnest($1::int8[]) AS wanted (number)
        JOIN magpie.record ON record.bucket = (number & 1023)::int2 AND record.record = number"

    LINKS_OF Bucket "SELECT one, other, probability, scheme, reasons FROM magpie.member AS here
        JOIN magpie.member_link ON member_link.bucket = $1 AND one = here.member
        JOIN magpie.member AS there ON there.bucket = $1 AND there.member = other AND there.object = here.object
        WHERE here.bucket = $1 AND here.object = $2 ORDER BY one, other"

    HELD_LINKS Bucket "SELECT here.object, one, other, probability, here.current, there.current
        FROM magpie.member AS here
        JOIN magpie.member_link ON member_link.bucket = $1 AND one = here.member
        JOIN magpie.member AS there ON there.bucket = $1 AND there.member = other AND there.object = here.object
        WHERE here.bucket = $1 AND here.object = ANY ($2::int8[])
        ORDER BY here.object, probability DESC, one, other"

    DESCRIBED_LINKS Bucket "SELECT object, label, one, other, probability, scheme, reasons
        FROM unnest($2::int8[], $3::int8[], $4::int8[]) WITH ORDINALITY AS wanted (object, one, other, place)
        JOIN magpie.object USING (object) JOIN magpie.member_link USING (bucket, one, other)
        WHERE bucket = $1 ORDER BY place"

    URLS_OF_MEMBERS Everything "SELECT member, coalesce(page.address, url.address, '') FROM magpie.member
        JOIN magpie.record ON record.bucket = (last_record & 1023)::int2 AND record.record = last_record
        JOIN magpie.page ON page.bucket = record.bucket AND page.page = record.page
        LEFT JOIN magpie.url ON url.bucket = page.bucket AND url.url = page.url
        WHERE member.bucket = $1 AND member = ANY ($2::int8[])"

    APART Bucket "SELECT one, other FROM magpie.apart JOIN magpie.member USING (bucket)
        WHERE bucket = $1 AND member = one AND warehouse = $2 ORDER BY one, other"

    COUNT_OBJECTS Bucket "SELECT count(*) FROM magpie.object WHERE bucket = $1 AND warehouse = $2 AND merged_into IS NULL"

    LAST_OBJECT Bucket "SELECT coalesce(max(object), 0) FROM magpie.object WHERE bucket = $1"

    MERGED_INTO Bucket "SELECT object FROM magpie.object WHERE bucket = $1 AND merged_into = $2
        AND object <> $2 ORDER BY object"

    /// The members of an object, or the one that a record is a sighting of.
    MEMBERS Everything "SELECT member, object, coalesce(page.address, url.address, ''), page.page, content, first_seen,
            last_seen, current, sources FROM magpie.member
        JOIN magpie.record ON record.bucket = (last_record & 1023)::int2 AND record.record = last_record
        JOIN magpie.page ON page.bucket = record.bucket AND page.page = record.page
        LEFT JOIN magpie.url ON url.bucket = page.bucket AND url.url = page.url
        WHERE member.bucket = $1 AND member = ANY (ARRAY(
            SELECT here.member FROM magpie.member AS here WHERE here.bucket = $1 AND here.object = $2
            UNION ALL SELECT sighting.member FROM magpie.sighting WHERE bucket = $1 AND sighting.record = $3))
        ORDER BY member"

    SIGHTINGS Everything "SELECT record.record, page.page, fetched_at FROM magpie.sighting
        JOIN magpie.record ON record.bucket = (sighting.record & 1023)::int2 AND record.record = sighting.record
        JOIN magpie.page ON page.bucket = record.bucket AND page.page = record.page
        WHERE sighting.bucket = $1 AND member = $2 ORDER BY fetched_at, record.record"

    OBJECTS_AT Bucket "SELECT DISTINCT object FROM magpie.member JOIN magpie.warehouse USING (bucket, warehouse)
        WHERE bucket = $1 AND vertical = $2 AND url_print = $3 AND current ORDER BY object"

    OBJECTS_SINCE Bucket "SELECT count(*) FROM magpie.object JOIN magpie.warehouse USING (bucket, warehouse)
        WHERE bucket = $1 AND vertical = $2 AND merged_into IS NULL AND first_seen BETWEEN $3 AND $4"

    MEMBERS_OF_RUNS Everything "SELECT count(*) FROM magpie.member
        JOIN magpie.record ON record.bucket = (member.member & 1023)::int2 AND record.record = member.member
        JOIN magpie.page ON page.bucket = record.bucket AND page.page = record.page
        WHERE member.bucket = $1 AND page.run = ANY ($3::int8[]) AND warehouse = (
            SELECT warehouse FROM magpie.warehouse WHERE bucket = $1 AND vertical = $2)"
}
