//! Readings of sites.

use std::collections::BTreeMap;

use magpie_engine::reading::{ChangedValue, Difference, ObjectOnPage, Reread, Samples};
use magpie_reading::Reading;
use schemars::JsonSchema;
use serde::Serialize;

/// A reading: classes of pages, and the places where values stand.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ReadingView {
    /// Name of the vertical.
    vertical: String,
    /// Key of the site.
    site: String,
    /// Path of the file.
    file: String,
    /// Number of pages that it was learned from.
    pages: u64,
    /// Year that the site's pages are about, or null.
    year: Option<i32>,
    /// Currency of the site, or null.
    currency: Option<String>,
    /// Languages of its pages.
    languages: Vec<String>,
    /// Hosts that records name in place of the site's own.
    aliases: Vec<String>,
    /// Values that all objects of the site have, by attribute.
    constants: BTreeMap<String, String>,
    /// Kinds of pages.
    classes: Vec<ClassView>,
    /// Values that people stated.
    corrections: Vec<CorrectionView>,
    /// Pages on which a place and the vertical have different values.
    disagreements: Vec<DisagreementView>,
}

/// A kind of pages.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ClassView {
    /// Name of the class.
    name: String,
    /// Kind of its pages: `entry`, `list`, `detail`, `post`, `widgets` or `other`.
    kind: String,
    /// Number of its pages.
    pages: u64,
    /// Places of values on them.
    places: Vec<PlaceView>,
}

/// A place where values of an attribute stand.
#[derive(Debug, Serialize, JsonSchema)]
pub struct PlaceView {
    /// Name of the attribute.
    attribute: String,
    /// Name of the place, as in the file.
    find: String,
    /// True if each item of a list has it.
    of_item: bool,
    /// Number of pages or items on which a witness had the same value.
    support: u64,
    /// Share of the witnesses that agreed.
    agreement: f64,
    /// Share of the pages or items that have the place.
    coverage: f64,
    /// Some values that were read there.
    samples: Vec<String>,
}

/// A value that a person stated.
#[derive(Debug, Serialize, JsonSchema)]
pub struct CorrectionView {
    /// URL of the page.
    page: String,
    /// Name of the attribute.
    attribute: String,
    /// The value.
    value: String,
}

/// A place whose value is not the one that the vertical found.
#[derive(Debug, Serialize, JsonSchema)]
pub struct DisagreementView {
    /// URL of the page.
    page: String,
    /// Name of the attribute.
    attribute: String,
    /// The value at the learned place.
    read: String,
    /// The values that the vertical found.
    found: Vec<String>,
}

/// A comparison of two readings.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ReadingDifference {
    /// Name of the vertical.
    vertical: String,
    /// Key of the site.
    site: String,
    /// Number of pages that were compared.
    pages: u64,
    /// Number of objects that only the new reading has.
    added: u64,
    /// Number of objects that only the old reading has.
    lost: u64,
    /// Number of values that differ.
    changed: u64,
    /// Some objects that only the new reading has.
    added_objects: Vec<ObjectView>,
    /// Some objects that only the old reading has.
    lost_objects: Vec<ObjectView>,
    /// Some values that differ.
    changed_values: Vec<ChangeView>,
}

/// An object on a page.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ObjectOnPage")]
pub struct ObjectView {
    /// URL of the page.
    page: String,
    /// The object by its identifying values.
    object: String,
}

/// A value that two readings read differently.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ChangedValue")]
pub struct ChangeView {
    /// URL of the page.
    page: String,
    /// The object by its identifying values.
    object: String,
    /// Name of the attribute.
    attribute: String,
    /// The value by the old reading.
    before: String,
    /// The value by the new reading.
    after: String,
}

/// The result of reading archived pages again.
#[derive(Debug, Serialize, JsonSchema)]
pub struct RereadLine {
    /// Name of the vertical.
    pub vertical: String,
    /// Number of pages that were read.
    pub pages: u64,
    /// Number of pages with other records than before.
    pub changed: u64,
    /// Number of pages on which the component failed.
    pub failed: u64,
    /// Number of pages without a copy in the archive.
    pub missing: u64,
    /// Number of pages among them whose copy was removed by `archive.keep` or `archive.quota`.
    pub pruned: u64,
    /// Number of objects after clustering.
    pub objects: u64,
}

impl RereadLine {
    /// Describes what was done.
    pub fn new(vertical: &str, done: &Reread, objects: u64) -> RereadLine {
        RereadLine {
            vertical: vertical.to_owned(),
            pages: done.pages,
            changed: done.changed,
            failed: done.failed,
            missing: done.missing,
            pruned: done.pruned.0,
            objects,
        }
    }
}

impl ReadingView {
    /// Describes a reading with some of its values.
    pub fn new(
        vertical: &str,
        site: &str,
        file: &std::path::Path,
        reading: &Reading,
        samples: &Samples,
    ) -> Self {
        let places = |class: &str| {
            let own = reading.places().filter(|place| place.class == class);
            let view = |place: magpie_reading::Place<'_>| {
                let key = (place.attribute.to_owned(), place.find.to_owned());
                PlaceView {
                    attribute: place.attribute.to_owned(),
                    find: place.find.to_owned(),
                    of_item: place.of_item,
                    support: place.support as u64,
                    agreement: place.agreement,
                    coverage: place.coverage,
                    samples: samples.values.get(&key).cloned().unwrap_or_default(),
                }
            };
            own.map(view).collect()
        };
        let facts = reading.facts();
        ReadingView {
            vertical: vertical.to_owned(),
            site: site.to_owned(),
            file: file.display().to_string(),
            pages: reading.pages() as u64,
            year: facts.year,
            currency: facts.currency.clone(),
            languages: facts.languages.clone(),
            aliases: facts.aliases.clone(),
            constants: facts.constants.clone(),
            classes: reading
                .classes()
                .map(|(name, kind, pages)| ClassView {
                    name: name.to_owned(),
                    kind: kind.as_str().to_owned(),
                    pages: pages as u64,
                    places: places(name),
                })
                .collect(),
            corrections: reading
                .corrections()
                .iter()
                .map(|one| CorrectionView {
                    page: one.page.clone(),
                    attribute: one.attribute.clone(),
                    value: one.value.clone(),
                })
                .collect(),
            disagreements: samples
                .disagreements
                .iter()
                .map(|one| DisagreementView {
                    page: one.page.clone(),
                    attribute: one.disagreement.attribute.clone(),
                    read: one.disagreement.read.clone(),
                    found: one.disagreement.found.clone(),
                })
                .collect(),
        }
    }
}

impl ReadingDifference {
    /// Describes a comparison.
    pub fn new(vertical: &str, site: &str, difference: &Difference) -> Self {
        let objects = |named: &[ObjectOnPage]| {
            let view = |one: &ObjectOnPage| ObjectView {
                page: one.page.clone(),
                object: one.object.clone(),
            };
            named.iter().map(view).collect()
        };
        let change = |one: &ChangedValue| ChangeView {
            page: one.on.page.clone(),
            object: one.on.object.clone(),
            attribute: one.attribute.clone(),
            before: one.before.clone(),
            after: one.after.clone(),
        };
        ReadingDifference {
            vertical: vertical.to_owned(),
            site: site.to_owned(),
            pages: difference.pages,
            added: difference.added.0,
            lost: difference.lost.0,
            changed: difference.changed.0,
            added_objects: objects(&difference.added.1),
            lost_objects: objects(&difference.lost.1),
            changed_values: difference.changed.1.iter().map(change).collect(),
        }
    }
}
