//! The settings: their definitions, their values, and the sources of the values.
//!
//! Values come in [`Layer`]s (the user's file, the workspace's file, variables, flags); later ones
//! take precedence. [`Resolved`] is the outcome: settings for everything, settings for each site
//! with its own, and the source of each value. An invalid setting is an error that names its
//! source; nothing is silently ignored.

mod budget;
mod definitions;
mod group;
mod layer;
mod shipped;
mod value;
mod webhook;

use std::collections::BTreeMap;

use magpie_archive::StoreUrl;
use magpie_discovery::{Acts, Scope as CrawlScope, ScopeSettings};
use magpie_values::similarity::damerau_similarity;
use magpie_web::{Override, Proxy};

use crate::forgotten::{ForgottenEntry, forgotten_urls};

pub use budget::{Budget, BudgetUnit};
pub use definitions::{
    Access, Archive, ChangeChoice, Crawl, DamageRule, Fetch, Focus, FocusStrategy, GoalChoice, Identity,
    InducerChoice, Learn, LearnOrder, LogLevel, Network, Pictures, PicturesRule, Politeness, PostRule,
    ReadersRule, Recrawl, RenderedPages, RobotsRule, Scope, Search, SearchKind, Settings, SiteBoundary,
    StrategyChoice, Traps, Urls, Verticals, Watch,
};
pub use group::{Definition, Group};
pub use layer::{Layer, Origin, SettingPlace, strange_variables};
pub use shipped::{FILE, shipped_file};
pub use value::{Bytes, Keep, Raw, Refused, Value};
pub use webhook::{Topic, Webhook};

/// The beginning of the names of variables.
pub(crate) const VARIABLES: &str = "MAGPIE_";

use layer::Entry;

impl Crawl {
    /// Returns the number of threads for [`threads`](Self::threads) and the number of cores.
    pub fn thread_count(&self) -> usize {
        match usize::try_from(self.threads).unwrap_or(usize::MAX) {
            0 => std::thread::available_parallelism().map_or(1, usize::from),
            threads => threads,
        }
    }
}

impl Archive {
    /// Returns the address of the object store, or `None` for the folder of the workspace. The
    /// error does not show the address, which may have a password.
    pub fn store_url(&self) -> Result<Option<StoreUrl>, String> {
        match self.store.as_str() {
            "" => Ok(None),
            store => StoreUrl::parse(store).map(Some),
        }
    }
}

/// Settings that can't be used: where, and why.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {problem}")]
pub struct SettingsError {
    /// The place of the problem.
    pub place: Box<SettingPlace>,
    /// The problem with the setting.
    pub problem: Box<SettingsProblem>,
}

impl SettingsError {
    fn new(place: SettingPlace, problem: SettingsProblem) -> SettingsError {
        SettingsError {
            place: Box::new(place),
            problem: Box::new(problem),
        }
    }
}

/// Reason for which a setting can't be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SettingsProblem {
    /// A file is no TOML; these are the parser's words.
    #[error("{0}")]
    Syntax(String),
    /// The value under the name of a site is not a table.
    #[error("`site.{site}` is not a table; write `[site.\"{site}\".politeness]` and the settings below it")]
    Site {
        /// The site of the section.
        site: String,
    },
    /// The value under the name of a vertical is not a table.
    #[error("`vertical.{vertical}` is not a table; write `[vertical.{vertical}]` and its options below it")]
    Vertical {
        /// The vertical of the section.
        vertical: String,
    },
    /// A webhook can't be used.
    #[error("`[[webhook]]`: {why}")]
    Webhook {
        /// The reason.
        why: String,
    },
    /// There is no such setting.
    #[error("there is no setting `{key}`{}", did_you_mean(.similar.as_deref()))]
    Unknown {
        /// As written.
        key: String,
        /// A similar setting.
        similar: Option<String>,
    },
    /// A setting that has another name.
    #[error("`{key}` was renamed to `{new}`; use the new name")]
    Renamed {
        /// The name as written.
        key: String,
        /// The name of the setting.
        new: &'static str,
    },
    /// A value can't be taken.
    #[error("invalid value{} for `{key}`: {why}", shown(.written.as_deref()))]
    Value {
        /// The setting.
        key: String,
        /// The value as written, unless it may be a password.
        written: Option<String>,
        /// The reason.
        why: Refused,
    },
    /// A value is of the right kind, and still can't be used.
    #[error("`{key}`: {why}")]
    Unusable {
        /// The setting.
        key: &'static str,
        /// The reason.
        why: String,
    },
    /// A setting of one site or one vertical, set by a flag.
    #[error(
        "`{key}` can't be set by a flag: it is for one {group}; set it in magpie.toml, below `[{group}.\"NAME\"]`"
    )]
    InFileAlone {
        /// As written.
        key: String,
        /// `site` or `vertical`.
        group: String,
    },
    /// A setting that is the same for all sites.
    #[error("`{key}` can't differ between sites; set it outside of `[site.…]`")]
    NotPerSite {
        /// The setting.
        key: String,
    },
    /// A setting that only makes sense for one site.
    #[error("`{key}` is for one site; set it below `[site.\"example.org\".{group}]`")]
    OnlyPerSite {
        /// The setting.
        key: String,
        /// The group that it is looked for in.
        group: String,
    },
}

