//! Takes back what was learned of a site.

use std::collections::HashSet;
use std::path::PathBuf;

use magpie_patterns::navigate::{Navigation, Navigator, Role};
use magpie_patterns::plan::SitePatterns;
use magpie_rows::{PatternRow, SelectedQuery, SiteId, StoreError};

use crate::site::{
    Collection, NavigationFileError, SiteError, Snapshots, file_before, navigation_file, read_navigation,
    renew_navigation,
};

/// A site that has the selection and the navigation from before its last learning or repair.
#[derive(Clone, Debug)]
pub struct SiteUndone {
    /// Number of selected patterns.
    pub patterns: usize,
    /// The file in which an edited navigation was kept.
    pub kept: Option<PathBuf>,
}

impl Collection<'_> {
    /// Returns a site to the navigation before the present one and selects the patterns that it
    /// leads to. Undone again, the site has the present ones. Returns `None` if there is none
    /// before.
    pub fn undo(&self, key: &str) -> Result<Option<SiteUndone>, SiteError> {
        let file = navigation_file(self.folder, self.vertical, key);
        let Some(navigation) = read_navigation(&file_before(&file))? else {
            return Ok(None);
        };
        let site = self.store.site(key)?;
        let patterns = self.select_again(site, key, &navigation)?;
        let kept = renew_navigation(&file, Some(&navigation))?;
        Ok(Some(SiteUndone { patterns, kept }))
    }

    /// Selects the patterns and queries of a navigation, and returns the number of patterns.
    fn select_again(&self, site: SiteId, key: &str, navigation: &Navigation) -> Result<usize, SiteError> {
        let mut snapshots = Snapshots::default();
        let (_, survey) = self.view().whole_site(site, key, &mut snapshots)?;
        let path = navigation_file(self.folder, self.vertical, key);
        let navigator = Navigator::new(navigation.clone())
            .map_err(|error| NavigationFileError::Content { path, error })?;
        let states = navigation.states.iter().filter(|state| state.role != Role::Hub);
        let mut named = HashSet::new();
        let mut patterns = SitePatterns {
            wanted: states.flat_map(|state| state.patterns.iter().cloned()).collect(),
            ..SitePatterns::default()
        };
        patterns
            .wanted
            .retain(|pattern| named.insert(pattern.to_string()));
        for row in self.store.patterns(self.vertical, site)? {
            if !named.contains(&row.pattern) {
                let of_kind = match row.wanted {
                    true => &mut patterns.wanted,
                    false => &mut patterns.others,
                };
                of_kind.push(snapshots.pattern(&row.pattern)?);
            }
        }
        let (mut learned, mut rows) = self.rows(site, key, &survey, &patterns)?;
        learned.hubs = survey.urls.iter().filter(|url| navigator.reads(url)).count() as u64;
        let mut missing = named.clone();
        for row in &mut rows {
            row.chosen = named.contains(&row.pattern);
            missing.remove(&row.pattern);
        }
        // Pages that are gone may come back, and the navigation leads to them.
        rows.extend(missing.into_iter().map(|pattern| PatternRow {
            pattern,
            wanted: true,
            chosen: true,
            learned_at: self.now,
            ..PatternRow::default()
        }));
        self.store.put_patterns(self.vertical, learned, rows)?;
        self.put_queries(site, navigation)?;
        Ok(named.len())
    }

    /// Puts the queries of a navigation in the place of those of its site. The selected patterns of
    /// all sites stay.
    fn put_queries(&self, site: SiteId, navigation: &Navigation) -> Result<(), StoreError> {
        let Some(mut selection) = self.store.selection(self.vertical)? else {
            return Ok(());
        };
        let mut patterns = Vec::new();
        for learned in self.store.learned_sites(self.vertical)? {
            let rows = self.store.patterns(self.vertical, learned.site)?.into_iter();
            patterns.extend(rows.map(|row| (learned.site, row.pattern, row.hubs, row.chosen)));
        }
        selection.patterns = patterns.iter().filter(|(.., chosen)| *chosen).count() as u64;
        let mut queries = self.store.selected_queries(self.vertical)?;
        queries.retain(|query| query.site != site);
        for search in &navigation.searches {
            queries.extend(search.queries.iter().map(|query| SelectedQuery {
                site,
                template: search.template.clone(),
                query: query.clone(),
                pages: search.pages,
            }));
        }
        self.store
            .put_selection(self.vertical, selection, patterns, queries)
    }
}
