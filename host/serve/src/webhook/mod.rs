//! Webhooks: events are sent to the URLs in the settings, signed as Standard Webhooks requires.
//!
//! The position of a webhook in the logs of changes and alerts is kept by the process that writes
//! the workspace. It moves after a message was taken, so a crash repeats a message and skips none;
//! the repeated message has the same ID. A webhook gets its messages in order: one that is not
//! taken is tried again for a day, and then the webhook is parked until the operator resumes it.

mod message;
mod page;
mod sign;
mod view;

use std::sync::Arc;
use std::time::Duration;

use magpie_engine::settings::{Resolved, Settings, Webhook};
use magpie_engine::{ClientError, Clock, client_settings};
use magpie_rows::{ChangeFilter, Position, Store, StoreError, WebhookRow};
use magpie_values::Timestamp;
use magpie_web::{BadSettings, Client, Request};
use tokio::sync::watch;
use tokio::task::JoinSet;

use message::{Events, Message, Wanted};
pub(crate) use page::routes;
use sign::Secret;
pub use view::{WebhookLine, WebhookState};

use crate::api::VerticalSchema;

/// Waits after failed attempts. Together with the last, which repeats, they fill [`MAX_FAILING`].
const WAITS: [Duration; 6] = [
    Duration::from_secs(5),
    Duration::from_secs(5 * 60),
    Duration::from_secs(30 * 60),
    Duration::from_secs(2 * 3_600),
    Duration::from_secs(5 * 3_600),
    Duration::from_secs(8 * 3_600),
];

/// A webhook that fails for longer is parked.
const MAX_FAILING: Duration = Duration::from_secs(24 * 3_600);

const MAX_ATTEMPT: Duration = Duration::from_secs(15);

/// Time between two looks for events.
const INTERVAL: Duration = Duration::from_secs(1);

/// The part of an answer that is read. Only its status counts.
const MAX_ANSWER: usize = 4_096;

/// The status of an endpoint that wants no messages any more.
const GONE: u16 = 410;

