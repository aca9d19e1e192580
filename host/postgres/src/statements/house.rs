//! Statements of bodies that are removed, and of files that are written again.

use crate::statement::{Route, Statement, statements};

statements! {
    /// Looks for a body that was last found before a time. Pages with the same body have it
    /// together.
    HAS_OLDER Everything "SELECT EXISTS (SELECT FROM magpie.page WHERE segment IS NOT NULL
        GROUP BY bucket, coalesce(same_as, page) HAVING max(fetched_at) < $1)"

    BODY_BYTES Everything "SELECT (coalesce(sum(page.length), 0) + coalesce(sum(rendering.length), 0))::float8
        FROM magpie.page LEFT JOIN magpie.rendering ON rendering.bucket = page.bucket AND rendering.page = page.page
        WHERE segment IS NOT NULL"

    /// Takes the bodies from their pages that were last found before a time, or that are beyond a
    /// number of bytes when those that were found last are counted first. Lists their files.
    PRUNE Everything "WITH body AS (
            SELECT page.bucket, coalesce(same_as, page.page) AS body, max(fetched_at) AS found_at,
                sum(page.length + coalesce(rendering.length, 0)) AS bytes
            FROM magpie.page LEFT JOIN magpie.rendering ON rendering.bucket = page.bucket AND rendering.page = page.page
            WHERE segment IS NOT NULL GROUP BY 1, 2),
        placed AS (
            SELECT bucket, body, found_at, sum(bytes) OVER (ORDER BY found_at DESC, body DESC, bucket) AS up_to FROM body),
        bare AS MATERIALIZED (
            SELECT page.bucket, page.page, page.segment FROM placed
            JOIN magpie.page ON page.bucket = placed.bucket AND coalesce(page.same_as, page.page) = placed.body
            WHERE page.segment IS NOT NULL AND (found_at < $1 OR up_to::float8 > $2)),
        listed AS (
            INSERT INTO magpie.rewrite SELECT DISTINCT name FROM bare
            JOIN magpie.segment ON segment.bucket = bare.bucket AND segment.segment = bare.segment ON CONFLICT DO NOTHING),
        shown AS (
            DELETE FROM magpie.rendering USING bare
            WHERE rendering.bucket = bare.bucket AND rendering.page = bare.page),
        pruned AS (
            UPDATE magpie.page SET segment = NULL, position = NULL, length = NULL, same_as = NULL, pruned_at = $3,
                pruned_by = $4
            FROM bare WHERE page.bucket = bare.bucket AND page.page = bare.page RETURNING 1)
        SELECT count(*) FROM pruned"

    REWRITES Whole "SELECT name FROM magpie.rewrite ORDER BY name"

    WASTE Everything "SELECT name FROM magpie.waste WHERE NOT EXISTS (
        SELECT FROM magpie.segment WHERE segment.name = waste.name) ORDER BY name"

    PUT_WASTE Whole "INSERT INTO magpie.waste VALUES ($1) ON CONFLICT DO NOTHING"

    DROP_WASTE Whole "DELETE FROM magpie.waste WHERE name = $1"

    DROP_REWRITE Whole "DELETE FROM magpie.rewrite WHERE name = $1"

    FILE_SEGMENTS Everything "SELECT bucket, segment, base, bytes FROM magpie.segment WHERE name = $1
        ORDER BY base, bucket, segment"

    /// The records that pages have in a file, with their places in it.
    FILE_RECORDS Everything "SELECT page.bucket, page.page, page.segment, base + page.position, true FROM magpie.segment
        JOIN magpie.page ON page.bucket = segment.bucket AND page.segment = segment.segment WHERE name = $1
        UNION ALL
        SELECT page.bucket, page.page, page.segment, base + rendering.position, false FROM magpie.segment
        JOIN magpie.page ON page.bucket = segment.bucket AND page.segment = segment.segment
        JOIN magpie.rendering ON rendering.bucket = page.bucket AND rendering.page = page.page WHERE name = $1"

    PLACE_PAGES Everything "UPDATE magpie.page SET position = new.place
        FROM unnest($1::int2[], $2::int8[], $3::int8[]) AS new (bucket, page, place)
        WHERE page.bucket = new.bucket AND page.page = new.page"

    PLACE_RENDERINGS Everything "UPDATE magpie.rendering SET position = new.place
        FROM unnest($1::int2[], $2::int8[], $3::int8[]) AS new (bucket, page, place)
        WHERE rendering.bucket = new.bucket AND rendering.page = new.page"

    PLACE_SEGMENTS Everything "UPDATE magpie.segment SET name = $1, base = new.base, bytes = new.bytes
        FROM unnest($2::int2[], $3::int8[], $4::int8[], $5::int8[]) AS new (bucket, segment, base, bytes)
        WHERE segment.bucket = new.bucket AND segment.segment = new.segment"

    DROP_SEGMENTS Everything "DELETE FROM magpie.segment WHERE name = $1"

    URLS_AFTER Everything "SELECT bucket, url, site, address FROM magpie.url WHERE (bucket, url) > ($1::int2, $2::int8)
        ORDER BY bucket, url LIMIT $3"

    REFUSED_AFTER Everything "SELECT bucket, url, site, address FROM magpie.url
        WHERE (bucket, url) > ($1::int2, $2::int8) AND state = 'refused' AND reason = 'forgotten'
        ORDER BY bucket, url LIMIT $3"

    OTHERS_AFTER Everything "SELECT bucket, page, 0::int8, address FROM magpie.page
        WHERE url IS NULL AND address IS NOT NULL AND (bucket, page) > ($1::int2, $2::int8)
        ORDER BY bucket, page LIMIT $3"

    PAGES_OF Everything "SELECT page.page FROM unnest($1::int8[]) AS doomed (url)
        JOIN magpie.page ON page.bucket = (doomed.url & 1023)::int2 AND page.url = doomed.url"

    /// Pages that have the bodies of others.
    HEIRS Everything "SELECT page.page FROM unnest($1::int8[]) AS doomed (page)
        JOIN magpie.page ON page.bucket = (doomed.page & 1023)::int2 AND same_as = doomed.page
        ORDER BY page.bucket, page.page"

    SITE_KEYS Everything "SELECT key FROM magpie.site WHERE site = ANY ($1::int8[]) ORDER BY key"

    RECORDS_OF Everything "SELECT record FROM unnest($1::int8[]) AS doomed (page)
        JOIN magpie.record ON record.bucket = (doomed.page & 1023)::int2 AND record.page = doomed.page"

    BYTES_OF Everything "SELECT (coalesce(sum(page.length), 0) + coalesce(sum(rendering.length), 0))::int8
        FROM unnest($1::int8[]) AS doomed (page)
        JOIN magpie.page ON page.bucket = (doomed.page & 1023)::int2 AND page.page = doomed.page
        LEFT JOIN magpie.rendering ON rendering.bucket = page.bucket AND rendering.page = page.page"

    MEMBERS_OF Bucket "SELECT member, object, warehouse FROM magpie.member WHERE bucket = $1
        AND (member = ANY ($2::int8[]) OR last_record = ANY ($2)
            OR member IN (SELECT member FROM magpie.sighting WHERE bucket = $1 AND record = ANY ($2)))"

    /// Counts what objects have left without some members. A page about an object comes first.
    LEFT_OF Bucket "SELECT object, count(*), count(*) FILTER (WHERE current), min(first_seen), max(last_seen),
            (array_agg(last_record ORDER BY current DESC, coalesce(substr(origin, 1, 1) = '\\x01'::bytea, false) DESC,
                member))[1]
        FROM magpie.member WHERE bucket = $1 AND object = ANY ($2::int8[]) AND NOT member = ANY ($3::int8[])
        GROUP BY object"

    LAST_SEQ Bucket "SELECT coalesce(max(seq), 0) FROM magpie.change WHERE bucket = $1"

    LIST_FILES Everything "INSERT INTO magpie.rewrite SELECT DISTINCT name FROM unnest($1::int8[]) AS doomed (page)
        JOIN magpie.page ON page.bucket = (doomed.page & 1023)::int2 AND page.page = doomed.page
        JOIN magpie.segment ON segment.bucket = page.bucket AND segment.segment = page.segment ON CONFLICT DO NOTHING"

    /// Numbers below 0 are never given to the segments of a lease.
    OWN_SEGMENTS Everything "INSERT INTO magpie.segment (bucket, segment, name, base, run, bytes, started_at)
        SELECT new.bucket, (SELECT least(min(segment), 0) - 1 FROM magpie.segment WHERE segment.bucket = new.bucket), $1,
            new.base, NULL, new.bytes, new.at
        FROM unnest($2::int2[], $3::int8[], $4::int8[], $5::int8[]) AS new (bucket, base, bytes, at)"

    OWN_BODIES Everything "UPDATE magpie.page SET segment = own.segment, position = new.place, length = new.length,
            same_as = NULL
        FROM unnest($2::int8[], $3::int8[], $4::int8[]) AS new (page, place, length)
        JOIN magpie.segment AS own ON own.bucket = (new.page & 1023)::int2 AND own.name = $1
        WHERE page.bucket = own.bucket AND page.page = new.page"

    /// Has pages clustered again that have equal records of members that go.
    CLUSTER_AGAIN Everything "INSERT INTO magpie.reread
        SELECT record.bucket, member.warehouse, record.page FROM magpie.sighting
        JOIN magpie.member ON member.bucket = sighting.bucket AND member.member = sighting.member
        JOIN magpie.record ON record.bucket = (sighting.record & 1023)::int2 AND record.record = sighting.record
        WHERE sighting.bucket = -1 AND sighting.member = ANY ($1::int8[]) AND NOT sighting.record = ANY ($2::int8[])
        ON CONFLICT DO NOTHING"

    FORGET_MEMBERS Bucket "WITH links AS (
            DELETE FROM magpie.member_link WHERE bucket = $1 AND (one = ANY ($2::int8[]) OR other = ANY ($2))),
        pairs AS (DELETE FROM magpie.apart WHERE bucket = $1 AND (one = ANY ($2) OR other = ANY ($2))),
        seen AS (DELETE FROM magpie.sighting WHERE bucket = $1 AND (member = ANY ($2) OR record = ANY ($3::int8[])))
        DELETE FROM magpie.member WHERE bucket = $1 AND member = ANY ($2)"

    FORGET_PAGES Everything "WITH doomed AS MATERIALIZED (
            SELECT (page & 1023)::int2 AS bucket, page FROM unnest($1::int8[]) AS named (page)),
        records AS (DELETE FROM magpie.record USING doomed WHERE record.bucket = doomed.bucket
            AND record.page = doomed.page),
        violations AS (DELETE FROM magpie.violation USING doomed WHERE violation.bucket = doomed.bucket
            AND violation.page = doomed.page),
        judgements AS (DELETE FROM magpie.judgement USING doomed WHERE judgement.bucket = doomed.bucket
            AND judgement.page = doomed.page),
        extractions AS (DELETE FROM magpie.extraction USING doomed WHERE extraction.bucket = doomed.bucket
            AND extraction.page = doomed.page),
        links AS (DELETE FROM magpie.page_links USING doomed WHERE page_links.bucket = doomed.bucket
            AND page_links.page = doomed.page),
        shown AS (DELETE FROM magpie.rendering USING doomed WHERE rendering.bucket = doomed.bucket
            AND rendering.page = doomed.page),
        again AS (DELETE FROM magpie.reread USING doomed WHERE reread.bucket = doomed.bucket
            AND reread.page = doomed.page)
        DELETE FROM magpie.page USING doomed WHERE page.bucket = doomed.bucket AND page.page = doomed.page"

    /// The body of the other page could not be read, so it could not become theirs.
    BEREAVE Everything "UPDATE magpie.page SET segment = NULL, position = NULL, length = NULL, same_as = NULL,
            problem = 'archive-lost'
        FROM unnest($1::int8[]) AS doomed (page)
        WHERE page.bucket = (doomed.page & 1023)::int2 AND same_as = doomed.page"

    /// The next page of a site gets the number after its last one.
    CLUSTERED_UPTO Everything "UPDATE magpie.clustered SET page = least(clustered.page, coalesce((
            SELECT max(page.page >> 10 & 2147483647) FROM magpie.page
            WHERE page.bucket = (new.site & 1023)::int2 AND page.page BETWEEN new.first AND new.last), 0))
        FROM unnest($1::int8[], $2::int8[], $3::int8[]) AS new (site, first, last)
        WHERE bucket = -1 AND clustered.site = new.site"

    FORGET_URLS Everything "WITH doomed AS (
            UPDATE magpie.url SET state = 'refused', reason = 'forgotten', detail = $2, due_at = NULL, form = 0
            FROM unnest($1::int8[]) AS named (url)
            WHERE url.bucket = (named.url & 1023)::int2 AND url.url = named.url
            RETURNING bucket, site, fingerprint)
        DELETE FROM magpie.hint USING doomed
        WHERE hint.bucket = doomed.bucket AND hint.site = doomed.site AND hint.fingerprint = doomed.fingerprint"

    RECALL_URLS Everything "UPDATE magpie.url SET state = 'queued', reason = NULL, detail = NULL
        FROM unnest($1::int8[]) AS named (url) WHERE url.bucket = (named.url & 1023)::int2 AND url.url = named.url"

    DROP_TALLY Everything "DELETE FROM magpie.tally USING unnest($1::int8[]) AS touched (site)
        WHERE tally.bucket = (touched.site & 1023)::int2 AND tally.site = touched.site"

    COUNT_TALLY Everything "INSERT INTO magpie.tally
        SELECT url.bucket, url.site, state, CASE state WHEN 'queued' THEN '' ELSE coalesce(reason, '') END, count(*)
        FROM unnest($1::int8[]) AS touched (site)
        JOIN magpie.url ON url.bucket = (touched.site & 1023)::int2 AND url.site = touched.site GROUP BY 1, 2, 3, 4"

    COUNT_QUEUED Everything "UPDATE magpie.site SET queued = (SELECT count(*) FROM magpie.url
            WHERE url.bucket = site.bucket AND url.site = site.site AND state = 'queued')
        FROM unnest($1::int8[]) AS touched (site)
        WHERE site.bucket = (touched.site & 1023)::int2 AND site.site = touched.site"

    FORGET_SITES Everything "WITH a AS (DELETE FROM magpie.learned_site WHERE site = ANY ($1::int8[])),
        b AS (DELETE FROM magpie.pattern WHERE site = ANY ($1)), c AS (DELETE FROM magpie.round WHERE site = ANY ($1)),
        d AS (DELETE FROM magpie.query_template WHERE site = ANY ($1)),
        e AS (DELETE FROM magpie.submission WHERE site = ANY ($1)),
        f AS (DELETE FROM magpie.selected_query WHERE site = ANY ($1)),
        g AS (DELETE FROM magpie.argument WHERE site = ANY ($1)), h AS (DELETE FROM magpie.coverage WHERE site = ANY ($1)),
        i AS (DELETE FROM magpie.form WHERE site = ANY ($1)), j AS (DELETE FROM magpie.feed WHERE site = ANY ($1)),
        k AS (DELETE FROM magpie.url_rule WHERE site = ANY ($1)), l AS (DELETE FROM magpie.cookie WHERE site = ANY ($1))
        DELETE FROM magpie.hint WHERE site = ANY ($1)"

    ADDRESSES_BESIDE Everything "SELECT url FROM magpie.submission UNION SELECT page_url FROM magpie.form
        UNION SELECT url FROM magpie.feed UNION SELECT url FROM magpie.picture UNION SELECT origin FROM magpie.host"

    FORGET_ADDRESSES Everything "WITH a AS (DELETE FROM magpie.submission WHERE url = ANY ($1::text[])),
        b AS (DELETE FROM magpie.form WHERE page_url = ANY ($1)), c AS (DELETE FROM magpie.feed WHERE url = ANY ($1)),
        d AS (DELETE FROM magpie.picture WHERE url = ANY ($1) OR url = ANY ($2::text[]))
        DELETE FROM magpie.host WHERE origin = ANY ($1)"

    RENEW_OBJECTS Bucket "UPDATE magpie.object SET label = new.label, object_type = new.object_type, record = new.record,
            origins = '{}', members = new.members, current = new.current, first_seen = new.first_seen,
            last_seen = new.last_seen, expires_at = new.expires_at, stale = true
        FROM unnest($2::int8[], $3::text[], $4::text[], $5::text[], $6::int8[], $7::int8[], $8::int8[], $9::int8[],
            $10::int8[]) AS new (object, label, object_type, record, members, current, first_seen, last_seen, expires_at)
        WHERE bucket = $1 AND object.object = new.object"

    /// It counts as retired, and is part of itself.
    BLANK_OBJECTS Bucket "UPDATE magpie.object SET label = '', object_type = '', record = '{}', origins = '{}', members = 0,
            current = 0, expires_at = NULL, stale = false, merged_into = object, state = ''
        WHERE bucket = $1 AND object = ANY ($2::int8[])"

    BLANK_PARTS Bucket "WITH parts AS (
            UPDATE magpie.object SET label = '', object_type = '', record = '{}', origins = '{}', expires_at = NULL,
                state = ''
            WHERE bucket = $1 AND merged_into = ANY ($2::int8[]) AND object <> merged_into RETURNING object)
        DELETE FROM magpie.change USING parts WHERE bucket = $1 AND change.object = parts.object"

    DROP_CHANGES Bucket "DELETE FROM magpie.change WHERE bucket = $1 AND object = ANY ($2::int8[]) AND seq <= $3"

    DROP_LATER_CHANGES Bucket "DELETE FROM magpie.change WHERE bucket = $1 AND object = ANY ($2::int8[]) AND seq <= $3
        AND seq > (SELECT min(first.seq) FROM magpie.change AS first WHERE first.bucket = $1
            AND first.object = change.object)"

    BLANK_FIRST_CHANGES Bucket "UPDATE magpie.change SET kind = 'new', label = '', object_type = '', expires_at = NULL,
            attributes = '{}', into_object = NULL
        WHERE bucket = $1 AND object = ANY ($2::int8[]) AND seq <= $3"

    DROP_UNUSED_WORDS Bucket "DELETE FROM magpie.word WHERE bucket = $1 AND text = ANY ($2::text[]) AND NOT EXISTS (
        SELECT FROM magpie.object_text WHERE object_text.bucket = $1 AND strpos(object_text.text, ' ' || word.text || ' ') > 0)"

    DROP_UNUSED_VALUES Bucket "DELETE FROM magpie.facet_value USING unnest($2::int8[], $3::int8[]) AS old (value, term)
        WHERE facet_value.bucket = $1 AND facet_value = old.value AND NOT EXISTS (
            SELECT FROM magpie.object_term WHERE object_term.bucket = $1 AND object_term.term = old.term)"
}
