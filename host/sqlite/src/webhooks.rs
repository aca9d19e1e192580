//! Webhooks and alerts in the database.

use magpie_rows::{
    Alert, AlertPosition, AlertRow, Cursor, Position, StoreError, WebhookRow, WebhookStore, Webhooks,
    alert_changes,
};
use magpie_values::Timestamp;
use rusqlite::{Connection, Row, params};

use crate::column::{millis, optional_millis, word};
use crate::opened::{Looks, Opened};
use crate::workspace::Workspace;
use crate::writer::rows::log_alert;

/// Selects the conditions whose newest row does not end them.
const LASTING: &str = "SELECT seq, at, vertical, kind, subject, facts, is_over FROM alert
     WHERE seq IN (SELECT max(seq) FROM alert GROUP BY vertical, kind, subject) AND is_over = 0 ORDER BY seq";

impl<A: Looks> Webhooks for Opened<A> {
    fn webhooks(&self) -> Result<Vec<WebhookRow>, StoreError> {
        self.look(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT name, change, alert, pending_changes, pending_alerts, failures, failing_since, retry_at,
                        parked_at, last_error, delivered_at, events
                 FROM webhook ORDER BY name",
            )?;
            let rows = statement.query_map([], webhook_row)?;
            rows.collect()
        })
    }

    fn alerts_after(&self, position: AlertPosition, limit: usize) -> Result<Vec<AlertRow>, StoreError> {
        self.look(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT seq, at, vertical, kind, subject, facts, is_over FROM alert WHERE seq > ?1 ORDER BY seq LIMIT ?2",
            )?;
            let rows = statement.query_map((position.0, limit as i64), alert_row)?;
            rows.collect()
        })
    }

    fn last_alert(&self) -> Result<AlertPosition, StoreError> {
        self.look(|connection| {
            let last = connection.query_row("SELECT coalesce(max(seq), 0) FROM alert", [], |row| row.get(0));
            last.map(AlertPosition)
        })
    }

    fn lasting_alerts(&self) -> Result<Vec<AlertRow>, StoreError> {
        self.look(lasting)
    }
}

impl WebhookStore for Workspace {
    fn put_webhook(&self, webhook: WebhookRow) -> Result<(), StoreError> {
        self.write(move |connection| {
            let mut statement = connection.prepare_cached(
                "INSERT OR REPLACE INTO webhook VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)",
            )?;
            statement.execute(params![
                webhook.name,
                webhook.delivered.change.to_string(),
                webhook.delivered.alert.0,
                webhook.pending.map(|(changes, _)| changes),
                webhook.pending.map(|(_, alerts)| alerts),
                webhook.failures,
                webhook.failing_since.map(Timestamp::as_millis),
                webhook.retry_at.map(Timestamp::as_millis),
                webhook.parked_at.map(Timestamp::as_millis),
                webhook.last_error,
                webhook.delivered_at.map(Timestamp::as_millis),
                webhook.events.cast_signed(),
            ])?;
            Ok(())
        })
    }

    fn log_alerts(&self, vertical: &str, present: Vec<Alert>, now: Timestamp) -> Result<(), StoreError> {
        let vertical = vertical.to_owned();
        self.write(move |connection| {
            let mut lasting = lasting(connection)?;
            lasting.retain(|row| row.vertical == vertical);
            for (alert, is_over) in alert_changes(&lasting, &present) {
                log_alert(connection, &vertical, alert, is_over, now)?;
            }
            Ok(())
        })
    }
}

fn lasting(connection: &Connection) -> rusqlite::Result<Vec<AlertRow>> {
    let mut statement = connection.prepare_cached(LASTING)?;
    let rows = statement.query_map([], alert_row)?;
    rows.collect()
}

fn alert_row(row: &Row<'_>) -> rusqlite::Result<AlertRow> {
    let facts: String = row.get(5)?;
    Ok(AlertRow {
        position: AlertPosition(row.get(0)?),
        at: millis(row, 1)?,
        vertical: row.get(2)?,
        alert: Alert {
            kind: word(row, 3)?,
            subject: row.get(4)?,
            facts: serde_json::from_str(&facts).unwrap_or_default(),
        },
        is_over: row.get(6)?,
    })
}

fn webhook_row(row: &Row<'_>) -> rusqlite::Result<WebhookRow> {
    let pending: (Option<u32>, Option<u32>) = (row.get(3)?, row.get(4)?);
    Ok(WebhookRow {
        name: row.get(0)?,
        delivered: Position {
            change: cursor(1, &row.get::<_, String>(1)?)?,
            alert: AlertPosition(row.get(2)?),
        },
        pending: pending.0.zip(pending.1),
        failures: row.get(5)?,
        failing_since: optional_millis(row, 6)?,
        retry_at: optional_millis(row, 7)?,
        parked_at: optional_millis(row, 8)?,
        last_error: row.get(9)?,
        delivered_at: optional_millis(row, 10)?,
        events: row.get::<_, i64>(11)?.cast_unsigned(),
    })
}

fn cursor(column: usize, text: &str) -> rusqlite::Result<Cursor> {
    text.parse().map_err(|_| {
        let what = "it is no position in the log of changes".into();
        rusqlite::Error::FromSqlConversionFailure(column, rusqlite::types::Type::Text, what)
    })
}
