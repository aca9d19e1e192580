//! Messages to webhooks.

use magpie_engine::settings::{Topic, Webhook};
use magpie_report::views::change::ChangeView;
use magpie_rows::{AlertRow, Change, ChangeFilter, ChangeKind, ChangePage, Position, Store, WebhookRow};
use serde_json::{Value, json};

use super::BadWebhook;

/// The longest message. One with fewer events is sent if it would be longer.
const MAX_MESSAGE: usize = 1 << 20;

/// Bytes of a hash in the ID of a message.
const ID_BYTES: usize = 16;

/// Alerts that are looked at for one message.
const MAX_ALERTS: usize = 1_000;

/// The events that a webhook wants.
pub(super) struct Wanted {
    changes: Option<ChangeFilter>,
    topics: Vec<Topic>,
    batch: usize,
}

pub(super) struct Message {
    /// The ID, which is the same whenever it is sent.
    pub(super) id: String,
    pub(super) body: String,
    /// The numbers of its changes and alerts.
    pub(super) counts: (u32, u32),
    /// The positions after its events.
    pub(super) end: Position,
}

/// Events after a position.
pub(super) enum Events {
    Message(Message),
    /// None, up to a position. True if there may be more behind it.
    Nothing(Position, bool),
}

impl Wanted {
    /// Reads what a webhook wants. `filter` has its query.
    pub(super) fn new(webhook: &Webhook, filter: ChangeFilter) -> Wanted {
        let topics = webhook.on.clone();
        let kinds: Vec<ChangeKind> = ChangeKind::ALL
            .into_iter()
            .filter(|kind| topics.contains(&topic_of(*kind)))
            .collect();
        let changes = ChangeFilter { kinds, ..filter };
        Wanted {
            changes: Some(changes).filter(|changes| !changes.kinds.is_empty()),
            topics,
            batch: webhook.batch,
        }
    }

    /// Reads the next events of a webhook: those of the message that is being sent, or as many as
    /// fit into a message.
    pub(super) fn next(
        &self,
        store: &dyn Store,
        row: &WebhookRow,
        workspace: &str,
    ) -> Result<Events, BadWebhook> {
        let mut limits = match row.pending {
            Some((changes, alerts)) => (changes as usize, alerts as usize),
            None => (self.batch, self.batch),
        };
        loop {
            let page = self.changes(store, row, limits.0)?;
            // Together there are no more than fit into a message.
            let room = limits.1.min(self.batch.saturating_sub(page.changes.len()));
            let (alerts, alert_end, has_more) = self.alerts(store, row, room)?;
            let end = Position {
                change: page.next,
                alert: alert_end,
            };
            if page.changes.is_empty() && alerts.is_empty() {
                return Ok(Events::Nothing(end, !page.is_last || has_more));
            }
            let message = message(row, workspace, &page.changes, &alerts, end);
            let events = page.changes.len() + alerts.len();
            if message.body.len() <= MAX_MESSAGE || events == 1 || row.pending.is_some() {
                return Ok(Events::Message(message));
            }
            limits = match page.changes.len() {
                0 => (0, alerts.len() / 2),
                changes => (changes.div_ceil(2).min(events - 1), 0),
            };
        }
    }

    fn changes(&self, store: &dyn Store, row: &WebhookRow, limit: usize) -> Result<ChangePage, BadWebhook> {
        let since = &row.delivered.change;
        let Some(filter) = self.changes.as_ref().filter(|_| limit > 0) else {
            return Ok(ChangePage {
                changes: Vec::new(),
                next: since.clone(),
                is_last: true,
            });
        };
        Ok(store.changes(Some(since), filter, limit)?)
    }

    /// Returns wanted alerts, the position after what was looked at, and whether more may follow.
    fn alerts(
        &self,
        store: &dyn Store,
        row: &WebhookRow,
        limit: usize,
    ) -> Result<(Vec<AlertRow>, magpie_rows::AlertPosition, bool), BadWebhook> {
        let mut end = row.delivered.alert;
        let mut found = Vec::new();
        if limit == 0 {
            return Ok((found, end, false));
        }
        let rows = store.alerts_after(end, MAX_ALERTS)?;
        let is_full = rows.len() == MAX_ALERTS;
        for alert in rows {
            let is_wanted = self
                .topics
                .iter()
                .any(|topic| topic.as_str() == alert.alert.kind.as_str());
            if is_wanted && found.len() == limit {
                return Ok((found, end, true));
            }
            end = alert.position;
            if is_wanted {
                found.push(alert);
            }
        }
        Ok((found, end, is_full))
    }
}

fn topic_of(kind: ChangeKind) -> Topic {
    match kind {
        ChangeKind::New => Topic::ObjectNew,
        ChangeKind::Changed => Topic::ObjectChanged,
        ChangeKind::Gone => Topic::ObjectGone,
        ChangeKind::Back => Topic::ObjectBack,
        ChangeKind::Merged => Topic::ObjectMerged,
        ChangeKind::Expired => Topic::ObjectExpired,
        ChangeKind::Forgotten => Topic::ObjectForgotten,
    }
}

fn message(
    row: &WebhookRow,
    workspace: &str,
    changes: &[Change],
    alerts: &[AlertRow],
    end: Position,
) -> Message {
    let mut events: Vec<Value> = Vec::new();
    for change in changes {
        let mut event = json!(ChangeView::from(change));
        event["type"] = json!(topic_of(change.kind).as_str());
        event["object_type"] = json!(change.object_type);
        events.push(event);
    }
    for row in alerts {
        // A run may be of no vertical.
        let vertical = Some(row.vertical.as_str()).filter(|name| !name.is_empty());
        events.push(json!({
            "type": row.alert.kind.as_str(), "alert": row.position.0, "at": row.at.to_string(),
            "vertical": vertical, "is_over": row.is_over, "facts": row.alert.facts,
        }));
    }
    let times = changes
        .iter()
        .map(|change| change.at)
        .chain(alerts.iter().map(|row| row.at));
    let last = times.max().unwrap_or_default();
    let counts = (changes.len() as u32, alerts.len() as u32);
    let start = &row.delivered;
    let hash = blake3::hash(
        format!(
            "{workspace}\n{}\n{}\n{}\n{counts:?}",
            row.name, start.change, start.alert.0
        )
        .as_bytes(),
    );
    let id: String = hash.as_bytes()[..ID_BYTES]
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    let body = json!({
        "type": "events", "timestamp": last.to_string(), "data": {"workspace": workspace, "events": events},
    });
    Message {
        id: format!("msg_{id}"),
        body: body.to_string(),
        counts,
        end,
    }
}
