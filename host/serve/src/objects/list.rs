//! The search for objects of a vertical: box, filters, views, hits.

use std::sync::Arc;
use std::time::{Duration, Instant};

use askama::Template;
use axum::extract::{Path, State};
use axum::http::HeaderMap;
use axum::response::Response;
use magpie_engine::settings::Resolved;
use magpie_model::{Attribute, Kind};
use magpie_query::{Context, Query, Test};
use magpie_report::format::thousands;
use magpie_report::views::object::ObjectView;
use magpie_rows::ReadStore;
use magpie_rows::{Count, Cursor, ObjectRow, SearchOptions, SearchOrder, SortKey};
use magpie_values::Timestamp;
use magpie_values::kind::Shape;

use super::calendar::Month;
use super::{Id, Vertical, calendar, map, prices};
use crate::answer::List;
use crate::api::Params;
use crate::asked::Asked;
use crate::blocks::{Block, Cell, Choice, Hit, Picture, Table, Tone};
use crate::format::Named;
use crate::frame::{Frame, OBJECTS};
use crate::href::Href;
use crate::{App, Error, Format, feeds, html, pictures, words};

/// Hits of a page, and at most.
const HITS: usize = 25;
const MAX_HITS: usize = 1_000;

/// Values of a facet that are shown.
const FACET_VALUES: usize = 8;

/// Facts of a hit beside its label, and the longest.
const FACTS: usize = 5;
const MAX_FACT: usize = 120;

struct Facet {
    label: String,
    values: Vec<(Href, String, String)>,
}

