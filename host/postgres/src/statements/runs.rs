//! Statements of runs, and of what they fetched.

use crate::statement::{Route, Statement, statements};

statements! {
    RUNS Whole "SELECT run, kind, program, settings, started_at, resumed_at, ended_at, outcome FROM magpie.run ORDER BY run"

    /// Two processes at once take the same number, and one of them has to try again.
    NEW_RUN Whole "INSERT INTO magpie.run (run, token, kind, program, settings, started_at)
        SELECT coalesce(max(run), 0) + 1, $1::text::uuid, $2, $3, $4, $5::int8 FROM magpie.run
        ON CONFLICT DO NOTHING"

    RUN_OF_TOKEN Whole "SELECT run FROM magpie.run WHERE token = $1::text::uuid"

    RUN Whole "SELECT kind, started_at, ended_at FROM magpie.run WHERE run = $1"

    RESUME_RUN Whole "UPDATE magpie.run SET resumed_at = $2
        WHERE run = (SELECT max(run) FROM magpie.run WHERE kind = $1) AND ended_at IS NULL RETURNING run"

    /// Ends a run that is not ended, and logs it with the number of the next alert.
    END_RUN Whole "WITH ended AS (
            UPDATE magpie.run SET ended_at = $2, outcome = $3 WHERE run = $1 AND ended_at IS NULL RETURNING run)
        INSERT INTO magpie.alert SELECT (SELECT coalesce(max(number), 0) + 1 FROM magpie.alert), $2, '', $4, $5, $6, true
        FROM ended"

    FETCHED_IN_RUNS Everything "SELECT count(DISTINCT url), coalesce(sum(bytes), 0)::int8 FROM magpie.page
        WHERE url IS NOT NULL AND run = ANY ($1::int8[])"

    RECORDS_OF_RUNS Everything "SELECT coalesce(sum(records), 0)::int8 FROM magpie.extraction
        JOIN magpie.component USING (component) JOIN magpie.page USING (bucket, page)
        WHERE run = ANY ($1::int8[]) AND vertical = $2"

    SPENT Everything "SELECT fetched_at, bytes,
            CASE WHEN url IS NOT NULL THEN (page >> 41) << 10 | bucket::int8 END
        FROM magpie.page WHERE run = ANY (ARRAY(SELECT run FROM magpie.run WHERE kind = $1)) AND fetched_at >= $2
        ORDER BY fetched_at DESC, page DESC"
}
