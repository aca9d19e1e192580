//! Statements that read the log of changes.

use crate::statement::{Route, Statement, statements};

statements! {
    CHANGES Bucket "SELECT seq, change.object, vertical, change.label, change.object_type, kind, at, run, attributes,
            change.expires_at, into_object
        FROM magpie.change JOIN magpie.object ON object.bucket = $1 AND object.object = change.object
        JOIN magpie.warehouse ON warehouse.bucket = $1 AND warehouse.warehouse = object.warehouse
        WHERE change.bucket = $1 AND seq > $2 AND ($3::text IS NULL OR vertical = $3)
            AND (cardinality($4::text[]) = 0 OR kind = ANY ($4::text[]))
        ORDER BY seq LIMIT $5"

    OBJECT_CHANGES Bucket "SELECT seq, change.object, vertical, change.label, change.object_type, kind, at, run, attributes,
            change.expires_at, into_object
        FROM magpie.change JOIN magpie.object ON object.bucket = $1 AND object.object = change.object
        JOIN magpie.warehouse ON warehouse.bucket = $1 AND warehouse.warehouse = object.warehouse
        WHERE change.bucket = $1 AND change.object = $2 ORDER BY seq"

    LAST_CHANGE Bucket "SELECT coalesce(max(seq), 0) FROM magpie.change WHERE bucket = $1"

    BEFORE_TIME Bucket "SELECT coalesce((SELECT min(seq) - 1 FROM magpie.change WHERE bucket = $1 AND at >= $2),
        (SELECT max(seq) FROM magpie.change WHERE bucket = $1), 0)"
}