/// Formats an invalid value, if it may be shown.
fn shown(written: Option<&str>) -> String {
    written.map_or_else(String::new, |written| format!(" `{written}`"))
}

fn did_you_mean(similar: Option<&str>) -> String {
    similar.map_or_else(
        || "; `magpie config` lists all settings".to_owned(),
        |similar| format!("; did you mean `{similar}`?"),
    )
}

/// Groups that a site can have its own values of.
const PER_SITE: [&str; 6] = ["access", "fetch", "politeness", "scope", "urls", "traps"];

/// The same of single settings, in groups that else are the same for all.
const PER_SITE_ALONE: [&str; 2] = ["watch.pause", "watch.site_budget"];

/// The group that only sites have: passwords are for one site, never for all.
const ONLY_PER_SITE: &str = "access";

/// Names closer than this are taken for slips of the pen.
const SIMILAR: f64 = 0.8;

impl Settings {
    /// Returns the rules by which URLs and buttons of a site act. They are stricter where the site
    /// knows the visitor.
    pub(crate) fn acts(&self) -> Acts {
        let shows_visitor =
            |name: &String| ["authorization", "cookie"].contains(&name.to_ascii_lowercase().as_str());
        let knows_visitor = !self.access.user.is_empty()
            || !self.access.cookies.is_empty()
            || self.fetch.headers.keys().any(shows_visitor);
        Acts::new(&self.traps.acts, knows_visitor)
    }
}

/// The settings in force.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Resolved {
    /// For every site that has none of its own.
    pub settings: Settings,
    sites: BTreeMap<String, Settings>,
    options: BTreeMap<String, BTreeMap<String, (Raw, SettingPlace)>>,
    webhooks: Vec<Webhook>,
    places: BTreeMap<String, SettingPlace>,
    site_places: BTreeMap<(String, String), SettingPlace>,
}

/// One setting with its value and who set it.
#[derive(Clone, Debug)]
pub struct Shown {
    /// The site it is for, where it is for one.
    pub site: Option<String>,
    /// The definition of the setting.
    pub definition: Definition,
    /// Its value, as TOML; a password is not shown.
    pub value: String,
    /// Who set it.
    pub place: SettingPlace,
}

impl Resolved {
    /// Reads settings from TOML, on top of the shipped ones.
    pub fn from_toml(text: &str) -> Result<Resolved, SettingsError> {
        Resolved::new(&[Layer::file(&Origin::Default, text)?])
    }

    /// Puts layers on top of each other, the last on top.
    pub fn new(layers: &[Layer]) -> Result<Resolved, SettingsError> {
        let mut resolved = Resolved::default();
        let entries = || layers.iter().flat_map(|layer| &layer.entries);
        for entry in entries().filter(|entry| entry.site.is_none()) {
            if [layer::SITES, layer::VERTICALS].contains(&entry.group.as_str()) {
                let problem = SettingsProblem::InFileAlone {
                    key: key(entry),
                    group: entry.group.clone(),
                };
                return Err(SettingsError::new(entry.place.clone(), problem));
            }
            if entry.group == ONLY_PER_SITE {
                let problem = SettingsProblem::OnlyPerSite {
                    key: key(entry),
                    group: entry.group.clone(),
                };
                return Err(SettingsError::new(entry.place.clone(), problem));
            }
            set(&mut resolved.settings, entry)?;
            resolved.places.insert(key(entry), entry.place.clone());
        }
        for entry in entries() {
            let Some(site) = &entry.site else { continue };
            resolved.set_for_site(site, entry)?;
        }
        for option in layers.iter().flat_map(|layer| &layer.options) {
            let options = resolved.options.entry(option.vertical.clone()).or_default();
            options.insert(option.name.clone(), (option.raw.clone(), option.place.clone()));
        }
        resolved.webhooks = webhook::read(layers.iter().flat_map(|layer| &layer.webhooks))?;
        resolved.check()?;
        Ok(resolved)
    }

    /// Checks that values can be used: regular expressions, proxies, addresses for names.
    fn check(&self) -> Result<(), SettingsError> {
        let place = |site: Option<&str>, key: &str| {
            let own = site.and_then(|site| self.site_places.get(&(site.to_owned(), key.to_owned())));
            own.or_else(|| self.places.get(key)).cloned().unwrap_or_default()
        };
        let sites = self.sites().map(|(site, settings)| (Some(site), settings));
        for (site, settings) in std::iter::once((None, &self.settings)).chain(sites) {
            if let Some((key, why)) = unusable(settings) {
                let problem = SettingsProblem::Unusable { key, why };
                return Err(SettingsError::new(place(site, key), problem));
            }
        }
        Ok(())
    }

