//! The log of changes: as lines of JSON, with waiting, and as a stream of events without end.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::Extension;
use axum::extract::State;
use axum::http::{HeaderMap, header};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse as _, Response};
use magpie_report::views::change::{ChangeView, ChangesEnd, moment};
use magpie_rows::{ChangeFilter, ChangeKind, ChangePage, Cursor, ReadStore};
use serde_json::json;
use tokio::sync::mpsc;

use super::follow::Follower;
use super::views::ChangePageView;
use super::{JSON, MAX_LIMIT, ROOT, USUAL_LIMIT, VerticalSchema, linked, tagged};
use crate::api::Params;
use crate::{App, Error};

/// The longest that a request waits for changes, in seconds. Proxies give up after a minute.
pub(super) const MAX_WAIT: usize = 55;

/// The media type of lines of JSON.
pub(super) const LINES: &str = "application/x-ndjson";

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
    async fn read(&self, app: &App, since: Option<Cursor>) -> Result<ChangePage, Error> {
        let (wanted, now) = (self.clone(), app.now());
        let is_search = !self.query.is_empty();
        let read = move |reader: &dyn ReadStore| {
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
        };
        match is_search {
            true => app.read_dear(read).await,
            false => app.read(read).await,
        }
    }

    fn next_url(&self, cursor: &Cursor, wait: usize) -> String {
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
    let form = Form::accepted(field(header::ACCEPT).unwrap_or_default());
    // A browser that reconnects names the last event that it saw.
    let last = field(header::HeaderName::from_static("last-event-id"));
    let since = last.filter(|_| form == Form::Events).map(str::to_owned).or(since);
    let since = match since {
        Some(since) => Some(position(&app, &since).await?),
        None => None,
    };
    if form == Form::Events {
        return stream(app, &follower, wanted, since).await;
    }
    let mut page = wanted.read(&app, since).await?;
    if page.changes.is_empty() && wait > 0 {
        page = wait_for(&app, &follower, &wanted, page, Duration::from_secs(wait as u64)).await?;
    }
    let next = wanted.next_url(&page.next, wait);
    let changes = page.changes.iter().map(ChangeView::from);
    let end = ChangesEnd {
        cursor: page.next.to_string(),
        is_last: page.is_last,
    };
    let response = match form {
        Form::Document => {
            let page = ChangePageView {
                changes: changes.collect(),
                end,
                next_url: next.clone(),
            };
            tagged(&headers, JSON, json!(page).to_string())
        }
        Form::Lines | Form::Events => {
            let lines = changes.map(|change| json!(change)).chain([json!(end)]);
            tagged(&headers, LINES, lines.map(|line| format!("{line}\n")).collect())
        }
    };
    Ok(linked(response, Some(&next)))
}

/// The form in which a request wants the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// A change a line, and a last line with the position after them, as the command prints them.
    Lines,
    /// One document, as the other calls return it.
    Document,
    /// Events without end.
    Events,
}

impl Form {
    /// Reads the header field `Accept`. Lines are for those who take anything.
    fn accepted(accept: &str) -> Form {
        let names = |media_type: &str| {
            accept.split(',').any(|part| {
                let name = part.split(';').next().unwrap_or_default();
                name.trim().eq_ignore_ascii_case(media_type)
            })
        };
        match (names("text/event-stream"), names(LINES), names(JSON)) {
            (true, ..) => Form::Events,
            (false, false, true) => Form::Document,
            (false, ..) => Form::Lines,
        }
    }
}

/// Reads a position: a cursor, or a time as people write it.
async fn position(app: &App, text: &str) -> Result<Cursor, Error> {
    if let Ok(cursor) = text.parse() {
        return Ok(cursor);
    }
    let time = moment(text, app.now()).ok_or_else(|| {
        Error::BadRequest(format!(
            "invalid value `{text}` for `since`: expected the `cursor` of a change, unchanged, a date such as \
             2026-05-03, or an age such as 36h, 7d or 2w"
        ))
    })?;
    app.read(move |reader| Ok(reader.changes_since(time)?)).await
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
    since: Option<Cursor>,
) -> Result<Response, Error> {
    let place = follower.place()?;
    let mut news = follower.subscribe(&app);
    // Errors of the request are reported before the stream begins.
    let mut page = wanted.read(&app, since).await?;
    let (sender, receiver) = mpsc::channel::<Result<Event, Infallible>>(MAX_UNSENT);
    tokio::spawn(async move {
        let _place = place;
        loop {
            for change in &page.changes {
                let event = Event::default()
                    .id(change.cursor.to_string())
                    .event("change")
                    .data(json!(ChangeView::from(change)).to_string());
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reader_gets_the_form_that_it_names() {
        for (accept, form) in [
            ("", Form::Lines),
            ("*/*", Form::Lines),
            ("text/html,application/xml;q=0.9,*/*;q=0.8", Form::Lines),
            ("application/x-ndjson, application/json", Form::Lines),
            ("application/json", Form::Document),
            ("text/plain, Application/JSON; q=0.5", Form::Document),
            ("application/json-seq", Form::Lines),
            ("text/event-stream", Form::Events),
            ("application/json, text/event-stream;q=1", Form::Events),
        ] {
            assert_eq!(Form::accepted(accept), form, "{accept}");
        }
    }
}