enum View {
    Calendar(Box<Month>),
    Blocks(&'static str, Vec<Block>),
}

#[derive(Template)]
#[template(path = "list.html")]
struct ListPage {
    frame: Frame,
    path: String,
    query: String,
    problem: Option<String>,
    meant: Option<(Href, String)>,
    chips: Vec<Choice>,
    views: Vec<Choice>,
    /// Values and names of orders, and which is chosen.
    orders: Vec<(String, String, bool)>,
    view_name: String,
    facets: Vec<Facet>,
    facet_note: Option<String>,
    total: String,
    took: String,
    view: View,
    next: Option<Href>,
    example: String,
}

/// The result of a search, as the page shows it.
struct Found {
    query: Query,
    total: Count,
    took: Duration,
    rows: Vec<ObjectRow>,
    facets: Vec<magpie_rows::Facet>,
    facets_of: u64,
    next: Option<Cursor>,
    meant: Option<String>,
    month: Option<Month>,
    prices: Option<Table>,
    map: Option<Vec<Block>>,
    pictures: Vec<Option<Picture>>,
}

pub(super) async fn show(
    State(app): State<App>,
    Path(text): Id,
    headers: HeaderMap,
    params: Params,
    asked: Asked,
) -> Result<Response, Error> {
    let Named { name, format } = Named::parse(&text);
    if format.is_feed() {
        return feeds::of_vertical(&app, &headers, name, format, params).await;
    }
    let now = app.now();
    let (shared, wanted, settings) = (asked.clone(), name.clone(), Arc::clone(app.settings()));
    let outcome = app
        .read_dear(move |reader| {
            let vertical = Vertical::read(reader, &wanted)?;
            let context = Context {
                attributes: &vertical.attributes,
                now,
            };
            let text = shared.get("q").unwrap_or_default();
            let found = match Query::parse(text, &context) {
                Ok(query) => Ok(found(reader, &settings, &vertical, query, &shared, format)?),
                Err(error) => Err(error.to_string()),
            };
            Ok((vertical, found))
        })
        .await;
    let (vertical, found) = outcome?;
    if !format.is_page() {
        let found = found.map_err(Error::BadRequest)?;
        let mut list = List::new("objects", found.rows.iter().map(ObjectView::from));
        list.next_url = found.next.map(|next| {
            let href = asked.but(&[("after", Some(&next.to_string()))]);
            href.address
                .replacen(&asked.path, &format!("{}.json", asked.path), 1)
        });
        return list.answer(&asked);
    }
    html(&page(&vertical, found, &asked, now))
}

fn found(
    reader: &dyn ReadStore,
    settings: &Resolved,
    vertical: &Vertical,
    query: Query,
    asked: &Asked,
    format: Format,
) -> Result<Found, Error> {
    let began = Instant::now();
    let usual = if format.is_page() { HITS } else { MAX_HITS };
    let after = asked.get("after").map(str::parse::<Cursor>).transpose();
    let options = SearchOptions {
        order: order(sort(asked, vertical, &query), vertical)?,
        after: after.map_err(|error| Error::BadRequest(error.to_string()))?,
        limit: asked.number("limit", usual, MAX_HITS),
        facets: if format.is_page() { FACET_VALUES } else { 0 },
    };
    let view = asked.get("view").filter(|_| format.is_page());
    // Without a price there is nothing to compare.
    let priced = price_of(vertical).filter(|_| view == Some("prices"));
    let searched = match priced {
        Some(price) => with_value(&query, price, vertical)?,
        None => query.clone(),
    };
    let page = reader.search(&vertical.name, &searched, &options)?;
    let meant = match page.hits.is_empty() && format.is_page() {
        true => reader.did_you_mean(&vertical.name, &query)?,
        false => None,
    };
    let month = match (view, day_of(vertical)) {
        (Some("calendar"), Some(day)) => Some(calendar::read(reader, vertical, day, &query, asked)?),
        _ => None,
    };
    let prices = match priced {
        Some(price) => Some(prices::of_hits(
            reader,
            (vertical, price),
            &page.hits,
            query.now(),
        )?),
        None => None,
    };
    let map = match (view, map::attribute(vertical)) {
        (Some("map"), Some(place)) => Some(map::read(reader, vertical, place, &query, asked)?),
        _ => None,
    };
    let pictures = match format.is_page() {
        true => pictures::of_objects(reader, settings, vertical, &page.hits)?,
        false => Vec::new(),
    };
    Ok(Found {
        query,
        total: page.total,
        took: began.elapsed(),
        rows: page.hits,
        facets: page.facets,
        facets_of: page.facets_of,
        next: page.next,
        meant,
        month,
        prices,
        map,
        pictures,
    })
}

/// Narrows a query to objects with a value of an attribute.
fn with_value(query: &Query, attribute: &Attribute, vertical: &Vertical) -> Result<Query, Error> {
    let context = Context {
        attributes: &vertical.attributes,
        now: query.now(),
    };
    let text = format!("{query} has:{}", attribute.name);
    Query::parse(text.trim(), &context).map_err(|error| Error::BadRequest(error.to_string()))
}

/// The attribute that makes a calendar: a date that identifies or after which the object expires.
fn day_of(vertical: &Vertical) -> Option<&Attribute> {
    let is_day = |attribute: &&Attribute| {
        attribute.kind == Kind::DateTime && (attribute.identifies || attribute.expires)
    };
    vertical.attributes.iter().find(is_day)
}

/// The attribute that makes a history of prices.
fn price_of(vertical: &Vertical) -> Option<&Attribute> {
    vertical
        .attributes
        .iter()
        .find(|attribute| attribute.kind == Kind::Money)
}

/// Returns the name of the order of a search. A page of objects with a last date begins with what
/// is next, unless words are searched: then the best matches come first.
fn sort<'a>(asked: &'a Asked, vertical: &Vertical, query: &Query) -> Option<&'a str> {
    let has_words = || {
        let mut terms = query.terms().iter();
        terms.any(|term| matches!(term.test, Test::Words(_)))
    };
    let is_dated = vertical.attributes.iter().any(|attribute| attribute.expires);
    let usual = (asked.format.is_page() && is_dated && !has_words()).then_some("soonest");
    asked.get("sort").or(usual)
}

