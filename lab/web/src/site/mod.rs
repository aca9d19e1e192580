//! A site: its hosts, structure, behaviour, designs over the weeks, and objects.

mod catalogue;
mod decoys;
mod design;
mod habits;
mod hidden;
mod plan;
mod scripts;
mod spread;

use std::sync::{Arc, Mutex, PoisonError, RwLock};

pub(crate) use catalogue::{Catalogue, Counters, Item, Order, State, View};
pub use decoys::Decoy;
pub(crate) use decoys::{
    ArticleDate, CalendarKind, CodePlace, Decoys, Entities, PriceSubstitute, Remote, hub_growth,
};
pub(crate) use design::Design;
pub use design::RedesignKind;
pub(crate) use habits::{DateKind, EtagKind, Expiry, Forwarding, Habits, Syntax};
pub(crate) use hidden::{
    ARTICLES, ARTICLES_NAME, Canonical, DecoyForm, EmptyStyle, FieldRole, Labelling, Limit, Manners, Place,
    SearchDesign, SearchField, Transport, Widget,
};
pub(crate) use plan::{Plan, SUB_PAGE_SHARE};
pub use scripts::ScriptStyle;
pub(crate) use scripts::{JsonForm, MoneyForm, Scripts};
pub(crate) use spread::{SiteDemand, Spread};

use crate::content::Row;
use crate::language::LANGUAGES;
use crate::population::{CATEGORIES, Population};
use crate::random::Key;
use crate::spec::{Habit, Vertical, WebSpec};
use crate::words::Tongue;

#[derive(Clone, Debug)]
pub(crate) struct Hosts {
    /// Host that the links of the site use.
    pub(crate) main: String,
    /// Alternative host with the same pages, with or without `www.`.
    pub(crate) twin: Option<String>,
    /// Host of the forum and the help pages, if they are not on the main host.
    pub(crate) side: Option<String>,
    /// Host of the search, if it is not the main one.
    pub(crate) search: Option<String>,
}

/// A design and the week from which it applies.
#[derive(Clone, Debug)]
pub(crate) struct Era {
    pub(crate) from: u32,
    pub(crate) kind: Option<RedesignKind>,
    pub(crate) design: Design,
    /// The design of the pages in the other language of the site.
    pub(crate) translation: Option<Design>,
}

#[derive(Debug)]
pub(crate) struct Site {
    pub(crate) index: u32,
    pub(crate) key: Key,
    pub(crate) name: String,
    pub(crate) hosts: Hosts,
    pub(crate) focus: u16,
    pub(crate) plan: Plan,
    pub(crate) habits: Habits,
    pub(crate) decoys: Decoys,
    /// Scripts that show the objects, if the pages do not have them.
    pub(crate) scripts: Option<Scripts>,
    /// The scripts once their endpoint has moved, if it does.
    pub(crate) moved_scripts: Option<Scripts>,
    pub(crate) order: Order,
    pub(crate) eras: Vec<Era>,
    /// Week from which the site is offline.
    pub(crate) gone: Option<u32>,
    pub(crate) currency: &'static str,
    catalogue: RwLock<Arc<Catalogue>>,
    views: Mutex<Vec<(u32, Arc<View>)>>,
    /// Objects in the search index of a deep site, by week.
    pub(crate) rows: Mutex<Vec<(u32, Arc<Vec<Row>>)>>,
}

/// Number of weeks that are planned ahead: five years.
const PLANNED_WEEKS: u32 = 260;
/// Maximum number of designs of a site.
const MAX_ERAS: usize = 4;
/// Number of list pages of a site whose objects are far from the entry page.
const CHAIN_PAGES: f64 = 48.0;
/// Maximum number of cached views: this week, the last week, and one older week.
pub(crate) const MAX_VIEWS: usize = 3;

