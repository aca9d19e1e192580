//! `magpie webhooks`: receivers of changes and alerts, and the state of their deliveries.

use magpie_engine::open_workspace;
use magpie_engine::settings::Webhook;
use magpie_rows::WebhookRow;
use magpie_serve::{WebhookLine, WebhookState, resumed};
use magpie_terminal::workspace::Opened;
use magpie_terminal::{Cell, Failure, Printer, Table, Tone, format};

use crate::args::WebhooksArgs;

pub(crate) fn run(arguments: &WebhooksArgs, printer: &mut Printer) -> Result<(), Failure> {
    let opened = Opened::by(&arguments.settings)?;
    let webhooks = opened.settings.webhooks();
    let rows = opened.reader.webhooks()?;
    if let Some(name) = &arguments.resume {
        let row = rows.iter().find(|row| row.name == *name);
        let row = row.ok_or_else(|| unknown(name, webhooks))?;
        open_workspace(&opened.folder, &opened.settings)?.put_webhook(resumed(row))?;
        printer.tell(&format!(
            "resumed `{name}` from its last position; the next `magpie watch` delivers to it"
        ));
        return Ok(());
    }
    if webhooks.is_empty() {
        printer.tell("no webhook is set; `[[webhook]]` in magpie.toml sets one");
        return Ok(());
    }
    let row_of = |webhook: &Webhook| rows.iter().find(|row| row.name == webhook.name);
    if arguments.json {
        webhooks
            .iter()
            .try_for_each(|webhook| printer.json(&WebhookLine::new(webhook, row_of(webhook))))?;
        return Ok(());
    }
    let mut table =
        Table::default()
            .right(&[2])
            .head(["webhook", "state", "events", "last delivery", "last problem"]);
    for webhook in webhooks {
        let row = row_of(webhook);
        table.row((
            webhook.name.as_str(),
            state(row),
            format::thousands(row.map_or(0, |row| row.events)),
            row.and_then(|row| row.delivered_at)
                .map_or("–".to_owned(), |at| at.to_string()),
            row.and_then(|row| row.last_error.clone()).unwrap_or_default(),
        ));
    }
    printer.table(&table)?;
    if rows.iter().any(|row| row.parked_at.is_some()) {
        printer.hint("`magpie webhooks --resume NAME` tries a parked webhook again");
    }
    Ok(())
}

fn state(row: Option<&WebhookRow>) -> Cell {
    let at = |moment: Option<magpie_values::Timestamp>| moment.map_or_else(String::new, |at| at.to_string());
    match WebhookState::of(row) {
        WebhookState::New => Cell::toned(Tone::Quiet, "starts with the next watch"),
        WebhookState::Following => Cell::toned(Tone::Good, "following"),
        WebhookState::Retrying => Cell::toned(
            Tone::Odd,
            format!("retried at {}", at(row.and_then(|row| row.retry_at))),
        ),
        WebhookState::Parked => Cell::toned(
            Tone::Bad,
            format!("parked at {}", at(row.and_then(|row| row.parked_at))),
        ),
    }
}

fn unknown(name: &str, webhooks: &[Webhook]) -> Failure {
    let names: Vec<&str> = webhooks.iter().map(|webhook| webhook.name.as_str()).collect();
    let failure = Failure::input(format!("there is no webhook `{name}`"));
    match names.is_empty() {
        true => failure.hint("`[[webhook]]` in magpie.toml sets one"),
        false => failure.hint(format!("there are {}", names.join(", "))),
    }
}