/// Reads the order: a key or an attribute, backwards after a hyphen.
fn order(text: Option<&str>, vertical: &Vertical) -> Result<SearchOrder, Error> {
    let Some(text) = text else {
        return Ok(SearchOrder::default());
    };
    let (is_reversed, name) = match text.strip_prefix('-') {
        Some(name) => (true, name),
        None => (false, text),
    };
    let by = match name {
        "relevance" => SortKey::Relevance,
        "newest" | "id" => SortKey::Newest,
        "label" => SortKey::Label,
        "records" => SortKey::Records,
        "first-seen" => SortKey::FirstSeen,
        "last-seen" => SortKey::LastSeen,
        "changed" => SortKey::Changed,
        "expires" => SortKey::Expires,
        "soonest" => SortKey::Soonest,
        name => match vertical.attribute(name) {
            Some(attribute) => SortKey::Attribute(attribute.name.clone()),
            None => {
                return Err(Error::BadRequest(format!(
                    "invalid value `{text}` for `sort`: expected relevance, newest, label, records, first-seen, \
                     last-seen, changed, expires, soonest or an attribute, with a hyphen before it for the other direction"
                )));
            }
        },
    };
    Ok(SearchOrder { by, is_reversed })
}

fn page(vertical: &Vertical, found: Result<Found, String>, asked: &Asked, now: Timestamp) -> ListPage {
    let text = asked.get("q").unwrap_or_default();
    let path = asked.path.clone();
    let mut frame = asked.list_frame(words::title(&vertical.name), OBJECTS);
    for (name, ending) in feeds::FORMS {
        let href = Href {
            address: format!("{path}{ending}"),
            is_outside: false,
        };
        let href = match text {
            "" => href,
            text => href.with("q", text),
        };
        frame = frame.with_feed(name, href);
    }
    let view = asked.get("view").unwrap_or("list").to_owned();
    let mut views = vec![("list", "List")];
    views.extend(day_of(vertical).map(|_| ("calendar", "Calendar")));
    views.extend(map::attribute(vertical).map(|_| ("map", "Map")));
    views.extend(price_of(vertical).map(|_| ("prices", "Prices")));
    let views = views.into_iter().map(|(key, name)| Choice {
        href: asked.but(&[("view", Some(key).filter(|key| *key != "list")), ("after", None)]),
        name: name.to_owned(),
        count: None,
        is_now: view == key,
    });
    let mut shown = ListPage {
        frame,
        path,
        query: text.to_owned(),
        problem: None,
        meant: None,
        chips: Vec::new(),
        views: views.collect(),
        orders: orders(vertical, asked.get("sort").unwrap_or("relevance")),
        view_name: view,
        facets: Vec::new(),
        facet_note: None,
        total: String::new(),
        took: String::new(),
        view: View::Blocks("Objects", Vec::new()),
        next: None,
        example: example(vertical),
    };
    let found = match found {
        Ok(found) => found,
        Err(problem) => {
            shown.problem = Some(problem);
            return shown;
        }
    };
    let sort = sort(asked, vertical, &found.query).unwrap_or("relevance");
    shown.orders = orders(vertical, sort);
    let terms = found.query.terms().iter().enumerate();
    shown.chips = terms
        .map(|(at, term)| {
            let rest = found.query.without(at).to_string();
            let rest = Some(rest.as_str()).filter(|rest| !rest.is_empty());
            Choice {
                href: asked.but(&[("q", rest), ("after", None)]),
                name: term.text.clone(),
                count: None,
                is_now: false,
            }
        })
        .collect();
    let whole = found.query.to_string();
    shown
        .facets
        .extend(day_of(vertical).map(|day| days(day, &found.query, asked)));
    shown
        .facets
        .extend(found.facets.iter().map(|facet| shown_facet(facet, &whole, asked)));
    let (Count::Exact(total) | Count::MoreThan(total)) = found.total;
    if !shown.facets.is_empty() && matches!(found.total, Count::MoreThan(_)) {
        shown.facet_note = Some(format!("Of the newest {} hits.", thousands(found.facets_of)));
    }
    shown.total = match found.total {
        Count::Exact(1) => "1 object".to_owned(),
        Count::Exact(_) => format!("{} objects", thousands(total)),
        Count::MoreThan(_) => format!("more than {} objects", thousands(total)),
    };
    shown.took = format!("{:.0} ms", found.took.as_secs_f64() * 1e3);
    shown.meant = found
        .meant
        .map(|meant| (asked.but(&[("q", Some(&meant)), ("after", None)]), meant));
    shown.next = found
        .next
        .map(|next| asked.but(&[("after", Some(&next.to_string()))]));
    shown.view = match (found.month, found.prices, found.map) {
        (Some(month), ..) => View::Calendar(Box::new(month)),
        (None, Some(table), _) => View::Blocks("Prices", vec![Block::Table(table)]),
        (None, None, Some(blocks)) => View::Blocks("Map", blocks),
        (None, None, None) if found.rows.is_empty() => View::Blocks("Objects", vec![no_hits(text)]),
        (None, None, None) => {
            let rows = found.rows.iter().zip(found.pictures);
            let hits = rows.map(|(row, picture)| hit(row, vertical, now, picture));
            View::Blocks("Objects", vec![Block::Hits(hits.collect())])
        }
    };
    shown
}

