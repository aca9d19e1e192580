//! The log of changes: in pages, with waiting, and as a stream of events without end.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::Extension;
use axum::extract::State;
use axum::http::{HeaderMap, header};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse as _, Response};
use magpie_report::views::change::change_json;
use magpie_store::{ChangeCursor, ChangeFilter, ChangeKind, ChangePage, History as _};
use serde_json::json;
use tokio::sync::mpsc;

use super::follow::Follower;
use super::{JSON, MAX_LIMIT, ROOT, USUAL_LIMIT, VerticalSchema, cursor, linked};
use crate::api::Params;
use crate::{App, Error};

/// The longest that a request waits for changes, in seconds. Proxies give up after a minute.
pub(super) const MAX_WAIT: usize = 55;

/// Changes of a stream that wait to be sent. A reader that is slow slows its own reading.
const MAX_UNSENT: usize = 16;

/// The changes that a request asks for.
#[derive(Clone)]
struct Wanted {
    vertical: Option<String>,
    query: String,
    kinds: Vec<ChangeKind>,
    limit: usize,
}

impl Wanted {
    /// Reads changes after a position.
    async fn read(&self, app: &App, since: Option<ChangeCursor>) -> Result<ChangePage, Error> {
        let (wanted, now) = (self.clone(), app.now());
        app.read(move |reader| {
            let mut filter = ChangeFilter {
                vertical: wanted.vertical,
                kinds: wanted.kinds,
                query: None,
            };
            if !wanted.query.is_empty() {
                let vertical = VerticalSchema::choose(reader, filter.vertical.as_deref())?;
                filter.query = Some(vertical.query(&wanted.query, now)?);
                filter.vertical = Some(vertical.name);
            }
            Ok(reader.changes(since.as_ref(), &filter, wanted.limit)?)
        })
        .await
    }

    fn next_url(&self, cursor: &ChangeCursor, wait: usize) -> String {
        let mut query = url::form_urlencoded::Serializer::new(String::new());
        let kinds: Vec<&str> = self.kinds.iter().map(|kind| kind.as_str()).collect();
        let given = [
            ("vertical", self.vertical.clone()),
            ("q", Some(self.query.clone()).filter(|query| !query.is_empty())),
            ("kind", Some(kinds.join(",")).filter(|kinds| !kinds.is_empty())),
            (
                "limit",
                Some(self.limit.to_string()).filter(|_| self.limit != USUAL_LIMIT),
            ),
            ("wait", Some(wait.to_string()).filter(|_| wait > 0)),
            ("since", Some(cursor.to_string())),
        ];
        for (name, value) in given {
            if let Some(value) = value {
                query.append_pair(name, &value);
            }
        }
        format!("{ROOT}/changes?{}", query.finish())
    }
}

pub(super) async fn changes(
    State(app): State<App>,
    Extension(follower): Extension<Arc<Follower>>,
    headers: HeaderMap,
    mut params: Params,
) -> Result<Response, Error> {
    let since = params.text("since")?;
    let wait = params.number("wait", 0..=MAX_WAIT, 0)?;
    let wanted = Wanted {
        vertical: params.text("vertical")?,
        query: params.text("q")?.unwrap_or_default(),
        kinds: params.words("kind", &ChangeKind::WORDS)?,
        limit: params.number("limit", 1..=MAX_LIMIT, USUAL_LIMIT)?,
    };
    params.finish()?;
    let field = |name| headers.get(name).and_then(|field| field.to_str().ok());
    let is_stream = field(header::ACCEPT).is_some_and(|accept| accept.contains("text/event-stream"));
    // A browser that reconnects names the last event that it saw.
    let last = field(header::HeaderName::from_static("last-event-id"));
    let since = last.filter(|_| is_stream).map(str::to_owned).or(since);
    let since = since.as_deref().map(cursor::<ChangeCursor>).transpose()?;
    if is_stream {
        return stream(app, &follower, wanted, since).await;
    }
    let mut page = wanted.read(&app, since).await?;
    if page.changes.is_empty() && wait > 0 {
        page = wait_for(&app, &follower, &wanted, page, Duration::from_secs(wait as u64)).await?;
    }
    let next = wanted.next_url(&page.next, wait);
    let body = json!({
        "changes": page.changes.iter().map(change_json).collect::<Vec<_>>(),
        "cursor": page.next.to_string(), "is_last": page.is_last, "next_url": next,
    });
    let response = ([(header::CONTENT_TYPE, JSON)], body.to_string()).into_response();
    Ok(linked(response, Some(&next)))
}

/// Reads on until there are changes or the time is over.
async fn wait_for(
    app: &App,
    follower: &Arc<Follower>,
    wanted: &Wanted,
    mut page: ChangePage,
    time: Duration,
) -> Result<ChangePage, Error> {
    let _place = follower.place()?;
    let until = tokio::time::Instant::now() + time;
    let mut news = follower.subscribe(app);
    while page.changes.is_empty() {
        if page.is_last {
            let heard = tokio::time::timeout_at(until, news.changed()).await;
            if !matches!(heard, Ok(Ok(()))) {
                break;
            }
        }
        page = wanted.read(app, Some(page.next)).await?;
    }
    Ok(page)
}

/// Answers with events until the reader leaves.
async fn stream(
    app: App,
    follower: &Arc<Follower>,
    wanted: Wanted,
    since: Option<ChangeCursor>,
) -> Result<Response, Error> {
    let place = follower.place()?;
    let mut news = follower.subscribe(&app);
    // What is wrong with the request is told before the stream begins.
    let mut page = wanted.read(&app, since).await?;
    let (sender, receiver) = mpsc::channel::<Result<Event, Infallible>>(MAX_UNSENT);
    tokio::spawn(async move {
        let _place = place;
        loop {
            for change in &page.changes {
                let event = Event::default()
                    .id(change.cursor.to_string())
                    .event("change")
                    .data(change_json(change).to_string());
                if sender.send(Ok(event)).await.is_err() {
                    return;
                }
            }
            if page.is_last {
                tokio::select! {
                    () = sender.closed() => return,
                    heard = news.changed() => if heard.is_err() { return },
                }
            }
            // The reader asks again with the last position if the workspace can't be read now.
            match wanted.read(&app, Some(page.next)).await {
                Ok(next) => page = next,
                Err(_) => return,
            }
        }
    });
    Ok(Sse::new(Events(receiver))
        .keep_alive(KeepAlive::default())
        .into_response())
}

/// Events as they come through a channel.
struct Events(mpsc::Receiver<Result<Event, Infallible>>);

impl futures_core::Stream for Events {
    type Item = Result<Event, Infallible>;

    fn poll_next(
        mut self: std::pin::Pin<&mut Self>,
        context: &mut std::task::Context<'_>,
    ) -> std::task::Poll<Option<Self::Item>> {
        self.0.poll_recv(context)
    }
}
