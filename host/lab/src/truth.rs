//! What is on the web: for every page its objects, for every object its values and its pages.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use serde::Serialize;

use crate::address::{Noise, Route, Side};
use crate::content::{Bygone, Content, Outcome, Record, Role, Scene};
use crate::population::ObjectId;
use crate::respond::is_broken;
use crate::site::Decoy;
use crate::spec::Vertical;
use crate::web::{Located, Web};

/// What a page is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum PageKind {
    /// The front of a site.
    Home,
    /// Objects in a list, by category, place, tag or age.
    List,
    /// Objects by day.
    Calendar,
    /// One object.
    Detail,
    /// One object again: a print version, a page below, a second path.
    Copy,
    /// A search form.
    Form,
    /// News, forums, help, logins, carts, comments, archives: beside the point.
    Beside,
}

/// A page in a week.
#[derive(Clone, Debug, Serialize)]
pub struct TruePage {
    /// The site's own URL of it.
    pub url: String,
    /// The site, by its place in the web.
    pub site: u32,
    /// What it is for.
    pub kind: PageKind,
    /// The objects that it shows with enough to know them by, in order, each once.
    pub objects: Vec<ObjectId>,
    /// The objects that it only names.
    pub mentions: Vec<ObjectId>,
    /// The parts of it that look like objects and are none.
    pub decoys: Vec<Decoy>,
    /// Occasions of an old article: a crawl that dates them rightly found no phantom, and no object
    /// either.
    pub bygone: Vec<Bygone>,
    /// Whether it fails whenever it is fetched.
    pub is_broken: bool,
    /// Whether the site's robots file forbids it to crawlers.
    pub is_forbidden: bool,
}

/// An object of the world in a week.
#[derive(Clone, Debug, Serialize)]
pub struct TrueObject {
    /// Its number.
    pub id: ObjectId,
    /// What is true of it, wherever it is shown: normal forms by the names of the vertical's schema.
    pub attributes: BTreeMap<String, Vec<String>>,
    /// What each site may say differently and be right, such as prices: all that some page says.
    pub local: BTreeMap<String, Vec<String>>,
    /// Its pages, as places in [`Truth::pages`].
    pub pages: Vec<u32>,
    /// Whether it has passed or is sold no more.
    pub is_gone: bool,
}

/// What one page shows of one object.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Shown {
    /// The object.
    pub object: ObjectId,
    /// Whether the page is about it alone.
    pub is_main: bool,
    /// Its values there, by attribute.
    pub values: BTreeMap<String, ShownValue>,
}

/// A value on a page.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ShownValue {
    /// Its normal forms.
    pub normal: Vec<String>,
    /// As it stands on the page.
    pub written: String,
    /// Whether it is a planted error, or out of date.
    pub is_wrong: bool,
}

/// The truth of one week.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Truth {
    /// The week.
    pub week: u32,
    /// The objects that some page shows, by number.
    pub objects: Vec<TrueObject>,
    /// All pages but traps and results of searches, site by site.
    pub pages: Vec<TruePage>,
    #[serde(skip)]
    places: HashMap<String, u32>,
    #[serde(skip)]
    web: Option<Arc<Web>>,
}

impl Web {
    /// The pages of a site in a week with the objects on them, one after the other: also for webs too large to hold.
    pub fn pages(&self, site: u32, week: u32) -> impl Iterator<Item = TruePage> {
        let scene = self.scene(site, week);
        scene
            .routes()
            .into_iter()
            .filter_map(move |route| scene.true_page(&route))
    }

    /// What a page shows in a week, object by object with all values; empty for pages without.
    #[must_use]
    pub fn shown(&self, url: &str, week: u32) -> Vec<Shown> {
        let Some((site, route)) = self.route(url, week) else {
            return Vec::new();
        };
        match Scene::new(self, site, week).content(&route) {
            Outcome::Page(content) => content
                .records
                .iter()
                .map(|record| shown(record, self.spec().vertical))
                .collect(),
            _ => Vec::new(),
        }
    }

