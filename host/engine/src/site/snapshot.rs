//! Sites as the workspace has them, each read once.

use std::collections::HashMap;
use std::sync::Arc;

use magpie_discovery::Canonicaliser;
use magpie_patterns::navigate::Navigator;
use magpie_patterns::pattern::UrlPattern;
use magpie_patterns::plan::{SitePatterns, Survey};
use magpie_rows::{LearnedSite, PatternRow, SiteId, StoreError};

use super::collection::{SiteError, View};
use super::survey::{ObjectsByPage, SitePages};
use crate::canonicaliser_knowing;
use crate::settings::Settings;

/// Snapshots of sites and of the objects on them, each read when it is first asked for.
///
/// They hold until pages are fetched or records clustered. After that new ones must be read.
/// A site takes some 600 bytes a page and 16 bytes a link while it is kept. Learning keeps all
/// sites, since a selection weighs the patterns of all of them at once; a round plans one site at a
/// time and keeps pages without links afterwards.
#[derive(Debug, Default)]
pub struct Snapshots {
    sightings: Option<ObjectsByPage>,
    sites: HashMap<SiteId, Kept>,
    /// The patterns that were parsed, by their texts.
    patterns: HashMap<String, UrlPattern>,
    site_reads: u64,
}

/// A site that was read.
#[derive(Debug)]
enum Kept {
    /// Without its links, which are most of the work.
    Pages(Arc<SitePages>),
    /// With all links, and the part that patterns are made from.
    Whole(Arc<SitePages>, Arc<Survey>),
}

/// A learned site: its pages with their links, as far as they were asked for, and its patterns.
pub(crate) struct SiteSnapshot {
    pub(crate) site: LearnedSite,
    pub(crate) surveyed: Arc<SitePages>,
    /// The part of it that patterns are made from; empty if the links were not asked for.
    pub(crate) survey: Arc<Survey>,
    pub(crate) rows: Vec<LearnedPattern>,
    pub(crate) patterns: SitePatterns,
}

/// A pattern with what is kept of it.
#[derive(Clone, Debug)]
pub(crate) struct LearnedPattern {
    pub(crate) row: PatternRow,
    pub(crate) pattern: UrlPattern,
}

impl Snapshots {
    /// Returns the number of times that a site was read from the workspace.
    pub fn site_reads(&self) -> u64 {
        self.site_reads
    }

    /// Forgets what pages and objects there are: pages were fetched, or records clustered.
    pub(crate) fn forget_sites(&mut self) {
        self.sightings = None;
        self.sites.clear();
    }

    /// Drops the pages of sites. They stay as they are, and need memory.
    pub(crate) fn drop_pages(&mut self) {
        self.sites.clear();
    }

    /// Parses a pattern, or finds it among those that were parsed.
    pub(crate) fn pattern(&mut self, text: &str) -> Result<UrlPattern, SiteError> {
        // Each step of a round reads the same patterns.
        if let Some(pattern) = self.patterns.get(text) {
            return Ok(pattern.clone());
        }
        let pattern: UrlPattern = text.parse().map_err(
            |reason: magpie_patterns::pattern::PatternError| SiteError::Pattern {
                pattern: text.to_owned(),
                reason: reason.to_string(),
            },
        )?;
        self.patterns.insert(text.to_owned(), pattern.clone());
        Ok(pattern)
    }
}

impl SiteSnapshot {
    /// Returns the patterns whose pages recrawls fetch.
    pub(crate) fn chosen(&self) -> impl Iterator<Item = &LearnedPattern> {
        self.rows.iter().filter(|learned| learned.row.chosen)
    }

    /// Returns the chosen patterns by themselves.
    pub(crate) fn chosen_patterns(&self) -> Vec<UrlPattern> {
        self.chosen().map(|learned| learned.pattern.clone()).collect()
    }
}

