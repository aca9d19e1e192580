//! Ground truth: the objects of every page, the values and pages of every object.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use serde::Serialize;

use crate::address::{Hidden, Noise, PageVariant, Route};
use crate::content::{Content, Outcome, PastEvent, Record, Role, Scene};
use crate::deep::TrueSearch;
use crate::population::ObjectId;
use crate::respond::is_broken;
use crate::site::Decoy;
use crate::spec::Vertical;
use crate::web::{Located, ScriptInfo, Web};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum PageKind {
    Home,
    /// List of objects, by category, place, tag or age.
    List,
    /// Objects by day.
    Calendar,
    Detail,
    /// Another page of a single object: a print version, a page below, a second path.
    Copy,
    Form,
    /// Results of a search, listed only where they are the one page of an object.
    Results,
    /// Off-topic page: news, forums, help, logins, carts, comments, archives.
    Beside,
}

#[derive(Clone, Debug, Serialize)]
pub struct TruePage {
    /// URL that the site itself uses for the page.
    pub url: String,
    /// Index of the site in the web.
    pub site: u32,
    pub kind: PageKind,
    /// Distinct objects that the page shows in enough detail to identify them, in order.
    pub objects: Vec<ObjectId>,
    /// Objects that the page only names.
    pub mentions: Vec<ObjectId>,
    /// Parts of the page that look like objects but are not.
    pub decoys: Vec<Decoy>,
    /// Past events of an old article. A crawl that dates them correctly found neither a phantom nor
    /// an object.
    pub bygone: Vec<PastEvent>,
    /// True if a script shows the objects, and the answer of the server does not have them.
    pub is_scripted: bool,
    /// True if every fetch of the page fails.
    pub is_broken: bool,
    /// True if robots.txt forbids the page.
    pub is_forbidden: bool,
}

/// A site in a week: its objects, the pages that lead to them, and those that need no scripts.
#[derive(Clone, Debug, Serialize)]
pub struct SiteTruth {
    /// Host that the site's own links use.
    pub host: String,
    /// Scripts that show the objects, if the pages do not have them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scripts: Option<ScriptInfo>,
    /// Number of pages, without traps and results of searches.
    pub pages: usize,
    pub objects: usize,
    /// Distinct objects on pages whose answers have them without a script.
    pub plain_objects: usize,
    /// Hubs: list pages that together name every object of the site that some list names. Each
    /// names objects that those before it do not, the list with most of them first.
    pub hubs: Vec<String>,
    /// Objects that the hubs name, including those by name alone.
    pub hub_objects: usize,
}

