//! Statements of webhooks and of the log of alerts.

use crate::statement::{Route, Statement, statements};

statements! {
    WEBHOOKS Whole "SELECT name, change, alert, pending_changes, pending_alerts, failures, failing_since, retry_at,
            parked_at, last_error, delivered_at, events FROM magpie.webhook ORDER BY name COLLATE \"C\""

    PUT_WEBHOOK Whole "INSERT INTO magpie.webhook VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
        ON CONFLICT (name) DO UPDATE SET change = excluded.change, alert = excluded.alert,
            pending_changes = excluded.pending_changes, pending_alerts = excluded.pending_alerts,
            failures = excluded.failures, failing_since = excluded.failing_since, retry_at = excluded.retry_at,
            parked_at = excluded.parked_at, last_error = excluded.last_error, delivered_at = excluded.delivered_at,
            events = excluded.events"

    ALERTS_AFTER Whole "SELECT number, at, vertical, kind, subject, facts, is_over FROM magpie.alert
        WHERE number > $1 ORDER BY number LIMIT $2"

    LAST_ALERT Whole "SELECT coalesce(max(number), 0) FROM magpie.alert"

    /// The conditions whose newest row does not end them.
    LASTING_ALERTS Whole "SELECT number, at, vertical, kind, subject, facts, is_over FROM (
            SELECT DISTINCT ON (vertical, kind, md5(subject)) * FROM magpie.alert
            ORDER BY vertical, kind, md5(subject), number DESC) AS newest
        WHERE NOT is_over ORDER BY number"

    /// Fails if another process took one of the numbers.
    PUT_ALERTS Whole "INSERT INTO magpie.alert SELECT * FROM unnest($1::int8[], $2::int8[], $3::text[], $4::text[],
        $5::text[], $6::text[], $7::bool[])"
}
