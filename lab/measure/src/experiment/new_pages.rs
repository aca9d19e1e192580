//! Evaluation of learned patterns on pages that appeared after learning.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use anyhow::Result;
use magpie_engine::crawl::site_key;
use magpie_engine::{Canonicaliser, canonicaliser_knowing};
use magpie_lab::{TruePage, Web};
use magpie_patterns::pattern::{PatternSet, UrlPattern};

use super::trial::Trial;
use crate::mean::share;

/// Pages that the web did not have in week 0. Pages that are broken, forbidden by robots.txt, or
/// reached only through forms are excluded.
pub(super) struct NewPages {
    web: Arc<Web>,
    known: HashSet<String>,
    /// Sites whose objects can only be reached through forms.
    deep: HashSet<u32>,
}

#[derive(Clone, Copy)]
pub(super) struct Shows {
    /// True if the page has any object, current or past.
    pub(super) has_any: bool,
    /// True if the page has an object that is still current.
    pub(super) has_current: bool,
}

impl NewPages {
    pub(super) fn new(web: &Arc<Web>) -> Self {
        let known = web.truth(0).pages.into_iter().map(|page| page.url);
        let deep = web.sites().filter(|site| site.is_deep);
        Self {
            known: known.collect(),
            deep: deep.map(|site| site.index).collect(),
            web: Arc::clone(web),
        }
    }

    /// Iterates over the new pages of a week.
    pub(super) fn of(&self, week: u32) -> impl Iterator<Item = (TruePage, Shows)> {
        let truth = self.web.truth(week);
        let current = truth.objects.iter().filter(|object| !object.is_gone);
        let current: HashSet<_> = current.map(|object| object.id).collect();
        let is_new = |page: &TruePage| {
            let is_out_of_reach = page.is_broken || page.is_forbidden || self.deep.contains(&page.site);
            !is_out_of_reach && !self.known.contains(&page.url)
        };
        truth.pages.into_iter().filter(is_new).map(move |page| {
            let shows = Shows {
                has_any: !page.objects.is_empty(),
                has_current: page.objects.iter().any(|object| current.contains(object)),
            };
            (page, shows)
        })
    }
}

/// The wanted patterns of a workspace.
pub(super) struct Learned<'a> {
    trial: &'a Trial<'a>,
    patterns: PatternSet,
    /// Canonicalisers by site key. They apply the URL rules that crawls learned, which among other
    /// things map hosts with the same pages to one.
    sites: HashMap<String, Canonicaliser>,
}

impl<'a> Learned<'a> {
    pub(super) fn of(trial: &'a Trial<'a>) -> Result<Self> {
        let session = &trial.session;
        let reader = session.store();
        let (mut patterns, mut sites) = (Vec::new(), HashMap::new());
        for site in reader.learned_sites(session.vertical())? {
            for row in reader.patterns(session.vertical(), site.site)? {
                patterns.extend(row.pattern.parse::<UrlPattern>().ok().filter(|_| row.wanted));
            }
            let host = site.key.split_once("://").map_or(&*site.key, |(_, host)| host);
            let (settings, url_rules) = (session.settings().for_host(host), reader.url_rules(&site.key)?);
            sites.insert(site.key, canonicaliser_knowing(settings, &url_rules));
        }
        Ok(Self {
            trial,
            patterns: PatternSet::new(patterns),
            sites,
        })
    }

    /// Returns true if a pattern matches the page, or `None` if nothing was learned of its site.
    pub(super) fn matches(&self, page: &TruePage) -> Option<bool> {
        let resolved = self.trial.session.settings();
        let url = self.trial.lab.canonical(resolved, &page.url)?;
        let site = self.sites.get(&site_key(resolved.for_host(url.host()), &url))?;
        let named = site.canonicalise_text(url.as_str(), None);
        Some(named.is_ok_and(|named| self.patterns.matches(&named.url)))
    }
}

/// Describes an error of the patterns on a page, for verbose output.
pub(super) fn mistake(page: &TruePage, shows: Shows, is_matched: bool) -> Option<String> {
    match (shows.has_any, is_matched) {
        (true, false) if shows.has_current => Some(format!("{} is not matched", page.url)),
        (true, false) => Some(format!("{} is not matched (past)", page.url)),
        (false, true) => Some(format!("{} has no objects", page.url)),
        _ => None,
    }
}

/// Counts of new pages, and of the matches of patterns.
#[derive(Clone, Copy, Default)]
pub(super) struct PatternAccuracy {
    /// Pages with objects that count as wanted.
    wanted: f64,
    met: f64,
    matched: f64,
    right: f64,
}

impl PatternAccuracy {
    /// Counts a page, which is wanted if it has current objects.
    pub(super) fn note(&mut self, shows: Shows, is_matched: bool) {
        let one = |counts: bool| f64::from(u8::from(counts));
        self.wanted += one(shows.has_current);
        self.met += one(shows.has_current && is_matched);
        self.matched += one(is_matched);
        self.right += one(shows.has_any && is_matched);
    }

    /// Counts a page, which is wanted if it has any object.
    pub(super) fn note_any(&mut self, shows: Shows, is_matched: bool) {
        let has_current = shows.has_any;
        self.note(Shows { has_current, ..shows }, is_matched);
    }

    pub(super) fn recall(&self) -> Option<f64> {
        share(self.met, self.wanted)
    }

    /// Returns the share of the wanted pages of `all` that were not counted here.
    pub(super) fn share_missing_from(&self, all: &Self) -> Option<f64> {
        share(all.wanted - self.wanted, all.wanted)
    }

    pub(super) fn precision(&self) -> Option<f64> {
        share(self.right, self.matched)
    }
}
