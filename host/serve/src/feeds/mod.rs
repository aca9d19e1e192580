//! Feeds and calendars of the objects that a query finds.
//!
//! Semantic kinds of attributes decide what a feed shows; the verticals are not known here.

mod atom;
mod ics;
mod json_feed;
pub(crate) mod keys;
mod page;
mod rss;
mod xml;

#[cfg(test)]
mod tests;

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::body::Body;
use axum::http::{HeaderMap, header};
use axum::response::{IntoResponse as _, Response};
use futures_util::stream::try_unfold;
use magpie_model::{Attribute, Kind};
use magpie_query::Query;
use magpie_rows::ReadStore;
use magpie_rows::{Cursor, ObjectId, ObjectRow, SearchOptions, SearchOrder, SortKey};
use magpie_values::Timestamp;
use url::Url;

use crate::api::{Params, VerticalSchema, object_id, tagged};
use crate::{App, Error, Format};
pub use page::FeedKeyLine;
pub(crate) use page::routes;
use xml::html;

/// The forms of a feed: their names and the endings of their paths.
pub(crate) const FORMS: [(&str, &str); 4] = [
    ("Atom", ".atom"),
    ("RSS", ".rss"),
    ("JSON Feed", ".feed.json"),
    ("Calendar (ICS)", ".ics"),
];

const GENERATOR: &str = "Magpie";

/// Entries of a feed, the last changed first. Programs ask often and keep what they have seen.
/// Calendars have no such bound, since programs drop what a calendar no longer has.
const MAX_ENTRIES: usize = 100;

/// Objects that are read at a time for a calendar, at first and at most.
const FIRST_PAGE: usize = 50;
const MAX_PAGE: usize = 500;

/// Bytes of the part of a calendar that a page of objects should give.
const PART: usize = 128 << 10;

/// Bytes of a calendar that is sent as a whole, with a tag by which a program sees that it has it.
/// A longer one is read while it is sent.
const WHOLE: usize = 256 << 10;

/// Time after which a calendar that is being sent asks a busy server again.
const AGAIN: Duration = Duration::from_secs(1);

/// Answers with the objects of a vertical that match a query, as a feed or a calendar.
pub(crate) async fn of_vertical(
    app: &App,
    headers: &HeaderMap,
    vertical: String,
    format: Format,
    mut params: Params,
) -> Result<Response, Error> {
    let query = params.text("q")?.unwrap_or_default();
    // It was looked at before the request was routed. The feed does not repeat it: feeds are passed
    // on.
    params.text("key")?;
    params.finish()?;
    let (base, now) = (base(headers), app.now());
    if format == Format::Ics {
        let begin = move |reader: &dyn ReadStore| Listing::begin(reader, &vertical, &query, now);
        return calendar(app, headers, app.read_dear(begin).await?).await;
    }
    let body = app
        .read_dear(move |reader| {
            let vertical = VerticalSchema::choose(reader, Some(&vertical))?;
            let workspace = reader.workspace_id()?;
            let title = title(&vertical, &query);
            let feed = feed(reader, &vertical, &query, format, (title, &base, &workspace), now)?;
            Ok(match format {
                Format::Rss => rss::write(&feed),
                Format::JsonFeed => json_feed::write(&feed),
                _ => atom::write(&feed),
            })
        })
        .await?;
    Ok(tagged(headers, media_type(format), body))
}

/// The title of a feed.
fn title(vertical: &VerticalSchema, query: &str) -> String {
    match query {
        "" => vertical.name.clone(),
        query => format!("{}: {query}", vertical.name),
    }
}

