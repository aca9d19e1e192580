//! A generated web: its objects, its sites, and the resolution of URLs to pages.

use std::collections::HashMap;

use serde::Serialize;

use crate::address::Route;
use crate::content::Scene;
use crate::population::{CATEGORIES, GROUPS, Population};
use crate::random::Key;
use crate::site::{Decoy, RedesignKind, ScriptStyle, Site, SiteDemand, Spread, Syntax, hub_growth};
use crate::spec::WebSpec;
use crate::words::push_slug;

/// A generated web. Pages are computed on request. Only the plans of the sites are kept, and the
/// objects of the sites that were requested.
#[derive(Debug)]
pub struct Web {
    spec: WebSpec,
    pub(crate) population: Population,
    pub(crate) spread: Spread,
    sites: Vec<Site>,
    hosts: HashMap<String, (u32, HostRole)>,
    pub(crate) category_slugs: Vec<String>,
    pub(crate) group_slugs: Vec<String>,
    search_host: String,
    pub(crate) index: crate::search::IndexCache,
}

/// Role of a host within its site.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HostRole {
    Main,
    Twin,
    Side,
    Search,
}

#[derive(Clone, Debug, Serialize)]
pub struct SiteInfo {
    pub index: u32,
    /// Host that the site's own links use.
    pub host: String,
    /// All hosts that the site answers on, `host` first.
    pub hosts: Vec<String>,
    pub home: String,
    pub language: &'static str,
    /// True if the objects can only be reached through a search form.
    pub is_deep: bool,
    /// Syntax of the markup of objects: `none`, `json-ld`, `microdata`, `rdfa`.
    pub markup: &'static str,
    pub decoys: Vec<Decoy>,
    /// Scripts that show the objects, if the pages do not have them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scripts: Option<ScriptInfo>,
    /// Planted errors, in thousandths of values.
    pub errors: u64,
    pub redesigns: Vec<Redesign>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct ScriptInfo {
    /// The way in which objects get into pages.
    pub style: ScriptStyle,
    pub lists: bool,
    /// Pages of objects are made by a script.
    pub details: bool,
    /// The first part of a list is in the page without its script.
    pub hydrated: bool,
    /// The endpoint answers only requests that look like those of a script.
    pub guarded: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Redesign {
    pub week: u32,
    pub kind: RedesignKind,
}

/// A page of the web, as returned by [`Web::locate`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Located {
    pub site: u32,
    /// URL that the site itself uses for the page.
    pub url: String,
}

impl Web {
    pub fn new(spec: WebSpec) -> Self {
        let key = Key::root(spec.seed).of("web", spec.vertical as u64);
        let population = Population::new(&spec);
        let sites = sites(&spec, key);
        let demand = |site: &Site| SiteDemand {
            focus: site.focus,
            objects: site.plan.objects,
        };
        let demands: Vec<SiteDemand> = sites.iter().map(demand).collect();
        let spread = Spread::new(key.of("spread", 0), &demands, &population, spec.skew);
        let slug = |name: &str| {
            let mut slug = String::new();
            push_slug(&mut slug, name, '-');
            slug
        };
        Self {
            hosts: hosts(&sites),
            category_slugs: (0..CATEGORIES as u8)
                .map(|id| slug(population.category_name(id)))
                .collect(),
            // The number distinguishes towns of the same name.
            group_slugs: (0..GROUPS as u16)
                .map(|id| format!("{}-{id}", slug(population.group_name(id))))
                .collect(),
            search_host: "find.test".to_owned(),
            index: crate::search::IndexCache::default(),
            spec,
            population,
            spread,
            sites,
        }
    }

    pub fn spec(&self) -> &WebSpec {
        &self.spec
    }

    pub fn search_host(&self) -> &str {
        &self.search_host
    }

    pub fn sites(&self) -> impl Iterator<Item = SiteInfo> {
        self.sites.iter().map(info)
    }

    /// Iterates over all host names; that of the search engine is last.
    pub fn hosts(&self) -> impl Iterator<Item = &str> {
        self.sites
            .iter()
            .flat_map(host_names)
            .chain(std::iter::once(self.search_host.as_str()))
    }

    /// Returns the page of a URL in a week; the URL may carry session and tracking parameters.
    /// Returns `None` where the web has no page, even if the site answers the URL with status 200.
    pub fn locate(&self, url: &str, week: u32) -> Option<Located> {
        let (scene, route) = self.route(url, week)?;
        Some(Located {
            site: scene.site.index,
            url: scene.url(&route),
        })
    }

