//! Webhooks and alerts in memory.

use std::collections::BTreeMap;

use magpie_values::Timestamp;

use super::MemoryStore;
use crate::{Alert, AlertPosition, AlertRow, StoreError, WebhookRow, WebhookStore, Webhooks};

#[derive(Default)]
pub(super) struct WebhookRows {
    webhooks: BTreeMap<String, WebhookRow>,
    alerts: Vec<AlertRow>,
}

impl WebhookRows {
    /// Adds a row to the log of alerts.
    pub(super) fn log(&mut self, vertical: &str, alert: Alert, is_over: bool, at: Timestamp) {
        self.alerts.push(AlertRow {
            position: AlertPosition(self.alerts.len() as i64 + 1),
            at,
            vertical: vertical.to_owned(),
            alert,
            is_over,
        });
    }

    fn lasting(&self) -> Vec<AlertRow> {
        let mut newest: BTreeMap<(&str, &str, &str), &AlertRow> = BTreeMap::new();
        for row in &self.alerts {
            let key = (
                row.vertical.as_str(),
                row.alert.kind.as_str(),
                row.alert.subject.as_str(),
            );
            newest.insert(key, row);
        }
        let mut lasting: Vec<AlertRow> = newest.into_values().filter(|row| !row.is_over).cloned().collect();
        lasting.sort_by_key(|row| row.position);
        lasting
    }
}

impl Webhooks for MemoryStore {
    fn webhooks(&self) -> Result<Vec<WebhookRow>, StoreError> {
        Ok(self.kept().hooks.webhooks.values().cloned().collect())
    }

    fn alerts_after(&self, position: AlertPosition, limit: usize) -> Result<Vec<AlertRow>, StoreError> {
        let kept = self.kept();
        let after = kept.hooks.alerts.iter().filter(|row| row.position > position);
        Ok(after.take(limit).cloned().collect())
    }

    fn last_alert(&self) -> Result<AlertPosition, StoreError> {
        Ok(AlertPosition(self.kept().hooks.alerts.len() as i64))
    }

    fn lasting_alerts(&self) -> Result<Vec<AlertRow>, StoreError> {
        Ok(self.kept().hooks.lasting())
    }
}

impl WebhookStore for MemoryStore {
    fn put_webhook(&self, webhook: WebhookRow) -> Result<(), StoreError> {
        self.kept().hooks.webhooks.insert(webhook.name.clone(), webhook);
        Ok(())
    }

    fn log_alerts(&self, vertical: &str, present: Vec<Alert>, now: Timestamp) -> Result<(), StoreError> {
        let mut kept = self.kept();
        let mut lasting = kept.hooks.lasting();
        lasting.retain(|row| row.vertical == vertical);
        let is_same = |one: &Alert, other: &Alert| one.kind == other.kind && one.subject == other.subject;
        let ended = lasting.iter().map(|row| &row.alert);
        let ended = ended.filter(|alert| !present.iter().any(|other| is_same(alert, other)));
        let begun = present.iter().enumerate().filter(|(number, alert)| {
            let mut known = lasting.iter().map(|row| &row.alert).chain(&present[..*number]);
            !known.any(|other| is_same(alert, other))
        });
        let ended: Vec<(Alert, bool)> = ended.map(|alert| (alert.clone(), true)).collect();
        let begun: Vec<(Alert, bool)> = begun.map(|(_, alert)| (alert.clone(), false)).collect();
        for (alert, is_over) in ended.into_iter().chain(begun) {
            kept.hooks.log(vertical, alert, is_over, now);
        }
        Ok(())
    }
}
