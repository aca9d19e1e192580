//! The tools: their descriptions, and the results of each.

use magpie_engine::settings::Resolved;
use magpie_engine::site::View;
use magpie_report::views::change::ChangeView;
use magpie_report::views::object::ObjectView;
use magpie_report::views::plan::{FACTORS, ForecastLine, VisitLine};
use magpie_report::views::status::Overview;
use magpie_report::views::url::UrlStory;
use magpie_rows::ReadStore;
use magpie_rows::{ChangeFilter, Count, Cursor, SearchOptions, SearchOrder, SortKey};
use magpie_values::Timestamp;
use serde_json::{Map, Value, json};

use super::resources::{self, Resource};
use crate::Error;
use crate::api::{VerticalSchema, object_id, sites_of};
use crate::state::Place;

/// A set of tools that a model can call.
pub(crate) trait Tools {
    /// Calls a tool. Returns `None` if there is no such tool, and a sentence for a model if the
    /// call fails.
    fn call(&self, name: &str, arguments: &Map<String, Value>) -> Option<Result<Value, String>>;

    /// Returns a page of resources and the cursor of the next, or a sentence why not.
    fn resources(&self, cursor: Option<&str>) -> Result<(Value, Option<String>), String>;

    /// Returns the templates of the addresses of resources.
    fn templates(&self) -> Result<Value, String>;

    /// Returns a resource; `None` if there is none at the address.
    fn resource(&self, uri: &str) -> Result<Option<Resource>, String>;
}

/// Entries of a list, unless a call asks for another number. Models read all of it.
const USUAL_LIMIT: u64 = 20;

/// The longest list.
const MAX_LIMIT: u64 = 100;

pub(crate) fn list() -> Value {
    let text = |about: &str| json!({"type": "string", "description": about});
    let limit = json!({
        "type": "integer", "minimum": 1, "maximum": MAX_LIMIT, "default": USUAL_LIMIT,
        "description": "The most entries to return",
    });
    let vertical = text("The vertical, such as events; needed if the workspace has several");
    let object = json!({"type": "integer", "minimum": 1, "description": "The number of the object"});
    let query = text(
        "Words, and conditions on attributes: jazz venue:\"Old Mill\" start>=2026-12-01 price<=20 \
         site:example.org is:new",
    );
    let cursor = text("The position to go on from: `cursor` of the answer before");
    let tool = |name: &str, title: &str, about: &str, properties: Value, required: &[&str]| {
        json!({
            "name": name, "title": title, "description": about,
            "inputSchema": {
                "type": "object", "properties": properties, "required": required, "additionalProperties": false,
            },
            "annotations": {"readOnlyHint": true, "destructiveHint": false, "idempotentHint": true, "openWorldHint": false},
        })
    };
    json!([
        tool(
            "search_objects",
            "Search objects",
            "Finds collected objects by a query. Returns each with its attributes and the total.",
            json!({"vertical": vertical, "q": query, "limit": limit, "cursor": cursor}),
            &[],
        ),
        tool(
            "get_object",
            "Get an object",
            "Returns all that is known of an object: its values, and the pages that state them.",
            json!({"object": object}),
            &["object"],
        ),
        tool(
            "object_history",
            "History of an object",
            "Returns the changes of an object since it was found, with old and new values.",
            json!({"object": object}),
            &["object"],
        ),
        tool(
            "changes_since",
            "Changes",
            "Returns changes of all objects after a time or a position, the oldest first.",
            json!({
                "vertical": vertical, "q": query, "limit": limit, "cursor": cursor,
                "since": text("A time, such as 2026-12-01 or 2026-12-01T08:00:00Z, instead of a cursor"),
            }),
            &[],
        ),
        tool(
            "explain_url",
            "Explain a URL",
            "Returns what is known of a URL: whether it was fetched, why not, and what was found on it.",
            json!({"url": text("The URL")}),
            &["url"],
        ),
        tool(
            "list_sites",
            "List sites",
            "Returns the sites that objects are collected from, with their last rounds.",
            json!({"vertical": vertical, "site": text("Only sites whose name contains this"), "limit": limit}),
            &[],
        ),
        tool(
            "plan",
            "Plan",
            "Returns the next visits of pages with their reasons, and what the budget reaches.",
            json!({"vertical": vertical, "limit": limit}),
            &[],
        ),
        tool(
            "status",
            "Status",
            "Returns the state of the workspace: URLs, pages, records, sites, runs and the watch.",
            json!({}),
            &[],
        ),
    ])
}

