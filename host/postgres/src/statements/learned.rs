//! Statements of what was learned: stages, sites with their patterns, selections and rounds.

use crate::statement::{Route, Statement, statements};

statements! {
    STAGES Bucket "SELECT vertical, name, ended_at, sentence, kept FROM magpie.stage
        WHERE bucket = $1 AND vertical = $2 ORDER BY ended_at, name COLLATE \"C\""

    FORGET_STAGES Bucket "DELETE FROM magpie.stage WHERE bucket = $1 AND vertical = $2 AND name = ANY ($3::text[])"

    PUT_STAGE Bucket "INSERT INTO magpie.stage SELECT $1, $2, $3, $4::int8, $5, $6
        ON CONFLICT (bucket, vertical, name) DO UPDATE SET ended_at = excluded.ended_at, sentence = excluded.sentence,
            kept = excluded.kept"

    LEARNED_VERTICALS Everything "SELECT vertical COLLATE \"C\" FROM magpie.learned_site
        UNION SELECT vertical FROM magpie.stage ORDER BY 1"

    LEARNED_SITES Everything "SELECT site, key, entry, learned_at, pages, yielding, objects, hubs
        FROM magpie.learned_site JOIN magpie.site USING (bucket, site)
        WHERE vertical = $1 ORDER BY objects DESC, key COLLATE \"C\""

    PUT_LEARNED_SITE Bucket "INSERT INTO magpie.learned_site SELECT $1, $3, $2, $4, $5::int8, $6::int8, $7::int8, $8::int8,
            $9::int8
        ON CONFLICT (bucket, vertical, site) DO UPDATE SET entry = excluded.entry, learned_at = excluded.learned_at,
            pages = excluded.pages, yielding = excluded.yielding, objects = excluded.objects, hubs = excluded.hubs"

    FORGET_LEARNED_SITE Bucket "DELETE FROM magpie.learned_site WHERE bucket = $1 AND site = $2 AND vertical = $3"

    FORGET_QUERIES Bucket "DELETE FROM magpie.selected_query WHERE bucket = $1 AND site = $2 AND vertical = $3"

    PUT_HUBS Bucket "UPDATE magpie.learned_site SET hubs = $4 WHERE bucket = $1 AND site = $2 AND vertical = $3"

    PATTERNS Bucket "SELECT number, pattern, wanted, chosen, pages, yielding, objects, hubs, learned_at, fetches, failures,
            yields, alarm, monitor FROM magpie.pattern
        WHERE bucket = $1 AND site = $2 AND vertical = $3
        ORDER BY wanted DESC, chosen DESC, objects DESC, pages DESC, pattern COLLATE \"C\""

    /// Forgets the patterns of a site other than some.
    FORGET_PATTERNS Bucket "DELETE FROM magpie.pattern
        WHERE bucket = $1 AND site = $2 AND vertical = $3 AND pattern <> ALL ($4::text[])"

    /// New patterns get the numbers after the last one in the range of the site.
    PUT_PATTERNS Bucket "INSERT INTO magpie.pattern (bucket, number, site, vertical, pattern, wanted, chosen, pages,
            yielding, objects, hubs, learned_at)
        SELECT $1, last + (row_number() OVER (ORDER BY pattern) << 10), $2, $3, made.*
        FROM unnest($6::text[], $7::bool[], $8::bool[], $9::int8[], $10::int8[], $11::int8[], $12::int8[], $13::int8[])
            AS made (pattern, wanted, chosen, pages, yielding, objects, hubs, learned_at)
        CROSS JOIN (SELECT coalesce(max(number), $4) AS last FROM magpie.pattern
            WHERE bucket = $1 AND number BETWEEN $4 AND $5) AS numbers
        ON CONFLICT (bucket, vertical, site, md5(pattern)) DO UPDATE SET
            wanted = excluded.wanted, chosen = excluded.chosen, pages = excluded.pages, yielding = excluded.yielding,
            objects = excluded.objects, hubs = excluded.hubs, learned_at = excluded.learned_at, alarm = NULL,
            monitor = NULL"

    PUT_WATCHED Bucket "UPDATE magpie.pattern SET fetches = new.fetches, failures = new.failures, yields = new.yields,
            alarm = new.alarm, monitor = new.monitor
        FROM unnest($2::int8[], $3::int8[], $4::int8[], $5::int8[], $6::text[], $7::text[])
            AS new (number, fetches, failures, yields, alarm, monitor)
        WHERE bucket = $1 AND pattern.number = new.number"

    SELECTION Bucket "SELECT made_at, strategy, goal, patterns, cost, lower_bound, gap, covered, coverable, covered_min,
            covered_max, curve FROM magpie.selection WHERE bucket = $1 AND vertical = $2"

    FORGET_SELECTION Bucket "DELETE FROM magpie.selection WHERE bucket = $1 AND vertical = $2"

    PUT_SELECTION Bucket "INSERT INTO magpie.selection SELECT $1, $2, $3::int8, $4, $5, $6::int8, $7::float8, $8::float8,
            $9::float8, $10::float8, $11::float8, $12::float8, $13::float8, $14"

    CHOOSE_NONE Everything "UPDATE magpie.pattern SET chosen = false WHERE vertical = $1 AND chosen"

    CHOOSE Bucket "UPDATE magpie.pattern SET hubs = new.hubs, chosen = new.chosen
        FROM unnest($2::text[], $3::int8[], $4::text[], $5::int8[], $6::bool[])
            AS new (vertical, site, pattern, hubs, chosen)
        WHERE bucket = $1 AND pattern.vertical = new.vertical AND pattern.site = new.site
            AND md5(pattern.pattern) = md5(new.pattern)"

    FORGET_ALL_QUERIES Everything "DELETE FROM magpie.selected_query WHERE vertical = $1"

    PUT_QUERIES Bucket "INSERT INTO magpie.selected_query SELECT $1, * FROM unnest($2::text[], $3::int8[], $4::text[],
            $5::text[], $6::int8[])"

    ROUNDS Everything "SELECT run, started_at, site, method, pages, unchanged, hubs, failures, bytes, objects, new_objects,
            current_objects, state FROM magpie.round JOIN magpie.run USING (run)
        WHERE vertical = $1 AND ($2::int8 IS NULL OR run = $2) ORDER BY run, site"

    ROUNDS_OF_SITE Bucket "SELECT run, started_at, site, method, pages, unchanged, hubs, failures, bytes, objects,
            new_objects, current_objects, state FROM magpie.round JOIN magpie.run USING (run)
        WHERE bucket = $1 AND site = $2 AND vertical = $3 ORDER BY run"

    PUT_ROUND Bucket "INSERT INTO magpie.round SELECT $1, $3, $2, $4::int8, $5, $6::int8, $7::int8, $8::int8, $9::int8,
            $10::int8, $11::int8, $12::int8, $13::int8, $14
        ON CONFLICT (bucket, vertical, site, run) DO UPDATE SET method = excluded.method, pages = excluded.pages,
            unchanged = excluded.unchanged, hubs = excluded.hubs, failures = excluded.failures, bytes = excluded.bytes,
            objects = excluded.objects, new_objects = excluded.new_objects, current_objects = excluded.current_objects,
            state = excluded.state"
}
