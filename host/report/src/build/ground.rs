//! The data of a report: the rows of the workspace, and one look at every known page.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::ControlFlow;
use std::path::Path;

use crate::Problem;
use crate::views::sites::SiteState;
use magpie_engine::PipelineError;
use magpie_engine::settings::Resolved;
use magpie_engine::site::{ObjectsByPage, SiteFigures, UrlKind, View, navigation_file, read_navigation};
use magpie_model::{CanonicalUrl, UrlReason};
use magpie_patterns::navigate::Navigator;
use magpie_patterns::pattern::{PatternSet, UrlPattern};
use magpie_rows::{
    CoverageRow, KnownPage, LearnedSite, ObjectFilter, PatternRow, ReadStore, RoundFilter, RoundRow, RunId,
    RunRow, RunTotals, SelectionRow, StageRow, StoreError,
};
use magpie_values::Timestamp;

use super::{CRAWL_STAGE, LAST_STAGE, SAMPLE_STAGE, Subject, words};
use magpie_engine::recrawl::Account;

/// All that a report is made of.
pub(super) struct Ground<'a> {
    pub(super) folder: &'a Path,
    pub(super) vertical: &'a str,
    /// The version of the vertical that looked at pages last; empty when none did.
    pub(super) version: String,
    /// The stages of learning, in their order.
    pub(super) stages: Vec<StageRow>,
    pub(super) selection: Option<SelectionRow>,
    pub(super) accounts: Vec<Account>,
    pub(super) rounds: Vec<RoundRow>,
    pub(super) runs: Vec<RunRow>,
    /// The runs that are reported: of a recrawl one, of learning those that fetched the pages.
    pub(super) reported: Vec<RunId>,
    pub(super) began: Timestamp,
    pub(super) ended: Timestamp,
    pub(super) sites: Vec<SiteGround>,
    pub(super) site_figures: Vec<SiteFigures>,
    /// The pages and objects of the reported runs.
    pub(super) totals: RunTotals,
    pub(super) objects: u64,
    /// Objects that have not expired.
    pub(super) current: u64,
    /// Objects that are worth a round, over all sites.
    pub(super) wanted: u64,
    /// Those of them that were known when learning was through.
    pub(super) known_when_learned: u64,
}

/// The workspace that is reported on.
#[derive(Clone, Copy, Debug)]
pub struct Place<'a> {
    pub folder: &'a Path,
    pub vertical: &'a str,
    pub settings: &'a Resolved,
    /// The time, in milliseconds since 1970.
    pub now: Timestamp,
}

pub(super) struct SiteGround {
    pub(super) learned: LearnedSite,
    /// Those whose pages have objects.
    pub(super) patterns: Vec<PatternGround>,
    /// The way through the site, or the reason why it is unknown.
    pub(super) navigator: Result<Option<Navigator>, String>,
    /// The round of the reported recrawl here, or the last one.
    pub(super) round: Option<RoundRow>,
    /// The verdict on the site after that round.
    pub(super) state: SiteState,
    pub(super) known: u64,
    pub(super) fetched: u64,
    pub(super) failed: u64,
    /// Pages of the reported runs that gave trouble.
    pub(super) problems: Vec<Problem>,
    /// Objects that are worth a round: those that have not expired or, where all have, all of them,
    /// for they show what is to come.
    pub(super) objects: HashSet<u32>,
    pub(super) new: HashSet<u32>,
    /// Such objects on pages that were fetched in the reported runs.
    pub(super) fetched_objects: HashSet<u32>,
    /// Figures of the states of the navigation, by name; the entry page has none.
    pub(super) states: BTreeMap<Option<String>, Tally>,
}

/// A pattern with what is on its pages now.
pub(super) struct PatternGround {
    pub(super) row: PatternRow,
    /// Objects that are worth a round.
    pub(super) objects: HashSet<u32>,
    pub(super) new: HashSet<u32>,
}

#[derive(Default)]
pub(super) struct Tally {
    pub(super) pages: u64,
    pub(super) fetched: u64,
    pub(super) objects: HashSet<u32>,
}