pub(crate) struct WorkspaceTools<'a> {
    pub(crate) reader: &'a dyn ReadStore,
    /// Its folder, its settings and the time.
    pub(crate) place: &'a Place,
}

impl Tools for WorkspaceTools<'_> {
    fn call(&self, name: &str, arguments: &Map<String, Value>) -> Option<Result<Value, String>> {
        let call = match name {
            "search_objects" => Self::search_objects,
            "get_object" => Self::get_object,
            "object_history" => Self::object_history,
            "changes_since" => Self::changes_since,
            "explain_url" => Self::explain_url,
            "list_sites" => Self::list_sites,
            "plan" => Self::plan,
            "status" => Self::status,
            _ => return None,
        };
        let arguments = Arguments(arguments);
        Some(call(self, &arguments).map_err(|error| error.to_string()))
    }

    fn resources(&self, cursor: Option<&str>) -> Result<(Value, Option<String>), String> {
        resources::list(self.reader, self.now(), cursor).map_err(|error| error.to_string())
    }

    fn templates(&self) -> Result<Value, String> {
        resources::templates(self.reader).map_err(|error| error.to_string())
    }

    fn resource(&self, uri: &str) -> Result<Option<Resource>, String> {
        resources::read(self.reader, uri).map_err(|error| error.to_string())
    }
}

struct Arguments<'a>(&'a Map<String, Value>);

impl Arguments<'_> {
    fn text(&self, name: &str) -> Result<Option<&str>, Error> {
        match self.0.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.as_str()).filter(|text| !text.is_empty())),
            Some(_) => Err(Error::BadRequest(format!("`{name}` is no text"))),
        }
    }

    fn limit(&self) -> Result<usize, Error> {
        let limit = match self.0.get("limit") {
            None | Some(Value::Null) => USUAL_LIMIT,
            Some(value) => value
                .as_u64()
                .filter(|limit| (1..=MAX_LIMIT).contains(limit))
                .ok_or_else(|| Error::BadRequest(format!("`limit` is no number from 1 to {MAX_LIMIT}")))?,
        };
        Ok(usize::try_from(limit).unwrap_or(usize::MAX))
    }

    fn object(&self) -> Result<magpie_rows::ObjectId, Error> {
        // Models write numbers as texts too.
        let value = self.0.get("object").map(ToString::to_string).unwrap_or_default();
        object_id(value.trim_matches('"'))
    }
}

fn bad_cursor() -> Error {
    Error::BadRequest("`cursor` is no position of this workspace: take it from the answer before".to_owned())
}