/// An object of the world in a week.
#[derive(Clone, Debug, Serialize)]
pub struct TrueObject {
    pub id: ObjectId,
    /// Facts that hold on every site: normal forms, by the names of the vertical's schema.
    pub attributes: BTreeMap<String, Vec<String>>,
    /// Facts that may differ between sites, such as prices: the values of all pages.
    pub local: BTreeMap<String, Vec<String>>,
    /// Pages of the object, as indexes into [`Truth::pages`].
    pub pages: Vec<u32>,
    /// True if the object is past or no longer sold.
    pub is_gone: bool,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Shown {
    pub object: ObjectId,
    /// True if the page is about this object alone.
    pub is_main: bool,
    /// Values on the page, by attribute.
    pub values: BTreeMap<String, ShownValue>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ShownValue {
    pub normal: Vec<String>,
    pub written: String,
    /// True if the value is a planted error or out of date.
    pub is_wrong: bool,
}

#[derive(Clone, Debug, Default, Serialize)]
pub struct Truth {
    pub week: u32,
    /// Objects that some page shows, by id.
    pub objects: Vec<TrueObject>,
    /// All pages except traps and results of searches, site by site. An object without a page of
    /// its own has one page of results.
    pub pages: Vec<TruePage>,
    pub searches: Vec<TrueSearch>,
    #[serde(skip)]
    page_indexes: HashMap<String, u32>,
    #[serde(skip)]
    web: Option<Arc<Web>>,
}

impl Web {
    /// Iterates over the pages of a site in a week, with their objects. Also suits webs that are
    /// too large for memory.
    pub fn pages(&self, site: u32, week: u32) -> impl Iterator<Item = TruePage> {
        let scene = self.scene(site, week);
        let other = scene.other_language();
        [Some(scene), other].into_iter().flatten().flat_map(|scene| {
            let routes = scene.routes().into_iter();
            routes.filter_map(move |route| scene.true_page(&route))
        })
    }

    pub fn site_truths(&self, week: u32) -> impl Iterator<Item = SiteTruth> {
        self.sites().map(move |site| {
            let pages: Vec<TruePage> = self.pages(site.index, week).collect();
            let distinct = |wanted: &dyn Fn(&TruePage) -> bool| {
                let wanted = pages.iter().filter(|page| wanted(page));
                wanted
                    .flat_map(|page| &page.objects)
                    .collect::<BTreeSet<_>>()
                    .len()
            };
            let (hubs, hub_objects) = hubs(&pages);
            SiteTruth {
                host: site.host,
                scripts: site.scripts,
                objects: distinct(&|_| true),
                plain_objects: distinct(&|page| !page.is_scripted),
                hubs,
                hub_objects,
                pages: pages.len(),
            }
        })
    }

    /// Returns all objects on a page in a week with their values; empty for pages without objects.
    pub fn shown(&self, url: &str, week: u32) -> Vec<Shown> {
        let Some((scene, route)) = self.route(url, week) else {
            return Vec::new();
        };
        match scene.content(&route) {
            Outcome::Page(content) => content
                .records
                .iter()
                .map(|record| shown(record, self.spec().vertical))
                .collect(),
            _ => Vec::new(),
        }
    }

    /// Returns the truth of a week, all in memory.
    pub fn truth(self: &Arc<Self>, week: u32) -> Truth {
        let sites = self.all_sites().len() as u32;
        let pages = (0..sites).flat_map(|site| self.pages(site, week)).collect();
        let mut truth = Truth::new(week, Vec::new(), pages);
        let mut objects: BTreeMap<ObjectId, Vec<u32>> = BTreeMap::new();
        for (index, page) in (0..).zip(&truth.pages) {
            for object in &page.objects {
                objects.entry(*object).or_default().push(index);
            }
        }
        truth.objects = objects
            .into_iter()
            .map(|(id, pages)| self.true_object(id, pages, week))
            .collect();
        truth.searches = self.searches(week).collect();
        truth.web = Some(Arc::clone(self));
        truth.add_local(self);
        truth
    }

    fn true_object(&self, id: ObjectId, pages: Vec<u32>, week: u32) -> TrueObject {
        let vertical = self.spec().vertical;
        let facts = self.population.facts(id, week);
        let named = facts
            .iter()
            .map(|fact| (fact.attribute.name(vertical).to_owned(), fact.value.normal()));
        TrueObject {
            id,
            attributes: named.collect(),
            local: BTreeMap::new(),
            pages,
            is_gone: self.population.is_gone(id, week),
        }
    }

    /// Returns the values of an object in a week that hold on every site: normal forms, by
    /// attribute.
    pub fn attributes(&self, object: ObjectId, week: u32) -> BTreeMap<String, Vec<String>> {
        self.true_object(object, Vec::new(), week).attributes
    }

    /// Returns popular objects as seeds of a crawl: records of attributes, each shown by some site
    /// in week 0.
    pub fn seeds(&self, count: usize) -> Vec<BTreeMap<String, Vec<String>>> {
        let current = self
            .population
            .born_in(0)
            .filter(|id| !self.population.is_gone(*id, 0));
        let mut ranked: Vec<(u64, ObjectId)> = current
            .map(|id| ((self.population.popularity(id) * 1e6) as u64, id))
            .collect();
        ranked.sort_unstable_by(|one, other| other.cmp(one));
        let seeds = ranked
            .into_iter()
            .take(count)
            .map(|(_, id)| self.true_object(id, Vec::new(), 0).attributes);
        seeds.collect()
    }

    /// Returns the indexes of the sites that ever show an object.
    pub fn sites_of(&self, object: ObjectId) -> Vec<u32> {
        self.spread.sites(object, &self.population)
    }
}

impl Scene<'_> {
    fn true_page(&self, route: &Route) -> Option<TruePage> {
        let Outcome::Page(content) = self.content(route) else {
            return None;
        };
        let mut path = String::new();
        self.design.style.write(&mut path, route, self, Noise::default());
        let of_role = |wanted: fn(Role) -> bool| {
            let mut ids: Vec<ObjectId> = Vec::new();
            for record in content.records.iter().filter(|record| wanted(record.role)) {
                if !ids.contains(&record.object) {
                    ids.push(record.object);
                }
            }
            ids
        };
        let mount = self.mount(route, &content);
        let is_scripted = mount.is_some_and(|mount| !mount.has_objects());
        Some(TruePage {
            url: format!("http://{}{path}", self.host(route)),
            site: self.site.index,
            kind: kind(route),
            objects: of_role(|role| role != Role::Mention),
            mentions: of_role(|role| role == Role::Mention),
            decoys: self.decoys_of(route, &content),
            bygone: content.bygone,
            is_scripted,
            is_broken: is_broken(self.site, &path),
            is_forbidden: self.is_forbidden(&path),
        })
    }
}

impl Scene<'_> {
    /// Returns the decoys of a page. Decoys that affect a whole site are properties of the site.
    fn decoys_of(&self, route: &Route, content: &Content) -> Vec<Decoy> {
        let mut decoys = content.decoys.clone();
        if let Route::Detail { position, .. } = route
            && self.catalogue.is_counted(*position, self.population())
        {
            decoys.push(Decoy::SlugCounter);
        }
        decoys.sort_unstable();
        decoys.dedup();
        decoys
    }
}