impl<'a> Ground<'a> {
    pub(super) fn read(
        reader: &dyn ReadStore,
        place: Place<'a>,
        subject: &Subject,
    ) -> Result<Ground<'a>, PipelineError> {
        let Place {
            folder,
            vertical,
            settings,
            now: present,
        } = place;
        let mut stages = reader.stages(vertical)?;
        stages.retain(Account::is_of_learning);
        let runs = reader.runs()?;
        let reported = reported(subject, &stages);
        let (began, ended) = times(subject, &stages, &runs, &reported, present);
        let now = match subject {
            Subject::Recrawled(account) if account.now > Timestamp::default() => account.now,
            Subject::Recrawled(_) => ended,
            Subject::Learned => present,
        };
        let looked = Looked {
            sightings: ObjectsByPage::read(reader, vertical, now)?,
            first_seen: first_seen(reader, vertical)?,
            began,
            ended,
        };
        let learned_at = stage(&stages, LAST_STAGE).map_or(Timestamp::default(), |row| row.ended_at);
        let mut ground = Ground {
            folder,
            vertical,
            version: version(reader, vertical)?,
            selection: reader.selection(vertical)?,
            accounts: Account::all(reader, vertical)?,
            rounds: reader.rounds(vertical, RoundFilter::All)?,
            sites: Vec::new(),
            site_figures: Vec::new(),
            totals: reader.run_totals(vertical, &reported, (began, ended))?,
            objects: match reader.warehouse_vertical(vertical)? {
                Some(row) => reader.warehouse_objects(&row)?,
                None => 0,
            },
            current: looked.current(),
            wanted: 0,
            known_when_learned: 0,
            stages,
            runs,
            reported,
            began,
            ended,
        };
        let view = View {
            reader,
            folder,
            settings,
            vertical,
            now,
        };
        let coverage = reader.field_coverage(vertical, None)?;
        for learned in reader.learned_sites(vertical)? {
            let site = ground.site((&view, &coverage), learned, subject, &looked)?;
            ground.sites.push(site);
        }
        let wanted = ground.sites.iter().flat_map(|site| site.objects.iter().copied());
        let wanted: HashSet<u32> = wanted.collect();
        let is_old = |object: &&u32| looked.first_seen(**object).is_some_and(|seen| seen <= learned_at);
        ground.wanted = wanted.len() as u64;
        ground.known_when_learned = wanted.iter().filter(is_old).count() as u64;
        ground.site_figures = view.site_figures()?;
        Ok(ground)
    }

    /// The last of the reported runs.
    pub(super) fn last_run(&self) -> Option<RunId> {
        self.reported.last().copied()
    }

    pub(super) fn stage(&self, name: &str) -> Option<&StageRow> {
        stage(&self.stages, name)
    }

    fn site(
        &self,
        (view, coverage): (&View<'_>, &[CoverageRow]),
        learned: LearnedSite,
        subject: &Subject,
        looked: &Looked,
    ) -> Result<SiteGround, PipelineError> {
        let reader = view.reader;
        let mut rows = reader.patterns(self.vertical, learned.site)?;
        rows.retain(|row| row.wanted);
        let mut patterns = Vec::new();
        let mut parsed: Vec<UrlPattern> = Vec::new();
        for row in rows {
            // A recrawl fails on a pattern that can't be parsed; a report leaves it out.
            let Ok(pattern) = row.pattern.parse() else {
                continue;
            };
            parsed.push(pattern);
            patterns.push(PatternGround {
                row,
                objects: HashSet::new(),
                new: HashSet::new(),
            });
        }
        let own = self.rounds.iter().filter(|round| round.site == learned.site);
        let mut own: Vec<RoundRow> = own.copied().collect();
        let all = own.len();
        let round = match subject {
            Subject::Learned => own.last().copied(),
            Subject::Recrawled(account) => {
                let round = own.iter().position(|round| round.run.0 == account.run);
                own.truncate(round.map_or(0, |at| at + 1));
                own.last().copied()
            }
        };
        // Coverage is that after the last round, so the report of an earlier one has none.
        let coverage = if own.len() == all { coverage } else { &[] };
        let began = own
            .last()
            .and_then(|round| self.runs.iter().find(|run| run.id == round.run));
        let began = began.map(|run| run.started_at);
        let file = navigation_file(self.folder, self.vertical, &learned.key);
        let navigation = read_navigation(&file).map_err(|error| error.to_string());
        let navigator = navigation.and_then(|navigation| {
            let navigator = navigation.map(Navigator::new).transpose();
            navigator.map_err(|error| format!("{}: {error}", file.display()))
        });
        let mut site = SiteGround {
            state: SiteState::of(view, &learned, &own, began, coverage),
            round,
            patterns,
            navigator,
            known: 0,
            fetched: 0,
            failed: 0,
            problems: Vec::new(),
            objects: HashSet::new(),
            new: HashSet::new(),
            fetched_objects: HashSet::new(),
            states: BTreeMap::new(),
            learned,
        };
        // A set drops what it was given twice; the rows are distinct, and keep their numbers.
        let set = PatternSet::new(parsed);
        let pages = reader.known_pages(site.learned.site)?;
        let has_current = pages.iter().any(|page| looked.sightings.has_current(&page.url));
        for page in &pages {
            site.look(page, &set, looked, has_current, &self.reported);
        }
        Ok(site)
    }
}