    /// The settings for a host: its own, or those of a domain it lies in, or those for all.
    pub fn for_host(&self, host: &str) -> &Settings {
        let mut name = host;
        loop {
            if let Some(settings) = self.sites.get(name) {
                return settings;
            }
            match name.split_once('.') {
                Some((_, domain)) => name = domain,
                None => return &self.settings,
            }
        }
    }

    /// The settings for a site, by its key.
    pub fn for_site(&self, key: &str) -> &Settings {
        self.for_host(host_of_site(key))
    }

    /// The sites that have settings of their own, with these.
    pub fn sites(&self) -> impl Iterator<Item = (&str, &Settings)> {
        self.sites
            .iter()
            .map(|(site, settings)| (site.as_str(), settings))
    }

    /// Changes the settings of all sites.
    pub fn change_all(&mut self, change: impl Fn(&mut Settings)) {
        change(&mut self.settings);
        self.sites.values_mut().for_each(change);
    }

    /// Returns the options that were set for verticals, with their sources.
    pub fn options(&self) -> &BTreeMap<String, BTreeMap<String, (Raw, SettingPlace)>> {
        &self.options
    }

    /// The webhooks, in the order in which they are written.
    pub fn webhooks(&self) -> &[Webhook] {
        &self.webhooks
    }

    /// The settings in force as JSON, as they are kept with a run.
    pub fn to_json(&self) -> String {
        let shown = self.list().into_iter().map(|shown| {
            let key = match &shown.site {
                Some(site) => format!("{site}: {}", shown.definition.key()),
                None => shown.definition.key(),
            };
            (key, serde_json::Value::from(shown.value))
        });
        serde_json::Value::Object(shown.collect()).to_string()
    }

    /// The settings in force that are no defaults, as a file of settings, for a process on another
    /// machine. Values with secrets are left out.
    pub(crate) fn to_file(&self) -> String {
        let mut text = String::new();
        for shown in self.list() {
            let is_default = shown.site.is_none() && shown.value == shown.definition.default;
            if is_default || shown.value == HIDDEN {
                continue;
            }
            let site = shown
                .site
                .map(|site| format!("site.{}.", serde_json::Value::from(site)));
            let site = site.unwrap_or_default();
            text += &format!("{site}{} = {}\n", shown.definition.key(), shown.value);
        }
        text
    }

    /// All settings with their values and places, those of single sites last.
    pub fn list(&self) -> Vec<Shown> {
        let global = Settings::definitions()
            .into_iter()
            .zip(self.settings.values())
            .filter(|(definition, _)| definition.group != ONLY_PER_SITE)
            .map(|(definition, value)| Shown {
                site: None,
                value: without_secrets(&definition, value),
                place: self.places.get(&definition.key()).cloned().unwrap_or_default(),
                definition,
            });
        global.chain(self.list_of_sites()).collect()
    }

    fn list_of_sites(&self) -> impl Iterator<Item = Shown> {
        self.sites.iter().flat_map(|(site, settings)| {
            let all = Settings::definitions().into_iter().zip(settings.values());
            all.filter_map(|(definition, value)| {
                let place = self.site_places.get(&(site.clone(), definition.key()))?.clone();
                Some(Shown {
                    site: Some(site.clone()),
                    value: without_secrets(&definition, value),
                    place,
                    definition,
                })
            })
        })
    }

    fn set_for_site(&mut self, site: &str, entry: &Entry) -> Result<(), SettingsError> {
        let may_differ =
            PER_SITE.contains(&entry.group.as_str()) || PER_SITE_ALONE.contains(&key(entry).as_str());
        if !may_differ && known(entry) {
            let problem = SettingsProblem::NotPerSite { key: key(entry) };
            return Err(SettingsError::new(entry.place.clone(), problem));
        }
        let settings = self
            .sites
            .entry(site.to_owned())
            .or_insert_with(|| self.settings.clone());
        set(settings, entry)?;
        self.site_places
            .insert((site.to_owned(), key(entry)), entry.place.clone());
        Ok(())
    }
}

/// Text that replaces passwords wherever settings are shown.
const HIDDEN: &str = "(hidden)";

fn without_secrets(definition: &Definition, value: String) -> String {
    let secret = match (definition.group, definition.name) {
        ("access", "password" | "cookies") | ("fetch", "headers") | ("search", "key" | "header") => true,
        ("network", "proxy") | ("archive", "store") => value.contains('@'),
        _ => false,
    };
    if secret && value != definition.default {
        HIDDEN.to_owned()
    } else {
        value
    }
}

