//! The state of webhooks, as commands and pages show it.

use magpie_engine::settings::{Topic, Webhook};
use magpie_model::json::Time;
use magpie_model::words;
use magpie_rows::WebhookRow;
use magpie_values::Timestamp;
use magpie_web::masked;
use schemars::JsonSchema;
use serde::Serialize;

words! {
    /// The state of a webhook.
    pub enum WebhookState as "state of a webhook" {
        /// No watch has run since it was set.
        New = "new",
        /// It is notified of events as they come.
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

/// A webhook of the settings, without its secret.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Webhook")]
pub struct WebhookLine {
    /// Name of the webhook.
    webhook: String,
    /// URL that it posts to.
    url: String,
    /// Events that it is notified of.
    on: Vec<Topic>,
    /// Query that objects have to match.
    r#where: String,
    /// State of the webhook.
    state: WebhookState,
    /// Number of delivered events.
    events: u64,
    /// Number of failures since the last delivery.
    failures: u32,
    /// Time of the last delivery.
    delivered_at: Option<Time>,
    /// Time of the next attempt.
    retry_at: Option<Time>,
    /// Time when it was parked.
    parked_at: Option<Time>,
    /// Last problem, in words.
    last_error: Option<String>,
}

impl WebhookLine {
    pub fn new(webhook: &Webhook, row: Option<&WebhookRow>) -> WebhookLine {
        let time = |of: fn(&WebhookRow) -> Option<Timestamp>| row.and_then(of).map(Time::from);
        WebhookLine {
            webhook: webhook.name.clone(),
            url: masked(webhook.url.as_str()),
            on: webhook.on.clone(),
            r#where: webhook.condition.clone(),
            state: WebhookState::of(row),
            events: row.map_or(0, |row| row.events),
            failures: row.map_or(0, |row| row.failures),
            delivered_at: time(|row| row.delivered_at),
            retry_at: time(|row| row.retry_at),
            parked_at: time(|row| row.parked_at),
            last_error: row.and_then(|row| row.last_error.clone()),
        }
    }
}