impl SiteGround {
    /// Counts a page in.
    fn look(
        &mut self,
        page: &KnownPage,
        set: &PatternSet,
        looked: &Looked,
        has_current: bool,
        reported: &[RunId],
    ) {
        let Some(url) = CanonicalUrl::trusted(page.url.as_str()) else {
            return;
        };
        self.known += u64::from(UrlKind::of(page).is_page());
        let is_fetched = page.run.is_some_and(|run| reported.contains(&run));
        if is_fetched {
            self.fetched += 1;
            if !matches!(page.status, Some(200..=399)) {
                self.failed += 1;
                self.problems.push(problem(page, &url));
            }
        }
        let sightings = &looked.sightings;
        let objects = sightings.of(&page.url).iter().copied();
        let is_wanted = |object: &u32| !has_current || sightings.is_current(*object);
        let objects: Vec<u32> = objects.filter(is_wanted).collect();
        let new: Vec<u32> = objects
            .iter()
            .copied()
            .filter(|object| looked.is_new(*object))
            .collect();
        self.objects.extend(&objects);
        self.new.extend(&new);
        if is_fetched {
            self.fetched_objects.extend(&objects);
        }
        for place in set.matching(&url) {
            if let Some(pattern) = self.patterns.get_mut(place) {
                pattern.objects.extend(&objects);
                pattern.new.extend(&new);
            }
        }
        if let Ok(Some(navigator)) = &self.navigator
            && navigator.classify(&url).is_some()
        {
            let name = navigator.state_of(&url).map(|state| state.name.clone());
            let tally = self.states.entry(name).or_default();
            tally.pages += 1;
            tally.fetched += u64::from(is_fetched);
            tally.objects.extend(&objects);
        }
    }
}

/// The objects on all pages, and when they were seen first.
struct Looked {
    sightings: ObjectsByPage,
    first_seen: HashMap<i64, Timestamp>,
    began: Timestamp,
    ended: Timestamp,
}

impl Looked {
    fn first_seen(&self, object: u32) -> Option<Timestamp> {
        let cluster = self.sightings.cluster(object)?;
        self.first_seen.get(&cluster.0).copied()
    }

    fn is_new(&self, object: u32) -> bool {
        self.first_seen(object)
            .is_some_and(|at| (self.began..=self.ended).contains(&at))
    }

    /// Objects that have not expired.
    fn current(&self) -> u64 {
        let all = 0..u32::try_from(self.sightings.len()).unwrap_or(u32::MAX);
        all.filter(|object| self.sightings.is_current(*object)).count() as u64
    }
}

/// A page that gave trouble.
fn problem(page: &KnownPage, url: &CanonicalUrl) -> Problem {
    let what = match (page.status, &page.problem) {
        (Some(status), Some(UrlReason::Status(_)) | None) => format!("status {status}"),
        (Some(status), Some(problem)) => format!("status {status}, {problem}"),
        (None, Some(problem)) => problem.to_string(),
        (None, None) => "no answer".to_owned(),
    };
    Problem {
        site: words::site(url.authority()),
        page: url.path_and_query().to_owned(),
        what,
    }
}

fn first_seen(reader: &dyn ReadStore, vertical: &str) -> Result<HashMap<i64, Timestamp>, StoreError> {
    let filter = ObjectFilter {
        vertical: Some(vertical.to_owned()),
        ..ObjectFilter::default()
    };
    let mut seen = HashMap::new();
    reader.objects(&filter, &mut |row| {
        seen.insert(row.id.0, row.first_seen);
        ControlFlow::Continue(())
    })?;
    Ok(seen)
}

/// The version that looked at pages last: components are numbered as they come.
fn version(reader: &dyn ReadStore, vertical: &str) -> Result<String, StoreError> {
    let mut components = reader.components()?.into_iter();
    let last = components.rfind(|component| component.vertical == vertical);
    Ok(last.map_or_else(String::new, |component| component.version))
}

fn stage<'a>(stages: &'a [StageRow], name: &str) -> Option<&'a StageRow> {
    stages.iter().find(|row| row.name == name)
}

fn run_of(stages: &[StageRow], name: &str) -> Option<RunId> {
    let kept = words::kept(stage(stages, name)?);
    kept["run"].as_i64().map(RunId)
}

fn reported(subject: &Subject, stages: &[StageRow]) -> Vec<RunId> {
    match subject {
        Subject::Recrawled(account) => vec![RunId(account.run)],
        Subject::Learned => [SAMPLE_STAGE, CRAWL_STAGE]
            .into_iter()
            .filter_map(|name| run_of(stages, name))
            .collect(),
    }
}

/// Returns the beginning and end of the reported runs. A sample belongs to the first crawl of
/// learning, and to no later one.
fn times(
    subject: &Subject,
    stages: &[StageRow],
    runs: &[RunRow],
    reported: &[RunId],
    now: Timestamp,
) -> (Timestamp, Timestamp) {
    let last = reported.last().copied();
    let row = runs.iter().find(|run| Some(run.id) == last);
    let kind = row.map(|row| row.kind);
    let is_first = !runs
        .iter()
        .any(|run| Some(run.kind) == kind && Some(run.id) < last);
    let of_first = runs.iter().filter(|run| is_first && reported.contains(&run.id));
    let began = of_first.chain(row).map(|run| run.started_at).min();
    let ended = match subject {
        Subject::Learned => stage(stages, LAST_STAGE).map(|row| row.ended_at),
        Subject::Recrawled(_) => row.and_then(|row| row.ended_at),
    };
    (began.unwrap_or_default(), ended.unwrap_or(now))
}
