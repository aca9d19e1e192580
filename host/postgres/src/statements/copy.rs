//! Statements of copies of workspaces.

use super::{Route, Statement};
use crate::statement::statements;

statements! {
    SITES_WITH_MAIL Everything "SELECT DISTINCT bucket, site FROM magpie.inbox ORDER BY bucket, site"

    IS_EMPTY Everything "SELECT NOT EXISTS (SELECT FROM magpie.site) AND NOT EXISTS (SELECT FROM magpie.run)"

    COPIED_FILES Everything "SELECT name, max(base + bytes)::int8 FROM magpie.segment GROUP BY name ORDER BY name"

    DROP_TALLIES Everything "DELETE FROM magpie.tally"

    COUNT_URLS Everything "INSERT INTO magpie.tally
        SELECT bucket, site, state, CASE state WHEN 'queued' THEN '' ELSE coalesce(reason, '') END, count(*)
        FROM magpie.url GROUP BY 1, 2, 3, 4"

    DROP_META Whole "DELETE FROM magpie.meta WHERE key = $1"
}
