//! The state of a workspace.

use std::collections::BTreeMap;
use std::path::Path;

use magpie_engine::settings::Resolved;
use magpie_engine::site::View;
use magpie_engine::watch::read_health;
use magpie_engine::{PicturesFetched, workspace_name};
use magpie_model::UrlReason;
use magpie_model::json::{Address, Time};
use magpie_rows::ReadStore;
use magpie_rows::{
    CarefulBucket, ComponentTotals, CoverageRow, CrewState, FailedPage, PictureCount, PictureProblem,
    RunKind, RunRow, SiteRow, Status, StoreError, UrlFilter, UrlPage, UrlState, WorkerRow,
};
use magpie_values::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::sites::{FieldView, SiteHealth, SiteState};

/// Sites that are looked through for those with the longest queues.
const MAX_SITES: usize = 100_000;

/// Pages that are listed on which a component failed with a code.
const FAILED_EACH: usize = 5;

/// Pages in all that are listed on which a component failed.
const MAX_FAILED: usize = 100;

/// Pages that are listed which killed workers.
const MAX_KILLERS: usize = 20;

/// The state of a workspace, as `magpie status` shows it.
#[derive(Clone, Debug)]
pub struct Overview {
    /// Totals.
    pub status: Status,
    /// The size that `archive.quota` allows.
    pub archive_quota: Option<u64>,
    /// Runs, the oldest first.
    pub runs: Vec<RunRow>,
    pub components: Vec<ComponentTotals>,
    /// Pages on which a vertical failed, the newest of each component and problem.
    pub failed: Vec<FailedPage>,
    /// Sites, those with the longest queues first.
    pub sites: Vec<SiteRow>,
    /// The learned sites, with the verdict on each.
    pub health: Vec<SiteHealth>,
    /// Attributes of which sites have fewer values than when they were learned.
    pub fallen: Vec<Fallen>,
    /// Pictures of objects that were asked for, by host and outcome.
    pub pictures: Vec<PictureCount>,
    /// The health of the last watch, from its file.
    pub watch: Option<Value>,
    /// The work of the processes in a workspace on a server.
    pub crew: Option<CrewState>,
    /// Pages that are not fetched because they killed workers.
    pub killers: Vec<String>,
}

/// An attribute of which a site has fewer values than when it was learned.
#[derive(Clone, Debug, PartialEq)]
pub struct Fallen {
    pub vertical: String,
    pub site: String,
    pub row: CoverageRow,
}

impl Fallen {
    fn read(reader: &dyn ReadStore, health: &[SiteHealth]) -> Result<Vec<Fallen>, StoreError> {
        let mut fallen = Vec::new();
        for vertical in reader.learned_verticals()? {
            for row in reader.field_coverage(&vertical, None)? {
                let mut own = health.iter().filter(|site| site.vertical == vertical);
                let site = own.find(|health| health.site.site == row.site);
                if let Some(health) = site.filter(|_| row.fell_at.is_some()) {
                    fallen.push(Fallen {
                        vertical: vertical.clone(),
                        site: health.site.key.clone(),
                        row,
                    });
                }
            }
        }
        Ok(fallen)
    }
}