impl View<'_> {
    /// Returns the objects on all pages, as of the moment of this view.
    pub(crate) fn sightings(&self, snapshots: &mut Snapshots) -> Result<ObjectsByPage, StoreError> {
        if snapshots.sightings.is_none() {
            snapshots.sightings = Some(ObjectsByPage::read(self.reader, self.vertical, self.now)?);
        }
        let sightings = snapshots.sightings.as_ref();
        Ok(sightings.map_or_else(ObjectsByPage::default, |sightings| sightings.as_of(self.now)))
    }

    /// Returns the pages of a site, without links unless these were read before.
    pub(crate) fn site_pages(
        &self,
        site: SiteId,
        key: &str,
        snapshots: &mut Snapshots,
    ) -> Result<Arc<SitePages>, SiteError> {
        if let Some(Kept::Pages(pages) | Kept::Whole(pages, _)) = self.kept(site, snapshots)? {
            return Ok(Arc::clone(pages));
        }
        let pages = Arc::new(self.read_pages(site, key, snapshots)?);
        snapshots.sites.insert(site, Kept::Pages(Arc::clone(&pages)));
        Ok(pages)
    }

    /// Returns a site with all its links, and the part of it that patterns are made from.
    pub(crate) fn whole_site(
        &self,
        site: SiteId,
        key: &str,
        snapshots: &mut Snapshots,
    ) -> Result<(Arc<SitePages>, Arc<Survey>), SiteError> {
        let mut whole = match self.kept(site, snapshots)? {
            Some(Kept::Whole(surveyed, survey)) => return Ok((Arc::clone(surveyed), Arc::clone(survey))),
            Some(Kept::Pages(pages)) => (**pages).clone(),
            None => self.read_pages(site, key, snapshots)?,
        };
        whole.read_links(self.reader, &self.canonicaliser(key)?, &|_| true)?;
        let (survey, whole) = (Arc::new(whole.fetched()), Arc::new(whole));
        let kept = Kept::Whole(Arc::clone(&whole), Arc::clone(&survey));
        snapshots.sites.insert(site, kept);
        Ok((whole, survey))
    }

    /// Returns a site that was read.
    fn kept<'s>(&self, site: SiteId, snapshots: &'s mut Snapshots) -> Result<Option<&'s Kept>, SiteError> {
        if let Some(kept) = snapshots.sites.get_mut(&site) {
            let gone_at = self.reader.lists_gone_at(self.vertical, site)?;
            let (Kept::Pages(pages) | Kept::Whole(pages, _)) = &*kept;
            // One whose lists were found gone since is kept without its links: pages that were not
            // fetched since lead nowhere.
            if pages.lists_gone_at() != gone_at {
                let pages = pages.without_links().since_lists_were_gone(gone_at);
                *kept = Kept::Pages(Arc::new(pages));
            }
        }
        Ok(snapshots.sites.get(&site))
    }

    fn read_pages(&self, site: SiteId, key: &str, snapshots: &mut Snapshots) -> Result<SitePages, SiteError> {
        let sightings = self.sightings(snapshots)?;
        let canonicaliser = self.canonicaliser(key)?;
        let rules = (self.settings_of(key), &canonicaliser);
        let surveyed = SitePages::read_pages(self.reader, site, key, rules, &sightings)?;
        snapshots.site_reads += 1;
        let gone_at = self.reader.lists_gone_at(self.vertical, site)?;
        Ok(surveyed.since_lists_were_gone(gone_at))
    }

    pub(crate) fn canonicaliser(&self, key: &str) -> Result<Canonicaliser, StoreError> {
        let url_rules = self.reader.url_rules(key)?;
        Ok(canonicaliser_knowing(self.settings_of(key), &url_rules))
    }

    /// Returns the settings of a site.
    fn settings_of(&self, key: &str) -> &Settings {
        let host = key.split_once("://").map_or(key, |(_, host)| host);
        self.settings.for_host(host)
    }

    /// Returns a learned site with all its links.
    pub(crate) fn whole_snapshot(
        &self,
        site: LearnedSite,
        snapshots: &mut Snapshots,
    ) -> Result<SiteSnapshot, SiteError> {
        let (surveyed, survey) = self.whole_site(site.site, &site.key, snapshots)?;
        self.snapshot(site, surveyed, survey, snapshots)
    }

    /// Returns a learned site without what it was learned from.
    pub(crate) fn pages_snapshot(
        &self,
        site: LearnedSite,
        snapshots: &mut Snapshots,
    ) -> Result<SiteSnapshot, SiteError> {
        let surveyed = self.site_pages(site.site, &site.key, snapshots)?;
        self.snapshot(site, surveyed, Arc::default(), snapshots)
    }

    /// Returns a learned site with the links of the pages that a navigation reads: all that a round
    /// along it needs. A site that has to be read for that is not kept.
    pub(crate) fn snapshot_along(
        &self,
        site: LearnedSite,
        navigator: &Navigator,
        snapshots: &mut Snapshots,
    ) -> Result<SiteSnapshot, SiteError> {
        let entry = &navigator.navigation().entry;
        let mut pages = match self.kept(site.site, snapshots)? {
            Some(Kept::Whole(whole, _)) => {
                let along = Arc::new(whole.along(entry, &|url| navigator.reads(url)));
                return self.snapshot(site, along, Arc::default(), snapshots);
            }
            Some(Kept::Pages(pages)) => (**pages).clone(),
            None => self.read_pages(site.site, &site.key, snapshots)?,
        };
        pages.begin_with(entry);
        let canonicaliser = self.canonicaliser(&site.key)?;
        pages.read_links(self.reader, &canonicaliser, &|url| navigator.reads(url))?;
        self.snapshot(site, Arc::new(pages), Arc::default(), snapshots)
    }

    fn snapshot(
        &self,
        site: LearnedSite,
        surveyed: Arc<SitePages>,
        survey: Arc<Survey>,
        snapshots: &mut Snapshots,
    ) -> Result<SiteSnapshot, SiteError> {
        let mut patterns = SitePatterns::default();
        let mut rows = Vec::new();
        for row in self.reader.patterns(self.vertical, site.site)? {
            let pattern = snapshots.pattern(&row.pattern)?;
            let of_kind = match row.wanted {
                true => &mut patterns.wanted,
                false => &mut patterns.others,
            };
            of_kind.push(pattern.clone());
            rows.push(LearnedPattern { row, pattern });
        }
        Ok(SiteSnapshot {
            site,
            surveyed,
            survey,
            rows,
            patterns,
        })
    }
}