impl WorkspaceTools<'_> {
    fn now(&self) -> Timestamp {
        self.place.clock.now()
    }

    fn search_objects(&self, arguments: &Arguments<'_>) -> Result<Value, Error> {
        let vertical = VerticalSchema::choose(self.reader, arguments.text("vertical")?)?;
        let query = vertical.query(arguments.text("q")?.unwrap_or_default(), self.now())?;
        let after = arguments
            .text("cursor")?
            .map(|cursor| cursor.parse().map_err(|_| bad_cursor()));
        let options = SearchOptions {
            order: SearchOrder {
                by: SortKey::Relevance,
                is_reversed: false,
            },
            after: after.transpose()?,
            limit: arguments.limit()?,
            facets: 0,
        };
        let page = self.reader.search(&vertical.name, &query, &options)?;
        let (total, is_exact) = match page.total {
            Count::Exact(total) => (total, true),
            Count::MoreThan(total) => (total, false),
        };
        let suggestion = match page.hits.is_empty() {
            true => self.reader.did_you_mean(&vertical.name, &query)?,
            false => None,
        };
        Ok(json!({
            "objects": page.hits.iter().map(ObjectView::from).collect::<Vec<_>>(), "total": total,
            "total_is_exact": is_exact, "did_you_mean": suggestion,
            "cursor": page.next.map(|next| next.to_string()),
        }))
    }

    fn get_object(&self, arguments: &Arguments<'_>) -> Result<Value, Error> {
        let (_, object) = resources::following(self.reader, arguments.object()?)?;
        Ok(object)
    }

    fn object_history(&self, arguments: &Arguments<'_>) -> Result<Value, Error> {
        let id = arguments.object()?;
        let changes = self.reader.object_changes(id)?;
        if changes.is_empty() {
            return Err(Error::NotFound(format!("there is no object {id}")));
        }
        Ok(json!({"object": id.0, "changes": changes.iter().map(ChangeView::from).collect::<Vec<_>>()}))
    }

    fn changes_since(&self, arguments: &Arguments<'_>) -> Result<Value, Error> {
        let cursor: Option<Cursor> = match (arguments.text("cursor")?, arguments.text("since")?) {
            (Some(cursor), _) => Some(cursor.parse().map_err(|_| bad_cursor())?),
            (None, Some(since)) => {
                let time = Timestamp::parse(since).ok_or_else(|| {
                    Error::BadRequest(format!(
                        "invalid value `{since}` for `since`: expected a time such as 2026-12-01T08:00:00Z"
                    ))
                })?;
                Some(self.reader.changes_since(time)?)
            }
            (None, None) => None,
        };
        let mut filter = ChangeFilter {
            vertical: arguments.text("vertical")?.map(str::to_owned),
            ..ChangeFilter::default()
        };
        if let Some(query) = arguments.text("q")? {
            let vertical = VerticalSchema::choose(self.reader, filter.vertical.as_deref())?;
            filter.query = Some(vertical.query(query, self.now())?);
            filter.vertical = Some(vertical.name);
        }
        let page = self
            .reader
            .changes(cursor.as_ref(), &filter, arguments.limit()?)?;
        Ok(json!({
            "changes": page.changes.iter().map(ChangeView::from).collect::<Vec<_>>(),
            "cursor": page.next.to_string(), "is_last": page.is_last,
        }))
    }

    fn explain_url(&self, arguments: &Arguments<'_>) -> Result<Value, Error> {
        let missing = || Error::BadRequest("`url` is missing".to_owned());
        let url = arguments.text("url")?.ok_or_else(missing)?;
        let story = UrlStory::read(
            self.reader,
            &self.place.folder,
            &self.place.settings,
            self.now(),
            url,
        );
        let story = story.map_err(|error| Error::BadRequest(error.to_string()))?;
        Ok(json!(story.view(self.reader)?))
    }

    fn list_sites(&self, arguments: &Arguments<'_>) -> Result<Value, Error> {
        let part = arguments.text("site")?.unwrap_or_default();
        let mut sites = sites_of(self.reader, self.place, arguments.text("vertical")?)?;
        sites.retain(|(key, _)| key.contains(part));
        let total = sites.len();
        let sites: Vec<Value> = sites
            .into_iter()
            .take(arguments.limit()?)
            .map(|(_, site)| json!(site))
            .collect();
        Ok(json!({"sites": sites, "total": total}))
    }

    fn plan(&self, arguments: &Arguments<'_>) -> Result<Value, Error> {
        let learned = self.reader.learned_verticals()?;
        let vertical = match (arguments.text("vertical")?, learned.as_slice()) {
            (Some(name), all) if all.iter().any(|known| known == name) => name,
            (None, [only]) => only.as_str(),
            (_, []) => return Err(Error::NotFound("nothing has been learned yet".to_owned())),
            (_, all) => {
                return Err(Error::BadRequest(format!(
                    "name one `vertical` of {}",
                    all.join(", ")
                )));
            }
        };
        let settings: &Resolved = &self.place.settings;
        let view = View {
            reader: self.reader,
            folder: &self.place.folder,
            settings,
            vertical,
            now: self.now(),
        };
        let watch_plan = view.watch_plan(&settings.settings.watch.budget)?;
        let budgets = FACTORS
            .map(|(factor, name)| ForecastLine::new(&watch_plan, name, factor, &watch_plan.forecast(factor)));
        Ok(json!({
            "visits": VisitLine::all(&watch_plan, arguments.limit()?), "budgets": budgets, "problems": watch_plan.problems,
        }))
    }

    fn status(&self, _: &Arguments<'_>) -> Result<Value, Error> {
        let folder = &self.place.folder;
        let overview = Overview::read(self.reader, folder, &self.place.settings, self.now())?;
        Ok(json!(overview.view(folder)))
    }
}
