//! The state of a workspace.

use std::collections::BTreeMap;
use std::path::Path;

use magpie_engine::watch::read_health;
use magpie_rows::ReadStore;
use magpie_rows::{ComponentTotals, CoverageRow, RunRow, SiteRow, Status, StoreError, UrlState};
use serde_json::{Value, json};

use super::sites::filled_json;

/// Sites that are looked through for those with the longest queues.
const MAX_SITES: usize = 100_000;

/// The state of a workspace, as `magpie status` shows it.
#[derive(Clone, Debug)]
pub struct Overview {
    /// Totals.
    pub status: Status,
    /// Runs, the oldest first.
    pub runs: Vec<RunRow>,
    /// The totals of each component.
    pub components: Vec<ComponentTotals>,
    /// Sites, those with the longest queues first.
    pub sites: Vec<SiteRow>,
    /// Attributes of which sites have fewer values than when they were learned.
    pub fallen: Vec<Fallen>,
    /// The health of the last watch, as its file tells it.
    pub watch: Option<Value>,
}

/// An attribute of which a site has fewer values than when it was learned.
#[derive(Clone, Debug, PartialEq)]
pub struct Fallen {
    /// The vertical.
    pub vertical: String,
    /// The key of the site.
    pub site: String,
    /// The coverage of the attribute.
    pub row: CoverageRow,
}

impl Fallen {
    fn read(reader: &dyn ReadStore) -> Result<Vec<Fallen>, StoreError> {
        let mut fallen = Vec::new();
        for vertical in reader.learned_verticals()? {
            let sites = reader.learned_sites(&vertical)?;
            for row in reader.field_coverage(&vertical, None)? {
                let site = sites.iter().find(|site| site.site == row.site);
                if let Some(site) = site.filter(|_| row.fell_at.is_some()) {
                    fallen.push(Fallen {
                        vertical: vertical.clone(),
                        site: site.key.clone(),
                        row,
                    });
                }
            }
        }
        Ok(fallen)
    }

    fn to_json(&self) -> Value {
        let row = &self.row;
        json!({
            "vertical": self.vertical, "site": self.site, "attribute": row.attribute,
            "learned": filled_json(row.learned), "last": filled_json(row.last),
            "fell_at": row.fell_at.map(|at| at.to_string()),
        })
    }
}

impl Overview {
    /// Reads the state of the workspace in a folder.
    pub fn read(reader: &dyn ReadStore, folder: &Path) -> Result<Overview, StoreError> {
        let mut sites = reader.sites_after(None, MAX_SITES)?;
        sites.sort_by_key(|site| std::cmp::Reverse(site.queued));
        Ok(Overview {
            status: reader.status()?,
            runs: reader.runs()?,
            components: reader.component_totals()?,
            sites,
            fallen: Fallen::read(reader)?,
            watch: read_health(folder),
        })
    }

    /// Returns it as JSON.
    pub fn to_json(&self, folder: &Path) -> Value {
        let urls = &self.status.urls;
        let states: BTreeMap<_, _> = UrlState::ALL
            .into_iter()
            .map(|state| (state.as_str(), urls.of(state)))
            .collect();
        let reasons = urls.0.iter().filter_map(|((state, reason), count)| {
            Some(json!({"state": state.as_str(), "reason": reason.as_ref()?, "urls": count}))
        });
        let sites = self.sites.iter();
        json!({
            "workspace": folder,
            "urls": states,
            "reasons": reasons.collect::<Vec<_>>(),
            "pages": self.status.pages,
            "records": self.status.records,
            "verticals": self.components.iter().map(component_json).collect::<Vec<_>>(),
            "archives": self.status.archives,
            "archive_bytes": self.status.archive_bytes,
            "sites": sites.map(|site| json!({"site": site.key, "queued": site.queued})).collect::<Vec<_>>(),
            "fell": self.fallen.iter().map(Fallen::to_json).collect::<Vec<_>>(),
            "watch": self.watch,
            "runs": self.runs.iter().map(run_json).collect::<Vec<_>>(),
        })
    }
}

/// Returns a run as JSON.
pub fn run_json(run: &RunRow) -> Value {
    json!({
        "run": run.id.0, "kind": run.kind, "started_at": run.started_at.to_string(),
        "ended_at": run.ended_at.map(|at| at.to_string()), "outcome": run.outcome,
    })
}

/// Returns what a component did as JSON.
pub fn component_json(totals: &ComponentTotals) -> Value {
    json!({
        "vertical": totals.component.vertical,
        "version": totals.component.version,
        "digest": format!("blake3:{}", totals.component.digest),
        "pages": totals.pages,
        "hits": totals.hits,
        "records": totals.records,
        "violations": totals.violations,
        "problems": totals.problems,
    })
}