impl Site {
    pub(crate) fn new(spec: &WebSpec, key: Key, index: u32, pages: f64) -> Self {
        let tongue = Tongue::new(key.of("tongue", 0));
        let language = language(key);
        let mut plan = Plan::new(key.of("plan", 0), spec.vertical, pages, spec.deep);
        let mut habits = Habits::new(key.of("habits", 0), spec.hazards);
        let mut decoys = Decoys::new(key.of("decoys", 0), spec.vertical, spec.decoys, plan.is_deep);
        let name = tongue.name(key.of("name", 0));
        if plan.is_deep {
            let key = key.of("hidden", 0);
            plan.hide(SearchDesign::new(
                key,
                spec.vertical,
                &tongue,
                plan.objects,
                spec.hazards,
            ));
        }
        let is_scripted = !plan.is_deep && key.of("scripted", 0).per_mille(spec.scripted.into());
        let scripts = is_scripted.then(|| Scripts::new(key.of("scripts", 0), spec));
        if scripts.is_some() {
            // Calendars and markup would have the objects without the script.
            decoys.calendar = None;
            plan.has_calendar = false;
            habits.syntax = Syntax::None;
        }
        let search = plan.search.as_ref().and_then(|search| search.host_label);
        let (mut eras, gone) = eras(spec, key, &tongue, language);
        for era in &mut eras {
            era.design.style.has_story_dates = decoys.round_ups == Some(ArticleDate::Url);
        }
        plan.has_calendar |= decoys.calendar.is_some();
        if let Some(remote) = decoys.remote {
            plan.remove_shortcuts();
            habits.sitemap = None;
            if remote == Remote::Chain {
                let size = (plan.objects / CHAIN_PAGES).ceil() as u32;
                eras.iter_mut().for_each(|era| era.design.style.page_size = size);
            }
        }
        if spec.has(Habit::LanguageVersions) && !plan.is_deep && scripts.is_none() {
            let (key, other) = (key.of("translation", 0), other_language(key, language));
            for era in &mut eras {
                era.translation = Some(era.design.translated(key, &tongue, other));
            }
        }
        Self {
            index,
            hosts: hosts(key, &name, index, search),
            focus: focus(key, index),
            habits,
            decoys,
            moved_scripts: scripts.as_ref().map(Scripts::moved),
            scripts,
            order: order(key, spec.vertical),
            currency: currency(key, language),
            name,
            plan,
            eras,
            gone,
            key,
            catalogue: RwLock::default(),
            views: Mutex::default(),
            rows: Mutex::default(),
        }
    }

    /// Returns the index of the design of a week.
    pub(crate) fn era(&self, week: u32) -> usize {
        self.eras.iter().rposition(|era| era.from <= week).unwrap_or(0)
    }

    pub(crate) fn is_gone(&self, week: u32) -> bool {
        self.gone.is_some_and(|gone| gone <= week)
    }

    /// Returns the catalogue, which covers at least `week` and perhaps later weeks.
    pub(crate) fn catalogue(&self, week: u32, spread: &Spread, population: &Population) -> Arc<Catalogue> {
        let known = Arc::clone(&self.catalogue.read().unwrap_or_else(PoisonError::into_inner));
        if known.weeks() > week {
            return known;
        }
        let has_slugs = self.eras.iter().any(|era| era.design.style.form.is_slug_only());
        let counters = Counters {
            key: self.key.of("counters", 0),
            share: self.decoys.counters,
        };
        let fresh = Arc::new(Catalogue::new(
            self.index, week, spread, population, has_slugs, counters,
        ));
        *self.catalogue.write().unwrap_or_else(PoisonError::into_inner) = Arc::clone(&fresh);
        fresh
    }

    /// Returns the state of the site's objects in a week.
    pub(crate) fn view(&self, week: u32, catalogue: &Catalogue, population: &Population) -> Arc<View> {
        let mut views = self.views.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, view)) = views.iter().find(|(known, _)| *known == week) {
            return Arc::clone(view);
        }
        let view = Arc::new(View::new(
            catalogue,
            week,
            population,
            self.habits.expiry,
            self.order,
            self.habits.lag,
        ));
        views.insert(0, (week, Arc::clone(&view)));
        views.truncate(MAX_VIEWS);
        view
    }
}

