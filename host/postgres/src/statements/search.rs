//! Statements of the index of objects.

use crate::statement::{Route, Statement, objects_with_words, statements};

statements! {
    /// The vertical with a name or a number, and its attributes by number.
    INDEXED_VERTICAL Bucket "SELECT warehouse, schema, attribute_names FROM magpie.warehouse
        WHERE bucket = $1 AND (vertical = $2 OR warehouse = $3)"

    COUNT_TERM Bucket "SELECT count(*), min(object), max(object) FROM (SELECT object FROM magpie.object_term
        WHERE bucket = $1 AND term = $2 ORDER BY object DESC LIMIT $3) AS newest"

    TERM_BEFORE Bucket "SELECT object FROM magpie.object_term WHERE bucket = $1 AND term = $2 AND object < $3
        ORDER BY object DESC LIMIT $4"

    WITH_TERM Bucket "SELECT object FROM magpie.object_term
        WHERE bucket = $1 AND term = $2 AND object = ANY ($3::int8[]) ORDER BY object"

    COUNT_WORDS Bucket "SELECT count(*), min(object), max(object) FROM (" (objects_with_words) "ORDER BY object DESC LIMIT $6) AS newest"

    WORDS_BEFORE Bucket (objects_with_words) "AND object < $6 ORDER BY object DESC LIMIT $7"

    WITH_WORDS Bucket (objects_with_words) "AND object = ANY ($6::int8[]) ORDER BY object"

    /// Numbers in an interval, and ranges that begin before it.
    WITHIN Bucket "SELECT object FROM magpie.object_number WHERE bucket = $1 AND attribute = $2 AND low BETWEEN $3 AND $4
        UNION ALL SELECT object FROM magpie.object_number
            WHERE bucket = $1 AND attribute = $2 AND high > low AND high >= $3 AND low < $3 AND low <= $4
        LIMIT $5"

    NUMBERS_UP Bucket "SELECT low, object FROM magpie.object_number
        WHERE bucket = $1 AND attribute = $2 AND (low, object) > ($3, $4) ORDER BY low, object LIMIT $5"

    NUMBERS_DOWN Bucket "SELECT low, object FROM magpie.object_number
        WHERE bucket = $1 AND attribute = $2 AND (low, object) < ($3, $4) ORDER BY low DESC, object DESC LIMIT $5"

    OBJECTS_BEFORE Bucket "SELECT object FROM magpie.object
        WHERE bucket = $1 AND warehouse = $4 AND merged_into IS NULL AND object < $2 ORDER BY object DESC LIMIT $3"

    CANDIDATES_BEFORE Bucket "SELECT object, current, first_seen, last_seen, changed_at, expires_at, members, packed
        FROM magpie.object JOIN magpie.object_values USING (bucket, object)
        WHERE bucket = $1 AND warehouse = $4 AND merged_into IS NULL AND object < $2 ORDER BY object DESC LIMIT $3"

    CANDIDATES_OF Bucket "SELECT object, current, first_seen, last_seen, changed_at, expires_at, members, packed
        FROM unnest($2::int8[]) WITH ORDINALITY AS asked (object, place)
        JOIN magpie.object USING (object) JOIN magpie.object_values USING (bucket, object)
        WHERE bucket = $1 AND warehouse = $3 AND merged_into IS NULL ORDER BY place"

    LABELS Bucket "SELECT coalesce(label, '') FROM unnest($2::int8[]) WITH ORDINALITY AS asked (number, place)
        LEFT JOIN magpie.object ON bucket = $1 AND object = number ORDER BY place"

    RECORDS_OF_OBJECTS Bucket "SELECT coalesce(record, '') FROM unnest($2::int8[]) WITH ORDINALITY AS asked (number, place)
        LEFT JOIN magpie.object ON bucket = $1 AND object = number ORDER BY place"

    ROWS Bucket "SELECT object, vertical, label, record, origins, members, current, first_seen, last_seen, expires_at, state,
            changed_at
        FROM unnest($2::int8[]) WITH ORDINALITY AS asked (object, place)
        JOIN magpie.object USING (object) JOIN magpie.warehouse USING (bucket, warehouse) WHERE bucket = $1 ORDER BY place"

    FACET_VALUES Bucket "SELECT coalesce(value, '') FROM unnest($2::int8[]) WITH ORDINALITY AS asked (number, place)
        LEFT JOIN magpie.facet_value ON bucket = $1 AND facet_value = number ORDER BY place"

    HAS_WORD Bucket "SELECT EXISTS (SELECT FROM magpie.object_text WHERE bucket = $1 AND words @@ $2::text::tsquery)"

    WORDS_WITH Bucket "SELECT word FROM magpie.word WHERE bucket = $1 AND parts @> ARRAY[$2::text] ORDER BY word LIMIT $3"

    WORDS Bucket "SELECT text FROM unnest($2::int8[]) WITH ORDINALITY AS asked (word, place)
        JOIN magpie.word USING (word) WHERE bucket = $1 ORDER BY place"

    COUNTS_OF_TERMS Bucket "SELECT term, count(*) FROM magpie.object_term
        WHERE bucket = $1 AND term = ANY ($2::int8[]) GROUP BY term"

    /// An object as it is, also one that retired.
    OBJECT_DETAIL Bucket "SELECT object, vertical, label, record, origins, members, current, first_seen, last_seen, expires_at,
            state, changed_at, merged_into, (SELECT count(*) FROM magpie.change WHERE bucket = $1 AND change.object = $2), schema
        FROM magpie.object JOIN magpie.warehouse USING (bucket, warehouse) WHERE bucket = $1 AND object = $2"

    /// The pages on which the members of objects were found first.
    URLS_OF_OBJECTS Everything "SELECT member, member.object, coalesce(page.address, url.address, '') FROM magpie.member
        JOIN magpie.record ON record.bucket = (member & 1023)::int2 AND record.record = member
        JOIN magpie.page ON page.bucket = record.bucket AND page.page = record.page
        LEFT JOIN magpie.url ON url.bucket = page.bucket AND url.url = page.url
        WHERE member.bucket = $1 AND member.object = ANY ($2::int8[])"

    INDEXED Bucket "SELECT object, text, terms, packed FROM magpie.object_values
        WHERE bucket = $1 AND object = ANY ($2::int8[])"

    NAME_ATTRIBUTES Bucket "UPDATE magpie.warehouse SET attribute_names = $3 WHERE bucket = $1 AND warehouse = $2"

    DROP_TERMS Bucket "DELETE FROM magpie.object_term USING unnest($2::int8[], $3::int8[]) AS old (term, object)
        WHERE bucket = $1 AND object_term.term = old.term AND object_term.object = old.object"

    PUT_TERMS Bucket "INSERT INTO magpie.object_term SELECT $1, * FROM unnest($2::int8[], $3::int8[]) ON CONFLICT DO NOTHING"

    DROP_NUMBERS Bucket "DELETE FROM magpie.object_number
        USING unnest($2::int8[], $3::float8[], $4::int8[], $5::float8[], $6::text[])
            AS old (attribute, low, object, high, currency)
        WHERE bucket = $1 AND object_number.attribute = old.attribute AND object_number.low = old.low
            AND object_number.object = old.object AND object_number.high = old.high
            AND object_number.currency = old.currency"

    PUT_NUMBERS Bucket "INSERT INTO magpie.object_number SELECT $1, * FROM unnest($2::int8[], $3::float8[], $4::int8[],
            $5::float8[], $6::text[]) ON CONFLICT DO NOTHING"

    DROP_TEXTS Bucket "DELETE FROM magpie.object_text WHERE bucket = $1 AND object = ANY ($2::int8[])"

    PUT_TEXTS Bucket "INSERT INTO magpie.object_text SELECT $1, object, array_to_tsvector(string_to_array(words, ' ')), text
        FROM unnest($2::int8[], $3::text[], $4::text[]) AS new (object, words, text)
        ON CONFLICT (bucket, object) DO UPDATE SET words = excluded.words, text = excluded.text"

    DROP_VALUES Bucket "DELETE FROM magpie.object_values WHERE bucket = $1 AND object = ANY ($2::int8[])"

    PUT_VALUES Bucket "INSERT INTO magpie.object_values SELECT $1, * FROM unnest($2::int8[], $3::int8[], $4::bytea[],
            $5::bytea[])
        ON CONFLICT (bucket, object) DO UPDATE SET text = excluded.text, terms = excluded.terms, packed = excluded.packed"

    PUT_FACET_VALUES Bucket "INSERT INTO magpie.facet_value SELECT $1, * FROM unnest($2::int8[], $3::text[])
        ON CONFLICT DO NOTHING"

    PUT_WORDS Bucket "INSERT INTO magpie.word SELECT $1, word, text, string_to_array(parts, ' ')
        FROM unnest($2::int8[], $3::text[], $4::text[]) AS new (word, text, parts) ON CONFLICT DO NOTHING"
}
