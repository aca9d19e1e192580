//! Statements of pictures. The bucket of a picture is that of the print of its URL.

use crate::statement::{Route, Statement, statements};

statements! {
    KEPT_PICTURES Owned "SELECT fingerprint, url, width, height FROM magpie.picture
        WHERE bucket = ANY ($1::int2[]) AND fingerprint = ANY ($2::int8[]) AND problem IS NULL"

    PICTURE Bucket "SELECT jpeg FROM magpie.picture WHERE bucket = $1 AND fingerprint = $2 AND problem IS NULL"

    ASKED_PICTURES Everything "SELECT fingerprint FROM magpie.picture"

    PICTURE_COUNTS Everything "SELECT host, problem, count(*), sum(requests)::int8, sum(bytes)::int8 FROM magpie.picture
        WHERE asked_at >= $1 GROUP BY host, problem ORDER BY host COLLATE \"C\", problem COLLATE \"C\" NULLS FIRST"

    PUT_PICTURE Bucket "INSERT INTO magpie.picture SELECT $1, $2::int8, $3, $4, $5::int8, $6::int8, $7::int8, $8,
            $9::int8, $10::int8, $11::bytea
        ON CONFLICT (bucket, fingerprint) DO UPDATE SET url = excluded.url, host = excluded.host,
            asked_at = excluded.asked_at, requests = excluded.requests, bytes = excluded.bytes,
            problem = excluded.problem, width = excluded.width, height = excluded.height, jpeg = excluded.jpeg"

    DELETE_PICTURES Owned "DELETE FROM magpie.picture
        WHERE bucket = ANY ($1::int2[]) AND fingerprint = ANY ($2::int8[])"
}
