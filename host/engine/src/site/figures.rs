//! Figures of the learned sites: how much of each was read, what is expected of the rest, and what
//! its objects look like.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use magpie_matching::plausible::{SiteObject, Suspicion, suspicions};
use magpie_model::{Attribute, CanonicalUrl, Record};
use magpie_patterns::coverage::{PageFacts, PageState, SiteCoverage};
use magpie_patterns::pattern::PatternSet;
use magpie_rows::{LearnedSite, SiteId};

use super::collection::{SiteError, View};
use super::kind::{NoPages, UrlKind};
use super::survey::ObjectsByPage;

/// Objects that are shown for a pattern.
const SAMPLES: usize = 3;

/// Attributes of a sample beside its label.
const SAMPLE_ATTRIBUTES: usize = 3;

/// Figures of a learned site.
#[derive(Clone, Debug)]
pub struct SiteFigures {
    /// Its number in the workspace.
    pub site: SiteId,
    /// Its host, or its origin if that is not the usual one.
    pub key: String,
    /// The share of it that was read, and the objects expected of the rest.
    pub coverage: SiteCoverage,
    /// Its URLs that are no pages.
    pub no_pages: NoPages,
    /// Its objects that have not expired.
    pub current_objects: u64,
    /// Reasons to distrust its objects.
    pub suspicions: Vec<Suspicion>,
    /// Some objects of each chosen pattern.
    pub samples: Vec<PatternSamples>,
}

/// Some objects of a pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PatternSamples {
    /// The URL pattern.
    pub pattern: String,
    /// The objects, from pages far apart.
    pub objects: Vec<SampleObject>,
}

/// An object that is counted for several.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SampleObject {
    /// A short name for people.
    pub label: String,
    /// Labels and values of the attributes that identify it, and of some others.
    pub attributes: Vec<(String, String)>,
    /// A page that has it.
    pub page: String,
}