/// Answers with a calendar. A long one is read in parts, each when the client has taken the one
/// before, so that a client which takes nothing keeps neither a reader nor much memory.
async fn calendar(app: &App, headers: &HeaderMap, mut listing: Listing) -> Result<Response, Error> {
    while !listing.is_whole && listing.calendar.len() < WHOLE {
        listing = listing.further(app).await?;
    }
    let media_type = media_type(Format::Ics);
    if listing.is_whole {
        return Ok(tagged(headers, media_type, listing.calendar.finish()));
    }
    let app = app.clone();
    let parts = try_unfold(Some(listing), move |listing| {
        let app = app.clone();
        async move {
            let Some(mut listing) = listing else {
                return Ok::<_, Error>(None);
            };
            while listing.calendar.len() == 0 && !listing.is_whole {
                listing = listing.further(&app).await?;
            }
            if listing.is_whole {
                return Ok(Some((listing.calendar.finish(), None)));
            }
            Ok(Some((listing.calendar.take(), Some(listing))))
        }
    });
    let head = [
        (header::CONTENT_TYPE, media_type),
        (header::CACHE_CONTROL, "private, no-cache"),
    ];
    Ok((head, Body::from_stream(parts)).into_response())
}

/// The objects of a calendar, as far as they were read.
struct Listing {
    vertical: VerticalSchema,
    query: Query,
    calendar: ics::Calendar,
    after: Option<Cursor>,
    /// Objects that are read next.
    limit: usize,
    is_whole: bool,
    now: Timestamp,
}

impl Listing {
    /// Begins with the objects that have a day in the window of calendars.
    fn begin(reader: &dyn ReadStore, vertical: &str, query: &str, now: Timestamp) -> Result<Listing, Error> {
        let vertical = VerticalSchema::choose(reader, Some(vertical))?;
        let workspace = reader.workspace_id()?;
        Ok(Listing {
            query: windowed(&vertical, query, now)?,
            calendar: ics::Calendar::new(&title(&vertical, query), &workspace, now),
            vertical,
            after: None,
            limit: FIRST_PAGE,
            is_whole: false,
            now,
        })
    }

    /// Adds the objects that come next, as soon as a reader is free.
    async fn further(self, app: &App) -> Result<Listing, Error> {
        let shared = Arc::new(Mutex::new(self));
        loop {
            let own = Arc::clone(&shared);
            let read =
                move |reader: &dyn ReadStore| own.lock().unwrap_or_else(PoisonError::into_inner).add(reader);
            match app.read_dear(read).await {
                Err(Error::Busy) => tokio::time::sleep(AGAIN).await,
                outcome => break outcome?,
            }
        }
        let listing = Arc::into_inner(shared).ok_or(Error::Defect)?;
        Ok(listing.into_inner().unwrap_or_else(PoisonError::into_inner))
    }

    fn add(&mut self, reader: &dyn ReadStore) -> Result<(), Error> {
        let options = SearchOptions {
            order: SearchOrder {
                by: SortKey::Newest,
                is_reversed: false,
            },
            after: self.after.take(),
            limit: self.limit,
            facets: 0,
        };
        let page = reader.search(&self.vertical.name, &self.query, &options)?;
        let before = self.calendar.len();
        for object in &page.hits {
            self.calendar
                .add(&item(reader, object, &self.vertical, self.now)?);
        }
        let length = (self.calendar.len() - before).max(1);
        self.limit = (self.limit * PART / length).clamp(1, MAX_PAGE);
        self.is_whole = page.next.is_none();
        self.after = page.next;
        Ok(())
    }
}

/// Answers with the calendar of one object.
pub(crate) async fn of_object(app: &App, headers: &HeaderMap, id: &str) -> Result<Response, Error> {
    let (id, now) = (object_id(id)?, app.now());
    let body = app
        .read(move |reader| {
            let missing = || Error::NotFound(format!("there is no object {id}"));
            let detail = reader.object_detail(id)?.ok_or_else(missing)?;
            let vertical = VerticalSchema::choose(reader, Some(&detail.object.vertical))?;
            let workspace = reader.workspace_id()?;
            let mut calendar = ics::Calendar::new(&detail.object.label, &workspace, now);
            calendar.unbounded();
            if !calendar.add(&item(reader, &detail.object, &vertical, now)?) {
                return Err(Error::NotFound(format!("object {id} has no day")));
            }
            Ok(calendar.finish())
        })
        .await?;
    Ok(tagged(headers, media_type(Format::Ics), body))
}

fn media_type(format: Format) -> &'static str {
    match format {
        Format::Rss => "application/rss+xml; charset=utf-8",
        Format::JsonFeed => "application/feed+json",
        Format::Ics => "text/calendar; charset=utf-8",
        _ => "application/atom+xml; charset=utf-8",
    }
}