fn no_hits(query: &str) -> Block {
    Block::Text(match query {
        "" => vec![
            "No object is known yet: ".into(),
            Cell::Code("magpie learn".to_owned()),
            " finds them.".into(),
        ],
        _ => vec!["No object matches. Remove a filter above, or search for fewer words.".into()],
    })
}

fn shown_facet(facet: &magpie_rows::Facet, query: &str, asked: &Asked) -> Facet {
    let values = facet.values.iter().map(|value| {
        let narrowed = format!("{query} {}", value.term);
        let href = asked.but(&[("q", Some(narrowed.trim())), ("after", None)]);
        (href, value.value.clone(), thousands(value.hits))
    });
    Facet {
        label: facet.label.clone(),
        values: values.collect(),
    }
}

/// The orders that the box offers.
fn orders(vertical: &Vertical, now: &str) -> Vec<(String, String, bool)> {
    let mut orders: Vec<(String, String)> = [
        ("relevance", "best match"),
        ("newest", "newest"),
        ("changed", "last changed"),
        ("label", "name"),
        ("records", "most records"),
    ]
    .map(|(key, name)| (key.to_owned(), name.to_owned()))
    .to_vec();
    if vertical.attributes.iter().any(|attribute| attribute.expires) {
        orders.insert(0, ("soonest".to_owned(), "what is next".to_owned()));
    }
    for attribute in &vertical.attributes {
        let label = attribute.label.to_lowercase();
        match attribute.kind {
            Kind::DateTime => orders.push((attribute.name.clone(), format!("{label}, earliest first"))),
            Kind::Money | Kind::Number => {
                orders.push((attribute.name.clone(), format!("{label}, lowest first")));
                orders.push((format!("-{}", attribute.name), format!("{label}, highest first")));
            }
            Kind::Rating => orders.push((format!("-{}", attribute.name), format!("{label}, best first"))),
            _ => {}
        }
    }
    orders
        .into_iter()
        .map(|(key, name)| {
            let is_now = key == now;
            (key, name, is_now)
        })
        .collect()
}

/// An example of a query for the box.
fn example(vertical: &Vertical) -> String {
    let mut parts = vec!["words".to_owned()];
    for attribute in &vertical.attributes {
        match attribute.kind {
            Kind::Place => parts.push(format!("{}:\"Old Mill\"", attribute.name)),
            Kind::DateTime if attribute.identifies => {
                parts.push(format!("{}:weekend", attribute.name));
            }
            Kind::Money => parts.push(format!("{}<=20", attribute.name)),
            _ => {}
        }
        if parts.len() == 4 {
            break;
        }
    }
    parts.push("is:new".to_owned());
    parts.join(" ")
}

