//! The API for programs: `/api/v1`, its OpenAPI document, and the page that shows its calls.
//!
//! Lists have pages with cursors, and a position in the log of changes is enough to follow it.

mod changes;
mod follow;
mod openapi;
mod page;
mod params;
mod schemas;
mod tagged;
mod views;

use std::collections::BTreeMap;
use std::time::Instant;

use axum::extract::{Path, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use axum::routing::get;
use axum::{Extension, Router};
use magpie_engine::learn::sites_begun;
use magpie_engine::site::View;
use magpie_report::views::change::ChangeView;
use magpie_report::views::object::{ObjectView, Source, WholeObjectView};
use magpie_report::views::sites::{BegunSiteLine, SiteHealth, SiteLine};
use magpie_rows::ReadStore;
use magpie_rows::{Count, ObjectId, SearchOptions, SearchOrder, SearchPage, SortKey};
use serde_json::{Value, json};

use crate::state::Place;
use crate::{App, Error};

pub(crate) use params::Params;
pub(crate) use schemas::VerticalSchema;
pub(crate) use tagged::tagged;
pub(crate) use views::SiteView;
use views::{FacetView, ObjectDetailView, ObjectPageView, SearchPageView, SitePageView};

const ROOT: &str = "/api/v1";

/// Objects or changes of a page, unless a request asks for another number.
const USUAL_LIMIT: usize = 100;

/// The longest page.
const MAX_LIMIT: usize = 1_000;

/// Values of a facet.
const MAX_FACET_VALUES: usize = 20;

/// The longest list of sites on one page. Rounds and figures of each are in it.
const MAX_SITES: usize = 200;

const JSON: &str = "application/json";

pub(crate) fn routes() -> Router<App> {
    Router::new()
        .route("/api", get(page::show))
        .route("/api/v1/openapi.json", get(document))
        .route("/api/v1/objects", get(objects))
        .route("/api/v1/object/{id}", get(object))
        .route("/api/v1/search", get(search))
        .route("/api/v1/sites", get(sites))
        .route("/api/v1/changes", get(changes::changes))
        .layer(Extension(follow::Follower::new()))
}

async fn document(State(app): State<App>, headers: HeaderMap, params: Params) -> Result<Response, Error> {
    params.finish()?;
    let verticals = app.read(VerticalSchema::all).await?;
    Ok(tagged(&headers, JSON, openapi::document(&verticals).to_string()))
}

/// A request for a page of objects.
struct Asked {
    vertical: Option<String>,
    query: String,
    order: SearchOrder,
    limit: usize,
    cursor: Option<String>,
    fields: Option<Vec<String>>,
}

impl Asked {
    fn take(params: &mut Params) -> Result<Asked, Error> {
        let fields = params.text("fields")?;
        Ok(Asked {
            vertical: params.text("vertical")?,
            query: params.text("q")?.unwrap_or_default(),
            order: order(params.text("sort")?.as_deref()),
            limit: params.number("limit", 1..=MAX_LIMIT, USUAL_LIMIT)?,
            cursor: params.text("cursor")?,
            fields: fields.map(|fields| fields.split(',').map(|field| field.trim().to_owned()).collect()),
        })
    }

    /// Returns the page, and the vertical that it is of.
    fn page(
        &self,
        reader: &dyn ReadStore,
        now: magpie_values::Timestamp,
        facets: usize,
    ) -> Result<(VerticalSchema, SearchPage), Error> {
        let vertical = VerticalSchema::choose(reader, self.vertical.as_deref())?;
        let is_known = |name: &str| vertical.attributes.iter().any(|attribute| attribute.name == name);
        let mut asked = self
            .fields
            .iter()
            .flatten()
            .map(String::as_str)
            .collect::<Vec<_>>();
        if let SortKey::Attribute(name) = &self.order.by {
            asked.push(name);
        }
        if let Some(unknown) = asked.into_iter().find(|name| !is_known(name)) {
            let names: Vec<&str> = vertical.attributes.iter().map(|one| one.name.as_str()).collect();
            return Err(Error::BadRequest(format!(
                "there is no attribute `{unknown}`; there are {}",
                names.join(", ")
            )));
        }
        let options = SearchOptions {
            order: self.order.clone(),
            after: self.cursor.as_deref().map(cursor).transpose()?,
            limit: self.limit,
            facets,
        };
        let query = vertical.query(&self.query, now)?;
        let page = reader.search(&vertical.name, &query, &options)?;
        Ok((vertical, page))
    }

    /// Returns the URL of the page after this one.
    fn next_url(&self, path: &str, cursor: &str) -> String {
        let mut query = url::form_urlencoded::Serializer::new(String::new());
        let given = [
            ("vertical", self.vertical.clone()),
            ("q", Some(self.query.clone()).filter(|query| !query.is_empty())),
            (
                "sort",
                Some(order_name(&self.order)).filter(|_| self.order != SearchOrder::default()),
            ),
            (
                "limit",
                Some(self.limit.to_string()).filter(|_| self.limit != USUAL_LIMIT),
            ),
            ("fields", self.fields.as_ref().map(|fields| fields.join(","))),
            ("cursor", Some(cursor.to_owned())),
        ];
        for (name, value) in given {
            if let Some(value) = value {
                query.append_pair(name, &value);
            }
        }
        format!("{path}?{}", query.finish())
    }

    /// Returns the part of the answer that all lists of objects have. `path` is that of the list.
    fn listed(&self, path: &str, page: &SearchPage) -> ObjectPageView {
        let (total, total_is_exact) = match page.total {
            Count::Exact(total) => (total, true),
            Count::MoreThan(total) => (total, false),
        };
        let next = page.next.as_ref();
        ObjectPageView {
            objects: page.hits.iter().map(|object| self.view(object)).collect(),
            total,
            total_is_exact,
            next_url: next.map(|next| self.next_url(path, &next.to_string())),
        }
    }

    /// Returns an object with the attributes that are asked for.
    fn view(&self, object: &magpie_rows::ObjectRow) -> ObjectView {
        let mut view = ObjectView::from(object);
        if let Some(fields) = &self.fields {
            view.attributes.retain(|name, _| fields.contains(name));
        }
        view
    }
}

/// Names of orders of objects. Any other name is that of an attribute.
static ORDERS: [(&str, SortKey); 9] = [
    ("relevance", SortKey::Relevance),
    ("newest", SortKey::Newest),
    ("label", SortKey::Label),
    ("records", SortKey::Records),
    ("first-seen", SortKey::FirstSeen),
    ("last-seen", SortKey::LastSeen),
    ("changed", SortKey::Changed),
    ("expires", SortKey::Expires),
    ("soonest", SortKey::Soonest),
];

/// Returns the order of a name; with a hyphen before it the other way round.
fn order(name: Option<&str>) -> SearchOrder {
    let Some(name) = name else {
        return SearchOrder::default();
    };
    let (is_reversed, name) = match name.strip_prefix('-') {
        Some(name) => (true, name),
        None => (false, name),
    };
    let known = ORDERS.iter().find(|(own, _)| *own == name);
    let by = known.map_or_else(|| SortKey::Attribute(name.to_owned()), |(_, by)| by.clone());
    SearchOrder { by, is_reversed }
}

fn order_name(order: &SearchOrder) -> String {
    let name = match &order.by {
        SortKey::Attribute(name) => name.as_str(),
        by => ORDERS
            .iter()
            .find(|(_, own)| own == by)
            .map_or("", |(name, _)| name),
    };
    match order.is_reversed {
        true => format!("-{name}"),
        false => name.to_owned(),
    }
}

/// Parses a cursor, which strangers may have written.
fn cursor<T: std::str::FromStr>(text: &str) -> Result<T, Error> {
    text.parse().map_err(|_| {
        Error::BadRequest(
            "this is no cursor: take it from `next_url` of the page before, unchanged".to_owned(),
        )
    })
}

async fn objects(State(app): State<App>, headers: HeaderMap, mut params: Params) -> Result<Response, Error> {
    let asked = Asked::take(&mut params)?;
    params.finish()?;
    let now = app.now();
    app.read_dear(move |reader| {
        let (_, page) = asked.page(reader, now, 0)?;
        let page = asked.listed(&format!("{ROOT}/objects"), &page);
        let response = tagged(&headers, JSON, json!(page).to_string());
        Ok(linked(response, page.next_url.as_deref()))
    })
    .await
}

async fn search(State(app): State<App>, headers: HeaderMap, mut params: Params) -> Result<Response, Error> {
    let asked = Asked::take(&mut params)?;
    params.finish()?;
    let now = app.now();
    app.read_dear(move |reader| {
        let began = Instant::now();
        let (vertical, page) = asked.page(reader, now, MAX_FACET_VALUES)?;
        let suggestion = match page.hits.is_empty() && asked.cursor.is_none() {
            true => reader.did_you_mean(&vertical.name, &vertical.query(&asked.query, now)?)?,
            false => None,
        };
        let listed = asked.listed(&format!("{ROOT}/search"), &page);
        let next = listed.next_url.clone();
        let body = json!(SearchPageView {
            page: listed,
            facets: page.facets.iter().map(FacetView::from).collect(),
            facets_of: page.facets_of,
            did_you_mean: suggestion,
        });
        let mut response = linked(tagged(&headers, JSON, body.to_string()), next.as_deref());
        // A body with the time would have another tag each time.
        let took = format!("search;dur={:.1}", began.elapsed().as_secs_f64() * 1e3);
        if let Ok(took) = HeaderValue::try_from(took) {
            response.headers_mut().insert("server-timing", took);
        }
        Ok(response)
    })
    .await
}

/// Adds the link to the next page.
fn linked(mut response: Response, next: Option<&str>) -> Response {
    let link = next.and_then(|next| HeaderValue::try_from(format!("<{next}>; rel=\"next\"")).ok());
    if let Some(link) = link {
        response.headers_mut().insert(header::LINK, link);
    }
    response
}

/// Parses the number of an object in a path.
pub(crate) fn object_id(text: &str) -> Result<ObjectId, Error> {
    let number = text.parse().ok().filter(|number: &i64| *number > 0);
    number
        .map(ObjectId)
        .ok_or_else(|| Error::NotFound(format!("`{text}` is no number of an object")))
}

async fn object(
    State(app): State<App>,
    headers: HeaderMap,
    Path(id): Path<String>,
    params: Params,
) -> Result<Response, Error> {
    params.finish()?;
    let id = object_id(&id)?;
    app.read(move |reader| match object_document(reader, id)? {
        Found::Here(body) => Ok(tagged(&headers, JSON, body.to_string())),
        Found::In(successor) => {
            let location = format!("{ROOT}/object/{successor}");
            Ok((StatusCode::MOVED_PERMANENTLY, [(header::LOCATION, location)]).into_response())
        }
    })
    .await
}

pub(crate) enum Found {
    /// The object as JSON.
    Here(Value),
    /// The object that it is part of now.
    In(ObjectId),
}

/// Returns all that is known of an object.
pub(crate) fn object_document(reader: &dyn ReadStore, id: ObjectId) -> Result<Found, Error> {
    let Some(detail) = reader.object_detail(id)? else {
        return Err(Error::NotFound(format!("there is no object {id}")));
    };
    if let Some(successor) = detail.merged_into {
        return Ok(Found::In(successor));
    }
    let sources = Source::read(reader, detail.members)?;
    let merged: Vec<i64> = detail.merged.iter().map(|id| id.0).collect();
    let history = reader.object_changes(id)?;
    Ok(Found::Here(json!(ObjectDetailView {
        whole: WholeObjectView::new(&detail.object, &sources, &merged),
        state: detail.state,
        revision: detail.revision,
        history: history.iter().map(ChangeView::from).collect(),
    })))
}

async fn sites(State(app): State<App>, headers: HeaderMap, mut params: Params) -> Result<Response, Error> {
    let vertical = params.text("vertical")?;
    let after = params.text("cursor")?;
    let limit = params.number("limit", 1..=MAX_SITES, MAX_SITES)?;
    params.finish()?;
    let place = app.place().clone();
    app.read_dear(move |reader| {
        let mut all = BTreeMap::new();
        for (key, site) in sites_of(reader, &place, vertical.as_deref())? {
            all.insert(key, site);
        }
        let left = all
            .iter()
            .filter(|(key, _)| after.as_ref().is_none_or(|after| *key > after));
        let mut page: Vec<(&String, &SiteView)> = left.take(limit + 1).collect();
        let has_more = page.len() > limit;
        page.truncate(limit);
        let next = page.last().filter(|_| has_more).map(|(key, _)| {
            let mut query = url::form_urlencoded::Serializer::new(String::new());
            if let Some(vertical) = &vertical {
                query.append_pair("vertical", vertical);
            }
            if limit != MAX_SITES {
                query.append_pair("limit", &limit.to_string());
            }
            format!("{ROOT}/sites?{}", query.append_pair("cursor", key).finish())
        });
        let body = json!(SitePageView {
            sites: page.into_iter().map(|(_, site)| site.clone()).collect(),
            next_url: next.clone(),
        });
        Ok(linked(tagged(&headers, JSON, body.to_string()), next.as_deref()))
    })
    .await
}

/// Returns the sites of the verticals, each with a key that orders them.
pub(crate) fn sites_of(
    reader: &dyn ReadStore,
    place: &Place,
    named: Option<&str>,
) -> Result<Vec<(String, SiteView)>, Error> {
    let learned = reader.learned_verticals()?;
    if let Some(named) = named
        && !learned.iter().any(|name| name == named)
    {
        return Err(Error::NotFound(format!(
            "nothing has been learned for a vertical `{named}`"
        )));
    }
    let mut found = Vec::new();
    for vertical in learned
        .iter()
        .filter(|name| named.is_none_or(|named| *name == named))
    {
        let view = View {
            reader,
            folder: &place.folder,
            settings: &place.settings,
            vertical,
            now: place.clock.now(),
        };
        let figures = view.site_figures()?;
        let coverage = reader.field_coverage(vertical, None)?;
        for health in SiteHealth::read(&view, |_| true)? {
            let own = figures.iter().find(|figures| figures.site == health.site.site);
            found.push((
                format!("{vertical} {}", health.site.key),
                SiteView::Learned(Box::new(SiteLine::new(&health, own, &coverage))),
            ));
        }
        for (key, _) in sites_begun(reader, vertical, &place.settings)? {
            found.push((
                format!("{vertical} {key}"),
                SiteView::Named(BegunSiteLine::new(vertical, &key)),
            ));
        }
    }
    Ok(found)
}