/// Returns the URL of this server, as the reader asked for it. The name was checked before the
/// request was routed. A proxy in front of the server reports if it is reached over TLS.
fn base(headers: &HeaderMap) -> String {
    let field = |name| {
        headers
            .get(name)
            .and_then(|field: &axum::http::HeaderValue| field.to_str().ok())
    };
    let host = field(header::HOST).unwrap_or_default();
    let scheme = match field(header::HeaderName::from_static("x-forwarded-proto")) {
        Some("https") => "https",
        _ => "http",
    };
    format!("{scheme}://{host}")
}

/// Returns the feed of the objects that changed last.
fn feed(
    reader: &dyn ReadStore,
    vertical: &VerticalSchema,
    query: &str,
    format: Format,
    (title, base, workspace): (String, &str, &str),
    now: Timestamp,
) -> Result<Feed, Error> {
    let options = SearchOptions {
        order: SearchOrder {
            by: SortKey::Changed,
            is_reversed: false,
        },
        after: None,
        limit: MAX_ENTRIES,
        facets: 0,
    };
    let page = reader.search(&vertical.name, &vertical.query(query, now)?, &options)?;
    let mut entries = Vec::new();
    for object in &page.hits {
        entries.push(Entry::new(&item(reader, object, vertical, now)?, base, workspace));
    }
    let mut encoded = url::form_urlencoded::Serializer::new(String::new());
    let encoded = match query {
        "" => String::new(),
        query => format!("?{}", encoded.append_pair("q", query).finish()),
    };
    let ending = match format {
        Format::Rss => "rss",
        Format::JsonFeed => "feed.json",
        _ => "atom",
    };
    let name = &vertical.name;
    Ok(Feed {
        id: format!("urn:magpie:{workspace}:{name}{encoded}"),
        title,
        page_url: format!("{base}/{name}{encoded}"),
        own_url: format!("{base}/{name}.{ending}{encoded}"),
        // A feed without entries has always been the same.
        updated: entries
            .iter()
            .map(|entry| entry.updated)
            .max()
            .unwrap_or_default(),
        entries,
    })
}

/// Returns a query for the objects of the window of a calendar.
fn windowed(vertical: &VerticalSchema, query: &str, now: Timestamp) -> Result<Query, Error> {
    let Some(start) = ics::start_attribute(&vertical.attributes) else {
        return Err(Error::NotFound(format!(
            "{} have no date that a calendar can show: no attribute is a `date-time` that identifies or expires",
            vertical.name
        )));
    };
    let day = |moment: Timestamp| moment.to_string().chars().take(10).collect::<String>();
    // A day more on both sides, for the zones of the world.
    let margin = Duration::from_secs(2 * 86_400);
    let (from, until) = (day(now - ics::PAST - margin), day(now + ics::FUTURE + margin));
    let name = &start.name;
    vertical.query(&format!("{query} {name}>={from} {name}<={until}"), now)
}

/// Returns an object with the facts from its log of changes.
fn item<'a>(
    reader: &dyn ReadStore,
    object: &'a ObjectRow,
    vertical: &'a VerticalSchema,
    now: Timestamp,
) -> Result<Item<'a>, Error> {
    let (revision, changed_at) = revision(reader, object.id)?;
    let source = match value_url(object, &vertical.attributes, &Kind::Url) {
        Some(url) => Some(url),
        None => source_page(reader, object.id)?,
    };
    let is_over = object.expires_at.is_some_and(|at| at < now);
    Ok(Item {
        object,
        schema: &vertical.attributes,
        revision,
        changed_at: changed_at.unwrap_or(object.first_seen),
        source,
        is_gone: object.current == 0 && !is_over,
    })
}

/// Returns the number of changes of an object, and the time of the last.
fn revision(reader: &dyn ReadStore, object: ObjectId) -> Result<(u64, Option<Timestamp>), Error> {
    let changes = reader.object_changes(object)?;
    Ok((changes.len() as u64, changes.last().map(|change| change.at)))
}