/// Reason why a webhook can't be used.
#[derive(Debug, thiserror::Error)]
pub enum BadWebhook {
    /// The workspace can't be read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The settings of the network can't be used.
    #[error(transparent)]
    Client(#[from] ClientError),
    #[error(transparent)]
    Settings(#[from] BadSettings),
    #[error("webhook `{name}`: `secret` is not {}", Secret::FORM)]
    Secret { name: String },
    #[error("webhook `{name}`: `where`: {why}")]
    Query {
        name: String,
        /// The reason.
        why: String,
    },
}

pub struct Deliverer {
    hooks: Vec<Hook>,
}

/// A webhook with everything needed to deliver to it.
struct Hook {
    webhook: Webhook,
    secret: Secret,
    wanted: Wanted,
    store: Arc<dyn Store>,
    client: Client,
    clock: Clock,
    workspace: String,
}

/// The outcome of a look for events.
enum Step {
    /// A message was taken, or events were passed over.
    Moved,
    /// There is nothing to send.
    Idle,
    /// The message is tried again at a time.
    Waiting(Timestamp),
    /// The webhook waits for the operator.
    Parked,
}

impl Deliverer {
    /// Checks the webhooks of a workspace, and begins the positions of new ones.
    pub fn new(
        resolved: &Resolved,
        vertical: &str,
        store: &Arc<dyn Store>,
        clock: &Clock,
    ) -> Result<Deliverer, BadWebhook> {
        let mut hooks = Vec::new();
        if resolved.webhooks().is_empty() {
            return Ok(Deliverer { hooks });
        }
        let client = client(&resolved.settings)?;
        let workspace = store.workspace_id()?;
        let known = store.webhooks()?;
        let attributes = store.warehouse_vertical(vertical)?.map(|row| row.matching.schema);
        let schema = VerticalSchema {
            name: vertical.to_owned(),
            attributes: attributes
                .and_then(|schema| serde_json::from_str(&schema).ok())
                .unwrap_or_default(),
        };
        for webhook in resolved.webhooks() {
            let name = webhook.name.clone();
            let secret = Secret::parse(&webhook.secret).ok_or(BadWebhook::Secret { name })?;
            let mut filter = ChangeFilter {
                vertical: Some(vertical.to_owned()),
                ..ChangeFilter::default()
            };
            if !webhook.condition.is_empty() {
                let query = schema.query(&webhook.condition, clock.now());
                filter.query = Some(query.map_err(|error| BadWebhook::Query {
                    name: webhook.name.clone(),
                    why: error.to_string(),
                })?);
            }
            if !known.iter().any(|row| row.name == webhook.name) {
                store.put_webhook(WebhookRow::new(&webhook.name, first_position(&**store, webhook)?))?;
            }
            hooks.push(Hook {
                wanted: Wanted::new(webhook, filter),
                webhook: webhook.clone(),
                secret,
                store: Arc::clone(store),
                client: client.clone(),
                clock: clock.clone(),
                workspace: workspace.clone(),
            });
        }
        Ok(Deliverer { hooks })
    }

    /// Delivers events as they come, until `stop` is true. A message that is being sent then is
    /// sent again by the next process.
    pub async fn run(self, mut stop: watch::Receiver<bool>) {
        let mut tasks = JoinSet::new();
        for hook in self.hooks {
            tasks.spawn(hook.follow());
        }
        let _ = stop.wait_for(|stop| *stop).await;
    }

    /// Delivers the events that there are, each webhook up to its first failure.
    pub async fn run_once(self) -> Result<(), BadWebhook> {
        for hook in &self.hooks {
            while let Step::Moved = hook.step().await? {}
        }
        Ok(())
    }
}

/// Returns a client that sends nothing that is meant for sites, and nothing to private addresses
/// unless the settings allow them.
fn client(settings: &Settings) -> Result<Client, BadWebhook> {
    let mut settings = client_settings(settings)?;
    settings.headers = Vec::new();
    settings.credentials = Vec::new();
    settings.cookies = None;
    settings.timeouts.whole = settings.timeouts.whole.min(MAX_ATTEMPT);
    Ok(Client::new(settings)?)
}

/// Returns the position of a new webhook: the beginning, or the present.
fn first_position(store: &dyn Store, webhook: &Webhook) -> Result<Position, StoreError> {
    Ok(match webhook.replay {
        true => Position {
            change: store.changes_since(Timestamp::MIN)?,
            alert: magpie_rows::AlertPosition::default(),
        },
        false => Position {
            change: store.last_change()?,
            alert: store.last_alert()?,
        },
    })
}

impl Hook {
    async fn follow(self) {
        loop {
            let wait = match self.step().await {
                Ok(Step::Moved) => Duration::ZERO,
                Ok(Step::Waiting(until)) => until.since(self.clock.now()).clamp(INTERVAL, 60 * INTERVAL),
                // A workspace that can't be written now may be written later.
                Ok(Step::Idle | Step::Parked) | Err(_) => INTERVAL,
            };
            tokio::time::sleep(wait).await;
        }
    }

    /// Sends the next message, if there is one and its time has come.
    async fn step(&self) -> Result<Step, BadWebhook> {
        let Some(mut row) = self.row()? else {
            return Ok(Step::Idle);
        };
        if row.parked_at.is_some() {
            return Ok(Step::Parked);
        }
        if let Some(retry_at) = row.retry_at.filter(|at| *at > self.clock.now()) {
            return Ok(Step::Waiting(retry_at));
        }
        let message = match self.wanted.next(&*self.store, &row, &self.workspace)? {
            Events::Message(message) => message,
            Events::Nothing(end, has_more) => {
                // A message that has no event left was about objects that no longer match.
                if end != row.delivered || row.pending.is_some() {
                    row.delivered = end;
                    row.pending = None;
                    self.store.put_webhook(row)?;
                }
                return Ok(if has_more { Step::Moved } else { Step::Idle });
            }
        };
        if row.pending != Some(message.counts) {
            row.pending = Some(message.counts);
            self.store.put_webhook(row.clone())?;
        }
        let sent = self.send(&message).await;
        let now = self.clock.now();
        let step = match sent {
            Ok(()) => {
                let events = u64::from(message.counts.0) + u64::from(message.counts.1);
                row = WebhookRow {
                    delivered_at: Some(now),
                    events: row.events + events,
                    ..WebhookRow::new(&row.name, message.end)
                };
                Step::Moved
            }
            Err(failure) => failed(&mut row, failure, now),
        };
        self.store.put_webhook(row)?;
        Ok(step)
    }

    fn row(&self) -> Result<Option<WebhookRow>, StoreError> {
        let rows = self.store.webhooks()?;
        Ok(rows.into_iter().find(|row| row.name == self.webhook.name))
    }

    /// Sends a message. It is taken if the answer is a success; redirects are not followed.
    async fn send(&self, message: &Message) -> Result<(), Failed> {
        let timestamp = self.clock.now().as_seconds();
        let signature = self.secret.sign(&message.id, timestamp, &message.body);
        let mut request = Request::new(self.webhook.url.clone());
        request.form = Some(message.body.clone());
        request.body_bytes = Some(MAX_ANSWER);
        request.headers = [
            ("content-type", "application/json".to_owned()),
            ("webhook-id", message.id.clone()),
            ("webhook-timestamp", timestamp.to_string()),
            ("webhook-signature", signature),
        ]
        .map(|(name, value)| (name.to_owned(), value))
        .into();
        match self.client.fetch(&request).await {
            Ok(exchange) if (200..300).contains(&exchange.status) => Ok(()),
            Ok(exchange) => Err(Failed {
                reason: format!("the server answered {}", exchange.status),
                is_final: exchange.status == GONE,
            }),
            Err(error) => Err(Failed {
                reason: error.to_string(),
                is_final: false,
            }),
        }
    }
}

struct Failed {
    reason: String,
    /// The endpoint is not to be tried again.
    is_final: bool,
}

/// Notes a failed attempt: the message is tried again later, or given up.
fn failed(row: &mut WebhookRow, failure: Failed, now: Timestamp) -> Step {
    let since = *row.failing_since.get_or_insert(now);
    let wait = WAITS[(row.failures as usize).min(WAITS.len() - 1)];
    row.failures = row.failures.saturating_add(1);
    row.last_error = Some(failure.reason);
    if failure.is_final || now.since(since) >= MAX_FAILING {
        row.parked_at = Some(now);
        row.retry_at = None;
        return Step::Parked;
    }
    // The last attempt is at the end of the time, not after it.
    let retry_at = (now + wait).min(since + MAX_FAILING);
    row.retry_at = Some(retry_at);
    Step::Waiting(retry_at)
}

/// Returns the state of a webhook that was parked, so that it is tried again at once.
pub fn resumed(row: &WebhookRow) -> WebhookRow {
    WebhookRow {
        failures: 0,
        failing_since: None,
        retry_at: None,
        parked_at: None,
        ..row.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row() -> WebhookRow {
        let position = Position {
            change: magpie_rows::Cursor::new(b'c', &[0; 16]),
            alert: magpie_rows::AlertPosition::default(),
        };
        WebhookRow::new("hook", position)
    }

    fn failure(is_final: bool) -> Failed {
        let reason = "the server answered 500".to_owned();
        Failed { reason, is_final }
    }

    #[test]
    fn a_message_is_tried_for_a_day_and_then_the_webhook_is_parked() {
        let mut row = row();
        let begin = Timestamp::from_seconds(1_800_000_000);
        let (mut now, mut attempts) = (begin, 0);
        loop {
            attempts += 1;
            match failed(&mut row, failure(false), now) {
                Step::Waiting(until) => {
                    assert!(until > now && until <= begin + MAX_FAILING);
                    now = until;
                }
                Step::Parked => break,
                Step::Moved | Step::Idle => panic!("it failed"),
            }
        }
        assert_eq!(now, begin + MAX_FAILING);
        // At once, after the six waits, after the last wait again, and at the end of the day.
        assert_eq!((row.failures, attempts), (9, 9));
        assert_eq!(row.parked_at, Some(now));
        let resumed = resumed(&row);
        assert_eq!((resumed.parked_at, resumed.failures), (None, 0));
        assert_eq!(resumed.delivered, row.delivered);
    }

    #[test]
    fn an_endpoint_that_is_gone_is_not_tried_again() {
        let mut row = row();
        let step = failed(&mut row, failure(true), Timestamp::from_seconds(1));
        assert!(matches!(step, Step::Parked));
    }
}
