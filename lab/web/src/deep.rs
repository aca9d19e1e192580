//! Truth of deep sites: databases, forms, arguments, the results of URLs. Queries and names that
//! users would type.

use std::collections::BTreeSet;

use serde::Serialize;

use crate::address::{Hidden, Route, Submission};
use crate::content::{FormPurpose, HtmlForm, Outcome, ResultState, Scene};
use crate::language::SEARCH_WORDS;
use crate::population::ObjectId;
use crate::random::Key;
use crate::site::{FieldRole, Item, Place, SearchDesign, SearchField, Transport, Widget};
use crate::spec::Vertical;
use crate::web::Web;
use crate::words::Tongue;

/// Effect of an argument of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ArgumentKind {
    /// Free words.
    Query,
    /// Restricts the results.
    Selection,
    /// Changes the order or the number of results on a page.
    Presentation,
    /// Selects a page of the same results.
    Paging,
    Irrelevant,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TrueArgument {
    pub name: String,
    pub kind: ArgumentKind,
    /// True for the main field of free words.
    pub is_keyword: bool,
    /// True if the form has the argument; otherwise only links carry it.
    pub is_in_form: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TrueInput {
    pub name: String,
    /// Element or type: `text`, `search`, `number`, `date`, `email`, `password`, `select`, `radio`,
    /// `checkbox`, `hidden`.
    pub control: &'static str,
    /// Effect; `None` in forms that find no objects.
    pub kind: Option<ArgumentKind>,
    /// Meaning, such as `price-from`; `None` in forms that find no objects.
    pub role: Option<&'static str>,
    /// True for the main field of free words.
    pub is_keyword: bool,
    /// Value that is sent unless the user changes it. A token differs at every fetch.
    pub default: String,
    /// Values of a select, a radio group or a checkbox.
    pub options: Vec<String>,
    pub depends_on: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TrueForm {
    pub page: String,
    pub purpose: FormPurpose,
    /// URL that the form is sent to; `None` if a script sends it.
    pub action: Option<String>,
    /// `get` or `post`.
    pub method: &'static str,
    pub inputs: Vec<TrueInput>,
}

/// The search of a deep site in a week.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TrueSearch {
    /// Index of the site in the web.
    pub site: u32,
    pub host: String,
    /// Number of objects that the search looks at.
    pub database: u32,
    /// Objects that are listed or linked without a search, by the home page and the feed.
    pub surface: Vec<ObjectId>,
    pub hidden: Vec<ObjectId>,
    /// Objects without a page of their own.
    pub list_only: Vec<ObjectId>,
    /// True if a GET shows results; otherwise the search is sent with POST or needs a browser.
    pub answers_get: bool,
    /// True if robots.txt forbids the results.
    pub is_forbidden: bool,
    /// Objects on a page of results unless the URL asks for another number.
    pub page_size: u32,
    /// Kinds of the search, such as `post`, `inputs-3` or `empty-wordless`.
    pub kinds: Vec<String>,
    /// Forms of the home page, then that of the page of the search.
    pub forms: Vec<TrueForm>,
    pub arguments: Vec<TrueArgument>,
    /// URL templates of the keyword search with `{query}`, that of the form first, then that after
    /// a redirect. A value that differs at every fetch is `{token}`. Empty without a keyword field,
    /// and for POST.
    pub templates: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TrueResult {
    /// Index of the site in the web.
    pub site: u32,
    /// URL that the site itself uses for the page.
    pub url: String,
    pub state: ResultState,
    pub total: u32,
    /// Number of matching objects that some page of the results shows.
    pub listed: u32,
    /// Matching objects on this page, in order.
    pub objects: Vec<ObjectId>,
    /// Objects on this page that do not match: popular ones instead of none, paid ones.
    pub others: Vec<ObjectId>,
    /// True if robots.txt forbids the page.
    pub is_forbidden: bool,
}

impl TrueResult {
    /// Returns true if the page shows no object that matches and leads to none.
    pub fn is_empty(&self) -> bool {
        matches!(self.state, ResultState::Empty | ResultState::Blank)
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LoggedQuery {
    pub query: String,
    /// Number of times that it was sent.
    pub count: u32,
    /// Host that most users chose; any site of the web.
    pub host: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Entity {
    /// Type, such as `author` or `mineral`.
    pub kind: String,
    pub name: String,
}

impl Web {
    /// Iterates over the searches of the deep sites in a week.
    pub fn searches(&self, week: u32) -> impl Iterator<Item = TrueSearch> {
        let sites = self.all_sites().iter();
        sites
            .filter(move |site| !site.is_gone(week))
            .filter_map(move |site| Scene::new(self, site, week).true_search())
    }

    /// Returns the search of a site in a week; `None` if the site is not deep.
    pub fn search_of(&self, site: u32, week: u32) -> Option<TrueSearch> {
        self.scene(site, week).true_search()
    }

    /// Returns the truth of a page of results; `None` for URLs of other pages. `form` is the body
    /// of a form sent with POST.
    pub fn result(&self, url: &str, form: Option<&str>, week: u32) -> Option<TrueResult> {
        let (site, path) = self.split(url)?;
        let scene = Scene::new(self, site, week);
        let search = scene.hidden()?;
        let submission = match form {
            Some(form) if search.transport == Transport::Post && path.starts_with(&search.action) => {
                search.submission(form).unwrap_or_default()
            }
            _ => match search.read(path)? {
                Hidden::Results(submission) => submission,
                _ => return None,
            },
        };
        Some(scene.true_result(search, &submission))
    }

    /// Returns the log of a search engine's users: queries with counts, most frequent first. Counts
    /// are skewed as the popularity of the objects is. Queries name objects, people or places, many
    /// with an affix such as "buy" in the language of the chosen site; some name a site or nothing
    /// in the web.
    pub fn query_log(&self, count: usize) -> Vec<LoggedQuery> {
        let key = Key::root(self.spec().seed).of("query log", 0);
        let sites = self.all_sites();
        let mut objects: Vec<(u64, ObjectId)> = self
            .population
            .born_in(0)
            .map(|id| ((self.population.popularity(id) * 1e6) as u64, id))
            .collect();
        objects.sort_unstable_by(|one, other| other.cmp(one));
        let mut log: Vec<LoggedQuery> = Vec::new();
        let mut known = BTreeSet::new();
        for rank in 0..(count as u64 * 4) {
            if log.len() >= count {
                break;
            }
            let key = key.of("rank", rank);
            let Some((_, object)) = objects.get(rank as usize % objects.len().max(1)) else {
                break;
            };
            let at = self.sites_of(*object);
            let site = at.get(key.of("site", 0).below(at.len().max(1) as u64) as usize);
            let Some(site) = site.map(|site| &sites[*site as usize]) else {
                continue;
            };
            let words = &SEARCH_WORDS[site.eras[0].design.writing.language_index()];
            let title = self.population.title(*object);
            let stem = match key.of("stem", 0).below(20) {
                0 => site.name.clone(),
                1 => self.population.tongue().name(key.of("nothing", 0)),
                2..6 => self.people_of(*object).unwrap_or(title),
                6..9 => title
                    .split(' ')
                    .max_by_key(|word| word.len())
                    .unwrap_or_default()
                    .to_owned(),
                _ => title,
            };
            let affix = key.of("affix", 0).pick(&words.affixes);
            let query = match key.of("affixed", 0).below(10) {
                0..3 => format!("{affix} {stem}"),
                3 => format!("{stem} {affix}"),
                _ => stem,
            };
            let query = query.to_lowercase();
            let share = 1.0 / (rank as f64 + 2.0);
            if known.insert(query.clone()) {
                log.push(LoggedQuery {
                    query,
                    count: 1 + (share * 10_000.0) as u32,
                    host: site.hosts.main.clone(),
                });
            }
        }
        log
    }

    fn people_of(&self, object: ObjectId) -> Option<String> {
        use crate::facts::Attribute;
        let facts = self.population.facts(object, 0);
        let person = facts.iter().find(|fact| {
            matches!(
                fact.attribute,
                Attribute::Authors | Attribute::Performers | Attribute::Brand
            )
        })?;
        person.value.normal().into_iter().next()
    }

    /// Returns a knowledge base: names by type, at most `count` of a type. Types are the objects of
    /// each category, people and groups, which some sites have and others do not, and three types
    /// that no site has. A fifth of the names of a type are of objects that the web does not have.
    pub fn entities(&self, count: usize) -> Vec<Entity> {
        let key = Key::root(self.spec().seed).of("entities", 0);
        let (thing, people, group) = match self.spec().vertical {
            Vertical::Events => ("event", "performer", "town"),
            Vertical::Books => ("book", "author", "publisher"),
            Vertical::Products => ("product", "brand", "maker"),
        };
        let mut known = BTreeSet::new();
        let mut counts: std::collections::BTreeMap<String, usize> = std::collections::BTreeMap::new();
        let mut entities = Vec::new();
        let mut add = |kind: String, name: String| {
            let entry = counts.entry(kind.clone()).or_default();
            if *entry < count && known.insert((kind.clone(), name.clone())) {
                *entry += 1;
                entities.push(Entity { kind, name });
            }
        };
        let total = self.population.count(0);
        // Past the stock there are objects that the web will have later, or never.
        for id in 0..total + total / 4 {
            let category = self.population.category_name(self.population.category(id));
            add(format!("{thing} in {category}"), self.population.title(id));
            if let Some(name) = self.people_of(id).filter(|_| id % 3 == 0) {
                add(people.to_owned(), name);
            }
        }
        for id in 0..self.group_slugs.len() as u16 {
            add(group.to_owned(), self.population.group_name(id).to_owned());
        }
        let foreign = Tongue::new(key.of("tongue", 0));
        for kind in ["mineral", "river", "enzyme"] {
            for id in 0..count.min(500) as u64 {
                add(kind.to_owned(), foreign.name(key.of(kind, id)));
            }
        }
        entities.sort_by(|one, other| one.kind.cmp(&other.kind));
        entities
    }
}

fn ids(items: &[Item]) -> Vec<ObjectId> {
    items.iter().map(|item| item.object).collect()
}

impl Scene<'_> {
    fn true_search(&self) -> Option<TrueSearch> {
        let search = self.hidden()?;
        let surface = self.surface();
        let is_open = |item: &&Item| surface.iter().any(|one| one.position == item.position);
        let current = &self.view.current;
        let hidden: Vec<ObjectId> = current
            .iter()
            .filter(|item| !is_open(item))
            .map(|item| item.object)
            .collect();
        let list_only = current
            .iter()
            .filter(|item| self.is_list_only(item.position))
            .map(|item| item.object)
            .collect();
        let host = self.search_host().to_owned();
        let templates = [search.template("{query}"), search.canonical_template("{query}")];
        Some(TrueSearch {
            site: self.site.index,
            database: current.len() as u32,
            surface: ids(&surface),
            hidden,
            list_only,
            answers_get: search.answers_get(),
            is_forbidden: search.is_disallowed,
            page_size: search.page_size,
            kinds: search.kinds(),
            forms: self.true_forms(search),
            arguments: arguments(search),
            templates: templates
                .into_iter()
                .flatten()
                .map(|template| format!("http://{host}{template}"))
                .collect(),
            host,
        })
    }

    fn true_forms(&self, search: &SearchDesign) -> Vec<TrueForm> {
        let home = self.url(&Route::Home);
        let mut forms: Vec<TrueForm> = self
            .home_forms()
            .into_iter()
            .map(|form| true_form(search, &home, form))
            .collect();
        let page = match search.place {
            Place::Results => Hidden::Articles("a".to_owned()),
            Place::Home | Place::Advanced => Hidden::Form,
        };
        let url = self.url(&Route::Hidden(page));
        let form = self.search_form(search, &Submission::default());
        forms.push(true_form(search, &url, form));
        forms
    }

    fn true_result(&self, search: &SearchDesign, submission: &Submission) -> TrueResult {
        let found = self.found(search, submission);
        let route = Route::Hidden(Hidden::Results(submission.clone()));
        let url = self.url(&route);
        let is_page = matches!(self.content(&route), Outcome::Page(_));
        let mut others: Vec<Item> = self.sponsored(search, submission).into_iter().collect();
        if found.state == ResultState::Empty {
            others.extend(self.substitutes(search));
        }
        let path = url.splitn(4, '/').nth(3).unwrap_or_default();
        TrueResult {
            site: self.site.index,
            is_forbidden: self.is_forbidden(&format!("/{path}")),
            url,
            state: found.state,
            total: found.total as u32,
            listed: found.listed as u32,
            objects: ids(&found.shown),
            others: if is_page { ids(&others) } else { Vec::new() },
        }
    }
}

fn true_form(search: &SearchDesign, page: &str, form: HtmlForm) -> TrueForm {
    let group = search
        .field(FieldRole::Group)
        .map(|field| search.fields[usize::from(field)].name.clone());
    let inputs = form.inputs.into_iter().map(|input| TrueInput {
        kind: input.role.map(argument_kind),
        role: input.role.map(role_name),
        is_keyword: input.role == Some(FieldRole::Keyword),
        depends_on: group.clone().filter(|_| input.role == Some(FieldRole::Line)),
        default: if input.role == Some(FieldRole::Token) {
            "{token}".to_owned()
        } else {
            input.value
        },
        options: input.options.into_iter().map(|choice| choice.value).collect(),
        name: input.name,
        control: input.kind,
    });
    TrueForm {
        page: page.to_owned(),
        purpose: form.purpose,
        action: form.action,
        method: if form.is_post { "post" } else { "get" },
        inputs: inputs.collect(),
    }
}

fn arguments(search: &SearchDesign) -> Vec<TrueArgument> {
    let of_field = |field: &SearchField| TrueArgument {
        name: field.name.clone(),
        kind: argument_kind(field.role),
        is_keyword: field.role == FieldRole::Keyword,
        is_in_form: field.widget != Widget::Link,
    };
    let plain = |name: &str, kind, is_in_form| TrueArgument {
        name: name.to_owned(),
        kind,
        is_keyword: false,
        is_in_form,
    };
    let mut arguments: Vec<TrueArgument> = search.fields.iter().map(of_field).collect();
    arguments.push(plain(&search.paging_name, ArgumentKind::Paging, false));
    let tracking = search.tracking.as_deref();
    arguments.extend(tracking.map(|name| plain(name, ArgumentKind::Irrelevant, false)));
    arguments.extend(
        search
            .button_name
            .map(|name| plain(name, ArgumentKind::Irrelevant, true)),
    );
    if search.is_inert {
        for argument in &mut arguments {
            argument.kind = ArgumentKind::Irrelevant;
        }
    }
    arguments
}

fn argument_kind(role: FieldRole) -> ArgumentKind {
    match role {
        role if role.is_presentation() => ArgumentKind::Presentation,
        role if !role.is_effective() => ArgumentKind::Irrelevant,
        FieldRole::Keyword | FieldRole::Title | FieldRole::Person | FieldRole::Code => ArgumentKind::Query,
        _ => ArgumentKind::Selection,
    }
}

fn role_name(role: FieldRole) -> &'static str {
    match role {
        FieldRole::Keyword => "keyword",
        FieldRole::Title => "title",
        FieldRole::Person => "person",
        FieldRole::Code => "code",
        FieldRole::Postcode => "postcode",
        FieldRole::Category => "category",
        FieldRole::Group => "group",
        FieldRole::Line => "line",
        FieldRole::Language => "language",
        FieldRole::Stock => "stock",
        FieldRole::PriceFrom => "price-from",
        FieldRole::PriceTo => "price-to",
        FieldRole::DateFrom => "date-from",
        FieldRole::DateTo => "date-to",
        FieldRole::Year => "year",
        FieldRole::Sort => "sort",
        FieldRole::PageSize => "page-size",
        FieldRole::Ignored => "ignored",
        FieldRole::Scope => "scope",
        FieldRole::Token => "token",
        FieldRole::Source => "source",
        FieldRole::Honeypot => "honeypot",
        FieldRole::Bulk => "bulk",
        FieldRole::Huge => "huge",
        FieldRole::Odd => "odd",
    }
}
