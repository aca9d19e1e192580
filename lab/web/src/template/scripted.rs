//! Pages that are made by scripts: the data of a page as JSON, its place in the page, and the
//! script that shows it.

use serde_json::{Map, Value as Json, json};

use super::page::Writer;
use super::skin::{ListLayout, Part};
use crate::address::{Facet, Noise, PageVariant, Route};
use crate::content::{Block, Content, Field, Record, Scene};
use crate::facts::{Attribute, Value};
use crate::language::Word;
use crate::site::{JsonForm, MoneyForm, ScriptStyle, Scripts};
use crate::spec::ScriptChange;

/// The script of all sites. `CONFIG` is replaced by what differs between them.
const APP: &str = include_str!("app.js");

/// The part of a page that its script makes.
#[derive(Debug)]
pub(crate) struct Mount {
    /// Path and query of the data.
    source: String,
    /// The data, if the page has it.
    state: Option<Json>,
    bundle: String,
    is_json_script: bool,
    /// The page has the list, and the script leads on from it.
    pub(super) hydrated: Option<Hydrated>,
}

/// A list from which a script leads on.
#[derive(Clone, Debug)]
pub(super) struct Hydrated {
    pub(super) style: ScriptStyle,
    /// Path and query of the data of the next page.
    pub(super) next: Option<String>,
}

impl Mount {
    /// Returns true if the page has the data, or the objects themselves.
    pub(crate) fn has_objects(&self) -> bool {
        self.state.is_some() || self.hydrated.is_some()
    }
}

const ORDER: [Attribute; 25] = [
    Attribute::Title,
    Attribute::Subtitle,
    Attribute::Start,
    Attribute::End,
    Attribute::Venue,
    Attribute::Address,
    Attribute::Authors,
    Attribute::Publisher,
    Attribute::Published,
    Attribute::Isbn,
    Attribute::Format,
    Attribute::Pages,
    Attribute::Language,
    Attribute::Brand,
    Attribute::Model,
    Attribute::Gtin,
    Attribute::Mpn,
    Attribute::Sku,
    Attribute::Price,
    Attribute::Availability,
    Attribute::Rating,
    Attribute::Organiser,
    Attribute::Performers,
    Attribute::Status,
    Attribute::Specifications,
];

