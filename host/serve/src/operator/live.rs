//! Live progress, as server-sent events.

use std::convert::Infallible;
use std::path::Path;
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use axum::extract::State;
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse as _, Response};
use futures_util::stream::{self, Stream};
use magpie_engine::watch::read_health;
use magpie_engine::workspace_holder;
use magpie_report::format::thousands;
use magpie_report::sentences::watch::health;
use magpie_rows::{Counts, RunRow, UrlState};
use serde_json::{Value, json};
use tokio::sync::watch;

use crate::blocks::{Cell, Figure};
use crate::{App, Error};

/// Readers of events at the same time.
const MAX_READERS: usize = 64;

/// The time between two events.
const GAP: Duration = Duration::from_secs(1);

/// The time over which the pace is measured.
const PACE_OVER: usize = 60;

/// The state of a workspace without a writer.
pub(super) const NOTHING_RUNS: &str = "nothing runs";

/// Sends the numbers of now, once a second.
pub(super) async fn events(State(app): State<App>) -> Result<Response, Error> {
    let live = app.live();
    if live.last.receiver_count() >= MAX_READERS {
        return Err(Error::Busy);
    }
    let mut receiver = live.last.subscribe();
    receiver.mark_changed();
    begin(&app);
    Ok(Sse::new(numbers(receiver))
        .keep_alive(KeepAlive::new())
        .into_response())
}

fn numbers(receiver: watch::Receiver<Arc<str>>) -> impl Stream<Item = Result<Event, Infallible>> {
    stream::unfold(receiver, async |mut receiver| {
        receiver.changed().await.ok()?;
        let text = Arc::clone(&receiver.borrow_and_update());
        Some((Ok(Event::default().data(&*text)), receiver))
    })
}

/// Begins to read, unless that is done already.
fn begin(app: &App) {
    let mut is_reading = app
        .live()
        .is_reading
        .lock()
        .unwrap_or_else(PoisonError::into_inner);
    if !std::mem::replace(&mut *is_reading, true) {
        tokio::spawn(follow(app.clone()));
    }
}

/// Reads the state as long as a reader follows it.
async fn follow(app: App) {
    let mut past: Vec<u64> = Vec::new();
    loop {
        {
            let mut is_reading = app
                .live()
                .is_reading
                .lock()
                .unwrap_or_else(PoisonError::into_inner);
            if app.live().last.receiver_count() == 0 {
                *is_reading = false;
                return;
            }
        }
        let shared = app.clone();
        let read = app.read(move |reader| {
            let runs = reader.runs()?;
            let state = running(shared.folder(), runs.last());
            Ok((reader.url_counts(None)?, state, read_health(shared.folder())))
        });
        let text = match read.await {
            Ok((counts, state, watch)) => {
                past.push(counts.of(UrlState::Fetched));
                if past.len() > PACE_OVER {
                    past.remove(0);
                }
                event(&counts, state, watch.as_ref(), &past)
            }
            Err(error) => json!({"state": error.to_string(), "sentence": error.to_string()}),
        };
        let text: Arc<str> = Arc::from(text.to_string());
        app.live().last.send_if_modified(|last| {
            let is_news = *last != text;
            *last = text;
            is_news
        });
        tokio::time::sleep(GAP).await;
    }
}

fn event(counts: &Counts, state: Option<String>, watch: Option<&Value>, past: &[u64]) -> Value {
    let fetched = past.last().copied().unwrap_or_default();
    let grown = fetched.saturating_sub(past.first().copied().unwrap_or_default());
    let seconds = past.len().saturating_sub(1) as u64;
    let pace = match seconds {
        0 => "–".to_owned(),
        seconds => thousands(grown * 60 / seconds),
    };
    let state = state.unwrap_or_else(|| NOTHING_RUNS.to_owned());
    let queued = thousands(counts.of(UrlState::Queued));
    let fetched = thousands(fetched);
    json!({
        "sentence": format!("{state}; {fetched} URLs fetched, {queued} queued"),
        "state": state, "watch": watch.map(health), "is_killed": was_killed(watch), "pace": pace, "queued": queued, "fetched": fetched,
        "failed": thousands(counts.of(UrlState::Failed)),
    })
}

/// Says what runs in a workspace, if anything does.
pub(super) fn running(folder: &Path, last: Option<&RunRow>) -> Option<String> {
    let holder = workspace_holder(folder)?;
    Some(match last.filter(|run| run.ended_at.is_none()) {
        Some(run) => format!("{} runs ({holder})", run.kind),
        None => format!("a command writes ({holder})"),
    })
}

/// Returns `true` if the last watch does not run and has not recorded its end.
pub(super) fn was_killed(watch: Option<&Value>) -> bool {
    watch.is_some_and(|watch| watch["state"] == "killed")
}

/// The health of the last watch as a fact that follows it.
pub(super) fn watch_fact(watch: Option<&Value>) -> Figure {
    let told = match watch {
        Some(watch) => Cell::from(health(watch)),
        // One may begin while the page is open.
        None => Cell::from("none has run yet"),
    };
    let mut fact = told.figure("Watch").live("watch");
    fact.is_bad = was_killed(watch);
    fact
}
