//! The answers of the API, from which the components of its document are generated.

use magpie_report::views::change::{ChangeView, ChangesEnd};
use magpie_report::views::object::{ObjectView, WholeObjectView};
use magpie_report::views::sites::{BegunSiteLine, SiteLine};
use magpie_rows::{Facet, ObjectState};
use schemars::JsonSchema;
use serde::Serialize;

/// A page of objects.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ObjectPage")]
pub(super) struct ObjectPageView {
    /// Objects that match the query.
    pub(super) objects: Vec<ObjectView>,
    /// Number of objects that match the query.
    pub(super) total: u64,
    /// False if there are more than `total`.
    pub(super) total_is_exact: bool,
    /// The next page; null on the last.
    pub(super) next_url: Option<String>,
}

/// A page of objects, with facets.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "SearchPage")]
pub(super) struct SearchPageView {
    #[serde(flatten)]
    pub(super) page: ObjectPageView,
    /// Frequent values of attributes.
    pub(super) facets: Vec<FacetView>,
    /// Number of objects that the facets count.
    pub(super) facets_of: u64,
    /// Another query, if nothing was found.
    pub(super) did_you_mean: Option<String>,
}

/// Frequent values of an attribute.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Facet")]
pub(super) struct FacetView {
    /// Name of the attribute.
    attribute: String,
    /// Label of the attribute.
    label: String,
    /// The values, the most frequent first.
    values: Vec<FacetValueView>,
}

/// A value of a facet.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "FacetValue")]
struct FacetValueView {
    /// The value.
    value: String,
    /// Number of objects that have it.
    hits: u64,
    /// Term of a query for these objects.
    term: String,
}

impl From<&Facet> for FacetView {
    fn from(facet: &Facet) -> FacetView {
        let values = facet.values.iter().map(|value| FacetValueView {
            value: value.value.clone(),
            hits: value.hits,
            term: value.term.to_string(),
        });
        FacetView {
            attribute: facet.attribute.clone(),
            label: facet.label.clone(),
            values: values.collect(),
        }
    }
}

/// An object with its records, their pages and its history.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ObjectDetail")]
pub(super) struct ObjectDetailView {
    #[serde(flatten)]
    pub(super) whole: WholeObjectView,
    /// State of the object.
    pub(super) state: ObjectState,
    /// Number of changes of the object.
    pub(super) revision: u64,
    /// Changes of the object.
    pub(super) history: Vec<ChangeView>,
}

/// A page of the log of changes.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ChangePage")]
pub(super) struct ChangePageView {
    /// The changes, the oldest first.
    pub(super) changes: Vec<ChangeView>,
    #[serde(flatten)]
    pub(super) end: ChangesEnd,
    /// The changes after these.
    pub(super) next_url: String,
}

/// A line of the log of changes; the last one has the position after the changes.
#[derive(JsonSchema)]
#[serde(untagged)]
#[schemars(rename = "ChangeLine")]
#[expect(dead_code, reason = "only its schema is read")]
pub(super) enum ChangeLineView {
    /// A change.
    Change(ChangeView),
    /// The position.
    End(ChangesEnd),
}

/// A page of sites.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "SitePage")]
pub(super) struct SitePageView {
    /// The sites.
    pub(super) sites: Vec<SiteView>,
    /// The next page; null on the last.
    pub(super) next_url: Option<String>,
}

/// A site: learned, or only named.
#[derive(Clone, Serialize, JsonSchema)]
#[serde(untagged)]
#[schemars(rename = "Site")]
pub(crate) enum SiteView {
    /// A learned site.
    Learned(Box<SiteLine>),
    /// A site that was named and not learned.
    Named(BegunSiteLine),
}
