//! Webhooks and the log of alerts.
//!
//! Alerts are numbered without gaps: of two processes that log at once, one waits for the other,
//! fails, and begins again with what is logged then. So no reader sees a number before a lower one.

use magpie_rows::{
    Alert, AlertPosition, AlertRow, Position, StoreError, WebhookRow, WebhookStore, Webhooks, alert_changes,
};
use magpie_values::Timestamp;
use tokio_postgres::error::SqlState;

use crate::failure::{Failure, server_error};
use crate::server::call;
use crate::statements::webhooks::{
    ALERTS_AFTER, LAST_ALERT, LASTING_ALERTS, PUT_ALERTS, PUT_WEBHOOK, WEBHOOKS,
};
use crate::store::Store;
use crate::value::{Cells, columns};

impl Webhooks for Store {
    fn webhooks(&self) -> Result<Vec<WebhookRow>, StoreError> {
        self.query(call(&WEBHOOKS, []), webhook)
    }

    fn alerts_after(&self, position: AlertPosition, limit: usize) -> Result<Vec<AlertRow>, StoreError> {
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        self.query(call(&ALERTS_AFTER, [position.0.into(), limit.into()]), alert)
    }

    fn last_alert(&self) -> Result<AlertPosition, StoreError> {
        let last = self.query(call(&LAST_ALERT, []), |cells| cells.get())?;
        Ok(AlertPosition(last.first().copied().unwrap_or_default()))
    }

    fn lasting_alerts(&self) -> Result<Vec<AlertRow>, StoreError> {
        self.query(call(&LASTING_ALERTS, []), alert)
    }
}

impl WebhookStore for Store {
    fn put_webhook(&self, webhook: WebhookRow) -> Result<(), StoreError> {
        let pending = webhook.pending;
        let values = [
            (&webhook.name).into(),
            webhook.delivered.change.to_string().into(),
            webhook.delivered.alert.0.into(),
            pending.map(|(changes, _)| i64::from(changes)).into(),
            pending.map(|(_, alerts)| i64::from(alerts)).into(),
            webhook.failures.into(),
            webhook.failing_since.into(),
            webhook.retry_at.into(),
            webhook.parked_at.into(),
            (&webhook.last_error).into(),
            webhook.delivered_at.into(),
            webhook.events.into(),
        ];
        Ok(self.server.patiently(&call(&PUT_WEBHOOK, values)).map(drop)?)
    }

    fn log_alerts(&self, vertical: &str, present: Vec<Alert>, now: Timestamp) -> Result<(), StoreError> {
        loop {
            // The last number first: whatever is logged after it makes the insertion fail.
            let last = self.last_alert()?.0;
            let mut lasting = self.lasting_alerts()?;
            lasting.retain(|row| row.vertical == vertical);
            let changes = alert_changes(&lasting, &present);
            if changes.is_empty() {
                return Ok(());
            }
            let rows = (last + 1..).zip(changes).map(|(number, (alert, is_over))| {
                [
                    number.into(),
                    now.into(),
                    vertical.into(),
                    alert.kind.as_str().into(),
                    (&alert.subject).into(),
                    alert.facts.to_string().into(),
                    is_over.into(),
                ]
            });
            match self.server.patiently(&call(&PUT_ALERTS, columns(rows.collect()))) {
                Err(failure) if failure.is(PUT_ALERTS.name, &SqlState::UNIQUE_VIOLATION) => {}
                outcome => return Ok(outcome.map(drop)?),
            }
        }
    }
}

fn alert(cells: &mut Cells<'_>) -> Result<AlertRow, Failure> {
    Ok(AlertRow {
        position: AlertPosition(cells.get()?),
        at: cells.time()?,
        vertical: cells.get()?,
        alert: Alert {
            kind: cells.word()?,
            subject: cells.get()?,
            facts: serde_json::from_str(cells.get()?).unwrap_or_default(),
        },
        is_over: cells.get()?,
    })
}

fn webhook(cells: &mut Cells<'_>) -> Result<WebhookRow, Failure> {
    Ok(WebhookRow {
        name: cells.get()?,
        delivered: Position {
            change: cells.get::<&str>()?.parse().map_err(|error| {
                Failure::Other(server_error(format!(
                    "the position of a webhook can't be read: {error}"
                )))
            })?,
            alert: AlertPosition(cells.get()?),
        },
        pending: {
            let (changes, alerts) = (cells.optional_small()?, cells.optional_small()?);
            changes.zip(alerts)
        },
        failures: cells.small()?,
        failing_since: cells.optional_time()?,
        retry_at: cells.optional_time()?,
        parked_at: cells.optional_time()?,
        last_error: cells.get()?,
        delivered_at: cells.optional_time()?,
        events: cells.unsigned()?,
    })
}