impl Overview {
    /// Reads the state of the workspace in a folder.
    pub fn read(
        reader: &dyn ReadStore,
        folder: &Path,
        settings: &Resolved,
        now: Timestamp,
    ) -> Result<Overview, StoreError> {
        let mut health = Vec::new();
        for vertical in &reader.learned_verticals()? {
            let view = View {
                reader,
                folder,
                settings,
                vertical,
                now,
            };
            health.extend(SiteHealth::read(&view, |_| true)?);
        }
        let mut sites = reader.sites_after(None, MAX_SITES)?;
        sites.sort_by_key(|site| std::cmp::Reverse(site.queued));
        let status = reader.status()?;
        let (state, reason) = (UrlState::Refused, UrlReason::KilledWorker);
        let killers = match status.urls.0.contains_key(&(state, Some(reason.clone()))) {
            true => reader.urls(&UrlFilter {
                state: Some(state),
                reason: Some(reason.to_string()),
                limit: MAX_KILLERS,
                ..UrlFilter::default()
            })?,
            false => UrlPage::default(),
        };
        let quota = settings.settings.archive.quota.0;
        Ok(Overview {
            status,
            archive_quota: (quota > 0).then_some(quota),
            killers: killers.urls.into_iter().map(|row| row.url).collect(),
            runs: reader.runs()?,
            components: reader.component_totals()?,
            failed: reader.failed_pages(FAILED_EACH, MAX_FAILED)?,
            sites,
            fallen: Fallen::read(reader, &health)?,
            pictures: reader.picture_counts(Timestamp::default())?,
            health,
            watch: read_health(folder),
            crew: reader.crew().map(|crew| crew.state()).transpose()?,
        })
    }

    /// Returns the sites that a person should look at.
    pub fn trouble(&self) -> impl Iterator<Item = &SiteHealth> {
        self.health.iter().filter(|site| site.state.is_failing())
    }

    /// The sites that their last rounds learned again.
    pub fn repaired(&self) -> impl Iterator<Item = &SiteHealth> {
        let is_repaired = |site: &&SiteHealth| matches!(site.state, SiteState::Repaired(_));
        self.health.iter().filter(is_repaired)
    }

    /// Returns the figures of the pictures that were asked for, if there were any.
    pub fn pictures(&self) -> Option<PicturesFetched> {
        let mut all = PicturesFetched::default();
        for count in &self.pictures {
            match count.problem {
                None => all.kept += count.pictures,
                Some(_) => all.failed += count.pictures,
            }
            all.requests += count.requests;
            all.bytes += count.bytes;
        }
        (all != PicturesFetched::default()).then_some(all)
    }

    pub fn view(&self, folder: &Path) -> StatusView {
        let urls = &self.status.urls;
        let states = UrlState::ALL.into_iter();
        let reasons = urls.0.iter().filter_map(|((state, reason), count)| {
            Some(ReasonView {
                state: *state,
                reason: reason.as_ref()?.to_string(),
                urls: *count,
            })
        });
        let queue = |site: &SiteRow| QueueView {
            site: site.key.clone(),
            queued: site.queued,
        };
        let workers = self.crew.iter().flat_map(|crew| &crew.workers);
        let careful = self.crew.iter().flat_map(|crew| &crew.careful);
        StatusView {
            workspace: workspace_name(folder),
            urls: states
                .map(|state| (state.as_str().to_owned(), urls.of(state)))
                .collect(),
            reasons: reasons.collect(),
            pages: self.status.pages,
            records: self.status.records,
            verticals: self.components.iter().map(ComponentView::from).collect(),
            failed_pages: self.failed.iter().map(FailedPageView::from).collect(),
            archives: self.status.archives,
            archive_bytes: self.status.archive_bytes,
            archive_quota: self.archive_quota,
            pictures: self.pictures.iter().map(PictureCountView::from).collect(),
            sites: self.sites.iter().map(queue).collect(),
            trouble: self.trouble().map(TroubleView::from).collect(),
            fell: self.fallen.iter().map(FallenView::from).collect(),
            watch: self.watch.clone(),
            workers: workers.map(WorkerView::from).collect(),
            careful_buckets: careful.map(CarefulBucketView::from).collect(),
            killed_workers: self.killers.iter().map(Address::new).collect(),
            crawl_sites_left: self.crew.as_ref().and_then(|crew| crew.tasks_left),
            runs: self.runs.iter().map(RunView::from).collect(),
        }
    }
}