    /// The truth of a week, all in memory.
    #[must_use]
    pub fn truth(self: &Arc<Self>, week: u32) -> Truth {
        let sites = self.all_sites().len() as u32;
        let pages = (0..sites).flat_map(|site| self.pages(site, week)).collect();
        let mut truth = Truth::new(week, Vec::new(), pages);
        let mut objects: BTreeMap<ObjectId, Vec<u32>> = BTreeMap::new();
        for (place, page) in (0..).zip(&truth.pages) {
            for object in &page.objects {
                objects.entry(*object).or_default().push(place);
            }
        }
        truth.objects = objects
            .into_iter()
            .map(|(id, pages)| self.true_object(id, pages, week))
            .collect();
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

    /// Popular objects to start a crawl from: records of attributes, each shown by some site in week 0.
    #[must_use]
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

    /// The sites that ever show an object, by their place.
    #[must_use]
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
        self.face.style.write(&mut path, route, self, Noise::default());
        let of_role = |wanted: fn(Role) -> bool| {
            let mut ids: Vec<ObjectId> = Vec::new();
            for record in content.records.iter().filter(|record| wanted(record.role)) {
                if !ids.contains(&record.object) {
                    ids.push(record.object);
                }
            }
            ids
        };
        Some(TruePage {
            url: format!("http://{}{path}", self.host(route)),
            site: self.site.index,
            kind: kind(route),
            objects: of_role(|role| role != Role::Mention),
            mentions: of_role(|role| role == Role::Mention),
            decoys: self.decoys_of(route, &content),
            bygone: content.bygone,
            is_broken: is_broken(self.site, &path),
            is_forbidden: self.is_forbidden(&path),
        })
    }
}

impl Scene<'_> {
    /// The decoys of a page. What is so all over the site is a property of the site.
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

fn kind(route: &Route) -> PageKind {
    match route {
        Route::Home => PageKind::Home,
        Route::List { .. } | Route::Dated { .. } => PageKind::List,
        Route::Calendar { .. } => PageKind::Calendar,
        Route::Detail { side: Side::Main, .. } => PageKind::Detail,
        Route::Detail { .. } => PageKind::Copy,
        Route::Search(_) => PageKind::Form,
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
    /// The truth of tables made elsewhere.
    #[must_use]
    pub fn new(week: u32, objects: Vec<TrueObject>, pages: Vec<TruePage>) -> Self {
        let places = (0..)
            .zip(&pages)
            .map(|(place, page)| (page.url.clone(), place))
            .collect();
        Self {
            week,
            objects,
            pages,
            places,
            web: None,
        }
    }

    /// The page of a URL, whatever noise it carries.
    #[must_use]
    pub fn page(&self, url: &str) -> Option<&TruePage> {
        self.find(url, Web::locate)
    }

    /// The same for a URL of an earlier week, which a redesign may have ended.
    #[must_use]
    pub fn source(&self, url: &str) -> Option<&TruePage> {
        self.find(url, Web::trace)
    }

    fn find(&self, url: &str, locate: fn(&Web, &str, u32) -> Option<Located>) -> Option<&TruePage> {
        let place = self.places.get(url).copied().or_else(|| {
            let located = locate(self.web.as_ref()?, url, self.week)?;
            self.places.get(&located.url).copied()
        })?;
        self.pages.get(place as usize)
    }

    /// An object by its number.
    #[must_use]
    pub fn object(&self, id: ObjectId) -> Option<&TrueObject> {
        self.objects
            .binary_search_by_key(&id, |object| object.id)
            .ok()
            .map(|place| &self.objects[place])
    }

    /// What a page shows, with values; empty where this truth has no web to ask.
    #[must_use]
    pub fn shown(&self, url: &str) -> Vec<Shown> {
        self.web
            .as_ref()
            .map_or_else(Vec::new, |web| web.shown(url, self.week))
    }

    /// Adds what sites rightly say differently, from the objects' own pages.
    fn add_local(&mut self, web: &Web) {
        let vertical = web.spec().vertical;
        for object in &mut self.objects {
            let mut sites: Vec<u32> = object
                .pages
                .iter()
                .map(|place| self.pages[*place as usize].site)
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