impl View<'_> {
    /// The figures of all learned sites.
    pub fn site_figures(&self) -> Result<Vec<SiteFigures>, SiteError> {
        self.figures_where(|_| true)
    }

    /// The figures of the learned sites with these keys.
    pub fn figures_of_sites(&self, keys: &[&str]) -> Result<Vec<SiteFigures>, SiteError> {
        let keys: HashSet<&str> = keys.iter().copied().collect();
        self.figures_where(|site| keys.contains(site.key.as_str()))
    }

    fn figures_where(&self, is_wanted: impl Fn(&LearnedSite) -> bool) -> Result<Vec<SiteFigures>, SiteError> {
        let sightings = ObjectsByPage::read(self.reader, self.vertical, self.now)?;
        let warehouse = self.reader.warehouse_vertical(self.vertical)?;
        let schema = warehouse.map(|row| serde_json::from_str(&row.matching.schema).unwrap_or_default());
        let schema: Vec<Attribute> = schema.unwrap_or_default();
        let sites = self.reader.learned_sites(self.vertical)?;
        sites
            .iter()
            .filter(|site| is_wanted(site))
            .map(|site| self.figures_of(site, &sightings, &schema))
            .collect()
    }

    fn figures_of(
        &self,
        site: &LearnedSite,
        sightings: &ObjectsByPage,
        schema: &[Attribute],
    ) -> Result<SiteFigures, SiteError> {
        let known = self.reader.known_pages(site.site)?;
        let pages: Vec<_> = known
            .iter()
            .filter_map(|page| Some((CanonicalUrl::trusted(page.url.as_str())?, page)))
            .collect();
        let facts: Vec<PageFacts<'_>> = pages
            .iter()
            .map(|(url, page)| PageFacts {
                url,
                objects: sightings.of(&page.url),
                state: match UrlKind::of(page) {
                    UrlKind::Page => PageState::Fetched,
                    UrlKind::Unfetched => PageState::Unfetched,
                    _ if page.fetched_at.is_some() => PageState::NoPage,
                    _ => PageState::Excluded,
                },
            })
            .collect();
        // True for objects that are alone on some page.
        let mut objects: BTreeMap<u32, bool> = BTreeMap::new();
        for page in &facts {
            for object in page.objects {
                *objects.entry(*object).or_default() |= page.objects.len() == 1;
            }
        }
        let mut records: HashMap<u32, (String, Record)> = HashMap::new();
        for object in objects.keys() {
            let row = sightings
                .cluster(*object)
                .map(|cluster| self.reader.object(cluster));
            if let Some(row) = row.transpose()?.flatten() {
                records.insert(*object, (row.label, row.record));
            }
        }
        let all: Vec<SiteObject<'_>> = objects
            .iter()
            .filter_map(|(object, has_own_page)| {
                let (_, record) = records.get(object)?;
                Some(SiteObject {
                    record,
                    has_own_page: *has_own_page,
                })
            })
            .collect();
        let (checked, failing) = self.reader.checked_pages(self.vertical, site.site)?;
        Ok(SiteFigures {
            site: site.site,
            key: site.key.clone(),
            coverage: SiteCoverage::of(&facts),
            no_pages: NoPages::count(known.iter().map(UrlKind::of)),
            current_objects: objects
                .keys()
                .filter(|object| sightings.is_current(**object))
                .count() as u64,
            suspicions: suspicions(schema, &all, (failing, checked)),
            samples: self.samples(site, &facts, &records, schema)?,
        })
    }

    /// Some objects of each chosen pattern of a site.
    fn samples(
        &self,
        site: &LearnedSite,
        pages: &[PageFacts<'_>],
        records: &HashMap<u32, (String, Record)>,
        schema: &[Attribute],
    ) -> Result<Vec<PatternSamples>, SiteError> {
        let rows = self.reader.patterns(self.vertical, site.site)?;
        let chosen = rows.iter().filter(|row| row.chosen);
        let set = PatternSet::new(chosen.filter_map(|row| row.pattern.parse().ok()));
        let mut of_pattern: Vec<Vec<&PageFacts<'_>>> = vec![Vec::new(); set.patterns().len()];
        for page in pages.iter().filter(|page| !page.objects.is_empty()) {
            for pattern in set.matching(page.url) {
                of_pattern[pattern].push(page);
            }
        }
        let samples = of_pattern.iter().zip(set.patterns()).map(|(pages, pattern)| {
            let mut shown: BTreeSet<u32> = BTreeSet::new();
            let mut objects = Vec::new();
            for page in spread(pages) {
                let object = page.objects.iter().find(|object| !shown.contains(*object));
                let Some((object, (label, record))) = object.and_then(|object| records.get_key_value(object))
                else {
                    continue;
                };
                shown.insert(*object);
                objects.push(SampleObject {
                    label: label.clone(),
                    attributes: identifying(label, record, schema),
                    page: page.url.as_str().to_owned(),
                });
            }
            PatternSamples {
                pattern: pattern.to_string(),
                objects,
            }
        });
        Ok(samples.collect())
    }
}

/// Some of the items, far apart.
fn spread<T>(items: &[T]) -> impl Iterator<Item = &T> {
    let count = items.len().min(SAMPLES);
    (0..count).map(move |place| &items[place * (items.len() - 1) / (count - 1).max(1)])
}

/// Returns the most useful attributes of a record, those that identify first. What the label has
/// is left out.
fn identifying(label: &str, record: &Record, schema: &[Attribute]) -> Vec<(String, String)> {
    let mut wanted: Vec<&Attribute> = schema.iter().filter(|attribute| attribute.weight > 0.0).collect();
    wanted.sort_by_key(|attribute| !attribute.identifies);
    let values = wanted.into_iter().filter_map(|attribute| {
        let value = record.get(&attribute.name)?;
        (!label.contains(value)).then(|| (attribute.label.clone(), value.to_owned()))
    });
    values.take(SAMPLE_ATTRIBUTES).collect()
}