impl Scene<'_> {
    /// Returns the part of a page that its script makes; `None` if it has no such part.
    pub(crate) fn mount(&self, route: &Route, content: &Content) -> Option<Mount> {
        let scripts = self.scripts().filter(|scripts| scripts.shows(route))?;
        let has_data = |block: &Block| matches!(block, Block::List(_) | Block::Record(_));
        let is_list = matches!(route, Route::Home | Route::List { .. } | Route::Dated { .. });
        content.main.iter().any(has_data).then(|| Mount {
            hydrated: (scripts.is_hydrated && is_list).then(|| Hydrated {
                style: scripts.style,
                next: self.next_data(scripts, route),
            }),
            source: self.data_path(scripts, route),
            state: (!scripts.has_endpoint()).then(|| self.data(scripts, route, content)),
            bundle: scripts.bundle.clone(),
            is_json_script: scripts.json.has_json_script,
        })
    }

    /// Returns the scripts of the site in this week.
    pub(crate) fn scripts(&self) -> Option<&Scripts> {
        match self.web.spec().script_change {
            Some(ScriptChange::BeginIn(week)) if self.week < week => None,
            Some(ScriptChange::MoveIn(week)) if self.week >= week => self.site.moved_scripts.as_ref(),
            _ => self.site.scripts.as_ref(),
        }
    }

    /// Returns the week in which the scripts of the site have changed.
    pub(crate) fn scripts_changed(&self) -> Option<u32> {
        let (ScriptChange::BeginIn(week) | ScriptChange::MoveIn(week)) = self.web.spec().script_change?;
        (self.site.scripts.is_some() && self.week >= week).then_some(week)
    }

    fn own_path(&self, route: &Route) -> String {
        let mut path = String::new();
        self.design.style.write(&mut path, route, self, Noise::default());
        path
    }

    fn data_path(&self, scripts: &Scripts, route: &Route) -> String {
        format!("{}{}", scripts.base, self.own_path(route))
    }

    pub(crate) fn data(&self, scripts: &Scripts, route: &Route, content: &Content) -> Json {
        let form = &scripts.json;
        let is_single = matches!(content.main.first(), Some(Block::Record(_)));
        if is_single {
            let row = self.json_row(form, &content.records[0]);
            return if form.is_wrapped {
                json!({ "data": row })
            } else {
                row
            };
        }
        let listed = content.main.iter().find_map(|block| match block {
            Block::List(range) => Some(range.clone()),
            _ => None,
        });
        let records = &content.records[listed.unwrap_or(0..0)];
        let rows: Vec<Json> = records.iter().map(|record| self.json_row(form, record)).collect();
        let mut meta = self.meta(scripts, route);
        meta.insert("count".to_owned(), rows.len().into());
        if form.is_wrapped {
            return json!({ "data": { form.rows: rows }, "meta": meta });
        }
        meta.insert(form.rows.to_owned(), rows.into());
        Json::Object(meta)
    }

    /// Returns the path and query of the data of the next page of a list.
    fn next_data(&self, scripts: &Scripts, route: &Route) -> Option<String> {
        let Route::List { facet, page, order } = *route else {
            return None;
        };
        let next = Route::List {
            facet,
            page: page + 1,
            order,
        };
        (page < self.pages(self.selected(facet, order).len())).then(|| self.data_path(scripts, &next))
    }

    /// Returns the page number, and the next and the previous page.
    fn meta(&self, scripts: &Scripts, route: &Route) -> Map<String, Json> {
        let mut meta = Map::new();
        let Route::List { facet, page, order } = *route else {
            return meta;
        };
        let pages = self.pages(self.selected(facet, order).len());
        meta.insert("page".to_owned(), page.into());
        meta.insert("pages".to_owned(), pages.into());
        let url = |page: u32| {
            let route = Route::List { facet, page, order };
            if scripts.links_endpoint() {
                self.data_path(scripts, &route)
            } else {
                self.own_path(&route)
            }
        };
        let [next, previous] = next_names(scripts);
        let next_url = (page < pages).then(|| url(page + 1));
        let previous_url = (page > 1).then(|| url(page - 1));
        meta.insert(next.to_owned(), next_url.into());
        meta.insert(previous.to_owned(), previous_url.into());
        if matches!(facet, Facet::Category(_)) {
            meta.insert("category".to_owned(), self.list_name(facet).into());
        }
        meta
    }

    fn json_row(&self, form: &JsonForm, record: &Record) -> Json {
        let mut row = Map::new();
        row.insert("id".to_owned(), (1_000 + record.position).into());
        let route = Route::Detail {
            position: record.position,
            variant: PageVariant::Main,
        };
        row.insert(url_name(form).to_owned(), self.own_path(&route).into());
        for field in &record.fields {
            let name = key(form, field.attribute);
            match (field.attribute, &field.value) {
                (Attribute::Price, Value::Money(cents, currency)) => {
                    let amount = f64::from(*cents) / 100.0;
                    let value = match form.money {
                        MoneyForm::Number => {
                            row.insert("currency".to_owned(), (*currency).into());
                            json!(amount)
                        }
                        MoneyForm::Nested => json!({ "amount": amount, "currency": currency }),
                        MoneyForm::Text => json!(format!("{amount:.2} {currency}")),
                    };
                    row.insert(name, value);
                }
                _ => {
                    row.insert(name, value(form, field));
                }
            }
        }
        Json::Object(row)
    }

    pub(crate) fn bundle(&self, scripts: &Scripts) -> String {
        let form = &scripts.json;
        let skin = &self.design.skin;
        let (outer, inner) = match skin.list {
            ListLayout::Bullets | ListLayout::Table => ("ul", "li"),
            ListLayout::Numbered => ("ol", "li"),
            ListLayout::Divs | ListLayout::Definitions => ("div", "div"),
            ListLayout::Articles => ("div", "article"),
        };
        let field = |attribute: &Attribute| {
            let label = if matches!(attribute, Attribute::Title | Attribute::Subtitle) {
                ""
            } else {
                self.design.writing.label(*attribute)
            };
            json!({ "key": key(form, *attribute), "kind": kind(*attribute), "label": label })
        };
        let [next, previous] = next_names(scripts);
        let stock = [true, false].map(|has| {
            self.design
                .writing
                .write(Attribute::Availability, &Value::Stock(has))
        });
        let config = json!({
            "style": scripts.style,
            "language": self.design.writing.language.code,
            "base": scripts.base,
            "guarded": scripts.is_guarded,
            "linksEndpoint": scripts.links_endpoint(),
            "rows": if form.is_wrapped { format!("data.{}", form.rows) } else { form.rows.to_owned() },
            "one": if form.is_wrapped { "data" } else { "" },
            "meta": if form.is_wrapped { "meta" } else { "" },
            "next": next,
            "previous": previous,
            "url": url_name(form),
            "outer": outer,
            "inner": inner,
            "heading": skin.heading,
            "itemHeading": skin.item_heading,
            "more": self.word(Word::More),
            "words": [self.word(Word::Previous), self.word(Word::Next)],
            "stock": stock,
            "classes": {
                "list": skin.class(Part::List),
                "item": skin.class(Part::Item),
                "title": skin.class(Part::ItemTitle),
                "field": skin.class(Part::ItemField),
                "record": skin.class(Part::Record),
                "heading": skin.class(Part::Heading),
                "line": skin.class(Part::Field),
                "label": skin.class(Part::Label),
                "value": skin.class(Part::Value),
                "pager": skin.class(Part::Pager),
            },
            "fields": ORDER.iter().map(field).collect::<Vec<_>>(),
        });
        APP.replace("CONFIG", &config.to_string())
    }
}

