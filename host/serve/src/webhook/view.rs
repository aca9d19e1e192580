//! The state of webhooks, as commands and pages show it.

use magpie_engine::settings::{Topic, Webhook};
use magpie_model::words;
use magpie_rows::WebhookRow;
use magpie_values::Timestamp;
use magpie_web::masked;
use serde_json::{Value, json};

words! {
    /// The state of a webhook.
    pub enum WebhookState as "state of a webhook" {
        /// No watch has run since it was set.
        New = "new",
        /// It is told of events as they come.
        Following = "following",
        /// The last attempt failed, and another one follows.
        Retrying = "retrying",
        /// It was given up and waits for the operator.
        Parked = "parked",
    }
}

impl WebhookState {
    /// Returns the state that a row has.
    pub fn of(row: Option<&WebhookRow>) -> WebhookState {
        match row {
            None => WebhookState::New,
            Some(row) if row.parked_at.is_some() => WebhookState::Parked,
            Some(row) if row.failures > 0 => WebhookState::Retrying,
            Some(_) => WebhookState::Following,
        }
    }
}

/// Returns a webhook and its state as JSON, without its secret.
pub fn webhook_json(webhook: &Webhook, row: Option<&WebhookRow>) -> Value {
    let time = |of: fn(&WebhookRow) -> Option<Timestamp>| row.and_then(of).map(|at| at.to_string());
    json!({
        "webhook": webhook.name, "url": masked(webhook.url.as_str()),
        "on": webhook.on.iter().map(|topic: &Topic| topic.as_str()).collect::<Vec<_>>(),
        "where": webhook.condition, "state": WebhookState::of(row).as_str(),
        "events": row.map_or(0, |row| row.events), "failures": row.map_or(0, |row| row.failures),
        "delivered_at": time(|row| row.delivered_at), "retry_at": time(|row| row.retry_at),
        "parked_at": time(|row| row.parked_at), "last_error": row.and_then(|row| row.last_error.clone()),
    })
}