/// Returns the page of an object that tells most of it, among those that still show it if there
/// are any.
fn source_page(reader: &dyn ReadStore, object: ObjectId) -> Result<Option<String>, Error> {
    let members = reader.members_of(object)?.into_iter();
    let members = members.filter(|member| web_url(&member.url));
    let best = members.max_by_key(|member| (member.current, member.record.values.len(), member.last_seen));
    Ok(best.map(|member| member.url))
}

/// Returns the first web URL among the values of a kind.
fn value_url(object: &ObjectRow, schema: &[Attribute], kind: &Kind) -> Option<String> {
    let mut attributes = schema.iter().filter(|attribute| attribute.kind == *kind);
    attributes.find_map(|attribute| {
        let mut values = object.record.all(&attribute.name);
        values.find(|value| web_url(value)).map(str::to_owned)
    })
}

/// An object as feeds show it.
pub(crate) struct Item<'a> {
    pub(crate) object: &'a ObjectRow,
    pub(crate) schema: &'a [Attribute],
    /// The number of its changes so far.
    pub(crate) revision: u64,
    /// The time of its last change.
    pub(crate) changed_at: Timestamp,
    /// URL of its page on the web.
    pub(crate) source: Option<String>,
    /// No page shows it any more, and it has not expired.
    pub(crate) is_gone: bool,
}

impl Item<'_> {
    /// Labels and values for people, in the order of the schema. The label of the object and
    /// pictures are shown elsewhere.
    fn details(&self) -> Vec<(&str, String)> {
        let shown = self.schema.iter().filter(|attribute| {
            let is_shown = !matches!(attribute.kind, Kind::Image | Kind::Properties);
            is_shown && self.object.record.get(&attribute.name).is_some()
        });
        let detail = |attribute: &'_ Attribute| {
            let values: Vec<&str> = self.object.record.all(&attribute.name).collect();
            values.join(", ")
        };
        shown
            .map(|attribute| (attribute.label.as_str(), detail(attribute)))
            .collect()
    }
}

/// Returns `true` for a URL that a reader may follow.
fn web_url(text: &str) -> bool {
    Url::parse(text).is_ok_and(|url| matches!(url.scheme(), "http" | "https"))
}

struct Feed {
    /// An identifier that stays the same wherever the feed is served.
    id: String,
    title: String,
    /// URL of the page with the same objects.
    page_url: String,
    own_url: String,
    updated: Timestamp,
    entries: Vec<Entry>,
}

struct Entry {
    id: String,
    title: String,
    /// URL of the object's page on this server.
    url: String,
    /// URL of its page on the web.
    source: Option<String>,
    image: Option<String>,
    category: String,
    published: Timestamp,
    updated: Timestamp,
    details: Vec<(String, String)>,
}

impl Entry {
    /// `base` is the URL of this server, `workspace` the ID of the workspace.
    fn new(item: &Item<'_>, base: &str, workspace: &str) -> Entry {
        let object = item.object;
        let mut details: Vec<(String, String)> = item
            .details()
            .into_iter()
            .map(|(label, value)| (label.to_owned(), value))
            .collect();
        if item.is_gone {
            details.insert(0, ("State".to_owned(), "no page shows it any more".to_owned()));
        }
        Entry {
            id: format!("urn:magpie:{workspace}:object-{}", object.id.0),
            title: object.label.clone(),
            url: format!("{base}/object/{}", object.id.0),
            source: item.source.clone(),
            image: value_url(object, item.schema, &Kind::Image),
            category: object.record.object_type.clone(),
            published: object.first_seen,
            updated: item.changed_at,
            details,
        }
    }

    fn text(&self) -> String {
        let lines = self
            .details
            .iter()
            .map(|(label, value)| format!("{label}: {value}"));
        lines.collect::<Vec<_>>().join("\n")
    }

    fn html(&self) -> String {
        let mut text = String::from("<dl>");
        for (label, value) in &self.details {
            let value = match web_url(value) {
                true => format!(
                    "<a href=\"{0}\" rel=\"noopener noreferrer nofollow ugc\">{0}</a>",
                    html(value)
                ),
                false => html(value),
            };
            text.push_str(&format!("<dt>{}</dt><dd>{value}</dd>", html(label)));
        }
        text.push_str("</dl>");
        text
    }
}