/// The state of a workspace.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Status")]
pub struct StatusView {
    /// Path of the workspace, or the address of its server without user and password.
    workspace: String,
    /// Number of URLs in each state.
    urls: BTreeMap<String, u64>,
    /// URLs by the reason of their state.
    reasons: Vec<ReasonView>,
    /// Number of fetched pages.
    pages: u64,
    /// Number of records.
    records: u64,
    /// Components, and their results.
    verticals: Vec<ComponentView>,
    /// Pages on which a component failed, the newest 5 of each component and code.
    failed_pages: Vec<FailedPageView>,
    /// Number of WARC files.
    archives: u64,
    /// Size of the WARC files.
    archive_bytes: u64,
    /// Size that `archive.quota` allows, null for any.
    archive_quota: Option<u64>,
    /// Pictures of objects that were asked for. No other figure has their requests.
    pictures: Vec<PictureCountView>,
    /// Sites, those with the longest queues first.
    sites: Vec<QueueView>,
    /// Sites that a person should look at.
    trouble: Vec<TroubleView>,
    /// Attributes of which a site has fewer values than when it was learned.
    fell: Vec<FallenView>,
    /// Content of [`watch.json`](#the-file-watchjson), null if `watch` was never run.
    #[schemars(with = "Option<BTreeMap<String, Value>>")]
    watch: Option<Value>,
    /// Runs, the oldest first.
    runs: Vec<RunView>,
    /// Processes that work in a workspace on a server; empty for a folder.
    workers: Vec<WorkerView>,
    /// Number of sites that the open crawl of workers has left, null if none is open.
    crawl_sites_left: Option<u64>,
    /// Buckets with queued URLs of which several owners were killed lately. Their pages are worked
    /// on one at a time.
    careful_buckets: Vec<CarefulBucketView>,
    /// The first 20 pages that are not fetched because they killed workers.
    killed_workers: Vec<Address>,
}

/// A bucket whose pages are worked on one at a time.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "CarefulBucket")]
pub struct CarefulBucketView {
    /// Number of the bucket.
    bucket: u64,
    /// Number of owners that were killed in the last ten minutes.
    killed: u64,
    /// The present owner, empty if there is none.
    worker: String,
    /// The page that it works on, or null.
    url: Option<Address>,
}

impl From<&CarefulBucket> for CarefulBucketView {
    fn from(careful: &CarefulBucket) -> CarefulBucketView {
        CarefulBucketView {
            bucket: careful.bucket,
            killed: careful.killed,
            worker: careful.worker.clone(),
            url: careful.url.as_ref().map(Address::new),
        }
    }
}

/// A process that works in a workspace on a server.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Worker")]
pub struct WorkerView {
    /// Its machine and process.
    worker: String,
    /// Version of its program.
    version: String,
    /// Time when it joined.
    joined_at: Time,
    /// True if it has sent a heartbeat lately.
    live: bool,
    /// Number of buckets of sites that it has leased.
    buckets: u64,
    /// Its part: `worker`, or `command` for one that leases what it needs.
    part: &'static str,
}

impl From<&WorkerRow> for WorkerView {
    fn from(row: &WorkerRow) -> WorkerView {
        WorkerView {
            worker: row.worker.clone(),
            version: row.version.clone(),
            joined_at: row.joined_at.into(),
            live: row.is_live,
            buckets: row.buckets,
            part: if row.is_worker { "worker" } else { "command" },
        }
    }
}

/// A page on which a component failed.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "FailedPage")]
pub struct FailedPageView {
    /// URL of the page.
    url: Address,
    /// Name of the vertical.
    vertical: String,
    /// Version of the component.
    version: String,
    /// Digest of the component: `sha256:` and hexadecimal digits.
    digest: String,
    /// Stable code.
    code: String,
    /// Sentence about the failure, or null.
    detail: Option<String>,
    /// Time of the fetch.
    fetched_at: Time,
}

impl From<&FailedPage> for FailedPageView {
    fn from(failed: &FailedPage) -> FailedPageView {
        FailedPageView {
            url: Address::new(&failed.url),
            vertical: failed.component.vertical.clone(),
            version: failed.component.version.clone(),
            digest: failed.component.digest.clone(),
            code: failed.problem.clone(),
            detail: failed.detail.clone(),
            fetched_at: failed.fetched_at.into(),
        }
    }
}