/// The days that readers ask for most.
const DAYS: [(&str, &str); 6] = [
    ("today", ":today"),
    ("this weekend", ":weekend"),
    ("next weekend", ":\"next weekend\""),
    ("next 7 days", ":\"next 7 days\""),
    ("next 30 days", ":\"next 30 days\""),
    ("from today on", ">=today"),
];

/// Returns the facet of the day. Its values replace the condition on the day in the query.
fn days(day: &Attribute, query: &Query, asked: &Asked) -> Facet {
    let is_day =
        |term: &magpie_query::Term| matches!(&term.test, Test::Within(field, _) if field.name == day.name);
    let mut rest = query.clone();
    while let Some(at) = rest.terms().iter().position(is_day) {
        rest = rest.without(at);
    }
    let values = DAYS.iter().map(|(name, test)| {
        let text = format!("{rest} {}{test}", day.name);
        let href = asked.but(&[("q", Some(text.trim())), ("after", None), ("month", None)]);
        (href, (*name).to_owned(), String::new())
    });
    Facet {
        label: day.label.clone(),
        values: values.collect(),
    }
}

/// The newest objects of a vertical, as lists show them.
pub(crate) fn newest(
    reader: &dyn ReadStore,
    name: &str,
    limit: usize,
    now: Timestamp,
    settings: &Resolved,
) -> Result<Vec<Hit>, Error> {
    let vertical = Vertical::read(reader, name)?;
    let options = SearchOptions {
        order: SearchOrder {
            by: SortKey::Newest,
            is_reversed: false,
        },
        limit,
        ..SearchOptions::default()
    };
    let page = reader.search(name, &Query::all(now), &options)?;
    let pictures = pictures::of_objects(reader, settings, &vertical, &page.hits)?;
    let rows = page.hits.iter().zip(pictures);
    Ok(rows
        .map(|(row, picture)| hit(row, &vertical, now, picture))
        .collect())
}

fn hit(row: &ObjectRow, vertical: &Vertical, now: Timestamp, picture: Option<Picture>) -> Hit {
    let label = words::short_label(&row.label, &row.record, &vertical.attributes);
    let day = day_of(vertical).and_then(|day| words::tile(row.record.get(&day.name)?));
    let mut facts = Vec::new();
    for attribute in &vertical.attributes {
        let is_shown = !matches!(
            attribute.kind.shape(),
            Shape::Address | Shape::Object | Shape::Point
        );
        let values: Vec<&str> = row.record.all(&attribute.name).collect();
        let value = values.join(", ");
        // Long texts do not fit here, and values in the label would be repeated.
        if !is_shown || value.is_empty() || value.len() > MAX_FACT || is_in(&value, &label) {
            continue;
        }
        facts.push((attribute.label.clone(), value_cell(&attribute.kind, &value)));
        if facts.len() == FACTS {
            break;
        }
    }
    let is_expired = row.expires_at.is_some_and(|at| at <= now);
    let state = match (row.current, is_expired) {
        (0, _) => Some(Cell::state(Tone::Odd, "gone: no page shows it any more")),
        (_, true) => Some(Cell::state(Tone::Quiet, "over")),
        _ => None,
    };
    Hit {
        href: Href::to(&["object", &row.id.0.to_string()]),
        label: match label.is_empty() {
            true => format!("object {}", row.id),
            false => label,
        },
        day,
        picture,
        facts,
        is_past: state.is_some(),
        state,
    }
}

/// Returns `true` if a label contains a value, perhaps without its quotation marks.
fn is_in(value: &str, label: &str) -> bool {
    let bare = value.trim_matches(['“', '”', '"', '„', '«', '»']).trim();
    label.contains(value) || (!bare.is_empty() && label.contains(bare))
}

/// A value as its kind is shown.
pub(super) fn value_cell(kind: &Kind, value: &str) -> Cell {
    match kind {
        Kind::Url => Cell::outside(value),
        Kind::Identifier(_) => Cell::Code(value.to_owned()),
        Kind::DateTime => words::day(value),
        _ => Cell::from(value),
    }
}