impl Scripts {
    /// Returns true if lists give the next page by its URL in the endpoint.
    fn links_endpoint(&self) -> bool {
        self.has_endpoint() && self.json.links_endpoint
    }
}

impl Writer<'_> {
    /// Writes a list from which the script of the page leads on, and the script.
    pub(super) fn hydrated_list(&mut self, records: &[Record], mount: &Mount, hydrated: &Hydrated) {
        self.raw("<div id=\"app\" data-hydrated=\"\"");
        if let Some(next) = &hydrated.next {
            self.attribute("data-next", next);
        }
        self.raw(">");
        self.list(records);
        if let Some(next) = &hydrated.next {
            match hydrated.style {
                ScriptStyle::LoadMore => {
                    self.raw("<button type=\"button\" class=\"more\">");
                    let text = self.scene.word(Word::More).to_owned();
                    self.text(&text);
                    self.raw("</button>");
                }
                ScriptStyle::Clicks => {
                    let page = next.replacen(self.scene.scripts().map_or("", |scripts| scripts.base), "", 1);
                    let text = self.scene.word(Word::Next).to_owned();
                    self.clicked(&page);
                    self.text(&text);
                    self.raw("</span>");
                }
                _ => self.raw("<div class=\"more\" data-more=\"\"></div>"),
            }
        }
        self.raw("</div><script defer");
        self.attribute("src", &mount.bundle);
        self.raw("></script>");
    }

    /// Opens an element that leads to a page when it is clicked.
    pub(super) fn clicked(&mut self, path: &str) {
        self.raw("<span role=\"link\" tabindex=\"0\"");
        self.attribute("data-to", path);
        self.raw(">");
    }

    /// Writes the place of the part that the script makes, and the script.
    pub(super) fn mount(&mut self, mount: &Mount) {
        self.raw("<div id=\"app\"");
        if mount.state.is_none() {
            self.attribute("data-source", &mount.source);
        }
        self.raw("></div>");
        if let Some(state) = &mount.state {
            // A text that ends the script element must not be in it.
            if mount.is_json_script {
                let state = json!({ "props": { "pageProps": state }, "page": "/" });
                self.raw("<script id=\"__NEXT_DATA__\" type=\"application/json\">");
                self.raw(&state.to_string().replace('<', "\\u003c"));
                self.raw("</script>");
            } else {
                self.raw("<script>window.__INITIAL_STATE__ = ");
                self.raw(&state.to_string().replace('<', "\\u003c"));
                self.raw(";</script>");
            }
        }
        self.raw("<script defer");
        self.attribute("src", &mount.bundle);
        self.raw("></script>");
    }
}