/// Pictures of one host with one outcome.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "PictureCount")]
pub struct PictureCountView {
    /// Host of the pictures.
    host: String,
    /// Reason why there is no copy, null if there is one; see [codes](reference/codes.md).
    problem: Option<PictureProblem>,
    /// Number of pictures.
    pictures: u64,
    /// Number of requests.
    requests: u64,
    /// Bytes of the answers.
    bytes: u64,
}

impl From<&PictureCount> for PictureCountView {
    fn from(count: &PictureCount) -> PictureCountView {
        PictureCountView {
            host: count.host.clone(),
            problem: count.problem,
            pictures: count.pictures,
            requests: count.requests,
            bytes: count.bytes,
        }
    }
}

/// Number of URLs with a reason.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "UrlReason")]
pub struct ReasonView {
    /// State of the URLs.
    state: UrlState,
    /// Reason of the state; see [codes](reference/codes.md).
    reason: String,
    /// Number of URLs.
    urls: u64,
}

/// The queue of a site.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Queue")]
pub struct QueueView {
    /// Key of the site.
    site: String,
    /// Number of queued URLs.
    queued: u64,
}

/// A site that a person should look at.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Trouble")]
pub struct TroubleView {
    /// Name of the vertical.
    vertical: String,
    /// Key of the site.
    site: String,
    /// State in words.
    state: String,
}

impl From<&SiteHealth> for TroubleView {
    fn from(health: &SiteHealth) -> TroubleView {
        TroubleView {
            vertical: health.vertical.clone(),
            site: health.site.key.clone(),
            state: health.state.sentence(),
        }
    }
}

/// An attribute of which a site has fewer values than when it was learned.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Fallen")]
pub struct FallenView {
    /// Name of the vertical.
    vertical: String,
    /// Key of the site.
    site: String,
    /// The attribute.
    #[serde(flatten)]
    field: FieldView,
}

impl From<&Fallen> for FallenView {
    fn from(fallen: &Fallen) -> FallenView {
        FallenView {
            vertical: fallen.vertical.clone(),
            site: fallen.site.clone(),
            field: FieldView::from(&fallen.row),
        }
    }
}

/// A run.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Run")]
pub struct RunView {
    /// Number of the run.
    run: i64,
    /// Kind of run.
    kind: RunKind,
    /// Outcome, null while it runs.
    outcome: Option<String>,
    /// Time when it began.
    started_at: Time,
    /// Time when it ended, or null.
    ended_at: Option<Time>,
}

impl From<&RunRow> for RunView {
    fn from(run: &RunRow) -> RunView {
        RunView {
            run: run.id.0,
            kind: run.kind,
            outcome: run.outcome.clone(),
            started_at: run.started_at.into(),
            ended_at: run.ended_at.map(Time::from),
        }
    }
}

/// A component, and the results of its calls.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Component")]
pub struct ComponentView {
    /// Name of the vertical.
    vertical: String,
    /// Version of the component.
    version: String,
    /// Digest of the component: `sha256:` and hexadecimal digits.
    digest: String,
    /// Number of pages that it received.
    pages: u64,
    /// Number of pages with records.
    hits: u64,
    /// Number of records.
    records: u64,
    /// Number of values that were dropped or corrected.
    violations: u64,
    /// Failures, by code.
    problems: BTreeMap<String, u64>,
}

impl From<&ComponentTotals> for ComponentView {
    fn from(totals: &ComponentTotals) -> ComponentView {
        ComponentView {
            vertical: totals.component.vertical.clone(),
            version: totals.component.version.clone(),
            digest: totals.component.digest.clone(),
            pages: totals.pages,
            hits: totals.hits,
            records: totals.records,
            violations: totals.violations,
            problems: totals.problems.clone(),
        }
    }
}
