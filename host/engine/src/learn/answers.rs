//! Answers of search forms, as selection takes them.

use std::collections::{BTreeMap, HashMap, HashSet};

use magpie_model::CanonicalUrl;
use magpie_patterns::navigate::Search;
use magpie_patterns::plan::{QueryAnswer, ResultPage};
use magpie_rows::{ReadStore, SelectedQuery, SiteId, StoreError, SubmissionRow, TemplateState};

use crate::site::{MatchConfidence, ObjectsByPage, SitePages};

/// The templates whose searches work, by site.
pub(super) struct WorkingSearches(HashSet<(SiteId, String)>);

impl WorkingSearches {
    pub(super) fn read(reader: &dyn ReadStore, vertical: &str) -> Result<WorkingSearches, StoreError> {
        let rows = reader.query_templates(vertical)?.into_iter();
        let working = rows.filter(|row| row.state == TemplateState::Working);
        Ok(WorkingSearches(
            working.map(|row| (row.site, row.template)).collect(),
        ))
    }

    /// Returns `true` if a site has one.
    pub(super) fn has(&self, site: SiteId) -> bool {
        self.0.iter().any(|(of, _)| *of == site)
    }

    /// Returns the answers of a site's searches with the objects that their pages show today.
    pub(super) fn answers(
        &self,
        (reader, vertical): (&dyn ReadStore, &str),
        site: SiteId,
        pages: &SitePages,
        objects: (&ObjectsByPage, &MatchConfidence),
    ) -> Result<Vec<QueryAnswer>, StoreError> {
        if !self.has(site) {
            return Ok(Vec::new());
        }
        let urls: HashMap<_, _> = pages
            .named_pages()
            .map(|(url, page)| (page.id, (url, page.url.as_str())))
            .collect();
        let mut found: BTreeMap<(String, String), BTreeMap<u32, SubmissionRow>> = BTreeMap::new();
        for row in reader.submissions(vertical, site)? {
            if !row.shown_on.is_empty() && self.0.contains(&(site, row.template.clone())) {
                let pages = found
                    .entry((row.template.clone(), row.query.clone()))
                    .or_default();
                pages.insert(row.result_page, row);
            }
        }
        let (sightings, doubts) = objects;
        let read = |row: SubmissionRow| {
            let mut page = ResultPage::default();
            // The answers to forms that are sent by POST are not among the pages of a site.
            let own = CanonicalUrl::trusted(row.url.as_str());
            for id in &row.shown_on {
                let known = urls.get(id).copied();
                let Some((url, text)) = known.or(own.as_ref().map(|own| (own, row.url.as_str()))) else {
                    continue;
                };
                let shown = sightings.of(text).iter();
                page.objects
                    .extend(shown.map(|object| (*object, doubts.likely(url, *object))));
                if text != row.url {
                    page.details.push(id.0);
                }
            }
            page
        };
        let answers = found.into_iter().map(|((template, query), pages)| {
            // A further page is reached over all that come before it.
            let in_row = (0..)
                .zip(pages)
                .take_while(|(place, (number, _))| place == number);
            QueryAnswer {
                template,
                query,
                pages: in_row.map(|(_, (_, row))| read(row)).collect(),
            }
        });
        Ok(answers.filter(|answer| !answer.pages.is_empty()).collect())
    }
}

/// Returns the selected queries of a site as its navigation has them: one search for each template
/// and number of pages.
pub(super) fn searches_of(selected: &[SelectedQuery], site: SiteId) -> Vec<Search> {
    let mut searches: BTreeMap<(&str, u32), Vec<String>> = BTreeMap::new();
    for query in selected.iter().filter(|query| query.site == site) {
        let queries = searches.entry((&query.template, query.pages)).or_default();
        queries.push(query.query.clone());
    }
    let searches = searches.into_iter();
    searches
        .map(|((template, pages), queries)| Search {
            template: template.to_owned(),
            pages,
            queries,
        })
        .collect()
}