/// Names of the properties of the next and the previous page.
fn next_names(scripts: &Scripts) -> [&'static str; 2] {
    match (scripts.links_endpoint(), scripts.json.is_camel) {
        (true, _) => ["next", "previous"],
        (false, true) => ["nextPage", "previousPage"],
        (false, false) => ["next_page", "previous_page"],
    }
}

fn url_name(form: &JsonForm) -> &'static str {
    form.key.of("url", 0).pick(&["url", "link", "path", "permalink"])
}

/// Returns the key of an attribute: one of its usual names, with its words joined as on the site.
fn key(form: &JsonForm, attribute: Attribute) -> String {
    let names: &[&'static str] = match attribute {
        Attribute::Title => &["name", "title"],
        Attribute::Subtitle => &["subtitle", "tagline"],
        Attribute::Start => &["start", "start date", "starts at", "date"],
        Attribute::End => &["end", "end date", "ends at"],
        Attribute::Venue => &["venue", "location", "place"],
        Attribute::Address => &["address", "street address"],
        Attribute::Price => &["price", "price", "sale price"],
        Attribute::Organiser => &["organizer", "organiser", "host"],
        Attribute::Performers => &["performers", "artists", "speakers"],
        Attribute::Status => &["status", "event status"],
        Attribute::Authors => &["authors", "author", "contributors"],
        Attribute::Publisher => &["publisher", "imprint"],
        Attribute::Published => &["published", "publication date", "released"],
        Attribute::Isbn => &["isbn", "isbn13"],
        Attribute::Format => &["format", "binding"],
        Attribute::Pages => &["pages", "page count"],
        Attribute::Language => &["language", "lang"],
        Attribute::Rating => &["rating", "average rating"],
        Attribute::Brand => &["brand", "manufacturer", "vendor"],
        Attribute::Model => &["model"],
        Attribute::Gtin => &["gtin", "ean", "barcode"],
        Attribute::Mpn => &["mpn", "part number"],
        Attribute::Sku => &["sku", "article number"],
        Attribute::Availability => &["in stock", "available"],
        Attribute::Specifications => &["attributes", "specifications"],
    };
    let name = form.key.of("name", attribute as u64).pick(names);
    let mut words = name.split(' ');
    let mut joined = words.next().unwrap_or_default().to_owned();
    for word in words {
        if form.is_camel {
            joined.push_str(&crate::words::capital(word));
        } else {
            joined.push('_');
            joined.push_str(word);
        }
    }
    joined
}

fn kind(attribute: Attribute) -> &'static str {
    match attribute {
        Attribute::Start | Attribute::End | Attribute::Published => "date",
        Attribute::Price => "money",
        Attribute::Availability => "stock",
        Attribute::Rating => "rating",
        Attribute::Specifications => "table",
        _ => "text",
    }
}

fn value(form: &JsonForm, field: &Field) -> Json {
    let name = |name: &str| {
        if form.has_nested_names {
            json!({ "name": name })
        } else {
            json!(name)
        }
    };
    let is_name = matches!(
        field.attribute,
        Attribute::Venue | Attribute::Organiser | Attribute::Publisher | Attribute::Brand
    );
    match &field.value {
        Value::People(people) => people
            .iter()
            .map(|person| name(&format!("{} {}", person.given, person.family)))
            .collect(),
        Value::Number(number) => json!(number),
        Value::Rating(tenths, _) => json!(f64::from(*tenths) / 10.0),
        Value::Stock(has) => json!(has),
        Value::Table(rows) => rows
            .iter()
            .map(|(name, value)| ((*name).to_owned(), json!(value)))
            .collect::<Map<_, _>>()
            .into(),
        Value::Text(text) if is_name => name(text),
        Value::Text(text) => json!(text),
        Value::Moment(..) | Value::Money(..) | Value::Code(_) | Value::Language(_) => {
            json!(field.value.normal().concat())
        }
    }
}