/// Returns list pages that together name every object that some list page names, and the number of
/// these objects: greedily the page with most objects that no earlier one names.
fn hubs(pages: &[TruePage]) -> (Vec<String>, usize) {
    let is_list = |page: &&TruePage| {
        matches!(page.kind, PageKind::Home | PageKind::List | PageKind::Calendar) && !page.is_broken
    };
    let named = |page: &TruePage| page.objects.iter().chain(&page.mentions).copied().collect();
    let mut lists: Vec<(&str, BTreeSet<ObjectId>)> = pages
        .iter()
        .filter(is_list)
        .map(|page| (page.url.as_str(), named(page)))
        .collect();
    let mut covered: BTreeSet<ObjectId> = BTreeSet::new();
    let mut hubs = Vec::new();
    loop {
        lists
            .iter_mut()
            .for_each(|(_, objects)| objects.retain(|object| !covered.contains(object)));
        let best = lists.iter().rev().max_by_key(|(_, objects)| objects.len());
        let Some((url, objects)) = best.filter(|(_, objects)| !objects.is_empty()) else {
            return (hubs, covered.len());
        };
        hubs.push((*url).to_owned());
        covered.extend(objects.iter().copied());
    }
}

fn kind(route: &Route) -> PageKind {
    match route {
        Route::Home => PageKind::Home,
        Route::List { .. } | Route::Dated { .. } => PageKind::List,
        Route::Calendar { .. } => PageKind::Calendar,
        Route::Detail {
            variant: PageVariant::Main,
            ..
        } => PageKind::Detail,
        Route::Detail { .. } => PageKind::Copy,
        Route::Search(_) | Route::Hidden(Hidden::Form) => PageKind::Form,
        Route::Hidden(Hidden::Results(_)) => PageKind::Results,
        _ => PageKind::Beside,
    }
}

fn shown(record: &Record, vertical: Vertical) -> Shown {
    let value = |field: &crate::content::Field| ShownValue {
        normal: field.value.normal(),
        written: field.text.clone(),
        is_wrong: field.is_wrong,
    };
    Shown {
        object: record.object,
        is_main: record.role == Role::Main,
        values: record
            .fields
            .iter()
            .map(|field| (field.attribute.name(vertical).to_owned(), value(field)))
            .collect(),
    }
}

impl Truth {
    pub fn new(week: u32, objects: Vec<TrueObject>, pages: Vec<TruePage>) -> Self {
        let page_indexes = (0..)
            .zip(&pages)
            .map(|(index, page)| (page.url.clone(), index))
            .collect();
        Self {
            week,
            objects,
            pages,
            searches: Vec::new(),
            page_indexes,
            web: None,
        }
    }

    /// Returns the page of a URL; the URL may carry session and tracking parameters.
    pub fn page(&self, url: &str) -> Option<&TruePage> {
        self.find(url, Web::locate)
    }

    /// Like [`Truth::page`], but also accepts URLs of earlier designs.
    pub fn source(&self, url: &str) -> Option<&TruePage> {
        self.find(url, Web::trace)
    }

    fn find(&self, url: &str, locate: fn(&Web, &str, u32) -> Option<Located>) -> Option<&TruePage> {
        let index = self.page_indexes.get(url).copied().or_else(|| {
            let located = locate(self.web.as_ref()?, url, self.week)?;
            self.page_indexes.get(&located.url).copied()
        })?;
        self.pages.get(index as usize)
    }

    pub fn object(&self, id: ObjectId) -> Option<&TrueObject> {
        self.objects
            .binary_search_by_key(&id, |object| object.id)
            .ok()
            .map(|index| &self.objects[index])
    }

    /// Returns all objects on a page with their values; empty if this truth has no web.
    pub fn shown(&self, url: &str) -> Vec<Shown> {
        self.web
            .as_ref()
            .map_or_else(Vec::new, |web| web.shown(url, self.week))
    }

    /// Adds the values that differ between sites, from the sites of each object.
    fn add_local(&mut self, web: &Web) {
        let vertical = web.spec().vertical;
        for object in &mut self.objects {
            let mut sites: Vec<u32> = object
                .pages
                .iter()
                .map(|index| self.pages[*index as usize].site)
                .collect();
            sites.dedup();
            for site in sites {
                for (name, value) in web.scene(site, self.week).local_values(object.id, vertical) {
                    let known = object.local.entry(name).or_default();
                    for one in value {
                        if !known.contains(&one) {
                            known.push(one);
                        }
                    }
                }
            }
        }
    }
}