fn key(entry: &Entry) -> String {
    match entry.group.as_str() {
        "" => entry.name.clone(),
        group => format!("{group}.{}", entry.name),
    }
}

fn known(entry: &Entry) -> bool {
    Settings::definitions()
        .iter()
        .any(|definition| definition.group == entry.group && definition.name == entry.name)
}

fn set(settings: &mut Settings, entry: &Entry) -> Result<(), SettingsError> {
    let set = settings.set(&entry.group, &entry.name, &entry.raw);
    let problem = |why| match why {
        Refused::Unknown => unknown(key(entry)),
        why => SettingsProblem::Value {
            key: key(entry),
            written: match &why {
                _ if entry.group == ONLY_PER_SITE => None,
                Refused::Item { item, .. } => Some(item.clone()),
                _ => Some(entry.raw.written()),
            },
            why,
        },
    };
    set.map_err(|why| SettingsError::new(entry.place.clone(), problem(why)))
}

/// Earlier names of settings, and the names that they have.
const RENAMED: [(&str, &str); 10] = [
    ("archive.damage", "archive.on_missing_archive"),
    ("fetch.least_rate", "fetch.min_rate"),
    ("learn.least_new", "learn.min_new"),
    ("politeness.longest_wait", "politeness.max_wait"),
    ("politeness.most_crawl_delay", "politeness.max_crawl_delay"),
    ("politeness.most_delay", "politeness.max_delay"),
    ("traps.avoid", "traps.enabled"),
    ("watch.beat", "watch.interval"),
    ("watch.longest_gap", "watch.max_gap"),
    ("watch.shortest_gap", "watch.min_gap"),
];

fn unknown(key: String) -> SettingsProblem {
    match RENAMED.iter().find(|(old, _)| *old == key) {
        Some((_, new)) => SettingsProblem::Renamed { key, new },
        None => SettingsProblem::Unknown {
            similar: similar(&key),
            key,
        },
    }
}

/// A setting that can't be used as it is, and why not.
fn unusable(settings: &Settings) -> Option<(&'static str, String)> {
    let (network, scope) = (&settings.network, &settings.scope);
    let proxy = Some(&network.proxy).filter(|proxy| !proxy.is_empty());
    let proxy = proxy.and_then(|proxy| proxy.parse::<Proxy>().err());
    let resolve = || {
        network
            .resolve
            .iter()
            .find_map(|text| text.parse::<Override>().err())
    };
    let forgotten = || {
        let mut entries = scope.forgotten.iter();
        let invalid = entries.find_map(|text| text.parse::<ForgottenEntry>().err());
        invalid.or_else(|| {
            let scope = ScopeSettings {
                forgotten: forgotten_urls(&scope.forgotten),
                ..ScopeSettings::default()
            };
            CrawlScope::new(&scope).err().map(|error| error.to_string())
        })
    };
    let patterns = |include: &[String], exclude: &[String]| {
        let scope = ScopeSettings {
            include: include.to_vec(),
            exclude: exclude.to_vec(),
            ..ScopeSettings::default()
        };
        CrawlScope::new(&scope).err()
    };
    proxy
        .map(|error| ("network.proxy", error.to_string()))
        .or_else(|| Some(("archive.store", settings.archive.store_url().err()?)))
        .or_else(|| Some(("network.resolve", resolve()?.to_string())))
        .or_else(|| Some(("scope.include", patterns(&scope.include, &[])?.to_string())))
        .or_else(|| Some(("scope.exclude", patterns(&[], &scope.exclude)?.to_string())))
        .or_else(|| Some(("scope.forgotten", forgotten()?)))
}

fn similar(key: &str) -> Option<String> {
    let scored = Settings::definitions().into_iter().rev().map(|definition| {
        let known = definition.key();
        // Who leaves out the group, or takes the wrong one, means the name.
        let name = key.rsplit_once('.').map_or(key, |(_, name)| name);
        let whole = damerau_similarity(key, &known);
        let score = if name == definition.name { 1.0 } else { whole };
        (score, if key.contains('.') { whole } else { 0.0 }, known)
    });
    scored
        .filter(|(score, ..)| *score >= SIMILAR)
        // Several groups may have the name. Then the one most similar to the written group counts,
        // else the first.
        .max_by(|one, other| one.0.total_cmp(&other.0).then(one.1.total_cmp(&other.1)))
        .map(|(.., known)| known)
}

/// Returns the host of a site's key, by which settings know the site. They hold for all ports.
pub fn host_of_site(key: &str) -> &str {
    let host = key.split_once("://").map_or(key, |(_, host)| host);
    match host.rsplit_once(':') {
        Some((name, port)) if !port.contains(']') => name,
        _ => host,
    }
}

#[cfg(test)]
mod tests;