fn language(key: Key) -> usize {
    key.of("language", 0)
        .weighted(&[(8, 0), (4, 1), (3, 2), (2, 3), (2, 4), (2, 5), (1, 6), (1, 7)])
}

/// Returns the second language of a site: English, or any other on sites in English.
fn other_language(key: Key, language: usize) -> usize {
    match language {
        0 => 1 + key.of("other language", 0).below(LANGUAGES.len() as u64 - 1) as usize,
        _ => 0,
    }
}

fn currency(key: Key, language: usize) -> &'static str {
    match LANGUAGES[language].code {
        "en" => key
            .of("currency", 0)
            .weighted(&[(4, "GBP"), (4, "USD"), (1, "EUR")]),
        "de" => key.of("currency", 0).weighted(&[(7, "EUR"), (2, "CHF")]),
        "sv" => "SEK",
        _ => "EUR",
    }
}

/// Returns the hosts of a site. They are below a top-level domain reserved for tests, so no real
/// host is among them.
fn hosts(key: Key, name: &str, index: u32, search: Option<&str>) -> Hosts {
    // The number keeps host names apart; otherwise a few sites would share one.
    let stem = format!(
        "{}{}",
        name.to_lowercase(),
        if key.of("digits", 0).per_mille(100) {
            "-net"
        } else {
            ""
        }
    );
    let domain = format!("{stem}-{index}.test");
    let www = format!("www.{domain}");
    let has_www = key.of("www", 0).per_mille(600);
    let (main, other) = if has_www {
        (www, domain.clone())
    } else {
        (domain.clone(), www)
    };
    let side = key.of("side", 0).per_mille(120).then(|| {
        format!(
            "{}.{domain}",
            key.of("side name", 0)
                .pick(&["community", "info", "service", "talk"])
        )
    });
    Hosts {
        main,
        twin: key.of("twin", 0).per_mille(300).then_some(other),
        side,
        search: search.map(|label| format!("{label}.{domain}")),
    }
}

/// Returns the categories of a site, one bit each. The first site has all, so that every object is
/// on some site.
fn focus(key: Key, index: u32) -> u16 {
    let all = (1u16 << CATEGORIES) - 1;
    let wanted = match key.of("focus", 0).below(10) {
        _ if index == 0 => return all,
        0..4 => return all,
        4..7 => CATEGORIES / 2,
        7..9 => 3,
        _ => 1,
    };
    let first = key.of("first category", 0).below(CATEGORIES);
    (0..wanted).fold(0, |bits, step| bits | 1 << ((first + step * 5) % CATEGORIES))
}

fn order(key: Key, vertical: Vertical) -> Order {
    match vertical {
        Vertical::Events => key
            .of("order", 0)
            .weighted(&[(8, Order::Day), (2, Order::Newest)]),
        _ => key
            .of("order", 0)
            .weighted(&[(5, Order::Newest), (5, Order::Mixed)]),
    }
}

fn eras(spec: &WebSpec, key: Key, tongue: &Tongue, language: usize) -> (Vec<Era>, Option<u32>) {
    let first = Design::new(key.of("face", 0), tongue, language, spec.weight);
    let mut eras = vec![Era {
        from: 0,
        kind: None,
        design: first,
        translation: None,
    }];
    let mut gone = None;
    for week in 1..PLANNED_WEEKS {
        let key = key.of("redesign", u64::from(week));
        if !key.per_mille(u64::from(spec.redesigns)) || eras.len() == MAX_ERAS {
            continue;
        }
        let kind = Design::kind(key.of("kind", 0));
        if kind == RedesignKind::Gone {
            gone = Some(week);
            break;
        }
        let design = eras[eras.len() - 1]
            .design
            .after(kind, key, tongue, language, spec.weight);
        eras.push(Era {
            from: week,
            kind: Some(kind),
            design,
            translation: None,
        });
    }
    (eras, gone)
}
