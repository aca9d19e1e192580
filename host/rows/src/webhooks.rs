//! Positions of webhooks in the logs of changes and alerts, and the log of alerts.

use magpie_values::Timestamp;
use serde_json::{Value, json};

use crate::cursor::Cursor;
use crate::error::StoreError;
use crate::words::{AlertKind, RunOutcome};

/// Reads the state of webhooks and the log of alerts.
pub trait Webhooks {
    /// Returns the state of all webhooks, by name.
    fn webhooks(&self) -> Result<Vec<WebhookRow>, StoreError>;

    /// Returns the alerts after a position, in the order they were logged.
    fn alerts_after(&self, position: AlertPosition, limit: usize) -> Result<Vec<AlertRow>, StoreError>;

    /// Returns the position after the last alert.
    fn last_alert(&self) -> Result<AlertPosition, StoreError>;

    fn lasting_alerts(&self) -> Result<Vec<AlertRow>, StoreError>;
}

/// Writes the state of webhooks and the log of alerts.
pub trait WebhookStore: Webhooks {
    fn put_webhook(&self, webhook: WebhookRow) -> Result<(), StoreError>;

    /// Logs which conditions of a vertical began and which ended: `present` are all that last now.
    fn log_alerts(&self, vertical: &str, present: Vec<Alert>, now: Timestamp) -> Result<(), StoreError>;
}

/// A position in the log of alerts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct AlertPosition(pub i64);

/// Positions in both logs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Position {
    /// The position in the log of changes.
    pub change: Cursor,
    /// The position in the log of alerts.
    pub alert: AlertPosition,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WebhookRow {
    pub name: String,
    /// The position behind the last delivered message.
    pub delivered: Position,
    /// The numbers of changes and of alerts in the message that is being sent, so that it is the
    /// same each time.
    pub pending: Option<(u32, u32)>,
    /// The failed attempts of this message.
    pub failures: u32,
    /// The first failed attempt of this message.
    pub failing_since: Option<Timestamp>,
    /// The time before which it is not sent again.
    pub retry_at: Option<Timestamp>,
    /// When it was given up. It waits for the operator then.
    pub parked_at: Option<Timestamp>,
    /// The reason of the last failed attempt.
    pub last_error: Option<String>,
    pub delivered_at: Option<Timestamp>,
    /// The number of events that were delivered.
    pub events: u64,
}

impl WebhookRow {
    /// Returns the state of a webhook that gets everything after a position.
    pub fn new(name: &str, position: Position) -> WebhookRow {
        WebhookRow {
            name: name.to_owned(),
            delivered: position,
            pending: None,
            failures: 0,
            failing_since: None,
            retry_at: None,
            parked_at: None,
            last_error: None,
            delivered_at: None,
            events: 0,
        }
    }
}

/// A condition that the operator should know of.
#[derive(Clone, Debug, PartialEq)]
pub struct Alert {
    pub kind: AlertKind,
    /// Its subject, such as a site; empty if it is about all.
    pub subject: String,
    /// Facts about it when it began, as a JSON object.
    pub facts: Value,
}

impl Alert {
    /// Returns the alert that a run ended.
    pub fn run_ended(
        run: i64,
        kind: &str,
        outcome: RunOutcome,
        [started_at, ended_at]: [Timestamp; 2],
    ) -> Alert {
        Alert {
            kind: AlertKind::RunEnded,
            subject: run.to_string(),
            facts: json!({
                "run": run, "kind": kind, "outcome": outcome.as_str(), "started_at": started_at.to_string(),
                "ended_at": ended_at.to_string(),
            }),
        }
    }
}

/// A condition that began or ended, or the end of a run, which is over when it is logged.
#[derive(Clone, Debug, PartialEq)]
pub struct AlertRow {
    /// The position after it.
    pub position: AlertPosition,
    /// When it began or ended.
    pub at: Timestamp,
    /// The vertical whose collection it is about.
    pub vertical: String,
    pub alert: Alert,
    /// True if it ended. Of the end of a run it always is.
    pub is_over: bool,
}

/// Returns what is to be logged when `present` are all conditions that last now: the ends of those
/// that lasted, marked with `true`, and the beginnings of new ones. Each is logged once, however
/// often it is in `present`.
pub fn alert_changes<'a>(lasting: &'a [AlertRow], present: &'a [Alert]) -> Vec<(&'a Alert, bool)> {
    let is_same = |one: &Alert, other: &Alert| one.kind == other.kind && one.subject == other.subject;
    let over = lasting.iter().map(|row| &row.alert);
    let over = over.filter(|was| !present.iter().any(|alert| is_same(alert, was)));
    let begun = present.iter().enumerate().filter(|(number, alert)| {
        !lasting.iter().any(|row| is_same(&row.alert, alert))
            && !present[..*number].iter().any(|before| is_same(before, alert))
    });
    over.map(|alert| (alert, true))
        .chain(begun.map(|(_, alert)| (alert, false)))
        .collect()
}