    /// Like [`Web::locate`], but also accepts URLs of earlier designs that the site no longer
    /// answers. The URL of a page that a crawl read long ago thus still leads to its object.
    pub fn trace(&self, url: &str, week: u32) -> Option<Located> {
        let (site, path) = self.split(url)?;
        let scene = Scene::of_path(self, site, week, path);
        let (route, _) = scene.read_any(path)?;
        Some(Located {
            site: site.index,
            url: scene.url(&route),
        })
    }

    /// Returns the page of a URL, and its site in the language of the page.
    pub(crate) fn route(&self, url: &str, week: u32) -> Option<(Scene<'_>, Route)> {
        let (site, path) = self.split(url)?;
        let scene = Scene::of_path(self, site, week, path);
        let (route, _) = scene.read(path)?;
        Some((scene, route))
    }

    /// Splits a URL into site and path.
    pub(crate) fn split<'u>(&self, url: &'u str) -> Option<(&Site, &'u str)> {
        let rest = url
            .strip_prefix("http://")
            .or_else(|| url.strip_prefix("https://"))?;
        let rest = rest.split('#').next().unwrap_or(rest);
        let (host, path) = rest.split_at(rest.find(['/', '?']).unwrap_or(rest.len()));
        let (site, _) = self.site_of(host)?;
        Some((site, if path.is_empty() { "/" } else { path }))
    }

    /// Returns the site of a host, given with or without a port.
    pub(crate) fn site_of(&self, host: &str) -> Option<(&Site, HostRole)> {
        let host = host.split(':').next().unwrap_or(host);
        let found = self.hosts.get(host).copied();
        let (index, role) = found.or_else(|| self.hosts.get(&host.to_ascii_lowercase()).copied())?;
        Some((&self.sites[index as usize], role))
    }

    /// Returns true if a host, given with or without a port, is that of the search engine.
    pub(crate) fn is_search(&self, host: &str) -> bool {
        host.split(':').next() == Some(self.search_host())
    }

    pub(crate) fn all_sites(&self) -> &[Site] {
        &self.sites
    }

    pub(crate) fn scene(&self, site: u32, week: u32) -> Scene<'_> {
        Scene::new(self, &self.sites[site as usize], week)
    }
}

fn host_names(site: &Site) -> impl Iterator<Item = &str> {
    let hosts = &site.hosts;
    std::iter::once(hosts.main.as_str())
        .chain(hosts.twin.as_deref())
        .chain(hosts.side.as_deref())
        .chain(hosts.search.as_deref())
}

fn info(site: &Site) -> SiteInfo {
    let era_redesigns = site.eras.iter().filter_map(|era| {
        Some(Redesign {
            week: era.from,
            kind: era.kind?,
        })
    });
    let gone = site.gone.map(|week| Redesign {
        week,
        kind: RedesignKind::Gone,
    });
    SiteInfo {
        index: site.index,
        host: site.hosts.main.clone(),
        hosts: host_names(site).map(str::to_owned).collect(),
        home: format!("http://{}{}/", site.hosts.main, site.eras[0].design.style.prefix),
        language: site.eras[0].design.writing.language.code,
        is_deep: site.plan.is_deep,
        markup: match site.habits.syntax {
            Syntax::None => "none",
            Syntax::JsonLd => "json-ld",
            Syntax::Microdata => "microdata",
            Syntax::Rdfa => "rdfa",
        },
        decoys: site.decoys.kinds(),
        scripts: site.scripts.as_ref().map(|scripts| ScriptInfo {
            style: scripts.style,
            lists: scripts.has_lists,
            details: scripts.has_details,
            hydrated: scripts.is_hydrated,
            guarded: scripts.is_guarded,
        }),
        errors: site.habits.errors,
        redesigns: era_redesigns.chain(gone).collect(),
    }
}

/// Creates the sites. Their page budgets are skewed: the largest has about six times the average.
fn sites(spec: &WebSpec, key: Key) -> Vec<Site> {
    let weight = |index: u32| {
        let draw = key.of("size", u64::from(index)).unit();
        0.3 + 0.12 / (draw + 0.025)
    };
    let total: f64 = (0..spec.sites).map(weight).sum();
    let site = |index: u32| {
        let pages = f64::from(spec.pages) * weight(index) / total / hub_growth(spec.decoys);
        Site::new(spec, key.of("site", u64::from(index)), index, pages)
    };
    (0..spec.sites).map(site).collect()
}

fn hosts(sites: &[Site]) -> HashMap<String, (u32, HostRole)> {
    let mut hosts = HashMap::new();
    for site in sites {
        let names = &site.hosts;
        hosts.insert(names.main.clone(), (site.index, HostRole::Main));
        let others = [
            (&names.twin, HostRole::Twin),
            (&names.side, HostRole::Side),
            (&names.search, HostRole::Search),
        ];
        for (name, role) in others {
            if let Some(name) = name {
                hosts.insert(name.clone(), (site.index, role));
            }
        }
    }
    hosts
}
